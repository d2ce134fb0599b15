"""The decision of a statement, by the procedures in the order in which they are tried."""

from __future__ import annotations

from dataclasses import dataclass

from symcook.alarm import Until
from symcook.errors import Rejected
from symcook.proof.claims import counts
from symcook.proof.claims.problem import OutsideFragment, Problem, problem
from symcook.proof.claims.regular import Regular
from symcook.proof.limits import OutOfTime, limited
from symcook.proof.replay import Statement
from symcook.proof.search.tactics import Citable, Goal

REGULAR, COUNTS = "fragment A: automata over positions", "fragment B: counts and linear arithmetic"
"""The names of the procedures, as the `method` of an answer."""


@dataclass(frozen=True)
class ClaimDecision:
    """What the procedures find; nothing of it is trusted.

    `fragment` names the procedure. `true` is True where it decides that the statement is true, and `proved` a goal with
    the proof, where it writes one. `string` is where the statement may be false, as numbers of tokens with those that
    the model adds; only a run confirms it. `outside` is the reason where there is no answer.
    """

    fragment: str | None = None
    true: bool = False
    proved: Goal | None = None
    string: tuple[int, ...] | None = None
    outside: str | None = None


def decide(statement: Statement, library: Citable, until: Until | None = None) -> ClaimDecision:
    """What the procedures find about a statement, by that moment."""
    try:
        asked = problem(statement)
    except OutsideFragment as error:
        return ClaimDecision(outside=str(error))
    regular = _regular(asked, until and Until(until.left / 2))
    if regular.string is not None:
        return regular
    try:
        with limited(until):
            counted = counts.decide(asked, library)
    except (OutsideFragment, Rejected, OutOfTime) as error:
        counted = counts.CountedDecision(why=str(error))
    except RecursionError:
        counted = counts.CountedDecision(why="counts do not follow so deep a formula")
    if counted.proved is not None:
        return ClaimDecision(COUNTS, True, counted.proved)
    if regular.true:
        return regular
    if counted.string is not None:
        return ClaimDecision(COUNTS, string=counted.string)
    reasons = dict.fromkeys(why for why in (regular.outside, counted.why) if why)
    return ClaimDecision(outside="; ".join(reasons))


def _regular(asked: Problem, until: Until | None) -> ClaimDecision:
    """What automata find."""
    try:
        with limited(until):
            found = Regular(asked).decided()
    except (OutsideFragment, Rejected, OutOfTime) as error:
        return ClaimDecision(outside=str(error))
    except RecursionError:
        return ClaimDecision(outside="automata do not follow so deep a formula")
    return ClaimDecision(REGULAR, found.true, string=found.string)
