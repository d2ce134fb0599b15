"""The proof that a compiled model answers as its S-RASP program, as a text. Nothing here is trusted.

For each line of the program facts say what its function is by the bits and numbers that coordinates hold, and the
elaborator shows them by the facts that are named.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from symcook.compilers.numbers import Form
from symcook.errors import Undecided
from symcook.model import expr
from symcook.programs.srasp import SraspLine
from symcook.proof import own
from symcook.proof.pointwise import Pointwise
from symcook.proof.programheads import HardHead
from symcook.proof.programmeans import MeanFacts
from symcook.proof.programpairs import moved
from symcook.proof.programsaid import RANGES, witnesses
from symcook.proof.programtext import in_cases
from symcook.proof.search.elaborate import written

if TYPE_CHECKING:
    from symcook.proof.search.tactics import Goal


class ProgramFacts(MeanFacts):
    """The lines of one proof."""

    def made(self) -> ProgramFacts:
        """The same with its lines."""
        functions = [*self.spoken.names.values()]
        labels = [f"{one}_is" for one in self.definitions]
        self.lines.append(f"given .. some word ({' '.join(labels)})")
        facts = " ".join(f"{one}_is" for one in functions)
        if functions:
            self.lines.append(f"given {' '.join(functions)} {f'({facts})' if self.spoken.joined else facts}")
        for number, line in enumerate(self.program.lines):
            if number in self.spoken.names:
                self.line(number, line)
        self.answer()
        return self

    @property
    def parts(self) -> own.ProofParts:
        """The parts of the proof that are written down."""
        return {"proof": self.prove, "inhabited": self.inhabited}

    def prove(self, g: Goal) -> None:
        """Close the goal by the lines."""
        written(g, [f"  {line}" if isinstance(line, str) else line for line in self.lines])
        g.nodes[:0] = self.apart.nodes()

    def inhabited(self, g: Goal) -> None:
        """H, by the run on a word of one letter."""
        from symcook.run import run

        letter = self.program.alphabet[0]
        steps = run(replace(self.model, program=None), [letter], trace=True).result.steps
        stream = {name: column[0] for name, column in steps[-1].columns.items()}
        values = [f"j. {stream.get(name, 0)}" for name in self.run]
        lines = [f"  witness {'; '.join(['1', 'j. 0', *values])}"]
        found = witnesses(self.spoken, letter)
        if found:
            lines.append(f"  - witness {'; '.join(f'j. {value}' for value in found.values())}")
        written(g, lines)

    def line(self, number: int, line: SraspLine) -> None:
        """The facts about one line."""
        make = {"psum": self.psum, "compare": self.compared, "right": self.nearest, "left": self.nearest,
                "width": self.width}.get(line.op)  # fmt: skip
        if line.op == "aggregate":
            make = self.nearest if self.program.types[number] == "letter" else self.mean
        if make == self.nearest and not any(one.head for one in self.compiled.selections.get(number, ())):
            make = self.nothing
        if make not in (None, self.nearest, self.nothing, self.width) and self.gates(number):
            raise Undecided(f"no proof is made of a number that grows and is found or not: {self.program.text(number)}")
        self.chosen = self.gates(number)
        (make or self.pointwise)(number, line)
        self.chosen = ()

    def nearest(self, number: int, line: SraspLine) -> None:
        """A selection."""
        self.heads[number] = HardHead(self, number)
        self.heads[number].show()

    def pointwise(self, number: int, line: SraspLine) -> None:
        """A line that looks at no other position."""
        for label, said in self.goals(number):
            self.by_cases(label, said)

    def nothing(self, number: int, line: SraspLine) -> None:
        """A selection that selects no position, by what its selector reads: the value is the default."""
        selector, _, default = line.reads
        name, mask = self.spoken.names[number], "none" if line.op == "aggregate" else line.value
        low, end = (one.format(i="i") for one in RANGES[mask])
        said, pair = f"{name}(i) = {self.spoken.value(default)}", self.spoken.pair(selector)
        facts = {f"{fact}({at})": 0 for read, at in self.selected(selector, "j") for fact in self.known(read)}
        self.each(f"Z{number}", said, [
            f"take (sel none) from {name}_is(i) by il, ih", f"never: all j in {low}..{end}. ~({pair})",
            "  given j (jl jh)", f"  qed by {', '.join([*facts, 'word(i)', 'word(j)', 'jl', 'jh', 'il', 'ih'])}",
            "qed by none, never"])  # fmt: skip
        self.valued(f"Z{number}", f"all i in 1..n. {said}")
        self.pointwise(number, line)

    def known(self, number: int) -> list[str]:
        """The facts about a line."""
        return [label for label in self.done if label == f"M{number}" or label.partition("_")[0] == f"L{number}"]

    def compared(self, number: int, line: SraspLine) -> None:
        """A comparison: of what has few values as others; of numbers by the coordinates that say it."""
        value, reads = self.compiled.lines[number], line.reads
        new = [one for one in self.bits(value) if one in self.compiled.compared or one in self.compiled.signs]
        if isinstance(self.compiled.lines[reads[0]], Form) and new and all(map(self.there, new)):
            a, b = (self.spoken.value(k) for k in reads)
            difference = self.compiled.lines[reads[0]].plus(self.compiled.lines[reads[1]], -1)
            for name in new:
                sign = self.compiled.signs.get(name)
                numbers = (sign or self.compiled.compared[name]).number
                factor = next(numbers.atoms[atom] / q for atom, q in difference.atoms.items())
                of = f"({factor})*({a} - ({b}))" if sign else f"{'-' * (factor == -1)}({a} - ({b}))"
                self.by_cases(f"Diff{number}_{name}", f"{self.row(self.compiled.linear(numbers))} = {of}", held=True)
                if sign:
                    self.sign(name)
                elif factor in (1, -1):
                    self.compares(name, number, of)
                else:
                    raise Undecided("no proof is made of a comparison of fractions")
            told = [f"{'D_' if one in self.compiled.signs else f'D{number}_'}{one}" for one in new]
            told += [f"Diff{number}_{one}" for one in new if one in self.compiled.signs]
            for label, said in self.goals(number):
                self.add(label, f"all i in 1..n. {said}", [f"{self.spoken.names[number]}_is", *told])
            return
        if self.codes(reads[0]) and all(map(self.one_of, reads)):
            a, b = (self.spoken.value(k) for k in reads)
            codes = [code for code in self.codes(reads[0]) if code in self.codes(reads[1])]
            same = " + ".join(f"I[{a} = {code}]*I[{b} = {code}]" for code in codes) or "0"
            said = f"I[{a} {line.value} {b}] = {same if line.value == '=' else f'1 - ({same})'}"
            self.by_values(f"S{number}", said, reads, Pointwise(None, ("name", "")), [])
            self.valued(f"S{number}", f"all i in 1..n. {said}")
        self.pointwise(number, line)

    def compares(self, name: str, number: int, of: str) -> None:
        """The fact what a coordinate says of a whole number."""
        op, put = self.compiled.compared[name].op, self.put(name)
        row = self.row(self.compiled.linear(self.compiled.compared[name].number))
        said = f"0 < {of}" if op == "positive" else f"{of} = 0"
        self.each(f"D{number}_{name}", f"{put}(i) = I[{said}]", [
            f"take it from number_is_{op}({of}; {row}) by Diff{number}_{name}(i), il, ih",
            f"qed by it, {put}_is(i), il, ih"])  # fmt: skip
        self.add(f"B_{name}", f"all i in 1..n. bit({put}(i))", [f"D{number}_{name}"])

    def psum(self, number: int, line: SraspLine) -> None:
        """A sum over the positions up to here, or from here on: counts of the truths of which the number is made."""
        (read,) = line.reads
        value, name = self.compiled.lines[number], self.spoken.names[number]
        if not all(self.there(atom.name) for atom in value.atoms):
            return
        counts = [(atom.name, q) for atom, q in value.atoms.items() if atom.name in self.compiled.counts]
        form = self.compiled.lines[read]
        terms, hints = list[str](), list[str]()
        for count, q in counts:
            hints.append(f"{self.count(count)}(i)")
            terms.append(f"({q})*I[{self.truth(self.compiled.counts[count].truth)}]")
        left, strict = line.value.endswith("future"), line.value.startswith("strict")
        all_there = "before" if left else "behind"
        base = sum((q for atom, q in value.atoms.items() if atom.name == all_there), Fraction(0))
        here = " + ".join([*terms, f"({base})"])
        one, one_here, low, high = (self.spoken.value(read, "j"), self.spoken.value(read),
                                    *(end.format(i="i") for end in RANGES[line.value]))  # fmt: skip
        summed = expr.show(moved(expr.parse_term(here), "j"))
        self.by_cases(f"Each{number}", f"{one_here} = {here}")
        if not strict:
            self.by_cases(f"Here{number}", f"{here} = {self.form(form)}")
        end = [f"{name}_is(i)", "same", *hints, *[f"Here{number}(i)"][: not strict]]
        end += [f"{all_there}_is(i)"] if all_there in self.run else []
        end += ["sum_one(1; i - 1)" if left else "sum_one(i + 1; n)", "il", "ih"]
        if not strict and not left:
            end.append(f"sum_split(j. {summed}; i; i; n)")
        self.each(f"L{number}", f"{name}(i) = {self.form(value)}", [
            f"each: all j in {low}..{high}. {one} = {summed} by Each{number}, {'il' if not left else 'ih'}",
            f"same: sum(j, {low}, {high}, {one}) = sum(j, {low}, {high}, {summed}) by "
            f"sum_ext(j. {one}; j. {summed}; {low}; {high})[each]",
            f"qed by {', '.join(end)}"])  # fmt: skip

    def answer(self) -> None:
        """What is put out."""
        number = self.program.output
        value, said = self.compiled.lines[number], self.spoken.value(number)
        reads, labels = self.model.readout.reads, self.model.readout.labels
        if isinstance(value, dict):
            shown, told = list[str](), self.one_of(number)
            for a in labels or ():
                code, held = self.spoken.codes[a], self.compiled.hold(self.compiled.node(value[a]))
                self.by_cases(f"A{code}", f"{self.put(held)}(i) = I[{said} = {code}]", held=True)
                shown.append(f"A{code}(i)")
            self.lines += ["given i (il ih)"]
            if not told:
                self.lines.append(f"qed by {', '.join(shown)}, il, ih")
                return
            codes = [f"C{code}" for code in self.codes(number)]
            self.lines += in_cases(codes, f"{told}(i)", "il, ih",
                                   [[f"qed by {one}, {', '.join(shown)}, il, ih"] for one in codes])  # fmt: skip
            return
        (one,) = reads
        put = self.put(one)
        if isinstance(value, Form):
            linear = self.compiled.linear(value)
            row, ranges = self.row(linear), [f"{self.range(one)}(i)" for one in linear if one and not value.atoms]
            by = ", ".join([f"{self.row_is(number)}(i)", f"{put}_is(i)", *ranges, "il", "ih"])
            self.lines += ["given i (il ih)", f"cases more, less: 0 <= {row}", f"  - qed by more, {by}",
                           f"  - qed by less, {by}"]  # fmt: skip
            return
        held = self.holds(one)
        if number not in self.spoken.names:
            self.lines.append(f"qed by {held}")
            return
        if f"L{number}" not in self.done:
            raise Undecided(f"no proof is made where a bit is left out: {self.program.text(number)}")
        self.by_cases(f"A{number}", f"{put}(i) = {said}", held=True)
        self.lines += ["given i (il ih)", f"same: {put}(i) = {said} by A{number}, il, ih",
                       f"bit: bit({put}(i)) by {held}, il, ih", "cases zero, more from bit",
                       "  - qed by zero, same", "  - qed by more, same"]  # fmt: skip
