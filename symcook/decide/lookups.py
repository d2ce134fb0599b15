"""Heads that look up a position: their score is a concave quadratic in the position of the key, as 2*q*j - j^2.

The greatest score is at the seen position nearest to the vertex. The vertex must be a constant position, or the
position of the query plus a constant. Both constants may depend on what the query reads, which has finitely many
values. So the value there is a stream: of the values that were just before, of those that come next, or of those at the
first positions.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.decide.places import SAME, Ordered
from symcook.decide.streams import Stream, join, scan, scan_right
from symcook.model.expr import parse_term, show
from symcook.model.parts import Head

if TYPE_CHECKING:
    from symcook.decide.finite import Carried

INDEX, SQUARE = parse_term("i"), parse_term("i^2")
"""The terms of a quadratic score."""
MOST_AWAY = 12
"""The greatest distance of a looked up position from that of the query, or from the first one."""


class NoLookup(Exception):
    """The head does not look up positions in the way that is read here; the message says why."""


class Target(NamedTuple):
    """The position that a query looks up: `at` positions after its own, or after the first one if `fixed`."""

    fixed: bool
    at: int


class Before(NamedTuple):
    """The values at the positions before one: how many there are (up to `MOST_AWAY` + 1), and as many of the first and
    of the last ones as some query may look up."""

    many: int
    first: tuple[Hashable, ...]
    last: tuple[Hashable, ...]


def looked_up(
    head: Head, query: Stream, query_orders: Sequence[Ordered], keys: Sequence[Carried], values: Sequence[Stream],
    first: int, kept: Callable[[Stream], Sequence[Any]], inside: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> list[Stream]:  # fmt: skip
    """The values that a head writes, as streams. `query` has tuples, one number for each row of the scores, with its
    multiples of positions in `query_orders`; `keys` are the rows of the keys. `first` is the number of the first
    position. `kept` gives the values of a stream in inputs, and `inside` passes on what stands in strings that are no
    inputs. NoLookup for another head."""
    constants = [kept(key.stream) for key in keys]
    if any(len(numbers) != 1 or not isinstance(numbers[0], (int, Fraction)) for numbers in constants):
        raise NoLookup("has scores that are quadratic in the position of a key and depend on its token")
    orders = [key.order for key in keys]
    targets = {numbers: _target(numbers, query_orders, orders, first) for numbers in kept(query)}
    fixed = [target.at for target in targets.values() if target.fixed]
    moving = [target.at for target in targets.values() if not target.fixed]
    if max(map(abs, (*fixed, *moving)), default=0) > MOST_AWAY:
        raise NoLookup(f"looks up a position more than {MOST_AWAY} positions away")
    # How many values of the first positions, of those just before and of those that come next are kept.
    many_first, many_last = max(fixed, default=-1) + 1, max(1, *(-at for at in (*moving, 0)))
    many_after = max(1, *fixed, *moving)
    # The query's target, with what stands before, here and after, as far as the mask lets it see.
    offered = _tuples(values, inside)
    parts = [join(inside(lambda numbers, here: (targets[numbers], here)), query, offered)]
    parts.append(scan(offered, Before(0, (), ()), _before(many_first, many_last)))
    parts.append(scan_right(offered, (), _after(many_after)))
    sees = head.sees

    def value(asked: tuple[Target, Any], before: Before, after: tuple[Any, ...]) -> Any:
        """The values at the seen position that is nearest to the target; None if nothing is seen."""
        target, here = asked
        distance = target.at - before.many if target.fixed else target.at
        if sees.before and before.many and (distance < 0 or not (sees.here or (sees.after and after))):
            if target.fixed and target.at < len(before.first):
                return before.first[target.at]
            return before.last[max(distance, -len(before.last))] if distance < 0 else before.last[-1]
        if sees.after and after and (distance > 0 or not sees.here):
            return after[min(max(distance, 1), len(after)) - 1]
        return here if sees.here else None

    two = join(inside(lambda asked, before: (asked, before)), parts[0], parts[1])
    best = join(inside(lambda pair, after: value(pair[0], pair[1], after)), two, parts[2])
    return [
        join(inside(lambda found, _, k=k: Fraction(0) if found is None else found[k]), best, offered)
        for k in range(len(values))
    ]


def _target(numbers: Sequence[Any], queries: Sequence[Ordered], keys: Sequence[Ordered], first: int) -> Target:
    """The position that a query with these `numbers` looks up. The part of a key that is the same at all positions adds
    the same to all scores. NoLookup where the scores have no such position."""
    square = slope = per_place = Fraction(0)
    for number, query, key in zip(numbers, queries, keys, strict=True):
        others = {*query, *key} - {INDEX, SQUARE, *SAME}
        if others or SQUARE in query or not isinstance(number, (int, Fraction)):
            what = show(next(iter(others))) if others else "a number that no token has"
            raise NoLookup(f"has scores that are quadratic in a position, with {what}")
        if any(term in SAME for term in query) and key:
            raise NoLookup("looks up a position from the end of the string")
        square += number * key.get(SQUARE, Fraction(0))
        slope += number * key.get(INDEX, Fraction(0))
        if query.get(INDEX) and SQUARE in key:
            raise NoLookup("has scores that are cubic in positions")
        per_place += query.get(INDEX, Fraction(0)) * key.get(INDEX, Fraction(0))
    if square >= 0:
        raise NoLookup("has scores that are largest at an end of the string")
    vertex, moves = -slope / (2 * square), -per_place / (2 * square)
    if moves not in (0, 1) or vertex.denominator == 2:
        raise NoLookup("looks up a position that is neither constant nor at a constant distance")
    return Target(True, max(round(vertex) - first, 0)) if moves == 0 else Target(False, round(vertex))


def _tuples(values: Sequence[Stream], inside: Callable[[Callable[..., Any]], Callable[..., Any]]) -> Stream:
    """One stream of tuples from several streams."""
    none = join(inside(lambda one, _: ()), values[0], values[0])
    return reduce(lambda one, other: join(inside(lambda a, b: (*a, b)), one, other), values, none)


def _before(many_first: int, many_last: int) -> Callable[[Before, Any], Before]:
    """The step of the scan from the left: what stands before the next position."""

    def step(state: Before, value: Any) -> Before:
        if not isinstance(value, tuple):
            return state  # no input
        many = min(state.many + 1, MOST_AWAY + 1 if many_first else 1)
        return Before(many, (*state.first, value)[:many_first], (*state.last, value)[-many_last:])

    return step


def _after(most: int) -> Callable[[tuple[Any, ...], Any], tuple[Any, ...]]:
    """The step of the scan from the right: what stands after the position before."""
    return lambda state, value: (value, *state)[:most] if isinstance(value, tuple) else state
