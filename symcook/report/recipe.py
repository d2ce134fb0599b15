"""Recipes and functions of the library: the list by section, and the page on one: what it computes, where exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symcook.recipes import COOKBOOK, OTHER, Recipe, error, region
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
"""The titles of the Cookbook's sections with constructions, by number."""


def listing(
    recipes: Sequence[Recipe], families: Sequence[tuple[str, str]], programs: Sequence[tuple[str, str]]
) -> Document:
    """What ``symcook list`` prints: recipes and functions by section of the Cookbook, then recipes of other papers and
    of no paper, then families and programs, each with its summary.

    A family or program is (name, summary).
    """
    # {title: [(section as numbers, line)]}; the title is the section, or the paper if it is not the Cookbook.
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
    # The sections in order, then the other papers by name, then recipes of no paper.
    order = sorted(entries, key=lambda title: (not title[0].isdigit(), title == OTHER, title))
    lines_of = {title: [line for _, line in sorted(entries[title], key=lambda entry: entry[0])] for title in order}
    chapters = [Document(title, [PlainLines(lines)]) for title, lines in lines_of.items()]
    # Families and programs, which have no section.
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
"""The facts in the table and their labels, in this order."""


def promise(recipe: Recipe, arguments: Mapping[str, object]) -> dict[str, Any]:
    """What a recipe with these arguments says that its model returns, and where: the formula, which is that of the
    default arguments ("formula_of" says so if others are given), the region, and a bound on the error if there is one.
    """
    facts = {"formula": recipe.formula, "computes": recipe.computes}
    if recipe.read(arguments) != recipe.read({}):
        facts["formula_of"] = "the default arguments"
    facts |= {"region": region(recipe.name, **arguments), "largest": recipe.largest}
    return facts | ({"error": error(recipe.name, **arguments)} if recipe.error else {})


def labels_of(facts: Mapping[str, Any]) -> dict[str, str]:
    """The labels of facts about a recipe, in the order of `KEYS`."""
    # The region has another label if there is an error bound, or if the model may be exact outside of it too.
    labels = dict(KEYS)
    if facts.get("error"):
        labels["region"] = "for all where"
    elif not facts.get("largest", True) and facts.get("region") != "true":
        labels["region"] = "exact at least where"
    if facts.get("formula_of"):
        labels |= {key: f"{key} by default" for key in ("formula", "computes")}
    return labels


def document(facts: Mapping[str, Any]) -> Document:
    """The facts about a recipe, function or model (`symcook explain --json`) as text; missing facts are left out."""
    rows: list[tuple[str, str]] = []
    for key, label in labels_of(facts).items():
        rows += [(label, facts[key])] if facts.get(key) else []
        if key == "computes":
            rows += [(f"  {word}", meaning) for word, meaning in facts.get("where", {}).items()]
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
    notes = (entry.get("description") or "", entry.get("region", ""))
    return (
        entry["name"],
        "no default" if default is None else f"default {default}",
        "; ".join(part for part in notes if part and part != "true"),
    )
