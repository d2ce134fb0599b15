"""Certificates for closed forms: a text is generated, a line a coordinate in the order of the run, and elaborated.

The domain that finds the forms (`symcook.domains.lengths`) is not trusted: each form becomes a part of a sentence about
the model, as `symcook prove MODEL --statement` takes it, and is kept only where the checker accepts its proof. Of each
line several versions are tried, by what the coordinate's equation is made of: a mean, a network, a sum of powers of -1,
a single position.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpq

from symcook.alarm import Until
from symcook.closed import Coordinate, EveryLength, none_of, premises, verdict, word_verdict
from symcook.domains.field import polynomial_of
from symcook.domains.lengths import Lengths
from symcook.domains.spelling import in_brackets
from symcook.domains.tables import CellTable
from symcook.errors import BadInput, Rejected, SymcookError
from symcook.model import modelfile
from symcook.model.symbols import exact
from symcook.proof import own, replay, runrel
from symcook.proof.definitions import EmbeddingRow, HeadRow, MeanRow
from symcook.proof.formcircle import CircleText, angle_of
from symcook.proof.formclaims import FormClaim, FormsProof, StatementSpelling, at_each, conjuncts, equation
from symcook.proof.formgaps import SumText, nearest
from symcook.proof.formlookup import CountLookup
from symcook.proof.formparity import ParityText
from symcook.proof.formplaces import PlaceText
from symcook.proof.grammar import leading_names
from symcook.proof.limits import OutOfTime, limited
from symcook.proof.ownfacts import parts
from symcook.proof.ownnames import ModelMeaning
from symcook.proof.ownruns import Runs
from symcook.proof.runvalues import Combination
from symcook.proof.search import elaborate, equations, prooftext
from symcook.proof.search.prooftext import BadProof
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.terms import flatten

LINES = 5 / 6
"""The part of the time that there is for lines that must follow."""
SECONDS = 15.0
"""The time for one version of a line."""
SOON = 0.2
"""The time for all versions of the line of what the readout looks at, before the forms that it reads have lines."""
OVER, UNPROVED = "the time is over", "it rests on forms that are not proved"
"""Why a form is not proved, where it is not that no version of its line follows."""
LITTLE = 0.25
"""Where all that the readout rests on was proved in so many seconds, what nothing rests on is tried for as long."""


def prove(found: EveryLength, seconds: float = 60.0) -> FormsProof:
    """The proof of the closed forms of a model whose symbols have values; what is not proved in the time is named."""
    return _FormText(found, seconds).proof()


class _FormText:
    """One text, line by line."""

    def __init__(self, found: EveryLength, seconds: float) -> None:
        self.found, self.model = found, found.model
        self.document = modelfile.to_document(found.model)
        self.symbols = bool(found.model.parameters)
        self.meaning = ModelMeaning(self.document, own.definitions(), self.symbols)
        relation = self.meaning.relation
        self.definitions = relation.whole.of
        self.equations = {name: one.text for name, one in self.definitions.items()}
        self.low, self.high = relation.low, relation.high
        self.until, self.end_of_lines = Until(seconds / 2, LINES), Until(seconds * LINES, LINES)
        self.end_of_all = Until(seconds)
        self.lines: list[str] = []
        self.labels: dict[str, str] = {}
        self.lemma: str | None = None
        self.count_k = self.cleared = self.looking = False
        self.circle: Sequence[str] = ()
        """What is known of a root where values are points of a circle."""
        self.parity: ParityText | None = None
        """Where the model is that of PARITY: its own lines, once those at their beginning have been proved."""

    def spelled(self, domain: Lengths) -> StatementSpelling:
        return StatementSpelling(domain, self.low, self.high, self.meaning.tokens)

    # --- What is claimed ------------------------------------------------------------------------------------------

    def claims(self) -> tuple[list[FormClaim], list[FormClaim], list[Coordinate]]:
        """The forms on the way, at every position, those where the readout looks, and the coordinates that nothing
        rests on, behind the last attention."""
        way, behind = list[FormClaim](), list[Coordinate]()
        spelling = self.spelled(self.found.each.domain)
        last = self.last_attention() if not self.model.readout.everywhere else None
        self.tables: dict[str, Any] = {}
        for one in self.found.each.coordinates:
            function, _ = self.function(one)
            self.tables[function] = one.column
            if one.part == "embedding":
                continue
            if last is not None and (one.layer, one.part) >= last:
                behind.append(one)
            elif isinstance(one.column, CellTable):
                way.append(self.claim(one, spelling))
        self.generic = spelling
        return way, self.ends(), behind

    def claim(self, one: Coordinate, spelling: StatementSpelling) -> FormClaim:
        """The form of a coordinate that has one at every position."""
        if not isinstance(one.column, CellTable):
            raise RuntimeError(f"{one.name} has no form at every position")
        function, said = self.function(one)
        made = [self.cells(spelling, one.column, f"{f}(i)") for f in (said, function)]
        return FormClaim(one.name, function, *(f"all i in {self.low}..{self.high}. {text}" for text in made))

    def last_attention(self) -> tuple[int, str]:
        found = [(s.layer, s.kind) for s in self.model.sublayers if s.kind == "attention"]
        return max(found, default=(0, ""))

    def function(self, one: Coordinate) -> tuple[str, str]:
        """The function of the statement that a coordinate is after a part of a layer, and how a sentence says it."""
        stage = {"embedding": "@0", "attention": f"@{one.layer}.attention"}.get(one.part, f"@{one.layer}")
        stages = self.meaning.stages(one.name)
        return stages[stage] or "", f'"{one.name}"{stage}'

    def cells(self, spelling: StatementSpelling, table: CellTable, head: str) -> str:
        """What a function is at i, a case for each value that is not 0; 0 elsewhere."""
        parts = []
        for cell in table.cells:
            guard = " & ".join(in_brackets(g) for g in spelling.guard(table.world.shortened(cell.guard)))
            value = f"{head} = {spelling.value(cell.value)}"
            parts.append(spelling.quantified(f"({guard} -> {value})" if guard else value))
        return " & ".join(parts)

    def ends(self) -> list[FormClaim]:
        """The coordinates that the readout reads, and its verdict, case by case."""
        readout, relation = self.model.readout, self.meaning.relation
        spelling = self.ended = self.spelled(self.found.domain)
        place = "i" if readout.everywhere else self.low if readout.first else self.high
        tests = [" & ".join(in_brackets(g) for g in spelling.guard(guard)) for guard, _ in self.found.cells]

        def claim(coordinate: str, function: str, said: Sequence[Sequence[str]]) -> FormClaim:
            """What is said of each case in the names of a user and of the statement; nothing of one without words."""
            spoken = [(test, text) for test, text in zip(tests, said, strict=True) if text]
            parts = [[f"({test} -> {text[k]})" if test else text[k] for test, text in spoken] for k in (0, 1)]
            both = [" & ".join(dict.fromkeys(x)) for x in parts]
            if readout.everywhere:
                both = [f"all i in {self.low}..{self.high}. {x}" for x in both]
            return FormClaim(coordinate, function, *both)

        out = []
        for name in readout.reads:
            held = relation.held.get(self.meaning.names[name])
            column = self.found.reads.get(name)
            if held is None or not isinstance(column, CellTable):
                continue
            if readout.everywhere and isinstance(self.tables.get(held), CellTable):
                continue  # it is on the way
            values = [column.value_at(guard) for guard, _ in self.found.cells]
            heads = (f'"{name}"({place})', f"{held}({place})")
            said = [[equation(spelling, head, v, self.cleared) for head in heads] for v in values]
            out.append(claim(name, held, said))
        if readout.decides and (readout.each or not readout.everywhere):
            mine = relation.accept(place if readout.each else None)
            heads = (f"accept({place})" if readout.each else "accept", f"({mine})")
            said = []
            for guard, outputs in self.found.cells:
                accept, accepts = verdict(spelling, readout, guard, outputs)
                said.append(
                    tuple(h if accept else f"~{h}" if accept is False else f"({h} <-> {accepts})" for h in heads)
                )
            out.append(claim("verdict", "", said))
        labels = [form.label for form in self.found.forms]
        if readout.labelled and readout.answers and any(label is not None for label in labels):
            at = place if readout.each else None
            also = f", {place}" if readout.each else ""
            said = [() if x is None else (f'answer("{x}"{also})', f"({relation.answer(x, at)})") for x in labels]
            out.append(claim("answer", "", said))
        if readout.decides and readout.everywhere and not readout.each:
            accept, accepts = word_verdict(spelling, readout, self.found.cells)
            both = [h if accept else f"~{h}" if accept is False else f"({h} <-> {accepts})"
                    for h in ("accept", f"({relation.accept()})")]  # fmt: skip
            out.append(FormClaim("verdict", "", *both))
        return out

    # --- Lines ----------------------------------------------------------------------------------------------------

    def proof(self) -> FormsProof:
        began = time.process_time()
        try:
            way, ends, behind = self.claims()
            whole = FormsProof([*way, *ends])
            self.goal(whole)
            if not self.defined():  # quotients are spoken of that are not seen to be defined
                self.cleared = True
                way, ends, behind = self.claims()
                whole = FormsProof([*way, *ends])
                self.goal(whole)
            self.constants()
            for claim in way:
                self.along(claim)
            after = {self.function(one)[0]: one.column for one in behind}
            for claim in ends:
                rests = [after[f] for f in self.read(claim.function) if f in after] if claim.function else []
                if any(isinstance(column, CellTable) and len(column.cells) > 1 for column in rests):
                    claim.missing = UNPROVED  # as yet
                else:
                    self.end(claim, SOON if rests else SECONDS)
            missing = [claim for claim in ends if claim.missing is not None]
            again = bool(missing or time.process_time() - began < LITTLE) and self.more(whole, behind, bool(missing))
            for claim in missing if again else ():
                self.end(claim, SECONDS)
            self.finish(whole, again)
        except (BadInput, Rejected) as error:
            whole = FormsProof([], missing={"": str(error)})
        whole.seconds = time.process_time() - began
        whole.missing |= {c.coordinate: c.missing for c in whole.claims if c.missing is not None}
        return whole

    def more(self, whole: FormsProof, behind: list[Coordinate], rests: bool = False) -> bool:
        """Claim what follows soon of the forms behind the last attention, or in all the time that is left if something
        `rests` on them; whether there is any."""
        until = self.until
        if not rests:
            self.until = Until(min(until.left, LITTLE))
        claims = [self.claim(one, self.generic) for one in behind if isinstance(one.column, CellTable)]
        for claim in claims:
            self.along(claim)
        self.until = until
        found = [claim for claim in claims if claim.missing is None]
        whole.claims += found
        return bool(found)

    def goal(self, whole: FormsProof) -> None:
        self.whole = whole
        whole.given = " & ".join(premises(self.spelled(self.found.domain)))
        statement = own.claim(self.document, whole.sentence, self.symbols)
        self.statement = statement
        self.g = Goal(own.library(statement, own.citable()), statement.formula, {}, {})
        self.elaborator = elaborate.Elaborator()
        self.head = f"proof {statement.id}\n"
        self.lines, self.lemma, self.parity, self.sums = [], None, None, dict[str, bool]()
        self.count_k, self.looking, self.circle = False, False, ()
        labels = [*parts(statement).labels, *(["asked"] if whole.given else [])]
        missing = self.line(f"given .. {' '.join(labels)}", 60.0, True)
        if missing is not None:
            raise RuntimeError(f"the premises of a statement of forms cannot be assumed: {missing}")
        self.assumed, self.opened = dict(self.g.facts), len(self.g.nodes)
        taken = parts(statement)
        whole_run, each = "run" in taken.labels, equations.spread((equations.OWN,), taken.run)
        self.named = {f: "run" if whole_run else f"{f}_is" for f in self.equations}
        unnamed = [f for f, label in self.named.items() if label not in each]
        self.named |= {} if whole_run else zip(unnamed, (x for x in each if x not in self.named.values()), strict=False)
        self.labels = {f: self.equation(f) for f in self.equations}
        self.said = {self.equation(f): text for f, text in self.equations.items()}

    def defined(self) -> bool:
        """Whether everything in the statement is seen to be defined."""
        try:
            with limited(self.end_of_lines):
                own.defined_part(self.g.library, self.statement.defined)
        except (Rejected, Stuck, SymcookError):
            return False
        return True

    def inhabited(self, home: Any) -> list[dict[str, Any]]:
        """The hypotheses at a word; symbols have their defaults there."""
        if not self.symbols:
            return own.inhabited(home, self.statement, Runs(self.statement, self.document, self.end_of_all))
        values = {p.name: p.default if p.default is not None else exact(1) for p in self.model.parameters}
        document = modelfile.to_document(self.model.bind(values))
        fixed = {name: Fraction(int(x.p), int(x.q)) for name, x in values.items()}
        return own.inhabited(home, self.statement, Runs(self.statement, document, self.end_of_all, fixed))

    def line(self, text: str, seconds: float | None = None, late: bool = False) -> str | None:
        """Elaborate a line and those set in below it; why it does not follow, or None where it does."""
        block = "".join(f"  {one}\n" for one in text.split("\n"))
        seconds = SECONDS if seconds is None else seconds
        until = Until(seconds) if late else self.until
        if min(seconds, until.left) <= 0:
            return OVER
        try:
            parsed = prooftext.read(self.head + block).parts["proof"]
            with limited(until, seconds):
                for one in parsed:
                    self.elaborator.line(self.g, one)
        except (Rejected, Stuck, BadProof, OutOfTime, SymcookError) as error:
            return str(error)
        self.lines.append(text)
        return None

    def along(self, claim: FormClaim) -> None:
        """The line of a coordinate at every position."""
        label = f"{claim.function}_form"
        why = None
        for version in self.versions(claim):
            why = self.line(f"{label}: {version}")
            if why is None:
                self.labels[claim.function] = label
                self.said[label] = claim.formula
                return
        claim.missing = _stopped(claim, why)

    def constants(self) -> None:
        """The lines of coordinates that every letter begins with one value of."""
        for function, label in list(self.labels.items()):
            table = self.tables.get(function)
            if not isinstance(table, CellTable) or len(table.cells) != 1 or table.world.shortened(table.cells[0].guard):
                continue
            if self.tokens(function) and self.counts():
                said = f"all i in {self.low}..{self.high}. {self.cells(self.generic, table, f'{function}(i)')}"
                if self.line(f"{function}_form: {said} by {label}, one_each") is None:
                    self.labels[function], self.said[f"{function}_form"] = f"{function}_form", said

    def tokens(self, function: str) -> tuple[tuple[str, int], ...]:
        """The values that the embedding gives a function, and at which tokens."""
        row = self.definitions[function].row
        return row.tokens if isinstance(row, EmbeddingRow) else ()

    def term(self, function: str) -> str:
        """The label that says what a function is by one term, as a sum needs it."""
        table, label = self.tables.get(function), f"{function}_term"
        proved = self.labels[function].endswith("_form")
        if label not in self.said and proved and isinstance(table, CellTable) and len(table.cells) > 1:
            self.said[label] = term = self.generic.indicators(table.cells, "i")
            each = f"all i in {self.low}..{self.high}. {function}(i) = {term}"
            if self.line(f"{label}: {each} by {self.labels[function]}") is None:
                return label
        return self.labels[function]

    def known(self, function: str) -> list[str]:
        """Hints about the functions in the equation of another."""
        return [*dict.fromkeys(self.labels[f] for f in self.read(function))]

    def same_everywhere(self, label: str) -> bool:
        """Whether a label says that a function has one value at all positions."""
        _, is_, value = self.said.get(label, "").partition("(i) = ")
        return bool(is_) and re.search(r"\bi\b", value) is None

    def read(self, function: str) -> list[str]:
        """The functions in the equation of another."""
        read = {*self.definitions[function].reads()}
        return [f for f in self.definitions if f in read]

    def counts(self) -> str | None:
        """The line that all letters together are i, proved once."""
        if "counts" not in self.labels:
            letters = sorted({self.meaning.tokens[t] for t in self.meaning.tokens})
            one = " + ".join(f"I[w({{0}}) = {t}]" for t in letters)
            before, after = self.model.embedding.ends
            ends = [self.low for _ in before] + [self.high for _ in after]
            first = [f"one_each: all i in {self.low}..{self.high}. {one.format('i')} = 1", "  given i (low high)"]
            first += ["  " + x for x in at_each(ends)]
            size = "i" if self.low == "1" else "i + 1"
            parts = " + ".join(f"sum(l, {self.low}, i, I[w(l) = {t}])" for t in letters)
            counts = [f"counts: all i in {self.low}..{self.high}. {parts} = {size}", "  given i (low high)",
                      f"  qed by sum_ext(m. {one.format('m')}; m. 1; {self.low}; i)[one_each], sum_one"]  # fmt: skip
            self.labels["counts"] = ""
            if self.line("\n".join(first)) is None and self.line("\n".join(counts)) is None:
                self.labels["counts"] = "counts"
        return self.labels["counts"] or None

    def once(self, function: str, counted: bool) -> list[str]:
        """The lines that an added token, which the equation of a function asks for, stands in the word once (the one
        before it, up to each position); of all of them where the letters are `counted` together, the added ones too."""
        before, after = self.model.embedding.ends
        read, labels = {at for f in self.read(function) for _, at in self.tokens(f)}, list[str]()
        for at, token in [*((self.low, t) for t in before), *((self.high, t) for t in after)]:
            one, label = f"I[w(l) = {self.meaning.tokens[token]}]", f"once{self.meaning.tokens[token]}"
            if not counted and self.meaning.tokens[token] not in read:
                continue
            if label not in self.labels:
                apart = f"apart{label}: all l in {self.low}..{self.high}. l != {at} -> {one} = 0 by word"
                by = f"by sum_only(l. {one}; {self.low}; {self.high}; {at})[_, _, apart{label}], word, some"
                text = f"{label}: sum(l, {self.low}, {self.high}, {one}) = 1 {by}"
                if at == self.low:
                    text = "\n  ".join([
                        f"{label}: all i in {self.low}..{self.high}. sum(l, {self.low}, i, {one}) = 1",
                        "given i (low high)",
                        f"first: I[w({at}) = {self.meaning.tokens[token]}] = 1 by word",
                        f"rest: all l in {self.low}..i. l != {at} -> {one} = 0 by apart{label}, high",
                        f"qed by sum_only(l. {one}; {self.low}; i; {at})[_, _, rest], first, low",
                    ])  # fmt: skip
                self.labels[label] = label if self.line(apart) is None and self.line(text) is None else ""
            if self.labels[label]:
                labels.append(label)
        return labels

    def about_run(self) -> str | None:
        """The hint of a stored lemma about a run of these very weights, where there is one."""
        if self.lemma is None:
            self.lemma = ""
            own_names = {"n", "w", *self.meaning.symbols, *self.equations}
            for one in replay.statements().values():
                if not one.id.endswith("_run"):  # before its text, which is to be expanded
                    continue
                name = re.search(r"\brun\(([\w-]+)\)", one.text)
                if name is None or not name[1].startswith(self.model.name):
                    continue
                if runrel.Relation(runrel.stored_model(name[1])).run() != self.meaning.run:
                    continue
                first = itertools.takewhile(
                    lambda x: x != ".." and x not in self.equations, leading_names(one.expanded)
                )
                terms = []
                for x in first:
                    if x == "k" and (count := self.ones()):
                        terms.append(count)
                    elif x in own_names:
                        terms.append(x)
                    else:
                        break
                else:
                    counted = " by count_k" if self.count_k else ""
                    if (
                        self.line(
                            f"take known from {one.id.removeprefix('lem.')}({'; '.join([*terms, '..'])}){counted}"
                        )
                        is None
                    ):
                        self.lemma = "known"
                        if one.id == "lem.parity_run" and self.count_k:
                            lines = ParityText(self.generic.name("k:1"), self.lemma)
                            if all(self.line(text) is None for text in lines.begin()):
                                self.parity = lines
                        return self.lemma
        return self.lemma or None

    def ones(self) -> str | None:
        """The number of 1s as the library's lemmas sum it: over w itself."""
        if self.meaning.tokens.get("1") != 1 or self.low != "0":
            return None
        count = "sum(l, 0, n - 1, I[w(l) = 1])"
        self.count_k = self.line(f"count_k: {count} = sum(i, 1, n - 1, w(i)) by word_counts(n; w), some, word") is None
        return count if self.count_k else None

    def versions(self, claim: FormClaim) -> Iterator[str]:
        """Versions of the line of a claim, the likeliest first."""
        lemma = self.about_run()
        if self.parity is not None and claim.function in ("hit", "s"):
            if claim.function == "hit":
                yield self.parity.hit(claim.formula)
            elif all(self.line(text) is None for text in self.parity.cases(self.parts_of("s"))):
                yield f"{claim.formula} by {', '.join(f'case{k}' for k in range(len(self.found.cells)))}"
        if lemma is not None:
            yield f"{claim.formula} by {lemma}"
        yield from self.by_places(claim)
        yield from self.by_those_before(claim)
        yield from self.by_those_behind(claim)
        inside, known = claim.formula, self.known(claim.function)
        hints = list(dict.fromkeys([self.equation(claim.function), *known]))
        row = self.definitions[claim.function].row
        means = isinstance(row, HeadRow)
        if "sum(j," in inside:
            yield from self.by_terms(claim)
            terms = [self.term(f) for f in self.read(claim.function)]
            yield f"{inside} by {', '.join(dict.fromkeys([hints[0], *terms, 'sum_ext']))}"
        spread = not all(self.same_everywhere(label) for label in known)
        counts = self.counts() if means and spread and "sum(l," in inside else None
        if counts is not None:
            hints.append(counts)
        if means:
            hints += self.once(claim.function, counts is not None)
        signs = "pow(-1" in inside or any("pow(-1" in self.said.get(label, "") for label in known)
        if signs and isinstance(row, HeadRow) and (row.seen.low, row.seen.high) == ("i", "n") and self.tails():
            yield self.by_signs(inside, ", ".join([*hints, "tails(i)", "sum_ext"]))
        if signs:
            both = ", ".join([*hints, *(["sign_sum"] if means else [])])
            yield (
                f"{inside}\n  given i (low high)\n  cases even, odd from sign(i)\n"
                f"    - qed by {both}, even\n    - qed by {both}, odd"
            )
            ends = sorted({x for x in re.findall(r"(\d+) <= i\b", inside)}, key=int)
            if ends:
                lines = [f"{inside}", "given i (low high)", "cases even, odd from sign(i)", f"  - qed by {both}, even"]
                lines += [
                    f"  - cases at: i = {ends[0]}",
                    "      - rewrite at in odd as now",
                    f"        qed by {both}, now",
                    f"      - qed by {both}, odd, at",
                ]
                yield "\n  ".join(lines)
        sums = ["sum_one"] if means else []
        yield f"{inside} by {', '.join([*hints, *sums])}"
        if means:
            yield f"{inside} by {', '.join([*hints, 'sum_ext', *sums])}"
        if signs:
            yield f"{inside} by {', '.join([*hints, 'sign', *(['sign_sum'] if means else [])])}"

    def by_terms(self, claim: FormClaim) -> Iterator[str]:
        """The version for a mean of what is a sum's term at each position."""
        row = self.definitions[claim.function].row
        if not isinstance(row, MeanRow) or row.old is not None or (row.seen.low, row.seen.high) != (self.low, "i"):
            return
        averaged = row.value.function if isinstance(row.value, Combination) else None
        table = None if averaged is None else self.tables.get(averaged)
        if averaged is None or not isinstance(table, CellTable) or not claim.formula.startswith("all i"):
            return
        if averaged not in self.definitions:  # it is given
            return
        label, term = self.term(averaged), self.generic.indicators(table.cells, "i")
        inside = re.sub(r"\bi\b", "j", term)
        yield "\n  ".join([
            claim.formula,
            "given i (low high)",
            f"each: all j in {self.low}..i. {averaged}(j) = {inside}",
            "  given j (jl jh)",
            f"  qed by {label}(j), jl, jh, high",
            f"same: sum(j, {self.low}, i, {averaged}(j)) = sum(j, {self.low}, i, {inside}) "
            f"by sum_ext(j. {averaged}(j); j. {inside}; {self.low}; i)[each]",
            f"take here from {self.equation(claim.function)}(i) by low, high",
            "qed by here, same",
        ])  # fmt: skip

    def by_those_before(self, claim: FormClaim) -> Iterator[str]:
        """The version for a mean over all positions before this one, which the first has none of: a count to the
        position before is that to this one, less the letter here."""
        mean = self.mean_of_others(claim.function, "1", "i - 1")
        value = None if mean is None else self.at_each_other(claim.function, mean)
        if mean is None or value is None or self.model.readout.first:
            return
        at, labels = "i" if claim.formula.startswith("all i") else self.high, list[str]()
        for token in sorted(self.meaning.tokens.values()):
            count, label = f"sum(l, 1, {{}}, I[w(l) = {token}])", f"before{token}"
            here, less = count.format("i"), count.format("i - 1")
            text = f"{label}: all i in 2..{self.high}. {here} = {less} + I[w(i) = {token}]"
            by = f"qed by sum_split(l. I[w(l) = {token}]; 1; i - 1; i)"
            if here not in claim.formula:
                continue
            if label in self.said or self.line(f"{text}\n  given i (low high)\n  {by}") is None:
                self.said[label] = text
                labels.append(f"{label}(i)")
        if labels and not re.fullmatch(r"\(I\[w\(l\) = \d+\]\)", value) and self.counts():
            labels.append("counts(i - 1)")
        yield self.by_others(claim, at, at, ("1", f"{at} - 1"), (mean, value), [*labels, "first"])

    def by_those_behind(self, claim: FormClaim) -> Iterator[str]:
        """The version for the first position's mean over all positions behind it: a count is the letter here and the
        count of those behind."""
        f, high = claim.function, self.high
        mean = self.mean_of_others(f, "i + 1", "n")
        value = None if mean is None else self.at_each_other(f, mean)
        if mean is None or value is None or not self.model.readout.first or claim.formula.startswith("all i"):
            return
        labels = list[str]()
        for token in sorted(self.meaning.tokens.values()):
            one, label = f"I[w(l) = {token}]", f"behind{token}"
            said = f"sum(l, 1, {high}, {one}) = I[w(1) = {token}] + sum(l, 2, {high}, {one})"
            if label in self.said or self.line(f"{label}: {said} by sum_split(l. {one}; 1; 1; {high}), some") is None:
                self.said[label] = said
                labels.append(label)
        if self.counts():
            labels += [f"counts({high})", *self.once(f, True)]
        labels += ["first", "inverse", "big"]
        yield self.by_others(claim, "1", high, ("2", high), (mean, value), labels)

    def mean_of_others(self, function: str, low: str, high: str) -> str | None:
        """The term at j of a mean over the positions before or behind this one, from `low` to `high`."""
        row = self.definitions[function].row
        if not isinstance(row, MeanRow) or row.old is not None or (row.seen.low, row.seen.high) != (low, high):
            return None
        return row.value.at("j")

    def at_each_other(self, function: str, term: str) -> str | None:
        """What a mean's term is at a position l by the forms of what it reads; None where one has none."""
        for g in self.read(function):
            if not isinstance(table := self.tables.get(g), CellTable):
                return None
            there = re.sub(r"\bi\b", "l", self.generic.indicators(table.cells, "i"))
            term = term.replace(f"{g}(j)", f"({there})")
        return term

    def by_others(
        self, claim: FormClaim, at: str, size: str, over: tuple[str, str], terms: tuple[str, str], labels: list[str]
    ) -> str:
        """The text of a mean over the positions `over`, at a position that is not among them: `size` - 1 many, whose
        term is said in two ways."""
        f, span, (before, after) = claim.function, ", ".join(over), terms
        by = ", ".join([*[self.term(g) for g in self.read(f)], "sum_ext"])
        return "\n  ".join([
            claim.formula,
            *(["given i (low high)"] if at == "i" else []),
            f"cases first: {size} = 1",
            f"  - qed by {self.equation(f)}({at}), first",
            f"  - big: 2 <= {size} by first, {'low' if at == 'i' else 'some'}",
            f"    inner: sum(j, {span}, {before}) = sum(l, {span}, {after}) by {by}",
            f"    positive: 0 < {size} - 1 by big",
            f"    take inverse from inverse_positive({size} - 1)[positive]",
            f"    take head from {self.equation(f)}({at})",
            f"    there: {f}({at}) = sum(l, {span}, {after})/({size} - 1) by head, inner, inverse",
            f"    qed by {', '.join(['there', *labels])}",
        ])  # fmt: skip

    def tails(self) -> bool:
        """Whether the sum of (-1)^j from a position to the last one has its line; made once."""
        if "tails" not in self.labels and self.low == "1":
            text = f"all i in 1..{self.high}. sum(j, i, n, pow(-1, j)) = (pow(-1, n) + pow(-1, i))/2"
            by = "sum_split(j. pow(-1, j); 1; i - 1; n), sign_sum(i - 1), sign_sum(n), turned"
            lines = [f"tails: {text}", "given i (low high)", "turned: pow(-1, i - 1) = -pow(-1, i)", f"qed by {by}"]
            self.labels["tails"] = "tails" if self.line("\n  ".join(lines)) is None else ""
        return self.labels.get("tails") == "tails"

    @staticmethod
    def by_signs(inside: str, hints: str) -> str:
        """A version by the sign of (-1)^i and that of (-1)^n."""
        lines = [inside, "  given i (low high)", "  cases even, odd from sign(i)"]
        for here in ("even", "odd"):
            lines.append("    - cases last_even, last_odd from sign(n)")
            lines += [f"        - qed by {hints}, {here}, {there}" for there in ("last_even", "last_odd")]
        return "\n".join(lines)

    def by_places(self, claim: FormClaim) -> Iterator[str]:
        """Versions for what looks at one place, and for networks that are told apart by places."""
        table = self.tables.get(claim.function)
        if not isinstance(table, CellTable) or not claim.formula.startswith("all i"):
            return
        label = self.equation(claim.function)
        read = {f: t for f in self.read(claim.function) if isinstance(t := self.tables.get(f), CellTable)}
        sums = {
            x for x in table.world.sums if any(self.generic.sum(x) in self.said.get(self.labels[f], "") for f in read)
        }
        heads = isinstance(self.definitions[claim.function].row, HeadRow)
        sums = {x for x in sums if not heads and self.away_from_zero(x)}
        text = PlaceText(self.generic, table, int(self.low), self.definitions, self.labels, sums, self.near())
        if heads:
            for before in self.model.embedding.ends[0]:
                yield from text.begin(claim.formula, claim.function, label, self.meaning.tokens[before])
            yield from text.head(claim.formula, claim.function, label, self.found.each.domain.tops)
            return
        yield from text.networks(claim.formula, label, read)

    def near(self) -> dict[str, str]:
        """The hint that 1/i is not nearer to 0 than at the greatest length, where there is one; its line is made
        once."""
        if self.generic.world.most is None or self.low != "1":
            return {}
        if "near" not in self.labels:
            text = f"near: all i in {self.low}..{self.high}. {nearest(self.generic, 'i')}\n  given i (low high)\n  qed"
            self.labels["near"] = "near" if self.line(text) is None else ""
        return {"i": "near(i)"} if self.labels["near"] else {}

    def away_from_zero(self, name: str) -> bool:
        """Whether there are the lines of `SumText` about a sum of the generic position; made once."""
        if name not in self.sums:
            one = self.generic.world.sums[name]
            text = SumText(self.generic, name, self.low, self.high) if one.kept else None
            self.sums[name] = text is not None and all(self.line(x) is None for x in text.lines())
            if self.sums[name] and text is not None and (gap := text.gap()):
                self.line(gap)
        return self.sums[name]

    def parts_of(self, name: str) -> list[tuple[str, str, str]]:
        """The cases where the readout looks: their conditions, and a value's parts above and below the fraction bar."""
        world, out = self.found.domain.world, list[tuple[str, str, str]]()
        for guard, _ in self.found.cells:
            value = self.found.reads[name].value_at(guard)  # type: ignore[union-attr]
            condition = " & ".join(in_brackets(g) for g in self.ended.guard(guard))
            if isinstance(value, fmpq):
                out.append((condition, self.ended.value(value), "1"))
            else:
                world.field.lift(value)
                out.append((condition, self.ended.polynomial(value.num), self.ended.polynomial(value.den)))
        return out

    def equation(self, function: str) -> str:
        """The label of a function's equation."""
        return self.named[function]

    def end(self, claim: FormClaim, seconds: float) -> None:
        """The line of what the readout looks at."""
        why, until = UNPROVED, time.process_time() + seconds
        for version in self.last_versions(claim) if claim.function else self.verdicts(claim):
            left = seconds if seconds > SOON else until - time.process_time()
            why = self.line(f"end_{claim.coordinate}: {version}", left)
            if why is None:
                self.labels[f"end {claim.coordinate}"], claim.missing = f"end_{claim.coordinate}", None
                return
        claim.missing = _stopped(claim, why)

    def looked_up(self, claim: FormClaim) -> Iterator[str]:
        """What a head looks up at the position that a count names."""
        text = CountLookup(self.meaning.word, self.definitions, claim.function)
        if text.there:
            if not self.looking:
                self.looking = all(self.line(one) is None for one in text.begin())
            if self.looking and all(self.line(one) is None for one in text.lines()):
                yield from self.on_a_circle(claim, text)
                yield from text.versions(claim.formula)

    def on_a_circle(self, claim: FormClaim, looked: CountLookup) -> Iterator[str]:
        """What is looked up as a point of a circle that the count goes round."""
        values, held = dict[str, list[str]](), self.meaning.relation.held
        for name in self.found.reads:
            one = CountLookup(self.meaning.word, self.definitions, held.get(self.meaning.names[name]) or "")
            if one.there and (angle := angle_of(one.equation)) is not None:
                column = self.found.reads[name]
                values[angle[0]] = [self.ended.value(column.value_at(guard)) for guard, _ in self.found.cells]  # type: ignore[union-attr]
        cases = [" & ".join(guard) for guard in self.guards()]
        text = CircleText(looked.equation, looked.behind, cases, values)
        if text.there:
            if "circle" not in self.labels:
                self.labels["circle"] = "circle" if all(self.line(x) is None for x in text.begin()) else ""
                self.circle = text.also if self.labels["circle"] else ()
            if self.labels["circle"]:
                yield text.version(claim.formula, f"{looked.function}_looked")

    def last_versions(self, claim: FormClaim) -> Iterator[str]:
        yield from self.looked_up(claim)
        if self.labels[claim.function].endswith("_form"):
            yield from self.by_form(claim)
            at = "" if self.model.readout.everywhere else f"({self.low if self.model.readout.first else self.high})"
            yield f"{claim.formula} by {self.labels[claim.function]}{at}"
        yield from self.versions(claim)

    def by_form(self, claim: FormClaim) -> Iterator[str]:
        """Case by case from that of the form at every position which has the same conditions."""
        table, at = self.tables.get(claim.function), self.low if self.model.readout.first else self.high
        if self.model.readout.everywhere or not isinstance(table, CellTable) or len(table.cells) < 2:
            return
        cells = [self.generic.guard(table.world.shortened(c.guard)) for c in table.cells]
        there = [{_sorted(re.sub(r"\bi\b", at, x)) for x in guard} for guard in cells]
        here = [{_sorted(x) for x in guard} for guard in self.guards()]
        if all(there.count(guard) == 1 for guard in here):
            label = self.labels[claim.function]
            named = [f"now_{k}" for k, _ in enumerate(cells, 1)]
            wanted = [[named[there.index(guard)]] for guard in here]
            yield from self.by_cases(claim, [f"take ({' '.join(named)}) from {label}({at}) by some"], wanted)

    def guards(self) -> list[tuple[str, ...]]:
        """The conditions of the cases where the readout looks."""
        return [tuple(self.ended.guard(guard)) for guard, _ in self.found.cells]

    def by_cases(
        self, claim: FormClaim, lines: Sequence[str], wanted: Sequence[Sequence[str]], also: Sequence[str] = ()
    ) -> Iterator[str]:
        """A version that closes each case by what is said of it alone: the labels of implications of its conditions."""
        if conjuncts(claim.formula) != len(wanted) or len(wanted) < 2 or not all(self.guards()):
            return
        out = [claim.formula, *lines]
        for guard, labels in zip(self.guards(), wanted, strict=True):
            known = [f"at{k}" for k, _ in enumerate(guard, 1)]
            out.append(f"- given {known[0] if len(known) == 1 else '(' + ' '.join(known) + ')'}")
            out += [f"  take is{k} from {label} by {', '.join(known)}" for k, label in enumerate(labels, 1)]
            out.append(f"  qed by {', '.join([*(f'is{k}' for k, _ in enumerate(labels, 1)), *known, *also])}")
        yield "\n  ".join(out)

    def verdicts(self, claim: FormClaim) -> Iterator[str]:
        """By the values, and where sums of terms that are not negative are compared with 0, by their terms."""
        hints = [label for key, label in self.labels.items() if key.startswith("end ")]
        if self.model.readout.everywhere:
            held = [self.meaning.relation.held.get(self.meaning.names[name]) for name in self.model.readout.reads]
            hints += [label for f in held if (label := self.labels.get(f or "", "")).endswith("_form")]
        if not hints:
            return
        for name, one in self.found.domain.world.sums.items():
            if (
                one.kept
                and self.ended.sum(name) in "".join(c.formula for c in self.whole.claims)
                and "all j in" in claim.formula
            ):
                hints += self.zero(name)
        if self.parity is not None:
            yield f"{claim.formula} by decided"
        below = [*self.denominators(), *self.circle]
        if not self.model.readout.everywhere:
            cases = range(1, len(self.found.cells) + 1)
            takes = [f"take ({' '.join(f'{label}_{k}' for k in cases)}) from {label}" for label in hints]
            yield from self.by_cases(claim, takes, [[f"{label}_{k}" for label in hints] for k in cases], below)
        hints += below
        if any(f"/({self.high} - 1)" in one.formula for one in self.whole.claims):  # the first sees nothing
            by = ", ".join([*hints, "positive", "inverse", "first"])
            yield "\n  ".join([
                claim.formula,
                f"cases first: {self.high} = 1",
                f"  - qed by {', '.join([*hints, 'first'])}",
                f"  - positive: 0 < {self.high} - 1 by first, some",
                f"    take inverse from inverse_positive({self.high} - 1)[positive]",
                f"    qed by {by}",
            ])  # fmt: skip
        yield f"{claim.formula} by {', '.join(hints)}"
        if not self.model.readout.everywhere and self.counts():
            yield f"{claim.formula} by {', '.join([*hints, f'counts({self.high})'])}"
        if "pow(-1" in claim.formula:
            yield f"{claim.formula} by {', '.join([*hints, 'sign'])}"

    def denominators(self) -> list[str]:
        """That what the outputs are divided by is positive."""
        world, found = self.found.domain.world, dict[str, str]()
        for _, outputs in self.found.cells:
            for value in outputs.values():
                if not isinstance(value, fmpq) and "i" not in world.names_in(value):
                    below = polynomial_of(world.field, value.den)
                    if not isinstance(below, fmpq) and world.signs(below, {}) == {1}:
                        found[self.ended.value(below)] = f"below{len(found) + 1}"
        by = ", ".join(["some", *(f"exp_pos({name})" for name in self.meaning.symbols)])
        out = []
        for text, label in found.items():
            if self.line(f"{label}: 0 < {text} by {by}") is None:
                one = self.line(f"take {label}_one from inverse_positive({text})[{label}]")
                out += [label, *([f"{label}_one"] if one is None else [])]
        return [*out, by] if out else []

    def zero(self, name: str) -> list[str]:
        """That a sum is zero iff each of its terms is."""
        one = self.found.domain.world.sums[name]
        low, high = (self.ended.linear(*x) for x in (one.low, one.high))
        body, whole = self.ended.indicators(one.cells, "j"), self.ended.sum(name)
        unless, zero = none_of(self.ended, one), f"all j in {low}..{high}. {body} = 0"
        lines = [
            f"{name}_terms: all j in {low}..{high}. 0 <= {body}",
            f"{name}_term: all j in {low}..{high}. {body} = 0 <-> {unless}",
            f"{name}_zero: {whole} = 0 <-> (all j in {low}..{high}. {unless})\n"
            f"  - given is\n    all_zero: {zero} by sum_zero(j. {body}; {low}; {high})[{name}_terms, is]\n"
            f"    qed by all_zero, {name}_term\n"
            f"  - given good\n    all_zero: {zero} by {name}_term, good\n"
            f"    qed by sum_ext(j. {body}; j. 0; {low}; {high})[all_zero]",
        ]
        return [f"{name}_zero"] if all(self.line(text) is None for text in lines) else []

    def taken(self, formula: str, label: str) -> list[str]:
        """The labels of the parts of a formula that has a line."""
        many = conjuncts(formula)
        labels = [f"{label}_{k}" for k in range(1, many + 1)]
        if many > 1 and self.line(f"take ({' '.join(labels)}) from {label}") is None:
            return labels
        return [label] * many

    def finish(self, whole: FormsProof, again: bool = False) -> None:
        """The certificate: the proof goes on from its lines, in a statement with what is claimed by now where not all
        forms are proved, or, if `again`, more of them."""
        done = [c for c in whole.claims if c.missing is None]
        if not done:
            return
        way = [
            c
            for c in done
            if c.function and c.formula.startswith("all i") and f"{c.function}_form" == self.labels[c.function]
        ]
        closing = [
            f"{c.function}_form" if c in way and f"end {c.coordinate}" not in self.labels else f"end_{c.coordinate}"
            for c in done
        ]
        closing = [*dict.fromkeys([*closing, *[f"{c.function}_form" for c in way]])]
        if again or len(done) < len(whole.claims):
            before, assumed, opened, lines, labels = self.g, self.assumed, self.opened, self.lines, self.labels
            self.goal(whole)
            if assumed != self.assumed:
                return
            self.labels = labels
            self.g.nodes += before.nodes[opened:]  # nothing on the way asks for the claim
            self.g.facts, self.g.scope, self.g.taken = before.facts, before.scope, before.taken
            self.lines += lines[1:]
        unclosed = len(self.g.nodes), len(self.lines), dict(self.g.facts)
        own_line = [f"{c.function}_form" if c in way else f"end_{c.coordinate}" for c in done]
        by_part = [f"- qed by {by}" for c, by in zip(done, own_line, strict=True) for by in self.taken(c.formula, by)]
        ways = [f"qed by {', '.join(closing)}", "\n".join(by_part)]
        apart = len(by_part) > 1 and len(by_part) == len(flatten("&", self.g.goal))
        for text in ways[::-1] if apart else ways:
            why = self.line(text, 60.0, True)
            if why is None:
                break
        if why is not None:
            for c in done:
                c.missing = own.first_line(why)
            return
        whole.text = self.head + "".join(f"  {one}\n" for text in self.lines for one in text.split("\n"))
        home = self.g.library
        try:
            with limited(self.end_of_all):
                parts = {"proof": self.g.nodes, "defined": own.defined_part(home, self.statement.defined)}
                parts["inhabited"] = self.inhabited(home)
            whole.certificate, whole.verdict = own.judged(self.statement, parts, "proved")
            whole.statement = self.statement
        except own.Unmet as error:
            says_nothing = [c for c in done if c.coordinate == "verdict"]
            if not says_nothing or len(done) == len(says_nothing):
                for c in done:
                    c.missing = own.first_line(error)
                return
            for c in says_nothing:
                c.missing = "no string was found at which a side of it holds, so that it may be vacuous"
            nodes, lines, self.g.facts = unclosed
            del self.g.nodes[nodes:], self.lines[lines:]
            self.finish(whole, True)
        except (Rejected, Stuck, SymcookError) as error:  # no word for the hypotheses, or the time is over
            for c in done:
                c.missing = own.first_line(error)


def _stopped(claim: FormClaim, why: str | None) -> str:
    """What an answer says of a form that has no line: the form, where it is not the time or what it rests on; what the
    last version of its line lacks is said nowhere, for nobody has seen that line."""
    why = own.first_line(why)
    return why if why in (OVER, UNPROVED) else own.first_line(f"no proof was found of {claim.sentence}")


def _sorted(condition: str) -> str:
    """A condition; an equation with its sides in one order."""
    depth = 0
    for k, x in enumerate(condition):
        depth += (x in "([") - (x in ")]")
        if depth == 0 and condition[k : k + 3] == " = ":
            return " = ".join(sorted((condition[:k], condition[k + 3 :])))
    return condition
