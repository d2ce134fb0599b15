"""That a compiled model answers as its formula says: the sentence, and a proof of it. Nothing here is trusted.

The sentence has a truth function for each line of the formula, given by an equation; the proof has a fact for each
operator on other positions, which cites its lemma, and cases over bits between them. What is known to hold is written
down as nodes of the certificate; lines of text, for counts, go to the elaborator. The certificate is checked like any
other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from symcook.alarm import Until
from symcook.compilers.formula import Packed
from symcook.errors import BadInput, Undecided
from symcook.model import expr
from symcook.model.meaning import subtrees
from symcook.model.modelfile import to_document
from symcook.present import present
from symcook.programs import FORMULAS
from symcook.programs.formula import COUNTING, TEMPORAL, Formula, FormulaLine
from symcook.programs.reading import formula_of
from symcook.proof import headrules, own
from symcook.proof.formlemmas import Apart
from symcook.proof.pointwise import CASES, HERE, FactSide, Pointwise
from symcook.proof.replay import Statement
from symcook.proof.search import equations
from symcook.proof.search.computed import rows_function
from symcook.proof.search.elaborate import Elaborator, written
from symcook.proof.search.prooftext import Place
from symcook.proof.search.tactics import Goal
from symcook.proof.spelled import WORD, spelled
from symcook.proof.steps import Node, both, combined, have, here, hyp, use

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.ownnames import ModelMeaning

ClosingStep = Callable[[Goal], None]
"""What closes a part of a goal, or adds a fact to it."""


@own.deeper()
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
    return f"answer({spelled(label)}, i)"


def functional(formula: Formula) -> list[expr.Tree]:
    """Each line in the functional form that `symcook.proof.holds` reads."""
    trees: list[expr.Tree] = []
    for line in formula.lines:
        reads = tuple(trees[k] for k in line.reads)
        op, told = line.op, [a for a in formula.alphabet if a in line.letters]
        if op == "letters":
            every = len(told) == len(formula.alphabet)
            names = tuple(("name", spelled(a)) for a in told)
            letter = (told[0] if re.fullmatch(WORD, told[0]) else spelled(told[0])) if told else ""
            one: expr.Tree = ("name", f"Q_{letter}") if told else ()
            trees.append((str(every).lower(),) if not told or every else one if len(told) == 1 else ("call", op, names))
        elif op in COUNTING:
            trees.append(_counted(line, trees))
        elif op in ("since", "until") and reads[0] == ("true",):
            trees.append(("call", "once" if op == "since" else "eventually", reads[1:]))
        elif op in TEMPORAL:
            trees.append(("call", op, reads))
        else:
            trees.append(({"not": "~", "and": "&", "or": "|"}[op], *reads))
    return trees


def _counted(line: FormulaLine, trees: Sequence[expr.Tree]) -> expr.Tree:
    """A line about counts in functional form; `trees` are the lines before it."""
    counts = tuple(("call", one.side, (trees[one.line],)) for one in line.counts)
    if line.op == "at least":
        bound: expr.Tree = ("num", abs(line.bound), 1)
        total = headrules.counts_summed(line.counts, counts)
        return ("<=", ("neg", bound) if line.bound < 0 else bound, total)
    numbers = map(int, line.table) if line.op == "table" else (line.divisor, line.bound)
    name = "TABLE" if line.op == "table" else "MOD"
    return ("call", name, (*(("num", one, 1) for one in numbers), *counts))


def prove(model: Transformer, seconds: float = own.SECONDS) -> tuple[Statement, own.Settled]:
    """The statement that a compiled model answers as its formula, with its certificate, or what is missing.

    Raises BadInput for a model without a program or changed since it was compiled, Undecided where no text is made.
    """
    if model.program is None:
        raise BadInput("a proof needs the program of a compiled model", model.name, "symcook compile makes one")
    if model.program.kind not in FORMULAS or model.program.theorem:
        raise Undecided("no proof is made of a printed construction that counts")
    formula = formula_of(model.program)
    packed = Packed(formula, model.program.attention)
    if packed.model(model.program.source, model.name, model.program.kind) != model:
        raise BadInput("the model must be as it was compiled", model.name, "compile its program again")
    document, said = to_document(model), sentence(formula)
    try:
        statement = own.claim(document, said)
    except BadInput:
        raise Undecided("no proof is made of a formula whose sentence nests deeper than a statement may") from None
    lines = ProofLines(packed, formula, own.meaning(document, said)).made()
    parts = {"proof": lines.prove, "inhabited": partial(lines.inhabited, model=model)}
    return statement, own.settle(statement, document, parts, seconds, words=False)


def settle(
    model: Transformer, statement: Statement, document: Mapping[str, object], seconds: float = own.SECONDS
) -> own.Settled:
    """`own.settle` without a text; a sentence about the formula or program of a compiled model is tried with lines made
    for it."""
    from symcook.proof import programs

    until = Until(seconds)
    srasp = model.program is not None and model.program.kind == "srasp"
    if srasp and (found := programs.settled(model, statement, seconds)) is not None:
        return found
    with suppress(BadInput, Undecided):
        program = model.program
        meaning = own.meaning(document, statement.note)
        if program is not None and program.kind in FORMULAS and not program.theorem and meaning.truths is not None:
            packed = Packed(formula_of(program), program.attention)
            if packed.model(program.source, model.name, program.kind) == model:
                lines = ProofLines(packed, packed.formula, meaning, bits=False).made()
                found = own.settle(statement, document, {"proof": lines.prove}, seconds)
                if found.missing is None:
                    return found
    return own.settle(statement, document, None, max(until.left, 1))


def _each(part: Any, put: Callable[[str], str]) -> Any:
    """A node with its texts changed."""
    if isinstance(part, str):
        return put(part)
    if isinstance(part, list):
        return [_each(x, put) for x in part]
    return {key: _each(x, put) for key, x in part.items()} if isinstance(part, dict) else part


class ProofLines:
    """The lines of a proof: fact B5 is about line 5 of the formula, P5 the premises of its lemma."""

    def __init__(self, packed: Packed, formula: Formula, meaning: ModelMeaning, bits: bool = True) -> None:
        """With `bits` what is shown last is equations, as in `sentence`, else equivalences. Undecided where no text is
        made, or the sentence speaks of another formula."""
        if packed.cut:
            raise Undecided(f"no proof is made of a Boolean part of more than {CASES} cases")
        self.packed, self.formula = packed, formula
        relation, truths = meaning.relation, meaning.truths
        truths = present(truths)
        self.names = list(truths.lines.values())
        with own.deeper():
            lines = [truths.of(tree) for tree in functional(formula)]
        if len(truths.lines) > len(self.names):
            raise Undecided("the statement is about another formula")
        self.numbers = {name: k for k, name in enumerate(lines, 1)}
        self.own = [f"z{self.numbers.get(name, f'_{name}')}" for name in self.names]
        self.places = {one: place for place, one in enumerate(self.own)}
        ours = dict(zip(self.names, self.own, strict=True))
        put = partial(re.sub, r"\bz\d+_*\b", lambda found: ours.get(found[0], found[0]))
        self.rights = {ours[name]: put(right) for right, name in truths.lines.items()}
        true = [f"z{line + 1}(i) = 1" for _, line in formula.outputs]
        accepts = "" if formula.labels else relation.accept("i")
        self.goal = _answers(formula, true, accepts, lambda label: relation.answer(label, "i"), bits)
        self.run = meaning.functions
        self.put, self.functions = own.in_rows(meaning) if len(self.names) > own.ROWS else (None, self.names)
        self.definitions = relation.whole.of
        self.rows = headrules.scored_heads(relation.whole) if packed.soft else {}
        self.lines: list[str | ClosingStep] = []
        self.said: set[str] = set()
        self.apart = Apart()

    def made(self) -> ProofLines:
        """The lines, made."""
        for number, line in enumerate(self.formula.lines, 1):
            if rule := headrules.RULES.get(line.op):
                rule(self, number, line)
        self.by_cases("Q", self.goal)
        self.lines.append("  qed by Q")
        return self

    def prove(self, g: Goal) -> None:
        """Close the goal: lines of text by the elaborator, what is written down as it is."""
        self.begin(g)
        written(g, [self.named(line) if isinstance(line, str) else line for line in self.lines])
        g.nodes[:0] = self.apart.nodes()

    def begin(self, g: Goal) -> None:
        """Names for what the sentence quantifies, all at once, and labels for what it supposes."""
        g.intro(["n", "w", *self.run, *self.functions])
        told = [f"m{one[1:]}" for one in self.own]
        labels: list[Any] = ["some", "word", [equations.OWN], *([told] if len(told) > own.LONG else told)]
        for label in labels:
            g.intro([[*equations.spread(tuple(label), g.goal[2][0])] if isinstance(label, list) else label])

    def inhabited(self, g: Goal, model: Transformer) -> None:
        """H, by the run on a word of one letter."""
        from symcook.run import run
        from symcook.spec.logic import truths

        letter = model.alphabet[:1]
        steps = run(replace(model, program=None), letter, trace=True).result.steps
        stream = {name: column[0] for name, column in steps[-1].columns.items()}
        truth = truths(self.formula, letter)
        held, bits = (
            [stream.get(name, 0) for name in self.run],
            [int(truth[self.numbers[x] - 1][0]) for x in self.names],
        )
        texts = ["1", *(f"x. {value}" for value in (0, *held, *(() if self.put else bits)))]
        for first in range(0, len(bits) if self.put else 0, own.ROW):
            row = {(k,): [bit] for k, bit in enumerate(bits[first : first + own.ROW], 1)}
            texts.append(rows_function(row, "1"))
        g.witness(*texts)
        Elaborator().block(g, (), Place(1, 1))

    def named(self, text: str) -> str:
        """A text with the names that the sentence has for truth functions."""
        text = re.sub(r"\bz(\d+)\b", lambda found: self.names[self.places[found[0]]], text)
        return self.put(text) if self.put else text

    def step(self, node: Node, label: str) -> None:
        """A node of the certificate as it is; `label` is that of what it shows."""

        def emit(g: Goal) -> None:
            told = _each(node, self.named)
            if told["by"] == "have":
                self.apart.show(g, told)
            else:
                g.use(told["fact"], *told["with"], label=label)

        self.lines.append(emit)

    def lemma(self, k: int, rule: str, terms: str, facts: Sequence[str]) -> None:
        """The fact B<k>: a lemma of these terms and premises."""
        self.cite(f"B{k}", rule, terms, facts)

    def cite(self, label: str, rule: str, terms: str, facts: Sequence[str]) -> None:
        """A fact that is a lemma of these terms and premises: facts, or what is true by computation."""
        given = [*terms.split("; "), *(one if one == "!" else f"#{one}" for one in facts)]
        self.step(use(f"lem:{rule}", given, label), label)

    def bit(self, k: int) -> str:
        """The bit that the head of line k of the formula finds: the line's truth, but of one that is looked up."""
        return headrules.bit_before(self, k) if headrules.looked_up(self.packed, k - 1) else f"z{k}(i)"

    def once(self, label: str, say: Callable[[], object]) -> None:
        """Say a fact, where it was not said before."""
        if label not in self.said:
            self.said.add(label)
            say()

    def shown_once(self, label: str, fact: str, nodes: list[Node]) -> None:
        """A fact with its proof, where it was not said before."""
        self.once(label, lambda: self.step(have(label, fact, nodes), label))

    @own.deeper()
    def by_cases(self, label: str, goal: str) -> None:
        """A fact about each position by cases over the symbol and the bits that heads find."""
        tree = expr.parse_formula(goal)
        self.step(have(label, f"all i in 1..n. {goal}", self.known_at(tree).proof(tree)), label)

    def known_at(self, goal: expr.Tree) -> Pointwise:
        """What is known at i of all on which a goal rests, down to symbols and to bits that heads find."""
        known, todo = Pointwise(len(self.formula.alphabet)), [goal]
        lines = {head.name: number for number, head in reversed(self.packed.heads.items())}
        lines |= {f"z{number + 1}": number for number in range(len(self.formula.lines))}
        while todo:
            for part in subtrees(todo.pop()):
                if part[0] != "call" or part[2] != (HERE,) or known.given(part):
                    continue
                name, number = part[1], lines.get(part[1])
                if number in self.packed.heads:
                    todo.append(self.found_at(known, number))
                elif name == headrules.LATER:
                    known.nodes += headrules.later()
                    known.bits[part] = f"b{name}"
                elif number is not None or name in self.definitions:
                    fact, right = self.equation(name, number)
                    known.nodes.append(here(fact, f"{name}_at"))
                    known.equations[part] = f"{name}_at", expr.parse_term(right)
                    todo.append(known.equations[part][1])
        return known

    def found_at(self, known: Pointwise, number: int) -> expr.Tree:
        """What is known at i of the bit that the head of a line finds; the truth of the line in terms of it."""
        k, name = number + 1, self.packed.heads[number].name
        bit, value, truth = map(expr.parse_term, (self.bit(k), f"{name}(i)", f"z{k}(i)"))
        error, given = headrules.room(self.packed, name), known.given(value)
        near = [f"c{k}"] if error is None else [f"c{k}", f"d{k}"]
        known.nodes.append(here(f"B{k}", [f"b{k}", *near, *([] if bit == truth else [f"s{k}"])]))
        if bit != truth:
            known.equations[truth] = f"s{k}", expr.parse_term(headrules.truth_before(self, k))
        if error is None:
            if given:  # the head is that of another line too
                label, other = known.equations[value]
                proof = combined([("-1", f"c{k}"), ("1", label)])
                known.nodes.append(have(f"same{k}", f"{expr.show(bit)} = {expr.show(other)}", proof))
            else:
                known.equations[value] = f"c{k}", bit
        elif given:
            sides = known.near[value]
            other = sides[0].than[1]
            facts = [f"b{k}", known.bits[other], *near, *(side.label for side in sides)]
            premise = both(*map(hyp, facts), [{"by": "true"}])
            terms = [*map(expr.show, (bit, other, value)), str(error)]
            known.nodes.append(use("lem:same_bit", [*terms, premise], f"same{k}"))
        else:
            ends = (expr.parse_term(f"{expr.show(bit)} {sign} {error}") for sign in "-+")
            known.near[value] = FactSide(f"c{k}", next(ends)), FactSide(f"d{k}", next(ends))
        if given:
            known.equations[bit] = f"same{k}", other
        else:
            known.bits[bit] = f"b{k}"
        return known.equations.get(truth, ("", truth))[1]

    def equation(self, name: str, number: int | None) -> tuple[str, str]:
        """The fact what a coordinate, or the truth of a line without a head, is at each position; and what it is."""
        if number is None:
            return f"{name}_is", self.definitions[name].text.partition(" = ")[2]
        line = self.formula.lines[number]
        if line.op not in TEMPORAL:
            return f"m{number + 1}", self.rights[name]
        nothing = line.op in ("prev", "next") or self.packed.values[number] is False
        return f"B{number + 1}", "0" if nothing else f"I[z{line.left + 1}(i) = 1 & z{line.right + 1}(i) = 1]"
