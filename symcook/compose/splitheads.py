"""The heads of a published attention layer, whose weights are stored for all heads together.

In: the matrices of queries, keys, values and of the output, with their biases, and what a configuration says of them:
how many heads there are, how many share keys and values (grouped heads), slopes (ALiBi), rotary angles, norms of
queries and keys. Out: heads over named coordinates. Each has its own copy of the keys and values that it shares.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.model.checks import dyadics, listed_name
from symcook.model.choices import shown_word
from symcook.model.parts import MASKS, AnyHead, BiasedHead, Head, RotaryHead, SelfAttention

if TYPE_CHECKING:
    from symcook.numbers.matrix import RationalMatrix

WHOLE_MASKS = ("none", "future", "past")
"""The masks with which every position sees a position: itself."""
WHOLE_WEIGHTS = ("softmax", "average", "leftmost", "rightmost")
"""The weightings whose weights add up to 1 where a position is seen."""


def rotary_angles(width: int, base: float | Fraction | int = 10000) -> list[str]:
    """The angles of a rotary head of even `width`: base^(-2 k/width) for k = 0, 1, .., as exact expressions."""
    if width % 2:
        raise BadInput(
            "a rotary head must have an even number of key dimensions",
            width,
            "give the head an even number of rows in Q and K",
        )
    return ["1" if k == 0 else f"({Fraction(base)})^(-{Fraction(2 * k, width)})" for k in range(width // 2)]


def alibi_slopes(heads: int) -> list[Fraction | str]:
    """The slopes of ALiBi for a number of heads, as its authors publish them: a geometric sequence from 2^(-8/heads)
    for a power of two; else that of the next smaller power, and every other one of the next larger power."""
    power = 1 << (heads.bit_length() - 1)
    exponents = [Fraction(8 * k, power) for k in range(1, power + 1)]
    exponents += [Fraction(8 * (2 * k + 1), 2 * power) for k in range(heads - power)]
    return [Fraction(1, 2**e.numerator) if e.denominator == 1 else f"2^(-{e})" for e in exponents]


def split_heads(
    reads: Sequence[str],
    writes: Sequence[str],
    query: Any,
    key: Any,
    value: Any,
    output: Any,
    *,
    heads: int,
    groups: int | None = None,
    query_bias: Any = None,
    key_bias: Any = None,
    value_bias: Any = None,
    output_bias: Any = None,
    slopes: Sequence[Any] | None = None,
    angles: Sequence[Any] | None = None,
    interleaved: bool = False,
    query_gain: Any = None,
    key_gain: Any = None,
    epsilon: Any = 0,
    mask: str = "causal",
    weighting: str = "softmax",
    scale: Any = "1/sqrt(d_key)",
) -> SelfAttention:
    """The heads of a layer: a `Head` each or, with biases or slopes, a `BiasedHead`, and with angles or gains a
    `RotaryHead`.

    Arguments:
        reads: list of str. The r coordinates that are read.
        writes: list of str. The m coordinates that are written.
        query: matrix, (heads * width) x r. One head after another, as torch.nn.Linear stores it.
        key: matrix, (groups * width) x r.
        value: matrix, (groups * v) x r, with values of any width v.
        output: matrix, m x (heads * v).
        heads: int. The number of heads.
        groups: int or None (None). How many keys and values there are; each is shared by heads/groups heads that follow
            one another. By default one for each head.
        query_bias: vector or None (None). Likewise key_bias and value_bias.
        output_bias: vector or None (None). It becomes a bias of the values of the first head: weights add up to 1. A
            bias that is not 0 is refused with the other masks and weightings, where they may add up to less.
        slopes: list or None (None). The slope of each head, for ALiBi (`alibi_slopes`).
        angles: list or None (None). Rotary angles, the same for all heads (`rotary_angles`). Where there are fewer than
            width/2, only the first 2 len(angles) key dimensions turn.
        interleaved: bool (False). Entries 2 k and 2 k + 1 are a pair (GPT-J), and not k and k + half (Llama, NeoX).
        query_gain: vector or None (None). The gains of a norm of queries over the width of a head; likewise key_gain.
        epsilon: number (0). The epsilon of these norms.
        mask: str ("causal"). As in `Head`; likewise weighting and scale.

    Returns: SelfAttention.

    Raises: BadInput: shapes that do not fit, slopes beside angles or gains, or an output bias without whole weights.

    Example:

    >>> layer = split_heads(["x"], ["y"], [[1], [2]], [[1]], [[3]], [[1, 1]], heads=2, groups=1, scale=1)
    >>> [(head.Q[0], head.K[0], head.V[0]) for head in layer.heads]
    [(1, 1, 3), (2, 1, 3)]
    """
    if (slopes is not None) and (angles is not None or query_gain is not None or key_gain is not None):
        raise BadInput(
            "an attention layer must have either slopes (ALiBi), or angles and gains (rotary), not both",
            "both",
            "leave the slopes, or the angles and gains, out",
        )
    shared = heads if groups is None else groups
    matrices = {"query": query, "key": key, "value": value, "output": output}
    stored = _Stored.of(matrices, len(reads), len(writes), heads, shared)
    width = stored.width
    q, k, v, o = (
        _column(name, given, length)
        for name, given, length in (
            ("query_bias", query_bias, heads * width), ("key_bias", key_bias, shared * width),
            ("value_bias", value_bias, shared * stored.size), ("output_bias", output_bias, len(writes)),
        )
    )  # fmt: skip
    if o is not None and o.nnz():
        _require_whole_weights(mask, weighting)
    gains = [_column(name, gain, width) for name, gain in (("query_gain", query_gain), ("key_gain", key_gain))]
    order = list(range(width)) if angles is None else _order(width, len(angles), interleaved)
    turned = None if angles is None else [*angles, *[0] * (width // 2 - len(angles))]
    names, found = (tuple(reads), tuple(writes)), list[AnyHead]()
    rule: dict[str, Any] = {"mask": mask, "weighting": weighting, "scale": scale}
    norms = dict(zip(("q_gain", "k_gain"), (_picked(gain, order) for gain in gains), strict=True))
    for number in range(heads):
        own, group, values, outward = stored.slices(number)
        sides = (
            _picked(stored.query.part(own), order),
            _picked(stored.key.part(group), order),
            outward.times(stored.value.part(values)),
        )
        added = None if v is None else outward.times(v.part(values))
        if o is not None and number == 0:
            added = o if added is None else added.plus(o)
        biases = {
            "q_bias": None if q is None else _picked(q.part(own), order),
            "k_bias": None if k is None else _picked(k.part(group), order),
            "v_bias": added,
        }
        if turned is not None or any(gain is not None for gain in gains):
            found.append(RotaryHead(*names, *sides, turned, **biases, **norms, qk_epsilon=epsilon, **rule))
        elif slopes is not None or any(bias is not None for bias in biases.values()):
            slope = 0 if slopes is None else slopes[number]
            found.append(BiasedHead(*names, *sides, **biases, slope=slope, **rule))
        else:
            found.append(Head(*names, *sides, **rule))
    return SelfAttention(tuple(found))


@dataclass(frozen=True)
class _Stored:
    """The matrices of all heads together. A head has `width` rows of queries and keys, and `size` rows of values."""

    query: RationalMatrix
    key: RationalMatrix
    value: RationalMatrix
    output: RationalMatrix
    heads: int
    shared: int
    width: int
    size: int

    @classmethod
    def of(cls, given: dict[str, Any], read: int, written: int, heads: int, shared: int) -> _Stored:
        """The matrices by their names, with their shapes checked: for `read` and `written` coordinates, a number of
        heads, and the number of keys and values that they share."""
        if heads < 1 or shared < 1 or heads % shared:
            raise BadInput(
                "the number of heads must be a multiple of the number of key-value groups",
                f"{heads} heads and {shared} groups",
                "give a divisor of the number of heads as the number of groups",
            )
        tables = {name: _table(name, matrix) for name, matrix in given.items()}
        for name, count in (("query", heads), ("key", shared), ("value", shared)):
            if tables[name].rows % count:
                raise BadInput(
                    f"the number of rows of {name} must be a multiple of its number of heads",
                    tables[name].rows,
                    "give each head the same number of rows",
                )
        width, size = tables["key"].rows // shared, tables["value"].rows // shared
        shapes = {"query": (heads * width, read), "key": (shared * width, read),
                  "value": (shared * size, read), "output": (written, heads * size)}  # fmt: skip
        for name, (height, across) in shapes.items():
            if tables[name].shape != (height, across):
                raise BadInput(
                    f"{name} must have shape {height} x {across}",
                    f"{tables[name].rows} x {tables[name].cols}",
                    "give a matrix of this shape",
                )
        return cls(**tables, heads=heads, shared=shared, width=width, size=size)

    def slices(self, number: int) -> tuple[slice, slice, slice, RationalMatrix]:
        """Of one head: its rows of the queries, those of the keys and those of the values, and its part of the
        output."""
        group, width, size = number * self.shared // self.heads, self.width, self.size
        return (
            slice(number * width, (number + 1) * width),
            slice(group * width, (group + 1) * width),
            slice(group * size, (group + 1) * size),
            self.output.part(columns=slice(number * size, (number + 1) * size)),
        )


def _require_whole_weights(mask: str, weighting: str) -> None:
    """Raise BadInput where weights may add up to less than 1 at a position."""
    if listed_name(mask, MASKS) in WHOLE_MASKS and weighting in WHOLE_WEIGHTS:
        return
    masks, weightings = ", ".join(map(shown_word, WHOLE_MASKS)), ", ".join(WHOLE_WEIGHTS)
    raise BadInput(
        "an attention layer with a bias of the output must have weights that add up to 1 at every position",
        f"{shown_word(listed_name(mask, MASKS))} and {weighting}",
        f"use one of the masks {masks} and of the weightings {weightings}",
    )


def _order(width: int, pairs: int, interleaved: bool) -> list[int]:
    """The key dimensions in the order in which the dimensions k and k + width/2 are a pair. Those that do not turn come
    after the others in each half."""
    rest = width - 2 * pairs
    if rest < 0 or width % 2:
        must = "a rotary head must have an even number of key dimensions, at least two for each angle"
        raise BadInput(
            must, f"key dimensions: {width}, angles: {pairs}", "give one angle for each pair of key dimensions"
        )
    first = range(0, 2 * pairs, 2) if interleaved else range(pairs)
    second = range(1, 2 * pairs, 2) if interleaved else range(pairs, 2 * pairs)
    still = range(2 * pairs, width)
    return [*first, *still[: rest // 2], *second, *still[rest // 2 :]]


def _table(name: str, given: Any) -> RationalMatrix:
    """A matrix of exact numbers; floats stand for the fractions that they are."""
    from symcook.numbers.matrix import RationalMatrix

    if isinstance(given, RationalMatrix):
        return given
    entries = dyadics(given)
    if entries is not None:
        return entries
    rows = [list(row) for row in (given.tolist() if hasattr(given, "tolist") else given)]
    if len({len(row) for row in rows}) > 1:
        raise BadInput(f"{name} must be a matrix", "rows of different lengths", "give rows of equal length")
    try:
        ratios = [Fraction(x).as_integer_ratio() for row in rows for x in row]
    except (TypeError, ValueError, OverflowError):
        raise BadInput(
            f"{name} must have finite rational numbers",
            "an entry that is not finite or not rational",
            "give integers or Fractions",
        ) from None
    return RationalMatrix.of(ratios, (len(rows), len(rows[0]) if rows else 0))


def _column(name: str, given: Any, length: int) -> RationalMatrix | None:
    """A vector as a matrix of one column; None for None."""
    if given is None:
        return None
    if getattr(given, "ndim", 0) == 1:
        given = given[:, None]
    elif isinstance(given, (list, tuple)) and not any(isinstance(row, (list, tuple)) for row in given):
        given = [[x] for x in given]
    column = _table(name, given)
    if column.shape != (length, 1):
        raise BadInput(
            f"{name} must have {length} entries", f"{column.rows} x {column.cols}", f"give a vector of {length} entries"
        )
    return column


def _picked(table: RationalMatrix | None, order: Sequence[int]) -> RationalMatrix | None:
    """The rows of a matrix in an order; None for None."""
    from symcook.numbers.matrix import RationalMatrix

    if table is None or order == list(range(table.rows)):
        return table
    rows = list(table.filled_rows())
    return RationalMatrix.sparse([rows[k] for k in order], table.cols)
