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
"""A placeholder for the bound variable of a range whose ends are read."""


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
    """The formula ``all place in low..high. body``, or ``ex place in low..high. body`` with the tag "ex". The name
    `place` must not occur in `low` and `high`."""
    connective = "->" if tag == "all" else "&"
    inside: Term = (connective, None, (between(low, place, high), body))
    return (tag, "Int", (abstract(inside, (place,)),))


def range_of(f: Term, place: Term) -> PositionRange | None:
    """The ends and the body of a formula that `ranged` writes, where `place` stands for the bound variable; None for
    another formula."""
    ends = _ends(f, place)
    return None if ends is None else PositionRange(*ends, instantiate(f[2][0], (place,))[2][1])


def numbered_range(f: Term) -> range | None:
    """The numbers from a to b, for a formula ``all x in a..b. F`` whose ends are numbers; None for another formula."""
    ends = _ends(f, ANY) if f[0] == "all" else None
    if ends is None:
        return None
    low, high = (normal.constant(nf(end)) for end in ends)
    return None if low is None or high is None else range(int(low), int(high) + 1)


def at_number(f: Term, x: int) -> Term:
    """The body F of a formula ``all x in a..b. F``, with the number `x` in place of the variable."""
    return instantiate(f[2][0], (num(x),))[2][1]


def in_range(g: Goal, name: str) -> None:
    """Close ``a <= name & name <= b`` by the facts name_low and name_high."""
    for part, label in zip(g.split(), (f"{name}_low", f"{name}_high"), strict=True):
        part.hyp(label)


def _ends(f: Term, place: Term) -> tuple[Term, Term] | None:
    """The ends of the range of a formula that `ranged` writes, where `place` stands for the bound variable; None for
    another formula."""
    tag, sort, kids = f
    if tag not in ("all", "ex") or sort != "Int" or kids[0][0] != ("->" if tag == "all" else "&"):
        return None
    inside = kids[0][2][0]
    if inside[0] != "&" or [part[0] for part in inside[2]] != ["<=", "<="]:
        return None
    (low, first), (second, high) = (part[2] for part in instantiate(inside, (place,))[2])
    return (low, high) if first == second == place and place not in free(low) | free(high) else None
