"""Fragment B: decides claims over sums of letter values by counts and linear arithmetic, and writes the proof.

A sum whose terms depend only on the letter at j is a sum of letter counts. So each value of the run is a quotient of
linear forms in the counts at the positions that a claim names. The procedure splits cases: the claim's comparisons, the
signs under relu, abs, min and max, the order of positions and the letters at them are assumed true or false, one after
the other. Each case ends with a proof of the claim, with a contradiction of linear arithmetic, or with counts at which
the claim may be false.

A `CountedCase` makes the decisions in one case: it has the formulas to be decided, and the facts of its goal
(`casefacts`). The facts include `CountedPlaces`, `KnownRemainders` and `SumsOfTerms`, one for each kind of knowledge,
and the rows of the arithmetic. An atom is a part of a term that the arithmetic does not look into. A rule, a function
of the facts and the atom, says how to read it: `atoms` has the table of rules. They are in the files `lettercounts`,
`quantified`, `lettersums`, `positional`, `powers`, `implicit`, `termsums`, `bestplace`, `divided` and `circle`, each of
which imports the rules that it uses. A rule that needs another proof calls `facts.decision`.
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
from symcook.proof.claims.bycounts.quantified import counted_range, quantified_question, range_question
from symcook.proof.claims.bycounts.strings import LedBy, string
from symcook.proof.claims.bycounts.termsums import counterexample, find_sums, more_facts, open_sums, sum_question
from symcook.proof.claims.bycounts.truth import letter_at
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import poly
from symcook.proof.inequalities.simplex import Effort, TooLong
from symcook.proof.normal import Mono, fkey
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.ranges import at_most, equals, less_than
from symcook.proof.search.tactics import Citable, Goal, Stuck
from symcook.proof.terms import COMPARISONS, TRUE, Term, flatten, free, negation, num, subterms

MOST_CASES = 150
"""The greatest number of case splits in one decision. Of 25 claims of an unseen set, three came to the limit, and were
proved otherwise."""
MOST_CASES_WITHIN, WORK_WITHIN = MOST_CASES // 4, WORK // 10
"""The same for a part ``all i in low..high. F`` that is decided separately, within the decision."""


@dataclass(frozen=True)
class CountedPoint:
    """A point of the arithmetic at which a claim may be false."""

    rules: Rules
    """The rules that replace atoms by their values."""
    values: dict[Mono, Fraction]
    """The values of the other monomials: of names, counts and bits of letters."""
    places: tuple[Term, ...]
    """The positions in use."""
    led: LedBy | None = None
    """With automata: finds a string from its counts."""

    def string(self, problem: Problem) -> tuple[int, ...] | None:
        """A string with these values; None where there is none."""
        return string(problem, self.rules, self.values, self.places, self.led)


def prove(
    problem: Problem, g: Goal, most: int | None = None, regular: Regular | None = None, prefixes: bool = False
) -> None:
    """Close the goal of a statement; raises Unclosed if a case stays open. With `most`, the statement is closed only
    for strings of at most `most` positions, so the result is no proof. With `regular` there is a case for each state of
    those automata whose state at the last position is in the claim; with `prefixes`, these have bounds for all
    prefixes, and Stuck is raised if no state has one."""
    introduce(problem, g)
    main, lettered = g.branch(), Lettered(problem, g)
    case = CountedCase.at(lettered, main)
    # An assumption without a proof: the string has at most `most` positions.
    if most is not None:
        main.facts["most"] = at_most(problem.places.high, num(most - 1 + problem.start))
        case.assume("most")
    states = [] if regular is None else at_the_end(lettered, regular)
    # One case for each state of the automata at the last position, with its bounds and congruences.
    if prefixes and not states:
        raise Stuck("no automaton at the end")
    if states:
        potentials = Potentials(lettered, states, prefixes)
        if prefixes and not any(potentials.running.values()):
            raise Stuck("no bounds for all prefixes")
        potentials.prove(main, "state")
        parts = flatten("|", main.facts["state"])
        labels = [f"state.{k}" for k in range(len(parts))] if len(parts) > 1 else ["state"]
        goals = [main] if len(parts) == 1 else main.cases("state", *labels)
        for h, label, state in zip(goals, labels, potentials.states, strict=True):
            inner = CountedCase(lettered, h, case)
            inner.assume(label)
            try:
                inner.open()
            except Unclosed as error:
                # The string for these counts must lead to this state.
                if error.counts is not None:
                    error.counts = replace(error.counts, led=partial(potentials.string, state))
                raise
    else:
        case.open()
    g.take(main)


class PartsInTurn:
    """Proves the parts of a claim one after the other, each with the parts before it as facts. A part that gives a
    coordinate at every position then replaces the run's equation for this coordinate, also in sums."""

    def __init__(self, problem: Problem, g: Goal) -> None:
        introduce(problem, g)
        if problem.claim[0] == "->":
            g.intro("asked")  # the premise that all parts share
        self.g, self.case = g, CountedCase.at(Lettered(problem, g), g)
        self.labels: dict[object, str] = {}  # by key of a part: the label of the fact

    @staticmethod
    def serves(problem: Problem) -> bool:
        """Whether a part of the claim may help to prove one after it."""
        claim = problem.claim[2][1] if problem.claim[0] == "->" else problem.claim
        return any(given_at_each(problem, part) is not None for part in flatten("&", claim)[:-1])

    def prove(self, claim: Term) -> None:
        """Prove all parts of a formula as facts; raises Unclosed if one stays open."""
        for part in flatten("&", claim):
            if (key := self.g.known.key(part)) not in self.labels:
                self.g.have(part, label := self.g.fresh("part"), self.case.close)
                self.labels[key] = label
                if (name := given_at_each(self.case.root.problem, part)) is not None:
                    self.case.root.forms[name] = label

    def close(self, g: Goal) -> None:
        """Close a goal by the facts for its parts."""
        for part in g.split() if g.goal[0] == "&" else [g]:
            part.hyp(self.labels[g.known.key(part.goal)])


def given_at_each(problem: Problem, part: Term) -> str | None:
    """The coordinate whose value a formula gives at every position, case by case, in terms of the input alone; else
    None.

    A value that reads coordinates is excluded: two formulas could replace each other's coordinates without end."""
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
    """The result of the procedure for a statement."""

    proved: Goal | None = None
    """A goal with a proof of the statement."""
    string: tuple[int, ...] | None = None
    """A string on which the statement may be false."""
    why: str = ""
    """The reason if there is neither."""
    shortest: bool = False
    """Whether the statement is closed for all shorter strings."""


class CountedAttempt(NamedTuple):
    """The result of one search for a proof: the goal if all cases are closed, else a string with the counts at which a
    case stays open, if there is one, and the reason, if terms have no rule or an error ended the search."""

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
    """A proof of the statement, or a string on which it may be false, which is not run here. With `least` a shortest
    string is sought until the moment `until`, unless terms without a rule make the string doubtful. `regular` has the
    automata of the problem."""
    if problem.outside:
        return CountedDecision(why=problem.outside[0])
    problem = problem.here
    # Prove the parts of the claim in turn if one may help another; without a result, decide the whole claim.
    attempt = _parts_in_turn(problem, library) if PartsInTurn.serves(problem) else CountedAttempt()
    if attempt.goal is None and attempt.string is None:
        attempt = _whole_claim(problem, library, regular)
    # Without a proof: with bounds for all prefixes. A string may be one on which the statement is true.
    if attempt.goal is None and regular is not None:
        with_prefixes = attempted(
            lambda: _attempt(problem, library, lambda g: prove(problem, g, None, regular, True)),
            until and Until(until.left / 2),
        )
        if not isinstance(with_prefixes, Failed) and with_prefixes.goal is not None:
            attempt = with_prefixes
    if attempt.string is None or attempt.why or not least:
        return CountedDecision(*attempt)
    return _shortest(problem, library, regular, attempt.string, until)


def _parts_in_turn(problem: Problem, library: Citable) -> CountedAttempt:
    """The attempt to prove the claim by `PartsInTurn`."""

    def close(g: Goal) -> None:
        parts = PartsInTurn(problem, g)
        parts.prove(g.goal)
        parts.close(g)

    return _attempt(problem, library, close)


def _whole_claim(
    problem: Problem, library: Citable, regular: Regular | None, most: int | None = None
) -> CountedAttempt:
    """The attempt to prove the claim by cases, for all strings or for those of at most `most` positions."""
    return _attempt(problem, library, lambda g: prove(problem, g, most, regular))


def _attempt(problem: Problem, library: Citable, close_goal: Callable[[Goal], None]) -> CountedAttempt:
    """The result of closing the goal of a statement by `close_goal`."""
    g = Goal(library, problem.statement.formula, {}, {})
    try:
        close_goal(g)
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
    """The shortest string on which the statement may be false, by bisection of its length. The search starts from
    `counter_string`; it stops with the shortest string so far if a step takes too long, or gives neither a proof nor a
    string."""
    below, length = 0, len(counter_string)  # there is no such string of at most `below` positions, and one of `length`
    while below + 1 < length:
        middle = (below + length) // 2
        search = partial(_whole_claim, problem, library, regular, middle)
        attempt = attempted(search, until and Until(until.left / 2))
        if isinstance(attempt, Failed):  # the time is over
            break
        if attempt.string is not None:
            counter_string, length = attempt.string, len(attempt.string)
        elif attempt.goal is not None:  # closed for all strings of at most `middle` positions
            below = middle
        else:
            break
    return CountedDecision(None, counter_string, shortest=below + 1 == length)


class CountedCase:
    """One case of the proof: its goal, the facts at this goal, and the formulas that must be decided to close it."""

    def __init__(self, root: Lettered, g: Goal, around: CountedCase | None = None) -> None:
        """`around` is the case that contains this one; its facts are copied."""
        self.root, self.g = root, g
        self.facts = around.facts.under(g, self) if around else CaseFacts(root, g, self)
        # labels of facts with several comparisons, such as disjunctions
        self.hypotheses: list[str] = [*around.hypotheses] if around else []
        self.supposed: list[Term] = [*around.supposed] if around else []
        """Quantified formulas that are facts, or whose negations are facts."""
        self.tally = around.tally if around else [0]  # the number of case splits, shared by all cases of a decision

    @classmethod
    def at(cls, root: Lettered, g: Goal) -> CountedCase:
        """The outermost case of a goal: its comparisons, and the premises `some` and `asked`, are assumed."""
        case, remainders = cls(root, g), KnownRemainders()
        # Formulas about remainders in the claim. Those that occur as numbers I[F] must always be decided (`compared`).
        divisions = [s for s in subterms(root.problem.claim) if s[0] == "ex" and division(s) is not None]
        bits = {s[2][0] for s in subterms(root.problem.claim) if s[0] == "ind"}
        remainders.compared, remainders.solving = {fkey(f): f for f in divisions if f in bits}, bool(divisions)
        case.facts.remainders = remainders
        for label, f in list(g.facts.items()):
            if f[0] in COMPARISONS or label in ("some", "asked"):
                case.assume(label)
        return case

    # --- Methods that the facts and rules call -----------------------------------------------------------------------

    def read(self, atom: int) -> AtomReading:
        """The reading of an atom by its rule; `OPAQUE` without one."""
        rule = ATOM_RULES.get(normal._keys[atom][0])
        return OPAQUE if rule is None else rule(self.facts, atom)

    def find(self) -> None:
        """Add the facts about counts and sums that follow from the facts so far."""
        find_counts(self.facts)
        find_sums(self.facts)

    def close(self, g: Goal, most: int = MOST_CASES, waiting: bool = True) -> None:
        """Close a branch `g` of the goal by a separate decision; raises Unclosed if a case stays open, or if that takes
        more than `most` case splits. Without `waiting`, facts with an atom that waits for a decision are not used."""
        case, facts = CountedCase(self.root, g, self), self.facts
        if not waiting:
            polynomial_by_label = {k: poly(g.facts[k]) if k in g.facts else facts.rows[k].poly for k in facts.facts}
            case.facts.facts = [
                k for k, p in polynomial_by_label.items() if not any(facts.waits(a) for m, _ in p for a, _ in m)
            ]
        case.limit(most, WORK)
        case.open()

    def everywhere(self, g: Goal) -> None:
        """Close a goal ``all i in low..high. F`` by a separate decision about F at a position i."""
        place, inside = g.fresh("i"), g.fresh("inside")
        g.intro(f"{place} {inside}")
        main = g.branch()  # facts that its branches share are proved at `g`, before them
        case = CountedCase(self.root.within(g), main)
        case.limit(MOST_CASES_WITHIN, WORK_WITHIN)
        for label in self.root.taken(g):
            if g.facts[label][0] in ("<=", "<", "="):
                case.assume(label)
        case.facts.literals[fkey(g.facts[inside])] = inside
        case.assume(inside)
        case.decide()
        g.take(main)

    def limit(self, most: int, work: int) -> None:
        """Start a separate count for this decision: at most `most` case splits, and `work` steps of arithmetic."""
        self.tally, self.facts.effort = [MOST_CASES - most], Effort(work)

    # --- Goals and hypotheses ----------------------------------------------------------------------------------------

    def open(self) -> None:
        """Introduce the quantifiers and premises of the goal, then decide it."""
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
        """Record the fact `label` by its form: in the arithmetic, among the formulas to decide, or by its parts."""
        g, facts, f = self.g, self.facts, self.g.facts[label]
        facts.literals.setdefault(fkey(f), label)
        inner = f[2][0] if f[0] == "~" else f
        if f[0] == "&":
            stem = g.fresh("and")
            parts = [f"{stem}_{k}" for k in range(len(flatten("&", f)))]
            g.use(label, label=" ".join(parts))
            for part in parts:
                self.assume(part)
        elif f[0] == "~" and division(inner) is not None:  # about a remainder: decided by its quotient
            self.supposed.append(inner)
        elif f[0] == "ex":  # introduce its variable
            facts.remainders.solving |= division(f) is not None
            name, so = g.fresh("x"), g.fresh("so")
            g.obtain(label, name, so)
            self.assume(so)
        elif (letter := letter_at(inner)) is not None:  # that a letter is, or is not, at a position
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
        elif f[0] == "all" or inner[0] == "ex":  # about all positions
            facts.sums.universal.append(label)
        elif inner[0] == "all":  # introduce a position where the formula is false
            self.assume(counterexample(facts, label))
        else:
            self.hypotheses.append(label)

    def apart(self, label: str) -> str:
        """Prove ``a < b | b < a`` from the fact `label`, ``~(a = b)``; the label of the new fact. Otherwise a >= b and
        b >= a, so a = b."""
        g = self.g
        a, b = g.facts[label][2][0][2]
        a_below_b, b_below_a = less_than(a, b), less_than(b, a)
        new = g.fresh("apart")

        def by_cases(h: Goal) -> None:
            """By cases: a < b, b < a, or neither, which gives a = b."""
            a_less, a_not_less = h.em(a_below_b, (a_side := h.fresh("side")))
            a_less.pick("left").hyp(a_side)
            b_less, neither = a_not_less.em(b_below_a, (b_side := a_not_less.fresh("side")))
            b_less.pick("right").hyp(b_side)
            neither.have(equals(a, b), (equal := neither.fresh("equal")), lambda k: k.auto([a_side, b_side], degree=1))
            neither.contra(neither.fresh("no"))
            neither.absurd(equal, label)

        g.have(("|", None, (a_below_b, b_below_a)), new, by_cases)
        return new

    # --- Deciding ----------------------------------------------------------------------------------------------------

    def decide(self) -> None:
        """Close the goal, by cases if needed; raises Unclosed where a case stays open, with a point at which all its
        facts hold, if there is one."""
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
        # The search for the next formula to decide may add facts: two that clash, or one that decides the goal.
        formula = self.choice()
        if facts.clash is not None:
            return g.absurd(*facts.clash)
        if facts.truth(g.goal):  # by the new facts about quantified formulas
            return facts.show(g, g.goal)
        # With new facts the rows have changed: start again.
        if facts.renewed:
            facts.renewed = False
            return self.decide()
        if formula is None:
            return self.at_point([*rows.values()])
        return self.split(formula)

    def choice(self) -> Term | None:
        """The formula to decide next: one for a remainder in a comparison, one in the goal or in a hypothesis, one for
        an assumed quantified formula, or one that the arithmetic needs. None if nothing is left to decide."""
        facts = self.facts
        for part in facts.remainders.compared.values():
            if (question := division_question(facts, part)) is not None:
                return question
        for f in [self.g.goal, *(self.g.facts[k] for k in self.hypotheses)]:
            if (part := facts.undecided(f)) is not None:
                return part
            # A quantified formula is decided by its count or its remainder; without one it is split as a whole.
            if (question := quantified_question(facts, f, remainders=True)) is not None:
                return question
        for part in self.supposed:
            if (question := self.question(part)) is not None:
                return question
        return next(iter(facts.wanted.values()), None)

    def question(self, part: Term) -> Term | None:
        """The comparison that has to be decided next to decide a quantified formula, by its count or its remainder."""
        return (range_question if division(part) is None else division_question)(self.facts, part)

    def split(self, formula: Term) -> None:
        """Close the goal in two cases: the formula is true, or its negation is."""
        self.tally[0] += 1
        if self.tally[0] > MOST_CASES:
            raise Unclosed(None, (f"more than {MOST_CASES} cases",))
        label = self.g.fresh("is")
        for h in self.g.em(formula, label):
            case = CountedCase(self.root, h, self)
            case.assume(label)
            case.decide()

    def at_point(self, rows: list[FactRow]) -> None:
        """Go on if the rows are consistent and nothing is left to decide: add further facts, split at an integer that
        has a fraction as its value, or raise Unclosed with the point."""
        facts = self.facts
        # Further facts: premises of the run, terms of sums, sums of integers between equal bounds.
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
        # If an integer x has a fraction as its value at this point, split at x <= floor(value).
        for m, value in sorted((values or {}).items(), key=lambda item: repr(reify.product(item[0]))):
            if value.denominator != 1 and len(m[0]) == 1 and m[0][0][1] == 1 and not m[1] and whole(m[0][0][0]):
                floor = num(value.numerator // value.denominator)
                return self.split(at_most(reify.product(m), floor))
        counted_point = None if values is None else CountedPoint(facts.rules, values, tuple(facts.counts.places))
        raise Unclosed(counted_point, (*facts.opaque(), *open_sums(facts)))
