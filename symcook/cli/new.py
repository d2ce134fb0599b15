"""``symcook new``."""

from __future__ import annotations

from dataclasses import replace

import click

from symcook.cli.options import command as declare
from symcook.cli.options import name_argument, read_settings, settings_option
from symcook.cli.output import print_json, say
from symcook.errors import BadInput


@declare("new", "symcook new family-dyck-k-d --set K=3 --set D=5 -o mine.json")
@name_argument
@settings_option
@click.option("--tokens", metavar="WORDS", help='The tokens in the order of their numbers: "( ) [ ]".')
@click.option("-o", "target", metavar="FILE", required=True, help="The model file to write.")
@click.option("--force", is_flag=True, help="Replace the file.")
def command(
    name: str, settings: tuple[str, ...], tokens: str | None, target: str, force: bool, as_json: bool
) -> None:
    """Write an instance of a family: a model like any other.

    NAME is a family file, or the name of one that ships (symcook list). Each size is given by --set, and each table by
    --set NAME=FILE.json, or by its entries row by row. The model remembers in its source of what family it is, so that
    prove finds the family's theorem.
    """
    from symcook.cli.families import instance_of, model_of, path_of, read, said
    from symcook.model.modelfile import save

    path, given = path_of(name), read_settings(settings)
    if path is None:
        raise BadInput("the name must be that of a family or a family file", name, "symcook list shows those that ship")
    family = read(path, given)
    values = instance_of(family, given).values
    model, _ = model_of(family, given, tokens)
    source = f"{family.source}; {said(family, values)}".lstrip("; ")
    file = save(replace(model, source=source), target, force=force)
    if as_json:
        print_json({"file": str(file), "family": family.name, "values": values, "width": len(model.space)})
    else:
        say(f"wrote {file}: {family.name} at {values or 'its only size'}, {len(model.space)} coordinates, "
            f"{len(model.layers)} layers")  # fmt: skip
