"""Claims of the papers, and the axioms and lemmas that a proof may cite: what `symcook claims` and `lemmas` print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from symcook.report.document import Document, PlainLines, Table

if TYPE_CHECKING:
    from symcook.claims import Claim

MOST_SHOWN = 40
"""The greatest number of claims that are shown one by one, and of lemmas if no search text is given."""
MOST_STATED = 4
"""The greatest number of claims whose formal statements are shown too."""
_FORMALLY = {"OPEN": "Formally, not proved", "DEFINED": "Also proved"}
"""The label of the formal statement by status ("Formally" for the others). For a definition it is a consequence."""


def document(rows: Sequence[Claim]) -> Document:
    """The claims one by one, or with more than MOST_SHOWN of them the number of each status by paper."""
    from symcook.claims import by_error_type

    if not rows:
        return Document("no claim fits")
    if len(rows) > MOST_SHOWN:
        how_to_see = PlainLines(["To see single statements: symcook claims --search TEXT. To see all of them: --json."])
        types = by_error_type(row for row in rows if row.counted)
        explained = [PlainLines([f"CORRECTED means false as stated, by error type: {types}."])] if types else []
        return Document("", [_counts(rows), *explained, how_to_see], apart="\n\n")
    return Document("", [_claim(row, len(rows) <= MOST_STATED) for row in rows])


def _claim(row: Claim, stated: bool) -> Document:
    """A claim: its place in the paper, its text, its status and why; with `stated` also the formal statements."""
    corrected = f" by {row.corrected}" if row.corrected else ""
    assuming = f" assuming {', '.join(row.assuming)}" if row.assuming else ""
    details = [f"{row.location}: {row.statement}", *_why(row), *([f"Note: {row.note}"] if row.note else [])]
    details += [*map(_gap, row.gaps), *(_details(row) if stated else ())]
    return Document(f"{row.id}: {row.status}{corrected}{assuming}", [PlainLines(details, "")])


def lemmas(rows: Sequence[Mapping[str, str]], every: bool) -> Document:
    """Axioms and lemmas with their statements; `every`: no search text was given, so that long lists are not shown."""
    if not rows:
        return Document("no lemma fits")
    if len(rows) > MOST_SHOWN and every:
        return Document(
            f"{len(rows)} axioms and lemmas. To see some of them: symcook lemmas --search TEXT. To see all: --json."
        )
    return Document(
        "", [Document(f"{row['name']} ({row['kind']})", [PlainLines([row["statement"]], "")]) for row in rows]
    )


def _counts(rows: Sequence[Claim]) -> Table:
    """A table with a row for each paper: its claims by status, its definitions, and its entries that repeat another."""
    from symcook.claims import DEFINITION, STATUSES, counts

    all_counts = counts(rows)
    statuses = [w for word in STATUSES for w in (word, f"{word} assuming") if w in all_counts]
    statuses += sorted(set(all_counts) - set(statuses))  # a status with a number, CHECKED N, is not in STATUSES
    table = [["paper", *statuses, "claims", "definitions", "repeated", "rows"]]
    for paper in dict.fromkeys(row.paper for row in rows):
        paper_rows = [row for row in rows if row.paper == paper]
        by_status, definitions = counts(paper_rows), sum(row.kind == DEFINITION for row in paper_rows)
        repeated = len(paper_rows) - by_status.total() - definitions
        numbers = [*(by_status[word] for word in statuses), by_status.total(), definitions, repeated, len(paper_rows)]
        table.append([paper, *map(str, numbers)])
    return Table(table, turns=True)


def _why(row: Claim) -> Iterator[str]:
    """What explains the status: the error in the paper with its counterexample, or the reason with the test of a
    definition; and the entry that a claim repeats."""
    if row.slip:
        yield f"Printed: {row.printed}"
        yield f"Error type: {row.error_type}"
        yield f"Reason: {row.reason}"
        yield f"Counterexample: {row.counterexample}"
        yield f"Repair: {row.repair}"
    elif row.reason:
        yield f"{row.status.capitalize()}: {row.reason}" + (f" Test: {row.test}" if row.test else "")
    if row.same:
        yield f"The same statement as {row.same}."


def _gap(gap: Mapping[str, str]) -> str:
    """A gap in a proof of a paper: its kind, the step, why it is a gap, and a repair."""
    words = f"{gap.get('class', 'gap').capitalize()}: {gap.get('step', '')}: {gap.get('why', '')}"
    return words + (f" Repair: {gap['repair']}" if gap.get("repair") else "")


def _details(row: Claim) -> list[str]:
    """The details of a claim where few are shown: formal statements, models, attempts, lemmas, and the command that
    replays the proof."""
    from symcook.claims import remarks
    from symcook.proof.audit.existing import models, theorems
    from symcook.proof.audit.source import unasked, unasked_words
    from symcook.proof.replay import library, statements
    from symcook.recipes import of_claim
    from symcook.report.proof import definitions_text

    # The formal statements of the claim and of its correction, with the definitions that they use.
    out = []
    for name in filter(None, (row.id, row.corrected)):
        if name in statements():
            word = "Corrected" if name != row.id else _FORMALLY.get(row.status, "Formally")
            word = "Formally, a proof is not replayed since the change" if row.note.startswith("stale") else word
            out.append(f"{word}: {statements()[name].text}")
            out += [
                line
                for definition in definitions_text(statements()[name])
                if (line := f"Where {definition}") not in out
            ]
            # For a proved statement: the premises that are not proved to be satisfiable.
            holds = row.status not in ("OPEN", "REFUTED") and name == (row.corrected or row.id)
            if holds and (premises := unasked(statements()[name])):
                out.append(f"Not checked: {unasked_words(premises)}")
    out += [f"Numbers: {row.numbers}"] if row.numbers else []
    # The models that the statement is about, and whether it is proved that they have a run on every input.
    if (proved_id := row.corrected or row.id) in statements():
        for model in models(statements()[proved_id].written):
            exists = theorems().get(model)
            existence = f" (every input has a run: {exists})" if exists else ""
            if not exists and model.startswith("family-"):
                existence = " (a premise is that the input has a run; that every input has one is not proved)"
            out.append(f"Weights: {model}{existence}")
    if "no_run" in (remark := remarks().get(row.id, {})):
        out.append(f"Not about weights: {remark['no_run']}")
    # The attempts, the lemmas of the proof, the recipes about the claim, and how to replay the proof.
    out += [f"Tested: {tried}" for tried in row.tried]
    if row.lemmas:
        out.append(f"Uses: {', '.join(row.lemmas)}")
    proofs = [name for name in (row.id, row.corrected) if name in library().certificates()]
    out += [f"Object: {name}" for name in of_claim(row.id)]
    return [*out, *(f"Proof: symcook prove {name}" for name in proofs)]
