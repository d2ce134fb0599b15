"""Fragment A: regular claims are decided by automata. The truth of each claim comes from exact runs of all short
strings, where the corpus's own reader evaluates the statement."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from checkout import ROOT

import symcook as sc
from symcook.proof.claims.byautomata.regular import Regular, RegularVerdict
from symcook.proof.claims.byautomata.tracks import Tracks, TrackSet
from symcook.proof.claims.bycounts.problem import OutsideFragment, problem
from symcook.proof.claims.decision import COUNTS, REGULAR
from symcook.proof.statements import certify
from symcook.proof.statements.proving import document_of
from symcook.proof.statements.shortruns import Runs


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    from claim_corpus import sentences

    return sentences


def strings(model: sc.Transformer, longest: int) -> Iterator[tuple[str, ...]]:
    for length in range(longest + 1):
        yield from itertools.product(model.alphabet, repeat=length)


def facts_of(reader, model: sc.Transformer, longest: int) -> list:
    """What all strings up to a length have, by exact runs; a string that the model refuses has no run."""
    out = []
    for typed in strings(model, longest):
        try:
            run = model.run(list(typed), trace=True)
        except sc.SymcookError:
            continue
        coordinates = run.trace[-1]["coordinates"]
        values = {name: [Fraction(str(x)) for x in column] for name, column in coordinates.items()}
        tokens = (*model.embedding.ends[0], *typed, *model.embedding.ends[1])
        out.append((typed, reader.Facts(tokens, model.embedding.start, values, [run.accept])))
    return out


def smallest_false(reader, model: sc.Transformer, facts: list, statement: str) -> tuple[str, ...] | None:
    sentence = reader.Sentence(statement, tuple(model.embedding.words))
    return next((typed for typed, one in facts if not sentence.true(one)), None)


def decided(model: sc.Transformer, statement: str) -> RegularVerdict:
    return Regular(problem(certify.claim(document_of(model, {}), statement))).decided()


def typed(model: sc.Transformer, verdict: RegularVerdict) -> tuple[str, ...] | None:
    tokens = list(model.embedding.words)
    return verdict.string and tuple(model.embedding.typed([tokens[k] for k in verdict.string]))


def drawn_model(rng: random.Random) -> sc.Transformer:
    """Two heads and a feed-forward step, at random."""
    ends = {"before": rng.choice((None, "c")), "after": rng.choice((None, None, "d"))}
    words = {"a": {"u": 1, "v": rng.choice((0, 1, 2)), "s": 0}, "b": {"v": rng.choice((1, -1)), "s": 1}}
    words |= {end: {"s": rng.choice((-1, 0))} for end in ends.values() if end}
    b = sc.Builder(words={w: {"one": 1, **row} for w, row in words.items()}, start=rng.randrange(2), **ends)

    def head(name: str, reads: list[str]) -> None:
        score = rng.choice(({}, {("one", "s"): 1}, {("one", "u"): 1}, {("s", "u"): 1}))
        mask = rng.choice(("none", "future", "strict-future", "past", "strict-past"))
        weighting = rng.choice(("average", "leftmost", "rightmost"))
        b.add(sc.head(score=score, value={name: rng.choice(reads)}, mask=mask, weighting=weighting))

    head("f", ["u", "v"])
    b.add(
        sc.feedforward(
            g=rng.choice(("relu(u - f)", "relu(f)", "step(f)", "step(1/2 - f) - step(u - f)", "relu(1 - f)"))
        )
    )
    head("h", ["f", "g", "u"])
    b.readout("sign", rng.choice(("first", "last")), rng.choice(("f", "g", "h")), weights=[rng.choice((1, -1))])
    return b.build("drawn")


def drawn_claim(rng: random.Random, low: int) -> str:
    """A formula with quantified positions, whose terms may lie one position outside of their range only where a guard
    excludes it."""
    last = "n" if low else "n - 1"

    def atom(names: list[tuple[str, str]]) -> str:
        x, before = rng.choice(names)
        place = rng.choice([x, x, *([f"{x} - 1"] if before else [])])
        kind = rng.randrange(8)
        if kind < 3:
            return f"at({rng.choice('ab')}, {place})"
        if kind < 6:
            name = rng.choice("fghuv")
            return f"{name}({place}) {rng.choice(('<', '<=', '=', '>'))} {rng.choice(('0', '0', '1', '1/2'))}"
        if kind == 6:
            return f"{rng.choice(('first', 'last'))}({rng.choice('ab')}) {rng.choice(('<', '<=', '='))} {x}"
        return f"count({rng.choice('ab')}) {rng.choice(('<', '<=', '=', '>='))} {rng.randrange(4)}"

    def formula(depth: int, names: list[tuple[str, str]]) -> str:
        if not depth:
            return atom(names)
        kind = rng.randrange(5)
        if kind == 0:
            return f"~({formula(depth - 1, names)})"
        if kind < 3:
            sign = rng.choice(("&", "|", "->", "<->"))
            return f"(({formula(depth - 1, names)}) {sign} ({formula(depth - 1, names)}))"
        x, far = "ijkl"[len(names)], rng.random() < 0.5
        begin = f"{low + 1}" if far else f"{low}"
        inner = [*names, (x, "before" if far else "")]
        return f"({rng.choice(('all', 'ex'))} {x} in {begin}..{last}. {formula(depth - 1, inner)})"

    body = formula(rng.randrange(1, 4), [(last, "")])
    return rng.choice((body, f"accept -> {body}", f"accept <-> {body}"))


@pytest.mark.sweep
def test_random_claims_are_decided_as_all_short_strings_say(reader) -> None:
    """The string is the smallest; a claim that is called true is true of all strings that are tried."""
    answered = 0
    for seed in range(4):
        rng = random.Random(seed)
        model = drawn_model(rng)
        facts = facts_of(reader, model, 4)
        for _ in range(5):
            statement = drawn_claim(rng, model.embedding.start)
            expected = smallest_false(reader, model, facts, statement)
            try:
                found = decided(model, statement)
            except OutsideFragment:
                continue
            string = typed(model, found)
            assert string == expected or (expected is None and string and len(string) > 4), statement
            assert found.true is (string is None)
            answered += 1
    assert answered >= 12


def built(steps, output: tuple, words=None, **more) -> sc.Transformer:
    b = sc.Builder(words=words or {"a": {"va": 1, "one": 1}, "b": {"vb": 1, "one": 1}}, **more)
    for step in steps:
        b.add(step)
    b.readout(*output[:3], weights=[1])
    return b.build("tried")


def model_of(name: str) -> sc.Transformer:
    mean = sc.head(value={"mean": "va"}, mask="future")
    if name == "mean":
        return built([mean], ("sign", "last", "mean"))
    if name == "from 0, with ends":
        words = {"a": {"va": 1}, "b": {"vb": 1}, "c": {"vb": 1}, "d": {"vb": 1}}
        return built([mean], ("sign", "last", "mean"), words, start=0, before="c", after="d")
    if name == "strict mean":
        return built([sc.head(value={"share": "va"}, mask="strict-future")], ("sign", "last", "share"))
    if name == "two places":
        left = sc.head(value={"left": "va"}, mask="strict-future", weighting="leftmost")
        right = sc.head(value={"right": "va"}, mask="strict-future", weighting="rightmost")
        return built([left, right], ("sign", "last", "right"))
    if name == "all":
        return built([mean], ("sign", "all", "mean"))
    if name == "named like a token":
        return built([sc.head(value={"b": "va"}, mask="future")], ("sign", "last", "b"))
    assert name == "lookup"
    head = sc.head(score={("one", "va"): 1}, value={"found": "place"}, weighting="rightmost", mask="future")
    return built([head], ("sign", "last", "found"), positions={"place": "i"})


CLAIMS = {
    "mean": (
        "count(a) <= 1",  # a sum is no mean
        "mean(n) <= 1 & 0 <= mean(n)",
        "mean(n) = 1 <-> count(b) = 0",
        "accept -> count(a) <= 6",  # the smallest string is longer than what is tried in order
        "accept <-> (ex i in 1..n. at(a, i))",
        "all i in 1..n. all j in 1..i. mean(j) > 0 -> mean(i) > 0",  # two places that may be one
        "all i in 2..n. at(a, i - 1) -> mean(i) > 0",
        "(ex q:Int. n = 2*q) | (ex q:Int. n = 2*q + 1)",  # integers, not positions
        "count(a) mod 2 = 0 -> count(a) != 3",
        "n <= 50 -> count(a) <= 50",
        "first(a) < last(b) -> accept",
        "first(b) <= n | mean(n) = 1",
        "ex i in 1..n. ex j in 1..n. i < j & at(a, i) & at(b, j)",
        "accept & ~accept -> at(a, 1)",
        "holds(since(~Q_b, Q_a), n) -> mean(n) > 0",
    ),
    "from 0, with ends": (
        "count(c) = 1 & count(d) = 1 & 2 <= n",
        "accept <-> 1 <= count(a)",
        "at(c, 0) & at(d, n - 1)",
        "first(a) = 1 -> accept",
        "all i in 1..n - 2. at(a, i)",
    ),
    "strict mean": (
        "share(1) = 0",
        "all i in 2..n. share(i) <= 1 & (share(i) = 1 -> at(a, 1))",
        "all i in 2..n. at(a, 1) & at(b, i) -> 0 < share(i)",
        "accept",
        "all i in 1..n. share(i) = 1 | share(i) < 1/1",
    ),
    "two places": (
        "all i in 2..n. right(i) = 1 <-> at(a, i - 1)",
        "all i in 2..n. left(i) = 1 <-> at(a, 1)",
        "right(1) = 0",
        "all i in 2..n. right(i) = left(i)",
        "accept <-> (ex i in 1..n. i = n - 1 & at(a, i))",
    ),
    "all": ("accept <-> at(a, 1)", "accept -> all i in 1..n. at(a, i)"),
    "named like a token": ('"b"(n) = 0 <-> count(a) = 0', "count(b) = n"),
    "lookup": ("1 <= count(a) -> found(n) = last(a)", "all i in 2..n. found(i - 1) <= found(i)", "found(n) < n"),
}


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", CLAIMS)
def test_claims_at_the_edges(reader, name) -> None:
    """Each is decided, with the smallest string, as all strings up to length 5 say."""
    model = model_of(name)
    facts = facts_of(reader, model, 4)
    for statement in CLAIMS[name]:
        found = decided(model, statement)
        if any(word in statement for word in ("mod", ":Int", "holds", '"')):
            document = document_of(model, {})
            tried = Runs(certify.claim(document, statement), document).tried(4)
            assert tried.word == typed(model, found), statement
            continue
        expected = smallest_false(reader, model, facts, statement)
        string = typed(model, found)
        assert string == expected or (expected is None and string and len(string) > 4), statement


def test_what_lies_outside_of_a_string_decides_nothing() -> None:
    """At n + 1 a function is any number; a norm is not read as a mean; a comparison of counts is none of a bound."""
    for statement in ("all i in 1..n. ~at(a, i + 1)", "2 <= n | mean(n - 1) = 0", "all i in 1..n. mean(i - 1) <= 1"):
        with pytest.raises(OutsideFragment, match="position that no string has"):
            decided(model_of("mean"), statement)
    for statement in (
        "count(a) <= count(b) | count(b) < count(a)",
        "mean(n) <= 1/2 | mean(n) > 1/2",
        "all i in 1..n. at(a, n + 1 - i)",
        "ex x:Real. x = 1",
    ):
        with pytest.raises(OutsideFragment):
            decided(model_of("mean"), statement)


def test_a_damaged_automaton_is_another_set() -> None:
    """What is found is unique: equal sets are one object, a changed atom gives another one."""
    t = Tracks(2)
    some = t.without(t.symbol("x", 0), "x")
    assert some is t.complement(t.without(t.complement(t.less(t.valid("x"), t.symbol("x", 1))), "y", "x")) or some
    assert t.complement(t.complement(some)) is some
    assert t.tallied(t.symbol("x", 0), "x", 1)[1] is some
    assert t.without(t.symbol("x", 1), "x") is not some and t.smallest(some) == (0,)


def _has(a: TrackSet, string: tuple[int, ...], marks: dict[str, int]) -> bool:
    """Whether a set has a string with a position for each track, by the table alone."""
    state = 0
    for place, symbol in enumerate(string):
        bits = sum(1 << k for k, track in enumerate(a.tracks) if marks[track] == place)
        state = int(a.table[state][(symbol << len(a.tracks)) + bits])
    return bool(a.accepting[state])


def test_inclusion_and_common_elements_as_all_short_strings_say() -> None:
    """`inside` and `meet` make no automaton. They agree with the automata of `less` and `both`, and with each string of
    at most three symbols."""
    t, draw = Tracks(2), random.Random(5)
    atoms = [t.symbol("x", 0), t.symbol("y", 1), t.apart("x", "y", 0, False), t.apart("y", "x", 1, True), t.at("x", 2)]
    sets = [*atoms, t.remainder("y", 2, 1), t.nothing, t.valid("x", "y"), t.without(atoms[2], "y")]
    for _ in range(20):
        one, two = draw.sample(sets, 2)
        sets.append(draw.choice([t.both(one, two), t.either(one, two), t.complement(one), t.less(one, two)]))
    inputs = [
        (string, dict(zip("xy", places, strict=True)))
        for n in range(1, 4)
        for string in itertools.product(range(2), repeat=n)
        for places in itertools.product(range(n), repeat=2)
    ]
    held = {a: {k for k, (string, marks) in enumerate(inputs) if _has(a, string, marks)} for a in sets}
    for a, b, c in (draw.sample(sets, 3) for _ in range(150)):
        assert t.inside(a, b) is Tracks.less(t, a, b).empty and (held[a] <= held[b] or not t.inside(a, b))
        assert t.meet(a, b, c) is not t.both(a, b, c).empty and (t.meet(a, b, c) or not held[a] & held[b] & held[c])
    assert t.meet() and not t.meet(t.nothing) and t.inside(t.nothing, t.nothing)


def test_a_set_is_empty_from_at_most_one_state_on() -> None:
    t = Tracks(2)
    assert t.nothing.dead == 0 and t.language.dead == -1
    some = t.symbol("x", 0)
    assert not some.accepting[some.dead] and (some.table[some.dead] == some.dead).all()


SELECTED = {
    ("future", "rightmost"): "all i in LOW..HIGH. c(i) = 1 <-> at(a, i)",
    ("future", "leftmost"): "all i in LOW..HIGH. c(i) = 1 <-> at(a, LOW)",
    ("strict-future", "rightmost"): "all i in LOW + 1..HIGH. c(i) = 1 <-> at(a, i - 1)",
    ("strict-future", "leftmost"): "(all i in LOW + 1..HIGH. c(i) = 1 <-> at(a, LOW)) & c(LOW) = 0",
    ("past", "leftmost"): "all i in LOW..HIGH. c(i) = 1 <-> at(a, i)",
    ("strict-past", "leftmost"): "(all i in LOW..HIGH - 1. c(i) = 1 <-> at(a, i + 1)) & c(HIGH) = 0",
    ("none", "rightmost"): "all i in LOW..HIGH. c(i) = 1 <-> at(a, HIGH)",
}


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize(("mask", "weighting"), SELECTED)
def test_a_head_that_selects_a_position_has_a_certificate(mask, weighting, start) -> None:
    """The procedures decide it, and the checker accepts the proof; one position off it is refuted, by the smallest
    string."""
    statement = SELECTED[mask, weighting].replace("HIGH", "n" if start else "(n - 1)").replace("LOW", str(start))
    head = sc.head(value={"c": "va"}, mask=mask, weighting=weighting)
    model = built([head], ("sign", "last", "c"), start=start)
    answer = model.prove(statement, 30)
    assert (answer.status, answer.method) == ("PROVED", COUNTS), answer.why
    answer = model.prove(statement.replace("at(a,", "at(b,"), 30)
    assert answer.status == "REFUTED" and answer.method == REGULAR and len(answer.word or ()) <= 2


ENDS = ((1, None, None), (0, "c", None), (1, "c", "d"), (0, None, "d"))
"""The first position and the added tokens of a model."""


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("ends", range(len(ENDS)))
def test_expressions_and_remainders(ends) -> None:
    start, before, after = ENDS[ends]
    words = {token: {"u": int(token == "a")} for token in ("a", "b", before, after) if token}
    b = sc.Builder(words=words, start=start, before=before, after=after)
    b.attention("m", reads="u", mask="future")
    b.readout("sign", "last", "m", weights=[1])
    model, added = b.build("some"), (before is not None) + (after is not None)
    last = "n" if start else "n - 1"

    def length(s: str) -> int:
        return len(s) + added

    told: list[tuple[str, Callable[[str], bool]]] = [
        ('accept <-> matches("b*a(a|b)*")', lambda s: ("a" in s) == bool(re.fullmatch("b*a[ab]*", s))),
        ('accept <-> matches("(a|b)*a")', lambda s: ("a" in s) == s.endswith("a")),
        ('matches("(ab)*") -> mod(n, 2) = 0', lambda s: not re.fullmatch("(ab)*", s) or length(s) % 2 == 0),
        ('matches("(a|b)(a|b)") -> mod(n, 3) = 1', lambda s: len(s) != 2 or length(s) % 3 == 1),
        (f'all i in {start}..{last}. matches("b*", i) <-> m(i) = 0', lambda s: True),
        ("mod(2 - n + n, 12) != 1", lambda s: True),
        ("mod(n - n - 1, 2) = 0", lambda s: False),
        ("ex q in 1..n. n = 2*q", lambda s: length(s) % 2 == 0),
        ("(ex q in 1..n. n = 2*q) | (ex q in 0..n. n = 2*q + 1)", lambda s: True),
        ("(ex q in 2..n. n = 2*q) | n <= 3 | mod(n, 2) = 1", lambda s: True),
    ]
    for statement, true in told:
        tried = ("".join(s) for size in range(6) for s in itertools.product("ab", repeat=size) if size + added)
        wrong = next((s for s in tried if not true(s)), None)
        found = decided(model, statement)
        assert found.true == (wrong is None), statement
        assert wrong is None or "".join(typed(model, found) or ()) == wrong, statement


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("seed", range(8))
def test_sums_that_share_positions_times_what_depends_on_the_string(seed: int) -> None:
    """(1 - I[..]/2)*(count(a) + count(a)) has each a twice, also after the product: compared with numbers and by
    remainders, on all strings of at most 6 symbols."""
    rng = random.Random(seed)
    b = sc.Builder(words={"a": {"u": 1}, "b": {"u": -1}})
    b.attention("m", reads="u", mask="future")
    b.readout("sign", "last", "m", weights=[1])
    model = b.build("some")
    sums: list[tuple[str, Callable[[str], int]]] = [
        ("count(a)", lambda s: s.count("a")),
        ("sum(j, 1, n, I[at(a, j)])", lambda s: s.count("a")),
        ("sum(j, 1, n, I[at(a, j) | at(b, j)])", len),
        ("sum(j, 1, n, I[at(b, j)])", lambda s: s.count("b")),
    ]
    factors: list[tuple[str, Callable[[str], Fraction]]] = [
        ("(1 - I[at(a, 1)]/2)", lambda s: 1 - Fraction(s[0] == "a", 2)),
        ("(1 + I[at(b, n)])", lambda s: Fraction(1 + (s[-1] == "b"))),
        ("(I[at(a, n)] + 2*I[at(a, 1)])", lambda s: Fraction((s[-1] == "a") + 2 * (s[0] == "a"))),
    ]
    words, told = ["".join(s) for size in range(1, 7) for s in itertools.product("ab", repeat=size)], 0
    for number in range(3):
        (one, first), (two, second), (times, factor) = rng.choice(sums), rng.choice(sums), rng.choice(factors)
        if seed == number == 0:
            (one, first), (two, second), (times, factor) = sums[0], sums[1], factors[0]
        most, least = rng.choice((1, 2)), rng.choice((1, 2, 3))
        by_remainder = "/2" not in times and number % 2 == 1
        total = f"{times}*({one} + {two})"
        asked = f"mod({total}, 3) = {least % 3}" if by_remainder else f"{total} <= {least}"
        statement = f"count(a) <= {most} -> {asked}"
        values = {s: factor(s) * (first(s) + second(s)) for s in words if s.count("a") <= most}
        false = (s for s, x in values.items() if (x % 3 != least % 3 if by_remainder else x > least))
        wrong = next(false, None)
        try:
            found = decided(model, statement)
        except OutsideFragment:
            continue
        told += 1
        assert found.true == (wrong is None), statement
        assert wrong is None or "".join(typed(model, found) or ()) == wrong, statement
    assert told > 0
