"""What a number system must offer so that `forward` can run a model over it.

A *column* is one coordinate at all positions (and, in a batch, for all inputs at once). `forward` keeps names and
sparsity to itself: a domain sees columns and exact numbers, never a matrix or a name, and masks, weightings and
activations that a block has checked. A *verdict* is the answer to a comparison: True, False or None (open); in a batch
an array of such answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, ClassVar, Protocol, TypeGuard, runtime_checkable

from symcook.errors import NoRun
from symcook.model.meaning import conjunction as conjunction
from symcook.model.symbols import Number

Column = Any
Columns = Sequence[Column]
Verdict = Any
Value = Any
Coefficient = int | Number
"""A Fraction, or a tree of the grammar where the number is not rational or (symbolic) holds declared symbols."""


class Domain(Protocol):
    """The operations of a number system. One sequence at a time: `begin` comes before all others."""

    name: ClassVar[str]
    length: int
    """The number of positions of the sequence begun, for those who print it."""

    def context(self) -> AbstractContextManager[Any]:
        """Entered around a forward pass and the reading of its values: sets a working precision and restores it."""
        ...

    def begin(self, sequence: Any, start: int) -> None:
        """Take the input: a tuple of tokens, a tuple of rows {input: number}, or what a batch stands for."""
        ...

    def indices(self) -> Sequence[tuple[int, int]]:
        """The numbers i and n of the positions that columns have entries for; none where they stand for any."""
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

    def linear(self, terms: Sequence[tuple[Column, Coefficient]], bias: Coefficient) -> Column:
        """The sum of coefficient times column, plus `bias`, at every position. No coefficient is zero."""
        ...

    def activate(self, column: Column, kind: str) -> Column:
        """The activation (one of `blocks.ACTIVATIONS`) at every position; NotExact where there is no value."""
        ...

    def layer_norm(self, columns: Columns, epsilon: Coefficient, zero_variance: str) -> list[Column]:
        """(x - mean)/sqrt(variance + epsilon) of the given entries at each position, before gain and bias.

        Where variance + epsilon is zero: NoRun naming the position for "refuse", zeros for "zero".
        """
        ...

    def attend(
        self, queries: Columns, keys: Columns, values: Columns, mask: str, weighting: str, factor: Coefficient
    ) -> list[Column]:
        """For each value column v: sum_j alpha_ij v_j, with scores factor(i, n) * sum_d queries[d]_i keys[d]_j.

        Without queries every score is zero; with weighting average or softmax each row is then the plain average of
        what it sees (`visible`), where the sum is taken first and divided once. A row that sees nothing is zero.
        `factor` is a positive term in i and n, 1 where it does not matter.
        """
        ...

    def distribution(self, columns: Columns) -> list[Column]:
        """The softmax of the given scores at each position, a column for each."""
        ...

    def largest(self, columns: Columns) -> list[Any]:
        """At each position the index of the first largest score, None where that is open."""
        ...

    def positive(self, column: Column) -> list[Verdict]:
        """At each position: is the entry greater than zero?"""
        ...

    def zero(self, column: Column) -> list[Verdict]:
        """At each position: is the entry equal to zero?"""
        ...

    def both(self, first: Verdict, second: Verdict) -> Verdict:
        """The conjunction of two verdicts (False wins over open)."""
        ...

    def read(self, column: Column, place: int) -> Value:
        """The entry of `column` at index `place` (0 is the first position, -1 the last)."""
        ...

    def show(self, value: Value, digits: int) -> Any:
        """`value` as JSON has it: text for exact numbers and expressions, {"mid", "rad"} for balls, floats as such."""
        ...

    def settled(self, value: Value, digits: int) -> bool:
        """Whether `value` is known to the asked number of digits (exact values always are)."""
        ...


@runtime_checkable
class Rounded(Domain, Protocol):
    """A domain whose operations round."""

    simulates: bool
    """Whether it stands for a runtime, whose answers are shown as they are; else a verdict must be above all that was
    rounded."""

    def rounding(self) -> Domain:
        """The domain of all that the rounding of this one may lead to (`symcook.domains.rounding`)."""
        ...


def rounds(domain: Domain) -> TypeGuard[Rounded]:
    """Whether the operations of a domain round; isinstance takes a tenth of a short run to say so."""
    return hasattr(domain, "rounding")


def visible(mask: str, row: int, length: int) -> range:
    """The indices (from 0) that row `row` of `length` sees under a mask; empty where it sees nothing.

    >>> [list(visible("strict-future", row, 3)) for row in range(3)]
    [[], [0], [0, 1]]
    """
    low = {"past": row, "strict-past": row + 1}.get(mask, 0)
    high = {"future": row + 1, "strict-future": row}.get(mask, length)
    return range(low, high)


VARIANCE = ("a layer norm with epsilon = 0 must meet a variance above zero", "set an epsilon above 0")
TEMPERATURE = "a temperature must be positive"
"""What must hold of a run, and what to do where it does not; what numpy and torch run says the same."""


def refuse_zero_variance(outcome: str, position: int) -> None:
    """Raise NoRun where a layer norm that meets zero variance (and epsilon = 0) at `position` is to refuse it."""
    if outcome == "refuse":
        raise NoRun(VARIANCE[0], f"zero at position {position}", VARIANCE[1])
