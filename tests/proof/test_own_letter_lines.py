"""Claims about compiled programs, proved without the lines that a symbol determines, and by what is true of every
position; near misses are not proved."""

from __future__ import annotations

import itertools
import re
from functools import cache
from pathlib import Path

import pytest
from shared import second_checker

import symcook as sc
from symcook.model.modelfile import to_document
from symcook.proof.programs import lettervalues
from symcook.proof.programs.byprogram import ByProgram
from symcook.proof.statements import certify

LEAD = """alphabet a b;
ups(i) = psum j [j <= i] map(in(j); "a": 1, else: 0)
downs(i) = psum j [j <= i] map(in(j); "b": 1, else: 0)
wrong(i) = downs(i) > ups(i)
out(i) = right j [j <= i, wrong(j)] false : true
"""


@cache
def compiled(name: str) -> sc.Transformer:
    """`lead`: no prefix has more b's than a's. `thirds`: 3 divides the number of a's."""
    if name == "lead":
        return sc.compile("srasp", LEAD, name=name)
    return sc.compile("c-rasp", "MOD(3, 0)(#left[Q_a])", alphabet="ab", name=name)


def accepts(name: str, word: str) -> bool:
    if name == "lead":
        return all(word[:k].count("b") <= word[:k].count("a") for k in range(len(word) + 1))
    return word.count("a") % 3 == 0


TRUE = [
    ("lead", "accept <-> (all i in 1..n. count(b, i) <= count(a, i))", lambda w, x: x == accepts("lead", w)),
    ("lead", "accept -> count(b) <= count(a)", lambda w, x: not x or w.count("b") <= w.count("a")),
    ("lead", "at(b, 1) -> ~accept", lambda w, x: w[0] != "b" or not x),
    ("thirds", 'accept <-> matches("b*(ab*ab*ab*)*")',
     lambda w, x: x == bool(re.fullmatch("b*(ab*ab*ab*)*", w))),
    ("thirds", 'matches("(aaab)*") -> accept', lambda w, x: not re.fullmatch("(aaab)*", w) or x),
]  # fmt: skip
NEAR = [
    ("lead", "accept <-> count(b) <= count(a)"),
    ("lead", "accept <-> (all i in 1..n. count(b, i) < count(a, i))"),
    ("lead", "(all i in 2..n. count(b, i) <= count(a, i)) -> accept"),
    ("thirds", 'accept <-> matches("b*(ab*ab*)*")'),
    ("thirds", 'matches("(aab)*") -> accept'),
]


def decision(name: str, sentence: str):
    """What the theorem of the program decides."""
    model, document = compiled(name), to_document(compiled(name))
    statement = certify.claim(document, sentence)
    return ByProgram(model, document).decide(statement, certify.library(statement, certify.citable()))


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("name", "sentence", "oracle"), TRUE)
@pytest.mark.layer_two(every=3)
def test_a_claim_about_lines_is_proved(name, sentence, oracle, tmp_path: Path):
    model = compiled(name)
    for word in ("".join(w) for n in range(1, 6) for w in itertools.product("ab", repeat=n)):
        assert model.run(word).accept == accepts(name, word) and oracle(word, accepts(name, word))
    answer = model.prove(sentence, seconds=20)
    assert answer.status == "PROVED" and answer.certificate is not None, answer.why
    done = second_checker(tmp_path, certify.claim(to_document(model), sentence), answer.certificate)
    assert done.returncode == 0 and "OPEN" not in done.stdout


@pytest.mark.layer_one(3)
@pytest.mark.parametrize(("name", "sentence"), NEAR)
@pytest.mark.layer_two(every=2)
def test_a_near_miss_about_lines_is_not_proved(name, sentence):
    assert decision(name, sentence).proved is None
    assert compiled(name).prove(sentence, seconds=8).status == "REFUTED"


def test_the_lines_that_symbols_determine():
    """In the shorter statement the indicator of a symbol is in their place."""
    model, document = compiled("thirds"), to_document(compiled("thirds"))
    reduction = ByProgram(model, document).reduction(certify.claim(document, "accept"))
    assert reduction is not None
    shorter = lettervalues.without_letter_lines(reduction.statement)
    assert shorter is not None and len(shorter.lines) == 1
    assert not any(name in shorter.statement.expanded for name in shorter.lines)
    # Without such a line there is no shorter statement.
    assert lettervalues.without_letter_lines(shorter.statement) is None
