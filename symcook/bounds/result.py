"""The answer to a question about a bound."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from symcook.numbers.balls import Ball


@dataclass(frozen=True)
class Bound:
    """A claimed bound beside the sharp value.

    value: the supremum of the quantity; claimed: the paper's bound; holds: value <= claimed, None where the balls
    left it open; attained: whether some admissible input reaches the supremum. parameters are exact: integers,
    booleans and text of the grammar. where: which inputs reach the supremum, in words.
    """

    kind: str
    parameters: Mapping[str, int | bool | str]
    value: Ball
    claimed: Ball
    holds: bool | None
    attained: bool
    where: str = ""
    source: str = ""
    labels: tuple[str, str] = field(default=("sharp value", "claimed"))

    def __post_init__(self) -> None:
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def to_json(self) -> dict[str, Any]:
        """{"kind", "parameters", "value": ball, "claimed": ball, "holds", "attained"}."""
        return {
            "kind": self.kind,
            "parameters": dict(self.parameters),
            "value": self.value.to_json(),
            "claimed": self.claimed.to_json(),
            "holds": self.holds,
            "attained": self.attained,
        }

    def text(self) -> str:
        """Lines for a reader: the parameters, both balls, the verdict, and where the supremum is reached."""
        shown = {name: str(v).lower() if isinstance(v, bool) else v for name, v in self.parameters.items()}
        given = ", ".join(f"{name} = {v}" for name, v in shown.items())
        verdict = {True: "yes", False: "no", None: "undecided"}[self.holds]
        rows = [
            ("bound", f"{self.kind}: {given}"),
            (self.labels[0], str(self.value)),
            (self.labels[1], str(self.claimed)),
            ("holds", verdict),
            ("attained", f"{'yes' if self.attained else 'no'}{f', {self.where}' if self.where else ''}"),
            ("source", self.source),
        ]
        width = max(len(name) for name, text in rows if text)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in rows if text)
