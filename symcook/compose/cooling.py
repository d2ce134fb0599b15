"""Changes of the attention of a model: softmax for hard attention and back, reversal, and one head per layer.

Most functions take a model and return a new one; `single_head` takes a layer as well. The embedding, the feed-forward
sublayers and the readout stay the same, except that `reverse` mirrors them, and `single_head` may add coordinates and
feed-forward sublayers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, overload

from symcook.compose.routing import fresh, united
from symcook.compose.stacking import keep_norms, widen
from symcook.door import door
from symcook.errors import BadInput
from symcook.model.parts import AnyHead, FeedForward, Head, Layer, RotaryHead, SelfAttention
from symcook.model.reads import BIASED_HEADS, NORMS_AND_GATES, ROTARY, PartsRead
from symcook.model.symbols import exact, symbol
from symcook.model.transformer import Parameter, Transformer

READS = PartsRead("the change of heads")
TEMPERED = PartsRead("the change of temperatures", **NORMS_AND_GATES, **BIASED_HEADS, **ROTARY)
"""What `soften`, `harden` and `plain_scores` read. They change the weighting, the temperature and the scale of heads
alone. Softmax with a one below has no hard attention as its limit, and is not among the words."""


@door()
def soften(model: Transformer, tau: str = "tau") -> Transformer:
    """The model with softmax attention at a temperature that is the parameter `tau` > 0, in every head that has
    scores.

    The scores of a hard head (average, leftmost, rightmost) are divided by tau; those of a softmax head, whose
    temperature may depend on i and n, by tau times that. A plain average (no scores, no tie broken) stays as it is.
    As tau goes to 0, softmax goes to average-hard attention. Where leftmost or rightmost attention breaks a tie it
    does not, so that the two may differ at every temperature.

    Arguments:
        tau: str ("tau"). The name of the new parameter.

    Returns: Transformer with the parameter `tau`.

    Raises: BadInput: tau is declared already, or all heads are plain averages.

    Example:

    >>> from symcook.recipes import build
    >>> [parameter.name for parameter in soften(build("first-flawed")).parameters]
    ['c', 'tau']

    Source: Cookbook, Section 5.7.
    """
    if any(p.name == tau for p in model.parameters):
        raise BadInput(
            "the symbol of the temperature must have a name that the model does not use yet", tau, 'write soften("t")'
        )
    if all(head.averages for head in all_heads(model)):
        raise BadInput(
            "a model to be softened must have a head whose scores differ, not only plain averages",
            model.name,
            "softmax gives such heads the same weights at every temperature",
        )

    def soft(head: AnyHead) -> AnyHead:
        """The head with softmax attention; a plain average as it is."""
        if head.averages:
            return head
        old_temperature = head.temperature if head.weighting == "softmax" else 1
        return replace(head, weighting="softmax", temperature=old_temperature * symbol(tau))

    parameters = (*model.parameters, Parameter(tau, lower=0))
    return replace(model, name=f"{model.name} softened", layers=_layers(model, soft), parameters=parameters)


def harden(model: Transformer) -> Transformer:
    """`model` with average-hard attention in place of softmax: the limit of `soften` as its temperature goes to 0.

    A symbol that occurs only in temperatures is removed from the model's symbols.
    Source: Cookbook, Definition 5.2.
    """

    def hard(head: AnyHead) -> AnyHead:
        """The head with average weighting instead of softmax."""
        return replace(head, weighting="average", temperature=1) if head.weighting == "softmax" else head

    # Symbols of the old temperatures that occur nowhere else are removed.
    hardened = replace(model, name=f"{model.name} hardened", layers=_layers(model, hard))
    cooled = {
        temperature_symbol.name for head in all_heads(model) for temperature_symbol in head.temperature.free_symbols
    }
    gone = cooled - {
        remaining_symbol.name
        for value, _, _ in hardened.expressions(symbolic=True, tables=False)
        for remaining_symbol in value.free_symbols
    }
    return replace(hardened, parameters=tuple(p for p in model.parameters if p.name not in gone))


def plain_scores(model: Transformer) -> Transformer:
    """`model` with the scale of every head multiplied into its queries, where square roots in the two may cancel. Where
    queries are normed, it is multiplied into the gains of the norm. A slope of scores is not scaled."""

    def scaled(head: AnyHead) -> AnyHead:
        """The head with scale 1 and scaled queries."""
        if head.scale == 1:
            return head
        if isinstance(head, Head):
            names = ("Q",)
        else:
            names = ("q_gain",) if isinstance(head, RotaryHead) and head.q_gain is not None else ("Q", "q_bias")
        larger = {name: (getattr(head, name) * head.scale).applyfunc(exact) for name in names}
        return replace(head, **larger, scale=1)

    return replace(model, layers=_layers(model, scaled))


def all_heads(model: Transformer) -> list[AnyHead]:
    """The heads of all layers, in order."""
    steps = (step.block for step in TEMPERED.of(model).sublayers)
    return [head for block in steps if isinstance(block, SelfAttention) for head in block.heads]


def _layers(model: Transformer, change: Callable[[AnyHead], AnyHead]) -> tuple[Any, ...]:
    """The layers of a model with `change` applied to each head."""
    return tuple(
        layer
        if layer.attention is None
        else replace(layer, attention=SelfAttention(tuple(map(change, layer.attention.heads))))
        for layer in TEMPERED.of(model).layers
    )


MIRROR = {"average": "average", "softmax": "softmax", "leftmost": "rightmost", "rightmost": "leftmost"}
"""Weighting -> the weighting on the reversed string."""


def reverse(model: Transformer, *, name: str | None = None) -> Transformer:
    """The model whose values at position i of a string are those of `model` at the mirrored position of the reversed
    string.

    Past and future masks, leftmost and rightmost weightings, the first and the last position in the readout, and the
    tokens before and after the string (CLS and EOS) are exchanged; i becomes n + 2 start - 1 - i in position functions
    and temperatures.
    """
    i, n = symbol("i"), symbol("n")
    old_embedding = model.embedding
    mirrored = n + 2 * old_embedding.start - 1 - i
    moved = model.mapped(lambda value: value.subs(i, mirrored) if i in value.free_symbols else value, model.parameters)

    def layer(old_layer: Layer) -> Layer:
        """The layer with mirrored masks and weightings."""
        if old_layer.attention is None:
            return old_layer
        heads = (
            replace(h, mask=h.sees.mirrored.value, weighting=MIRROR[h.weighting]) for h in old_layer.attention.heads
        )
        return replace(old_layer, attention=SelfAttention(tuple(heads)))

    return replace(
        moved,
        name=f"{model.name} reversed" if name is None else name,
        embedding=replace(moved.embedding, before=old_embedding.after, after=old_embedding.before),
        layers=tuple(map(layer, READS.of(moved).layers)),
        readout=moved.readout.mirrored(),
    )


@overload
def single_head(block: Transformer) -> Transformer: ...
@overload
def single_head(block: Layer, taken: Iterable[str] = ()) -> tuple[Layer, ...]: ...
def single_head(block: Layer | Transformer, taken: Iterable[str] = ()) -> tuple[Layer, ...] | Transformer:
    """Layers of one head each that together compute the same as a layer, or all layers of a model, with several heads.

    If there is an order of the heads in which none changes what a later one reads, the heads are stacked in that order.
    Otherwise each head writes to new coordinates (with names that are not in `taken`), so that all heads read the
    original stream; then a feed-forward sublayer adds the new coordinates to those that the heads write, and sets the
    new ones to zero. At every position the coordinates of the layer end with the same values. BadInput for a post-norm
    where no such order exists: the new coordinates would change its mean.
    Source: Cookbook, Section 5.5; the addition is that of Section 4.5.
    """
    if isinstance(block, Layer):
        used = {name for part in block.parts() for name in (*part.reads, *part.writes)}
        return _one_head_each(block, {*taken, *used})[0]
    names = {*block.space, *(p.name for p in block.parameters)}
    layers: list[tuple[Layer, ...]] = []
    new: dict[str, None] = {}
    for layer in READS.of(block).layers:
        stack, new_coordinates = _one_head_each(layer, names)
        layers.append(stack)
        new |= dict.fromkeys(new_coordinates)
    wide = widen(block, tuple(new))
    flat = (layer for stack in layers for layer in stack)
    return replace(wide, layers=tuple(keep_norms(layer) if new else layer for layer in flat))


def _one_head_each(layer: Layer, taken: set[str]) -> tuple[tuple[Layer, ...], tuple[str, ...]]:
    """The stack of layers in place of one, and its new coordinates, which are zero again after the last layer."""
    heads: tuple[Head, ...] = layer.attention.heads if layer.attention is not None else ()
    if len(heads) < 2:
        return (layer,), ()
    # With a norm before the attention, a head depends on all coordinates that the norm reads.
    pre = layer.placement not in ("none", "post")
    reads_of = [{name for norm in layer.attention_norms for name in norm.reads} if pre else set(h.reads) for h in heads]
    order = _harmless_order(heads, reads_of)
    # In such an order each head gets a layer; the last layer keeps the feed-forward sublayer and later norms.
    if order:
        lower = [
            Layer(
                SelfAttention((heads[h],)),
                attention_norms=layer.attention_norms if pre else (),
                placement=layer.placement if pre else "none",
            )
            for h in order[:-1]
        ]
        return (*lower, replace(layer, attention=SelfAttention((heads[order[-1]],)))), ()
    return _by_new_coordinates(keep_norms(layer), heads, taken)


def _by_new_coordinates(
    layer: Layer, heads: Sequence[Head], taken: set[str]
) -> tuple[tuple[Layer, ...], tuple[str, ...]]:
    """The stack of layers and its new coordinates as in `_one_head_each`, where there is no harmless order: each head
    writes to new coordinates; after the last head, a feed-forward sublayer adds these to the old ones. The layer's own
    feed-forward sublayer follows."""
    # Pairs (new coordinate, coordinate that the head writes).
    own: list[tuple[str, str]] = []
    stack: list[Layer] = []
    for number, head in enumerate(heads, 1):
        for name in head.writes:
            own.append((fresh(f"{name}_head{number}", {*taken, *(new for new, _ in own)}), name))
        block = replace(head, writes=tuple(new for new, _ in own[len(own) - len(head.writes) :]))
        stack.append(Layer(SelfAttention((block,)), None, layer.attention_norms, (), layer.placement))
    # Without norms the delivery may share the last layer; with norms it needs one without any.
    if layer.placement == "none":
        stack[-1] = replace(stack[-1], feedforward=_deliver(own))
    else:
        stack.append(Layer(None, _deliver(own)))
    if layer.feedforward is not None:
        stack.append(Layer(None, layer.feedforward, (), layer.feedforward_norms, layer.placement))
    return tuple(stack), tuple(new for new, _ in own)


def _harmless_order(heads: Sequence[Head], seen: Sequence[set[str]]) -> list[int] | None:
    """An order of the heads in which none writes a coordinate that a later one depends on (`seen`, for each head); None
    where there is no such order."""
    remaining, order = list(range(len(heads))), []

    def harmless(h: int) -> bool:
        """Whether head h writes nothing that another remaining head depends on."""
        return not any(set(heads[h].writes) & seen[later] for later in remaining if later != h)

    while remaining:
        following = next(filter(harmless, remaining), None)
        if following is None:
            return None
        remaining.remove(following)
        order.append(following)
    return order


def _deliver(pairs: Sequence[tuple[str, str]]) -> FeedForward:
    """The feed-forward sublayer that adds the first coordinate of each pair to the second, and sets the first to zero;
    by x = relu(x) - relu(-x)."""
    import sympy

    sources = tuple(new for new, _ in pairs)
    targets = united(name for _, name in pairs)
    add = sympy.ImmutableMatrix(len(targets), len(pairs), lambda r, c: int(pairs[c][1] == targets[r]))
    identity = sympy.eye(len(pairs))
    weights = sympy.ImmutableMatrix.vstack(add, -identity)
    return FeedForward(
        sources,
        (*targets, *sources),
        W1=sympy.ImmutableMatrix.vstack(identity, -identity),
        b1=[0] * (2 * len(pairs)),
        W2=sympy.ImmutableMatrix.hstack(weights, -weights),
        b2=[0] * (len(targets) + len(sources)),
    )
