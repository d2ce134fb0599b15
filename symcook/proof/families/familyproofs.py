"""Proofs of a user's statements about a family: by its closed forms at all sizes, and by the stored theorems.

In: a statement from `allsizes.claim`. Out: the nodes of its proof, or the runs at small sizes that may refute it.
Nothing here is trusted: the kernel checks the result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.alarm import Until
from symcook.proof.families.allsizes import FamilyMeaning
from symcook.proof.families.sizeforms import FamilyForms, FormLines
from symcook.proof.families.smallruns import FamilyRuns
from symcook.proof.families.storedtheorems import theorems_of
from symcook.proof.grammar import leading_names
from symcook.proof.replay import Statement
from symcook.proof.search.limits import limited
from symcook.proof.search.liveness import pruned
from symcook.proof.statements import certify
from symcook.recipes.models import ships

if TYPE_CHECKING:
    from symcook.model.family import Family
    from symcook.proof.search.tactics import Node

SUMS = (["sum_zero"], ["sum_mono", "sum_one"])
"""Lists of lemmas to cite with the forms: on a sum of zeros, and on a sum of terms that are at most 1."""


def subject(statement: Statement, family: Family, seconds: float) -> certify.Subject:
    """The subject of a statement about all sizes of a family, for `certify.settle`: how to try it at small sizes, how
    to prove it, and how to try it with more patience."""
    meaning = FamilyMeaning(family, certify.definitions())
    return certify.Subject(
        lambda until: FamilyRuns(statement, family, meaning.names, until),
        lambda home, one: prove(one, family, meaning, Until(seconds / 2, 1 / 2)),
        lambda until: FamilyRuns(statement, family, meaning.names, until, patient=True),
    )


def prove(statement: Statement, family: Family, meaning: FamilyMeaning, until: Until) -> list[Node]:
    """The proof by closed forms and stored theorems about the family, or by the automation for a single model.

    StepGap with the open goal where no proof is found, OutOfTime where that takes too long.
    """
    # Prove the closed forms; for a value without a proved form, cite its equation.
    forms = FamilyForms(family, meaning.relation)
    lines = FormLines(forms, [form for form in forms.forms.values() if form.value is not None], until, statement)
    proved, _ = lines.proved()
    others = [label for f, labels in lines.equations.items() if f not in proved for label in labels]
    hints, stored = [*proved.values(), *lines.counts(proved), *others], cited(family, meaning)
    # Then prove the conclusion from these: with stored theorems, without them, or with lemmas about sums.
    for theorems in ([stored] if stored else []) + [[], *SUMS]:
        if lines.line(f"qed by {', '.join([*theorems, *hints])}") is None:
            return pruned(lines.g.nodes)
    with limited(until):
        return certify.automatic(lines.library, statement)


def cited(family: Family, meaning: FamilyMeaning) -> list[str]:
    """Citations of the stored theorems about the family, with the family's names for the variables of each theorem.
    A theorem about a variable that the family does not have is left out."""
    citations = []
    for theorem in theorems_of(family) if ships(family) else []:
        names = leading_names(theorem.expanded)
        if all(name in ("n", "w") or name in meaning.names for name in names):
            terms = "; ".join(meaning.names.get(name, name) for name in names)
            citations.append(theorem.id.removeprefix("lem.") + (f"({terms})" if terms else ""))
    return citations
