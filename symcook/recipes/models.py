"""A model by the name of a file: an instance of a family, or a model file, with what is set of it."""

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
"""What the name of a shipped family begins with, here and in statements."""


def path_of(name: str) -> Path | None:
    """The file of a family: one that ships, or one of the user's; None where NAME is something else."""
    if name.startswith(SHIPPED) and (own := shipped(name.removeprefix(SHIPPED))).is_file():
        return own
    return Path(name) if b'"symcook family"' in start_of(name, 4096) else None


def no_family(name: str) -> BadInput:
    """The error of a name that no family has, with the nearest one."""
    families = sorted(path.stem for path in shipped("").parent.glob("*.json"))
    return unknown("family", name.removeprefix(SHIPPED), families, "symcook list shows those that ship")


def read(path: Path, given: Mapping[str, str] | None = None) -> Family:
    """The family of a file, with the choices among `given`."""
    from symcook.model.family import load

    family = load(path)
    choices = {key: value for key, value in (given or {}).items() if key in family.choices}
    return load(path, choices) if choices else family


def instance_of(family: Family, given: Mapping[str, str]) -> Instance:
    """The family at the sizes and tables of ``--set``; a table may be a JSON file."""
    from symcook.model.instance import Instance

    return Instance(family, _values(family, given))


def model_of(family: Family, given: Mapping[str, str], tokens: str | None = None) -> tuple[Transformer, dict[str, str]]:
    """The model of a family at `given`, and which settings made it (the others are for the model itself)."""
    from symcook.model.instance import instance

    own = {key: value for key, value in given.items() if key in {*family.sizes, *family.tables, *family.choices}}
    return instance(family, _values(family, own), None if tokens is None else tokens.split()), own


def said(family: Family, values: str) -> str:
    """What a model says of itself in its source: the family with its values, and which one of that name where it does
    not ship."""
    return f"{SHIPPED}{family.name}{'' if ships(family) else f'#{family.digest}'}; {values}"


def ships(family: Family) -> bool:
    """Whether it says what the shipped family of its name does: theorems are about that, whatever it is called."""
    stored = shipped(family.name)
    return stored.is_file() and read(stored).digest == family.digest


def told(source: str, beside: Path, name: str) -> tuple[Path, dict[str, str]] | None:
    """The family file and the values that a model names in its source; one that does not ship lies beside the model, or
    in the folder of the command. None where a model names none."""
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
    """The sizes as they are given, and the tables read; choices are in the family already."""
    values = {key: value for key, value in given.items() if key not in family.choices}
    known = [*family.sizes, *family.tables, *family.choices]
    for key in values:
        if key not in known:
            raise unknown(f"size, table or choice of {family.name}", key, known)
    return {key: _table(value) if key in family.tables else value for key, value in values.items()}


def _table(value: str) -> Any:
    """The entries of a table: as text, or from a JSON file with lists, or with "1" or "1, 2" for indices."""
    if not value.endswith(".json") and not os.path.isfile(value):
        return value
    data, must = content(value, "a table"), "a table must be numbers row by row, or a JSON file of them"
    table = parsed(data, must, value, parse_float=_no_float)
    if not isinstance(table, dict):
        return table
    try:
        return {tuple(int(part) for part in key.split(",")): entry for key, entry in table.items()}
    except ValueError:
        raise BadInput('the indices of a table must be written "1" or "1, 2"', ", ".join(table)) from None


def _no_float(number: str) -> Any:
    raise BadInput("a number of a table must be a whole number or text", number, 'write it as "1/2"')


def is_path(name: str) -> bool:
    """Whether NAME is meant as the path of a model file."""
    return name.endswith(".json") or os.sep in name or os.path.isfile(name)


def of_file(
    name: str, given: Mapping[str, str], tokens: str | None = None
) -> tuple[dict[str, Any], Transformer] | None:
    """Which of the settings `given` built the model of this name, which no recipe has, and the model; `tokens` are
    names for those of a family. None where nothing has the name, BadInput where what has it is no model."""
    # A family: its sizes, tables and choices are given with it.
    path = path_of(name)
    if tokens is not None and path is None:
        raise BadInput("--tokens must stand with a family, whose tokens it names", name, "leave it out")
    if path is not None:
        family = read(path, given)
        model, arguments = model_of(family, given, tokens)
        for key in given.keys() - arguments.keys() - {*(model.embedding.inputs or ())}:
            raise unknown("setting", key, [*family.sizes, *family.tables, *family.choices])
        return arguments, model
    if name.startswith(SHIPPED) and not is_path(name):
        raise no_family(name)
    # A model file, which takes no settings.
    if is_path(name):
        from symcook.model.modelfile import load

        return {}, load(name)
    # The name of something that is no model: a program to compile, or a function.
    if is_shipped(name):
        shipped_program(name)
        must = "the name must be that of a recipe or a model file"
        do = f"make one: symcook compile {name.rpartition('.')[2]} {name} -o FILE.json"
        raise BadInput(must, f"{name}, a program", do)
    if operation(name) is not None:
        must = "the name must be that of a recipe or a model file"
        raise BadInput(must, f"{name}, a function of the library", f"see symcook explain {name}")
    return None
