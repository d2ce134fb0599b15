"""The answers of a reference: checked for their type, and computed for all inputs of a block at once.

A function is called once for each input; some references answer for a whole block at once (`Expected.block`). A fold is
asked for each state that occurs, not for each string: states are numbered, and a block of strings moves from one
position to the next by one look-up in a table of the steps known so far. Each question to a fold is asked twice, to
notice a fold that answers differently.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.alarm import raise_real
from symcook.errors import BadInput, SymcookError
from symcook.model.expr import Tree, names, parse_formula, show
from symcook.model.meaning import conjuncts
from symcook.model.rationals import quotient, truth
from symcook.model.symbols import fraction
from symcook.model.transformer import Transformer
from symcook.spec.fold import Fold, exact, require_steady, same
from symcook.spec.logic import Looking
from symcook.spec.srasp import Interpreted

if TYPE_CHECKING:
    from symcook.domains.batch import Grid, InputBlock, Words
    from symcook.domains.cells import Array


Reference = Callable[[Any], Any]
"""A function that gives the right answer to an input, by the kind of model:

- for a model of strings, a string (a tuple where tokens are longer than one character) to a bool, a label or numbers,
  to a list with an answer for each position, or to None where any answer is right;
- for a model of rows, ({input: Fraction}, ...) to a number or a list;
- for a feed-forward recipe, {input or symbol: Fraction} to {coordinate: Fraction}.

A `Fold` over strings is asked for states, not for strings (`_States`), if it answers at the same positions as the
model."""
Answers = tuple[list[Any], "Array"]
"""The different answers at one position, and for each input the index of its answer among them."""


class AskedTogether:
    """A reference that can answer for all inputs of a block at once."""

    def together(self, piece: Words | Grid, setting: Mapping[str, Fraction]) -> Sequence[Answers]:
        """For each position that the readout shows, the answers as the reference returns them. If this raises anything,
        the caller asks for the inputs one by one, so that the error names the first input that fails."""
        raise NotImplementedError


class NoLabel(int):
    """An answer of a reference that is a number but not the index of a label. It is -1, which equals no index; `said`
    is the number as text."""

    said: str

    @classmethod
    def of(cls, value: int | Fraction) -> NoLabel:
        """The `NoLabel` of a number."""
        label = cls(-1)
        label.said = quotient(value)
        return label


TokenChoices = tuple[Sequence[str], ...]
"""The possible tokens at each position."""
SAME = "a Fold must give the same answer for the same state"
"""The text of the error for a fold that answers differently when it is asked again."""
KEPT = 64
"""The greatest number of entries of the cache `_States.found`."""


class Expected:
    """The answers of a reference on inputs of a model. `setting` has the values of the symbols on a grid, which the
    reference reads along with the inputs."""

    def __init__(self, model: Transformer, reference: Reference, setting: Mapping[str, Fraction]) -> None:
        self.model, self.reference, self.setting = model, reference, dict(setting)
        each = model.readout.each
        # A fold must answer at the same positions as the model; it does not read the tokens that the model adds.
        suits = isinstance(reference, Fold) and reference.each is each and not (each and model.embedding.added)
        self.fold = _States(model, reference) if isinstance(reference, Fold) and suits else None

    def see(self, sequence: Sequence[Any]) -> Any:
        """The argument of the reference for one input: a string, rows, or a point of a grid."""
        if self.model.pointwise:
            return dict(sequence[0]) | self.setting
        if self.model.embedding.inputs is not None:
            return sequence
        typed = self.model.embedding.typed(sequence)
        return "".join(typed) if self.model.embedding.spelled else tuple(typed)

    def ask(self, sequence: Sequence[object]) -> Sequence[Any]:
        """The answers on one input: one for each position that the readout shows."""
        return ask(self.model, self.reference, self.see(sequence), len(sequence))

    def pieces(self, part: InputPart) -> Iterable[list[Answers]]:
        """The answers on each piece of a part, for each position that the readout shows."""
        from symcook.domains.batch import Words

        if self.fold is not None and isinstance(part.block, Words):
            try:
                return self.fold.pieces(part.block, part.lengths or (part.block.n,))
            except BaseException as error:
                raise_real(error)
                if isinstance(error, BadInput) and error.must == SAME:
                    raise
                # Otherwise ask string by string: an error then names its string, and states need not be hashable.
        return (self.block(piece, length) for length, piece in part.pieces)

    def block(self, piece: InputBlock, length: int) -> list[Answers]:
        """The answers on one piece, for each position that the readout shows."""
        import numpy as np

        from symcook.domains.batch import Listed

        chosen = isinstance(piece, Listed)
        # References that answer for all inputs of a block at once, in arrays; where this fails, one by one, so that the
        # error names its input.
        if isinstance(self.reference, AskedTogether) and not chosen:
            with suppress(Exception):
                answered_together = self.reference.together(piece, self.setting)
                return [
                    ([_checked(self.model, answer, "") for answer in answers_known], codes)
                    for answers_known, codes in answered_together
                ]
        if isinstance(self.reference, (Interpreted, Looking)) and self.model.readout.each and not chosen:
            columns = self.reference.block(piece.choices())  # type: ignore[union-attr]
            return [self._numbered(column, piece.size) for column in columns]
        # Any other function is called input by input. At each position, answers are numbered as they occur.
        numbers_of_answers: list[dict[Any, int]] = [{} for _ in self.model.readout.answered(length)]
        codes = np.empty((piece.size, len(numbers_of_answers)), dtype=np.int32)
        for code, sequence in enumerate(piece):
            answers = zip(numbers_of_answers, self.ask(sequence), strict=True)
            codes[code] = [numbers.setdefault(answer, len(numbers)) for numbers, answer in answers]
        return [(list(numbers), codes[:, place]) for place, numbers in enumerate(numbers_of_answers)]

    def _numbered(self, column: Mapping[Any, int], size: int) -> Answers:
        """Answers from {answer: inputs}, where the bits of an integer say which of the `size` inputs have the
        answer."""
        import numpy as np

        codes = np.zeros(size, dtype=_smallest(len(column)))
        for code, bits in enumerate(column.values()):
            row = np.frombuffer(bits.to_bytes(-(-size // 8), "little"), dtype=np.uint8)
            codes += np.unpackbits(row, count=size, bitorder="little").astype(codes.dtype) * codes.dtype.type(code)
        return [_checked(self.model, answer, "") for answer in column], codes


class _States:
    """The states of a fold, numbered as they occur, with the known steps between them and their checked answers."""

    def __init__(self, model: Transformer, fold: Fold) -> None:
        self.model, self.fold = model, fold
        self.forget()

    def forget(self) -> None:
        """Empty all tables. States are represented by their numbers, the indices in `states`."""
        self.states: list[Any] = []
        self.numbers: dict[Any, int] = {}
        """{exact key of a state: its number}."""
        self.steps: dict[tuple[int, str], int] = {}
        """{(state, token): next state}."""
        self.answers: dict[int, Any] = {}
        """{state: its checked answer}."""
        self.found: dict[tuple[int, TokenChoices, tuple[int, ...]], list[list[Answers]]] = {}
        """The results of `along`, by its arguments; only for a fold with one answer a string."""

    def pieces(self, words: Words, lengths: Sequence[int]) -> list[list[Answers]]:
        """The answers on the strings cut to each of `lengths` (ascending, added tokens included): after each token
        where the fold answers at each position, else after the last.

        The answers after a common prefix depend only on the state after it, so they are computed once for each state.
        """
        if len(self.states) > BLOCK:  # nearly every string leads to its own state: keep memory bounded
            self.forget()
        choices = tuple(self.model.embedding.typed(words.choices()))
        wanted = tuple(length - self.model.embedding.added for length in lengths)
        # Read the common prefix of all strings first.
        state, done = self.number(self.fold.start), 0
        while not self.fold.each and done < min(wanted) and len(choices[done]) == 1:
            state, done = self.step(state, choices[done][0]), done + 1
        key = state, choices[done:], tuple(length - done for length in wanted)
        if self.fold.each:
            return list(self.along(*key))
        if key not in self.found:
            if len(self.found) >= KEPT:
                self.found.clear()
            self.found[key] = list(self.along(*key))
        return self.found[key]

    def along(self, state: int, choices: TokenChoices, lengths: tuple[int, ...]) -> Iterator[list[Answers]]:
        """For each of `lengths`, the answers to all strings of that length over `choices`, read from a state on."""
        import numpy as np

        # `used` are the states after `done` tokens; `reached` has for each prefix the index of its state in `used`.
        used, reached = [state], np.zeros(1, dtype=np.uint8)
        places = [(used, reached)]
        for done in range(max(lengths) + 1):
            if done in lengths:
                positions = places[1:] if self.fold.each else places[-1:]
                yield [self.answered(states, codes, len(reached)) for states, codes in positions]
            if done < len(choices):
                # One table of next states extends all prefixes by one token: with k tokens, prefix p becomes the
                # prefixes k p to k p + k - 1.
                steps = [[self.step(before, token) for token in choices[done]] for before in used]
                used = sorted({after for row in steps for after in row})
                numbers = {after: number for number, after in enumerate(used)}
                moves = np.array([[numbers[after] for after in row] for row in steps], dtype=_smallest(len(used)))
                reached = moves[reached].reshape(-1)
                places = [*places, (used, reached)] if self.fold.each else [(used, reached)]

    def number(self, state: object) -> int:
        """The number of a state; a new state gets the next free one. BadInput for a state that can change."""
        number = self.numbers.setdefault(exact(state), len(self.states))
        if number == len(self.states):
            require_steady(state)
            self.states.append(state)
        return number

    def step(self, state: int, token: str) -> int:
        """The number of the state after one more token."""
        if (state, token) not in self.steps:
            before = self.states[state]
            self.steps[state, token] = self.number(_twice(lambda: self.fold.step(before, token)))
        return self.steps[state, token]

    def answer(self, state: int) -> Any:
        """The checked answer in a state."""
        if state not in self.answers:
            self.answers[state] = _checked(self.model, _twice(lambda: self.fold.answer(self.states[state])), "")
        return self.answers[state]

    def answered(self, used: Sequence[int], reached: Array, size: int) -> Answers:
        """The answers in the states that prefixes of one length reach, for the `size` strings that begin with them."""
        import numpy as np

        codes = reached if len(reached) == size else np.repeat(reached, size // len(reached))
        return [self.answer(state) for state in used], codes


def _smallest(count: int) -> str:
    """The name of the smallest number type for numbers below `count`."""
    return "uint8" if count <= 2**8 else "uint16" if count <= 2**16 else "int32"


def _twice(ask: Callable[[], Any]) -> Any:
    """The result of calling `ask` twice: BadInput where the two results differ."""
    answer, second_answer = ask(), ask()
    if not same(answer, second_answer):
        both_answers = f"{_shown(answer)} and then {_shown(second_answer)}"
        raise BadInput(SAME, both_answers, "let the specification depend on its arguments only")
    return answer


def ask(model: Transformer, reference: Reference, given: object, length: int) -> Sequence[Any]:
    """The reference's answer for each position that the readout shows: a bool, the index of a label, or a tuple of
    numbers, one for each coordinate shown; or None."""
    try:
        answer = reference(given)
    except SymcookError:
        raise
    except BaseException as error:
        raise_real(error)
        text = f"{type(error).__name__}: {error} on {input_text(given)}"
        raise BadInput("the specification must answer every input", text, "repair the specification") from error
    if not model.readout.each:
        return (_checked(model, answer, given),)
    # One answer for each position: a list, or a text where every label is one character.
    text = isinstance(answer, str) and model.readout.labelled
    labels = text and all(len(label) == 1 for part in model.readout.parts for label in part)
    if (isinstance(answer, (str, Mapping)) and not labels) or not isinstance(answer, Sequence) or len(answer) != length:
        from symcook.programs.running import decodes

        added_tokens = ", those of the tokens that the model adds too" if model.embedding.added else ""
        must = f"the specification must give {length} answer{'s' * (length != 1)}, one a position{added_tokens}"
        do = "let it return a list with an answer for each position that the readout reads"
        if decodes(model):
            do = "without --spec the output tokens are compared with the program; symcook decide compares languages"
        raise BadInput(must, _returned(answer, given), do)
    return [_checked(model, part, given) for part in answer]


def _checked(model: Transformer, answer: object, given: object) -> Any:
    """An answer of a reference in the form in which it is compared: the index of a label, a bool, or a tuple of exact
    numbers; None where any answer is right. BadInput for an answer of another type."""
    if answer is None:
        return None
    # A label becomes its index. For a readout in groups, the answer has one label of each group.
    if model.readout.labelled:
        if isinstance(answer, NoLabel):
            return answer
        index = model.readout.index(answer) if isinstance(answer, str) else None
        if index is None:
            ways = (", ".join(part) for part in model.readout.parts)
            raise BadInput(f"the specification must return one of {', a comma, and one of '.join(ways)}",
                           _returned(answer, given), "return one of these for each string")  # fmt: skip
        return index
    if model.decides:
        if answer is True or answer is False:
            return answer
        if type(answer).__name__ == "bool":  # a bool of numpy
            return bool(answer)
        raise BadInput("the specification must return True or False", _returned(answer, given), "return True or False")
    # Numbers: a mapping by name, or a single number where the readout shows one coordinate.
    reads = model.readout.labels or model.readout.reads
    if isinstance(answer, Mapping):
        missing = [name for name in reads if name not in answer]
        if missing:
            raise BadInput(
                f"the specification must give the coordinate {missing[0]}",
                _returned(answer, given),
                "return a value for every coordinate that the model answers with",
            )
        parts = [answer[name] for name in reads]
    elif len(reads) == 1:
        parts = [answer]
    else:
        must = f"the specification must return a mapping with the coordinates {', '.join(reads)}"
        raise BadInput(must, _returned(answer, given), "return {coordinate: number} for each string")
    return tuple(_number(part, given) for part in parts)


def _number(value: object, given: object) -> Fraction:
    """An exact number as a fraction; BadInput for a float, a bool or anything else."""
    if type(value) is Fraction:
        return value
    if getattr(value, "is_Rational", False):
        return fraction(value)
    if isinstance(value, (int, Fraction)) and not isinstance(value, bool):
        return Fraction(value)
    raise BadInput("the specification must return exact numbers", _returned(value, given), "use int or Fraction")


def _returned(answer: object, given: object) -> str:
    """What the reference returned for an input, for a message."""
    return f"{_shown(answer)} ({type(answer).__name__}) on {input_text(given)}"


def _shown(answer: object) -> str:
    """The repr of an answer."""
    try:
        return repr(answer)
    except Exception as error:  # a number of too many digits, or an object of the user's
        return f"what cannot be printed ({type(error).__name__})"


def input_text(given: Any) -> str:
    """An argument of a reference as text: a point of a grid, rows, or a string."""
    if isinstance(given, Mapping):
        return ", ".join(f"{name}={quotient(value)}" for name, value in given.items())
    if any(isinstance(row, Mapping) for row in given):
        return "; ".join(map(input_text, given))
    return (given if isinstance(given, str) else " ".join(given)) or "the empty string"


BLOCK = 2**16
"""The greatest number of inputs in one batch, which bounds memory at every length."""
BUDGET = 2**12
"""The greatest number of sequences of rows of one length; longer sequences take fewer values."""
ROW_VALUES = (
    (Fraction(0), Fraction(1), Fraction(-1), Fraction(2), Fraction(1, 2)),
    (Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2)),
    (Fraction(0), Fraction(1), Fraction(-1)),
    (Fraction(0), Fraction(1)),
)
"""Sets of input values for sequences of rows. The first set with at most BUDGET sequences of a length is used."""


def region_tree(region: str | Tree | None) -> Tree:
    """A region as a tree; "true" where there is none."""
    return ("true",) if region is None else parse_formula(region) if isinstance(region, str) else region


@dataclass(frozen=True)
class Source:
    """The inputs of a check."""

    total: int
    """How many there are."""
    text: str
    """What they are, in words."""
    parts: Callable[[], Iterable[InputPart]]
    """Makes them part by part."""


@dataclass(frozen=True)
class InputPart:
    """The inputs of one pass: all of `block` or, where there are `lengths` (added tokens included), the strings of
    `block` cut to each of these lengths. Cutting needs a model whose run on a string contains the runs on its
    prefixes."""

    block: InputBlock
    lengths: tuple[int, ...] = ()

    @property
    def pieces(self) -> tuple[tuple[int, InputBlock], ...]:
        """(length, inputs of that length) for each length."""
        from symcook.domains.batch import Words

        block = self.block
        if not isinstance(block, Words):
            return ((len(block.choices()), block),)
        return tuple((n, block.cut(n)) for n in self.lengths or (block.n,))

    @property
    def size(self) -> int:
        """The number of inputs."""
        return sum(piece.size for _, piece in self.pieces)


def rows(model: Transformer, max_length: int, region: Tree) -> Source:
    """The sequences of rows on which a model over numbers is checked.

    An input that the region ties to n takes all positions that the region allows. Where there is such an input, every
    input that the region leaves free has one generic value at each position. Any other input takes a set of small
    values. Where all combinations would be more than BUDGET, fewer values are taken; if that is not enough, only the
    cyclic shifts of one sequence: of the allowed rows, or of n rows of generic values where no input is tied to n.
    """
    from symcook.domains.batch import Grid

    inputs = model.embedding.inputs or ()
    conditions = conjuncts(region)
    # `tied` are the inputs that the region ties to n, `own` has the conditions on each input, and `single` are the free
    # inputs that take one generic value at each position.
    tied = [name for name in inputs if any({"n", name} <= names(part) for part in conditions)]
    own = {name: [part for part in conditions if names(part) <= {"n", name}] for name in inputs}
    single = [name for name in inputs if tied and not any(name in names(part) for part in own[name])]
    varied = [name for name in inputs if name not in single]
    for part in conditions:
        if not any(part in own[name] for name in inputs):
            raise BadInput(
                "the region of a model over rows must have conditions that each use one input, or n, only",
                show(part),
                "give the model a region with one input in each condition",
            )

    def allowed(name: str, candidates: Iterable[Fraction], n: int) -> list[Fraction]:
        """The candidates that the region allows for an input at length n; BadInput where there are none."""
        result = [v for v in candidates if all(truth(part, {name: v, "n": Fraction(n)}) for part in own[name])]
        if not result:
            raise BadInput(
                f"the region must hold for some value of {name}",
                show(region),
                "give the model a region with at least one value",
            )
        return result

    def choose(n: int) -> tuple[str, list[dict[str, Fraction]], bool]:
        """For length n: a description of the rows, the rows, and whether all sequences of them are taken."""
        positions = [Fraction(j) for j in range(1, n + 1)]
        # The largest set of values with which all combinations are few enough.
        for values in ROW_VALUES:
            sets = {name: allowed(name, positions if name in tied else values, n) for name in varied}
            choices = [dict(zip(sets, c, strict=True)) for c in itertools.product(*sets.values())]
            if len(choices) ** n <= BUDGET:
                text = ", ".join(f"{k} in {'1..n' if k in tied else braces(v)}" for k, v in sets.items())
                return f"all with {text}", choices, True
        # Too many for every set: one sequence in which each allowed row occurs, shifted cyclically.
        if tied:
            return f"every {' and '.join(tied)} at every position (one list, shifted cyclically)", choices, False
        generics = [dict.fromkeys(inputs, generic(place)) for place in range(1, n + 1)]
        return "generic values, shifted cyclically", generics, False

    def grids(n: int) -> Iterator[Grid]:
        """The sequences of length n: one grid of all combinations, or each cyclic shift by itself."""
        _, choices, all_choices = choose(n)
        fixed = [dict.fromkeys(single, generic(place)) for place in range(1, n + 1)]
        for shift in range(1 if all_choices else len(choices)):
            places = [choices if all_choices else [choices[(place + shift) % len(choices)]] for place in range(n)]
            yield Grid(tuple([row | fixed[p] for row in options] for p, options in enumerate(places)))

    total, descriptions = _described(choose, max_length)
    if single:
        descriptions.append(f"{', '.join(single)} generic")

    def parts() -> Iterator[InputPart]:
        """All sequences, in blocks of at most BLOCK."""
        for n in range(1, max_length + 1):
            for grid in grids(n):
                yield from map(InputPart, grid.blocks(BLOCK))

    return Source(total, f"on sequences of rows, {'; '.join(descriptions)}", parts)


def _described(
    choose: Callable[[int], tuple[str, list[dict[str, Fraction]], bool]], max_length: int
) -> tuple[int, list[str]]:
    """How many sequences of rows there are, and a description for each range of lengths with the same choice of
    rows."""
    total = 0
    ranges: list[list[Any]] = []  # text, first and last length
    for n in range(1, max_length + 1):
        text, choices, all_choices = choose(n)
        total += len(choices) ** n if all_choices else len(choices)
        if ranges and ranges[-1][0] == text:
            ranges[-1][2] = n
        else:
            ranges.append([text, n, n])
    return total, [f"length {a} to {b}: {text}" if a < b else f"length {a}: {text}" for text, a, b in ranges]


def braces(values: Iterable[Fraction]) -> str:
    """A set of numbers as text."""
    return "{" + ", ".join(map(str, values)) + "}"


def generic(place: int) -> Fraction:
    """A value for position `place`, chosen so that averages over different sets of positions differ."""
    return Fraction((-3) ** place, 2 * place + 1)
