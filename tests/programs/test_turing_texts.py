"""Texts of Turing machines: what is read, and what is refused with the place and what must stand there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symcook.errors import BadInput
from symcook.programs.turing import TuringRow, read_turing, written

FLIP = """
machine: flips  // a comment
input: 0 1
work symbols: 0 1
start: go
halt: done
go 0 * -> go 1 R R
go 1 * -> go 0 R R
go _ * -> done . S L
"""
MACHINES = Path(__file__).parents[2] / "examples" / "machines"


def changed(old: str, new: str) -> str:
    assert FLIP.count(old) == 1
    return FLIP.replace(old, new)


def test_a_text_is_read_row_by_row() -> None:
    machine = read_turing(FLIP)
    assert machine.states == ("go", "done") and machine.tapes == 1 and machine.head == 1
    assert machine.rows["go", ("0", "1")] == TuringRow("go", ("1",), (1, 1))
    assert machine.rows["go", ("_", "1")] == TuringRow("done", ("1",), (0, -1))  # . is what was read
    assert len(machine.rows) == 9


def test_an_exact_row_beats_one_with_a_star_wherever_it_stands() -> None:
    late, early = FLIP + "go 0 1 -> done 0 L L\n", changed("go 0 *", "go 0 1 -> done 0 L L\ngo 0 *")
    for text in (late, early):
        rows = read_turing(text).rows
        assert rows["go", ("0", "1")].state == "done" and rows["go", ("0", "0")].state == "go"


def test_json_has_the_same_names() -> None:
    machine = read_turing(FLIP)
    assert read_turing(written(machine)) == machine
    document = json.loads(written(machine))
    assert document["rows"][0] == ["go", ["0", "0"], "go", ["1"], ["R", "R"]]
    short = {**document, "input": "0 1", "halt": "done", "rows": [["go", ["*", "*"], "done", ["."], ["S", "S"]]]}
    assert read_turing(json.dumps(short)).rows["go", ("1", "0")] == TuringRow("done", ("0",), (0, 0))


def test_a_code_is_a_machine_with_one_tape_and_no_input() -> None:
    machine = read_turing("1RB1LB_1LA1RZ")
    assert machine.input == () and machine.symbols == ("1",) and machine.blank == "0" and machine.halt == ("Z",)
    assert machine.rows["A", ("0", "0")] == TuringRow("B", ("1",), (0, 1))
    assert machine.rows["B", ("0", "1")] == TuringRow("Z", ("1",), (0, 1))


def test_a_sign_for_comments_may_be_a_symbol() -> None:
    text = (
        "input: a #\nwork symbols: a\nstart: go\nhalt: done\ngo # * -> go a R R // # is a symbol\ngo a * -> go a R R\n"
    )
    assert read_turing(text + "go _ * -> done . S S").input == ("a", "#")
    assert read_turing(FLIP.replace("R R\n", "R R # right\n")) == read_turing(FLIP)


def test_a_sign_for_comments_is_a_symbol_only_at_the_end_of_a_header() -> None:
    """A comment of one-letter words was read as more symbols."""
    text = "input: a b{}\nwork symbols: x\nstart: q\nhalt: h\nq * * -> h x S S\n"
    assert read_turing(text.format(" # the symbols")).input == ("a", "b")
    assert read_turing(text.format(" #")).input == ("a", "b", "#")
    assert read_turing(text.format(" # // the symbols")).input == ("a", "b", "#")
    for ending in (" # c", "\t# c", " # # c"):
        with pytest.raises(BadInput, match=r"# must stand last .*\(line 1\)"):
            read_turing(text.format(ending))


def test_where_hash_is_a_symbol_no_comment_adds_names_to_a_header() -> None:
    """In a text with the symbol #, the comments of other headers became symbols and states that halt."""
    text = "input: a{}\nwork symbols: x #\nstart: q{}\nhalt: h{}\nq * * -> h x S S\n"
    assert read_turing(text.format("", " // go", "")).symbols == ("x", "#")
    for number, comments in ((1, (" # the letters", "", "")), (1, (" #b", "", "")), (4, ("", "", " # it ends"))):
        with pytest.raises(BadInput, match=rf"# must stand last .*\(line {number}\)"):
            read_turing(text.format(*comments))


def test_lines_are_those_of_an_editor() -> None:
    """The rest of a comment after a line separator was read as a row; a byte order mark was part of the first name."""
    for sign in ("\u2028", "\x0b", "\x0c", "\x1c", "\x85"):
        assert read_turing(f"// go * *{sign}go 0 1 -> done 0 L L\n{FLIP}") == read_turing(FLIP)
    assert read_turing("\ufeff" + FLIP.replace("\n", "\r\n")) == read_turing(FLIP)
    assert read_turing("\ufeff1RB1LB_1LA1RZ") == read_turing("1RB1LB_1LA1RZ")


REFUSED = {
    "": "text, JSON, or a code",
    changed("go 1 * -> go 0 R R\n", ""): r"a row must serve \(go, 1 _\).*line 7",
    changed("go 1 *", "go 0 *"): r"one row must serve \(go, 0 0\).*line 7 and line 8",
    changed("go 1 *", "go 2 *"): r"the input must be read as one of 0 1 _ .*line 8.*given: 2",
    changed("go 1 * -> go 0", "go 1 * -> go x"): r"must be written 0 1 _ or .*line 8.*given: x",
    changed("go 1 * -> go 0 R R", "go 1 * -> go 0 R U"): r"a move must be L, R or S \(line 8\); given: U",
    changed("go 1 * -> go 0 R R", "go 1 * -> go 0 R"): r"line 8 needs 1 writes and 2 moves",
    changed("go 1 * -> go 0 R R", "go 1 -> go 0 R R"): r"line 8 needs a state and two symbols",
    changed("go 1 * -> go 0 R R", "go 1 * * -> go 0 0 R R R"): r"as many tapes as the first.*line 8",
    changed("halt: done", "stop: done"): r"line 6 must be a row with -> or one of",
    changed("halt: done\n", ""): "must have the line halt",
    changed("start: go", "start: went"): r"a row must serve \(went, 0 _\).*line 5",
    changed("go _ * -> done", "go _ * -> gone"): r"a row must serve \(gone, 0 _\).*line 9",
    changed("input: 0 1", "input: 0 _"): r"other than \* \. and the blank _.*line 3",
    changed("input: 0 1", "input: 0 1\nhead: 2"): r"the input head starts, -1, 0 or 1 \(line 4\); given: 2",
    changed("start: go", "start: go\nstart: go"): r"must occur once, and it is in line 5 too",
    FLIP + "done * * -> go . S S": r"a state that halts must have no transition \(line 10\); given: done",
    "1RB1LB_1LA---": r"state B at 1; given: ---",
    "1RB2LB_1LA1RZ": r"must write one of 0 1 \(state A, symbol 1\); given: 2",
    "1RB1LB_1LA": r"must have 2 entries, as state A has.*given: 1 in state B",
    "1RB1LB_1LA1R": r"one of input:.*a code has three characters for each row, as 1RB1LB_1LA1RZ has",
    '{"input": ["a"]}': r'"rows" must be a list of .*; given: none',
    '{"rows": []}': "rows",
    '{"rows": [["a"]], "start": "a"}': "row 1 must be",
    '{"rows": [["a", ["_", "_"], "a", ["_"], ["S", "S"]]], "begin": "a"}': "the keys of a Turing machine",
    "{": "JSON document",
}


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_is_no_machine_is_refused_with_its_place(number: int) -> None:
    text, words = list(REFUSED.items())[number]
    with pytest.raises(BadInput, match=words):
        read_turing(text)


def test_words_over_the_input() -> None:
    machine = read_turing(FLIP)
    assert machine.word("01") == ("0", "1") == machine.word(["0", "1"])
    with pytest.raises(BadInput, match="not contain the blank"):
        machine.word("0_1")
    with pytest.raises(BadInput, match="one of the machine's input, 0 1; given: x"):
        machine.word("x")
    with pytest.raises(BadInput, match="which has none"):
        read_turing("1RB1LB_1LA1RZ").word("1")


def test_every_example_is_a_machine() -> None:
    for file in sorted(MACHINES.glob("*.tm")):
        machine = read_turing(file.read_text())
        assert machine.blank == "0" or read_turing(written(machine)) == machine, file
