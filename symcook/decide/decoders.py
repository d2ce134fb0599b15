"""Decisions about autoregressive decoders, for strings of every length, and about a model on some of its inputs.

A compiled automaton decodes its answer. A theorem about its family proves that its weights make a decoder that runs its
program; then its program is compared with the reference. Where no proof is found, only short strings are run. Every
other model is decided as in `symcook.decide.decision`; with `inputs`, on the strings of a language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from symcook import words
from symcook.compilers import genuine
from symcook.compilers.automaton import counted_at, variant_of
from symcook.decide import decision
from symcook.decide.automata import Answering, Automaton
from symcook.decide.certificate import StateMap
from symcook.decide.counting import StateTable
from symcook.decide.decision import Decision
from symcook.decode import stream
from symcook.door import door
from symcook.errors import BadInput, Rejected, Undecided
from symcook.model.transformer import Transformer
from symcook.present import present
from symcook.programs.automata import reached
from symcook.programs.running import program_table, speech_of
from symcook.spec.fold import Fold
from symcook.words.inputs import Language, automaton, require_language, require_sample
from symcook.words.positions import AFTER, at_positions, symbol_of


@door()
def decide(
    model: Transformer,
    against: object = None,
    *,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    values: Mapping[str, Any] | None = None,
    name: str = "",
) -> Decision:
    """Whether the model gives the answers of a specification on strings of every length.

    A compiled automaton accepts the strings after which it outputs yes. As a specification it is the language that
    it accepts, if its weights are those of its program. A Fold may answer None where any answer is right. With
    `inputs` both are compared on these strings only or, for a readout at each position, on their prefixes; such a
    decision has no certificate. `symcook.decide.decision.decide` says which models can be decided.

    Arguments:
        against: Fold, regular expression, path, automaton, Transformer, or None (None). The specification; None:
            the model's own program.
        inputs: a list of strings, a regular expression, a file or an automaton (None). The strings to test;
            all by default.
        sample: int or None (None). The number of strings that are drawn at random from `inputs`.
        seed: int (0). The seed of the draw.
        positions: "last", "all" or "after:SYMBOL" (None). The answers that count, for a readout at each position;
            all by default.
        values: {parameter: exact value} (None). A parameter without a value has its default.
        name: str (''). A name of the specification, for messages.

    Returns: Decision with `.holds`, `.verdict` ("equal", "different", "decided", "open" or "refused"), `.status`
    (DECIDED, OPEN or REFUSED), `.counterexample` (the smallest string on which both differ), and the automaton where
    there is one.

    Raises: BadInput: a model that is not supported, or a specification that cannot be read.

    Example:

    >>> from symcook.compilers import compile
    >>> compile("dfa", "(aa)*").decide("a*").word
    ('a',)
    """
    found = _on_inputs(model, against, inputs, sample, seed, positions, values, name)
    return decision.at_values(found, model, against, values)


def _on_inputs(
    model: Transformer,
    against: object,
    inputs: Language | None,
    sample: int | None,
    seed: int,
    positions: str | None,
    values: Mapping[str, Any] | None,
    name: str,
) -> Decision:
    """The decision on the inputs and positions that were asked; see `decide`."""
    # A decoder as the reference stands for the language that it accepts.
    is_decoder = decision.decodes(model)
    if isinstance(against, Transformer) and decision.decodes(against):
        language_decision = _accepted(against)
        if isinstance(language_decision, Decision):
            return replace(
                language_decision, model=model, why=f"the specification {against.name}: {language_decision.why}"
            )
        against = language_decision
    require_sample(sample, seed)
    if (inputs, sample, positions) != (None, None, None):
        # A comparison on some inputs or positions only.
        if is_decoder or against is None:
            model_kind = "a decoder" if is_decoder else "no specification"
            raise BadInput(
                "--inputs needs a specification, and a model that is not a decoder",
                model_kind,
                "compare all strings: leave --inputs, --sample and --positions out" if is_decoder else "give --against",
            )
        require_language(inputs, sample)
        bound = decision.reads_symbols(model.bind(values))
        at_positions(bound, positions)
        if positions == "last":
            bound, against = at_positions(bound, "last"), _last(against)
        if inputs is None and positions in ("all", "last"):
            language_decision = decision.decide(bound, against, name=name)
            return replace(language_decision, inputs={"positions": positions})
        return _inside(bound, against, inputs, sample, seed, positions, name)
    if is_decoder:
        return _decoded(model.bind(values), against, name)
    return decision.decide(model, against, values=values, name=name)


def _last(against: object) -> object:
    """The reference `against` with an answer at the last position only, where it has one at each; any other reference
    unchanged."""
    if isinstance(against, Transformer) and against.readout.each:
        return at_positions(against, "last")
    return replace(against, each=False) if isinstance(against, Fold) else against


def _inside(
    model: Transformer,
    against: object,
    inputs: Language | None,
    sample: int | None,
    seed: int,
    positions: str | None,
    name: str,
) -> Decision:
    """The decision on the strings of the language `inputs` (None: all strings), at the positions that count. Its `free`
    is counted only for a Fold on finitely many strings."""
    language, asked_inputs = all_strings(model), dict[str, Any]()
    if inputs is not None:
        language, asked_inputs = automaton(model, inputs, sample, seed)
    has_empty = language.accepts(language.initial)
    if model.readout.each:
        # An answer at each position of a string is an answer to each of its prefixes.
        alive = language.alive
        language = replace(language, answers=tuple(state in alive for state in range(len(language.moves))))
    if positions is not None:
        asked_inputs |= {"positions": positions}
        if positions.startswith(AFTER):
            language = both(language, after(model, symbol_of(model, positions)))
    reference = decision.recogniser(model, against)
    if isinstance(reference, Decision):
        return reference
    inside = decision.Inside(reference, language)
    inside_decision = replace(decision.decide(model, inside, name=name), inputs=asked_inputs, empty_asked=has_empty)
    finite = asked_inputs.get("count") is not None and isinstance(against, Fold)
    return replace(inside_decision, free=inside.free(model)) if finite else inside_decision


def after(model: Transformer, symbol: str) -> Automaton:
    """The automaton of the strings whose last position comes after an occurrence of `symbol`; of all strings where the
    model adds `symbol` before the input."""
    # States: 0, the symbol has not occurred; 1, its first occurrence is the last position; 2, it occurred before that.
    at_start = symbol in model.embedding.ends[0]
    moves = tuple(tuple(2 if k else int(letter == symbol) for letter in model.alphabet) for k in (0, 1, 1))
    return Automaton(model.alphabet, moves, (at_start, False, True)) if not at_start else all_strings(model)


def all_strings(model: Transformer) -> Automaton:
    """The automaton of every string."""
    return Automaton(model.alphabet, ((0,) * len(model.alphabet),), (True,))


def both(first: Automaton, second: Automaton) -> Automaton:
    """The minimal automaton of the strings that both automata accept; they must have the same alphabet."""

    def steps(state: tuple[int, int]) -> list[tuple[int, int]]:
        """The next pair of states by each symbol."""
        return [*zip(first.moves[state[0]], second.moves[state[1]], strict=True)]

    def accepts(state: tuple[int, int]) -> bool:
        """Whether both automata accept."""
        return first.answers[state[0]] is True and second.answers[state[1]] is True

    return reached((0, 0), steps, accepts, first.alphabet).minimal()


def _accepted(reference: Transformer) -> Automaton | Decision:
    """The language that the model `reference` accepts, as an automaton; the decision that says why, where there is
    none."""
    language_decision = decide(reference)
    if language_decision.automaton is None or language_decision.verdict not in ("equal", "decided"):
        verdict = "refused" if language_decision.verdict == "different" else language_decision.verdict
        why = language_decision.why or "the weights of the model differ from those of its program"
        return Decision(verdict, reference, reference.name, why=why)
    return language_decision.automaton


COUNTED = {"strict": "merrill2024.thm1", "nonstrict": "merrill2024.thm1.nonstrict"}
"""For each variant of the decoders of --theorem 1, the theorem about all automata: after each string x, the token
number |x| + 1 that the decoder generates is the verdict on x."""
TRIED = 4
"""The length up to which all strings are run for a decoder that is not proved to run its program."""


def _decoded(model: Transformer, against: object, name: str) -> Decision:
    """The decision about a compiled automaton. Its answer is the token that it decodes after a string, yes or no; a
    theorem about its family proves which one, for every string. Without such a proof, short strings are run
    (`_tried`), unless the weights are those of the compiler, in a variant that the theorem is about."""
    from symcook.proof.bridges import decoders

    program = present(model.program)
    automaton = program_table(program)
    reference = automaton if against is None else decision.recogniser(model, against)
    if isinstance(reference, Decision):
        return reference
    if program.theorem and not model.embedding.added:
        why = "without a token before the input, the model generates nothing after the empty string"
        return _tried(model, reference, name, why)
    # The theorem about the family: the model must be an instance of it.
    theorem = COUNTED[variant_of(model)] if program.theorem else decoders.THEOREM
    why = f"the weights are those of a decoder that runs its program, on every string ({theorem})"
    try:
        if program.theorem:
            _instance(model, theorem)
        else:
            decoders.prove(model)
    except (BadInput, Rejected, Undecided) as error:
        if not genuine(model) or not (program.theorem or variant_of(model) == "strict"):
            return _tried(model, reference, name, str(error).rstrip("."))
        why += "; as an instance, without a certificate"
    compared = decision.settled(model, name, StateTable(automaton), automaton, reference, automaton.minimal())
    # Where two automata were compared, the theorem is the whole explanation.
    comparison = "" if isinstance(compared.certificate, StateMap) else compared.why
    return replace(compared, certificate=None, why="; ".join(filter(None, [why, comparison])))


def _instance(model: Transformer, theorem: str) -> None:
    """Prove that a model of --theorem 1 is the instance of its family at the table of its program, and check the proof
    of the theorem. Raises as `symcook.proof.bridges.decoders.prove` does."""
    from symcook.model.modelfile import to_document
    from symcook.proof.bridges.bridge import Bridge, checked
    from symcook.proof.search.limits import replayed

    at, tokens = counted_at(program_table(present(model.program)), variant_of(model))
    if tuple(model.embedding.words or ()) != tokens or model.readout.labels != tokens:
        raise BadInput(
            "the alphabet of a compiled model must be that of its program", model.name, "compile the program again"
        )
    checked(Bridge(at.family, at, to_document(model)))
    (verdict,) = replayed([theorem])
    if verdict.status != "PROVED":
        raise Undecided(f"the theorem about all automata, {theorem}, is not proved here: {verdict.reason}")


def _tried(model: Transformer, reference: Answering, name: str, why: str) -> Decision:
    """The decision about a decoder without a proof: "different" with the shortest string of length at most `TRIED` on
    which decoder and reference give different verdicts, else "open" for the reason `why`. Where the reference has no
    answer, any verdict is right; where the decoder has not ended after as many tokens, nothing is known."""
    speech = speech_of(model)
    for length in range(model.embedding.shortest, TRIED + 1):
        for word in words.every(speech.letters, length):
            label = [*stream(model, word, length + 2)][-1]
            verdict = speech.said(label)["token"] if label in speech.ends else None  # a state may be called yes
            state: Any = reference.initial
            for letter in word:
                state = reference.step(state, letter)
            answer = reference.answer(state)
            if None not in (answer, verdict) and verdict != ("yes" if answer else "no"):
                return Decision("different", model, name, word, (verdict == "yes", answer is True))
    return Decision("open", model, name, why=f"not decided, as no proof was found: {why}")
