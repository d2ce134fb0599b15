"""Comparison of a model with a reference on given inputs: where they differ, and where that is undecided."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, repeat
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.domains import RUNNABLE
from symcook.door import check_digits
from symcook.errors import BadInput, NoRun, NotExact, Undecided, require_known
from symcook.forward import Result, forward
from symcook.locks import PRECISION
from symcook.model.expr import Tree, show
from symcook.model.rationals import quotient, rational
from symcook.model.transformer import Transformer
from symcook.run import Run, run
from symcook.verify.answers import Answers, Expected, InputPart, NoLabel, Reference, input_text

if TYPE_CHECKING:
    from symcook.domains.batch import InputBlock
    from symcook.domains.cells import Array, Cell

DIGITS = 30
"""The default number of digits of intervals."""
AT_ONCE = 2**20
"""About how many numbers a block of a dense model computes in one batch of certified floats, all inputs together."""
TOLERANCE = {"float64": Fraction(1, 10**9), "float32": Fraction(1, 10**4), "float16": Fraction(1, 100)}
"""The tolerance for a value in floats, in units of max(1, |reference|); verdicts and labels must be equal."""


@dataclass(frozen=True)
class Numbers:
    """The number system in which a model is run, and its number of digits where it has one."""

    domain: str = "exact"
    digits: int = DIGITS

    def __post_init__(self) -> None:
        require_known("number system", self.domain, RUNNABLE)
        check_digits(self.digits)

    @property
    def options(self) -> tuple[str, ...]:
        """The options of ``symcook run`` that choose this number system."""
        chosen = () if self.domain == "exact" else ("--domain", self.domain)
        return chosen if self.digits == DIGITS else (*chosen, "--digits", str(self.digits))

    @property
    def text(self) -> str:
        """The numbers in words, and in floats what counts as equal."""
        if self.domain == "exact":
            return "exact"
        tolerance = TOLERANCE.get(self.domain)
        return f"in {self.domain} numbers" + (
            f" (values within {tolerance} * max(1, |reference|))" if tolerance else ""
        )


@dataclass(frozen=True)
class Counterexample:
    """An input on which model and reference differ: the first one in order of length and then of the alphabet; on a
    grid the first point; of random strings the first that differs."""

    input: str
    got: Any
    expected: Any
    replay: tuple[str, ...]
    """Options of ``symcook run NAME``, each before its value, that show the answer of the model. The user must add the
    arguments of a recipe, and the symbols of a model that reads strings or rows."""


Ranked = tuple[tuple[int, ...], Sequence[Any]]
"""(rank, input): inputs are ordered by length and then by the alphabet."""


@dataclass(frozen=True)
class Tally:
    """The counts of a comparison on some inputs. The tallies of two disjoint sets of inputs add up."""

    strings: int = 0
    """How many inputs were compared."""
    mismatches: int = 0
    """On how many of them model and reference differ."""
    open: int = 0
    """On how many of them that is undecided."""
    settled: int = 0
    """How many inputs were undecided in rigorous intervals and were then run in exact numbers."""
    batched: bool = True
    """Whether all inputs were run in batches."""
    first: Ranked | None = None
    """The smallest input on which model and reference differ."""
    first_open: Ranked | None = None
    """The smallest input on which that is undecided."""
    accepted: tuple[tuple[int, int], ...] = ()
    """(number of typed symbols, number of strings that the model accepts, if there are any); only for a model that
    accepts or rejects."""
    free: int = 0
    """On how many inputs any answer is right, since the reference answers None."""

    def __add__(self, other: Tally) -> Tally:
        """The tally of the inputs of both; they must have no input in common."""
        accepted = Counter(dict(self.accepted)) + Counter(dict(other.accepted))
        return Tally(
            strings=self.strings + other.strings,
            mismatches=self.mismatches + other.mismatches,
            open=self.open + other.open,
            settled=self.settled + other.settled,
            batched=self.batched and other.batched,
            first=_smaller(self.first, other.first),
            first_open=_smaller(self.first_open, other.first_open),
            accepted=tuple(sorted(accepted.items())),
            free=self.free + other.free,
        )


def _smaller(earlier: Ranked | None, later: Ranked | None) -> Ranked | None:
    """The smaller of two inputs; the earlier one where their ranks are equal, which is possible for rows only."""
    if earlier is None or later is None:
        return earlier or later
    return later if later[0] < earlier[0] else earlier


class LengthCount(NamedTuple):
    """The counts for all strings of one length."""

    n: int
    """The number of typed symbols."""
    strings: int
    """How many strings there are."""
    accepted: int | None
    """How many the model accepts; None where it decides nothing, or where a comparison of any length is undecided."""


Differing = tuple[list[int], list[int], int, int]
"""The findings on a piece of inputs: the indices of the inputs on which model and reference differ, ascending; those on
which that is undecided; how many inputs the model accepts; and on how many any answer is right."""
PartFindings = list[tuple[int, "InputBlock", Differing]]
"""(length, piece, findings) for each piece of a part."""


class Agreement(NamedTuple):
    """The result on one input. agrees: whether model and reference agree, None if undecided. accepts: whether the model
    accepts, None if it does not decide or is undecided."""

    agrees: bool | None
    accepts: bool | None = None


class Comparison:
    """A comparison of a model with a reference, part by part.

    setting: the values of the symbols on a grid, which the reference reads along with the inputs. within: the allowed
    error, an expression; None for equality. positions: which answers count, for messages; the given `reference` itself
    answers None at all others. `settled` and `batched` change while parts are compared.
    """

    def __init__(
        self,
        model: Transformer,
        reference: Reference,
        numbers: Numbers,
        setting: Mapping[str, Fraction] | None = None,
        within: Tree | None = None,
        positions: str | None = None,
    ) -> None:
        self.model, self.numbers, self.within, self.positions = model, numbers, within, positions
        self.setting = dict(setting or {})
        self.expected = Expected(model, reference, self.setting)
        self.batched = numbers.domain == "exact" and within is None
        self.settled = 0

    def by_length(self, tally: Tally, most: int) -> tuple[LengthCount, ...]:
        """The counts for each length from 1 to `most`, given the tally of all these strings."""
        letters, accepted = len(self.model.alphabet), dict(tally.accepted)
        counted = self.model.decides and not tally.open
        return tuple(LengthCount(n, letters**n, accepted.get(n, 0) if counted else None) for n in range(1, most + 1))

    @cached_property
    def everywhere(self) -> Transformer:
        """The model with a readout at each position, so that one run also gives the answers to all prefixes."""
        return replace(self.model, readout=replace(self.model.readout, position="each"))

    def way(self, tally: Tally) -> str:
        """How the model was run, in words."""
        if tally.batched and self.numbers.domain == "exact" and self.within is None:
            return "integer arithmetic in batches"
        if self.numbers.domain == "ball" and self.within is None and self.model.dense and self.model.readout.answers:
            first = "in float64 with certified errors, and where that leaves an answer open "
        else:
            first = ""
        settled = f", {tally.settled} undecided there, then decided exactly" if tally.settled else ""
        return f"{first}one by one in {self.numbers.domain} numbers{settled}"

    def compare(self, parts: Iterable[InputPart], tick: Callable[[int], None] | None = None) -> Tally:
        """The tally of all inputs of `parts`; `tick` is called after each part with the number of inputs so far."""
        tally, before = Tally(), self.settled
        for part in parts:
            tally += Tally(part.size, batched=self.batched)
            for length, piece, (wrong, unclear, yes, free) in self.part(part):
                first, first_open = self.ranked(piece, wrong), self.ranked(piece, unclear)
                accepted = ((length - self.model.embedding.added, yes),) if yes else ()
                block_tally = Tally(0, len(wrong), len(unclear), first=first, first_open=first_open, accepted=accepted)
                tally += replace(block_tally, free=free)
            if tick is not None:
                tick(tally.strings)
        return replace(tally, settled=self.settled - before, batched=tally.batched and self.batched)

    def part(self, part: InputPart) -> PartFindings:
        """The findings on a part: in one batch where that is possible, else input by input. The first part that no
        batch can run switches batches off."""
        if self.batched:
            try:
                return self.batch(part)
            except NotExact:
                self.batched = False
        return [(length, piece, self.singles(piece, length)) for length, piece in part.pieces]

    def ranked(self, piece: InputBlock, codes: list[int]) -> Ranked | None:
        """The first of the inputs with the indices `codes`, with its rank; None where there are none."""
        from symcook.domains.batch import nth

        return self.rank(nth(piece, codes[0])) if codes else None

    def rank(self, sequence: Sequence[Any]) -> Ranked:
        """An input with its rank. Rows are ranked by their length only."""
        if self.model.embedding.inputs is not None:
            return (len(sequence),), sequence
        letters = self.model.embedding.typed(sequence)
        return (len(sequence), *map(self.model.alphabet.index, letters)), sequence

    def batch(self, part: InputPart) -> PartFindings:
        """The findings on a part, by one forward pass over all of its inputs."""
        from symcook.domains.batch import Batch

        result = forward(self.everywhere if part.lengths else self.model, part.block, Batch())
        answers = self.expected.pieces(part)
        return [
            (length, piece, self.differences(piece, length, result, asked))
            for (length, piece), asked in zip(part.pieces, answers, strict=True)
        ]

    def differences(self, piece: InputBlock, length: int, result: Result, answers: list[Answers]) -> Differing:
        """The findings on inputs of one length; `result` may have the runs of longer ones, too."""
        import numpy as np

        domain: Any = result.domain
        readout, verdicts = self.model.readout, (result.verdicts or ())[:length]
        verdicts_read = verdicts if readout.each else [readout.verdict(domain, verdicts)] if verdicts else ()
        wrong, free, yes = np.zeros(piece.size, dtype=bool), np.ones(piece.size, dtype=bool), 0
        width = len(result.columns())
        for place, (known, codes) in enumerate(answers):
            # Inputs for which the reference answers None count neither as right nor as wrong.
            asked = np.array([answer is not None for answer in known], dtype=bool)[codes]
            free &= ~asked
            # Verdicts or labels are compared at once, numbers column by column.
            if verdicts_read:
                full = domain.full(verdicts_read[place], length)
                wrong |= (full != np.array([answer or 0 for answer in known])[codes]) & asked
                # Of several positions, the last one counts.
                yes = int(np.count_nonzero(full)) if self.model.decides else 0
                continue
            numbers = [(Fraction(0),) * width if answer is None else answer for answer in known]
            for column, values in zip(result.columns().values(), zip(*numbers, strict=True), strict=True):
                cell = column[:length][place if readout.each else readout.place]
                wrong |= _unequal(domain.full(cell.numerators, length), cell, values, codes) & asked
        return np.flatnonzero(wrong).tolist(), [], yes, int(np.count_nonzero(free))

    def singles(self, piece: InputBlock, length: int) -> Differing:
        """The findings on a piece, one input after the other. A dense model in balls is first run on many inputs in
        floats with certified errors; inputs that this leaves undecided are run in balls."""
        wrong, unclear, yes, free = [], [], 0, 0
        asked, certified_answers = self.expected.block(piece, length), self.certified(piece, length)
        for code, (sequence, own_answers) in enumerate(zip(piece, certified_answers, strict=False)):
            answers = [wanted[codes[code]] for wanted, codes in asked]
            free += not any(answer is not None for answer in answers)
            # Certified floats where they decide, else the input's own run.
            agrees, accepts = self.known(own_answers, answers) or self.agreement(sequence, answers)
            if agrees is None:
                unclear.append(code)
                continue
            yes += accepts is True
            if not agrees:
                wrong.append(code)
        return wrong, unclear, yes, free

    def certified(self, piece: InputBlock, length: int) -> Iterator[Sequence[int]]:
        """For each input the answers of the model in floats with certified errors: verdicts or labels, -1 where one is
        undecided; () where this is not tried or gives no answers."""
        if self.numbers.domain != "ball" or self.within is not None or not self.model.dense:
            return repeat(())
        return self._certified(piece, length * self.model.widest)

    def _certified(self, piece: InputBlock, size: int) -> Iterator[Sequence[int]]:
        """See `certified`. Inputs are run together such that a block has at most AT_ONCE numbers."""
        from symcook.domains.batch import Listed
        from symcook.domains.radii import Radii

        inputs: Iterator[Any] = iter(piece)
        while block := tuple(islice(inputs, max(1, AT_ONCE // size))):
            answer_columns: list[Any] = []
            system: Any = Radii()
            with contextlib.suppress(NotExact):
                answer_columns = forward(self.model, Listed(block), system).answers
            yield from (
                zip(*(column.tolist() for column in answer_columns), strict=True)
                if answer_columns
                else repeat((), len(block))
            )

    def known(self, found: Sequence[int], answers: Sequence[Any]) -> Agreement | None:
        """The agreement of the certified answers `found` with those of the reference; None where one of them is
        undecided."""
        if not found or -1 in found:
            return None
        agrees = all(answer is None or value == answer for value, answer in zip(found, answers, strict=True))
        return Agreement(agrees, bool(found[-1]) if self.model.decides else None)

    def run(self, sequence: Sequence[object], domain: Any) -> Run:
        """The run of one input in a number system, as ``symcook run`` does it."""
        typed_input = sequence if self.model.embedding.inputs is not None else self.model.embedding.typed(sequence)
        try:
            return run(self.model, typed_input, domain, digits=self.numbers.digits)
        except NotExact:
            raise
        except BadInput as error:  # an overflow, or a norm of zero variance: say where
            if isinstance(error, NoRun) and self.model.embedding.inputs is None:
                raise
            where = f" on {self.text(sequence) or 'the empty string'}"
            raise BadInput(error.must, f"{'' if error.given is None else error.given}{where}", error.do) from error

    def agree(self, sequence: Sequence[object]) -> bool | None:
        """Whether model and reference agree on one input; None where that stays open."""
        return self.agreement(sequence, self.expected.ask(sequence)).agrees

    def agreement(self, sequence: Sequence[object], answers: object) -> Agreement:
        """Whether model and reference agree on one input, given the answers of the reference. Counts in `settled` the
        inputs that intervals left undecided and that were then run in exact numbers."""
        agreed, domain = self.decide(sequence, answers)
        self.settled += domain != self.numbers.domain
        return agreed

    def decide(self, sequence: Sequence[object], answers: object) -> tuple[Agreement, str]:
        """Whether model and reference agree on one input, and the number system of this result: that of the comparison,
        or exact numbers where rigorous intervals leave it undecided and the model can be run in exact numbers."""
        domain = self.numbers.domain
        agreed = self.compared(sequence, answers, domain)
        # A value exactly on its threshold is undecided in intervals of any precision.
        if agreed.agrees is None and domain == "ball":
            with contextlib.suppress(NotExact):
                return self.compared(sequence, answers, "exact"), "exact"
        return agreed, domain

    def compared(self, sequence: Sequence[object], answers: Any, domain: str) -> Agreement:
        """Whether model and reference agree on one input, in one number system."""
        try:
            result = self.run(sequence, domain).result
        except Undecided:
            return Agreement(None)
        if result.answers:
            pairs = zip(result.answers, answers, strict=True)
            verdicts = [True if a is None else None if v is None else v == a for v, a in pairs]
        else:
            error = self.error(sequence)
            values = result.bounded or result  # with rounding errors enclosed, so that equality may be undecided
            verdicts = [
                self.equal(values, column, place, value, error)
                for place, answer in zip(result.answered, answers, strict=True)
                if answer is not None
                for column, value in zip(values.columns().values(), answer, strict=True)
            ]
        return Agreement(False if False in verdicts else None if None in verdicts else True, result.accept)

    def error(self, sequence: Sequence[Any]) -> Fraction | None:
        """How much a value may differ from that of the reference at one point; None where it must be equal."""
        if self.within is None:
            return None
        error = rational(self.within, dict(sequence[0]) | self.setting if self.model.pointwise else self.setting)
        if error < 0:
            raise BadInput(
                "the error that is allowed must not be negative",
                f"{show(self.within)} = {quotient(error)}",
                "give an allowed error that is 0 or greater at every input",
            )
        return error

    def equal(
        self, result: Result, column: object, place: int, value: Fraction, error: Fraction | None = None
    ) -> bool | None:
        """Whether the entry of a column is `value`, or within `error` of it, or in floats within the tolerance plus
        `error`; None where this is undecided."""
        domain = result.domain
        tolerance = TOLERANCE.get(self.numbers.domain)
        with PRECISION, domain.context():
            # Exact numbers or intervals: within an error, or equal. Floats: within the tolerance plus the error.
            if tolerance is None and error is not None:
                over = domain.positive(domain.linear([(column, 1)], -value - error))[place]
                under = domain.positive(domain.linear([(column, -1)], value - error))[place]
                return False if over or under else None if None in (over, under) else True
            if tolerance is None:
                return domain.zero(domain.linear([(column, 1)], -value))[place]
            number = domain.read(column, place)
            if number - number != 0:  # nan or an infinity
                return False
            return abs(Fraction(number) - value) <= tolerance * max(1, abs(value)) + (error or 0)

    def empty_word(self) -> tuple[str, Tally]:
        """The result on the empty string ("agrees", "differs" or "open"), and its tally, whose counts leave it out."""
        sequence = self.model.embedding.surround(())
        answers = self.expected.ask(sequence)
        before, verdict = self.settled, self.agreement(sequence, answers).agrees
        free = not any(answer is not None for answer in answers)
        tally = Tally(settled=self.settled - before, free=int(free))
        if verdict is None:
            return "open", replace(tally, first_open=self.rank(sequence))
        return ("agrees", tally) if verdict else ("differs", replace(tally, first=self.rank(sequence)))

    def text(self, sequence: Sequence[Any]) -> str:
        """An input as a user writes it, with the setting of a grid."""
        if self.model.embedding.inputs is None:
            return self.model.embedding.written(self.model.embedding.typed(sequence))
        return input_text(dict(sequence[0]) | self.setting if self.model.pointwise else sequence)

    def replay(self, sequence: Sequence[Any]) -> tuple[str, ...]:
        """The options of ``symcook run`` that give this input."""
        if self.model.embedding.inputs is None:
            options = ("--input" if self.model.embedding.spelled else "--tokens", self.text(sequence))
        elif self.model.pointwise:
            point = dict(sequence[0]) | self.setting
            options = tuple(part for name, v in point.items() for part in ("--set", f"{name}={quotient(v)}"))
        else:
            options = ("--rows", "; ".join(",".join(map(quotient, row.values())) for row in sequence))
        return options

    def counterexample(self, sequence: Sequence[Any]) -> Counterexample:
        """What model and reference say about an input on which they differ, and how to see it again."""
        answers = self.expected.ask(sequence)
        # The input is run in the number system that found the difference, so that a replay shows it.
        numbers = replace(self.numbers, domain=self.decide(sequence, answers)[1])
        answer = self.run(sequence, numbers.domain)
        result, readout = answer.result, self.model.readout
        own_answers: list[Any]
        expected: list[Any]
        if result.answers:
            kind: Any = bool if self.model.decides else readout.label
            own_answers = [None if v is None else kind(v) for v in result.answers]
            expected = [a.said if isinstance(a, NoLabel) else a if a is None else kind(a) for a in answers]
        else:
            names = list(result.columns())
            own_answers = [answer.shown(place) for place in result.answered]
            expected = [row and dict(zip(names, map(quotient, row), strict=True)) for row in answers]
        own_answer, wanted = (own_answers, expected) if readout.each else (own_answers[0], expected[0])
        return Counterexample(self.text(sequence), own_answer, wanted, (*self.replay(sequence), *numbers.options))


def _unequal(numerators: Array, cell: Cell, values: Sequence[Fraction], codes: Array) -> Array:
    """For each entry, whether numerator/denominator of the cell differs from values[codes].

    Each value is converted to a numerator over the denominator of the cell. A value without such a numerator within the
    bound of the cell differs from every entry. Numerators of type object, as after softmax, are exact numbers of any
    kind, so no conversion is needed.
    """
    import numpy as np

    if numerators.dtype == object:
        return numerators != np.array([value * cell.denominator for value in values], dtype=object)[codes]
    wanted, held_exactly = [], []
    for value in values:
        factor, remainder = divmod(cell.denominator, value.denominator)
        numerator = factor * value.numerator
        held_exactly.append(remainder == 0 and abs(numerator) <= cell.bound)
        wanted.append(numerator if held_exactly[-1] else 0)
    different = numerators != np.array(wanted, dtype=numerators.dtype)[codes]
    return different if all(held_exactly) else different | ~np.array(held_exactly)[codes]
