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

from symcook.errors import NoRun
from symcook.model.ends import Comparing, Verdict, Verdicts
from symcook.model.parts import Mask
from symcook.model.symbols import Number

if TYPE_CHECKING:
    from symcook.model.answers import Named
    from symcook.model.ends import Embedding
    from symcook.model.parts import LayerNorm

Column = TypeVar("Column")
"""One coordinate at all positions."""
Value = TypeVar("Value")
"""An entry of a column, as `read` gives it."""
Coefficient = int | Number
"""A Fraction, or a tree of the grammar where the number is not rational or (symbolic) holds declared symbols."""


class Domain(Comparing[Column, Verdicts, Verdict], Protocol[Column, Value, Verdicts, Verdict]):
    """The operations of a number system. One sequence at a time: `begin` comes before all others."""

    name: ClassVar[str]

    def context(self) -> AbstractContextManager[object]:
        """Entered around a forward pass and the reading of its values: sets a working precision and restores it."""
        ...

    def begin(self, sequence: Any, start: int) -> None:
        """Take the input: a tuple of tokens, a tuple of rows {input: number}, or whatever else the domain reads."""
        ...

    def require_positive(self, term: Coefficient, must: str) -> None:
        """NoRun, saying what `must` hold, where a term in i and n is not positive at some position of the input."""
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
        """For each position the column that is 1 there and 0 elsewhere; none where there are more than `most`, or no
        number says how many there are."""
        ...

    def linear(self, terms: Sequence[tuple[Column, Coefficient]], bias: Coefficient) -> Column:
        """The sum of coefficient times column, plus `bias`, at every position. No coefficient is zero."""
        ...

    def activate(self, column: Column, kind: str) -> Column:
        """The activation (one of `blocks.ACTIVATIONS`) at every position; NotExact where there is no value."""
        ...

    def layer_norm(self, columns: Sequence[Column], epsilon: Coefficient, zero_variance: str) -> list[Column]:
        """(x - mean)/sqrt(variance + epsilon) of the given entries at each position, before gain and bias.

        Where variance + epsilon is zero: NoRun naming the position for "refuse", zeros for "zero".
        """
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

        Without queries every score is zero; with weighting average or softmax each row is then the plain average of
        what the mask lets it see, where the sum is taken first and divided once. A row that sees nothing is zero.
        `factor` is a positive term in i and n, 1 where it does not matter.
        """
        ...

    def distribution(self, columns: Sequence[Column]) -> list[Column]:
        """The softmax of the given scores at each position, a column for each."""
        ...

    def places_of(self, column: Column) -> Sequence[int]:
        """The places at which a column has entries, in order, each as `read` and `verdict` take it. Place 0 is the
        first position and -1 the last, whether they are among them or not."""
        ...

    def read(self, column: Column, place: int) -> Value:
        """The entry of `column` at a place."""
        ...

    def show(self, value: Value, digits: int) -> object:
        """`value` as JSON has it: text for exact numbers and expressions, {"mid", "rad"} for balls, floats as such."""
        ...

    def settled(self, value: Value, digits: int) -> bool:
        """Whether `value` is known to the asked number of digits (exact values always are)."""
        ...


class Rounded(Domain[Column, Value, Verdicts, Verdict], Protocol[Column, Value, Verdicts, Verdict]):
    """A domain whose operations round."""

    simulates: bool
    """Whether it stands for a runtime, whose answers are shown as they are; else a verdict must be above all that was
    rounded."""

    def rounding(self) -> Domain:
        """The domain of all that the rounding of this one may lead to (`symcook.domains.rounding`)."""
        ...

    def agreeing(self, found: Verdicts, sure: Verdicts) -> Verdicts:
        """Verdicts of this domain that are the same in the one of its `rounding`; the others are open."""
        ...


class Follows(Domain[Column, Value, Verdicts, Verdict], Protocol[Column, Value, Verdicts, Verdict]):
    """A domain that can leave positions out, and go on behind those that it has run where none of these sees what
    follows. Keys and values of `attend` always stand at all positions."""

    def indices(self) -> Sequence[tuple[int, int]]:
        """The numbers i and n of the positions that columns have entries for."""
        ...

    def narrow(self, columns: Sequence[Column], place: int) -> list[Column]:
        """From here on columns have one entry, that of the position at `place`: the given ones cut to it."""
        ...

    def resume(self, sequence: object, start: int, seen: int) -> None:
        """Take the whole input, of which the first `seen` positions have been run: columns have entries for the
        others."""
        ...

    def joined(self, before: Column | None, column: Column) -> Column:
        """A column behind that of the positions before, which is None where there are none."""
        ...

    def joined_verdicts(self, before: Verdicts, verdicts: Verdicts) -> Verdicts:
        """Verdicts behind those of the positions before."""
        ...


class Matrices(Protocol):
    """A domain that applies a block to all coordinates at once (`symcook.dense`). What stands for several columns is
    its own, and a sequence of them. `matrices` must be named in the class itself."""

    matrices: ClassVar[bool]

    def matrix(self, of: Named, name: str, weights: object, rows: tuple[int, ...] | None = None) -> Any:
        """A matrix called `name` of a part, or some of its rows; made once for all runs of the model."""
        ...

    def vector(self, of: Named, name: str, numbers: Sequence[Coefficient], rows: tuple[int, ...] | None = None) -> Any:
        """A column of numbers, likewise."""
        ...

    def product(
        self,
        matrix: object,
        columns: Sequence[object],
        bias: object = None,
        kind: str = "",
        onto: Sequence[object] | None = None,
    ) -> Any:
        """matrix times columns, plus a `bias` for each row, plus the columns `onto`, as one sum; then the activation
        `kind`, if any."""
        ...

    def scaled(self, columns: Sequence[object], norm: LayerNorm) -> Any:
        """Each column times the gain of a norm for it, plus its bias."""
        ...

    def plus(self, columns: Sequence[object], others: Sequence[object]) -> Any:
        """The sums of columns, one by one."""
        ...

    def embedded(self, embedding: Embedding, names: tuple[str, ...]) -> Any:
        """The columns of an embedding; those of a coordinate that nothing sets are zero."""
        ...

    def picked(self, columns: Sequence[object], places: list[int] | slice) -> Any:
        """Some of the columns."""
        ...

    def replaced(self, columns: Sequence[object], places: list[int] | slice, others: Sequence[object]) -> Any:
        """Columns, with others in some places."""
        ...

    def joint(self, several: Sequence[Sequence[object]]) -> Any:
        """Columns of several, one after the other."""
        ...


VARIANCE = ("a layer norm with epsilon = 0 must meet a variance above zero", "set an epsilon above 0")
TEMPERATURE = "a temperature must be positive"
"""What must hold of a run, and what to do where it does not; what numpy and torch run says the same."""


def refuse_zero_variance(outcome: str, position: int) -> None:
    """Raise NoRun where a layer norm that meets zero variance (and epsilon = 0) at `position` is to refuse it."""
    if outcome == "refuse":
        raise NoRun(VARIANCE[0], f"zero at position {position}", VARIANCE[1])
