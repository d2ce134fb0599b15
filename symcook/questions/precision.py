"""How many bits a model needs at each length, and up to which length the float formats of runtimes are enough.

There are two bounds. Upper bound: a number of bits is enough if interval arithmetic over all possible roundings gives
every string its exact answer. Lower bound: a number of bits fails if one run, rounded to that many bits, decides a
string otherwise. `_Length` computes both for one length, and `precision` makes the table and the guarantees for each
format.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from symcook.domains import make_domain
from symcook.domains.ball import BallDomain
from symcook.domains.exact import Exact as ExactDomain
from symcook.domains.mp import Mp
from symcook.domains.rounding import RUNTIMES, Format, Rounding
from symcook.door import Progress, door
from symcook.errors import BadInput, NoRun, NotExact, Undecided, unknown
from symcook.export import provedbits
from symcook.export.guarantee import Fitting
from symcook.forward import forward
from symcook.model.answers import EMPTY_STRING, brief
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.questions.answer import Answer, AnswerCell, asked_strings, keeping, lengths
from symcook.questions.moving import answer, exact_answers
from symcook.words import Word
from symcook.words.cells import MOST, Cells
from symcook.words.inputs import Language, Strings, Within
from symcook.words.simulated import FewBits, ProvedInBits, nearest_first, numbered, said, together, written

if TYPE_CHECKING:
    from symcook.domains.cells import Array
    from symcook.domains.protocol import Domain
    from symcook.model.extent import Extent

MOST_BITS = 1024
"""The greatest number of bits that is tried: the search for a proof gives up when it is not enough."""
TOP_BITS = 64
"""The number of bits from which runs are tried downwards, if no number of bits is proved to be enough. It is too large
for simulated runs of several strings (`symcook.words.simulated.MOST_BITS`)."""
RUN = 1024
"""The maximum number of strings of a length that are run: all of them, one for each class, or a sample."""


@door()
def precision(
    model: Transformer,
    max_length: int | None = None,
    *,
    min_length: int = 1,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    formats: Sequence[str] = ("float16", "bfloat16", "float32", "float64"),
    beyond: int = 0,
    values: Mapping[str, Exact] | None = None,
    progress: Progress | None = None,
) -> Answer:
    """How many bits are enough to decide every string correctly, at each length and in each float format.

    Bits p are enough if every runtime with p-bit numbers gives the exact answer for every string, in the error
    model of `symcook.domains.rounding` (sums in any order, attention divides after summing, unlimited exponents).
    At "fails" bits a string is known to be decided otherwise, with every operation rounded to p bits in the order
    written (`run` in the number system mpmath with `bits`). So the smallest number of bits is above "fails" and at
    most "enough".

    If heads average over earlier positions, prefixes are grouped (`symcook.words.simulated`). The sets of grouped
    strings keep the signs of rounded values, so that fewer bits may be proved to be enough than by single strings.

    Arguments:
        max_length: int or None (None). The maximum length in input symbols; by default that of the longest of
            finitely many inputs.
        min_length: int (1). The smallest length of a string; with 0 the empty string is included.
        inputs: a list of strings, a regular expression, a file or an automaton (None). The strings to test;
            all by default.
        sample: int or None (None). The number of strings that are drawn at random from `inputs`.
        seed: int (0). The seed of the draw.
        positions: "last", "all" or "after:SYMBOL" (None). The answers that count, for a readout at each position;
            all by default.
        formats: list of str. Some of "float16", "bfloat16", "float32", "float64"; all by default.
        beyond: int (0). Look for a string that a format decides wrongly up to this length, by lengths that grow by
            a quarter.
        values: {parameter: exact value} (None). A parameter without a value has its default.
        progress: function (None). Called with the work done and the total (None if unknown).

    Returns: Answer with a row for each length: "n", "fails" (None if no string is found to fail), "word" (that
    string), "enough" (None if no number of bits up to MOST_BITS is proved to be enough). `extra["formats"]` has for
    each format "guaranteed" (the largest length such that every runtime decides all strings up to it correctly,
    "from" length 1 or 0 on; None if there is no such length), "wrong" and "length" (the first longer string that a
    run decides otherwise; with `beyond` it need not be the first, and "first" is False), "gives" and "exact" (the
    two answers). `extra["theorems"]` lists the stored theorems about the model on a machine that rounds: "id",
    "accepts" (the strings that are accepted, as a formula; None if the theorem is about values), "states" (what it
    proves), "where" (further premises), "floats" (whether whole numbers must be kept), and "lengths": by number of bits
    the greatest length that the theorem covers.

    Raises: BadInput: a model that does not decide about strings, an unknown format, or too many strings of a
    length. Undecided: an exact answer is still unknown with 16,384 bits.

    Example:

    >>> import symcook as sc
    >>> answer = sc.build("parity").bind({"c": 1}).precision(2, formats=["float16"])
    >>> [(row["n"], row["enough"]) for row in answer.rows], answer.extra["formats"]["float16"]["guaranteed"]
    ([(1, 6), (2, 9)], 2)

    Source: Cookbook, Section 5.7 and Section 7.2; chiang2022, Section 5.1.
    """
    for name in formats:
        if name not in RUNTIMES:
            raise unknown("format", name, list(RUNTIMES))
    bound = model.bind(values)
    within = asked_strings(bound, max_length, min_length, inputs, sample, seed, positions)
    lengths(model, max(beyond, within.longest))
    if beyond and beyond <= within.longest:
        must = f"beyond must be greater than the maximum length, {within.longest}"
        raise BadInput(must, beyond, f"give --beyond {2 * within.longest}, or leave it out")
    bound, extent = within.counted(bound), within.extent(model, values)
    rows: list[dict[str, AnswerCell]] = []
    by_format: dict[str, dict[str, Any]] = {
        name: dict.fromkeys(("from", "guaranteed", "wrong", "length", "first", "gives", "exact")) for name in formats
    }
    # By format, whether every length so far is proved: a guarantee ends before the first length that is not, and before
    # the first at which a number may overflow, since 0 times infinity is no number in a product of matrices.
    safe = dict.fromkeys(formats, True)
    fits = {name: Fitting(bound, name, within.longest + bound.embedding.added, None) for name in formats}
    # The number of bits to try first, how strings are grouped, the last length done, and which strings were run.
    guess, method, last, runs = 4, "", 0, ""
    longest = max(*within.lengths, beyond)
    proved, theorems = provedbits.noted(model, {name: RUNTIMES[name][0].bits for name in formats})

    def answered() -> Answer:
        """The answer for the lengths so far."""
        notes = {
            "enough": f"bits that suffice for {extent.strings} in every runtime that follows the error model",
            "error model": "sums in any order; attention divides after summing; exponentials within 4 ulps",
            "words": method,
            "strings that were run": runs,
        }
        for name, guarantee in by_format.items():
            notes[name] = _sentence(guarantee, last, longest, bound.embedding.added > 0, extent)
        notes |= proved
        return Answer(
            "precision", bound.name, {"max_length": within.longest, "formats": list(formats)},
            ("n", "fails", "word", "enough"), tuple(rows), notes, ("fails", "enough"), "bits",
            f"Bits that {bound.name} needs", extra={"formats": by_format, "theorems": theorems},
            nothing={"fails": "none", "enough": "none"}, inputs=within, extent=extent,
        )  # fmt: skip

    try:
        merged = FewBits(bound, within, max(beyond, within.longest))
    except NotExact:
        merged = None

    def follow(task: _Length) -> None:
        """Record in `by_format`, for each format, that the length of `task` is guaranteed, or which string fails."""
        for name in formats:
            if by_format[name]["length"] is not None:
                continue
            safe[name] = safe[name] and task.proved(*RUNTIMES[name])
            safe[name] = safe[name] and _fits(fits[name], task.n + bound.embedding.added)
            if safe[name]:
                by_format[name] |= {"from": min(within.shortest, 1), "guaranteed": task.n}
            elif (wrong := task.wrong(name)) is not None:
                by_format[name] |= wrong | {"length": task.n, "first": True}

    # A guarantee begins at length 1, so the lengths below the first one in the question are proved as well.
    for n in range(1, within.shortest if formats else 1):
        try:
            if within.many(n):
                follow(_Length(bound, within, n, merged))
        except (NoRun, Undecided):  # no error, since the question is not about this length; but no guarantee either
            safe = dict.fromkeys(formats, False)
    # The lengths in the question.
    with keeping(rows, answered):
        for n in within.lengths:
            task = _Length(bound, within, n, merged)
            enough = task.enough(guess)
            guess = enough or guess
            fails, word = task.fails(enough)
            follow(task)
            rows.append({"n": n, "fails": fails, "word": word, "enough": enough})
            method, last, runs = task.says, n, task.ran
            if progress is not None:
                progress(n, within.lengths[-1])
        # Larger lengths up to `beyond`: only strings that fail are searched for.
        while (n := n + max(1, n // 4)) <= beyond:
            if not within.many(n):
                continue
            later = _Length(bound, within, n, merged)
            for name in formats:
                if by_format[name]["length"] is None and (wrong := later.wrong(name)) is not None:
                    by_format[name] |= wrong | {"length": n, "first": False}
            last = n
            if progress is not None:
                progress(n, beyond)
        last = max(last, beyond)
    return answered()


def _fits(fitting: Fitting, n: int) -> bool:
    """Whether no number of a run in floats overflows on `n` tokens; False where a weight is beyond the format."""
    try:
        return n <= fitting.last
    except BadInput:
        return False


def _sentence(guarantee: Mapping[str, Any], last: int, longest: int, empty: bool, extent: Extent) -> str:
    """The note on one float format, whose entry in `by_format` is `guarantee`. `last` is the last length done,
    `longest` that of the question, and `empty` says whether the model has a run on the empty string."""
    begin = f"from n = {guarantee['from']} " if empty else "up "
    safe = "answers guaranteed" if extent.language is None else f"answers to {extent.language} guaranteed"
    safe += " at no length" if guarantee["guaranteed"] is None else f" {begin}to n = {guarantee['guaranteed']}"
    # Either all lengths are guaranteed, or no failing string is known, or one is.
    if guarantee["guaranteed"] == last:
        return f"{safe} (the maximum length)" if last == longest else safe
    if guarantee["length"] is None:
        return f"{safe}; no tested string up to n = {last} fails"
    string = brief(guarantee["wrong"] or EMPTY_STRING, 60)
    gives, exact = _said(guarantee["gives"]), _said(guarantee["exact"])
    return f"{safe}; for {string} (n = {guarantee['length']}) it answers {gives} instead of {exact}"


def _said(value: object) -> str:
    """An answer as text: accept or reject for a truth value."""
    return {True: "accept", False: "reject"}.get(value, str(value)) if isinstance(value, bool) else str(value)


class _Length:
    """The strings of one length: which numbers of bits are proved to be enough for them, and which are known to
    fail."""

    def __init__(self, model: Transformer, strings: Strings, n: int, merged: FewBits | None = None) -> None:
        """The strings of length `n`. `merged` has them in groups of prefixes; None if the model does not allow it."""
        self.model, self.strings, self.n, self.merged = model, strings, n, merged
        self.by_words = merged is None
        """Whether the strings of `runs` were run, rather than all strings by groups."""
        self._expected: dict[Word, Any] = {}
        """The exact answers computed so far."""
        self._near: Word | None = None
        """The string for which a proof failed last: more bits are tried on it first."""
        self._ladder = [BallDomain(256), ExactDomain(), BallDomain(4096)]
        """The number systems that are tried for an exact answer, in this order."""
        self._by_bits: dict[int, Sequence[Word] | None] = {}
        """By number of bits: one string for each class, nearest decisions first; None if there are too many classes."""
        self.sure: int | None = None
        """A number of bits in which every run gives the exact answers; None if none is known."""

    @cached_property
    def words(self) -> Cells | Within:
        """The strings, one for each class."""
        return self.strings.cover(self.n, self.model)

    @property
    def says(self) -> str:
        """How strings are grouped."""
        return (self.merged or self.words).says

    @property
    def ran(self) -> str:
        """Which strings were run, as text."""
        return self.runs_text if self.merged is None or self.by_words else "all, those with the same numbers once"

    def expected(self, word: Word) -> Any:
        """The exact model's answer to a string, cached."""
        if word not in self._expected:
            self._expected[word] = self._exact_answer(word)
        return self._expected[word]

    def proved(self, stored: Format, inner: Format) -> bool:
        """Whether it is proved that every string gets its exact answer, however a runtime rounds: stored numbers to the
        format `stored`, and numbers inside an operation to the format `inner`. Stores a string for which the proof
        failed as `_near`."""
        domain = Rounding(stored, inner)
        # All strings at once, in classes.
        if self.merged is not None:
            with suppress(NotExact):
                proof = self.merged.proved(self.n, stored)
                if proof.holds:
                    return True
                # If a string fails on its own too, there is no proof. Otherwise only the classes were too coarse.
                if proof.word is not None and not self._right(proof.word, domain):
                    self._near = proof.word
                    return False
        # One string for each class, unless there are too many classes.
        bits = min(stored.bits, inner.bits)
        words = self._by_bits.get(bits)
        if words is None:
            cover = self.strings.cover(self.n, self.model, bits=bits)
            listed = [] if cover.many > MOST else [word for word, _ in cover]
            words = self._by_bits[bits] = None if cover.many > MOST else nearest_first(self.model, listed)
        if words is None:
            return False
        tried_first = [] if self._near is None else [self._near]
        failing = next((word for word in (*tried_first, *words) if not self._right(word, domain)), None)
        self._near = self._near if failing is None else failing
        return failing is None

    def _right(self, word: Word, domain: Domain) -> bool:
        """Whether it is proved that one string gets its exact answer, however a runtime rounds as in `domain`."""
        try:
            own_answer = answer(forward(self.model, self.model.tokens(word), domain))
        except (Undecided, BadInput, NotExact):
            return False
        return own_answer is not None  # the sets of `domain` contain the exact values, so this is the exact answer

    def enough(self, guess: int) -> int | None:
        """A number of bits that is proved to be enough, while one bit less is not proved, searched from `guess` on.
        None if the search passes `MOST_BITS`."""
        bits = guess
        while not self._enough(bits):
            if bits >= MOST_BITS:
                return None
            # Find the bits that are enough for the string that failed, by doubling steps and then bisection. After that
            # all strings are tried again.
            low, step = bits, 1
            while not self._perhaps(bits := min(low + step, MOST_BITS)):
                low, step = bits, 2 * step
                if low >= MOST_BITS:
                    return None
            while bits - low > 1:
                middle = (low + bits) // 2
                low, bits = (low, middle) if self._perhaps(middle) else (middle, bits)
        # The guess may have been too high.
        while bits > 1 and self._enough(bits - 1):
            bits -= 1
        return bits

    def _enough(self, bits: int) -> bool:
        """Whether so many bits are proved to be enough for all strings."""
        return self.proved(Format(bits), Format(bits))

    def _perhaps(self, bits: int) -> bool:
        """Whether so many bits are proved to be enough for the string that failed last; if there is none, for all."""
        format = Format(bits)
        return self._enough(bits) if self._near is None else self._right(self._near, Rounding(format, format))

    @property
    def runs_text(self) -> str:
        """Which strings `runs` has, as text."""
        if self.strings.many(self.n) <= RUN:
            return "all"
        if self.merged is None and self.words.many <= MOST:
            return "one for each class" if self.words.many <= RUN else f"one for each of at most {RUN} classes"
        return f"{RUN} of {self.strings.many(self.n):,}, drawn with the seed 0"

    @cached_property
    def runs(self) -> Array:
        """The strings to run, as an array with a column of symbol numbers for each string."""
        if self.strings.many(self.n) <= RUN:
            return numbered(self.model, list(self.strings.each(self.n)))
        if self.merged is None and self.words.many <= MOST:
            classes = itertools.islice(self.words, 0, None, -(-self.words.many // RUN))
            return numbered(self.model, [word for word, _ in classes])
        return self.strings.draw(self.n, RUN)

    def fails(self, enough: int | None) -> tuple[int | None, str | None]:
        """The largest number of bits below `enough` at which a run decides a string otherwise, and that string; both
        None if there is none. Sets `sure` to `enough`."""
        self.sure = enough
        for bits in range((TOP_BITS + 1 if enough is None else enough) - 1, 0, -1):
            failure = self._wrong_in(bits)
            if failure is not None:
                word, _ = failure
                return bits, self.model.embedding.written(word)
        return None, None

    def _wrong_in(self, bits: int) -> tuple[Word, Any] | None:
        """The first string that a run in so many bits decides otherwise, and the answer of that run; None if there is
        none."""
        # A simulated run of all strings, by groups.
        if self.merged is not None:
            with suppress(NotExact):
                return self.merged.wrong(self.n, bits)
        # Otherwise the strings that rounding may decide otherwise, the one for which the proof failed first.
        self.by_words = True
        format = Format(bits)
        suspect, candidates = self._sets(format).word, self._open(format)
        if suspect is not None:
            candidates = np.concatenate([numbered(self.model, [suspect]), candidates], axis=1)
        if not candidates.size:
            return None
        # All of them in one simulated run; or one by one, if such a run is not possible for the model.
        try:
            gives = self._together(candidates, bits)
        except (NotExact, BadInput):
            return self._wrong(written(self.model, candidates), Mp(bits, simulates=True))
        for k, (rounded_answer, exact_answer) in enumerate(zip(gives, self._exact_answers(candidates), strict=True)):
            if rounded_answer != exact_answer:
                return written(self.model, candidates[:, [k]])[0], rounded_answer
        return None

    def _sets(self, format: Format) -> ProvedInBits:
        """The answers that are proved for the strings, however a runtime rounds to `format`."""
        if self.merged is not None:
            with suppress(NotExact):
                return self.merged.proved(self.n, format)
        return ProvedInBits(False)

    def _open(self, format: Format) -> Array:
        """The strings of `runs` whose answer is not proved in `format`, so that rounding may change it."""
        return self.runs[:, self._sets(format).verdicts(self.runs) < 0]

    def _exact_answers(self, typed: Array) -> Sequence[Any]:
        """The exact model's answers to strings. Runs in a number of bits that is enough give the same answers, so that
        exact runs are rarely needed."""
        sets = ProvedInBits(False) if self.sure is None else self._sets(Format(self.sure))
        if sets.holds:
            return self._answers(sets.verdicts(typed))
        # Otherwise by a simulated run in `sure` bits or, if that is not possible or `sure` is None, by exact runs.
        # Answers are cached.
        words = written(self.model, typed)
        unknown = [place for place, word in enumerate(words) if word not in self._expected]
        if unknown:
            few = [words[place] for place in unknown]
            try:
                self._expected |= zip(few, self._together(typed[:, unknown], self.sure or TOP_BITS), strict=True)
            except (NotExact, BadInput):
                self._expected |= exact_answers(self.model, few)
        return list(map(self.expected, words))

    def _together(self, typed: Array, bits: int) -> Sequence[Any]:
        """The answers to these strings of one simulated run in so many bits."""
        return self._answers(said(self.model.readout, together(self.model, typed, bits), typed.shape[1]))

    def _answers(self, verdicts: Array) -> Sequence[Any]:
        """An array of verdicts as answers to compare: truth values, or indices of the largest score."""
        return [bool(verdict) for verdict in verdicts] if self.model.decides else verdicts.tolist()

    def wrong(self, name: str) -> dict[str, Any] | None:
        """The first string that a run in the format `name` decides otherwise, and both answers; None if no string that
        is run fails."""
        stored, _ = RUNTIMES[name]
        if name == "bfloat16":  # numpy has no such type: its bits are simulated, with unlimited exponents
            failure = self._wrong_in(stored.bits)
        else:
            failure = self._wrong(written(self.model, self._open(stored)), make_domain(name))
        if failure is None:
            return None
        word, gives = failure
        return {"wrong": self.model.embedding.written(word), "gives": gives, "exact": self.expected(word)}

    def _wrong(self, words: Iterable[Word], domain: Domain) -> tuple[Word, Any] | None:
        """The first of these strings that a run in `domain` decides otherwise, and the answer of that run; None if
        there is none."""
        for word in words:
            try:
                with np.errstate(all="ignore"):
                    own_answer = answer(forward(self.model, self.model.tokens(word), domain))
            except BadInput:  # a value beyond the format, no run, or a value that is not exact
                own_answer = "no value"
            if own_answer != self.expected(word):
                return word, own_answer
        return None

    def _exact_answer(self, word: Word) -> Any:
        """The exact model's answer to one string: by balls of 256 bits, exactly, then by balls of 4096 bits."""
        sequence = self.model.tokens(word)
        own_answer = None
        for domain in self._ladder:
            try:
                own_answer = answer(forward(self.model, sequence, domain))
            except (Undecided, NotExact):
                continue
            if own_answer is not None:
                return own_answer
        raise Undecided(f"the exact answer to {self.model.embedding.said(word)} was undecided")
