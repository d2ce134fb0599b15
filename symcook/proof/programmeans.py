"""Means in the proofs of compiled S-RASP programs: of numbers, and of bits to count by them. Nothing here is trusted.

Fact X5 says which case of a width in line 5 holds at i, Q5 how many other positions are selected, O5 whether i itself
is, Yleft5 and Yright5 how many before it and behind it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from symcook.compilers.numbers import Form
from symcook.compilers.rasp import OneSided
from symcook.compilers.selection import AFTER, BEFORE, SelectorCase
from symcook.compilers.values import Truth
from symcook.errors import Undecided
from symcook.proof.programlines import LineRule
from symcook.proof.programnumbers import ChosenNumber, CountedNumber
from symcook.proof.programpairs import SelectorPairs, held_here, selects
from symcook.proof.programsaid import RANGES


class MeanRule(LineRule):
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
            said = f"I[{self.spoken.pair(selector, told=places)}] = 1"
            selects(self.text, f"K{number}", selector, (), places, said)
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
    """The positions on one side of i, or all: the first and the last, how many, the word in names of lemmas, what holds
    where there is none, what lemmas take more, and the mask."""

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
    "both": Side("1", "n", "n", "", "", "", "none"),
}


class SharedMeans(NamedTuple):
    """The share of what cases select, as a sum of means: the fact that it is, what is selected of j, the sum of that
    over all j and the share, each by cases, and the means."""

    fact: str
    terms: list[str]
    sums: list[str]
    share: list[str]
    names: list[str]

    def put_in(self, side: Side) -> list[str]:
        """Lines that close a goal that the share times all positions is the sum that `same` is about."""
        summed = f"sum(j, {side.low}, {side.high}, {' + '.join(self.terms)}) = {' + '.join(self.sums)}"
        ones = f"sum_one({side.low}; {side.high}), il, ih, some"
        return ["  rewrite same", f"  parts: {summed} by {ones}", "  rewrite parts",
                *(f"  rewrite back Times{k}" for k in range(len(self.names))), "  qed"]  # fmt: skip


class WidthRule(LineRule):
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
            selects(self.text, f"K{self.number}", self.selector, (), {}, f"I[{pair}] = 1")
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
            hints = [f"{CountedNumber(self.text, name).fact()}(i)" for name in atoms if name in self.compiled.counts]
            factors = [q for name, q in atoms.items() if name in self.compiled.counts]
            of += [f"({q})*I[{self.text.truth(truth, 'j')}]" for q, truth in zip(factors, counts, strict=True)]
            of.append(f"({atoms.get(side.where, 0)})")
        places = self.places_on(side)
        pairs = SelectorPairs(self.text, self.text.selected(self.selector, "j", places))
        for truth in counts:
            pairs.hold(truth, "j")
        pairs.show(label, f"I[{self.spoken.pair(self.selector, told=places)}] = {' + '.join(of)}")
        self.text.each(f"Y{one.side}{self.number}", f"{self.sum_on(side)} = {self.text.form(one.total)}", [
            *self.same_sum(side, self.sum_of, " + ".join(of), [f"{label}(i; j)"]),
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

    def sum_on(
        self,
        side: Side,
    ) -> str:
        """How many positions on one side are selected, as the sum that it is."""
        return f"sum(j, {side.low}, {side.high}, I[{self.spoken.pair(self.selector)}])"

    def same_sum(self, side: Side, term: str, of: str, hints: Sequence[str], label: str = "same") -> list[str]:
        """Lines that show that the sum of a term of the selector is that of `of`, by hints about each j."""
        said, places = f"I[{self.spoken.pair(self.selector)}]", self.places_on(side)
        alike = f"  alike: {said} = I[{self.spoken.pair(self.selector, told=places)}] by jl, jh"
        low, high = side.low, side.high
        return [f"each_{label}: all j in {low}..{high}. {term} = {of}", "  given j (jl jh)", *[alike][: len(places)],
                *["  rewrite alike"][: len(places)], f"  qed by {', '.join([*hints, 'jl', 'jh', 'il', 'ih'])}",
                f"{label}: sum(j, {low}, {high}, {term}) = sum(j, {low}, {high}, {of}) "
                f"by sum_ext(j. {term}; j. {of}; {low}; {high})[each_{label}]"]  # fmt: skip

    def shown_share(self, share: str, side: Side, cases: Sequence[SelectorCase], less: str = "") -> SharedMeans:
        """What is known of the share of the positions that cases select, less what is subtracted."""
        means = SharedMeans(f"Share{side.where}{self.number}", [], [], [], [])
        for case in cases:
            held = held_here(self.text, case.here)
            if isinstance(case.there, bool):
                means.terms.append(f"{held}*{int(case.there)}")
                means.sums.append(f"{held}*{int(case.there)}*({side.most})")
                means.share.append(f"{held}*{int(case.there)}")
                continue
            node, mean = self.compiled.hold(case.there), self.put(self.compiled.mean_of(case.there, side.mask))
            self.between(node, mean, side)
            means.terms.append(f"{held}*{self.put(node)}(j)")
            means.sums.append(f"{held}*sum(j, {side.low}, {side.high}, {self.put(node)}(j))")
            means.share.append(f"{held}*{mean}(i)")
            means.names.append(mean)
        self.text.by_cases(means.fact, f"{self.put(share)}(i) = {' + '.join(means.share)}{less}", share)
        return means

    def between(self, bit: str, mean: str, side: Side) -> None:
        """The fact that the mean of a bit is from 0 to 1."""
        label, known = f"Mean_{mean}", f"{self.text.bit(bit)}"
        if side.where:
            inner = [f"take (Times Edge) from {mean}_is(i) by il, ih",
                     f"take (Least Most) from mean_{side.where}(i; {side.more}{self.put(bit)}; {mean}(i))"
                     f"[_, _, Times, Edge] by {known}, il, ih", "qed by Least, Most"]  # fmt: skip
        else:
            inner = [f"take (Least Most Whole Warm Small) from mean_of_bits(n; {self.put(bit)}; {mean}(i); inverse(i)) "
                     f"by {known}, {mean}_is(i), inverse_is(i), some, il, ih"]  # fmt: skip
            self.text.each("Mean_inverse", "0 <= inverse(i) & inverse(i) <= 1", [*inner, "qed by Warm, Small"])
            inner.append("qed by Least, Most")
        self.text.each(label, f"0 <= {mean}(i) & {mean}(i) <= 1", inner)

    def by_share(self, one: OneSided, ends: Sequence[str]) -> None:
        """The fact how many positions on one side are selected, and of the coordinate with their number that it is from
        0 to all of them: a lookup finds it by a share, in each case that of a mean."""
        side, label, number = SIDES[one.side], f"Y{one.side}{self.number}", self.number
        share, count, where, places = self.put(one.share), self.put(one.count), side.where, self.places_on(side)
        means = self.shown_share(one.share, side, [case for case in one.cases if not isinstance(case.there, bool)])
        plain = "".join(f"I[{self.text.truth(case.here)}]" for case in one.cases if case.there is True)
        terms, pair = " + ".join(means.terms), f"I[{self.spoken.pair(self.selector, told=places)}]"
        counted = self.sum_of + (f"*(1 - {plain})" if plain else "")
        rest = pair + (f"*(1 - {plain})" if plain else "")
        selects(self.text, f"K{one.side}{number}", self.selector, one.cases, places, f"{rest} = {terms}")
        inner = [f"take share from {means.fact}(i) by il, ih",
                 *(f"take (Times{k} Edge{k}) from {mean}_is(i) by il, ih" for k, mean in enumerate(means.names)),
                 *self.same_sum(side, counted, terms, [f"K{one.side}{number}(i; j)"]),
                 f"bits: all j in {side.low}..{side.high}. bit({counted})",
                 f"times: {share}(i)*({side.most}) = sum(j, {side.low}, {side.high}, {counted})", "  rewrite share",
                 *means.put_in(side), f"edge: {side.edge} -> {share}(i) = 0", "  given at_edge",
                 *(f"  zero{k}: {mean}(i) = 0 by Edge{k}, at_edge" for k, mean in enumerate(means.names)),
                 "  rewrite share", *(f"  rewrite zero{k}" for k in range(len(means.names))), "  qed",
                 f"take (Is Low High) from share_{where}(i; {side.more}j. {counted}; inverse_{where}(i); "
                 f"{share}(i); {count}(i); {where}; {where}_square)[_, bits, _, times, edge, _, _, _] "
                 f"by inverse_{where}_is(i), {where}_is, {where}_square_is, {count}_is(i), il, ih"]  # fmt: skip
        if plain:
            said = f"{pair} = {terms} + {plain}"
            selects(self.text, f"J{one.side}{number}", self.selector, one.cases, places, said)
            whole = f"{terms} + {plain}"
            inner += self.same_sum(side, self.sum_of, whole, [f"J{one.side}{number}(i; j)"], "all")
        within = f"0 <= {count}(i) & {count}(i) <= {side.most}"
        inner += [f"number: {self.sum_on(side)} = {self.text.form(one.total)} "
                  f"by {', '.join(['same', *['all'][: bool(plain)], 'Is', *ends])}", "- qed by number", "- qed by Low",
                  "- qed by High"]  # fmt: skip
        self.text.each(label, f"{self.sum_on(side)} = {self.text.form(one.total)} & {within}", inner)
        self.text.add(f"N_{one.count}", f"all i in 1..n. {within}", [label])

    @property
    def sum_of(self) -> str:
        """What is summed: whether j is selected."""
        return f"I[{self.spoken.pair(self.selector)}]"

    def others(self, count: str) -> None:
        """The fact how many other positions are selected."""
        (share, cases, own), number, side = self.compiled.shares[count], self.number, SIDES["both"]
        own_held = self.put(self.compiled.hold(self.compiled.node(own)))
        means = self.shown_share(share, side, cases, f" - inverse(i)*{own_held}(i)")
        pair, itself, terms = self.sum_of, self.spoken.pair(self.selector, "i", "i"), " + ".join(means.terms)
        selects(self.text, f"K{number}", self.selector, cases, {}, f"{pair} = {terms}")
        self.text.by_cases(f"U{number}", f"{own_held}(i) = I[{itself}]", held=True)
        m, share, found = " + ".join(means.share), self.put(share), self.put(count)
        self.text.each(f"Q{number}", f"{found}(i) = sum(j, 1, n, {pair}) - I[{itself}]", [
            f"bits: all j in 1..n. bit({pair})", f"take share from {means.fact}(i) by il, ih",
            f"take own from U{number}(i) by il, ih",
            *(f"Times{k}: {mean}(i)*n = {one.partition('*')[2]} by {mean}_is(i), il, ih, some"
              for k, (mean, one) in enumerate(zip(means.names, [s for s in means.sums if "sum" in s], strict=True))),
            *self.same_sum(side, pair, terms, [f"K{number}(i; j)"]),
            f"whole: ({m})*n = sum(j, 1, n, {pair})", *means.put_in(side),
            f"value: {share}(i) = {m} - inverse(i)*I[{itself}]", "  rewrite share", "  rewrite own", "  qed",
            f"qed by counted_others(n; i; j. {pair}; {m}; inverse(i); {share}(i); {found}(i); before; "
            f"before_square), bits, whole, value, inverse_is(i), before_is, before_square_is, {found}_is(i), il, "
            "ih"])  # fmt: skip
