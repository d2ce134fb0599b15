"""One statement made of several sentences about a model. Each sentence is proved with the help of the earlier ones, and
a sentence that is not proved is left out of the statement.

The sentences state the closed forms of a model at every length (`EveryLength.sentences`), which are untrusted
proposals. A sentence is proved like a part of a user's statement (`claims.counts.PartsInTurn`), and the certificate is
made as for a user's statement (`certify.certificate_of`).
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from symcook.alarm import Until
from symcook.closed import EveryLength, FormSentence, FormSentences, every_length
from symcook.errors import BadInput, Rejected, SymcookError
from symcook.model import modelfile
from symcook.present import present
from symcook.proof.claims.bycounts.problem import OutsideFragment, problem
from symcook.proof.claims.counts import PartsInTurn
from symcook.proof.grammar import leading_names
from symcook.proof.replay import Statement
from symcook.proof.search.attempts import Failed, attempted, first_line
from symcook.proof.search.liveness import pruned
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.statements import certify
from symcook.proof.statements.vocabulary import ModelMeaning

if TYPE_CHECKING:
    from symcook.proof.search.tactics import Citable, Node

SECONDS = 15.0
"""The time for one sentence, in seconds. All sentences together have 30 s by default, so that one hard sentence leaves
time for others."""
SOON = 0.2
"""The time, in seconds, for a first attempt at a sentence that may depend on sentences which are proved later."""
LITTLE = 1.0
"""If everything needed is proved within this many seconds, the sentences that no other one needs get as many seconds
together; else they are not tried."""
VACUOUS = "no string was found on which a side of the statement holds, so the statement may be vacuous"
"""The reason given for a verdict that is left out, although its proof was found."""


@dataclass
class StatementPart:
    """One sentence, and whether it is proved."""

    coordinate: str
    """The coordinate that the sentence is about, or "verdict", or "answer"."""
    function: str
    """The function of the formal statement whose values are those of the coordinate; "" for none."""
    sentence: str
    """The sentence as a user writes it."""
    formula: str
    """The sentence in the names of the formal statement."""
    missing: str | None = None
    """The reason why the sentence is not proved; None if it is proved, and before it was tried."""


@dataclass
class PartsProof:
    """The sentences `claims`, and the statement with its certificate that the proved ones make together. Before the
    proofs, it is the plan: all sentences are in `claims`, none has a reason `missing`, and there is no certificate."""

    claims: list[StatementPart]
    statement: Statement | None = None
    certificate: dict[str, Any] | None = None
    verdict: Any = None
    missing: dict[str, str] = field(default_factory=dict)
    """By coordinate, for each sentence that is not proved: the reason. The key "" is for an error about the model."""
    given: str = ""
    """The premises of all sentences: the conditions on the model's open symbols, as one text."""

    @property
    def proved(self) -> list[StatementPart]:
        """The sentences without a reason `missing`."""
        return [claim for claim in self.claims if claim.missing is None]

    @property
    def sentence(self) -> str:
        """One sentence, as a user writes it: the premises imply all sentences of `proved`."""
        together = " & ".join(f"({claim.sentence})" for claim in self.proved)
        return f"{self.given} -> ({together})" if self.given else together

    @property
    def whole(self) -> bool:
        """Whether all sentences are proved."""
        return self.certificate is not None and not self.missing

    def said(self) -> list[str]:
        """The lines of a report: the coordinates whose forms are proved, then each other one with the reason."""
        names = dict.fromkeys(claim.coordinate for claim in self.proved) if self.certificate is not None else {}
        lines = [f"PROVED: {', '.join(names)}"] if names else []
        return lines + [f"not proved: {f'{name}, ' if name else ''}{why}" for name, why in self.missing.items()]


def prove(forms: EveryLength, seconds: float = 60.0) -> PartsProof:
    """The proof of the closed `forms` of a model, found within `seconds`. `missing` names each sentence that is not
    proved."""
    try:
        proof = _InOrder(forms, seconds).proof()
    except (BadInput, Rejected) as error:
        proof = PartsProof([], missing={"": str(error)})
    proof.missing |= {claim.coordinate: claim.missing for claim in proof.claims if claim.missing is not None}
    return proof


def by_forms(document: Mapping[str, Any], home: Citable, statement: Statement, seconds: float) -> list[Node] | None:
    """The proof of a statement about the model of a document from the closed forms of the model: these are proved one
    after the other, then the statement. None if the model has no closed forms, if the statement speaks of more than
    one run and its string, and if the statement is not proved so within `seconds`."""
    try:
        forms = every_length(modelfile.loads(json.dumps(document)))
        order = _InOrder(forms, 2 * seconds)
        proof, sentences = order.stated()
        if leading_names(order.statement(proof).expanded) != leading_names(statement.expanded):
            return None
        asked = order.part(FormSentence("", None, present(statement.note)))
        for parts in (proof.claims, [*map(order.part, sentences.after)]):
            for part in parts:
                order.attempt(part)
            order.attempt(asked)
            if asked.missing is None:
                break
        else:
            return None
        g = Goal(home, statement.formula, {}, {})
        order.close(asked.formula, g)
        return pruned(g.nodes)
    except (Rejected, Stuck, SymcookError):
        return None


class _InOrder:
    """Proves the closed forms of a model: fixes the order of the sentences and the time for each, and leaves out those
    that are not proved."""

    def __init__(self, forms: EveryLength, seconds: float) -> None:
        """Proves `forms`, with the certificate, within `seconds` from now."""
        self.forms, self.model = forms, forms.model
        self.document = modelfile.to_document(forms.model)
        self.meaning = ModelMeaning(self.document, certify.definitions())
        # The sentences are proved by `until`. The other half of the time is for the rest of the certificate: that
        # every term is defined, and a string that satisfies the hypotheses of each part.
        self.until, self.end = Until(seconds / 2, 5 / 6), Until(seconds)
        self.parts: PartsInTurn | None = None  # the prover, with the proofs so far; None if it cannot read the model

    def proof(self) -> PartsProof:
        """Prove the sentences in this order: about coordinates on the way; about what the readout reads and answers;
        about coordinates after the last attention. The last group is mostly not needed. If some of it is proved, the
        readout's sentences that were not proved without it are tried again."""
        began, proof, sentences = time.process_time(), *self.stated()
        # `proof.claims` has the sentences on the way, then those of the readout.
        for part in proof.claims[: len(sentences.way)]:
            self.attempt(part)
        readout = proof.claims[len(sentences.way) :]
        after = {self.function(sentence) for sentence in sentences.after}
        for part in readout:
            definition = self.meaning.relation.whole.of.get(part.function)
            # A sentence about a function that reads one of `after` may need the form of that one, which is not proved
            # yet. So the first attempt is short.
            may_need_later = definition is not None and not after.isdisjoint(definition.reads())
            self.attempt(part, SOON if may_need_later else SECONDS)
        # The coordinates after the last attention. If no readout's sentence needs them, they only get a little time, or
        # none if the others took long. Those of these sentences that are not proved are not part of the result.
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
        """The plan, with the sentences on the way and of the readout; and all sentences as `EveryLength` states them.

        The sentences about what the readout reads are stated with fraction bars if every term is then proved to be
        defined, otherwise without (`cleared`). Sets `parts`, unless the prover cannot read the statement."""
        premises_text = " & ".join(self.forms.premises())
        for cleared in (False, True):
            sentences = self.forms.sentences(cleared)
            # The functions that need no sentence of the readout: "" is a value that is always 0. If the readout looks
            # at every position, the embedding and the sentences on the way already state its values.
            needless = {""}
            if self.model.readout.everywhere:
                needless |= {*self.meaning.relation.after[0, ""].values(), *map(self.function, sentences.way)}
            readout = [
                sentence
                for sentence in sentences.readout
                if sentence.stage is None or self.function(sentence) not in needless
            ]
            if not sentences.way and not readout:  # a model without layers: its forms are those of its embedding
                readout = sentences.readout
            proof = PartsProof([*map(self.part, [*sentences.way, *readout])], given=premises_text)
            statement = self.statement(proof)
            if cleared or self.defined(statement):
                break
        with suppress(OutsideFragment):
            whole_problem = problem(statement).here
            if not whole_problem.outside:
                goal = Goal(certify.library(statement, certify.citable()), statement.formula, {}, {})
                self.parts = PartsInTurn(whole_problem, goal)
        return proof, sentences

    def function(self, sentence: FormSentence) -> str:
        """The function of the formal statement that a sentence is about. It is "" for a sentence about the verdict or
        the answer, and for a coordinate that is always 0."""
        name, stage, meaning = sentence.coordinate, sentence.stage, self.meaning
        if stage is None:
            return ""
        return (meaning.stages(name)[stage] if stage else meaning.relation.held.get(meaning.names[name])) or ""

    def part(self, sentence: FormSentence) -> StatementPart:
        """The sentence with its formula, not proved yet."""
        function, text = self.function(sentence), sentence.text
        return StatementPart(sentence.coordinate, function, text, self.meaning.text(text))

    def statement(self, proof: PartsProof) -> Statement:
        """The formal statement of all sentences of `proof` that have no reason `missing`."""
        return certify.claim(self.document, proof.sentence)

    def defined(self, statement: Statement, seconds: float = math.inf) -> bool:
        """Whether it is proved, within `seconds`, that every term of a statement is defined (no division by zero)."""
        home = certify.library(statement, certify.citable())
        defined = attempted(lambda: certify.defined_part(home, statement.defined), self.limit(seconds))
        return not isinstance(defined, Failed)

    def limit(self, seconds: float) -> Until:
        """The moment after `seconds`, or `until` if that is sooner."""
        limit = Until(min(seconds, self.until.left))
        limit.clock = min(limit.clock, self.until.clock)
        return limit

    def attempt(self, part: StatementPart, seconds: float = SECONDS) -> None:
        """Prove a sentence within `seconds` and before `until`, or set its `missing` to the reason why it is not
        proved."""
        part.missing, parts = first_line(f"no proof was found of {part.sentence}"), self.parts
        if parts is None:
            return
        limit = self.limit(seconds)
        outcome = attempted(lambda: parts.prove(parts.g.formula(part.formula)), limit)
        if not isinstance(outcome, Failed):
            part.missing = None
        elif limit.left <= 0:
            part.missing = outcome.why

    def alone(self, part: StatementPart, given: str) -> bool:
        """Whether an optional sentence is proved with the premises `given`, and every term in it is defined. A sentence
        with an undefined term would make the certificate of all sentences fail."""
        self.attempt(part)
        return part.missing is None and self.defined(self.statement(PartsProof([part], given=given)), LITTLE)

    def certify(self, proof: PartsProof) -> None:
        """Set the certificate of the sentences that are proved.

        The hypotheses of each part must hold at some string. A verdict ``accept <-> F`` may have a side that holds at
        no string: then the verdict is left out, and the loop tries the other sentences. After any other error, all
        sentences that were proved have that error as their `missing`, and there is no certificate."""
        while proved := proof.proved:
            statement, claim = self.statement(proof), " & ".join(f"({part.formula})" for part in proved)
            try:
                parts = {"proof": partial(self.close, claim)}
                result = certify.certificate_of(statement, parts, self.subject(statement), self.end)
                proof.statement, (proof.certificate, proof.verdict) = statement, result
                return
            except (Rejected, Stuck, SymcookError) as error:
                unmet = isinstance(error, certify.Unmet)
                verdicts = [part for part in proved if unmet and part.coordinate == "verdict"]
                vacuous = 0 < len(verdicts) < len(proved)
                for part in verdicts if vacuous else proved:
                    part.missing = VACUOUS if vacuous else first_line(error)

    def close(self, claim: str, g: Goal) -> None:
        """Close the goal `g` of a statement whose conclusion is `claim`, a conjunction of proved sentences: with the
        proof steps that `parts` has made so far."""
        parts = present(self.parts)
        g.nodes += parts.g.nodes
        closed = parts.g.branch(parts.g.formula(claim))
        parts.close(closed)
        g.take(closed)

    def subject(self, statement: Statement) -> certify.Subject:
        """How the statement is tried: on short strings."""
        return certify.models(statement, self.document)
