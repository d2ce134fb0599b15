"""The command of a question, made of its declaration: an option for each argument, and how an answer is printed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from typing import Any

import click

from symcook.cli.options import (
    DIGITS,
    LENGTH,
    Chosen,
    Command,
    OneOf,
    Whole,
    choose,
    command,
    name_argument,
    need_values,
    seconds_option,
    settings_option,
)
from symcook.cli.output import Progress, print_json, say, within
from symcook.declaration import Argument, Question
from symcook.errors import BadInput

RANGES = {"digits": DIGITS, "max_length": LENGTH, "min_length": Whole("the least length", 0, 1_000_000)}
"""By argument, the integers that it may be, where its annotation says int; `LENGTH` where none is named."""
plot_options = (
    click.option(
        "--plot", "place", metavar="PLACE", help="Write PLACE.csv, and with matplotlib PLACE.svg and PLACE.png."
    ),
    click.option("--force", is_flag=True, help="Replace existing files."),
)


def option(argument: Argument, help: str = "") -> Any:
    """The option of an argument; what is not given there is None, and False of a flag."""
    how: dict[str, Any] = {"help": help or argument.help, "metavar": argument.metavar}
    if argument.metavar is None:
        how = {"help": how["help"], "is_flag": True}
    elif "|" in argument.metavar:
        how |= {"type": OneOf(argument.option[2:], argument.metavar.split("|")), "metavar": None}
    elif argument.kind == "int":
        how["type"] = RANGES.get(argument.name, LENGTH)
    several = "Sequence[str]" in argument.kind or argument.name == "values"
    return click.option(argument.option, argument.name, multiple=several, **how)


def decorated(function: Any, options: Sequence[Any]) -> Any:
    """The function with options, which stand in the help in this order."""
    for one in reversed(options):
        function = one(function)
    return function


def command_of(question: Question) -> Command:
    """The command that asks a question of a model that reads words."""

    def asked(
        name: str, settings: tuple[str, ...], place: str | None, force: bool, seconds: int, as_json: bool, **given: Any
    ) -> int:
        chosen = choose(name, settings)
        if not chosen.model.alphabet:
            raise BadInput("the model must read words", f"{name}, which reads numbers", "choose a language model")
        given = {one: value for one, value in given.items() if value not in (None, ())}
        for argument in own:
            if argument.required and argument.name not in given:
                raise BadInput(f"{_named(argument)} must be given", "none", f"give {_example(question, argument)}")
            if argument.kind == "int | str | None" and given.get(argument.name, "").isdecimal():
                given[argument.name] = int(given[argument.name])
        need_values(chosen)
        return ask(chosen, question, place, force, seconds, as_json, **given)

    own = [one for one in question.arguments if one.name not in ("model", "values")]
    asked.__doc__ = question.words
    parts = (name_argument, *map(option, own), settings_option, *plot_options, seconds_option(600))
    return command(question.name, question.example)(decorated(asked, parts))


def _named(argument: Argument) -> str:
    """What an argument is, as in "a greatest length": its words up to the first comma."""
    words = argument.words.removesuffix(".").partition(",")[0]
    return words[0].lower() + words[1:]


def _example(question: Question, argument: Argument) -> str:
    """The option as it stands in the example."""
    parts = shlex.split(question.example)
    return shlex.join(parts[parts.index(argument.option) :][:2])


def ask(
    chosen: Chosen, question: Question, place: str | None, force: bool, seconds: int, as_json: bool, **given: object
) -> int:
    """Ask, print the answer, and write its files."""
    from symcook.report.figure import MISSING, plot_targets
    from symcook.report.question import write

    if force and place is None:
        raise BadInput("--force must come with --plot", "none", "leave it out")
    targets = plot_targets(place, force) if place is not None else []
    asked = f"{question.name} of {chosen.name}"
    none = f"no {asked} to length {given['max_length']} was found"
    with within(seconds, none, "give a smaller --max-length"), Progress(asked) as progress:
        found = question.load()(chosen.model, values=chosen.values, progress=progress, **given)
    if targets:
        write(found, targets, force)
    names = [str(target) for target in targets]
    if as_json:
        print_json(found.to_json() | ({"files": names} if names else {}))
    else:
        say(found.text())
        if names:
            say(f"wrote {', '.join(names)}")
    if len(names) == 1:
        print(MISSING, file=sys.stderr)
    return 0
