"""The rules for lines in the proofs of compiled S-RASP programs, one for each kind of line. Nothing here is trusted.

A rule adds the facts L<line>, which express the value of a line by the bits and numbers that coordinates hold. A line
that looks at no other position has `LineRule`: its facts follow from those of the lines that it reads. The other rules
first prove what the line's heads or feed-forward layers write.

Facts about a width in line 5: Q5 is the number of other positions that are selected, O5 whether i itself is selected,
Yleft5 and Yright5 the numbers of selected positions before i and after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from symcook.compilers.numbers import Atom, Form, add_to
from symcook.compilers.rasp import OneSided
from symcook.compilers.selection import AFTER, BEFORE, SelectorCase
from symcook.compilers.values import Truth
from symcook.errors import Undecided
from symcook.present import present
from symcook.proof.programs.growingnumbers import ChosenNumber, CountedNumber
from symcook.proof.programs.linefacts import RANGES, ProgramFacts


class LineRule:
    """The facts about one line: `name` is its function in the statement, `result` its value by coordinates, as the
    compiler made it."""

    chooses = True
    """Whether there is a proof for a line of this kind that keeps growing numbers where a condition holds."""

    def __init__(self, facts: ProgramFacts, number: int) -> None:
        self.facts, self.number, self.line = facts, number, facts.program.lines[number]
        self.spoken, self.compiled, self.put, self.row = facts.spoken, facts.compiled, facts.put, facts.row
        self.name, self.result = self.spoken.names[number], self.compiled.lines[number]

    @classmethod
    def of(cls, facts: ProgramFacts, number: int) -> None:
        """Add the facts about a line. Undecided if there is no proof for it."""
        rule = cls(facts, number)
        if rule.chosen and not cls.chooses:
            what = facts.program.text(number)
            raise Undecided(f"no proof is made of a number that grows and is found or not: {what}")
        rule.show()

    @property
    def chosen(self) -> list[str]:
        """The coordinates of numbers that the line keeps where a condition holds, and that are 0 elsewhere."""
        atoms = self.result.atoms if isinstance(self.result, Form) else ()
        return [atom.name for atom in atoms if atom.name in self.compiled.gates]

    def show(self) -> None:
        """Add the facts about the line."""
        for name in self.chosen:
            if self.facts.there(name):
                ChosenNumber(self.facts, name).fact()
        for label, text in self.facts.goals(self.number):
            self.facts.valued(self.facts.by_cases(label, text))

    def defined(self, lines: Sequence[str]) -> None:
        """Add the fact L<line>: the line is the number that coordinates hold. `lines` prove it at position i."""
        text = f"{self.name}(i) = {self.facts.form(self.result)}"
        self.facts.valued(self.facts.each(f"L{self.number}", text, lines))


class NoSelectionRule(LineRule):
    """A selection that selects no position."""

    def show(self) -> None:
        """Add the fact Z<line>: the line is the default, as the lines that the selector reads exclude each j."""
        selector, _, default = self.line.reads
        mask = "none" if self.line.op == "aggregate" else self.line.value
        low, end = (end_text.format(i="i") for end_text in RANGES[mask])
        equation, pair = f"{self.name}(i) = {self.spoken.value(default)}", self.spoken.pair(selector)
        reads = self.facts.selected(selector, "j")
        known = dict.fromkeys(fact.at(place) for read, place in reads for fact in self.facts.of_line(read))
        hints = ", ".join([*known, "word(i)", "word(j)", "jl", "jh", "il", "ih"])
        self.facts.valued(self.facts.each(f"Z{self.number}", equation, [
            f"take (sel none) from {self.name}_is(i) by il, ih", f"never: all j in {low}..{end}. ~({pair})",
            "  given j (jl jh)", f"  qed by {hints}",
            "qed by none, never"]))  # fmt: skip
        super().show()


class PrefixSumRule(LineRule):
    """A sum over the positions up to here, or from here on."""

    chooses = False

    def show(self) -> None:
        """Add the fact L<line>, by the counts of the truths that the summed line is made of."""
        # Coordinates hold the counts at other positions; without a strict mask, position i itself is added to them.
        (read,) = self.line.reads
        value, name = self.result, self.name
        if not all(self.facts.there(atom.name) for atom in value.atoms):
            return
        counts = [
            (CountedNumber(self.facts, atom.name), q)
            for atom, q in value.atoms.items()
            if atom.name in self.compiled.counts
        ]
        # The summed line is base + the sum of q*truth: at i (`here`) and at j (`summed`). The coordinate `all_there`
        # has the number of all positions on the side.
        left, strict = self.line.value.endswith("future"), self.line.value.startswith("strict")
        all_there = "before" if left else "behind"
        base = sum((q for atom, q in value.atoms.items() if atom.name == all_there), Fraction(0))
        here, summed = (
            " + ".join([*(f"({q})*I[{self.facts.truth(count.truth, at)}]" for count, q in counts), f"({base})"])
            for at in "ij"
        )
        there, low, high = self.spoken.value(read, "j"), *(end.format(i="i") for end in RANGES[self.line.value])
        self.facts.by_cases(f"Each{self.number}", f"{self.spoken.value(read)} = {here}")
        if not strict:
            self.facts.by_cases(f"Here{self.number}", f"{here} = {self.facts.form(self.compiled.lines[read])}")
        # The hints for the last step: the equation of the line, the counts, and the sums of constants.
        end = [
            f"{name}_is(i)",
            "same",
            *(count.fact().at() for count, _ in counts),
            *[f"Here{self.number}(i)"][: not strict],
        ]
        end += [f"{all_there}_is(i)"] if all_there in self.facts.run else []
        end += ["sum_one(1; i - 1)" if left else "sum_one(i + 1; n)", "il", "ih"]
        if not strict and not left:
            end.append(f"sum_split(j. {summed}; i; i; n)")
        self.defined([
            f"each: all j in {low}..{high}. {there} = {summed} by Each{self.number}, {'il' if not left else 'ih'}",
            f"same: sum(j, {low}, {high}, {there}) = sum(j, {low}, {high}, {summed}) by "
            f"sum_ext(j. {there}; j. {summed}; {low}; {high})[each]",
            f"qed by {', '.join(end)}"])  # fmt: skip


class ComparisonRule(LineRule):
    """A comparison: of numbers, by the coordinates with its result; of values of a few kinds, by cases like other
    lines."""

    chooses = False

    def show(self) -> None:
        """Add the facts about the line."""
        reads = self.line.reads
        coordinates = [
            bit_name
            for bit_name in self.facts.bits(self.result)
            if bit_name in self.compiled.compared or bit_name in self.compiled.signs
        ]
        if isinstance(self.compiled.lines[reads[0]], Form) and coordinates and all(map(self.facts.there, coordinates)):
            known = [fact for name in coordinates for fact in self.compares(name)]
            for label, text in self.facts.goals(self.number):
                self.facts.valued(self.facts.follows(label, text, [f"{self.name}_is", *known]))
            return
        # Two symbols: they are equal if both are the same one of the symbols that either may be (fact S<line>).
        if self.facts.codes(reads[0]) and all(map(self.facts.one_of, reads)):
            a, b = map(self.spoken.value, reads)
            codes = [code for code in self.facts.codes(reads[0]) if code in self.facts.codes(reads[1])]
            same = " + ".join(f"I[{a} = {code}]*I[{b} = {code}]" for code in codes) or "0"
            text = f"I[{a} {self.line.value} {b}] = {same if self.line.value == '=' else f'1 - ({same})'}"
            self.facts.valued(self.facts.by_values(f"S{self.number}", text, [(read, "i") for read in reads]))
        super().show()

    def compares(self, name: str) -> list[str]:
        """The facts about a coordinate that compares the two numbers: what it says about their difference."""
        # The coordinate is about a number `of`, which is `factor` times the difference of the two lines.
        number, (a, b) = self.number, map(self.compiled.lines.__getitem__, self.line.reads)
        sign, put_name, difference = self.compiled.signs.get(name), self.put(name), a.plus(b, -1)
        op, of = self.compiled.compared[name] if sign is None else ("positive", sign.number)
        factor = next(of.atoms[atom] / q for atom, q in difference.atoms.items())
        a, b = map(self.spoken.value, self.line.reads)
        text, row = f"({factor})*({a} - ({b}))", self.row(self.compiled.linear(of))
        self.facts.by_cases(f"Diff{number}_{name}", f"{row} = {text}", held=True)
        if sign is not None:
            self.sign(name)
            return [f"D_{name}", f"Diff{number}_{name}"]
        if factor not in (1, -1):
            raise Undecided("no proof is made of a comparison of fractions")
        condition = f"0 < {text}" if op == "positive" else f"{text} = 0"
        self.facts.each(f"D{number}_{name}", f"{put_name}(i) = I[{condition}]", [
            f"take it from number_is_{op}({text}; {row}) by Diff{number}_{name}(i), il, ih",
            f"qed by it, {put_name}_is(i), il, ih"])  # fmt: skip
        self.facts.follows(f"B_{name}", f"bit({put_name}(i))", [f"D{number}_{name}"])
        return [f"D{number}_{name}"]

    def sign(self, name: str) -> None:
        """The fact D_name: a coordinate is 1 where a number with means in it is positive, else 0.

        The number d is a fraction, so a head finds its sign: its scores are d*k, so it sees a position after the first
        iff d is positive. If there is but one position, d is an integer z, and a unit of the feed-forward layer tests
        this number itself.
        """
        if f"D_{name}" in self.facts.shown:
            return
        number, head, here, mask = self.compiled.signs[name]
        low, high = (end_text.format(i="i") for end_text in RANGES[mask])
        # `first`: the coordinate that tells that the head has one position only. `there`: z, as a number of bits.
        first = "at_first" if mask == "future" else "alone"
        row, put_name, there = self.compiled.linear(number), self.put(name), Form(number.table, number.bits, {})
        at_first = dict(row)
        for atom, q in number.atoms.items():
            mean = self.compiled.means.get(atom.name)
            if mean is None or not mean.plain or mean.mask not in ("future", "none"):
                raise Undecided(f"no proof is made of the comparison {self.compiled.meanings[name]}")
            there = there.plus(mean.value, q)
            add_to(at_first, mean.row.items(), at_first.pop(atom.name))
        if not there.whole or any(isinstance(atom, Atom) for atom in there.atoms) or there.denominator != 1:
            raise Undecided(f"no proof is made of the comparison {self.compiled.meanings[name]}")
        # Lines that prove that each mean is its number at position 1, if that is the only one.
        score, key = (present(self.facts.score_of(head, place, ("leftmost",))) for place in "jk")
        d, z = self.row(row), self.facts.form(there)
        alone, means = list[str](), [f"Mean{k}" for k in range(len(number.atoms))]
        for k, atom in enumerate(number.atoms):
            mean, of_mean = self.put(atom.name), self.compiled.means[atom.name].row
            last = "n" if self.compiled.means[atom.name].mask == "none" else "1"
            summed = f"sum(j, 1, {last}, {self.row(of_mean, 'j')})/{last}"
            alone += [f"  Mean{k}: {mean}(1) = {self.row(of_mean, '1')}",
                      f"    now: {mean}(1) = {summed} by {mean}_is(1), some_here",
                      "    rewrite now", *["    rewrite first"][: last == "n"], "    qed"]  # fmt: skip
        # The fact itself, by the lemma sign_of_mean.
        self.facts.by_cases(f"Whole_{name}", f"{self.row(at_first)} = {z}", held=True)
        index = [f"{of_run}_is" for of_run in ("index", "one") if of_run in self.facts.run]
        self.facts.each(f"D_{name}", f"{put_name}(i) = I[0 < {d}]", [
            "some_here: 1 <= n by il, ih",
            f"scores: all k in {low}..{high}. {key} = ({d})*k", "  given k (kl kh)",
            f"  qed by {', '.join(f'{of_run}(k), {of_run}(i)' for of_run in index)}, kl, kh, il, ih",
            f"later_on: all k in {low}..{high}. later(k) = I[1 < k] by later_is, il, ih",
            f"whole: {high} = 1 -> {d} = {z}", "  given first",
            *([] if high == "i" else ["  only: i = 1 by first, il, ih"]),
            *alone,
            f"  rewrite {'first' if high == 'i' else 'only'}",
            f"  qed by {', '.join(means)}, Whole_{name}(1), some_here",
            f"tests: {self.put(here)}(i) = relu({d}) - relu({d} - 1) by {self.put(here)}_is(i), il, ih",
            f"at_end: {first}(i) = I[{high} = 1] by {first}_is(i), il, ih",
            f"take told from sign_of_mean({high}; {d}; {z}; j. {score}; later; {self.put(head)}(i); {first}(i); "
            f"{self.put(here)}(i))[_, scores, later_on, whole, _, at_end, tests] by {self.put(head)}_is(i), il, ih, "
            "some_here",
            f"qed by told, {put_name}_is(i), il, ih"])  # fmt: skip
        self.facts.follows(f"B_{name}", f"bit({put_name}(i))", [f"D_{name}"])


class MeanRule(LineRule):
    """The mean of a number at the positions up to here, from here on, or at all."""

    chooses = False

    def show(self) -> None:
        """Add the fact L<line>: a head with equal scores sees exactly the selected positions, and gives their mean."""
        name, number, factors = self.name, self.number, {atom.name: q for atom, q in self.result.atoms.items()}
        alone = [*factors.values()] == [1] and self.result.finite().constant == 0
        mean = self.compiled.means.get(next(iter(factors))) if alone else None
        if mean is None or not mean.plain or mean.mask.startswith("strict"):
            raise Undecided(f"no proof is made of this aggregate: {self.facts.program.text(number)}")
        (coordinate,) = factors
        if not self.facts.there(coordinate):
            return
        selector, read, _ = self.line.reads
        low, high = (end.format(i="i") for end in RANGES[mean.mask])
        pair, put, value = self.spoken.pair(selector), self.put(coordinate), self.spoken.value(read, "j")
        row, places = self.row(mean.row, "j"), {part: True for part in self.facts.by_index(selector)}
        # K<line>: a position in the range is selected. Row<line>: what the head averages is the value of the line.
        if selects_by_values := bool(self.facts.selected(selector, "j", places)):
            selected_text = f"I[{self.spoken.pair(selector, told=places)}] = 1"
            self.facts.selects(f"K{number}", selector, selected_text, told=places)
        self.facts.by_cases(f"Row{number}", f"{self.row(mean.row)} = {self.spoken.value(read)}", held=True)
        self.defined([
            f"take found from {name}_is(i) by il, ih", "some_here: 1 <= n by il, ih",
            f"picked: all j in 1..n. I[{pair}] = I[{low} <= j & j <= {high}]", "  given j (jl jh)",
            f"  qed by {f'K{number}(i; j), ' * selects_by_values}jl, jh, il, ih",
            f"same: all j in {low}..{high}. {row} = {value} by Row{number}, il, ih",
            f"times: {put}(i)*({high} - {low} + 1) = sum(j, {low}, {high}, {row}) by {put}_is(i), il, ih, some_here",
            f"take level from mean_of_range({low}; {high}; n; j. I[{pair}]; j. {value}; j. {row}; {name}(i); {put}(i)) "
            "by found, picked, same, times, il, ih, some_here", "qed by level"])  # fmt: skip


class Side(NamedTuple):
    """The positions on one side of i, or all positions, as texts."""

    low: str  # the first position
    high: str  # the last position
    most: str  # the number of positions
    where: str  # the word for the side in names of lemmas and coordinates; empty for all positions
    edge: str  # the condition on i that there is no position on this side
    more: str  # a further argument that lemmas about this side take
    mask: str  # the mask that leaves these positions


SIDES = {
    "left": Side("1", "i - 1", "i - 1", "before", "i = 1", "", "strict-future"),
    "right": Side("i + 1", "n", "n - i", "behind", "i = n", "n; ", "strict-past"),
    "both": Side("1", "n", "n", "", "", "", "none"),
}


class SharedMeans(NamedTuple):
    """The share of the positions that the cases of a selector select, as a sum with a part for each case."""

    fact: str  # the label of the fact that the share is this sum
    terms: list[str]  # for each case: whether it selects j
    sums: list[str]  # the sum of this over all j
    share: list[str]  # this sum divided by the number of positions
    names: list[str]  # the coordinates of the means in `share`

    def put_in(self, side: Side) -> list[str]:
        """Lines that prove that the share times the number of positions is the sum in the equation `same`."""
        summed = f"sum(j, {side.low}, {side.high}, {' + '.join(self.terms)}) = {' + '.join(self.sums)}"
        ones = f"sum_one({side.low}; {side.high}), il, ih, some"
        return ["  rewrite same", f"  parts: {summed} by {ones}", "  rewrite parts",
                *(f"  rewrite back Times{k}" for k in range(len(self.names))), "  qed"]  # fmt: skip


class WidthRule(LineRule):
    """selector_width: the number of selected positions."""

    @property
    def selector(self) -> int:
        """The line of the selector."""
        return self.line.reads[0]

    def show(self) -> None:
        """Add the fact L<line>. There are three kinds of width: all positions are selected; there are counts on either
        side of i; or one lookup finds the number of other positions by their share."""
        value, name = self.result, self.name
        if not all(self.facts.there(atom.name) for atom in value.atoms):
            return
        shares = [atom.name for atom in value.atoms if atom.name in self.compiled.shares]
        pair = self.spoken.pair(self.selector)
        if not shares and [atom.name for atom in value.atoms] == ["last"] and value.finite().constant == 1:
            self.facts.selects(f"K{self.number}", self.selector, f"I[{pair}] = 1")
            self.defined([
                f"each: all j in 1..n. I[{pair}] = 1 by K{self.number}(i; j), il, ih",
                f"same: sum(j, 1, n, I[{pair}]) = sum(j, 1, n, 1) by sum_ext(j. I[{pair}]; j. 1; 1; n)[each]",
                f"qed by {name}_is(i), same, sum_one(1; n), {self.put('last')}_is(i), il, ih, some"])  # fmt: skip
            return
        besides = self.compiled.besides.get(self.number, [])
        if len(besides) == 2:
            self.both_sides(besides)
            return
        if len(shares) != 1 or len(value.atoms) != 1:
            raise Undecided(f"no proof is made of the selector_width: {self.facts.program.text(self.number)}")
        self.others(shares[0])
        self.itself(value.finite())
        self.defined([f"qed by {name}_is(i), Q{self.number}(i), O{self.number}(i), il, ih"])  # fmt: skip

    def itself(self, value: Form) -> None:
        """Add the fact O<line>: whether position i itself is selected, as the number `value`."""
        own = self.spoken.pair(self.selector, "i", "i")
        self.facts.by_cases(f"O{self.number}", f"I[{own}] = {self.facts.form(value)}")

    def both_sides(self, besides: Sequence[OneSided]) -> None:
        """Add the fact L<line> for a width with a count on either side of i: the sum of Yleft, Yright and O."""
        # What the counts on the sides do not give of the value is about i itself, so it must be without atoms.
        value, name = self.result, self.name
        pair_bit, own = f"I[{self.spoken.pair(self.selector)}]", self.spoken.pair(self.selector, "i", "i")
        for part in besides:
            self.beside(part)
            value = value.plus(part.total, -1)
        if value.atoms:
            raise Undecided(f"no proof is made of the selector_width: {self.facts.program.text(self.number)}")
        self.itself(value)
        self.defined([
            f"parts: sum(j, 1, n, {pair_bit}) = sum(j, 1, i - 1, {pair_bit}) + I[{own}] + sum(j, i + 1, n, {pair_bit}) "
            f"by sum_split(j. {pair_bit}; 1; i - 1; n), sum_split(j. {pair_bit}; i; i; n), il, ih",
            f"qed by {name}_is(i), parts, "
            f"Yleft{self.number}(i), Yright{self.number}(i), O{self.number}(i), il, ih"])  # fmt: skip

    def beside(self, part: OneSided) -> None:
        """Add the fact Y<side><line>: the number of selected positions on one side of i."""
        # `gates`: facts about counts that are kept where a condition holds. `ends`: the number of positions there.
        side, label = SIDES[part.side], f"K{part.side}{self.number}"
        gates = [
            ChosenNumber(self.facts, atom.name).fact().at()
            for atom in part.total.atoms
            if atom.name in self.compiled.gates
        ]
        ends = [f"{side.where}_is(i)"] * (side.where in self.facts.run) + [
            f"sum_one({side.low}; {side.high})",
            "il",
            "ih",
        ]
        if len(part.cases) != 1:
            self.by_share(part, [*gates, *ends])
            return
        # One case at i: what is selected is a truth at j, or a constant, so the number is a sum of counts.
        there, hints, truths = part.cases[0].there, list[str](), list[tuple[Truth, str]]()
        if isinstance(there, bool):
            of = str(int(there))
        else:
            factors = {atom.name: q for atom, q in part.total.atoms.items()}
            terms = [f"({factors.get(side.where, 0)})"]
            for count in [CountedNumber(self.facts, name) for name in factors if name in self.compiled.counts]:
                hints.append(count.fact().at())
                truths.append((count.truth, "j"))
                terms.insert(-1, f"({factors[count.name]})*I[{self.facts.truth(count.truth, 'j')}]")
            of = " + ".join(terms)
        # K<side><line> says this about each j; summed over j it is the fact.
        places = self.places_on(side)
        selected_text, reads = (
            self.spoken.pair(self.selector, told=places),
            self.facts.selected(self.selector, "j", places),
        )
        self.facts.by_values(label, f"I[{selected_text}] = {of}", reads, None, truths, "ij")
        self.facts.each(f"Y{part.side}{self.number}", f"{self.sum_on(side)} = {self.facts.form(part.total)}", [
            *self.same_sum(side, self.sum_of, of, [f"{label}(i; j)"]),
            f"qed by {', '.join(['same', *hints, *ends])}"])  # fmt: skip

    def places_on(self, side: Side) -> Mapping[int, bool]:
        """The parts of the selector that compare indices alone, each with whether it is true on a side."""
        sides, places = {BEFORE: side == SIDES["left"], AFTER: side != SIDES["left"]}, dict[int, bool]()
        for part in self.facts.by_index(self.selector):
            (case, *others) = self.compiled.lines[part]
            there = self.compiled.restrict(case.there, sides)
            if not others and isinstance(there, bool):
                places[part] = there
        return places

    def sum_on(
        self,
        side: Side,
    ) -> str:
        """The number of selected positions on one side, as a sum over j."""
        return f"sum(j, {side.low}, {side.high}, I[{self.spoken.pair(self.selector)}])"

    def same_sum(self, side: Side, term: str, of: str, hints: Sequence[str], label: str = "same") -> list[str]:
        """Lines that prove the equation `label`: the sums of `term` and of `of` over a side are equal, as both are
        equal at each j by the hints."""
        pair_bit, places = f"I[{self.spoken.pair(self.selector)}]", self.places_on(side)
        alike = f"  alike: {pair_bit} = I[{self.spoken.pair(self.selector, told=places)}] by jl, jh"
        low, high = side.low, side.high
        return [f"each_{label}: all j in {low}..{high}. {term} = {of}", "  given j (jl jh)", *[alike][: len(places)],
                *["  rewrite alike"][: len(places)], f"  qed by {', '.join([*hints, 'jl', 'jh', 'il', 'ih'])}",
                f"{label}: sum(j, {low}, {high}, {term}) = sum(j, {low}, {high}, {of}) "
                f"by sum_ext(j. {term}; j. {of}; {low}; {high})[each_{label}]"]  # fmt: skip

    def shown_share(self, share: str, side: Side, cases: Sequence[SelectorCase], less: str = "") -> SharedMeans:
        """Add the fact that the coordinate `share` has the share of the positions that `cases` select; the text `less`
        subtracts something from it. Returns the parts of the share."""
        means = SharedMeans(f"Share{side.where}{self.number}", [], [], [], [])
        for case in cases:
            here_bit = self.facts.held_here(case.here)
            if isinstance(case.there, bool):
                means.terms.append(f"{here_bit}*{int(case.there)}")
                means.sums.append(f"{here_bit}*{int(case.there)}*({side.most})")
                means.share.append(f"{here_bit}*{int(case.there)}")
                continue
            node, mean = self.compiled.hold(case.there), self.put(self.compiled.mean_of(case.there, side.mask))
            self.between(node, mean, side)
            means.terms.append(f"{here_bit}*{self.put(node)}(j)")
            means.sums.append(f"{here_bit}*sum(j, {side.low}, {side.high}, {self.put(node)}(j))")
            means.share.append(f"{here_bit}*{mean}(i)")
            means.names.append(mean)
        self.facts.by_cases(means.fact, f"{self.put(share)}(i) = {' + '.join(means.share)}{less}", share)
        return means

    def between(self, bit: str, mean: str, side: Side) -> None:
        """Add the fact Mean_<mean>: the mean of a bit on a side is from 0 to 1."""
        label, known = f"Mean_{mean}", self.facts.bit(bit).label
        if side.where:
            inner = [f"take (Times Edge) from {mean}_is(i) by il, ih",
                     f"take (Least Most) from mean_{side.where}(i; {side.more}{self.put(bit)}; {mean}(i))"
                     f"[_, _, Times, Edge] by {known}, il, ih", "qed by Least, Most"]  # fmt: skip
        else:
            inner = [f"take (Least Most Whole Warm Small) from mean_of_bits(n; {self.put(bit)}; {mean}(i); inverse(i)) "
                     f"by {known}, {mean}_is(i), inverse_is(i), some, il, ih"]  # fmt: skip
            self.facts.each("Mean_inverse", "0 <= inverse(i) & inverse(i) <= 1", [*inner, "qed by Warm, Small"])
            inner.append("qed by Least, Most")
        self.facts.each(label, f"0 <= {mean}(i) & {mean}(i) <= 1", inner)

    def by_share(self, part: OneSided, ends: Sequence[str]) -> None:
        """Add the fact Y<side><line> for a side with several cases: the number of selected positions, which a lookup
        finds by their share.

        The fact N_count says that the number that is looked up is from 0 to the number of positions there.
        """
        # A case that selects all positions (`plain`) is not in the share: it has a count of its own.
        side, label, number = SIDES[part.side], f"Y{part.side}{self.number}", self.number
        share, count, where, places = self.put(part.share), self.put(part.count), side.where, self.places_on(side)
        means = self.shown_share(part.share, side, [case for case in part.cases if not isinstance(case.there, bool)])
        plain = "".join(f"I[{self.facts.truth(case.here)}]" for case in part.cases if case.there is True)
        terms, pair = " + ".join(means.terms), f"I[{self.spoken.pair(self.selector, told=places)}]"
        counted = self.sum_of + (f"*(1 - {plain})" if plain else "")
        pair_terms = pair + (f"*(1 - {plain})" if plain else "")
        self.facts.selects(f"K{part.side}{number}", self.selector, f"{pair_terms} = {terms}", part.cases, places)
        # The share times the number of positions is the sum of `counted`: whether j is selected in a case that is not
        # plain. So the lookup finds this sum.
        inner = [f"take share from {means.fact}(i) by il, ih",
                 *(f"take (Times{k} Edge{k}) from {mean}_is(i) by il, ih" for k, mean in enumerate(means.names)),
                 *self.same_sum(side, counted, terms, [f"K{part.side}{number}(i; j)"]),
                 f"bits: all j in {side.low}..{side.high}. bit({counted})",
                 f"times: {share}(i)*({side.most}) = sum(j, {side.low}, {side.high}, {counted})", "  rewrite share",
                 *means.put_in(side), f"edge: {side.edge} -> {share}(i) = 0", "  given at_edge",
                 *(f"  zero{k}: {mean}(i) = 0 by Edge{k}, at_edge" for k, mean in enumerate(means.names)),
                 "  rewrite share", *(f"  rewrite zero{k}" for k in range(len(means.names))), "  qed",
                 f"take (Is Low High) from share_{where}(i; {side.more}j. {counted}; inverse_{where}(i); "
                 f"{share}(i); {count}(i); {where}; {where}_square)[_, bits, _, times, edge, _, _, _] "
                 f"by inverse_{where}_is(i), {where}_is, {where}_square_is, {count}_is(i), il, ih"]  # fmt: skip
        # In the plain case all positions are selected.
        if plain:
            pair_text = f"{pair} = {terms} + {plain}"
            self.facts.selects(f"J{part.side}{number}", self.selector, pair_text, part.cases, places)
            summed_text = f"{terms} + {plain}"
            inner += self.same_sum(side, self.sum_of, summed_text, [f"J{part.side}{number}(i; j)"], "all")
        within = f"0 <= {count}(i) & {count}(i) <= {side.most}"
        inner += [f"number: {self.sum_on(side)} = {self.facts.form(part.total)} "
                  f"by {', '.join(['same', *['all'][: bool(plain)], 'Is', *ends])}", "- qed by number", "- qed by Low",
                  "- qed by High"]  # fmt: skip
        self.facts.each(label, f"{self.sum_on(side)} = {self.facts.form(part.total)} & {within}", inner)
        self.facts.follows(f"N_{part.count}", within, [label])

    @property
    def sum_of(self) -> str:
        """The term that the width sums: whether j is selected."""
        return f"I[{self.spoken.pair(self.selector)}]"

    def others(self, count: str) -> None:
        """Add the fact Q<line>: the number of other positions that are selected, which the coordinate `count` holds.

        The head looks it up by the share of selected positions, from which 1/n is subtracted if i itself is selected.
        """
        (share, cases, own), number, side = self.compiled.shares[count], self.number, SIDES["both"]
        own_selected = self.put(self.compiled.hold(self.compiled.node(own)))
        means = self.shown_share(share, side, cases, f" - inverse(i)*{own_selected}(i)")
        pair, itself, terms = self.sum_of, self.spoken.pair(self.selector, "i", "i"), " + ".join(means.terms)
        self.facts.selects(f"K{number}", self.selector, f"{pair} = {terms}", cases)
        self.facts.by_cases(f"U{number}", f"{own_selected}(i) = I[{itself}]", held=True)
        m, share, put_count = " + ".join(means.share), self.put(share), self.put(count)
        self.facts.each(f"Q{number}", f"{put_count}(i) = sum(j, 1, n, {pair}) - I[{itself}]", [
            f"bits: all j in 1..n. bit({pair})", f"take share from {means.fact}(i) by il, ih",
            f"take own from U{number}(i) by il, ih",
            *(f"Times{k}: {mean}(i)*n = {times.partition('*')[2]} by {mean}_is(i), il, ih, some"
              for k, (mean, times) in enumerate(zip(means.names, [s for s in means.sums if "sum" in s], strict=True))),
            *self.same_sum(side, pair, terms, [f"K{number}(i; j)"]),
            f"whole: ({m})*n = sum(j, 1, n, {pair})", *means.put_in(side),
            f"value: {share}(i) = {m} - inverse(i)*I[{itself}]", "  rewrite share", "  rewrite own", "  qed",
            f"qed by counted_others(n; i; j. {pair}; {m}; inverse(i); {share}(i); {put_count}(i); before; "
            f"before_square), bits, whole, value, inverse_is(i), before_is, before_square_is, {put_count}_is(i), il, "
            "ih"])  # fmt: skip
