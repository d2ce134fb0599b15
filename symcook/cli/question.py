"""What the commands that ask how far a model carries have in common: options, and how an answer is printed and kept."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import click

from symcook.cli.options import LENGTH, Chosen, Whole, choose, need_values, seconds_option, settings_option
from symcook.cli.output import Progress, print_json, say, within
from symcook.errors import BadInput

MIN_LENGTH = Whole("the least length", 0, 1_000_000)


def question_options(function: Any) -> Any:
    """`--max-length`, `--set`, `--plot`, `--force` and `--seconds`."""
    for option in (
        seconds_option(600),
        click.option("--force", is_flag=True, help="Replace existing files."),
        click.option(
            "--plot", "place", metavar="PLACE", help="Write PLACE.csv, and with matplotlib PLACE.svg and PLACE.png."
        ),
        settings_option,
        click.option("--max-length", type=LENGTH, metavar="N", help="The greatest length, in typed symbols."),
    ):
        function = option(function)
    return function


def min_length_option(function: Any) -> Any:
    """`--min-length`."""
    option = click.option(
        "--min-length", type=MIN_LENGTH, default=1, metavar="N", help="The least length (1); 0: the empty word too."
    )
    return option(function)


def chosen_model(name: str, settings: tuple[str, ...], max_length: int | None, example: int) -> Chosen:
    """The model that is asked about; BadInput where it reads no words, or no greatest length is given."""
    chosen = choose(name, settings)
    if not chosen.model.alphabet:
        raise BadInput("the model must read words", f"{name}, which reads numbers", "choose a language model")
    if max_length is None:
        raise BadInput("a greatest length must be given", "none", f"give --max-length {example}")
    need_values(chosen)
    return chosen


def ask(
    chosen: Chosen,
    verb: Callable[..., Any],
    place: str | None,
    force: bool,
    seconds: int,
    as_json: bool,
    **options: Any,
) -> int:
    """Ask, print the answer, and write its files."""
    from symcook.report.figure import MISSING, plot_targets
    from symcook.report.question import write

    if force and place is None:
        raise BadInput("--force must come with --plot", "none", "leave it out")
    targets = plot_targets(place, force) if place is not None else []
    asked = f"{verb.__name__} of {chosen.name}"
    none = f"no {asked} to length {options['max_length']} was found"
    with within(seconds, none, "give a smaller --max-length"), Progress(asked) as progress:
        found = verb(chosen.model, values=chosen.values, progress=progress, **options)
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
