"""What ``symcook list`` prints: from metadata alone, without a model, click or anything heavy."""

from __future__ import annotations

from symcook.recipes import info, names


def print_list(as_json: bool) -> None:
    """Print every recipe: one JSON list, or the Cookbook's table of contents with what there is of each section."""
    recipes = [info(name) for name in names()]
    if as_json:
        import json

        print(json.dumps([recipe.to_json() for recipe in recipes], indent=2))
    else:
        from symcook.report.recipe import listing

        print(listing(recipes, families()).text())


def families() -> list[tuple[str, str]]:
    """The families that ship, as commands call them, each with what it computes."""
    import json

    from symcook.model.family import shipped

    documents = (json.loads(path.read_bytes()) for path in sorted(shipped("").parent.glob("*.json")))
    return [(f"family-{one['name']}", one.get("summary", "")) for one in documents]
