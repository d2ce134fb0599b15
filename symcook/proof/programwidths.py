"""Selector widths in the proofs of compiled S-RASP programs: how many positions are selected. Nothing here is trusted.

Fact X5 says which case of line 5 holds at i, and Q5 how many other positions are selected.
"""

from __future__ import annotations

from symcook.compilers.selection import SelectorCase
from symcook.errors import Undecided
from symcook.programs.srasp import SraspLine
from symcook.proof.programheads import SelectionFacts
from symcook.proof.programtext import as_block


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
        if len(shares) != 1 or len(value.atoms) != 1:
            raise Undecided(f"no proof is made of the selector_width: {self.program.text(number)}")
        self.others(number, line, shares[0])
        own = self.spoken.pair(selector, "i", "i")
        bits = [f"{self.bit(one)}(i)" for node in value.bits for one in self.bits(node)]
        facts = [f"{fact}(i)" for read, _ in self.selected(selector, "j") for fact in self.known(read)]
        self.each(f"O{number}", f"I[{own}] = {self.form(value.finite())}", self.lettered("w(i)", [*facts, *bits]))
        self.each(f"L{number}", f"{name}(i) = {self.form(value)}",
                  [f"qed by {name}_is(i), Q{number}(i), O{number}(i), il, ih"])  # fmt: skip

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
        blocks = [self.case(case, pair, itself, number, put, puts, [*means], selves, known, told) for case in cases]
        if len(cases) == 1:
            inner += [f"take C0 from X{number}(i) by il, ih", *blocks[0]]
        else:
            inner += [f"cases {', '.join(labels)} from X{number}(i) by il, ih"]
            for k, block in enumerate(blocks):
                inner += as_block([one.replace("C0", f"C{k}") for one in block])
        self.each(f"Q{number}", f"{put}(i) = sum(j, 1, n, I[{pair}]) - I[{itself}]", inner)

    def case(self, case: SelectorCase, pair: str, itself: str, number: int, put: str, puts: str, means: list[str],
             selves: str, known: list[str], told: list[str]) -> list[str]:  # fmt: skip
        """Lines that show how many others are selected where one case holds, which is C0."""
        hints = ", ".join(["C0", *told, *known, "jl", "jh", "il", "ih"])
        if isinstance(case.there, bool):
            of, m, whole = str(int(case.there)), str(int(case.there)), "sum_one(1; n), some"
        else:
            held, mean = self.told.hold(case.there), self.told.mean_of(case.there)
            of, m, whole = f"{self.put(held)}(j)", f"{self.put(mean)}(i)", f"Whole{means.index(mean)}"
            hints += f", {self.holds(held)}(j)"
        ranges = ", ".join(f"Least{k}, Most{k}" for k in range(len(means)))
        last = f"{puts}_is(i), C0, own, {ranges}, Warm0, Small0, il, ih"
        return [f"each: all j in 1..n. I[{pair}] = {of}", "  given j (jl jh)", f"  qed by {hints}",
                f"same: sum(j, 1, n, I[{pair}]) = sum(j, 1, n, {of}) by sum_ext(j. I[{pair}]; j. {of}; 1; n)[each]",
                f"whole: {m}*n = sum(j, 1, n, I[{pair}]) by same, {whole}",
                f"value: {puts}(i) = {m} - inverse(i)*I[{itself}]",
                f"  cases yes, no: {itself}", f"    - qed by yes, {last}", f"    - qed by no, {last}",
                f"qed by counted_others(n; i; j. I[{pair}]; {m}; inverse(i); {puts}(i); {put}(i); before; "
                f"before_square), bits, whole, value, inverse_is(i), before_is, before_square_is, {put}_is(i), il, "
                "ih"]  # fmt: skip
