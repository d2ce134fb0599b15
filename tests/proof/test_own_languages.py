"""Statements about languages: their verdicts beside runs on all short strings, and near misses that stay false."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from functools import cache
from itertools import product

import pytest

import symcook as sc
from symcook.proof.search.attempts import Failed
from symcook.proof.statements import languages
from symcook.proof.statements.proving import document_of
from symcook.recipes import build


@cache
def votes() -> sc.Transformer:
    """Accepts strings with more a's than b's."""
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    b.add(sc.head(value={"mean": "vote"}, mask="causal"))
    b.readout("sign", "last", "mean", weights=[1])
    return b.build("votes")


@cache
def half() -> sc.Transformer:
    """Accepts strings with twice as many a's as b's, or more, and reads a token before them."""
    b = sc.Builder(words={"a": {"x": 1}, "b": {"x": -2}, "$": {}}, before="$")
    b.add(sc.head(value={"mean": "x"}, mask="causal"))
    b.readout("sign", "last", "mean", weights=[-1])
    return b.build("half")


@cache
def labelled() -> sc.Transformer:
    """Answers by the last symbol: p, q or r."""
    b = sc.Builder(words={"a": {"x": 1}, "b": {"y": 1}, "c": {"z": 1}})
    b.readout("largest", "last", ("x", "y", "z"), weights=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], labels=["p", "q", "r"])
    return b.build("labelled")


class NoVerdict(Exception):
    """`decide` does not read the statement."""


def verdict(model: sc.Transformer, text: str, other: sc.Transformer | None = None) -> languages.LanguageVerdict:
    second = None if other is None else document_of(other, {})
    found = languages.decided(text, document_of(model, {}), second, (model, other))
    if isinstance(found, Failed):
        raise NoVerdict(found.why)
    return found


Atom = tuple[str, Callable[[str], bool]]


def atoms(model: sc.Transformer) -> list[Atom]:
    """Conditions as a statement writes them, each beside a function of the string that shares nothing with it."""
    a, b = model.alphabet[:2]
    added = model.embedding.added
    first, last = ("0", "n - 1") if model.embedding.start == 0 else ("1", "n")
    first = str(int(first) + added)
    regex = f"({re.escape(a)}{re.escape(b)})*{re.escape(a)}?"
    return [
        ("accept", lambda s: model.run(s).holds is True),
        (f'matches("{regex}")', lambda s: re.fullmatch(regex, s) is not None),
        (f'count("{a}") <= count("{b}") + 1', lambda s: s.count(a) <= s.count(b) + 1),
        (f'2*count("{a}") = n', lambda s: 2 * s.count(a) == len(s) + added),
        ("n mod 3 = 2", lambda s: (len(s) + added) % 3 == 2),
        (f'count("{b}") mod 2 = 1', lambda s: s.count(b) % 2 == 1),
        (f'at("{a}", {last})', lambda s: s[-1:] == a),
        (f'at("{b}", {first})', lambda s: s[:1] == b),
        (f'(all i in {first}..{last}. ~at("{b}", i))', lambda s: b not in s),
        (f'(ex i in {first}..{last}. at("{b}", i) | at("{b}", i))', lambda s: b in s),
    ]


def drawn(draw: random.Random, pool: list[Atom], depth: int) -> Atom:
    """A formula from the conditions, with its truth."""
    if depth == 0:
        return pool[0] if draw.random() < 0.4 else draw.choice(pool)
    (one, first), (two, second) = drawn(draw, pool, depth - 1), drawn(draw, pool, depth - 1)
    sign = draw.choice(["&", "|", "->", "<->", "~"])
    if sign == "~":
        return f"~({one})", lambda s: not first(s)
    truth: dict[str, Callable[[str], bool]] = {
        "&": lambda s: first(s) and second(s),
        "|": lambda s: first(s) or second(s),
        "->": lambda s: second(s) or not first(s),
        "<->": lambda s: first(s) == second(s),
    }
    return f"({one}) {sign} ({two})", truth[sign]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.layer_one(0, 1, 2, 3)
@pytest.mark.layer_two(every=3)
def test_a_verdict_is_that_of_all_short_strings(seed):
    """A true statement is true of all strings up to length 6; the string of a false one is the first of the shortest.
    """
    draw = random.Random(seed)
    model = [votes, half, lambda: build("dyck-1"), lambda: build("dyck-1-2")][seed % 4]()
    text, truth = drawn(draw, atoms(model), 1 + seed % 2)
    try:
        answer = verdict(model, text)
    except NoVerdict:
        pytest.skip("no verdict")
    strings = ("".join(s) for n in range(not model.embedding.added, 7) for s in product(model.alphabet, repeat=n))
    false = next((s for s in strings if not truth(s)), None)
    if false is None:
        assert answer.word is None or (len(answer.word) > 6 and not truth("".join(answer.word)))
    else:
        assert answer.word is not None and "".join(answer.word) == false


ENDS = [("half", "~at(b, 2)", None), ("half", "n <= 1 | ~at(b, 2) | at(b, 2)", "true"), ("votes", "~at(b, 1)", "b")]


@pytest.mark.parametrize(("name", "text", "expected"), ENDS)
def test_positions_that_the_empty_string_does_not_have(name, text, expected):
    """At such a position any symbol may be: what depends on it is neither true nor false."""
    model = {"half": half, "votes": votes}[name]()
    if expected is None:
        assert (verdict(model, "accept -> " + text).word or None) != ()
    else:
        answer = verdict(model, text)
        assert ("true" if answer.word is None else "".join(answer.word)) == expected


def test_an_open_position_decides_nothing():
    """The model accepts the empty string, which has no second position."""
    model = half()
    assert model.run("").holds in (True, False)
    sign = "accept" if model.run("").holds else "~accept"
    with pytest.raises(NoVerdict, match="position"):
        verdict(model, f"count(a) + count(b) <= 0 & {sign} -> ~at(b, 2)")


@pytest.mark.parametrize(
    ("text", "word"),
    [("answer(p) <-> at(a, n)", None), ("answer(q) | answer(r) <-> ~at(a, n)", None), ("answer(p) -> n = 1", "aa"),
     ("answer(q) -> matches(\"(a|b|c)*b\")", None), ("matches(\"a*\") -> answer(q)", "a"),
     ("answer(r) -> answer(r)", None)],
)  # fmt: skip
def test_three_labels(text, word):
    answer = verdict(labelled(), text)
    assert (answer.word and "".join(answer.word)) == word


def test_two_models():
    """dyck-1-2 accepts less than dyck-1; one of the two counts."""
    deep, whole = build("dyck-1-2"), build("dyck-1")
    assert verdict(deep, "accept -> other.accept", whole).word is None
    assert "".join(verdict(whole, "accept <-> other.accept", deep).word or ()) == "((()))"
    assert verdict(whole, "other.accept -> accept", deep).word is None


@pytest.mark.sweep
def test_a_second_model_is_followed_by_its_program():
    """A majority by hand, which reads a token before the string, beside compiled ones. On the empty string, which the
    compiled ones do not read, nothing is said."""
    compiled = {sign: sc.compile("c-rasp", f"#left[Q_a] {sign} #left[Q_b]", alphabet="ab") for sign in (">", ">=")}
    b = sc.Builder(words={"BOS": {}, "a": {"vote": 1}, "b": {"vote": -1}}, before="BOS")
    b.add(sc.head(value={"mean": "vote"}, mask="causal"))
    b.readout("sign", "last", "mean", weights=[1])
    hand = b.build("hand")
    assert verdict(hand, "accept <-> other.accept", compiled[">"]).word is None
    assert verdict(hand, "accept -> other.accept", compiled[">="]).word is None
    assert verdict(hand, "accept <-> other.accept", compiled[">="]).word == ("a", "b")
    # Without its program, its weights are not followed.
    text, documents = "accept <-> other.accept", (document_of(hand, {}), document_of(compiled[">"], {}))
    assert isinstance(languages.decided(text, *documents, (hand,)), Failed)


SIDED = [
    ("abs(count(a) - count(b)) <= 1", lambda s: abs(s.count("a") - s.count("b")) <= 1),
    ("2*abs(count(a) - 2) = n", lambda s: 2 * abs(s.count("a") - 2) == len(s)),
    ("min(count(a), 2) < count(b)", lambda s: min(s.count("a"), 2) < s.count("b")),
    ("3 <= max(count(a), count(b) - 1)", lambda s: max(s.count("a"), s.count("b") - 1) >= 3),
    ("abs(max(count(a), 2) - count(b)) <= 1", lambda s: abs(max(s.count("a"), 2) - s.count("b")) <= 1),
    ("abs(count(a) - 1) + abs(count(b) - 1) = 2", lambda s: abs(s.count("a") - 1) + abs(s.count("b") - 1) == 2),
]


@pytest.mark.parametrize(("text", "truth"), SIDED)
def test_comparisons_with_two_sides(text, truth):
    """The smallest string on which a comparison with abs, min or max is true, and the smallest on which it is not."""
    strings = ["".join(s) for n in range(1, 8) for s in product("ab", repeat=n)]
    for sentence, wanted in ((f"~({text})", True), (text, False)):
        assert "".join(verdict(votes(), sentence).word or ()) == next(s for s in strings if truth(s) is wanted)


@pytest.mark.sweep
def test_a_statement_at_each_position_of_a_causal_model():
    """It is that about the last position, of each prefix; of a model that looks ahead it is not."""
    model = sc.compile("c-rasp", "#left[Q_a] >= #left[Q_b]", alphabet="ab")
    assert verdict(model, "all i in 1..n. accept(i) | ~matches(\"(ab)*\", i)").word is None
    assert verdict(model, "all i in 1..n. accept(i) | ~matches(\"(ab)*b\", i)").word == ("b",)
    assert verdict(model, "all i in 1..n. accept(i) <-> count(b, i) <= count(a, i)").word is None
    for text in ("all i in 1..n. accept(i) | n = 3", "all i in 1..n. accept(i) | count(a) <= 3"):
        with pytest.raises(NoVerdict):
            verdict(model, text)
    # A model whose answers look ahead.
    ahead = sc.compile("c-rasp", "#right[Q_a] >= #right[Q_b]", alphabet="ab")
    with pytest.raises(NoVerdict):
        verdict(ahead, "all i in 1..n. accept(i) <-> count(b, i) <= count(a, i)")


@pytest.mark.sweep
def test_prove_says_what_is_decided():
    """A statement that only `decide` settles is OPEN, with the method; a false one has its smallest string."""
    model = build("dyck-1")
    answer = model.prove('accept -> ~matches("(\\(|\\))*\\(")', seconds=8)
    assert (answer.status, answer.method, answer.holds) == ("OPEN", languages.INVARIANTS, None)
    assert (answer.why or "").startswith("decided true")
    false = model.prove('matches("(\\(\\))*") <-> accept', seconds=8)
    assert (false.status, false.counterexample) == ("REFUTED", "(())")


@pytest.mark.parametrize(
    "text",
    ["ex m:Int. 2*m = n | 2*m = n + 1", "ex m:Int. m*m = count(a)", "all i in 1..n. mean(i) <= 1", "mean(n) <= 1",
     "all i in 1..n. ex j in 1..i. at(a, j)", "count(a)*count(b) >= 0", "(-1)^n <= 1", "count(a, 2) <= n",
     "first(a) = 1", "holds(Q_a, n)", "all i in 1..n - 1. at(a, i)", "abs(count(a)) >= 0", "sum(i, 1, n, i) >= n",
     "1/n <= 1", "n mod 3 < 2", "all i in 1..n. at(a, i) -> i <= n", "accept <-> changed(1, a).accept",
     "vote@0(1) <= 1"],
)  # fmt: skip
def test_what_no_fold_reads_is_left_to_others(text):
    """Each has its reason as one sentence, or a verdict; none is a defect."""
    try:
        assert verdict(votes(), text).word is None or text.startswith("ex")
    except NoVerdict as error:
        assert str(error)


def test_the_answer_at_the_last_symbol_is_not_that_at_a_token_after_it() -> None:
    """At $ the model accepts where the first symbol is a; at a symbol, where this is a or more. Of ba the answer at the
    last symbol is yes, so that it says nothing about the first one: "decided true" was false of bbbbbbbbbbbbbba."""
    words = {"a": {"x": 1}, "b": {"x": -1}, "$": {"y": 1}}
    embedding = sc.Embedding(sc.Space(("x", "y")), words=words, after="$")
    first = sc.Head(("x", "y"), ("y",), [], [], [[1, 0]], mask="causal", weighting="leftmost")
    readout = sc.Readout("sign", "each", ("x", "y"), [[2, "1/2"]])
    model = sc.Transformer("first", embedding, (sc.Layer(sc.SelfAttention((first,))),), readout)
    assert model.run("ba").outputs == [False, True, False] and model.run("ab").outputs == [True, False, True]
    assert verdict(model, '2 <= n & accept(n) -> matches("a(a|b)*")').word is None
    for text in ('2 <= n & accept(n - 1) -> matches("a(a|b)*")', 'accept -> matches("a(a|b)*", n - 1)'):
        with pytest.raises(NoVerdict, match="decide does not know the name"):
            verdict(model, text)


def test_the_positions_of_a_second_run_are_its_own() -> None:
    """With a token before the string, the second model reads the last symbol at n + 1."""
    words = {"a": {"x": 1}, "b": {"x": -1}}
    one, two = (
        sc.Transformer(name, sc.Embedding(sc.Space(("x",)), words=rows, before=before), (),
                       sc.Readout("sign", "each", ("x",), [[1]]))
        for name, rows, before in (("one", words, None), ("two", words | {"$": {}}, "$"))
    )  # fmt: skip
    assert one.run("ab").outputs == [True, False] and two.run("ab").outputs == [False, True, False]
    assert verdict(one, "accept(n) <-> other.accept(n + 1)", two).word is None
    for text in ("accept(n) <-> other.accept(n)", "all i in 1..n. accept(i) <-> other.accept(i)"):
        with pytest.raises(NoVerdict, match=r"decide does not know the name other\.accept"):
            verdict(one, text, two)
