"""floor, mod and sign in statements: what they are written out to is what the same functions are in expressions.

The terms are evaluated by `statement_truth`, which shares no code with the kernel, and compared with the numbers of
`symcook.model.rationals`. Run relations with such positions are compared with `forward` in test_runrel.
"""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from proof.statement_truth import worth

import symcook as sc
from symcook.errors import BadInput
from symcook.model.expr import parse_term, show
from symcook.model.modelfile import to_document
from symcook.model.rationals import rational
from symcook.proof.runtext import readable
from symcook.proof.statements import certify
from symcook.proof.statements.shortruns import Runs

WRITTEN = [
    *("mod(i, 2)", "floor(i/2)", "sign(i - 2)", "mod(i - 1, 3)", "mod(i - n, 3)", "mod(2*i - 3*n, 4)", "mod(i, 1)"),
    *("mod(floor((i - 1)/2), 2)", "mod(floor(i/4 - 1/4), 3)", "floor((i - n)/3)", "floor(i/2 - n/3)", "floor(5/2)"),
    *("mod(i, 21)", "mod(i*i, 30)", "mod(i, n)", "mod(i - 3, n)", "floor(2*i/n)", "floor(-i/n)", "mod(i/2, 2)"),
    *("mod(mod(i, 4) + i, 3)", "floor(floor(i/2)/2)", "floor(i/2)*mod(n, 3)/7", "sign(mod(i, 3) - 1)"),
    *("sum(j, 1, floor(n/2), I[j < i])", "sum(j, 0, mod(i, 3), floor(j/2))", "sum(q, 1, i, mod(q, 3)*mod(n - q, 2))"),
    *("if(mod(n, 2) = 0, floor(i/2), -mod(i, 3))", "I[all j in 1..floor(n/2). mod(j, 5) != i]", "abs(sign(2 - i))"),
]


def test_no_power_has_an_exponent_that_falls() -> None:
    """pow is defined for exponents from 0 on."""
    written = {
        "2^(n - i)": "pow(2, n)*pow(1/2, i)",
        "2^(-i)": "pow(1/2, i)",
        "3^(-(i - n))": "pow(3, n)*pow(1/3, i)",
        "(2/3)^(1 - i)": "pow(2/3, 1)*pow(3/2, i)",
    }
    assert {text: readable(text) for text in written} == written


def value(text: str, i: int, n: int) -> Fraction:
    return worth(parse_term(text), {"i": Fraction(i), "n": Fraction(n)})


def differs(written: str, text: str) -> bool:
    """Whether they have different values somewhere; positions may begin with 0."""
    tree = parse_term(text)
    places = ((i, n) for n in (1, 2, 3, 5, 8) for i in range(n + 1))
    return any(value(written, i, n) != rational(tree, {"i": Fraction(i), "n": Fraction(n)}) for i, n in places)


def drawn(r: random.Random, depth: int) -> str:
    if depth == 0:
        return r.choice(("i", "n", "1", "2", "i - 1", "n - i"))
    a, b = drawn(r, depth - 1), drawn(r, depth - 1)
    kinds = (f"mod({a}, {r.choice((2, 3, 5, 24))})", f"floor(({a})/{r.choice((2, 3, 7, 'n'))})", f"sign({a})")
    return r.choice((*kinds, *kinds, f"({a} + {b})", f"({a} - {b})", f"({a})*({b})"))


def test_terms_have_the_values_of_the_functions() -> None:
    texts = [*WRITTEN, *(drawn(random.Random(seed), 1 + seed % 2) for seed in range(60))]
    assert not [text for text in texts if differs(readable(text), text)]


@pytest.mark.parametrize("text, right, wrong", [
    ("mod(i, 2)", "0..i", "1..i"),
    ("mod(i, 3)", "2*I", "I"),
    ("mod(i - 1, 3)", "i + 2", "i + 1"),
    ("mod(i - n, 3)", "-abs(i - n)..", "0.."),
    ("mod(floor(i/2), 2)", "q + 2", "q + 1"),
    ("floor(i/2)", "- I", "+ I"),
    ("mod(i, 21) + floor(i/n)", "n*q <= i", "n*q < i"),
    ("floor((i - n)/n)", " - n < n*(1 - q)", " - n <= n*(1 - q)"),
    ("sign(i - 2)", "0 <", "0 <="),
])  # fmt: skip
def test_wrong_terms_are_found(text: str, right: str, wrong: str) -> None:
    written = readable(text)
    assert right in written and differs(written.replace(right, wrong), text)


def test_what_is_bound_has_a_name_of_its_own() -> None:
    """Neither a coordinate nor what is bound around has it."""
    assert readable("mod(i, 2)", {"q", "q1"}) == "I[ex q2 in 0..i. i = 2*q2 + 1]"
    assert "ex q1 in 0..q. q = 2*q1 + 1" in readable("sum(q, 1, i, mod(q, 2))")
    model = positioned("mod(i, 2) + floor(n/2)", "q")
    verdict = certify.settle(
        certify.claim(model, "all q1 in 1..n. mod(q1, 2) <= q1 & mod(n, 2) = mod(n, 2)"), model
    ).verdict
    assert verdict is not None and verdict.status == "PROVED"


@pytest.mark.parametrize("text", ["floor(sqrt(i))", "mod(i, 0)", "mod(i, -2)", "floor(n/i)", "mod(2^i, 3)"])
def test_another_number_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="positions and lengths"):
        readable(text)


def positioned(text: str, *names: str) -> dict[str, Any]:
    """The document of a model with this position function."""
    b = sc.Builder(words={"a": dict.fromkeys(("x", *names), 1), "b": {}}, positions={"p": text})
    b.readout("sign", "last", "p", weights=[1])
    return to_document(b.build("positioned"))


MEANT = {  # a statement about a model with p(i) = mod(i, 2), and what Python says of n and the number of a's
    "mod(n, 2) = 1 <-> accept": lambda n, a: True,
    "mod(n, 3) = 5": lambda n, a: False,
    "mod(n, 3) != 2": lambda n, a: n % 3 != 2,
    "mod(count(a), 2) = 0": lambda n, a: a % 2 == 0,
    "mod(2*count(a) - n, 3) <= 1": lambda n, a: (2 * a - n) % 3 <= 1,
    "floor(n/2) = count(a)": lambda n, a: n // 2 == a,
    "sign(count(a) - 2) = 1": lambda n, a: a > 2,
    "sum(i, 1, n, mod(i, 2)*p(i)) = count(a)": lambda n, a: (n + 1) // 2 == a,
    "(all i in 1..floor(n/2). mod(i, 2) < n - count(a))": lambda n, a: n < 2 or n - a > 1,
    "n mod 2 = mod(n, 2)": lambda n, a: True,
}


@pytest.mark.parametrize("sentence", MEANT)
def test_a_statement_means_what_python_says(sentence: str) -> None:
    document = positioned("mod(i, 2)")
    runs = Runs(certify.claim(document, sentence), document)
    for length in range(1, 5):
        found = dict((runs.word, runs.false()) for ready in runs.at(length) if ready)
        for word in product("ab", repeat=length):
            assert found[word] is (not MEANT[sentence](length, word.count("a"))), word


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("sentence, status", [
    ("mod(n, 2) = 0 -> ~accept", "PROVED"),
    ("all i in 1..n. p(i) = mod(i, 2)", "PROVED"),
    ("floor(n/2) <= n", "PROVED"),
    ("sign(x(n)) = x(n)", "PROVED"),
    ("mod(n, 2) = 0 -> accept", "REFUTED"),
    ("p(n) < floor(n/2)", "REFUTED"),
])  # fmt: skip
def test_easy_statements_are_proved_or_refuted(sentence: str, status: str) -> None:
    document = positioned("mod(i, 2)")
    verdict = certify.settle(certify.claim(document, sentence), document).verdict
    assert verdict is not None and verdict.status == status


@pytest.mark.parametrize("sentence, said", [
    ("mod(n) = 0", "column 1, 'mod(n)': mod takes two numbers"),
    ("1 <= floor(n, 2)", "column 6, 'floor(n, 2)': floor takes one number"),
    ("floor(x(n)) = 0", "for another number a write ex m:Int. m <= a & a < m + 1"),
    ("mod = 1", "'mod' is unknown"),
])  # fmt: skip
def test_mistakes_get_a_sentence(sentence: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        certify.claim(positioned("i"), sentence)
    assert said in str(caught.value)


def test_coordinates_may_have_these_names() -> None:
    b = sc.Builder(words={"a": {"mod": 1, "sign": 2}, "b": {"floor": 1}})
    b.readout("sign", "last", "mod", weights=[1])
    document = to_document(b.build("named"))
    text = certify.claim(document, "all i in 1..n. mod(i) + floor(i) = 1 & sign(i) = 2*mod(i)").text
    assert "mod(i) + floor(i) = 1" in text and "I[0 <" not in text
    with pytest.raises(BadInput, match="one position"):
        certify.claim(document, "mod(n, 2) = 0")


def test_the_tree_is_shown_as_it_is_read() -> None:
    assert all(show(parse_term(readable(text))) == readable(text) for text in WRITTEN)
