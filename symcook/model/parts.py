"""The parts of a transformer with weights: exact matrices over named coordinates, checked when they are made.

A part says which coordinates it reads and which it writes; the matrices are over those names only, and a write adds to
the residual stream. Numbers are given as ints, Fractions, text in the grammar or sympy expressions, and kept as sympy;
a Python float is refused. Source of the definitions: Cookbook, Sections 2.2 and 5.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from symcook.door import door
from symcook.errors import BadInput
from symcook.model import symbols
from symcook.model.answers import Named
from symcook.model.checks import Put, changes, coordinates, freeze, height, matrix, nested, one_of, sparse
from symcook.model.symbols import lowered

if TYPE_CHECKING:
    import sympy


class Mask(StrEnum):
    """What a row of attention sees: positions `before` it, `here` (itself), `after` it. Named for what it hides."""

    NONE = "none", True, True, True
    FUTURE = "future", True, True, False
    STRICT_FUTURE = "strict-future", True, False, False
    PAST = "past", False, True, True
    STRICT_PAST = "strict-past", False, False, True

    before: bool
    here: bool
    after: bool

    def __new__(cls, text: str, before: bool, here: bool, after: bool) -> Self:
        mask = str.__new__(cls, text)
        mask._value_, mask.before, mask.here, mask.after = text, before, here, after
        return mask

    @property
    def mirrored(self) -> Mask:
        """What it is on the reversed input."""
        return next(
            mask for mask in Mask if (mask.after, mask.here, mask.before) == (self.before, self.here, self.after)
        )


MASKS = tuple(mask.value for mask in Mask)
WEIGHTINGS = ("average", "softmax", "leftmost", "rightmost")
ACTIVATIONS = ("relu", "gelu", "gelu-tanh", "gelu-sigmoid", "step")


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

    def mapped(self, put: Put) -> Self:
        """This part with the substitution `put` made in every number; itself where none changes."""
        new = changes({**self.matrices(), **self.numbers()}, put)
        return replace(self, **new) if new else self  # type: ignore[type-var]

    def _take(self, dyadic: bool) -> None:
        """Arrays become lists; with `dyadic`, floats the numbers with a power of two below that they are."""
        for name, kind in self.FIELDS.items():
            if kind != "word":
                freeze(self, **{name: nested(getattr(self, name), dyadic)})

    def _freeze(self, **values: object) -> None:
        """Set checked names and numbers, and the matrices in the shapes that `FIELDS` gives them."""
        freeze(self, **values)
        sizes = self.sizes()
        for name, kind in self.FIELDS.items():
            given = getattr(self, name)
            if isinstance(kind, tuple) and not (given is None and name in self.OPTIONAL):
                freeze(self, **{name: matrix(given, (sizes[kind[0]], sizes[kind[1]]), name)})


@door()
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
        one_of("activation", self.activation, ACTIVATIONS)
        self._freeze(reads=coordinates(self.reads, "reads"), writes=coordinates(self.writes, "writes"))

    @property
    def hidden(self) -> int:
        """The number of hidden units."""
        return height(self.b1, "b1")

    def sizes(self) -> dict[str, int]:
        return super().sizes() | {"hidden": self.hidden}


@door()
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
        one_of("mask", self.mask, MASKS)
        one_of("weighting", self.weighting, WEIGHTINGS)
        reads, writes = coordinates(self.reads, "reads"), coordinates(self.writes, "writes")
        by_key = isinstance(self.scale, str) and self.scale == "1/sqrt(d_key)"
        scale = 1 / sympy.sqrt(max(height(self.Q, "Q"), 1)) if by_key else symbols.exact(self.scale)
        temperature = symbols.exact(self.temperature)
        if not scale.is_positive:
            raise BadInput("the scale of a head must be positive", scale, "give 1 or 1/sqrt(d_key)")
        if temperature.is_nonpositive:
            raise BadInput("a temperature must be positive", temperature)
        self._freeze(reads=reads, writes=writes, scale=scale, temperature=temperature)

    def sizes(self) -> dict[str, int]:
        return super().sizes() | {"key": height(self.Q, "Q")}

    @cached_property
    def sees(self) -> Mask:
        """What the mask lets a row see."""
        return Mask(self.mask)

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


@door()
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
        reads = coordinates(self.reads, "reads")
        writes = coordinates(self.writes, "writes") or reads
        if not reads:
            raise BadInput("a layer norm must read at least one coordinate", "none")
        one_of("outcome of zero variance", self.zero_variance, ("refuse", "zero"))
        m = len(writes)
        if self.projection is None and writes != reads:
            raise BadInput("a layer norm without projection must write what it reads", ", ".join(writes))
        epsilon = symbols.exact(self.epsilon)
        if epsilon.is_negative:
            raise BadInput("epsilon of a layer norm must not be negative", symbols.from_sympy(epsilon))
        gain = [1] * m if self.gain is None else self.gain
        bias = [0] * m if self.bias is None else self.bias
        self._freeze(reads=reads, writes=writes, gain=gain, bias=bias, epsilon=epsilon)

    @property
    def refuses(self) -> bool:
        """Whether there may be an input on which this norm leaves the model without a run."""
        return self.zero_variance == "refuse" and not self.epsilon.is_positive
