"""Certificates for closed forms: the run form by form, each proved by counts.

The domain that finds the forms (`symcook.domains.lengths`) is not trusted: each form becomes a part of a sentence about
the model, as `symcook prove MODEL --statement` takes it, and is kept only where the checker accepts its proof.
`claims.counts` decides a form with those that were proved before it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from symcook.alarm import Until
from symcook.closed import Coordinate, EveryLength, premises, verdict, word_verdict
from symcook.domains.lengths import Lengths
from symcook.domains.spelling import in_brackets
from symcook.domains.tables import CellTable
from symcook.errors import BadInput, Rejected, SymcookError
from symcook.model import modelfile
from symcook.model.symbols import exact
from symcook.present import present
from symcook.proof import own
from symcook.proof.claims.casefacts import Unclosed
from symcook.proof.claims.counts import CountedCase
from symcook.proof.claims.lettered import Lettered
from symcook.proof.claims.problem import OutsideFragment, introduce, problem
from symcook.proof.formclaims import FormClaim, FormsProof, StatementSpelling, equation
from symcook.proof.limits import OutOfTime, limited
from symcook.proof.ownnames import ModelMeaning
from symcook.proof.ownruns import Runs
from symcook.proof.proving import document_of
from symcook.proof.replay import Statement
from symcook.proof.search.liveness import pruned
from symcook.proof.search.simplex import TooLong
from symcook.proof.search.tactics import Goal, Node, Stuck
from symcook.proof.terms import TRUE, flatten

LINES = 5 / 6
"""The part of the time that there is for the forms."""
SECONDS = 15.0
"""The time for one form."""
SOON = 0.2
"""The time for what the readout looks at, before the forms that it reads are proved."""
OVER, UNPROVED = "the time is over", "it rests on forms that are not proved"
UNDEFINED = "it does not follow that everything is defined"
"""Why a form is not proved, where it is not that no proof was found."""
LITTLE = 1.0
"""Where all that the readout rests on was proved in so many seconds, what nothing rests on is tried for as long."""


def prove(found: EveryLength, seconds: float = 60.0) -> FormsProof:
    """The proof of the closed forms of a model whose symbols have values; what is not proved in the time is named."""
    return _FormProofs(found, seconds).proof()


class _FormProofs:
    """One proof, form by form."""

    def __init__(self, found: EveryLength, seconds: float) -> None:
        self.found, self.model = found, found.model
        self.document = modelfile.to_document(found.model)
        self.symbols = bool(found.model.parameters)
        self.meaning = ModelMeaning(self.document, own.definitions(), self.symbols)
        relation = self.meaning.relation
        self.definitions = relation.whole.of
        self.low, self.high = relation.low, relation.high
        self.until, self.end_of_lines = Until(seconds / 2, LINES), Until(seconds * LINES, LINES)
        self.end_of_all = Until(seconds)
        self.case: CountedCase | None = None
        """What is known for a decision by counts, where the run is one that they read."""
        self.cleared = False

    def spelling(self, domain: Lengths) -> StatementSpelling:
        """How values are written in a statement: a coordinate's name alone is its last value."""
        held = self.meaning.relation.held
        spoken = {
            name: f'"{name}"@0' for name, function in self.meaning.names.items() if held.get(function) != function
        }
        return StatementSpelling(domain, self.low, self.high, self.meaning.tokens, spoken)

    # --- What is claimed ------------------------------------------------------------------------------------------

    def claims(self) -> tuple[list[FormClaim], list[FormClaim], list[Coordinate]]:
        """The forms on the way, at every position, those where the readout looks, and the coordinates that nothing
        rests on, behind the last attention."""
        way, behind = list[FormClaim](), list[Coordinate]()
        self.each_spelling = self.spelling(self.found.each.domain)
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
                way.append(self.claim(one, one.column))
        return way, self.ends(), behind

    def claim(self, one: Coordinate, form: CellTable) -> FormClaim:
        """The form of a coordinate at every position: a case for each value that is not 0; 0 elsewhere."""
        function, said = self.function(one)
        spelling, parts = self.each_spelling, list[str]()
        for cell in form.cells:
            guard = " & ".join(in_brackets(g) for g in spelling.guard(form.world.shortened(cell.guard)))
            value = f"{said}(i) = {spelling.value(cell.value)}"
            parts.append(spelling.quantified(f"({guard} -> {value})" if guard else value))
        return self.claimed(one.name, function, " & ".join(parts), True)

    def claimed(self, coordinate: str, function: str, sentence: str, everywhere: bool) -> FormClaim:
        """A form as it is said of a position, or of `everywhere`, in the names of a user."""
        sentence = f"all i in {self.low}..{self.high}. {sentence}" if everywhere else sentence
        return FormClaim(coordinate, function, sentence, self.meaning.text(sentence))

    def last_attention(self) -> tuple[int, str]:
        found = [(s.layer, s.kind) for s in self.model.sublayers if s.kind == "attention"]
        return max(found, default=(0, ""))

    def function(self, one: Coordinate) -> tuple[str, str]:
        """The function of the statement that a coordinate is after a part of a layer, and how a sentence says it."""
        stage = {"embedding": "@0", "attention": f"@{one.layer}.attention"}.get(one.part, f"@{one.layer}")
        stages = self.meaning.stages(one.name)
        return stages[stage] or "", f'"{one.name}"{stage}'

    def ends(self) -> list[FormClaim]:
        """The coordinates that the readout reads, and its verdict, case by case."""
        readout, relation = self.model.readout, self.meaning.relation
        spelling, cells = self.spelling(self.found.domain), self.found.cells
        place = "i" if readout.everywhere else self.low if readout.first else self.high
        tests = [" & ".join(in_brackets(g) for g in spelling.guard(guard)) for guard, _ in cells]

        def claim(coordinate: str, function: str, said: Iterable[str]) -> FormClaim:
            """What is said of each case; nothing of one without words."""
            parts = [f"({test} -> {text})" if test else text for test, text in zip(tests, said, strict=True) if text]
            return self.claimed(coordinate, function, " & ".join(dict.fromkeys(parts)), readout.everywhere)

        out = []
        for name in readout.reads:
            held = relation.held.get(self.meaning.names[name])
            column = self.found.reads.get(name)
            if held is None or not isinstance(column, CellTable):
                continue
            if readout.everywhere and isinstance(self.tables.get(held), CellTable):
                continue  # it is on the way
            values = (column.value_at(guard) for guard, _ in cells)
            out.append(claim(name, held, [equation(spelling, f'"{name}"({place})', v, self.cleared) for v in values]))
        if readout.decides and (readout.each or not readout.everywhere):
            head = f"accept({place})" if readout.each else "accept"
            out.append(claim("verdict", "", [_answered(head, *verdict(spelling, readout, *cell)) for cell in cells]))
        labels = [form.label for form in self.found.forms]
        if readout.labelled and readout.answers and any(label is not None for label in labels):
            also = f", {place}" if readout.each else ""
            out.append(claim("answer", "", ["" if x is None else f'answer("{x}"{also})' for x in labels]))
        if readout.decides and readout.everywhere and not readout.each:
            out.append(self.claimed("verdict", "", _answered("accept", *word_verdict(spelling, readout, cells)), False))
        return out

    # --- Proofs ---------------------------------------------------------------------------------------------------

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
        claims = [self.claim(one, one.column) for one in behind if isinstance(one.column, CellTable)]
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
        whole.given = " & ".join(premises(self.spelling(self.found.domain)))
        statement = own.claim(self.document, whole.sentence, self.symbols)
        self.statement = statement
        self.g = Goal(own.library(statement, own.citable()), statement.formula, {}, {})
        try:
            asked = problem(statement).here
        except OutsideFragment:
            return
        introduce(asked, self.g)
        if whole.given:
            self.g.intro("asked")
        self.case = None if asked.outside else CountedCase.at(Lettered(asked, self.g), self.g)
        self.assumed, self.opened = dict(self.g.facts), len(self.g.nodes)

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
        document = document_of(self.model, values)
        fixed = {name: Fraction(int(x.p), int(x.q)) for name, x in values.items()}
        return own.inhabited(home, self.statement, Runs(self.statement, document, self.end_of_all, fixed))

    def step(self, claim: FormClaim, label: str, seconds: float = SECONDS) -> bool:
        """Prove a form, or say why that is not done; whether it is proved."""
        claim.missing = own.first_line(f"no proof was found of {claim.sentence}")
        if self.case is None:
            return False
        try:
            if min(seconds, self.until.left) <= 0:
                raise OutOfTime(OVER)
            with limited(self.until, seconds):
                self.g.have(claim.formula, label, self.case.close)
            claim.missing = None
        except OutOfTime:
            claim.missing = OVER
        except (Unclosed, OutsideFragment, Rejected, Stuck, TooLong):
            pass
        return claim.missing is None

    def along(self, claim: FormClaim) -> None:
        """Prove the form of a coordinate at every position, of which later proofs make use."""
        label = f"{claim.function}_form"
        if self.step(claim, label):
            present(self.case).root.forms[claim.function] = label

    def read(self, function: str) -> list[str]:
        """The functions in the equation of another."""
        read = {*self.definitions[function].reads()}
        return [f for f in self.definitions if f in read]

    def end(self, claim: FormClaim, seconds: float) -> None:
        """Prove what the readout looks at."""
        self.step(claim, f"end_{claim.coordinate}", seconds)

    def finish(self, whole: FormsProof, again: bool = False) -> None:
        """The certificate: the proof continues, in a statement with what is claimed by now where not all
        forms are proved, or, if `again`, more of them."""
        done = [c for c in whole.claims if c.missing is None]
        if not done:
            return
        if again or len(done) < len(whole.claims):
            before, assumed, opened = self.g, self.assumed, self.opened
            self.goal(whole)
            if assumed != self.assumed:
                return
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
