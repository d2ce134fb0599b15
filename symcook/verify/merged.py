"""Comparison of a model with a reference on all strings of long lengths, by classes of strings that neither model nor
reference can tell apart.

The reference must read from left to right with a state (a `Fold`, or an automaton), and the state is part of a class:
the answer of any other reference to one string of a class proves nothing about the others. Strings are grouped by
prefixes (`symcook.words.affine`) if every mask looks back, else by counts of symbols (`symcook.words.cells`). The sizes
of classes are Python integers, and at each length they are checked to add up to k^n.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

from symcook.alarm import raise_real
from symcook.door import Progress
from symcook.errors import BadInput, NotExact, SymcookError, Unmerged
from symcook.forward import Result, forward
from symcook.model.parts import AnyHead
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.steps import attention
from symcook.model.transformer import Transformer
from symcook.spec.fold import Fold
from symcook.verify.answers import Reference, _States
from symcook.verify.comparison import LengthCount

if TYPE_CHECKING:
    from symcook.decide.automata import Answering
    from symcook.domains.cells import Array
    from symcook.words import Word
    from symcook.words.affine import AffineEntries
    from symcook.words.cells import Cells
    from symcook.words.exact import PrefixLevel
    from symcook.words.keyed import Kept

READS = StepsRead("the check by merged prefixes", **STEP_WORDS)

Said = TypeVar("Said")
CHUNK = 4096
"""How many representatives of classes by counts run in one batch."""


@dataclass(frozen=True)
class Merged:
    """The result of a comparison by classes of strings."""

    by_length: tuple[LengthCount, ...]
    """For each length, how many strings there are (all were compared) and how many the model accepts."""
    wrong: int
    """On how many strings the model's answer differs from the reference's."""
    smallest: Word | None
    """The smallest string on which they differ."""
    how: str
    """How strings were grouped, in words."""

    @property
    def covered(self) -> int:
        """How many strings were compared."""
        return sum(count.strings for count in self.by_length)


def merged(
    model: Transformer, reference: Reference | Answering, lengths: int | range, *, progress: Progress | None = None
) -> Merged:
    """Compare a model without open symbols with `reference` on every string of the `lengths`, or of 1 to that number.

    Raises Unmerged, with the reason, where strings cannot be grouped, and for a reference without states; BadInput for
    a reference that fails, has states that are not hashable, or answers differently when it is asked again.
    """
    asked = range(1, lengths + 1) if isinstance(lengths, int) else lengths
    reader = ReadBeside(model, automaton(reference))
    why = []
    for way, named in ((_by_prefixes, "by prefixes"), (_by_counts, "by counts")):
        try:
            return way(model, reader, asked, progress)
        except Unmerged as error:
            why.append(f"{named} {error.given}")
    raise Unmerged(
        "more strings than can be run one by one must be grouped by prefixes or by symbol counts", "; ".join(why)
    )


def automaton(reference: Reference | Answering) -> Fold:
    """A reference as a fold: itself, or an automaton, with `initial`, `step` and `answer` (or `accepts`). Unmerged for
    any other reference."""
    if isinstance(reference, Fold):
        return reference
    says = getattr(reference, "answer", getattr(reference, "accepts", None))
    if says is not None and hasattr(reference, "initial") and hasattr(reference, "step"):
        read = cast("Answering", reference)
        return Fold(read.initial, read.step, says)
    must = "to test strings in groups, the specification must be a Fold or an automaton"
    raise Unmerged(
        must, f"a {type(reference).__name__}", "write the specification as a Fold, or give a smaller --max-length"
    )


class ReadBeside:
    """A reference that reads strings beside a model, many at once. Its states are numbered in the order in which they
    occur.

    A label is twice the number of a state, plus a flag. The flag is 1 if an earlier position decides against the
    string: for a readout at all positions, if the model has rejected there; for a readout at each position, if its
    answer there differs from the reference's.
    """

    start = 0
    """The label of the empty prefix: state 0, with the flag 0."""

    def __init__(self, model: Transformer, fold: Fold) -> None:
        """Number the start of the fold. Unmerged for a fold that answers at other positions than the model."""
        import numpy as np

        # All strings of a class have one answer, so the reference must answer at the same positions as the model.
        each = model.readout.each
        if fold.each is not each or (each and model.embedding.added):
            must = "where strings are grouped, a specification must answer as the model does: once or at each position"
            raise Unmerged(must, "answers at each position" if fold.each else "one answer a string")
        self.model, self.states = model, _States(model, fold)
        self.answers: dict[int, Any] = {}
        """{number of a state in which some string ends: the answer of the reference}."""
        self.moves = np.empty((0, len(model.alphabet)), dtype=np.int64)
        """The number of the next state, by state and symbol; -1 while that is unknown."""
        self.asked(lambda: self.states.number(fold.start), "the empty string")

    def asked(self, ask: Callable[[], Said], given: str) -> Said:
        """The result of `ask`, a call of the reference; BadInput, which names what was `given`, where the call
        fails."""
        try:
            return ask()
        except SymcookError:
            raise
        except BaseException as error:
            raise_real(error)
            must = "the step and answer of a Fold must work on every string, and its states must be hashable"
            raise BadInput(must, f"{type(error).__name__}: {error} on {given}", "correct the Fold") from error

    def step(self, state: int, letter: int) -> int:
        """The state after a symbol; BadInput, which names symbol and state, where the fold fails."""
        token = self.model.alphabet[letter]
        return self.asked(lambda: self.states.step(state, token), f"{token} in state {self.states.states[state]!r}")

    def answer(self, state: int) -> Any:
        """The answer in a state; Unmerged where any answer would do there."""
        if state not in self.answers:
            known = self.states
            answer = self.asked(lambda: known.answer(state), f"a string in state {known.states[state]!r}")
            if answer is None:
                raise Unmerged(
                    "to test strings in groups, the specification must answer each string",
                    "a specification that answers None",
                )
            self.answers[state] = answer
        return self.answers[state]

    def answered(self, states: Array) -> Array:
        """The answers in these states: an array, or, of a readout of values, an array for each coordinate shown."""
        import numpy as np

        used, codes = np.unique(states, return_inverse=True)
        answers_of_states = [self.answer(state) for state in used.tolist()]
        if self.model.readout.answers:
            return np.array(answers_of_states)[codes]
        return np.array([*zip(*answers_of_states, strict=True)], dtype=object)[:, codes]

    def stepped(self, state: int, letter: int) -> int:
        """The next state, from the table where it is already known."""
        return int(self.left([state])[state, letter])

    def left(self, states: Sequence[int]) -> Array:
        """The table of next states, in which the rows of these states are known."""
        import numpy as np

        state_count, letters = len(self.states.states), len(self.model.alphabet)
        # The table at least doubles, so that growing it is rare.
        if len(self.moves) < state_count:
            new_rows = np.full((max(64, 2 * state_count) - len(self.moves), letters), -1, dtype=np.int64)
            self.moves = np.concatenate([self.moves, new_rows])
        for state in states:
            if self.moves[state, 0] < 0:
                self.moves[state] = [self.step(state, letter) for letter in range(letters)]
        return self.moves

    def moved(self, labels: Array, tokens: tuple[str, ...], which: Array, result: Result) -> Array:
        """See `symcook.words.exact.Beside`."""
        import numpy as np

        states, flags = labels >> 1, labels & 1
        # The reference does not read a token that the model adds, so that its state stays.
        if tokens == self.model.alphabet:
            table = self.left([])
            have_moves = table[states, 0] >= 0
            table = self.left([] if have_moves.all() else np.unique(states[~have_moves]).tolist())
            states = table[states, which]
        if self.model.readout.everywhere:
            decided_against = self.differs(result, states) if self.model.readout.each else verdicts(result) == 0
            flags = flags | decided_against
        return 2 * states + flags

    def differs(self, result: Result, states: Array) -> Array:
        """For each entry, whether the model's answer differs from that of the reference in the entry's state."""
        import numpy as np

        if result.model.readout.answers:
            return verdicts(result) != self.answered(states)
        wrong = np.zeros(len(states), dtype=bool)
        for column, wanted in zip(result.columns().values(), self.answered(states), strict=True):
            wrong |= unequal(column, wanted)
        return wrong


def verdicts(result: Result) -> Array:
    """The verdict of each entry, or the index of its label. Raises KeepApart where a verdict is undecided."""
    from symcook.words.affine import OPEN, apart
    from symcook.words.keyed import KeepApart

    places: Any = result.verdicts
    if (places[-1] == (OPEN if result.model.decides else -1)).any():
        watched: Any = result.watched.values()
        raise KeepApart(apart("sum", (k for column in watched for k in column.parts)))
    return places[-1]


def unequal(column: AffineEntries, wanted: Array) -> Array:
    """For each entry of a column of affine values, whether it is another number than the wanted one. Raises KeepApart
    where a value is not known."""
    from symcook.words.affine import apart
    from symcook.words.keyed import KeepApart

    if column.parts:
        raise KeepApart(apart("sum", column.parts))
    return column.cell.numerators.astype(object) != wanted * column.cell.denominator


class Gathered:
    """The counts of a merged comparison, collected length by length, and the smallest string with a wrong answer."""

    def __init__(self, model: Transformer, asked: range, progress: Progress | None) -> None:
        self.model, self.asked, self.progress = model, asked, progress
        self.lengths: list[LengthCount] = []
        self.wrong, self.most = 0, 0
        self.smallest: Word | None = None

    def add(self, n: int, strings: int, accepted: int | None, wrong: int, classes: int) -> None:
        """Adds the counts of one length: its strings, those that the model accepts, wrong ones, and classes."""
        # Invariant: the classes of a length contain every string of this length exactly once.
        if strings != len(self.model.alphabet) ** n:
            raise AssertionError(f"{strings} strings of length {n} in the classes")
        self.lengths.append(LengthCount(n, strings, accepted))
        self.wrong, self.most = self.wrong + wrong, max(self.most, classes)
        if self.progress is not None:
            self.progress(len(self.lengths), len(self.asked))

    def found(self, how: str) -> Merged:
        """The result for all lengths."""
        classes = f"at most {self.most} class{'es' * (self.most > 1)} at one length"
        return Merged(tuple(self.lengths), self.wrong, self.smallest, f"{how}, {classes}")


# --- By prefixes ------------------------------------------------------------------------------------------------------


def _by_prefixes(model: Transformer, reader: ReadBeside, asked: range, progress: Progress | None) -> Merged:
    """The comparison by classes of prefixes. Unmerged for a model that looks ahead, has a layer norm, or is read at its
    first position."""
    from symcook.words.keyed import KeepApart

    ahead_head = next((named for named, head in heads(model) if head.sees.after), None)
    if ahead_head is not None:
        raise Unmerged(
            "to test strings in groups, no head may attend to later positions",
            f"{ahead_head}, which attends to later positions",
        )
    if model.normed:
        raise Unmerged("to test strings in groups, the model must have no layer norm", "a layer norm")
    if not (model.readout.last or model.readout.everywhere):
        raise Unmerged(
            "to test strings in groups, the readout must be at the last position, at each or at all",
            f"a readout {model.readout.where}",
        )
    # Start with the coarsest classes. Where a decision is undecided, start again with finer ones, which distinguish
    # what that decision depends on.
    kept_apart: frozenset[Kept] = frozenset()
    while True:
        try:
            tally = Gathered(model, asked, progress)
            for level in _levels(model, reader, kept_apart, asked):
                _take(tally, model, reader, level)
            return tally.found("grouped by prefixes that the model cannot tell apart")
        except KeepApart as undecided:
            if undecided.kept <= kept_apart:
                raise RuntimeError(
                    "prefixes are to be kept apart by what they are kept apart by already"
                ) from undecided
            kept_apart |= undecided.kept


def _levels(model: Transformer, reader: ReadBeside, kept: frozenset[Kept], asked: range) -> Iterator[PrefixLevel]:
    """The classes of prefixes at each length of `asked`. `kept` names the sums by which classes are distinguished."""
    from symcook.words.affine import AffineNumbers, AffinePosition
    from symcook.words.exact import Prefixes, by_length

    def begin(length: int | None) -> Prefixes:
        """The states of the empty prefix, for strings of `length` tokens (None: of any length)."""
        numbers = AffineNumbers([named for named, _ in heads(model)], kept)
        return Prefixes(model, numbers, length, reader, AffinePosition)

    return by_length(model, asked, begin)


def heads(model: Transformer) -> list[tuple[str, AnyHead]]:
    """The heads whose output is read later, in order, each with its name."""
    return [
        (where, part)
        for step, wanted in zip(READS.of(model).sublayers, model.live[1:], strict=True)
        for where, part in step.named_parts
        if attention(part.steps) and wanted & set(part.writes)
    ]


def _take(tally: Gathered, model: Transformer, reader: ReadBeside, level: PrefixLevel) -> None:
    """Adds one length: how many strings are accepted and wrong, from the number of strings of each class."""
    import numpy as np

    labels: Any = level.labels
    states, flags, string_counts = labels >> 1, labels & 1, level.counts[level.origin]
    readout, accepted = model.readout, None
    # A readout at all positions accepts a string if no position has rejected. For a readout at each position, a string
    # is wrong if the answers differ at any position.
    if readout.together:
        accepts = flags == 0  # the flag includes the last position
        wrong = accepts != reader.answered(states)
        accepted = int(string_counts[accepts].sum())
    else:
        wrong = flags > 0 if readout.each else reader.differs(level.result, states)
        if readout.decides:
            accepted = int(string_counts[verdicts(level.result) == 1].sum())
    # Lengths ascend, so the first length with a wrong string has the smallest one.
    if wrong.any() and tally.smallest is None:
        tally.smallest = level.smallest(int(np.flatnonzero(wrong)[0]))
    tally.add(
        level.n, int(string_counts.sum()), accepted, int(string_counts[wrong].sum()), len(labels) // len(level.tokens)
    )


# --- By counts --------------------------------------------------------------------------------------------------------


def _by_counts(model: Transformer, reader: ReadBeside, asked: range, progress: Progress | None) -> Merged:
    """The comparison by classes of equal symbol counts in cells of positions. Unmerged for a readout at each position,
    for too many classes, and for a model without exact batches."""
    from symcook.words.cells import MOST, classes
    from symcook.words.tallies import Tallies, index, smallest

    if model.readout.each:
        raise Unmerged(
            "to test strings in groups of equal symbol counts, the model must give one answer per string",
            "a readout at each position",
        )
    tally, tallies = Gathered(model, asked, progress), Tallies(0, reader.stepped, len(model.alphabet))
    longest = classes(asked[-1], model)
    if longest.many > MOST:  # refused before any shorter string is run
        must = f"the classes of strings with the same counts must be at most {MOST} at each length"
        raise Unmerged(
            must,
            f"{longest.many if longest.many < 10**12 else 'too many'} classes at length {longest.n}, more than {MOST}",
        )
    for n in asked:
        cells = longest if n == longest.n else classes(n, model)
        if cells.many > MOST:
            raise Unmerged(
                "every length must have at most as many groups as the maximum length",
                f"{cells.many} classes at length {n}, more than {MOST}",
            )
        answered_words = _answers(model, cells)
        # The model answers once for each class. The reference answers in each state in which strings of the class end.
        by_state, wrong = tallies.of(cells), 0
        strings, accepted = 0, 0
        answer_of_class = [(index(cells, word), answer) for word, answer in answered_words]
        wrong_classes: set[tuple[tuple[int, ...], int]] = set()
        for state, words in by_state.items():
            # All strings of one class that end in one state are right or wrong together.
            for class_index, answer in answer_of_class:
                string_count = words[class_index]
                if string_count:
                    strings += string_count
                    accepted += string_count if answer is True else 0
                    if answer != reader.answer(state):
                        wrong += string_count
                        wrong_classes.add((class_index, state))
        if wrong_classes and tally.smallest is None:
            tally.smallest = smallest(cells, 0, reader.stepped, wrong_classes)
        tally.add(n, strings, accepted if model.decides else None, wrong, cells.many)
    return tally.found("grouped by counts of symbols")


def _answers(model: Transformer, cells: Cells) -> list[tuple[Word, Any]]:
    """The representative of each class with the model's answer: a verdict, the index of a label, or values. Unmerged
    for a model without exact batches."""
    from symcook.domains.batch import Batch, Listed

    words, all_answers = [word for word, _ in cells], list[Any]()
    for low in range(0, len(words), CHUNK):
        domain = Batch()
        listed = Listed(tuple(map(model.embedding.surround, words[low : low + CHUNK])))
        try:
            result = forward(model, listed, domain)
        except NotExact as error:
            raise Unmerged(
                "to test strings in groups of equal symbol counts, symcook must have exact answers for batches",
                f"no exact batch of {error.given}",
            ) from None
        # A verdict or label for each representative, or the numbers that the readout shows.
        if model.readout.answers:
            answers = domain.full(model.readout.verdict(domain, result.verdicts)).tolist()  # type: ignore[arg-type]
        else:
            columns = [column[model.readout.place] for column in result.columns().values()]
            rows = [[x / cell.denominator for x in domain.full(cell.numerators).astype(object)] for cell in columns]
            answers = list(zip(*rows, strict=True))
        all_answers += answers
    return list(zip(words, all_answers, strict=True))
