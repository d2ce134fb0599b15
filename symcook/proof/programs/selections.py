"""Selections in the proofs of compiled S-RASP programs: what a head retrieves. Nothing here is trusted.

Fact P5 is about the head of line 5. It states that the head copies the values of some position p, and that a test of
these values (`test`) is 1 if p is selected, and 0 if no position is selected. A selected p is the last selected
position, or the first one for a selection from the left. Fact E5 is about the one position at which a head with a
strict mask sees nothing. Fact C5 combines both: it gives the value of the line at each position.

X stands for the value of the selection's value line at the position found, until another term is put in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from symcook.compilers.numbers import Atom, Form
from symcook.compilers.values import Truth
from symcook.errors import Undecided
from symcook.present import present
from symcook.proof.programs.growingnumbers import GrowingNumber, KeySquare
from symcook.proof.programs.linefacts import RANGES, ProgramFacts, as_block, in_cases
from symcook.proof.programs.linerules import LineRule, NoSelectionRule


class Edge(NamedTuple):
    """The position from which a strict mask leaves no position visible; texts, but for `there`."""

    at: str  # this position
    others: str  # the range of the other positions
    more: str  # the condition on i that it is one of the other positions
    told: str  # the label of the bound of i which, if `more` is false, proves that i is `at`
    name: str  # the coordinate that tells the other positions from `at`
    there: int  # the value of this coordinate at the other positions: 0 or 1


EDGES = {
    "strict-future": Edge("1", "2..n", "2 <= i", "il", "later", 1),
    "strict-past": Edge("n", "1..n - 1", "i + 1 <= n", "ih", "at_last", 0),
}
"""By strict mask, the position from which it leaves no position visible."""


class ReadBack(NamedTuple):
    """What a head retrieves of a value X: an equation for X, or for the truth that X is a certain symbol."""

    code: str  # a suffix for labels: "_" and the number of that symbol; empty if X is a number or a truth
    left: str  # the left side of the equation, with X in it
    found: str  # the right side, by coordinates that the head writes at i
    there: str  # the right side, by coordinates that the head copies from the position found


def selection(facts: ProgramFacts, number: int) -> None:
    """Add the facts about a selection. If no position is ever selected, the compiler made no head for it. It made none
    either if the selector depends on i alone and the value is a constant; such a selection has no proof."""
    has_head = any(part.head for part in facts.compiled.selections.get(number, ()))
    (SelectionRule if has_head else NoSelectionRule).of(facts, number)


class SelectionRule(LineRule):
    """The facts about a selection by one head."""

    def __init__(self, facts: ProgramFacts, number: int) -> None:
        super().__init__(facts, number)
        # The compiled selection must have one head, and at most one equality of numbers.
        selections = self.compiled.selections[number]
        line_text = facts.program.text(number)
        if len(selections) != 1 or (head := selections[0].head) is None:
            raise Undecided(f"no proof method covers a selection that compares indices: {line_text}")
        (self.selection,) = selections
        if len(self.selection.equalities) > 1:
            raise Undecided(f"no proof method covers a selection by two equalities of numbers: {line_text}")
        self.selector, self.value, self.default = self.line.reads
        # `copies`: by coordinate that the head writes, the sum of coordinates that it copies. The mask leaves the
        # positions from `low` to `end` visible. With `every` the head has no score, and is taken to select all
        # positions that it sees: there is no proof for a selector that depends on i alone.
        self.copies = {name: row for name, row in head.values.items() if facts.there(name)}
        self.low, self.end = (end_text.format(i="i") for end_text in RANGES[self.selection.mask])
        self.edge, self.every = EDGES.get(self.selection.mask), head.score is None
        self.equality = next(iter(self.selection.equalities), None)
        # `labels`: the labels of the facts about what the head copies. `copied`: by coordinate, the equation of such a
        # fact. `letters`: the condition that X is one of the symbols, with numbers `codes`, that the value may be.
        self.labels = [*(f"F{k}" for k in range(len(self.copies))), *["Met"] * bool(self.equality)]
        self.copied = {name: f"{self.put(name)}(i) = {self.row(row, 'p')}" for name, row in self.copies.items()}
        self.codes = facts.codes(self.value)
        self.letters = " | ".join(f"X = {code}" for code in self.codes)

    def show(self) -> None:
        """Add the facts about the line."""
        if not self.copies and not any(self.facts.goals(self.number)):
            return  # no line and no coordinate reads this line
        self.facts.heads[self.number] = self
        self.found()
        for name, row in self.copies.items():
            if not name.startswith("key") and all(map(self.facts.truthful, row)):
                known = [self.facts.bit(source).at("p") for source in row]
                self.facts.each(f"B_{name}", f"bit({self.put(name)}(i))", self.where_found([name], known))
        if self.equality:
            self.facts.each(f"B_{self.meeting}", f"bit({self.put(self.meeting)}(i))", self.where_found([], ["Met"]))
        self.chosen_or_not()
        super().show()

    # What the head reads

    def copy(self, truth: Truth) -> tuple[str, str] | None:
        """A truth about the value as two texts: the coordinate that the head writes with it, and the coordinate that
        the head copies. A constant truth is its number. None if the head does not copy the truth."""
        truth = self.compiled.truth(truth)
        if isinstance(truth, frozenset) and truth in (frozenset(), self.compiled.every):
            return (constant := str(int(bool(truth)))), constant
        return self.copy_of(self.compiled.hold(self.compiled.node(truth)))

    def copy_of(self, source: str) -> tuple[str, str] | None:
        """The coordinate that the head writes with a copy of `source`, and `source`, as texts at i. None if the head
        does not copy `source`, since nothing reads the copy."""
        copied = next((name for name, row in self.copies.items() if [*row] == [source] and name[:3] != "key"), None)
        return None if copied is None else (f"{self.put(copied)}(i)", f"{self.put(source)}(i)")

    @cached_property
    def read(self) -> list[ReadBack]:
        """What the head retrieves of its value: an equation for each symbol, or one for a number or a truth. For a
        number or a truth the list is empty if the head does not copy all parts."""
        value = self.compiled.lines[self.value]
        if isinstance(value, dict):
            read_codes = [(self.spoken.codes[letter], self.copy(truth)) for letter, truth in value.items()]
            read_codes += [(code, ("0", "0")) for code in self.facts.codes(self.number) if code not in self.codes]
            return [ReadBack(f"_{code}", f"I[X = {code}]", *copy) for code, copy in read_codes if copy]
        if not isinstance(value, Form):
            return [ReadBack("", "X", *copy)] if (copy := self.copy(value)) else []
        # A number is a constant, plus a truth times a factor for each piece, plus growing numbers times factors.
        (base, _), *pieces = self.compiled.pieces(value)
        parts = [(q, self.copy(truth)) for q, truth in pieces if q]
        parts += [(q, self.copy_of(atom.name)) for atom, q in value.atoms.items()]
        if any(copy is None for _, copy in parts):
            return []
        sides = (" + ".join([str(base), *(f"({q})*{present(copy)[k]}" for q, copy in parts)]) for k in (0, 1))
        return [ReadBack("", "X", *sides)]

    # The facts P and E

    def found(self) -> None:
        """Add the fact P<line>, and for a strict mask E<line>: what the head copies, and the value of the line."""
        # The line `either`: each j is selected or not, as a truth and as a number. The other steps are from the methods
        # below, in their order.
        pair = self.spoken.pair(self.selector)
        low = self.low
        end = self.end
        edge = self.edge
        both_ways = f"({pair} & I[{pair}] = 1) | (~({pair}) & I[{pair}] = 0)"
        conclusions = [f"{low} <= p", f"p <= {end}", f"({self.outcome})", *self.copied.values()]
        conclusions += [f"bit({self.put(self.meeting)}(i))"] if self.equality else []
        statement = f"all i in {edge.others if edge else '1..n'}. ex p:Int. {' & '.join(conclusions)}"
        self.facts.add(f"P{self.number}", statement, [
            "given i (il ih)", "low: 1 <= i by il", f"either: all j in {low}..{end}. {both_ways}",
            "  given j (jl jh)", f"  cases holds: {pair}", "    - qed by holds", "    - qed by holds", *self.tells(),
            *self.position(), *self.copying(), *self.value_lines(), *self.meets(), *self.test_lines(),
            f"take (sel none) from {self.name}_is(i) by low, ih", *self.outcome_lines(), "witness p",
            f"qed by {', '.join(['pl', 'ph', 'il', 'ih', 'low', 'chosen', *self.labels])}"])  # fmt: skip
        if edge:
            self.at_edge(edge)

    def position(self) -> list[str]:
        """Lines that introduce the position p that the head sees: the last (or first) selected position, if a position
        is selected."""
        low = self.low
        end = self.end
        right = self.selection.op == "right"
        pair = self.spoken.pair
        here, there = (f"I[{pair(self.selector, 'i', at)}]" for at in "pk")
        if not self.every:
            lemma = "last_found" if right else "first_found"
            lemma_call = f"{lemma}({low}; {end}; j. I[{pair(self.selector)}]; j. {self.score}; {self.top})"
            return [f"truths: all j in {low}..{end}. bit(I[{pair(self.selector)}])",
                    f"obtain p (pl ph how heads) from {lemma_call} by truths, picked, others, il, ih, low"]  # fmt: skip
        return [f"let p = {end if right else low}", f"pl: {low} <= p by il, ih", f"ph: p <= {end} by il, ih",
                f"how: ({here} = 1 & (all k in {self.beyond}. {there} = 0)) | "
                f"({here} = 0 & (all k in {low}..{end}. {there} = 0))", "  left",
                f"  - qed by K{self.number}(i; p), pl, ph, il, ih, low", "  - given k (kl kh)",
                "    qed by kl, kh"]  # fmt: skip

    @property
    def beyond(self) -> str:
        """The range of the visible positions that the head would prefer to p: after p, or before p."""
        return f"p + 1..{self.end}" if self.selection.op == "right" else f"{self.low}..p - 1"

    def copying(self) -> list[str]:
        """Lines that prove what the head copies: the facts F0, F1 and so on."""
        lines = list[str]()
        last_seen = self.end if self.selection.op == "right" else self.low
        for label, (name, copied_text) in zip(self.labels, self.copied.items(), strict=False):
            row = self.row(self.copies[name], "j")
            rule = f"sum_delta(j. {row}; {self.low}; {self.end}; {last_seen})" if self.every else f"heads(j. {row})"
            lines.append(f"{label}: {copied_text} by {rule}, {self.put(name)}_is(i), low, il, ih, pl, ph")
        return lines

    def value_lines(self) -> list[str]:
        """Lines that prove the value at p from what the head copied: the facts Letter, and Same0, Same1 and so on."""
        lines, (here, there) = list[str](), (self.spoken.value(self.value, at) for at in "ip")
        if self.letters:
            known = [fact.at("p")] if (fact := self.facts.one_of(self.value)) else []
            lines.append(
                f"Letter: {self.letters.replace('X', there)} by {', '.join([*known, 'low', 'pl', 'ph', 'ih'])}"
            )
        for k, read_back in enumerate(self.read):
            known = self.labels[: len(self.copied)]
            if self.letters and int(read_back.code[1:]) not in self.codes:
                known = ["Letter"]
            elif self.facts.program.lines[self.value].op != "constant":
                label = f"From{self.value}{read_back.code}"
                self.facts.by_cases(label, f"{read_back.there} = {read_back.left.replace('X', here)}", held=True)
                known = [f"{label}(p)", *known]
            by = ", ".join([*known, "low", "pl", "ph", "il", "ih"])
            lines.append(f"Same{k}: {read_back.left.replace('X', there)} = {read_back.found} by {by}")
        return lines

    def test_lines(self) -> list[str]:
        """Lines that prove that the test is 1 if p is selected, else 0."""
        proof_lines = [f"  qed by K{self.number}(i; p), il, ih, pl, ph, low"]
        if self.equality:
            proof_lines = [
                "  rewrite met",
                "  cases yes, no from tells(p) by pl, ph",
                "    - qed by yes",
                "    - qed by no",
            ]
        return [f"test: {self.test} = I[{self.spoken.pair(self.selector, 'i', 'p')}]",
                *(f"  {text}" for text in self.put_in(self.test)), *proof_lines]  # fmt: skip

    def put_in(self, term: str) -> list[str]:
        """Lines that replace, in a term, the coordinates that the head writes by what it copies."""
        labels = zip(self.labels, self.copies, strict=False)
        return [f"rewrite {label}" for label, name in labels if f"{self.put(name)}(i)" in term]

    def outcome_lines(self) -> list[str]:
        """Lines that prove `outcome`: p is selected, and the line is the value at p; or no position is selected, and
        the line is the default."""
        pair, low, end = self.spoken.pair, self.low, self.end
        there, here, at_j = (pair(self.selector, "i", at) for at in "kpj")
        known = ["test", "yes", *["Letter"][: bool(self.letters)], *(f"Same{k}" for k in range(len(self.read)))]
        return [f"chosen: {self.outcome}", "  cases yes, no from how", "    - left",
                *(f"      {text}" for text in _condition_lines("here", here, "p", "yes, pl, ph")),
                f"      behind: all k in {self.beyond}. ~({there})", "        given k (kl kh)",
                f"        zero: I[{there}] = 0 by yes, kl, kh",
                *(f"        {text}" for text in _condition_lines("fails", f"~({there})", "k", "zero, kl, kh, pl, ph")),
                f"      value: {self.name}(i) = {self.spoken.value(self.value, 'p')} "
                "by sel(p), here, behind, low, il, ih, pl, ph", "      rewrite value",
                f"      qed by {', '.join(known)}", "    - right",
                f"      never: all j in {low}..{end}. ~({at_j})", "        given j (jl jh)",
                f"        zero: I[{at_j}] = 0 by no, jl, jh",
                *(f"        {text}" for text in _condition_lines("fails", f"~({at_j})", "j", "zero, jl, jh")),
                f"      value: {self.name}(i) = {self.spoken.value(self.default)} by none, never",
                "      qed by test, no, value, pl, ph"]  # fmt: skip

    def at_edge(self, edge: Edge) -> None:
        """Add the fact E<line>: at the position where the head sees nothing, it writes 0, and the line is the
        default."""
        edge_facts = [f"{self.name}({edge.at}) = {self.spoken.value(self.default, edge.at)}"]
        edge_facts += [f"{self.put(name)}({edge.at}) = 0" for name in self.copies]
        lines = [f"{label}: {zero} by {self.put(name)}_is({edge.at}), some"
                 for label, name, zero in zip(self.labels, self.copies, edge_facts[1:], strict=False)]  # fmt: skip
        bit_fact = [f"bit({self.put(self.meeting)}({edge.at}))"] if self.equality else []
        self.facts.add(f"E{self.number}", " & ".join([*edge_facts, *bit_fact]), [
            f"take (sel none) from {self.name}_is({edge.at}) by some", *lines, *self.meets(edge.at),
            f"value: {edge_facts[0]} by none", f"qed by {', '.join(['value', *self.labels])}"])  # fmt: skip

    # The facts C and M

    @property
    def outcome(self) -> str:
        """The formula which states that the test is 1 and the line is the value found, or the test is 0 and the line is
        the default."""
        tests = [f"{read_back.left.replace('X', f'{self.name}(i)')} = {read_back.found}" for read_back in self.read]
        tests += [f"({self.letters.replace('X', f'{self.name}(i)')})"] * bool(self.letters)
        found_part = " & ".join([f"{self.test} = 1", *tests])
        return f"({found_part}) | ({self.test} = 0 & {self.name}(i) = {self.spoken.value(self.default)})"

    def chosen_or_not(self) -> None:
        """Add the facts C<line>: the line is the value found if the test is 1, else the default. If the line is a
        symbol, also add M<line>: which symbols it may be."""
        # `test` is a product. Its second factor is 1 where the head sees a position, since the first factor alone may
        # be 1 where it sees none.
        facts, name, edge = self.facts, self.name, self.edge
        factors = [self.test] * (not self.every)
        sees = edge is not None and (self.equality or any(case.there is True for case in self.selection.cases))
        if edge and sees:
            factors.append(f"{self.put(edge.name)}(i)" if edge.there else f"(1 - {self.put(edge.name)}(i))")
        test = "*".join(factors)
        # `yes`, `no` and `at_edge` are the lines of the three cases that `found_or_not` takes.
        for k, read_back in enumerate(self.read):
            left = read_back.left.replace("X", f"{name}(i)")
            default = read_back.left.replace("X", self.spoken.value(self.default))
            right = f"if({test} = 1, {read_back.found}, {default})" if test else read_back.found
            yes, no = [f"qed by Got{k}"], ["qed by no"]
            if not self.every:
                yes, no = ["rewrite yes", *yes], ["rewrite no", "rewrite value", "qed"]
            at_edge = ["rewrite value", *self.put_in(test), "qed"]
            lines = self.found_or_not(yes, no, at_edge, bool(sees))
            facts.valued(facts.each(f"C{self.number}{read_back.code}", f"{left} = {right}", lines))
        # A symbol is one of those that the value or the default may be.
        if self.letters:
            fact, labels = facts.one_of(self.default), [f"Is{code}" for code in self.codes]
            was = [f"Was{code}" for code in facts.codes(self.default)]
            yes = in_cases(labels, "Letter", "il", [[f"qed by {label}"] for label in labels])
            no, at_edge = ["qed by value"], ["qed by value"]
            if fact:  # the default is one of several symbols, so there is a case for each of them
                by_default = [[f"qed by value, {label}"] for label in was]
                no = in_cases(was, fact.at("i"), "il, ih", by_default)
                at_edge = in_cases(was, fact.at(edge.at if edge else ""), "some", by_default)
            text = " | ".join(f"{name}(i) = {code}" for code in facts.codes(self.number))
            facts.each(f"M{self.number}", text, self.found_or_not(yes, no, at_edge, sees=False))

    def found_or_not(self, yes: Sequence[str], no: Sequence[str], at_edge: Sequence[str], sees: bool) -> list[str]:
        """Lines that prove a goal in three cases: the position found is selected (by the lines `yes`), no position is
        selected (`no`), and the head sees nothing (`at_edge`). With `sees`, the coordinate that tells whether the head
        sees something is first replaced by its value."""
        edge = self.edge
        copied_labels = [*(f"Got{k}" for k in range(len(self.read))), *["Letter"] * bool(self.letters)]
        groups = f"(yes {' '.join(copied_labels)})" if copied_labels else "yes"
        sees_line = [*self.sees(edge, "i", edge.there, "more, il, ih")] if edge and sees else []
        found_block = [self.obtained, *sees_line, f"cases {groups}, (no value) from how", *as_block(yes), *as_block(no)]
        if edge is None:
            return found_block
        sees_line = [*self.sees(edge, edge.at, 1 - edge.there, "some")] if sees else []
        edge_block = [f"first: i = {edge.at} by less, {edge.told}", "rewrite first", *sees_line,
                 f"take (value {' '.join(self.labels)}) from E{self.number} by some", *at_edge]  # fmt: skip
        return [f"cases more, less: {edge.more}", *as_block(found_block), *as_block(edge_block)]

    def sees(self, edge: Edge, at: str, there: int, by: str) -> tuple[str, str]:
        """Two lines that replace the coordinate of an edge by its value `there` at a position."""
        bit = self.put(edge.name)
        return f"Sees: {bit}({at}) = {there} by {bit}_is({at}), {by}", "rewrite Sees"

    @property
    def test(self) -> str:
        """The term, in coordinates at i, that is 1 if the position found is selected, else 0."""
        if self.every:
            return "1"
        total = f"({self.terms('i')})"
        return f"{total}*{self.put(self.meeting)}(i)" if self.equality else total

    def terms(self, at: str) -> str:
        """The term that is 1 if the conditions on a position hold, else 0. If `at` is "i", the position is the one that
        the head found, and the term has what the head copied from it. Else the position is `at` itself."""
        parts = list[str]()
        for case in self.selection.cases:
            if case.there is True:
                parts.append(self.plain)
            elif case.there is not False:
                source = self.compiled.hold(case.there)
                copy = self.copy_of(source) if at == "i" else (f"{self.put(source)}({at})", "")
                if copy is None:
                    meaning = self.compiled.meanings[source]
                    raise Undecided(f"no proof method covers a truth value without a coordinate: {meaning}")
                parts.append(f"{self.facts.held_here(case.here)}*{copy[0]}")
        return " + ".join(parts) or "0"

    @property
    def conditioned(self) -> bool:
        """Whether the selection has a condition on a position's bits, besides an equality of numbers."""
        return any(case.there is not True for case in self.selection.cases)

    @property
    def plain(self) -> str:
        """The term that is 1 if the selector's case at i selects all positions, else 0."""
        unconditional = (case.here for case in self.selection.cases if case.there is True)
        here = next(unconditional, None)
        return "0" if here is None else "1" if here == self.compiled.every else self.facts.held_here(here)

    @property
    def score(self) -> str:
        """The score of position j in the head, as text."""
        return present(self.facts.score_of(next(iter(self.copies)), "j", ("leftmost", "rightmost")))

    @property
    def top(self) -> str:
        """The score of a selected position, as text: 1 for its conditions, less 1 if the case at i selects all
        positions. For an equality, the square of the sought number less the key's constant is added."""
        y, c = (self.sought, self.constant) if self.equality else ("0", 0)
        return f"1 - {self.plain} + ({y} - ({c}))^2" if self.equality else f"1 - {self.plain}"

    def tells(self) -> list[str]:
        """Lines that prove that each selected position has the score `top` (line `picked`), and that all other
        positions have lower scores (line `others`). First add the fact K<line> about which positions are selected."""
        # Without an equality, K<line> states that `terms` is 1 if j is selected, else 0.
        selector, label = self.spoken.pair(self.selector), f"K{self.number}"
        if not self.equality:
            text = f"I[{selector}] = {self.terms('j')}"
            self.facts.selects(label, self.selector, text, self.selection.cases)
        if self.every:
            return []
        score, top, every = self.score, self.top, f"all j in {self.low}..{self.end}."
        given = "  given j (jl jh) is"
        picked = f"picked: {every} I[{selector}] = 1 -> {score} = {top}"
        others = f"others: {every} I[{selector}] = 0 -> {score} < {top}"
        if not self.equality:
            by = f"{label}(i; j), jl, jh, il, ih, low, is"
            return [picked, given, f"  qed by {by}", others, given, f"  qed by {by}"]
        # With an equality, the lines of `equal` prove the line `tells`, from which both lines follow.
        by_tells = "  cases yes, no from tells(j) by jl, jh"
        return [*self.equal(f"{score} = {top}", f"{score} < {top}"),
                picked, given, by_tells, "    - qed by yes", "    - qed by no, is",
                others, given, by_tells, "    - qed by yes, is", "    - qed by no"]  # fmt: skip

    def equal(self, level: str, below: str) -> list[str]:
        """Lines for `tells` if a number at j must be equal to a number at i. `level` is the formula that j has the top
        score, `below` the formula that its score is lower."""
        # With the number x at j, y at i and the constant c of the key, the score is terms - plain + (y - c)^2
        # - (x - y)^2 (`total`). If the integers x and y differ, (x - y)^2 is at least 1, and `terms` adds at most 1, so
        # the score is lower than that of a selected position.
        equality, (key, query), label = present(self.equality), self.keys, f"K{self.number}"
        y, c = self.sought, self.constant
        x = self.spoken.value(key, "j")
        every = f"all j in {self.low}..{self.end}."
        score = self.score
        far = f"1 <= ({x} - {y})^2"
        terms = f"({self.terms('j')})"
        meets_at_j = self.meets_at("j")
        query_row = self.row(self.compiled.linear(equality.query), "i")
        key_row = self.row(self.compiled.linear(equality.key), "j")
        # The facts that are used: the square of the key, the values of query and key, and K<line> about the conditions.
        square, of_query, of_key = KeySquare(self.facts, key, equality), *map(self.facts.row_is, (query, key))
        squares = self.row(square.linear, "j")
        unit = [self.facts.holds("one").at()] if "one" in self.facts.run else []
        total = f"{score} + {self.plain} = {terms} + 2*(({query_row}) - ({c}))*({key_row} - ({c})) - ({squares})"
        condition = self.spoken.pair(self.selector, told={equality.line: True})
        text = f"(({condition}) & {terms} = 1) | (~({condition}) & {terms} = 0)"
        self.facts.selects(label, self.selector, text, self.selection.cases, [equality.line])
        chosen = f"  cases yes, no from {label}(i; j) by jl, jh, il, ih, low"
        selector = self.spoken.pair(self.selector)
        # The lines: the score (`total`); `terms` is 1 if the conditions hold (`fits`), else 0 (`misses`); then `tells`
        # in three cases: j is selected, its key is not the sought number, or its conditions do not hold.
        return [f"asked: {query_row} = {y} by {of_query.at()}, low, ih",
                f"total: {every} {score} + {self.plain} = {terms} + ({y} - ({c}))^2 - ({x} - {y})^2",
                "  given j (jl jh)", f"  parts: {total} by {', '.join([*unit, 'low', 'ih'])}",
                f"  one_key: {key_row} - ({c}) = {x} - ({c}) by {of_key.at('j')}, jl, jh, il, ih",
                f"  square: {squares} = ({x} - ({c}))^2 by {square.label}(j), jl, jh, il, ih",
                "  rewrite parts", "  rewrite asked", "  rewrite one_key", "  rewrite square", "  qed",
                f"fits: {every} ({condition}) -> {terms} = 1", "  given j (jl jh) so", chosen,
                "    - qed by yes", "    - qed by no, so",
                f"misses: {every} ~({condition}) -> {terms} = 0", "  given j (jl jh) off", chosen,
                "    - qed by yes, off", "    - qed by no",
                f"tells: {every} (I[{selector}] = 1 & {terms}*{meets_at_j} = 1 & {level}) | "
                f"(I[{selector}] = 0 & {terms}*{meets_at_j} = 0 & {below})", "  given j (jl jh)",
                "  cases holds, not_so from either(j) by jl, jh",
                f"    - so: {condition} by holds", f"      level: {x} = {y} by holds",
                f"      same: {meets_at_j} = 1 by level", "      take fit from fits(j) by so, jl, jh", "      left",
                *_product_lines(f"{terms}*{meets_at_j} = 1", "same", *["fit"][: self.conditioned]),
                "      qed by holds, product, total(j), fit, level, jl, jh",
                f"    - cases so, off: {condition}",
                f"        - apart: ~({x} = {y}) by not_so, so", f"          far: {far} by apart",
                f"          same: {meets_at_j} = 0 by apart", "          take fit from fits(j) by so, jl, jh",
                "          right", *(f"    {one}" for one in _product_lines(f"{terms}*{meets_at_j} = 0", "same")),
                "          qed by not_so, product, total(j), fit, far, jl, jh",
                "        - take gone from misses(j) by off, jl, jh", f"          near_or_far: 0 <= ({x} - {y})^2",
                "          right", *(f"    {one}" for one in _product_lines(f"{terms}*{meets_at_j} = 0", "gone")),
                "          qed by not_so, product, total(j), gone, near_or_far, jl, jh"]  # fmt: skip

    # An equality of numbers

    @property
    def keys(self) -> tuple[int, int]:
        """The numbers of the two lines that the equality compares: key and query."""
        key, query = self.facts.program.lines[present(self.equality).line].reads
        return key, query

    @property
    def sought(self) -> str:
        """The number that the head looks for from position i, as text: the query."""
        return self.spoken.value(self.keys[1])

    @property
    def constant(self) -> object:
        """The constant of the key."""
        return self.compiled.linear(present(self.equality).key).get("", 0)

    @property
    def found_key(self) -> str:
        """The coordinate to which the head copies the key of the position found."""
        return next(name for name in self.copies if name.startswith("key"))

    @cached_property
    def meeting(self) -> str:
        """The coordinate that tells whether the key at the position found is equal to the number sought."""
        keys = [name for name in self.copies if name.startswith("key")]
        for name, (_, number) in self.compiled.compared.items():
            if any(atom.name in keys for atom in number.atoms):
                return name
        raise Undecided(f"no proof method covers a truth value without a coordinate: {present(self.equality).shown}")

    def difference(self, x: str, at: str = "i") -> str:
        """The difference of the key x and the number sought, with the sign that the coordinate `meeting` compares."""
        _, number = self.compiled.compared[self.meeting]
        factor = next(q for atom, q in number.atoms.items() if atom.name == self.found_key)
        if factor not in (1, -1):
            raise Undecided("no proof method covers a comparison of fractions")
        y = self.spoken.value(self.keys[1], at)
        return f"{x} - ({y})" if factor == 1 else f"({y}) - {x}"

    def meets_at(self, at: str) -> str:
        """The term that is 1 if the key at a position is the number sought, else 0."""
        return f"I[{self.difference(self.spoken.value(self.keys[0], at))} = 0]"

    def meets(self, at: str = "p") -> list[str]:
        """Lines for two facts: `met` gives the value of the coordinate `meeting`, and `Met` states that it is a bit.

        If `at` is "p", the facts are about position i, and the key is that of p. Another `at` is the position where the
        head sees nothing. The facts are then about `at`, and the key is the constant.
        """
        if not self.equality:
            return []
        op, number = self.compiled.compared[self.meeting]
        label, linear = f"Level{self.number}", self.compiled.linear(number)
        found_term = f"({self.put(self.found_key)}(i) + ({self.constant}))"
        self.facts.by_cases(label, f"{self.row(linear)} = {self.difference(found_term)}", held=True)
        key, hints = self.labels[[*self.copies].index(self.found_key)], ["low", "ih"]
        x, at_i = self.spoken.value(self.keys[0], "p"), "i"
        if at == "p":
            hints += [self.facts.row_is(self.keys[0]).at("p"), "pl", "ph"]
        else:
            x, at_i, hints = str(self.constant), at, ["some"]
        row, of = self.row(linear, at_i), self.difference(x, at_i)
        return [f"level: {row} = {of} by {', '.join([key, f'{label}({at_i})', *hints])}",
                f"take it from number_is_{op}({of}; {row}) by level",
                f"met: {self.put(self.meeting)}({at_i}) = I[{of} = 0] by it, {self.put(self.meeting)}_is({at_i}), "
                f"{', '.join(hints)}", f"Met: bit({self.put(self.meeting)}({at_i})) by met"]  # fmt: skip

    # What was found

    def source(self, name: str) -> Atom:
        """The growing number, in the compiler's record, that the head copies to a coordinate."""
        (copied,), value = self.copies[name], self.compiled.lines[self.value]
        return next(atom for atom in value.atoms if atom.name == copied)

    def zero_at(self, name: str, end: str, source: GrowingNumber) -> str:
        """The label of the fact by which a retrieved number is 0 at the end of the string from which it grows. There
        the head sees only this position, or nothing."""
        if self.edge and self.edge.at == end:
            return f"E{self.number}"
        label = f"F{[*self.copies].index(name)}"
        hints = ", ".join([label, "here", *source.at_end(end), "some"])
        self.facts.add(f"Z_{name}", f"{self.put(name)}({end}) = 0", [
            f"obtain p (pl ph how {' '.join(self.labels)}) from P{self.number}({end}) by some",
            f"here: p = {end} by pl, ph", f"rewrite {label}", "rewrite here", f"qed by {hints}"])  # fmt: skip
        return f"Z_{name}"

    @property
    def obtained(self) -> str:
        """The line that introduces the position p that the head found."""
        where = "il, ih, more" if self.edge else "il, ih"
        return f"obtain p (pl ph how {' '.join(self.labels)}) from P{self.number}(i) by {where}"

    def where_found(
        self, names: Sequence[str], known: Sequence[str], lines: Sequence[str] = (), edge_lines: Sequence[str] = ()
    ) -> list[str]:
        """Lines that prove a goal about what the head has found.

        `names` are the coordinates in the goal, and `known` are the hints about position p. `lines` come before the
        last step, and `edge_lines` before the last step of the case in which the head sees nothing.
        """
        copies, edge = [*self.copies], self.edge
        hints = ", ".join([*(f"F{copies.index(name)}" for name in names), *known, "pl", "ph", "il", "ih"])
        found_block = [self.obtained, *lines, f"qed by {hints}"]
        if not edge:
            return found_block
        edge_block = [f"first: i = {edge.at} by less, {edge.told}", "rewrite first", *edge_lines,
                 f"qed by E{self.number}, some"]  # fmt: skip
        return [f"cases more, less: {edge.more}", *as_block(found_block), *as_block(edge_block)]


def _condition_lines(label: str, text: str, at: str, hints: str) -> list[str]:
    """Lines that prove `text`, which is a condition on the position `at` or its negation, from hints about the
    condition's indicator."""
    return [f"{label}: {text}", f"  cases holds, not_so from either({at}) by {hints}",
            f"    - qed by holds, {hints}", f"    - qed by not_so, {hints}"]  # fmt: skip


def _product_lines(equation: str, *labels: str) -> list[str]:
    """Lines that prove the value of a product from the facts with these labels, which give the values of its
    factors."""
    return [f"      product: {equation}", *(f"        rewrite {label}" for label in labels), "        qed"]
