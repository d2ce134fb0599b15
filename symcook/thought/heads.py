"""The two retrievals of a machine's decoder as separate models, over rows of numbers, and when each is right.

`last_write` retrieves the value at the last earlier position with the same cell; `input_tape` retrieves the symbol in a
cell of the input. Each has feed-forward layers that compute hashes, and one head. The decoder of a machine consists of
such layers (`symcook.compilers.turing`).

There are three tie-breaks, that is ways to make the last of several equal cells win.
- "norms": T_j = F(F(1/j)) with F(x) = (1 - 1/sqrt(1 + x^2))/2, computed by two layer norms; T_j <= 1/(64 j^4) for all j
  >= 1.
- "printed": the first entry of the hash of f(j), Definition 7 of the paper, with f(j) = 1/1000 - j/10^10 for j <= 4 and
  6/(100 j (j - 1)(j - 2)(j - 3)) for j >= 5, by a position function with two cases; it is less than f(j)/sqrt(2), and
  f(j) < 1/(2 j^4) for all j >= 1.
- "rightmost": nothing is subtracted; of equal scores, the head takes the last.

Let j be the last earlier position with the cell h of row i. The answer at i is the value at j if and only if every
other earlier position k has cos(h, h_k) - tie_k < 1 - tie_j; with "rightmost" there is no condition. With the other two
this holds for all i >= 2 if |h_j| <= j - 1, as on every walk from 0 with steps of at most 1, since the score of a cell
next to h is lower by at least 1/(2 j^4). `certainly_right` decides the condition for given cells.
Source: Merrill and Sabharwal (2024), Appendices D and E.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, require_known
from symcook.locks import PRECISION
from symcook.model.checks import Space
from symcook.model.choices import MaskWord, WeightingWord
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import Layer, LayerNorm
from symcook.model.transformer import Transformer
from symcook.model.weights import feedforward, head

if TYPE_CHECKING:
    from flint import arb

TIES = ("norms", "printed", "rightmost")
"""The names of the tie-breaks."""
HALF = Fraction(1, 2)
PRINTED = "if(i <= 4, 1/1000 - i/10^10, 6/(100*(if(i <= 4, 1, i*(i - 1)*(i - 2)*(i - 3)))))"
"""The position function f of the tie-break "printed", as text."""
MOST_BITS = 1 << 14
"""The maximum precision of balls in `certainly_right`, in bits."""


def last_write(tie: str = "norms", mask: MaskWord = "strict-future") -> Transformer:
    """A model over rows of `cell` (an integer) and `value`. At each position, its output `found` is the value at the
    last earlier position with the same cell. With mask "future" a position also sees itself, so that it is the last
    one with its cell."""
    require_known("tie-break", tie, TIES)
    score: dict[tuple[str, str], int] = {("a", "a"): 2, ("b", "b"): 2}
    positions: dict[str, object] = {"one": 1}
    written = {"a": "relu(h_1) - relu(-h_1)", "b": "relu(h_2) - relu(-h_2)"}
    norms = [_hash(("cell", "one"), "h")]
    layers: list[Layer] = []
    # T = F(F(1/j)) takes two layers with a norm and a ReLU each. The tie-break "printed" takes a position function and
    # one norm, and "rightmost" takes nothing.
    if tie == "norms":
        positions["inverse"] = "1/i"
        norms.append(_tie("inverse", "t"))
        written["F"] = "relu(1/2 - 1/2*t_2)"
        second = feedforward({"T": "relu(1/2 - 1/2*s_2)"})
        layers = [Layer(None, second, (), (_tie("F", "s"),), "multi pre")]
        score["one", "T"] = -1
    elif tie == "printed":
        positions["f"] = PRINTED
        norms.append(_hash(("f", "one"), "p"))
        written["psi"] = "relu(p_1)"
        score["one", "psi"] = -1
    weighting: WeightingWord = "rightmost" if tie == "rightmost" else "average"
    # The score is the cosine of the cells' hashes minus the tie-break.
    retrieving = head(score, {"found": "value"}, mask=mask, weighting=weighting)
    layers = [Layer(None, feedforward(written), (), tuple(norms), "multi pre"), *layers, Layer(retrieving)]
    return _row_model(f"last-write-{tie}", ("cell", "value"), positions, layers)


def input_tape(mask: MaskWord = "none") -> Transformer:
    """A model over rows of `cell`, `value`, and `inside`, which is 1 at positions of the input and 0 after it. At each
    position, its output `found` is the value at the position `cell`, if that is a position of the input. For any other
    number it is the value at the position j of the input whose direction (j, 1) is nearest; for an integer that is the
    first or the last one."""
    score: dict[tuple[str, str], int] = {("a", "c"): 2, ("b", "d"): 2, ("one", "inside"): 3}
    written = {
        name: f"relu({source}) - relu(-{source})"
        for name, source in zip("abcd", ("h_1", "h_2", "p_1", "p_2"), strict=True)
    }
    norms = (_hash(("cell", "one"), "h"), _hash(("one", "inverse"), "p"))
    retrieving = head(score, {"found": "value"}, mask=mask)
    layers = [Layer(None, feedforward(written), (), norms, "multi pre"), Layer(retrieving)]
    return _row_model("input-tape", ("cell", "value", "inside"), {"one": 1, "inverse": "1/i"}, layers)


def certainly_right(cells: Sequence[int], i: int, tie: str) -> bool | None:
    """Whether `last_write` with a strict mask, for rows with these `cells`, is right at position i (from 1) for all
    values: decided by balls of growing precision. None if no earlier position has the cell, so that there is nothing to
    retrieve. AssertionError if even `MOST_BITS` do not decide it."""
    from flint import ctx

    from symcook.thought.retrieval import cosine

    require_known("tie-break", tie, TIES)
    if not 1 <= i <= len(cells):
        raise BadInput(f"a position must be one of 1 to {len(cells)}", i, "give one of these positions")
    cell = cells[i - 1]
    same = [j for j in range(1, i) if cells[j - 1] == cell]
    if not same:
        return None
    # The cell's own score is 1, which no other cell reaches, and of equal scores the head takes the last.
    if tie == "rightmost":
        return True
    last = same[-1]
    bits = 128
    # Compare the score of the last position with this cell to every other score; the cosine of equal cells is exactly
    # 1. If balls overlap, double the precision.
    while bits <= MOST_BITS:
        with PRECISION, ctx.workprec(bits):
            best = 1 - _subtracted(tie, last)
            other_scores = [
                (cosine(cell, cells[k - 1]) if k not in same else 1) - _subtracted(tie, k)
                for k in range(1, i)
                if k != last
            ]
            if all(score < best for score in other_scores):
                return True
            if any(score >= best for score in other_scores):
                return False
        bits *= 2
    raise AssertionError((cells, i, tie))


def printed_tie(j: int) -> Fraction:
    """The value f(j) of the paper's Definition 7."""
    return Fraction(1, 1000) - Fraction(j, 10**10) if j <= 4 else Fraction(6, 100 * j * (j - 1) * (j - 2) * (j - 3))


def _subtracted(tie: str, j: int) -> arb:
    """What the tie-break subtracts from the score of position j, as a ball."""
    from flint import arb, fmpq

    from symcook.thought.retrieval import tie_break

    if tie == "norms":
        return tie_break(j)
    f = printed_tie(j)
    x = arb(fmpq(f.numerator, f.denominator))
    return x / (2 * x * x + 2).sqrt()


def _hash(reads: tuple[str, str], stem: str) -> LayerNorm:
    """The layer norm whose entries `stem`_1 and `stem`_2 are x and y divided by sqrt(2 (x^2 + y^2)), for the two
    coordinates that it reads."""
    rows = [[1, 0], [0, 1], [-1, 0], [0, -1]]
    return LayerNorm(reads, tuple(f"{stem}_{k}" for k in range(1, 5)), gain=[HALF] * 4, projection=rows)


def _tie(x: str, stem: str) -> LayerNorm:
    """The layer norm whose entry `stem`_2 is 1/sqrt(1 + x^2), for the coordinate x."""
    rows = [[1, 0], [0, 1], [-1, 0], [0, -1], *[[0, 0]] * 4]
    return LayerNorm((x, "one"), tuple(f"{stem}_{k}" for k in range(1, 9)), gain=[HALF] * 8, projection=rows)


def _row_model(
    name: str, inputs: tuple[str, ...], places: Mapping[str, object], layers: Sequence[Layer]
) -> Transformer:
    """The model of these layers over rows of `inputs`, with the position functions `places`. Its output is the
    coordinate `found` at each position."""
    parts: list[Any] = [
        part for layer in layers for part in layer.parts() if not isinstance(part, LayerNorm)
    ]
    space = Space(
        tuple(dict.fromkeys((*inputs, *places, *(written_name for part in parts for written_name in part.writes))))
    )
    readout = Readout("value", "each", ("found",))
    source = "Merrill and Sabharwal (2024), Appendices D and E"
    return Transformer(name, Embedding(space, inputs=inputs, positions=places), tuple(layers), readout, source=source)
