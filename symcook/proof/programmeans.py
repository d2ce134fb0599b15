"""Means in the proofs of compiled S-RASP programs: of numbers, and of bits to count by them. Nothing here is trusted.

Fact X5 says which case of a width in line 5 holds at i, Q5 how many other positions are selected, O5 whether i itself
is, Yleft5 and Yright5 how many before it and behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from symcook.compilers.numbers import Form
from symcook.compilers.rasp import OneSided
from symcook.compilers.selection import AFTER, BEFORE, SelectorCase
from symcook.compilers.values import Truth
from symcook.errors import Undecided
from symcook.proof.programlines import LineRule
from symcook.proof.programnumbers import ChosenNumber, Count
from symcook.proof.programpairs import SelectorPairs, held_here, selects
from symcook.proof.programsaid import RANGES
from symcook.proof.programtext import in_cases


class Mean(LineRule):
    """The mean of a number at the positions up to here, from here on, or at all."""

    def show(self) -> None:
        """The mean of a number at the positions up to here, from here on, or at all."""
        value, name, number = self.result, self.name, self.number
        atoms = [*value.atoms]
        if len(atoms) != 1 or value.atoms[atoms[0]] != 1 or value.finite().constant != 0:
            raise Undecided(f"no proof is made of this aggregate: {self.text.program.text(number)}")
        mean = self.compiled.means.get(atoms[0].name)
        if mean is None or not mean.plain or mean.mask.startswith("strict"):
            raise Undecided(f"no proof is made of this aggregate: {self.text.program.text(number)}")
        if not self.text.there(atoms[0].name):
            return
        selector, read, _ = self.line.reads
        low, high = (one.format(i="i") for one in RANGES[mean.mask])
        pair, put, one = self.spoken.pair(selector), self.put(atoms[0].name), self.spoken.value(read, "j")
        row, places = self.row(mean.row, "j"), {k: True for k in self.text.by_index(selector)}
        beside = self.text.selected(selector, "j", places)
        if beside:
            selects(self.text, f"K{number}", selector, (), places, "1")
        self.text.by_cases(f"Row{number}", f"{self.row(mean.row)} = {self.spoken.value(read)}", held=True)
        self.text.each(f"L{number}", f"{name}(i) = {self.text.form(value)}", [
            f"take found from {name}_is(i) by il, ih", "some_here: 1 <= n by il, ih",
            f"picked: all j in 1..n. I[{pair}] = I[{low} <= j & j <= {high}]", "  given j (jl jh)",
            f"  qed by {f'K{number}(i; j), ' * bool(beside)}jl, jh, il, ih",
            f"same: all j in {low}..{high}. {row} = {one} by Row{number}, il, ih",
            f"times: {put}(i)*({high} - {low} + 1) = sum(j, {low}, {high}, {row}) by {put}_is(i), il, ih, some_here",
            f"take level from mean_of_range({low}; {high}; n; j. I[{pair}]; j. {one}; j. {row}; {name}(i); {put}(i)) "
            "by found, picked, same, times, il, ih, some_here", "qed by level"])  # fmt: skip


class Side(NamedTuple):
    """The positions on one side of i: the first and the last, how many, the word in names of lemmas, what holds where
    there is none, what lemmas take more, and the mask."""

    low: str
    high: str
    most: str
    where: str
    edge: str
    more: str
    mask: str


SIDES = {
    "left": Side("1", "i - 1", "i - 1", "before", "i = 1", "", "strict-future"),
    "right": Side("i + 1", "n", "n - i", "behind", "i = n", "n; ", "strict-past"),
}


class Others(NamedTuple):
    """Texts of the other positions that are selected: the coordinates with their number, with what a lookup finds it by
    and with whether i is selected; the selector at i and j, and at i and i."""

    number: str
    share: str
    own: str
    pair: str
    itself: str


class Width(LineRule):
    """How many positions are selected."""

    @property
    def selector(self) -> int:
        """The line that says which."""
        return self.line.reads[0]

    def show(self) -> None:
        """How many positions are selected: all, or those that a lookup finds by their share, and this one."""
        value, name = self.result, self.name
        if not all(self.text.there(atom.name) for atom in value.atoms):
            return
        shares = [atom.name for atom in value.atoms if atom.name in self.compiled.shares]
        pair = self.spoken.pair(self.selector)
        if not shares and [atom.name for atom in value.atoms] == ["last"] and value.finite().constant == 1:
            selects(self.text, f"K{self.number}", self.selector, (), {}, "1")
            self.text.each(f"L{self.number}", f"{name}(i) = {self.text.form(value)}", [
                f"each: all j in 1..n. I[{pair}] = 1 by K{self.number}(i; j), il, ih",
                f"same: sum(j, 1, n, I[{pair}]) = sum(j, 1, n, 1) by sum_ext(j. I[{pair}]; j. 1; 1; n)[each]",
                f"qed by {name}_is(i), same, sum_one(1; n), {self.put('last')}_is(i), il, ih, some"])  # fmt: skip
            return
        besides = self.compiled.besides.get(self.number, [])
        if len(besides) == 2:
            self.both_sides(besides)
            return
        if len(shares) != 1 or len(value.atoms) != 1:
            raise Undecided(f"no proof is made of the selector_width: {self.text.program.text(self.number)}")
        self.others(shares[0])
        self.itself(value.finite())
        self.text.each(f"L{self.number}", f"{name}(i) = {self.text.form(value)}",
                  [f"qed by {name}_is(i), Q{self.number}(i), O{self.number}(i), il, ih"])  # fmt: skip

    def itself(self, value: Form) -> None:
        """The fact whether position i itself is selected."""
        own = self.spoken.pair(self.selector, "i", "i")
        self.text.by_cases(f"O{self.number}", f"I[{own}] = {self.text.form(value)}")

    def both_sides(self, besides: Sequence[OneSided]) -> None:
        """How many positions are selected, where those before and those behind are by other conditions."""
        value, name = self.result, self.name
        said, own = f"I[{self.spoken.pair(self.selector)}]", self.spoken.pair(self.selector, "i", "i")
        for one in besides:
            self.beside(one)
            value = value.plus(one.total, -1)
        if value.atoms:
            raise Undecided(f"no proof is made of the selector_width: {self.text.program.text(self.number)}")
        self.itself(value)
        self.text.each(f"L{self.number}", f"{name}(i) = {self.text.form(self.result)}", [
            f"parts: sum(j, 1, n, {said}) = sum(j, 1, i - 1, {said}) + I[{own}] + sum(j, i + 1, n, {said}) "
            f"by sum_split(j. {said}; 1; i - 1; n), sum_split(j. {said}; i; i; n), il, ih",
            f"qed by {name}_is(i), parts, "
            f"Yleft{self.number}(i), Yright{self.number}(i), O{self.number}(i), il, ih"])  # fmt: skip

    def beside(self, one: OneSided) -> None:
        """The fact how many positions on one side are selected."""
        side, label = SIDES[one.side], f"K{one.side}{self.number}"
        gates = [
            f"{ChosenNumber(self.text, atom.name).fact()}(i)"
            for atom in one.total.atoms
            if atom.name in self.compiled.gates
        ]
        ends = [f"{side.where}_is(i)"] * (side.where in self.text.run) + [
            f"sum_one({side.low}; {side.high})",
            "il",
            "ih",
        ]
        if len(one.cases) != 1:
            self.selects(label, one.cases, self.places_on(side))
            self.by_share(one, [*gates, *ends])
            return
        there = one.cases[0].there
        of, hints = [], list[str]()
        if isinstance(there, bool):
            of.append(str(int(there)))
            counts = list[Truth]()
        else:
            atoms = {atom.name: q for atom, q in one.total.atoms.items()}
            counts = [self.compiled.counts[name].truth for name in atoms if name in self.compiled.counts]
            hints = [f"{Count(self.text, name).fact()}(i)" for name in atoms if name in self.compiled.counts]
            factors = [q for name, q in atoms.items() if name in self.compiled.counts]
            of += [f"({q})*I[{self.text.truth(truth, 'j')}]" for q, truth in zip(factors, counts, strict=True)]
            of.append(f"({atoms.get(side.where, 0)})")
        places = self.places_on(side)
        pairs = SelectorPairs(self.text, self.text.selected(self.selector, "j", places))
        for truth in counts:
            pairs.hold(truth, "j")
        pairs.show(label, f"I[{self.spoken.pair(self.selector, told=places)}] = {' + '.join(of)}")
        self.text.each(f"Y{one.side}{self.number}", f"{self.sum_on(side)} = {self.text.form(one.total)}", [
            *self.same_sum(side, " + ".join(of), [f"{label}(i; j)"]),
            f"qed by {', '.join(['same', *hints, *ends])}"])  # fmt: skip

    def places_on(self, side: Side) -> Mapping[int, bool]:
        """The parts of the selector that compare indices: whether they are true on a side."""
        given, places = {BEFORE: side == SIDES["left"], AFTER: side != SIDES["left"]}, dict[int, bool]()
        for part in self.text.by_index(self.selector):
            (case, *others) = self.compiled.lines[part]
            there = self.compiled.restrict(case.there, given)
            if not others and isinstance(there, bool):
                places[part] = there
        return places

    def selects(
        self, label: str, cases: Sequence[SelectorCase], told: Mapping[int, bool] = MappingProxyType({})
    ) -> None:
        """The fact what a selector says of i and j: in the case that holds at i, what that says of j."""
        parts = [f"{held_here(self.text, case.here)}*{int(case.there is True)}" if isinstance(case.there, bool) else
                 f"{held_here(self.text, case.here)}*{self.put(self.compiled.hold(case.there))}(j)"
                 for case in cases]  # fmt: skip
        selects(self.text, label, self.selector, cases, told, " + ".join(parts))

    def sum_on(
        self,
        side: Side,
    ) -> str:
        """How many positions on one side are selected, as the sum that it is."""
        return f"sum(j, {side.low}, {side.high}, I[{self.spoken.pair(self.selector)}])"

    def same_sum(self, side: Side, of: str, hints: Sequence[str]) -> list[str]:
        """Lines that show that this is the sum of `of`, by hints about each j."""
        said, places = f"I[{self.spoken.pair(self.selector)}]", self.places_on(side)
        alike = f"  alike: {said} = I[{self.spoken.pair(self.selector, told=places)}] by jl, jh"
        return [f"each: all j in {side.low}..{side.high}. {said} = {of}", "  given j (jl jh)", *[alike][: len(places)],
                *["  rewrite alike"][: len(places)], f"  qed by {', '.join([*hints, 'jl', 'jh', 'il', 'ih'])}",
                f"same: {self.sum_on(side)} = sum(j, {side.low}, {side.high}, {of}) "
                f"by sum_ext(j. {said}; j. {of}; {side.low}; {side.high})[each]"]  # fmt: skip

    def by_share(self, one: OneSided, ends: Sequence[str]) -> None:
        """The fact how many positions on one side are selected, and of the coordinate with their number that it is from
        0 to all of them: a lookup finds it by a share, in each case that of a mean."""
        side, label = SIDES[one.side], f"Y{one.side}{self.number}"
        here, told = self.case_here(f"X{one.side}{self.number}", [case.here for case in one.cases])
        inner, means = list[str](), list[str]()
        for case in one.cases:
            if not isinstance(case.there, bool):
                held, mean = self.put(self.compiled.hold(case.there)), self.compiled.mean_of(case.there, side.mask)
                m = len(means)
                inner += [f"take (Times{m} Edge{m}) from {self.put(mean)}_is(i) by il, ih",
                          f"take (Least{m} Most{m}) from mean_{side.where}(i; {side.more}{held}; "
                          f"{self.put(mean)}(i))[_, _, Times{m}, Edge{m}] by "
                          f"{self.text.bit(self.compiled.hold(case.there))}, il, ih"]  # fmt: skip
                means.append(mean)
        blocks = [self.in_case(side, one, case, [f"C{k}", *told], means, ends) for k, case in enumerate(one.cases)]
        inner += in_cases([f"C{k}" for k in range(len(blocks))], f"{here}(i)", "il, ih", blocks)
        count = self.put(one.count)
        within = f"0 <= {count}(i) & {count}(i) <= {side.most}"
        self.text.each(label, f"{self.sum_on(side)} = {self.text.form(one.total)} & {within}", inner)
        self.text.add(f"N_{one.count}", f"all i in 1..n. {within}", [label])

    def in_case(
        self, side: Side, one: OneSided, case: SelectorCase, now: Sequence[str],
        means: Sequence[str], ends: Sequence[str],
    ) -> list[str]:  # fmt: skip
        """Lines that show this where one case holds, by the facts `now`; `means` have the facts Times0, Edge0, Least0,
        Most0 and so on."""
        share, count, where = self.put(one.share), self.put(one.count), side.where
        of, m, summed = str(int(case.there is True)), "0", "same"
        counted = f"I[{self.spoken.pair(self.selector)}]" if case.there is not True else "0"
        if not isinstance(case.there, bool):
            node, mean = self.compiled.hold(case.there), self.compiled.mean_of(case.there, side.mask)
            of, m, place = f"{self.put(node)}(j)", f"{self.put(mean)}(i)", means.index(mean)
            summed = f"Times{place}, Edge{place}, same"
        ranges = [f"{end}{k}" for k in range(len(means)) for end in ("Least", "Most")]
        return [
            *self.same_sum(side, of, [now[0], f"K{one.side}{self.number}(i; j)"]),
            f"bits: all j in {side.low}..{side.high}. bit({counted})",
            f"value: {share}(i) = {m} by {', '.join([f'{share}_is(i)', *now, *ranges, 'il', 'ih'])}",
            f"times: {share}(i)*({side.most}) = sum(j, {side.low}, {side.high}, {counted}) by value, {summed}, il, ih",
            f"edge: {side.edge} -> {share}(i) = 0", "  given at_edge", f"  qed by value, {summed}, at_edge, il, ih",
            f"take (Is Low High) from share_{where}(i; {side.more}j. {counted}; inverse_{where}(i); "
            f"{share}(i); {count}(i); {where}; {where}_square)[_, bits, _, times, edge, _, _, _] "
            f"by inverse_{where}_is(i), {where}_is, {where}_square_is, {count}_is(i), il, ih",
            f"number: {self.sum_on(side)} = {self.text.form(one.total)} "
            f"by {', '.join(['same', 'Is', *now, *ends])}",
            "- qed by number", "- qed by Low", "- qed by High"]  # fmt: skip

    def case_here(self, label: str, here: Sequence[Truth]) -> tuple[str, list[str]]:
        """The fact which case holds at i, by the coordinates that say so, and the facts what these hold."""
        names = [self.compiled.hold(self.compiled.node(one)) for one in here]
        said = list[str]()
        for k in range(len(here)):
            parts = [f"{held_here(self.text, one)} = {int(k == m)}" for m, one in enumerate(here)]
            said.append(f"({' & '.join(parts)})")
        told = [f"{self.text.holds(one)}(i)" for one in names if self.text.there(one)]
        self.text.by_cases(label, " | ".join(said), held=True)
        return label, told

    def others(self, count: str) -> None:
        """The fact how many other positions are selected."""
        share, cases, own = self.compiled.shares[count]
        self.case_here(f"X{self.number}", [case.here for case in cases])
        self.compiled.node(own)
        self.selects(f"K{self.number}", cases)
        held_own = self.compiled.hold(self.compiled.node(own))
        pair, itself = self.spoken.pair(self.selector), self.spoken.pair(self.selector, "i", "i")
        said = Others(self.put(count), self.put(share), self.put(held_own), pair, itself)
        self.text.by_cases(f"U{self.number}", f"{said.own}(i) = I[{itself}]", held=True)
        inner = [
            f"own: {said.own}(i) = I[{itself}] by U{self.number}(i), il, ih",
            f"bits: all j in 1..n. bit(I[{pair}])",
        ]
        means = self.means_of(cases)
        for k, (mean, held) in enumerate(means.items()):
            inner.append(
                f"take (Least{k} Most{k} Whole{k} Warm{k} Small{k}) from "
                f"mean_of_bits(n; {self.put(held)}; {self.put(mean)}(i); "
                f"inverse(i)) by {self.text.bit(held)}, {self.put(mean)}_is(i), inverse_is(i), some, il, ih"
            )
        labels = [f"C{k}" for k in range(len(cases))]
        blocks = [self.case(case, label, said, [*means]) for case, label in zip(cases, labels, strict=True)]
        if len(cases) == 1:
            inner += [f"take C0 from X{self.number}(i) by il, ih", *blocks[0]]
        else:
            inner += in_cases(labels, f"X{self.number}(i)", "il, ih", blocks)
        self.text.each(f"Q{self.number}", f"{said.number}(i) = sum(j, 1, n, I[{pair}]) - I[{itself}]", inner)

    def means_of(self, cases: Sequence[SelectorCase]) -> dict[str, str]:
        """The means that cases find a share by, each with the bit that it is of."""
        means = dict[str, str]()
        for case in cases:
            if not isinstance(case.there, bool):
                held, mean = self.compiled.hold(case.there), self.compiled.mean_of(case.there)
                self.text.holds(held)
                self.text.bit(held)
                means[mean] = held
        return means

    def case(self, case: SelectorCase, held: str, said: Others, means: list[str]) -> list[str]:
        """Lines that show how many others are selected where one case holds, by the fact `held`."""
        hints = f"{held}, K{self.number}(i; j), jl, jh, il, ih"
        if isinstance(case.there, bool):
            of, m, whole = str(int(case.there)), str(int(case.there)), "sum_one(1; n), some"
        else:
            node, mean = self.compiled.hold(case.there), self.compiled.mean_of(case.there)
            of, m, whole = f"{self.put(node)}(j)", f"{self.put(mean)}(i)", f"Whole{means.index(mean)}"
        ranges = ", ".join(f"Least{k}, Most{k}" for k in range(len(means)))
        count, share, pair, itself = said.number, said.share, said.pair, said.itself
        last = f"{share}_is(i), {held}, own, {ranges}, Warm0, Small0, il, ih"
        return [f"each: all j in 1..n. I[{pair}] = {of}", "  given j (jl jh)", f"  qed by {hints}",
                f"same: sum(j, 1, n, I[{pair}]) = sum(j, 1, n, {of}) by sum_ext(j. I[{pair}]; j. {of}; 1; n)[each]",
                f"whole: {m}*n = sum(j, 1, n, I[{pair}]) by same, {whole}",
                f"value: {share}(i) = {m} - inverse(i)*I[{itself}]",
                f"  cases yes, no: {itself}", f"    - qed by yes, {last}", f"    - qed by no, {last}",
                f"qed by counted_others(n; i; j. I[{pair}]; {m}; inverse(i); {share}(i); {count}(i); before; "
                f"before_square), bits, whole, value, inverse_is(i), before_is, before_square_is, {count}_is(i), il, "
                "ih"]  # fmt: skip
