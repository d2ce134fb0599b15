"""The identity of a reference by its content, so that results that are stored are not taken for those of another one.

Two functions of one name in one file can be different: two lambdas, two closures of one factory, two methods of
different objects, two folds with one step. So the identity of a function is its code, with its defaults, its closure
and the values of the global names that it uses; that of an object is its type and its parts, as pickle takes it apart.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from copyreg import dispatch_table
from hashlib import sha256
from inspect import getsourcefile
from types import BuiltinFunctionType, CodeType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

from symcook.errors import BadInput

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...))
"""The types of values that their text identifies."""
VALUES = (tuple, frozenset, CodeType)
"""Types of values that Python may share or copy, as one that is met again is the same either way."""
LEFT_OUT = {
    "__dict__", "__weakref__", "__doc__", "__module__", "__slots__", "__annotations__", "__dataclass_fields__",
    "__dataclass_params__", "__match_args__", "_abc_impl",
}  # fmt: skip
"""What Python stores in a class besides what it defines."""


def identity(reference: object) -> str:
    """A hash of the content of a reference, which differs for references that differ in code, closure, defaults, or in
    the object to which they belong. BadInput for one with a part whose content cannot be read, such as an open file."""
    digest = sha256()
    try:
        for text in _Content().of(reference):
            digest.update(f"{len(text)}:{text}".encode())
    except RecursionError:
        raise _unknown(reference) from None
    return digest.hexdigest()[:16]


class _Content:
    """A walk through an object and its parts. A part that is met again is the number of its first meeting."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.kept: list[object] = []  # so that no identity is used twice

    def of(self, value: object) -> Iterator[str]:
        """The content of a value as texts."""
        kind = type(value)
        if kind in PLAIN:
            yield f"{kind.__name__} {value!r}"
            return
        if id(value) in self.numbers:
            yield f"again {self.numbers[id(value)]}"
            return
        if kind not in VALUES:
            self.numbers[id(value)] = len(self.numbers)
            self.kept.append(value)
        yield kind.__name__
        if isinstance(value, ModuleType):
            yield value.__name__
        elif kind in (tuple, list):
            yield from self.all(value)
        elif kind in (dict, MappingProxyType):
            yield from self.all([*value.keys(), *value.values()])  # type: ignore[attr-defined]
        elif kind in (set, frozenset):
            yield from sorted("\0".join(self.apart().of(part)) for part in value)  # type: ignore[attr-defined]
        elif isinstance(value, BuiltinFunctionType):
            yield value.__name__
            yield from self.of(value.__self__)
        elif isinstance(value, MethodType):
            yield from self.all([value.__func__, value.__self__])
        elif isinstance(value, CodeType):
            yield from self.code(value)
        elif isinstance(value, FunctionType):
            yield from self.function(value)
        elif isinstance(value, type):
            yield from self.type(value)
        else:
            yield from self.object(value)

    def apart(self) -> _Content:
        """A walk that knows what this one has met, for a part of a set, whose order is not known."""
        walk = _Content()
        walk.numbers, walk.kept = dict(self.numbers), self.kept
        return walk

    def all(self, values: Any) -> Iterator[str]:
        """The contents of several values, with their number."""
        yield str(len(values))
        for value in values:
            yield from self.of(value)

    def code(self, code: CodeType) -> Iterator[str]:
        """The content of code, without the lines where it stands."""
        yield from self.all([code.co_code, code.co_consts, code.co_names, code.co_varnames])
        yield from self.all([code.co_freevars, code.co_cellvars, code.co_flags, code.co_argcount])
        yield from self.all([code.co_exceptiontable, code.co_kwonlyargcount, code.co_posonlyargcount])

    def function(self, function: FunctionType) -> Iterator[str]:
        """The content of a function: of one that is installed its name in place of its code, and in each case its
        defaults, its closure, and what is stored in it."""
        if _installed(function):
            yield f"{function.__module__} {function.__qualname__}"
        else:
            yield from self.of(function.__code__)
            names = sorted(_names(function.__code__) & function.__globals__.keys())
            yield from self.all([[name, function.__globals__[name]] for name in names])
        yield from self.all([function.__defaults__, function.__kwdefaults__, vars(function)])
        for cell in function.__closure__ or ():
            try:
                contents = cell.cell_contents
            except ValueError:
                yield "empty"
            else:
                yield from self.of(contents)

    def type(self, kind: type) -> Iterator[str]:
        """The content of a class: its name if it is installed, else its bases and all that it defines."""
        yield f"{kind.__module__} {kind.__qualname__}"
        if not _installed(kind):
            parts = [(name, part) for name, part in vars(kind).items() if name not in LEFT_OUT]
            members = {type(vars(_Slotted)["part"]), type(vars(_Slotted)["__dict__"])}  # places of attributes
            yield from self.all([kind.__bases__, [part for part in parts if type(part[1]) not in members]])

    def object(self, value: Any) -> Iterator[str]:
        """The content of any other object: that of a property or a static method by its functions, else what pickle
        would store."""
        if isinstance(value, property):
            yield from self.all([value.fget, value.fset, value.fdel])
        elif isinstance(value, (staticmethod, classmethod)):
            yield from self.of(value.__func__)
        else:
            try:
                reduce = dispatch_table.get(type(value))  # as pickle does
                parts: Any = value.__reduce_ex__(4) if reduce is None else reduce(value)
            except Exception as error:  # an object that cannot be taken apart may raise anything
                raise _unknown(value) from error
            if isinstance(parts, str):  # a global name, such as that of a cached function
                yield parts
                yield from self.of(getattr(value, "__wrapped__", type(value)))
            else:
                yield from self.all([part if k < 3 or part is None else list(part) for k, part in enumerate(parts)])


class _Slotted:
    """A class with a slot, from which the type of slots is taken."""

    __slots__ = ("__dict__", "part")


def _names(code: CodeType) -> set[str]:
    """The names that code uses, and the code of functions inside it."""
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*map(_names, inner))


def _installed(value: Any) -> bool:
    """Whether a function or a class belongs to Python, an installed package or this library."""
    from symcook.verify.workers import is_installed

    found: Any = sys.modules.get(value.__module__)
    for part in value.__qualname__.split("."):
        found = getattr(found, part, None)
    if found is not value:  # its name says another thing, as that of a wrapper does
        return False
    if value.__module__ == "builtins":
        return True
    try:
        file = getsourcefile(value)
    except TypeError:  # a class of a module without a file: Python's own if its module is
        return value.__module__ in sys.builtin_module_names
    return file is not None and is_installed(os.path.realpath(file))


def _unknown(value: object) -> BadInput:
    """The refusal of a reference with a part whose content cannot be read."""
    must = "a check that can resume must have a specification whose content identifies it"
    return BadInput(must, f"one that holds a {type(value).__name__}", "let it make what it needs when it is called")
