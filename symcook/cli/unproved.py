"""What a message says of a compiled decoder that has no proof: which construction of the same program has one, and the
command that compiles it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from symcook.errors import BadInput, Rejected, SymcookError, Undecided
from symcook.programs import AUTOMATA, MACHINES

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer


def unproved(model: Transformer) -> tuple[str, str] | None:
    """For a construction that no theorem is about: what it is, and the theorem about another construction of the same
    program. None for all other models."""
    from symcook.compilers.automaton import variant_of

    program = model.program
    if program is None or program.theorem:
        return None
    if program.kind == "tm":
        return "a Turing machine", MACHINES
    variant = variant_of(model) if program.kind == "dfa" else "strict"
    return None if variant == "strict" else (f"the variant {variant}", AUTOMATA)


def provable(model: Transformer, source: str, target: str, alphabet: str | None = None) -> str:
    """The command that compiles the same machine or automaton to a decoder with a proof, for a model that `unproved`
    names. Undecided, with the reason, where that construction does not exist for it."""
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
    options = [] if alphabet is None else ["--alphabet", alphabet]
    options += [] if variant == "strict" else ["--variant", variant]
    return shlex.join(
        ["symcook", "compile", kind, source, *options, "--theorem", theorem, "--prove", "-o", target, "--force"]
    )


def instead(model: Transformer) -> str:
    """What the user can do without a proof, for a message."""
    from symcook.programs.running import decodes

    return f"check compares {'its tokens' if decodes(model) else 'it'} string by string"


def refused(why: Rejected, none: str, model: Transformer) -> SymcookError:
    """The error of an instance certificate that was not made: Undecided, beginning with `none`, where it exceeds a
    limit of the checkers; else `why` itself."""
    if "exceeds" not in str(why):
        return why
    return Undecided(f"{none}: {str(why).removeprefix('proof: ')}; {instead(model)}.")
