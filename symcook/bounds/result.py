"""The answer to a question about a bound."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import flint

from symcook.errors import Undecided
from symcook.model.answers import Shown
from symcook.numbers.balls import Ball, ball, decide_sign, limit_for, refine


def shown(compute: Callable[[], flint.arb], digits: int, what: str = "a value") -> Ball:
    """What `compute` encloses, as decimals with a relative radius of at most 10^-digits; Undecided where it fails."""
    return ball(refine(compute, digits, relative=True, what=what), digits, relative=True)


def decided(difference: Callable[[], flint.arb], digits: int, what: str) -> bool | None:
    """Whether `difference` >= 0; None where balls leave it open at the limit for that many digits."""
    try:
        return decide_sign(difference, what, limit_for(digits)) >= 0
    except Undecided:
        return None


@dataclass(frozen=True, repr=False)
class Bound(Shown):
    """A claimed bound beside the sharp value.

    value: the supremum of the quantity; claimed: the paper's bound, None where it does not apply; holds: value <=
    claimed, by balls or for all parameters by one of `proofs`, None where the balls left it open or nothing is claimed;
    attained: whether some admissible input
    reaches the supremum. parameters are exact: integers, booleans and text of the grammar. where: which inputs
    reach the supremum, in words. proofs: ids of stored statements that say for all parameters what is answered here
    for the given ones; extra: further values, by name.
    """

    REPORT = "bound"

    kind: str
    parameters: Mapping[str, int | bool | str]
    value: Ball
    claimed: Ball | None
    holds: bool | None
    attained: bool
    where: str = ""
    source: str = ""
    labels: tuple[str, str] = field(default=("sharp value", "claimed"))
    proofs: tuple[str, ...] = ()
    extra: Mapping[str, Ball | str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        object.__setattr__(self, "extra", MappingProxyType(dict(self.extra)))

    @property
    def statements(self) -> dict[str, str]:
        """The text of each statement in `proofs`, by id."""
        from symcook.proof.replay import statements

        return {name: statements()[name].text for name in self.proofs}

    def verdicts(self) -> dict[str, str]:
        """The status of each statement in `proofs`, by id, with what it assumes: its stored proof is checked now."""
        from symcook.proof.replay import replay

        found = {verdict.id: verdict.words for verdict in replay(self.proofs)} if self.proofs else {}
        return {name: found[name] for name in self.proofs}  # in the order in which they are named

    def to_json(self) -> dict[str, Any]:
        """{"kind", "parameters", "value": ball, "claimed": ball, "holds", "attained", "extra", "proofs", "statements"}.

        "proofs" gives the status of each statement by id, "statements" its text.
        """
        return {
            "kind": self.kind,
            "parameters": dict(self.parameters),
            "value": self.value.to_json(),
            "claimed": None if self.claimed is None else self.claimed.to_json(),
            "holds": self.holds,
            "attained": self.attained,
            "extra": {name: v if isinstance(v, str) else v.to_json() for name, v in self.extra.items()},
            "proofs": self.verdicts(),
            "statements": self.statements,
        }
