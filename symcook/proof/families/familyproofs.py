"""Proofs of a user's statements about a family: by its closed forms at all sizes, and by the stored theorems.

In: a statement that `allsizes.claim` has made. Out: the nodes of its proof, or the runs at small sizes that may refute
it. Nothing here is trusted: the kernel judges what comes out.
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
"""Lemmas that are tried with the forms: a sum of zeros, and of terms that are at most 1."""


def subject(statement: Statement, family: Family, seconds: float) -> certify.Subject:
    """What a statement about all sizes of a family is about, for `certify.settle`."""
    meaning = FamilyMeaning(family, certify.definitions())
    return certify.Subject(
        lambda until: FamilyRuns(statement, family, meaning.names, until),
        lambda home, one: prove(one, family, meaning, Until(seconds / 2, 1 / 2)),
        lambda until: FamilyRuns(statement, family, meaning.names, until, patient=True),
    )


def prove(statement: Statement, family: Family, meaning: FamilyMeaning, until: Until) -> list[Node]:
    """The proof by closed forms and the stored theorems about the family, or as that of a statement about one model.

    StepGap with what is left where none is found, OutOfTime where that takes too long.
    """
    # Prove the closed forms; where that fails for a value, its equation is cited itself.
    forms = FamilyForms(family, meaning.relation)
    lines = FormLines(forms, [form for form in forms.forms.values() if form.value is not None], until, statement)
    proved, _ = lines.proved()
    others = [label for f, labels in lines.equations.items() if f not in proved for label in labels]
    hints, stored = [*proved.values(), *lines.counts(proved), *others], cited(family, meaning)
    # Then the conclusion: with the stored theorems, with nothing more, or with lemmas about sums.
    for theorems in ([stored] if stored else []) + [[], *SUMS]:
        if lines.line(f"qed by {', '.join([*theorems, *hints])}") is None:
            return pruned(lines.g.nodes)
    with limited(until):
        return certify.automatic(lines.library, statement)


def cited(family: Family, meaning: FamilyMeaning) -> list[str]:
    """The stored theorems about the family, as a line cites them, with the family's names for their quantifiers."""
    citations = []
    for theorem in theorems_of(family) if ships(family) else []:
        names = leading_names(theorem.expanded)
        if all(name in ("n", "w") or name in meaning.names for name in names):
            terms = "; ".join(meaning.names.get(name, name) for name in names)
            citations.append(theorem.id.removeprefix("lem.") + (f"({terms})" if terms else ""))
    return citations
