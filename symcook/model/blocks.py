"""Frozen blocks of a transformer: exact matrices over named coordinates, checked when they are made.

A block says which coordinates it reads and which it writes; the matrices are over those names only, and a write adds to
the residual stream. Numbers are given as ints, Fractions, text in the grammar or sympy expressions, and kept as sympy;
a Python float is refused. Source of the definitions: Cookbook, Sections 2.2 and 5.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from symcook.errors import BadInput, require_known, unknown
from symcook.model import symbols
from symcook.model.answers import Named, Shown
from symcook.model.space import Space, listed
from symcook.model.symbols import Number, exact, from_sympy, lowered, symbol
from symcook.model.verbs import Verbs

if TYPE_CHECKING:
    import sympy

MASKS = ("none", "future", "strict-future", "past", "strict-past")
WEIGHTINGS = ("average", "softmax", "leftmost", "rightmost")
ACTIVATIONS = ("relu", "gelu", "gelu-tanh", "gelu-sigmoid", "step")
PLACEMENTS = ("none", "post", "pre", "projected pre", "multi pre")
READOUTS = ("value", "sign", "zero", "largest", "distribution")
POSITIONS = ("first", "last", "each", "all")
INDEX = ("i", "n")
T = TypeVar("T")
MAX_LABEL = 2_000


def matrix(rows: Any, shape: tuple[int, int], what: str) -> sympy.ImmutableMatrix:
    """An exact matrix of `shape` from nested sequences, a flat sequence for a single row or column, or a sympy matrix.

    Raises BadInput where the shape differs or an entry is not exact.
    """
    import sympy

    if isinstance(rows, sympy.MatrixBase):
        given, entries = rows.shape, [exact(e) for e in rows]
    else:
        _height(rows, what)
        lines = list(rows)
        if lines and not isinstance(lines[0], (list, tuple)):
            lines = [[e] for e in lines] if shape[1] == 1 else [lines]
        widths = {len(line) for line in lines} or {shape[1]}
        if len(widths) > 1:
            raise BadInput(f"{what} must have rows of equal length", sorted(widths))
        given, entries = (len(lines), widths.pop()), [exact(e) for line in lines for e in line]
    if given != shape:
        raise BadInput(f"{what} must have shape {shape[0]} x {shape[1]}", f"{given[0]} x {given[1]}")
    return sympy.ImmutableMatrix(shape[0], shape[1], entries)


def _height(rows: Any, what: str) -> int:
    """The number of rows of what was given as a matrix; BadInput where it is none."""
    if hasattr(rows, "shape") and len(rows.shape) == 2:
        return rows.shape[0]
    if not isinstance(rows, (list, tuple)):
        raise BadInput(f"{what} must be a matrix: a list of rows, or a sympy matrix", type(rows).__name__)
    return len(rows)


def _listed(given: Any, dyadic: bool) -> Any:
    """An array as nested lists; with `dyadic` every finite float in it as the exact number that it is."""
    if hasattr(given, "tolist") and hasattr(given, "ndim"):
        given = given.tolist()
    if isinstance(given, (list, tuple)):
        return [_listed(one, dyadic) for one in given]
    if dyadic and isinstance(given, float) and isfinite(given):
        return Fraction(given)
    return given


def sparse(weights: sympy.ImmutableMatrix, columns: Sequence[Any]) -> tuple[Mapping[Any, Number], ...]:
    """The rows of a matrix as number systems take them: {column: number} without zeros, in the order of the columns."""
    rows: tuple[dict[Any, Number], ...] = tuple({} for _ in range(weights.shape[0]))
    for (r, c), value in sorted(weights.todok().items(), key=lambda entry: entry[0]):
        rows[r][columns[c]] = lowered(value)
    return rows


def _freeze(block: Any, **values: Any) -> None:
    for name, value in values.items():
        object.__setattr__(block, name, value)


def _instance(what: str, value: Any, kind: type) -> None:
    if not isinstance(value, kind):
        raise BadInput(f"{what} must be a {kind.__name__}", type(value).__name__)


def _label(text: Any, what: str) -> None:
    """Text that may be printed, and that a model file can hold."""
    if not isinstance(text, str):
        raise BadInput(f"{what} must be text", type(text).__name__)
    if len(text) > MAX_LABEL or not text.isprintable():
        raise BadInput(f"{what} must be printable text of at most {MAX_LABEL} characters", text)


def _coordinates(names: Iterable[str], what: str) -> tuple[str, ...]:
    result = listed(names, what, "names")
    for name in result:
        if not isinstance(name, str):
            raise BadInput(f"{what} must be a tuple of names", type(name).__name__)
    if len(set(result)) != len(result):
        raise BadInput(f"{what} must not name a coordinate twice", ", ".join(result))
    return result


class Part(Named):
    """What heads, feed-forward parts and norms have in common: coordinates read and written, and fields of three kinds.

    `FIELDS` is the table of what stands beside `reads` and `writes`, in order: a matrix with the names of its two sizes
    (`sizes` says how large they are), a "number", or a "word" out of a few. Everything that walks over a model (binding
    of symbols, model files, exports, tables) goes by it. Numbers may be given as integer arrays, and with `exact=True`
    as floats, which stand for exactly the dyadic numbers that they are.
    """

    REPORT = "model"
    FIELDS: ClassVar[Mapping[str, tuple[str, str] | str]]
    OPTIONAL: ClassVar[frozenset[str]] = frozenset()
    """The matrices that may be None."""
    reads: tuple[str, ...]
    writes: tuple[str, ...]

    def sizes(self) -> dict[str, int]:
        """How large the sizes are that `FIELDS` names."""
        return {"reads": len(self.reads), "writes": len(self.writes), "one": 1}

    def matrices(self) -> dict[str, sympy.ImmutableMatrix]:
        """The matrices by name; one that is left out is not there."""
        found = {name: getattr(self, name) for name, kind in self.FIELDS.items() if isinstance(kind, tuple)}
        return {name: value for name, value in found.items() if value is not None}

    def numbers(self) -> dict[str, Any]:
        """The exact numbers that are no matrix, by name."""
        return {name: getattr(self, name) for name, kind in self.FIELDS.items() if kind == "number"}

    @cached_property
    def lowered(self) -> Mapping[str, Any]:
        """What `FIELDS` names as number systems take it (`symcook.model.symbols.lowered`), made once: the `sparse` rows
        of a matrix over what is read or over hidden units, the entries of a matrix with one column, a number itself."""
        result: dict[str, Any] = {name: lowered(value) for name, value in self.numbers().items()}
        for name, weights in self.matrices().items():
            across = self.FIELDS[name][1]
            if across == "one":
                result[name] = tuple(lowered(value) for value in weights)
            else:
                result[name] = sparse(weights, self.reads if across == "reads" else range(weights.shape[1]))
        return result

    def mapped(self, put: Callable[[Any], Any]) -> Self:
        """This part with `put` applied to every number in it."""
        changed: dict[str, Any] = {name: weights.applyfunc(put) for name, weights in self.matrices().items()}
        return replace(self, **changed, **{name: put(value) for name, value in self.numbers().items()})  # type: ignore[type-var]

    def _take(self, dyadic: bool) -> None:
        """Arrays become lists; with `dyadic`, floats the numbers with a power of two below that they are."""
        for name, kind in self.FIELDS.items():
            if kind != "word":
                _freeze(self, **{name: _listed(getattr(self, name), dyadic)})

    def _freeze(self, **values: Any) -> None:
        """Set checked names and numbers, and the matrices in the shapes that `FIELDS` gives them."""
        _freeze(self, **values)
        sizes = self.sizes()
        for name, kind in self.FIELDS.items():
            given = getattr(self, name)
            if isinstance(kind, tuple) and not (given is None and name in self.OPTIONAL):
                _freeze(self, **{name: matrix(given, (sizes[kind[0]], sizes[kind[1]]), name)})


@dataclass(frozen=True, repr=False)
class FeedForward(Part):
    """y = W2 act(W1 x + b1) + b2, added to the coordinates `writes`.

    Activations: relu, max(0, x); gelu, x Phi(x); gelu-tanh and gelu-sigmoid, its two approximations (Eqs. 25 and 26);
    step, I[x > 0].
    Shapes, with r = len(reads), m = len(writes), h hidden units: W1 h x r, b1 h, W2 m x h, b2 m.
    Source: Cookbook, Definition 2.5.
    """

    FIELDS: ClassVar = {
        "W1": ("hidden", "reads"), "b1": ("hidden", "one"), "W2": ("writes", "hidden"), "b2": ("writes", "one"),
        "activation": "word",
    }  # fmt: skip

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    W1: Any
    b1: Any
    W2: Any
    b2: Any
    activation: str = "relu"
    exact: InitVar[bool] = False

    def __post_init__(self, exact: bool) -> None:
        self._take(exact)
        require_known("activation", self.activation, ACTIVATIONS)
        self._freeze(reads=_coordinates(self.reads, "reads"), writes=_coordinates(self.writes, "writes"))

    @property
    def hidden(self) -> int:
        """The number of hidden units."""
        return _height(self.b1, "b1")

    def sizes(self) -> dict[str, int]:
        return super().sizes() | {"hidden": self.hidden}


@dataclass(frozen=True, repr=False)
class Head(Part):
    """One attention head: c_i = sum_j alpha_ij V x_j, with alpha_i the weighting of the scores of row i.

    score_ij = scale * (Q x_i) . (K x_j) / temperature, and x is what `reads` names. Shapes, with r = len(reads),
    m = len(writes), d key dimensions: Q d x r, K d x r, V m x r. `scale` is 1 or "1/sqrt(d_key)" of the definition;
    `temperature` is an expression in i and n. Mask "future" lets row i see j <= i, "strict-future" j < i, "past"
    j >= i, "strict-past" j > i. A row that sees nothing gets zero. Weighting "average" puts equal weight on the maximal
    scores, so that Q = K = 0 is the uniform average; "leftmost" and "rightmost" put all of it on the first or last
    maximal score. An output matrix is a factor of V; a bias of queries, keys or values is a column of Q, K or V at a
    coordinate that is 1 everywhere.
    Source: Cookbook, Definition 2.3 and Section 5.
    """

    FIELDS: ClassVar = {
        "Q": ("key", "reads"), "K": ("key", "reads"), "V": ("writes", "reads"), "mask": "word", "weighting": "word",
        "temperature": "number", "scale": "number",
    }  # fmt: skip

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    Q: Any
    K: Any
    V: Any
    mask: str = "none"
    weighting: str = "average"
    temperature: Any = 1
    scale: Any = 1
    exact: InitVar[bool] = False

    def __post_init__(self, exact: bool) -> None:
        import sympy

        self._take(exact)
        require_known("mask", self.mask, MASKS)
        require_known("weighting", self.weighting, WEIGHTINGS)
        reads, writes = _coordinates(self.reads, "reads"), _coordinates(self.writes, "writes")
        by_key = isinstance(self.scale, str) and self.scale == "1/sqrt(d_key)"
        scale = 1 / sympy.sqrt(max(_height(self.Q, "Q"), 1)) if by_key else symbols.exact(self.scale)
        temperature = symbols.exact(self.temperature)
        if not scale.is_positive:
            raise BadInput("the scale of a head must be positive", scale, "give 1 or 1/sqrt(d_key)")
        if temperature.is_nonpositive:
            raise BadInput("a temperature must be positive", temperature)
        self._freeze(reads=reads, writes=writes, scale=scale, temperature=temperature)

    def sizes(self) -> dict[str, int]:
        return super().sizes() | {"key": _height(self.Q, "Q")}

    @cached_property
    def uniform(self) -> bool:
        """Whether every score is zero by the shape of the matrices, so that each row is a plain average."""
        return all(self.Q[d, :].is_zero_matrix or self.K[d, :].is_zero_matrix for d in range(self.Q.shape[0]))

    @cached_property
    def factor(self) -> Any:
        """What the scores are multiplied by: scale over temperature, 1 where it cannot matter."""
        return self.scale / self.temperature if self.weighting == "softmax" and not self.uniform else 1

    @cached_property
    def lowered(self) -> Mapping[str, Any]:
        """As for every part, and the factor of the scores."""
        return {**super().lowered, "factor": lowered(self.factor)}


@dataclass(frozen=True, repr=False)
class SelfAttention(Named):
    """Heads side by side; each adds its output to the coordinates that it writes."""

    REPORT = "model"

    heads: tuple[Head, ...]

    def __post_init__(self) -> None:
        _freeze(self, heads=listed(self.heads, "self-attention", "heads"))
        for head in self.heads:
            _instance("a part of self-attention", head, Head)
        if not self.heads:
            raise BadInput("self-attention must have at least one head", "none", "leave the attention out")


@dataclass(frozen=True, repr=False)
class LayerNorm(Part):
    """y = gain (P x - mean)/sqrt(variance + epsilon) + bias, entry by entry, at each position.

    x is what `reads` names, P the projection (m x r, with m = len(writes), r = len(reads); None: the identity), mean
    and variance are those of the m entries of P x (division by m). gain and bias have m entries. epsilon >= 0. Where
    variance + epsilon is zero the outcome is declared: `zero_variance` "refuse" stops with the position, "zero" gives
    the bias alone. Source: Cookbook, Definition 6.1; the projection as in merrill2024, Definition 1.
    """

    FIELDS: ClassVar = {
        "gain": ("writes", "one"), "bias": ("writes", "one"), "epsilon": "number", "projection": ("writes", "reads"),
        "zero_variance": "word",
    }  # fmt: skip
    OPTIONAL: ClassVar = frozenset({"projection"})

    reads: tuple[str, ...]
    writes: tuple[str, ...] = ()
    gain: Any = None
    bias: Any = None
    epsilon: Any = 0
    projection: Any = None
    zero_variance: str = "refuse"
    exact: InitVar[bool] = False

    def __post_init__(self, exact: bool) -> None:
        self._take(exact)
        reads = _coordinates(self.reads, "reads")
        writes = _coordinates(self.writes, "writes") or reads
        if not reads:
            raise BadInput("a layer norm must read at least one coordinate", "none")
        require_known("outcome of zero variance", self.zero_variance, ("refuse", "zero"))
        m = len(writes)
        if self.projection is None and writes != reads:
            raise BadInput("a layer norm without projection must write what it reads", ", ".join(writes))
        epsilon = symbols.exact(self.epsilon)
        if epsilon.is_negative:
            raise BadInput("epsilon of a layer norm must not be negative", from_sympy(epsilon))
        gain = [1] * m if self.gain is None else self.gain
        bias = [0] * m if self.bias is None else self.bias
        self._freeze(reads=reads, writes=writes, gain=gain, bias=bias, epsilon=epsilon)


@dataclass(frozen=True, repr=False)
class Layer(Named):
    """z := z + attention(z), then z := z + feedforward(z); either part may be absent. Source: Cookbook, Def. 2.2.

    attention: a `SelfAttention`, or one `Head`, which becomes one.

    With norms, for each of the two parts f (Cookbook, Section 6.2; merrill2024, Definition 1):
    "post"            z := LN(z + f(z)), one norm over the whole stream;
    "pre"             z := z + f(LN(z)), one norm over the whole stream;
    "projected pre"   z := z + f(LN(P z)), one norm with a projection; f reads the names that the norm writes;
    "multi pre"       the same with several such norms side by side.
    """

    REPORT = "model"

    attention: Any = None
    feedforward: FeedForward | None = None
    attention_norms: tuple[LayerNorm, ...] = ()
    feedforward_norms: tuple[LayerNorm, ...] = ()
    placement: str = "none"

    def __post_init__(self) -> None:
        if isinstance(self.attention, Head):
            _freeze(self, attention=SelfAttention((self.attention,)))
        if self.attention is None and self.feedforward is None:
            raise BadInput("a layer must have an attention or a feed-forward part", "neither")
        for what, kind in (("attention", SelfAttention), ("feedforward", FeedForward)):
            part = getattr(self, what)
            if part is not None and not isinstance(part, kind):
                raise BadInput(f"the {what} of a layer must be a {kind.__name__}", type(part).__name__)
        if self.attention is not None:
            _instance("the attention of a layer", self.attention, SelfAttention)
        if self.feedforward is not None:
            _instance("the feed-forward part of a layer", self.feedforward, FeedForward)
        require_known("placement of a norm", self.placement, PLACEMENTS)
        for name, part in (("attention", self.attention), ("feedforward", self.feedforward)):
            norms = getattr(self, f"{name}_norms")
            norms = (
                (norms,) if isinstance(norms, LayerNorm) else listed(norms, f"the norms of the {name}", "layer norms")
            )
            _freeze(self, **{f"{name}_norms": norms})
            for norm in norms:
                _instance(f"a norm of the {name}", norm, LayerNorm)
            self._check_norms(name, part, norms)

    def _check_norms(self, name: str, part: Any, norms: tuple[LayerNorm, ...]) -> None:
        wanted = 0 if part is None or self.placement == "none" else 1
        if len(norms) != wanted and not (self.placement == "multi pre" and wanted and norms):
            raise BadInput(f"placement {self.placement} needs {wanted or 'no'} norm for the {name}", len(norms))
        projected = self.placement in ("projected pre", "multi pre")
        for norm in norms:
            if (norm.projection is not None) != projected:
                must = f"placement {self.placement} needs norms with{'' if projected else 'out'} projection"
                raise BadInput(must, name)
        if projected and part is not None:
            _coordinates([n for norm in norms for n in norm.writes], f"the norms of the {name}")

    def sublayers(self, number: int) -> Iterator[Sublayer]:
        """The attention and the feed-forward part as steps; the one place that says what a placement means."""
        for block, norms in self.blocks():
            if self.placement == "post":
                yield Sublayer(number, block, after=norms[0])
            else:
                yield Sublayer(number, block, before=norms)

    def mapped(self, put: Callable[[Any], Any]) -> Layer:
        """This layer with `put` applied to every number in it."""
        attention = self.attention and SelfAttention(tuple(head.mapped(put) for head in self.attention.heads))
        before, inside = (
            tuple(norm.mapped(put) for norm in each) for each in (self.attention_norms, self.feedforward_norms)
        )
        return Layer(attention, self.feedforward and self.feedforward.mapped(put), before, inside, self.placement)

    def blocks(self) -> Iterator[tuple[SelfAttention | FeedForward, tuple[LayerNorm, ...]]]:
        """The attention, then the feed-forward part, each with its norms."""
        if self.attention is not None:
            yield self.attention, self.attention_norms
        if self.feedforward is not None:
            yield self.feedforward, self.feedforward_norms

    def parts(self) -> Iterator[Head | FeedForward | LayerNorm]:
        """Everything with reads, writes and matrices: heads, feed-forward part and norms."""
        for block, norms in self.blocks():
            yield from norms
            if isinstance(block, SelfAttention):
                yield from block.heads
            else:
                yield block


@dataclass(frozen=True)
class Sublayer:
    """One step of the forward pass over the residual stream z, with no word about placements left in it.

    `before` are the norms whose outputs the block reads, by the names that they write; without any it reads z itself.
    What the block gives is added to z; then `after`, where there is one, is put in place of what it reads. `block` is
    None for the final norm. `layer` counts from 1.
    """

    layer: int
    block: SelfAttention | FeedForward | None
    before: tuple[LayerNorm, ...] = ()
    after: LayerNorm | None = None

    @property
    def kind(self) -> str:
        """attention, feed-forward or final norm."""
        if self.block is None:
            return "final norm"
        return "feed-forward" if isinstance(self.block, FeedForward) else "attention"

    @property
    def parts(self) -> tuple[Head | FeedForward, ...]:
        """The heads, the feed-forward part, or nothing."""
        if isinstance(self.block, SelfAttention):
            return self.block.heads
        return () if self.block is None else (self.block,)

    @property
    def norms(self) -> tuple[LayerNorm, ...]:
        return self.before if self.after is None else (*self.before, self.after)

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """Everything with fields, in the order in which it acts: norms before, parts, the norm behind."""
        return (*self.before, *self.parts, *(() if self.after is None else (self.after,)))


def one_hot(tokens: str | Sequence[str]) -> dict[Any, dict[Any, int]]:
    """Each token with a 1 at the coordinate of its own name; BadInput where one repeats.

    >>> one_hot("ab")
    {'a': {'a': 1}, 'b': {'b': 1}}
    """
    names = _coordinates(tuple(tokens), "words")
    return {token: {token: 1} for token in names}


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
        _instance("the space of an embedding", self.space, Space)
        if (self.words is None) == (self.inputs is None):
            both = "neither" if self.words is None else "both"
            raise BadInput("an embedding must have either words or inputs", both)
        if self.words is not None:
            words = one_hot(self.words) if isinstance(self.words, (str, list, tuple)) else self.words
            if not isinstance(words, Mapping) or not all(isinstance(v, Mapping) for v in words.values()):
                must = "words must map each token to {coordinate: value}, or be a string of tokens that are coordinates"
                raise BadInput(must, type(words).__name__)
            if not words:
                raise BadInput("the alphabet must have at least one token", "none")
            table = {}
            for token, values in words.items():
                if not isinstance(token, str) or token.split() != [token] or any(map(_control, token)):
                    raise BadInput("a token must be text without white space or control characters", repr(token))
                _label(token, "a token")
                table[token] = self._values(values, f"the embedding of {token}")
            _freeze(self, words=MappingProxyType(table))
        for token in (self.before, self.after):
            if token is not None and (not isinstance(token, str) or token not in (self.words or {})):
                raise BadInput("a token that the model adds must be one of its words", token)
        if self.words is not None and not self.alphabet:
            raise BadInput("the alphabet must have a token that a user can type", ", ".join(self.words))
        if self.words is None:
            inputs = _coordinates(() if self.inputs is None else self.inputs, "inputs")
            self.space.require(inputs)
            for name in inputs:
                symbol(name)  # it stands in formulas
            _freeze(self, inputs=inputs)
        _freeze(self, positions=self._values(self.positions, "positions"))
        if type(self.start) is not int or self.start not in (0, 1):
            raise BadInput("positions must be numbered from 0 or 1", self.start)

    def _values(self, given: Any, what: str) -> Mapping[str, Any]:
        """{coordinate: number}, frozen."""
        if not isinstance(given, Mapping):
            raise BadInput(f"{what} must map coordinates to numbers", type(given).__name__)
        self.space.require(list(given))
        return MappingProxyType({name: exact(value) for name, value in given.items()})

    @cached_property
    def tables(self) -> Mapping[str, Mapping[str, Number]]:
        """{coordinate: {token: number}} for each coordinate that some token sets, as number systems take it."""
        names = dict.fromkeys(name for row in (self.words or {}).values() for name, value in row.items() if value != 0)
        words = self.words or {}
        return {name: {token: lowered(row.get(name, 0)) for token, row in words.items()} for name in names}

    @cached_property
    def places(self) -> Mapping[str, Number]:
        """The position functions as number systems take them."""
        return {name: lowered(value) for name, value in self.positions.items()}

    def __hash__(self) -> int:
        words = frozenset((token, frozenset(row.items())) for token, row in (self.words or {}).items())
        places = frozenset(self.positions.items())
        return hash((self.space, words, self.inputs, places, self.start, self.before, self.after))

    @property
    def alphabet(self) -> tuple[str, ...]:
        """The tokens that a user types, in order; empty where the model reads rows of inputs."""
        return tuple(token for token in self.words or () if token not in (self.before, self.after))

    @property
    def added(self) -> int:
        """How many tokens the model adds to each input."""
        return (self.before is not None) + (self.after is not None)

    def surround(self, tokens: Sequence[str]) -> tuple[str, ...]:
        """`tokens` with those that the model adds."""
        before = () if self.before is None else (self.before,)
        return (*before, *tokens, *(() if self.after is None else (self.after,)))

    def typed(self, tokens: Sequence[T]) -> Sequence[T]:
        """`tokens` (or what stands for each) without those that the model adds: what `surround` was given."""
        return tokens[self.before is not None : len(tokens) - (self.after is not None)]

    @property
    def spelled(self) -> bool:
        """Whether a word may be written without spaces: every token that a user types is one character."""
        return all(len(token) == 1 for token in self.alphabet)

    def written(self, tokens: Sequence[str]) -> str:
        """Tokens that a user types as one text, from which they can be read again."""
        return ("" if self.spelled else " ").join(tokens)


def _control(character: str) -> bool:
    """Whether a character is a control character or half of one: no shell can hand it over."""
    return unicodedata.category(character) in ("Cc", "Cs")


@dataclass(frozen=True, repr=False)
class Readout(Named):
    """What is looked at, and where.

    kind "value" shows the coordinates `reads` and decides nothing; "sign" accepts iff the scalar `weights` . reads,
    called logit, is positive; "zero" accepts iff every coordinate of `reads` is zero; "largest" answers with the label
    of the largest of the scores `weights` . reads, the first of several; "distribution" gives the softmax of these
    scores, a probability for each label. weights: 1 x r for "sign", len(labels) x r for the last two, r = len(reads).
    position "first" or "last" looks there; "each" gives an answer at each position; "all" accepts iff every one does.
    Source: Cookbook, Section 2.2.3 (Eq. 17, a strict inequality; Eqs. 18 and 19) and Section 9.2.1 (the zero test).
    """

    REPORT = "model"

    kind: str
    position: str
    reads: tuple[str, ...]
    weights: Any = None
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_known("readout", self.kind, READOUTS)
        require_known("position of the readout", self.position, POSITIONS)
        reads = _coordinates(self.reads, "reads")
        labels = _coordinates(self.labels, "labels")
        for label in labels:
            _label(label, "a label")
        scores = self.kind in ("largest", "distribution")
        if not reads:
            raise BadInput("a readout must read at least one coordinate", "none")
        if (self.kind == "sign" or scores) != (self.weights is not None):
            raise BadInput("weights must be given for sign, largest and distribution and for no other", self.kind)
        if scores != bool(labels):
            raise BadInput("labels must be given for largest and distribution and for no other", self.kind)
        if self.kind not in ("sign", "zero") and self.position == "all":
            raise BadInput("a readout at all positions must decide something", f"kind {self.kind}", "use each")
        shape = (len(labels) or 1, len(reads))
        weights = None if self.weights is None else matrix(self.weights, shape, "the readout's weights")
        _freeze(self, reads=reads, weights=weights, labels=labels)

    @cached_property
    def rows(self) -> tuple[Mapping[str, Number], ...]:
        """The `sparse` rows of the weights."""
        return () if self.weights is None else sparse(self.weights, self.reads)


@dataclass(frozen=True)
class Parameter:
    """A declared symbol: its default (or none) and the interval of its valid values (an open side where it says so)."""

    name: str
    default: Any = None
    lower: Any = None
    upper: Any = None
    lower_open: bool = True
    upper_open: bool = False

    def __post_init__(self) -> None:
        symbol(self.name)
        for side in (self.lower_open, self.upper_open):
            if not isinstance(side, bool):
                raise BadInput("whether an end of an interval is open must be True or False", side)
        if self.name in INDEX:
            raise BadInput("a symbol must not be called i or n, which count positions", self.name)
        for side in ("default", "lower", "upper"):
            if getattr(self, side) is not None:
                value = exact(getattr(self, side))
                if value.free_symbols:
                    raise BadInput(f"the {side} of a symbol must be a number", value)
                _freeze(self, **{side: value})
        if self.lower is not None and self.upper is not None:
            width = self.upper - self.lower
            if width.is_negative or (width.is_zero and (self.lower_open or self.upper_open)):
                raise BadInput(f"the interval of {self.name} must hold some number", self.region)
        if self.default is not None:
            self.check(self.default)

    @property
    def region(self) -> str:
        """The valid values as a formula of the grammar, for example ``0 < eps & eps <= 1/4096``."""
        parts = []
        if self.lower is not None:
            parts.append(f"{from_sympy(self.lower)} {'<' if self.lower_open else '<='} {self.name}")
        if self.upper is not None:
            parts.append(f"{self.name} {'<' if self.upper_open else '<='} {from_sympy(self.upper)}")
        return " & ".join(parts) or "true"

    def check(self, value: Any) -> sympy.Expr:
        """`value` as an exact number inside the interval, else BadInput."""
        number = exact(value)
        if number.free_symbols:
            raise BadInput(f"the value of {self.name} must be a number", from_sympy(number))
        for bound, sign, is_open in ((self.lower, 1, self.lower_open), (self.upper, -1, self.upper_open)):
            if bound is None:
                continue
            side = sign * (number - bound)
            if side.is_zero is None and not side.is_Rational:
                side = side.simplify()
            if not (side.is_positive if is_open else side.is_nonnegative):
                raise BadInput(f"{self.name} must satisfy {self.region}", from_sympy(number))
        return number


@dataclass(frozen=True, repr=False)
class Transformer(Verbs, Shown):
    """A frozen model: embedding, layers, readout, declared symbols, and the greatest length if it has one.

    Raises BadInput where a block reads or writes a coordinate outside the space, or a free symbol is not declared.

    >>> from symcook.recipes import build
    >>> build("dyck-1").run("(())").accept
    True
    """

    REPORT = "model"

    name: str
    embedding: Embedding
    layers: tuple[Layer, ...]
    readout: Readout
    parameters: tuple[Parameter, ...] = ()
    max_length: int | None = None
    source: str = ""
    final_norm: LayerNorm | None = None

    def __post_init__(self) -> None:
        if isinstance(self.layers, (Layer, Head, SelfAttention, FeedForward)):
            raise BadInput("layers must be a tuple of layers", type(self.layers).__name__, "write (Layer(...),)")
        _instance("the embedding of a model", self.embedding, Embedding)
        _instance("the readout of a model", self.readout, Readout)
        _label(self.name, "the name of a model")
        _label(self.source, "the source of a model")
        if self.final_norm is not None:
            _instance("the final norm", self.final_norm, LayerNorm)
        layers = listed(self.layers, "the layers of a model", "layers")
        parameters = listed(self.parameters, "the symbols of a model", "parameters")
        _freeze(self, layers=layers, parameters=parameters)
        for parameter in parameters:
            _instance("a symbol of a model", parameter, Parameter)
        for layer in self.layers:
            if not isinstance(layer, Layer):
                raise BadInput("layers must be a tuple of layers", type(layer).__name__, "write Layer(...) around it")
        if self.max_length is not None and (type(self.max_length) is not int or not 1 <= self.max_length < 10**18):
            raise BadInput(
                "the greatest length must be an integer of at least 1 and at most 18 digits", self.max_length
            )
        declared = {p.name for p in self.parameters}
        if len(declared) != len(self.parameters):
            raise BadInput("symbols must be declared once", ", ".join(p.name for p in self.parameters))
        for step in self.sublayers:
            self._check_step(step)
        self.space.require(self.readout.reads)
        clash = declared & (set(self.space) | set(INDEX))
        if clash:
            raise BadInput("a symbol must not have the name of a coordinate", sorted(clash)[0])
        for value, may_index, where in self.expressions():
            allowed = declared | (set(INDEX) if may_index else set())
            for free in sorted(value.free_symbols, key=str):
                if free.name not in allowed:
                    raise BadInput(
                        f"every symbol must be declared, i and n in positions and temperatures only ({where})",
                        free.name,
                        f"add Parameter('{free.name}', ...)",
                    )

    def _check_step(self, step: Sublayer) -> None:
        """Every name that a step reads or writes is a coordinate, or what a norm before it writes."""
        for norm in step.norms:
            self.space.require(norm.reads)
            if norm.projection is None and set(norm.reads) != set(self.space):
                raise BadInput("a norm without projection must read the whole stream", ", ".join(norm.reads))
        if step.after is not None and step.after.projection is not None:
            raise BadInput("a norm behind a block must be without projection", ", ".join(step.after.writes))
        view = Space(tuple(name for norm in step.before for name in norm.writes)) if step.before else self.space
        for part in step.parts:
            view.require(part.reads)
            self.space.require(part.writes)

    @property
    def space(self) -> Space:
        return self.embedding.space

    @property
    def alphabet(self) -> tuple[str, ...]:
        return self.embedding.alphabet

    @property
    def decides(self) -> bool:
        """Whether the readout gives accept or reject."""
        return self.readout.kind in ("sign", "zero")

    @property
    def pointwise(self) -> bool:
        """Whether the model is a feed-forward recipe: inputs, no attention, no position function, one position."""
        attends = any(layer.attention is not None for layer in self.layers)
        return self.embedding.inputs is not None and not attends and not self.embedding.positions

    @cached_property
    def sublayers(self) -> tuple[Sublayer, ...]:
        """The steps of the forward pass in order, the final norm at the end."""
        steps = tuple(step for number, layer in enumerate(self.layers, 1) for step in layer.sublayers(number))
        if self.final_norm is None:
            return steps
        return (*steps, Sublayer(max(len(self.layers), 1), None, after=self.final_norm))

    @property
    def normed(self) -> bool:
        """Whether there is a norm anywhere."""
        return any(step.norms for step in self.sublayers)

    def expressions(self) -> Iterator[tuple[Any, bool, str]]:
        """Each exact number of the model, whether i and n may occur in it, and where it stands."""
        for token, values in (self.embedding.words or {}).items():
            for value in values.values():
                yield value, False, f"the embedding of {token}"
        for name, value in self.embedding.positions.items():
            yield value, True, f"the position function of {name}"
        for step in self.sublayers:
            for part in step.all_parts:
                where = "the final norm" if step.block is None else f"layer {step.layer}"
                for name, weights in part.matrices().items():
                    for value in weights:
                        yield value, False, f"{name} of {where}"
                for name, value in part.numbers().items():
                    yield value, name == "temperature", f"the {name} of {where}"
        if self.readout.weights is not None:
            for value in self.readout.weights:
                yield value, False, "the readout"

    def parameter(self, name: str) -> Parameter:
        """The declaration of the symbol `name`, else BadInput with the nearest one."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise unknown("symbol", name, [p.name for p in self.parameters])

    def values(self, given: Mapping[str, Any] | None = None, *, require: bool = True) -> dict[str, Any]:
        """Exact values of the declared symbols: what is `given`, else (with `require`) the defaults.

        Raises BadInput for an undeclared symbol, a value outside the interval, or (with `require`) a symbol that has
        neither a value nor a default.
        """
        given = dict(given or {})
        result = {name: self.parameter(name).check(value) for name, value in given.items()}
        if require:
            for parameter in self.parameters:
                if parameter.name not in result:
                    if parameter.default is None:
                        raise BadInput(
                            "every symbol must have a value here", parameter.name, f"give it one: {parameter.name}=..."
                        )
                    result[parameter.name] = parameter.default
        return result

    def bind(self, given: Mapping[str, Any] | None = None, *, require: bool = True) -> Transformer:
        """This model with exact values in place of its symbols; see `values`."""
        values = self.values(given, require=require)
        if not values:
            return self
        table = {symbol(name): value for name, value in values.items()}

        def put(value: Any) -> Any:
            return value.subs(table) if value.free_symbols & table.keys() else value

        return self.mapped(put, tuple(p for p in self.parameters if p.name not in values))

    def mapped(self, put: Callable[[Any], Any], parameters: tuple[Parameter, ...]) -> Transformer:
        """This model with `put` applied to each of its `expressions`, and the declarations `parameters`."""

        words = self.embedding.words
        embedding = replace(
            self.embedding,
            words=words and {token: {c: put(v) for c, v in row.items()} for token, row in words.items()},
            positions={c: put(v) for c, v in self.embedding.positions.items()},
        )
        readout = self.readout
        if readout.weights is not None:
            readout = replace(readout, weights=readout.weights.applyfunc(put))
        return replace(
            self,
            embedding=embedding,
            layers=tuple(layer.mapped(put) for layer in self.layers),
            readout=readout,
            parameters=parameters,
            final_norm=self.final_norm and self.final_norm.mapped(put),
        )

    def tokens(self, word: str | Sequence[str]) -> tuple[str, ...]:
        """`word` as a sequence of tokens, with those that the model adds.

        BadInput where it has a foreign token, is too long, or is empty and the model adds nothing.
        """
        if not self.alphabet:
            raise BadInput("a word needs a model with an alphabet", self.name, "give rows of inputs instead")
        result = tuple(word)
        if not result and not self.embedding.added:
            raise BadInput("an input must have at least one symbol", "the empty string")
        for token in result:
            if token not in self.alphabet:
                raise BadInput(f"every symbol must be in the alphabet {' '.join(self.alphabet)}", token)
        result = self.embedding.surround(result)
        self.check_length(len(result))
        return result

    def check_length(self, n: int) -> None:
        """Raise BadInput where an input of length `n` is longer than the model allows."""
        if self.max_length is not None and n > self.max_length:
            raise BadInput(f"an input must have length at most {self.max_length}", n, "build the model with a larger N")
        if self.pointwise and n != 1:
            raise BadInput("a feed-forward recipe must have one row of inputs", n)

    def rows(self, rows: Sequence[Mapping[str, Any]]) -> tuple[Mapping[str, Any], ...]:
        """Rows of input values, one a position, made exact; BadInput where a name is missing or foreign."""
        inputs = self.embedding.inputs
        if inputs is None:
            raise BadInput("rows need a model with input coordinates", self.name, "give a word instead")
        if not rows:
            raise BadInput("an input must have at least one row", "none")
        result = []
        for row in rows:
            for name in row:
                if name not in inputs:
                    raise unknown("input", name, inputs)
            for name in inputs:
                if name not in row:
                    raise BadInput("every input must have a value", name, f"give {name}=...")
            result.append(MappingProxyType({name: exact(row[name]) for name in inputs}))
        self.check_length(len(result))
        return tuple(result)


def fraction(value: Any) -> Fraction:
    """A sympy Rational as a Fraction; BadInput where the value is not rational."""
    if not getattr(value, "is_Rational", False):
        raise BadInput("the value must be rational", from_sympy(value))
    return Fraction(int(value.p), int(value.q))
