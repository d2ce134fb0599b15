"""The sympy side of the grammar: trees to sympy, sympy to text, and exact values from what a user gives.

sympy is imported when it is needed, so that reading and listing stay quick.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias

from symcook.errors import BadInput, NotExact, Undecided
from symcook.model.expr import Tree, names, parse_term, show, valid_name
from symcook.model.rationals import MAX_BITS, plain, quotient, too_large

if TYPE_CHECKING:
    import sympy


def to_sympy(tree: Tree | str, symbols: Mapping[str, sympy.Expr]) -> sympy.Expr:
    """The sympy expression of a term; each free name must be a key of `symbols`.

    >>> import sympy
    >>> to_sympy("1/eps - relu(x)", {"eps": sympy.Symbol("eps"), "x": sympy.Symbol("x")})
    -Max(0, x) + 1/eps

    Raises BadInput for an unknown name or function, a zero denominator, or a number that would pass `MAX_BITS` bits.
    """
    from symcook.numbers.nodes import built

    try:
        return built(parse_term(tree) if isinstance(tree, str) else tree, symbols)
    except RecursionError:
        raise BadInput(
            "an expression must have fewer nested operations", "a deeper one", "split the expression into shorter ones"
        ) from None


def from_sympy(expression: object) -> str:
    """Text in the grammar of a sympy expression.

    >>> import sympy
    >>> x, eps = sympy.symbols("x eps")
    >>> from_sympy(sympy.Max(0, x)/eps - x/3)
    '-x/3 + max(0, x)/eps'

    Raises BadInput for a floating-point number and for an expression that the grammar cannot write.
    """
    return show(tree_from_sympy(expression))


def tree_from_sympy(expression: object) -> Tree:
    """The tree of a sympy expression or condition; see `from_sympy`.

    A Sum or Product of sympy's own is read as the grammar's: over lo <= j <= hi, and empty where hi < lo.
    """
    import sympy as sp

    from symcook.numbers.nodes import tree_of

    return tree_of(sp.sympify(expression, strict=True))


Exact: TypeAlias = "int | Fraction | Decimal | str | sympy.Expr"
"""What may be given as an exact number; text is in the grammar of expressions, and a Python float is refused."""
Number = Fraction | Tree
"""An exact number as number systems take it: a Fraction, or a tree where it is not rational or holds symbols."""


@dataclass(frozen=True)
class PositionTable:
    """A choice of rational numbers by the position i, such as if(i < 2, 1/2, 3), as its tree in the form that
    `tree_from_sympy` gives. sympy's form is made when it is first read."""

    tree: Tree

    @cached_property
    def expression(self) -> Any:
        """The choice as a sympy expression."""
        return to_sympy(self.tree, {"i": symbol("i")})

    @classmethod
    def of(cls, values: Sequence[Fraction], start: int) -> PositionTable | Fraction:
        """The function with `values[k]` at i = start + k, the number if all are equal. The list is halved again and
        again, so that the depth is logarithmic in its length.

        >>> PositionTable.of([Fraction(1, 2), Fraction(3), Fraction(3)], 1).expression
        if(i < 2, 1/2, 3)
        """
        first = values[0]
        return first if values.count(first) == len(values) else cls(_halved(values, start))

    @classmethod
    def read(cls, tree: Tree) -> PositionTable | None:
        """The table that a term is; None for a term with other conditions than i < k and i = k, or with entries that
        are not rational numbers.

        >>> table = PositionTable.read(parse_term("if(i < 2, 1/2, if(i = 3, -3, 0))"))
        >>> table.expression, PositionTable.read(parse_term("if(i < n, 1, 0)"))
        (if(i < 2, 1/2, if(i = 3, -3, 0)), None)
        """
        try:
            return cls(_normal(tree)) if tree[0] in ("if", "ind") else None
        except NotExact:
            return None


LEAST = {"<": 1, "=": 0}
"""{condition: the least number on its right side where a condition on i is open}."""


def _halved(values: Sequence[Fraction], start: int) -> Tree:
    """The tree of `PositionTable.of`."""
    first = values[0]
    if values.count(first) == len(values):
        return _rational_tree(first)
    half = len(values) // 2
    condition = ("<", ("name", "i"), ("num", start + half, 1))
    return _chosen(condition, _halved(values[:half], start), _halved(values[half:], start + half))


def _chosen(condition: Tree, yes: Tree, no: Tree) -> Tree:
    """The tree of a choice, an indicator if it is between 1 and 0."""
    return ("ind", condition) if (yes, no) == (("num", 1, 1), ("num", 0, 1)) else ("if", condition, yes, no)


def _normal(tree: Tree) -> Tree:
    """The tree of a table in the form that `tree_from_sympy` gives; NotExact for a term that is no table."""
    if tree[0] not in ("if", "ind"):
        return _rational_tree(_shortest(tree))
    tag, *sides = tree[1]
    # sympy decides i < 0 and i = -1, since i is at least 0.
    if tag not in LEAST or sides[0] != ("name", "i") or sides[1][::2] != ("num", 1) or sides[1][1] < LEAST[tag]:
        raise NotExact("a table has conditions i < k and i = k")
    return tree if tree[0] == "ind" else _chosen(tree[1], _normal(tree[2]), _normal(tree[3]))


def _rational_tree(value: Fraction) -> Tree:
    """The tree of a rational number: an integer, a quotient, or the negative of one."""
    p, q = abs(value.numerator), value.denominator
    tree: Tree = ("num", p, 1) if q == 1 else ("/", ("num", p, 1), ("num", q, 1))
    return ("neg", tree) if value < 0 else tree


def _shortest(tree: Tree) -> Fraction:
    """The rational number that a tree writes as an integer, a quotient, or the negative of one; NotExact for another
    tree."""
    number = tree[1] if tree[0] == "neg" else tree
    parts = number[1:] if number[0] == "/" else (number,)
    if any(part[0] != "num" or part[2] != 1 for part in parts):
        raise NotExact("an entry of a table is a rational number")
    ratio = [part[1] for part in parts]
    if 0 in ratio[1:] or any(part.bit_length() > MAX_BITS for part in ratio):
        raise NotExact("an entry of a table is a rational number of few bits")
    return -Fraction(*ratio) if tree[0] == "neg" else Fraction(*ratio)


def lowered(value: object) -> Number:
    """An exact number in the form in which number systems take it; BadInput as `exact` says.

    >>> lowered("2/6"), lowered("1/eps")
    (Fraction(1, 3), ('/', ('num', 1, 1), ('name', 'eps')))
    """
    if isinstance(value, (Fraction, tuple)):
        return value
    if isinstance(value, PositionTable):
        return value.tree
    if type(value) is int:
        return Fraction(value)
    expression: Any = value if hasattr(value, "free_symbols") else exact(value)
    return Fraction(int(expression.p), int(expression.q)) if expression.is_Rational else tree_from_sympy(expression)


def at(tree: Tree, values: Mapping[str, int]) -> Number:
    """The value of a term at integer values of i and n. sympy computes it, so that a value such as sqrt(n)^2 is
    rational.

    Raises BadInput where the term has no finite value, and Undecided where sympy cannot decide a comparison of numbers.
    """
    import sympy as sp

    symbols: dict[str, Any] = {name: symbol(name) for name in names(tree)}
    value = to_sympy(tree, symbols | {name: sp.Integer(number) for name, number in values.items()})
    if value in (sp.zoo, sp.nan, sp.oo, -sp.oo):
        where = ", ".join(f"{name} = {number}" for name, number in values.items())
        raise BadInput(
            "a value must be a finite number",
            f"{show(tree)} at {where}" if where else show(tree),
            "use values at which the expression is defined",
        )
    # sympy's own comparisons must all be decided.
    for condition in value.atoms(sp.Rel):
        if not condition.free_symbols:  # a comparison of irrational numbers that sympy leaves unevaluated
            raise Undecided(
                f"the comparison {from_sympy(condition)} is undecided; write the comparison with rational numbers."
            )
    return lowered(value)


def exact(value: object, symbols: Mapping[str, sympy.Expr] | None = None) -> Any:
    """A sympy expression from an integer, a Fraction, a Decimal, text in the grammar, or sympy without floats.

    `symbols` has the symbol of each name that text may contain; without it, text may contain any name.

    Raises BadInput for a Python float (it names the exact alternative) and for anything else.
    """
    import sympy as sp

    # Numbers of Python's types; a bool is not accepted as a number.
    if isinstance(value, bool):
        raise BadInput("a value must be a number", value, "use 0 or 1")
    if isinstance(value, Integral) and not isinstance(value, sp.Basic):
        return sp.Integer(int(value))
    if isinstance(value, (Fraction, Decimal)):
        if isinstance(value, Decimal) and not value.is_finite():
            raise BadInput(
                "a value must be an exact finite real number",
                value,
                "give an integer, a Fraction or text such as '1/2'",
            )
        if isinstance(value, Decimal) and abs(value.adjusted()) > MAX_BITS:
            raise too_large()
        value = Fraction(value)
        return sp.Rational(value.numerator, value.denominator)
    # Text is read, and then checked as an expression.
    if isinstance(value, str):
        value = to_sympy(plain(value), symbols if symbols is not None else _AnySymbol())
    if isinstance(value, float):
        value = float(value)  # a numpy float has another repr
        decimal = Fraction(repr(value)) if value == value and abs(value) != float("inf") else None
        do = f"write '{quotient(decimal)}' or Fraction('{value}')" if decimal is not None else "give a finite rational"
        raise BadInput("a value must be exact, not a Python float", repr(value), do)
    if isinstance(value, sp.Rational):
        return value
    if isinstance(value, sp.Expr):
        from symcook.numbers.named import standard
        from symcook.numbers.nodes import Choice

        # The symbols with their fixed assumptions.
        expression: Any = standard(value)

        # sympy's own nodes become the grammar's; conditions get the form that they have when their text is read again.
        if expression.has(sp.Sum, sp.Product, sp.Piecewise, Choice):
            expression = to_sympy(tree_from_sympy(expression), _AnySymbol())
        no_number = expression.has(sp.Float, sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I)
        if no_number or expression.is_extended_real is False:
            raise BadInput("a value must be an exact finite real number", expression, "use Rational(p, q)")
        return expression
    raise BadInput(
        "a value must be an int, a Fraction, a sympy expression or text",
        type(value).__name__,
        "write for example Fraction(1, 2) or '1/2'",
    )


class _AnySymbol(dict[str, Any]):
    """A mapping that has every name as a key, with `symbol(name)` as its value."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> Any:
        return symbol(key)


def check_symbol(name: object) -> None:
    """BadInput where `name` is not a valid name of a symbol."""
    if not isinstance(name, str) or not valid_name(name):
        raise BadInput(
            "a symbol's name must be an identifier and no reserved word",
            name,
            "use letters, digits and _, with a letter first",
        )


def symbol(name: str, sign: str = "") -> Any:
    """The sympy symbol that stands for `name` everywhere: i is a nonnegative integer, since positions may be numbered
    from 0; n is a positive integer; all others are real. A parameter's declared interval may give it a `sign`:
    "positive", "nonnegative", "negative" or "nonpositive"."""
    from symcook.numbers.named import named

    check_symbol(name)
    return named(name, sign)


def fraction(value: Any) -> Fraction:
    """A sympy Rational as a Fraction; BadInput where the value is not rational."""
    if not getattr(value, "is_Rational", False):
        raise BadInput(
            "the value must be rational", from_sympy(value), "give an integer, a Fraction or text such as '1/2'"
        )
    return Fraction(int(value.p), int(value.q))
