"""Selections in the proofs of compiled S-RASP programs: what a head has found. Nothing here is trusted.

Fact P5 is about the head of line 5: there is a position whose values it copies; a test of these tells whether it is the
last one that is selected, or none is. E5 is what the head gives at the first position, where it sees nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial

from symcook.compilers.booleans import Node
from symcook.compilers.numbers import Form, Linear
from symcook.compilers.selection import Equality
from symcook.compilers.values import Truth
from symcook.errors import Undecided
from symcook.programs.srasp import SraspLine
from symcook.proof.programsaid import RANGES
from symcook.proof.programtext import ProgramText, as_block
from symcook.proof.programtold import Selection


class SelectionFacts(ProgramText):
    """The facts about selections."""

    def nearest(self, number: int, line: SraspLine) -> None:
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

    def found(self, number: int, line: SraspLine, one: Selection, copies: Mapping[str, Linear]) -> None:
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
            inner.append(
                f"{label}: {said} by {rule}, {self.put(source)}_is(i), low, il, ih{'' if every else ', pl, ph'}"
            )
        copying, inner = inner[2:], inner[:2]
        inner.append(f"take (sel none) from {name}_is(i) by low, ih")
        test, chosen = self.test(one, copies), self.chosen(number, one, copies, f"({end})" if every else "p")
        if every:  # the last position is seen
            inner += [*copying, f"value: {name}(i) = {self.spoken.value(value, f'({end})')} by sel({end}), il, ih, low",
                      f"chosen: {chosen} by value"]  # fmt: skip
        else:
            pair, told_by = partial(self.spoken.pair, selector), ", ".join(labels)
            met_by = "met, here" if one.equalities else f"picked(p), yes, pl, ph, {told_by}"
            missed_by = "met, fails" if one.equalities else f"zeros(p), no, pl, ph, {told_by}"
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
                      f"      test: {test} = 1 by {met_by}",
                      "      qed by test, value", "    - right",
                      f"      never: all j in 1..{end}. ~({pair('i', 'j')})", "        given j (jl jh)",
                      f"        zero: I[{pair('i', 'j')}] = 0 by no, jl, jh",
                      *_told("fails", f"~({pair('i', 'j')})", "j", "zero, jl, jh", "  "),
                      f"      value: {name}(i) = {self.spoken.value(default)} by none, never",
                      *([f"      fails: ~({pair('i', 'p')}) by never(p), pl, ph"] if one.equalities else []),
                      f"      test: {test} = 0 by {missed_by}",
                      "      qed by test, value"]  # fmt: skip
        inner += [
            f"witness {at}",
            f"qed by {', '.join([*([] if every else ['pl', 'ph']), 'il', 'ih', 'low', 'chosen', *labels])}",
        ]
        least = "2" if one.mask == "strict-future" else "1"
        parts = ["1 <= p", f"p <= {end}", f"({self.chosen(number, one, copies)})", *copied.values()]
        self.add(f"P{number}", f"all i in {least}..n. ex p:Int. {' & '.join(parts)}", (), inner)
        if one.mask == "strict-future":
            zero = [f"{self.put(source)}(1) = 0" for source in copies]
            inner = [f"take (sel none) from {name}_is(1) by some"]
            inner += [
                f"{label}: {said} by {self.put(source)}_is(1), some"
                for label, said, source in zip(labels, zero, copies, strict=True)
            ]
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

    def labels(self, copied: Mapping[str, object]) -> list[str]:
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
        return line.reads[0], line.reads[1]

    def scores(self, line: SraspLine, one: Selection, copies: Mapping[str, Linear], end: str) -> list[str]:
        """Lines that show the score of what is selected, `picked`, and that of all else to be below it, `others`."""
        selector, score, top = self.spoken.pair(line.reads[0]), self.score(copies), self.top(one)
        facts = [f"{fact}(i)" for case in one.cases for fact in self.truths(case.here, case.there)]
        facts += [
            f"{self.holds(self.told.hold(case.there))}(j)" for case in one.cases if not isinstance(case.there, bool)
        ]
        facts += [f"{self.holds('one')}(i)"] if "one" in self.run else []
        facts += [f"{fact}({at})" for read, at in self.selected(line.reads[0], "j") for fact in self.known(read)]
        if (
            self.program.lines[line.reads[0]].op == "key"
            and len(one.cases) == 1
            and isinstance(one.cases[0].there, tuple)
        ):
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

    def equality(self, line: SraspLine, one: Selection, score: str, top: str, end: str) -> list[str]:
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
                f"  parts: {total} by {', '.join([*unit, 'low', 'ih'])}",
                f"  one_key: {keyed} = {x} - ({c}) by keyed, jl, jh",
                f"  square: {squares[0]} = ({x} - ({c}))^2 by {squares[1]}(j), jl, jh, ih",
                "  rewrite parts", "  rewrite asked", "  rewrite one_key", "  rewrite square", "  qed",
                f"picked: all j in 1..{end}. I[{selector}] = 1 -> {score} = {top}", "  given j (jl jh) is",
                "  cases level, apart from either(j) by jl, jh", "    - qed by total(j), level, jl, jh",
                "    - qed by apart, is",
                f"others: all j in 1..{end}. I[{selector}] = 0 -> {score} < {top}", "  given j (jl jh) is",
                "  cases level, apart from either(j) by jl, jh", "    - qed by level, is",
                f"    - far: 1 <= ({x} - {y})^2 by apart", "      qed by total(j), far, jl, jh"]  # fmt: skip

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
        counts = [
            f"{self.count(atom.name, *self.told.counts[atom.name][1:])}(i)"
            for atom in form.atoms
            if atom.name in self.told.counts
        ]
        bits = [f"{self.bit(one)}(i)" for node in form.bits for one in self.bits(node)]
        known = [f"{fact}(i)" for fact in self.known(key)]
        bounded = [f"  {one}" for one in self.lettered("w(i)", [*known, *counts, *bits, "before_is(i)"])]
        lines = [f"is: {self.row(row)} = {x} by {', '.join([*known, *self.coordinates(row, 'i'), 'il', 'ih'])}",
                 f"most: {x} <= i", *bounded, f"least: {'-i' if len(pieces) == 6 else '0'} <= {x}", *bounded,
                 "keys: all j in 1..i. before(j) = j - 1 by before_is, ih",
                 "squares: all j in 1..i. before_square(j) = (j - 1)^2 by before_square_is, ih",
                 f"unit: one(i) = 1 by {self.holds('one')}, il, ih"]  # fmt: skip
        ends = list[str]()
        for place in range(0, len(pieces), 3):
            square, part, some = pieces[place : place + 3]
            puts = self.put(square)
            sign = "" if not place else "-"
            y = f"relu({sign}{x} - 1)"
            n = place // 3
            lines += [f"low{n}: {self.put(part)}(i) = {y} by {self.put(part)}_is(i), is, il, ih",
                      f"some{n}: {self.put(some)}(i) = I[0 < {sign}{x}]",
                      f"  take it from number_is_positive({sign}{x}; {sign}({self.row(row)})) by is",
                      f"  qed by it, {self.put(some)}_is(i), il, ih",
                      f"least{n}: 0 <= {y}", f"less{n}: {y} < i by {'least' if place else 'most'}, il",
                      f"query{n}: {self.put(part)}(i) = one(i)*{y} by low{n}, unit", f"warm{n}: 0 < one(i) by unit",
                      f"take found{n} from looked_up(i; {y}; one(i); {self.put(part)}(i); {self.put(square)}(i); "
                      f"before; before_square; before_square) by least{n}, less{n}, warm{n}, query{n}, keys, squares, "
                      f"{self.put(square)}_is, il, ih",
                      f"square{n}: {puts}(i) = {y}^2 by found{n}, squares({y} + 1), least{n}, less{n}"]  # fmt: skip
            ends += [f"low{n}", f"some{n}", f"square{n}"]
        hints = ", ".join(ends)
        if len(pieces) == 3 and not form.times(-1).growth():
            return [*lines, f"cases above, below: 1 <= {x}", f"  - qed by above, {hints}",
                    f"  - none: {x} = 0 by below, least", f"    qed by none, {hints}"]  # fmt: skip
        if len(pieces) != 6:
            raise Undecided(f"no proof is made of the square of {self.program.text(key)}")
        return [*lines, f"cases above, below: 1 <= {x}", f"  - qed by above, {hints}",
                f"  - cases under, zero: {x} <= -1",
                f"      - qed by under, {hints}", f"      - none: {x} = 0 by below, zero",
                f"        qed by none, {hints}"]  # fmt: skip

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
        labels = " ".join(self.labels(copies))
        main = [f"obtain p (pl ph how {labels}) from P{number}(i) by il, ih" + (", more" * strict),
                "cases yes, no from how", "  - qed by yes", "  - qed by no"]  # fmt: skip
        if not strict:
            return [*lines, *main]
        found = next(name for name in copies if name.startswith("key"))
        put = self.put(found)
        first = ["first: i = 1 by less, il", f"none: {put}(i) = 0 by {put}_is(i), first, il, ih",
                 *self.meets(one, copies, "1"), "qed by met"]  # fmt: skip
        return [*lines, "cases more, less: 2 <= i", *as_block(main), *as_block(first)]

    def by_head(self, number: int, one: Selection, copies: Mapping[str, Linear], label: str, said: str,
                bits: Sequence[str] = ()) -> None:  # fmt: skip
        """A fact about what a head has found, at every position."""
        line, copied = self.program.lines[number], self.copied(copies)
        _, value, default = line.reads
        names, letter = [*copies], label.partition("_")[2] if label[0] == "L" else ""
        asked = [one for one in names if one in bits or label == f"B_{one}"]
        truths = self.told.lines[value]
        truths = [] if isinstance(truths, Form) else truths.values() if isinstance(truths, dict) else [truths]
        read = {self.told.hold(self.told.node(truth)) for truth in truths}
        facts, here = list[str](), list[str]()
        for name in asked:
            if label[0] == "B" or read & {*copies[name]}:
                facts += [
                    f"F{names.index(name)}",
                    *(f"{self.holds(source)}(p)" for source in copies[name] if self._truthful(source)),
                ]
        if label[0] != "B":
            here = [self.told.hold(self.told.node(case.here)) for case in one.cases if not isinstance(case.there, bool)]
            facts += [f"{self.bit(name)}(i)" for name in asked]
            find = self.members if label[0] == "M" else lambda k: self.known(k, letter)
            facts += [f"{fact}(p)" for fact in find(value)] + [f"{fact}(i)" for fact in find(default)]
        facts += [f"{self.bit(name)}(i)" for name in bits if name not in copies]
        later = ["later_is(i)"] if "later" in bits else []
        ground = [*dict.fromkeys([*facts, *later])]
        taken = [one for one in ground if "(" in one]
        ends = [
            *(one for one in ground if "(" not in one),
            *(f"T{k}" for k in range(len(taken))),
            "pl",
            "ph",
            "il",
            "ih",
            "low",
        ]
        hints = ", ".join(ends)
        strict = one.mask == "strict-future"
        main = [
            f"obtain p (pl ph how {' '.join(self.labels(copied))}) from P{number}(i) by il, ih" + (", more" * strict)
        ]
        main += [f"take T{k} from {fact} by pl, ph, il, ih" for k, fact in enumerate(taken)] if label[0] != "M" else []
        if label[0] == "B":
            main += [f"qed by {hints}"]
        elif label[0] == "M":
            main += [
                "cases yes, no from how",
                *as_block(self.letters(value, "p", "yes")),
                *as_block(self.letters(default, "i", "no")),
            ]
        else:
            main += [
                "cases yes, no from how",
                *as_block(self.lettered(said, ["yes", *ends], here)),
                *as_block(self.lettered(said, ["no", *ends], here)),
            ]
        inner = ["low: 1 <= i by il"]
        if strict:
            first = [
                f"E{number}",
                "some",
                *(["later_is(1)"] if later else []),
                *(f"{fact}(1)" for fact in self.known(default)),
            ]
            at_first = ["first: i = 1 by less, il", "rewrite first"]
            if "w(i)" in said and len(self.program.alphabet) > 1:
                letters = [f"W{k}" for k in range(len(self.program.alphabet))]
                at_first.append(f"cases {', '.join(letters)} from word(1) by some")
                at_first += [f"  - qed by {', '.join([one, *first])}" for one in letters]
            else:
                at_first.append(f"qed by {', '.join(first)}")
            inner += ["cases more, less: 2 <= i", *as_block(main), *as_block(at_first)]
        else:
            inner += main
        self.each(label, said, inner)

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
        hints = [
            f"F{[*copies].index(found)}" if at == "p" else "none",
            *(f"{fact}(i)" for fact in self.known(query)),
            *self.coordinates(row, "i"),
        ]
        if at == "p":
            key_row = {one: q for one, q in self.told.linear(equality.key).items() if one}
            hints += [*(f"{fact}(p)" for fact in self.known(key)), *self.coordinates(key_row, "p"), "pl", "ph"]
        return [f"level: {self.row(row)} = {of} by {', '.join([*hints, 'low', 'ih'])}",
                f"take it from number_is_{op}({of}; {self.row(row)}) by level",
                f"met: {self.put(name)}(i) = I[{of} = 0] by it, {self.put(name)}_is(i), low, ih"]  # fmt: skip


def _told(label: str, said: str, at: str, fact: str, more: str = "") -> list[str]:
    """A condition on a position, or that it fails, by what its truth is."""
    return [f"{more}      {label}: {said}", f"{more}        cases holds, not_so from either({at}) by {fact}",
            f"{more}          - qed by holds, {fact}", f"{more}          - qed by not_so, {fact}"]  # fmt: skip
