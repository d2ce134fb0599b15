"""``symcook claims``."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Any

import click

from symcook.cli.options import command as declare
from symcook.cli.options import completes, papers
from symcook.cli.output import Progress, columns, print_json, say

MOST_SHOWN = 40
MOST_STATED = 4  # with so few claims the formal statements are shown too


def _statuses() -> tuple[str, ...]:
    from symcook.claims import STATUSES

    return STATUSES


@declare("claims", "symcook claims --search softmax")
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
    help="With this status: PROVED, DECIDED, CHECKED, REFUTED, CORRECTED, OPEN.",
)
@click.option("--search", metavar="TEXT", help="With this text in id, place, statement or note.")
@click.option("--recompute", is_flag=True, help="Replay every stored proof instead of reading the shipped ledger.")
def command(paper: str | None, status: str | None, search: str | None, recompute: bool, as_json: bool) -> None:
    """What the papers state, and what is known about each statement."""
    from symcook import claims

    if recompute:
        claims.select(paper, status, search)  # bad options are refused before the work
        progress = Progress("replaying")
        try:
            found = claims.recompute(progress=progress)
        finally:
            progress.close()
        rows = claims.select(paper, status, search, found)
    else:
        rows = claims.select(paper, status, search)
    if as_json:
        print_json([row.to_json() for row in rows])
        return
    say(claims_text(rows) if rows else "no claim fits")


def claims_text(rows: list[Any]) -> str:
    """Statuses counted by paper; the claims themselves where they are few enough to read."""
    if len(rows) > MOST_SHOWN:
        words = list(dict.fromkeys(sorted(row.status for row in rows)))
        counts = Counter((row.paper, row.status) for row in rows)
        papers = list(dict.fromkeys(row.paper for row in rows))
        table = [["paper", *words, "all"]]
        for paper in papers:
            numbers = [counts[paper, word] for word in words]
            table.append([paper, *map(str, numbers), str(sum(numbers))])
        return columns(table) + "\n\nsymcook claims --search TEXT shows single claims."
    lines = []
    for row in rows:
        lines.append(f"{row.id}: {row.status}" + (f" by {row.corrected}" if row.corrected else ""))
        details = [f"{row.location}: {row.statement}", row.note and f"Note: {row.note}"]
        details += [f"Gap: {gap.get('step', '')}: {gap.get('why', '')}" for gap in row.gaps]
        if len(rows) <= MOST_STATED:
            details += [f"Formally: {stated(row.id)}" if row.status != "OPEN" else ""]
            details += [f"Corrected: {stated(row.corrected)}" if row.corrected else ""]
        lines += [indented(text) for text in filter(None, details)]
    return "\n".join(lines)


def stated(name: str) -> str:
    """The formal statement of an id, as it is stored."""
    from symcook.proof.replay import statements

    return statements()[name].text


def indented(text: str) -> str:
    """`text` in lines of at most 98 characters, each set in by two."""
    return textwrap.fill(text, 98, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
