"""Certificates for closed forms: the run form by form, each proved by counts or by a text that is generated.

The domain that finds the forms (`symcook.domains.lengths`) is not trusted: each form becomes a part of a sentence about
the model, as `symcook prove MODEL --statement` takes it, and is kept only where the checker accepts its proof.
`claims.counts` decides a form with those that were proved before it. Texts are for what counts have no rule for: stored
lemmas about a run, points of a circle, and sums of what is defined by cases.
"""

from __future__ import annotations

import itertools
import math
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from flint import fmpq

from symcook.alarm import Until
from symcook.closed import Coordinate, EveryLength, premises, verdict, word_verdict
from symcook.domains.field import polynomial_of
from symcook.domains.lengths import Lengths
from symcook.domains.spelling import in_brackets
from symcook.domains.tables import CellTable
from symcook.errors import BadInput, Rejected, SymcookError
from symcook.model import modelfile
from symcook.model.symbols import exact
from symcook.proof import own, replay, runrel
from symcook.proof.claims.casefacts import Unclosed
from symcook.proof.claims.counts import CountedCase
from symcook.proof.claims.lettered import Lettered
from symcook.proof.claims.problem import OutsideFragment, problem
from symcook.proof.definitions import HardRow, HeadRow, Sum
from symcook.proof.formcircle import CircleText, angle_of
from symcook.proof.formclaims import FormClaim, FormsProof, StatementSpelling, conjuncts, equation
from symcook.proof.formparity import ParityText
from symcook.proof.grammar import leading_names
from symcook.proof.limits import OutOfTime, limited
from symcook.proof.ownfacts import parts
from symcook.proof.ownnames import ModelMeaning
from symcook.proof.ownruns import Runs
from symcook.proof.replay import Statement
from symcook.proof.runtext import joined
from symcook.proof.runvalues import Combination, at_position
from symcook.proof.search import elaborate, equations, prooftext
from symcook.proof.search.liveness import pruned
from symcook.proof.search.prooftext import BadProof
from symcook.proof.search.simplex import TooLong
from symcook.proof.search.tactics import Goal, Node, Stuck
from symcook.proof.terms import TRUE, flatten

LINES = 5 / 6
"""The part of the time that there is for lines that must follow."""
SECONDS = 15.0
"""The time for one version of a line."""
SOON = 0.2
"""The time for all versions of the line of what the readout looks at, before the forms that it reads have lines."""
COUNTED = ""
"""The version of a line that is no text, but the decision by counts."""
OVER, UNPROVED = "the time is over", "it rests on forms that are not proved"
UNDEFINED = "it does not follow that everything is defined"
"""Why a form is not proved, where it is not that no version of its line follows."""
LITTLE = 1.0
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
        self.labels: dict[str, str] = {}
        self.lemma: str | None = None
        self.case: CountedCase | None = None
        """What is known for a decision by counts, where the run is one that they read."""
        self.count_k = self.cleared = False
        self.circle: Sequence[str] = ()
        """What is known of a root where values are points of a circle."""
        self.parity: ParityText | None = None
        """Where the model is that of PARITY: its own lines, once those at their beginning have been proved."""

    def spelled(self, domain: Lengths) -> tuple[StatementSpelling, StatementSpelling]:
        """How values are written in a sentence, where a coordinate's name is its last value, and in the statement."""
        held = self.meaning.relation.held
        changed = [name for name, function in self.meaning.names.items() if held.get(function) != function]
        spoken = {name: f'"{name}"@0' for name in changed}
        ends = self.low, self.high, self.meaning.tokens
        return StatementSpelling(domain, *ends, spoken), StatementSpelling(domain, *ends)

    # --- What is claimed ------------------------------------------------------------------------------------------

    def claims(self) -> tuple[list[FormClaim], list[FormClaim], list[Coordinate]]:
        """The forms on the way, at every position, those where the readout looks, and the coordinates that nothing
        rests on, behind the last attention."""
        way, behind = list[FormClaim](), list[Coordinate]()
        self.spoken, self.generic = self.spelled(self.found.each.domain)
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
                way.append(self.claim(one))
        return way, self.ends(), behind

    def claim(self, one: Coordinate) -> FormClaim:
        """The form of a coordinate that has one at every position."""
        if not isinstance(one.column, CellTable):
            raise RuntimeError(f"{one.name} has no form at every position")
        function, said = self.function(one)
        ways = ((self.spoken, said), (self.generic, function))
        made = [self.cells(spelling, one.column, f"{f}(i)") for spelling, f in ways]
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
        spellings = self.spelled(self.found.domain)
        self.ended = spellings[1]
        place = "i" if readout.everywhere else self.low if readout.first else self.high
        guards = [guard for guard, _ in self.found.cells]
        tests = [[" & ".join(in_brackets(g) for g in one.guard(guard)) for one in spellings] for guard in guards]

        def claim(coordinate: str, function: str, said: Sequence[Sequence[str]]) -> FormClaim:
            """What is said of each case in the names of a user and of the statement; nothing of one without words."""
            spoken = [(test, text) for test, text in zip(tests, said, strict=True) if text]
            parts = [[f"({test[k]} -> {text[k]})" if test[k] else text[k] for test, text in spoken] for k in (0, 1)]
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
            ways = [*zip(spellings, heads, strict=True)]
            said = [[equation(one, head, v, self.cleared) for one, head in ways] for v in values]
            out.append(claim(name, held, said))
        if readout.decides and (readout.each or not readout.everywhere):
            mine = relation.accept(place if readout.each else None)
            heads = (f"accept({place})" if readout.each else "accept", f"({mine})")
            ways = [*zip(spellings, heads, strict=True)]
            said = [[_answered(h, *verdict(one, readout, *cell)) for one, h in ways] for cell in self.found.cells]
            out.append(claim("verdict", "", said))
        labels = [form.label for form in self.found.forms]
        if readout.labelled and readout.answers and any(label is not None for label in labels):
            at = place if readout.each else None
            also = f", {place}" if readout.each else ""
            said = [() if x is None else (f'answer("{x}"{also})', f"({relation.answer(x, at)})") for x in labels]
            out.append(claim("answer", "", said))
        if readout.decides and readout.everywhere and not readout.each:
            heads = ("accept", f"({relation.accept()})")
            ways = zip(spellings, heads, strict=True)
            both = [_answered(h, *word_verdict(one, readout, self.found.cells)) for one, h in ways]
            out.append(FormClaim("verdict", "", *both))
        return out

    # --- Lines ----------------------------------------------------------------------------------------------------

    def proof(self) -> FormsProof:
        began = time.process_time()
        try:
            way, ends, behind = self.claims()
            whole = FormsProof([*way, *ends])
            self.goal(whole)
            if not self.defined(self.statement):  # quotients are spoken of that are not seen to be defined
                self.cleared = True
                way, ends, behind = self.claims()
                whole = FormsProof([*way, *ends])
                self.goal(whole)
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
        claims = [self.claim(one) for one in behind if isinstance(one.column, CellTable)]
        for claim in claims:
            self.along(claim)
            alone = FormsProof([claim], given=whole.given)
            if claim.missing is None and not self.defined(
                own.claim(self.document, alone.sentence, self.symbols), LITTLE
            ):
                claim.missing = UNDEFINED
        self.until = until
        found = [claim for claim in claims if claim.missing is None]
        whole.claims += found
        return bool(found)

    def goal(self, whole: FormsProof) -> None:
        self.whole = whole
        whole.given = " & ".join(premises(self.spelled(self.found.domain)[0]))
        statement = own.claim(self.document, whole.sentence, self.symbols)
        self.statement = statement
        self.g = Goal(own.library(statement, own.citable()), statement.formula, {}, {})
        self.elaborator = elaborate.Elaborator()
        self.head = f"proof {statement.id}\n"
        self.lemma, self.parity = None, None
        self.count_k, self.circle = False, ()
        labels = [*parts(statement).labels, *(["asked"] if whole.given else [])]
        missing = self.line(f"given .. {' '.join(labels)}", 60.0, True)
        if missing is not None:
            raise RuntimeError(f"the premises of a statement of forms cannot be assumed: {missing}")
        taken = parts(statement)
        whole_run, each = "run" in taken.labels, equations.spread((equations.OWN,), taken.run)
        self.named = {f: "run" if whole_run else f"{f}_is" for f in self.equations}
        unnamed = [f for f, label in self.named.items() if label not in each]
        self.named |= {} if whole_run else zip(unnamed, (x for x in each if x not in self.named.values()), strict=False)
        self.labels = {f: self.equation(f) for f in self.equations}
        self.said = {self.equation(f): text for f, text in self.equations.items()}
        self.case = self.by_letters(("run",) if whole_run else each)
        self.assumed, self.opened = dict(self.g.facts), len(self.g.nodes)

    def by_letters(self, labels: tuple[str, ...]) -> CountedCase | None:
        """What the premises say of counts; `labels` are those of the equations of the run. None for another run."""
        try:
            asked = problem(self.statement)
        except OutsideFragment:
            return None
        many = len(flatten("&", asked.word))
        if asked.outside or (
            many > 1 and self.line(f"take ({' '.join(f'word_{k}' for k in range(many))}) from word", 60.0, True)
        ):
            return None
        return CountedCase.at(Lettered(replace(asked.here, called=labels), self.g), self.g)

    def defined(self, statement: Statement, seconds: float = math.inf) -> bool:
        """Whether everything in a statement is seen to be defined."""
        try:
            with limited(self.end_of_lines, seconds):
                own.defined_part(self.g.library, statement.defined)
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
        return None

    def step(self, label: str, claim: FormClaim, version: str, seconds: float = SECONDS) -> str | None:
        """Prove a form by a version of its line, or by counts; why that does not prove it, or None where it does."""
        if version != COUNTED:
            return self.line(f"{label}: {version}", seconds)
        if self.case is None or min(seconds, self.until.left) <= 0:
            return OVER
        try:
            with limited(self.until, seconds):
                self.g.have(claim.formula, label, self.case.close)
        except (Unclosed, OutsideFragment, Rejected, Stuck, TooLong, OutOfTime) as error:
            return str(error)
        return None

    def along(self, claim: FormClaim) -> None:
        """The line of a coordinate at every position."""
        label = f"{claim.function}_form"
        why = None
        for version in self.versions(claim):
            why = self.step(label, claim, version)
            if why is None:
                self.labels[claim.function] = label
                self.said[label] = claim.formula
                if self.case is not None:
                    self.case.root.forms[claim.function] = label
                return
        claim.missing = _stopped(claim, why)

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

    def read(self, function: str) -> list[str]:
        """The functions in the equation of another."""
        read = {*self.definitions[function].reads()}
        return [f for f in self.definitions if f in read]

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
        if self.parity is not None and claim.function == "hit":
            yield self.parity.hit(claim.formula)
        decided = self.parity.cases(self.parts_of("s")) if self.parity is not None and claim.function == "s" else ()
        if decided and all(self.line(text) is None for text in decided):
            yield f"{claim.formula} by {', '.join(f'case{k}' for k in range(len(self.found.cells)))}"
        if lemma is not None:
            yield f"{claim.formula} by {lemma}"
        heads = isinstance(self.definitions[claim.function].row, HeadRow)
        yield from self.counted(claim)
        hints = [*dict.fromkeys([self.equation(claim.function), *self.known(claim.function)])]
        if "sum(j," in claim.formula:
            terms = [self.term(f) for f in self.read(claim.function)]
            yield f"{claim.formula} by {', '.join(dict.fromkeys([hints[0], *terms, 'sum_ext']))}"
        for more in (["sum_one"], ["sum_ext", "sum_one"]) if heads else ([],):
            yield f"{claim.formula} by {', '.join([*hints, *more])}"

    def counted(self, claim: FormClaim) -> Iterator[str]:
        """By counts and linear arithmetic, where the run is one that they read."""
        if self.case is not None:
            yield COUNTED

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
            why = self.step(f"end_{claim.coordinate}", claim, version, left)
            if why is None:
                self.labels[f"end {claim.coordinate}"], claim.missing = f"end_{claim.coordinate}", None
                return
        claim.missing = _stopped(claim, why)

    def on_a_circle(self, claim: FormClaim) -> Iterator[str]:
        """What a head looks up where the value is a point of a circle that a count goes round."""
        values, held = dict[str, list[str]](), self.meaning.relation.held
        for name in self.found.reads:
            if (angle := angle_of(self.looked_up(held.get(self.meaning.names[name]) or ""))) is not None:
                column = self.found.reads[name]
                values[angle[0]] = [self.ended.value(column.value_at(guard)) for guard, _ in self.found.cells]  # type: ignore[union-attr]
        cases = [" & ".join(guard) for guard in self.guards()]
        text = CircleText(self.looked_up(claim.function), cases, values)
        if text.there and conjuncts(claim.formula) == len(cases):
            if "circle" not in self.labels:
                self.labels["circle"] = "circle" if all(self.line(x) is None for x in text.begin()) else ""
                self.circle = text.also if self.labels["circle"] else ()
            looked = replace(claim, formula=f"{claim.function}({self.high}) = {text.of}({text.at(text.count)})")
            label = f"{claim.function}_looked"
            if self.labels["circle"] and self.step(label, looked, COUNTED) is None:
                yield text.version(claim.formula, label)

    def looked_up(self, function: str) -> str:
        """The term of what a head averages; no text for what is none."""
        row = self.definitions[function].row if function in self.definitions else None
        value = row.value if isinstance(row, HardRow) else None
        name = value.function if isinstance(value, Combination) else None
        averaged = self.definitions[name].row if name is not None and name in self.definitions else None
        return joined(averaged.terms(at_position)) if isinstance(averaged, Sum) and averaged.old is None else ""

    def last_versions(self, claim: FormClaim) -> Iterator[str]:
        yield from self.on_a_circle(claim)
        if self.labels[claim.function].endswith("_form"):
            at = "" if self.model.readout.everywhere else f"({self.low if self.model.readout.first else self.high})"
            yield f"{claim.formula} by {self.labels[claim.function]}{at}"
        yield from self.versions(claim)

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
        ways = [self.counted, self.by_values]
        for way in reversed(ways) if self.symbols or self.circle else ways:
            yield from way(claim)

    def by_values(self, claim: FormClaim) -> Iterator[str]:
        """By the forms of what the readout reads."""
        hints = [label for key, label in self.labels.items() if key.startswith("end ")]
        if self.model.readout.everywhere:
            held = [self.meaning.relation.held.get(self.meaning.names[name]) for name in self.model.readout.reads]
            hints += [label for f in held if (label := self.labels.get(f or "", "")).endswith("_form")]
        if not hints:
            return
        if self.parity is not None:
            yield f"{claim.formula} by decided"
        below = [*self.denominators(), *self.circle]
        if not self.model.readout.everywhere:
            cases = range(1, len(self.found.cells) + 1)
            takes = [f"take ({' '.join(f'{label}_{k}' for k in cases)}) from {label}" for label in hints]
            yield from self.by_cases(claim, takes, [[f"{label}_{k}" for label in hints] for k in cases], below)
        hints += below
        yield f"{claim.formula} by {', '.join(hints)}"

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

    def finish(self, whole: FormsProof, again: bool = False) -> None:
        """The certificate: the proof goes on from its lines, in a statement with what is claimed by now where not all
        forms are proved, or, if `again`, more of them."""
        done = [c for c in whole.claims if c.missing is None]
        if not done:
            return
        if again or len(done) < len(whole.claims):
            before, assumed, opened, labels = self.g, self.assumed, self.opened, self.labels
            self.goal(whole)
            if assumed != self.assumed:
                return
            self.labels = labels
            self.g.nodes += before.nodes[opened:]  # nothing on the way asks for the claim
            self.g.facts, self.g.scope, self.g.taken = before.facts, before.scope, before.taken
        home = self.g.library
        try:
            with limited(self.end_of_all):
                parts = {"proof": pruned([*self.g.nodes, *self.closing(done)])}
                parts["defined"] = own.defined_part(home, self.statement.defined)
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
            self.finish(whole, True)
        except (Rejected, Stuck, SymcookError) as error:  # no word for the hypotheses, or the time is over
            for c in done:
                c.missing = own.first_line(error)

    def closing(self, done: Sequence[FormClaim]) -> list[Node]:
        """The nodes that close the statement: each part of it is a form, or a part of one."""
        g = self.g._branch(self.g.goal)
        known = {g.known.key(f): label for label, f in g.facts.items()}
        for label in [x for c in done for x in (f"{c.function}_form", f"end_{c.coordinate}")]:
            if (many := flatten("&", g.facts.get(label, TRUE)))[1:]:
                stem = g.fresh("part")
                g.use(label, label=" ".join(f"{stem}_{k}" for k in range(len(many))))
                known |= {g.known.key(f): f"{stem}_{k}" for k, f in enumerate(many)}
        for part in g.split() if g.goal[0] == "&" else [g]:
            part.hyp(known.get(g.known.key(part.goal), ""))
        return g.nodes


def _answered(head: str, accept: bool | None, accepts: str | None) -> str:
    """That the model accepts, does not, or does if and only if a condition holds."""
    return head if accept else f"~{head}" if accept is False else f"({head} <-> {accepts})"


def _stopped(claim: FormClaim, why: str | None) -> str:
    """What an answer says of a form that has no line: the form, where it is not the time or what it rests on; what the
    last version of its line lacks is said nowhere, for nobody has seen that line."""
    why = own.first_line(why)
    return why if why in (OVER, UNPROVED) else own.first_line(f"no proof was found of {claim.sentence}")
