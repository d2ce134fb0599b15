"""The sympy side of the grammar: trees to sympy, sympy to text, and exact values from what a user gives.

sympy is imported when it is needed, so that reading and listing stay quick.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, unknown
from symcook.expr import ARITY, Tree, names, parse_term, show, valid_name
from symcook.rationals import MAX_BITS, MAX_RANGE, quotient, rational, too_large

if TYPE_CHECKING:
    import sympy

_LOGIC = ("<->", "->", "|", "&")
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


class _Sympy:
    """Builds sympy expressions; `terms` counts those of written-out sums, in a list that nested sums share."""

    def __init__(
        self, symbols: Mapping[str, Any], bound: Mapping[str, Any] | None = None, terms: list[int] | None = None
    ) -> None:
        import sympy

        self.sp = sympy
        self.symbols = symbols
        self.bound = bound or {}
        self.terms = [0] if terms is None else terms

    def under(self, name: str, value: Any) -> _Sympy:
        """The builder in which the bound variable `name` stands for `value`."""
        return _Sympy(self.symbols, {**self.bound, name: value}, self.terms)

    def term(self, tree: Tree) -> Any:
        if not names(tree):
            try:
                value = rational(tree)
            except BadInput as error:
                if "exact rational" not in str(error) and "exponent must be an integer" not in str(error):
                    raise
            else:
                return self.sp.Rational(value.numerator, value.denominator)
        return self._term(tree)

    def _term(self, tree: Tree) -> Any:
        sp, tag = self.sp, tree[0]
        if tag == "name":
            if tree[1] == "pi":
                return sp.pi
            if tree[1] in self.bound:
                return self.bound[tree[1]]
            if tree[1] not in self.symbols:
                raise unknown("symbol", tree[1], sorted(self.symbols))
            return self.symbols[tree[1]]
        if tag == "num":
            return sp.Rational(tree[1], tree[2])
        if tag == "neg":
            return -self.term(tree[1])
        if tag in ("+", "-", "*", "/"):
            a, b = self.term(tree[1]), self.term(tree[2])
            if tag == "/":
                if b == 0:
                    raise BadInput("a denominator must not be zero", show(tree))
                return a / b
            return a + b if tag == "+" else a - b if tag == "-" else a * b
        if tag == "^" or (tag == "call" and tree[1] == "pow"):
            return self.power(*(tree[1:] if tag == "^" else tree[2]))
        if tag == "call":
            return self.call(tree)
        if tag == "ind":
            return sp.Piecewise((1, self.formula(tree[1])), (0, True))
        if tag == "if":
            return sp.Piecewise((self.term(tree[2]), self.formula(tree[1])), (self.term(tree[3]), True))
        if tag in ("sum", "prod"):
            return self.fold(tree)
        raise BadInput("an expression must be a number", show(tree))

    def power(self, base: Tree, exponent: Tree) -> Any:
        b, k = self.term(base), self.term(exponent)
        if k.is_Integer and (b.is_number or abs(int(k)) > 64) and abs(int(k)) * _bits(b) > MAX_BITS:
            raise too_large()
        if b == 0 and k.is_negative:
            raise BadInput("a denominator must not be zero", show(("^", base, exponent)))
        return b**k

    def call(self, tree: Tree) -> Any:
        sp = self.sp
        table = {
            "relu": lambda a: sp.Max(0, a), "abs": sp.Abs, "exp": sp.exp, "log": sp.log, "sqrt": sp.sqrt, "erf": sp.erf,
            "sin": sp.sin, "cos": sp.cos, "sinh": sp.sinh, "cosh": sp.cosh, "tanh": sp.tanh,
            "min": sp.Min, "max": sp.Max,
        }  # fmt: skip
        if tree[1] not in table:
            raise unknown("function", tree[1], sorted(ARITY))
        arguments = [self.term(a) for a in tree[2]]
        if tree[1] == "log" and arguments[0].is_nonpositive:
            raise BadInput("the argument of log must be positive", show(tree))
        if tree[1] == "sqrt" and arguments[0].is_negative:
            raise BadInput("the argument of sqrt must not be negative", show(tree))
        return table[tree[1]](*arguments)

    def fold(self, tree: Tree) -> Any:
        tag, bound, low, high, body = tree
        a, b = self.term(low), self.term(high)
        if a.is_Integer and b.is_Integer:
            if b - a > MAX_RANGE:
                raise BadInput(f"a sum must run over at most {MAX_RANGE} integers", show(tree))
            self.terms[0] += int(b - a) + 1
            if self.terms[0] > MAX_RANGE:
                raise BadInput(f"an expression must have at most {MAX_RANGE} terms in its sums", show(tree))
            parts = [self.under(bound, self.sp.Integer(j)).term(body) for j in range(int(a), int(b) + 1)]
            return self.sp.Add(*parts) if tag == "sum" else self.sp.Mul(*parts)
        variable = self.sp.Symbol(bound, integer=True)
        inner = self.under(bound, variable).term(body)
        return (self.sp.Sum if tag == "sum" else self.sp.Product)(inner, (variable, a, b))

    def formula(self, tree: Tree) -> Any:
        sp, tag = self.sp, tree[0]
        if tag in ("true", "false"):
            return sp.true if tag == "true" else sp.false
        if tag in ("=", "<=", "<"):
            return {"=": sp.Eq, "<=": sp.Le, "<": sp.Lt}[tag](self.term(tree[1]), self.term(tree[2]))
        if tag == "~":
            return sp.Not(self.formula(tree[1]))
        if tag in _LOGIC:
            kind = {"&": sp.And, "|": sp.Or, "->": sp.Implies, "<->": sp.Equivalent}[tag]
            return kind(self.formula(tree[1]), self.formula(tree[2]))
        raise BadInput("a condition must be without quantifiers here", show(tree))


def _bits(value: Any) -> int:
    """A size in bits of the numbers inside a sympy expression."""
    return sum(int(a.p).bit_length() + int(a.q).bit_length() for a in value.atoms() if a.is_Rational) + 1


def from_sympy(expression: Any) -> str:
    """Text in the grammar of a sympy expression.

    >>> import sympy
    >>> x, eps = sympy.symbols("x eps")
    >>> from_sympy(sympy.Max(0, x)/eps - x/3)
    '-x/3 + max(0, x)/eps'

    Raises BadInput for a floating-point number and for what the grammar has no word for.
    """
    return show(tree_from_sympy(expression))


def tree_from_sympy(expression: Any) -> Tree:
    """The tree of a sympy expression or condition; see `from_sympy`."""
    import sympy as sp

    functions = {
        sp.exp: "exp", sp.log: "log", sp.sin: "sin", sp.cos: "cos", sp.erf: "erf", sp.sinh: "sinh", sp.cosh: "cosh",
        sp.tanh: "tanh", sp.Abs: "abs",
    }  # fmt: skip

    def number(r: Any) -> Tree:
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

        def product(factors: list[Any]) -> Tree:
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
        if isinstance(e, (sp.Max, sp.Min)):
            args = sorted(e.args, key=sp.default_sort_key)
            result = walk(args[0])
            for a in args[1:]:
                result = ("call", "max" if isinstance(e, sp.Max) else "min", (result, walk(a)))
            return result
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
        if isinstance(e, (sp.Sum, sp.Product)):
            variable, low, high = e.limits[0]
            return ("sum" if isinstance(e, sp.Sum) else "prod", variable.name, walk(low), walk(high), walk(e.function))
        raise BadInput("an expression must have a form in the grammar", e)

    return walk(sp.sympify(expression, strict=True))


def exact(value: Any, symbols: Mapping[str, Any] | None = None) -> Any:
    """A sympy expression from an int, a Fraction, text in the grammar, or a sympy expression without floats.

    Raises BadInput for a Python float (it names the exact alternative) and for anything else.
    """
    import sympy as sp

    if isinstance(value, bool):
        raise BadInput("a value must be a number", value, "use 0 or 1")
    if isinstance(value, int):
        return sp.Integer(value)
    if isinstance(value, Fraction):
        return sp.Rational(value.numerator, value.denominator)
    if isinstance(value, str):
        value = to_sympy(value, symbols if symbols is not None else _AnySymbol())
    if isinstance(value, float):
        near = Fraction(repr(value)) if value == value and abs(value) != float("inf") else None
        do = f"write '{quotient(near)}' or Fraction('{value}')" if near is not None else "give a finite rational"
        raise BadInput("a value must be exact, not a Python float", repr(value), do)
    if isinstance(value, sp.Basic):
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

    if not valid_name(name):
        raise BadInput("a symbol's name must be an identifier and no reserved word", name)
    if name == "i":
        return sp.Symbol("i", integer=True, nonnegative=True)
    return sp.Symbol("n", integer=True, positive=True) if name == "n" else sp.Symbol(name, real=True)
