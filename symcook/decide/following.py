"""Symbolic execution of a `Fold`: all paths that its code may take where integers of its state are unknown.

The step is Python code of the user, of which `symcook.decide.allowed` has made sure that it cannot tell a stand-in from
an integer. It is run with a stand-in for each unknown integer; each comparison of stand-ins is decided every way in
turn, and each path has linear inequalities that hold on it (`ways`). A stand-in supports sums, differences, multiples
by known integers, absolute values, comparisons and truth. Anything else that the code does with it (a remainder, an
index into a table) raises `Lost`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from typing import Any, NamedTuple

PATHS = 200
"""The greatest number of paths of one step, or of one answer."""
CHOICES = 60
"""A path is left at a comparison before which it had more comparisons than this."""
NO_NUMBERS = (str, bytes, tuple, list, dict, set, frozenset, range, type(None))
"""The types of values that are different from every integer."""


class Lost(Exception):
    """A fold cannot be followed; the message says why."""


class Linear(NamedTuple):
    """A linear form: a sum of multiples of unknown integers, given as (name, factor) pairs, plus a constant."""

    parts: tuple[tuple[Hashable, int], ...]
    constant: int

    def plus(self, other: Linear, scale: int = 1) -> Linear:
        """This form plus a multiple of another."""
        weights = dict(self.parts)
        for name, weight in other.parts:
            weights[name] = weights.get(name, 0) + scale * weight
        nonzero = tuple(sorted((name, weight) for name, weight in weights.items() if weight))
        return Linear(nonzero, self.constant + scale * other.constant)

    def over(self, scale: int) -> Linear:
        """This form times an integer."""
        return Linear((), 0).plus(self, scale)


Holds = tuple[Linear, ...]
"""Linear forms that are all >= 0."""


class Path:
    """One path through the code: the alternative taken at each comparison, and the inequalities that then hold.

    `plan` fixes the first choices; at later comparisons, the first alternative is taken. `taken` has all choices,
    `widths` the number of alternatives of each, `holds` the inequalities.
    """

    def __init__(self, plan: list[int]) -> None:
        self.plan, self.taken, self.widths = plan, [], []
        self.holds: list[Linear] = []

    def choose(self, alternatives: list[tuple[bool, Holds]]) -> bool:
        """Take one of the alternatives (truth, inequalities): add its inequalities to the path, and return its truth.
        Lost beyond `CHOICES` comparisons."""
        at = len(self.taken)
        choice = self.plan[at] if at < len(self.plan) else 0
        self.taken.append(choice)
        self.widths.append(len(alternatives))
        if at > CHOICES:
            raise Lost(f"the code makes more than {CHOICES} comparisons on one path")
        self.holds += alternatives[choice][1]
        return alternatives[choice][0]


class StandIn:
    """A stand-in for an integer of a state."""

    __slots__ = ("_path", "_value")

    def __init__(self, path: Path, value: Linear) -> None:
        self._path, self._value = path, value

    def _read(self, other: object) -> Linear | None:
        """The linear form of an operand; None if it is not an integer."""
        if type(other) is StandIn:
            return other._value
        return Linear((), int(other)) if type(other) in (int, bool) else None  # type: ignore[call-overload]

    def _sum(self, other: object, scale: int, own: int) -> Any:
        """own*self + scale*other as a stand-in."""
        read = self._read(other)
        if read is None:
            raise Lost(f"the code adds an integer and a {type(other).__name__}")
        return StandIn(self._path, self._value.over(own).plus(read, scale))

    def __add__(self, other: object) -> Any:
        return self._sum(other, 1, 1)

    __radd__ = __add__

    def __sub__(self, other: object) -> Any:
        return self._sum(other, -1, 1)

    def __rsub__(self, other: object) -> Any:
        return self._sum(other, 1, -1)

    def __neg__(self) -> Any:
        return StandIn(self._path, self._value.over(-1))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def __mul__(self, other: object) -> Any:
        read = self._read(other)
        if read is None or read.parts:
            raise Lost("the code multiplies unknown numbers")
        return StandIn(self._path, self._value.over(read.constant))

    __rmul__ = __mul__

    def _compared(self, other: object, kind: str) -> bool:
        """The truth of a comparison ("=", "!=", "<" or "<=") with an operand on this path."""
        read = self._read(other)
        if read is None:
            if kind in ("=", "!=") and type(other) in NO_NUMBERS:
                return kind == "!="
            raise Lost(f"the code compares an integer with a {type(other).__name__}")
        less = read.plus(self._value, -1)  # other - self
        more = less.over(-1)
        strictly = Linear((), -1)  # for integers, a < b means b - a - 1 >= 0
        if kind in ("=", "!="):
            # Equal, or less, or greater: three alternatives.
            same = kind == "="
            alternatives = [
                (same, (less, more)),
                (not same, (less.plus(strictly),)),
                (not same, (more.plus(strictly),)),
            ]
        elif kind == "<":
            alternatives = [(True, (less.plus(strictly),)), (False, (more,))]
        else:
            alternatives = [(True, (less,)), (False, (more.plus(strictly),))]
        # Alternatives that contradict themselves are removed. For two numbers that differ by a constant, one is left.
        possible = [
            alternative
            for alternative in alternatives
            if not any(not h.parts and h.constant < 0 for h in alternative[1])
        ]
        return possible[0][0] if len(possible) == 1 else self._path.choose(possible)

    def __eq__(self, other: object) -> bool:
        return self._compared(other, "=")

    def __ne__(self, other: object) -> bool:
        return self._compared(other, "!=")

    def __lt__(self, other: object) -> bool:
        return self._compared(other, "<")

    def __le__(self, other: object) -> bool:
        return self._compared(other, "<=")

    def __gt__(self, other: object) -> bool:
        return not self._compared(other, "<=")

    def __ge__(self, other: object) -> bool:
        return not self._compared(other, "<")

    def __bool__(self) -> bool:
        return self != 0

    def _gone(self, *_: object) -> Any:
        """Every other operation: the path cannot be followed."""
        raise Lost("the code does more with an integer of its state than add, multiply and compare")

    __hash__ = __int__ = __index__ = __float__ = __str__ = __repr__ = __format__ = __mod__ = __rmod__ = _gone  # type: ignore[assignment]
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __divmod__ = __and__ = _gone
    __or__ = __xor__ = __lshift__ = __rshift__ = __invert__ = __iter__ = __reduce_ex__ = __copy__ = _gone
    __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = __round__ = __trunc__ = __floor__ = __ceil__ = _gone

    def __getattr__(self, name: str) -> Any:
        raise Lost(f"the code reads the attribute {name} of an integer")


class Way(NamedTuple):
    """One path of a step or an answer: the inequalities that hold on it, and its result, with a `Linear` in place of
    each unknown integer; an exception where the code raises."""

    holds: Holds
    result: Any


def ways(compute: Callable[[Callable[[Linear], StandIn]], object]) -> Iterator[Way]:
    """All paths of `compute`, whose argument is a function that makes stand-ins; `compute` runs once for each path.
    Lost, while the paths are being read, where one cannot be followed or where there are more than `PATHS`."""
    # `todo` has the plans of paths that are still to be run.
    todo: list[list[int]] = [[]]
    count = 0
    while todo:
        plan = todo.pop()
        path = Path(plan)
        count += 1
        if count > PATHS:
            raise Lost(f"the code has more than {PATHS} paths")
        try:
            result = _settled(compute(lambda value, path=path: StandIn(path, value)))
        except Lost:
            raise
        except Exception as error:
            # The code may raise for states that never occur: the caller must prove that this path is impossible.
            result = error
        # For each choice that the plan did not fix, plan its other alternatives, after the same earlier choices.
        for at in range(len(plan), len(path.taken)):
            for alternative in range(1, path.widths[at]):
                todo.append([*path.taken[:at], alternative])
        yield Way(tuple(path.holds), result)


def _settled(value: object) -> object:
    """A result with a `Linear` in place of each stand-in, inside tuples too."""
    if type(value) is StandIn:
        return value._value
    if type(value) is tuple:
        return tuple(map(_settled, value))
    return value
