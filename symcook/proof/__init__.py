"""Statements, certificates and the checker that accepts or rejects them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.door import door

if TYPE_CHECKING:
    from symcook.proof.replay import Verdict


@door()
def prove(*ids: str) -> list[Verdict]:
    """Replay the stored proofs of these claims and lemmas (of all without ids) and say what each comes to.

    >>> [(verdict.id, verdict.status) for verdict in prove("cookbook.s5.7.lemma5.3")]
    [('cookbook.s5.7.lemma5.3', 'PROVED')]

    Raises BadInput, with the nearest id, where there is no such proof.
    """
    from symcook.proof.replay import replay

    return replay(ids or None)
