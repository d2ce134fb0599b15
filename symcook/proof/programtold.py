"""A compiler of S-RASP programs that keeps what it made each coordinate for. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from symcook.compilers.booleans import Node
from symcook.compilers.numbers import Form, Linear
from symcook.compilers.selection import Cases, Equality, FoundThere
from symcook.compilers.srasp import Compiled
from symcook.compilers.values import Look, Truth
from symcook.errors import Undecided
from symcook.programs.srasp import Srasp


class NumberTest(NamedTuple):
    """A coordinate that says whether a whole number is 0, or positive."""

    op: str
    number: Form


class Selection(NamedTuple):
    """The head of a selection: what it selects by, and what it copies."""

    op: str
    mask: str
    cases: Cases
    equalities: tuple[Equality, ...]
    head: Look | None


class Told(Compiled):
    """The compiler, with what it made coordinates for: in `made`, in their order, as line after line was compiled."""

    def __init__(self, program: Srasp) -> None:
        self.compared: dict[str, NumberTest] = {}
        self.counts: dict[str, tuple[str, Truth, str]] = {}
        self.selections: dict[int, list[Selection]] = {}
        self.squared: dict[str, tuple[Form, Linear]] = {}
        self.asking: dict[int, int] = {}
        self.now = -1
        super().__init__(program)

    def _line(self, number: int, line: Any, reads: Any) -> Any:
        self.now, before = number, len(self.equalities)
        found = super()._line(number, line, reads)
        self.asking |= {id(one): number for one in self.equalities[before:]}
        return found

    def _zero(self, d: Form) -> Truth:
        return self._kept("zero", d if d.whole and d.atoms[min(d.atoms)] > 0 else d.times(-1), super()._zero(d), d)

    def _positive(self, d: Form) -> Truth:
        return self._kept("positive", d, super()._positive(d), d)

    def _kept(self, op: str, d: Form, found: Truth, asked: Form) -> Truth:
        if not asked.whole:
            raise Undecided("no proof is made of a comparison of means")
        assert isinstance(found, tuple)
        self.compared.setdefault(self._names[found[0]], NumberTest(op, d))
        return found

    def count(self, side: str, truth: Truth, meaning: str) -> Form:
        before = len(self.looks)
        found = super().count(side, truth, meaning)
        fresh = [one for one in self.looks[before:] if isinstance(one, Look)]
        if len(fresh) == 2:
            (atom,) = found.atoms
            self.counts[atom.name] = side, truth, next(iter(fresh[0].values))
        return found

    def look(self, op: str, mask: str, cases: Cases, equalities: Any, value: Any, shown: str) -> FoundThere:
        before = len(self.looks)
        found = super().look(op, mask, cases, equalities, value, shown)
        heads = [one for one in self.looks[before:] if isinstance(one, Look) and one.weighting == f"{op}most"]
        kept = Selection(op, mask, cases, tuple(equalities), heads[-1] if heads else None)
        self.selections.setdefault(self.now, []).append(kept)
        return found

    def _gated(self, test: str, atoms: Any) -> Any:
        raise Undecided("no proof is made of a number that grows and is chosen by a condition")

    def _square(self, form: Form) -> Linear:
        found = super()._square(form)
        names = [name for name in found if name]
        for square in names[::3]:
            self.squared[square] = form, found
        return found

    def put_out(self, labels: Sequence[str]) -> None:
        """Hold what is put out, as the model does."""
        answer: Any = self.lines[self.program.output]
        if isinstance(answer, Form):
            self._shown(answer)
        else:
            for truth in [answer[a] for a in labels] if isinstance(answer, dict) else [answer]:
                self.hold(self.node(truth))

    def held(self) -> Mapping[str, Node]:
        """What the coordinates hold that have a truth."""
        return {name: node for node, name in self._held.items()}

    def name(self, variable: int) -> str:
        return self._names[variable]
