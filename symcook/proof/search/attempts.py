"""What a search returns: what it has found, or `Failed` with the reason why it has found nothing.

A tactic that finds nothing raises `NoResult`, since it is called deep within another one. Between provers, strategies
and the driver nothing is raised: `attempted` ends a search, whatever it raised, and `succeeds` one within a proof whose
reason nobody reads. Outside of these two, an exception is caught where a message is made of it, or another one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from symcook.alarm import Until
from symcook.errors import Rejected, SymcookError
from symcook.proof.inequalities.simplex import TooLong
from symcook.proof.search.limits import limited
from symcook.proof.search.opengoal import NoResult

Found = TypeVar("Found")


@dataclass(frozen=True)
class Failed:
    """There is no result, for the reason `why`: one line, in the user's names."""

    why: str


def result_of(outcome: Found | Failed) -> Found | None:
    """What a search has found; None where it failed, for callers to whom the reason is no matter."""
    return None if isinstance(outcome, Failed) else outcome


def succeeds(search: Callable[[], object]) -> bool:
    """Whether a search within another one ends with a result. Nobody reads why it does not, and for a goal that stays
    open this takes long to write. Nor does it have a limit of its own: what ends the outer search ends both."""
    try:
        search()
    except (NoResult, TooLong, Rejected):
        return False
    return True


def first_line(why: object) -> str:
    """The first line of `why` a generated proof failed, at most 300 characters, without the position in the generated
    text, which users do not see."""
    return re.sub(r"^line \d+, column \d+: ", "", str(why or "").partition("\n")[0])[:300]


def attempted(
    search: Callable[[], Found], until: Until | None = None, name: str = "", because: str = ""
) -> Found | Failed:
    """What `search` returns before the moment `until`, or the reason why it has no result, behind the words `because`.
    `name` names the search in the plural."""
    try:
        with limited(until):
            return search()
    except (NoResult, TooLong, SymcookError) as error:
        return Failed(because + first_line(error))
    except RecursionError:
        return Failed(f"{because}the formula is nested too deep" + (f" for the decision by {name}" if name else ""))
