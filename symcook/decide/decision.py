"""What a model accepts, for strings of every length, and whether a reference gives the same answers.

In go a model and perhaps a reference (a Fold, an automaton, a model or a regular expression); out comes a `Decision`. A
model with finitely many values becomes an automaton (`symcook.decide.finite`), or is left open where a table would grow
too large. A model that counts becomes a counter machine (`symcook.decide.counting`), made from its weights or from the
program from which it was compiled; it needs a reference, and is refused without one. Every other model is refused. The
machine and the reference are compared on pairs of states; where the pairs are too many, equality may be proved by
invariants (`symcook.decide.invariants`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from symcook.compilers import genuine
from symcook.decide.allowed import require_allowed
from symcook.decide.automata import Answering, Asked, Automaton, Parted, folded, parted
from symcook.decide.certificate import MUST, StateMap, check
from symcook.decide.countformula import formula
from symcook.decide.counting import Counting, StateTable
from symcook.decide.finite import Finite, Missing, OutOfReach
from symcook.decide.following import Lost
from symcook.decide.invariants import CountingMachine, Invariants, Programmed, invariants
from symcook.door import door
from symcook.errors import BadInput
from symcook.model.answers import Reply
from symcook.model.extent import Extent, values_of
from symcook.model.transformer import Transformer
from symcook.programs.reading import formula_of
from symcook.programs.regular import expression, regular_table
from symcook.programs.running import speech_of
from symcook.spec.counted import counted
from symcook.spec.fold import Fold

EXIT = {"equal": 0, "decided": 0, "different": 1, "open": 3, "refused": 2}
"""{verdict: exit code of the command}. "decided" is the verdict without a reference, where the model is an
automaton."""
SOON, PAIRS = 2000, 100_000
"""How many pairs of states are visited before invariants are searched for (SOON), and in the longer search where no
invariants are found (PAIRS)."""


@dataclass(frozen=True, repr=False)
class Decision(Reply):
    """The result of a comparison of a model with a reference on strings of every length.

    verdict: a key of `EXIT`. against: the name of the reference. word: a string with two answers, as its symbols, which
    is the shortest one unless it is from a certificate; answers: those of the model and of the reference. automaton:
    the minimal automaton of the model, where it was computed. why: how it was decided, or why it was not; None for a
    difference. notes: simplifications of the model, each with its reason. certificate: the proof of an equality
    (`symcook.decide.certificate`); None on a language, for a decoder, and after `recheck`.
    """

    REPORT = "decision"

    verdict: str
    model: Transformer
    against: str
    word: tuple[str, ...] | None = None
    answers: tuple[Any, Any] | None = None
    automaton: Automaton | None = None
    why: str | None = None
    notes: tuple[str, ...] = ()
    certificate: Invariants | StateMap | None = None
    inputs: Mapping[str, Any] = field(default_factory=dict)
    """What was compared, where this is not every string at the positions of the readout: the language under "inputs",
    how many strings it has under "count" (None for infinitely many), and the positions under "positions"."""
    free: int | None = 0
    """On how many strings (`prefixes`: prefixes) the reference answers None, where any answer will do; None where this
    is not counted."""
    empty: bool = True
    """Whether the reference has a run on the empty string; only for an automaton without an answer to it this is
    False."""
    formula: str | None = None
    """What a model that counts accepts, as a formula of the counts of symbols, where one was found."""
    values: Mapping[str, str] = field(default_factory=dict)
    """The values that the parameters of the model have in the decision, as text."""
    against_values: Mapping[str, str] = field(default_factory=dict)
    """The same for a model as the reference."""
    empty_asked: bool = True
    """Whether the language of inputs has the empty string, for a readout that answers once for each string."""
    smallest: bool = True
    """Whether `word` is the first of the shortest strings with two answers; False where it is from a certificate."""

    @property
    def letters(self) -> tuple[str, ...]:
        """The symbols of the strings that are compared."""
        return speech_of(self.model).letters

    @property
    def decided(self) -> bool:
        """Whether the question is settled for all lengths."""
        return self.verdict in ("equal", "different", "decided")

    @property
    def prefixes(self) -> bool:
        """Whether `word` and `free` are of the prefixes of the inputs: with a readout at each position, an answer at a
        position of an input is the answer to its prefix up to there."""
        return "inputs" in self.inputs and self.model.readout.each

    @property
    def extent(self) -> Extent:
        """The strings, positions and values that the decision is about."""
        language = self.inputs.get("inputs")
        # On the empty string a model has a position to answer at only if it has special tokens.
        answered = bool(self.model.embedding.added) and self.empty
        asked = language is None or (self.empty_asked and not self.prefixes)
        return Extent(
            language,
            int(asked and not answered),
            prefixes=self.prefixes,
            positions=self.inputs.get("positions"),
            values=self.values,
            against=self.against_values,
        )

    @property
    def accepts(self) -> str | None:
        """Which side accepts the string `word`: "model" or "reference"; None without a string, and where answers are
        labels."""
        return {(True, False): "model", (False, True): "reference"}.get(self.answers) if self.answers else None

    @property
    def holds(self) -> bool | None:
        """Whether the two give the same answers on every string. None if this is undecided, and without a reference."""
        return {"equal": True, "different": False}.get(self.verdict)

    @property
    def counterexample(self) -> str | None:
        """The string `word` as text; None if it is not known that the two differ."""
        return None if self.word is None else self.model.embedding.written(self.word)

    @property
    def status(self) -> str:
        """DECIDED, OPEN or REFUSED. Of two that are compared, `verdict` is "equal" or "different"."""
        return "DECIDED" if self.decided else self.verdict.upper()

    def to_json(self) -> dict[str, Any]:
        """{"verdict", "word", "accepts", "states", "why", "formula"}, "free" where a specification answers None, and
        the keys of `inputs`. The string `word` is text if every symbol is one character, else a list of symbols.
        "prefixes" is true where `word` and "free" are of the prefixes of the inputs (`prefixes`), "smallest" false
        where a smaller string than `word` may differ. "values" and "against_values" are the values of parameters, of
        the model and of a model as the reference."""
        word: Any = self.word
        if word is not None:
            word = "".join(word) if all(len(letter) == 1 for letter in self.letters) else list(word)
        return {
            "verdict": self.verdict,
            "word": word,
            "accepts": self.accepts,
            "states": None if self.automaton is None else len(self.automaton),
            "why": self.why,
            "formula": self.formula,
            **({} if self.free == 0 else {"free": self.free}),
            **self.inputs,
            **({"prefixes": True} if self.prefixes else {}),
            **({} if self.word is None or self.smallest else {"smallest": False}),
            **self.extent.to_json(),
        }


@door()
def decide(
    model: Transformer, against: object = None, *, values: Mapping[str, Any] | None = None, name: str = ""
) -> Decision:
    """Decide whether a model answers every string as a reference does.

    against: a `Fold`, an `Automaton`, a model, or a regular expression over the model's alphabet as text
    (`symcook.programs.regular`); None for the model's automaton only. values: the values of the model's symbols. name:
    the name of the reference. Where the empty string is not an input of the model, it is not compared.

    >>> from symcook.recipes import build
    >>> found = decide(build("dyck-1-2"), r"(\\((\\(\\))*\\))*")
    >>> found.verdict, len(found.automaton)
    ('equal', 5)

    Raises BadInput where the reference is over another alphabet, does not answer, or answers in another way (a fold
    that answers at each position where the readout does not).
    """
    return at_values(_at_values(reads_symbols(model.bind(values)), against, name), model, against, values)


def at_values(found: Decision, model: Transformer, against: object, values: Mapping[str, Any] | None) -> Decision:
    """A decision with the values of the parameters: those of `model`, given or by default, and those of a model as the
    reference, which has its defaults."""
    of_reference = values_of(against) if isinstance(against, Transformer) else {}
    return replace(found, values=values_of(model, values), against_values=of_reference)


def _at_values(model: Transformer, against: object, name: str) -> Decision:
    """The decision about a model without parameters."""
    try:
        finite = Finite(model)
        automaton = finite.automaton()
    except OutOfReach as error:
        return _counted(model, against, name, str(error))
    except Missing as error:
        return Decision("open", model, name, why=f"not decided: {error}")
    if against is None:
        return Decision("decided", model, name, automaton=automaton, notes=finite.notes)
    reference = recogniser(model, against)
    if isinstance(reference, Decision):
        return reference
    return settled(model, name, StateTable(automaton), automaton, reference, automaton, finite.notes)


def reads_symbols(model: Transformer) -> Transformer:
    """The model; BadInput where it reads numbers."""
    if model.embedding.words is None:
        do = "symcook check compares it with its formula, on numbers"
        raise BadInput(
            "a model that is compared at every length must read strings", f"{model.name}, which reads numbers", do
        )
    return model


class Inside:
    """A reference restricted to a language: a recogniser that answers None to strings outside it."""

    def __init__(self, reference: Answering, language: Automaton) -> None:
        self.reference, self.language, self.alive = reference, language, language.alive
        self.initial = reference.initial, self.language.initial

    def ended(self, state: Any) -> bool:
        """Whether no string of the language begins with what was read."""
        return state[1] not in self.alive

    def step(self, state: Any, letter: str) -> Any:
        """The states of the reference and of the language after one more symbol."""
        return self.reference.step(state[0], letter), self.language.step(state[1], letter)

    def answer(self, state: Any) -> Any:
        """The answer of the reference to a string of the language, else None."""
        return self.reference.answer(state[0]) if self.language.accepts(state[1]) else None

    def free(self, model: Transformer) -> int:
        """On how many strings of the language, which must be finite, the reference answers None. The empty string
        counts only where it is an input of the model."""
        # How many strings of the current length lead to each state.
        strings_to, count, empty = {self.initial: 1}, 0, not model.embedding.shortest
        while strings_to:
            next_strings_to: dict[Any, int] = {}
            for state, strings in strings_to.items():
                if empty and self.language.accepts(state[1]) and self.reference.answer(state[0]) is None:
                    count += strings
                for to in () if self.ended(state) else (self.step(state, letter) for letter in model.alphabet):
                    next_strings_to[to] = next_strings_to.get(to, 0) + strings
            strings_to, empty = next_strings_to, True
        return count


def recheck(
    certificate: Mapping[str, Any],
    model: Transformer,
    against: object = None,
    *,
    values: Mapping[str, Any] | None = None,
    name: str = "",
) -> Decision:
    """The decision that a certificate (`symcook.decide.certificate.document`) proves about a model and a reference,
    checked without a search; BadInput where the certificate is invalid."""
    if decodes(model):
        do = "symcook prove checks the one that symcook compile dfa --prove writes"
        raise BadInput(
            "symcook decide writes certificates only for models that answer in one pass, without decoding",
            model.name,
            do,
        )
    found = _rechecked(certificate, reads_symbols(model.bind(values)), against, name)
    return at_values(found, model, against, values)


def _rechecked(certificate: Mapping[str, Any], model: Transformer, against: object, name: str) -> Decision:
    """The decision that a certificate proves about a model without parameters."""
    # The model is read from its weights again: an automaton, or else a machine that counts.
    machine: Any
    try:
        machine = Finite(model).automaton()
        if "invariants" in certificate:
            machine = StateTable(machine)
    except (OutOfReach, Missing):
        try:
            machine = counting(model)
        except OutOfReach as error:
            raise BadInput(MUST, f"{model.name}, which is unsupported: {error}") from None
    reference = None if against is None else recogniser(model, against)
    if isinstance(reference, Decision):
        raise BadInput(MUST, reference.why)
    why = check(certificate, model, machine, reference, name)
    word, answers = (certificate.get(key) for key in ("word", "answers"))
    found = Decision(
        verdict=certificate["verdict"],
        model=model,
        against=name,
        word=None if word is None else tuple(word),
        answers=None if answers is None else (answers[0], answers[1]),
        automaton=machine if isinstance(machine, Automaton) else None,
        why=f"the certificate holds: {why}",
        smallest=False,
    )
    if reference is None:
        return found
    # The reference is asked as it is before a search for invariants, so that it answers None where it did there.
    letters = required(model).letters
    compared = parted(machine, reference, letters, SOON)
    if found.verdict == "equal":
        _require_an_answer(machine, reference, letters, compared)
    return _with_silence(found, reference)


def settled(
    model: Transformer,
    name: str,
    machine: CountingMachine,
    states: Answering,
    reference: Answering,
    automaton: Automaton | None = None,
    notes: tuple[str, ...] = (),
) -> Decision:
    """The decision between a model and a reference, with the fields `free` and `empty` set.

    machine: the model as a counter machine. states: the model as a recogniser. The rest as in `Decision`.
    """
    return _with_silence(_compared(model, name, machine, states, reference, automaton, notes), reference)


def _with_silence(found: Decision, reference: Answering) -> Decision:
    """A decision with the fields `free` and `empty`: where the reference, which was asked before, gives no answer."""
    unrestricted = reference.reference if isinstance(reference, Inside) else reference
    if isinstance(unrestricted, Automaton) and unrestricted.answer(unrestricted.initial) is None:
        found = replace(found, empty=False)
    return replace(found, free=None) if isinstance(unrestricted, Asked) and unrestricted.free else found


def _compared(
    model: Transformer,
    name: str,
    machine: CountingMachine,
    states: Answering,
    reference: Answering,
    automaton: Automaton | None,
    notes: tuple[str, ...],
) -> Decision:
    """The decision between a model and a reference; see `settled`. It is made by all pairs of states where these are at
    most `SOON`, else by invariants, else by a search of up to `PAIRS` pairs. If none of them decides, it is "open",
    with the length up to which strings were compared."""
    letters = required(model).letters
    comparison = parted(states, reference, letters, SOON)
    # No difference within `SOON` pairs of states, and there may be more: try to prove equality by invariants.
    missing = ""
    if comparison.word is None and comparison.length is not None:
        try:
            evidence = invariants(machine, _followed(reference), letters)
            if isinstance(evidence, Invariants):
                _require_an_answer(states, reference, letters, comparison)
                # A certificate has no language, so none is made for a restricted reference.
                own = None if isinstance(reference, Inside) else evidence
                return Decision("equal", model, name, None, None, automaton, evidence.says, notes, own)
            missing = evidence
        except Lost as error:
            missing = f"symcook cannot follow the code of the specification with unknown integers: {error}"
        # Not proved: a longer search may find a difference.
        comparison = parted(states, reference, letters, PAIRS)
    if comparison.word is not None:
        return Decision("different", model, name, comparison.word, comparison.answers, automaton, notes=notes)
    if comparison.length is not None:
        why = f"{missing}; no difference was found up to length {comparison.length}"
        return Decision("open", model, name, automaton=automaton, why=why, notes=notes)
    # All pairs of states were visited without a difference.
    _require_an_answer(states, reference, letters, comparison)
    why = f"model and specification give the same answer in all {comparison.pairs} pairs of states"
    evidence = None if isinstance(reference, Inside) else StateMap.of(states, reference, letters)
    return Decision("equal", model, name, automaton=automaton, why=why, notes=notes, certificate=evidence)


def _require_an_answer(states: Answering, reference: Answering, letters: tuple[str, ...], found: Parted) -> None:
    """BadInput where two recognisers never both answer: neither in the comparison `found` nor, if this stopped at its
    limit, in a longer one."""
    if not found.asked and found.length is not None:
        found = parted(states, reference, letters, PAIRS)
    if not found.asked:
        must = "the specification must give an answer for at least one string"
        all_of = "all of them" if found.length is None else f"all up to length {found.length}"
        raise BadInput(must, f"None for {all_of}", "return an answer where one answer is right")


def _followed(reference: Answering) -> Fold:
    """A reference as a fold. For a reference restricted to a language, the fold answers None outside the language."""
    if isinstance(reference, Inside):
        fold, inside = _followed(reference.reference), folded(reference.language)
        own_step, own_answer, read, holds = fold.step, fold.answer, inside.step, inside.answer
        # `step` and `answer` are made of what `symcook.decide.allowed` lists.

        def step(state: Any, letter: str) -> Any:
            """The states of the reference and of the language."""
            return own_step(state[0], letter), read(state[1], letter)

        def answer(state: Any) -> Any:
            """The answer of the reference inside the language, else None."""
            return own_answer(state[0]) if holds(state[1]) else None

        return Fold((fold.start, inside.start), step, answer)
    return folded(reference)


def _counted(model: Transformer, against: object, name: str, why: str) -> Decision:
    """The decision about a model as a counter machine; "refused" without a reference. `why` says why the model is not a
    finite automaton."""
    try:
        machine = counting(model)
    except OutOfReach as error:
        both = f"the model is not a finite automaton: {why}; the model is not a counter machine: {error}"
        return Decision("refused", model, name, why=why if str(error) == why else both)
    if against is None:
        needs = f"the model is not a finite automaton: {why}; for a counter machine, give a specification"
        return Decision("refused", model, name, why=needs)
    reference = recogniser(model, against)
    if isinstance(reference, Decision):
        return reference
    notes = (COMPILED,) if isinstance(machine, Programmed) else ()
    compared = settled(model, name, machine, machine, reference, notes=notes)
    return replace(compared, formula=formula(machine))


COMPILED = "the weights are those that the compiler gives to the program, so symcook decided the program"
"""The note where a compiled model is decided by its program."""


def counting(model: Transformer) -> Counting | Programmed:
    """A model as a counter machine: made from its weights or, where these are unsupported, from the formula of which
    they are the compilation. Raises OutOfReach where neither is possible."""
    try:
        return Counting(model)
    except OutOfReach as error:
        if model.program is None or model.program.kind != "count" or model.program.attention:
            raise
        # The model may be the compilation read at the last position only, where the compiler made a readout at each. A
        # readout at the first position, or one for all of them, gives other answers.
        compiled = [model]
        if model.readout.last:
            compiled.append(replace(model, readout=replace(model.readout, position="each")))
        try:
            program = formula_of(model.program)
            fold = replace(counted(program), each=model.readout.each)
            programmed = Programmed(fold, model.readout.labels or (True, False))
            text = program.text(program.outputs[0][1])
            programmed.text = None if program.labels or "..." in text else text
        except BadInput as refused:
            raise OutOfReach(f"{error}; its program: {refused.sentence.rstrip('.')}") from None
        if not any(map(genuine, compiled)):
            raise OutOfReach(f"{error}; the weights of the model differ from those of its program") from None
        return programmed


def decodes(model: object) -> bool:
    """Whether `model` is compiled from an automaton (its program is of the kind "dfa"), and so decodes its answer."""
    return isinstance(model, Transformer) and model.program is not None and model.program.kind == "dfa"


class Required(NamedTuple):
    """What a reference of a model must have in common with it."""

    letters: tuple[str, ...]
    """The symbols."""
    answers: tuple[Any, ...]
    """The possible answers."""
    each: bool
    """Whether there is an answer at each position, not one for each string."""

    @property
    def said(self) -> str:
        """The possible answers in words."""
        return " or ".join(map(str, self.answers))


def required(model: Transformer) -> Required:
    """The requirements for a reference of a model. A compiled automaton accepts or rejects what its user types."""
    if decodes(model):
        return Required(speech_of(model).letters, (True, False), False)
    return Required(model.alphabet, model.readout.labels or (True, False), model.readout.each)


def recogniser(model: Transformer, against: object) -> Answering | Decision:
    """The reference `against` as a recogniser over the model's symbols; a Decision where it is a model that cannot be
    decided. An `Inside` is returned unchanged. BadInput for a reference over other symbols, with other answers, or of
    another kind."""
    if isinstance(against, Inside):
        return against
    asked = required(model)
    if isinstance(against, str):
        text = expression(against, "the specification must be a regular expression, not the name of a file")
        return answering(asked, regular_table(text, asked.letters))
    if isinstance(against, Automaton):
        return answering(asked, against.over(asked.letters))
    if isinstance(against, Fold):
        if against.each != asked.each:
            must = "the specification must answer as often as the model: at each position, or once for each string"
            raise BadInput(must, f"each={against.each}", f"give a Fold with each={asked.each}")
        require_allowed(against)
        return Asked(against, asked.answers)
    if isinstance(against, Transformer):
        # Values that are given are those of the model, and do not reach the specification.
        if (missing := next((p.name for p in against.parameters if p.default is None), None)) is not None:
            must = "the parameters of a model that is a specification must have defaults"
            do = f'save the model with a value: model.bind({missing}="VALUE").save("FILE.json")'
            raise BadInput(must, f"none for {missing} of {against.name}", do)
        return _model(model, asked, against.bind({}))
    must = "the specification must be a Fold, an automaton, a model or a regular expression"
    raise BadInput(must, type(against).__name__, "a plain function cannot be decided for every length: write a Fold")


def _model(model: Transformer, asked: Required, rival: Transformer) -> Answering | Decision:
    """The model `rival` as a reference: a finite automaton or a counter machine; a Decision where it is neither, or
    where a table would grow too large. The requirements are symmetric, so that model and reference may change places:
    either set of possible answers must contain the other."""
    # Both must be of one kind, over one alphabet and with comparable answers.
    rival_required = required(rival)
    if rival_required.each != asked.each:
        raise BadInput(
            "both models must answer at each position, or both once for each string",
            f"{rival.name}, which answers {'at each position' if rival_required.each else 'once for each string'}",
            "compare two models of one kind",
        )
    if sorted(rival_required.letters) != sorted(asked.letters):
        must = f"the specification must be over the alphabet {' '.join(asked.letters)}"
        given = f"{rival.name}, over {' '.join(rival_required.letters) or 'numbers'}"
        raise BadInput(must, given, "compare two models over one alphabet")
    answers = {*asked.answers, *rival_required.answers}
    if len(answers) > max(len(asked.answers), len(rival_required.answers)):  # neither set of answers contains the other
        raise BadInput(
            f"the specification must answer {asked.said}",
            f"{rival.name}, which answers {rival_required.said}",
            "compare models with the same labels",
        )
    # As an automaton, or else as a machine that counts.
    try:
        return Finite(rival).automaton().over(asked.letters)
    except Missing as error:
        return Decision("open", model, rival.name, why=f"the specification {rival.name}: {error}")
    except OutOfReach as error:
        why = str(error)
    try:
        machine = counting(rival)
    except OutOfReach as error:
        both = (
            why
            if str(error) == why
            else f"the model is not a finite automaton ({why}) and not a counter machine ({error})"
        )
        return Decision("refused", model, rival.name, why=f"the specification {rival.name}: {both}")
    fold = machine.fold if isinstance(machine, Programmed) else machine.fold()
    return Asked(fold, [*answers])


def answering(asked: Required, automaton: Automaton) -> Automaton:
    """`automaton`; BadInput where it has an answer that the model never gives."""
    answers = set(automaton.answers) - {None}
    if not answers <= set(asked.answers):
        wrong = ", ".join(sorted(map(str, answers)))
        raise BadInput(f"the specification must answer {asked.said}", wrong, "give a specification with these answers")
    return automaton
