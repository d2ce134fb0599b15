"""Numbers under a condition in the proofs of compiled S-RASP programs. Nothing here is trusted.

Fact G_name says what a coordinate is that holds a number where a truth holds, else 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from symcook.compilers.numbers import Form
from symcook.compilers.selection import Selection
from symcook.compilers.values import Gate
from symcook.errors import Undecided
from symcook.present import present
from symcook.proof.programtext import ProgramText


class Edge(NamedTuple):
    """The position at which a strict mask leaves none, and the others: as a range, and as a condition on i."""

    at: str
    others: str
    more: str
    told: str
    name: str


EDGES = {
    "strict-future": Edge("1", "2..n", "2 <= i", "il", "later"),
    "strict-past": Edge("n", "1..n - 1", "i + 1 <= n", "ih", "at_last"),
}


class GateFacts(ProgramText):
    """The facts about numbers under a condition."""

    def gated(self, number: int) -> list[str]:
        """The facts what the numbers are that a line chooses by a condition."""
        value = self.compiled.lines[number]
        names = (
            [atom.name for atom in value.atoms if atom.name in self.compiled.gates] if isinstance(value, Form) else []
        )
        return [self.gate(name) for name in names if self.there(name)]

    def gate(self, name: str) -> str:
        """The fact that a coordinate holds a number where a truth holds, else 0."""
        gate = test, truth, atom = self.compiled.gates[name]
        if atom.side not in ("left", "right"):
            return self.gate_anywhere(name, gate)
        left, put, source = atom.side == "left", self.put(name), self.put(atom.name)
        low, high, end = ("1", "i", "1") if left else ("i", "n", "n")
        score = self.score_of(name, "j", ("average",))
        if score is None or self.compiled.node(truth) is False:
            raise Undecided(f"no proof is made of {self.compiled.meanings[name]}")
        held, said = self.holds(test), f"I[{self.truth(truth)}]"
        at_end = self.at_end(atom.name, end)
        index = [f"{one}_is" for one in ("index", "one") if one in self.run]
        at_i, at_edge = (self.score_of(name, place, ("average",)) for place in ("i", end))
        ends, factor = ("il", f"2*{said} - 1") if left else ("ih", f"1 - 2*{said}")
        at_k = self.score_of(name, "k", ("average",))
        self.each(f"G_{name}", f"{put}(i) = {said}*{source}(i)", [
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
        return f"G_{name}"

    def found_at_end(self, number: int, one: Selection, name: str, end: str) -> str:
        """The fact that a number that was found is 0 at the end from which it grows: nothing else is there."""
        edge = self.edge(one)
        if edge is not None and edge.at == end:
            return f"E{number}"
        copies = {each: row for each, row in present(one.head).values.items() if self.there(each)}
        (source,) = copies[name]
        labels = " ".join(self.labels(copies))
        hints = ", ".join([f"F{[*copies].index(name)}", "here", *self.at_end(source, end), "some"])
        self.add(f"Z_{name}", f"{self.put(name)}({end}) = 0", (), [
            f"obtain p (pl ph how {labels}) from P{number}({end}) by some", f"here: p = {end} by pl, ph",
            "rewrite " + f"F{[*copies].index(name)}", "rewrite here", f"qed by {hints}"])  # fmt: skip
        return f"Z_{name}"

    def at_end(self, name: str, end: str) -> list[str]:
        """The facts why a number is 0 at the end from which it grows."""
        if name in self.compiled.gates:
            return [f"{self.gate(name)}({end})", *self.at_end(self.compiled.gates[name].atom.name, end)]
        for number, kept in self.compiled.selections.items():
            if kept[0].head is not None and name in kept[0].head.values:
                return [self.found_at_end(number, kept[0], name, end)]
        return [f"{self.count(name) if name in self.compiled.counts else f'{self.put(name)}_is'}({end})"]

    def edge(self, one: Selection) -> Edge | None:
        """Where a head sees no position."""
        return EDGES.get(one.mask)

    def labels(self, copied: Mapping[str, object]) -> list[str]:
        return [f"F{k}" for k in range(len(copied))]

    def gate_anywhere(self, name: str, gate: Gate) -> str:
        """The same of a number from 0 to n - 1: the head sees the position that is so far away from the first."""
        (test, truth, atom), put = gate, self.put(name)
        source, score = self.put(atom.name), self.score_of(name, "j", ("average",))
        if score is None or atom.name != "last":
            raise Undecided(f"no proof is made of {self.compiled.meanings[name]}")
        said, held = f"I[{self.truth(truth)}]", self.holds(test)
        keys = [f"{one}_is" for one in ("before", "before_square", "before_times_length")]
        at_k = self.score_of(name, "k", ("average",))
        self.each(f"G_{name}", f"{put}(i) = {said}*{source}(i)", [
            "some_here: 1 <= n by il, ih", f"told: {self.put(test)}(i) = {said} by {held}, il, ih",
            f"whole: {source}(i) = n - 1 by {source}_is, il, ih",
            f"bits: bit({said})", "  cases yes, no: " + said[2:-1], "    - qed by yes", "    - qed by no",
            f"scores: all k in 1..n. {at_k} = 2*(n - 1)*(k - 1) - (k - 1)^2 - 2*n*(k - 1)*(1 - {said})",
            "  given k (kl kh)",
            f"  qed by {', '.join(f'{key}(k)' for key in keys)}, {self.holds('one')}(i), whole, told, kl, kh, il, ih",
            "keys: all k in 1..n. before(k) = k - 1 by before_is",
            f"take level from chosen_anywhere(n; n - 1; {said}; j. {score}; before; {put}(i)) "
            f"by some_here, bits, scores, keys, {put}_is(i), il, ih", "qed by level, whole"])  # fmt: skip
        return f"G_{name}"
