"""What a number system must offer so that `forward` can run a model over it.

A *column* is one coordinate at all positions (and, in a batch, for all inputs at once). `symcook.walk` deals with names
and sparsity: a domain sees columns and exact numbers, never a matrix or a name, and only weightings and activations
that are known to be valid. Only the domain knows how many positions there are, which of them a row sees under a mask,
and what a verdict is: a column may be a list over positions, or one formula for a position of an input of any length.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

from symcook.errors import BadInput, NoRun, chosen
from symcook.model.ends import Comparing, Verdict, Verdicts
from symcook.model.parts import Mask, Part
from symcook.model.symbols import Number

if TYPE_CHECKING:
    from symcook.model.answers import Named
    from symcook.model.ends import Embedding

Column = TypeVar("Column")
"""One coordinate at all positions."""
Value = TypeVar("Value")
"""An entry of a column, as `read` gives it."""
Coefficient = int | Number
"""A Fraction, or a tree of the grammar where the number is not rational or (symbolic) holds declared symbols."""


class Domain(Comparing[Column, Verdicts, Verdict], Protocol[Column, Value, Verdicts, Verdict]):
    """The operations of a number system. A domain runs one sequence at a time: `begin` is called before all others."""

    name: ClassVar[str]

    def context(self) -> AbstractContextManager[object]:
        """A context that sets the working precision, and restores the one before at its end. Callers enter it for a
        forward pass and for reading the values of one."""
        ...

    def begin(self, sequence: Any, start: int) -> None:
        """Take the input: a tuple of tokens, a tuple of rows {input: number}, or another form that the domain reads.
        `start` is the number i of its first position, as the model's embedding counts."""
        ...

    def require_positive(self, term: Coefficient, must: str) -> None:
        """Raise NoRun with the text `must` if a term in i and n is certainly not positive at some position of the
        input. An undecided sign is accepted. `Lengths` raises nothing and leaves out short strings instead."""
        ...

    def embed(self, table: Mapping[str, Coefficient]) -> Column:
        """The column whose entry at position i is `table` of the token there."""
        ...

    def input(self, name: str) -> Column:
        """The column of the given input values called `name`."""
        ...

    def positions(self, expression: Coefficient) -> Column:
        """The column of a term in i (counted from `start`) and n."""
        ...

    def units(self, most: int) -> list[Column]:
        """For each position the column that is 1 at this position and 0 elsewhere. An empty list if there are more than
        `most` positions, or if their number n is a symbol."""
        ...

    def linear(self, terms: Sequence[tuple[Column, Coefficient]], bias: Coefficient) -> Column:
        """The sum of coefficient times column, plus `bias`, at every position. No coefficient is zero; `terms` may be
        empty."""
        ...

    def activate(self, column: Column, kind: str) -> Column:
        """The activation (one of `symcook.model.parts.ACTIVATIONS`) at every position; NotExact where there is no
        value."""
        ...

    def layer_norm(self, columns: Sequence[Column], epsilon: Coefficient, zero_variance: str) -> list[Column]:
        """(x - mean)/sqrt(variance + epsilon) of the given entries at each position, before gain and bias.

        Where variance + epsilon is zero: NoRun naming the position for "refuse", zeros for "zero".
        """
        ...

    def rms_norm(self, columns: Sequence[Column], epsilon: Coefficient, zero_square: str) -> list[Column]:
        """x/sqrt(mean of squares + epsilon) of the given entries at each position, before gain. Where the root is zero:
        as `layer_norm`."""
        ...

    def multiply(self, left: Column, right: Column) -> Column:
        """The product of two columns at every position; NotExact where it has no value."""
        ...

    def attend(
        self,
        queries: Sequence[Column],
        keys: Sequence[Column],
        values: Sequence[Column],
        mask: Mask,
        weighting: str,
        factor: Coefficient,
    ) -> list[Column]:
        """For each value column v: sum_j alpha_ij v_j, with scores factor(i, n) * sum_d queries[d]_i keys[d]_j.

        Without queries every score is zero. With weighting average or softmax, each row is then the mean of the values
        that the mask lets it see: their sum, divided once (`Rounding` has an option that divides first). A row that
        sees no position is zero. `factor` is a positive term in i and n; callers pass 1 where it cannot change the
        result.
        """
        ...

    def distribution(self, columns: Sequence[Column]) -> list[Column]:
        """The softmax of the given scores at each position, a column for each."""
        ...

    def places_of(self, column: Column) -> Sequence[int]:
        """The places at which a column has entries, in order, in the form that `read` and `verdict` accept. These
        methods also accept 0 for the first position and -1 for the last one, whether or not the list has them."""
        ...

    def read(self, column: Column, place: int) -> Value:
        """The entry of `column` at a place."""
        ...

    def show(self, value: Value, digits: int) -> object:
        """`value` for JSON: text for exact numbers and expressions (in a batch a list of texts), {"mid", "rad"} for
        balls, and floats unchanged."""
        ...

    def settled(self, value: Value, digits: int) -> bool:
        """Whether `value` is known to the asked number of digits (exact values always are)."""
        ...


class Rounded(Domain[Column, Value, Verdicts, Verdict], Protocol[Column, Value, Verdicts, Verdict]):
    """A domain whose operations round."""

    simulates: bool
    """True if the domain simulates a runtime, whose answers are reported as computed. If False, a verdict counts only
    if no rounding error can change it."""

    def rounding(self) -> Domain:
        """A domain whose values are sets that contain every result that rounding in this domain may give
        (`symcook.domains.rounding`)."""
        ...

    def agreeing(self, verdicts: Verdicts, sure: Verdicts) -> Verdicts:
        """The verdicts of this domain, each undecided unless `sure`, from the domain of `rounding`, agrees."""
        ...


class Follows(Domain[Column, Value, Verdicts, Verdict], Protocol[Column, Value, Verdicts, Verdict]):
    """A domain that can compute some positions only, and can continue an input after the positions that it has run, if
    no position of the model sees later ones. In `attend`, keys and values always have entries for all positions."""

    def indices(self) -> Sequence[tuple[int, int]]:
        """The pair (i, n) of each position that columns have entries for."""
        ...

    def narrow(self, columns: Sequence[Column], place: int) -> list[Column]:
        """`columns` cut to their entry at `place`. From this call on, all columns have this entry only."""
        ...

    def resume(self, sequence: object, start: int, seen: int) -> None:
        """Take the whole input, after a run of its first `seen` positions. Columns have entries for the positions after
        these only."""
        ...

    def joined(self, before: Column | None, column: Column) -> Column:
        """The entries of `before` (None: no earlier positions) followed by those of `column`."""
        ...

    def joined_verdicts(self, before: Verdicts, verdicts: Verdicts) -> Verdicts:
        """The verdicts of the earlier positions, followed by `verdicts`."""
        ...


class Matrices(Protocol):
    """A domain that applies a block to all coordinates at once (`symcook.dense`). Each domain has its own type for
    several columns; it is a sequence of columns, such as a list or a two-dimensional array. `matrices` must be set in
    the class itself: `symcook.forward` ignores an inherited one."""

    matrices: ClassVar[bool]

    def matrix(self, of: Named, name: str, weights: object, rows: tuple[int, ...] | None = None) -> Any:
        """The matrix `name` of the part `of` (or some of its rows) in the domain's numbers; made once a model."""
        ...

    def vector(self, of: Named, name: str, numbers: Sequence[Coefficient], rows: tuple[int, ...] | None = None) -> Any:
        """The numbers of the vector `name` (or some of them) in the domain's numbers; made once a model."""
        ...

    def product(
        self,
        matrix: object,
        columns: Sequence[object],
        bias: object = None,
        kind: str = "",
        onto: Sequence[object] | None = None,
    ) -> Any:
        """activation(matrix times columns + bias + onto), each entry being one sum. `bias` has one number for each row;
        `onto` has columns to add; an empty `kind` means no activation."""
        ...

    def scaled(self, columns: Sequence[object], norm: Part, gain: str, bias: str | None) -> Any:
        """Each column times its number in the field `gain` of a norm, plus that in `bias`, if there is one."""
        ...

    def multiplied(self, columns: Sequence[object], others: Sequence[object]) -> Any:
        """The k-th of `columns` times the k-th of `others`, for each k."""
        ...

    def plus(self, columns: Sequence[object], others: Sequence[object]) -> Any:
        """The k-th of `columns` plus the k-th of `others`, for each k."""
        ...

    def embedded(self, embedding: Embedding, names: tuple[str, ...]) -> Any:
        """The columns that an embedding gives the coordinates `names`; zero for one that it does not set."""
        ...

    def placed(self, term: Coefficient, weight: Coefficient) -> Any:
        """One column, as a table: `weight` times a term in i and n, at each position."""
        ...

    def picked(self, columns: Sequence[object], places: list[int] | slice) -> Any:
        """The columns with the indices `places`."""
        ...

    def replaced(self, columns: Sequence[object], places: list[int] | slice, others: Sequence[object]) -> Any:
        """The columns, with those at the indices `places` replaced by `others`."""
        ...

    def joint(self, several: Sequence[Sequence[object]]) -> Any:
        """One group of columns from several: those of the first, then those of the second, and so on."""
        ...


VARIANCE = ("a layer norm with epsilon = 0 must meet a variance above zero", "set an epsilon above 0")
"""What a run requires of a layer norm, and what to do otherwise. numpy and torch exports say the same."""
MEAN_SQUARE = ("an RMS norm with epsilon = 0 must meet an entry that is not zero", "set an epsilon above 0")
"""The same of an RMS norm."""
TEMPERATURE = "a temperature must be positive"
"""What a run requires of the temperature of a head."""


def refuse_zero_root(outcome: str, position: int, must: tuple[str, str]) -> None:
    """Raise NoRun if `outcome` is "refuse", after a norm met a root that is zero at `position`. `must` is `VARIANCE` or
    `MEAN_SQUARE`."""
    if chosen("the norm of a number system", "outcome of zero variance", outcome, {"refuse": True, "zero": False}):
        raise NoRun(must[0], f"zero at position {position}", must[1])


def unknown_activation(kind: str) -> BadInput:
    """The refusal of an activation by a number system that has no rule for it: the last branch where it tells
    activations apart."""
    return BadInput(
        "the activation of a feed-forward layer must be one that this number system supports",
        kind,
        "use relu, or another number system",
    )


def unknown_weighting(weighting: str) -> BadInput:
    """The refusal of a weighting by a number system that has no rule for it."""
    return BadInput(
        "the weighting of a head must be one that this number system supports",
        weighting,
        "use average, or another number system",
    )
