"""A run as a list of typed definitions: what the embedding, a head, a feed-forward block and a norm state of the value
of one function at position i. Each definition prints the equation that stands in a statement. Code that finds or
reports proofs reads these objects, not the printed equations.

Trusted: a statement about a model means what is printed here. Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

from symcook.errors import BadInput
from symcook.model.expr import parse_term, show
from symcook.model.plainfamily import Range
from symcook.proof.runtext import conjunction, joined, nonzero, times
from symcook.proof.runvalues import Call, Combination, Expressed, NormEntries, ValueAt, at_once, at_position

ACTIVATIONS = {
    "relu": "relu({0})", "step": "I[0 < {0}]", "gelu": "({0})/2*(1 + erf(({0})/sqrt(2)))",
    "silu": "({0})/(1 + exp(-({0})))",
}  # fmt: skip

# --- What a block states of row i -------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Row:
    """What a definition states of the value of its function at i. `old` is the value before, None where it is zero."""

    old: ValueAt | None = None

    def after(self, old: ValueAt | None) -> Self:
        """The same on top of an old value."""
        return replace(self, old=old)

    def equation(self, value: str, call: Call) -> str:
        """The equation for `value`, the text of the function at i."""
        raise NotImplementedError

    def parts(self) -> Iterator[ValueAt]:
        """The values that it reads, without the old one, in the order of the text."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class Sum(Row):
    """The old value and what is added to it."""

    def terms(self, call: Call) -> list[str]:
        raise NotImplementedError

    def equation(self, value: str, call: Call) -> str:
        return f"{value} = {plus(self.old, self.terms(call), call)}"


@dataclass(frozen=True, kw_only=True)
class EmbeddingRow(Sum):
    """What the embedding puts: by the token at i its number of the vocabulary, and a term in i and n."""

    tokens: tuple[tuple[str, int], ...]
    position: str | None

    def terms(self, call: Call) -> list[str]:
        tokens = [times(value, f"I[w(i) = {index}]") for value, index in self.tokens]
        return tokens if self.position is None else [*tokens, self.position]

    def parts(self) -> Iterator[ValueAt]:
        return iter(())


@dataclass(frozen=True)
class Biased:
    """A sum of functions, each times its weight, and a bias."""

    inside: Combination
    bias: str

    def at(self, place: str, call: Call = at_position) -> str:
        return joined([*(times(*entry) for entry in self.inside.entries(place, call)), *nonzero(self.bias)])

    def reads(self) -> Iterator[str]:
        return self.inside.reads()


@dataclass(frozen=True)
class HiddenUnit:
    """A unit of a feed-forward block."""

    activation: str
    inside: Combination
    bias: str

    def at(self, place: str, call: Call = at_position) -> str:
        return ACTIVATIONS[self.activation].format(Biased(self.inside, self.bias).at(place, call))

    def reads(self) -> Iterator[str]:
        return self.inside.reads()


@dataclass(frozen=True)
class ProductOf:
    """The product of two values at one position, as of a gate and what passes it."""

    left: ValueAt
    right: ValueAt

    def at(self, place: str, call: Call = at_position) -> str:
        return f"({self.left.at(place, call)})*({self.right.at(place, call)})"

    def reads(self) -> Iterator[str]:
        yield from self.left.reads()
        yield from self.right.reads()


@dataclass(frozen=True, kw_only=True)
class UnitsRow(Sum):
    """What a feed-forward block adds: its units, or products of units, with their weights, and a bias."""

    units: tuple[tuple[str, ValueAt], ...]
    bias: str

    def terms(self, call: Call) -> list[str]:
        return [*(times(weight, unit.at("i", call)) for weight, unit in self.units), *nonzero(self.bias)]

    def parts(self) -> Iterator[ValueAt]:
        return (unit for _, unit in self.units)


@dataclass(frozen=True, kw_only=True)
class PartsRow(Sum):
    """What several heads add together, each of which has a function of its own."""

    heads: tuple[ValueAt, ...]

    def terms(self, call: Call) -> list[str]:
        return [head.at("i", call) for head in self.heads]

    def parts(self) -> Iterator[ValueAt]:
        return iter(self.heads)


@dataclass(frozen=True, kw_only=True)
class FormsRow(Sum):
    """What the embedding or a feed-forward block of a family adds, as it is written."""

    forms: tuple[str, ...]

    def terms(self, call: Call) -> list[str]:
        return list(self.forms)

    def parts(self) -> Iterator[ValueAt]:
        return (Expressed(parse_term(form)) for form in self.forms)


class Window(NamedTuple):
    """What row i sees: the first and last position, how many they are, and the row that sees nothing."""

    low: str
    high: str
    size: str
    empty: str | None


def window(mask: str, start: int) -> Window:
    """The window of a mask where positions are numbered from `start`, 0 or 1."""
    low, high, one = str(start), "n" if start else "n - 1", bool(start)
    windows = {
        "none": (low, high, "n", None),
        "future": (low, "i", "i" if one else "(i + 1)", None),
        "strict-future": (low, "i - 1", "(i - 1)" if one else "i", low),
        "past": ("i", high, "(n - i + 1)" if one else "(n - i)", None),
        "strict-past": ("i + 1", high, "(n - i)" if one else "(n - 1 - i)", high),
    }
    if mask not in windows:
        raise BadInput(f"a run relation knows the masks {', '.join(windows)}", mask)
    return Window(*windows[mask])


@dataclass(frozen=True, kw_only=True)
class HeadRow(Row):
    """What a head adds: the mean of a value over the positions that row i sees, by weights. A row that sees nothing
    gets zero."""

    seen: Window
    value: ValueAt

    def weight(self, call: Call) -> str | None:
        """The weight of position j; None where all are 1."""
        return None

    def summed(self, call: Call) -> tuple[str, str]:
        """The sum of the weighted values, and that of the weights."""
        span, value, weight = f"{self.seen.low}, {self.seen.high}", self.value.at("j", call), self.weight(call)
        if weight is None:
            return f"sum(j, {span}, {value})", self.seen.size
        return f"sum(j, {span}, {weight}*({value}))", f"sum(j, {span}, {weight})"

    def quotient(self, value: str, call: Call) -> str:
        """The equation as a quotient, where the sum of the weights is never zero."""
        values, total = self.summed(call)
        return f"{value} = {plus(self.old, [f'{values}/{total}'], call)}"

    def cleared(self, value: str, call: Call) -> str:
        """The equation times the sum of the weights, and what stands where there are none."""
        (values, total), old = self.summed(call), None if self.old is None else self.old.at("i", call)
        text = f"{f'({value} - {old})' if old else value}*{total} = {values}"
        return text if self.seen.empty is None else f"{text} & (i = {self.seen.empty} -> {value} = {old or '0'})"

    def equation(self, value: str, call: Call) -> str:
        return self.quotient(value, call) if self.seen.empty is None else self.cleared(value, call)

    def parts(self) -> Iterator[ValueAt]:
        return iter((self.value,))


@dataclass(frozen=True, kw_only=True)
class MeanRow(HeadRow):
    """A head whose scores are all zero: the mean over its window."""


@dataclass(frozen=True, kw_only=True)
class SoftRow(HeadRow):
    """A softmax head; its score has the scale and the temperature."""

    score: ValueAt

    def weight(self, call: Call) -> str:
        return f"exp({self.score.at('j', call)})"

    def parts(self) -> Iterator[ValueAt]:
        return iter((self.score, self.value))


@dataclass(frozen=True, kw_only=True)
class HardRow(HeadRow):
    """A head that looks where its score is largest: at all such positions (ties "average"), at the first ("leftmost")
    or at the last ("rightmost"). A score of None is zero everywhere."""

    ties: str
    score: ValueAt | None

    def weight(self, call: Call) -> str:
        if self.score is None:
            return f"I[j = {self.seen.low if self.ties == 'leftmost' else self.seen.high}]"
        here, elsewhere = self.score.at("j", call), self.score.at("k", call)
        best = f"all k in {self.seen.low}..{self.seen.high}. {elsewhere} <= {here}"
        tied = {"leftmost": "k < j", "rightmost": "j < k"}.get(self.ties)
        return f"I[{best} & ({tied} -> {elsewhere} < {here})]" if tied else f"I[{best}]"

    def equation(self, value: str, call: Call) -> str:
        if self.ties == "average":
            return self.cleared(value, call)
        # one position has weight 1, none where the window is empty
        return f"{value} = {plus(self.old, [self.summed(call)[0]], call)}"

    def parts(self) -> Iterator[ValueAt]:
        return iter(part for part in (self.score, self.value) if part is not None)


def head_row(
    seen: Window, weighting: str, score: ValueAt | None, soft: Callable[[], ValueAt], value: ValueAt
) -> HeadRow:
    """What a head adds. `score` is None where it is zero everywhere; `soft` gives the exponent of softmax."""
    if weighting not in ("average", "softmax", "leftmost", "rightmost"):
        raise BadInput("a head must have a weighting that a run relation knows", weighting)
    if score is None and weighting in ("average", "softmax"):
        return MeanRow(seen=seen, value=value)
    if weighting == "softmax":
        return SoftRow(seen=seen, value=value, score=soft())
    return HardRow(seen=seen, value=value, ties=weighting, score=score)


@dataclass(frozen=True, kw_only=True)
class NormMean(Row):
    """The mean of the entries of a norm."""

    entries: NormEntries

    def equation(self, value: str, call: Call) -> str:
        return f"{value} = ({self.entries.total(str, call)})/{self.entries.count}"

    def parts(self) -> Iterator[ValueAt]:
        return self.entries.parts()


@dataclass(frozen=True, kw_only=True)
class NormDeviation(Row):
    """The root that a norm divides by."""

    entries: NormEntries
    mean: ValueAt
    epsilon: tuple[str, ...]

    def equation(self, value: str, call: Call) -> str:
        mean = self.mean.at("i", call)
        squares = self.entries.total(lambda entry: f"({entry} - {mean})^2", call)
        return f"{value} = sqrt({joined([f'({squares})/{self.entries.count}', *self.epsilon])})"

    def parts(self) -> Iterator[ValueAt]:
        first, *others = self.entries.parts()  # a norm has an entry
        return iter((first, self.mean, *others))


@dataclass(frozen=True, kw_only=True)
class NormEntry(Row):
    """What a norm makes of an entry: gain*(entry - mean)/deviation + bias; with `zero` the bias alone where the
    deviation is zero. `gain` has ``#`` in the place of what it multiplies."""

    entry: ValueAt
    mean: ValueAt
    deviation: ValueAt
    gain: str
    bias: tuple[str, ...]
    zero: bool

    def equation(self, value: str, call: Call) -> str:
        entry, mean, deviation = (one.at("i", call) for one in (self.entry, self.mean, self.deviation))
        gain = self.gain.replace("#", f"({entry} - {mean})")
        text = f"({' - '.join([value, *self.bias])})*{deviation} = {gain}"
        return f"{text} & ({deviation} = 0 -> {value} = {joined(self.bias)})" if self.zero else text

    def parts(self) -> Iterator[ValueAt]:
        return iter((self.deviation, self.entry, self.mean))


@dataclass(frozen=True, kw_only=True)
class RootMeanSquare(Row):
    """The root that a norm without mean divides by."""

    entries: NormEntries
    epsilon: tuple[str, ...]

    def equation(self, value: str, call: Call) -> str:
        squares = self.entries.total(lambda entry: f"({entry})^2", call)
        return f"{value} = sqrt({joined([f'({squares})/{self.entries.count}', *self.epsilon])})"

    def parts(self) -> Iterator[ValueAt]:
        return self.entries.parts()


@dataclass(frozen=True, kw_only=True)
class RootEntry(Row):
    """What a norm without mean makes of an entry: gain*entry/root; with `zero` zero where the root is zero. `gain` has
    ``#`` in the place of what it multiplies."""

    entry: ValueAt
    root: ValueAt
    gain: str
    zero: bool

    def equation(self, value: str, call: Call) -> str:
        entry, root = (one.at("i", call) for one in (self.entry, self.root))
        text = f"{value}*{root} = {self.gain.replace('#', f'({entry})')}"
        return f"{text} & ({root} = 0 -> {value} = 0)" if self.zero else text

    def parts(self) -> Iterator[ValueAt]:
        return iter((self.root, self.entry))


# --- The run ----------------------------------------------------------------------------------------------------------


class HeadBlock(NamedTuple):
    """A head: its layer, its number there, and the indices that its scores have besides the two positions."""

    layer: int
    head: int
    over: tuple[Range, ...]


@dataclass(frozen=True)
class RunDefinition:
    """The definition of a function at each position. `value` is the function at i, `over` has the indices at all values
    of which the equation holds. `block` is the head that it is of."""

    function: str
    value: ValueAt
    row: Row
    over: tuple[Range, ...]
    call: Call = at_position
    block: HeadBlock | None = None

    def spelled(self, call: Call) -> str:
        """The equation, with values as `call` writes them."""
        return self.row.equation(self.value.at("i", call), call)

    @cached_property
    def text(self) -> str:
        """The equation."""
        return self.spelled(self.call)

    @property
    def everywhere(self) -> str:
        """The equation at every position."""
        return self.text if self.call is at_once else f"({quantified(self.over, self.text)})"

    def reads(self) -> Iterator[str]:
        """The functions in the equation other than its own, each once, in the order of the text."""
        old = () if self.row.old is None else (self.row.old,)
        functions = (function for part in (*old, *self.row.parts()) for function in part.reads())
        return iter(dict.fromkeys(one for one in functions if one != self.function))


class Premise(NamedTuple):
    """What a run needs besides: it is about the "length", a "temperature" or a "deviation"."""

    about: str
    text: str


@dataclass(frozen=True)
class DefinedRun:
    """The run of a model: premises that come before the equations, the definitions in order, and premises that come
    after them."""

    before: tuple[Premise, ...]
    definitions: tuple[RunDefinition, ...]
    after: tuple[Premise, ...]

    @property
    def parts(self) -> list[str]:
        """What it states, part by part: premises and equations at every position."""
        before = dict.fromkeys(premise.text for premise in self.before)
        equations = [one.everywhere for one in self.definitions]
        return [*before, *equations, *(premise.text for premise in self.after)]

    @property
    def text(self) -> str:
        """What stands for run(NAME) in a statement."""
        return conjunction(self.parts) or "true"

    @cached_property
    def of(self) -> Mapping[str, RunDefinition]:
        """The definitions by the function that they are for."""
        return {one.function: one for one in self.definitions}


def quantified(over: Sequence[Range], text: str) -> str:
    """A formula at all values of indices."""
    return "".join(f"all {c} in {show(low)}..{show(high)}. " for c, low, high in over) + text


def plus(old: ValueAt | None, terms: Sequence[str], call: Call) -> str:
    """The old value and the terms."""
    return joined(terms if old is None else [old.at("i", call), *terms])
