"""Every verb, command, number system and format is asked about a model with gated units, with RMS norms, and with heads
that have biases and a slope: it answers, or refuses in one sentence. Gates that make a relu, and biases of zero, leave
the model what it was, and so its answers."""

import io
import json
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from invented import calls

import symcook as sc
from symcook.errors import SymcookError

CALLS = calls()
OTHERS = {"seconds", "method", "notes", "formats", "path"}
"""What an answer says of the way to it, and what rounding makes of a product in place of a relu."""


def gated(model: sc.Transformer) -> sc.Transformer:
    """The model with step(z)*z in place of relu(z)."""

    def put(layer: sc.Layer) -> sc.Layer:
        f = layer.feedforward
        if not isinstance(f, sc.FeedForward) or f.activation != "relu":
            return layer
        same = sc.GatedUnits(f.reads, f.writes, f.W1, f.W1, f.W2, "step", f.b1, f.b1, f.b2)
        return replace(layer, feedforward=same)

    return replace(model, layers=tuple(map(put, model.layers)))


def normed(model: sc.Transformer) -> sc.Transformer:
    """The model with an RMS norm after each block, where it has no norms."""

    def put(layer: sc.Layer) -> sc.Layer:
        norm = (sc.RMSNorm(tuple(model.space), epsilon=1),)
        if layer.placement != "none":
            return layer
        norms = [norm if part is not None else () for part in (layer.attention, layer.feedforward)]
        return sc.Layer(layer.attention, layer.feedforward, *norms, "post")

    return replace(model, layers=tuple(map(put, model.layers)))


def answer(ask: Any, model: sc.Transformer, folder: Path) -> Any:
    """What is said; a refusal as an exception."""
    folder.mkdir()
    with redirect_stdout(io.StringIO()):
        said = ask(model, folder)
    if not hasattr(said, "to_json"):
        return None
    document = json.loads(json.dumps(said.to_json(), default=str))
    return {key: value for key, value in document.items() if key not in OTHERS}


def biased(model: sc.Transformer) -> sc.Transformer:
    """The model with heads that have biases of zero in place of the others."""
    return _headed(model, lambda head: {})


def tilted(model: sc.Transformer) -> sc.Transformer:
    """The model with biases and a slope in its heads."""
    return _headed(
        model, lambda head: {"v_bias": ["1/7"] * len(head.writes), "q_bias": [1] * head.Q.shape[0], "slope": "1/3"}
    )


def turned(model: sc.Transformer) -> sc.Transformer:
    """The model with rotary heads, which norm their queries and keys."""

    def more(head: Any) -> dict[str, Any]:
        keys = head.Q.shape[0]
        norms: dict[str, Any] = {} if not keys else {"q_gain": [1] * keys, "k_gain": [2] * keys, "qk_epsilon": "1/10"}
        return norms | ({} if keys % 2 or not keys else {"angles": ["1/3"] * (keys // 2)})

    return _headed(model, more, sc.RotaryHead)


def below(model: sc.Transformer) -> sc.Transformer:
    """The model with softmax with a one below in every head."""
    return _headed(model, lambda head: {"weighting": "softmax-plus-one"}, sc.Head)


def _headed(model: sc.Transformer, more: Any, kind: Any = sc.BiasedHead) -> sc.Transformer:
    """The model with other heads, which have what `more` says of each besides."""

    def put(head: Any) -> Any:
        words = {name: getattr(head, name) for name in ("mask", "weighting", "temperature", "scale")}
        return kind(head.reads, head.writes, head.Q, head.K, head.V, **{**words, **more(head)})

    def of_layer(layer: sc.Layer) -> sc.Layer:
        if layer.attention is None:
            return layer
        return replace(layer, attention=sc.SelfAttention(tuple(map(put, layer.attention.heads))))

    return replace(model, layers=tuple(map(of_layer, model.layers)))


@pytest.mark.parametrize("change", [gated, normed, biased, tilted, turned, below])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.layer_two(every=4)
def test_an_answer_or_a_sentence(name: str, change: Any, tmp_path: Path) -> None:
    make, ask = CALLS[name]
    model = make()
    other = change(model)
    try:
        found = answer(ask, other, tmp_path / "other")
    except SymcookError as error:
        assert error.exit_code in (2, 3), error
        return
    # These show the weights, which are others, or the constants of papers, which are of plain heads.
    if change in (gated, biased) and name not in ("verb arrays", "verb export", "bound error"):
        assert found == answer(ask, model, tmp_path / "model")


def test_the_changes_change() -> None:
    assert sum(gated(make()) != make() for make, _ in CALLS.values()) > 40
    for change in (normed, biased, tilted, turned, below):
        assert sum(change(make()) != make() for make, _ in CALLS.values()) > 40
