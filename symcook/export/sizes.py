"""How great the numbers may be that any runtime meets with the arrays of an export, by sizes of weights alone.

A number that overflows is infinite, and 0 times it is no number: one that no answer depends on, as a hidden unit of
weight 0, then spoils those beside it in a product of matrices. So nothing is certain of a length at which some size may
be beyond the type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symcook.domains.rounding import RUNTIMES
from symcook.export.run_npz import numbered

if TYPE_CHECKING:
    from symcook.export.archive import Archive

OTHERS = 4
"""How many roundings an operation has at most beside those of a sum: of given numbers, products and quotients."""


def greatest(m: Archive, n: int) -> float:
    """A bound on the sizes of all numbers in a run on any word of at most `n` tokens, those that the model adds
    counted, with both orders of averages; "inf" where float64 has none."""
    import numpy as np

    with np.errstate(all="ignore"):
        return _greatest(np, m, n)


def _greatest(np: Any, m: Archive, n: int) -> float:
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
