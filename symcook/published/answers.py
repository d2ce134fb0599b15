"""How an imported model answers: by its largest output, by each output above 0, or by whether one label leads.

Each function takes the outputs as rows of weights over coordinates that stand at the end, and returns the readout, with
the layers and coordinates that it needs besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symcook.errors import BadInput, require_known
from symcook.model.ends import Readout
from symcook.model.parts import FeedForward, Layer

READOUTS = ("largest", "positive", "leads", "stream")
"""The answers: the label of the largest output; which outputs are above 0; whether the output of one label is greater
than all others; without an output layer, the residual stream."""
LabelRows = Sequence[Sequence[Fraction]]
ReadoutWithLayers = tuple[Readout, list[Layer], list[str]]
"""A readout, the layers before it, and the coordinates that these write."""


def require_readout(kind: str, label: str | None, labels: Sequence[str]) -> None:
    """Raise BadInput for an unknown answer, and for a label where none is wanted or none is given."""
    require_known("readout", kind, READOUTS)
    if kind == "stream":
        must = 'a model with readout="stream" must have no output layer'
        raise BadInput(must, "an output layer", "leave out its weights, or readout")
    if (kind == "leads") != (label is not None):
        do = f'write label="{labels[0]}", or another' if label is None else 'write readout="leads"'
        raise BadInput('label must be given for readout="leads", and for no other', label or kind, do)
    if label is not None:
        require_known("label", label, tuple(labels))
        if len(labels) < 2:
            raise BadInput(
                'readout="leads" must have at least two labels to compare', label, 'write readout="positive"'
            )


def answer(
    kind: str, label: str | None, position: str, reads: tuple[str, ...], weights: LabelRows, labels: Sequence[str]
) -> ReadoutWithLayers:
    """The readout of an answer over the coordinates `reads`.

    Arguments:
        kind: one of `READOUTS`.
        label: the label that must lead.
        position: as in `Readout`.
        reads: the coordinates.
        weights: for each label its row.
        labels: the labels.
    """
    require_readout(kind, label, labels)
    if kind == "positive":
        return _positive(position, reads, weights, labels), [], []
    if label is not None:
        return _leads(list(labels).index(label), position, reads, weights)
    return Readout("largest", position, reads, [list(row) for row in weights], tuple(labels)), [], []


def _positive(position: str, reads: tuple[str, ...], weights: LabelRows, labels: Sequence[str]) -> Readout:
    """One output: its sign. Several: for each label a group of two, with 0 and the output as scores; at a tie the first
    counts, so that the label is named where its output is above 0."""
    if len(labels) == 1:
        return Readout("sign", position, reads, [list(weights[0])])
    if position == "all":
        raise BadInput(
            "a readout of outputs above 0 at all positions must have exactly one label",
            f"{len(labels)} labels",
            "give labels=, a list of one label",
        )
    rows = [row for weight in weights for row in ([Fraction(0)] * len(reads), list(weight))]
    names = tuple(name for label in labels for name in (f"no-{label}", label))
    return Readout("groups", position, reads, rows, names, (2,) * len(labels))


def _leads(index: int, position: str, reads: tuple[str, ...], weights: LabelRows) -> ReadoutWithLayers:
    """The sign of an output minus the maximum of the others, which layers compute in rounds.

    A round replaces two numbers by max(a, b) = relu(a - b) + relu(b) - relu(-b)."""
    others = [list(row) for k, row in enumerate(weights) if k != index]
    layers: list[Layer] = []
    space: list[str] = []
    names, rows = reads, others
    while len(rows) > 1:
        pairs = [rows[k : k + 2] for k in range(0, len(rows), 2)]
        hidden: list[list[Fraction]] = []
        writes: list[list[int]] = []
        for pair in pairs:
            last = pair[-1]
            units = [last, [-x for x in last]]
            signs = [1, -1]
            if len(pair) == 2:
                units.append([a - b for a, b in zip(pair[0], last, strict=True)])
                signs.append(1)
            for row in writes:
                row += [0] * len(units)
            writes.append([0] * len(hidden) + signs)
            hidden += units
        target = tuple(f"best{len(layers)}_{k}" for k in range(len(pairs)))
        network = FeedForward(names, target, hidden, [0] * len(hidden), writes, [0] * len(target))
        layers.append(Layer(None, network))
        space += target
        names = target
        rows = [[Fraction(int(k == j)) for j in range(len(target))] for k in range(len(target))]
    if names is reads:  # two labels
        row = [a - b for a, b in zip(weights[index], rows[0], strict=True)]
        return Readout("sign", position, reads, [row]), layers, space
    return Readout("sign", position, (*reads, names[0]), [[*weights[index], Fraction(-1)]]), layers, space
