"""``symcook lemmas``."""

from __future__ import annotations

import click

from symcook.cli.options import command as declare
from symcook.cli.output import show


@declare("lemmas", "symcook lemmas --search sign")
@click.option("--search", metavar="TEXT", help="With this text in name or statement.")
def command(search: str | None, as_json: bool) -> None:
    """What a proof may cite: the axioms, and the lemmas of the library with their statements.

    A hint in a proof text is the name that is shown here.
    """
    from symcook.report.claim import lemmas

    rows = _rows(search or "")
    show(as_json, lambda: rows, lambda: lemmas(rows, search is None))


def _rows(search: str) -> list[dict[str, str]]:
    """Axioms and lemmas that have `search` in name or statement, whatever the case."""
    from symcook.proof import kernel
    from symcook.proof.replay import statements

    rows = [{"name": name, "kind": "axiom", "statement": text} for name, text in kernel.AXIOMS.items()]
    for name, stored in statements().items():
        if name.startswith("lem."):
            rows.append({"name": name.removeprefix("lem."), "kind": "lemma", "statement": stored.text})
    wanted = search.casefold()
    return [row for row in rows if wanted in row["name"].casefold() or wanted in row["statement"].casefold()]
