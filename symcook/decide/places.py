"""Position functions: those with finitely many values, as streams, and those that only order the positions.

Powers of -1, remainders (also as sums over quotients), sines and cosines of rational turns, signs, and comparisons of i
or n - i with a number take finitely many values over all lengths. They are streams, and so is every function of such
terms. Any other position function must be a number plus multiples of `TERMS`, each strictly monotone in the position,
and of `SAME`, so that it can only break ties (`symcook.decide.finite`) or look up a position
(`symcook.decide.lookups`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from symcook.decide.streams import Stream, cycle, each, together
from symcook.errors import BadInput, NotExact
from symcook.model.expr import Tree, names, parse_term, show
from symcook.model.meaning import subtrees
from symcook.model.rationals import rational, truth


class Order(NamedTuple):
    """A term that is strictly monotone in the position."""

    rises: bool
    spread: Callable[[int], Fraction | None]
    """{number of the first position: a bound that is greater than any difference of two values of the term in one
    string}; None where there is no bound."""


TERMS: dict[Tree, Order] = {
    parse_term("i"): Order(True, lambda first: None),
    parse_term("i^2"): Order(True, lambda first: None),
    parse_term("i/n"): Order(True, lambda first: Fraction(1)),
    parse_term("1/i"): Order(False, lambda first: Fraction(1)),
    parse_term("1/(i + 1)"): Order(False, lambda first: Fraction(1, first + 1)),
}
"""The bounds: two values of i/n differ by at most (n - 1)/n; 1/i and 1/(i + 1) stay above 0."""
PI = parse_term("pi")
SAME = [parse_term(text) for text in ("n", "1/n", "1/(n + 1)")]
"""Terms that have the same value at all positions of a string."""
Ordered = dict[Tree, Fraction]
"""A sum of multiples of terms of `TERMS` and `SAME`: {term: coefficient}."""
FAR = 1000
"""The greatest absolute value of a number with which i or i - n may be compared."""


class Unbounded(Exception):
    """A position function that is neither of the two kinds that `place` reads; the message is its text, or that of the
    part that does not fit."""


def place(tree: Tree, first: int, letters: int) -> tuple[Stream | Fraction, Ordered]:
    """The position function `tree` as (stream or number, {}) if it has finitely many values, else as (number, multiples
    of terms of `TERMS` and `SAME`), whose sum it is. `first` is the number of the first position, `letters` the size of
    the alphabet.

    Unbounded where the function has neither form, for example a stream plus a multiple of i/n.
    """
    finite_parts: dict[Tree, Stream] = {}
    try:
        try:
            periodic: Tree | None = _finite(tree, first, letters, finite_parts)
        except Unbounded:
            periodic = None
        if periodic is not None and not names(periodic) & {"i", "n"}:
            if not finite_parts:
                return rational(periodic), {}
            atoms = [f"finite{k}" for k in range(len(finite_parts))]
            both = together(list(finite_parts.values()))
            return each(lambda values: rational(periodic, dict(zip(atoms, values, strict=True))), both), {}
        bias, order = _linear(tree)
    except (BadInput, NotExact):
        raise Unbounded(show(tree)) from None
    if first == 0 and parse_term("1/i") in order:
        raise Unbounded(f"{show(tree)}, which has no value at position 0")
    return bias, order


def _finite(tree: Tree, first: int, letters: int, found: dict[Tree, Stream]) -> Tree:
    """`tree` with a name, finite0, finite1, ..., in place of each power, each condition and each periodic function with
    i or n in it. `found` is extended by these parts, each with its stream, in the order of the names. Unbounded where
    such a part has no stream."""
    if tree[:2] == ("call", "sign") and names(tree) & {"i", "n"}:
        (of,), zero = tree[2], ("num", 0, 1)
        return _finite(("-", ("ind", ("<", zero, of)), ("ind", ("<", of, zero))), first, letters, found)
    if tree[:2] == ("call", "mod") and any(part[:2] == ("call", "mod") for part in subtrees(tree[2][0])):
        dividend, divisor = tree[2]
        return ("call", "mod", (_finite(dividend, first, letters, found), divisor))
    is_cyclic = tree[:2] in (("call", "mod"), ("call", "sin"), ("call", "cos"))
    if (is_cyclic or tree[0] == "sum") and names(tree) & {"i", "n"}:
        if tree not in found:
            found[tree] = (_cyclic if is_cyclic else _divided)(tree, first, letters)
        return ("name", f"finite{list(found).index(tree)}")
    if tree[0] in ("^", "ind", "if") and names(tree) & {"i", "n"}:
        varying = tree if tree[0] == "^" else tree[1]
        if varying not in found:
            found[varying] = _power(tree, first, letters) if tree[0] == "^" else _compared(tree[1], first, letters)
        named: Tree = ("name", f"finite{list(found).index(varying)}")
        if tree[0] != "if":
            return named
        return ("if", ("=", named, ("num", 1, 1)), *(_finite(part, first, letters, found) for part in tree[2:]))
    return tuple(_finite(part, first, letters, found) if isinstance(part, tuple) else part for part in tree)


def _power(tree: Tree, first: int, letters: int) -> Stream:
    """The stream of a power of -1 whose exponent is an integer polynomial in i, or an integer multiple of n - i and an
    integer, so that its parity depends on that of i or of n - i."""
    base, exponent = tree[1], tree[2]
    if names(base) or rational(base) != -1:
        raise Unbounded(show(tree))
    from_end = not _polynomial(exponent)
    if from_end:
        i, n, constant = _affine(exponent)
        if n != -i or i.denominator != 1 or constant.denominator != 1:
            raise Unbounded(show(tree))
    # The k-th position from the end is i = n - 1 - k + first; only i - n matters, so n is 0 here.
    at = [Fraction(first - 1 - k if from_end else first + k) for k in (0, 1)]
    stream = cycle(2, [rational(tree, {"i": place, "n": Fraction(0)}) for place in at], letters)
    return stream.mirrored if from_end else stream


def _cyclic(tree: Tree, first: int, letters: int) -> Stream:
    """The stream of a remainder, or of the sine or cosine of a rational multiple of pi, of i or of n - i. Unbounded
    where its values do not repeat, are irrational, or repeat only after more than `FAR` positions."""
    name, (of, *divisor) = tree[1], tree[2]
    by = rational(divisor[0]) if divisor and not names(divisor[0]) else Fraction(2)
    if (divisor and names(divisor[0])) or not by:
        raise Unbounded(show(tree))
    if divisor and _polynomial(of) and by.denominator == 1:
        n, period = Fraction(0), abs(by.numerator)
    else:
        # The values repeat after as many positions as make the argument grow by a multiple of the turn.
        i, n, _ = form = _affine(of) if divisor else _turns(of)
        if n not in (0, -i):
            raise Unbounded(show(tree))
        period = (i / by).denominator
    if period > FAR:
        raise Unbounded(show(tree))

    def value(i: Fraction) -> Fraction:
        """The value at i, where n is 0: from the end only i - n matters."""
        if divisor:
            return rational(tree, {"i": i, "n": Fraction(0)})
        turns = (form[0] * i + form[2] - (Fraction(1, 2) if name == "sin" else 0)) % 2
        if turns not in COSINES:
            raise Unbounded(show(tree))
        return COSINES[turns]

    # The k-th position from the end is i = n - 1 - k + first.
    at = [Fraction(first - 1 - k if n else first + k) for k in range(period)]
    stream = cycle(period, [value(place) for place in at], letters)
    return stream.mirrored if n else stream


def _divided(tree: Tree, first: int, letters: int) -> Stream:
    """The stream of ``sum(q, 0, p, I[p = m*q + r])`` for p = i + c or n - i + c, which is 1 where p >= r and m divides
    p - r, and 0 elsewhere: so the compiler writes remainders. Unbounded for any other sum."""
    match tree:
        case ("sum", q, ("num", 0, 1), high, ("ind", ("=", dividend, quotient))):
            pass
        case _:
            raise Unbounded(show(tree))
    match quotient:
        case ("+", ("*", ("num", m, 1), ("name", own)), rest):
            pass
        case ("*", ("num", m, 1), ("name", own)):
            rest = ("num", 0, 1)
        case _:
            raise Unbounded(show(tree))
    if own != q or high != dividend or rest[0] != "num" or rest[2] != 1 or not (2 <= m <= FAR and 0 <= rest[1] <= FAR):
        raise Unbounded(show(tree))
    i, n, constant = _affine(dividend)
    # At the first position from its end, p must not be negative, so that p >= r is (p - r)/m <= p.
    start = constant + (first if n == 0 else 1 - first)
    if (i, n) not in ((1, 0), (-1, 1)) or constant.denominator != 1 or start < 0:
        raise Unbounded(show(tree))
    # From p = r on, the values repeat after m positions.
    before, remainder = max(0, int(rest[1] - start)), rest[1]
    values = [Fraction(start + k >= remainder and (start + k - remainder) % m == 0) for k in range(before + m)]
    stream = cycle(before + m, values, letters, before)
    return stream if n == 0 else stream.mirrored


COSINES = {
    Fraction(sixths, 6): Fraction(cosine, 2)
    for sixths, cosine in {0: 2, 2: 1, 3: 0, 4: -1, 6: -2, 8: -1, 9: 0, 10: 1}.items()
}
"""The rational cosines: {t: cos(pi*t)} for 0 <= t < 2. By Niven's theorem no other rational t has one."""


def _turns(tree: Tree) -> tuple[Fraction, Fraction, Fraction]:
    """The coefficients of i and of n, and the constant, of a multiple of pi, divided by pi; Unbounded for any other
    term."""
    if tree == PI:
        return Fraction(0), Fraction(0), Fraction(1)
    if tree[0] in ("+", "-"):
        sign = 1 if tree[0] == "+" else -1
        one, other = _turns(tree[1]), _turns(tree[2])
        return one[0] + sign * other[0], one[1] + sign * other[1], one[2] + sign * other[2]
    # A product of a multiple of pi and a term without pi, one of which is a number or a multiple of pi alone.
    match tree:
        case ("neg", of):
            left, turns = _affine(("num", -1, 1)), _turns(of)
        case ("/", of, ("num", p, q)):
            left, turns = (Fraction(0), Fraction(0), Fraction(q, p)), _turns(of)
        case ("*", one, other):
            with_pi, without = (one, other) if PI in subtrees(one) else (other, one)
            left, turns = _affine(without), _turns(with_pi)
        case _:
            raise Unbounded(show(tree))
    if any(turns[:2]) and any(left[:2]):
        raise Unbounded(show(tree))
    number, terms = (turns[2], left) if any(left[:2]) else (left[2], turns)
    return number * terms[0], number * terms[1], number * terms[2]


def _polynomial(tree: Tree) -> bool:
    """Whether `tree` is made of integers and i by sums, differences, products and powers."""
    if tree[0] == "num":
        return tree[2] == 1
    if tree[0] == "^":
        return _polynomial(tree[1]) and tree[2][0] == "num" and tree[2][2] == 1 and tree[2][1] >= 0
    return tree == ("name", "i") or (tree[0] in ("+", "-", "*", "neg") and all(map(_polynomial, tree[1:])))


def _compared(formula: Tree, first: int, letters: int) -> Stream:
    """The stream of the truth (1 or 0) of a formula: comparisons joined by connectives, either all of i with numbers,
    or all of n - i with numbers."""
    atoms: list[tuple[Fraction, bool]] = []

    def collect(part: Tree) -> None:
        """Collect the comparisons of a formula, each as the number with which i or i - n is compared."""
        if part[0] in ("=", "<", "<="):
            first_form, second_form = _affine(part[1]), _affine(part[2])
            i, n, c = (a - b for a, b in zip(first_form, second_form, strict=True))
            if n not in (0, -i) or (i == 0 and n == 0):
                raise Unbounded(show(formula))
            atoms.append((-c / i, n != 0))  # i, or i - n, is compared with this number
        elif part[0] in ("&", "|", "~", "->", "<->"):
            for inner in part[1:]:
                collect(inner)
        elif part[0] not in ("true", "false"):
            raise Unbounded(show(formula))

    collect(formula)
    # All comparisons must be from the same end. Beyond the largest bound the truth does not change any more.
    ends = {at_end for _, at_end in atoms}
    if len(ends) > 1 or any(abs(bound) > FAR for bound, _ in atoms):
        raise Unbounded(show(formula))
    size = int(max((abs(bound) for bound, _ in atoms), default=Fraction(0))) + 3
    from_end = ends == {True}
    values = []
    for k in range(size):
        # The k-th position from the end is i = n - 1 - k + first; only i - n matters, so n is 0 here.
        i = Fraction(first - 1 - k if from_end else first + k)
        values.append(Fraction(truth(formula, {"i": i, "n": Fraction(0)})))
    truth_stream = cycle(size, values, letters, size - 1)
    return truth_stream.mirrored if from_end else truth_stream


def _affine(tree: Tree) -> tuple[Fraction, Fraction, Fraction]:
    """The coefficients of i and of n, and the constant, of a term that is affine in both; Unbounded for any other."""
    if not names(tree):
        return Fraction(0), Fraction(0), rational(tree)
    if tree in (("name", "i"), ("name", "n")):
        return (Fraction(1), Fraction(0), Fraction(0)) if tree[1] == "i" else (Fraction(0), Fraction(1), Fraction(0))
    if tree[0] in ("+", "-"):
        sign = 1 if tree[0] == "+" else -1
        first_form, second_form = _affine(tree[1]), _affine(tree[2])
        return tuple(a + sign * b for a, b in zip(first_form, second_form, strict=True))  # type: ignore[return-value]
    scale, unscaled = _scaled(tree)
    return tuple(scale * a for a in _affine(unscaled))  # type: ignore[return-value]


def _scaled(tree: Tree) -> tuple[Fraction, Tree]:
    """A number and a term whose product is `tree`; Unbounded where the form of `tree` does not show one."""
    if tree[0] == "neg":
        return Fraction(-1), tree[1]
    if tree[0] == "*" and not names(tree[1]):
        return rational(tree[1]), tree[2]
    if tree[0] in ("*", "/") and not names(tree[2]):
        by = rational(tree[2])
        return by if tree[0] == "*" else 1 / by, tree[1]
    if tree[0] == "/" and not names(tree[1]) and tree[1] != ("num", 1, 1):
        return rational(tree[1]), ("/", ("num", 1, 1), tree[2])
    if tree[0] == "/" and tree[1] != (index := ("name", "i")) and tree[2] == ("name", "n"):
        scale, unscaled = _scaled(tree[1])
        if unscaled == index:
            return scale, ("/", index, tree[2])
    raise Unbounded(show(tree))


def _linear(tree: Tree) -> tuple[Fraction, Ordered]:
    """`tree` as a number plus a sum of multiples of `TERMS` and `SAME`; Unbounded where it is not one."""
    if not names(tree):
        return rational(tree), {}
    if tree in TERMS or tree in SAME:
        return Fraction(0), {tree: Fraction(1)}
    if tree[0] in ("+", "-"):
        return added(_linear(tree[1]), _linear(tree[2]), 1 if tree[0] == "+" else -1)
    scale, unscaled = _scaled(tree)
    bias, order = _linear(unscaled)
    return scale * bias, {term: scale * weight for term, weight in order.items()}


def added(
    one: tuple[Fraction, Ordered], other: tuple[Fraction, Ordered], scale: Fraction | int
) -> tuple[Fraction, Ordered]:
    """`one` plus `scale` times `other`, each a number plus a sum of multiples of terms. Terms that cancel are left
    out."""
    order = dict(one[1])
    for term, weight in other[1].items():
        order[term] = order.get(term, Fraction(0)) + scale * weight
    return one[0] + scale * other[0], {term: weight for term, weight in order.items() if weight}
