"""What the landing page shows that is made of data: the statuses of the ledger, and a live page of a model."""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive

from pages import concepts
from symcook import claims
from symcook.__main__ import main

LIVE = "live/dyck-1.html"


class Statuses(Directive):
    """The numbers of statements by status, with links to the ledger and the errata."""

    def run(self) -> list[nodes.Node]:
        # Else a second build into the same folder keeps the numbers of the first.
        self.state.document.settings.env.note_dependency(str(claims.DATA / claims.LEDGER))
        return [nodes.raw("", strip(), format="html")]


class Concepts(Directive):
    """The picture of the page *Concepts*."""

    def run(self) -> list[nodes.Node]:
        self.state.document.settings.env.note_dependency(str(claims.DATA / claims.LEDGER))
        return [nodes.raw("", concepts.svg(), format="html")]


def strip() -> str:
    """The statuses in HTML, as the ledger has them today."""
    rows = [row for row in claims.ledger() if row.kind != "definition" and row.same is None]
    found = Counter(row.status for row in rows)
    return (
        '<p class="strip">Four papers, checked: '
        f'<a href="ledger/index.html?status=PROVED"><b>{found["PROVED"]}</b> of {len(rows)} statements proved</a>, '
        f'<a href="errata/index.html"><b>{found["CORRECTED"]}</b> false as stated and corrected</a> '
        f"({claims.by_error_type(rows)}), "
        f'<a href="ledger/index.html?status=OPEN"><b>{found["OPEN"]}</b> open</a>.</p>'
    )


def live(site: Path) -> None:
    """The page of `dyck-1` that the landing page embeds."""
    place = site / LIVE
    place.parent.mkdir(exist_ok=True)
    with contextlib.redirect_stdout(io.StringIO()):
        main(["report", "dyck-1", "--input", "())((", "-o", str(place), "--force"])
