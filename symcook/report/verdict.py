"""A verdict on a stored statement: its status, the statement, and what its proof depends on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.model.answers import brief, grouped
from symcook.report.document import Document, Drawn
from symcook.report.latex import formula_rows
from symcook.report.markup import Display, page, paragraph, table
from symcook.report.proof import corrections, paper_words, proof

if TYPE_CHECKING:
    from symcook.proof.replay import Verdict


def line(verdict: Verdict) -> str:
    """The status and the size of the proof in one line: the repr."""
    size = [f"{grouped(verdict.nodes)} nodes"] if verdict.nodes else []
    size += [f"by {len(verdict.lemmas)} lemma{'s' * (len(verdict.lemmas) > 1)}"] if verdict.lemmas else []
    return brief(
        f"<Verdict {verdict.id}: {', '.join([verdict.words, *size, *([verdict.reason] if verdict.reason else [])])}>"
    )


def document(verdict: Verdict) -> Drawn:
    """As text what ``symcook prove ID`` prints after its first line; as HTML a table; as LaTeX the statement."""
    return Drawn(Document("", proof(verdict), apart="\n\n").text, lambda: html(verdict), lambda: displays(verdict))


def html(verdict: Verdict) -> str:
    """A table of the statement and of what its proof depends on."""
    from symcook.proof.replay import statements

    rows = [
        ("paper", paper_words(verdict.id)),
        ("statement", statements()[verdict.id].written),
        ("reason", verdict.reason),
    ]
    rows += [("corrected", ", ".join(corrections(verdict.id)) if verdict.status == "CORRECTED" else "")]
    rows += [("nodes", str(verdict.nodes) if verdict.nodes else ""), ("lemmas", ", ".join(verdict.lemmas))]
    rows += [("axioms", ", ".join(verdict.axioms)), ("assumes", ", ".join(verdict.assuming))]
    rows += [("certificate", "" if verdict.certificate is None else Path(verdict.certificate).name)]
    drawn = table([], [row for row in rows if row[1]], words=True)
    return page(paragraph(f"{verdict.id}: {verdict.words}", bold=True), drawn)


def displays(verdict: Verdict) -> list[Display]:
    """The statement as a formula."""
    from symcook.proof.audit.folded import statement_tree
    from symcook.proof.replay import statements

    statement = statements()[verdict.id]
    rows = formula_rows(statement_tree(statement.text), statement.known)
    return [Display(f"{verdict.id}: {verdict.words}", tuple(f"&{row}" for row in rows))]


def verdict_json(verdict: Verdict) -> dict[str, Any]:
    """One entry of ``prove --json``; the path of the certificate is relative to the folder of proofs."""
    from symcook.proof.audit.source import unasked
    from symcook.proof.replay import statements

    stored = verdict.certificate
    return {
        "id": verdict.id,
        "status": verdict.status,
        "nodes": verdict.nodes,
        "lemmas": list(verdict.lemmas),
        "named": list(verdict.named),
        "oracles": list(verdict.oracles),
        "certificate": None if stored is None else f"certificates/{Path(stored).name}",
        "seconds": round(verdict.seconds, 4),
        "assuming": list(verdict.assuming),
        "rejected": list(verdict.rejected),
        "unasked": unasked(statements()[verdict.id]) if verdict.status == "PROVED" else [],
    }
