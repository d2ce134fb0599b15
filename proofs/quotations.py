"""The words of the papers that the letters of errata quote, compared with the papers.

python proofs/quotations.py cookbook=FILE ...   look for each quotation in the text of its own paper

Each quotation that is found is a line of quotations.txt: the paper, the row, the word of the text at which it begins,
and a digest of these and of what is quoted. So a quotation that is changed, or moved to another paper, is noticed
without the texts, which are not stored. Formulas are left out of the comparison, as texts and letters set them
differently: what is compared are the words of four letters and more. Exit code 1 where a quotation is not in the text.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path

from symcook import claims
from symcook.proof import seals

RECORD = Path(__file__).resolve().parent / "quotations.txt"
GREEK = {"alpha", "beta", "gamma", "delta", "epsilon", "varepsilon", "theta", "lambda", "sigma", "kappa", "omega"}
SYMBOLS = GREEK | {"infinity", "sqrt", "tanh", "sinh", "cosh", "arrow", "prev"}
"""What a letter may write for a sign of a formula."""


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


def line(paper: str, name: str, place: int, passage: list[str]) -> str:
    """The line of a quotation."""
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
    """The quotations of which no line says that they were found where they belong."""
    known = recorded()
    return [
        f"{row.id}: {' '.join(passage)}"
        for row, passage in passages(rows)
        if not any(line(row.paper, row.id, at, passage) == own for at, own in known.get((row.paper, row.id), ()))
    ]


def main(arguments: list[str]) -> int:
    given = dict(argument.split("=", 1) for argument in arguments)
    texts = {paper: words(Path(file).read_text(encoding="utf-8")) for paper, file in given.items()}
    found, missing = compared(claims.ledger(), texts)
    kept = {stored for stored in seals.read(RECORD) if stored.split(" ")[0] not in texts}
    seals.write(RECORD, sorted(found | kept))
    for problem in missing:
        print(problem)
    print(f"{len(found)} quotations are in their papers, {len(missing)} are not")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
