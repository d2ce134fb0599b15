"""A user's statement about a model: from its text to a certificate that the checker accepts.

`claim` makes the formula: it quantifies the names of a run, and the string and the run's equations are premises (see
`runrel`), so that it is about strings of every length. How a statement is written is in `reader`, what its names mean
in `vocabulary`. `settle` then proves or refutes it: by short strings, by the decision procedures, by a proof text or by
the automation. `again` checks a stored certificate. Nothing here is trusted but the checker that is called at the end.
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
from symcook.proof.claims.decision import COUNTS, ClaimDecision, decide
from symcook.proof.replay import Statement, Verdict
from symcook.proof.search import automation, elaborate, limits, prooftext
from symcook.proof.search.elaborate import Elaborator, StepGap
from symcook.proof.search.limits import OutOfTime, limited
from symcook.proof.search.liveness import pruned
from symcook.proof.search.prooftext import BadProof, Place, ProofText, TextLine
from symcook.proof.search.step import shown
from symcook.proof.search.tactics import Citable, Goal, Stuck
from symcook.proof.statements import certify
from symcook.proof.statements.facts import Facts, Trying, parts
from symcook.proof.statements.meanings import Handed, Meanings
from symcook.proof.statements.reader import MUST
from symcook.proof.statements.shortruns import Runs, Tried, WordsSpent
from symcook.proof.statements.vocabulary import ModelMeaning, named
from symcook.proof.statements.witness import at_word, shown_inhabited, ways
from symcook.proof.terms import COMPARISONS, Term, variables

if TYPE_CHECKING:
    from symcook.proof.search.tactics import Node


DEEP = 20_000
"""The limit of recursion while a statement is read."""
SECONDS = 60.0
"""The default time for a statement."""

LONG_SUMS = tuple(replace(level, signs=200) for level in automation.LEVELS[:2])
"""The levels of the automation for D: a norm takes the root of a sum with a square for each coordinate."""


LONG = 60
"""With more truth functions than this, the premises about them are bracketed in halves."""
WIDE = 150
"""With more equations than this, a run is bracketed in halves."""
ROWS = 120
"""With more truth functions than this, they are rows of functions of two arguments."""
ROW = 8
"""How many truth functions are rows of one function: its witness for H is written once for each of them."""


class Unfit(Rejected):
    """Parts of a proof that are given as code do not prove the statement."""


@contextmanager
def deeper() -> Iterator[None]:
    """Room for the recursion over a sentence that nests as deep as the grammar lets it; also a decorator."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEP))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


@deeper()
def claim(
    document: Mapping[str, Any], sentence: str, symbols: bool = False, other: Mapping[str, object] | None = None
) -> Statement:
    """The formal statement for `sentence` about the model of a document; BadInput for an invalid one.

    It has the sentence as its note, and the hash of the model. With `symbols` it is about all values of the model's
    symbols, else these must be set. `other` is the document of a second model that it may be about.
    """
    sentence = one_line(sentence)
    meaning = ModelMeaning(document, definitions(), symbols, other)
    text = meaning.text(sentence)
    # The equations of the truth functions are premises too. They bind q, which a coordinate may be called.
    truths = [] if meaning.truths is None else [f"({equation})" for equation in meaning.truths.equations()]
    if "q" in meaning.sorts:
        other_q = next(name for name in (f"q{k}" for k in itertools.count()) if name not in meaning.taken)
        truths = [re.sub(r"\bq\b", other_q, equation) for equation in truths]
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
    """The text of a statement: for all names of these sorts, if the formulas `some` hold, then for each string the
    equations of the run imply `said`."""
    names = ", ".join(f"{name}:{sort}" for name, sort in sorts.items())
    parts = [" & ".join(some)] if some else []
    parts += [] if word is None else [f"({word})"]
    return f"all {names}. {' -> '.join([*parts, run, said])}"


def read_statement(statement: Statement) -> Statement:
    """The same statement, if its text is a formula; BadInput with its note for another text."""
    try:
        statement.formula  # noqa: B018
    except Rejected as error:
        raise BadInput(MUST, statement.note, str(error)) from None
    return statement


def hashes(document: Mapping[str, Any], other: Mapping[str, object] | None = None) -> str:
    """The hash of the model that a statement is about, or those of two."""
    return " ".join(document_hash(model_document) for model_document in (document, other) if model_document is not None)


def in_rows(meaning: ModelMeaning) -> tuple[Callable[[str], str], list[str]]:
    """A function on texts that makes truth functions rows of larger functions, and the names of these.

    With `ROW` rows each, ``z2(3, i)`` stands for the eleventh truth function at i, and ``j. z2(3, j)`` for its name
    alone. The names are new."""
    names = [*present(meaning.truths).lines.values()]
    others = {*meaning.taken} - {*names}
    numbers = range(1, -(-len(names) // ROW) + 1)
    stem = next(
        f"z{'_' * k}" for k in itertools.count() if not any(f"z{'_' * k}{number}" in others for number in numbers)
    )
    rows = {name: f"{stem}{k // ROW + 1}({k % ROW + 1}, " for k, name in enumerate(names)}

    def put(match: re.Match[str]) -> str:
        row = rows.get(match[1])  # match[2] is the bracket that opens an argument
        return match[0] if row is None else row if match[2] else f"j. {row}j)"

    return lambda text: re.sub(r"\b(z\d+_*)\b(\()?", put, text), [f"{stem}{number}" for number in numbers]


def in_halves(parts: Sequence[str]) -> str:
    """A conjunction with brackets around its halves."""
    half = len(parts) // 2
    return " & ".join(parts) if len(parts) <= 2 else f"({in_halves(parts[:half])}) & ({in_halves(parts[half:])})"


def one_line(sentence: str) -> str:
    """The sentence with its line ends and tabs as spaces."""
    return sentence.translate(dict.fromkeys(map(ord, "\t\r\n"), " ")).strip()


@deeper()
def meaning(document: Mapping[str, Any], sentence: str) -> ModelMeaning:
    """The meaning of names in a sentence about the model of a document; BadInput for an invalid sentence."""
    model_meaning = ModelMeaning(document, definitions())
    model_meaning.text(one_line(sentence))
    return model_meaning


def definitions() -> Mapping[str, Any]:
    """The definitions of the stored statements."""
    return next(iter(replay.statements().values())).known if replay.statements() else {}


class _Facts(Mapping[str, Term]):
    """The axioms, and the formulas of the statements `known`, by label. A formula is read when it is first used, as
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
    """No string satisfies the premises of the statement, so it is vacuously true."""

    def __init__(self, sentence: str, found: ClaimDecision) -> None:
        sides = " (the sides of <-> are premises of each other)" if "<->" in sentence else ""
        why = f"decided true by {found.fragment}, only because no string meets its premises{sides}"
        super().__init__(f"{why}; such a statement is not PROVED, so change the premises")


@dataclass(frozen=True)
class Settled:
    """The result for a statement: the certificate with the checker's verdict, the result of short strings, and what is
    missing.

    Without a certificate there are two cases. Either the statement is false on the string `tried.word`, by the run
    there, but no proof of that was found; or `missing` says where the proof has a gap, or that the time is over.
    `decision` is the result of the decision procedures, if they were used.
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
        return None if decision is None or (decision.string is None and decision.proved is None) else decision.fragment


@dataclass(frozen=True)
class Subject:
    """How a statement is tried and proved: its runs on short strings, up to a time, and the search for a proof. The
    `patient` runs try more strings after no proof was found."""

    runs: Callable[[Until | None], Runs]
    automatic: Callable[[Citable, Statement], list[Node]]
    patient: Callable[[Until | None], Runs] | None = None


def models(
    statement: Statement, document: Mapping[str, object] | None, other: Mapping[str, object] | None = None
) -> Subject:
    """How a statement about the model of a document, and perhaps a second model, is tried and proved."""
    return Subject(lambda until: Runs(statement, document, until, other=other), automatic)


ProofParts = Mapping[str, Callable[[Goal], None]]
"""Parts of a proof as code, by name (``proof``, ``defined``, ``inhabited``): each closes its goal."""


def settle(
    statement: Statement,
    document: Mapping[str, object] | None,
    text: ProofText | ProofParts | None = None,
    seconds: float = SECONDS,
    words: bool = True,
    other: Mapping[str, object] | None = None,
    subject: Subject | None = None,
    told: Callable[[ClaimDecision], None] | None = None,
) -> Settled:
    """The result for a statement, within some seconds.

    The order is: the decision procedures, if no `text` is given; short strings, unless `words` is false; the proof by
    the `text` (or by its parts as code), or by the automation; and short strings again if no proof was found. `other`
    is the document of a second model; `subject` is for a statement that is not about a model's document. `told` is
    called with the result of the decision procedures.

    Raises BadProof for an invalid text, BadInput for one that cites what is not proved, Rejected if the checker does
    not accept what was found.
    """
    if not isinstance(text, Mapping):
        _headed(statement, text)
    until, subject = Until(seconds), subject or models(statement, document, other)
    refutes = isinstance(text, ProofText) and text.refutes
    tried, decision, strings = None, None, ()
    # The decision procedures. What they prove or find counts only if the checker accepts it (`_decided`).
    if text is None:
        home = library(statement, citable())
        decision = decide(statement, home, Until(seconds / 4, 1 / 4))
        if decision.true or decision.proved is not None:
            hypotheses = premises.asked(statement, home, Until(seconds / 8, 1 / 8))
            if hypotheses.unmet is not None:
                return Settled(None, None, None, Vacuous(statement.note, hypotheses.unmet), decision.unconfirmed)
            strings = hypotheses.strings
        if (settled := _decided(statement, subject, decision, until, strings)) is not None:
            return settled
        decision = decision.unconfirmed
        if told is not None:
            told(decision)
    # A string on which it is false.
    if words and not refutes and not (decision and decision.true):
        runs, tried = _tried(subject, Until(seconds / 4, 1 / 4))
        if tried.word is not None:
            return Settled(*refute(statement, runs, until), tried)
    # The proof. After a gap, strings once more: if none was tried yet, or with more patience.
    try:
        return Settled(*certificate_of(statement, text, subject, until, strings), tried, decision=decision)
    except (StepGap, OutOfTime, Unfit) as error:
        if (tried is None or subject.patient) and not refutes:
            longer = replace(subject, runs=subject.patient or subject.runs)
            runs, tried = _tried(longer, Until(seconds / (4 if decision is None else 8), 1 / 4))
            if tried.word is not None:
                return Settled(*refute(statement, runs, Until(seconds / 4, 1 / 4)), tried)
        return Settled(None, None, tried, error, decision)


def _decided(
    statement: Statement, subject: Subject, found: ClaimDecision, until: Until, strings: Sequence[Sequence[int]]
) -> Settled | None:
    """The result if a decision has a proof that the checker accepts, or a string on which the run shows that the
    statement is false; None if it has neither."""
    if found.proved is not None:
        with suppress(StepGap, OutOfTime, Unfit):
            parts = {"proof": partial(Goal.take, trial=found.proved)}
            return Settled(*certificate_of(statement, parts, subject, until, strings), None, decision=found)
    if found.string is not None:
        tried = None
        # A decision by counts gives a string of the least length, but perhaps not the first of that length.
        if found.fragment == COUNTS:
            runs, tried = _tried(subject, Until(until.left / 8, 1 / 8))
            if tried.word is not None:
                return Settled(*refute(statement, runs, until), tried, decision=found)
        # Another decision's string is run on its own.
        runs = subject.runs(until)
        with suppress(WordsSpent):
            for holds in runs.on(found.string):
                if holds and runs.false() and runs.runs():
                    # The statement is true on all strings up to `reached`: on all shorter ones, or on those tried.
                    shorter = len(found.string) - 1
                    reached = shorter if found.shortest else min(tried.length, shorter) if tried is not None else 0
                    tried = runs.refuting(reached, unsought=_unsought(found, reached))
                    return Settled(*refute(statement, runs, until), tried, decision=found)
    return None


def _unsought(found: ClaimDecision, reached: int) -> str | None:
    """Which strings before that of a decision may be counterexamples too, if those with up to `reached` positions are
    not; None for a decision procedure that gives the first string."""
    if found.fragment != COUNTS:
        return None
    if found.string is not None and reached + 1 < len(found.string):
        return "a string, perhaps not the smallest: shorter ones were not all tried"
    return "no shorter one; others of its length were not tried"


def _tried(subject: Subject, until: Until) -> tuple[Runs, Tried]:
    """The runs of a statement, and their result on short strings."""
    runs = subject.runs(until)
    return runs, runs.tried()


def prove(
    statement: Statement, text: ProofText | None = None, document: Mapping[str, object] | None = None
) -> dict[str, Any]:
    """The certificate, by a proof text or the automation, without a limit of time.

    `document` is the model: then the model must have a run on a string for the hypotheses. Raises StepGap with what is
    left to show if the proof has a gap, Unmet if only a string for the hypotheses is missing, else as `settle`.
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
    """A sentence about the model of a document, proved by a generated text, or without one by the automation; None if
    that gives no proof.

    `text` may be without a heading: then the names are introduced, the premises have the labels `some` and `word`, and
    each equation of the run the label NAME_is. The result was checked, with a string for the hypotheses. It is None too
    if the time is over, and for an invalid text (a label in it may be a name of the model). Raises BadInput for an
    invalid sentence.
    """
    statement = claim(document, sentence)
    try:
        if text is not None and not text.startswith("proof "):
            text = _headed_lines(statement, text)
        read = None if text is None else prooftext.read(text)
        _headed(statement, read)
        certificate, verdict = certificate_of(statement, read, models(statement, document), Until(seconds))
    except (Rejected, OutOfTime, BadProof):
        return None
    proved = verdict.status == "PROVED" and not verdict.assuming
    return Certified(statement, certificate, verdict) if proved else None


def _headed_lines(statement: Statement, lines: str) -> str:
    """A proof text of the statement with these lines; its heading labels the premises."""
    return f"proof {statement.id}\n  given .. {' '.join(parts(statement).labels)}\n" + textwrap.indent(lines, "  ")


def _headed(statement: Statement, text: ProofText | None) -> None:
    """BadProof if the text is about another statement."""
    if text is not None and text.id != statement.id:
        raise BadProof(Place(1, 1), f"expected a text of {statement.id}", text.id)


def certificate_of(
    statement: Statement,
    text: ProofText | ProofParts | None,
    subject: Subject,
    until: Until | None,
    strings: Sequence[Sequence[int]] = (),
) -> tuple[dict[str, Any], Verdict]:
    """The certificate with the checker's verdict. The parts that `text` does not have are found by the automation;
    `strings` are tried first for the hypotheses."""
    home = library(statement, citable())
    with limited(until):
        if isinstance(text, ProofText) and text.refutes:
            parts = {"proof": elaborate.part(home, text, "proof", statement.refutation)}
            return judged(statement, parts, "refuted")
        # The statement itself, D (every term is defined) and H (the hypotheses can be satisfied).
        goals = {"proof": statement.formula, "defined": statement.defined, "inhabited": statement.inhabited}
        parts = {name: _part(home, text, name, goal) for name, goal in goals.items()}
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
            raise Unfit(f"what is written down is not accepted: {str(error).partition(chr(10))[0]}") from None
        raise


def _part(home: Citable, text: ProofText | ProofParts | None, name: str, goal: Term) -> list[Node] | None:
    """One part of a proof, by the text or the code for it; None if it is left to the automation."""
    if isinstance(text, Mapping) and name in text:
        g = Goal(home, goal, {}, {})
        try:
            text[name](g)
        except StepGap:
            raise
        except (Rejected, Stuck) as error:
            raise Unfit(f"what is written down does not fit: {str(error).partition(chr(10))[0]}") from None
        return pruned(g.nodes)
    if isinstance(text, ProofText) and (name == "proof" or name in text.parts):
        return elaborate.part(home, text, name, goal)
    return None


def automatic(home: Citable, statement: Statement) -> list[Node]:
    """The proof by the first of several attempts that succeeds (`attempts`). StepGap with what the last one leaves."""

    def attempts() -> Iterator[tuple[Elaborator, str]]:
        """The lines of proofs to try, each with what reads them: the first levels of the automation, then lines about
        the run's equations, then all of the automation."""
        yield Elaborator(automation.LEVELS[:2]), "qed\n"
        with suppress(Rejected):  # the lines may be too long for a proof text
            facts = Facts(statement)
            yield from ((Trying(), lines) for lines in (*facts.alike(), *facts.stored()))
            meanings = Meanings(facts)
            yield from ((Handed(), lines) for lines in meanings.texts())
            yield from ((Trying(), lines) for lines in facts.texts())
            yield from ((Handed(), lines) for lines in meanings.texts(True))
        yield Elaborator(), "qed\n"

    unproved: Exception | None = None
    for elaborator, lines in attempts():
        g = Goal(home, statement.formula, {}, {})
        try:
            elaborator.block(g, prooftext.read(_headed_lines(statement, lines)).parts["proof"], Place(1, 1))
        except (StepGap, BadProof) as error:
            unproved = error
        except TimeUp:  # the goal that the automation had after its first levels, or has now
            remaining = (
                str(unproved).partition("\n")[2] if isinstance(unproved, StepGap) else _remaining(home, statement)
            )
            raise OutOfTime(f"the time is over\n{remaining}") from None
        else:
            return pruned(g.nodes)
    raise present(unproved)


def _remaining(home: Citable, statement: Statement) -> str:
    """The goal that remains of a statement after its names are introduced, with the premises, as text."""
    g = Goal(home, statement.formula, {}, {})
    elaborator = Elaborator(automation.LEVELS[:1])
    for line in prooftext.read(_headed_lines(statement, "")).parts["proof"]:
        elaborator.line(g, line)
    return shown(g, dict.fromkeys(g.facts))


def defined_part(home: Citable, goal: Term) -> list[dict[str, Any]]:
    """The proof of D, part by part; all names are introduced at once."""
    g = Goal(home, goal, {}, {})
    if names := len(variables(goal)):
        name = g.fresh("d")
        g.intro([f"{name}_{number}" for number in range(1, names + 1)])

    def close(h: Goal) -> None:
        h.intro_all()
        if h.goal[0] == "&":
            for part in h.split():
                close(part)
        elif not h.first(_by_signs):
            Elaborator().automatic(
                h, TextLine("qed", place=Place(1, 1)), "it does not follow that everything is defined"
            )

    close(g)
    return g.nodes


def _by_signs(g: Goal) -> None:
    """Close a goal by the signs of terms, from the comparisons that are known: a radicand is often a sum of squares."""
    automation.prove(g, (), LONG_SUMS, [label for label, f in g.facts.items() if f[0] in COMPARISONS])


def refute(
    statement: Statement, runs: Runs, until: Until | None = None
) -> tuple[dict[str, Any], Verdict] | tuple[None, None]:
    """The certificate that the statement is false on the present string of `runs`, with its verdict; (None, None) if
    none is found."""
    g = Goal(library(statement, citable()), statement.refutation, {}, {})
    runs.until = until
    try:
        with limited(until):
            if not g.first(*(partial(at_word, runs=runs, by_equations=way) for way in ways(runs))):
                return None, None
        return judged(statement, {"proof": g.nodes}, "refuted")
    except (Stuck, Rejected, OutOfTime):
        return None, None


def citable() -> dict[str, Statement]:
    """The stored statements by the labels under which a proof cites them."""
    return {s.label: s for s in replay.statements().values()}


_stored = citable  # the name in the modules that prove bridges: the proof texts hold digests of these modules


def judged(statement: Statement, parts: Mapping[str, list[Node]], sense: str) -> tuple[dict[str, Any], Verdict]:
    """The certificate with these parts, and the checker's verdict. BadInput for a cited statement that is not proved.
    `sense` is "proved" or "refuted"."""
    stored = citable()
    lemmas = [stored[label] for label in {x for nodes in parts.values() for x in _used(nodes)} if label in stored]
    for verdict in limits.replayed([s.id for s in lemmas]):
        if verdict.status not in ("PROVED", "DECIDED") and not replay.statements()[verdict.id].assumed:
            raise BadInput("a lemma must be a statement that is proved", f"{verdict.id}, which is {verdict.status}")
    extra = (parts.get("defined"), parts.get("inhabited"))
    certificate = replay.make_certificate(statement, parts["proof"], *extra, lemmas, sense)
    return certificate, limits.judged(statement, certificate)


def _used(proof: object) -> Iterator[str]:
    """The labels of stored statements in the nodes of a proof."""
    if isinstance(proof, str):
        if proof.lstrip("#").startswith(("lem:", "named:", "oracle:")):
            yield proof.lstrip("#")
    elif isinstance(proof, dict | list):
        for value in proof.values() if isinstance(proof, dict) else proof:
            yield from _used(value)


def below(certificate: Mapping[str, Any]) -> list[str]:
    """The stored statements that a certificate depends on, with lemmas of lemmas, in the order of the files. With a
    corrected statement comes the one that it corrects, which the second checker needs."""
    home = replay.library()
    todo, lemmas_below = [*certificate["lemmas"]], set[str]()
    while todo:
        if (name := todo.pop()) not in lemmas_below:
            lemmas_below.add(name)
            todo += [*home.lemmas(name), *filter(None, [home.statements[name].corrects])]
    return [name for name in home.statements if name in lemmas_below]


def expanded(statement: Statement, certificate: Mapping[str, object]) -> str:
    """Definitions, lemmas and the statement in the form that the second checker, proofs/checker.py, reads."""
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
    """The proof of H by the values of a run on a string, of `strings` first, else by the automation; Unmet if there is
    none."""
    g = shown_inhabited(home, statement, runs, strings)
    if g is not None:
        return g.nodes
    goal = Goal(home, statement.inhabited, {}, {})
    try:
        Elaborator().automatic(goal, TextLine("qed", place=Place(1, 1)), "the hypotheses")
    except StepGap as error:
        what = "the statement is proved; what is missing is a string for which the hypotheses hold"
        raise Unmet(Place(1, 1), what, str(error).partition("\n")[2]) from None
    return goal.nodes


def first_line(why: object) -> str:
    """The first line of the reason why a generated proof failed, without the place in its text, which users do not
    see."""
    return re.sub(r"^line \d+, column \d+: ", "", str(why or "").partition("\n")[0])[:300]


def again(
    document: Mapping[str, Any], certificate: Any, text: str, other: Mapping[str, object] | None = None
) -> tuple[str, Verdict]:
    """The sentence of a stored certificate, and the verdict of checking it again for the model as it is now.

    `text` has the statements that were stored with the certificate (see `expanded`). The verdict is OPEN if model,
    certificate and statements no longer fit together. A statement about two models needs the document of the `other`.
    BadInput if the files do not name their sentence or their model.
    """
    sentence = sentence_of(certificate, text)
    model = str(certificate["model"])
    second = other if (two := " " in model) else None
    why = None
    if two and other is None:
        why = "it is about two models: give the second by --with"
    elif model != hashes(document, second):
        why = f"{'one of the models' if two else 'the model'} has changed since it was made"
    stated_now = partial(certify.claim, document, sentence, other=second)
    return sentence, judged_again(named(document["name"]), stated_now, certificate, text, why)


def sentence_of(certificate: object, text: str) -> str:
    """The sentence of a certificate, from the statements stored with it; BadInput if they do not have it."""
    note = note_of(text)
    if note is None or not isinstance(certificate, dict) or "model" not in certificate:
        must = "a certificate must name its model, and the statement next to it the statement"
        raise BadInput(must, "neither or one", "prove the statement again")
    return note


def note_of(text: str) -> str | None:
    """The note of the last of these statements: the sentence that it was made from. None without a note."""
    lines = text.rpartition("\n\n")[2].split("\n")
    return next((line.removeprefix("note: ") for line in lines if line.startswith("note: ")), None)


def judged_again(
    id: str, made: Callable[[], Statement], certificate: Any, text: str, why: str | None = None
) -> Verdict:
    """The verdict on a certificate and the statements stored with it. It is OPEN if the last of these is not the
    statement that is `made` now, if the others are not what it depends on, or for a reason `why`."""
    if why is not None:
        return Verdict(id, "OPEN", reason=why)
    statement = made()
    if text.rpartition("\n\n")[2] != statement.block + "\n":
        return Verdict(id, "OPEN", reason="the statement next to it is not that of this model and sentence")
    try:
        verdict = limits.judged(statement, certificate)
    except Rejected as error:
        return Verdict(id, "OPEN", reason=str(error))
    if text != expanded(statement, certificate):
        return Verdict(id, "OPEN", reason="the definitions and lemmas next to it are not those that it rests on")
    return verdict
