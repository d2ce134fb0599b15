"""The public names with their signatures, and their docstrings, which give shapes, units and errors."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import symcook
from pages.markdown import code, plain

WIDE = 88
"""What a page shows in one line."""
FUNCTIONS = ("bounds",)
"""Modules whose own lists of names are public too."""


def signature(found: Any) -> str:
    """The arguments as they are declared; empty where there are none to give."""
    try:
        text = str(inspect.signature(found))
    except (TypeError, ValueError):
        return ""
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def head(name: str, found: Any) -> str:
    """A name with its arguments, as a page shows them: types without quotes, long ones a line an argument.

    >>> print(head("f", lambda a, b=1: None))
    f(a, b=1)
    """
    try:
        asked = inspect.signature(found)
    except (TypeError, ValueError):
        return name
    bare = [one.replace(annotation=_bare(one.annotation)) for one in asked.parameters.values()]
    asked = asked.replace(parameters=bare, return_annotation=_bare(asked.return_annotation))
    text = re.sub(r" at 0x[0-9a-f]+", "", f"{name}{asked}")
    if len(text) <= WIDE:
        return text
    lines = [f"    {re.sub(r' at 0x[0-9a-f]+', '', str(one))}," for one in bare]
    kinds = [one.kind for one in bare]
    if bare[0].KEYWORD_ONLY in kinds and bare[0].VAR_POSITIONAL not in kinds:
        lines.insert(kinds.index(bare[0].KEYWORD_ONLY), "    *,")
    gives = text.rpartition(")")[2] if asked.return_annotation is not asked.empty else ""
    return "\n".join([f"{name}(", *lines, f"){gives}"])


class _Written(str):
    """An annotation, which a signature shows as it is written."""

    def __repr__(self) -> str:
        return str(self)


def _bare(annotation: Any) -> Any:
    return _Written(annotation) if isinstance(annotation, str) else annotation


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
        title, _, rest = part.partition(":")
        if part.lstrip().startswith(">>>"):
            yield code(inspect.cleandoc(part), "python")
        elif title == "Arguments":
            yield "**Arguments**\n"
            for row in re.findall(r"^ {4}(\S.*(?:\n {5,}.*)*)", rest, re.MULTILINE):
                named, _, meaning = " ".join(row.split()).partition(": ")
                yield f"- {', '.join(f'`{one}`' for one in named.split(', '))}: {plain(meaning)}"
        elif title in ("Returns", "Raises", "Example", "Source"):
            yield f"**{title}** {plain(' '.join(rest.split()))}".rstrip()
        elif "\n    " in part or part.startswith("    "):
            yield code(part, "")
        else:
            yield plain(" ".join(part.split()))
        yield ""


def page(name: str) -> str:
    """The page of one public name."""
    found = getattr(symcook, name)
    lines = [f"# {name}", "", code(head(f"symcook.{name}", found), "python"), "", *words(found)]
    if name == "Transformer":
        lines += ["What a model can be asked, as `model.check(...)`; what it is made of stands below.", ""]
        for verb, home in symcook.VERBS.items():
            if verb == "__call__":  # it is `run`
                continue
            module, _, function = home.partition(":")
            asked = getattr(import_module(module), function)
            lines += [f"## {plain(verb)}", "", code(head(verb, asked), "python"), "", *words(asked)]
    if inspect.isclass(found) and not issubclass(found, Exception):
        for member, value in members(found).items():
            if not (value := _function(value)).__doc__ or inspect.isclass(value):
                continue
            if name == "Transformer" and member in symcook.VERBS:
                continue
            if inspect.isroutine(value) or isinstance(value, property):
                shown = head(member, value) if inspect.isroutine(value) else member
                lines += [f"## {plain(member)}", "", code(shown, "python"), "", *words(value)]
    return "\n".join(lines) + "\n"


def file_name(name: str) -> str:
    """The file of a public name. `Head` and `head` would be the same file on many disks: the class has another name.

    >>> file_name("Transformer"), file_name("Head"), file_name("head")
    ('Transformer', 'Head-class', 'head')
    """
    clashes = [other for other in symcook.__all__ if other != name and other.lower() == name.lower()]
    return f"{name}-class" if clashes and name != name.lower() else name


def pages() -> Iterator[tuple[str, str]]:
    """The file name and the text of each page."""
    for name in symcook.__all__:
        yield file_name(name), page(name)
    lines = [
        "# Python",
        "",
        "`import symcook as sc`. Numbers are exact: integers, fractions, or text in the [grammar](../grammar.md);",
        "lengths count what a user types; names that no page lists may change.",
        "",
    ]
    for name in symcook.__all__:
        first = inspect.cleandoc(getattr(symcook, name).__doc__ or "").partition("\n\n")[0]
        lines.append(f"- [`{name}`]({file_name(name)}.md): {plain(' '.join(first.split()))}")
    yield "index", "\n".join([*lines, "", "```{toctree}", ":hidden:", "", *map(file_name, symcook.__all__), "```", ""])
