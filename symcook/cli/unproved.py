"""What a compiled decoder without a proof is answered with: which construction of the same program has one."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from symcook.errors import BadInput, Rejected, SymcookError, Undecided
from symcook.programs import AUTOMATA, MACHINES

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer


def unproved(model: Transformer) -> tuple[str, str] | None:
    """What it is of a model's construction that no theorem is about, and the theorem that is about another one."""
    from symcook.compilers.automaton import variant_of

    program = model.program
    if program is None or program.theorem:
        return None
    if program.kind == "tm":
        return "a Turing machine", MACHINES
    variant = variant_of(model) if program.kind == "dfa" else "strict"
    return None if variant == "strict" else (f"the variant {variant}", AUTOMATA)


def provable(model: Transformer, source: str, target: str, alphabet: str | None = None) -> str:
    """The command that makes the decoder of the same machine or automaton that has a proof, of a model without one by
    its construction (`unproved`). Undecided, with the reason, where there is none of it."""
    from symcook.compilers import tables
    from symcook.compilers.automaton import variant_of
    from symcook.programs.turing import read_turing

    if model.program is None:
        raise RuntimeError("model.program must be set here")
    kind, variant, theorem = model.program.kind, variant_of(model), AUTOMATA
    if kind == "tm":
        variant, theorem = variant if variant in tables.FAMILIES else "strict", MACHINES
        try:
            tables.instance(read_turing(model.program.source), variant)
        except BadInput as why:
            raise Undecided(f"with it none is made of this one: {why.must}; given: {why.given}") from None
    more = [] if alphabet is None else ["--alphabet", alphabet]
    more += [] if variant == "strict" else ["--variant", variant]
    return shlex.join(
        ["symcook", "compile", kind, source, *more, "--theorem", theorem, "--prove", "-o", target, "--force"]
    )


def instead(model: Transformer) -> str:
    """What may be done without a proof."""
    from symcook.programs.running import decodes

    return f"check compares {'its tokens' if decodes(model) else 'it'} string by string"


def refused(why: Rejected, none: str, model: Transformer) -> SymcookError:
    """What a bridge ends with that was not made: Undecided, behind `none`, where a limit was passed of what the
    checkers read, of symbols or time; else `why` itself."""
    if "exceeds" not in str(why):
        return why
    return Undecided(f"{none}: {str(why).removeprefix('proof: ')}; {instead(model)}.")
