"""A verdict on a stored statement: its status, what it says, and what it rests on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from symcook.model.answers import brief, grouped
from symcook.report.document import Document, Drawn
from symcook.report.latex import formula_rows
from symcook.report.markup import Display, page, paragraph, table
from symcook.report.proof import corrections, paper_words, proof

if TYPE_CHECKING:
    from symcook.proof.replay import Verdict


def line(found: Verdict) -> str:
    """The status and the size of the proof in a line: the repr."""
    size = [f"{grouped(found.nodes)} nodes"] if found.nodes else []
    size += [f"by {len(found.lemmas)} lemma{'s' * (len(found.lemmas) > 1)}"] if found.lemmas else []
    return brief(f"<Verdict {found.id}: {', '.join([found.words, *size, *([found.reason] if found.reason else [])])}>")


def document(found: Verdict) -> Drawn:
    """As text what ``symcook prove`` prints of one id below its first line; what it rests on as a table; a formula."""
    return Drawn(Document("", proof(found), apart="\n\n").text, lambda: html(found), lambda: displays(found))


def html(found: Verdict) -> str:
    """The statement and what its proof rests on as a table."""
    from symcook.proof.replay import statements

    rows = [("paper", paper_words(found.id)), ("statement", statements()[found.id].written), ("reason", found.reason)]
    rows += [("corrected", ", ".join(corrections(found.id)) if found.status == "CORRECTED" else "")]
    rows += [("nodes", str(found.nodes) if found.nodes else ""), ("lemmas", ", ".join(found.lemmas))]
    rows += [("axioms", ", ".join(found.axioms)), ("assumes", ", ".join(found.assuming))]
    rows += [("certificate", "" if found.certificate is None else Path(found.certificate).name)]
    drawn = table([], [row for row in rows if row[1]], words=True)
    return page(paragraph(f"{found.id}: {found.words}", bold=True), drawn)


def displays(found: Verdict) -> list[Display]:
    """The statement as a formula."""
    from symcook.proof.audit.folded import statement_tree
    from symcook.proof.replay import statements

    statement = statements()[found.id]
    rows = formula_rows(statement_tree(statement.text), statement.known)
    return [Display(f"{found.id}: {found.words}", tuple(f"&{row}" for row in rows))]
