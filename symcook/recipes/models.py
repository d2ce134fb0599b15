"""Models by the name of a file: an instance of a family, with its settings, or a model file."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, unknown
from symcook.files import content, parsed, start_of
from symcook.model.family import shipped
from symcook.programs.shipped import is_shipped, shipped_program
from symcook.recipes.operations import operation

if TYPE_CHECKING:
    from symcook.model.family import Family
    from symcook.model.instance import Instance
    from symcook.model.transformer import Transformer

SHIPPED = "family-"
"""The prefix of the name of a shipped family, here and in statements."""


def path_of(name: str) -> Path | None:
    """The file of the family `name`, shipped or the user's own; None if it does not name a family."""
    if name.startswith(SHIPPED) and (shipped_file := shipped(name.removeprefix(SHIPPED))).is_file():
        return shipped_file
    return Path(name) if b'"symcook family"' in start_of(name, 4096) else None


def no_family(name: str) -> BadInput:
    """The error for an unknown family, with the nearest name."""
    families = sorted(path.stem for path in shipped("").parent.glob("*.json"))
    return unknown("family", name.removeprefix(SHIPPED), families, "symcook list shows those that ship")


def read(path: Path, given: Mapping[str, str] | None = None) -> Family:
    """The family of a file, with those settings in `given` that are its choices."""
    from symcook.model.family import load

    family = load(path)
    choices = {key: value for key, value in (given or {}).items() if key in family.choices}
    return load(path, choices) if choices else family


def instance_of(family: Family, given: Mapping[str, str]) -> Instance:
    """The instance of a family at the sizes and tables of ``--set``; a table may be given as a JSON file."""
    from symcook.model.instance import Instance

    return Instance(family, _values(family, given))


def model_of(family: Family, given: Mapping[str, str], tokens: str | None = None) -> tuple[Transformer, dict[str, str]]:
    """The model of a family at the settings `given`, and those of the settings that the family uses; the others are for
    the model."""
    from symcook.model.instance import instance

    family_settings = {
        key: value for key, value in given.items() if key in {*family.sizes, *family.tables, *family.choices}
    }
    return instance(
        family, _values(family, family_settings), None if tokens is None else tokens.split()
    ), family_settings


def said(family: Family, values: str) -> str:
    """The text in a model's source that names the family and its values. For a family that is not shipped it includes
    the digest, which identifies the file."""
    return f"{SHIPPED}{family.name}{'' if ships(family) else f'#{family.digest}'}; {values}"


def ships(family: Family) -> bool:
    """Whether a family is equal to the shipped family of its name. Stored theorems are about shipped families, so equal
    names are not enough."""
    stored = shipped(family.name)
    return stored.is_file() and read(stored).digest == family.digest


def told(source: str, beside: Path, name: str) -> tuple[Path, dict[str, str]] | None:
    """The family file and the values that a model's `source` names (see `said`); None if it names none. A family that
    is not shipped is looked for in `beside`, the folder of the model, and in the working directory; BadInput, with the
    `name` of the model, if neither has a file with its digest."""
    match = re.search(rf"{SHIPPED}([\w-]+)(?:#([0-9a-f]{{16}}))?; (.*)$", source, re.ASCII)
    if match is None:
        return None
    sizes_given = {
        key.strip(): value.strip() for key, _, value in (part.partition("=") for part in match[3].split(","))
    }
    if match[2] is None:
        path = path_of(SHIPPED + match[1])
        return None if path is None else (path, sizes_given)
    for path in (path for folder in (beside, Path()) for path in sorted(folder.glob("*.json"))):
        if path_of(str(path)) is not None:
            with contextlib.suppress(BadInput):
                if read(path).digest == match[2]:
                    return path, sizes_given
    must = f"{name} must have the file of its family {match[1]} next to it, as it was"
    raise BadInput(must, f"none with the hash {match[2]}", "or give that file: symcook prove FAMILY.json --set ...")


def _values(family: Family, given: Mapping[str, str]) -> dict[str, Any]:
    """The sizes as given, and the tables, read from files if necessary. Choices are left out: the family has them
    already. BadInput for an unknown name."""
    values = {key: value for key, value in given.items() if key not in family.choices}
    valid_names = [*family.sizes, *family.tables, *family.choices]
    for key in values:
        if key not in valid_names:
            raise unknown(f"size, table or choice of {family.name}", key, valid_names)
    return {key: _table(value) if key in family.tables else value for key, value in values.items()}


def _table(value: str) -> Any:
    """The entries of a table: the text `value`, or if it ends in .json, the lists of this file, or its object with
    indices such as "1" or "1, 2" as keys. A file with another name is not read: it may be called 1."""
    if not value.endswith(".json"):
        return value
    data, must = content(value, "a table"), "a table must be numbers row by row, or a JSON file of them"
    table = parsed(data, must, value, parse_float=_no_float)
    if not isinstance(table, dict):
        return table
    try:
        found = {tuple(int(part) for part in key.split(",")): entry for key, entry in table.items()}
    except ValueError:
        raise BadInput(
            'the indices of a table must be written "1" or "1, 2"', ", ".join(table), 'write for example "1, 2"'
        ) from None
    if len(found) < len(table):
        raise BadInput("a table must have each index once", ", ".join(table), "leave one of the two entries out")
    return found


def _no_float(number: str) -> Any:
    """The reader of numbers with a point or exponent in a JSON table: always an error."""
    raise BadInput("a number of a table must be a whole number or text", number, 'write it as "1/2"')


def is_path(name: str) -> bool:
    """Whether `name` is meant as the path of a model file."""
    return name.endswith(".json") or "/" in name or os.sep in name or os.path.isfile(name)


def of_file(
    name: str, given: Mapping[str, str], tokens: str | None = None
) -> tuple[dict[str, Any], Transformer] | None:
    """The settings of `given` that built the model `name`, which is not a recipe, and the model. `tokens` names the
    tokens of a family. None if nothing has this name; BadInput if something other than a model has it."""
    # A family, with its sizes, tables and choices.
    path = path_of(name)
    if tokens is not None and path is None:
        raise BadInput("--tokens must be used with a family, whose tokens it names", name, "leave --tokens out")
    if path is not None:
        family = read(path, given)
        model, arguments = model_of(family, given, tokens)
        # A setting that the family does not use must be a value for an input of the model.
        for key in given.keys() - arguments.keys() - {*(model.embedding.inputs or ())}:
            raise unknown("setting", key, [*family.sizes, *family.tables, *family.choices])
        return arguments, model
    if name.startswith(SHIPPED) and not is_path(name):
        raise no_family(name)
    # A model file: no setting takes part in building it, so that none is returned.
    if is_path(name):
        from symcook.model.modelfile import load

        return {}, load(name)
    # A name of something other than a model: a shipped program, or a function of the library.
    if is_shipped(name):
        shipped_program(name)
        must = "the name must be that of a recipe or a model file"
        do = f"make one: symcook compile {name.rpartition('.')[2]} {name} -o FILE.json"
        raise BadInput(must, f"{name}, a program", do)
    if operation(name) is not None:
        must = "the name must be that of a recipe or a model file"
        raise BadInput(must, f"{name}, a function of the library", f"see symcook explain {name}")
    return None
