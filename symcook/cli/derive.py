"""``symcook derive``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from symcook.cli.options import (
    Chosen,
    check_latex,
    choose,
    input_hint,
    input_options,
    latex_options,
    name_argument,
    read_input,
    seconds_option,
    settings_option,
)
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, Waiting, print_json, say, within
from symcook.errors import BadInput, Branching, Undecided

if TYPE_CHECKING:
    from symcook.derivation import Derivation


@declare("derive", "symcook derive first-position --input 01")
@name_argument
@input_options
@settings_option
@click.option("--cases", is_flag=True, help="Split where a comparison is open: one closed form for each case.")
@latex_options
@seconds_option(60)
def command(
    name: str,
    word: str | None,
    tokens: str | None,
    rows: str | None,
    settings: tuple[str, ...],
    cases: bool,
    latex: bool,
    document: bool,
    seconds: int,
    as_json: bool,
) -> None:
    """Derive closed forms of the outputs, in every symbol that is not set.

    A feed-forward recipe is derived in its inputs; a model of sequences needs one input. With --cases, and where a
    comparison leaves no one form for all values, the answer is a list of closed forms whose conditions cover all
    values, at most 64. Of parity, first, first-flawed,
    parity-layernorm and first-layernorm there are closed forms for every length, a list as well, each with the id of
    its proof: leave the input out.
    """
    from symcook.recipes import names
    from symcook.recipes.closed import closed_forms, has_closed_forms

    check_latex(latex, document, as_json)
    chosen = choose(name, settings)
    given = read_input(chosen, word, tokens, rows)
    every_length = given is None and not chosen.pointwise
    if every_length and (chosen.info is None or not has_closed_forms(chosen.name)):
        known = ", ".join(name for name in names() if has_closed_forms(name))
        alone = f"there are such for every length of {known} alone"
        must = f"a closed form of {chosen.name} must be for one input ({alone})"
        raise BadInput(must, "none", input_hint(chosen))
    if every_length:
        if latex:
            raise BadInput("a closed form in LaTeX must be for one input", "none", input_hint(chosen))
        answers = closed_forms(chosen.name, chosen.arguments, chosen.values)
    else:
        shorter = "set its symbols" if chosen.pointwise else "give a shorter input"
        with within(seconds, f"no closed form of {chosen.name} was found", shorter):
            answers, cases = _answers(chosen, given, cases)
    if as_json:
        documents = [answer.to_json() for answer in answers]
        print_json(documents if cases or every_length else documents[0])
    elif latex:
        from symcook.report import markup
        from symcook.report.derivation import displays

        say(markup.latex([display for answer in answers for display in displays(answer)], document))
    else:
        say("\n\n".join(answer.text() for answer in answers))


def _answers(chosen: Chosen, given: object, cases: bool) -> tuple[tuple[Derivation, ...], bool]:
    """The closed forms, and whether they are by cases."""
    from symcook.derivation import derive
    from symcook.recipes.closed import has_closed_forms

    try:
        if not cases:
            with Waiting(f"deriving {chosen.name}"):
                return (derive(chosen.model, given, values=chosen.values),), False
    except Branching:
        pass
    except Undecided as error:
        if not has_closed_forms(chosen.name):
            raise
        raise Undecided(f"{error.sentence.rstrip('.')}; leave --input out for the forms at every length.") from None
    return _by_cases(chosen, given), True


def _by_cases(chosen: Chosen, given: object) -> tuple[Derivation, ...]:
    from symcook.derivation import derive_cases

    with Progress(f"cases of {chosen.name}") as progress:
        return derive_cases(
            chosen.model,
            given,
            values=chosen.values,
            progress=lambda found, most: progress(f"{found} (at most {most} are given)"),
        )
