"""The strings that a question is about: all strings of some lengths, or those of a language of inputs.

A language is a regular expression, an automaton, a file or list of strings, or a sample of one of these.
`Strings.cover` returns its strings of one length by representatives: for each class that a model cannot tell apart, the
number of its strings in the language, and the smallest of them.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symcook.domains.cells import Array
from symcook.errors import BadInput, NotExact
from symcook.files import names_file, text_of
from symcook.forward import Result
from symcook.model.extent import Extent, values_of
from symcook.programs.automata import Automaton, reached, read_table
from symcook.programs.formats import format_of
from symcook.programs.regular import expression, name_of, regular_table
from symcook.words import Stand, Word, every
from symcook.words.cells import MOST, Cells, TraceEntries, classes, few
from symcook.words.positions import AnswersAfter, at_positions
from symcook.words.tallies import index, placed

if TYPE_CHECKING:
    from symcook.model.symbols import Exact
    from symcook.model.transformer import Transformer


LISTED = 1_000_000
"""The greatest number of strings of a file, of a sample, and of a finite language that `automaton` reads."""
Language = str | PathLike[str] | Automaton | Iterable[str | Sequence[str]]
"""A language as a user gives it: a regular expression, the path of a file, an automaton, or a list of strings."""
DO = "give a file of strings, an automaton file or a regular expression"
"""The hint for an invalid language."""


def strings(
    model: Transformer,
    lengths: range,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
) -> Strings:
    """The strings of these lengths that are asked about: all of them, where `inputs` is None; `sample` of them, each
    with the same chance, where that is given. `positions` says which answers count (`symcook.words.positions`).

    >>> from symcook import build
    >>> build("dyck-1").margin(6, inputs=["()", "(())", "())"], sample=2).to_json()["count"]
    2

    Raises BadInput where the language is not one over the model's alphabet, or has no string of these lengths, for a
    sample without a language or of a wrong size, and for invalid `positions`.
    """
    require_language(inputs, sample)
    require_sample(sample, seed)
    if inputs is None:
        chosen = Strings(model, lengths, positions=positions)
    else:
        chosen = _strings(model, lengths, *_language(model, inputs), sample, seed, positions)
    at_positions(model, positions)  # BadInput for invalid positions, before anything is run
    return chosen


def require_language(inputs: Language | None, sample: int | None) -> None:
    """BadInput where there is a sample but no language to draw it from."""
    if inputs is None and sample is not None:
        raise BadInput("a sample needs the language to draw from", f"the sample {sample} alone", "give --inputs too")


def require_sample(sample: object, seed: object) -> None:
    """BadInput where there is a seed other than 0, but no sample to draw with it."""
    if sample is None and seed != 0:
        raise BadInput("a seed needs a sample that is drawn with it", f"the seed {seed} alone", "give --sample too")


def finite(
    model: Transformer,
    inputs: Language,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
) -> Strings:
    """All strings of a finite language, or a sample of them. Raises BadInput for a language that is infinite or has no
    string."""
    at_positions(model, positions)
    require_sample(sample, seed)
    return _finite(model, *_language(model, inputs), sample, seed, positions)


def listed(inputs: Language | None) -> Language | None:
    """The inputs; a list in place of an iterator, which could be read once only."""
    return list(inputs) if isinstance(inputs, Iterator) else inputs


def longest(model: Transformer, inputs: Language, otherwise: int) -> int:
    """The length of the longest string of a language, at least 1; `otherwise` where the language is infinite."""
    last = _longest(_language(model, inputs)[0])
    return otherwise if last is None else max(last, 1)


def automaton(
    model: Transformer, inputs: Language, sample: int | None = None, seed: int = 0
) -> tuple[Automaton, dict[str, Any]]:
    """A language as an automaton over the model's alphabet, and the document {"inputs", "count"}, whose count is None
    for a language with infinitely many strings. BadInput for a sample of such a language, and for a finite one with
    more than `LISTED` strings."""
    language, text = _language(model, inputs)
    if isinstance(language, Automaton) and _longest(language) is None and sample is None:
        return language, {"inputs": text, "count": None}
    every_string = _finite(model, language, text, sample, seed)
    if every_string.count > LISTED:
        raise BadInput(f"inputs must be at most {LISTED} strings here", every_string.says, "give --sample 10000")
    known = every_string.language
    return known if isinstance(known, Automaton) else _table(model, known or ()), every_string.to_json()


def _strings(
    model: Transformer,
    lengths: range,
    language: Automaton | frozenset[Word],
    text: str,
    sample: int | None,
    seed: int,
    positions: str | None = None,
) -> Strings:
    """The strings of `lengths` of a language; BadInput where there is none."""
    all_strings = Strings(model, lengths, language, text, positions)
    if not all_strings.count:
        without = f"{text}, which has none"
        must = f"the inputs must have a string of length {_span(lengths)}"
        if isinstance(language, frozenset) and not language:
            raise BadInput(
                "the language of inputs must contain at least one string", without, "write one string a line"
            )
        raise BadInput(must, without, "give another --max-length, or other inputs")
    return all_strings if sample is None else all_strings.drawn(sample, seed)


def _finite(
    model: Transformer,
    language: Automaton | frozenset[Word],
    text: str,
    sample: int | None,
    seed: int,
    positions: str | None = None,
) -> Strings:
    """All strings of a finite language; BadInput where it is infinite."""
    last = _longest(language)
    if last is None:
        must = "the inputs must be finitely many strings if no maximum length is given"
        raise BadInput(must, text, "give a file of strings, or {1,8} in place of *")
    lengths = range(model.embedding.shortest, max(last, 1) + 1)
    return _strings(model, lengths, language, text, sample, seed, positions)


def _table(model: Transformer, words: Iterable[Word]) -> Automaton:
    """The minimal automaton of finitely many strings."""
    words = frozenset(words)
    prefixes = {word[:k] for word in words for k in range(len(word) + 1)}

    def steps(prefix: Word | None) -> list[Word | None]:
        """The next prefix by each symbol; None where no string begins with it."""
        ahead = [(*prefix, symbol) for symbol in model.alphabet] if prefix is not None else [None] * len(model.alphabet)
        return [to if to in prefixes else None for to in ahead]

    return reached((), steps, words.__contains__, model.alphabet).minimal()


class Strings:
    """The strings of some lengths that a question is about. The attribute `lengths` has those of the lengths at which
    there is a string.

    Arguments:
        model: the model, whose alphabet the strings are over.
        lengths: in typed symbols.
        language: an automaton, or distinct strings; None for all strings.
        text: the name of the language.
        positions: which answers count (`symcook.words.positions`).
    """

    def __init__(
        self,
        model: Transformer,
        lengths: range,
        language: Automaton | frozenset[Word] | None = None,
        text: str = "all strings",
        positions: str | None = None,
    ) -> None:
        self.model, self.language, self.text, self._asked = model, language, text, lengths
        self.positions = positions
        self._known_ways: list[list[int]] = []
        self.lengths = [n for n in lengths if language is None or self.many(n)]

    def many(self, n: int) -> int:
        """How many strings of length `n` there are."""
        if self.language is None:
            return len(self.model.alphabet) ** n
        return len(self._listed.get(n, ())) if isinstance(self.language, frozenset) else self._ways(n)[n][0]

    @cached_property
    def count(self) -> int:
        """How many strings there are of all lengths."""
        return sum(map(self.many, self.lengths))

    @property
    def longest(self) -> int:
        """The greatest length that was asked about."""
        return self._asked[-1]

    @property
    def shortest(self) -> int:
        """The smallest length that was asked about."""
        return self._asked[0]

    @property
    def restricted(self) -> bool:
        """Whether some strings of these lengths, or some of their answers, are left out."""
        return self.language is not None or self.positions is not None

    @property
    def says(self) -> str:
        """The strings that are asked about, as text for people."""
        counts = "" if self.positions is None else f", answers at positions: {self.positions}"
        return f"the {_many(self.count)} of length {_span(self._asked)} of {self.text}{counts}"

    def extent(self, model: Transformer, values: Mapping[str, Exact] | None = None) -> Extent:
        """What an answer about these strings is about, with the values of the parameters of `model`, given or by
        default; the language is called the inputs, since answers name it elsewhere."""
        language = None if self.language is None else "the inputs"
        return Extent(language, positions=self.positions, values=values_of(model, values))

    def to_json(self) -> dict[str, Any]:
        """{"inputs", "count"} where some strings are left out, and "positions" where some answers are."""
        document: dict[str, Any] = {"inputs": self.text, "count": self.count} if self.language is not None else {}
        return document | ({} if self.positions is None else {"positions": self.positions})

    def counted(self, model: Transformer) -> Transformer:
        """The model, answering only where answers count."""
        return at_positions(model, self.positions)

    def each(self, n: int) -> Iterator[Word]:
        """Every string of length `n` by itself, in the order of the alphabet. BadInput where an automaton accepts more
        than `MOST` of this length."""
        if self.language is None:
            return every(self.model.alphabet, n)
        if isinstance(self.language, frozenset):
            return iter(self._listed.get(n, ()))
        return (stand.word for stand in _inside(_apart(self.model.alphabet, n), self.language, self._ways(n)))

    def cover(
        self,
        n: int,
        *models: Transformer,
        bits: int | None = None,
        traced: TraceEntries | None = None,
        scores: bool = False,
    ) -> Cells | Within:
        """The strings of length `n` in classes that none of the models can tell apart (see `cells.classes`). Each
        string is its own class if a model's answers count only after a symbol, or if there are few strings
        (`cells.few`)."""
        if any(isinstance(model.readout, AnswersAfter) for model in models) or few(self.many(n), *models):
            return self.apart(n)
        # For all strings, the classes of the models; for a language, the part of each class that is in the language.
        cells = classes(n, *models, bits=bits, traced=traced, scores=scores)
        if self.language is None:
            return cells
        if isinstance(self.language, frozenset):
            one_each = ((index(cells, word), Stand(word, 1)) for word in self.each(n))
            return Within(cells, tuple(_gathered(cells, one_each)))
        return Within(cells, tuple(_inside(cells, self.language, self._ways(n))))

    def apart(self, n: int) -> Within:
        """The strings of length `n`, each by itself. BadInput where there are more than `MOST`."""
        cells = _apart(self.model.alphabet, n)
        if self.many(n) > MOST:
            _too_many(cells, str(self.many(n)))
        return Within(cells, tuple(Stand(word, 1) for word in self.each(n)))

    def document(self) -> dict[str, Any]:
        """The language, so that it can be read again: {"strings": lists of tokens}, or {"automaton": its JSON
        form}; empty where it is all strings."""
        if isinstance(self.language, frozenset):
            return {"strings": [list(word) for n in self.lengths for word in self._listed[n]]}
        if self.language is None:
            return {}
        return {"automaton": replace(self.language, names=()).to_json()}

    @property
    def reader(self) -> LanguageStates | None:
        """The reader that follows the language along grouped prefixes; None where all strings are asked about.

        Raises NotExact for a language that is a list of strings.
        """
        if isinstance(self.language, frozenset):
            raise NotExact(
                "to test prefixes in groups, the inputs must be all strings or those of an automaton",
                "a list of strings",
            )
        return None if self.language is None else LanguageStates(self.language)

    def drawn(self, sample: int, seed: int) -> Strings:
        """`sample` of the strings, drawn uniformly with a seed; the object itself if there are no more. BadInput for a
        sample of a size outside 1 to `LISTED`."""
        if isinstance(sample, bool) or not 1 <= sample <= LISTED:
            raise BadInput(f"a sample must have from 1 to {LISTED} strings", sample, "give --sample 1000")
        if sample >= self.count:
            return self
        places = _places(self.count, sample, seed)
        text = f"{self.text}, drawn from {_many(self.count)} with seed {seed}"
        return Strings(self.model, self._asked, frozenset(map(self._numbered, places)), text, self.positions)

    def draw(self, n: int, sample: int, seed: int = 0) -> Array:
        """Distinct strings of length `n`, drawn with a seed, in the order of the alphabet: the numbers of their
        symbols, a row for each position and a column for each string. All strings of length n if `sample` is not
        less."""
        places, alphabet = sorted(_places(self.many(n), sample, seed)), self.model.alphabet
        if self.language is not None:
            codes = {symbol: k for k, symbol in enumerate(alphabet)}
            return np.array([[codes[symbol] for symbol in self._at(n, place)] for place in places], dtype=np.int64).T
        return _digits(places, len(alphabet), n)

    def _numbered(self, place: int) -> Word:
        """The string with the number `place` among all strings, shorter ones first."""
        for n in self.lengths:
            if place < self.many(n):
                return self._at(n, place)
            place -= self.many(n)
        raise IndexError(place)

    def _at(self, n: int, place: int) -> Word:
        """The string of the language with the number `place` among those of length `n`, in the order of the
        alphabet."""
        if isinstance(self.language, frozenset):
            return self._listed[n][place]
        symbols, state, alphabet = list[str](), 0, self.model.alphabet
        automaton: Any = self.language
        # Symbol by symbol: `place` is the number among the strings that continue from here. Strings with a smaller next
        # symbol come first.
        for remaining in reversed(range(n)):
            for k, symbol in enumerate(alphabet):
                to = automaton.moves[state][k]
                ways = self._ways(remaining)[remaining][to]
                if place < ways:
                    symbols.append(symbol)
                    state = to
                    break
                place -= ways
        return tuple(symbols)

    @cached_property
    def _listed(self) -> Mapping[int, Sequence[Word]]:
        """{length: the strings of the list of this length, in the order of the alphabet}."""
        order = {symbol: k for k, symbol in enumerate(self.model.alphabet)}
        by_length: dict[int, list[Word]] = {}
        for word in self.language if isinstance(self.language, frozenset) else ():
            by_length.setdefault(len(word), []).append(word)
        return {n: sorted(words, key=lambda word: [order[symbol] for symbol in word]) for n, words in by_length.items()}

    def _ways(self, n: int) -> Sequence[Sequence[int]]:
        """How many strings of a length lead from a state of the automaton to an accepting state: a row for each length,
        up to `n` at least, with an entry for each state."""
        automaton: Any = self.language
        rows = self._known_ways
        if not rows:
            rows.append([int(answer is True) for answer in automaton.answers])
        while len(rows) <= n:
            rows.append([sum(map(rows[-1].__getitem__, row)) for row in automaton.moves])
        return rows


def _digits(numbers: Sequence[int], base: int, n: int) -> Array:
    """The last `n` digits of integers of any size: a row for each digit, the highest first, and a column for each
    integer."""
    # Large integers are split into parts of `width` digits that fit into 64 bits.
    rows, width = list[Array](), 62 // base.bit_length()
    while len(rows) < n:
        pairs = [divmod(number, base**width) for number in numbers]
        numbers, quotients = [more for more, _ in pairs], np.array([last for _, last in pairs], dtype=np.int64)
        for _ in range(width):
            quotients, digit = np.divmod(quotients, base)
            rows.append(digit)
    return np.array(rows[:n][::-1]).reshape(n, len(numbers))


@dataclass(frozen=True)
class Within:
    """The strings of one length of a language, as those classes of `cells` that contain one of them."""

    cells: Cells
    stands: tuple[Stand, ...]

    @property
    def n(self) -> int:
        """The length."""
        return self.cells.n

    @property
    def many(self) -> int:
        """The number of classes."""
        return len(self.stands)

    @property
    def says(self) -> str:
        """How the strings are grouped, in words."""
        return self.cells.says if any(stand.words > 1 for stand in self.stands) else "all strings one by one"

    def __iter__(self) -> Iterator[Stand]:
        return iter(self.stands)


def _apart(alphabet: tuple[str, ...], n: int) -> Cells:
    """The partition in which each string is a class by itself."""
    return Cells(alphabet, n, tuple((place,) for place in range(n)))


class LanguageStates:
    """The states of an automaton as labels of prefixes: a reader beside the model (`exact.Beside`)."""

    start = 0

    def __init__(self, table: Automaton) -> None:
        self.table, self.moves = table, np.array(table.moves)
        self.accepting = np.array([answer is True for answer in table.answers])

    def moved(self, labels: Array, tokens: tuple[str, ...], which: Array, result: Result) -> Array:
        """The states after one more symbol; tokens that the model adds are not read."""
        return self.moves[labels, which] if tokens == self.table.alphabet else labels


# --- Classes inside a language ----------------------------------------------------------------------------------------

CellCounts = tuple[int, ...]
"""For each cell and symbol, how often the symbol is in the cell."""


def _inside(cells: Cells, automaton: Automaton, ways: Sequence[Sequence[int]]) -> Iterator[Stand]:
    """The classes that contain a string of the language.

    One pass over the positions keeps, for each state and class of prefixes, the smallest prefix and the number of
    prefixes. A prefix that no string of the language continues is dropped.
    """
    places, size = placed(cells), len(cells.alphabet)

    def after(counts: CellCounts, place: int, symbol: int) -> CellCounts:
        """The counts with one more symbol at `place`."""
        if places[place] < 0:
            return counts
        at = places[place] * size + symbol
        return (*counts[:at], counts[at] + 1, *counts[at + 1 :])

    stands: dict[tuple[int, CellCounts], Stand] = {(0, (0,) * (len(cells.cells) * len(cells.alphabet))): Stand((), 1)}
    for place in range(cells.n):
        extended: dict[tuple[int, CellCounts], Stand] = {}
        alive = ways[cells.n - place - 1]
        # Prefixes with the same state and class have the same continuations: only the smallest one is kept, and their
        # number.
        for (state, counts), (word, words) in stands.items():  # in the order of their smallest strings
            for symbol, to in enumerate(automaton.moves[state]):
                if alive[to]:
                    key = to, after(counts, place, symbol)
                    smallest = extended.get(key)
                    first = (*word, cells.alphabet[symbol]) if smallest is None else smallest.word
                    extended[key] = Stand(first, words if smallest is None else smallest.words + words)
        if len(extended) > 10 * MOST:
            _too_many(cells, f"more than {10 * MOST} of prefixes")
        stands = extended
    ends = stands.items()
    return _gathered(cells, ((counts, stand) for (state, counts), stand in ends if automaton.answers[state] is True))


def _gathered(cells: Cells, parts: Iterable[tuple[CellCounts, Stand]]) -> Iterator[Stand]:
    """The classes, each joined from its `parts`: its first string, and the sum of the numbers of strings."""
    stands: dict[CellCounts, Stand] = {}
    for counts, stand in parts:
        first = stands.get(counts)
        stands[counts] = stand if first is None else Stand(first.word, first.words + stand.words)
    if len(stands) > MOST:
        _too_many(cells, str(len(stands)))
    return iter(stands.values())


def _too_many(cells: Cells, given: str) -> None:
    """Raise BadInput: there are `given` classes, more than allowed."""
    must = f"the strings of one length must form at most {MOST} groups with equal answers"
    raise BadInput(must, f"{given} at length {cells.n}", "give --sample 1000")


# --- Reading languages ------------------------------------------------------------------------------------------------


def _language(model: Transformer, source: Language) -> tuple[Automaton | frozenset[Word], str]:
    """The language, as an automaton or a set of strings, and its name. A text that is the path of a file is that file,
    else a regular expression."""
    if isinstance(source, Automaton):
        return _over(model, source), "the automaton"
    if not isinstance(source, (str, PathLike)):
        if not isinstance(source, Iterable):
            raise BadInput("inputs must be given as a language, a set of strings", repr(source), DO)
        return frozenset(_checked(model, source, "the list")), "the list"
    path = Path(source)
    if isinstance(source, str) and not names_file(source):
        return regular_table(expression(source, "a file of inputs must exist"), model.alphabet), source
    text, name = text_of(path, "a file of inputs", do=DO), name_of(str(path), model.alphabet)
    if (found := format_of(text)) is not None:
        raise BadInput("a file of inputs must have one string a line, or an automaton", f"{path}: {found}", DO)
    if text.lstrip().startswith("{") and '"transitions"' in text:
        return _over(model, read_table(text, str(path))), name
    lines = text.removesuffix("\n").split("\n") if text else []
    if len(lines) > LISTED:
        raise BadInput(
            f"a file of strings must have at most {LISTED} lines",
            f"{len(lines)} in {path}",
            "give fewer lines, or --sample 1000",
        )
    return frozenset(_checked(model, lines, str(path))), name


def _longest(language: Automaton | frozenset[Word]) -> int | None:
    """The greatest length of a string of the language, 0 where it has none; None where it is infinite."""
    if isinstance(language, frozenset):
        return max(map(len, language), default=0)
    alive = language.alive
    # Level by level, the states that strings of a length reach and from which some string is accepted. If a level is
    # not empty after as many steps as there are states, there is a cycle, and the language is infinite.
    longest, level = 0, {0} & alive
    for length in range(len(language.moves) + 1):
        if not level:
            return longest
        longest = length
        level = {to for state in level for to in language.moves[state]} & alive
    return None


def _checked(model: Transformer, given: Iterable[Any], where: str) -> Iterator[Word]:
    """The strings of a file or list as tuples of symbols; BadInput, with its line, for one that is not an input."""
    for number, written in enumerate(given, 1):
        try:
            word = tuple(model.embedding.typed(model.tokens(written)))
        except (BadInput, TypeError) as error:
            must, written_text = (
                (error.must, error.given) if isinstance(error, BadInput) else ("a string", repr(written))
            )
            raise BadInput(must, f"{written_text}, in line {number} of {where}", "leave the line out") from None
        yield word


def _over(model: Transformer, table: Automaton) -> Automaton:
    """The automaton over the whole alphabet of the model; it rejects strings with symbols that `table` does not
    read."""
    if not all(answer in (True, False, None) for answer in table.answers):
        raise BadInput("an automaton of inputs must accept or reject", "one that answers with labels", DO)
    foreign = [symbol for symbol in table.alphabet if symbol not in model.alphabet]
    if foreign:
        must = f"the inputs must be strings over the alphabet {' '.join(model.alphabet)}"
        raise BadInput(must, f"an automaton that reads {' '.join(foreign)}", DO)
    sink = len(table.moves)
    places = [table.alphabet.index(symbol) if symbol in table.alphabet else None for symbol in model.alphabet]
    moves = [tuple(sink if k is None else row[k] for k in places) for row in table.moves]
    answers = (*(answer is True for answer in table.answers), False)
    return Automaton(model.alphabet, (*moves, (sink,) * len(model.alphabet)), answers).minimal()


def _places(count: int, sample: int, seed: int) -> set[int]:
    """`sample` different numbers below `count` (all, if there are no more), drawn uniformly with a seed."""
    draw, places = random.Random(seed), set[int]()
    while len(places) < min(sample, count):
        places.add(draw.randrange(count))
    return places


def _span(lengths: Sequence[int]) -> str:
    """The lengths in words, as "3" or "1 to 6"."""
    return str(lengths[0]) if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]}"


def _many(count: int) -> str:
    """A number of strings in words."""
    digits = str(count)
    count_text = f"{count:,}"
    if count >= 10**15:
        power = f"10^{len(digits) - 1}"
        count_text = power if count == 10 ** (len(digits) - 1) else f"about {digits[0]}.{digits[1:3]} * {power}"
    return f"{count_text} string{'s' * (count != 1)}"
