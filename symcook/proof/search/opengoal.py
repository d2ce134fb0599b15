"""An open goal of a proof: its state, and the dozen methods by which a strategy changes it.

`OpenGoal` has the state that the kernel will have, and the nodes of the certificate so far. `tactics.Goal` adds a
method for each rule of the kernel, and searches. Nothing here is trusted: if the state is wrong, the kernel rejects
the certificate.

Formulas and terms are tuples (tag, data, kids): `f[2][0]` is the first kid of `f`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Self

from symcook.proof import grammar
from symcook.proof.grammar import Definition
from symcook.proof.inequalities import linear
from symcook.proof.normal import Key, Poly, fkey
from symcook.proof.terms import Sort, Term, flatten, var

Node = dict[str, Any]
"""A node of the certificate; `by` names its rule."""
Spec = str | Sequence[str]
"""A label, or labels for the parts of a conjunction."""


class NoResult(Exception):
    """A tactic or procedure has no result; the text says why. `attempts.attempted` makes a `Failed` of it."""


class Stuck(NoResult):
    """A tactic did not find a proof. The message has the goal and the facts.

    Most of these errors only end an attempt, and nobody reads their message. So the argument may be a function that
    returns the message, for one that takes long to write.
    """

    def __str__(self) -> str:
        text = self.args[0] if self.args else ""
        return str(text() if callable(text) else text)


class NormalForms:
    """A cache of values of functions of a formula, by the identity of the formula: hashing it takes longer than most of
    these functions.

    The cache keeps the formula with each value, so that no other object can have the same identity.
    """

    def __init__(self) -> None:
        self.made: dict[object, tuple[Term, Any]] = {}
        self.key: Callable[[Term], Key] = partial(self, fkey)
        self.poly: Callable[[Term], Poly] = partial(self, linear.poly)

    def __call__(self, make: Callable[[Term], Any], f: Term) -> Any:
        known = self.made.get((make, id(f)))
        if known is None:
            known = self.made[make, id(f)] = (f, make(f))
        return known[1]


@dataclass(frozen=True)
class Citable:
    """What a proof may refer to: definitions, for reading text; axioms and lemmas, by their full label.

    `texts` returns the text of a fact by its label, and that of the statement itself for "". The names that it
    quantifies are taken from this text.
    """

    definitions: Mapping[str, Definition] = field(default_factory=dict)
    facts: Mapping[str, Term] = field(default_factory=dict)
    texts: Callable[[str], str | None] = lambda label: None

    @cached_property
    def taken(self) -> frozenset[str]:
        """The names of definitions, and these names without what follows the last underscore."""
        return frozenset({*self.definitions, *(name.rpartition("_")[0] for name in self.definitions)})


def one_label(spec: str | Sequence[str]) -> Any:
    """A label as it is, or several labels, which spaces separate, as a list."""
    parts = spec.split() if isinstance(spec, str) else list(spec)
    return parts[0] if len(parts) == 1 else parts


class OpenGoal:
    """One open goal: `goal`, `facts` by label, `scope` of names with sorts, and the nodes written so far.

    Its methods: `text`, `formula` and `term` write and read formulas in its scope; `fresh` and `fact` name a label and
    look one up; `branch` begins a proof beside this one and `take` ends this one by it; `add`, `suppose`, `declare` and
    `close` change the state with the certificate; `stuck` is the error of a tactic that found no proof.
    """

    def __init__(self, library: Citable, goal: Term, facts: Mapping[str, Term], scope: Mapping[str, Sort]) -> None:
        self.library, self.goal = library, goal
        self.facts, self.scope = dict(facts), dict(scope)
        self.nodes: list[Node] = []
        self.taken: set[str] = set()  # the labels of disjunctions that were used for cases, and of split conjunctions
        self.known = NormalForms()
        self.hidden: frozenset[str] = frozenset()  # labels that are in use, although their facts were left out
        self.closed = False

    # --- texts ------------------------------------------------------------------------------------------------------

    def text(self, t: Term) -> str:
        """The text of `t`, which reads as the same term in this scope."""
        return grammar.show(t, {*self.scope, *self.library.definitions})

    def formula(self, text: str | Term) -> Term:
        """A formula from its text in this scope."""
        return grammar.read_formula(text, self.scope, self.library.definitions) if isinstance(text, str) else text

    def term(self, text: str | Term, sort: Sort = "Real") -> Term:
        """A term of a sort from its text in this scope."""
        return grammar.read_value(text, sort, self.scope, self.library.definitions) if isinstance(text, str) else text

    def stuck(self, why: str) -> Stuck:
        """The error to raise, with the present state in its message."""
        now = self.branch()  # a copy, since the message is only written when it is read
        return Stuck(lambda: f"{why}:\n{now}")

    def __str__(self) -> str:
        """The facts, the goal and the names as text, for a person who writes a script."""
        lines = [f"  {k}: {self.text(f)}" for k, f in self.facts.items()]
        return "\n".join([*lines, f"  |- {self.text(self.goal)}", f"  names: {' '.join(self.scope)}"])

    def fresh(self, stem: str = "a") -> str:
        """A label or name that is not in use: the stem and a number."""
        names = [name for name in (*self.facts, *self.hidden, *self.scope) if name.startswith(stem)]
        # A label "a1_2" of a part of a conjunction makes "a1" a label in use.
        used = {*names, *(name.rpartition("_")[0] for name in names)}
        defined = self.library.taken
        numbered = (f"{stem}{k}" for k in itertools.count(1))
        return next(candidate for candidate in numbered if candidate not in used and candidate not in defined)

    def fact(self, label: str) -> Term:
        """A fact by its label; an axiom or lemma by its name after ``ax:`` or ``lem:``. Stuck if there is none."""
        if label in self.facts:
            return self.facts[label]
        if label in self.library.facts:
            return self.library.facts[label]
        raise Stuck(f"no fact {label}")

    # --- the state and the certificate --------------------------------------------------------------------------------

    def branch(self, goal: Term | None = None) -> Self:
        """A new goal with the same facts and names, without nodes; its nodes will be a proof of `goal`, by default of
        the same goal."""
        branch = type(self)(self.library, self.goal if goal is None else goal, self.facts, self.scope)
        branch.taken, branch.known, branch.hidden = set(self.taken), self.known, self.hidden
        return branch

    def take(self, trial: OpenGoal) -> None:
        """Close this goal by the nodes of `trial`, a closed branch with the same goal."""
        self.nodes += trial.nodes
        self.closed = True

    def add(self, node: Node, f: Term | None = None) -> None:
        """Append a node that does not close the goal. The formula `f`, which the node proves, becomes a fact under the
        label, or the labels, that the node has."""
        if self.closed:
            raise Stuck("this goal is closed")
        self.nodes.append(node)
        if f is not None:
            self.suppose(node["as"], f)

    def close(self, node: Node) -> None:
        """Append the last node of this goal, which proves it."""
        self.add(node)
        self.closed = True

    def suppose(self, label: Any, f: Term) -> None:
        """Make `f` a fact under a label, or its conjuncts under a list of labels; a node that was added states it."""
        parts = flatten("&", f) if isinstance(label, list) else [f]
        labels = label if isinstance(label, list) else [label]
        if len(parts) != len(labels):
            raise Stuck(f"{len(labels)} labels for {len(parts)} parts: {self.text(f)}")
        for k, part in zip(labels, parts, strict=True):
            if k in self.facts:
                raise Stuck(f"the label {k} is in use")
            self.facts[k] = part

    def declare(self, name: str, sort: Sort) -> Term:
        """Add a new name to the scope; the name as a variable."""
        if name in self.scope or name in self.library.definitions:
            raise Stuck(f"the name {name} is in use")
        self.scope[name] = sort
        return var(name, sort)
