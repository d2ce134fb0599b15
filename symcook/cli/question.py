"""The command of a question, made from its declaration, with an option for each argument; and how answers are printed.

A question is, for example, the decision margin of a model by length.
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

from symcook.cli.options import (
    DIGITS,
    LENGTH,
    SAMPLE,
    SEED,
    Chosen,
    Command,
    Force,
    Name,
    OneOf,
    Seconds,
    Settings,
    Whole,
    check_draw,
    choose,
    command,
    given,
    need_values,
    option,
)
from symcook.cli.output import Progress, say_or_json, within
from symcook.declaration import DeclaredArgument, Question
from symcook.errors import BadInput
from symcook.questions import QUESTIONS

RANGES = {"digits": DIGITS, "max_length": LENGTH, "min_length": Whole("the smallest length", 0, 1_000_000)}
RANGES |= {"sample": SAMPLE, "seed": SEED}
"""{argument with integer values: their range}; for all others it is `LENGTH`."""


def kind_of(argument: DeclaredArgument, words: str = "") -> Any:
    """The type of an argument, annotated with its option on the command line; `words` replaces the help of the
    argument.

    If the option is not given, the value is None, for a flag False, for a repeated option ().
    """
    # An argument without a placeholder is a flag; "A|B" is a choice; the annotation says which are integers or
    # repeated.
    metavar, read = argument.metavar, None
    kind = Sequence[str] if argument.metavar else bool
    if metavar and "|" in metavar:
        metavar, read = None, OneOf(argument.option[2:], metavar.split("|"))
    elif metavar and argument.kind.partition(" ")[0] == "int" and "str" not in argument.kind:
        read = RANGES.get(argument.name, LENGTH)
    if argument.metavar and ("Sequence[str]" in argument.kind or argument.name == "values"):
        kind = tuple[str, ...]
    return Annotated[kind, option(words or argument.help, metavar, read, *argument.option.split("/"))]


def command_of(name: str) -> Command:
    """The command of the question `name`, for models that read strings."""
    question = QUESTIONS[name]

    def asked(
        name: str,
        settings: tuple[str, ...],
        place: str | None,
        force: bool,
        as_json: bool,
        seconds: int = 600,
        **options: Any,
    ) -> int:
        """Check the options, and answer the question; return the exit code."""
        chosen = choose(name, settings)
        if not chosen.model.alphabet:
            raise BadInput("the model must read strings", f"{name}, which reads numbers", "choose another model")
        options = {key: value for key, value in options.items() if value not in (None, ())}
        check_draw(options)
        # For an option that is left out, click has None: required options are checked here. A position may be a number.
        for argument in own_arguments:
            if argument.required and argument.name not in options:
                raise BadInput(
                    f"{_name_in_message(argument)} must be given", "none", f"give {_example(question, argument)}"
                )
            if argument.kind == "int | str | None" and options.get(argument.name, "").isdecimal():
                options[argument.name] = int(options[argument.name])
        need_values(chosen)
        defaults = {argument.name: argument.default for argument in own_arguments if not argument.required}
        return ask(chosen, question, place, force, seconds, as_json, **(defaults | options))

    # The options of this question; the model and its values come from NAME and --set.
    own_arguments = [argument for argument in question.arguments if argument.name not in ("model", "values")]
    asked.__doc__ = question.words
    kinds = {"name": Name} | {argument.name: kind_of(argument) for argument in own_arguments}
    kinds |= {"settings": Settings, "place": kind_of(question.file), "force": Force, "seconds": Seconds}
    return command(question.name, question.example)(given(asked, **kinds))


def _name_in_message(argument: DeclaredArgument) -> str:
    """The name of an argument in a message, such as "a greatest length": its description up to a comma or semicolon."""
    words = argument.words.removesuffix(".").partition(",")[0].partition(";")[0]
    return words[0].lower() + words[1:]


def _example(question: Question, argument: DeclaredArgument) -> str:
    """The option of an argument with its value, from the example of the question."""
    parts = shlex.split(question.example)
    return shlex.join(parts[parts.index(argument.option) :][:2])


def ask(
    chosen: Chosen, question: Question, place: str | None, force: bool, seconds: int, as_json: bool, **given: object
) -> int:
    """Answer the question, print the answer and write its files; return the exit code.

    `given` are the arguments of the question.
    """
    from symcook.files import vacant
    from symcook.report.figure import MISSING, plot_targets

    file = question.file
    plotted = file.option == "--plot"  # several files for one PLACE, whose names are in the JSON document
    if force and place is None:
        raise BadInput(
            f"--force must come with {file.option.partition('/')[0]} {file.metavar}", "none", "leave --force out"
        )
    targets = [] if place is None else plot_targets(place, force) if plotted else [Path(place)]
    for target in () if plotted else targets:
        vacant(target, force)
    title = f"{question.name} of {chosen.name}"
    longest = given["max_length"]
    failure = f"no {title}{'' if longest is None else f' up to length {longest}'} was found"
    with within(seconds, failure, "give a smaller --max-length"):
        try:
            with Progress(title) as progress:
                answer = question.load()(chosen.model, values=chosen.values, progress=progress, **given)
        except BaseException as error:  # out of time, or Ctrl-C: `error.found` has the lengths that are finished
            if (partial := getattr(error, "found", None)) is not None:
                say_or_json(as_json, partial.to_json, partial.text)
            raise
    names = [str(target) for target in answer.write(targets, force)] if targets else []
    wrote_text = f"\nwrote {', '.join(names)}" if names else ""
    pictures = {"files": names} if plotted and names else {}
    say_or_json(as_json, lambda: answer.to_json() | pictures, lambda: answer.text() + wrote_text)
    if plotted and len(names) == 1:
        print(MISSING, file=sys.stderr)
    return 1 if answer.holds is False else 0
