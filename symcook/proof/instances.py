"""A statement evaluated at all its instances up to a length: what the status CHECKED N rests on.

The premises of such a statement give every name its values, in the order in which they stand (t is known by then):

    a <= n                                   n is the size, the only one: every integer from a to N is tried
    x = t                                    x has this value
    all i in a..b. f(i) = t                  f has these values at these places
    all i in a..b. f(i) = 0 | f(i) = 1       f has one of these numbers at each place: all choices are tried

Any other premise is a condition. So the equations of a model's run determine the run, and all strings are tried. Where
the premises hold, the conclusion must be true. Everything is an exact rational; quantifiers run over the integers of a
range. A term without a value here (a division by zero, f at another place, exp) or a quantifier over all reals ends the
check: nothing counts as true or false without being evaluated. This gives D. H holds as there is an instance, and one
at which the nontrivial condition is true.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from symcook.errors import Rejected
from symcook.proof.conditions import Condition
from symcook.proof.terms import Term, flatten, instantiate, var

MAX_WORK = 30_000_000  # evaluated symbols
MAX_RANGE = 4_096
MAX_POWER = 4_096

InstanceNumber = int | Fraction
HERE: Term = ("bound", (0, "Int"), ())


class Instances:
    """The instances of one statement: `check` counts them, or raises Rejected at one that is false or undefined."""

    def __init__(self, names: Sequence[str], length: int) -> None:
        self.names, self.length = list(names), length
        self.values: dict[Term, Any] = {}  # a number by name, {place: number} by name of a function
        self.work = 0
        self.found = self.telling = 0
        self.size: Term | None = None

    def check(self, statement: Term, condition: Condition) -> int:
        """The number of instances; `condition` reads the nontrivial condition with the leading names."""
        premises: list[Term] = []
        t, names = statement, self.names
        while t[0] == "->" or (t[0] == "all" and not _ranged(t)):
            if t[0] == "->":
                premises += flatten("&", t[2][0])
                t = t[2][1]
                continue
            name = names[len(self.values)] if len(self.values) < len(names) else f"unnamed{len(self.values)}#"
            self.values[var(name, t[1])] = None if isinstance(t[1], str) else {}
            t = instantiate(t[2][0], (var(name, t[1]),))
        nontrivial = condition({v[1][0]: v[1][1] for v in self.values})
        for _ in self.meeting(premises):
            self.found += 1
            if not self.truth(t, ()):
                raise Rejected(f"the statement is false at {self.shown()}")
            self.telling += self.truth(nontrivial, ())
        if not self.telling:
            raise Rejected("no instance meets the premises" + (" nontrivially" if self.found else ""))
        return self.found

    def shown(self) -> str:
        known = ((v[1][0], x) for v, x in self.values.items() if x not in (None, {}))
        return ", ".join(f"{name} = {x if not isinstance(x, dict) else sorted(x.items())}" for name, x in known)[:400]

    # Premises.

    def meeting(self, premises: Sequence[Term]) -> Iterator[None]:
        """Give the names every choice of values that meets the premises."""
        if not premises:
            yield
            return
        first, remaining = premises[0], premises[1:]
        for meets in self.choices(first):
            if meets:
                yield from self.meeting(remaining)

    def choices(self, premise: Term) -> Iterator[bool]:
        """Whether the premise holds, for each way of giving values to the name that it determines, if there is one."""
        tag, sort, kids = premise
        # x = t gives x its value; a <= n gives the size each value from a to the length.
        if tag in ("=", "<="):
            x = kids[0] if tag == "=" else kids[1]
            if x in self.values and self.values[x] is None:
                at = self.value(kids[1 if tag == "=" else 0], ())
                tried = [at] if tag == "=" else range(self.whole(at), self.length + 1)
                if tag == "<=" and (x[1][1] != "Int" or self.size not in (None, x)):
                    raise Rejected(f"'{x[1][0]}' has a bound, but no value")
                self.size = x if tag == "<=" else self.size
                for value in tried:
                    self.values[x] = value
                    yield x[1][1] == "Real" or isinstance(value, int)
                self.values[x] = None
                return
        # f(i) = t, or one of several numbers, at each i of a range: f gets these values where it has none yet.
        if tag == "all" and sort == "Int" and (determined := self.table(kids[0])) is not None:
            f, places, options = determined
            table = self.values[f]
            new = [i for i in places if i not in table]
            yield from self.filled(f, places, new, options)
            for i in new:
                table.pop(i, None)
            return
        # Any other premise is a condition.
        yield self.truth(premise, ())

    def table(self, body: Term) -> tuple[Term, list[int], list[Term]] | None:
        """f, a..b and the options, where `body` is that of ``all i in a..b. f(i) = s | f(i) = t``."""
        if body[0] != "->":
            return None
        options = flatten("|", body[2][1])
        heads = {o[2][0] for o in options if o[0] == "="}
        if any(o[0] != "=" for o in options) or len(heads) != 1:
            return None
        (head,) = heads
        if head[0] != "app" or head[2][0] not in self.values or head[2][1:] != (HERE,):
            return None
        places = self.range(body[2][0], ())
        return None if places is None else (head[2][0], places, [o[2][1] for o in options])

    def filled(self, f: Term, places: list[int], new: list[int], options: list[Term]) -> Iterator[bool]:
        """Give f a value at each new place, one option after the other; whether all places then have one of theirs."""
        table, integral = self.values[f], f[1][1][2] == "Int"
        if len(options) > 1 and any(o[0] != "num" for o in options):
            raise Rejected("the values that a function may choose from must be numerals")
        if len(options) > 1:
            numbers = list(dict.fromkeys(self.value(o, ()) for o in options))
            old = all(table[i] in numbers for i in places if i not in new)
            for chosen in itertools.product(numbers, repeat=len(new)):
                table.update(zip(new, chosen, strict=True))
                yield old and all(isinstance(x, int) or not integral for x in chosen)
            return
        meets = True
        for i in places:  # in order, so that a value may rest on the one before
            value = self.value(options[0], (i,))
            meets = meets and table.setdefault(i, value) == value and (isinstance(value, int) or not integral)
        yield meets

    # Values. `bound` has the integers of the variables bound around a term, the nearest first.

    def spend(self) -> None:
        self.work += 1
        if self.work > MAX_WORK:
            raise Rejected("a check takes too many steps")

    def value(self, t: Term, bound: tuple[int, ...]) -> InstanceNumber:
        # The number that a term is; Rejected where it has none.
        self.spend()
        tag, data, kids = t
        if tag == "num":
            return _short(Fraction(*data)) if data[1] != 1 else data[0]
        if tag == "bound":
            return bound[data[0]]
        if tag == "var":
            if self.values.get(t) is None:
                raise Rejected(f"'{data[0]}' has no value when it is needed")
            return self.values[t]
        # Functions of one argument have values at places only.
        if tag == "app":
            head, (at, *further) = kids[0], [self.value(k, bound) for k in kids[1:]]
            if further or at not in self.values.get(head, {}):
                raise Rejected(f"'{head[1][0]}' has no value at {at}")
            return self.values[head][at]
        if tag == "ind":
            return int(self.truth(kids[0], bound))
        if tag in ("sum", "prod"):
            low, high = (self.whole(self.value(k, bound)) for k in kids[:2])
            total: InstanceNumber = int(tag == "prod")
            for i in _integers(low, high):
                x = self.value(kids[2], (i, *bound))
                total = _short(total + x if tag == "sum" else total * x)
            return total
        # Arithmetic: at most two arguments, the second of which may be missing.
        a, *others = [self.value(k, bound) for k in kids] or [0]
        b = others[0] if others else 0
        name = data if tag == "fn" else tag
        if name == "/" and b == 0:
            raise Rejected("the statement divides by zero")
        if name in ("^", "pow"):
            return self.power(a, data if name == "^" else self.whole(b))
        if name not in _EXACT:
            raise Rejected(f"'{name}' has no exact value here")
        return _short(_EXACT[name](a, b))

    def power(self, a: InstanceNumber, k: int) -> InstanceNumber:
        if not 0 <= k <= MAX_POWER:
            raise Rejected("an exponent is negative or too large")
        return _short(a**k)

    def whole(self, x: InstanceNumber) -> int:
        if not isinstance(x, int):
            raise Rejected(f"{x} stands where an integer must")
        return x

    # Truth. The second part of & | -> is looked at only where the first does not decide, as in D.

    def truth(self, t: Term, bound: tuple[int, ...]) -> bool:
        # The truth of a formula.
        self.spend()
        tag, sort, kids = t
        if tag in ("true", "false"):
            return tag == "true"
        if tag in ("=", "<=", "<"):
            a, b = (self.value(k, bound) for k in kids)
            return a == b if tag == "=" else a <= b if tag == "<=" else a < b
        if tag == "~":
            return not self.truth(kids[0], bound)
        if tag == "&":
            return self.truth(kids[0], bound) and self.truth(kids[1], bound)
        if tag == "|":
            return self.truth(kids[0], bound) or self.truth(kids[1], bound)
        if tag == "->":
            return not self.truth(kids[0], bound) or self.truth(kids[1], bound)
        (body,) = kids
        wanted = "->" if tag == "all" else "&"
        places = self.range(body[2][0], bound) if sort == "Int" and body[0] == wanted else None
        if places is None:
            raise Rejected("a quantifier must run over the integers of a range")
        truths = [self.truth(body[2][1], (i, *bound)) for i in places]  # all of them: each must be defined
        return all(truths) if tag == "all" else any(truths)

    def range(self, inside: Term, bound: tuple[int, ...]) -> list[int] | None:
        """The integers j for which `inside` holds, where it is a <= j & j <= b."""
        ends = _ends(inside)
        return None if ends is None else list(_integers(*(self.whole(self.value(e, (0, *bound))) for e in ends)))


_EXACT: dict[str, Any] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: Fraction(a) / b,
    "neg": lambda a, _: -a,
    "relu": lambda a, _: max(a, 0),
    "abs": lambda a, _: abs(a),
    "min": min,
    "max": max,
}


def _short(x: InstanceNumber) -> InstanceNumber:
    """`x` as an int where it is one."""
    return x.numerator if x.denominator == 1 else x


def _integers(low: int, high: int) -> range:
    if high - low >= MAX_RANGE:
        raise Rejected("a range is too long")
    return range(low, high + 1)


def _ends(inside: Term) -> tuple[Term, Term] | None:
    """a and b, where `inside` is a <= j & j <= b for the variable j of the nearest binder, which is not in a and b."""
    if inside[0] != "&" or any(part[0] != "<=" for part in inside[2]):
        return None
    (low, j), (again, high) = (part[2] for part in inside[2])
    return None if j != HERE or again != HERE or _mentions(low) or _mentions(high) else (low, high)


def _ranged(t: Term) -> bool:
    """Whether `t` is ``all j in a..b. F``: j is no size, its values are those of the range."""
    (body,) = t[2]
    return t[1] == "Int" and body[0] == "->" and _ends(body[2][0]) is not None


def _mentions(t: Term, depth: int = 0) -> bool:
    """Whether the variable of the binder around `t` occurs in it."""
    if t[0] == "bound":
        return t[1][0] == depth
    inner = len(t[2]) - 1 if t[0] in ("sum", "prod", "all", "ex") else -1
    return any(_mentions(k, depth + (place == inner)) for place, k in enumerate(t[2]))
