"""How many claims of the corpus (`claim_corpus`) are proved or refuted, by kind: ``python benchmarks/claims.py open``.

Run on one half, ``open`` or ``kept``, with a limit of seconds for each claim. A claim counts as proved or refuted by
its certificate alone, and as wrong where a verdict contradicts the corpus, or a string is no smallest one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from claim_corpus import CorpusClaim, corpus, half
from claim_corpus.families import ModelOfCorpus

from symcook.errors import SymcookError
from symcook.model import modelfile
from symcook.proof import own


def answered(claim: CorpusClaim, model: ModelOfCorpus, seconds: float) -> dict[str, Any]:
    """What symcook answers to a claim, as a row."""
    row = {"model": claim.model, "kind": claim.kind, "statement": claim.statement, "truth": claim.false_of}
    began = time.process_time()
    try:
        document = json.loads(modelfile.dumps(model.model))
        settled = own.settle(own.claim(document, claim.statement), document, seconds=seconds)
    except SymcookError as error:
        return row | {"status": "ERROR", "why": str(error)[:300], "seconds": time.process_time() - began}
    status = "OPEN" if settled.verdict is None else settled.verdict.status
    word = None if settled.tried is None else settled.tried.word
    why = None if settled.missing is None else str(settled.missing)[:300]
    return row | {"status": status, "word": word, "why": why, "seconds": time.process_time() - began}


def wrong(row: dict[str, Any]) -> bool:
    """Whether an answer contradicts the corpus."""
    if row["truth"] is None:
        return row["status"] == "REFUTED" or row.get("word") is not None
    return row["status"] == "PROVED" or (row.get("word") is not None and len(row["word"]) > len(row["truth"]))


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Proved of true and refuted of false claims, by kind."""
    count: Counter[tuple[str, str]] = Counter()
    for row in rows:
        true = row["truth"] is None
        for kind in (row["kind"], "all"):
            count[kind, "true" if true else "false"] += 1
            count[kind, "proved" if true else "refuted"] += row["status"] == ("PROVED" if true else "REFUTED")
            count[kind, "word"] += not true and row.get("word") is not None
            count[kind, "wrong"] += wrong(row)
            count[kind, "error"] += row["status"] == "ERROR"
    yield "kind        proved of true   refuted of false (string found)   wrong   errors"
    for kind in dict.fromkeys([*sorted({row["kind"] for row in rows}), "all"]):
        of = {name: count[kind, name] for name in ("proved", "true", "refuted", "word", "false", "wrong", "error")}
        yield (
            f"{kind:<12}{of['proved']:>6} of {of['true']:<8}{of['refuted']:>8} of {of['false']:<5}({of['word']})"
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
    given = options.parse_args()
    models, claims = corpus()
    chosen = [*half(claims, given.half == "open")]
    chosen = [claim for claim in chosen if given.kind in (None, claim.kind)][given.offset :: given.every]
    rows = []
    for claim in chosen:
        rows.append(answered(claim, models[claim.model], given.seconds))
        if given.rows is not None:
            with given.rows.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
    print(*table(rows), sep="\n")
    return 1 if any(map(wrong, rows)) else 0


if __name__ == "__main__":
    sys.exit(main())
