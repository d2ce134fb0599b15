"""That a compiled model answers as its S-RASP program says: its sentence, and a proof. Nothing here is trusted.

The proof goes through the lines of the program in order. Each has a rule by its kind, which shows what the function of
the line is by the bits and numbers that coordinates hold.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from symcook.compilers.numbers import Form
from symcook.compilers.srasp import Compiled
from symcook.errors import BadInput, Rejected, Undecided
from symcook.model.modelfile import to_document
from symcook.programs.srasp_reading import read_srasp
from symcook.proof import own
from symcook.proof.programheads import SelectionRule
from symcook.proof.programlines import ComparisonRule, LineRule, NoSelectionRule, PrefixSumRule
from symcook.proof.programmeans import MeanRule, WidthRule
from symcook.proof.programsaid import Spoken, witnesses
from symcook.proof.programtext import ProgramText, in_cases
from symcook.proof.replay import Statement
from symcook.proof.search.elaborate import written
from symcook.proof.search.prooftext import BadProof

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.search.tactics import Goal

LINE_RULES = {"psum": PrefixSumRule, "compare": ComparisonRule, "width": WidthRule, "aggregate": MeanRule}
"""The rules for lines that are no selection and look at more than their own position."""


def sentence(model: Transformer) -> str:
    """What `prove` proves of a compiled model: its program as equations, and that it puts out what the last says."""
    program, document = _compiled(model).program, to_document(model)
    return Spoken(program, own.meaning(document, "1 = 1").taken).sentence(model)


def _compiled(model: Transformer) -> Compiled:
    """What the compiler makes of the program of a model, which must be this model."""
    if model.program is None or model.program.kind != "srasp":
        raise BadInput("a proof needs the program of a compiled model", model.name, "symcook compile makes one")
    compiled = Compiled(read_srasp(model.program.source, model.program.alphabet))
    if compiled.model(model.program.source, model.name) != model:
        raise BadInput("the model must be as it was compiled", model.name, "compile its program again")
    return compiled


def prove(model: Transformer, seconds: float = own.SECONDS) -> tuple[Statement, own.Settled]:
    """The statement that a compiled model answers as its S-RASP program, with its certificate, or what is missing.

    Raises BadInput for a model without a program or changed since it was compiled, Undecided where no text is made: it
    names the operation.
    """
    statement, facts = _facts(model)
    try:
        return statement, own.settle(statement, to_document(model), facts.parts, seconds, words=False)
    except BadProof as error:
        raise Undecided(f"no proof is made of this program: {error}") from None
    except Rejected as error:
        raise Undecided(f"no proof was found: {str(error).partition(chr(10))[0]}") from None


def settled(model: Transformer, statement: Statement, seconds: float) -> own.Settled | None:
    """`own.settle` of a sentence that is the one of the model's program; None of another, or where the proof has a
    gap."""
    with suppress(BadInput, Undecided, Rejected):
        made, facts = _facts(model)
        if made.expanded == statement.expanded:
            found = own.settle(statement, to_document(model), facts.parts, seconds, words=False)
            return found if found.missing is None else None
    return None


def _facts(model: Transformer) -> tuple[Statement, ProgramProof]:
    """The statement about a compiled model, and the facts of its proof."""
    compiled, document = _compiled(model), to_document(model)
    spoken = Spoken(compiled.program, own.meaning(document, "1 = 1").taken)
    whole = spoken.sentence(model)
    try:
        statement = own.claim(document, whole)
    except BadInput as error:
        raise Undecided(f"no proof is made of a program that makes no statement: {error.do}") from None
    return statement, ProgramProof(ProgramText(spoken, own.meaning(document, whole), model, compiled))


class ProgramProof:
    """The proof of one program, as it is written down."""

    def __init__(self, text: ProgramText) -> None:
        self.text = text
        text.lines.append(f"given .. some word ({' '.join(f'{one}_is' for one in text.definitions)})")
        if functions := [*text.spoken.names.values()]:
            facts = " ".join(f"{one}_is" for one in functions)
            text.lines.append(f"given {' '.join(functions)} {f'({facts})' if text.spoken.joined else facts}")
        for number in text.spoken.names:
            self.rule(number).show()
        self.answer()

    def rule(self, number: int) -> LineRule:
        """The rule for a line."""
        text, line = self.text, self.text.program.lines[number]
        if line.op in ("left", "right") or (line.op == "aggregate" and text.program.types[number] == "letter"):
            found = any(one.head for one in text.compiled.selections.get(number, ()))
            return (SelectionRule if found else NoSelectionRule)(text, number)
        rule = LINE_RULES.get(line.op, LineRule)(text, number)
        if rule.chosen and isinstance(rule, (PrefixSumRule, ComparisonRule, MeanRule)):
            raise Undecided(f"no proof is made of a number that grows and is found or not: {text.program.text(number)}")
        return rule

    @property
    def parts(self) -> own.ProofParts:
        """The parts of the proof that are written down."""
        return {"proof": self.prove, "inhabited": self.inhabited}

    def prove(self, g: Goal) -> None:
        """Close the goal by the lines."""
        written(g, [f"  {line}" if isinstance(line, str) else line for line in self.text.lines])
        g.nodes[:0] = self.text.apart.nodes()

    def inhabited(self, g: Goal) -> None:
        """H, by the run on a word of one letter."""
        from symcook.run import run

        letter = self.text.program.alphabet[0]
        steps = run(replace(self.text.model, program=None), [letter], trace=True).result.steps
        stream = {name: column[0] for name, column in steps[-1].columns.items()}
        values = [f"j. {stream.get(name, 0)}" for name in self.text.run]
        lines = [f"  witness {'; '.join(['1', 'j. 0', *values])}"]
        if found := witnesses(self.text.spoken, letter):
            lines.append(f"  - witness {'; '.join(f'j. {value}' for value in found.values())}")
        written(g, lines)

    def answer(self) -> None:
        """The lines that show what is put out."""
        text, number = self.text, self.text.program.output
        value, said, put = text.compiled.lines[number], text.spoken.value(number), text.put
        reads, labels = text.model.readout.reads, text.model.readout.labels
        if isinstance(value, dict):
            shown, told = list[str](), text.one_of(number)
            for a in labels or ():
                code, held = text.spoken.codes[a], text.compiled.hold(text.compiled.node(value[a]))
                text.by_cases(f"A{code}", f"{put(held)}(i) = I[{said} = {code}]", held=True)
                shown.append(f"A{code}(i)")
            text.lines += ["given i (il ih)"]
            if not told:
                text.lines.append(f"qed by {', '.join(shown)}, il, ih")
                return
            codes = [f"C{code}" for code in text.codes(number)]
            text.lines += in_cases(codes, f"{told}(i)", "il, ih",
                                   [[f"qed by {one}, {', '.join(shown)}, il, ih"] for one in codes])  # fmt: skip
            return
        (one,) = reads
        at_i = f"{put(one)}(i)"
        if isinstance(value, Form):
            linear = text.compiled.linear(value)
            row, ranges = text.row(linear), [f"{text.range(one)}(i)" for one in linear if one and not value.atoms]
            by = ", ".join([f"{text.row_is(number)}(i)", f"{put(one)}_is(i)", *ranges, "il", "ih"])
            text.lines += ["given i (il ih)", f"cases more, less: 0 <= {row}", f"  - qed by more, {by}",
                           f"  - qed by less, {by}"]  # fmt: skip
            return
        held = text.holds(one)
        if number not in text.spoken.names:
            text.lines.append(f"qed by {held}")
            return
        if f"L{number}" not in text.done:
            raise Undecided(f"no proof is made where a bit is left out: {text.program.text(number)}")
        text.by_cases(f"A{number}", f"{at_i} = {said}", held=True)
        text.lines += ["given i (il ih)", f"same: {at_i} = {said} by A{number}, il, ih",
                       f"bit: bit({at_i}) by {held}, il, ih", "cases zero, more from bit",
                       "  - qed by zero, same", "  - qed by more, same"]  # fmt: skip
