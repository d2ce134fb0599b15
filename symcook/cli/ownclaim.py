"""``symcook prove mine.json --statement ...``: a claim about a model of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from symcook.cli.output import print_json, say
from symcook.errors import BadInput, Rejected, Undecided


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
        where = f"{proof}, {error}" if proof is not None else f"The automation found no proof.\n{error}"
        raise Undecided(f"{where}\nWrite the steps between into a proof text: see notes/proofs.md.") from None
    except Rejected as error:
        raise Undecided(f"no certificate: {error}") from None
    status = "REFUTED" if certificate["sense"] == "refuted" else "PROVED"
    target.write_text(json.dumps(certificate) + "\n", encoding="utf-8")
    beside = source.with_suffix(".statement.txt")
    beside.write_text(own.expanded(statement, certificate), encoding="utf-8")
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
