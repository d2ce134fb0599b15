"""Checks whether some string satisfies the premises of a statement. If none does, the statement is true but vacuous.

For each part of a statement that has premises, `asked` returns a string that may satisfy them, the decision that no
string does, or neither, where it finds none. It looks for both by deciding (`decision.decide`) another statement: "no
string satisfies these premises".
"""

from __future__ import annotations

from functools import reduce
from typing import NamedTuple

from symcook.alarm import Until
from symcook.proof import conditions, grammar
from symcook.proof.claims.bycounts.problem import Problem, problem
from symcook.proof.claims.decision import ClaimDecision, Decider, decide
from symcook.proof.replay import Statement
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.tactics import Citable
from symcook.proof.terms import TRUE, Term, conj, neg


class PremisesAsked(NamedTuple):
    """The result for the premises of a statement."""

    unmet: ClaimDecision | None
    """The decision that no string satisfies the premises of some part; None without one."""
    strings: tuple[tuple[int, ...], ...] = ()
    """Strings that may satisfy the premises of the parts, as numbers of tokens."""


def asked(statement: Statement, library: Citable, until: Until, by: Decider = decide) -> PremisesAsked:
    """Decide for each part of a statement (`conditions.cases`) whether a string on which the model has a run satisfies
    its premises, as far as possible until the moment `until`. `by` decides a statement about the model."""
    own_problem = attempted(lambda: problem(statement))
    if isinstance(own_problem, Failed):
        return PremisesAsked(None)
    strings: list[tuple[int, ...]] = []
    for case in conditions.cases(own_problem.claim):
        if case != TRUE:
            decision = by(_denied(own_problem, case), library, until, least=False)
            if decision.true or decision.proved is not None:
                return PremisesAsked(decision)
            strings += [decision.string] if decision.string is not None else []
    return PremisesAsked(None, tuple(strings))


def _denied(whole: Problem, case: Term) -> Statement:
    """The statement that no string satisfies the premises `case`, for the model of `whole`."""
    names = whole.statement.expanded.partition(". ")[0]
    word = [whole.word] if whole.letters else []
    hypotheses = [whole.some, *word, *(reduce(conj, parts) for parts in (whole.run, whole.truths) if parts)]
    chain = " -> ".join(f"({grammar.show(part)})" for part in (*hypotheses, neg(case)))
    return Statement(whole.statement.id, f"{names}. {chain}", known=whole.statement.known, claim=False)
