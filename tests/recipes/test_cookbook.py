"""Recipes of the Cookbook's Sections 3, 5, 6 and 9 against the paper and against functions written here.

Expected values are the paper's printed matrices and examples, or computed here from the definition; what a model gives
comes from its exact run.
"""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any

import pytest
import sympy
from families import together

from symcook.bounds import bound
from symcook.errors import BadInput
from symcook.recipes import build, info, of_claim, region
from symcook.recipes.operations import OPERATIONS
from symcook.verify.stated import check_recipe

HARD = ("average", "leftmost", "rightmost")


def rows(**columns: Any) -> list[dict[str, Any]]:
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def outputs(name: str, given: Any, domain: str = "exact", **arguments: Any) -> list[str]:
    found: Any = build(name, **arguments).run(given, domain).outputs
    return found


def random_values(n: int, seed: int) -> list[Fraction]:
    drawn = random.Random(seed)
    return [Fraction(drawn.randint(-9, 9), drawn.randint(1, 4)) for _ in range(n)]


# --- The table of contents ---


def test_the_section_is_the_one_that_the_source_names() -> None:
    assert info("lookup-quadratic").section == "5.3.4" and info("last-position").section == ""


def test_every_row_of_the_tables_names_its_object() -> None:
    from symcook.claims import inventory

    tables = [name for name in inventory() if name.startswith(tuple(f"cookbook.t{k}." for k in range(1, 6)))]
    assert len(tables) == 10 + 8 + 6 + 7 + 4
    for name in tables:
        assert of_claim(name), name
        assert inventory()[name].to_json()["objects"] == list(of_claim(name))
    assert of_claim("cookbook.t5.quadmax") == ("lookup-quadratic",)


def test_operations_are_functions_of_the_library_and_their_claims_exist() -> None:
    import importlib

    from symcook.claims import inventory

    for one in OPERATIONS:
        module, _, attribute = one.name.rpartition(".")
        assert getattr(importlib.import_module(module), attribute).__doc__
        assert set(one.claims) <= set(inventory())


# --- Section 5 ---


@pytest.mark.parametrize("weighting", ["average", "softmax", "leftmost", "rightmost"])
def test_attention_identity(weighting: str) -> None:
    values = random_values(6, 3)
    assert outputs("attention-identity", rows(x=values), weighting=weighting) == list(map(str, values))


@pytest.mark.layer_one(0, 1, 2, 3)
@pytest.mark.parametrize("n", range(1, 8))
def test_first_position_and_first_value_in_each_weighting(n: int) -> None:
    for weighting in ("average", "softmax", "leftmost"):
        found = outputs("first-position", ("01" * n)[:n], weighting=weighting)
        assert found == ["1"] + ["0"] * (n - 1)
    values = random_values(n, n)
    for weighting in HARD:
        assert outputs("first-value", rows(value=values), weighting=weighting) == [str(values[0])] * n
    for bits in itertools.product((0, 1), repeat=n):
        assert outputs("first-value", rows(value=bits), weighting="softmax", N=8) == [str(bits[0])] * n


def test_leftmost_attention_to_zero_scores_marks_every_position() -> None:
    """What Table 2 overlooks: c_i is -(-1)^1 = 1 at every i, and the mark with it."""
    from dataclasses import replace

    from symcook.model.parts import Layer

    model = build("first-position")
    (layer,) = model.layers
    head = replace(layer.attention.heads[0], weighting="leftmost")
    assert replace(model, layers=(Layer(head, layer.feedforward),)).run("0101").outputs == ["1"] * 4


LOOKUPS = [
    ("lookup-one-hot", {}),
    ("lookup-almost-orthogonal", {}),
    ("lookup-almost-orthogonal", {"family": "signs"}),
    ("lookup-layernorm-hash", {"N": 6}),
    ("lookup-quadratic", {"N": 6}),
]


@pytest.mark.layer_one(0, 3, 4)
@pytest.mark.parametrize(("name", "arguments"), LOOKUPS)
def test_lookups_read_the_value_asked_for(name: str, arguments: dict[str, Any]) -> None:
    drawn = random.Random(7)
    for n in (1, 4):
        queries, values = [drawn.randint(1, n) for _ in range(n)], random_values(n, n)
        wanted = [str(values[q - 1]) for q in queries]
        for weighting in HARD:
            hard = {"weighting": weighting} | {key: value for key, value in arguments.items() if key != "N"}
            assert outputs(name, rows(query=queries, value=values), **hard) == wanted
        bits = [drawn.randint(0, 1) for _ in range(n)]
        wanted = [str(bits[q - 1]) for q in queries]
        soft = {**arguments, "weighting": "softmax"}
        if name == "lookup-layernorm-hash":
            found: Any = build(name, **soft).run(rows(query=queries, value=bits), "float64").outputs
            assert all(abs(float(one) - int(bit)) < 1e-9 for one, bit in zip(found, wanted, strict=True))
        else:
            assert outputs(name, rows(query=queries, value=bits), **soft) == wanted


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("weighting", [*HARD, "softmax"])
def test_softmax_restricts_the_region_of_a_lookup(weighting: str) -> None:
    for name, _ in LOOKUPS:
        assert ("value = 0 | value = 1" in region(name, weighting=weighting)) is (weighting == "softmax")
        if weighting == "softmax" or name in ("lookup-one-hot", "lookup-almost-orthogonal"):
            assert build(name, weighting=weighting, N=5).max_length == 5
            continue
        assert build(name, weighting=weighting).max_length is None
        with pytest.raises(BadInput, match=r"N of lookup-.* must be given only with weighting = softmax"):
            build(name, weighting=weighting, N=5)


def test_one_hot_matrices_as_printed() -> None:
    """Eq. (36): W^(Q) = [I 0 0], W^(K) = [0 I 0], W^(V) = [0 0 1], width 2 N + 1."""
    model = build("lookup-one-hot", N=3)
    (head,) = model.layers[1].attention.heads
    order = [*(f"query{k}" for k in (1, 2, 3)), *(f"at{k}" for k in (1, 2, 3)), "value"]
    assert sorted(head.reads) == sorted(order)
    columns = [head.reads.index(name) for name in order]
    eye, zero = sympy.eye(3), sympy.zeros(3, 3)
    assert head.Q[:, columns] == sympy.Matrix.hstack(eye, zero, sympy.zeros(3, 1))
    assert head.K[:, columns] == sympy.Matrix.hstack(zero, eye, sympy.zeros(3, 1))
    assert head.V[:, columns] == sympy.Matrix([[0] * 6 + [1]])
    assert (head.scale, head.temperature) == (1, 1)


@pytest.mark.layer_one(0, 3)
@pytest.mark.parametrize(
    ("arguments", "epsilon"),
    [
        ({"N": 8}, "1/4"),
        ({"N": 20, "epsilon": "2/7"}, "2/7"),
        ({"N": 10, "family": "signs", "m": 60, "epsilon": "2/5"}, "2/5"),
        ({"N": 5, "family": "signs", "m": 16, "epsilon": "1/4", "seed": 6}, "1/4"),
    ],
)
def test_families_are_almost_orthogonal(arguments: dict[str, Any], epsilon: str) -> None:
    """Eq. (37) for every pair, from the position functions of the model; and the query's vectors are the same ones."""
    model = build("lookup-almost-orthogonal", **arguments)
    (head,) = model.layers[1].attention.heads
    n = arguments["N"]
    places = model.embedding.positions
    from symcook.model.expr import parse_term
    from symcook.model.rationals import rational
    from symcook.model.symbols import from_sympy

    trees = [parse_term(from_sympy(value)) for value in places.values()]
    vectors = [[rational(tree, {"i": Fraction(p)}) for tree in trees] for p in range(1, n + 1)]
    ((scale,),) = [{abs(Fraction(str(v))) for v in head.K if v != 0}]
    for p, one in enumerate(vectors):
        for q, other in enumerate(vectors):
            product = scale * sum(a * b for a, b in zip(one, other, strict=True))
            assert product == 1 if p == q else abs(product) <= Fraction(epsilon), (p, q)
    block: Any = model.layers[0].feedforward
    for p, one in enumerate(vectors, 1):
        hidden = [max(0, Fraction(str(b)) + p) for b in block.b1]
        made = [
            sum(Fraction(str(w)) * h for w, h in zip(block.W2.row(r), hidden, strict=True)) for r in range(len(one))
        ]
        assert made == one


def test_the_printed_dimension_is_far_more_than_is_needed() -> None:
    """Eq. (38) with N = 8, epsilon = 1/4 and k = 1: ceil(12 * 16 * log 16) = 533; 48 random signs are enough here."""
    assert math.ceil(12 * 16 * math.log(16)) == 533
    assert len(build("lookup-almost-orthogonal", family="signs").embedding.positions) == 48


def test_signs_that_are_not_almost_orthogonal_are_refused() -> None:
    with pytest.raises(BadInput, match=r"-3/8 for positions.*seed"):
        build("lookup-almost-orthogonal", N=5, family="signs", m=16, epsilon="1/4", seed=12)
    with pytest.raises(BadInput, match="less than 1/2"):
        build("lookup-almost-orthogonal", epsilon="1/2")
    with pytest.raises(BadInput, match="512"):
        build("lookup-almost-orthogonal", N=1000, epsilon="1/100")
    with pytest.raises(BadInput, match="4096 with signs"):
        build("lookup-almost-orthogonal", N=120, family="signs", m=120)


def test_layernorm_hashes_are_the_printed_vectors() -> None:
    """lh(x) = sqrt(2/(x^2 + 1)) (x, 1, -x, -1), by the two norms of the model; the gap is at least 2/N^4."""
    model = build("lookup-layernorm-hash")
    for norm, function in zip(model.layers[0].feedforward_norms, (lambda x: (x, 1), lambda x: (1, 1 / x)), strict=True):
        for x in map(sympy.Integer, (1, 2, 5, 9)):
            seen = norm.projection * sympy.Matrix(function(x))
            mean = sum(seen) / 4
            spread = sympy.sqrt(sum((entry - mean) ** 2 for entry in seen) / 4)
            hashed = [sympy.simplify((entry - mean) / spread) for entry in seen]
            wanted = [sympy.sqrt(2 / (x**2 + 1)) * entry for entry in (x, 1, -x, -1)]
            assert all(sympy.simplify(a - b) == 0 for a, b in zip(hashed, wanted, strict=True))
        assert norm.epsilon == 0
    for n in (2, 3, 8, 20):
        least = Fraction(bound("layernorm-hash", n=n, digits=20).value.mid)
        assert 4 * least > Fraction(2, n**4)


def test_the_hash_reads_the_nearest_direction_beyond_its_region() -> None:
    values = [Fraction(3), Fraction(10), Fraction(-4)]
    for query, place in ((0, 1), (Fraction(5, 4), 1), (Fraction(7, 4), 2), (4, 3), (100, 3), (-1, 1)):
        cosines = [(query * j + 1) / math.sqrt((query**2 + 1) * (j * j + 1)) for j in (1, 2, 3)]
        assert cosines.index(max(cosines)) == place - 1
        assert outputs("lookup-layernorm-hash", rows(query=[query] * 3, value=values)) == [str(values[place - 1])] * 3


@pytest.mark.layer_one(0, 3, 4)
@pytest.mark.parametrize(
    ("name", "arguments", "bounded"),
    [
        ("predecessor", {}, True),
        *(("predecessor-quadratic", {"weighting": weighting}, True) for weighting in HARD),
        ("predecessor-strict", {}, False),
        ("predecessor-strict", {"weighting": "average"}, False),
    ],
)
def test_predecessors(name: str, arguments: dict[str, Any], bounded: bool) -> None:
    for n in range(1, 9):
        values = [abs(v) / 9 if bounded else v for v in random_values(n, n)]
        assert outputs(name, rows(value=values), **arguments) == ["0", *map(str, values[:-1])]
        mirrored = ["0"] if n == 1 else [*map(str, values[1:]), "0"]
        for weighting in ("leftmost", "average"):
            assert outputs("successor", rows(value=values), weighting=weighting) == mirrored


def test_the_stored_models_are_these_recipes() -> None:
    from symcook.model.modelfile import dumps
    from symcook.proof.files import proofs_directory

    for name in ("predecessor", "predecessor-strict", "last-position"):
        assert (proofs_directory() / "models" / f"{name}.json").read_text() == dumps(build(name))


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("term", ["-1/j", "1/j", "j/n", "-j/n", "-1/(j + 1)", "1/(j + 1)"])
def test_tie_breaking(term: str) -> None:
    last = term in ("-1/j", "j/n", "-1/(j + 1)")
    for n in range(1, 4):
        values = random_values(n, n)
        for scores in itertools.product((-1, 0, 2), repeat=n):
            places = [p for p in range(n) if scores[p] == max(scores)]
            wanted = [str(values[places[-1 if last else 0]])] * n
            for gamma in ("1/2", "1"):
                found = build("tie-break", term=term).run(rows(score=scores, value=values), values={"gamma": gamma})
                assert found.outputs == wanted


def test_scores_closer_than_gamma_are_beyond_the_region() -> None:
    """A lesser score at the favoured place, 1/4 below the greatest, wins with gamma = 1/2 ... at n = 4."""
    given = rows(score=["1", "0", "0", "3/4"], value=[5, 6, 7, 8])
    found = build("tie-break", term="j/n").run(given, values={"gamma": "1/2"})
    assert found.outputs == ["8"] * 4


NEW = [
    ("attention-identity", {}, 3),
    ("first-value", {}, 3),
    ("first-value", {"weighting": "softmax"}, 5),
    ("last-position", {}, 6),
    ("predecessor", {}, 4),
    ("predecessor-quadratic", {}, 4),
    ("predecessor-strict", {}, 3),
    ("predecessor-strict", {"weighting": "average"}, 3),
    ("successor", {}, 3),
    ("successor", {"weighting": "average"}, 3),
    ("lookup-one-hot", {}, 4),
    ("lookup-one-hot", {"weighting": "softmax"}, 4),
    ("lookup-almost-orthogonal", {}, 3),
    ("lookup-almost-orthogonal", {"family": "signs"}, 3),
    ("lookup-almost-orthogonal", {"weighting": "softmax"}, 3),
    ("lookup-layernorm-hash", {}, 2),
    ("lookup-quadratic", {"weighting": "softmax"}, 4),
    ("tie-break", {}, 3),
    ("tie-break", {"term": "-j/n"}, 3),
]


@pytest.mark.layer_one(0, 1, 2, 5, 6, 7, 8, 9)
@pytest.mark.parametrize(("name", "arguments", "length"), NEW)
def test_checks_find_no_difference(name: str, arguments: dict[str, Any], length: int) -> None:
    found = check_recipe(name, length, arguments)
    assert found.holds and found.strings >= 3


@together(
    ("name", "arguments"),
    [
        ("lookup-one-hot", {"N": 0}),
        ("lookup-one-hot", {"weighting": "soft"}),
        ("lookup-almost-orthogonal", {"family": "hadamard"}),
        ("lookup-almost-orthogonal", {"epsilon": -1}),
        ("lookup-almost-orthogonal", {"seed": "x"}),
        ("tie-break", {"term": "1/i"}),
        ("tie-break", {"gamma": "-1/2"}),
        ("predecessor-strict", {"weighting": "leftmost"}),
        ("average", {"weighting": 1}),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(name: str, arguments: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as caught:
        build(name, **arguments)
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize("gamma", ["0", "-1", "2"])
def test_a_gap_of_zero_is_refused(gamma: str) -> None:
    with pytest.raises(BadInput, match="gamma"):
        build("tie-break").bind({"gamma": gamma})
