"""Blocks from formulas: against matrices typed by hand, against evaluation of the formula, and bad formulas."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest
from checkout import ROOT, TESTS
from families import together

import symcook.recipes
from symcook.errors import BadInput
from symcook.model.expr import parse_term
from symcook.model.parts import FeedForward, Head
from symcook.model.rationals import rational
from symcook.model.transformer import Parameter
from symcook.model.weights import feedforward, head
from symcook.recipes import build, info, names


def test_a_feedforward_part_is_the_one_of_matrices_typed_by_hand() -> None:
    got = feedforward(
        both="relu(u) - relu(-u) - relu(u - v)", half="(3 - relu(u)/eps)/2 - relu(2*v - eps/3 + 1)", symbols=["eps"]
    )
    assert got == FeedForward(
        ("u", "v"),
        ("both", "half"),
        W1=[[1, 0], [-1, 0], [1, -1], [0, 2]],
        b1=[0, 0, 0, "1 - eps/3"],
        W2=[[1, -1, -1, 0], ["-1/(2*eps)", 0, 0, -1]],
        b2=[0, "3/2"],
    )


def test_a_head_is_the_one_of_matrices_typed_by_hand() -> None:
    """Q unlike K, a query coordinate with two keys, a value that is a difference."""
    got = head(
        {("query", "index"): 2, ("one", "square"): "-c", ("query", "one"): Fraction(1, 3)},
        {"found": "value - 2*c*index", "copy": "query"},
        symbols=[Parameter("c")],
        mask="strict-past",
        weighting="softmax",
        temperature="1/n",
        scale="1/sqrt(d_key)",
    )
    assert got == Head(
        ("query", "one", "index", "square", "value"),
        ("found", "copy"),
        Q=[[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]],
        K=[[0, "1/3", 2, 0, 0], [0, 0, 0, "-c", 0]],
        V=[[0, 0, "-2*c", 0, 1], [1, 0, 0, 0, 0]],
        mask="strict-past",
        weighting="softmax",
        temperature="1/n",
        scale="1/sqrt(d_key)",
    )


def test_a_head_without_scores_is_uniform() -> None:
    assert head(value={"mean": "a - b"}) == Head(("a", "b"), ("mean",), Q=[[0, 0]], K=[[0, 0]], V=[[1, -1]])


def test_the_score_is_of_query_at_i_and_key_at_j() -> None:
    """score = pos_j sends every position to the last one; score = pos_i ties them all."""
    from symcook.model.checks import Space
    from symcook.model.ends import Embedding, Readout
    from symcook.model.parts import Layer
    from symcook.model.transformer import Transformer

    def run(pair: tuple[str, str]) -> list[object]:
        space = Space(("x", "place", "one", "found"))
        embedding = Embedding(space, inputs=("x",), positions={"place": "i", "one": 1})
        layers = (Layer(head({pair: 1}, {"found": "x"})),)
        model = Transformer("m", embedding, layers, Readout("value", "each", ("found",)))
        return model.run([{"x": 1}, {"x": 2}, {"x": 6}]).outputs or []

    assert run(("one", "place")) == ["6", "6", "6"]
    assert run(("place", "one")) == ["3", "3", "3"]


@together("seed", range(60))
def test_random_formulas_compute_what_they_say(seed: int) -> None:
    """The matrices, multiplied out here, against the exact value of the text."""
    rng = random.Random(seed)

    def number() -> str:
        return rng.choice(["2", "1/3", "(1 - 5/2)", "-3", "7*2/5"])

    def affine() -> str:
        parts = ([c, f"{number()}*{c}", f"{c}/3", f"-{c}", number()] for c in rng.choices("xyz", k=3))
        return " + ".join(map(rng.choice, parts))

    def formula() -> str:
        parts = [rng.choice([f"relu({affine()})", f"{number()}*relu({affine()})", number()]) for _ in range(4)]
        return f"({parts[0]} - ({parts[1]} + {parts[2]})/7) - -{parts[3]}"

    texts = {"out": formula(), "other": formula()}
    block = feedforward(texts, reads=["z", "y", "x"])
    assert block.reads[:3] == ("z", "y", "x")
    for _ in range(5):
        point = {name: Fraction(rng.randint(-9, 9), rng.randint(1, 4)) for name in "xyz"}
        vector = [point[name] for name in block.reads]
        hidden = [
            max(Fraction(0), sum((Fraction(str(w)) * v for w, v in zip(row, vector, strict=True)), Fraction(str(b))))
            for row, b in zip(block.W1.tolist(), block.b1, strict=True)
        ]
        for name, row, bias in zip(block.writes, block.W2.tolist(), block.b2, strict=True):
            got = sum((Fraction(str(w)) * h for w, h in zip(row, hidden, strict=True)), Fraction(str(bias)))
            assert got == rational(parse_term(texts[name]), point)


def test_other_activations() -> None:
    assert feedforward(out="gelu_tanh(2*x) + gelu_tanh(x)").activation == "gelu-tanh"
    assert feedforward(out="step(x) - 1").activation == "step"


@together(
    ("formulas", "says"),
    [
        ({}, "must write a coordinate"),
        ({"out": "x"}, "write relu(x) - relu(-x) for x"),
        ({"out": "relu(x) + y/2"}, "write relu(y) - relu(-y) for y"),
        ({"out": "relu(x*y)"}, "symbols=[...]"),
        ({"out": "relu(x)*eps"}, "symbols=[...]"),
        ({"out": "relu(x)*relu(y)"}, "must be a sum of numbers times"),
        ({"out": "relu(relu(x))"}, "must be linear"),
        ({"out": "relu(x) + step(x)"}, "one activation"),
        ({"out": "sin(x)"}, "must be a sum of numbers times"),
        ({"out": "relu(x)/0"}, "denominator must not be zero"),
        ({"out": "relu(x"}, "follow the grammar"),
        ({"out": "1 < 2"}, "must be a number"),
    ],
)
def test_a_bad_formula_is_refused(formulas: dict[str, str], says: str) -> None:
    with pytest.raises(BadInput) as error:
        feedforward(formulas)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("score", "value", "says"),
    [
        (None, None, "must write a coordinate"),
        (None, {"out": "x + 1"}, "1 everywhere"),
        (None, {"out": "relu(x)"}, "must be linear"),
        ({"query": 1}, {"out": "x"}, "pairs"),
        ({("a", "b", "c"): 1}, {"out": "x"}, "pairs"),
        ({("a", "b"): 0.5}, {"out": "x"}, "exact"),
    ],
)
def test_a_bad_head_is_refused(score: object, value: object, says: str) -> None:
    with pytest.raises(BadInput) as error:
        head(score, value)  # type: ignore[arg-type]
    assert says in str(error.value)


def test_a_recipe_computes_its_formula() -> None:
    """`computes` of one layer that gives one number beside its inputs is the text of its weights, up to the order of
    the units."""

    def units(block: FeedForward) -> dict[tuple[object, ...], object]:
        table: dict[tuple[object, ...], object] = {}
        for h in range(block.hidden):
            key = (*block.W1[h, :], block.b1[h])
            table[key] = table.get(key, 0) + block.W2[0, h]
        return {key: weight for key, weight in table.items() if weight != 0}

    seen = 0
    for name in names():
        model = build(name)
        block = model.layers[0].feedforward if len(model.layers) == 1 and model.pointwise and not model.normed else None
        if block is not None and len(block.writes) == 1 and block.writes != block.reads:
            text = feedforward(out=info(name).computes, reads=block.reads, symbols=model.parameters)
            assert units(block) == units(text) and block.b2 == text.b2, name
            seen += 1
    assert seen > 20


RECIPE = '''from symcook.recipes.feedforward import pointwise, recipe


@recipe(
    summary="twice x", source="Other, of a test", formula="2*x", computes="2*relu(x) - 2*relu(-x)",
    reference="spec_double:double",
)
def double(this):
    """The identity, twice.

    Wherever a test looks.
    """
    return pointwise(this, ("x",))
'''
WITH_IT = "double or computes_its_formula or region_of_everything or said_once or by_paper or in_the_inventory"
SPEC = """def double(given):
    return {"out": given["x"] + given["x"]}
"""


def added(folder: Path, chapter: str) -> None:
    """A copy of the package in `folder`, with one more recipe in a chapter, and its reference."""
    package = Path(symcook.recipes.__file__).parents[1]
    shutil.copytree(package, folder / "symcook", ignore=shutil.ignore_patterns("_proofs"))  # with what is compiled
    (folder / "proofs").symlink_to(ROOT / "proofs")
    own = folder / "symcook" / "recipes" / chapter
    own.mkdir(exist_ok=True)
    (own / "__init__.py").touch()
    (own / "double.py").write_text(RECIPE)
    (folder / "spec_double.py").write_text(SPEC)


@pytest.mark.sweep
def test_the_tests_of_recipes_take_one_more(tmp_path: Path) -> None:
    """In the chapter of the others; those that have a case for each recipe have one for it."""
    added(tmp_path, "feedforward")
    files = [TESTS / "recipes" / f"test_{name}.py" for name in ("recipes", "facts", "each_command", "recipe_files")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "-k", WITH_IT]
    done = subprocess.run([*command, *files, __file__], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "double" not in done.stdout, done.stdout
    assert int(done.stdout.split(" passed")[0].split()[-1]) >= 10


@pytest.mark.sweep
def test_a_recipe_is_one_file_beside_its_reference_and_its_test(tmp_path: Path) -> None:
    """A file in a folder of its own is listed, explained, derived and checked; nothing else names it.

    It is in no paper, and stands last, under a heading that says so.
    """
    added(tmp_path, "mine")

    lines = (["list"], ["explain", "double"], ["derive", "double"], ["check", "double"])
    commands = f"from symcook.__main__ import main\nfor one in {lines}:\n    assert not main(one)\n    print('\\f')"
    command = [sys.executable, "-c", commands]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    listed, explained, derived, checked, _ = said.split("\f")
    assert "\nOther\n" in listed and "double" in listed.partition("\nOther\n")[2]
    assert "double: twice x\n\n  The identity, twice.\n\n  Wherever a test looks.\n" in explained.strip("\n")
    assert "2*max(0, x) - 2*max(0, -x)" in derived or "2*x" in derived
    assert "agrees with its specification" in checked and "two formulas (of the paper, of the weights) agree" in checked
