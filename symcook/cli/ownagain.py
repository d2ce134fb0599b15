"""``symcook prove mine.json``: the certificate beside a model file, checked again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from symcook.cli.output import print_json, say
from symcook.cli.ownclaim import bound, checked, exported
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
    export = exported(target)
    if export is not None:
        must = "a model without a sentence must have the certificate of a claim beside it"
        raise BadInput(must, f"{target}, which is about {export}", "give --statement, and the model another name")
    try:
        certificate, text = replay.load_json(target.read_bytes()), beside.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        raise BadInput("a certificate and its statement must be readable files in UTF-8", target) from None
    sentence, verdict = ownfiles.again(document, certificate, text)
    found = unasked(own.claim(document, sentence)) if verdict.status == "PROVED" else []
    if as_json:
        print_json(checked(verdict, found, target, beside) | {"sentence": sentence, "reason": verdict.reason or None})
    else:
        say(f"{verdict.words}  {sentence}")
        if found:
            say(f"Unasked      {unasked_words(found)}")
        say(f"Certificate  {target}" + (f": {verdict.reason}" if verdict.reason else ", checked again"))
        say(f"Beside it    {beside}: the statement as proofs/checker.py reads it")
    return 1 if verdict.status == "OPEN" else 0
