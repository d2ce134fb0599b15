"""Selections in the proofs of compiled S-RASP programs: what a head has found. Nothing here is trusted.

Fact P5 is about the head of line 5: there is a position whose values it copies; a test of these tells whether it is the
last one that is selected, or none is. E5 is what the head gives at the first position, where it sees nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from functools import partial

from symcook.compilers.numbers import Form, LinearFactors
from symcook.compilers.selection import Equality, Selection, SelectorCase
from symcook.errors import Undecided
from symcook.present import present
from symcook.programs.srasp import SraspLine
from symcook.proof.programpairs import SelectorPairs
from symcook.proof.programsaid import RANGES
from symcook.proof.programsquares import SquareFacts
from symcook.proof.programtext import as_block


class SelectionFacts(SquareFacts):
    """The facts about selections."""

    def nearest(self, number: int, line: SraspLine) -> None:
        """A selection: what its head has found, and what that says of the value."""
        kept, shown = self.compiled.selections[number], self.program.text(number)
        if len(kept) != 1 or kept[0].head is None:
            raise Undecided(f"no proof is made of a selection that compares indices: {shown}")
        (one,) = kept
        if len(one.equalities) > 1:
            raise Undecided(f"no proof is made of a selection by two equalities of numbers: {shown}")
        copies = {name: row for name, row in present(one.head).values.items() if self.there(name)}
        if not copies and not any(self.goals(number)):
            return  # nothing needs what the line says
        self.found(number, line, one, copies)
        for name in copies:
            if not name.startswith("key") and all(self._truthful(source) for source in copies[name]):
                self.by_head(number, one, copies, f"B_{name}", f"bit({self.put(name)}(i))")
        for equality in one.equalities:
            name = self.meeting(equality, copies)
            self.add(f"B_{name}", f"all i in 1..n. bit({self.put(name)}(i))", (), self.met_bit(number, one, copies))
        for label, said, truths in self.goals(number):
            self.by_head(number, one, copies, label, said, self.bits(*truths))

    def found(self, number: int, line: SraspLine, one: Selection, copies: Mapping[str, LinearFactors]) -> None:
        """The fact P<number>: there is a position p whose values the head copies; it is the last one that is selected,
        or none is."""
        selector, value, default = line.reads
        low, end = self.ends(one)
        name, copied = self.spoken.names[number], self.copied(copies)
        every = one.head is not None and one.head.score is None
        seen = end if one.op == "right" else low
        at = seen if every else "p"
        labels, inner = self.labels(copied), ["given i (il ih)", "low: 1 <= i by il"]
        for label, (source, said) in zip(labels, copied.items(), strict=True):
            row = self.row(copies[source], "j")
            rule = f"sum_delta(j. {row}; {low}; {end}; {seen})" if every else f"heads(j. {row})"
            said = said.replace("(p)", f"({at})")
            inner.append(
                f"{label}: {said} by {rule}, {self.put(source)}_is(i), low, il, ih{'' if every else ', pl, ph'}"
            )
        copying, inner = inner[2:], inner[:2]
        inner.append(f"take (sel none) from {name}_is(i) by low, ih")
        test, chosen = self.test(one, copies), self.chosen(number, one, copies, f"({seen})" if every else "p")
        if every:  # the last position is seen, or the first
            there = self.spoken.value(value, f"({seen})")
            read = self.facts_read(selector, there=seen)
            hints = ", ".join([f"sel({seen})", *dict.fromkeys(read), "il", "ih", "low"])
            inner += [*copying, f"value: {name}(i) = {there} by {hints}",
                      f"chosen: {chosen} by value"]  # fmt: skip
        else:
            beyond = f"p + 1..{end}" if one.op == "right" else f"{low}..p - 1"
            pair, told_by = partial(self.spoken.pair, selector), ", ".join(labels)
            met_by = "met, here" if one.equalities else f"picked(p), yes, pl, ph, {told_by}"
            missed_by = "met, fails" if one.equalities else f"zeros(p), no, pl, ph, {told_by}"
            lemma = "last_found" if one.op == "right" else "first_found"
            found = f"{lemma}({low}; {end}; j. I[{pair()}]; j. {self.score(copies)}; {self.top(one)})"
            told = f"({pair()} & I[{pair()}] = 1) | (~({pair()}) & I[{pair()}] = 0)"
            inner += [f"either: all j in {low}..{end}. {told}",
                      "  given j (jl jh)", f"  cases holds: {pair()}", "    - qed by holds", "    - qed by holds",
                      *self.scores(number, line, one, copies),
                      f"obtain p (pl ph how heads) from {found} by truths, picked, others, il, ih, low", *copying,
                      *self.meets(one, copies),
                      f"chosen: {chosen}", "  cases yes, no from how", "    - left",
                      *_told("here", pair("i", "p"), "p", "yes, pl, ph"),
                      f"      behind: all k in {beyond}. ~({pair('i', 'k')})", "        given k (kl kh)",
                      f"        zero: I[{pair('i', 'k')}] = 0 by yes, kl, kh",
                      *_told("fails", f"~({pair('i', 'k')})", "k", "zero, kl, kh, pl, ph", "  "),
                      f"      value: {name}(i) = {self.spoken.value(value, 'p')} by sel(p), here, behind, pl, ph",
                      *self.fitting(line, one, copies, test, met_by),
                      "      qed by test, value", "    - right",
                      f"      never: all j in {low}..{end}. ~({pair('i', 'j')})", "        given j (jl jh)",
                      f"        zero: I[{pair('i', 'j')}] = 0 by no, jl, jh",
                      *_told("fails", f"~({pair('i', 'j')})", "j", "zero, jl, jh", "  "),
                      f"      value: {name}(i) = {self.spoken.value(default)} by none, never",
                      *([f"      fails: ~({pair('i', 'p')}) by never(p), pl, ph"] if one.equalities else []),
                      *self.missing(line, one, copies, test, missed_by),
                      "      qed by test, value"]  # fmt: skip
        inner += [
            f"witness {at}",
            f"qed by {', '.join([*([] if every else ['pl', 'ph']), 'il', 'ih', 'low', 'chosen', *labels])}",
        ]
        edge = self.edge(one)
        parts = [f"{low} <= p", f"p <= {end}", f"({self.chosen(number, one, copies)})", *copied.values()]
        self.add(f"P{number}", f"all i in {edge.others if edge else '1..n'}. ex p:Int. {' & '.join(parts)}", (), inner)
        if edge:
            zero = [f"{self.put(source)}({edge.at}) = 0" for source in copies]
            inner = [f"take (sel none) from {name}_is({edge.at}) by some"]
            inner += [
                f"{label}: {said} by {self.put(source)}_is({edge.at}), some"
                for label, said, source in zip(labels, zero, copies, strict=True)
            ]
            value = f"{name}({edge.at}) = {self.spoken.value(default, edge.at)}"
            inner += [f"value: {value} by none", f"qed by {', '.join(['value', *labels])}"]
            self.add(f"E{number}", " & ".join([value, *zero]), (), inner)

    def fitting(
        self, line: SraspLine, one: Selection, copies: Mapping[str, LinearFactors], test: str, by: str
    ) -> list[str]:
        """Lines that show that the test of what was found succeeds."""
        if not self.conditioned(one):
            return [f"      test: {test} = 1 by {by}"]
        told = ", ".join(self.labels(copies))
        condition, total = self.condition(line, one), test.rpartition("*")[0]
        return [f"      so: {condition} by here", "      take fit from fits(p) by so, pl, ph",
                f"      is: {total} = 1 by fit, {told}", f"      test: {test} = 1 by is, {by}"]  # fmt: skip

    def missing(
        self, line: SraspLine, one: Selection, copies: Mapping[str, LinearFactors], test: str, by: str
    ) -> list[str]:
        """Lines that show that the test of what was found fails."""
        if not self.conditioned(one):
            return [f"      test: {test} = 0 by {by}"]
        told, (total, _, met) = ", ".join(self.labels(copies)), test.rpartition("*")
        (key, _), (y, _) = self.keys(one.equalities[0]), self.query(one.equalities[0])
        return [f"      test: {test} = 0", f"        cases so, off: {self.condition(line, one)}",
                f"          - apart: ~({self.spoken.value(key, 'p')} = {y}) by fails, so",
                f"            zero: {met} = 0 by met, apart", "            qed by zero",
                "          - take (gone none_here) from misses(p) by off, pl, ph",
                f"            zero: {total} = 0 by gone, {told}", "            qed by zero"]  # fmt: skip

    def condition(self, line: SraspLine, one: Selection, at: str = "p") -> str:
        """What a selector says of i and a position beside the equality of numbers."""
        (equality,) = one.equalities
        tied = equality.line
        return self.spoken.pair(line.reads[0], "i", at, {tied: True})

    def ends(self, one: Selection) -> tuple[str, str]:
        """The first and last position that a mask leaves."""
        low, high = RANGES[one.mask]
        return low.format(i="i"), high.format(i="i")

    def chosen(self, number: int, one: Selection, copies: Mapping[str, LinearFactors], at: str = "p") -> str:
        """Whether the test of what was found succeeds, and the value then and else."""
        _, value, default = self.program.lines[number].reads
        name, test = self.spoken.names[number], self.test(one, copies)
        return (f"({test} = 1 & {name}(i) = {self.spoken.value(value, at)}) | "
                f"({test} = 0 & {name}(i) = {self.spoken.value(default)})")  # fmt: skip

    def test(self, one: Selection, copies: Mapping[str, LinearFactors]) -> str:
        """What is 1 where the position that was found is selected, by coordinates at i, else 0."""
        if one.head is None or one.head.score is None:
            return "1"
        parts = [f"I[{self.truth(case.here)}]" for case in one.cases if case.there is True]
        for case in one.cases:
            if not isinstance(case.there, bool):
                source = self.compiled.hold(case.there)
                copied = (f"{self.put(name)}(i)" for name, row in copies.items() if list(row) == [source])
                found = next(copied, f"{self.put(source)}(p)")
                parts.append(f"{self.put(self.compiled.hold(self.compiled.node(case.here)))}(i)*{found}")
        total = f"({' + '.join(parts)})"
        if not one.equalities:
            return total
        met = f"{self.put(self.meeting(one.equalities[0], copies))}(i)"
        return f"{total}*{met}" if self.conditioned(one) else met

    def conditioned(self, one: Selection) -> bool:
        """Whether a selection by an equality of numbers looks at something else too."""
        return bool(one.equalities) and any(case.there is not True for case in one.cases)

    def terms(self, one: Selection) -> str:
        """What the truths that are looked for add to the score of j."""
        parts = [f"I[{self.truth(case.here)}]" for case in one.cases if case.there is True]
        for case in one.cases:
            if not isinstance(case.there, bool):
                here = self.put(self.compiled.hold(self.compiled.node(case.here)))
                parts.append(f"{here}(i)*{self.put(self.compiled.hold(case.there))}(j)")
        return " + ".join(parts) or "0"

    def meeting(self, equality: Equality, copies: Mapping[str, LinearFactors]) -> str:
        """The coordinate that says whether two numbers are equal, the key as it was found."""
        keys = [name for name in copies if name.startswith("key")]
        for name, (_, number) in self.compiled.compared.items():
            if any(atom.name in keys for atom in number.atoms):
                return name
        raise Undecided(f"no proof is made where a bit is left out: {equality.shown}")

    def copied(self, copies: Mapping[str, LinearFactors]) -> dict[str, str]:
        """What a head has copied from position p."""
        return {name: f"{self.put(name)}(i) = {self.row(row, 'p')}" for name, row in copies.items()}

    def score(self, copies: Mapping[str, LinearFactors]) -> str:
        """The score of position j in the head that copies these."""
        return present(self.score_of(next(iter(copies)), "j", ("leftmost", "rightmost")))

    def top(self, one: Selection) -> str:
        """The score of what is selected: less by 1 where the selector looks at nothing of j."""
        plain = [self.truth(case.here) for case in one.cases if case.there is True]
        parts = ["1" if not plain else f"1 - I[{plain[0]}]"]
        for equality in one.equalities:
            query, constant = self.query(equality)
            parts.append(f"({query} - ({constant}))^2")
        return " + ".join(parts)

    def query(self, equality: Equality) -> tuple[str, Fraction]:
        """What is looked for at i, and the constant of the key."""
        line = self.program.lines[equality.line]
        return self.spoken.value(line.reads[1]), self.compiled.linear(equality.key).get("", Fraction(0))

    def keys(self, equality: Equality) -> tuple[int, int]:
        """The lines of an equality: key and query."""
        line = self.program.lines[equality.line]
        return line.reads[0], line.reads[1]

    def scores(self, number: int, line: SraspLine, one: Selection, copies: Mapping[str, LinearFactors]) -> list[str]:
        """Lines that show the score of what is selected, `picked`, and that of all else to be below it, `others`."""
        selector, score, top = self.spoken.pair(line.reads[0]), self.score(copies), self.top(one)
        low, end = self.ends(one)
        lines = [f"truths: all j in {low}..{end}. bit(I[{selector}])"]
        if one.equalities:
            return [*lines, *self.equality(number, line, one, score, top)]
        every, label = f"all j in {low}..{end}. I[{selector}]", f"K{number}"
        said = f"(I[{selector}] = 1 & {score} = {top}) | (I[{selector}] = 0 & {score} = 0 & 0 < {top})"
        self.pairs(one.cases, line.reads[0]).show(label, said)
        told = ["  given j (jl jh) is", f"  cases yes, no from {label}(i; j) by jl, jh, il, ih, low"]
        return [*lines, f"picked: {every} = 1 -> {score} = {top}", *told, "    - qed by yes", "    - qed by no, is",
                f"zeros: {every} = 0 -> {score} = 0", *told, "    - qed by yes, is", "    - qed by no",
                f"others: {every} = 0 -> {score} < {top}", *told, "    - qed by yes, is",
                "    - qed by no"]  # fmt: skip

    def pairs(self, cases: Sequence[SelectorCase], selector: int, told: Collection[int] = ()) -> SelectorPairs:
        """What a selector says of two positions, but for these parts of it, with what its cases read of it."""
        pairs = SelectorPairs(self, self.selected(selector, "j", told))
        for case in cases:
            if case.there is True or not isinstance(case.there, bool):
                pairs.hold(case.here, "i")
            if not isinstance(case.there, bool):
                pairs.hold(case.there, "j")
        return pairs

    def equality(self, number: int, line: SraspLine, one: Selection, score: str, top: str) -> list[str]:
        """The same where a number at j must be one at i: the score is the square of that one less the square of the
        difference."""
        (equality,) = one.equalities
        low, end = self.ends(one)
        (key, query), (y, c) = self.keys(equality), self.query(equality)
        selector, x = self.spoken.pair(line.reads[0]), self.spoken.value(key, "j")
        row = {name: q for name, q in self.compiled.linear(equality.key).items() if name}
        asked, keyed = self.row(self.compiled.linear(equality.query)), self.row(row, "j")
        squares = self.squares(key, equality)
        hints = [f"{fact}(i)" for fact in self.known(query)] + self.coordinates(
            self.compiled.linear(equality.query), "i"
        )
        keys = [f"{fact}(j)" for fact in self.known(key)] + self.coordinates(row, "j")
        unit = [f"{self.holds('one')}(i)"] if "one" in self.run else []
        far, every = f"1 <= ({x} - {y})^2", f"all j in {low}..{end}."
        more = self.conditioned(one)
        terms = self.terms(one) if more else "1"
        found, rest = f"{terms} + ({y} - ({c}))^2", "I[0 = 0]"
        if more:
            plain = [self.truth(case.here) for case in one.cases if case.there is True]
            rest = f"I[{plain[0]}]" if plain else "0"
        total = f"{score} + {rest} = {terms} + 2*(({asked}) - ({c}))*({keyed}) - ({squares[0]})"
        lines = [f"asked: {asked} = {y} by {', '.join([*hints, 'low', 'ih'])}",
                 f"keyed: {every} {keyed} = {x} - ({c})", "  given j (jl jh)",
                 f"  qed by {', '.join([*keys, 'jl', 'jh', 'ih', 'il'])}",
                 f"total: {every} {score} + {rest} = {found} - ({x} - {y})^2", "  given j (jl jh)",
                 f"  parts: {total} by {', '.join([*unit, 'low', 'ih'])}",
                 f"  one_key: {keyed} = {x} - ({c}) by keyed, jl, jh",
                 f"  square: {squares[0]} = ({x} - ({c}))^2 by {squares[1]}(j), jl, jh, il, ih",
                 "  rewrite parts", "  rewrite asked", "  rewrite one_key", "  rewrite square", "  qed"]  # fmt: skip
        picked = f"picked: {every} I[{selector}] = 1 -> {score} = {top}"
        others = f"others: {every} I[{selector}] = 0 -> {score} < {top}"
        if not more:
            return [*lines, picked, "  given j (jl jh) is",
                    "  cases level, apart from either(j) by jl, jh", "    - qed by total(j), level, jl, jh",
                    "    - qed by apart, is", others, "  given j (jl jh) is",
                    "  cases level, apart from either(j) by jl, jh", "    - qed by level, is",
                    f"    - far: {far} by apart", "      qed by total(j), far, jl, jh"]  # fmt: skip
        condition, label = self.condition(line, one, "j"), f"K{number}"
        pairs = self.pairs(one.cases, line.reads[0], [one.equalities[0].line])
        pairs.show(label, f"(({condition}) & {terms} = 1) | (~({condition}) & {terms} = 0 & {rest} = 0)")
        told = f"  cases yes, no from {label}(i; j) by jl, jh, il, ih, low"
        return [*lines, f"fits: {every} ({condition}) -> {terms} = 1", "  given j (jl jh) so", told,
                "    - qed by yes", "    - qed by no, so",
                f"misses: {every} ~({condition}) -> {terms} = 0 & {rest} = 0", "  given j (jl jh) off", told,
                "    - qed by yes, off", "    - qed by no",
                picked, "  given j (jl jh) is", "  cases holds, not_so from either(j) by jl, jh",
                f"    - so: {condition} by holds", f"      level: {x} = {y} by holds",
                "      take fit from fits(j) by so, jl, jh", "      qed by total(j), fit, level, jl, jh",
                "    - qed by not_so, is",
                others, "  given j (jl jh) is", "  cases holds, not_so from either(j) by jl, jh",
                "    - qed by holds, is", f"    - cases so, off: {condition}",
                f"        - apart: ~({x} = {y}) by not_so, so", f"          far: {far} by apart",
                "          take fit from fits(j) by so, jl, jh", "          qed by total(j), fit, far, jl, jh",
                "        - take (gone none_here) from misses(j) by off, jl, jh",
                f"          near_or_far: 0 <= ({x} - {y})^2",
                "          qed by total(j), gone, none_here, near_or_far, jl, jh"]  # fmt: skip

    def selected(self, selector: int, at: str = "p", told: Collection[int] = ()) -> list[tuple[int, str]]:
        """The lines that a selector reads, each with the position at which it does, but for these parts of it."""
        line = self.program.lines[selector]
        if selector in told:
            return []
        if line.op == "select":
            return [(line.reads[0], at), (line.reads[1], "i")]
        if line.op in ("key", "query"):
            return [(line.reads[0], at if line.op == "key" else "i")]
        return [one for part in line.reads for one in self.selected(part, at, told)]

    def facts_read(self, selector: int, at: str = "", there: str = "j") -> list[str]:
        """The facts about what a selector compares, each at its own position, i or `there`, or `at` one."""
        found = list[str]()
        for read, own in self.selected(selector, there):
            letters = self.members(read) if self.program.types[read] == "letter" else []
            found += [f"{fact}({at or own})" for fact in (*letters, *self.known(read))]
        return [*dict.fromkeys(found)]

    def met_bit(self, number: int, one: Selection, copies: Mapping[str, LinearFactors]) -> list[str]:
        """Lines that show that a comparison of what was found is a bit, also where there is nothing to be found."""
        lines = ["given i (il ih)", "low: 1 <= i by il"]
        edge = self.edge(one)
        labels = " ".join(self.labels(copies))
        main = [f"obtain p (pl ph how {labels}) from P{number}(i) by il, ih" + (", more" * bool(edge)),
                "cases yes, no from how", "  - qed by yes", "  - qed by no"]  # fmt: skip
        if self.conditioned(one):
            main = [main[0], *self.meets(one, copies), "qed by met"]
        if not edge:
            return [*lines, *main]
        found = next(name for name in copies if name.startswith("key"))
        put = self.put(found)
        first = [f"first: i = {edge.at} by less, {edge.told}", f"none: {put}(i) = 0 by {put}_is(i), first, il, ih",
                 *self.meets(one, copies, edge.at), "qed by met"]  # fmt: skip
        return [*lines, f"cases more, less: {edge.more}", *as_block(main), *as_block(first)]

    def by_head(self, number: int, one: Selection, copies: Mapping[str, LinearFactors], label: str, said: str,
                bits: Sequence[str] = ()) -> None:  # fmt: skip
        """A fact about what a head has found, at every position."""
        line, copied = self.program.lines[number], self.copied(copies)
        _, value, default = line.reads
        names, letter = [*copies], label.partition("_")[2] if label[0] == "L" else ""
        asked = [one for one in names if one in bits or label == f"B_{one}"]
        truths = self.compiled.lines[value]
        pieces = self.compiled.pieces(truths)[1:] if isinstance(truths, Form) else []
        truths = (
            [one for _, one in pieces]
            if isinstance(truths, Form)
            else truths.values()
            if isinstance(truths, dict)
            else [truths]
        )
        read = {self.compiled.hold(self.compiled.node(truth)) for truth in truths}
        facts, here, same = list[str](), list[str](), self.spelled_out(value, letter)
        for name in asked:
            if label[0] == "B" or read & {*copies[name]}:
                held = same or [f"{self.holds(source)}(p)" for source in copies[name] if self._truthful(source)]
                facts += [f"F{names.index(name)}", *held]
        gated = self.gated(number) if label == f"L{number}" else []
        if gated:
            chosen = [self.compiled.gates[name].truth for name in self.gates(number)]
            bits = [*dict.fromkeys([*bits, *self.bits(*chosen)])]
            sources = [source for row in copies.values() for source in row if self._truthful(source)]
            facts += [*self.labels(copies), *(f"{self.holds(source)}(p)" for source in sources)]
            facts += [f"{fact}(i)" for fact in gated]
        if label[0] != "B":
            here = [
                self.compiled.hold(self.compiled.node(case.here))
                for case in one.cases
                if not isinstance(case.there, bool)
            ]
            facts += [f"{self.bit(name)}(i)" for name in asked]
            find = self.members if label[0] == "M" else lambda k: self.known(k, letter)
            facts += [f"{fact}(p)" for fact in (() if same else find(value))] + [f"{fact}(i)" for fact in find(default)]
        facts += [f"{self.bit(name)}(i)" for name in bits if name not in copies]
        edge = self.edge(one)
        later = [f"{edge.name}_is(i)"] if edge and edge.name in bits else []
        ground = [*dict.fromkeys([*facts, *later])]
        taken = [one for one in ground if "(" in one]
        ends = [
            *(one for one in ground if "(" not in one),
            *(f"T{k}" for k in range(len(taken))),
            "pl",
            "ph",
            "il",
            "ih",
            "low",
        ]
        hints = ", ".join(ends)
        labels = " ".join(self.labels(copied))
        main = [f"obtain p (pl ph how {labels}) from P{number}(i) by il, ih" + ", more" * bool(edge)]
        main += [f"take T{k} from {fact} by pl, ph, il, ih" for k, fact in enumerate(taken)] if label[0] != "M" else []
        if label[0] == "B":
            main += [f"qed by {hints}"]
        elif label[0] == "M":
            main += [
                "cases yes, no from how",
                *as_block(self.letters(value, "p", "yes")),
                *as_block(self.letters(default, "i", "no")),
            ]
        else:
            main += [
                "cases yes, no from how",
                *as_block(self.lettered(said, ["yes", *ends], here)),
                *as_block(self.lettered(said, ["no", *ends], here)),
            ]
        inner = ["low: 1 <= i by il"]
        if edge:
            first = [f"E{number}", "some", *([f"{edge.name}_is({edge.at})"] if later else [])]
            first += [f"{fact}({edge.at})" for fact in (*self.known(default), *gated)]
            at_first = [f"first: i = {edge.at} by less, {edge.told}", "rewrite first"]
            if "w(i)" in said and len(self.program.alphabet) > 1:
                at_first += self.by_letters(lambda k: [f"qed by {', '.join([f'W{k}', *first])}"], edge.at, "some")
            else:
                at_first.append(f"qed by {', '.join(first)}")
            inner += [f"cases more, less: {edge.more}", *as_block(main), *as_block(at_first)]
        else:
            inner += main
        self.each(label, said, inner)

    def spelled_out(self, number: int, code: str) -> list[str]:
        """The fact, at p, that a coordinate of a network holds whether a letter is the one of this number."""
        letters = self.compiled.lines[number]
        if not code or not isinstance(letters, dict) or f"L{number}_{code}" not in self.done:
            return []
        truth = next(one for letter, one in letters.items() if str(self.spoken.codes[letter]) == code)
        name = self.compiled.hold(self.compiled.node(truth))
        node = self.held.get(name)
        if name in self.compiled.sets or not isinstance(node, tuple) or node[1:] == (False, True):
            return []
        self.each(f"A_{name}", f"{self.put(name)}(i) = I[{self.spoken.value(number)} = {code}]", [
            f"take held from {self.holds(name)}(i) by il, ih", f"take told from L{number}_{code}(i) by il, ih",
            "rewrite held", "rewrite told", "qed"])  # fmt: skip
        return [f"A_{name}(p)"]

    def meets(self, one: Selection, copies: Mapping[str, LinearFactors], at: str = "p") -> list[str]:
        """The fact `met` what the coordinate says that compares the key, as it was found, with what is asked; at the
        first position, with no other before it, what it says is a bit."""
        if not one.equalities:
            return []
        (equality,) = one.equalities
        (key, query), (y, c) = self.keys(equality), self.query(equality)
        name = self.meeting(equality, copies)
        found = next(one for one in copies if one.startswith("key"))
        op, number = self.compiled.compared[name]
        factor = next(q for atom, q in number.atoms.items() if atom.name == found)
        if factor not in (1, -1):
            raise Undecided("no proof is made of a comparison of fractions")
        x = self.spoken.value(key, "p") if at == "p" else str(c)
        of = f"{x} - ({y})" if factor == 1 else f"({y}) - {x}"
        row = self.compiled.linear(number)
        hints = [
            f"F{[*copies].index(found)}" if at == "p" else "none",
            *(f"{fact}(i)" for fact in self.known(query)),
            *self.coordinates(row, "i"),
        ]
        if at == "p":
            key_row = {one: q for one, q in self.compiled.linear(equality.key).items() if one}
            hints += [*(f"{fact}(p)" for fact in self.known(key)), *self.coordinates(key_row, "p"), "pl", "ph"]
        return [f"level: {self.row(row)} = {of} by {', '.join([*hints, 'low', 'ih'])}",
                f"take it from number_is_{op}({of}; {self.row(row)}) by level",
                f"met: {self.put(name)}(i) = I[{of} = 0] by it, {self.put(name)}_is(i), low, ih"]  # fmt: skip


def _told(label: str, said: str, at: str, fact: str, more: str = "") -> list[str]:
    """A condition on a position, or that it fails, by what its truth is."""
    return [f"{more}      {label}: {said}", f"{more}        cases holds, not_so from either({at}) by {fact}",
            f"{more}          - qed by holds, {fact}", f"{more}          - qed by not_so, {fact}"]  # fmt: skip
