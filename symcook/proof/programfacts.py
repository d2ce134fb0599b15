"""The proof that a compiled model answers as its S-RASP program, as a text. Nothing here is trusted.

For each line of the program facts say what its function is by the bits and numbers that coordinates hold, and the
elaborator shows them by the facts that are named.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from symcook.compilers.numbers import Form
from symcook.compilers.values import Truth
from symcook.errors import Undecided
from symcook.model import expr
from symcook.programs.srasp import SraspLine
from symcook.proof import own
from symcook.proof.programmeans import MeanFacts
from symcook.proof.programsaid import RANGES, witnesses
from symcook.proof.programtext import as_block
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
        if make is not None:
            make(number, line)
        else:
            self.pointwise(number)

    def pointwise(self, number: int, more: Sequence[str] = ()) -> None:
        """A line that looks at no other position."""
        self.by_lines(number, f"{self.spoken.names[number]}_is", self.program.lines[number].reads, more)

    def nothing(self, number: int, line: SraspLine) -> None:
        """A selection that selects no position, by what its selector reads: the value is the default."""
        selector, _, default = line.reads
        name, mask = self.spoken.names[number], "none" if line.op == "aggregate" else line.value
        low, end = (one.format(i="i") for one in RANGES[mask])
        facts = self.facts_read(selector)
        said = f"{name}(i) = {self.spoken.value(default)}"
        self.each(f"Z{number}", said, [
            f"take (sel none) from {name}_is(i) by il, ih",
            f"never: all j in {low}..{end}. ~({self.spoken.pair(selector)})", "  given j (jl jh)",
            f"  qed by {', '.join([*facts, 'word(i)', 'word(j)', 'jl', 'jh', 'il', 'ih'])}",
            "qed by none, never"])  # fmt: skip
        self.valued(f"Z{number}", f"all i in 1..n. {said}")
        self.by_lines(number, f"Z{number}", [default])

    def by_lines(self, number: int, first: str, lines: Sequence[int], more: Sequence[str] = ()) -> None:
        """The facts about a line whose value is, by the fact `first`, one of these lines at the same position."""
        line, gated = self.program.lines[number], self.gated(number)
        more = [*more, *gated]
        compared = [self.program.lines[k] for k in lines]
        code = next(
            (
                str(self.spoken.codes[one.value])
                for one in compared
                if one.op == "constant" and isinstance(one.value, str)
            ),
            "",
        )
        for label, said, truths in self.goals(number):
            with suppress(Undecided):
                self.by_cases(label, said)
                continue
            if line.op == "if" and self.program.types[number] == "letter":
                self.chooses(number, label, said, truths)
                continue
            letter = code if line.op == "compare" else label.partition("_")[2]
            find = self.members if label[0] == "M" else lambda k, letter=letter: self.known(k, letter)
            reads = [fact for k in lines for fact in (self.known(k) if self.program.types[k] != "letter" else find(k))]
            hints = dict.fromkeys([first, *more, *reads, *map(self.bit, self.bits(*truths))])
            signs = [one for one in more if one[0] == "D"]
            put = [first, *signs, *(one for one in hints if one[0] == "L")] if signs else []
            there = [said, *(expr.show(right) for one, right in self.values.values() if one in put)]
            lettered = len(self.program.alphabet) > 1 and any("w(i)" in text for text in there)
            if signs:
                told = [f"take N{k} from {one}(i) by il, ih" for k, one in enumerate(put)]
                ends = self.by_letters(lambda k: [f"rewrite W{k}", "qed"]) if lettered else ["qed"]
                self.each(label, said, [*told, *(f"rewrite N{k}" for k in range(len(put))), *ends])
            elif lettered or "word" in hints:
                self.each(label, said, self.lettered("w(i)", [f"{one}(i)" for one in hints]))
            else:
                self.add(label, f"all i in 1..n. {said}", hints)

    def chooses(self, number: int, label: str, said: str, truths: Sequence[Truth]) -> None:
        """A letter that is chosen by a condition."""
        test, *lines = self.program.lines[number].reads
        name, letter = self.spoken.value(number), label.partition("_")[2]
        told = f"{self.spoken.value(test)} = "
        inner = [f"cases yes, no: {self.truth(self.compiled.lines[test])}"]
        bits = [f"{self.bit(one)}(i)" for one in self.bits(*truths, self.compiled.lines[test])]
        for case, value, line in zip(("yes", "no"), (1, 0), lines, strict=True):
            known, is_ = ", ".join(f"{fact}(i)" for fact in self.known(test)), f"{self.spoken.names[number]}_is(i)"
            block = [f"told: {told}{value} by {known}, {case}, il, ih",
                     f"same: {name} = {self.spoken.value(line)} by {is_}, told, il, ih"]  # fmt: skip
            if label[0] == "M":
                block += [one.replace("pl, ph, ", "") for one in self.letters(line, "i", "same")]
            else:
                hints = [f"{fact}(i)" for fact in self.known(line, letter)]
                block += self.lettered(said, [case, "same", *hints, *bits])
            inner += as_block(block)
        self.each(label, said, inner)

    def compared(self, number: int, line: SraspLine) -> None:
        """A comparison: of what has few values as others; of whole numbers by the coordinate that says it."""
        value = self.compiled.lines[number]
        new = [one for one in self.bits(value) if one in self.compiled.compared]
        a, b = (self.spoken.value(k) for k in line.reads)
        if isinstance(self.compiled.lines[line.reads[0]], Form) and len(new) == 1 and self.there(new[0]):
            reads = [f"{fact}(i)" for k in line.reads for fact in self.known(k)]
            self.compares(new[0], f"D{number}", f"{a} - ({b})", reads, [self.compiled.lines[k] for k in line.reads])
        signs = self.signs(number, line)
        self.pointwise(number, [*signs, *[f"D{number}"][: f"D{number}" in self.done]])

    def compares(self, name: str, label: str, of: str, reads: Sequence[str], forms: Sequence[Form]) -> None:
        """The fact what a coordinate says of a whole number, that `of` is up to its sign."""
        op, number = self.compiled.compared[name]
        difference = forms[0].plus(forms[1], -1)
        factor = next(number.atoms[atom] / q for atom, q in difference.atoms.items())
        if factor not in (1, -1):
            raise Undecided("no proof is made of a comparison of fractions")
        of, row, put = (f"{of}" if factor == 1 else f"-({of})"), self.compiled.linear(number), self.put(name)
        hints = [*reads, *(f"{self.holds(one)}(i)" for one in row if one and self._truthful(one))]
        split = "w(i)" * any(one in self.compiled.tables or one in self.compiled.sets for one in row)
        inner = [f"same: {self.row(row)} = {of}", *(f"  {one}" for one in self.lettered(split, hints)),
                 f"take it from number_is_{op}({of}; {self.row(row)}) by same",
                 f"qed by it, {put}_is(i), il, ih"]  # fmt: skip
        self.each(
            label, f"{put}(i) = I[{'0 <' if op == 'positive' else ''} {of} {'= 0' if op == 'zero' else ''}]", inner
        )
        self.add(f"B_{name}", f"all i in 1..n. bit({put}(i))", [label])

    def psum(self, number: int, line: SraspLine) -> None:
        """A sum over the positions up to here, or from here on: counts of the truths of which the number is made."""
        (read,) = line.reads
        value, name = self.compiled.lines[number], self.spoken.names[number]
        if not all(self.there(atom.name) for atom in value.atoms):
            return
        counts = [(atom.name, q) for atom, q in value.atoms.items() if atom.name in self.compiled.counts]
        form = self.compiled.lines[read]
        terms, hints, bits = [], [], list[str]()
        for count, q in counts:
            truth = self.compiled.counts[count][1]
            hints.append(f"{self.count(count)}(i)")
            terms.append(f"({q})*I[{self.truth(truth, 'j')}]")
            bits += self.bits(truth)
        left, strict = line.value.endswith("future"), line.value.startswith("strict")
        all_there = "before" if left else "behind"
        base = sum((q for atom, q in value.atoms.items() if atom.name == all_there), Fraction(0))
        summed = " + ".join([*terms, f"({base})"])
        facts = [*self.known(read), *map(self.bit, dict.fromkeys([*bits, *self.bits(*form.bits)])), "word"]
        one = self.spoken.value(read, "j")
        low, high = (one.format(i="i") for one in RANGES[line.value])
        end = [f"{name}_is(i)", "same", *hints, *([] if strict else ["each(i)", "here"])]
        end += [f"{all_there}_is(i)"] if all_there in self.run else []
        end += ["sum_one(1; i - 1)" if left else "sum_one(i + 1; n)", "il", "ih"]
        if not strict and not left:
            end.append(f"sum_split(j. {summed}; i; i; n)")
        self.each(f"L{number}", f"{name}(i) = {self.form(value)}", [
            f"each: all j in {low}..{high}. {one} = {summed} by {', '.join([*facts, 'il' if not left else 'ih'])}",
            f"same: sum(j, {low}, {high}, {one}) = sum(j, {low}, {high}, {summed}) by "
            f"sum_ext(j. {one}; j. {summed}; {low}; {high})[each]",
            f"here: {self.spoken.value(read)} = {self.form(form)} by {', '.join([*facts, 'il', 'ih'])}",
            f"qed by {', '.join(end)}"])  # fmt: skip

    def answer(self) -> None:
        """What is put out."""
        number = self.program.output
        value, said = self.compiled.lines[number], self.spoken.value(number)
        reads, labels = self.model.readout.reads, self.model.readout.labels
        if isinstance(value, dict):
            shown, codes = list[str](), [self.spoken.codes[a] for a in value]
            for a in labels or ():
                code, held = self.spoken.codes[a], self.compiled.hold(self.compiled.node(value[a]))
                self.add(f"A{code}", f"all i in 1..n. {self.put(held)}(i) = I[{said} = {code}]",
                         [self.holds(held), *self.known(number, str(code))])  # fmt: skip
                shown.append(f"A{code}(i)")
            told = f"{self.members(number)[0]}(i) by il, ih" if self.members(number) else ""
            self.lines += ["given i (il ih)"]
            if not told or len(codes) == 1:
                self.lines.append(f"qed by {', '.join(['word(i)', *self.members(number), *shown])}, il, ih")
                return
            self.lines.append(f"cases {', '.join(f'C{code}' for code in codes)} from {told}")
            self.lines += [f"  - qed by C{code}, {', '.join(shown)}, il, ih" for code in codes]
            return
        if isinstance(value, Form):
            row, (one,) = self.compiled.linear(value), reads
            put, hints = self.put(one), [f"{fact}(i)" for fact in self.known(number)]
            hints += [f"{self.holds(name)}(i)" for name in row if name and self._truthful(name)]
            split = "w(i)" * any(name in self.compiled.tables or name in self.compiled.sets for name in row)
            self.lines += ["given i (il ih)", f"same: {self.row(row)} = {said}"]
            self.lines += [
                f"  {line}" for line in self.lettered(split, [*hints, *(f"{put}_is(i)" for _ in range(one in row))])
            ]
            self.lines += [f"cases more, less: 0 <= {self.row(row)}", f"  - qed by more, same, {put}_is(i), il, ih",
                           f"  - qed by {', '.join(['less', 'same', *hints])}, {put}_is(i), il, ih"]  # fmt: skip
            return
        (one,) = reads
        put = self.put(one)
        held = self.holds(one)
        if number not in self.spoken.names:
            self.lines.append(f"qed by {held}")
            return
        if f"L{number}" not in self.done:
            raise Undecided(f"no proof is made where a bit is left out: {self.program.text(number)}")
        self.lines += ["given i (il ih)", f"same: {put}(i) = {said}",
                       f"  take held from {held}(i) by il, ih", f"  take told from L{number}(i) by il, ih",
                       "  rewrite held", "  rewrite told", "  qed",
                       f"bit: bit({put}(i)) by {held}, il, ih", "cases zero, more from bit",
                       "  - qed by zero, same", "  - qed by more, same"]  # fmt: skip
