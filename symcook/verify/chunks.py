"""The strings of an exhaustive check in chunks. A chunk is given by the lengths and the common prefix of its strings.

A chunk is one row of a checkpoint and one call of a worker. Inside a chunk, one block of strings after the other is
run, so that memory is bounded at any length. The division into chunks depends only on the two sizes of a `Plan`, which
a checkpoint stores, so that a resumed check has the same chunks as before.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from symcook.errors import BadInput
from symcook.model.transformer import Transformer
from symcook.verify import answers
from symcook.verify.answers import InputPart
from symcook.words import Word, every

LIMIT = 2**34
"""The greatest number of inputs of one check, unless the user asks for more."""
CHUNK_SECONDS = 1.0
"""How many seconds a chunk should take: many times longer than recording it, and much shorter than a user waits."""
TRIAL_FROM = 2**10
"""The smallest number of strings of a check whose rate is measured before it begins."""
TRIAL_SECONDS, TRIALS = 0.2, 10
"""How many seconds of processor time a pass must take to measure the rate, and how often at most a long check repeats
the largest pass."""
SHORTEST = 1e-3
"""The least processor time, in seconds, that is assumed of a pass: processor clocks are coarse."""
WAITING = 1.0
"""After how many seconds of elapsed time a pass measures the rate even with less processor time: its reference waits,
or the machine is busy."""


class TooMuch(BadInput):
    """A check of more strings, or of more time, than is started without the user's consent."""


class Chunk(NamedTuple):
    """All strings of `first` to `last` typed symbols that begin with `prefix`, which is shorter than each of them."""

    first: int
    last: int
    prefix: Word

    def strings(self, letters: int) -> int:
        """How many strings the chunk has, over an alphabet of `letters` symbols."""
        return sum(letters ** (n - len(self.prefix)) for n in range(self.first, self.last + 1))


@dataclass(frozen=True)
class Plan:
    """All strings of length 1 to `max_length` (without the tokens that the model adds), in chunks of at most `size`
    strings; a chunk of a single pass may have more. A pass has at most `block` strings of one length, or as many as the
    alphabet has symbols if these are more.

    Where the run of a string contains the runs of its prefixes (`shared`), one pass over strings of length n also
    covers shorter lengths: as many lengths as the strings of a pass have symbols after their common prefix (the
    `stride`). The shortest lengths form the remainder, which may be fewer.
    """

    model: Transformer
    max_length: int
    block: int
    size: int

    @cached_property
    def letters(self) -> int:
        """The number of symbols of the alphabet."""
        return len(self.model.alphabet)

    @cached_property
    def shared(self) -> bool:
        """Whether one pass covers several lengths."""
        return self.model.unfollowed() is None and not self.model.embedding.ends[1]

    @cached_property
    def stride(self) -> int:
        """How many symbols of a string vary in one pass, at most."""
        if self.letters == 1:
            return self.max_length
        return max(1, _power(self.letters, self.block))

    @property
    def total(self) -> int:
        """The number of strings."""
        return sum(self.letters**n for n in range(1, self.max_length + 1))

    def fixed(self, last: int) -> int:
        """The length of the common prefix of one pass, whose longest strings have length `last`."""
        return max(0, last - self.stride)

    def __iter__(self) -> Iterator[Chunk]:
        # `done` is the greatest length covered so far. A common prefix is shortened as long as the chunk stays within
        # `size` strings.
        step = self.stride if self.shared else 1
        done = 0
        for last in range((self.max_length - 1) % step + 1, self.max_length + 1, step):
            depth = self.fixed(last)
            while depth and Chunk(done + 1, last, ("",) * (depth - 1)).strings(self.letters) <= self.size:
                depth -= 1
            for prefix in every(self.model.alphabet, depth):
                yield Chunk(done + 1, last, prefix)
            done = last

    def parts(self, chunk: Chunk) -> Iterator[InputPart]:
        """The passes of a chunk."""
        for ending in every(self.model.alphabet, self.fixed(chunk.last) - len(chunk.prefix)):
            yield self.part(chunk.first, chunk.last, (*chunk.prefix, *ending))

    def part(self, first: int, last: int, prefix: Word) -> InputPart:
        """One pass: the strings of lengths `first` to `last` that begin with `prefix`."""
        from symcook.domains.batch import Words

        before, after = self.model.embedding.ends
        added = len(before) + len(after)
        lengths = tuple(n + added for n in range(first, last + 1)) if self.shared else ()
        return InputPart(Words(self.model.alphabet, last + added, (*before, *prefix), after), lengths)


def plan(model: Transformer, max_length: int, rate: float | None = None) -> Plan:
    """All strings up to `max_length`, in chunks that take about `CHUNK_SECONDS` at `rate` strings a second; without a
    rate, in chunks of one pass."""
    size = answers.BLOCK if rate is None else max(1, int(rate * CHUNK_SECONDS))
    return Plan(model, max_length, min(answers.BLOCK, size), size)


def check_count(model: Transformer, max_length: int) -> None:
    """Raises TooMuch for more strings than `LIMIT`."""
    letters = len(model.alphabet)
    allowed = LIMIT if letters == 1 else 1
    while letters > 1 and sum(letters**n for n in range(1, allowed + 2)) <= LIMIT:
        allowed += 1
    if max_length > allowed:
        must = f"a check must have at most {LIMIT:,} inputs, which is length {allowed} over {letters} symbols"
        raise TooMuch(must, f"length {max_length}", f"give --max-length {allowed} or less, or --yes and --resume FILE")


def rate(whole: Plan, compare: Callable[[InputPart], object]) -> float:
    """The rate of a check in strings a second, measured by passes over more and more of the longest strings.

    Passes grow until one works long enough to measure the rate, is of the largest size, or is so fast that all strings
    fit into one chunk. The rate is that of the fastest pass; in a long check several passes of the largest size are
    made. A pass that takes long is repeated, since the first call loads modules and a busy machine can delay any pass.
    A small pass measures mostly the cost of its start. So each next pass is made so large that, at the measured rate,
    it would work long enough.
    """
    most, letters = whole.max_length, whole.model.alphabet
    largest = min(most, whole.stride)
    # In a long check the largest passes do most of the work, so their rate counts.
    trials = TRIALS if whole.total > TRIALS**2 * whole.block else 0

    def seconds(part: InputPart) -> tuple[float, float]:
        """The elapsed time and the processor time of a pass."""
        start, worked = time.perf_counter(), time.process_time()
        compare(part)
        return max(time.perf_counter() - start, 1e-9), time.process_time() - worked

    # `free` is the number of symbols that vary in a pass.
    fastest, free = 0.0, 1
    while True:
        # A prefix of varied symbols: a constant one might be quick by chance.
        prefix = tuple(islice((letters[(k * k + k // 3) % len(letters)] for k in range(most)), most - free))
        part = whole.part(most - free + 1 if whole.shared else most, most, prefix)
        took, worked = seconds(part)
        enough = worked > TRIAL_SECONDS or took > WAITING
        # The first run may have loaded modules, so the pass is repeated: its fastest run counts, and the repeated ones
        # must work long enough.
        if enough:
            again = [seconds(part) for _ in range(2)]
            took = min(took, *(clock for clock, _ in again))
            enough = all(work > TRIAL_SECONDS for _, work in again) or took > WAITING
        fastest = max(fastest, part.size / took)
        if enough or (free == largest and trials == 0) or whole.total < CHUNK_SECONDS * fastest:
            return fastest
        trials -= free == largest
        # The next pass is so much larger that it should measure the rate.
        growth = min(TRIAL_SECONDS / max(worked, SHORTEST), WAITING / took)
        free = min(largest, free + max(1, _power(max(2, len(letters)), int(growth))))


def _power(base: int, most: int) -> int:
    """The greatest k with base^k <= most; 0 if `most` is below the base."""
    k = 0
    while base ** (k + 1) <= most:
        k += 1
    return k
