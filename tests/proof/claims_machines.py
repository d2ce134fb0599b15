"""The statements about the decoders that run machines, at runs of small machines: beside an interpreter, of words that
go on as they should and of words that go on otherwise."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from proof.adequacy import F, Shared, adequate
from proof.solved_runs import run_values

from symcook.proof.grammar import leading_names
from symcook.proof.replay import statements

Row = tuple[int, tuple[int, ...], int, tuple[int, ...], tuple[int, ...]]
"""State, what is read on each tape, the next state, what is printed (on tape 0 nothing counts), moves."""


@dataclass(frozen=True)
class Steps:
    """A run: before each step, and behind the last one, the state, the heads and the tapes; the rows, from 1."""

    states: list[int]
    rows: list[int]
    heads: list[list[int]]
    tapes: list[list[dict[int, int]]]

    @property
    def output(self) -> list[int]:
        """The last tape from its head on, up to a blank."""
        tape, head = self.tapes[-1][-1], self.heads[-1][-1]
        return list(itertools.takewhile(bool, (tape.get(cell, 0) for cell in itertools.count(head))))

    def instance(self, mark: str = "") -> dict[str, Any]:
        """The functions y, v, h and a of `machinerun`."""
        last = len(self.rows)
        return {
            f"y{mark}()": [lambda d: F(self.states[int(d)]) if 0 <= d <= last else F(0)],
            f"v{mark}()": [lambda d: F(self.rows[int(d)]) if 0 <= d < last else F(0)],
            f"h{mark}()": [lambda t, d: F(self.heads[int(d)][int(t)]) if 0 <= d <= last else F(0)],
            f"a{mark}()": [lambda t, d, e: F(self.tapes[int(d)][int(t)].get(int(e), 0)) if 0 <= d <= last else F(0)],
        }


@dataclass(frozen=True)
class Machine:
    """States 1..Q, letters 1..S, symbols 0..G, and a row for each thing that it does; the states `final` halt."""

    Q: int
    S: int
    G: int
    rows: tuple[Row, ...]
    final: tuple[int, ...]
    first: int = 1

    @property
    def output_tape(self) -> int:
        return len(self.rows[0][1]) - 1

    def run(self, word: Sequence[int], first: int | None = None) -> Steps:
        state = self.first if first is None else first
        heads, tapes = [0] * (self.output_tape + 1), [dict(enumerate(word)), *({} for _ in range(self.output_tape))]
        done = Steps([state], [], [heads], [tapes])
        while state not in self.final:
            seen = tuple(tape.get(head, 0) for tape, head in zip(tapes, heads, strict=True))
            number = next(k for k, row in enumerate(self.rows, 1) if row[:2] == (state, seen))
            _, _, state, prints, moves = self.rows[number - 1]
            tapes = [tapes[0], *(tapes[t] | {heads[t]: prints[t]} for t in range(1, self.output_tape + 1))]
            heads = [head + move for head, move in zip(heads, moves, strict=True)]
            done.rows.append(number)
            done.states.append(state)
            done.heads.append(heads)
            done.tapes.append(tapes)
        return done

    def tables(self, mark: str = "") -> dict[str, Any]:
        """Its sizes and functions, by the names of the family with `mark` behind them."""

        def cell(place: int, r: F, t: F | None = None) -> F:
            if not 1 <= r <= len(self.rows) or (t is not None and not 0 <= t <= self.output_tape):
                return F(0)
            found: Any = self.rows[int(r) - 1][place]
            return F(found if t is None else found[int(t)])

        return {
            **{
                f"{name}{mark}": F(value)
                for name, value in (("Q", self.Q), ("K", self.output_tape), ("R", len(self.rows)))
            },
            f"final{mark}": lambda q: F(int(q in self.final)),
            **{f"{name}{mark}": lambda r, place=place: cell(place, r) for name, place in (("from", 0), ("to", 2))},
            **{
                f"{name}{mark}": lambda t, r, place=place: cell(place, r, t)
                for name, place in (("read", 1), ("print", 3), ("move", 4))
            },
        }


COPY = Machine(2, 1, 1, ((1, (1, 0), 1, (0, 1), (1, 1)), (1, (0, 0), 2, (0, 0), (1, -1))), (2,))
"""Writes what it reads, then goes back by one cell: of one letter it puts out that one."""
HALTED = Machine(2, 1, 1, COPY.rows, (2,), first=2)
ONCE = Machine(2, 1, 1, ((1, (1, 0), 2, (0, 0), (1, -1)),), (2,))
STAY = Machine(2, 1, 1, ((1, (1, 0), 1, (0, 1), (0, 0)), (1, (1, 1), 2, (0, 1), (1, 0))), (2,))
"""Both heads stay at the first step, and what it wrote decides the second; it puts out the one letter."""
CASES: list[tuple[Machine, tuple[int, ...]]]
CASES = [(COPY, (1,)), (COPY, ()), (HALTED, ()), (HALTED, (1,)), (ONCE, (1,)), (STAY, (1,))]


def offered(values: dict[str, Any]) -> dict[str, Any]:
    """As an instance has them: each the one value, functions with brackets behind their names."""
    return {f"{name}()" if callable(value) else name: [value] for name, value in values.items()}


def tails(right: list[int], labels: int) -> Iterator[list[int]]:
    """How a word may go on: as it should; with another token at the first or the last place; with other tokens
    everywhere."""
    yield right
    for place in sorted({0, len(right) - 1} if right else ()):
        yield [*right[:place], (right[place] + 1) % labels, *right[place + 1 :]]
    if right:
        yield [(token - 1) % labels for token in right]


def decoder(claim: str, family: str, machine: Machine, first: Any, tokens: list[int]) -> dict[str, Any]:
    """The tables of a decoder of a family, the tokens that it is run on, and its run there."""
    names = leading_names(statements()[claim].expanded)
    return dict(_decoder(tuple(names[names.index("one") :]), family, machine, first, tuple(tokens)))


@cache
def _decoder(names: tuple[str, ...], family: str, machine: Machine, first: Any, tokens: tuple[int, ...]) -> Any:
    """Of several claims the same."""
    tables = machine.tables() | {"S": F(machine.S), "G": F(machine.G), "first": first}
    tables["w"] = lambda i: F(tokens[int(i)]) if 0 <= i < len(tokens) else F(0)
    return offered(tables | run_values(family, names, tables | {"n": F(len(tokens))}))


def answer(v: Any, i: int) -> int:
    """The label with the greatest score at i, the first of several."""
    labels = range(blank(v) + size(v, "G") + 1)
    return max(labels, key=lambda label: v["o()"][0](F(label), F(i)))


def blank(v: Any) -> int:
    """The token of the blank."""
    return size(v, "S") + size(v, "R") + 1


def size(v: Any, name: str) -> int:
    return int(v[name][0])


def goes_on(v: Any) -> bool | None:
    """Each token of the tail is what is answered before it, if and only if the tail is that of the machine's steps and
    output; and a blank is answered behind that."""
    if v["false"]:
        return None
    start = len(v["front"]) - 1
    emitted = all(answer(v, start + k) == token for k, token in enumerate(v["tail"]))
    ended = answer(v, start + len(v["tail"])) == blank(v)
    return emitted == (v["tail"] == v["wanted"]) and (ended or not emitted)


def wanted(machine: Machine, rows: Sequence[int], output: Sequence[int]) -> list[int]:
    """The tokens of the steps and of the output."""
    return [machine.S + row for row in rows] + [machine.S + len(machine.rows) + 1 + symbol for symbol in output]


def runs(claim: str) -> Iterator[dict[str, Any]]:
    for machine, word in CASES:
        steps, front = machine.run(word), [0, *word]
        right = wanted(machine, steps.rows, steps.output if claim.endswith("thm2") else [])
        shared = {
            "n": [F(k) for k in range(len(front) + len(right) + 2)],
            "N": F(len(steps.rows)), "L": F(len(steps.output)), "m": F(len(word)), "A": F(1), "B": F(1),
            "time()": [lambda m: m], "e": [F(k) for k in range(-2, 4)], "b": [F(b) for b in range(-1, 8)],
            **steps.instance(), "false": False, "front": front, "wanted": right,
            "output": steps.output,
        }  # fmt: skip
        for tail in tails(right, machine.S + len(machine.rows) + machine.G + 2):
            v = shared | decoder(claim, "family-turing", machine, F(machine.first), front + tail) | {"tail": tail}
            yield v
        yield v | {"a()": [lambda t, d, e: F(int(t == 1))], "false": True}
        yield v | {"o()": [lambda label, i: F(int(label == 4))], "false": True}


ENDS = [("b = S + R + 1)", "b = S + R + 2)"), ("b = S + R + 1)", "b = S + R)")]
LATER = [("b = S + R + 1 +", "b = S + R + 2 +"), ("b = S + R + 1 +", "b = S + R +")]
OTHER = [
    ("b, i)) <-> (all d in 0..N - 1. w(m + 1", "b, i) | i = m) <-> (all d in 0..N - 1. w(m + 1"),
    ("<-> (all d in 0..N - 1. w(m", "<-> (all d in 1..N - 1. w(m"),
    ("w(m + N + 1 + f) = S + R + 1", "w(m + N + 1 + f) = S + R + 2"),
]
"""By something else at the first token: as decoding, or as what is asked of the word; another output."""


@adequate("merrill2024.thm2", at=runs("merrill2024.thm2"), misses=[*ENDS, *OTHER], fixed=True)
def it_goes_on_by_steps_and_output(v: Any) -> bool | None:
    return goes_on(v)


@adequate("merrill2024.cor2.1.bounded", at=runs("merrill2024.cor2.1.bounded"), misses=LATER, fixed=True)
@adequate("merrill2024.s1.1.realtime", at=runs("merrill2024.s1.1.realtime"), misses=LATER, fixed=True)
def the_output_begins_in_time(v: Any) -> bool | None:
    """Where the tokens of the steps are decoded, the first symbol of the output or a blank is answered behind one of at
    most m + 1 of them."""
    start, steps = len(v["front"]) - 1, v["wanted"]
    if v["false"] or any(answer(v, start + k) != token for k, token in enumerate(v["tail"])):
        return None
    symbol = next(iter(v["output"]), 0)
    return len(steps) <= v["m"] + 1 and answer(v, start + len(steps)) == blank(v) + symbol


# --- Without $ --------------------------------------------------------------------------------------------------------


def ahead(machine: Machine) -> tuple[Machine, dict[tuple[int, int, int], int]]:
    """The machine that reads its input one letter ahead: a state is one of the other machine's and a letter or blank in
    memory, tape 1 a copy of what was read. And which row is for a row, what is read ahead and what memory holds, where
    S + 1 is for a cell that the copy lacks, whose symbol is in memory."""
    S, rows, numbers = machine.S, [], {}
    for r, (state, reads, to, prints, moves) in enumerate(machine.rows, 1):
        for b, j in itertools.product(range(S + 1), range(S + 2)):
            if reads[0] <= S and (reads[0] or not j):
                memory, copy = (j, reads[0]) if j <= S else (reads[0], 0)
                begin, end = (state - 1) * (S + 1) + memory + 1, (to - 1) * (S + 1) + (b if moves[0] == 1 else 0) + 1
                rows.append((begin, (b, copy, *reads[1:]), end, (0, reads[0], *prints[1:]), (moves[0], *moves)))
                numbers[r, b, j] = len(rows)
    final = tuple((q - 1) * (S + 1) + k + 1 for q in machine.final for k in range(S + 1))
    return Machine(machine.Q * (S + 1), S, machine.G, tuple(rows), final), numbers


def unmarked_runs(claim: str = "merrill2024.thm2.nodollar.corrected") -> Iterator[dict[str, Any]]:
    """Of the empty word the machine that halts at once: no column has run, and two tokens are tried at position -1."""
    for machine, word in CASES:
        if not word and machine is not HALTED:
            continue
        other, numbers = ahead(machine)

        def first(c: Any, machine: Machine = machine) -> F:
            return (machine.first - 1) * (machine.S + 1) + F(c) + 1

        def row(*at: Any, numbers: dict[tuple[int, int, int], int] = numbers) -> F:
            return F(numbers.get((int(at[0]), int(at[1]), int(at[2])), 0))

        steps, read = machine.run(word), other.run(word[1:], int(first(word[0] if word else 1)))
        right = wanted(other, read.rows, steps.output)
        shared = {
            "n": [F(k) for k in range(len(word) + len(right) + 2)], "N": F(len(steps.rows)), "L": F(len(steps.output)),
            "m": F(len(word)), "e": [F(k) for k in range(-2, 4)], "b": [F(b) for b in range(-1, 13)],
            **offered(machine.tables("0") | {"first0": F(machine.first), "row": row}), **steps.instance(),
            **read.instance("2"), "false": False, "front": list(word), "wanted": right,
            **offered(other.tables("1") | {"first1": first, "row1": row}),
        }  # fmt: skip
        for tail in tails(right, other.S + len(other.rows) + other.G + 2):
            v = shared | decoder(claim, "family-turing-no-start", other, first, [*word, *tail]) | {"tail": tail}
            if word:
                yield v
            else:
                for best in (1, other.S + len(other.rows) + 1):
                    yield v | {"o()": [lambda label, i, best=best: F(int(label == best))]}
        yield v | {"first0": [F(0)], "false": True}


AHEAD = [
    ("b, i)) <-> (all d in 0..N - 1. w(m + d)", "b, i) | i = m - 1) <-> (all d in 0..N - 1. w(m + d)"),
    ("<-> (all d in 0..N - 1. w(m", "<-> (all d in 1..N - 1. w(m"),
    ("w(m + N + f) = S + R + 1", "w(m + N + f) = S + R + 2"),
    ("v2(d) = row(v(d), b, j)", "v2(d) = row(v(d), b, 0)"),
    ("S + 2, 0))))", "S + 1, 0))))"),
    ("Q0*(S + 1), S, G, K0 + 1, R1", "Q0*S, S, G, K0 + 1, R1"),
]
"""By something else at the first token, another output; rows with an empty memory; a smaller table."""


UNMARKED_RUNS = Shared(unmarked_runs)


@adequate("merrill2024.thm2.nodollar", at=UNMARKED_RUNS, false=True, fixed=True)
def the_output_comes_behind_the_steps(v: Any) -> bool | None:
    """Where the tokens after the word are those that are answered, they are the machine's, and a blank ends them."""
    start = len(v["front"]) - 1
    if v["false"] or any(answer(v, start + k) != token for k, token in enumerate(v["tail"])):
        return None
    return v["tail"] == v["wanted"] and answer(v, start + len(v["tail"])) == blank(v)


@adequate("merrill2024.thm2.nodollar.corrected", at=UNMARKED_RUNS, misses=[*ENDS, *AHEAD], fixed=True)
def it_goes_on_by_rows_that_read_ahead(v: Any) -> bool | None:
    """The table has the sizes that are said, and decoding goes on by its rows and by the machine's output."""
    S, reads = size(v, "S"), [v["read0()"][0](F(0), F(r)) for r in range(1, size(v, "R0") + 1)]
    rows = sum((S + 1) * (S + 2 if letter else 1) for letter in reads)
    sizes = [size(v, name) for name in "QKR"] == [size(v, "Q0") * (S + 1), size(v, "K0") + 1, rows]
    return None if v["false"] else sizes and (not v["front"] or goes_on(v))
