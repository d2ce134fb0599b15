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
from symcook.proof.statements.spelled import WORD, spelled

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
        raise Undecided("no proof is made of a formula that nests so deep") from None
    holding = [f"holds({line_text}, i)" for line_text in line_texts]
    text = f"all i in 1..n. {_answers(formula, holding, 'accept(i)', _answered)}"
    if len(text) > expr.MAX_TEXT:
        raise Undecided(f"no proof is made of a formula of more than {expr.MAX_TEXT} characters written out")
    return text


def _answers(
    formula: Formula, true: Sequence[str], accepts: str, answer: Callable[[str], str], bits: bool = True
) -> str:
    """The conclusion at position i: the model accepts iff the formula is true, or each label is the output iff its line
    is the first true one. `true` has the condition of each output line, `accepts` and `answer` those of the model.

    With `bits` the two sides are compared as numbers 0 and 1. For an equivalence the hypothesis part H of a certificate
    would need an accepted position, which not every formula has."""

    def alike(a: str, b: str) -> str:
        return f"I[{a}] = I[{b}]" if bits else f"(({a}) <-> ({b}))"

    if not formula.labels:
        return alike(accepts, true[0])
    first: dict[str, list[str]] = {}  # by label: the conditions that one of its lines is the first true one
    for number, (label, _) in enumerate(formula.outputs):
        before = [f"~({condition})" for condition in true[:number]]
        first.setdefault(str(label), []).append(" & ".join([*before, true[number]]))
    when_by_label = ((label, " | ".join(f"({way_text})" for way_text in ways)) for label, ways in first.items())
    return " & ".join(alike(answer(label), when) for label, when in when_by_label)


def _answered(label: str) -> str:
    return f"answer({spelled(label)}, i)"


def functional(formula: Formula) -> list[expr.Tree]:
    """Each line in the functional form that `symcook.proof.holds` reads; the trees of the lines that it reads are parts
    of its own."""
    trees: list[expr.Tree] = []
    for line in formula.lines:
        reads = tuple(trees[k] for k in line.reads)
        op, letters_of_line = line.op, [a for a in formula.alphabet if a in line.letters]
        # Symbols: true or false if all or none are meant, Q_a for one symbol, else a call letters("a", "b", ..).
        if op == "letters":
            every = len(letters_of_line) == len(formula.alphabet)
            names = tuple(("name", spelled(a)) for a in letters_of_line)
            letter = (
                (letters_of_line[0] if re.fullmatch(WORD, letters_of_line[0]) else spelled(letters_of_line[0]))
                if letters_of_line
                else ""
            )
            atom: expr.Tree = ("name", f"Q_{letter}") if letters_of_line else ()
            trees.append(
                (str(every).lower(),)
                if not letters_of_line or every
                else atom
                if len(letters_of_line) == 1
                else ("call", op, names)
            )
        # Other operators; one of the past or future whose left side is always true is `once` or `eventually`.
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
    return ("call", name, (*(("num", number_of_line, 1) for number_of_line in numbers), *counts))


def _each(part: Any, put: Callable[[str], str]) -> Any:
    """A node of a certificate with each text in it replaced by `put` of the text."""
    if isinstance(part, str):
        return put(part)
    if isinstance(part, list):
        return [_each(x, put) for x in part]
    return {key: _each(x, put) for key, x in part.items()} if isinstance(part, dict) else part


class FormulaFacts(CompiledFacts):
    """The facts of the proof. B5 is about line 5 of the formula, P5 has the premises of its lemma; z5 is its truth
    function here, m5 the fact that gives this by an equation."""

    def __init__(self, packed: Packed, meaning: ModelMeaning, bits: bool = True) -> None:
        """With `bits` the conclusion has equations, as in `sentence`, else equivalences. Undecided if there is no proof
        of this kind, or `meaning` is of a statement about another formula."""
        if packed.cut:
            raise Undecided(f"no proof is made of a Boolean part of more than {CASES} cases")
        super().__init__(meaning, len(packed.formula.alphabet))
        # The truth functions: `names` in the statement, and `own` here, where the number is that of the line.
        self.packed, self.formula = packed, (formula := packed.formula)
        relation, truths = meaning.relation, meaning.truths
        truths = present(truths)
        self.names = list(truths.lines.values())
        with certify.deeper():
            lines = [truths.of(tree) for tree in functional(formula)]
        if len(truths.lines) > len(self.names):
            raise Undecided("the statement is about another formula")
        self.numbers = {name: k for k, name in enumerate(lines, 1)}
        self.own = [f"z{self.numbers.get(name, f'_{name}')}" for name in self.names]
        self.places = {own_name: place for place, own_name in enumerate(self.own)}
        ours = dict(zip(self.names, self.own, strict=True))
        with_own_names = partial(re.sub, r"\bz\d+_*\b", lambda match: ours.get(match[0], match[0]))
        self.rights = {ours[name]: with_own_names(right) for right, name in truths.lines.items()}
        # The goal. Many truth functions are rows of few functions in the statement: `put` then rewrites a text so.
        true = [f"z{line + 1}(i) = 1" for _, line in formula.outputs]
        accepts = "" if formula.labels else relation.accept("i")
        self.goal = _answers(formula, true, accepts, lambda label: relation.answer(label, "i"), bits)
        self.put, self.functions = certify.in_rows(meaning) if len(self.names) > certify.ROWS else (None, self.names)
        self.rows = headrules.scored_heads(relation.whole) if packed.soft else {}
        # The line of a head's coordinate or of a truth function. If lines share a head, it is the first of these.
        self.line_of = {head.name: number for number, head in reversed(packed.heads.items())}
        self.line_of |= {f"z{number + 1}": number for number in range(len(formula.lines))}
        # The proof: names and premises, a fact for each operator that has a rule, and the goal by cases.
        self.lines.append(self.begin)
        for number, line in enumerate(formula.lines, 1):
            if rule := headrules.RULES.get(line.op):
                rule(self, number)
        self.by_cases("Q", self.goal)
        self.lines.append("qed by Q")

    def begin(self, g: Goal) -> None:
        """Introduce all names that the statement quantifies, and its premises under labels."""
        g.intro(["n", "w", *self.run, *self.functions])
        mean_labels = [f"m{own_name[1:]}" for own_name in self.own]
        labels: list[Any] = [
            "some",
            "word",
            [equations.OWN],
            *([mean_labels] if len(mean_labels) > certify.LONG else mean_labels),
        ]
        for label in labels:
            g.intro([[*equations.spread(tuple(label), g.goal[2][0])] if isinstance(label, list) else label])

    def inhabited(self, g: Goal, model: Transformer) -> None:
        """The part H of the certificate: the hypotheses hold for the run on a string of one symbol."""
        from symcook.spec.logic import truths

        # The witnesses: the length 1, the token 0, the coordinates, and the truth functions or their rows.
        stream, truth = on_one_letter(model), truths(self.formula, model.alphabet[:1])
        bits = [int(truth[self.numbers[name] - 1][0]) for name in self.names]
        values = [stream.get(name, 0) for name in self.run]
        texts = ["1", *(f"x. {value}" for value in (0, *values, *(() if self.put else bits)))]
        for first in range(0, len(bits) if self.put else 0, certify.ROW):
            row = {(k,): [bit] for k, bit in enumerate(bits[first : first + certify.ROW], 1)}
            texts.append(rows_function(row, "1"))
        g.witness(*texts)
        Elaborator().block(g, (), Place(1, 1))

    def named(self, text: str) -> str:
        """A text with the statement's names of truth functions in place of z1, z2, ..."""
        text = re.sub(r"\bz(\d+)\b", lambda found: self.names[self.places[found[0]]], text)
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

    def line(self, label: str, said: str) -> None:
        """Add a fact by a line of proof text; not if there is one with this label."""
        if label not in self.shown:
            self.shown[label] = Fact(label)
            self.lines.append(f"{label}: {said}")

    def each(self, label: str, said: str, nodes: list[Node]) -> None:
        """Add a fact about each position, with the nodes of its proof at i; not if there is one with this label."""
        if label not in self.shown:
            self.shown[label] = Fact(label, expr.parse_formula(said))
            self.write(have(label, f"all i in 1..n. {said}", [intro(["i"]), intro(["range"]), *nodes]))

    def lemma(self, k: int, rule: str, terms: str, facts: Sequence[str]) -> None:
        """The fact B<k> about line k, an instance of the lemma `rule` (see `cite`)."""
        self.cite(f"B{k}", rule, terms, facts)

    def cite(self, label: str, rule: str, terms: str, facts: Sequence[str]) -> None:
        """Add an instance of the lemma `rule` at these terms as a fact; not if there is one with this label. `facts`
        are the labels of its premises, "!" for one that is true by computation."""
        if label not in self.shown:
            self.shown[label] = Fact(label)
            arguments = [
                *terms.split("; "),
                *(fact_used if fact_used == "!" else f"#{fact_used}" for fact_used in facts),
            ]
            self.write(use(f"lem:{rule}", arguments, label))

    def bit(self, k: int) -> str:
        """The bit that the head of line k finds: the truth of the line; for a `prev` that is looked up it is
        the truth at i - 1, or at i if i = 1."""
        return headrules.bit_before(self, k) if headrules.looked_up(self.packed, k - 1) else f"z{k}(i)"

    def by_cases(self, label: str, said: str) -> None:
        """Add a fact about each position, by cases over the symbol and the bits that heads find."""
        self.decided(label, said, self.tell)

    def tell(self, known: Pointwise, part: expr.Tree) -> Iterable[expr.Tree]:
        """Note the value of a term at i in `known`; return that value, whose own parts are looked at next. Symbols and
        bits that heads find have none: they are the cases of the proof."""
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
        """Note in `known` that the head of a line finds a bit at i, and that the coordinate of the head is this bit, or
        near it for a softmax head. Returns the truth of the line in terms of the bit."""
        # The fact B<k> has as parts: it is a bit (b), the coordinate's equation or bounds (c, d), and the truth (s).
        k, name = number + 1, self.packed.heads[number].name
        bit, value, truth = map(expr.parse_term, (self.bit(k), f"{name}(i)", f"z{k}(i)"))
        error, is_shared = headrules.room(self.packed, name), known.given(value)
        bound_labels = [f"c{k}"] if error is None else [f"c{k}", f"d{k}"]
        known.nodes.append(here(f"B{k}", [f"b{k}", *bound_labels, *([] if bit == truth else [f"s{k}"])]))
        # A line that is looked up has another truth than the bit that its head finds.
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
        # So the cases are over the first of equal bits alone.
        if is_shared:
            known.equations[bit] = f"same{k}", earlier_bit
        else:
            known.bits[bit] = f"b{k}"
        return known.equations.get(truth, ("", truth))[1]

    def equation(self, part: expr.Tree, name: str, number: int | None) -> Fact:
        """The fact that gives the value of a coordinate, or of the truth of a line without a head, at each position."""
        if number is None:
            return Fact(f"{name}_is", expr.parse_formula(self.definitions[name].text))
        line = self.formula.lines[number]
        if line.op not in TEMPORAL:
            return Fact(f"m{number + 1}", ("=", part, expr.parse_term(self.rights[name])))
        never_true = line.op in ("prev", "next") or self.packed.values[number] is False
        right = "0" if never_true else f"I[z{line.left + 1}(i) = 1 & z{line.right + 1}(i) = 1]"
        return Fact(f"B{number + 1}", ("=", part, expr.parse_term(right)))
