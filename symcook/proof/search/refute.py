"""A refutation in the form that the checker asks: from "suppose the statement" to "it fails at these values".

A script refutes a statement S by assuming it, using it at some values, and deriving a contradiction. A certificate must
prove R(S) (`conditions.refutation`): there are values at which the premises hold, what they lead to is false, and all
of it is defined. `Refutation` is a goal R(S) that such a script can work on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symcook.proof.conditions import defined, refutation
from symcook.proof.normal import TRUE as KEY_TRUE
from symcook.proof.normal import fkey
from symcook.proof.search.tactics import Citable, Goal, Node, Stuck, Tactic
from symcook.proof.terms import TRUE, Term, flatten, instantiate, var

if TYPE_CHECKING:
    from symcook.proof.search.tactics import Node


class Refutation(Goal):
    """The goal R(S): ``intro`` supposes S, ``use`` of it gives witnesses and proves premises.

    Once the premises are used up, what is left of S is supposed, and the goal is false; `whole` proves the parts of D.
    """

    def __init__(self, library: Citable, statement: Term, whole: Tactic | None = None) -> None:
        super().__init__(library, refutation(statement), {}, {})
        self.root = self.nodes
        self.left: Term | None = statement  # what has not been used yet of the statement
        self.general = statement  # the same, with new names for its values: their D has the parts that R(S) has
        self.supposed = ""  # its label
        self.premises: list[list[str]] = []  # labels of proved premises, "" for a part of D, not split off yet
        self.whole = whole or Goal.blast

    def intro(self, spec: str) -> Goal:
        if self.left is None:
            return super().intro(spec)
        if self.supposed:
            raise Stuck("the statement is supposed already")
        self.supposed = spec
        self._arrive()
        return self

    def use(self, fact: str, *args: Any, label: str, premises: int | None = None) -> Goal:
        if self.left is None or fact != self.supposed:
            return super().use(fact, *args, label=label, premises=premises)
        arguments, t, extra = list(args), self.left, 0
        while t[0] in ("all", "->"):
            if t[0] == "all":
                if not arguments:
                    break
                self._split_off()
                text = arguments.pop(0)
                value = self.term(text, t[1])
                self.witness(text)
                t = instantiate(t[2][0], (value,))
                self.general = instantiate(self.general[2][0], (var(f"{text}#{len(self.nodes)}", self.general[1]),))
                continue
            if not arguments and premises is not None and extra >= premises:
                break
            ready = arguments and (not isinstance(arguments[0], str) or arguments[0][:1] in "#!")
            extra += not arguments
            self._premise_of(t[2][0], arguments.pop(0) if ready else None)
            t, self.general = t[2][1], self.general[2][1]
        self.left, self.supposed = t, label
        self._arrive(arguments)
        return self

    def _premise_of(self, premise: Term, how: str | Tactic | None) -> None:
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

    def _split_off(self, more: Term = TRUE) -> None:
        """Prove the waiting premises and their D, and the D that is `more`; go on with what is left of the goal."""
        asked = [label for labels in self.premises for label in labels] + _unlabelled(more)
        self.premises = []
        if not asked:
            return
        parts = self.split()
        if len(parts) != len(asked) + 1:
            raise Stuck("R(S) has another form")
        for g, label in zip(parts, asked, strict=False):
            if label:
                g.hyp(label)
            elif fkey(g.goal) == KEY_TRUE:
                g.true()
            else:
                self.whole(g)
        self.goal, self.nodes, self.closed = parts[-1].goal, parts[-1].nodes, False

    def _arrive(self, more: list[Node] | None = None) -> None:
        """Suppose what is left, once it is neither a quantifier over all nor an implication."""
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
    return [] if d == TRUE else [""] * len(flatten("&", d))


def refute(library: Citable, statement: Term, script: Tactic, whole: Tactic | None = None) -> list[Node]:
    """The proof of R(S) that `script` writes; Stuck where a branch stays open."""
    from symcook.proof.search.tactics import _complete

    goal = Refutation(library, statement, whole)
    script(goal)
    _complete(goal.root)
    return goal.root
