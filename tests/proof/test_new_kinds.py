"""The equations of RMS norms and of gated units: as they are written, and what they say of runs; statements about both
that are proved from the weights; any other kind of part is refused."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from norms_and_gates import LETTERS, SPACE, gated, matrix, rms
from shared import ROOT

import symcook as sc
from symcook.coq.equations import Equations
from symcook.coq.term import Untranslatable
from symcook.domains import make_domain
from symcook.errors import BadInput, NoRun, NotExact
from symcook.forward import forward
from symcook.model.modelfile import dumps
from symcook.proof.bridges.bridge import _ModelRuns
from symcook.proof.bridges.correspondence import Recorded
from symcook.proof.files import proofs_directory
from symcook.proof.runrel import Relation
from symcook.proof.statements import certify

GATED = {
    "kind": "gated", "reads": ["token", "balance"], "writes": ["error"], "activation": "relu",
    "gate": [["1", "-2"], ["0", "1"]], "gate_bias": [["0"], ["3"]], "up": [["1/2", "0"], ["0", "0"]],
    "up_bias": [["-1"], ["5"]], "down": [["2", "0"]], "down_bias": [["1"]],
}  # fmt: skip
DYCK = ["token", "balance", "error", "total"]


def document(**changes: Any) -> dict[str, Any]:
    """dyck-1 with another first layer."""
    model = json.loads((proofs_directory() / "models" / "dyck-1.json").read_text(encoding="utf-8"))
    assert model["space"] == DYCK
    model["layers"][0] |= changes
    return model


def norm(**changes: Any) -> dict[str, Any]:
    plain = {"kind": "rms-norm", "reads": DYCK, "writes": DYCK, "gain": [["1"], ["-1"], ["3/2"], ["0"]]}
    return plain | {"epsilon": "0", "projection": None, "zero_square": "refuse"} | changes


def equation(model: Mapping[str, Any], function: str) -> str:
    """The equation of a function."""
    return Relation(model).whole.of[function].text


def test_gated_units() -> None:
    """Written by hand from the definition: down (relu(gate x + b) * (up x + c)) + d; a unit without weight is left
    out."""
    made = equation(document(feedforward=GATED), "error")
    assert made == "error(i) = 2*(relu(token(i) + (-2)*balance(i)))*((1/2)*token(i) + (-1)) + 1"


def test_silu_is_a_quotient() -> None:
    made = equation(document(feedforward=GATED | {"activation": "silu", "down": [["0", "1"]]}), "error")
    assert made == "error(i) = ((balance(i) + 3)/(1 + exp(-(balance(i) + 3))))*(5) + 1"


def test_a_norm_without_mean() -> None:
    """The root of the mean of squares, and each entry times it is gain times what it was. Zero has no root to refuse
    where epsilon is above it."""
    normed = document(placement="post", attention_norms=[norm()], feedforward_norms=[norm(epsilon="1/3")])
    relation = Relation(normed)
    assert equation(normed, "rms1") == ("rms1(i) = sqrt(((token(i))^2 + (balance(i))^2 + (0)^2 + (0)^2)/4)")
    assert equation(normed, "y1_balance") == "y1_balance(i)*rms1(i) = -(balance(i))"
    assert equation(normed, "y1_error") == "y1_error(i)*rms1(i) = (3/2)*(0)"
    assert equation(normed, "rms1_").endswith("/4 + (1/3))")
    assert [premise.text for premise in relation.premises_after] == ["(all i in 1..n. 0 < rms1(i))"]
    assert not any(one.startswith("mu") for one in relation.defined)


def test_a_norm_without_mean_that_gives_zeros_and_one_of_a_projection() -> None:
    projected = norm(reads=["token"], writes=["p", "q"], projection=[["2"], ["-1"]], gain=[["1"], ["1"]])
    read = GATED | {"reads": ["p", "q"]}
    model = document(placement="multi pre", attention=None, feedforward=read, attention_norms=[],
                     feedforward_norms=[projected | {"zero_square": "zero"}])  # fmt: skip
    assert equation(model, "rms1") == "rms1(i) = sqrt(((2*token(i))^2 + (-token(i))^2)/2)"
    assert equation(model, "y1_q") == "y1_q(i)*rms1(i) = (-token(i)) & (rms1(i) = 0 -> y1_q(i) = 0)"


@pytest.mark.parametrize(
    ("changes", "must"),
    [
        ({"feedforward": GATED | {"kind": "rms-norm"}}, "the kind of a part must be network or gated; given: rms-norm"),
        ({"feedforward": GATED | {"kind": "network"}}, "a feed-forward layer must have only fields that"),
        ({"feedforward": GATED | {"slope": "1"}}, "gated units must have only fields that"),
        ({"placement": "post", "attention_norms": [norm(bias=[["0"]])]}, "an RMS norm must have only fields that"),
        ({"feedforward": GATED | {"activation": "mish"}}, "the activations relu, step, gelu, silu; given: mish"),
        ({"feedforward": GATED | {"up_bias": [["x"], ["0"]]}}, "must use its declared symbols only"),
        ({"placement": "post", "attention_norms": [norm(zero_square="one")], "feedforward_norms": [norm()]},
         "what norms do where their root is zero; given: one"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused(changes: Mapping[str, Any], must: str) -> None:
    with pytest.raises(BadInput, match=must):
        Relation(document(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"feedforward": GATED},
        {"feedforward": {**document()["layers"][0]["feedforward"], "activation": "silu"}},
        {"placement": "post", "attention_norms": [norm()], "feedforward_norms": [norm()]},
    ],
)
def test_coq_refuses_the_new_kinds_in_a_sentence(changes: Mapping[str, Any]) -> None:
    """Of a stored model it says the matrices; a certificate about equations that are written out needs none."""
    written: Any = SimpleNamespace(relation=Relation(document(**changes)))
    with pytest.raises(Untranslatable, match="heads, layer norms, and feed-forward layers with relu"):
        Equations(written, Relation(document()))  # type: ignore[arg-type]


def test_a_bridge_to_a_family_refuses_a_norm_without_mean() -> None:
    normed = document(placement="post", attention_norms=[norm()], feedforward_norms=[norm()])
    with pytest.raises(BadInput, match="a model that is compared with a family must have no norms except layer norms"):
        Recorded(normed)


def exact_model(kind: str, seed: int) -> sc.Transformer:
    """A model of one layer whose values have one root each, or none: of means, and gates by relu or an RMS norm."""
    draw = Random(f"{kind} {seed}")
    words = {token: {name: draw.randint(-2, 2) for name in SPACE} for token in LETTERS}
    placement = "none" if kind == "gated" else ("pre", "post", "multi pre")[seed % 3]
    norms = () if kind == "gated" else (rms(draw, SPACE, 2),) if placement == "multi pre" else (rms(draw),)
    seen = ("p1", "p0") if placement == "multi pre" else SPACE
    head = sc.Head(seen, SPACE[:2], [], [], matrix(draw, 2, len(seen)), draw.choice(["future", "strict-past"]))
    layer = sc.Layer(head, gated(draw, SPACE, "relu") if kind == "gated" else None, norms, (), placement)
    embedding = sc.Embedding(sc.Space(SPACE), words, positions={"out": "i"}, start=seed % 2)
    return sc.Transformer("drawn", embedding, (layer,), sc.Readout("value", "last", SPACE))


@pytest.mark.layer_one(0, 7, 8)
@pytest.mark.parametrize(("kind", "seed"), [(kind, seed) for kind in ("gated", "rms-norm") for seed in range(6)])
def test_the_run_relation_has_the_values_of_the_exact_run(kind: str, seed: int) -> None:
    """The equations are solved, without `forward`, for all strings of length 1 and 2."""
    model = exact_model(kind, seed)
    relation = Relation(json.loads(dumps(model)))
    runs, compared, low = _ModelRuns(relation), 0, int(relation.low)
    for length in (1, 2):
        for is_run in runs.at(length):
            values = {variable[1][0]: at for variable, at in runs.values.items()}
            word = [LETTERS[values["w"][low + k]] for k in range(length)]
            try:
                result = forward(model, model.tokens(word), make_domain("exact"), trace=True)
            except (NoRun, NotExact) as error:
                assert isinstance(error, NotExact) or not is_run
                continue
            assert is_run
            for name in SPACE:
                column: Any = result.stream[name]
                assert [str(values[relation.held[name]][low + k]) for k in range(length)] == [*map(str, column)], word
            compared += 1
    # Means of values with different roots are no exact numbers.
    assert compared == 12 if kind == "gated" else compared >= 3


def attending(**parts: Any) -> sc.Transformer:
    """A model of two coordinates whose head takes the mean of what is before."""
    embedding = sc.Embedding(sc.Space(("x", "y")), {"a": {"x": 3, "y": 4}, "b": {"y": -2}})
    head = sc.Head(("x", "y"), ("x", "y"), [], [], [["1/2", 0], [0, "1/2"]], "future")
    return sc.Transformer("m", embedding, (sc.Layer(head, **parts),), sc.Readout("sign", "last", ("y",), [[1]]))


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (attending(attention_norms=sc.RMSNorm(("x", "y")), placement="pre"), "accept -> ex i in 1..n. w(i) = 0"),
        (attending(feedforward=sc.GatedUnits(("x", "y"), ("x", "y"), [[1, 0], [0, -1]], [[1, 1], [0, 1]],
                                             [[1, 0], [1, -2]], "relu")), "(all i in 1..n. w(i) = 0) -> accept"),
    ],
    ids=["an RMS norm", "a gate"],
)  # fmt: skip
def test_a_statement_is_proved_from_the_weights_for_every_length(
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
    # And a false one has a counterexample.
    assert model.prove("accept <-> n = 3").status == "REFUTED"
