"""Comparison of a model with a reference that shares no code with it.

A word model meets every word of every length up to N, and the empty word where the model takes it; a recipe over rows
meets every sequence over a stated set of rows; a feed-forward recipe meets a stated rational grid
(`symcook.verify.grid`). Nothing is sampled. Without a named domain nothing is rounded either: the batch domain does the
work, and a model that it cannot hold (softmax) runs input by input in the exact domain. In another domain every input
runs by itself. Where balls leave an answer open, as they must where a value lies on its threshold, the exact domain is
asked; what neither decides is counted as open, never as right or wrong.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from symcook.domains import RUNNABLE
from symcook.door import door
from symcook.errors import BadInput, NoRun, NotExact, Undecided, require_known
from symcook.forward import Result, forward
from symcook.model.answers import Shown
from symcook.model.expr import Tree, parse_term
from symcook.model.rationals import quotient, rational
from symcook.model.symbols import Exact, fraction
from symcook.model.transformer import Transformer
from symcook.run import Run, run
from symcook.verify.answers import Expected, InputPart, Reference, input_text, region_tree, rows, words

if TYPE_CHECKING:
    from symcook.domains.batch import Grid, Words
    from symcook.domains.cells import Array, Cell

MAX_LENGTH = 1_000_000
DIGITS = 30
TOLERANCE = {"float64": Fraction(1, 10**9), "float32": Fraction(1, 10**4), "float16": Fraction(1, 100)}
"""How far a value in floats may lie from the reference's, times max(1, |reference|); answers must be equal."""

Progress = Callable[[int, int], None]
"""Called after each block with the number of inputs done and the number in all."""


@dataclass(frozen=True)
class Numbers:
    """In which numbers a model is run, and to how many digits where the domain takes them."""

    domain: str = "exact"
    digits: int = DIGITS

    def __post_init__(self) -> None:
        from symcook.numbers.balls import check_digits

        require_known("domain", self.domain, RUNNABLE)
        check_digits(self.digits)

    @property
    def options(self) -> tuple[str, ...]:
        """The options of ``symcook run`` that choose them."""
        chosen = () if self.domain == "exact" else ("--domain", self.domain)
        return chosen if self.digits == DIGITS else (*chosen, "--digits", str(self.digits))

    @property
    def text(self) -> str:
        """The numbers in words, and in floats what counts as equal."""
        if self.domain == "exact":
            return "exact"
        near = TOLERANCE.get(self.domain)
        return f"in {self.domain} numbers" + (f" (values within {near} * max(1, |reference|))" if near else "")


@dataclass(frozen=True)
class Counterexample:
    """The first input, in order of length and then of the alphabet, on which model and reference differ."""

    input: str
    got: Any
    expected: Any
    replay: tuple[str, ...]
    """Options of ``symcook run NAME``, each before its value, that show what the model says. The arguments of a recipe
    and the symbols of a model that reads words or rows come from the user."""


@dataclass(frozen=True, repr=False)
class Check(Shown):
    """What a check found. `strings` counts the inputs of length 1 and more that were compared, `mismatches` those that
    differ, `open` those whose answer the domain leaves open.

    The empty word is counted in none of them: `empty_word` says how it came out, "agrees", "differs" or "open"; None
    where it is no input of the model. It can be the counterexample (input "").
    """

    REPORT = "check"

    recipe: str
    max_length: int | None
    strings: int
    mismatches: int
    counterexample: Counterexample | None
    method: str
    seconds: float
    domain: str = "exact"
    open: int = 0
    first_open: str | None = None
    empty_word: str | None = None
    against: str = "its reference"
    stated: int = 0
    """On how many inputs the recipe's `formula` and `computes` were evaluated too, where these agree."""

    @property
    def differs(self) -> bool:
        """Whether model and reference differ on an input."""
        return self.mismatches > 0 or self.empty_word == "differs"

    @property
    def undecided(self) -> bool:
        """Whether the answer to an input stayed open."""
        return self.open > 0 or self.empty_word == "open"

    @property
    def holds(self) -> bool:
        """Whether model and reference agree on everything that was compared."""
        return not self.differs and not self.undecided

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook check --json``."""
        first = self.counterexample
        return {
            "recipe": self.recipe,
            "max_length": self.max_length,
            "strings": self.strings,
            "mismatches": self.mismatches,
            "counterexample": None if first is None else first.input,
            "method": self.method,
            "domain": self.domain,
            "open": self.open,
            "first_open": self.first_open,
            "empty_word": self.empty_word,
            "against": self.against,
            "stated": self.stated,
            "got": None if first is None else first.got,
            "expected": None if first is None else first.expected,
        }


@door(reference="give a function of an input; that of a recipe is recipes.reference(NAME)")
def check(
    model: Transformer,
    reference: Reference,
    max_length: int | None = None,
    *,
    values: Mapping[str, Exact] | None = None,
    region: str | Tree | None = None,
    progress: Progress | None = None,
    domain: str = "exact",
    digits: int = DIGITS,
    error: str | None = None,
) -> Check:
    """Compare `model` with `reference` on every input up to `max_length`, exactly unless another `domain` is named.

    `values` sets declared symbols. A feed-forward recipe takes no length and is compared on the grid of
    `symcook.verify.grid`. `region` is a formula (text or tree) over inputs, symbols and n in which model and reference
    should agree; it restricts the inputs of both kinds of model over numbers. `digits` is for ball and mpmath. In
    floats a value may lie `TOLERANCE` away from the reference's. `error` is a number, or for a feed-forward recipe
    a term over inputs and symbols, by which a value may differ from the reference's in every domain.

    Raises BadInput for a length below 1 or above the model's, for more than LIMIT inputs, and for a reference that
    fails or returns something of the wrong type; NotExact where the exact domain has no value.
    """
    numbers = Numbers(domain, digits)
    if model.pointwise:
        if max_length is not None:
            raise BadInput("a feed-forward recipe is checked on a grid and has no length", max_length, "leave it out")
        from symcook.verify.grid import check_grid

        within = None if error is None else parse_term(error)
        return check_grid(model, reference, region, values=values, progress=progress, numbers=numbers, within=within)
    if isinstance(max_length, bool) or not isinstance(max_length, int) or not 1 <= max_length <= MAX_LENGTH:
        must = f"the greatest length must be an integer from 1 to {MAX_LENGTH}"
        raise BadInput(must, max_length, "give --max-length N")
    model.check_length(max_length + model.embedding.added)
    bound = model.bind(values)
    start = time.perf_counter()
    task = Comparison(bound, reference, numbers, within=None if error is None else parse_term(error))
    if bound.embedding.inputs is None:
        source: Any = words(bound, max_length)
        what = f"exhaustive, {numbers.text}: all words of length 1 to {max_length}"
        if bound.embedding.added:
            what = f"{what}, and the empty word"
            task.empty_word()
    else:
        source = rows(bound, max_length, region_tree(region))
        what = f"{numbers.text}, {source.text}"
    task.compare(source.parts(), source.total, progress)
    return found([task], model.name, max_length, f"{what}; {task.way}", time.perf_counter() - start)


class Comparison:
    """A comparison part by part, and what it has found so far. `setting` are the values of a grid's symbols, which a
    reference for it sees beside the inputs."""

    def __init__(
        self,
        model: Transformer,
        reference: Reference,
        numbers: Numbers,
        setting: Mapping[str, Fraction] | None = None,
        within: Tree | None = None,
    ) -> None:
        self.model, self.numbers, self.within = model, numbers, within
        self.setting = dict(setting or {})
        self.expected = Expected(model, reference, self.setting)
        self.strings = self.mismatches = self.open = 0
        self.first: tuple[tuple[int, ...], Sequence[Any]] | None = None
        self.first_open: tuple[tuple[int, ...], Sequence[Any]] | None = None
        self.empty: str | None = None
        self.settled = 0
        """How many answers the exact domain gave where balls left them open."""
        self.batched = numbers.domain == "exact" and within is None

    @cached_property
    def everywhere(self) -> Transformer:
        """The model with a readout at each position, where the runs of shorter words end."""
        return replace(self.model, readout=replace(self.model.readout, position="each"))

    @property
    def way(self) -> str:
        """How the model was run, in words."""
        if self.batched:
            return "batches of integers over static denominators"
        settled = f", {self.settled} left open there settled exactly" if self.settled else ""
        return f"one by one in the {self.numbers.domain} domain{settled}"

    def compare(self, parts: Iterable[InputPart], total: int, progress: Progress | None, done: int = 0) -> None:
        """Compare all inputs of `parts`; `done` of `total` came before them."""
        for part in parts:
            self.strings += part.size
            for piece, wrong, unclear in self.part(part):
                self.mismatches += len(wrong)
                self.open += len(unclear)
                self.first = self.smallest(self.first, piece, wrong)
                self.first_open = self.smallest(self.first_open, piece, unclear)
            if progress is not None:
                progress(done + self.strings, total)

    def part(self, part: InputPart) -> Found:
        """Where model and reference differ, and where that is open."""
        if self.batched:
            try:
                return self.batch(part)
            except NotExact:
                self.batched = False
        return [(piece, *self.singles(piece)) for _, piece in part.pieces]

    def smallest(self, known: tuple[tuple[int, ...], object] | None, piece: Words | Grid, codes: list[int]) -> Any:
        """The smaller of the input that is known and the first of `codes`, with its rank."""
        from symcook.domains.batch import nth

        if not codes:
            return known
        sequence = nth(piece, codes[0])
        rank = _rank(self.model, sequence)
        return (rank, sequence) if known is None or rank < known[0] else known

    def batch(self, part: InputPart) -> Found:
        """One pass over all inputs of a part, and its answers compared piece by piece."""
        from symcook.domains.batch import Batch

        result = forward(self.everywhere if part.lengths else self.model, part.block, Batch())
        return [(piece, self.differences(piece, length, result), []) for length, piece in part.pieces]

    def differences(self, piece: Words | Grid, length: int, result: Result) -> list[int]:
        """Where the answers for inputs of one length differ; `result` may go on to longer ones."""
        import numpy as np

        domain: Any = result.domain
        readout, verdicts = self.model.readout, (result.verdicts or ())[:length]
        got = verdicts if readout.each else [readout.verdict(domain, verdicts)] if verdicts else ()
        wrong = np.zeros(piece.size, dtype=bool)
        for place, (answers, codes) in enumerate(self.expected.block(piece, length)):
            if got:
                wrong |= domain.full(got[place], length) != np.array(answers)[codes]
                continue
            for column, values in zip(result.columns().values(), zip(*answers, strict=True), strict=True):
                cell = column[:length][place if readout.each else readout.place]
                wrong |= _unequal(domain.full(cell.numerators, length), cell, values, codes)
        return np.flatnonzero(wrong).tolist()

    def singles(self, piece: Words | Grid) -> tuple[list[int], list[int]]:
        """The same one input after the other: where they differ, and where that is open."""
        wrong, unclear = [], []
        for code, sequence in enumerate(piece):
            verdict = self.agree(sequence)
            if verdict is None:
                unclear.append(code)
            elif not verdict:
                wrong.append(code)
        return wrong, unclear

    def run(self, sequence: Sequence[object], domain: str) -> Run:
        """One input in the numbers of a domain, as ``symcook run`` runs it."""
        given = sequence if self.model.embedding.inputs is not None else self.model.embedding.typed(sequence)
        try:
            return run(self.model, given, domain, digits=self.numbers.digits)
        except NotExact:
            raise
        except BadInput as error:  # an overflow, or a norm of zero variance: say where
            if isinstance(error, NoRun) and self.model.embedding.inputs is None:
                raise
            where = f" on {self.text(sequence) or 'the empty word'}"
            raise BadInput(error.must, f"{'' if error.given is None else error.given}{where}", error.do) from error

    def agree(self, sequence: Sequence[object]) -> bool | None:
        """Whether model and reference agree on one input; None where that stays open."""
        found, domain = self.decide(sequence, self.expected.ask(sequence))
        self.settled += domain != self.numbers.domain
        return found

    def decide(self, sequence: Sequence[object], answers: object) -> tuple[bool | None, str]:
        """The same, given the reference's answers, and the domain that says so."""
        domain = self.numbers.domain
        found = self.compared(sequence, answers, domain)
        if found is None and domain == "ball":
            with contextlib.suppress(NotExact):
                return self.compared(sequence, answers, "exact"), "exact"
        return found, domain

    def compared(self, sequence: Sequence[object], answers: Any, domain: str) -> bool | None:
        """The same in the numbers of one domain."""
        try:
            result = self.run(sequence, domain).result
        except Undecided:
            return None
        if result.answers:
            verdicts = [None if v is None else v == a for v, a in zip(result.answers, answers, strict=True)]
        else:
            error = self.error(sequence)
            values = result.bounded or result  # what rounding may make of a value leaves open whether it is equal
            verdicts = [
                self.equal(values, column, place, value, error)
                for place, answer in zip(result.answered, answers, strict=True)
                for column, value in zip(values.columns().values(), answer, strict=True)
            ]
        return False if False in verdicts else None if None in verdicts else True

    def error(self, sequence: Sequence[Any]) -> Fraction | None:
        """By how much a value may differ from the reference's at one point; None where it must be equal."""
        if self.within is None:
            return None
        return rational(self.within, dict(sequence[0]) | self.setting if self.model.pointwise else self.setting)

    def equal(
        self, result: Result, column: object, place: int, value: Fraction, error: Fraction | None = None
    ) -> bool | None:
        """Whether the entry of a column is the reference's value, or within `error` of it; in floats, near enough."""
        domain = result.domain
        near = TOLERANCE.get(self.numbers.domain)
        with domain.context():
            if near is None and error is not None:
                over = domain.positive(domain.linear([(column, 1)], -value - error))[place]
                under = domain.positive(domain.linear([(column, -1)], value - error))[place]
                return False if over or under else None if None in (over, under) else True
            if near is None:
                return domain.zero(domain.linear([(column, 1)], -value))[place]
            got = domain.read(column, place)
            if got - got != 0:  # nan or an infinity
                return False
            return abs(Fraction(got) - value) <= near * max(1, abs(value)) + (error or 0)

    def empty_word(self) -> None:
        """Compare the empty word, which is counted by itself."""
        sequence = self.model.embedding.surround(())
        verdict = self.agree(sequence)
        self.empty = {True: "agrees", False: "differs", None: "open"}[verdict]
        if verdict is False:
            self.first = _rank(self.model, sequence), sequence
        elif verdict is None:
            self.first_open = _rank(self.model, sequence), sequence

    def text(self, sequence: Sequence[Any]) -> str:
        """An input as a user writes it, with the setting of a grid."""
        if self.model.embedding.inputs is None:
            return self.model.embedding.written(self.model.embedding.typed(sequence))
        return input_text(dict(sequence[0]) | self.setting if self.model.pointwise else sequence)

    def replay(self, sequence: Sequence[Any]) -> tuple[str, ...]:
        """The options of ``symcook run`` that give this input."""
        if self.model.embedding.inputs is None:
            given = ("--input" if self.model.embedding.spelled else "--tokens", self.text(sequence))
        elif self.model.pointwise:
            point = dict(sequence[0]) | self.setting
            given = tuple(part for name, v in point.items() for part in ("--set", f"{name}={quotient(v)}"))
        else:
            given = ("--rows", "; ".join(",".join(map(quotient, row.values())) for row in sequence))
        return given

    def counterexample(self) -> Counterexample | None:
        """What model and reference say about the smallest input on which they differ, and how to see it again."""
        if self.first is None:
            return None
        sequence = self.first[1]
        answers = self.expected.ask(sequence)
        numbers = replace(self.numbers, domain=self.decide(sequence, answers)[1])
        answer = self.run(sequence, numbers.domain)
        result, readout = answer.result, self.model.readout
        got: list[Any]
        expected: list[Any]
        if result.answers:
            kind: Any = bool if self.model.decides else readout.labels.__getitem__
            got = [None if v is None else kind(v) for v in result.answers]
            expected = [kind(a) for a in answers]
        else:
            names = list(result.columns())
            got = [answer.shown(place) for place in result.answered]
            expected = [dict(zip(names, map(quotient, row), strict=True)) for row in answers]
        shown, wanted = (got, expected) if readout.each else (got[0], expected[0])
        return Counterexample(self.text(sequence), shown, wanted, (*self.replay(sequence), *numbers.options))


def found(tasks: Sequence[Comparison], name: str, max_length: int | None, method: str, seconds: float) -> Check:
    """What comparisons of a model found together: one, or on a grid one for each setting of the symbols."""
    wrong = [task for task in tasks if task.first is not None]
    unclear = [(task, task.first_open[1]) for task in tasks if task.first_open is not None]
    return Check(
        name,
        max_length,
        sum(task.strings for task in tasks),
        sum(task.mismatches for task in tasks),
        wrong[0].counterexample() if wrong else None,
        method,
        seconds,
        tasks[0].numbers.domain,
        sum(task.open for task in tasks),
        unclear[0][0].text(unclear[0][1]) if unclear else None,
        tasks[0].empty,
    )


def _unequal(numerators: Array, cell: Cell, values: Sequence[Fraction], codes: Array) -> Array:
    """Where `numerators` over the cell's denominator are not values[codes]. The values become numerators over that
    denominator; one that has none within the cell's bound is none of the cell's. Numerators that are objects, as behind
    softmax, are exact numbers of any kind, fractions too."""
    import numpy as np

    if numerators.dtype == object:
        return numerators != np.array([value * cell.denominator for value in values], dtype=object)[codes]
    wanted, held = [], []
    for value in values:
        factor, rest = divmod(cell.denominator, value.denominator)
        numerator = factor * value.numerator
        held.append(rest == 0 and abs(numerator) <= cell.bound)
        wanted.append(numerator if held[-1] else 0)
    different = numerators != np.array(wanted, dtype=numerators.dtype)[codes]
    return different if all(held) else different | ~np.array(held)[codes]


def _rank(model: Transformer, sequence: Sequence[object]) -> tuple[int, ...]:
    """Order by length and then by the alphabet; rows of one length come in their order anyway."""
    if model.embedding.inputs is not None:
        return (len(sequence),)
    return len(sequence), *(model.alphabet.index(token) for token in model.embedding.typed(sequence))


Found = list[tuple["Words | Grid", list[int], list[int]]]
"""For each piece of a part the numbers of the inputs on which model and reference differ, and of those on which that is
open, ascending."""


def recheck(stored: Mapping[str, Any], progress: Progress | None = None) -> bool:
    """Run the check that a certificate names again: whether it finds no mismatch on the same number of inputs.

    `stored` has "recipe", "max_length" and "strings", and where needed "arguments" (of the recipe) and "values" (of its
    symbols). Raises BadInput where an entry is missing or of the wrong type.
    """
    for key, kind in (("recipe", str), ("strings", int)):
        if not isinstance(stored.get(key), kind):
            raise BadInput(f"a stored check must have the entry {key}", stored.get(key))
    found = check_recipe(
        stored["recipe"], stored.get("max_length"), stored.get("arguments"), stored.get("values"), progress=progress
    )
    return found.holds and found.strings == stored["strings"]


def check_recipe(
    name: str,
    max_length: int | None = None,
    arguments: Mapping[str, object] | None = None,
    values: Mapping[str, Exact] | None = None,
    *,
    progress: Progress | None = None,
    domain: str = "exact",
    digits: int = DIGITS,
) -> Check:
    """Build the recipe `name` with its `arguments` and check it against its own reference; see `check`.

    With the default arguments, in exact numbers, what the recipe says of itself is evaluated too (`verify.grid`):
    where that differs from the model, the answer is about it.
    """
    from symcook import recipes

    arguments = dict(arguments or {})
    model = recipes.build(name, **arguments)
    reference: Reference
    if model.pointwise:
        inputs = model.embedding.inputs or ()
        made: dict[tuple[Fraction, ...], Reference] = {}

        def at_point(point: Mapping[str, Fraction]) -> Any:
            symbols = {key: value for key, value in point.items() if key not in inputs}
            key = tuple(symbols.values())
            if key not in made:
                made[key] = recipes.reference(name, arguments, symbols)
            return made[key]({key: point[key] for key in inputs})

        reference = at_point
    else:
        numbers = {key: fraction(value) for key, value in model.values(values).items()}
        reference = recipes.reference(name, arguments, numbers)
    region = recipes.region(name, **arguments)
    how: Any = {"region": region, "progress": progress, "domain": domain, "digits": digits}
    if (error := recipes.error(name, **arguments)) != "0":
        how |= {"error": error, "domain": "ball" if domain == "exact" else domain}
    found = check(model, reference, max_length, values=values, **how)
    info = recipes.info(name)
    if not found.holds or domain != "exact" or info.read(arguments) != info.read({}):
        return found
    from symcook.verify.grid import LENGTH, MOST, check_facts

    stated = check_facts(name, min(max_length or LENGTH, LENGTH), values, MOST)
    wrong = [one for one in stated if not one.holds]
    return wrong[0] if wrong else replace(found, stated=stated[0].strings)
