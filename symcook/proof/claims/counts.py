"""Fragment B: claims over letterwise sums, decided by counts and linear arithmetic, with the proof as it is decided.

A sum of what the letter at j decides is a sum of counts. So each value of the run is a quotient of linear forms in the
counts at the positions that a claim names. The claim's comparisons, the signs under relu, abs, min and max, the order
of positions and the letters at them are put true or false, one after the other; each case ends with the claim, or with
a contradiction of linear arithmetic, or with counts at which the claim may be false.

`CountedCase` decides: it has the formulas to be put true or false, and holds the facts of its goal (`casefacts`). These
hold `CountedPlaces`, `KnownRemainders` and `SumsOfTerms`, one for each kind of knowledge, and the rows of the
arithmetic. What an atom is, a rule says: `atoms` has the table of rules, which are functions of the facts and the atom.
Each file of rules imports those on which it rests: `lettercounts`, `quantified`, `lettersums`, `positional`, `powers`,
`implicit`, `termsums`, `bestplace`, `divided`, `circle`. A rule that needs a proof of its own asks `facts.decision`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from symcook.alarm import Until
from symcook.errors import Rejected
from symcook.proof import normal
from symcook.proof.claims.byautomata.potentials import Potentials, at_the_end
from symcook.proof.claims.byautomata.regular import Regular
from symcook.proof.claims.bycounts.atoms import ATOM_RULES
from symcook.proof.claims.bycounts.casefacts import OPAQUE, WORK, AtomReading, CaseFacts, KnownRemainders, Unclosed
from symcook.proof.claims.bycounts.divided import division, division_question, solved, squeezed
from symcook.proof.claims.bycounts.farkas import FactRow, Rules, close, contradiction, point, products, whole
from symcook.proof.claims.bycounts.implicit import use_premises
from symcook.proof.claims.bycounts.lettercounts import find_counts, letter_absent, letter_stands
from symcook.proof.claims.bycounts.lettered import Lettered
from symcook.proof.claims.bycounts.powerfacts import one_sign, with_powers
from symcook.proof.claims.bycounts.problem import Problem, everywhere, introduce
from symcook.proof.claims.bycounts.quantified import counted_range, range_question
from symcook.proof.claims.bycounts.strings import LedBy, string
from symcook.proof.claims.bycounts.termsums import counterexample, find_sums, more_facts, open_sums, sum_question
from symcook.proof.claims.bycounts.truth import letter_at
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import poly
from symcook.proof.inequalities.simplex import Effort, TooLong
from symcook.proof.normal import Mono, fkey
from symcook.proof.search.limits import OutOfTime, limited
from symcook.proof.search.ranges import at_most, equals, less_than
from symcook.proof.search.tactics import Citable, Goal, Stuck
from symcook.proof.terms import COMPARISONS, TRUE, Term, flatten, free, negation, num, subterms

MOST_CASES = 150
"""So many cases are opened at most."""


@dataclass(frozen=True)
class CountedPoint:
    """Values of names, counts and bits of letters at which a claim may be false, and the positions in use. `led`
    finds a string by its counts, where there are automata."""

    rules: Rules
    values: dict[Mono, Fraction]
    places: tuple[Term, ...]
    led: LedBy | None = None

    def string(self, problem: Problem) -> tuple[int, ...] | None:
        """A string with these values; None where there is none."""
        return string(problem, self.rules, self.values, self.places, self.led)


def prove(problem: Problem, g: Goal, most: int | None = None, regular: Regular | None = None) -> None:
    """Close the goal of a statement; Unclosed where a case stays open. With `most` for strings of at most so many
    positions, which is no proof. With `regular` there is a case for each state of the automata in the claim."""
    introduce(problem, g)
    main, lettered = g._branch(g.goal), Lettered(problem, g)
    case = CountedCase.at(lettered, main)
    # Nothing proves this: the last position of a string of at most `most` positions.
    if most is not None:
        main.facts["most"] = at_most(problem.places.high, num(most - 1 + problem.start))
        case.assume("most")
    states = [] if regular is None else at_the_end(lettered, regular)
    # One case for each state of the automata at the last position, with its bounds and congruences.
    if states:
        potentials = Potentials(lettered, states)
        potentials.prove(main, "state")
        parts = flatten("|", main.facts["state"])
        labels = [f"state.{k}" for k in range(len(parts))] if len(parts) > 1 else ["state"]
        goals = [main] if len(parts) == 1 else main.cases("state", *labels)
        for h, label, there in zip(goals, labels, potentials.states, strict=True):
            inner = CountedCase(lettered, h, case)
            inner.assume(label)
            try:
                inner.open()
            except Unclosed as error:
                # The counts are those of a string that leads to this state.
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
    # All cases must give the same coordinate, and neither a condition nor a value may read one.
    defined = {equation[2][0] for _, equation in cases}
    names = {name for name, equation in problem.equations.items() if equation.at_here in defined and not equation.truth}
    used_terms = [term for guard, equation in cases for term in (guard, equation[2][1])]
    read = {v[1][0] for term in used_terms for v in free(term)}
    return names.pop() if len(names) == len(defined) == 1 and not read & problem.equations.keys() else None


@dataclass(frozen=True)
class CountedDecision:
    """What counts say of a statement: a goal with its proof, a string of which it may be false, or why neither. The
    string is the `shortest` where counts close all cases of shorter ones."""

    proved: Goal | None = None
    string: tuple[int, ...] | None = None
    why: str = ""
    shortest: bool = False


class CountedAttempt(NamedTuple):
    """One search for a proof: the goal where all cases are closed, else a string at which the counts contradict
    nothing, or why there is none."""

    goal: Goal | None = None
    string: tuple[int, ...] | None = None
    why: str = ""


def decide(
    problem: Problem,
    library: Citable,
    regular: Regular | None = None,
    least: bool = True,
    until: Until | None = None,
) -> CountedDecision:
    """A proof, or a string at which the counts make the claim false, as far as one is found by that moment; with
    `least` a shortest one. Nobody has run the string. `regular` are the automata of the problem."""
    if problem.outside:
        return CountedDecision(why=problem.outside[0])
    problem = problem.here
    # The parts of the claim in turn, where one may help another; if that gives nothing, the claim as it stands.
    attempt = _parts_in_turn(problem, library) if PartsInTurn.serves(problem) else CountedAttempt()
    if attempt.goal is None and attempt.string is None:
        attempt = _whole_claim(problem, library, regular)
    if attempt.string is None or attempt.why or not least:
        return CountedDecision(*attempt)
    return _shortest(problem, library, regular, attempt.string, until)


def _parts_in_turn(problem: Problem, library: Citable) -> CountedAttempt:
    """The claim by its parts, each with those before it as facts."""

    def close(g: Goal) -> None:
        parts = PartsInTurn(problem, g)
        parts.prove(g.goal)
        parts.close(g)

    return _attempt(problem, library, close)


def _whole_claim(
    problem: Problem, library: Citable, regular: Regular | None, most: int | None = None
) -> CountedAttempt:
    """The claim by cases, of all strings or of those of at most `most` positions."""
    return _attempt(problem, library, lambda g: prove(problem, g, most, regular))


def _attempt(problem: Problem, library: Citable, close: Callable[[Goal], None]) -> CountedAttempt:
    """The result of one way to close the goal of a statement."""
    g = Goal(library, problem.statement.formula, {}, {})
    try:
        close(g)
    except Unclosed as error:
        counter_string = None if error.counts is None or not problem.letters else error.counts.string(problem)
        terms = ", ".join(term if len(term) <= 60 else f"{term[:60]} .." for term in error.opaque[:2])
        return CountedAttempt(None, counter_string, f"counts have no rule for {terms}" if terms else "")
    except (Stuck, Rejected, TooLong) as error:
        return CountedAttempt(why=str(error).partition("\n")[0])
    return CountedAttempt(g)


def _shortest(
    problem: Problem, library: Citable, regular: Regular | None, counter_string: tuple[int, ...], until: Until | None
) -> CountedDecision:
    """The shortest string at which the counts contradict nothing, by bisection of its length from a longer one; the
    shortest that was found where a search takes too long, or gives neither a proof nor a string."""
    below, length = 0, len(counter_string)  # no string of `below` positions, one of `length`
    while below + 1 < length:
        middle = (below + length) // 2
        try:
            with limited(until and Until(until.left / 2)):
                attempt = _whole_claim(problem, library, regular, middle)
        except OutOfTime:
            break
        if attempt.string is not None:
            counter_string, length = attempt.string, len(attempt.string)
        elif attempt.goal is not None:  # the cases of all strings of at most `middle` positions are closed
            below = middle
        else:
            break
    return CountedDecision(None, counter_string, shortest=below + 1 == length)


class CountedCase:
    """One case of the proof: the facts at a goal, and the formulas that are put true or false to decide it."""

    def __init__(self, root: Lettered, g: Goal, around: CountedCase | None = None) -> None:
        self.root, self.g = root, g
        self.facts = around.facts.under(g, self) if around else CaseFacts(root, g, self)
        self.hypotheses: list[str] = [*around.hypotheses] if around else []  # facts of several comparisons
        self.supposed: list[Term] = [*around.supposed] if around else []
        """Quantified formulas that are facts, or whose negations are."""
        self.tally = around.tally if around else [0]

    @classmethod
    def at(cls, root: Lettered, g: Goal) -> CountedCase:
        """What the comparisons among the facts of a goal say, and what is supposed of numbers that are given."""
        case, remainders = cls(root, g), KnownRemainders()
        # Formulas about remainders, and those of them that stand in the claim as numbers I[F].
        divisions = [s for s in subterms(root.problem.claim) if s[0] == "ex" and division(s) is not None]
        bits = {s[2][0] for s in subterms(root.problem.claim) if s[0] == "ind"}
        remainders.compared, remainders.solving = {fkey(f): f for f in divisions if f in bits}, bool(divisions)
        case.facts.remainders = remainders
        for label, f in list(g.facts.items()):
            if f[0] in COMPARISONS or label in ("some", "asked"):
                case.assume(label)
        return case

    # --- What the facts ask for --------------------------------------------------------------------------------------

    def read(self, atom: int) -> AtomReading:
        """How the arithmetic treats an atom."""
        rule = ATOM_RULES.get(normal._keys[atom][0])
        return OPAQUE if rule is None else rule(self.facts, atom)

    def find(self) -> None:
        """Add the facts that follow from what is known by now."""
        find_counts(self.facts)
        find_sums(self.facts)

    def close(self, g: Goal, most: int = MOST_CASES, waiting: bool = True) -> None:
        """Close a branch of the goal by a decision of its own; Unclosed where that takes more than so many cases.
        Without `waiting`, facts that cannot be read yet do not take part."""
        case, facts = CountedCase(self.root, g, self), self.facts
        # Without the facts that hold an atom which still waits for a decision.
        if not waiting:
            polynomial_by_label = {k: poly(g.facts[k]) if k in g.facts else facts.rows[k].poly for k in facts.facts}
            case.facts.facts = [
                k for k, p in polynomial_by_label.items() if not any(facts.waits(a) for m, _ in p for a, _ in m)
            ]
        case.limit(most, WORK)
        case.open()

    def everywhere(self, g: Goal) -> None:
        """Close a goal about any position by a decision of its own."""
        place, inside = g.fresh("i"), g.fresh("inside")
        g.intro(f"{place} {inside}")
        main = g._branch(g.goal)  # what is shared by its branches is written in front of them, at `g`
        case = CountedCase(self.root.within(g), main)
        case.limit(MOST_CASES // 4, WORK // 10)
        for label in self.root.taken(g):
            if g.facts[label][0] in ("<=", "<", "="):
                case.assume(label)
        case.facts.literals[fkey(g.facts[inside])] = inside
        case.assume(inside)
        case.decide()
        g.take(main)

    def limit(self, most: int, work: int) -> None:
        """Set a limit for this decision: so many cases and so much arithmetic."""
        self.tally, self.facts.effort = [MOST_CASES - most], Effort(work)

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
        # Each part of a conjunction is a case of its own.
        if g.goal[0] == "&":
            for part in g.split():
                CountedCase(self.root, part, self).open()
            return
        self.decide()

    def assume(self, label: str) -> None:
        """Take a fact into account."""
        g, facts, f = self.g, self.facts, self.g.facts[label]
        facts.literals.setdefault(fkey(f), label)
        inner = f[2][0] if f[0] == "~" else f
        if f[0] == "&":
            stem = g.fresh("and")
            parts = [f"{stem}_{k}" for k in range(len(flatten("&", f)))]
            g.use(label, label=" ".join(parts))
            for part in parts:
                self.assume(part)
        elif f[0] == "~" and division(inner) is not None:  # a remainder is decided by its quotient
            self.supposed.append(inner)
        elif f[0] == "ex":  # a new name
            facts.remainders.solving |= division(f) is not None
            name, so = g.fresh("x"), g.fresh("so")
            g.obtain(label, name, so)
            self.assume(so)
        elif (letter := letter_at(inner)) is not None:  # which letter stands where
            opposite = facts.literals.get(fkey(("~", None, (f,))))
            if opposite is not None:
                facts.clash = (opposite, label) if f[0] == "~" else (label, opposite)
            (letter_absent if f[0] == "~" else letter_stands)(facts, label, *letter)
        elif f[0] in COMPARISONS:
            facts.fact(label)
        elif f[0] == "~" and inner[0] in ("<=", "<"):  # not a <= b is b < a
            new = g.fresh("not")
            g.have(negation(inner), new, lambda h: h.hyp(label))
            self.assume(new)
        elif f[0] == "~" and inner[0] == "=":  # a < b or b < a
            self.hypotheses.append(self.apart(label))
        elif inner[0] in ("all", "ex") and counted_range(facts, inner) is not None:  # decided by a count
            self.supposed.append(inner)
        elif f[0] == "all" or inner[0] == "ex":  # it holds at any position
            facts.sums.universal.append(label)
        elif inner[0] == "all":  # a position where it fails
            self.assume(counterexample(facts, label))
        else:
            self.hypotheses.append(label)

    def apart(self, label: str) -> str:
        """The label of a < b or b < a, where a and b differ: from a >= b and b >= a follows a = b."""
        g = self.g
        a, b = g.facts[label][2][0][2]
        a_below_b, b_below_a = less_than(a, b), less_than(b, a)
        new = g.fresh("apart")

        def proof(h: Goal) -> None:
            a_less, a_not_less = h.em(a_below_b, (a_side := h.fresh("side")))
            a_less.pick("left").hyp(a_side)
            b_less, neither = a_not_less.em(b_below_a, (b_side := a_not_less.fresh("side")))
            b_less.pick("right").hyp(b_side)
            neither.have(equals(a, b), (equal := neither.fresh("equal")), lambda k: k.auto([a_side, b_side], degree=1))
            neither.contra(neither.fresh("no"))
            neither.absurd(equal, label)

        g.have(("|", None, (a_below_b, b_below_a)), new, proof)
        return new

    # --- Deciding ----------------------------------------------------------------------------------------------------

    def decide(self) -> None:
        """Close the goal, or open cases; Unclosed with the counts at which nothing contradicts."""
        g, facts = self.g, self.facts
        if facts.truth(g.goal):
            return facts.show(g, g.goal)
        # A false hypothesis, then a contradiction of the arithmetic, closes the case.
        for label in self.hypotheses:
            if facts.truth(g.facts[label]) is False:
                return facts.deny(g, label)
        rows = facts.rows_now()
        # Equations between integers are solved first, which changes the rows.
        while facts.remainders.solving and any(
            row.tag == "=" and row.poly and solved(facts, label) for label, row in rows.items()
        ):
            rows = facts.rows_now()
        refutation = contradiction([*rows.values()], facts.effort) or one_sign(facts, [*rows.values()])
        if refutation is not None:
            return close(g, refutation)
        # Looking for the next question may find a clash, or settle the goal.
        formula = self.choice()
        if facts.clash is not None:
            return g.absurd(*facts.clash)
        if facts.truth(g.goal):  # by what was found of quantified formulas
            return facts.show(g, g.goal)
        # New facts came: the rows are made again.
        if facts.renewed:
            facts.renewed = False
            return self.decide()
        if formula is None:
            return self.at_point([*rows.values()])
        return self.split(formula)

    def choice(self) -> Term | None:
        """The formula to decide next: one about the remainders in comparisons, a comparison of the goal or of a
        hypothesis, or what the arithmetic needs; None where nothing is left to decide."""
        facts = self.facts
        for part in facts.remainders.compared.values():
            if (question := division_question(facts, part)) is not None:
                return question
        for f in [self.g.goal, *(self.g.facts[k] for k in self.hypotheses)]:
            if (part := facts.undecided(f)) is not None:
                return part
            # Quantified formulas by the count or the remainder that decides them; others as they stand.
            for part in _quantified(f):
                if facts.truth(part) is None:
                    if counted_range(facts, part) is None and division(part) is None:
                        return part
                    if (question := self.question(part)) is not None:
                        return question
        for part in self.supposed:
            if (question := self.question(part)) is not None:
                return question
        return next(iter(facts.wanted.values()), None)

    def question(self, part: Term) -> Term | None:
        """What has to be decided for a quantified formula, by its count or its remainder."""
        return (range_question if division(part) is None else division_question)(self.facts, part)

    def split(self, formula: Term) -> None:
        """Close the goal in two cases: the formula holds, or its negation does."""
        self.tally[0] += 1
        if self.tally[0] > MOST_CASES:
            raise Unclosed(None, (f"more than {MOST_CASES} cases",))
        label = self.g.fresh("is")
        for h in self.g.em(formula, label):
            case = CountedCase(self.root, h, self)
            case.assume(label)
            case.decide()

    def at_point(self, rows: list[FactRow]) -> None:
        """No contradiction is left: look for further facts, split at a count that is no integer, or raise Unclosed
        with the point."""
        facts = self.facts
        # Facts that were not needed so far: premises of the run, terms of sums, integers between equal bounds.
        if use_premises(facts) or more_facts(facts) or squeezed(facts, rows):
            return self.decide()
        # Contradictions that need more than linear arithmetic: powers of e, products of rows.
        if (refutation := with_powers(facts, rows)) is not None:
            return close(self.g, refutation)
        if (formula := sum_question(facts)) is not None:
            return self.split(formula)
        rows = [*rows, *(multiplied := products(rows))]
        if multiplied and (refutation := contradiction(rows, facts.effort)) is not None:
            return close(self.g, refutation)
        values = point(rows, facts.effort)
        # An integer that is a fraction at this point is split into at most floor, and more.
        for m, value in sorted((values or {}).items(), key=lambda item: repr(reify.product(item[0]))):
            if value.denominator != 1 and len(m[0]) == 1 and m[0][0][1] == 1 and not m[1] and whole(m[0][0][0]):
                floor = num(value.numerator // value.denominator)
                return self.split(at_most(reify.product(m), floor))
        at = None if values is None else CountedPoint(facts.rules, values, tuple(facts.counts.places))
        raise Unclosed(at, (*facts.opaque(), *open_sums(facts)))


def _quantified(f: Term) -> list[Term]:
    """The quantified formulas in a formula, the outermost alone."""
    if f[0] in ("all", "ex"):
        return [f]
    return [] if f[0] in COMPARISONS else [part for k in f[2] for part in _quantified(k)]
