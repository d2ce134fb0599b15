"""Random formulas, none constant: a reading of their own = interpreter = hard = soft model (balls) = automaton.

PYTHONPATH=tests python tests/compilers/formulas_at_random.py FIRST LAST [LENGTH [SOFT [LONG]]]

Each seed is a formula over two letters: of 1 to 20 operators, or each fourth one of 1 to 8 and with counts; soft models
of odd seeds have tau 1. Compared are the answers at all positions of all words to LENGTH (7), of the soft model to SOFT
(7), and of LONG words (200) of 8 to 40 letters. The automaton of the hard model's weights
is compared for all lengths with that of a temporal formula, where both are made within two seconds of the processor
(the line at the end says how often not). A formula that is constant on short words and three long
ones is drawn again, and so is one with a table.
"""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from itertools import product
from time import process_time
from typing import Any

import test_counting as counting
import test_formulas as temporal
from flint import fmpq

import symcook as sc
from symcook.alarm import TimeUp, alarm
from symcook.decide.automata import explored
from symcook.decide.decision import decide
from symcook.domains.ball import BallDomain
from symcook.forward import forward
from symcook.programs.reading import formula_of
from symcook.spec.logic import answers, language
from symcook.verify.sweep import check


def words(length: int) -> list[str]:
    return ["".join(word) for n in range(1, length + 1) for word in product("ab", repeat=n)]


def tables(tree: Any) -> bool:
    return isinstance(tree, tuple) and (tree[:1] == ("table",) or any(map(tables, tree)))


def drawn(r: random.Random, counts: bool, long: list[str]) -> tuple[Any, str]:
    """A formula that is true somewhere and false somewhere on short words or some long ones."""
    truth = counting.truth if counts else temporal.truth
    while True:
        tree = counting.drawn(r, r.randrange(1, 9)) if counts else temporal.drawn(r, r.randrange(1, 21), "ab")
        if tables(tree):  # these reach five letters
            continue
        if len({bit for word in [*words(5), *long[:3]] for bit in truth(tree, word)}) == 2:
            return tree, counting.written(tree) if counts else temporal.written(tree)


def bits(model: sc.Transformer, word: str) -> list[bool | None]:
    """What is shown at each position, in balls: None where it is no number."""
    column: list[Any] = list(forward(model, model.tokens(word), BallDomain(128)).stream[model.readout.reads[0]])
    return [x == 1 if isinstance(x, fmpq) else None for x in column]


LATE: list[int] = []
"""Seeds whose automata take longer."""


def differs(seed: int, length: int, soft_length: int, many: int) -> list[str]:
    """What is wrong about the formula of a seed."""
    r, counts = random.Random(seed), seed % 4 == 3
    long = ["".join(r.choice("ab") for _ in range(r.randrange(8, 41))) for _ in range(many)]
    tree, source = drawn(r, counts, long)
    truth = counting.truth if counts else temporal.truth
    kind = "count" if counts else "ltl"
    hard = sc.compile(kind, source, alphabet="ab")
    soft = sc.compile(kind, source, alphabet="ab", soft=True, tau=1 if seed % 2 else None)
    assert hard.program is not None
    formula, found = formula_of(hard.program), list[str]()

    def right(word: Any) -> list[bool]:
        return list(truth(tree, "".join(word)))

    if any(answers(formula, word) != right(word) for word in [*words(length), *long]):
        found.append("interpreter")
    if check(hard, right, length).mismatches or any(list(hard.run(word).outputs or ()) != right(word) for word in long):
        found.append("hard")
    if check(soft, right, soft_length, domain="ball").mismatches or any(
        bits(soft, word) != right(word) for word in long
    ):
        found.append("soft")
    if not counts:
        last = replace(hard, readout=replace(hard.readout, position="last"))
        try:
            with alarm(2):
                if decide(last, explored(language(formula), last.alphabet)).verdict != "equal":
                    found.append("automaton")
        except TimeUp:
            LATE.append(seed)
    truth.cache_clear()
    return [f"{seed}: {what}: {source}" for what in found]


def main() -> None:
    given = [int(one) for one in sys.argv[1:]]
    first, last, length, soft_length, many = given + [7, 7, 200][len(given) - 2 :]
    wrong = 0
    for seed in range(first, last):
        for line in differs(seed, length, soft_length, many):
            wrong += 1
            print(line, flush=True)
        if seed % 20 == 19 or seed == last - 1:
            done = f"{seed + 1 - first} formulas, {wrong} wrong, {len(LATE)} without automata"
            print(f"{done}, {process_time():.0f} s", flush=True)


if __name__ == "__main__":
    main()
