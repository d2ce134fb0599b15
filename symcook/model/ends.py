"""Both ends of a model: the embedding, through which strings or numbers enter, and the readout, which gives the answer.

`Embedding` defines the residual stream before the first layer. `Readout` says at which positions the stream is read
after the last layer, and how a verdict, a label or a value is computed. Neither class runs a model: a number system
(`Comparing`) does that.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, reduce
from itertools import accumulate, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from symcook.door import door
from symcook.errors import BadInput, chosen
from symcook.model.answers import EMPTY_STRING, Named
from symcook.model.checks import Put, Space, changes, coordinates, freeze, instance, matrix, one_of, printable, sparse
from symcook.model.entries import NamedNumbers, held, held_values, keep, keeps
from symcook.model.symbols import Number, check_symbol, exact, lowered
from symcook.model.typedtext import text_of_tokens

if TYPE_CHECKING:
    from symcook.numbers.matrix import RationalMatrix

RULES = {"sign": "positive", "zero": "zero", "largest": "largest", "groups": "largest of each group"}
"""For each kind of readout that compares numbers, the name of its comparison. Where several scores are the largest, the
first of them counts."""
READOUTS = ("value", "sign", "zero", "largest", "distribution", "groups")
"""The kinds of readouts; `Readout` says what each does."""
LOOKS = {
    "first": "at the first position",
    "last": "at the last position",
    "each": "at each position",
    "all": "at every position",
}
"""The positions at which a readout may look, in words. Only `Readout` reads the keys. All others ask it for the kinds
of positions that they support: whether it looks at the `first` position or at the `last` one, gives an answer at
`each`, or one for all `together`; they refuse the rest."""
POSITIONS = tuple(LOOKS)
"""Their words."""
MAX_TABLES = 64
"""The greatest number of tables of position functions that an embedding keeps for number systems."""
T = TypeVar("T")
Column = TypeVar("Column", contravariant=True)
"""One coordinate at all positions."""
Verdicts = TypeVar("Verdicts")
"""The answers to a comparison, or the indices of the largest scores, at all positions."""
Verdict = TypeVar("Verdict", covariant=True)
"""The answer at one position: True, False or None (undecided), or an index. In a batch it is an array of such answers;
where n is a variable, it is a condition on n."""


def one_hot(tokens: str | Sequence[str]) -> dict[Any, dict[Any, int]]:
    """Each token with a 1 at the coordinate of its own name; BadInput where a token repeats.

    >>> one_hot("ab")
    {'a': {'a': 1}, 'b': {'b': 1}}
    """
    names = coordinates(tuple(tokens), "words")
    return {token: {token: 1} for token in names}


class TokenRows(Mapping[str, Mapping[str, Any]]):
    """The `words` of an embedding as one matrix of rational numbers: a row for each token, a column for each
    coordinate.

    `places` maps a token to the index of its row, `names` are the coordinates of the columns. Rows are made when they
    are read.
    """

    def __init__(self, tokens: Sequence[str], names: Sequence[str], matrix: RationalMatrix) -> None:
        self.places = {token: k for k, token in enumerate(coordinates(tokens, "words"))}
        self.names, self.matrix = coordinates(names, "coordinates"), matrix
        if matrix.shape != (len(self.places), len(self.names)):
            shape = f"{len(self.places)} x {len(self.names)}"
            raise BadInput(
                f"the matrix of an embedding must have shape {shape}",
                f"{matrix.rows} x {matrix.cols}",
                "give a matrix of this shape",
            )

    def __getitem__(self, token: str) -> Mapping[str, Any]:
        index = self.places[token]
        row = (exact(Fraction(p, q)) for p, q in self.matrix.part(slice(index, index + 1)).ratios())
        return MappingProxyType(dict(zip(self.names, row, strict=True)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


@door()
@dataclass(frozen=True, repr=False)
class Embedding(Named):
    """The residual stream before the first layer: token values or given inputs, plus position functions.

    Exactly one of `words` and `inputs` is given. Tokens without values are one-hot: each is 1 at the coordinate of
    its own name.

    Arguments:
        space: Space. The coordinates.
        words: {token: {coordinate: exact value}} (None). Coordinates without a value are 0. Also tokens without
            values: "ab" or ("a", "BOS").
        inputs: tuple of str (None). Coordinates whose values are given with each run, one row a position.
        positions: {coordinate: expression in i and n} ({}). Position functions; i counts from `start`.
        start: int (1). The number of the first position.
        before: str or None (None). A token of `words` that is added before every input (CLS, BOS); n counts
            it.
        after: str or None (None). A token of `words` that is added after every input (EOS); n counts it.

    Returns: Embedding, which is immutable.

    Raises: BadInput: an unknown coordinate, a token without values together with tokens that have values, both or
    neither of `words` and `inputs`.

    Example:

    >>> space = Space(("vote", "share"))
    >>> Embedding(space, words={"a": {"vote": 1}, "b": {"vote": -1}}, positions={"share": "i/n"}).alphabet
    ('a', 'b')

    Source: Cookbook, Definition 2.1.
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
        """Check the fields, and set them in their frozen form. Raises BadInput for invalid ones."""
        instance("the space of an embedding", self.space, Space)
        if (self.words is None) == (self.inputs is None):
            both = "neither" if self.words is None else "both"
            raise BadInput(
                "an embedding must have either words (for strings of tokens) or inputs (for numbers)",
                both,
                "give only one of words and inputs",
            )
        if self.words is not None:
            freeze(self, words=self._checked_words(self.words))
        # Added tokens: they must be among the tokens, and at least one other token must be left for the user to type.
        for token in (self.before, self.after):
            if token is not None and (not isinstance(token, str) or token not in (self.words or {})):
                raise BadInput(
                    "a special token that the model adds must be one of its tokens", token, "add the token to words"
                )
        if self.words is not None and not self.alphabet:
            raise BadInput(
                "an input must have a token to consist of, other than those added before and after it",
                ", ".join(self.words),
                "add another token to words",
            )
        # Inputs: coordinates of the space, whose names may occur in formulas.
        if self.words is None:
            inputs = coordinates(() if self.inputs is None else self.inputs, "inputs")
            self.space.require(inputs)
            for name in inputs:
                check_symbol(name)
            freeze(self, inputs=inputs)
        freeze(self, positions=self._values(self.positions, "positions"))
        if type(self.start) is not int or self.start not in (0, 1):
            raise BadInput("positions must be numbered from 0 or 1", self.start, "write start=0 or start=1")

    def _checked_words(self, given: object) -> Mapping[str, Mapping[str, Any]]:
        """The frozen form of the field `words`; BadInput where a token or a coordinate that it sets is invalid."""
        words: Any = one_hot(given) if isinstance(given, (str, list, tuple)) else given
        as_rows = isinstance(words, TokenRows)
        if not isinstance(words, Mapping) or not (as_rows or all(isinstance(v, Mapping) for v in words.values())):
            must = "strings must map each token to {coordinate: value}, or be a string of tokens that are coordinates"
            raise BadInput(must, type(words).__name__, 'write for example {"a": {"x": 1}, "b": {"x": 0}}')
        if not words:
            raise BadInput("the alphabet must have at least one token", "none", 'give words, for example "ab"')
        table = {}
        for token in words:
            if not isinstance(token, str) or token.split() != [token] or any(map(_control, token)):
                raise BadInput(
                    "a token must be text without white space or control characters",
                    repr(token),
                    "give the token another name",
                )
            printable(token, "a token")
            if not as_rows:
                table[token] = self._values(words[token], f"the embedding of {token}")
        # The entries of `TokenRows` are known to be numbers, so only the names of its columns are checked.
        if isinstance(words, TokenRows):
            self.space.require(words.names)
        return words if as_rows else MappingProxyType(table)

    def _values(self, given: object, what: str) -> Mapping[str, Any]:
        """`given` as an unchangeable {coordinate: number}; BadInput where it is not such a map (`what` names it)."""
        if not isinstance(given, Mapping):
            raise BadInput(
                f"{what} must map coordinates to numbers", type(given).__name__, 'write for example {"x": 1}'
            )
        self.space.require(list(given))
        return NamedNumbers(given)

    def mapped(self, put: Put) -> Embedding:
        """This embedding with `put` applied to every number; the embedding itself if no number changes."""
        # The numbers of `TokenRows` have no symbols.
        rows = {} if isinstance(self.words, TokenRows) else self.words or {}
        new = {token: changes(held_values(row), put) for token, row in rows.items()}
        new_positions = changes(held_values(self.positions), put)
        if not new_positions and not any(new.values()):
            return self
        words = {token: {**row, **new[token]} for token, row in rows.items()} if rows else self.words
        return replace(self, words=words, positions={**self.positions, **new_positions})

    @cached_property
    def tables(self) -> Mapping[str, Mapping[str, Number]]:
        """{coordinate: {token: number}} for each coordinate that some token sets to another number than 0, in the
        form that number systems read. All other tokens have 0 there."""
        rows = {token: held_values(row) for token, row in (self.words or {}).items()}
        names = dict.fromkeys(name for row in rows.values() for name, value in row.items() if value != 0)
        return {name: {token: lowered(row.get(name, 0)) for token, row in rows.items()} for name in names}

    @cached_property
    def places(self) -> Mapping[str, Number]:
        """The position functions, {coordinate: number or expression in i and n}, as number systems take them."""
        return {name: lowered(value) for name, value in held_values(self.positions).items()}

    def by_position(self, key: Hashable, make: Callable[[], T]) -> T:
        """The table of the position functions at the positions of one length, in the form of a number system.

        It is made once for each `key` (the number system, the coordinates and the positions), for at most
        `MAX_TABLES` keys at a time.
        """
        tables: dict[Hashable, Any] = self.kept.setdefault("by position", {})
        if key not in tables:
            while len(tables) >= MAX_TABLES:
                tables.pop(next(iter(tables)), None)
            tables[key] = make()
        return tables[key]

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
        """The tokens that the model adds before each input, and the tokens that it adds after."""
        before, after = self.before, self.after
        return () if before is None else (before,), () if after is None else (after,)

    @property
    def added(self) -> int:
        """How many tokens the model adds to each input."""
        return sum(map(len, self.ends))

    @property
    def shortest(self) -> int:
        """The fewest symbols of an input: 0 where the model adds tokens. Without them the empty string has no position,
        and so no answer."""
        return 0 if self.added else 1

    def surround(self, tokens: Sequence[T]) -> tuple[T | str, ...]:
        """`tokens` (or any values, one for each token) between the tokens that the model adds before and after."""
        return (*self.ends[0], *tokens, *self.ends[1])

    def typed(self, tokens: Sequence[T]) -> Sequence[T]:
        """`tokens` (or any values, one for each token) without the tokens that the model adds: the inverse of
        `surround`."""
        return tokens[len(self.ends[0]) : len(tokens) - len(self.ends[1])]

    @cached_property
    def spelled(self) -> bool:
        """Whether a string may be written without spaces: every token that a user types is one character."""
        return all(len(token) == 1 for token in self.alphabet)

    def written(self, tokens: Sequence[str]) -> str:
        """Tokens that a user types as one text, from which they can be read again (`tokens_of_text`)."""
        return text_of_tokens(tokens, self.alphabet)

    def listed(self, text: str) -> str:
        """The tokens of which the beginning of `text` consists, as a list in Python; for messages."""
        text, found = "".join(text.split()), list[str]()
        while found_next := max((t for t in self.alphabet if t and text.startswith(t)), key=len, default=""):
            found.append(found_next)
            text = text[len(found_next) :]
        shown = [f'"{token}"' for token in (found or self.alphabet)[:3]]
        return f"[{', '.join(shown)}{', ...' if text or len(found) != len(shown) else ''}]"

    def said(self, tokens: Sequence[str]) -> str:
        """As `written`, for use within a sentence: the empty string is named, since it would be invisible."""
        return self.written(tokens).rstrip(" ") or EMPTY_STRING


def _control(character: str) -> bool:
    """Whether a character is a control character or half of a surrogate pair: a shell cannot pass it as an argument."""
    return unicodedata.category(character) in ("Cc", "Cs")


class Comparing(Protocol[Column, Verdicts, Verdict]):
    """The comparisons of a number system (`symcook.domains.protocol`)."""

    def largest(self, columns: Sequence[Column]) -> Verdicts:
        """At each position the index of the first largest score, None where it is undecided."""
        ...

    def positive(self, column: Column) -> Verdicts:
        """At each position: is the entry greater than zero?"""
        ...

    def zero(self, column: Column) -> Verdicts:
        """At each position: is the entry equal to zero?"""
        ...

    def both(self, first: Verdicts, second: Verdicts) -> Verdicts:
        """The conjunction at each position. False and undecided give False."""
        ...

    def paired(self, first: Verdicts, second: Verdicts, size: int) -> Verdicts:
        """At each position size * first + second, for two indices; None where one of them is undecided."""
        ...

    def every(self, verdicts: Verdicts) -> Verdict:
        """The conjunction over all positions."""
        ...

    def verdict(self, verdicts: Verdicts, place: int) -> Verdict:
        """The verdict at the position with index `place`."""
        ...


@door()
@keeps("weights")
@dataclass(frozen=True, repr=False)
class Readout(Named):
    """The output layer: how the answer is computed, from which coordinates and at which positions.

    The kind "value" shows the coordinates and decides nothing. "sign" accepts if and only if the logit, which is
    weights . reads, is positive; "zero" if and only if every coordinate is zero. "largest" answers with the
    label of the largest of the scores weights . reads, the first of several. "distribution" gives the softmax of
    these scores, a probability for each label. "groups" answers with one label of each group, the label with
    the largest score of that group; so a token may be composed of a state, a symbol and a move.

    Arguments:
        kind: str. "value", "sign", "zero", "largest", "distribution" or "groups".
        position: str. "first" or "last": that position; "each": an answer at each position; "all": accepts if every
            position does.
        reads: tuple of str. The coordinates that are read, r of them.
        weights: matrix (None). 1 x r for "sign", len(labels) x r for "largest", "distribution" and "groups".
        labels: tuple of str (()). The labels of the scores.
        groups: tuple of int (()). How many labels each group has, in order.

    Returns: Readout, which is immutable.

    Raises: BadInput: an unknown kind or position, or weights of another shape.

    Example:

    >>> Readout("largest", "last", ("x", "y"), weights=[[1, 0], [0, 1]], labels=("left", "right")).labels
    ('left', 'right')

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
        """Check the fields, and set them in their frozen form. Raises BadInput for invalid ones."""
        freeze(self, kind=one_of("readout", self.kind, READOUTS))
        one_of("position of the readout", self.position, POSITIONS)
        # Names: what is read, and labels, which groups divide.
        reads = coordinates(self.reads, "reads")
        labels = coordinates(self.labels, "labels")
        for label in labels:
            printable(label, "a label")
        scores = self.kind in ("largest", "distribution", "groups")
        freeze(self, groups=self._grouped(labels))
        if not reads:
            raise BadInput("a readout must read at least one coordinate", "none", 'give reads, for example ("x",)')
        # Weights must be given for the kinds that compute logits or scores, and for no other kind.
        if (self.kind == "sign" or scores) != (held(self, "weights") is not None):
            do = "give a row of weights for each label" if scores else "give weights=[1], one for each coordinate"
            must = "weights must be given for the readouts sign, largest, distribution and groups, and for no other"
            raise BadInput(must, self.kind, do if held(self, "weights") is None else "leave weights out")
        if scores != bool(labels):
            raise BadInput(
                "labels must be given for the readouts largest, distribution and groups, and for no other",
                self.kind,
                "give labels for these kinds, and leave them out for others",
            )
        if self.kind not in ("sign", "zero") and self.together:
            raise BadInput(
                """a readout with the position "all" must be of the kind sign or zero, which decide yes or no""",
                f"kind {self.kind}",
                """write position="each", or the kind sign or zero""",
            )
        shape = (len(labels) or 1, len(reads))
        weights = held(self, "weights")
        weights = None if weights is None else matrix(weights, shape, "the readout's weights")
        keep(self, reads=reads, weights=weights, labels=labels)

    def _grouped(self, labels: Sequence[str]) -> tuple[int, ...]:
        """The sizes of the groups; BadInput where they do not add up to the number of labels."""
        sizes = tuple(self.groups) if isinstance(self.groups, (list, tuple)) else (self.groups,)
        if self.kind != "groups":
            if sizes:
                raise BadInput(
                    "groups must be given for a readout of the kind groups, and for no other kind",
                    self.kind,
                    "give groups for this kind, and leave them out for others",
                )
            return ()
        if not sizes or not all(type(size) is int and size > 0 for size in sizes) or sum(sizes) != len(labels):
            raise BadInput(
                f"groups must be positive integers that add up to the {len(labels)} labels",
                sizes or "none",
                f"give for example {(1,) * len(labels)}",
            )
        comma = next((label for label in labels if "," in label), None)
        if comma is not None:
            must = "a label of a group must not contain a comma, because commas separate the labels of an answer"
            raise BadInput(must, comma, "give a label without a comma")
        return sizes

    def mapped(self, put: Put) -> Readout:
        """This readout with `put` applied to every weight; the readout itself if no weight changes."""
        weights = held(self, "weights")
        new = {} if weights is None else changes({"weights": weights}, put)
        return replace(self, **new) if new else self

    def require(self, must: str, kinds: Sequence[str], do: str | None = None) -> None:
        """Raises BadInput if the kind is not among `kinds`. `must` says what must hold, `do` what the user can
        do."""
        if self.kind not in kinds:
            raise BadInput(must, f"a readout of kind {self.kind}", do)

    @property
    def rule(self) -> str | None:
        """The entry of `RULES` for this kind; None where the readout shows values."""
        return RULES.get(self.kind)

    def choice(self, *rules: str) -> tuple[str, tuple[Mapping[str, Number], ...]]:
        """The rule that gives the answer, and the numbers that it compares, each as a row {coordinate: weight}. For a
        zero test these are the coordinates read, with weight 1.

        Arguments:
            rules: the rules that the caller can handle; without any, positive, zero and largest.

        Raises BadInput if the readout has none of these rules.
        """
        rule = self._known_rule(rules or ("positive", "zero", "largest"))
        return rule, self.rows or tuple({name: Fraction(1)} for name in self.reads)

    def _known_rule(self, rules: Sequence[str]) -> str:
        """The rule of this readout; BadInput where it is not among `rules`."""
        kinds = [kind for kind, rule in RULES.items() if rule in rules]
        self.require(f"the readout of the model must be of kind {' or '.join(kinds)} to answer this", kinds)
        return RULES[self.kind]

    @property
    def decides(self) -> bool:
        """Whether the readout accepts or rejects."""
        return self.rule in ("positive", "zero")

    @property
    def signed(self) -> bool:
        """Whether the sign of one number, the logit, decides."""
        return self.rule == "positive"

    @property
    def answers(self) -> bool:
        """Whether an answer is a verdict or one label, which can be compared over all strings: not values, and not one
        label for each group."""
        return self.rule is not None and not self.groups

    @property
    def labelled(self) -> bool:
        """Whether the answer is a label, or one label of each group."""
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
        """The label for an index of `verdicts`. Where there are groups, it is one label of each, with commas
        between."""
        # The index is a number in mixed radix: the label of the last group is its lowest digit.
        chosen = []
        for part in reversed(self.parts):
            index, label_index = divmod(index, len(part))
            chosen.append(part[label_index])
        return ",".join(reversed(chosen))

    def index(self, label: str) -> int | None:
        """The index of `label`, the inverse of the method `label`; None where `label` is not a possible answer."""
        chosen, parts, result = label.split(",") if self.groups else [label], self.parts, 0
        if len(chosen) != len(parts) or any(
            chosen_label not in part for chosen_label, part in zip(chosen, parts, strict=True)
        ):
            return None
        for chosen_label, part in zip(chosen, parts, strict=True):
            result = result * len(part) + part.index(chosen_label)
        return result

    def by_position(self, *, first: T, last: T, each: T, together: T) -> T:
        """One of four values, by the position; BadInput for any other one. A new kind of position is a new argument, so
        that all who call this say what they do there."""
        known = {"first": first, "last": last, "each": each, "all": together}
        return chosen("a readout", "position of the readout", self.position, known)

    @property
    def where(self) -> str:
        """The positions in words; BadInput for a position that `LOOKS` does not have."""
        return chosen("a readout", "position of the readout", self.position, LOOKS)

    @property
    def first(self) -> bool:
        """Whether the readout looks at the first position only."""
        return self.where == LOOKS["first"]

    @property
    def last(self) -> bool:
        """Whether the readout looks at the last position only."""
        return self.where == LOOKS["last"]

    @property
    def each(self) -> bool:
        """Whether there is an answer at each position."""
        return self.where == LOOKS["each"]

    @property
    def together(self) -> bool:
        """Whether there is one answer for all positions, which accepts if each of them does."""
        return self.where == LOOKS["all"]

    @property
    def everywhere(self) -> bool:
        """Whether the readout looks at every position."""
        return self.by_position(first=False, last=False, each=True, together=True)

    @property
    def continues(self) -> bool:
        """Whether the answer after each prefix of an input may be its next symbol: at the last position, or at each."""
        return self.last or self.each

    def counted(self, sequence: Any, places: Sequence[int]) -> Sequence[int]:
        """The indices among `places` at which answers to this input count: here all of them. A subclass may choose
        (`symcook.words.positions`)."""
        return places

    @property
    def place(self) -> int:
        """The index of the one position at which the readout looks, 0 or -1. No other ones are possible: a pass that
        reads one position leaves columns with one entry, which has both."""
        index = self.by_position(first=0, last=-1, each=None, together=None)
        if index is None:
            raise RuntimeError("a readout that looks at every position was asked for its one position")
        return index

    @property
    def shown(self) -> int:
        """The index of the position whose values are shown with an answer to a whole input: the last one where the
        readout looks at every position, else `place`."""
        return self.by_position(first=0, last=-1, each=-1, together=-1)

    def places(self, n: int) -> range:
        """The indices at which the readout looks in an input of `n` positions; none where there are no positions."""
        return range(n) if self.everywhere else range(n)[self.place :][:1]

    def answered(self, n: int) -> range:
        """The indices at which there is an answer: all for "each", the last for "all", else the one that is read."""
        return range(n) if self.each else range(n)[self.shown :][:1]

    def at(self, low: T, high: T) -> T | None:
        """The one position at which the readout looks, where positions are `low` to `high` (text, say); None where it
        looks at every position."""
        return self.by_position(first=low, last=high, each=None, together=None)

    def mirrored(self) -> Readout:
        """This readout for the reversed input."""
        return replace(self, position=self.by_position(first="last", last="first", each="each", together="all"))

    def verdicts(
        self, domain: Comparing[Column, Verdicts, Verdict], reads: Sequence[Column], scores: Sequence[Column]
    ) -> Verdicts | None:
        """The verdict or the index of the label at each position, compared in the number system `domain`; None for a
        readout that only shows values. `reads` and `scores` are columns of the domain: the coordinates read, and
        the logit or scores."""
        if self.rule is None:
            return None
        rule = self._known_rule(("positive", "zero", "largest", "largest of each group"))
        if rule == "zero":
            return reduce(domain.both, map(domain.zero, reads))
        # Groups: an index in each group, joined into one number that `label` takes apart again.
        if self.groups:
            ends = list(accumulate(self.groups, initial=0))
            best = domain.largest(scores[: ends[1]])
            for start, end in pairwise(ends[1:]):
                best = domain.paired(best, domain.largest(scores[start:end]), end - start)
            return best
        return domain.positive(scores[0]) if rule == "positive" else domain.largest(scores)

    def verdict(self, domain: Comparing[Column, Verdicts, Verdict], verdicts: Verdicts) -> Verdict:
        """The answer to an input, from the verdicts at its positions: for "all" their conjunction, for "each" the last
        one, else the verdict at `place`."""
        return domain.every(verdicts) if self.together else domain.verdict(verdicts, self.shown)

    def distance(self, values: Sequence[Any], greatest: Callable[[Sequence[Any]], Any], order: Any = None) -> Any:
        """How far an answer is from another one. `values` are the numbers that decide it (`Result.watched`).

        Arguments:
            values: the logit or scores; for a zero test, the coordinates read.
            greatest: the maximum of a sequence of values.
            order: a key by which values can be compared; it must be given for scores.

        Where values are compared with 0, the distance is the greatest |value|. For scores it is the greatest score less
        the greatest of the others; for groups, the least of the distances of the groups. None where there is no other
        answer at any distance: a zero test that is passed, or a single score.
        """
        # Sign or zero test: the greatest size.
        if self.decides:
            size = greatest([abs(value) for value in values])
            return None if size == 0 and not self.signed else size
        # Groups: the least of their distances, computed as the negated maximum of the negated distances.
        if len(self.groups) > 1:
            ends = list(accumulate(self.groups, initial=0))
            single_group = replace(self, kind="value", weights=None, labels=(), groups=())
            parts = [single_group.distance(values[start:end], greatest, order) for start, end in pairwise(ends)]
            gaps = [-part for part in parts if part is not None]
            return -greatest(gaps) if gaps else None
        # Scores: the best against the best of the others.
        best = max(range(len(values)), key=lambda k: order(values[k]))
        others = [value for k, value in enumerate(values) if k != best]
        return abs(values[best] - greatest(others)) if others else None

    @cached_property
    def rows(self) -> tuple[Mapping[str, Number], ...]:
        """The weights as rows {coordinate: weight}, without zeros."""
        weights = held(self, "weights")
        return () if weights is None else sparse(weights, self.reads)
