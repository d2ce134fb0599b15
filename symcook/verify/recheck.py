"""Runs again the check that a certificate of a recipe names, on all of its inputs in this process."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from symcook.errors import BadInput
from symcook.model.symbols import Exact, fraction
from symcook.model.transformer import Transformer
from symcook.verify.answers import Reference
from symcook.verify.chunks import check_count, plan
from symcook.verify.comparison import Comparison, Numbers
from symcook.verify.grid import check_grid
from symcook.verify.workers import Made


def referred(
    name: str, arguments: Mapping[str, object] | None, values: Mapping[str, Exact] | None
) -> tuple[Transformer, Reference | Made]:
    """The model of the recipe `name`, and its reference: a function of a point for a feed-forward recipe, else a
    `Made`, which also says how another process makes it. The model is not bound to `values`."""
    from symcook import recipes

    arguments = dict(arguments or {})
    model = recipes.build(name, **arguments)
    reference: Reference | Made
    # A feed-forward recipe has a reference for each assignment of its symbols. A point of the grid has values of inputs
    # and of symbols.
    if model.pointwise:
        inputs = model.embedding.inputs or ()
        references: dict[tuple[Fraction, ...], Reference] = {}

        def at_point(point: Mapping[str, Fraction]) -> Any:
            """The right answer at a point of the grid."""
            symbols = {key: value for key, value in point.items() if key not in inputs}
            key = tuple(symbols.values())
            if key not in references:
                references[key] = recipes.reference(name, arguments, symbols)
            return references[key]({key: point[key] for key in inputs})

        reference = at_point
    else:
        # A recipe over strings has one reference, with a name by which other processes recognise it.
        numbers = {key: fraction(value) for key, value in model.values(values).items()}
        settings_text = ", ".join(f"{key}={value}" for key, value in {**arguments, **numbers}.items())
        reference = Made(
            partial(recipes.reference, name, arguments, numbers), f"{name} ({settings_text})" if settings_text else name
        )
    return model, reference


def recheck(stored: Mapping[str, Any]) -> bool:
    """Run again the check that a certificate names: whether model and reference agree on all inputs, none is undecided,
    and their number is the stored one.

    `stored` has "recipe", "max_length" and "strings", and where needed "arguments" (of the recipe) and "values" (of its
    symbols). Raises BadInput where an entry is missing or of the wrong type.
    """
    for key, kind in (("recipe", str), ("strings", int)):
        if not isinstance(stored.get(key), kind):
            raise BadInput(f"a stored check must have the entry {key}", stored.get(key), "write the check again")
    from symcook import recipes

    name, arguments, length = stored["recipe"], stored.get("arguments") or {}, stored.get("max_length")
    values = stored.get("values")
    model, reference = referred(name, arguments, values)
    # A grid, or all strings up to the stored length.
    if model.pointwise:
        if length is not None:
            raise BadInput(
                "a feed-forward recipe is checked on a grid and has no length", length, "leave the length out"
            )
        grid_check = check_grid(model, Made.of(reference).make(), recipes.region(name, **arguments), values=values)
        return grid_check.holds is True and grid_check.strings == stored["strings"]
    if isinstance(length, bool) or not isinstance(length, int) or length < 1 or not model.alphabet:
        raise BadInput(
            "a stored check must be of strings, up to a length of at least 1", length, "write the check again"
        )
    bound = model.bind(values)
    bound.check_length(length + bound.embedding.added)
    check_count(bound, length)
    task = Comparison(bound, Made.of(reference).make(), Numbers())
    # The empty string must agree too, where the model adds tokens; the stored number does not include it.
    empty = task.empty_word()[0] if bound.embedding.added else None
    chunk_plan = plan(bound, length)
    tally = task.compare(part for chunk in chunk_plan for part in chunk_plan.parts(chunk))
    return empty in (None, "agrees") and tally.mismatches == tally.open == 0 and tally.strings == stored["strings"]
