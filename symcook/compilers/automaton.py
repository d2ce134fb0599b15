"""Automata to decoders that write down their run: instances of the family automaton-run, with names.

What is proved of the family holds of each of them: a bridge ties the weights to it (`symcook.proof.decoders`).
Source: Merrill and Sabharwal (2024), Theorem 1.
"""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

from symcook.model.transformer import Program, Transformer
from symcook.programs.automata import AutomatonTable
from symcook.programs.running import START, VERDICTS, tokens_of

FAMILY = "automaton-run"


def settings(table: AutomatonTable) -> dict[str, str]:
    """The sizes and tables of the family at which its instance is the decoder of this automaton."""
    states, letters = len(table.moves), len(table.alphabet)
    return {
        "K": str(states),
        "S": str(letters),
        "first": "1",
        "R": str(isqrt(states + letters + 2) + 1),  # the least whose square is at least the number of tokens
        "delta": " ".join(str(to + 1) for row in table.moves for to in row),
        "final": " ".join(str(int(answer is True)) for answer in table.answers),
    }


def compiled(table: AutomatonTable, source: str, name: str) -> Transformer:
    """The decoder of an automaton."""
    from symcook.model.family import load, shipped
    from symcook.recipes.models import instance_of, said

    family = load(shipped(FAMILY))
    at = instance_of(family, settings(table))
    model = at.model(tokens_of(table), name)
    program = Program("dfa", source, table.alphabet, _plan(table))
    return replace(model, source=f"{family.source}; {said(family, at.values)}", program=program)


def _plan(table: AutomatonTable) -> tuple[tuple[str, str, str], ...]:
    """Which coordinate holds what."""
    shown = [START, *(f"letter {a}" for a in table.alphabet), *(f"state {name}" for name in table.names), *VERDICTS]
    letters = len(table.alphabet)
    return (
        *((f"t{number}", "embedding", f"the token is {what}") for number, what in enumerate(shown)),
        ("other", "embedding", f"-1 at {START}, 1 elsewhere: with u, the key of a position"),
        ("u", "embedding and layer 1", "1/i at position i, 1 at position 0"),
        ("d", "layer 1", "k/i, with k states before position i: with u, the query of position k + 1"),
        *((f"z{c}", "layer 2, attention", f"at position k + 1 there is {shown[c]}") for c in range(1, letters + 1)),
        *((f"o{number}", "layer 2, feed-forward", f"score of {what}") for number, what in enumerate(shown)),
    )
