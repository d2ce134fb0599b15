"""How many bits a model needs at each length, and up to which length the float formats of runtimes are enough.

Two bounds meet. From above: bits are proved to be enough where interval arithmetic over all possible roundings gives
every string its exact answer. From below: bits fail where one run, rounded to so many bits, decides a string otherwise.
`_Length` has both for one length, `precision` the table and the guarantees for each format.
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
from symcook.forward import forward
from symcook.model.answers import EMPTY_STRING, brief
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.questions.answer import Answer, AnswerCell, keeping, lengths
from symcook.questions.moving import answer, exact_answers
from symcook.words import Word
from symcook.words.cells import MOST, Cells
from symcook.words.inputs import Language, Strings, Within, strings
from symcook.words.simulated import FewBits, ProvedInBits, nearest_first, numbered, said, together, written

if TYPE_CHECKING:
    from symcook.domains.cells import Array
    from symcook.domains.protocol import Domain

MOST_BITS = 1024
TOP_BITS = 64
"""From here down bits are tried where no number of them is known to be enough."""
RUN = 1024
"""At most so many words of a length are run: all, or one for each class, or a part of them."""


@door()
def precision(
    model: Transformer,
    max_length: int,
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
    """How many bits are enough, by length and by float format.

    Enough to decide every string of each length correctly. "enough" bits are proved for every string and every order of
    sums; at "fails" bits a string is known to be decided otherwise. Each format has a guaranteed length, and a string
    beyond it that fails, where one is found.

    For example: symcook precision parity --max-length 6 --format float16

    formats --format float16|bfloat16|float32|float64: A float format (all). Repeatable.
    beyond N: Look for a string that fails up to this length.

    A row has "enough": the least p at which all that any runtime with p-bit numbers may compute, in the error model
    of `symcook.domains.rounding` (sums in any order, divided once behind them; exponents without an end), gives the
    exact answer for every word; and "fails": the greatest p below at which a word is known to be decided otherwise,
    with every operation rounded to p bits in the order written (`run --domain mpmath --bits p`), and that "word".
    So the least number of bits p(n) lies above "fails" and is at most "enough". None: no number of bits up to
    MOST_BITS is shown to be enough, as where a logit is exactly on its threshold and is rounded; or no word fails.

    Where heads average what stands before, prefixes are merged (`symcook.words.simulated`). The sets of merged strings
    keep the signs of what is rounded, so that fewer bits may be enough than strings one by one show.

    `extra["formats"]` has for each of the formats "guaranteed", the greatest length up to which every word, and every
    shorter one "from" length 1 on, is decided rightly by every runtime of the error model; None where one has no run.
    "from" is 0 where the empty word is asked about too, as with `min_length` 0. "wrong" and "length" are the first word
    beyond that is decided otherwise by a run, and its length (None where none is found up to max_length); "gives" and
    "exact" are the answers. With `beyond` the search for such a word goes on, by lengths that grow by a quarter, to
    that length: a word that it finds need not be the first ("first" is then False).

    Raises BadInput for a model that does not decide about words, an unknown format, or too many words of a length.
    Source: Cookbook, Section 5.7 and Section 7.2; chiang2022, Section 5.1.
    """
    asked = lengths(model, max_length, min_length)
    for name in formats:
        if name not in RUNTIMES:
            raise unknown("format", name, list(RUNTIMES))
    lengths(model, max(beyond, max_length))
    bound = model.bind(values)
    within = strings(bound, asked, inputs, sample, seed, positions)
    bound = within.counted(bound)
    rows: list[dict[str, AnswerCell]] = []
    by_format: dict[str, dict[str, Any]] = {
        name: dict.fromkeys(("from", "guaranteed", "wrong", "length", "first", "gives", "exact")) for name in formats
    }
    # Whether every length so far is proved for a format: its guarantee ends at the first one that is not.
    safe = dict.fromkeys(formats, True)
    guess, method, last, runs = 4, "", 0, ""

    def answered() -> Answer:
        """The answer for the lengths so far."""
        notes = {
            "enough": "bits that suffice for every string in every runtime that obeys the error model",
            "error model": "sums in any order; attention divides after summing; exponentials within 4 ulps",
            "words": method,
            "strings that were run": runs,
        }
        for name, guarantee in by_format.items():
            notes[name] = _sentence(guarantee, last, bound.embedding.added > 0)
        return Answer(
            "precision", bound.name, {"max_length": max_length, "formats": list(formats)},
            ("n", "fails", "word", "enough"), tuple(rows), notes, ("fails", "enough"), "bits",
            f"FewBits that {bound.name} needs", extra={"formats": by_format},
            nothing={"fails": "none", "enough": "none"}, inputs=within,
        )  # fmt: skip

    try:
        merged = FewBits(bound, within, max(beyond, max_length))
    except NotExact:
        merged = None

    def follow(task: _Length) -> None:
        """Note for each float format whether one more length is guaranteed, or which string fails."""
        for name in formats:
            if by_format[name]["length"] is not None:
                continue
            safe[name] = safe[name] and task.proved(*RUNTIMES[name])
            if safe[name]:
                by_format[name] |= {"from": min(asked[0], 1), "guaranteed": task.n}
            elif (wrong := task.wrong(name)) is not None:
                by_format[name] |= wrong | {"length": task.n, "first": True}

    # A guarantee is from length 1 on, so that the lengths below the first one asked about are proved too.
    for n in range(1, asked[0] if formats else 1):
        try:
            if within.many(n):
                follow(_Length(bound, within, n, merged))
        except (NoRun, Undecided):  # nobody asked about this length
            safe = dict.fromkeys(formats, False)
    # The lengths that are asked about.
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
        # Longer lengths, where only a string that fails is looked for.
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


def _sentence(guarantee: Mapping[str, Any], last: int, empty: bool) -> str:
    """The note on one float format; `empty`: the empty string is among the inputs."""
    begin = f"from n = {guarantee['from']} " if empty else "up "
    safe = "answers guaranteed"
    safe += " at no length" if guarantee["guaranteed"] is None else f" {begin}to n = {guarantee['guaranteed']}"
    # Guaranteed as far as was asked; or no failing string is known; or one is.
    if guarantee["guaranteed"] == last:
        return f"{safe} (the maximum length)"
    if guarantee["length"] is None:
        return f"{safe}; no tested string up to n = {last} fails"
    string = brief(guarantee["wrong"] or EMPTY_STRING, 60)
    gives, exact = _said(guarantee["gives"]), _said(guarantee["exact"])
    return f"{safe}; for {string} (n = {guarantee['length']}) it answers {gives} instead of {exact}"


def _said(value: object) -> str:
    return {True: "accept", False: "reject"}.get(value, str(value)) if isinstance(value, bool) else str(value)


class _Length:
    """All strings of one length: which bits are proved to be enough for them, and which are known to fail."""

    def __init__(self, model: Transformer, strings: Strings, n: int, merged: FewBits | None = None) -> None:
        self.model, self.strings, self.n, self.merged = model, strings, n, merged
        self.by_words = merged is None
        """Whether strings were run one by one."""
        self._expected: dict[Word, Any] = {}
        self._near: Word | None = None
        """The string for which a proof failed last: more bits are tried on it first."""
        self._ladder = [BallDomain(256), ExactDomain(), BallDomain(4096)]
        self._by_bits: dict[int, Sequence[Word] | None] = {}
        self.sure: int | None = None
        """Bits in which every run gives the exact answers."""

    @cached_property
    def words(self) -> Cells | Within:
        """The strings by classes."""
        return self.strings.cover(self.n, self.model)

    @property
    def says(self) -> str:
        """How strings are grouped."""
        return (self.merged or self.words).says

    @property
    def ran(self) -> str:
        """Which strings were run."""
        return self.runs_text if self.merged is None or self.by_words else "all, those with the same numbers once"

    def expected(self, word: Word) -> Any:
        """The exact model's answer."""
        if word not in self._expected:
            self._expected[word] = self._exact_answer(word)
        return self._expected[word]

    def proved(self, stored: Format, inner: Format) -> bool:
        """Whether every string gets its exact answer, however a runtime rounds."""
        domain = Rounding(stored, inner)
        # All strings at once, in classes.
        if self.merged is not None:
            with suppress(NotExact):
                proof = self.merged.proved(self.n, stored)
                if proof.holds:
                    return True
                # A string that fails by itself settles it; else only the classes were too coarse.
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
        """Whether one string gets its exact answer, however a runtime rounds."""
        try:
            own_answer = answer(forward(self.model, self.model.tokens(word), domain))
        except (Undecided, BadInput, NotExact):
            return False
        return own_answer is not None  # and then it is the exact one, which is in the sets

    def enough(self, guess: int) -> int | None:
        """The least bits that are proved to be enough, searched around the guess; None where MOST_BITS are not."""
        bits = guess
        while not self._enough(bits):
            if bits >= MOST_BITS:
                return None
            # Enough for the string that failed: doubling steps up, then bisection. Then all strings are tried again.
            low, step = bits, 1
            while not self._perhaps(low + step):
                low, step = low + step, 2 * step
                if low >= MOST_BITS:
                    return None
            bits = low + step
            while bits - low > 1:
                middle = (low + bits) // 2
                low, bits = (low, middle) if self._perhaps(middle) else (middle, bits)
        # The guess may have been too high.
        while bits > 1 and self._enough(bits - 1):
            bits -= 1
        return bits

    def _enough(self, bits: int) -> bool:
        return self.proved(Format(bits), Format(bits))

    def _perhaps(self, bits: int) -> bool:
        """Whether so many bits are enough for the string that failed last; without one, for all strings."""
        format = Format(bits)
        return self._enough(bits) if self._near is None else self._right(self._near, Rounding(format, format))

    @property
    def runs_text(self) -> str:
        """Which words are run."""
        if self.strings.many(self.n) <= RUN:
            return "all"
        if self.merged is None and self.words.many <= MOST:
            return "one for each class" if self.words.many <= RUN else f"one for each of at most {RUN} classes"
        return f"{RUN} of {self.strings.many(self.n):,}, drawn with the seed 0"

    @cached_property
    def runs(self) -> Array:
        """The strings to run, by the numbers of their symbols."""
        if self.strings.many(self.n) <= RUN:
            return numbered(self.model, list(self.strings.each(self.n)))
        if self.merged is None and self.words.many <= MOST:
            classes = itertools.islice(self.words, 0, None, -(-self.words.many // RUN))
            return numbered(self.model, [word for word, _ in classes])
        return self.strings.draw(self.n, RUN)

    def fails(self, enough: int | None) -> tuple[int | None, str | None]:
        """The greatest number of bits below `enough` at which a string is decided otherwise, and that string."""
        self.sure = enough
        for bits in range((TOP_BITS + 1 if enough is None else enough) - 1, 0, -1):
            failure = self._wrong_in(bits)
            if failure is not None:
                word, _ = failure
                return bits, self.model.embedding.written(word)
        return None, None

    def _wrong_in(self, bits: int) -> tuple[Word, Any] | None:
        """The first string that a run in so many bits decides otherwise, and the answer of that run."""
        # The simulated run of all strings in classes.
        if self.merged is not None:
            with suppress(NotExact):
                return self.merged.wrong(self.n, bits)
        # Else only strings that rounding may decide otherwise: first the one for which the proof failed.
        self.by_words = True
        format = Format(bits)
        suspect, typed = self._sets(format).word, self._open(format)
        if suspect is not None:
            typed = np.concatenate([numbered(self.model, [suspect]), typed], axis=1)
        if not typed.size:
            return None
        # All of them in one simulated run, or one by one where that has no values for the model.
        try:
            gives = self._together(typed, bits)
        except (NotExact, BadInput):
            return self._wrong(written(self.model, typed), Mp(bits, simulates=True))
        for k, (rounded_answer, exact_answer) in enumerate(zip(gives, self._exact_answers(typed), strict=True)):
            if rounded_answer != exact_answer:
                return written(self.model, typed[:, [k]])[0], rounded_answer
        return None

    def _sets(self, format: Format) -> ProvedInBits:
        """The answers that are proved for the strings in a format, however a runtime rounds."""
        if self.merged is not None:
            with suppress(NotExact):
                return self.merged.proved(self.n, format)
        return ProvedInBits(False)

    def _open(self, format: Format) -> Array:
        """The strings to run that rounding may decide otherwise."""
        return self.runs[:, self._sets(format).verdicts(self.runs) < 0]

    def _exact_answers(self, typed: Array) -> Sequence[Any]:
        """The exact model's answers to strings. Bits that are enough give them too: exact runs are rarely needed."""
        sets = ProvedInBits(False) if self.sure is None else self._sets(Format(self.sure))
        if sets.holds:
            return self._answers(sets.verdicts(typed))
        # Else a simulated run in these bits; where the model has none, exact runs. Known answers are kept.
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
        """The answers of one run in so many bits to these strings."""
        return self._answers(said(self.model.readout, together(self.model, typed, bits), typed.shape[1]))

    def _answers(self, verdicts: Array) -> Sequence[Any]:
        """Verdicts of arrays as answers to compare: booleans, or indices of the largest score."""
        return [bool(verdict) for verdict in verdicts] if self.model.decides else verdicts.tolist()

    def wrong(self, name: str) -> dict[str, Any] | None:
        """The first string that a run in this format decides otherwise, and both answers; None where no run does."""
        stored, _ = RUNTIMES[name]
        if name == "bfloat16":  # numpy has no such type: bits alone are simulated, with exponents without an end
            failure = self._wrong_in(stored.bits)
        else:
            failure = self._wrong(written(self.model, self._open(stored)), make_domain(name))
        if failure is None:
            return None
        word, gives = failure
        return {"wrong": self.model.embedding.written(word), "gives": gives, "exact": self.expected(word)}

    def _wrong(self, words: Iterable[Word], domain: Domain) -> tuple[Word, Any] | None:
        """The first of these strings that a run in the domain decides otherwise, and the answer of that run."""
        for word in words:
            try:
                with np.errstate(all="ignore"):
                    own_answer = answer(forward(self.model, self.model.tokens(word), domain))
            except BadInput:  # a value beyond the format
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
