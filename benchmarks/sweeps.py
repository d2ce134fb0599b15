"""Sweeps over all words: exact batches against floats, along shared prefixes against string by string."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from typing import Any

from timing import Row, best, faster, longer, same

from symcook.compose import Builder
from symcook.domains.batch import Batch, Listed, Words
from symcook.forward import forward
from symcook.model.transformer import Transformer
from symcook.model.weights import feedforward, head
from symcook.recipes import build
from symcook.words import every

LENGTH = 16
WHAT = f"dyck-1, all words of length 1 to {LENGTH}"


def verdicts(model: Transformer, floats: bool = False) -> list[Any]:
    """What the model says on all words of each length 1..LENGTH, by one pass along the prefix tree."""
    domain, each = Batch(floats), replace(model, readout=replace(model.readout, position="each"))
    result = forward(each, Words(model.alphabet, LENGTH), domain)
    return [domain.full(verdict, n) for n, verdict in enumerate(result.verdicts or (), 1)]


@dataclass(frozen=True)
class Separate(Listed):
    """All words of length n over two letters, one entry a word at every position: nothing is shared."""

    n: int = 0

    @property
    def size(self) -> int:
        return 2**self.n

    def choices(self) -> list[tuple[str, ...]]:
        return [("(", ")")] * self.n

    def digits(self) -> list[Any]:
        return _digits(self.n)


@cache
def _digits(n: int) -> list[Any]:
    import numpy as np

    return [np.arange(2**n) >> place & 1 for place in range(n - 1, -1, -1)]


def one_by_one(model: Transformer) -> list[Any]:
    """The same verdicts with every word run from its first symbol."""
    found = []
    for n in range(1, LENGTH + 1):
        domain = Batch()
        accept: Any = forward(model, Separate((), n), domain).accept
        found.append(domain.full(accept))
    return found


def tokens(n: int) -> Any:
    """All words of length n as a (2^n, n) array of +1 and -1, the first position most significant."""
    import numpy as np

    codes = np.arange(2**n)[:, None] >> np.arange(n - 1, -1, -1)[None, :]
    return 1.0 - 2.0 * (codes & 1)


def dense_floats() -> list[Any]:
    """The same with the batch that a user writes: float64 (batch, n, d), masked softmax, matrix products."""
    import numpy as np

    value = [np.zeros((4, 4)), np.zeros((4, 4))]
    value[0][1, 0] = value[1][3, 2] = 1.0
    query = key = np.zeros((1, 4))
    into, out = np.array([[0.0, -1.0, 0.0, 0.0]]), np.array([[0.0], [0.0], [1.0], [0.0]])
    verdicts = []
    for n in range(1, LENGTH + 1):
        hidden = np.where(np.tril(np.ones((n, n))) > 0, 0.0, -np.inf)
        parts = []
        for x in np.array_split(tokens(n), max(1, 2**n // 4096)):
            z = np.zeros((len(x), n, 4))
            z[:, :, 0] = x
            for layer in range(2):
                scores = (z @ query.T) @ np.swapaxes(z @ key.T, 1, 2) + hidden
                weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
                weights /= weights.sum(axis=-1, keepdims=True)
                z = z + weights @ (z @ value[layer].T)
                if layer == 0:
                    z = z + np.maximum(z @ into.T, 0.0) @ out.T
            parts.append((np.abs(z[:, -1, 3]) < 1e-9) & (np.abs(z[:, -1, 1]) < 1e-9))
        verdicts.append(np.concatenate(parts))
    return verdicts


def lean_floats() -> list[Any]:
    """The same operations as the exact batch in float64: live coordinates only, running sums, no shared prefixes."""
    import numpy as np

    verdicts = []
    for n in range(1, LENGTH + 1):
        index = np.arange(1, n + 1)
        balance = np.cumsum(tokens(n), axis=1) / index
        total = np.cumsum(np.maximum(-balance, 0.0), axis=1) / index
        verdicts.append((np.abs(total[:, -1]) < 1e-9) & (np.abs(balance[:, -1]) < 1e-9))
    return verdicts


def wide(bits: int) -> Transformer:
    """dyck-1 with brackets that weigh a little less than one, each by a denominator of half as many bits."""
    model = build("dyck-1")
    p, q = 2 ** (bits // 2) - 1, 2 ** (bits // 2) + 1
    words = {"(": {"token": Fraction(p - 2, p)}, ")": {"token": -Fraction(q - 4, q)}}
    return replace(model, embedding=replace(model.embedding, words=words))


def unequal(bits: int) -> Transformer:
    """Means of means of such brackets: every word has a value of its own, so that nothing is shared but prefixes."""
    model = wide(bits)
    first, second = model.layers
    head = replace(second.attention.heads[0], reads=("balance",))
    layers = (replace(first, feedforward=None), replace(second, attention=replace(second.attention, heads=(head,))))
    return replace(model, layers=layers)


def equal(first: list[Any], second: list[Any], what: str) -> None:
    same(all((a == b).all() for a, b in zip(first, second, strict=True)), what)


def nested(word: str) -> bool:
    """Dyck-1 as a function of words: every prefix has at least as many ( as ), the whole word as many of each."""
    prefixes = (word[:end] for end in range(1, len(word) + 1))
    return word.count("(") == word.count(")") and all(p.count("(") >= p.count(")") for p in prefixes)


def first(word: str) -> list[dict[str, Fraction]]:
    """The reference of first-position as a function of words."""
    return [{"first": Fraction(int(place == 1))} for place in range(1, len(word) + 1)]


def references() -> Iterator[Row]:
    """`check` with a reference that is a fold, asked once a state, against a function, asked once a word."""
    from symcook.recipes import reference
    from symcook.verify.sweep import check

    for name, function in (("dyck-1", nested), ("first-position", first)):
        model = build(name)
        ours, other, found, again = best(
            lambda model=model, name=name: check(model, reference(name), LENGTH),
            lambda model=model, function=function: check(model, function, LENGTH),
            3,
            time.thread_time,
        )
        what = f"check {name}, all words of length 1 to {LENGTH}: its reference as a fold, against a function of words"
        same(found.holds and again.holds and found.strings == again.strings, what)
        yield faster(what, ours, other, 4)


SOFT_LENGTH = 10


def soft() -> Transformer:
    """Two layers of causal softmax attention over two letters: means of e and 1, and of those that are positive."""
    b = Builder(words={"a": {"value": -2, "one": 1}, "b": {"later": 1, "value": 1, "one": 1}})
    b.add(head({("one", "later"): 1}, {"mean": "value"}, mask="future", weighting="softmax"))
    b.add(feedforward(high="relu(mean)"))
    b.add(head({("one", "later"): 1}, {"out": "high"}, mask="future", weighting="softmax"))
    b.readout("sign", "last", ("out",), weights=[1])
    return b.build("soft")


def remembered() -> Row:
    """Exact softmax word by word with the rows that came up before, against each word from nothing."""
    from symcook.domains import exact

    model = soft()
    words = ["".join(word) for n in range(1, SOFT_LENGTH + 1) for word in every("ab", n)]

    def ours() -> list[Any]:
        exact.mean.cache_clear()
        return [model.run(word).output for word in words]

    def theirs() -> list[Any]:
        found = []
        for word in words:
            exact.mean.cache_clear()
            found.append(model.run(word).output)
        return found

    seconds, other, found, again = best(ours, theirs, 1, time.thread_time)
    what = f"exact softmax in two layers, all words of length 1 to {SOFT_LENGTH} over 2 letters"
    same(found == again, what)
    return faster(f"{what}: rows that came up before are known, against each word anew", seconds, other, None)


def rows() -> Iterator[Row]:
    model = build("dyck-1")

    def against(
        what: str, theirs: Callable[[], list[Any]], wanted: float | None, repeats: int, clock: Any = time.thread_time
    ) -> Row:
        ours, other, first, second = best(lambda: verdicts(model), theirs, repeats, clock)
        equal(first, second, what)
        return faster(f"{WHAT}: exact, against {what}", ours, other, wanted, strings=2 ** (LENGTH + 1) - 2)

    one_by_one(model)  # makes the digits once
    yield against("float64 in the same operations", lambda: verdicts(model, True), 1, 15)
    yield against("running sums in float64 without shared prefixes", lean_floats, None, 9)
    yield against("the dense float64 batch that a user writes", dense_floats, 100, 3, time.perf_counter)
    yield against("the same exact operations string by string", lambda: one_by_one(model), 2, 9)
    many = "exact with denominators of {bits} bits and more, against float64 in the same operations"
    cases = [(f"{WHAT}: {many}", wide, bits) for bits in (90, 180, 360)]
    cases += [(f"the same where no two words have one value: {many}", unequal, bits) for bits in (90, 360)]
    for text, build_wide, bits in cases:
        heavy = build_wide(bits)
        result = forward(heavy, Words(heavy.alphabet, LENGTH), Batch())
        reached = max(cell.denominator.bit_length() for cell in result.stream["total"])
        ours, other, _, _ = best(
            lambda heavy=heavy: verdicts(heavy), lambda heavy=heavy: verdicts(heavy, True), 25, time.thread_time
        )
        yield longer(text.format(bits=bits), ours, other, 8, bits=reached)
    yield from references()
    yield remembered()

    from symcook.verify.stated import check_recipe

    whole, other, found, _ = best(lambda: check_recipe("dyck-1", LENGTH), dense_floats, 2)
    same(found.holds, "check dyck-1")
    yield faster(f"{WHAT}: check with its reference, against the dense float64 batch alone", whole, other, None)
