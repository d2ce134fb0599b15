"""``symcook bound``: an option for each argument in the table of kinds."""

from __future__ import annotations

import sys
from functools import partial
from typing import Any

import click

from symcook import bounds
from symcook.cli.options import DIGITS, OneOf, read_settings
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, Waiting, print_json, say
from symcook.cli.question import decorated, option, plot_options
from symcook.declaration import Argument, Question
from symcook.errors import BadInput, Undecided, unknown

_ARGUMENTS = {argument.name: argument for kind in bounds.KINDS.values() for argument in kind.arguments}


def _option(argument: Argument) -> Any:
    """The option of an argument, with the kinds that it is for; its default where it is the same for all of these."""
    kinds = {kind.name: one for kind in bounds.KINDS.values() for one in kind.arguments if one.name == argument.name}
    same = len({one.help for one in kinds.values()}) == 1
    return option(argument, f"For {', '.join(kinds)}. {argument.help if same else argument.words}")


def _said(name: str) -> str:
    return "the name of a model" if name == "model" else _ARGUMENTS[name].option


@declare("bound", "symcook bound softmax-hardmax --n 64 --gamma 'log(8*64)'")
@click.argument("kind", type=OneOf("kind of bound", list(bounds.KINDS)), metavar="KIND")
@click.argument("model", required=False, metavar="[NAME]")
@partial(decorated, options=[_option(argument) for name, argument in _ARGUMENTS.items() if name != "model"])
@click.option("--values", "text", metavar="V", help="The same as 'N=4, eps=1/16'.")
@click.option("--digits", type=DIGITS, default=30, metavar="D", help="Decimal digits of both balls (30).")
@click.option(
    "--over",
    metavar="NAME=FROM:TO[:STEPS][:SCALE]",
    help="With --plot: run over this argument, as n=1:1024:21; SCALE is log or linear.",
)
@partial(decorated, options=plot_options)
def command(
    kind: str, digits: int, over: str | None, place: str | None, force: bool, as_json: bool, **options: Any
) -> int:
    chosen = bounds.kind(kind)
    options["values"] = _values(options["values"], options.pop("text"))
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    if (over is None) != (place is None):
        has, needs = ("--over", "--plot") if place is None else ("--plot", "--over")
        raise BadInput(f"{has} must come with {needs}", "none", "write --over n=1:1024 --plot PLACE")
    if force and place is None:
        raise BadInput("--force must come with --plot", "none", "leave it out")
    _check(chosen, given, None if over is None else over.partition("=")[0].strip())
    if over is not None and place is not None:
        return _plot(kind, over, place, given, digits, force, as_json)
    with Waiting(kind):
        answer = chosen.load()(**given, digits=digits)
    if as_json:
        print_json(answer.to_json())
    else:
        say(answer.text())
    return 0 if answer.claimed is None else _code(answer.holds, digits)


def _values(settings: tuple[str, ...], text: str | None) -> dict[str, str] | None:
    """What `--set` and `--values` give, together."""
    from symcook.bounds.models import settings as read

    given = read_settings(settings)
    for name, value in read(text).items():
        if name in given:
            raise BadInput("a setting must be given once", name)
        given[name] = value
    return given or None


def _check(chosen: Question, given: dict[str, Any], ranged: str | None) -> None:
    """BadInput where an argument is missing or is none of the kind; `ranged` is the one that is run over."""
    names = chosen.names
    if ranged and ranged not in names:
        raise unknown(f"argument of {chosen.name}", ranged, names)
    for argument in chosen.arguments:
        if argument.required and argument.name not in (*given, ranged):
            must = f"symcook bound {chosen.name} must have {_said(argument.name)}"
            raise BadInput(must, "none", "see symcook bound --help")
    for name, value in given.items():
        if name not in names:
            has = ", ".join(map(_said, names))
            written = ", ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else value
            shown = _said(name) if value is True else f"{_said(name)} {written}"
            raise BadInput(f"{chosen.name} takes {has} and nothing else", shown, "leave it out")


def _plot(kind: str, over: str, place: str, given: dict[str, Any], digits: int, force: bool, as_json: bool) -> int:
    from symcook.report.figure import MISSING
    from symcook.report.plots import plot_bound

    with Progress(f"{kind} over {over}") as progress:
        found, files = plot_bound(kind, over, place, digits=digits, force=force, progress=progress, **given)
    names = [str(file) for file in files]
    if as_json:
        print_json(found.to_json() | {"files": names})
    else:
        say(found.text())
        say(f"wrote {', '.join(names)}")
    if len(files) == 1:
        print(MISSING, file=sys.stderr)
    return _code(found.holds, digits)


def _code(holds: bool | None, digits: int) -> int:
    if holds is None:
        raise Undecided(f"whether the bound holds stayed open at {digits} digits; give more --digits.")
    return 0 if holds else 1


command.help = "\n\n".join(
    [
        "Enclose the paper's bound and the sharp value. Exit 1 where the bound does not hold.",
        "With --over and --plot: at many values of one argument, as a table of balls and a picture of both curves.",
        *(f"{kind.usage}: {kind.summary[0].lower()}{kind.summary[1:]}" for kind in bounds.KINDS.values()),
    ]
)
