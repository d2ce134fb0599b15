"""Checks of recipes: the model against its reference, and against what the recipe states about it (`formula` and
`computes`)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar

from symcook.door import Progress
from symcook.errors import NotExact
from symcook.model.expr import Tree, names, parse_formula, parse_term
from symcook.model.meaning import called
from symcook.model.symbols import Exact, fraction
from symcook.model.transformer import Transformer
from symcook.numbers.columns import Column, valued
from symcook.recipes.words import WORDS
from symcook.run import run
from symcook.verify.answers import Answers, AskedTogether, NoLabel, rows
from symcook.verify.chunks import Chunk, plan
from symcook.verify.comparison import DIGITS, Comparison, Numbers, Tally
from symcook.verify.findings import Check, found
from symcook.verify.recheck import referred
from symcook.verify.sweep import check

if TYPE_CHECKING:
    from symcook.domains.axes import Axes
    from symcook.domains.batch import Grid, Words

T = TypeVar("T")

LENGTH = 6
"""The greatest length of an input on which `check_facts` evaluates both texts, unless the caller gives another."""
MOST = 2**14
"""The greatest number of inputs on which `check_recipe` has them evaluated; over a large alphabet the length is
smaller."""
NEAR = Fraction(1, 10**20)
"""The tolerance for values that are not rational, in addition to the recipe's own error."""

_DEFINED = {f"{name}()": (argument, parse_term(text)) for name, (argument, text, _) in WORDS.items() if text}
"""The defined functions that the texts of recipes may call: {"name()": (argument, body)}."""


@dataclass(frozen=True)
class Stated(AskedTogether):
    """A text of a recipe as a reference: its value on an input, or on all inputs of a piece together.

    `kind` is "formula" or "computes", `tree` the text. Where the model shows several coordinates, the text is evaluated
    for each of them, with k as the number of the coordinate from 0. `symbols` has the values of names. In the domain
    "exact", a value that is not rational raises NotExact; in "ball", it becomes a rational number within `NEAR` of it.
    """

    model: Transformer
    kind: str
    tree: Tree
    symbols: Mapping[str, Any]
    domain: str

    def __call__(self, given: object) -> Any:
        """The right answer to an input, by the text."""
        try:
            return self._answers(given, "exact")
        except NotExact:
            if self.domain == "exact":
                raise
        return self._answers(given, "ball")

    @cached_property
    def _own(self) -> set[str]:
        """The names in `computes` that are not inputs; coordinates of the residual stream among them. Empty for a
        formula."""
        named = names(self.tree) | called(self.tree) if self.kind == "computes" else set()
        return named - set(self.model.embedding.inputs or ())

    def together(self, piece: Words | Grid, setting: Mapping[str, Fraction]) -> Sequence[Answers]:
        """The answers of the text on all inputs of a piece at once, in exact numbers."""
        from symcook.domains.axes import Axes
        from symcook.numbers.together import over, valued_together

        axes, model = Axes(piece), self.model
        columns = {name: Column(values) for name, values in self._columns(axes).items()}
        point = {name: column[1] for name, column in columns.items()} | dict(setting) if model.pointwise else {}
        known = {**self.symbols, **point, "n": len(next(iter(columns.values())).values)}
        stream = self._batched(piece, axes, setting if model.pointwise else self.symbols) if self.runs else {}

        def listed(values: Mapping[str, Any]) -> tuple[list[Any], Any]:
            """The different values of the text, and for each input the index of its value."""
            by_coordinate = (valued_together(self.tree, {**values, "k": k}) for k in self.outputs)
            return axes.listed(over(_gathered, *by_coordinate))

        tables = self.found(known, columns, stream, listed)
        return [([self._answer(row_values) for row_values in values], codes) for values, codes in tables]

    def _columns(self, axes: Axes) -> dict[str, list[Any]]:
        """The inputs of a piece as columns by position: "w", the numbers of the symbols, or the inputs of rows."""
        embedding, places = self.model.embedding, range(len(axes.choices))
        if embedding.inputs is not None:
            return {
                name: [axes.chosen(place, [row[name] for row in axes.choices[place]]) for place in places]
                for name in embedding.inputs
            }
        number = self.model.alphabet.index
        return {"w": [axes.chosen(place, [*map(number, axes.choices[place])]) for place in embedding.typed(places)]}

    def _batched(self, piece: Words | Grid, axes: Axes, point: Mapping[str, Exact]) -> dict[str, list[Any]]:
        """The final values of the coordinates that the text names, for all inputs of a piece, by position."""
        from symcook.domains.batch import Batch
        from symcook.forward import forward

        bound = self.model.bind({parameter.name: point[parameter.name] for parameter in self.model.parameters})
        stream = forward(bound, piece, Batch(), trace=True, weights=False).stream
        return {name: [axes.entries(cell) for cell in stream[name]] for name in self.runs}

    def _answers(self, given: object, domain: str) -> Any:
        """The answer of the text on one input, in the numbers of a domain; a list of answers for a readout at each
        position."""
        known, columns = self._input(given)
        stream = self._stream(given, domain) if self.runs else {}
        tolerance = None if domain == "exact" else NEAR

        def answer(values: Mapping[str, Any]) -> Any:
            """The answer where the names have these values."""
            return self._answer(
                [valued(self.tree, {**values, "k": k}, tolerance) for k in self.outputs], tolerance or 0
            )

        answers = self.found(known, columns, stream, answer)
        return answers if self.model.readout.each else answers[0]

    @property
    def runs(self) -> set[str]:
        """The coordinates of the residual stream that the text names; their final values need a run of the model."""
        return self._own.intersection(self.model.space.names)

    def found(
        self,
        known: Mapping[str, Any],
        columns: Mapping[str, Column],
        stream: Mapping[str, Sequence[Any]],
        answer: Callable[[Mapping[str, Any]], T],
    ) -> list[T]:
        """The answer at each position that the readout shows. `answer` is called with everything that has a value at
        the position: the names in `known`, the inputs (`columns`) and the final values of coordinates (`stream`)."""
        before, positions = len(self.model.embedding.ends[0]), known["n"] + self.model.embedding.added
        columns = {name: Column(values, 1 - before) for name, values in stream.items()} | dict(columns)
        known = {**known, **_DEFINED, **{f"{name}()": column for name, column in columns.items()}}

        def at(i: int) -> T:
            """The answer at position i."""
            own = {name: column[i] for name, column in columns.items() if i in column}
            return answer({**known, "i": i, **own})

        return [at(index + 1 - before) for index in self.model.readout.answered(positions)]

    def _input(self, given: Any) -> tuple[dict[str, Any], dict[str, Column]]:
        """The names with one value (n, and symbols), and the columns by position from 1: the numbers of a string's
        symbols, or the inputs of rows."""
        embedding = self.model.embedding
        point = dict(given) if isinstance(given, Mapping) else {}
        if embedding.inputs is None and not isinstance(given, Mapping):
            tokens = embedding.typed(self.model.tokens(given))
            columns = {"w": Column([self.model.alphabet.index(token) for token in tokens])}
            length = len(tokens)
        else:
            rows = [given] if isinstance(given, Mapping) else given
            columns = {name: Column([row[name] for row in rows]) for name in embedding.inputs or ()}
            length = len(rows)
        return {**self.symbols, **point, "n": length}, columns

    def _stream(self, given: object, domain: Any) -> dict[str, list[Any]]:
        """The final values of all coordinates on one input, by position."""
        inputs = self.model.embedding.inputs
        point = given if isinstance(given, Mapping) else self.symbols
        bound = self.model.bind({parameter.name: point[parameter.name] for parameter in self.model.parameters})
        model_input = {name: given[name] for name in inputs} if inputs and isinstance(given, Mapping) else given
        result = run(bound, model_input, domain, digits=DIGITS, trace=True).result
        places = result.everywhere
        return {name: [result.domain.read(column, place) for place in places] for name, column in result.stream.items()}

    @property
    def outputs(self) -> range:
        """The values of k for which the text is evaluated: 0 only, where the readout gives an answer or a label."""
        readout = self.model.readout
        return range(1 if readout.answers or readout.labels else len(readout.reads))

    def _answer(self, shown: Sequence[int | Fraction], near: Fraction | int = 0) -> Any:
        """The values `shown` of the text in the form in which a reference returns them. A value within `near` of the
        index of a label is that label."""
        readout = self.model.readout
        if len(shown) > 1:
            return dict(zip(readout.reads, shown, strict=True))
        (value,) = shown
        if isinstance(value, bool) and not self.model.decides:
            value = Fraction(value)
        if not readout.labelled:
            return value
        index = round(value)
        if abs(value - index) <= near and 0 <= index < prod(map(len, readout.parts)):
            return readout.label(index)
        return NoLabel.of(value)


def _gathered(*shown: Any) -> Any:
    """The values of several coordinates as a tuple."""
    return shown


def check_facts(
    name: str, max_length: int = LENGTH, values: Mapping[str, Exact] | None = None, most: int | None = None
) -> list[Check]:
    """Compare the texts `formula` and `computes` of the recipe `name`, with its default arguments, with its model.

    The formula is compared on all inputs up to `max_length` in the region of the recipe and within its error,
    `computes` everywhere and exactly; both within `NEAR` more where values are not rational. `computes` is left out
    where it is the same text and the region is everything. A feed-forward recipe is compared on its grid. With `most`,
    lengths go only as far as there are at most this many inputs, but to one length at least. `against` of each Check
    says which text it is about. Raises BadInput for a text that cannot be evaluated.
    """
    from symcook import recipes

    info, model = recipes.info(name), recipes.build(name)
    symbols: dict[str, Any] = {key: value for key, value in info.read({}).items() if isinstance(value, (int, Fraction))}
    if not model.pointwise:
        symbols |= {key: fraction(value) for key, value in model.values(values).items()}
    if info.score:
        symbols["score()"] = "j", parse_term(info.score)
    out = []
    # The formula holds in the recipe's region and within its error, `computes` everywhere and without an error.
    for kind, region, error in (("formula", info.region, recipes.error(name)), ("computes", "true", "0")):
        if kind == "computes" and info.computes == info.formula and info.region == "true":
            break  # evaluated already, everywhere
        stated = Stated(model, kind, info.text(kind, model.decides), symbols, "exact")
        # Numbers as inputs go through `check`; strings only of the lengths in the region.
        if model.pointwise or model.embedding.inputs is not None:
            length = None if model.pointwise else _length(model.bind(values), region, max_length, most)
            compare: Any = partial(check, model, max_length=length, values=values, region=region)
        else:
            lengths = _lengths(model, region, symbols, max_length, most)
            compare = partial(_of_words, model.bind(values), lengths=lengths, max_length=max_length)
        try:
            compared = compare(stated, **({} if error == "0" else {"error": error}))
        # Values that are not rational are compared in rigorous intervals, within NEAR.
        except NotExact:
            error = f"{error} + 1/{NEAR.denominator}"
            compared = compare(replace(stated, domain="ball"), domain="ball", error=error)
        out.append(replace(compared, against=f"its {kind}" if kind == "formula" else "its `computes`"))
    return out


def _length(model: Transformer, region: str, max_length: int, most: int | None) -> int:
    """The greatest length, up to `max_length`, to which there are at most `most` sequences of rows; at least 1."""
    inside = parse_formula(region)
    fit = (n for n in range(max_length, 1, -1) if most is None or rows(model, n, inside).total <= most)
    return next(fit, 1)


def _lengths(
    model: Transformer, region: str, symbols: Mapping[str, object], max_length: int, most: int | None
) -> list[int]:
    """The lengths in the region, up to `max_length`, as far as there are at most `most` strings of these lengths, but
    at least one length other than 0 if the region has one. The length 0 is included where the region has it and the
    empty string is an input of the model."""
    inside, lengths, total = parse_formula(region), list[int](), 0
    for n in range(model.embedding.shortest, max_length + 1):
        if not valued(inside, {**symbols, "n": n}, NEAR):
            continue
        total += len(model.alphabet) ** n if n else 0
        if most is not None and total > most and any(lengths):
            break
        lengths.append(n)
    return lengths


def _of_words(
    model: Transformer, stated: Stated, lengths: Sequence[int], max_length: int, domain: str = "exact", error: str = "0"
) -> Check:
    """As `check`, on all strings of `lengths`. Where `lengths` is empty, the result has no strings and the length
    `max_length`."""
    task = Comparison(model, stated, Numbers(domain), within=None if error == "0" else parse_term(error))
    start, last = time.perf_counter(), max(lengths, default=0) or max_length
    chunk_plan = plan(model, last)
    tally = task.compare(part for n in lengths if n for part in chunk_plan.parts(Chunk(n, n, ())))
    empty, empty_tally = task.empty_word() if 0 in lengths else (None, Tally())
    method = f"exhaustive, {task.numbers.text}: all strings of length {', '.join(map(str, lengths))}; {task.way(tally)}"
    answer = found([(task, tally + empty_tally)], model.name, last, method, time.perf_counter() - start, empty)
    return replace(answer, by_length=tuple(counted for counted in task.by_length(tally, last) if counted.n in lengths))


def check_recipe(
    name: str,
    max_length: int | None = None,
    arguments: Mapping[str, object] | None = None,
    values: Mapping[str, Exact] | None = None,
    *,
    progress: Progress | None = None,
    domain: str = "exact",
    digits: int = DIGITS,
    **sweep: Any,
) -> Check:
    """Build the recipe `name` with its `arguments` and check it against its own reference; `sweep` has further
    arguments of `check`.

    With the default arguments, exact numbers and all inputs, the texts of the recipe are evaluated too (`check_facts`).
    If one of them differs from the model or stays undecided, the result is that of this text.
    """
    from symcook import recipes

    arguments = dict(arguments or {})
    model, reference = referred(name, arguments, values)
    region = recipes.region(name, **arguments)
    how: Any = {"region": region, "progress": progress, "domain": domain, "digits": digits, **sweep}
    if (error := recipes.error(name, **arguments)) != "0":
        how |= {"error": error, "domain": "ball" if domain == "exact" else domain}
    model_check = check(model, reference, max_length, values=values, **how)
    # The texts of a recipe are about its default arguments, and need a model that agrees with its reference.
    info = recipes.info(name)
    if (
        not model_check.holds
        or model_check.inputs is not None
        or domain != "exact"
        or info.read(arguments) != info.read({})
    ):
        return model_check
    stated = check_facts(name, min(max_length or LENGTH, LENGTH), values, MOST)
    wrong = [fact_check for fact_check in stated if not fact_check.holds]
    return wrong[0] if wrong else replace(model_check, stated=stated[0].strings, stated_to=stated[0].max_length)
