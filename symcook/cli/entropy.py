"""``symcook entropy``."""

from __future__ import annotations

import click

from symcook.cli.options import DIGITS, name_argument
from symcook.cli.options import command as declare
from symcook.cli.question import ask, chosen_model, min_length_option, question_options
from symcook.errors import BadInput


@declare("entropy", "symcook entropy parity --max-length 8 --plot entropy")
@name_argument
@click.option("--head", metavar="HEAD", help="One head, such as L2.head1; without it all.")
@click.option("--position", metavar="I", help="The position that attends, or each; without it the readout's.")
@question_options
@min_length_option
@click.option("--digits", type=DIGITS, default=10, metavar="D", help="Digits behind the point (10).")
def command(
    name: str,
    head: str | None,
    position: str | None,
    max_length: int | None,
    min_length: int,
    settings: tuple[str, ...],
    place: str | None,
    force: bool,
    digits: int,
    seconds: int,
    as_json: bool,
) -> int:
    """Least and greatest entropy, in bits, of each head's attention weights over all words of each length.

    0 bits where one position has all the weight, log2 k for plain means of k positions. Words with the same weights are
    one, so that lengths to 31 are no matter where scores do not depend on the symbols.
    """
    from symcook.questions.entropy import entropy

    chosen = chosen_model(name, settings, max_length, 6)
    at: int | str | None = position
    if position is not None and position != "each":
        if not position.isdecimal() or len(position) > 6:
            raise BadInput("a position must be a number, or each", position, "give for example --position 1")
        at = int(position)
    options = {"max_length": max_length, "min_length": min_length, "head": head, "position": at, "digits": digits}
    return ask(chosen, entropy, place, force, seconds, as_json, **options)
