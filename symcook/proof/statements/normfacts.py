"""A claim about layer norms whose deviation is a root: signs and sizes of what the norm writes.

A norm states ``y(i)*dev(i) = x(i) - mu(i)`` with ``dev(i) = sqrt(V)``, and y(i) = 0 where dev(i) = 0. So y has the sign
of x - mu, and ``y^2*V = (x - mu)^2``. A comparison of abs(y) with a number or a term follows from that of the squares.

| label | line |
| --- | --- |
| ``dev'K`` | the deviation is not negative, and its square is V |
| ``over'K`` | what the norm writes times the deviation |
| ``up'K``, ``down'K``, ``rise'K``, ``fall'K`` | signs of y from those of x - mu, and the other way round |
| ``more'KNAME``, .. | signs of a mean from those of its sum, and the other way round |
| ``square'K`` | the square of y, times V |
| ``same'K``, ``aim'K`` | a coordinate of the conclusion that is y, and its size |

`prove` looks for a proof with these lines. The lines are untrusted: a line that does not follow is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

from symcook.alarm import Until
from symcook.errors import Rejected
from symcook.proof import grammar
from symcook.proof.inequalities import reify
from symcook.proof.normal import nf
from symcook.proof.replay import Statement
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.tactics import Citable, Goal
from symcook.proof.statements.facts import HERE, Facts
from symcook.proof.statements.heads import HeadFacts, place_term
from symcook.proof.statements.weightsums import WeightSums, proved_by
from symcook.proof.terms import Term, flatten, free, loose, replace, subterms

show = grammar.show
MOST = 4
"""The greatest number of norms and positions that are read: each has ten lines."""
SQUARES = {"<=": "square_le", "<": "square_lt"}
"""The lemmas that compare numbers by their squares, by the sign of the comparison."""


class NormAt(NamedTuple):
    """What a norm writes at a position: the texts of `y`, of its deviation, of the square V of that, and of x - mu."""

    y: str
    deviation: str
    square: str
    gap: str
    name: str
    at: str


class NormFacts:
    """The lines about the norms that the conclusion depends on."""

    def __init__(self, heads: HeadFacts) -> None:
        self.heads, self.facts, self.plain = heads, heads.facts, WeightSums(heads)

    def unfolded(self, t: Term, at: Term) -> str:
        """A term in i at a position, in what heads write and as short as possible, as text."""
        return show(reify.term(nf(replace(self.plain.unfolded(t), HERE, at))))

    def norms(self) -> list[NormAt]:
        """The norms that the conclusion depends on, at the positions that it names."""
        found: list[NormAt] = []
        calls = [x for x in subterms(self.heads.conclusion.goal) if x[0] == "app" and x[2][0][0] == "var"]
        for call in dict.fromkeys(x for x in calls if not loose(x) and x[2][0][1][0] in self.facts.functions):
            for name in sorted(self.heads.needed({call[2][0][1][0]})):
                size, right = self.facts.products.get(name, (None, None))
                root = None if size is None else self.facts.right(size)
                if size is None or right is None or root is None or root[:2] != ("fn", "sqrt"):
                    continue
                at = call[2][1]
                try:
                    square, gap = self.unfolded(root[2][0], at), self.unfolded(right, at)
                except Rejected:
                    continue
                place = show(at)
                found.append(NormAt(f"{name}({place})", show(replace(size, HERE, at)), square, gap, name, place))
        return list(dict.fromkeys(found))

    def texts(self) -> Iterator[str]:
        """A possible proof of the statement, as the lines below its heading."""
        norms, facts, conclusion = self.norms(), self.facts, self.heads.conclusion
        if not norms or len(norms) > MOST:
            return
        within = [*conclusion.ranges, *conclusion.premises, "some"]
        lines = "".join(facts.forms.values()) + (facts.letters() if facts.tokens else "") + conclusion.lines
        hints = dict.fromkeys([*within, *(["all'"] if facts.tokens else [])])
        for k, norm in enumerate(norms, 1):
            lines += self._norm_lines(norm, k, within)
            hints |= dict.fromkeys(f"{kind}'{k}" for kind in ("up", "down", "rise", "fall"))
            for name in facts.functions:
                if f"form'{name}" in facts.forms:
                    by = f"form'{name}({norm.at}), {', '.join(within)}"
                    lines += f"times'{k}{name}: {self._times(name, norm.at)} by {by}\n"
                    lines += self._signs(name, norm.at, k, within)
                    hints |= dict.fromkeys(f"{kind}'{k}{name}" for kind in ("more", "more'", "less", "less'"))
            for token in facts.tokens:
                lines += self._counted(token, norm.at, k, within)
                hints[f"few'{k}'{token}"] = None
        for number, x in enumerate(self._named(), 1):
            lines += self._sized(x, number, norms, within)
            hints |= dict.fromkeys(f"{kind}'{number}" for kind in ("same", "aim"))
        aims = [f"{kind}'{number}" for number in range(1, len(self._named()) + 1) for kind in ("same", "aim")]
        sizes = any(x[:2] == ("fn", "abs") for x in subterms(conclusion.goal))
        labels = aims if sizes else [*map(str, hints)]
        yield f"{lines}qed by {', '.join(labels)}\n"

    def _times(self, name: str, at: str) -> str:
        """What a mean is times its size, in counts, as text."""
        right = self.facts.forms[f"form'{name}"].partition(f"{name}(i) = ")[2].rpartition(" by ")[0]
        scope = {v[1][0]: v[1][1] for v in free(self.facts.equations[name])} | {"n": "Int", "i": "Int"}
        quotient = grammar.read_value(right, "Real", scope | {"w": ("fun", ("Int",), "Int")}, {})
        top, size = (show(replace(t, HERE, place_term(at))) for t in quotient[2])
        return f"{name}({at})*({size}) = {top}"

    def _signs(self, name: str, at: str, k: int, within: list[str]) -> str:
        """The signs of a mean from those of its sum."""
        product, _, top = self._times(name, at).partition(" = ")
        mean, size = product.partition("*")[::2]
        lines = f"size'{k}{name}: 0 < {size} by {', '.join(within)}\n"
        for kind, sign, no in (("more", "0 < {}", "{} <= 0"), ("less", "{} < 0", "0 <= {}")):
            lines += (
                f"{kind}'{k}{name}: {sign.format(f'({top})')} -> {sign.format(mean)}\n  given some'\n"
                f"  suppose no': {no.format(mean)}\n  whole': {no.format(f'{mean}*{size}')} by no', size'{k}{name}\n"
                f"  qed by whole', times'{k}{name}, some'\n"
                f"{kind}''{k}{name}: {sign.format(mean)} -> {sign.format(f'({top})')}\n  given some'\n"
                f"  whole': {sign.format(f'{mean}*{size}')} by some', size'{k}{name}\n"
                f"  qed by whole', times'{k}{name}\n"
            )
        return lines

    def _norm_lines(self, norm: NormAt, k: int, within: list[str]) -> str:
        """The lines about a norm at a position."""
        facts, by = self.facts, ", ".join(within)
        deviation = norm.deviation.partition("(")[0]
        below = [label for label in self._below(norm) if label]
        equations = ", ".join([*below, *within])
        root = show(replace(facts.equations[deviation][2][0], HERE, place_term(norm.at)))
        label, y, d, gap = f"{facts.label(norm.name)}({norm.at})", norm.y, norm.deviation, norm.gap
        lines = (
            f"dev'{k}: 0 <= {d} & {d}*{d} = {norm.square}\n"
            f"  at': {d} = sqrt({root}) by {facts.label(deviation)}({norm.at}), {by}\n"
            f"  value': {root} = {norm.square} by {equations}\n  least': 0 <= {norm.square}\n"
            f"  inside': 0 <= {root} by value', least'\n"
            f"  take (root' power') from sqrt({root})[inside']\n"
            f"  whole': {d}*{d} = {root} by at', power'\n  qed by at', root', whole', value'\n"
            f"over'{k}: {y}*{d} = {gap} by {label}, {equations}\n"
            f"square'{k}: {y}*{y}*({norm.square}) = ({gap})*({gap})\n"
            f"  whole': ({y}*{d})*({y}*{d}) = ({gap})*({gap}) by over'{k}\n  qed by whole', dev'{k}\n"
        )
        for kind, side, back, left in (("up", "0 < {}", "rise", "{} <= 0"), ("down", "{} < 0", "fall", "0 <= {}")):
            one, other = side.format(f"({gap})"), side.format(y)
            lines += (
                f"{kind}'{k}: {one} -> {other}\n  given some'\n  suppose no': {left.format(y)}\n"
                f"  whole': {left.format(f'{y}*{d}')} by no', dev'{k}\n  qed by whole', over'{k}, some'\n"
                f"{back}'{k}: {other} -> {one}\n  given some'\n  suppose no': {left.format(f'({gap})')}\n"
                f"  cases zero', more': {d} = 0\n    - value': {y} = 0 by {label}, zero', {by}\n"
                f"      qed by value', some'\n"
                f"    - positive': 0 < {d}\n        suppose not': {d} <= 0\n        none': {d} = 0 by not', dev'{k}\n"
                f"        qed by none', more'\n"
                f"      whole': {side.format(f'{y}*{d}')} by positive', some'\n      qed by whole', over'{k}, no'\n"
            )
        return lines

    def _below(self, norm: NormAt) -> list[str]:
        """The labels of the equations of the coordinates, other than of heads, that a norm reads."""
        return [
            f"{self.facts.label(name)}({norm.at})"
            for name in sorted(self.heads.needed({norm.name}) - {norm.name})
            if name in self.facts.equations and name not in self.heads.heads
        ]

    def _counted(self, token: int, at: str, k: int, within: list[str]) -> str:
        """The line that a token at a position is counted in the string up to that position."""
        q = self.heads.seen_at
        one, low = f"I[w({q}) = {token}]", self.facts.low
        return (
            f"few'{k}'{token}: I[w({at}) = {token}] <= sum({q}, {low}, {at}, {one})"
            f" by sum_member({q}. {one}; {low}; {at}; {at}), {', '.join(within)}\n"
        )

    def _named(self) -> list[Term]:
        """The coordinates in the conclusion."""
        found = [x for x in subterms(self.heads.conclusion.goal) if x[0] == "app" and x[2][0][0] == "var"]
        return [x for x in dict.fromkeys(found) if x[2][0][1][0] in self.facts.functions and not loose(x)]

    def _sized(self, x: Term, number: int, norms: list[NormAt], within: list[str]) -> str:
        """The lines ``same'`` and ``aim'`` of a coordinate that a norm writes; ``aim'`` in an absolute value."""
        name, by = x[2][0][1][0], ", ".join(within)
        here = [norm for norm in norms if norm.at == show(x[2][1])]
        norm = next((norm for norm in here if norm.name in self.heads.needed({name})), None)
        parts = [part for part in flatten("&", self.heads.conclusion.goal) if part[0] in SQUARES]
        part = next((part for part in parts if part[2][0][:2] == ("fn", "abs") and part[2][0][2][0] == x), None)
        if norm is None or show(x) == norm.y:
            return ""
        k, y = norms.index(norm) + 1, norm.y
        equation = f"{self.facts.label(name)}({norm.at}), " if name in self.facts.equations else ""
        same = f"same'{number}: {show(x)} = {y} by {equation}{by}\n"
        if part is None or free(part[2][1]) & {HERE}:
            return same
        sign, c, square = part[0], show(part[2][1]), norm.square
        other = "<" if sign == "<=" else "<="
        return (
            f"{same}aim'{number}: abs({y}) {sign} {c}\n  least': 0 <= {c}\n  size': 0 <= {y}*{y}\n"
            f"  compared': {y}*{y} {sign} ({c})*({c})\n    suppose no': ({c})*({c}) {other} {y}*{y}\n"
            f"    positive': 0 < {square}\n"
            f"    whole': ({c})*({c})*({square}) {other} {y}*{y}*({square}) by no', positive'\n"
            f"    whole'': false by whole', square'{k}, size', {by}\n    qed by whole''\n"
            f"  power': abs({y})^2 {sign} ({c})^2 by compared'\n"
            f"  qed by {SQUARES[sign]}(abs({y}); {c}), power', least'\n"
        )


def prove(home: Citable, statement: Statement, seconds: float) -> Goal | Failed:
    """The goal of a statement with a proof by the signs and squares of norms, found within `seconds`; or the reason why
    there is none."""
    search = partial(_proved, home, statement)
    return attempted(search, Until(seconds), because="no facts of norms: ")


def _proved(home: Citable, statement: Statement) -> Goal:
    """What `prove` returns; raises NoResult without a proof."""
    facts = Facts(statement)
    texts = () if facts.numbers else NormFacts(HeadFacts(facts)).texts()
    return proved_by(home, statement, texts, "the statement names no norm whose deviation is a root")
