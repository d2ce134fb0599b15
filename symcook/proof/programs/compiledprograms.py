"""The statement that a compiled model computes its program, and the proof of it. Nothing here is trusted.

The program is an S-RASP program or a formula. The proof goes through its lines in order. Each kind of line has a rule,
which proves the value of the line by the bits and numbers that coordinates hold. The certificate is checked like any
other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from symcook.compilers.formula import Packed
from symcook.compilers.numbers import Form
from symcook.compilers.srasp import Compiled
from symcook.compilers.values import Truth
from symcook.errors import BadInput, Rejected, Undecided
from symcook.model.modelfile import to_document
from symcook.programs import FORMULAS
from symcook.programs.reading import formula_of
from symcook.programs.srasp_reading import read_srasp
from symcook.proof.programs import formulas, headrules
from symcook.proof.programs.compiledfacts import on_one_letter
from symcook.proof.programs.linefacts import ProgramFacts, Spoken, in_cases, witnesses
from symcook.proof.programs.linerules import LineRule
from symcook.proof.replay import Statement
from symcook.proof.search.elaborate import written
from symcook.proof.search.liveness import pruned
from symcook.proof.search.prooftext import BadProof
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.statements import certify

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.search.tactics import Node
    from symcook.proof.statements.vocabulary import ModelMeaning


def compiled(model: Transformer) -> Compiled | Packed:
    """The compiler's record of the program of a model. BadInput without a program, or if the compiled program is not
    this model; Undecided for a printed construction, and for a program that is neither S-RASP nor a formula."""
    program = model.program
    if program is None:
        raise BadInput("a proof needs the program of a compiled model", model.name, "symcook compile makes one")
    if program.kind == "srasp":
        compiler: Compiled | Packed = Compiled(read_srasp(program.source, program.alphabet))
        again = compiler.model(program.source, model.name)
    elif program.kind in FORMULAS and not program.theorem:
        compiler = Packed(formula_of(program), program.attention)
        again = compiler.model(program.source, model.name, program.kind)
    else:
        raise Undecided("no proof method covers a model of --theorem whose formula counts")
    if again != model:
        raise BadInput(
            "a model that is proved by its program must be unchanged since it was compiled",
            model.name,
            "compile its program again",
        )
    # Lines of an S-RASP program speak of symbols by their numbers. Equal models may number them in another order.
    order = [*(model.embedding.words or ())]
    if isinstance(compiler, Compiled) and order != [*(again.embedding.words or ())]:
        raise BadInput(
            "a model that is proved by its program must list its tokens in the order of the program's alphabet",
            ", ".join(order),
            "compile its program again",
        )
    return compiler


def sentence(model: Transformer) -> str:
    """The statement that `prove` proves about a compiled model. For an S-RASP program: if functions satisfy the
    equations of its lines, the model's output is the function of the output line. For a formula: the model accepts
    exactly where the formula is true or, if the formula has labels, outputs the label of the first output line that is
    true."""
    return _sentence(model, compiled(model))


def _sentence(model: Transformer, compiler: Compiled | Packed) -> str:
    """The statement that `prove` proves, from the compiler's record of the model's program."""
    return (
        formulas.sentence(compiler.formula)
        if isinstance(compiler, Packed)
        else _spoken(model, compiler).sentence(model)
    )


def _spoken(model: Transformer, compiler: Compiled) -> Spoken:
    """The program as equations of functions, whose names do not occur in the run of the model."""
    return Spoken(compiler.program, certify.meaning(to_document(model), "1 = 1").taken)


def _parts(model: Transformer, compiler: Compiled | Packed, meaning: ModelMeaning) -> certify.ProofParts:
    """The parts of the certificate, which are functions that close a goal; `meaning` is that of the statement's
    names."""
    if isinstance(compiler, Packed):
        facts = formulas.FormulaFacts(compiler, meaning)
        return {"proof": facts.prove, "inhabited": partial(facts.inhabited, model=model)}
    return ProgramProof(ProgramFacts(_spoken(model, compiler), meaning, model, compiler)).parts


def prove(model: Transformer, seconds: float = certify.SECONDS) -> tuple[Statement, certify.Settled]:
    """The statement that a compiled model computes its program, and its certificate or the reason why that is missing.

    Raises BadInput for a model that has no program or that was changed after compilation. Raises Undecided, with the
    operation in the message, for a program that has no proof of this kind.
    """
    compiler, document = compiled(model), to_document(model)
    sentence_text = _sentence(model, compiler)
    try:
        statement = certify.claim(document, sentence_text)
    except BadInput as error:
        raise Undecided(f"no proof method covers a program that cannot be written as a statement: {error.do}") from None
    parts = _parts(model, compiler, certify.meaning(document, sentence_text))
    try:
        return statement, certify.settle(statement, document, parts, seconds, words=False)
    except BadProof as error:
        raise Undecided(f"no proof method covers this program: {error}") from None
    except Rejected as error:
        raise Undecided(f"no proof was found: {str(error).partition(chr(10))[0]}") from None


def theorem_of(model: Transformer) -> Statement:
    """The statement that a compiled model computes its program. Raises BadInput and Undecided as `prove` does."""
    sentence_text = sentence(model)
    try:
        return certify.claim(to_document(model), sentence_text)
    except BadInput as error:
        raise Undecided(f"no proof method covers a program that cannot be written as a statement: {error.do}") from None


def nodes_of(model: Transformer, statement: Statement) -> list[Node]:
    """The proof of the statement that a compiled model computes its program, which no checker has seen yet. Raises
    Undecided, or Rejected where the proof does not fit."""
    meaning = certify.meaning(to_document(model), statement.note)
    home = certify.library(statement, certify.citable())
    g = Goal(home, statement.formula, {}, {})
    try:
        _parts(model, compiled(model), meaning)["proof"](g)
    except (BadProof, Stuck) as error:
        raise Undecided(f"no proof method covers this program: {error}") from None
    return pruned(g.nodes)


def settle(
    model: Transformer, statement: Statement, document: Mapping[str, object], seconds: float = certify.SECONDS
) -> certify.Settled | None:
    """The result for a statement about a compiled model and its program, by the proof that is made for this program.
    None for another statement, and where that proof fails."""
    program = model.program
    with suppress(BadInput, Undecided, Rejected):
        meaning = certify.meaning(document, statement.note or "")
        if program is not None and (program.kind == "srasp" or meaning.truths is not None):
            compiler = compiled(model)
            # For a formula, the statement may have equivalences. For an S-RASP program it must be the one of `prove`.
            if isinstance(compiler, Packed):
                parts: certify.ProofParts = {"proof": formulas.FormulaFacts(compiler, meaning, bits=False).prove}
            else:
                if certify.claim(document, sentence_text := _sentence(model, compiler)).expanded != statement.expanded:
                    raise Undecided("the stored statement is about another program than the model's")
                parts = _parts(model, compiler, certify.meaning(document, sentence_text))
            settled = certify.settle(statement, document, parts, seconds, words=isinstance(compiler, Packed))
            if settled.missing is None:
                return settled
    return None


class ProgramProof:
    """The proof of one S-RASP program, in the lines of its `facts`."""

    def __init__(self, facts: ProgramFacts) -> None:
        # The names and premises of the statement, then the facts about each line in order, then the conclusion.
        self.facts, names = facts, [*facts.spoken.names.values()]
        facts.lines.append(f"given .. some word ({' '.join(f'{name}_is' for name in facts.definitions)})")
        if names:
            equations = " ".join(f"{name}_is" for name in names)
            facts.lines.append(f"given {' '.join(names)} {f'({equations})' if facts.spoken.joined else equations}")
        for number in facts.spoken.names:
            headrules.RULES.get(facts.program.lines[number].op, LineRule.of)(facts, number)
        self.answer()

    @property
    def parts(self) -> certify.ProofParts:
        """The parts of the certificate that are functions."""
        return {"proof": self.facts.prove, "inhabited": self.inhabited}

    def inhabited(self, g: Goal) -> None:
        """Close part H of the certificate: the hypotheses hold for the run on a string of one symbol."""
        spoken, stream = self.facts.spoken, on_one_letter(self.facts.model)
        values = [f"j. {stream.get(name, 0)}" for name in self.facts.run]
        lines = [f"  witness {'; '.join(['1', 'j. 0', *values])}"]
        if line_values := witnesses(spoken, spoken.program.alphabet[0]):
            lines.append(f"  - witness {'; '.join(f'j. {value}' for value in line_values.values())}")
        written(g, lines)

    def answer(self) -> None:
        """Add the lines that prove the conclusion about the output of the model."""
        facts, number = self.facts, self.facts.program.output
        value, value_text, readout = facts.compiled.lines[number], facts.spoken.value(number), facts.model.readout
        if isinstance(value, dict):
            self.label(value, readout.labels or ())
            return
        # A number: the coordinates of the last line add up to it.
        (coordinate,) = readout.reads
        held_name = facts.put(coordinate)
        if isinstance(value, Form):
            linear = facts.compiled.linear(value)
            row = facts.row(linear)
            ranges = [facts.range(name).at() for name in linear if name and not value.atoms]
            hints = ", ".join([facts.row_is(number).at(), f"{held_name}_is(i)", *ranges, "il", "ih"])
            facts.lines += ["given i (il ih)", f"cases more, less: 0 <= {row}", f"  - qed by more, {hints}",
                            f"  - qed by less, {hints}"]  # fmt: skip
            return
        # A truth: the coordinate that is read is the bit of the last line.
        holds = facts.holds(coordinate).label
        if number not in facts.spoken.names:
            facts.lines.append(f"qed by {holds}")
            return
        if f"L{number}" not in facts.shown:
            raise Undecided(f"no proof method covers a truth value without a coordinate: {facts.program.text(number)}")
        same = facts.by_cases(f"A{number}", f"{held_name}(i) = {value_text}", held=True)
        facts.lines += ["given i (il ih)", f"same: {held_name}(i) = {value_text} by {same.label}, il, ih",
                        f"bit: bit({held_name}(i)) by {holds}, il, ih", "cases zero, more from bit",
                        "  - qed by zero, same", "  - qed by more, same"]  # fmt: skip

    def label(self, truth_of_symbol: Mapping[str, Truth], labels: Sequence[str]) -> None:
        """Add the lines that prove which label is the output. `truth_of_symbol` has, by symbol, the truth that the last
        line is this symbol."""
        facts, number = self.facts, self.facts.program.output
        value_text = facts.spoken.value(number)
        one_of = facts.one_of(number)
        answers = list[str]()
        for letter in labels:
            code = facts.spoken.codes[letter]
            coordinate = facts.compiled.hold(facts.compiled.node(truth_of_symbol[letter]))
            answer = facts.by_cases(f"A{code}", f"{facts.put(coordinate)}(i) = I[{value_text} = {code}]", held=True)
            answers.append(answer.at())
        hints = ", ".join([*answers, "il", "ih"])
        # If the last line is a constant, computation suffices; else there is a case for each symbol that it may be.
        facts.lines.append("given i (il ih)")
        if one_of is None:
            facts.lines.append(f"qed by {hints}")
            return
        codes = [f"C{code}" for code in facts.codes(number)]
        facts.lines += in_cases(codes, one_of.at(), "il, ih", [[f"qed by {code}, {hints}"] for code in codes])
