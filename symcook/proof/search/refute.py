"""Refutations in the form that the checker requires.

A script refutes a statement S by assuming S, using it at some values, and deriving a contradiction. A certificate must
prove R(S) instead (`conditions.refutation`): there are values at which the premises of S hold, its conclusion is false,
and everything is defined (D). `Refutation` is a goal R(S) on which such a script works as if it had assumed S.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symcook.proof.conditions import defined, refutation
from symcook.proof.normal import TRUE as KEY_TRUE
from symcook.proof.normal import fkey
from symcook.proof.search.tactics import Citable, Goal, Node, Stuck, Tactic, all_closed, blast
from symcook.proof.terms import TRUE, Term, flatten, instantiate, var

if TYPE_CHECKING:
    from symcook.proof.search.tactics import Node


class Refutation(Goal):
    """The goal R(S). The first ``intro`` only gives S a label; ``use`` of this label gives witnesses for the
    quantifiers of S and proves its premises.

    After all quantifiers and premises of S are used, the rest of S is assumed and the goal is ``false``. From then on
    it is a goal like any other. `whole` proves the parts of D.
    """

    def __init__(self, library: Citable, statement: Term, whole: Tactic | None = None) -> None:
        super().__init__(library, refutation(statement), {}, {})
        self.root = self.nodes
        # The part of the statement that is not used yet (None after it is assumed); and the same part with new names
        # for the values, since its D then has as many parts as that of R(S).
        self.left: Term | None = statement
        self.general = statement
        self.supposed = ""  # the label of the statement; empty before `intro`
        # For each premise that was proved since the last quantifier: the labels of its parts, and "" for each part of
        # its D. R(S) has a conjunct for each of them, which is split off before the next quantifier.
        self.premises: list[list[str]] = []
        self.whole = whole or blast

    def branch(self, goal: Term | None = None) -> Goal:
        """A branch, which is a goal like any other."""
        branch = Goal(self.library, self.goal if goal is None else goal, self.facts, self.scope)
        branch.taken, branch.known, branch.hidden = set(self.taken), self.known, self.hidden
        return branch

    def intro(self, spec: str) -> Goal:
        """Give the statement its label. After the statement is used up, the same as `Goal.intro`."""
        if self.left is None:
            return super().intro(spec)
        if self.supposed:
            raise Stuck("the hypotheses were introduced already")
        self.supposed = spec
        self._arrive()
        return self

    def use(self, fact: str, *args: Any, label: str, premises: int | None = None) -> Goal:
        """Use the statement at some values and premises; the rest of it has the label `label`. For another fact, the
        same as `Goal.use`."""
        if self.left is None or fact != self.supposed:
            return super().use(fact, *args, label=label, premises=premises)
        arguments, remaining, proved_without_argument = list(args), self.left, 0
        while remaining[0] in ("all", "->"):
            # A quantifier of S is an existence in R(S): the argument is its witness.
            if remaining[0] == "all":
                if not arguments:
                    break
                self._split_off()
                text = arguments.pop(0)
                value = self.term(text, remaining[1])
                self.witness(text)
                remaining = instantiate(remaining[2][0], (value,))
                self.general = instantiate(self.general[2][0], (var(f"{text}#{len(self.nodes)}", self.general[1]),))
                continue
            # A premise of S is a part of a conjunction in R(S). Without an argument for it, `easy` must prove it.
            if not arguments and premises is not None and proved_without_argument >= premises:
                break
            premise_given = arguments and (not isinstance(arguments[0], str) or arguments[0][:1] in "#!")
            proved_without_argument += not arguments
            self._premise_of(remaining[2][0], arguments.pop(0) if premise_given else None)
            remaining, self.general = remaining[2][1], self.general[2][1]
        self.left, self.supposed = remaining, label
        self._arrive(arguments)
        return self

    def _premise_of(self, premise: Term, how: str | Tactic | None) -> None:
        """Prove a premise as a fact: by the fact or the tactic `how`, or by `easy` if it is None or "!". The labels of
        its conjuncts, and "" for each conjunct of its D, are noted in `premises`."""
        if premise == TRUE:
            return
        stem = self.fresh("met")
        labels = " ".join(f"{stem}_{k}" for k in range(len(flatten("&", premise))))
        if isinstance(how, str) and how != "!":
            source = how[1:]
            self.have(premise, labels, lambda g: g.hyp(source))
        else:
            self.have(premise, labels, None if isinstance(how, str) else how)
        d = defined(self.general[2][0])
        self.premises.append(labels.split() + ([] if d == self.general[2][0] else _unlabelled(d)))

    def _split_off(self, further_condition: Term = TRUE) -> None:
        """Prove all conjuncts of the goal but the last, which remains as the goal. They are those of the noted premises
        and their D, and those of `further_condition`, which is a D too."""
        labels_needed = [label for labels in self.premises for label in labels] + _unlabelled(further_condition)
        self.premises = []
        if not labels_needed:
            return
        parts = self.split()
        if len(parts) != len(labels_needed) + 1:
            raise Stuck("R(S) has another form")
        for g, label in zip(parts, labels_needed, strict=False):
            if label:
                g.hyp(label)
            elif fkey(g.goal) == KEY_TRUE:
                g.true()
            else:
                self.whole(g)
        self.goal, self.nodes, self.closed = parts[-1].goal, parts[-1].nodes, False

    def _arrive(self, more: list[Node] | None = None) -> None:
        """If no quantifier and no premise of S is left, assume the rest of S, and use it at the arguments `more`."""
        if self.left is None or self.left[0] in ("all", "->"):
            if more:
                raise Stuck(f"{len(more)} arguments too many")
            return
        self._split_off(defined(self.general))
        self.left, label = None, self.supposed
        if not more:
            several = len(label.split()) > 1
            super().intro(f"({label})" if several else label)
            return
        super().intro(stem := self.fresh("left"))
        super().use(stem, *more, label=label)


def _unlabelled(d: Term) -> list[str]:
    """An empty label for each part of a condition D."""
    return [] if d == TRUE else [""] * len(flatten("&", d))


def refute(library: Citable, statement: Term, script: Tactic, whole: Tactic | None = None) -> list[Node]:
    """The proof of R(S) that `script` writes. Stuck if it leaves a branch open."""
    goal = Refutation(library, statement, whole)
    script(goal)
    all_closed(goal.root)
    return goal.root
