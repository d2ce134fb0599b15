"""Decides a statement about a user's model: the result is a proof, a string on which the statement may be false, or the
reason why neither was found.

The procedures are tried in this order, within the given time:

1. automata (`byautomata.regular`) decide whether the statement is true, or find a shortest string on which it is false;
2. counts (`counts`) write a proof while deciding, or find counts of symbols at which the statement may be false;
3. cases on positions (`byautomata.placedcases`) write the proof of a statement that automata have found true.

The result is not trusted: the kernel checks a proof, and the model is run on a string.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from symcook.alarm import Until
from symcook.proof.claims import counts
from symcook.proof.claims.byautomata import placedcases
from symcook.proof.claims.byautomata.regular import Regular, RegularVerdict
from symcook.proof.claims.bycounts.problem import problem
from symcook.proof.replay import Statement
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.tactics import Citable, Goal

REGULAR, COUNTS = "fragment A: automata over positions", "fragment B: counts and linear arithmetic"
"""The names of the procedures, as the `method` of an answer."""


# The reason that is given if the kernel rejects a proof by counts.
UNACCEPTED = "the proof by counts and linear arithmetic was not accepted"


@dataclass(frozen=True)
class ClaimDecision:
    """The result of the procedures. It is not trusted."""

    fragment: str | None = None
    """The name of the procedure: `REGULAR` or `COUNTS`."""
    true: bool = False
    """Whether automata decide that the statement is true."""
    proved: Goal | None = None
    """A goal with a proof, by counts or by cases on positions, which the kernel has not checked."""
    string: tuple[int, ...] | None = None
    """A string on which the statement may be false, as numbers of tokens, including those that the model adds."""
    shortest: bool = True
    """Whether the statement is known to be true on all strings shorter than `string`; without one it means nothing."""
    by: str = ""
    """What reduced the statement to one that the procedure decides, as text before its name; "" for nothing."""
    outside: str | None = None
    """The reason if there is no result, or if a procedure before the one with the result had none."""

    @property
    def unconfirmed(self) -> ClaimDecision:
        """The result that remains if the kernel rejects the proof, or if the statement is true on the string."""
        fragment, why = (REGULAR if self.true else None), self.outside
        if self.proved is not None and not self.true:
            why = "; ".join(dict.fromkeys(filter(None, (why, UNACCEPTED))))
        return ClaimDecision(fragment, self.true, outside=why)


class Decider(Protocol):
    """A function that decides statements, as `decide` does."""

    def __call__(
        self,
        statement: Statement,
        library: Citable,
        until: Until | None = None,
        least: bool = True,
        for_cases: Until | None = None,
    ) -> ClaimDecision: ...


def decide(
    statement: Statement,
    library: Citable,
    until: Until | None = None,
    least: bool = True,
    for_cases: Until | None = None,
) -> ClaimDecision:
    """The result of the procedures for a statement, found until the moment `until`. With `least`, counts look for a
    shortest string. Of a statement that automata find true, the proof by cases on positions has time until
    `for_cases`, if that is given."""
    parsed = attempted(lambda: problem(statement))
    if isinstance(parsed, Failed):
        return ClaimDecision(outside=parsed.why)
    regular_sets: list[Regular] = []

    def ask_automata() -> RegularVerdict:
        """The verdict of the automata, which are kept for the other procedures."""
        regular_sets.append(Regular(parsed))
        return regular_sets[0].decided()

    # First automata, which decide the statement. A string on which it is false ends the search.
    automata: RegularVerdict | Failed = Failed("the model has no alphabet")
    if parsed.letters:
        automata = attempted(ask_automata, until and Until(until.left / 2), "automata")
    regular = (
        ClaimDecision(outside=automata.why)
        if isinstance(automata, Failed)
        else ClaimDecision(REGULAR, automata.true, string=automata.string)
    )
    if regular.string is not None:
        return regular
    # Then counts, which may write a proof. If the statement is true, two thirds of the time are left for the cases on
    # positions.
    share = until and Until(until.left / 3) if regular.true else until
    sets = next(iter(regular_sets), None)
    counted = attempted(lambda: counts.decide(parsed, library, sets, least, share), share, "counts")
    if isinstance(counted, Failed):
        counted = counts.CountedDecision(why=counted.why)
    if counted.proved is not None:
        return ClaimDecision(COUNTS, regular.true, counted.proved, outside=regular.outside)
    # The statement is true, but counts did not prove it: try cases on positions.
    if regular.true:
        longer = for_cases or until
        search = partial(placedcases.prove, parsed, library, regular_sets[0])
        placed = attempted(search, longer, "cases on positions")
        if isinstance(placed, Failed):
            return replace(regular, outside=f"{regular_sets[0].t.largest:,} states; {placed.why}")
        return replace(regular, proved=placed)
    if counted.string is not None:
        return ClaimDecision(COUNTS, string=counted.string, shortest=counted.shortest)
    reasons = dict.fromkeys(why for why in (regular.outside, counted.why) if why)
    return ClaimDecision(outside="; ".join(reasons))
