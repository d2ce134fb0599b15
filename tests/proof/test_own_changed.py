"""Statements about the run on a string with one symbol changed: changed(p, a).accept, with the model's runs as the
truth."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from proof.statement_truth import program
from shared import call, document, refused
from test_own_renamed import drawn_model, runs, votes

import symcook as sc
from symcook.errors import BadInput
from symcook.model.expr import parse_formula
from symcook.model.modelfile import to_document
from symcook.proof.claims.byautomata import placed
from symcook.proof.claims.byautomata.regular import Regular
from symcook.proof.claims.bycounts.problem import OutsideFragment, problem
from symcook.proof.claims.decision import decide
from symcook.proof.statements import certify
from symcook.proof.statements.shortruns import Runs


def has_a(**ends: str) -> sc.Transformer:
    """Accepts where an a stands."""
    words = {end: {} for end in ends.values()} | {symbol: {"x": int(symbol == "a")} for symbol in "ab"}
    b = sc.Builder(words=words, start=0 if ends else 1, **ends)
    b.readout("sign", "last", b.add(sc.head(value={"y": "x"}, mask="none")), weights=[1])
    return b.build("has_a")


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("model, sentence, status, shown", [
    (votes(), "abs(mean(n) - changed(p, b).mean(n)) <= 2/n", "PROVED", None),
    (votes(), "abs(mean(n) - changed(p, b).mean(n)) < 2/n", "REFUTED", "a at p = 1"),
    (votes(b=-2), "abs(mean(n) - changed(p, b).mean(n)) <= 2/n", "REFUTED", "a at p = 1"),
    (votes(), "all i in 1..n. changed(i, b).accept -> accept", "PROVED", None),
    (votes(), "at(b, p) -> changed(p, a).mean(n) = changed(p, c).mean(n) + 1/n", "PROVED", None),
    (votes(), "changed(n, a).at(a, n) & changed(p, a).count(a) = count(a) + 1 - I[at(a, p)]", "PROVED", None),
    (has_a(), "accept & ~changed(p, b).accept -> first(a) = p & last(a) = p", "PROVED", None),
    (has_a(), "changed(p, a).first(a) <= p", "PROVED", None),  # the first a stands at p, or before it
    (has_a(), "changed(p, a).first(a) <= p & (changed(p, a).first(a) < p -> at(a, p))", "REFUTED", "ab at p = 2"),
    (has_a(), "p != 1 -> (accept <-> changed(p, b).accept)", "REFUTED", "ba at p = 2"),
    (has_a(before="^", after="$"), "accept & ~changed(p, b).accept -> first(a) = p", "PROVED", None),
    (has_a(before="^", after="$"), "accept -> first(a) < p | changed(p, b).accept", "REFUTED", "a at p = 1"),
    (has_a(), "changed(p, a).at(a, p) & ~changed(p, b).at(a, p)", "PROVED", None),
])  # fmt: skip
def test_statements(model: sc.Transformer, sentence: str, status: str, shown: Any) -> None:
    found = model.prove(sentence, seconds=120)
    assert (found.status, found.shown) == (status, shown)
    assert found.certificate is not None


def test_of_a_statement_that_is_decided_true_the_missing_step_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placed, "MOST_STEPS", 3)
    claim = certify.claim(to_document(has_a()), "changed(p, a).first(a) <= p")
    found = decide(claim, certify.library(claim, certify.citable())).unconfirmed
    assert found.true and re.fullmatch(r"\d+ states; the search needs more than 3 steps of work", found.outside or "")


def statements(model: sc.Transformer, a: str) -> dict[str, Callable[[Any, Any, int, tuple[str, ...]], bool]]:
    """Statements, and whether each is true of a run and the run with `a` at a position, which is counted from 0 among
    the typed symbols."""
    start = model.embedding.start
    places = f"all i in {start}..{'n - 1' if start == 0 else 'n'}."
    each = model.readout.position == "each"
    accept, theirs = (f"{changed}accept{'(i)' * each}" for changed in ("", f"changed(p, {a})."))
    head = places if each else ""
    begin = start + len(model.embedding.ends[0])
    return {
        f"{head} {accept} <-> {theirs}": lambda x, y, p, w: x[0] == y[0],
        f"{head} {theirs} -> {accept}": lambda x, y, p, w: all(u or not v for u, v in zip(x[0], y[0], strict=True)),
        f"{places} g(i) = changed(p, {a}).g(i) | i = p": lambda x, y, p, w: all(
            u == v or i == p + begin for i, (u, v) in enumerate(zip(x[1]["g"], y[1]["g"], strict=True), start)
        ),
        f"at({a}, p) | {places} changed(p, {a}).f(i) <= f(i)": lambda x, y, p, w: (
            w[p] == a or all(v <= u for u, v in zip(x[1]["f"], y[1]["f"], strict=True))
        ),
    }


@pytest.mark.sweep
def test_decisions_and_tried_strings_are_what_the_model_does() -> None:
    """All strings up to length 5, or 4 of three symbols, with each position changed."""
    decided = {True: 0, False: 0}
    for seed in range(8):
        model, _ = drawn_model(random.Random(seed))
        have, a = runs(model, 7 - len(model.alphabet)), model.alphabet[seed % 2]
        for sentence, true in statements(model, a).items():
            false = next(
                (
                    (w, p)
                    for w in have
                    for p in range(len(w))
                    if not true(have[w], have[(*w[:p], a, *w[p + 1 :])], p, w)
                ),
                None,
            )
            statement = certify.claim(to_document(model), sentence)
            try:
                found = Regular(problem(statement)).decided()
            except OutsideFragment:
                continue
            tokens = list(model.embedding.words or ())
            string = found.string and tuple(model.embedding.typed([tokens[k] for k in found.string]))
            if string is None or len(string) <= 7 - len(model.alphabet):
                assert (found.true, string) == (false is None, false and false[0]), (seed, sentence)
            decided[found.true] += 1
            if seed % 4 == 0:
                tried = Runs(statement, to_document(model)).tried(3)
                if false is None or len(false[0]) > 3 - sum(map(len, model.embedding.ends)):
                    assert tried.word is None, (seed, sentence)
                else:
                    begin = model.embedding.start + len(model.embedding.ends[0])
                    assert (tried.word, tried.places) == (false[0], {"p": false[1] + begin}), (seed, sentence)
    assert min(decided.values()) > 5, decided


def test_the_premises_are_the_run_on_the_changed_string_and_nothing_near_it() -> None:
    """With one value of the second run changed a premise fails, and where p is no place of a typed symbol."""
    model = votes("ab", start=0, before="^", after="$")
    statement = certify.claim(to_document(model), "accept <-> changed(p, b).accept")
    *premises, said = statement.text.partition(". ")[2].split(" -> ")
    for word, p in (
        (w, p) for n in range(1, 4) for w in map("".join, itertools.product("ab", repeat=n)) for p in range(n)
    ):
        given: dict[str, Any] = {}
        other = f"{word[:p]}b{word[p + 1 :]}"
        for stem, typed in (("", word), ("changed_", other)):
            vote = [Fraction({"a": 1, "b": -1}.get(x, 0)) for x in f"^{typed}$"]
            given |= {f"{stem}vote": vote, f"{stem}mean": [sum(vote) / len(vote)] * len(vote)}
        given["w"] = [Fraction(list(model.embedding.words or ()).index(x)) for x in f"^{word}$"]
        given = {name: dict(enumerate(x)) for name, x in given.items()}
        given |= {"n": Fraction(len(word) + 2), "p": Fraction(p + 1)}

        def true(part: str, env: Any) -> bool:
            return program(parse_formula(part), tuple(sorted(env)))(env, {}, None, None)

        assert all(true(part, given) for part in premises), (word, p)
        assert true(said, given) is (model.run(word).accept is model.run(other).accept)
        for name, i in itertools.product(("changed_vote", "changed_mean"), range(len(word) + 2)):
            near = given | {name: given[name] | {i: given[name][i] + 2}}
            assert not all(true(part, near) for part in premises), (word, name, i)
        for place in (0, len(word) + 1):
            assert not true(premises[0], given | {"p": Fraction(place)})


@pytest.mark.parametrize("sentence, said", [
    ("accept -> changed(p, x).accept", "column 11, 'changed(p, x)': 'x' is not a symbol of the strings"),
    ("changed(p).accept", "changed takes a position and a symbol, as in changed(p, a).accept"),
    ("changed(a->b, b->a).accept", "changed takes a position and a symbol"),
    ("changed(2*p, a).accept", "changed takes a position and a symbol"),
    ("changed(vote, a).accept", "'vote' has a meaning in statements; call the position by another name"),
    ("changed(w, a).accept", "'w' has a meaning in statements"),
    ("changed(a, b).accept", "'a' has a meaning in statements"),
    ("changed(p, '^').accept", "'^' is not a symbol of the strings"),
    ("ex p in 1..n. changed(p, a).accept", "the name 'p' is bound twice"),
    ("changed (p, a).accept", "column 1, 'changed (p, a).accept': for the string with an a at position p"),
    ("changed(p, a).acept", "the name 'changed(p, a).acept' is unknown here"),
    ('changed(p, a).matches("a")', "matches is about the string, as it is typed; write it without changed(p, a)."),
    ("q = 1 & changed(p, a).accept", "the name 'q' is unknown here"),
])  # fmt: skip
def test_mistakes_get_a_sentence_with_the_column(sentence: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        certify.claim(to_document(votes(start=0, before="^")), sentence)
    assert said in str(caught.value)


def test_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    votes().save("votes.json")
    said = "abs(mean(n) - changed(p, b).mean(n)) <= 2/n"
    code, out, _ = call(capsys, "prove", "votes.json", "--statement", said)
    assert code == 0 and out.startswith(f"PROVED  {said}\n")
    assert call(capsys, "prove", "votes.json")[0] == 0
    wrong = ("prove", "votes.json", "--statement", "accept -> changed(p, b).accept", "--force")
    code, out, _ = call(capsys, *wrong)
    assert code == 1 and "False of     a at p = 1\n" in out
    found = document(capsys, *wrong, code=1)
    assert (found["word"], found["places"]) == (["a"], {"p": 1})
    refused(capsys, "prove", "votes.json", "--statement", "changed(p, x).accept")


def _stepped(letters: str) -> sc.Transformer:
    """A model without heads, whose statement binds no j and no k of its own."""
    b = sc.Builder(words={letter: {"x": int(letter == "a")} for letter in letters})
    b.readout("sign", "last", b.add(sc.feedforward(g="step(x)")), weights=[1])
    return b.build("stepped")


def _averaged(rows: dict[str, int]) -> sc.Transformer:
    b = sc.Builder(words={symbol: {"x": value} for symbol, value in rows.items()})
    b.readout("sign", "last", b.add(sc.head(value={"g": "x"}, mask="none")), weights=[1])
    return b.build("averaged")


ALIKE, QUOTES = _averaged({"a": 1, "b": 1, "c": 1}), _averaged({"a": 1, "a'": 0, "b": 0})


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("model", "statement", "word"),
    [
        # a position that is called like what the texts of first and last bind: "ba" at 2, "aa" at 1
        (_stepped("abc"), "changed(j, a).first(a) = 1", "ba"),
        (_stepped("abc"), "changed(j, b).last(b) = n", "aa"),
        (_stepped("ab"), "changed(k, b).first(a) = n + 1", "aa"),
        (_stepped("ab"), "all i in 1..n. changed(i, a).first(a) = 1", "ba"),
        # two renamings under which the model is the same: of "b" the first has an a, the second none
        (ALIKE, "renamed(a->b, b->a).count(a) = renamed(a->c, c->a).count(a)", "b"),
        (ALIKE, "renamed(a->b,b->a).accept & renamed(a->c, c->a).count(a) = count(b)", "b"),
        # symbols that have quotes in them
        (QUOTES, """changed(p, "a'").at(a, p)""", "a"),
        (QUOTES, """renamed("a'"->b, b->"a'").count(b) = count(b)""", "a'"),
        (_averaged({'"a"': 1, "a": 0}), """changed(p, '"a"').at(a, p)""", '"a"'),
    ],
)
def test_names_and_strings_that_were_taken_for_others(model: sc.Transformer, statement: str, word: str) -> None:
    found = model.prove(statement, seconds=60)
    assert (found.status, found.counterexample) == ("REFUTED", word)


def test_a_renamed_run_of_the_same_weights_is_not_that_of_the_other_model() -> None:
    found = ALIKE.prove("other.accept & renamed(a->b, b->a).count(a) = count(b)", seconds=60, other=ALIKE)
    assert found.status == "PROVED"
    found = ALIKE.prove("other.accept & renamed(a->b, b->a).count(a) = count(c)", seconds=60, other=ALIKE)
    assert found.status == "REFUTED"
