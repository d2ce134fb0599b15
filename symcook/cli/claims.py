"""``symcook prove MODEL --claims FILE``: many statements about one model, an answer a line."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symcook.cli.options import Chosen
from symcook.cli.output import Waiting, print_json, say
from symcook.cli.own import Files, bound, claim_places, exported, method, said, sentence_of, settled, why, write
from symcook.errors import BadInput, Rejected, Undecided
from symcook.files import vacant
from symcook.proof.replay import Statement
from symcook.recipes.models import is_path

COMMENT = re.compile(r"""("[^"]*"|'[^']*')|#.*""")
"""What is quoted, which may be a token with #, or a comment."""


@dataclass(frozen=True)
class ListedClaim:
    """A statement of the file, read before anything is tried, and the files that its certificate gets."""

    statement: Statement
    to: Files


def prove_claims(
    name: str, file: str, force: bool, as_json: bool, settings: Sequence[str] = (), seconds: int = 60
) -> int:
    """Prove or refute each statement of a file, and write the certificates beside the model's file.

    Returns 0 where all are proved, else 1 where one is refuted, else 3.
    """
    chosen, document = bound(name, settings)
    source = Path(name) if is_path(name) else Path(f"{name}.json")
    rows = list[dict[str, Any]]()
    known: dict[str, dict[str, Any]] = {}
    for claim in _listed(file, document, source, force):
        sentence = claim.statement.note or ""
        if sentence not in known:  # a statement may stand there twice
            known[sentence] = _answer(chosen, document, claim, seconds)
        rows.append(known[sentence])
        if not as_json:
            say(_line(chosen, rows[-1]))
    if as_json:
        print_json({"claims": rows})
    statuses = {row["status"] for row in rows}
    return 1 if "REFUTED" in statuses else 3 if "OPEN" in statuses else 0


def _listed(file: str, document: dict[str, Any], source: Path, force: bool) -> list[ListedClaim]:
    """The statements of a file; BadInput with the number of a line that makes none, and where a certificate is there
    already without `force`. A new statement replaces no other one's certificate."""
    from symcook.proof import own

    try:
        lines = Path(file).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        raise BadInput("--claims must name a readable file in UTF-8", file, "write one statement a line") from None
    listed, mine = list[ListedClaim](), dict[str, Files]()
    for number, line in enumerate(lines, 1):
        sentence = COMMENT.sub(lambda found: found[1] or "", line).strip()
        if not sentence:
            continue
        try:
            statement = own.claim(document, sentence)
        except BadInput as error:
            raise BadInput(f"line {number} of {file}: {error.must}", error.given, error.do) from None
        if (note := statement.note or sentence) not in mine:
            mine[note] = _place(source, note, {*mine.values()})
            for target in mine[note]:
                vacant(target, force)
        listed.append(ListedClaim(statement, mine[note]))
    if not listed:
        raise BadInput("--claims must name a file with a statement", file, "write one statement a line")
    return listed


def _place(source: Path, sentence: str, taken: set[Files]) -> Files:
    """The files for a claim: those that it has, else the first that no other claim has."""
    for place in claim_places(source):
        there = place[0].exists() or place[1].exists()
        if there and sentence_of(*place) == sentence and exported(place[0]) is None:
            return place
        if not there and place not in taken:
            return place
    raise AssertionError("there is always one more")


def _answer(chosen: Chosen, document: dict[str, Any], claim: ListedClaim, seconds: int) -> dict[str, Any]:
    """What is known of one statement, as a document."""
    row: dict[str, Any] = {"statement": claim.statement.note, "status": "OPEN", "word": None, "method": None}
    row |= {"seconds": 0.0, "certificate": None, "why": None}
    began = time.monotonic()
    try:
        with Waiting("proving"):
            answer = settled(chosen, claim.statement, document, None, seconds)
    except (Rejected, Undecided) as error:
        return row | {"seconds": round(time.monotonic() - began, 3), "why": str(error)}
    row |= {"seconds": round(time.monotonic() - began, 3), "method": method(chosen, answer), "why": why(answer)}
    if answer.tried is not None and answer.tried.word is not None:
        row |= {"status": "REFUTED", "word": list(answer.tried.word)}
    if answer.certificate is not None and answer.verdict is not None:
        write(claim.to, claim.statement, answer.certificate)
        row |= {"status": answer.verdict.status, "certificate": str(claim.to[0])}
    return row


def _line(chosen: Chosen, row: dict[str, Any]) -> str:
    """An answer as one line."""
    more = f"false of {said(chosen, row['word'])}" if row["word"] is not None else row["why"] or row["method"]
    if row["certificate"] is not None:
        more += f"; certificate {row['certificate']}"
    elif row["status"] == "REFUTED":
        more += "; no certificate"
    return f"{row['status']:<8} {row['statement']}  ({more})"
