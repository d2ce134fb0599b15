"""The identity of a reference by its content, so that results of one are not taken for those of another one.

Two functions of one name in one file can be different: two lambdas, two closures of one factory, two methods of
different objects, two folds with one step. So the identity of a function is its code, with its defaults, its closure
and the values of the names that it uses; that of an object is its class and its parts. What belongs to an installed
package counts by its name and the package's version, and of Python's own library only what `PURE` and `BUILTINS` list
does: the rest reads files, the clock or the names of other modules, and a reference that uses it has no identity. Nor
has one that reads attributes whose names are in texts, since what it reads cannot be seen.
"""

from __future__ import annotations

import builtins
import dis
import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from copyreg import dispatch_table
from functools import lru_cache, partial
from hashlib import sha256
from importlib import metadata
from importlib.util import resolve_name
from inspect import getsourcefile
from itertools import chain
from string import Formatter
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    MethodWrapperType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

from symcook.errors import BadInput
from symcook.verify.installed import is_installed, real_path

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented))
"""The types of values that their text identifies."""
VALUES = (tuple, frozenset, range, CodeType)
"""Types of values that Python may share or copy, as one that is met again is the same either way."""
PURE = {
    "abc", "array", "bisect", "builtins", "cmath", "collections", "contextlib", "copy", "copyreg",
    "dataclasses", "enum", "fractions", "functools", "hashlib", "heapq", "itertools", "json", "keyword", "math",
    "numbers", "operator", "re", "reprlib", "statistics", "string", "struct", "textwrap", "types", "typing",
    "unicodedata",
}  # fmt: skip
"""The modules of Python's library whose functions compute from their arguments alone; `_math` counts as `math`."""
BUILTINS = {
    "__build_class__", "abs", "all", "any", "ascii", "bin", "callable", "chr", "divmod", "format", "hasattr",
    "hex", "isinstance", "issubclass", "iter", "len", "max", "min", "next", "oct", "ord", "pow", "print",
    "repr", "round", "sorted", "sum",
}  # fmt: skip
"""The builtin functions that read no names, no files and no input."""
ATTRIBUTES = {
    "__name__", "__qualname__", "__doc__", "__class__", "__init__", "__new__", "__post_init__", "__call__",
    "__enter__", "__exit__", "__len__", "__iter__", "__next__", "__getitem__", "__setitem__", "__delitem__",
    "__contains__", "__missing__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__",
    "__bool__", "__str__", "__repr__", "__format__", "__setattr__", "__add__", "__sub__", "__mul__",
    "__truediv__", "__floordiv__", "__mod__", "__pow__", "__neg__", "__and__", "__or__", "__xor__",
    "__invert__", "__init_subclass__", "__class_getitem__",
}  # fmt: skip
"""The attributes of Python's own, between two underlines, that code may name: none leads to the names of a module."""
BY_TEXT = {
    "attrgetter", "methodcaller", "Formatter", "format_map", "get_type_hints", "ForwardRef", "evaluate_forward_ref",
    "update_wrapper", "wraps", "_convert_", "_eval_type", "_evaluate",
}  # fmt: skip
"""What reads an attribute, a global name, or code that is in a text. The method `format` does so only where its text
does."""
TEXT_METHODS = {"format", "format_map"}
"""The methods of a text that may read attributes of what they are given."""
FRAMES = {"f_back", "f_builtins", "f_globals", "f_locals"}
"""The attributes that lead from code that runs to its names."""
MACHINERY = {"__builtins__", "__spec__", "__loader__", "__cached__", "__file__", "__path__", "__package__", "__name__"}
"""What Python stores in a module besides what it defines."""
BASES: dict[type, Callable[[Any], object]] = {
    int: int.__int__,
    float: float.__float__,
    str: str.__str__,
    tuple: lambda value: tuple(tuple.__iter__(value)),
    list: lambda value: list(list.__iter__(value)),
    dict: lambda value: dict(dict.items(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
}
"""The types with parts outside their attributes that a class may extend, each with a function for those parts."""


def identity(reference: object) -> str:
    """A hash of the content of a reference, which differs for references that differ in code, closure, defaults, or in
    the object to which they belong. BadInput for one with a part whose content cannot be read, such as an open file."""
    digest, content = sha256(), _Content()
    try:
        for text in chain(content.of(reference), content.reducers()):
            digest.update(f"{len(text)}:{text}".encode())
    except RecursionError:
        raise _unknown("parts nested too deeply") from None
    return digest.hexdigest()[:16]


class _Content:
    """A walk through an object and its parts. A part that is met again is the number of its first meeting."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.kept: list[object] = []  # so that no identity is used twice

    def of(self, value: Any) -> Iterator[str]:
        """The content of a value as texts."""
        kind = type(value)
        if kind in PLAIN:
            # As decimals an integer may be too long for text.
            yield f"int {value:x}" if kind is int else f"{kind.__name__} {value!r}"
            return
        if id(value) in self.numbers:
            yield f"again {self.numbers[id(value)]}"
            return
        if kind not in VALUES:
            self.numbers[id(value)] = len(self.numbers)
            self.kept.append(value)
        read = READERS.get(kind)
        if read is not None:
            yield kind.__name__
            yield from read(self, value)
            return
        # An object of another class, or a class of another metaclass, is identified with its class.
        yield from self.of(kind)
        if isinstance(value, type):
            yield from self.type(value)
        elif _installed(kind):
            yield from self.reduced(value)
        else:
            yield from self.attributes(value)

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

    def table(self, table: Any) -> Iterator[str]:
        """The keys and values of a dict, in their order."""
        yield from self.all([*table.keys(), *table.values()])

    def unordered(self, values: Any) -> Iterator[str]:
        """The parts of a set, in the order of their contents. So a part that is met again later is known: an object
        that is in the set is not another one with the same content."""
        yield from self.all(sorted(values, key=lambda part: "\0".join(self.apart().of(part))))

    def reducers(self) -> Iterator[str]:
        """What a program has registered with `copyreg`: how `copy.copy` and `dataclasses.asdict` copy objects."""
        yield from self.unordered([one for one in dispatch_table.items() if not _by_library(*one)])

    def code(self, code: CodeType) -> Iterator[str]:
        """The content of code, without the lines where it stands."""
        yield from self.all([code.co_code, code.co_consts, code.co_names, code.co_varnames])
        yield from self.all([code.co_freevars, code.co_cellvars, code.co_flags, code.co_argcount])
        yield from self.all([code.co_exceptiontable, code.co_kwonlyargcount, code.co_posonlyargcount])

    def module(self, module: ModuleType) -> Iterator[str]:
        """The content of a module: of one that is installed its name and version. The builtin functions are read one
        by one."""
        if module is builtins:
            raise _unknown("the module builtins; write its functions without it")
        yield _main(module.__name__)
        if _by_name(module.__name__, vars(module)):
            yield _version(module.__name__)
        else:
            yield from self.table({name: part for name, part in vars(module).items() if name not in MACHINERY})

    def function(self, function: FunctionType) -> Iterator[str]:
        """The content of a function: its code, what the names in it stand for, its defaults, its closure, and what is
        stored in it. Names in a function of an installed module are those of this module."""
        _require_seen(function.__name__ if function.__name__ in BY_TEXT else "", "function")
        yield from self.all([function.__code__, function.__name__, function.__qualname__, function.__doc__])
        yield _main(str(function.__module__))
        known = function.__globals__
        if _by_name(known.get("__name__"), known):
            yield known["__name__"]
            yield _version(known["__name__"])
        else:
            for name, value in _used(function, function.__code__):
                yield name
                yield from self.of(value)
        try:
            annotations = function.__annotations__
        except Exception as error:  # they may be code, which runs only now
            raise _unknown(f"annotations of {function.__name__} that cannot be read") from error
        yield from self.all([annotations, function.__defaults__, function.__kwdefaults__, vars(function)])
        for cell in function.__closure__ or ():
            try:
                contents = cell.cell_contents
            except ValueError:
                yield "empty"
            else:
                yield from self.of(contents)

    def builtin(self, function: BuiltinFunctionType) -> Iterator[str]:
        """The content of a function in C: its name and the object or the module to which it belongs."""
        owner: object = function.__self__
        if function.__name__ in TEXT_METHODS and not isinstance(owner, ModuleType):
            raise _unknown(f"the method {function.__name__} of a text, which may read attributes")
        if isinstance(owner, ModuleType):
            _require_pure(owner.__name__, f"the function {function.__name__}")
            if owner.__name__ == "builtins" and function.__name__ not in BUILTINS:
                raise _unknown(f"the function {function.__name__}")
        yield function.__name__
        yield from ("builtins",) if owner is builtins else self.of(owner)

    def method(self, method: MethodDescriptorType) -> Iterator[str]:
        """The content of a method of a class in C: its name and the class."""
        if method.__name__ in TEXT_METHODS:
            raise _unknown(f"the method {method.__name__} of texts, which may read attributes")
        yield from self.all([method.__name__, method.__objclass__])

    def cached(self, function: Any) -> Iterator[str]:
        """The content of a function with `functools.cache`. What it has stored is dropped, since a stored value can be
        that of another argument: equal ones such as 1.0 and True share it."""
        if not any(part is function.__wrapped__ for part in gc.get_referents(function)):
            raise _unknown("a cached function whose __wrapped__ is another one")
        type(function).cache_clear(function)
        yield from self.of(vars(function))

    def type(self, kind: Any) -> Iterator[str]:
        """The content of a class: its name if it is installed, else its bases and all that it defines."""
        yield f"{_main(kind.__module__)} {kind.__qualname__}"
        if _installed(kind):
            _require_seen(kind.__name__ if kind.__name__ in BY_TEXT else "", "class")
            _require_pure(kind.__module__, f"a {kind.__qualname__}")
            yield _version(kind.__module__)
            return
        for name, part in vars(kind).items():
            yield name
            if name == "_abc_impl":  # the classes that were registered as subclasses
                from _abc import _get_dump  # type: ignore[attr-defined]

                yield from self.unordered([found for ref in _get_dump(kind)[0] if (found := ref()) is not None])
            elif name == "__module__":
                yield _main(part)
            elif name == "__match_args__":  # attributes that a pattern reads by their positions
                for text in part if type(part) is tuple else ("",):
                    _require_seen(text, "attribute")
                yield from self.of(part)
            elif type(part) not in (MemberDescriptorType, GetSetDescriptorType):  # the places of attributes
                yield from self.of(part)
        yield from self.all(kind.__bases__)

    def attributes(self, value: object) -> Iterator[str]:
        """The attributes of an object of a class that is not installed, and its parts as a tuple, a dict and so on.
        They are read without any method of the class."""
        for kind in type(value).__mro__:
            if kind in BASES:
                yield from self.of(BASES[kind](value))
            elif not (kind is object or not _installed(kind) or _in_python(kind)):
                raise _unknown(f"a {type(value).__name__}")
            for name, part in vars(kind).items():
                if type(part) is MemberDescriptorType or (type(part) is GetSetDescriptorType and name == "__dict__"):
                    try:
                        attribute = part.__get__(value)
                    except AttributeError:
                        continue
                    yield name
                    yield from self.of(attribute)

    def reduced(self, value: Any) -> Iterator[str]:
        """The content of an object of an installed class: what pickle would store."""
        try:
            reduce = dispatch_table.get(type(value))  # as pickle does
            parts: Any = value.__reduce_ex__(4) if reduce is None else reduce(value)
            if isinstance(parts, str) and getattr(sys.modules.get(value.__module__), parts, None) is not value:
                raise TypeError("a name of another object")
        except Exception as error:  # an object that cannot be taken apart may raise anything
            raise _unknown(f"a {type(value).__name__}") from error
        if isinstance(parts, str):  # a global name, such as that of a type variable
            yield parts
            return
        makes, *rest = parts
        yield f"{makes.__module__} {makes.__qualname__}"
        yield from self.all([part if k < 2 or part is None else list(part) for k, part in enumerate(rest)])


READERS: dict[type, Callable[[_Content, Any], Iterator[str]]] = {
    tuple: _Content.all,
    list: _Content.all,
    dict: _Content.table,
    MappingProxyType: _Content.table,
    range: lambda walk, part: walk.all([part.start, part.stop, part.step]),
    set: _Content.unordered,
    frozenset: _Content.unordered,
    CodeType: _Content.code,
    ModuleType: _Content.module,
    FunctionType: _Content.function,
    BuiltinFunctionType: _Content.builtin,
    type(lru_cache(len)): _Content.cached,
    MethodType: lambda walk, method: walk.all([method.__func__, method.__self__]),
    MethodWrapperType: lambda walk, method: walk.all([method.__name__, method.__self__]),
    MethodDescriptorType: _Content.method,
    WrapperDescriptorType: lambda walk, method: walk.all([method.__name__, method.__objclass__]),
    property: lambda walk, part: walk.all([part.fget, part.fset, part.fdel, part.__doc__]),
    staticmethod: lambda walk, method: walk.all([method.__func__, vars(method)]),
    classmethod: lambda walk, method: walk.all([method.__func__, vars(method)]),
    type: _Content.type,
}
"""How the content of a value of each type is read; of all other types as `_Content.of` says."""


def _used(function: FunctionType, code: CodeType) -> Iterator[tuple[str, object]]:
    """The global names in the code of a function, and in code inside it, with their values: those of the module, those
    that are builtin, and the modules that it imports."""
    known, builtin = function.__globals__, function.__builtins__  # type: ignore[attr-defined]
    steps = list(dis.get_instructions(code))
    for k, step in enumerate(steps):
        name = step.argval
        if step.opname == "IMPORT_NAME":
            yield name, _imported(known, name, steps[k - 2].argval)
        elif step.opname == "IMPORT_FROM" or "_ATTR" in step.opname or "_METHOD" in step.opname:
            name = name if isinstance(name, str) else name[-1]
            _require_seen(name, "attribute")
            if name == "format":
                _require_plain(steps[k - 1])
        elif step.opname == "MATCH_CLASS":  # the names of its keywords are a constant
            for text in steps[k - 1].argval:
                _require_seen(text, "attribute")
        elif step.opcode in dis.hasname and name == "__name__":  # as a class inside a function does
            yield name, _main(str(known.get(name)))
        elif step.opcode in dis.hasname and (name in known or name in builtin):
            yield name, known[name] if name in known else builtin[name]
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _used(function, part)


def _require_seen(name: object, what: str) -> None:
    """BadInput for an attribute, a function or a class of this name that leads to what cannot be seen in code."""
    own = isinstance(name, str) and name.startswith("__") and name.endswith("__") and name not in ATTRIBUTES
    if own or name in BY_TEXT or name in FRAMES:
        raise _unknown(f"the {what} {name}")


def _require_plain(step: dis.Instruction) -> None:
    """BadInput for a method `format`, unless the step before it loads a text without attributes."""
    try:
        plain = step.opname == "LOAD_CONST" and _plain(step.argval)
    except ValueError:  # a text with braces that do not fit
        plain = False
    if not plain:
        raise _unknown("the method format of a text that is no constant, or reads attributes")


def _plain(text: object) -> bool:
    """Whether a text that is formatted reads no attribute, and no part, of what it is given."""
    if type(text) is not str:
        return False
    fields = ((name or "", inner or "") for _, name, inner, _ in Formatter().parse(text))
    return all(not {*".["} & {*name} and _plain(inner) for name, inner in fields)


def _imported(known: dict[str, Any], name: str, level: object) -> object:
    """The module that an import statement inside a function names."""
    try:
        found = sys.modules.get(resolve_name("." * int(level) + name, known.get("__package__")))  # type: ignore[call-overload]
    except (TypeError, ValueError, ImportError):
        found = None
    if found is None:
        raise _unknown(f"an import of {name}, which is not loaded yet")
    return found


def _main(module: str) -> str:
    """The name of a module, which for the running program is another one in other processes."""
    return "__main__" if module == "__mp_main__" else module


def _by_name(name: object, names: dict[str, Any]) -> bool:
    """Whether the module with these names belongs to Python, an installed package or this library, so that it counts
    by its name."""
    if not _from_library(name, names):
        return False
    _require_pure(names["__name__"], f"the module {names['__name__']}")
    return True


MADE_AT_RUN_TIME = 1 << 9
"""The flag of a class that a program, or a package, has made while it runs (Py_TPFLAGS_HEAPTYPE)."""


def _version(module: str) -> str:
    """The version of the package of an installed module; "" for Python's own library, whose version the code shows."""
    root = module.partition(".")[0]
    if root in sys.stdlib_module_names:
        return ""
    stated = getattr(sys.modules.get(root), "__version__", None)
    if isinstance(stated, str):
        return stated
    with suppress(metadata.PackageNotFoundError, ValueError):
        return metadata.version(root)
    return ""


def _from_library(name: object, names: dict[str, Any]) -> bool:
    """Whether the module `name` with these names belongs to Python, an installed package or this library."""
    module = sys.modules.get(name) if isinstance(name, str) else None
    if module is None or vars(module) is not names:
        return False
    file = getattr(module, "__file__", None)
    return is_installed(real_path(file)) if file else module.__name__ in sys.builtin_module_names


def _require_pure(module: str, what: str) -> None:
    """BadInput for what belongs to a module of Python's own library that is not in `PURE`."""
    root = module.partition(".")[0]
    if root in sys.stdlib_module_names and root.lstrip("_") not in PURE:
        raise _unknown(what)


def _installed(kind: Any) -> bool:
    """Whether a class belongs to Python, an installed package or this library, and is called what its name says."""
    found: Any = sys.modules.get(kind.__module__)
    file = getattr(found, "__file__", None)
    for part in kind.__qualname__.split("."):
        found = getattr(found, part, None)
    hidden = kind.__module__ == "builtins" and found is None  # as the class of generators is
    if found is not kind and not hidden:
        return False
    return is_installed(real_path(file)) if file else kind.__module__ in sys.builtin_module_names


def _by_library(kind: Any, reducer: object) -> bool:
    """Whether an installed package has registered how the objects of a class are copied: one that is installed, or an
    exception, since packages register these for all exceptions. Which of them are registered depends on what has been
    imported. For any other class of a program, the program has chosen the function. A class that was compiled into a
    package, as that of numpy's types, may have a name that nothing finds; no program makes one."""
    compiled = not kind.__flags__ & MADE_AT_RUN_TIME
    return (compiled or _installed(kind) or issubclass(kind, BaseException)) and _of_library(reducer)


def _of_library(reducer: object) -> bool:
    """Whether a reducer is a function of an installed package that holds nothing of a program: no closure, as that of
    `functools.singledispatch` has, no attributes, and only defaults that are plain or compiled methods."""
    if type(reducer) is partial and not reducer.args and all(type(one) in PLAIN for one in reducer.keywords.values()):
        return _of_library(reducer.func)
    if type(reducer) is FunctionType:
        defaults = (*(reducer.__defaults__ or ()), *(reducer.__kwdefaults__ or {}).values())
        if reducer.__closure__ or vars(reducer) or not all(map(_is_fixed, defaults)):
            return False
        return _from_library(reducer.__globals__.get("__name__"), reducer.__globals__)
    if type(reducer) is BuiltinFunctionType and isinstance(reducer.__self__, ModuleType):
        return _from_library(reducer.__self__.__name__, vars(reducer.__self__))
    return False


def _is_fixed(default: object) -> bool:
    """Whether a default is plain, a compiled method, or a tuple of these: no program makes a part of it."""
    if type(default) is tuple:
        return all(map(_is_fixed, default))
    return type(default) in (*PLAIN, MethodDescriptorType, WrapperDescriptorType)


def _in_python(kind: Any) -> bool:
    """Whether an installed class is written in Python, so that its parts are its attributes."""
    try:
        return bool(kind.__flags__ & MADE_AT_RUN_TIME) and getsourcefile(kind) is not None
    except TypeError:
        return False


def _unknown(what: str) -> BadInput:
    """The refusal of a reference with a part whose content cannot be read."""
    must = "a check that can resume, or has workers, must have a specification whose content identifies it"
    return BadInput(must, f"one that holds {what}", "let the specification use only its argument and plain values")
