"""Numbers under a condition in the proofs of compiled S-RASP programs. Nothing here is trusted.

Fact G_name says what a coordinate is that holds a number where a truth holds, else 0.
"""

from __future__ import annotations

from symcook.compilers.numbers import Form
from symcook.compilers.values import Gate
from symcook.errors import Undecided
from symcook.proof.programtext import ProgramText


class GateFacts(ProgramText):
    """The facts about numbers under a condition."""

    def gates(self, number: int) -> list[str]:
        """The coordinates of numbers that a line chooses by a condition."""
        value = self.compiled.lines[number]
        return [one.name for one in value.atoms if one.name in self.compiled.gates] if isinstance(value, Form) else []

    def gate(self, name: str, squared: str = "") -> str:
        """The fact that a coordinate holds a number where a truth holds, else 0; or the coordinates of their squares,
        where a fact says that this is the square of the number."""
        gate = test, truth, atom = self.compiled.gates[name]
        if atom.side not in ("left", "right"):
            if squared:
                raise Undecided(f"no proof is made of the square of {self.compiled.meanings[name]}")
            return self.gate_anywhere(name, gate)
        given, of = (self.compiled.squares[one] if squared else one for one in (name, atom.name))
        left, put, source = atom.side == "left", self.put(given), self.put(of)
        low, high, end = ("1", "i", "1") if left else ("i", "n", "n")
        score = self.score_of(name, "j", ("average",))
        if score is None or self.compiled.node(truth) is False:
            raise Undecided(f"no proof is made of {self.compiled.meanings[name]}")
        held, said = self.holds(test), f"I[{self.truth(truth)}]"
        at_end = [*self.at_end(atom.name, end), *([f"{squared}({end})"] if squared else [])]
        index = [f"{one}_is" for one in ("index", "one") if one in self.run]
        at_i, at_edge = (self.score_of(name, place, ("average",)) for place in ("i", end))
        ends, factor = ("il", f"2*{said} - 1") if left else ("ih", f"1 - 2*{said}")
        at_k = self.score_of(name, "k", ("average",))
        self.each(f"G_{given}", f"{put}(i) = {said}*{source}(i)", [
            "some_here: 1 <= n by il, ih", f"told: {self.put(test)}(i) = {said} by {held}, il, ih",
            f"scores: all k in {low}..{high}. {at_k} = ({factor})*k", "  given k (kl kh)",
            f"  qed by {', '.join(f'{one}(k), {one}(i)' for one in index)}, told, kl, kh, il, ih",
            f"best: all k in {low}..{high}. ({said} = 1 & k != i -> {at_k} < {at_i}) & "
            f"({said} = 0 & k != {end} -> {at_k} < {at_edge})", "  given k (kl kh)",
            "  - given (yes off)", f"    qed by scores(k), scores(i), yes, off, kl, kh, {ends}, il, ih",
            "  - given (no off)", f"    qed by scores(k), scores({end}), no, off, kl, kh, il, ih, some_here",
            f"at_end: {source}({end}) = 0 by {', '.join([*at_end, 'some_here'])}",
            f"take level from chosen_number({low}; {high}; i; {end}; {said}; j. {score}; {source}; {put}(i))"
            f"[_, _, best, at_end, _] by {put}_is(i), il, ih", "qed by level"])  # fmt: skip
        return f"G_{given}"

    def at_end(self, name: str, end: str) -> list[str]:
        """The facts why a number is 0 at the end from which it grows."""
        if name in self.compiled.gates:
            return [f"{self.gate(name)}({end})", *self.at_end(self.compiled.gates[name].atom.name, end)]
        if (number := self.finder(name)) is not None:
            return [self.heads[number].zero_at(name, end)]
        return [f"{self.count(name) if name in self.compiled.counts else f'{self.put(name)}_is'}({end})"]

    def finder(self, name: str) -> int | None:
        """The line whose head has found what a coordinate holds."""
        return next((number for number, head in self.heads.items() if name in head.copies), None)

    def gate_anywhere(self, name: str, gate: Gate) -> str:
        """The same of a number from 0 to n - 1: the head sees the position that is so far away from the first."""
        (test, truth, atom), put = gate, self.put(name)
        source, score = self.put(atom.name), self.score_of(name, "j", ("average",))
        if score is None:
            raise Undecided(f"no proof is made of {self.compiled.meanings[name]}")
        said, held = f"I[{self.truth(truth)}]", self.holds(test)
        keys = [f"{one}_is" for one in ("before", "before_square", "before_times_length")]
        at_k = self.score_of(name, "k", ("average",))
        self.each(f"G_{name}", f"{put}(i) = {said}*{source}(i)", [
            "some_here: 1 <= n by il, ih", f"told: {self.put(test)}(i) = {said} by {held}, il, ih",
            f"obtain m (whole low high) from {self.whole(atom.name)}(i) by il, ih",
            f"bits: bit({said})", "  cases yes, no: " + said[2:-1], "    - qed by yes", "    - qed by no",
            f"scores: all k in 1..n. {at_k} = 2*m*(k - 1) - (k - 1)^2 - 2*n*(k - 1)*(1 - {said})",
            "  given k (kl kh)",
            f"  qed by {', '.join(f'{key}(k)' for key in keys)}, {self.holds('one')}(i), whole, told, kl, kh, il, ih",
            "keys: all k in 1..n. before(k) = k - 1 by before_is",
            f"take level from chosen_anywhere(n; m; {said}; j. {score}; before; {put}(i)) "
            f"by low, high, bits, scores, keys, {put}_is(i), il, ih", "qed by level, whole"])  # fmt: skip
        return f"G_{name}"

    def whole(self, name: str) -> str:
        """The fact that a coordinate holds a whole number from 0 to n - 1."""
        put, label = self.put(name), f"W_{name}"
        if label in self.done:
            return label
        if name in self.compiled.counts:
            inner = [f"witness {self.counted(name)}", f"qed by {self.count(name)}(i), il, ih"]
        elif (number := self.finder(name)) is not None:
            source = self.whole(self.heads[number].source(name).name)
            lines = [f"obtain m (same low high) from {source}(p) by pl, ph, il, ih", "witness m"]
            inner = self.heads[number].where_found([name], ["same", "low", "high"], lines, ["witness 0"])
        elif name in self.compiled.gates:
            gate = self.compiled.gates[name]
            said, given = self.truth(gate.truth), [f"{self.gate(name)}(i)", "same", "low", "high", "il", "ih"]
            inner = [
                f"obtain m (same low high) from {self.whole(gate.atom.name)}(i) by il, ih",
                f"cases yes, no: {said}",
                "  - witness m",
                f"    qed by {', '.join(['yes', *given])}",
                "  - witness 0",
                f"    qed by {', '.join(['no', *given])}",
            ]
        else:
            inner = [f"witness {self.definitions[put].text.partition(' = ')[2]}", f"qed by {put}_is(i), il, ih"]
        self.each(label, f"ex m:Int. {put}(i) = m & 0 <= m & m <= n - 1", inner)
        return label
