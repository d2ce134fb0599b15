"""How many claims of the corpus (`claim_corpus`) are proved or refuted, by kind: ``python benchmarks/claims.py open``.

Run on one half, ``open`` or ``kept``, with a limit of seconds for each claim. A claim counts as proved or refuted by
its certificate alone, and as wrong where a verdict contradicts the corpus, or a string is said to be the smallest, or
the shortest, and is not. A true claim is decided also where the procedures decide it without a certificate.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from claim_corpus import CorpusClaim, corpus, half
from claim_corpus.families import ModelOfCorpus

from symcook.errors import SymcookError
from symcook.model import modelfile
from symcook.proof.statements import certify
from symcook.proof.statements.proving import write


def answered(claim: CorpusClaim, model: ModelOfCorpus, seconds: float, to: Path | None) -> dict[str, Any]:
    """What symcook answers to a claim, as a row. A certificate is written to `to`.certificate.json, the statement as
    proofs/checker.py reads it to `to`.statement.txt."""
    row = {"model": claim.model, "kind": claim.kind, "statement": claim.statement, "truth": claim.false_of}
    began = time.process_time()
    try:
        document = json.loads(modelfile.dumps(model.model))
        statement = certify.claim(document, claim.statement)
        settled = certify.settle(statement, document, seconds=seconds)
    except SymcookError as error:
        return row | {"status": "ERROR", "why": str(error)[:300], "seconds": time.process_time() - began}
    status = "OPEN" if settled.verdict is None else settled.verdict.status
    word = None if settled.tried is None else settled.tried.word
    if to is not None and settled.certificate is not None:
        files = (to.with_suffix(".certificate.json"), to.with_suffix(".statement.txt"))
        write(files, statement, settled.certificate)
    why = None if settled.missing is None else str(settled.missing)[:300]
    outside = None if settled.decision is None else settled.decision.outside
    row |= {"status": status, "word": word, "why": why, "outside": outside, "seconds": time.process_time() - began}
    decided = isinstance(settled.missing, certify.Vacuous) or (settled.decision is not None and settled.decision.true)
    said = None if settled.tried is None else settled.tried.smaller
    return row | {"decided": status != "OPEN" or decided, "method": settled.fragment, "smaller": said}


def wrong(row: dict[str, Any]) -> bool:
    """Whether an answer contradicts the corpus."""
    if row["truth"] is None:
        return row["status"] == "REFUTED" or row.get("word") is not None
    if row.get("word") is None:
        return row["status"] == "PROVED" or row.get("decided", False)
    shortest = row["smaller"] is None or row["smaller"].startswith("no shorter")
    return shortest and len(row["word"]) > len(row["truth"])


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Proved and decided of true claims, refuted of false ones, by kind."""
    count: Counter[tuple[str, str]] = Counter()
    for row in rows:
        true = row["truth"] is None
        for kind in (row["kind"], "all"):
            count[kind, "true" if true else "false"] += 1
            count[kind, "proved" if true else "refuted"] += row["status"] == ("PROVED" if true else "REFUTED")
            count[kind, "decided"] += true and row.get("decided", False)
            count[kind, "word"] += not true and row.get("word") is not None
            count[kind, "wrong"] += wrong(row)
            count[kind, "error"] += row["status"] == "ERROR"
    yield "kind        proved of true (decided)   refuted of false (string found)   wrong   errors"
    for kind in dict.fromkeys([*sorted({row["kind"] for row in rows}), "all"]):
        names = ("proved", "true", "decided", "refuted", "word", "false", "wrong", "error")
        of = {name: count[kind, name] for name in names}
        yield (
            f"{kind:<12}{of['proved']:>6} of {of['true']:<4}({of['decided']})"
            f"{of['refuted']:>14} of {of['false']:<5}({of['word']})"
            f"{of['wrong']:>18}{of['error']:>9}"
        )


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("half", choices=("open", "kept"))
    options.add_argument("--seconds", type=float, default=20)
    options.add_argument("--every", type=int, default=1, help="each so many claims alone")
    options.add_argument("--offset", type=int, default=0)
    options.add_argument("--kind", help="claims of one kind alone")
    options.add_argument("--rows", type=Path, help="a file for the rows, one JSON document a line")
    options.add_argument("--certificates", type=Path, help="an empty folder for the certificates, named by number")
    given = options.parse_args()
    models, claims = corpus()
    chosen = [*half(claims, given.half == "open")]
    chosen = [claim for claim in chosen if given.kind in (None, claim.kind)][given.offset :: given.every]
    rows = []
    for number, claim in enumerate(chosen):
        to = None if given.certificates is None else given.certificates / str(number)
        rows.append(answered(claim, models[claim.model], given.seconds, to))
        if given.rows is not None:
            with given.rows.open("a", encoding="utf-8", newline="\n") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    print(*table(rows), f"median {median(row['seconds'] for row in rows):.2f} s of processor time", sep="\n")
    return 1 if any(map(wrong, rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
