"""Turing machines at random, run by the book and by their decoders.

    python tests/thought/machines_at_random.py integers 4000     networks as they are, heads as they are shown to do
    python tests/thought/machines_at_random.py ball 300          the whole model in balls, with either weighting in turn
    python tests/thought/machines_at_random.py small 104976      every machine with two states, one letter, one work
                                                                 symbol and one work tape (integers; 18^4 of them)

A third argument is the first seed. Each prints how many machines, runs and tokens there were, how many tokens were
wrong, and what was met on the way.
"""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from symcook.compilers.turing import compiled
from symcook.programs.steps import document
from symcook.programs.turing import TuringMachine, TuringRow, written
from symcook.spec.turing import TuringRun, execute
from symcook.thought.integers import IntegerDecoder
from symcook.thought.running import run_machine


def drawn(seed: int, small: bool = False) -> TuringMachine:
    """A complete machine at random; with `small` few enough tokens for a model."""
    draw = random.Random(seed)
    tapes = draw.choice((1, 1, 2) if small else (1, 2, 3))
    states = [f"q{k}" for k in range(draw.randint(1, 2 if small else 4))]
    letters = tuple("01"[: draw.randint(1, 2)])
    symbols = tuple("01x"[: draw.randint(1, 1 if small and tapes > 1 else 2 if small else 3)])
    cells = ("_", *symbols)
    halt = ("h",)
    rows = {}
    for state in states:
        for reads in itertools.product((*letters, "_"), *[cells] * tapes):
            entered = draw.choice((*states, *states, *states, "h"))
            writes = tuple(draw.choice(cells) for _ in range(tapes))
            rows[state, reads] = TuringRow(entered, writes, tuple(draw.choice((-1, 0, 1)) for _ in range(tapes + 1)))
    return TuringMachine(
        letters, symbols, draw.choice((*states, *states, "h")), halt, draw.choice((-1, 0, 1)), rows, tapes
    )


def words_for(machine: TuringMachine, seed: int) -> Iterator[tuple[str, ...]]:
    draw = random.Random(-1 - seed)
    yield ()
    for _ in range(2):
        yield tuple(draw.choice(machine.input) for _ in range(draw.randint(1, 5)))


def wrong(run: TuringRun, tokens: Sequence[Any], first: int, ended: bool) -> int:
    """How many tokens are not those of the run by the book; an end that is not is one more."""
    found = [{"position": first + k, **document(token)} for k, token in enumerate(tokens)]
    pairs = itertools.zip_longest(found, run.documents)
    return sum(one != other for one, other in pairs) + (ended != run.ended)


def integers(machine: TuringMachine, word: tuple[str, ...], limit: int) -> tuple[TuringRun, int]:
    """The run by the book, and how many tokens of the decoder in integers are wrong."""
    run, steps = execute(machine, word, limit), list(IntegerDecoder(machine).run(word, limit + 1))
    ended = len(steps) <= limit
    return run, wrong(run, [step.token for step in steps[:limit]], len(word) + 1, ended)


def in_balls(machine: TuringMachine, word: tuple[str, ...], limit: int, weighting: str) -> tuple[TuringRun, int]:
    """The same of the whole model in balls."""
    model = compiled(machine, written(machine), "random", weighting)
    found = run_machine(model, word, limit, "ball")
    run = execute(machine, word, limit)
    return run, wrong(run, found.tokens, len(word) + 1, found.ended)


def small_machines() -> Iterator[TuringMachine]:
    """Two states, of which either may halt nowhere; one letter that is never given; one work symbol and tape."""
    does = list(itertools.product(("a", "b", "h"), ("_", "1"), (-1, 0, 1)))
    for rows in itertools.product(does, repeat=4):
        table = {}
        for (state, cell), (entered, write, move) in zip(itertools.product("ab", "_1"), rows, strict=True):
            for read in ("0", "_"):
                table[state, (read, cell)] = TuringRow(entered, (write,), (0, move))
        yield TuringMachine(("0",), ("1",), "a", ("h",), 0, table, 1)


def main(kind: str, count: int, first: int = 0) -> int:
    met: Counter[str] = Counter()
    begun = time.process_time()
    cases: Iterator[tuple[TuringMachine, tuple[str, ...]]]
    if kind == "small":
        cases = ((machine, ()) for machine in itertools.islice(small_machines(), first, first + count))
    else:
        machines = ((drawn(seed, kind == "ball"), seed) for seed in range(first, first + count))
        cases = ((machine, word) for machine, seed in machines for word in words_for(machine, seed))
    machines_met = set()
    for number, (machine, word) in enumerate(cases):
        if kind == "ball":
            run, bad = in_balls(machine, word, 40, ("average", "rightmost")[number // 3 % 2])
        else:
            run, bad = integers(machine, word, 50 if kind == "small" else 60)
        machines_met.add(number if kind == "small" else number // 3)
        met["runs"] += 1
        met["tokens"] += len(run.documents)
        met["wrong"] += bad
        met["ended by themselves"] += run.ended
        met["halted at the start"] += run.ended and run.steps == 0
        met["with an output"] += bool(run.output)
        met["blanks after the output"] += (
            run.ended and any(symbol != "_" and place > 0 for place, symbol in run.tapes[-1].items()) and not run.output
        )
        met["moves of 0"] += sum("S" in one.get("move", ()) for one in run.documents)
        met["farthest cell"] = max(met["farthest cell"], *(abs(place) for tape in run.tapes for place in tape), 0)
    seconds = time.process_time() - begun
    print(f"{kind}: {len(machines_met)} machines, " + ", ".join(f"{value} {name}" for name, value in met.items()))
    print(f"processor time {seconds:.1f} s")
    return int(met["wrong"] > 0)


if __name__ == "__main__":
    kind, *rest = sys.argv[1:] or ["integers", "4000"]
    sys.exit(main(kind, *map(int, rest or ["0"])))
