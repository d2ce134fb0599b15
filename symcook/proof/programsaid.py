"""An S-RASP program said in a sentence: a function of positions for each operation. Nothing here is trusted.

Each function is given by an equation, or for a selection by what it is where a position is selected and where none is,
in the language of all sentences, so that nothing but the sentence itself has to be trusted. What it cannot say is
refused by name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from symcook.errors import Undecided
from symcook.model import expr
from symcook.programs.srasp import Srasp, SraspLine, constant_text
from symcook.proof import own
from symcook.proof.spelled import spelled

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

MANY = 40
"""From so many functions on their equations are one premise, so that they nest less deep."""
INLINE = ("in", "indices", "length", "constant")
"""The lines that have no function of their own."""
PAIRS = ("select", "key", "query")
"""The lines that are true or false of pairs of positions; those joined of them begin with `pair`."""
RANGES = {
    "future": ("1", "{i}"), "strict-future": ("1", "{i} - 1"), "past": ("{i}", "n"), "strict-past": ("{i} + 1", "n"),
    "none": ("1", "n"),
}  # fmt: skip
"""The positions that a mask leaves."""


_LABELS = """
alike apart asked at_edge at_end behind below best bit bits chosen counted each each_all each_same edge either fails
far first fit fits found gone heads here high holds how ih il inverse is it jh jl keys kh kl later_on least less level
low m met mirrored misses more most near_or_far never no none not_so nothing now number off one_key only other others
own parts ph picked pl pos product query same scores sel share shifted single so some some_here square squares tells
test tests times told total truths unit value warm whole word yes zero
"""
LABELS = frozenset(_LABELS.split())
"""What facts are called in the proofs: no function is called so."""


class Spoken:
    """A program as equations of functions: `names` has that of each line which has one, in the order of the lines."""

    def __init__(self, program: Srasp, taken: Collection[str]) -> None:
        self.program = program
        self.codes: dict[str, int] = {}
        for letter in (*program.alphabet, *(a for letters in program.letters for a in letters)):
            self.codes.setdefault(letter, len(self.codes))
        given, self.names = {line: name for name, line in reversed(program.names)}, dict[int, str]()
        avoided = {*taken, *LABELS, "i", "j", "k", "n", "p", "w"}
        for number, line in enumerate(program.lines):
            if line.op not in INLINE and line.op not in PAIRS and not line.op.startswith("pair"):
                name = given.get(number, f"v{number}")
                while name in avoided or re.fullmatch(
                    r"[A-Z]\w*|(found|least|less|low|query|some|square|warm|zero)\d", name
                ):
                    name += "_"
                avoided.add(name)
                self.names[number] = name
        self.joined = len(self.names) > MANY

    def whole(self, number: int) -> bool:
        """Whether a line has whole numbers, truths or letters alone."""
        line = self.program.lines[number]
        if self.program.types[number] != "number" or line.op in ("indices", "length", "width"):
            return True
        if line.op in ("constant", "times") and Fraction(line.value).denominator != 1:
            return False
        reads = line.reads[1:] if line.op in ("if", "left", "right") else line.reads
        return line.op != "aggregate" and all(self.whole(one) for one in reads)

    def sort(self, number: int) -> str:
        return "Int->Int" if self.whole(number) else "Int->Real"

    def value(self, number: int, at: str = "i") -> str:
        """The value of a line at a position, a letter by its number, a truth as 1 or 0."""
        line = self.program.lines[number]
        if number in self.names:
            return f"{self.names[number]}({at})"
        if line.op == "constant":
            given = line.value
            return str(
                self.codes[given] if isinstance(given, str) else int(given) if isinstance(given, bool) else given
            )
        return {"in": f"w({at})", "indices": f"({at} - 1)", "length": "n"}[line.op]

    def pair(self, number: int, i: str = "i", j: str = "j", told: Mapping[int, bool] = MappingProxyType({})) -> str:
        """What a selector says of positions i and j, where these parts of it are true or false."""
        line = self.program.lines[number]
        if number in told:
            return f"0 = {int(not told[number])}"
        if line.op == "select":
            return f"{self.value(line.reads[0], j)} {self._sign(line)} {self.value(line.reads[1], i)}"
        if line.op in ("key", "query"):
            return f"{self.value(line.reads[0], j if line.op == 'key' else i)} = 1"
        parts = [f"({self.pair(one, i, j, told)})" for one in line.reads]
        return f"~{parts[0]}" if line.op == "pair not" else {"pair and": " & ", "pair or": " | "}[line.op].join(parts)

    def _sign(self, line: SraspLine) -> str:
        """The sign of a comparison."""
        if line.value not in ("=", "!=") and self.program.types[line.reads[0]] == "letter":
            raise Undecided(f"no proof is made of an order of symbols, {line.value}")
        return str(line.value)

    def equation(self, number: int) -> str:
        """What the function of a line is."""
        line, name = self.program.lines[number], self.names[number]
        op, reads = line.op, [self.value(k) for k in line.reads if k in self.names or self._plain(k)]
        if op in ("left", "right") or (op == "aggregate" and self.program.types[number] == "letter"):
            return self._nearest(number)
        if op == "aggregate":
            return self._mean(number)
        if op in ("psum", "width"):
            low, high = (end.format(i="i") for end in RANGES["none" if op == "width" else line.value])
            summed = f"I[{self.pair(line.reads[0])}]" if op == "width" else self.value(line.reads[0], "j")
            right = f"sum(j, {low}, {high}, {summed})"
        elif op == "if":
            right = f"if({reads[0]} = 1, {reads[1]}, {reads[2]})"
        elif op == "times":
            right = f"{line.value}*{reads[0]}" if line.value != -1 else f"-{reads[0]}"
        elif op in ("sum", "product"):
            right = f"{reads[0]} {'+' if op == 'sum' else '*'} {_bracketed(reads[1])}"
        elif op == "compare":
            right = f"I[{reads[0]} {self._sign(line)} {reads[1]}]"
        elif op == "not":
            right = f"I[{reads[0]} = 0]"
        else:
            right = f"I[{reads[0]} = 1 {'&' if op == 'and' else '|'} {reads[1]} = 1]"
        return f"all i in 1..n. {name}(i) = {right}"

    def _plain(self, number: int) -> bool:
        return self.program.lines[number].op in INLINE

    def _nearest(self, number: int) -> str:
        """A selection: the value at the first or last position that is selected, or the default where none is."""
        line, name = self.program.lines[number], self.names[number]
        selector, value, default = line.reads
        low, high = (end.format(i="i") for end in RANGES["none" if line.op == "aggregate" else line.value])
        beyond = f"j + 1..{high}" if line.op == "right" else f"{low}..j - 1"
        here, there = self.pair(selector), self.pair(selector, "i", "k")
        return (
            f"all i in 1..n. (all j in {low}..{high}. {here} & (all k in {beyond}. ~({there})) -> {name}(i) = "
            f"{self.value(value, 'j')}) & ((all j in {low}..{high}. ~({here})) -> {name}(i) = {self.value(default)})"
        )

    def _mean(self, number: int) -> str:
        """The mean over the positions that are selected, or the default where none is."""
        line, name = self.program.lines[number], self.names[number]
        selector, value, default = line.reads
        here = self.pair(selector)
        return (
            f"all i in 1..n. {name}(i)*sum(j, 1, n, I[{here}]) = sum(j, 1, n, I[{here}]*{self.value(value, 'j')}) "
            f"& ((all j in 1..n. ~({here})) -> {name}(i) = {self.value(default)})"
        )

    def answer(self, model: Transformer) -> str:
        """What the model puts out is what the last function says."""
        number = self.program.output
        kind, value = self.program.types[number], self.value(number)
        if kind == "truth":
            return f"I[accept(i)] = {value}"
        if kind == "number":
            name = model.readout.reads[0]
            return f"{name if expr.valid_name(name) else constant_text(name)}(i) = {value}"
        labels = model.readout.labels or ()
        return " & ".join(f"I[answer({spelled(a)}, i)] = I[{value} = {self.codes[a]}]" for a in labels)

    def sentence(self, model: Transformer) -> str:
        """What is to be proved, as a sentence about the model. Undecided where the program cannot be said."""
        names = ", ".join(f"{name}:{self.sort(number)}" for number, name in self.names.items())
        facts = [f"({self.equation(number)})" for number in self.names]
        premises = f"({own.in_halves(facts)}) -> " if self.joined else "".join(f"{fact} -> " for fact in facts)
        text = f"{f'all {names}. ' if names else ''}{premises}(all i in 1..n. {self.answer(model)})"
        if len(text) > expr.MAX_TEXT:
            raise Undecided(f"no proof is made of a program of more than {expr.MAX_TEXT} characters written out")
        return text


def _bracketed(term: str) -> str:
    return f"({term})" if term.startswith("-") else term


def witnesses(spoken: Spoken, word: str) -> Mapping[str, Any]:
    """The value of each function of the sentence at the one position of a word."""
    from symcook.spec.srasp import values

    table = values(spoken.program, [word])
    found = {}
    for number, name in spoken.names.items():
        value = table[number][0]
        found[name] = spoken.codes[value] if isinstance(value, str) else value + 0
    return found
