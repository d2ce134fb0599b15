"""The answer to a statement about a model: its status, and the counterexample or what remains to be proved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.errors import in_python
from symcook.model.answers import LINE, brief
from symcook.report.document import Document, Drawn, PlainLines
from symcook.report.latex import formula_rows
from symcook.report.markup import Display, page, paragraph, table

if TYPE_CHECKING:
    from symcook.proof.statements.proving import ProofAnswer

LONGEST = 2000
"""The greatest length of a formula, in characters, that is printed in full."""


def line(answer: ProofAnswer) -> str:
    """The answer as a sentence: the repr."""
    proved, at = ", for all sizes" if answer.model is None else "", answer.extent.at_values
    if answer.model is not None and answer.model.alphabet:
        proved = f", for {answer.extent.strings}" + " that has a run" * bool(answer.without_runs)
    ends = {"PROVED": proved, "OPEN": " is undecided"}
    if answer.vacuous:
        ends["OPEN"] = " is true only because no string meets its premises"
    elif answer.true_of:
        ends["OPEN"] = f"; true of {answer.true_of}"
    end = ends.get(answer.status, " is false")
    if answer.shown is not None:
        end = f" is false of {answer.shown}{smallest(answer)}"
    end += at
    words = f"{answer.words}: "
    most = LINE - len(f"<ProofAnswer {words}{end}>")
    return brief(f"<ProofAnswer {words}{brief(answer.statement, max(most, 20))}{end}>")


def first(answer: ProofAnswer) -> str:
    """The answer in one line: the status and the statement; of an OPEN one also what decided it, or of which strings
    it is true; of a REFUTED one without a certificate the string."""
    known, stated = "", answer.statement + answer.extent.at_values
    if answer.status == "OPEN" and not answer.vacuous:
        if answer.method is not None:
            return f"TRUE, NO CERTIFICATE YET  {stated}  (decided by {_plain(answer.method)})"
        known = f"true of {answer.true_of}" if answer.true_of else ""
    elif answer.status == "REFUTED" and answer.certificate is None:
        known = f"false of {answer.shown}"
    return f"{answer.words}  {stated}" + (f"  ({known})" if known else "")


def _plain(method: str) -> str:
    """A method without the letter of a fragment."""
    return method.partition(": ")[2] if method.startswith("fragment ") else method


def opened(answer: ProofAnswer) -> list[str]:
    """What an OPEN answer says below its first line: the nearest missing fact, and what to do."""
    shown_lines = [f"Missing      {answer.nearest}"] if answer.nearest else []
    shown_lines += [f"Why          {in_python(answer.why or '')}"] if not answer.nearest or answer.vacuous else []
    if not answer.vacuous:
        shown_lines.append(f"Next         {answer.advice}")
    if answer.asked or answer.remaining:
        shown_lines.append("More         --explain has what each prover answered, and the goal that remains")
    return shown_lines


def explained(answer: ProofAnswer) -> list[str]:
    """What each prover answered, and the goal that remains."""
    shown_lines = [f"{name[:24]:<24}  {in_python(reason)}" for name, reason in answer.asked]
    return [*shown_lines, *answer.remaining.splitlines()]


def document(answer: ProofAnswer) -> Drawn:
    """The answer with its counterexample, or what remains to be proved. HTML is a table, LaTeX only the formula."""
    title, below = first(answer), lines(answer)
    text = Document(title, [PlainLines(below)] if below else [])
    return Drawn(text.text, lambda: html(answer), lambda: displays(answer))


def html(answer: ProofAnswer) -> str:
    """The answer as a table."""
    false_of = (answer.shown or "") + smallest(answer)
    rows = [("statement", answer.statement), ("false of", false_of), ("about", answer.about + answer.extent.at_values)]
    rows += [("method", answer.method or ""), ("lemmas", ", ".join(answer.lemmas))]
    rows += [("reason", in_python(answer.why or "")), ("remaining", answer.remaining)]
    drawn = table([], [row for row in rows if row[1]], words=True)
    return page(paragraph(line(answer)[len("<ProofAnswer ") : -1], bold=True), drawn)


def displays(answer: ProofAnswer) -> list[Display]:
    """The formula that is proved, refuted or open."""
    from symcook.proof.audit.folded import statement_tree

    rows = formula_rows(statement_tree(answer.claim.text), answer.claim.known)
    return [Display(f"{answer.words}: {answer.statement}", tuple(f"&{row}" for row in rows))]


def lines(answer: ProofAnswer, file: str | None = None) -> list[str]:
    """All lines of an answer except the first; `file` has the full formula where it is too long to print."""
    from symcook.proof.audit.source import unasked_words

    if answer.status == "OPEN":
        return [in_python(answer.why or ""), *explained(answer)]
    if answer.certificate is None:
        return [f"False of     {answer.shown}{smallest(answer)}, as its exact run shows", str(answer.why)]
    shown_lines = [] if answer.shown is None else [f"False of     {answer.shown}{smallest(answer)}"]
    shown_lines.append(f"Statement    {_cut(answer.claim.text, file)}")
    if why := answer.without_runs:
        shown_lines.append(f"Strings      those that have a run: {why}")
    if unchecked := answer.unchecked:
        shown_lines.append(f"Not checked  {unasked_words(unchecked)}")
    return [*shown_lines, f"Lemmas       {', '.join(answer.lemmas) or 'none'}"]


def smallest(answer: ProofAnswer) -> str:
    """In brackets, the limits of a counterexample, if it has any."""
    return f" ({answer.limits})" if answer.limits else ""


def _cut(text: str, file: str | None) -> str:
    """A formula; of one longer than LONGEST, such as that of a trained model, only the beginning and the end."""
    if len(text) <= LONGEST:
        return text
    return f"{text[:1000]} ... {text[-500:]} ... {len(text)} characters" + (f" in {file}" if file else "")
