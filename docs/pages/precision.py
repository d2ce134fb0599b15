"""How many bits a construction needs, by the theorems about runs that round (`symcook/data/precision.tsv`)."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import symcook
from pages.markdown import cell, table

FILE = Path(symcook.__file__).parent / "data" / "precision.tsv"
ARITHMETICS = {"errors": "relative errors", "floats": "floats"}
"""The arithmetics of the table, as the page names them."""
SAYS = {"suffices": "suffice", "fails": "fail"}
"""What a row says of its number of bits, as the page has it."""
HEAD = """\
# How many bits does a construction need?

Each row is a proved theorem about a stored model, or a family of models, for strings of every length. The run has p
significant bits and rounds to nearest, so the relative error of an operation is at most u = 2^-p. Exponents are
unlimited.

- *Relative errors*: the theorem holds for every arithmetic with these errors, in any order of sums.
- *Floats*: sums and products of whole numbers up to 2^p are exact besides.
- *Suffice*: with that many bits or more the construction gives the right answer.
- *Fail*: with that many bits or fewer some arithmetic within these errors gives a wrong answer.

n is the number of tokens, N the largest position that a table has, m the dimension of the codes, S the size of the
alphabet. `symcook precision MODEL` cites the theorem about a recogniser, and `symcook prove ID` shows the proof of a
row.
"""


def rows() -> list[dict[str, str]]:
    """The rows of the table."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def pages() -> Iterator[tuple[str, str]]:
    """The page."""
    header = ("construction", "arithmetic", "bits p", "theorem")
    lines = (
        [
            cell(one["what"]),
            ARITHMETICS[one["arithmetic"]],
            cell(f"{one['bits']} {SAYS[one['says']]}"),
            f"`{one['theorem']}`",
        ]
        for one in rows()
    )
    yield "index", "\n".join([HEAD, *table(header, lines), ""])
