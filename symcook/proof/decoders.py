"""That a compiled automaton runs its automaton on every word: a bridge from its weights to the family, and the family's
theorem, both checked here. Nothing here is trusted but the kernel that judges."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symcook.compilers.automaton import FAMILY, settings
from symcook.errors import BadInput, Undecided
from symcook.model.family import load, shipped
from symcook.model.modelfile import to_document
from symcook.programs.running import program_table, tokens_of
from symcook.proof import replay
from symcook.proof.replay import Statement, Verdict
from symcook.recipes.models import instance_of

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

THEOREM = "merrill2024.thm1.schedule"
"""For all automata and words: the family puts out exactly the states of the run, and the verdict."""


@dataclass(frozen=True)
class Bridged:
    """The bridge from a model to its family: its statement and certificate, what the checker says of it, and what it
    says of the theorem about the family."""

    statement: Statement
    certificate: dict[str, Any]
    verdict: Verdict
    theorem: Verdict

    @property
    def words(self) -> str:
        """The verdict on both."""
        return self.verdict.words


def prove(model: Transformer) -> Bridged:
    """Show that the weights of a compiled automaton are those of the family at its table, and that the theorem about
    the family is proved.

    Raises BadInput for a model that is no compiled automaton, Unbridged where its weights or tokens are others than
    those of its program, Undecided where the theorem is not proved.
    """
    from symcook.proof.search.bridge import Bridge, checked

    program = model.program
    if program is None or program.kind != "dfa":
        raise BadInput("the model must be a compiled automaton", model.name, "symcook compile dfa makes one")
    table = program_table(program)
    family = load(shipped(FAMILY))
    at = instance_of(family, settings(table))
    tokens = tokens_of(table)
    if tuple(model.embedding.words or ()) != tokens or model.readout.labels != tokens:
        raise BadInput("the tokens of the model must be those of its program", model.name, "compile the program again")
    name = f"bridge.{re.sub('[^A-Za-z0-9_]', '_', model.name)}_own"
    bridge = Bridge(family, at, to_document(model), name)
    certificate, verdict = checked(bridge)
    (theorem,) = replay.library().replay([THEOREM])
    if theorem.status != "PROVED":
        raise Undecided(f"the theorem about all automata, {THEOREM}, is not proved here: {theorem.reason}")
    return Bridged(bridge.statement, certificate, verdict, theorem)
