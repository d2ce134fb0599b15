"""Recompute the ledger by replay, and write (or with --check compare) what is made of it.

python proofs/ledger.py            ledger.jsonl, and in build/notes/ inventory.md and constructions.md
python proofs/ledger.py --check    exit 1 where ledger.jsonl differs from what replay gives
... --verdicts FILE                keep the verdict on every certificate, with the hash of what it rests on

The ledger and the errata are pages of the site, which docs/pages makes of the same data.

Rows of which people have said something else since (in a table, in reviewed.json or in a remark) are named; words.txt
has a digest of these words.

Both exit with 1 where a certificate is rejected, or belongs to no statement, and where what people said of a row is not
what quotations.txt records of it: then nothing is written.
"""

from __future__ import annotations

import gc
import json
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from symcook import claims
from symcook.cli.output import Progress
from symcook.proof.audit import seals
from symcook.proof.replay import replay
from symcook.recount import ignored, recompute, rows

ROOT = Path(__file__).resolve().parent.parent


def ordered(found: Counter[str]) -> list[str]:
    """The statuses that occur, in the order of `claims.STATUSES`; PROVED assuming after PROVED."""
    first = {word: place for place, word in enumerate(claims.STATUSES)}
    return sorted(found, key=lambda word: (first[claims.word(word.removesuffix(" assuming"))], word))


def verdicts_text() -> str:
    """The verdict on every certificate as JSON; `rests` is the hash of all that it rests on."""
    return json.dumps({v.id: asdict(v) | {"rests": claims.row_digest(v.id)} for v in replay()})


def other_rows(wanted: Iterable[str]) -> bool:
    """Whether the ledger lacks one of these lines, or has another one that would be read. Lines that have no effect, as
    a merge may leave them, are allowed."""
    stored = claims.stored_rows()
    now = {json.dumps(row, sort_keys=True) for row in map(json.loads, wanted)}
    read = {
        json.dumps(row, sort_keys=True) for name, found in stored.items() for row in found if claims.current(name, row)
    }
    return now != read


def main(arguments: list[str]) -> int:
    import constructions  # beside this script, which tests load from elsewhere
    import errata
    import inventory
    import quotations

    gc.set_threshold(100_000, 20, 50)  # as in the command line
    with Progress("checking") as progress:
        found = recompute(progress)
    refused = ignored()
    if "--verdicts" in arguments:
        Path(arguments[arguments.index("--verdicts") + 1]).write_text(verdicts_text(), encoding="utf-8", newline="\n")
    ledger = claims.ledger(found)
    unrecorded = quotations.unrecorded(ledger)
    reworded = claims.reworded(claims.inventory())
    differs = "--check" in arguments and (other_rows(rows(found)) or bool(reworded))
    if "--check" not in arguments and not unrecorded:
        seals.write(claims.DATA / claims.LEDGER, rows(found))
        seals.write(claims.DATA / claims.WORDS, map(claims.words_of, claims.inventory()))
        notes = ROOT / "build" / "notes"
        notes.mkdir(parents=True, exist_ok=True)
        (notes / "constructions.md").write_text(constructions.page(ledger), encoding="utf-8", newline="\n")
        (notes / "inventory.md").write_text(inventory.page(ledger, errata.PAPERS), encoding="utf-8", newline="\n")
    found_claims = claims.counts(ledger)
    print(", ".join(f"{word} {found_claims[word]}" for word in ordered(found_claims)))
    print(f"false as stated: {claims.by_error_type(row for row in ledger if row.counted)}")
    for problem in refused + unrecorded:
        print(problem)
    for name in reworded:
        print(f"{name}: its words in the table, in reviewed.json or in a remark have changed")
    if differs:
        print(f"{claims.LEDGER} differs from what replay gives; run python proofs/ledger.py")
    return 1 if differs or refused or unrecorded else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
