"""A user's statement about a model: from its text to a certificate that the checker accepts.

`claim` makes the formula: it quantifies the names of a run, and the string and the run's equations are premises (see
`runrel`), so that it is about strings of every length. The module `reader` defines how a statement is written, and
`vocabulary` what its names mean. `settle` then proves or refutes the statement: by the decision procedures, by short
strings, by a proof text or by the automation. `again` checks a stored certificate. Only the checker that is called at
the end is trusted.

A certificate of a proved statement has three proofs: of the statement; D, that every term of the statement is defined;
and H, that its hypotheses can be satisfied. A certificate of a refuted statement has one proof, of the refutation.
"""

from __future__ import annotations

import itertools
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from symcook.alarm import TimeUp, Until
from symcook.errors import BadInput, Rejected
from symcook.model.modelfile import document_hash
from symcook.present import present
from symcook.proof import kernel, replay
from symcook.proof.claims import premises
from symcook.proof.claims.decision import COUNTS, ClaimDecision, Decider, decide
from symcook.proof.replay import Statement, Verdict
from symcook.proof.search import automation, elaborate, limits, prooftext
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.elaborate import Elaborator, StepGap
from symcook.proof.search.limits import OutOfTime, limited
from symcook.proof.search.liveness import pruned
from symcook.proof.search.prooftext import BadProof, Place, ProofText, TextLine
from symcook.proof.search.step import shown
from symcook.proof.search.tactics import Citable, Goal, Stuck, intro_all, try_each
from symcook.proof.statements import certify
from symcook.proof.statements.facts import Facts, Trying, parts
from symcook.proof.statements.heads import HeadFacts, Quick
from symcook.proof.statements.meanings import Handed, Meanings
from symcook.proof.statements.reader import MUST
from symcook.proof.statements.secondrun import names_second_model
from symcook.proof.statements.shortruns import Runs, Tried, WordsSpent
from symcook.proof.statements.vocabulary import ModelMeaning, named
from symcook.proof.statements.witness import at_word, shown_inhabited, ways
from symcook.proof.terms import COMPARISONS, Term, variables

if TYPE_CHECKING:
    from symcook.proof.search.tactics import Node


DEEP = 20_000
"""The limit of recursion while a statement is read."""
SECONDS = 60.0
"""The default time for a statement, in seconds."""
FOR_CASES = 5 / 8
"""The part of the time within which a statement that automata decide true is proved by cases on positions. Three
eighths are left: the checker takes up to a quarter of 8 s for the proofs that are found."""

LONG_SUMS = tuple(replace(level, signs=200) for level in automation.LEVELS[:2])
"""The levels of the automation for D. More `signs` than usual: a layer norm has the root of a sum with one square for
each coordinate."""


# A long conjunction or a long list of premises nests deep in the formula. These limits keep the nesting low.
LONG = 60
"""With more truth functions than this, the premises about them are bracketed in halves."""
WIDE = 150
"""With more equations than this, or with more than `LONG` truth functions, a run is bracketed in halves."""
ROWS = 120
"""With more truth functions than this, several of them are the rows of one function of two arguments (`in_rows`)."""
ROW = 8
"""How many truth functions are the rows of one function. No more, since the proof of H repeats the values of the whole
function for each row."""


class Unfit(Rejected):
    """The parts of a proof that are given as code (`ProofParts`) do not prove the statement."""


@contextmanager
def deeper() -> Iterator[None]:
    """A context, or decorator, with a recursion limit for a statement that nests as deep as the grammar permits."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@deeper()
def claim(document: Mapping[str, Any], sentence: str, other: Mapping[str, object] | None = None) -> Statement:
    """The formal statement for `sentence` about the model of a document; BadInput for an invalid sentence.

    The statement has the sentence as its note, and the hash of the model. It is about all values of the model's symbols
    in their intervals. `other` is the document of a second model, which the sentence may be about too; it must have no
    symbols.
    """
    sentence = one_line(sentence)
    meaning = ModelMeaning(document, definitions(), other)
    if other is not None and not names_second_model(sentence):  # else it would only leave out strings
        do = "write other.accept or other.NAME, or give one model"
        raise BadInput("a statement about two models must name the second one", sentence, do)
    text = meaning.text(sentence)
    # The equations of the truth functions are premises too. They bind q; if a coordinate is called q, another name.
    truths = [] if meaning.truths is None else [f"({equation})" for equation in meaning.truths.equations()]
    if "q" in meaning.sorts:
        new_q = next(name for name in (f"q{k}" for k in itertools.count()) if name not in meaning.taken)
        truths = [re.sub(r"\bq\b", new_q, equation) for equation in truths]
    sorts = dict(meaning.sorts)
    if len(truths) > ROWS and meaning.truths is not None:  # each name is a level of nesting, so use fewer names
        in_row, rows = in_rows(meaning)
        truths, text = [in_row(equation) for equation in truths], in_row(text)
        sorts = {name: sort for name, sort in sorts.items() if name not in meaning.truths.lines.values()}
        sorts |= dict.fromkeys(rows, "Int*Int->Int")
    # Each premise is a level of nesting, and each part of a conjunction in a row. Halves keep the nesting low.
    run = in_halves(meaning.parts) if len(truths) > LONG or len(meaning.parts) > WIDE else meaning.run
    premises = f"{in_halves(truths)} -> " if len(truths) > LONG else "".join(f"{truth} -> " for truth in truths)
    stated_text = stated(sorts, [*meaning.least, *meaning.regions], meaning.word, run, f"{premises}({text})")
    return read_statement(
        Statement(
            named(document["name"]), stated_text, note=sentence, known=definitions(), model=hashes(document, other)
        )
    )


def stated(sorts: Mapping[str, str], some: Sequence[str], word: str | None, run: str, said: str) -> str:
    """The text of a formal statement: for all names with their `sorts`, the formulas `some`, the premise `word` about
    the string (None for none) and the equations `run` imply `said`."""
    names = ", ".join(f"{name}:{sort}" for name, sort in sorts.items())
    parts = [" & ".join(some)] if some else []
    parts += [] if word is None else [f"({word})"]
    return f"all {names}. {' -> '.join([*parts, run, said])}"


def read_statement(statement: Statement) -> Statement:
    """`statement`, if its text is a formula; BadInput with its note for any other text."""
    try:
        statement.formula  # noqa: B018  (reads the text at its first use)
    except Rejected as error:
        raise BadInput(MUST, statement.note, str(error)) from None
    return statement


def hashes(document: Mapping[str, Any], other: Mapping[str, object] | None = None) -> str:
    """The hash of the model that a statement is about; the hashes of both models, with a space, if it is about two."""
    return " ".join(document_hash(model_document) for model_document in (document, other) if model_document is not None)


def in_rows(meaning: ModelMeaning) -> tuple[Callable[[str], str], list[str]]:
    """A function that changes a text so that truth functions are rows of larger functions; and the names of the larger
    functions, which are new names.

    With `ROW` = 8 rows each, the eleventh truth function at i becomes ``z2(3, i)``, and its name alone, without
    arguments, becomes ``j. z2(3, j)``."""
    names = [*present(meaning.truths).lines.values()]
    others = {*meaning.taken} - {*names}
    numbers = range(1, -(-len(names) // ROW) + 1)
    stem = next(
        f"z{'_' * k}" for k in itertools.count() if not any(f"z{'_' * k}{number}" in others for number in numbers)
    )
    rows = {name: f"{stem}{k // ROW + 1}({k % ROW + 1}, " for k, name in enumerate(names)}

    def as_row(match: re.Match[str]) -> str:
        row = rows.get(match[1])  # match[2] is the bracket that opens an argument
        return match[0] if row is None else row if match[2] else f"j. {row}j)"

    return lambda text: re.sub(r"\b(z\d+_*)\b(\()?", as_row, text), [f"{stem}{number}" for number in numbers]


def in_halves(parts: Sequence[str]) -> str:
    """The conjunction of `parts`, with brackets around its halves and again in each half. At most two parts are joined
    without brackets, so each part must have its own where it needs them."""
    half = len(parts) // 2
    return " & ".join(parts) if len(parts) <= 2 else f"({in_halves(parts[:half])}) & ({in_halves(parts[half:])})"


def one_line(sentence: str) -> str:
    """The sentence with its line ends and tabs as spaces, without blanks at either end."""
    return sentence.translate(dict.fromkeys(map(ord, "\t\r\n"), " ")).strip()


@deeper()
def meaning(document: Mapping[str, Any], sentence: str) -> ModelMeaning:
    """The meaning of the names in a sentence about the model of a document; BadInput for an invalid sentence."""
    model_meaning = ModelMeaning(document, definitions())
    model_meaning.text(one_line(sentence))
    return model_meaning


def definitions() -> Mapping[str, Any]:
    """The definitions of the stored statements; empty if no statement is stored."""
    return next(iter(replay.statements().values())).known if replay.statements() else {}


class _Facts(Mapping[str, Term]):
    """By label: the axioms, and the formulas of the statements `known`. A formula is read when it is first used, since
    most proofs cite few of them."""

    def __init__(self, known: Mapping[str, Statement]) -> None:
        self.axioms, self.known = {f"ax:{k}": f for k, f in kernel.axioms().items()}, known

    def __getitem__(self, label: str) -> Term:
        return self.axioms[label] if label in self.axioms else self.known[label].formula

    def __contains__(self, label: object) -> bool:
        return label in self.axioms or label in self.known

    def __iter__(self) -> Iterator[str]:
        return itertools.chain(self.axioms, self.known)

    def __len__(self) -> int:
        return len(self.axioms) + len(self.known)


def library(statement: Statement, known: Mapping[str, Statement]) -> Citable:
    """What a proof of `statement` may cite: the axioms, and the lemmas and statements `known` by label."""
    texts = {**known, "": statement}
    return Citable(statement.known, _Facts(known), texts=lambda k: texts[k].expanded if k in texts else None)


class Unmet(StepGap):
    """The statement is proved, but no string was found on which its hypotheses hold."""


class Vacuous(Rejected):
    """No string satisfies the premises of the statement, or those of one of its parts, which is then vacuously true."""

    def __init__(self, sentence: str, decision: ClaimDecision) -> None:
        """`decision` states that no string meets the premises of `sentence`, or those of one of its parts."""
        sides = " (the sides of <-> are premises of each other)" if "<->" in sentence else ""
        why = f"decided true by {decision.fragment}, only because no string meets its premises{sides}"
        super().__init__(f"{why}; such a statement is not PROVED, so change the premises")


@dataclass(frozen=True)
class Settled:
    """The result for a statement: the certificate with the checker's verdict, the result of short strings `tried`, and
    what is missing.

    Without a certificate there are two cases. Either the run shows that the statement is false on the string
    `tried.word`, but no proof of the negation was found; `missing` is then None. Or `missing` is the gap in the proof,
    the end of the time, or the reason why there can be no certificate. `decision` is the result of the decision
    procedures, None if they were not used.
    """

    certificate: dict[str, Any] | None
    verdict: Verdict | None
    tried: Tried | None
    missing: StepGap | OutOfTime | Unfit | Vacuous | None = None
    decision: ClaimDecision | None = None

    @property
    def fragment(self) -> str | None:
        """The name of the decision procedure that found the proof, or a string on which the statement is false."""
        decision = self.decision
        if decision is None or (decision.string is None and decision.proved is None):
            return None
        return f"{decision.by}{decision.fragment}"


@dataclass(frozen=True)
class Subject:
    """How a statement is tried on short strings and proved, for a kind of statements: about a model, or a family.

    `runs` makes the runs of the statement, with a time limit. `automatic` searches for a proof. `patient` makes runs
    that try more strings, for use after no proof was found; None if there are none. `decide` are the decision
    procedures, None for `claims.decision.decide`."""

    runs: Callable[[Until | None], Runs]
    automatic: Callable[[Citable, Statement], list[Node]]
    patient: Callable[[Until | None], Runs] | None = None
    decide: Decider | None = None


def models(
    statement: Statement, document: Mapping[str, object] | None, other: Mapping[str, object] | None = None
) -> Subject:
    """How a statement about the model of `document`, and perhaps about a second model `other`, is tried and proved."""
    return Subject(lambda until: Runs(statement, document, until, other=other), automatic)


ProofParts = Mapping[str, Callable[[Goal], None]]
"""Parts of a proof as code: by name (``proof``, ``defined``, ``inhabited``), a function that closes the goal."""


def settle(
    statement: Statement,
    document: Mapping[str, object] | None,
    text: ProofText | ProofParts | None = None,
    seconds: float = SECONDS,
    words: bool = True,
    other: Mapping[str, object] | None = None,
    subject: Subject | None = None,
) -> Settled:
    """The result for a statement, within `seconds`.

    The order is: the decision procedures, if no `text` is given; short strings, unless `words` is false or the
    statement is decided true; the proof by the `text` (or by its parts as code), or by the automation. If no proof was
    found, short strings are tried now if they were not tried before, or more of them if the `subject` is `patient`. A
    text that refutes is run alone: no string is tried. `other` is the document of a second model. A statement that is
    not about a model's document needs its `subject`.

    Raises BadProof for an invalid text, BadInput for one that cites what is not proved, Rejected if the checker does
    not accept what was found.
    """
    if not isinstance(text, Mapping):
        _headed(statement, text)
    until, subject = Until(seconds), subject or models(statement, document, other)
    begun = None
    if text is None:
        begun = by_fragments(statement, subject, until, seconds)
        if begun.settled is not None:
            return begun.settled
    return searched(statement, text, subject, until, seconds, words, begun)


@dataclass(frozen=True)
class Begun:
    """What the decision procedures found out about a statement: the result, or None if they do not settle it; their
    decision; and strings on which the hypotheses of the statement hold."""

    settled: Settled | None
    decision: ClaimDecision
    strings: Sequence[Sequence[int]] = ()


def by_fragments(statement: Statement, subject: Subject, until: Until, seconds: float) -> Begun:
    """What the decision procedures find out about a statement, within a part of the `seconds` and until the time
    `until`: a quarter of them to decide it, and `FOR_CASES` of them where automata decide it true and its proof by
    cases on positions is missing.

    Their proof counts only if the checker accepts it, and their string only if the run there shows that the statement
    is false (`confirmed`). A true statement whose premises never hold is vacuous."""
    home = library(statement, citable())
    decider = subject.decide or decide
    for_cases = Until(min(FOR_CASES * seconds, until.left), FOR_CASES)
    decision, strings = decider(statement, home, Until(min(seconds / 4, until.left), 1 / 4), for_cases=for_cases), ()
    if decision.true or decision.proved is not None:
        hypotheses = premises.asked(statement, home, Until(min(seconds / 8, until.left), 1 / 8), decider)
        if hypotheses.unmet is not None:
            vacuous = Vacuous(statement.note, hypotheses.unmet)
            return Begun(Settled(None, None, None, vacuous, decision.unconfirmed), decision.unconfirmed)
        strings = hypotheses.strings
    settled = confirmed(statement, subject, decision, until, strings)
    return Begun(settled, decision.unconfirmed, strings)


def searched(
    statement: Statement,
    text: ProofText | ProofParts | None,
    subject: Subject,
    until: Until,
    seconds: float,
    words: bool = True,
    begun: Begun | None = None,
    tried: Tried | None = None,
) -> Settled:
    """The result for a statement by short strings and by a search for a proof (see `settle`), until the time `until`.
    `begun` is what the decision procedures found out, if they were used, and `tried` the result of short strings, if
    these were tried."""
    refutes = isinstance(text, ProofText) and text.refutes
    decision, strings = (begun.decision, begun.strings) if begun is not None else (None, ())
    if words and tried is None and not refutes and not (decision and decision.true):
        by_strings, tried = on_strings(statement, subject, until, seconds)
        if by_strings is not None:
            return by_strings
    # The proof. If it has a gap, short strings are tried, unless that was done and the subject has no larger budget.
    try:
        return Settled(*certificate_of(statement, text, subject, until, strings), tried, decision=decision)
    except (StepGap, OutOfTime, Unfit) as error:
        if (tried is None or subject.patient) and not refutes:
            longer = replace(subject, runs=subject.patient or subject.runs)
            runs, tried = _try_strings(longer, Until(seconds / (4 if decision is None else 8), 1 / 4))
            if tried.word is not None:
                return Settled(*refute(statement, runs, Until(seconds / 4, 1 / 4)), tried)
        return Settled(None, None, tried, error, decision)


def confirmed(
    statement: Statement, subject: Subject, decision: ClaimDecision, until: Until, strings: Sequence[Sequence[int]]
) -> Settled | None:
    """The result if a decision has a proof that the checker accepts, or a string on which the run shows that the
    statement is false; None if it has neither. `strings` are tried first for the hypotheses of the statement."""
    if decision.proved is not None:
        with suppress(StepGap, OutOfTime, Unfit):
            parts = {"proof": partial(Goal.take, trial=decision.proved)}
            return Settled(*certificate_of(statement, parts, subject, until, strings), None, decision=decision)
    if decision.string is not None:
        tried = None
        # A decision by counts gives a string that need not be the first of its length and, unless `shortest` is set,
        # need not have the least length. So the short strings are tried in order, for a smaller one.
        if decision.fragment == COUNTS:
            runs, tried = _try_strings(subject, Until(until.left / 8, 1 / 8))
            if tried.word is not None:
                return Settled(*refute(statement, runs, until), tried, decision=decision)
        # Otherwise the string of the decision is run on its own.
        runs = subject.runs(until)
        with suppress(WordsSpent):
            for holds in runs.on(decision.string):
                if holds and runs.false() and runs.runs():
                    # The statement is true on all strings up to `reached`: on all shorter ones, or on those tried.
                    shorter = len(decision.string) - 1
                    reached = shorter if decision.shortest else min(tried.length, shorter) if tried is not None else 0
                    tried = runs.refuting(reached, unsought=_unsought(decision, reached))
                    return Settled(*refute(statement, runs, until), tried, decision=decision)
    return None


def _unsought(decision: ClaimDecision, reached: int) -> str | None:
    """Which smaller strings than that of a decision may be counterexamples too, if no string with up to `reached`
    positions is one; None for a decision procedure that gives the smallest string."""
    if decision.fragment != COUNTS:
        return None
    if decision.string is not None and reached + 1 < len(decision.string):
        return "a string, perhaps not the smallest: shorter ones were not all tried"
    return "no shorter one; others of its length were not tried"


def on_strings(statement: Statement, subject: Subject, until: Until, seconds: float) -> tuple[Settled | None, Tried]:
    """The result for a statement that is false on a short string, else None; and what was tried, within a part of the
    `seconds`."""
    runs, tried = _try_strings(subject, Until(seconds / 4, 1 / 4))
    return None if tried.word is None else Settled(*refute(statement, runs, until), tried), tried


def _try_strings(subject: Subject, until: Until) -> tuple[Runs, Tried]:
    """The runs of a statement, and their result on short strings."""
    runs = subject.runs(until)
    return runs, runs.tried()


def prove(
    statement: Statement, text: ProofText | None = None, document: Mapping[str, object] | None = None
) -> dict[str, Any]:
    """The certificate of a statement, by a proof text or by the automation, without a time limit.

    With the `document` of a model, the string for the hypotheses must be one on which the model has a run. Raises
    StepGap with the remaining goal if the proof has a gap, Unmet if only a string for the hypotheses is missing, and
    otherwise the errors of `settle`.
    """
    _headed(statement, text)
    return certificate_of(statement, text, models(statement, document), None)[0]


@dataclass(frozen=True)
class Certified:
    """A sentence that is PROVED: its statement, the certificate and the checker's verdict."""

    statement: Statement
    certificate: dict[str, Any]
    verdict: Verdict


def certified(
    document: Mapping[str, Any], sentence: str, text: str | None = None, seconds: float = SECONDS
) -> Certified | None:
    """A sentence about the model of a document, proved by the generated proof `text`, or without a text by the
    automation. None if there is no proof, if the proof assumes a named theorem, or if the time is over.

    `text` may be without a heading: then the names are introduced, the premises have the labels `some` and `word`, and
    each equation of the run has the label NAME_is (a single equation has the label `run`). The checker has accepted the
    result. It is None also for an invalid text (one of its labels may be a name of the model). Raises BadInput for an
    invalid sentence, and for a proof that cites a statement which is not proved.
    """
    statement = claim(document, sentence)
    try:
        if text is not None and not text.startswith("proof "):
            text = headed_lines(statement, text)
        read = None if text is None else prooftext.read(text)
        _headed(statement, read)
        certificate, verdict = certificate_of(statement, read, models(statement, document), Until(seconds))
    except (Rejected, OutOfTime, BadProof):
        return None
    proved = verdict.status == "PROVED" and not verdict.assuming
    return Certified(statement, certificate, verdict) if proved else None


def headed_lines(statement: Statement, lines: str) -> str:
    """A proof text of the statement with these lines; its heading labels the premises."""
    return f"proof {statement.id}\n  given .. {' '.join(parts(statement).labels)}\n" + textwrap.indent(lines, "  ")


def _headed(statement: Statement, text: ProofText | None) -> None:
    """Check the heading of a proof text, if there is a text: BadProof if it is for another statement."""
    if text is not None and text.id != statement.id:
        raise BadProof(Place(1, 1), f"expected a text of {statement.id}", text.id)


def certificate_of(
    statement: Statement,
    text: ProofText | ProofParts | None,
    subject: Subject,
    until: Until | None,
    strings: Sequence[Sequence[int]] = (),
) -> tuple[dict[str, Any], Verdict]:
    """The certificate with the checker's verdict. The automation finds the parts that `text` does not have, but for a
    text that refutes, whose certificate has its part `proof` alone. `strings` are tried first for the hypotheses.
    Raises StepGap for a gap, OutOfTime at the end of the time, and Unfit if parts that are code do not fit."""
    home = library(statement, citable())
    with limited(until):
        if isinstance(text, ProofText) and text.refutes:
            parts = {"proof": elaborate.part(home, text, "proof", statement.refutation)}
            return judged(statement, parts, "refuted")
        # The parts: the statement itself, D (every term is defined), and H (the hypotheses can be satisfied).
        goals = {"proof": statement.formula, "defined": statement.defined, "inhabited": statement.inhabited}
        parts = {name: _part_of_proof(home, text, name, goal) for name, goal in goals.items()}
        if parts["proof"] is None:
            parts["proof"] = subject.automatic(home, statement)
        if parts["defined"] is None:
            parts["defined"] = defined_part(home, statement.defined)
        if parts["inhabited"] is None:
            parts["inhabited"] = inhabited(home, statement, subject.runs(until), strings)
    proofs = {name: nodes for name, nodes in parts.items() if nodes is not None}
    try:
        return judged(statement, proofs, "proved")
    except Rejected as error:
        if isinstance(text, Mapping):
            raise Unfit(f"the written proof is not accepted: {str(error).partition(chr(10))[0]}") from None
        raise


def _part_of_proof(home: Citable, text: ProofText | ProofParts | None, name: str, goal: Term) -> list[Node] | None:
    """The part `name` of a proof, by a text or by code; None if `text` does not have it, so that the automation must
    find it. Unfit if the code does not close the goal."""
    if isinstance(text, Mapping) and name in text:
        g = Goal(home, goal, {}, {})
        try:
            text[name](g)
        except StepGap:
            raise
        except (Rejected, Stuck) as error:
            raise Unfit(f"the written proof does not fit: {str(error).partition(chr(10))[0]}") from None
        return pruned(g.nodes)
    if isinstance(text, ProofText) and (name == "proof" or name in text.parts):
        return elaborate.part(home, text, name, goal)
    return None


OtherSearch = Callable[["Citable", "Statement"], "list[Node] | None"]
"""A search for a proof that knows more than the statement; None where it finds none."""


def automatic(home: Citable, statement: Statement, other: OtherSearch | None = None) -> list[Node]:
    """The proof of a statement by the first of several `attempts` that succeeds; the search `other` comes second.
    StepGap with the goal that remains of the last attempt, if none does; OutOfTime if the time ends before."""

    def attempts() -> Iterator[tuple[Elaborator, str]]:
        """The proof texts to try, as lines, each with its elaborator: first the automation at its first levels, then
        lines about the run's equations, then the automation at all levels."""
        yield Elaborator(automation.LEVELS[:2]), "qed\n"
        with suppress(Rejected):  # the lines may be too long for a proof text
            facts = Facts(statement)
            yield from ((Trying(), lines) for lines in (*facts.alike(), *facts.stored()))
            yield from ((Quick(), lines) for lines in HeadFacts(facts).texts())
            meanings = Meanings(facts)
            yield from ((Handed(), lines) for lines in meanings.texts())
            yield from ((Trying(), lines) for lines in facts.texts())
            yield from ((Handed(), lines) for lines in meanings.texts(True))
        yield Elaborator(), "qed\n"

    unproved: Exception | None = None
    for elaborator, lines in attempts():
        g = Goal(home, statement.formula, {}, {})
        try:
            elaborator.block(g, prooftext.read(headed_lines(statement, lines)).parts["proof"], Place(1, 1))
        except (StepGap, BadProof) as error:
            unproved = error
        except TimeUp:  # report the goal that the last attempt left, or the whole goal if no attempt has ended
            remaining = (
                str(unproved).partition("\n")[2] if isinstance(unproved, StepGap) else _remaining(home, statement)
            )
            raise OutOfTime(f"the time is over\n{remaining}") from None
        else:
            return pruned(g.nodes)
        if other is not None:
            if (nodes := other(home, statement)) is not None:
                return nodes
            other = None
    raise present(unproved)


def _remaining(home: Citable, statement: Statement) -> str:
    """The goal of a statement after its names and premises are introduced, as text."""
    g = Goal(home, statement.formula, {}, {})
    elaborator = Elaborator(automation.LEVELS[:1])
    for line in prooftext.read(headed_lines(statement, "")).parts["proof"]:
        elaborator.line(g, line)
    return shown(g, dict.fromkeys(g.facts))


def defined_part(home: Citable, goal: Term) -> list[dict[str, Any]]:
    """The proof of D: that every term is defined. `goal` is a formula with a conjunct for each term. StepGap if a
    conjunct is not proved."""
    g = Goal(home, goal, {}, {})
    if names := len(variables(goal)):
        name = g.fresh("d")
        g.intro([f"{name}_{number}" for number in range(1, names + 1)])

    def close(h: Goal) -> None:
        """Close a goal: part by part if it is a conjunction, else by the signs of terms, else by the automation."""
        intro_all(h)
        if h.goal[0] == "&":
            for part in h.split():
                close(part)
        elif not try_each(h, _by_signs):
            Elaborator().automatic(
                h, TextLine("qed", place=Place(1, 1)), "it does not follow that everything is defined"
            )

    close(g)
    return g.nodes


def _by_signs(g: Goal) -> None:
    """Close a goal by the signs of terms, from all comparisons among the facts. This is for roots: the term under a
    root is often a sum of squares."""
    automation.prove(g, (), LONG_SUMS, [label for label, f in g.facts.items() if f[0] in COMPARISONS])


def refute(
    statement: Statement, runs: Runs, until: Until | None = None
) -> tuple[dict[str, Any], Verdict] | tuple[None, None]:
    """The certificate that the statement is false on the present string of `runs`, with its verdict; (None, None) if
    none is found before the time `until` is over. Sets `runs.until`."""
    g = Goal(library(statement, citable()), statement.refutation, {}, {})
    runs.until = until
    found = attempted(
        lambda: try_each(g, *(partial(at_word, runs=runs, by_equations=way) for way in ways(runs))), until
    )
    refuted = attempted(lambda: judged(statement, {"proof": g.nodes}, "refuted")) if found is True else found
    return (None, None) if isinstance(refuted, Failed | bool) else refuted


def citable() -> dict[str, Statement]:
    """The stored statements by the labels under which a proof cites them."""
    return {s.label: s for s in replay.statements().values()}


def judged(statement: Statement, parts: Mapping[str, list[Node]], sense: str) -> tuple[dict[str, Any], Verdict]:
    """The certificate with the proof nodes `parts`, by name, and the checker's verdict. `sense` is "proved" or
    "refuted". BadInput if a cited statement is neither proved nor assumed; Rejected if the checker does not accept the
    certificate."""
    stored = citable()
    lemmas = [stored[label] for label in {x for nodes in parts.values() for x in _used(nodes)} if label in stored]
    for verdict in limits.replayed([s.id for s in lemmas]):
        if verdict.status not in ("PROVED", "DECIDED") and not replay.statements()[verdict.id].assumed:
            raise BadInput(
                "a lemma that a proof cites must be a statement with the status PROVED",
                f"{verdict.id}, which is {verdict.status}",
                "cite another lemma: symcook lemmas lists them",
            )
    extra = (parts.get("defined"), parts.get("inhabited"))
    certificate = replay.make_certificate(statement, parts["proof"], *extra, lemmas, sense)
    return certificate, limits.judged(statement, certificate)


def _used(proof: object) -> Iterator[str]:
    """The labels of stored statements that the nodes of a proof cite."""
    if isinstance(proof, str):
        if proof.lstrip("#").startswith(("lem:", "named:", "oracle:")):
            yield proof.lstrip("#")
    elif isinstance(proof, dict | list):
        for value in proof.values() if isinstance(proof, dict) else proof:
            yield from _used(value)


def below(certificate: Mapping[str, Any]) -> list[str]:
    """The ids of the stored statements that a certificate depends on, with lemmas of lemmas, in the order of the files.
    For a corrected statement the list also has the statement that it corrects, which the second checker needs."""
    home = replay.library()
    todo, lemmas_below = [*certificate["lemmas"]], set[str]()
    while todo:
        if (name := todo.pop()) not in lemmas_below:
            lemmas_below.add(name)
            todo += [*home.lemmas(name), *filter(None, [home.statements[name].corrects])]
    return [name for name in home.statements if name in lemmas_below]


def expanded(statement: Statement, certificate: Mapping[str, object]) -> str:
    """The definitions, the lemmas and the statement, in the format of the second checker, proofs/checker.py."""
    lines = (replay.library().root / "statements" / "definitions.txt").read_text(encoding="utf-8").split("\n")
    blocks = ["\n".join(f"define: {x.strip()}" for x in lines if x.strip() and not x.lstrip().startswith("#"))]
    blocks += [
        used_statement.block
        for used_statement in [*(replay.statements()[name] for name in below(certificate)), statement]
    ]
    return "\n\n".join(blocks) + "\n"


def inhabited(
    home: Citable, statement: Statement, runs: Runs, strings: Sequence[Sequence[int]] = ()
) -> list[dict[str, Any]]:
    """The proof of H: by the values of a run on a string (`strings` are tried first), else by the automation. Unmet if
    neither gives a proof."""
    g = shown_inhabited(home, statement, runs, strings)
    if g is not None:
        return g.nodes
    goal = Goal(home, statement.inhabited, {}, {})
    try:
        Elaborator().automatic(goal, TextLine("qed", place=Place(1, 1)), "the hypotheses")
    except StepGap as error:
        what = "the statement is proved, but no string was found that satisfies its hypotheses"
        raise Unmet(Place(1, 1), what, str(error).partition("\n")[2]) from None
    return goal.nodes


def again(
    document: Mapping[str, Any], certificate: Any, text: str, other: Mapping[str, object] | None = None
) -> tuple[str, Verdict]:
    """The sentence of a stored certificate, and the verdict of checking the certificate again for the model as it is
    now.

    `text` has the statements that were stored with the certificate (see `expanded`). The verdict is OPEN if model,
    certificate and statements no longer fit together. A statement about two models needs the document of the second
    model, `other`. BadInput if the files do not name their sentence or their model.
    """
    sentence = sentence_of(certificate, text)
    model = str(certificate["model"])
    second = other if (two := " " in model) else None
    why = None
    if two and other is None:
        why = "the certificate is about two models; give the second with --with"
    elif model != hashes(document, second):
        why = f"stale: {'one of the models' if two else 'the model'} has changed since it was made"
    stated_now = partial(certify.claim, document, sentence, other=second)
    return sentence, judged_again(named(document["name"]), stated_now, certificate, text, why)


def sentence_of(certificate: object, text: str) -> str:
    """The sentence of a certificate, from the statements stored with it; BadInput if they do not have it."""
    note = note_of(text)
    if note is None or not isinstance(certificate, dict) or "model" not in certificate:
        must = "a certificate must name its model, and its statement file must name the statement"
        raise BadInput(must, "neither or one", "prove the statement again")
    return note


def note_of(text: str) -> str | None:
    """The note of the last statement in `text`, which is the sentence that it was made from. None without a note."""
    lines = text.rpartition("\n\n")[2].split("\n")
    return next((line.removeprefix("note: ") for line in lines if line.startswith("note: ")), None)


def judged_again(
    id: str, made: Callable[[], Statement], certificate: Any, text: str, why: str | None = None
) -> Verdict:
    """The verdict on a certificate and the statements in `text`, which were stored with it. The verdict is OPEN if the
    last of them is not the statement that `made` makes now, if the checker rejects the certificate, or if the other
    statements are not what the certificate depends on. With a reason `why` it is OPEN, and nothing is checked."""
    if why is not None:
        return Verdict(id, "OPEN", reason=why)
    statement = made()
    if text.rpartition("\n\n")[2] != statement.block + "\n":
        return Verdict(
            id, "OPEN", reason="the statement file next to the certificate belongs to another model or statement"
        )
    try:
        verdict = limits.judged(statement, certificate)
    except Rejected as error:
        return Verdict(id, "OPEN", reason=str(error))
    if text != expanded(statement, certificate):
        return Verdict(
            id, "OPEN", reason="the definitions and lemmas next to the certificate are not those that its proof uses"
        )
    return verdict
