"""Closed forms of a model's outputs for one input, valid for every admissible value of the symbols that remain."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from symcook.blocks import INDEX, Transformer
from symcook.errors import BadInput, Undecided
from symcook.expr import MAX_TEXT
from symcook.symbols import exact, from_sympy, symbol

if TYPE_CHECKING:
    from symcook.domains.symbolic import Choices, Symbolic
    from symcook.forward import Result

MAX_CASES = 64


@dataclass(frozen=True)
class Derivation:
    """What a model computes on one input: sympy expressions by coordinate, in the symbols that remain.

    `assumptions` are the ranges of the symbols, `conditions` what was taken for granted beyond them (in a case of
    `derive_cases`), all formulas of the grammar. `accept` is None where the model decides nothing or the verdict
    depends on the symbols.
    """

    recipe: str
    given: str
    symbols: tuple[str, ...]
    assumptions: tuple[str, ...]
    conditions: tuple[str, ...]
    expressions: Mapping[str, Any]
    accept: bool | None
    decides: bool

    @cached_property
    def output(self) -> dict[str, str]:
        """The closed forms as text in the grammar, by coordinate."""
        return {name: from_sympy(value) for name, value in self.expressions.items()}

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook derive --json``."""
        return {
            "recipe": self.recipe,
            "input": self.given,
            "symbols": list(self.symbols),
            "assumptions": list(self.assumptions),
            "conditions": list(self.conditions),
            "output": self.output,
            "accept": self.accept,
        }

    def text(self) -> str:
        """A line for each coordinate, the verdict if there is one, and what it holds for."""
        lines = [f"{self.recipe} on {self.given}"]
        lines += [f"  {name} = {value}" for name, value in self.output.items()]
        if self.decides:
            verdict = {True: "accept", False: "reject", None: "open: it depends on the symbols"}[self.accept]
            lines.append(f"  verdict: {verdict}")
        if self.conditions:
            lines.append(f"  if {' & '.join(self.conditions)}")
        if self.symbols:
            ranges = f" with {' & '.join(self.assumptions)}" if self.assumptions else ""
            lines.append(f"  for all real {', '.join(self.symbols)}{ranges}")
        return "\n".join(lines)

    @property
    def latex(self) -> str:
        """The closed forms as one LaTeX `aligned` block."""
        import sympy

        rows = []
        for name, value in self.expressions.items():
            shown = name.replace("_", r"\_")
            rows.append(rf"\mathrm{{{shown}}} &= {sympy.latex(value)}")
        return r"\begin{aligned} " + r" \\ ".join(rows) + r" \end{aligned}"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex}$"

    def _repr_html_(self) -> str:
        from html import escape

        head, *lines = (escape(line) for line in self.text().splitlines())
        return f"<p>{head}</p><pre>{'<br>'.join(lines)}</pre>"


def derive(model: Transformer, given: Any = None, values: Mapping[str, Any] | None = None) -> Derivation:
    """The closed forms of `model` on one input.

    `given` is a word, or rows {input: value} whose values may contain symbols; a feed-forward recipe is derived in the
    names of the inputs that are not given. `values` sets declared symbols; the others stay, with their intervals.

    >>> from symcook.recipes import build
    >>> print(derive(build("identity")).text())
    identity on x
      out = x
      for all real x

    Raises BadInput for a sequence model without input, Undecided where a maximum among scores or a division depends on
    the symbols and where the closed form grows too large, and NotExact for numbers without a closed form.
    """
    return _Task(model, given, values).derive(None)


def derive_cases(
    model: Transformer, given: Any = None, values: Mapping[str, Any] | None = None
) -> tuple[Derivation, ...]:
    """The closed forms of `model` on one input by cases, one for each way in which open comparisons may turn out.

    Together the conditions cover all admissible values. Raises Undecided above `MAX_CASES` cases; else as `derive`.

    >>> from symcook.recipes import build
    >>> [(d.conditions, d.output["out"]) for d in derive_cases(build("min"))]
    [(('0 < x - y',), 'y'), (('x - y <= 0',), 'x')]
    """
    from symcook.domains.signs import Impossible
    from symcook.domains.symbolic import Choices

    task, choices, found = _Task(model, given, values), Choices(), []
    for _ in range(2 * MAX_CASES):
        with suppress(Impossible):
            found.append(task.derive(choices))
        more = choices.advance()
        if not more:
            return tuple(found)
        if len(found) >= MAX_CASES:
            break
    raise Undecided(f"{model.name} on {task.given} needs more than {MAX_CASES} cases; set a symbol or an input.")


class _Task:
    """A model and its input, checked."""

    def __init__(self, model: Transformer, given: Any, values: Mapping[str, Any] | None) -> None:
        from symcook.forward import prepare

        self.model = model.bind(values, require=False)
        if model.embedding.inputs is None:
            if given is None:
                raise BadInput("a sequence model needs an input to derive", model.name, "give --input")
            self.sequence, self.given = prepare(self.model, given)
            self.inputs: tuple[str, ...] = ()
            return
        if given is None and not model.pointwise:
            raise BadInput("a sequence model needs an input to derive", model.name, "give --rows")
        rows = [given or {}] if given is None or isinstance(given, Mapping) else list(given)
        shown = []
        if model.pointwise:
            named = dict(rows[0]) if len(rows) == 1 else {}
            shown = [name for name in model.embedding.inputs if name not in named]
            rows[:1] = [{name: symbol(name) for name in shown} | named]
        self.sequence, self.given = prepare(self.model, rows)
        if model.pointwise:
            parts = (f"{c}={from_sympy(v)}" for c, v in self.sequence[0].items() if c not in shown)
            self.given = ", ".join((*shown, *parts))
        self._take_symbols(model, values)

    def _take_symbols(self, model: Transformer, values: Mapping[str, Any] | None) -> None:
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
        from symcook.domains.symbolic import Symbolic
        from symcook.forward import forward

        model = self.model
        domain = Symbolic(model.parameters, self.inputs, choices)
        result = forward(model, self.sequence, domain)
        accept, columns = result.accept, result.columns()
        if choices is not None:
            if accept is None and model.decides:
                accept = _decided(result, domain)
            entries = domain.resolve([column[result.place] for column in columns.values()])
            columns = {name: [entry] for name, entry in zip(columns, entries, strict=True)}
            expressions = {name: domain.read(column, 0) for name, column in columns.items()}
        else:
            expressions = result.values()
        found = Derivation(
            model.name,
            self.given,
            (*self.inputs, *(p.name for p in model.parameters)),
            tuple(p.region for p in model.parameters if p.region != "true"),
            tuple(domain.conditions),
            MappingProxyType(expressions),
            accept,
            model.decides,
        )
        longest = max((len(text) for text in (*found.output.values(), *found.conditions)), default=0)
        if longest > MAX_TEXT:
            must = f"the closed form of {model.name} on {self.given} has more than {MAX_TEXT} characters"
            names = ", ".join(found.symbols)
            raise Undecided(f"{must}; {f'set one of {names}, or ' if names else ''}give a shorter input.")
        return found


def _decided(result: Result, domain: Symbolic) -> bool | None:
    """The verdict of a result, with cases split."""
    readout = result.model.readout
    columns = result.columns()
    read = [columns["logit"]] if readout.kind == "sign" else [columns[name] for name in readout.reads]
    places = range(domain.length) if readout.position == "all" else [result.place]
    return all(domain.decide(column[place], readout.kind) for place in places for column in read)
