"""Claims about compiled programs that look at one place, proved by the theorem of the program; near misses are not."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import pytest
from shared import second_checker

import symcook as sc
from symcook.model.modelfile import to_document
from symcook.proof import kernel
from symcook.proof.programs import onlyplace
from symcook.proof.programs.byprogram import ByProgram
from symcook.proof.statements import certify
from symcook.proof.statements.facts import Facts

PROGRAMS = {
    "reverse": "other(i) = length - indices(i) - 1\nout(i) = aggregate(select(indices, other, ==), tokens, \"a\")\n",
    "shift": "other(i) = indices(i) - 1\nout(i) = aggregate(select(indices, other, ==), tokens, \"a\")\n",
    "next": "other(i) = indices(i) + 2\nout(i) = aggregate(select(indices, other, ==), tokens, \"b\")\n",
}


@cache
def program(name: str) -> sc.Transformer:
    return sc.compile("srasp", f"alphabet a b;\n{PROGRAMS[name]}", name=name)


def output(name: str, word: str) -> str:
    """The output of a program, by slices."""
    return {"reverse": word[::-1], "shift": f"a{word[:-1]}", "next": f"{word[2:]}bb"[: len(word)]}[name]


def by_lookups(name: str, sentence: str, seconds: float = 4) -> tuple[certify.Statement, list] | None:
    """The reduced statement with its proof; None without one."""
    model = program(name)
    statement = certify.claim(to_document(model), sentence)
    reduction = ByProgram(model, to_document(model)).reduction(statement)
    assert reduction is not None
    nodes = onlyplace.search(reduction.statement, seconds)
    return None if nodes is None else (reduction.statement, nodes)


TRUE = [
    ("reverse", "all i in 1..n. answer(a, i) <-> at(a, n + 1 - i)",
     lambda w, o: all((o[i] == "a") == (w[len(w) - 1 - i] == "a") for i in range(len(w)))),
    ("reverse", "answer(a) <-> at(a, 1)", lambda w, o: (o[-1] == "a") == (w[0] == "a")),
    ("shift", "all i in 2..n. answer(b, i) <-> at(b, i - 1)",
     lambda w, o: all((o[i] == "b") == (w[i - 1] == "b") for i in range(1, len(w)))),
    ("shift", "answer(a, 1)", lambda w, o: o[0] == "a"),
    ("shift", "all i in 1..n. answer(b, i) -> 2 <= i & at(b, i - 1)",
     lambda w, o: all(o[i] != "b" or (i >= 1 and w[i - 1] == "b") for i in range(len(w)))),
    ("next", "all i in 1..n - 2. answer(a, i) <-> at(a, i + 2)",
     lambda w, o: all((o[i] == "a") == (w[i + 2] == "a") for i in range(len(w) - 2))),
    ("next", "answer(b)", lambda w, o: o[-1] == "b"),
]  # fmt: skip
NEAR = [
    ("reverse", "all i in 1..n. answer(a, i) <-> at(a, i)"),
    ("shift", "answer(b, 1)"),
    ("shift", "all i in 1..n. answer(a, i) -> 2 <= i & at(a, i - 1)"),
    ("next", "all i in 1..n - 1. answer(a, i) <-> at(a, i + 1)"),
    ("next", "all i in 1..n. answer(a, i) -> i <= n - 3"),
]


@pytest.mark.layer_one(1, 3)
@pytest.mark.parametrize(("name", "sentence", "oracle"), TRUE)
def test_lookups_are_proved(name, sentence, oracle):
    words = ["".join(w) for n in range(1, 6) for w in itertools.product("ab", repeat=n)]
    assert all(oracle(w, output(name, w)) for w in words)
    found = by_lookups(name, sentence)
    assert found is not None
    statement, nodes = found
    lemmas = certify.library(statement, certify.citable()).facts
    assert kernel.check(statement.formula, nodes, lemmas=lemmas, known=statement.known)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("name", "sentence"), NEAR)
def test_false_claims_about_lookups_are_not_proved(name, sentence):
    assert by_lookups(name, sentence, 0.6) is None


def test_the_places_of_lookups():
    """What is read of a program: the place, by i and n."""
    for name, place in (("reverse", "n + 1 - i"), ("shift", "i - 1"), ("next", "i + 2")):
        model = program(name)
        statement = certify.claim(to_document(model), "answer(a)")
        reduction = ByProgram(model, to_document(model)).reduction(statement)
        assert reduction is not None
        (lookup,) = onlyplace.lookups(Facts(reduction.statement))
        assert onlyplace.nf(lookup.place) == onlyplace.nf(onlyplace.place_term(place))


def test_a_place_that_depends_on_symbols_is_no_lookup():
    """The condition reads a sum, whose bound position is not unfolded."""
    ups = 'ups(i) = psum j [j <= i] map(in(j); "a": 1, else: 0)'
    lines = f"{ups}\nlate(i) = right j [j <= i, ups(j) = ups(i)] true : false\n"
    model = sc.compile("srasp", f"alphabet a b;\n{lines}", name="late")
    statement = certify.claim(to_document(model), "accept")
    reduction = ByProgram(model, to_document(model)).reduction(statement)
    assert reduction is not None and onlyplace.lookups(Facts(reduction.statement)) == []


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "sentence", "oracle"), TRUE)
@pytest.mark.layer_two(every=5)
def test_both_checkers_accept_claims_about_lookups(name, sentence, oracle, tmp_path: Path):
    model = program(name)
    answer = model.prove(sentence, seconds=20)
    assert answer.status == "PROVED" and answer.certificate is not None
    done = second_checker(tmp_path, certify.claim(to_document(model), sentence), answer.certificate)
    assert done.returncode == 0 and "OPEN" not in done.stdout
