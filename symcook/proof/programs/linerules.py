"""The rules for lines in the proofs of compiled S-RASP programs, one for each kind of line. Nothing here is trusted.

A rule adds the facts L<line>, which express the value of a line by the bits and numbers that coordinates hold. The rule
of a line that looks at no other position is `LineRule`: the facts about the line follow from those about the lines that
it reads. The other rules first prove what the heads or feed-forward layers of the line write.

Facts about a selector width in line 5: Q5 gives the number of selected positions other than i, O5 whether i itself is
selected, Yleft5 and Yright5 the numbers of selected positions before i and after i.

In the range of a mask or a side, `low` and `high` are the first and the last position, as text.
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
    """The facts about one line: `name` is its function in the statement, `result` is its value in terms of coordinates,
    from the compiler's record."""

    chooses = True
    """Whether the rule has a proof for lines with a growing number that is kept only where a condition holds."""

    def __init__(self, facts: ProgramFacts, number: int) -> None:
        self.facts, self.number, self.line = facts, number, facts.program.lines[number]
        self.spoken = facts.spoken
        self.compiled = facts.compiled
        self.put = facts.put
        self.row = facts.row
        self.name, self.result = self.spoken.names[number], self.compiled.lines[number]

    @classmethod
    def of(cls, facts: ProgramFacts, number: int) -> None:
        """Add the facts about a line. Undecided if the rule has no proof for this line."""
        rule = cls(facts, number)
        if rule.chosen and not cls.chooses:
            what = facts.program.text(number)
            raise Undecided(f"no proof method covers an unbounded number that is found at some positions only: {what}")
        rule.show()

    @property
    def chosen(self) -> list[str]:
        """The coordinates of growing numbers in the line that are kept where a condition holds and are 0 elsewhere."""
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
        """Add the fact L<line>: the line is the number that coordinates hold. `lines` prove this at position i."""
        text = f"{self.name}(i) = {self.facts.form(self.result)}"
        self.facts.valued(self.facts.each(f"L{self.number}", text, lines))


class NoSelectionRule(LineRule):
    """A selection that selects no position."""

    def show(self) -> None:
        """Add the fact Z<line>: the line is the default. The facts about the lines that the selector reads exclude each
        position j."""
        selector, _, default = self.line.reads
        mask = "none" if self.line.op == "aggregate" else self.line.value
        low, end = (end_text.format(i="i") for end_text in RANGES[mask])
        equation = f"{self.name}(i) = {self.spoken.value(default)}"
        pair = self.spoken.pair(selector)
        reads = self.facts.selected(selector, "j")
        known = dict.fromkeys(fact.at(place) for read, place in reads for fact in self.facts.of_line(read))
        hints = ", ".join([*known, "word(i)", "word(j)", "jl", "jh", "il", "ih"])
        self.facts.valued(self.facts.each(f"Z{self.number}", equation, [
            f"take (sel none) from {self.name}_is(i) by il, ih", f"never: all j in {low}..{end}. ~({pair})",
            "  given j (jl jh)", f"  qed by {hints}",
            "qed by none, never"]))  # fmt: skip
        super().show()


class PrefixSumRule(LineRule):
    """A sum over the positions up to i, or from i on; with a strict mask, without i."""

    chooses = False

    def show(self) -> None:
        """Add the fact L<line>, by counts: the summed line is a sum of truths with factors, and of a constant."""
        # Coordinates hold the counts over other positions. Without a strict mask, the value at i is added to them.
        (read,) = self.line.reads
        value, name = self.result, self.name
        if not all(self.facts.there(atom.name) for atom in value.atoms):
            return
        counts = [
            (CountedNumber(self.facts, atom.name), q)
            for atom, q in value.atoms.items()
            if atom.name in self.compiled.counts
        ]
        # The summed line is `base` plus the sum of q*truth: `value_at_i` and `value_at_j` are this as text. The
        # coordinate `position_count` has the number of all positions on the side.
        left = self.line.value.endswith("future")
        strict = self.line.value.startswith("strict")
        position_count = "before" if left else "behind"
        base = sum((q for atom, q in value.atoms.items() if atom.name == position_count), Fraction(0))
        value_at_i, value_at_j = (
            " + ".join([*(f"({q})*I[{self.facts.truth(count.truth, at)}]" for count, q in counts), f"({base})"])
            for at in "ij"
        )
        read_at_j = self.spoken.value(read, "j")
        low, high = (bound.format(i="i") for bound in RANGES[self.line.value])
        self.facts.by_cases(f"Each{self.number}", f"{self.spoken.value(read)} = {value_at_i}")
        if not strict:
            self.facts.by_cases(f"Here{self.number}", f"{value_at_i} = {self.facts.form(self.compiled.lines[read])}")
        # The hints for the last step: the equation of the line, the counts, and the sums of constants.
        hints = [f"{name}_is(i)", "same", *(count.fact().at() for count, _ in counts)]
        hints += [] if strict else [f"Here{self.number}(i)"]
        hints += [f"{position_count}_is(i)"] if position_count in self.facts.run else []
        hints += ["sum_one(1; i - 1)" if left else "sum_one(i + 1; n)", "il", "ih"]
        if not strict and not left:
            hints.append(f"sum_split(j. {value_at_j}; i; i; n)")
        self.defined([
            f"each: all j in {low}..{high}. {read_at_j} = {value_at_j} by Each{self.number}, "
            f"{'il' if not left else 'ih'}",
            f"same: sum(j, {low}, {high}, {read_at_j}) = sum(j, {low}, {high}, {value_at_j}) by "
            f"sum_ext(j. {read_at_j}; j. {value_at_j}; {low}; {high})[each]",
            f"qed by {', '.join(hints)}"])  # fmt: skip


class ComparisonRule(LineRule):
    """A comparison. If the compiler made coordinates for the sign of a difference, facts about them are the proof; any
    other comparison is proved by cases, as other lines are."""

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
        # Two symbols are equal if, for some symbol that both lines may be, both are this symbol (fact S<line>).
        if self.facts.codes(reads[0]) and all(map(self.facts.one_of, reads)):
            a, b = map(self.spoken.value, reads)
            codes = [code for code in self.facts.codes(reads[0]) if code in self.facts.codes(reads[1])]
            same = " + ".join(f"I[{a} = {code}]*I[{b} = {code}]" for code in codes) or "0"
            text = f"I[{a} {self.line.value} {b}] = {same if self.line.value == '=' else f'1 - ({same})'}"
            self.facts.valued(self.facts.by_values(f"S{self.number}", text, [(read, "i") for read in reads]))
        super().show()

    def compares(self, name: str) -> list[str]:
        """Add the facts about a coordinate that compares the two numbers: what it states about their difference.
        Returns the labels of these facts."""
        # The coordinate tests a number `tested`, which is `factor` times the difference of the two lines.
        number, (a, b) = self.number, map(self.compiled.lines.__getitem__, self.line.reads)
        sign = self.compiled.signs.get(name)
        put_name = self.put(name)
        difference = a.plus(b, -1)
        op, tested = self.compiled.compared[name] if sign is None else ("positive", sign.number)
        factor = next(tested.atoms[atom] / q for atom, q in difference.atoms.items())
        a, b = map(self.spoken.value, self.line.reads)
        text, row = f"({factor})*({a} - ({b}))", self.row(self.compiled.linear(tested))
        self.facts.by_cases(f"Diff{number}_{name}", f"{row} = {text}", held=True)
        if sign is not None:
            self.sign(name)
            return [f"D_{name}", f"Diff{number}_{name}"]
        if factor not in (1, -1):
            raise Undecided("no proof method covers a comparison of fractions")
        condition = f"0 < {text}" if op == "positive" else f"{text} = 0"
        self.facts.each(f"D{number}_{name}", f"{put_name}(i) = I[{condition}]", [
            f"take it from number_is_{op}({text}; {row}) by Diff{number}_{name}(i), il, ih",
            f"qed by it, {put_name}_is(i), il, ih"])  # fmt: skip
        self.facts.follows(f"B_{name}", f"bit({put_name}(i))", [f"D{number}_{name}"])
        return [f"D{number}_{name}"]

    def sign(self, name: str) -> None:
        """Add the fact D_name: a coordinate is 1 where a number with means in it is positive, else 0.

        The number d may be a fraction, so a head finds its sign: the score of position k is d*k, so the head sees a
        position after the first iff d is positive. If the head has only one position to see, d is an integer z, and
        units of the feed-forward layer test its sign.
        """
        if f"D_{name}" in self.facts.shown:
            return
        number, head, unit, mask = self.compiled.signs[name]
        low, high = (end_text.format(i="i") for end_text in RANGES[mask])
        # `alone`: the coordinate that is 1 if the head has only one position to see. `z_form`: the number z.
        # `at_first`: the coordinates whose sum is z, where each mean is replaced by what it averages.
        alone = "at_first" if mask == "future" else "alone"
        row = self.compiled.linear(number)
        put_name = self.put(name)
        z_form = Form(number.table, number.bits, {})
        at_first = dict(row)
        for atom, q in number.atoms.items():
            mean = self.compiled.means.get(atom.name)
            if mean is None or not mean.plain or mean.mask not in ("future", "none"):
                raise Undecided(f"no proof method covers the comparison {self.compiled.meanings[name]}")
            z_form = z_form.plus(mean.value, q)
            add_to(at_first, mean.row.items(), at_first.pop(atom.name))
        if not z_form.whole or any(isinstance(atom, Atom) for atom in z_form.atoms) or z_form.denominator != 1:
            raise Undecided(f"no proof method covers the comparison {self.compiled.meanings[name]}")
        # Lines that prove, if position 1 is the only one, that each mean is the averaged number at position 1.
        score, key = (present(self.facts.score_of(head, place, ("leftmost",))) for place in "jk")
        d, z = self.row(row), self.facts.form(z_form)
        mean_lines = list[str]()
        mean_labels = [f"Mean{k}" for k in range(len(number.atoms))]
        for k, atom in enumerate(number.atoms):
            mean, mean_row = self.put(atom.name), self.compiled.means[atom.name].row
            last = "n" if self.compiled.means[atom.name].mask == "none" else "1"
            summed = f"sum(j, 1, {last}, {self.row(mean_row, 'j')})/{last}"
            mean_lines += [f"  Mean{k}: {mean}(1) = {self.row(mean_row, '1')}",
                      f"    now: {mean}(1) = {summed} by {mean}_is(1), some_here",
                      "    rewrite now", *["    rewrite first"][: last == "n"], "    qed"]  # fmt: skip
        # The fact D_name, by the lemma sign_of_mean.
        self.facts.by_cases(f"Whole_{name}", f"{self.row(at_first)} = {z}", held=True)
        index = [f"{coordinate}_is" for coordinate in ("index", "one") if coordinate in self.facts.run]
        self.facts.each(f"D_{name}", f"{put_name}(i) = I[0 < {d}]", [
            "some_here: 1 <= n by il, ih",
            f"scores: all k in {low}..{high}. {key} = ({d})*k", "  given k (kl kh)",
            f"  qed by {', '.join(f'{coordinate}(k), {coordinate}(i)' for coordinate in index)}, kl, kh, il, ih",
            f"later_on: all k in {low}..{high}. later(k) = I[1 < k] by later_is, il, ih",
            f"whole: {high} = 1 -> {d} = {z}", "  given first",
            *([] if high == "i" else ["  only: i = 1 by first, il, ih"]),
            *mean_lines,
            f"  rewrite {'first' if high == 'i' else 'only'}",
            f"  qed by {', '.join(mean_labels)}, Whole_{name}(1), some_here",
            f"tests: {self.put(unit)}(i) = relu({d}) - relu({d} - 1) by {self.put(unit)}_is(i), il, ih",
            f"at_end: {alone}(i) = I[{high} = 1] by {alone}_is(i), il, ih",
            f"take told from sign_of_mean({high}; {d}; {z}; j. {score}; later; {self.put(head)}(i); {alone}(i); "
            f"{self.put(unit)}(i))[_, scores, later_on, whole, _, at_end, tests] by {self.put(head)}_is(i), il, ih, "
            "some_here",
            f"qed by told, {put_name}_is(i), il, ih"])  # fmt: skip
        self.facts.follows(f"B_{name}", f"bit({put_name}(i))", [f"D_{name}"])


class MeanRule(LineRule):
    """The mean of a number over the positions up to i, from i on, or over all positions."""

    chooses = False

    def show(self) -> None:
        """Add the fact L<line>: a head with equal scores sees exactly the selected positions, so it gives the mean over
        them. Undecided for a line that is not one such mean, without further terms."""
        name, number, factors = self.name, self.number, {atom.name: q for atom, q in self.result.atoms.items()}
        is_single_mean = [*factors.values()] == [1] and self.result.finite().constant == 0
        mean = self.compiled.means.get(next(iter(factors))) if is_single_mean else None
        if mean is None or not mean.plain or mean.mask.startswith("strict"):
            raise Undecided(f"no proof method covers this aggregate: {self.facts.program.text(number)}")
        (coordinate,) = factors
        if not self.facts.there(coordinate):
            return
        selector, read, _ = self.line.reads
        low, high = (end.format(i="i") for end in RANGES[mean.mask])
        pair = self.spoken.pair(selector)
        put = self.put(coordinate)
        value = self.spoken.value(read, "j")
        row = self.row(mean.row, "j")
        index_parts = {part: True for part in self.facts.by_index(selector)}
        # K<line>: every position in the range is selected. Row<line>: what the head averages is the line that is read.
        if selects_by_values := bool(self.facts.selected(selector, "j", index_parts)):
            selected_text = f"I[{self.spoken.pair(selector, told=index_parts)}] = 1"
            self.facts.selects(f"K{number}", selector, selected_text, told=index_parts)
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
    """The positions on one side of i, or all positions; each field is text."""

    low: str  # the first position
    high: str  # the last position
    most: str  # the number of positions
    where: str  # the word for the side in names of lemmas and coordinates; empty for all positions
    edge: str  # the condition on i that there is no position on this side
    more: str  # a further argument that lemmas about this side take
    mask: str  # the mask that leaves exactly these positions visible


SIDES = {
    "left": Side("1", "i - 1", "i - 1", "before", "i = 1", "", "strict-future"),
    "right": Side("i + 1", "n", "n - i", "behind", "i = n", "n; ", "strict-past"),
    "both": Side("1", "n", "n", "", "", "", "none"),
}
"""The sides by the name that the compiler gives them."""


class SharedMeans(NamedTuple):
    """The share of positions that a selector selects, as a sum with a part for each case of the selector. The parts are
    texts."""

    fact: str  # the label of the fact that the share is this sum
    terms: list[str]  # for each case: 1 if it applies at i and selects j, else 0
    sums: list[str]  # for each case: the sum of its term over all j on the side
    share: list[str]  # for each case: this sum divided by the number of positions on the side
    names: list[str]  # the coordinates of the means in `share`

    def put_in(self, side: Side) -> list[str]:
        """Lines that prove the goal that the share times the number of positions is the left side of the equation with
        the label `same`, whose right side is the sum of all terms over all j."""
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
        """Add the fact L<line>. The compiler makes three kinds of width: all positions are selected; or two counts, one
        for each side of i, are added; or one lookup finds the number of selected positions other than i, by their
        share of all positions."""
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
            raise Undecided(f"no proof method covers the selector_width: {self.facts.program.text(self.number)}")
        self.others(shares[0])
        self.itself(value.finite())
        self.defined([f"qed by {name}_is(i), Q{self.number}(i), O{self.number}(i), il, ih"])  # fmt: skip

    def itself(self, value: Form) -> None:
        """Add the fact O<line>: `value` is 1 if position i itself is selected, else 0."""
        own = self.spoken.pair(self.selector, "i", "i")
        self.facts.by_cases(f"O{self.number}", f"I[{own}] = {self.facts.form(value)}")

    def both_sides(self, besides: Sequence[OneSided]) -> None:
        """Add the fact L<line> for a width with a count on either side of i: the sum of Yleft, Yright and O."""
        # The value less the counts on both sides is about i itself, so it must have no growing number in it.
        value, name = self.result, self.name
        pair_bit = f"I[{self.spoken.pair(self.selector)}]"
        own = self.spoken.pair(self.selector, "i", "i")
        for part in besides:
            self.beside(part)
            value = value.plus(part.total, -1)
        if value.atoms:
            raise Undecided(f"no proof method covers the selector_width: {self.facts.program.text(self.number)}")
        self.itself(value)
        self.defined([
            f"parts: sum(j, 1, n, {pair_bit}) = sum(j, 1, i - 1, {pair_bit}) + I[{own}] + sum(j, i + 1, n, {pair_bit}) "
            f"by sum_split(j. {pair_bit}; 1; i - 1; n), sum_split(j. {pair_bit}; i; i; n), il, ih",
            f"qed by {name}_is(i), parts, "
            f"Yleft{self.number}(i), Yright{self.number}(i), O{self.number}(i), il, ih"])  # fmt: skip

    def beside(self, part: OneSided) -> None:
        """Add the fact Y<side><line>: the number of selected positions on one side of i."""
        # `gates`: facts about counts that are kept where a condition holds. `ends`: facts about the number of positions
        # on the side.
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
        # Only one case at i: whether j is selected is a truth at j, or a constant. So the number is a sum of counts.
        there, hints, truths = part.cases[0].there, list[str](), list[tuple[Truth, str]]()
        if isinstance(there, bool):
            term_at_j = str(int(there))
        else:
            factors = {atom.name: q for atom, q in part.total.atoms.items()}
            terms = [f"({factors.get(side.where, 0)})"]
            for count in [CountedNumber(self.facts, name) for name in factors if name in self.compiled.counts]:
                hints.append(count.fact().at())
                truths.append((count.truth, "j"))
                terms.insert(-1, f"({factors[count.name]})*I[{self.facts.truth(count.truth, 'j')}]")
            term_at_j = " + ".join(terms)
        # Fact K<side><line>: `term_at_j` is 1 if j is selected, else 0. Its sum over j is the fact to prove.
        index_parts = self.places_on(side)
        selected_text = self.spoken.pair(self.selector, told=index_parts)
        reads = self.facts.selected(self.selector, "j", index_parts)
        self.facts.by_values(label, f"I[{selected_text}] = {term_at_j}", reads, None, truths, "ij")
        self.facts.each(f"Y{part.side}{self.number}", f"{self.sum_on(side)} = {self.facts.form(part.total)}", [
            *self.same_sum(side, self.sum_of, term_at_j, [f"{label}(i; j)"]),
            f"qed by {', '.join(['same', *hints, *ends])}"])  # fmt: skip

    def places_on(self, side: Side) -> Mapping[int, bool]:
        """The parts of the selector that compare only indices, by line, each with its truth on a side."""
        sides = {BEFORE: side == SIDES["left"], AFTER: side != SIDES["left"]}
        known_parts = dict[int, bool]()
        for part in self.facts.by_index(self.selector):
            (case, *others) = self.compiled.lines[part]
            truth = self.compiled.restrict(case.there, sides)
            if not others and isinstance(truth, bool):
                known_parts[part] = truth
        return known_parts

    def sum_on(
        self,
        side: Side,
    ) -> str:
        """The number of selected positions on one side, as a sum over j."""
        return f"sum(j, {side.low}, {side.high}, I[{self.spoken.pair(self.selector)}])"

    def same_sum(self, side: Side, term: str, other: str, hints: Sequence[str], label: str = "same") -> list[str]:
        """Lines that prove the equation `label`: the sums of `term` and of `other` over a side are equal, since the two
        terms are equal at each j by the hints."""
        pair_bit = f"I[{self.spoken.pair(self.selector)}]"
        known_parts = self.places_on(side)
        alike = f"  alike: {pair_bit} = I[{self.spoken.pair(self.selector, told=known_parts)}] by jl, jh"
        low, high = side.low, side.high
        return [f"each_{label}: all j in {low}..{high}. {term} = {other}", "  given j (jl jh)",
                *([alike, "  rewrite alike"] if known_parts else []),
                f"  qed by {', '.join([*hints, 'jl', 'jh', 'il', 'ih'])}",
                f"{label}: sum(j, {low}, {high}, {term}) = sum(j, {low}, {high}, {other}) "
                f"by sum_ext(j. {term}; j. {other}; {low}; {high})[each_{label}]"]  # fmt: skip

    def shown_share(self, share: str, side: Side, cases: Sequence[SelectorCase], less: str = "") -> SharedMeans:
        """Add the fact that the coordinate `share` has the share of the positions that `cases` select, plus the text
        `less`, which begins with a minus. Returns the parts of the share, without `less`."""
        means = SharedMeans(f"Share{side.where}{self.number}", [], [], [], [])
        for case in cases:
            here_bit = self.facts.held_here(case.here)
            if isinstance(case.there, bool):
                means.terms.append(f"{here_bit}*{int(case.there)}")
                means.sums.append(f"{here_bit}*{int(case.there)}*({side.most})")
                means.share.append(f"{here_bit}*{int(case.there)}")
                continue
            node = self.compiled.hold(case.there)
            mean = self.put(self.compiled.mean_of(case.there, side.mask))
            self.between(node, mean, side)
            means.terms.append(f"{here_bit}*{self.put(node)}(j)")
            means.sums.append(f"{here_bit}*sum(j, {side.low}, {side.high}, {self.put(node)}(j))")
            means.share.append(f"{here_bit}*{mean}(i)")
            means.names.append(mean)
        self.facts.by_cases(means.fact, f"{self.put(share)}(i) = {' + '.join(means.share)}{less}", share)
        return means

    def between(self, coordinate: str, mean: str, side: Side) -> None:
        """Add the fact Mean_<mean>: the mean of a bit on a side is from 0 to 1."""
        label, bit_fact = f"Mean_{mean}", self.facts.bit(coordinate).label
        if side.where:
            lines = [f"take (Times Edge) from {mean}_is(i) by il, ih",
                     f"take (Least Most) from mean_{side.where}(i; {side.more}{self.put(coordinate)}; {mean}(i))"
                     f"[_, _, Times, Edge] by {bit_fact}, il, ih", "qed by Least, Most"]  # fmt: skip
        else:
            lines = [f"take (Least Most Whole Warm Small) from mean_of_bits(n; {self.put(coordinate)}; {mean}(i); "
                     f"inverse(i)) by {bit_fact}, {mean}_is(i), inverse_is(i), some, il, ih"]  # fmt: skip
            self.facts.each("Mean_inverse", "0 <= inverse(i) & inverse(i) <= 1", [*lines, "qed by Warm, Small"])
            lines.append("qed by Least, Most")
        self.facts.each(label, f"0 <= {mean}(i) & {mean}(i) <= 1", lines)

    def by_share(self, part: OneSided, ends: Sequence[str]) -> None:
        """Add the fact Y<side><line> for a side with several cases: the number of selected positions, which a lookup
        finds by their share.

        The fact N_count states that the number that the head looks up is from 0 to the number of positions on the side.
        """
        # A case that selects all positions is not in the share, since it has a count of its own. The indicator that
        # this case applies at i is `all_selected`, or "" if the selector has no such case.
        side, label, number = SIDES[part.side], f"Y{part.side}{self.number}", self.number
        share = self.put(part.share)
        count = self.put(part.count)
        where = side.where
        known_parts = self.places_on(side)
        means = self.shown_share(part.share, side, [case for case in part.cases if not isinstance(case.there, bool)])
        all_selected = "".join(f"I[{self.facts.truth(case.here)}]" for case in part.cases if case.there is True)
        terms = " + ".join(means.terms)
        pair = f"I[{self.spoken.pair(self.selector, told=known_parts)}]"
        counted = self.sum_of + (f"*(1 - {all_selected})" if all_selected else "")
        pair_terms = pair + (f"*(1 - {all_selected})" if all_selected else "")
        self.facts.selects(f"K{part.side}{number}", self.selector, f"{pair_terms} = {terms}", part.cases, known_parts)
        # `counted` is 1 if another case selects j, else 0. The share times the number of positions is the sum of
        # `counted` over j, so the lookup finds this sum.
        lines = [f"take share from {means.fact}(i) by il, ih",
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
        # In the case that selects all positions, the number is that of all positions on the side.
        if all_selected:
            pair_text = f"{pair} = {terms} + {all_selected}"
            self.facts.selects(f"J{part.side}{number}", self.selector, pair_text, part.cases, known_parts)
            summed_text = f"{terms} + {all_selected}"
            lines += self.same_sum(side, self.sum_of, summed_text, [f"J{part.side}{number}(i; j)"], "all")
        within = f"0 <= {count}(i) & {count}(i) <= {side.most}"
        lines += [f"number: {self.sum_on(side)} = {self.facts.form(part.total)} "
                  f"by {', '.join(['same', *['all'][: bool(all_selected)], 'Is', *ends])}",
                  "- qed by number", "- qed by Low", "- qed by High"]  # fmt: skip
        self.facts.each(label, f"{self.sum_on(side)} = {self.facts.form(part.total)} & {within}", lines)
        self.facts.follows(f"N_{part.count}", within, [label])

    @property
    def sum_of(self) -> str:
        """The term that the width sums: 1 if j is selected, else 0."""
        return f"I[{self.spoken.pair(self.selector)}]"

    def others(self, count: str) -> None:
        """Add the fact Q<line>: the coordinate `count` holds the number of selected positions other than i.

        The head looks this number up by the share of selected positions, from which 1/n is subtracted if i itself is
        selected. The coordinate `own_selected` tells whether it is.
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
