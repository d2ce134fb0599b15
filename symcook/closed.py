"""Closed forms for every length: what a model computes in i, the length and the counts of letters, from its weights.

The forms are found by one forward pass over tables (`symcook.domains.lengths`). They are proposals: they are proved by
`symcook.proof.statements.inturn`, and a form without a certificate says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import sympy
from flint import fmpq

from symcook.declaration import load
from symcook.derivation import Derivation
from symcook.domains.field import ZERO, Value
from symcook.domains.lengths import Lengths, OutOfRules
from symcook.domains.lengthsums import about
from symcook.domains.linear import Guard, linear_form
from symcook.domains.spelling import Spelling, StatementSpelling, in_brackets, sides
from symcook.domains.tables import CellTable
from symcook.domains.world import GuardedCell, NamedSum, World, named_in
from symcook.errors import BadInput
from symcook.forward import forward
from symcook.model.answers import Shown
from symcook.model.ends import Readout
from symcook.model.parts import LayerNorm
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.numbers.shorter import shorter

if TYPE_CHECKING:
    from symcook.proof.statements.inturn import PartsProof


ReadCase = tuple[Guard, Mapping[str, Value]]
"""Where the readout looks: a guard, and what the outputs are there."""


@dataclass(frozen=True)
class Coordinate:
    """What a coordinate holds after a part of a layer: its table at position i, or why there is none."""

    name: str
    layer: int
    part: str
    column: CellTable | OutOfRules


@dataclass(frozen=True)
class FormSentence:
    """What a statement about the model says of a form. `stage` is the sublayer after which the coordinate is meant, as
    a statement writes it: ``@1.attention``; "" where the readout reads it, None for the readout's answer."""

    coordinate: str
    stage: str | None
    text: str


class FormSentences(NamedTuple):
    """The sentences in the order of the run: the coordinates on the way at every position, what the readout reads and
    answers, and the coordinates after the last attention, of which only the readout's may make use."""

    way: list[FormSentence]
    readout: list[FormSentence]
    after: list[FormSentence]


@dataclass(frozen=True)
class EachPosition:
    """What a model computes at a generic position, where no position is looked at alone; made when it is asked for."""

    model: Transformer

    @cached_property
    def domain(self) -> Lengths:
        """The number system of `coordinates`."""
        return Lengths(self.model)

    @cached_property
    def coordinates(self) -> list[Coordinate]:
        """Each coordinate after each part of a layer that writes to it."""
        result = forward(self.model, ("",), self.domain, trace=True, weights=False)
        out: list[Coordinate] = []
        last: dict[str, Any] = {}
        for step in result.steps:
            for name, column in step.columns.items():
                if last.get(name) is not column:
                    out.append(Coordinate(name, step.layer, step.part, column))
                    last[name] = column
        return out


@dataclass(frozen=True, repr=False)
class ClosedForm(Derivation):
    """The outputs at every length in one case; `meaning` says what the names are, in JSON under `where`. `accepts` is
    the condition under which the verdict is accept where it is open. `proof` is the statement that a certificate
    proves, `proved` the path of the certificate; both None where nothing was proved."""

    REPORT = "closed"

    proof: str | None = None
    proved: str | None = None
    meaning: tuple[str, ...] = ()
    accepts: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook derive --json``: as for one input, with "length" in place of it."""
        document = super().to_json()
        del document["input"]
        more = {"accepts": self.accepts} if self.decides else {}
        more |= {"where": list(self.meaning), "proof": self.proof, "proved": self.proved}
        return {"recipe": self.recipe, "length": self.given, **document, **more}

    def text(self) -> str:
        """The case, the outputs, the verdict and the proof."""
        verdict = {True: "accept", False: "reject"}.get(self.accept, f"accept iff {self.accepts}")  # type: ignore[arg-type]
        lines = [
            f"Model {self.recipe}, " + (f"case {' & '.join(self.conditions)}:" if self.conditions else "all lengths:")
        ]
        lines += [f"  {name} = {value}" for name, value in self.output.items()]
        lines += [f"  verdict: {verdict}"] if self.decides else []
        lines += [f"  answer: {self.label or 'open'}"] if self.labelled else []
        places = ["w(i) is the token at position i"] * any("w(" in condition for condition in self.conditions)
        lines += [f"  where {', '.join([*self.meaning, *places])}"] if self.meaning or places else []
        lines += [f"  for all {' & '.join(self.assumptions)}"] if self.assumptions else []
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class EveryLength(Shown):
    """The closed forms of a model: the cases of what its readout looks at, the coordinates on the way with a reason for
    each that is out of reach, and behind `prove` what was proved of them."""

    REPORT = "closed"

    each: EachPosition
    domain: Lengths
    forms: tuple[ClosedForm, ...]
    cells: tuple[ReadCase, ...]
    """The cases as the domain has them."""
    reads: Mapping[str, CellTable | OutOfRules] = field(default_factory=dict)
    """The coordinates that the readout reads, where it looks."""
    proof: PartsProof | None = None

    @property
    def model(self) -> Transformer:
        return self.each.model

    def prove(self, seconds: float = 60.0) -> EveryLength:
        """The same forms with what could be proved of them in the time: their `proof` has the verdict and the
        certificate, and names what is not proved."""
        return replace(self, proof=load("symcook.proof.statements.inturn:prove")(self, seconds))

    def sentences(self, cleared: bool = False) -> FormSentences:
        """What a statement about the model says of each form; of what the readout reads, if `cleared`, without fraction
        bars."""
        attention = [(s.layer, s.kind) for s in self.model.sublayers if s.kind == "attention"]
        last, sentences = max(attention, default=(0, "")), FormSentences([], self._at_readout(cleared), [])
        spelling, everywhere = self.statement_spelling(self.each.domain), self.model.readout.everywhere
        for form in self.each.coordinates:
            if form.part != "embedding" and isinstance(form.column, CellTable):
                # After the last attention nothing looks at other positions: one readout's position is enough there.
                after = not everywhere and (form.layer, form.part) >= last
                (sentences.after if after else sentences.way).append(_at_each(spelling, form, form.column))
        return sentences

    def statement_spelling(self, domain: Lengths) -> StatementSpelling:
        """How a statement writes the values of a domain."""
        tokens = {token: number for number, token in enumerate(self.model.embedding.words or ())}
        written = {name for step in self.model.sublayers for part in step.all_parts for name in part.writes}
        return StatementSpelling(domain, tokens, written)

    def _at_readout(self, cleared: bool) -> list[FormSentence]:
        """The coordinates that the readout reads, and its answer, case by case."""
        readout, spelling = self.model.readout, self.statement_spelling(self.domain)
        world, out = spelling.world, list[FormSentence]()
        place = "i" if readout.everywhere else str(world.start) if readout.first else world.last

        def say(coordinate: str, stage: str | None, texts: Iterable[str]) -> None:
            """What is said of each case; nothing of one without a text."""
            cases = [spelling.case(guard, text) for (guard, _), text in zip(self.cells, texts, strict=True) if text]
            text = " & ".join(dict.fromkeys(cases))
            out.append(FormSentence(coordinate, stage, spelling.everywhere(text) if readout.everywhere else text))

        for name in readout.reads:
            if isinstance(column := self.reads.get(name), CellTable):
                values = (column.value_at(guard) for guard, _ in self.cells)
                say(name, "", [spelling.equation(f'"{name}"({place})', value, cleared) for value in values])
        if readout.decides and (readout.each or not readout.everywhere):
            head = f"accept({place})" if readout.each else "accept"
            say("verdict", None, [_answered(head, *verdict(spelling, readout, *cell)) for cell in self.cells])
        labels = [form.label for form in self.forms]
        if readout.labelled and readout.answers and any(label is not None for label in labels):
            at = f", {place}" if readout.each else ""
            say("answer", None, ["" if label is None else f'answer("{label}"{at})' for label in labels])
        if readout.decides and readout.everywhere and not readout.each:  # one verdict, of the whole word
            text = _answered("accept", *word_verdict(spelling, readout, self.cells))
            out.append(FormSentence("verdict", None, text))
        return out

    def to_json(self, certificate: str | None = None) -> list[dict[str, Any]]:
        """The documents of ``symcook derive --json`` without an input, one a case: its form, what it rests on, whether
        it is proved (None where that was not tried), and where the certificate was written."""
        proof = self.proof
        common_fields: dict[str, Any] = {
            "way": self.way(),
            "proved": proof.whole if proof else None,
            "certificate": certificate,
        }
        common_fields["missing"] = proof.missing if proof else {}
        common_fields["way_where"] = self.meaning()
        common_fields["unclaimed"] = self.unclaimed()
        common_fields["statement"] = proof.statement.text if proof and proof.statement else None
        return [form.to_json() | common_fields for form in self.forms]

    def unclaimed(self) -> list[str]:
        """The coordinates on the way whose form at every position the proof says nothing of: nothing rests on it behind
        the last attention, where the readout looks at one position. None of them without a proof."""
        claims = self.proof.claims if self.proof else []
        claimed = {claim.coordinate for claim in claims if claim.formula.startswith("all i")}
        with_value = [name for name, cases in self.way().items() if cases[0]["value"] is not None]
        return [name for name in with_value if name not in claimed] if claims else []

    @property
    def spelling(self) -> Spelling:
        """How the forms are written."""
        return Spelling(self.domain)

    @cached_property
    def each_spelling(self) -> Spelling:
        """How the coordinates on the way are written: with names of the forms where they mean the same, else others."""
        spelling, world = self.spelling, self.domain.world
        return Spelling(
            self.each.domain, {str(spelling.definition(name)): name for name in (*world.sums, *world.named)}
        )

    def way(self) -> dict[str, list[dict[str, Any]]]:
        """The coordinates that the model computes on the way at position i, as cases with conditions and a value; one
        that is out of reach as one case without a value that says why."""
        out: dict[str, list[dict[str, Any]]] = {}
        spelling = self.each_spelling
        for coordinate in self.each.coordinates:
            if coordinate.part == "embedding":
                continue
            if isinstance(coordinate.column, OutOfRules):
                out[coordinate.name] = [{"conditions": [], "value": None, "why": coordinate.column.why}]
                continue
            guards = ((coordinate.column.world.shortened(c.guard), c.value) for c in coordinate.column.cells)
            out[coordinate.name] = [
                {"conditions": list(spelling.guard(g)), "value": spelling.value(v)} for g, v in guards
            ]
        return out

    def meaning(self) -> list[str]:
        """What the names in `way` are; n and i besides."""
        world = self.each.domain.world
        columns = [coordinate.column for coordinate in self.each.coordinates if coordinate.part != "embedding"]
        cells = [cell for column in columns if not isinstance(column, OutOfRules) for cell in column.cells]
        used = names_used(world, [(world.shortened(cell.guard), (cell.value,)) for cell in cells])
        return list(self.each_spelling.meanings(used | {f"p:{letter}:i" for letter in world.letters[:-1]}))


def _at_each(spelling: StatementSpelling, form: Coordinate, column: CellTable) -> FormSentence:
    """A coordinate at every position, case by case."""
    stage, cases = f"@{form.layer}.attention" if form.part == "attention" else f"@{form.layer}", list[str]()
    for cell in column.cells:
        equation = f'"{form.name}"{stage}(i) = {spelling.value(cell.value)}'
        cases.append(spelling.quantified(spelling.case(column.world.shortened(cell.guard), equation)))
    return FormSentence(form.name, stage, spelling.everywhere(" & ".join(cases)))


def _answered(head: str, accept: bool | None, accepts: str | None) -> str:
    """That the model accepts, does not, or does if and only if a condition holds."""
    return head if accept else f"~{head}" if accept is False else f"({head} <-> {accepts})"


def names_used(world: World, cells: Iterable[tuple[Guard, Iterable[Value]]]) -> set[str]:
    """The names in guards and values, and those in what these names stand for."""
    used = set[str]()
    for guard, values in cells:
        used |= {name for value in values for name in world.names_in(value)}
        used |= {str(name) for atom in guard for name in named_in(atom)}
    waiting = list(used)
    while waiting:
        name, inside = waiting.pop(), set[str]()
        if name in world.named:
            inside = {*world.names_in(world.named[name][0])}
        elif name in world.sums:
            named_sum = world.sums[name]
            inside = {*world.names_inside(name), *named_sum.low[0], *named_sum.high[0]}
        waiting += inside - used
        used |= inside
    return used


def every_length(model: Transformer, values: Mapping[str, Exact] | None = None) -> EveryLength:
    """The closed forms of a model of words in all lengths at once; `values` set declared symbols.

    Raises BadInput for a model of one row, and where what the readout looks at is out of reach, with the
    coordinate and the rule that is missing.

    >>> from symcook.recipes import build
    >>> print(every_length(build("parity")).forms[1].text())
    Model parity, case mod(n, 2) = 0 & mod(k, 2) = 1:
      logit = 2*tanh(c)/n^2
      verdict: accept
      where n = length + 1 counts CLS, k is the number of 1s
      for all 0 < c
    """
    model = model.bind(values, require=False)
    if model.pointwise:
        raise BadInput("a closed form for every length must be that of a model of sequences", model.name)
    readout = model.readout
    domain = Lengths(model)
    result = forward(_narrowed(model), ("",), domain)
    columns: dict[str, Any] = dict(result.scores) or {name: result.stream[name] for name in readout.reads}
    for name, column in columns.items():
        if not readout.everywhere:
            column = columns[name] = domain.read(column, readout.place)
        if isinstance(column, OutOfRules):
            raise BadInput(
                f"a closed form of {model.name} for every length must follow its rules",
                f"{name}: {column.why}",
                "for one string: --input STRING; to compare with a language at every length: symcook decide",
            )
    common = CellTable.of(domain.world, fmpq(0))
    for column in columns.values():
        common = common.beside(column)
    cells = [
        (domain.world.shortened(c.guard), {name: t.value_at(c.guard) for name, t in columns.items()})
        for c in common.cells
    ]
    reads = {name: result.stream[name] for name in readout.reads}
    reads = {name: c if readout.everywhere else domain.read(c, readout.place) for name, c in reads.items()}
    forms_found = EveryLength(EachPosition(model), domain, (), tuple(cells), reads)
    spelling = Spelling(domain)
    guard_texts = [sorted(spelling.guard(guard), key=_by_number) for guard, _ in cells]
    both = sorted(zip(guard_texts, cells, strict=True), key=lambda pair: _order(pair[0]))
    order = [cell for _, cell in both]
    forms = tuple(_form(model, spelling, tuple(conditions), cell, order) for conditions, cell in both)
    return replace(forms_found, forms=forms, cells=tuple(order))


def _narrowed(model: Transformer) -> Transformer:
    """The same model for words with a run: norms that would refuse a word need not be run at all positions."""

    def easy(norms: tuple[LayerNorm, ...]) -> tuple[LayerNorm, ...]:
        return tuple(replace(norm, zero_variance="zero") for norm in norms)

    if model.readout.everywhere or not any(s.after or s.before for s in model.sublayers):
        return model
    layers = tuple(
        replace(x, attention_norms=easy(x.attention_norms), feedforward_norms=easy(x.feedforward_norms))
        for x in model.layers
    )
    return replace(model, layers=layers)


def _order(conditions: Sequence[str]) -> tuple[Any, ...]:
    """Larger cases first: n = 1 behind 2 <= n, even before odd, n before k."""
    return sum(text[-4:] == " = 1" and text[0] == "n" for text in conditions), [*map(_by_number, conditions)]


def _by_number(text: str) -> tuple[bool, list[str]]:
    """What speaks of n first, and 2 before 10."""
    return "n" not in text, [x.zfill(6) for x in re.split(r"(\d+)", text)]


def _form(
    model: Transformer, spelling: Spelling, conditions: tuple[str, ...], case: ReadCase, cells: Sequence[ReadCase]
) -> ClosedForm:
    guard, outputs = case
    world, readout = spelling.world, model.readout
    overall = readout.everywhere and not readout.each
    spoken = cells if overall else [(guard, outputs)]
    used = names_used(world, [(guard_spoken, values.values()) for guard_spoken, values in spoken])
    start = model.embedding.start
    ends = [token for added in model.embedding.ends for token in added]
    meaning = [f"n = length{f' + {len(ends)}' if ends else ''}{f' counts {chr(32).join(ends)}' if ends else ''}"]
    meaning += [f"n is at most {model.max_length}"] if model.max_length is not None else []
    meaning += ["i is a position from 0" if start == 0 else "i is a position from 1"] if "i" in used else []
    meaning += spelling.meanings(used)
    if overall:
        accept, accepts = word_verdict(spelling, readout, cells, guard)
    else:
        accept, accepts = verdict(spelling, readout, guard, outputs)
    return ClosedForm(
        recipe=model.name,
        given="every",
        symbols=tuple(
            dict.fromkeys(
                [spelling.name(v) for v in sorted(used, key=_first) if v in ("i", "n") or v[:2] in ("k:", "p:")]
                + [p.name for p in model.parameters]
            )
        ),
        assumptions=(
            *(p.region for p in model.parameters if p.region != "true" and p.name in used),
            *premises(spelling),
        ),
        conditions=conditions,
        expressions={name: _expression(spelling, value) for name, value in outputs.items()},
        accept=accept,
        decides=readout.decides,
        labelled=readout.labelled,
        label=_largest(world, guard, readout, outputs) if readout.answers and readout.labelled else None,
        meaning=tuple(meaning),
        accepts=accepts,
    )


def premises(spelling: Spelling) -> list[str]:
    """What the forms take for granted of the numbers that are given: that a query is a position of the input."""
    world = spelling.world
    here = (spelling.name(f"v:{pointing_name}:i") for pointing_name in world.pointing)
    return [f"({spelling.everywhere(f'ex q in {world.start}..{world.last}. {name} = q')})" for name in here]


def _largest(world: World, guard: Guard, readout: Readout, outputs: Mapping[str, Value]) -> str | None:
    """The label of the first of the largest scores in a case; None where that depends on more."""
    readout.choice("largest")
    names = list(outputs)
    for k, name in enumerate(names):
        signs = [(j < k, world.signs(outputs[name] - outputs[other], guard)) for j, other in enumerate(names) if j != k]
        if all(sign == {1} if before else -1 not in sign for before, sign in signs):
            return name
    return None


def _first(name: str) -> tuple[int, str]:
    return ("n", "i").index(name) if name in ("n", "i") else 2, name


def _expression(spelling: Spelling, value: Value) -> Any:
    """The sympy expression of a value, in short names."""
    expression = spelling.world.field.to_sympy(value)
    called = {s: spelling.name(s.name) for s in expression.free_symbols}
    short_names = {s: sympy.Symbol(name, real=True) for s, name in called.items() if name != s.name}
    return shorter(expression.xreplace(short_names))


def verdict(
    spelling: Spelling, readout: Any, guard: Guard, outputs: Mapping[str, Value]
) -> tuple[bool | None, str | None]:
    """The verdict in a case; the condition of accepting where it depends on more."""
    if not readout.decides:
        return None, None
    world = spelling.world
    rule, _ = readout.choice("positive", "zero")
    signs = {name: world.signs(value, guard) for name, value in outputs.items()}
    if rule == "positive":
        ((name, sign),) = signs.items()
        if sign == {1} or 1 not in sign:
            return sign == {1}, None
        return None, positive(spelling, outputs[name], guard)
    if any(0 not in sign for sign in signs.values()):
        return False, None
    open_ = [name for name, sign in signs.items() if sign != {0}]
    return (None, " & ".join(zero(spelling, outputs[name], guard) for name in open_)) if open_ else (True, None)


def word_verdict(
    spelling: Spelling, readout: Any, cells: Sequence[ReadCase], guard: Guard | None = None
) -> tuple[bool | None, str | None]:
    """The one verdict of a readout at all positions, each of which must pass; of the words that have a position with
    `guard`, where that is given."""
    world = spelling.world
    outer = _of_word(world, guard or {})
    tests, everywhere = list[str](), False
    for cell_guard, outputs in cells:
        accept, accepts = verdict(spelling, readout, cell_guard, outputs)
        if accept is False and cell_guard == guard:
            return False, None
        if accept is True or world.met(outer, _of_word(world, cell_guard)) is None:
            continue
        open_guard = {atom: allowed for atom, allowed in cell_guard.items() if not world.implied(outer, atom, allowed)}
        if accepts is None:
            condition = " & ".join(map(in_brackets, spelling.guard(open_guard)))
            tests.append(_unless(spelling, [GuardedCell(open_guard, ZERO)]) or f"~({condition or 'true'})")
        else:
            tests.append(spelling.case(open_guard, accepts))
        said_of = {v for value in outputs.values() for v in world.names_in(value)}
        everywhere |= open_guard != _of_word(world, open_guard) or any(_at_i(world, v) for v in said_of)
    if not tests:
        return True, None
    if tests == ["~(true)"]:
        return False, None
    tests_text = " & ".join(tests)
    return None, f"({spelling.everywhere(tests_text)})" if everywhere else tests_text


def _of_word(world: World, guard: Guard) -> Guard:
    """What a guard says of the word alone, not of the position i."""
    return {atom: allowed for atom, allowed in guard.items()
            if not about(atom, "i") and not (atom[0] == "some" and _at_i(world, atom[1]))}  # fmt: skip


def _at_i(world: World, name: str) -> bool:
    """Whether a name depends on the position i."""
    return name == "i" or name.endswith(":i") or (name in world.sums and world.depends(name, "i"))


def positive(spelling: Spelling, value: Value, guard: Guard) -> str:
    """That a value is positive; without a denominator whose sign is known."""
    world = spelling.world
    if isinstance(value, fmpq):
        raise RuntimeError("an fmpq is impossible here")
    world.field.lift(value)
    below = world.signs(world.field.quotient(value.den, world.field.one), guard)
    if below not in ({1}, {-1}):
        return f"0 < {spelling.value(value)}"
    world.field.lift(value)
    top = world.field.quotient(value.num, world.field.one) * fmpq(*below)
    form = linear_form(world.field, top)
    if form is None or not all(world.whole(v) for v in form[0]):
        return f"0 < {spelling.value(top)}"
    less, more = sides(form)
    return f"{spelling.linear(*less)} < {spelling.linear(*more)}"


def zero(spelling: Spelling, value: Value, guard: Guard) -> str:
    """That a value is zero; of a sum of terms that are not negative, that all are."""
    world = spelling.world
    if isinstance(value, fmpq):
        raise RuntimeError("an fmpq is impossible here")
    world.field.lift(value)
    top = world.field.quotient(value.num, world.field.one)
    form = linear_form(world.field, top)
    if form is not None and len(form[0]) == 1 and not form[1] and (name := next(iter(form[0]))) in world.sums:
        named_sum = world.sums[name]
        if named_sum.kept and all(world.signs(c.value, c.guard) == {1} for c in named_sum.cells):
            low, high = spelling.linear(*named_sum.low), spelling.linear(*named_sum.high)
            return f"(all j in {low}..{high}. {none_of(spelling, named_sum)})"
    if form is not None:
        less, more = sides(form)
        return f"{spelling.linear(*more)} = {spelling.linear(*less)}"
    return f"{spelling.value(top)} = 0"


def none_of(spelling: Spelling, one: NamedSum) -> str:
    """That no guard of a sum's cells holds."""
    negated = " & ".join(f"~({' & '.join(spelling.guard(c.guard)) or 'true'})" for c in one.cells)
    return _unless(spelling, one.cells) or negated


def _unless(spelling: Spelling, cells: Sequence[GuardedCell]) -> str | None:
    """That a guard of one inequality does not hold."""
    if len(cells) != 1 or len(cells[0].guard) != 1:
        return None
    ((atom, interval),) = cells[0].guard.items()
    if atom[0] != "form" or (interval[0] is None) == (interval[1] is None):
        return None
    low, high = interval
    return spelling.atom(atom, (None, low - 1) if high is None else (high + 1, None))[0]
