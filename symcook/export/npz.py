"""What the arrays of `symcook.export.archive` mean, in numpy, for many inputs at once: what the script that is shipped
with an archive (`symcook.export.run_npz`) does with one. A numpy archive holds the arrays as they are, without pickles
and without an infinity.
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
