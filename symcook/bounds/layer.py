"""Lipschitz constants of one layer: of a feed-forward layer with relu, and of layer norm.

The constant of a feed-forward layer is exact. The signs of the hidden units divide the inputs into finitely many cells.
On each cell the layer is linear, and the constant is the largest operator norm of these linear maps. The constant of
layer norm is computed from its derivative.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from symcook.bounds.arguments import (
    Bound,
    count,
    number_tree,
    rational_positive,
    rational_value,
    read_model,
    shown,
    written,
)
from symcook.bounds.growth import column_sum, product, rows_of
from symcook.door import check_digits
from symcook.errors import BadInput, unknown
from symcook.model.extent import Extent
from symcook.model.parts import FeedForward
from symcook.model.reads import PartsRead
from symcook.model.transformer import Transformer
from symcook.numbers.balls import Ball, arb_of, decide_sign

READS = PartsRead("the bound of one layer")

NORMS = ("max", "sum")
"""The norms of `lipschitz`: the largest absolute entry, and the sum of absolute entries."""
MAX_CONDITIONS = 20_000
"""The largest number of conditions after one step of an elimination."""
MAX_WIDTH = 64
"""The largest number of entries of `layer_norm`."""
MAX_SUMS = 10_000
"""The largest number of signed sums of gains in `column_growths`."""

AffineRow = tuple[Fraction, ...]
"""An affine function: the coefficients of its inputs, then the constant."""
AffinePoint = tuple[Fraction, ...]
"""The coordinates of a point."""


# --- Cells: where the hidden units have given signs -------------------------------------------------------------------


def interior(conditions: Sequence[AffineRow], inputs: int) -> AffinePoint | None:
    """A point at which all affine functions of that many `inputs` are positive; None if there is none. By
    Fourier-Motzkin elimination.

    BadInput if the elimination has more than `MAX_CONDITIONS` conditions.
    """
    if inputs == 0:
        return () if all(row[-1] > 0 for row in conditions) else None
    lower, upper, remaining = [], [], set()
    # The sign of its last coefficient says whether a condition bounds the last coordinate from below, from above, or
    # not at all. `lower` and `upper` have the bounds as affine functions of the other coordinates.
    for row in conditions:
        factor = row[inputs - 1]
        others = (*row[: inputs - 1], row[-1])
        if factor == 0:
            remaining.add(others)
        else:
            (lower if factor > 0 else upper).append(tuple(-e / factor for e in others))
    if len(lower) * len(upper) + len(remaining) > MAX_CONDITIONS:
        raise BadInput(
            f"the cases of the signs of the hidden units must be given by at most {MAX_CONDITIONS} inequalities",
            f"more, from {len(conditions)} inequalities",
            "give a layer with fewer hidden units",
        )
    # The last coordinate has a value iff each lower bound is below each upper one: these are conditions on the others.
    remaining |= {tuple(b - a for a, b in zip(low, high, strict=True)) for low in lower for high in upper}
    inner_point = interior(tuple(remaining), inputs - 1)
    if inner_point is None:
        return None
    # Extend the point of the other coordinates by a value between the bounds.
    low, high = ([value(bound, inner_point) for bound in bounds] for bounds in (lower, upper))
    if low and high:
        return (*inner_point, (max(low) + min(high)) / 2)
    if low:
        return (*inner_point, max(low) + 1)
    return (*inner_point, min(high) - 1 if high else Fraction(0))


def value(row: AffineRow, point: Sequence[Fraction]) -> Fraction:
    """The value of an affine function at a point."""
    return sum((a * x for a, x in zip(row[:-1], point, strict=True)), row[-1])


def cells(units: Sequence[AffineRow], inputs: int) -> Iterator[tuple[tuple[bool, ...], AffinePoint]]:
    """(for each unit whether it is positive, a point) for each combination of signs that the units have on an open set,
    with a point of this set."""

    def extend(signs: tuple[bool, ...], conditions: tuple[AffineRow, ...], point: AffinePoint) -> Iterator[Any]:
        """The cells in which the first units have these `signs`. `conditions` are positive exactly there, and `point`
        is a point where they are."""
        if len(signs) == len(units):
            yield signs, point
            return
        unit = units[len(signs)]
        # A unit without inputs has one sign everywhere.
        if not any(unit[:-1]):
            yield from extend((*signs, unit[-1] > 0), conditions, point)
            return
        for sign in (True, False):
            narrowed = (*conditions, unit if sign else tuple(-e for e in unit))
            # `point` is on one of the two sides (or on neither); for the other side a point must be computed.
            inner_point = point if value(narrowed[-1], point) > 0 else interior(narrowed, inputs)
            if inner_point is not None:
                yield from extend((*signs, sign), narrowed, inner_point)

    yield from extend((), (), (Fraction(0),) * inputs)


# --- Feed-forward layers ----------------------------------------------------------------------------------------------


class Network:
    """The matrices of a feed-forward layer with relu, as Fractions, without the residual connection.

    `units` are the hidden units before relu as affine functions of the inputs, `slopes` the same without biases.
    """

    def __init__(self, block: FeedForward) -> None:
        self.W1, self.W2 = rows_of(block.W1), rows_of(block.W2)
        self.b1, self.b2 = ([row[0] for row in rows_of(b)] for b in (block.b1, block.b2))
        self.inputs = len(block.reads)
        self.units: list[AffineRow] = [(*row, b) for row, b in zip(self.W1, self.b1, strict=True)]
        self.slopes: list[AffineRow] = [(*row, Fraction(0)) for row in self.W1]

    def at(self, point: Sequence[Fraction]) -> list[Fraction]:
        """The outputs at a point."""
        hidden = [max(value(unit, point), Fraction(0)) for unit in self.units]
        return [value((*row, b), hidden) for row, b in zip(self.W2, self.b2, strict=True)]

    def without_biases(self, point: Sequence[Fraction]) -> list[Fraction]:
        """The outputs of the layer without biases: the limit of f(c x)/c as c grows."""
        hidden = [max(value(unit, point), Fraction(0)) for unit in self.slopes]
        return [value((*row, Fraction(0)), hidden) for row in self.W2]

    def constant(self, norm: str) -> Fraction:
        """The smallest Lipschitz constant: the largest operator norm of a linear piece. It suffices, since the segment
        between two points crosses finitely many pieces; it is reached by two points of one piece."""
        best = Fraction(0)
        for signs, _ in cells(self.units, self.inputs):
            active = [row if sign else [Fraction(0)] * self.inputs for sign, row in zip(signs, self.W1, strict=True)]
            best = max(best, size(product(self.W2, active), norm))
        return best

    def stretched(self) -> tuple[AffinePoint, int] | None:
        """(x, c) with f(c x) != c f(x); None if there are none, so that f is positively homogeneous of degree 1.

        f is homogeneous iff it equals the layer without biases. On each cell of the units of both, the two layers are
        affine. If they differ anywhere on a cell, they differ at its point or at a point next to it (`beside`).
        """
        for _, point in cells([*self.units, *self.slopes], self.inputs):
            for x in (point, *beside(point, [*self.units, *self.slopes])):
                if self.at(x) != self.without_biases(x):
                    c = 2
                    while self.at([c * e for e in x]) == [c * y for y in self.at(x)]:
                        c *= 2  # ends, since the limit of f(c x)/c is not f(x)
                    return x, c
        return None


def beside(point: AffinePoint, units: Sequence[AffineRow]) -> Iterator[AffinePoint]:
    """The point moved along each coordinate, by so little that no unit that is nonzero at the point changes its
    sign."""
    steps = [abs(value(u, point)) / (2 * sum(map(abs, u[:-1]), Fraction(1))) for u in units if value(u, point) != 0]
    step = min(steps, default=Fraction(1))
    for k in range(len(point)):
        yield (*point[:k], point[k] + step, *point[k + 1 :])


def size(rows: Sequence[Sequence[Fraction]], norm: str) -> Fraction:
    """The operator norm of a matrix: for "max" the largest sum of absolute entries of a row, for "sum" that of a
    column."""
    return column_sum(list(zip(*rows, strict=True)) if norm == "max" else rows)


def lipschitz(
    model: str | Transformer,
    norm: str = "max",
    values: str | Mapping[str, object] | None = None,
    digits: int | str = 30,
) -> Bound:
    """The smallest Lipschitz constant of a feed-forward layer, against ||W2|| ||W1||.

    Definition 6.2 does not name the norm, so it is an argument. The residual connection is left out.

    Arguments:
        model: str or Transformer. A recipe, a model file or a model, with one feed-forward layer and relu.
        norm: str ("max"). "max", the largest entry; "sum", the sum of the sizes of the entries.
        values: {name: exact} or str (None). Arguments of the recipe and values of parameters, also as "eps=1/8".
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound. `extra` says whether the layer is positively homogeneous, f(c x) = c f(x) for c >= 0, with a
    counterexample where it is not. Both answers are exact.

    Raises: BadInput: a model of another kind, a parameter without a value, or too many hidden units.

    Example:

    >>> lipschitz("min", digits=4).holds
    True

    Source: Cookbook, Section 6.1, Definitions 6.2 and 6.3.
    """
    wanted = check_digits(digits)
    if norm not in NORMS:
        raise unknown("norm", norm, list(NORMS))
    chosen, name, of_model = read_model(model, values)
    # The model must consist of one feed-forward sublayer.
    steps = list(READS.of(chosen).sublayers)
    block = steps[0].block if len(steps) == 1 and not steps[0].before and steps[0].after is None else None
    if not isinstance(block, FeedForward) or block.activation != "relu":
        do = "give a recipe such as gtzero; of layer norm: bound layer-norm"
        raise BadInput("the model must be one feed-forward layer with relu", name, do)
    # Both constants, and whether the layer is homogeneous.
    network = Network(block)
    least = network.constant(norm)
    claimed = size(network.W2, norm) * size(network.W1, norm)
    proofs = ["cookbook.s6.1.ffn_lipschitz"]
    if not any((*network.b1, *network.b2)):
        homogeneous = "of degree 1, without biases"
        proofs.append("cookbook.s6.1.biasfree_homogeneous")
    elif (stretched := network.stretched()) is None:
        homogeneous = "of degree 1"
    else:
        x, c = stretched
        homogeneous = f"no: f({c} x) is not {c} f(x) at {', '.join(_coordinate_texts(block.reads, x))}"
    return Bound(
        kind="lipschitz",
        parameters={"model": name, "norm": norm},
        value=shown(lambda: arb_of(least), wanted),
        claimed=shown(lambda: arb_of(claimed), wanted),
        holds=least <= claimed,
        attained=True,
        where="between points of one linear piece",
        source="Cookbook, Section 6.1",
        labels=("smallest constant", "||W2|| ||W1||"),
        proofs=tuple(proofs),
        extra={"homogeneous": homogeneous},
        extent=Extent(values=of_model),
    )


def _coordinate_texts(names: Sequence[str], point: AffinePoint) -> list[str]:
    """The coordinates of a point as texts `name = value`."""
    return [f"{name} = {written(e)}" for name, e in zip(names, point, strict=True)]


# --- Layer norm -------------------------------------------------------------------------------------------------------


# K is a constant iff |gain w| <= sqrt(epsilon) K |w| for every w of mean 0 (`lem.layernorm_euclid`). So the square
# of the least one is the greatest root of the sum over i of the products of gain_j^2 - t, j != i, over epsilon; with
# equal gains it is gain^2/epsilon. Two vectors with nearly equal entries come near it, and no two vectors reach it.
# `extra` has the least constants for the two other norms (`row_growths`, `column_growths`), beside proved ones that
# are greater for d > 2; that of the sum is not computed where gains differ so much that there are more than
# `MAX_SUMS` sums of them with signs.
def layer_norm(
    d: int | str, epsilon: str | int | Fraction, gain: str | int | Fraction = 1, digits: int | str = 30
) -> Bound:
    """The smallest Lipschitz constant of layer norm for the Euclidean norm, against max|gain|/sqrt(epsilon).

    No two vectors attain the constant; vectors with nearly equal entries come near it.

    Arguments:
        d: int. The number of entries of the vector that the layer norm reads, 2 to 64.
        epsilon: exact. A positive rational number, which is added to the variance.
        gain: exact (1). One rational gain for all entries, or d gains as text, "1, 2, 1/2"; not all 0.
        digits: int (30). Decimal digits of both rigorous intervals.

    Returns: Bound. `extra` has the smallest constants for the largest entry and for the sum of the sizes.

    Raises: BadInput: d, epsilon, gain or digits out of range.

    Example:

    >>> layer_norm(4, "1/100", digits=4).holds
    True

    Source: Cookbook, Section 6.1 and Section 6.4.
    """
    wanted = check_digits(digits)
    entries = count(d, "d", least=2)
    if entries > MAX_WIDTH:
        raise BadInput(f"d must be at most {MAX_WIDTH}", entries, "give a smaller --d")
    if rational_value(number_tree(_as_text(epsilon), "epsilon"), "epsilon") == 0:
        must = "epsilon of layer norm must be positive, else it is not Lipschitz (cookbook.s6.4.ln_lipschitz.corrected)"
        raise BadInput(must, 0, "give for example --epsilon 1/100000")
    small = rational_positive(epsilon, "epsilon")
    gains = _gains(gain, entries)
    squares = [g * g for g in gains]
    greatest = max(abs(g) for g in gains)

    def least() -> flint.arb:
        """The smallest constant for the Euclidean norm."""
        return (_greatest_root(squares) / arb_of(small)).sqrt()

    def claimed() -> flint.arb:
        return arb_of(greatest) / arb_of(small).sqrt()

    # If the largest absolute gain occurs twice, the least constant is the claimed one: |gain w|/|w| is largest for a
    # vector w of mean 0 with these two coordinates alone.
    equal = squares.count(max(squares)) > 1
    shown_gains = gains[:1] if len(set(gains)) == 1 else gains
    # The two other norms: the largest row sum (for the largest entry) and column sum (for the sum) of the derivative.
    rows = [(p * greatest, q * greatest**2) for p, q in row_growths(entries)]
    columns = column_growths([abs(g) for g in gains])

    def least_constant(pairs: Collection[tuple[Fraction, Fraction]] | None) -> Ball | str:
        """The constant as shown, from the pairs of `row_growths` or `column_growths`."""
        if pairs is None:
            return f"not known: more than {MAX_SUMS:,} sums of gains"
        return shown(lambda: greatest_growth(pairs) / arb_of(small).sqrt(), wanted)

    extra: dict[str, Ball | str] = {
        "sum of entries, smallest": least_constant(columns),
        "sum of entries, proved": shown(
            lambda: (arb_of(Fraction(entries - 1, entries) * sum(squares, Fraction(0)) / small)).sqrt(), wanted
        ),
        "largest entry, smallest": least_constant(rows),
        "largest entry, proved": shown(lambda: arb_of(Fraction(entries - 1)).sqrt() * claimed(), wanted),
        "homogeneous": "no; of degree 0 with epsilon = 0",
    }
    return Bound(
        kind="layer-norm",
        parameters={"d": entries, "epsilon": written(small), "gain": ", ".join(map(written, shown_gains))},
        value=shown(least, wanted),
        claimed=shown(claimed, wanted),
        holds=equal or decide_sign(lambda: claimed() - least(), "the bound is at least the constant") >= 0,
        attained=False,
        where="approached by two vectors with nearly equal entries",
        source="Cookbook, Section 6.1 and Section 6.4",
        labels=("smallest constant", "max|gain|/sqrt(epsilon)"),
        proofs=(
            "lem.layernorm_euclid",
            "cookbook.s6.4.ln_lipschitz.corrected",
            "lem.norm_layernorm",
            "lem.layernorm_greatest",
            "lem.layernorm_scale",
        ),
        extra=extra,
    )


def row_growths(d: int) -> list[tuple[Fraction, Fraction]]:
    """Pairs (p, q^2) for the largest-entry norm and gains 1. The smallest constant, times sqrt(epsilon), is the largest
    `growth` of a pair.

    Since two points are joined by a segment, the smallest constant is the largest operator norm of the derivative. The
    derivative of layer norm is sqrt(1 - |u|^2) gain (P - u u^T)/sqrt(epsilon), where P subtracts the mean and u is any
    vector of mean 0 with |u| < 1. Row (or column) i of P - u u^T, with signs s for its entries, has the sum
    <a, b> - <a, u> <b, u>, where a = P e_i and b = P s (for a column, gain times s in place of s). Let p = <a, b> and
    q = |a| |b|. Then <a, u> <b, u> is at least |u|^2 (p - q)/2, which is reached for u half way between a and -b. So
    with t = |u|^2 the pair has the largest value of sqrt(1 - t) (p + t (q - p)/2), 0 <= t < 1. In the pair for k, k
    signs are positive, and that of entry i is one of them.
    """
    return [(Fraction(2 * (d - k), d), Fraction(4 * (d - 1) * k * (d - k), d * d)) for k in range(1, d + 1)]


def column_growths(gains: Sequence[Fraction]) -> set[tuple[Fraction, Fraction]] | None:
    """The pairs of `row_growths` for the sum of entries, with the gains (none negative); None if there are more than
    `MAX_SUMS` signed sums of gains."""
    d, total = len(gains), sum((g * g for g in gains), Fraction(0))
    growths: set[tuple[Fraction, Fraction]] = set()
    # One column for each different gain. `sums` has the sums of the other gains with all combinations of signs.
    for gain in set(gains):
        others = list(gains)
        others.remove(gain)
        sums = {Fraction(0)}
        for g in others:
            sums = {s + signed for s in sums for signed in (g, -g)}
            if len(sums) > MAX_SUMS:
                return None
        # p = <a, b> and q^2 = |a|^2 |b|^2 of `row_growths`, where b has the gains with signs.
        for signed in (gain, -gain):
            for all_but in sums:
                signed_sum = signed + all_but
                p = signed - signed_sum / d
                if p >= 0:  # the opposite signs give -p
                    growths.add((p, Fraction(d - 1, d) * (total - signed_sum**2 / d)))
    return growths


def greatest_growth(pairs: Collection[tuple[Fraction, Fraction]]) -> flint.arb:
    """The largest `growth` of the pairs (p, q^2)."""
    best = flint.arb(0)
    for p, square in pairs:
        best = best.max(growth(p, square))
    return best


def growth(p: Fraction, square: Fraction) -> flint.arb:
    """The largest value of sqrt(1 - t) (p + t (q - p)/2) for 0 <= t < 1, where q = sqrt(square) and 0 <= p <= q.

    It is reached at t = 0 if q <= 2 p, and otherwise where 3 t (q - p) = 2 (q - 2 p).
    """
    if square <= 4 * p * p:
        return arb_of(p)
    q = arb_of(square).sqrt()
    return ((q + arb_of(p)) ** 3 / (27 * (q - arb_of(p)))).sqrt()


def _as_text(value: str | int | Fraction) -> str:
    """An exact number as text; text stays."""
    return value if isinstance(value, str) else written(Fraction(value))


def _gains(gain: str | int | Fraction, d: int) -> list[Fraction]:
    """d gains, from one number or a list as text; BadInput for anything else."""
    numbers = [rational_value(number_tree(part, "gain"), "gain") for part in _as_text(gain).split(",")]
    if len(numbers) not in (1, d):
        raise BadInput(f"gain must be one number, or d = {d} of them", len(numbers), "give for example --gain 1")
    if not any(numbers):
        raise BadInput(
            "gain must have an entry other than 0, as layer norm is constant otherwise",
            gain,
            "give for example --gain 1",
        )
    return numbers * d if len(numbers) == 1 else numbers


def _greatest_root(squares: Sequence[Fraction]) -> flint.arb:
    """The largest t at which the polynomial sum over i of (product over j != i of squares_j - t) is 0. That is the
    largest value of the sum of squares_i w_i^2 over unit vectors w of mean 0. All roots are real."""
    total = flint.fmpq_poly([0])
    for i in range(len(squares)):
        term = flint.fmpq_poly([1])
        for j, square in enumerate(squares):
            if j != i:
                term *= flint.fmpq_poly([flint.fmpq(square.numerator, square.denominator), -1])
        total += term
    root_pairs: Any = total.numer().complex_roots()  # pairs (root, multiplicity)
    roots = [root.real for root, _ in root_pairs]
    best = roots[0]
    for root in roots[1:]:
        best = best.max(root)
    return best
