"""The lines of a proof that a compiled model answers as its S-RASP program. Nothing here is trusted.

Fact L5 is about line 5 of the program, or L5_2 that it is letter number 2: what its function is by the bits and numbers
that coordinates hold; H_name says what a coordinate holds, P5 what the head of a selection has found. They are told by a
compiler that keeps what it made each coordinate for; the elaborator shows each by the facts that are named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.compilers.booleans import Cube, Node, cubes
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
MOST_BITS = 5
"""Up to how many bits the cases of a network are told apart by all of them."""


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
        self.asking: dict[int, int] = {}
        self.now = -1
        super().__init__(program)

    def _line(self, number: int, line: Any, reads: Any) -> Any:
        self.now, before = number, len(self.equalities)
        found = super()._line(number, line, reads)
        self.asking |= {id(one): number for one in self.equalities[before:]}
        return found

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

    def put_out(self, labels: Sequence[str]) -> None:
        """Hold what is put out, as the model does."""
        answer = self.lines[self.program.output]
        if isinstance(answer, Form):
            self._shown(answer)
        for truth in [answer[a] for a in labels] if isinstance(answer, dict) else [answer] * (not isinstance(answer, Form)):
            self.hold(self.node(truth))

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
        self.shown = {f"{name}_is": spoken.equation(k).partition(". ")[2] for k, name in spoken.names.items()}
        self.told.put_out(model.readout.labels or ())
        self.held = self.told.held()

    # Texts

    def put(self, name: str) -> str:
        """A coordinate as the statement calls it."""
        return self.meaning.names.get(name, name)

    def there(self, name: str) -> bool:
        """Whether a coordinate is in the model: one that nothing needs is not."""
        return name in self.run

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
        units = dict.fromkeys(unit for cube in found if (unit := self.unit(cube, at)) is not None)
        return " | ".join(f"({unit})" for unit in units) or NEVER

    def unit(self, cube: Cube, at: str) -> str | None:
        """A conjunction: the letters that it leaves, then bits; None where it leaves no letter."""
        letters, parts = self.told.every, list[str]()
        for variable, value in cube:
            name = self.told.name(variable)
            if name in self.told.sets:
                letters = letters & self.told.sets[name] if value else letters - self.told.sets[name]
            else:
                parts.append(f"{self.put(name)}({at}) = {int(value)}")
        if not letters:
            return None
        if letters != self.told.every:
            parts.insert(0, f"({self.truth(letters, at)})")
        return " & ".join(parts) or ALWAYS

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

    def add(self, label: str, fact: str, hints: Iterable[str] = (), inner: Sequence[str] = ()) -> None:
        """A fact, once; by hints, or by lines set in below."""
        if label in self.done:
            return
        self.done.add(label)
        by = f" by {', '.join(hints)}" if (hints := list(hints)) else ""
        self.shown[label] = fact.partition(". ")[2]
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
        elif name in self.told.tables:
            said = self.form(Form(self.told.tables[name]))
            self.each(label, f"{put}(i) = {said}", self.lettered("w(i)", [f"{put}_is(i)"]))
        elif name in ("one", "zero"):
            self.add(label, f"all i in 1..n. {put}(i) = {int(name == 'one')}", [f"{put}_is"])
        elif name in self.held and not (isinstance(self.held[name], tuple) and self.held[name][1:] == (False, True)):
            node, bits = self.held[name], self.bits(self.held[name])
            said, sets = f"{put}(i) = I[{self.truth(node)}]", self.sets(put)
            for one in [*sets, *bits]:
                self.holds(one) if one in sets else self.within(one)
            if sets or len(bits) > 2:
                self.each(label, said, self.tree(node, [f"{put}_is(i)"], sets))
            else:
                self.add(label, f"all i in 1..n. {said}", [f"{put}_is", *map(self.bit, bits)])
        else:
            self.add(label, f"all i in 1..n. {put}(i) = I[{put}(i) = 1]", [self.bit(name)])
        return label

    def sets(self, put: str) -> list[str]:
        """The coordinates of letters that the equation of a coordinate reads."""
        read = re.findall(r"(\w+)\(", self.equations.get(put, ""))
        return [self.own[one] for one in dict.fromkeys(read) if self.own.get(one) in self.told.sets]

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
            facts = [(f"M{number}", " | ".join(f"{name} = {self.spoken.codes[a]}" for a in value), [])]
            facts += [(f"L{number}_{self.spoken.codes[a]}", f"I[{name} = {self.spoken.codes[a]}] = I[{self.truth(one)}]", [one])
                      for a, one in value.items()]  # fmt: skip
        else:
            facts = [(f"L{number}", f"{name} = I[{self.truth(value)}]", [value])]
        for label, said, truths in facts:
            if all(self.there(one) for one in self.bits(*truths)):
                yield label, said, truths

    def known(self, number: int, code: str = "") -> list[str]:
        """The facts about a line that is read; of a letter with a `code` those that say whether it is this one."""
        line, value = self.program.lines[number], self.told.lines[number]
        if number not in self.spoken.names:
            return ["word"] if line.op == "in" else []
        labels = [label for label, *_ in self.goals(number) if label in self.done]
        if not isinstance(value, dict):
            return labels
        if not code:
            return labels[1:]
        return [one for one in labels if one.endswith(f"_{code}")] or labels[:1]

    def members(self, number: int) -> list[str]:
        """The fact which letters a line may be."""
        line = self.program.lines[number]
        return ["word"] if line.op == "in" else [f"M{number}"] if number in self.spoken.names else []

    def pointwise(self, number: int, more: Sequence[str] = ()) -> None:
        """A line that looks at no other position."""
        line = self.program.lines[number]
        compared = [self.program.lines[k] for k in line.reads]
        code = next((str(self.spoken.codes[one.value]) for one in compared if one.op == "constant" and isinstance(one.value, str)), "")
        for label, said, truths in self.goals(number):
            if line.op == "if" and self.program.types[number] == "letter":
                self.chooses(number, label, said, truths)
                continue
            letter = code if line.op == "compare" else label.partition("_")[2]
            find = self.members if label[0] == "M" else lambda k, letter=letter: self.known(k, letter)
            reads = [fact for k in line.reads for fact in (self.known(k) if self.program.types[k] != "letter" else find(k))]
            bits, name = self.bits(*truths, *self.turning(line)), self.spoken.names[number]
            hints = [f"{name}_is", *more, *reads, *map(self.bit, bits)]
            if label[0] == "M" or len(bits) > MOST_BITS or not (bits or "w(i)" in said or "word" in hints):
                if "w(i)" in said or "word" in hints:
                    self.each(label, said, self.lettered(said, [f"{one}(i)" for one in dict.fromkeys(hints)]))
                else:
                    self.add(label, f"all i in 1..n. {said}", dict.fromkeys(hints))
                continue
            facts = [f"{name}_is", *more, *(one for one in dict.fromkeys(reads) if one != "word")]
            asked = "w(i)" if "word" in reads or any("w(i)" in self.shown.get(one, "") for one in facts) else said
            self.each(label, said, self.worked(said, facts, bits, asked))

    def turning(self, line: Any) -> list[Truth]:
        """The truths on which the lines that are read turn."""
        found = list[Truth]()
        for read in line.reads:
            value = self.told.lines[read]
            if isinstance(value, Form):
                found += value.bits
            elif not isinstance(value, dict):
                found.append(value)
        return found

    def worked(self, said: str, facts: Sequence[str], bits: Sequence[str], asked: str) -> list[str]:
        """Lines that close a goal by putting in facts, one behind the other, in each case of the letter and of bits."""
        lines, used, text = list[str](), list[str](), said
        for k, one in enumerate(facts):
            left, right = _sides(self.shown[one])
            if left in text:
                lines.append(f"take N{k} from {one}(i) by il, ih")
                used.append(f"N{k}")
                text = text.replace(left, f"({right})")

        def cases(left: Sequence[str], told: Mapping[str, str]) -> list[str]:
            if not left:
                return [*(f"rewrite {one}" for one in [*used, *told.values()] if one), "qed"]
            k = len(bits) - len(left)
            found = [f"cases O{k}, I{k} from {self.bit(left[0])}(i) by il, ih"]
            for value in "OI":
                found += _block(cases(left[1:], {**told, left[0]: f"{value}{k}" * (f"{self.put(left[0])}(i)" in text)}))
            return found

        if "w(i)" not in asked or len(self.program.alphabet) == 1:
            return [*lines, *cases(bits, {})]
        lines.append(self.by_letter())
        for k in range(len(self.program.alphabet)):
            lines += _block(cases(bits, {"": f"W{k}" * bool(re.search(r"\bw\(i\)", text))}))
        return lines

    def lettered(self, said: str, hints: Sequence[str], held: Sequence[str] = ()) -> list[str]:
        """Lines that close a goal by hints, with cases over the letter where it is asked for; `held` are coordinates
        that are put in."""
        hints = [*dict.fromkeys([*hints, "il", "ih"])]
        if "w(i)" not in said or len(self.program.alphabet) == 1:
            return [f"qed by {', '.join([*hints, *(f'{self.holds(one)}(i)' for one in held)])}"]
        lines = [f"cases {', '.join(f'W{k}' for k in range(len(self.program.alphabet)))} from word(i) by il, ih"]
        for k, letter in enumerate(self.program.alphabet):
            block, now = list[str](), [f"W{k}"]
            for one in dict.fromkeys(held):
                if one in self.told.sets:
                    now.append(f"G{len(now)}")
                    fact = f"{self.put(one)}(i) = {int(letter in self.told.sets[one])}"
                    block.append(f"{now[-1]}: {fact} by W{k}, {self.holds(one)}(i), il, ih")
                else:
                    now.append(f"{self.holds(one)}(i)")
            lines += _block([*block, f"qed by {', '.join([*now, *(hint for hint in hints if hint != 'word(i)')])}"])
        return lines

    def by_letter(self) -> str:
        """A line that begins cases over the letter."""
        if len(self.program.alphabet) == 1:
            raise Undecided("no proof is made of a program of one letter")
        return f"cases {', '.join(f'W{k}' for k in range(len(self.program.alphabet)))} from word(i) by il, ih"

    def within(self, name: str) -> str:
        """The fact that a bit is from 0 to 1."""
        put = self.put(name)
        self.add(f"R_{name}", f"all i in 1..n. 0 <= {put}(i) & {put}(i) <= 1", [self.bit(name)])
        return f"R_{name}"

    def tree(self, node: Node, hints: Sequence[str], sets: Sequence[str]) -> list[str]:
        """Lines that close a goal about a truth by cases over the letter, where coordinates `sets` tell of it, and over
        the bits on which the truth turns."""
        every, now = self.bits(node), [f"take now from {hints[0]} by il, ih"]

        def cases(node: Node, letter: str | None, told: list[str], split: list[str]) -> list[str]:
            while isinstance(node, tuple) and self.told.name(node[0]) in self.told.sets:
                if letter is None:
                    break
                node = node[1 + (letter in self.told.sets[self.told.name(node[0])])]
            rest = [one for one in every if one not in split]
            if isinstance(node, bool) and not rest:
                return ["rewrite now", *(f"rewrite {one}" for one in told), "qed"]
            if isinstance(node, bool) and len(every) > MOST_BITS:
                return [f"qed by {', '.join([*told, *hints, *(f'R_{one}(i)' for one in rest), 'il', 'ih'])}"]
            name = rest[0] if isinstance(node, bool) else self.told.name(node[0])
            k = every.index(name)
            lines = [f"cases O{k}, I{k} from {self.bit(name)}(i) by il, ih"]
            for value in (0, 1):
                left = node if isinstance(node, bool) else node[1 + value]
                lines += _block(cases(left, letter, [*told, f"{'OI'[value]}{k}"], [*split, name]))
            return lines

        if not sets:
            return [*now, *cases(node, self.program.alphabet[0], [], [])]
        lines = [self.by_letter()]
        for k, letter in enumerate(self.program.alphabet):
            facts = [f"{self.put(one)}(i) = {int(letter in self.told.sets[one])} by W{k}, {self.holds(one)}(i), il, ih" for one in sets]
            told = [*(f"G{n}" for n in range(len(sets))), *([f"W{k}"] if "w(i)" in self.truth(node) else [])]
            lines += _block([*(f"G{n}: {fact}" for n, fact in enumerate(facts)), *cases(node, letter, told, [])])
        return [*now, *lines]

    def chooses(self, number: int, label: str, said: str, truths: Sequence[Truth]) -> None:
        """A letter that is chosen by a condition."""
        test, *lines = self.program.lines[number].reads
        name, letter = self.spoken.value(number), label.partition("_")[2]
        told = f"{self.spoken.value(test)} = "
        inner = [f"cases yes, no: {self.truth(self.told.lines[test])}"]
        bits = [f"{self.bit(one)}(i)" for one in self.bits(*truths, self.told.lines[test])]
        for case, value, line in zip(("yes", "no"), (1, 0), lines, strict=True):
            block = [f"told: {told}{value} by {', '.join([f'{fact}(i)' for fact in self.known(test)])}, {case}, il, ih",
                     f"same: {name} = {self.spoken.value(line)} by {self.spoken.names[number]}_is(i), told, il, ih"]  # fmt: skip
            if label[0] == "M":
                block += [one.replace("pl, ph, ", "") for one in self.letters(line, "i", "same")]
            else:
                hints = [f"{fact}(i)" for fact in self.known(line, letter)]
                block += self.lettered(said, [case, "same", *hints, *bits])
            inner += _block(block)
        self.each(label, said, inner)

    def compared(self, number: int, line: Any) -> None:
        """A comparison: of what has few values as others; of whole numbers by the coordinate that says it."""
        value = self.told.lines[number]
        new = [one for one in self.bits(value) if one in self.told.compared]
        a, b = (self.spoken.value(k) for k in line.reads)
        if isinstance(self.told.lines[line.reads[0]], Form) and len(new) == 1 and self.there(new[0]):
            reads = [f"{fact}(i)" for k in line.reads for fact in self.known(k)]
            self.compares(new[0], f"D{number}", f"{a} - ({b})", reads, [self.told.lines[k] for k in line.reads])
        self.pointwise(number, [f"D{number}"] if f"D{number}" in self.done else [])

    def compares(self, name: str, label: str, of: str, reads: Sequence[str], forms: Sequence[Form]) -> None:
        """The fact what a coordinate says of a whole number, that `of` is up to its sign."""
        op, number = self.told.compared[name]
        difference = forms[0].plus(forms[1], -1)
        factor = next(number.atoms[atom] / q for atom, q in difference.atoms.items())
        if factor not in (1, -1):
            raise Undecided("no proof is made of a comparison of fractions")
        of, row, put = (f"{of}" if factor == 1 else f"-({of})"), self.told.linear(number), self.put(name)
        hints = [*reads, *(f"{self.holds(one)}(i)" for one in row if one and self._truthful(one))]
        split = "w(i)" * any(one in self.told.tables or one in self.told.sets for one in row)
        inner = [f"same: {self.row(row)} = {of}", *(f"  {one}" for one in self.lettered(split, hints)),
                 f"take it from number_is_{op}({of}; {self.row(row)}) by same",
                 f"qed by it, {put}_is(i), il, ih"]  # fmt: skip
        self.each(label, f"{put}(i) = I[{'0 <' if op == 'positive' else ''} {of} {'= 0' if op == 'zero' else ''}]", inner)
        self.add(f"B_{name}", f"all i in 1..n. bit({put}(i))", [label])

    def _truthful(self, name: str) -> bool:
        """Whether a coordinate holds a truth."""
        return name in self.told.sets or name in self.held or name in self.told.compared or name in self.told.tables

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
        """A selection: what its head has found, and what that says of the value."""
        kept = self.told.selections.get(number, [])
        shown = self.program.text(number)
        if len(kept) != 1 or kept[0].head is None:
            raise Undecided(f"no proof is made of a selection that compares indices, or reads nothing: {shown}")
        (one,) = kept
        if one.op != "right" or one.mask not in ("future", "strict-future", "none"):
            raise Undecided(f"no proof is made of a selection of the first position, or to the right: {shown}")
        if len(one.equalities) > 1:
            raise Undecided(f"no proof is made of a selection by two equalities of numbers: {shown}")
        assert one.head is not None
        copies = {name: row for name, row in one.head.values.items() if self.there(name)}
        self.found(number, line, one, copies)
        for name in copies:
            if not name.startswith("key"):
                self.by_head(number, one, copies, f"B_{name}", f"bit({self.put(name)}(i))")
        for equality in one.equalities:
            name = self.meeting(equality, copies)
            self.add(f"B_{name}", f"all i in 1..n. bit({self.put(name)}(i))", (), self.met_bit(number, one, copies))
        for label, said, truths in self.goals(number):
            self.by_head(number, one, copies, label, said, self.bits(*truths))

    def found(self, number: int, line: Any, one: Selection, copies: Mapping[str, Linear]) -> None:
        """The fact P<number>: there is a position p whose values the head copies; it is the last one that is selected,
        or none is."""
        selector, value, default = line.reads
        end, name = RANGES[one.mask][1].format(i="i"), self.spoken.names[number]
        copied, every = self.copied(copies), one.head is not None and one.head.score is None
        at = end if every else "p"
        labels, inner = self.labels(copied), ["given i (il ih)", "low: 1 <= i by il"]
        for label, (source, said) in zip(labels, copied.items(), strict=True):
            row = self.row(copies[source], "j")
            rule = f"sum_delta(j. {row}; 1; {end}; {end})" if every else f"heads(j. {row})"
            said = said.replace("(p)", f"({at})")
            inner.append(f"{label}: {said} by {rule}, {self.put(source)}_is(i), low, il, ih{'' if every else ', pl, ph'}")
        copying, inner = inner[2:], inner[:2]
        inner.append(f"take (sel none) from {name}_is(i) by low, ih")
        test, chosen = self.test(one, copies), self.chosen(number, one, copies, f"({end})" if every else "p")
        if every:  # the last position is seen
            inner += [*copying, f"value: {name}(i) = {self.spoken.value(value, f'({end})')} by sel({end}), il, ih, low",
                      f"chosen: {chosen} by value"]  # fmt: skip
        else:
            pair = partial(self.spoken.pair, selector)
            found = f"last_found({end}; j. I[{pair()}]; j. {self.score(copies)}; {self.top(one)})"
            told = f"({pair()} & I[{pair()}] = 1) | (~({pair()}) & I[{pair()}] = 0)"
            inner += [f"either: all j in 1..{end}. {told}",
                      "  given j (jl jh)", f"  cases holds: {pair()}", "    - qed by holds", "    - qed by holds",
                      *self.scores(line, one, copies, end),
                      f"obtain p (pl ph how heads) from {found} by truths, picked, others, il, ih, low", *copying,
                      *self.meets(one, copies),
                      f"chosen: {chosen}", "  cases yes, no from how", "    - left",
                      *_told("here", pair("i", "p"), "p", "yes, pl, ph"),
                      f"      behind: all k in p + 1..{end}. ~({pair('i', 'k')})", "        given k (kl kh)",
                      f"        zero: I[{pair('i', 'k')}] = 0 by yes, kl, kh",
                      *_told("fails", f"~({pair('i', 'k')})", "k", "zero, kl, kh, pl", "  "),
                      f"      value: {name}(i) = {self.spoken.value(value, 'p')} by sel(p), here, behind, pl, ph",
                      f"      test: {test} = 1 by {'met, here' if one.equalities else f'picked(p), yes, pl, ph, {chr(44).join(labels)}'}",
                      "      qed by test, value", "    - right",
                      f"      never: all j in 1..{end}. ~({pair('i', 'j')})", "        given j (jl jh)",
                      f"        zero: I[{pair('i', 'j')}] = 0 by no, jl, jh",
                      *_told("fails", f"~({pair('i', 'j')})", "j", "zero, jl, jh", "  "),
                      f"      value: {name}(i) = {self.spoken.value(default)} by none, never",
                      *([f"      fails: ~({pair('i', 'p')}) by never(p), pl, ph"] if one.equalities else []),
                      f"      test: {test} = 0 by {'met, fails' if one.equalities else f'zeros(p), no, pl, ph, {chr(44).join(labels)}'}",
                      "      qed by test, value"]  # fmt: skip
        inner += [f"witness {at}", f"qed by {', '.join([*([] if every else ['pl', 'ph']), 'il', 'ih', 'low', 'chosen', *labels])}"]
        least = "2" if one.mask == "strict-future" else "1"
        parts = ["1 <= p", f"p <= {end}", f"({self.chosen(number, one, copies)})", *copied.values()]
        self.add(f"P{number}", f"all i in {least}..n. ex p:Int. {' & '.join(parts)}", (), inner)
        if one.mask == "strict-future":
            zero = [f"{self.put(source)}(1) = 0" for source in copies]
            inner = [f"take (sel none) from {name}_is(1) by some"]
            inner += [f"{label}: {said} by {self.put(source)}_is(1), some" for label, said, source in zip(labels, zero, copies, strict=True)]
            inner += [f"value: {name}(1) = {self.spoken.value(default, '1')} by none"]
            said = " & ".join([f"{name}(1) = {self.spoken.value(default, '1')}", *zero])
            self.add(f"E{number}", said, (), [*inner, f"qed by {', '.join(['value', *labels])}"])

    def chosen(self, number: int, one: Selection, copies: Mapping[str, Linear], at: str = "p") -> str:
        """Whether the test of what was found succeeds, and the value then and else."""
        _, value, default = self.program.lines[number].reads
        name, test = self.spoken.names[number], self.test(one, copies)
        return (f"({test} = 1 & {name}(i) = {self.spoken.value(value, at)}) | "
                f"({test} = 0 & {name}(i) = {self.spoken.value(default)})")  # fmt: skip

    def test(self, one: Selection, copies: Mapping[str, Linear]) -> str:
        """What is 1 where the position that was found is selected, by coordinates at i, else 0."""
        if one.head is None or one.head.score is None:
            return "1"
        if one.equalities:
            return f"{self.put(self.meeting(one.equalities[0], copies))}(i)"
        parts = [f"I[{self.truth(case.here)}]" for case in one.cases if case.there is True]
        for case in one.cases:
            if not isinstance(case.there, bool):
                source = self.told.hold(case.there)
                copy = next((name for name, row in copies.items() if list(row) == [source]), "")
                if not copy:
                    raise Undecided(f"no proof is made where a bit is left out: {self.told.meanings[source]}")
                parts.append(f"{self.put(self.told.hold(self.told.node(case.here)))}(i)*{self.put(copy)}(i)")
        return f"({' + '.join(parts)})"

    def meeting(self, equality: Equality, copies: Mapping[str, Linear]) -> str:
        """The coordinate that says whether two numbers are equal, the key as it was found."""
        keys = [name for name in copies if name.startswith("key")]
        for name, (_, number) in self.told.compared.items():
            if any(atom.name in keys for atom in number.atoms):
                return name
        raise Undecided(f"no proof is made where a bit is left out: {equality.shown}")

    def copied(self, copies: Mapping[str, Linear]) -> dict[str, str]:
        """What a head has copied from position p."""
        return {name: f"{self.put(name)}(i) = {self.row(row, 'p')}" for name, row in copies.items()}

    def labels(self, copied: Mapping[str, str]) -> list[str]:
        return [f"F{k}" for k in range(len(copied))]

    def score(self, copies: Mapping[str, Linear]) -> str:
        """The score of position j, as the equations of a head have it."""
        text = self.equations[self.put(next(iter(copies)))]
        found = re.search(r"I\[all k in [^<]*? <= (.*?) & \(j < k -> ", text)
        assert found is not None
        return found[1]

    def top(self, one: Selection) -> str:
        """The score of what is selected: less by 1 where the selector looks at nothing of j."""
        plain = [self.truth(case.here) for case in one.cases if case.there is True]
        parts = ["1" if not plain else f"1 - I[{plain[0]}]"]
        for equality in one.equalities:
            query, constant = self.query(equality)
            parts.append(f"({query} - ({constant}))^2")
        return " + ".join(parts)

    def query(self, equality: Equality) -> tuple[str, Fraction]:
        """What is looked for at i, and the constant of the key."""
        line = self.program.lines[self.told.asking[id(self.told.equalities[self.told.equalities.index(equality)])]]
        return self.spoken.value(line.reads[1]), self.told.linear(equality.key).get("", Fraction(0))

    def keys(self, equality: Equality) -> tuple[int, int]:
        """The lines of an equality: key and query."""
        line = self.program.lines[self.told.asking[id(self.told.equalities[self.told.equalities.index(equality)])]]
        return line.reads

    def scores(self, line: Any, one: Selection, copies: Mapping[str, Linear], end: str) -> list[str]:
        """Lines that show the score of what is selected, `picked`, and that of all else to be below it, `others`."""
        selector, score, top = self.spoken.pair(line.reads[0]), self.score(copies), self.top(one)
        facts = [f"{fact}(i)" for case in one.cases for fact in self.truths(case.here, case.there)]
        facts += [f"{self.holds(self.told.hold(case.there))}(j)" for case in one.cases if not isinstance(case.there, bool)]
        facts += [f"{self.holds('one')}(i)"] if "one" in self.run else []
        facts += [f"{fact}({at})" for read, at in self.selected(line.reads[0], "j") for fact in self.known(read)]
        if self.program.lines[line.reads[0]].op == "key" and len(one.cases) == 1 and isinstance(one.cases[0].there, tuple):
            (read,) = self.program.lines[line.reads[0]].reads
            facts = [*self.alike(read, self.told.hold(one.cases[0].there)), f"{self.holds(self.told.hold(True))}(i)"]
        hints = ", ".join([*dict.fromkeys(facts), "jl", "jh", "il", "ih", "low", "is"])
        lines, given = [f"truths: all j in 1..{end}. bit(I[{selector}])"], "  given j (jl jh) is"
        if one.equalities:
            return [*lines, *self.equality(line, one, score, top, end)]
        plain = any(case.there is True for case in one.cases)
        return [*lines, f"picked: all j in 1..{end}. I[{selector}] = 1 -> {score} = {top}", given, f"  qed by {hints}",
                f"zeros: all j in 1..{end}. I[{selector}] = 0 -> {score} = 0", given, f"  qed by {hints}",
                f"others: all j in 1..{end}. I[{selector}] = 0 -> {score} < {top}", given,
                f"  qed by zeros(j), {hints if plain else 'jl, jh, is'}"]  # fmt: skip

    def alike(self, number: int, name: str) -> list[str]:
        """The facts that a coordinate holds a truth of the program, and that this is a bit."""
        value, put, held = self.spoken.value(number), self.put(name), self.holds(name)
        self.each(f"K{number}", f"{put}(i) = {value}", [
            f"take held from {held}(i) by il, ih", f"take told from L{number}(i) by il, ih",
            "rewrite held", "rewrite told", "qed"])  # fmt: skip
        self.add(f"V{number}", f"all i in 1..n. bit({value})", [f"L{number}"])
        return [f"K{number}(j)", f"V{number}(j)"]

    def equality(self, line: Any, one: Selection, score: str, top: str, end: str) -> list[str]:
        """The same where a number at j must be one at i: the score is the square of that one less the square of the
        difference."""
        (equality,) = one.equalities
        if any(case.there is not True for case in one.cases):
            raise Undecided("no proof is made of a selection by an equality of numbers and a condition")
        (key, query), (y, c) = self.keys(equality), self.query(equality)
        selector, x = self.spoken.pair(line.reads[0]), self.spoken.value(key, "j")
        row = {name: q for name, q in self.told.linear(equality.key).items() if name}
        asked, keyed = self.row(self.told.linear(equality.query)), self.row(row, "j")
        squares = self.squares(key, equality)
        hints = [f"{fact}(i)" for fact in self.known(query)] + self.coordinates(self.told.linear(equality.query), "i")
        keys = [f"{fact}(j)" for fact in self.known(key)] + self.coordinates(row, "j")
        unit = [f"{self.holds('one')}(i)"] if "one" in self.run else []
        total = f"{score} = 2*(({asked}) - ({c}))*({keyed}) - ({squares[0]})"
        return [f"asked: {asked} = {y} by {', '.join([*hints, 'low', 'ih'])}",
                f"keyed: all j in 1..{end}. {keyed} = {x} - ({c})", "  given j (jl jh)",
                f"  qed by {', '.join([*keys, 'jl', 'jh', 'ih'])}",
                f"total: all j in 1..{end}. {score} = {top} - ({x} - {y})^2", "  given j (jl jh)",
                f"  parts: {total} by {', '.join([*unit, 'low', 'ih'])}", f"  one_key: {keyed} = {x} - ({c}) by keyed, jl, jh",
                f"  square: {squares[0]} = ({x} - ({c}))^2 by {squares[1]}(j), jl, jh, ih",
                "  rewrite parts", "  rewrite asked", "  rewrite one_key", "  rewrite square", "  qed",
                f"picked: all j in 1..{end}. I[{selector}] = 1 -> {score} = {top}", "  given j (jl jh) is",
                "  cases level, apart from either(j) by jl, jh", "    - qed by total(j), level, jl, jh", "    - qed by apart, is",
                f"others: all j in 1..{end}. I[{selector}] = 0 -> {score} < {top}", "  given j (jl jh) is",
                "  cases level, apart from either(j) by jl, jh", "    - qed by level, is",
                f"    - far: 1 <= ({x} - {y})^2 by apart", "      qed by total(j), far, jl, jh"]  # fmt: skip

    def coordinates(self, row: Linear, at: str) -> list[str]:
        """The facts about the coordinates of a row that hold truths."""
        return [f"{self.holds(name)}({at})" for name in row if name and self._truthful(name)]

    def squares(self, key: int, equality: Equality) -> tuple[str, str]:
        """The sum of coordinates that is the square of a key, at j, and the fact that it is."""
        c = self.told.linear(equality.key).get("", Fraction(0))
        form = equality.key.plus(self.told.number(c), -1)
        square = self.told.square(form)
        label, x = f"S{key}", f"({self.spoken.value(key)} - ({c}))"
        if label not in self.done:
            pieces = [name for name in square if name]
            if len(pieces) % 3 or not all(self.there(name) for name in pieces) or form.side != "left":
                raise Undecided(f"no proof is made of the square of {self.program.text(key)}")
            inner = self.pieces(key, x, form, pieces)
            self.each(label, f"{self.row(square)} = {x}^2", inner)
        return self.row(square, "j"), label

    def pieces(self, key: int, x: str, form: Form, pieces: Sequence[str]) -> list[str]:
        """Lines that show that three coordinates for what is above 0, and three for what is below, are a square."""
        row = self.told.linear(form)
        counts = [f"{self.count(atom.name, *self.told.counts[atom.name][1:])}(i)" for atom in form.atoms if atom.name in self.told.counts]
        bits = [f"{self.bit(one)}(i)" for node in form.bits for one in self.bits(node)]
        known = [f"{fact}(i)" for fact in self.known(key)]
        lines = [f"is: {self.row(row)} = {x} by {', '.join([*known, *self.coordinates(row, 'i'), 'il', 'ih'])}",
                 f"most: {x} <= i", *(f"  {one}" for one in self.lettered("w(i)", [*known, *counts, *bits, "before_is(i)"])),
                 f"least: -i <= {x}", *(f"  {one}" for one in self.lettered("w(i)", [*known, *counts, *bits, "before_is(i)"])),
                 "keys: all j in 1..i. before(j) = j - 1 by before_is, ih",
                 "squares: all j in 1..i. before_square(j) = (j - 1)^2 by before_square_is, ih",
                 f"unit: one(i) = 1 by {self.holds('one')}, il, ih"]  # fmt: skip
        ends = list[str]()
        for place in range(0, len(pieces), 3):
            square, part, some = pieces[place : place + 3]
            sign = "" if not place else "-"
            y = f"relu({sign}{x} - 1)"
            n = place // 3
            lines += [f"low{n}: {self.put(part)}(i) = {y} by {self.put(part)}_is(i), is, il, ih",
                      f"some{n}: {self.put(some)}(i) = I[0 < {sign}{x}]",
                      f"  take it from number_is_positive({sign}{x}; {sign}({self.row(row)})) by is",
                      f"  qed by it, {self.put(some)}_is(i), il, ih",
                      f"least{n}: 0 <= {y}", f"less{n}: {y} < i by {'least' if place else 'most'}, il",
                      f"query{n}: {self.put(part)}(i) = one(i)*{y} by low{n}, unit", "warm{n}: 0 < one(i) by unit".format(n=n),
                      f"take found{n} from looked_up(i; {y}; one(i); {self.put(part)}(i); {self.put(square)}(i); before; "
                      f"before_square; before_square) by least{n}, less{n}, warm{n}, query{n}, keys, squares, {self.put(square)}_is, il, ih",
                      f"square{n}: {self.put(square)}(i) = {y}^2 by found{n}, squares({y} + 1), least{n}, less{n}"]  # fmt: skip
            ends += [f"low{n}", f"some{n}", f"square{n}"]
        if len(pieces) != 6:
            raise Undecided(f"no proof is made of the square of {self.program.text(key)}")
        hints = ", ".join(ends)
        return [*lines, f"cases above, below: 1 <= {x}", f"  - qed by above, {hints}", f"  - cases under, zero: {x} <= -1",
                f"      - qed by under, {hints}", f"      - none: {x} = 0 by below, zero", f"        qed by none, {hints}"]  # fmt: skip

    def truths(self, here: Truth, there: Node) -> list[str]:
        """The facts what the coordinate of a case holds, where the score reads it."""
        if isinstance(there, bool):
            return []
        return [self.holds(self.told.hold(self.told.node(here)))]

    def selected(self, selector: int, at: str = "p") -> list[tuple[int, str]]:
        """The lines that a selector reads, each with the position at which it does."""
        line = self.program.lines[selector]
        if line.op == "select":
            return [(line.reads[0], at), (line.reads[1], "i")]
        if line.op in ("key", "query"):
            return [(line.reads[0], at if line.op == "key" else "i")]
        return [one for part in line.reads for one in self.selected(part, at)]

    def met_bit(self, number: int, one: Selection, copies: Mapping[str, Linear]) -> list[str]:
        """Lines that show that a comparison of what was found is a bit, also where there is nothing to be found."""
        lines = ["given i (il ih)", "low: 1 <= i by il"]
        strict = one.mask == "strict-future"
        main = [f"obtain p (pl ph how {' '.join(self.labels(copies))}) from P{number}(i) by il, ih" + (", more" * strict),
                "cases yes, no from how", "  - qed by yes", "  - qed by no"]  # fmt: skip
        if not strict:
            return [*lines, *main]
        found = next(name for name in copies if name.startswith("key"))
        first = ["first: i = 1 by less, il", f"none: {self.put(found)}(i) = 0 by {self.put(found)}_is(i), first, il, ih",
                 *self.meets(one, copies, "1"), "qed by met"]  # fmt: skip
        return [*lines, "cases more, less: 2 <= i", *_block(main), *_block(first)]

    def by_head(self, number: int, one: Selection, copies: Mapping[str, Linear], label: str, said: str,
                bits: Sequence[str] = ()) -> None:  # fmt: skip
        """A fact about what a head has found, at every position."""
        line, copied = self.program.lines[number], self.copied(copies)
        selector, value, default = line.reads
        names, letter = [*copies], label.partition("_")[2] if label[0] == "L" else ""
        asked = [one for one in names if one in bits or label == f"B_{one}"]
        truths = self.told.lines[value]
        truths = [] if isinstance(truths, Form) else truths.values() if isinstance(truths, dict) else [truths]
        read = {self.told.hold(self.told.node(truth)) for truth in truths}
        facts, here = list[str](), list[str]()
        for name in asked:
            if label[0] == "B" or read & {*copies[name]}:
                facts += [f"F{names.index(name)}", *(f"{self.holds(source)}(p)" for source in copies[name] if self._truthful(source))]
        if label[0] != "B":
            here = [self.told.hold(self.told.node(case.here)) for case in one.cases if not isinstance(case.there, bool)]
            facts += [f"{self.bit(name)}(i)" for name in asked]
            find = self.members if label[0] == "M" else lambda k: self.known(k, letter)
            facts += [f"{fact}(p)" for fact in find(value)] + [f"{fact}(i)" for fact in find(default)]
        facts += [f"{self.bit(name)}(i)" for name in bits if name not in copies]
        later = ["later_is(i)"] if "later" in bits else []
        ground = [*dict.fromkeys([*facts, *later])]
        taken = [one for one in ground if "(" in one]
        ends = [*(one for one in ground if "(" not in one), *(f"T{k}" for k in range(len(taken))), "pl", "ph", "il", "ih", "low"]
        hints = ", ".join(ends)
        strict = one.mask == "strict-future"
        main = [f"obtain p (pl ph how {' '.join(self.labels(copied))}) from P{number}(i) by il, ih" + (", more" * strict)]
        main += [f"take T{k} from {fact} by pl, ph, il, ih" for k, fact in enumerate(taken)] if label[0] != "M" else []
        if label[0] == "B":
            main += [f"qed by {hints}"]
        elif label[0] == "M":
            main += ["cases yes, no from how", *_block(self.letters(value, "p", "yes")), *_block(self.letters(default, "i", "no"))]
        else:
            main += ["cases yes, no from how", *_block(self.lettered(said, ["yes", *ends], here)), *_block(self.lettered(said, ["no", *ends], here))]
        inner = ["low: 1 <= i by il"]
        if strict:
            first = [f"E{number}", "some", *(["later_is(1)"] if later else []), *(f"{fact}(1)" for fact in self.known(default))]
            inner += ["cases more, less: 2 <= i", *_block(main),
                      *_block(["first: i = 1 by less, il", "rewrite first", f"qed by {', '.join(first)}"])]  # fmt: skip
        else:
            inner += main
        self.each(label, said, inner)

    def letters(self, number: int, at: str, fact: str) -> list[str]:
        """Lines that show which letters there may be, where `fact` says that it is that of a line at a position."""
        found = self.members(number)
        if not found:
            return [f"qed by {fact}"]
        labels = [f"C{k}" for k in range(len(self.told.lines[number]))]
        return [f"cases {', '.join(labels)} from {found[0]}({at}) by pl, ph, il, ih",
                *(f"  - qed by {one}, {fact}" for one in labels)]  # fmt: skip

    def meets(self, one: Selection, copies: Mapping[str, Linear], at: str = "p") -> list[str]:
        """The fact `met` what the coordinate says that compares the key, as it was found, with what is asked; at the
        first position, with no other before it, what it says is a bit."""
        if not one.equalities:
            return []
        (equality,) = one.equalities
        (key, query), (y, c) = self.keys(equality), self.query(equality)
        name = self.meeting(equality, copies)
        found = next(one for one in copies if one.startswith("key"))
        op, number = self.told.compared[name]
        factor = next(q for atom, q in number.atoms.items() if atom.name == found)
        if factor not in (1, -1):
            raise Undecided("no proof is made of a comparison of fractions")
        x = self.spoken.value(key, "p") if at == "p" else str(c)
        of = f"{x} - ({y})" if factor == 1 else f"({y}) - {x}"
        row = self.told.linear(number)
        hints = [f"F{[*copies].index(found)}" if at == "p" else "none", *(f"{fact}(i)" for fact in self.known(query)), *self.coordinates(row, "i")]
        if at == "p":
            key_row = {one: q for one, q in self.told.linear(equality.key).items() if one}
            hints += [*(f"{fact}(p)" for fact in self.known(key)), *self.coordinates(key_row, "p"), "pl", "ph"]
        return [f"level: {self.row(row)} = {of} by {', '.join([*hints, 'low', 'ih'])}",
                f"take it from number_is_{op}({of}; {self.row(row)}) by level",
                f"met: {self.put(name)}(i) = I[{of} = 0] by it, {self.put(name)}_is(i), low, ih"]  # fmt: skip

    # The answer

    def answer(self) -> None:
        """What is put out."""
        number = self.program.output
        value, said = self.told.lines[number], self.spoken.value(number)
        bits = [] if isinstance(value, Form) else [*value.values()] if isinstance(value, dict) else [value]
        reads, labels = self.model.readout.reads, self.model.readout.labels
        if isinstance(value, dict):
            shown, codes = list[str](), [self.spoken.codes[a] for a in value]
            for a in labels or ():
                code, held = self.spoken.codes[a], self.told.hold(self.told.node(value[a]))
                self.add(f"A{code}", f"all i in 1..n. {self.put(held)}(i) = I[{said} = {code}]",
                         [self.holds(held), *self.known(number, str(code))])  # fmt: skip
                shown.append(f"A{code}(i)")
            self.lines += ["given i (il ih)", f"cases {', '.join(f'C{code}' for code in codes)} from M{number}(i) by il, ih"]
            self.lines += [f"  - qed by C{code}, {', '.join(shown)}, il, ih" for code in codes]
            return
        if isinstance(value, Form):
            rows = [f"{self.put(one)}_is" for one in reads]
            held = [self.holds(one) for one in self.run if one in self.held or one in self.told.sets or one in self.told.tables]
            self.lines.append(f"qed by {', '.join([*self.known(number), *rows, *held])}")
            return
        (one,) = reads
        put = self.put(one)
        held = self.holds(one)
        if f"L{number}" not in self.done:
            raise Undecided(f"no proof is made where a bit is left out: {self.program.text(number)}")
        self.lines += ["given i (il ih)", f"same: {put}(i) = {said}",
                       f"  take held from {held}(i) by il, ih", f"  take told from L{number}(i) by il, ih",
                       "  rewrite held", "  rewrite told", "  qed",
                       f"bit: bit({put}(i)) by {held}, il, ih", "cases zero, more from bit",
                       "  - qed by zero, same", "  - qed by more, same"]  # fmt: skip


def _block(lines: Sequence[str]) -> list[str]:
    """Lines as a block."""
    return [f"  {'- ' if not k else '  '}{one}" for k, one in enumerate(lines)]


def _told(label: str, said: str, at: str, fact: str, more: str = "") -> list[str]:
    """A condition on a position, or that it fails, by what its truth is."""
    return [f"{more}      {label}: {said}", f"{more}        cases holds, not_so from either({at}) by {fact}",
            f"{more}          - qed by holds, {fact}", f"{more}          - qed by not_so, {fact}"]  # fmt: skip


def _sides(equation: str) -> tuple[str, str]:
    """What stands on the left and on the right of an equation for a term or a truth."""
    depth = 0
    for place, sign in enumerate(equation):
        depth += (sign in "[(") - (sign in "])")
        if not depth and equation.startswith(" = ", place):
            return equation[:place], equation[place + 3 :]
    return equation, ""
