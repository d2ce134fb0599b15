"""Docstrings of public functions are written for Python: what is returned, each argument, errors, an example."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

import symcook
from symcook import bounds
from symcook.declaration import load

FUNCTIONS: dict[str, Callable[..., Any]] = {
    **{f"Transformer.{verb}": load(home) for verb, home in symcook.VERBS.items() if verb != "__call__"},
    **{name: found for name in symcook.__all__ if inspect.isfunction(found := getattr(symcook, name))},
}
"""The public functions, and the methods of a model that ask something, whose first parameter is the model."""

BUILT: dict[str, Callable[..., Any]] = {
    **{f"Builder.{n}": one for n, one in inspect.getmembers(symcook.Builder, inspect.isfunction) if n[0] != "_"},
    **{
        name: one
        for name in symcook.__all__
        if inspect.isclass(one := getattr(symcook, name)) and not issubclass(one, Exception)
    },
    "Transformer.bind": symcook.Transformer.bind,
}
"""All public classes, and the methods with which a model is built, whose first parameter is the object."""

KINDS: dict[str, Callable[..., Any]] = {f"bound {name}": kind.load() for name, kind in bounds.KINDS.items()}
"""The functions of the kinds of bounds."""

EVERY = FUNCTIONS | BUILT | KINDS


def arguments(text: str) -> dict[str, str]:
    """{argument: what is said of it} of a docstring; "a, b: words" names two."""
    section = re.search(r"^Arguments:\n((?: {4}.*\n?)+)", text, re.MULTILINE)
    rows = re.findall(r"^ {4}(\w[\w, ]*): (.*(?:\n {8,}.*)*)", section[1], re.MULTILINE) if section else []
    return {name: " ".join(words.split()) for names, words in rows for name in names.split(", ")}


@pytest.mark.parametrize("name", EVERY)
def test_arguments_are_those_of_the_signature(name: str) -> None:
    """In their order, and each with its default."""
    found = EVERY[name]
    parameters = dict(inspect.signature(found).parameters)
    said = arguments(inspect.getdoc(found) or "")
    if "." in name and (model := next(iter(parameters))) not in said:
        parameters.pop(model)
    assert list(said) == list(parameters)
    for key, parameter in parameters.items():
        default = parameter.default
        if default is not inspect.Parameter.empty and not said[key].startswith("as in "):
            shown = {str(default), repr(default), f'"{default}"'} | ({"all"} if isinstance(default, tuple) else set())
            shown |= {"{}"} if repr(default) == "<factory>" else set()  # of a field whose default is made
            assert any(f"({one})" in said[key] or f"{one} by default" in said[key] for one in shown), said[key]


@pytest.mark.parametrize("name", EVERY)
def test_a_docstring_has_its_parts_and_no_option(name: str) -> None:
    text = inspect.getdoc(EVERY[name]) or ""
    first, *others = text.split("\n\n")
    assert first.endswith((".", ":")) and len(first.splitlines()) <= 2
    titles = [part.partition(":")[0] for part in others]
    assert [one for one in ("Returns", "Raises", "Example") if titles.count(one) != 1] == []
    assert ">>> " in text
    assert not re.search(r"(?<![\w-])--[a-z]", text)


def test_what_is_missing_is_seen() -> None:
    def f(a: int, b: str = "x", *c: int) -> None:
        """What it returns.

        Arguments:
            a: int. The first, which
                goes on.
            b, c: str ("x"). Others.
        """

    others = 'str ("x"). Others.'
    said = arguments(inspect.getdoc(f) or "")
    assert said == {"a": "int. The first, which goes on.", "b": others, "c": others}
