"""Means in the proofs of compiled S-RASP programs, and comparisons of them. Nothing here is trusted.

Fact D_name says what a coordinate tells of the sign of a mean.
"""

from __future__ import annotations

from symcook.compilers.booleans import variables
from symcook.compilers.numbers import Atom, Form, add_to
from symcook.compilers.selection import AFTER, BEFORE
from symcook.errors import Undecided
from symcook.present import present
from symcook.programs.srasp import SraspLine
from symcook.proof.programpairs import selects
from symcook.proof.programsaid import RANGES
from symcook.proof.programwidths import WidthFacts


class MeanFacts(WidthFacts):
    """The facts about means."""

    def mean(self, number: int, line: SraspLine) -> None:
        """The mean of a number at the positions up to here, from here on, or at all."""
        value, name = self.compiled.lines[number], self.spoken.names[number]
        atoms = [*value.atoms]
        if len(atoms) != 1 or value.atoms[atoms[0]] != 1 or value.finite().constant != 0:
            raise Undecided(f"no proof is made of this aggregate: {self.program.text(number)}")
        mean = self.compiled.means.get(atoms[0].name)
        if mean is None or not mean.plain or mean.mask.startswith("strict"):
            raise Undecided(f"no proof is made of this aggregate: {self.program.text(number)}")
        if not self.there(atoms[0].name):
            return
        selector, read, _ = line.reads
        low, high = (one.format(i="i") for one in RANGES[mean.mask])
        pair, put, one = self.spoken.pair(selector), self.put(atoms[0].name), self.spoken.value(read, "j")
        row, places = self.row(mean.row, "j"), {k: True for k in self.by_index(selector)}
        beside = self.selected(selector, "j", places)
        if beside:
            selects(self, f"K{number}", selector, (), places, "1")
        self.by_cases(f"Row{number}", f"{self.row(mean.row)} = {self.spoken.value(read)}", held=True)
        self.each(f"L{number}", f"{name}(i) = {self.form(value)}", [
            f"take found from {name}_is(i) by il, ih", "some_here: 1 <= n by il, ih",
            f"picked: all j in 1..n. I[{pair}] = I[{low} <= j & j <= {high}]", "  given j (jl jh)",
            f"  qed by {f'K{number}(i; j), ' * bool(beside)}jl, jh, il, ih",
            f"same: all j in {low}..{high}. {row} = {one} by Row{number}, il, ih",
            f"times: {put}(i)*({high} - {low} + 1) = sum(j, {low}, {high}, {row}) by {put}_is(i), il, ih, some_here",
            f"take level from mean_of_range({low}; {high}; n; j. I[{pair}]; j. {one}; j. {row}; {name}(i); {put}(i)) "
            "by found, picked, same, times, il, ih, some_here", "qed by level"])  # fmt: skip

    def by_index(self, selector: int) -> list[int]:
        """The parts of a selector that compare indices."""
        line, cases = self.program.lines[selector], self.compiled.lines[selector]
        if line.op.startswith("pair"):
            return [one for part in line.reads for one in self.by_index(part)]
        return [selector] if any({BEFORE, AFTER} & variables(case.there) for case in cases) else []

    def sign(self, name: str) -> None:
        """The fact that a coordinate is 1 where a fraction is positive, else 0."""
        if f"D_{name}" in self.done:
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
        score, key = (present(self.score_of(head, place, ("leftmost",))) for place in "jk")
        d, z = self.row(row), self.form(there)
        alone, means = list[str](), [f"Mean{k}" for k in range(len(number.atoms))]
        for k, atom in enumerate(number.atoms):
            mean, of_mean = self.put(atom.name), self.compiled.means[atom.name].row
            last = "n" if self.compiled.means[atom.name].mask == "none" else "1"
            summed = f"sum(j, 1, {last}, {self.row(of_mean, 'j')})/{last}"
            alone += [f"  Mean{k}: {mean}(1) = {self.row(of_mean, '1')}",
                      f"    now: {mean}(1) = {summed} by {mean}_is(1), some_here",
                      "    rewrite now", *["    rewrite first"][: last == "n"], "    qed"]  # fmt: skip
        self.by_cases(f"Whole_{name}", f"{self.row(at_first)} = {z}", held=True)
        index = [f"{one}_is" for one in ("index", "one") if one in self.run]
        self.each(f"D_{name}", f"{put}(i) = I[0 < {d}]", [
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
        self.add(f"B_{name}", f"all i in 1..n. bit({put}(i))", [f"D_{name}"])
