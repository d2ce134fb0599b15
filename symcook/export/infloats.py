"""Decisions of a dense model on strings one by one that hold in every runtime, from float64 with certified errors.

The pass is that of `symcook.domains.radiiruntime`: a set of possible outputs has the exact outputs and those of every
runtime. Its errors have a Euclidean norm, so that many strings of models with several layers are decided, where a box
of strings or the entries' own errors decide none.

The numbers of a certificate are computed again when it is verified, perhaps on a machine that adds in another order.
So margins and outputs are rounded outwards to `BITS` bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from symcook.domains.batch import Listed
from symcook.errors import BadInput, NotExact
from symcook.forward import forward
from symcook.model.reads import BIASED_HEADS, NORMS_AND_GATES, ROTARY_HEADS, PartsRead

if TYPE_CHECKING:
    import numpy as np

    from symcook.model.transformer import Transformer

READS = PartsRead("the guarantee in floats", **NORMS_AND_GATES, **BIASED_HEADS, **ROTARY_HEADS)

MOST_STRINGS = 2**16
"""The greatest number of strings of one length that are run so."""
MOST_PRODUCTS = 2_000_000_000
"""The greatest number of products of weights in all of these runs for one certificate."""
AT_ONCE = 200_000
"""The greatest number of entries of the columns of a block of strings that are run together."""
BITS = 20
"""How many bits a margin or an output has in a certificate."""
SAYS = "every string by itself, in float64 with certified errors"
"""How a certificate names this method."""


OutputEnds = Mapping[str, tuple[Any, Any]]
"""For each output its lower and upper ends, arrays over strings or positions."""


@dataclass(frozen=True)
class InFloats:
    """What the strings of one length give."""

    count: int
    """How many strings there are."""
    margin: float | None
    """The smallest distance of an output from its threshold, of those that are decided; None where none has one. For a
    string that one position rejects while another is open, it is that of the rejecting position (`rejection`)."""
    outputs: Mapping[str, tuple[float, float]]
    """For each output, the ends of its possible values on the strings that are decided."""
    left: Sequence[tuple[str, ...]]
    """The strings whose decision is open, with the tokens that the model adds."""


def in_floats(model: Transformer, dtype: str, n: int, strings: Iterator[Sequence[str]]) -> InFloats | None:
    """The decisions on typed strings that the model reads as `n` tokens; None where this pass cannot be made.

    The model must be dense and answer by a sign or by the largest score, by softmax heads or uniform ones."""
    from symcook.domains.radiiruntime import RuntimeRadii

    if not model.dense or model.readout.rule not in ("positive", "largest") or model.readout.groups:
        return None
    terms = 1 + max((len(step.parts) for step in READS.of(model).sublayers), default=0)
    size, decided, left, count = max(1, AT_ONCE // (n * model.widest)), list[_Block](), list[tuple[str, ...]](), 0
    while words := tuple(map(model.embedding.surround, islice(strings, size))):
        system: Any = RuntimeRadii(dtype, terms)
        try:
            result = forward(model, Listed(words), system)
        except (NotExact, BadInput):
            return None
        block, open_strings = _decided(model, words, result.columns())
        decided.append(block)
        left += open_strings
        count += len(words)
    margins = [block.margin for block in decided if block.margin is not None]
    filled = [block.ends for block in decided if block.ends]
    ends = {name: (min(e[name][0] for e in filled), max(e[name][1] for e in filled)) for name in (filled or [{}])[0]}
    outputs = {name: (-_down(-low, up=True), _down(high, up=True)) for name, (low, high) in ends.items()}
    return InFloats(count, _down(min(margins)) if margins else None, outputs, left)


def decision(model: Transformer, ends: OutputEnds) -> tuple[float | None, int | None]:
    """The smallest distance of an entry from the threshold (None where no entry has one), and the index of the first
    entry whose ends leave the answer open (None where all are decided; else the distance is None)."""
    import numpy as np

    from symcook.words.rounded import Values, told

    # A sign readout is decided by its logit only; the coordinates that it reads are shown too.
    ends = {"logit": ends["logit"]} if model.readout.signed else ends
    columns = [Values(low, high, low) for low, high in ends.values()]
    answers = told(model.readout, columns, max(len(column.low) for column in columns))
    if (answers < 0).any():  # a negative answer is an open one
        return None, int((answers < 0).argmax())
    lows, highs = (np.array([pair[k] for pair in ends.values()]) for k in (0, 1))
    if model.decides:
        # A sign: the distance of the interval from zero. A zero test accepts exactly at zero, which has no distance,
        # and rejects by the coordinate that is farthest from zero.
        distance = np.maximum(lows, -highs).max(axis=0)
        distance = distance if model.readout.signed else np.where(answers == 1, np.inf, distance)
    else:
        # The largest score: how far its lower end is above the upper ends of the others.
        distance = lows.max(axis=0) - np.where(np.arange(len(lows))[:, None] == answers, -np.inf, highs).max(axis=0)
    smallest = float(distance.min())
    return (smallest if smallest < np.inf else None), None


def rejection(model: Transformer, ends: OutputEnds) -> float:
    """How far the output that rejects most certainly is from the threshold, of a readout at all positions: that decides
    a string some of whose outputs are open."""
    import numpy as np

    lows, highs = (np.array([pair[k] for pair in _deciding(model, ends).values()]) for k in (0, 1))
    distance = -highs if model.readout.signed else np.maximum(lows, -highs)
    return float(distance.max())


def certified(model: Transformer, words: Sequence[Sequence[str]]) -> list[Any]:
    """The exact answers of a dense model on strings with the added tokens: for each string its answer, a list of those
    at each position if the readout has these, or None where floats with certified errors leave it open."""
    from symcook.domains.radii import Radii

    found, size = list[Any](), max(1, AT_ONCE // (len(words[0]) * model.widest))
    for start in range(0, len(words), size):
        block = tuple(map(tuple, words[start : start + size]))
        try:
            system: Any = Radii()
            columns: Any = forward(model, Listed(block), system).answers
        except (NotExact, BadInput):
            return [None] * len(words)
        answers = zip(*(column.tolist() for column in columns), strict=True)
        found += [None if -1 in own else [*own] if model.readout.each else own[0] for own in answers]
    return found


@dataclass(frozen=True)
class _Block:
    """The margin and the ends of outputs of the decided strings of a block; without strings, neither."""

    margin: float | None
    ends: Mapping[str, tuple[float, float]]


def _decided(
    model: Transformer, words: Sequence[tuple[str, ...]], columns: Mapping[str, Any]
) -> tuple[_Block, list[tuple[str, ...]]]:
    """The decided strings of a block, and those that are open. `columns` has the outputs at each position."""
    import numpy as np

    from symcook.words.rounded import Values, told

    readout, n = model.readout, len(words[0])
    pick = slice(None) if readout.everywhere else [readout.place]
    # For each output its ends, with the axes position and string.
    numbers = {name: (column.mid[pick], column.rad[pick]) for name, column in columns.items()}
    ends = {name: (_after(mid - rad, -np.inf), _after(mid + rad, np.inf)) for name, (mid, rad) in numbers.items()}
    shape = next(iter(ends.values()))[0].shape
    flat = [Values(low.ravel(), high.ravel(), low.ravel()) for low, high in _deciding(model, ends).values()]
    answers = told(readout, flat, shape[0] * shape[1]).reshape(shape)
    # Which answers count; of those at all positions, one that rejects decides.
    counts = np.ones(shape, dtype=bool)
    if readout.everywhere:
        counts = np.zeros(shape, dtype=bool)
        for column, word in enumerate(words):
            counts[[*readout.counted(word, range(n))], column] = True
    sure = ((answers >= 0) | ~counts).all(axis=0)
    rejected = ((answers == 0) & counts).any(axis=0) & readout.together
    left = [words[k] for k in np.flatnonzero(~(sure | rejected)).tolist()]
    margins = list[float | None]()
    if (whole := counts & sure).any():
        margins.append(decision(model, {name: (low[whole], high[whole]) for name, (low, high) in ends.items()})[0])
    for column in np.flatnonzero(rejected & ~sure):
        here = counts[:, column]
        one = {name: (low[here, column], high[here, column]) for name, (low, high) in ends.items()}
        margins.append(rejection(model, one))
    margin = min((m for m in margins if m is not None), default=None)
    hull = {}
    if (those := counts & (sure | rejected)).any():
        hull = {name: (float(low[those].min()), float(high[those].max())) for name, (low, high) in ends.items()}
    return _Block(margin, hull), left


def _deciding(model: Transformer, ends: OutputEnds) -> OutputEnds:
    """The outputs that decide: a sign readout shows other coordinates too."""
    return {"logit": ends["logit"]} if model.readout.signed else ends


def _after(numbers: np.ndarray[Any, Any], end: float) -> np.ndarray[Any, Any]:
    """The next floats toward `end`; an unknown number is that end itself."""
    import numpy as np

    return np.where(np.isnan(numbers), end, np.nextafter(numbers, end))


def _down(x: float, up: bool = False) -> float:
    """A number rounded down, or up, to `BITS` bits.

    >>> _down(0.1), _down(0.1, up=True)
    (0.09999990463256836, 0.10000002384185791)
    """
    from math import ceil, floor, frexp, isfinite, ldexp

    if not isfinite(x):
        return x
    mantissa, exponent = frexp(x)
    return ldexp((ceil if up else floor)(ldexp(mantissa, BITS)), exponent - BITS)
