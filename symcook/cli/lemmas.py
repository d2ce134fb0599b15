"""``symcook lemmas``."""

from __future__ import annotations

import click

from symcook.cli.claims import indented
from symcook.cli.options import command as declare
from symcook.cli.output import print_json, say

MOST_SHOWN = 40


@declare("lemmas", "symcook lemmas --search sign")
@click.option("--search", metavar="TEXT", help="With this text in name or statement.")
def command(search: str | None, as_json: bool) -> None:
    """What a proof may cite: the axioms, and the lemmas of the library with their statements.

    A hint in a proof text is the name that is shown here.
    """
    rows = _rows(search or "")
    if as_json:
        print_json(rows)
        return
    if not rows:
        say("no lemma fits")
    elif len(rows) > MOST_SHOWN and search is None:
        say(f"{len(rows)} axioms and lemmas. symcook lemmas --search TEXT shows some of them, --json all.")
    else:
        say("\n".join(f"{row['name']} ({row['kind']})\n{indented(row['statement'])}" for row in rows))


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
