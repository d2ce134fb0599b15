"""``symcook margin``."""

from __future__ import annotations

import click

from symcook.cli.options import DIGITS, name_argument
from symcook.cli.options import command as declare
from symcook.cli.question import ask, chosen_model, question_options


@declare("margin", "symcook margin parity --max-length 20 --plot margin")
@name_argument
@question_options
@click.option("--digits", type=DIGITS, default=10, metavar="D", help="Relative digits of what is not rational (10).")
def command(
    name: str,
    max_length: int | None,
    settings: tuple[str, ...],
    place: str | None,
    force: bool,
    digits: int,
    seconds: int,
    as_json: bool,
) -> int:
    """Least distance of a decision from its threshold over all words of each length, and a word that has it.

    Exact where it is rational, else a ball. Words with the same answer are one, so that lengths of 100 are no matter
    for dyck-1 or parity; of a model that tells all words apart, there are too many from some length on.
    """
    from symcook.questions.margin import margin

    chosen = chosen_model(name, settings, max_length, 20)
    return ask(chosen, margin, place, force, seconds, as_json, max_length=max_length, digits=digits)
