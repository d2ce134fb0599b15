"""Recipes and functions of the library: what one computes and where it is exact, and the list of all by section."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symcook.recipes import COOKBOOK, OTHER, Recipe
from symcook.recipes.operations import OPERATIONS
from symcook.report.document import Document, PlainLines, Table

CHAPTERS = {
    "3": "Basic Ingredients",
    "4": "Feed-Forward Layers",
    "5": "Self-Attention Layers",
    "6": "Layer Normalization",
    "7": "Rounding and Approximation",
    "8": "Assembly",
    "9": "Example Constructions",
}
"""The sections of the Cookbook that have constructions."""


def listing(
    recipes: Sequence[Recipe], families: Sequence[tuple[str, str]], programs: Sequence[tuple[str, str]]
) -> Document:
    """The Cookbook's table of contents with what there is of each section; then those of other papers, and others; at
    the end families and programs, each with what it computes."""
    # Recipes and functions by section, or by the paper where it is another than the Cookbook.
    width = max(len(recipe.name) for recipe in recipes)
    entries: dict[str, list[tuple[list[int], str]]] = {}
    entries_of_recipes = [
        (recipe.section, recipe.name, recipe.summary, "" if recipe.paper == COOKBOOK else recipe.paper)
        for recipe in recipes
    ]
    for section, name, summary, paper in entries_of_recipes + [
        (function.section, function.short, function.summary, "") for function in OPERATIONS
    ]:
        title = paper or f"{section[:1]}  {CHAPTERS.get(section[:1], '')}"
        line = f"{f'§{section}' if section else '':<7} {name:<{width}}  {summary}"
        entries.setdefault(title, []).append(([int(part) for part in section.split(".") if part], line))
    # The sections first, in order, then the other papers by name; recipes of no paper come last.
    order = sorted(entries, key=lambda title: (not title[0].isdigit(), title == OTHER, title))
    lines_of = {title: [line for _, line in sorted(entries[title], key=lambda entry: entry[0])] for title in order}
    chapters = [Document(title, [PlainLines(lines)]) for title, lines in lines_of.items()]
    # Families and programs, of which a section has no number.
    family_lines = [f"        {name:<{width}}  {summary}" for name, summary in families]
    chapters.append(Document("Families: the same for all parameter values (symcook new)", [PlainLines(family_lines)]))
    program_lines = [f"        {name:<{width}}  {summary}" for name, summary in programs]
    chapters.append(Document("Programs: symcook compile LANGUAGE NAME -o FILE.json", [PlainLines(program_lines)]))
    end = PlainLines(["symcook explain NAME says what one computes, and where it is exact."])
    return Document("", [PlainLines(["The Transformer Cookbook, by section"]), *chapters, end], apart="\n\n")


KEYS = {
    "formula": "formula", "computes": "computes", "error": "error at most", "region": "exact where",
    "uniformity": "uniformity", "source": "source",
}  # fmt: skip
"""The facts of a table, and what they are called."""


def document(facts: Mapping[str, Any]) -> Document:
    """The facts of a recipe, a function or a model (`symcook explain --json`): a fact that is none is left out."""
    # Where the region means something else than "exact where", its label says so.
    named = dict(KEYS)
    if facts.get("error"):
        named["region"] = "for all where"
    elif not facts.get("largest", True) and facts.get("region") != "true":
        named["region"] = "exact at least where"
    if facts.get("formula_of"):
        named |= {key: f"{key} by default" for key in ("formula", "computes")}
    rows: list[tuple[str, str]] = []
    for key, label in named.items():
        rows += [(label, facts[key])] if facts.get(key) else []
        if key == "computes":
            rows += [(f"  {word}", means) for word, means in facts.get("where", {}).items()]
    # The description, then the table, then lists: claims, parts of the model, arguments and parameters.
    texts = [facts[key].split("\n\n") for key in ("words", "details") if facts.get(key)]
    parts: list[Any] = [PlainLines([" ".join(paragraph.split()) for paragraph in text], "") for text in texts]
    parts += [Table(rows)] if rows else []
    parts += [Document("statements of the papers:", [PlainLines(facts["claims"])])] if facts.get("claims") else []
    if facts.get("parts"):
        parts.append(Document("parts:", [PlainLines([f"{part['part']}: {part['does']}" for part in facts["parts"]])]))
    for key, label in (("arguments", "arguments of the recipe"), ("symbols", "parameters of the model")):
        parts += [Document(f"{label}:", [Table(list(map(_entry, facts[key])))])] if facts.get(key) else []
    return Document(f"{facts['name']}: {facts['summary']}", parts, apart="\n\n")


def _entry(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """An argument or parameter: its name, its default, its description and where it is valid."""
    default = entry.get("default")
    words = (entry.get("description") or "", entry.get("region", ""))
    return (
        entry["name"],
        "no default" if default is None else f"default {default}",
        "; ".join(part for part in words if part and part != "true"),
    )
