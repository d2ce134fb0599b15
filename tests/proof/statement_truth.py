"""Truth of a stored statement at one instance, evaluated from its text alone.

No kernel code is used: the text is read by `symcook.model.expr`, definitions are taken from definitions.txt as text and
substituted here. An instance offers, for each quantified name, the values that the quantifier ranges over; a name of
a function is written with ``()``: ``{"n": [2], "x()": [{1: ..., 2: ...}]}``. An entry may be a callable, which gets the
names bound so far. Numbers are Fractions; where exp, log, sqrt, erf, sin, cos, tanh or pi occurs they are mpmath's, of
60 digits, and comparisons other than < allow a slack of 10^-45 relative to the size of the sides.
"""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
from checkout import ROOT
from flint import arb, ctx, fmpq  # type: ignore[import-untyped]

from symcook.errors import BadInput
from symcook.model.expr import parse_formula, parse_term
from symcook.proof.runrel import expand

STATEMENTS = ROOT / "proofs" / "statements"
CONTEXT = mpmath.mp.clone()
CONTEXT.dps = 60
SLACK = CONTEXT.mpf(10) ** -45
BALL_SLACK = arb(10) ** -45
BITS = 240

Instance = Mapping[str, Any]
Names = tuple[str, ...]
Seen = Callable[[Any, bool], None]
Program = Callable[[Mapping[str, Any], Instance, list[bool] | None, Seen | None], bool]


@cache
def texts() -> dict[str, str]:
    """The statements by id, as written: the ``statement:`` lines with those that continue them."""
    out: dict[str, str] = {}
    name, inside = "", False
    files = sorted(path for path in STATEMENTS.glob("*.txt") if path.stem != "definitions")
    for line in (line for path in files for line in [*path.read_text(encoding="utf-8").splitlines(), ""]):
        if line.startswith("["):
            name = line.strip("[]")
        elif line.startswith("statement:"):
            out[name], inside = line.removeprefix("statement:"), True
        elif inside and line.startswith(" "):
            out[name] += " " + line.strip()
        elif not line.startswith("#"):
            inside = False
    return out


@cache
def definitions() -> dict[str, tuple[tuple[str, ...], Any]]:
    out = {}
    for line in (STATEMENTS / "definitions.txt").read_text(encoding="utf-8").splitlines():
        if ":=" in line and not line.startswith("#"):
            head, body = line.split(":=")
            name, parameters = re.fullmatch(r"(\w+)\(([^)]*)\) ", head).groups()  # type: ignore[union-attr]
            try:
                tree = parse_formula(body)
            except BadInput:
                tree = parse_term(body)
            out[name] = (tuple(p.strip() for p in parameters.split(",")), tree)
    return out


@cache
def tree_of(text: str) -> Any:
    return parse_formula(expand(text))


def evaluate(text: str, instance: Instance, seen: Seen | None = None) -> tuple[bool, bool]:
    """(true at the instance, some combination of the offered values meets all leading hypotheses).

    `seen`, where it is given, is told of every implication and equivalence whose left side is decided, and how.
    """
    met = [False]
    return compiled(text, seen is not None)({}, instance, met, seen), met[0]


def holds(text: str, instance: Instance) -> bool:
    """Whether it is true at the instance; stops at the first combination where it is not."""
    return compiled(text)({}, instance, None, None)


def truth(tree: Any, env: Mapping[str, Any], instance: Instance) -> bool:
    """A formula, given the values of some names."""
    return program(tree, tuple(sorted(env)))(env, instance, None, None)


def worth(tree: Any, env: Mapping[str, Any]) -> Any:
    """A term, given the values of names, of which it may have fewer."""
    return outward(of_values(tree, env)(env, {}, None, None))


def of_values(tree: Any, env: Iterable[str]) -> Program:
    """A term as a function of the values of names, of which it may have fewer."""
    return term(tree, tuple(sorted(used(tree).intersection(env))))


@cache
def used(tree: Any) -> frozenset[str]:
    """The names of numbers and functions in a term."""
    own = [tree[1]] if tree and tree[0] in ("name", "call") else []
    return frozenset(own).union(*(used(part) for part in tree if isinstance(part, tuple)))


@cache
def compiled(text: str, watched: bool = False) -> Program:
    return Writer(watched).program(tree_of(text), ())


@cache
def program(tree: Any, names: tuple[str, ...]) -> Program:
    return Writer(False).program(tree, names)


@cache
def term(tree: Any, names: tuple[str, ...]) -> Any:
    writer = Writer(False)
    return writer.function(writer.value(tree, names), names)


class Writer:
    """A formula as the text of a Python function. A bound name x is two of Python's: r_x is what the instance offers,
    v_x what is computed with. Connectives stop as soon as they are decided, so that hypotheses guard what follows."""

    def __init__(self, watched: bool) -> None:
        self.watched = watched
        self.nodes: list[Any] = []  # the implications and equivalences that are watched
        self.functions: list[str] = []
        self.known: set[str] = set()
        self.depths: dict[int, tuple[Any, int]] = {}  # by the identity of a part, which is kept

    def program(self, tree: Any, names: tuple[str, ...]) -> Program:
        return self.function(self.spine(tree, names), names)

    def function(self, main: str, names: tuple[str, ...]) -> Any:
        """What a text, of a formula or a term, says of the values of the names."""
        first = [f" v_{n} = look(r_{n} := E[{n!r}])" for n in names]
        lines = ["def made(E, I, met, seen):", " look = looks()", *first, *self.functions, f" return {main}"]
        space = dict(globals()) | {"nodes": self.nodes}
        exec("\n".join(lines), space)  # the text is ours: names, numbers and Python's operators
        made: Any = space["made"]

        def run(env: Mapping[str, Any], instance: Instance, met: list[bool] | None, seen: Seen | None) -> Any:
            with ctx.workprec(BITS):
                return made(env, instance, met, seen)

        return run

    def spine(self, tree: Any, names: Names) -> str:
        """The truth, and whether the leading hypotheses are met; where that is asked, no combination is left out."""
        tag = tree[0]
        if tag == "all":
            inner = self.spine(tree[3], (*names, tree[1]))
            return self.cut(f"every(met, ({inner} for {self.offered(tree, names)}))", tree, names)
        if tag == "->":
            return self.cut(f"(not {self.left(tree, names)} or {self.spine(tree[2], names)})", tree, names)
        if tag == "&":
            return self.cut(f"({' and '.join(self.spine(part, names) for part in tree[1:])})", tree, names)
        return f"(note(met) and {self.truth(tree, names)})"

    def cut(self, text: str, tree: Any, names: Names) -> str:
        """The text, or the call of a function that has it: Python reads no more than 200 brackets in brackets."""
        if self.depth(tree) % 16:
            return text
        given = ", ".join(f"{kind}_{n}" for n in dict.fromkeys(names) for kind in "rv")
        self.functions.append(f" def part{len(self.functions)}({given}): return {text}")
        return f"part{len(self.functions) - 1}({given})"

    def depth(self, tree: Any) -> int:
        if id(tree) not in self.depths:
            found = 1 + max((self.depth(part) for part in tree if isinstance(part, tuple)), default=0)
            self.depths[id(tree)] = tree, found
        return self.depths[id(tree)][1]

    def left(self, tree: Any, names: Names) -> str:
        text = self.truth(tree[1], names)
        if not self.watched:
            return text
        self.nodes.append(tree)
        return f"told(seen, nodes[{len(self.nodes) - 1}], {text})"

    def offered(self, tree: Any, names: Names) -> str:
        key = tree[1] + ("()" if isinstance(tree[2], tuple) else "")
        env = ", ".join(f"{n!r}: r_{n}" for n in dict.fromkeys(names))
        return f"r_{tree[1]} in offered(I[{key!r}], {{{env}}}) for v_{tree[1]} in (look(r_{tree[1]}),)"

    def ranged(self, tree: Any, names: Names, inner: str) -> str:
        low, high = self.value(tree[2], names), self.value(tree[3], names)
        return f"v_{tree[1]} in span({low}, {high}){raw(inner, tree[1])}"

    def truth(self, tree: Any, names: Names) -> str:
        tag = tree[0]
        if tag in COMPARED:
            return f"{COMPARED[tag]}({self.value(tree[1], names)}, {self.value(tree[2], names)})"
        if tag in ("&", "|"):
            word = " and " if tag == "&" else " or "
            return self.cut(f"({word.join(self.truth(part, names) for part in parts(tree))})", tree, names)
        if tag == "->":
            return self.cut(f"(not {self.left(tree, names)} or {self.truth(tree[2], names)})", tree, names)
        if tag == "<->":
            return self.cut(f"({self.left(tree, names)} == {self.truth(tree[2], names)})", tree, names)
        if tag == "~":
            return f"(not {self.truth(tree[1], names)})"
        if tag in ("all in", "ex in"):
            inner = self.truth(tree[4], (*names, tree[1]))
            word = "all" if tag == "all in" else "any"
            return self.cut(f"{word}({inner} for {self.ranged(tree, names, inner)})", tree, names)
        if tag in ("all", "ex"):
            inner = self.truth(tree[3], (*names, tree[1]))
            word = "all" if tag == "all" else "any"
            return self.cut(f"{word}({inner} for {self.offered(tree, names)})", tree, names)
        if tag == "call":
            return self.defined(tree, names)
        return {"true": "True", "false": "False"}[tag]

    def defined(self, tree: Any, names: Names) -> str:
        """A definition of definitions.txt; it sees its arguments and nothing else that is bound."""
        name = tree[1]
        parameters, body = definitions()[name]
        if name not in self.known:
            self.known.add(name)
            text = (self.truth if is_formula(name) else self.value)(body, parameters)
            given = ", ".join(f"v_{p}" for p in parameters)
            first = "".join(f" r_{p} = outward(v_{p});" for p in parameters if f"r_{p}" in text)
            self.functions.append(f" def d_{name}({given}):{first} return {text}")
        return f"d_{name}({', '.join(self.argument(one, names) for one in tree[2])})"

    def argument(self, tree: Any, names: Names) -> str:
        if tree[0] == "lambda":
            given = ", ".join(f"v_{p}" for p in tree[1])
            inner = self.value(tree[2], (*names, *tree[1]))
            loops = "".join(raw(inner, p) for p in tree[1])
            return f"(lambda {given}: next({inner}{loops}))" if loops else f"(lambda {given}: {inner})"
        return self.value(tree, names)

    def value(self, tree: Any, names: Names) -> str:
        """A term. Division by zero is an error: a statement must guard it."""
        tag = tree[0]
        if tag == "num":
            return str(tree[1]) if tree[2] == 1 else f"number({tree[1]}, {tree[2]})"
        if tag == "name":
            if tree[1] in names:
                return f"v_{tree[1]}"
            return {"pi": "arb.pi()"}[tree[1]]
        if tag == "neg":
            return f"(-{self.value(tree[1], names)})"
        if tag in ("+", "-", "*"):
            return self.cut(f"({self.value(tree[1], names)} {tag} {self.value(tree[2], names)})", tree, names)
        if tag in ("/", "^"):
            act = "divide" if tag == "/" else "power"
            return self.cut(f"{act}({self.value(tree[1], names)}, {self.value(tree[2], names)})", tree, names)
        if tag == "ind":
            return self.cut(f"(1 if {self.truth(tree[1], names)} else 0)", tree, names)
        if tag == "if":
            yes, no = self.value(tree[2], names), self.value(tree[3], names)
            return self.cut(f"({yes} if {self.truth(tree[1], names)} else {no})", tree, names)
        if tag in ("sum", "prod"):
            inner = self.value(tree[4], (*names, tree[1]))
            return self.cut(f"{SUMMED[tag]}({inner} for {self.ranged(tree, names, inner)})", tree, names)
        assert tag == "call", tag
        name, given = tree[1], tree[2]
        if name not in names and name in definitions():
            return self.cut(self.defined(tree, names), tree, names)
        inner = ", ".join(self.value(one, names) for one in given)
        return self.cut(f"v_{name}({inner})" if name in names else f"{PLAIN[name]}({inner})", tree, names)


def raw(inner: str, name: str) -> str:
    """A loop that binds what an instance is told of a name, where it is told."""
    return f" for r_{name} in (outward(v_{name}),)" if f"r_{name}" in inner else ""


def parts(tree: Any) -> Iterable[Any]:
    """The members of a conjunction or disjunction, however they are bracketed."""
    for part in tree[1:]:
        yield from parts(part) if part[0] == tree[0] else (part,)


def is_formula(name: str) -> bool:
    """Whether a definition is one of formulas, not of terms."""
    body = definitions()[name][1]
    return body[0] in FORMULAS or (body[0] == "call" and body[1] in definitions() and is_formula(body[1]))


SUMMED = {"sum": "sum", "prod": "prod_"}
COMPARED = {"=": "equal", "<=": "at_most", "<": "less"}
FORMULAS = {*COMPARED, "&", "|", "->", "<->", "~", "all in", "ex in", "all", "ex", "true", "false"}
PLAIN = {
    **{name: f"{name}_" for name in ("exp", "log", "sqrt", "erf", "sin", "cos", "tanh", "relu", "min", "max")},
    "abs": "abs",
    "pow": "power",
}

# --- What the written functions call ----------------------------------------------------------------------------------
# Numbers are integers, rationals of flint, and its balls of 240 bits, of which the midpoint is looked at: what is
# decided of them is decided up to SLACK.

number = cache(fmpq)
EXACT = (int, fmpq)


def inward(a: Any) -> Any:
    """A number of an instance or a claim, as it is computed with."""
    if isinstance(a, int):
        return int(a)
    if isinstance(a, Fraction):
        return a.numerator if a.denominator == 1 else fmpq(a.numerator, a.denominator)
    if hasattr(a, "_mpf_"):
        sign, mantissa, exponent, _ = a._mpf_
        return arb((-mantissa if sign else mantissa, exponent))
    return a


def outward(a: Any) -> Any:
    """The other way, for what an instance or a claim computes."""
    if type(a) is int:
        return Fraction(a)
    if isinstance(a, fmpq):
        return Fraction(int(a.p), int(a.q))
    if isinstance(a, arb):
        mantissa, exponent = a.mid().man_exp()
        return CONTEXT.ldexp(CONTEXT.mpf(int(mantissa)), int(exponent))
    if not callable(a):
        return a

    def function(*at: Any) -> Any:
        return outward(a(*map(inward, at)))

    function.inside = a  # type: ignore[attr-defined]
    return function


def looks() -> Callable[[Any], Any]:
    """How what an instance offers is computed with: a number, or a function of numbers, asked once at a place."""
    functions: dict[int, tuple[Any, Any]] = {}  # by the identity of what is given, which is kept: none is made twice

    def look(given: Any) -> Any:
        if type(given) is int:
            return given
        if id(given) not in functions:
            if not callable(given) and not hasattr(given, "__getitem__"):
                return inward(given)
            functions[id(given)] = given, getattr(given, "inside", None) or looked(given)
        return functions[id(given)][1]

    return look


def looked(given: Any) -> Any:
    """A function that an instance offers, of the numbers that are computed with."""
    known: dict[tuple[Any, ...], Any] = {}

    def function(*at: Any) -> Any:
        for a in at:
            if type(a) is not int:
                at = tuple(map(outward, at))
                break
        if at not in known:
            asked = given(*map(outward, at)) if callable(given) else given[at[0] if len(at) == 1 else at]
            known[at] = inward(asked)
        return known[at]

    return function


def offered(values: Any, env: dict[str, Any]) -> Iterable[Any]:
    if callable(values):
        made: Any = values(env)
        return made
    return values if isinstance(values, list) else [values]


def every(met: list[bool] | None, found: Iterable[bool]) -> bool:
    return all(found) if met is None else all(list(found))


def note(met: list[bool] | None) -> bool:
    if met is not None:
        met[0] = True
    return True


def told(seen: Seen, tree: Any, left: bool) -> bool:
    seen(tree, left)
    return left


def whole(a: Any) -> int:
    if type(a) is not int:
        assert a.q == 1, a
        a = int(a.p)
    return a


def span(low: Any, high: Any) -> range:
    return range(whole(low), whole(high) + 1)


def real(a: Any) -> Any:
    """A Fraction as a 60-digit number."""
    return CONTEXT.mpf(a.numerator) / a.denominator if isinstance(a, Fraction) else a


def apart(a: Any, b: Any) -> tuple[Any, Any]:
    """(the difference, the slack that a comparison has): no slack between exact numbers."""
    difference = a - b
    if not isinstance(difference, arb):
        return difference, 0
    if not difference.is_finite():
        raise ValueError("a number that is none")
    return difference.mid(), BALL_SLACK * (1 + abs(a) + abs(b)).mid()


def equal(a: Any, b: Any) -> bool:
    if isinstance(a, EXACT) and isinstance(b, EXACT):
        return bool(a == b)
    difference, slack = apart(a, b)
    return bool(abs(difference) <= slack)


def at_most(a: Any, b: Any) -> bool:
    if isinstance(a, EXACT) and isinstance(b, EXACT):
        return bool(a <= b)
    difference, slack = apart(a, b)
    return bool(difference <= slack)


def less(a: Any, b: Any) -> bool:
    if isinstance(a, EXACT) and isinstance(b, EXACT):
        return bool(a < b)
    return bool(apart(a, b)[0] < 0)


def divide(a: Any, b: Any) -> Any:
    if isinstance(b, int):
        b = fmpq(b)
    if (b.mid() if isinstance(b, arb) else b) == 0:
        raise ZeroDivisionError
    return a / b


def power(a: Any, b: Any) -> Any:
    """`b` is a whole number; the power of an exact number stays exact."""
    return (fmpq(a) if isinstance(a, int) else a) ** whole(b)


def prod_(terms: Iterable[Any]) -> Any:
    return functools.reduce(operator.mul, terms, 1)


def max_(a: Any, b: Any) -> Any:
    return b if less(a, b) else a


def min_(a: Any, b: Any) -> Any:
    return a if less(a, b) else b


def relu_(x: Any) -> Any:
    return max_(x, 0)


def irrational(name: str) -> Callable[[Any], Any]:
    def apply(x: Any) -> Any:
        found = getattr(arb(x).mid(), name)()
        if not found.is_finite():
            raise ValueError(f"{name}({x})")
        return found

    return apply


exp_, log_, sqrt_, erf_, sin_, cos_, tanh_ = map(irrational, ("exp", "log", "sqrt", "erf", "sin", "cos", "tanh"))
