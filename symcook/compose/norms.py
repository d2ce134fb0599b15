"""Several norms before a sublayer as one norm per layer: Proposition 1 of Merrill and Sabharwal (2024), as a function.

`one_norm` takes a model with "multi pre" norms and returns one with "projected pre" norms and more layers, with the
same values on the old coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from symcook.compose.routing import fresh
from symcook.compose.stacking import keep_norms, widen
from symcook.door import door
from symcook.errors import BadInput
from symcook.model.parts import FeedForward, Layer, LayerNorm, SelfAttention
from symcook.model.reads import PartsRead
from symcook.model.symbols import from_sympy
from symcook.model.transformer import Transformer

READS = PartsRead("the joining of norms")


@door()
def one_norm(model: Transformer) -> Transformer:
    """`model` with "projected pre" in place of "multi pre": each part with k > 1 norms before it becomes k + 1 layers.

    Each of the first k layers reads one norm, and writes its output without gain and bias to new coordinates. The last
    layer reads one norm over all new coordinates, with the gains and biases of the k norms, and is the part itself. On
    the coordinates of `model` every value is the same. In the paper a normalised vector has length 1, so that the
    joint norm divides by sqrt(k), which the weights after it undo. Here normalised entries have variance 1, also all
    together, so that the joint norm changes nothing, and no square root is needed.

    Raises BadInput for a norm that is one of several with an epsilon or with zero in place of a variance of zero, whose
    entries need not have variance 1; and for a norm over the whole stream that is not before a part.
    Source: Proposition 1 and Appendix A.1.

    >>> from symcook.compilers import compile
    >>> model = one_norm(compile("dfa", "(aa)*"))
    >>> {layer.placement for layer in model.layers}, {len(layer.attention_norms) for layer in model.layers}
    ({'projected pre'}, {0, 1})
    """
    names: list[str] = []
    layers = [new for layer in READS.of(model).layers for new in _split(model, layer, names)]
    wide = widen(replace(model, layers=()), names)  # a norm over the old stream keeps to it
    return replace(wide, layers=tuple(keep_norms(layer) if names else layer for layer in layers))


def _split(model: Transformer, layer: Layer, names: list[str]) -> Iterator[Layer]:
    """The layers in place of one; the coordinates that they add to the stream are appended to `names`."""
    if layer.placement != "multi pre":
        yield layer
        return
    # For a sublayer with several norms, each norm first writes a copy; then the sublayer reads one norm of all copies,
    # which are the last of `names`.
    for block, norms in layer.blocks():
        yield from _copies(model, norms, names) if len(norms) > 1 else ()
        combined = _joint_norm(norms, names[len(names) - sum(len(norm.writes) for norm in norms) :])
        if isinstance(block, SelfAttention):
            yield Layer(block, None, (combined,), (), "projected pre")
        else:
            yield Layer(None, block, (), (combined,), "projected pre")


def _copies(model: Transformer, norms: Sequence[LayerNorm], names: list[str]) -> Iterator[Layer]:
    """A layer for each norm, which writes its entries, without gain and bias, to new coordinates."""
    for norm in norms:
        # The entries after a norm with epsilon, or of a zero variance, have a variance below 1, so that the joint norm
        # would scale them.
        if norm.epsilon != 0 or norm.zero_variance != "refuse":
            must = "if several norms come before one sublayer, each must have epsilon 0 and no value for zero variance"
            norm_text = f"epsilon {from_sympy(norm.epsilon)}, {norm.zero_variance}"
            raise BadInput(must, norm_text, "leave the layer as it is")
        writes = []
        for name in norm.writes:
            writes.append(fresh(name, (*model.space, *names, *writes)))
        size = len(writes)
        plain = replace(norm, gain=[1] * size, bias=[0] * size)
        same = [[int(r == c) for c in range(size)] for r in range(size)]
        both = [[sign * value for value in row] for sign in (1, -1) for row in same]  # y = relu(y) - relu(-y)
        back = [[*row, *(-value for value in row)] for row in same]
        copy = FeedForward(norm.writes, tuple(writes), both, [0] * 2 * size, back, [0] * size)
        names.extend(writes)
        yield Layer(None, copy, (), (plain,), "projected pre")


def _joint_norm(norms: Sequence[LayerNorm], reads: Sequence[str]) -> LayerNorm:
    """The norm over the copies `reads`, with the gains and biases of the norms; a single norm is returned as it is."""
    if len(norms) == 1:
        return norms[0]
    writes = tuple(name for norm in norms for name in norm.writes)
    same = [[int(r == c) for c in range(len(writes))] for r in range(len(writes))]
    gain = [value for norm in norms for value in norm.gain]
    bias = [value for norm in norms for value in norm.bias]
    return LayerNorm(tuple(reads), writes, gain=gain, bias=bias, projection=same)
