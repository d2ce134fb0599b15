"""``symcook prove MODEL --claims FILE``: each line of a file is a statement about one model, answered by one line.

All statements are read before the search for the first proof.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symcook.cli.options import is_path
from symcook.cli.output import Progress, print_json, say
from symcook.cli.own import EXIT_CODES, Files, StatementSubject, asked, claim_places, known_answer, same_claim
from symcook.errors import BadInput
from symcook.files import text_of
from symcook.proof.replay import Statement
from symcook.proof.statements.proving import ProofAnswer, write

COMMENT = re.compile(r"""("[^"]*"|'[^']*')|#.*""")
"""A quoted token, which may contain #, or a comment."""


@dataclass(frozen=True)
class ListedClaim:
    """A statement of the file."""

    statement: Statement
    to: Files
    """The files to which its certificate is written."""
    known: ProofAnswer | None
    """The answer by a stored certificate that is valid now."""


def prove_claims(
    name: str,
    file: str,
    force: bool,
    as_json: bool,
    settings: Sequence[str] = (),
    seconds: int = 60,
    other: str | None = None,
) -> int:
    """Prove or refute each statement of a file, and write the certificates next to the model's file.

    Returns the exit code: 0 if all are proved, else 1 if one is refuted, else 3.
    """
    about = asked(name, settings, other)
    source = Path(name) if is_path(name) else Path(f"{name}.json")
    answers = dict[str, ProofAnswer]()
    rows = list[dict[str, Any]]()
    for claim in _read_claims(file, about, source, force, seconds):
        sentence = claim.statement.note or ""
        answer = answers.get(sentence)
        if answer is None:  # else the same statement is in the file twice
            answer = claim.known
            if answer is None:
                with Progress("proving"):
                    answer = about.settle(claim.statement, None, seconds)
                if answer.certificate is not None:
                    write(claim.to, claim.statement, answer.certificate)
            answers[sentence] = answer
        rows.append(answer.to_json(None if answer.certificate is None else claim.to[0]))
        if not as_json:
            say("already " * (claim.known is not None) + _answer_line(answer, rows[-1]["certificate"]))
    if as_json:
        print_json({"claims": rows})
    statuses = {answer.status for answer in answers.values()}
    return EXIT_CODES[next(status for status in ("REFUTED", "OPEN", "PROVED") if status in statuses)]


def _read_claims(file: str, about: StatementSubject, source: Path, force: bool, seconds: int) -> list[ListedClaim]:
    """The statements of a file with the files for their certificates.

    A statement with a valid certificate keeps it, and is not proved again. With `force` a statement replaces its own
    earlier certificate, but never another one. Raises BadInput, with the number of the line, for an invalid statement.
    """
    lines = text_of(file, "the file of --claims", do="write one statement a line").split("\n")
    listed, places = list[ListedClaim](), dict[str, tuple[Files, ProofAnswer | None]]()
    for number, line in enumerate(lines, 1):
        sentence = COMMENT.sub(lambda match: match[1] or "", line).strip()
        if not sentence:
            continue
        try:
            statement = about.claim(sentence)
        except BadInput as error:
            raise BadInput(f"line {number} of {file}: {error.must}", error.given, error.do) from None
        if (note := statement.note or sentence) not in places:
            taken = {place for place, _ in places.values()}
            places[note] = _place(about, source, statement, taken, force, seconds)
        listed.append(ListedClaim(statement, *places[note]))
    if not listed:
        raise BadInput("--claims must name a file with a statement", file, "write one statement a line")
    return listed


def _place(
    about: StatementSubject, source: Path, claim: Statement, taken: set[Files], force: bool, seconds: int
) -> tuple[Files, ProofAnswer | None]:
    """The files for a claim: existing files of this claim with a certificate that is valid now, and the answer by it,
    or with --force any files of this claim; else the first files that do not exist and are not `taken`."""
    for place in claim_places(source):
        exists = place[0].exists() or place[1].exists()
        if exists and same_claim(place, claim):
            known = None if force else known_answer(about, claim, place, seconds)
            if force or known is not None:
                return place, known
        if not exists and place not in taken:
            return place, None
    raise AssertionError("there is always one more")


def _answer_line(answer: ProofAnswer, certificate: str | None) -> str:
    """An answer as one line."""
    reason = f"false of {answer.shown}" if answer.shown is not None else answer.why or answer.method
    if certificate is not None:
        reason = f"{reason}; certificate {certificate}"
    elif answer.status == "REFUTED":
        reason = f"{reason}; no certificate"
    if answer.limits:
        reason = f"{reason}; {answer.limits}"
    return f"{answer.status:<8} {answer.statement}{answer.extent.at_values}  ({reason})"
