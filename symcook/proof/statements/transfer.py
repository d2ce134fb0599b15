"""A statement proved from the same statement about other functions, where facts say that the two agree.

A theorem about a compiled model says that the model's answer is that of its program: at each position i from 1 to n,
``I[accept(i)] = b(i)``, or ``output(i) = b(i)`` for a number. A statement about the answer is then one about b. `other`
puts b in place of the answers, and `close` proves the statement from what `other` makes of it: it goes down both
formulas at once, and uses the facts where they differ. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from symcook.proof.claims.bycounts.problem import HERE
from symcook.proof.search.ranges import equals
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import COMPARISONS, FORMULAS, Term, flatten, neg, num, replace, subterms

_BINDERS = ("all", "ex", "sum", "prod", "lam")


class AnswerAgreement(NamedTuple):
    """What agrees at each position. `ours` at `HERE` is a formula or a number about the model; `theirs` is the number
    that it is, 1 or 0 for a formula."""

    ours: Term
    theirs: Term

    @property
    def truth(self) -> bool:
        """Whether `ours` is a formula."""
        return self.ours[0] in FORMULAS

    @property
    def instead(self) -> Term:
        """What stands in the other formula in place of `ours`."""
        if not self.truth:
            return self.theirs
        return self.theirs[2][0] if self.theirs[0] == "ind" else equals(self.theirs, num(1))


class AgreementLabels(NamedTuple):
    """The labels of facts about an agreement at all positions: the two sides are equal as numbers; for a formula also
    that each side implies the other. With sides a and b: I[a] = I[b], a -> b, b -> a."""

    equal: str
    forth: str
    back: str


def place_in(pattern: Term, t: Term) -> Term | None:
    """The place at which `pattern`, a term at `HERE`, is `t`; None for any other term. A place may be a bound
    variable."""
    places: list[Term] = []

    def agrees(p: Term, s: Term) -> bool:
        if p == HERE:
            places.append(s)
            return s == places[0]
        if p[0] != s[0] or p[1] != s[1] or len(p[2]) != len(s[2]):
            return False
        return all(map(agrees, p[2], s[2]))

    return places[0] if agrees(pattern, t) and places else None


class Transfer:
    """Proves formulas about a model from the same formulas about the functions that agree with its answers.

    In proofs, `g.goal` is a formula f and the fact `label` is `other` of f; with `back` the fact is f, and the goal is
    `other` of it.
    """

    def __init__(self, agreements: Sequence[AnswerAgreement]) -> None:
        """Stuck for an agreement whose sides bind variables, since a place in them may be a bound variable too."""
        self.agreements, self.labels = agreements, list[AgreementLabels]()
        for side in (side for agreement in agreements for side in agreement):
            if any(s[0] in _BINDERS for s in subterms(side)):
                raise Stuck("an answer that quantifies is not replaced")

    def found(self, t: Term) -> tuple[int, Term] | None:
        """The number of the agreement of which `t` is the side about the model, and the place."""
        for number, agreement in enumerate(self.agreements):
            if (place := place_in(agreement.ours, t)) is not None:
                return number, place
        return None

    def other(self, t: Term) -> Term:
        """A formula or term about the model with what agrees in place of the model's answers; `t` itself where it has
        none."""
        if (here := self.found(t)) is not None:
            return replace(self.agreements[here[0]].instead, HERE, here[1])
        kids = tuple(map(self.other, t[2]))
        return t if all(new is old for new, old in zip(kids, t[2], strict=True)) else (t[0], t[1], kids)

    def state(self, g: Goal, equations: Sequence[str]) -> None:
        """Add the facts of each agreement (`labels`), from the labels of ``all i in 1..n. I[ours] = theirs``, or
        ``ours = theirs``, in the order of `agreements`."""
        for agreement, equation in zip(self.agreements, equations, strict=True):
            if not agreement.truth:
                self.labels.append(AgreementLabels(equation, "", ""))
                continue
            ours, instead = (g.text(side) for side in (agreement.ours, agreement.instead))
            forth, back = g.fresh("forth"), g.fresh("back")
            g.have(f"all i in 1..n. {_bracketed(ours)} -> {_bracketed(instead)}", forth, partial(_forth, by=equation))
            g.have(f"all i in 1..n. {_bracketed(instead)} -> {_bracketed(ours)}", back, partial(_back, by=equation))
            equal = equation
            if agreement.theirs[0] != "ind":
                equal = g.fresh("equal")
                facts = {"forth": forth, "back": back}
                g.have(f"all i in 1..n. I[{ours}] = I[{instead}]", equal, partial(_equal, **facts))
            self.labels.append(AgreementLabels(equal, forth, back))

    def close(self, g: Goal, label: str, back: bool = False) -> None:
        """Close a goal f by the fact `label`, which is `other` of f; with `back` a goal that is `other` of the fact.
        Stuck where the facts do not tell that a place is a position."""
        own = g.fact(label) if back else g.goal
        if g.fact(label) == g.goal:
            g.hyp(label)
        elif (here := self.found(own)) is not None:
            labels, answer = self.labels[here[0]], g.fresh("answer")
            rule = labels.back if not back else labels.forth
            g.use(rule, g.text(here[1]), _in_range, f"#{label}", label=answer)
            g.hyp(answer)
        elif own[0] in COMPARISONS:
            for equation in self._equations(g, own):
                g.rewrite(equation, rev=back)
            g.hyp(label)
        else:
            rules = {
                "&": self._and, "|": self._or, "->": self._then, "~": self._not, "all": self._all, "ex": self._ex,
            }  # fmt: skip
            rules[own[0]](g, label, back)

    # --- Connectives -------------------------------------------------------------------------------------------------

    def _and(self, g: Goal, label: str, back: bool) -> None:
        shown = list[str]()
        for side, kid in enumerate(g.goal[2]):
            half, proved = self._half(g, label, side), g.fresh("shown")
            g.have(kid, proved, partial(self.close, label=half, back=back))
            shown += parts_of(g, proved)
        for part, known in zip(g.split(), shown, strict=True):
            part.hyp(known)

    def _half(self, g: Goal, label: str, side: int) -> str:
        """The label of the left (0) or right (1) side of a fact that is a conjunction of two."""
        sides, parts = g.fact(label)[2], parts_of(g, label)
        of_left = len(flatten("&", sides[0]))
        mine = parts[of_left:] if side else parts[:of_left]
        if len(mine) == 1:
            return mine[0]
        half = g.fresh("half")
        g.have(sides[side], half, from_facts)
        return half

    def _or(self, g: Goal, label: str, back: bool) -> None:
        # A case for each part of the fact. It gives the side of the fact that has it, and so that side of the goal.
        sides = g.fact(label)[2]
        of_left = len(flatten("|", sides[0]))
        for number, case in enumerate(g.cases(label)):
            part, side, given = [*case.facts][-1], int(number >= of_left), case.fresh("side")
            case.have(sides[side], given, partial(picked, number=number - of_left * side, label=part))
            case.pick("right" if side else "left")
            self.close(case, given, back)

    def _then(self, g: Goal, label: str, back: bool) -> None:
        # The premise of the goal gives that of the fact, whose conclusion then gives that of the goal.
        given = g.fresh("given")
        g.intro([given])
        premise, then = self._turned(g, given, g.fact(label)[2][0], back), g.fresh("then")
        g.use(label, f"#{premise}", label=then, premises=0)
        self.close(g, then, back)

    def _not(self, g: Goal, label: str, back: bool) -> None:
        given = g.fresh("given")
        g.intro([given])
        g.absurd(self._turned(g, given, g.fact(label)[2][0], back), label)

    def _turned(self, g: Goal, given: str, wanted: Term, back: bool) -> str:
        """The label of the fact `wanted`, the premise of a fact; `given` is the same premise of the goal."""
        parts_of(g, given)
        if g.fact(given) == wanted:
            return given
        turned = g.fresh("turned")
        g.have(wanted, turned, partial(self.close, label=given, back=not back))
        return turned

    def _all(self, g: Goal, label: str, back: bool) -> None:
        name, here = g.fresh("k"), g.fresh("at")
        g.intro([name])
        g.use(label, name, label=here, premises=0)
        self.close(g, here, back)

    def _ex(self, g: Goal, label: str, back: bool) -> None:
        name, here = g.fresh("k"), g.fresh("at")
        g.obtain(label, name, here)
        g.witness(name)
        self.close(g, here, back)

    # --- Terms -------------------------------------------------------------------------------------------------------

    def _equations(self, g: Goal, t: Term) -> list[str]:
        """The labels of new facts ``part = other of part``, for the outermost sums, indicators and answers in a term or
        comparison that are about the model."""
        parts: list[Term] = []

        def collect(s: Term) -> None:
            if self.other(s) is s:
                return
            if s[0] in ("ind", "sum") or self.found(s) is not None:
                parts.append(s)
            elif s[0] in _BINDERS:
                raise Stuck("an answer in a product is not replaced")
            else:
                for kid in s[2]:
                    collect(kid)

        collect(t)
        return [self._equation(g, part) for part in dict.fromkeys(parts)]

    def _equation(self, g: Goal, t: Term) -> str:
        """The label of a new fact: `t` is `other` of it."""
        label, here = g.fresh("same"), self.found(t[2][0] if t[0] == "ind" else t)
        if here is not None:
            g.use(self.labels[here[0]].equal, g.text(here[1]), _in_range, label=label)
        else:
            g.have(equals(t, self.other(t)), label, self._same_truth if t[0] == "ind" else self._same_sum)
        return label

    def _same_truth(self, g: Goal) -> None:
        """Close a goal I[f] = I[other of f]."""
        _by_both(g, lambda h, label: self.close(h, label, back=True), self.close)

    def _same_sum(self, g: Goal) -> None:
        """Close a goal that sums over f and over `other` of f are equal."""
        left, right = g.goal[2]
        if left[2][:2] != right[2][:2]:
            raise Stuck("an answer in the range of a sum is not replaced")
        functions = [g.text(("lam", ("Int",), (side[2][2],))) for side in (left, right)]
        label = g.fresh("sum")

        def each(h: Goal) -> None:
            inside = h.fresh("in")
            h.intro([h.fresh("k"), inside])
            parts_of(h, inside)
            for equation in self._equations(h, h.goal[2][0]):
                h.rewrite(equation)
            h.true()

        g.use("lem:sum_ext", *functions, *map(g.text, left[2][:2]), each, label=label)
        g.hyp(label)


# --- The facts of an agreement ---------------------------------------------------------------------------------------


def _bracketed(text: str) -> str:
    """The text of a formula in brackets."""
    return f"({text})"


def _opened(g: Goal, by: str) -> tuple[str, str]:
    """Introduce the position and the premise of a goal ``all i in 1..n. given -> shown``; the labels of the premise and
    of the equation `by` at this position."""
    name, inside, given, here = (g.fresh(stem) for stem in ("k", "in", "given", "here"))
    g.intro([name, inside, given])
    g.use(by, name, f"#{inside}", label=here)
    return given, here


def _forth(g: Goal, by: str) -> None:
    """Close ``all i in 1..n. ours -> instead`` by the equation of the indicators (or of I[ours] and theirs)."""
    given, equation = _opened(g, by)
    ours, instead = g.fact(given), g.goal
    is_ours, is_not = cases_of(g, ours)
    against(is_not, given)
    one = last_fact(is_ours)
    if is_ours.fact(equation)[2][1][0] != "ind":
        combined(is_ours, (1, one), (-1, equation))
        return
    fine, wrong = cases_of(is_ours, instead)
    from_facts(fine)
    _false(wrong, (1, one), (-1, equation), (-1, last_fact(wrong)))


def _back(g: Goal, by: str) -> None:
    """Close ``all i in 1..n. instead -> ours`` by the equation of the indicators (or of I[ours] and theirs)."""
    given, equation = _opened(g, by)
    instead, ours = g.fact(given), g.goal
    is_ours, is_not = cases_of(g, ours)
    from_facts(is_ours)
    zero = last_fact(is_not)
    if is_not.fact(equation)[2][1][0] != "ind":
        _false(is_not, (1, given), (1, equation), (-1, zero))
        return
    wrong, other = cases_of(is_not, instead)
    against(other, given)
    _false(wrong, (1, last_fact(wrong)), (1, equation), (-1, zero))


def _equal(g: Goal, forth: str, back: str) -> None:
    """Close ``all i in 1..n. I[ours] = I[instead]`` by the facts that each implies the other at each position."""
    name, inside = g.fresh("k"), g.fresh("in")
    g.intro([name, inside])

    def by(rule: str, h: Goal, label: str) -> None:
        then = h.fresh("then")
        h.use(rule, name, f"#{inside}", f"#{label}", label=then)
        h.hyp(then)

    _by_both(g, partial(by, forth), partial(by, back))


def _by_both(g: Goal, forth: Any, back: Any) -> None:
    """Close a goal I[f] = I[h], by two functions that close the goal h by the label of the fact f, and the other way
    round."""
    own, instead = (side[2][0] for side in g.goal[2])
    for number, case in enumerate(cases_of(g, own)):
        bit = last_fact(case)
        both, given, turned = cases_of(case, instead), case.fresh("given"), case.fresh("turned")
        # First where both have the same truth, then where they would differ.
        same, differs = both if number == 0 else reversed(both)
        combined(same, (1, bit), (-1, last_fact(same)))
        holds, fails, way = (own, instead, forth) if number == 0 else (instead, own, back)
        differs.have(holds, given, from_facts)
        differs.have(fails, turned, partial(way, label=given))
        against(differs, turned)


# --- Steps -----------------------------------------------------------------------------------------------------------


def cases_of(g: Goal, f: Term) -> list[Goal]:
    """Two cases: f holds and I[f] is 1, or it does not and I[f] is 0. The last fact of each is about I[f]."""
    return g.ind(f, f"{g.fresh('is')} {g.fresh('bit')}")


def last_fact(g: Goal) -> str:
    """The label of the last fact."""
    return [*g.facts][-1]


def against(g: Goal, label: str) -> None:
    """Close any goal: the facts deny the fact `label`."""
    fact, denial = g.fact(label), g.fresh("denial")
    if fact[0] == "~":
        g.have(fact[2][0], denial, from_facts)
        g.absurd(denial, label)
    else:
        g.have(neg(fact), denial, from_facts)
        g.absurd(label, denial)


def combined(g: Goal, *rows: tuple[int | str, str]) -> None:
    """Close a goal that is an equation, by a sum of multiples of equations: each row is a factor and a label."""
    g.close({"by": "pos", "eq": [[str(factor), label] for factor, label in rows]})


def _false(g: Goal, *rows: tuple[int | str, str]) -> None:
    """Close any goal, by a sum of multiples of equations that is 0 = 1."""
    wrong = g.fresh("wrong")
    g.have(equals(num(0), num(1)), wrong, lambda h: combined(h, *rows))
    g.absurd(wrong)


def parts_of(g: Goal, label: str) -> list[str]:
    """The labels of the parts of a fact that is a conjunction; its own label for any other fact."""
    parts = flatten("&", g.fact(label))
    if len(parts) == 1:
        return [label]
    stem = g.fresh("p")
    labels = [f"{stem}_{number}" for number in range(1, len(parts) + 1)]
    g.use(label, label=" ".join(labels), premises=0)
    return labels


def from_facts(g: Goal) -> None:
    """Close a goal whose parts are facts, perhaps in another form."""
    for part in g.split() if g.goal[0] == "&" else [g]:
        key = part.known.key(part.goal)
        facts = reversed(part.facts.items())
        label = next((label for label, fact in facts if fact == part.goal or part.known.key(fact) == key), None)
        if label is None:
            raise Stuck("a case without its fact")
        part.hyp(label)


def picked(g: Goal, number: int, label: str) -> None:
    """Close a goal that is a disjunction by its part of this number, which is the fact `label`."""
    while g.goal[0] == "|":
        of_left = len(flatten("|", g.goal[2][0]))
        g.pick("left" if number < of_left else "right")
        number -= 0 if number < of_left else of_left
    g.hyp(label)


def by_labels(g: Goal, labels: Mapping[Term, str]) -> None:
    """Close a goal whose parts are facts. `labels` has those that are known by their formula."""
    for part in g.split() if g.goal[0] == "&" else [g]:
        label = labels.get(part.goal)
        if label is None:  # the same formula with functions of another sort
            key = part.known.key(part.goal)
            label = next((k for k, f in part.facts.items() if part.known.key(f) == key), None)
        if label is None:
            raise Stuck("a premise that is no fact")
        part.hyp(label)


def rewrite_used(g: Goal, labels: Iterable[str]) -> None:
    """Rewrite the goal by those equations, one after the other, whose left side occurs in it."""
    for label in labels:
        if g.fact(label)[2][0] in {*subterms(g.goal)}:
            g.rewrite(label)


def _in_range(g: Goal) -> None:
    """Close the goal that a place is a position, by the comparisons among the facts alone."""
    few = g.branch()
    few.facts = {k: f for k, f in g.facts.items() if f[0] in COMPARISONS}
    few.hidden |= g.facts.keys() - few.facts.keys()
    few.easy()
    g.take(few)
