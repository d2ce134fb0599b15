"""``symcook bound``: an option for each argument in the table of kinds."""

from __future__ import annotations

from typing import Any

import click

from symcook import bounds
from symcook.cli.options import DIGITS, OneOf
from symcook.cli.options import command as declare
from symcook.cli.output import print_json, say
from symcook.errors import BadInput, Undecided

_ARGUMENTS = {
    argument.name: argument for kind in bounds.KINDS.values() for argument in kind.arguments if argument.name != "model"
}


def _options(function: Any) -> Any:
    for argument in reversed(_ARGUMENTS.values()):
        kind: dict[str, Any] = {"is_flag": True} if argument.metavar is None else {"metavar": argument.metavar}
        option = f"--{argument.name.replace('_', '-')}"
        function = click.option(option, argument.name, help=argument.help, **kind)(function)
    return function


def _said(name: str) -> str:
    return "the name of a model" if name == "model" else f"--{name.replace('_', '-')}"


@declare("bound", "symcook bound softmax-hardmax --n 64 --gamma 'log(8*64)'")
@click.argument("kind", type=OneOf("kind of bound", list(bounds.KINDS)))
@click.argument("model", required=False, metavar="[NAME]")
@_options
@click.option("--digits", type=DIGITS, default=30, metavar="D", help="Decimal digits of both balls (30).")
def command(kind: str, digits: int, as_json: bool, **options: Any) -> int:
    chosen = bounds.kind(kind)
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    names = [argument.name for argument in chosen.arguments]
    for argument in chosen.arguments:
        if argument.required and argument.name not in given:
            raise BadInput(f"symcook bound {kind} must have {_said(argument.name)}", "none", "see symcook bound --help")
    for name in given:
        if name not in names:
            has = ", ".join(map(_said, names))
            raise BadInput(f"{kind} takes {has} and nothing else", f"{_said(name)} {given[name]}", "leave it out")
    answer = chosen.load()(**given, digits=digits)
    if as_json:
        print_json(answer.to_json())
    else:
        say(answer.text())
    if answer.holds is None:
        raise Undecided(f"whether the bound holds stayed open at {digits} digits; give more --digits.")
    return 0 if answer.holds else 1


command.help = "\n\n".join(
    [
        "Enclose the paper's bound and the sharp value. Exit 1 where the bound does not hold.",
        *(f"{kind.name}: {kind.summary}." for kind in bounds.KINDS.values()),
    ]
)
