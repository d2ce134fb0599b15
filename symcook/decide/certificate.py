"""The certificate of a decision, as a file: what shows it, so that it can be checked again without the search.

An equality of automata is shown by a map of states: pairs of a state of the model's automaton and one of the
reference's, closed under every letter, begun with the first states, with equal answers. An equality of machines that
count is shown by invariants, each with the multipliers that prove it behind each letter. A difference is shown by its
word. Checked again, the model is read from its weights and the reference is asked at each state, as when it was made.
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
MUST = "the certificate of a decision must hold"
KEYS = {"format", "status", "verdict", "model", "against", "alphabet"}
SHOWN = {
    "different": {"word", "answers"},
    "invariants": {"invariants"},
    "equal": {"automaton", "reference", "unanswered", "map"},
    "decided": {"automaton", "unanswered"},
}
"""The other keys of a certificate, by its verdict, or "invariants" where it has these."""


@dataclass(frozen=True)
class StateMap:
    """The certificate of an equality of two automata: pairs of their states."""

    model: Automaton
    reference: Automaton
    pairs: tuple[tuple[int, int], ...]

    @staticmethod
    def of(model: Answering, reference: Answering, alphabet: Sequence[str]) -> StateMap:
        """All pairs that words reach, with the automata of their states. Where the model gives no answer the reference
        is not asked for one."""
        start = (model.initial, reference.initial)
        numbers: tuple[dict[Any, int], dict[Any, int]] = {start[0]: 0}, {start[1]: 0}
        moves: tuple[dict[int, tuple[int, ...]], dict[int, tuple[int, ...]]] = {}, {}
        answers: tuple[dict[int, Any], dict[int, Any]] = {}, {}
        pairs = {start: None}
        for pair in (todo := [start]):
            behind = [(model.step(pair[0], letter), reference.step(pair[1], letter)) for letter in alphabet]
            for to in behind:
                if to not in pairs:
                    pairs[to] = None
                    todo.append(to)
            for side in (0, 1):
                row = tuple(numbers[side].setdefault(to[side], len(numbers[side])) for to in behind)
                moves[side][numbers[side][pair[side]]] = row
            p, q = (numbers[side][pair[side]] for side in (0, 1))
            if p not in answers[0]:
                answers[0][p] = model.answer(pair[0])
            if answers[0][p] is not None and q not in answers[1]:
                answers[1][q] = reference.answer(pair[1])
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
        """Whether the first states are a pair, each letter leads from a pair to a pair, and answers are equal; where
        one of the two gives no answer nothing is compared."""
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


def document(found: Decision) -> dict[str, Any]:
    """What is written for a decision. BadInput where nothing was decided."""
    if not found.decided:
        verdict_text = f"{found.verdict}: {found.why}"
        raise BadInput("a certificate must be of a decision", verdict_text, "leave --certificate out")
    out: dict[str, Any] = {
        "format": FORMAT,
        "status": "DECIDED",
        "verdict": found.verdict,
        "model": document_hash(to_document(found.model)),
        "against": found.against,
        "alphabet": list(found.model.alphabet),
    }
    evidence = found.certificate
    if found.verdict == "different":
        out |= {"word": list(present(found.word)), "answers": list(present(found.answers))}
    elif isinstance(evidence, Invariants):
        out["invariants"] = _written(evidence)
    elif isinstance(evidence, StateMap):
        automata = {"automaton": evidence.model.to_json(), "reference": evidence.reference.to_json()}
        names = [[evidence.model.names[p], evidence.reference.names[q]] for p, q in evidence.pairs]
        out |= {**automata, "unanswered": _silent(evidence.model, evidence.reference), "map": names}
    else:
        if found.automaton is None:
            raise RuntimeError("found.automaton must be set here")
        out |= {"automaton": found.automaton.to_json(), "unanswered": _silent(found.automaton)}
    return out


def _silent(*automata: Automaton) -> list[list[str]]:
    """By automaton, the states without an answer, which automata-lib's names cannot say."""
    return [[n for n, a in zip(automaton.names, automaton.answers, strict=True) if a is None] for automaton in automata]


def _read(given: object, silent: Sequence[str], alphabet: Sequence[str]) -> Automaton:
    table = table_of(given).over(alphabet)
    if odd := [name for name in silent if name not in table.names]:
        raise BadInput(MUST, f"no state {odd[0]}")
    answers = tuple(None if n in silent else a for n, a in zip(table.names, table.answers, strict=True))
    return Automaton(table.alphabet, table.moves, answers, table.names)


def check(
    given: Mapping[str, Any], model: Transformer, machine: Answering, reference: Answering | None, against: str
) -> str:
    """What a certificate shows of a model and a reference, in words; BadInput where it does not hold.

    machine: the model as a recogniser, made from its weights; reference: None where none is given, and `against` what
    it is called.
    """
    try:
        return _checked(given, model, machine, reference, against)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadInput(MUST, f"a file that cannot be read: {type(error).__name__}: {error}") from None


def _checked(
    given: Mapping[str, Any], model: Transformer, machine: Answering, reference: Answering | None, against: str
) -> str:
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
    if verdict == "different":
        reference = present(reference)
        word, answers = tuple(given["word"]), tuple(given["answers"])
        answered = tuple(_answered(machine_asked, word) for machine_asked in (machine, reference))
        if answered != answers or answered[0] == answered[1]:
            raise BadInput(
                MUST, f"the answers {answers[0]} and {answers[1]}, where they are {answered[0]} and {answered[1]}"
            )
        return "model and specification were run on this string"
    if verdict not in ("equal", "decided"):
        raise BadInput(MUST, f"the verdict {verdict}")
    if "invariants" in given:
        if not isinstance(machine, CountingMachine) or reference is None:
            raise BadInput(MUST, "invariants of a model that does not count")
        proof = _invariants(given["invariants"], *side_by_side(machine, folded(reference), alphabet))
        if not proof.check():
            raise BadInput(MUST, "invariants that do not follow after each symbol")
        return proof.says
    silent = given["unanswered"]
    own_table = _read(given["automaton"], silent[0], alphabet)
    _same(own_table, machine, alphabet, "the automaton is not that of the model's weights", set(range(len(own_table))))
    if verdict == "decided":
        return f"an automaton of {len(own_table)} states"
    reference = present(reference)
    reference_table = _read(given["reference"], silent[1], alphabet)
    places = [{name: k for k, name in enumerate(x.names)} for x in (own_table, reference_table)]
    pairs = tuple((places[0][p], places[1][q]) for p, q in given["map"])
    asked = {q for p, q in pairs if own_table.answers[p] is not None}
    _same(reference_table, reference, alphabet, "the specification answers otherwise than its automaton", asked)
    if not StateMap(own_table, reference_table, pairs).check():
        raise BadInput(MUST, "a map of states that is not closed under symbols, or pairs states with two answers")
    return f"a map of {len(pairs)} pairs of states"


def _answered(one: Answering, word: Sequence[str]) -> Any:
    state = one.initial
    for letter in word:
        state = one.step(state, letter)
    return one.answer(state)


def _same(automaton: Automaton, asked: Answering, alphabet: Sequence[str], what: str, answering: set[int]) -> None:
    """That an automaton steps as a recogniser does, and answers as it does in the states `answering`, where it may give
    no answer too: each of its states stands for one of the other's."""
    stands: dict[int, Any] = {0: asked.initial}
    for state in (todo := [0]):
        here = stands[state]
        if state in answering and asked.answer(here) != automaton.answers[state]:
            raise BadInput(MUST, what)
        for letter in alphabet:
            to, there = automaton.step(state, letter), asked.step(here, letter)
            if to not in stands:
                stands[to] = there
                todo.append(to)
            elif stands[to] != there:
                raise BadInput(MUST, what)


# --- Invariants ---------------------------------------------------------------------------------------------------


def _written(shown: Invariants) -> dict[str, Any]:
    return {
        "length": shown.common.length,
        "growing": sorted(map(list, shown.common.growing)),
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
            for location, inequalities in shown.held.items()
        ],
        "multipliers": [[[place, str(times)] for place, times in combination] for combination in shown.multipliers],
    }


def _shape(shape: Any) -> Any:
    if isinstance(shape, Hole):
        return {"hole": shape.place}
    return {"tuple": [_shape(x) for x in shape]} if type(shape) is tuple else shape


def _shaped(given: Any) -> Any:
    if isinstance(given, dict):
        return Hole(given["hole"]) if "hole" in given else tuple(map(_shaped, given["tuple"]))
    return given


def _invariants(given: Mapping[str, Any], machine: Counting | StateTable, fold: Fold) -> Invariants:
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
    terms = tuple(((kind, int(number)), int(weight)) for kind, number, weight in given["terms"])
    return Linear(terms, int(given["constant"]))
