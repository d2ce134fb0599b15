"""Symbolic execution of a `Fold`: all paths that its code may take where integers of its state are unknown.

The step is Python code of the user. It is run with a stand-in for each unknown integer; each comparison of stand-ins is
decided every way in turn, and each path has linear inequalities that hold on it (`ways`). A stand-in supports sums,
differences, multiples by known integers, absolute values, comparisons and truth. Anything else that the code does with
it (a remainder, an index into a table, text) raises `Lost`, even if the code catches the error. A stand-in cannot
notice `type`, `id` and `is`: code that uses them is rejected (`followed`), except for `is None`.
"""

from __future__ import annotations

import dis
from collections.abc import Callable, Hashable, Iterator
from operator import is_, is_not
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from symcook.spec.fold import Fold

PATHS = 200
"""The greatest number of paths of one step, or of one answer."""
CHOICES = 60
"""A path is left at a comparison before which it had more comparisons than this."""
BLIND = {
    "type", "id", "__class__", "__dict__", "vars", "globals", "locals", "eval", "exec", "getattr", "is_", "is_not",
    "attrgetter", "methodcaller",
}  # fmt: skip
"""Names whose use a stand-in cannot notice."""
UNFOLLOWED = frozenset({id(f) for f in (type, id, vars, globals, locals, eval, exec, getattr, is_, is_not)})
"""The identities of functions whose use a stand-in cannot notice, by whatever name they are called."""
NO_NUMBERS = (str, bytes, tuple, list, dict, set, frozenset, range, type(None))
"""The types of values that are different from every integer. A float or a complex number may equal one."""


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
    `widths` the number of alternatives of each, `holds` the inequalities. `lost` says why the path cannot be followed.
    """

    def __init__(self, plan: list[int]) -> None:
        self.plan, self.taken, self.widths = plan, [], []
        self.holds: list[Linear] = []
        self.lost = ""

    def choose(self, alternatives: list[tuple[bool, Holds]]) -> bool:
        """Take one of the alternatives (truth, inequalities): add its inequalities to the path, and return its truth.
        Lost beyond `CHOICES` comparisons."""
        at = len(self.taken)
        choice = self.plan[at] if at < len(self.plan) else 0
        self.taken.append(choice)
        self.widths.append(len(alternatives))
        if at > CHOICES:
            self.leave("it compares again and again")
        self.holds += alternatives[choice][1]
        return alternatives[choice][0]

    def leave(self, why: str) -> Any:
        """Raise Lost, and remember why, in case the code catches the error."""
        self.lost = self.lost or why
        raise Lost(why)


class Compared:
    """A comparison of unknown integers. It is decided when the code first asks for its truth, or does anything else
    with it, and it is that truth value from then on."""

    def __init__(self, path: Path, alternatives: list[tuple[bool, Holds]]) -> None:
        self._path, self._alternatives = path, alternatives
        self._known: bool | None = None

    def __bool__(self) -> bool:
        if self._known is None:
            self._known = self._path.choose(self._alternatives)
        return self._known

    @property
    def __class__(self) -> type:  # so that isinstance treats it as a truth value
        return bool

    def __eq__(self, other: object) -> Any:
        return bool(self) == other

    def __hash__(self) -> int:
        return hash(bool(self))


def _by_truth(operation: str) -> Callable[..., Any]:
    """The method `operation` of a comparison, which is that of its truth value."""

    def method(compared: Compared, *operands: object) -> Any:
        return getattr(bool(compared), operation)(*operands)

    return method


for _operation in (
    *(f"__{side}{name}__" for side in ("", "r") for name in (
        "add", "sub", "mul", "floordiv", "truediv", "mod", "divmod", "pow", "and", "or", "xor", "lshift", "rshift",
    )),
    *(f"__{name}__" for name in (
        "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert", "int", "index", "float", "complex", "round",
        "trunc", "floor", "ceil", "str", "repr", "format",
    )),
):  # fmt: skip
    setattr(Compared, _operation, _by_truth(_operation))


class StandIn:
    """A stand-in for an integer of a state."""

    __slots__ = ("_path", "_value")

    def __init__(self, path: Path, value: Linear) -> None:
        self._path, self._value = path, value

    @property
    def __class__(self) -> type:  # so that isinstance treats it as an integer
        return int

    def _read(self, other: object) -> Linear | None:
        """The linear form of an operand; None if it is not an integer."""
        if isinstance(other, Compared):
            return Linear((), int(bool(other)))
        if type(other) is StandIn:
            return other._value
        return Linear((), int(other)) if type(other) in (int, bool) else None  # type: ignore[call-overload]

    def _sum(self, other: object, scale: int, own: int) -> Any:
        """own*self + scale*other as a stand-in."""
        read = self._read(other)
        if read is None:
            return self._path.leave(f"it adds an integer and a {type(other).__name__}")
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
            return self._path.leave("it multiplies unknown numbers")
        return StandIn(self._path, self._value.over(read.constant))

    __rmul__ = __mul__

    def _compared(self, other: object, kind: str) -> Any:
        """The comparison ("=", "!=", "<" or "<=") with an operand: its truth where only one alternative is possible,
        else a `Compared`."""
        read = self._read(other)
        if read is None:
            if kind in ("=", "!=") and type(other) in NO_NUMBERS:
                return kind == "!="
            return self._path.leave(f"it compares an integer with a {type(other).__name__}")
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
        return possible[0][0] if len(possible) == 1 else Compared(self._path, possible)

    def __eq__(self, other: object) -> Any:
        return self._compared(other, "=")

    def __ne__(self, other: object) -> Any:
        return self._compared(other, "!=")

    def __lt__(self, other: object) -> Any:
        return self._compared(other, "<")

    def __le__(self, other: object) -> Any:
        return self._compared(other, "<=")

    def __gt__(self, other: object) -> Any:
        return _inverse(self._compared(other, "<="))

    def __ge__(self, other: object) -> Any:
        return _inverse(self._compared(other, "<"))

    def __bool__(self) -> bool:
        return bool(self != 0)

    def _gone(self, *_: object) -> Any:
        """Every other operation: the path cannot be followed."""
        return self._path.leave("it does with an integer of its state more than to add, to multiply and to compare")

    __hash__ = __int__ = __index__ = __float__ = __str__ = __repr__ = __format__ = __mod__ = __rmod__ = _gone  # type: ignore[assignment]
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __pow__ = __rpow__ = __divmod__ = __and__ = _gone
    __or__ = __xor__ = __lshift__ = __rshift__ = __invert__ = __iter__ = __reduce_ex__ = __copy__ = _gone
    __rand__ = __ror__ = __rxor__ = __rlshift__ = __rrshift__ = __round__ = __trunc__ = __floor__ = __ceil__ = _gone

    def __getattr__(self, name: str) -> Any:
        return self._path.leave(f"it asks an integer for {name}")


def _inverse(compared: bool | Compared) -> bool | Compared:
    """The negation of a comparison."""
    if isinstance(compared, bool):
        return not compared
    alternatives = [(not answer, holds) for answer, holds in compared._alternatives]
    return Compared(compared._path, alternatives)


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
            raise Lost(f"it has more than {PATHS} paths")
        try:
            result = _settled(compute(lambda value, path=path: StandIn(path, value)))
        except Exception as error:
            if path.lost:
                raise Lost(path.lost) from None
            # The code may raise for states that never occur: the caller must prove that this path is impossible.
            result = error
        if path.lost:
            raise Lost(path.lost)
        # For each choice that the plan did not fix, plan its other alternatives, after the same earlier choices.
        for at in range(len(plan), len(path.taken)):
            for alternative in range(1, path.widths[at]):
                todo.append([*path.taken[:at], alternative])
        yield Way(tuple(path.holds), result)


def _settled(value: object) -> object:
    """A result with a `Linear` in place of each stand-in, and with the truth of comparisons, inside tuples too."""
    if type(value) is StandIn:
        return value._value
    if type(value) is Compared:
        return bool(value)
    if type(value) is tuple:
        return tuple(map(_settled, value))
    return value


def followed(fold: Fold) -> None:
    """Raise Lost where the code of a fold uses something that stand-ins cannot notice, or an object that cannot be
    inspected. Functions and builtin values that the code uses are inspected, also those that it takes from a module;
    other objects are rejected, except for classes of exceptions."""
    visited: set[tuple[int, frozenset[str]]] = set()

    def look(value: object, name: str, names: frozenset[str] = frozenset()) -> None:
        """Inspect one value that the code uses, and what it contains: of a module, the values with one of `names`."""
        key = id(value), names if isinstance(value, ModuleType) else frozenset()
        if key in visited:
            return
        visited.add(key)
        if isinstance(value, ModuleType):
            for part_name in sorted(names & vars(value).keys()):
                look(vars(value)[part_name], f"{name}.{part_name}", names)
            return
        if id(value) in UNFOLLOWED:
            raise Lost(f"its code uses {name}, which a stand-in cannot notice")
        if isinstance(value, MethodType):
            look(value.__func__, name)
            look(value.__self__, name)
            return
        builtin = value.__module__ == "builtins" if isinstance(value, type) else type(value).__module__ == "builtins"
        if not builtin and not (isinstance(value, type) and issubclass(value, BaseException)):
            raise Lost(f"its code uses {name}, which is not followed")
        if isinstance(value, FunctionType):
            code(value)
        elif isinstance(value, (dict, list, tuple, set, frozenset)):
            for part in value.values() if isinstance(value, dict) else value:
                look(part, name)

    def code(function: FunctionType) -> None:
        """Inspect the code of a function, of the functions inside it, and the values that it names."""
        codes = [function.__code__]
        names: set[str] = set()
        for code_object in codes:
            codes += [const for const in code_object.co_consts if isinstance(const, CodeType)]
            names |= {*code_object.co_names}
            previous = None
            for step in dis.get_instructions(code_object):
                # `is None` is allowed: no stand-in is None. The operand must not come from another place by a jump.
                with_none = previous is not None and previous.opname == "LOAD_CONST" and previous.argval is None
                if step.opname == "IS_OP" and (step.is_jump_target or not with_none):
                    raise Lost("its code compares by is")
                previous = step
        blind = (names & BLIND) | {name for name in names if name.startswith("__") and name.endswith("__")}
        if blind:
            raise Lost(f"its code names {min(blind)}")
        # Globals, closure and defaults.
        for name in sorted(names & function.__globals__.keys()):
            look(function.__globals__[name], name, frozenset(names))
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
        for name, cell in cells:
            look(cell.cell_contents, name, frozenset(names))
        for default in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
            look(default, "a default")

    for part in (fold.step, fold.answer):
        if not isinstance(part, FunctionType):
            raise Lost("its step or answer is no plain function")
        look(part, "itself")
