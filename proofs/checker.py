#!/usr/bin/env python3
"""A second checker for the proofs of symcook: one file, Python 3.11 or newer, nothing but the standard library.

    python checker.py STATEMENTS PROOF...

STATEMENTS is a file of statements (proofs/expanded.txt), a PROOF is a certificate (JSON) or a folder of them. One line
is printed for each certificate: PROVED, REFUTED (its negation is proved), skipped, or rejected and why. The exit status
is 0 when nothing was rejected, 1 otherwise, 2 for wrong usage. Nothing is searched here. The file shares no code with
symcook: both must agree on the hash of every statement and on every proof.

STATEMENTS. Blocks separated by blank lines; ``#`` begins a comment line, an indented line goes on with the one before.
A first block of ``define:`` lines holds definitions for all. The others begin with ``[id]`` and have the keys
``statement``, ``nontrivial``, ``define``, ``claim`` (yes or no), ``corrects``, ``note``, ``model`` (the hash of one,
which the certificate must have too). The text of a statement:

    formula   F <-> F   F -> F   F | F   F & F   ~F   (weakest first; these group to the right)
              t = t   != <= < >= >   (chains: a <= b < c)   true   false
              all x:Real, n:Int. F     ex f:Int->Real. F     all j in lo..hi. F     (ex as well)
    term      t + t   t - t   t * t   t / t   -t   t ^ 3   numerals such as 2 and 0.5
              f(t, ...)   sum(j, lo, hi, t)   prod(j, lo, hi, t)   I[F] (1 if F, else 0)   if(F, t, t)   pi
              relu abs min max exp log sqrt erf sin cos pow(t, n) tanh sinh cosh
    sort      Int   Real   Int*Real->Real (arguments and result; Int is a part of Real)

``define: name(a, b) := body`` is expanded where ``name(...)`` is read; an argument may be a function, ``j. t``. The
body uses every argument, and what a function ``j. t`` drops is a number that is always defined (its D is true). No
name is bound twice, none is a definition or a reserved word. Sorts are checked: the bounds of sum and prod, the
exponent of pow and the arguments of an Int function are of sort Int. The hash of a statement is the sha256 of its tree,
in which a bound variable is the number of binders between it and its own (see `Term.text`), as JSON without spaces.

MEANING. All functions are total: 1/0 is 0, and sqrt, log and pow of wrong arguments are some number. So a claim needs
three proofs: of S, of D(S) (everything in S is defined where it is met, see `defined`), of H(S) (the hypotheses of S
can be met, nontrivially, see `inhabited`). A refutation is a proof of R(S): S is false at some values where everything
in it is defined (see `refutation`). Statements with ``claim: no`` are lemmas. Ids ``named.X`` and ``oracle.X`` are
assumptions; whatever rests on them says so, and on one that is refuted nothing may rest.

A CERTIFICATE is {"grammar": 1, "id", "statement": hash, "lemmas": {id: hash}, "sense": "proved" or "refuted", "proof",
and for claims "defined", "inhabited"}; or {"grammar", "id", "statement", "check"}, a computation that is skipped here.

A PROOF is a list of nodes, objects with "by" and the keys below (in brackets: may be left out). The state is a goal,
facts with labels, and names with sorts. The last node closes the goal, all others change the state. AS is a label, or a
list of labels that takes a conjunction apart. Labels and names are new. Facts pass to the proofs inside, never back.
A fact is a label, ``ax:NAME`` (the table AXIOMS), ``lem:ID``, ``named:NAME``, ``oracle:NAME``.

    intro as:[..]                 all: a name; F -> G: AS for F; ~F: AS for F, then the goal is false
    pick side                     of a goal F | G: left or right
    witness term                  for a goal ex x. F
    obtain fact name as           from a fact ex x. F
    contra as                     assume the negation of the goal; the goal becomes false
    have show proof as            prove a formula, then use it
    use fact with:[..] as         each all takes a term (or function); each premise "#label", "!" (true by computation)
                                  or a proof; what is left becomes a fact
    ind of as                     (F & I[F] = 1) | (~F & I[F] = 0)
    rewrite eq [rev] [in as]      replace one side of an equation by the other, in the goal or in a fact
    split proofs                  one for each part of a goal F & G & ...
    hyp of                        the goal is a fact
    true                          the goal is true by computation
    absurd of [not]               a fact is false by computation, or two contradict each other
    cases fact as:[..] proofs     one for each part of a fact F | G | ...
    em formula as:[..] proofs     F, and the negation of F (of a <= b: b < a)
    antisym left right            a = b from a <= b and b <= a
    induct name ge as base step   the goal is all k:Int. a <= k -> P(k): prove P(a); from a <= k and P(k), P(k + 1)
    pos [sum] [eq]                the goal is a <= b, a < b, a = b or false (0 < 0), and b - a is, as a normal form, the
                                  sum of c * (product of b' - a' of facts a' <= b') * sq^2 over {"c", "of", ["sq"]} in
                                  sum (c a positive rational) and of multiplier * (b' - a') over [multiplier, label] of
                                  equations in eq. An equation uses no sum. A strict goal needs a summand whose facts
                                  are all strict and that has no sq.
    interval on:[..] prec         the goal is a < b or a <= b, and an enclosure of b - a is positive (not negative) over
                                  the box that the facts in on, numeric bounds on names, describe

"By computation", "the goal is a fact" and "normal form" mean what the class `Normal` computes, and no more.
"""

from __future__ import annotations

import gc
import hashlib
import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property, lru_cache, reduce
from itertools import count
from pathlib import Path
from typing import Any, NoReturn

MAX_TEXT = 2_000_000  # characters of a statement or a text in a proof
MAX_FILE = 16_000_000  # bytes of a file
MAX_DIGITS = 4_000  # of a numeral
MAX_EXPONENT = 1_000  # written after ^
MAX_EXPANSION = 200_000  # steps of expanding definitions
MAX_SIZE = 60_000  # symbols of a formula
MAX_DEPTH = 460  # nested symbols of a formula
MAX_NESTING = 400  # nested brackets of a certificate
MAX_NODES = 200_000  # of a proof
MAX_MONOMIALS = 4_000  # of a normal form
MAX_FACTORS = 1_000_000  # monomials times factors
MAX_POWER = 4_096
MAX_RANGE = 4_096  # terms of a sum that is written out
MAX_BITS = 200_000  # of a number in a normal form
MAX_STORED = 600_000  # monomials and keys that are kept during a proof
MAX_MAGNITUDE = 40_000  # of the binary exponent of a number in an enclosure
SECONDS = 120  # for a proof
RECURSION = 8_000  # Python frames: more than the limits above ask for


class Rejected(Exception):
    """What is not accepted, and why."""


def need(condition: bool, why: str) -> None:
    if not condition:
        raise Rejected(why)


class Clock:
    """The time that is left; `spend` is called everywhere with an estimate of the work done."""

    deadline = math.inf
    work = 0

    @classmethod
    def start(cls, seconds: float) -> None:
        cls.deadline, cls.work = time.monotonic() + seconds, 0

    @classmethod
    def spend(cls, work: int) -> None:
        cls.work += work
        if cls.work > 5_000:
            cls.work = 0
            need(time.monotonic() < cls.deadline, "the time is over")


# --- Terms -----------------------------------------------------------------------------------------------------------

COMPARISONS = ("=", "<=", "<")
FUNCTIONS = {
    "relu": 1, "abs": 1, "min": 2, "max": 2, "exp": 1, "log": 1, "sqrt": 1, "erf": 1, "sin": 1, "cos": 1, "pow": 2,
    "pi": 0,
}  # fmt: skip
WHOLE = frozenset({"+", "-", "*", "neg", "^", "relu", "abs", "min", "max"})  # of sort Int where the arguments are
NUMBERS = ("Int", "Real")
FORMULAS = frozenset({"~", "&", "|", "->", "true", "false", "all", "ex"})
BINDERS = frozenset({"all", "ex", "sum", "prod", "lam"})


class Term:
    """A term, formula or function; well-sorted and within the limits, since `Term(...)` raises Rejected otherwise.

        op                         data              kids
        num                        (p, q)            ()             lowest terms, q >= 1
        var                        (name, sort)      ()             a name of the scope
        bound                      (index, sort)     ()             bound by the binder `index` levels further out
        app                        None              (f, t, ...)    f: a var or bound
        + - * / neg, fn, ^         None, name, k     terms
        sum prod                   None              (lo, hi, t)    t is under one binder
        ind, ~ & | -> true false   None              formulas
        = <= <                     None              (t, t)
        all ex                     sort              (F,)           F is under one binder
        lam                        sorts             (t,)           t is under several; its i-th variable has index i

    A sort is Int, Real, Bool or ("fun", argument sorts, result). `loose` is 1 + the greatest index that points out of
    the term, 0 where none does.
    """

    __slots__ = ("data", "depth", "hash", "kids", "loose", "op", "size", "sort")

    def __init__(self, op: str, data: Any = None, *kids: Term) -> None:
        self.op, self.data, self.kids = op, data, kids
        size, depth, loose = 1, 0, 0
        for k in kids:
            size += k.size
            if k.depth > depth:
                depth = k.depth
            if k.loose > loose:
                loose = k.loose
        if op == "bound":
            loose = data[0] + 1
        elif loose and op in BINDERS:
            loose = max(0, *(k.loose - self.binds(place) for place, k in enumerate(kids)))
        if size > MAX_SIZE or depth >= MAX_DEPTH:
            raise Rejected("a formula is too large or too deep")
        self.size, self.depth, self.loose = size, depth + 1, loose
        self.hash = hash((op, data, kids))
        if op in ("var", "bound"):
            self.sort = data[1]
        elif op == "num":
            self.sort = "Int" if data[1] == 1 else "Real"
        else:
            self.sort = sort_of(op, data if op in ("fn", "lam") else None, tuple([k.sort for k in kids]))
        Clock.work += 1
        if Clock.work > 5_000:
            Clock.spend(0)

    def binds(self, place: int) -> int:
        """How many variables are bound over the kid at `place`."""
        if self.op in ("all", "ex"):
            return 1
        if self.op in ("sum", "prod"):
            return 1 if place == 2 else 0
        return len(self.data) if self.op == "lam" else 0

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Term) or self.hash != other.hash:
            return False
        return self.op == other.op and self.data == other.data and self.kids == other.kids

    def text(self) -> str:
        """The term as JSON, nested lists of op, data and kids: what the hash of a statement is computed from."""
        return f'["{self.op}",{json_text(self.data)},[{",".join([k.text() for k in self.kids])}]]'


@lru_cache(10_000)
def json_text(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"))


@lru_cache(10_000)
def sort_of(op: str, data: Any, sorts: tuple[Any, ...]) -> Any:
    """The sort of a term from those of its kids; Rejected where they do not fit."""
    if op in FORMULAS:
        need(all(s == "Bool" for s in sorts), f"'{op}' needs formulas")
        return "Bool"
    if op == "ind":
        need(sorts == ("Bool",), "I[...] needs a formula")
        return "Int"
    if op == "app":
        head, *given = sorts
        need(isinstance(head, tuple) and len(head[1]) == len(given), "a function has the wrong arguments")
        need(all(map(fits, given, head[1])), "an argument has the wrong sort")
        return head[2]
    need(all(s in NUMBERS for s in sorts), f"'{op}' needs numbers")
    if op == "lam":
        return ("fun", data, sorts[0])
    if op in COMPARISONS:
        return "Bool"
    if op in ("sum", "prod"):
        need(sorts[:2] == ("Int", "Int"), f"the bounds of {op} must be of sort Int")
        return sorts[2]
    name = data if op == "fn" else op
    need(name != "pow" or sorts[1] == "Int", "the exponent of pow must be of sort Int")
    return "Int" if name in WHOLE and "Real" not in sorts else "Real"


def fits(given: Any, wanted: Any) -> bool:
    """Whether a value of sort `given` may stand where `wanted` is asked for."""
    if given == wanted or (given == "Int" and wanted == "Real"):
        return True
    if not isinstance(given, tuple) or not isinstance(wanted, tuple) or len(given[1]) != len(wanted[1]):
        return False
    return fits(given[2], wanted[2]) and all(fits(w, g) for g, w in zip(given[1], wanted[1], strict=True))


@lru_cache(10_000)
def number(p: int, q: int = 1) -> Term:
    return Term("num", (p, q))


@lru_cache(10_000)
def variable(name: str, sort: Any) -> Term:
    return Term("var", (name, sort))


@lru_cache(10_000)
def bound(index: int, sort: Any) -> Term:
    return Term("bound", (index, sort))


TRUE, FALSE = Term("true"), Term("false")


def digest(formula: Term) -> str:
    return hashlib.sha256(formula.text().encode()).hexdigest()


def rebuild(t: Term, leaf: Callable[[int, Any, int], Term], depth: int, memo: dict[Any, Term]) -> Term:
    """`t`, some index of which points further out than `depth`, with each of these replaced by what
    `leaf(index, sort, binders around it)` gives."""
    if t.op == "bound":
        index, sort = t.data
        return leaf(index, sort, depth)
    place = (id(t), depth)
    if place not in memo:
        around = [depth + t.binds(n) for n in range(len(t.kids))] if t.op in BINDERS else [depth] * len(t.kids)
        kids = [k if k.loose <= d else rebuild(k, leaf, d, memo) for k, d in zip(t.kids, around, strict=True)]
        if kids[0].op == "lam":  # a function has been put in the place of f in f(...)
            memo[place] = substitute(kids[0].kids[0], kids[1:])
        else:
            memo[place] = Term(t.op, t.data, *kids)
    return memo[place]


def shift(t: Term, by: int) -> Term:
    """`t`, whose loose indices count from a place with `by` more binders around it than before."""
    if not by or not t.loose:
        return t
    return rebuild(t, lambda index, sort, _: bound(index + by, sort), 0, {})


def substitute(body: Term, values: Sequence[Term]) -> Term:
    """The body of a binder with its variables replaced by `values`."""

    def leaf(index: int, sort: Any, depth: int) -> Term:
        if index - depth < len(values):
            return shift(values[index - depth], depth)
        return bound(index - len(values), sort)

    return rebuild(body, leaf, 0, {}) if body.loose and values else body


def replace(t: Term, old: Term, new: Term) -> Term:
    """`t` with each part equal to `old` replaced, a number as `new` is; neither has loose indices."""
    if t == old:
        return new
    if t.size <= old.size:
        return t
    Clock.spend(1)
    kids = [replace(k, old, new) for k in t.kids]
    return t if all(a is b for a, b in zip(kids, t.kids, strict=True)) else Term(t.op, t.data, *kids)


class Opened:
    """A formula without its first quantifiers. `values` stand for their variables, the innermost first; they are put
    in where the formula is asked for, so that a chain of quantifiers is opened in one pass, and what is not used is
    not opened. No formula is put in, so connectives are seen before."""

    __slots__ = ("body", "put", "values")

    def __init__(self, body: Term, values: Sequence[Term] = ()) -> None:
        self.body, self.values, self.put = body, values, None if values else body

    def open(self, value: Term) -> Opened:
        """The next variable is `value`."""
        return Opened(self.body.kids[0], (value, *self.values))

    def parts(self, op: str | None = None) -> list[Opened]:
        """The formulas that this one is made of; with `op`, those of nested & (or |), from left to right."""
        found = self.body.kids if op is None else parts(op, self.body)
        return [Opened(part, self.values) for part in found]

    def formula(self) -> Term:
        if self.put is None:
            self.put = substitute(self.body, self.values)
        return self.put


def opened(f: Term | Opened) -> Opened:
    return f if isinstance(f, Opened) else Opened(f)


def parts(op: str, t: Term) -> list[Term]:
    """The parts of nested & (or |), from left to right."""
    return [x for k in t.kids for x in parts(op, k)] if t.op == op else [t]


def negation(f: Term) -> Term:
    if f.op in ("<=", "<"):
        return Term("<" if f.op == "<=" else "<=", None, f.kids[1], f.kids[0])
    return f.kids[0] if f.op == "~" else Term("~", None, f)


# --- Reading ---------------------------------------------------------------------------------------------------------

BUILTIN = {**FUNCTIONS, **dict.fromkeys(("sinh", "cosh", "tanh"), 1)}
WORDS = frozenset({"all", "ex", "in", "sum", "prod", "if", "I", "true", "false", "Int", "Real"})
RESERVED = WORDS | frozenset(BUILTIN)
TOKEN = re.compile(
    r"\s*(?:(?P<number>[0-9]+(?:\.[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<sign><->|->|<=|>=|!=|\.\.|[-+*/^()\[\],.:~&|<>=])|(?P<end>\Z))",
    re.ASCII,
)
CONNECTIVES = {"<->": 0, "->": 1, "|": 2, "&": 3}
RELATIONS = ("=", "!=", "<=", "<", ">=", ">")


class Parser:
    """Text to a syntax tree: tuples of a kind and its parts. Sorts and names are looked at later, by `Reader`.

    Kinds: num (p, q), name (s), call (s, arguments), lam (names, body), op (sign, left, right), neg, ~, sum and prod
    (j, lo, hi, body), ind (F), if (F, a, b), all and ex (x, sort, F), "all in" and "ex in" (j, lo, hi, F), true, false.
    """

    def __init__(self, text: str) -> None:
        need(len(text) <= MAX_TEXT, "a text is too long")
        self.tokens: list[tuple[str, str]] = []
        at = 0
        while not self.tokens or self.tokens[-1][0] != "end":
            found = TOKEN.match(text, at)
            if found is None or found.lastgroup is None:
                raise Rejected(f"a character outside the grammar near '{text[at : at + 20]}'")
            self.tokens.append((found.lastgroup, found.group(found.lastgroup)))
            at = found.end()
        self.place, self.ahead = 0, self.tokens[0][1]

    def fail(self, wanted: str) -> NoReturn:
        shown = " ".join(text for _, text in self.tokens[self.place : self.place + 8])
        raise Rejected(f"{wanted} must stand before '{shown[:60]}'")

    def take(self, wanted: str = "") -> str:
        text = self.ahead
        if wanted and text != wanted:
            self.fail(f"'{wanted}'")
        self.place += 1
        self.ahead = self.tokens[self.place][1]
        return text

    def whole(self, rule: Callable[[], Any]) -> Any:
        """What `rule` reads, if nothing is left behind it."""
        tree = rule()
        if self.tokens[self.place][0] != "end":
            self.fail("the end")
        return tree

    def formula(self, level: int = 0) -> Any:
        """The connectives from `level` on, each grouping to the right; also any term, for sorts come later."""
        left = self.denial()
        while self.ahead in CONNECTIVES and CONNECTIVES[self.ahead] >= level:
            sign = self.take()
            left = ("op", sign, left, self.formula(CONNECTIVES[sign]))
        return left

    def denial(self) -> Any:
        if self.ahead != "~":
            return self.comparison()
        self.take()
        return ("~", self.denial())

    def comparison(self) -> Any:
        left = self.sum()
        whole: Any = None
        while self.ahead in RELATIONS:
            sign, right = self.take(), self.sum()
            if sign == "!=":
                one: Any = ("~", ("op", "=", left, right))
            elif sign in (">", ">="):
                one = ("op", sign.replace(">", "<"), right, left)
            else:
                one = ("op", sign, left, right)
            whole = one if whole is None else ("op", "&", whole, one)
            left = right
        return left if whole is None else whole

    def sum(self) -> Any:
        left = self.product()
        while self.ahead in ("+", "-"):
            left = ("op", self.take(), left, self.product())
        return left

    def product(self) -> Any:
        if self.ahead == "-":  # -a*b is -(a*b)
            self.take()
            return ("neg", self.product())
        left = self.power()
        while self.ahead in ("*", "/"):
            left = ("op", self.take(), left, self.factor(self.power))
        return left

    def factor(self, rule: Callable[[], Any]) -> Any:
        """A factor or an exponent, which may have a sign."""
        if self.ahead != "-":
            return rule()
        self.take()
        return ("neg", self.factor(rule))

    def power(self) -> Any:
        base = self.atom()
        if self.ahead != "^":
            return base
        return ("op", self.take(), base, self.factor(self.power))

    def atom(self) -> Any:
        kind, text = self.tokens[self.place]
        if kind == "number":
            need(len(text) <= MAX_DIGITS, "a numeral is too long")
            value = Fraction(self.take())
            return ("num", value.numerator, value.denominator)
        if text == "(":
            return self.between("(", ")")
        if kind != "name":
            self.fail("a term or a formula")
        self.take()
        if text in ("true", "false"):
            return (text,)
        if text in ("all", "ex"):
            return self.quantifier(text)
        if text == "I":
            return ("ind", self.between("[", "]"))
        if text in ("sum", "prod"):
            self.take("(")
            return (text, self.variable(), *self.more(3))
        if text == "if":
            self.take("(")
            return ("if", self.formula(), *self.more(2))
        if text in WORDS:
            self.fail(f"something else than '{text}'")
        if self.ahead != "(":
            return ("name", text)
        self.take()
        arguments = [self.argument()]
        while self.ahead == ",":
            self.take()
            arguments.append(self.argument())
        self.take(")")
        if text in ("min", "max") and len(arguments) > 2:
            first, *others = arguments
            for other in others:
                first = ("call", text, (first, other))
            return first
        return ("call", text, tuple(arguments))

    def between(self, left: str, right: str) -> Any:
        self.take(left)
        inner = self.formula()
        self.take(right)
        return inner

    def more(self, count: int) -> list[Any]:
        """That many further arguments, each after a comma, and the bracket."""
        out = []
        for _ in range(count):
            self.take(",")
            out.append(self.formula())
        self.take(")")
        return out

    def argument(self) -> Any:
        """A term, a formula, or a function: names, a dot and a body."""
        ahead = self.place
        while self.tokens[ahead][0] == "name":
            ahead += 1
        if ahead == self.place or self.tokens[ahead][1] != ".":
            return self.formula()
        names = tuple([self.variable() for _ in range(ahead - self.place)])
        self.take(".")
        return ("lam", names, self.formula())

    def variable(self) -> str:
        kind, text = self.tokens[self.place]
        if kind != "name" or text in RESERVED:
            self.fail("a variable")
        return self.take()

    def quantifier(self, kind: str) -> Any:
        groups: list[tuple[Any, ...]] = []
        while not groups or self.ahead == ",":
            if groups:
                self.take()
            names = [self.variable()]
            if self.ahead == "in":
                self.take()
                low = self.sum()
                self.take("..")
                groups.append((f"{kind} in", names[0], low, self.sum()))
                continue
            while self.ahead != ":":
                names.append(self.variable())
            self.take()
            sort = self.sort()
            groups += [(kind, name, sort) for name in names]
        self.take(".")
        body = self.formula()
        for group in reversed(groups):
            body = (*group, body)
        return body

    def sort(self) -> Any:
        arguments = [self.number_sort()]
        while self.ahead == "*":
            self.take()
            arguments.append(self.number_sort())
        if self.ahead == "->":
            self.take()
            return ("fun", tuple(arguments), self.number_sort())
        if len(arguments) > 1:
            self.fail("'->'")
        return arguments[0]

    def number_sort(self) -> str:
        if self.ahead not in NUMBERS:
            self.fail("a sort")
        return self.take()


class Definition:
    """``name(params) := body``; the body may use the definitions `known`."""

    def __init__(self, text: str, known: dict[str, Definition]) -> None:
        found = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*(?:\(([\w\s,]*)\))?\s*:=(.*)", text, re.ASCII | re.DOTALL)
        if found is None:
            raise Rejected("a definition reads 'name(arguments) := body'")
        self.name, self.known = found[1], dict(known)
        self.params = [p.strip() for p in found[2].split(",")] if found[2] else []
        names = [self.name, *self.params]
        for n in names:
            need(re.fullmatch(r"[A-Za-z_]\w*", n, re.ASCII) is not None and n not in RESERVED, f"'{n}' is not a name")
            need(n not in known, f"'{n}' is defined already")
        need(len(set(names)) == len(names), "a definition names something twice")
        parser = Parser(found[3])
        self.body = parser.whole(parser.argument)
        need(all(occurs(p, self.body) for p in self.params), "a definition does not use one of its arguments")


class Function:
    """A function ``j. t`` that waits for its arguments; `meaning` gives the names that t may use."""

    def __init__(self, names: Sequence[str], body: Any, meaning: dict[str, Any], known: dict[str, Definition]) -> None:
        self.names, self.body, self.meaning, self.known = names, body, meaning, known


class Reader:
    """Syntax trees to terms. `meaning` maps a name to a Function, or to a term and the number of binders around the
    place where the term was read; used under more binders, it is shifted."""

    def __init__(self, scope: dict[str, Any], known: dict[str, Definition]) -> None:
        self.known = known
        self.meaning: dict[str, Any] = {name: (variable(name, sort), 0) for name, sort in scope.items()}
        self.steps = 0  # in the present text

    def formula(self, text: str, leading: Sequence[tuple[str, Any]] = ()) -> Term:
        """The formula written in `text`, under binders of the names `leading` (the outermost first)."""
        self.steps, parser = 0, Parser(text)
        meaning = dict(self.meaning)
        for depth, (name, sort) in enumerate(leading):
            self.new(name, meaning, self.known)
            meaning[name] = (bound(0, sort), depth + 1)
        out = self.term(parser.whole(parser.formula), meaning, self.known, len(leading))
        need(out.sort == "Bool", "a formula must stand here")
        return out

    def value(self, text: str, sort: Any) -> Term:
        """The term, or function, of sort `sort` that is written in `text`."""
        self.steps, parser = 0, Parser(text)
        out = self.argument(parser.whole(parser.argument), self.meaning, self.known, 0)
        if isinstance(out, Function):
            need(isinstance(sort, tuple) and len(sort[1]) == len(out.names), "a function does not fit here")
            many = len(out.names)
            values = [(bound(i, s), many) for i, s in enumerate(sort[1])]
            value = Term("lam", sort[1], self.call(out, values, many))
        else:
            value = out[0]
        need(fits(value.sort, sort), "a value has the wrong sort")
        return value

    def new(self, name: str, meaning: dict[str, Any], known: dict[str, Definition]) -> None:
        if name in meaning or name in self.known or name in known or name in RESERVED:
            raise Rejected(f"the name '{name}' is bound twice")

    def under(self, name: str, sort: Any, body: Any, meaning: Any, known: Any, depth: int) -> Term:
        """A body read under one more binder."""
        self.new(name, meaning, known)
        inner = {**meaning, name: (bound(0, sort), depth + 1)}
        return self.term(body, inner, known, depth + 1)

    def term(self, tree: Any, meaning: dict[str, Any], known: dict[str, Definition], depth: int) -> Term:
        """The term or formula of a syntax tree, with `depth` binders around it."""
        self.steps += 1
        if self.steps > MAX_EXPANSION:
            raise Rejected("definitions expand to too much")
        kind = tree[0]
        if kind == "num":
            return number(tree[1], tree[2])
        if kind in ("true", "false"):
            return Term(kind)
        if kind in ("name", "call", "lam"):
            out = self.argument(tree, meaning, known, depth)
            if isinstance(out, Function):
                raise Rejected("a function stands where a number or a formula must stand")
            need(kind == "call" or out[0].sort != "Bool", "a formula stands where a number must stand")
            return shift(out[0], depth - out[1])
        if kind == "neg" and tree[1][0] == "num":
            return number(-tree[1][1], tree[1][2])
        if kind in ("all", "ex"):
            return Term(kind, tree[2], self.under(tree[1], tree[2], tree[3], meaning, known, depth))
        if kind in ("sum", "prod"):
            ends = [self.term(t, meaning, known, depth) for t in tree[2:4]]
            return Term(kind, None, *ends, self.under(tree[1], "Int", tree[4], meaning, known, depth))
        if kind in ("all in", "ex in"):  # all j in a..b. F is all j:Int. a <= j & j <= b -> F
            low, high = (shift(self.term(t, meaning, known, depth), 1) for t in tree[2:4])
            between = interval_of(low, high)
            body = self.under(tree[1], "Int", tree[4], meaning, known, depth)
            return Term(kind[:-3], "Int", Term("->" if kind == "all in" else "&", None, between, body))
        if kind == "op" and tree[1] == "^":
            return self.power(tree[2], tree[3], meaning, known, depth)
        kids = [self.term(t, meaning, known, depth) for t in tree[2 if kind == "op" else 1 :]]
        if kind == "if":  # I[F]*a + (1 - I[F])*b
            test = Term("ind", None, kids[0])
            other = Term("*", None, Term("-", None, number(1), test), kids[2])
            return Term("+", None, Term("*", None, test, kids[1]), other)
        if kind == "op" and tree[1] == "<->":
            return Term("&", None, Term("->", None, *kids), Term("->", None, *reversed(kids)))
        return Term(tree[1] if kind == "op" else kind, None, *kids)

    def power(self, base: Any, exponent: Any, meaning: Any, known: Any, depth: int) -> Term:
        negative = exponent[0] == "neg"
        kind, *value = exponent[1] if negative else exponent
        need(kind == "num" and value[1] == 1 and value[0] <= MAX_EXPONENT, "an exponent after ^ is a small integer")
        out = Term("^", value[0], self.term(base, meaning, known, depth))
        return Term("/", None, number(1), out) if negative else out

    def argument(self, tree: Any, meaning: dict[str, Any], known: dict[str, Definition], depth: int) -> Any:
        """What an argument means: a Function, or a term and the number of binders around it."""
        if tree[0] == "lam":
            for name in tree[1]:
                self.new(name, meaning, known)
            need(len(set(tree[1])) == len(tree[1]), "a name is bound twice")
            return Function(tree[1], tree[2], meaning, known)
        if tree[0] not in ("name", "call"):
            return (self.term(tree, meaning, known, depth), depth)
        name, given = tree[1], tree[2] if tree[0] == "call" else ()
        if name in meaning:
            head = meaning[name]
            if not given:
                return head
            if isinstance(head, Function):
                return (self.call(head, [self.argument(a, meaning, known, depth) for a in given], depth), depth)
            need(head[0].op in ("var", "bound"), f"'{name}' is not a function")
            values = [self.term(a, meaning, known, depth) for a in given]
            return (Term("app", None, shift(head[0], depth - head[1]), *values), depth)
        if name in known:
            made = known[name]
            need(len(made.params) == len(given), f"'{name}' takes {len(made.params)} arguments")
            values = [self.argument(a, meaning, known, depth) for a in given]
            self.steps += 1
            need(self.steps <= MAX_EXPANSION, "definitions expand to too much")
            return self.argument(made.body, dict(zip(made.params, values, strict=True)), made.known, depth)
        need(BUILTIN.get(name) == len(given), f"'{name}' is unknown here, or takes other arguments")
        values = [self.term(a, meaning, known, depth) for a in given]
        if name in FUNCTIONS:
            return (Term("fn", name, *values), depth)
        return (hyperbolic(name, values[0]), depth)

    def call(self, function: Function, values: Sequence[Any], depth: int) -> Term:
        need(len(function.names) == len(values), "a function has the wrong number of arguments")
        for name, value in zip(function.names, values, strict=True):
            if not occurs(name, function.body):  # what vanishes here is seen by no check of sorts and by no D
                sound = not isinstance(value, Function) and value[0].sort in NUMBERS and defined(value[0]) == TRUE
                need(sound, "an argument that a function does not use is a number that is always defined")
        meaning = {**function.meaning, **dict(zip(function.names, values, strict=True))}
        return self.term(function.body, meaning, function.known, depth)


def occurs(name: str, tree: Any) -> bool:
    """Whether a syntax tree has this name outside the lists of names of its functions, where it would be bound."""
    if tree[0] in ("name", "call") and tree[1] == name:
        return True
    parts = tree[2] if tree[0] == "call" else tree[2:] if tree[0] == "lam" else tree[1:]
    return any(occurs(name, part) for part in parts if isinstance(part, tuple) and part[:1] != ("fun",))


def interval_of(low: Term, high: Term) -> Term:
    """low <= j & j <= high, for the variable j of the nearest binder."""
    j = bound(0, "Int")
    return Term("&", None, Term("<=", None, low, j), Term("<=", None, j, high))


def hyperbolic(name: str, a: Term) -> Term:
    if name == "tanh":  # 1 - 2/(e^(2a) + 1)
        double = Term("fn", "exp", Term("*", None, number(2), a))
        return Term("-", None, number(1), Term("/", None, number(2), Term("+", None, double, number(1))))
    need(name in ("sinh", "cosh"), f"'{name}' is unknown here")
    ends = (Term("fn", "exp", a), Term("fn", "exp", Term("neg", None, a)))
    return Term("/", None, Term("+" if name == "cosh" else "-", None, *ends), number(2))


# --- The normal form -------------------------------------------------------------------------------------------------

Number = int | Fraction
Mono = Any  # (frozenset of (Key, power >= 1), Key of kind "exp")
Poly = dict[Any, Number]  # monomial to coefficient, which is not 0
Frozen = frozenset[Any]  # the items of a Poly


class Key:
    """An atom of a normal form, or the key of a formula. A `Normal` makes each one once, so equal keys are identical.

        var app fn ind     a name; a function applied to polynomials; the indicator of a formula key
        bound (index)      a variable bound by a sum, prod, all or ex further out
        inv exp            1/p and e^p of a polynomial; exp is no atom, but the second part of a monomial
        sum prod           two polynomials, and one under a binder
        = <= <             0 = p, 0 <= p, 0 < p
        true false ~ & | -> all ex

    `loose` has the bit i where the variable of the i-th binder around the key occurs in it.
    """

    __slots__ = ("data", "kind", "loose", "parts", "serial")

    def __init__(self, kind: str, data: Any, parts: tuple[Any, ...], loose: int, serial: int) -> None:
        self.kind, self.data, self.parts, self.loose, self.serial = kind, data, parts, loose, serial

    def __hash__(self) -> int:
        return self.serial


def whole(c: Number) -> Number:
    return c.numerator if c.denominator == 1 else c


def short(c: Number) -> Number:
    """`c`, unless it is too long."""
    bits = c.numerator.bit_length() + c.denominator.bit_length()
    if bits > 1_000:
        need(bits <= MAX_BITS, "a number in a normal form is too long")
        Clock.spend(bits >> 7)
    return c


def add(a: Poly, b: Poly, times: Number = 1) -> Poly:
    """a + times*b."""
    out = dict(a)
    Clock.spend(len(b))
    for m, c in b.items():
        total = out.get(m, 0) + times * c
        if total:
            out[m] = short(whole(total))
        else:
            del out[m]
    need(len(out) <= 4 * MAX_MONOMIALS, "a normal form has too many monomials")
    return out


def scale(p: Poly, c: Number) -> Poly:
    return {m: short(whole(c * x)) for m, x in p.items()} if c else {}


def content(p: Poly) -> Fraction:
    """The positive c for which the coefficients of p/c are integers without a common factor."""
    below, above = 1, 0
    for c in p.values():
        below = math.lcm(below, c.denominator)
        above = math.gcd(above, c.numerator)
        short(below)
    return Fraction(above, below)


def loose_in(p: Iterable[tuple[Mono, Number]]) -> int:
    """The loose variables of a polynomial, as bits."""
    bits = 0
    for (factors, exponent), _ in p:
        bits |= exponent.loose
        for k, _ in factors:
            bits |= k.loose
    return bits


class Normal:
    """What is computed about terms and formulas. These laws, true for all values with 1/0 = 0, and nothing else:

    Ring laws with rational numbers. e^a*e^b = e^(a+b), e^0 = 1, log(e^a) = a. 1/(a*b) = 1/a * 1/b, 1/(1/a) = a, 1/e^a =
    e^-a (but x * 1/x stays). relu, abs, pow(., k) and square roots of numerals; min and max of two terms that differ by
    a numeral. Sums and products of known length are written out; of other sums, what does not contain the variable is
    taken out, and each monomial gets a sum of its own. I[F] of a decided F. Formulas: 0 <= p is 0 <= c*p for c > 0, so
    with < and =, where -p will do as well; ~(a <= b) is b < a; true, false and double negations go.
    """

    def __init__(self) -> None:
        self.keys: dict[Any, Key] = {}
        self.stored = 0
        self.cache: dict[Term, Poly] = {}
        self.cached = 0
        self.true, self.false = self.key("true"), self.key("false")
        self.zero = self.key("exp", None, frozenset())
        self.one: Mono = (frozenset(), self.zero)

    def key(self, kind: str, data: Any = None, *parts: Any) -> Key:
        """The key of this content; the last part of sum, prod, all and ex is under their binder."""
        place = (kind, data, parts)
        found = self.keys.get(place)
        if found is None:
            loose = 1 << data if kind == "bound" else 0
            for part in parts:
                bits = part.loose if isinstance(part, Key) else loose_in(part)
                loose |= bits >> 1 if kind in ("sum", "prod", "all", "ex") and part is parts[-1] else bits
                self.stored += 1 if isinstance(part, Key) else len(part)
            self.stored += 1
            need(self.stored <= MAX_STORED, "the normal forms of a proof are too many")
            Clock.spend(2)
            found = self.keys[place] = Key(kind, data, parts, loose, len(self.keys))
        return found

    def atom(self, kind: str, data: Any = None, *parts: Any) -> Poly:
        return {(frozenset({(self.key(kind, data, *parts), 1)}), self.zero): 1}

    def constant(self, p: Poly) -> Number | None:
        """The number that `p` is, or None."""
        return p.get(self.one) if len(p) == 1 else None if p else 0

    def numeral(self, c: Number) -> Poly:
        return {self.one: whole(c)} if c else {}

    def exponential(self, p: Poly) -> Poly:
        return {(frozenset(), self.key("exp", None, frozenset(p.items()))): 1}

    def mul(self, a: Poly, b: Poly) -> Poly:
        longest = max((len(m[0]) for m in a), default=0) + max((len(m[0]) for m in b), default=0)
        need(min(len(a) * len(b), MAX_MONOMIALS) * longest <= MAX_FACTORS, "a normal form has too many factors")
        out: Poly = {}
        for m, c in a.items():
            Clock.spend(2 * len(b) + 1)
            for n, d in b.items():
                both = self.mul_mono(m, n)
                total = out.get(both, 0) + c * d
                if total:
                    out[both] = short(whole(total))
                else:
                    del out[both]
            need(len(out) <= MAX_MONOMIALS, "a normal form has too many monomials")
        return out

    def mul_mono(self, m: Mono, n: Mono) -> Mono:
        (factors, exponent), (more, other) = m, n
        if factors and more:
            powers = dict(factors)
            for k, power in more:
                powers[k] = powers.get(k, 0) + power
            factors = frozenset(powers.items())
        if exponent is self.zero or other is self.zero:
            exponent = other if exponent is self.zero else exponent
        else:
            both = add(dict(exponent.parts[0]), dict(other.parts[0]))
            exponent = self.key("exp", None, frozenset(both.items()))
        return (factors or more, exponent)

    def power(self, p: Poly, k: int) -> Poly:
        size = max((c.numerator.bit_length() + c.denominator.bit_length() for c in p.values()), default=0)
        need(k <= MAX_POWER and k * size <= MAX_BITS, "a power is too large")
        out: Poly = {self.one: 1}
        for bit in bin(k)[2:]:
            out = self.mul(out, out)
            if bit == "1":
                out = self.mul(out, p)
        return out

    def inverse(self, p: Poly) -> Poly:
        """1/p: the content and the common atoms are taken out; what is left is inverted as a whole."""
        need(bool(p), "a division by zero")
        common = dict(next(iter(p))[0])
        for factors, _ in p:
            here = dict(factors)
            common = {k: min(n, here[k]) for k, n in common.items() if k in here}
        rest: Poly = {}
        for (factors, exponent), c in p.items():
            left = [(k, n - common.get(k, 0)) for k, n in factors if n > common.get(k, 0)]
            rest[frozenset(left), exponent] = c
        unit = content(rest)
        if (rest.get(self.one) or sum(rest.values())) < 0:
            unit = -unit
        rest = scale(rest, 1 / unit)
        if len(rest) == 1:
            ((_, exponent),) = rest
            out = self.exponential(scale(dict(exponent.parts[0]), -1))
        else:
            out = self.atom("inv", None, frozenset(rest.items()))
        for k, n in common.items():
            one = (
                dict(k.parts[0])
                if k.kind == "inv"
                else self.atom("inv", None, frozenset({((frozenset({(k, 1)}), self.zero), 1)}))
            )
            out = self.mul(out, self.power(one, n))
        return scale(out, 1 / unit)

    def lower(self, k: Key, depth: int = 0) -> Key:
        """`k` without the binder number `depth` around it, whose variable does not occur."""
        if not k.loose >> depth:
            return k
        if k.kind == "bound":
            return self.key("bound", k.data - 1)
        Clock.spend(5)
        parts = []
        for place, part in enumerate(k.parts):
            inside = depth + (k.kind in ("sum", "prod", "all", "ex") and place == len(k.parts) - 1)
            parts.append(self.lower(part, inside) if isinstance(part, Key) else self.lower_all(part, inside))
        return self.equation(parts[0]) if k.kind == "=" else self.key(k.kind, k.data, *parts)

    def lower_all(self, p: Iterable[tuple[Mono, Number]], depth: int) -> Frozen:
        return frozenset((self.lower_mono(m, depth), c) for m, c in p)

    def lower_mono(self, m: Mono, depth: int = 0) -> Mono:
        return (frozenset((self.lower(k, depth), n) for k, n in m[0]), self.lower(m[1], depth))

    # Terms.

    def poly(self, t: Term) -> Poly:
        """The normal form of a term. The caller must not change it."""
        found = self.cache.get(t)
        if found is None:
            Clock.spend(2)
            found = self.find_poly(t)
            self.cached += len(found) + 1
            if self.cached > MAX_STORED:
                self.cache, self.cached = {}, len(found) + 1
            self.cache[t] = found
        return found

    def find_poly(self, t: Term) -> Poly:
        op, kids = t.op, t.kids
        if op == "num":
            return self.numeral(Fraction(*t.data))
        if op in ("var", "bound"):
            return self.atom(op, t.data if op == "var" else t.data[0])
        if op == "ind":
            k = self.formula(kids[0])
            return self.numeral(1) if k is self.true else {} if k is self.false else self.atom("ind", None, k)
        if op in ("sum", "prod"):
            return self.fold(t)
        if op == "app":
            head = self.key(kids[0].op, kids[0].data if kids[0].op == "var" else kids[0].data[0])
            return self.atom("app", None, head, *[frozenset(self.poly(k).items()) for k in kids[1:]])
        values = [self.poly(k) for k in kids]
        if op in ("+", "-"):
            return add(values[0], values[1], 1 if op == "+" else -1)
        if op == "neg":
            return scale(values[0], -1)
        if op == "*":
            return self.mul(values[0], values[1])
        if op == "/":
            return self.mul(values[0], self.inverse(values[1]))
        if op == "^":
            return self.power(values[0], t.data)
        need(op == "fn", f"'{op}' has no normal form")
        return self.function(t.data, values)

    def function(self, name: str, values: list[Poly]) -> Poly:
        if name == "exp":
            return self.exponential(values[0])
        if name in ("min", "max"):
            gap = self.constant(add(values[0], values[1], -1))
            if gap is not None:
                return values[0] if (gap <= 0) == (name == "min") else values[1]
        c = self.constant(values[-1]) if values else None
        if c is not None and name in ("relu", "abs"):
            return self.numeral(max(c, 0) if name == "relu" else abs(c))
        if c is not None and name == "pow" and c >= 0 and c.denominator == 1:
            return self.power(values[0], c.numerator)
        if c is not None and name == "sqrt" and c >= 0:
            root = Fraction(math.isqrt(c.numerator), math.isqrt(c.denominator))
            if root * root == c:
                return self.numeral(root)
        if name == "log" and len(values[0]) == 1:
            ((factors, exponent),) = values[0]
            if not factors and values[0][factors, exponent] == 1:
                return dict(exponent.parts[0])
        return self.atom("fn", name, *[frozenset(v.items()) for v in values])

    def fold(self, t: Term) -> Poly:
        """A sum or product."""
        low, high = (self.poly(k) for k in t.kids[:2])
        body = t.kids[2]
        length = self.constant(add(high, low, -1))
        if length is not None and length.denominator == 1 and length < MAX_RANGE:
            out = self.numeral(0 if t.op == "sum" else 1)
            for k in range(length.numerator + 1):
                Clock.spend(body.size >> 4)
                value = self.poly(substitute(body, [plus(t.kids[0], k)]))
                out = add(out, value) if t.op == "sum" else self.mul(out, value)
            return out
        ends = (frozenset(low.items()), frozenset(high.items()))
        inner = self.poly(body)
        if t.op == "prod":
            return inner if self.constant(inner) == 1 else self.atom("prod", None, *ends, frozenset(inner.items()))
        out = {}
        for (factors, exponent), c in inner.items():
            under = frozenset(f for f in factors if f[0].loose & 1)
            moving = frozenset(x for x in exponent.parts[0] if loose_in([x]) & 1)
            outside = (factors - under, self.key("exp", None, exponent.parts[0] - moving))
            term = frozenset({((under, self.key("exp", None, moving)), 1)})
            out = add(out, self.mul({self.lower_mono(outside): c}, self.atom("sum", None, *ends, term)))
        return out

    # Formulas.

    def formula(self, f: Term) -> Key:
        """A key that is equal for formulas that are the same by computation; `true` or `false` where that decides."""
        op = f.op
        if op in ("true", "false"):
            return self.key(op)
        if op in COMPARISONS:
            return self.compare(op, self.gap(f))
        kids = [self.formula(k) for k in f.kids]
        if op == "~":
            return self.deny(kids[0])
        if op in ("all", "ex"):  # there are numbers and functions of every sort
            return kids[0] if kids[0] in (self.true, self.false) else self.key(op, f.data, kids[0])
        left, right = kids
        if op == "->":
            if left is self.true:
                return right
            if left is self.false or right is self.true:
                return self.true
            return self.deny(left) if right is self.false else self.key(op, None, left, right)
        neutral, strong = (self.true, self.false) if op == "&" else (self.false, self.true)
        if strong in (left, right):
            return strong
        return right if left is neutral else left if right is neutral else self.key(op, None, left, right)

    def gap(self, comparison: Term) -> Poly:
        """The right side minus the left one."""
        return add(self.poly(comparison.kids[1]), self.poly(comparison.kids[0]), -1)

    def compare(self, op: str, p: Poly) -> Key:
        """The key of 0 = p, 0 <= p or 0 < p."""
        c = self.constant(p)
        if c is not None:
            return self.true if (c == 0 if op == "=" else c >= 0 if op == "<=" else c > 0) else self.false
        frozen = frozenset(scale(p, 1 / content(p)).items())
        return self.equation(frozen) if op == "=" else self.key(op, None, frozen)

    def equation(self, p: Frozen) -> Key:
        """The key of 0 = p, which is that of 0 = -p."""
        other = ("=", None, (frozenset((m, -c) for m, c in p),))
        return self.keys[other] if other in self.keys else self.key("=", None, p)

    def deny(self, k: Key) -> Key:
        if k in (self.true, self.false):
            return self.false if k is self.true else self.true
        if k.kind in ("<=", "<"):
            return self.key("<" if k.kind == "<=" else "<=", None, frozenset((m, -c) for m, c in k.parts[0]))
        return k.parts[0] if k.kind == "~" else self.key("~", None, k)

    def same(self, f: Term, g: Term) -> bool:
        return f == g or self.formula(f) is self.formula(g)


def plus(t: Term, k: int) -> Term:
    """t + k."""
    return number(t.data[0] + k) if t.op == "num" else Term("+", None, t, number(k))


# --- Enclosures ------------------------------------------------------------------------------------------------------

Dyadic = tuple[int, int]  # (m, e) is the number m*2^e
Interval = tuple[Dyadic, Dyadic]
ZERO, ONE = (0, 0), (1, 0)


def minus(x: Dyadic) -> Dyadic:
    return (-x[0], x[1])


def sum_of(x: Dyadic, y: Dyadic) -> Dyadic:
    """x + y."""
    (m, e), (n, f) = x, y
    return ((m << e - f) + n, f) if e > f else (m + (n << f - e), e)


def lesser(x: Dyadic, y: Dyadic) -> Dyadic:
    return x if sum_of(x, minus(y))[0] < 0 else y


def greater(x: Dyadic, y: Dyadic) -> Dyadic:
    return y if sum_of(x, minus(y))[0] < 0 else x


def ceil_div(a: int, b: int) -> int:
    return -(-a // b)


def ratio(x: Dyadic, y: Dyadic, digits: int) -> Interval:
    """Two numbers of about `digits` binary digits around x/y, for y > 0."""
    (m, e), (n, f) = x, y
    places = digits - 1 - m.bit_length() + n.bit_length()
    m, n, e = m << max(places, 0), n << max(-places, 0), e - f - places
    return (m // n, e), (ceil_div(m, n), e)


class Enclosure:
    """Intervals that contain all values of a term over a box: ends are rounded outwards to `digits` binary digits."""

    def __init__(self, low: Mapping[Term, Fraction], high: Mapping[Term, Fraction], bits: int) -> None:
        self.low, self.high, self.digits = low, high, bits + 25
        self.leaves: dict[Term, Interval] = {}

    def outward(self, low: Dyadic, high: Dyadic) -> Interval:
        return minus(self.above(-low[0], low[1])), self.above(*high)

    def above(self, m: int, e: int) -> Dyadic:
        """A number of few digits, not below m*2^e: ``>>`` rounds down, so -(-m >> n) is m/2^n rounded up."""
        cut = m.bit_length() - self.digits
        if cut > 0:
            m, e = -(-m >> cut), e + cut
        if -MAX_MAGNITUDE <= e <= MAX_MAGNITUDE:
            return m, e
        need(e < 0 or m == 0, "a number is too large for an enclosure")
        return -(-m >> max(-MAX_MAGNITUDE - e, 0)), -MAX_MAGNITUDE

    def of(self, t: Term, indices: tuple[int, ...]) -> Interval:
        """An interval for `t`; `indices` are the values of the variables bound around it, the nearest first."""
        op = t.op
        Clock.spend(20 + (self.digits >> 3))
        if op in ("num", "var"):
            if t not in self.leaves:
                self.leaves[t] = self.leaf(t)
            return self.leaves[t]
        if op == "bound":
            index = (indices[t.data[0]], 0)
            return (index, index)
        if op in ("sum", "prod"):
            first, last = (self.exactly(k, indices) for k in t.kids[:2])
            need(last - first < MAX_RANGE, "a sum is too long for an enclosure")
            out = (ZERO, ZERO) if op == "sum" else (ONE, ONE)
            for k in range(first, last + 1):
                out = self.combine("+" if op == "sum" else "*", out, self.of(t.kids[2], (k, *indices)))
            return out
        if op == "fn" and t.data == "pow":
            return self.power(self.of(t.kids[0], indices), self.exactly(t.kids[1], indices))
        need(op in ("+", "-", "*", "/", "neg", "^", "fn"), f"'{op}' has no enclosure")
        values = [self.of(k, indices) for k in t.kids]
        if op == "neg":
            return (minus(values[0][1]), minus(values[0][0]))
        if op == "^":
            return self.power(values[0], t.data)
        return self.function(t.data, values) if op == "fn" else self.combine(op, *values)

    def leaf(self, t: Term) -> Interval:
        """An interval for a numeral, or for a name by the box."""
        if t.op == "num":
            return self.outward(*ratio((t.data[0], 0), (t.data[1], 0), self.digits))
        need(t in self.low and t in self.high, f"'{t.data[0]}' needs a bound on both sides")
        low, high = self.low[t], self.high[t]
        need(low <= high, f"the bounds of '{t.data[0]}' contradict each other")
        ends = [ratio((q.numerator, 0), (q.denominator, 0), self.digits) for q in (low, high)]
        return self.outward(ends[0][0], ends[1][1])

    def exactly(self, t: Term, indices: tuple[int, ...]) -> int:
        """The integer that `t` is."""
        low, high = self.of(t, indices)
        m, e = sum_of(low, ZERO)  # e <= 0
        sure = sum_of(low, minus(high))[0] == 0 and m % (1 << -e) == 0
        need(sure, "an enclosure needs ranges and exponents that are numbers")
        return m >> -e

    def combine(self, op: str, a: Interval, b: Interval) -> Interval:
        if op == "+":
            return self.outward(sum_of(a[0], b[0]), sum_of(a[1], b[1]))
        if op == "-":
            return self.outward(sum_of(a[0], minus(b[1])), sum_of(a[1], minus(b[0])))
        if op == "/":
            b = self.inverse(b)
        if a[0][0] >= 0 and b[0][0] >= 0:
            return self.outward((a[0][0] * b[0][0], a[0][1] + b[0][1]), (a[1][0] * b[1][0], a[1][1] + b[1][1]))
        ends = [(m * n, e + f) for m, e in a for n, f in b]
        return self.outward(reduce(lesser, ends), reduce(greater, ends))

    def inverse(self, a: Interval) -> Interval:
        if a[1][0] < 0:
            low, high = self.inverse((minus(a[1]), minus(a[0])))
            return minus(high), minus(low)
        need(a[0][0] > 0, "a denominator may be zero in the box")
        return self.outward(ratio(ONE, a[1], self.digits)[0], ratio(ONE, a[0], self.digits)[1])

    def power(self, a: Interval, k: int) -> Interval:
        need(0 <= k <= MAX_RANGE, "an exponent is not from 0 to the limit")
        low, high = self.function("abs", [a]) if k % 2 == 0 else a  # there the power increases
        return minus(self.power_above(-1, low, k)), self.power_above(1, high, k)

    def power_above(self, sign: int, x: Dyadic, k: int) -> Dyadic:
        """A number not below x^k for sign = 1, -x^k for sign = -1; x is not negative where k is even."""
        if x[0] < 0:
            return self.power_above(-sign, minus(x), k)
        m, e = sign, 0
        for bit in bin(k)[2:]:  # m has this sign, or is 0
            m, e = self.above(sign * m * m, 2 * e)
            if bit == "1":
                m, e = self.above(m * x[0], e + x[1])
        return m, e

    def function(self, name: str, values: list[Interval]) -> Interval:
        if name == "pi":
            return self.outward(*pi_at(self.digits))
        low, high = values[0]
        if name == "relu":
            return (greater(low, ZERO), greater(high, ZERO))
        if name == "abs":
            return (greater(greater(low, minus(high)), ZERO), greater(minus(low), high))
        if name in ("min", "max"):
            pick = lesser if name == "min" else greater
            return (pick(low, values[1][0]), pick(high, values[1][1]))
        need(name in INCREASING, f"'{name}' has no enclosure")
        need(name != "log" or low[0] > 0, "a logarithm of what may not be positive")
        need(name != "sqrt" or low[0] >= 0, "a root of what may be negative")
        at = INCREASING[name]
        return self.outward(at(low, self.digits)[0], at(high, self.digits)[1])


# The functions below give two numbers around the value at x, about `bits` binary digits apart. Inside they use integers
# in units of 2^-w: everything added is nonnegative, lower sums round down, upper sums round up and add the remainder.


def scaled(x: Dyadic, w: int) -> tuple[int, int]:
    """x in units of 2^-w, rounded down and up."""
    m, places = x[0], x[1] + w
    return (m << places, m << places) if places >= 0 else (m >> -places, -(-m >> -places))


def series(low: int, high: int, w: int, divisors: Iterable[int]) -> tuple[int, int]:
    """1 + t(1) + t(2) + ... with t(n) = t(n - 1)*x/b for the n-th divisor b; they grow, and low <= x*2^w <= high.

    It stops where t(n) is at most one unit and each further term at most half the one before: together at most t(n).
    """
    term_low = term_high = sum_low = sum_high = 1 << w
    for b in divisors:
        if term_high <= 1 and 2 * high <= b << w:
            break
        term_low, term_high = (term_low * low >> w) // b, -((-term_high * high >> w) // b)
        sum_low, sum_high = sum_low + term_low, sum_high + term_high
    return sum_low, sum_high + term_high


@lru_cache(10_000)
def exp_at(x: Dyadic, bits: int) -> Interval:
    """e^x = (e^(x/2^s))^(2^s), with the series of e^x for 0 <= x < 1/256."""
    limit = (MAX_MAGNITUDE // 2, 0)
    if x[0] < 0:
        if sum_of(x, limit)[0] < 0:
            return ZERO, exp_at(minus(limit), bits)[1]
        low, high = exp_at(minus(x), bits)
        return ratio(ONE, high, bits)[0], ratio(ONE, low, bits)[1]
    need(sum_of(x, minus(limit))[0] <= 0, "an exponent is too large for an enclosure")
    s = scaled(x, 0)[0].bit_length() + 8
    w = bits + 2 * s + 16
    low, high = series(*scaled((x[0], x[1] - s), w), w, count(1))
    for _ in range(s):
        low, high = low * low >> w, -(-high * high >> w)
    return (low, -w), (high, -w)


def artanh(p: int, q: int, w: int) -> tuple[int, int]:
    """z + z^3/3 + z^5/5 + ... for 0 <= z = p/q <= 1/3, in units of 2^-w; the terms after one with z^n are below z^n."""
    low, high = (p << w) // q, ceil_div(p << w, q)
    square_low, square_high = low * low >> w, -(-high * high >> w)
    sum_low = sum_high = 0
    for n in range(1, 2 * w, 2):
        sum_low, sum_high = sum_low + low // n, sum_high + ceil_div(high, n)
        if high <= 1:
            break
        low, high = low * square_low >> w, -(-high * square_high >> w)
    return sum_low, sum_high + high


@lru_cache(10_000)
def log_at(x: Dyadic, bits: int) -> Interval:
    """log(y*2^k) = 2 artanh((y - 1)/(y + 1)) + k*2 artanh(1/3), for 1 <= y < 2."""
    m, e = x
    one = 1 << (m.bit_length() - 1)
    k = m.bit_length() - 1 + e
    w = bits + 40
    low, high = artanh(m - one, m + one, w)
    ends = artanh(1, 3, w)
    return (low + min(k * t for t in ends), 1 - w), (high + max(k * t for t in ends), 1 - w)


def sqrt_at(x: Dyadic, bits: int) -> Interval:
    """Integer square roots."""
    m, e = x
    places = max(2 * bits - m.bit_length(), 0)
    places += (e - places) % 2
    root, e = math.isqrt(m << places), (e - places) // 2
    return (root, e), (root + (root * root < m << places), e)


@lru_cache(100)
def pi_at(bits: int) -> Interval:
    """pi = sqrt(12)*(1 - 1/(3*3) + 1/(5*3^2) - ...); what follows w terms is less than a unit, as each rounding is."""
    w = bits + 24
    total = sum((-1) ** n * ((1 << w) // ((2 * n + 1) * 3**n)) for n in range(w))
    (low, e), (high, _) = sqrt_at((12, 0), w)
    return ((total - w - 1) * low, e - w), ((total + w + 1) * high, e - w)


@lru_cache(10_000)
def erf_at(x: Dyadic, bits: int) -> Interval:
    """erf(x) = 2/sqrt(pi)*x*e^(-x^2)*(1 + 2x^2/3 + (2x^2)^2/(3*5) + ...); and 1 - 2^(-x^2) < erf(x) < 1 for x > 0."""
    m, e = x
    if m < 0:
        low, high = erf_at(minus(x), bits)
        return minus(high), minus(low)
    if sum_of((m * m, 2 * e), (-bits - 8, 0))[0] > 0:
        return ((1 << bits + 8) - 1, -bits - 8), ONE
    w = bits + 24
    low, high = series(*scaled((2 * m * m, 2 * e), w), w, count(3, 2))
    (small, f), (large, g) = exp_at((-m * m, 2 * e), w)
    under, over = (sqrt_at(p, w)[side] for side, p in enumerate(pi_at(w)))
    below, above = (2 * m * small * low, e + f - w), (2 * m * large * high, e + g - w)
    return ratio(below, over, bits)[0], lesser(ratio(above, under, bits)[1], ONE)


INCREASING = {"exp": exp_at, "log": log_at, "sqrt": sqrt_at, "erf": erf_at}


# --- Proofs ----------------------------------------------------------------------------------------------------------

AXIOMS = {
    "relu_pos": "all x:Real. 0 <= x -> relu(x) = x",
    "relu_neg": "all x:Real. x <= 0 -> relu(x) = 0",
    "abs_pos": "all x:Real. 0 <= x -> abs(x) = x",
    "abs_neg": "all x:Real. x <= 0 -> abs(x) = -x",
    "min_left": "all x:Real, y:Real. x <= y -> min(x, y) = x",
    "min_right": "all x:Real, y:Real. y <= x -> min(x, y) = y",
    "max_left": "all x:Real, y:Real. y <= x -> max(x, y) = x",
    "max_right": "all x:Real, y:Real. x <= y -> max(x, y) = y",
    "inv": "all x:Real. ~(x = 0) -> x*(1/x) = 1",
    "sqrt": "all x:Real. 0 <= x -> 0 <= sqrt(x) & sqrt(x)*sqrt(x) = x",
    "exp_pos": "all x:Real. 0 < exp(x)",
    "exp_ge": "all x:Real. 1 + x <= exp(x)",
    "exp_log": "all x:Real. 0 < x -> exp(log(x)) = x",
    # Taylor's theorem: a sum up to an odd power is below exp; up to an even power it is above, for x <= 0
    "exp_lower": "all x:Real, k:Int. 0 <= k -> sum(m, 0, 2*k + 1, pow(x, m)/prod(q, 1, m, q)) <= exp(x)",
    "exp_upper": "all x:Real, k:Int. 0 <= k -> x <= 0 -> exp(x) <= sum(m, 0, 2*k, pow(x, m)/prod(q, 1, m, q))",
    "int_lt": "all a:Int, b:Int. a < b -> a + 1 <= b",
    "archimedes": "all x:Real. ex n:Int. 1 <= n & x <= n",
    "sum_empty": "all f:Int->Real, a:Int, b:Int. b < a -> sum(m, a, b, f(m)) = 0",
    "sum_step": "all f:Int->Real, a:Int, b:Int. a <= b -> sum(m, a, b, f(m)) = sum(m, a, b - 1, f(m)) + f(b)",
    "prod_empty": "all f:Int->Real, a:Int, b:Int. b < a -> prod(m, a, b, f(m)) = 1",
    "prod_step": "all f:Int->Real, a:Int, b:Int. a <= b -> prod(m, a, b, f(m)) = prod(m, a, b - 1, f(m))*f(b)",
    "pow_zero": "all x:Real. pow(x, 0) = 1",
    "pow_step": "all x:Real, n:Int. 0 <= n -> pow(x, n + 1) = pow(x, n)*x",
    "pi": "3.141592653589793 < pi & pi < 3.141592653589794",
    "erf_odd": "all x:Real. erf(-x) = -erf(x)",
    "erf_range": "all x:Real. 0 <= x -> 0 <= erf(x) & erf(x) <= 1",
    # the alternating series of erf, for x >= 0
    "erf_tail": "all x:Real. 0 <= x -> 1 - erf(x) <= exp(-x^2)",
    "erf_lower": "all x:Real, k:Int. 0 <= k -> 0 <= x -> "
    "2/sqrt(pi)*sum(m, 0, 2*k + 1, pow(-1, m)*pow(x, 2*m + 1)/(prod(q, 1, m, q)*(2*m + 1))) <= erf(x)",
    "erf_upper": "all x:Real, k:Int. 0 <= k -> 0 <= x -> "
    "erf(x) <= 2/sqrt(pi)*sum(m, 0, 2*k, pow(-1, m)*pow(x, 2*m + 1)/(prod(q, 1, m, q)*(2*m + 1)))",
    # sine and cosine are determined by the addition theorems, the half turn and the bounds near 0
    "sin_add": "all x:Real, y:Real. sin(x + y) = sin(x)*cos(y) + cos(x)*sin(y)",
    "cos_add": "all x:Real, y:Real. cos(x + y) = cos(x)*cos(y) - sin(x)*sin(y)",
    "sin_cos": "all x:Real. sin(x)^2 + cos(x)^2 = 1",
    "sin_pi": "sin(pi) = 0",
    "sin_bounds": "all x:Real. 0 <= x -> x - x^3/6 <= sin(x) & sin(x) <= x",
}
LABEL = re.compile(r"\w[\w.']{0,99}", re.ASCII)
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}", re.ASCII)
OUTSIDE = ("lem", "named", "oracle")  # kinds of labels of facts from outside, besides ax

# The keys of each kind of node; those after the bar may be left out.
NODES = {
    "intro": "as",
    "pick": "side",
    "witness": "term",
    "obtain": "fact name as",
    "contra": "as",
    "have": "show proof as",
    "use": "fact with as",
    "ind": "of as",
    "rewrite": "eq | rev in as",
    "split": "proofs",
    "hyp": "of",
    "true": "",
    "absurd": "of | not",
    "cases": "fact as proofs",
    "em": "formula as proofs",
    "antisym": "left right",
    "induct": "name ge as base step",
    "pos": "| sum eq",
    "interval": "on prec",
}


@cache
def keys_of(wanted: str) -> tuple[frozenset[str], frozenset[str]]:
    """Of "must | may" the keys that must be there, and those that may."""
    must, _, may = wanted.partition("|")
    return frozenset(must.split()), frozenset(f"{must} {may}".split())


def keys_fit(given: dict[str, Any], wanted: str) -> bool:
    must, may = keys_of(wanted)
    return must <= given.keys() <= may


def items(x: Any, length: int | None = None) -> list[Any]:
    if not isinstance(x, list) or len(x) != (len(x) if length is None else length):
        raise Rejected("a list " + (f"of {length} " if length is not None else "") + "must stand here")
    return x


def string(x: Any) -> str:
    if not isinstance(x, str):
        raise Rejected("a string must stand here")
    return x


class Proof:
    """One check: the state, and a method for each kind of node that returns whether it closes the goal.

    A proof inside a node is checked at once, with the facts and names of this moment; what it adds is taken back.
    """

    def __init__(self, lemmas: Mapping[str, Term], known: dict[str, Definition]) -> None:
        self.lemmas, self.reader = lemmas, Reader({}, known)
        self.open_goal = Opened(TRUE)
        self.facts: dict[str, Opened] = {}
        self.scope = self.reader.meaning
        self.added: list[tuple[dict[str, Any], str]] = []  # in the order in which facts and names came
        self.nodes = 0
        self.used: set[str] = set()
        self.normal = Normal()

    @property
    def goal(self) -> Term:
        return self.open_goal.formula()

    @goal.setter
    def goal(self, goal: Term) -> None:
        self.open_goal = Opened(goal)

    def prove(self, goal: Term | Opened, proof: Any) -> None:
        """Check `proof` of `goal` with the present facts and names."""
        before, self.open_goal = self.open_goal, opened(goal)
        mark, steps = len(self.added), items(proof)
        need(bool(steps), "a proof is empty")
        for place, node in enumerate(steps, 1):
            self.nodes += 1
            Clock.spend(20)
            need(self.nodes <= MAX_NODES, "a proof has too many nodes")
            by = node.get("by") if isinstance(node, dict) else None
            if not isinstance(by, str) or by not in NODES:
                raise Rejected("an unknown kind of node")
            if not keys_fit(node, f"by {NODES[by]}"):
                raise Rejected(f"'{by}' has the wrong keys")
            if getattr(self, f"by_{by}")(node) != (place == len(steps)):
                raise Rejected(f"'{by}' cannot be the last node, or must be")
        self.forget(mark)
        self.open_goal = before

    def forget(self, mark: int) -> None:
        """Take back what has been assumed and named since there were `mark` facts and names."""
        while len(self.added) > mark:
            where, name = self.added.pop()
            del where[name]

    def assume(self, label: Any, fact: Term | Opened) -> None:
        """A new fact; a list of labels takes a conjunction apart."""
        found = opened(fact).parts("&") if isinstance(label, list) else [opened(fact)]
        labels = label if isinstance(label, list) else [label]
        if len(labels) != len(found):
            raise Rejected(f"a conjunction of {len(found)} needs as many labels")
        for one, part in zip(labels, found, strict=True):
            need(LABEL.fullmatch(string(one)) is not None, "a label is not valid")
            if one in self.facts:
                raise Rejected(f"the label '{one}' is taken")
            self.facts[one] = part
            self.added.append((self.facts, one))

    def name(self, name: Any, sort: Any) -> Term:
        """A new name in scope."""
        need(NAME.fullmatch(string(name)) is not None and name not in RESERVED, "a name is not valid")
        need(name not in self.scope and name not in self.reader.known, f"the name '{name}' is taken")
        made = variable(name, sort)
        self.scope[name] = (made, 0)
        self.added.append((self.scope, name))
        return made

    def fact(self, label: Any) -> Term:
        return self.opened_fact(label).formula()

    def opened_fact(self, label: Any) -> Opened:
        if string(label) in self.facts:
            return self.facts[label]
        kind, _, rest = label.partition(":")
        found = axioms().get(rest) if kind == "ax" else self.lemmas.get(label) if kind in OUTSIDE else None
        if found is None:
            raise Rejected(f"there is no fact '{label[:60]}' here")
        self.used.add(label)
        return Opened(found)

    def formula(self, text: Any) -> Term:
        return self.reader.formula(string(text))

    def value(self, text: Any, sort: Any) -> Term:
        return self.reader.value(string(text), sort)

    def true_by_computation(self, f: Term) -> bool:
        return self.normal.formula(f) is self.normal.true

    # Nodes that go on.

    def by_intro(self, node: Any) -> bool:
        for one in items(node["as"]):
            body = self.open_goal.body
            if body.op == "all":
                self.open_goal = self.open_goal.open(self.name(one, body.data))
                continue
            need(body.op in ("->", "~"), "there is nothing to introduce")
            premise, *rest = self.open_goal.parts()
            self.assume(one, premise)
            self.open_goal = rest[0] if rest else Opened(FALSE)
        return False

    def by_pick(self, node: Any) -> bool:
        need(self.goal.op == "|" and node["side"] in ("left", "right"), "'pick' needs F | G, and left or right")
        self.goal = self.goal.kids[0 if node["side"] == "left" else 1]
        return False

    def by_witness(self, node: Any) -> bool:
        quantified = self.open_goal.body
        need(quantified.op == "ex", "'witness' needs ex x. F as goal")
        self.open_goal = self.open_goal.open(self.value(node["term"], quantified.data))
        return False

    def by_obtain(self, node: Any) -> bool:
        fact = self.opened_fact(node["fact"])
        need(fact.body.op == "ex", "'obtain' needs a fact ex x. F")
        self.assume(node["as"], fact.open(self.name(node["name"], fact.body.data)))
        return False

    def by_contra(self, node: Any) -> bool:
        self.assume(node["as"], negation(self.goal))
        self.goal = FALSE
        return False

    def by_have(self, node: Any) -> bool:
        shown = self.formula(node["show"])
        self.prove(shown, node["proof"])
        self.assume(node["as"], shown)
        return False

    def by_use(self, node: Any) -> bool:
        state = self.opened_fact(node["fact"])
        for given in items(node["with"]):
            if state.body.op == "all":
                state = state.open(self.value(given, state.body.data))
                continue
            need(state.body.op in ("->", "~"), "a fact takes no more arguments")
            opened_premise, *rest = state.parts()
            premise = opened_premise.formula()
            if isinstance(given, list):
                self.prove(premise, given)
            elif given == "!":
                need(self.true_by_computation(premise), "a premise is not true by computation")
            else:
                need(string(given).startswith("#"), "a premise needs '#label', '!' or a proof")
                need(self.normal.same(self.fact(given[1:]), premise), f"'{given[1:60]}' is not the premise")
            state = rest[0] if rest else Opened(FALSE)
        self.assume(node["as"], state)
        return False

    def by_ind(self, node: Any) -> bool:
        f = self.formula(node["of"])
        one, none = (Term("=", None, Term("ind", None, f), number(c)) for c in (1, 0))
        self.assume(node["as"], Term("|", None, Term("&", None, f, one), Term("&", None, negation(f), none)))
        return False

    def by_rewrite(self, node: Any) -> bool:
        equation = self.fact(node["eq"])
        need(equation.op == "=", "'rewrite' needs an equation")
        need(isinstance(node.get("rev", False), bool), "rev is true or false")
        need(("in" in node) == ("as" in node), "'in' and 'as' go together")
        left, right = reversed(equation.kids) if node.get("rev") else equation.kids
        before = self.fact(node["in"]) if "in" in node else self.goal
        after = replace(before, left, right)
        need(after != before, "there is nothing to rewrite")
        if "in" in node:
            self.assume(node["as"], after)
        else:
            self.goal = after
        return False

    # Nodes that close the goal.

    def by_split(self, node: Any) -> bool:
        found = self.open_goal.parts("&")
        need(len(found) > 1, "'split' needs a conjunction as goal")
        for part, proof in zip(found, items(node["proofs"], len(found)), strict=True):
            self.prove(part, proof)
        return True

    def by_hyp(self, node: Any) -> bool:
        need(self.normal.same(self.fact(node["of"]), self.goal), "a fact is not the goal")
        return True

    def by_true(self, node: Any) -> bool:
        need(self.true_by_computation(self.goal), "the goal is not true by computation")
        return True

    def by_absurd(self, node: Any) -> bool:
        fact = self.fact(node["of"])
        if "not" in node:
            need(self.normal.same(Term("~", None, fact), self.fact(node["not"])), "two facts do not contradict")
        else:
            need(self.normal.formula(fact) is self.normal.false, "a fact is not false by computation")
        return True

    def each(self, cases: Sequence[Term | Opened], node: Any) -> bool:
        """The goal, proved from each of the cases."""
        labels, proofs = items(node["as"], len(cases)), items(node["proofs"], len(cases))
        for case, label, proof in zip(cases, labels, proofs, strict=True):
            mark = len(self.added)
            self.assume(label, case)
            self.prove(self.open_goal, proof)
            self.forget(mark)
        return True

    def by_cases(self, node: Any) -> bool:
        return self.each(self.opened_fact(node["fact"]).parts("|"), node)

    def by_em(self, node: Any) -> bool:
        f = self.formula(node["formula"])
        return self.each([f, negation(f)], node)

    def by_antisym(self, node: Any) -> bool:
        need(self.goal.op == "=", "'antisym' needs an equation as goal")
        a, b = self.goal.kids
        self.prove(Term("<=", None, a, b), node["left"])
        self.prove(Term("<=", None, b, a), node["right"])
        return True

    def by_induct(self, node: Any) -> bool:
        goal = self.goal
        need(goal.op == "all" and goal.data == "Int" and goal.kids[0].op == "->", "'induct' needs all k. a <= k -> P")
        premise, body = goal.kids[0].kids
        need(premise.op == "<=" and premise.kids[1] == bound(0, "Int"), "'induct' needs a <= k as premise")
        start = premise.kids[0]
        need(start.loose == 0 and start.sort == "Int", "the start of an induction is an Int without k")
        self.prove(Opened(body, [start]), node["base"])
        mark = len(self.added)
        k = self.name(node["name"], "Int")
        self.assume(node["ge"], Term("<=", None, start, k))
        self.assume(node["as"], Opened(body, [k]))
        self.prove(Opened(body, [plus(k, 1)]), node["step"])
        self.forget(mark)
        return True

    def by_pos(self, node: Any) -> bool:
        op, normal = self.goal.op, self.normal
        need(op in ("<=", "<", "=", "false"), "'pos' needs a comparison as goal")
        total: Poly = {}
        strict = False
        for entry in items(node.get("sum", [])):
            need(op != "=", "an equation follows from equations only")
            need(isinstance(entry, dict) and keys_fit(entry, "c of | sq"), "a summand has c, of, sq")
            term = normal.numeral(coefficient(entry["c"]))
            firm = "sq" not in entry
            for label in items(entry["of"]):
                fact = self.fact(label)
                need(fact.op in ("<=", "<"), "a fact in 'of' is not an inequality")
                firm = firm and fact.op == "<"
                term = normal.mul(term, normal.gap(fact))
            if "sq" in entry:
                root = normal.poly(self.value(entry["sq"], "Real"))
                term = normal.mul(term, normal.mul(root, root))
            strict = strict or firm
            total = add(total, term)
        for entry in items(node.get("eq", [])):
            text, label = items(entry, 2)
            fact = self.fact(label)
            need(fact.op == "=", "a fact in 'eq' is not an equation")
            total = add(total, normal.mul(normal.poly(self.value(text, "Real")), normal.gap(fact)))
        need(strict or op in ("<=", "="), "a strict goal needs a strict summand")
        wanted = {} if op == "false" else normal.gap(self.goal)
        need(total == wanted, "the sum is not the difference of the two sides")
        return True

    def by_interval(self, node: Any) -> bool:
        goal, bits = self.goal, node["prec"]
        need(goal.op in ("<=", "<"), "'interval' needs an inequality as goal")
        need(type(bits) is int and 16 <= bits <= 4096, "prec is from 16 to 4096")
        low: dict[Term, Fraction] = {}
        high: dict[Term, Fraction] = {}
        for label in items(node["on"]):
            fact = self.fact(label)
            need(fact.op in ("<=", "<"), "a fact in 'on' is not an inequality")
            a, b = fact.kids
            x, end = (a, b) if a.op == "var" else (b, a)
            c = self.normal.constant(self.normal.poly(end))
            if x.op != "var" or c is None:
                raise Rejected("a fact in 'on' is not a numeric bound on a name")
            if x is a:
                high[x] = min(Fraction(c), high.get(x, Fraction(c)))
            else:
                low[x] = max(Fraction(c), low.get(x, Fraction(c)))
        least = Enclosure(low, high, bits).of(Term("-", None, goal.kids[1], goal.kids[0]), ())[0]
        need(least[0] > 0 or (least[0] == 0 and goal.op == "<="), "the enclosure does not decide the goal")
        return True


def coefficient(c: Any) -> Fraction:
    found = re.fullmatch(r"([0-9]{1,2000})(?:/([0-9]{1,2000}))?", string(c), re.ASCII)
    if found is None or int(found[1]) == 0 or int(found[2] or 1) == 0:
        raise Rejected("a coefficient is a positive rational in digits")
    return Fraction(int(found[1]), int(found[2] or 1))


@cache
def axioms() -> dict[str, Term]:
    """The table AXIOMS as formulas."""
    return {name: Reader({}, {}).formula(text) for name, text in AXIOMS.items()}


def check(goal: Term, proof: Any, lemmas: Mapping[str, Term], known: dict[str, Definition], seconds: float) -> Proof:
    """A finished check; Rejected where `proof` does not prove `goal`. Nothing else is raised."""
    Clock.start(seconds)
    checked = Proof(lemmas, known)
    try:
        checked.prove(goal, proof)
    except RecursionError:
        raise Rejected("something is nested too deep") from None
    return checked


# --- What a claim needs besides a proof ------------------------------------------------------------------------------


def both(a: Term, b: Term) -> Term:
    """a & b, shorter where one of them is `true` or they are equal."""
    return b if a == TRUE else a if b in (TRUE, a) else Term("&", None, a, b)


def given(a: Term, b: Term) -> Term:
    return TRUE if b == TRUE else Term("->", None, a, b)


def every(sort: Any, body: Term) -> Term:
    return TRUE if body == TRUE else Term("all", sort, body)


def defined(t: Term) -> Term:
    """D: every denominator that is met is not 0, every radicand and exponent of pow is >= 0, what has a logarithm > 0.

    Met means: under the quantifiers around it, after the premises and the parts of & before it, after the negations of
    the parts of | before it, and for the indices in the range of its sum.
    """
    op, kids = t.op, t.kids
    if op in ("all", "ex"):
        return every(t.data, defined(kids[0]))
    if op in ("&", "->", "|"):
        before = Term("~", None, kids[0]) if op == "|" else kids[0]
        return both(defined(kids[0]), given(before, defined(kids[1])))
    if op in ("sum", "prod"):
        ends = both(defined(kids[0]), defined(kids[1]))
        within = interval_of(shift(kids[0], 1), shift(kids[1], 1))
        return both(ends, every("Int", given(within, defined(kids[2]))))
    out = TRUE
    for k in kids:
        out = both(out, defined(k))
    name = t.data if op == "fn" else op
    if name not in ("/", "sqrt", "log", "pow"):
        return out
    last = kids[-1]  # the denominator, radicand, exponent
    value = Fraction(*last.data) if last.op == "num" else None
    if name == "/":
        return out if value else both(out, Term("~", None, Term("=", None, last, number(0))))
    if value is not None and (value > 0 or (value == 0 and name != "log")):
        return out
    return both(out, Term("<" if name == "log" else "<=", None, number(0), last))


def refutation(t: Term) -> Term:
    """R: somewhere the leading premises of t hold, what they lead to is false, and all of this is defined."""
    if t.op == "all":
        return Term("ex", t.data, refutation(t.kids[0]))
    if t.op == "->":
        premise, rest = t.kids
        return both(both(premise, defined(premise)), refutation(rest))
    return both(defined(t), Term("~", None, t))


def hypotheses(t: Term, last: Callable[[Term], list[Term]]) -> list[Term]:
    """The leading quantifiers and premises of t, as "there are ... with ...", before each of the formulas that `last`
    gives for what they lead to (where there is none: before `true`)."""
    if t.op == "all":
        return [Term("ex", t.data, f) for f in hypotheses(t.kids[0], last) or [TRUE]]
    if t.op == "->":
        return [both(t.kids[0], f) for f in hypotheses(t.kids[1], last) or [TRUE]]
    return last(t)


def sides(t: Term) -> Sequence[Term]:
    """The two sides of <->, which is read as two implications; nothing for any other formula."""
    if t.op != "&":
        return ()
    a, b = t.kids
    return a.kids if a.op == b.op == "->" and a.kids == b.kids[::-1] else ()


def cases(t: Term) -> list[Term]:
    """What must be possible, so that no part of t holds because its premises never do: the premises of ->; one side of
    <->; of F | ~A the A, and for premises within a part of | that the other parts fail. ~ is pushed inwards first.
    Nothing is asked of parts of | that are all denied, nor behind ex, where the proof has the choice."""
    if t.op in ("all", "->"):
        return hypotheses(t, cases)
    if sides(t):
        return [Term("|", None, *sides(t))]
    if t.op == "&":
        return [one for k in t.kids for one in cases(k)]
    if t.op == "~":
        inner = pushed(t.kids[0])
        return [] if inner == t else cases(inner)
    out: list[Term] = []
    found = parts("|", t) if t.op == "|" else []
    denied = [p.kids[0] for p in found if p.op == "~"]
    others = [p for p in found if p.op != "~"]
    for part in others:
        failing = [negation(p) for p in others if p is not part]
        out += [joined([*denied, *failing], end) for end in cases(part)]
    if denied and others and not out:
        out.append(joined(denied, TRUE))
    return out


def joined(found: Sequence[Term], end: Term) -> Term:
    for one in reversed(found):
        end = both(one, end)
    return end


def pushed(t: Term) -> Term:
    """~t, with the negation one step further inside where t is no comparison and no <->."""

    def no(f: Term) -> Term:
        return f.kids[0] if f.op == "~" else Term("~", None, f)

    if t.op in ("all", "ex"):
        return Term("ex" if t.op == "all" else "all", t.data, no(t.kids[0]))
    if t.op == "->":
        return Term("&", None, t.kids[0], no(t.kids[1]))
    if t.op == "|" or (t.op == "&" and not sides(t)):
        out, *more = [no(p) for p in parts(t.op, t)]
        for one in more:
            out = Term("&" if t.op == "|" else "|", None, out, one)
        return out
    return no(t)


def inhabited(t: Term, condition: Term | None) -> Term:
    """H: the leading hypotheses of t can be met, with the nontrivial `condition` (under its leading quantifiers); and
    with each of the `cases` of what they lead to."""
    if t.op == "&":
        need(condition is None, "a conjunction takes no nontrivial condition")
        return both(inhabited(t.kids[0], None), inhabited(t.kids[1], None))
    end = t
    while end.op in ("all", "->"):
        end = end.kids[-1]
    found = hypotheses(t, cases) if condition is None or cases(end) else []
    if condition is not None:
        found = hypotheses(t, lambda _: [condition]) + found
    out = TRUE
    for one in reversed(found):
        out = both(one, out)
    return out


def leading(t: Term, tree: Any) -> list[tuple[str, Any]]:
    """The names of the leading quantifiers of a statement, from its syntax tree, with their sorts."""
    names = []
    while tree[0] in ("all", "all in") or tree[:2] == ("op", "->"):
        names += [] if tree[0] == "op" else [tree[1]]
        tree = tree[-1]
    out: list[tuple[str, Any]] = []
    while t.op in ("all", "->"):
        if t.op == "all":
            out.append((names[len(out)] if len(out) < len(names) else f"#{len(out)}", t.data))
        t = t.kids[-1]
    return out


# --- Files -----------------------------------------------------------------------------------------------------------

ID = re.compile(r"[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*", re.ASCII)
KEYS = ("statement", "nontrivial", "claim", "corrects", "note", "model")


class Statement:
    """One block of the file of statements."""

    def __init__(self, name: str, block: dict[str, str], known: dict[str, Definition]) -> None:
        self.id, self.known, self.text = name, known, block["statement"]
        self.nontrivial = block.get("nontrivial")
        self.claim = block.get("claim", "yes") == "yes"
        self.corrects = block.get("corrects")
        self.model = block.get("model")  # the hash of the model that it is about, where it says so
        kind, _, rest = name.partition(".")
        self.label = f"{kind}:{rest}" if kind in OUTSIDE else f"lem:{name}"
        self.assumed = kind in ("named", "oracle")
        need(block.get("claim", "yes") in ("yes", "no"), "claim is yes or no")
        lemma = kind in OUTSIDE and self.corrects is None
        need(self.claim or lemma, f"'{name}' must be a claim: only a lemma is let off D and H")

    @cached_property
    def formula(self) -> Term:
        return Reader({}, self.known).formula(self.text)

    @cached_property
    def digest(self) -> str:
        return digest(self.formula)

    def goal(self, part: str) -> Term:
        """What the part "proof", "defined" or "inhabited" of a certificate must prove, or that of a refutation."""
        if part == "proof":
            return self.formula
        if part == "refutation":
            return refutation(self.formula)
        if part == "defined":
            return defined(self.formula)
        if self.nontrivial is None:
            return inhabited(self.formula, None)
        parser = Parser(self.text)
        names = leading(self.formula, parser.whole(parser.formula))
        return inhabited(self.formula, Reader({}, self.known).formula(self.nontrivial, names))


def read_file(path: Path) -> str:
    try:
        need(path.stat().st_size <= MAX_FILE, "a file is too long")
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        raise Rejected("a file cannot be read as UTF-8") from None


def read_statements(text: str) -> dict[str, Statement]:
    """The statements of a file by id."""
    lines: list[str] = []
    for line in text.split("\n"):
        need(line.isprintable(), "a line has a character that is neither printable nor a blank")
        if line.lstrip().startswith("#"):
            continue
        if line[:1].isspace() and line.strip() and lines and lines[-1]:
            lines[-1] += f" {line.strip()}"
        else:
            lines.append(line.strip())
    shared: dict[str, Definition] = {}
    out: dict[str, Statement] = {}
    for block in re.split(r"\n\n+", "\n".join(lines).strip()):
        name, found, own = "", {}, dict(shared)
        for place, line in enumerate(block.split("\n")):
            head, colon, rest = line.partition(":")
            if place == 0 and line[:1] == "[" and line[-1] == "]":
                name = line[1:-1]
                need(ID.fullmatch(name) is not None and name not in out, f"the id '{name}' is not valid or comes twice")
            elif head == "define":
                made = Definition(rest, own)
                own[made.name] = made
            else:
                need(bool(colon and name) and head in KEYS and head not in found, f"'{name}' has a wrong '{head}'")
                found[head] = rest.strip()
        if not name:
            need(not out, "a block begins with an id in brackets")
            shared = own
            continue
        need("statement" in found, f"'{name}' has no statement")
        out[name] = Statement(name, found, own)
    labels = {s.label for s in out.values()}
    need(len(labels) == len(out), "two ids have the same label")
    need(all(s.corrects in out for s in out.values() if s.corrects is not None), "a corrected id has no statement")
    return out


def load(text: str) -> Any:
    """Strict JSON: no key twice, no numbers but integers, not too deep."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        out = dict(pairs)
        need(len(out) == len(pairs), "a key comes twice")
        return out

    def refuse(_: str) -> NoReturn:
        raise Rejected("a number is not an integer")

    try:
        data = json.loads(text, object_pairs_hook=unique, parse_float=refuse, parse_constant=refuse)
    except (ValueError, RecursionError):
        raise Rejected("a certificate is not valid JSON") from None
    level = [data]
    for _ in range(MAX_NESTING):
        level = [x for part in level if isinstance(part, dict | list) for x in values_of(part)]
        if not level:
            return data
    raise Rejected("a certificate is nested too deep")


def values_of(part: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return part.values() if isinstance(part, dict) else part


class Checker:
    """Statements, and what is known about them so far."""

    def __init__(self, statements: dict[str, Statement]) -> None:
        self.statements = statements
        # proved: an id with the assumptions that its proofs rest on
        self.proved: dict[str, set[str]] = {n: {s.label} for n, s in statements.items() if s.assumed}
        self.refuted: set[str] = set()
        self.accepted: set[tuple[str, str]] = set()  # an id and a sense

    def judge(self, data: Any) -> str:
        """What is printed for a certificate; Rejected where it is not accepted."""
        Clock.start(SECONDS)
        need(isinstance(data, dict), "a certificate is an object")
        is_check = keys_fit(data, "grammar id statement check")
        shape = is_check or keys_fit(data, "grammar id statement lemmas sense proof | defined inhabited model")
        need(shape, "a certificate has the wrong keys")
        need(type(data["grammar"]) is int and data["grammar"] == 1, "a certificate is for another grammar")
        name = string(data["id"])
        need(name in self.statements, f"there is no statement '{name[:80]}'")
        statement = self.statements[name]
        need(data["statement"] == statement.digest, "the hash of the statement differs")
        need(data.get("model") == statement.model, "the hash of the model differs")
        if is_check:
            return f"skipped  {name}  (a check, not a proof)"
        sense, usable = data["sense"], {}
        need(sense in ("proved", "refuted"), "the sense is proved or refuted")
        need((name, sense) not in self.accepted, f"there is another certificate of '{name}'")
        need(isinstance(data["lemmas"], dict), "the lemmas are an object")
        for lemma, wanted in data["lemmas"].items():
            need(lemma != name and lemma in self.proved, f"the lemma '{lemma[:80]}' is not proved")
            need(self.statements[lemma].digest == wanted, f"the hash of the lemma '{lemma[:80]}' differs")
            usable[self.statements[lemma].label] = self.statements[lemma].formula
        if sense == "proved" and statement.claim:
            need("defined" in data and "inhabited" in data, "a claim needs proofs of D and H")
        nodes, assumed = 0, set()
        for lemma in data["lemmas"]:
            assumed |= self.proved[lemma] if not self.statements[lemma].assumed else set()
        for part in ("proof", "defined", "inhabited"):
            if part in data:
                goal = statement.goal("refutation" if part == "proof" and sense == "refuted" else part)
                try:
                    checked = check(goal, data[part], usable, statement.known, SECONDS)
                except Rejected as error:
                    raise Rejected(f"{part}: {error}") from None
                nodes += checked.nodes
                assumed |= {label for label in checked.used if label.startswith(("named:", "oracle:"))}
        self.stands(assumed)
        self.accepted.add((name, sense))
        resting = f", assuming {', '.join(sorted(assumed))}" if assumed else ""
        if sense == "refuted":
            need(not any(a.startswith("oracle:") for a in assumed), "a refutation may not rest on an oracle")
            self.refuted.add(name)
            if statement.assumed:  # nothing may rest on it any more
                self.proved.pop(name, None)
            return f"REFUTED  {name}  ({nodes} nodes{resting})"
        self.proved[name] = assumed
        return f"PROVED   {name}  ({nodes} nodes{resting})"

    def stands(self, assumed: set[str]) -> None:
        """Rejected where one of the assumptions is refuted."""
        for name in self.refuted:
            label = self.statements[name].label
            need(label not in assumed, f"it assumes '{label[:80]}', which is refuted")


def in_order(certificates: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """The certificates, each after those of its lemmas (where they go in a circle, some lemma is not proved yet)."""
    of: dict[Any, list[int]] = {}
    for place, (_, data) in enumerate(certificates):
        if isinstance(data, dict) and isinstance(data.get("id"), str):
            of.setdefault(data["id"], []).append(place)
    out: list[tuple[str, Any]] = []
    opened: set[int] = set()
    done: set[int] = set()
    stack = list(reversed(range(len(certificates))))
    while stack:
        place = stack[-1]
        data = certificates[place][1]
        lemmas = data.get("lemmas") if isinstance(data, dict) else None
        before = [p for n in (lemmas if isinstance(lemmas, dict) else ()) for p in of.get(n, ()) if p not in opened]
        if place in opened or not before:
            stack.pop()
            if place not in done:
                done.add(place)
                out.append(certificates[place])
        opened.add(place)
        stack += [p for p in before if p != place]
    return out


def say(text: str) -> None:
    """Print one line; what a certificate put into it cannot move the cursor."""
    print("".join([c if " " <= c <= "~" else "?" for c in text]))


def attempt(action: Callable[[Any], Any], given: Any) -> Any:
    """action(given), and Rejected in place of what Python raises when something is too large."""
    try:
        return action(given)
    except RecursionError:
        raise Rejected("something is nested too deep") from None
    except MemoryError:
        raise Rejected("something is too large") from None


def main(arguments: Sequence[str]) -> int:
    sys.setrecursionlimit(RECURSION)
    gc.set_threshold(100_000, 20, 50)  # terms have no cycles
    if len(arguments) < 2 or any(a.startswith("-") for a in arguments):
        print("usage: python checker.py STATEMENTS PROOF...   (a proof is a certificate or a folder of them)")
        return 2
    Clock.start(SECONDS)
    try:
        checker = Checker(attempt(read_statements, read_file(Path(arguments[0]))))
    except Rejected as error:
        say(f"the file of statements is not usable: {error}")
        return 2
    paths = [q for p in map(Path, arguments[1:]) for q in (sorted(p.glob("*.json")) if p.is_dir() else [p])]
    if not paths:
        print("there is no certificate in these folders")
        return 2
    loaded: list[tuple[str, Any]] = []
    for path in paths:
        try:
            loaded.append((path.name, attempt(load, read_file(path))))
        except Rejected as error:
            loaded.append((path.name, error))
    counts = {"PROVED": 0, "REFUTED": 0, "skipped": 0, "rejected": 0}
    for name, data in in_order(loaded):
        try:
            if isinstance(data, Rejected):
                raise data
            line = attempt(checker.judge, data)
        except Rejected as error:
            line = f"rejected {name}: {error}"
        say(line)
        counts[line.split()[0]] += 1
        contradiction = checker.refuted & set(checker.proved)
        if contradiction:
            say(f"A DEFECT OF THIS CHECKER: {contradiction.pop()} and its negation are both proved; please report it")
            return 1
    for name, assumed in checker.proved.items():  # what was refuted after it had been used
        try:
            checker.stands(assumed)
        except Rejected as error:
            say(f"rejected {name}: {error}")
            counts["rejected"] += 1
    print(", ".join(f"{n} {word}" for word, n in counts.items()))
    return 1 if counts["rejected"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
