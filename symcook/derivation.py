"""Closed forms of a model's outputs for one input, valid for every admissible value of the symbols that remain.

In goes a model, an input and values for some of its symbols; out comes a `Derivation`, or with `derive_cases` one for
each way in which open comparisons may turn out. The forward pass is that over `symcook.domains.symbolic`.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

from symcook.declaration import load
from symcook.door import Progress, door
from symcook.errors import BadInput, Undecided
from symcook.model.answers import Several, Shown
from symcook.model.expr import MAX_TEXT
from symcook.model.symbols import Exact, exact, from_sympy, symbol
from symcook.model.transformer import INDEX, Transformer

if TYPE_CHECKING:
    from symcook.closed import EveryLength
    from symcook.domains.symbolic import Choices, Symbolic
    from symcook.forward import Result

MAX_CASES = 64
"""The greatest number of cases in an answer."""
MAX_TRIED = 2 * MAX_CASES
"""The greatest number of ways to decide the comparisons, those that no values allow counted too."""


@dataclass(frozen=True)
class AtPosition:
    """What a readout says at one position, which is counted as the model counts: expressions by coordinate, the verdict
    (None where the model decides nothing, or about all positions at once, or the verdict depends on the symbols), and
    the label of the greatest of them (None where the readout names none or that depends on the symbols)."""

    position: int
    expressions: Mapping[str, Any]
    accept: bool | None
    label: str | None = None

    @cached_property
    def output(self) -> dict[str, str]:
        """The closed forms as text in the grammar, by coordinate."""
        return {name: from_sympy(value) for name, value in self.expressions.items()}


@dataclass(frozen=True, repr=False)
class Derivation(Shown):
    """What a model computes on one input: sympy expressions by coordinate, in the symbols that remain.

    `assumptions` are the ranges of the symbols, `conditions` what was taken for granted beyond them (in a case of
    `derive_cases`), all formulas of the grammar. `accept` is None where the model decides nothing or the verdict
    depends on the symbols. `expressions` and `accept` are those of the position at which the readout looks; for a
    readout at each position, or at all, those of the last, and `each` has an answer for every position.
    """

    REPORT = "derivation"

    recipe: str
    given: str
    symbols: tuple[str, ...]
    assumptions: tuple[str, ...]
    conditions: tuple[str, ...]
    expressions: Mapping[str, Any]
    accept: bool | None
    decides: bool
    each: tuple[AtPosition, ...] = ()
    labelled: bool = False
    label: str | None = None
    """Whether the readout names the greatest of its scores, and which that is (None: it depends on the symbols)."""
    overall: bool = False
    """Whether `accept` is one verdict on all positions, which each must pass."""

    @cached_property
    def output(self) -> dict[str, str]:
        """The closed forms as text in the grammar, by coordinate."""
        return {name: from_sympy(value) for name, value in self.expressions.items()}

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook derive --json``."""
        document = {
            "recipe": self.recipe,
            "input": self.given,
            "symbols": list(self.symbols),
            "assumptions": list(self.assumptions),
            "conditions": list(self.conditions),
            "output": self.output,
            "accept": self.accept,
        }
        if self.each:
            document["outputs"] = [
                {"position": position_answer.position, "output": position_answer.output}
                | ({} if self.overall else {"accept": position_answer.accept})
                | ({"label": position_answer.label} if self.labelled else {})
                for position_answer in self.each
            ]
        if self.labelled:
            document["label"] = self.label
        return document


@overload
def derive(model: Transformer, given: None = None, values: Mapping[str, Exact] | None = None) -> Any: ...
@overload
def derive(model: Transformer, given: object, values: Mapping[str, Exact] | None = None) -> Derivation: ...
@door()
def derive(
    model: Transformer, given: object = None, values: Mapping[str, Exact] | None = None
) -> Derivation | EveryLength:
    """The closed forms of `model` on one input; of a model of words without one, at every length.

    `given` is a word, or rows {input: value} whose values may contain symbols; a feed-forward recipe is derived in the
    names of the inputs that are not given. `values` sets declared symbols; the others stay, with their intervals.
    The forms at every length are found, and proved where their `prove()` is asked.

    >>> from symcook.recipes import build
    >>> print(derive(build("identity")).text())
    identity on x
      out = x
      for all real x

    Raises BadInput for a model of rows without input and for forms that are out of reach, Branching where a maximum
    among scores or a division depends on the symbols, Undecided where the closed form grows too large, and NotExact for
    numbers without a closed form.
    """
    if given is None and not model.pointwise:
        return load("symcook.closed:every_length")(model, values)
    return _Task(model, given, values).derive(None)


@door()
def derive_cases(
    model: Transformer,
    given: object = None,
    values: Mapping[str, Exact] | None = None,
    *,
    progress: Progress | None = None,
) -> Several[Derivation]:
    """The closed forms of `model` on one input by cases, one for each way in which open comparisons may turn out.

    Together the conditions cover all admissible values. Raises Undecided above `MAX_CASES` cases or `MAX_TRIED` ways to
    decide the comparisons, and BadInput where a case has no value (a denominator that is zero); else as `derive`.

    >>> from symcook.recipes import build
    >>> [(d.conditions, d.output["out"]) for d in derive_cases(build("min"))]
    [(('0 < x - y',), 'y'), (('x - y <= 0',), 'x')]
    """
    from symcook.domains.signs import Impossible
    from symcook.domains.symbolic import Choices

    task, derivations = _Task(model, given, values), list[Derivation]()
    choices = Choices(None if progress is None else lambda: progress(len(derivations), MAX_CASES))
    for _ in range(MAX_TRIED):
        with suppress(Impossible):
            derivations.append(task.derive(choices))
        if not choices.advance():
            return Several(derivations)
        if len(derivations) == MAX_CASES:
            break
    limit = f"{MAX_CASES} cases" if len(derivations) == MAX_CASES else f"{MAX_TRIED} ways to decide its comparisons"
    raise Undecided(f"{model.name} on {task.given} needs more than {limit}; set a symbol or an input.")


class _Task:
    """A model and its input, checked."""

    def __init__(self, model: Transformer, given: Any, values: Mapping[str, Exact] | None) -> None:
        from symcook.run import prepare

        self.model = model.bind(values, require=False)
        # A model of strings.
        if model.embedding.inputs is None:
            if given is None:
                do = "give --input, or take symcook.closed.every_length(model) for all lengths"
                raise BadInput("a sequence model needs an input to derive", model.name, do)
            self.sequence, self.given = prepare(self.model, given)
            self.inputs: tuple[str, ...] = ()
            return
        # A model of rows of numbers: one row may be given as a mapping, and a pointwise model may leave inputs out.
        if given is None and not model.pointwise:
            raise BadInput("a sequence model needs an input to derive", model.name, "give --rows")
        rows = [given or {}] if given is None or isinstance(given, Mapping) else given
        if not isinstance(rows, (list, tuple)) or not all(isinstance(row, Mapping) for row in rows):
            model.rows(rows)  # says what rows are
        rows = list(rows)
        # Inputs that are not given stay symbols.
        open_inputs = []
        if model.pointwise:
            named = dict(rows[0]) if len(rows) == 1 else {}
            open_inputs = [name for name in model.embedding.inputs if name not in named]
            rows[:1] = [{name: symbol(name) for name in open_inputs} | named]
        self.sequence, self.given = prepare(self.model, rows)
        if model.pointwise:
            # The name of the input: the open names, and the values that were given.
            parts = (f"{c}={from_sympy(v)}" for c, v in self.sequence[0].items() if c not in open_inputs)
            self.given = ", ".join((*open_inputs, *parts))
        self._take_symbols(model, values)

    def _take_symbols(self, model: Transformer, values: Mapping[str, Exact] | None) -> None:
        """Put set symbols into the rows and find the others that are not declared."""
        bound = {symbol(name): exact(value) for name, value in (values or {}).items()}
        self.sequence = tuple(
            MappingProxyType({name: value.xreplace(bound) for name, value in row.items()}) for row in self.sequence
        )
        free = {s.name for row in self.sequence for value in row.values() for s in value.free_symbols}
        for name in INDEX:
            if name in free:
                raise BadInput("an input must not contain i or n, which count positions", name, "use another name")
        declared = {p.name for p in model.parameters}
        order = model.embedding.inputs or ()
        self.inputs = tuple(
            sorted(free - declared, key=lambda name: (order.index(name) if name in order else len(order), name))
        )

    def derive(self, choices: Choices | None) -> Derivation:
        """The closed forms, in one case of `choices` if there are any."""
        from symcook.domains.symbolic import Symbolic
        from symcook.forward import forward
        from symcook.numbers.shorter import shorter

        model = self.model
        domain = Symbolic(model.parameters, self.inputs, choices)
        result = forward(model, self.sequence, domain)
        domain.check_temperatures(model)
        # `overall`: one verdict on all positions, where no position has a verdict of its own.
        everywhere, labelled = model.readout.everywhere, model.readout.labelled
        overall = everywhere and not model.readout.each
        places = list(result.places)
        verdict = _verdict(result, domain, result.place) if overall else None
        accepts = [None if overall else _verdict(result, domain, place) for place in places]
        # All entries are resolved together, so that a maximum takes the same side wherever it occurs.
        columns = result.columns()
        entries = [column[place] for place in places for column in columns.values()]
        resolved_entries = iter(entries if choices is None else domain.resolve(entries))
        answers = [
            AtPosition(
                model.embedding.start + place % domain.length,
                MappingProxyType({name: shorter(domain.read([next(resolved_entries)], 0)) for name in columns}),
                accept,
                result.label(place) if labelled else None,
            )
            for place, accept in zip(places, accepts, strict=True)
        ]
        derivation = Derivation(
            model.name,
            self.given,
            (*self.inputs, *(p.name for p in model.parameters)),
            tuple(p.region for p in model.parameters if p.region != "true"),
            tuple(domain.conditions),
            answers[-1].expressions,
            verdict if overall else answers[-1].accept,
            model.decides,
            tuple(answers) if everywhere else (),
            labelled,
            answers[-1].label,
            overall,
        )
        # Forms that are too long to be read are refused, those of the conditions too.
        texts = [text for answer in answers for text in answer.output.values()]
        longest = max(map(len, (*texts, *derivation.conditions)), default=0)
        if longest > MAX_TEXT:
            must = f"the closed form of {model.name} on {self.given} has more than {MAX_TEXT:,} characters"
            names = ", ".join(derivation.symbols)
            raise Undecided(f"{must}; {f'set one of {names}, or ' if names else ''}give a shorter input.")
        return derivation


def _verdict(result: Result, domain: Symbolic, place: int) -> bool | None:
    """The verdict of a readout that looks at an index; where it stayed open, split into cases if these are on."""
    readout = result.model.readout
    if result.verdicts is None or not result.model.decides:
        return None
    verdict: Any = domain.verdict(result.verdicts, place) if readout.each else result.accept
    if verdict is not None:
        return verdict
    # Open, with cases: the conjunction of the single tests, each split where it is open.
    verdict = True
    for at in [place] if readout.each else result.places:
        for column in result.watched.values():
            if verdict is not False:
                verdict = domain.conjunction(verdict, domain.decide(column[at], "sign" if readout.signed else "zero"))
    return verdict
