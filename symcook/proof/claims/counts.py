"""Fragment B: claims over letterwise sums, decided by counts and linear arithmetic, with the proof as it is decided.

A sum of what the letter at j decides is a sum of counts. So each value of the run is a quotient of linear forms in the
counts at the positions that a claim names. The claim's comparisons, the signs under relu, abs, min and max, the order
of positions and the letters at them are put true or false, one after the other; each case ends with the claim, or with
a contradiction of linear arithmetic, or with counts at which the claim may be false.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from symcook.alarm import Until
from symcook.errors import Rejected
from symcook.proof.claims.casefacts import WORK, Unclosed
from symcook.proof.claims.circle import Turned
from symcook.proof.claims.divided import division
from symcook.proof.claims.farkas import FactRow, Rules, close, contradiction, point, products, whole
from symcook.proof.claims.lettered import Lettered
from symcook.proof.claims.potentials import Potentials, at_the_end
from symcook.proof.claims.powerfacts import one_sign, with_powers
from symcook.proof.claims.problem import Problem, everywhere, introduce
from symcook.proof.claims.regular import Regular
from symcook.proof.claims.strings import LedBy, string
from symcook.proof.claims.truth import letter_at
from symcook.proof.limits import OutOfTime, limited
from symcook.proof.normal import Mono, fkey
from symcook.proof.search import reify
from symcook.proof.search.linear import poly
from symcook.proof.search.simplex import Effort, TooLong
from symcook.proof.search.tactics import Citable, Goal, Stuck
from symcook.proof.terms import COMPARISONS, TRUE, Term, flatten, free, negation, num, subterms

MOST_CASES = 150
"""So many cases are opened at most."""


@dataclass(frozen=True)
class CountedPoint:
    """Where a claim may be false: values of names, counts and letters' bits, and the positions in use; with automata,
    what finds a string by its counts."""

    rules: Rules
    values: dict[Mono, Fraction]
    places: tuple[Term, ...]
    led: LedBy | None = None

    def string(self, problem: Problem) -> tuple[int, ...] | None:
        """A string with these values."""
        return string(problem, self.rules, self.values, self.places, self.led)


def prove(problem: Problem, g: Goal, most: int | None = None, regular: Regular | None = None) -> None:
    """Close the goal of a statement; Unclosed where a case stays open. With `most` for strings of at most so many
    positions, which is no proof. With `regular` there is a case for each state of the automata in the claim."""
    introduce(problem, g)
    main, lettered = g._branch(g.goal), Lettered(problem, g)
    case = CountedCase.at(lettered, main)
    if most is not None:
        main.facts["most"] = ("<=", None, (problem.places.high, num(most - 1 + problem.start)))
        case.assume("most")
    states = [] if regular is None else at_the_end(lettered, regular)
    if states:
        potentials = Potentials(lettered, states)
        potentials.prove(main, "state")
        parts = flatten("|", main.facts["state"])
        labels = [f"state.{k}" for k in range(len(parts))] if len(parts) > 1 else ["state"]
        goals = [main] if len(parts) == 1 else main.cases("state", *labels)
        for h, label, there in zip(goals, labels, potentials.states, strict=True):
            inner = case.under(h)
            inner.assume(label)
            try:
                inner.open()
            except Unclosed as error:
                if error.counts is not None:
                    error.counts = replace(error.counts, led=partial(potentials.string, there))
                raise
    else:
        case.open()
    g.take(main)


class PartsInTurn:
    """The parts of a claim, each proved with those before it. A part that gives a coordinate at every position stands
    in place of the run's equation from then on, in sums too."""

    def __init__(self, problem: Problem, g: Goal) -> None:
        introduce(problem, g)
        if problem.claim[0] == "->":
            g.intro("asked")  # what all parts suppose
        self.g, self.case = g, CountedCase.at(Lettered(problem, g), g)
        self.labels: dict[object, str] = {}

    @staticmethod
    def serves(problem: Problem) -> bool:
        """Whether a part of the claim may help to prove one after it."""
        claim = problem.claim[2][1] if problem.claim[0] == "->" else problem.claim
        return any(given_at_each(problem, part) is not None for part in flatten("&", claim)[:-1])

    def prove(self, claim: Term) -> None:
        """Prove all parts of a formula; Unclosed where one stays open."""
        for part in flatten("&", claim):
            if (key := self.g.known.key(part)) not in self.labels:
                self.g.have(part, label := self.g.fresh("part"), self.case.close)
                self.labels[key] = label
                if (name := given_at_each(self.case.root.problem, part)) is not None:
                    self.case.root.forms[name] = label

    def close(self, g: Goal) -> None:
        """Close a goal whose parts are proved."""
        for part in g.split() if g.goal[0] == "&" else [g]:
            part.hyp(self.labels[g.known.key(part.goal)])


def given_at_each(problem: Problem, part: Term) -> str | None:
    """The coordinate that a formula gives at every position, case by case, by what the model is given alone; else None.

    A value that reads coordinates is no such form: two of these could give each other for ever."""
    line = everywhere(part)
    if line is None or line[0] != problem.places:
        return None
    cases = [case[2] if case[0] == "->" else (TRUE, case) for case in flatten("&", line[1])]
    if any(equation[0] != "=" for _, equation in cases):
        return None
    heads = {equation[2][0] for _, equation in cases}
    names = {name for name, one in problem.equations.items() if one.at_here in heads and not one.truth}
    read = {v[1][0] for guard, equation in cases for term in (guard, equation[2][1]) for v in free(term)}
    return names.pop() if len(names) == len(heads) == 1 and not read & problem.equations.keys() else None


@dataclass(frozen=True)
class CountedDecision:
    """What counts say of a statement: a goal with its proof, a string of which it may be false, or why neither. The
    string is the `shortest` where counts close all cases of shorter ones."""

    proved: Goal | None = None
    string: tuple[int, ...] | None = None
    why: str = ""
    shortest: bool = False


def decide(
    problem: Problem,
    library: Citable,
    regular: Regular | None = None,
    least: bool = True,
    until: Until | None = None,
) -> CountedDecision:
    """A proof, or a string at which the counts make the claim false, where asked for of `least` length, as far as that
    is found by a moment; nobody has run it. `regular` are the automata of the problem."""
    if problem.outside:
        return CountedDecision(why=problem.outside[0])
    problem = problem.here

    def attempt(most: int | None, in_turn: bool = False) -> tuple[Goal | None, tuple[int, ...] | None, str]:
        g = Goal(library, problem.statement.formula, {}, {})
        try:
            if in_turn:
                parts = PartsInTurn(problem, g)
                parts.prove(g.goal)
                parts.close(g)
            else:
                prove(problem, g, most, regular)
        except Unclosed as error:
            found = None if error.counts is None or not problem.letters else error.counts.string(problem)
            terms = ", ".join(term if len(term) <= 60 else f"{term[:60]} .." for term in error.opaque[:2])
            return None, found, f"counts have no rule for {terms}" if terms else ""
        except (Stuck, Rejected, TooLong) as error:
            return None, None, str(error).partition("\n")[0]
        return g, None, ""

    goal, found, why = attempt(None, True) if PartsInTurn.serves(problem) else (None, None, "")
    if goal is None and found is None:
        goal, found, why = attempt(None)
    if goal is not None or found is None or why or not least:
        return CountedDecision(goal, found, why)
    below, length = 0, len(found)  # no string of `below` positions, one of `length`
    while below + 1 < length:
        middle = (below + length) // 2
        try:
            with limited(until and Until(until.left / 2)):
                closed, shorter, _ = attempt(middle)
        except OutOfTime:
            break
        if closed is None and shorter is None:
            break
        if shorter is None:
            below = middle
        else:
            found, length = shorter, len(shorter)
    return CountedDecision(None, found, shortest=below + 1 == length)


class CountedCase(Turned):
    """One case of the proof: what is known at a goal."""

    def under(self, g: Goal) -> CountedCase:
        """The same knowledge at a branch of the goal."""
        new = CountedCase(self.root, g)
        new.inherit(self)
        return new

    @classmethod
    def at(cls, root: Lettered, g: Goal) -> CountedCase:
        """What the comparisons among the facts of a goal say, and what is supposed of numbers that are given."""
        case = cls(root, g)
        found = [s for s in subterms(root.problem.claim) if s[0] == "ex" and division(s) is not None]
        bits = {s[2][0] for s in subterms(root.problem.claim) if s[0] == "ind"}
        case.compared, case.solving = {fkey(f): f for f in found if f in bits}, bool(found)
        for label, f in list(g.facts.items()):
            if f[0] in COMPARISONS or label in ("some", "asked"):
                case.assume(label)
        return case

    def close(self, g: Goal, most: int = MOST_CASES, waiting: bool = True) -> None:
        """Close a branch of the goal by a decision of its own; Unclosed where it is undecided in so many cases. Facts
        about what is not put down to counts as yet take part where that is `waiting`."""
        case = self.under(g)
        if not waiting:
            read = {k: poly(g.facts[k]) if k in g.facts else self.rows[k].poly for k in case.facts}
            case.facts = [k for k, p in read.items() if not any(self.waits(a) for m, _ in p for a, _ in m)]
        case.tally, case.effort = [MOST_CASES - most], Effort(WORK)
        case.open()

    def another(self, root: Lettered, g: Goal) -> CountedCase:
        """A case of its own at a goal."""
        new = CountedCase(root, g)
        new.tally, new.effort = [MOST_CASES - MOST_CASES // 4], Effort(WORK // 10)
        return new

    # --- Goals and hypotheses ----------------------------------------------------------------------------------------

    def open(self) -> None:
        """Introduce what the goal begins with, then decide it."""
        g = self.g
        while g.goal[0] in ("all", "->", "~"):
            label = g.fresh("x")
            premise = g.goal[0] != "all"
            g.intro(label)
            if premise:
                self.assume(label)
        if g.goal[0] == "&":
            for part in g.split():
                self.under(part).open()
            return
        self.decide()

    def assume(self, label: str) -> None:
        """Take a fact into account."""
        g, f = self.g, self.g.facts[label]
        self.literals.setdefault(fkey(f), label)
        inner = f[2][0] if f[0] == "~" else f
        if f[0] == "&":
            stem = g.fresh("and")
            parts = [f"{stem}_{k}" for k in range(len(flatten("&", f)))]
            g.use(label, label=" ".join(parts))
            for part in parts:
                self.assume(part)
        elif f[0] == "~" and division(inner) is not None:
            self.supposed.append(inner)
        elif f[0] == "ex":
            self.solving = self.solving or division(f) is not None
            name, so = g.fresh("x"), g.fresh("so")
            g.obtain(label, name, so)
            self.assume(so)
        elif (letter := letter_at(inner)) is not None:
            opposite = self.literals.get(fkey(("~", None, (f,))))
            if opposite is not None:
                self.clash = (opposite, label) if f[0] == "~" else (label, opposite)
            self.lettered(label, *letter) if f[0] != "~" else self.unlettered(label, *letter)
        elif f[0] in COMPARISONS:
            self.facts.append(label)
        elif f[0] == "~" and inner[0] in ("<=", "<"):
            new = g.fresh("not")
            g.have(negation(inner), new, lambda h: h.hyp(label))
            self.assume(new)
        elif f[0] == "~" and inner[0] == "=":
            self.hypotheses.append(self.apart(label))
        elif inner[0] in ("all", "ex") and self.ranged(inner) is not None:
            self.supposed.append(inner)
        elif f[0] == "all" or inner[0] == "ex":
            self.universal.append(label)
        elif inner[0] == "all":
            self.assume(self.counterexample(label))
        else:
            self.hypotheses.append(label)

    def apart(self, label: str) -> str:
        """a < b or b < a, where a and b differ."""
        g = self.g
        a, b = g.facts[label][2][0][2]
        less, more = ("<", None, (a, b)), ("<", None, (b, a))
        new = g.fresh("apart")

        def proof(h: Goal) -> None:
            here, rest = h.em(less, (side := h.fresh("side")))
            here.pick("left").hyp(side)
            there, same = rest.em(more, (other := rest.fresh("side")))
            there.pick("right").hyp(other)
            same.have(("=", None, (a, b)), (equal := same.fresh("equal")), lambda k: k.auto([side, other], degree=1))
            same.contra(same.fresh("no"))
            same.absurd(equal, label)

        g.have(("|", None, (less, more)), new, proof)
        return new

    # --- Deciding ----------------------------------------------------------------------------------------------------

    def decide(self) -> None:
        """Close the goal, or open cases; Unclosed with the counts at which nothing contradicts."""
        if self.truth(self.g.goal):
            return self.show(self.g, self.g.goal)
        for label in self.hypotheses:
            if self.truth(self.g.facts[label]) is False:
                return self.deny(self.g, label)
        rows = self.rows_now()
        while self.solving and any(row.tag == "=" and row.poly and self.solved(label) for label, row in rows.items()):
            rows = self.rows_now()
        found = contradiction([*rows.values()], self.effort) or one_sign(self, [*rows.values()])
        if found is not None:
            return close(self.g, found)
        formula = self.choice()
        if self.clash is not None:
            return self.g.absurd(*self.clash)
        if self.truth(self.g.goal):  # by what was found of quantified formulas
            return self.show(self.g, self.g.goal)
        if self.renewed:
            self.renewed = False
            return self.decide()
        if formula is None:
            return self.at_point([*rows.values()])
        self.split(formula)
        return None

    def choice(self) -> Term | None:
        """What to decide next: the remainders in comparisons, a comparison of the goal or of a hypothesis, or what the
        arithmetic asks for."""
        for part in self.compared.values():
            if (asked := self.divided(part)) is not None:
                return asked
        for f in [self.g.goal, *(self.g.facts[k] for k in self.hypotheses)]:
            if (part := self.undecided(f)) is not None:
                return part
            for part in _quantified(f):
                if self.truth(part) is None:
                    if self.ranged(part) is None and division(part) is None:
                        return part
                    if (asked := self.told(part)) is not None:
                        return asked
        for part in self.supposed:
            if (asked := self.told(part)) is not None:
                return asked
        return next(iter(self.wanted.values()), None)

    def told(self, part: Term) -> Term | None:
        """What has to be known for a quantified formula that counts or remainders decide."""
        return self.counted(part) if division(part) is None else self.divided(part)

    def split(self, formula: Term) -> None:
        """The formula holds, or its negation does."""
        self.tally[0] += 1
        if self.tally[0] > MOST_CASES:
            raise Unclosed(None, (f"more than {MOST_CASES} cases",))
        label = self.g.fresh("is")
        for h in self.g.em(formula, label):
            case = self.under(h)
            case.assume(label)
            case.decide()

    def at_point(self, rows: list[FactRow]) -> None:
        """No contradiction is left: split at a count that is no integer, else say where the claim may be false."""
        if self.restricted() or self.more() or self.squeezed(rows):
            return self.decide()
        if (found := with_powers(self, rows)) is not None:
            return close(self.g, found)
        if (formula := self.asked()) is not None:
            return self.split(formula)
        more = products(rows)
        if more and (found := contradiction([*rows, *more], self.effort)) is not None:
            return close(self.g, found)
        values = point([*rows, *more], self.effort)
        for m, value in sorted((values or {}).items(), key=lambda item: repr(reify.product(item[0]))):
            if value.denominator != 1 and len(m[0]) == 1 and m[0][0][1] == 1 and not m[1] and whole(m[0][0][0]):
                floor = num(value.numerator // value.denominator)
                return self.split(("<=", None, (reify.product(m), floor)))
        raise Unclosed(
            None if values is None else CountedPoint(self.rules, values, tuple(self.places)), tuple(self.opaque())
        )


def _quantified(f: Term) -> list[Term]:
    """The quantified formulas in a formula, the outermost alone."""
    if f[0] in ("all", "ex"):
        return [f]
    return [] if f[0] in COMPARISONS else [part for k in f[2] for part in _quantified(k)]
