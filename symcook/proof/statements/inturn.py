"""A statement of several sentences about one model: each is proved with those before it, and what is not proved is left
out.

The sentences are the closed forms that a model has at every length (`EveryLength.sentences`), which nobody trusts. The
proof of each is that of a user's statement with such parts (`claims.counts.PartsInTurn`), and so is the certificate
(`certify.certificate_of`).
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

from symcook.alarm import Until
from symcook.closed import EveryLength, FormSentence, FormSentences, premises
from symcook.errors import BadInput, Rejected, SymcookError
from symcook.model import modelfile
from symcook.model.symbols import exact
from symcook.present import present
from symcook.proof.claims.bycounts.casefacts import Unclosed
from symcook.proof.claims.bycounts.problem import OutsideFragment, problem
from symcook.proof.claims.counts import PartsInTurn
from symcook.proof.inequalities.simplex import TooLong
from symcook.proof.replay import Statement
from symcook.proof.search.limits import OutOfTime, limited
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.statements import certify
from symcook.proof.statements.proving import document_of
from symcook.proof.statements.shortruns import Runs
from symcook.proof.statements.vocabulary import ModelMeaning

SECONDS = 15.0
"""The time for one sentence."""
SOON = 0.2
"""The time for what the readout looks at, before the sentences that it rests on are proved."""
LITTLE = 1.0
"""Where all else was proved in so many seconds, sentences that nothing rests on are tried for as long."""
VACUOUS = "no string was found at which a side of it holds, so that it may be vacuous"
"""Why a verdict is left out of a statement whose other parts are proved."""


@dataclass
class StatementPart:
    """One sentence: the coordinate that it is about, the function that holds this in the statement, the sentence in the
    names of a user and in those of the statement; why it is not proved, where it is not."""

    coordinate: str
    function: str
    sentence: str
    formula: str
    missing: str | None = None


@dataclass
class PartsProof:
    """What was proved of the sentences; `missing` says of each other one why not."""

    claims: list[StatementPart]
    statement: Statement | None = None
    certificate: dict[str, Any] | None = None
    verdict: Any = None
    missing: dict[str, str] = field(default_factory=dict)
    given: str = ""
    """What all sentences take for granted of numbers that are given."""

    @property
    def proved(self) -> list[StatementPart]:
        """The sentences that nothing is missing of."""
        return [claim for claim in self.claims if claim.missing is None]

    @property
    def sentence(self) -> str:
        """The sentence of all of them together."""
        together = " & ".join(f"({claim.sentence})" for claim in self.proved)
        return f"{self.given} -> ({together})" if self.given else together

    @property
    def whole(self) -> bool:
        """Whether all sentences are proved."""
        return self.certificate is not None and not self.missing

    def said(self) -> list[str]:
        """What is proved and what is not, in lines."""
        names = dict.fromkeys(claim.coordinate for claim in self.proved) if self.certificate is not None else {}
        lines = [f"PROVED: {', '.join(names)}"] if names else []
        return lines + [f"not proved: {f'{name}, ' if name else ''}{why}" for name, why in self.missing.items()]


def prove(forms: EveryLength, seconds: float = 60.0) -> PartsProof:
    """The proof of the closed forms of a model; what is not proved in the time is named."""
    try:
        proof = _InOrder(forms, seconds).proof()
    except (BadInput, Rejected) as error:
        proof = PartsProof([], missing={"": str(error)})
    proof.missing |= {claim.coordinate: claim.missing for claim in proof.claims if claim.missing is not None}
    return proof


class _InOrder:
    """The order in which sentences are proved, the time for each, and which of them are kept."""

    def __init__(self, forms: EveryLength, seconds: float) -> None:
        self.forms, self.model = forms, forms.model
        self.document = modelfile.to_document(forms.model)
        self.meaning = ModelMeaning(self.document, certify.definitions(), bool(forms.model.parameters))
        # Half of the time is left for what a certificate has besides: that all is defined, and a string for each part.
        self.until, self.end = Until(seconds / 2, 5 / 6), Until(seconds)
        self.parts: PartsInTurn | None = None

    def proof(self) -> PartsProof:
        """Sentences on the way come first, then what the readout looks at. The sentences after the last attention are
        mostly not needed, so they come last, and what was not proved without them is tried once more."""
        began, proof, sentences = time.process_time(), *self.stated()
        for part in proof.claims[: len(sentences.way)]:
            self.attempt(part)
        readout = proof.claims[len(sentences.way) :]
        after = {self.function(sentence) for sentence in sentences.after}
        for part in readout:
            definition = self.meaning.relation.whole.of.get(part.function)
            # What reads a coordinate without a form as yet may need it: only what follows at once is tried before.
            rests = definition is not None and not after.isdisjoint(definition.reads())
            self.attempt(part, SOON if rests else SECONDS)
        missing = [part for part in readout if part.missing is not None]
        if missing or time.process_time() - began < LITTLE:
            until = self.until
            self.until = until if missing else Until(min(until.left, LITTLE))
            proved = [part for part in map(self.part, sentences.after) if self.alone(part, proof.given)]
            self.until = until
            proof.claims += proved
            for part in missing if proved else ():
                self.attempt(part)
        self.certify(proof)
        return proof

    def stated(self) -> tuple[PartsProof, FormSentences]:
        """All sentences as they are claimed, without quotients where these are not seen to be defined."""
        premises_text = " & ".join(premises(self.forms.statement_spelling(self.forms.domain)))
        for cleared in (False, True):
            sentences = self.forms.sentences(cleared)
            stated = {""}  # what is said at every position already, or is 0
            if self.model.readout.everywhere:
                stated |= {*self.meaning.relation.after[0, ""].values(), *map(self.function, sentences.way)}
            readout = [
                sentence
                for sentence in sentences.readout
                if sentence.stage is None or self.function(sentence) not in stated
            ]
            proof = PartsProof([*map(self.part, [*sentences.way, *readout])], given=premises_text)
            statement = self.statement(proof)
            if cleared or self.defined(statement):
                break
        with suppress(OutsideFragment):
            asked = problem(statement).here
            if not asked.outside:
                goal = Goal(certify.library(statement, certify.citable()), statement.formula, {}, {})
                self.parts = PartsInTurn(asked, goal)
        return proof, sentences

    def function(self, sentence: FormSentence) -> str:
        """The function of the statement that a sentence is about; "" where this is no coordinate, or one that is 0."""
        name, stage, meaning = sentence.coordinate, sentence.stage, self.meaning
        if stage is None:
            return ""
        return (meaning.stages(name)[stage] if stage else meaning.relation.held.get(meaning.names[name])) or ""

    def part(self, sentence: FormSentence) -> StatementPart:
        function, text = self.function(sentence), sentence.text
        return StatementPart(sentence.coordinate, function, text, self.meaning.text(text))

    def statement(self, proof: PartsProof) -> Statement:
        return certify.claim(self.document, proof.sentence, bool(self.model.parameters))

    def defined(self, statement: Statement, seconds: float = math.inf) -> bool:
        """Whether everything in a statement is seen to be defined."""
        try:
            with limited(self.until, seconds):
                certify.defined_part(certify.library(statement, certify.citable()), statement.defined)
        except (Rejected, Stuck, SymcookError):
            return False
        return True

    def attempt(self, part: StatementPart, seconds: float = SECONDS) -> None:
        """Prove a sentence, or note why that is not done."""
        part.missing = certify.first_line(f"no proof was found of {part.sentence}")
        try:
            with limited(self.until, seconds):
                if self.parts is not None:
                    self.parts.prove(self.parts.g.formula(part.formula))
                    part.missing = None
        except OutOfTime as error:
            part.missing = str(error)
        except (Unclosed, OutsideFragment, Rejected, Stuck, TooLong):
            pass

    def alone(self, part: StatementPart, given: str) -> bool:
        """Whether a sentence that need not be claimed is proved, with all in it defined; else it would spoil others."""
        self.attempt(part)
        return part.missing is None and self.defined(self.statement(PartsProof([part], given=given)), LITTLE)

    def certify(self, proof: PartsProof) -> None:
        """The certificate of what is proved. The hypotheses of each part must hold at some string, and a verdict may
        have a side that holds at none: then it is left out and the others are kept."""
        while proved := proof.proved:
            statement, claim = self.statement(proof), " & ".join(f"({part.formula})" for part in proved)
            try:
                parts = {"proof": partial(self.close, claim)}
                judged = certify.certificate_of(statement, parts, self.subject(statement), self.end)
                proof.statement, (proof.certificate, proof.verdict) = statement, judged
                return
            except (Rejected, Stuck, SymcookError) as error:
                unmet = isinstance(error, certify.Unmet)
                verdicts = [part for part in proved if unmet and part.coordinate == "verdict"]
                vacuous = 0 < len(verdicts) < len(proved)
                for part in verdicts if vacuous else proved:
                    part.missing = VACUOUS if vacuous else certify.first_line(error)

    def close(self, claim: str, g: Goal) -> None:
        """Close the goal of a statement that claims parts which are proved, by the proof of all so far."""
        parts = present(self.parts)
        g.nodes += parts.g.nodes
        closed = parts.g._branch(parts.g.formula(claim))
        parts.close(closed)
        g.take(closed)

    def subject(self, statement: Statement) -> certify.Subject:
        """The model; where symbols are open, short strings are run at their defaults."""
        values = {p.name: p.default if p.default is not None else exact(1) for p in self.model.parameters}
        fixed = {name: Fraction(int(x.p), int(x.q)) for name, x in values.items()}
        document = document_of(self.model, values)
        return certify.Subject(lambda until: Runs(statement, document, until, fixed), certify.automatic)
