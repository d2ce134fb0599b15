"""The certificate of a decision, as a file: the evidence for it, so that it can be checked again without the search.

`document` makes the content of the file; `check` reads it and either says how it proves the verdict or raises BadInput.
Two automata are proved equal by a map of states: pairs of a state of the model's automaton and one of the reference's,
which contain the initial pair, are closed under every symbol, and have equal answers. If the pairs are too many or
infinitely many, equality is proved by invariants, each with the multipliers that prove it after each symbol. A
difference is proved by a string. Without a reference, the evidence is the model's automaton.

The check takes both sides as recognisers, made anew from the model's weights and from the reference. It computes every
part of the file again and compares JSON texts, in which true is not 1. Only a string, the inequalities and the
multipliers cannot be computed without a search: they are read, and what they prove is checked. No state of the file is
ever given to a model or to a reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.decide.automata import Answering, Automaton, folded
from symcook.decide.counting import Counting, StateTable
from symcook.decide.following import Linear, Lost
from symcook.decide.invariants import FALSE, Common, CountingMachine, Hole, Invariants, Location, side_by_side
from symcook.errors import BadInput
from symcook.model.modelfile import document_hash, to_document
from symcook.model.transformer import Transformer
from symcook.present import present
from symcook.programs.running import decodes
from symcook.spec.fold import Fold, same

if TYPE_CHECKING:
    from symcook.decide.decision import Decision

FORMAT = "symcook decision 1"
"""The name and version of the format."""
MUST = "the certificate of a decision must prove its answer about this model"
"""The beginning of the message that a certificate is invalid."""
AGAIN = "write the certificate again: symcook decide with --certificate FILE"
"""The end of that message, if nothing else can be done."""
OF_RECIPE = "the specification of "
"""How the name of a specification begins that is the one of a recipe."""
OWN = ("its specification", "its program")
"""The names of a specification that is the model's own."""
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
    def of(model: Answering, reference: Answering, alphabet: Sequence[str], most: int | None = None) -> StateMap:
        """All pairs of states that strings reach, with the two automata of these states. Raises BadInput for more than
        `most`; without it the pairs must be finitely many. The reference is asked for an answer only where the model
        gives one; its automaton has None for a state in which it was never asked."""
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
            if most is not None and len(pairs) > most:
                raise BadInput(MUST, f"{most} pairs of states in its map, which is too few", AGAIN)
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
            if not (model_answer is None or reference_answer is None or same(model_answer, reference_answer)):
                return False
            if any(to not in known for to in zip(self.model.moves[p], self.reference.moves[q], strict=True)):
                return False
        return True


def document(decision: Decision) -> dict[str, Any]:
    """The certificate of a decision as a JSON object; BadInput where nothing was decided, and for a decision without
    evidence of its own: one about a compiled automaton, which a theorem decides, on a language, or by `recheck`."""
    if not decision.decided:
        verdict_text = f"{decision.verdict}: {decision.why}"
        raise BadInput(
            "a certificate must be of a decision that holds or is refuted, not of an undecided one",
            verdict_text,
            "leave --certificate out",
        )
    out: dict[str, Any] = {
        "format": FORMAT,
        "status": "DECIDED",
        "verdict": decision.verdict,
        "model": document_hash(to_document(decision.model)),
        "against": decision.against,
        "alphabet": list(decision.model.alphabet),
    }
    proved = decision.verdict != "equal" or decision.certificate is not None
    if decodes(decision.model) or decision.inputs or not proved:
        do = "symcook compile dfa --prove writes one for a compiled automaton"
        raise BadInput(
            "symcook decide writes a certificate only for a decision that it has made itself",
            f"one about {decision.model.name}",
            do,
        )
    # The evidence: a string, invariants, a map of states, or, without a reference, the automaton alone.
    if decision.verdict == "different":
        return out | {"word": list(present(decision.word)), "answers": list(present(decision.answers))}
    return out | _evidence(present(decision.automaton) if decision.verdict == "decided" else decision.certificate)


def _evidence(evidence: Invariants | StateMap | Automaton | None) -> dict[str, Any]:
    """The keys of a certificate that prove an equality, or that show an automaton."""
    if isinstance(evidence, Invariants):
        return {"invariants": _written(evidence)}
    if isinstance(evidence, StateMap):
        automata = {"automaton": evidence.model.to_json(), "reference": evidence.reference.to_json()}
        names = [[evidence.model.names[p], evidence.reference.names[q]] for p, q in evidence.pairs]
        return {**automata, "unanswered": _unanswered(evidence.model, evidence.reference), "map": names}
    automaton = present(evidence)
    return {"automaton": automaton.to_json(), "unanswered": _unanswered(automaton)}


def _unanswered(*automata: Automaton) -> list[list[str]]:
    """For each automaton, the names of the states without an answer, which the JSON form of an automaton cannot
    mark."""
    return [[n for n, a in zip(automaton.names, automaton.answers, strict=True) if a is None] for automaton in automata]


def _text(value: object) -> str:
    """A JSON value as text. Two values have one text only if they are equal and of the same types in all parts."""
    return json.dumps(value, sort_keys=True)


def _require_same(given: Mapping[str, Any], own: Mapping[str, Any]) -> None:
    """BadInput where a key of the file has another value than the one computed here."""
    for key, value in own.items():
        if _text(given[key]) != _text(value):
            raise BadInput(MUST, f'another value of "{key}" than model and specification give', AGAIN)


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
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError, Lost) as error:
        raise BadInput(MUST, f"a file that cannot be read: {type(error).__name__}: {error}", AGAIN) from None


def _checked(
    given: Mapping[str, Any], model: Transformer, machine: Answering, reference: Answering | None, against: str
) -> str:
    """How a certificate proves its verdict, in words; see `check`."""
    # 1. Is it a certificate of this format, for this model, reference and alphabet?
    if given.get("format") != FORMAT or given["status"] != "DECIDED":
        raise BadInput(MUST, f'a file that is not of the format "{FORMAT}"', AGAIN)
    kind = "invariants" if "invariants" in given else given["verdict"]
    if kind in SHOWN and set(given) != KEYS | SHOWN[kind]:
        raise BadInput(MUST, f"missing or unknown keys: {', '.join(sorted(set(given) ^ (KEYS | SHOWN[kind])))}", AGAIN)
    if given["against"] != against:
        own = given["against"] in ("", *OWN)
        raise BadInput(
            MUST,
            f"a certificate about the specification {given['against'] or 'none'}, not {against or 'none'}",
            "leave --against out" if own else f"give --against {str(given['against']).removeprefix(OF_RECIPE)}",
        )
    if given["model"] != document_hash(to_document(model)):
        raise BadInput(MUST, "a certificate about another model", f"give the model with the hash {given['model'][:12]}")
    verdict, alphabet = given["verdict"], tuple(given["alphabet"])
    _require_same(given, {"alphabet": list(model.alphabet)})
    if (verdict == "decided") is not (reference is None):
        raise BadInput(
            MUST,
            "a certificate without a specification"
            if verdict == "decided"
            else "a certificate that needs a specification",
            "leave --against out" if verdict == "decided" else "give --against X",
        )
    # 2. A difference: model and reference are run on the string.
    if verdict == "different":
        reference, word = present(reference), given["word"]
        if type(word) is not list or any(type(symbol) is not str or symbol not in alphabet for symbol in word):
            raise BadInput(MUST, "a counterexample with a symbol outside the alphabet", AGAIN)
        answers = tuple(_answered(recogniser, word) for recogniser in (machine, reference))
        _require_same(given, {"answers": list(answers)})
        if None in answers or same(*answers):
            raise BadInput(
                MUST, f"a counterexample with the answers {answers[0]} and {answers[1]}, which do not differ", AGAIN
            )
        return "model and specification were run on this string"
    if verdict not in ("equal", "decided"):
        raise BadInput(MUST, f"the unknown verdict {verdict}", AGAIN)
    # 3. Invariants: their obligations are computed anew and checked with the multipliers.
    if "invariants" in given:
        if not isinstance(machine, CountingMachine) or reference is None:
            raise BadInput(MUST, "invariants, for a model that does not compare counts of symbols", AGAIN)
        proof = _invariants(given["invariants"], *side_by_side(machine, folded(reference), alphabet))
        if not proof.check():
            raise BadInput(MUST, "invariants that a further symbol can break", AGAIN)
        return proof.says
    # 4. Automata: they are made again from both sides, and the map of states must be closed.
    if verdict == "decided":
        if not isinstance(machine, Automaton):
            raise BadInput(MUST, "an automaton, for a model whose states are not finitely many", AGAIN)
        _require_same(given, _evidence(machine))
        return f"an automaton of {len(machine)} states"
    found = StateMap.of(machine, present(reference), alphabet, len(given["map"]))
    _require_same(given, _evidence(found))
    if not found.check():
        raise BadInput(MUST, "a map of states in which some pair has two different answers", AGAIN)
    return f"a map of {len(found.pairs)} pairs of states"


def _answered(recogniser: Answering, word: Sequence[str]) -> Any:
    """The answer of a recogniser to a string."""
    state = recogniser.initial
    for letter in word:
        state = recogniser.step(state, letter)
    return recogniser.answer(state)


# --- Invariants ---------------------------------------------------------------------------------------------------


def _written(certificate: Invariants) -> dict[str, Any]:
    """Invariants as JSON, which `_invariants` reads."""
    return {
        "length": certificate.common.length,
        "growing": sorted(map(list, certificate.common.growing)),
        "locations": [
            {
                **_location(location),
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


def _location(location: Location) -> dict[str, Any]:
    """A location as JSON."""
    return {"last": location.last, "flags": list(location.flags), "shape": _shape(location.shape)}


def _shape(shape: Any) -> Any:
    """The shape of a location as JSON."""
    if isinstance(shape, Hole):
        return {"hole": shape.place}
    if type(shape) is not tuple:
        return shape
    kind, *parts = shape  # an exact key
    return {"tuple": list(map(_shape, parts))} if kind is tuple else parts[0]


def _invariants(given: Mapping[str, Any], machine: Counting | StateTable, fold: Fold, paired: bool) -> Invariants:
    """Invariants from JSON, for this machine and fold. The locations are those that the two reach themselves, found by
    their own steps. BadInput where the file has others, or where other numbers of the fold's state grow."""
    if type(given["length"]) is not bool or given.keys() != {"length", "growing", "locations", "multipliers"}:
        raise BadInput(MUST, "invariants with missing or unknown keys", AGAIN)
    common = Common(machine, fold, paired, given["length"])
    _require_same(given, {"growing": sorted(map(list, common.growing))})
    stated = {
        _text({key: value for key, value in location.items() if key != "inequalities"}): tuple(
            map(_linear, location["inequalities"])
        )
        for location in given["locations"]
    }
    # The locations that can be reached, where no inequality says that they cannot.
    start, _ = common.place((machine.initial, fold.start), 0)
    own = {_text(_location(start)): start}
    for text in (todo := list(own)):
        if FALSE in stated.get(text, (FALSE,)):
            continue
        for case in common.cases(own[text]):
            if case.to is not None and (to := _text(_location(case.to))) not in own:
                own[to] = case.to
                todo.append(to)
    if len(stated) != len(given["locations"]) or not stated.keys() <= own.keys():
        raise BadInput(MUST, "invariants of a state that no string reaches, or two of one state", AGAIN)
    multipliers = tuple(
        tuple((_whole(k), _fraction(times)) for k, times in combination) for combination in given["multipliers"]
    )
    return Invariants(common, {own[text]: inequalities for text, inequalities in stated.items()}, multipliers)


def _linear(given: Mapping[str, Any]) -> Linear:
    """A linear inequality from JSON: each name once, in order, with a weight that is not 0."""
    terms = tuple(((kind, _whole(number)), _whole(weight)) for kind, number, weight in given["terms"])
    inequality = Linear(terms, _whole(given["constant"]))
    if inequality != inequality.over(1) or given.keys() != {"terms", "constant"}:
        raise BadInput(MUST, "an inequality that is not in lowest terms, or has other keys", AGAIN)
    return inequality


def _whole(given: object) -> int:
    """An integer from JSON, not true or a number with a point."""
    if type(given) is not int:
        raise BadInput(MUST, f"{_text(given)}, where an integer must stand", AGAIN)
    return given


def _fraction(given: object) -> Fraction:
    """A fraction from JSON, a text such as "1/2"."""
    if type(given) is not str or not re.fullmatch(r"[0-9]+(/[0-9]+)?", given):
        raise BadInput(MUST, f"the multiplier {_text(given)}, which is not a positive fraction", AGAIN)
    return Fraction(given)
