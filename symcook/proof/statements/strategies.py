"""The one driver for a statement about a model: who is asked for a proof, in which order.

`STRATEGIES` is the order. A strategy is a function of a `StatementAsked` that returns an `Outcome`:

- `Ended` ends the search: the checker accepts a certificate, or an exact run shows a string on which it is false;
- `DecidedTrue` states that the statement is true, without a certificate: later strategies still search for one;
- `Failed` has the reason why there is no result.

`settled` asks one after the other. What they return, in order, is the answer to the question why a statement is open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.alarm import Until
from symcook.errors import BadInput, Undecided
from symcook.model.expr import Tree, parse_formula, show
from symcook.proof.claims.decision import ClaimDecision
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.limits import OutOfTime
from symcook.proof.search.tactics import Citable, Goal
from symcook.proof.statements import certify
from symcook.proof.statements.certify import Begun, Settled
from symcook.proof.statements.secondrun import other_strings
from symcook.proof.statements.shortruns import Tried
from symcook.proof.statements.trees import mapped

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.replay import Statement


SHARE = 4
"""A strategy has at most this part of the time, 1/4, so that most of it is left for those after it. Of 80 claims of an
unseen set with 20 s each, no strategy with this limit took more than 1.6 s for a proof, and those that failed up to
4.8 s. The last search found no proof for any of them, so that it has no more time for a claim that is decided."""
FOR_STATES = 2
"""A claim about states has this part of the time, 1/2, since the bridge is a second proof: the one of those 80 claims
that is proved so took 3.6 s."""


UNDIVIDED, UNDECIDED = "no part of the statement is proved", "automata and counts do not decide the statement"
"""The reasons of `by_parts` and `by_fragments` where these name no fact that is missing."""


@dataclass(frozen=True)
class Ended:
    """The statement is proved or refuted."""

    settled: Settled


@dataclass(frozen=True)
class DecidedTrue:
    """The statement is true, but there is no certificate. `by` names what decided it, `why` says why there is none."""

    by: str
    why: str = ""


Outcome = Ended | DecidedTrue | Failed


@dataclass
class StatementAsked:
    """A statement about a model, for the strategies.

    `document` is the model's document, `other` that of the second model, if the statement is about two. `until` is the
    end of the time for all strategies, `seconds` the time that they have together. `beside` are files of certificates
    beside the model, in which the theorem of its program may stand. `second_model` is the other model with its program,
    if it is known. `fixed` are the values of parameters, as text, that the document has in their place.
    `begun` is what automata and counts found out, once they were asked, and `tried` the result of short
    strings. `settled` is the last result of a search
    that found neither a proof nor a string. `outcomes` has what the strategies returned so far, by their names."""

    model: Transformer
    claim: Statement
    document: Mapping[str, Any]
    other: Mapping[str, Any] | None
    seconds: float
    until: Until
    beside: Sequence[Path] = ()
    second_model: Transformer | None = None
    fixed: Mapping[str, str] = field(default_factory=dict)
    begun: Begun | None = None
    tried: Tried | None = None
    settled: Settled | None = None
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    @property
    def bound(self) -> Transformer:
        """The model with the values of `fixed` in place of its parameters."""
        return self.model.bind(self.fixed, require=False)

    @property
    def decided(self) -> DecidedTrue | None:
        """What the first strategy that decided the statement true returned; None if none did."""
        return next((outcome for outcome in self.outcomes.values() if isinstance(outcome, DecidedTrue)), None)

    @property
    def reasons(self) -> tuple[tuple[str, str], ...]:
        """The strategies that were asked, by name, each with its reason, as one line."""
        said = {
            name: outcome.why if isinstance(outcome, Failed) else f"true, by {outcome.by}: {outcome.why}".rstrip(": ")
            for name, outcome in self.outcomes.items()
            if not isinstance(outcome, Ended)
        }
        return tuple(said.items())

    @property
    def nearest(self) -> str:
        """The nearest missing fact: the part of the statement that is not proved, else what automata and counts do
        not read. "" where none of them says."""
        reasons = (self.outcomes.get(name) for name in ("parts", "automata and counts"))
        missing = [outcome.why for outcome in reasons if isinstance(outcome, Failed | DecidedTrue) and outcome.why]
        return next((why for why in missing if why not in (UNDIVIDED, UNDECIDED)), "")

    @property
    def ended_by(self) -> str:
        """The words of `NAMED` for the strategy that ended the search; "" for another one."""
        ended = [name for name, outcome in self.outcomes.items() if isinstance(outcome, Ended)]
        return NAMED.get(ended[-1], "") if ended else ""

    @property
    def begun_true(self) -> bool:
        """Whether automata decided the statement true."""
        return self.begun is not None and self.begun.decision.true

    @property
    def compiled(self) -> bool:
        """Whether the statement is about one run of a compiled model."""
        return self.model.program is not None and self.other is None and not other_strings(self.claim.note or "")

    def in_words(self, formula: str) -> str:
        """A formula of the run with symbols in the place of their numbers: `at(a, n)` for `w(n) = 0`."""
        tokens = [*(self.document["embedding"]["words"] or ())]

        def named(tree: Tree) -> Tree:
            if tree[0] != "=" or tree[1][:2] != ("call", "w") or tree[2][0] != "num":
                return mapped(tree, named)
            token = tokens[tree[2][1]]
            return ("call", "at", (("name", token if token.isidentifier() else repr(token)), *tree[1][2]))

        with suppress(BadInput):
            return show(named(parse_formula(formula)))
        return formula

    @cached_property
    def subject(self) -> certify.Subject:
        """How the statement is tried on strings, decided and proved by the automation. Of a compiled model, the theorem
        of its program is used where there is one."""
        from symcook.proof.programs.byprogram import ByProgram

        subject = certify.models(self.claim, self.document, self.other)
        if self.compiled:
            with suppress(BadInput, Undecided):
                theorem = ByProgram(self.model, self.document, self.beside)
                search = partial(theorem.search, seconds=self.seconds / SHARE)
                automatic = partial(certify.automatic, other=search)
                subject = replace(subject, decide=theorem.decide, automatic=automatic)
        return subject


Strategy = Callable[[StatementAsked], Outcome]


def by_program(question: StatementAsked) -> Outcome:
    """The proof that follows the operations of a compiled program."""
    from symcook.proof.programs import compiledprograms

    if not question.compiled:
        return Failed("the model is not compiled, or the statement is about a second run")
    settled = compiledprograms.settle(question.model, question.claim, question.document, question.seconds)
    return Failed("the statement does not follow from the lines of its program") if settled is None else Ended(settled)


def by_fragments(question: StatementAsked) -> Outcome:
    """The decision procedures: automata over positions, counts with linear arithmetic, and cases on positions."""
    begun = certify.by_fragments(question.claim, question.subject, question.until, question.seconds)
    question.begun = begun
    if begun.settled is not None:
        return Ended(begun.settled)
    decision = begun.decision
    if decision.true and decision.fragment is not None:
        return DecidedTrue(decision.fragment, decision.outside or "")
    return Failed(decision.outside or UNDECIDED)


def by_edits(question: StatementAsked) -> Outcome:
    """A statement about an edited string of another length, as one about the first string."""
    from symcook.proof.statements import editedruns

    claim = question.claim
    if not editedruns.serves(claim.note or ""):
        return Failed("the statement is not about an edited string of another length")
    home, seconds = certify.library(claim, certify.citable()), min(question.seconds / SHARE, question.until.left)
    decision = editedruns.decided(claim, question.document, home, seconds)
    if isinstance(decision, Failed):
        return decision
    settled = certify.confirmed(claim, question.subject, decision, question.until, ())
    return Failed("the checker does not accept the proof that was found") if settled is None else Ended(settled)


def by_languages(question: StatementAsked) -> Outcome:
    """What `decide` knows: automata of the model and of the string, invariants of counters, two models."""
    from symcook.proof.statements import languages

    if question.decided is not None:
        return Failed("the statement is decided true")
    models, until = (question.model, question.second_model), Until(question.seconds / SHARE, 1 / 3)
    verdict = languages.decided(question.claim.note or "", question.document, question.other, models, until)
    if isinstance(verdict, Failed):
        return Failed(f"decide does not answer the statement: {verdict.why}")
    if verdict.word is None:
        return DecidedTrue(verdict.by)
    # The string, with the tokens that the model adds, is run before it counts.
    tokens = {token: number for number, token in enumerate(question.document["embedding"]["words"])}
    string = tuple(tokens[token] for token in question.model.embedding.surround(verdict.word))
    decision = ClaimDecision(verdict.by, string=string)
    settled = certify.confirmed(question.claim, question.subject, decision, question.until, ())
    if settled is None:
        return Failed("the statement is true on the string on which it was decided false")
    return Ended(settled)


def by_strings(question: StatementAsked) -> Outcome:
    """Exact runs of short strings, the smallest first. A statement that is decided true is not tried."""
    if question.decided is not None:
        return Failed("the statement is decided true")
    settled, question.tried = certify.on_strings(question.claim, question.subject, question.until, question.seconds)
    if settled is not None:
        return Ended(settled)
    covered = question.tried.true_of(question.bound)
    return Failed(f"the statement is true of {covered}" if covered else "no length was tried to its end")


def by_exponents(question: StatementAsked) -> Outcome:
    """A claim about probabilities as a claim about the numbers in their exponents."""
    from symcook.proof.statements import orders

    return _certified(question, _proved(question, orders.prove))


def by_norms(question: StatementAsked) -> Outcome:
    """The values that norms of symbols have, in place of their equations."""
    from symcook.proof.statements import bysymbol

    return _certified(question, _proved(question, bysymbol.prove))


def by_counts(question: StatementAsked) -> Outcome:
    """A claim about sums over all positions, or about all positions, as one about the counts of symbols."""
    from symcook.proof.statements import symbolcounts

    return _certified(question, _proved(question, symbolcounts.prove))


def by_weights(question: StatementAsked) -> Outcome:
    """A claim about softmax heads whose weights have a sum in closed form."""
    from symcook.proof.statements import weightsums

    proved = _proved(question, weightsums.prove)
    return proved if isinstance(proved, Failed) else _certified(question, proved)


def by_means(question: StatementAsked) -> Outcome:
    """A claim that bounds what a uniform head writes at the last position."""
    from symcook.proof.statements import meanbounds

    proved = _proved(question, meanbounds.prove)
    return proved if isinstance(proved, Failed) else _certified(question, proved)


def by_norm_signs(question: StatementAsked) -> Outcome:
    """A claim about the sign or the size of what a layer norm writes."""
    from symcook.proof.statements import normfacts

    proved = _proved(question, normfacts.prove)
    return proved if isinstance(proved, Failed) else _certified(question, proved)


def by_parts(question: StatementAsked) -> Outcome:
    """The statement in parts: conjuncts, contrapositives, and cases by the symbol at a position."""
    from symcook.proof.statements import inparts

    proved = _proved(question, inparts.prove)
    if isinstance(proved, Failed):
        return Failed(question.in_words(proved.why) or UNDIVIDED)
    return _certified(question, proved)


def by_states(question: StatementAsked) -> Outcome:
    """A claim that automata of the model and of the string decided true, as one about the states of the automaton."""
    from symcook.proof.statements import bylanguage, languages

    if question.decided is None or question.decided.by != languages.AUTOMATA or question.other is not None:
        return Failed("no automaton of the model decides the statement")
    prove = partial(bylanguage.prove, model=question.model, document=question.document, decider=question.subject.decide)
    return _certified(question, _proved(question, prove, share=FOR_STATES))


def _proved(
    question: StatementAsked, prove: Callable[[Citable, Statement, float], Goal | Failed], share: int = SHARE
) -> Goal | Failed:
    """What `prove` finds in the remaining time divided by `share`: a closed goal, or why there is none."""
    home = certify.library(question.claim, certify.citable())
    return prove(home, question.claim, min(question.seconds, question.until.left) / share)


def _certified(question: StatementAsked, proved: Goal | Failed) -> Outcome:
    """The certificate with this proof; or why there is none."""
    if isinstance(proved, Failed):
        return proved
    claim, begun = question.claim, question.begun
    parts = {"proof": partial(Goal.take, trial=proved)}
    strings = begun.strings if begun is not None else ()
    # The limit of time is that of `certificate_of`.
    made = attempted(lambda: certify.certificate_of(claim, parts, question.subject, question.until, strings))
    return made if isinstance(made, Failed) else Ended(Settled(*made, question.tried))


def by_search(question: StatementAsked) -> Outcome:
    """A search for a proof: by the automation, from the closed forms of the model, and by terms of the first run for
    statements about edited strings."""
    from symcook.proof.statements import editedruns

    subject, left = question.subject, question.until.left
    if question.other is None and not question.model.pointwise and not question.compiled:
        from symcook.proof.statements.inturn import by_forms

        forms = partial(by_forms, question.document, seconds=question.seconds / SHARE)
        subject = replace(subject, automatic=partial(certify.automatic, other=forms))
    if editedruns.serves(question.claim.note or ""):
        edits = partial(editedruns.searched, question.document, seconds=question.seconds / SHARE)
        subject = replace(subject, automatic=partial(certify.automatic, other=edits))
    # Automata may help the search for a proof; what `decide` found out does not, so less time is spent then.
    decided = question.decided
    until = question.until if decided is None or question.begun_true else Until(question.seconds / SHARE)
    settled = certify.searched(
        question.claim, None, subject, until, max(left, 1), decided is None, question.begun, question.tried
    )
    if settled.missing is None:
        return Ended(settled)
    question.settled = settled
    return Failed(str(settled.missing).partition("\n")[0])


STRATEGIES: tuple[tuple[str, Strategy], ...] = (
    ("the proof of its program", by_program),
    ("automata and counts", by_fragments),
    ("edited strings", by_edits),
    ("languages", by_languages),
    ("states", by_states),
    ("short strings", by_strings),
    ("exponents", by_exponents),
    ("norms", by_norms),
    ("counts of symbols", by_counts),
    ("sums of weights", by_weights),
    ("bounds of means", by_means),
    ("signs of norms", by_norm_signs),
    ("parts", by_parts),
    ("search", by_search),
)
"""The strategies with their names, in the order in which they are asked."""


NAMED = {
    "states": "states of the model's automaton",
    "sums of weights": "sums of weights",
    "bounds of means": "bounds of means",
    "signs of norms": "signs of norms",
}
"""How an answer names the strategies whose certificate is about a structure that the user can look at."""


def settled(question: StatementAsked) -> Settled:
    """The result for a statement by `STRATEGIES`: that of the first one which proves or refutes it, else that of the
    search, with the reason why there is no proof."""
    for name, strategy in STRATEGIES:
        outcome = question.outcomes[name] = strategy(question)
        if isinstance(outcome, Ended):
            return outcome.settled
    if question.settled is None:
        raise OutOfTime("the time is over")
    return question.settled
