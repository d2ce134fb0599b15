"""Selections in the proofs of compiled S-RASP programs: what a head retrieves. Nothing here is trusted.

Fact P5 is about the head of line 5: there is a position p whose values it copies, and a test of these values (`test`)
tells whether p is the last (or first) selected position, or no position is selected. E5 is about the one position at
which the head sees nothing, if it has a strict mask. C5 combines both: the value of the line at each position.
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
    """The position at which a strict mask leaves nothing to see."""

    at: str  # this position
    others: str  # the range of the other positions
    more: str  # the condition on i that it is another position
    told: str  # the label of the bound of i by which i is `at` if it is no other position
    name: str  # the coordinate that tells whether i is another position
    there: int  # the value of this coordinate at the other positions


EDGES = {
    "strict-future": Edge("1", "2..n", "2 <= i", "il", "later", 1),
    "strict-past": Edge("n", "1..n - 1", "i + 1 <= n", "ih", "at_last", 0),
}


class ReadBack(NamedTuple):
    """What a head retrieves of a value X: an equation for X, or for the truth that X is one symbol."""

    code: str  # a suffix for labels: the number of that symbol
    left: str  # the left side of the equation, with X in it
    found: str  # the right side at i, by coordinates that the head writes
    there: str  # the right side at the position found, by coordinates that the head copies


def selection(facts: ProgramFacts, number: int) -> None:
    """Add the facts about a selection. If no position is ever selected, the compiler made no head for it."""
    has_head = any(part.head for part in facts.compiled.selections.get(number, ()))
    (SelectionRule if has_head else NoSelectionRule).of(facts, number)


class SelectionRule(LineRule):
    """The facts about a selection by one head."""

    def __init__(self, facts: ProgramFacts, number: int) -> None:
        super().__init__(facts, number)
        # Of the compiled selection: one head, and at most one equality of numbers.
        selections, line_text = self.compiled.selections[number], facts.program.text(number)
        if len(selections) != 1 or (head := selections[0].head) is None:
            raise Undecided(f"no proof is made of a selection that compares indices: {line_text}")
        (self.selection,) = selections
        if len(self.selection.equalities) > 1:
            raise Undecided(f"no proof is made of a selection by two equalities of numbers: {line_text}")
        self.selector, self.value, self.default = self.line.reads
        # `copies`: by coordinate that the head writes, the row that it copies. The mask leaves the positions from `low`
        # to `end`. With `every`, the head looks at no condition, since all positions that it sees are selected.
        self.copies = {name: row for name, row in head.values.items() if facts.there(name)}
        self.low, self.end = (end_text.format(i="i") for end_text in RANGES[self.selection.mask])
        self.edge, self.every = EDGES.get(self.selection.mask), head.score is None
        self.equality = next(iter(self.selection.equalities), None)
        # `labels`: of the facts about what the head copies. `letters`: X is one of the symbols that the value may be.
        self.labels = [*(f"F{k}" for k in range(len(self.copies))), *["Met"] * bool(self.equality)]
        self.copied = {name: f"{self.put(name)}(i) = {self.row(row, 'p')}" for name, row in self.copies.items()}
        self.codes = facts.codes(self.value)
        self.letters = " | ".join(f"X = {code}" for code in self.codes)

    def show(self) -> None:
        """Add the facts about the line."""
        if not self.copies and not any(self.facts.goals(self.number)):
            return  # nothing needs what the line says
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
        """A truth of the value: by the coordinate that the head writes, and by the one that it copies. None if the head
        does not copy it."""
        truth = self.compiled.truth(truth)
        if isinstance(truth, frozenset) and truth in (frozenset(), self.compiled.every):
            return (constant := str(int(bool(truth)))), constant
        return self.copy_of(self.compiled.hold(self.compiled.node(truth)))

    def copy_of(self, source: str) -> tuple[str, str] | None:
        """The coordinate that the head writes with the value of `source`, and `source`, as texts; None if the head does
        not copy it, since nothing reads it."""
        copied = next((name for name, row in self.copies.items() if [*row] == [source] and name[:3] != "key"), None)
        return None if copied is None else (f"{self.put(copied)}(i)", f"{self.put(source)}(i)")

    @cached_property
    def read(self) -> list[ReadBack]:
        """What the head retrieves of its value. For a number or a truth this is empty if a part is not in the model."""
        value = self.compiled.lines[self.value]
        if isinstance(value, dict):
            read_codes = [(self.spoken.codes[letter], self.copy(truth)) for letter, truth in value.items()]
            read_codes += [(code, ("0", "0")) for code in self.facts.codes(self.number) if code not in self.codes]
            return [ReadBack(f"_{code}", f"I[X = {code}]", *copy) for code, copy in read_codes if copy]
        if not isinstance(value, Form):
            return [ReadBack("", "X", *copy)] if (copy := self.copy(value)) else []
        # A number: its base, a part for each truth, a part for each growing number.
        (base, _), *pieces = self.compiled.pieces(value)
        parts = [(q, self.copy(truth)) for q, truth in pieces if q]
        parts += [(q, self.copy_of(atom.name)) for atom, q in value.atoms.items()]
        if any(copy is None for _, copy in parts):
            return []
        sides = (" + ".join([str(base), *(f"({q})*{present(copy)[k]}" for q, copy in parts)]) for k in (0, 1))
        return [ReadBack("", "X", *sides)]

    # The facts P and E

    def found(self) -> None:
        """Add the fact P<line>, and E<line> for a strict mask: what the head copies, and the value of the line."""
        # `either`: for each j, whether it is selected, as a truth and as a number. Then the steps of the methods below.
        pair, low, end, edge = self.spoken.pair(self.selector), self.low, self.end, self.edge
        told = f"({pair} & I[{pair}] = 1) | (~({pair}) & I[{pair}] = 0)"
        parts = [f"{low} <= p", f"p <= {end}", f"({self.outcome})", *self.copied.values()]
        parts += [f"bit({self.put(self.meeting)}(i))"] if self.equality else []
        said = f"all i in {edge.others if edge else '1..n'}. ex p:Int. {' & '.join(parts)}"
        self.facts.add(f"P{self.number}", said, [
            "given i (il ih)", "low: 1 <= i by il", f"either: all j in {low}..{end}. {told}",
            "  given j (jl jh)", f"  cases holds: {pair}", "    - qed by holds", "    - qed by holds", *self.tells(),
            *self.position(), *self.copying(), *self.value_lines(), *self.meets(), *self.test_lines(),
            f"take (sel none) from {self.name}_is(i) by low, ih", *self.outcome_lines(), "witness p",
            f"qed by {', '.join(['pl', 'ph', 'il', 'ih', 'low', 'chosen', *self.labels])}"])  # fmt: skip
        if edge:
            self.at_edge(edge)

    def position(self) -> list[str]:
        """Lines that name the position p that the head sees: the last (or first) selected one, if there is one."""
        low, end, right, pair = self.low, self.end, self.selection.op == "right", self.spoken.pair
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
        """The positions that come before p in the head's order."""
        return f"p + 1..{self.end}" if self.selection.op == "right" else f"{self.low}..p - 1"

    def copying(self) -> list[str]:
        """Lines that prove what the head copies: the facts F0, F1, ..."""
        lines, last_seen = list[str](), self.end if self.selection.op == "right" else self.low
        for label, (name, copied_text) in zip(self.labels, self.copied.items(), strict=False):
            row = self.row(self.copies[name], "j")
            rule = f"sum_delta(j. {row}; {self.low}; {self.end}; {last_seen})" if self.every else f"heads(j. {row})"
            lines.append(f"{label}: {copied_text} by {rule}, {self.put(name)}_is(i), low, il, ih, pl, ph")
        return lines

    def value_lines(self) -> list[str]:
        """Lines that prove the value at p from what was copied: the facts Letter and Same0, Same1, ..."""
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
        """Lines that replace the coordinates in a term that the head writes by what it copies."""
        labels = zip(self.labels, self.copies, strict=False)
        return [f"rewrite {label}" for label, name in labels if f"{self.put(name)}(i)" in term]

    def outcome_lines(self) -> list[str]:
        """Lines that prove `outcome`: p is selected, and the line is its value; or no position is, and the line is the
        default."""
        pair, low, end = self.spoken.pair, self.low, self.end
        there, here, at_j = (pair(self.selector, "i", at) for at in "kpj")
        known = ["test", "yes", *["Letter"][: bool(self.letters)], *(f"Same{k}" for k in range(len(self.read)))]
        return [f"chosen: {self.outcome}", "  cases yes, no from how", "    - left",
                *(f"      {text}" for text in _told("here", here, "p", "yes, pl, ph")),
                f"      behind: all k in {self.beyond}. ~({there})", "        given k (kl kh)",
                f"        zero: I[{there}] = 0 by yes, kl, kh",
                *(f"        {text}" for text in _told("fails", f"~({there})", "k", "zero, kl, kh, pl, ph")),
                f"      value: {self.name}(i) = {self.spoken.value(self.value, 'p')} "
                "by sel(p), here, behind, low, il, ih, pl, ph", "      rewrite value",
                f"      qed by {', '.join(known)}", "    - right",
                f"      never: all j in {low}..{end}. ~({at_j})", "        given j (jl jh)",
                f"        zero: I[{at_j}] = 0 by no, jl, jh",
                *(f"        {text}" for text in _told("fails", f"~({at_j})", "j", "zero, jl, jh")),
                f"      value: {self.name}(i) = {self.spoken.value(self.default)} by none, never",
                "      qed by test, no, value, pl, ph"]  # fmt: skip

    def at_edge(self, edge: Edge) -> None:
        """Add the fact E<line>: where the head sees nothing, it writes 0, and the line is the default."""
        edge_facts = [f"{self.name}({edge.at}) = {self.spoken.value(self.default, edge.at)}"]
        edge_facts += [f"{self.put(name)}({edge.at}) = 0" for name in self.copies]
        inner = [f"{label}: {zero} by {self.put(name)}_is({edge.at}), some"
                 for label, name, zero in zip(self.labels, self.copies, edge_facts[1:], strict=False)]  # fmt: skip
        bit = [f"bit({self.put(self.meeting)}({edge.at}))"] if self.equality else []
        self.facts.add(f"E{self.number}", " & ".join([*edge_facts, *bit]), [
            f"take (sel none) from {self.name}_is({edge.at}) by some", *inner, *self.meets(edge.at),
            f"value: {edge_facts[0]} by none", f"qed by {', '.join(['value', *self.labels])}"])  # fmt: skip

    # The facts C and M

    @property
    def outcome(self) -> str:
        """The formula that the test is 1 and the line is the value found, or it is 0 and the line is the default."""
        tests = [f"{read_back.left.replace('X', f'{self.name}(i)')} = {read_back.found}" for read_back in self.read]
        tests += [f"({self.letters.replace('X', f'{self.name}(i)')})"] * bool(self.letters)
        yes = " & ".join([f"{self.test} = 1", *tests])
        return f"({yes}) | ({self.test} = 0 & {self.name}(i) = {self.spoken.value(self.default)})"

    def chosen_or_not(self) -> None:
        """Add the facts C<line>: the line is the value found if the test is 1, else the default. For symbols, M<line>
        says which symbols the line may be."""
        # The test alone may be 1 where the head sees nothing; then a factor says whether it sees something.
        facts, name, edge = self.facts, self.name, self.edge
        factors = [self.test] * (not self.every)
        sees = edge is not None and (self.equality or any(case.there is True for case in self.selection.cases))
        if edge and sees:
            factors.append(f"{self.put(edge.name)}(i)" if edge.there else f"(1 - {self.put(edge.name)}(i))")
        test = "*".join(factors)
        # `yes`, `no` and `at_edge` are the lines of the three cases (see `found_or_not`).
        for k, read_back in enumerate(self.read):
            left, default = (read_back.left.replace("X", at) for at in (f"{name}(i)", self.spoken.value(self.default)))
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
            yes = in_cases(labels, "Letter", "il", [[f"qed by {was_letter}"] for was_letter in labels])
            no, at_edge = (in_cases(was, fact.at(place), by, [[f"qed by value, {was_letter}"] for was_letter in was])
                           if fact else ["qed by value"]
                           for place, by in (("i", "il, ih"), (edge.at if edge else "", "some")))  # fmt: skip
            text = " | ".join(f"{name}(i) = {code}" for code in facts.codes(self.number))
            facts.each(f"M{self.number}", text, self.found_or_not(yes, no, at_edge, sees=False))

    def found_or_not(self, yes: Sequence[str], no: Sequence[str], at_edge: Sequence[str], sees: bool) -> list[str]:
        """Lines with three cases: the position found is selected (`yes`), none is (`no`), the head sees nothing
        (`at_edge`). With `sees`, the coordinate that tells whether it sees something is replaced by its value."""
        edge = self.edge
        labels_found = [*(f"Got{k}" for k in range(len(self.read))), *["Letter"] * bool(self.letters)]
        groups = f"(yes {' '.join(labels_found)})" if labels_found else "yes"
        see = [*self.sees(edge, "i", edge.there, "more, il, ih")] if edge and sees else []
        main = [self.obtained, *see, f"cases {groups}, (no value) from how", *as_block(yes), *as_block(no)]
        if edge is None:
            return main
        see = [*self.sees(edge, edge.at, 1 - edge.there, "some")] if sees else []
        first = [f"first: i = {edge.at} by less, {edge.told}", "rewrite first", *see,
                 f"take (value {' '.join(self.labels)}) from E{self.number} by some", *at_edge]  # fmt: skip
        return [f"cases more, less: {edge.more}", *as_block(main), *as_block(first)]

    def sees(self, edge: Edge, at: str, there: int, by: str) -> tuple[str, str]:
        """Lines that replace the coordinate of an edge by its value `there` at a position."""
        bit = self.put(edge.name)
        return f"Sees: {bit}({at}) = {there} by {bit}_is({at}), {by}", "rewrite Sees"

    @property
    def test(self) -> str:
        """The term that is 1 if the position found is selected, else 0, by coordinates at i."""
        if self.every:
            return "1"
        total = f"({self.terms('i')})"
        return f"{total}*{self.put(self.meeting)}(i)" if self.equality else total

    def terms(self, at: str) -> str:
        """The term that is 1 if the conditions on a position hold, else 0. With `at` "i" it is about the position
        found, by what the head copied from there; else about the position `at` itself."""
        parts = list[str]()
        for case in self.selection.cases:
            if case.there is True:
                parts.append(self.plain)
            elif case.there is not False:
                source = self.compiled.hold(case.there)
                copy = self.copy_of(source) if at == "i" else (f"{self.put(source)}({at})", "")
                if copy is None:
                    raise Undecided(f"no proof is made where a bit is left out: {self.compiled.meanings[source]}")
                parts.append(f"{self.facts.held_here(case.here)}*{copy[0]}")
        return " + ".join(parts) or "0"

    @property
    def conditioned(self) -> bool:
        """Whether a selection by an equality of numbers has a further condition."""
        return any(case.there is not True for case in self.selection.cases)

    @property
    def plain(self) -> str:
        """The term that is 1 if the case at i selects all positions, else 0."""
        unconditional = (case.here for case in self.selection.cases if case.there is True)
        here = next(unconditional, None)
        return "0" if here is None else "1" if here == self.compiled.every else self.facts.held_here(here)

    @property
    def score(self) -> str:
        """The score of position j in the head."""
        return present(self.facts.score_of(next(iter(self.copies)), "j", ("leftmost", "rightmost")))

    @property
    def top(self) -> str:
        """The score of a selected position: 1 for its conditions, less 1 if the case at i selects all positions, and
        the square of the sought number for an equality."""
        y, c = (self.sought, self.constant) if self.equality else ("0", 0)
        return f"1 - {self.plain} + ({y} - ({c}))^2" if self.equality else f"1 - {self.plain}"

    def tells(self) -> list[str]:
        """Lines that prove whether a position is selected, that a selected one has the score `top` (line `picked`), and
        that the others have lower scores (line `others`)."""
        # Without an equality, the fact K<line> says whether j is selected.
        selector, label = self.spoken.pair(self.selector), f"K{self.number}"
        if not self.equality:
            said = f"I[{selector}] = {self.terms('j')}"
            self.facts.selects(label, self.selector, said, self.selection.cases)
        if self.every:
            return []
        score, top, every = self.score, self.top, f"all j in {self.low}..{self.end}."
        given, picked = "  given j (jl jh) is", f"picked: {every} I[{selector}] = 1 -> {score} = {top}"
        others = f"others: {every} I[{selector}] = 0 -> {score} < {top}"
        if not self.equality:
            by = f"{label}(i; j), jl, jh, il, ih, low, is"
            return [picked, given, f"  qed by {by}", others, given, f"  qed by {by}"]
        # With an equality, `equal` proves the line `tells`, which has both.
        told = "  cases yes, no from tells(j) by jl, jh"
        return [*self.equal(f"{score} = {top}", f"{score} < {top}"),
                picked, given, told, "    - qed by yes", "    - qed by no, is",
                others, given, told, "    - qed by yes, is", "    - qed by no"]  # fmt: skip

    def equal(self, level: str, below: str) -> list[str]:
        """Lines for `tells` if a number at j must be equal to one at i. `level` says that j has the top score, `below`
        that its score is lower."""
        # With the number x at j, y at i and the constant c of the key, the score is terms - plain + (y - c)^2
        # - (x - y)^2 (`total`): whole numbers that differ cost 1 at least, which is all that `terms` can give.
        equality, (key, query), label = present(self.equality), self.keys, f"K{self.number}"
        y, c = self.sought, self.constant
        x, every, score = self.spoken.value(key, "j"), f"all j in {self.low}..{self.end}.", self.score
        far, terms, meets_at_j = f"1 <= ({x} - {y})^2", f"({self.terms('j')})", self.meets_at("j")
        asked, keyed = (
            self.row(self.compiled.linear(side), at) for side, at in ((equality.query, "i"), (equality.key, "j"))
        )
        # The facts that are used: the square of the key, the values of query and key, and K<line> about the conditions.
        square, of_query, of_key = KeySquare(self.facts, key, equality), *map(self.facts.row_is, (query, key))
        squares = self.row(square.linear, "j")
        unit = [self.facts.holds("one").at()] if "one" in self.facts.run else []
        total = f"{score} + {self.plain} = {terms} + 2*(({asked}) - ({c}))*({keyed} - ({c})) - ({squares})"
        condition = self.spoken.pair(self.selector, told={equality.line: True})
        said = f"(({condition}) & {terms} = 1) | (~({condition}) & {terms} = 0)"
        self.facts.selects(label, self.selector, said, self.selection.cases, [equality.line])
        chosen = f"  cases yes, no from {label}(i; j) by jl, jh, il, ih, low"
        selector = self.spoken.pair(self.selector)
        # The score by `total`; whether the conditions hold (`fits`, `misses`); then the cases selected, key not equal,
        # and conditions not met (`tells`).
        return [f"asked: {asked} = {y} by {of_query.at()}, low, ih",
                f"total: {every} {score} + {self.plain} = {terms} + ({y} - ({c}))^2 - ({x} - {y})^2",
                "  given j (jl jh)", f"  parts: {total} by {', '.join([*unit, 'low', 'ih'])}",
                f"  one_key: {keyed} - ({c}) = {x} - ({c}) by {of_key.at('j')}, jl, jh, il, ih",
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
                *_product(f"{terms}*{meets_at_j} = 1", "same", *["fit"][: self.conditioned]),
                "      qed by holds, product, total(j), fit, level, jl, jh",
                f"    - cases so, off: {condition}",
                f"        - apart: ~({x} = {y}) by not_so, so", f"          far: {far} by apart",
                f"          same: {meets_at_j} = 0 by apart", "          take fit from fits(j) by so, jl, jh",
                "          right", *(f"    {one}" for one in _product(f"{terms}*{meets_at_j} = 0", "same")),
                "          qed by not_so, product, total(j), fit, far, jl, jh",
                "        - take gone from misses(j) by off, jl, jh", f"          near_or_far: 0 <= ({x} - {y})^2",
                "          right", *(f"    {one}" for one in _product(f"{terms}*{meets_at_j} = 0", "gone")),
                "          qed by not_so, product, total(j), gone, near_or_far, jl, jh"]  # fmt: skip

    # An equality of numbers

    @property
    def keys(self) -> tuple[int, int]:
        """The lines that are compared: key and query."""
        key, query = self.facts.program.lines[present(self.equality).line].reads
        return key, query

    @property
    def sought(self) -> str:
        """The number that the head looks for at i: the query."""
        return self.spoken.value(self.keys[1])

    @property
    def constant(self) -> object:
        """The constant of the key."""
        return self.compiled.linear(present(self.equality).key).get("", 0)

    @property
    def found_key(self) -> str:
        """The coordinate with the key at the position found."""
        return next(name for name in self.copies if name.startswith("key"))

    @cached_property
    def meeting(self) -> str:
        """The coordinate that tells whether the key at the position found is equal to the number sought."""
        keys = [name for name in self.copies if name.startswith("key")]
        for name, (_, number) in self.compiled.compared.items():
            if any(atom.name in keys for atom in number.atoms):
                return name
        raise Undecided(f"no proof is made where a bit is left out: {present(self.equality).shown}")

    def difference(self, x: str, at: str = "i") -> str:
        """The difference of the key x and the number sought, with the sign that the comparison gives it."""
        _, number = self.compiled.compared[self.meeting]
        factor = next(q for atom, q in number.atoms.items() if atom.name == self.found_key)
        if factor not in (1, -1):
            raise Undecided("no proof is made of a comparison of fractions")
        y = self.spoken.value(self.keys[1], at)
        return f"{x} - ({y})" if factor == 1 else f"({y}) - {x}"

    def meets_at(self, at: str) -> str:
        """The term that is 1 if the key at a position is the number sought, else 0."""
        return f"I[{self.difference(self.spoken.value(self.keys[0], at))} = 0]"

    def meets(self, at: str = "p") -> list[str]:
        """Lines for the facts `met`, which gives the value of the coordinate `meeting`, and `Met`, that it is a bit.

        They are about position i, with the key at p; with another `at`, about this position, where the head sees
        nothing and the key is the constant.
        """
        if not self.equality:
            return []
        op, number = self.compiled.compared[self.meeting]
        label, linear = f"Level{self.number}", self.compiled.linear(number)
        found_term = f"({self.put(self.found_key)}(i) + ({self.constant}))"
        self.facts.by_cases(label, f"{self.row(linear)} = {self.difference(found_term)}", held=True)
        key, known = self.labels[[*self.copies].index(self.found_key)], ["low", "ih"]
        x, at_i = self.spoken.value(self.keys[0], "p"), "i"
        if at == "p":
            known += [self.facts.row_is(self.keys[0]).at("p"), "pl", "ph"]
        else:
            x, at_i, known = str(self.constant), at, ["some"]
        row, of = self.row(linear, at_i), self.difference(x, at_i)
        return [f"level: {row} = {of} by {', '.join([key, f'{label}({at_i})', *known])}",
                f"take it from number_is_{op}({of}; {row}) by level",
                f"met: {self.put(self.meeting)}({at_i}) = I[{of} = 0] by it, {self.put(self.meeting)}_is({at_i}), "
                f"{', '.join(known)}", f"Met: bit({self.put(self.meeting)}({at_i})) by met"]  # fmt: skip

    # What was found

    def source(self, name: str) -> Atom:
        """The growing number that the head copies to a coordinate."""
        (copied,), value = self.copies[name], self.compiled.lines[self.value]
        return next(atom for atom in value.atoms if atom.name == copied)

    def zero_at(self, name: str, end: str, source: GrowingNumber) -> str:
        """The fact by which a number that was found is 0 at the end of the string from which it grows, since the head
        sees there this position alone, or none."""
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
        """The line that names the position p that was found."""
        where = "il, ih, more" if self.edge else "il, ih"
        return f"obtain p (pl ph how {' '.join(self.labels)}) from P{self.number}(i) by {where}"

    def where_found(
        self, names: Sequence[str], known: Sequence[str], lines: Sequence[str] = (), edge_lines: Sequence[str] = ()
    ) -> list[str]:
        """Lines that prove a goal about what the head has found.

        `names` are the coordinates in the goal, `known` the facts about position p, `lines` come before the last step;
        `edge_lines` come before it in the case in which the head sees nothing.
        """
        copies, edge = [*self.copies], self.edge
        hints = ", ".join([*(f"F{copies.index(name)}" for name in names), *known, "pl", "ph", "il", "ih"])
        main = [self.obtained, *lines, f"qed by {hints}"]
        if not edge:
            return main
        first = [f"first: i = {edge.at} by less, {edge.told}", "rewrite first", *edge_lines,
                 f"qed by E{self.number}, some"]  # fmt: skip
        return [f"cases more, less: {edge.more}", *as_block(main), *as_block(first)]


def _told(label: str, said: str, at: str, fact: str) -> list[str]:
    """Lines that prove `said` (a condition on a position, or its negation) from the `fact` about its truth as a
    number."""
    return [f"{label}: {said}", f"  cases holds, not_so from either({at}) by {fact}",
            f"    - qed by holds, {fact}", f"    - qed by not_so, {fact}"]  # fmt: skip


def _product(said: str, *labels: str) -> list[str]:
    """Lines that prove the value of a product from those of factors with these labels."""
    return [f"      product: {said}", *(f"        rewrite {label}" for label in labels), "        qed"]
