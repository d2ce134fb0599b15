"""``symcook prove mine.json --statement ...``: a claim about a model of one's own."""

from __future__ import annotations

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

from symcook.cli.output import print_json, say
from symcook.errors import BadInput, Rejected, Undecided
from symcook.files import put


def prove_own(path: str, sentence: str, proof: str | None, force: bool, as_json: bool) -> int:
    """Prove the sentence about the model of a file, and write the certificate beside it."""
    from symcook.model import modelfile
    from symcook.proof import own
    from symcook.proof.search import elaborate, prooftext

    source = Path(path)
    document = json.loads(modelfile.dumps(modelfile.load(source)))
    statement = own.claim(document, sentence)
    target = source.with_suffix(".certificate.json")
    if target.exists() and not force:
        raise BadInput("a file is not replaced unasked", target, "add --force, or move it away")
    text = None
    if proof is not None:
        try:
            text = prooftext.read(Path(proof).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            if isinstance(error, BadInput):
                raise
            raise BadInput("a proof text must be a readable file in UTF-8", proof) from None
    try:
        certificate = own.prove(statement, text)
    except elaborate.Gap as error:
        what, _, found = str(error).partition("\n")
        print(textwrap.dedent(found), file=sys.stderr)
        where = f"{proof}, {what}" if proof is not None else "the automation found no proof"
        raise Undecided(f"{where}; write the steps between into a proof text: see notes/proofs.md.") from None
    except Rejected as error:
        raise Undecided(f"no certificate: {error}") from None
    status = "REFUTED" if certificate["sense"] == "refuted" else "PROVED"
    beside = source.with_suffix(".statement.txt")
    texts = {target: json.dumps(certificate) + "\n", beside: own.expanded(statement, certificate)}
    put({path: text.encode() for path, text in texts.items()}, force=True)
    row: dict[str, Any] = {"id": statement.id, "status": status, "statement": statement.text}
    row |= {"lemmas": sorted(certificate["lemmas"]), "certificate": str(target), "expanded": str(beside)}
    if as_json:
        print_json(row)
        return 0
    say(f"{status}  {sentence}")
    say(f"Statement    {statement.text}")
    say(f"Lemmas       {', '.join(own.below(certificate)) or 'none'}")
    say(f"Certificate  {target}")
    say(f"Beside it    {beside}: the statement as proofs/checker.py reads it")
    return 0
