"""Terms and formulas of a sentence as functions of the integers bound around them.

`Runs` evaluates each of them at thousands of words and places, so a term is taken apart once. Next to each function
stands its cost: the symbols that it evaluates in any case, which whoever calls it counts before. What is evaluated by
turns (places of a sum, the second side of `&`) is counted where its turn comes. A number, a bound variable and a name
count two symbols, an indicator one more than what it asks.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.errors import Rejected
from symcook.proof.instances import _ends, _integers
from symcook.proof.statements.exactvalues import RATIONAL, function, minus, over, plus, short, sign, times
from symcook.proof.terms import Term

if TYPE_CHECKING:
    from symcook.proof.statements.shortruns import Runs

BoundValues = tuple[int, ...]
Valued = tuple[int, Callable[[BoundValues], Any]]
HeldCondition = tuple[int, Callable[[BoundValues], bool]]

_COMPARED: dict[str, Callable[[Any, Any], bool]] = {"=": operator.eq, "<=": operator.le, "<": operator.lt}
_INTEGRAL: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_EXACT: dict[str, Callable[[Any, Any], Any]] = {"+": plus, "-": minus, "*": times}


class Evaluated:
    """The functions of one `Runs`, each made when it is asked for first."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.terms: dict[int, tuple[Term, Valued]] = {}  # by identity: a hash would walk through the whole term
        self.formulas: dict[int, tuple[Term, HeldCondition]] = {}

    def term(self, t: Term) -> Valued:
        """The cost of a term, and its value where these integers are bound, the nearest first."""
        cached = self.terms.get(id(t))
        if cached is None:
            cached = self.terms[id(t)] = t, self._term(t)  # it is kept, so that its identity stays its own
        return cached[1]

    def formula(self, t: Term) -> HeldCondition:
        """The cost of a formula, and its truth."""
        cached = self.formulas.get(id(t))
        if cached is None:
            cached = self.formulas[id(t)] = t, self._formula(t)
        return cached[1]

    def _term(self, t: Term) -> Valued:
        tag, data, kids = t
        if tag == "num":
            number = short(Fraction(*data))
            return 2, lambda bound: number
        if tag == "bound":
            return 2, operator.itemgetter(data[0])
        if tag == "var":
            return 2, self._name(t)
        if tag == "app":
            return self._applied(t)
        if tag == "ind":
            cost, holds = self.formula(kids[0])
            return 2 + cost, lambda bound: int(holds(bound))
        if tag in ("sum", "prod"):
            return self._repeated(t)
        if tag == "/" and (softmax := self._softmax(*kids)) is not None:
            return softmax
        if tag in _EXACT:
            return self._combined(tag, *map(self.term, kids))
        costs, operands = [k[0] for k in map(self.term, kids)], [k[1] for k in map(self.term, kids)]
        cost = 1 + sum(costs)
        if tag == "neg":
            return cost, lambda bound: minus(0, operands[0](bound))
        if tag == "/":
            above, below = operands
            return cost, lambda bound: over(above(bound), below(bound))
        if tag == "^":
            return cost, lambda bound: function("pow", [operands[0](bound), data])
        return cost, lambda bound: function(data, [k(bound) for k in operands])

    def _name(self, t: Term) -> Callable[[BoundValues], Any]:
        def value(_: BoundValues) -> Any:
            own_value = self.runs.values.get(t)
            return self.runs.without_value(t) if own_value is None else own_value

        return value

    def _applied(self, t: Term) -> Valued:
        head, *arguments = t[2]
        costs, places = zip(*map(self.term, arguments), strict=True)
        runs, place, many = self.runs, places[0], len(arguments) > 1

        def value(bound: BoundValues) -> Any:
            at: Any = tuple([argument(bound) for argument in places]) if many else place(bound)
            table = runs.values.get(head)
            if not isinstance(table, dict) or not all(
                isinstance(place_value, int) for place_value in (at if many else (at,))
            ):
                raise Rejected("a function has no value here")
            return table[at] if at in table else runs.behind_the_end(head, at)

        return 1 + sum(costs), value

    def _combined(self, tag: str, one: Valued, other: Valued) -> Valued:
        first, second, integral, exact = one[1], other[1], _INTEGRAL[tag], _EXACT[tag]

        def value(bound: BoundValues) -> Any:
            a, b = first(bound), second(bound)
            return integral(a, b) if type(a) is type(b) is int else exact(a, b)

        return 1 + one[0] + other[0], value

    def _places(self, low: Term, high: Term) -> tuple[int, Callable[[BoundValues], range]]:
        (one, first), (other, last), integer_of = self.term(low), self.term(high), self.runs.whole
        return one + other, lambda bound: _integers(integer_of(first(bound)), integer_of(last(bound)))

    def _repeated(self, t: Term) -> Valued:
        tag, _, (low, high, inner) = t
        (ends, places), (cost, each), runs = self._places(low, high), self.term(inner), self.runs
        start, exact = (0, plus) if tag == "sum" else (1, times)

        def value(bound: BoundValues) -> Any:
            total: Any = start
            for i in places(bound):
                runs.spend(cost)
                total = exact(total, each((i, *bound)))
            return total

        return 1 + ends, value

    def _softmax(self, above: Term, below: Term) -> Valued | None:
        """sum(j, a, b, exp(s)*v)/sum(j, a, b, exp(s)), scores taken from the first: equal ones cancel, whatever they
        are. None for another quotient."""
        if above[0] != "sum" or below[0] != "sum" or above[2][:2] != below[2][:2] or below[2][2][:2] != ("fn", "exp"):
            return None
        weighted, weight = above[2][2], below[2][2]
        if weighted[0] != "*" or weighted[2][0] != weight:
            return None
        (ends, range_of), runs = self._places(*above[2][:2]), self.runs
        (cost, score), (more, read) = self.term(weight[2][0]), self.term(weighted[2][1])

        def value(bound: BoundValues) -> Any:
            places = [(i, *bound) for i in range_of(bound)]
            scores = []
            for place in places:
                runs.spend(cost)
                scores.append(score(place))
            total: Any = 0
            sums: Any = 0
            for place, own_score in zip(places, scores, strict=True):
                runs.spend(more)
                part = function("exp", [minus(own_score, scores[0])])
                total, sums = plus(total, times(part, read(place))), plus(sums, part)
            return over(total, sums)

        return 1 + ends, value

    def _formula(self, t: Term) -> HeldCondition:
        tag, sort, kids = t
        if tag in ("true", "false"):
            return 1, lambda bound: tag == "true"
        if tag in _COMPARED:
            return self._compared(tag, *map(self.term, kids))
        if tag == "ex" and sort == "Int":
            return 0, lambda bound: self.runs.exists(t, bound)
        if tag in ("all", "ex"):
            return self._everywhere(t)
        cost, first = self.formula(kids[0])
        if tag == "~":
            return 1 + cost, lambda bound: not first(bound)
        runs, (other, then) = self.runs, self.formula(kids[1])
        decided, known = {"&": (False, False), "|": (True, True), "->": (False, True)}[tag]

        def holds(bound: BoundValues) -> bool:
            if first(bound) is decided:
                return known
            runs.spend(other)
            return then(bound)

        return 1 + cost, holds

    def _compared(self, tag: str, one: Valued, other: Valued) -> HeldCondition:
        first, second, exact = one[1], other[1], _COMPARED[tag]

        def holds(bound: BoundValues) -> bool:
            a, b = first(bound), second(bound)
            if type(a) in RATIONAL and type(b) in RATIONAL:
                return exact(a, b)
            return exact(sign(minus(a, b)), 0)

        return 1 + one[0] + other[0], holds

    def _everywhere(self, t: Term) -> HeldCondition:
        _, sort, (body,) = t
        ends = _ends(body[2][0]) if t[0] == "all" and sort == "Int" and body[0] == "->" else None
        if ends is None:
            return 1, _no_range
        (cost, places), (each, inner), runs = self._places(*ends), self.formula(body[2][1]), self.runs

        def holds(bound: BoundValues) -> bool:
            out = True
            for i in places((0, *bound)):  # all of them: each must be defined
                runs.spend(each)
                out = inner((i, *bound)) and out
            return out

        return 1 + cost, holds


def _no_range(_: BoundValues) -> bool:
    raise Rejected("a quantifier must run over the integers of a range")
