"""The expression grammar: one reader and one tree for values from a user and for the statements of the kernel.

The reader is a precedence parser over tuples; it never evaluates anything. From weakest to strongest binding:

    formula   <->   ->   |   &   ~   = != <= < >= > (chains allowed)
              all x:Real, n:Int. F     ex x:Real. F     all j in lo..hi. F
    term      + -   * /   unary -   ^        f(a, b)   j. body (an argument only)
              sum(j, lo, hi, body)   prod(j, lo, hi, body)   if(F, a, b)   I[F]   pi

A sum or product runs over the integers j with lo <= j <= hi, in every number system and for the checker: an empty sum
is 0, an empty product 1 (sum(j, 2, 0, j) does not run backwards), and lo and hi must be integers, since an end such as
n/2 at n = 3 could be meant either way. `symcook.model.meaning` says what a tree means.

A tree is a nested tuple whose first element is a tag: ``("num", p, q)``, ``("name", s)``, ``("neg", a)``,
``("+", a, b)`` and likewise ``- * / ^``, ``("call", f, args)``, ``("lambda", names, body)``,
``("sum", j, lo, hi, body)``, ``("prod", ...)``, ``("ind", F)``, ``("if", F, a, b)``, ``("=", a, b)``, ``("<=", a, b)``,
``("<", a, b)``, ``("~", F)``, ``("&", F, G)`` and likewise ``| -> <->``, ``("true",)``, ``("false",)``,
``("all", x, sort, F)``, ``("ex", ...)``, ``("all in", j, lo, hi, F)``, ``("ex in", ...)``. A sort is ``"Int"``,
``"Real"`` or ``("fun", argument sorts, result)``.

This module needs the standard library only: the checker rests on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any

from symcook.errors import BadInput

Tree = tuple[Any, ...]
Sort = str | tuple[str, tuple[str, ...], str]

MAX_DEPTH = 440
MAX_NODES = 500_000
MAX_TEXT = 20_000
MAX_STATEMENT = 2_000_000
MAX_DIGITS = 4_000
_LONG = 10**600  # Python can be told to write no number of more than 640 digits

_UNARY = ("relu", "abs", "exp", "log", "sqrt", "sin", "cos", "erf", "sinh", "cosh", "tanh")
ARITY: dict[str, int] = {name: 1 for name in _UNARY} | {name: 2 for name in ("min", "max", "pow")}
KEYWORDS = frozenset({"all", "ex", "in", "sum", "prod", "if", "I", "true", "false", "Int", "Real"})
RESERVED = KEYWORDS | frozenset(ARITY) | {"pi"}

_TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<op><->|->|<=|>=|!=|\.\.|[-+*/^()\[\],.:~&|<>=])|(?P<end>$))",
    re.ASCII,
)
_BINARY = {
    "<->": (1, 1),
    "->": (2, 2),
    "|": (4, 3),
    "&": (6, 5),
    **dict.fromkeys(("=", "!=", "<=", "<", ">=", ">"), (8, 9)),
    "+": (10, 11),
    "-": (10, 11),
    "*": (12, 13),
    "/": (12, 13),
    "^": (17, 16),
}
_COMPARE = ("=", "!=", "<=", "<", ">=", ">")
_LOGIC = ("<->", "->", "|", "&")
_FORMULA_TAGS = frozenset({"=", "<=", "<", "~", "&", "|", "->", "<->", "true", "false", "all", "ex", "all in", "ex in"})


def is_formula(tree: Tree) -> bool:
    """Whether `tree` is a formula (true or false) rather than a term (a number)."""
    return tree[0] in _FORMULA_TAGS


def fits_kind(tree: Tree, formula: bool) -> bool:
    """Whether `tree` may stand where a formula (or a number) is required; a called name may be defined as either."""
    return is_formula(tree) == formula or (tree[0] == "call" and tree[1] not in ARITY)


def valid_name(name: str) -> bool:
    """Whether `name` can name a coordinate, a symbol or a variable.

    >>> valid_name("balance"), valid_name("exp"), valid_name("2x")
    (True, False, False)
    """
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name, re.ASCII) is not None and name not in RESERVED


def parse_term(text: str, limit: int = MAX_TEXT) -> Tree:
    """Read a term, for example ``1/(n + 1)``.

    >>> parse_term("x - 1/2")
    ('-', ('name', 'x'), ('/', ('num', 1, 1), ('num', 2, 1)))

    Raises BadInput where the text is not a term of the grammar or exceeds its limits.
    """
    tree = _read(text, limit)
    if is_formula(tree):
        raise BadInput("an expression must be a number, not a comparison", text, "remove the comparison")
    return tree


def parse_formula(text: str, limit: int = MAX_STATEMENT) -> Tree:
    """Read a formula, for example ``all n:Int. 1 <= n -> 0 < 1/n``.

    >>> parse_formula("0 < eps <= 1")
    ('&', ('<', ('num', 0, 1), ('name', 'eps')), ('<=', ('name', 'eps'), ('num', 1, 1)))

    Raises BadInput where the text is not a formula of the grammar or exceeds its limits.
    """
    tree = _read(text, limit)
    if not fits_kind(tree, True):
        raise BadInput("a statement must be true or false, not a number", text, "compare it with something")
    return tree


def _read(text: str, limit: int) -> Tree:
    """The tree of a text; the trees of short texts, and of the last long ones, are cached."""
    if not isinstance(text, str):
        raise BadInput("an expression must be text", type(text).__name__, "give a string such as '1/2'")
    return (_short if len(text) <= 200 else _long)(text, limit)


class Reader:
    """Tokens of one text and a cursor; `tree` returns a tree and checks terms against formulas as it builds."""

    def __init__(self, text: str, limit: int) -> None:
        if len(text) > limit:
            raise BadInput(f"an expression must have at most {limit} characters", f"{len(text)} characters")
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        self.at = 0
        place = 0
        while True:
            match = _TOKEN.match(text, place)
            if match is None or match.lastgroup is None:
                spot = len(text) - len(text[place:].lstrip())
                raise self.error("has a character outside the grammar", spot)
            self.tokens.append((match.lastgroup, match.group(match.lastgroup), match.start(match.lastgroup)))
            place = match.end()
            if match.lastgroup == "end":
                break
        self.level = 0

    def error(self, what: str, place: int | None = None) -> BadInput:
        spot = self.tokens[self.at][2] if place is None else place
        excerpt = self.text[max(0, spot - 30) : spot + 30]
        must = f"an expression must follow the grammar, but it {what} at character {spot + 1}"
        return BadInput(must, excerpt or "nothing", "symcook explain grammar shows it")

    def peek(self) -> str:
        return self.tokens[self.at][1]

    def take(self, expected: str | None = None) -> str:
        kind, value, _ = self.tokens[self.at]
        if expected is not None and (kind == "number" or value != expected):
            raise self.error(f"lacks '{expected}'")
        self.at += 1
        return value

    def whole(self) -> Tree:
        # The whole text is one expression; what follows it is an error.
        try:
            tree = self.tree(0)
        except RecursionError:
            raise BadInput("an expression must nest less deep", "a deeper one") from None
        kind, value, place = self.tokens[self.at]
        if kind == "name" and re.fullmatch(r"[eE][0-9]*", value) and self.text[place - 1 : place].isdigit():
            raise BadInput("a number must be written without e", self.text, "write 1/10^9 for 1e-9")
        if kind != "end":
            raise self.error("does not end")
        _check_depth(tree)
        return tree

    def tree(self, power: int) -> Tree:
        # A precedence parser: a prefix, then operators that bind at least as strongly as `power`.
        self.level += 1
        if self.level > MAX_DEPTH:
            raise BadInput(f"an expression must nest at most {MAX_DEPTH} deep", "a deeper one")
        left = self.prefix(power)
        while True:
            kind, op, _ = self.tokens[self.at]
            if kind != "op" or op not in _BINARY or _BINARY[op][0] < power:
                break
            left = self.chain(left) if op in _COMPARE else self.binary(left, op)
        self.level -= 1
        return left

    def binary(self, left: Tree, op: str) -> Tree:
        self.take()
        right = self.tree(_BINARY[op][1])
        for side in (left, right):
            if not fits_kind(side, op in _LOGIC):
                raise self.error(f"uses '{op}' between things of the wrong kind")
        return (op, left, right)

    def chain(self, left: Tree) -> Tree:
        """``a <= b < c`` becomes ``a <= b & b < c``; >, >= and != are written with <, <= and =."""
        result: Tree | None = None
        while self.tokens[self.at][0] == "op" and self.peek() in _COMPARE:
            op = self.take()
            right = self.tree(10)
            if is_formula(left) or is_formula(right):
                raise self.error("compares a formula; use <-> between formulas")
            part: Tree = {
                "!=": ("~", ("=", left, right)),
                ">": ("<", right, left),
                ">=": ("<=", right, left),
            }.get(op, (op, left, right))
            result = part if result is None else ("&", result, part)
            left = right
        assert result is not None
        return result

    def prefix(self, power: int) -> Tree:
        # What an expression may begin with.
        kind, value, _ = self.tokens[self.at]
        if kind == "end":
            raise self.error("ends too early")
        if kind == "number":
            return self.number()
        if kind == "name":
            return self.named()
        if value == "(":
            self.take()
            inner = self.tree(0)
            self.take(")")
            return inner
        if value == "-":
            self.take()
            inner = self.tree(max(power, 12))  # -a*b is -(a*b), and 2^-1*x is (2^-1)*x
            if is_formula(inner):
                raise self.error("negates a formula with '-'; use '~'")
            return ("neg", inner)
        if value == "~":
            self.take()
            inner = self.tree(7)
            if not fits_kind(inner, True):
                raise self.error("negates a number with '~'; use '-'")
            return ("~", inner)
        if value == ".":
            raise BadInput("a decimal must begin with a digit", self.text, "write 0.5 for .5")
        raise self.error(f"has an unexpected '{value}'")

    def number(self) -> Tree:
        text = self.take()
        if len(text) > MAX_DIGITS:
            raise BadInput(f"a number must have at most {MAX_DIGITS} digits", f"{len(text)} digits")
        value = Fraction(text)
        return ("num", value.numerator, value.denominator)

    def named(self) -> Tree:
        # Constants, binders and functions by their names; any other name stands for itself.
        name = self.take()
        if name in ("true", "false"):
            return (name,)
        if name in ("all", "ex"):
            return self.quantifier(name)
        if name == "I":
            self.take("[")
            inner = self.formula()
            self.take("]")
            return ("ind", inner)
        if name in ("sum", "prod"):
            self.take("(")
            bound = self.variable()
            self.take(",")
            low = self.term()
            self.take(",")
            high = self.term()
            self.take(",")
            body = self.term()
            self.take(")")
            return (name, bound, low, high, body)
        if name == "if":
            self.take("(")
            condition = self.formula()
            self.take(",")
            yes = self.term()
            self.take(",")
            no = self.term()
            self.take(")")
            return ("if", condition, yes, no)
        if name in KEYWORDS:
            raise self.error(f"uses the reserved word '{name}'", self.tokens[self.at - 1][2])
        if self.tokens[self.at][1] == "(" and self.tokens[self.at][0] == "op":
            return self.call(name)
        if name in ARITY:
            raise self.error(f"uses the function '{name}' without arguments", self.tokens[self.at - 1][2])
        return ("name", name)

    def call(self, name: str) -> Tree:
        # Arguments, whose number must be right for a function of the grammar; min and max may have more than two.
        if name == "pi":
            raise self.error("calls pi, which is a number", self.tokens[self.at - 1][2])
        self.take("(")
        arguments = [self.argument()]
        while self.peek() == ",":
            self.take()
            arguments.append(self.argument())
        self.take(")")
        if name in ARITY:
            if name in ("min", "max") and len(arguments) >= 2:
                tree = arguments[0]
                for next_argument in arguments[1:]:
                    tree = ("call", name, (tree, next_argument))
                return tree
            if len(arguments) != ARITY[name]:
                raise self.error(f"gives '{name}' {len(arguments)} arguments instead of {ARITY[name]}")
            if any(a[0] == "lambda" for a in arguments):
                raise self.error(f"gives '{name}' a function")
        return ("call", name, tuple(arguments))

    def argument(self) -> Tree:
        """A term, or ``i j. term``: names up to a dot."""
        ahead = self.at
        while self.tokens[ahead][0] == "name":
            ahead += 1
        if ahead > self.at and self.tokens[ahead][1] == ".":
            bound = []
            while self.peek() != ".":
                bound.append(self.variable())
            self.take(".")
            return ("lambda", tuple(bound), self.tree(0))
        return self.tree(0)

    def term(self) -> Tree:
        tree = self.tree(0)
        if is_formula(tree):
            raise self.error("has a formula where a number must stand")
        return tree

    def formula(self) -> Tree:
        tree = self.tree(0)
        if not fits_kind(tree, True):
            raise self.error("has a number where a formula must stand")
        return tree

    def variable(self) -> str:
        kind, name, _ = self.tokens[self.at]
        if kind != "name" or name in RESERVED:
            raise self.error("lacks a variable that is not a reserved word")
        return self.take()

    def quantifier(self, tag: str) -> Tree:
        # `all x y:Real, j in a..b. F` is one quantifier for each name, the first one outermost.
        groups: list[tuple[Any, ...]] = []
        while True:
            bound = [self.variable()]
            if self.peek() == "in":
                self.take()
                low = self.term()
                self.take("..")
                groups.append((f"{tag} in", bound[0], low, self.term()))
            else:
                while self.peek() != ":":
                    bound.append(self.variable())
                self.take(":")
                sort = self.sort()
                groups.extend((tag, name, sort) for name in bound)
            if self.peek() != ",":
                break
            self.take()
        self.take(".")
        body = self.formula()
        for group in reversed(groups):
            body = (*group, body)
        return body

    def sort(self) -> Sort:
        # Int, Real, or a function sort Int*Int->Real.
        arguments = [self.base_sort()]
        while self.peek() == "*":
            self.take()
            arguments.append(self.base_sort())
        if self.peek() == "->":
            self.take()
            return ("fun", tuple(arguments), self.base_sort())
        if len(arguments) > 1:
            raise self.error("has a product sort without a result")
        return arguments[0]

    def base_sort(self) -> str:
        if self.peek() not in ("Int", "Real"):
            raise self.error("lacks a sort (Int or Real)")
        return self.take()


def _whole(text: str, limit: int) -> Tree:
    return Reader(text, limit).whole()


_short, _long = lru_cache(10_000)(_whole), lru_cache(4)(_whole)


def children(tree: Tree) -> Iterator[Tree]:
    """The direct subtrees of `tree`."""
    for part in tree[1:]:
        if isinstance(part, tuple) and part and tree[0] not in ("num", "name"):
            if isinstance(part[0], tuple):
                yield from part
            elif part[0] != "fun" and not (tree[0] == "lambda" and part is tree[1]):
                yield part


def _check_depth(tree: Tree) -> None:
    # Level by level, without recursion.
    level = [tree]
    size = 0  # a chain writes its middle twice, so that a short text can make a large tree
    for _ in range(MAX_DEPTH):
        size += len(level)
        if size > MAX_NODES:
            raise BadInput(f"an expression must have at most {MAX_NODES} parts", "a larger one")
        level = [child for node in level for child in children(node)]
        if not level:
            return
    raise BadInput(f"an expression must nest at most {MAX_DEPTH} deep", "a deeper one", "bracket long sums in halves")


def names(tree: Tree) -> set[str]:
    """The names that occur free in `tree` as numbers (functions and bound variables not counted).

    >>> sorted(names(parse_term("sum(j, 1, n, j*x)")))
    ['n', 'x']
    """
    tag = tree[0]
    if tag == "name":
        return set() if tree[1] == "pi" else {tree[1]}
    if tag in ("sum", "prod", "all in", "ex in"):
        return names(tree[2]) | names(tree[3]) | (names(tree[4]) - {tree[1]})
    if tag in ("all", "ex"):
        return names(tree[3]) - {tree[1]}
    if tag == "lambda":
        return names(tree[2]) - set(tree[1])
    return set().union(*(names(child) for child in children(tree)))


_STRENGTH: dict[str, int] = {"<->": 1, "->": 2, "|": 3, "&": 5, "~": 7, "=": 8, "<=": 8, "<": 8}
_STRENGTH |= {"+": 10, "-": 10, "neg": 11, "*": 12, "/": 12, "^": 16}


def show(tree: Tree) -> str:
    """Text of `tree` in the grammar; reading it gives the same tree.

    >>> show(parse_term("(a - b)*-2^n"))
    '(a - b)*(-2^n)'
    """
    tag = tree[0]
    if tag == "num":
        return _show_number(tree[1], tree[2])
    if tag == "name":
        return tree[1]
    if tag in ("true", "false"):
        return tag
    if tag == "neg":
        return f"-{_inside(tree[1], 12)}"
    if tag == "~":
        return f"~{_inside(tree[1], 9)}"
    if tag in ("+", "-", "*", "/"):
        space = " " if tag in "+-" else ""
        return f"{_inside(tree[1], _STRENGTH[tag])}{space}{tag}{space}{_inside(tree[2], _STRENGTH[tag] + 1)}"
    if tag == "^":
        return f"{_inside(tree[1], 17)}^{_inside(tree[2], 16)}"
    if tag in ("=", "<=", "<"):
        return f"{_inside(tree[1], 9)} {tag} {_inside(tree[2], 9)}"
    if tag in _LOGIC:  # right associative
        return f"{_inside(tree[1], _STRENGTH[tag] + 1)} {tag} {_inside(tree[2], _STRENGTH[tag])}"
    if tag == "call":
        return f"{tree[1]}({', '.join(show(a) for a in tree[2])})"
    if tag == "lambda":
        return f"{' '.join(tree[1])}. {show(tree[2])}"
    if tag in ("sum", "prod"):
        return f"{tag}({tree[1]}, {show(tree[2])}, {show(tree[3])}, {show(tree[4])})"
    if tag == "ind":
        return f"I[{show(tree[1])}]"
    if tag == "if":
        return f"if({show(tree[1])}, {show(tree[2])}, {show(tree[3])})"
    if tag in ("all", "ex"):
        return f"{tag} {tree[1]}:{_show_sort(tree[2])}. {show(tree[3])}"
    return f"{tag[:-3]} {tree[1]} in {show(tree[2])}..{show(tree[3])}. {show(tree[4])}"


def _inside(tree: Tree, strength: int) -> str:
    own = _STRENGTH.get(tree[0], 100)
    if tree[0] in ("all", "ex", "all in", "ex in"):
        own = 0
    text = show(tree)
    return f"({text})" if own < strength else text


def numeral(number: int) -> str:
    """The decimal digits of an integer, of any number of them; Python's own text ends at some thousands.

    >>> len(numeral(10**5000)), numeral(-12)
    (5001, '-12')
    """
    return str(number) if -_LONG < number < _LONG else str(Decimal(number))


def _show_number(p: int, q: int) -> str:
    # A decimal: q, a divisor of a power of ten, is made such a power.
    if q == 1:
        return numeral(p)
    twos = q
    shift = 0
    while twos % 10 == 0:
        twos //= 10
        shift += 1
    while twos % 5 == 0 or twos % 2 == 0:
        p, twos, shift = (p * 2, twos // 5, shift + 1) if twos % 5 == 0 else (p * 5, twos // 2, shift + 1)
    digits = numeral(p).rjust(shift + 1, "0")
    return f"{digits[:-shift]}.{digits[-shift:]}"


def _show_sort(sort: Sort) -> str:
    return sort if isinstance(sort, str) else f"{'*'.join(sort[1])}->{sort[2]}"
