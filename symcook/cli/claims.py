"""``symcook claims``."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import Any

import click

from symcook.cli.options import command as declare
from symcook.cli.options import completes, papers
from symcook.cli.output import Progress, columns, print_json, say
from symcook.errors import BadInput

MOST_SHOWN = 40
MOST_STATED = 4  # with so few claims the formal statements are shown too


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
    help="With this status: PROVED, DECIDED, CHECKED, REFUTED, CORRECTED, OPEN; 'CHECKED N' for one N.",
)
@click.option("--search", metavar="TEXT", help="With this text in id, place, statement or note.")
@click.option("--recompute", is_flag=True, help="Replay every stored proof instead of reading the shipped ledger.")
def command(
    ids: tuple[str, ...], paper: str | None, status: str | None, search: str | None, recompute: bool, as_json: bool
) -> None:
    """What the papers state, and what is known about each statement.

    Few claims are shown with the formal statement, what was tried, gaps of the printed proof, and how to check.
    """
    from symcook import claims

    for name in ids:
        _known(name)
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
    if ids:
        rows = [row for row in rows if row.id in ids]
    if as_json:
        print_json([row.to_json() for row in rows])
        return
    say(claims_text(rows) if rows else "no claim fits")
    stale = sum(row.note.startswith("stale") for row in rows)
    if stale:
        say(f"\n{stale} stale: symcook claims --recompute replays the proofs.")


def _known(name: str) -> None:
    """BadInput where `name` is no claim; it says how else to see what it is."""
    from symcook import claims, recipes
    from symcook.proof.replay import statements

    if name not in claims.inventory() and (name in statements() or name in recipes.names()):
        what = "a recipe" if name in recipes.names() else "a stored statement, but not a claim of a paper"
        raise BadInput("claims must have ids of claims", f"{name}, {what}", f"see symcook prove {name}")
    claims.claim(name)


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
        return columns(table) + "\n\nsymcook claims --search TEXT shows single claims, --json all of them."
    lines = []
    for row in rows:
        assumed = f" assuming {', '.join(row.assuming)}" if row.assuming else ""
        lines.append(f"{row.id}: {row.status}" + (f" by {row.corrected}" if row.corrected else "") + assumed)
        details = [f"{row.location}: {row.statement}", row.note and f"Note: {row.note}"]
        details += [_gap(gap) for gap in row.gaps]
        if len(rows) <= MOST_STATED:
            details += _more(row)
        lines += [indented(text) for text in filter(None, details)]
    return "\n".join(lines)


def _gap(gap: dict[str, str]) -> str:
    words = f"Gap: {gap.get('step', '')}: {gap.get('why', '')}"
    return words + (f" Repair: {gap['repair']}" if gap.get("repair") else "")


def _more(row: Any) -> list[str]:
    """What a few claims are shown with: formal statements, attempts, lemmas, and the command that checks the proof."""
    from symcook.proof.replay import library, statements

    out = []
    for name in filter(None, (row.id, row.corrected)):
        if name in statements():
            word = "Corrected" if name != row.id else "Formally" if row.status != "OPEN" else "Formally, not proved"
            out.append(f"{word}: {stated(name)}")
            out += [line for one in _definitions(name) if (line := f"Where {one}") not in out]
    out += [f"Tried: {tried}" for tried in row.tried]
    if row.lemmas:
        out.append(f"Uses: {', '.join(row.lemmas)}")
    proofs = [name for name in (row.id, row.corrected) if name in library().certificates()]
    return [*out, *(f"Proof: symcook prove {name}" for name in proofs)]


def _definitions(name: str) -> list[str]:
    from symcook.proof.replay import statements
    from symcook.report.proof import definitions_text

    return definitions_text(statements()[name])


def stated(name: str) -> str:
    """The formal statement of an id, as it is stored."""
    from symcook.proof.replay import statements

    return statements()[name].text


def indented(text: str) -> str:
    """`text` in lines of at most 98 characters, each set in by two."""
    return textwrap.fill(text, 98, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
