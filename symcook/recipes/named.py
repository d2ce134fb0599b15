"""A model by its name: a recipe, an instance of a family, or a model file, with what is set of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, unknown
from symcook.model.family import shipped
from symcook.recipes.operations import operation
from symcook.recipes.registry import Recipe, exists, info, names

if TYPE_CHECKING:
    from symcook.model.family import Family
    from symcook.model.instance import Instance
    from symcook.model.transformer import Transformer

SHIPPED = "family-"
"""What the name of a shipped family begins with, here and in statements."""


def path_of(name: str) -> Path | None:
    """The file of a family: one that ships, or one of the user's; None where NAME is something else."""
    if name.startswith(SHIPPED) and (own := shipped(name.removeprefix(SHIPPED))).is_file():
        return own
    try:
        with open(name, "rb") as stream:
            return Path(name) if b'"symcook family"' in stream.read(4096) else None
    except OSError:
        return None


def read(path: Path, given: Mapping[str, str] | None = None) -> Family:
    """The family of a file, with the choices among `given`."""
    from symcook.model.family import load

    family = load(path)
    made = {key: value for key, value in (given or {}).items() if key in family.choices}
    return load(path, made) if made else family


def instance_of(family: Family, given: Mapping[str, str]) -> Instance:
    """The family at the sizes and tables of ``--set``; a table may be a JSON file."""
    from symcook.model.instance import Instance

    return Instance(family, _values(family, given))


def model_of(family: Family, given: Mapping[str, str], tokens: str | None = None) -> tuple[Transformer, dict[str, str]]:
    """The model of a family at `given`, and which settings made it (the others are for the model itself)."""
    from symcook.model.instance import instance

    own = {key: value for key, value in given.items() if key in {*family.sizes, *family.tables, *family.choices}}
    return instance(family, _values(family, own), None if tokens is None else tokens.split()), own


def _values(family: Family, given: Mapping[str, str]) -> dict[str, Any]:
    """The sizes as they are given, and the tables read; choices are in the family already."""
    values = {key: value for key, value in given.items() if key not in family.choices}
    return {key: _table(value) if key in family.tables else value for key, value in values.items()}


def _table(value: str) -> Any:
    """The entries of a table: as text, or from a JSON file with lists, or with "1" or "1, 2" for indices."""
    if not value.endswith(".json") and not os.path.isfile(value):
        return value
    try:
        found = json.loads(Path(value).read_bytes(), parse_float=_no_float)
    except (OSError, ValueError, RecursionError) as error:
        raise BadInput("a table must be numbers row by row, or a JSON file of them", f"{value} ({error})") from None
    if not isinstance(found, dict):
        return found
    try:
        return {tuple(int(part) for part in key.split(",")): entry for key, entry in found.items()}
    except ValueError:
        raise BadInput('the indices of a table must be written "1" or "1, 2"', ", ".join(found)) from None


def _no_float(given: str) -> Any:
    raise BadInput("a number of a table must be a whole number or text", given, 'write it as "1/2"')


def is_path(name: str) -> bool:
    """Whether NAME is meant as the path of a model file."""
    return name.endswith(".json") or os.sep in name or os.path.isfile(name)


def named(name: str, given: Mapping[str, Any]) -> tuple[Recipe | None, dict[str, Any], Transformer]:
    """The recipe of this name, which of the settings `given` built the model, and the model. BadInput, with the nearest
    name, where there is no model of it."""
    if exists(name):
        recipe = info(name)
        arguments = {key: value for key, value in given.items() if key in [a.name for a in recipe.arguments]}
        return recipe, arguments, recipe.build(arguments)
    if (family := path_of(name)) is not None:
        model, arguments = model_of(read(family, given), given)
        return None, arguments, model
    if is_path(name):
        from symcook.model.modelfile import load

        return None, {}, load(name)
    if operation(name) is not None:
        must = "the name must be that of a recipe or a model file"
        raise BadInput(must, f"{name}, a function of the library", f"see symcook explain {name}")
    raise unknown("recipe", name, list(names()))
