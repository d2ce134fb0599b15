"""Rational numbers of a model, kept as Fractions until somebody asks for sympy's form.

Integers, fractions and numbers in text are exact without sympy, and a run reads them as they are. So a command that
only runs a model does not wait for sympy's import. A block keeps such numbers in a dictionary of its own (`WEIGHTS`);
its fields (`KeptField`) make sympy's numbers and matrices of them when they are first read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar

from symcook.errors import BadInput, NotExact
from symcook.model.expr import parse_term
from symcook.model.rationals import number_of, plain, rational
from symcook.model.symbols import PositionTable, exact

if TYPE_CHECKING:
    import sympy

    from symcook.numbers.matrix import RationalMatrix

Class = TypeVar("Class", bound=type)
WEIGHTS = "kept_weights"
"""The attribute of a block in which its rational numbers are, {field: number or `RationalEntries`}. (`Named.kept` is
something else: what passes have computed from the block.)"""
FEW = 4096
"""The largest number of entries of a matrix that is kept as `RationalEntries`. A larger matrix becomes a
`RationalMatrix` at once."""


def rational_of(value: object) -> Fraction | None:
    """`value` as a Fraction, where it is a rational number (`number_of`) or the text of one; None for any other value,
    which `exact` reads or refuses.

    >>> rational_of("2/6"), rational_of(3), rational_of("1/eps"), rational_of(0.5)
    (Fraction(1, 3), Fraction(3, 1), None, None)
    """
    if type(value) is str:
        with suppress(BadInput, NotExact):
            return rational(parse_term(plain(value)))
    return number_of(value)


def kept_number(value: object, tables: bool = False) -> Any:
    """`value` as a block keeps it: a Fraction where `rational_of` gives one, else a sympy expression; with `tables` a
    `PositionTable` as it is and for its text.

    BadInput where `exact` refuses the value.
    """
    if isinstance(value, PositionTable):
        return value if tables else value.expression
    number = rational_of(value)
    if tables and number is None and type(value) is str and value.startswith(("if", "I[")):
        number = PositionTable.read(parse_term(plain(value)))
    return exact(value) if number is None else number


def is_positive(number: Fraction | sympy.Expr) -> bool | None:
    """Whether a kept number is positive; None where sympy does not know it."""
    return number > 0 if isinstance(number, Fraction) else number.is_positive


@dataclass(frozen=True)
class RationalEntries:
    """A matrix of rational numbers by its rows: {column: number} without zeros, in the order of the columns."""

    rows: tuple[Mapping[int, Fraction], ...]
    columns: int

    @classmethod
    def of(cls, entries: Sequence[object], shape: tuple[int, int]) -> RationalEntries | None:
        """The matrix of `shape` with these entries, given row by row.

        None where an entry is not rational, the matrix has more than `FEW` entries, or their number does not fit.
        """
        height, width = shape
        if height * width > FEW or len(entries) != height * width:
            return None
        rows: list[dict[int, Fraction]] = [{} for _ in range(height)]
        for index, entry in enumerate(entries):
            number = rational_of(entry)
            if number is None:
                return None
            if number:
                rows[index // width][index % width] = number
        return cls(tuple(rows), width)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of columns."""
        return len(self.rows), self.columns

    def filled_rows(self) -> Iterator[Mapping[int, Fraction]]:
        """The rows: {column: number} without zeros, in the order of the columns."""
        return iter(self.rows)

    def nnz(self) -> int:
        """How many entries are not zero."""
        return sum(map(len, self.rows))

    def ratios(self) -> list[tuple[int, int]]:
        """The entries (numerator, denominator), row by row."""
        numbers = (row.get(c, 0) for row in self.rows for c in range(self.columns))
        return [(x.numerator, x.denominator) for x in numbers]


def rational_matrix(rows: Sequence[Mapping[int, int | Fraction]], columns: int) -> RationalEntries | RationalMatrix:
    """The matrix whose rows are given as {column: number}; all other entries are zero."""
    if len(rows) * columns <= FEW:
        return RationalEntries(tuple({c: Fraction(row[c]) for c in sorted(row) if row[c]} for row in rows), columns)
    from symcook.numbers.matrix import RationalMatrix

    return RationalMatrix.sparse(rows, columns)


def all_rational(weights: object) -> TypeGuard[Any]:
    """Whether a matrix is of a type for rational numbers only. Such a matrix has `shape` and the methods `filled_rows`,
    `nnz` and `ratios`."""
    return hasattr(weights, "filled_rows")


def filled_columns(weights: Any) -> Iterator[Collection[int]]:
    """For each row of a kept matrix, the columns of the entries that are not zero."""
    if getattr(weights, "floats", None) is not None:
        return (row.nonzero()[0].tolist() for row in weights.floats)
    if all_rational(weights):
        return (row.keys() for row in weights.filled_rows())
    return ([c for c in range(weights.cols) if weights[r, c] != 0] for r in range(weights.rows))


class MadeOnce(Mapping[str, Any]):
    """Values by name, each made when it is first read."""

    def __init__(self, names: Collection[str], make: Callable[[str], Any]) -> None:
        self.names, self.make, self.made = names, make, dict[str, Any]()

    def __getitem__(self, name: str) -> Any:
        if name not in self.made and name in self.names:
            self.made[name] = self.make(name)
        return self.made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)


def as_sympy(value: object) -> Any:
    """A kept value in sympy's form: a matrix or a number."""
    if isinstance(value, RationalEntries):
        from symcook.numbers.matrix import RationalMatrix

        return RationalMatrix.sparse(value.rows, value.columns)
    if isinstance(value, PositionTable):
        return value.expression
    return exact(value) if isinstance(value, Fraction) else value


class KeptField:
    """The descriptor of a field that is kept as `RationalEntries` or a Fraction, and converted to sympy's form when it
    is first read. Not a data descriptor: the converted value is an attribute of the block, which Python then reads
    without calling this class."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, block: object, owner: type) -> Any:
        if block is None or self.name not in block.__dict__.get(WEIGHTS, {}):
            raise AttributeError(f"{owner.__name__} has no value of {self.name}")
        value = block.__dict__[self.name] = as_sympy(block.__dict__[WEIGHTS][self.name])
        return value


def keeps(*names: str) -> Callable[[Class], Class]:
    """A decorator: the fields `names` of the dataclass may be kept (`keep`)."""

    def install(kind: Class) -> Class:
        for name in names:
            setattr(kind, name, KeptField(name))
        return kind

    return install


def keep(block: object, **values: object) -> None:
    """Set fields of a frozen block that is being made; `RationalEntries` and Fractions are kept."""
    weights: dict[str, Any] = block.__dict__.setdefault(WEIGHTS, {})
    for name, value in values.items():
        # A rational value is kept; any other value is a plain attribute. A field has only one of the two.
        if isinstance(value, (RationalEntries, Fraction)):
            store, other_store = weights, block.__dict__
        else:
            store, other_store = block.__dict__, weights
        store[name] = value
        other_store.pop(name, None)


def held(block: object, name: str) -> Any:
    """A field of a block without conversion: the kept value, or else the plain attribute."""
    weights = block.__dict__.get(WEIGHTS, {})
    return weights[name] if name in weights else getattr(block, name)


class NamedNumbers(Mapping[str, Any]):
    """{coordinate: number}, frozen: sympy's numbers. One that is rational is made anew each time it is read; `held` has
    it as a Fraction, and a choice by the position as a `PositionTable`."""

    def __init__(self, given: Mapping[str, object]) -> None:
        numbers = {name: kept_number(value, tables=True) for name, value in held_values(given).items()}
        self.held = MappingProxyType(numbers)

    def __getitem__(self, name: str) -> Any:
        return as_sympy(self.held[name])

    def __iter__(self) -> Iterator[str]:
        return iter(self.held)

    def __len__(self) -> int:
        return len(self.held)

    def __or__(self, other: Mapping[str, object]) -> dict[str, Any]:
        return {**self, **other}

    def __repr__(self) -> str:
        return repr(dict(self))


def held_values(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """{coordinate: number} without conversion to sympy's form."""
    return values.held if isinstance(values, NamedNumbers) else values
