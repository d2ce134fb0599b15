"""What ``symcook list`` prints: from metadata alone, without a model, click or anything heavy."""

from __future__ import annotations

from symcook.recipes import info, names

KINDS = {
    "feed-forward": "one feed-forward block on numbers",
    "attention": "sequences of numbers",
    "language": "strings of symbols",
}


def print_list(as_json: bool) -> None:
    """Print every recipe: one JSON list, or a table by kind."""
    recipes = [info(name) for name in names()]
    if as_json:
        import json

        print(json.dumps([recipe.to_json() for recipe in recipes], indent=2))
        return
    width = max(len(recipe.name) for recipe in recipes)
    for kind in dict.fromkeys(recipe.kind for recipe in recipes):
        print(f"{kind}: {KINDS.get(kind, '')}".rstrip(": "))
        for recipe in recipes:
            if recipe.kind == kind:
                print(f"  {recipe.name:<{width}}  {recipe.summary}")
        print()
    print("symcook explain NAME says what one computes, and where it is exact.")
