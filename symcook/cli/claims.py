"""``symcook claims``."""

from __future__ import annotations

import click

from symcook.cli.options import command as declare
from symcook.cli.options import completes, papers
from symcook.cli.output import Progress, say, show
from symcook.errors import BadInput


def _statuses() -> tuple[str, ...]:
    from symcook.claims import STATUSES

    return STATUSES


def _ids() -> list[str]:
    from symcook.claims import inventory

    return list(inventory())


@declare("claims", "symcook claims --search softmax")
@click.argument("ids", nargs=-1, metavar="[ID]...", shell_complete=completes(_ids))
@click.option(
    "--paper",
    metavar="P",
    shell_complete=completes(papers),
    help="Of one paper: cookbook, chiang2022, merrill2024 or yang2026.",
)
@click.option(
    "--status",
    metavar="S",
    shell_complete=completes(_statuses),
    help="With this status: PROVED, DECIDED, CHECKED, REFUTED, CORRECTED, DEFINED, CITED, EMPIRICAL, OPEN; "
    "'CHECKED N' for one N.",
)
@click.option("--search", metavar="TEXT", help="With this text in id, place, statement or note.")
@click.option("--recompute", is_flag=True, help="Replay every stored proof instead of reading the shipped ledger.")
def command(
    ids: tuple[str, ...], paper: str | None, status: str | None, search: str | None, recompute: bool, as_json: bool
) -> None:
    """What the papers state, and what is known about each statement.

    An ID may be that of a section or a table too, as cookbook.s5.3 or cookbook.t5. Few claims are shown with the
    formal statement, what was tried, gaps of the printed proof, and how to check.
    """
    from symcook import claims
    from symcook.report.claim import document

    ids = tuple(one for name in ids for one in _named(name))
    if recompute:
        claims.select(paper, status, search)  # bad options are refused before the work
        with Progress("replaying") as progress:
            found = claims.recompute(progress=progress)
        rows = claims.select(paper, status, search, found)
    else:
        rows = claims.select(paper, status, search)
    if ids:
        rows = [row for row in rows if row.id in ids]
    show(as_json, lambda: [row.to_json() for row in rows], lambda: document(rows))
    stale = sum(row.note.startswith("stale") for row in rows)
    if stale and not as_json:
        say(f"\n{stale} stale: symcook claims --recompute replays the proofs.")


def _named(name: str) -> list[str]:
    """The ids that `name` stands for: itself, or all below it, as cookbook.t4 is above cookbook.t4.zero_one.

    BadInput where it is neither; it says how else to see what it is.
    """
    from symcook import claims, recipes
    from symcook.proof.replay import statements

    below = [one for one in claims.inventory() if one.startswith(f"{name}.")]
    if name not in claims.inventory() and below:
        return below
    if name not in claims.inventory() and (name in statements() or recipes.exists(name)):
        what = "a recipe" if recipes.exists(name) else "a stored statement, but not a claim of a paper"
        raise BadInput("claims must have ids of claims", f"{name}, {what}", f"see symcook prove {name}")
    return [claims.claim(name).id]
