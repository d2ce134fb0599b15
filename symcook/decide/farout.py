"""The paths of a fold's code beside runs of it on integers far out, as a check of the stand-ins.

`require_paths_agree` runs the step and the answer on true integers: powers of two, the integers that the code names,
and their neighbours. At each of them one path must hold, and its result must be that of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from random import Random
from typing import TYPE_CHECKING, Any

from symcook.decide.following import Linear, Way, ways
from symcook.errors import SymcookError
from symcook.spec.fold import same

if TYPE_CHECKING:
    from symcook.decide.invariants import Common, Location

POWERS = (4, 8, 15, 16, 31, 32, 53, 62, 63, 64, 128, 1024)
"""The exponents of the powers of two."""
MOST = 120
"""The greatest number of assignments of integers in one location."""


def require_paths_agree(common: Common) -> None:
    """Raise SymcookError, a defect of symcook, where a run of the fold's code is not what its paths describe."""
    centres = {0, *(2**k for k in POWERS), *common.integers}
    values = sorted({sign * (centre + d) for centre in centres for d in (-1, 0, 1) for sign in (1, -1)})
    draw = Random(0)
    for location in common.known:
        calls: list[Callable[[Any], Any]] = [
            lambda state, letter=letter: common.fold.step(state, letter) for letter in common.letters
        ]
        for call in (*calls, common.fold.answer):
            found = list(ways(lambda make, call=call, location=location: call(common.filled(location, make))))
            for numbers in _assignments(common, location, values, draw):
                _require(found, call, common.filled(location, lambda form, n=numbers: value(form, n)), numbers)


def _assignments(common: Common, location: Location, values: list[int], draw: Random) -> Iterator[dict[Hashable, int]]:
    """Integers for the growing numbers of a location: all equal, then drawn; none where it has no growing number."""
    names = [("hole", k) for k in range(common.holes(location))]
    if not names:
        return
    chosen = values if len(values) <= MOST else draw.sample(values, MOST)
    for number in chosen:
        yield dict.fromkeys(names, number)
    for number in chosen if len(names) > 1 else ():
        yield {name: draw.choice((number, number, draw.choice(values), 0)) for name in names}


def _require(found: list[Way], call: Callable[[Any], Any], state: object, numbers: Mapping[Hashable, int]) -> None:
    """Require that one of the paths holds at these numbers, with the result of `call`."""
    try:
        result = call(state)
    except Exception as error:
        result = error
    holding = [way for way in found if all(value(form, numbers) >= 0 for form in way.holds)]
    expected = [_valued(way.result, numbers) for way in holding]
    if len(expected) != 1 or not _agree(result, expected[0]):
        text = f"a fold's code gives {result!r} at {state!r}, where its paths give {expected!r}"
        raise SymcookError(f"the paths of a fold must be those of its code; given: {text}; please report it.")


def _agree(result: object, expected: object) -> bool:
    """Whether both are one value, or both are exceptions."""
    if isinstance(result, Exception) or isinstance(expected, Exception):
        return type(result) is type(expected)
    return same(result, expected)


def _valued(result: object, numbers: Mapping[Hashable, int]) -> object:
    """A result with values in place of linear forms."""
    if isinstance(result, Linear):
        return value(result, numbers)
    return tuple(_valued(part, numbers) for part in result) if type(result) is tuple else result


def value(form: Linear, numbers: Mapping[Hashable, int]) -> int:
    """The value of a linear form."""
    return form.constant + sum(weight * numbers[name] for name, weight in form.parts)
