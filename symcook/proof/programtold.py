"""A compiler of S-RASP programs that keeps what it made each coordinate for. Nothing here is trusted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from symcook.compilers.booleans import BoolNode
from symcook.compilers.numbers import Atom, Form, LinearFactors
from symcook.compilers.selection import Equality, FoundThere, SelectorCases
from symcook.compilers.srasp import Compiled
from symcook.compilers.values import Look, Truth
from symcook.present import present
from symcook.programs.srasp import Srasp


class NumberTest(NamedTuple):
    """A coordinate that says whether a whole number is 0, or positive."""

    op: str
    number: Form


class Selection(NamedTuple):
    """The head of a selection: what it selects by, and what it copies."""

    op: str
    mask: str
    cases: SelectorCases
    equalities: tuple[Equality, ...]
    head: Look | None


class Share(NamedTuple):
    """A lookup of how many other positions are selected: the coordinate with the share, its cases, and the truth that a
    position selects itself."""

    share: str
    cases: SelectorCases
    own: Truth


class OneSided(NamedTuple):
    """How many positions strictly on one side are selected: the cases there, the coordinates with a share and with the
    number that is looked up by it, "" where there is none, and the whole."""

    side: str
    cases: SelectorCases
    share: str
    count: str
    total: Form


class Gate(NamedTuple):
    """A number where a coordinate is 1, else 0."""

    test: str
    atom: Atom


class RangeMean(NamedTuple):
    """A head that gives the mean of a number at the positions that a mask leaves."""

    mask: str
    value: Form
    row: LinearFactors
    plain: bool


class ToldSign(NamedTuple):
    """A comparison of a fraction with 0: the number, the head that tells the sign, and the network where the number is
    whole."""

    number: Form
    head: str
    here: str
    mask: str


class Told(Compiled):
    """The compiler, with what it made coordinates for: in `made`, in their order, as line after line was compiled."""

    def __init__(self, program: Srasp) -> None:
        self.compared: dict[str, NumberTest] = {}
        self.counts: dict[str, tuple[str, Truth, str]] = {}
        self.shares: dict[str, Share] = {}
        self.besides: dict[int, list[OneSided]] = {}
        self.gates: dict[str, Gate] = {}
        self.gating: dict[str, Truth] = {}
        self.means: dict[str, RangeMean] = {}
        self.signs: dict[str, ToldSign] = {}
        self.averaged: Form | None = None
        self.selections: dict[int, list[Selection]] = {}
        self.squared: dict[str, tuple[Form, LinearFactors]] = {}
        self.asking: dict[int, int] = {}
        self.now = -1
        super().__init__(program)

    def _line(self, number: int, line: Any, reads: Any) -> Any:
        self.now, before = number, len(self.equalities)
        found = super()._line(number, line, reads)
        self.asking |= {id(one): number for one in self.equalities[before:]}
        return found

    def _zero(self, d: Form) -> Truth:
        if not d.whole:
            return super()._zero(d)
        return self._kept("zero", d if d.whole and d.atoms[min(d.atoms)] > 0 else d.times(-1), super()._zero(d))

    def _positive(self, d: Form) -> Truth:
        if not d.whole:
            return super()._positive(d)
        return self._kept("positive", d, super()._positive(d))

    def _sign(self, d: Form) -> str:
        before = len(self.looks)
        name = super()._sign(d)
        network, head = (one for one in self.looks[before:][:2])
        if not isinstance(head, Look) or isinstance(network, Look):
            raise RuntimeError("a sign is made of a head and a feed-forward layer")
        self.signs[name] = ToldSign(d, next(iter(head.values)), network.writes[0], head.mask)
        return name

    def aggregate(self, cases: SelectorCases, value: Any, default: Any, shown: str) -> Any:
        self.averaged = None if isinstance(value, dict) else value if isinstance(value, Form) else self.indicator(value)
        return super().aggregate(cases, value, default, shown)

    def _mean_of(self, score: Any, row: LinearFactors, mask: str, shown: str) -> str:
        name = super()._mean_of(score, row, mask, shown)
        self.means[name] = RangeMean(mask, present(self.averaged), row, score is None)
        return name

    def _kept(self, op: str, d: Form, found: Truth) -> Truth:
        if not isinstance(found, tuple):
            raise RuntimeError(f"a tuple is expected here, not {type(found).__name__}")
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

    def _everywhere(self, cases: SelectorCases, shown: str) -> Form:
        found = super()._everywhere(cases, shown)
        kept = self._known.get(("everywhere", cases))
        if kept is not None:
            (atom,) = kept.atoms
            look = next(one for one in self.looks if isinstance(one, Look) and atom.name in one.values)
            share = next(query for query, _ in look.score or () if query != "inverse")
            self.shares[atom.name] = Share(share, cases, self._own(cases, ()))
        return found

    def _beside(self, side: str, cases: SelectorCases, shown: str) -> Form:
        found, share, count = super()._beside(side, cases, shown), "", ""
        kept = self._known.get(("beside", side, tuple(case for case in cases if not isinstance(case.there, bool))))
        if kept is not None and len(cases) > 1:
            count = next(iter(kept.atoms)).name
            look = next(one for one in self.looks if isinstance(one, Look) and count in one.values)
            share = next(query for query, _ in look.score or () if not query.startswith("inverse"))
        self.besides.setdefault(self.now, []).append(OneSided(side, cases, share, count, found))
        return found

    def mean_of(self, there: BoolNode, mask: str = "none") -> str:
        """The coordinate with the mean of a truth over the positions that a mask leaves."""
        return self._known["mean", mask, there]

    def look(self, op: str, mask: str, cases: SelectorCases, equalities: Any, value: Any, shown: str) -> FoundThere:
        before = len(self.looks)
        found = super().look(op, mask, cases, equalities, value, shown)
        heads = [one for one in self.looks[before:] if isinstance(one, Look) and one.weighting == f"{op}most"]
        kept = Selection(op, mask, cases, tuple(equalities), heads[-1] if heads else None)
        self.selections.setdefault(self.now, []).append(kept)
        return found

    def _gated(self, test: str, atoms: Any) -> Any:
        found = super()._gated(test, atoms)
        self.gates |= {new.name: Gate(test, atom) for atom, new in found.items()}
        return found

    def gate(self, test: Truth, form: Form) -> Form:
        found = super().gate(test, form)
        for atom in found.atoms:
            if atom.name in self.gates:
                self.gating.setdefault(atom.name, test)
        return found

    def _square(self, form: Form) -> LinearFactors:
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

    def held(self) -> Mapping[str, BoolNode]:
        """What the coordinates hold that have a truth."""
        return {name: node for node, name in self._held.items()}

    def name(self, variable: int) -> str:
        return self._names[variable]
