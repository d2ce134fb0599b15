"""That a compiled model answers as its S-RASP program says: its sentence, and a proof. Nothing here is trusted."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from symcook.compilers.srasp import Compiled
from symcook.errors import BadInput, Rejected, Undecided
from symcook.model.modelfile import to_document
from symcook.programs.srasp_reading import read_srasp
from symcook.proof import own
from symcook.proof.programfacts import ProgramFacts
from symcook.proof.programsaid import Spoken
from symcook.proof.replay import Statement
from symcook.proof.search.prooftext import BadProof

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer


def sentence(model: Transformer) -> str:
    """What `prove` proves of a compiled model: its program as equations, and that it puts out what the last says."""
    program, document = _compiled(model).program, to_document(model)
    return Spoken(program, own.meaning(document, "1 = 1").taken).sentence(model)


def _compiled(model: Transformer) -> Compiled:
    """What the compiler makes of the program of a model, which must be this model."""
    if model.program is None or model.program.kind != "srasp":
        raise BadInput("a proof needs the program of a compiled model", model.name, "symcook compile makes one")
    compiled = Compiled(read_srasp(model.program.source, model.program.alphabet))
    if compiled.model(model.program.source, model.name) != model:
        raise BadInput("the model must be as it was compiled", model.name, "compile its program again")
    return compiled


def prove(model: Transformer, seconds: float = own.SECONDS) -> tuple[Statement, own.Settled]:
    """The statement that a compiled model answers as its S-RASP program, with its certificate, or what is missing.

    Raises BadInput for a model without a program or changed since it was compiled, Undecided where no text is made: it
    names the operation.
    """
    statement, facts = _facts(model)
    try:
        return statement, own.settle(statement, to_document(model), facts.parts, seconds, words=False)
    except BadProof as error:
        raise Undecided(f"no proof is made of this program: {error}") from None
    except Rejected as error:
        raise Undecided(f"no proof was found: {str(error).partition(chr(10))[0]}") from None


def settled(model: Transformer, statement: Statement, seconds: float) -> own.Settled | None:
    """`own.settle` of a sentence that is the one of the model's program; None of another, or where the proof has a
    gap."""
    with suppress(BadInput, Undecided, Rejected):
        made, facts = _facts(model)
        if made.expanded == statement.expanded:
            found = own.settle(statement, to_document(model), facts.parts, seconds, words=False)
            return found if found.missing is None else None
    return None


def _facts(model: Transformer) -> tuple[Statement, ProgramFacts]:
    """The statement about a compiled model, and the facts of its proof."""
    compiled, document = _compiled(model), to_document(model)
    spoken = Spoken(compiled.program, own.meaning(document, "1 = 1").taken)
    whole = spoken.sentence(model)
    try:
        statement = own.claim(document, whole)
    except BadInput as error:
        raise Undecided(f"no proof is made of a program that makes no statement: {error.do}") from None
    return statement, ProgramFacts(spoken, own.meaning(document, whole), model, compiled).made()
