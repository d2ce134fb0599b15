"""A checkpoint belongs to one reference: two of one name and file are told apart by their content, or refused."""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.spec.fold import Fold
from symcook.verify.identity import identity


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
        Path("x"),
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
        Path("y"),
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
    assert identity(made(io.StringIO("a"))) != identity(made(io.StringIO("b")))  # type: ignore[arg-type]


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
