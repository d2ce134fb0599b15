"""Formulas about all positions of a range, ``all v in low..high. F``, or about one of them, ``ex v in low..high. F``.

As terms of the kernel they are ``all v. low <= v & v <= high -> F`` and ``ex v. (low <= v & v <= high) & F``. The
functions here write such formulas and read them back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from symcook.proof import normal
from symcook.proof.normal import nf
from symcook.proof.terms import Term, abstract, conj, free, instantiate, num, var

if TYPE_CHECKING:
    from symcook.proof.search.tactics import Goal

ANY = var("#", "Int")


class PositionRange(NamedTuple):
    """The ends of a range, and the body of a formula about a position between them."""

    low: Term
    high: Term
    body: Term


def at_most(a: Term, b: Term) -> Term:
    """a <= b."""
    return ("<=", None, (a, b))


def less_than(a: Term, b: Term) -> Term:
    """a < b."""
    return ("<", None, (a, b))


def equals(a: Term, b: Term) -> Term:
    """a = b."""
    return ("=", None, (a, b))


def between(low: Term, place: Term, high: Term) -> Term:
    """low <= place & place <= high."""
    return conj(at_most(low, place), at_most(place, high))


def ranged(low: Term, high: Term, body: Term, place: Term, tag: str = "all") -> Term:
    """``all place in low..high. body``, or with the tag "ex" an existence. The ends are not about the place."""
    return (tag, "Int", (abstract(("->" if tag == "all" else "&", None, (between(low, place, high), body)), (place,)),))


def range_of(f: Term, place: Term) -> PositionRange | None:
    """What `ranged` makes, read back with the bound variable as `place`; None for another formula."""
    ends = _ends(f, place)
    return None if ends is None else PositionRange(*ends, instantiate(f[2][0], (place,))[2][1])


def numbered_range(f: Term) -> range | None:
    """The numbers of ``all x in a..b. F`` whose ends are numbers; None for another formula."""
    ends = [normal.constant(nf(end)) for end in (f[0] == "all" and _ends(f, ANY)) or ()]
    return range(int(ends[0] or 0), int(ends[1] or 0) + 1) if ends and None not in ends else None


def at_number(f: Term, x: int) -> Term:
    """F with the number `x` for the variable of ``all x in a..b. F``."""
    return instantiate(f[2][0], (num(x),))[2][1]


def in_range(g: Goal, name: str) -> None:
    """Close ``a <= name & name <= b`` by the facts name_low and name_high."""
    for part, label in zip(g.split(), (f"{name}_low", f"{name}_high"), strict=True):
        part.hyp(label)


def _ends(f: Term, place: Term) -> tuple[Term, Term] | None:
    """The ends of the range of a formula, whose bound variable is called `place`; None for another formula."""
    tag, sort, kids = f
    if tag not in ("all", "ex") or sort != "Int" or kids[0][0] != ("->" if tag == "all" else "&"):
        return None
    inside = kids[0][2][0]
    if inside[0] != "&" or [part[0] for part in inside[2]] != ["<=", "<="]:
        return None
    (low, first), (second, high) = (part[2] for part in instantiate(inside, (place,))[2])
    return (low, high) if first == second == place and place not in free(low) | free(high) else None
