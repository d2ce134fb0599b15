"""The one automation behind ``by``: it closes a goal from the facts in scope and the hints, at rising levels.

A level bounds how deep premises nest, how often cases are distinguished, the products of inequalities and the work. The
work is counted, not timed, so that the same text gives the same certificate on every machine. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from symcook.errors import Rejected
from symcook.proof.inequalities.simplex import TooLong
from symcook.proof.search.casework import Cases
from symcook.proof.search.integers import integer_facts
from symcook.proof.search.liveness import pruned
from symcook.proof.search.signs import Signs
from symcook.proof.search.step import CALLS, LEVELS, Hint, Level, Spent, Step
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import Term

RULES = 6  # so many facts about all values are tried though none is cited

MANY = 40  # where so many facts about all values are not cited, a goal is tried without them first


def prove(g: Goal, hints: Sequence[Hint] = (), levels: Sequence[Level] = LEVELS, foreground: Sequence[str] = ()) -> int:
    """Close `g`; the number of the level that did. Stuck with the goal that was left, where none does.

    The parts of a conjunction are so many goals, each with levels of its own.
    """
    if _parted(g.goal) and not immediate(trial := g._branch(g.goal)):
        if trial.goal[0] != "&":
            trial.intro_all()
        near = [*foreground, *(k for k in trial.facts if k not in g.facts)]
        number = max(prove(part, hints, levels, near) for part in trial.split())
        g.nodes += pruned(trial.nodes)
        g.closed = True
        return number
    failure: Stuck | None = None
    # Terms that do not compare can take all of a level's work: then sums are compared as a whole.
    last = [replace(levels[2], terms=False)] if len(levels) > 2 else []
    tries = [(g, number, level) for number, level in enumerate([*levels, *last])]
    cited = g.citing([*foreground, *(label for h in hints for label in h.labels())])
    if len(cited.hidden) > MANY:
        if immediate(g):
            return 0
        tries = [(cited, number, level) for number, level in enumerate(levels[:2])] + tries
    for home, number, level in tries:
        trial = home._branch(g.goal)
        search = _Tactic(level, hints, g.known)
        near = dict.fromkeys([*foreground, *search.cited(trial)])
        rules = [k for k, f in trial.facts.items() if f[0] == "all"]
        if not hints and level.degree > 1 and len(rules) <= RULES:
            near |= dict.fromkeys(rules)
        try:
            search.run(Step(trial, near, Signs(trial, search.effort, depth=level.signs)), level.depth)
        except Stuck as error:
            failure = search.failure(error)
            continue
        except (Rejected, TooLong, Spent, RecursionError) as error:
            failure = failure or search.failure(Stuck(f"the search ended: {error or 'its work is spent'}"))
            continue
        if not trial.closed:
            raise Stuck("the automation left a goal open")
        g.nodes += pruned(trial.nodes)
        g.closed = True
        return number
    if len(levels) > 2 and _spelled_out(g, hints, levels, foreground):
        return len(levels)
    raise failure or Stuck("no level")


def _spelled_out(g: Goal, hints: Sequence[Hint], levels: Sequence[Level], foreground: Sequence[str]) -> bool:
    """Close `g` after its facts are spelled out, where that says something new."""
    trial = g._branch(g.goal)
    try:
        new = integer_facts(
            trial, lambda h: prove(h, (), levels[:2], [k for k, f in h.facts.items() if f[0] in ("<=", "~")])
        )
        if not new and trial.goal == g.goal:
            return False
        prove(trial, hints, levels[1:3], [*foreground, *new])
    except (Stuck, Rejected):
        return False
    g.nodes += pruned(trial.nodes)
    g.closed = True
    return True


def _parted(f: Term) -> bool:
    """Whether what is left of a formula after its quantifiers and premises is a conjunction."""
    while f[0] in ("all", "->"):
        f = f[2][-1]
    return f[0] == "&"


def immediate(g: Goal) -> bool:
    """Close `g` where it is true by computation or a fact."""
    search = _Tactic(LEVELS[0], (), g.known)
    return search.at_once(Step(g, {}, Signs(g, search.effort)))


class _Tactic(Cases):
    """The order in which things are tried."""

    def run(self, s: Step, depth: int, splits: int | None = None) -> None:
        splits = self.level.splits if splits is None else splits
        self.calls += 1
        if self.calls > CALLS:
            raise Spent
        self.effort.spend(600 + 20 * len(s.g.facts))
        g = s.g
        if self.at_once(s):
            return
        if depth < 0:
            raise self.stop(s)
        tag = g.goal[0]
        if tag == "&":
            for part in g.split():
                self.run(s.under(part), depth, splits)
            return
        if tag in ("all", "->", "~"):
            before = set(g.facts)
            g.intro_all()
            s.note(before)
            self.run(s, depth, splits)
            return
        if tag == "|":
            return self.either(s, depth, splits)
        if tag == "ex":
            return self.witness(s, depth, splits)
        self.comparison(s, depth, splits)

    def comparison(self, s: Step, depth: int, splits: int) -> None:
        level = self.level
        self.saturate(s)
        if self.at_once(s) or self.linear(s, 1, 0, wide=True) or self.denied(s, depth, False):
            return
        fresh = True
        for _ in range(2):
            if not fresh:
                break
            fresh = self.instances(s, depth)
            if fresh:
                self.saturate(s)
                if self.at_once(s) or self.linear(s, 1, 0, wide=True) or self.denied(s, depth, False):
                    return
        if self.rewritten(s, depth, splits):
            return
        if level.rounds == 0:
            raise self.stop(s)
        if self.integers(s) or self.finite(s, depth, splits):
            return
        if depth > 0 and level.terms and self.pointwise(s, depth, splits):
            return
        before = set(s.g.facts)
        self.more(s)
        if s.note(before) and self.linear(s, 1, 0, wide=True):
            return
        if self.put(s) or self.linear(s, 1, 1) or self.boxes(s) or self.deep(s, 8):
            return
        if self.cases(s, depth, splits) or (splits and self.branch(s, depth, splits)):
            return
        if depth > 0 and self.denied(s, depth, True):
            return
        if self.apart(s, depth, splits) or self.deep(s, 1):
            return
        raise self.stop(s)


__all__ = ["LEVELS", "Hint", "Level", "immediate", "prove"]
