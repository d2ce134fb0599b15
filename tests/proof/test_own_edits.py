"""Statements about the run on an edited string, such as appended(a).accept, with the model's own runs as the truth."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from proof.statement_truth import program
from shared import second_checker
from test_own_changed import has_a
from test_own_renamed import drawn_model, votes

import symcook as sc
from symcook.errors import BadInput
from symcook.model.expr import parse_formula
from symcook.model.modelfile import to_document
from symcook.proof.statements import certify
from symcook.proof.statements.secondrun import EDITS
from symcook.proof.statements.shortruns import Runs

Word = tuple[str, ...]
Edit = Callable[[list[str], Sequence[int]], list[str]]
"""From the typed symbols and the indices of the positions: the typed symbols of the second string."""


def exchanged(w: list[str], at: Sequence[int]) -> list[str]:
    w[at[0]], w[at[1]] = w[at[1]], w[at[0]]
    return w


CASES: dict[str, tuple[int, Edit]] = {
    "swapped(p, q)": (2, exchanged),
    "appended(A, B)": (0, lambda w, _: [*w, "A", "B"]),
    "prepended(A, B)": (0, lambda w, _: ["A", "B", *w]),
    "deleted(p)": (1, lambda w, at: w[: at[0]] + w[at[0] + 1 :]),
    "prefix(p)": (1, lambda w, at: w[: at[0] + 1]),
    "permuted": (1, lambda w, at: exchanged(w, (at[0], at[0] + 1))),
}
"""By prefix, with A and B for two symbols: the number of its positions, and the string that it names."""


def edits(word: Word, many: int, edit: Edit, symbols: Sequence[str]) -> Iterator[tuple[tuple[int, ...], Word]]:
    """Each choice of positions, with the second string; where there is one."""
    for at in itertools.product(range(len(word)), repeat=many):
        try:
            made = edit(list(word), at)
        except IndexError:
            continue
        yield at, tuple({"A": symbols[0], "B": symbols[-1]}.get(symbol, symbol) for symbol in made)


def ends(model: sc.Transformer) -> int:
    return sum(map(len, model.embedding.ends))


def values(model: sc.Transformer, word: Word) -> dict[str, dict[int, Fraction]]:
    """The last values of the coordinates, by position."""
    coordinates = model.run(list(word), trace=True).trace[-1]["coordinates"]
    start = model.embedding.start
    return {name: dict(enumerate(map(Fraction, map(str, x)), start)) for name, x in coordinates.items()}


@pytest.mark.parametrize("prefix", CASES)
@pytest.mark.parametrize("model", [votes("ab"), votes("ab", start=0, before="^", after="$"), votes("ba", after="$")])
def test_the_premises_are_the_run_on_the_edited_string_and_nothing_near_it(model: sc.Transformer, prefix: str) -> None:
    many, edit = CASES[prefix]
    start, (before, _) = model.embedding.start, model.embedding.ends
    said = prefix.replace("A", "a").replace("B", "b")
    statement = certify.claim(to_document(model), f"accept <-> {said}.accept")
    *premises, _ = statement.text.partition(". ")[2].split(" -> ")
    stem = f"{prefix.partition('(')[0]}_"
    words = [w for size in range(4) for w in itertools.product("ab", repeat=size) if w or ends(model)]
    tokens = list(model.embedding.words or ())

    def true(part: str, env: Any) -> bool:
        return program(parse_formula(part), tuple(sorted(env)))(env, {}, None, None)

    met = 0
    for word in words:
        ended = [*before, *word, *model.embedding.ends[1]]
        for at, other in edits(word, many, edit, "ab"):
            if not other and not ends(model):
                continue
            given: dict[str, Any] = {"n": Fraction(len(ended))}
            given["w"] = {i: Fraction(tokens.index(x)) for i, x in enumerate(ended, start)}
            given |= values(model, word) | {f"{stem}{name}": x for name, x in values(model, other).items()}
            given |= {p: Fraction(k + start + len(before)) for p, k in zip("pq", at, strict=False)}
            assert all(true(part, given) for part in premises), (word, at)
            met += 1
            for name, i in itertools.product((f"{stem}vote", f"{stem}mean"), given[f"{stem}mean"]):
                near = given | {name: given[name] | {i: given[name][i] + 2}}
                assert not all(true(part, near) for part in premises), (word, name, i)
            if many:
                assert not true(premises[0], given | {"p": Fraction(start + len(before) - 1)})
    assert met > 4


def statements(prefix: str, start: int) -> dict[str, Callable[[Any, Any, Word], bool]]:
    """Statements, and whether each is true of the runs on both strings and of the second string."""
    last = "n - 1" if start == 0 else "n"
    more = {"appended": "+ 2", "prepended": "+ 2", "deleted": "- 1"}.get(prefix.partition("(")[0])
    end = more and f"{last} {more}"
    made = {
        f"{prefix}.accept -> accept": lambda x, y, w: x[0] or not y[0],
        f"accept -> {prefix}.accept": lambda x, y, w: y[0] or not x[0],
        f"{prefix}.count(A) <= 1": lambda x, y, w: w.count("A") <= 1,
    }
    if end is not None:
        made[f"{prefix}.g({end}) <= 1/2"] = lambda x, y, w: 2 * y[1] <= 1
    return made


@pytest.mark.layer_two(1, 2, 5, 6, 7, 8)
@pytest.mark.parametrize("seed", range(16))
@pytest.mark.sweep
def test_tried_strings_are_what_the_model_does(seed: int) -> None:
    """Drawn models, with all strings up to length 3 (2 in layer one) and all positions."""
    longest = 3 if seed else 2
    model, _ = drawn_model(random.Random(seed))
    symbols, tokens = model.alphabet, set[bool]()
    begin = model.embedding.start + len(model.embedding.ends[0])

    def run(word: Word) -> tuple[bool, Fraction]:
        found, g = model.run(list(word), trace=True), values(model, word)["g"]
        read = values(model, word)[model.readout.reads[0]]
        each = Fraction(str(model.readout.weights[0])) * read[max(read)] > 0
        return each if model.readout.position == "each" else bool(found.accept), g[max(g)]

    for prefix in [*CASES][seed % 2 :: 2]:
        many, edit = CASES[prefix]
        if prefix == "permuted":
            continue
        words = [w for size in range(longest + 1) for w in itertools.product(symbols, repeat=size) if w or ends(model)]
        for sentence, true in statements(prefix, model.embedding.start).items():
            pairs = ((w, at, o) for w in words for at, o in edits(w, many, edit, symbols) if o or ends(model))
            renamed = lambda w: tuple("A" if x == symbols[0] else x for x in w)  # noqa: E731
            false = next(((w, at) for w, at, o in pairs if not true(run(w), run(o), renamed(o))), None)
            said = sentence.replace("A", f'"{symbols[0]}"').replace("B", f'"{symbols[-1]}"')
            tried = Runs(certify.claim(to_document(model), said), to_document(model)).tried(longest + ends(model))
            assert tried.word == (false and false[0]), (seed, said)
            if false is not None:
                assert tried.places == dict(zip("pq", (k + begin for k in false[1]), strict=False)), (seed, said)
                assert not tried.outside
            tokens.add(false is None)
    assert tokens == {True, False} or seed


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("model, sentence, status, shown", [
    (votes(), "accept <-> permuted.accept", "PROVED", None),
    (votes(), "permuted.mean(n) = mean(n) & permuted.count(a) = count(a)", "PROVED", None),
    (votes(), "all i in 1..n. permuted.vote(i) = vote(i)", "REFUTED", "ab at p = 1"),
    (has_a(before="^", after="$"), "n <= 9 -> (permuted.accept -> accept)", "PROVED", None),
    (votes(), "accept -> appended(b).accept", "REFUTED", "a"),
    (votes(), "accept & at(a, p) -> deleted(p).accept", "REFUTED", "ac at p = 1"),
    (has_a(), "accept -> prefix(p).accept", "REFUTED", "ba at p = 1"),
    (has_a(), "prepended(b, b).first(a) <= 3", "REFUTED", "b"),
])  # fmt: skip
def test_answers(model: sc.Transformer, sentence: str, status: str, shown: Any) -> None:
    found = model.prove(sentence, seconds=60)
    assert (found.status, found.shown) == (status, shown)
    assert found.certificate is not None


@pytest.mark.sweep
def test_the_second_checker_accepts_the_certificates(tmp_path: Path) -> None:
    for sentence in ("accept <-> permuted.accept", "all i in 1..n. all j in 1..n. weight(1, 1, i, j) = 1/n"):
        found = votes().prove(sentence, seconds=60)
        assert found.certificate is not None
        assert "PROVED   own.votes " in second_checker(tmp_path, found.claim, found.certificate).stdout


def refusing() -> sc.Transformer:
    """A model with a norm that refuses strings without variance."""
    norm = sc.LayerNorm(("x", "y"), ("x", "y"), (1, 1), (0, 0), zero_variance="refuse")
    embedding = sc.Embedding(sc.Space(("x", "y")), words={"a": {"x": 1}, "b": {"y": 1}})
    readout = sc.Readout("sign", "last", ("x",), weights=[1])
    return sc.Transformer("refusing", embedding, (), readout, final_norm=norm)


def test_two_positions_are_bound_at_the_beginning() -> None:
    """Their ranges are premises, in order; the second may be about the first position."""
    for high, body in (("1", "(swapped(p, q).accept <-> accept)"), ("p", "swapped(p, q).mean(n) = mean(n)")):
        bound = f"all p in 1..n. all q in {high}..n. {body}"
        free = f"1 <= p & p <= n -> {high} <= q & q <= n -> {body}"
        one, two = (certify.claim(to_document(votes()), said).formula for said in (bound, free))
        assert one == two
    found = votes().prove("all p in 1..n. all q in 1..n. swapped(p, q).vote(1) = vote(1)", seconds=60)
    assert (found.status, found.shown) == ("REFUTED", "ab at p = 1, q = 2")


@pytest.mark.parametrize("sentence, said", [
    ("ex p in 1..n. deleted(p).accept", "the statement is about each position p, so begin it with all p in 1..n."),
    ("all p in 1..1. all p in 1..n. (prefix(p).accept -> at(a, 1))", "the name 'p' is bound twice"),
    ("all q in p..n. all p in 1..n. swapped(p, q).accept", "the name 'p' stands in a range before it is bound"),
    ("all p in 1..p. prefix(p).accept -> at(a, 1)", "the name 'p' stands in a range before it is bound"),
    ("prefix(2*p).accept -> accept", "name another position first, as q = 2*p -> prefix(q).NAME"),
    ("accept -> at(a, 1) | permuted.accept", "must compare a value with the same value of the permuted string"),
    ("at(a, 1) -> (accept <-> permuted.accept)", "must compare a value with the same value of the permuted string"),
    ("accept <-> ~permuted.accept", "must compare a value with the same value of the permuted string"),
    ("permuted.mean(n) < mean(n)", "must compare a value with the same value of the permuted string"),
    ("permuted.mean(n) = permuted.vote(n)", "must compare a value with the same value of the permuted string"),
    ("appended().accept", "appended takes symbols; for the string with an a after it write appended(a).NAME"),
    ("appended(x).accept", "'x' is not a symbol of the strings"),
    ("swapped(p).accept", "swapped takes two positions; for the string with the symbols at p and q"),
    ("deleted(p + q).accept", "deleted takes a position; for the string without the symbol at position p"),
    ("swapped(vote, q).accept", "'vote' has a meaning in statements"),
    ("permuted(p).accept", "write permuted.NAME"),
    ("prefix(p)", "for the string up to position p write prefix(p).NAME"),
    ('prefix(p).matches("a")', "matches is about the string, as it is typed"),
])  # fmt: skip
def test_mistakes_get_a_sentence_with_the_column(sentence: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        certify.claim(to_document(votes()), sentence)
    assert said in str(caught.value) and "column " in str(caught.value)


def test_a_norm_that_refuses_strings_has_no_permuted_string() -> None:
    with pytest.raises(BadInput, match="a norm refuses them"):
        certify.claim(to_document(refusing()), "accept <-> permuted.accept")


def test_a_coordinate_of_an_old_model_wins_over_a_word() -> None:
    space = sc.Space(tuple(EDITS))
    embedding = sc.Embedding(space, words={"a": {name: 1 for name in EDITS}, "b": {}})
    model = sc.Transformer("old", embedding, (), sc.Readout("sign", "last", ("prefix",), weights=[1]))
    for name in EDITS:
        assert f"all i in 1..n. {name}(i) = I[w(i) = 0]" in certify.claim(to_document(model), f"{name}(n) = 1").text
        prefix = "permuted" if name == "permuted" else f"{name}(1)"
        with pytest.raises(BadInput, match=f"this model has a coordinate or symbol {name}, so that"):
            certify.claim(to_document(model), f"{prefix}.accept -> accept")
