"""The parts of a transformer: heads, feed-forward layers and norms, with exact matrices over named coordinates, and the
layers that are made of them, with the steps that a forward pass takes. All are checked when they are made.

A part says which coordinates it reads and which it writes; the matrices are over those names only, and a write adds to
the residual stream. Numbers are given as ints, Fractions, text in the grammar or sympy expressions. They are kept as
Fractions where they are rational, else as sympy expressions (`symcook.model.entries`). A Python float is refused unless
`exact` is set. Source of the definitions: Cookbook, Sections 2.2, 5 and 6.2; merrill2024, Definition 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import InitVar, dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from symcook.door import door
from symcook.errors import BadInput, unknown
from symcook.model import symbols
from symcook.model.answers import Named
from symcook.model.checks import (
    Put,
    changes,
    coordinates,
    freeze,
    height,
    instance,
    listed,
    matrix,
    nested,
    one_of,
    sparse,
    unknown_word,
)
from symcook.model.entries import MadeOnce, RationalEntries, all_rational, held, is_positive, keep, keeps, kept_number
from symcook.model.steps import LOWERINGS, Attend, PartStep, attention
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

    @classmethod
    def _missing_(cls, value: object) -> Mask:
        """Refuse a word that is no mask."""
        raise unknown_word("mask", value, MASKS)

    @property
    def mirrored(self) -> Mask:
        """This mask for the reversed input: `before` and `after` are exchanged."""
        return next(
            mask for mask in Mask if (mask.after, mask.here, mask.before) == (self.before, self.here, self.after)
        )


MASKS = tuple(mask.value for mask in Mask)
"""The names of the masks; `Mask` says what each lets a row see."""
WEIGHTINGS = ("average", "softmax", "leftmost", "rightmost")
"""How a head makes weights of scores; see `Head`."""
PLUS_ONE = "softmax-plus-one"
"""Softmax with a one below: e^score over 1 plus the sum of all, so that weights may add up to less than 1."""
SOFT = ("softmax", PLUS_ONE)
"""The weightings that are exponentials of scores."""
ACTIVATIONS = ("relu", "gelu", "gelu-tanh", "gelu-sigmoid", "step", "silu")
"""The activations of hidden units; see `FeedForward`."""
SIGMOIDS = {"gelu-sigmoid": Fraction(1702, 1000), "silu": Fraction(1)}
"""The activations x/(1 + e^(-c x)), each with its c."""
SMOOTH = ("gelu", "gelu-tanh", *SIGMOIDS)
"""The activations whose values are not rational: x times a factor between 0 and 1."""
PLACEMENTS = ("none", "post", "pre", "projected pre", "multi pre")
"""Where the norms of a layer are; see `Layer`."""


class UnreadField(BadInput, AttributeError):
    """A field that only other kinds of parts have was read from a part. (`hasattr` of it is False.)"""


class Part(Named):
    """What heads, feed-forward layers and norms have in common: coordinates read and written, and fields of three
    kinds.

    `FIELDS` lists the fields other than `reads` and `writes`, in order. The kind of a field is a pair for a matrix, the
    names of its two sizes (`sizes` gives their values), "number" for a number, or "word" for one of a few listed
    values. Binding of symbols, model files, exports and tables all use this table. Numbers may be given as integer
    arrays, and with `exact=True` as floats, each of which stands for the exact fraction that it is.
    """

    REPORT = "model"
    FIELDS: ClassVar[Mapping[str, tuple[str, str] | str]]
    OPTIONAL: ClassVar[frozenset[str]] = frozenset()
    """The matrices that may be None."""
    PLACE: ClassVar[str]
    """The place in a layer where parts of this kind stand, a name of `steps.LOWERINGS`."""
    KIND: ClassVar[str]
    """The name of the kind there."""
    reads: tuple[str, ...]
    writes: tuple[str, ...]

    def __init_subclass__(cls) -> None:
        """BadInput for a subclass of a kind of part: code that tells parts by their class would take one for the
        other."""
        base = cls.__bases__[0]
        if base is not Part:
            must = "a new kind of part must be a direct subclass of Part"
            raise BadInput(
                must, f"{cls.__name__}, a subclass of {base.__name__}", "build it from existing kinds of parts"
            )

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """BadInput where code asks a part for a field that only other kinds of parts have: it took this part for
            one of those."""
            if any(name in kind.FIELDS for kind in Part.__subclasses__()):
                must = f"the field {name} was read from a part whose kind lacks it"
                raise UnreadField(must, f"the kind {type(self).__name__}, which is unknown here")
            raise AttributeError(f"{type(self).__name__} has no {name}")

    @cached_property
    def steps(self) -> PartStep:
        """What this part computes."""
        return LOWERINGS[self.PLACE][self.KIND]({name: held(self, name) for name in self.FIELDS})

    def sizes(self) -> dict[str, int]:
        """The sizes of the matrices: the numbers of coordinates read and of coordinates written."""
        return {"reads": len(self.reads), "writes": len(self.writes), "one": 1}

    def matrices(self) -> dict[str, sympy.ImmutableMatrix]:
        """The matrices by name, without those that are None."""
        return {name: getattr(self, name) for name in held_matrices(self)}

    def numbers(self) -> dict[str, Any]:
        """The exact numbers of the fields of kind "number", by name."""
        return {name: getattr(self, name) for name in held_numbers(self)}

    @cached_property
    def lowered(self) -> Mapping[str, Any]:
        """The numbers of the part in the form that number systems read: {field: number, entries of a matrix with one
        column, or sparse rows of any other matrix}. Each is made when it is first read."""
        return MadeOnce((*held_numbers(self), *held_matrices(self)), self._lower)

    def _lower(self, name: str) -> Any:
        """One field, lowered. A matrix over one column is a vector of entries; any other has sparse rows."""
        if self.FIELDS[name] == "number":
            return lowered(held(self, name))
        across, weights = self.FIELDS[name][1], held(self, name)
        rows = sparse(weights, self.reads if across == "reads" else range(weights.shape[1]))
        return tuple(row.get(0, Fraction(0)) for row in rows) if across == "one" else rows

    def mapped(self, put: Put) -> Self:
        """This part with `put` applied to every number; the part itself if no number changes."""
        new = changes({**held_matrices(self), **held_numbers(self)}, put)
        return replace(self, **new) if new else self  # type: ignore[type-var]

    def _take(self, dyadic: bool) -> None:
        """Turn arrays into nested lists and, with `dyadic`, each float into the exact fraction that it is."""
        for name, kind in self.FIELDS.items():
            if kind != "word":
                keep(self, **{name: nested(held(self, name), dyadic)})

    def _freeze(self, **values: object) -> None:
        """Set the checked `values`, and bring every matrix into the shape that `FIELDS` gives it; BadInput where its
        shape differs."""
        keep(self, **values)
        sizes = self.sizes()
        for name, kind in self.FIELDS.items():
            value = held(self, name)
            if isinstance(kind, tuple) and not (value is None and name in self.OPTIONAL):
                keep(self, **{name: matrix(value, (sizes[kind[0]], sizes[kind[1]]), name)})


def held_matrices(part: Part) -> dict[str, sympy.ImmutableMatrix | RationalEntries]:
    """The matrices of a part by name, without conversion to sympy's form (`held`)."""
    matrices = {name: held(part, name) for name, kind in part.FIELDS.items() if isinstance(kind, tuple)}
    return {name: value for name, value in matrices.items() if value is not None}


def held_numbers(part: Part) -> dict[str, Any]:
    """The fields of kind "number" of a part, without conversion to sympy's form (`held`)."""
    return {name: held(part, name) for name, kind in part.FIELDS.items() if kind == "number"}


@door()
@keeps("W1", "b1", "W2", "b2")
@dataclass(frozen=True, repr=False)
class FeedForward(Part):
    """A feed-forward layer: y = W2 act(W1 x + b1) + b2, added to the coordinates `writes`.

    x has the r coordinates `reads`, y the m coordinates `writes`, and there are h hidden units.

    Arguments:
        reads: tuple of str. The coordinates that are read, r of them.
        writes: tuple of str. The coordinates to which the output is added, m of them.
        W1: matrix h x r. The weights of the hidden units.
        b1: h exact numbers. The biases of the hidden units.
        W2: matrix m x h. The weights of the outputs.
        b2: m exact numbers. The biases of the outputs.
        activation: str ("relu"). "relu", max(0, x); "gelu", x Phi(x); "gelu-tanh" and "gelu-sigmoid", the
            approximations of Eqs. 25 and 26; "step", 1 where x > 0, else 0; "silu", x/(1 + e^-x).
        exact: bool (False). Allow floats; each stands for the exact fraction that it is.

    Returns: FeedForward, which is immutable.

    Raises: BadInput: an unknown activation, a name that repeats, a matrix of another shape, or a float without
    `exact`.

    Example:

    >>> FeedForward(("x",), ("y",), W1=[[1], [-1]], b1=[0, 0], W2=[[1, 1]], b2=[0]).hidden
    2

    Source: Cookbook, Definition 2.5.
    """

    FIELDS: ClassVar = {
        "W1": ("hidden", "reads"), "b1": ("hidden", "one"), "W2": ("writes", "hidden"), "b2": ("writes", "one"),
        "activation": "word",
    }  # fmt: skip
    PLACE: ClassVar = "network"
    KIND: ClassVar = "network"

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
        return height(held(self, "b1"), "b1")

    def sizes(self) -> dict[str, int]:
        """The sizes of the matrices: the numbers of coordinates read, of coordinates written, and of hidden units."""
        return super().sizes() | {"hidden": self.hidden}


class HeadPart:
    """What the kinds of heads have in common."""

    def _head_fields(self: Any) -> dict[str, Any]:
        """The checked fields of a head, but for its matrices; BadInput for invalid ones. An alias of a mask or a
        weighting becomes the listed name."""
        mask, weighting = one_of("mask", self.mask, MASKS), one_of("weighting", self.weighting, (*WEIGHTINGS, PLUS_ONE))
        reads, writes = coordinates(self.reads, "reads"), coordinates(self.writes, "writes")
        scale, temperature = held(self, "scale"), kept_number(held(self, "temperature"))
        # The definition's scale, by the number of key dimensions.
        if isinstance(scale, str) and scale == "1/sqrt(d_key)":
            scale = f"1/sqrt({max(height(held(self, 'Q'), 'Q'), 1)})"
        scale = kept_number(scale)
        if not is_positive(scale):
            raise BadInput("the scale of a head must be positive", scale, "give 1 or 1/sqrt(d_key)")
        if temperature <= 0 if isinstance(temperature, Fraction) else temperature.is_nonpositive:
            raise BadInput("a temperature must be positive", temperature, "give for example 1, or an expression in n")
        return {
            "reads": reads, "writes": writes, "mask": mask, "weighting": weighting, "scale": scale,
            "temperature": temperature,
        }  # fmt: skip

    @cached_property
    def sees(self: Any) -> Mask:
        """What the mask lets a row see."""
        return Mask(self.mask)

    @property
    def averages(self: Any) -> bool:
        """Whether each row is a plain average: all scores are zero, and ties are not broken."""
        return self.uniform and self.weighting in ("average", "softmax")

    @cached_property
    def factor(self: Any) -> Any:
        """The factor of the scores, scale/temperature; 1 where it does not change the weights."""
        return self.scale / self.temperature if self.weighting in SOFT and not self.uniform else 1

    def _lowered_factor(self: Any) -> Any:
        """`factor` as number systems take it."""
        numbers = self.lowered["scale"], self.lowered["temperature"]
        if all(isinstance(number, Fraction) for number in numbers):
            # Only softmax depends on the factor; hard attention compares scores.
            soft = self.weighting in SOFT and not self.uniform
            return numbers[0] / numbers[1] if soft else Fraction(1)
        return lowered(self.factor)


@door()
@keeps("Q", "K", "V", "temperature", "scale")
@dataclass(frozen=True, repr=False)
class Head(Part, HeadPart):
    """An attention head: c_i = sum_j alpha_ij V x_j, added to the coordinates `writes` of each position i.

    x_j has the r coordinates `reads` of position j. The weights alpha_i are made from the scores of row i: score_ij =
    scale * (Q x_i) . (K x_j) / temperature. A position that sees no position gets zero. There is no output matrix: V is
    the product of both. A bias of queries, keys or values is a column of Q, K or V at a coordinate that is 1
    everywhere, or a field of a `BiasedHead`.

    Arguments:
        reads: tuple of str. The coordinates that are read, r of them.
        writes: tuple of str. The coordinates to which the output is added, m of them.
        Q: matrix d x r. The queries, with d key dimensions.
        K: matrix d x r. The keys.
        V: matrix m x r. The values.
        mask: str ("none"). The positions j that row i sees: "none" all; "causal" j <= i; "strict-causal" j < i;
            "anti-causal" j >= i; "strict-anti-causal" j > i.
        weighting: str ("average"). "average" puts equal weight on all maximal scores, so that Q = K = 0 is the uniform
            average. "leftmost" and "rightmost" put all weight on the first or last maximal score. "softmax" is softmax.
            "softmax-plus-one" is softmax with 1 more in the denominator, so that the weights sum to less than 1.
        temperature: exact (1). A positive number, or an expression in i and n.
        scale: exact (1). A positive number, or "1/sqrt(d_key)".
        exact: bool (False). Allow floats; each stands for the exact fraction that it is.

    Returns: Head, which is immutable.

    Raises: BadInput: an unknown mask or weighting, a matrix of another shape, a scale or temperature that is not
    positive, or a float without `exact`.

    Example:

    >>> head = Head(("vote",), ("mean",), Q=[[0]], K=[[0]], V=[[1]], mask="causal")
    >>> head.mask, head.averages
    ('future', True)

    Source: Cookbook, Definition 2.3 and Section 5.
    """

    FIELDS: ClassVar = {
        "Q": ("key", "reads"), "K": ("key", "reads"), "V": ("writes", "reads"), "mask": "word", "weighting": "word",
        "temperature": "number", "scale": "number",
    }  # fmt: skip
    PLACE: ClassVar = "head"
    KIND: ClassVar = "head"

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
        """Check the fields, and set them in their frozen form; an alias of a mask or weighting becomes the listed name.
        Raises BadInput for invalid fields."""
        self._take(exact)
        self._freeze(**self._head_fields())

    def sizes(self) -> dict[str, int]:
        """The sizes of the matrices: the numbers of coordinates read, of coordinates written, and of key dimensions."""
        return super().sizes() | {"key": height(held(self, "Q"), "Q")}

    @cached_property
    def uniform(self) -> bool:
        """Whether every score is zero by the shape of the matrices."""
        queries, keys = held(self, "Q"), held(self, "K")
        if all_rational(queries) and all_rational(keys):
            return not any(q and k for q, k in zip(queries.filled_rows(), keys.filled_rows(), strict=True))
        return all(self.Q[d, :].is_zero_matrix or self.K[d, :].is_zero_matrix for d in range(self.Q.shape[0]))

    @cached_property
    def lowered(self) -> Mapping[str, Any]:
        """The numbers of the head in the form that number systems read, by field. "factor" is the number by which the
        product of query and key is multiplied."""
        return MadeOnce((*super().lowered, "factor"), self._lower)

    def _lower(self, name: str) -> Any:
        """As `Part._lower`, also for the factor of the scores."""
        return self._lowered_factor() if name == "factor" else super()._lower(name)


@door()
@keeps("Q", "K", "V", "q_bias", "k_bias", "v_bias", "slope", "temperature", "scale")
@dataclass(frozen=True, repr=False)
class BiasedHead(Part, HeadPart):
    """An attention head with biases of queries, keys and values, and a linear bias of its scores (ALiBi).

    score_ij = (scale * (Q x_i + q_bias) . (K x_j + k_bias) + slope * (j - i)) / temperature, and the values are V x_j +
    v_bias. With a positive slope and a causal mask, a position that is further back gets a lower score. A position that
    sees no position gets zero, without v_bias. A BiasedHead may stand wherever a `Head` may.

    Arguments:
        reads: tuple of str. The coordinates that are read, r of them.
        writes: tuple of str. The coordinates to which the output is added, m of them.
        Q: matrix d x r. The queries, with d key dimensions.
        K: matrix d x r. The keys.
        V: matrix m x r. The values.
        q_bias: d exact numbers (None). The biases of the queries; zeros by default.
        k_bias: d exact numbers (None). The biases of the keys; zeros by default.
        v_bias: m exact numbers (None). The biases of the values; zeros by default.
        mask: str ("none"). As in `Head`.
        weighting: str ("average"). As in `Head`. Hard attention takes the largest of these scores.
        slope: exact (0). The slope of the bias of the scores.
        temperature: exact (1). As in `Head`.
        scale: exact (1). As in `Head`.
        exact: bool (False). Allow floats; each stands for the exact fraction that it is.

    Returns: BiasedHead, which is immutable.

    Raises: BadInput: an unknown mask or weighting, a vector or matrix of another shape, a scale or temperature that is
    not positive, or a float without `exact`.

    Example:

    >>> BiasedHead(("x",), ("y",), Q=[[1]], K=[[1]], V=[[1]], mask="causal", slope="1/2").mask
    'future'

    Source: Press, Smith and Lewis, Train short, test long: attention with linear biases (2022), Section 3.
    """

    FIELDS: ClassVar = {
        "Q": ("key", "reads"), "K": ("key", "reads"), "V": ("writes", "reads"), "q_bias": ("key", "one"),
        "k_bias": ("key", "one"), "v_bias": ("writes", "one"), "mask": "word", "weighting": "word", "slope": "number",
        "temperature": "number", "scale": "number",
    }  # fmt: skip
    PLACE: ClassVar = "head"
    KIND: ClassVar = "biased"

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    Q: Any
    K: Any
    V: Any
    q_bias: Any = None
    k_bias: Any = None
    v_bias: Any = None
    mask: str = "none"
    weighting: str = "average"
    slope: Any = 0
    temperature: Any = 1
    scale: Any = 1
    exact: InitVar[bool] = False

    def __post_init__(self, exact: bool) -> None:
        """Check the fields, and set them in their frozen form, with zeros as the biases that are None. Raises BadInput
        for invalid fields."""
        self._take(exact)
        fields = self._head_fields()
        sizes = {"q_bias": self.sizes()["key"], "k_bias": self.sizes()["key"], "v_bias": len(fields["writes"])}
        zeros = {name: [0] * size for name, size in sizes.items() if held(self, name) is None}
        slope = kept_number(held(self, "slope"))
        if slope != 0 and self.weighting == PLUS_ONE:
            raise BadInput(
                "a head with a slope (ALiBi) must not have this weighting", PLUS_ONE, "give softmax, or a slope of 0"
            )
        self._freeze(slope=slope, **fields, **zeros)

    def sizes(self) -> dict[str, int]:
        """The sizes of the matrices: the numbers of coordinates read, of coordinates written, and of key dimensions."""
        return super().sizes() | {"key": height(held(self, "Q"), "Q")}

    @cached_property
    def uniform(self) -> bool:
        """Whether every score is zero by the shape of the matrices and biases."""
        numbers = self.lowered
        sides = zip(numbers["Q"], numbers["q_bias"], numbers["K"], numbers["k_bias"], strict=True)
        products = any((q or b != 0) and (k or c != 0) for q, b, k, c in sides)
        return not products and numbers["slope"] == 0

    @cached_property
    def lowered(self) -> Mapping[str, Any]:
        """The numbers of the head in the form that number systems read, by field. "factor" is the number by which
        the score is multiplied; before that, "per_position" = slope/scale is added for each position."""
        return MadeOnce((*super().lowered, "factor", "per_position"), self._lower)

    def _lower(self, name: str) -> Any:
        """As `Part._lower`, also for the factor of the scores and what the next position has in addition."""
        if name == "per_position":
            numbers = self.lowered["slope"], self.lowered["scale"]
            fractions = all(isinstance(number, Fraction) for number in numbers)
            return numbers[0] / numbers[1] if fractions else lowered(self.slope / self.scale)
        return self._lowered_factor() if name == "factor" else super()._lower(name)


@door()
@keeps("Q", "K", "V", "q_bias", "k_bias", "v_bias", "angles", "q_gain", "k_gain", "qk_epsilon", "temperature", "scale")
@dataclass(frozen=True, repr=False)
class RotaryHead(Part, HeadPart):
    """An attention head with rotary positions, and with norms of its queries and keys.

    score_ij = scale * R(i) N(Q x_i + q_bias) . R(j) N(K x_j + k_bias) / temperature, and the values are V x_j + v_bias.
    R(i) turns the pair k, k + h of 2 h entries by the angle i * angles[k]: x cos - y sin, x sin + y cos. (A model that
    turns the entries 2 k and 2 k + 1 has the rows of Q and K in another order.) N(q) = q_gain q/sqrt(mean of squares +
    qk_epsilon), entry by entry, and likewise for keys. The head may be used wherever a `Head` may.

    Arguments:
        reads: tuple of str. The coordinates that are read, r of them.
        writes: tuple of str. The coordinates to which the output is added, m of them.
        Q: matrix d x r. The queries, with d key dimensions.
        K: matrix d x r. The keys.
        V: matrix m x r. The values.
        angles: one exact number for each pair (None). The angles of R; by default nothing is turned.
        q_bias: d exact numbers (None). The biases of the queries; zeros by default.
        k_bias: d exact numbers (None). The biases of the keys; zeros by default.
        v_bias: m exact numbers (None). The biases of the values; zeros by default.
        q_gain: d exact numbers (None). The gains of the norm of queries; by default they are not normed.
        k_gain: d exact numbers (None). The gains of the norm of keys; by default they are not normed.
        qk_epsilon: exact (0). A number that is added to the mean of squares.
        mask: str ("none"). As in `Head`.
        weighting: str ("average"). As in `Head`.
        temperature: exact (1). As in `Head`.
        scale: exact (1). As in `Head`.
        exact: bool (False). Allow floats; each stands for the exact fraction that it is.

    Returns: RotaryHead, which is immutable.

    Raises: BadInput: an unknown mask or weighting, a vector or matrix of another shape, a scale or temperature that is
    not positive, or a float without `exact`.

    Example:

    >>> RotaryHead(("x", "y"), ("z",), Q=[[1, 0], [0, 1]], K=[[1, 0], [0, 1]], V=[[1, 1]], angles=["1/2"]).writes
    ('z',)

    Source: Su et al., RoFormer (2021), Section 3.2; Henry et al., Query-key normalization for transformers (2020).
    """

    FIELDS: ClassVar = {
        "Q": ("key", "reads"), "K": ("key", "reads"), "V": ("writes", "reads"), "q_bias": ("key", "one"),
        "k_bias": ("key", "one"), "v_bias": ("writes", "one"), "angles": ("pairs", "one"), "q_gain": ("key", "one"),
        "k_gain": ("key", "one"), "mask": "word", "weighting": "word", "qk_epsilon": "number", "temperature": "number",
        "scale": "number",
    }  # fmt: skip
    OPTIONAL: ClassVar = frozenset({"angles", "q_gain", "k_gain"})
    PLACE: ClassVar = "head"
    KIND: ClassVar = "rotary"

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    Q: Any
    K: Any
    V: Any
    angles: Any = None
    q_bias: Any = None
    k_bias: Any = None
    v_bias: Any = None
    q_gain: Any = None
    k_gain: Any = None
    qk_epsilon: Any = 0
    mask: str = "none"
    weighting: str = "average"
    temperature: Any = 1
    scale: Any = 1
    exact: InitVar[bool] = False

    def __post_init__(self, exact: bool) -> None:
        """Check the fields, and set them in their frozen form, with zeros as the biases that are None. Raises BadInput
        for invalid fields."""
        self._take(exact)
        fields, sizes = self._head_fields(), self.sizes()
        if held(self, "angles") is not None and 2 * sizes["pairs"] != sizes["key"]:
            must, do = "a rotary head must have an angle for each pair of key dimensions", "add angles of 0"
            raise BadInput(must, f"{sizes['pairs']} for {sizes['key']}", do)
        if not sizes["key"] and any(held(self, name) is not None for name in ("angles", "q_gain", "k_gain")):
            raise BadInput(
                "a head with rotary angles or norms of queries must have at least one key dimension",
                "none",
                "give the queries and keys at least one dimension",
            )
        if (held(self, "q_gain") is None) != (held(self, "k_gain") is None):
            raise BadInput(
                "a head must norm both queries and keys, or neither",
                "only one of the two gains",
                "give a gain of ones as the other",
            )
        epsilon = kept_number(held(self, "qk_epsilon"))
        if epsilon < 0 if isinstance(epsilon, Fraction) else epsilon.is_negative:
            must = "epsilon of a norm of queries and keys must not be negative"
            raise BadInput(must, symbols.from_sympy(symbols.exact(epsilon)), 'give for example "1/100000"')
        lengths = {"q_bias": sizes["key"], "k_bias": sizes["key"], "v_bias": len(fields["writes"])}
        zeros = {name: [0] * size for name, size in lengths.items() if held(self, name) is None}
        self._freeze(qk_epsilon=epsilon, **fields, **zeros)

    def sizes(self) -> dict[str, int]:
        """The sizes of the matrices: the numbers of coordinates read, of coordinates written, of key dimensions, and of
        pairs of key dimensions."""
        pairs = 0 if held(self, "angles") is None else height(held(self, "angles"), "angles")
        return super().sizes() | {"key": height(held(self, "Q"), "Q"), "pairs": pairs}

    @cached_property
    def uniform(self) -> bool:
        """Whether every score is zero by the shape of the matrices and biases."""
        numbers = self.lowered
        return any(
            not any(row or added != 0 for row, added in zip(numbers[matrix], numbers[bias], strict=True))
            for matrix, bias in (("Q", "q_bias"), ("K", "k_bias"))
        )

    @cached_property
    def lowered(self) -> Mapping[str, Any]:
        """The numbers of the head in the form that number systems read, by field. "factor" is the number by which the
        product of query and key is multiplied."""
        return MadeOnce((*super().lowered, "factor"), self._lower)

    def _lower(self, name: str) -> Any:
        """As `Part._lower`, also for the factor of the scores."""
        return self._lowered_factor() if name == "factor" else super()._lower(name)


class NormPart:
    """What the kinds of norms have in common."""

    OUTCOME: ClassVar[str]
    """The field that says what happens where the root is zero: "refuse" or "zero"."""

    def _norm_fields(self: Any, what: str, outcome: str) -> dict[str, Any]:
        """The checked fields of a norm, but for its matrices; BadInput for invalid ones."""
        reads = coordinates(self.reads, "reads")
        writes = coordinates(self.writes, "writes") or reads
        if not reads:
            raise BadInput(f"{what} must read at least one coordinate", "none", 'give reads, for example ("x",)')
        one_of(outcome, getattr(self, self.OUTCOME), ("refuse", "zero"))
        # The norm has as many entries as it writes. Without a projection they are the coordinates read.
        if held(self, "projection") is None and writes != reads:
            raise BadInput(
                f"{what} without projection must write the same coordinates that it reads",
                ", ".join(writes),
                "leave writes out, or give a projection",
            )
        epsilon = kept_number(held(self, "epsilon"))
        if epsilon < 0 if isinstance(epsilon, Fraction) else epsilon.is_negative:
            raise BadInput(
                f"epsilon of {what} must not be negative",
                symbols.from_sympy(symbols.exact(epsilon)),
                'give for example 0 or "1/100000"',
            )
        gain = [1] * len(writes) if held(self, "gain") is None else held(self, "gain")
        return {"reads": reads, "writes": writes, "epsilon": epsilon, "gain": gain}

    @property
    def refuses(self: Any) -> bool:
        """Whether there may be an input on which this norm leaves the model without a run."""
        return getattr(self, self.OUTCOME) == "refuse" and not is_positive(held(self, "epsilon"))

    @property
    def eased(self: Any) -> Any:
        """This norm with zeros in place of a refusal."""
        return replace(self, **{self.OUTCOME: "zero"})


@door()
@keeps("gain", "bias", "epsilon", "projection")
@dataclass(frozen=True, repr=False)
class LayerNorm(Part, NormPart):
    """A layer norm: y = gain (P x - mean)/sqrt(variance + epsilon) + bias, entry by entry, at each position.

    x has the r coordinates `reads`. P x has m = len(writes) entries; mean and variance are those of these m entries,
    and the variance is divided by m.

    Arguments:
        reads: tuple of str. The coordinates that are read, r of them; at least one.
        writes: tuple of str (()). The names of the m entries of the output. By default they are `reads`; other names
            need a projection.
        gain: m exact numbers (None). The gains; ones by default.
        bias: m exact numbers (None). The biases; zeros by default.
        epsilon: exact (0). A number of at least 0, added to the variance.
        projection: matrix m x r (None). P; the identity by default.
        zero_variance: str ("refuse"). Where variance + epsilon is zero: "refuse" stops the run and names the position;
            "zero" gives the bias alone.
        exact: bool (False). Allow floats; each stands for the exact fraction that it is.

    Returns: LayerNorm, which is immutable.

    Raises: BadInput: no coordinate to read, a negative epsilon, a vector or matrix of another shape, or a float without
    `exact`.

    Example:

    >>> LayerNorm(("x", "y"), epsilon="1/100").writes
    ('x', 'y')

    Source: Cookbook, Definition 6.1; the projection as in merrill2024, Definition 1.
    """

    FIELDS: ClassVar = {
        "gain": ("writes", "one"), "bias": ("writes", "one"), "epsilon": "number", "projection": ("writes", "reads"),
        "zero_variance": "word",
    }  # fmt: skip
    OPTIONAL: ClassVar = frozenset({"projection"})
    PLACE: ClassVar = "norm"
    KIND: ClassVar = "norm"
    OUTCOME: ClassVar = "zero_variance"

    reads: tuple[str, ...]
    writes: tuple[str, ...] = ()
    gain: Any = None
    bias: Any = None
    epsilon: Any = 0
    projection: Any = None
    zero_variance: str = "refuse"
    exact: InitVar[bool] = False

    def __post_init__(self, exact: bool) -> None:
        """Check the fields, and set them in their frozen form, with the defaults of `writes`, `gain` and `bias`. Raises
        BadInput for invalid fields."""
        self._take(exact)
        fields = self._norm_fields("a layer norm", "outcome of zero variance")
        bias = [0] * len(fields["writes"]) if held(self, "bias") is None else held(self, "bias")
        self._freeze(bias=bias, **fields)


@door()
@keeps("gain", "epsilon", "projection")
@dataclass(frozen=True, repr=False)
class RMSNorm(Part, NormPart):
    """An RMS norm: y = gain P x/sqrt(mean of squares + epsilon), entry by entry, at each position.

    An RMS norm is a layer norm without mean and bias. x has the r coordinates `reads`, P x has m = len(writes) entries,
    and the mean is that of the squares of these m entries.

    Arguments:
        reads: tuple of str. The coordinates that are read, r of them; at least one.
        writes: tuple of str (()). The names of the m entries of the output. By default they are `reads`; other names
            need a projection.
        gain: m exact numbers (None). The gains; ones by default.
        epsilon: exact (0). A number of at least 0, added to the mean of the squares.
        projection: matrix m x r (None). P; the identity by default.
        zero_square: str ("refuse"). Where the mean of the squares + epsilon is zero: "refuse" stops the run and names
            the position; "zero" gives zeros.
        exact: bool (False). Allow floats; each stands for the exact fraction that it is.

    Returns: RMSNorm, which is immutable.

    Raises: BadInput: no coordinate to read, a negative epsilon, a vector or matrix of another shape, or a float without
    `exact`.

    Example:

    >>> RMSNorm(("x", "y"), zero_square="zero").refuses
    False

    Source: Zhang and Sennrich, Root mean square layer normalization (2019), Equation 4.
    """

    FIELDS: ClassVar = {
        "gain": ("writes", "one"), "epsilon": "number", "projection": ("writes", "reads"), "zero_square": "word",
    }  # fmt: skip
    OPTIONAL: ClassVar = frozenset({"projection"})
    PLACE: ClassVar = "norm"
    KIND: ClassVar = "rms-norm"
    OUTCOME: ClassVar = "zero_square"

    reads: tuple[str, ...]
    writes: tuple[str, ...] = ()
    gain: Any = None
    epsilon: Any = 0
    projection: Any = None
    zero_square: str = "refuse"
    exact: InitVar[bool] = False

    def __post_init__(self, exact: bool) -> None:
        """Check the fields, and set them in their frozen form, with the defaults of `writes` and `gain`. Raises
        BadInput for invalid fields."""
        self._take(exact)
        self._freeze(**self._norm_fields("an RMS norm", "outcome of a mean square of zero"))


@door()
@keeps("gate", "gate_bias", "up", "up_bias", "down", "down_bias")
@dataclass(frozen=True, repr=False)
class GatedUnits(Part):
    """A gated feed-forward layer: y = down (act(gate x + gate_bias) * (up x + up_bias)) + down_bias, added to `writes`.

    The product * is entry by entry. The layer may be used wherever a `FeedForward` may. With silu it is SwiGLU, with
    gelu GeGLU, with relu ReGLU. x has the r coordinates `reads`, y the m coordinates `writes`; there are h hidden
    units.

    Arguments:
        reads: tuple of str. The coordinates that are read, r of them.
        writes: tuple of str. The coordinates to which the output is added, m of them.
        gate: matrix h x r. The weights inside the activation.
        up: matrix h x r. The weights of the other factor.
        down: matrix m x h. The weights of the outputs.
        activation: str ("silu"). As in `FeedForward`.
        gate_bias: h exact numbers (None). Zeros by default.
        up_bias: h exact numbers (None). Zeros by default.
        down_bias: m exact numbers (None). Zeros by default.
        exact: bool (False). Allow floats; each stands for the exact fraction that it is.

    Returns: GatedUnits, which is immutable.

    Raises: BadInput: an unknown activation, a name that repeats, a matrix of another shape, or a float without
    `exact`.

    Example:

    >>> GatedUnits(("x",), ("y",), gate=[[1], [2]], up=[[1], [0]], down=[[1, -1]]).hidden
    2

    Source: Shazeer, GLU variants improve transformer (2020), Equation 5.
    """

    FIELDS: ClassVar = {
        "gate": ("hidden", "reads"), "gate_bias": ("hidden", "one"), "up": ("hidden", "reads"),
        "up_bias": ("hidden", "one"), "down": ("writes", "hidden"), "down_bias": ("writes", "one"),
        "activation": "word",
    }  # fmt: skip
    PLACE: ClassVar = "network"
    KIND: ClassVar = "gated"

    reads: tuple[str, ...]
    writes: tuple[str, ...]
    gate: Any
    up: Any
    down: Any
    activation: str = "silu"
    gate_bias: Any = None
    up_bias: Any = None
    down_bias: Any = None
    exact: InitVar[bool] = False

    def __post_init__(self, exact: bool) -> None:
        """Check the fields, and set them in their frozen form, with zeros as the biases that are None. Raises BadInput
        for invalid fields."""
        self._take(exact)
        one_of("activation", self.activation, ACTIVATIONS)
        reads, writes = coordinates(self.reads, "reads"), coordinates(self.writes, "writes")
        sizes = {"gate_bias": self.hidden, "up_bias": self.hidden, "down_bias": len(writes)}
        zeros = {name: [0] * size for name, size in sizes.items() if held(self, name) is None}
        self._freeze(reads=reads, writes=writes, **zeros)

    @property
    def hidden(self) -> int:
        """The number of hidden units."""
        return height(held(self, "gate"), "gate")

    def sizes(self) -> dict[str, int]:
        """The sizes of the matrices: the numbers of coordinates read, of coordinates written, and of hidden units."""
        return super().sizes() | {"hidden": self.hidden}


AnyHead = Head | BiasedHead | RotaryHead
AnyNetwork = FeedForward | GatedUnits
AnyNorm = LayerNorm | RMSNorm
HEADS, NETWORKS, NORMS = (Head, BiasedHead, RotaryHead), (FeedForward, GatedUnits), (LayerNorm, RMSNorm)
"""The kinds of heads, of feed-forward layers, and of norms."""
KINDS: Mapping[str, type[Part]] = {kind.KIND: kind for kind in (*HEADS, *NETWORKS, *NORMS)}
"""The kinds of parts by the names of `steps.LOWERINGS`."""


@door()
@dataclass(frozen=True, repr=False)
class SelfAttention(Named):
    """A self-attention sublayer: several heads that read the same residual stream.

    Each head adds its output to the coordinates that the head writes.

    Arguments:
        heads: tuple of Head. The heads; at least one.

    Returns: SelfAttention, which is immutable.

    Raises: BadInput: no head, or an object that is not a Head.

    Example:

    >>> head = Head(("vote",), ("mean",), Q=[[0]], K=[[0]], V=[[1]])
    >>> len(SelfAttention((head,)).heads)
    1

    Source: Cookbook, Section 2.2.
    """

    REPORT = "model"

    heads: tuple[Any, ...]

    def __post_init__(self) -> None:
        freeze(self, heads=listed(self.heads, "self-attention", "heads"))
        for head in self.heads:
            instance("a part of self-attention", head, *HEADS)
        if not self.heads:
            raise BadInput("self-attention must have at least one head", "none", "leave the attention out")

    def mapped(self, put: Put) -> SelfAttention:
        """These heads with `put` applied to every number; the object itself if no number changes."""
        new = changes({"heads": self.heads}, lambda heads: _mapped(heads, put))
        return replace(self, **new) if new else self


@door()
@dataclass(frozen=True, repr=False)
class Layer(Named):
    """A layer: z := z + attention(z), then z := z + feedforward(z), where z is the residual stream.

    Either sublayer may be absent. `placement` says where the norms are (f is a sublayer, LN its norm):

        "none"            z := z + f(z)
        "post"            z := LN(z + f(z)), one norm over the whole stream
        "pre"             z := z + f(LN(z)), one norm over the whole stream
        "projected pre"   z := z + f(LN(P z)), one norm with a projection; f reads the names that the norm writes
        "multi pre"       as "projected pre", with several norms whose outputs f reads together

    Arguments:
        attention: SelfAttention or Head (None). The attention sublayer.
        feedforward: FeedForward or GatedUnits (None). The feed-forward sublayer.
        attention_norms: LayerNorm or RMSNorm, or a tuple of them (()). The norms of the attention sublayer.
        feedforward_norms: LayerNorm or RMSNorm, or a tuple of them (()). The norms of the feed-forward sublayer.
        placement: str ("none"). Where the norms are, see above.

    Returns: Layer, which is immutable.

    Raises: BadInput: no sublayer at all, an object of another type, or norms that do not fit `placement`.

    Example:

    >>> head = Head(("vote",), ("mean",), Q=[[0]], K=[[0]], V=[[1]])
    >>> Layer(head).attention.heads == (head,)
    True

    Source: Cookbook, Definition 2.2 and Section 6.2; merrill2024, Definition 1.
    """

    REPORT = "model"

    # Sublayers have no type here: each engine names the kinds that it reads (`symcook.model.reads`), and refuses
    # others.
    attention: Any = None
    feedforward: Any = None
    attention_norms: tuple[Any, ...] = ()
    feedforward_norms: tuple[Any, ...] = ()
    placement: str = "none"

    def __post_init__(self) -> None:
        """Check the sublayers and the norms, and set the norms as tuples. Raises BadInput for invalid ones."""
        # A single head stands for self-attention.
        if isinstance(self.attention, HEADS):
            freeze(self, attention=SelfAttention((self.attention,)))
        if self.attention is None and self.feedforward is None:
            raise BadInput(
                "a layer must have an attention or a feed-forward layer",
                "neither",
                "give attention=, feedforward= or both",
            )
        # The kinds of the two parts.
        for what, kinds in (("attention", (SelfAttention,)), ("feedforward", NETWORKS)):
            if getattr(self, what) is not None:
                instance(f"the {what} of a layer", getattr(self, what), *kinds)
        # The norms of the two parts; a single norm stands for a tuple of one.
        # "bidirectional" is another name for the mask "none", and not for the placement "none".
        if one_of("placement of a norm", self.placement, PLACEMENTS) != self.placement:
            raise unknown("placement of a norm", self.placement, PLACEMENTS)
        for name, part in (("attention", self.attention), ("feedforward", self.feedforward)):
            norms = getattr(self, f"{name}_norms")
            norms = (norms,) if isinstance(norms, NORMS) else listed(norms, f"the norms of the {name}", "layer norms")
            freeze(self, **{f"{name}_norms": norms})
            for norm in norms:
                instance(f"a norm of the {name}", norm, *NORMS)
            self._check_norms(name, part, norms)

    def _check_norms(self, name: str, part: object, norms: tuple[Any, ...]) -> None:
        """BadInput where the norms of a part do not suit the placement: by their number, or by their projections."""
        wanted = 0 if part is None or self.placement == "none" else 1
        if len(norms) != wanted and not (self.placement == "multi pre" and wanted and norms):
            raise BadInput(
                f"placement {self.placement} needs {wanted or 'no'} norm for the {name}",
                len(norms),
                f"give {wanted or 'no'} norm",
            )
        projected = self.placement in ("projected pre", "multi pre")
        for norm in norms:
            if (norm.projection is not None) != projected:
                must = f"placement {self.placement} needs norms with{'' if projected else 'out'} projection"
                raise BadInput(must, name, "rename the coordinate that the norm writes")
        if projected and part is not None:
            coordinates([n for norm in norms for n in norm.writes], f"the norms of the {name}")

    def sublayers(self, number: int) -> Iterator[Sublayer]:
        """The attention and the feed-forward sublayer as steps. The forward pass learns what a placement means from
        this method alone."""
        for block, norms in self.blocks():
            if self.placement == "post":
                yield Sublayer(number, block, after=norms[0])
            else:
                yield Sublayer(number, block, before=norms)

    def mapped(self, put: Put) -> Layer:
        """This layer with `put` applied to every number; the layer itself if no number changes."""
        names = ("attention", "feedforward", "attention_norms", "feedforward_norms")
        new = changes({name: getattr(self, name) for name in names}, lambda part: _mapped(part, put))
        return replace(self, **new) if new else self

    def blocks(self) -> Iterator[tuple[Any, tuple[Any, ...]]]:
        """The attention, then the feed-forward sublayer, each with its norms, where it is present."""
        if self.attention is not None:
            yield self.attention, self.attention_norms
        if self.feedforward is not None:
            yield self.feedforward, self.feedforward_norms

    def parts(self) -> Iterator[Any]:
        """All parts of the layer: heads, feed-forward sublayer and norms."""
        for block, norms in self.blocks():
            yield from norms
            match block:
                case SelfAttention():
                    yield from block.heads
                case FeedForward() | GatedUnits():
                    yield block
                case _:
                    raise _no_block(block)


def _block_kind(block: object) -> str:
    """What a block is, in words; BadInput for any that is neither self-attention nor a feed-forward layer."""
    match block:
        case SelfAttention():
            return "attention"
        case FeedForward() | GatedUnits():
            return "feed-forward"
        case _:
            raise _no_block(block)


def _no_block(block: object) -> BadInput:
    """The refusal of a block that is neither self-attention nor a feed-forward layer."""
    return BadInput(
        "a block of a layer must be self-attention or a feed-forward layer",
        type(block).__name__,
        "give a SelfAttention, Head, FeedForward or GatedUnits",
    )


def _mapped(given: Any, put: Put) -> Any:
    """`given` (a part, a tuple of parts, or None) with the substitution `put` made; the same object where nothing
    changes."""
    if isinstance(given, tuple):
        new = tuple(part.mapped(put) for part in given)
        return new if any(changed is not part for changed, part in zip(new, given, strict=True)) else given
    return None if given is None else given.mapped(put)


@dataclass(frozen=True)
class Sublayer:
    """One step of the forward pass over the residual stream z, the same form for every placement of norms.

    The block reads the outputs of the norms `before`, by the names that they write; where there are none, it reads z.
    The output of the block is added to z. The norm `after`, if any, then replaces the coordinates that it reads by its
    output. `block` is None for the final norm. `layer` counts from 1.
    """

    layer: int
    block: Any
    before: tuple[Any, ...] = ()
    after: Any = None

    @property
    def kind(self) -> str:
        """The kind in words: "attention", "feed-forward" or "final norm"."""
        if self.block is None:
            return "final norm"
        return _block_kind(self.block)

    @property
    def parts(self) -> tuple[Any, ...]:
        """The heads, or the feed-forward sublayer alone; empty for the final norm."""
        match self.block:
            case None:
                return ()
            case SelfAttention():
                return self.block.heads
            case _:  # an engine refuses a block that it does not read
                return (self.block,)

    @property
    def heads(self) -> tuple[tuple[Any, Attend], ...]:
        """The parts that attend, each with its step."""
        return tuple((part, step) for part in self.parts if (step := attention(part.steps)) is not None)

    @property
    def named_parts(self) -> Iterator[tuple[str, Any]]:
        """The parts, each after its name in a sentence, as "head 1 of layer 2"."""
        for number, part in enumerate(self.parts, 1):
            what = f"head {number}" if _block_kind(self.block) == "attention" else "the feed-forward layer"
            yield f"{what} of layer {self.layer}", part

    @property
    def norms(self) -> tuple[Any, ...]:
        """The norms before the block, and the norm after it."""
        return self.before if self.after is None else (*self.before, self.after)

    @property
    def all_parts(self) -> tuple[Part, ...]:
        """The norms before the block, its parts, and the norm after it."""
        return (*self.before, *self.parts, *(() if self.after is None else (self.after,)))
