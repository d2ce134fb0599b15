"""Wider and deeper models, and two models in series or in parallel. Source: Cookbook, Section 8.3.

Coordinates with the same name are one coordinate. In series, the inputs of the second model are coordinates of the
first. In parallel, both models keep their own coordinates, renamed where names clash, except for inputs that both read;
their layers are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from symcook.compose.routing import choice, fresh, over, rename, united
from symcook.errors import BadInput, require_known, unknown
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.reads import PartsRead
from symcook.model.symbols import symbol
from symcook.model.transformer import Parameter, Transformer

READS = PartsRead("the composition of models")


def widen(model: Transformer, names: Sequence[str]) -> Transformer:
    """`model` with further coordinates that are zero and that nothing reads or writes.

    A pre-norm over the whole stream becomes a projected one over the old coordinates. BadInput where a name exists
    already, and for a post-norm or a final norm: the mean over a wider stream is another one.
    """
    names = (names,) if isinstance(names, str) else names
    return _in_space(model, Space((*model.space, *names))) if names else model


def _in_space(model: Transformer, space: Space) -> Transformer:
    """The model over more coordinates; norms over the whole residual stream become projections onto the old ones."""
    if set(space) == set(model.space):
        return model
    if model.final_norm is not None:
        raise BadInput(
            "a model with a norm over the whole residual stream cannot get more coordinates",
            f"{model.name}: final",
            "give a model without such a norm",
        )
    return replace(
        model,
        embedding=replace(model.embedding, space=space),
        layers=tuple(keep_norms(layer) for layer in READS.of(model).layers),
    )


def keep_norms(layer: Layer) -> Layer:
    """`layer` in a wider stream: a norm over the whole residual stream before a sublayer becomes a projected one over
    the old coordinates. BadInput for a post-norm."""
    if layer.placement == "post":
        raise BadInput(
            "a model with a norm over the whole residual stream cannot get more coordinates",
            "placement post",
            "give a model without such a norm",
        )
    if layer.placement != "pre":
        return layer

    def projected(norms: tuple[LayerNorm, ...]) -> tuple[LayerNorm, ...]:
        """The norms with the identity as a projection, which reads and writes the old coordinates."""
        return tuple(replace(norm, projection=choice(norm.writes, norm.reads)) for norm in norms)

    return replace(
        layer,
        attention_norms=projected(layer.attention_norms),
        feedforward_norms=projected(layer.feedforward_norms),
        placement="projected pre",
    )


def identity_layer(coordinate: str) -> Layer:
    """A layer that changes nothing: the zero feed-forward part of Section 4.3 on one coordinate."""
    return Layer(None, FeedForward((coordinate,), (coordinate,), W1=[[0]], b1=[0], W2=[[0]], b2=[0]))


def pad(model: Transformer, *, depth: int | None = None, width: int | None = None) -> Transformer:
    """`model` with identity layers on top to `depth` layers and unused coordinates to `width`; same values.

    BadInput where it is deeper or wider already, or where `widen` refuses.
    """
    for what, asked, has in (("depth", depth, len(model.layers)), ("width", width, len(model.space))):
        if asked is not None and (type(asked) is not int or asked < has):
            raise BadInput(
                f"the {what} must be an integer of at least {has}, the present number", asked, f"give at least {has}"
            )
    names: list[str] = []
    for _ in range((width or 0) - len(model.space)):
        names.append(fresh("unused", (*model.space, *names, *(p.name for p in model.parameters))))
    extra = (depth or 0) - len(model.layers)
    wide = widen(model, names)
    return replace(wide, layers=(*READS.of(wide).layers, *[identity_layer(model.space.names[0])] * extra))


def shifted(model: Transformer, start: int) -> Transformer:
    """`model` with positions numbered from `start`: weights use i + model.start - start for i."""
    embedding = model.embedding
    if embedding.start == start:
        return model
    i = symbol("i")
    moved = model.mapped(lambda value: value.subs(i, i + embedding.start - start), model.parameters)
    return replace(moved, embedding=replace(moved.embedding, start=start))


def joint_parameters(first: Iterable[Parameter], second: Iterable[Parameter]) -> tuple[Parameter, ...]:
    """The declared symbols of both, united by name. BadInput for a symbol that the two declare differently."""
    result = {p.name: p for p in first}
    for parameter in second:
        if result.setdefault(parameter.name, parameter) != parameter:
            must = "a symbol that both models declare must have one default and one region"
            raise BadInput(must, parameter.name, "rename it in one of the two models")
    return tuple(result.values())


def least(lengths: Iterable[int | None]) -> int | None:
    """The smallest of the lengths that are not None; None if there is none."""
    return min((n for n in lengths if n is not None), default=None)


def written(model: Transformer) -> set[str]:
    """The coordinates that some block or norm of the model writes."""
    result = {name for layer in READS.of(model).layers for part in layer.parts() for name in part.writes}
    return result & set(model.space)


def serial(
    first: Transformer, second: Transformer | Layer | Iterable[Layer], *, name: str | None = None
) -> Transformer:
    """`second` on top of `first`: second(first(w)) at every position.

    Spaces are united by name. As a model, `second` takes rows of inputs: each of its inputs is a coordinate of `first`,
    and its other coordinates are new, or position functions that both share and `first` leaves alone. The readout is
    that of `second`. As layers, `second` reads and writes the coordinates of `first` and the readout stays. BadInput
    where the spaces do not match, and where a norm over the whole residual stream would see another stream.
    Source: Cookbook, Section 8.3, Lemma 8.2.
    """
    # Layers are appended as they are; a model is checked against the space of `first`.
    if isinstance(second, Layer):
        second = (second,)
    if first.final_norm is not None:
        raise BadInput(
            "the first model of a serial composition must not end in a norm",
            first.name,
            "give a first model without a norm at its end",
        )
    if not isinstance(second, Transformer):
        return replace(first, name=first.name if name is None else name, layers=(*READS.of(first).layers, *second))
    second = shifted(second, first.embedding.start)
    _check_serial(first, second)
    # Both models are extended to the union of the two spaces. The maximum length of a pointwise model does not count.
    space = Space(united((*first.space, *second.space)))
    bottom, top = _in_space(first, space), _in_space(second, space)
    limits = (first.max_length, None if second.pointwise else second.max_length)
    return Transformer(
        f"{first.name}, {second.name}" if name is None else name,
        replace(bottom.embedding, positions={**bottom.embedding.positions, **top.embedding.positions}),
        (*READS.of(bottom).layers, *READS.of(top).layers),
        second.readout,
        joint_parameters(first.parameters, second.parameters),
        least(limits),
        "; ".join(united(source for source in (first.source, second.source) if source)),
        top.final_norm,
    )


def _check_serial(first: Transformer, second: Transformer) -> None:
    """BadInput where an input of `second` is no coordinate of `first`, or where another coordinate of `second` already
    has values in `first`."""
    inputs, positions = second.embedding.inputs, second.embedding.positions
    if inputs is None:
        do = "give it inputs that are named like coordinates of the first"
        raise BadInput("the second model of a serial composition must read inputs", second.name, do)
    for name in inputs:
        if name not in first.space:
            raise unknown(f"input {name} of the second model among the coordinates of the first", name, [*first.space])
        if name in positions:
            raise BadInput(
                "a coordinate must not be both an input of the second model and one of its position functions",
                name,
                "rename the position function of the second model",
            )
    # A coordinate of `second` that is no input must start at zero, or have the same position function in both.
    embedding = first.embedding
    occupied = {c for values in (embedding.words or {}).values() for c in values} | set(embedding.inputs or ())
    occupied |= written(first)
    for name in second.space:
        if name not in first.space or name in inputs:
            continue
        if name in occupied or name not in positions or embedding.positions.get(name) != positions[name]:
            must = "a coordinate of the second model must be an input, a position function of both models, or new"
            raise BadInput(must, name, "rename it")


def parallel(
    first: Transformer,
    second: Transformer,
    *,
    suffixes: tuple[str, str] = ("_1", "_2"),
    readout: Readout | str | None = None,
    stacked: bool = False,
    name: str | None = None,
) -> Transformer:
    """Both models side by side: at every position the coordinates of `first` and those of `second`.

    A coordinate that both have gets a suffix in each. Inputs that both have are one input, which neither may write. A
    level has the heads of both and one block-diagonal feed-forward part (two layers where the activations differ); the
    shorter model is padded. With `stacked` each level is two layers, one for each model, as in the paper, and there are
    2 max(L1, L2) of them. The readout shows what both show; "first" and "second" keep that of one model, or give a
    Readout in the new names.

    BadInput for a model with layer norm, other tokens, or a symbol that the two declare differently.
    Source: Cookbook, Section 8.3, Lemma 8.3 and Eq. (40).
    """
    # A layer norm would normalise the coordinates of both models together.
    for model in (first, second):
        if model.normed:
            must = "models in parallel must have no layer norm: it would read the coordinates of both"
            raise BadInput(must, model.name, "give a model without layer norm")
    second = shifted(second, first.embedding.start)
    # Coordinates that both models have get a suffix, except inputs that they share.
    shared = _shared_inputs(first, second)
    common = [c for c in first.space if c in second.space and c not in shared]
    first = rename(first, {c: c + suffixes[0] for c in common})
    second = rename(second, {c: c + suffixes[1] for c in common})
    clash = (set(first.space) & set(second.space)) - shared
    if clash:
        must = "coordinates must still differ after the suffixes are added"
        raise BadInput(must, sorted(clash)[0], "give other suffixes")
    # Layer k of the first model is merged with layer k of the second.
    merge = _stack if stacked else _side_by_side
    depth = max(len(first.layers), len(second.layers))
    layers = [
        layer for level in range(depth) for layer in merge(_at(first, level, stacked), _at(second, level, stacked))
    ]
    return Transformer(
        f"{first.name} | {second.name}" if name is None else name,
        _beside(first.embedding, second.embedding),
        tuple(layers),
        _joint_readout(first, second, readout),
        joint_parameters(first.parameters, second.parameters),
        least((first.max_length, second.max_length)),
        "; ".join(united(source for source in (first.source, second.source) if source)),
    )


def _shared_inputs(first: Transformer, second: Transformer) -> set[str]:
    """The inputs that both models read; BadInput where the models do not take the same sequences."""
    first_embedding, second_embedding = first.embedding, second.embedding
    if (first_embedding.words is None) != (second_embedding.words is None):
        raise BadInput(
            "models in parallel must both read strings or both read numbers",
            f"{first.name} and {second.name}",
            "give two models of one kind",
        )
    if set(first_embedding.words or ()) != set(second_embedding.words or ()):
        odd = sorted(set(first_embedding.words or ()) ^ set(second_embedding.words or ()))
        raise BadInput(
            "models in parallel must read the same alphabet", ", ".join(odd), "give models over one alphabet"
        )
    if (first_embedding.before, first_embedding.after) != (second_embedding.before, second_embedding.after):
        raise BadInput(
            "models in parallel must add the same special tokens (such as BOS)",
            f"{first.name} and {second.name}",
            "build both with the same before and after",
        )
    shared = set(first_embedding.inputs or ()) & set(second_embedding.inputs or ())
    for model in (first, second):
        touched = sorted(shared & (written(model) | set(model.embedding.positions)))
        if touched:
            must = "neither model may write to a coordinate that both read as input"
            raise BadInput(must, f"{touched[0]} in {model.name}", "rename it in one of the two models")
    return shared


def _beside(first: Embedding, second: Embedding) -> Embedding:
    """The embedding with the token values, inputs and position functions of both."""
    return replace(
        first,
        space=Space(united((*first.space, *second.space))),
        words=first.words and {token: {**first.words[token], **(second.words or {})[token]} for token in first.words},
        inputs=None if first.inputs is None else united((*first.inputs, *(second.inputs or ()))),
        positions={**first.positions, **second.positions},
    )


def _at(model: Transformer, level: int, padded: bool) -> Layer | None:
    """The layer at a level; above the last layer, None, or, where `padded`, an identity layer."""
    if level < len(model.layers):
        return READS.of(model).layers[level]
    return identity_layer(model.space.names[0]) if padded else None


def _stack(first: Layer | None, second: Layer | None) -> list[Layer]:
    """The layers as two levels, one after the other; None is left out."""
    return [layer for layer in (first, second) if layer is not None]


def _side_by_side(first: Layer | None, second: Layer | None) -> list[Layer]:
    """One layer that merges both, which are on disjoint coordinates; two layers where the activations differ."""
    if first is None or second is None:
        return _stack(first, second)
    heads = [head for layer in (first, second) if layer.attention is not None for head in layer.attention.heads]
    networks = [layer.feedforward for layer in (first, second) if layer.feedforward is not None]
    if len({network.activation for network in networks}) == 2:
        return [level(heads, networks[:1]), Layer(None, networks[1])]
    return [level(heads, networks)]


def level(heads: Sequence[Head], networks: Sequence[FeedForward]) -> Layer:
    """One layer with all of the heads and feed-forward sublayers, which have one activation."""
    return Layer(SelfAttention(tuple(heads)) if heads else None, diagonal(networks) if networks else None)


def diagonal(networks: Sequence[FeedForward]) -> FeedForward:
    """One feed-forward sublayer that computes the sum of all of them. All must have the same activation."""
    import sympy

    if len(networks) == 1:
        return networks[0]
    reads = united(name for network in networks for name in network.reads)
    writes = united(name for network in networks for name in network.writes)
    wide = [over(network, reads, writes) for network in networks]
    return FeedForward(
        reads,
        writes,
        sympy.ImmutableMatrix.vstack(*(network.W1 for network in wide)),
        sympy.ImmutableMatrix.vstack(*(network.b1 for network in wide)),
        sympy.ImmutableMatrix.hstack(*(network.W2 for network in wide)),
        sum((network.b2 for network in wide), sympy.zeros(len(writes), 1)),
        networks[0].activation,
    )


def _joint_readout(first: Transformer, second: Transformer, readout: Readout | str | None) -> Readout:
    """The readout of the joint model: the given one, that of one model, or both side by side as values."""
    if isinstance(readout, Readout):
        return readout
    if readout is not None:
        require_known("readout to keep", readout, ("first", "second"))
        return first.readout if readout == "first" else second.readout
    first_readout, second_readout = first.readout, second.readout
    alike = first_readout.position == second_readout.position and not first_readout.together
    position = first_readout.position if alike else "each"
    return Readout("value", position, united((*first_readout.reads, *second_readout.reads)))
