"""The formal statements of the Cookbook's claims say what the paper says.

For each statement there is a claim: a function written from the paper's words and printed matrices and from the
inventory's test form, in plain Fractions and loops, never from the formal statement. It returns True or False, or
None at an instance outside the claim's hypotheses. At every instance (boundary cases and seeded random ones) the
formal statement, evaluated from its text by `statement_truth`, must agree: same truth, hypotheses met exactly where
the claim applies. Where the paper is right both hold everywhere; where it is wrong as printed both fail somewhere, and
the corrected statement holds everywhere. Near misses of each statement (a constant changed, strictness flipped, a
hypothesis dropped) fail at some instance, so that the instances would notice.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from families import in_parts, together
from proof.adequacy import ENTRIES, changed, claim_statements, column, load_claims, refuted
from proof.claims_cookbook import least, numbered
from proof.statement_truth import evaluate, holds, texts

from symcook.model.symbols import exact
from symcook.recipes import build
from symcook.recipes.feedforward.linear import ONE_TO_ONE

F = Fraction


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("n", "total"),
    [
        (7, F(1, 49)),
        (8, F(1, 56)),
        (9, F(1, 81)),
        (10, F(1, 90)),
    ],
)
def test_the_least_total_of_longer_words(n: int, total: Fraction) -> None:
    assert least(n, "total") == total


# --- The evaluator itself ---------------------------------------------------------------------------------------------


@together(
    ("text", "expected"),
    [
        ("all n:Int. 2 <= n -> 0 < n", (True, True)),
        ("all n:Int. 3 <= n -> n < 0", (False, True)),
        ("all n:Int. 4 <= n -> n < 0", (True, False)),
        ("all n:Int. ex s:Int->Real. sum(j, 1, n, s(j)) = 6 & prod_free(n)", None),
        ("all n:Int. ex s:Int->Real. sum(j, 1, n, s(j)) = 7", (False, True)),
        ("all n:Int, s:Int->Real. s(n) = 3 -> sum(j, 1, n, s(j)) = 6 & sum(j, n, 1, s(j)) = 0", (True, True)),
        ("all n:Int, s:Int->Real. s(n) = 3 -> sum(j, 1, n, hardmax(s, n, j)*j) = n", (True, True)),
        ("all n:Int, s:Int->Real. s(n) = 3 -> sum(j, 1, n, hardmax(k. -s(k), n, j)*j) = n", (False, True)),
        ("all n:Int, s:Int->Real. s(n) = 3 -> sum(j, 1, n, sm(s, n, j)) = 1", (True, True)),
        ("all n:Int, s:Int->Real. s(n) = 3 -> exp(s(1)) = 2718281828459/1000000000000", (False, True)),
        ("all n:Int, s:Int->Real. s(n) = 3 -> (~(all i in 1..n. s(i) < 3 | i = n) <-> false)", (True, True)),
        ("all n:Int. ex i in 1..n. relu(i - 2) = 1 & I[i = n] = 1 & if(i < n, 0, 1) = 1", (True, True)),
    ],
)
def test_the_evaluator(text: str, expected: tuple[bool, bool] | None) -> None:
    instance = {"n": [F(2), F(3)] if "2 <= n" in text else F(3), "s()": [column([1, 2, 3]), column([0, 0, 4])]}
    if expected is None:
        with pytest.raises(KeyError):
            evaluate(text, instance)
    else:
        assert evaluate(text, instance) == expected


# --- The tests --------------------------------------------------------------------------------------------------------

load_claims()


@pytest.mark.sweep
def test_every_statement_has_a_claim_and_every_claim_a_statement() -> None:
    assert set(ENTRIES) == claim_statements()
    assert {name for name, entry in ENTRIES.items() if entry.false} == refuted()


@pytest.mark.layer_one(14)
@in_parts(32, "name", list(ENTRIES))
@pytest.mark.layer_two(every=3)
def test_the_claim_and_the_formal_statement_agree(name: str) -> None:
    entry = ENTRIES[name]
    verdicts = []
    for instance in entry.instances:
        claimed = entry.claim(instance)
        formal, met = evaluate(texts()[name], instance)
        assert met == (claimed is not None), (name, instance)
        assert formal == (claimed is not False), (name, instance)
        verdicts.append(claimed)
    assert verdicts.count(None) < len(verdicts) - (0 if entry.fixed or name.startswith(FIXED) else 2)
    assert (False in verdicts) == entry.false


@pytest.mark.sweep
@together("name", [n for n, e in ENTRIES.items() if e.false])
def test_a_false_statement_has_a_corrected_one(name: str) -> None:
    """The same instances: the corrected statement applies to some and holds at all."""
    corrected = ENTRIES[f"{name}.corrected"]
    assert corrected.instances == ENTRIES[name].instances
    assert not corrected.false


FIXED = ("cookbook.s9.2.dyck1_examples", "cookbook.s9.2.2.example")
"""Claims about given words: few instances meet them."""
MISSES = [(n, old, new) for n, e in ENTRIES.items() for old, new in e.misses]
STILL_TRUE = [(n, old, new) for n, e in ENTRIES.items() for old, new in e.still_true]


FALSE_AT: dict[str, int] = {}
"""The instance at which another near miss of a claim was false, which is tried first."""


@pytest.mark.sweep
@pytest.mark.layer_two(every=16)
@in_parts(32, ("name", "old", "new"), MISSES)
def test_a_near_miss_is_false_somewhere(name: str, old: str, new: str) -> None:
    text, instances = changed(name, old, new), ENTRIES[name].instances
    order = sorted(range(len(instances)), key=lambda number: number != FALSE_AT.get(name))
    FALSE_AT[name] = next((number for number in order if not holds(text, instances[number])), -1)
    assert FALSE_AT[name] >= 0


@pytest.mark.layer_one(0, 1, 2, 3, 5, 8, 12, 14, 18, 25, 26, 28)
@pytest.mark.parametrize(("name", "old", "new"), STILL_TRUE)
def test_a_stronger_variant_has_no_counterexample_here(name: str, old: str, new: str) -> None:
    text = changed(name, old, new)
    assert all(holds(text, instance) for instance in ENTRIES[name].instances)


def test_every_true_statement_has_two_near_misses() -> None:
    assert [n for n, e in ENTRIES.items() if not e.false and len(e.misses) < 2] == []


# --- Families: the builders' weights are those that the statements quantify over --------------------------------------


def weights(name: str, **arguments: Any) -> tuple[Any, Any, Any, Any]:
    block = build(name, **arguments).layers[0].feedforward
    assert block is not None
    return tuple(m.tolist() for m in (block.W1, block.b1, block.W2, block.b2))  # type: ignore[return-value]


def same(found: Any, rows: int, columns: int, entry: Callable[[int, int], Any]) -> None:
    """`found` is the matrix of entry(row, column), counted from 1."""
    assert found == [[exact(entry(k, i)) for i in range(1, columns + 1)] for k in range(1, rows + 1)]


@pytest.mark.parametrize("d", range(1, 6))
def test_weights_of_identity_and_zero(d: int) -> None:
    W1, b1, W2, b2 = weights("identity", d=d)
    same(W1, 2 * d, d, lambda k, i: int(k == i) - int(k == i + d))
    same(W2, d, 2 * d, lambda i, k: int(k == i) - int(k == i + d))
    same(b1, 2 * d, 1, lambda k, _: 0)
    same(b2, d, 1, lambda k, _: 0)
    for part, shape in zip(weights("zero", d=d), [(d, d), (d, 1), (d, d), (d, 1)], strict=True):
        same(part, *shape, lambda k, i: 0)


@together("bits", ["10", "01", "0110", "1000", "0001", "00010111", "11111111", "0110100110010110"])
def test_weights_of_boolean(bits: str) -> None:
    m = len(bits).bit_length() - 1
    xi = numbered(m)
    # The hypotheses of the statement: digits of k, the first the highest.
    assert all(sum(digit * 2 ** (m - i) for i, digit in enumerate(row, 1)) == k for k, row in enumerate(xi))
    W1, b1, W2, b2 = weights("boolean", table=bits)
    same(W1, 2**m, m, lambda k, i: 2 * xi[k - 1][i - 1] - 1)
    same(b1, 2**m, 1, lambda k, _: 1 - sum(xi[k - 1]))
    same(W2, 1, 2**m, lambda _, k: int(bits[k - 1]))
    same(b2, 1, 1, lambda k, i: 0)
    # As displayed: rows (-1 ... -1), (-1 ... 1), ..., (1 ... 1); b1 = 1, 0, ..., -m + 1.
    assert [W1[0], W1[-1]] == [[-1] * m, [1] * m]
    assert W1[1] == [-1] * (m - 1) + [1]
    assert [b1[0], b1[1], b1[-1]] == [[1], [0], [1 - m]]


@pytest.mark.parametrize(
    "points",
    ["0,0; 1,1; 2,0", "-2,1; -1/2,1; 1,-3; 4,2", "1/7,0; 2/7,-5/3; 5,2; 6,2; 8,1", "-3,5; -2,0; -1,0"],
)
def test_weights_of_cpwl(points: str) -> None:
    pairs = [tuple(F(part) for part in point.split(",")) for point in points.split(";")]
    x, y = ({k: p[c] for k, p in enumerate(pairs, 1)} for c in (0, 1))
    n = len(pairs) - 1
    m = {k: (y[k + 1] - y[k]) / (x[k + 1] - x[k]) for k in range(1, n + 1)}
    W1, b1, W2, b2 = weights("cpwl", points=points)
    same(W1, n + 1, 1, lambda k, _: -1 if k == 1 else 1)
    same(b1, n + 1, 1, lambda k, _: 0 if k <= 2 else -x[k - 1])
    same(W2, 1, n + 1, lambda _, k: {1: -m[1], 2: m[1]}[k] if k <= 2 else m[k - 1] - m[k - 2])
    same(b2, 1, 1, lambda k, i: y[1] - m[1] * x[1])


@together("f", ONE_TO_ONE)
def test_weights_of_cancel_residual(f: str) -> None:
    inner, outer = weights(f), weights("cancel-residual", f=f)
    assert outer[0] == [*inner[0], [1], [-1]]
    assert outer[1] == [*inner[1], [0], [0]]
    assert outer[2] == [[*inner[2][0], -1, 1]]
    assert outer[3] == inner[3]
