"""References of the feed-forward recipes, for all rational inputs.

Each function maps {coordinate: Fraction} to {coordinate: Fraction}; the parameters of the recipe (eps, c, a truth table
..) are further arguments. The result is under "out", except for recipes that rewrite their input by the residual
connection: `zero` returns it under the names of the inputs, `cancel_residual` under "x".

The source of every formula except `parity` is the Cookbook, sections 4, 5.7 and 6.4. A comparator follows its formula
with three cases, also inside the tolerance window; only outside this window it equals the indicator that it
approximates, or, if the tolerance is an input, the indicator times the tolerance.
"""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

from symcook.errors import BadInput

NamedValues = Mapping[str, Fraction]
SpecOutputs = dict[str, Fraction]
SpecNumber = Fraction | int


def _number(value: object, what: str) -> Fraction:
    """The value as a Fraction. Raises BadInput, which names it by `what`, unless it is an integer or Fraction."""
    if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
        raise BadInput(f"{what} must be an exact number", value, "give an integer or a Fraction such as Fraction(1, 2)")
    return Fraction(value)


def _read(values: NamedValues, *names: str) -> tuple[Fraction, ...]:
    """The named inputs as Fractions. Raises BadInput for a missing name and for a float."""
    missing = [name for name in names if name not in values]
    if missing:
        raise BadInput(f"the input {missing[0]} must be set", ", ".join(values) or "nothing", f"set {missing[0]}")
    return tuple(_number(values[name], f"the input {name}") for name in names)


def _positive(value: SpecNumber, what: str) -> Fraction:
    """The value as a Fraction. Raises BadInput, which names it by `what`, unless it is an exact positive number."""
    number = _number(value, what)
    if number <= 0:
        raise BadInput(f"{what} must be positive", number, f"give a positive rational for {what}")
    return number


def _out(value: Fraction) -> SpecOutputs:
    """The value under the coordinate "out"."""
    return {"out": value}


def identity(values: NamedValues) -> SpecOutputs:
    """out = x (section 4.3, eq 21)."""
    (x,) = _read(values, "x")
    return _out(x)


def zero(values: NamedValues) -> SpecOutputs:
    """x + zero(x) = x: with the residual connection every coordinate keeps its value (section 4.3)."""
    return {name: _number(value, f"the input {name}") for name, value in values.items()}


def minimum(values: NamedValues) -> SpecOutputs:
    """out = the lesser of x and y (section 4.4)."""
    x, y = _read(values, "x", "y")
    return _out(x if x <= y else y)


def maximum(values: NamedValues) -> SpecOutputs:
    """out = the greater of x and y (section 4.4)."""
    x, y = _read(values, "x", "y")
    return _out(y if x <= y else x)


def add(values: NamedValues) -> SpecOutputs:
    """out = x + y (section 4.5)."""
    x, y = _read(values, "x", "y")
    return _out(x + y)


def subtract(values: NamedValues) -> SpecOutputs:
    """out = x - y (section 4.5)."""
    x, y = _read(values, "x", "y")
    return _out(x - y)


def scale(values: NamedValues, *, c: SpecNumber) -> SpecOutputs:
    """out = c x for a constant c (section 4.6)."""
    (x,) = _read(values, "x")
    return _out(_number(c, "the factor c") * x)


def gtzero(values: NamedValues, *, eps: SpecNumber) -> SpecOutputs:
    """0 for x <= 0, x/eps for 0 < x < eps, 1 for x >= eps; eps > 0 (eq 29)."""
    (x,) = _read(values, "x")
    tolerance = _positive(eps, "eps")
    if x <= 0:
        return _out(Fraction(0))
    return _out(x / tolerance if x < tolerance else Fraction(1))


def gezero(values: NamedValues, *, eps: SpecNumber) -> SpecOutputs:
    """0 for x <= -eps, 1 + x/eps for -eps < x < 0, 1 for x >= 0; eps > 0 (eq 30)."""
    (x,) = _read(values, "x")
    tolerance = _positive(eps, "eps")
    if x <= -tolerance:
        return _out(Fraction(0))
    return _out(1 + x / tolerance if x < 0 else Fraction(1))


def eqzero(values: NamedValues, *, eps: SpecNumber) -> SpecOutputs:
    """0 for |x| >= eps, 1 - |x/eps| for 0 < |x| < eps, 1 for x = 0; eps > 0 (eq 31)."""
    (x,) = _read(values, "x")
    tolerance = _positive(eps, "eps")
    if x == 0:
        return _out(Fraction(1))
    distance = abs(x) / tolerance
    return _out(1 - distance if distance < 1 else Fraction(0))


def gtzero_input(values: NamedValues) -> SpecOutputs:
    """0 for x <= 0, x for 0 < x < tolerance, tolerance for x >= tolerance; tolerance is an input (eq 32).

    For tolerance <= 0, which the equation does not cover: tolerance for x > 0, else 0.
    """
    x, tolerance = _read(values, "x", "tolerance")
    if tolerance <= 0:
        return _out(tolerance if x > 0 else Fraction(0))
    if x <= 0:
        return _out(Fraction(0))
    return _out(x if x < tolerance else tolerance)


def gezero_input(values: NamedValues) -> SpecOutputs:
    """0 for x <= -tolerance, x + tolerance for -tolerance < x < 0, tolerance for x >= 0 (eq 33).

    For tolerance <= 0, which the equation does not cover: tolerance for x >= 0, else 0.
    """
    x, tolerance = _read(values, "x", "tolerance")
    if tolerance <= 0:
        return _out(tolerance if x >= 0 else Fraction(0))
    if x <= -tolerance:
        return _out(Fraction(0))
    return _out(x + tolerance if x < 0 else tolerance)


def eqzero_input(values: NamedValues) -> SpecOutputs:
    """0 for |x| >= tolerance, tolerance - |x| for 0 < |x| < tolerance, tolerance for x = 0 (eq 34).

    For tolerance <= 0, which the equation does not cover: tolerance for x = 0, else 0.
    """
    x, tolerance = _read(values, "x", "tolerance")
    if tolerance <= 0:
        return _out(tolerance if x == 0 else Fraction(0))
    if x == 0:
        return _out(tolerance)
    return _out(tolerance - abs(x) if abs(x) < tolerance else Fraction(0))


def boolean(values: NamedValues, *, table: str | Sequence[int], names: Sequence[str] | None = None) -> SpecOutputs:
    """out = entry k of the truth table, where k is the binary number with the bits of the inputs (eq 35).

    table: 2^m bits, m >= 0, as a text such as "0110" or a sequence of 0 and 1. names: the m inputs, the most
    significant first, such as p1 ... pm of the recipe; by default x1 ... xm. Raises BadInput for a table of another
    length and for an input that is not 0 or 1, for which the recipe is not specified.
    """
    bits = [str(bit) for bit in table]
    width = len(bits).bit_length() - 1
    if not bits or len(bits) != 1 << width or any(bit not in ("0", "1") for bit in bits):
        raise BadInput("a truth table must be 2^m bits", "".join(bits), "give bits such as 0110")
    inputs = tuple(names) if names is not None else tuple(f"x{index}" for index in range(1, width + 1))
    if len(inputs) != width:
        raise BadInput(
            f"a table of {len(bits)} bits must have {width} inputs",
            f"{len(inputs)} inputs",
            "give one bit for each assignment of the inputs",
        )
    index = 0
    for name, value in zip(inputs, _read(values, *inputs), strict=True):
        if value not in (0, 1):
            raise BadInput(f"the input {name} must be 0 or 1", value, "give 0 or 1")
        index = 2 * index + int(value)
    return _out(Fraction(int(bits[index])))


def parity(values: NamedValues, *, names: Sequence[str]) -> SpecOutputs:
    """out = 1 if an odd number of the inputs `names` are 1, else 0 (chiang2022, section 3.1).

    Computed as the exclusive or of the inputs, one after the other. Raises BadInput for an input that is not 0 or 1,
    for which the recipe is not specified.
    """
    parity_bit = Fraction(0)
    for name, value in zip(names, _read(values, *names), strict=True):
        if value not in (0, 1):
            raise BadInput(f"the input {name} must be 0 or 1", value, "give 0 or 1")
        parity_bit = abs(parity_bit - value)
    return _out(parity_bit)


def conditional(values: NamedValues) -> SpecOutputs:
    """out = x if p = 1, y if p = 0 (section 4.9). Raises BadInput for another p."""
    p, x, y = _read(values, "p", "x", "y")
    if p not in (0, 1):
        raise BadInput("the input p must be 0 or 1", p, "give 0 or 1")
    return _out(x if p == 1 else y)


def cpwl(values: NamedValues, *, points: Sequence[tuple[SpecNumber, SpecNumber]]) -> SpecOutputs:
    """out = the value at x of the piecewise linear function through the points, whose outer pieces are continued to
    infinity (Definition 4.1).

    points: at least two (x, y) with strictly increasing x; the points between the outer ones are the knots.
    """
    (x,) = _read(values, "x")
    exact = [(_number(a, "a point's x"), _number(b, "a point's y")) for a, b in points]
    if len(exact) < 2:
        raise BadInput("a piecewise linear function must have at least two points", len(exact), "give two or more")
    for (left, _), (right, _) in zip(exact, exact[1:], strict=False):
        if left >= right:
            raise BadInput("the points must have strictly increasing x", f"{left} before {right}", "sort the points")
    index = 0
    while index < len(exact) - 2 and x > exact[index + 1][0]:
        index += 1
    (x0, y0), (x1, y1) = exact[index], exact[index + 1]
    return _out(y0 + (y1 - y0) * (x - x0) / (x1 - x0))


def cancel_residual(values: NamedValues, *, f: Callable[[NamedValues], Mapping[str, Fraction]]) -> SpecOutputs:
    """x becomes f(x), although the residual connection adds x (section 4.2).

    f: the reference of the wrapped feed-forward network; its output "out" is returned as "x".
    """
    answer = f(values)
    return {"x" if name == "out" else name: value for name, value in answer.items()}


def clip(values: NamedValues, *, delta: SpecNumber) -> SpecOutputs:
    """out = x kept within [-delta, delta]; delta > 0 (section 6.4)."""
    (x,) = _read(values, "x")
    bound = _positive(delta, "delta")
    if x <= -bound:
        return _out(-bound)
    return _out(x if x < bound else bound)


def round_quarter(values: NamedValues) -> SpecOutputs:
    """out = 0 for x <= 1/4, 2 x - 1/2 between, 1 for x >= 3/4 (section 5.7: GTZero with eps 1/2 of x - 1/4)."""
    (x,) = _read(values, "x")
    if 4 * x <= 1:
        return _out(Fraction(0))
    return _out(2 * x - Fraction(1, 2) if 4 * x < 3 else Fraction(1))


def max_min(values: NamedValues, groups: Sequence[Sequence[tuple[Mapping[str, Fraction], Fraction]]]) -> SpecOutputs:
    """The maximum over groups of the minimum over the affine functions of a group (section 4.1). Each is a pair
    ({input: coefficient}, constant).
    """
    used = tuple(dict.fromkeys(name for group in groups for named, _ in group for name in named))
    at = dict(zip(used, _read(values, *used), strict=True))
    return _out(max(min(sum((c * at[x] for x, c in named.items()), k) for named, k in group) for group in groups))


def proposition(values: NamedValues, names: Sequence[str], table: Sequence[int], signed: bool) -> SpecOutputs:
    """The entry of a truth table for the inputs `names`, the most significant first (section 4.8). Inputs and output
    are 0 or 1, or, with `signed`, -1 or 1. Raises BadInput for another input."""
    low = -1 if signed else 0
    place = 0
    for name, value in zip(names, _read(values, *names), strict=True):
        if value not in (low, 1):
            raise BadInput(f"the input {name} must be {low} or 1", value, f"give {low} or 1")
        place = 2 * place + int(value == 1)
    return _out(Fraction(1 if table[place] else low))


def multiply(values: NamedValues) -> SpecOutputs:
    """out = x y (section 4.6)."""
    x, y = _read(values, "x", "y")
    return _out(x * y)


def of_recipe(values: NamedValues, f: Callable[[NamedValues], SpecOutputs]) -> SpecOutputs:
    """The result of another reference, `f`. The recipe by-gelu should approximate it (section 4.6)."""
    return f(values)
