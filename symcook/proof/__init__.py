"""Statements, certificates and the checker that accepts or rejects them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.door import door

if TYPE_CHECKING:
    from symcook.model.answers import Several
    from symcook.proof.answer import ShownVerdict


@door()
def prove(*ids: str) -> Several[ShownVerdict]:
    """Replay the stored proofs of these claims and lemmas (of all without ids) and say what each comes to.

    >>> prove("cookbook.s5.7.lemma5.3")
    (<Verdict cookbook.s5.7.lemma5.3: PROVED, 152 nodes, by 9 lemmas>,)

    Raises BadInput, with the nearest id, where there is no such proof.
    """
    from symcook.model.answers import Several
    from symcook.proof.answer import ShownVerdict
    from symcook.proof.replay import replay

    return Several(map(ShownVerdict.of, replay(ids or None)))
