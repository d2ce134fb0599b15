"""The forward pass of a dense model with matrix products, for number systems that have them.

The order of the pass is that of `symcook.walk`, and this module replaces its operations. The residual stream is one
table of columns, and a sublayer is applied to all coordinates that it reads at once. A number system has matrix
products if its own class has `matrices` (`symcook.domains.protocol.Matrices`). With other number systems, and for
sparse models, `Walk` computes coordinate by coordinate.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from symcook.domains.partsteps import turns
from symcook.model.parts import Mask, Part, Sublayer
from symcook.model.reads import STEP_WORDS, StepsRead
from symcook.model.steps import (
    Activate,
    Attend,
    ByDistance,
    Centre,
    DivideByRms,
    LinearMap,
    Multiply,
    PartStep,
    Products,
    Read,
    Rotate,
    ScaleEntries,
    attention,
    unknown_step,
)
from symcook.walk import Offers, Walk

READS = StepsRead("the dense pass", **STEP_WORDS)


class Columns(Mapping[str, Any]):
    """A table of columns by name; `columns` is one object of the number system for all of them (`Matrices.picked`)."""

    def __init__(self, names: tuple[str, ...], columns: Sequence[object]) -> None:
        self.names, self.columns = names, columns

    def __getitem__(self, name: str) -> Any:
        return self.columns[_indices(self.names)[name]]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __contains__(self, name: object) -> bool:
        return name in _indices(self.names)


class DensePass(Walk):
    """One forward pass over tables of columns. The number system is a `Matrices`. Methods without a docstring compute
    what the methods of `Walk` compute, but `embed` sets all coordinates and not only the wanted ones."""

    stream: Any

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.matrices.apart = READS.of(self.model).compares

    def columns(self, table: Columns, names: tuple[str, ...]) -> Any:
        """The columns with the given names, in this order."""
        if names == table.names:
            return table.columns
        return self.matrices.picked(table.columns, _indices_in(table.names, names))

    @property
    def matrices(self) -> Any:
        """The number system."""
        return self.domain

    def embed(self, wanted: set[str]) -> None:
        names = tuple(self.model.space)
        self.stream = Columns(names, self.matrices.embedded(self.embedding, names))

    def write(self, names: tuple[str, ...], columns: Sequence[object]) -> None:
        """Replace the columns with these names in the residual stream."""
        names_all = self.stream.names
        if names != names_all:
            columns = self.matrices.replaced(self.stream.columns, _indices_in(names_all, names), columns)
        self.stream = Columns(names_all, columns)

    def cut(self, columns: Columns) -> Any:
        return Columns(columns.names, self.matrices.narrow(columns.columns, self.model.readout.place))

    def view(self, step: Sublayer) -> Any:
        """The columns that a sublayer reads: the residual stream, or the outputs of its norms."""
        if not step.before:
            return self.stream
        tables: list[Any] = [self.normalised(norm) for norm in step.before]
        names = tuple(name for table in tables for name in table.names)
        return tables[0] if len(tables) == 1 else Columns(names, self.matrices.joint([t.columns for t in tables]))

    def narrow(self, view: Columns) -> Any:
        asking = self.cut(view) if view else view
        self.stream = asking if view is self.stream else self.cut(self.stream)
        self.zero = self.domain.linear([], 0)
        return asking

    def overwrite(self, norm: Part) -> None:
        table: Any = self.normalised(norm)
        self.write(table.names, table.columns)

    def _normalised(self, norm: Part) -> Any:
        return Columns(norm.writes, self.table(norm, norm.steps, self.stream))

    def add(self, step: Sublayer, view: Columns, asking: Columns, wanted: set[str]) -> None:
        """Add the outputs of a sublayer: of heads after all of them have read the stream, of a feed-forward layer at
        once."""
        head_outputs = []
        for part in step.parts:
            if attention(part.steps):
                head_outputs.append(self.attention(part, view, asking, wanted))
            else:
                self.network(part, asking, wanted)
        for names, columns in head_outputs:
            if names:
                self.write(names, self.matrices.plus(self.columns(self.stream, names), columns))

    def attention(self, head: Part, view: Columns, asking: Columns, wanted: set[str]) -> Any:
        """The coordinates that a head writes, and the columns that it adds to them."""
        written, queries, keys, values = self.offered(head, view, asking, wanted)
        if not written:
            self.weights += [()] if self.units else []
            return (), ()
        match head.steps:
            case Attend(_, _, mask, weighting):
                rule = Mask(mask), weighting, head.lowered["factor"]
            case step:
                unknown_step("the dense pass", step)
        outputs = self.domain.attend(queries, keys, values, *rule)
        if self.units:
            self.weights.append(tuple(self.domain.attend(queries, keys, self.units, *rule)))
        return written, outputs

    def offered(self, head: Any, view: Columns, asking: Columns, wanted: set[str]) -> Any:
        """The coordinates that a head writes, with its queries, keys and values; all empty if it writes none."""
        written, _, keys, values = self.before_cut.pop(id(head), None) or self.offers(head, view, wanted)
        if not written:
            return (), (), (), ()
        queries: Any = ()
        if not head.uniform:
            match head.steps:
                case Attend(Products(step, _, _, _), _, _, _):
                    queries = self.table(head, step, asking)
                case Attend(ByDistance(Products(step, _, _, _), "slope"), _, _, _):
                    queries = self.beside(head, step, asking, Fraction(1), 1)
                case step:
                    unknown_step("the dense pass", step)
        if self.after is not None:
            keys, values = self.remembered(self.after, list(keys), list(values))
        return written, queries, keys, values

    def offers(self, head: Any, view: Any, wanted: set[str]) -> Offers:
        """The coordinates that a head writes, its keys and its values; all empty if it writes none."""
        rows, written = _wanted(head.writes, wanted)
        if not written:
            return Offers((), (), (), ())
        match head.steps:
            case Attend(scores, LinearMap(of, matrix, bias), _, _):
                entries, added = self.table(head, of, view), self.vector(head, bias, rows)
                values = self.matrices.product(self.matrix(head, matrix, rows), entries, added)
            case step:
                unknown_step("the dense pass", step)
        keys: Any = ()
        if not head.uniform:
            match scores:
                case Products(_, step, _, _):
                    keys = self.table(head, step, view)
                case ByDistance(Products(_, step, _, _), "slope"):
                    keys = self.beside(head, step, view, self.index, head.lowered["per_position"])
                case other:
                    unknown_step("the dense pass", other)
        return Offers(written, (), keys, values)

    def beside(self, head: Part, step: PartStep, view: Columns, term: Any, weight: Any) -> Any:
        """Queries or keys of a head, with a column more where its scores depend on the distance: `weight` times a term
        in i and n."""
        columns = self.table(head, step, view) if head.sizes()["key"] else ()
        if head.lowered["per_position"] == 0:
            return columns
        column = self.matrices.placed(term, weight)
        return self.matrices.joint([columns, column]) if len(columns) else column

    def network(self, part: Part, asking: Columns, wanted: set[str]) -> None:
        """Add the output of a part that computes each position by itself: one sum with what is there."""
        rows, names = _wanted(part.writes, wanted)
        if not names:
            return
        match part.steps:
            case LinearMap(of, matrix, bias):
                entries, added = self.table(part, of, asking), self.vector(part, bias, rows)
                onto = self.columns(self.stream, names)
                sums = self.matrices.product(self.matrix(part, matrix, rows), entries, added, onto=onto)
            case step:
                unknown_step("the dense pass", step)
        self.write(names, sums)

    def table(self, part: Part, step: PartStep, view: Columns) -> Any:
        """The columns of a step of a part."""
        match step:
            case Read():
                return self.columns(view, part.reads)
            case LinearMap(of, matrix, bias):
                return self._product(part, of, matrix, bias, "", view)
            case Activate(LinearMap(of, matrix, bias), kind):
                return self._product(part, of, matrix, bias, kind, view)
            case Multiply(left, right):
                return self.matrices.multiplied(self.table(part, left, view), self.table(part, right, view))
            case ScaleEntries(of, gain, bias):
                return self.matrices.scaled(self.table(part, of, view), part, gain, bias)
            case DivideByRms(Centre(of), epsilon, zero):
                return self.domain.layer_norm(self.table(part, of, view), part.lowered[epsilon], zero)
            case DivideByRms(of, epsilon, zero):
                return self.domain.rms_norm(self.table(part, of, view), part.lowered[epsilon], zero)
            case Rotate(of, angles):
                return self.turned(self.table(part, of, view), turns(part.lowered[angles]))
        unknown_step("the dense pass", step)

    def turned(self, columns: Any, terms: Sequence[tuple[Any, Any]]) -> Any:
        """A rotation of the pairs k, k + h of 2 h columns, by cosines and sines as terms in i."""
        half, matrices = len(terms), self.matrices
        swapped = matrices.picked(columns, [*range(half, 2 * half), *range(half)])
        cosines = [matrices.placed(cos, 1) for cos, _ in terms]
        sines = [matrices.placed(sin, sign) for sign in (-1, 1) for _, sin in terms]
        by_cosines = matrices.multiplied(columns, matrices.joint([*cosines, *cosines]))
        return matrices.plus(by_cosines, matrices.multiplied(swapped, matrices.joint(sines)))

    def _product(self, part: Part, of: PartStep, matrix: str, bias: str | None, kind: str, view: Columns) -> Any:
        """The columns of a matrix times those of a step, plus a bias, with an activation if there is one."""
        return self.matrices.product(
            self.matrix(part, matrix), self.table(part, of, view), self.vector(part, bias), kind
        )

    def full(self) -> Any:
        return self.stream

    def scores(self) -> dict[str, Any]:
        readout = self.model.readout
        if readout.weights is None:
            return {}
        readout_matrix = self.matrices.matrix(readout, "weights", readout.weights)
        score_columns = self.matrices.product(readout_matrix, self.columns(self.stream, readout.reads))
        return dict(zip(readout.labels or ("logit",), score_columns, strict=False))

    def matrix(self, part: Part, name: str, rows: tuple[int, ...] | None = None) -> Any:
        """A matrix of a part, or some of its rows, in the form of the number system."""
        return self.matrices.matrix(part, name, getattr(part, name), rows)

    def vector(self, part: Part, name: str | None, rows: tuple[int, ...] | None = None) -> Any:
        """A column of numbers of a part, or some of its entries, in the form of the number system; None without a
        name."""
        if name is None:
            return None
        return self.matrices.vector(part, name, part.lowered[name], rows)


def _wanted(names: tuple[str, ...], wanted: set[str]) -> tuple[tuple[int, ...] | None, tuple[str, ...]]:
    """The `names` that are wanted: their indices (None if all are), and the names."""
    if wanted.issuperset(names):
        return None, names
    rows = tuple(k for k, name in enumerate(names) if name in wanted)
    return rows, tuple(names[k] for k in rows)


@lru_cache(1024)
def _indices(names: tuple[str, ...]) -> Mapping[str, int]:
    """{name: its index}."""
    return {name: place for place, name in enumerate(names)}


@lru_cache(1024)
def _indices_in(names: tuple[str, ...], some: Sequence[str]) -> list[int] | slice:
    """The indices of the names `some` (at least one) in `names`; a slice if they are consecutive."""
    places = [_indices(names)[name] for name in some]
    return slice(places[0], places[-1] + 1) if places == list(range(places[0], places[-1] + 1)) else places
