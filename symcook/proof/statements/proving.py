"""`Transformer.prove`: a statement about the runs of a model is proved, refuted, or left undecided (OPEN).

`prove` reads the statement and calls `settle`, which asks the `strategies` in their order, or checks a proof script by
`certify`. `_answer` turns the result, a time limit or an error into a `ProofAnswer`.
"""

from __future__ import annotations

import json
import textwrap
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from symcook.alarm import TimeUp, Until, spending
from symcook.door import door
from symcook.errors import BadInput, Rejected
from symcook.files import put, vacant
from symcook.model import modelfile
from symcook.model.answers import EMPTY_STRING, Reply
from symcook.model.extent import Extent, values_of
from symcook.model.symbols import Exact
from symcook.model.transformer import Transformer
from symcook.proof.families.smallruns import FamilyTried
from symcook.proof.search import prooftext
from symcook.proof.search.limits import OutOfTime
from symcook.proof.statements import certify, strategies
from symcook.proof.statements.shortruns import Tried
from symcook.proof.statements.strategies import StatementAsked

if TYPE_CHECKING:
    from symcook.model.family import Family
    from symcook.proof.replay import Statement, Verdict
    from symcook.proof.search.prooftext import ProofText
    from symcook.proof.statements.certify import Settled

SECONDS = 60
"""The time limit for one statement, in seconds of processor time, where the user sets none."""
AUTOMATIC, SCRIPT, RUN = "automatic proof", "proof script", "exact run of a short string"
STORED = "stored certificate, checked again"
"""The values of `ProofAnswer.method`, the last one in commands only. A decision procedure that finds the answer gives
its own name instead, and a strategy of `strategies.NAMED` its name after ``automatic proof by``."""


@dataclass(frozen=True, repr=False)
class ProofAnswer(Reply):
    """What is known about a statement: PROVED, REFUTED or OPEN.

    `model` is the model, None for a statement about a family without a counterexample. `statement` is the statement as
    the user wrote it, `claim` the closed formula that the checkers read. `method` names what found the answer, None if
    it is OPEN; `seconds` is how long it took. `word` is the smallest string found on which the statement is false, as a
    tuple of tokens, and `counterexample` is the same string as text. `certificate` is what the checkers accept, and
    `verdict` is the checker's verdict on it. Both are None if the status is OPEN, and if a run shows a counterexample
    but no proof of the negation was found. `why` gives the reason if the status is OPEN or the certificate is missing,
    and `remaining` is the goal that a proof still has to show, as text. `tried` is the result of evaluating the
    statement on short strings, with the length up to which all strings were tried; None if none was. `vacuous` says of
    an OPEN statement that it is true only since no string meets its premises, which is no theorem about the model.
    `asked` has the strategies that were asked, by name, each with the reason why it has no certificate; `nearest` is
    the nearest missing fact among these reasons, "" if there is none. `advice` says what to do if the statement is
    OPEN; it has no meaning for another status. `second_model` is the other model of a statement about two. `fixed` are
    the values given for parameters of the model, as text; the statement is about all values of its other parameters.
    """

    REPORT = "proving"  # how `Shown` displays an answer: by symcook.report.proving

    model: Transformer | None
    statement: str
    status: Literal["PROVED", "REFUTED", "OPEN"]
    method: str | None
    seconds: float
    claim: Statement
    tried: Tried | None
    certificate: Mapping[str, Any] | None = None
    verdict: Verdict | None = None
    why: str | None = None
    remaining: str = ""
    vacuous: bool = False
    asked: tuple[tuple[str, str], ...] = ()
    nearest: str = ""
    advice: str = ""
    second_model: Transformer | None = None
    fixed: Mapping[str, str] = field(default_factory=dict)

    @property
    def holds(self) -> bool | None:
        """Whether the statement is proved: False if it is refuted, None if it is OPEN, also if it was decided true
        without a certificate."""
        return {"PROVED": True, "REFUTED": False}.get(self.status)

    @property
    def word(self) -> tuple[str, ...] | None:
        """The smallest string found on which the statement is false, as tokens; its rows, if the model reads numbers.
        None if none was found."""
        return None if self.tried is None else self.tried.word

    @property
    def counterexample(self) -> str | None:
        """`word` as text, "" for the empty string; None if no string is known on which the statement is false."""
        if self.word is None or self.model is None:
            return None
        embedding = self.model.embedding
        return "; ".join(self.word) if embedding.inputs is not None else embedding.written(self.word)

    @property
    def sizes(self) -> str | None:
        """The sizes and tables of a family at which the statement is false, as text; None for a model."""
        return self.tried.sizes if isinstance(self.tried, FamilyTried) else None

    @property
    def places(self) -> Mapping[str, int]:
        """The positions p of ``changed(p, a)`` at which the statement is false, by name."""
        return {} if self.tried is None else self.tried.places

    @property
    def values(self) -> Mapping[str, str]:
        """The values of the model's symbols at which the statement is false, by name, as text."""
        return {} if self.tried is None else {name: str(value) for name, value in self.tried.values.items()}

    @property
    def true_of(self) -> str:
        """The short strings of which an OPEN statement was found true, after "true of"; "" if there are none."""
        model = self.model and self.model.bind(self.fixed, require=False)
        return "" if self.tried is None or self.word is not None else self.tried.true_of(model)

    @property
    def extent(self) -> Extent:
        """The strings and the values that a statement about a model is about. The empty string is none of the strings
        where a model adds no token."""
        models = [model for model in (self.model, self.second_model) if model is not None]
        return Extent(shortest=int(not all(model.embedding.added for model in models)), values=self.fixed)

    @property
    def without_runs(self) -> str:
        """Why a statement that is proved may leave out strings of `extent`: of one, a norm may be undefined or a
        temperature not positive, a model takes no longer strings, or the string with a symbol deleted has no position.
        "" where it leaves out none."""
        from symcook.proof.statements.secondrun import other_strings
        from symcook.walk import may_lack_runs

        models = [model for model in (self.model, self.second_model) if model is not None]
        if self.status != "PROVED" or not models:
            return ""
        longest = min((model.max_length for model in models if model.max_length is not None), default=None)
        reasons = ["a norm or a temperature may leave a string without one"] * any(map(may_lack_runs, models))
        reasons += [] if longest is None else [f"a model takes at most {longest} position{'s' * (longest > 1)}"]
        deletes = any(prefix.startswith("deleted") for prefix in other_strings(self.statement, models[0].space))
        emptied = deletes and not models[0].embedding.added
        reasons += ["a model that adds no token has no run on the empty string"] * emptied
        return "; ".join(reasons)

    @property
    def about(self) -> str:
        """The name of the model, or of the family for a statement about all sizes."""
        return self.claim.id.removeprefix("own.") if self.model is None or self.sizes else self.model.name

    @property
    def shown(self) -> str | None:
        """The counterexample as reports name it, with the sizes, or with the changed positions and the values of
        symbols; None without a counterexample."""
        if self.counterexample is None:
            return None
        where = self.sizes or ", ".join(f"{name} = {x}" for name, x in {**self.places, **self.values}.items())
        return (self.counterexample or EMPTY_STRING) + (f" at {where}" if where else "")

    @property
    def limits(self) -> str:
        """What limits a counterexample, as text: smaller strings that may be false too, also at other values of
        parameters, and that the statement asks for positions that the string does not have. "" without such a limit."""
        if self.tried is None or self.word is None:
            return ""
        parts = [self.tried.smaller] if self.tried.smaller else []
        parts += [f"the smallest at the values of {', '.join(self.values)} that were tried"] if self.values else []
        parts += ["the statement names positions that this string does not have"] if self.tried.outside else []
        return "; ".join(parts)

    @property
    def words(self) -> str:
        """The status as text, with the named theorems that the proof assumes, or with the word vacuous."""
        if self.vacuous:
            return f"{self.status} (vacuous)"
        return self.status if self.verdict is None else self.verdict.words

    @property
    def lemmas(self) -> list[str]:
        """The ids of the stored statements that the certificate depends on, including lemmas of lemmas."""
        return [] if self.certificate is None else certify.below(self.certificate)

    @property
    def unchecked(self) -> list[str]:
        """The hypotheses of a proved statement that were not checked for vacuity."""
        from symcook.proof.audit.source import unasked

        return unasked(self.claim) if self.status == "PROVED" else []

    def to_json(self, certificate: object = None) -> dict[str, Any]:
        """The answer as one entry of ``symcook prove --claims --json``. `certificate` is the path of the file with the
        certificate, None if it was not written."""
        return (
            {
                "statement": self.statement,
                "status": self.status,
                "word": None if self.word is None else list(self.word),
                "method": self.method,
                "seconds": round(self.seconds, 4),
                "certificate": None if certificate is None else str(certificate),
                "why": self.why,
            }
            | ({"without_runs": self.without_runs} if self.without_runs else {})
            | ({"limits": self.limits} if self.limits else {})
            | ({"vacuous": True} if self.vacuous else {})
            | ({"places": dict(self.places)} if self.places else {})
            | ({"values": dict(self.values)} if self.values else {})
            | ({"fixed": dict(self.fixed)} if self.fixed else {})
            | ({"sizes": self.tried.at} if isinstance(self.tried, FamilyTried) and self.tried.sizes else {})
        )

    @door(path='for example "mine.proof.json"')
    def save(self, path: str | Path, force: bool = False) -> tuple[Path, Path]:
        """Write the certificate, and next to it the statement as proofs/checker.py reads it; returns the two paths.

        `symcook prove mine.json` checks mine.proof.json again. Raises BadInput if the answer has no
        certificate, and without `force` if one of the files exists.
        """
        if self.certificate is None:
            raise BadInput("only an answer with a certificate can be saved", self.status, self.why)
        target = Path(path)
        stem = target.name.removesuffix(".json").removesuffix(".certificate").removesuffix(".proof")
        both = target, target.with_name(f"{stem}.statement.txt")
        for file in both:
            vacant(file, force)
        write(both, self.claim, self.certificate)
        return both


@door(statement='for example "accept <-> count(a) > count(b)"')
def prove(
    model: Transformer,
    statement: str,
    seconds: int | None = None,
    *,
    proof: str | None = None,
    values: Mapping[str, Exact] | None = None,
    other: Transformer | None = None,
) -> ProofAnswer:
    """A proof or a refutation of a statement about the model, for strings of every length.

    Without a proof script, symcook first tries decision procedures. Then it evaluates the statement on short
    strings, exactly. If it is false on a string, the answer is REFUTED with this string. Otherwise symcook searches
    for a proof. PROVED means that the checker accepts the certificate. The theorem is about the exact weights of
    this model.

    Arguments:
        statement: str. A formula about the run: `accept`, `count(a)`, `at(a, i)`, `n`, the model's coordinates,
            quantifiers (`symcook explain statements`).
        seconds: int or None (None). The time limit; 60 by default.
        proof: str or None (None). A proof script; without one the automation searches.
        values: {parameter: exact value} (None). The statement is about all values of the other parameters, by name.
        other: Transformer or None (None). A second model over the same symbols; `other.accept` and `other.NAME(i)`
            in the statement are about it.

    Returns: ProofAnswer with `.holds`, `.status` (PROVED, REFUTED or OPEN), `.counterexample`, `.certificate` and
    `.why`.

    Raises: BadInput: a text that is not a statement about this model, and a proof script that cannot be read.

    Example:

    >>> import symcook as sc
    >>> b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    >>> _ = b.add(sc.head(value={"mean": "vote"}, mask="future"))
    >>> _ = b.readout("sign", "last", "mean", weights=[1])
    >>> model = b.build("votes")
    >>> model.prove("accept <-> count(a) > count(b)")
    <ProofAnswer PROVED: accept <-> count(a) > count(b), for every string of at least one symbol>
    >>> answer = model.prove("count(a) <= 1")
    >>> answer.status, answer.counterexample
    ('REFUTED', 'aa')
    >>> model.prove("accept <-> other.accept", other=model).status
    'PROVED'
    """
    limit = SECONDS if seconds is None else seconds
    if limit < 1:
        raise BadInput("the time limit must be at least 1 second", seconds, "leave seconds out for 60")
    document = document_of(model, values or {})
    second = None if other is None else document_of(other, {})
    script = None if proof is None else prooftext.read(proof)
    claim = certify.claim(document, statement, other=second)
    fixed = values_of(model, values, require=False)
    return settle(model, claim, document, script, limit, second, second_model=other, fixed=fixed)


def document_of(model: Transformer, values: Mapping[str, Exact]) -> dict[str, Any]:
    """The document of the model with these `values` of its symbols. A symbol that is not in `values` stays a symbol,
    and a statement is about all its values: a theorem about the default would look like one about all values."""
    _ = model.readout.shown  # BadInput for a position that is none of the four: the equations know no other
    return modelfile.to_document(model.bind(values, require=False))


def settle(
    model: Transformer,
    claim: Statement,
    document: Mapping[str, Any],
    script: ProofText | None = None,
    seconds: int = SECONDS,
    other: Mapping[str, object] | None = None,
    beside: Sequence[Path] = (),
    second_model: Transformer | None = None,
    fixed: Mapping[str, str] | None = None,
) -> ProofAnswer:
    """The answer to a `claim` that was read from the `document` of the model, and from that of the `other` model if it
    is about two (see `document_of` and `certify.claim`). `beside` are files of certificates beside the model, in which
    the theorem of its program may stand. `second_model` is the other model with its program, if it is known. `fixed`
    are the values of parameters, as text, that the document has in their place."""
    until, fixed = Until(seconds), fixed or {}
    question = StatementAsked(model, claim, document, other, seconds, until, beside, second_model, fixed)

    def find() -> Settled:
        if script is not None:
            return certify.settle(claim, document, script, seconds, other=other)
        return strategies.settled(question)

    return _answer(model, claim, find, script is not None, seconds, question=question)


def settle_family(family: Family, claim: Statement, script: ProofText | None, seconds: int = SECONDS) -> ProofAnswer:
    """The answer to a claim about all sizes of a family (see `allsizes.claim`), by a proof `script` or, without one,
    by the automation."""
    from symcook.proof.families import familyproofs

    subject = familyproofs.subject(claim, family, seconds)
    smaller = "".join(f", or ask about one size: --set {size}=2" for size in [*family.sizes, *family.tables][:1])

    def find() -> Settled:
        return certify.settle(claim, None, script, seconds, subject=subject)

    return _answer(None, claim, find, script is not None, seconds, smaller)


def _answer(
    model: Transformer | None,
    claim: Statement,
    find: Callable[[], Settled],
    script: bool,
    seconds: int,
    smaller: str = "",
    question: StatementAsked | None = None,
) -> ProofAnswer:
    """The answer that `find` gives within `seconds` of processor time.

    `script` says whether the user gave a proof script. `smaller` is advice to ask about a smaller family, "" for a
    model. `question` has what the strategies returned, if they were asked; it is None for a family."""
    begun = time.process_time()
    why, remaining = None, ""
    # The result; it stays None if the time ends or the checker rejects.
    settled: Settled | None = None
    try:
        with spending(seconds):
            settled = find()
    except (TimeUp, OutOfTime):
        why = f"no proof was found within {seconds} seconds; give more with --seconds{smaller}"
    except Rejected as error:
        why = f"no certificate: {error}"
    tried = settled and settled.tried
    # A statement about a family has a model only if it is false at an instance.
    model = tried.model if isinstance(tried, FamilyTried) else model
    fragment = None if settled is None else settled.fragment
    certificate, verdict = (None, None) if settled is None else (settled.certificate, settled.verdict)
    status: Any = "OPEN"
    method = None
    decided = None if question is None else question.decided
    # With a certificate: proved, or the negation is. Without one and nothing missing: a run shows a counterexample.
    # Otherwise the answer is OPEN, with what is missing; the method is then what decided it true, if anything did.
    if certificate is not None and verdict is not None:
        by = f" by {question.ended_by}" if question is not None and question.ended_by else ""
        status, method = verdict.status, fragment or (SCRIPT if script else AUTOMATIC + by)
    elif settled is not None and settled.missing is None:
        status, method, why = "REFUTED", fragment or RUN, "no proof of the negation was found"
    else:
        if settled is not None:
            named = model if question is None else question.bound
            why, remaining = _missing(named, settled, script, seconds, smaller)
        if decided is not None:
            method = decided.by
            why = f"decided true by {decided.by}, without a certificate ({decided.why or 'none was found'}): {why}"
    vacuous = settled is not None and isinstance(settled.missing, certify.Vacuous)
    asked = () if question is None else question.reasons
    nearest = "" if question is None or status != "OPEN" else question.nearest
    if tried is None and question is not None:
        tried = question.tried
    advice = f"write intermediate steps into a proof script (docs/guides/proofs.md), or give more --seconds{smaller}"
    return ProofAnswer(
        model, claim.note, status, method, time.process_time() - begun, claim, tried, certificate, verdict, why,
        remaining, vacuous, asked, nearest, advice, None if question is None else question.second_model,
        {} if question is None else question.fixed,
    )  # fmt: skip


def _missing(model: Transformer | None, settled: Settled, script: bool, seconds: int, smaller: str) -> tuple[str, str]:
    """The reason why there is no proof, with what to do; and the goal that remains to be shown. Both as text."""
    missing, decision = settled.missing, settled.decision
    if isinstance(missing, certify.Vacuous):
        return str(missing), ""
    so_far = _so_far(model, settled.tried)
    what, _, remaining = str(missing).partition("\n")  # the first line is the reason, the goal follows
    true = decision is not None and decision.true
    if not true and model is not None and decision is not None and decision.outside is not None:
        so_far += f"; not decided, since {decision.outside}"
    if isinstance(missing, OutOfTime):
        do = f"write a proof script (see docs/guides/proofs.md), or give more time with --seconds{smaller}"
        return f"no proof was found within {seconds} seconds{so_far}; {do}", textwrap.dedent(remaining)
    if isinstance(missing, certify.Unmet):
        why = what.partition(": ")[2]
        do = "write such a string below 'inhabited' in a proof script: see docs/guides/statements.md"
    else:
        why = what if script else "the automation found no proof"
        do = f"write intermediate steps into a proof script: see docs/guides/proofs.md{smaller}"
    return f"{why}{so_far}; {do}", textwrap.dedent(remaining)


def _so_far(model: Transformer | None, tried: Tried | None) -> str:
    """The part of the reason that states of which short strings the statement is true; "" if no length is done."""
    if tried is not None and (covered := tried.true_of(model)):
        return f"; true of {covered}, not proved"
    return "; no small sizes were found at which it could be tried" if isinstance(tried, FamilyTried) else ""


def write(files: Sequence[Path], claim: Statement, certificate: Mapping[str, Any]) -> None:
    """Write a certificate to the first of two `files`, and to the second its statement as proofs/checker.py reads it.
    Existing files are replaced."""
    texts = (json.dumps(certificate) + "\n", certify.expanded(claim, certificate))
    put({file: text.encode() for file, text in zip(files, texts, strict=True)}, force=True)
