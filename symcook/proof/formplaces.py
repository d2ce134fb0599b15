"""Lines for heads that look at one place, and for networks that are told apart by places: case by case.

A head by quadratic scores has its one greatest score at a place (`single_best`); a rightmost head by (-1)^j looks at
the last position of a sign (`right_row`). A network at position i is taken at each of the first positions, and behind
them by the sign of (-1)^i, with the values of what it reads written out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from flint import fmpq

from symcook.domains.linear import Affine, Guard
from symcook.domains.spelling import Spelling, in_brackets
from symcook.domains.tables import CellTable
from symcook.domains.world import GuardedCell
from symcook.proof.definitions import EmbeddingRow, HardRow, RunDefinition
from symcook.proof.formgaps import away
from symcook.proof.runtext import joined
from symcook.proof.runvalues import Call, at_position
from symcook.proof.spelled import there

MOST_PLACES = 4

Top = tuple[Fraction, Affine]
"""Of a parabola what multiplies j^2, and where its top is."""


class Leaf(NamedTuple):
    """A part of all positions: its guard, and the labels of what is known there."""

    guard: Guard
    known: tuple[str, ...]


class Half(NamedTuple):
    """One of two parts of a case: what holds there, by which hints, and its label."""

    label: str
    text: str
    hints: str
    leaf: Leaf


class PlaceText:
    """The lines of one coordinate with a table at position i, in the names of a statement; of `sums` there are the
    lines of `formgaps`, and `near` has the labels of those of `nearest` by name."""

    def __init__(
        self,
        spelling: Spelling,
        table: CellTable,
        low: int,
        definitions: Mapping[str, RunDefinition],
        labels: Mapping[str, str],
        sums: Set[str] = frozenset(),
        near: Mapping[str, str] = {},
    ) -> None:
        self.spelling, self.table, self.low, self.definitions, self.labels = spelling, table, low, definitions, labels
        self.world, self.sums, self.begun, self.near = table.world, sums, list[str](), near

    # --- Heads ----------------------------------------------------------------------------------------------------

    def head(self, formula: str, function: str, label: str, tops: Sequence[Top]) -> list[str]:
        """Versions of the line of a head that looks at one place; `tops` are those of parabolas."""
        found = self.definitions[function].row
        if not isinstance(found, HardRow) or found.score is None or found.old is not None:
            return []
        if found.ties not in ("average", "rightmost"):
            return []
        rightmost = found.ties == "rightmost"
        blocks = []
        for cell in self.table.cells:
            slots = set(self.world.slots) & self.world.names_in(cell.value)
            if len(slots) != 1:
                return []
            blocks.append((cell, self.world.slots[slots.pop()][1]))
        read = {*found.score.reads()}
        hints = ", ".join(self.labels[f] for f in self.definitions if f in read)
        out = []
        for top in [None] if rightmost else tops:
            lines = [formula, "  given i (low high)"]
            for cell, place in blocks:
                queries = [v for v in place[0] if v in self.world.slots]
                body = self.last_of_a_sign if rightmost else self.one_top
                inside = body(cell, place, found, hints, top)
                if inside is None:
                    return []
                given = [x for x in [self.given(cell)] if x]
                given += ["given q1 (ql qh) is"] if queries else []
                inside = [*given, *inside, f"qed by best, {label}(i)"]
                lines += [f"  {'- ' if n == 0 else '  '}{x}" for n, x in enumerate(inside)] if len(blocks) > 1 else [
                    f"  {x}" for x in inside
                ]  # fmt: skip
            out.append("\n".join(lines))
        return out

    def one_top(
        self, cell: GuardedCell, place: Affine, found: HardRow, hints: str, parabola: Top | None
    ) -> list[str] | None:
        """The one greatest score, of a parabola with its top at the place or beyond the end that the place is."""
        if parabola is None:
            return None
        top, (slope, vertex) = self.placed(place), parabola
        score, best, scores = (self.score(found, at) for at in ("k", top, "j"))
        hints = ", ".join([hints, *(["is"] if top == "q1" else []), *self.known(cell)])
        product = f"({slope})*((k - ({top}))*(k + ({top}) - 2*({self.placed(vertex)})))"
        return [
            f"less: all k in {found.seen.low}..{found.seen.high}. k != {top} -> {score} < {best}",
            "  given k (kl kh) other",
            f"  here: {score} = {best} + {product} by {hints}",
            f"  cases side: k < {top}",
            "    - qed by here, side",
            "    - qed by here, other, side",
            f"take (weights best) from single_best({found.seen.low}; {found.seen.high}; {top}; "
            f"j. {scores}; j. {found.value.at('j')})[less]",
        ]

    def last_of_a_sign(
        self, cell: GuardedCell, place: Affine, found: HardRow, hints: str, parabola: Top | None
    ) -> list[str] | None:
        """The last position at which a multiple of (-1)^j is greatest: i itself or the one before."""
        top, score = self.placed(place), partial(self.score, found)
        if (found.seen.low, found.seen.high) != ("1", "i") or top not in ("i", "i - 1") or not self.embedded(found):
            return None
        plain = partial(self.score, found, call=self.plain)
        known = ", ".join(self.known(cell))
        lines, behind = [], f", {known}" if known else ""
        if top != "i":
            lines += ["big: 2 <= i", "  cases one: i = 1"]
            for k in range(1, len(self.known(cell)) + 1):
                lines += [f"    {'- ' if k == 1 else '  '}rewrite one in at{k} as now{k}"]
            lines += [f"      qed by {', '.join(f'now{k}' for k in range(1, len(self.known(cell)) + 1)) or 'one'}"]
            lines += ["    - qed by one, low", "turned: pow(-1, i - 1) = -pow(-1, i)"]
            behind += ", big, turned"
        lines += [
            f"top: {score(top)} = {plain(top)} by {hints}{behind}",
            f"most: all k in 1..{top}. {score('k')} <= {score(top)}",
            "  given k (kl kh)",
            f"  here: {score('k')} = {plain('k')} by {hints}",
            "  cases even, odd from sign(k)",
            f"    - qed by here, even, top{behind}",
            f"    - qed by here, odd, top{behind}",
            f"less: all k in {top} + 1..i. {score('k')} < {score(top)}",
            "  given k (kl kh)",
        ]
        if top == "i":
            lines += ["  qed by kl, kh"]
        else:
            lines += [
                "  same: k = i by kl, kh",
                f"  here: {score('k')} = {plain('i')} by {hints}, same",
                f"  qed by here, top{behind}",
            ]
        lines += [f"take best from right_row(i; {top}; j. {score('j')}; j. {found.value.at('j')}) by most, less"]
        return lines

    def placed(self, place: Affine) -> str:
        """A place; a query that names it is q1."""
        terms, constant = place
        if any(v in self.world.slots for v in terms):
            return "q1"
        return self.spelling.linear(terms, constant)

    def known(self, cell: GuardedCell) -> list[str]:
        return [f"at{k}" for k, _ in enumerate(self.spelling.guard(self.world.shortened(cell.guard)), 1)]

    @staticmethod
    def score(head: HardRow, place: str, call: Call = at_position) -> str:
        """The score at a position."""
        return "0" if head.score is None else head.score.at(place, call)

    def embedded(self, head: HardRow) -> bool:
        """Whether a score reads what the embedding puts alone."""
        read = () if head.score is None else head.score.reads()
        return all(f not in self.definitions or isinstance(self.definitions[f].row, EmbeddingRow) for f in read)

    def plain(self, function: str, place: str) -> str:
        """The value of a function at a position, with what the embedding puts in its place."""
        row = self.definitions[function].row if function in self.definitions else None
        if not isinstance(row, EmbeddingRow):
            return at_position(function, place)
        return f"({there(joined(row.terms(at_position)), place)})"

    # --- Networks -------------------------------------------------------------------------------------------------

    def networks(self, formula: str, label: str, reads: Mapping[str, CellTable]) -> Iterator[str]:
        """Versions of the line of a network."""
        self.begun = self.taken(reads)
        cases = self.by_cells(formula, label, reads, 1) or self.by_cells(formula, label, reads, 2)
        versions = (
            lambda: cases,
            lambda: self.by_signs(formula, label, reads),
            lambda: self.network(formula, label, reads),
        )
        return (version for make in versions if (version := make()) is not None)

    def taken(self, reads: Mapping[str, CellTable]) -> list[str]:
        """Lines that give each case of what is read at i a label of its own: of many together every one is tried."""
        lines = list[str]()
        for f, table in reads.items():
            if len(table.cells) > 1 and self.labels[f] == f"{f}_form" and not self.queried(table):
                labels = " ".join(f"{f}_{k}" for k, _ in enumerate(table.cells, 1))
                lines.append(f"  take ({labels}) from {f}_form(i) by low, high")
        return lines

    def queried(self, table: CellTable) -> bool:
        """Whether a case of a form is about queries, which it then quantifies."""
        slots = self.world.slots
        names = {v for c in table.cells for v in self.world.names_in(c.value) if v in slots}
        return any(inner in slots for v in names for inner in slots[v][1][0])

    def by_cells(self, formula: str, label: str, reads: Mapping[str, CellTable], most: int) -> str | None:
        """Case by case, where each says which case of what is read holds."""
        lines, cells = [formula, "  given i (low high)", *self.begun], self.table.cells
        if len(cells) < 2:
            return None
        for cell in cells:
            if any(
                sum(self.world.met(c.guard, cell.guard) is not None for c in t.cells) > most for t in reads.values()
            ):
                return None
            leaf = Leaf(cell.guard, tuple(self.known(cell)))
            if (halves := self.by_read(leaf, reads)) is not None and "pow(-1, i)" in halves[1].text:
                return None  # the sign tells them apart: `network`
            inside = self.leaf(leaf, label, reads, "", isinstance(cell.value, fmpq))
            lines += [f"  - {self.given(cell)}", *(f"    {x[2:]}" for x in inside)]
        return "\n".join(lines)

    def by_signs(self, formula: str, label: str, reads: Mapping[str, CellTable]) -> str | None:
        """Case by case, and in each by the sign of (-1)^i: each of them is closed once, and not at each position."""
        lines, cells, place = [formula, "  given i (low high)", *self.begun], self.table.cells, ("form", (("i", 1),))
        if len(cells) < 2 or not any(("mod", "i", 2) in c.guard for t in reads.values() for c in t.cells):
            return None
        for cell in cells:
            known, said = tuple(self.known(cell)), self.spelling.guard(self.world.shortened(cell.guard))
            low, high = cell.guard.get(place, (None, None))
            lines.append(f"  - {self.given(cell)}")
            if low is not None and low == high:
                lines += [f"    {x[2:]}" for x in self.leaf(Leaf(cell.guard, known), label, reads, "")]
                continue
            lines.append("    cases even, odd from sign(i)")
            for residue, name in enumerate(("even", "odd")):
                guard = self.world.met(cell.guard, {("mod", "i", 2): frozenset((residue,))})
                if guard is None:
                    return None
                first = guard.get(place, (None, None))[0]
                if first == low:
                    lines += self.leaf(Leaf(guard, (*known, name)), label, reads, "      ")
                    continue
                if (text := f"{low} <= i") not in said:
                    return None
                lines += [
                    f"      - cases edge: i = {low}",
                    f"          - rewrite edge in {name} as now",
                    "            qed by now",
                    f"          - far: {first} <= i by edge, {known[said.index(text)]}",
                ]
                inside = self.leaf(Leaf(guard, (*known, name, "far")), label, reads, " " * 10)
                lines += [x.replace("- ", "  ", 1) if n == 0 else x for n, x in enumerate(inside)]
        return "\n".join(lines)

    def given(self, cell: GuardedCell) -> str:
        """The names of what a case takes for granted."""
        known = self.known(cell)
        return f"given {known[0] if len(known) == 1 else '(' + ' '.join(known) + ')'}" if known else ""

    def network(self, formula: str, label: str, reads: Mapping[str, CellTable]) -> str | None:
        """The line of a network: at each of the first positions, and behind them by sign."""
        tables = [[self.world.shortened(c.guard) for c in t.cells] for t in (self.table, *reads.values())]
        ends = [held for t in tables for guard in t for a, held in guard.items() if a == ("form", (("i", 1),))]
        last = max(
            (x for low, high in ends for x in (high, None if low is None else low - 1) if x is not None), default=0
        )
        signs = any(a == ("mod", "i", 2) for t in tables for guard in t for a in guard)
        last += signs and last >= self.low  # which of two positions is the next one depends on the sign
        if last - self.low >= MOST_PLACES or (last < self.low and not signs):
            return None
        lines, inset, far = [formula, "  given i (low high)", *self.begun], "  ", tuple[str, ...]()
        for place in range(self.low, last + 1):
            lines.append(f"{inset}cases at{place}: i = {place}")
            here: Guard = {("form", (("i", 1),)): (place, place)}
            lines += self.leaf(Leaf(here, (f"at{place}", *far)), label, reads, inset + "  ")
            far = (*far, f"at{place}")
            inset += "    "
            lines.append(
                f"{inset[:-2]}- big{place}: {place + 1} <= i by at{place}, "
                f"{f'big{place - 1}' if place > self.low else 'low'}"
            )
            far = (*(x for x in far if x[:2] != "at" and x[:3] != "big"), f"big{place}")
        rest: Guard = {("form", (("i", 1),)): (last + 1, None)} if last >= self.low else {}
        if not signs:
            inside = self.leaf(Leaf(rest, far), label, reads, inset[:-2])
            lines += [x.replace("- ", "  ", 1) if n == 0 else x for n, x in enumerate(inside)]
            return "\n".join(lines)
        lines.append(f"{inset}cases even, odd from sign(i)")
        for residue, name in enumerate(("even", "odd")):
            guard = {**rest, ("mod", "i", 2): frozenset((residue,))}
            lines += self.leaf(Leaf(guard, (name, *far)), label, reads, inset + "  ")
        return "\n".join(lines)

    def leaf(
        self, leaf: Leaf, label: str, reads: Mapping[str, CellTable], inset: str, number: bool = False
    ) -> list[str]:
        """One case: the values of what is read, then the equation; that a `number` is made of numbers says nothing of
        where it is."""
        lines, known = list[str](), list[str]()
        halves = self.by_sum(leaf, reads) or self.by_read(leaf, reads)
        if halves is not None:
            first, second = halves
            lines = [f"cases {first.label}: {first.text}", *self.leaf(first.leaf, label, reads, "  ", number)]
            lines.append(f"  - {second.label}: {second.text} by {second.hints}")
            inside = self.leaf(second.leaf, label, reads, "  ", number)
            lines += [x.replace("- ", "  ", 1) if k == 0 else x for k, x in enumerate(inside)]
            return [f"{inset}{'- ' if n == 0 else '  '}{x}" for n, x in enumerate(lines)]
        for f, table in reads.items():
            cells = [c for c in table.cells if self.world.met(c.guard, leaf.guard) is not None]
            number = number and len(cells) == 1 and isinstance(cells[0].value, fmpq)
            if len(cells) == 1:
                value = self.spelling.value(cells[0].value)
                if any(f" from {f}_form(i)" in x for x in self.begun):
                    k = table.cells.index(cells[0]) + 1
                    conditions = self.spelling.guard(self.world.shortened(cells[0].guard))
                    by = f" by {', '.join(leaf.known)}" if conditions and leaf.known else ""
                    lines.append(f"take is_{f} from {f}_{k}{by}")
                else:
                    lines.append(f"is_{f}: {f}(i) = {value} by {', '.join([self.labels[f], *leaf.known])}")
                hints = [
                    f"is_{f}",
                    *leaf.known,
                    *(f"{x}_gap(i)" for x in self.sums & self.world.names_in(cells[0].value)),
                ]
                more, labels = away(self.spelling, f, cells[0].value, leaf.guard, ", ".join(hints), self.near)
                lines += more
                known += labels or [f"is_{f}"]
            else:
                known.append(self.labels[f])
        lines.append(f"qed by {', '.join([f'{label}(i)', *known, *(() if number else leaf.known)])}")
        return [f"{inset}{'- ' if n == 0 else '  '}{x}" for n, x in enumerate(lines)]

    def by_sum(self, leaf: Leaf, reads: Mapping[str, CellTable]) -> tuple[Half, Half] | None:
        """The halves of a case in which a sum is positive and 0, where that tells cases of what is read apart."""
        cells = [c for table in reads.values() for c in table.cells if self.world.met(c.guard, leaf.guard) is not None]
        for name in sorted(self.sums):
            atom = ("some", name)
            if atom not in leaf.guard and any(atom in c.guard for c in cells):
                whole, labels = self.spelling.sum(name), (f"more_{name}", f"none_{name}")
                guards = ({**leaf.guard, atom: frozenset((held,))} for held in (True, False))
                more, none = (Leaf(g, (*leaf.known, x)) for g, x in zip(guards, labels, strict=True))
                hints = f"{name}_low(i), {labels[0]}"
                return Half(labels[0], f"0 < {whole}", "", more), Half(labels[1], f"{whole} = 0", hints, none)
        return None

    def by_read(self, leaf: Leaf, reads: Mapping[str, CellTable]) -> tuple[Half, Half] | None:
        """The halves of a case in which one of two cases of what is read holds, and the other one."""
        here = {*self.spelling.guard(self.world.shortened(leaf.guard))}
        for f, table in reads.items():
            guards = [g for c in table.cells if (g := self.world.met(c.guard, leaf.guard)) is not None]
            texts = [[x for x in self.spelling.guard(self.world.shortened(g)) if x not in here] for g in guards]
            if len(guards) != 2 or not all(texts):
                continue
            labels = (f"one_{f}", f"other_{f}")
            said = [" & ".join(map(in_brackets, x)) for x in texts]
            halves = [Leaf(g, (*leaf.known, x)) for g, x in zip(guards, labels, strict=True)]
            hints = ", ".join([labels[0], *leaf.known])
            return Half(labels[0], said[0], "", halves[0]), Half(labels[1], said[1], hints, halves[1])
        return None
