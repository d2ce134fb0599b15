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
from typing import TYPE_CHECKING, Any, TypeVar

from symcook.errors import BadInput, NotExact
from symcook.model.expr import parse_term
from symcook.model.rationals import plain, rational
from symcook.model.symbols import exact

if TYPE_CHECKING:
    import sympy

    from symcook.numbers.matrix import RationalMatrix

Class = TypeVar("Class", bound=type)
WEIGHTS = "kept_weights"
"""What a block calls the rational numbers that it keeps; `kept` is what passes keep of it (`Named.kept`)."""
FEW = 4096
"""So many entries a matrix may have that is kept as `RationalEntries`; a larger one is a `RationalMatrix` at once."""


def rational_of(value: object) -> Fraction | None:
    """The number that an integer, a Fraction, text or a Rational of sympy's is; None of anything else, which `exact`
    reads or refuses.

    >>> rational_of("2/6"), rational_of(3), rational_of("1/eps"), rational_of(0.5)
    (Fraction(1, 3), Fraction(3, 1), None, None)
    """
    if type(value) is Fraction:
        return value
    if type(value) is int:
        return Fraction(value)
    if type(value) is str:
        with suppress(BadInput, NotExact):
            return rational(parse_term(plain(value)))
    if getattr(value, "is_Rational", False) is True and not isinstance(value, type):
        number: Any = value
        return Fraction(int(number.p), int(number.q))
    return None


def kept_number(value: object) -> Any:
    """An exact number as a block keeps it: a Fraction, or a sympy expression where it is not rational as it is given.
    BadInput as `exact` says."""
    number = rational_of(value)
    return exact(value) if number is None else number


def is_positive(number: Fraction | sympy.Expr) -> bool | None:
    """Whether a number that is kept is positive; None where that is not known."""
    return number > 0 if isinstance(number, Fraction) else number.is_positive


@dataclass(frozen=True)
class RationalEntries:
    """A matrix of rational numbers by its rows: {column: number} without zeros, in the order of the columns."""

    rows: tuple[Mapping[int, Fraction], ...]
    columns: int

    @classmethod
    def of(cls, entries: Sequence[object], shape: tuple[int, int]) -> RationalEntries | None:
        """The matrix of these entries, row by row; None where one is not rational, or where they are many."""
        height, width = shape
        if height * width > FEW or len(entries) != height * width:
            return None
        rows: list[dict[int, Fraction]] = [{} for _ in range(height)]
        for place, entry in enumerate(entries):
            number = rational_of(entry)
            if number is None:
                return None
            if number:
                rows[place // width][place % width] = number
        return cls(tuple(rows), width)

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), self.columns

    def filled_rows(self) -> Iterator[Mapping[int, Fraction]]:
        """The rows: {column: number} without zeros, in the order of the columns."""
        return iter(self.rows)

    def nnz(self) -> int:
        """How many entries are not zero."""
        return sum(map(len, self.rows))


def rational_matrix(rows: Sequence[Mapping[int, int | Fraction]], columns: int) -> RationalEntries | RationalMatrix:
    """The matrix of these rows by their entries, by column; the others are zero."""
    if len(rows) * columns <= FEW:
        return RationalEntries(tuple({c: Fraction(row[c]) for c in sorted(row) if row[c]} for row in rows), columns)
    from symcook.numbers.matrix import RationalMatrix

    return RationalMatrix.sparse(rows, columns)


def all_rational(weights: object) -> bool:
    """Whether a matrix, as it is kept, holds rational numbers alone by its type; then it has `filled_rows`."""
    return hasattr(weights, "filled_rows")


def filled_columns(weights: Any) -> Iterator[Collection[int]]:
    """For each row of a matrix as it is kept, the columns of its entries that are not zero."""
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
    """A value that was kept, as sympy has it: a matrix, or a number."""
    if isinstance(value, RationalEntries):
        from symcook.numbers.matrix import RationalMatrix

        return RationalMatrix.sparse(value.rows, value.columns)
    return exact(value) if isinstance(value, Fraction) else value


class KeptField:
    """A field whose value is kept as `RationalEntries` or a Fraction, and becomes sympy's when it is first read."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, block: object, owner: type) -> Any:
        if block is None or self.name not in block.__dict__.get(WEIGHTS, {}):
            raise AttributeError(f"{owner.__name__} has no value of {self.name}")
        value = block.__dict__[self.name] = as_sympy(block.__dict__[WEIGHTS][self.name])
        return value


def keeps(*names: str) -> Callable[[Class], Class]:
    """The decorator of a dataclass whose fields of these names may be kept (`keep`)."""

    def install(kind: Class) -> Class:
        for name in names:
            setattr(kind, name, KeptField(name))
        return kind

    return install


def keep(block: object, **values: object) -> None:
    """Set fields of a frozen block that is being made; `RationalEntries` and Fractions are kept."""
    weights: dict[str, Any] = block.__dict__.setdefault(WEIGHTS, {})
    for name, value in values.items():
        # A rational value is kept; any other is a plain attribute, and the field has one of the two.
        of, away = (
            (weights, block.__dict__) if isinstance(value, (RationalEntries, Fraction)) else (block.__dict__, weights)
        )
        of[name] = value
        away.pop(name, None)


def held(block: object, name: str) -> Any:
    """A field of a block as it is there: kept, or as sympy has it."""
    weights = block.__dict__.get(WEIGHTS, {})
    return weights[name] if name in weights else getattr(block, name)


class NamedNumbers(Mapping[str, Any]):
    """{coordinate: number}, frozen: sympy's numbers, each made when it is first read where it is rational."""

    def __init__(self, given: Mapping[str, object]) -> None:
        self.held = MappingProxyType({name: kept_number(value) for name, value in given.items()})

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
    """{coordinate: number} as it is kept."""
    return values.held if isinstance(values, NamedNumbers) else values
