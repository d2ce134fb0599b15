"""The heads of a published attention layer, whose weights are stored for all heads together.

In: the matrices of queries, keys, values and of the output, with their biases, and what a configuration says of them:
how many heads there are, how many share keys and values (grouped heads), slopes (ALiBi), rotary angles, norms of
queries and keys. Out: heads over named coordinates. Each has its own copy of the keys and values that it shares.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    if heads < 1 or shared < 1 or heads % shared:
        raise BadInput(
            "the number of heads must be a multiple of the number of key-value groups",
            f"{heads} heads and {shared} groups",
            "give a divisor of the number of heads as the number of groups",
        )
    Q, K, V, out = (_table(name, given) for name, given in
                    (("query", query), ("key", key), ("value", value), ("output", output)))  # fmt: skip
    for name, rows, count in (("query", Q.rows, heads), ("key", K.rows, shared), ("value", V.rows, shared)):
        if rows % count:
            raise BadInput(
                f"the number of rows of {name} must be a multiple of its number of heads",
                rows,
                "give each head the same number of rows",
            )
    width, size = K.rows // shared, V.rows // shared
    shapes = {"query": (Q, heads * width, len(reads)), "key": (K, shared * width, len(reads)),
              "value": (V, shared * size, len(reads)), "output": (out, len(writes), heads * size)}  # fmt: skip
    for name, (table, height, across) in shapes.items():
        if table.shape != (height, across):
            raise BadInput(
                f"{name} must have shape {height} x {across}",
                f"{table.rows} x {table.cols}",
                "give a matrix of this shape",
            )
    q, k, v, o = (
        None if given is None else _column(name, given, length)
        for name, given, length in (
            ("query_bias", query_bias, heads * width), ("key_bias", key_bias, shared * width),
            ("value_bias", value_bias, shared * size), ("output_bias", output_bias, len(writes)),
        )
    )  # fmt: skip
    if o is not None and o.nnz() and not (listed_name(mask, MASKS) in WHOLE_MASKS and weighting in WHOLE_WEIGHTS):
        must = "an attention layer with a bias of the output must have weights that add up to 1 at every position"
        masks, weightings = ", ".join(map(shown_word, WHOLE_MASKS)), ", ".join(WHOLE_WEIGHTS)
        do = f"use one of the masks {masks} and of the weightings {weightings}"
        raise BadInput(must, f"{shown_word(listed_name(mask, MASKS))} and {weighting}", do)
    gains = [
        None if given is None else _column(name, given, width)
        for name, given in (("query_gain", query_gain), ("key_gain", key_gain))
    ]
    order = list(range(width)) if angles is None else _order(width, len(angles), interleaved)
    turned = None if angles is None else [*angles, *[0] * (width // 2 - len(angles))]
    found: list[AnyHead] = []
    for number in range(heads):
        own, group = slice(number * width, (number + 1) * width), number * shared // heads
        with_group = slice(group * width, (group + 1) * width)
        values = slice(group * size, (group + 1) * size)
        outward = out.part(columns=slice(number * size, (number + 1) * size))
        sides = _picked(Q.part(own), order), _picked(K.part(with_group), order), outward.times(V.part(values))
        added = None if v is None else outward.times(v.part(values))
        if o is not None and number == 0:
            added = o if added is None else added.plus(o)
        rule: dict[str, Any] = {"mask": mask, "weighting": weighting, "scale": scale}
        biases = [
            None if q is None else _picked(q.part(own), order),
            None if k is None else _picked(k.part(with_group), order), added,
        ]  # fmt: skip
        named = dict(zip(("q_bias", "k_bias", "v_bias"), biases, strict=True))
        names = tuple(reads), tuple(writes)
        if turned is not None or gains[0] is not None or gains[1] is not None:
            norms = {name: None if gain is None else _picked(gain, order)
                     for name, gain in zip(("q_gain", "k_gain"), gains, strict=True)}  # fmt: skip
            found.append(RotaryHead(*names, *sides, turned, **named, **norms, qk_epsilon=epsilon, **rule))
        elif slopes is not None or any(bias is not None for bias in biases):
            slope = 0 if slopes is None else slopes[number]
            found.append(BiasedHead(*names, *sides, **named, slope=slope, **rule))
        else:
            found.append(Head(*names, *sides, **rule))
    return SelfAttention(tuple(found))


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


def _column(name: str, given: Any, length: int) -> RationalMatrix:
    """A vector as a matrix of one column."""
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


def _picked(table: RationalMatrix, order: Sequence[int]) -> RationalMatrix:
    """The rows of a matrix in an order."""
    from symcook.numbers.matrix import RationalMatrix

    if order == list(range(table.rows)):
        return table
    rows = list(table.filled_rows())
    return RationalMatrix.sparse([rows[k] for k in order], table.cols)
