"""The statement that a compiled model computes its formula, and the facts of its proof. Nothing here is trusted.

The statement has a truth function for each line of the formula, given by an equation. The proof has a fact for each
operator that looks at other positions, by a lemma of the library; facts about one position are proved by cases over the
symbol and bits. Most facts are written directly as nodes of the certificate; a few are lines of proof text, which the
elaborator turns into nodes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from symcook.compilers.formula import Packed
from symcook.errors import Undecided
from symcook.model import expr
from symcook.model.spelled import WORD, spelled
from symcook.present import present
from symcook.programs.formula import COUNTING, TEMPORAL, Formula, FormulaLine
from symcook.proof.bridges.tableterms import rows_function
from symcook.proof.programs import headrules
from symcook.proof.programs.compiledfacts import CompiledFacts, Fact, on_one_letter
from symcook.proof.programs.pointwise import CASES, HERE, FactSide, Pointwise
from symcook.proof.programs.proofsteps import Node, both, combined, have, here, hyp, intro, use
from symcook.proof.search import equations
from symcook.proof.search.elaborate import Elaborator
from symcook.proof.search.prooftext import Place
from symcook.proof.search.tactics import Goal
from symcook.proof.statements import certify

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.statements.vocabulary import ModelMeaning


@certify.deeper()
def sentence(formula: Formula) -> str:
    """The statement to prove: the model accepts at a position iff the formula is true there, or outputs the label of
    the first output line that is true there. Undecided if the formula is too long for a statement."""
    functional_lines = functional(formula)
    try:
        line_texts = [expr.show(functional_lines[line]) for _, line in formula.outputs]
    except RecursionError:
        raise Undecided("no proof method covers a formula with so many nested operators") from None
    holding = [f"holds({line_text}, i)" for line_text in line_texts]
    text = f"all i in 1..n. {_answers(formula, holding, 'accept(i)', _answered)}"
    if len(text) > expr.MAX_TEXT:
        raise Undecided(f"no proof method covers a formula whose statement has more than {expr.MAX_TEXT:,} characters")
    return text


def _answers(
    formula: Formula, conditions: Sequence[str], accepts: str, answer: Callable[[str], str], bits: bool = True
) -> str:
    """The conclusion at position i. Without labels: the model accepts iff the formula is true. With labels: each label
    is the output iff an output line with this label is the first true one.

    `conditions` has, for each output line, the condition that it is true. `accepts` is the condition that the model
    accepts, and `answer` gives the condition that it outputs a label. With `bits` the two sides are compared as
    numbers, 0 or 1; else as an equivalence. An equivalence needs an accepted position in the hypothesis part H of a
    certificate, and not every formula has one.
    """

    def sides_agree(a: str, b: str) -> str:
        return f"I[{a}] = I[{b}]" if bits else f"(({a}) <-> ({b}))"

    if not formula.labels:
        return sides_agree(accepts, conditions[0])
    first_true: dict[str, list[str]] = {}  # by label: the conditions that one of its lines is the first true one
    for number, (label, _) in enumerate(formula.outputs):
        all_before_false = [f"~({condition})" for condition in conditions[:number]]
        first_true.setdefault(str(label), []).append(" & ".join([*all_before_false, conditions[number]]))
    when_by_label = (
        (label, " | ".join(f"({alternative})" for alternative in alternatives))
        for label, alternatives in first_true.items()
    )
    return " & ".join(sides_agree(answer(label), when) for label, when in when_by_label)


def _answered(label: str) -> str:
    """The condition that the model outputs a label at position i."""
    return f"answer({spelled(label)}, i)"


def functional(formula: Formula) -> list[expr.Tree]:
    """The tree of each line of a formula, in the functional form that `symcook.proof.holds` reads. The tree of a line
    contains the trees of the lines that it reads."""
    trees: list[expr.Tree] = []
    for line in formula.lines:
        reads = tuple(trees[k] for k in line.reads)
        op, letters_of_line = line.op, [a for a in formula.alphabet if a in line.letters]
        # Symbols: true or false if all or none are meant, Q_a for one symbol, else a call letters("a", "b", ..).
        if op == "letters":
            every = len(letters_of_line) == len(formula.alphabet)
            if not letters_of_line or every:
                trees.append((str(every).lower(),))
            elif len(letters_of_line) == 1:
                (letter,) = letters_of_line
                trees.append(("name", f"Q_{letter if re.fullmatch(WORD, letter) else spelled(letter)}"))
            else:
                trees.append(("call", op, tuple(("name", spelled(a)) for a in letters_of_line)))
        # Other operators. `since` and `until` whose left side is always true are `once` and `eventually`.
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
    """A line about counts in functional form: ``bound <= counts``, or a call TABLE(numbers, counts) or
    MOD(divisor, remainder, counts). `trees` are the lines before it."""
    counts = tuple(("call", count.side, (trees[count.line],)) for count in line.counts)
    if line.op == "at least":
        bound: expr.Tree = ("num", abs(line.bound), 1)
        total = headrules.counts_summed(line.counts, counts)
        return ("<=", ("neg", bound) if line.bound < 0 else bound, total)
    numbers = map(int, line.table) if line.op == "table" else (line.divisor, line.bound)
    name = "TABLE" if line.op == "table" else "MOD"
    return ("call", name, (*(("num", number, 1) for number in numbers), *counts))


def _each(part: Any, put: Callable[[str], str]) -> Any:
    """A copy of a certificate's node, or of a part of it, in which `put` replaces each text."""
    if isinstance(part, str):
        return put(part)
    if isinstance(part, list):
        return [_each(x, put) for x in part]
    return {key: _each(x, put) for key, x in part.items()} if isinstance(part, dict) else part


class FormulaFacts(CompiledFacts):
    """The facts of the proof that a model computes its formula.

    In labels, fact B5 is about line 5 of the formula, and fact P5 has the premises of the lemma for B5. In this class
    z5 is the truth function of line 5, and m5 is the fact that defines z5 by an equation.
    """

    def __init__(self, packed: Packed, meaning: ModelMeaning, bits: bool = True) -> None:
        """With `bits` the conclusion compares numbers, as in `sentence`; else it has equivalences. Undecided if there
        is no proof of this kind, or if `meaning` is that of a statement about another formula."""
        if packed.cut:
            raise Undecided(f"no proof method covers a Boolean part of more than {CASES} cases")
        super().__init__(meaning, len(packed.formula.alphabet))
        # The truth functions. `names` has their names in the statement, `own_names` their names here: z and the line's
        # number. A function that is no line of this formula keeps its name in the statement, after "z_".
        self.packed, self.formula = packed, (formula := packed.formula)
        relation = meaning.relation
        truths = present(meaning.truths)
        self.names = list(truths.lines.values())
        with certify.deeper():
            lines = [truths.of(tree) for tree in functional(formula)]
        if len(truths.lines) > len(self.names):
            raise Undecided("the stored statement is about another formula than the model's")
        self.numbers = {name: k for k, name in enumerate(lines, 1)}
        self.own_names = [f"z{self.numbers.get(name, f'_{name}')}" for name in self.names]
        self.places = {own_name: place for place, own_name in enumerate(self.own_names)}
        ours = dict(zip(self.names, self.own_names, strict=True))
        with_own_names = partial(re.sub, r"\bz\d+_*\b", lambda match: ours.get(match[0], match[0]))
        self.rights = {ours[name]: with_own_names(right) for right, name in truths.lines.items()}
        # The goal. If there are many truth functions, the statement has them as rows of a few functions (`functions`).
        # Then `put` replaces each truth function in a text by its row.
        output_conditions = [f"z{line + 1}(i) = 1" for _, line in formula.outputs]
        accepts = "" if formula.labels else relation.accept("i")
        self.goal = _answers(formula, output_conditions, accepts, lambda label: relation.answer(label, "i"), bits)
        self.put, self.functions = certify.in_rows(meaning) if len(self.names) > certify.ROWS else (None, self.names)
        self.rows = headrules.scored_heads(relation.whole) if packed.soft else {}
        # `line_of`: by name of a head's coordinate or truth function, its line; the first of the lines that share a
        # head.
        self.line_of = {head.name: number for number, head in reversed(packed.heads.items())}
        self.line_of |= {f"z{number + 1}": number for number in range(len(formula.lines))}
        # The proof: names and premises, then the facts of each line whose operator has a rule, then the goal by cases.
        self.lines.append(self.begin)
        for number, line in enumerate(formula.lines, 1):
            if rule := headrules.RULES.get(line.op):
                rule(self, number)
        self.by_cases("Q", self.goal)
        self.lines.append("qed by Q")

    def begin(self, g: Goal) -> None:
        """Introduce all names that the statement quantifies, then its premises under labels."""
        g.intro(["n", "w", *self.run, *self.functions])
        # A label that is a list is for a conjunction: it names the parts. Many equations are one premise.
        mean_labels = [f"m{own_name[1:]}" for own_name in self.own_names]
        labels: list[Any] = [
            "some",
            "word",
            [equations.OWN],
            *([mean_labels] if len(mean_labels) > certify.LONG else mean_labels),
        ]
        for label in labels:
            g.intro([[*equations.spread(tuple(label), g.goal[2][0])] if isinstance(label, list) else label])

    def inhabited(self, g: Goal, model: Transformer) -> None:
        """Close part H of the certificate: the hypotheses hold for the run on a string of one symbol."""
        from symcook.spec.logic import truths

        # The witnesses: the length 1, the token 0, the coordinates, and the truth functions or their rows.
        coordinate_values = on_one_letter(model)
        truth_rows = truths(self.formula, model.alphabet[:1])
        bits = [int(truth_rows[self.numbers[name] - 1][0]) for name in self.names]
        values = [coordinate_values.get(name, 0) for name in self.run]
        witness_texts = ["1", *(f"x. {value}" for value in (0, *values, *(() if self.put else bits)))]
        for first in range(0, len(bits) if self.put else 0, certify.ROW):
            row = {(k,): [bit] for k, bit in enumerate(bits[first : first + certify.ROW], 1)}
            witness_texts.append(rows_function(row, "1"))
        g.witness(*witness_texts)
        Elaborator().block(g, (), Place(1, 1))

    def named(self, text: str) -> str:
        """A text with the statement's names of truth functions in place of z1, z2, and so on."""
        text = re.sub(r"\bz(\d+)\b", lambda match: self.names[self.places[match[0]]], text)
        return self.put(text) if self.put else text

    def write(self, node: Node) -> None:
        """Add a node of the certificate, with the names of the statement put in."""

        def emit(g: Goal) -> None:
            named_node = _each(node, self.named)
            if named_node["by"] == "have":
                self.apart.show(g, named_node)
            else:
                g.use(named_node["fact"], *named_node["with"], label=named_node["as"])

        self.lines.append(emit)

    def line(self, label: str, text: str) -> None:
        """Add a fact by a line of proof text, unless a fact has this label already."""
        if label not in self.shown:
            self.shown[label] = Fact(label)
            self.lines.append(f"{label}: {text}")

    def each(self, label: str, text_at_i: str, nodes: list[Node]) -> None:
        """Add the fact that `text_at_i` holds at each position i, unless a fact has this label already. `nodes` prove
        it at i."""
        if label not in self.shown:
            self.shown[label] = Fact(label, expr.parse_formula(text_at_i))
            self.write(have(label, f"all i in 1..n. {text_at_i}", [intro(["i"]), intro(["range"]), *nodes]))

    def lemma(self, k: int, rule: str, terms: str, facts: Sequence[str]) -> None:
        """Add the fact B<k> about line k, an instance of the lemma `rule` (see `cite`)."""
        self.cite(f"B{k}", rule, terms, facts)

    def cite(self, label: str, rule: str, terms: str, facts: Sequence[str]) -> None:
        """Add an instance of the library's lemma `rule` as a fact, unless a fact has this label already. `terms` are
        separated by semicolons. `facts` has the label of each premise, or "!" for a premise that is true by
        computation."""
        if label not in self.shown:
            self.shown[label] = Fact(label)
            arguments = [
                *terms.split("; "),
                *(fact_used if fact_used == "!" else f"#{fact_used}" for fact_used in facts),
            ]
            self.write(use(f"lem:{rule}", arguments, label))

    def bit(self, k: int) -> str:
        """The bit that the head of line k retrieves: the truth of the line at i. For a `prev` whose head looks up a
        position it is the truth of the line's operand at i - 1, or at 1 if i = 1."""
        return headrules.bit_before(self, k) if headrules.looked_up(self.packed, k - 1) else f"z{k}(i)"

    def by_cases(self, label: str, text_at_i: str) -> None:
        """Add the fact that `text_at_i` holds at each position i, by cases over the symbol and the bits that heads
        retrieve."""
        self.decided(label, text_at_i, self.tell)

    def tell(self, known: Pointwise, part: expr.Tree) -> Iterable[expr.Tree]:
        """Note in `known` the value of a term at i. Returns a list with this value, whose terms the proof needs next.
        Symbols, and bits that heads retrieve, have no value: they are the cases of the proof."""
        if part[0] != "call" or part[2] != (HERE,):
            return []
        name, number = part[1], self.line_of.get(part[1])
        if number in self.packed.heads:
            return [self.found_at(known, number)]
        if name == headrules.LATER:
            known.nodes += headrules.later()
            known.bits[part] = f"b{name}"
        elif number is not None or name in self.definitions:
            fact = self.equation(part, name, number)
            known.nodes.append(here(fact.label, f"{name}_at"))
            known.equations[part] = f"{name}_at", fact.right
            return [fact.right]
        return []

    def found_at(self, known: Pointwise, number: int) -> expr.Tree:
        """Note in `known` that the head of a line retrieves a bit at i. The head's coordinate is this bit, or near it
        for a softmax head. Returns the truth of the line in terms of the bit."""
        # The parts of fact B<k>: the head retrieves a bit (b<k>); the coordinate's equation (c<k>) or its two bounds
        # (c<k> and d<k>); and, if the line's truth is not the bit itself, the truth in terms of the bit (s<k>).
        k, name = number + 1, self.packed.heads[number].name
        bit, value, truth = map(expr.parse_term, (self.bit(k), f"{name}(i)", f"z{k}(i)"))
        error, is_shared = headrules.room(self.packed, name), known.given(value)
        bound_labels = [f"c{k}"] if error is None else [f"c{k}", f"d{k}"]
        known.nodes.append(here(f"B{k}", [f"b{k}", *bound_labels, *([] if bit == truth else [f"s{k}"])]))
        # The truth of a `prev` whose head looks up a position is not the bit itself.
        if bit != truth:
            known.equations[truth] = f"s{k}", expr.parse_term(headrules.truth_before(self, k))
        # The coordinate's value. If another line has the same head, the two bits are the same (the fact `same`).
        if error is None:
            if is_shared:
                label, earlier_bit = known.equations[value]
                proof = combined([("-1", f"c{k}"), ("1", label)])
                known.nodes.append(have(f"same{k}", f"{expr.show(bit)} = {expr.show(earlier_bit)}", proof))
            else:
                known.equations[value] = f"c{k}", bit
        elif is_shared:
            sides = known.near[value]
            earlier_bit = sides[0].than[1]
            facts = [f"b{k}", known.bits[earlier_bit], *bound_labels, *(side.label for side in sides)]
            premise = both(*map(hyp, facts), [{"by": "true"}])
            terms = [*map(expr.show, (bit, earlier_bit, value)), str(error)]
            known.nodes.append(use("lem:same_bit", [*terms, premise], f"same{k}"))
        else:
            ends = (expr.parse_term(f"{expr.show(bit)} {sign} {error}") for sign in "-+")
            known.near[value] = FactSide(f"c{k}", next(ends)), FactSide(f"d{k}", next(ends))
        # A bit that is equal to an earlier one is replaced by it, so that the cases are over the earlier bit alone.
        if is_shared:
            known.equations[bit] = f"same{k}", earlier_bit
        else:
            known.bits[bit] = f"b{k}"
        return known.equations.get(truth, ("", truth))[1]

    def equation(self, part: expr.Tree, name: str, number: int | None) -> Fact:
        """The fact that gives the value of the term `part` at each position. Without a line `number` the term is a
        coordinate `name`; with one it is the truth of this line, which has no head."""
        if number is None:
            return Fact(f"{name}_is", expr.parse_formula(self.definitions[name].text))
        line = self.formula.lines[number]
        if line.op not in TEMPORAL:
            return Fact(f"m{number + 1}", ("=", part, expr.parse_term(self.rights[name])))
        never_true = line.op in ("prev", "next") or self.packed.values[number] is False
        right = "0" if never_true else f"I[z{line.left + 1}(i) = 1 & z{line.right + 1}(i) = 1]"
        return Fact(f"B{number + 1}", ("=", part, expr.parse_term(right)))
