"""The certificate of a decision, as a file: the evidence for it, so that it can be checked again without the search.

`document` makes the content of the file; `check` reads it and either says how it proves the verdict or raises BadInput.
Two automata are proved equal by a map of states: pairs of a state of the model's automaton and one of the reference's,
which contain the initial pair, are closed under every symbol, and have equal answers. If the pairs are too many or
infinitely many, equality is proved by invariants, each with the multipliers that prove it after each symbol. A
difference is proved by a string. Without a reference, the evidence is the model's automaton. The check takes both sides
as recognisers, made anew from the model's weights and from the reference, and asks them at each state: it trusts
neither automaton in the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.decide.automata import Answering, Automaton, folded
from symcook.decide.counting import Counting, StateTable
from symcook.decide.following import Linear
from symcook.decide.invariants import Common, CountingMachine, Hole, Invariants, Location, side_by_side
from symcook.errors import BadInput
from symcook.model.modelfile import document_hash, to_document
from symcook.model.transformer import Transformer
from symcook.present import present
from symcook.programs.automata import table_of
from symcook.spec.fold import Fold

if TYPE_CHECKING:
    from symcook.decide.decision import Decision

FORMAT = "symcook decision 1"
"""The name and version of the format."""
MUST = "the certificate of a decision must hold"
"""The beginning of the message that a certificate is invalid."""
KEYS = {"format", "status", "verdict", "model", "against", "alphabet"}
"""The keys of every certificate."""
SHOWN = {
    "different": {"word", "answers"},
    "invariants": {"invariants"},
    "equal": {"automaton", "reference", "unanswered", "map"},
    "decided": {"automaton", "unanswered"},
}
"""The further keys of a certificate, by its verdict; under "invariants", those of an equality proved by invariants."""


@dataclass(frozen=True)
class StateMap:
    """The certificate that two automata are equal: the pairs of states that strings reach, as numbers of states."""

    model: Automaton
    reference: Automaton
    pairs: tuple[tuple[int, int], ...]

    @staticmethod
    def of(model: Answering, reference: Answering, alphabet: Sequence[str]) -> StateMap:
        """All pairs of states that strings reach, with the two automata of these states. There is no limit: the pairs
        must be finitely many. The reference is asked for an answer only where the model gives one; its automaton has
        None for a state in which it was never asked."""
        # The states of each side (0: model, 1: reference) are numbered in the order in which strings reach them.
        start = (model.initial, reference.initial)
        numbers: tuple[dict[Any, int], dict[Any, int]] = {start[0]: 0}, {start[1]: 0}
        moves: tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]] = {}, {}
        answers: tuple[dict[int, Any], dict[int, Any]] = {}, {}
        pairs = {start: None}
        for pair in (todo := [start]):
            successors = [(model.step(pair[0], letter), reference.step(pair[1], letter)) for letter in alphabet]
            for to in successors:
                if to not in pairs:
                    pairs[to] = None
                    todo.append(to)
            for side in (0, 1):
                row = tuple(numbers[side].setdefault(to[side], len(numbers[side])) for to in successors)
                moves[side][numbers[side][pair[side]]] = row
            # The reference is asked only where the model answers.
            p, q = (numbers[side][pair[side]] for side in (0, 1))
            if p not in answers[0]:
                answers[0][p] = model.answer(pair[0])
            if answers[0][p] is not None and q not in answers[1]:
                answers[1][q] = reference.answer(pair[1])
        # The two sides as automata whose states are these numbers.
        model_table, reference_table = (
            Automaton(
                tuple(alphabet),
                tuple(moves[k][state] for state in range(len(moves[k]))),
                tuple(answers[k].get(state) for state in range(len(moves[k]))),
            )
            for k in (0, 1)
        )
        return StateMap(model_table, reference_table, tuple((numbers[0][p], numbers[1][q]) for p, q in pairs))

    def check(self) -> bool:
        """Whether the initial states are a pair, each symbol leads from a pair to a pair, and the answers in a pair are
        equal. Where one of the two gives no answer, answers are not compared."""
        known = set(self.pairs)
        if (0, 0) not in known or self.model.alphabet != self.reference.alphabet:
            return False
        for p, q in known:
            model_answer, reference_answer = self.model.answers[p], self.reference.answers[q]
            if model_answer is not None and reference_answer is not None and model_answer != reference_answer:
                return False
            if any(to not in known for to in zip(self.model.moves[p], self.reference.moves[q], strict=True)):
                return False
        return True


def document(decision: Decision) -> dict[str, Any]:
    """The certificate of a decision as a JSON object; BadInput where nothing was decided. An equality must have its
    `certificate`: decisions on a language, about a decoder, or by `recheck` have none, and callers refuse them."""
    if not decision.decided:
        verdict_text = f"{decision.verdict}: {decision.why}"
        raise BadInput("a certificate must be of a decision", verdict_text, "leave --certificate out")
    out: dict[str, Any] = {
        "format": FORMAT,
        "status": "DECIDED",
        "verdict": decision.verdict,
        "model": document_hash(to_document(decision.model)),
        "against": decision.against,
        "alphabet": list(decision.model.alphabet),
    }
    evidence = decision.certificate
    # The evidence: a string, invariants, a map of states, or, without a reference, the automaton alone.
    if decision.verdict == "different":
        out |= {"word": list(present(decision.word)), "answers": list(present(decision.answers))}
    elif isinstance(evidence, Invariants):
        out["invariants"] = _written(evidence)
    elif isinstance(evidence, StateMap):
        automata = {"automaton": evidence.model.to_json(), "reference": evidence.reference.to_json()}
        names = [[evidence.model.names[p], evidence.reference.names[q]] for p, q in evidence.pairs]
        out |= {**automata, "unanswered": _unanswered(evidence.model, evidence.reference), "map": names}
    else:
        if decision.automaton is None:
            raise RuntimeError("found.automaton must be set here")
        out |= {"automaton": decision.automaton.to_json(), "unanswered": _unanswered(decision.automaton)}
    return out


def _unanswered(*automata: Automaton) -> list[list[str]]:
    """For each automaton, the names of the states without an answer, which the JSON form of an automaton cannot
    mark."""
    return [[n for n, a in zip(automaton.names, automaton.answers, strict=True) if a is None] for automaton in automata]


def _read(given: object, unanswered: Sequence[str], alphabet: Sequence[str]) -> Automaton:
    """An automaton of the file; the states named in `unanswered` get the answer None."""
    table = table_of(given).over(alphabet)
    if unknown := [name for name in unanswered if name not in table.names]:
        raise BadInput(MUST, f"no state {unknown[0]}")
    answers = tuple(None if n in unanswered else a for n, a in zip(table.names, table.answers, strict=True))
    return Automaton(table.alphabet, table.moves, answers, table.names)


def check(
    given: Mapping[str, Any], model: Transformer, machine: Answering, reference: Answering | None, against: str
) -> str:
    """How a certificate proves its verdict about a model and a reference, in words; BadInput where it is invalid.

    machine: the model as a recogniser, made from its weights (or from the program from which they are compiled); for
    invariants it must be a `CountingMachine`. reference: None where there is no reference. against: the name of the
    reference.
    """
    try:
        return _checked(given, model, machine, reference, against)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadInput(MUST, f"a file that cannot be read: {type(error).__name__}: {error}") from None


def _checked(
    given: Mapping[str, Any], model: Transformer, machine: Answering, reference: Answering | None, against: str
) -> str:
    """How a certificate proves its verdict, in words; see `check`."""
    # 1. Is it a certificate of this format, for this model, reference and alphabet?
    if given.get("format") != FORMAT or given["status"] != "DECIDED":
        raise BadInput(MUST, f"no decision of the format {FORMAT}")
    kind = "invariants" if "invariants" in given else given["verdict"]
    if kind in SHOWN and set(given) != KEYS | SHOWN[kind]:
        raise BadInput(MUST, f"other keys: {', '.join(sorted(set(given) ^ (KEYS | SHOWN[kind])))}")
    if given["against"] != against:
        raise BadInput(MUST, f"one against {given['against'] or 'nothing'}, not {against or 'nothing'}")
    if given["model"] != document_hash(to_document(model)):
        raise BadInput(MUST, "one of another model", f"give the model with the hash {given['model'][:12]}")
    verdict, alphabet = given["verdict"], tuple(given["alphabet"])
    if alphabet != tuple(model.alphabet):
        raise BadInput(MUST, "one over another alphabet")
    if (verdict == "decided") is not (reference is None):
        raise BadInput(
            MUST, "one without a specification" if verdict == "decided" else "no specification", "give --against X"
        )
    # 2. A difference: model and reference are run on the string.
    if verdict == "different":
        reference = present(reference)
        word, answers = tuple(given["word"]), tuple(given["answers"])
        answered = tuple(_answered(recogniser, word) for recogniser in (machine, reference))
        if answered != answers or answered[0] == answered[1]:
            raise BadInput(
                MUST, f"the answers {answers[0]} and {answers[1]}, where they are {answered[0]} and {answered[1]}"
            )
        return "model and specification were run on this string"
    if verdict not in ("equal", "decided"):
        raise BadInput(MUST, f"the verdict {verdict}")
    # 3. Invariants: their obligations are computed anew and checked with the multipliers.
    if "invariants" in given:
        if not isinstance(machine, CountingMachine) or reference is None:
            raise BadInput(MUST, "invariants of a model that does not count")
        proof = _invariants(given["invariants"], *side_by_side(machine, folded(reference), alphabet))
        if not proof.check():
            raise BadInput(MUST, "invariants that do not follow after each symbol")
        return proof.says
    # 4. Automata: each must step and answer as the model or the reference does, and the map of states must be closed.
    # The answers of the reference are compared only in states that are paired with one in which the model answers.
    unanswered = given["unanswered"]
    own_table = _read(given["automaton"], unanswered[0], alphabet)
    _same(own_table, machine, alphabet, "the automaton is not that of the model's weights", set(range(len(own_table))))
    if verdict == "decided":
        return f"an automaton of {len(own_table)} states"
    reference = present(reference)
    reference_table = _read(given["reference"], unanswered[1], alphabet)
    places = [{name: k for k, name in enumerate(x.names)} for x in (own_table, reference_table)]
    pairs = tuple((places[0][p], places[1][q]) for p, q in given["map"])
    asked = {q for p, q in pairs if own_table.answers[p] is not None}
    _same(reference_table, reference, alphabet, "the specification answers otherwise than its automaton", asked)
    if not StateMap(own_table, reference_table, pairs).check():
        raise BadInput(MUST, "a map of states that is not closed under symbols, or pairs states with two answers")
    return f"a map of {len(pairs)} pairs of states"


def _answered(recogniser: Answering, word: Sequence[str]) -> Any:
    """The answer of a recogniser to a string."""
    state = recogniser.initial
    for letter in word:
        state = recogniser.step(state, letter)
    return recogniser.answer(state)


def _same(automaton: Automaton, recogniser: Answering, alphabet: Sequence[str], what: str, answering: set[int]) -> None:
    """BadInput with `what` where an automaton is not a recogniser's: each of its states must stand for one state of the
    recogniser, with equal steps and, in the states `answering`, equal answers (None included)."""
    state_of: dict[int, Any] = {0: recogniser.initial}
    for state in (todo := [0]):
        own = state_of[state]
        if state in answering and recogniser.answer(own) != automaton.answers[state]:
            raise BadInput(MUST, what)
        for letter in alphabet:
            to, next_own = automaton.step(state, letter), recogniser.step(own, letter)
            if to not in state_of:
                state_of[to] = next_own
                todo.append(to)
            elif state_of[to] != next_own:
                raise BadInput(MUST, what)


# --- Invariants ---------------------------------------------------------------------------------------------------


def _written(certificate: Invariants) -> dict[str, Any]:
    """Invariants as JSON, which `_invariants` reads."""
    return {
        "length": certificate.common.length,
        "growing": sorted(map(list, certificate.common.growing)),
        "locations": [
            {
                "last": location.last,
                "flags": list(location.flags),
                "shape": _shape(location.shape),
                "inequalities": [
                    {"terms": [[*name, weight] for name, weight in inequality.parts], "constant": inequality.constant}  # type: ignore[misc]
                    for inequality in inequalities
                ],
            }
            for location, inequalities in certificate.held.items()
        ],
        "multipliers": [
            [[place, str(times)] for place, times in combination] for combination in certificate.multipliers
        ],
    }


def _shape(shape: Any) -> Any:
    """The shape of a location as JSON, which `_shaped` reads."""
    if isinstance(shape, Hole):
        return {"hole": shape.place}
    return {"tuple": [_shape(x) for x in shape]} if type(shape) is tuple else shape


def _shaped(given: Any) -> Any:
    """A shape from JSON."""
    if isinstance(given, dict):
        return Hole(given["hole"]) if "hole" in given else tuple(map(_shaped, given["tuple"]))
    return given


def _invariants(given: Mapping[str, Any], machine: Counting | StateTable, fold: Fold) -> Invariants:
    """Invariants from JSON, for this machine and fold; BadInput where the fold's growing numbers are not those of the
    file."""
    common = Common(machine, fold, given["length"])
    if sorted(map(list, common.growing)) != given["growing"]:
        raise BadInput(MUST, "one in which other numbers of the specification's state grow")
    inequalities = {
        Location(location["last"], tuple(location["flags"]), _shaped(location["shape"])): tuple(
            map(_linear, location["inequalities"])
        )
        for location in given["locations"]
    }
    multipliers = tuple(
        tuple((int(k), Fraction(times)) for k, times in combination) for combination in given["multipliers"]
    )
    return Invariants(common, inequalities, multipliers)


def _linear(given: Mapping[str, Any]) -> Linear:
    """A linear inequality from JSON."""
    terms = tuple(((kind, int(number)), int(weight)) for kind, number, weight in given["terms"])
    return Linear(terms, int(given["constant"]))
