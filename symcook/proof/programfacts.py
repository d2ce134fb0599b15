"""The lines of a proof that a compiled model answers as its S-RASP program. Nothing here is trusted.

Fact L5 is about line 5 of the program, or L5_2 that it is letter number 2: what its function is by the bits and numbers
that coordinates hold; H_name says what a coordinate holds, P5 what the head of a selection has found. They are told by a
compiler that keeps what it made each coordinate for; the elaborator shows each by the facts that are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.compilers.booleans import Node, cubes
from symcook.compilers.numbers import Form, Linear
from symcook.compilers.selection import Cases, Equality, FoundThere
from symcook.compilers.srasp import Compiled
from symcook.compilers.values import Look, Truth
from symcook.errors import Undecided
from symcook.proof import softheads
from symcook.proof.programs import RANGES, Spoken, witnesses

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.ownnames import ModelMeaning

NEVER, ALWAYS = "0 = 1", "0 = 0"
MOST_CUBES = 64


class Compared(NamedTuple):
    """A coordinate that says whether a whole number is 0, or positive."""

    op: str
    number: Form


class Selection(NamedTuple):
    """The head of a selection: what it selects by, and what it copies."""

    op: str
    mask: str
    cases: Cases
    equalities: tuple[Equality, ...]
    head: Look | None


class Told(Compiled):
    """The compiler, with what it made coordinates for: in `made`, in their order, as line after line was compiled."""

    def __init__(self, program: Any) -> None:
        self.compared: dict[str, Compared] = {}
        self.counts: dict[str, tuple[str, Truth, str]] = {}
        self.selections: dict[int, list[Selection]] = {}
        self.squared: dict[str, tuple[Form, Linear]] = {}
        self.now = -1
        super().__init__(program)

    def _line(self, number: int, line: Any, reads: Any) -> Any:
        self.now = number
        return super()._line(number, line, reads)

    def _zero(self, d: Form) -> Truth:
        return self._kept("zero", d if d.whole and d.atoms[min(d.atoms)] > 0 else d.times(-1), super()._zero(d), d)

    def _positive(self, d: Form) -> Truth:
        return self._kept("positive", d, super()._positive(d), d)

    def _kept(self, op: str, d: Form, found: Truth, asked: Form) -> Truth:
        if not asked.whole:
            raise Undecided("no proof is made of a comparison of means")
        assert isinstance(found, tuple)
        self.compared.setdefault(self._names[found[0]], Compared(op, d))
        return found

    def count(self, side: str, truth: Truth, meaning: str) -> Form:
        before = len(self.looks)
        found = super().count(side, truth, meaning)
        fresh = [one for one in self.looks[before:] if isinstance(one, Look)]
        if len(fresh) == 2:
            (atom,) = found.atoms
            self.counts[atom.name] = side, truth, next(iter(fresh[0].values))
        return found

    def look(self, op: str, mask: str, cases: Cases, equalities: Any, value: Any, shown: str) -> FoundThere:
        before = len(self.looks)
        found = super().look(op, mask, cases, equalities, value, shown)
        heads = [one for one in self.looks[before:] if isinstance(one, Look) and one.weighting == f"{op}most"]
        kept = Selection(op, mask, cases, tuple(equalities), heads[-1] if heads else None)
        self.selections.setdefault(self.now, []).append(kept)
        return found

    def _gated(self, test: str, atoms: Any) -> Any:
        raise Undecided("no proof is made of a number that grows and is chosen by a condition")

    def _square(self, form: Form) -> Linear:
        found = super()._square(form)
        names = [name for name in found if name]
        for square in names[::3]:
            self.squared[square] = form, found
        return found

    def held(self) -> Mapping[str, Node]:
        """What the coordinates hold that have a truth."""
        return {name: node for node, name in self._held.items()}

    def name(self, variable: int) -> str:
        return self._names[variable]


class ProgramFacts:
    """The lines of one proof."""

    def __init__(self, spoken: Spoken, meaning: ModelMeaning, model: Transformer) -> None:
        self.spoken, self.meaning, self.model = spoken, meaning, model
        self.program, self.told = spoken.program, Told(spoken.program)
        self.own = {new: old for old, new in meaning.names.items()}
        self.run = [self.own[name] for name in meaning.functions]
        self.equations = softheads.equations(meaning.run)
        self.lines: list[str] = []
        self.done: set[str] = set()
        self.held = self.told.held()

    # Texts

    def put(self, name: str) -> str:
        """A coordinate as the statement calls it."""
        return self.meaning.names[name]

    def there(self, name: str) -> bool:
        """Whether a coordinate is in the model: one that nothing needs is not."""
        return name in self.run

    def literal(self, name: str, value: bool, at: str) -> str:
        """A bit as a condition: of the letter, where the embedding has it."""
        if name in self.told.sets:
            said = self.truth(self.told.sets[name], at)
            return said if value else f"~({said})"
        return f"{self.put(name)}({at}) = {int(value)}"

    def truth(self, truth: Truth, at: str = "i") -> str:
        """A truth at a position as a condition on the bits that it is of."""
        truth = self.told.truth(truth)
        if isinstance(truth, frozenset):
            if truth == self.told.every:
                return ALWAYS
            letters = self.program.alphabet
            return " | ".join(f"w({at}) = {letters.index(a)}" for a in letters if a in truth) or NEVER
        found = cubes(truth, MOST_CUBES)
        if found is None:
            raise Undecided(f"no proof is made of a Boolean part of more than {MOST_CUBES} cubes")
        units = [" & ".join(f"({self.literal(self.told.name(v), value, at)})" for v, value in cube) for cube in found]
        return " | ".join(f"({unit})" for unit in units)

    def bits(self, *truths: Truth) -> list[str]:
        """The bits that truths are of, but for those of letters."""
        found = dict[str, None]()
        for truth in map(self.told.truth, truths):
            todo: list[Any] = [] if isinstance(truth, frozenset) else [truth]
            while todo:
                node = todo.pop()
                if not isinstance(node, bool):
                    name = self.told.name(node[0])
                    if name not in self.told.sets:
                        found[name] = None
                    todo += node[1:]
        return list(found)

    def form(self, form: Form, at: str = "i") -> str:
        """A number at a position, by bits and atoms."""
        parts, values = [], sorted(set(form.table))
        parts.append(str(values[0]))
        parts += [f"{value - values[0]}*I[{self.truth(self._letters(form, value), at)}]" for value in values[1:]]
        parts += [f"({value})*I[{self.truth(node, at)}]" for node, value in form.bits.items()]
        parts += [f"({value})*{self.put(atom.name)}({at})" for atom, value in form.atoms.items()]
        return " + ".join(parts)

    def _letters(self, form: Form, value: Fraction) -> frozenset[str]:
        return frozenset(a for a, q in zip(self.program.alphabet, form.table, strict=True) if q == value)

    def row(self, linear: Linear, at: str = "i") -> str:
        """A sum of coordinates at a position; of those that the model has."""
        parts = [f"({q})*{self.put(name)}({at})" if name else f"({q})" for name, q in linear.items() if q]
        return " + ".join(parts) or "0"

    # Lines of the proof

    def add(self, label: str, fact: str, hints: Sequence[str] = (), inner: Sequence[str] = ()) -> None:
        """A fact, once; by hints, or by lines set in below."""
        if label in self.done:
            return
        self.done.add(label)
        by = f" by {', '.join(hints)}" if hints else ""
        self.lines += [f"{label}: {fact}{by}", *(f"  {one}" for one in inner)]

    def each(self, label: str, said: str, inner: Sequence[str]) -> None:
        """A fact about each position."""
        self.add(label, f"all i in 1..n. {said}", (), ["given i (il ih)", *inner])

    def text(self, name: str) -> str:
        """The text of the proof."""
        for number, line in enumerate(self.program.lines):
            if number in self.spoken.names:
                self.line(number, line)
        self.answer()
        functions = [*self.spoken.names.values()]
        labels = [f"{one}_is" for one in re.findall(r"\(all i in 1\.\.n\. (\w+)\(i\)", self.meaning.run)]
        given = [f"given .. some word ({' '.join(labels)})"]
        given += [f"given {' '.join([*functions, *(f'{one}_is' for one in functions)])}"] if functions else []
        body = "\n".join(f"  {one}" for one in [*given, *self.lines])
        return f"proof {name}\n{body}\n{self.inhabited()}\n"

    def inhabited(self) -> str:
        """H, by the run on a word of one letter."""
        from symcook.run import run

        letter = self.program.alphabet[0]
        steps = run(replace(self.model, program=None), [letter], trace=True).result.steps
        stream = {name: column[0] for name, column in steps[-1].columns.items()}
        values = [f"j. {stream.get(name, 0)}" for name in self.run]
        lines = ["inhabited", f"  witness {'; '.join(['1', 'j. 0', *values])}"]
        found = witnesses(self.spoken, letter)
        if found:
            lines.append(f"  - witness {'; '.join(f'j. {value}' for value in found.values())}")
        return "\n".join(lines)

    # Coordinates

    def holds(self, name: str) -> str:
        """The fact what truth a coordinate holds, with what it rests on."""
        label = f"H_{name}"
        if label in self.done:
            return label
        put = self.put(name)
        if name in self.told.sets:
            self.add(label, f"all i in 1..n. {put}(i) = I[{self.truth(self.told.sets[name])}]", [f"{put}_is", "word"])
        elif name in ("one", "zero"):
            self.add(label, f"all i in 1..n. {put}(i) = {int(name == 'one')}", [f"{put}_is"])
        elif name in self.held and not (isinstance(self.held[name], tuple) and self.held[name][1:] == (False, True)):
            node = self.held[name]
            hints = [f"{put}_is", *map(self.bit, self.bits(node)), *self.sets(put)]
            self.add(label, f"all i in 1..n. {put}(i) = I[{self.truth(node)}]", hints)
        else:
            self.add(label, f"all i in 1..n. {put}(i) = I[{put}(i) = 1]", [self.bit(name)])
        return label

    def sets(self, put: str) -> list[str]:
        """What the letters are that the equation of a coordinate reads."""
        read = re.findall(r"(\w+)\(", self.equations.get(put, ""))
        return [self.holds(self.own[one]) for one in dict.fromkeys(read) if self.own.get(one) in self.told.sets]

    def bit(self, name: str) -> str:
        """The fact that a coordinate is a bit."""
        label, put = f"B_{name}", self.put(name)
        if label not in self.done:
            if not self.there(name):
                raise Undecided(f"no proof is made where a bit is left out: {self.told.meanings[name]}")
            if name in self.told.compared:
                raise Undecided(f"no proof is made of the comparison {self.told.meanings[name]}")
            self.add(label, f"all i in 1..n. bit({put}(i))", [f"{put}_is"])
        return label

    # Lines of the program

    def line(self, number: int, line: Any) -> None:
        """The facts about one line."""
        make = {"psum": self.psum, "compare": self.compared, "right": self.nearest}.get(line.op)
        if line.op in ("left", "width", "aggregate", "product"):
            names = {"left": "left", "width": "selector_width"}
            raise Undecided(f"no proof is made of {names.get(line.op, f'the {line.op}')}: {self.program.text(number)}")
        if make is not None:
            make(number, line)
        else:
            self.pointwise(number)

    def goals(self, number: int) -> Iterator[tuple[str, str, list[Truth]]]:
        """What is shown of a line: label, fact at i, and the truths in it. What speaks of coordinates that the model does
        not have, since nothing needs it, is left out."""
        value, name = self.told.lines[number], self.spoken.value(number)
        if isinstance(value, Form):
            facts = [(f"L{number}", f"{name} = {self.form(value)}", [*value.bits])]
            facts = [one for one in facts if all(self.there(atom.name) for atom in value.atoms)]
        elif isinstance(value, dict):
            codes = self.spoken.codes.items()
            facts = [(f"L{number}_{code}", f"I[{name} = {code}] = I[{self.truth(value.get(a, frozenset()))}]",
                      [value.get(a, frozenset())]) for a, code in codes]  # fmt: skip
        else:
            facts = [(f"L{number}", f"{name} = I[{self.truth(value)}]", [value])]
        for label, said, truths in facts:
            if all(self.there(one) for one in self.bits(*truths)):
                yield label, said, truths

    def known(self, number: int, at: str = "") -> list[str]:
        """The facts about a line that is read."""
        line = self.program.lines[number]
        if number in self.spoken.names:
            return [f"{label}{at}" for label, *_ in self.goals(number) if label in self.done]
        return [f"word{at}"] if line.op == "in" else []

    def pointwise(self, number: int) -> None:
        """A line that looks at no other position."""
        reads = [fact for k in self.program.lines[number].reads for fact in self.known(k)]
        for label, said, truths in self.goals(number):
            hints = [f"{self.spoken.names[number]}_is", *reads, *map(self.bit, self.bits(*truths))]
            self.add(label, f"all i in 1..n. {said}", hints)

    def compared(self, number: int, line: Any) -> None:
        """A comparison: of what has few values as others; of whole numbers by the coordinate that says it."""
        value = self.told.lines[number]
        new = [one for one in self.bits(value) if one in self.told.compared]
        a, b = (self.spoken.value(k) for k in line.reads)
        if isinstance(self.told.lines[line.reads[0]], Form) and len(new) == 1 and self.there(new[0]):
            reads = [f"{fact}(i)" for k in line.reads for fact in self.known(k)]
            self.compares(new[0], f"D{number}", f"{a} - ({b})", reads, [self.told.lines[k] for k in line.reads])
        self.pointwise_with(number, [f"D{number}"] if f"D{number}" in self.done else [])

    def pointwise_with(self, number: int, more: Sequence[str]) -> None:
        reads = [fact for k in self.program.lines[number].reads for fact in self.known(k)]
        for label, said, truths in self.goals(number):
            hints = [f"{self.spoken.names[number]}_is", *more, *reads, *map(self.bit, self.bits(*truths))]
            self.add(label, f"all i in 1..n. {said}", hints)

    def compares(self, name: str, label: str, of: str, reads: Sequence[str], forms: Sequence[Form]) -> None:
        """The fact what a coordinate says of a whole number, that `of` is up to its sign."""
        op, number = self.told.compared[name]
        difference = forms[0].plus(forms[1], -1)
        factor = next(number.atoms[atom] / q for atom, q in difference.atoms.items())
        if factor not in (1, -1):
            raise Undecided("no proof is made of a comparison of fractions")
        of, row, put = (f"{of}" if factor == 1 else f"-({of})"), self.told.linear(number), self.put(name)
        hints = [f"{self.holds(one)}(i)" for one in row if one and self._truthful(one)]
        inner = [f"same: {self.row(row)} = {of} by {', '.join([*reads, *hints, 'il', 'ih'])}",
                 f"take it from number_is_{op}({of}; {self.row(row)}) by same",
                 f"qed by it, {put}_is(i), il, ih"]  # fmt: skip
        self.each(label, f"{put}(i) = I[{'0 <' if op == 'positive' else ''} {of} {'= 0' if op == 'zero' else ''}]", inner)
        self.add(f"B_{name}", f"all i in 1..n. bit({put}(i))", [label])

    def _truthful(self, name: str) -> bool:
        """Whether a coordinate holds a truth."""
        return name in self.told.sets or name in self.held or name in self.told.compared

    def psum(self, number: int, line: Any) -> None:
        """A sum over the positions up to here: the counts of the truths of which the number is made."""
        (read,) = line.reads
        if line.value not in ("future", "strict-future"):
            raise Undecided(f"no proof is made of a psum to the right: {self.program.text(number)}")
        value, name = self.told.lines[number], self.spoken.names[number]
        if not all(self.there(atom.name) for atom in value.atoms):
            return
        counts = [(atom.name, q) for atom, q in value.atoms.items() if atom.name in self.told.counts]
        form = self.told.lines[read]
        terms, hints, bits = [], [], list[str]()
        for count, q in counts:
            _, truth, mean = self.told.counts[count]
            hints.append(f"{self.count(count, truth, mean)}(i)")
            terms.append(f"({q})*I[{self.truth(truth, 'j')}]")
            bits += self.bits(truth)
        base = sum((q for atom, q in value.atoms.items() if atom.name == "before"), Fraction(0))
        summed = " + ".join([*terms, f"({base})"])
        facts = [*self.known(read), *map(self.bit, dict.fromkeys([*bits, *self.bits(*form.bits)])), "word"]
        one = self.spoken.value(read, "j")
        last = "i - 1" if line.value == "strict-future" else "i"
        end = [f"{name}_is(i)", "same", *hints, "each(i)", "here", "before_is(i)", "sum_one(1; i - 1)", "il", "ih"]
        self.each(f"L{number}", f"{name}(i) = {self.form(value)}", [
            f"each: all j in 1..i. {one} = {summed} by {', '.join([*facts, 'ih'])}",
            f"same: sum(j, 1, {last}, {one}) = sum(j, 1, {last}, {summed}) by sum_ext[each]",
            f"here: {self.spoken.value(read)} = {self.form(form)} by {', '.join([*facts, 'il', 'ih'])}",
            f"qed by {', '.join(end)}"])  # fmt: skip

    def count(self, name: str, truth: Truth, mean: str) -> str:
        """The fact that a coordinate holds how often a truth is strictly before."""
        held = self.told.hold(self.told.node(truth))
        put, told, at = self.put(name), self.holds(held), self.truth(truth, "j")
        self.add(f"P_{name}", f"all i in 1..n. bit(I[{self.truth(truth)}]) & {self.put(held)}(i) = I[{self.truth(truth)}]",
                 [told])  # fmt: skip
        sums = f"sum(j, 1, i - 1, I[{at}])"
        terms = f"n; j. I[{at}]; {self.put(held)}; {self.put(mean)}; inverse_before; {put}; before; before_square"
        facts = [f"{one}_is" for one in ("before", "before_square", "inverse_before", self.put(mean), put)]
        self.add(f"N_{name}", f"all i in 1..n. {put}(i) = {sums} & 0 <= {sums} & {sums} <= i - 1",
                 [f"counted_before({terms})[P_{name}, {', '.join(facts)}]"])  # fmt: skip
        return f"N_{name}"

    def nearest(self, number: int, line: Any) -> None:
        raise Undecided(f"no proof is made of a selection: {self.program.text(number)}")

    # The answer

    def answer(self) -> None:
        """What is put out."""
        number = self.program.output
        value = self.told.lines[number]
        hints = [*self.known(number), *(self.holds(one) for one in self.model.readout.reads if self._truthful(one))]
        hints += map(self.bit, self.bits(*(value.values() if isinstance(value, dict) else [] if isinstance(value, Form) else [value])))
        self.lines.append(f"qed by {', '.join(hints)}")
