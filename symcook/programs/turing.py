"""Turing machines as text: one row a line, JSON, or the notation of busy beavers (`1RB1LB_1LA1RZ`).

A machine has a read-only input tape, whose cells 1..n hold the input, and K >= 1 work tapes, the last of which is the
output. Heads start on cell 0 of work tapes and on cell -1, 0 or 1 of the input; they move left, right or stay. A table
is complete: it has exactly one row for each state that does not halt and each choice of symbols read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, NamedTuple

from symcook.errors import BadInput
from symcook.files import lines_of, parsed
from symcook.model.typedtext import text_of_tokens, tokens_of_text

BLANK = "_"
"""The blank in texts and in JSON; a code has the blank 0."""
MOVES = {"L": -1, "S": 0, "R": 1}
"""The change of a head's position, by the text of a move."""
LETTERS = {move: letter for letter, move in MOVES.items()}
"""The text of a move: the inverse of MOVES."""
MOST_ROWS = 200_000
"""The maximum number of rows of a table after each * is replaced by all symbols."""
_FORM = "state read_input read_1 .. read_K -> state write_1 .. write_K move_input move_1 .. move_K"
"""The form of a row, for messages."""
_HEADERS = ("input", "work symbols", "start", "halt", "head")
"""The headers of a text, and the keys of a JSON document besides "rows". A header "machine" is accepted and ignored."""
_LISTS = ("input", "work symbols")
"""The headers that list symbols."""
_CODE = re.compile(r"(?:[0-9][LR][A-Z]|---)+(?:_(?:[0-9][LR][A-Z]|---)+)*")
"""The notation of busy beavers."""
_CODE_DO = "a code has three characters for each row, as 1RB1LB_1LA1RZ has"


class TuringRow(NamedTuple):
    """The action of a row: the state entered, the symbol written on each work tape, and the move of every head."""

    state: str
    writes: tuple[str, ...]
    moves: tuple[int, ...]


Reads = tuple[str, ...]
"""The symbols under the heads: first the input's, then one for each work tape."""


@dataclass(frozen=True)
class TuringMachine:
    """A complete, deterministic machine.

    input: the input symbols. symbols: those of work tapes, without the blank. halt: the states that halt. head: the
    cell on which the input head starts, -1, 0 or 1. rows: the action for each state and the symbols under the heads.
    tapes: the number of work tapes.
    """

    input: tuple[str, ...]
    symbols: tuple[str, ...]
    start: str
    halt: tuple[str, ...]
    head: int
    rows: Mapping[tuple[str, Reads], TuringRow] = field(compare=True)
    tapes: int
    blank: str = BLANK

    def __hash__(self) -> int:
        return hash((self.input, self.symbols, self.start, self.halt, self.head, frozenset(self.rows.items())))

    @property
    def operators(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @cached_property
    def states(self) -> tuple[str, ...]:
        """Every state: the start, the states of the table in its order, then those that rows enter, then all other
        halting states."""
        entered = [state for (state, _) in self.rows] + [row.state for row in self.rows.values()]
        return tuple(dict.fromkeys([self.start, *entered, *self.halt]))

    @cached_property
    def cells(self) -> tuple[str, ...]:
        """The symbols that a cell of a work tape may hold: the blank, then the others."""
        return (self.blank, *self.symbols)

    def output_text(self, symbols: Sequence[str]) -> str:
        """Symbols of the output as one text, from which they can be read again."""
        return text_of_tokens(symbols, self.symbols)

    def word(self, text: str | Sequence[str]) -> tuple[str, ...]:
        """An input as a tuple of symbols; a text is read by `tokens_of_text`.

        Raises BadInput for a blank, and for a symbol that is not one of the machine's input symbols.
        """
        symbols = tokens_of_text(text, self.input) if isinstance(text, str) else tuple(text)
        for symbol in symbols:
            if symbol == self.blank and symbol not in self.input:
                must = f"an input must not contain the blank, only the symbols {' '.join(self.input) or 'nothing'}"
                raise BadInput(must, symbol, "leave this symbol out: cells next to the input are blank")
            if symbol not in self.input:
                raise BadInput(
                    f"every symbol must be one of the machine's input, {' '.join(self.input) or 'which has none'}",
                    symbol,
                    "leave the symbol out, or add it to the line 'input:'",
                )
        return symbols


def read_turing(source: str) -> TuringMachine:
    """The machine written as a text, a JSON document or a code such as 1RB1LB_1LA1RZ.

    Raises BadInput, with the line and what is expected, if the source is not a machine; if two equally specific rows
    apply to the same state and symbols; and if no row applies to some state and symbols, with a line of that state.
    """
    source = lines_of(source)
    text = source.strip()
    if not text:
        must = "a Turing machine must have text, JSON, or a code"
        raise BadInput(must, "nothing", f"write rows: {_FORM}")
    if _CODE.fullmatch(text):
        return _code(text)
    return _Listing.of_json(text).machine() if text.startswith("{") else _Listing.of_text(source).machine()


def written(machine: TuringMachine) -> str:
    """A machine as JSON, from which `read_turing` reads it again. Its blank must be _, which the document omits."""
    document = {
        "input": list(machine.input),
        "work symbols": list(machine.symbols),
        "start": machine.start,
        "halt": list(machine.halt),
        "head": machine.head,
        "rows": [
            [state, list(reads), row.state, list(row.writes), [LETTERS[move] for move in row.moves]]
            for (state, reads), row in machine.rows.items()
        ],
    }
    return json.dumps(document)


def _at(line: int | str) -> str:
    """A place as messages name it: the number of a line, or already a text such as "row 3"."""
    return f"line {line}" if isinstance(line, int) else line


class _Written(NamedTuple):
    """A row as it is written, before * and . are replaced, with its place in the source."""

    line: int | str
    state: str
    reads: list[str]
    target: str
    writes: list[str]
    moves: list[str]


class _Listing:
    """The headers and rows of a source, each with its place: the number of a line, or in JSON a text."""

    def __init__(self) -> None:
        self.headers: dict[str, tuple[int | str, list[str]]] = {}
        self.written: list[_Written] = []

    @classmethod
    def of_text(cls, source: str) -> _Listing:
        """The headers and rows of a text, one a line; comments begin with // or #."""
        listing = cls()
        lines = [line.split("//", 1)[0] for line in source.split("\n")]
        hash_is_symbol = _lists_hash(lines)
        for number, uncut in enumerate(lines, 1):
            line = (uncut if hash_is_symbol else uncut.split("#", 1)[0]).strip()
            if not line:
                continue
            before, arrow, after = line.partition("->")
            if not arrow:
                listing._header(number, line)
                continue
            # A row: state, input symbol, K work symbols -> state, K writes, K + 1 moves.
            left, right = before.split(), after.split()
            tapes = len(left) - 2
            if tapes < 1 or len(right) != 1 + tapes + tapes + 1:
                needs = f"{tapes} writes and {tapes + 1} moves" if tapes >= 1 else "a state and two symbols or more"
                where = "right" if tapes >= 1 else "left"
                must = f"a row must be {_FORM}: on the {where} of -> line {number} needs {needs}"
                raise BadInput(must, line, f"write {_FORM}")
            listing.written.append(
                _Written(number, left[0], left[1:], right[0], right[1 : 1 + tapes], right[1 + tapes :])
            )
        return listing

    def _header(self, number: int, line: str) -> None:
        """Add the header of a line `name: values`. BadInput for an unknown or repeated name."""
        name, colon, values = _named(line)
        if not colon or name not in (*_HEADERS, "machine"):
            must = f"line {number} must be a row with -> or one of {', '.join(f'{header}:' for header in _HEADERS)}"
            raise BadInput(must, line, _CODE_DO if re.fullmatch(r"[0-9A-Z_-]{4,}", line) else None)
        if name in self.headers:
            raise BadInput(
                f"the header {name}: must occur once, and it is in line {self.headers[name][0]} too",
                f"line {number}",
                "leave one of the two lines out",
            )
        self.headers[name] = number, values

    @classmethod
    def of_json(cls, source: str) -> _Listing:
        """The headers and rows of a JSON document; BadInput for a row of another form."""
        document = parsed(source, "a Turing machine in JSON must be a JSON document", "the text")
        listing = cls()
        # The headers, then the rows.
        for name, value in document.items():
            if name == "rows":
                continue
            if name not in (*_HEADERS, "machine"):
                raise BadInput(
                    f"the keys of a Turing machine must be {', '.join((*_HEADERS, 'rows'))}",
                    name,
                    "rename the key, or leave the key out",
                )
            listing.headers[name] = f'"{name}"', cls._words(name, value)
        rows = document.get("rows")
        if not isinstance(rows, list) or not rows:
            instead = "none" if rows is None else rows
            raise BadInput(
                '"rows" must be a list of [state, [reads], state, [writes], [moves]]',
                instead,
                'write for example "rows": [["q", ["1", "_"], "q", ["1"], ["R", "R"]]]',
            )
        for number, row in enumerate(rows, 1):
            where = f"row {number}"
            if not isinstance(row, list) or len(row) != 5 or not _row_of_text(row):
                must = f"{where} must be [state, [reads], state, [writes], [moves]], all of them text"
                raise BadInput(must, json.dumps(row), 'write for example ["q", ["1", "_"], "q", ["1"], ["R", "R"]]')
            state, reads, target, writes, moves = row
            if len(reads) < 2 or len(writes) != len(reads) - 1 or len(moves) != len(reads):
                must = f"{where} must read the input and K >= 1 tapes, write K symbols and have K + 1 moves"
                raise BadInput(
                    must, json.dumps(row), 'write for example ["q", ["1", "_"], "q", ["1"], ["R", "R"]] for one tape'
                )
            listing.written.append(_Written(where, state, reads, target, writes, moves))
        return listing

    @staticmethod
    def _words(name: str, value: object) -> list[str]:
        """The values of a header in JSON: a text with spaces, a list of strings, or for head a number."""
        if name == "head" and type(value) is int:
            return [str(value)]
        if isinstance(value, str):
            return value.split()
        if isinstance(value, list) and all(isinstance(word, str) for word in value):
            return list(value)
        raise BadInput(
            f'"{name}" must be text or a list of strings', json.dumps(value), f'write for example "{name}": ["a", "b"]'
        )

    def machine(self) -> TuringMachine:
        """The machine of the listing. BadInput if a header or row is missing or does not fit."""
        if not self.written:
            raise BadInput("a Turing machine must have a row", "none", f"write {_FORM}")
        tapes = len(self.written[0].reads) - 1
        for row in self.written:
            if len(row.reads) - 1 != tapes:
                must = f"every row must have as many tapes as the first, {tapes} next to the input ({_at(row.line)})"
                raise BadInput(must, len(row.reads) - 1, f"write {tapes} symbols after the input's, in each row")
        letters, symbols = self._symbols("input"), self._symbols("work symbols")
        start = self._one("start")
        halt = self._need("halt")[1]
        rows = self._rows(letters, symbols, set(halt))
        machine = TuringMachine(tuple(letters), tuple(symbols), start, tuple(halt), self._head(), rows, tapes)
        self._complete(machine)
        return machine

    def _need(self, name: str) -> tuple[int | str, list[str]]:
        """The place and the values of a required header. BadInput if it is missing or empty."""
        if name not in self.headers:
            raise BadInput(f"a Turing machine must have the line {name}:", "none", f"add a line {name}: ...")
        line, words = self.headers[name]
        if not words:
            raise BadInput(f"{name}: must name a state ({_at(line)})", "no state", f"write a state after '{name}:'")
        return line, words

    def _one(self, name: str) -> str:
        """The value of a required header that has exactly one value."""
        line, words = self._need(name)
        if len(words) != 1:
            raise BadInput(
                f"{name}: must name exactly one state ({_at(line)})",
                " ".join(words),
                f"keep one of them, for example {name}: {words[0]}",
            )
        return words[0]

    def _symbols(self, name: str) -> list[str]:
        """The symbols that a header lists; none if the header is missing. BadInput for a repeated symbol, one with
        white space, and for the signs * . and _, which have a meaning in the table."""
        line, values = self.headers.get(name, (0, []))
        for word in values:
            if word in (BLANK, "*", ".") or word.split() != [word]:
                must = f"{name}: must list symbols other than * . and the blank _, which every tape has ({_at(line)})"
                raise BadInput(must, word, "give the symbol another name")
            if values.count(word) > 1:
                raise BadInput(f"{name}: must list each symbol once ({_at(line)})", word, "leave one of the two out")
        return values

    def _head(self) -> int:
        """The cell where the input head starts, 1 if the header is missing."""
        line, words = self.headers.get("head", (0, ["1"]))
        if len(words) != 1 or words[0] not in ("-1", "0", "1"):
            must = f"head: must be the cell where the input head starts, -1, 0 or 1 ({_at(line)})"
            raise BadInput(must, " ".join(words), "write for example head: 1, the first symbol of the input")
        return int(words[0])

    def _rows(
        self, letters: Sequence[str], symbols: Sequence[str], halt: set[str]
    ) -> dict[tuple[str, Reads], TuringRow]:
        """The table, with * and . replaced: for each state and symbols read, the row with the fewest * that applies.
        `served` remembers that row and its number of *."""
        rows: dict[tuple[str, Reads], TuringRow] = {}
        served: dict[tuple[str, Reads], tuple[int, _Written]] = {}
        tapes = len(self.written[0].writes)
        for row in self.written:
            where = _at(row.line)
            if row.state in halt:
                raise BadInput(
                    f"a state that halts must have no transition ({where})",
                    row.state,
                    f"leave the row out, or remove {row.state} from the line 'halt:'",
                )
            choices = _choices(row, letters, symbols)
            wildcards = row.reads.count("*")
            size = prod(map(len, choices))
            if len(rows) + size > MOST_ROWS:
                raise BadInput(
                    f"a table must have at most {MOST_ROWS:,} rows when * is written out ({where})",
                    f"{size:,} rows or more",
                    "use fewer symbols, tapes or *",
                )
            for reads in product(*choices):
                pair = row.state, reads
                earlier = served.get(pair)
                # Two rows apply: the one with fewer * counts; equally many are an error.
                if earlier is not None and earlier[0] == wildcards:
                    must = f"one row must serve {_pair(pair)}: {_at(earlier[1].line)} and {where} are equally specific"
                    raise BadInput(must, "two", "make one of the two more specific, or leave one out")
                if earlier is not None and earlier[0] < wildcards:
                    continue
                writes = tuple(reads[1 + k] if row.writes[k] == "." else row.writes[k] for k in range(tapes))
                served[pair] = wildcards, row
                rows[pair] = TuringRow(row.target, writes, tuple(MOVES[move] for move in row.moves))
        return rows

    def _complete(self, machine: TuringMachine) -> None:
        """Raise BadInput if no row applies to some state that does not halt and some symbols."""
        # The place that the message names: the first row of the state, else the first row that enters it.
        place_of_state = {row.target: row.line for row in reversed(self.written)}
        place_of_state |= {row.state: row.line for row in reversed(self.written)}
        reads = ((*machine.input, BLANK), *[machine.cells] * machine.tapes)
        for state in machine.states:
            if state in machine.halt:
                continue
            for choice in product(*reads):
                if (state, choice) not in machine.rows:
                    where = _at(place_of_state[state] if state in place_of_state else self.headers["start"][0])
                    must = f"a row must serve {_pair((state, choice))}, or {state} must halt ({where})"
                    raise BadInput(must, "none", f"add a row: {state} {' '.join(choice)} -> ...")


def _named(line: str) -> tuple[str, str, list[str]]:
    """The name of a header, the colon after it ("" if there is none), and the values, split at white space."""
    name, colon, values = line.partition(":")
    return " ".join(name.split()), colon, values.split()


def _lists_hash(lines: Sequence[str]) -> bool:
    """Whether # is a symbol: then only // begins a comment, in every line. It is one where it stands last in a
    header of symbols, after white space. The lines have no comments after //.

    Raises BadInput, with the line, where what follows # may be a comment or more symbols. Where # is a symbol, this is
    every other # of a header.
    """
    headers = [(number, *_named(line), line) for number, line in enumerate(lines, 1)]
    hash_is_symbol = any(name in _LISTS and values[-1:] == ["#"] for _, name, _, values, _ in headers)
    for number, name, _, values, line in headers:
        before_end = values[:-1] if name in _LISTS and values[-1:] == ["#"] else values
        after = values[values.index("#") + 1 :] if name in _LISTS and "#" in values else []
        may_be_symbols = after != [] and all(len(word) == 1 for word in after)
        if may_be_symbols or (hash_is_symbol and name in _HEADERS and "#" in "".join(before_end)):
            must = f"the symbol # must stand last in its header: symbols after it may be a comment (line {number})"
            raise BadInput(must, line.strip(), "write # at the end of the line, or // before a comment")
    return hash_is_symbol


def _choices(row: _Written, letters: Sequence[str], symbols: Sequence[str]) -> list[list[str]]:
    """For each head the symbols with which a row applies: one, or all for *. BadInput if the row has an unknown symbol
    or move."""
    where, choices = _at(row.line), []
    for k, read in enumerate(row.reads):
        allowed = [*(symbols if k else letters), BLANK]
        if read != "*" and read not in allowed:
            tape = f"work tape {k}" if k else "the input"
            raise BadInput(
                f"{tape} must be read as one of {' '.join(allowed)} or * ({where})",
                read,
                f"write one of these, or add {read} to the line '{'work symbols' if k else 'input'}:'",
            )
        choices.append(allowed if read == "*" else [read])
    for write in row.writes:
        if write not in (".", BLANK) and write not in symbols:
            must = f"a work tape must be written {' '.join((*symbols, BLANK))} or . for what was read ({where})"
            raise BadInput(must, write, f"write one of these, or add {write} to the line 'work symbols:'")
    for move in row.moves:
        if move not in MOVES:
            raise BadInput(
                f"a move must be L, R or S ({where})", move, "write L for left, R for right or S for no move"
            )
    return choices


def _row_of_text(row: list[Any]) -> bool:
    """Whether a row of JSON has state names without spaces, and lists of strings, at the right places."""
    state, reads, target, writes, moves = row
    lists = all(
        isinstance(entries, list) and all(isinstance(x, str) for x in entries) for entries in (reads, writes, moves)
    )
    names = [state, target] if isinstance(state, str) and isinstance(target, str) else [""]
    return lists and all(name.split() == [name] for name in names)


def _pair(pair: tuple[str, Reads]) -> str:
    """A state and the symbols read, as messages name them."""
    return f"({pair[0]}, {' '.join(pair[1])})"


def _code(text: str) -> TuringMachine:
    """The machine of a code. It has one work tape and no input symbols.

    The parts of the code, separated by _, are the states A, B, ...; a part has three characters for each symbol 0, 1,
    ...: the symbol written, the move and the state entered. 0 is the blank; a state without a part halts.
    """
    parts = [[part[k : k + 3] for k in range(0, len(part), 3)] for part in text.split("_")]
    names = [chr(ord("A") + k) for k in range(len(parts))]
    width = len(parts[0])
    cells = [str(k) for k in range(width)]
    rows, halt = {}, []
    for name, part in zip(names, parts, strict=True):
        if len(part) != width:
            raise BadInput(
                f"every state of a code must have {width} entries, as state A has; an entry has three characters",
                f"{len(part)} in state {name}",
                f"write an entry for each of the symbols {' '.join(cells)}",
            )
        for symbol, entry in zip(cells, part, strict=True):
            # An undefined entry has no row, and a table must be complete.
            if entry == "---":
                must = f"a code must say what is done in state {name} at {symbol}"
                raise BadInput(must, entry, f"write 1RZ, where Z halts, in the place of {entry}")
            write, move, target = entry
            if write not in cells:
                raise BadInput(
                    f"a code of {width} symbols must write one of {' '.join(cells)} (state {name}, symbol {symbol})",
                    write,
                    f"write for example {cells[0]} in the place of {write}",
                )
            # A state without a part halts.
            if target not in names and target not in halt:
                halt.append(target)
            rows[name, ("0", symbol)] = TuringRow(target, (write,), (0, MOVES[move]))
    return TuringMachine((), tuple(cells[1:]), "A", tuple(halt), 0, rows, 1, "0")
