#!/usr/bin/env python3
"""A second checker for the proofs of symcook: one file, Python 3.11 or newer, nothing but the standard library.

    python checker.py STATEMENTS PROOF...

STATEMENTS is a file of statements (proofs/expanded.txt), a PROOF is a certificate (JSON) or a folder of them. One line
is printed for each certificate: PROVED, REFUTED (its negation is proved), skipped, or rejected and why. The exit status
is 0 when nothing was rejected, 1 otherwise, 2 for wrong usage. Nothing is searched here. The file shares no code with
symcook: both must agree on the hash of every statement and on every proof.

STATEMENTS. Blocks separated by blank lines; ``#`` begins a comment line, an indented line goes on with the one before.
A first block of ``define:`` lines holds definitions for all. The others begin with ``[id]`` and have the keys
``statement``, ``nontrivial``, ``define``, ``claim`` (yes or no), ``corrects``, ``note``. The text of a statement:

    formula   F <-> F   F -> F   F | F   F & F   ~F   (weakest first; these group to the right)
              t = t   != <= < >= >   (chains: a <= b < c)   true   false
              all x:Real, n:Int. F     ex f:Int->Real. F     all j in lo..hi. F     (ex as well)
    term      t + t   t - t   t * t   t / t   -t   t ^ 3   numerals such as 2 and 0.5
              f(t, ...)   sum(j, lo, hi, t)   prod(j, lo, hi, t)   I[F] (1 if F, else 0)   if(F, t, t)   pi
              relu abs min max exp log sqrt erf pow(t, n) tanh sinh cosh
    sort      Int   Real   Int*Real->Real (arguments and result; Int is a part of Real)

``define: name(a, b) := body`` is expanded where ``name(...)`` is read; an argument may be a function, ``j. t``. No name
is bound twice, none is a definition or a reserved word. Sorts are checked: the bounds of sum and prod, the exponent of
pow and the arguments of an Int function are of sort Int. The hash of a statement is the sha256 of its tree, in which a
bound variable is the number of binders between it and its own (see `Term.tree`), as JSON without spaces.

MEANING. All functions are total: 1/0 is 0, and sqrt, log and pow of wrong arguments are some number. So a claim needs
three proofs: of S, of D(S) (everything in S is defined where it is met, see `defined`), of H(S) (the hypotheses of S
can be met, nontrivially, see `inhabited`). A refutation is a proof of ~S. Statements with ``claim: no`` are lemmas.
Ids ``named.X`` and ``oracle.X`` are assumptions; whatever rests on them says so.

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

import hashlib
import json
import math
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NoReturn

MAX_TEXT = 2_000_000  # characters of a statement or a text in a proof
MAX_FILE = 16_000_000  # bytes of a file
MAX_DIGITS = 4_000  # of a numeral
MAX_EXPONENT = 1_000  # written after ^
MAX_EXPANSION = 200_000  # steps of expanding definitions
MAX_SIZE = 60_000  # symbols of a formula
MAX_DEPTH = 320  # nested symbols of a formula
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
FUNCTIONS = {"relu": 1, "abs": 1, "min": 2, "max": 2, "exp": 1, "log": 1, "sqrt": 1, "erf": 1, "pow": 2, "pi": 0}
WHOLE = frozenset({"+", "-", "*", "neg", "^", "relu", "abs", "min", "max"})  # of sort Int where the arguments are
NUMBERS = ("Int", "Real")


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
        size, depth, loose = 1, 0, data[0] + 1 if op == "bound" else 0
        for place, k in enumerate(kids):
            size += k.size
            depth = max(depth, k.depth)
            loose = max(loose, k.loose - self.binds(place))
        need(size <= MAX_SIZE and depth < MAX_DEPTH, "a formula is too large or too deep")
        self.size, self.depth, self.loose = size, depth + 1, loose
        self.hash = hash((op, data, kids))
        self.sort = self.find_sort()
        Clock.spend(1)

    def binds(self, place: int) -> int:
        """How many variables are bound over the kid at `place`."""
        if self.op in ("all", "ex"):
            return 1
        if self.op in ("sum", "prod"):
            return 1 if place == 2 else 0
        return len(self.data) if self.op == "lam" else 0

    def find_sort(self) -> Any:
        op, sorts = self.op, [k.sort for k in self.kids]
        if op == "num":
            return "Int" if self.data[1] == 1 else "Real"
        if op in ("var", "bound"):
            return self.data[1]
        if op in ("~", "&", "|", "->", "true", "false", "all", "ex"):
            need(all(s == "Bool" for s in sorts), f"'{op}' needs formulas")
            return "Bool"
        if op == "ind":
            need(sorts == ["Bool"], "I[...] needs a formula")
            return "Int"
        if op == "app":
            head, *given = sorts
            need(isinstance(head, tuple) and len(head[1]) == len(given), "a function has the wrong arguments")
            need(all(fits(a, b) for a, b in zip(given, head[1], strict=True)), "an argument has the wrong sort")
            return head[2]
        need(all(s in NUMBERS for s in sorts), f"'{op}' needs numbers")
        if op == "lam":
            return ("fun", self.data, sorts[0])
        if op in COMPARISONS:
            return "Bool"
        if op in ("sum", "prod"):
            need(sorts[:2] == ["Int", "Int"], f"the bounds of {op} must be of sort Int")
            return sorts[2]
        name = self.data if op == "fn" else op
        need(name != "pow" or sorts[1] == "Int", "the exponent of pow must be of sort Int")
        return "Int" if name in WHOLE and "Real" not in sorts else "Real"

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Term) or self.hash != other.hash:
            return False
        return self.op == other.op and self.data == other.data and self.kids == other.kids

    def tree(self) -> list[Any]:
        """The term as nested lists: what the hash of a statement is computed from."""
        return [self.op, self.data, [k.tree() for k in self.kids]]


def fits(given: Any, wanted: Any) -> bool:
    """Whether a value of sort `given` may stand where `wanted` is asked for."""
    if given == wanted or (given == "Int" and wanted == "Real"):
        return True
    if not isinstance(given, tuple) or not isinstance(wanted, tuple) or len(given[1]) != len(wanted[1]):
        return False
    return fits(given[2], wanted[2]) and all(fits(w, g) for g, w in zip(given[1], wanted[1], strict=True))


def number(p: int, q: int = 1) -> Term:
    return Term("num", (p, q))


TRUE, FALSE = Term("true"), Term("false")


def digest(formula: Term) -> str:
    return hashlib.sha256(json.dumps(formula.tree(), separators=(",", ":")).encode()).hexdigest()


def rebuild(t: Term, leaf: Callable[[Term, int], Term | None], depth: int, memo: dict[Any, Term]) -> Term:
    """`t` with every part replaced for which `leaf(part, binders around it)` gives another one."""
    new = leaf(t, depth)
    if new is not None or not t.kids:
        return t if new is None else new
    place = (id(t), depth)
    if place not in memo:
        kids = [rebuild(k, leaf, depth + t.binds(n), memo) for n, k in enumerate(t.kids)]
        if kids[0].op == "lam":  # a function has been put in the place of f in f(...)
            memo[place] = substitute(kids[0].kids[0], kids[1:])
        else:
            memo[place] = t if all(a is b for a, b in zip(kids, t.kids, strict=True)) else Term(t.op, t.data, *kids)
    return memo[place]


def shift(t: Term, by: int) -> Term:
    """`t`, whose loose indices count from a place with `by` more binders around it than before."""

    def leaf(part: Term, depth: int) -> Term | None:
        if part.loose <= depth:
            return part
        return Term("bound", (part.data[0] + by, part.data[1])) if part.op == "bound" else None

    return rebuild(t, leaf, 0, {}) if by else t


def substitute(body: Term, values: Sequence[Term]) -> Term:
    """The body of a binder with its variables replaced by `values`."""

    def leaf(part: Term, depth: int) -> Term | None:
        if part.loose <= depth:
            return part
        if part.op != "bound":
            return None
        index, sort = part.data
        if index - depth < len(values):
            return shift(values[index - depth], depth)
        return Term("bound", (index - len(values), sort))

    return rebuild(body, leaf, 0, {})


def replace(t: Term, old: Term, new: Term) -> Term:
    """`t` with each part equal to `old` replaced; neither has loose indices."""
    return rebuild(t, lambda part, _: new if part == old else None, 0, {})


def parts(op: str, t: Term) -> list[Term]:
    """The parts of nested & (or |), from left to right."""
    return [x for k in t.kids for x in parts(op, k)] if t.op == op else [t]


def negation(f: Term) -> Term:
    if f.op in ("<=", "<"):
        return Term("<" if f.op == "<=" else "<=", None, f.kids[1], f.kids[0])
    return f.kids[0] if f.op == "~" else Term("~", None, f)
