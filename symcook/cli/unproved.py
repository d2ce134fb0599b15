"""Parts of messages about a compiled decoder without a proof: another construction of the same program that has a
proof, and the command that compiles it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from symcook.errors import BadInput, Rejected, SymcookError, Undecided
from symcook.programs import AUTOMATA, MACHINES

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer


def unproved(model: Transformer) -> tuple[str, str] | None:
    """For a construction without a theorem: its name, and the theorem about another construction of the same program.
    None for all other models."""
    from symcook.compilers.automaton import variant_of

    program = model.program
    if program is None or program.theorem:
        return None
    if program.kind == "tm":
        return "a Turing machine", MACHINES
    variant = variant_of(model) if program.kind == "dfa" else "strict"
    return None if variant == "strict" else (f"the variant {variant}", AUTOMATA)


def provable(model: Transformer, source: str, target: str, alphabet: str | None = None) -> str:
    """The command that compiles the same machine or automaton to a decoder with a proof.

    `model` is one for which `unproved` is not None. Raises Undecided, with the reason, if its machine has no such
    construction.
    """
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
            no_proof = f"--theorem {theorem} gives no proof for this machine"
            raise Undecided(f"{no_proof}: {why.must}; given: {why.given}") from None
    options = [] if alphabet is None else ["--alphabet", alphabet]
    options += [] if variant == "strict" else ["--variant", variant]
    return shlex.join(
        ["symcook", "compile", kind, source, *options, "--theorem", theorem, "--prove", "-o", target, "--force"]
    )


def instead(model: Transformer) -> str:
    """The part of a message that says what the user can do without a proof."""
    from symcook.programs.running import decodes

    return f"check compares {'its tokens' if decodes(model) else 'it'} string by string"


def refused(why: Rejected, failure: str, model: Transformer) -> SymcookError:
    """The error to raise for an instance certificate that the checker rejected with `why`.

    If the certificate exceeds a limit of the checkers it is Undecided, with a message that begins with `failure`; else
    it is `why` itself.
    """
    from symcook.proof.search.limits import limit_of

    limit = limit_of(why)
    return why if limit is None else Undecided(f"{failure}: {limit}; {instead(model)}.")
