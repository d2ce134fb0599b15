"""``symcook tolerance``."""

from __future__ import annotations

import click

from symcook.cli.options import DIGITS, name_argument
from symcook.cli.options import command as declare
from symcook.cli.question import ask, chosen_model, min_length_option, question_options
from symcook.errors import BadInput


@declare("tolerance", "symcook tolerance dyck-1-nonuniform --set N=8 --free 'L2.ff.b1[1]' --max-length 6")
@name_argument
@click.option(
    "--free", "weights", multiple=True, metavar="WEIGHT",
    help="The weight that moves, such as L1.head1.V[ones,one], L2.ff.W1[3,total] or readout[s]. Given several times, "
    "they move together, those behind a minus sign the other way.",
)  # fmt: skip
@question_options
@min_length_option
@click.option("--digits", type=DIGITS, default=6, metavar="D", help="Decimals of ends that are not exact (6).")
def command(
    name: str,
    weights: tuple[str, ...],
    max_length: int | None,
    min_length: int,
    settings: tuple[str, ...],
    place: str | None,
    force: bool,
    digits: int,
    seconds: int,
    as_json: bool,
) -> int:
    """Interval of one weight in which every word of each length keeps its answer, with the words that end it.

    The ends are exact where answers are rational functions of the weight; else they are enclosed.
    """
    from symcook.questions.tolerance import tolerance

    chosen = chosen_model(name, settings, max_length, 6)
    if not weights:
        raise BadInput("the weight that moves must be given", "none", "give for example --free 'L1.head1.V[1,1]'")
    options = {"weights": list(weights), "max_length": max_length, "min_length": min_length, "digits": digits}
    return ask(chosen, tolerance, place, force, seconds, as_json, **options)
