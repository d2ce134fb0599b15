"""Terms and formulas of a statement as Python functions of the integers that are bound around them.

`Runs` evaluates each term and formula on thousands of strings and positions. So each is taken apart only once, into a
pair (cost, function). The function takes the values of the bound integers, the innermost first, and reads the values of
names from `Runs.values`.

The cost is the number of symbols that every call evaluates; the caller counts it before the call. The function itself
counts the symbols that are evaluated only sometimes or repeatedly (in the body of a sum, or on the second side of `&`).
A number, a bound variable and a name cost 2, and an indicator costs 2 more than its formula.
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
"""The values of the bound integers, the innermost first."""
Valued = tuple[int, Callable[[BoundValues], Any]]
"""The cost of a term, and the function that gives its value."""
HeldCondition = tuple[int, Callable[[BoundValues], bool]]
"""The cost of a formula, and the function that gives its truth."""

# By tag: the comparison of two rational numbers, the operation on two ints, and the operation on two exact values.
_COMPARED: dict[str, Callable[[Any, Any], bool]] = {"=": operator.eq, "<=": operator.le, "<": operator.lt}
_INTEGRAL: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_EXACT: dict[str, Callable[[Any, Any], Any]] = {"+": plus, "-": minus, "*": times}


class Evaluated:
    """The functions for the terms and formulas of one `Runs`, each made at its first use."""

    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        # By the id of a term, since a hash would walk through the whole term. The term itself is kept as well, so that
        # its id is not used again for another term.
        self.terms: dict[int, tuple[Term, Valued]] = {}
        self.formulas: dict[int, tuple[Term, HeldCondition]] = {}

    def term(self, t: Term) -> Valued:
        """The cost and the function of a term."""
        cached = self.terms.get(id(t))
        if cached is None:
            cached = self.terms[id(t)] = t, self._term(t)
        return cached[1]

    def formula(self, t: Term) -> HeldCondition:
        """The cost and the function of a formula."""
        cached = self.formulas.get(id(t))
        if cached is None:
            cached = self.formulas[id(t)] = t, self._formula(t)
        return cached[1]

    def _term(self, t: Term) -> Valued:
        """The cost and the function of a term, by its shape."""
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
            return self._sum_or_product(t)
        if tag == "/" and (softmax := self._softmax(*kids)) is not None:
            return softmax
        if tag in _EXACT:
            return self._combined(tag, *map(self.term, kids))
        # All other terms evaluate all their operands: a negation, a quotient, a power, a function of the grammar.
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
        """The function that reads the present value of a name."""

        def value(_: BoundValues) -> Any:
            own_value = self.runs.values.get(t)
            return self.runs.without_value(t) if own_value is None else own_value

        return value

    def _applied(self, t: Term) -> Valued:
        """The cost and the function of f(t) or f(s, t). The value of f is a table: by integer, or by pair of integers.
        The function raises Rejected if f is no table, if an argument is no integer, or if the table has no value there
        while `Runs.strict` is set."""
        head, *arguments = t[2]
        costs, places = zip(*map(self.term, arguments), strict=True)
        runs, place, has_several = self.runs, places[0], len(arguments) > 1

        def value(bound: BoundValues) -> Any:
            at: Any = tuple([argument(bound) for argument in places]) if has_several else place(bound)
            table, indices = runs.values.get(head), at if has_several else (at,)
            if not isinstance(table, dict) or not all(isinstance(index, int) for index in indices):
                raise Rejected("a function must be given its arguments to have a value")
            return table[at] if at in table else runs.behind_the_end(head, at)

        return 1 + sum(costs), value

    def _combined(self, tag: str, left: Valued, right: Valued) -> Valued:
        """The cost and the function of a sum, difference or product (`tag`). Two ints are combined by Python's
        operators, which are faster than those for exact values."""
        (left_cost, first), (right_cost, second), integral, exact = left, right, _INTEGRAL[tag], _EXACT[tag]

        def value(bound: BoundValues) -> Any:
            a, b = first(bound), second(bound)
            return integral(a, b) if type(a) is type(b) is int else exact(a, b)

        return 1 + left_cost + right_cost, value

    def _range(self, low: Term, high: Term) -> tuple[int, Callable[[BoundValues], range]]:
        """The cost of the ends of a range, and the function that gives the range low..high as integers."""
        (low_cost, first), (high_cost, last), integer_of = self.term(low), self.term(high), self.runs.whole
        return low_cost + high_cost, lambda bound: _integers(integer_of(first(bound)), integer_of(last(bound)))

    def _sum_or_product(self, t: Term) -> Valued:
        """The cost and the function of sum(i, a, b, t) or prod(i, a, b, t)."""
        tag, _, (low, high, inner) = t
        (ends_cost, places), (inner_cost, summand), runs = self._range(low, high), self.term(inner), self.runs
        start, exact = (0, plus) if tag == "sum" else (1, times)

        def value(bound: BoundValues) -> Any:
            total: Any = start
            for i in places(bound):
                runs.spend(inner_cost)
                total = exact(total, summand((i, *bound)))
            return total

        return 1 + ends_cost, value

    def _softmax(self, numerator: Term, denominator: Term) -> Valued | None:
        """The cost and the function of a softmax, numerator/denominator = sum(j, a, b, exp(s)*v)/sum(j, a, b, exp(s));
        None for any other quotient.

        The first score is subtracted from all scores, which does not change the quotient. So equal scores give rational
        weights, even if the scores are irrational."""
        # Both are sums over the same range, of exp(s)*v and of exp(s).
        if (
            numerator[0] != "sum"
            or denominator[0] != "sum"
            or numerator[2][:2] != denominator[2][:2]
            or denominator[2][2][:2] != ("fn", "exp")
        ):
            return None
        weighted, weight = numerator[2][2], denominator[2][2]
        if weighted[0] != "*" or weighted[2][0] != weight:
            return None
        (ends_cost, range_of), runs = self._range(*numerator[2][:2]), self.runs
        (score_cost, score_of), (value_cost, value_of) = self.term(weight[2][0]), self.term(weighted[2][1])

        def value(bound: BoundValues) -> Any:
            """The quotient; Rejected for an empty range, whose sum of weights is 0."""
            # The values of the bound integers at each j; first the scores, then the two sums.
            places = [(i, *bound) for i in range_of(bound)]
            scores = []
            for place in places:
                runs.spend(score_cost)
                scores.append(score_of(place))
            weighted_sum: Any = 0
            total_weight: Any = 0
            for place, own_score in zip(places, scores, strict=True):
                runs.spend(value_cost)
                exponential = function("exp", [minus(own_score, scores[0])])
                weighted_sum, total_weight = (
                    plus(weighted_sum, times(exponential, value_of(place))),
                    plus(total_weight, exponential),
                )
            return over(weighted_sum, total_weight)

        return 1 + ends_cost, value

    def _formula(self, t: Term) -> HeldCondition:
        """The cost and the function of a formula, by its shape."""
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
        runs, (second_cost, second) = self.runs, self.formula(kids[1])
        # The truth of the first side that decides a connective, and the truth of the whole then.
        deciding, decided = {"&": (False, False), "|": (True, True), "->": (False, True)}[tag]

        def holds(bound: BoundValues) -> bool:
            if first(bound) is deciding:
                return decided
            runs.spend(second_cost)
            return second(bound)

        return 1 + cost, holds

    def _compared(self, tag: str, left: Valued, right: Valued) -> HeldCondition:
        """The cost and the function of a comparison (`tag`). Numbers with roots or exponentials are compared by the
        sign of their difference."""
        (left_cost, first), (right_cost, second), exact = left, right, _COMPARED[tag]

        def holds(bound: BoundValues) -> bool:
            a, b = first(bound), second(bound)
            if type(a) in RATIONAL and type(b) in RATIONAL:
                return exact(a, b)
            return exact(sign(minus(a, b)), 0)

        return 1 + left_cost + right_cost, holds

    def _everywhere(self, t: Term) -> HeldCondition:
        """The cost and the function of ``all i in a..b. F``; for another quantifier a function that raises Rejected."""
        _, sort, (body,) = t
        ends = _ends(body[2][0]) if t[0] == "all" and sort == "Int" and body[0] == "->" else None
        if ends is None:
            return 1, _no_range
        (ends_cost, places), (inner_cost, inner), runs = self._range(*ends), self.formula(body[2][1]), self.runs

        def holds(bound: BoundValues) -> bool:
            """Whether F holds at each integer of the range."""
            holds_so_far = True
            # The ends a and b are terms under the quantifier, but do not contain its variable: any integer, such as 0,
            # may be its value there. F is evaluated at all places, also after a false one, since it must be defined.
            for i in places((0, *bound)):
                runs.spend(inner_cost)
                holds_so_far = inner((i, *bound)) and holds_so_far
            return holds_so_far

        return 1 + ends_cost, holds


def _no_range(_: BoundValues) -> bool:
    """The function of a quantifier that does not run over a range: it raises Rejected."""
    raise Rejected("a quantifier must run over the integers of a range")
