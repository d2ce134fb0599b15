"""The types of the nodes of a proof that the kernel has accepted, for code that reads such a proof.

They are only for type checkers: which nodes an unchecked proof may have is decided by `kernel`, which describes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NotRequired, TypedDict

Labels = str | list[str]
"""The label of a fact, or labels for the parts of a conjunction."""
Intro = TypedDict("Intro", {"by": str, "as": Sequence[Labels]})


class Split(TypedDict):
    by: str
    proofs: Sequence[Proof]


class Pick(TypedDict):
    by: str
    side: str


class Witness(TypedDict):
    by: str
    term: str


Obtain = TypedDict("Obtain", {"by": str, "fact": str, "name": str, "as": Labels})


class Hyp(TypedDict):
    by: str
    of: str


class Closing(TypedDict):
    by: str


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
    by: str
    left: Proof
    right: Proof


Induct = TypedDict("Induct", {"by": str, "name": str, "ge": str, "as": Labels, "base": "Proof", "step": "Proof"})


class Product(TypedDict):
    c: str
    of: Sequence[str]
    sq: NotRequired[str]


class Pos(TypedDict):
    by: str
    sum: NotRequired[Sequence[Product]]
    eq: NotRequired[Sequence[tuple[str, str]]]


class IntervalNode(TypedDict):
    by: str
    on: Sequence[str]
    prec: int


Node = (
    Intro | Split | Pick | Witness | Obtain | Hyp | Closing | Absurd | Contra | Have | Use | Cases | ExcludedMiddle
    | Indicator | Rewrite | Antisym | Induct | Pos | IntervalNode
)  # fmt: skip
Proof = Sequence[Node]
