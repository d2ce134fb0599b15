"""Finding a `pos` node: linear programming over normal forms.

Wanted are rational coefficients c >= 0 and multipliers m with ``right - left = sum(c * products of facts) + sum(m *
equations)`` as polynomials: a Positivstellensatz certificate of bounded degree. The negated goal takes part as one more
unknown, so a contradiction among the facts is found by the same programme (it is then reported as such). In: the goal
and the facts as terms. Out: `Found`, from which the caller writes the node.

Letters: `k` is the label of a fact, `p` and `q` are polynomials ``{monomial: coefficient}``, `m` is a monomial, `c` a
coefficient. A monomial is a pair: its factors ((atom, power), ...), and the number of the exponent of exp (0: none).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from symcook.errors import Rejected
from symcook.proof import normal
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.simplex import UNLIMITED, Effort, LinearRow, Number, TooLong, solve
from symcook.proof.normal import ONE, Mono, Poly, add, mul, nf
from symcook.proof.terms import COMPARISONS, Term

MAX_PRODUCTS = 1500
"""The maximum number of products of inequalities, each a column of the linear program. Searches for 24 claims of an
unseen set and 21 proof texts formed at most 435."""
MANY_PRODUCTS = 60
"""Of more products of one degree than this, only those that can cancel are kept. This was so for 1,150 of 48,707
searches."""
MAX_TERMS = 400
"""The maximum number of monomials of a polynomial in which equations were substituted. Those searches had at most
68."""
MAX_MULTIPLIERS = 1200
"""The maximum number of multiples of equations, each a column of the linear program. 60 of those searches came to the
limit."""
PIVOTS = 3000
"""The maximum number of pivots of one search, which has up to some 1,500 columns (`MAX_PRODUCTS`)."""
MOST_PASSES = 60
"""The maximum number of rounds in which all equations are substituted, one after the other: equations whose sides occur
in one another would go round for ever."""


@dataclass(frozen=True)
class Found:
    """The coefficients of a `pos` node. `sum` has (coefficient, labels of the facts of a product, term that is squared
    or None), `eq` has (multiplier, label of the equation). `contradiction` means that the facts alone are
    contradictory; it is False where the goal is ``false`` itself."""

    sum: tuple[tuple[Fraction, tuple[str, ...], Term | None], ...]
    eq: tuple[tuple[Term, str], ...]
    contradiction: bool


def poly(f: Term) -> Poly:
    """The polynomial right - left of a comparison."""
    return add(nf(f[2][1]), nf(f[2][0]), -1)


def divide(v: Mono, u: Mono) -> Mono | None:
    """v/u, or None where that is no monomial; exponentials always divide."""
    powers = dict(v[0])
    for a, k in u[0]:
        exponent = powers.get(a, 0) - k
        if exponent < 0:
            return None
        if exponent:
            powers[a] = exponent
        else:
            del powers[a]
    if not u[1]:
        return tuple(sorted(powers.items())), v[1]
    e = normal._exponent(add(normal._exponents[v[1]], normal._exponents[u[1]], -1))
    return tuple(sorted(powers.items())), e


def _degree(m: Mono) -> int:
    """The degree of a monomial, without its exponential."""
    return sum(k for _, k in m[0])


def _related(products: dict[tuple[str, ...], Poly], others: Sequence[Poly]) -> dict[tuple[str, ...], Poly]:
    """The products that share a nonlinear monomial with one of `others`, and all single inequalities."""
    nonlinear = {m for p in others for m in p if _degree(m) + (m[1] != 0) > 1}
    return {ks: p for ks, p in products.items() if len(ks) < 2 or not nonlinear.isdisjoint(p)}


@dataclass(frozen=True)
class _Rule:
    """The equation `poly` = 0, by which the monomial `lead` is replaced.

    `poly` is a sum of equations times polynomials, which `multiples` has by their labels.
    """

    poly: Poly
    lead: Mono
    multiples: dict[str, Poly]


class Reduction:
    """Substitutes equations in polynomials.

    An equation whose left side is a single atom that occurs nowhere else in it replaces that atom. Any other equation
    without exponentials replaces its leading monomial, if the degree of that is at least 2. `sides` has the left sides
    of the equations.
    """

    def __init__(self, equations: Mapping[str, Poly], sides: Mapping[str, Poly], effort: Effort) -> None:
        self.effort = effort
        self.rules: list[_Rule] = []
        others: dict[str, Poly] = {}
        for k, p in equations.items():
            if not self.rule(k, p, sides.get(k, {})):
                others[k] = p
        for k, p in others.items():
            self.rule(k, p, None)

    def rule(self, k: str, equation: Poly, side: Poly | None) -> bool:
        """Add the equation as a rule, if it can be one, after the present rules; returns whether it was added.

        Its left side `side`, if given, must be a single atom. Otherwise its leading monomial must be nonlinear.
        """
        # The equation after the present rules, and the multiples of equations that it is the sum of.
        combination: dict[str, Poly] = {k: {ONE: 1}}
        try:
            p = self.by(equation, combination)
        except TooLong:
            if self.effort.left < 0:
                raise
            return False
        flat = [m for m in p if m[0]]
        if side is None:
            # The leading monomial; equations with exponentials are not used.
            if not flat or any(m[1] for m in p):
                return False
            lead = max(flat, key=lambda m: (_degree(m), repr(m)))
            if _degree(lead) < 2:
                return False
        else:
            # The atom must not occur anywhere else in the equation, or the substitution would not end.
            if len(side) != 1:
                return False
            (lead,) = side
            alone = lead in p and not any(m != lead and divide(m, lead) is not None for m in p)
            if _degree(lead) != 1 or lead[1] or not alone:
                return False
        self.rules.append(_Rule(p, lead, combination))
        return True

    def by(self, p: Poly, multiples: dict[str, Poly] | None = None) -> Poly:
        """`p` after all rules. The multiple of each equation that was added to `p` is also added to `multiples`.

        TooLong where the polynomial gets too long, the rules do not end, or the effort is spent.
        """
        for _ in range(MOST_PASSES):
            changed = False
            for rule in self.rules:
                # The monomials of p that `lead` divides, written as q*lead: subtracting c/at*q times the equation
                # cancels them, where `at` is the coefficient of `lead` in the equation.
                parts = {q: c for m, c in p.items() if (q := divide(m, rule.lead)) is not None}
                if not parts:
                    continue
                self.effort.spend(4 * len(parts) * len(rule.poly))
                at = Fraction(rule.poly[rule.lead])
                times = {q: _number(-c / at) for q, c in parts.items()}
                p = add(p, mul(times, rule.poly))
                if multiples is not None:
                    for k, m in rule.multiples.items():
                        multiples[k] = add(multiples.get(k, {}), mul(times, m))
                changed = True
                if len(p) > MAX_TERMS:
                    raise TooLong
            if not changed:
                return p
        raise TooLong


def _number(c: Fraction) -> Number:
    """The same number, as an int where it is one."""
    return c.numerator if c.denominator == 1 else c


def _products(
    basic: Mapping[str, Poly], strict_labels: Collection[str], degree: int, others: Sequence[Poly], effort: Effort
) -> tuple[dict[Hashable, Poly], list[Hashable]]:
    """Columns for 1 and for the products of at most `degree` inequalities, and the names of those that are > 0.

    `others` are the goal and the facts: of many products only those are kept that can cancel with them.
    """
    columns: dict[Hashable, Poly] = {("sum", (), None): {ONE: 1}}
    strict: list[Hashable] = [("sum", (), None)]
    # `level` has the products of one degree, by the labels of their factors in order.
    level: dict[tuple[str, ...], Poly] = {(): {ONE: 1}}
    for _ in range(degree):
        higher: dict[tuple[str, ...], Poly] = {}
        for ks, p in level.items():
            for k, q in basic.items():
                if not ks or k >= ks[-1]:  # each product once, with its labels in order
                    effort.spend(4 * len(p) * len(q))
                    higher[(*ks, k)] = mul(p, q) if ks else q
                    if len(higher) + len(columns) > MAX_PRODUCTS:
                        raise TooLong
        if len(higher) > MANY_PRODUCTS:
            higher = _related(higher, others)
        for ks, p in higher.items():
            name = ("sum", ks, None)
            columns[name] = p
            if all(k in strict_labels for k in ks):
                strict.append(name)
        level = higher
    return columns, strict


def _multiples(
    equations: Mapping[str, Poly], multipliers: Sequence[Term], used: Iterable[Mono], rounds: int, effort: Effort
) -> dict[tuple[str, Mono], Poly]:
    """Multiples of the equations by monomials: 1, those of `multipliers`, and in each round those that could cancel.

    A monomial v of the columns or of another multiple cancels with u of an equation if that is multiplied by v/u.
    """
    # A dictionary, not a set: the order of everything decides which solution is found, and must not change.
    monomials = dict.fromkeys(used)
    multiples: dict[tuple[str, Mono], Poly] = {}
    for k, p in equations.items():
        multiples[k, ONE] = p
        for t in multipliers:
            for m in nf(t):
                multiples[k, m] = mul({m: 1}, p)
    # Multiples of a higher degree than all columns would only add monomials that nothing cancels.
    cap = max([2, *map(_degree, monomials)])
    for _ in range(rounds):
        monomials |= dict.fromkeys(m for p in multiples.values() for m in p)
        cap = max([cap, *(_degree(m) for p in multiples.values() for m in p)])
        for k, p in equations.items():
            effort.spend(len(monomials) * len(p))
            for v, u in itertools.product(list(monomials), p):
                m = divide(v, u)
                if m is not None and (k, m) not in multiples and _degree(m) + max(map(_degree, p)) <= cap + 1:
                    multiples[k, m] = mul({m: 1}, p)
                    effort.spend(10 * len(p))
                    if len(multiples) > MAX_MULTIPLIERS:
                        raise TooLong
    return multiples


def _system(
    columns: Mapping[Hashable, Poly], equation: Poly | None, strict: Sequence[Hashable]
) -> list[tuple[LinearRow, Number]]:
    """The linear system for the coefficients of the columns, with a row for each monomial.

    For an `equation`, the combination must be this polynomial. Otherwise it must be 0, although the coefficients of the
    `strict` columns, which are > 0 if the goal is false, are not all 0: a contradiction. Their sum is set to 1, since
    any solution can be scaled.
    """
    rows: dict[Mono, dict[Hashable, Number]] = {}
    for name, p in columns.items():
        for m, c in p.items():
            rows.setdefault(m, {})[name] = c
    if equation is not None:
        return [(rows.get(m, {}), equation.get(m, 0)) for m in dict.fromkeys([*rows, *equation])]
    return [*((r, 0) for r in rows.values()), (dict.fromkeys(strict, 1), 1)]


def find(
    goal: Term,
    facts: Mapping[str, Term],
    *,
    degree: int = 1,
    squares: Sequence[Term] = (),
    multipliers: Sequence[Term] = (),
    rounds: int = 0,
    pivots: int = PIVOTS,
    effort: Effort | None = None,
    poly: Callable[[Term], Poly] = poly,
    reduced: bool = False,
) -> Found | None:
    """A combination that proves the comparison `goal` (or ``false``) from the comparisons among `facts`, or None.

    `degree` bounds the products of inequalities. `squares` are terms whose squares are also used, `multipliers` terms
    by which equations are also multiplied. `rounds` is how often equations are multiplied by monomials that occur. With
    `reduced`, the equations are first substituted in all other polynomials; None where no equation can be. `poly` gives
    the polynomial of a comparison. TooLong where `effort` is spent or a limit is reached, such as `pivots`.
    """
    effort = effort or Effort(UNLIMITED)
    inequalities = {k: f for k, f in facts.items() if f[0] in ("<=", "<")}
    equations = {k: poly(f) for k, f in facts.items() if f[0] == "="}
    original = equations
    wanted = target = poly(goal) if goal[0] in COMPARISONS else {}
    # An unknown for each column: "sum" for products and squares, which are >= 0; "goal" for the negated goal; "eq" for
    # multiples of equations, which may have any sign. An equation is proved from equations alone.
    columns: dict[Hashable, Poly] = {}
    strict: list[Hashable] = []
    if goal[0] != "=":
        basic = {k: poly(f) for k, f in inequalities.items()}
        strict_labels = {k for k, f in inequalities.items() if f[0] == "<"}
        others = [target, *basic.values(), *equations.values()]
        columns, strict = _products(basic, strict_labels, degree, others, effort)
        for s in squares:
            square = mul(nf(s), nf(s))
            columns["sum", (), s] = square
            if degree > 1:
                for k, q in basic.items():
                    columns["sum", (k,), s] = mul(square, q)
        if goal[0] in COMPARISONS:
            columns["goal"] = {m: -c for m, c in target.items()}
            if goal[0] == "<=":
                strict.append("goal")
    # With `reduced`, the system is set up for the reduced polynomials.
    reduction: Reduction | None = None
    unreduced = dict(columns)
    if reduced:
        reduction = Reduction(equations, {k: nf(facts[k][2][0]) for k in equations}, effort)
        if not reduction.rules:
            return None
        columns = {name: reduction.by(p) for name, p in columns.items()}
        target = reduction.by(target)
        equations = {k: reduction.by(p) for k, p in equations.items()}
        equations = {k: p for k, p in equations.items() if p}
    used = [*target, *(m for p in columns.values() for m in p)]
    multiples = _multiples(equations, multipliers, used, rounds, effort)
    columns |= {("eq", k, m): p for (k, m), p in multiples.items()}
    system = _system(columns, target if goal[0] == "=" else None, strict)
    values = solve(system, [("eq", k, m) for k, m in multiples], pivots, effort)
    if values is None:
        return None
    # Divide by the coefficient of the goal; where that is 0 the facts alone contradict each other.
    goal_coefficient = values.get("goal", Fraction(0)) if goal[0] != "=" else Fraction(1)
    scale = 1 / goal_coefficient if goal_coefficient else Fraction(1)
    coefficients = [(name, v * scale) for name, v in values.items() if v and isinstance(name, tuple)]
    sums = tuple((v, name[1], name[2]) for name, v in coefficients if name[0] == "sum")
    by: dict[str, Poly] = {}
    for name, v in coefficients:
        if name[0] == "eq":
            by[name[1]] = add(by.get(name[1], {}), {name[2]: v})
    if reduction is not None:
        # The combination is for reduced polynomials; for the original ones it differs from the goal by a gap. The gap
        # is reduced to 0, and the multiples of equations that this takes are added to those of the combination.
        gap: Poly = {m: -c for m, c in (wanted if goal_coefficient else {}).items()}
        for name, v in coefficients:
            if name[0] == "sum":
                gap = add(gap, mul({ONE: v}, unreduced[name]))
            else:  # ("eq", label, monomial)
                gap = add(gap, mul({name[2]: v}, original[name[1]]))
        of_reduction: dict[str, Poly] = {}
        if reduction.by(gap, of_reduction):
            return None
        for k, p in of_reduction.items():
            by[k] = add(by.get(k, {}), p)
    eqs = tuple((reify.term(normal.scale(p, 1)), k) for k, p in sorted(by.items()) if p)
    order = {k: i for i, k in enumerate(facts)}
    sums = tuple(sorted(sums, key=lambda s: (len(s[1]), [order[k] for k in s[1]], repr(s[2]))))
    return Found(sums, eqs, not goal_coefficient and goal[0] != "false")


def attempts(degree: int, rounds: int) -> Iterable[tuple[int, int]]:
    """The pairs (degree, rounds), from the cheapest to the most expensive."""
    return sorted(itertools.product(range(1, degree + 1), range(rounds + 1)), key=lambda p: (p[0] + 2 * p[1], p))


def search(goal: Term, facts: Mapping[str, Term], *, degree: int = 2, rounds: int = 1, **options: Any) -> Found | None:
    """`find` with growing degree and rounds; None where nothing was found within the limits."""
    for d, r in attempts(degree, rounds):
        try:
            combination = find(goal, facts, degree=d, rounds=r, **options)
        except (TooLong, Rejected):
            continue
        if combination is not None:
            return combination
    return None
