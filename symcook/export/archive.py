"""A model as named arrays of floats and words: what every format stores, each in its own way; and what they mean in
numpy, for many inputs at once, by what the script does that is shipped with an archive (`symcook.export.run_npz`).

Arrays of the archive, with d coordinates, V tokens, N the largest length of the tables, s, h, k = 1, 2, ...:

    format, name, steps, dtype           text and a number
    coordinates (d), vocabulary (V), inputs     names; either vocabulary or inputs is empty
    before, after                        the token that the model puts around every input, or the empty text
    embedding (V, d)                     the row of each token
    positions (N, d)                     at [p] what is added at index p; (N, N, d), at [n - 1, p], where it depends on
                                         the length n of the input; absent if zero
    step{s}.layer                        the layer of what is added to the stream z next: heads or a network
    step{s}.head{h}.mask, .weighting     names of `symcook.model.parts`
    step{s}.head{h}.Q, .K (key, r), .V (d, r)   scores (Q x_i) . (K x_j) * factor[i]; x is z or, with norms in front,
                                         what these give side by side, of length r
    step{s}.head{h}.factor (N)           scale over temperature, or (N, N), at [n - 1, i]; absent where it is 1
    step{s}.W1 (u, r), .b1, .W2 (d, u), .b2, .activation      z + W2 act(W1 x + b1) + b2
    step{s}.before{k}, step{s}.after     norms before a step, and the one that replaces z behind it, each with
        .P (m, d)                        the projection; absent where the norm is over the stream
        .gain, .bias (m), .epsilon       gain (x - mean)/sqrt(variance + epsilon) + bias
        .zero_variance                   what stands for a quotient by zero: zero, or refuse
    readout.kind, .position, .reads      names; readout.weights (d) for a sign readout, (labels, d) for a largest or a
                                         distribution readout, with readout.labels

Lengths count the tokens that the model adds. Numbers of type bfloat16, which numpy does not have, stand as float32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from symcook.domains import DTYPES
from symcook.errors import BadInput, NoRun
from symcook.files import parsed
from symcook.model.ends import TokenRows
from symcook.model.expr import Tree, names, show
from symcook.model.parts import FeedForward, Head, LayerNorm
from symcook.model.rationals import quotient
from symcook.model.symbols import Number, lowered
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import sympy

FORMAT = "symcook archive 4"
Archive: TypeAlias = "dict[str, np.ndarray]"
Stored = tuple[int, int] | Tree
"""A number as it is rounded: a numerator with its denominator, or a tree."""
Index = Callable[[int], tuple[int, ...]]
LISTED = 50
"""How many rounded numbers of one array a certificate lists; it counts the others."""


def arrays(model: Transformer, dtype: str, n_max: int, roundings: dict[str, dict[str, Any]] | None = None) -> Archive:
    """The archive of a model whose symbols all have values, with position tables to length `n_max`.

    `roundings` takes for each array with a number that is not stored exactly how many there are, the largest relative
    error, and the first of them. Raises BadInput, with the weight, where a number does not fit `dtype`.
    """
    return _ArchiveWriter(model, dtype, n_max, {} if roundings is None else roundings).archive()


def numbered(m: Archive, stem: str, last: str) -> list[str]:
    """The keys stem1., stem2., ... that an archive has."""
    prefixes: list[str] = []
    while f"{stem}{len(prefixes) + 1}.{last}" in m:
        prefixes.append(f"{stem}{len(prefixes) + 1}.")
    return prefixes


def reach(m: Mapping[str, np.ndarray]) -> int | None:
    """The largest length of the tables of an archive; None where it has none, and takes every length."""
    return min((len(m[key]) for key in m if key == "positions" or key.endswith(".factor")), default=None)


def held_as(dtype: str) -> str:
    """The numpy type that holds numbers of `dtype`."""
    return "float32" if dtype == "bfloat16" else dtype


class _ArchiveWriter:
    """Fills the arrays of one archive; `arrays` has those that are done, `roundings` what was rounded."""

    def __init__(self, model: Transformer, dtype: str, n_max: int, roundings: dict[str, Any]) -> None:
        self.model, self.dtype, self.n_max, self.roundings = model, dtype, n_max, roundings
        self.space = {name: k for k, name in enumerate(model.space)}
        self.arrays: Archive = {}
        self.known: dict[Any, float] = {}
        """The float64 nearest to each tree, which is slow to find."""

    def archive(self) -> Archive:
        """All arrays: names, the embedding, the positions, each sublayer with its norms, and the readout."""
        import numpy as np

        embedding, readout, own_arrays = self.model.embedding, self.model.readout, self.arrays
        words = list(embedding.words or ())
        # Refuses a readout whose rule has no form in an archive.
        if readout.rule is not None:
            readout.choice()
        own_arrays |= {
            "format": np.array(FORMAT),
            "name": np.array(self.model.name),
            "dtype": np.array(self.dtype),
            "steps": np.array(len(self.model.sublayers)),
            "coordinates": np.array(list(self.space)),
            "vocabulary": np.array(words, dtype=str),
            "before": np.array(embedding.before or ""),
            "after": np.array(embedding.after or ""),
            "inputs": np.array(list(embedding.inputs or ()), dtype=str),
            "readout.kind": np.array(readout.kind),
            "readout.position": np.array(readout.position),
            "readout.reads": np.array(list(readout.reads)),
        }
        # The embedding, from one matrix or from the row of each token.
        if isinstance(embedding.words, TokenRows):
            at = self.at(embedding.words.names)
            self.matrix("embedding", embedding.words.matrix, range(len(words)), at, len(words))
        elif words:
            tables = embedding.tables.items()
            rows = ({name: table[token] for name, table in tables} for token in words)
            self.rows("embedding", rows, (len(words), len(self.space)))
        self.positions()
        for s, step in enumerate(self.model.sublayers, 1):
            key = f"step{s}."
            own_arrays[key + "layer"] = np.array(step.layer)
            for k, norm in enumerate(step.before, 1):
                self.norm(norm, f"{key}before{k}.")
            # What the sublayer reads: the outputs of its norms, side by side; without norms, the residual stream.
            view = [n for norm in step.before for n in (norm.writes if norm.projection is not None else self.space)]
            place = {name: k for k, name in enumerate(view)} if step.before else self.space
            for h, part in enumerate(step.parts, 1):
                if isinstance(part, Head):
                    self.head(part, place, f"{key}head{h}.")
                else:
                    self.network(part, place, key)
            if step.after is not None:
                self.norm(step.after, f"{key}after.")
        if readout.weights is not None:
            count = readout.weights.rows
            self.matrix("readout.weights", readout.weights, range(count), self.at(readout.reads), count)
            # A sign readout has one row of weights.
            if not readout.labels:
                self.arrays["readout.weights"] = self.arrays["readout.weights"][0]
        if readout.labels:
            own_arrays["readout.labels"] = np.array(list(readout.labels))
        return own_arrays

    def positions(self) -> None:
        """The table of positions; with a row for each length where some position function depends on n."""
        import numpy as np

        places = self.model.embedding.places
        if not places:
            return
        moves = any(_by_length(term) for term in places.values())
        shape = (self.n_max, self.n_max, len(self.space)) if moves else (self.n_max, len(self.space))
        table = np.zeros(shape, dtype=held_as(self.dtype))
        for name, term in places.items():
            k = self.space[name]
            if not moves:
                table[:, k] = self.numbers(self.places(term), "positions", lambda p, k=k: (p, k))
                continue
            for n, row in enumerate(position_table(term, self.model.embedding.start, self.n_max), 1):
                table[n - 1, :n, k] = self.numbers(row, "positions", lambda p, n=n, k=k: (n - 1, p, k))
        self.arrays["positions"] = table

    def places(self, term: Number) -> list[Any]:
        """A term without n at each position to the largest length."""
        return position_table(term, self.model.embedding.start, self.n_max)[-1]

    def network(self, block: FeedForward, view: Mapping[str, int], key: str) -> None:
        """The feed-forward sublayer of one layer."""
        import numpy as np

        self.arrays[key + "activation"] = np.array(block.activation)
        units, writes = range(block.hidden), self.at(block.writes)
        self.matrix(key + "W1", block.W1, units, self.at(block.reads, view), block.hidden, len(view))
        self.matrix(key + "b1", block.b1, units, None, block.hidden)
        self.matrix(key + "W2", block.W2, writes, units, len(self.space), block.hidden)
        self.matrix(key + "b2", block.b2, writes, None, len(self.space))

    def head(self, head: Head, view: Mapping[str, int], key: str) -> None:
        """One head: its matrices, its mask and weighting, and the factor on its scores."""
        import numpy as np

        reads = self.at(head.reads, view)
        for name in ("Q", "K"):
            keys = getattr(head, name).rows
            self.matrix(key + name, getattr(head, name), range(keys), reads, keys, len(view))
        self.matrix(key + "V", head.V, self.at(head.writes), reads, len(self.space), len(view))
        self.arrays |= {key + "mask": np.array(head.mask), key + "weighting": np.array(head.weighting)}
        factor = lowered(head.factor)
        # The factor: 1, by position, or by length and position.
        if factor == 1:
            return
        if not _by_length(factor):
            self.vector(key + "factor", self.places(factor))
            return
        table = np.ones((self.n_max, self.n_max), dtype=held_as(self.dtype))
        for n, row in enumerate(position_table(factor, self.model.embedding.start, self.n_max), 1):
            table[n - 1, :n] = self.numbers(row, key + "factor", lambda p, n=n: (n - 1, p))
        self.arrays[key + "factor"] = table

    def norm(self, norm: LayerNorm, key: str) -> None:
        """One norm: its projection if it has one, gain, bias, epsilon, and what stands for division by zero."""
        import numpy as np

        order, size = range(len(norm.writes)), len(norm.writes)
        if norm.projection is None:  # over the whole stream, in any order: written in that of the coordinates
            order = self.at(norm.reads)
        else:
            self.matrix(key + "P", norm.projection, order, self.at(norm.reads), size)
        for name in ("gain", "bias"):
            self.matrix(key + name, getattr(norm, name), order, None, size)
        self.vector(key + "epsilon", [lowered(norm.epsilon)])
        self.arrays[key + "epsilon"] = self.arrays[key + "epsilon"].reshape(())
        self.arrays[key + "zero_variance"] = np.array(norm.zero_variance)

    def at(self, names: Sequence[str], view: Mapping[str, int] | None = None) -> list[int]:
        """Where names stand among those of a view, or in the stream."""
        return [(self.space if view is None else view)[name] for name in names]

    def matrix(
        self,
        key: str,
        weights: sympy.MatrixBase,
        rows: Sequence[int],
        columns: Sequence[int] | None,
        height: int,
        width: int | None = None,
    ) -> None:
        """A matrix whose rows and columns stand at these places of the array `key`, as wide as the stream where no
        width is given; a vector where there are no columns."""
        import numpy as np

        from symcook.numbers.matrix import RationalMatrix

        # A vector is written as a matrix with one column.
        across = [0] if columns is None else list(columns)
        wide = 1 if columns is None else len(self.space) if width is None else width
        table = np.zeros((height, wide), dtype=held_as(self.dtype))

        def index(k: int) -> tuple[int, ...]:
            r, c = divmod(k, len(across))
            return (rows[r],) if columns is None else (rows[r], across[c])

        if rows and across:
            # A matrix of rational numbers has pairs of integers, or floats where it was made of floats.
            if isinstance(weights, RationalMatrix):
                entries = self.stored(
                    weights.ratios() if weights.floats is None else weights.floats.ravel(), key, index
                )
            else:
                entries = self.numbers([lowered(value) for value in weights], key, index)
            table[np.ix_(list(rows), across)] = entries.reshape(len(rows), len(across))
        self.arrays[key] = table[:, 0] if columns is None else table

    def rows(self, key: str, rows: Iterable[Mapping[str, Number]], shape: tuple[int, int]) -> None:
        """Rows of numbers by coordinate."""
        import numpy as np

        entries = [(r, self.space[n], value) for r, row in enumerate(rows) for n, value in row.items() if value != 0]
        table = np.zeros(shape, dtype=held_as(self.dtype))
        if entries:
            r, c, values = zip(*entries, strict=True)
            table[list(r), list(c)] = self.numbers(values, key, lambda k: (r[k], c[k]))
        self.arrays[key] = table

    def vector(self, key: str, values: Sequence[Number]) -> None:
        """A vector of the archive."""
        self.arrays[key] = self.numbers(values, key, lambda k: (k,))

    def numbers(self, values: Sequence[Number], key: str, index: Index) -> np.ndarray:
        """Lowered numbers rounded to the type; `index` names the place of one in the array `key`."""
        return self.stored([v if isinstance(v, tuple) else v.as_integer_ratio() for v in values], key, index)

    def stored(self, values: Sequence[Stored] | np.ndarray, key: str, index: Index) -> np.ndarray:
        """Numbers rounded to the type. They are given as trees, as pairs of numerator and denominator, or as an array
        of floats.

        What was not exact is noted in `roundings`. Raises BadInput where a number is beyond the type.
        """
        import numpy as np

        # First to float64, then to the type.
        if isinstance(values, np.ndarray):
            doubles = values
        else:
            try:
                doubles = np.array([value[0] / value[1] for value in values], dtype=np.float64)
            except (TypeError, OverflowError):  # a tree, or beyond float64
                doubles = np.array(list(map(self.nearest, values)), dtype=np.float64)
        result = cast(doubles, self.dtype)
        # Beyond the type.
        wrong = ~np.isfinite(result)
        if wrong.any():
            k = int(wrong.argmax())
            where = f"{key}[{', '.join(map(str, index(k)))}]"
            fitting = [d for d in DTYPES[:1] if d != self.dtype and np.isfinite(doubles[k])]
            do = f"use --dtype {fitting[0]}" if fitting else "choose other values of the symbols"
            raise BadInput(f"every weight must fit {self.dtype}", f"{where} = {text(_number(values[k]))}", do)
        # The places where the stored number is not the exact one.
        if isinstance(values, np.ndarray):
            off = np.flatnonzero(result != doubles).tolist()
        else:
            pairs = enumerate(zip(result.tolist(), values, strict=True))
            off = [k for k, (x, value) in pairs if x.as_integer_ratio() != value]
        # The certificate has how many there are, their largest relative error, and the first of them.
        if off:
            stored_values = result.tolist()
            entry = self.roundings.setdefault(key, {"rounded": 0, "greatest_relative_error": 0.0, "first": []})
            entry["rounded"] += len(off)
            greatest = entry["greatest_relative_error"]
            # By bound, the largest first: where the bound is below what was found, no exact error has to be computed
            # any more.
            for k, most in self.possible_errors(off, values, result):
                if most < greatest:
                    break
                greatest = max(greatest, _relative(values[k], stored_values[k]))
            entry["greatest_relative_error"] = greatest
            for k in off[: LISTED - len(entry["first"])]:
                exact = text(_number(values[k]))
                entry["first"].append({"index": list(index(k)), "exact": exact, "stored": stored_values[k].hex()})
        return result

    def possible_errors(
        self, off: Sequence[int], values: Sequence[Stored] | np.ndarray, result: np.ndarray
    ) -> Iterable[tuple[int, float]]:
        """The indices of rounded numbers, and how large the relative error of each may be, the largest first."""
        import numpy as np

        rounded_values = result[off]
        with np.errstate(all="ignore"):  # the number is within half a step, and as near to float64 before
            step = np.spacing(np.abs(rounded_values)).astype(np.float64) * (2.0**16 if self.dtype == "bfloat16" else 1)
            share = step / np.abs(rounded_values.astype(np.float64))
            most = share / (2 - share) * (1 + 2.0**-20)
        rational = np.array([type(values[k]) is not tuple or type(values[k][0]) is int for k in off])
        most = np.where(np.isfinite(most) & rational, most, np.inf)
        order = np.argsort(-most)
        return zip(np.array(off)[order].tolist(), most[order].tolist(), strict=True)

    def nearest(self, value: Stored) -> float:
        """The float64 nearest to a number; the same tree is looked at once."""
        from symcook.numbers.evaluate import float_of

        if type(value[0]) is int:
            return float_of(_number(value))
        if value not in self.known:
            self.known[value] = float_of(value)
        return self.known[value]


def cast(values: npt.ArrayLike, dtype: str) -> np.ndarray[Any, Any]:
    """Numbers in float64 rounded to a type, to the nearest and to even where two are as near; inf beyond its range.

    >>> cast([1.00390625, 1.01171875, 3.4e38, 1e39], "bfloat16").tolist()[:2]
    [1.0, 1.015625]
    """
    import numpy as np

    doubles = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore"):
        if dtype != "bfloat16":
            return doubles.astype(dtype)
        mantissa, exponent = np.frexp(doubles)
        bits = np.minimum(exponent + 133, 8)  # less than 8 where the result is subnormal
        rounded_values = np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits)
        rounded_values = np.where(np.isfinite(doubles), rounded_values, doubles)
        return rounded_values.astype(np.float32)  # 2^128 becomes inf


def _relative(value: Stored | float, stored: float) -> float:
    """|stored - value|/|value| rounded up a little; of a number that is no rational, a bound."""
    from fractions import Fraction

    value = value if isinstance(value, tuple) else float(value).as_integer_ratio()
    if type(value[0]) is not int:
        from flint import arb, fmpq

        from symcook.numbers.evaluate import evaluate

        exact = arb(evaluate(value))
        stored_exactly = Fraction(stored)
        relative = abs((arb(fmpq(stored_exactly.numerator, stored_exactly.denominator)) - exact) / exact)
        return float(relative.abs_upper()) * (1 + 2.0**-50)
    p, q = value
    above, by = stored.as_integer_ratio()
    return abs(above * q - p * by) / (abs(p) * by) * (1 + 2.0**-50)


def _number(value: Stored | float) -> Any:
    """A numerator and denominator, a float, or a tree, as a lowered number."""
    from fractions import Fraction

    if isinstance(value, tuple):
        return Fraction(*value) if type(value[0]) is int else value
    return Fraction(float(value))


def text(value: Number | int) -> str:
    """A lowered number as text."""
    return show(value) if isinstance(value, tuple) else quotient(value)


def _by_length(term: Number) -> bool:
    return isinstance(term, tuple) and "n" in names(term)


def position_table(expression: Number | sympy.Expr, start: int, n_max: int) -> list[list[Any]]:
    """The exact values of an expression in i and n: for each length n from 1 to `n_max`, one a position."""
    from symcook.domains.exact import value_at

    lengths, term = range(1, n_max + 1), lowered(expression) if hasattr(expression, "free_symbols") else expression
    if not isinstance(term, tuple):
        return [[term] * length for length in lengths]
    if "n" not in names(term):
        values = [value_at(term, start + place, n_max) for place in range(n_max)]
        return [values[:length] for length in lengths]
    return [[value_at(term, start + place, length) for place in range(length)] for length in lengths]


def facts(m: Archive) -> dict[str, str]:
    """What of an archive is no float, as JSON text by name."""
    import json

    return {key: json.dumps(array.tolist(), ensure_ascii=False) for key, array in m.items() if array.dtype.kind != "f"}


def from_facts(texts: Mapping[str, str]) -> Archive:
    """The arrays that `facts` has made text of."""
    import numpy as np

    read_arrays: Archive = {}
    for key, value in texts.items():
        entry = parsed(value, "the facts of an export must be JSON", key)
        numbers = isinstance(entry, list) and entry and all(type(entry_part) is int for entry_part in entry)
        read_arrays[key] = (
            np.array(entry, dtype=str) if isinstance(entry, (list, str)) and not numbers else np.array(entry)
        )
    return read_arrays


def module(name: str) -> Any:
    """A module of an optional package, which is there."""
    from importlib import import_module

    return import_module(name)


def embed(m: Archive, tokens: np.ndarray) -> Any:
    """The residual stream of a batch of token numbers (B, n), before position values are added: (B, n, d)."""
    return m["embedding"][tokens]


def place(m: Archive, rows: np.ndarray) -> Any:
    """The residual stream of a batch of input rows (B, n, inputs), in the order of the archive's names: (B, n, d)."""
    import numpy as np

    names = list(m["coordinates"])
    z = np.zeros((*rows.shape[:2], len(names)), dtype=held_as(str(m["dtype"])))
    z[:, :, [names.index(name) for name in m["inputs"]]] = rows
    return z


def evaluate(m: Archive, z: np.ndarray, *, refuse: bool = True) -> Any:
    """The residual stream at the end, for a batch z (B, n, d) of embedded inputs.

    Raises NoRun, as a run of the model does, where one of them has no run: a norm that refuses meets zero variance, or
    a temperature is not positive at this length. Without `refuse` what such a norm gives is not a number, and the other
    inputs have theirs. Raises BadInput for inputs longer than the tables, and for a mask, weighting or activation that
    is no name of `symcook.model.parts`.
    """
    longest = reach(m)
    if longest is not None and z.shape[1] > longest:
        must = f"an input must have length at most {longest}: the archive has tables to there"
        raise BadInput(must, z.shape[1])
    return _asked("evaluate", m, z, _refused if refuse else lambda *_: None)


def _refused(must: str, given: str, do: str = "") -> None:
    raise NoRun(must, given, do)


def shown(m: Archive, z: np.ndarray) -> Any:
    """What a readout shows at each position (B, n, k), as `run_npz.shown` has it."""
    return _asked("shown", m, z)


def verdicts(m: Archive, z: np.ndarray) -> Any:
    """The answers of a sign, zero or largest readout (B), or (B, n) where it answers at each position."""
    return _asked("verdicts", m, z)


def _asked(what: str, *given: object) -> Any:
    from symcook.export import run_npz

    try:
        return getattr(run_npz, what)(*given)
    except run_npz.Unknown as error:
        raise BadInput("the names in an archive must be known", str(error)) from None
