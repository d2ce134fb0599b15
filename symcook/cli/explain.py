"""``symcook explain``."""

from __future__ import annotations

import importlib
import inspect
from typing import TYPE_CHECKING, Any

from symcook.cli.options import choose, name_argument, settings_option
from symcook.cli.options import command as declare
from symcook.cli.output import show
from symcook.errors import BadInput

if TYPE_CHECKING:
    from symcook.recipes.operations import Operation


@declare("explain", "symcook explain gtzero")
@name_argument
@settings_option
def command(name: str, settings: tuple[str, ...], as_json: bool) -> None:
    """Say what a recipe computes, where it is exact, and which paper it comes from.

    `symcook explain grammar` shows how expressions are written.
    """
    from symcook.report.document import Document
    from symcook.report.recipe import document

    if name == "grammar":
        from importlib.resources import files

        page = files("symcook").joinpath("data", "grammar.md").read_text(encoding="utf-8")
        show(as_json, lambda: {"name": name, "page": page}, lambda: Document(page.rstrip()))
        return
    from symcook.recipes.operations import operation

    found = operation(name)
    if found is not None and settings:
        raise BadInput(f"{name} is a function, and has no argument to set here", settings[0], "leave it out")
    facts = _facts(choose(name, settings)) if found is None else _function(found)
    show(as_json, lambda: facts, lambda: document(facts))


def _function(found: Operation) -> dict[str, Any]:
    """A function of the library: how it is called, what its docstring says, and the claims about it."""
    module, attribute = found.name.rsplit(".", 1)
    function = getattr(importlib.import_module(module), attribute)
    space = found.short.partition(".")[0]
    says = inspect.getdoc(function) or ""
    words = "\n\n".join(part for part in says.split("\n\n") if not part.startswith(">>>"))
    return {
        "name": found.short,
        "kind": "function",
        "summary": found.summary,
        "words": f"In Python: from symcook import {space}; {found.short}{_call(function)}."
        + (f"\n\nOn the command line: {found.command}." if found.command else ""),
        "details": words,
        "source": f"Cookbook, Section {found.section}",
        "claims": list(found.claims),
    }


def _call(function: Any) -> str:
    """The arguments of a function, without their types."""
    parameters = inspect.signature(function).parameters.values()
    plain = [one.replace(annotation=inspect.Parameter.empty) for one in parameters]
    return str(inspect.Signature(plain))


def _facts(chosen: Any) -> dict[str, Any]:
    model, info = chosen.model, chosen.info
    if info is None:
        symbols = [{"name": p.name, "region": p.region, "default": _text(p.default)} for p in model.parameters]
        kind = (
            "words over " + " ".join(model.alphabet)
            if model.alphabet
            else "rows of " + ", ".join(model.embedding.inputs or ())
        )
        layers, coordinates = len(model.layers), len(model.space)
        summary = f"layers: {layers}, coordinates: {coordinates}, reads {kind}"
        ends = zip(model.embedding.ends, ("in front", "behind"), strict=True)
        summary += "".join(f", adds {token} {where}" for tokens, where in ends for token in tokens)
        if model.readout.labels:
            what = "the largest of" if model.readout.labelled else "a distribution over"
            summary += f", gives {what} {' '.join(model.readout.labels)}"
        return {"name": model.name, "summary": summary, "source": model.source, "symbols": symbols}
    from symcook.recipes import error, region
    from symcook.recipes.words import meanings

    facts = {key: getattr(info, key) for key in ("name", "kind", "summary", "words", "formula", "computes")}
    facts["where"] = {
        word: means
        for text in (info.formula, info.computes)
        for word, means in meanings(text, chosen.model.decides).items()
    }
    usual = {a.name: a.read(a.default, a.name) for a in info.arguments}
    if info.read(chosen.arguments) != usual:
        facts["formula_of"] = "the default arguments"
    facts |= {"region": region(chosen.name, **chosen.arguments), "largest": info.largest}
    if info.error:
        facts["error"] = error(chosen.name, **chosen.arguments)
    facts |= {key: getattr(info, key) for key in ("uniformity", "source")}
    facts["claims"] = list(info.claims)
    document = info.to_json()
    return facts | {
        "arguments": document["arguments"],
        "symbols": document["symbols"],
        "details": info.details,
    }


def _text(value: object) -> str | None:
    from symcook.model.symbols import from_sympy

    return None if value is None else from_sympy(value)
