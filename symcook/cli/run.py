"""``symcook run``."""

from __future__ import annotations

from typing import Any

import click

from symcook.cli.options import (
    DIGITS,
    DOMAINS,
    Chosen,
    OneOf,
    Whole,
    choose,
    input_options,
    name_argument,
    need_input,
    need_values,
    read_input,
    settings_option,
)
from symcook.cli.options import command as declare
from symcook.cli.output import EMPTY_WORD, columns, line_width, print_json, say, stream_table, value_text
from symcook.errors import BadInput, Undecided

BITS = Whole("the number of bits", 1, 1_000_000)


@declare("run", "symcook run dyck-1 --input '(())'")
@name_argument
@input_options
@settings_option
@click.option("--domain", type=OneOf("domain", DOMAINS), default="exact", help="The numbers (exact).")
@click.option("--digits", type=DIGITS, default=30, metavar="D", help="Decimal digits of ball and mpmath (30).")
@click.option("--bits", type=BITS, metavar="P", help="With mpmath: round every operation to P bits.")
@click.option("--trace", is_flag=True, help="Show the residual stream after each part of a layer.")
def command(
    name: str,
    word: str | None,
    tokens: str | None,
    rows: str | None,
    settings: tuple[str, ...],
    domain: str,
    digits: int,
    bits: int | None,
    trace: bool,
    as_json: bool,
) -> None:
    """Run a model on one input."""
    from symcook.run import run

    chosen = choose(name, settings)
    given = need_input(chosen, read_input(chosen, word, tokens, rows), "run")
    need_values(chosen)
    answer = run(chosen.model, given, domain, values=chosen.values, digits=digits, bits=bits, trace=trace)
    within = in_region(chosen, answer)
    if as_json:
        print_json(answer.to_json() | ({} if within is None else {"in_region": within}))
    else:
        say(run_text(answer))
        if within is False:
            say(f"  outside the region where it is {exact_where(chosen)}")
    if answer.undecided:
        given = answer.given or EMPTY_WORD
        raise Undecided(f"the verdict on {given} stayed open in {domain} numbers; try --domain exact.")


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


def run_text(answer: Any) -> str:
    """A run in words: the verdict, and the values where the readout looks."""
    document = answer.to_json()
    verdict = ""
    if "accept" in document:
        verdict = ": " + {True: "accept", False: "reject", None: "undecided"}[document["accept"]]
    lines = [f"{document['recipe']} on {document['input'] or EMPTY_WORD}{verdict}"]
    if document["output"]:
        lines.append(columns([(key, value_text(value)) for key, value in document["output"].items()], "  "))
    if "outputs" in document:
        lines.append("  by position: " + ", ".join(map(value_text, document["outputs"])))
    if document.get("reliable") is False:
        lines.append(
            f"  the margin lies below the rounding bound of {numbers(answer)}: the exact answer may be another"
        )
    if "trace" in document:
        start = answer.result.model.embedding.start
        for step in document["trace"]:
            where = f"layer {step['layer']}, {step['part']}" if step["layer"] else f"the {step['part']}"
            shown = {name: list(map(value_text, column)) for name, column in step["coordinates"].items()}
            lines += ["", f"after {where}"]
            lines.append(stream_table(shown, start, line_width()))
    return "\n".join(lines)


def numbers(answer: Any) -> str:
    """The numbers of a run in words."""
    domain = answer.result.domain
    return f"{domain.bits} bits" if domain.name == "mpmath" else domain.name
