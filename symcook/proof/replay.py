"""From files to statuses: statements, certificates, and the verdicts, which only a replay gives.

Statements are blocks of ``proofs/statements/*.txt``, separated by blank lines::

    [lem.sum_const]
    statement: all c:Real, n:Int. 0 <= n -> sum(j, 1, n, c) = n*c
    nontrivial: 2 <= n & 0 < c
    claim: no

A line that begins with a blank continues the one before, ``#`` starts a comment line. Keys: ``statement`` (in which
``run(NAME)`` and the like are expanded from stored models, names and runs with a name by `records`), ``nontrivial``,
``define`` (any number), ``claim: no`` for a lemma, ``corrects: ID``, ``note``. The file ``definitions.txt`` has
definitions for all files, one a line. Ids ``named.X`` and ``oracle.X`` are assumptions without a certificate; what uses
them says so.

A certificate is ``proofs/certificates/ID.json`` (and, for a claim that has both, ``ID.refuted.json``)::

    {"grammar": 1, "id": ID, "statement": sha256, "lemmas": {ID: sha256}, "sense": "proved" or "refuted",
     "proof": proof of the statement or, where refuted, of R, "defined": proof of D, "inhabited": proof of H,
     "model": sha256 of the model that a claim of one's own is about}
    {"grammar": 1, "id": ID, "statement": sha256, "check": {"recipe": NAME, "max_length": N, ...}}

In a proof, ``lem:X`` is the statement ``lem.X``, ``lem:ID`` any other statement, ``named:X`` is ``named.X``.
"""

from __future__ import annotations

import gc
import re
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple

from symcook.errors import BadInput, Rejected, SymcookError, unknown
from symcook.proof import conditions, grammar, kernel, records, runrel
from symcook.proof.files import load_json, proofs_directory
from symcook.proof.grammar import GRAMMAR, Definition
from symcook.proof.terms import Sort, Term

REMARK = (
    "# The note is a remark that proofs/checker.py does not read; symcook prove MODEL.json checks that the statement "
    "is made of it."
)
"""What stands in the file of a claim of one's own above its sentence."""
_KEYS = frozenset({"statement", "nontrivial", "define", "claim", "corrects", "note"})
_LEMMA = ("lem.", "named.", "oracle.")
ID = re.compile(r"[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*", re.ASCII)


@dataclass(frozen=True)
class Statement:
    """A stored statement as written; `known` holds the definitions that it may use.

    `model` is the hash of the model that a claim of one's own is about (`modelfile.model_hash`).
    """

    id: str
    written: str
    nontrivial: str | None = None
    claim: bool = True
    corrects: str | None = None
    note: str = ""
    known: Mapping[str, Definition] = field(default_factory=dict, repr=False, compare=False)
    model: str | None = None

    @cached_property
    def text(self) -> str:
        """The statement with lists of names, records and families written out; run(NAME) of a stored model stands."""
        return self.written if records.REWRITTEN.search(self.written) is None else _expanded(self.written, "named")

    @cached_property
    def expanded(self) -> str:
        """The text with the run relations of stored models written out."""
        if records.WORD.search(self.text) is None:
            return self.text
        return _expanded(self.text, "expand")

    @cached_property
    def formula(self) -> Term:
        return grammar.read_formula(self.expanded, {}, self.known)

    @cached_property
    def digest(self) -> str:
        return grammar.digest(self.formula)

    @cached_property
    def defined(self) -> Term:
        """D: what must be shown so that nothing in the statement is undefined."""
        return conditions.defined(self.formula)

    @cached_property
    def inhabited(self) -> Term:
        """H: what must be shown so that the statement is not vacuous."""
        names = grammar.leading_names(self.expanded)
        return conditions.inhabited(self.formula, names, None if self.nontrivial is None else self.condition)

    def condition(self, scope: Mapping[str, Sort]) -> Term:
        """The nontrivial condition, read with the names of the leading quantifiers."""
        return grammar.read_formula(self.nontrivial or "true", scope, self.known)

    @cached_property
    def refutation(self) -> Term:
        """R: what a refutation must prove, that the statement is false at a place where all of it is defined."""
        return conditions.refutation(self.formula)

    def evaluated(self, length: int) -> int:
        """The number of instances up to `length`; Rejected where the statement is false or undefined at one."""
        from symcook.proof.instances import Instances

        return Instances(grammar.leading_names(self.expanded), length).check(self.formula, self.condition)

    @property
    def block(self) -> str:
        """The statement as proofs/checker.py reads it, with models written out. Its note stays behind, but that of a
        claim of one's own is the sentence, behind a comment that says what it is worth."""
        rows = [f"[{self.id}]"]
        rows += [REMARK, f"note: {self.note}", f"model: {self.model}"] if self.model is not None else []
        rows.append(f"statement: {self.expanded}")
        rows += [f"nontrivial: {self.nontrivial}"] if self.nontrivial is not None else []
        rows += [] if self.claim else ["claim: no"]
        return "\n".join([*rows, *([f"corrects: {self.corrects}"] if self.corrects is not None else [])])

    @property
    def label(self) -> str:
        """The label by which a proof uses this statement."""
        kind, _, name = self.id.partition(".")
        return f"{kind}:{name}" if kind in ("lem", "named", "oracle") else f"lem:{self.id}"

    @property
    def assumed(self) -> bool:
        """Whether the statement is used without a certificate, and named in the verdict of all that rests on it."""
        return self.id.startswith(("named.", "oracle."))


def _expanded(text: str, how: str) -> str:
    """The statement as the function `how` of `runrel` expands it; its BadInput becomes Rejected."""
    try:
        return getattr(runrel, how)(text)
    except BadInput as error:
        raise Rejected(str(error)) from None


@dataclass(frozen=True)
class Verdict:
    """What the replay of one id gave. `reason` says why where the status is OPEN.

    `named` and `oracles` are the assumptions under the certificate, its lemmas and, for CORRECTED, the correction.
    """

    id: str
    status: str
    nodes: int = 0
    lemmas: tuple[str, ...] = ()
    named: tuple[str, ...] = ()
    oracles: tuple[str, ...] = ()
    axioms: tuple[str, ...] = ()
    certificate: str | None = None
    seconds: float = 0.0
    reason: str = ""
    rejected: tuple[str, ...] = ()  # certificates of this id that are not accepted, and why

    @property
    def assuming(self) -> tuple[str, ...]:
        """The ids of the statements without a proof that the status rests on."""
        return (*(f"named.{n}" for n in self.named), *(f"oracle.{n}" for n in self.oracles))

    @property
    def words(self) -> str:
        """The status with what it assumes: ``PROVED assuming named.x``."""
        return self.status + (f" assuming {', '.join(self.assuming)}" if self.assuming else "")


def judge(
    statement: Statement,
    certificate: Any,
    lemmas: Mapping[str, Statement] | None = None,
    seconds: float = kernel.SECONDS,
) -> tuple[str, kernel.Accepted]:
    """Check a certificate against its statement: ("PROVED" or "REFUTED", what was used). Raises Rejected.

    `lemmas` are the statements that may be used, by id; the caller answers for their being proved, as `Library.judged`
    does for stored ones.
    """
    must = {"grammar", "id", "statement", "lemmas", "sense", "proof"}
    _shape(certificate, statement, must, {"defined", "inhabited", "model"})
    sense = certificate["sense"]
    if sense not in ("proved", "refuted"):
        raise Rejected("the sense of a certificate is proved or refuted")
    usable = _usable(certificate, lemmas or {})
    if sense == "proved" and statement.claim and not {"defined", "inhabited"} <= set(certificate):
        raise Rejected("a claim needs proofs that it is defined and not vacuous")
    # The proof of the statement or of R, and those of D and H where they are there.
    goals = {"proof": statement.formula if sense == "proved" else statement.refutation}
    goals |= {k: getattr(statement, k) for k in ("defined", "inhabited") if k in certificate}
    parts = []
    for key, goal in goals.items():
        try:
            parts.append(kernel.check(goal, certificate[key], lemmas=usable, known=statement.known, seconds=seconds))
        except Rejected as error:
            raise Rejected(f"{key}: {error}") from None
    used = [tuple(sorted({x for p in parts for x in getattr(p, k)})) for k in ("axioms", "lemmas", "named", "oracles")]
    return ("PROVED" if sense == "proved" else "REFUTED"), kernel.Accepted(sum(p.nodes for p in parts), *used)


def _shape(certificate: object, statement: Statement, must: set[str], may: set[str]) -> None:
    # The keys, and the hashes of what the certificate is for.
    if not isinstance(certificate, dict) or not must <= set(certificate) <= must | may:
        raise Rejected(f"a certificate needs the keys {', '.join(sorted(must))}")
    if certificate["grammar"] != GRAMMAR or isinstance(certificate["grammar"], bool):
        raise Rejected(f"a certificate must be for grammar {GRAMMAR}")
    if certificate["id"] != statement.id:
        raise Rejected("a certificate is for another id")
    if certificate["statement"] != statement.digest:
        raise Rejected("a certificate is for another statement (the hash differs)")
    if certificate.get("model") != statement.model:
        raise Rejected("a certificate is for another model (the hash differs)")


def _usable(certificate: Mapping[str, Any], lemmas: Mapping[str, Statement]) -> dict[str, Term]:
    """The formulas that a certificate may use, by label; it lists them with their hashes."""
    listed = certificate["lemmas"]
    if not isinstance(listed, dict):
        raise Rejected("the lemmas of a certificate are an object")
    out: dict[str, Term] = {}
    for name, digest in listed.items():
        if name == certificate["id"]:
            raise Rejected("a claim cannot be its own lemma")
        if name not in lemmas:
            raise Rejected(f"the lemma '{name[:80]}' is unknown or not proved")
        if lemmas[name].digest != digest:
            raise Rejected(f"the lemma '{name[:80]}' has changed (the hash differs)")
        out[lemmas[name].label] = lemmas[name].formula
    return out


def make_certificate(
    statement: Statement,
    proof: list[Any],
    defined: list[Any] | None = None,
    inhabited: list[Any] | None = None,
    lemmas: Iterable[Statement] = (),
    sense: str = "proved",
) -> dict[str, Any]:
    """A certificate with its hashes, for the scripts that find proofs; nothing is checked here."""
    out: dict[str, Any] = {"grammar": GRAMMAR, "id": statement.id, "statement": statement.digest}
    out |= {"lemmas": {s.id: s.digest for s in sorted(lemmas, key=lambda s: s.id)}, "sense": sense, "proof": proof}
    optional = (("defined", defined), ("inhabited", inhabited), ("model", statement.model))
    out |= {k: v for k, v in optional if v is not None}
    return out


def _verdict(statement: Statement, status: str, result: kernel.Accepted) -> Verdict:
    return Verdict(statement.id, status, result.nodes, result.lemmas, result.named, result.oracles, result.axioms)


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for garbage inside, a seventh of the time: terms have no cycles."""
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


class _Examined(NamedTuple):
    """The result of the checker for one certificate, as if its lemmas held: a verdict, or the reason why it is
    rejected."""

    file: str
    lemmas: tuple[str, ...]
    verdict: Verdict | None
    reason: str
    seconds: float


class Library:
    """The statements and certificates of one folder; each id is replayed once and its verdict kept."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.statements: Mapping[str, Statement] = read_statements(root / "statements")
        self._verdicts: dict[str, Verdict] = {}
        self._examined: dict[str, list[_Examined]] = {}

    def certificates(self) -> list[str]:
        """The ids with a stored certificate."""
        return [i for i in self.statements if any(p.is_file() for p in self._paths(i))]

    def _paths(self, name: str) -> list[Path]:
        folder = self.root / "certificates"
        return [folder / f"{name}.json", folder / f"{name}.refuted.json"]

    def replay(
        self, ids: Iterable[str] | None = None, progress: Callable[[str], None] | None = None, processes: int = 1
    ) -> list[Verdict]:
        """Verdicts of `ids` (of all with a certificate), each after the lemmas it uses. BadInput for an unknown id.

        `progress` is told each id before it is replayed; with more `processes` than one, when it was.
        """
        wanted = self.certificates() if ids is None else list(dict.fromkeys(ids))
        for name in wanted:
            if name not in self.statements:
                raise unknown("statement", name, list(self.statements))
        if processes > 1:
            self._examine_all([n for n in wanted if n not in self._verdicts], processes, progress)
        with uncollected():
            for place, name in enumerate(wanted, 1):
                if progress is not None and processes == 1:
                    progress(f"{place}/{len(wanted)} {name}")
                self._settle(name)
        order = {name: k for k, name in enumerate(self._verdicts)}
        return [self._final(self._verdicts[name]) for name in sorted(wanted, key=order.__getitem__)]

    def judged(self, statement: Statement, certificate: object, seconds: float = kernel.SECONDS) -> Verdict:
        """The verdict on a certificate of a statement that is not stored, whose lemmas are stored ones: these are
        settled here, and what they assume is named. Raises Rejected where one does not hold, or a part takes longer."""
        lemmas = _listed(certificate)
        if statement.id in self.statements:
            raise Rejected(f"the id '{statement.id[:80]}' is that of a stored statement")
        stated = {n: self.statements[n] for n in lemmas if n in self.statements}
        verdict = _verdict(statement, *judge(statement, certificate, stated, seconds))
        with uncollected():
            for name in lemmas:
                self._settle(name)
        final = self._final(self._resting(verdict, lemmas))
        if final.status == "OPEN":
            raise Rejected(final.reason)
        return final

    def _examine_all(self, names: list[str], processes: int, progress: Callable[[str], None] | None) -> None:
        """Examine the certificates of `names` in several processes, those that take longest first."""
        from concurrent.futures import ProcessPoolExecutor, as_completed
        from concurrent.futures.process import BrokenProcessPool
        from multiprocessing import get_context

        sizes = {n: sum(p.stat().st_size for p in self._paths(n) if p.is_file()) for n in names}
        no_interrupt = signal.signal, (signal.SIGINT, signal.SIG_IGN)  # it is for this process, which ends the others
        pool = ProcessPoolExecutor(processes, get_context("spawn"), *no_interrupt)
        try:
            longest = sorted(names, key=sizes.__getitem__, reverse=True)
            asked = {pool.submit(_examined, self.root, name): name for name in longest}
            for place, done in enumerate(as_completed(asked), 1):
                self._examined[asked[done]] = done.result()
                if progress is not None:
                    progress(f"{place}/{len(names)} {asked[done]}")
        except BrokenProcessPool:  # one was ended from outside: what is missing is examined in this one
            return
        finally:
            pool.shutdown(cancel_futures=True)

    def _final(self, verdict: Verdict) -> Verdict:
        """What is said of a settled id: OPEN where it rests on an assumption that is refuted, CORRECTED where it is
        refuted and a corrected statement is proved; the assumptions of both then count."""
        false = [n for n in verdict.assuming if n in self.statements and self._settle(n).status == "REFUTED"]
        if false:
            return replace(verdict, status="OPEN", reason=f"it assumes {', '.join(false)}, which is refuted")
        if verdict.status == "REFUTED":
            for candidate in self.statements.values():
                if candidate.corrects == verdict.id:
                    corrected = self._final(self._settle(candidate.id))
                    if corrected.status == "PROVED":
                        named = tuple(sorted({*verdict.named, *corrected.named}))
                        return replace(verdict, status="CORRECTED", named=named)
        return verdict

    def problems(self) -> list[str]:
        """The files in the folder of certificates that belong to no statement, and have no effect."""
        wanted = {path.name for name in self.statements for path in self._paths(name)}
        files = sorted(p.name for p in (self.root / "certificates").glob("*") if p.name not in wanted)
        return [f"certificates/{name} belongs to no statement" for name in files]

    def _settle(self, name: str) -> Verdict:
        """The verdict of one id; its lemmas first, on a stack of open ids so that a cycle is seen."""
        stack: list[str] = [name]
        opened: set[str] = set()
        while stack:
            top = stack[-1]
            if top in self._verdicts:
                stack.pop()
                continue
            self.examined(top)
            needs = [n for n in self.lemmas(top) if n in self.statements and n not in self._verdicts]
            if top in opened or not needs:
                self._verdicts[top] = self._judge(top)
                stack.pop()
                continue
            opened.add(top)
            stack += [n for n in needs if n not in opened]
        return self._verdicts[name]

    def lemmas(self, name: str) -> list[str]:
        """The lemmas that the certificates of `name` list; nothing is checked here."""
        if name in self._examined:
            return [lemma for one in self._examined[name] for lemma in one.lemmas]
        out: list[str] = []
        for path in self._paths(name):
            if path.is_file():
                try:
                    out += _listed(load_json(path.read_bytes()))
                except Rejected:
                    continue  # the certificate is refused where it is examined
        return out

    def examined(self, name: str) -> list[_Examined]:
        """The result of the checker for each certificate of `name`, as if its lemmas held."""
        if name not in self._examined:
            self._examined[name] = [self._look(self.statements[name], p) for p in self._paths(name) if p.is_file()]
        return self._examined[name]

    def _look(self, statement: Statement, path: Path) -> _Examined:
        # A check is done again, a proof is judged; what fails is noted with its reason.
        start = time.perf_counter()
        verdict, reason, lemmas = None, "", ()
        try:
            certificate = load_json(path.read_bytes())
            lemmas = _listed(certificate)
            if isinstance(certificate, dict) and "check" in certificate:
                verdict = self._recheck(statement, certificate)
            else:
                stated = {n: self.statements[n] for n in lemmas if n in self.statements}
                verdict = _verdict(statement, *judge(statement, certificate, stated))
        except (Rejected, BadInput) as error:
            reason = str(error)
        return _Examined(path.name, lemmas, verdict, reason, time.perf_counter() - start)

    def _judge(self, name: str) -> Verdict:
        """The verdict of one id whose lemmas, as far as they can be, are settled."""
        verdicts: list[Verdict] = []
        reasons: list[str] = []
        seconds = 0.0
        for own in self.examined(name):
            seconds += own.seconds
            try:
                if own.verdict is None:
                    raise Rejected(own.reason)
                verdicts.append(self._resting(own.verdict, own.lemmas))
            except Rejected as error:
                reasons.append(f"{own.file}: {error}")
        words = {v.status for v in verdicts}
        if "REFUTED" in words and words & {"PROVED", "DECIDED"}:
            raise SymcookError(f"a defect of the checker: '{name}' and its negation are both proved; please report it")
        verdicts.sort(key=lambda v: v.status != "REFUTED")  # a counterexample counts more than a check of some inputs
        why = "; ".join(reason.partition(": ")[2] for reason in reasons)
        best = verdicts[0] if verdicts else Verdict(name, "OPEN", reason=why or "no stored proof")
        stored = [str(p) for p in self._paths(name) if p.is_file()]
        return replace(best, certificate=stored[0] if stored else None, seconds=seconds, rejected=tuple(reasons))

    def _resting(self, verdict: Verdict, lemmas: Sequence[str]) -> Verdict:
        """`verdict` with the assumptions below it; Rejected where it rests on a lemma that does not hold."""
        for lemma in lemmas:
            if not self._ready(lemma):
                raise Rejected(f"the lemma '{lemma[:80]}' is unknown or not proved")
        below = [self._verdicts[n] for n in lemmas if n in self._verdicts]
        named = tuple(sorted({*verdict.named, *(x for v in below for x in v.named)}))
        oracles = tuple(sorted({*verdict.oracles, *(x for v in below for x in v.oracles)}))
        if oracles and verdict.status == "REFUTED":
            raise Rejected("a refutation may not rest on an oracle")
        return replace(verdict, status="DECIDED" if oracles else verdict.status, named=named, oracles=oracles)

    def _ready(self, name: str) -> bool:
        """Whether a proof may use the statement `name`: it holds, or is assumed and not refuted."""
        verdict = self._verdicts.get(name)
        if verdict is not None and verdict.status in ("PROVED", "DECIDED"):
            return True
        return name in self.statements and self.statements[name].assumed and getattr(verdict, "status", "") != "REFUTED"

    def _recheck(self, statement: Statement, certificate: dict[str, Any]) -> Verdict:
        """CHECKED N where the statement is true at every instance up to N, and the model that it names agrees with
        its own reference on as many inputs as the certificate says."""
        _shape(certificate, statement, {"grammar", "id", "statement", "check"}, set())
        asked = certificate["check"]
        length = asked.get("max_length") if isinstance(asked, dict) else None
        if not isinstance(length, int) or isinstance(length, bool) or length < 1:
            raise Rejected("a check needs a max_length of at least 1")
        from symcook.verify import recheck

        recipe = asked.get("recipe")
        if not records.words_about(statement.text, str(recipe)):
            raise Rejected("the check that a certificate names is of a model that the statement does not mention")
        statement.evaluated(length)
        if recheck.recheck(asked) is not True:
            raise Rejected("the check that a certificate names does not succeed")
        return Verdict(statement.id, f"CHECKED {length}")


def _listed(certificate: object) -> tuple[str, ...]:
    listed = certificate.get("lemmas") if isinstance(certificate, dict) else None
    return tuple(listed) if isinstance(listed, dict) else ()


@cache
def _library(root: Path) -> Library:
    """What a process of `Library.replay` reads once."""
    return Library(root)


def _examined(root: Path, name: str) -> list[_Examined]:
    with uncollected():
        return _library(root).examined(name)


def read_statements(folder: Path) -> dict[str, Statement]:
    """The statements of a folder by id. Rejected where a file does not follow the format or an id comes twice."""
    shared: dict[str, Definition] = {}
    # Definitions for all files.
    path = folder / "definitions.txt"
    for _, line in _lines(path):
        if not line:
            continue
        definition = grammar.define(line, shared)
        shared[definition.name] = definition
    out: dict[str, Statement] = {}
    labels: set[str] = set()
    # The blocks of each file.
    for path in sorted(folder.glob("*.txt"), key=lambda p: p.stem):  # a lemma may use earlier ones
        if path.name == "definitions.txt":
            continue
        for place, block in _blocks(path):
            statement = _statement(place, block, shared)
            if statement.id in out or statement.label in labels:
                raise Rejected(f"{place}: the id '{statement.id}' comes twice")
            out[statement.id] = statement
            labels.add(statement.label)
    # What statements may say of each other.
    for statement in out.values():
        if statement.corrects is not None and statement.corrects not in out:
            raise Rejected(f"'{statement.id}' corrects '{statement.corrects}', which has no statement")
        if not statement.claim and (statement.corrects is not None or not statement.id.startswith(_LEMMA)):
            raise Rejected(f"'{statement.id}' must be a claim: only a lemma is let off D and H")
    return out


def _statement(place: str, block: list[tuple[str, str]], shared: Mapping[str, Definition]) -> Statement:
    # One block: its id, definitions of its own, and each other key at most once.
    name = block[0][1] if block[0][0] == "id" else ""
    if ID.fullmatch(name) is None:
        raise Rejected(f"{place}: a block must begin with an id in brackets")
    known = dict(shared)
    single: dict[str, str] = {}
    for key, value in block[1:]:
        if key == "define":
            definition = grammar.define(value, known)
            known[definition.name] = definition
        elif key not in _KEYS or key in single:
            raise Rejected(f"{place}: '{key}' is unknown or comes twice")
        else:
            single[key] = value
    if "statement" not in single or single.get("claim", "yes") not in ("yes", "no"):
        raise Rejected(f"{place}: a block needs a statement, and claim is yes or no")
    claim = single.get("claim", "yes") == "yes"
    extras = (single.get("nontrivial"), claim, single.get("corrects"), single.get("note", ""))
    return Statement(name, single["statement"], *extras, known=known)


def _lines(path: Path) -> list[tuple[int, str]]:
    """The lines of a file by number: comments left out, a line that begins with a blank joined to the one before."""
    text = path.read_bytes().decode("utf-8") if path.is_file() else ""
    out: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.isprintable():  # a tab, another line break, a mark that turns the reading direction
            raise Rejected(f"{path.name}:{number}: a line must consist of printable characters and blanks")
        if line[:1].isspace() and line.strip() and out and out[-1][1] and not line.lstrip().startswith("#"):
            out[-1] = (out[-1][0], f"{out[-1][1]} {line.strip()}")
        elif not line.lstrip().startswith("#"):
            out.append((number, line.strip()))
    return out


def _blocks(path: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    """The blocks of a file, each with the place where it begins: pairs of key and value, ``("id", ...)`` for [id]."""
    out: list[tuple[str, list[tuple[str, str]]]] = []
    fresh = True
    for number, line in _lines(path):
        if not line:
            fresh = True
            continue
        if fresh:
            out.append((f"{path.name}:{number}", []))
            fresh = False
        head = re.fullmatch(r"\[(.*)\]|(\w+):(.*)", line, re.DOTALL)
        if head is None:
            raise Rejected(f"{path.name}:{number}: a line must be an id in brackets or 'key: value'")
        out[-1][1].append(("id", head[1]) if head[1] is not None else (head[2], head[3].strip()))
    return out


@cache
def library() -> Library:
    """The project's own statements and certificates, read once a process."""
    return Library(proofs_directory())


def statements() -> Mapping[str, Statement]:
    """The stored statements by id."""
    return library().statements


def replay(
    ids: Iterable[str] | None = None, progress: Callable[[str], None] | None = None, processes: int = 1
) -> list[Verdict]:
    """Verdicts of the stored certificates of `ids`, or of all of them, lemmas first."""
    return library().replay(ids, progress, processes)
