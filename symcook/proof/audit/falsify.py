"""A small search, with a fixed seed, for an instance at which a statement is false. A reported instance is right.

In: a statement. Out: a text such as ``n = 1, x = 1/2`` that names the values, or "" if none was found. The statement is
cut into chains, each with hypotheses and a conclusion. For each chain values of the names are drawn up to `MOST_TRIES`
times; a name that a hypothesis defines by an equation gets its value from there.

Numbers are Fractions; where pi or a function such as exp, log or sqrt comes in they are Arb balls, and a comparison
that the balls do not decide counts as unknown. So does whatever the kernel leaves to convention: a division by zero, a
root of a negative number. An instance is reported only where every hypothesis is true and the conclusion false.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from symcook.locks import PRECISION
from symcook.model import expr
from symcook.model.expr import Tree
from symcook.proof.terms import Term, flatten, free, instantiate, num, var

if TYPE_CHECKING:
    from flint import arb

    from symcook.proof.replay import Statement
    from symcook.proof.terms import Sort

MOST_TRIES = 400  # tries of each chain, each with newly drawn values
WORK = 150_000  # evaluated nodes in one search; a count and not a time, so that the same is found everywhere
WORK_OF_TRY = 50  # what a try costs besides its nodes
MOST_RANGE = 60  # numbers in a range that is gone through
MOST_WORK = 20_000  # evaluated nodes in one try
MOST_POWER = 64  # exponent of a power that is computed
MOST_EXP = 1000  # argument of exp that is computed
MOST_CELLS = 6  # values of a function that the answer lists
BITS = 192  # precision of the values of functions; operations on balls have flint's current precision

# The values that are drawn for real numbers, for integers (small ones more often), and for indicators.
REALS = tuple(Fraction(p, q) for p, q in ((0, 1), (1, 1), (-1, 1), (1, 2), (-1, 2), (2, 1), (1, 3), (-2, 1), (3, 1)))
REALS += (Fraction(1, 7), Fraction(-5, 2), Fraction(1, 100), Fraction(10), Fraction(99, 100), Fraction(3, 2))
WHOLE = tuple(map(Fraction, (0, 1, 2, 3, 1, 2, 4, -1, 5)))
BITS_ONLY = (Fraction(0), Fraction(1))


class _NotKnown(Exception):
    """A value that cannot be computed: it is undefined, too large, or a comparison is undecided."""


class _Spent(_NotKnown):
    """The work of one try is used up."""


@dataclass
class _Chain:
    """One path through a formula: quantified variables with their names, hypotheses, and the part that must fail."""

    names: list[tuple[Term, str]]
    premises: list[Term]
    goal: Term


def falsify(statement: Statement, work: int = WORK) -> str:
    """An instance at which the statement is false, in words; empty where none was found within `work`, and also for a
    false statement without names."""
    chains = list(_chains(statement.formula, expr.parse_formula(statement.expanded), _Chain([], [], statement.formula)))
    draw = random.Random(0)
    for attempt in range(MOST_TRIES):
        for chain in chains:
            trial = _Try(chain, draw, attempt)
            counterexample = trial.run()
            if counterexample is not None:
                return counterexample
            work -= trial.work + WORK_OF_TRY
            if work < 0:
                return ""
    return ""


def _chains(t: Term, tree: Tree | None, so_far: _Chain) -> Iterator[_Chain]:
    """Every path to a part that would make the formula false. `tree` is the formula as written, for the names of bound
    variables; None where it has another form."""
    tag, sort, kids = t
    word = tree[0] if tree is not None else None
    # ``all`` adds a name. For ``all x in a..b. F`` the kernel has ``all x. a <= x & x <= b -> F``.
    if tag == "all":
        ranged = word == "all in"
        has_tree = tree is not None and word in ("all", "all in")
        name = tree[1] if has_tree and tree is not None else f"x{len(so_far.names) + 1}"
        v = var(f"{name}@{len(so_far.names)}", sort)
        body = instantiate(kids[0], (v,))
        tree_below = tree[-1] if has_tree and tree is not None else None
        names = [*so_far.names, (v, name)]
        if ranged:
            chain = _Chain(names, [*so_far.premises, *flatten("&", body[2][0])], t)
            yield from _chains(body[2][1], tree_below, chain)
        else:
            yield from _chains(body, tree_below, _Chain(names, so_far.premises, t))
    elif tag == "->":
        tree_below = tree[2] if tree is not None and word == "->" else None
        premises = [*so_far.premises, *flatten("&", kids[0])]
        yield from _chains(kids[1], tree_below, _Chain(so_far.names, premises, t))
    elif tag == "&":  # either part may fail
        for place, part in enumerate(kids, 1):
            tree_below = tree[place] if tree is not None and word == "&" else None
            yield from _chains(part, tree_below, so_far)
    else:
        yield _Chain(so_far.names, so_far.premises, t)


TriedValue: TypeAlias = "Fraction | arb"
"""A value of a name or a term: exact, or a ball."""


class _Try:
    """One choice of values for the names of a chain; equations among the hypotheses define names and functions.

    `values` has the values of names so far, `tables` the values of functions, by their arguments.
    """

    def __init__(self, chain: _Chain, draw: random.Random, attempt: int) -> None:
        self.chain, self.draw = chain, draw
        self.work = 0
        self.values: dict[Term, TriedValue] = {}
        self.tables: dict[Term, dict[tuple[TriedValue, ...], TriedValue]] = {}
        self.pools: dict[Term, Any] = {}  # how the values of a function are drawn
        self.definitions: dict[Term, Any] = {}  # a term for a name; for a function its variable, range and value
        self.busy: set[Any] = set()  # what is being computed by its definition, which may be circular
        self.small = attempt % 3  # sizes stay small in two tries of three
        own = {v for v, _ in chain.names}
        for premise in chain.premises:
            self.define(premise, own)

    def define(self, premise: Term, own: set[Term]) -> None:
        """Take an equation v = term, or all i in a..b. f(i) = term, as the definition of v or f."""
        tag, sort, kids = premise
        if tag == "=":  # with the name on either side
            for v, term in (kids, kids[::-1]):
                if v in own and v not in self.definitions and v not in free(term):
                    self.definitions[v] = term
                    return
        if tag == "all" and sort == "Int" and kids[0][0] == "->":
            i = var("i@", "Int")
            inside, body = instantiate(kids[0], (i,))[2]
            for part in flatten("&", body):
                for side, term in (part[2], part[2][::-1]) if part[0] == "=" else ():
                    if side[0] == "app" and side[2][1:] == (i,):
                        f = side[2][0]
                        if f in own and f not in self.definitions and f not in free(term):
                            self.definitions[f] = (i, inside, term)
                            return

    def run(self) -> str | None:
        """The values as text, if all hypotheses are true for them and the conclusion is false; else None."""
        try:
            for premise in self.chain.premises:
                if self.truth(premise, []) is not True:
                    return None
            if self.truth(self.chain.goal, []) is not False:
                return None
        except (_NotKnown, RecursionError):
            return None
        return self.words()

    def words(self) -> str:
        """The values of names, and the first values of functions, as text."""
        out = []
        for v, name in self.chain.names:
            if isinstance(v[1][1], str):
                try:
                    out.append(f"{name} = {_shown(self.name(v))}")
                except _NotKnown:
                    continue
            else:
                table = sorted(self.tables.get(v, {}).items(), key=lambda item: item[0])
                cells = [f"{name}({', '.join(map(_shown, at))}) = {_shown(y)}" for at, y in table]
                out.append(", ".join(cells[:MOST_CELLS]) + (", ..." if len(cells) > MOST_CELLS else ""))
        return ", ".join(filter(None, out))

    # Values.

    def name(self, v: Term) -> TriedValue:
        """The value of a name: by its definition, else drawn once."""
        if v not in self.values:
            if v in self.definitions:
                if v in self.busy:
                    raise _NotKnown
                self.busy.add(v)
                self.values[v] = self.value(self.definitions[v], [])
                self.busy.discard(v)
            else:
                self.values[v] = self.pick(v[1][1])
        return self.values[v]

    def pick(self, sort: str) -> Fraction:
        """A number of a sort, drawn."""
        if sort == "Int":
            return self.draw.choice(WHOLE if self.small else (*WHOLE, *map(Fraction, (6, 8, 12))))
        return self.draw.choice(REALS)

    def applied(self, f: Term, at: tuple[TriedValue, ...]) -> TriedValue:
        """The value of a function: from its table, by its definition within its range, else drawn."""
        if not all(isinstance(x, Fraction) for x in at):
            raise _NotKnown  # an argument is a ball: equal arguments could not be recognised
        table = self.tables.setdefault(f, {})
        if at in table:
            return table[at]
        definition = self.definitions.get(f)
        if definition is not None and len(at) == 1 and isinstance(at[0], Fraction):
            i, inside, function_value = definition
            if (f, at) in self.busy:
                raise _NotKnown
            # All definitions share the variable `i`: its value is restored for the definition that needs this value.
            self.busy.add((f, at))
            self.values[i], before = at[0], self.values.get(i)
            try:
                if self.truth(inside, []) is True:
                    table[at] = self.value(function_value, [])
            finally:
                self.busy.discard((f, at))
                if before is not None:
                    self.values[i] = before
        if at not in table:
            table[at] = self.drawn(f, at)
        return table[at]

    def drawn(self, f: Term, at: tuple[TriedValue, ...]) -> TriedValue:
        """A value of a function without a definition: of one kind for the whole function, which is drawn once."""
        if f not in self.pools:
            self.pools[f] = self.draw.choice(("bits", "bits", "any", "grows", "falls"))
        kind, result = self.pools[f], f[1][1][2]
        if kind == "bits":
            return self.draw.choice(BITS_ONLY)
        if kind == "any":
            return self.pick(result)
        step = at[0] if isinstance(at[0], Fraction) else Fraction(0)
        return step if kind == "grows" else -step * 3

    def spend(self) -> None:
        """Count one node; _Spent after `MOST_WORK` nodes in this try."""
        self.work += 1
        if self.work > MOST_WORK:
            raise _Spent

    def value(self, t: Term, bound: list[TriedValue]) -> TriedValue:
        """The value of a term; `bound` has those of the variables of the binders around it, the innermost first."""
        self.spend()
        tag, data, kids = t
        if tag == "num":
            return Fraction(*data)
        if tag == "var":
            return self.name(t)
        if tag == "bound":
            return bound[data[0]]
        if tag == "ind":  # I[F]
            truth = self.truth(kids[0], bound)
            if truth is None:
                raise _NotKnown
            return Fraction(truth)
        if tag in ("sum", "prod"):
            total: TriedValue = Fraction(tag == "prod")
            for j in self.range(kids[0], kids[1], bound):
                term = self.value(kids[2], [j, *bound])
                total = _plus(total, term) if tag == "sum" else _times(total, term)
            return total
        if tag == "app":  # of a name in scope, or of a function that a quantifier of the formula binds
            head = kids[0]
            at = tuple([self.value(k, bound) for k in kids[1:]])
            if head[0] == "var":
                return self.applied(head, at)
            return bound[head[1][0]](*at)
        # Functions and operations of numbers.
        inside = [self.value(k, bound) for k in kids]
        if tag == "fn":
            return _function(data, inside)
        if tag == "neg":
            return -inside[0]
        if tag == "^":
            if data > MOST_POWER:
                raise _NotKnown
            return inside[0] ** data
        return _operation(tag, *inside)

    def range(self, low: Term, high: Term, bound: list[TriedValue]) -> Iterator[Fraction]:
        """The integers between two terms; _NotKnown where an end is no integer, or where there are too many."""
        a, b = self.value(low, bound), self.value(high, bound)
        if not (isinstance(a, Fraction) and isinstance(b, Fraction)) or b - a > MOST_RANGE:
            raise _NotKnown
        if a.denominator != 1 or b.denominator != 1:
            raise _NotKnown
        return map(Fraction, range(int(a), int(b) + 1))

    # Truth: True, False, or None where it is not known.

    def truth(self, t: Term, bound: list[TriedValue]) -> bool | None:
        """Whether a formula is true; None where it is not known."""
        try:
            return self.decided(t, bound)
        except _Spent:
            raise
        except _NotKnown:
            return None

    def decided(self, t: Term, bound: list[TriedValue]) -> bool | None:
        """As `truth`, but _NotKnown where a value in a comparison is not known."""
        self.spend()
        tag, sort, kids = t
        if tag in ("true", "false"):
            return tag == "true"
        if tag in ("=", "<=", "<"):
            return _compare(tag, *(self.value(k, bound) for k in kids))
        if tag == "~":
            inside = self.truth(kids[0], bound)
            return None if inside is None else not inside
        # One side alone decides & if it is false, and | if it is true. F -> G is ~F | G.
        if tag in ("&", "|", "->"):
            first = self.truth(kids[0], bound)
            if tag == "->":
                first = None if first is None else not first
            decisive = tag != "&"
            if first is decisive:
                return decisive
            second = self.truth(kids[1], bound)
            return second if second is decisive or first is not None else None
        # A quantifier over a range is decided by all its numbers. Any other one is tried on samples, which can only
        # show that ``ex`` is true or ``all`` is false.
        decisive = tag == "ex"
        ranged = self.ranged(t, bound)
        unknown = ranged is None
        values, body = ranged if ranged is not None else (self.samples(sort), kids[0])
        for sample in values:
            truth = self.truth(body, [sample, *bound])
            if truth is decisive:
                return decisive
            unknown = unknown or truth is None
        return None if unknown else not decisive

    def ranged(self, t: Term, bound: list[TriedValue]) -> tuple[Iterator[Fraction], Term] | None:
        """The values and the body of ``all j in a..b. F``, which the kernel writes with a premise, or of ``ex j in
        a..b. F``, which it writes with a conjunction; None for any other formula."""
        tag, sort, (body,) = t
        if sort != "Int" or body[0] != ("->" if tag == "all" else "&") or body[2][0][0] != "&":
            return None
        first, second = body[2][0][2]
        here = ("bound", (0, "Int"), ())
        if first[0] != "<=" or second[0] != "<=" or first[2][1] != here or second[2][0] != here:
            return None
        # The ends stand inside the quantifier, so any value is put in for its variable, which they must not use.
        ends, own = (first[2][0], second[2][1]), var("own@", "Int")
        values = (own, *(num(0) for _ in bound))
        if any(own in free(instantiate(end, values)) for end in ends):
            return None
        return self.range(*ends, [Fraction(0), *bound]), body[2][1]

    def samples(self, sort: Sort) -> list[Any]:
        """Some values of a sort to try in a quantifier."""
        if sort == "Int":
            return [Fraction(k) for k in range(-2, 7)]
        if sort == "Real":
            return list(REALS)
        return [lambda *at: Fraction(0), lambda *at: Fraction(1), lambda *at: at[0]]


def _ball(x: TriedValue) -> Any:
    """The number as an Arb ball."""
    from flint import arb, fmpq

    return arb(fmpq(x.numerator, x.denominator)) if isinstance(x, Fraction) else x


def _plus(a: TriedValue, b: TriedValue) -> TriedValue:
    """The sum, exact where both values are exact."""
    return a + b if isinstance(a, Fraction) and isinstance(b, Fraction) else _ball(a) + _ball(b)


def _times(a: TriedValue, b: TriedValue) -> TriedValue:
    """The product, exact where both values are exact."""
    return a * b if isinstance(a, Fraction) and isinstance(b, Fraction) else _ball(a) * _ball(b)


def _operation(tag: str, a: TriedValue, b: TriedValue) -> TriedValue:
    """a + b, a - b, a*b or a/b; _NotKnown for a quotient where b may be 0."""
    if tag in ("+", "-"):
        return _plus(a, b if tag == "+" else -b)
    if tag == "*":
        return _times(a, b)
    if b == 0 if isinstance(b, Fraction) else b.contains(0):
        raise _NotKnown
    return _times(a, 1 / b) if isinstance(b, Fraction) else _ball(a) / b


def _compare(tag: str, a: TriedValue, b: TriedValue) -> bool | None:
    """Whether the comparison holds; None where balls do not decide it. They never show that two values are equal."""
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return a == b if tag == "=" else a <= b if tag == "<=" else a < b
    x, y = _ball(a), _ball(b)
    if tag == "=":
        return False if not x.overlaps(y) else None
    if x < y:
        return True
    if x > y:
        return False
    return None


def _function(name: str, arguments: list[TriedValue]) -> TriedValue:
    """The value of a function of the grammar; _NotKnown outside of its domain."""
    from flint import arb, ctx

    # Exact where that is possible: relu, abs, min and max of fractions, and powers.
    exact = all(isinstance(x, Fraction) for x in arguments)
    if name in ("relu", "abs") and exact:
        return max(arguments[0], Fraction(0)) if name == "relu" else abs(arguments[0])
    if name in ("min", "max"):
        if exact:
            return min(arguments) if name == "min" else max(arguments)
        a, b = map(_ball, arguments)
        return a.min(b) if name == "min" else a.max(b)
    if name == "pow":
        exponent = arguments[1]
        if not isinstance(exponent, Fraction) or exponent.denominator != 1 or not 0 <= exponent <= MOST_POWER:
            raise _NotKnown
        return arguments[0] ** int(exponent)
    # A ball otherwise.
    with PRECISION, ctx.workprec(BITS):
        if name == "pi":
            return arb.pi()
        x = _ball(arguments[0])
        if name == "relu":
            return x.max(arb(0))
        if name == "abs":
            return abs(x)
        if (name == "log" and not x > 0) or (name == "sqrt" and not x >= 0):
            raise _NotKnown
        if name == "exp" and not (x < MOST_EXP and x > -MOST_EXP):
            raise _NotKnown
        return getattr(x, name)()


def _shown(x: TriedValue) -> str:
    """A value as text; a ball with eight digits."""
    return str(x) if isinstance(x, Fraction) else x.str(8, radius=False)
