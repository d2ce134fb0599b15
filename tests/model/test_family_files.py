"""Family files: what is refused, in one sentence; and instances, which are the recipes that were there before."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import sympy as sp
from families import together
from proof.family_cases import FAMILIES, OWN, SHIPPED, document, family, numbers

from symcook.errors import BadInput
from symcook.model.family import Family, load, loads
from symcook.model.instance import Instance, instance
from symcook.model.modelfile import dumps, to_document
from symcook.proof.familyrel import FamilyRelation
from symcook.proof.runrel import Relation
from symcook.recipes import build

Change = Callable[[dict[str, Any]], Any]


def changed(name: str, change: Change) -> Family:
    made = copy.deepcopy(json.loads((FAMILIES / f"{name}.json").read_text()) if name in SHIPPED else OWN[name])
    change(made)
    return Family(made)


def first_head(d: dict[str, Any]) -> dict[str, Any]:
    return d["layers"][0]["attention"][0]


INDUCTION = "induction-most-recent"
REFUSED: list[tuple[str, str, Change]] = [
    ("a write must cover the whole range of its coordinate; given: all c in 1..S - 1. before(c)", INDUCTION,
     lambda d: first_head(d).update(writes={"all c in 1..S - 1. before(c)": "is(c)"})),
    ("an index must have a new name, other than i, j, k, n and w; given: all i in 1..S. before(i)", INDUCTION,
     lambda d: first_head(d).update(writes={"all i in 1..S. before(i)": "is(i)"})),
    ("an index must have a new name, other than i, j, k, n and w; given: all n in 1..S. before(n)", INDUCTION,
     lambda d: first_head(d).update(writes={"all n in 1..S. before(n)": "is(n)"})),
    ("an index must have a new name, other than i, j, k, n and w; given: sum(w, 1, S, is(w))", INDUCTION,
     lambda d: first_head(d).update(writes={"all c in 1..S. before(c)": "sum(w, 1, S, is(w))"})),
    ("an index must have a new name, other than i, j, k, n and w; given: j in 1..D", "dyck-k-d",
     lambda d: d["layers"][0].update({"for": "j in 1..D"})),
    ("sizes, tables and coordinates must all have different names; given: S", INDUCTION,
     lambda d: d["space"].append("S")),
    ("sizes, tables and coordinates must all have different names; given: n", INDUCTION,
     lambda d: d["space"].append("n")),
    ("a form must be linear; given: is(e)*is(e)", INDUCTION,
     lambda d: d["layers"][1]["attention"][0].update(score="sum(e, 1, S, is(e)*is(e)*before(e))")),
    ("an index, end or weight must not read a coordinate; given: token", "dyck-k-d",
     lambda d: d["layers"][0].update({"for": "t in 1..token"})),
    ("an entry must be a sum of weights times relu(form); given: -relu(active) - active", "dyck-k-d",
     lambda d: d["layers"][0]["layers"][1]["feedforward"].update(active="-relu(active) - active")),
    ("an entry must be a sum of weights times relu(form); given: token", "dyck-k-d",
     lambda d: d["layers"][0]["layers"][1]["feedforward"].update(active="token")),
    ("a form must be linear, without a constant; given: is(c) + 1; a constant needs", INDUCTION,
     lambda d: first_head(d).update(writes={"all c in 1..S. before(c)": "is(c) + 1"})),
    ("a coordinate must have all its indices; given: is", INDUCTION,
     lambda d: first_head(d).update(writes={"all c in 1..S. before(c)": "is"})),
    ("a coordinate must be declared in the space; given: nothere", INDUCTION,
     lambda d: first_head(d).update(writes={"nothere": "sum(c, 1, S, is(c))"})),
    ("a weight must use sizes, tables, indices and coordinates; given: T", INDUCTION,
     lambda d: first_head(d).update(writes={"all c in 1..S. before(c)": "T*is(c)"})),
    ("a weight must use functions of the grammar and declared tables; given: phi(c)", INDUCTION,
     lambda d: first_head(d).update(writes={"all c in 1..S. before(c)": "phi(c)*is(c)"})),
    ("a score must be a sum of products (query form)*(key form); given: is(1)", INDUCTION,
     lambda d: first_head(d).update(score="is(1)")),
    ("a head must have a mask of none, future,", INDUCTION, lambda d: first_head(d).update(mask="all")),
    ("a head must write a coordinate; given: none", INDUCTION, lambda d: first_head(d).update(writes={})),
    ("a repeated list of layers must not contain another one; given: t in 1..D", "dyck-k-d",
     lambda d: d["layers"][0]["layers"].append({"for": "r in 1..D", "layers": []})),
    ('the norms of a layer must fit its "placement"; given: post', "behind",
     lambda d: d["layers"][0].update(feedforward_norms=[])),
    ('the norms of a layer must fit its "placement"; given: post', "behind",
     lambda d: d["layers"][0]["feedforward_norms"][0].update(writes={"v": "x"})),
    ("a family must have version 1; given: 2", INDUCTION, lambda d: d.update({"symcook family": 2})),
    ('a family must have the key "space"; given: symcook family, name,', INDUCTION, lambda d: d.pop("space")),
    ("an embedding must have either strings with a vocabulary, or inputs", INDUCTION,
     lambda d: d["embedding"].update(inputs=["all c in 1..S. is(c)"])),
    ("a table must have at most three indices and values Int or Real; given: all r in 1..M. phi(r)", "boolean",
     lambda d: d["tables"].update({"all r in 1..M. phi(r)": {"values": "Bool"}})),
    ("a declaration must read NAME or all c in 1..N. NAME(c); given: q(1)", "boolean",
     lambda d: d["space"].insert(0, "q(1)")),
    ("the position of a readout value must be one of", "boolean", lambda d: d["readout"].update(position="all")),
]  # fmt: skip


@together("sentence, name, change", REFUSED)
def test_what_is_no_family_is_refused_in_one_sentence(sentence: str, name: str, change: Change) -> None:
    with pytest.raises(BadInput) as error:
        changed(name, change)
    assert str(error.value).startswith(sentence), str(error.value)
    assert "\n" not in str(error.value)


VALUES: list[tuple[str, str, dict[str, Any]]] = [
    ("the sizes of dyck-k-d must satisfy 1 <= K; given: K = 0", "dyck-k-d", {"K": 0, "D": 2}),
    ("dyck-k-d must have a whole number for D; given: none", "dyck-k-d", {"K": 2}),
    ("dyck-k-d must have a whole number for D; given: 1/2", "dyck-k-d", {"K": 2, "D": "1/2"}),
    ("dyck-k-d has no size or table", "dyck-k-d", {"K": 2, "D": 2, "E": 1}),
    ("an instance must have at most 5,000,000 weights; given: about 48", "lookup-one-hot", {"N": 2000}),
    ("an instance must have sums of at most 10,000 terms; given: sum(c, 1, K, c*I[w = 2*c - 2] - c*I[w = 2*c - 1]) "
     "for about 1030000 weights at K = 100000, D = 2000", "dyck-k-d", {"K": 100_000, "D": 2000}),
    ("the table phi must have 2 entries, row by row; given: 1", "boolean", {"m": 1, "M": 2, "xi": "0 1", "phi": "1"}),
    ("the table phi must have an entry for each index; given: nothing at 2", "boolean",
     {"m": 1, "M": 2, "xi": "0 1", "phi": {1: 1}}),
    ("boolean must have the table phi", "boolean", {"m": 1, "M": 1, "xi": "0"}),
    ("the entries of the table phi must be whole numbers; given: 1/2", "boolean",
     {"m": 1, "M": 1, "xi": "0", "phi": "1/2"}),
    ("the tables of boolean must meet their condition; given: all r in 1..M. phi(r) = 0 | phi(r) = 1", "boolean",
     {"m": 1, "M": 1, "xi": "0", "phi": "2"}),
    ("the tables of boolean must meet their condition; given: all r in 1..M. all s in 1..M. ~(r = s)", "boolean",
     {"m": 1, "M": 2, "xi": "1 1", "phi": "0 1"}),
    ("the tables of cpwl must meet their condition; given: all r in 1..P. m(r)", "cpwl",
     {"P": 2, "xs": "0 1 2", "ys": "0 1 1", "m": "2 0"}),
]  # fmt: skip


@together("sentence, name, values", VALUES)
def test_values_that_a_family_does_not_have(sentence: str, name: str, values: dict[str, Any]) -> None:
    with pytest.raises(BadInput) as error:
        instance(family(name), values)
    said = str(error.value)
    assert said.startswith(sentence) or (sentence.endswith("size or table") and "size or table" in said), said


def test_an_index_out_of_its_range_is_named_with_the_smallest_sizes() -> None:
    """The relation speaks of a value that no instance has, so that its theorems would be about nothing."""
    score = "sum(e, 1, S, is(e)*before(e + 1))"
    out = changed(INDUCTION, lambda d: d["layers"][1]["attention"][0].update(score=score))
    assert FamilyRelation(out).run()
    with pytest.raises(
        BadInput, match=r"an index must be within its declared range; given: before5 .*, first at S = 1"
    ):
        instance(out, {"S": 4})


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a family file must be readable"):
        load(tmp_path / "nothere.json")
    for text, sentence in (
        ("{", "must be JSON"),
        ('{"name": 1, "name": 2}', "must not repeat a key"),
        ('{"name": 0.5}', "must be text in"),
        ("[]", "must be an object"),
    ):
        with pytest.raises(BadInput, match=sentence):
            loads(text)


def same(made: Any, recipe: str, names: dict[str, str] | None = None, **arguments: Any) -> None:
    """The instance is the recipe's model, byte by byte but for names."""
    own, text = to_document(made), json.dumps(to_document(build(recipe, **arguments)))
    for old, new in (names or {}).items():
        text = text.replace(f'"{old}"', f'"{new}"')
    wanted = json.loads(text)
    left_out = {"name", "source"}
    assert {k: v for k, v in own.items() if k not in left_out} == {k: v for k, v in wanted.items() if k not in left_out}
    assert json.dumps(own["layers"]) == json.dumps(wanted["layers"])
    assert Relation(own).run() == Relation(wanted).run()


def test_instances_are_the_recipes() -> None:
    """A third witness beside the two walks over a family file, which could agree in a mistake: recipes that are code of
    their own; those that are made from a family were before (`WRITTEN_BY_HAND`)."""
    dyck, lookup, boolean, cpwl, most_recent = (
        family(name) for name in ("dyck-k-d", "lookup-one-hot", "boolean", "cpwl", INDUCTION)
    )
    for k, depth in ((1, 1), (2, 4), (3, 2)):
        same(instance(dyck, {"K": k, "D": depth}, "()[]{}"[: 2 * k]), "dyck-k-d", k=k, D=depth)
    for ties in ("average", "leftmost", "rightmost"):
        for most in (1, 8):
            read = family("lookup-one-hot", {"ties": ties})
            names = {f"query{c}": f"hot{c}" for c in range(1, most + 1)}
            same(instance(read, {"N": most}), "lookup-one-hot", names, N=most, weighting=ties)
    assert lookup.chosen == {"ties": "average"}
    for table in ("01", "0110", "10011010"):
        m = len(table).bit_length() - 1
        rows = [[k >> (m - 1 - c) & 1 for c in range(m)] for k in range(len(table))]
        same(instance(boolean, {"m": m, "M": 2**m, "xi": rows, "phi": list(table)}), "boolean", table=table)
    points = [(0, 0), (1, 1), (2, 0), (Fraction(7, 2), 5)]
    slopes = [Fraction(y - v) / (x - u) for (u, v), (x, y) in zip(points, points[1:], strict=False)]
    values = {"P": 3, "xs": [x for x, _ in points], "ys": [y for _, y in points], "m": slopes}
    same(instance(cpwl, values), "cpwl", points="; ".join(f"{x},{y}" for x, y in points))
    names = {f"{x}_{a}": f"{x}{c}" for x in ("is", "before", "found") for c, a in enumerate("ABCD", 1)}
    same(instance(most_recent, {"S": 4}, "ABCD"), INDUCTION, names)


WRITTEN_BY_HAND = {
    ("dyck-k-d", "k=1, D=1"): "1a17196bcdaac973",
    ("dyck-k-d", "k=6, D=3"): "606db083b9b2688d",
    ("dyck-k-d", "k=3, D=2, weighting=unique"): "2645b361f8ad31f0",
    ("dyck-1-2", ""): "9cc125226762f909",
    ("dyck-1-2", "weighting=unique"): "46c71b849532eafc",
    ("lookup-one-hot", "N=1"): "9fae6f1890f81000",
    ("lookup-one-hot", "N=20, weighting=leftmost"): "98e191e80e73e83a",
    ("induction-most-recent", "alphabet=a b [ xy"): "bc33ad559e846776",
    ("induction-most-recent", "alphabet=abcdefghijkl"): "68ff9d11c135c953",
    ("induction-most-frequent", "alphabet=a"): "a81cc71acbec6e73",
    ("induction-most-frequent", "alphabet=a b [ xy"): "1ecf57b0d4cf5b29",
    ("induction-most-frequent", "alphabet=abcdefghijkl"): "11e15e6883225ba2",
}
"""The beginnings of the hashes of model files as they were when these recipes were code of their own. (At their default
arguments the stored models say the same.)"""


@together("case", list(WRITTEN_BY_HAND))
def test_recipes_that_are_made_from_families_have_not_changed(case: tuple[str, str]) -> None:
    name, settings = case
    arguments = dict(part.split("=") for part in settings.split(", ")) if settings else {}
    assert hashlib.sha256(dumps(build(name, **arguments)).encode()).hexdigest()[:16] == WRITTEN_BY_HAND[case]


def test_values_are_written_so_that_they_are_read_again() -> None:
    read = family("boolean")
    at = Instance(read, {"m": 2, "M": 2, "xi": lambda r, c: int(r == c), "phi": {1: 1, 2: 0}})
    assert at.values == "m = 2, M = 2, xi = 1 0 0 1, phi = 1 0"
    assert Instance(family("lookup-one-hot", {"ties": "leftmost"}), {"N": 3}).values == "N = 3, ties = leftmost"
    with pytest.raises(BadInput, match="ties must be one of average, leftmost, rightmost; given: nearest"):
        family("lookup-one-hot", {"ties": "nearest"})


def test_a_power_of_a_variable_is_written_for_statements() -> None:
    """As in the relation of a stored model: pow, which is defined for exponents from 0 on."""
    powers = document(
        "powers", sizes={"B": "1 <= B"}, space=["x", "y"], embedding=numbers("x", positions={"y": "B^(n - i)"}),
        layers=[{"feedforward": {"y": "relu(x)"}}], readout={"kind": "value", "position": "each", "reads": ["y"]},
    )  # fmt: skip
    assert "pow(B, n)*pow(1/B, i)" in FamilyRelation(Family(powers)).run()


WORDS = [
    "sum(r, 1, S, I[w = r - 1]*r)", "sum(r, 1, S, I[w = r/2])", "sum(r, 1, S, I[r - 1 = w & r = c]) - w",
    "sum(r, 1, S, I[w = r & c = w])", "sum(r, 1, S, I[w = r | w = 0])", "I[w = c + 5]",
    "I[w = 1 & w = 2] + I[~(w = 1)]", "(w - 1)*sum(r, 1, w, I[w = r])", "sum(r, 1, 0, I[w = r])",
    "I[w + 1 = c]*3/2 + 1/3", "sqrt(2)*I[w = c] + w*sqrt(3)", "sum(r, 1, S, I[w = r] - I[w = r])",
    "sum(r, 1, S, sum(e, 1, r, I[w = e - 1 & e <= c]*(r - c)))", "I[w <= 2]*max(w, c)", "-I[w = 0]",
]  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
def test_the_tokens_of_an_embedding_together_are_those_one_by_one(words: str) -> None:
    made = Instance(
        changed(INDUCTION, lambda d: d["embedding"].update(words={"all c in 1..S. is(c)": words})), {"S": 4}
    )
    model = made.model(None, None)
    for place, token in enumerate(model.embedding.words or {}):
        for c, tree, env in made.written(made.family.words, {**made.env, "w": Fraction(place)}):
            alone = made.number(tree, env)
            assert sp.simplify(model.embedding.words[token].get(c, 0) - alone) == 0, (words, token, c)  # type: ignore[index]


def test_a_token_that_no_equation_means_is_refused_as_one_by_one() -> None:
    words = {"all c in 1..S. is(c)": "sum(r, 1, S, I[w = r/(c - 2)])"}
    broken = changed(INDUCTION, lambda d: d["embedding"].update(words=words))
    with pytest.raises(BadInput, match="a denominator must not be zero"):
        Instance(broken, {"S": 4}).model(None, None)
