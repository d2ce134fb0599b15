"""Models that count, decided by invariants: what is equal is shown, what is not is told apart, and nothing else is
called equal."""

from __future__ import annotations

import itertools
import json
import operator
from dataclasses import replace
from fractions import Fraction
from types import ModuleType
from typing import Any

import counting_models
import pytest

import symcook as sc
from symcook.compilers import compile
from symcook.decide import decide, decision, decoders
from symcook.decide.certificate import document as certified
from symcook.decide.counting import Counting
from symcook.decide.decision import recheck
from symcook.decide.following import Linear
from symcook.decide.invariants import Invariants, refuted, refutes
from symcook.errors import BadInput
from symcook.spec.fold import Fold
from symcook.spec.languages import dyck1, dyck1_2
from symcook.spec.programs import reference
from symcook.words.positions import at_positions


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """What stays open is open after fewer words."""
    monkeypatch.setattr(decision, "PAIRS", 4000)


def voting(a: int, b: int) -> sc.Transformer:
    """Accepts where a times the number of a and b times that of b add up to more than 0."""
    built = sc.Builder(words={"a": {"vote": a}, "b": {"vote": b}, "c": {}})
    mean = built.add(sc.head(value={"mean": "vote"}, mask="future"))
    built.readout("sign", "last", mean, weights=[1])
    return built.build("voting")


def difference(a: int, b: int, least: int = 1) -> Fold:
    return Fold(0, lambda d, t: d + (a if t == "a" else b if t == "b" else 0), lambda d: d >= least)


def test_dyck_1_is_its_stack() -> None:
    found = decide(sc.build("dyck-1"), dyck1)
    assert found.verdict == "equal" and found.decided and found.automaton is None
    assert isinstance(found.certificate, Invariants) and found.certificate.check()


def test_a_certificate_that_was_changed_is_refused() -> None:
    shown = decide(sc.build("dyck-1"), dyck1).certificate
    assert isinstance(shown, Invariants) and shown.check()
    some = list(shown.multipliers)
    place = max(range(len(some)), key=lambda k: len(some[k]))
    for wrong in ((), some[place][:-1], tuple((k, -times) for k, times in some[place])):
        assert not replace(shown, multipliers=(*some[:place], wrong, *some[place + 1 :])).check()
    assert not replace(shown, multipliers=tuple(some[:-1])).check()
    for location, inequalities in shown.held.items():
        if inequalities:  # with one invariant less, or one more that is none
            assert not replace(shown, held={**shown.held, location: inequalities[1:]}).check()
            more = Linear(((("form", 0), 1),), -3)
            assert not replace(shown, held={**shown.held, location: (*inequalities, more)}).check()


def test_multipliers_are_found_and_added_up() -> None:
    x, y = ((("form", 0), 1),), ((("form", 1), 1),)
    holds = (Linear(x, -1), Linear(y, 0), Linear(((("form", 0), -1), (("form", 1), -2)), 0))
    found = refuted(holds)
    assert found is not None and refutes(found, holds)
    assert refuted(holds[:2]) is None
    assert not refutes(((0, Fraction(1)),), holds) and not refutes((*found, (1, Fraction(1))), holds)
    assert not refutes(((5, Fraction(1)),), holds)


@pytest.mark.layer_one(4)
@pytest.mark.parametrize(("a", "b"), [(1, -1), (2, -1), (3, -2), (-1, 4), (1, 0)])
def test_a_difference_of_counts_is_its_counter(a: int, b: int) -> None:
    assert decide(voting(a, b), difference(a, b)).verdict == "equal"
    at_least = decide(voting(a, b), difference(a, b, 0))
    assert (
        at_least.verdict == "different"
        and at_least.word == ("b" if b == 0 else "c",)
        and at_least.accepts == "reference"
    )
    both = Fold((0, 0), lambda s, t: (s[0] + (t == "a"), s[1] + (t == "b")), lambda s: a * s[0] + b * s[1] > 0)
    assert decide(voting(a, b), both).verdict == "equal"


def saturating(most: int) -> Fold:
    def step(depth: int, bracket: str) -> int:
        if depth == -1:
            return -1
        return (depth + 1 if depth < most else depth) if bracket == "(" else depth - 1

    return Fold(0, step, lambda depth: depth == 0)


@pytest.mark.sweep
def test_a_stack_that_saturates_is_never_equal() -> None:
    found = decide(sc.build("dyck-1"), saturating(20))
    assert found.verdict == "different" and found.accepts == "reference"
    assert found.word == tuple("(" * 21 + ")" * 20)  # one bracket is forgotten: 20 ) close it, at length 41
    far = decide(sc.build("dyck-1"), saturating(10**7))
    assert far.verdict == "open" and not far.decided and "no difference was found up to length" in far.why


@pytest.mark.sweep
def test_code_that_treats_a_stand_in_in_another_way_is_never_equal() -> None:
    """Each of these counts as dyck-1's stack does until it is a million deep, which no stand-in may hide."""
    far = 10**6
    table = {far: far}

    def guarded(depth: int, bracket: str) -> int:
        if isinstance(depth, int) and depth > far:
            return far
        return dyck1.step(depth, bracket)

    def by_type(depth: int, bracket: str) -> int:
        return far if type(depth) is int and depth > far else dyck1.step(depth, bracket)

    def caught(depth: int, bracket: str) -> int:
        try:
            return table[depth]
        except Exception:
            return dyck1.step(depth, bracket)

    def written(depth: int, bracket: str) -> int:
        return far if len(f"{depth}") > 6 else dyck1.step(depth, bracket)

    def looked(depth: int, bracket: str) -> int:
        return far if getattr(depth, "numerator", 0) > far else dyck1.step(depth, bracket)

    def remainder(depth: int, bracket: str) -> int:
        return far if depth // far else dyck1.step(depth, bracket)

    def same(depth: int, bracket: str) -> int:
        return far if depth is far else dyck1.step(depth, bracket)

    class Rule:
        def step(self, depth: int, bracket: str) -> int:
            return by_type(depth, bracket)

    rule, rules = Rule(), {"(": by_type, ")": by_type}

    def behind(depth: int, bracket: str) -> int:
        return rule.step(depth, bracket)

    def chosen(depth: int, bracket: str) -> int:
        return rules[bracket](depth, bracket)

    for step in (guarded, by_type, caught, written, looked, remainder, same, behind, chosen):
        try:
            found = decide(sc.build("dyck-1"), Fold(0, step, dyck1.answer))
        except BadInput as error:
            assert "must use only the Python that symcook explain fold lists" in str(error)
        else:
            assert found.verdict == "open" and step in (caught, remainder), (step.__name__, found.verdict)


def test_a_language_of_letters_is_regular_though_it_is_asked_by_counts() -> None:
    assert decide(voting(1, 0), ".*a.*").verdict == "equal"
    found = decide(voting(1, 0), ".*a.*|.*ccc.*")
    assert found.verdict == "different" and found.word == ("c", "c", "c") and found.accepts == "reference"


@pytest.mark.sweep
def test_two_models_are_decided_in_both_directions() -> None:
    """An automaton that was compiled, a formula, and models of one's own, finite or counting. What is equal, and the
    smallest string, is by hand."""
    automaton = compile("dfa", "[ab]*a[ab]*")
    some = at_positions(compile("count", "alphabet a b; #left[Q_a] >= 1"), "last")
    rows = {"a": {"vote": 1}, "b": {"vote": -1}}
    more, named = sc.Builder(words=rows), sc.Builder(words=rows)
    more.readout("sign", "last", more.add(sc.head(value={"mean": "vote"}, mask="future")), weights=[1])
    named.readout("largest", "last", ("vote",), weights=[[1], [-1]], labels=("x", "y"))
    for one, other, word in ((automaton, some, None), (automaton, more.build("more"), ("a", "b"))):
        for pair in ((one, other), (other, one)):
            found = decoders.decide(*pair)
            assert (found.verdict, found.word) == ("different" if word else "equal", word)
            with pytest.raises(BadInput, match="the specification must answer"):
                decoders.decide(*(named.build("named") if x is automaton else x for x in pair))


def test_a_decoder_that_has_not_ended_is_not_called_different(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was, with the answers False and False, where the specification rejects."""
    automaton = sc.compile("dfa", "[ab]*a[ab]*")
    rejecting = sc.Fold(0, never_step, never_answer)
    monkeypatch.setattr(decoders, "stream", lambda model, word, steps: iter(["a"]))  # no end
    found = decoders._tried(automaton, decision.recogniser(automaton, rejecting), "rejecting", "no proof")
    assert found.verdict == "open"


def test_a_finite_model_and_a_counter_that_says_the_same() -> None:
    """One side has no end of states: it never accepts, since its total never falls."""
    model = sc.Builder(words={"a": {"x": 1}, "b": {"x": 1}})
    model.readout("zero", "last", ("x",))
    never = Fold(0, lambda total, t: total + 1, lambda total: total < 0)
    found = decide(model.build("never"), never)
    assert found.verdict == "equal" and isinstance(found.certificate, Invariants) and found.certificate.check()


def test_what_counts_without_a_reference_is_refused_with_the_reason() -> None:
    found = decide(sc.build("dyck-1"))
    assert found.verdict == "refused" and "of different values to the coordinate balance" in found.why
    assert "give a specification" in found.why


@pytest.mark.layer_one(2, 4)
@pytest.mark.parametrize("first", range(0, 2000, 250))
def test_random_models_that_count_agree_with_loops(first: int) -> None:
    for seed in range(first, first + 2):
        assert "wrong" not in "".join(counting_models.compared(seed)), seed


def test_the_machine_says_what_the_model_says() -> None:
    machine = Counting(sc.build("dyck-1"))
    fold = Fold(machine.initial, machine.step, lambda state: bool(machine.answer(state)))
    assert sc.build("dyck-1").check(fold, 14).holds


PROGRAMS = [
    # one, other, the smallest string on which they differ (None: equal)
    ("#left[Q_a] > #left[Q_b]", "2*#left[Q_a] > 2*#left[Q_b]", None),
    ("#left[Q_a] > #left[Q_b]", "#left[Q_a] >= #left[Q_b]", "ab"),
    ("#left[#left[Q_a] > #left[Q_b]] = 0", "historically (#left[Q_a] <= #left[Q_b])", None),
    ("#left[#left[Q_a] > #left[Q_b]] >= 2", "#left[#left[Q_a] > #left[Q_b]] > 2", "aa"),
    ("MOD(3, 1)(#left[Q_a])", "~MOD(3, 2)(#left[Q_a]) & ~MOD(3, 0)(#left[Q_a])", None),
]


@pytest.mark.layer_one(1, 3)
@pytest.mark.parametrize(("one", "other", "word"), PROGRAMS)
@pytest.mark.layer_two(every=3)
def test_counting_programs_are_compared(one: str, other: str, word: str | None) -> None:
    """Equal ones with invariants that are checked again; different ones at the smallest string, by interpretation."""
    models = [compile("count", f"alphabet a b; {text}") for text in (one, other)]
    first, second = (replace(m, readout=replace(m.readout, position="last")) for m in models)
    found = decide(first, second)
    assert found.word == (None if word is None else tuple(word)) and found.verdict in ("equal", "different")
    if word is None:
        assert isinstance(found.certificate, Invariants) and found.certificate.check()
        written = json.loads(json.dumps(certified(found)))
        assert recheck(written, first, second).verdict == "equal"
    told = [reference(m.program) for m in models]  # type: ignore[arg-type]
    for n in range(1, 5):
        for string in itertools.product("ab", repeat=n):
            same = told[0](string)[-1] == told[1](string)[-1]
            assert same or (word is not None and (len(word), word) <= (n, "".join(string)))


@pytest.mark.sweep
def test_models_that_count_are_compared_and_print_their_formula() -> None:
    words = {"a": {"x": 1, "one": 1}, "b": {"x": -1, "one": 1}}

    def counting(row: list[Any]) -> sc.Transformer:
        embedding = sc.Embedding(sc.Space(("x", "one", "m")), words=words)
        layer = sc.Layer(sc.head(value={"m": "x"}, mask="future"))
        return sc.Transformer("counts", embedding, (layer,), sc.Readout("sign", "last", ("m", "one"), [row]))

    found = decide(counting([1, 0]), counting([3, 0]))
    assert (found.verdict, found.formula) == ("equal", "count(a) > count(b)")
    assert decide(counting([1, 0]), counting([1, "-1/3"])).word == tuple("aab")
    inside = counting([1, 0]).decide(counting([1, "-1/3"]), inputs="b*a?")
    assert inside.verdict == "equal" and inside.certificate is None


def test_a_fold_may_leave_answers_free() -> None:
    model = sc.build("dyck-1-2")
    loose = sc.Fold((0, 0), lambda s, t: (min(s[0] + (t == "("), 3), s[1] + 1 if s[1] < 3 else 3),
                    lambda s: None if s[1] > 1 else False)  # fmt: skip
    found = model.decide(loose)
    assert (found.verdict, found.free) == ("equal", None)
    found = model.decide(loose, inputs=r"[\(\)]{1,3}")
    assert (found.verdict, found.free) == ("equal", 4 + 8)
    with pytest.raises(BadInput, match="must give an answer for at least one string"):
        model.decide(sc.Fold(0, lambda s, t: s, lambda s: None))


def test_answers_at_each_position_are_those_to_prefixes_of_the_inputs() -> None:
    """The inputs are abab and bbb, which no decision with answers at each position may confuse with their prefixes."""
    model = sc.compile("ltl", "prev Q_a", alphabet="a b")
    inputs = ["abab", "bbb"]
    prefixes = {string[:k] for string in inputs for k in range(1, len(string) + 1)}

    def count(s: Any, t: Any) -> Any:
        return (s + 1) if s < 3 else 3

    for answer, free in ((lambda s: s == 1, 0), (lambda s: None if s < 3 else True, 4)):
        found = model.decide(sc.Fold(0, count, answer, each=True), inputs=inputs)
        assert found.verdict == "different" and found.counterexample in prefixes and found.free == free
        assert f"smallest prefix of the inputs: {found.counterexample}" in found.text()
        assert ("any answer is right: 4 prefixes of the inputs" in found.text()) == bool(free)
        assert found.to_json()["prefixes"] is True
    found = model.decide(sc.Fold(0, count, lambda s: s == 1, each=True))
    assert "smallest string: a\n" in found.text() and "prefixes" not in found.to_json()
    # Answers at the last position are those to the inputs themselves.
    found = model.decide(sc.Fold(0, count, lambda s: s == 1), inputs=inputs, positions="last")
    assert found.verdict == "different" and found.counterexample in inputs
    assert "smallest string of the inputs: abab\n" in found.text()  # of all strings it is a
    once = model.decide(sc.Fold(0, count, lambda s: None if s < 2 else s == 1, each=True), inputs=["bb"])
    assert "any answer is right: 1 prefix of the inputs" in once.text()


def far(n: Any) -> bool:
    """Whether n is 5000, by a test that a stand-in cannot notice."""
    return type(n) is int and n == 5000


KIND, SAME = type, operator.is_
HELPERS = ModuleType("helpers")
HELPERS.far = far  # type: ignore[attr-defined]


@pytest.mark.layer_one(13)
@pytest.mark.parametrize("flips", [
    lambda n: n == 5000.0, lambda n: n == 5000 + 0j, lambda n: n in (5000.0,), lambda n: str(n == 5000) == "True",
    lambda n: isinstance(n == 5000, bool) and n == 5000, lambda n: (n == 5000) + 0 == 1, lambda n: HELPERS.far(n),
    lambda n: f"{n == 5000}" == "True", lambda n: [False, True][n == 5000], lambda n: (n == 5000) > 0,
    lambda n: KIND(n) == int and n == 5000, lambda n: int.__eq__(n, 5000) is True,  # noqa: E721
    lambda n: SAME(n == 5000, True),
    lambda n: n == 5000 and (5 if n < 100 else None) is not n,
])  # fmt: skip
def test_no_fold_hides_what_it_does_at_one_length(flips: Any) -> None:
    """The reference is that of the model, but not at length 5,000, which no run of short strings meets."""
    step, accepts = dyck1_2.step, dyck1_2.answer
    fold = Fold((0, 0), lambda s, t: (step(s[0], t), s[1] + 1), lambda s: accepts(s[0]) != bool(flips(s[1])))
    assert fold("()" * 2500) is not dyck1_2("()" * 2500)
    try:
        found = decide(sc.build("dyck-1-2"), fold)
    except BadInput:
        return
    assert found.verdict != "equal"


@pytest.mark.sweep
def test_a_growing_number_is_no_part_of_a_state() -> None:
    """The states (n, (0,)) and ((0,), n) are of two shapes; both were the place of one growing number and another."""
    b = sc.Builder(words={"a": {"v": 1}, "b": {"v": -1}})
    b.readout("sign", "last", b.attention("mean", "v", mask="future"), weights=[1])
    model = b.build("majority")

    def step(state: Any, letter: str) -> Any:
        more = 1 if letter == "a" else -1
        if state == "start":
            return (more, (0,)) if letter == "a" else ((0,), more)
        return (state[0] + more, (0,)) if state[1] == (0,) else ((0,), state[1] + more)

    def answer(state: Any) -> Any:
        if state == "start":
            return None
        return state[0] > 0 if state[1] == (0,) else state[1] > 0 and state[1] != 5000

    assert decide(model, Fold("start", step, answer)).verdict != "equal"


def test_a_compiled_inequality_is_decided_by_invariants():
    """Its fold was refused for a remainder by a number that is no constant, although the formula has no remainder."""
    model = compile("count", "alphabet a b; #left[Q_a] >= #left[Q_b]")
    more = Fold(0, lambda total, letter: total + (1 if letter == "a" else -1), lambda total: total >= 0, each=True)
    assert model.decide(more).verdict == "equal"
    strict = Fold(0, lambda total, letter: total + (1 if letter == "a" else -1), lambda total: total > 0, each=True)
    assert model.decide(strict).word == ("a", "b")


def two_means(values: tuple[int, int], weights: tuple[int, int], act: str) -> sc.Transformer:
    """The sign of a sum of two means of multiples of one unit."""
    built = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    unit = built.feedforward(
        "unit", built.attention("mean", "vote", mask="future"), W1=[[1]], b1=[0], W2=[[1]], activation=act
    )
    means = built.attention(["one", "two"], unit, V=[[value] for value in values], mask="future")
    built.readout("sign", "last", means, weights=weights)
    return built.build("two means")


def ever_above(word: str) -> bool:
    """Whether some prefix has more a than b."""
    return any(word[:k].count("a") > word[:k].count("b") for k in range(1, len(word) + 1))


def test_means_that_share_a_flag_are_different_numbers() -> None:
    """The mean of u and that of 2 u are above 0 on the same strings: 2 times the first minus the second is always 0."""
    wrong = list[Any]()
    for values in ((1, 2), (2, 1), (1, -1), (-3, 2), (1, 1)):
        for weights, act in itertools.product(((1, -1), (2, -1), (1, 1), (-1, -2)), ("relu", "step")):
            model = two_means(values, weights, act)
            total = sum(v * w for v, w in zip(values, weights, strict=True))
            machine = Counting(model)
            for n in range(1, 6):
                for word in map("".join, itertools.product("ab", repeat=n)):
                    state = machine.initial
                    for letter in word:
                        state = machine.step(state, letter)
                    right = total > 0 and ever_above(word)  # the sum is that times the mean of the unit
                    if machine.answer(state) != right:
                        wrong.append((values, weights, act, word))
    assert not wrong, wrong[:5]


def test_a_multiple_of_a_mean_is_decided() -> None:
    ever = Fold((0, False), ever_step, ever_answer)
    never = Fold(0, never_step, never_answer)
    accepts_nothing = two_means((1, 2), (2, -1), "relu")
    assert not accepts_nothing.run("a").accept
    found = decide(accepts_nothing, ever)
    assert (found.verdict, found.counterexample) == ("different", "a")
    assert decide(accepts_nothing, never).verdict == "equal"
    assert decide(two_means((1, 2), (1, 1), "relu"), ever).verdict == "equal"


def ever_step(state: Any, letter: str) -> Any:
    total = state[0] + 1 if letter == "a" else state[0] - 1
    return total, state[1] or total > 0


def ever_answer(state: Any) -> bool:
    return state[1]


def never_step(state: Any, letter: str) -> Any:
    return 0


def never_answer(state: Any) -> bool:
    return False


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("position", ["first", "all"])
def test_a_compiled_model_with_another_readout_is_not_its_program(position: str) -> None:
    """Majority with a readout at the first position, or one for all of them, was decided as its program at the last:
    the specification was EQUAL to a model that differs from it on ab, or on baa."""
    majority = sc.compile("count", "#left[Q_a] > #left[Q_b]", alphabet="ab")
    model = replace(majority, readout=replace(majority.readout, position=position))
    more = sc.Fold(0, lambda state, letter: state + 1 if letter == "a" else state - 1, lambda state: state > 0)
    wrong = "ab" if position == "first" else "baa"
    assert model.run(wrong).accept is not more(wrong)
    last = replace(majority, readout=replace(majority.readout, position="last"))
    assert last.decide(more).verdict == "equal"
    for answer in (model.decide(more), last.decide(model)):
        assert answer.verdict == "refused", answer
