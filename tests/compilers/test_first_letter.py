"""The machine that begins at the first letter in the place of one that begins left of it (``at_first_letter``): all
machines of small classes, each run beside the given one by the interpreter. Of this there is no statement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice, product

import pytest

from symcook.programs.steps import at_first_letter
from symcook.programs.turing import TuringMachine, TuringRow
from symcook.spec.turing import execute

LIMIT = 12
"""Tokens of a run; the machines of these classes that go on behind them mostly never halt."""
WORDS = [("a",) * size for size in range(4)]


def machines(states: str, letters: str, works: bool) -> Iterator[TuringMachine]:
    """Every machine of these states with one work tape, whose rows go by what the input head reads alone: each has a
    next state (or h, which halts), a symbol that is written, a move of the input head and, with `works`, one of the
    work head, which goes right otherwise."""
    reads = [*letters, "_"]
    rows = product((*states, "h"), "_x", (-1, 0, 1), (-1, 0, 1) if works else (1,))
    choices = [TuringRow(to, (write,), (move, work)) for to, write, move, work in rows]
    places = list(product(states, reads))
    for chosen in product(choices, repeat=len(places)):
        table = dict(zip(places, chosen, strict=True))
        whole = {(state, (read, cell)): row for (state, read), row in table.items() for cell in "_x"}
        yield TuringMachine(tuple(letters), ("x",), states[0], ("h",), 1, whole, 1)


def same(given: TuringMachine, made: TuringMachine, word: tuple[str, ...]) -> bool:
    """Whether `made` begins at the first letter, takes one step a cell to where the given machine begins, which leave
    the work tape as it is, and from there on does what that does, step by step, with the same output and tape."""
    more = (1 - given.head) * bool(given.input)
    one, other = execute(given, word, LIMIT), execute(made, word, LIMIT + more)
    entered = [{"write": ["_"], "move": ["L", "S"]}] * more
    first = [{key: told[key] for key in ("write", "move")} for told in other.documents[1 : more + 1]]
    later = [told | {"position": int(str(told["position"])) - more} for told in other.documents[more + 1 :]]
    return (
        (made.head, first, other.documents[more]["token"]) == (1, entered, given.start)
        and later == list(one.documents[1:])
        and (one.ended, one.output, one.steps + more) == (other.ended, other.output, other.steps)
        and all({k: v for k, v in was.items() if v != "_"} == {k: v for k, v in now.items() if v != "_"}
                for was, now in zip(one.tapes, other.tapes, strict=True))
    )  # fmt: skip


def differing(found: Iterator[TuringMachine]) -> tuple[int, int, list[tuple[TuringMachine, tuple[str, ...]]]]:
    """How many machines and runs there are, for heads that begin on cell 0 and -1, and those that differ."""
    count, runs, wrong = 0, 0, []
    for machine in found:
        for head in (0, -1):
            given = replace(machine, head=head)
            made, count = at_first_letter(given), count + 1
            for word in WORDS[: 4 if machine.input else 1]:
                runs += 1
                if not same(given, made, word):
                    wrong.append((given, word))
    return count, runs, wrong


@pytest.mark.sweep
def test_all_machines_of_one_state() -> None:
    """With and without a letter; all words to length 3."""
    assert differing(machines("p", "a", works=True)) == (2 * 1296, 8 * 1296, [])
    assert differing(machines("p", "", works=True)) == (2 * 36, 2 * 36, [])


@pytest.mark.sweep
def test_machines_of_two_states() -> None:
    """One in 211 of them; all are 104,976 (benchmarks/diaries/searches.md)."""
    every = machines("pq", "a", works=False)
    assert differing(islice(every, 5, None, 211)) == (2 * 498, 8 * 498, [])


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("wrong", ["no step", "a step more", "it writes", "its work head moves", "another start"])
def test_what_would_be_wrong_is_found(wrong: str) -> None:
    """Each change of the step that goes left is seen on the first machines already."""

    def broken(given: TuringMachine) -> TuringMachine:
        made = at_first_letter(replace(given, head=-1) if wrong == "a step more" else given)
        rows = dict(made.rows)
        for (state, reads), row in made.rows.items():
            if state not in given.states:
                rows[state, reads] = replace_row(row)
        return replace(made, rows=rows, start=given.start if wrong == "no step" else made.start)

    def replace_row(row: TuringRow) -> TuringRow:
        if wrong == "it writes":
            return row._replace(writes=("x",))
        if wrong == "its work head moves":
            return row._replace(moves=(-1, 1))
        return row._replace(state="q") if wrong == "another start" else row

    for machine in islice(machines("pq", "a", works=False), 5, None, 21_111):
        given = replace(machine, head=0)
        assert same(given, at_first_letter(given), ("a",)) and not same(given, broken(given), ("a",))


def test_states_that_are_called_like_the_new_ones() -> None:
    """A machine whose own states are p, p<1 and p<0: the new ones are others."""
    row = TuringRow("h", ("x",), (1, 1))
    rows = {("p", (read, cell)): row._replace(state="p<1") for read in "a_" for cell in "_x"}
    rows |= {("p<1", (read, cell)): row._replace(state="p<0") for read in "a_" for cell in "_x"}
    rows |= {("p<0", (read, cell)): row for read in "a_" for cell in "_x"}
    for head in (0, -1):
        given = TuringMachine(("a",), ("x",), "p", ("h",), head, rows, 1)
        made = at_first_letter(given)
        assert len(made.states) == len(given.states) + 1 - head and all(same(given, made, word) for word in WORDS)
