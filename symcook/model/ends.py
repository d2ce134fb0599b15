"""Both ends of a model: the embedding, through which strings or numbers enter, and the readout, which gives the answer.

`Embedding` says what the residual stream is before the first layer; `Readout` says at which positions it is read at the
end, and what a verdict, a label or a value is made of. Neither runs a model: a number system (`Comparing`) does that.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, reduce
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from symcook.door import door
from symcook.errors import BadInput
from symcook.model.answers import EMPTY_STRING, Named
from symcook.model.checks import Put, Space, changes, coordinates, freeze, instance, matrix, one_of, printable, sparse
from symcook.model.entries import NamedNumbers, held, held_values, keep, keeps
from symcook.model.symbols import Number, check_symbol, exact, lowered

if TYPE_CHECKING:
    from symcook.numbers.matrix import RationalMatrix

RULES = {"sign": "positive", "zero": "zero", "largest": "largest", "groups": "largest of each group"}
"""By kind of readout, what an answer asks of the numbers that are compared. Of several largest, the first counts."""
READOUTS = ("value", "sign", "zero", "largest", "distribution", "groups")
POSITIONS = ("first", "last", "each", "all")
T = TypeVar("T")
Column = TypeVar("Column", contravariant=True)
"""One coordinate at all positions."""
Verdicts = TypeVar("Verdicts")
"""The answers to a comparison, or the indices of the largest scores, at all positions."""
Verdict = TypeVar("Verdict", covariant=True)
"""One of them: True, False or None (open), or an index; in a batch an array of such; a condition, where n is open."""


def one_hot(tokens: str | Sequence[str]) -> dict[Any, dict[Any, int]]:
    """Each token with a 1 at the coordinate of its own name; BadInput where one repeats.

    >>> one_hot("ab")
    {'a': {'a': 1}, 'b': {'b': 1}}
    """
    names = coordinates(tuple(tokens), "words")
    return {token: {token: 1} for token in names}


class TokenRows(Mapping[str, Mapping[str, Any]]):
    """The `words` of an embedding as one matrix of rational numbers: a row for each token, a column for each name."""

    def __init__(self, tokens: Sequence[str], names: Sequence[str], matrix: RationalMatrix) -> None:
        self.places = {token: k for k, token in enumerate(coordinates(tokens, "words"))}
        self.names, self.matrix = coordinates(names, "coordinates"), matrix
        if matrix.shape != (len(self.places), len(self.names)):
            wanted = f"{len(self.places)} x {len(self.names)}"
            raise BadInput(f"the matrix of an embedding must have shape {wanted}", f"{matrix.rows} x {matrix.cols}")

    def __getitem__(self, token: str) -> Mapping[str, Any]:
        place = self.places[token]
        row = (exact(Fraction(p, q)) for p, q in self.matrix.part(slice(place, place + 1)).ratios())
        return MappingProxyType(dict(zip(self.names, row, strict=True)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


@door()
@dataclass(frozen=True, repr=False)
class Embedding(Named):
    """The residual stream before the first layer: token values or given inputs, plus position functions.

    `words` maps each token to the values of some coordinates (0 where unnamed); `inputs` names coordinates whose values
    are given with each run, one row a position. Exactly one of the two is there. `positions` maps coordinates to
    expressions in i and n; i counts from `start`. Tokens without values, as in words="ab" or words=("a", "BOS"), are
    one-hot: each is 1 at the coordinate of its own name. `before` (CLS or BOS) and `after` (EOS) are tokens of `words`
    that the model puts around every input and that nobody types; n counts them. Source: Cookbook, Definition 2.1.
    """

    REPORT = "model"

    space: Space
    words: Mapping[str, Mapping[str, Any]] | None = None
    inputs: tuple[str, ...] | None = None
    positions: Mapping[str, Any] = field(default_factory=dict)
    start: int = 1
    before: str | None = None
    after: str | None = None

    def __post_init__(self) -> None:
        instance("the space of an embedding", self.space, Space)
        if (self.words is None) == (self.inputs is None):
            both = "neither" if self.words is None else "both"
            raise BadInput("an embedding must have either strings or inputs", both)
        # Strings: a row of numbers for each token, or, of a matrix, only the names of its columns.
        if self.words is not None:
            words = one_hot(self.words) if isinstance(self.words, (str, list, tuple)) else self.words
            as_rows = isinstance(words, TokenRows)
            if not isinstance(words, Mapping) or not (as_rows or all(isinstance(v, Mapping) for v in words.values())):
                must = (
                    "strings must map each token to {coordinate: value}, or be a string of tokens that are coordinates"
                )
                raise BadInput(must, type(words).__name__)
            if not words:
                raise BadInput("the alphabet must have at least one token", "none")
            table = {}
            for token in words:
                if not isinstance(token, str) or token.split() != [token] or any(map(_control, token)):
                    raise BadInput("a token must be text without white space or control characters", repr(token))
                printable(token, "a token")
                if not as_rows:
                    table[token] = self._values(words[token], f"the embedding of {token}")
            if isinstance(words, TokenRows):
                self.space.require(words.names)
            freeze(self, words=words if as_rows else MappingProxyType(table))
        # Added tokens have rows too, and a user must have a token to type.
        for token in (self.before, self.after):
            if token is not None and (not isinstance(token, str) or token not in (self.words or {})):
                raise BadInput("a token that the model adds must be one of its tokens", token, "give its row in words")
        if self.words is not None and not self.alphabet:
            raise BadInput("the alphabet must have a token that a user can type", ", ".join(self.words))
        # Inputs: coordinates of the space that may stand in formulas.
        if self.words is None:
            inputs = coordinates(() if self.inputs is None else self.inputs, "inputs")
            self.space.require(inputs)
            for name in inputs:
                check_symbol(name)  # it stands in formulas
            freeze(self, inputs=inputs)
        freeze(self, positions=self._values(self.positions, "positions"))
        if type(self.start) is not int or self.start not in (0, 1):
            raise BadInput("positions must be numbered from 0 or 1", self.start)

    def _values(self, given: object, what: str) -> Mapping[str, Any]:
        """{coordinate: number}, frozen."""
        if not isinstance(given, Mapping):
            raise BadInput(f"{what} must map coordinates to numbers", type(given).__name__)
        self.space.require(list(given))
        return NamedNumbers(given)

    def mapped(self, put: Put) -> Embedding:
        """This embedding with the substitution `put` made in every number; itself where none changes."""
        rows = {} if isinstance(self.words, TokenRows) else self.words or {}  # token rows hold no symbols
        new = {token: changes(held_values(row), put) for token, row in rows.items()}
        places = changes(held_values(self.positions), put)
        if not places and not any(new.values()):
            return self
        words = {token: {**row, **new[token]} for token, row in rows.items()} if rows else self.words
        return replace(self, words=words, positions={**self.positions, **places})

    @cached_property
    def tables(self) -> Mapping[str, Mapping[str, Number]]:
        """{coordinate: {token: number}} for each coordinate that some token sets, as number systems take it."""
        rows = {token: held_values(row) for token, row in (self.words or {}).items()}
        names = dict.fromkeys(name for row in rows.values() for name, value in row.items() if value != 0)
        return {name: {token: lowered(row.get(name, 0)) for token, row in rows.items()} for name in names}

    @cached_property
    def places(self) -> Mapping[str, Number]:
        """The position functions as number systems take them."""
        return {name: lowered(value) for name, value in held_values(self.positions).items()}

    def __hash__(self) -> int:
        words = frozenset((token, frozenset(row.items())) for token, row in (self.words or {}).items())
        places = frozenset(self.positions.items())
        return hash((self.space, words, self.inputs, places, self.start, self.before, self.after))

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        """The tokens that a user types, in order; empty where the model reads rows of inputs."""
        return tuple(token for token in self.words or () if token not in (self.before, self.after))

    @cached_property
    def ends(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The tokens that the model adds in front of each input, and those behind it."""
        before, after = self.before, self.after
        return () if before is None else (before,), () if after is None else (after,)

    @property
    def added(self) -> int:
        """How many tokens the model adds to each input."""
        return sum(map(len, self.ends))

    def surround(self, tokens: Sequence[T]) -> tuple[T | str, ...]:
        """`tokens` (or what stands for each) with those that the model adds."""
        return (*self.ends[0], *tokens, *self.ends[1])

    def typed(self, tokens: Sequence[T]) -> Sequence[T]:
        """`tokens` (or what stands for each) without those that the model adds: what `surround` was given."""
        return tokens[len(self.ends[0]) : len(tokens) - len(self.ends[1])]

    @cached_property
    def spelled(self) -> bool:
        """Whether a word may be written without spaces: every token that a user types is one character."""
        return all(len(token) == 1 for token in self.alphabet)

    def written(self, tokens: Sequence[str]) -> str:
        """Tokens that a user types as one text, from which they can be read again."""
        return ("" if self.spelled else " ").join(tokens)

    def said(self, tokens: Sequence[str]) -> str:
        """The same inside of a sentence, where nothing would not be seen."""
        return self.written(tokens) or EMPTY_STRING


def _control(character: str) -> bool:
    """Whether a character is a control character or half of one: no shell can hand it over."""
    return unicodedata.category(character) in ("Cc", "Cs")


class Comparing(Protocol[Column, Verdicts, Verdict]):
    """The comparisons of a number system (`symcook.domains.protocol`)."""

    def largest(self, columns: Sequence[Column]) -> Verdicts:
        """At each position the index of the first largest score, None where that is open."""
        ...

    def positive(self, column: Column) -> Verdicts:
        """At each position: is the entry greater than zero?"""
        ...

    def zero(self, column: Column) -> Verdicts:
        """At each position: is the entry equal to zero?"""
        ...

    def both(self, first: Verdicts, second: Verdicts) -> Verdicts:
        """The conjunction at each position (False wins over open)."""
        ...

    def paired(self, first: Verdicts, second: Verdicts, size: int) -> Verdicts:
        """At each position size * first + second of two indices, None where one is open."""
        ...

    def every(self, verdicts: Verdicts) -> Verdict:
        """The conjunction over all positions."""
        ...

    def verdict(self, verdicts: Verdicts, place: int) -> Verdict:
        """The verdict at a place."""
        ...


@door()
@keeps("weights")
@dataclass(frozen=True, repr=False)
class Readout(Named):
    """What is looked at, and where.

    kind "value" shows the coordinates `reads` and decides nothing; "sign" accepts iff the scalar `weights` . reads,
    called logit, is positive; "zero" accepts iff every coordinate of `reads` is zero; "largest" answers with the
    label of the largest of the scores `weights` . reads, the first of several; "distribution" gives the softmax of
    these scores, a probability for each label; "groups" answers with one label of each group, that of its largest
    score (the first of several), and `groups` says how many labels each one has, in order: where a token is a
    state, a symbol and a move, their scores stand for those of all tokens, which are their sums. weights: 1 x r for
    "sign", len(labels) x r for the last three, r = len(reads).
    position "first" or "last" looks there; "each" gives an answer at each position; "all" accepts iff every one does.
    Source: Cookbook, Section 2.2.3 (Eq. 17, a strict inequality; Eqs. 18 and 19) and Section 9.2.1 (the zero test).
    """

    REPORT = "model"

    kind: str
    position: str
    reads: tuple[str, ...]
    weights: Any = None
    labels: tuple[str, ...] = ()
    groups: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        freeze(self, kind=one_of("readout", self.kind, READOUTS))
        one_of("position of the readout", self.position, POSITIONS)
        reads = coordinates(self.reads, "reads")
        labels = coordinates(self.labels, "labels")
        for label in labels:
            printable(label, "a label")
        scores = self.kind in ("largest", "distribution", "groups")
        freeze(self, groups=self._grouped(labels))
        if not reads:
            raise BadInput("a readout must read at least one coordinate", "none")
        # Weights: for the kinds that compare or show sums, and for no other.
        if (self.kind == "sign" or scores) != (held(self, "weights") is not None):
            do = "give a row of weights for each label" if scores else "give weights=[1], one for each coordinate"
            must = "weights must be given for sign, largest, distribution and groups and for no other"
            raise BadInput(must, self.kind, do if held(self, "weights") is None else "leave weights out")
        if scores != bool(labels):
            raise BadInput("labels must be given for largest, distribution and groups and for no other", self.kind)
        if self.kind not in ("sign", "zero") and self.position == "all":
            raise BadInput("a readout at all positions must decide something", f"kind {self.kind}", "use each")
        shape = (len(labels) or 1, len(reads))
        weights = held(self, "weights")
        weights = None if weights is None else matrix(weights, shape, "the readout's weights")
        keep(self, reads=reads, weights=weights, labels=labels)

    def _grouped(self, labels: Sequence[str]) -> tuple[int, ...]:
        """The sizes of the groups; BadInput where they are not those of the labels."""
        sizes = tuple(self.groups) if isinstance(self.groups, (list, tuple)) else (self.groups,)
        if self.kind != "groups":
            if sizes:
                raise BadInput("groups must be given for the readout groups and for no other", self.kind)
            return ()
        if not sizes or not all(type(size) is int and size > 0 for size in sizes) or sum(sizes) != len(labels):
            raise BadInput(f"groups must be positive integers that add up to the {len(labels)} labels", sizes or "none")
        comma = next((label for label in labels if "," in label), None)
        if comma is not None:
            raise BadInput("a label of a group must hold no comma, which stands between them in an answer", comma)
        return sizes

    def mapped(self, put: Put) -> Readout:
        """This readout with the substitution `put` made in its weights; itself where none changes."""
        weights = held(self, "weights")
        new = {} if weights is None else changes({"weights": weights}, put)
        return replace(self, **new) if new else self

    def require(self, must: str, kinds: Sequence[str], do: str | None = None) -> None:
        """BadInput, by what `must` hold and what to `do`, where its kind is none of `kinds`."""
        if self.kind not in kinds:
            raise BadInput(must, f"a readout of kind {self.kind}", do)

    @property
    def rule(self) -> str | None:
        """The rule of `RULES` by which its numbers are compared; None where it shows values."""
        return RULES.get(self.kind)

    def choice(self, *rules: str) -> tuple[str, tuple[Mapping[str, Number], ...]]:
        """The rule by which an answer is taken, and the rows over coordinates of the numbers that are compared.

        Arguments:
            rules: the rules that the caller knows; without any, positive, zero and largest.

        Raises BadInput where the readout has another rule, or none: no caller takes a rule for granted.
        """
        rule = self._known_rule(rules or ("positive", "zero", "largest"))
        return rule, self.rows or tuple({name: Fraction(1)} for name in self.reads)

    def _known_rule(self, rules: Sequence[str]) -> str:
        """The rule, which must be one of these."""
        kinds = [kind for kind, rule in RULES.items() if rule in rules]
        self.require(f"a readout must be of kind {' or '.join(kinds)} to be asked this", kinds)
        return RULES[self.kind]

    @property
    def decides(self) -> bool:
        """Whether it accepts or rejects."""
        return self.rule in ("positive", "zero")

    @property
    def signed(self) -> bool:
        """Whether the sign of one number, the logit, decides."""
        return self.rule == "positive"

    @property
    def answers(self) -> bool:
        """Whether it gives one answer that engines over all words know: a verdict or a label, not values alone."""
        return self.rule is not None and not self.groups

    @property
    def labelled(self) -> bool:
        """Whether the answer is a label, or one of each group."""
        return self.kind in ("largest", "groups")

    @property
    def normalized(self) -> bool:
        """Whether scores are shown as probabilities."""
        return self.kind == "distribution"

    @property
    def parts(self) -> tuple[tuple[str, ...], ...]:
        """The labels of each group; one group where there are none."""
        ends = list(accumulate(self.groups or (len(self.labels),), initial=0))
        return tuple(self.labels[start:end] for start, end in pairwise(ends))

    def label(self, index: int) -> str:
        """The label that an index of `verdicts` stands for: of groups one of each, with commas between."""
        # The index counts labels of the last group fastest.
        chosen = []
        for part in reversed(self.parts):
            index, place = divmod(index, len(part))
            chosen.append(part[place])
        return ",".join(reversed(chosen))

    def index(self, label: str) -> int | None:
        """The index of `label`, None where it is none of the answers."""
        chosen, parts, number = label.split(",") if self.groups else [label], self.parts, 0
        if len(chosen) != len(parts) or any(
            chosen_label not in part for chosen_label, part in zip(chosen, parts, strict=True)
        ):
            return None
        for chosen_label, part in zip(chosen, parts, strict=True):
            number = number * len(part) + part.index(chosen_label)
        return number

    @property
    def each(self) -> bool:
        """Whether there is an answer at each position."""
        return self.position == "each"

    @property
    def everywhere(self) -> bool:
        """Whether it looks at every position."""
        return self.position in ("each", "all")

    def counted(self, sequence: Any, places: Sequence[int]) -> Sequence[int]:
        """Those of the `places` of an input whose answers count: all, where nothing else is asked
        (`symcook.words.positions`)."""
        return places

    @property
    def first(self) -> bool:
        """Whether it looks at the first position alone."""
        return self.position == "first"

    @property
    def place(self) -> int:
        """The index at which it looks where that is one; the last one for each and all."""
        return 0 if self.first else -1

    def places(self, n: int) -> range:
        """The indices at which it looks in an input of `n` positions."""
        return range(n) if self.everywhere else range(n)[self.place :][:1]

    def answered(self, n: int) -> range:
        """The indices of its answers: every position for each, else the one at which it looks (the last for all)."""
        return range(n) if self.each else range(n)[self.place :][:1]

    def mirrored(self) -> Readout:
        """This readout for the reversed input."""
        swapped = {"first": "last", "last": "first"}
        return replace(self, position=swapped.get(self.position, self.position))

    def verdicts(
        self, domain: Comparing[Column, Verdicts, Verdict], reads: Sequence[Column], scores: Sequence[Column]
    ) -> Verdicts | None:
        """At each position the verdict, or the index of the label, by the comparisons of a number system; None where
        there is none. `reads` and `scores` are its columns."""
        if self.rule is None:
            return None
        rule = self._known_rule(("positive", "zero", "largest", "largest of each group"))
        if rule == "zero":
            return reduce(domain.both, map(domain.zero, reads))
        # Groups: one index for each, joined into one number as `label` takes it apart.
        if self.groups:
            ends = list(accumulate(self.groups, initial=0))
            best = domain.largest(scores[: ends[1]])
            for start, end in pairwise(ends[1:]):
                best = domain.paired(best, domain.largest(scores[start:end]), end - start)
            return best
        return domain.positive(scores[0]) if rule == "positive" else domain.largest(scores)

    def verdict(self, domain: Comparing[Column, Verdicts, Verdict], verdicts: Verdicts) -> Verdict:
        """The one answer to an input, of those at its positions: the conjunction where all must accept."""
        return domain.every(verdicts) if self.position == "all" else domain.verdict(verdicts, self.place)

    def distance(self, values: Sequence[Any], greatest: Callable[[Sequence[Any]], Any], order: Any = None) -> Any:
        """How far `values`, of what an answer is taken from (`Result.watched`), are from another one: the greatest
        |value| where they are compared with 0, else the greatest less the greatest of the others, found by `order`.
        None where there is no other: a zero test that is passed, or one score alone."""
        # Compared with zero: the size of the largest.
        if self.decides:
            size = greatest([abs(value) for value in values])
            return None if size == 0 and not self.signed else size
        # Groups: the smallest of their distances, as the largest of the negated ones.
        if len(self.groups) > 1:
            ends = list(accumulate(self.groups, initial=0))
            single_group = replace(self, kind="value", weights=None, labels=(), groups=())
            parts = [single_group.distance(values[start:end], greatest, order) for start, end in pairwise(ends)]
            gaps = [-part for part in parts if part is not None]
            return -greatest(gaps) if gaps else None
        best = max(range(len(values)), key=lambda k: order(values[k]))
        others = [value for k, value in enumerate(values) if k != best]
        return abs(values[best] - greatest(others)) if others else None

    @cached_property
    def rows(self) -> tuple[Mapping[str, Number], ...]:
        """The `sparse` rows of the weights."""
        weights = held(self, "weights")
        return () if weights is None else sparse(weights, self.reads)
