"""``symcook bound``: a paper's bound and the tight value, for given arguments or over a range of one argument.

Its options are generated from the declarations in `symcook.bounds.KINDS`.
"""

from __future__ import annotations

import sys
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

from symcook import bounds
from symcook.cli.options import DIGITS, Force, OneOf, argument, given, option, read_settings
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, say_or_json
from symcook.cli.question import kind_of
from symcook.declaration import DeclaredArgument, Question
from symcook.errors import BadInput, Undecided, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

_ARGUMENTS = {argument.name: argument for kind in bounds.KINDS.values() for argument in kind.arguments}
"""One declaration for each name of an argument, that of the last kind that has it; arguments of several kinds with the
same name share an option."""


def _annotated(argument: DeclaredArgument) -> Any:
    """The type of an argument, annotated with its option. The help names kinds of bounds if its meaning depends on the
    kind."""
    kinds = {
        kind.name: declared
        for kind in bounds.KINDS.values()
        for declared in kind.arguments
        if declared.name == argument.name
    }
    alike = [list(group) for _, group in groupby(kinds, lambda kind: kinds[kind].words)]
    if len(alike) == 1:
        agree = len({declared.help for declared in kinds.values()}) == 1
        return kind_of(argument, argument.help if agree else argument.words)
    texts = []
    for group in alike:
        words = kinds[group[0]].help
        texts.append(f"With {' or '.join(group)}: {words[0].lower()}{words[1:]}")
    return kind_of(argument, " ".join(texts))


def _option(name: str) -> str:
    """The name of an argument in a message: its option; the model has no option."""
    return "the name of a model" if name == "model" else _ARGUMENTS[name].option


_Kind = Annotated[str, argument(type=OneOf("kind of bound", list(bounds.KINDS)), metavar="KIND")]
_Model = Annotated[str | None, argument(required=False, metavar="[NAME]")]
_Text = Annotated[str | None, option("Set several arguments at once: 'N=4, eps=1/16'.", "V", None, "--values")]
_Digits = Annotated[int, option("Decimal digits of both rigorous intervals.", "D", DIGITS)]
_RANGE = "RANGE"
_Over = Annotated[
    str | None,
    option("A table with several values of one argument: NAME=FROM:TO[:STEPS][:log|:linear], as n=1:1024:21.", _RANGE),
]
_Plot = kind_of(bounds.kind("softmax").file)


@declare("bound", "symcook bound softmax-hardmax --n 64 --gamma 'log(8*64)'")
@partial(given, kind=_Kind, model=_Model)
@partial(given, **{name: _annotated(declared) for name, declared in _ARGUMENTS.items() if name != "model"})
@partial(given, text=_Text, digits=_Digits, over=_Over, place=_Plot, force=Force)
def bound(
    kind: str, over: str | None, place: str | None, force: bool, as_json: bool, digits: int = 30, **options: Any
) -> int:
    """Check the options, and print the bound or write its plot; return the exit code. The help is set below."""
    chosen = bounds.kind(kind)
    options["values"] = _values(options["values"], options.pop("text"))
    arguments = {name: value for name, value in options.items() if value is not None and value is not False}
    if "seed" in arguments and "sample" not in arguments:
        raise BadInput("--seed must come with --sample", f"--seed {arguments['seed']} alone", "give --sample too")
    if place is not None and over is None:
        raise BadInput("--plot must come with --over", "none", "write --over n=1:1024 --plot PLACE")
    if force and place is None:
        raise BadInput("--force must come with --plot", "none", "leave --force out")
    _check_arguments(chosen, arguments, None if over is None else over.partition("=")[0].strip())
    if over is not None and place is not None:
        return _plot(kind, over, place, arguments, digits, force, as_json)
    if over is not None:
        return _table(kind, over, arguments, digits, as_json)
    from symcook.numbers.balls import Ball

    with Progress(kind):
        answer: Any = bounds.bound(kind, **arguments, digits=digits)
    say_or_json(as_json, answer.to_json, answer.text)
    # Formulas have a status in the ledger, which no number of digits changes.
    formulas = not isinstance(answer.value, Ball)
    return 0 if formulas or answer.claimed is None else _exit_code(answer.holds, digits)


def _values(settings: tuple[str, ...], text: str | None) -> dict[str, str] | None:
    """The settings of `--set` and `--values` together; None if there are none."""
    from symcook.bounds.arguments import settings as read

    merged = read_settings(settings)
    for name, value in read(text).items():
        if name in merged:
            raise BadInput("a parameter must be set only once", name, "leave one of the two out")
        merged[name] = value
    return merged or None


def _check_arguments(chosen: Question, arguments: Mapping[str, object], ranged: str | None) -> None:
    """Raise BadInput if an argument is missing, or if this kind of bound does not have it.

    `ranged` is the argument that --over runs over: it needs no value.
    """
    names = chosen.names
    if ranged and ranged not in names:
        raise unknown(f"argument of {chosen.name}", ranged, names)
    missing = [
        declared.name
        for declared in chosen.arguments
        if declared.required and declared.name not in (*arguments, ranged)
    ]
    # An option that only other kinds of bounds have: the message lists the options of this kind.
    valid_arguments = {name: value for name, value in arguments.items() if name in names}
    example = _example(chosen, valid_arguments, missing)
    for name, value in arguments.items():
        if name not in names:
            valid_options = ", ".join(map(_option, names))
            written = ", ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else value
            with_value = written if name == "model" else f"{_option(name)} {written}"
            do = "leave this option out" + f": {example}" * bool(missing)
            must = f"symcook bound {chosen.name} must have only the options {valid_options}"
            raise BadInput(must, _option(name) if value is True and name != "model" else with_value, do)
    if missing:
        must = f"symcook bound {chosen.name} must have {' and '.join(map(_option, missing))}"
        options = " ".join(f"{_option(name)} {value}" for name, value in arguments.items())
        nothing_given = "neither" if len(missing) == 2 else "none"
        raise BadInput(must, options or nothing_given, f"for example: {example}")


SAMPLES = {
    "n": "64", "gamma": "5", "scores": "'3, 1/2, 0'", "variant": "i/n", "model": "dyck-1", "d": "4", "epsilon": "1/100",
}  # fmt: skip
"""An example value for each argument that some kind of bound requires."""


def _example(chosen: Question, arguments: Mapping[str, object], missing: list[str]) -> str:
    """An example of the command: with the valid options that were given, and example values for missing ones."""
    values = {name: f"'{value}'" if set(str(value)) & set(" ()*'") else str(value) for name, value in arguments.items()}
    values |= {name: SAMPLES[name] for name in missing}
    return f"symcook bound {chosen.name} " + " ".join(f"{_option(k)} {v}" for k, v in values.items())


def _table(kind: str, over: str, arguments: dict[str, object], digits: int, as_json: bool) -> int:
    """Print the bounds over one argument as a table; return the exit code."""
    from symcook.bounds.sweeps import sweep

    with Progress(f"{kind} over {over}") as progress:
        swept = sweep(kind, over, digits=digits, progress=progress, **arguments)
    say_or_json(as_json, swept.to_json, swept.text)
    return _exit_code(swept.holds, digits) if swept.claims() else 0


def _plot(
    kind: str, over: str, place: str, arguments: dict[str, object], digits: int, force: bool, as_json: bool
) -> int:
    """Write the CSV file and the pictures of a bound over one argument; return the exit code."""
    from symcook.report.figure import MISSING
    from symcook.report.plots import plot_bound

    with Progress(f"{kind} over {over}") as progress:
        figure, files = plot_bound(kind, over, place, digits=digits, force=force, progress=progress, **arguments)
    names = [str(file) for file in files]
    say_or_json(
        as_json, lambda: figure.to_json() | {"files": names}, lambda: f"{figure.summary()}\nwrote {', '.join(names)}"
    )
    if len(files) == 1:
        print(MISSING, file=sys.stderr)
    return _exit_code(figure.holds, digits) if figure.claims() else 0


def _exit_code(holds: bool | None, digits: int) -> int:
    """The exit code: 0 if the bound holds, 1 if it does not. Raises Undecided if this is not known."""
    if holds is None:
        raise Undecided(f"whether the bound holds was undecided at {digits} digits; give more --digits.")
    return 0 if holds else 1


bound.help = "\n\n".join(
    [
        "Enclose a paper's bound and the tight value in rigorous intervals. Exit code 1: the bound does not hold. "
        "`symcook explain bound` shows which options each KIND has.",
        "With --over the bound is computed at many values of one argument, as a table; with --plot also as a picture "
        "of both curves.",
        *(f"{kind.usage}: {kind.summary[0].lower()}{kind.summary[1:]}" for kind in bounds.KINDS.values()),
    ]
)
