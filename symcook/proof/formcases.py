"""The Boolean parts in the proofs of compiled formulas: cases over the letter and over bits. Nothing here is trusted.

A bit is split on where the fact turns on it; in each case what lines and coordinates are there follows from what is
before them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from symcook.errors import Undecided
from symcook.proof.softheads import LATER, looked, near

if TYPE_CHECKING:
    from symcook.proof.formulas import ProofLines

CASES = 64
"""How many cases a Boolean part may have in a proof."""


class FormulaCases:
    """The cases of one fact, with what its lines (`cone`) and its coordinates (`names`) are in each.

    `bits` are the coordinates of heads, with a line; `lines` and `asked` are what the fact speaks of.
    """

    def __init__(
        self,
        text: ProofLines,
        cone: Sequence[int],
        names: Sequence[str],
        bits: Mapping[str, int | str],
        lines: Sequence[int],
        asked: Sequence[str],
    ) -> None:
        self.text, self.lines, self.cone, self.bits, self.wanted, self.asked = (
            text,
            text.lines,
            cone,
            bits,
            lines,
            asked,
        )
        self.names = sorted(names, key=lambda one: (one[0] == "f", len(one), one))
        self.leaves = 0
        self.ranges = set[str]()  # bits of which only that they are bits is asked

    def split(
        self,
        told: Sequence[int],
        chosen: Mapping[str, int] = {},
        letter: int | None = None,
        indent: str = "    ",
        known: Sequence[str] = (),
    ) -> None:
        """Cases over the letters that are told apart, then over bits; `known` are the labels of letters chosen."""
        whole = len(told) == len(self.text.formula.alphabet)
        if told and whole and len(told) > 1:
            labels = [f"w{a}" for a in told]
            self.lines.append(f"{indent}cases {', '.join(labels)} from word(i)")
            for a in told:
                self.block(chosen, a, indent, [*known, f"w{a}"])
        elif told and whole:
            self.lines.append(f"{indent}w{told[0]}: w(i) = {told[0]} by word")
            self.split([], chosen, told[0], indent, [*known, f"w{told[0]}"])
        elif told:
            a = told[0]
            self.lines.append(f"{indent}cases w{a}, v{a}: w(i) = {a}")
            self.block(chosen, a, indent, [*known, f"w{a}"])
            inner = len(self.lines)
            self.split(told[1:], chosen, letter, indent + "      ", [*known, f"v{a}"])
            self.dash(inner, indent)
        else:
            truth, values = self.values(chosen, letter)
            name = self.open(truth, values)
            if name is None:
                self.leaf(truth, values, indent, known)
                return
            k = self.bits[name]
            self.lines.append(f"{indent}cases o{k}, l{k} from b{k}")
            for value in (0, 1):
                self.block({**chosen, name: value}, letter, indent, known)

    def block(self, chosen: Mapping[str, int], letter: int | None, indent: str, known: Sequence[str]) -> None:
        """A case of its own, further in."""
        start = len(self.lines)
        self.split([], chosen, letter, indent + "      ", known)
        self.dash(start, indent)

    def dash(self, start: int, indent: str) -> None:
        """Make what was written from `start` on the block of a case."""
        inner = len(indent) + 6
        self.lines[start] = f"{indent}    - {self.lines[start][inner:]}"

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
                todo += re.findall(r"\w+", self.text.packed.meanings[one])
        return None

    def leaf(self, truth: Mapping[int, int], values: Mapping[str, int], indent: str, letters: Sequence[str]) -> None:
        """One case: the value of each line and coordinate that is told, and what was to be shown."""
        self.leaves += 1
        if self.leaves > CASES:
            raise Undecided(f"no proof is made of a Boolean part of more than {CASES} cases")
        facts: list[str] = []

        def say(label: str, what: str, value: int, by: Sequence[str]) -> None:
            self.lines.append(f"{indent}{label}: {what}(i) = {value} by {', '.join(by)}")
            facts.append(label)

        packed = self.text.packed
        if LATER in self.bits and LATER in values:
            say(f"g{LATER}", LATER, values[LATER], [f"{'ol'[values[LATER]]}{LATER}"])
        for number in self.cone:
            k, line, head = number + 1, self.text.formula.lines[number], packed.heads.get(number)
            if head is not None:
                facts += self.found(k, head.name, truth.get(number), values, indent)
            elif number not in truth:
                continue
            else:
                below = letters if line.op == "letters" else [f"t{one + 1}" for one in line.reads if one in truth]
                say(f"t{k}", f"z{k}", truth[number], [f"e{k}", *below])
        for name in self.names:
            if name in values:
                below = letters if name in packed.sets else facts if name[0] == "f" else []
                read = [one for cube in self.text.cubes(name) for one, _ in cube] if name[0] == "f" else []
                if any(one not in values or one in packed.soft for one in read):
                    below = self.units(name, values, indent)
                say(f"{name}_now", name, values[name], [f"{name}_at", *below])
        asked = {f"t{number + 1}" for number in self.wanted} | {f"{name}_now" for name in self.asked}
        asked |= {f"g{self.bits[name]}" for name in self.asked if name in self.bits}
        self.lines.append(f"{indent}qed by {', '.join([one for one in facts if one in asked] or letters)}")

    def found(self, k: int, name: str, truth: int | None, values: Mapping[str, int], indent: str) -> list[str]:
        """Facts about a line with a head: its bit where that is chosen, what the coordinate is then, and its truth."""
        packed, facts = self.text.packed, list[str]()
        soft, apart = name in packed.soft, looked(packed, k - 1)
        bit, label = (f"H{k}(i)", f"h{k}") if apart else (f"z{k}(i)", f"t{k}")
        if name in values:
            value = values[name]
            by = [*self.text.near(k), f"{'ol'[value]}{self.bits[name]}", *self.text.others(k)]
            said = near(packed, f"{name}(i)", str(value), name)
            after = [*self.text.near(k), label]
            self.lines += [f"{indent}{label}: {bit} = {value} by {', '.join([*by, *([f'b{k}'] if soft else [])])}",
                           f"{indent}g{k}: {said} by {', '.join(after)}"]  # fmt: skip
            facts += [label, f"g{k}"]
        if apart and truth is not None:
            known = [one for one, here in ((label, name), (f"g{LATER}", LATER)) if here in values]
            self.lines.append(f"{indent}t{k}: z{k}(i) = {truth} by {', '.join([f's{k}', *known])}")
            facts.append(f"t{k}")
        return facts

    def units(self, name: str, values: Mapping[str, int], indent: str) -> list[str]:
        """Of each cube of a coordinate the value of its ReLU, whatever the bits are that are not told."""
        labels = []
        for number, cube in enumerate(self.text.cubes(name), 1):
            total = " ".join(f"{'+' if bit else '-'} {one}(i)" for one, bit in cube).removeprefix("+ ")
            total += f" + {1 - sum(bit for _, bit in cube)}"
            by = []
            for one, _ in cube:
                told = f"g{self.bits[one]}" if one in self.bits else f"{one}_now"
                by.append(told if one in values else f"r{self.bits[one]}")
                self.ranges |= set() if one in values else {one}
            held = all(values.get(one) == bit for one, bit in cube)
            labels.append(f"{name}_u{number}")
            if any(one in self.text.packed.soft for one, _ in cube):
                rule = f"softly_{'one' if held else 'zero'}({total})"
                self.lines.append(f"{indent}take {labels[-1]} from {rule} by {', '.join(by)}")
            elif held:
                self.lines.append(f"{indent}{labels[-1]}: relu({total}) = 1 by {', '.join(by)}")
            else:
                self.lines.append(f"{indent}take {labels[-1]} from relu_neg({total}) by {', '.join(by)}")
        return labels
