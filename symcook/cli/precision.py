"""``symcook precision``."""

from __future__ import annotations

import click

from symcook.cli.options import LENGTH, OneOf, name_argument
from symcook.cli.options import command as declare
from symcook.cli.question import ask, chosen_model, min_length_option, question_options

FORMATS = ("float16", "bfloat16", "float32", "float64")


@declare("precision", "symcook precision parity --max-length 6 --format float16")
@name_argument
@question_options
@min_length_option
@click.option(
    "--format", "formats", multiple=True, type=OneOf("format", FORMATS), help="A float format (all). Repeatable."
)
@click.option("--beyond", type=LENGTH, metavar="N", help="Go on looking for a word that fails, to this length.")
def command(
    name: str,
    max_length: int | None,
    min_length: int,
    settings: tuple[str, ...],
    place: str | None,
    force: bool,
    formats: tuple[str, ...],
    beyond: int | None,
    seconds: int,
    as_json: bool,
) -> int:
    """Bits that keep every word of each length decided rightly, and how far each float format carries.

    "enough" bits are proved for every word and every order of sums; at "fails" bits a word is seen to be decided
    otherwise. Each format has a guaranteed length, and a word beyond that fails where one is found.
    """
    from symcook.questions.precision import precision

    chosen = chosen_model(name, settings, max_length, 12)
    options = {"max_length": max_length, "min_length": min_length, "formats": formats or FORMATS, "beyond": beyond or 0}
    return ask(chosen, precision, place, force, seconds, as_json, **options)
