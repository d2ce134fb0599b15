"""The rules for lines in the proofs of compiled S-RASP programs, one for each kind of block. Nothing here is trusted.

A rule shows what the function of a line is by the bits and numbers that coordinates hold: `LineRule` where it looks at
no other position, by what is known of the lines that it reads; the others first show what their heads or networks say.
"""

from __future__ import annotations

from fractions import Fraction

from symcook.compilers.numbers import Atom, Form, add_to
from symcook.errors import Undecided
from symcook.present import present
from symcook.proof.programnumbers import ChosenNumber, CountedNumber
from symcook.proof.programsaid import RANGES
from symcook.proof.programtext import ProgramText


class LineRule:
    """The facts about one line: `result` is what coordinates hold of it."""

    def __init__(self, text: ProgramText, number: int) -> None:
        self.text, self.number, self.line = text, number, text.program.lines[number]
        self.spoken, self.compiled, self.put, self.row = text.spoken, text.compiled, text.put, text.row
        self.name, self.result = self.spoken.names[number], self.compiled.lines[number]

    @property
    def chosen(self) -> list[str]:
        """The coordinates of numbers that the line chooses by a condition."""
        atoms = self.result.atoms if isinstance(self.result, Form) else ()
        return [atom.name for atom in atoms if atom.name in self.compiled.gates]

    def show(self) -> None:
        """The facts about the line."""
        for name in self.chosen:
            if self.text.there(name):
                ChosenNumber(self.text, name).fact()
        for label, said in self.text.goals(self.number):
            self.text.by_cases(label, said)


class NoSelectionRule(LineRule):
    """A selection that selects no position."""

    def show(self) -> None:
        """By what the selector reads, the value is the default."""
        selector, _, default = self.line.reads
        mask = "none" if self.line.op == "aggregate" else self.line.value
        low, end = (one.format(i="i") for one in RANGES[mask])
        said, pair = f"{self.name}(i) = {self.spoken.value(default)}", self.spoken.pair(selector)
        reads = self.text.selected(selector, "j")
        facts = [f"{fact}({at})" for read, at in reads for fact in self.text.done if self.about(fact, read)]
        hints = ", ".join([*dict.fromkeys(facts), "word(i)", "word(j)", "jl", "jh", "il", "ih"])
        self.text.each(f"Z{self.number}", said, [
            f"take (sel none) from {self.name}_is(i) by il, ih", f"never: all j in {low}..{end}. ~({pair})",
            "  given j (jl jh)", f"  qed by {hints}",
            "qed by none, never"])  # fmt: skip
        self.text.valued(f"Z{self.number}", f"all i in 1..n. {said}")
        super().show()

    def about(self, fact: str, line: int) -> bool:
        """Whether a fact says what a line is."""
        return fact == f"M{line}" or fact.partition("_")[0] == f"L{line}"


class PrefixSumRule(LineRule):
    """A sum over the positions up to here, or from here on."""

    def show(self) -> None:
        """By the counts of the truths of which the number is made."""
        (read,) = self.line.reads
        value, name = self.result, self.name
        if not all(self.text.there(atom.name) for atom in value.atoms):
            return
        counts = [
            (CountedNumber(self.text, atom.name), q)
            for atom, q in value.atoms.items()
            if atom.name in self.compiled.counts
        ]
        left, strict = self.line.value.endswith("future"), self.line.value.startswith("strict")
        all_there = "before" if left else "behind"
        base = sum((q for atom, q in value.atoms.items() if atom.name == all_there), Fraction(0))
        here, summed = (
            " + ".join([*(f"({q})*I[{self.text.truth(count.truth, at)}]" for count, q in counts), f"({base})"])
            for at in "ij"
        )
        one, low, high = self.spoken.value(read, "j"), *(end.format(i="i") for end in RANGES[self.line.value])
        self.text.by_cases(f"Each{self.number}", f"{self.spoken.value(read)} = {here}")
        if not strict:
            self.text.by_cases(f"Here{self.number}", f"{here} = {self.text.form(self.compiled.lines[read])}")
        end = [
            f"{name}_is(i)",
            "same",
            *(f"{count.fact()}(i)" for count, _ in counts),
            *[f"Here{self.number}(i)"][: not strict],
        ]
        end += [f"{all_there}_is(i)"] if all_there in self.text.run else []
        end += ["sum_one(1; i - 1)" if left else "sum_one(i + 1; n)", "il", "ih"]
        if not strict and not left:
            end.append(f"sum_split(j. {summed}; i; i; n)")
        self.text.each(f"L{self.number}", f"{name}(i) = {self.text.form(value)}", [
            f"each: all j in {low}..{high}. {one} = {summed} by Each{self.number}, {'il' if not left else 'ih'}",
            f"same: sum(j, {low}, {high}, {one}) = sum(j, {low}, {high}, {summed}) by "
            f"sum_ext(j. {one}; j. {summed}; {low}; {high})[each]",
            f"qed by {', '.join(end)}"])  # fmt: skip


class ComparisonRule(LineRule):
    """A comparison: of what has few values as other lines; of numbers by the coordinates that say it."""

    def show(self) -> None:
        """The facts about the line."""
        reads = self.line.reads
        new = [
            one for one in self.text.bits(self.result) if one in self.compiled.compared or one in self.compiled.signs
        ]
        if isinstance(self.compiled.lines[reads[0]], Form) and new and all(map(self.text.there, new)):
            told = [fact for name in new for fact in self.compares(name)]
            for label, said in self.text.goals(self.number):
                self.text.add(label, f"all i in 1..n. {said}", [f"{self.name}_is", *told])
            return
        if self.text.codes(reads[0]) and all(map(self.text.one_of, reads)):
            a, b = map(self.spoken.value, reads)
            codes = [code for code in self.text.codes(reads[0]) if code in self.text.codes(reads[1])]
            same = " + ".join(f"I[{a} = {code}]*I[{b} = {code}]" for code in codes) or "0"
            said = f"I[{a} {self.line.value} {b}] = {same if self.line.value == '=' else f'1 - ({same})'}"
            self.text.by_values(f"S{self.number}", said, reads)
            self.text.valued(f"S{self.number}", f"all i in 1..n. {said}")
        super().show()

    def compares(self, name: str) -> list[str]:
        """The facts what a coordinate says of the difference of the two numbers."""
        number, text, (a, b) = self.number, self.text, map(self.compiled.lines.__getitem__, self.line.reads)
        sign, put, difference = self.compiled.signs.get(name), self.put(name), a.plus(b, -1)
        op, of = self.compiled.compared[name] if sign is None else ("positive", sign.number)
        factor = next(of.atoms[atom] / q for atom, q in difference.atoms.items())
        a, b = map(self.spoken.value, self.line.reads)
        said, row = f"({factor})*({a} - ({b}))", self.row(self.compiled.linear(of))
        text.by_cases(f"Diff{number}_{name}", f"{row} = {said}", held=True)
        if sign is not None:
            self.sign(name)
            return [f"D_{name}", f"Diff{number}_{name}"]
        if factor not in (1, -1):
            raise Undecided("no proof is made of a comparison of fractions")
        text.each(f"D{number}_{name}", f"{put}(i) = I[{f'0 < {said}' if op == 'positive' else f'{said} = 0'}]", [
            f"take it from number_is_{op}({said}; {row}) by Diff{number}_{name}(i), il, ih",
            f"qed by it, {put}_is(i), il, ih"])  # fmt: skip
        text.add(f"B_{name}", f"all i in 1..n. bit({put}(i))", [f"D{number}_{name}"])
        return [f"D{number}_{name}"]

    def sign(self, name: str) -> None:
        """The fact that a coordinate is 1 where a fraction is positive, else 0."""
        if f"D_{name}" in self.text.done:
            return
        number, head, here, mask = self.compiled.signs[name]
        low, high = (one.format(i="i") for one in RANGES[mask])
        first = "at_first" if mask == "future" else "alone"
        row, put, there = self.compiled.linear(number), self.put(name), Form(number.table, number.bits, {})
        at_first = dict(row)
        for atom, q in number.atoms.items():
            mean = self.compiled.means.get(atom.name)
            if mean is None or not mean.plain or mean.mask not in ("future", "none"):
                raise Undecided(f"no proof is made of the comparison {self.compiled.meanings[name]}")
            there = there.plus(mean.value, q)
            add_to(at_first, mean.row.items(), at_first.pop(atom.name))
        if not there.whole or any(isinstance(atom, Atom) for atom in there.atoms) or there.denominator != 1:
            raise Undecided(f"no proof is made of the comparison {self.compiled.meanings[name]}")
        score, key = (present(self.text.score_of(head, place, ("leftmost",))) for place in "jk")
        d, z = self.row(row), self.text.form(there)
        alone, means = list[str](), [f"Mean{k}" for k in range(len(number.atoms))]
        for k, atom in enumerate(number.atoms):
            mean, of_mean = self.put(atom.name), self.compiled.means[atom.name].row
            last = "n" if self.compiled.means[atom.name].mask == "none" else "1"
            summed = f"sum(j, 1, {last}, {self.row(of_mean, 'j')})/{last}"
            alone += [f"  Mean{k}: {mean}(1) = {self.row(of_mean, '1')}",
                      f"    now: {mean}(1) = {summed} by {mean}_is(1), some_here",
                      "    rewrite now", *["    rewrite first"][: last == "n"], "    qed"]  # fmt: skip
        self.text.by_cases(f"Whole_{name}", f"{self.row(at_first)} = {z}", held=True)
        index = [f"{one}_is" for one in ("index", "one") if one in self.text.run]
        self.text.each(f"D_{name}", f"{put}(i) = I[0 < {d}]", [
            "some_here: 1 <= n by il, ih",
            f"scores: all k in {low}..{high}. {key} = ({d})*k", "  given k (kl kh)",
            f"  qed by {', '.join(f'{one}(k), {one}(i)' for one in index)}, kl, kh, il, ih",
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
            f"qed by told, {put}_is(i), il, ih"])  # fmt: skip
        self.text.add(f"B_{name}", f"all i in 1..n. bit({put}(i))", [f"D_{name}"])
