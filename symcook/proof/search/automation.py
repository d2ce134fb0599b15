"""The automation of proof texts, ``by``: it closes a goal from the facts in scope and the hints.

It tries one level after the other. A level limits how deep premises nest, how often cases are distinguished, the
products of inequalities, and the work. The work is counted, not timed, so that the same text gives the same certificate
on every machine. Nothing here is trusted. `_Tactic` has the order in which the methods are tried; the methods are in
`arithmetic`, `instances` and `casework`.

Letters: `g` is a goal, `s` a step, `k` the label of a fact, `f` a formula.
Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from symcook.errors import Rejected
from symcook.proof.inequalities.simplex import TooLong
from symcook.proof.search.casework import Cases
from symcook.proof.search.integers import integer_facts
from symcook.proof.search.liveness import pruned
from symcook.proof.search.signs import Signs
from symcook.proof.search.step import CALLS, LEVELS, Hint, Level, Spent, Step
from symcook.proof.search.tactics import Goal, Stuck, intro_all
from symcook.proof.terms import Term

RULES = 6
"""Up to this number of facts about all values, a search without hints tries all of them, from degree 2 on. 5 of 23
goals in claims of an unseen set and proof texts had more, at most 11."""
MANY = 40
"""With more facts about all values that no hint cites, a goal is first tried without these facts, since each is matched
with each term. 304 of 1,615 goals had more, at most 169."""


def prove(g: Goal, hints: Sequence[Hint] = (), levels: Sequence[Level] = LEVELS, foreground: Sequence[str] = ()) -> int:
    """Close `g`, and return the number of the level that did. It is ``len(levels)`` for each of the two last attempts:
    to compare sums as wholes, and to add facts about integers. If nothing closes `g`, Stuck with the goal that was
    left.

    `foreground` has labels of facts that are used as if hints cited them.
    """
    # Each part of a conjunction begins with the lowest level again, since an easy part needs no high level.
    if _parted(g.goal) and not immediate(trial := g.branch()):
        if trial.goal[0] != "&":
            intro_all(trial)
        front_labels = [*foreground, *(k for k in trial.facts if k not in g.facts)]
        number = max(prove(part, hints, levels, front_labels) for part in trial.split())
        g.nodes += pruned(trial.nodes)
        g.closed = True
        return number
    failure: Stuck | None = None
    # To compare sums term by term can take all of a level's work. So there is a last level, with the limits of level 2,
    # that compares them as wholes.
    last = [replace(levels[2], terms=False)] if len(levels) > 2 else []
    tries = [(g, number, level) for number, level in enumerate([*levels, *last])]
    # If there are many rules that nothing cites, the two lowest levels are first tried without these rules.
    cited = _citing(g, [*foreground, *(label for h in hints for label in h.labels())])
    if len(cited.hidden) > MANY:
        if immediate(g):
            return 0
        tries = [(cited, number, level) for number, level in enumerate(levels[:2])] + tries
    for start, number, level in tries:
        trial = start.branch(g.goal)
        search = _Tactic(level, hints, g.known)
        front_labels = dict.fromkeys([*foreground, *search.cited(trial)])
        # Without hints, a few rules are in the foreground as if they were cited.
        rules = [k for k, f in trial.facts.items() if f[0] == "all"]
        if not hints and level.degree > 1 and len(rules) <= RULES:
            front_labels |= dict.fromkeys(rules)
        try:
            search.run(Step(trial, front_labels, Signs(trial, search.effort, depth=level.signs)), level.depth)
        except Stuck as error:
            failure = search.failure(error)
            continue
        except (Rejected, TooLong, Spent, RecursionError) as error:  # the message of a Stuck level is preferred
            failure = failure or search.failure(Stuck(f"the search ended: {error or 'its work is spent'}"))
            continue
        if not trial.closed:
            raise Stuck("the search did not prove a goal")
        g.nodes += pruned(trial.nodes)
        g.closed = True
        return number
    if len(levels) > 2 and _spelled_out(g, hints, levels, foreground):
        return len(levels)
    raise failure or Stuck("no level")


def _spelled_out(g: Goal, hints: Sequence[Hint], levels: Sequence[Level], foreground: Sequence[str]) -> bool:
    """Close `g` with the consequences of its facts for integers (`symcook.proof.search.integers`), if these give new
    facts or another goal; whether it did."""
    trial = g.branch()
    try:
        new_labels = integer_facts(
            trial, lambda h: prove(h, (), levels[:2], [k for k, f in h.facts.items() if f[0] in ("<=", "~")])
        )
        if not new_labels and trial.goal == g.goal:
            return False
        prove(trial, hints, levels[1:3], [*foreground, *new_labels])
    except (Stuck, Rejected):
        return False
    g.nodes += pruned(trial.nodes)
    g.closed = True
    return True


def _parted(f: Term) -> bool:
    """Whether a formula is a conjunction after its quantifiers and premises."""
    while f[0] in ("all", "->"):
        f = f[2][-1]
    return f[0] == "&"


def immediate(g: Goal) -> bool:
    """Close `g` if it is true by computation, is a fact, or a fact is false; whether it did."""
    search = _Tactic(LEVELS[0], (), g.known)
    return search.at_once(Step(g, {}, Signs(g, search.effort)))


class _Tactic(Cases):
    """The search of one level: the order in which the methods are tried."""

    def run(self, s: Step, depth: int, splits: int | None = None) -> None:
        """Close the goal according to its outermost connective, or Stuck; Spent after `CALLS` calls. `depth` and
        `splits` are how deep premises may still nest, and how often cases may still be distinguished (default: as often
        as the level permits)."""
        # Count the call and its work, which grows with the facts that `at_once` compares.
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
        # By the outermost connective. Introduced premises become facts of the foreground.
        tag = g.goal[0]
        if tag == "&":
            for part in g.split():
                self.run(s.under(part), depth, splits)
            return
        if tag in ("all", "->", "~"):
            before = set(g.facts)
            intro_all(g)
            s.note(before)
            self.run(s, depth, splits)
            return
        if tag == "|":
            return self.either(s, depth, splits)
        if tag == "ex":
            return self.witness(s, depth, splits)
        self.comparison(s, depth, splits)

    def comparison(self, s: Step, depth: int, splits: int) -> None:
        """Close a comparison or ``false``, or Stuck. The methods that cost least and succeed most often come first."""
        level = self.level
        # The facts as they are: linear arithmetic over all facts, then facts ``~F`` with a proof of F.
        self.saturate(s)
        if self.at_once(s) or self.follows(s) or self.denied(s, depth, deep=False):
            return
        # Instances of rules. The second round is for rules about terms that the first round has added.
        fresh = True
        for _ in range(2):
            if not fresh:
                break
            fresh = self.instances(s, depth)
            if fresh:
                self.saturate(s)
                if self.at_once(s) or self.follows(s) or self.denied(s, depth, deep=False):
                    return
        if self.rewritten(s, depth, splits):
            return
        if level.rounds == 0:
            raise self.stop(s)
        # From level 1 on: the gap of 1 between integers, short ranges of integers, and sums term by term.
        if self.integers(s) or self.finite(s, depth, splits):
            return
        if depth > 0 and level.terms and self.pointwise(s, depth, splits):
            return
        # Signs of terms that occur; then substituted equations, enclosures, and products of facts.
        before = set(s.g.facts)
        self.signs_and_sums(s)
        if s.note(before) and self.follows(s):
            return
        if self.substituted(s) or self.linear(s, 1, 1) or self.boxes(s) or self.deep(s, 8):
            return
        # Cases: disjunctions among the facts; then relu, abs, min, max and I[...] that occur.
        if self.cases(s, depth, splits) or (splits and self.branch(s, depth, splits)):
            return
        if depth > 0 and self.denied(s, depth, deep=True):
            return
        if self.apart(s, depth, splits) or self.deep(s, 1):  # products again, with all the work that is left
            return
        raise self.stop(s)


__all__ = ["LEVELS", "Hint", "Level", "immediate", "prove"]


def _citing(g: Goal, labels: Collection[str]) -> Goal:
    """A branch without the facts about all values whose labels are not among `labels`."""
    branch = g.branch()
    branch.hidden |= {k for k, f in g.facts.items() if f[0] == "all"}.difference(labels)
    branch.facts = {k: f for k, f in g.facts.items() if k not in branch.hidden}
    return branch
