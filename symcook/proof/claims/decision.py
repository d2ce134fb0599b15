"""The decision of a statement about a user's model: a proof, a string on which it may be false, or why neither was
found.

The procedures are tried in this order, within the time that is given:

1. automata (`byautomata.regular`) decide whether the statement is true, or find a shortest string on which it is false;
2. counts (`counts`) write a proof as they decide, or find counts of symbols at which the statement may be false;
3. cases on positions (`byautomata.placedcases`) write the proof of a statement that automata have found true.

Nothing of the answer is trusted: a proof is checked by the kernel, and a string is run.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from symcook.alarm import Until
from symcook.errors import Rejected
from symcook.proof.claims import counts
from symcook.proof.claims.byautomata import placedcases
from symcook.proof.claims.byautomata.placed import Unplaced
from symcook.proof.claims.byautomata.regular import Regular, RegularVerdict
from symcook.proof.claims.bycounts.problem import OutsideFragment, problem
from symcook.proof.replay import Statement
from symcook.proof.search.limits import OutOfTime, limited
from symcook.proof.search.tactics import Citable, Goal, Stuck

Found = TypeVar("Found")
REGULAR, COUNTS = "fragment A: automata over positions", "fragment B: counts and linear arithmetic"
"""The names of the procedures, as the `method` of an answer."""


UNACCEPTED = "the proof by counts and linear arithmetic was not accepted"


@dataclass(frozen=True)
class ClaimDecision:
    """What the procedures find; nothing of it is trusted.

    `fragment` names the procedure. `true` is True where automata decide that the statement is true, and `proved` a goal
    with the proof that counts write, which decides nothing until it is accepted. `string` is where the statement may be
    false, as numbers of tokens with those that the model adds; only a run confirms it. `shortest` is False where counts
    do not close all cases of shorter strings. `outside` is the reason where there is no answer.
    """

    fragment: str | None = None
    true: bool = False
    proved: Goal | None = None
    string: tuple[int, ...] | None = None
    shortest: bool = True
    outside: str | None = None

    @property
    def unconfirmed(self) -> ClaimDecision:
        """The answer that is left where the proof was not accepted, or the statement holds on the string."""
        fragment, why = (REGULAR if self.true else None), self.outside
        if self.proved is not None and not self.true:
            why = "; ".join(dict.fromkeys(filter(None, (why, UNACCEPTED))))
        return ClaimDecision(fragment, self.true, outside=why)


def decide(statement: Statement, library: Citable, until: Until | None = None, least: bool = True) -> ClaimDecision:
    """What the procedures find about a statement, by that moment; a string of `least` length, where that is asked."""
    try:
        asked = problem(statement)
    except OutsideFragment as error:
        return ClaimDecision(outside=str(error))
    regular_sets: list[Regular] = []

    def ask_automata() -> RegularVerdict:
        """What the automata find; they are kept for the other procedures."""
        regular_sets.append(Regular(asked))
        return regular_sets[0].decided()

    # Automata first: they decide. A string on which the statement is false ends the search.
    automata: RegularVerdict | str = "a model without an alphabet"
    if asked.letters:
        automata = _within(until and Until(until.left / 2), ask_automata, "automata")
    regular = (
        ClaimDecision(outside=automata)
        if isinstance(automata, str)
        else ClaimDecision(REGULAR, automata.true, string=automata.string)
    )
    if regular.string is not None:
        return regular
    # Then counts, which write a proof; of a statement that is true, two thirds of the time are left for the cases on
    # positions.
    share = until and Until(until.left / 3) if regular.true else until
    sets = next(iter(regular_sets), None)
    counted = _within(share, lambda: counts.decide(asked, library, sets, least, share), "counts")
    if isinstance(counted, str):
        counted = counts.CountedDecision(why=counted)
    if counted.proved is not None:
        return ClaimDecision(COUNTS, regular.true, counted.proved, outside=regular.outside)
    # A statement that is true, and has no proof by counts: by cases on positions.
    if regular.true:
        placed = _within(until, lambda: placedcases.prove(asked, library, regular_sets[0]), "cases on positions")
        if isinstance(placed, str):
            return replace(regular, outside=f"{regular_sets[0].t.largest:,} states; {placed}")
        return replace(regular, proved=placed)
    if counted.string is not None:
        return ClaimDecision(COUNTS, string=counted.string, shortest=counted.shortest)
    reasons = dict.fromkeys(why for why in (regular.outside, counted.why) if why)
    return ClaimDecision(outside="; ".join(reasons))


def _within(until: Until | None, ask: Callable[[], Found], who: str) -> Found | str:
    """What a procedure finds by that moment, or why it finds nothing."""
    try:
        with limited(until):
            return ask()
    except (OutsideFragment, Rejected, OutOfTime, Unplaced, Stuck) as error:
        return str(error)
    except RecursionError:
        return f"{who} do not follow so deep a formula"
