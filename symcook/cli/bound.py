"""``symcook bound``: an option for each argument in the table of kinds."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from symcook import bounds
from symcook.cli.options import DIGITS, Force, OneOf, argument, given, option, read_settings
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, Waiting, say_or_json
from symcook.cli.question import kind_of
from symcook.declaration import DeclaredArgument, Question
from symcook.errors import BadInput, Undecided, unknown

if TYPE_CHECKING:
    from collections.abc import Mapping

_ARGUMENTS = {argument.name: argument for kind in bounds.KINDS.values() for argument in kind.arguments}


def _kind(argument: DeclaredArgument) -> Any:
    """The type of an argument, with the kinds that it is for; its default where it is the same for all of these."""
    kinds = {
        kind.name: declared
        for kind in bounds.KINDS.values()
        for declared in kind.arguments
        if declared.name == argument.name
    }
    agree = len({declared.help for declared in kinds.values()}) == 1
    return kind_of(argument, f"For {', '.join(kinds)}. {argument.help if agree else argument.words}")


def _said(name: str) -> str:
    return "the name of a model" if name == "model" else _ARGUMENTS[name].option


_Kind = Annotated[str, argument(type=OneOf("kind of bound", list(bounds.KINDS)), metavar="KIND")]
_Model = Annotated[str | None, argument(required=False, metavar="[NAME]")]
_Text = Annotated[str | None, option("The same as 'N=4, eps=1/16'.", "V", None, "--values")]
_Digits = Annotated[int, option("Decimal digits of both rigorous intervals.", "D", DIGITS)]
_RANGE = "NAME=FROM:TO[:STEPS][:SCALE]"
_Over = Annotated[
    str | None, option("With --plot: run over this argument, as n=1:1024:21; SCALE is log or linear.", _RANGE)
]
_Plot = kind_of(bounds.kind("softmax").file)


@declare("bound", "symcook bound softmax-hardmax --n 64 --gamma 'log(8*64)'")
@partial(given, kind=_Kind, model=_Model)
@partial(given, **{name: _kind(one) for name, one in _ARGUMENTS.items() if name != "model"})
@partial(given, text=_Text, digits=_Digits, over=_Over, place=_Plot, force=Force)
def bound(
    kind: str, over: str | None, place: str | None, force: bool, as_json: bool, digits: int = 30, **options: Any
) -> int:
    chosen = bounds.kind(kind)
    options["values"] = _values(options["values"], options.pop("text"))
    said = {name: value for name, value in options.items() if value is not None and value is not False}
    if (over is None) != (place is None):
        has, needs = ("--over", "--plot") if place is None else ("--plot", "--over")
        raise BadInput(f"{has} must come with {needs}", "none", "write --over n=1:1024 --plot PLACE")
    if force and place is None:
        raise BadInput("--force must come with --plot", "none", "leave it out")
    _check(chosen, said, None if over is None else over.partition("=")[0].strip())
    if over is not None and place is not None:
        return _plot(kind, over, place, said, digits, force, as_json)
    with Waiting(kind):
        answer = chosen.load()(**said, digits=digits)
    say_or_json(as_json, answer.to_json, answer.text)
    return 0 if answer.claimed is None else _code(answer.holds, digits)


def _values(settings: tuple[str, ...], text: str | None) -> dict[str, str] | None:
    """What `--set` and `--values` give, together."""
    from symcook.bounds.arguments import settings as read

    merged = read_settings(settings)
    for name, value in read(text).items():
        if name in merged:
            raise BadInput("a setting must be given once", name)
        merged[name] = value
    return merged or None


def _check(chosen: Question, said: Mapping[str, object], ranged: str | None) -> None:
    """BadInput where an argument is missing or is none of the kind; `ranged` is the one that is run over."""
    names = chosen.names
    if ranged and ranged not in names:
        raise unknown(f"argument of {chosen.name}", ranged, names)
    missing = [
        declared.name for declared in chosen.arguments if declared.required and declared.name not in (*said, ranged)
    ]
    fits = {name: value for name, value in said.items() if name in names}
    example = _example(chosen, fits, missing)
    for name, value in said.items():
        if name not in names:
            has = ", ".join(map(_said, names))
            written = ", ".join(f"{k}={v}" for k, v in value.items()) if isinstance(value, dict) else value
            option = written if name == "model" else _said(name) if value is True else f"{_said(name)} {written}"
            do = "leave it out" + f": {example}" * bool(missing)
            raise BadInput(f"symcook bound {chosen.name} must have only the options {has}", option, do)
    if missing:
        must = f"symcook bound {chosen.name} must have {' and '.join(map(_said, missing))}"
        options = " ".join(f"{_said(name)} {value}" for name, value in said.items()) or "neither" * (len(missing) == 2)
        raise BadInput(must, options or "none", f"for example: {example}")


SAMPLES = {
    "n": "64", "gamma": "5", "scores": "'3, 1/2, 0'", "variant": "i/n", "model": "dyck-1", "d": "4", "epsilon": "1/100",
}  # fmt: skip
"""A value of each argument that some kind of bound requires."""


def _example(chosen: Question, said: Mapping[str, object], missing: list[str]) -> str:
    """The command with what was given, and with values for what is missing."""
    values = {name: f"'{value}'" if set(str(value)) & set(" ()*'") else str(value) for name, value in said.items()}
    values |= {name: SAMPLES[name] for name in missing}
    return f"symcook bound {chosen.name} " + " ".join(f"{_said(k)} {v}" for k, v in values.items())


def _plot(kind: str, over: str, place: str, said: dict[str, object], digits: int, force: bool, as_json: bool) -> int:
    from symcook.report.figure import MISSING
    from symcook.report.plots import plot_bound

    with Progress(f"{kind} over {over}") as progress:
        figure, files = plot_bound(kind, over, place, digits=digits, force=force, progress=progress, **said)
    names = [str(file) for file in files]
    say_or_json(
        as_json, lambda: figure.to_json() | {"files": names}, lambda: f"{figure.text()}\nwrote {', '.join(names)}"
    )
    if len(files) == 1:
        print(MISSING, file=sys.stderr)
    return _code(figure.holds, digits) if figure.claims() else 0


def _code(holds: bool | None, digits: int) -> int:
    if holds is None:
        raise Undecided(f"whether the bound holds was undecided at {digits} digits; give more --digits.")
    return 0 if holds else 1


bound.help = "\n\n".join(
    [
        "Enclose the paper's bound and the tight value. Exit 1 where the bound does not hold.",
        "With --over and --plot: at many values of one argument, as a table of rigorous intervals and a picture "
        "of both curves.",
        *(f"{kind.usage}: {kind.summary[0].lower()}{kind.summary[1:]}" for kind in bounds.KINDS.values()),
    ]
)
