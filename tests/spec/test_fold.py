"""References that are folds: on blocks they say what they say word by word, and a check finds the same with both."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any, NamedTuple

import pytest
from families import in_pairs
from shared import words

from symcook.cli.runs import load_spec
from symcook.compilers import compile
from symcook.domains.batch import Words
from symcook.errors import BadInput
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Head, Layer
from symcook.model.transformer import Transformer
from symcook.recipes import build, reference
from symcook.spec.fold import Fold, exact, same
from symcook.spec.languages import dyck1, dyck1_2, dyck1_grammar
from symcook.spec.programs import reference as program_reference
from symcook.spec.programs import refuse_uncovered
from symcook.verify import answers
from symcook.verify.answers import Expected, InputPart
from symcook.verify.sweep import check

LETTERS = ("a", "b", "c")
BEFORE, AFTER = {"before": "CLS"}, {"after": "EOS"}


def means(readout, letters=LETTERS, mask="future", **added):
    """The mean of the letters' numbers 0, 1, 2 that a position sees; tokens that the model adds count as 0."""
    words = {letter: {"x": k} for k, letter in enumerate(letters)} | {token: {} for token in added.values()}
    head = Head(("x",), ("mean",), Q=[[0]], K=[[0]], V=[[1]], mask=mask)
    embedding = Embedding(Space(("x", "mean")), words=words, **added)
    return Transformer("means", embedding, (Layer(head),), readout)


def plain(fold):
    return lambda word: fold(word)


def total(state, token):
    return state[0] + LETTERS.index(token), state[1] + 1


MEAN = Fold((0, 0), total, lambda state: Fraction(state[0], max(1, state[1])))
EACH = Fold((0, 0), total, lambda state: Fraction(*state), each=True)
WORD = Fold((), lambda state, token: (*state, token), lambda state: state[-1:] == ("b",))
"""Every word has a state of its own."""
ODD = Fold(False, lambda odd, token: odd != (token == "b"), lambda odd: odd)
VALUE = Readout("value", "last", ("mean",))


@pytest.mark.parametrize("fold", [MEAN, WORD, ODD])
@pytest.mark.parametrize("added", [{}, BEFORE, AFTER, BEFORE | AFTER])
def test_a_block_holds_the_answers_of_its_words_in_their_order(fold, added, monkeypatch):
    readout = VALUE if fold is MEAN else Readout("sign", "last", ("mean",), weights=[[1]])
    model = means(readout, **added)
    expected = Expected(model, fold, {})
    for limit in (2, 10**6):
        monkeypatch.setattr(answers, "BLOCK", limit)
        for prefix in [(), ("b",), ("c", "a")]:
            before, after = model.embedding.ends
            piece = Words(LETTERS, len(prefix) + 3 + len(added), (*before, *prefix), after)
            (((table, codes),),) = expected.pieces(InputPart(piece))
            words = ["".join((*prefix, *rest)) for rest in product(LETTERS, repeat=3)]
            wanted = [(fold(word),) if fold is MEAN else fold(word) for word in words]
            assert [table[code] for code in codes] == wanted
            assert expected.fold is not None  # and so was asked


def test_a_block_of_a_fold_that_answers_at_each_position():
    expected = Expected(means(Readout("value", "each", ("mean",))), EACH, {})
    (places,) = expected.pieces(InputPart(Words(LETTERS, 4, ("c",))))
    words = ["c" + "".join(rest) for rest in product(LETTERS, repeat=3)]
    assert [[table[code] for code in codes] for table, codes in places] == [
        [(EACH(word)[place],) for word in words] for place in range(4)
    ]


def test_a_fold_is_asked_twice_a_state_and_token():
    asked = []

    def step(odd, token):
        asked.append((odd, token))
        return odd != (token == "b")

    model = means(Readout("sign", "last", ("mean",), weights=[[1]]))
    found = check(model, Fold(False, step, lambda odd: odd), 9)
    assert found.strings == sum(3**n for n in range(1, 10)) and found.mismatches > 0
    assert len(asked) == 2 * len(set(asked)) + len(found.first.input) and len(set(asked)) == 6


@pytest.mark.layer_one(1)
@in_pairs(block=[3, 4, 2**16], mask=["none", "future", "past"], added=[{}, BEFORE, AFTER])
def test_checks_by_fold_and_by_function_find_the_same(block, mask, added, monkeypatch):
    monkeypatch.setattr(answers, "BLOCK", block)
    sign = {"reads": ("mean",), "weights": [[1]]}
    cases = [
        (means(VALUE, mask=mask, **added), MEAN),
        (means(Readout("value", "first", ("mean",)), mask=mask, **added), MEAN),
        (means(Readout("sign", "last", **sign), mask=mask, **added), ODD),
        (means(Readout("sign", "all", **sign), mask=mask, **added), WORD),
        (means(Readout("zero", "last", ("mean",)), mask=mask, **added), ODD),
    ]
    if not added:
        cases.append((means(Readout("value", "each", ("mean",)), mask=mask), EACH))
        cases.append((means(Readout("sign", "each", **sign), mask=mask), Fold(0, max_letter, bool, each=True)))
    for model, fold in cases:
        one, other = check(model, fold, 4), check(model, plain(fold), 4)
        assert one.to_json() == other.to_json() and one.first == other.first
        if not added and mask == "future" and fold in (MEAN, EACH) and model.readout.position != "first":
            assert one.holds
        assert Expected(model, fold, {}).fold is not None


def max_letter(state, token):
    return max(state, LETTERS.index(token))


def test_labels_by_fold():
    space = Space(("x", "mean"))
    embedding = Embedding(space, words={letter: {"x": k - 1} for k, letter in enumerate(LETTERS)})
    head = Head(("x",), ("mean",), Q=[[0]], K=[[0]], V=[[1]], mask="future")
    for position in ("last", "each"):
        readout = Readout("largest", position, ("mean",), weights=[[-1], [0], [1]], labels=("low", "even", "high"))
        model = Transformer("labels", embedding, (Layer(head),), readout)
        name = lambda s: "high" if s > 0 else "low"  # noqa: E731 (of equal scores the first counts)
        sign = Fold(0, lambda s, t: s + LETTERS.index(t) - 1, name, each=position == "each")
        assert check(model, sign, 6).holds and check(model, plain(sign), 6).holds


def test_wide_numerators_and_values_that_no_cell_can_hold():
    wide = 10**30
    head = Head(("x",), ("mean",), Q=[[0]], K=[[0]], V=[[wide]], mask="future")
    embedding = Embedding(Space(("x", "mean")), words={letter: {"x": k} for k, letter in enumerate(LETTERS)})
    model = Transformer("wide", embedding, (Layer(head),), VALUE)
    for answer, holds in [
        (lambda s: Fraction(wide * s[0], s[1]), True),
        (lambda s: Fraction(wide * s[0], s[1]) + (s == (4, 2)), False),
        (lambda s: Fraction(wide * s[0], s[1]) if s != (4, 2) else Fraction(1, 10**40 + 1), False),
        (lambda s: Fraction(wide * s[0], s[1]) if s != (4, 2) else wide**3, False),
    ]:
        found = check(model, Fold((0, 0), total, answer), 4)
        assert found.holds is holds and found.mismatches == (0 if holds else 1)
        assert holds or found.first.input == "cc"


FAILING = [
    (Fold(0, lambda s, t: 1 // (t != "b"), bool), "ZeroDivisionError: .* on b"),
    (Fold("", lambda s, t: s + t, lambda s: 1 if s == "ab" else s == "b"), "True or False; given: 1 .* on ab"),
    (Fold(0, lambda s, t: s, lambda s: [s]), "True or False"),
    (Fold(0, lambda s, t: s, lambda s: s == 0, each=True), "True or False"),
]


@pytest.mark.parametrize(("fold", "text"), FAILING)
def test_a_fold_that_fails_is_refused_as_a_function_is(fold, text):
    model = means(Readout("sign", "last", ("mean",), weights=[[1]]))
    with pytest.raises(BadInput, match=text) as one:
        check(model, fold, 3)
    with pytest.raises(BadInput) as other:
        check(model, plain(fold), 3)
    assert str(one.value) == str(other.value)


def test_a_fold_must_answer_at_added_positions_as_a_function_must():
    with pytest.raises(BadInput, match="tokens that the model adds"):
        check(means(Readout("value", "each", ("mean",)), before="CLS"), EACH, 3)


def test_states_that_are_not_hashable_are_asked_word_by_word():
    fold = Fold([], lambda state, token: [*state, token], lambda state: bool(set(state) - {"a"}))
    assert check(means(Readout("sign", "last", ("mean",), weights=[[1]])), fold, 5).holds


def test_dyck1_as_a_fold_is_the_language_of_the_grammar():
    for n in range(11):
        for letters in product("()", repeat=n):
            assert dyck1("".join(letters)) is dyck1_grammar("".join(letters))
    for name in ("dyck-1", "dyck-1-nonuniform", "first-position"):
        assert isinstance(reference(name), Fold)
        word = build(name).alphabet
        assert reference(name)(word) == reference(name)("".join(word))
    for recogniser, word in ((dyck1, ")a"), (dyck1_2, "(((x")):
        with pytest.raises(BadInput, match="must consist of"):
            recogniser(word)


def test_a_file_may_hold_a_fold(tmp_path):
    file = tmp_path / "odd.py"
    file.write_text("import symcook as sc\nodd = sc.Fold(False, lambda s, t: s != (t == 'b'), lambda s: s)\n")
    loaded = load_spec(f"{file}:odd")
    assert isinstance(loaded, Fold) and loaded("abb") is False and loaded("b") is True


class Box:
    """A state that a step changes in place."""

    def __init__(self, number):
        self.number = number


def raised(box, token):
    box.number += 1
    return box


IN_PLACE = {
    "an object": lambda: Fold(Box(0), raised, lambda box: box.number % 2 == 0),
    "in a tuple": lambda: Fold((Box(0),), lambda s, t: (raised(s[0], t),), lambda s: s[0].number % 2 == 0),
    "a list": lambda: Fold([0], lambda s, t: s.append(t) or s, lambda s: len(s) % 2 == 1),
}


@pytest.mark.layer_one(1, 2)
@pytest.mark.parametrize("name", IN_PLACE)
def test_a_state_that_is_changed_in_place(name):
    """Word by word each word has a state of its own; where states are kept it is refused, since all would be one."""
    even = Fold(True, lambda s, t: not s, lambda s: s)
    made = IN_PLACE[name]()
    for word in product("()", repeat=4):
        assert made(word) == even(word) and made("(") is False
    from symcook.decide.decision import decide
    from symcook.verify.merged import merged

    with pytest.raises(BadInput, match="must use only the Python that symcook explain fold lists"):
        decide(build("dyck-1-2"), IN_PLACE[name]())
    with pytest.raises(BadInput, match=r"hashable|change once"):
        merged(build("dyck-1"), IN_PLACE[name](), 30)
    assert check(build("dyck-1"), IN_PLACE[name](), 5).mismatches == check(build("dyck-1"), even, 5).mismatches


@pytest.mark.layer_one(1, 2)
@pytest.mark.parametrize(
    ("kind", "text", "another"),
    [
        ("count", "#left[Q_a] >= #left[Q_b]", "#left[Q_a] >= 0"),
        ("ltl", "Q_a since Q_b", "Q_a | Q_b"),
        ("ltl", "next Q_a", "next Q_b"),
    ],
)
def test_the_reference_of_a_program_goes_to_other_processes_and_is_not_taken_for_another(kind, text, another, tmp_path):
    model, other = (compile(kind, one, alphabet="ab") for one in (text, another))
    right, wrong = program_reference(model.program), program_reference(other.program)
    sent = pickle.loads(pickle.dumps(right))
    assert [sent(word) for word in words(5, "ab")] == [right(word) for word in words(5, "ab")]
    with ThreadPoolExecutor(2) as pool:
        assert check(model, sent, 5, executor=pool, workers=2).holds
        assert not check(model, wrong, 5, executor=pool, workers=2).holds
    if isinstance(right, Fold):  # the content of its functions tells it from the other one
        assert check(model, right, 5, resume=tmp_path / "sweep").holds
        with pytest.raises(BadInput, match="must be of the same reference"):
            check(model, wrong, 5, resume=tmp_path / "sweep")
        return
    for one in (right, wrong):  # a file that goes on by the name of a function would mix them
        with pytest.raises(BadInput, match="must have a specification from a file"):
            check(model, one, 5, resume=tmp_path / "sweep")


def test_a_reference_of_counts_goes_to_processes():
    model = compile("count", "#left[Q_a] >= #left[Q_b]", alphabet="ab")
    assert check(model, program_reference(model.program), 5, workers=2).strings == 62


def test_a_table_says_nothing_of_the_empty_word():
    program = compile("count", "TABLE(1011)(#left[Q_a])", alphabet="ab").program
    assert program_reference(program)("") == []
    refuse_uncovered(program, "")
    assert program_reference(program)("aab") == [False, True, True]
    with pytest.raises(BadInput, match="4 bits and 4"):
        refuse_uncovered(program, "aaaa")


class Place(NamedTuple):
    depth: int
    bad: Any


@dataclass(frozen=True)
class Spot:
    depth: int
    bad: Any


@pytest.mark.parametrize("kind", [Place, Spot])
def test_states_whose_parts_have_other_types_are_other_states(kind: Any) -> None:
    assert exact(kind(1, False)) != exact(kind(1, 0)) and exact(kind(1, 0)) == exact(kind(1, 0))
    assert exact(Place(1, 0)) != exact((1, 0)) and not same(kind(1, True), kind(1, 1))
