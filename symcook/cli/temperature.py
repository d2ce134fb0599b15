"""``symcook temperature``."""

from __future__ import annotations

import click

from symcook.cli.options import DIGITS, name_argument
from symcook.cli.options import command as declare
from symcook.cli.question import ask, chosen_model, min_length_option, question_options


@declare("temperature", "symcook temperature first-flawed --max-length 6")
@name_argument
@question_options
@min_length_option
@click.option("--digits", type=DIGITS, default=10, metavar="D", help="Digits of temperatures (10).")
def command(
    name: str,
    max_length: int | None,
    min_length: int,
    settings: tuple[str, ...],
    place: str | None,
    force: bool,
    digits: int,
    seconds: int,
    as_json: bool,
) -> int:
    """Greatest temperature at which soft attention decides every word of each length as hard attention does.

    The hard model has average-hard attention where NAME has softmax. Beside it stands the paper's gamma/log(8 n), at
    which every retrieved value is within 1/4.
    """
    from symcook.questions.temperature import temperature

    chosen = chosen_model(name, settings, max_length, 6)
    options = {"max_length": max_length, "min_length": min_length, "digits": digits}
    return ask(chosen, temperature, place, force, seconds, as_json, **options)
