"""A claim of one's own: a model file and a sentence make a statement; a proof text, or the automation, its certificate.

What a sentence may say is in `reader`, what its names mean in `vocabulary`. The statement says that it holds for every
word: the names are quantified, and the word and the run's equations are premises (see `runrel`).
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
"""So many calls inside of one another are allowed where a sentence is read."""
SECONDS = 60.0
"""The time for a claim where nothing else is said."""

LONG_SUMS = tuple(replace(level, signs=200) for level in automation.LEVELS[:2])


LONG = 60
"""From so many truth functions on what a statement supposes is bracketed in halves."""
WIDE = 150
"""From so many equations on a run is bracketed in halves."""
ROWS = 120
"""From so many on they are rows of functions of two arguments."""
ROW = 8
"""How many rows each has: what gives them values, for H, stands as often as they do."""


class Unfit(Rejected):
    """Parts of a proof that were written down are none of the statement."""


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
    """The statement that `sentence` makes about the model of a document; BadInput where it makes none.

    It carries the sentence as its note, and the hash of the model. With `symbols` it is about all values that those of
    the model may have, else these must be set. `other` is the document of a second model, which it may speak of.
    """
    sentence = one_line(sentence)
    meaning = ModelMeaning(document, definitions(), symbols, other)
    text = meaning.text(sentence)
    truths = [] if meaning.truths is None else [f"({equation})" for equation in meaning.truths.equations()]
    if "q" in meaning.sorts:  # which the equations of formulas bind
        other_q = next(name for name in (f"q{k}" for k in itertools.count()) if name not in meaning.taken)
        truths = [re.sub(r"\bq\b", other_q, equation) for equation in truths]
    sorts = dict(meaning.sorts)
    if len(truths) > ROWS and meaning.truths is not None:  # fewer names, of which each is a level
        in_row, rows = in_rows(meaning)
        truths, text = [in_row(equation) for equation in truths], in_row(text)
        sorts = {name: sort for name, sort in sorts.items() if name not in meaning.truths.lines.values()}
        sorts |= dict.fromkeys(rows, "Int*Int->Int")
    # Many parts are bracketed in halves, so that all stand less deep: each premise is a level, and each part of a row.
    run = in_halves(meaning.parts) if len(truths) > LONG or len(meaning.parts) > WIDE else meaning.run
    premises = f"{in_halves(truths)} -> " if len(truths) > LONG else "".join(f"{truth} -> " for truth in truths)
    stated_text = stated(sorts, [*meaning.least, *meaning.regions], meaning.word, run, f"{premises}({text})")
    return read_statement(
        Statement(
            named(document["name"]), stated_text, note=sentence, known=definitions(), model=hashes(document, other)
        )
    )


def stated(sorts: Mapping[str, str], some: Sequence[str], word: str | None, run: str, said: str) -> str:
    """The text of a statement: for all names of these sorts, if `some` hold, on each string, the run gives what is
    said."""
    names = ", ".join(f"{name}:{sort}" for name, sort in sorts.items())
    parts = [" & ".join(some)] if some else []
    parts += [] if word is None else [f"({word})"]
    return f"all {names}. {' -> '.join([*parts, run, said])}"


def read_statement(statement: Statement) -> Statement:
    """The statement, which was read; BadInput with its note where the text is no formula."""
    try:
        statement.formula  # noqa: B018
    except Rejected as error:
        raise BadInput(MUST, statement.note, str(error)) from None
    return statement


def hashes(document: Mapping[str, Any], other: Mapping[str, object] | None = None) -> str:
    """The hash of the model that a statement is about, or those of two."""
    return " ".join(document_hash(model_document) for model_document in (document, other) if model_document is not None)


def in_rows(meaning: ModelMeaning) -> tuple[Callable[[str], str], list[str]]:
    """What puts z2(3, i) in a text for the eleventh truth function at i, and `j. z2(3, j)` for its name alone, with
    `ROW` of them in each function; and the names of these functions, which no other thing has."""
    names = [*present(meaning.truths).lines.values()]
    others = {*meaning.taken} - {*names}
    numbers = range(1, -(-len(names) // ROW) + 1)
    stem = next(
        f"z{'_' * k}" for k in itertools.count() if not any(f"z{'_' * k}{number}" in others for number in numbers)
    )
    rows = {name: f"{stem}{k // ROW + 1}({k % ROW + 1}, " for k, name in enumerate(names)}

    def put(found: re.Match[str]) -> str:
        row = rows.get(found[1])
        return found[0] if row is None else row if found[2] else f"j. {row}j)"

    return lambda text: re.sub(r"\b(z\d+_*)\b(\()?", put, text), [f"{stem}{number}" for number in numbers]


def in_halves(parts: Sequence[str]) -> str:
    """A conjunction with brackets around its halves."""
    half = len(parts) // 2
    return " & ".join(parts) if len(parts) <= 2 else f"({in_halves(parts[:half])}) & ({in_halves(parts[half:])})"


def one_line(sentence: str) -> str:
    return sentence.translate(dict.fromkeys(map(ord, "\t\r\n"), " ")).strip()


@deeper()
def meaning(document: Mapping[str, Any], sentence: str) -> ModelMeaning:
    """What a sentence about the model of a document means; BadInput where it is none."""
    model_meaning = ModelMeaning(document, definitions())
    model_meaning.text(one_line(sentence))
    return model_meaning


def definitions() -> Mapping[str, Any]:
    """The definitions of the stored statements."""
    return next(iter(replay.statements().values())).known if replay.statements() else {}


class _Facts(Mapping[str, Term]):
    """The axioms, and the formulas of statements, each read when it is asked for: most proofs cite few."""

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
    """What a search for a proof of `statement` may use: the axioms, and the lemmas and claims `known` by label."""
    texts = {**known, "": statement}
    return Citable(statement.known, _Facts(known), texts=lambda k: texts[k].expanded if k in texts else None)


class Unmet(StepGap):
    """The sentence is proved, but no word was found at which its hypotheses hold."""


class Vacuous(Rejected):
    """No string meets the premises of the sentence, so that it is true and says nothing."""

    def __init__(self, sentence: str, found: ClaimDecision) -> None:
        sides = " (the sides of <-> are premises of each other)" if "<->" in sentence else ""
        why = f"decided true by {found.fragment}, only because no string meets its premises{sides}"
        super().__init__(f"{why}; such a statement is not PROVED, so change the premises")


@dataclass(frozen=True)
class Settled:
    """What is known of a claim: the certificate with the checker's verdict, what words said, and what is missing.

    Without a certificate, either `tried.word` is a word of which the sentence is false, as the run there shows, and no
    proof of that was found; or `missing` says where the proof has a gap, or that the time is over. `decision` is what
    the decision procedures find, where they were asked.
    """

    certificate: dict[str, Any] | None
    verdict: Verdict | None
    tried: Tried | None
    missing: StepGap | OutOfTime | Unfit | Vacuous | None = None
    decision: ClaimDecision | None = None

    @property
    def fragment(self) -> str | None:
        """The name of the procedure that found the proof, or the string of which the sentence is false."""
        decision = self.decision
        return None if decision is None or (decision.string is None and decision.proved is None) else decision.fragment


@dataclass(frozen=True)
class Subject:
    """What a statement is about: the runs of its short strings, which end by a moment, and the search for a proof; the
    `patient` runs try more strings after a proof was not found."""

    runs: Callable[[Until | None], Runs]
    automatic: Callable[[Citable, Statement], list[Node]]
    patient: Callable[[Until | None], Runs] | None = None


def models(
    statement: Statement, document: Mapping[str, object] | None, other: Mapping[str, object] | None = None
) -> Subject:
    """A statement about the model of a document, and perhaps a second one."""
    return Subject(lambda until: Runs(statement, document, until, other=other), automatic)


ProofParts = Mapping[str, Callable[[Goal], None]]
"""Parts of a proof that are not a text: each closes its goal."""


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
    """Try the sentence on short words, then prove it by the text or the automation; without `words` the proof comes
    first, and words where it has a gap. Parts of a proof may be written down too, in place of a text. Where there is
    neither, the decision procedures come first. `other` is the document of the second model of a statement about two;
    `subject` is what a statement is about that is about no model. `told` gets the decision when it is made.

    Raises BadProof for a text that is none, BadInput for one that cites what is not proved, Rejected where the checker
    does not accept what was found.
    """
    if not isinstance(text, Mapping):
        _headed(statement, text)
    until, subject = Until(seconds), subject or models(statement, document, other)
    refutes = isinstance(text, ProofText) and text.refutes
    tried, decision, strings = None, None, ()
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
    if words and not refutes and not (decision and decision.true):
        runs, tried = _tried(subject, Until(seconds / 4, 1 / 4))
        if tried.word is not None:
            return Settled(*refute(statement, runs, until), tried)
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
    """The answer where a decision has a proof that the checker accepts, or a string at which the run shows that the
    sentence is false; None where it has neither."""
    if found.proved is not None:
        with suppress(StepGap, OutOfTime, Unfit):
            parts = {"proof": partial(Goal.take, trial=found.proved)}
            return Settled(*certificate_of(statement, parts, subject, until, strings), None, decision=found)
    if found.string is not None:
        tried = None
        if found.fragment == COUNTS:  # it has the least length, and may not be the first of these
            runs, tried = _tried(subject, Until(until.left / 8, 1 / 8))
            if tried.word is not None:
                return Settled(*refute(statement, runs, until), tried, decision=found)
        runs = subject.runs(until)
        with suppress(WordsSpent):
            for holds in runs.on(found.string):
                if holds and runs.false() and runs.runs():
                    shorter = len(found.string) - 1
                    reached = shorter if found.shortest else min(tried.length, shorter) if tried is not None else 0
                    tried = runs.refuting(reached, unsought=_unsought(found, reached))
                    return Settled(*refute(statement, runs, until), tried, decision=found)
    return None


def _unsought(found: ClaimDecision, reached: int) -> str | None:
    """Which strings smaller than that of a decision may be false too, where those with so many positions are not."""
    if found.fragment != COUNTS:
        return None
    if found.string is not None and reached + 1 < len(found.string):
        return "a string, perhaps not the smallest: shorter ones were not all tried"
    return "no shorter one; others of its length were not tried"


def _tried(subject: Subject, until: Until) -> tuple[Runs, Tried]:
    """What short words say of a sentence, and their runs."""
    runs = subject.runs(until)
    return runs, runs.tried()


def prove(
    statement: Statement, text: ProofText | None = None, document: Mapping[str, object] | None = None
) -> dict[str, Any]:
    """The certificate, by a proof text or the automation, without a limit of time.

    `document` is the model: a word for the hypotheses is then one on which it has a run. Raises Gap with what was left
    to show where the proof has a gap, Unmet where only a word for the hypotheses is missing, else as `settle`.
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
    """A sentence about the model of a document, proved by a text that was made for it; None where that finds no proof.

    `text` has a heading or is the lines below one alone: then `.., some, word` are the names and premises, and each
    equation of the run is NAME_is. Without a text the automation proves it. Nothing is believed: what comes back
    was judged by the checker, with a word for the hypotheses. None too where the time is over, and for a text that is
    none (a label of it may be a name of the model). Raises BadInput where the sentence makes no statement.
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
    """Lines below a heading that names what the statement quantifies, and its premises."""
    return f"proof {statement.id}\n  given .. {' '.join(parts(statement).labels)}\n" + textwrap.indent(lines, "  ")


def _headed(statement: Statement, text: ProofText | None) -> None:
    """BadProof for a text of another statement."""
    if text is not None and text.id != statement.id:
        raise BadProof(Place(1, 1), f"expected a text of {statement.id}", text.id)


def certificate_of(
    statement: Statement,
    text: ProofText | ProofParts | None,
    subject: Subject,
    until: Until | None,
    strings: Sequence[Sequence[int]] = (),
) -> tuple[dict[str, Any], Verdict]:
    """The certificate by a text or what is written down, its other parts by the automation, with the checker's verdict.
    `strings` may meet the hypotheses."""
    home = library(statement, citable())
    with limited(until):
        if isinstance(text, ProofText) and text.refutes:
            parts = {"proof": elaborate.part(home, text, "proof", statement.refutation)}
            return judged(statement, parts, "refuted")
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
    """One part of a proof, by a text or as it is written down; None where it is left to the automation."""
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
    """The proof by the automation at its first levels; else by the lines that `facts` has for the run's equations;
    else by all of the automation. StepGap with what that leaves."""

    def ways() -> Iterator[tuple[Elaborator, str]]:
        yield Elaborator(automation.LEVELS[:2]), "qed\n"
        with suppress(Rejected):  # what it writes may be too long
            facts = Facts(statement)
            yield from ((Trying(), lines) for lines in (*facts.alike(), *facts.stored()))
            meanings = Meanings(facts)
            yield from ((Handed(), lines) for lines in meanings.texts())
            yield from ((Trying(), lines) for lines in facts.texts())
            yield from ((Handed(), lines) for lines in meanings.texts(True))
        yield Elaborator(), "qed\n"

    unproved: Exception | None = None
    for elaborator, lines in ways():
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
    """What is to be shown of a statement, and from which premises, in its names."""
    g = Goal(home, statement.formula, {}, {})
    elaborator = Elaborator(automation.LEVELS[:1])
    for line in prooftext.read(_headed_lines(statement, "")).parts["proof"]:
        elaborator.line(g, line)
    return shown(g, dict.fromkeys(g.facts))


def defined_part(home: Citable, goal: Term) -> list[dict[str, Any]]:
    """D part by part, with all names introduced at once. A norm takes the root of a sum of as many squares as there are
    coordinates."""
    g = Goal(home, goal, {}, {})
    if many := len(variables(goal)):
        name = g.fresh("d")
        g.intro([f"{name}_{number}" for number in range(1, many + 1)])

    def each(h: Goal) -> None:
        h.intro_all()
        if h.goal[0] == "&":
            for part in h.split():
                each(part)
        elif not h.first(_by_signs):
            Elaborator().automatic(
                h, TextLine("qed", place=Place(1, 1)), "it does not follow that everything is defined"
            )

    each(g)
    return g.nodes


def _by_signs(g: Goal) -> None:
    automation.prove(g, (), LONG_SUMS, [label for label, f in g.facts.items() if f[0] in COMPARISONS])


def refute(
    statement: Statement, runs: Runs, until: Until | None = None
) -> tuple[dict[str, Any], Verdict] | tuple[None, None]:
    """The certificate that the statement is false at the present word of `runs`, with its verdict; None twice where
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


_stored = citable  # the name that the proofs of bridges use; their files' digests stand in the proof texts


def judged(statement: Statement, parts: Mapping[str, list[Node]], sense: str) -> tuple[dict[str, Any], Verdict]:
    """The certificate with these parts, and the checker's verdict with all that it rests on."""
    stored = citable()
    lemmas = [stored[label] for label in {x for nodes in parts.values() for x in _used(nodes)} if label in stored]
    for verdict in limits.replayed([s.id for s in lemmas]):
        if verdict.status not in ("PROVED", "DECIDED") and not replay.statements()[verdict.id].assumed:
            raise BadInput("a lemma must be a statement that is proved", f"{verdict.id}, which is {verdict.status}")
    extra = (parts.get("defined"), parts.get("inhabited"))
    certificate = replay.make_certificate(statement, parts["proof"], *extra, lemmas, sense)
    return certificate, limits.judged(statement, certificate)


def _used(proof: object) -> Iterator[str]:
    if isinstance(proof, str):
        if proof.lstrip("#").startswith(("lem:", "named:", "oracle:")):
            yield proof.lstrip("#")
    elif isinstance(proof, dict | list):
        for value in proof.values() if isinstance(proof, dict) else proof:
            yield from _used(value)


def below(certificate: Mapping[str, Any]) -> list[str]:
    """The stored statements that a certificate rests on, lemmas of lemmas too, in the order of the files. Beside a
    corrected form stands what it corrects, which the second checker asks for."""
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
    """H by words that are run, those of `strings` first: the values there. Unmet where none is found."""
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
    """The first line of what stopped a generated proof, as an answer says it: without the place in its text, which
    nobody sees."""
    return re.sub(r"^line \d+, column \d+: ", "", str(why or "").partition("\n")[0])[:300]


def again(
    document: Mapping[str, Any], certificate: Any, text: str, other: Mapping[str, object] | None = None
) -> tuple[str, Verdict]:
    """A certificate and the statements beside it (`expanded`) checked again, for the model of a document as it is now:
    the sentence, and the verdict, OPEN where they do not belong together any more. A statement about two models needs
    the document of the `other`. BadInput where the files do not say which sentence they are about, or of which model.
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
    """The sentence of a certificate, by the statements beside it; BadInput where they do not say it."""
    note = note_of(text)
    if note is None or not isinstance(certificate, dict) or "model" not in certificate:
        must = "a certificate must name its model, and the statement next to it the statement"
        raise BadInput(must, "neither or one", "prove the statement again")
    return note


def note_of(text: str) -> str | None:
    """The sentence that the last of these statements was made of."""
    lines = text.rpartition("\n\n")[2].split("\n")
    return next((line.removeprefix("note: ") for line in lines if line.startswith("note: ")), None)


def judged_again(
    id: str, made: Callable[[], Statement], certificate: Any, text: str, why: str | None = None
) -> Verdict:
    """The verdict on a certificate and the statements beside it, whose last one must be that which is `made` now; OPEN
    where they do not belong together any more, as where `why` says so."""
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
