"""What ``symcook list`` prints: from metadata alone, without a model, click or anything heavy."""

from __future__ import annotations

from symcook.recipes import info, names
from symcook.recipes.operations import OPERATIONS
from symcook.recipes.registry import COOKBOOK, OTHER

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


def print_list(as_json: bool) -> None:
    """Print every recipe: one JSON list, or the Cookbook's table of contents with what there is of each section."""
    recipes = [info(name) for name in names()]
    if as_json:
        import json

        print(json.dumps([recipe.to_json() for recipe in recipes], indent=2))
        return
    width = max(len(recipe.name) for recipe in recipes)
    entries: dict[str, list[tuple[list[int], str]]] = {}
    for recipe in recipes:
        title = f"{recipe.section[:1]}  {CHAPTERS.get(recipe.section[:1], '')}"
        line = f"  {_mark(recipe.section):<7} {recipe.name:<{width}}  {recipe.summary}"
        entries.setdefault(title if recipe.paper == COOKBOOK else recipe.paper, []).append((_key(recipe.section), line))
    for one in OPERATIONS:
        line = f"  {_mark(one.section):<7} {one.short:<{width}}  {one.summary}"
        entries.setdefault(f"{one.section[0]}  {CHAPTERS[one.section[0]]}", []).append((_key(one.section), line))
    print("The Transformer Cookbook, by section\n")
    for title in sorted(entries, key=lambda title: (not title[0].isdigit(), title == OTHER, title)):
        print(title)
        for _, line in sorted(entries[title], key=lambda entry: entry[0]):
            print(line)
        print()
    print("Families: the same for every size, alphabet and table (symcook new)")
    for name, summary in families():
        print(f"          {name:<{width}}  {summary}")
    print()
    print("symcook explain NAME says what one computes, and where it is exact.")


def families() -> list[tuple[str, str]]:
    """The families that ship, as commands call them, each with what it computes."""
    import json

    from symcook.cli.families import SHIPPED, folder

    documents = (json.loads(path.read_bytes()) for path in sorted(folder().glob("*.json")))
    return [(f"{SHIPPED}{one['name']}", one.get("summary", "")) for one in documents]


def _mark(section: str) -> str:
    return f"§{section}" if section else ""


def _key(section: str) -> list[int]:
    return [int(part) for part in section.split(".") if part]
