"""Checks of what a part of a model is made of: matrices, names, and the space of named coordinates.

A part (head, feed-forward layer, norm, embedding, readout) calls these functions once, when it is made. Each takes what
the user gave, with a text that says what it is, and returns it in its frozen form or raises BadInput.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from symcook.door import door
from symcook.errors import BadInput, unknown
from symcook.model.choices import shown_word
from symcook.model.entries import RationalEntries, all_rational
from symcook.model.expr import ARITY, valid_name
from symcook.model.symbols import Number, PositionTable, exact, lowered

if TYPE_CHECKING:
    import sympy


MAX_LABEL = 2_000
"""The greatest number of characters of a label, a token or another printed text of a model."""
RESERVED = ("i", "j", "k", "n", "w", "logit")
"""Names reserved for positions (i, j, k), the length n, the string w, and the readout's scalar."""


Put: TypeAlias = "Callable[[sympy.Expr], sympy.Expr]"
"""A substitution in a number, which is a sympy expression."""


def matrix(rows: Any, shape: tuple[int, int], what: str) -> sympy.ImmutableMatrix | RationalEntries:
    """An exact matrix of `shape` from nested sequences, a flat sequence for a single row or column, or a sympy matrix;
    one of rational numbers is `RationalEntries`, or a `symcook.numbers.matrix.RationalMatrix` where it is large or only
    sympy finds its numbers to be rational.

    Raises BadInput where the shape differs or an entry is not exact.
    """
    entries: list[Any]
    # Rational already, and of the right shape.
    if all_rational(rows) and rows.shape == shape:
        return rows
    # Rational but of another shape, which is refused below; or a matrix of sympy's.
    if all_rational(rows) or hasattr(rows, "todok"):
        present_shape, entries = rows.shape, list(rows) if rows.shape == shape else []
    else:
        # Nested or flat lists.
        height(rows, what)
        lines = list(rows)
        if lines and not isinstance(lines[0], (list, tuple)):
            lines = [[e] for e in lines] if shape[1] == 1 else [lines]
        widths = {len(line) for line in lines} or {shape[1]}
        if len(widths) > 1:
            raise BadInput(
                f"{what} must have rows of equal length", sorted(widths), "give every row the same number of entries"
            )
        present_shape, entries = (len(lines), widths.pop()), [e for line in lines for e in line]
    # Small and rational: kept without sympy.
    if present_shape == shape and (rational := RationalEntries.of(entries, shape)) is not None:
        return rational
    import sympy

    from symcook.numbers.matrix import RationalMatrix

    if not all(type(e) is Fraction or type(e) is int for e in entries):
        entries = [exact(e) for e in entries]
    # The entries are read before the shape is refused, so that the refusal of an entry comes first.
    if present_shape != shape:
        raise BadInput(
            f"{what} must have shape {shape[0]} x {shape[1]}",
            f"{present_shape[0]} x {present_shape[1]}",
            "give a matrix of this shape",
        )
    if all(isinstance(e, (int, Fraction, sympy.Rational)) for e in entries):
        return RationalMatrix.of([(int(e.numerator), int(e.denominator)) for e in entries], shape)
    return sympy.ImmutableMatrix(shape[0], shape[1], entries)


def changes(values: Mapping[str, Any], put: Put) -> dict[str, Any]:
    """{name: new value} for those of `values` that the substitution `put` changes. In a matrix, `put` is applied to
    every entry."""
    substituted = {name: _substituted(value, put) for name, value in values.items()}
    return {name: new for name, new in substituted.items() if new is not values[name]}


def _substituted(value: sympy.Expr | sympy.MatrixBase | RationalEntries | Fraction, put: Put) -> Any:
    """A number or matrix with the substitution `put` made; the same object where nothing changes."""
    # Rational numbers have no symbols.
    if isinstance(value, Fraction) or all_rational(value):
        return value
    import sympy

    if isinstance(value, PositionTable):
        new = put(value.expression)
        return value if new is value.expression else new
    if not isinstance(value, sympy.MatrixBase):
        return put(cast("sympy.Expr", value))
    if not value.free_symbols:
        return value
    new = value.applyfunc(put)
    return value if new == value else new


def height(rows: Any, what: str) -> int:
    """The number of rows of `rows`, a matrix as the user gave it; BadInput where it is not a matrix."""
    if hasattr(rows, "shape") and len(rows.shape) == 2:
        return rows.shape[0]
    if not isinstance(rows, (list, tuple)):
        raise BadInput(
            f"{what} must be a matrix: a list of rows, or a sympy matrix",
            type(rows).__name__,
            "write for example [[1, 0], [0, 1]]",
        )
    return len(rows)


def nested(value: Any, dyadic: bool) -> Any:
    """An array as nested lists; with `dyadic` every finite float in it as the exact number that it is.

    With `dyadic`, a float array with two axes becomes a `RationalMatrix` where `dyadics` makes one. A value that is no
    array, list or tuple is returned as it is.
    """
    if hasattr(value, "tolist") and hasattr(value, "ndim"):
        if dyadic and value.ndim == 2:
            return dyadics(value) or nested(value.tolist(), dyadic)
        dtype: Any = getattr(value, "dtype", None)
        if not dyadic and (getattr(dtype, "kind", "") == "f" or getattr(dtype, "is_floating_point", False)):
            do = 'write dtype=int, or lists with Fraction(1, 2) or "1/2"'
            raise BadInput("a matrix must be exact, not an array of floats", f"dtype {dtype}", do)
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [nested(entry, dyadic) for entry in value]
    if dyadic and isinstance(value, float) and isfinite(value):
        return Fraction(value)
    return value


def dyadics(given: Any) -> Any:
    """The exact matrix of the floats in `given`, an array or tensor with two axes.

    None for any other value, for a type of which float64 does not have all numbers, and where an entry is not finite.
    """
    import numpy as np

    from symcook.numbers.matrix import RationalMatrix

    if not hasattr(given, "ndim") or given.ndim != 2 or "float" not in str(given.dtype):
        return None
    kind = given.dtype if isinstance(given, np.ndarray) else np.float64
    if kind not in (np.float16, np.float32, np.float64):  # numbers that float64 may not have
        return None
    floats = np.array(given if isinstance(given, np.ndarray) else given.tolist(), dtype=np.float64)
    return RationalMatrix.dyadic(floats) if floats.ndim == 2 and np.isfinite(floats).all() else None


def sparse(weights: sympy.MatrixBase | RationalEntries, columns: Sequence[object]) -> tuple[Mapping[Any, Number], ...]:
    """The rows of a matrix as number systems take them: {column: number} without zeros, in the order of the columns."""
    if all_rational(weights):
        nonzero_rows = cast("RationalEntries", weights).filled_rows()
        return tuple({columns[c]: number for c, number in row.items()} for row in nonzero_rows)
    matrix = cast("sympy.MatrixBase", weights)
    rows: tuple[dict[Any, Number], ...] = tuple({} for _ in range(matrix.shape[0]))
    for (r, c), value in sorted(matrix.todok().items(), key=lambda entry: entry[0]):
        rows[r][columns[c]] = lowered(value)
    return rows


def filled(weights: sympy.MatrixBase | RationalEntries) -> int:
    """How many entries of a matrix are not zero."""
    if all_rational(weights):
        return cast("RationalEntries", weights).nnz()
    return len(cast("sympy.MatrixBase", weights).todok())


def symbol_text(given: object) -> object:
    """A number that stands for a symbol as its text, 3 as "3" and 0.5 as "1/2"; anything else as it is."""
    if isinstance(given, bool) or not isinstance(given, (int, float, Fraction)):
        return given
    return str(Fraction(given)) if not isinstance(given, float) or isfinite(given) else given


def freeze(block: object, **values: object) -> None:
    """Set checked values on a frozen block that is being made."""
    for name, value in values.items():
        object.__setattr__(block, name, value)


def instance(what: str, value: object, *kinds: type) -> None:
    """BadInput where `value` is of none of the kinds."""
    if not isinstance(value, kinds):
        raise BadInput(
            f"{what} must be a {' or a '.join(kind.__name__ for kind in kinds)}",
            type(value).__name__,
            f"give a {kinds[0].__name__}",
        )


ALIASES = {
    "causal": "future", "strict-causal": "strict-future", "anti-causal": "past", "strict-anti-causal": "strict-past",
    "bidirectional": "none", "ahat": "average", "uhat-left": "leftmost", "uhat-right": "rightmost", "argmax": "largest",
}  # fmt: skip
"""What the literature calls some values of `mask`, `weighting` and the output layer. Python calls and recipes accept
both names, and models keep the listed one; model files hold the listed one alone. What is shown is in
`symcook.model.choices`."""


def one_of(what: str, value: str, known: tuple[str, ...]) -> str:
    """`value`, an alias by its listed name; BadInput, with the nearest name, for a value that is not listed."""
    if isinstance(value, str) and value not in known:
        value = listed_name(value, known)
    if not isinstance(value, str) or value not in known:
        raise unknown_word(what, value, known)
    return value


def unknown_word(what: str, value: Any, known: Sequence[str]) -> BadInput:
    """The refusal of a word that is not listed: with the word of today for the nearest of the listed words and their
    aliases, else with all words of today."""
    meant = {shown_word(word): word for word in known} | {word: word for word in known}
    meant |= {alias: word for alias, word in ALIASES.items() if word in known}
    refusal = unknown(what, value, tuple(map(shown_word, known)))
    near = unknown(what, value, tuple(meant)).do or ""
    word = near.removeprefix("did you mean ").removesuffix("?")
    if word in meant and not (refusal.do or "").startswith("did you mean"):
        refusal = BadInput(refusal.must, refusal.given, f"did you mean {shown_word(meant[word])}?")
    return refusal


def listed_name(value: str, known: Collection[str]) -> str:
    """The listed name that `value` is an alias of; `value` where it is not one.

    >>> listed_name("causal", ("none", "future"))
    'future'
    """
    name = ALIASES.get(value.casefold(), value)
    return name if name in known else value


def stored_value(name: str, place: str) -> str:
    """`name`, a value from a model file; BadInput for an alias. Files have listed names only, so that equal models have
    equal hashes."""
    if (listed := ALIASES.get(name.casefold())) is not None:
        raise BadInput(f"{place} must be spelled as in the list of its values", name, f'write "{listed}"')
    return name


def printable(text: object, what: str) -> None:
    """BadInput where `text` is not printable text that is short enough for a model file."""
    if not isinstance(text, str):
        raise BadInput(f"{what} must be text", type(text).__name__, "write it in quotes")
    if len(text) > MAX_LABEL or not text.isprintable():
        raise BadInput(
            f"{what} must be printable text of at most {MAX_LABEL} characters",
            text,
            "give a shorter name, without control characters",
        )


def coordinates(names: Iterable[str], what: str) -> tuple[str, ...]:
    """`names` as a tuple; BadInput where a name is not text or repeats."""
    result = listed(names, what, "names")
    for name in result:
        if not isinstance(name, str):
            raise BadInput(f"{what} must be a tuple of names", type(name).__name__, 'write for example ("x", "y")')
    if len(set(result)) != len(result):
        raise BadInput(f"{what} must not name a coordinate twice", ", ".join(result), "name each coordinate once")
    return result


def listed(values: object, what: str, of: str) -> tuple[Any, ...]:
    """`values` as a tuple; BadInput for text, bytes, mappings and sets, and for values that are not iterable. `of` says
    what the values are."""
    if isinstance(values, str):
        raise BadInput(f"{what} must be a tuple of {of}", values, f"write ({values!r},)" if len(values) < 40 else None)
    if isinstance(values, (bytes, Mapping, Set)) or not isinstance(values, Iterable):
        raise BadInput(f"{what} must be a tuple of {of}", type(values).__name__, "write for example (1, 2)")
    try:
        return tuple(values)
    except TypeError:  # an array without dimensions
        raise BadInput(f"{what} must be a tuple of {of}", type(values).__name__, "write it in parentheses") from None


WORDS_OF_STATEMENTS = frozenset(
    ("weight", "score", "swapped", "permuted", "appended", "prepended", "deleted", "prefix")
)
"""Words of statements about a model that came when there were models already. A coordinate of a new model must not have
the name of one; in an older model the coordinate is meant."""


@door()
@dataclass(frozen=True)
class Space:
    """An ordered set of named coordinates: the residual stream of a model.

    Arguments:
        names: tuple of str. The names. The name of a function, such as cos, may name a coordinate; a parameter or
            an input may not have it, since these are in formulas.

    Returns: Space, which is immutable.

    Raises: BadInput: a name that repeats, is not an identifier, or is reserved.

    Example:

    >>> space = Space(("open", "balance"))
    >>> space.routing(("balance",))
    Matrix([[0, 1]])
    """

    names: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check the names, and set them as a tuple. Raises BadInput for invalid ones."""
        object.__setattr__(self, "names", listed(self.names, "a space", "coordinate names"))
        if not self.names:
            raise BadInput(
                "a space must have at least one coordinate", "none", 'name a coordinate, as in Space(("x",))'
            )
        earlier: set[str] = set()
        for name in self.names:
            if not isinstance(name, str) or not (valid_name(name) or name in ARITY) or name in RESERVED:
                reserved = ", ".join(RESERVED)
                must = f"a coordinate's name must be an identifier, no reserved word and not one of {reserved}"
                raise BadInput(must, name, "give the coordinate another name")
            if name in earlier:
                raise BadInput("coordinates must have different names", name, "name each coordinate once")
            earlier.add(name)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    @door()
    def require(self, names: Sequence[str]) -> None:
        """Raise BadInput, with the nearest name, where one of `names` is not a coordinate."""
        for name in names:
            one_of("coordinate", name, self.names)

    @door()
    def routing(self, names: Sequence[str]) -> sympy.ImmutableMatrix:
        """The matrix R, len(names) x len(self), that reads `names` out of a vector of this space.

        Its transpose writes them. Source: Cookbook, Section 8.2, Lemma 8.1.
        """
        import sympy

        names = listed(names, "what is read", "coordinate names")
        self.require(names)
        return sympy.ImmutableMatrix(len(names), len(self), lambda r, c: int(self.names[c] == names[r]))
