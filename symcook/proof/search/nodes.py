"""The types of the nodes of a proof that the kernel has accepted, for code that reads such a proof.

The types are only for type checkers. `kernel` decides which nodes an unchecked proof may have, and describes each rule.
In every node, `by` is the name of its rule. Fields of the same name have the same meaning in all nodes:
- `as`: the label of each fact that the node adds or assumes;
- `proof`, `proofs`: the nodes that close the inner goals;
- `fact`, `of`, `eq`, `in`: labels of facts that the node uses, but for `of` of an indicator, which is a formula, and
  `eq` of a combination, which has pairs of a factor and a label;
- `show`, `formula`, `term`: formulas and terms as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

Labels = str | list[str]
"""The label of a fact, or the labels of the parts of a conjunction."""
# Types by the functional syntax have a field whose name is a keyword of Python.
Intro = TypedDict("Intro", {"by": str, "as": Sequence[Labels]})


class Split(TypedDict):
    """A proof for each part of a goal that is a conjunction."""

    by: str
    proofs: Sequence[Proof]


class Pick(TypedDict):
    """One side of a goal that is a disjunction."""

    by: str
    side: str  # "left" or "right"


class Witness(TypedDict):
    """A term for the variable of a goal that is an existence."""

    by: str
    term: str


Obtain = TypedDict("Obtain", {"by": str, "fact": str, "name": str, "as": Labels})


class Hyp(TypedDict):
    """The goal is a fact."""

    by: str
    of: str


class Closing(TypedDict):
    """A rule without arguments that closes a goal, such as "true"."""

    by: str


# Absurd: a fact contradicts the fact `not` or, without one, is false by computation. Contra: the goal's negation is
# assumed. Use: `with` has the arguments and premises of the fact; a premise is "#" and a label, "!" if it is true by
# computation, or a proof. Branches: what Cases and ExcludedMiddle share.
Absurd = TypedDict("Absurd", {"by": str, "of": str, "not": NotRequired[str]})
Contra = TypedDict("Contra", {"by": str, "as": Labels})
Have = TypedDict("Have", {"by": str, "show": str, "proof": "Proof", "as": Labels})
Use = TypedDict("Use", {"by": str, "fact": str, "with": Sequence["str | Proof"], "as": Labels})
Branches = TypedDict("Branches", {"by": str, "as": Sequence[Labels], "proofs": Sequence["Proof"]})
Cases = TypedDict("Cases", {"by": str, "fact": str, "as": Sequence[Labels], "proofs": Sequence["Proof"]})
ExcludedMiddle = TypedDict(
    "ExcludedMiddle", {"by": str, "formula": str, "as": Sequence[Labels], "proofs": Sequence["Proof"]}
)
Indicator = TypedDict("Indicator", {"by": str, "of": str, "as": Labels})
Rewrite = TypedDict("Rewrite", {"by": str, "eq": str, "rev": NotRequired[bool], "in": NotRequired[str], "as": Labels})


class Antisym(TypedDict):
    """A proof of a = b by proofs of a <= b and of b <= a."""

    by: str
    left: Proof
    right: Proof


# Induction on the name `name`, whose lower bound is the fact `ge`.
Induct = TypedDict("Induct", {"by": str, "name": str, "ge": str, "as": Labels, "base": "Proof", "step": "Proof"})


class Product(TypedDict):
    """A summand of a combination: a factor times a product of facts, and times a square."""

    c: str  # the factor
    of: Sequence[str]  # the labels of the facts
    sq: NotRequired[str]  # the term that is squared


class Pos(TypedDict):
    """A combination of inequalities and equations that proves a comparison."""

    by: str
    sum: NotRequired[Sequence[Product]]  # the inequalities
    eq: NotRequired[Sequence[tuple[str, str]]]  # for each equation: its factor and its label


class IntervalNode(TypedDict):
    """A comparison that interval enclosures prove."""

    by: str
    on: Sequence[str]  # the labels of the facts that bound the names
    prec: int  # the precision in bits


Node = (
    Intro | Split | Pick | Witness | Obtain | Hyp | Closing | Absurd | Contra | Have | Use | Cases | ExcludedMiddle
    | Indicator | Rewrite | Antisym | Induct | Pos | IntervalNode
)  # fmt: skip
"""A node of a proof."""
Proof = Sequence[Node]
