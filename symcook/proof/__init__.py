"""Statements, certificates and the checker that accepts or rejects them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.door import door

if TYPE_CHECKING:
    from symcook.model.answers import Several
    from symcook.proof.answer import ShownVerdict

CHECKER = {
    "model/expr.py": "reads text into a tree",
    "errors.py": "the exceptions by which the checker refuses",
    "proof/terms.py": "terms with numbered bound variables, substitution, sorts",
    "proof/grammar.py": "trees to terms, definitions expanded",
    "proof/normal.py": "the normal form that arithmetic steps compare",
    "proof/kernel.py": "the proof steps and the axioms",
    "proof/conditions.py": "the conditions D and H, and what a refutation must prove",
    "proof/enclose.py": "interval enclosures (python-flint), for the step 'interval' alone",
    "proof/runrel.py": "a stored model as equations",
    "proof/holds.py": "a formula in a sentence of one's own as equations of truth functions",
    "proof/rows.py": "what a head and a norm say of a position, in the equations of models and of families",
    "model/plainfamily.py": "a family of models as it is written",
    "proof/familyrel.py": "a family as equations, at all sizes",
    "proof/records.py": "names(NAME) and runs with a name, written out",
    "proof/instances.py": "a statement at all its instances up to a length, for CHECKED",
    "proof/files.py": "the folder of proofs, strict JSON",
    "proof/replay.py": "hashes, statuses",
}
"""The files of the checker, below the package's folder, and what each does: a status rests on these. All else here only
finds proofs."""


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
