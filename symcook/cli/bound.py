"""``symcook bound``."""

from __future__ import annotations

import click

from symcook.cli.options import DIGITS, OneOf
from symcook.cli.options import command as declare
from symcook.cli.output import print_json, say
from symcook.errors import Undecided


@declare("bound", "symcook bound softmax-hardmax --n 64 --gamma 'log(8*64)'")
@click.argument("kind", type=OneOf("kind of bound", ["softmax-hardmax"]))
@click.option("--n", "n", required=True, metavar="N", help="The number of scores.")
@click.option("--gamma", required=True, metavar="G", help="The score gap: a rational, or such as 'log(8*64)'.")
@click.option("--ties", is_flag=True, help="Allow score vectors whose maximum is not unique.")
@click.option("--digits", type=DIGITS, default=30, metavar="D", help="Decimal digits of both balls (30).")
def command(kind: str, n: str, gamma: str, ties: bool, digits: int, as_json: bool) -> int:
    """Enclose the paper's bound and the sharp value.

    softmax-hardmax: the supremum of the L1 distance between softmax and hardmax over n scores with gap at least gamma,
    against 2 n e^-gamma. Exit 1 where the bound does not hold.
    """
    from symcook.bounds import softmax_hardmax

    answer = softmax_hardmax(n, gamma, ties=ties, digits=digits)
    document = answer.to_json()
    if as_json:
        print_json(document)
    else:
        say(answer.text())
    if document["holds"] is None:
        raise Undecided(f"whether the bound holds stayed open at {digits} digits; give more --digits.")
    return 0 if document["holds"] else 1
