"""The grammar's terms as sympy expressions, and expressions as trees: the sympy side of `symcook.model.symbols`.

`built` makes an expression from a tree, `tree_of` a tree from an expression. Sums, products and case distinctions are
sympy nodes of their own kind, for two reasons. sympy's Sum and Product merge nested ranges, and run backwards where the
upper end is below the lower one by more than 1; its Piecewise rewrites its conditions each time it is built. The nodes
here have the meaning of `symcook.model.meaning`, and sympy does not rewrite them.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import sympy as sp

from symcook.errors import BadInput, NotExact, unknown
from symcook.model.expr import ARITY, Tree, names, show, valid_name
from symcook.model.meaning import MAX_RANGE, MAX_STEPS, ROUNDED, Meaning, counted, not_whole
from symcook.model.rationals import MAX_BITS, NoValue, Rationals, power, too_large
from symcook.model.spelled import read
from symcook.numbers.named import BoundVariable, TermSymbol

if TYPE_CHECKING:
    from sympy.printing.printer import Printer

MAX_ORDERED = 400
"""A sum with more operations than this has its terms in the order of sympy's sort keys; see `_add`."""


class Ranged(sp.Expr):
    """The sum or product of the body over low <= variable <= high: written out as soon as both ends are numbers."""

    tag: ClassVar[str]
    is_commutative = True
    is_extended_real = True

    def __new__(cls, body: sp.Expr, variable: sp.Symbol, low: sp.Expr, high: sp.Expr) -> Any:
        node = cls.unevaluated(body, variable, low, high)
        if not (node.low.is_number and node.high.is_number):
            return node
        return built(tree_of(node), {s.name: s for s in node.free_symbols})

    @classmethod
    def unevaluated(cls, body: sp.Basic, variable: sp.Basic, low: sp.Basic, high: sp.Basic) -> Any:
        """The node itself, also where both ends are numbers."""
        return super().__new__(cls, sp.sympify(body), variable, sp.sympify(low), sp.sympify(high))

    body: Any = property(lambda self: self.args[0])
    variable: Any = property(lambda self: self.args[1])
    low: Any = property(lambda self: self.args[2])
    high: Any = property(lambda self: self.args[3])

    @property
    def free_symbols(self) -> set[Any]:
        return (self.body.free_symbols - {self.variable}) | self.low.free_symbols | self.high.free_symbols

    def _sympystr(self, printer: Printer) -> str:
        return show(tree_of(self))

    def _latex(self, printer: Printer) -> str:
        low, high, body = (printer.doprint(part) for part in (self.low, self.high, self.body))
        return rf"\{self.tag}_{{{self.variable.name}={low}}}^{{{high}}} \left({body}\right)"


class RangeSum(Ranged):
    """The sum of the body over a range."""

    tag: ClassVar[str] = "sum"


class RangeProduct(Ranged):
    """The product of the body over a range."""

    tag: ClassVar[str] = "prod"


class Choice(sp.Expr):
    """`yes` where the condition holds, else `no`; for a condition that is true or false, directly `yes` or `no`."""

    is_commutative = True
    is_extended_real = True

    def __new__(cls, condition: sp.Basic, yes: sp.Expr, no: sp.Expr) -> Any:
        if condition in (sp.true, sp.false):
            return yes if condition == sp.true else no
        return super().__new__(cls, condition, sp.sympify(yes), sp.sympify(no))

    condition: Any = property(lambda self: self.args[0])
    yes: Any = property(lambda self: self.args[1])
    no: Any = property(lambda self: self.args[2])

    def _sympystr(self, printer: Printer) -> str:
        return show(tree_of(self))

    def _latex(self, printer: Printer) -> str:
        return printer.doprint(sp.Piecewise((self.yes, self.condition), (self.no, True)))


def built(tree: Tree, symbols: Mapping[str, object]) -> Any:
    """The expression of a term whose free names are keys of `symbols`; BadInput as `to_sympy` says."""
    return _Sympy(symbols).term(tree)


def condition(tree: Tree, symbols: Mapping[str, object]) -> Any:
    """The condition of a formula whose free names are keys of `symbols`; BadInput as `to_sympy` says."""
    return _Sympy(symbols).formula(tree)


class _Sympy(Meaning[Any, Any]):
    """Builds sympy expressions. A sum whose ends are numbers is written out; any other sum stays a node of its own.

    `bound` maps the variables of enclosing sums to their values: a number where the sum is written out, else a sympy
    symbol. `taken` are the names of such symbols, with i and n. `steps` has the evaluation steps that are left, and how
    many terms of sums may still be written out.
    """

    def __init__(
        self,
        values: Mapping[str, object],
        steps: list[int] | None = None,
        bound: Mapping[str, object] | None = None,
        taken: frozenset[str] = frozenset({"i", "n"}),
    ) -> None:
        super().__init__(values, [MAX_STEPS, MAX_RANGE] if steps is None else steps)
        self.bound = bound or {}
        self.taken = taken

    def under(self, name: str, j: int) -> _Sympy:
        return _Sympy(self.values, self.steps, {**self.bound, name: sp.Integer(j)}, self.taken)

    def term(self, tree: Tree) -> Any:
        """The expression of a tree. A tree without names whose value is rational gives a single number; an `if` is left
        to `choose`."""
        if tree[0] != "if" and not names(tree):
            try:
                value = Rationals({}, self.steps).term(tree)
            except NotExact:
                pass
            else:
                return sp.Rational(value.numerator, value.denominator)
        return super().term(tree)

    def number(self, p: int, q: int) -> Any:
        return sp.Rational(p, q)

    def name(self, name: str) -> Any:
        """The value of a name: pi, the variable of an enclosing sum, or a key of `values`; BadInput for any other."""
        if name == "pi":
            return sp.pi
        if name in self.bound:
            return self.bound[name]
        if name not in self.values:
            raise unknown("symbol", name, sorted(self.values))
        return self.values[name]

    def divide(self, a: sp.Expr, b: sp.Expr, tree: Tree) -> Any:
        if b == 0:
            raise NoValue("a denominator must not be zero", show(tree))
        return a / b

    def power(self, a: sp.Expr, b: sp.Expr, tree: Tree) -> Any:
        """a^b; BadInput where it is known to have no real value, or where the number would be too long."""
        if a.is_zero and b.is_negative:
            raise NoValue("a denominator must not be zero", show(tree))
        if isinstance(a, sp.Rational) and b.is_Integer:
            value = power(Fraction(int(a.p), int(a.q)), Fraction(int(b)))
            return sp.Rational(value.numerator, value.denominator)
        if b.is_Integer and (a.is_number or abs(int(b)) > 64) and abs(int(b)) * _bits(a) > MAX_BITS:
            raise too_large()
        if a.is_negative and b.is_integer is False:
            raise NoValue("the base of a root or a fractional power must not be negative", show(tree))
        return a**b

    def call(self, name: str, arguments: list[sp.Expr], tree: Tree) -> Any:
        """A function applied to its arguments; BadInput where an argument is known to be outside its domain."""
        table = {
            "relu": lambda a: sp.Max(0, a), "abs": sp.Abs, "exp": sp.exp, "log": sp.log, "sqrt": sp.sqrt, "erf": sp.erf,
            "sin": sp.sin, "cos": sp.cos, "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh,
            "min": sp.Min, "max": sp.Max, "floor": sp.floor, "mod": sp.Mod, "sign": sp.sign,
        }  # fmt: skip
        if name not in table:
            raise unknown("function", name, sorted((*ARITY, *ROUNDED)))
        if name == "mod" and arguments[1] == 0:
            raise NoValue("a denominator must not be zero", show(tree))
        if name == "log" and arguments[0].is_nonpositive:
            raise NoValue("the argument of log must be positive", show(tree))
        if name == "sqrt" and arguments[0].is_negative:
            raise NoValue("the argument of sqrt must not be negative", show(tree))
        try:
            return table[name](*arguments)
        except ValueError:  # sympy's Max and Min refuse what they cannot take for a real number
            raise BadInput(
                "a value must be an exact finite real number",
                show(tree),
                "give an integer, a Fraction or text such as '1/2'",
            ) from None

    def fold(self, tree: Tree) -> Any:
        """A sum or product over a range: written out if both ends are numbers, else a node."""
        tag, bound, low, high, body = tree
        ends = self.term(low), self.term(high)
        if not all(end.is_number for end in ends):
            # An end with a symbol: a node, whose variable gets a name of its own.
            name, names_taken = bound, self.taken | (names(body) - {bound})
            names_taken |= {symbol.name for end in ends for symbol in end.free_symbols}
            while name in names_taken:  # one name for one thing: statements refuse a variable that hides another
                name += "_"
            variable = BoundVariable(name, integer=True)
            inner = _Sympy(self.values, self.steps, {**self.bound, bound: variable}, self.taken | {name}).term(body)
            return (RangeSum if tag == "sum" else RangeProduct)(inner, variable, *ends)
        # Both ends are numbers: one term for each integer of the range.
        for end, text in zip(ends, (low, high), strict=True):
            if not end.is_Integer:
                not_whole(text, tree, end)
        places = counted(int(ends[0]), int(ends[1]), tree)
        self.steps[1] -= len(places)
        if self.steps[1] < 0:
            raise BadInput(
                f"an expression must have at most {MAX_RANGE:,} terms in its sums", show(tree), "use a shorter range"
            )
        parts = [self.under(bound, j).term(body) for j in places]
        return sp.Add(*parts) if tag == "sum" else sp.Mul(*parts)

    def range(self, low: Tree, high: Tree, whole: Tree) -> range:
        raise BadInput("a condition must have no quantifiers", show(whole), "write it without all and ex")

    def compare(self, tag: str, a: object, b: object, tree: Tree) -> Any:
        return _related(tag, a, b)

    def truth(self, known: bool) -> Any:
        return sp.true if known else sp.false

    def negation(self, a: object) -> Any:
        return sp.Not(a)

    def both(self, a: sp.logic.boolalg.Boolean, b: sp.logic.boolalg.Boolean) -> Any:
        return sp.And(a, b)

    def either(self, a: sp.logic.boolalg.Boolean, b: sp.logic.boolalg.Boolean) -> Any:
        return sp.Or(a, b)

    def choose(self, truth: sp.Basic, yes: Tree, no: Tree) -> Any:
        if truth in (sp.true, sp.false):
            return self.term(yes if truth else no)
        return Choice(truth, self.term(yes), self.term(no))


@lru_cache(maxsize=4096)
def _related(tag: str, a: object, b: object) -> Any:
    """A comparison as a sympy relation; cached, since tables over positions have the same ones for each coordinate."""
    return {"=": sp.Eq, "<=": sp.Le, "<": sp.Lt}[tag](a, b)


def _bits(value: Any) -> int:
    """The total size, in bits, of the distinct rational numbers inside a sympy expression, plus 1."""
    return sum(int(a.p).bit_length() + int(a.q).bit_length() for a in value.atoms() if a.is_Rational) + 1


@lru_cache(maxsize=4096)
def tree_of(expression: Any) -> Tree:
    """The tree of an expression or condition; BadInput for a part that the grammar cannot write."""
    return _walk(expression)


_NAMES = {
    sp.exp: "exp", sp.log: "log", sp.sin: "sin", sp.cos: "cos", sp.erf: "erf", sp.sinh: "sinh", sp.cosh: "cosh",
    sp.tanh: "tanh", sp.Abs: "abs", sp.floor: "floor", sp.sign: "sign",
}  # fmt: skip
"""The grammar's names of functions of one argument, by their sympy classes."""


def _walk(e: Any) -> Tree:
    """The tree of a subexpression, by its kind."""
    if (leaf := _leaf(e)) is not None:
        return leaf
    # Arithmetic.
    if e.is_Add:
        return _add(e)
    if e.is_Mul:
        return _mul(e)
    if e.is_Pow and not isinstance(e, sp.exp):
        return _power(e)
    # Functions.
    for kind, name in _NAMES.items():
        if isinstance(e, kind):
            return ("call", name, (_walk(e.args[0]),))
    if isinstance(e, sp.Mod):
        return ("call", "mod", (_walk(e.args[0]), _walk(e.args[1])))
    if isinstance(e, (sp.Max, sp.Min)):
        # max and min of several arguments are nested, since the grammar's have two.
        args = sorted(e.args, key=sp.default_sort_key)
        result = _walk(args[0])
        for a in args[1:]:
            result = ("call", "max" if isinstance(e, sp.Max) else "min", (result, _walk(a)))
        return result
    # Case distinctions: indicators, choices, and sympy's Piecewise, which is nested from its last case backwards.
    if isinstance(e, Choice):
        if (e.yes, e.no) == (1, 0):
            return ("ind", _walk(e.condition))
        return ("if", _walk(e.condition), _walk(e.yes), _walk(e.no))
    if isinstance(e, sp.Piecewise):
        pieces: list[Any] = list(e.args)
        if pieces[-1].cond is not sp.true:
            raise BadInput(
                "a Piecewise must have a last case with the condition True", e, "add a last case (value, True)"
            )
        result = _walk(pieces[-1].expr)
        for piece in reversed(pieces[:-1]):
            result = ("if", _walk(piece.cond), _walk(piece.expr), result)
        return result
    # Relations, which are written with the grammar's =, <= and <, and connectives.
    if isinstance(e, (sp.Eq, sp.Le, sp.Lt)):
        return ({sp.Eq: "=", sp.Le: "<=", sp.Lt: "<"}[type(e)], _walk(e.lhs), _walk(e.rhs))
    if isinstance(e, (sp.Ge, sp.Gt)):
        return ("<=" if isinstance(e, sp.Ge) else "<", _walk(e.rhs), _walk(e.lhs))
    if isinstance(e, sp.Ne):
        return ("~", ("=", _walk(e.lhs), _walk(e.rhs)))
    if isinstance(e, (sp.And, sp.Or)):
        tag = "&" if isinstance(e, sp.And) else "|"
        args = sorted(e.args, key=sp.default_sort_key)
        result = _walk(args[-1])
        for a in reversed(args[:-1]):
            result = (tag, _walk(a), result)
        return result
    if isinstance(e, sp.Not):
        return ("~", _walk(e.args[0]))
    if isinstance(e, sp.logic.boolalg.BooleanFunction):
        return _walk(e.to_nnf(simplify=False))
    # Sums and products over ranges.
    if isinstance(e, Ranged):
        variable, body = _apart(e.variable, e.body)
        return (e.tag, variable.name, _walk(e.low), _walk(e.high), _walk(body))
    if isinstance(e, (sp.Sum, sp.Product)):
        return _walk(_as_ranged(e))
    raise BadInput(
        "a sympy expression must consist of operations that the grammar of symcook has",
        e,
        "use the operations of `symcook explain grammar`",
    )


def _leaf(e: Any) -> Tree | None:
    """The tree of a number, a name or a truth value; None for any other expression.

    BadInput for a floating-point number, and for a symbol whose name the grammar does not allow.
    """
    if e.is_Float:
        raise BadInput("numbers must be exact", e, "write a rational such as 1/10")
    if e.is_Rational and e.q != 0:
        return _number(e)
    if isinstance(e, TermSymbol):
        return read(e.name)
    if e.is_Symbol or isinstance(e, sp.Dummy):
        if not valid_name(e.name):
            raise BadInput(
                "a symbol's name must be an identifier and no reserved word",
                e.name,
                "use letters, digits and _, with a letter first",
            )
        return ("name", e.name)
    if e is sp.pi:
        return ("name", "pi")
    if e is sp.E:
        return ("call", "exp", (("num", 1, 1),))
    if e is sp.true or e is sp.false:
        return ("true",) if e is sp.true else ("false",)
    return None


def _number(r: sp.Rational) -> Tree:
    """A rational: an integer, a quotient, or the negative of one."""
    p, q = abs(int(r.p)), int(r.q)
    tree: Tree = ("num", p, 1) if q == 1 else ("/", ("num", p, 1), ("num", q, 1))
    return ("neg", tree) if r.p < 0 else tree


def _add(e: Any) -> Tree:
    """A sum, its negative terms after a minus sign."""
    # sympy's own order is easier to read, but it evaluates large irrational terms numerically, which may take
    # minutes.
    terms = sorted(e.args, key=sp.default_sort_key) if e.count_ops() > MAX_ORDERED else list(e.as_ordered_terms())
    result = _walk(terms[0])
    for t in terms[1:]:
        if t.could_extract_minus_sign():
            result = ("-", result, _walk(-t))
        else:
            result = ("+", result, _walk(t))
    return result


def _mul(e: Any) -> Tree:
    """A product as a quotient: negative powers, and the denominator of the coefficient, are in the divisor."""
    # A negative coefficient becomes a minus sign before the product.
    coefficient, symbolic_factors = e.as_coeff_Mul()
    if coefficient.is_Rational and coefficient < 0:
        return ("neg", _walk(-e))
    # Powers of e keep their negative exponents, as in exp(-x).
    top, bottom = [], []
    for factor in sp.Mul.make_args(symbolic_factors):
        base, exponent = factor.as_base_exp()
        if base != sp.E and exponent.is_Rational and exponent < 0:
            bottom.append(base**-exponent)
        else:
            top.append(factor)
    # The coefficient p/q: p comes first above, q first below; factors 1 are left out where others remain.
    if coefficient.p != 1 or not top:
        top.insert(0, sp.Integer(coefficient.p))
    if coefficient.q != 1:
        bottom.insert(0, sp.Integer(coefficient.q))

    def product(factors: list[object]) -> Tree:
        """The product of the trees of some factors."""
        result = _walk(factors[0])
        for f in factors[1:]:
            result = ("*", result, _walk(f))
        return result

    return ("/", product(top), product(bottom)) if bottom else product(top)


def _power(e: Any) -> Tree:
    """A power as exp, sqrt, 1/power, a power of sqrt, or a plain power."""
    if e.base is sp.E:
        return ("call", "exp", (_walk(e.exp),))
    if e.exp == sp.Rational(1, 2):
        return ("call", "sqrt", (_walk(e.base),))
    if e.exp.is_Rational and e.exp < 0:
        return ("/", ("num", 1, 1), _walk(e.base**-e.exp))
    if e.exp.is_Rational and e.exp.q == 2:
        return ("^", ("call", "sqrt", (_walk(e.base),)), ("num", int(e.exp.p), 1))
    return ("^", _walk(e.base), _walk(e.exp))


def _as_ranged(e: Any) -> Any:
    """A Sum or Product of sympy as nodes of this module. sympy merges nested sums; its first limit is the innermost."""
    node, kind = e.function, RangeSum if isinstance(e, sp.Sum) else RangeProduct
    for limit in e.limits:
        if len(limit) != 3:
            raise BadInput("a Sum must have a lower and an upper limit", e, "give both limits of the sum")
        node = kind.unevaluated(node, *limit)
    return node


def _apart(variable: sp.Symbol, body: Any) -> tuple[Any, Any]:
    """The variable of a range and its body, renamed where a free symbol of the body has the variable's name, or where
    the name is no name of the grammar."""
    names_taken = {s.name for s in body.free_symbols - {variable}}
    name = variable.name
    while name in names_taken or not valid_name(name):
        name += "_"
    if name == variable.name:
        return variable, body
    fresh = BoundVariable(name, integer=True)
    return fresh, body.xreplace({variable: fresh})
