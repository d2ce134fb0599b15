"""A corpus of claims about models: 300 models and 1,000 claims, drawn by a seed, each with its truth.

Nothing is stored: `corpus()` draws the same models and claims each time. The truth of a claim comes from here alone:
`sentences` reads the statement and evaluates it at a string, and each family in `families` computes the values of its
models by the formula that the model is built from. Neither asks symcook.

Kinds of claims (100 each): language, closed, bound, gap, neighbour, place, recursion, monotone, eps, arithmetic. A
true claim is true of strings of all lengths by the argument that stands at its maker, and of all strings that are
tried. Each fifth claim is a near miss: one comparison, number or token of a true claim is changed, and a string that is
tried makes it false. The models of an even number are the open half, which may be looked at; the others are kept apart.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from claim_corpus.families import FAMILIES, ModelOfCorpus
from claim_corpus.sentences import Outside, Refused, Sentence

SEED = 55
MODELS = 300
PER_KIND = 100
NEAR = 5
"""One claim in so many is a near miss."""
KINDS = ("language", "closed", "bound", "gap", "neighbour", "place", "recursion", "monotone", "eps", "arithmetic")
LENGTH = {2: 7, 3: 5}
"""Up to this length all strings over so many symbols are tried; tokens that the model adds are left out."""
TRIES = 40


@dataclass(frozen=True)
class CorpusClaim:
    """A statement about a model. `false_of` is the smallest string at which it is false, None where it is true."""

    model: str
    kind: str
    statement: str
    false_of: tuple[str, ...] | None


def smallest_false(model: ModelOfCorpus, statement: str) -> tuple[str, ...] | None:
    """The smallest string that is tried at which a statement is false. Raises Outside where it asks for a position that
    a string does not have."""
    sentence = Sentence(statement, model.tokens)
    for facts, typed in model.runs(LENGTH[len(model.typed)]):
        if not sentence.true(facts):
            return typed
    return None


def near_miss(statement: str, model: ModelOfCorpus, rng: random.Random) -> str:
    """A statement with one comparison, number or token changed."""
    places = [*re.finditer(r"<->|->|<=|>=|[<>=]|\b\d+\b|\b(?:count|at|first|last)\(\w+", statement)]
    place = rng.choice([x for x in places if x[0] not in ("<->", "->")])
    old = place[0]
    if old in ("<", "<=", ">", ">=", "="):
        new = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "=": rng.choice(("<=", ">="))}[old]
    elif old.isdigit():
        new = str(max(int(old) + rng.choice((-1, 1)), 0))
    else:
        word, token = old.split("(")
        new = f"{word}({rng.choice([x for x in model.tokens if x != token])}"
    return statement[: place.start()] + new + statement[place.end() :]


def corpus() -> tuple[dict[str, ModelOfCorpus], list[CorpusClaim]]:
    """All models by their names, and all claims."""
    rng = random.Random(SEED)
    makers = [*FAMILIES]
    models = [makers[k % len(makers)](random.Random(f"{SEED}.{k}"), f"m{k}") for k in range(MODELS)]
    used = {model.name: 0 for model in models}
    known: set[tuple[str, str]] = set()
    claims: list[CorpusClaim] = []
    for kind in KINDS:
        able = [model for model in models if kind in model.makers]
        for k in range(PER_KIND):
            claim = None
            while claim is None:
                model = min(able, key=lambda m: (used[m.name], rng.random()))
                used[model.name] += 1
                claim = _drawn(model, kind, k % NEAR == NEAR - 1, known, rng)
            known.add((claim.model, claim.statement))
            claims.append(claim)
    return {model.name: model for model in models}, claims


def _drawn(
    model: ModelOfCorpus, kind: str, near: bool, known: set[tuple[str, str]], rng: random.Random
) -> CorpusClaim | None:
    """A claim of a kind about a model; None where none was drawn."""
    for _ in range(TRIES):
        statement = rng.choice(model.makers[kind])(rng)
        if near:
            statement = near_miss(statement, model, rng)
        if (model.name, statement) in known:
            continue
        try:
            false_of = smallest_false(model, statement)
        except (Outside, ZeroDivisionError):
            if near:
                continue
            raise AssertionError(f"{model.name}: {statement}") from None
        if near != (false_of is not None):
            if near:
                continue
            raise AssertionError(f"{model.name}: {statement} is false of {false_of}")
        return CorpusClaim(model.name, kind, statement, false_of)
    return None


def half(claims: list[CorpusClaim], open_half: bool) -> Iterator[CorpusClaim]:
    """The claims of one half, that of the models of an even number (`open_half`) or the other one."""
    return (claim for claim in claims if (int(claim.model[1:]) % 2 == 0) is open_half)


__all__ = ["KINDS", "SEED", "CorpusClaim", "Refused", "corpus", "half", "smallest_false"]
