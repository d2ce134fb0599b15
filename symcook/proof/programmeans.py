"""Means in the proofs of compiled S-RASP programs, and comparisons of them. Nothing here is trusted.

Fact D_name says what a coordinate tells of the sign of a mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symcook.compilers.numbers import Atom, Form, LinearFactors
from symcook.errors import Undecided
from symcook.present import present
from symcook.programs.srasp import SraspLine
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
        row = self.row(mean.row, "j")
        facts = [f"{fact}(j)" for fact in self.known(read)] + self.there_at(mean.row, "j")
        bits = [f"{self.bit(one)}(j)" for one in self.bits(*mean.value.bits)]
        ends = "jl, jh, il, ih"
        self.each(f"L{number}", f"{name}(i) = {self.form(value)}", [
            f"take found from {name}_is(i) by il, ih", "some_here: 1 <= n by il, ih",
            f"picked: all j in 1..n. I[{pair}] = I[{low} <= j & j <= {high}]", "  given j (jl jh)",
            f"  qed by {', '.join([*self.facts_read(selector), ends])}",
            f"same: all j in {low}..{high}. {row} = {one}", "  given j (jl jh)",
            *self.letters_there([*facts, *bits, *ends.split(", ")], "j"),
            f"times: {put}(i)*({high} - {low} + 1) = sum(j, {low}, {high}, {row}) by {put}_is(i), il, ih, some_here",
            f"take level from mean_of_range({low}; {high}; n; j. I[{pair}]; j. {one}; j. {row}; {name}(i); {put}(i)) "
            "by found, picked, same, times, il, ih, some_here", "qed by level"])  # fmt: skip

    def there_at(self, row: LinearFactors, at: str) -> list[str]:
        """The facts about the coordinates of a row, with the one that is 1."""
        ones = [f"{self.holds('one')}({at})"] if "one" in row and not self._truthful("one") else []
        return [*ones, *self.coordinates(row, at)]

    def signs(self, number: int, line: SraspLine) -> list[str]:
        """The facts what the coordinates say by which a line compares means."""
        value, reads = self.compiled.lines[number], line.reads
        names = [one for one in self.bits(value) if one in self.compiled.signs]
        if not all(self.there(one) for one in names):
            return []
        difference = self.compiled.lines[reads[0]].plus(self.compiled.lines[reads[1]], -1) if names else None
        for name in names:
            sign = self.compiled.signs[name]
            if f"D_{name}" in self.done:
                continue
            factor = next(sign.number.atoms[atom] / q for atom, q in present(difference).atoms.items())
            self.sign(name, factor, [self.spoken.value(k) for k in reads], [f for k in reads for f in self.known(k)])
        return [f"D_{one}" for one in names]

    def sign(self, name: str, factor: Fraction, of: Sequence[str], known: Sequence[str]) -> None:
        """The fact that a coordinate is 1 where a fraction is positive, else 0."""
        number, head, here, mask = self.compiled.signs[name]
        low, high = (one.format(i="i") for one in RANGES[mask])
        first = "at_first" if mask == "future" else "alone"
        row, put, there = self.compiled.linear(number), self.put(name), Form(number.table, number.bits, {})
        rows = []
        for atom, q in number.atoms.items():
            mean = self.compiled.means.get(atom.name)
            if mean is None or not mean.plain or mean.mask not in ("future", "none"):
                raise Undecided(f"no proof is made of the comparison {self.compiled.meanings[name]}")
            there, rows = there.plus(mean.value, q), [*rows, mean.row, row]
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
        facts = [*dict.fromkeys(fact for one in rows for fact in self.there_at(one, "1"))]
        bits = [f"{self.bit(one)}(1)" for one in self.bits(*there.bits)]
        index = [f"{one}_is" for one in ("index", "one") if one in self.run]
        self.each(f"D_{name}", f"{put}(i) = I[0 < ({factor})*({of[0]} - ({of[1]}))]", [
            f"is: {d} = ({factor})*({of[0]} - ({of[1]}))",
            *(f"  {one}" for one in self.lettered("w(i)", [*(f"{one}(i)" for one in known),
                                                          *self.coordinates(row, "i")])),
            "some_here: 1 <= n by il, ih",
            f"scores: all k in {low}..{high}. {key} = ({d})*k", "  given k (kl kh)",
            f"  qed by {', '.join(f'{one}(k), {one}(i)' for one in index)}, kl, kh, il, ih",
            f"later_on: all k in {low}..{high}. later(k) = I[1 < k] by later_is, il, ih",
            f"whole: {high} = 1 -> {d} = {z}", "  given first",
            *([] if high == "i" else ["  only: i = 1 by first, il, ih"]),
            *alone,
            f"  rewrite {'first' if high == 'i' else 'only'}",
            *self.letters_there([*means, *facts, *bits, "first", "some_here"], "1"),
            f"tests: {self.put(here)}(i) = relu({d}) - relu({d} - 1) by {self.put(here)}_is(i), il, ih",
            f"at_end: {first}(i) = I[{high} = 1] by {first}_is(i), il, ih",
            f"take told from sign_of_mean({high}; {d}; {z}; j. {score}; later; {self.put(head)}(i); {first}(i); "
            f"{self.put(here)}(i))[_, scores, later_on, whole, _, at_end, tests] by {self.put(head)}_is(i), il, ih, "
            "some_here",
            f"qed by told, {put}_is(i), is, il, ih"])  # fmt: skip
        self.add(f"B_{name}", f"all i in 1..n. bit({put}(i))", [f"D_{name}"])

    def letters_there(self, hints: Sequence[str], at: str) -> list[str]:
        """Lines that close a goal about a position by hints, for each letter there."""
        if len(self.program.alphabet) == 1:
            return [f"  qed by {', '.join(hints)}"]
        end = ", ".join(one for one in hints if one != f"word({at})")
        where = "jl, jh, il, ih" if at == "j" else "some_here"
        return [f"  {line}" for line in self.by_letters(lambda k: [f"qed by W{k}, {end}"], at, where)]
