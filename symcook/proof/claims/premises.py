"""Premises that no string meets: a statement that has them is true of every string, and says nothing."""

from __future__ import annotations

from functools import reduce

from symcook.alarm import Until
from symcook.proof import conditions, grammar
from symcook.proof.claims.decision import ClaimDecision, decide
from symcook.proof.claims.problem import OutsideFragment, Problem, problem
from symcook.proof.replay import Statement
from symcook.proof.search.tactics import Citable
from symcook.proof.terms import TRUE, Term, conj, neg


def unmet(statement: Statement, library: Citable, until: Until) -> ClaimDecision | None:
    """The decision that the premises of some part of a statement are met by no string that has a run, each as H asks
    for it (`conditions.cases`); None where that is not found by that moment."""
    try:
        asked = problem(statement)
    except OutsideFragment:
        return None
    for case in conditions.cases(asked.claim):
        if case != TRUE:
            found = decide(_denied(asked, case), library, until)
            if found.true or found.proved is not None:
                return found
    return None


def _denied(asked: Problem, case: Term) -> Statement:
    """That no string meets a case."""
    names = asked.statement.expanded.partition(". ")[0]
    word = [asked.word] if asked.letters else []
    hypotheses = [asked.some, *word, *(reduce(conj, parts) for parts in (asked.run, asked.truths) if parts)]
    chain = " -> ".join(f"({grammar.show(part)})" for part in (*hypotheses, neg(case)))
    return Statement(asked.statement.id, f"{names}. {chain}", known=asked.statement.known, claim=False)
