"""One search of the automation: its hints, its limits, and a goal with the facts in its foreground.

`Search` is the base of the classes that try things (`arithmetic`, `instances`, `casework`, `automation`); what they
work on is a `Step`. Facts in the foreground are those that were cited or have come up. The searches that cost most look
at these only, because a goal may have hundreds of facts.

Letters: `g` is a goal, `s` a step, `k` the label of a fact, `f` a formula.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from symcook.proof.inequalities.simplex import Effort
from symcook.proof.normal import FALSE as NFALSE
from symcook.proof.normal import TRUE as NTRUE
from symcook.proof.search.signs import DEPTH, Signs
from symcook.proof.search.tactics import Goal, NormalForms, Stuck
from symcook.proof.terms import COMPARISONS, Term, free, replace


@dataclass(frozen=True)
class Hint:
    """A fact by its label, with terms for its quantifiers and facts for its premises; or a term to consider."""

    label: str
    terms: tuple[str, ...] | None = None
    premises: tuple[Hint, ...] = ()
    term: Term | None = None

    def labels(self) -> Iterator[str]:
        """Its label and those of its premises."""
        yield self.label
        for premise in self.premises:
            yield from premise.labels()


@dataclass(frozen=True)
class Level:
    """How far a search goes: premises, cases, degree of products, uses of equations, boxes, work; whether it compares
    sums by their terms; and how deep it looks into a term for its sign."""

    depth: int
    splits: int
    degree: int
    rounds: int
    boxes: int
    work: int
    terms: bool = True
    signs: int = DEPTH


LEVELS = (
    #     depth, splits, degree, rounds, boxes, work
    Level(2, 0, 1, 0, 0, 100_000),
    Level(3, 3, 1, 1, 100, 1_000_000),
    Level(3, 4, 2, 1, 1000, 3_000_000),
    Level(4, 7, 2, 2, 1000, 6_000_000),
)
CALLS = 1200  # goals looked at in one level


class Spent(Exception):
    """A level has done its work."""


@dataclass
class Step:
    """A goal, the labels of the facts in its foreground, its signs, and what was done or has failed so far.

    `done` and `failed` hold marks such as ``("finite", v)``, each of which one method sets and reads. What has failed
    may succeed when there are more facts; what is done is not done again.
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
        """A step on a copy of this goal, or on `goal` from the same facts; nothing comes back unless it is taken."""
        return self.under(self.g._branch(self.g.goal if goal is None else goal))

    def take(self, other: Step) -> None:
        """Close this goal as `other`, a fork of it, was closed."""
        self.g.take(other.g)

    def note(self, before: set[str]) -> list[str]:
        """Facts that were not among `before` come to the foreground."""
        new = [k for k in self.g.facts if k not in before]
        self.foreground |= dict.fromkeys(new)
        return new


class Search:
    """What all parts of a search share; `run` is what closes a goal.

    `lacking` lists the premises that were not proved, and `stuck` the goal that was left at the outermost place, with
    the number of premises around it: both are for the message where the search fails.
    """

    def __init__(self, level: Level, hints: Sequence[Hint], known: NormalForms) -> None:
        self.level, self.hints = level, hints
        self.known, self.key, self.poly = known, known.key, known.poly
        self.effort = Effort(level.work)
        self.calls = 0
        self.inside = 0  # how many premises we are in
        self.lacking: dict[str, None] = {}
        self.stuck: tuple[int, str] | None = None

    def cited(self, g: Goal) -> list[str]:
        """The labels in hints that are facts of `g`; a fact about all values as a premise of a hint does not count."""
        own = {hint.label for hint in self.hints}
        labels = (k for hint in self.hints for k in hint.labels())
        return [k for k in labels if k in g.facts and (k in own or g.facts[k][0] != "all")]

    def failure(self, error: Stuck) -> Stuck:
        """The error of the whole search: the goal that was left, and at most four premises that were missing."""
        parts = [self.stuck[1] if self.stuck else str(error)]
        if self.lacking:
            parts.append("missing: " + "; ".join(list(self.lacking)[:4]))
        return Stuck("\n".join(parts))

    def stop(self, s: Step, why: str = "") -> Stuck:
        """The error to raise at this step, which is noted if it is in fewer premises than those before."""
        if self.stuck is None or self.inside < self.stuck[0]:
            self.stuck = (self.inside, shown(s.g, s.foreground))
        return Stuck(why or "the search found nothing")

    def run(self, s: Step, depth: int, splits: int | None = None) -> None:
        """Close the goal, or Stuck."""
        raise NotImplementedError

    def replaced(self, f: Term, old: Term, new: Term) -> Term:
        """`f` with `new` for `old`; the same object where `old` has names that `f` has not."""
        return replace(f, old, new) if self.known(free, old) <= self.known(free, f) else f

    def at_once(self, s: Step) -> bool:
        """Close a goal that is true by computation, or a fact, or follows from a false fact; whether it did."""
        g = s.g
        key = self.key(g.goal)
        if key == NTRUE:
            g.true()
            return True
        # A negated comparison has the normal form of a comparison; all else must begin alike, which is asked first
        # because normal forms take longer.
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
    """How many quantifiers a formula, or what it denies, begins with; what has more cannot be the same."""
    f, count = f[2][0] if f[0] == "~" else f, 0
    while f[0] in ("all", "ex"):
        f, count = f[2][0], count + 1
    return count


def shown(g: Goal, foreground: dict[str, None]) -> str:
    """The text of the goal that is left, with the first facts in the foreground."""
    lines = [f"    {k}: {g.text(g.facts[k])[:300]}" for k in list(foreground)[:14] if k in g.facts]
    return "\n".join([f"    still to show: {g.text(g.goal)[:400]}", *(["    from:"] if lines else []), *lines])
