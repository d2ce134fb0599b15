"""Models that go on by their own answers, for words of every length: what they put out is shown by a theorem about
their family; other models are decided as `symcook.decide.decision` does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symcook import words
from symcook.compilers import genuine
from symcook.compilers.automaton import counted_at, variant_of
from symcook.decide import decision
from symcook.decide.automata import Answering, Asked, Automaton, parted
from symcook.decide.decision import Decision
from symcook.decide.regular import regular
from symcook.decode import stream
from symcook.door import door
from symcook.errors import BadInput, Rejected, Undecided
from symcook.model.transformer import Transformer
from symcook.present import present
from symcook.programs.running import program_table, speech_of
from symcook.spec.fold import Fold
from symcook.words.inputs import Inputs, Language, automaton


@door()
def decide(
    model: Transformer,
    against: object = None,
    *,
    inputs: Inputs | Language | None = None,
    values: Mapping[str, Any] | None = None,
    name: str = "",
) -> Decision:
    """Decide whether a model answers every word as a reference does: see `symcook.decide.decision.decide`.

    A compiled automaton accepts the words behind which it puts out yes; without a reference it is compared with its
    program. As a reference it stands for what it accepts, where its weights are those of its program. With `inputs`, a
    language (`symcook.words.inputs`), model and reference are compared on its strings alone; such an answer has no
    certificate.

    >>> from symcook.compilers import compile
    >>> compile("dfa", "(aa)*").decide("a*").word
    ('a',)
    """
    goes_on = model.program is not None and model.program.kind == "dfa"
    if isinstance(against, Transformer):
        other = against.program is not None and against.program.kind == "dfa"
        found = _accepted(against) if goes_on or other else against
        if isinstance(found, Decision):
            return replace(found, model=model, why=f"the specification {against.name}: {found.why}")
        against = found
    if inputs is not None:
        if goes_on or against is None:
            given = "a compiled automaton" if goes_on else "no reference"
            raise BadInput("inputs must be of a model that answers without decoding, with a specification", given)
        return _inside(decision.reads_symbols(model.bind(values)), against, inputs, name)
    if goes_on:
        return _decoded(model.bind(values), against, name)
    return decision.decide(model, against, values=values, name=name)


def _inside(model: Transformer, against: object, inputs: Inputs | Language, name: str) -> Decision:
    """The decision on the strings of a language."""
    language, asked = automaton(model, inputs)
    reference = decision.recogniser(model, against)
    if isinstance(reference, Decision):
        return reference
    return replace(decision.decide(model, decision.Inside(reference, language), name=name), inputs=asked)


def _accepted(reference: Transformer) -> Automaton | Decision:
    """The language of a model that is a reference, as an automaton; else the decision that says why there is none."""
    found = decide(reference)
    if found.automaton is None or found.verdict not in ("equal", "decided"):
        verdict = "refused" if found.verdict == "different" else found.verdict
        why = found.why or "its weights are others than those of its program"
        return Decision(verdict, reference, reference.name, why=why)
    return found.automaton


COUNTED = {"strict": "merrill2024.thm1", "nonstrict": "merrill2024.thm1.nonstrict"}
"""For all automata and words: token |x| + 1 behind x is the verdict, of the decoders of --theorem 1."""
TRIED = 4
"""Up to which length words are run where a decoder is not shown to be what its program says."""


def _decoded(model: Transformer, against: object, name: str) -> Decision:
    """The decision about a compiled automaton, which is asked by decoding: it accepts the words behind which it puts
    out yes. What it puts out is shown for every word by the theorem about its family."""
    from symcook.proof import decoders

    if model.program is None:
        raise RuntimeError("model.program must be set here")
    table = program_table(model.program)
    letters, automaton = table.alphabet, Automaton(*table)
    if against is None or isinstance(against, Automaton):
        reference: Answering = automaton if against is None else against.over(letters)
    elif isinstance(against, str):
        reference = regular(against, letters)
    elif isinstance(against, Fold) and not against.each:
        reference = Asked(against)
    else:
        must = "the specification of a compiled automaton must be a Fold, an automaton, a model or a regular expression"
        raise BadInput(must, "a Fold with each=True" if isinstance(against, Fold) else type(against).__name__)
    if model.program.theorem and not model.embedding.added:
        return _tried(model, reference, name, "without a token before the input, nothing stands after the empty string")
    theorem = COUNTED[variant_of(model)] if model.program.theorem else decoders.THEOREM
    why = f"its weights are those of a decoder that runs its program, on every string ({theorem})"
    try:
        if model.program.theorem:
            _instance(model, theorem)
        else:
            decoders.prove(model)
    except (BadInput, Rejected, Undecided) as error:
        if not genuine(model) or not (model.program.theorem or variant_of(model) == "strict"):
            return _tried(model, reference, name, str(error).rstrip("."))
        why += "; as an instance, without a certificate"
    found, least = parted(automaton, reference, letters), automaton.minimal()
    if found.word is not None:
        return Decision("different", model, name, found.word, found.answers, least, why)
    if found.length is not None:
        why = f"no difference on any string up to length {found.length}"
        return Decision("open", model, name, automaton=least, why=why)
    return Decision("equal", model, name, automaton=least, why=why)


def _instance(model: Transformer, theorem: str) -> None:
    """Show that a model of --theorem 1 is the instance of its family at its program's table, and that the theorem is
    proved. Raises as `symcook.proof.decoders.prove` does."""
    from symcook.model.modelfile import to_document
    from symcook.proof.limits import replayed
    from symcook.proof.search.bridge import Bridge, checked

    at, tokens = counted_at(program_table(present(model.program)), variant_of(model))
    if tuple(model.embedding.words or ()) != tokens or model.readout.labels != tokens:
        raise BadInput("the tokens of the model must be those of its program", model.name, "compile the program again")
    checked(Bridge(at.family, at, to_document(model)))
    (found,) = replayed([theorem])
    if found.status != "PROVED":
        raise Undecided(f"the theorem about all automata, {theorem}, is not proved here: {found.reason}")


def _tried(model: Transformer, reference: Answering, name: str, why: str) -> Decision:
    """The decision about a decoder of which nothing is shown: a short word behind which it puts out a verdict that the
    reference does not have, else none."""
    speech = speech_of(model)
    for length in range(0 if model.embedding.added else 1, TRIED + 1):
        for word in words.every(speech.letters, length):
            said = [speech.said(one)["token"] for one in stream(model, word, length + 2)]
            state: Any = reference.initial
            for letter in word:
                state = reference.step(state, letter)
            accepts = reference.answer(state) is True
            if said[-1] != ("yes" if accepts else "no"):
                return Decision("different", model, name, word, (said[-1] == "yes", accepts))
    return Decision("open", model, name, why=f"not decided, as no proof was found: {why}")
