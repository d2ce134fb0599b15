"""Statements, certificates and the checker that accepts or rejects them.

The files that lie in this folder itself are trusted: a status rests on them (`CHECKER`, which has three more of the
library). The folders in it find proofs, attack statements and keep records; nothing there is trusted, and no file here
imports them, but for `prove`, which shows verdicts. .ci/layers.py keeps both.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from symcook.door import door
from symcook.errors import BadInput

if TYPE_CHECKING:
    from symcook.model.answers import Several
    from symcook.proof.audit.shownverdict import ShownVerdict

CHECKER = {
    "model/expr.py": "reads text into a tree",
    "model/steps.py": "what each kind of part computes, as expressions over names of its fields",
    "errors.py": "the exceptions by which the checker refuses",
    "proof/terms.py": "terms with numbered bound variables, substitution, sorts",
    "proof/grammar.py": "trees to terms, definitions expanded",
    "proof/normal.py": "the normal form that arithmetic steps compare",
    "proof/kernel.py": "the proof steps and the axioms",
    "proof/conditions.py": "the conditions D and H, and what a refutation must prove",
    "proof/enclose.py": "interval enclosures (python-flint), for the step 'interval' alone",
    "proof/runrel.py": "a stored model as equations",
    "proof/holds.py": "a formula in a sentence of one's own as equations of truth functions",
    "proof/attention.py": "weight and score in a sentence of one's own as terms",
    "proof/strings.py": "swapped, permuted, appended, prepended, deleted and prefix in a sentence of one's own",
    "proof/rounded.py": "floor, mod and sign as terms of the grammar",
    "proof/definitions.py": "a run as typed definitions: what a block states of a position",
    "proof/runvalues.py": "the values that definitions read",
    "proof/runtext.py": "how sums, products and numbers are written in equations",
    "proof/rows.py": "positions, blocks and readouts, as the equations of models and of families have them",
    "model/plainfamily.py": "a family of models as it is written",
    "proof/familyrel.py": "a family as equations, at all sizes",
    "proof/roundedterms.py": "an operation that rounds: errors and how they add up",
    "proof/roundings.py": "a run that rounds, as inequalities",
    "proof/records.py": "the words that take the name of a model; names(NAME) and runs with a name, written out",
    "proof/instances.py": "a statement at all its instances up to a length, for CHECKED",
    "proof/files.py": "the folder of proofs, strict JSON",
    "proof/replay.py": "hashes, statuses",
}
"""The files of the checker, below the package's folder, and what each does: a status rests on these. All else here only
finds proofs."""
JUDGES = {
    "kernel": tuple(f"symcook/{name}" for name in CHECKER),
    "coq": (
        *("proofs/coq/Conditions.v", "proofs/coq/Enclosures.v", "proofs/coq/Erf.v", "proofs/coq/Identities.v"),
        *("proofs/coq/Intermediate.v", "proofs/coq/Laws.v", "proofs/coq/Meaning.v", "proofs/coq/Model.v"),
        *("proofs/coq/Sines.v", "proofs/coq/Taylor.v", "proofs/coq/Tree.v"),
        "proofs/checker.py",  # gives the hash of a statement
        *("symcook/coq/checker.py", "symcook/coq/models.py", "symcook/coq/statement.py"),  # what a theorem is to say
        *("symcook/coq/development.py", "symcook/coq/judge.py", "symcook/coq/chk.py", "symcook/coq/said.py"),
    ),
}
"""The files of each judge. A record of what it has accepted rests on these, on the statement and on the certificate; an
edit of any other file leaves it as it is."""


@door()
def prove(*ids: str) -> Several[ShownVerdict]:
    """The checker's verdicts on stored proofs, which are checked again.

    A statement of your own is proved by `Transformer.prove`.

    Arguments:
        ids: str. Ids of claims and lemmas; all stored proofs without an id.

    Returns: a sequence of ShownVerdict, one for each id.

    Raises: BadInput: there is no such id (the message has the nearest one), or a claim has no stored proof.

    Example:

    >>> prove("cookbook.s5.7.lemma5.3")
    (<Verdict cookbook.s5.7.lemma5.3: PROVED, 152 nodes, by 9 lemmas>,)
    """
    from symcook.model.answers import Several
    from symcook.proof.audit.shownverdict import ShownVerdict
    from symcook.proof.replay import statements
    from symcook.proof.search.limits import replayed

    for name in ids:
        if name not in statements() and _in_ledger(name):
            do = f"symcook claims {name} shows its status"
            raise BadInput("a claim must have a stored proof to be replayed", f"{name}, which has none", do)
    return Several(map(ShownVerdict.of, replayed(ids or None)))


def _in_ledger(name: str) -> bool:
    """Whether a row of the tables of claims has this id; statements and proofs are elsewhere."""
    file = Path(__file__).parents[1] / "data" / "claims" / f"{name.partition('.')[0]}.tsv"
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    return any(line.startswith(f"{name}\t") for line in lines)
