"""The sympy side of the grammar: trees to sympy, sympy to text, and exact values from what a user gives.

sympy is imported when it is needed, so that reading and listing stay quick.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias

from symcook.errors import BadInput, NotExact, Undecided, unknown
from symcook.model.expr import ARITY, Tree, names, parse_term, show, valid_name
from symcook.model.meaning import MAX_RANGE, MAX_STEPS, ROUNDED, Meaning, counted, not_whole
from symcook.model.rationals import MAX_BITS, Rationals, plain, power, quotient, too_large

if TYPE_CHECKING:
    import sympy

MAX_ORDERED = 400


def to_sympy(tree: Tree | str, symbols: Mapping[str, sympy.Expr]) -> sympy.Expr:
    """The sympy expression of a term; each free name must be a key of `symbols`.

    >>> import sympy
    >>> to_sympy("1/eps - relu(x)", {"eps": sympy.Symbol("eps"), "x": sympy.Symbol("x")})
    -Max(0, x) + 1/eps

    Raises BadInput for an unknown name or function, a zero denominator, or a number that would pass `MAX_BITS` bits.
    """
    if isinstance(tree, str):
        tree = parse_term(tree)
    try:
        return _Sympy(symbols).term(tree)
    except RecursionError:
        raise BadInput("an expression must nest less deep", "a deeper one") from None


class _Sympy(Meaning[Any, Any]):
    """Builds sympy expressions. A range whose ends are numbers is written out, any other one stays a node of its own.

    `bound` says what the variables of the sums around stand for, `taken` are the names of those that stay variables;
    `steps` holds also how many terms of sums may still be written out.
    """

    def __init__(
        self,
        values: Mapping[str, object],
        steps: list[int] | None = None,
        bound: Mapping[str, object] | None = None,
        taken: frozenset[str] = frozenset({"i", "n"}),
    ) -> None:
        import sympy

        super().__init__(values, [MAX_STEPS, MAX_RANGE] if steps is None else steps)
        self.sp = sympy
        self.bound = bound or {}
        self.taken = taken

    def under(self, name: str, j: int) -> _Sympy:
        return _Sympy(self.values, self.steps, {**self.bound, name: self.sp.Integer(j)}, self.taken)

    def term(self, tree: Tree) -> Any:
        if tree[0] != "if" and not names(tree):
            try:
                value = Rationals({}, self.steps).term(tree)
            except NotExact:
                pass
            else:
                return self.sp.Rational(value.numerator, value.denominator)
        return super().term(tree)

    def number(self, p: int, q: int) -> Any:
        return self.sp.Rational(p, q)

    def name(self, name: str) -> Any:
        if name == "pi":
            return self.sp.pi
        if name in self.bound:
            return self.bound[name]
        if name not in self.values:
            raise unknown("symbol", name, sorted(self.values))
        return self.values[name]

    def divide(self, a: sympy.Expr, b: sympy.Expr, tree: Tree) -> Any:
        if b == 0:
            raise BadInput("a denominator must not be zero", show(tree))
        return a / b

    def power(self, a: sympy.Expr, b: sympy.Expr, tree: Tree) -> Any:
        if a.is_zero and b.is_negative:
            raise BadInput("a denominator must not be zero", show(tree))
        if isinstance(a, self.sp.Rational) and b.is_Integer:
            value = power(Fraction(int(a.p), int(a.q)), Fraction(int(b)))
            return self.sp.Rational(value.numerator, value.denominator)
        if b.is_Integer and (a.is_number or abs(int(b)) > 64) and abs(int(b)) * _bits(a) > MAX_BITS:
            raise too_large()
        if a.is_negative and b.is_integer is False:
            raise BadInput("the base of a root or a broken power must not be negative", show(tree))
        return a**b

    def call(self, name: str, arguments: list[sympy.Expr], tree: Tree) -> Any:
        sp = self.sp
        table = {
            "relu": lambda a: sp.Max(0, a), "abs": sp.Abs, "exp": sp.exp, "log": sp.log, "sqrt": sp.sqrt, "erf": sp.erf,
            "sin": sp.sin, "cos": sp.cos, "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh,
            "min": sp.Min, "max": sp.Max, "floor": sp.floor, "mod": sp.Mod, "sign": sp.sign,
        }  # fmt: skip
        if name not in table:
            raise unknown("function", name, sorted((*ARITY, *ROUNDED)))
        if name == "mod" and arguments[1] == 0:
            raise BadInput("a denominator must not be zero", show(tree))
        if name == "log" and arguments[0].is_nonpositive:
            raise BadInput("the argument of log must be positive", show(tree))
        if name == "sqrt" and arguments[0].is_negative:
            raise BadInput("the argument of sqrt must not be negative", show(tree))
        try:
            return table[name](*arguments)
        except ValueError:  # sympy's Max and Min refuse what they cannot take for a real number
            raise BadInput("a value must be an exact finite real number", show(tree)) from None

    def fold(self, tree: Tree) -> Any:
        tag, bound, low, high, body = tree
        ends = self.term(low), self.term(high)
        if not all(end.is_number for end in ends):
            from symcook.numbers.nodes import RangeProduct, RangeSum

            name, taken = bound, self.taken | (names(body) - {bound})
            taken |= {symbol.name for end in ends for symbol in end.free_symbols}
            while name in taken:  # one name for one thing: statements refuse a variable that hides another
                name += "_"
            variable = self.sp.Symbol(name, integer=True)
            inner = _Sympy(self.values, self.steps, {**self.bound, bound: variable}, self.taken | {name}).term(body)
            return (RangeSum if tag == "sum" else RangeProduct)(inner, variable, *ends)
        for end, text in zip(ends, (low, high), strict=True):
            if not end.is_Integer:
                not_whole(text, tree, end)
        places = counted(int(ends[0]), int(ends[1]), tree)
        self.steps[1] -= len(places)
        if self.steps[1] < 0:
            raise BadInput(f"an expression must have at most {MAX_RANGE} terms in its sums", show(tree))
        parts = [self.under(bound, j).term(body) for j in places]
        return self.sp.Add(*parts) if tag == "sum" else self.sp.Mul(*parts)

    def range(self, low: Tree, high: Tree, whole: Tree) -> range:
        raise BadInput("a condition must be without quantifiers here", show(whole))

    def compare(self, tag: str, a: object, b: object, tree: Tree) -> Any:
        return _related(tag, a, b)

    def truth(self, known: bool) -> Any:
        return self.sp.true if known else self.sp.false

    def negation(self, a: object) -> Any:
        return self.sp.Not(a)

    def both(self, a: sympy.logic.boolalg.Boolean, b: sympy.logic.boolalg.Boolean) -> Any:
        return self.sp.And(a, b)

    def either(self, a: sympy.logic.boolalg.Boolean, b: sympy.logic.boolalg.Boolean) -> Any:
        return self.sp.Or(a, b)

    def choose(self, truth: sympy.Basic, yes: Tree, no: Tree) -> Any:
        if truth in (self.sp.true, self.sp.false):
            return self.term(yes if truth else no)
        from symcook.numbers.nodes import Choice

        return Choice(truth, self.term(yes), self.term(no))


@lru_cache(maxsize=4096)
def _related(tag: str, a: object, b: object) -> Any:
    """A comparison; tables over positions ask the same ones for each coordinate."""
    import sympy as sp

    return {"=": sp.Eq, "<=": sp.Le, "<": sp.Lt}[tag](a, b)


def _bits(value: Any) -> int:
    """A size in bits of the numbers inside a sympy expression."""
    return sum(int(a.p).bit_length() + int(a.q).bit_length() for a in value.atoms() if a.is_Rational) + 1


def from_sympy(expression: object) -> str:
    """Text in the grammar of a sympy expression.

    >>> import sympy
    >>> x, eps = sympy.symbols("x eps")
    >>> from_sympy(sympy.Max(0, x)/eps - x/3)
    '-x/3 + max(0, x)/eps'

    Raises BadInput for a floating-point number and for what the grammar has no word for.
    """
    return show(tree_from_sympy(expression))


def tree_from_sympy(expression: object) -> Tree:
    """The tree of a sympy expression or condition; see `from_sympy`.

    A Sum or Product of sympy's own is taken for the grammar's: over lo <= j <= hi and never backwards.
    """
    import sympy as sp

    return _tree(sp.sympify(expression, strict=True))


@lru_cache(maxsize=4096)
def _tree(expression: object) -> Tree:
    import sympy as sp

    from symcook.numbers.nodes import Choice, Ranged, RangeProduct, RangeSum

    functions = {
        sp.exp: "exp", sp.log: "log", sp.sin: "sin", sp.cos: "cos", sp.erf: "erf", sp.sinh: "sinh", sp.cosh: "cosh",
        sp.tanh: "tanh", sp.Abs: "abs", sp.floor: "floor", sp.sign: "sign",
    }  # fmt: skip

    def number(r: sympy.Rational) -> Tree:
        p, q = abs(int(r.p)), int(r.q)
        tree: Tree = ("num", p, 1) if q == 1 else ("/", ("num", p, 1), ("num", q, 1))
        return ("neg", tree) if r.p < 0 else tree

    def add(e: Any) -> Tree:
        # sympy's own order reads better, but it evaluates large irrational terms numerically, which may take minutes
        terms = sorted(e.args, key=sp.default_sort_key) if e.count_ops() > MAX_ORDERED else list(e.as_ordered_terms())
        result = walk(terms[0])
        for t in terms[1:]:
            if t.could_extract_minus_sign():
                result = ("-", result, walk(-t))
            else:
                result = ("+", result, walk(t))
        return result

    def mul(e: Any) -> Tree:
        coefficient, rest = e.as_coeff_Mul()
        if coefficient.is_Rational and coefficient < 0:
            return ("neg", walk(-e))
        top, bottom = [], []
        for factor in sp.Mul.make_args(rest):
            base, exponent = factor.as_base_exp()
            if base != sp.E and exponent.is_Rational and exponent < 0:
                bottom.append(base**-exponent)
            else:
                top.append(factor)
        if coefficient.p != 1 or not top:
            top.insert(0, sp.Integer(coefficient.p))
        if coefficient.q != 1:
            bottom.insert(0, sp.Integer(coefficient.q))

        def product(factors: list[object]) -> Tree:
            result = walk(factors[0])
            for f in factors[1:]:
                result = ("*", result, walk(f))
            return result

        return ("/", product(top), product(bottom)) if bottom else product(top)

    def walk(e: Any) -> Tree:
        if e.is_Float:
            raise BadInput("numbers must be exact", e, "write a rational such as 1/10")
        if e.is_Rational and e.q != 0:
            return number(e)
        if e.is_Symbol or isinstance(e, sp.Dummy):
            if not valid_name(e.name):
                raise BadInput("a symbol's name must be an identifier and no reserved word", e.name)
            return ("name", e.name)
        if e is sp.pi:
            return ("name", "pi")
        if e is sp.E:
            return ("call", "exp", (("num", 1, 1),))
        if e is sp.true or e is sp.false:
            return ("true",) if e is sp.true else ("false",)
        if e.is_Add:
            return add(e)
        if e.is_Mul:
            return mul(e)
        if e.is_Pow and not isinstance(e, sp.exp):
            if e.base is sp.E:
                return ("call", "exp", (walk(e.exp),))
            if e.exp == sp.Rational(1, 2):
                return ("call", "sqrt", (walk(e.base),))
            if e.exp.is_Rational and e.exp < 0:
                return ("/", ("num", 1, 1), walk(e.base**-e.exp))
            if e.exp.is_Rational and e.exp.q == 2:
                return ("^", ("call", "sqrt", (walk(e.base),)), ("num", int(e.exp.p), 1))
            return ("^", walk(e.base), walk(e.exp))
        for kind, name in functions.items():
            if isinstance(e, kind):
                return ("call", name, (walk(e.args[0]),))
        if isinstance(e, sp.Mod):
            return ("call", "mod", (walk(e.args[0]), walk(e.args[1])))
        if isinstance(e, (sp.Max, sp.Min)):
            args = sorted(e.args, key=sp.default_sort_key)
            result = walk(args[0])
            for a in args[1:]:
                result = ("call", "max" if isinstance(e, sp.Max) else "min", (result, walk(a)))
            return result
        if isinstance(e, Choice):
            if (e.yes, e.no) == (1, 0):
                return ("ind", walk(e.condition))
            return ("if", walk(e.condition), walk(e.yes), walk(e.no))
        if isinstance(e, sp.Piecewise):
            pieces: list[Any] = list(e.args)
            if pieces[-1].cond is not sp.true:
                raise BadInput("a case distinction must have a last case that always holds", e)
            result = walk(pieces[-1].expr)
            for piece in reversed(pieces[:-1]):
                result = ("if", walk(piece.cond), walk(piece.expr), result)
            return result
        if isinstance(e, (sp.Eq, sp.Le, sp.Lt)):
            return ({sp.Eq: "=", sp.Le: "<=", sp.Lt: "<"}[type(e)], walk(e.lhs), walk(e.rhs))
        if isinstance(e, (sp.Ge, sp.Gt)):
            return ("<=" if isinstance(e, sp.Ge) else "<", walk(e.rhs), walk(e.lhs))
        if isinstance(e, sp.Ne):
            return ("~", ("=", walk(e.lhs), walk(e.rhs)))
        if isinstance(e, (sp.And, sp.Or)):
            tag = "&" if isinstance(e, sp.And) else "|"
            args = sorted(e.args, key=sp.default_sort_key)
            result = walk(args[-1])
            for a in reversed(args[:-1]):
                result = (tag, walk(a), result)
            return result
        if isinstance(e, sp.Not):
            return ("~", walk(e.args[0]))
        if isinstance(e, sp.logic.boolalg.BooleanFunction):
            return walk(e.to_nnf(simplify=False))
        if isinstance(e, Ranged):
            variable, body = _apart(e.variable, e.body)
            return (e.tag, variable.name, walk(e.low), walk(e.high), walk(body))
        if isinstance(e, (sp.Sum, sp.Product)):  # sympy merges sums in sums: the innermost range comes first
            tree = e.function
            for limit in e.limits:
                if len(limit) != 3:
                    raise BadInput("a sum must have two ends", e)
                kind = RangeSum if isinstance(e, sp.Sum) else RangeProduct
                tree = kind.unevaluated(tree, *limit)
            return walk(tree)
        raise BadInput("an expression must have a form in the grammar", e)

    return walk(expression)


def _apart(variable: sympy.Symbol, body: Any) -> tuple[Any, Any]:
    """The variable of a range and its body, with another name where a free symbol of the body has the same."""
    import sympy as sp

    taken = {s.name for s in body.free_symbols - {variable}}
    name = variable.name
    while name in taken or not valid_name(name):
        name += "_"
    if name == variable.name:
        return variable, body
    fresh = sp.Symbol(name, integer=True)
    return fresh, body.xreplace({variable: fresh})


Exact: TypeAlias = "int | Fraction | Decimal | str | sympy.Expr"
"""What may be given as an exact number; text is in the grammar of expressions, and a Python float is refused."""
Number = Fraction | Tree
"""An exact number as number systems take it: a Fraction, or a tree where it is not rational or holds symbols."""


def lowered(value: object) -> Number:
    """An exact number in the form in which number systems take it; BadInput as `exact` says.

    >>> lowered("2/6"), lowered("1/eps")
    (Fraction(1, 3), ('/', ('num', 1, 1), ('name', 'eps')))
    """
    if isinstance(value, (Fraction, tuple)):
        return value
    found: Any = value if hasattr(value, "free_symbols") else exact(value)
    return Fraction(int(found.p), int(found.q)) if found.is_Rational else tree_from_sympy(found)


def at(tree: Tree, values: Mapping[str, int]) -> Number:
    """A term at integer values of i and n, with what sympy knows of numbers that are not rational by their parts.

    Raises BadInput where it has no value there, and Undecided where a comparison of numbers stays open.
    """
    import sympy as sp

    own: dict[str, Any] = {name: symbol(name) for name in names(tree)}
    value = to_sympy(tree, own | {name: sp.Integer(number) for name, number in values.items()})
    if value in (sp.zoo, sp.nan, sp.oo, -sp.oo):
        where = ", ".join(f"{name} = {number}" for name, number in values.items())
        raise BadInput("a value must be a finite number", f"{show(tree)} at {where}" if where else show(tree))
    for condition in value.atoms(sp.Rel):
        if not condition.free_symbols:  # an equality of irrational numbers that sympy leaves unevaluated
            raise Undecided(f"the comparison {from_sympy(condition)} stays open; write it with rational numbers.")
    return lowered(value)


def exact(value: object, symbols: Mapping[str, sympy.Expr] | None = None) -> Any:
    """A sympy expression from an integer, a Fraction, a Decimal, text in the grammar, or sympy without floats.

    Raises BadInput for a Python float (it names the exact alternative) and for anything else.
    """
    import sympy as sp

    if isinstance(value, bool):
        raise BadInput("a value must be a number", value, "use 0 or 1")
    if isinstance(value, Integral) and not isinstance(value, sp.Basic):
        return sp.Integer(int(value))
    if isinstance(value, (Fraction, Decimal)):
        if isinstance(value, Decimal) and not value.is_finite():
            raise BadInput("a value must be an exact finite real number", value)
        if isinstance(value, Decimal) and abs(value.adjusted()) > MAX_BITS:
            raise too_large()
        value = Fraction(value)
        return sp.Rational(value.numerator, value.denominator)
    if isinstance(value, str):
        value = to_sympy(plain(value), symbols if symbols is not None else _AnySymbol())
    if isinstance(value, float):
        value = float(value)  # also numpy's, which shows itself otherwise
        near = Fraction(repr(value)) if value == value and abs(value) != float("inf") else None
        do = f"write '{quotient(near)}' or Fraction('{value}')" if near is not None else "give a finite rational"
        raise BadInput("a value must be exact, not a Python float", repr(value), do)
    if isinstance(value, sp.Rational):
        return value
    if isinstance(value, sp.Expr):
        foreign = {s: symbol(s.name) for s in value.free_symbols if isinstance(s, sp.Symbol)}  # other assumptions
        if any(s != own for s, own in foreign.items()):
            value = value.xreplace(foreign)
        from symcook.numbers.nodes import Choice

        # sympy's own nodes become the grammar's; conditions get the form in which they read back
        if value.has(sp.Sum, sp.Product, sp.Piecewise, Choice):
            value = to_sympy(tree_from_sympy(value), _AnySymbol())
        if value.has(sp.Float) or value.has(sp.zoo, sp.nan, sp.oo, -sp.oo, sp.I) or value.is_extended_real is False:
            raise BadInput("a value must be an exact finite real number", value, "use Rational(p, q)")
        return value
    raise BadInput("a value must be an int, a Fraction, a sympy expression or text", type(value).__name__)


class _AnySymbol(dict[str, Any]):
    """Symbols made as they are met: i and n are integers, everything else is real (as `symbol` says)."""

    def __contains__(self, key: object) -> bool:
        return True

    def __missing__(self, key: str) -> Any:
        return symbol(key)


def symbol(name: str) -> Any:
    """The sympy symbol that stands for `name` everywhere: i and n are positive integers, all others are real."""
    import sympy as sp

    if not isinstance(name, str) or not valid_name(name):
        raise BadInput("a symbol's name must be an identifier and no reserved word", name)
    if name == "i":
        return sp.Symbol("i", integer=True, nonnegative=True)
    return sp.Symbol("n", integer=True, positive=True) if name == "n" else sp.Symbol(name, real=True)


def fraction(value: Any) -> Fraction:
    """A sympy Rational as a Fraction; BadInput where the value is not rational."""
    if not getattr(value, "is_Rational", False):
        raise BadInput("the value must be rational", from_sympy(value))
    return Fraction(int(value.p), int(value.q))
