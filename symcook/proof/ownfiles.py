"""The files of an own claim, checked again: the model, its certificate, and the statements beside it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from symcook.errors import BadInput, Rejected
from symcook.model.modelfile import document_hash
from symcook.proof import own, replay
from symcook.proof.ownnames import named
from symcook.proof.replay import Verdict


def again(document: Mapping[str, Any], certificate: object, text: str) -> tuple[str, Verdict]:
    """A certificate and the statements beside it (`expanded`) checked again, for the model of a document as it is now:
    the sentence, and the verdict, OPEN where they do not belong together any more. BadInput where the files do not say
    which sentence they are about, or of which model.
    """
    last = text.rpartition("\n\n")[2]
    note = re.search(r"^note: (.*)$", last, re.MULTILINE)
    if note is None or not isinstance(certificate, dict) or "model" not in certificate:
        must = "a certificate must name its model, and the statement beside it the sentence"
        raise BadInput(must, "neither or one", "prove the sentence again")
    sentence = note[1]

    def failed(why: str) -> tuple[str, Verdict]:
        return sentence, Verdict(named(document["name"]), "OPEN", reason=why)

    if certificate["model"] != document_hash(document):
        return failed("the model has changed since it was made")
    statement = own.claim(document, sentence)
    if last != statement.block + "\n":
        return failed("the statement beside it is not that of this model and sentence")
    try:
        verdict = replay.library().judged(statement, certificate)
    except Rejected as error:
        return failed(str(error))
    if text != own.expanded(statement, certificate):
        return failed("the definitions and lemmas beside it are not those that it rests on")
    return sentence, verdict
