"""The equations of heads with biases and a slope, what they say of runs, and statements that are proved from the
weights."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from biased_heads import KINDS, LETTERS, SPACE, drawn
from shared import ROOT

import symcook as sc
from symcook.coq.equations import Equations
from symcook.coq.term import Untranslatable
from symcook.domains import make_domain
from symcook.errors import BadInput
from symcook.forward import forward
from symcook.model.modelfile import dumps
from symcook.proof.bridges.bridge import _ModelRuns
from symcook.proof.runrel import Relation
from symcook.proof.statements import certify
from symcook.proof.statements.shortruns import WordsSpent


def small(weighting: str = "softmax", **more: Any) -> sc.Transformer:
    embedding = sc.Embedding(sc.Space(("x", "y")), {"a": {"x": 1}, "b": {"x": -1}})
    fields: dict[str, Any] = {"mask": "causal", "weighting": weighting, "slope": "1/2"} | more
    head = sc.BiasedHead(("x",), ("y",), [[1], [2]], [[1], [0]], [[2]], [0, 1], [3, 0], [1], **fields)
    return sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("y",), [[1]]))


def alibi(**more: Any) -> sc.Transformer:
    embedding = sc.Embedding(sc.Space(("x", "y")), {"a": {"x": 1}, "b": {"x": -1}})
    fields: dict[str, Any] = {"mask": "causal", "weighting": "softmax", "slope": 1} | more
    head = sc.BiasedHead(("x",), ("y",), [], [], [[2]], **fields)
    return sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("sign", "last", ("y",), [[1]]))


def relation(model: sc.Transformer) -> Relation:
    return Relation(json.loads(dumps(model)))


def equation(model: sc.Transformer) -> str:
    return relation(model).whole.of["y"].text


def test_the_equation_of_a_softmax_head_with_biases_and_a_slope() -> None:
    """Written by hand from the definition; the second product has the key 0 and is left out."""
    weight = "exp((1/3)*((x(i))*(x(j) + 3)) + (1/2)*(j - i))"
    made = f"y(i) = sum(j, 1, i, {weight}*(2*x(j) + 1))/sum(j, 1, i, {weight})"
    assert equation(small(scale="1/3")) == made
    divided = "exp((((x(i))*(x(j) + 3)) + (1/2)*(j - i))/(i + 1))"
    assert equation(small(temperature="1 + i")) == made.replace(weight, divided)


def test_the_equation_of_a_hard_head_compares_with_the_slope() -> None:
    made = equation(small("rightmost", slope="-1/2"))
    here, there = (f"((x(i))*(x({place}) + 3)) + (-1/2)*({place} - i)" for place in "jk")
    best = f"I[all k in 1..i. {there} <= {here} & (j < k -> {there} < {here})]"
    assert made == f"y(i) = sum(j, 1, i, {best}*(2*x(j) + 1))"


def test_without_a_slope_and_products_all_scores_are_zero() -> None:
    assert equation(alibi(slope=0)) == "y(i) = sum(j, 1, i, 2*x(j))/i"
    assert "exp((j - i))" in equation(alibi())


def test_a_temperature_must_be_positive_in_a_run() -> None:
    assert [one.text for one in relation(alibi(temperature="i - n + 2")).premises_before] == [
        "(all i in 1..n. 0 < i - n + 2)"
    ]


def _up_to_the_limit(runs: Iterator[bool]) -> Iterator[bool]:
    """Strings until the work is spent, if it is."""
    with suppress(WordsSpent):
        yield from runs


@pytest.mark.layer_one(6)
@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in KINDS for seed in range(6)])
@pytest.mark.layer_two(every=3)
def test_the_run_relation_of_hard_heads_has_the_values_of_the_exact_run(kind: str, seed: int) -> None:
    """The equations are solved, without `forward`, for all strings of length 1 and 2."""
    model = drawn(kind, 2 * seed, ("average", "leftmost", "rightmost")[seed % 3])
    said = relation(model)
    runs, low = _ModelRuns(said), int(said.low)
    for length in (1, 2):
        for is_run in _up_to_the_limit(runs.at(length)):
            assert is_run
            values = {variable[1][0]: at for variable, at in runs.values.items()}
            word = [LETTERS[values["w"][low + k]] for k in range(length)]
            result = forward(model, model.tokens(word), make_domain("exact"), trace=True)
            for name in SPACE:
                column: Any = result.stream[name]
                found = values[said.held[name]]
                assert [str(found[low + k]) for k in range(length)] == [*map(str, column)], word


def test_what_is_not_known_is_refused() -> None:
    model = json.loads(dumps(alibi()))
    head = model["layers"][0]["attention"][0]
    for changes, must in (
        ({"window": "3"}, "a head with biases must have only fields that"),
        ({"kind": "head"}, "a head must have only fields that"),
        ({"slope": "i"}, "must use its declared symbols only"),
        ({"v_bias": [["x"]]}, "must use its declared symbols only"),
    ):
        changed = json.loads(json.dumps(model))
        changed["layers"][0]["attention"][0] = head | changes
        with pytest.raises(BadInput, match=must):
            Relation(changed)


@pytest.mark.parametrize("model", [small(), small(slope=0), alibi()])
def test_coq_refuses_biased_heads_in_a_sentence(model: sc.Transformer) -> None:
    written: Any = SimpleNamespace(relation=relation(model))
    with pytest.raises(Untranslatable, match="heads, layer norms, and feed-forward layers with relu"):
        Equations(written, relation(model))  # type: ignore[arg-type]


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (alibi(), "(all i in 1..n. w(i) = 0) -> accept"),
        (alibi(weighting="rightmost"), "accept <-> w(n) = 0"),
        (small("rightmost", slope=9), "accept <-> w(n) = 0"),
        (alibi(), "all i in 1..n. all j in 1..i. score(1, 1, i, j) <= 0"),
        (small(slope=0), "(all i in 1..n. w(i) = 0) -> accept"),
    ],
    ids=["alibi", "the last one", "far apart", "scores fall", "biases"],
)
@pytest.mark.layer_two(every=2)
def test_a_statement_about_a_biased_head_is_proved_for_every_length(
    model: sc.Transformer, sentence: str, tmp_path: Path
) -> None:
    """By the kernel and by the second checker."""
    proof = model.prove(sentence)
    assert (proof.status, proof.holds) == ("PROVED", True)
    certificate, statement = proof.save(tmp_path / "proof.json")
    lemmas = certify.below(json.loads(certificate.read_text(encoding="utf-8")))
    below = [ROOT / "proofs" / "certificates" / f"{name}.json" for name in lemmas]
    command = [sys.executable, ROOT / "proofs" / "checker.py", statement, certificate, *below]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "PROVED" in done.stdout, done.stdout + done.stderr
    assert model.prove("accept <-> n = 3").status == "REFUTED"
