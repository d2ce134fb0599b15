"""What is claimed of the closed forms of a model: how a statement spells values, one form, and what was proved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from symcook.domains.field import Value
from symcook.domains.lengths import Lengths
from symcook.domains.spelling import Spelling


class StatementSpelling(Spelling):
    """How values are written in a statement: counts as sums, letters by their numbers."""

    def __init__(
        self, domain: Lengths, low: str, high: str, tokens: Mapping[str, int], spoken: Mapping[str, str] = {}
    ) -> None:
        """`spoken` is how a sentence calls what is given, where its name is that of another value by the end."""
        super().__init__(domain)
        self.low, self.high, self.tokens, self.spoken = low, high, tokens, spoken
        self.asked: list[str] = []
        """The queries at which numbers stand in what was spelled since `quantified`: q1, q2, .. there."""

    def name(self, name: str) -> str:
        if name in self.world.slots:
            given, place = self.world.slots[name]
            for inner in place[0]:
                if inner in self.world.slots and self.name(inner) not in self.asked:
                    self.asked.append(self.name(inner))
            at = self.linear(*place)
            for k, query in enumerate(self.asked, 1):
                at = at.replace(query, f"q{k}")
            return f"{self.spoken.get(given, given)}({at})"
        if name[:2] == "k:":
            return f"sum(l, {self.low}, {self.high}, I[w(l) = {self.tokens[name[2:]]}])"
        if name[:2] == "p:":
            letter, at = name[2:].rsplit(":", 1)
            return f"sum(l, {self.low}, {at}, I[w(l) = {self.tokens[letter]}])"
        return self.sum(name) if name in self.world.sums else name

    def quantified(self, text: str) -> str:
        """The text for all positions that the queries in it are."""
        for k, query in reversed([*enumerate(self.asked, 1)]):
            text = f"(all q{k} in {self.low}..{self.high}. {query} = q{k} -> {text})"
        self.asked = []
        return text

    def token(self, token: str) -> str:
        return str(self.tokens[token])

    def where(self, test: str, value: str, infinite: bool) -> str:
        """As a product, as sums of a run are written; the checkers ask whether it is defined."""
        return super().where(test, value, False)

    def residue(self, name: str, m: int, residue: int) -> str:
        if m == 2:
            return f"pow(-1, {self.name(name)}) = {'-1' if residue else '1'}"
        return f"(ex q:Int. {self.name(name)} = {m}*q + {residue})"


@dataclass
class FormClaim:
    """One form: which function of the statement it is about, its sentence in the names of a user, and in those of the
    statement; why it is not proved, where it is not."""

    coordinate: str
    function: str
    sentence: str
    formula: str
    missing: str | None = None


@dataclass
class FormsProof:
    """What was proved of the forms of a model; the rest says why not."""

    claims: list[FormClaim]
    statement: Any = None
    certificate: dict[str, Any] | None = None
    verdict: Any = None
    seconds: float = 0.0
    missing: dict[str, str] = field(default_factory=dict)
    given: str = ""
    """What the sentence takes for granted of numbers that are given."""

    @property
    def sentence(self) -> str:
        said = " & ".join(f"({c.sentence})" for c in self.claims if c.missing is None)
        return f"{self.given} -> ({said})" if self.given else said

    @property
    def whole(self) -> bool:
        """Whether all forms that were found are proved."""
        return self.certificate is not None and not self.missing

    def said(self) -> list[str]:
        """What is proved and what is not, in lines."""
        done = [c.coordinate for c in self.claims if c.missing is None] if self.certificate is not None else []
        lines = [f"PROVED: {', '.join(dict.fromkeys(done))}"] if done else []
        return lines + [f"not proved: {f'{name}, ' if name else ''}{why}" for name, why in self.missing.items()]


def equation(spelling: Spelling, head: str, value: Value, cleared: bool = False) -> str:
    """That something has a value; if `cleared`, without a fraction bar, and that what stood below it is positive."""
    if cleared and not isinstance(value, fmpq):
        spelling.world.field.lift(value)
        if not value.den.is_constant():
            above, below = spelling.polynomial(value.num), spelling.polynomial(value.den)
            return f"0 < {below} & {head}*({below}) = {above}"
    return f"{head} = {spelling.value(value)}"
