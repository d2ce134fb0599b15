"""``symcook prove mine.json``: the certificate beside a model file, checked again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from symcook.cli.output import print_json, say
from symcook.cli.ownclaim import bound
from symcook.errors import BadInput


def check_own(name: str, as_json: bool, settings: Sequence[str] = ()) -> int:
    """Check the certificate beside a model file again, for the model as it is now."""
    from symcook.proof import own, ownfiles, replay
    from symcook.proof.audit.unasked import unasked, unasked_words

    _, document = bound(name, settings)
    target, beside = Path(name).with_suffix(".certificate.json"), Path(name).with_suffix(".statement.txt")
    for file in (target, beside):
        if not file.is_file():
            raise BadInput("a model without a sentence must have its certificate beside it", file, "give --statement")
    try:
        certificate, text = replay.load_json(target.read_bytes()), beside.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        raise BadInput("a certificate and its statement must be readable files in UTF-8", target) from None
    sentence, verdict = ownfiles.again(document, certificate, text)
    found = unasked(own.claim(document, sentence)) if verdict.status == "PROVED" else []
    if as_json:
        row: dict[str, Any] = {"id": verdict.id, "status": verdict.status, "sentence": sentence}
        row |= {"lemmas": list(verdict.lemmas), "assuming": list(verdict.assuming), "reason": verdict.reason or None}
        row["unasked"] = found
        print_json(row | {"certificate": str(target), "expanded": str(beside)})
    else:
        say(f"{verdict.words}  {sentence}")
        if found:
            say(f"Unasked      {unasked_words(found)}")
        say(f"Certificate  {target}" + (f": {verdict.reason}" if verdict.reason else ", checked again"))
        say(f"Beside it    {beside}: the statement as proofs/checker.py reads it")
    return 1 if verdict.status == "OPEN" else 0
