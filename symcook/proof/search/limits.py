"""Time limits for finding and checking proofs: of processor time, so that a busy machine does not reject a proof. They
also end with the surrounding `symcook.alarm.waiting`, which goes by the clock."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from symcook.alarm import TimeUp, Until, alarm
from symcook.errors import Rejected, Undecided
from symcook.locks import PRECISION
from symcook.proof import replay
from symcook.proof.replay import Statement, Verdict
from symcook.proof.search.tactics import Stuck

JUDGING = 600.0
"""The limit for the checker on one certificate, in seconds of processor time. A part of the certificate of a Turing
machine with 81 rows takes 40 s."""


LIMITS = (
    r"a certificate is too long", r"a certificate nests more than \d+ deep", r"a check takes too many steps",
    r"a formula exceeds \d+ symbols", r"a (formula|term) is nested too deep", r"a formula nests more than \d+ deep",
    r"a normal form exceeds \d+ monomials", r"a normal form may exceed \d+ factors",
    r"a number in a normal form is too long", r"a power is too large", r"a proof exceeds \d+ nodes",
    r"a proof exceeds the time limit", r"a range is too long", r"a substitution visits more than \d+ symbols",
    r"a sum exceeds \d+ monomials", r"the branches of a proof copy more than \d+ facts",
    r"the definitions in a formula expand to too much",
)  # fmt: skip
"""The messages of the checker about its own limits, as patterns. (Its errors have one class, and its files are not
changed for a message.) A certificate that is rejected with another message is wrong."""
_LIMIT = re.compile(rf"(?:(?:proof|defined|inhabited): )?({'|'.join(LIMITS)})")


class OutOfTime(Undecided):
    """The time for a claim is over."""


@contextmanager
def limited(until: Until | None, seconds: float = math.inf) -> Iterator[None]:
    """A context that raises OutOfTime when `until` or `seconds` is over, whichever comes first. Without `until` there
    is no limit, whatever `seconds` is.

    A rejection after the limit counts as OutOfTime too, since the lack of time may have caused it.
    """
    if until is None:
        yield
        return
    limit = Until(min(seconds, until.left))
    limit.clock = min(limit.clock, until.clock)
    try:
        with alarm(limit):
            yield
    except (Rejected, Stuck, TimeUp) as error:
        if isinstance(error, TimeUp) or limit.left <= 0:
            raise OutOfTime("the time is over") from None
        raise


def limit_of(error: Rejected) -> str | None:
    """The limit of the checker that a certificate exceeds, as its message says it; None for any other rejection."""
    found = _LIMIT.fullmatch(str(error))
    return None if found is None else found[1]


def replayed(ids: Iterable[str] | None = None) -> list[Verdict]:
    """The checker's verdicts on stored certificates, while no other thread changes the precision of enclosures."""
    with PRECISION:
        return replay.replay(ids)


def judged(statement: Statement, certificate: object, seconds: float = JUDGING) -> Verdict:
    """The checker's verdict on a certificate of a statement that is not stored, as `Library.judged` gives it.

    Rejected also if the checker takes more than `seconds` of processor time. The checker's own limit, which goes by the
    clock, is not used.
    """
    until = Until(seconds)
    try:
        with PRECISION, alarm(until):
            return replay.library().judged(statement, certificate, math.inf)
    except TimeUp as over:
        if over.until is not until:
            raise
        raise Rejected("a proof exceeds the time limit") from None
