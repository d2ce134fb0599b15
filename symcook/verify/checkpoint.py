"""An exhaustive check on disk: an SQLite file that says what is checked, with one row for each finished chunk.

A row is written whole or not at all, and names its strings; so a killed check loses only the chunks that were in
progress. Before a file is used, what it says is compared with the plan, and each row with its hash, so that damage by a
disk is noticed.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from symcook.errors import BadInput
from symcook.files import regular
from symcook.verify.chunks import Chunk, Plan
from symcook.verify.comparison import Ranked, Tally

APPLICATION = 0x73796D63
"""The application id of a checkpoint in the header of an SQLite file ("symc")."""
VERSION = 3
"""The version of the format."""
TABLES = """
create table sweep (name text primary key, value text not null) without rowid;
create table chunk (
  first integer, last integer, prefix text,
  strings integer not null, mismatches integer not null, open integer not null, settled integer not null,
  batched integer not null, smallest text, smallest_open text, accepted text not null, free integer not null,
  hash text not null,
  primary key (first, last, prefix)
) without rowid;
"""
"""The tables: `sweep` has what is checked, `chunk` a row for each finished chunk, the fields of `Tally` and a hash."""
ROW = "insert into chunk values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class Checkpoint:
    """The file of an exhaustive check, locked by this process from its opening to `close`.

    `about` describes the check, entry by entry; a resumed check must have the same entries. `plan` has the sizes of
    chunks: those of `fresh` for a new file, those in the file for an existing one. `done` has the tallies of the chunks
    that were finished before it was opened; `add` does not extend it. `rank` gives a string with its rank. Raises
    BadInput for a file that is damaged, of another check, or open in another process.
    """

    def __init__(self, file: str | Path, about: Mapping[str, str], fresh: Plan, rank: Callable[[Any], Ranked]) -> None:
        self.file, self.rank = file, rank
        self.done: dict[Chunk, Tally] = {}
        regular(Path(file))
        with _readable(file):
            self.connection = sqlite3.connect(file, isolation_level=None, timeout=0)
        try:
            with _readable(file):
                self.connection.execute("pragma locking_mode = exclusive")
                self.connection.execute("pragma journal_mode = wal")
                self.connection.execute("pragma synchronous = normal")  # survives a kill; a power cut repeats chunks
                self.connection.execute("begin immediate")
                self.plan = self._begin(about, fresh) if self._empty() else self._go_on(about, fresh)
                self.connection.execute("commit")
        except BaseException:
            self.connection.close()
            raise

    def _empty(self) -> bool:
        """Whether the file has no tables yet."""
        return self.connection.execute("select count(*) from sqlite_schema").fetchone() == (0,)

    def _begin(self, about: Mapping[str, str], fresh: Plan) -> Plan:
        """Write the tables and the description of the check into an empty file; the plan is `fresh`."""
        for command in TABLES.split(";"):
            self.connection.execute(command)
        self.connection.execute(f"pragma application_id = {APPLICATION}")
        self.connection.execute(f"pragma user_version = {VERSION}")
        self.entries = {**about, "block": str(fresh.block), "size": str(fresh.size)}
        self.connection.executemany("insert into sweep values (?, ?)", self.entries.items())
        return fresh

    def _go_on(self, about: Mapping[str, str], fresh: Plan) -> Plan:
        """Read an existing file: its plan, and into `done` the finished chunks. BadInput where the file is damaged or
        of another check."""
        # The file must be a checkpoint of this version, undamaged, and of the same check.
        if self.connection.execute("pragma application_id").fetchone() != (APPLICATION,):
            raise _another(self.file)
        if self.connection.execute("pragma user_version").fetchone() != (VERSION,):
            must = f"a checkpoint must be of this version of symcook ({VERSION})"
            raise BadInput(must, self.file, "remove the file to begin anew")
        if self.connection.execute("pragma quick_check").fetchone() != ("ok",):
            raise _damaged(self.file)
        stored = dict(self.connection.execute("select name, value from sweep"))
        for name, value in about.items():
            if stored.get(name) != value:
                difference = f"one of {name} {stored.get(name)}, not {value}"
                raise BadInput(f"a checkpoint must be of the same {name}", difference, "give --resume another FILE")
        try:
            plan = Plan(fresh.model, fresh.max_length, int(stored["block"]), int(stored["size"]))
            self.entries = {**about, "block": stored["block"], "size": stored["size"]}
            rows = self.connection.execute("select * from chunk")
            self.done = dict(map(self._read, rows))
            for chunk, tally in self.done.items():
                _require_consistent(chunk, tally, plan)
        except (KeyError, ValueError, TypeError, AttributeError) as error:
            raise _damaged(self.file) from error
        # Every chunk must be one of the plan.
        planned_chunks = set(self.done).intersection(plan) if self.done else set()
        if len(planned_chunks) < len(self.done):
            raise _damaged(self.file)
        return plan

    def _read(self, row: tuple[Any, ...]) -> tuple[Chunk, Tally]:
        """The chunk and the tally of one row; ValueError where the row is not as it was written."""
        row, hash_ = row[:-1], row[-1]
        if hash_ != self._hash(row):
            raise ValueError("a row must be as it was written")
        (
            first,
            last,
            prefix,
            strings,
            mismatches,
            undecided,
            settled,
            batched,
            smallest,
            smallest_open,
            accepted,
            free,
        ) = row
        counts = (strings, mismatches, undecided, settled)
        if not all(isinstance(count, int) and count >= 0 for count in (*counts, free)) or batched not in (0, 1):
            raise ValueError("counts must be integers")
        if (mismatches > 0) != (smallest is not None) or (undecided > 0) != (smallest_open is not None):
            raise ValueError("what is counted must have its smallest string")
        smallest_words = (
            None if text is None else self.rank(tuple(json.loads(text))) for text in (smallest, smallest_open)
        )
        first_wrong, first_open = smallest_words
        tally = Tally(*counts, bool(batched), first_wrong, first_open, _pairs(accepted), free)
        return Chunk(first, last, tuple(json.loads(prefix))), tally

    def add(self, chunk: Chunk, tally: Tally) -> None:
        """Write the tally of a finished chunk."""
        first_words = (None if ranked is None else json.dumps(ranked[1]) for ranked in (tally.first, tally.first_open))
        counts = (tally.strings, tally.mismatches, tally.open, tally.settled, int(tally.batched))
        with _readable(self.file):
            chunk_fields, accepted = (chunk.first, chunk.last, json.dumps(chunk.prefix)), json.dumps(tally.accepted)
            row = (*chunk_fields, *counts, *first_words, accepted, tally.free)
            self.connection.execute(ROW, (*row, self._hash(row)))

    def _hash(self, row: Iterable[object]) -> str:
        """The hash of a row (without its hash) and of the description of the check, so that a row of another file is
        noticed."""
        return sha256(json.dumps([self.entries, *row]).encode()).hexdigest()

    def close(self) -> None:
        """Close the file, which releases its lock."""
        with _readable(self.file):
            self.connection.close()


def _require_consistent(chunk: Chunk, tally: Tally, plan: Plan) -> None:
    """ValueError where a tally cannot be that of the chunk. The hash shows that a row is as it was written, and not by
    whom; another number of differences, for example, is not noticed where the strings of the chunk are that many."""
    of_length = {n: plan.letters ** (n - len(chunk.prefix)) for n in range(chunk.first, chunk.last + 1)}
    lengths = [n for n, _ in tally.accepted]
    counted = (tally.mismatches + tally.open + tally.free, tally.settled)
    if tally.strings != chunk.strings(plan.letters) or max(counted) > tally.strings:
        raise ValueError("counts must be of the strings of the chunk")
    if lengths != sorted(set(lengths)) or any(count > of_length.get(n, 0) for n, count in tally.accepted):
        raise ValueError("accepted strings must be of the lengths of the chunk")
    for _, sequence in filter(None, (tally.first, tally.first_open)):
        word = tuple(plan.model.embedding.typed(sequence))
        if len(word) not in of_length or word[: len(chunk.prefix)] != chunk.prefix:
            raise ValueError("a smallest string must be one of the chunk")


def _pairs(text: str) -> tuple[tuple[int, int], ...]:
    """(length, number of accepted strings) pairs from JSON; ValueError for anything else."""
    pairs = tuple((n, accepted) for n, accepted in json.loads(text))
    if not all(type(number) is int and number > 0 for pair in pairs for number in pair):
        raise ValueError("counts must be integers")
    return pairs


@contextmanager
def _readable(file: str | Path) -> Iterator[None]:
    """A context in which errors of SQLite become BadInput about the file."""
    try:
        yield
    except UnicodeDecodeError as error:  # raised for a name in the schema
        raise _damaged(file) from error
    except sqlite3.Error as error:
        name = getattr(error, "sqlite_errorname", "") or ""
        if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
            raise BadInput(
                "a checkpoint file must be used by only one check at a time",
                file,
                "wait until the other check has ended",
            ) from error
        if name.startswith("SQLITE_NOTADB"):
            raise _another(file) from error
        # A file that may only be read answers an exclusive lock with SQLITE_IOERR_LOCK.
        if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR_LOCK")):
            must = "a checkpoint must be a file that can be read and written"
            raise BadInput(must, f"{file} ({error})", "give --resume another FILE") from error
        if name.startswith(("SQLITE_FULL", "SQLITE_IOERR")):
            must = "the disk must have room for the checkpoint"
            do = "make room and run the same command to resume"
            raise BadInput(must, f"{file} ({error})", do) from error
        raise _damaged(file) from error


def _damaged(file: str | Path) -> BadInput:
    """The refusal of a damaged file."""
    return BadInput(
        "a checkpoint file must be complete and undamaged", f"{file}, which is damaged", "remove the file to begin anew"
    )


def _another(file: str | Path) -> BadInput:
    """The refusal of a file that is not a checkpoint."""
    return BadInput("a checkpoint must be a file of symcook check", file, "give --resume another FILE")
