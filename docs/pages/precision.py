"""How many bits a construction needs, by the theorems about runs that round (`symcook/data/precision.tsv`)."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import symcook
from pages.markdown import cell, table
from symcook import claims

DATA = Path(symcook.__file__).parent / "data"
FILE, PRINTED = DATA / "precision.tsv", DATA / "printed-precision.tsv"
ARITHMETICS = {"errors": "relative errors", "floats": "floats"}
"""The arithmetics of the table, as the page names them."""
OVER_FLOATS = ("merrill2024.s3.1.precision", "merrill2024.thm1.precision", "merrill2024.thm2.precision")
"""The entries of the ledger about theorems over D_p."""
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
alphabet, 2 R^2 the width of the decoder's norm. `symcook precision MODEL` and the certificate of an export cite the
theorems about a stored model, or about a family without tables for its members. The proof of a row is shown
by `symcook prove ID`.
"""

MACHINES = """\
## Which machines satisfy the errors

The relative errors are inequalities between the numbers that a machine computes. Coq proves that a machine satisfies
them if each of its operations has a relative error of at most u. The proof uses Higham's rule for a tree of operations:
with at most c roundings on a path, the error is at most (1/(1 - u))^c - 1 times the size of the term. Sums may be taken
in any order, and products may be fused or separate. The inequalities of each block follow from this rule, at every
length: hidden units with relu or gelu, uniform means, softmax, attention to the largest scores, and layer norms of any
width. For the stored models `majority`, `first`, `lookup-quadratic`, `max`, `max-by-gelu` and `sign-norm`, a theorem
has exactly the inequalities that symcook writes. For other models, symcook combines the same blocks, and tests compare
simulated machines with the result. Coq has no such theorem about families, underflow, or the whole numbers that floats
keep. The proof assumes that the machine computes exponentials and erf within four roundings, and that a norm divides
its sums after they are added. The files are `rounding.v` and `rounded_runs.v` in `tests/coq`.
"""

DEFINITIONS = """\
## Definitions of precision in papers

Papers define precision in different ways. A theorem of the table above covers a definition if each run under this
definition satisfies the relative errors. Three ledger entries are about the floats D_p of Merrill and Sabharwal:
{statuses}. The first gives the constant of their bound "c log m": the lookup of one position among m works with
4 log2 m + 11 bits, in any order of sums. So c = 15 is enough from m = 2 on, and each c above 4 from some m on.

The definition of D_p leaves five points open:

- the rule for a root and for an exponential. The theorem assumes one rounding for a root;
- the comparison of two scores. The theorem compares the rounded scores exactly;
- m = 1, where c log m is 0 bits;
- how many of the p bits are exponent bits. The theorem has unlimited exponents;
- the alignment of the mantissa before an operation. The theorem needs normalised mantissas.

Theorem 1 is proved for its decoder with strict masks and a symbol $ before the string, for every automaton and every
string (`lem.rounded_automaton_bits`). The operations may be truncated to 4 log2(n + R) + 12 bits, where n is the number
of all tokens but the last, and R^2 is at least the number of letters and states plus 3. The steps are:

- with n tokens, the share 1/i has a relative error of at most (16 R^2 + 11 i) u (`lem.rounded_automaton_first`);
- so the query of the second layer is within 1/16 of the position that it asks for, and the key at j within 1/16 of j.
  With 2048 (n^4 + R^2 n) u <= 1 the head finds that position, and its one-hot vector is off by at most 16 R^2 u
  (`lem.rounded_automaton_lookup`);
- the feed-forward layer puts the right token strictly ahead, and an induction over the tokens follows
  (`lem.rounded_automaton`).

The ledger entry is open for the decoders without strict masks and without $.

The converse is proved for the scores of the second layer (`lem.rounded_automaton_needs`). There the decoder looks for
the symbol at a position k. With 4 log2(k + 1) + 3 bits or fewer, some scores within four roundings of the exact ones
are largest at k + 1. All other numbers of that run are exact. The head then reads the symbol at k + 1. A wrong token
does not follow for every automaton, because both symbols may lead to the same state. The stored lookup by hashes has a
whole run that fails (`lem.rounded_lookup_hash_needs`).
"""


def rows(file: Path = FILE) -> list[dict[str, str]]:
    """The rows of a table."""
    with file.open(encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text, delimiter="\t"))


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
    printed = ("source", "definition", "covered", "theorem", "remark")
    names = [one | {"theorem": one["theorem"] and f"`{one['theorem']}`"} for one in rows(PRINTED)]
    defined = [[cell(one[column]) for column in printed] for one in names]
    statuses = (f"`{row.id}` is {row.status}" for row in claims.ledger(names=OVER_FLOATS))
    text = DEFINITIONS.format(statuses=", ".join(statuses))
    yield "index", "\n".join([HEAD, *table(header, lines), "", MACHINES, text, *table(printed, defined), ""])
