"""A model as named arrays of floats and words, which every format stores in its own way.

The functions below evaluate the arrays in numpy, for many inputs at once, with the operations of the script that is
shipped with an archive (`symcook.export.run_npz`).

Arrays of the archive, with d coordinates, V tokens, N the largest length of the tables, s, h, k = 1, 2, ...:

    format, name, dtype, steps           three texts and the number of steps
    coordinates (d), vocabulary (V), inputs     names; either vocabulary or inputs is empty
    before, after                        the token that the model puts around every input, or the empty text
    embedding (V, d)                     the row of each token
    positions (N, d)                     at [p] what is added at index p; (N, N, d), at [n - 1, p], where it depends on
                                         the length n of the input; absent if zero
    step{s}.layer                        the number of the layer of this step, which adds heads or a network to the
                                         stream z, or (the final norm) neither
    step{s}.head{h}.mask, .weighting     names of `symcook.model.parts`
    step{s}.head{h}.Q, .K (key, r), .V (d, r)   scores (Q x_i) . (K x_j) * factor[i]; x is z or, with norms before the
                                         step, their outputs side by side, of length r
    step{s}.head{h}.factor (N)           scale over temperature, or (N, N), at [n - 1, i]; absent where it is 1
    step{s}.head{h}.q_bias, .k_bias (key), .v_bias (d), .slope    of a head of the kind biased: what is added to
                                         Q x_i, K x_j and V x_j, and the number that the index j is multiplied by and
                                         that is then added to the product, before the factor
    step{s}.head{h}.cos, .sin (N, key/2), .q_gain, .k_gain (key), .qk_epsilon    of a head of the kind rotary, with
                                         the biases above: at [p] cosines and sines of the angles at index p; gains and
                                         epsilon of norms of queries and keys; each absent where there is none
    step{s}.W1 (u, r), .b1, .W2 (d, u), .b2, .activation      z + W2 act(W1 x + b1) + b2
    step{s}.before{k}, step{s}.after     norms before a step, and the norm that replaces z after it, each with
        .P (m, d)                        the projection; absent where the norm is over the stream
        .gain, .bias (m), .epsilon       gain (x - mean)/sqrt(variance + epsilon) + bias
        .zero_variance                   the outcome of a division by zero: zero, or refuse
    {part}.kind, {part}.steps            of a part of another kind: its name, what it computes as JSON
                                         (`symcook.model.steps`), and each of its fields under its own name
    readout.kind, .position, .reads      names; readout.weights (d) for a sign readout, (labels, d) for a largest or a
                                         distribution readout, with readout.labels
    decoding.*                           of a decoder only: see `symcook.export.decoding.stored`

Lengths count the tokens that the model adds. Numbers of type bfloat16, which numpy does not have, are float32 here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from symcook.domains import DTYPES
from symcook.domains.partsteps import turns
from symcook.errors import BadInput, NoRun, chosen
from symcook.files import parsed
from symcook.model.ends import TokenRows
from symcook.model.entries import all_rational, held
from symcook.model.expr import Tree, names, show
from symcook.model.parts import AnyHead, AnyNorm, BiasedHead, FeedForward, GatedUnits, Head, Part, RMSNorm, RotaryHead
from symcook.model.rationals import quotient
from symcook.model.reads import BIASED_HEADS, NORMS_AND_GATES, ROTARY_HEADS, PartsRead
from symcook.model.steps import ByDistance, PartStep, Products, steps_of
from symcook.model.symbols import Number, lowered
from symcook.model.transformer import Transformer

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import sympy

READS = PartsRead("the archive", **NORMS_AND_GATES, **BIASED_HEADS, **ROTARY_HEADS)

FORMAT = "symcook archive 4"
"""The name and version of the format."""
Archive: TypeAlias = "dict[str, np.ndarray]"
Stored = tuple[int, int] | Tree
"""An exact number before it is rounded: (numerator, denominator), or a tree where it is not rational."""
Index = Callable[[int], tuple[int, ...]]
"""The place in an array of the k-th of the numbers that are written to it, for messages and certificates."""
LISTED = 50
"""The greatest number of rounded numbers of one array that a certificate lists; further ones are only counted."""
T = TypeVar("T")


def arrays(model: Transformer, dtype: str, n_max: int, roundings: dict[str, dict[str, Any]] | None = None) -> Archive:
    """The archive of a model whose symbols all have values, with position tables to length `n_max`.

    `roundings` is filled: for each array with numbers that are not stored exactly, how many there are, the largest
    relative error, and the first of these numbers. Raises BadInput, with the weight, where a number does not fit
    `dtype`, and for a readout by a rule that an archive cannot express.
    """
    return _ArchiveWriter(model, dtype, n_max, {} if roundings is None else roundings).archive()


def listed(step: PartStep | Products | ByDistance) -> list[Any]:
    """A step as JSON has it: the name of its class, and its fields in order."""
    values = (getattr(step, field.name) for field in fields(step))
    return [type(step).__name__, *(v if v is None or isinstance(v, str) else listed(v) for v in values)]


def numbered(m: Archive, stem: str, last: str) -> list[str]:
    """The prefixes stem1., stem2., ... of the keys of an archive, up to the first without a key `last`."""
    prefixes: list[str] = []
    while f"{stem}{len(prefixes) + 1}.{last}" in m:
        prefixes.append(f"{stem}{len(prefixes) + 1}.")
    return prefixes


def has_network(m: Archive, step: str) -> bool:
    """Whether a step of an archive has a feed-forward sublayer."""
    return step + "W1" in m or step + "kind" in m


class ArraysRead(dict[str, Any]):
    """The arrays of an archive, as one engine reads them. It records in `read` which of them were used."""

    def __init__(self, m: Archive, engine: str) -> None:
        super().__init__(m)
        self.engine, self.read = engine, set[str]()

    def __getitem__(self, key: str) -> Any:
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: Any = None) -> Any:
        """The array, or `default` where there is none."""
        self.read.add(key)
        return super().get(key, default)

    def word(self, key: str, known: Mapping[str, T]) -> T:
        """What the engine does with the word in an array: its entry in `known`; BadInput where it has none."""
        return chosen(self.engine, key.rpartition(".")[2].replace("_", " "), str(self[key]), known)

    def steps(self, key: str, place: str) -> PartStep:
        """What the part at a place computes whose arrays have the prefix `key`; `array` has their names. BadInput where
        the archive says other steps than those of its kind."""
        steps = steps_of(_PartArrays(self, key), place)
        if key + "steps" in self and json.loads(str(self[key + "steps"])) != listed(steps):
            raise BadInput(
                "the computing steps of a sublayer in an archive must be those that its kind has",
                key + "steps",
                "export the model again",
            )
        return steps

    def array(self, key: str, name: str) -> str:
        """The name of the array with the field `name` of a part whose arrays have the prefix `key`; of angles, that of
        their cosines."""
        other = key + {"projection": "P", "angles": "cos"}.get(name, name)
        return other if other in self else key + name

    def left(self) -> str | None:
        """The key of an array of a step that was never used; None if there is none. The number of the layer does not
        count, since the final norm does not use it."""
        unread = (k for k in self if k not in self.read and not k.endswith(".layer"))
        return next((k for k in unread if k.startswith("step") and k != "steps"), None)

    def all_read(self) -> None:
        """BadInput where an array of a step was never used: the engine would leave out what it stands for."""
        if (unread := self.left()) is not None:
            raise BadInput(
                f"an archive must have only arrays that {self.engine} reads", unread, "export the model again"
            )


class _PartArrays(dict[str, Any]):
    """The fields of a part of an archive by name: words as text, None where there is no array."""

    def __init__(self, m: ArraysRead, key: str) -> None:
        super().__init__()  # nothing is copied: each field is read where it is asked for
        self.m, self.key = m, key

    def __getitem__(self, name: str) -> Any:
        array = self.m.get(self.m.array(self.key, name))
        return array if array is None or array.dtype.kind == "f" else str(array)

    def get(self, name: str, default: Any = None) -> Any:
        """The field, or `default` where there is no array."""
        return default if (found := self[name]) is None else found


ZEROS = 2**20
"""The greatest number of entries of a table of zeros, which has a row for each position to the maximum length of its
model; a larger one ends at the length of the export."""


def reach(m: Mapping[str, np.ndarray]) -> int | None:
    """The largest length that all tables of an archive cover; None where it has no tables, so that every length is
    possible."""
    return min((len(m[key]) for key in m if key == "positions" or key.endswith((".factor", ".cos"))), default=None)


def held_as(dtype: str) -> str:
    """The numpy type in which numbers of `dtype` are stored."""
    return "float32" if dtype == "bfloat16" else dtype


class _ArchiveWriter:
    """Writes the arrays of one archive into `arrays`, and notes in `roundings` which numbers were rounded."""

    def __init__(self, model: Transformer, dtype: str, n_max: int, roundings: dict[str, Any]) -> None:
        self.model, self.dtype, self.n_max, self.roundings = model, dtype, n_max, roundings
        self.space = {name: k for k, name in enumerate(model.space)}
        self.arrays: Archive = {}
        self.known: dict[Any, float] = {}
        """{tree: nearest float64}, kept because it is slow to compute."""

    def archive(self) -> Archive:
        """All arrays: names, the embedding, the positions, each sublayer with its norms, and the readout."""
        import numpy as np

        embedding, readout, own_arrays = self.model.embedding, self.model.readout, self.arrays
        words = list(embedding.words or ())
        # BadInput for a readout whose rule an archive cannot express.
        if readout.rule is not None:
            readout.choice()
        own_arrays |= {
            "format": np.array(FORMAT),
            "name": np.array(self.model.name),
            "dtype": np.array(self.dtype),
            "steps": np.array(len(READS.of(self.model).sublayers)),
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
        for s, step in enumerate(READS.of(self.model).sublayers, 1):
            key = f"step{s}."
            own_arrays[key + "layer"] = np.array(step.layer)
            for k, norm in enumerate(step.before, 1):
                self.norm(norm, f"{key}before{k}.")
            # What the sublayer reads: the outputs of its norms, side by side; without norms, the residual stream.
            whole = [held(norm, "projection") is None for norm in step.before]
            view = [
                n
                for norm, every in zip(step.before, whole, strict=True)
                for n in (self.space if every else norm.writes)
            ]
            place = {name: k for k, name in enumerate(view)} if step.before else self.space
            for h, part in enumerate(step.parts, 1):
                match part:
                    case Head() | BiasedHead() | RotaryHead():
                        self.head(part, place, f"{key}head{h}.")
                    case FeedForward():
                        self.network(part, place, key)
                    case GatedUnits():
                        self.by_fields(part, key, writes=(self.at(part.writes), len(self.space)),
                                       reads=(self.at(part.reads, place), len(place)))  # fmt: skip
                    case _:
                        READS.refuse(type(part))
            if step.after is not None:
                self.norm(step.after, f"{key}after.")
        weights = held(readout, "weights")
        if weights is not None:
            count = weights.shape[0]
            self.matrix("readout.weights", weights, range(count), self.at(readout.reads), count)
            # A sign readout has one row of weights.
            if not readout.labels:
                self.arrays["readout.weights"] = self.arrays["readout.weights"][0]
        if readout.labels:
            own_arrays["readout.labels"] = np.array(list(readout.labels))
        # A model with a maximum length has none of its runs beyond it: a table of zeros says so where no other does.
        longest = self.model.max_length
        if longest is not None and reach(own_arrays) is None:
            rows = longest if longest * len(self.space) <= ZEROS else self.n_max
            own_arrays["positions"] = np.zeros((rows, len(self.space)), dtype=held_as(self.dtype))
        return own_arrays

    def positions(self) -> None:
        """The table of positions; a table for each length where some position function depends on n."""
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
        self.matrix(key + "W1", held(block, "W1"), units, self.at(block.reads, view), block.hidden, len(view))
        self.matrix(key + "b1", held(block, "b1"), units, None, block.hidden)
        self.matrix(key + "W2", held(block, "W2"), writes, units, len(self.space), block.hidden)
        self.matrix(key + "b2", held(block, "b2"), writes, None, len(self.space))

    def head(self, head: AnyHead, view: Mapping[str, int], key: str) -> None:
        """One head: its matrices, its mask and weighting, and the factor on its scores; of one with biases these too,
        and its kind and steps."""
        import numpy as np

        if isinstance(head, (BiasedHead, RotaryHead)):
            self.arrays |= {key + "kind": np.array(head.KIND), key + "steps": np.array(json.dumps(listed(head.steps)))}
            for name in ("q_bias", "k_bias"):
                keys = held(head, name).shape[0]
                self.matrix(key + name, held(head, name), range(keys), None, keys)
            self.matrix(key + "v_bias", held(head, "v_bias"), self.at(head.writes), None, len(self.space))
        if isinstance(head, BiasedHead):
            self.scalar(key + "slope", head.lowered["per_position"])
        if isinstance(head, RotaryHead):
            self.rotary(head, key)

        reads = self.at(head.reads, view)
        for name in ("Q", "K"):
            keys = held(head, name).shape[0]
            self.matrix(key + name, held(head, name), range(keys), reads, keys, len(view))
        self.matrix(key + "V", held(head, "V"), self.at(head.writes), reads, len(self.space), len(view))
        self.arrays |= {key + "mask": np.array(head.mask), key + "weighting": np.array(head.weighting)}
        factor = head.lowered["factor"]
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

    def rotary(self, head: RotaryHead, key: str) -> None:
        """The tables of a rotary head, and the numbers of its norms."""
        import numpy as np

        if held(head, "angles") is not None:
            terms = turns(head.lowered["angles"])
            for name, of in (("cos", 0), ("sin", 1)):
                table = np.zeros((self.n_max, len(terms)), dtype=held_as(self.dtype))
                for k, pair in enumerate(terms):
                    table[:, k] = self.numbers(self.places(pair[of]), key + name, lambda p, k=k: (p, k))
                self.arrays[key + name] = table
        if held(head, "q_gain") is not None:
            for name in ("q_gain", "k_gain"):
                keys = held(head, name).shape[0]
                self.matrix(key + name, held(head, name), range(keys), None, keys)
            self.scalar(key + "qk_epsilon", head.lowered["qk_epsilon"])

    def scalar(self, key: str, value: Number) -> None:
        """Write a number as the array `key`."""
        self.vector(key, [value])
        self.arrays[key] = self.arrays[key].reshape(())

    def norm(self, norm: AnyNorm, key: str) -> None:
        """One norm: its projection, if any, gain, bias, epsilon, and the outcome of a division by zero."""
        import numpy as np

        order, size = range(len(norm.writes)), len(norm.writes)
        # A norm without a projection reads the whole stream, in any order; its arrays are in the stream's order.
        if held(norm, "projection") is None:
            order = self.at(norm.reads)
        if isinstance(norm, RMSNorm):
            reads = (self.at(norm.reads), len(self.space))
            return self.by_fields(norm, key, writes=(order, size), reads=reads)
        if held(norm, "projection") is not None:
            self.matrix(key + "P", held(norm, "projection"), order, self.at(norm.reads), size)
        for name in ("gain", "bias"):
            self.matrix(key + name, held(norm, name), order, None, size)
        self.vector(key + "epsilon", [norm.lowered["epsilon"]])
        self.arrays[key + "epsilon"] = self.arrays[key + "epsilon"].reshape(())
        self.arrays[key + "zero_variance"] = np.array(norm.zero_variance)

    def by_fields(self, part: Part, key: str, **axes: tuple[Sequence[int], int]) -> None:
        """A part of a kind that its place is not named after: its kind, its steps, and each of its fields. For the
        sizes of its matrices that are coordinates, `axes` has where these are in an array and how long that is."""
        import numpy as np

        self.arrays |= {key + "kind": np.array(part.KIND), key + "steps": np.array(json.dumps(listed(part.steps)))}
        axes = {name: (range(size), size) for name, size in part.sizes().items()} | axes
        for name, kind in part.FIELDS.items():
            value = held(part, name)
            if kind == "word":
                self.arrays[key + name] = np.array(value)
            elif kind == "number":
                self.vector(key + name, [part.lowered[name]])
                self.arrays[key + name] = self.arrays[key + name].reshape(())
            elif value is not None:
                (rows, height), (columns, width) = axes[kind[0]], axes[kind[1]]
                one = kind[1] == "one"
                self.matrix(key + name, value, rows, None if one else columns, height, None if one else width)

    def at(self, names: Sequence[str], view: Mapping[str, int] | None = None) -> list[int]:
        """The indices of names in a view, or in the stream where there is no view."""
        return [(self.space if view is None else view)[name] for name in names]

    def matrix(
        self,
        key: str,
        weights: Any,
        rows: Sequence[int],
        columns: Sequence[int] | None,
        height: int,
        width: int | None = None,
    ) -> None:
        """Write a matrix to the array `key` of size `height` x `width`, at the indices `rows` and `columns`.

        Without `width` the array is as wide as the stream; without `columns` it is a vector.
        """
        import numpy as np

        # A vector is written as a matrix with one column.
        across = [0] if columns is None else list(columns)
        wide = 1 if columns is None else len(self.space) if width is None else width
        table = np.zeros((height, wide), dtype=held_as(self.dtype))

        def index(k: int) -> tuple[int, ...]:
            """The place in the array of entry `k` of the matrix, counted row by row."""
            r, c = divmod(k, len(across))
            return (rows[r],) if columns is None else (rows[r], across[c])

        if rows and across:
            # A matrix of rational numbers has pairs of integers, or floats where it was made of floats.
            if all_rational(weights):
                floats = getattr(weights, "floats", None)
                entries = self.stored(weights.ratios() if floats is None else floats.ravel(), key, index)
            else:
                entries = self.numbers([lowered(value) for value in weights], key, index)
            table[np.ix_(list(rows), across)] = entries.reshape(len(rows), len(across))
        self.arrays[key] = table[:, 0] if columns is None else table

    def rows(self, key: str, rows: Iterable[Mapping[str, Number]], shape: tuple[int, int]) -> None:
        """Write rows {coordinate: number} as the array `key`."""
        import numpy as np

        entries = [(r, self.space[n], value) for r, row in enumerate(rows) for n, value in row.items() if value != 0]
        table = np.zeros(shape, dtype=held_as(self.dtype))
        if entries:
            r, c, values = zip(*entries, strict=True)
            table[list(r), list(c)] = self.numbers(values, key, lambda k: (r[k], c[k]))
        self.arrays[key] = table

    def vector(self, key: str, values: Sequence[Number]) -> None:
        """Write a vector as the array `key`."""
        self.arrays[key] = self.numbers(values, key, lambda k: (k,))

    def numbers(self, values: Sequence[Number], key: str, index: Index) -> np.ndarray:
        """Lowered numbers rounded to the type. `index` gives the place of each in the array `key`."""
        return self.stored([v if isinstance(v, tuple) else v.as_integer_ratio() for v in values], key, index)

    def stored(self, values: Sequence[Stored] | np.ndarray, key: str, index: Index) -> np.ndarray:
        """Numbers rounded to the type. They are given as trees, as pairs of numerator and denominator, or as an array
        of floats.

        Numbers that are not stored exactly are noted in `roundings`. BadInput where a number is beyond the range of
        the type.
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
        # A number beyond the range of the type.
        wrong = ~np.isfinite(result)
        if wrong.any():
            k = int(wrong.argmax())
            where = f"{key}[{', '.join(map(str, index(k)))}]"
            fitting = [d for d in DTYPES[:1] if d != self.dtype and np.isfinite(doubles[k])]
            do = f"use --dtype {fitting[0]}" if fitting else "choose other values of the symbols"
            raise BadInput(f"every weight must fit {self.dtype}", f"{where} = {text(_number(values[k]))}", do)
        # The indices of the numbers that are not stored exactly.
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
            # Numbers with larger bounds on their errors come first. Once a bound is below the greatest error so far, no
            # further exact error has to be computed.
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
        """The indices `off` of rounded numbers, each with a bound on its relative error, in decreasing order of
        bounds."""
        import numpy as np

        rounded_values = result[off]
        # The exact number is within half a step of the stored one. The factor covers the earlier rounding to float64.
        with np.errstate(all="ignore"):
            step = np.spacing(np.abs(rounded_values)).astype(np.float64) * (2.0**16 if self.dtype == "bfloat16" else 1)
            share = step / np.abs(rounded_values.astype(np.float64))
            most = share / (2 - share) * (1 + 2.0**-20)
        # No bound for numbers that are not rational, or whose stored value is 0: they are computed exactly.
        rational = np.array([type(values[k]) is not tuple or type(values[k][0]) is int for k in off])
        most = np.where(np.isfinite(most) & rational, most, np.inf)
        order = np.argsort(-most)
        return zip(np.array(off)[order].tolist(), most[order].tolist(), strict=True)

    def nearest(self, value: Stored) -> float:
        """The float64 nearest to a number; equal trees are evaluated once."""
        from symcook.numbers.evaluate import float_of

        if type(value[0]) is int:
            return float_of(_number(value))
        if value not in self.known:
            self.known[value] = float_of(value)
        return self.known[value]


def cast(values: npt.ArrayLike, dtype: str) -> np.ndarray[Any, Any]:
    """Numbers in float64 rounded to a type: to the nearest number, to even in a tie; inf beyond the range of the type.

    >>> cast([1.00390625, 1.01171875, 3.4e38, 1e39], "bfloat16").tolist()[:2]
    [1.0, 1.015625]
    """
    import numpy as np

    doubles = np.asarray(values, dtype=np.float64)
    with np.errstate(over="ignore"):
        if dtype != "bfloat16":
            return doubles.astype(dtype)
        mantissa, exponent = np.frexp(doubles)
        # Bits of the mantissa of bfloat16: fewer than 8 where the result is subnormal.
        bits = np.minimum(exponent + 133, 8)
        rounded_values = np.ldexp(np.rint(np.ldexp(mantissa, bits)), exponent - bits)
        rounded_values = np.where(np.isfinite(doubles), rounded_values, doubles)
        return rounded_values.astype(np.float32)  # 2^128 becomes inf


def _relative(value: Stored | float, stored: float) -> float:
    """|stored - value|/|value|, rounded up a little; for a number that is not rational, an upper bound."""
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
    stored_p, stored_q = stored.as_integer_ratio()
    return abs(stored_p * q - p * stored_q) / (abs(p) * stored_q) * (1 + 2.0**-50)


def _number(value: Stored | float) -> Any:
    """A `Stored` number or a float in the lowered form: a Fraction or a tree."""
    from fractions import Fraction

    if isinstance(value, tuple):
        return Fraction(*value) if type(value[0]) is int else value
    return Fraction(float(value))


def text(value: Number | int) -> str:
    """A lowered number as text."""
    return show(value) if isinstance(value, tuple) else quotient(value)


def _by_length(term: Number) -> bool:
    """Whether a number depends on the length n."""
    return isinstance(term, tuple) and "n" in names(term)


def position_table(expression: Number | sympy.Expr, start: int, n_max: int) -> list[list[Any]]:
    """The exact values of an expression in i and n: for each length n from 1 to `n_max`, a value for each
    position."""
    from symcook.domains.exact import value_at

    lengths, term = range(1, n_max + 1), lowered(expression) if hasattr(expression, "free_symbols") else expression
    if not isinstance(term, tuple):
        return [[term] * length for length in lengths]
    if "n" not in names(term):
        values = [value_at(term, start + place, n_max) for place in range(n_max)]
        return [values[:length] for length in lengths]
    return [[value_at(term, start + place, length) for place in range(length)] for length in lengths]


def facts(m: Archive) -> dict[str, str]:
    """The arrays of an archive that are not floats, {name: JSON text}."""
    import json

    return {key: json.dumps(array.tolist(), ensure_ascii=False) for key, array in m.items() if array.dtype.kind != "f"}


def from_facts(texts: Mapping[str, str]) -> Archive:
    """The arrays from the texts that `facts` makes."""
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
    """A module of an optional package, which must be installed."""
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
    a temperature is not positive at this length. Without `refuse`, the output of such a norm is not a number (NaN), a
    factor is used as it is, and the other inputs are evaluated. Raises BadInput for inputs longer than the tables, and
    for a mask, weighting or activation that is no name of `symcook.model.parts`.
    """
    longest = reach(m)
    if longest is not None and z.shape[1] > longest:
        must = f"an input must have length at most {longest}: the archive has tables to there"
        raise BadInput(must, z.shape[1], "give a shorter input, or export with a larger --max-length")
    return _call_script("evaluate", m, z, _refused if refuse else lambda *_: None)


def _refused(must: str, given: str, do: str = "") -> None:
    """Raise NoRun; the script calls this where an input has no run."""
    raise NoRun(must, given, do)


def shown(m: Archive, z: np.ndarray) -> Any:
    """What a readout shows at each position (B, n, k), as `run_npz.shown` has it."""
    return _call_script("shown", m, z)


def verdicts(m: Archive, z: np.ndarray) -> Any:
    """The answers of a sign, zero or largest readout (B), or (B, n) where it answers at each position: truths, or the
    indices of labels."""
    return _call_script("verdicts", m, z)


def _call_script(function: str, *given: object) -> Any:
    """The result of the function of this name in the shipped script; BadInput for an unknown name in the archive."""
    from symcook.export import run_npz

    try:
        return getattr(run_npz, function)(*given)
    except run_npz.Unknown as error:
        raise BadInput("the names in an archive must be known", str(error), "export the model again") from None
