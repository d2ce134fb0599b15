"""That a compiled model answers as its formula says: the sentence, and a proof text for it. Nothing here is trusted.

The sentence has a truth function for each line of the formula, given by an equation; the text has a line for each,
which cites the lemma of its operator, and cases over bits between them. Its certificate is built and checked like any
other.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from symcook.compilers.formula import Packed
from symcook.errors import BadInput, Undecided
from symcook.model import expr
from symcook.model.modelfile import to_document
from symcook.programs import FORMULAS
from symcook.programs.formula import COUNTING, TEMPORAL, Formula
from symcook.programs.reading import formula_of
from symcook.proof import counting, own, softheads
from symcook.proof.formcases import CASES, FormulaCases
from symcook.proof.replay import Statement
from symcook.proof.search import prooftext

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.ownnames import ModelMeaning

WORD = r"\w+"


def sentence(formula: Formula) -> str:
    """What is to be proved, as a sentence about the model: it accepts at a position iff the formula is true there, or
    puts out the label of the first output that is true there. Undecided where the formula is too long for one."""
    whole = functional(formula)
    try:
        said = [expr.show(whole[line]) for _, line in formula.outputs]
    except RecursionError:
        raise Undecided("no proof is made of a formula that nests so deep") from None
    text = f"all i in 1..n. {_answers(formula, [f'holds({one}, i)' for one in said], 'accept(i)', _answered)}"
    if len(text) > expr.MAX_TEXT:
        raise Undecided(f"no proof is made of a formula of more than {expr.MAX_TEXT} characters written out")
    return text


def _answers(
    formula: Formula, true: Sequence[str], accepts: str, answer: Callable[[str], str], bits: bool = True
) -> str:
    """What is put out at position i: each label where its line is the first that is true there, as `true` says it.
    Bits, since of an equivalence H asks for a position that is accepted, which not every formula has."""

    def alike(a: str, b: str) -> str:
        return f"I[{a}] = I[{b}]" if bits else f"(({a}) <-> ({b}))"

    if not formula.labels:
        return alike(accepts, true[0])
    first: dict[str, list[str]] = {}
    for number, (label, _) in enumerate(formula.outputs):
        before = [f"~({one})" for one in true[:number]]
        first.setdefault(str(label), []).append(" & ".join([*before, true[number]]))
    said = ((label, " | ".join(f"({one})" for one in ways)) for label, ways in first.items())
    return " & ".join(alike(answer(label), when) for label, when in said)


def _answered(label: str) -> str:
    return f"answer({_said(label)}, i)"


def functional(formula: Formula) -> list[expr.Tree]:
    """Each line in the functional form that `symcook.proof.holds` reads."""
    trees: list[expr.Tree] = []
    for line in formula.lines:
        reads = tuple(trees[k] for k in line.reads)
        op, told = line.op, [a for a in formula.alphabet if a in line.letters]
        if op == "letters":
            every = len(told) == len(formula.alphabet)
            names = tuple(("name", _said(a)) for a in told)
            one: expr.Tree = ("name", f"Q_{told[0] if re.fullmatch(WORD, told[0]) else _said(told[0])}") if told else ()
            trees.append((str(every).lower(),) if not told or every else one if len(told) == 1 else ("call", op, names))
        elif op in COUNTING:
            trees.append(counting.functional(line, trees))
        elif op in ("since", "until") and reads[0] == ("true",):
            trees.append(("call", "once" if op == "since" else "eventually", reads[1:]))
        elif op in TEMPORAL:
            trees.append(("call", op, reads))
        else:
            trees.append(({"not": "~", "and": "&", "or": "|"}[op], *reads))
    return trees


def _said(letter: str) -> str:
    """A letter or label in a sentence: a name, else quoted."""
    if re.fullmatch(rf"(?!\d){WORD}", letter) and letter not in expr.KEYWORDS:
        return letter
    if '"' in letter and "'" in letter:
        raise Undecided(f"no proof is made of a formula with the letter {letter}, which has both quotes")
    return f"'{letter}'" if '"' in letter else f'"{letter}"'


def prove(model: Transformer, seconds: float = own.SECONDS) -> tuple[Statement, own.Settled]:
    """The statement that a compiled model answers as its formula, with its certificate, or what is missing.

    Raises BadInput for a model without a program or changed since it was compiled, Undecided where no text is made.
    """
    if model.program is None:
        raise BadInput("a proof needs the program of a compiled model", model.name, "symcook compile makes one")
    if model.program.kind not in FORMULAS or model.program.theorem:
        raise Undecided("no proof is made of an S-RASP program, nor of a printed construction that counts")
    formula = formula_of(model.program)
    packed = Packed(formula, model.program.attention)
    if packed.model(model.program.source, model.name, model.program.kind) != model:
        raise BadInput("the model must be as it was compiled", model.name, "compile its program again")
    document, said = to_document(model), sentence(formula)
    statement = own.claim(document, said)
    text = ProofLines(packed, formula, own.meaning(document, said)).text(statement, model)
    return statement, own.settle(statement, document, prooftext.read(text), seconds, words=False)


def settle(
    model: Transformer, statement: Statement, document: Mapping[str, object], seconds: float = own.SECONDS
) -> own.Settled:
    """`own.settle` without a text; a sentence about the formula of a compiled model is tried with lines made for it."""
    until = time.monotonic() + seconds
    with suppress(BadInput, Undecided):
        program = model.program
        meaning = own.meaning(document, statement.note)
        if program is not None and program.kind in FORMULAS and not program.theorem and meaning.truths is not None:
            packed = Packed(formula_of(program), program.attention)
            if packed.model(program.source, model.name, program.kind) == model:
                text = ProofLines(packed, packed.formula, meaning, bits=False).text(statement)
                found = own.settle(statement, document, prooftext.read(text), seconds)
                if found.missing is None:
                    return found
    return own.settle(statement, document, None, max(until - time.monotonic(), 1))


class ProofLines:
    """The lines of a proof: fact B5 is about line 5 of the formula, P5 the premises of its lemma."""

    def __init__(self, packed: Packed, formula: Formula, meaning: ModelMeaning, bits: bool = True) -> None:
        """With `bits` what is shown last is equations, as in `sentence`, else equivalences. Undecided where no text is
        made, or the sentence speaks of another formula."""
        if packed.cut:
            raise Undecided(f"no proof is made of a Boolean part of more than {CASES} cases")
        self.packed, self.formula = packed, formula
        relation, truths = meaning.relation, meaning.truths
        assert truths is not None
        self.names = list(truths.lines.values())
        lines = [truths.of(tree) for tree in functional(formula)]
        if len(truths.lines) > len(self.names):
            raise Undecided("the sentence is about another formula")
        self.numbers = {name: k for k, name in enumerate(lines, 1)}
        self.own = [f"z{self.numbers.get(name, f'_{name}')}" for name in self.names]
        true = [f"z{line + 1}(i) = 1" for _, line in formula.outputs]
        accepts = "" if formula.labels else relation.accept("i")
        self.goal = _answers(formula, true, accepts, lambda label: relation.answer(label, "i"), bits)
        self.run = meaning.functions
        self.rows = softheads.rows(meaning.run) if packed.soft else {}
        self.lines: list[str] = []
        self._said: set[str] = set()

    def text(self, statement: Statement, model: Transformer | None = None) -> str:
        """The whole text; for a model with the run on a word of one letter for H, where the sentence has no formula
        but that of the model."""
        formula = self.formula
        for number, line in enumerate(formula.lines):
            if line.op in TEMPORAL:
                self.temporal(number)
            elif number in self.packed.counting:
                counting.facts(self, number + 1, line)
        self.by_cases("Q", self.goal, [line for _, line in formula.outputs], self.packed.shown)
        given = " ".join(f"m{one[1:]}" for one in self.own)
        head = [f"proof {statement.id}", f"  given .. some word (..) {given}"]
        whole = "\n".join([*head, *self.lines, "  qed by Q", ""])
        whole = re.sub(r"\bz(\d+)\b", lambda found: self.names[self.own.index(found[0])], whole)
        if model is None:
            return whole
        from symcook.run import run
        from symcook.spec.logic import truths

        letter = model.alphabet[:1]
        steps = run(replace(model, program=None), letter, trace=True).result.steps
        stream = {name: column[0] for name, column in steps[-1].columns.items()}
        truth = truths(formula, letter)
        bits = [stream.get(name, 0) for name in self.run] + [int(truth[self.numbers[x] - 1][0]) for x in self.names]
        return f"{whole}inhabited witness 1; 0; {'; '.join(map(str, bits))}\n"

    def temporal(self, number: int) -> None:
        """The facts about an operator on other positions: it holds a bit, and the coordinate that has it."""
        line, k = self.formula.lines[number], number + 1
        found = self.packed.heads.get(number)
        x, y = f"z{line.left + 1}", f"z{line.right + 1}"
        if line.op in ("prev", "next"):
            if found is None:  # of what is nowhere true
                self.by_cases(f"P{k}", f"{x}(i) = 0", [line.left])
                where = "2 <= i" if line.op == "prev" else "i < n"
                other = "i - 1" if line.op == "prev" else "i + 1"
                self.lines += [f"  B{k}: all i in 1..n. z{k}(i) = 0", "    given i (low high)",
                               f"    truth: z{k}(i) = I[{where} & {x}({other}) = 1] by m{k}",
                               f"    cases there: {where}",
                               f"      - gone: {x}({other}) = 0 by P{k}", "        qed by truth, gone",
                               "      - qed by truth, there"]  # fmt: skip
                return
            self.by_cases(f"P{k}", f"bit({x}(i)) & {found.value}(i) = {x}(i)", [line.left])
            if found.name in self.packed.soft:
                softheads.temporal(self, k, line.op, found)
                return
            self.lemma(k, f"{line.op}_head(n; {x}; {found.value}; {found.name}; z{k})[P{k}, {found.name}_is, m{k}]")
        elif found is None:
            never = self.packed.values[number] is False
            self.by_cases(
                f"P{k}", f"bit({x}(i)) & bit({y}(i)) & ({x}(i) = 0 | {y}(i) = {0 if never else 1})", line.reads
            )
            truth = "0" if never else f"I[{x}(i) = 1 & {y}(i) = 1]"
            rule = f"{line.op}_{'never' if never else 'now'}(n; {x}; {y}; z{k})[P{k}, m{k}]"
            self.lines.append(f"  B{k}: all i in 1..n. z{k}(i) = {truth} by {rule}")
        else:
            soft = found.name in self.packed.soft
            self.by_cases(
                f"P{k}",
                f"bit({x}(i)) & bit({y}(i)) & {'' if soft else 'one(i) = 1 & '}"
                f"{found.stop}(i) = I[{x}(i) = 0 | {y}(i) = 1] & {found.value}(i) = I[{x}(i) = 1 & {y}(i) = 1]",
                line.reads,
                (found.stop or "",) if soft else (found.stop or "", "one"),
            )
            if soft:
                softheads.temporal(self, k, line.op, found)
                return
            terms = f"n; {x}; {y}; one; {found.stop}; {found.value}; {found.name}; z{k}"
            self.lemma(k, f"{line.op}_head({terms})[P{k}, {found.name}_is, m{k}]")

    def lemma(self, k: int, rule: str) -> None:
        self.lines.append(f"  take B{k} from {rule}")

    def held(self, k: int) -> str:
        """That line k of the formula is a bit, which the coordinate of its head has, or is near to."""
        name, apart = self.packed.heads[k - 1].name, softheads.looked(self.packed, k - 1)
        bit = f"{'H' if apart else 'z'}{k}(i)"
        said = f"bit({bit}) & {softheads.near(self.packed, f'{name}(i)', bit, name)}"
        return f"{said} & z{k}(i) = I[{softheads.LATER}(i) = 1 & {bit} = 1]" if apart else said

    def once(self, label: str, fact: str, *proof: str) -> None:
        """A fact, where it was not said before."""
        if label not in self._said:
            self._said.add(label)
            self.lines += [f"  {label}: {fact}", *(f"    {line}" for line in proof)]

    def cone(self, numbers: Iterable[int]) -> list[int]:
        """The lines on which the truth of some lines at a position rests: down to letters and operators with a head."""
        found, open_ = set(), list(numbers)
        while open_:
            number = open_.pop()
            if number not in found:
                found.add(number)
                line = self.formula.lines[number]
                nothing = line.op in ("prev", "next") or self.packed.values[number] is False
                if number not in self.packed.heads and not (line.op in TEMPORAL and nothing):
                    open_ += line.reads
        return sorted(found)

    def by_cases(self, label: str, goal: str, numbers: Sequence[int], more: Sequence[str] = ()) -> None:
        """A fact about each position by cases over the letter and the bits of which it is made. In each case what every
        line, and every coordinate, is there follows from what is before it."""
        lines = [f"  {label}: all i in 1..n. {goal}", "    given i (low high)"]
        cone, letters = self.cone(numbers), set()
        bits: dict[str, int | str] = {}
        for number in cone:
            k, line = number + 1, self.formula.lines[number]
            if number in self.packed.heads:
                name = self.packed.heads[number].name
                bits.setdefault(name, k)
                labels = [f"b{k}", *self.near(k), *([f"s{k}"] if softheads.looked(self.packed, number) else [])]
                lines.append(f"    take ({' '.join(labels)}) from B{k}(i)")
            else:
                lines.append(f"    take e{k} from {'B' if line.op in TEMPORAL else 'm'}{k}(i)")
                letters |= line.letters if line.letters != frozenset(self.formula.alphabet) else frozenset()
        names = self.coordinates(goal, more)
        for name in names:
            lines.append(f"    take {name}_at from {name}_is(i)")
            letters |= self.packed.sets.get(name, frozenset())
        if any(softheads.looked(self.packed, number) for number in cone):
            lines += ["    take later_at from later_is(i)", "    blater: bit(later(i)) by later_at"]
            bits[softheads.LATER] = softheads.LATER
        told = [number for number, a in enumerate(self.formula.alphabet) if a in letters]
        self.lines += lines
        start = len(self.lines)
        asked = [*dict.fromkeys((*re.findall(r"\w+(?=\(i\))", goal), *more))]
        cases = FormulaCases(self, cone, names, bits, numbers, [one for one in asked if one in {*names, *bits}])
        cases.split(told)
        self.lines[start:start] = [self.range(name, bits[name]) for name in bits if name in cases.ranges]

    def range(self, name: str, k: int | str) -> str:
        """The fact that a coordinate which holds a bit, or what is near to one, is no further out."""
        if isinstance(k, str):
            return f"    r{k}: 0 <= {name}(i) & {name}(i) <= 1 by b{k}"
        bit = f"{'H' if softheads.looked(self.packed, k - 1) else 'z'}{k}(i)"
        error = softheads.room(self.packed, name) or 0
        return f"    take r{k} from near_bit({bit}; {name}(i); {error}) by b{k}, {', '.join(self.near(k))}"

    def near(self, k: int) -> list[str]:
        """The facts that the coordinate of a line's head has its bit, or is near to it."""
        return [f"c{k}"] if softheads.room(self.packed, self.packed.heads[k - 1].name) is None else [f"c{k}", f"d{k}"]

    def others(self, k: int) -> list[str]:
        """The facts that another line with the same head holds the same bit."""
        name = self.packed.heads[k - 1].name
        same = [other + 1 for other, one in self.packed.heads.items() if one.name == name and other + 1 < k]
        return [label for other in same for label in self.near(other)]

    def truth(self, number: int, known: Mapping[int, int], letter: str | None) -> int | None:
        """The truth of a line that has no head, of those that it reads, where they tell it."""
        line = self.formula.lines[number]
        if line.op == "letters":
            return int(letter in line.letters or line.letters == frozenset(self.formula.alphabet))
        if self.packed.values[number] is False or line.op in ("prev", "next"):
            return 0
        if line.op == "at least":
            return int(line.bound <= 0)
        reads = [known.get(one) for one in line.reads]
        if line.op != "not" and int(line.op == "or") in reads:
            return int(line.op == "or")
        return None if None in reads else 1 - int(line.op == "or") if line.op != "not" else 1 - (reads[0] or 0)

    def cubes(self, name: str) -> list[list[tuple[str, int]]]:
        """The cubes of a coordinate, or of 1 less it: coordinates with their bits."""
        text = self.packed.meanings[name]
        cubes = (text[2:-1] if text.startswith("~(") else text).split(" | ")
        return [[(one.lstrip("~"), int(one[0] != "~")) for one in cube.split(" & ")] for cube in cubes]

    def value(self, name: str, known: Mapping[str, int], letter: str | None) -> int | None:
        """The bit that a coordinate holds, where others tell it: a sum of disjoint cubes, or 1 less one."""
        if name in ("one", "zero"):
            return int(name == "one")
        if name in self.packed.sets:
            return int(letter in self.packed.sets[name] if letter is not None else 0)
        negative = self.packed.meanings[name].startswith("~(")
        held = []
        for cube in self.cubes(name):
            fits = [None if one not in known else known[one] == value for one, value in cube]
            held.append(False if False in fits else None if None in fits else True)
        return int(not negative) if True in held else None if None in held else int(negative)

    def coordinates(self, goal: str, more: Sequence[str]) -> list[str]:
        """The coordinates of a goal that networks and the embedding write, and those that these read."""
        held = {*self.packed.sets, *(one for one in self.packed.meanings if one[0] == "f" or one in ("one", "zero"))}
        named = (*re.findall(r"\w+(?=\(i\))", goal), *more)
        open_ = [name for name in named if name in held and name in self.run]  # what is always 0 is not in the run
        found: list[str] = []
        while open_:
            name = open_.pop()
            if name not in found:
                found.append(name)
                read = re.findall(r"\w+", self.packed.meanings[name]) if name[0] == "f" else []
                open_ += [one for one in read if one in held]
        return sorted(found)
