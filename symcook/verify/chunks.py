"""The strings of an exhaustive check in chunks. A chunk names its strings by their lengths and a common prefix.

A chunk is the unit of a checkpoint's row and of a worker's call; inside it one block after the other is run, so that
memory is bounded whatever the length. How strings are cut depends only on the two sizes of a `Plan`, which a checkpoint
keeps, so that a resumed check has the chunks that it began with.
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
"""The greatest number of inputs that one check takes on unless it is told to."""
CHUNK_SECONDS = 1.0
"""How long a chunk should take: long beside what it costs to record it, short beside what a user waits."""
TRIAL_FROM = 2**10
"""From how many words on a sweep is tried before it begins."""
TRIAL_SECONDS, TRIALS = 0.2, 10
"""How long a pass works that tells the rate, and how many of the largest are tried."""
SHORTEST = 1e-3
"""What a pass is taken to work at least: clocks of processors are coarse."""
WAITING = 1.0
"""How long a pass takes that tells it too, though it worked less: its reference waits, or the machine is busy."""


class TooMuch(BadInput):
    """A sweep of more strings, or more time, than one is given without being asked."""


class Chunk(NamedTuple):
    """All words of `first` to `last` typed symbols that begin with `prefix`, which is shorter than all of them."""

    first: int
    last: int
    prefix: Word

    def strings(self, letters: int) -> int:
        """How many they are, over so many letters."""
        return sum(letters ** (n - len(self.prefix)) for n in range(self.first, self.last + 1))


@dataclass(frozen=True)
class Plan:
    """All words of length 1 to `max_length` (without the tokens that the model adds) in chunks of at most `size`
    strings, where one pass, of at most `block` words of one length, has no more.

    Where runs share prefixes, one pass over the words of length n serves the shorter ones too, as many lengths as a
    block of words with a common prefix has letters that are free; the least lengths are those that are left over.
    """

    model: Transformer
    max_length: int
    block: int
    size: int

    @cached_property
    def letters(self) -> int:
        return len(self.model.alphabet)

    @cached_property
    def shared(self) -> bool:
        """Whether one pass serves several lengths."""
        return self.model.unfollowed() is None and not self.model.embedding.ends[1]

    @cached_property
    def stride(self) -> int:
        """How many letters run through the alphabet in one pass."""
        if self.letters == 1:
            return self.max_length
        return max(1, _power(self.letters, self.block))

    @property
    def total(self) -> int:
        """The number of words."""
        return sum(self.letters**n for n in range(1, self.max_length + 1))

    def fixed(self, last: int) -> int:
        """How many letters all words of one pass share, where the longest have length `last`."""
        return max(0, last - self.stride)

    def __iter__(self) -> Iterator[Chunk]:
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
    """All words to `max_length` in chunks of about a second at `rate` strings a second; in one pass each without."""
    size = answers.BLOCK if rate is None else max(1, int(rate * CHUNK_SECONDS))
    return Plan(model, max_length, min(answers.BLOCK, size), size)


def check_count(model: Transformer, max_length: int) -> None:
    """TooMuch for more words than LIMIT."""
    letters = len(model.alphabet)
    allowed = LIMIT if letters == 1 else 1
    while letters > 1 and sum(letters**n for n in range(1, allowed + 2)) <= LIMIT:
        allowed += 1
    if max_length > allowed:
        must = f"a check must have at most {LIMIT:,} inputs, which is length {allowed} over {letters} symbols"
        raise TooMuch(must, f"length {max_length}", f"give --max-length {allowed} or less, or --yes and --resume FILE")


def rate(whole: Plan, compare: Callable[[InputPart], object]) -> float:
    """Strings a second, by passes over more and more of the longest words until one works long enough to tell, or is so
    fast that all words are one chunk; where there are many, by the fastest of some of the largest. One that takes long
    is run again: the first call of all loads what it needs, and a busy machine stops any. A small pass has the rate of
    what it costs to begin one, so that a busy machine's clock alone ends no trial at the smallest; the next is so much
    larger that at this rate it would tell."""
    most, letters = whole.max_length, whole.model.alphabet
    largest = min(most, whole.stride)
    # Where a sweep is long, the rate is that of the largest passes, which do most of the work.
    trials = TRIALS if whole.total > TRIALS**2 * whole.block else 0

    def seconds(part: InputPart) -> tuple[float, float]:
        start, worked = time.perf_counter(), time.process_time()
        compare(part)
        return max(time.perf_counter() - start, 1e-9), time.process_time() - worked

    fastest, free = 0.0, 1
    while True:
        # Some string of varied symbols: a constant prefix might be quick by chance.
        prefix = tuple(islice((letters[(k * k + k // 3) % len(letters)] for k in range(most)), most - free))
        part = whole.part(most - free + 1 if whole.shared else most, most, prefix)
        took, worked = seconds(part)
        enough = worked > TRIAL_SECONDS or took > WAITING
        # The first run may have loaded what it needs: only repeated ones count.
        if enough:
            again = [seconds(part) for _ in range(2)]
            took = min(took, *(clock for clock, _ in again))
            enough = all(work > TRIAL_SECONDS for _, work in again) or took > WAITING
        fastest = max(fastest, part.size / took)
        if enough or (free == largest and trials == 0) or whole.total < CHUNK_SECONDS * fastest:
            return fastest
        trials -= free == largest
        # So many times larger that the next one surely tells.
        growth = min(TRIAL_SECONDS / max(worked, SHORTEST), WAITING / took)
        free = min(largest, free + max(1, _power(max(2, len(letters)), int(growth))))


def _power(base: int, most: int) -> int:
    """The greatest k with base^k <= most."""
    k = 0
    while base ** (k + 1) <= most:
        k += 1
    return k
