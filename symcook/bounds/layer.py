"""Lipschitz constants of one layer: of a feed-forward layer with relu, and of layer norm.

The constant of a feed-forward layer is exact: the signs of the hidden units cut the inputs into finitely many cells, on
each of which the layer is linear, and the constant is the largest operator norm of these linear maps. That of layer
norm comes from its derivative.
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
from symcook.model.parts import FeedForward
from symcook.model.transformer import Transformer
from symcook.numbers.balls import Ball, arb_of, decide_sign

NORMS = ("max", "sum")
MAX_CONDITIONS = 20_000
"""How many conditions an elimination may have: what is left of a cell without its last coordinate."""
MAX_WIDTH = 64
MAX_SUMS = 10_000
"""How many sums of gains with signs are gone through."""

AffineRow = tuple[Fraction, ...]
"""An affine function: the coefficients of its inputs, then the constant."""
AffinePoint = tuple[Fraction, ...]


# --- Cells: where the hidden units have given signs -------------------------------------------------------------------


def interior(conditions: Sequence[AffineRow], inputs: int) -> AffinePoint | None:
    """A point at which all affine functions are positive, None where there is none (Fourier and Motzkin).

    BadInput where the elimination has more than `MAX_CONDITIONS` conditions.
    """
    if inputs == 0:
        return () if all(row[-1] > 0 for row in conditions) else None
    lower, upper, others_of = [], [], set()
    # By its last coefficient each condition bounds the last coordinate from below, from above, or not at all.
    for row in conditions:
        factor = row[inputs - 1]
        others = (*row[: inputs - 1], row[-1])
        if factor == 0:
            others_of.add(others)
        else:  # the last coordinate is above or below this
            (lower if factor > 0 else upper).append(tuple(-e / factor for e in others))
    if len(lower) * len(upper) + len(others_of) > MAX_CONDITIONS:
        raise BadInput("the hidden units must be few enough to find all their signs", f"{len(conditions)} conditions")
    # The last coordinate has a value iff each lower bound is below each upper one: conditions on the others.
    others_of |= {tuple(b - a for a, b in zip(low, high, strict=True)) for low in lower for high in upper}
    inner_point = interior(tuple(others_of), inputs - 1)
    if inner_point is None:
        return None
    # A point for the others is known; between the bounds there is room for the last coordinate.
    low, high = ([value(bound, inner_point) for bound in bounds] for bounds in (lower, upper))
    if low and high:
        return (*inner_point, (max(low) + min(high)) / 2)
    if low:
        return (*inner_point, max(low) + 1)
    return (*inner_point, min(high) - 1 if high else Fraction(0))


def value(row: AffineRow, point: Sequence[Fraction]) -> Fraction:
    """An affine function at a point."""
    return sum((a * x for a, x in zip(row[:-1], point, strict=True)), row[-1])


def cells(units: Sequence[AffineRow], inputs: int) -> Iterator[tuple[tuple[bool, ...], AffinePoint]]:
    """Which units are positive, for each combination of signs that an open set has, with a point of it."""

    def extend(signs: tuple[bool, ...], conditions: tuple[AffineRow, ...], point: AffinePoint) -> Iterator[Any]:
        """The cells in which the first units have these `signs`; `point` lies in all of them so far."""
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
            # The point at hand serves one of the two sides; for the other one must be found.
            here = point if value(narrowed[-1], point) > 0 else interior(narrowed, inputs)
            if here is not None:
                yield from extend((*signs, sign), narrowed, here)

    yield from extend((), (), (Fraction(0),) * inputs)


# --- Feed-forward layers ----------------------------------------------------------------------------------------------


class Network:
    """A feed-forward layer of relu by its matrices, as Fractions; the residual connection left out."""

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
        """The outputs of the network without biases, to which f(c x)/c comes as c grows."""
        hidden = [max(value(unit, point), Fraction(0)) for unit in self.slopes]
        return [value((*row, Fraction(0)), hidden) for row in self.W2]

    def constant(self, norm: str) -> Fraction:
        """The smallest Lipschitz constant: the largest operator norm of a linear piece, as any two points are joined
        by a line that goes through finitely many pieces, and two points of one piece reach its norm."""
        best = Fraction(0)
        for signs, _ in cells(self.units, self.inputs):
            active = [row if sign else [Fraction(0)] * self.inputs for sign, row in zip(signs, self.W1, strict=True)]
            best = max(best, size(product(self.W2, active), norm))
        return best

    def stretched(self) -> tuple[AffinePoint, int] | None:
        """x and c with f(c x) != c f(x); None where there are none, and f is positively 1-homogeneous.

        f is iff it is the same network without biases. On each cell of both together the two are affine, and differ
        at its point, or beside it, where they differ anywhere.
        """
        for _, point in cells([*self.units, *self.slopes], self.inputs):
            for x in (point, *beside(point, [*self.units, *self.slopes])):
                if self.at(x) != self.without_biases(x):
                    c = 2
                    while self.at([c * e for e in x]) == [c * y for y in self.at(x)]:
                        c *= 2  # f(c x)/c tends to another value than f(x)
                    return x, c
        return None


def beside(point: AffinePoint, units: Sequence[AffineRow]) -> Iterator[AffinePoint]:
    """The point moved along each input, so little that no unit that is not 0 there changes its sign."""
    room = [abs(value(u, point)) / (2 * sum(map(abs, u[:-1]), Fraction(1))) for u in units if value(u, point) != 0]
    step = min(room, default=Fraction(1))
    for k in range(len(point)):
        yield (*point[:k], point[k] + step, *point[k + 1 :])


def size(rows: Sequence[Sequence[Fraction]], norm: str) -> Fraction:
    """The operator norm: the largest row sum of sizes for the largest entry as norm, column sum for the sum."""
    return column_sum(list(zip(*rows, strict=True)) if norm == "max" else rows)


def lipschitz(
    model: str | Transformer,
    norm: str = "max",
    values: str | Mapping[str, object] | None = None,
    digits: int | str = 30,
) -> Bound:
    """The smallest Lipschitz constant of a feed-forward layer, against ||W2|| ||W1||, and whether it is positively
    homogeneous (Cookbook, Section 6.1).

    norm M: max for the largest entry, sum for the sum of their sizes.

    The model, which may be given as such, has one feed-forward layer with relu; the residual connection is left out.
    Definition 6.2 does not say which norm is meant. Values are those of arguments and symbols, as "eps=1/8".

    `extra` says whether the layer is positively homogeneous of degree 1, f(c x) = c f(x) for c >= 0, with a
    counterexample where it is not; without biases every layer is. Both are exact: every combination of signs of hidden
    units that an open set of inputs has is gone through. Raises BadInput for another model, a symbol without a value,
    or too many hidden units. Source: Cookbook, Section 6.1, Definitions 6.2 and 6.3.
    """
    wanted = check_digits(digits)
    if norm not in NORMS:
        raise unknown("norm", norm, list(NORMS))
    chosen, name = read_model(model, values)
    # The model must be a feed-forward sublayer and nothing else.
    steps = list(chosen.sublayers)
    block = steps[0].block if len(steps) == 1 and not steps[0].before and steps[0].after is None else None
    if not isinstance(block, FeedForward) or block.activation != "relu":
        do = "give a recipe such as gtzero; of layer norm: bound layer-norm"
        raise BadInput("the model must be one feed-forward layer with relu", name, do)
    # Both constants, and whether the network is homogeneous.
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
        homogeneous = f"no: f({c} x) is not {c} f(x) at {', '.join(_at(block.reads, x))}"
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
    )


def _at(names: Sequence[str], point: AffinePoint) -> list[str]:
    return [f"{name} = {written(e)}" for name, e in zip(names, point, strict=True)]


# --- Layer norm -------------------------------------------------------------------------------------------------------


def layer_norm(
    d: int | str, epsilon: str | int | Fraction, gain: str | int | Fraction = 1, digits: int | str = 30
) -> Bound:
    """The smallest Lipschitz constant of layer norm for the Euclidean norm, against max|gain|/sqrt(epsilon) (Cookbook,
    Sections 6.1 and 6.4).

    d D: How many entries are normalised.
    epsilon E: What is added to the variance, positive.
    gain G: One gain for all entries, or '1, 2, 1/2'.

    There are 2 to 64 entries; epsilon is rational, and with 0 there is no constant; gains are rational, not all 0.

    K is a constant iff |gain w| <= sqrt(epsilon) K |w| for every w of mean 0 (`lem.layernorm_euclid`). So the square
    of the least one is the greatest root of the sum over i of the products of gain_j^2 - t, j != i, over epsilon; with
    equal gains it is gain^2/epsilon. Two vectors with nearly equal entries come near it, and no two vectors reach it.
    `extra` has the least constants for the two other norms (`growths`), beside proved ones that are greater for d > 2;
    that of the sum is left out where gains differ so much that there are more than `MAX_SUMS` sums of them with signs.
    Raises BadInput for d, epsilon, gain or digits. Source: Cookbook, Section 6.1 and Section 6.4.
    """
    wanted = check_digits(digits)
    entries = count(d, "d", least=2)
    if entries > MAX_WIDTH:
        raise BadInput(f"d must be at most {MAX_WIDTH}", entries)
    if rational_value(number_tree(_text(epsilon), "epsilon"), "epsilon") == 0:
        must = "epsilon must be positive, as layer norm is not Lipschitz without (cookbook.s6.4.ln_lipschitz.corrected)"
        raise BadInput(must, 0, "give for example --epsilon 1/100000")
    small = rational_positive(epsilon, "epsilon")
    gains = _gains(gain, entries)
    squares = [g * g for g in gains]
    greatest = max(abs(g) for g in gains)

    # The smallest constant for the Euclidean norm, and the claimed one.
    def least() -> flint.arb:
        return (_greatest_root(squares) / arb_of(small)).sqrt()

    def claimed() -> flint.arb:
        return arb_of(greatest) / arb_of(small).sqrt()

    equal = squares.count(max(squares)) > 1  # the two largest gains make a vector of mean 0: both are the same
    shown_gains = gains[:1] if len(set(gains)) == 1 else gains
    # The two other norms: the largest row sum (largest entry) and column sum (sum of entries) of the derivative.
    rows = [(p * greatest, q * greatest**2) for p, q in row_growths(entries)]
    columns = column_growths([abs(g) for g in gains])

    def least_constant(pairs: Collection[tuple[Fraction, Fraction]] | None) -> Ball | str:
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
    """For the largest entry and gains 1: pairs p and q^2 whose `growth` is the largest for one of them.

    The derivative of layer norm is sqrt(1 - |u|^2) gain (P - u u^T)/sqrt(epsilon), where P takes the mean away and u is
    any vector of mean 0 shorter than 1. A row, or column, i with signs s that come before its entries adds up to
    <a, b> - <a, u> <b, u> with a = P e_i, b = P s (gain s for a column), and <a, u> <b, u> is at least
    |u|^2 (p - q)/2 with p = <a, b>, q = |a| |b|, which is reached between a and -b. So a pair stands for the largest
    of sqrt(1 - t) (p + t (q - p)/2), 0 <= t < 1. Here k signs are positive, that of i among them. The smallest constant
    is that of the derivative, as two points are joined by a line.
    """
    return [(Fraction(2 * (d - k), d), Fraction(4 * (d - 1) * k * (d - k), d * d)) for k in range(1, d + 1)]


def column_growths(gains: Sequence[Fraction]) -> set[tuple[Fraction, Fraction]] | None:
    """The pairs of `row_growths` for the sum of entries and these gains, none negative; None where there are more than
    `MAX_SUMS` sums of gains with signs."""
    d, total = len(gains), sum((g * g for g in gains), Fraction(0))
    growths: set[tuple[Fraction, Fraction]] = set()
    # One column for each different gain. `sums` are the sums of the other gains with all signs.
    for own in set(gains):
        others = list(gains)
        others.remove(own)
        sums = {Fraction(0)}
        for g in others:
            sums = {s + signed for s in sums for signed in (g, -g)}
            if len(sums) > MAX_SUMS:
                return None
        # p = <a, b> and q^2 = |a|^2 |b|^2 of `row_growths`, where b has the gains with signs.
        for signed in (own, -own):
            for all_but in sums:
                signed_sum = signed + all_but
                p = signed - signed_sum / d
                if p >= 0:  # all other signs give -p
                    growths.add((p, Fraction(d - 1, d) * (total - signed_sum**2 / d)))
    return growths


def greatest_growth(pairs: Collection[tuple[Fraction, Fraction]]) -> flint.arb:
    """The largest `growth` of p and q^2 among pairs."""
    best = flint.arb(0)
    for p, square in pairs:
        best = best.max(growth(p, square))
    return best


def growth(p: Fraction, square: Fraction) -> flint.arb:
    """The largest sqrt(1 - t) (p + t (q - p)/2), 0 <= t < 1, with q = sqrt(square) and 0 <= p <= q: at t = 0, or where
    3 t (q - p) = 2 (q - 2 p)."""
    if square <= 4 * p * p:
        return arb_of(p)
    q = arb_of(square).sqrt()
    return ((q + arb_of(p)) ** 3 / (27 * (q - arb_of(p)))).sqrt()


def _text(value: str | int | Fraction) -> str:
    return value if isinstance(value, str) else written(Fraction(value))


def _gains(gain: str | int | Fraction, d: int) -> list[Fraction]:
    numbers = [rational_value(number_tree(part, "gain"), "gain") for part in _text(gain).split(",")]
    if len(numbers) not in (1, d):
        raise BadInput(f"gain must be one number, or d = {d} of them", len(numbers), "give for example --gain 1")
    if not any(numbers):
        raise BadInput("gain must not be 0 everywhere, where layer norm is constant", gain, "give for example --gain 1")
    return numbers * d if len(numbers) == 1 else numbers


def _greatest_root(squares: Sequence[Fraction]) -> flint.arb:
    """The largest t at which the sum over i of the products of squares_j - t, j != i, is 0: the largest value of
    the sum of squares_i w_i^2 over unit vectors w of mean 0. All roots are real."""
    total = flint.fmpq_poly([0])
    for i in range(len(squares)):
        term = flint.fmpq_poly([1])
        for j, square in enumerate(squares):
            if j != i:
                term *= flint.fmpq_poly([flint.fmpq(square.numerator, square.denominator), -1])
        total += term
    root_pairs: Any = total.numer().complex_roots()  # pairs of a root and how often it occurs
    roots = [root.real for root, _ in root_pairs]
    best = roots[0]
    for root in roots[1:]:
        best = best.max(root)
    return best
