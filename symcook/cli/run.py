"""``symcook run``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from symcook.cli.options import (
    DIGITS,
    Chosen,
    Whole,
    choose,
    domain_option,
    exact_or_balls,
    input_options,
    name_argument,
    need_input,
    need_values,
    read_input,
    settings_option,
)
from symcook.cli.options import command as declare
from symcook.cli.output import line_width, print_json, say
from symcook.errors import EMPTY_WORD, BadInput, Undecided

BITS = Whole("the number of bits", 1, 1_000_000)


@declare("run", "symcook run dyck-1 --input '(())'")
@name_argument
@input_options
@settings_option
@domain_option
@click.option("--digits", type=DIGITS, default=30, metavar="D", help="Decimal digits of ball and mpmath (30).")
@click.option("--bits", type=BITS, metavar="P", help="With mpmath: round every operation to P bits.")
@click.option("--trace", is_flag=True, help="Show the residual stream after each part of a layer.")
@click.option("--svg", "picture", metavar="FILE", help="Draw the trace: the stream, and where each head looks.")
@click.option("--dark", is_flag=True, help="With --svg: for dark pages.")
@click.option("--force", is_flag=True, help="With --svg: replace an existing file.")
def command(
    name: str,
    word: str | None,
    tokens: str | None,
    rows: str | None,
    settings: tuple[str, ...],
    domain: str | None,
    digits: int,
    bits: int | None,
    trace: bool,
    picture: str | None,
    dark: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Run a model on one input.

    Without --domain the values are exact; where there are no exact ones they are balls, and the answer says so.
    """
    from symcook.report.figure import write_files
    from symcook.report.picture import target
    from symcook.report.run import text
    from symcook.run import run

    if picture is None and (dark or force):
        raise BadInput("--dark and --force must go with --svg", "no --svg", "give --svg FILE")
    chosen = choose(name, settings)
    file = None if picture is None else target(picture, force)
    given = need_input(chosen, read_input(chosen, word, tokens, rows), "run")
    need_values(chosen)
    options: dict[str, Any] = {"values": chosen.values, "digits": digits, "bits": bits}
    options["trace"] = trace or file is not None
    answer, why = exact_or_balls(domain, lambda numbers: run(chosen.model, given, numbers, **options))
    within = in_region(chosen, answer)
    if file is not None:
        write_files({file: answer.svg(dark).encode()}, force)
        if not trace:
            answer = replace(answer, result=replace(answer.result, steps=()))
    if as_json:
        more = ({} if within is None else {"in_region": within}) | ({} if file is None else {"svg": str(file)})
        print_json(answer.to_json() | more)
    else:
        say(text(answer, line_width()))
        if why:
            say(f"  {why}")
        if within is False:
            say(f"  outside the region where it is {exact_where(chosen)}")
        if file is not None:
            say(f"wrote {file}")
    if answer.undecided:
        given = answer.given or EMPTY_WORD
        numbers = answer.result.domain.name
        raise Undecided(f"the verdict on {given} stayed open in {numbers} numbers; try --domain exact.")


def in_region(chosen: Chosen, answer: Any) -> bool | None:
    """Whether rows of numbers lie where a recipe is exact; None for words, models of the user's own and irrationals."""
    if chosen.info is None or chosen.model.embedding.inputs is None:
        return None
    from symcook.recipes import inside

    try:
        return inside(chosen.name, chosen.arguments, answer.result.sequence, chosen.model.values(chosen.values))
    except BadInput:  # what is not rational
        return None


def exact_where(chosen: Chosen) -> str:
    from symcook.recipes import region

    sure = "exact" if chosen.info.largest else "known to be exact"
    return f"{sure}: {region(chosen.name, **chosen.arguments)}"
