"""Stored files in which one field is another one of its kind, with every digest made anew: refused, or the same answer.

    python tests/attacks/forged_fields.py KIND [--first K] [--count N]

KIND is checkpoint (each column of each row, and what is said of the check), export (each field of the certificates, and
numbers among the weights), claim (each field of the certificates of own claims, and each line of their statements) or
decision. The changes of a kind have an order by a seed of its own; those from K on are tried, the shortest ways first
to none. Exit 1 where one gives another answer.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import hashlib
import io
import json
import random
import shutil
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "decide"))

import numpy as np

import symcook as sc
from symcook.__main__ import main as command
from symcook.errors import BadInput, Rejected, Undecided
from symcook.export.files import sealed
from symcook.spec.languages import dyck1
from symcook.verify import sweep

REFUSED = (BadInput, Rejected, Undecided)
TEXTS = (
    "",
    "equal",
    "different",
    "decided",
    "proved",
    "refuted",
    "PROVED",
    "q0",
    "q1",
    "(",
    "a",
    "1/2",
    "-1",
    "float32",
)


def changes(given: Any) -> Iterator[Any]:
    """A JSON value with one part changed to another value of its kind, or to one that Python takes for equal; each list
    and object also with a part less, a part twice, or in another order."""
    if isinstance(given, dict):
        yield from ({**given, key: new} for key, value in given.items() for new in changes(value))
        yield from ({k: v for k, v in given.items() if k != key} for key in given)
        yield {**given, "more": 0}
    elif isinstance(given, list):
        yield from ([*given[:k], new, *given[k + 1 :]] for k, value in enumerate(given) for new in changes(value))
        yield from ([*given[:k], *given[k + 1 :]] for k in range(len(given)))
        yield from ([*given, given[0]], given[::-1]) if given else ([0], ["a"], [[]])
    elif isinstance(given, bool):
        yield from (not given, int(given), float(given), str(given), None)
    elif isinstance(given, int | float):
        yield from (given + 1, given - 1, -given, float(given), str(given), given == 1, None, 10**30)
    elif isinstance(given, str):
        yield from (given + "0", given[:-1], *TEXTS, None)
    else:
        yield from (False, True, 0, "")


Attempt = Callable[[], Any]
"""A forged file, asked: what it says; `REFUSED` where it is refused."""

# --- Checkpoints ------------------------------------------------------------------------------------------------------


def all_but_one(string: str) -> bool:
    return string != "(())" and dyck1(string)


def said_by(found: sc.Check) -> Any:
    return found.to_json() | {"method": None, "seconds": None}


ENTRIES = ("version of symcook", "model", "symbols", "reference", "numbers", "error", "maximum length", "block", "size")
"""What a checkpoint says of its check, in the order in which the digest of a row has it."""


class Checkpoints:
    """The checkpoint of a check that found one difference."""

    def __init__(self, folder: Path) -> None:
        self.file, self.forged, self.model = folder / "right.db", folder / "forged.db", sc.build("dyck-1")
        self.said = said_by(self.model.check(all_but_one, 5, resume=self.file))
        with contextlib.closing(sqlite3.connect(self.file)) as connection:
            stored = dict(connection.execute("select name, value from sweep"))
            self.rows = connection.execute("select * from chunk").fetchall()
        self.entries = {name: stored[name] for name in ENTRIES}
        assert set(stored) == set(ENTRIES) and self.asked(self.entries, self.rows) == self.said

    def attempts(self) -> Iterator[tuple[str, Attempt]]:
        for name, value in self.entries.items():
            for new in changes(value):
                entries = {**self.entries, name: new}
                yield f"{name} {new!r}", lambda entries=entries: self.asked(entries, self.rows)
        for k, row in enumerate(self.rows):
            for at, value in enumerate(row[:-1]):
                text = isinstance(value, str)
                for new in changes(json.loads(value) if text else value):
                    other = [*row[:-1]]
                    other[at] = json.dumps(new) if text else new
                    rows = [*self.rows[:k], [*other, ""], *self.rows[k + 1 :]]
                    if not self.unseen(row, at, new):
                        yield f"row {k}, column {at}: {new!r}", lambda rows=rows: self.asked(self.entries, rows)

    def unseen(self, row: tuple[Any, ...], at: int, new: Any) -> bool:
        """Whether a count is another one that the chunk can have, which no digest shows: of differences, free answers,
        and accepted strings of each length."""
        first, last, prefix, strings = row[:4]
        if at in (4, 11):
            return type(new) is int and (at == 4) <= new <= strings
        if at != 10 or not isinstance(new, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in new):
            return False
        sizes = {n: 2 ** (n - len(json.loads(prefix))) for n in range(first, last + 1)}
        fits = all(type(n) is type(count) is int and 0 < count <= sizes.get(n, 0) for n, count in new)
        return fits and all(one < other for (one, _), (other, _) in zip(new, new[1:], strict=False))

    def asked(self, entries: dict[str, Any], rows: list[Any]) -> Any:
        """What a check says that goes on with these rows, each with its digest."""
        for left in self.forged.parent.glob("forged.db*"):
            left.unlink()
        shutil.copy(self.file, self.forged)
        with contextlib.closing(sqlite3.connect(self.forged, isolation_level=None)) as connection:
            connection.execute("delete from sweep")
            connection.execute("delete from chunk")
            try:
                connection.executemany("insert into sweep values (?, ?)", entries.items())
                for row in rows:
                    digest = hashlib.sha256(json.dumps([entries, *row[:-1]]).encode()).hexdigest()
                    connection.execute(f"insert into chunk values ({', '.join('?' * len(row))})", (*row[:-1], digest))
            except (sqlite3.Error, OverflowError) as error:  # the table has no such row
                raise BadInput("a row must be one of the table", str(error)) from error
        return said_by(self.model.check(all_but_one, 5, resume=self.forged))


# --- Exports ----------------------------------------------------------------------------------------------------------


class Exports:
    """The certificate of an export, and its weights."""

    def __init__(self, folder: Path) -> None:
        head = sc.Head(("x",), ("m",), [[0]], [[0]], [[1]], "future", "average")
        embedding = sc.Embedding(sc.Space(("x", "m")), words={"a": {"x": "2/3"}, "b": {"x": -1}})
        layers, readout = (sc.Layer(head),), sc.Readout("sign", "last", ("m",), [[1]])
        self.weights = folder / "own.npz"
        sc.Transformer("own", embedding, layers, readout).export(self.weights, max_length=2)
        self.certificate = folder / "own.certificate.json"
        self.document = json.loads(self.certificate.read_text())
        self.arrays = dict(np.load(self.weights))
        self.bytes = self.weights.read_bytes()
        self.said = self.asked(self.document, self.bytes)

    def attempts(self) -> Iterator[tuple[str, Attempt]]:
        for new in changes({key: value for key, value in self.document.items() if key != "certificate_sha256"}):
            yield shown(self.document, new), lambda new=new: self.asked(new, self.bytes)
        for name, array in self.arrays.items():
            for place in np.ndindex(array.shape):
                other = array.copy()
                other[place] = other[place] + other.dtype.type(1) if other.dtype.kind in "fiub" else other[place] * 2
                file = io.BytesIO()
                np.savez(file, **{**self.arrays, name: other})
                new = copy.deepcopy(self.document)
                new["files"] = {self.weights.name: hashlib.sha256(file.getvalue()).hexdigest()}
                yield f"{name}{place}", lambda new=new, file=file: self.asked(new, file.getvalue())

    def asked(self, document: dict[str, Any], weights: bytes) -> Any:
        self.weights.write_bytes(weights)
        document = {key: value for key, value in document.items() if key != "certificate_sha256"}
        self.certificate.write_bytes(sealed(document)[0])
        found = sc.verify_export(self.certificate).to_json()
        return found | {"claims": None}  # a certificate may name fewer claims


# --- Claims -----------------------------------------------------------------------------------------------------------


class Claims:
    """The certificate and the statement of a claim about an own model."""

    SENTENCE = "accept <-> count(a) > count(b)"

    def __init__(self, folder: Path) -> None:
        b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
        b.readout("sign", "last", b.attention("mean", "vote", mask="future"), weights=[1])
        self.model = folder / "votes.json"
        b.build("votes").save(self.model)
        code, out = called("prove", str(self.model), "--statement", self.SENTENCE)
        assert code == 0, out
        self.certificate, self.statement = folder / "votes.proof.json", folder / "votes.statement.txt"
        self.document, self.lines = json.loads(self.certificate.read_text()), self.statement.read_text().splitlines()
        self.said = self.asked(self.document, self.lines)

    def attempts(self) -> Iterator[tuple[str, Attempt]]:
        for new in changes(self.document):
            yield shown(self.document, new), lambda new=new: self.asked(new, self.lines)
        for k, line in enumerate(self.lines):
            for new in worded(line):
                lines = [*self.lines[:k], *([new] if new else []), *self.lines[k + 1 :]]
                yield f"line {k}: {new}", lambda lines=lines: self.asked(self.sealed(lines), lines)

    def sealed(self, lines: list[str]) -> dict[str, Any]:
        """The certificate with the digest of the statement that the lines have."""
        from symcook.proof.replay import read_statements

        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "own.txt").write_text("\n".join(lines) + "\n")
            try:
                (statement,) = read_statements(Path(folder)).values()
            except (*REFUSED, ValueError):
                return self.document
        return {**self.document, "id": statement.id, "statement": statement.digest, "model": statement.model}

    def asked(self, document: Any, lines: list[str]) -> Any:
        self.certificate.write_text(json.dumps(document))
        self.statement.write_text("\n".join(lines) + "\n")
        code, out = called("prove", str(self.model), "--json")
        if code:
            raise BadInput("the claim must be proved", f"exit {code}")
        (row,) = json.loads(out) if isinstance(json.loads(out), list) else [json.loads(out)]
        return {key: row.get(key) for key in ("statement", "status", "assuming")}


def worded(line: str) -> Iterator[str]:
    """A line with a word less, and with signs and numbers changed."""
    words = line.split(" ")
    yield from (" ".join([*words[:k], *words[k + 1 :]]) for k in range(len(words)))
    for old, new in (("<->", "->"), ("<", "<="), ("1", "2"), ("0", "1"), ("+", "-"), ("&", "|"), ("a", "b")):
        places = [k for k in range(len(line)) if line.startswith(old, k)]
        yield from (line[:k] + new + line[k + len(old) :] for k in places)


def called(*arguments: str) -> tuple[int, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        return command([*arguments]), out.getvalue()


def shown(given: Any, new: Any) -> str:
    """Where two objects differ."""
    return ", ".join(f"{key}: {str(new.get(key, 'left out'))[:200]}" for key in {*given, *new} - {"certificate_sha256"}
                     if given.get(key) != new.get(key, ...))  # fmt: skip


KINDS: dict[str, Any] = {"checkpoint": Checkpoints, "export": Exports, "claim": Claims}


def attack(kind: str, first: int, count: int) -> tuple[Counter[str], list[str]]:
    """How many forgeries were refused or gave the same answer, and those that gave another one."""
    again, counts, wrong = sweep.AGAIN, Counter[str](), []
    sweep.AGAIN = 3
    try:
        with tempfile.TemporaryDirectory() as folder:
            stored = KINDS[kind](Path(folder))
            every = list(stored.attempts())
            random.Random(kind).shuffle(every)
            for what, attempt in every[first : first + count]:
                try:
                    found = attempt()
                except REFUSED:
                    counts["refused"] += 1
                    continue
                except Exception as error:  # a defect is what is looked for
                    wrong.append(f"{kind}: {what}: {type(error).__name__}: {error}")
                    continue
                counts["same" if found == stored.said else "other"] += 1
                if found != stored.said:
                    wrong.append(f"{kind}: {what}: {differing(stored.said, found)}")
    finally:
        sweep.AGAIN = again
    return counts, wrong


def differing(said: dict[str, Any], found: dict[str, Any]) -> str:
    return ", ".join(
        f"{key} {found.get(key)!r}, not {value!r}" for key, value in said.items() if found.get(key) != value
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Stored files with one field forged.")
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=200)
    args = parser.parse_args()
    counts, wrong = attack(args.kind, args.first, args.count)
    print(*(f"WRONG {what}" for what in wrong), f"{dict(counts)}, {len(wrong)} with another answer", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
