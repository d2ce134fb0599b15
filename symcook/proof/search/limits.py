"""Time limits for finding and checking proofs: of processor time, so that a busy machine does not reject a proof."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext

from symcook.alarm import TimeUp, Until, alarm, timers
from symcook.errors import Rejected, Undecided
from symcook.locks import PRECISION
from symcook.proof import replay
from symcook.proof.replay import Statement, Verdict
from symcook.proof.search.tactics import Stuck
from symcook.proof.terms import Clock

JUDGING = 600.0
"""For the checker, on one certificate: of a machine with 81 rows a part takes 40 s."""


class OutOfTime(Undecided):
    """The time for a claim is over."""


@contextmanager
def limited(until: Until | None, seconds: float = math.inf) -> Iterator[None]:
    """A context that raises OutOfTime when `until` is over, or `seconds`; without timers somewhat later than that.

    Any rejection after that moment counts as OutOfTime too: it may be one for want of time.
    """
    if until is None:
        yield
        return
    own = Until(min(seconds, until.left))
    own.clock = min(own.clock, until.clock)
    try:
        with nullcontext() if timers() else Clock(own.left), alarm(own):
            yield
    except (Rejected, Stuck, TimeUp) as error:
        if isinstance(error, TimeUp) or own.left <= 0:
            raise OutOfTime("the time is over") from None
        raise


def replayed(ids: Iterable[str] | None = None) -> list[Verdict]:
    """The checker's verdicts on stored certificates, while no other thread changes the precision of enclosures."""
    with PRECISION:
        return replay.replay(ids)


def judged(statement: Statement, certificate: object, seconds: float = JUDGING) -> Verdict:
    """The checker's verdict on a certificate of a statement that is not stored, as `Library.judged` gives it.

    Rejected also where the checker takes more than so many seconds of the processor. Its own limit goes by the clock,
    and is used only where there are no timers.
    """
    until = Until(seconds)
    try:
        with PRECISION, alarm(until):
            return replay.library().judged(statement, certificate, math.inf if timers() else seconds)
    except TimeUp as over:
        if over.until is not until:
            raise
        raise Rejected("a proof exceeds the time limit") from None
