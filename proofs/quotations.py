"""The words of the papers that the letters of errata quote, compared with the papers.

python proofs/quotations.py cookbook=FILE ...   look for each quotation in the text of its own paper

Each quotation that is found is a line of quotations.txt: the paper, the row, the word of the text at which it begins,
and a digest of these and of what is quoted. So a quotation that is changed, or moved to another paper, is noticed
without the texts, which are not stored. Formulas are left out of the comparison, as texts and letters set them
differently: what is compared are the words of four letters and more. Exit code 1 where a quotation is not in the text.

Each gap with its class, and each fact of reviewed.json, is a line too, with 0 in place of a word. Lines of a paper are
written beside its text alone. So whoever takes out a gap, or calls an open claim cited, cannot seal the ledger again:
`ledger.py` compares the record with the remarks, and refuses.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from symcook import claims
from symcook.proof.audit import seals

RECORD = Path(__file__).resolve().parent / "quotations.txt"
GREEK = {"alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "theta", "lambda", "sigma", "kappa", "omega"}
SYMBOLS = GREEK | {"infinity", "sqrt", "tanh", "sinh", "cosh", "arrow", "prev"}
"""What a letter may write for a sign of a formula."""
NAMED = ("kind", "same", "slip")
FACTS = (*NAMED, "test", "cited", "empirical", "no claim")
"""What an entry of reviewed.json may say of a row, beside reasons; of the first three also with which word."""


def words(text: str) -> list[str]:
    """The words of four letters and more, without commands and marks of LaTeX and Markdown, and names of symbols."""
    plain = re.sub(r"\\[a-zA-Z]+|\*+|<sup>.*?</sup>", " ", text.replace("-\n", ""))
    return [word for word in re.findall(r"[a-z]{4,}", plain.lower()) if word not in SYMBOLS]


def quoted(text: str) -> Iterator[list[str]]:
    """What stands in double quotation marks, in parts where something is left out, as words."""
    for passage in re.findall(r'"([^"]*)"', text):
        yield from filter(None, map(words, passage.split("...")))


def passages(rows: Iterable[claims.Claim]) -> list[tuple[claims.Claim, list[str]]]:
    """Every quotation of what is printed, with its row."""
    found = [(row, text) for row in rows for text in (row.printed or "", *(gap["step"] for gap in row.gaps))]
    return [(row, passage) for row, text in found for passage in quoted(text)]


def judged(rows: Iterable[claims.Claim]) -> set[str]:
    """The lines of what people found at each row: its gaps, and its facts in reviewed.json."""
    found = set()
    for row in rows:
        entry = claims.reviewed().get(row.id, {})
        said = [["gap", gap.get("class", ""), gap["step"]] for gap in row.gaps]
        said += [[fact, entry[fact] if fact in NAMED else ""] for fact in FACTS if fact in entry]
        found |= {line(row.paper, row.id, 0, one) for one in said}
    return found


def line(paper: str, name: str, place: int, passage: list[str]) -> str:
    """The line of a quotation, or with the place 0 of a gap or a fact."""
    digest = sha256(" ".join([paper, name, str(place), *passage]).encode()).hexdigest()[:16]
    return f"{paper} {name} {place} {digest}"


def places(passage: list[str], text: list[str]) -> Iterator[int]:
    """The words of the text, counted from 1, at which the passage begins."""
    first = passage[0]
    for at, word in enumerate(text):
        if word == first and text[at : at + len(passage)] == passage:
            yield at + 1


def compared(rows: Iterable[claims.Claim], texts: dict[str, list[str]]) -> tuple[set[str], list[str]]:
    """The lines of the quotations that are in their papers, and what is said of the others."""
    found, missing = set(), []
    for row, passage in passages(rows):
        if row.paper in texts:
            at = next(places(passage, texts[row.paper]), None)
            if at is None:
                missing.append(f"{row.id}: not in the text of its paper: {' '.join(passage)}")
            else:
                found.add(line(row.paper, row.id, at, passage))
    return found, missing


def recorded() -> dict[tuple[str, str], list[tuple[int, str]]]:
    """Of each paper and row the places of its quotations, each with its line."""
    found: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for stored in seals.read(RECORD):
        paper, name, place, _ = stored.split(" ")
        found.setdefault((paper, name), []).append((int(place), stored))
    return found


def unrecorded(rows: Iterable[claims.Claim]) -> list[str]:
    """A sentence for each row whose quotations, gaps and facts are not those of the record."""
    known, rows = recorded(), [*rows]
    wanted = {row.id: judged([row]) for row in rows}
    for row, passage in passages(rows):
        lines = {line(row.paper, row.id, at, passage) for at, _ in known.get((row.paper, row.id), ())}
        wanted[row.id] |= lines & seals.read(RECORD) or {" ".join(passage)}
    return [
        f"{row.id}: its quotations, gaps and facts must be those of quotations.txt; run proofs/quotations.py"
        for row in rows
        if wanted[row.id] != {stored for _, stored in known.get((row.paper, row.id), ())}
    ]


def main(arguments: list[str]) -> int:
    given = dict(argument.split("=", 1) for argument in arguments)
    texts = {paper: words(Path(file).read_text(encoding="utf-8")) for paper, file in given.items()}
    entries = claims.reviewed()
    rows = [replace(row, printed=entries.get(row.id, {}).get("printed", row.printed)) for row in claims.ledger()]
    found, missing = compared(rows, texts)
    kept = {stored for stored in seals.read(RECORD) if stored.split(" ")[0] not in texts}
    seals.write(RECORD, sorted(found | kept | judged(row for row in rows if row.paper in texts)))
    for problem in missing:
        print(problem)
    print(f"{len(found)} quotations are in their papers, {len(missing)} are not")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
