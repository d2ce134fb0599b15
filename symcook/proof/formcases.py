"""The Boolean parts in the proofs of compiled formulas: cases over the letter and over bits. Nothing here is trusted.

A bit is split on where the fact turns on it; in each case what lines and coordinates are there follows from what is
before them. These are so many small steps of which it is known why they hold that the nodes of the certificate are
written down, and nothing is searched for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from symcook.errors import Undecided
from symcook.proof.definitions import EmbeddingRow, RunDefinition
from symcook.proof.softheads import LATER, looked, room
from symcook.proof.steps import Node, both, cases, combined, em, have, here, hyp, ind, intro, rewrite, rewritten, use

if TYPE_CHECKING:
    from symcook.proof.formulas import ProofLines

CASES = 64
"""How many cases a Boolean part may have in a proof."""


class FormulaCases:
    """The proof of one fact about each position, with what its lines (`cone`) and its coordinates (`names`) are in each
    case.

    `bits` are the coordinates of heads, with a line; `lines` and `asked` are what the fact speaks of, `goal` what it
    says.
    """

    def __init__(
        self,
        text: ProofLines,
        goal: str,
        cone: Sequence[int],
        names: Sequence[str],
        bits: Mapping[str, int],
        lines: Sequence[int],
        asked: Sequence[str],
    ) -> None:
        self.text, self.goal, self.cone, self.wanted, self.asked = text, goal, cone, lines, asked
        self.bits: dict[str, int | str] = {**bits}
        if any(looked(text.packed, number) for number in cone):
            self.bits[LATER] = LATER
        self.names = sorted(names, key=lambda one: (one[0] == "f", len(one), one))
        self.leaves = 0
        self.ranges = set[str]()  # bits of which only that they are bits is asked

    def proof(self, told: Sequence[int]) -> list[Node]:
        """The nodes, with cases over the letters that are told apart."""
        cases = self.split(told)
        nodes: list[Node] = [intro(["i"]), intro(["range"])]
        for number in self.cone:
            k = number + 1
            if number in self.text.packed.heads:
                labels = [f"b{k}", *self.near(k), *([f"s{k}"] if looked(self.text.packed, number) else [])]
                nodes.append(here(f"B{k}", labels))
            else:
                nodes.append(here(f"{self.text.told_by(number)}{k}", f"e{k}"))
        nodes += [here(f"{name}_is", f"{name}_at") for name in self.names]
        if LATER in self.bits:
            nodes += self.later()
        if told:
            nodes.append(here("word", "word_here"))
        return [*nodes, *(node for name in self.bits if name in self.ranges for node in self.range(name)), *cases]

    def near(self, k: int) -> list[str]:
        """The facts that the coordinate of a line's head has its bit, or is near to it."""
        return [f"c{k}"] if room(self.text.packed, self.text.packed.heads[k - 1].name) is None else [f"c{k}", f"d{k}"]

    def later(self) -> list[Node]:
        """That the coordinate which says whether there is a position before is a bit."""
        sides = [[{"by": "pick", "side": side}, *hyp("it")] for side in ("right", "left")]
        one = [rewrite("later_at"), ind("2 <= i", "either"),
               cases("either", [["is", "it"], ["is", "it"]], sides)]  # fmt: skip
        return [here("later_is", "later_at"), have(f"b{LATER}", f"bit({LATER}(i))", one)]

    def range(self, name: str) -> list[Node]:
        """The facts that a coordinate which holds a bit, or what is near to one, is no further out."""
        k, error, own = self.bits[name], room(self.text.packed, name), f"{name}(i)"
        bit = own if k == LATER else self.text.bit(int(k))
        sides = [hyp(f"b{k}")]
        if k == LATER:
            sides += [[{"by": "true"}]] * 2
        elif error is None:
            sides += [combined([("-1", f"c{k}")]), combined([("1", f"c{k}")])]
        else:
            sides += [hyp(f"c{k}"), hyp(f"d{k}")]
        given = [bit, own, str(error or 0), both(*sides)]
        return [use("lem:near_bit", given, [f"low{k}", f"high{k}"])]

    # --- Cases ------------------------------------------------------------------------------------------------------

    def split(
        self,
        told: Sequence[int],
        chosen: Mapping[str, int] = {},
        letter: int | None = None,
        known: Sequence[str] = (),
    ) -> list[Node]:
        """Cases over the letters that are told apart, then over bits; `known` are the labels of letters chosen."""
        whole = len(told) == len(self.text.formula.alphabet)
        if told and whole:
            labels = [f"w{a}" for a in told]
            if len(told) == 1:
                return [have("w0", "w(i) = 0", hyp("word_here")), *self.split([], chosen, told[0], labels)]
            proofs = [self.split([], chosen, a, [f"w{a}"]) for a in told]
            return [cases("word_here", labels, proofs)]
        if told:
            a = told[0]
            proofs = [
                self.split([], chosen, a, [f"w{a}"]),
                self.split(told[1:], chosen, letter, [*known, f"v{a}"]),
            ]
            return [em(f"w(i) = {a}", [f"w{a}", f"v{a}"], proofs)]
        truth, values = self.values(chosen, letter)
        name = self.open(truth, values)
        if name is None:
            return self.leaf(truth, values, letter, known)
        k = self.bits[name]
        proofs = [self.split([], {**chosen, name: value}, letter, known) for value in (0, 1)]
        return [cases(f"b{k}", [f"o{k}", f"l{k}"], proofs)]

    def values(self, chosen: Mapping[str, int], letter: int | None) -> tuple[dict[int, int], dict[str, int]]:
        """The truths of lines and the values of coordinates that are told by the bits that are chosen."""
        text, truth, values = self.text, dict[int, int](), dict(chosen)
        spelled = None if letter is None else text.formula.alphabet[letter]
        for number in self.cone:
            head = text.packed.heads.get(number)
            found = text.truth(number, truth, spelled) if head is None else self.told(number, head.name, chosen)
            if found is not None:
                truth[number] = found
        for name in self.names:
            found = text.value(name, values, spelled)
            if found is not None:
                values[name] = found
        return truth, values

    def told(self, number: int, name: str, chosen: Mapping[str, int]) -> int | None:
        """The truth of a line with a head, by the bit that the head finds: one that is looked up is another position's
        where there is one before."""
        if not looked(self.text.packed, number):
            return chosen.get(name)
        both = [chosen.get(name), chosen.get(LATER)]
        return 0 if 0 in both else None if None in both else 1

    def open(self, truth: Mapping[int, int], values: Mapping[str, int]) -> str | None:
        """A bit on which it turns what is not told yet; None where all is."""
        todo: list[int | str] = [*reversed(self.asked), *reversed(self.wanted)]
        while todo:
            one = todo.pop()
            if one in truth or one in values:
                continue
            if isinstance(one, int):
                head = self.text.packed.heads.get(one)
                later = (LATER,) if looked(self.text.packed, one) else ()
                todo += reversed(self.text.formula.lines[one].reads if head is None else (*later, head.name))
            elif one in self.bits:
                return one
            else:
                todo += [part for cube in self.text.packed.sums[one].cubes for part, _ in cube]
        return None

    # --- One case -----------------------------------------------------------------------------------------------------

    def leaf(
        self, truth: Mapping[int, int], values: Mapping[str, int], letter: int | None, known: Sequence[str]
    ) -> list[Node]:
        """One case: the value of each line and coordinate that is told, and what was to be shown."""
        self.leaves += 1
        if self.leaves > CASES:
            raise Undecided(f"no proof is made of a Boolean part of more than {CASES} cases")
        nodes, text = list[Node](), self.text
        now: dict[str, list[str]] = {}  # the equations that say what a term is, to be put in one behind the other
        if letter is not None:
            now["w(i)"] = [f"w{letter}"]
        for name in self.bits:
            if name in values:
                now[f"{name}(i)"] = self.found(nodes, name, values[name])
        for number in self.cone:
            head = text.packed.heads.get(number)
            if head is not None:
                self.head_line(nodes, now, number + 1, head.name, truth.get(number), values)
            elif number in truth:
                k = number + 1
                proof = [rewrite(f"e{k}"), *self.by_letters(text.says(number), now)]
                nodes.append(have(f"t{k}", f"z{k}(i) = {truth[number]}", proof))
                now[f"z{k}(i)"] = [f"t{k}"]
        for name in self.names:
            if name in values:
                nodes += self.coordinate(name, values, now, known)
                now[f"{name}(i)"] = [f"{name}_now"]
        return [*nodes, *self.by_computing(self.goal, now)]

    def by_computing(self, said: str, now: Mapping[str, Sequence[str]]) -> list[Node]:
        """What holds by computation, once what is known of the terms in it is put in."""
        return self.by_putting_in(re.findall(r"\w+\(i\)", said), now)

    @staticmethod
    def read(definition: RunDefinition) -> list[str]:
        """The terms that the equation of a coordinate has at i."""
        tokens = isinstance(definition.row, EmbeddingRow) and definition.row.tokens
        return [*(["w(i)"] if tokens else []), *(f"{one}(i)" for one in definition.reads())]

    def by_letters(self, said: str, now: Mapping[str, Sequence[str]]) -> list[Node]:
        """The same of a text about the formula."""
        return self.letters(re.findall(r"\w+\(i\)", said), re.findall(r"I\[([^][]*)\]", said), now)

    @staticmethod
    def by_putting_in(terms: Iterable[str], now: Mapping[str, Sequence[str]]) -> list[Node]:
        """What holds by computation, once what is known of these terms is put in."""
        ways = [now[term] for term in dict.fromkeys(terms) if now.get(term)]
        return rewritten(dict.fromkeys([*(one for way in ways for one in way[:-1]), *(way[-1] for way in ways)]))

    def letters(self, terms: Sequence[str], conditions: Sequence[str], now: Mapping[str, Sequence[str]]) -> list[Node]:
        """By computation too, where it is only known which letters are not here: then I[w(i) = ..] is 0."""
        if "w(i)" not in terms or "w(i)" in now:
            return self.by_putting_in(terms, now)
        nodes = list[Node]()
        for number, condition in enumerate(dict.fromkeys(conditions), 1):
            parts = [f"v{a}" for a in re.findall(r"w\(i\) = (\d+)", condition)]
            ends = [[{"by": "absurd", "of": "it", "not": one}] for one in parts]
            one = ends[0] if len(ends) == 1 else [
                cases("is", ["it"] * len(ends), ends)
            ]  # fmt: skip
            sides = [["it" if len(ends) == 1 else "is", "one"], ["not", "zero"]]
            split = cases("either", sides, [one, hyp("zero")])
            nodes.append(have(f"n{number}", f"I[{condition}] = 0", [
                ind(condition, "either"), split]))  # fmt: skip
        equations = [f"n{number}" for number in range(1, len(nodes) + 1)]
        return [*nodes, *rewritten(equations)]

    def found(self, nodes: list[Node], name: str, value: int) -> list[str]:
        """The equations that give a coordinate which holds a bit its value; of one that is near to it, none."""
        k = self.bits[name]
        if k == LATER:
            return [f"{'ol'[value]}{LATER}"]
        return [f"c{k}", f"{'ol'[value]}{k}"] if room(self.text.packed, name) is None else []

    def head_line(
        self,
        nodes: list[Node],
        now: dict[str, list[str]],
        k: int,
        name: str,
        truth: int | None,
        values: Mapping[str, int],
    ) -> None:
        """What is known of a line with a head: its bit is that of the first line with this head."""
        packed, first = self.text.packed, int(self.bits[name])
        apart, error = looked(packed, k - 1), room(packed, name)
        label = None
        if name in values:
            label = f"{'ol'[values[name]]}{first}"
            if k != first and error is None:
                proof = [{"by": "rewrite", "eq": f"c{k}", "rev": True}, rewrite(f"c{first}")]
                nodes.append(have(f"t{k}", f"z{k}(i) = {values[name]}", [*proof, *hyp(label)]))
                label = f"t{k}"
            elif k != first:
                bits = [self.text.bit(k), self.text.bit(first)]
                sides = [f"b{k}", f"b{first}", f"c{k}", f"d{k}", f"c{first}", f"d{first}"]
                premise = both(*map(hyp, sides), [{"by": "true"}])
                given = [*bits, f"{name}(i)", str(error), premise]
                nodes.append(use("lem:same_bit", given, f"same{k}"))
                nodes.append(have(f"h{k}", f"{bits[0]} = {values[name]}", [rewrite(f"same{k}"), *hyp(label)]))
                label = f"h{k}"
        if not apart:
            now[f"z{k}(i)"] = [] if label is None else [label]
        elif truth is not None:
            puts = [f"s{k}", *now.get(f"{LATER}(i)", ()), *([] if label is None else [label])]
            nodes.append(have(f"t{k}", f"z{k}(i) = {truth}", rewritten(puts)))
            now[f"z{k}(i)"] = [f"t{k}"]

    def coordinate(
        self, name: str, values: Mapping[str, int], now: Mapping[str, Sequence[str]], known: Sequence[str]
    ) -> list[Node]:
        """The fact that a coordinate of the embedding, or of a network, has its value."""
        label, said = f"{name}_now", f"{name}(i) = {values[name]}"
        first: Node = rewrite(f"{name}_at")
        definition = self.text.definitions[name]
        if name not in self.text.packed.sums:
            tokens = definition.row.tokens if isinstance(definition.row, EmbeddingRow) else ()
            conditions = [f"w(i) = {index}" for _, index in tokens]
            return [have(label, said, [first, *self.letters(self.read(definition), conditions, now)])]
        negative, cubes = self.text.packed.sums[name]
        if all(one in values and one not in self.text.packed.soft for cube in cubes for one, _ in cube):
            return [have(label, said, [first, *self.by_putting_in(self.read(definition), now)])]
        nodes, sign = list[Node](), "-1" if negative else "1"
        for number, cube in enumerate(cubes, 1):
            nodes.append(self.unit(f"{name}_u{number}", cube, values, now))
        terms = [("1", f"{name}_at"), *((sign, f"{name}_u{number}") for number in range(1, len(cubes) + 1))]
        return [*nodes, have(label, said, combined(terms))]

    def unit(
        self,
        label: str,
        cube: Sequence[tuple[str, int]],
        values: Mapping[str, int],
        now: Mapping[str, Sequence[str]],
    ) -> Node:
        """The value of the ReLU of a cube, or of the two that round it, whatever the bits are that are not told."""
        total = " ".join(f"{'+' if bit else '-'} {one}(i)" for one, bit in cube).removeprefix("+ ")
        constant = 1 - sum(bit for _, bit in cube)
        total += f" + {constant}"
        held = all(values.get(one) == bit for one, bit in cube)
        soft = any(one in self.text.packed.soft for one, _ in cube)
        if not soft and all(one in values for one, _ in cube):
            return have(label, f"relu({total}) = {int(held)}", self.by_computing(total, now))
        rule = ("lem:softly_one" if held else "lem:softly_zero") if soft else "ax:relu_neg"
        end = (Fraction(3, 4) if held else Fraction(1, 4)) if soft else Fraction(0)
        proof = self.bounded(cube, values, constant, end, held)
        return use(rule, [total, proof], label)

    def bounded(
        self, cube: Sequence[tuple[str, int]], values: Mapping[str, int], constant: int, end: Fraction, below: bool
    ) -> list[Node]:
        """That the sum of a cube is at least (`below`) or at most `end`, from the ends of each of its bits."""
        inequalities, equations, slack = [], [], constant - end if below else end - constant
        for one, bit in cube:
            lower = bool(bit) == below  # whether it is the lower end of this coordinate that counts
            k, error, value = self.bits.get(one), room(self.text.packed, one), values.get(one)
            sign = 1 if lower else -1
            if value is None:
                self.ranges.add(one)
                inequalities.append(f"{'low' if lower else 'high'}{k}")
                slack += -(error or 0) if lower else -(1 + (error or 0))
                continue
            slack += sign * value
            if k is None or k == LATER:
                name = f"{one}_now" if k is None else f"{'ol'[value]}{LATER}"
                equations.append((str(-sign), name))
            elif error is None:
                equations += [(str(-sign), f"c{k}"), (str(-sign), f"{'ol'[value]}{k}")]
            else:
                inequalities.append(f"{'c' if lower else 'd'}{k}")
                equations.append((str(-sign), f"{'ol'[value]}{k}"))
                slack -= error
        sums = [*(("1", one) for one in inequalities), *([(str(slack), "")] if slack else [])]
        return combined(equations, sums)
