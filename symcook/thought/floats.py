"""Decoding in numpy with a cache of keys and values, one column for each token, as a runtime does it.

Every operation rounds in the chosen format, and numpy chooses the order of sums. So this is fast, but the tokens are
wrong from some token on, for long runs (`MachineRun.wrong` in `symcook.thought.running`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from symcook.errors import BadInput, NoRun, require_known
from symcook.model.parts import FeedForward, Head, LayerNorm, Sublayer
from symcook.model.reads import PartsRead
from symcook.model.symbols import Number
from symcook.model.transformer import Transformer
from symcook.programs.running import speech_of

if TYPE_CHECKING:
    import numpy as np

READS = PartsRead("the decoder with a cache")

Key = TypeVar("Key")
FORMATS = ("float16", "float32", "float64")
"""The formats of floats for `FloatDecoder`."""


class _Norms(NamedTuple):
    """The layer norms before a sublayer as one operation. The entries of all norms are in one vector."""

    projection: np.ndarray
    """The matrix from the residual stream to the entries."""
    parts: np.ndarray
    """The matrix with a row for each norm, which is 1 at the entries of this norm, else 0."""
    sizes: np.ndarray
    """By norm: the number of its entries."""
    place: np.ndarray
    """By entry: the index of its norm."""
    gain: np.ndarray
    """By entry."""
    bias: np.ndarray
    """By entry."""
    epsilon: np.ndarray
    """By norm."""
    refuses: np.ndarray
    """By norm: whether a variance of zero is an error."""


class _Units(NamedTuple):
    """A feed-forward layer, and the indices of the coordinates that it writes."""

    W1: np.ndarray
    b1: np.ndarray
    W2: np.ndarray
    b2: np.ndarray
    writes: list[int]


class _CachedHead:
    """A head with a cache: the keys and values of the columns so far or, for a plain average, the sum of the values."""

    def __init__(self, head: Head, view: Mapping[str, int], writes: Sequence[int], dtype: type[np.floating]) -> None:
        import numpy as np

        self.head, self.writes = head, np.array(writes)
        self.Q, self.K, self.V = (_matrix(head.lowered[name], view, dtype) for name in "QKV")
        self.here, self.count = head.sees.here, 0
        self.keys, self.values = (np.zeros((64, m.shape[0]), dtype) for m in (self.K, self.V))
        self.total = np.zeros(len(writes), dtype)

    def added(self, view: np.ndarray) -> np.ndarray:
        """Add the next column to the cache; returns what the head writes there. `view` is the residual stream of this
        column, after the norms."""
        import numpy as np

        value, self.count = self.V @ view, self.count + 1
        # The number of columns that the head sees: with or without this one.
        sees = self.count - (not self.here)
        # A plain average is a running sum, which needs neither keys nor values.
        if self.head.averages:
            before, self.total = self.total, self.total + value
            return (self.total if self.here else before) / view.dtype.type(max(sees, 1))
        # The cache doubles when it is full.
        if self.count > len(self.keys):
            self.keys, self.values = (np.concatenate([old, np.zeros_like(old)]) for old in (self.keys, self.values))
        self.keys[self.count - 1], self.values[self.count - 1] = self.K @ view, value
        if not sees:
            return np.zeros_like(value)
        # Hard attention takes the last maximum (rightmost), the average over all maxima, or the first maximum
        # (leftmost, or if there is only one).
        scores = self.keys[:sees] @ (self.Q @ view)
        first = int(scores.argmax())
        if self.head.weighting == "rightmost":
            return self.values[sees - 1 - int(scores[::-1].argmax())]
        if self.head.weighting == "average":
            best = scores == scores[first]
            tie_count = int(np.count_nonzero(best))
            if tie_count > 1:
                return self.values[:sees][best].sum(axis=0) / view.dtype.type(tie_count)
        return self.values[first]


class FloatDecoder:
    """A causal model with hard attention, run in floats column by column. `push` takes a token and returns the label
    after it. A decoder serves one string, since it keeps all earlier columns.

    Raises BadInput for a model that cannot be run from left to right (`Transformer.unfollowed`), has no tokens or no
    labels, adds a token after the input, answers at the first position alone, or has softmax, an activation other than
    relu, position functions, a norm after a sublayer, or irrational numbers.
    """

    def __init__(self, model: Transformer, format: str = "float64") -> None:
        require_known("format", format, FORMATS)
        import numpy as np

        from symcook.decode import require_answer_after_prefix

        require_answer_after_prefix(model)
        self.model, self.dtype, self.length = model, np.dtype(format).type, 0
        why = model.unfollowed() or _unsupported(model)
        if why is not None:
            raise BadInput(
                "decoding in floats with a cache supports only causal models with hard attention and relu",
                why,
                "run the model in exact arithmetic: --domain exact",
            )
        self.place = {name: k for k, name in enumerate(model.space)}
        names = list(model.space)
        rows = model.embedding.words or {}
        self.embedded = {token: self._vector([row.get(name, 0) for name in names]) for token, row in rows.items()}
        self.blocks = [self._block(step) for step in READS.of(model).sublayers]
        self.readout = _matrix(model.readout.choice("largest")[1], self.place, self.dtype)

    def _vector(self, values: Sequence[int | Fraction]) -> np.ndarray:
        """The numbers as a vector of floats."""
        import numpy as np

        return np.array([float(value) for value in values], self.dtype)

    def _block(self, step: Sublayer) -> tuple[_Norms | None, list[_CachedHead | _Units]]:
        """A sublayer in floats: its norms, and its heads or feed-forward layer."""
        # The parts read the results of the norms, or the residual stream: `view` has the index of each coordinate.
        norms = self._norms(step.before) if step.before else None
        view = {name: k for k, name in enumerate(name for norm in step.before for name in norm.writes)} or self.place
        parts: list[_CachedHead | _Units] = []
        for part in step.parts:
            writes = [self.place[name] for name in part.writes]
            match part:
                case Head():
                    parts.append(_CachedHead(part, view, writes, self.dtype))
                case FeedForward():
                    hidden = {h: h for h in range(part.hidden)}
                    numbers = part.lowered
                    W1, W2 = _matrix(numbers["W1"], view, self.dtype), _matrix(numbers["W2"], hidden, self.dtype)
                    parts.append(_Units(W1, self._vector(numbers["b1"]), W2, self._vector(numbers["b2"]), writes))
                case _:
                    READS.refuse(type(part))
        return norms, parts

    def _norms(self, norms: Sequence[LayerNorm]) -> _Norms:
        """The norms before a sublayer as one operation."""
        import numpy as np

        rows: list[Mapping[str, Any]] = []
        place: list[int] = []
        for k, norm in enumerate(norms):
            projection = norm.lowered.get("projection") or [{name: 1} for name in norm.reads]
            rows += projection
            place += [k] * len(norm.writes)
        parts = np.zeros((len(norms), len(place)), self.dtype)
        parts[place, range(len(place))] = 1
        gain, bias = (self._vector([x for norm in norms for x in norm.lowered[name]]) for name in ("gain", "bias"))
        epsilon = self._vector([norm.lowered["epsilon"] for norm in norms])
        refuses = np.array([norm.zero_variance == "refuse" for norm in norms])
        sizes = self._vector([len(norm.writes) for norm in norms])
        return _Norms(
            _matrix(rows, self.place, self.dtype), parts, sizes, np.array(place), gain, bias, epsilon, refuses
        )

    def push(self, token: str) -> str:
        """The label after one more token. BadInput for a token beyond the model's maximum length; NoRun if a norm has a
        variance of zero, and rejects that."""
        import numpy as np

        self.length += 1
        self.model.check_length(self.length)
        z = self.embedded[token].copy()
        zero = self.dtype(0)
        for norms, parts in self.blocks:  # all parts of a sublayer read the residual stream before any of them writes
            x = z if norms is None else self._normed(norms, z)
            added = []
            for part in parts:
                if isinstance(part, _CachedHead):
                    added.append((part.writes, part.added(x)))
                else:
                    W1, b1, W2, b2, writes = part
                    added.append((writes, W2 @ np.maximum(W1 @ x + b1, zero) + b2))
            for writes, output in added:
                z[writes] += output
        return self.model.readout.labels[int((self.readout @ z).argmax())]

    def _normed(self, norms: _Norms, z: np.ndarray) -> np.ndarray:
        """The results of the norms of a sublayer for the residual stream `z`. NoRun for a variance of zero that a norm
        rejects."""
        import numpy as np

        # All norms at once: a product with `parts` sums the entries of each norm, and [place] gives each entry the
        # result of its norm.
        x = norms.projection @ z
        x = x - (norms.parts @ x / norms.sizes)[norms.place]
        variance = norms.parts @ (x * x) / norms.sizes + norms.epsilon
        zero_variance = variance == 0
        if zero_variance.any():
            if (zero_variance & norms.refuses).any():
                must = "a layer norm with epsilon = 0 must meet a variance above zero"
                raise NoRun(must, "zero", "set an epsilon above 0")
            variance = np.where(zero_variance, self.dtype(1), variance)
        return x / np.sqrt(variance)[norms.place] * norms.gain + norms.bias

    def decode(self, word: Sequence[str]) -> Iterator[str]:
        """The labels that are generated after the input `word`, up to and including one that ends the run, which may
        never come. To be called once, on a new decoder."""
        label, ends = "", speech_of(self.model).ends
        for token in self.model.tokens(word):
            label = self.push(token)
        while True:
            yield label
            if label in ends:
                return
            label = self.push(label)


def _unsupported(model: Transformer) -> str | None:
    """The reason why a model cannot be decoded in floats; None if it can."""
    if model.embedding.words is None or not model.readout.labels or model.embedding.ends[1]:
        return "no tokens, no labels, or a token after the input"
    if model.embedding.positions:
        return "position functions"
    for step in READS.of(model).sublayers:
        if step.after is not None:
            return "a norm after a block"
        for part in step.parts:
            if isinstance(part, Head) and part.weighting not in ("average", "rightmost", "leftmost"):
                return f"a head with weighting {part.weighting}"
            if isinstance(part, FeedForward) and part.activation != "relu":
                return f"activation {part.activation}"
    for value, _, where in model.expressions(symbolic=True):
        if not value.is_Rational:
            return f"{where} is {value}"
    return None


def _matrix(
    rows: Sequence[Mapping[Key, Number | int]], columns: Mapping[Key, int], dtype: type[np.floating]
) -> np.ndarray:
    """Sparse rows (a number by name) as a dense matrix; `columns` has the column of each name."""
    import numpy as np

    table = np.zeros((len(rows), len(columns)), dtype)
    for k, row in enumerate(rows):
        for name, value in row.items():
            if isinstance(value, tuple):
                raise RuntimeError("a tuple is impossible here")
            table[k, columns[name]] = float(value)
    return table
