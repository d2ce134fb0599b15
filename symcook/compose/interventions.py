"""Interventions: a model without a head or a feed-forward layer, with a coordinate patched at a position, or with other
weights. Each is a model like any other, so it can be compared, decided and proved about.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.compose.namedweights import Weight, named_parts, read_weight, require_part, with_part, with_weight
from symcook.compose.routing import fresh
from symcook.compose.sizes import sizes_after
from symcook.declaration import load
from symcook.door import door
from symcook.errors import BadInput, require_known, unknown
from symcook.model.checks import Space
from symcook.model.entries import held
from symcook.model.parts import BiasedHead, FeedForward, Head, Layer, LayerNorm
from symcook.model.reads import PartsRead
from symcook.model.symbols import Exact, exact, from_sympy
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    from symcook.model.transformer import TypedWord

READS = PartsRead("an intervention")
OUTPUTS = {"Head": ("V",), "BiasedHead": ("V", "v_bias"), "FeedForward": ("W2", "b2")}
"""The matrices that are zero in a part that adds nothing."""


@door(head='give the name of a head, as in without(head="L1.head1")', feedforward="give a layer, as in feedforward=1")
def without(model: Transformer, *, head: str | None = None, feedforward: int | None = None) -> Transformer:
    """The model in which a head or a feed-forward layer adds nothing (zero ablation).

    The weights that write are set to zero. So all other layers and heads keep their indices, and norms stay.

    Arguments:
        head: str or None (None). The name of a head, such as "L1.head2"; layers and heads count from 1.
        feedforward: int or None (None). The layer whose feed-forward layer adds nothing, counted from 1.

    Returns: Transformer.

    Raises: BadInput: the model has no such part, with the nearest name; neither or both arguments.

    Example:

    >>> from symcook.recipes import build
    >>> build("dyck-1").without(feedforward=1).prove("accept <-> count('(') = count(')')").status
    'PROVED'
    """
    if (head is None) == (feedforward is None):
        given = "neither" if head is None else "both"
        raise BadInput(
            "either a head or a feed-forward layer must be given, and not both",
            given,
            'write head="L1.head1" or feedforward=1',
        )
    name = head if head is not None else f"L{feedforward}.ff"
    kind = (Head, BiasedHead) if head is not None else FeedForward
    require_known("part of the model", name, [part for part, one in named_parts(model) if isinstance(one, kind)])

    def silent(part: Any) -> Any:
        """The part with zeros for all weights that write."""
        return replace(part, **{matrix: _zeros(part, matrix) for matrix in OUTPUTS[type(part).__name__]})

    return _changed(with_part(model, name, silent), f"{model.name} without {name}")


def _zeros(part: Any, matrix: str) -> list[list[int]]:
    """A matrix of zeros of the shape that this matrix of the part has."""
    rows, columns = held(part, matrix).shape
    return [[0] * columns for _ in range(rows)]


def _changed(model: Transformer, name: str) -> Transformer:
    """The model under a new name. It is no longer what its program compiles to."""
    return replace(model, name=name, program=None)


@door(weights='give weights by name, as in with_weights({"L1.ff.b1[1]": "1/2"})')
def with_weights(model: Transformer, weights: Mapping[str, Any], *, name: str | None = None) -> Transformer:
    """The model with other values for some weights.

    Arguments:
        weights: {name: value}. A name is that of one weight, such as "L1.head1.V[balance,token]", "L2.ff.b1[3]" or
            "readout[total]", whose value is an exact number; or of a matrix, such as "L1.head1.V", whose value is a
            matrix of the same shape.
        name: str or None (None). The name of the new model.

    Returns: Transformer.

    Raises: BadInput: a weight that the model does not have, with the nearest name; a matrix of another shape; a weight
        with two values.

    Example:

    >>> from symcook.recipes import build
    >>> build("dyck-1").with_weights({"L1.ff.b1[1]": "1/4"}).run(")").array("error", exact=True).tolist()
    [5/4]
    """
    changed = model
    entries: dict[Weight, str] = {}
    for weight, value in weights.items():
        if "[" in weight:
            entry = read_weight(model, weight)
            if entry.sign < 0:
                raise BadInput("the name of a weight must have no sign (minus)", weight, "give the value with its sign")
            first = entries.setdefault(entry, weight)
            whole = f"{entry.part}.{entry.matrix}" if entry.part != "readout" else "readout"
            if first != weight or whole in weights:
                both = f"{first if first != weight else whole} and {weight}"
                raise BadInput("each weight must be given once", both, "leave one of them out")
            changed = with_weight(changed, entry, exact(value))
            continue
        part, _, matrix = weight.rpartition(".")
        if weight == "readout":
            part, matrix, fields = "readout", "weights", ["weights"]
        else:
            fields = list(require_part(model, part or weight).matrices())
        if matrix not in fields:
            raise unknown(f"matrix of {part}", matrix, fields)
        changed = with_part(changed, part, lambda old, m=matrix, v=value: replace(old, **{m: v}))
    return _changed(changed, name or f"{model.name} with other weights")


@door(coordinate="give the name of a coordinate", position="give a position, as statements count it")
def patched(
    model: Transformer,
    coordinate: str,
    position: int,
    value: Exact | None = None,
    *,
    from_string: TypedWord | None = None,
    inputs: Iterable[Any] | None = None,
) -> Transformer:
    """The model in which a coordinate has a given value at one position (activation patching, mean ablation).

    The coordinate has the value from the last sublayer that writes it. Other positions, and shorter strings, are
    unchanged. The new model has a position function that is 1 at the position, and for a coordinate that tokens or
    parts write a feed-forward layer after the last of them, so that the numbers of later layers grow.

    Arguments:
        coordinate: str. A coordinate of the model.
        position: int. The position i, as statements and traces count it. Special tokens such as BOS are positions too:
            the first position is 0 in a model such as first, whose CLS is at 0 (`embedding.start`), else 1.
        value: exact number or "mean" (None). "mean" is the mean over `inputs`.
        from_string: str (None). A string; the value is that of the coordinate at this position in the run on it.
        inputs: strings, or rows of inputs (None). The mean is taken over their runs.

    Returns: Transformer.

    Raises: BadInput: a model that must not be patched so, with the part for which that is: a layer norm over the
    whole residual stream, which would see the new position function, or a coordinate without a known bound.

    Example:

    >>> from symcook.recipes import build
    >>> patched = build("dyck-1").patched("balance", 2, value=1)
    >>> patched.run("())").array("balance").round(3).tolist()
    [1.0, 1.0, -0.333]
    """
    require_known("coordinate", coordinate, tuple(model.space))
    start = model.embedding.start
    if isinstance(position, bool) or position < start:
        raise BadInput(
            f"a position of {model.name} must be counted from {start}", position, f"give a position from {start}"
        )
    if model.parameters:
        do = "bind them first: model.bind().patched(..)"
        raise BadInput("a model to be patched must have values for its parameters", model.parameters[0].name, do)
    number = _patch_value(model, coordinate, position, value, from_string, inputs)
    name = f"{model.name} with {coordinate} patched to {from_sympy(number)} at {position}"
    return _changed(_patched(model, coordinate, position, number), name)


def _patch_value(
    model: Transformer, coordinate: str, position: int, value: object, from_string: object, inputs: Iterable[Any] | None
) -> Any:
    """The exact number that a patch puts; BadInput unless it is given in one way."""
    mean = isinstance(value, str) and value == "mean"
    if mean and inputs is None:
        raise BadInput(
            "a patch with the mean needs the inputs over which the mean is taken",
            "none",
            'write value="mean", inputs=["ab", "ba"]',
        )
    ways = [(value is not None and not mean), from_string is not None, inputs is not None]
    if sum(ways) != 1:
        do = 'give a number as value, or from_string="ab", or inputs=["ab", "ba"] for their mean'
        raise BadInput("the value of a patch must be given in exactly one way", f"{sum(ways)} ways", do)
    if ways[0]:
        number = exact(value)
        if number.free_symbols:
            raise BadInput(
                "the value of a patch must be a number",
                from_sympy(number),
                "give an integer, a Fraction or text such as '1/2'",
            )
        return number
    strings = [from_string] if inputs is None else list(inputs)
    if not strings:
        raise BadInput("a mean must be over at least one input", "none", 'give for example inputs=["ab", "ba"]')
    found = []
    for string in strings:
        run: Any = load("symcook.run:run")(model, string)
        numbers = run.array(coordinate, exact=True)
        index = position - model.embedding.start
        if len(numbers) <= index:
            raise BadInput(
                f"every input must be long enough to have the position {position}",
                run.given or "the empty string",
                "give longer inputs, or a smaller position",
            )
        found.append(numbers[index])
    return exact(sum(found[1:], found[0]) / Fraction(len(found)))


def _patched(model: Transformer, coordinate: str, place: int, number: Any) -> Transformer:
    """The model with the coordinate set to a number where i is `place`."""
    embedding, written = model.embedding, from_sympy(number)
    steps = list(READS.of(model).sublayers)
    writers = [at for at, step in enumerate(steps, 1) if _writes(step.parts, coordinate) or step.after is not None]
    # Only a position function writes it, or nothing does: another position function.
    tokens = coordinate in embedding.tables or coordinate in (embedding.inputs or ())
    if not writers and not tokens:
        old = from_sympy(embedding.positions.get(coordinate, exact(0)))
        function = f"if(i = {place}, {written}, {old})"
        return replace(model, embedding=replace(embedding, positions={**embedding.positions, coordinate: function}))
    # A feed-forward layer after the last writer, which reads a new coordinate that is 1 at the position alone.
    for step in steps:
        for norm in step.norms:
            _require_projected(norm, step.layer, coordinate)
    last = max(writers, default=0)
    bound = sizes_after(model, last)[coordinate]
    if bound is None:
        where = _writer_names(model, coordinate, writers, tokens)
        must = "a coordinate that is patched must have a bound that holds for all strings"
        raise BadInput(must, f"{coordinate}, written by {where}", "patch a coordinate that it is computed from")
    here = fresh("patch", (*model.space, *(name for step in steps for norm in step.norms for name in norm.writes)))
    gate = _gate(coordinate, here, bound, number)
    space = Space((*model.space, here))
    positions = {**embedding.positions, here: f"if(i = {place}, 1, 0)"}
    return replace(
        model,
        embedding=replace(embedding, space=space, positions=positions),
        layers=_inserted(model, last, gate),
    )


def _gate(coordinate: str, here: str, bound: Fraction, number: Any) -> FeedForward:
    """The feed-forward layer that puts `number` in place of a coordinate x where `here` is 1, and adds 0 where it is 0.

    relu(x - B (1 - here)) - relu(-x - B (1 - here)) is x at the position and 0 elsewhere, if |x| <= B.
    """
    first, second = [1, bound], [-1, bound]
    return FeedForward(
        (coordinate, here), (coordinate,), [first, second, [0, 1]], [-bound, -bound, 0], [[-1, 1, number]], [0]
    )


def _writes(parts: Iterable[Any], coordinate: str) -> bool:
    """Whether one of the parts adds something to the coordinate."""
    return any(coordinate in part.writes for part in parts)


def _require_projected(norm: LayerNorm, layer: int, coordinate: str) -> None:
    """BadInput for a norm over the whole residual stream, which would read a coordinate that is added."""
    if norm.projection is None:
        must = f"a model in which {coordinate} is patched must have no layer norm over the whole residual stream"
        do = "patch a coordinate that only a position function writes, or use without(..)"
        raise BadInput(must, f"the layer norm of layer {layer}", do)


def _writer_names(model: Transformer, coordinate: str, writers: list[int], tokens: bool) -> str:
    """What writes a coordinate, in words."""
    names = ["the embedding"] if tokens or coordinate in model.embedding.positions else []
    steps = list(READS.of(model).sublayers)
    for at in writers:
        names += [name for name, part in steps[at - 1].named_parts if coordinate in part.writes]
    return " and ".join(names)


def _inserted(model: Transformer, after: int, gate: FeedForward) -> tuple[Layer, ...]:
    """The layers with a feed-forward layer after so many sublayers. A layer whose attention it follows is divided."""
    layers: list[Layer] = [] if after else [Layer(None, gate)]
    done = 0
    for layer in READS.of(model).layers:
        blocks = list(layer.blocks())
        done += len(blocks)
        if done - len(blocks) < after == done - 1 and len(blocks) == 2:
            attention = replace(layer, feedforward=None, feedforward_norms=())
            feedforward = replace(layer, attention=None, attention_norms=())
            layers += [attention, Layer(None, gate), feedforward]
            continue
        layers.append(layer)
        if done == after:
            layers.append(Layer(None, gate))
    return tuple(layers)
