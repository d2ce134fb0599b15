"""The equations of RMS norms and of gated units, as they are written; any other kind of part is refused."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from symcook.errors import BadInput
from symcook.proof.bridges.correspondence import Recorded
from symcook.proof.files import proofs_directory
from symcook.proof.runrel import Relation

GATED = {
    "kind": "gated", "reads": ["token", "balance"], "writes": ["error"], "activation": "relu",
    "gate": [["1", "-2"], ["0", "1"]], "gate_bias": [["0"], ["3"]], "up": [["1/2", "0"], ["0", "0"]],
    "up_bias": [["-1"], ["5"]], "down": [["2", "0"]], "down_bias": [["1"]],
}  # fmt: skip
SPACE = ["token", "balance", "error", "total"]


def document(**changes: Any) -> dict[str, Any]:
    """dyck-1 with another first layer."""
    model = json.loads((proofs_directory() / "models" / "dyck-1.json").read_text(encoding="utf-8"))
    assert model["space"] == SPACE
    model["layers"][0] |= changes
    return model


def norm(**changes: Any) -> dict[str, Any]:
    plain = {"kind": "rms-norm", "reads": SPACE, "writes": SPACE, "gain": [["1"], ["-1"], ["3/2"], ["0"]]}
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


def test_a_bridge_to_a_family_refuses_a_norm_without_mean() -> None:
    normed = document(placement="post", attention_norms=[norm()], feedforward_norms=[norm()])
    with pytest.raises(BadInput, match="a model that is compared with a family must have layer norms"):
        Recorded(normed)
