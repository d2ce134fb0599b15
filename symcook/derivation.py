"""Closed forms of a model's outputs for one input, valid for all values of the remaining parameters in their ranges.

`derive` takes a model, an input and values for some of its parameters, and returns `DerivedForms`: a `Derivation`, or
for a model of strings without an input the forms at every length, which `symcook.closed` computes.
`derive_cases` returns one `Derivation` for
each possible outcome of the comparisons that depend on the parameters. For an input both run the forward pass in the
number system `symcook.domains.symbolic`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

from symcook.declaration import load
from symcook.door import Progress, door
from symcook.errors import BadInput, Branching, Undecided
from symcook.model.answers import Reply, Several
from symcook.model.expr import MAX_TEXT, parse_formula
from symcook.model.symbols import Exact, exact, from_sympy, symbol
from symcook.model.transformer import INDEX, Transformer

if TYPE_CHECKING:
    from symcook.closed import EveryLength
    from symcook.domains.symbolic import Choices, Symbolic
    from symcook.forward import Result

MAX_CASES = 64
"""The greatest number of cases in an answer."""
MAX_TRIED = 2 * MAX_CASES
"""The greatest number of combinations of outcomes that are tried; some of these combinations occur for no values."""


@dataclass(frozen=True)
class AtPosition:
    """The answer of a readout at one position."""

    position: int
    """The position, counted as the model counts."""
    expressions: Mapping[str, Any]
    """{coordinate or label: sympy expression}."""
    accept: bool | None
    """The verdict; None if it depends on the parameters, if there is no verdict at single positions, or if the model
    decides nothing."""
    label: str | None = None
    """The label of the largest score; None if it depends on the parameters, or if the readout has no labels."""

    @cached_property
    def output(self) -> dict[str, str]:
        """The closed forms as text in the grammar, by coordinate."""
        return {name: from_sympy(value) for name, value in self.expressions.items()}


class DerivedForms:
    """Closed forms of a model, for one input or at every length: what `derive` returns.

    >>> from symcook.recipes import build
    >>> forms = build("sign-norm").derive()
    >>> forms.expressions["x"]
    Piecewise((1, 0 < x - y), (-1, x - y < 0), (0, True))
    >>> forms.lambdify("x", "y")([3, 2, 1], 2)["x"].tolist()
    [1.0, 0.0, -1.0]
    >>> build("count").derive().expressions["share"]
    count(a)/n
    """

    cases: Sequence[Derivation]
    """The forms case by case: exactly one case holds for each string and each value of the parameters. A case has
    `conditions` and `expressions`."""
    expressions: Mapping[str, Any]
    """{output: sympy expression}: a Piecewise where there are several cases. At every length, `w[j]` is the number of
    the token at position j, and `x[j]` the input x there."""
    branches: Mapping[str, Sequence[tuple[Any, Any]]]
    """{output: (value, condition) pairs, of which exactly one condition holds}."""
    definitions: Mapping[Any, Any] = MappingProxyType({})
    """{symbol: expression} for symbols of `expressions` that stand for a sum."""
    start: int = 1
    """The number of the first position in arrays."""

    @property
    def region(self) -> str:
        """The values of parameters and inputs for which the forms hold, as a formula of the grammar."""
        return " & ".join(self.cases[0].assumptions) or "true"

    def _advice(self, name: str) -> str | None:
        """Advice for an output, and for the names that expressions of sympy have."""
        import sympy

        outputs = tuple(self.cases[0].expressions)
        if name in outputs or (outputs and (name in ("expr", "expression") or hasattr(sympy.Expr, name))):
            output = name if name in outputs else outputs[0]
            method = f".{name}" + "(..)" * callable(getattr(sympy.Expr, name)) if hasattr(sympy.Expr, name) else ""
            return f'write form.expressions["{output}"]{method if name not in outputs else ""}'
        return None

    @property
    def proved(self) -> Mapping[str, bool]:
        """{output, or "verdict" or "answer": whether a certificate proves its form}. Forms without a certificate are
        computed from the weights by this library alone."""
        return dict.fromkeys(self.expressions, False)

    @property
    def variables(self) -> Mapping[str, Any]:
        """{name: symbol or array} for the free names of `expressions`, as functions of sympy take them: `sympy.limit`
        and `sympy.diff` go by the very symbol. Arrays come last."""
        from symcook.numbers.evaluable import free_names

        parts = [e for branches in self.branches.values() for branch in branches for e in branch]
        return MappingProxyType(free_names(parts))

    def _token_numbers(self, given: Any) -> Any:
        """The numbers of the tokens that are given for the array `w`."""
        return given

    @door(names='give each name for itself, as in lambdify("n", "c")')
    def lambdify(self, *names: str) -> Callable[..., dict[str, Any]]:
        """The expressions as one function of numpy's numbers, with the arguments `names`: all free names of the
        expressions, of which arrays such as `w` and `x` come last where no order is given. It returns {output: value}.
        For `w` it takes a string too; numbers of tokens are those of all tokens, CLS included.

        Raises BadInput if a free name is left out, or a name is unknown.

        >>> from symcook.recipes import build
        >>> build("first").derive().lambdify("w", "n", "c")([2, 1, 0], 3, 0.0)["logit"].item()
        0.16666666666666666
        """
        from symcook.numbers.evaluable import lambdified

        return lambdified(self.branches, names, self.start, self.definitions, self._token_numbers)


@dataclass(frozen=True, repr=False)
class Derivation(DerivedForms, Reply):
    """What a model computes on one input: closed forms in the remaining parameters.

    `expressions`, `accept` and `label` are those of the position that the readout reads. For a readout at each
    position, or at all positions, they are those of the last position, and `each` has an answer for every position.
    But for one verdict on all positions (`overall`), `accept` is that verdict.
    """

    REPORT = "derivation"
    holds, status = None, "DERIVED"  # closed forms have no yes or no

    recipe: str
    """The name of the model."""
    given: str
    """The input as text."""
    symbols: tuple[str, ...]
    """The names in the input that are no parameters, such as inputs that were not given; then the remaining
    parameters."""
    assumptions: tuple[str, ...]
    """The ranges of the parameters, as formulas of the grammar."""
    conditions: tuple[str, ...]
    """The conditions of a case of `derive_cases`, as formulas of the grammar."""
    expressions: Mapping[str, Any]
    """{coordinate or label: sympy expression}."""
    accept: bool | None
    """The verdict; None if it depends on the parameters, or if the model decides nothing."""
    decides: bool
    """Whether the model accepts or rejects."""
    each: tuple[AtPosition, ...] = ()
    labelled: bool = False
    """Whether the answer is the label of the largest score."""
    label: str | None = None
    """This label; None if it depends on the parameters."""
    overall: bool = False
    """Whether `accept` is one verdict on all positions: it is accept iff each of them passes."""
    several: tuple[Derivation, ...] = ()
    """The cases, if a comparison depends on the parameters and this is their union; () if this is one case."""

    @property
    def cases(self) -> Sequence[Derivation]:
        """The cases of which these forms are the union; this alone if it is one case."""
        return self.several or (self,)

    @property
    def branches(self) -> Mapping[str, Sequence[tuple[Any, Any]]]:
        """{output: (value, condition) pairs}."""
        import sympy

        tests = _tests(self.cases) if self.several else [sympy.true]
        return {
            name: [(case.expressions[name], test) for case, test in zip(self.cases, tests, strict=True)]
            for name in self.expressions
        }

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
        return document | ({"cases": [case.to_json() for case in self.several]} if self.several else {})


@overload
def derive(model: Transformer, given: None = None, values: Mapping[str, Exact] | None = None) -> Any: ...
@overload
def derive(model: Transformer, given: object, values: Mapping[str, Exact] | None = None) -> Derivation: ...
@door()
def derive(
    model: Transformer, given: object = None, values: Mapping[str, Exact] | None = None
) -> Derivation | EveryLength:
    """Closed forms of the model's outputs: for one input, or for all inputs of each length.

    The closed forms of a feed-forward model are functions of the inputs that are not given. Parameters without a value
    remain symbols with their intervals. If a comparison depends on the symbols, there is one closed form for each case
    (`derive_cases`). Closed forms at every length are unproved at first; their method `prove()` searches for a proof.

    Arguments:
        model: Transformer. The model; as a method, `model.derive(given)`.
        given: str, a sequence of tokens, or rows {input: value} whose values may contain symbols (None). By default the
            closed forms hold for strings of every length; for a feed-forward model they are functions of its inputs.
        values: {parameter: exact value} (None). A parameter without a value stays a symbol.

    Returns: DerivedForms: a Derivation for one input; for a model of strings without input `EveryLength`, the closed
    forms at every length. Both have `.expressions`, `.cases`, `.region`, `.proved`, `.latex()` and `.lambdify()`.

    Raises: BadInput: a model that reads rows of numbers, without an input, and closed forms that symcook cannot find.
    Undecided: the closed form or the number of cases grows too large. NotExact: a number without a closed form.

    Example:

    >>> from symcook.recipes import build
    >>> print(derive(build("identity")).text())
    identity on x
      out = x
      for all real x
    """
    if given is None and not model.pointwise:
        return load("symcook.closed:every_length")(model, values)
    try:
        return _Task(model, given, values).derive(None)
    except Branching:
        return _union(derive_cases(model, given, values))


def _tests(cases: Sequence[Derivation]) -> list[Any]:
    """The condition of each case, as sympy has it."""
    from symcook.numbers.nodes import condition

    named = {s.name: s for case in cases for value in case.expressions.values() for s in value.free_symbols}
    known = {name: named.get(name) or symbol(name) for name in cases[0].symbols}
    return [condition(parse_formula(" & ".join(case.conditions) or "true"), known) for case in cases]


def _union(cases: Sequence[Derivation]) -> Derivation:
    """The cases as one derivation, whose expressions are Piecewise; one case alone as it is."""
    from symcook.numbers.evaluable import piecewise

    first, *others = cases
    if not others:
        return first
    tests = _tests(cases)

    def joined(values: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """The expressions of all cases as one for each coordinate."""
        return MappingProxyType({
            name: piecewise([(value[name], test) for value, test in zip(values, tests, strict=True)])
            for name in values[0]
        })  # fmt: skip

    def common(values: Iterable[Any]) -> Any:
        """The value that all cases have; None if they differ."""
        first_value, *further = values
        return first_value if all(value == first_value for value in further) else None

    each = tuple(
        AtPosition(
            at_position[0].position,
            joined([answer.expressions for answer in at_position]),
            common(answer.accept for answer in at_position),
            common(answer.label for answer in at_position),
        )
        for at_position in zip(*(case.each for case in cases), strict=True)
    )
    return replace(
        first,
        conditions=(),
        expressions=joined([case.expressions for case in cases]),
        accept=common(case.accept for case in cases),
        label=common(case.label for case in cases),
        each=each,
        several=tuple(cases),
    )


@door()
def derive_cases(
    model: Transformer,
    given: object = None,
    values: Mapping[str, Exact] | None = None,
    *,
    progress: Progress | None = None,
) -> Several[Derivation]:
    """Closed forms of the model's outputs by cases, one for each way in which undecided comparisons may turn out.

    Together the conditions of the cases cover all admissible values.

    Arguments:
        model: Transformer. The model.
        given: as in `derive` (None).
        values: as in `derive` (None).
        progress: function (None). Called with the work done and the total (None if unknown).

    Returns: a sequence of Derivation, each with `.conditions`.

    Raises: Undecided: more than `MAX_CASES` cases, or `MAX_TRIED` ways to decide the comparisons. BadInput: a case
    has no value, such as a denominator that is zero. Else as `derive`.

    Example:

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
        if len(derivations) > MAX_CASES:
            break
        if not choices.advance():
            return Several(derivations)
    limit = f"{MAX_CASES} cases" if len(derivations) > MAX_CASES else f"{MAX_TRIED} ways to decide its comparisons"
    raise Undecided(f"{model.name} on {task.given} needs more than {limit}; set a symbol or an input.")


class _Task:
    """A model and its input, checked: `sequence` is the input, `given` its text, `inputs` the names in it that are not
    parameters of the model."""

    def __init__(self, model: Transformer, given: Any, values: Mapping[str, Exact] | None) -> None:
        from symcook.run import prepare

        self.model = model.bind(values, require=False)
        # A model of strings.
        if model.embedding.inputs is None:
            if given is None:
                do = "give --input, or take symcook.closed.every_length(model) for all lengths"
                raise BadInput("a closed form of a model that reads sequences is derived for one input", model.name, do)
            self.sequence, self.given = prepare(self.model, given)
            self.inputs: tuple[str, ...] = ()
            return
        # A model of rows of numbers: one row may be given as a mapping, and a pointwise model may leave inputs out.
        if given is None and not model.pointwise:
            raise BadInput(
                "a closed form of a model that reads sequences is derived for one input", model.name, "give --rows"
            )
        rows = [given or {}] if given is None or isinstance(given, Mapping) else given
        if not isinstance(rows, (list, tuple)) or not all(isinstance(row, Mapping) for row in rows):
            model.rows(rows)  # raises BadInput, which says what rows are
        rows = list(rows)
        # Inputs that are not given remain symbols.
        open_inputs = []
        if model.pointwise:
            named = dict(rows[0]) if len(rows) == 1 else {}
            open_inputs = [name for name in model.embedding.inputs if name not in named]
            rows[:1] = [{name: symbol(name) for name in open_inputs} | named]
        self.sequence, self.given = prepare(self.model, rows)
        if model.pointwise:
            # The text of the input: the open names, and the values that were given.
            parts = (f"{c}={from_sympy(v)}" for c, v in self.sequence[0].items() if c not in open_inputs)
            self.given = ", ".join((*open_inputs, *parts))
        self._take_symbols(model, values)

    def _take_symbols(self, model: Transformer, values: Mapping[str, Exact] | None) -> None:
        """Replace parameters with values in the rows, and find the symbols in them that are not parameters
        (`inputs`)."""
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
        """The closed forms; with `choices`, in the case that these choose for the open comparisons."""
        from symcook.domains.symbolic import Symbolic
        from symcook.forward import forward
        from symcook.numbers.shorter import shorter

        model = self.model
        domain = Symbolic(model.parameters, self.inputs, choices)
        result = forward(model, self.sequence, domain)
        domain.check_temperatures(model)
        # `overall`: one verdict on all positions, where no position has a verdict of its own.
        overall, labelled = model.readout.together, model.readout.labelled
        places = list(result.places)
        verdict = _verdict(result, domain, result.place) if overall else None
        accepts = [None if overall else _verdict(result, domain, place) for place in places]
        # All entries are resolved together, so that a maximum is resolved in the same way wherever it occurs.
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
            tuple(answers) if model.readout.everywhere else (),
            labelled,
            answers[-1].label,
            overall,
        )
        # Forms and conditions that are too long to read are refused.
        texts = [text for answer in answers for text in answer.output.values()]
        longest = max(map(len, (*texts, *derivation.conditions)), default=0)
        if longest > MAX_TEXT:
            must = f"the closed form of {model.name} on {self.given} has more than {MAX_TEXT:,} characters"
            names = ", ".join(derivation.symbols)
            raise Undecided(f"{must}; {f'set one of {names}, or ' if names else ''}give a shorter input.")
        return derivation


def _verdict(result: Result, domain: Symbolic, place: int) -> bool | None:
    """The verdict at the index `place`, or for a readout at all positions the verdict on all of them.

    If it is open and the domain splits cases, it is the verdict of the present case; if the domain does not, None. None
    too if the model decides nothing.
    """
    readout = result.model.readout
    if result.verdicts is None or not result.model.decides:
        return None
    verdict: Any = domain.verdict(result.verdicts, place) if readout.each else result.accept
    if verdict is not None:
        return verdict
    # An open verdict: the conjunction of the single tests, each of which is decided by cases if it is open.
    verdict = True
    for position_index in [place] if readout.each else result.places:
        for column in result.watched.values():
            if verdict is not False:
                verdict = domain.conjunction(
                    verdict, domain.decide(column[position_index], "sign" if readout.signed else "zero")
                )
    return verdict
