"""Decisions compared with brute force: random claims about random models, and near misses of them.

    python benchmarks/near_misses.py --claims 10000 --seed 7 [--seconds 4]

A claim is drawn by the makers of `claim_corpus`, with another seed; a near miss has one to three places changed: a
constant, < and <=, a token, a connective, or i for i + 1. Its truth on all short strings is computed there, without
symcook. Wrong is: decided true, and false of a short string; false of a string on which it is true (fragment A); not
the smallest string (fragment A). Strings of fragment B are candidates that symcook runs first, so that one on which the
claim is true is counted only. Prints one line for each wrong decision, then the counts; exit 1 where one is wrong.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from claim_corpus import near_miss
from claim_corpus.families import FAMILIES, ModelOfCorpus
from claim_corpus.sentences import Facts, Outside, Refused, Sentence

from symcook.alarm import TimeUp, Until
from symcook.errors import SymcookError
from symcook.model.modelfile import to_document
from symcook.proof.claims.decision import REGULAR, decide
from symcook.proof.statements import certify

LENGTH = {2: 6, 3: 4}
"""Up to this length all strings over so many symbols are tried."""
PER_MODEL = 40
SHIFTS = (("(i)", "(i + 1)"), (", i)", ", i + 1)"), ("(i - 1)", "(i)"), ("1..n", "2..n"), ("<->", "->"), (" & ", " | "))


def changed(statement: str, model: ModelOfCorpus, rng: random.Random) -> str:
    """A near miss of a statement."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        here = [(old, new) for old, new in SHIFTS if old in statement]
        if here and rng.random() < 0.4:
            old, new = rng.choice(here)
            place = rng.choice([found.start() for found in re.finditer(re.escape(old), statement)])
            statement = statement[:place] + new + statement[place + len(old) :]
        else:
            with suppress(IndexError):  # nothing in it can be changed
                statement = near_miss(statement, model, rng)
    return statement


def drawn(rng: random.Random, seed: int) -> Iterator[tuple[ModelOfCorpus, list[tuple[Facts, tuple[str, ...]]], str]]:
    """Models, their runs, and claims about them, without end."""
    number = 0
    while True:
        model = FAMILIES[number % len(FAMILIES)](random.Random(f"{seed}.{number}"), f"m{number}")
        runs = list(model.runs(LENGTH[len(model.typed)]))
        for k in range(PER_MODEL):
            statement = rng.choice(model.makers[rng.choice(sorted(model.makers))])(rng)
            yield model, runs, changed(statement, model, rng) if k % 4 else statement
        number += 1


def verdict(model: ModelOfCorpus, runs: list[tuple[Facts, tuple[str, ...]]], statement: str, seconds: float) -> str:
    """How a decision compares with brute force; what is wrong begins with WRONG."""
    try:
        sentence = Sentence(statement, model.tokens)
        false_of = next((typed for facts, typed in runs if not sentence.true(facts)), None)
        claim = certify.claim(to_document(model.model), statement)
    except (Outside, ZeroDivisionError, ValueError):
        return "not tried: it asks for a position that a string does not have"
    except (AssertionError, SymcookError):
        return "not tried: it is no statement"
    try:
        found = decide(claim, certify.library(claim, certify.citable()), Until(seconds))
    except TimeUp:
        return "not decided: time"
    if found.true or found.proved is not None:
        return f"decided true by {found.fragment}" if false_of is None else f"WRONG: true, but false of {false_of}"
    if found.string is None:
        return "not decided"
    tokens = list(model.model.embedding.words or ())
    typed = tuple(tokens[k] for k in found.string if tokens[k] in model.typed)
    try:
        holds = sentence.true(model.facts(typed))
    except (Outside, ZeroDivisionError):
        return "decided false of a string at which it has no value"
    except Refused:  # what has no run makes no statement false
        holds = True
    if holds:
        return f"WRONG: false of {typed}, but true" if found.fragment == REGULAR else "a candidate that is none"
    if found.fragment == REGULAR and false_of not in (None, typed):
        return f"WRONG: false of {typed}, but {false_of} is smaller"
    return f"decided false by {found.fragment}"


def main() -> int:
    reader = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reader.add_argument("--claims", type=int, default=1000)
    reader.add_argument("--seed", type=int, default=7)
    reader.add_argument("--seconds", type=float, default=4)
    asked = reader.parse_args()
    counts, claims = Counter[str](), drawn(random.Random(asked.seed), asked.seed)
    for number in range(1, asked.claims + 1):
        model, runs, statement = next(claims)
        told = verdict(model, runs, statement, asked.seconds)
        wrong = told.startswith("WRONG")
        counts["WRONG" if wrong else told] += 1
        if wrong:
            print(f"{told}\n    {model.name}: {statement}", flush=True)
        if number % 100 == 0 or number == asked.claims:
            print(number, dict(sorted(counts.items())), flush=True)
    return 1 if counts["WRONG"] else 0


if __name__ == "__main__":
    sys.exit(main())
