"""Whether the premises of a statement can be met: a statement whose premises no string meets is true, and says nothing.

For each part of a statement that has premises, `asked` gives a string that may meet them, or the decision that none
does. That is the decision (`decision.decide`) of another statement: "no string meets these premises".
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

from symcook.alarm import Until
from symcook.proof import conditions, grammar
from symcook.proof.claims.bycounts.problem import OutsideFragment, Problem, problem
from symcook.proof.claims.decision import ClaimDecision, decide
from symcook.proof.replay import Statement
from symcook.proof.search.tactics import Citable
from symcook.proof.terms import TRUE, Term, conj, neg


class PremisesAsked(NamedTuple):
    """The decision that no string meets some premises, or None; and strings that may meet the others."""

    unmet: ClaimDecision | None
    strings: tuple[tuple[int, ...], ...] = ()


def asked(statement: Statement, library: Citable, until: Until) -> PremisesAsked:
    """Whether strings that have a run meet the premises of each part of a statement (`conditions.cases`), as far as
    that is found by that moment."""
    try:
        own_problem = problem(statement)
    except OutsideFragment:
        return PremisesAsked(None)
    strings: list[tuple[int, ...]] = []
    for case in conditions.cases(own_problem.claim):
        if case != TRUE:
            decision = decide(_denied(own_problem, case), library, until, least=False)
            if decision.true or decision.proved is not None:
                return PremisesAsked(decision)
            strings += [decision.string] if decision.string is not None else []
    return PremisesAsked(None, tuple(strings))


def _denied(whole: Problem, case: Term) -> Statement:
    """The statement that no string meets a case."""
    names = whole.statement.expanded.partition(". ")[0]
    word = [whole.word] if whole.letters else []
    hypotheses = [whole.some, *word, *(reduce(conj, parts) for parts in (whole.run, whole.truths) if parts)]
    chain = " -> ".join(f"({grammar.show(part)})" for part in (*hypotheses, neg(case)))
    return Statement(whole.statement.id, f"{names}. {chain}", known=whole.statement.known, claim=False)
