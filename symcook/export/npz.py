"""What the arrays of `symcook.export.archive` mean, in numpy, for many inputs at once: what the script that is shipped
with an archive (`symcook.export.run_npz`) does with one. A numpy archive holds the arrays as they are, without pickles
and without an infinity.

How great the numbers may be that any runtime meets with them is bounded by sizes of weights alone. A number that
overflows is infinite, and 0 times it is no number: one that no answer depends on, as a hidden unit of weight 0, then
spoils those beside it in a product of matrices. So nothing is certain of a length at which some size may be beyond the
type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, NoRun
from symcook.export.archive import arrays as arrays
from symcook.export.archive import held_as, reach
from symcook.export.archive import position_table as position_table

if TYPE_CHECKING:
    import numpy as np

    from symcook.export.archive import Archive

OTHERS = 4
"""How many roundings an operation has at most beside those of a sum: of given numbers, products and quotients."""


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


def greatest(m: Archive, n: int) -> float:
    """A bound on the sizes of all numbers in a run on any word of at most `n` tokens, those that the model adds
    counted, with both orders of averages; "inf" where float64 has none."""
    import numpy as np

    with np.errstate(all="ignore"):
        return _greatest(np, m, n)


def _greatest(np: Any, m: Archive, n: int) -> float:
    from symcook.domains.rounding import RUNTIMES
    from symcook.export.run_npz import numbered

    met = [0.0]
    unit = 2.0 ** -RUNTIMES[str(m["dtype"])][0].bits

    def seen(x: Any, terms: int = 1) -> Any:
        """The sums of so many terms, with all that is rounded."""
        x = np.nan_to_num(x, nan=np.inf) * np.exp((terms + OTHERS) * unit)
        met.append(float(np.max(x, initial=0.0)))
        return x

    def size(key: str) -> Any:
        return np.abs(m[key].astype(np.float64))

    z = size("embedding").max(axis=0)
    if "positions" in m:
        table = m["positions"]
        z = z + np.abs(table[:n] if table.ndim == 2 else table[:n, :n]).reshape(-1, len(z)).max(axis=0)
    z = seen(z)
    for step in (f"step{s}." for s in range(1, int(m["steps"]) + 1)):
        before = [_normed(np, m, key, z, seen) for key in numbered(m, step + "before", "gain")]
        x = np.concatenate(before) if before else z
        wide = len(x)
        for head in numbered(m, step + "head", "V"):
            query, key = (seen(size(head + name) @ x, wide) for name in "QK")
            score = seen((query * key).sum(), len(query))
            seen(score * (size(head + "factor")[:n] if head + "factor" in m else np.ones(1)).max())
            value = seen(size(head + "V") @ x, wide)
            seen(n * value, n)  # the sum, before it is divided
            z = seen(z + seen(value, n))
        if step + "W1" in m:
            inside = seen(size(step + "W1") @ x + size(step + "b1"), wide)
            z = seen(z + seen(size(step + "W2") @ np.maximum(inside, 1) + size(step + "b2"), len(inside)))
        if step + "after.gain" in m:
            z = _normed(np, m, step + "after.", z, seen)
    if "readout.weights" in m:
        seen(size("readout.weights") @ z, len(z))
    return max(met)


def _normed(np: Any, m: Archive, key: str, z: Any, seen: Any) -> Any:
    x = seen(np.abs(m[key + "P"]) @ z, len(z)) if key + "P" in m else z
    off = seen(x + seen(x.sum(), len(x)) / len(x))
    seen((off * off).sum() + float(m[key + "epsilon"]), len(x))
    return seen(np.sqrt(len(x)) * np.abs(m[key + "gain"]) + np.abs(m[key + "bias"]), len(x))
