"""Selector widths in the proofs of compiled S-RASP programs: how many positions are selected. Nothing here is trusted.

Fact X5 says which case of line 5 holds at i, and Q5 how many other positions are selected.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from symcook.compilers.selection import SelectorCase
from symcook.compilers.values import Truth
from symcook.errors import Undecided
from symcook.programs.srasp import SraspLine
from symcook.proof.programheads import SelectionFacts
from symcook.proof.programtext import as_block
from symcook.proof.programtold import OneSided

MASKS = {"left": "strict-future", "right": "strict-past"}
"""The mask of each side."""


class WidthFacts(SelectionFacts):
    """The facts about selector widths."""

    def width(self, number: int, line: SraspLine) -> None:
        """How many positions are selected: all, or those that a lookup finds by their share, and this one."""
        value, name = self.told.lines[number], self.spoken.names[number]
        if not all(self.there(atom.name) for atom in value.atoms):
            return
        shares = [atom.name for atom in value.atoms if atom.name in self.told.shares]
        (selector,), pair = line.reads, self.spoken.pair(line.reads[0])
        if not shares and [atom.name for atom in value.atoms] == ["last"] and value.finite().constant == 1:
            facts = [f"{fact}({at})" for read, at in self.selected(selector, "j") for fact in self.known(read)]
            self.each(f"L{number}", f"{name}(i) = {self.form(value)}", [
                f"each: all j in 1..n. I[{pair}] = 1 by {', '.join([*facts, 'il', 'ih'])}",
                f"same: sum(j, 1, n, I[{pair}]) = sum(j, 1, n, 1) by sum_ext(j. I[{pair}]; j. 1; 1; n)[each]",
                f"qed by {name}_is(i), same, sum_one(1; n), {self.put('last')}_is(i), il, ih, some"])  # fmt: skip
            return
        besides = self.told.besides.get(number, [])
        if len(besides) == 2:
            self.both_sides(number, line, besides)
            return
        if len(shares) != 1 or len(value.atoms) != 1:
            raise Undecided(f"no proof is made of the selector_width: {self.program.text(number)}")
        self.others(number, line, shares[0])
        own = self.spoken.pair(selector, "i", "i")
        bits = [f"{self.bit(one)}(i)" for node in value.bits for one in self.bits(node)]
        facts = [f"{fact}(i)" for read, _ in self.selected(selector, "j") for fact in self.known(read)]
        self.each(f"O{number}", f"I[{own}] = {self.form(value.finite())}", self.lettered("w(i)", [*facts, *bits]))
        self.each(f"L{number}", f"{name}(i) = {self.form(value)}",
                  [f"qed by {name}_is(i), Q{number}(i), O{number}(i), il, ih"])  # fmt: skip

    def both_sides(self, number: int, line: SraspLine, besides: Sequence[OneSided]) -> None:
        """How many positions are selected, where those before and those behind are by other conditions."""
        value, name, (selector,) = self.told.lines[number], self.spoken.names[number], line.reads
        pair, own = self.spoken.pair(selector), self.spoken.pair(selector, "i", "i")
        for one in besides:
            self.beside(number, selector, one)
            value = value.plus(one.total, -1)
        if value.atoms:
            raise Undecided(f"no proof is made of the selector_width: {self.program.text(number)}")
        bits = [f"{self.bit(one)}(i)" for node in value.bits for one in self.bits(node)]
        facts = [f"{fact}(i)" for read, _ in self.selected(selector, "j") for fact in self.known(read)]
        self.each(f"O{number}", f"I[{own}] = {self.form(value)}", self.lettered("w(i)", [*facts, *bits]))
        said = f"I[{pair}]"
        self.each(f"L{number}", f"{name}(i) = {self.form(self.told.lines[number])}", [
            f"parts: sum(j, 1, n, {said}) = sum(j, 1, i - 1, {said}) + I[{own}] + sum(j, i + 1, n, {said}) "
            f"by sum_split(j. {said}; 1; i - 1; n), sum_split(j. {said}; i; i; n), il, ih",
            f"qed by {name}_is(i), parts, Yleft{number}(i), Yright{number}(i), O{number}(i), il, ih"])  # fmt: skip

    def beside(self, number: int, selector: int, one: OneSided) -> None:
        """The fact how many positions on one side are selected."""
        left, said = one.side == "left", f"I[{self.spoken.pair(selector)}]"
        low, high, most = ("1", "i - 1", "i - 1") if left else ("i + 1", "n", "n - i")
        total, where = f"sum(j, {low}, {high}, {said})", "before" if left else "behind"
        known = [f"{fact}({at})" for read, at in self.selected(selector, "j") for fact in self.known(read)]
        shown, label = f"{total} = {self.form(one.total)}", f"Y{one.side}{number}"
        gates = [f"{self.gate(atom.name)}(i)" for atom in one.total.atoms if atom.name in self.told.gates]
        ends = [f"{where}_is(i)"] * (where in self.run) + [f"sum_one({low}; {high})", "il", "ih"]

        def same(of: str, hints: Sequence[str]) -> list[str]:
            """Lines that show what the sum is of."""
            return [f"each: all j in {low}..{high}. {said} = {of}", "  given j (jl jh)",
                    *self.pair_in_cases(selector, [*hints, "jl", "jh", "il", "ih"]),
                    f"same: {total} = sum(j, {low}, {high}, {of}) "
                    f"by sum_ext(j. {said}; j. {of}; {low}; {high})[each]"]  # fmt: skip

        if len(one.cases) == 1:
            there = one.cases[0].there
            if isinstance(there, bool):
                self.each(label, shown, [*same(str(int(there)), known), f"qed by {', '.join(['same', *ends])}"])
                return
            of, hints = [], list[str]()
            for atom, q in one.total.atoms.items():
                if atom.name in self.told.counts:
                    hints.append(f"{self.count(atom.name)}(i)")
                    of.append(f"({q})*I[{self.truth(self.told.counts[atom.name][1], 'j')}]")
            base = sum((q for atom, q in one.total.atoms.items() if atom.name == where), Fraction(0))
            bits = [f"{self.bit(bit)}(j)" for bit in self.bits(there)]
            self.each(label, shown, [*same(" + ".join([*of, f"({base})"]), [*known, *bits]),
                                     f"qed by {', '.join(['same', *hints, *ends])}"])  # fmt: skip
            return
        share, count = self.put(one.share), self.put(one.count)
        here, told = self.one_of(f"X{one.side}{number}", [case.here for case in one.cases])
        inner, means, ranges = list[str](), list[str](), list[str]()
        for case in one.cases:
            if not isinstance(case.there, bool):
                held, mean = self.put(self.told.hold(case.there)), self.told.mean_of(case.there, MASKS[one.side])
                m = len(means)
                inner += [f"take (Times{m} Edge{m}) from {self.put(mean)}_is(i) by il, ih",
                          f"take (Least{m} Most{m}) from mean_{where}(i; {'' if left else 'n; '}{held}; "
                          f"{self.put(mean)}(i))[_, _, Times{m}, Edge{m}] by "
                          f"{self.bit(self.told.hold(case.there))}, il, ih"]  # fmt: skip
                ranges += [f"Least{len(means)}", f"Most{len(means)}"]
                means.append(mean)
        blocks = list[list[str]]()
        edge, lead = ("i = 1", "") if left else ("i = n", "n; ")
        for k, case in enumerate(one.cases):
            now, of, m, hints, summed = [f"C{k}", *told], str(int(case.there is True)), "0", [], "same"
            counted = said if case.there is not True else "0"
            if not isinstance(case.there, bool):
                node, mean = self.told.hold(case.there), self.told.mean_of(case.there, MASKS[one.side])
                of, m, place = f"{self.put(node)}(j)", f"{self.put(mean)}(i)", means.index(mean)
                hints, summed = [f"{self.holds(node)}(j)", f"{self.bit(node)}(j)"], f"Times{place}, Edge{place}, same"
            blocks.append([
                *same(of, [*now, *known, *hints, "word(i)"]),
                f"bits: all j in {low}..{high}. bit({counted})",
                f"value: {share}(i) = {m} by {', '.join([f'{share}_is(i)', *now, *ranges, 'il', 'ih'])}",
                f"times: {share}(i)*({most}) = sum(j, {low}, {high}, {counted}) by value, {summed}, il, ih",
                f"edge: {edge} -> {share}(i) = 0", "  given at_edge", f"  qed by value, {summed}, at_edge, il, ih",
                f"take (Is Low High) from share_{where}(i; {lead}j. {counted}; inverse_{where}(i); "
                f"{share}(i); {count}(i); {where}; {where}_square)[_, bits, _, times, edge, _, _, _] "
                f"by inverse_{where}_is(i), {where}_is, {where}_square_is, {count}_is(i), il, ih",
                f"number: {shown} by {', '.join(['same', 'Is', *now, *gates, *ends])}",
                "- qed by number", "- qed by Low", "- qed by High"])  # fmt: skip
        inner.append(f"cases {', '.join(f'C{k}' for k in range(len(blocks)))} from {here}(i) by il, ih")
        for block in blocks:
            inner += as_block(block)
        self.each(label, f"{shown} & 0 <= {count}(i) & {count}(i) <= {most}", inner)
        self.add(f"N_{one.count}", f"all i in 1..n. 0 <= {count}(i) & {count}(i) <= {most}", [label])

    def pair_in_cases(self, selector: int, hints: Sequence[str]) -> list[str]:
        """Lines that close a goal about what a selector says of i and j: by the numbers that it compares, for each
        letter there and here."""
        told = [one for one in dict.fromkeys(self.selected(selector, "j")) if one[0] in self.spoken.names]
        reads = [(fact, at) for read, at in told if self.program.types[read] != "letter" for fact in self.known(read)]
        lines = [f"  take N{k} from {fact}({at}) by jl, jh, il, ih" for k, (fact, at) in enumerate(reads)]
        put = [f"rewrite N{k}" for k in range(len(reads))]
        letters = range(len(self.program.alphabet))
        if len(letters) == 1:
            return [*lines, *(f"  {one}" for one in put), f"  qed by {', '.join(hints)}"]
        end = ", ".join(one for one in hints if one != "word(i)")
        here, there = ", ".join(f"V{k}" for k in letters), ", ".join(f"W{k}" for k in letters)
        lines.append(f"  cases {here} from word(i) by il, ih")
        for v in letters:
            block = [f"cases {there} from word(j) by jl, jh, il, ih"]
            for w in letters:
                block += as_block([*put, f"qed by V{v}, W{w}, {end}"])
            lines += [f"  {one}" for one in as_block(block)]
        return lines

    def one_of(self, label: str, here: Sequence[Truth]) -> tuple[str, list[str]]:
        """The fact which case holds at i, by the coordinates that say so, and the facts what these hold."""
        names = [self.told.hold(self.told.node(one)) for one in here]
        said, bits = list[str](), [f"{self.bit(bit)}(i)" for one in here for bit in self.bits(one)]
        for k in range(len(here)):
            held = [f"{self.put(one)}(i)" if self.there(one) else f"I[{self.truth(truth)}]"
                    for one, truth in zip(names, here, strict=True)]  # fmt: skip
            parts = [f"{one} = {int(k == m)}" for m, one in enumerate(held)]
            said.append(f"({' & '.join(parts)})")
        told = [f"{self.holds(one)}(i)" for one in names if self.there(one)]
        self.each(label, " | ".join(said), self.lettered("w(i)", [*told, *bits]))
        return label, told

    def letters_there(self, hints: Sequence[str], at: str) -> list[str]:
        """Lines that close a goal about a position by hints, for each letter there."""
        many = len(self.program.alphabet)
        if many == 1:
            return [f"  qed by {', '.join(hints)}"]
        labels = [f"W{k}" for k in range(many)]
        end = ", ".join(one for one in hints if one != f"word({at})")
        where = "jl, jh, il, ih" if at == "j" else "some_here"
        return [f"  cases {', '.join(labels)} from word({at}) by {where}",
                *(f"    - qed by {one}, {end}" for one in labels)]  # fmt: skip

    def others(self, number: int, line: SraspLine, count: str) -> None:
        """The fact how many other positions are selected."""
        share, cases, own = self.told.shares[count]
        (selector,) = line.reads
        pair, itself = self.spoken.pair(selector), self.spoken.pair(selector, "i", "i")
        here = [self.told.hold(self.told.node(case.here)) for case in cases]
        self.told.node(own)
        told = [f"{self.holds(one)}(i)" for one in here]
        known = [f"{fact}({at})" for read, at in self.selected(selector, "j") for fact in self.known(read)]
        itself_known = [one.replace("(j)", "(i)") for one in known]
        bits = [f"{self.bit(one)}(i)" for case in cases for one in self.bits(case.here)]
        only = " | ".join(
            "(" + " & ".join(f"{self.put(one)}(i) = {int(k == n)}" for k, one in enumerate(here)) + ")"
            for n in range(len(here))
        )
        self.each(f"X{number}", only, self.lettered("w(i)", [*told, *bits]))
        own_bits = [f"{self.bit(one)}(i)" for one in self.bits(own)]
        members = [
            f"{fact}(i)"
            for read, _ in self.selected(selector, "j")
            if self.program.types[read] == "letter"
            for fact in self.members(read)
        ]
        held_own = self.told.hold(self.told.node(own))
        put, puts, means = self.put(count), self.put(share), dict[str, str]()
        selves = self.put(held_own)
        inner = [f"own: {selves}(i) = I[{itself}]",
                 *(f"  {one}" for one in self.lettered("w(i)", [
                     f"{self.holds(held_own)}(i)", *itself_known, *own_bits, *members])),
                 f"bits: all j in 1..n. bit(I[{pair}])"]  # fmt: skip
        for case in cases:
            if not isinstance(case.there, bool):
                held, mean = self.told.hold(case.there), self.told.mean_of(case.there)
                self.holds(held)
                self.bit(held)
                means[mean] = held
        for k, (mean, held) in enumerate(means.items()):
            inner.append(
                f"take (Least{k} Most{k} Whole{k} Warm{k} Small{k}) from "
                f"mean_of_bits(n; {self.put(held)}; {self.put(mean)}(i); "
                f"inverse(i)) by {self.bit(held)}, {self.put(mean)}_is(i), inverse_is(i), some, il, ih"
            )
        labels = [f"C{k}" for k in range(len(cases))]
        blocks = [
            self.case(case, label, pair, itself, put, puts, [*means], selves, known, told)
            for case, label in zip(cases, labels, strict=True)
        ]
        if len(cases) == 1:
            inner += [f"take C0 from X{number}(i) by il, ih", *blocks[0]]
        else:
            inner += [f"cases {', '.join(labels)} from X{number}(i) by il, ih"]
            for block in blocks:
                inner += as_block(block)
        self.each(f"Q{number}", f"{put}(i) = sum(j, 1, n, I[{pair}]) - I[{itself}]", inner)

    def case(self, case: SelectorCase, held: str, pair: str, itself: str, put: str, puts: str, means: list[str],
             selves: str, known: list[str], told: list[str]) -> list[str]:  # fmt: skip
        """Lines that show how many others are selected where one case holds, by the fact `held`."""
        hints = ", ".join([held, *told, *known, "jl", "jh", "il", "ih"])
        if isinstance(case.there, bool):
            of, m, whole = str(int(case.there)), str(int(case.there)), "sum_one(1; n), some"
        else:
            node, mean = self.told.hold(case.there), self.told.mean_of(case.there)
            of, m, whole = f"{self.put(node)}(j)", f"{self.put(mean)}(i)", f"Whole{means.index(mean)}"
            hints += f", {self.holds(node)}(j)"
        ranges = ", ".join(f"Least{k}, Most{k}" for k in range(len(means)))
        last = f"{puts}_is(i), {held}, own, {ranges}, Warm0, Small0, il, ih"
        return [f"each: all j in 1..n. I[{pair}] = {of}", "  given j (jl jh)", f"  qed by {hints}",
                f"same: sum(j, 1, n, I[{pair}]) = sum(j, 1, n, {of}) by sum_ext(j. I[{pair}]; j. {of}; 1; n)[each]",
                f"whole: {m}*n = sum(j, 1, n, I[{pair}]) by same, {whole}",
                f"value: {puts}(i) = {m} - inverse(i)*I[{itself}]",
                f"  cases yes, no: {itself}", f"    - qed by yes, {last}", f"    - qed by no, {last}",
                f"qed by counted_others(n; i; j. I[{pair}]; {m}; inverse(i); {puts}(i); {put}(i); before; "
                f"before_square), bits, whole, value, inverse_is(i), before_is, before_square_is, {put}_is(i), il, "
                "ih"]  # fmt: skip
