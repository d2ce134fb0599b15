"""The public names with their signatures, and their docstrings, which give shapes, units and errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import symcook
from pages.markdown import code, plain

FUNCTIONS = ("bounds",)
"""Modules whose own lists of names are public too."""


def signature(found: Any) -> str:
    """The arguments as they are declared; empty where there are none to give."""
    try:
        text = str(inspect.signature(found))
    except (TypeError, ValueError):
        return ""
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def members(found: type) -> dict[str, Any]:
    """The public attributes that a class has of its own or from a class of ours, by name."""
    out: dict[str, Any] = {}
    for owner in reversed(found.__mro__):
        if owner.__module__.split(".")[0] == "symcook":
            out |= {name: one for name, one in vars(owner).items() if not name.startswith("_")}
    return dict(sorted(out.items()))


def _function(one: Any) -> Any:
    return one.__func__ if isinstance(one, (classmethod, staticmethod)) else one


def surface() -> dict[str, str]:
    """Every public name with its signature: what the tests hold stable."""
    found: dict[str, str] = {}
    for name in sorted(symcook.__all__):
        one = getattr(symcook, name)
        found[name] = signature(one)
        if inspect.isclass(one) and not issubclass(one, Exception):
            for member, value in members(one).items():
                value = _function(value)
                found[f"{name}.{member}"] = signature(value) if inspect.isroutine(value) else ""
    for verb, home in symcook.VERBS.items():
        module, _, function = home.partition(":")
        found[f"Transformer.{verb}"] = signature(getattr(import_module(module), function))
    for module in FUNCTIONS:
        there = import_module(f"symcook.{module}")
        found |= {f"{module}.{name}": signature(getattr(there, name)) for name in sorted(there.__all__)}
    return dict(sorted(found.items()))


def words(found: Any) -> Iterator[str]:
    """A docstring: its paragraphs, and its examples as blocks."""
    for part in inspect.cleandoc(found.__doc__ or "").split("\n\n"):
        if part.lstrip().startswith(">>>"):
            yield code(inspect.cleandoc(part), "python")
        elif "\n    " in part or part.startswith("    "):
            yield code(part, "")
        else:
            yield plain(" ".join(part.split()))
        yield ""


def page(name: str) -> str:
    """The page of one public name."""
    found = getattr(symcook, name)
    lines = [f"# {name}", "", code(f"symcook.{name}{signature(found)}", "python"), "", *words(found)]
    if inspect.isclass(found) and not issubclass(found, Exception):
        for member, value in members(found).items():
            if not (value := _function(value)).__doc__ or inspect.isclass(value):
                continue
            head = f"{member}{signature(value)}" if inspect.isroutine(value) else member
            if inspect.isroutine(value) or isinstance(value, property):
                lines += [f"## {member}".replace("_", r"\_"), "", code(head, "python"), "", *words(value)]
    if name == "Transformer":
        for verb, home in symcook.VERBS.items():
            module, _, function = home.partition(":")
            asked = getattr(import_module(module), function)
            lines += [f"## {plain(verb)} (asked of a model)", ""]
            lines += [code(f"{function}{signature(asked)}", "python"), "", *words(asked)]
    return "\n".join(lines) + "\n"


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each page."""
    for name in symcook.__all__:
        yield name, page(name)
    lines = [
        "# Python",
        "",
        "`import symcook as sc`. Numbers are exact: integers, fractions, or text in the [grammar](../grammar.md);",
        "lengths count what a user types; names that no page lists may change.",
        "",
    ]
    for name in symcook.__all__:
        first = inspect.cleandoc(getattr(symcook, name).__doc__ or "").partition("\n\n")[0]
        lines.append(f"- [`{name}`]({name}.md): {plain(' '.join(first.split()))}")
    yield "index", "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *symcook.__all__, "```", ""])
