"""Closed forms for all lengths: formulas in the position i, the length n and the counts of symbols, from the weights.

Forward passes over tables (`symcook.domains.lengths`) find the forms: one pass for the outputs, one for the coordinates
before them (`EachPosition`). The forms are proposals until `symcook.proof.statements.inturn` proves them. The text of a
single `ClosedForm` does not say whether it is proved; that of an `EveryLength` does (`symcook.report.closed`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from flint import fmpq

from symcook.declaration import load
from symcook.derivation import Derivation, DerivedForms
from symcook.domains.field import ZERO, Value
from symcook.domains.formlines import ClosedLines, pointers, premises
from symcook.domains.lengths import Lengths, OutOfRules
from symcook.domains.lengthsums import about
from symcook.domains.linear import Guard, NoRule, linear_form
from symcook.domains.names import (
    CHOSEN,
    COUNT,
    INPUT,
    PLACE,
    PREFIX,
    SYMBOL,
    FormName,
    I,
    J,
    N,
    name_of,
    place_of,
    symbol,
)
from symcook.domains.spelling import Spelling, StatementSpelling, Texts, conjunction, sides
from symcook.domains.tables import CellTable
from symcook.domains.world import GuardedCell, NamedSum, World, named_in
from symcook.errors import BadInput
from symcook.forward import forward
from symcook.model.answers import Reply, brief
from symcook.model.ends import Readout
from symcook.model.expr import valid_name
from symcook.model.parts import AnyNorm
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.spelled import spelled
from symcook.model.symbols import Exact
from symcook.model.symbols import symbol as sympy_symbol
from symcook.model.transformer import Transformer
from symcook.numbers.named import spoken
from symcook.numbers.shorter import shorter
from symcook.present import present

if TYPE_CHECKING:
    from symcook.proof.statements.inturn import PartsProof

READS = StepsRead("the closed form", **STEP_WORDS)


ReadCase = tuple[Guard, Mapping[str, Value]]
"""A case of the readout: the guard of the case, and {output: value} in it."""


@dataclass(frozen=True)
class Coordinate:
    """The value of a coordinate after a sublayer."""

    name: str
    layer: int
    part: str
    """The kind of the sublayer, or "embedding"."""
    column: CellTable | OutOfRules
    """Its value at position i by cases, or why there is no closed form."""


@dataclass(frozen=True)
class FormSentence:
    """A closed form as a statement about the model."""

    coordinate: str
    """The coordinate; "verdict" or "answer" for the readout's answer."""
    stage: str | None
    """The sublayer after which the coordinate has this value, as statements write it: ``@1.attention``. "" for the
    value that the readout reads, None for the readout's answer."""
    text: str
    """The statement."""


class FormSentences(NamedTuple):
    """The closed forms of a model as statements."""

    way: list[FormSentence]
    """The coordinates before the output, at every position, in the order of the run."""
    readout: list[FormSentence]
    """The coordinates that the readout reads, and its answer."""
    after: list[FormSentence]
    """The coordinates after the last attention: only the proofs about `readout` may need them, at one position."""


@dataclass(frozen=True)
class EachPosition:
    """The coordinates of a model at a generic position i, computed when they are first needed."""

    model: Transformer
    pointing: tuple[str, ...] = ()
    """The inputs that are assumed to be positions."""

    @cached_property
    def domain(self) -> Lengths:
        """The number system of `coordinates`."""
        return Lengths(self.model, self.pointing)

    @cached_property
    def coordinates(self) -> list[Coordinate]:
        """Each coordinate after each sublayer that writes to it."""
        result = forward(self.model, ("",), self.domain, trace=True, weights=False)
        out: list[Coordinate] = []
        last: dict[str, Any] = {}
        for step in result.steps:
            for name, column in step.columns.items():
                if last.get(name) is not column:
                    out.append(Coordinate(name, step.layer, step.part, column))
                    last[name] = column
        return out

    @property
    def complete(self) -> Lengths:
        """`domain`, after the pass that computes the coordinates."""
        _ = self.coordinates
        return self.domain


@dataclass(frozen=True, repr=False)
class ClosedForm(Derivation):
    """The outputs at every length in one case."""

    REPORT = "closed"

    meaning: tuple[str, ...] = ()
    """The meanings of n and i, and the definitions ``r1 := ..`` of long values in the forms; "where" in JSON."""
    accepts: str | None = None
    """The condition under which the model accepts, if the verdict depends on more than the case."""
    lines: tuple[str, ...] = ()
    """What the case says, as statements that `prove` takes: the outputs, then the verdict or the answer."""
    gaps: tuple[str, ...] = ()
    """For each input that a head reads as a position, by how much its score is greater than that of another one."""

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook derive --json``: that of a `Derivation`, with "length" in place of "input", and
        with "lines", "where", "proof" and "proved"; for a model that decides also with "accepts"."""
        document = super().to_json()
        del document["input"]
        more = {"accepts": self.accepts} if self.decides else {}
        more |= {"lines": list(self.lines), "where": list(self.meaning), "proof": None, "proved": None}
        more |= {"gaps": list(self.gaps)} if self.gaps else {}
        return {"recipe": self.recipe, "length": self.given, **document, **more}

    def text(self) -> str:
        """The outputs and the verdict or answer as statements, one a line; then the meaning of the names, and the
        assumptions."""
        return "\n".join([f"Model {self.recipe}, all lengths:", *(f"  {line}" for line in self.lines), *self.remarks])

    @property
    def meanings(self) -> list[str]:
        """The meaning of n, i and words in the statements."""
        return [*(text for text in self.meaning if " := " not in text), *about_words(self.lines)]

    @property
    def remarks(self) -> list[str]:
        """The lines below the statements: the meaning of n, i and words in them, the intervals of symbols, and gaps."""
        about = [f"where {', '.join(self.meanings)}"] if self.meanings else []
        return [*about, *([f"for all {' & '.join(self.assumptions)}"] if self.assumptions else []), *self.gaps]


@dataclass(frozen=True, repr=False)
class EveryLength(DerivedForms, Reply):
    """The closed forms of a model at every length."""

    REPORT = "closed"

    each: EachPosition
    """The coordinates before the output, each with its value or the reason why it has no closed form."""
    domain: Lengths
    """The number system of `cells` and `reads`."""
    forms: tuple[ClosedForm, ...]
    """The closed forms of the outputs, one for each case."""
    cells: tuple[ReadCase, ...]
    """The same cases in the number system `domain`, in the same order."""
    reads: Mapping[str, CellTable | OutOfRules] = field(default_factory=dict)
    """The coordinates that the readout reads, at the position that it reads."""
    proof: PartsProof | None = None
    """What was proved; None before `prove`."""
    texts: Texts = field(kw_only=True)
    """The texts of all names in this answer."""
    holds = None  # closed forms have no yes or no

    @property
    def status(self) -> str:
        """PROVED if all forms are proved, else DERIVED."""
        return "PROVED" if self.proof is not None and self.proof.whole else "DERIVED"

    @property
    def model(self) -> Transformer:
        """The model."""
        return self.each.model

    @property
    def cases(self) -> Sequence[ClosedForm]:
        """`forms`, as `derive` calls them for one input too."""
        return self.forms

    @property
    def start(self) -> int:
        """The number of the first position in arrays."""
        return self.model.embedding.start

    def _token_numbers(self, given: Any) -> Any:
        """The numbers of the tokens that are given for the array `w`: a string, or numbers of all tokens with those
        that the model adds. BadInput for numbers that are no such string."""
        embedding = self.model.embedding
        words = tuple(embedding.words or ())
        if isinstance(given, str):
            return [words.index(token) for token in self.model.tokens(given)]
        listed = list(given) if isinstance(given, Iterable) else []
        numbers = [int(number) for number in listed if number in range(len(words))]
        if not numbers or len(numbers) != len(listed):
            tokens = ", ".join(f"{k} ({token})" for k, token in enumerate(words))
            raise BadInput(
                f"w must be a string, or the numbers of its tokens: {tokens}",
                str(given),
                "give one of these tokens for each symbol",
            )
        tokens = tuple(words[number] for number in numbers)
        if embedding.surround(embedding.typed(tokens)) != tokens or {*embedding.typed(tokens)} - {*embedding.alphabet}:
            do = f'give a string such as "{embedding.written(embedding.alphabet[:1] * 2)}", or these tokens too'
            ends = zip(("begin", "end"), embedding.ends, strict=True)
            must = " and ".join(f"{where} with {token[0]}" for where, token in ends if token)
            raise BadInput(f"w must {must}, and have no such token elsewhere", embedding.written(tokens), do)
        return numbers

    @cached_property
    def expressions(self) -> Mapping[str, Any]:
        """{output: sympy expression}: a Piecewise over the cases. The token at position j is `w[j]`, its number in the
        alphabet; an input x at position j is `x[j]`. Counts have their short names, as in the text; a sum in a
        condition is a symbol of `definitions`."""
        from symcook.numbers.evaluable import piecewise

        return MappingProxyType({name: piecewise(branches) for name, branches in self.branches.items()})

    @property
    def branches(self) -> Mapping[str, Sequence[tuple[Any, Any]]]:
        """{output: (value, condition) pairs}."""
        return self._sympy[0]

    @cached_property
    def definitions(self) -> Mapping[Any, Any]:
        """{symbol: sum} for the sums in the conditions of `expressions`."""
        return self._sympy[1]

    @cached_property
    def _sympy(self) -> tuple[Mapping[str, Any], Mapping[Any, Any]]:
        """`branches` and `definitions`."""
        from symcook.domains.sympyforms import SympyForms

        forms = SympyForms(self.spelling, {token: k for k, token in enumerate(self.model.embedding.words or ())})
        tests = [forms.guard(guard) for guard, _ in self.cells]
        columns = {name: [shorter(forms.value(values[name])) for _, values in self.cells] for name in self.cells[0][1]}
        joined = {name: list(zip(values, tests, strict=True)) for name, values in columns.items()}
        return MappingProxyType(joined), MappingProxyType(forms.definitions)

    @property
    def proved(self) -> Mapping[str, bool]:
        """{output, or "verdict" or "answer": whether the certificate of `proof` proves its form}. Nothing is proved
        before `prove`."""
        said = dict[str, bool]()
        for claim in self.proof.claims if self.proof and self.proof.certificate is not None else ():
            said[claim.coordinate] = said.get(claim.coordinate, True) and claim.missing is None
        return MappingProxyType(dict.fromkeys(self.expressions, False) | said)

    def prove(self, seconds: float = 60.0) -> EveryLength:
        """The same forms with `proof`: the verdict and the certificate of what could be proved in `seconds`, and the
        names of what is not proved."""
        return replace(self, proof=load("symcook.proof.statements.inturn:prove")(self, seconds))

    def sentences(self, cleared: bool = False) -> FormSentences:
        """The closed forms as statements about the model. If `cleared`, the equations of what the readout reads are
        multiplied by their denominators."""
        attention = [(s.layer, s.kind) for s in READS.of(self.model).sublayers if s.kind == "attention"]
        last, sentences = max(attention, default=(0, "")), FormSentences([], self._at_readout(cleared), [])
        spelling, everywhere = self.statement_spelling(self.each.domain), self.model.readout.everywhere
        for form in self.each.coordinates:
            if form.part != "embedding" and isinstance(form.column, CellTable):
                # After the last attention a position depends only on itself: if the readout reads one position, the
                # forms are needed only there.
                after = not everywhere and (form.layer, form.part) >= last
                (sentences.after if after else sentences.way).append(_statement_at_each(spelling, form, form.column))
        return sentences

    def statement_spelling(self, domain: Lengths) -> StatementSpelling:
        """The spelling of the values of a domain for the prover."""
        return StatementSpelling(domain, self.texts)

    def _at_readout(self, cleared: bool) -> list[FormSentence]:
        """The coordinates that the readout reads, and its answer, case by case."""
        readout, spelling = self.model.readout, self.statement_spelling(self.domain)
        world, out = spelling.world, list[FormSentence]()
        place = "i" if readout.everywhere else str(world.start) if readout.first else world.last

        def say(coordinate: str, stage: str | None, texts: Iterable[str]) -> None:
            """Add the statement with a text for each case; a case without a text is left out."""
            cases = [spelling.case(guard, text) for (guard, _), text in zip(self.cells, texts, strict=True) if text]
            text = " & ".join(dict.fromkeys(cases))
            text = spelling.quantified(text)
            out.append(FormSentence(coordinate, stage, spelling.everywhere(text) if readout.everywhere else text))

        for name in readout.reads:
            if isinstance(column := self.reads.get(name), CellTable):
                values = (column.value_at(guard) for guard, _ in self.cells)
                head = f"{spelling.texts.coordinate(name)}({place})"
                say(name, "", [spelling.equation(head, value, cleared) for value in values])
        if readout.decides and (readout.each or not readout.everywhere):
            head = f"accept({place})" if readout.each else "accept"
            texts = (ClosedLines.accepted(head, *verdict(spelling, readout, *cell)) for cell in self.cells)
            say("verdict", None, map(ClosedLines.inside, texts))
        labels = [form.label for form in self.forms]
        if readout.labelled and readout.answers and any(label is not None for label in labels):
            at = f", {place}" if readout.each else ""
            say("answer", None, ["" if label is None else f"answer({spelled(label)}{at})" for label in labels])
        if readout.decides and readout.everywhere and not readout.each:  # one verdict for the whole string
            text = ClosedLines.accepted("accept", *word_verdict(spelling, readout, self.cells))
            out.append(FormSentence("verdict", None, text))
        return out

    def to_json(self, certificate: str | None = None) -> list[dict[str, Any]]:
        """The documents of ``symcook derive --json`` without an input, one for each case: its form, the coordinates
        before the output, whether all is proved (None if no proof was tried), and the path of the `certificate`. All
        entries but the form are the same in each document."""
        proof = self.proof
        common_fields: dict[str, Any] = {
            "way": self.way(),
            "way_lines": self.way_lines(),
            "proved": proof.whole if proof else None,
            "certificate": certificate,
        }
        common_fields["missing"] = proof.missing if proof else {}
        common_fields["way_where"] = self.meaning()
        common_fields["way_assumptions"] = self.way_assumptions()
        common_fields["unclaimed"] = self.unclaimed()
        common_fields["statement"] = proof.statement.text if proof and proof.statement else None
        return [form.to_json() | common_fields for form in self.forms]

    def unclaimed(self) -> list[str]:
        """The coordinates before the output whose closed forms are not proved at every position; [] if no form at all
        is proved.

        After the last attention their values at other positions than the readout's do not matter.
        """
        claims = self.proof.claims if self.proof else []
        claimed = {claim.coordinate for claim in claims if claim.formula.startswith("all i")}
        with_value = [name for name, cases in self.way().items() if cases[0]["value"] is not None]
        return [name for name in with_value if name not in claimed] if claims else []

    @cached_property
    def spelling(self) -> Spelling:
        """The spelling of the forms."""
        return Spelling(self.domain, self.texts)

    @cached_property
    def each_spelling(self) -> Spelling:
        """The spelling of the coordinates before the output."""
        return Spelling(self.each.domain, self.texts)

    def way(self) -> dict[str, list[dict[str, Any]]]:
        """{coordinate: cases} for the coordinates before the output at position i. A case is {"conditions", "value"}; a
        coordinate without a closed form has one case with the value None and the reason "why". A coordinate that
        several sublayers write has its form after the last of them."""
        out: dict[str, list[dict[str, Any]]] = {}
        spelling = self.each_spelling
        for coordinate in self.each.coordinates:
            if coordinate.part == "embedding":
                continue
            if isinstance(coordinate.column, OutOfRules):
                why = _why(self.model, self.each.domain, coordinate.column)
                out[coordinate.name] = [{"conditions": [], "value": None, "why": why}]
                continue
            guards = ((coordinate.column.world.shortened(c.guard), c.value) for c in coordinate.column.cells)
            out[coordinate.name] = [
                {"conditions": list(spelling.guard(g)), "value": spelling.value(v)} for g, v in guards
            ]
        return out

    def way_lines(self) -> list[str]:
        """The coordinates before the output at every position, as statements that `prove` takes."""
        way, out = self.way(), list[str]()
        said = ClosedLines(self.each_spelling, self.model)
        for name, cases in way.items():
            head = said.coordinate(name, "i")
            out += (said.everywhere(c["conditions"], f"{head} = {c['value']}") for c in cases if c["value"] is not None)
        return out

    def meaning(self) -> list[str]:
        """The definitions of long values in `way`."""
        cases = [case for cases in self.way().values() for case in cases if case["value"] is not None]
        return self.texts.needed(*(text for case in cases for text in (case["value"], *case["conditions"])))

    def way_assumptions(self) -> list[str]:
        """The assumptions of `way` about given numbers."""
        return premises(self.each_spelling) if self.way() else []

    def premises(self) -> list[str]:
        """The assumptions of all forms about given numbers, as statements."""
        return list(dict.fromkeys(
            text for domain in (self.domain, self.each.complete) for text in premises(self.statement_spelling(domain))
        ))  # fmt: skip


def about_words(texts: Iterable[str]) -> list[str]:
    """The meanings of words of statements in some texts: of ``at``, and of a count up to a position."""
    together = " ".join(texts)
    said = {"at(a, i) means that the token at position i is a": r"\bat\("}
    said["count(a, i) is how often a occurs up to position i"] = r"""\bcount\((?:"[^"]*"|'[^']*'|\w+), """
    return [text for text, pattern in said.items() if re.search(pattern, together)]


def _statement_at_each(spelling: StatementSpelling, form: Coordinate, column: CellTable) -> FormSentence:
    """The statement about a coordinate at every position, case by case."""
    stage, cases = f"@{form.layer}.attention" if form.part == "attention" else f"@{form.layer}", list[str]()
    for cell in column.cells:
        equation = f"{spelling.texts.coordinate(form.name, stage)}(i) = {spelling.value(cell.value)}"
        cases.append(spelling.quantified(spelling.case(column.world.shortened(cell.guard), equation)))
    return FormSentence(form.name, stage, spelling.everywhere(" & ".join(cases)))


def names_used(world: World, cells: Iterable[tuple[Guard, Iterable[Value]]]) -> set[FormName]:
    """The names in the guards and values, and the names in the definitions of these names, and so on."""
    used = set[FormName]()
    for guard, values in cells:
        used |= {name for value in values for name in world.names_in(value)}
        used |= {name for atom in guard for name in named_in(atom)}
    pending = list(used)
    while pending:
        name, inside = pending.pop(), set[FormName]()
        if name in world.named:
            inside = {*world.names_in(world.named[name][0])}
        elif name in world.sums:
            named_sum = world.sums[name]
            inside = {*world.names_inside(name), *named_sum.low[0], *named_sum.high[0]}
        elif name.kind in (INPUT, PLACE):
            inside = {*place_of(name)[0]}
        elif name in world.choices:
            choice = world.choices[name]
            inside = {v for guard in choice.guards for atom in guard for v in named_in(atom)}
            inside = (inside - {choice.key}) | {*choice.low[0], *choice.high[0]}
        pending += inside - used
        used |= inside
    return used


def every_length(model: Transformer, values: Mapping[str, Exact] | None = None) -> EveryLength:
    """The closed forms of a model of strings for all lengths at once; `values` set declared parameters.

    Raises BadInput for a model of one row, and if a value that the readout reads has no closed form, with the
    coordinate and the missing rule.

    >>> from symcook.recipes import build
    >>> print(every_length(build("parity")).forms[1].text())
    Model parity, all lengths:
      mod(n, 2) = 0 & mod(count("1"), 2) = 1 -> logit = 2*tanh(c)/n^2
      mod(n, 2) = 0 & mod(count("1"), 2) = 1 -> accept
    where n = length + 1 counts CLS
    for all 0 < c
    """
    model = model.bind(values, require=False)
    if model.pointwise:
        raise BadInput(
            "a closed form for every length is derived only for a model that reads sequences",
            model.name,
            "give the model's inputs for a closed form in them",
        )
    # The columns that the readout reads (scores or coordinates), at the position that it reads.
    readout = model.readout
    domain, result, columns, common = _within_rules(model)
    cells = [
        (domain.world.shortened(c.guard), {name: t.value_at(c.guard) for name, t in columns.items()})
        for c in common.cells
    ]
    reads = {name: result.stream[name] for name in readout.reads}
    reads = {name: c if readout.everywhere else domain.read(c, readout.place) for name, c in reads.items()}
    reserved = load("symcook.proof.statements.defined:defined_names")()
    texts = Texts(model, reserved)
    forms_found = EveryLength(EachPosition(model, domain.assumed), domain, (), tuple(cells), reads, texts=texts)
    # The cases as text, in a readable order.
    spelling = forms_found.spelling
    for name in domain.world.named:  # in this order they get their numbers
        spelling.name(name)
    guard_texts = [sorted(spelling.guard(guard), key=_condition_order) for guard, _ in cells]
    sorted_cases = sorted(zip(guard_texts, cells, strict=True), key=lambda pair: _case_order(pair[0]))
    order = [cell for _, cell in sorted_cases]
    forms = tuple(_form(model, spelling, tuple(conditions), cell, order) for conditions, cell in sorted_cases)
    longest = max((len(text) for form in forms for text in form.output.values()), default=0)
    if longest > MOST_CHARACTERS:  # weights that were trained
        must = f"a closed form of {model.name} must have at most {MOST_CHARACTERS:,} characters"
        raise BadInput(must, f"{longest:,}", FOR_ONE_STRING if model.embedding.inputs is None else FOR_ONE_INPUT)
    return replace(forms_found, forms=forms, cells=tuple(order))


MOST_CHARACTERS = 50_000
"""No longer form is shown."""
FOR_ONE_STRING = "for one string: --input STRING; to compare with a language at every length: symcook decide"
FOR_ONE_INPUT = "for one input: --rows ROWS"
MOST_TERMS_SAID = 1_000
"""A message about a longer value says that it is longer, and does not show it: it would be cut, and to write sums out
inside of sums takes minutes."""
MOST_CASES = 16
"""With more cases in one column, forms under an assumption about the inputs are preferred."""


def _within_rules(model: Transformer) -> tuple[Lengths, Any, dict[str, Any], CellTable]:
    """The domain, the result of the forward pass, the columns that the readout reads, at its position, and their common
    cases: guards on which each column has one value. If a column or the common cases follow no rule, or a column has
    more than `MOST_CASES` cases, each input in turn is assumed to be a position of the string: lookups have such a
    query.

    Raises BadInput, for the domain without an assumption, if a column or the common cases follow no rule with any.
    """
    readout, refused, long = model.readout, None, None
    for pointing in ((), *((name,) for name in model.embedding.inputs or ())):
        domain = Lengths(model, pointing)
        result = forward(_without_refusal(model), ("",), domain)
        columns: dict[str, Any] = dict(result.scores) or {name: result.stream[name] for name in readout.reads}
        if not readout.everywhere:
            columns = {name: domain.read(column, readout.place) for name, column in columns.items()}
        missing = next(
            ((name, _why(model, domain, c)) for name, c in columns.items() if isinstance(c, OutOfRules)), None
        )
        if missing is None:
            try:
                common = _common_cases(domain, columns.values())
            except NoRule as error:
                missing = "all outputs together", str(error)
        if missing is not None:
            refused = refused or missing
            continue
        if max(len(column.cells) for column in columns.values()) <= MOST_CASES:
            return domain, result, columns, common
        long = long or (domain, result, columns, common)
    if long is not None:
        return long
    raise BadInput(
        f"symcook must have a rule for each step of a closed form of {model.name} for every length",
        ": ".join(present(refused)),
        FOR_ONE_STRING if model.embedding.inputs is None else FOR_ONE_INPUT,
    )


def _common_cases(domain: Lengths, columns: Iterable[CellTable]) -> CellTable:
    """A table with guards on which each column has one value. NoRule where there are too many."""
    common = CellTable.of(domain.world, fmpq(0))
    for column in columns:
        common = common.beside(column)
    return common


def _why(model: Transformer, domain: Lengths, column: OutOfRules) -> str:
    """Which rule a column needs, with the value that this is about in words of statements."""
    if column.value is None:
        return column.why
    texts = Texts(model)
    spelling = Spelling(domain, texts)
    if spelling.size(column.value, MOST_TERMS_SAID) > MOST_TERMS_SAID:
        return f"{column.why} a value of more than {MOST_TERMS_SAID:,} terms"
    return f"{column.why} {brief(texts.where(spelling.value(column.value)))}"


def _without_refusal(model: Transformer) -> Transformer:
    """The same model for strings that have a run: the norms of the layers are changed so that they never refuse a
    string.

    These norms then need not be run at all positions. The final norm is unchanged. The model itself is returned if the
    readout reads all positions or there is no norm.
    """

    def easy(norms: tuple[AnyNorm, ...]) -> tuple[AnyNorm, ...]:
        return tuple(norm.eased for norm in norms)

    if model.readout.everywhere or not any(s.after or s.before for s in READS.of(model).sublayers):
        return model
    layers = tuple(
        replace(x, attention_norms=easy(x.attention_norms), feedforward_norms=easy(x.feedforward_norms))
        for x in READS.of(model).layers
    )
    return replace(model, layers=layers)


def _case_order(conditions: Sequence[str]) -> tuple[Any, ...]:
    """A sort key of cases: those with n = 1 come last; the others are sorted by their conditions, such as even before
    odd."""
    return sum(text == "n = 1" for text in conditions), [*map(_condition_order, conditions)]


def _condition_order(text: str) -> tuple[bool, list[str]]:
    """A sort key of conditions: those about n first, and 2 before 10."""
    return re.search(r"\bn\b", text) is None, [x.zfill(6) for x in re.split(r"(\d+)", text)]


def _form(
    model: Transformer, spelling: Spelling, conditions: tuple[str, ...], case: ReadCase, cells: Sequence[ReadCase]
) -> ClosedForm:
    """The closed form of one case; `cells` are all cases."""
    # A verdict on all positions is about all cases, so that the names in all of them need an explanation.
    guard, outputs = case
    world, readout = spelling.world, model.readout
    overall = readout.everywhere and not readout.each
    relevant_cases = cells if overall else [(guard, outputs)]
    used = names_used(world, [(guard_spoken, values.values()) for guard_spoken, values in relevant_cases])
    used |= pointers(world)
    # The meaning of the names.
    start = model.embedding.start
    ends = [token for added in model.embedding.ends for token in added]
    meaning = [f"n = length{f' + {len(ends)}' if ends else ''}{f' counts {chr(32).join(ends)}' if ends else ''}"]
    meaning += [f"n is at most {model.max_length}"] if model.max_length is not None else []
    meaning += [f"n is at least {world.fewest}"] if world.fewest > max(1, world.added) else []
    meaning += ["i is a position from 0" if start == 0 else "i is a position from 1"] if I in used else []
    meaning += [f"{spelling.name(name)} is {spelling.chosen(name)}" for name in sorted(used) if name.kind == CHOSEN]
    if overall:
        accept, accepts = word_verdict(spelling, readout, cells, guard)
    else:
        accept, accepts = verdict(spelling, readout, guard, outputs)
    expressions = {name: _expression(spelling, value) for name, value in outputs.items()}
    said = ClosedLines(spelling, model)
    label = _largest(world, guard, readout, outputs) if readout.answers and readout.labelled else None
    form = ClosedForm(
        recipe=model.name,
        given="every",
        symbols=tuple(
            dict.fromkeys(
                [spelling.name(v) for v in sorted(used, key=_name_order) if v in (I, N) or v.kind in (COUNT, PREFIX)]
                + [p.name for p in model.parameters]
            )
        ),
        assumptions=(
            *(p.region for p in model.parameters if p.region != "true" and symbol(p.name) in used),
            *premises(spelling),
        ),
        conditions=conditions,
        expressions=expressions,
        accept=accept,
        decides=readout.decides,
        labelled=readout.labelled,
        label=label,
        accepts=accepts,
        gaps=tuple(
            f"the score at position {spelling.name(name)} is that at another position {spelling.name(J)} plus "
            f"{spelling.value(gap)}, which is positive"
            for name, gap in world.gaps.items()
            if name in used
        ),
    )
    lines = tuple(said.of_case(form, word_verdict(spelling, readout, cells) if overall else None))
    needed = spelling.texts.needed(*conditions, *form.output.values(), accepts or "", *lines)
    return replace(form, lines=lines, meaning=(*meaning, *needed))


def _largest(world: World, guard: Guard, readout: Readout, outputs: Mapping[str, Value]) -> str | None:
    """The label of the first of the largest scores in a case; None if it depends on more than the case."""
    readout.choice("largest")
    names = list(outputs)
    for k, name in enumerate(names):
        signs = [(j < k, world.signs(outputs[name] - outputs[other], guard)) for j, other in enumerate(names) if j != k]
        if all(sign == {1} if before else -1 not in sign for before, sign in signs):
            return name
    return None


def _name_order(name: FormName) -> tuple[int, FormName]:
    """A sort key of names: n and i first."""
    return (N, I).index(name) if name in (N, I) else 2, name


def _expression(spelling: Spelling, value: Value) -> Any:
    """The sympy expression of a value: what statements have a word for is a symbol that is called as they say it."""
    expression = spelling.world.field.to_sympy(value)
    own = {parameter.name: parameter.symbol for parameter in spelling.domain.parameters}
    names = {s: name_of(s) for s in expression.free_symbols}
    texts = {s: name.of if name.kind == SYMBOL else spelling.name(name) for s, name in names.items()}
    symbols = {s: own.get(text) or (sympy_symbol if valid_name(text) else spoken)(text) for s, text in texts.items()}
    return shorter(expression.xreplace(symbols))


def verdict(
    spelling: Spelling, readout: Any, guard: Guard, outputs: Mapping[str, Value], around: Guard | None = None
) -> tuple[bool | None, str | None]:
    """(verdict, None) in a case; (None, the condition under which the model accepts) if it depends on more.

    (None, None) if the model decides nothing. The condition has a value where the case holds; with `around`, wherever
    this guard holds.
    """
    if not readout.decides:
        return None, None
    world = spelling.world
    rule, _ = readout.choice("positive", "zero")
    signs = {name: world.signs(value, guard) for name, value in outputs.items()}
    if rule == "positive":
        ((name, sign),) = signs.items()
        if sign == {1} or 1 not in sign:
            return sign == {1}, None
        return None, positive(spelling, outputs[name], guard, around)
    if any(0 not in sign for sign in signs.values()):
        return False, None
    open_ = [name for name, sign in signs.items() if sign != {0}]
    return (None, " & ".join(zero(spelling, outputs[name], guard, around) for name in open_)) if open_ else (True, None)


def word_verdict(
    spelling: Spelling, readout: Any, cells: Sequence[ReadCase], guard: Guard | None = None
) -> tuple[bool | None, str | None]:
    """The verdict, as `verdict` returns it, of a readout that accepts iff every position passes; with `guard`, only for
    strings with a position where the guard holds."""
    world = spelling.world
    outer = _about_string(world, guard or {})
    tests, everywhere = list[str](), False
    # A test for each case in which a position may fail; `everywhere`: some test depends on the position i.
    for cell_guard, outputs in cells:
        accept, accepts = verdict(spelling, readout, cell_guard, outputs, outer)
        if accept is False and cell_guard == guard:
            return False, None
        if accept is True or world.met(outer, _about_string(world, cell_guard)) is None:
            continue
        open_guard = {atom: allowed for atom, allowed in cell_guard.items() if not world.implied(outer, atom, allowed)}
        if accepts is None:
            condition = conjunction(spelling.guard(open_guard))
            tests.append(_unless(spelling, [GuardedCell(open_guard, ZERO)]) or f"~({condition or 'true'})")
        else:
            tests.append(spelling.case(open_guard, accepts))
        names_in_values = {v for value in outputs.values() for v in world.names_in(value)}
        everywhere |= open_guard != _about_string(world, open_guard) or any(world.moves(v, I) for v in names_in_values)
    if not tests:
        return True, None
    if tests == ["~(true)"]:
        return False, None
    tests_text = " & ".join(tests)
    return None, f"({spelling.everywhere(spelling.quantified(tests_text))})" if everywhere else tests_text


def _about_string(world: World, guard: Guard) -> Guard:
    """The part of a guard that is about the string alone, not about the position i."""
    return {atom: allowed for atom, allowed in guard.items() if not about(world, atom, I)}


def positive(spelling: Spelling, value: Value, guard: Guard, around: Guard | None) -> str:
    """The text that a value is positive; a denominator with a known sign is left out. It has a value where `guard`
    holds, or `around`."""
    world = spelling.world
    if isinstance(value, fmpq):
        raise RuntimeError("an fmpq is impossible here")
    world.field.lift(value)
    denominator_signs = world.signs(world.field.quotient(value.den, world.field.one), guard)
    if denominator_signs not in ({1}, {-1}):
        return f"0 < {spelling.total(value, guard, around, 1)}"
    world.field.lift(value)
    numerator = world.field.quotient(value.num, world.field.one) * fmpq(*denominator_signs)
    form = linear_form(world.field, numerator)
    if form is None or not all(world.whole(v) for v in form[0]):  # a form in integers has a value everywhere
        return f"0 < {spelling.total(numerator, guard, around, 1)}"
    less, more = sides(form)
    return f"{spelling.linear(*less)} < {spelling.linear(*more)}"


def zero(spelling: Spelling, value: Value, guard: Guard, around: Guard | None) -> str:
    """The text that a value is zero; for a sum of positive terms, that it has no term. It has a value where `guard`
    holds, or `around`."""
    world = spelling.world
    if isinstance(value, fmpq):
        raise RuntimeError("an fmpq is impossible here")
    world.field.lift(value)
    numerator = world.field.quotient(value.num, world.field.one)
    form = linear_form(world.field, numerator)
    if form is not None and len(form[0]) == 1 and not form[1] and (name := next(iter(form[0]))) in world.sums:
        named_sum = world.sums[name]
        if named_sum.kept and all(world.signs(c.value, c.guard) == {1} for c in named_sum.cells):
            low, high = spelling.linear(*named_sum.low), spelling.linear(*named_sum.high)
            return f"(all {spelling.name(J)} in {low}..{high}. {none_of(spelling, named_sum)})"
    if form is not None and (around is None or world.sign.defined(numerator, around)):
        less, more = sides(form)
        return f"{spelling.linear(*more)} = {spelling.linear(*less)}"
    return f"{spelling.total(numerator, guard, around, 0)} = 0"


def none_of(spelling: Spelling, named_sum: NamedSum) -> str:
    """The text that the guard of no cell of a sum holds."""
    negated = " & ".join(f"~({conjunction(spelling.guard(c.guard)) or 'true'})" for c in named_sum.cells)
    return _unless(spelling, named_sum.cells) or negated


def _unless(spelling: Spelling, cells: Sequence[GuardedCell]) -> str | None:
    """The text that a single guard with one inequality does not hold; None for other guards."""
    if len(cells) != 1 or len(cells[0].guard) != 1:
        return None
    ((atom, interval),) = cells[0].guard.items()
    if atom[0] != "form" or (interval[0] is None) == (interval[1] is None):
        return None
    low, high = interval
    return spelling.atom(atom, (None, low - 1) if high is None else (high + 1, None))[0]
