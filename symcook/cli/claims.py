"""``symcook claims``."""

from __future__ import annotations

import textwrap
from typing import Any

import click

from symcook.cli.options import command as declare
from symcook.cli.options import completes, papers
from symcook.cli.output import Progress, print_json, say
from symcook.errors import BadInput
from symcook.report.text import columns

MOST_SHOWN = 40
MOST_STATED = 4  # with so few claims the formal statements are shown too
_FORMALLY = {"OPEN": "Formally, not proved", "DEFINED": "Also proved"}  # beside a definition stands what follows


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
    if as_json:
        print_json([row.to_json() for row in rows])
        return
    say(claims_text(rows) if rows else "no claim fits")
    stale = sum(row.note.startswith("stale") for row in rows)
    if stale:
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
    if name not in claims.inventory() and (name in statements() or name in recipes.names()):
        what = "a recipe" if name in recipes.names() else "a stored statement, but not a claim of a paper"
        raise BadInput("claims must have ids of claims", f"{name}, {what}", f"see symcook prove {name}")
    return [claims.claim(name).id]


def claims_text(rows: list[Any]) -> str:
    """Statuses counted by paper; the claims themselves where they are few enough to read."""
    if len(rows) > MOST_SHOWN:
        return f"{_counts(rows)}\n\nsymcook claims --search TEXT shows single claims, --json all of them."
    lines = []
    for row in rows:
        lines.append(f"{row.id}: {row.status}" + (f" by {row.corrected}" if row.corrected else "") + _assuming(row))
        details = [f"{row.location}: {row.statement}", *_why(row), row.note and f"Note: {row.note}"]
        details += [_gap(gap) for gap in row.gaps]
        if len(rows) <= MOST_STATED:
            details += _more(row)
        lines += [indented(text) for text in filter(None, details)]
    return "\n".join(lines)


def _counts(rows: list[Any]) -> str:
    """A table by paper: the claims by status, then the definitions, then the rows that repeat another one."""
    from symcook.claims import DEFINITION, counts

    papers = {paper: [row for row in rows if row.paper == paper] for paper in dict.fromkeys(row.paper for row in rows)}
    every = counts(rows)
    words = [w for word in _statuses() for w in (word, f"{word} assuming") if w in every]
    words += sorted(set(every) - set(words))  # CHECKED N
    table = [["paper", *words, "claims", "definitions", "repeated", "rows"]]
    for paper, own in papers.items():
        found = counts(own)
        definitions = sum(row.kind == DEFINITION for row in own)
        numbers = [*(found[word] for word in words), found.total(), definitions, len(own) - found.total() - definitions]
        table.append([paper, *map(str, [*numbers, len(own)])])
    return columns(table)


def _assuming(row: Any) -> str:
    return f" assuming {', '.join(row.assuming)}" if row.assuming else ""


def _why(row: Any) -> list[str]:
    """What a reader should know about the status: the slip and its witness, the test of a definition, the source."""
    out = []
    if row.slip:
        out += [f"Printed: {row.printed}", f"Slip: {row.slip}. {row.reason}"]
        out += [f"Counterexample: {row.counterexample}", f"Repair: {row.repair}"]
    elif row.reason:
        out.append(f"{row.status.capitalize()}: {row.reason}" + (f" Test: {row.test}" if row.test else ""))
    if row.same:
        out.append(f"The same statement as {row.same}.")
    return out


def _gap(gap: dict[str, str]) -> str:
    words = f"{gap.get('class', 'gap').capitalize()}: {gap.get('step', '')}: {gap.get('why', '')}"
    return words + (f" Repair: {gap['repair']}" if gap.get("repair") else "")


def _more(row: Any) -> list[str]:
    """What a few claims are shown with: formal statements, attempts, lemmas, and the command that checks the proof."""
    from symcook.proof.audit.unasked import unasked, unasked_words
    from symcook.proof.replay import library, statements
    from symcook.recipes import of_claim

    out = []
    for name in filter(None, (row.id, row.corrected)):
        if name in statements():
            word = "Corrected" if name != row.id else _FORMALLY.get(row.status, "Formally")
            out.append(f"{word}: {stated(name)}")
            out += [line for one in _definitions(name) if (line := f"Where {one}") not in out]
            holds = row.status not in ("OPEN", "REFUTED") and name == (row.corrected or row.id)
            if holds and (found := unasked(statements()[name])):
                out.append(f"Unasked: {unasked_words(found)}")
    out += [f"Tried: {tried}" for tried in row.tried]
    if row.lemmas:
        out.append(f"Uses: {', '.join(row.lemmas)}")
    proofs = [name for name in (row.id, row.corrected) if name in library().certificates()]
    out += [f"Object: {name}" for name in of_claim(row.id)]
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
