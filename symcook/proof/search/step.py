"""One search of the automation: its hints, its limits, and a goal with the facts in its foreground.

`Search` is the base of the classes in `arithmetic`, `instances`, `casework` and `automation`, which work on a `Step`.
Facts in the foreground are those that hints cite or that the search has added. The most expensive methods use only
these facts, because a goal may have hundreds of facts.

Letters: `g` is a goal, `s` a step, `k` the label of a fact, `f` a formula.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from symcook.proof.inequalities.simplex import Effort
from symcook.proof.normal import FALSE as NFALSE
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.search.opengoal import NormalForms
from symcook.proof.search.signs import DEPTH, Signs
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import COMPARISONS, Term, free, replace


@dataclass(frozen=True)
class Hint:
    """A fact by its label, with terms for its quantifiers (or None) and hints for its premises; or, with `term` and an
    empty label, a term as a multiplier, for cases or as a witness. The term "_" and the label "_" leave a quantifier or
    a premise to the search."""

    label: str
    terms: tuple[str, ...] | None = None
    premises: tuple[Hint, ...] = ()
    term: Term | None = None

    def labels(self) -> Iterator[str]:
        """The label of the hint and those of its premises."""
        yield self.label
        for premise in self.premises:
            yield from premise.labels()


@dataclass(frozen=True)
class Level:
    """The limits of a search."""

    depth: int  # how deep premises may nest
    splits: int  # how often cases may be distinguished
    degree: int  # the maximum number of facts in a product
    rounds: int  # how often equations are multiplied
    boxes: int  # the maximum number of boxes of a cover
    work: int  # the total effort, in the units of `Effort`
    terms: bool = True  # whether sums may be compared term by term
    signs: int = DEPTH  # how many levels of a term are examined for its sign


# The work counts coefficients that arithmetic touches. A goal, a sign and an instance count 500 and more, about what
# their normal forms take; so the whole of a level is counted, and is the same on every machine.
LEVELS = (
    #     depth, splits, degree, rounds, boxes, work
    Level(2, 0, 1, 0, 0, 100_000),
    Level(3, 3, 1, 1, 100, 1_000_000),
    Level(3, 4, 2, 1, 1000, 3_000_000),
    Level(4, 7, 2, 2, 1000, 6_000_000),
)
CALLS = 1200
"""The maximum number of goals in one level, so that cases within cases end. No level in 24 claims of an unseen set and
21 proof texts had more than 644."""


class Spent(Exception):
    """A level has reached the maximum number of goals."""


@dataclass
class Step:
    """A goal, the labels of the facts in its foreground, its signs, and what was done or has failed so far.

    `done` and `failed` hold marks such as ``("finite", v)``; each kind of mark is set and read by one method. What is
    done is not done again. What has failed may be tried again when there are more facts.
    """

    g: Goal
    foreground: dict[str, None]
    signs: Signs
    done: set[object] = field(default_factory=set)
    failed: set[object] = field(default_factory=set)

    def under(self, g: Goal) -> Step:
        """The step for `g`, a branch of this goal; the facts that only `g` has are in the foreground too."""
        foreground = dict(self.foreground)
        foreground |= dict.fromkeys(k for k in g.facts if k not in self.g.facts)
        failed = set(self.failed) if len(g.facts) == len(self.g.facts) else set()
        return Step(g, foreground, self.signs.under(g), set(self.done), failed)

    def fork(self, goal: Term | None = None) -> Step:
        """A step on a copy of this goal, or on `goal` with the same facts. It changes this step only by `take`."""
        return self.under(self.g.branch(self.g.goal if goal is None else goal))

    def take(self, other: Step) -> None:
        """Close this goal by the proof of `other`, which is a fork of this step."""
        self.g.take(other.g)

    def note(self, before: set[str]) -> list[str]:
        """Add the facts that were not among `before` to the foreground; their labels."""
        new_labels = [k for k in self.g.facts if k not in before]
        self.foreground |= dict.fromkeys(new_labels)
        return new_labels


class Search:
    """What all parts of a search share; `run` closes a goal.

    The message of a search that fails uses two fields. `lacking` has the premises that were not proved. `stuck` has the
    goal that was left within the fewest premises, as text, with the number of premises around it.
    """

    def __init__(self, level: Level, hints: Sequence[Hint], known: NormalForms) -> None:
        self.level, self.hints = level, hints
        self.known, self.key, self.poly = known, known.key, known.poly
        self.effort = Effort(level.work)
        self.calls = 0
        self.inside = 0  # the number of premises around the current goal
        self.lacking: dict[str, None] = {}
        self.stuck: tuple[int, str] | None = None

    def cited(self, g: Goal) -> list[str]:
        """The labels in hints that are facts of `g`, without facts about all values that are only premises of hints."""
        hint_labels = {hint.label for hint in self.hints}
        labels = (k for hint in self.hints for k in hint.labels())
        return [k for k in labels if k in g.facts and (k in hint_labels or g.facts[k][0] != "all")]

    def failure(self, error: Stuck) -> Stuck:
        """The error of the whole search: the goal that was left, and at most four premises that were missing."""
        parts = [self.stuck[1] if self.stuck else str(error)]
        if self.lacking:
            parts.append("missing: " + "; ".join(list(self.lacking)[:4]))
        return Stuck("\n".join(parts))

    def stop(self, s: Step, why: str = "") -> Stuck:
        """The error to raise at this step. The goal is noted in `stuck` if it is within fewer premises than the goal
        noted before."""
        if self.stuck is None or self.inside < self.stuck[0]:
            self.stuck = (self.inside, shown(s.g, s.foreground))
        return Stuck(why or "the search found nothing")

    def run(self, s: Step, depth: int, splits: int | None = None) -> None:
        """Close the goal, or Stuck."""
        raise NotImplementedError

    def replaced(self, f: Term, old: Term, new: Term) -> Term:
        """`f` with `new` in place of `old`; the same object if `old` has a name that does not occur in `f`."""
        return replace(f, old, new) if self.known(free, old) <= self.known(free, f) else f

    def at_once(self, s: Step) -> bool:
        """Close a goal that is true by computation, is a fact, or follows from a fact that is false; whether it did."""
        g = s.g
        key = self.key(g.goal)
        if key == NTRUE:
            g.true()
            return True
        # Normal forms take long, so tags and quantifiers are compared first. They must be equal for formulas with the
        # same normal form, except that a negated comparison has the normal form of a comparison.
        tags = (g.goal[0], "~", "<", "<=") if g.goal[0] in ("~", "<", "<=") else (g.goal[0],)
        bound = quantified(g.goal)
        for k, f in reversed(g.facts.items()):
            if f is g.goal or (f[0] in tags and quantified(f) == bound and self.key(f) == key):
                g.hyp(k)
                return True
        for k in s.foreground:
            if g.facts[k][0] in (*COMPARISONS, "~", "false") and self.key(g.facts[k]) == NFALSE:
                g.absurd(k)
                return True
        return False


def quantified(f: Term) -> int:
    """How many quantifiers a formula begins with, after a negation. It is equal for formulas with the same normal
    form."""
    f, count = f[2][0] if f[0] == "~" else f, 0
    while f[0] in ("all", "ex"):
        f, count = f[2][0], count + 1
    return count


def shown(g: Goal, foreground: dict[str, None]) -> str:
    """The text of the goal that is left, with the first facts in the foreground."""
    lines = [f"    {k}: {g.text(g.facts[k])[:300]}" for k in list(foreground)[:14] if k in g.facts]
    return "\n".join([f"    still to show: {g.text(g.goal)[:400]}", *(["    from:"] if lines else []), *lines])
