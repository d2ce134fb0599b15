"""A checkpoint belongs to one reference: two of one name and file are told apart by their content, or refused."""

from __future__ import annotations

import abc
import builtins
import collections
import contextlib
import copy
import copyreg
import dataclasses
import enum
import functools
import importlib
import io
import operator
import os
import random
import re
import string
import time
import types
import typing
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.spec.fold import Fold
from symcook.verify.chunks import plan
from symcook.verify.comparison import Numbers
from symcook.verify.identity import identity
from symcook.verify.workers import Made, Task


def majority() -> sc.Transformer:
    builder = sc.Builder(words={"a": {"v": 1}, "b": {"v": -1}})
    builder.readout("sign", "last", builder.attention("mean", "v", mask="future"), weights=[1])
    return builder.build("majority")


class Ref:
    def __init__(self, bad: str) -> None:
        self.bad = bad

    def ref(self, s: Any) -> bool:
        return (s.count("a") > s.count("b")) != ("".join(s) == self.bad)

    def __call__(self, s: Any) -> bool:
        return self.ref(s)


def made(bad: str) -> Callable[[Any], bool]:
    def ref(s: Any) -> bool:
        return (s.count("a") > s.count("b")) != ("".join(s) == bad)

    return ref


def default(bad: str) -> Callable[[Any], bool]:
    return lambda s, b=bad: (s.count("a") > s.count("b")) != ("".join(s) == b)


def step(s: Any, t: str) -> Any:
    return s[0] + (1 if t == "a" else -1), s[1] + t if len(s[1]) < 6 else "x"


def fold(bad: str) -> Fold:
    return Fold((0, ""), step, lambda s: (s[0] > 0) != (s[1] == bad))


def started(bad: str) -> Fold:
    return Fold((0, "", bad), lambda s, t: (*step(s, t), s[2]), lambda s: (s[0] > 0) != (s[1] == s[2]))


def lambdas(bad: str) -> Callable[[Any], bool]:
    if not bad:
        return lambda s: s.count("a") > s.count("b")
    return lambda s: (s.count("a") > s.count("b")) != ("".join(s) == "abbab")


PAIRS: dict[str, Callable[[str], Any]] = {
    "closures": made,
    "defaults": default,
    "methods": lambda bad: Ref(bad).ref,
    "objects": Ref,
    "folds": fold,
    "starts": started,
    "two lambdas": lambdas,
    "partial": lambda bad: functools.partial(made(bad)),
}


@pytest.mark.parametrize("kind", PAIRS)
def test_a_resumed_check_is_of_the_reference_that_was_asked(kind: str, tmp_path: Path) -> None:
    model, good, bad = majority(), PAIRS[kind](""), PAIRS[kind]("abbab")
    assert identity(good) == identity(PAIRS[kind]("")) != identity(bad)
    file = tmp_path / "sweep.db"
    if kind in ("partial", "objects"):  # no file is known to define them
        with pytest.raises(BadInput, match="must have a specification from a file"):
            model.check(good, 6, resume=file)
        return
    assert model.check(good, 6, resume=file).holds
    assert model.check(PAIRS[kind](""), 6, resume=file).holds
    with pytest.raises(BadInput, match="must be of the same reference"):
        model.check(bad, 6, resume=file)
    assert model.check(bad, 6).mismatches == 1


THRESHOLD = 1


def by_global(s: Any) -> bool:
    return len(s) > THRESHOLD


def test_global_values_belong_to_the_content(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identity(by_global)
    monkeypatch.setitem(by_global.__globals__, "THRESHOLD", 2)
    assert identity(by_global) != before


def test_objects_of_many_kinds_have_a_content() -> None:
    class Inner:
        __slots__ = ("x",)

        def __init__(self, x: object) -> None:
            self.x = x

    parts = [
        Fraction(1, 2),
        re.compile("a"),
        {"a": {1, 2}},
        Inner(1),
        functools.partial(len),
        [].append,
        str.upper,
        len,
        Inner,
        1.5,
        2j,
    ]
    others = [
        Fraction(1, 3),
        re.compile("b"),
        {"a": {1, 3}},
        Inner(2),
        functools.partial(any),
        [1].append,
        str.lower,
        any,
        Ref,
        2.5,
        3j,
    ]
    for part, other in zip(parts, others, strict=True):
        assert identity(made(part)) == identity(made(part)) != identity(made(other)), part  # type: ignore[arg-type]
    assert identity(made(True)) != identity(made(1))  # type: ignore[arg-type]
    around: list[Any] = []
    around.append(around)
    assert identity(made(around))  # type: ignore[arg-type]


def test_what_has_no_content_is_refused(tmp_path: Path) -> None:
    stream = (letter for letter in "ab")
    with pytest.raises(BadInput, match="whose content identifies it; given: one that holds a generator"):
        majority().check(made(stream), 4, resume=tmp_path / "sweep.db")  # type: ignore[arg-type]
    assert not (tmp_path / "sweep.db").exists()
    for part in (io.StringIO("a"), Path("x"), os.environ, globals, time.time, random.Random(1), io.open):
        with pytest.raises(BadInput, match="whose content identifies it") as error:
            identity(made(part))  # type: ignore[arg-type]
        assert "\n" not in str(error.value)


def module(**names: object) -> ModuleType:
    helpers = ModuleType("helpers")
    vars(helpers).update(names)
    return helpers


def metaclass(bad: str) -> type:
    return types.new_class("Meta", (type,), {}, lambda names: names.update(bad=property(lambda own: bad)))


class Believed(Ref):
    """Says the same of itself whatever it holds."""

    def __reduce__(self) -> Any:
        return str, ()

    def __getstate__(self) -> Any:
        return None


class BelievedList(list[str]):
    def __iter__(self) -> Any:
        return iter(())

    def __reduce_ex__(self, protocol: Any) -> Any:
        return str, ()


def named(bad: str) -> Callable[[Any], bool]:
    function = made("")
    function.__name__ = bad
    return function


def described(bad: str) -> Callable[[Any], bool]:
    function = made("")
    function.__doc__ = bad
    return function


def annotated(bad: str) -> Callable[[Any], bool]:
    function = made("")
    function.__annotations__["s"] = bad
    return function


def cached(bad: str) -> Callable[[Any], bool]:
    return functools.cache(made(bad))


def registered(bad: str) -> type:
    kind: Any = abc.ABCMeta("Kind", (), {})
    if bad:
        kind.register(int)
    return kind


def in_set(bad: bool) -> tuple[set[Any], Any]:
    """A set, and an object that is in it, or one that looks like it."""
    one, other = Token(), Token()
    return {one}, other if bad else one


class Token:
    """Objects of this class are equal to themselves alone."""


HELD: dict[str, Callable[[str], object]] = {
    "a module": lambda bad: module(BAD=bad),
    "a class with a metaclass": lambda bad: metaclass(bad)("Kind", (), {}),
    "an object that takes itself apart": Believed,
    "a list that takes itself apart": lambda bad: BelievedList([bad]),
    "a text with attributes": lambda bad: type("Text", (str,), {})(bad),
    "a name": named,
    "a docstring": described,
    "annotations": annotated,
    "the docstring of a class": lambda bad: type("Kind", (), {"__doc__": bad}),
    "a cached function": cached,
    "registered classes": registered,
    "a dataclass": lambda bad: dataclasses.make_dataclass("Data", [("x", str, dataclasses.field(default=bad))])(),
    "a named tuple": lambda bad: collections.namedtuple("Pair", ["x", "y"])(1, bad),
    "an object in a set": lambda bad: in_set(bool(bad)),
    "an enumeration": lambda bad: enum.Enum("Words", {"good": "", "bad": bad + "x"}),
}


@pytest.mark.parametrize("kind", HELD)
def test_what_a_reference_holds_belongs_to_its_content(kind: str) -> None:
    first, again, other = (identity(made(HELD[kind](bad))) for bad in ("", "", "abbab"))  # type: ignore[arg-type]
    assert first == again != other


def by_copy(s: Any) -> bool:
    return copy.copy(Fraction(len(s))) > 1


@pytest.mark.parametrize("kind", [Token, Fraction])
def test_how_objects_are_copied_belongs_to_the_content(kind: type, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reducer that a program has registered changes what `copy.copy` gives, for a class of its own or another one."""
    before, registered = identity(by_copy), copyreg.dispatch_table
    found = {before}
    for reducer in (lambda _: (Fraction, (7,)), lambda _: (Fraction, (8,)), str):
        monkeypatch.setitem(registered, kind, reducer)
        found.add(identity(by_copy))
    assert len(found) == 4
    monkeypatch.delitem(registered, kind)
    assert identity(by_copy) == before


class Raised(ValueError):
    pass


def seven(_: object) -> Any:
    return Token, (7,)


def eight(_: object) -> Any:
    return Token, (8,)


def test_a_reducer_of_a_package_that_holds_one_of_the_program_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """`contextlib.contextmanager` gives a function of `contextlib` with the program's own in its closure."""
    found = {identity(by_copy)}
    for reducer in (contextlib.contextmanager(seven), contextlib.contextmanager(eight), copy.copy):
        monkeypatch.setitem(copyreg.dispatch_table, Token, reducer)
        found.add(identity(by_copy))
    assert len(found) == 4
    monkeypatch.setitem(copyreg.dispatch_table, Token, functools.singledispatch(seven))
    with pytest.raises(BadInput, match="one that holds a WeakKeyDictionary"):
        identity(by_copy)


def test_a_reducer_of_a_package_for_exceptions_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    before = identity(by_copy)
    monkeypatch.setitem(copyreg.dispatch_table, Raised, functools.partial(copy.copy))
    monkeypatch.setitem(copyreg.dispatch_table, Fraction, copy.copy)
    assert identity(by_copy) == before


def test_what_a_cached_function_has_stored_is_dropped() -> None:
    """1.0 and True are equal, so that the value of one is that of the other if it was asked before."""
    kind_of = functools.cache(lambda x: type(x).__name__)
    other = functools.cache(lambda x: type(x).__name__)
    assert other(True) == other(1.0) == "bool"
    identity(made(other))  # type: ignore[arg-type]
    assert other.cache_info().currsize == 0 and other(1.0) == kind_of(1.0) == "float"


def by_globals(s: Any) -> bool:
    return len(s) > globals()["THRESHOLD"]


def by_other_globals(s: Any) -> bool:
    return len(s) > by_global.__globals__["THRESHOLD"]


def by_environment(s: Any) -> bool:
    return len(s) > int(os.environ.get("THRESHOLD", 1))


def by_import(s: Any) -> bool:
    import time

    return len(s) > time.time()


def by_builtins(s: Any) -> bool:
    return len(s) > builtins.eval("THRESHOLD")


def by_a_large_number(s: Any) -> bool:
    return len(s) < LARGE


LARGE = 10**5000


def by_library(s: Any) -> bool:
    from itertools import count

    return len(s) > next(count(1))


def by_name_of_function(s: Any) -> bool:
    return len(s) > len(by_global.__name__)


def by_wrapped(s: Any) -> bool:
    return bool(made("")(s))


def test_a_reference_that_reads_elsewhere_is_refused(tmp_path: Path) -> None:
    for reference in (by_globals, by_other_globals, by_environment, by_import, by_builtins):
        with pytest.raises(BadInput, match="whose content identifies it") as error:
            majority().check(reference, 4, resume=tmp_path / "sweep.db")
        assert "\n" not in str(error.value) and not (tmp_path / "sweep.db").exists()
    assert identity(by_library) and identity(by_name_of_function) and identity(by_wrapped)
    assert identity(by_a_large_number)
    false = functools.cache(made("a"))
    false.__wrapped__ = made("b")  # type: ignore[attr-defined]
    with pytest.raises(BadInput, match="another one"):
        identity(false)


HIDDEN = 0


def helper() -> int:
    return 1


class AnyType(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return True


class Holder:
    """An object with a table that `functools.update_wrapper` fills with names of a module."""

    @property
    def __globals__(self) -> dict[str, int]:
        return TABLE


class Pattern(metaclass=AnyType):
    __match_args__ = ("__globals__",)


class Point:
    __match_args__ = ("x",)

    def __init__(self, x: int) -> None:
        self.x = x


TABLE: dict[str, int] = {}
WRAPS = functools.partial(functools.wraps, assigned=(), updated=("__globals__",))
GETTER, BOUND, UNBOUND = operator.attrgetter("__globals__"), "{0.__globals__[HIDDEN]}".format, str.format


def by_getter(s: Any) -> bool:
    return len(s) > operator.attrgetter("__globals__")(helper)["HIDDEN"]


def by_getter_outside(s: Any) -> bool:
    return len(s) > GETTER(helper)["HIDDEN"]


def by_getter_imported(s: Any) -> bool:
    from operator import attrgetter

    return len(s) > attrgetter("__globals__")(helper)["HIDDEN"]


def by_caller(s: Any) -> bool:
    return len(s) > operator.methodcaller("__getattribute__", "__globals__")(helper)["HIDDEN"]


def by_format(s: Any) -> bool:
    return len(s) > int("{0.__globals__[HIDDEN]}".format(helper))  # noqa: UP030, UP032


def by_format_inside(s: Any) -> bool:
    return f"{len(s)}" > "{0:{1.__globals__[HIDDEN]}}".format("", helper)


def by_format_map(s: Any) -> bool:
    return len(s) > int("{h.__globals__[HIDDEN]}".format_map({"h": helper}))


def by_format_of_str(s: Any) -> bool:
    return len(s) > int(str.format("{0.__globals__[HIDDEN]}", helper))


def by_format_bound(s: Any) -> bool:
    return len(s) > int(BOUND(helper))


def by_format_unbound(s: Any) -> bool:
    return len(s) > int(UNBOUND("{0.__globals__[HIDDEN]}", helper))


def by_formatter(s: Any) -> bool:
    return len(s) > int(string.Formatter().format("{0.__globals__[HIDDEN]}", helper))


def by_hints(s: Any) -> bool:
    return len(s) > len(typing.get_type_hints(helper))


def by_update(s: Any) -> bool:
    functools.update_wrapper(Holder(), helper, (), ("__globals__",))
    return len(s) > TABLE["HIDDEN"]


def by_wraps(s: Any) -> bool:
    functools.wraps(helper, (), ("__glo" + "bals__",))(Holder())  # type: ignore[arg-type]
    return len(s) > TABLE["HIDDEN"]


def by_wraps_outside(s: Any) -> bool:
    WRAPS(helper)(Holder())  # type: ignore[arg-type]
    return len(s) > TABLE["HIDDEN"]


def by_enum(s: Any) -> bool:
    return len(s) > enum.IntEnum._convert_("Names", __name__, lambda name: name == "HID" + "DEN").HIDDEN  # type: ignore[attr-defined]


def by_code_in_text(s: Any) -> bool:
    return len(s) > typing.get_args(typing.Optional["__import__('sys').maxsize"])[0]._evaluate({}, {}, frozenset())


def by_frame(s: Any) -> bool:
    return len(s) > (x for x in ()).gi_frame.f_globals["HIDDEN"]  # type: ignore[attr-defined]


def by_keyword_pattern(s: Any) -> bool:
    match helper:
        case object(__globals__=names):  # type: ignore[misc]
            return len(s) > names["HIDDEN"]
    return False


def by_position_pattern(s: Any) -> bool:
    match helper:
        case Pattern(names):  # type: ignore[misc]
            return len(s) > names["HIDDEN"]
    return False


BY_TEXT = (
    by_getter, by_getter_outside, by_getter_imported, by_caller, by_format, by_format_inside, by_format_map,
    by_format_of_str, by_format_bound, by_format_unbound, by_formatter, by_hints, by_update, by_wraps,
    by_wraps_outside, by_enum, by_code_in_text, by_frame, by_keyword_pattern,
    by_position_pattern,
)  # fmt: skip


@pytest.mark.parametrize("reference", BY_TEXT)
def test_a_reference_that_reads_names_by_text_is_refused(reference: Callable[[Any], bool]) -> None:
    """Else two values of HIDDEN give other answers, and one identity."""
    with pytest.raises(BadInput, match="whose content identifies it"):
        identity(reference)


def test_a_reference_may_format_and_match() -> None:
    def formatted(s: Any) -> bool:
        return "{0:>{1}}|{n!r}".format("".join(s), 3, n=2) == "  a|2"

    def matched(s: Any) -> bool:
        match Point(len(s)):
            case Point(1):
                return True
            case Point(x=2):
                return True
        return False

    assert identity(formatted) != identity(matched) and (formatted("a"), matched("ab"), matched("abc")) == (1, 1, 0)


DEEP = 1


def deep(s: Any) -> bool:
    return "".join(s) == "a" * DEEP


def test_workers_ask_the_reference_as_the_caller_changed_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker imports the module of the reference, in which DEEP is still 1."""
    model = majority()
    monkeypatch.setitem(deep.__globals__, "DEEP", 2)
    task = Task.of(plan(model, 4), Made.of(deep), Numbers(), None, identity(deep))
    assert task.built()[0].model.name == model.name
    monkeypatch.setitem(deep.__globals__, "DEEP", 1)
    again = dataclasses.replace(task, key="the same task elsewhere")
    with pytest.raises(BadInput, match="the same in each worker; given: deep, which was changed"):
        again.built()


def test_workers_need_a_reference_with_a_content() -> None:
    with pytest.raises(BadInput, match=r"or has workers.*given: one that holds the function globals"):
        majority().check(by_globals, 4, workers=2)


@pytest.mark.sweep
def test_a_changed_reference_in_other_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "changed_reference.py").write_text(
        "TABLE = {'a': 1}\n\ndef more(s):\n    return len(s) >= TABLE['a']\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    more = importlib.import_module("changed_reference").more
    assert majority().check(more, 4, workers=2).strings == 30
    more.__globals__["TABLE"]["a"] = 3
    with pytest.raises(BadInput, match="the same in each worker"):
        majority().check(more, 4, workers=2)


class Stopped(KeyboardInterrupt):
    """Not a Ctrl-C, though it looks like one."""


@pytest.mark.parametrize("kind", [SystemExit, GeneratorExit, Stopped, BaseException])
def test_what_a_reference_raises_is_one_sentence(kind: type[BaseException]) -> None:
    def raises(s: Any) -> bool:
        raise kind("x")

    for reference in (raises, Fold(0, lambda s, t: s, raises)):
        with pytest.raises(BadInput, match=f"must answer every .*; given: {kind.__name__}") as error:
            majority().check(reference, 4)
        assert "\n" not in str(error.value)


def test_ctrl_c_stays_ctrl_c() -> None:
    def raises(s: Any) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        majority().check(raises, 4)


def test_another_version_of_a_package_is_another_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an installed package computes may be another thing in its next version."""
    import numpy

    for reference in (lambda word: bool(numpy.sum([c == "a" for c in word])), numpy.sum, numpy.ndarray):
        before = identity(reference)
        assert identity(reference) == before
        with monkeypatch.context() as patch:
            patch.setattr(numpy, "__version__", "0.0.1")
            assert identity(reference) != before
