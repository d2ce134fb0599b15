"""Build the certificates from proof texts, and from scripts where proofs are generated.

    python proofs/build.py               every statement that has a proof
    python proofs/build.py ID ...        these only
    python proofs/build.py --texts       the texts that are not recorded as they are now
    python proofs/build.py --check       write nothing; exit 1 where a text is not recorded as it is now
    python proofs/build.py --check ID    write nothing; exit 1 where one of these gives no certificate
    ... --check --sample 2               build two in a hundred of the texts too; exit 1 where one gives no certificate;
                                         a hint that can go is named (see --idle)
    ... -j 4                             in so many processes
    ... --idle                           hints that nothing uses go out of the texts that are built, where the
                                         certificate is the same without them; with --check exit 1 where one can

A proof text is ``proofs/<paper>/<id>.proof``, of a library lemma ``proofs/lemmas/<name>.proof``. ``proofs/built.txt``
records from what the certificate of each text was built: the text, the statement, the lemmas that it uses and the
definitions that it names, and the certificate itself. The programs that find proofs are not recorded: the checkers
accept a certificate however it was found. So a text may give another certificate today than the one that is stored, and
after a change of these programs it may give none; a sample says how many of those that are drawn do. Progress with
seconds goes to stderr, and hints that nothing uses (some of which steer the search nevertheless). What is written was
accepted by the checker once already. A run that was broken off keeps what it has built; --texts builds what is left.
"""

from __future__ import annotations

import argparse
import gc
import json
import signal
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.alarm import TimeUp, alarm
from symcook.errors import BadInput, Rejected
from symcook.files import alone
from symcook.proof import kernel, normal, replay
from symcook.proof.audit import seals
from symcook.proof.audit.source import RECORD, record_line
from symcook.proof.grammar import GRAMMAR
from symcook.proof.search import elaborate, prooftext
from symcook.proof.search.prooftext import BadProof, HintText, Place, ProofText, TextLine
from symcook.proof.search.tactics import Citable, Goal, Stuck, Tactic, blast, prove
from symcook.proof.statements import certify
from symcook.proof.terms import Term
from symcook.verify import stated

if TYPE_CHECKING:
    from script import Script

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "certificates"
BUILT = HERE / RECORD
SECONDS = 60
"""Processor time for a sample."""
CHECKS = {"model.first-position": 16, "model.dyck-1-nonuniform": 8}
"""Statements that are checked at all instances, and their model by running it, and to which length."""
OTHER = frozenset({"certificates", "models", "remarks", "scripts", "statements"})


def file_of(name: str) -> Path:
    """Where the proof text of a statement is, or would be."""
    return prooftext.path_of(HERE, name)


def texts() -> dict[str, Path]:
    """All proof texts by statement id; ValueError where a file does not stand where its id says."""
    out: dict[str, Path] = {}
    for path in sorted(HERE.glob("*/*.proof")):
        name = f"lem.{path.stem}" if path.parent.name == "lemmas" else path.stem
        if path.parent.name in OTHER or file_of(name) != path:
            raise ValueError(f"{path} must be {file_of(name)}")
        out[name] = path
    return out


def read_text(name: str, path: Path) -> ProofText:
    """A proof text; BadProof where it cannot be read or is for another id."""
    made = prooftext.read(path.read_text(encoding="utf-8"))
    if made.id != name:
        raise BadProof(Place(1, 1), f"expected a proof of {name}, as the file's name says", made.id)
    return made


def script_of(name: str) -> Script:
    """What proves a statement, as tactics: its script, or its text."""
    if (found := scripts_with_files().get(name)) is not None:
        return found[0]
    from script import Script

    text = read_text(name, file_of(name))
    parts = {part: text_tactic(text.parts.get(part, ())) for part in prooftext.PARTS}
    return Script(parts["proof"], parts["inhabited"], parts["defined"], text.refutes)


def text_tactic(lines: Sequence[TextLine]) -> Tactic:
    """The lines of a part as a tactic, which is Stuck where they do not fit its goal."""

    def run(g: Goal) -> None:
        try:
            elaborate.Elaborator().block(g, lines, Place(1, 1))
        except BadInput as error:
            raise Stuck(str(error)) from None

    return run


def scripts_with_files() -> dict[str, tuple[Script, Path]]:
    """The scripts, each with the file that it stands in: SCRIPTS of each module in proofs/scripts."""
    if str(HERE / "scripts") not in sys.path:
        sys.path.insert(0, str(HERE / "scripts"))
    from script import Script

    out: dict[str, tuple[Script, Path]] = {}
    for path in sorted((HERE / "scripts").glob("*.py")):
        found: dict[str, Script | Tactic] = getattr(import_module(path.stem), "SCRIPTS", {})
        if twice := out.keys() & found.keys():
            raise ValueError(f"two scripts for {', '.join(sorted(twice))}")
        out |= {name: (made if isinstance(made, Script) else Script(made), path) for name, made in found.items()}
    return out


def used(proof: Any) -> Iterator[str]:
    """The labels of lemmas and named assumptions that occur in a proof."""
    if isinstance(proof, str):
        if proof.startswith(("lem:", "#lem:", "named:", "#named:")):
            yield proof.lstrip("#")
    elif isinstance(proof, dict):
        for value in proof.values():
            yield from used(value)
    elif isinstance(proof, list):
        for value in proof:
            yield from used(value)


def library(name: str, known: Mapping[str, replay.Statement]) -> tuple[Citable, dict[str, replay.Statement]]:
    """What the proof of a statement may use: axioms, and the lemmas and claims before it, by label."""
    before = list(known)[: list(known).index(name)]
    labels = {known[n].label: known[n] for n in (*(n for n in known if n.startswith("lem.")), *before) if n != name}
    if name.startswith("lem."):
        labels = {known[n].label: known[n] for n in before if n.startswith("lem.")}
    labels |= {s.label: s for s in known.values() if s.assumed}
    return certify.library(known[name], labels), labels


def build(name: str, script: Script, known: Mapping[str, replay.Statement]) -> dict[str, Any]:
    """The certificate of one statement from its script; Stuck or Rejected where the script fails."""
    normal.forget()
    statement = known[name]
    home, labels = library(name, known)
    tactics = {"proof": script.proof, "defined": script.defined, "inhabited": script.inhabited}
    goals = goals_of(statement, False)
    parts = {key: prove(home, goal, tactics[key] or blast) for key, goal in goals.items()}
    return _judged(statement, parts, False, labels)


def from_text(
    name: str, text: ProofText, known: Mapping[str, replay.Statement], idle: list[tuple[Place, str]] | None = None
) -> dict[str, Any]:
    """The certificate of one statement from its proof text; BadProof, Gap or Rejected where it gives none.

    Hints that nothing uses come to `idle` with their places.
    """
    normal.forget()
    statement = known[name]
    home, labels = library(name, known)
    goals = goals_of(statement, text.refutes)
    parts = {key: elaborate.part(home, text, key, goal, idle) for key, goal in goals.items()}
    return _judged(statement, parts, text.refutes, labels)


def without_idle(
    name: str,
    text: ProofText,
    known: Mapping[str, replay.Statement],
    certificate: Mapping[str, Any],
    idle: Sequence[tuple[Place, str]],
    seconds: float,
) -> tuple[ProofText, list[tuple[Place, str]]]:
    """A proof text without those idle hints that do not steer the search either, and these hints with their places.

    It gives the same certificate, in at most so many seconds of the processor: all are left out at once, and where that
    fails one half after the other.
    """
    gone: list[tuple[Place, str]] = []

    def fewer(hints: Iterable[tuple[Place, str]]) -> ProofText:
        out = frozenset([*gone, *hints])
        return replace(text, parts={part: without(lines, out) for part, lines in text.parts.items()})

    def leave_out(hints: Sequence[tuple[Place, str]]) -> None:
        try:
            with alarm(seconds):
                same = from_text(name, fewer(hints), known) == certificate
        except (Stuck, Rejected, BadInput, TimeUp):
            same = False
        if same:
            gone.extend(hints)
        elif len(hints) > 1:
            half = len(hints) // 2
            leave_out(hints[:half])
            leave_out(hints[half:])

    tried = -1
    while tried < len(gone):  # again: a hint may steer only what another one led astray
        tried = len(gone)
        left = [key for key in idle if fewer([key]) != fewer([])]  # a step of a chain is cited without being written
        if left:
            leave_out(left)
    return fewer([]), gone


def without(lines: Iterable[TextLine], gone: frozenset[tuple[Place, str]]) -> tuple[TextLine, ...]:
    """Lines without such hints; a premise that an instance names becomes ``_``, and ``qed`` goes with its last hint."""
    out: list[TextLine] = []
    for line in lines:
        source, hints = line.source, line.hints
        if line.kind != "rewrite":
            hints = tuple(h for h in hints if (line.place, h.text) not in gone)
        if source is not None and any((line.place, h.text) in gone for h in source.premises):
            source = without_premises(source, [h.text for h in source.premises if (line.place, h.text) in gone])
        if not (line.kind == "qed" and line.hints and not hints and out):
            blocks = tuple(without(block, gone) for block in line.blocks)
            out.append(replace(line, hints=hints, source=source, blocks=blocks))
    return tuple(out)


def without_premises(hint: HintText, gone: Sequence[str]) -> HintText:
    """An instance without facts for some of its premises."""
    left = [HintText("_", "_") if h.text in gone else h for h in hint.premises]
    while left and left[-1].name == "_":
        left.pop()
    terms = "" if hint.terms is None else f"({'; '.join(hint.terms)})"
    facts = f"[{', '.join(h.text for h in left)}]" if left else ""
    return replace(hint, text=f"{hint.name}{terms}{facts}", premises=tuple(left))


def rewritten(raw: str, proof: ProofText) -> str:
    """A proof as the printer writes it, below the comments of its text; BadProof where some stand between lines."""
    rows = raw.split("\n")
    comments = [row for row in rows if row.lstrip().startswith("#")]
    if rows[1 : len(comments) + 1] != comments:
        must = "expected no comment between the lines of a text out of which hints are taken"
        raise BadProof(Place(rows.index(comments[-1]) + 1, 1), must, comments[-1])
    heading, *lines = prooftext.written(proof).split("\n")
    return "\n".join([heading, *comments, *lines])


def goals_of(statement: replay.Statement, refuted: bool) -> dict[str, Term]:
    """What is to be proved: the statement, and for a claim that it is defined and not vacuous; or its refutation."""
    if refuted:
        return {"proof": statement.refutation}
    more = {"defined": statement.defined, "inhabited": statement.inhabited} if statement.claim else {}
    return {"proof": statement.formula, **more}


def _judged(
    statement: replay.Statement, parts: Mapping[str, list[Any]], refuted: bool, labels: Mapping[str, replay.Statement]
) -> dict[str, Any]:
    """The certificate with these parts, accepted by the checker."""
    needed = {label for part in parts.values() for label in used(part)}
    lemmas = [labels[label] for label in needed]
    sense = "refuted" if refuted else "proved"
    extra = (parts.get("defined"), parts.get("inhabited"))
    certificate = replay.make_certificate(statement, parts["proof"], *extra, lemmas, sense)
    replay.judge(statement, certificate, {s.id: s for s in lemmas})
    return certificate


def made(
    name: str, known: Mapping[str, replay.Statement], idle: list[tuple[Place, str]] | None = None
) -> dict[str, Any]:
    """The certificate of one statement from what there is for it: a check, a text or a script."""
    if name in CHECKS:
        return check(name, CHECKS[name], known[name])
    if (path := file_of(name)).is_file():
        return from_text(name, read_text(name, path), known, idle)
    return build(name, scripts_with_files()[name][0], known)


def check(name: str, length: int, statement: replay.Statement) -> dict[str, Any]:
    """The certificate that names a check of a model; Stuck where the check fails."""
    recipe = name.removeprefix("model.")
    statement.evaluated(length)
    found = stated.check_recipe(recipe, length)
    if not found.holds:
        raise Stuck(f"the model is wrong on {found.first}")
    asked = {"recipe": recipe, "max_length": length, "strings": found.strings}
    return {"grammar": GRAMMAR, "id": name, "statement": statement.digest, "check": asked}


def text(certificate: Mapping[str, Any]) -> str:
    """The certificate as it is stored: one line for each top-level key."""
    lines = [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in certificate.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


@dataclass(frozen=True)
class Built:
    """What one id gave: the text of its certificate, or why there is none, and the hints of its text that nothing uses,
    of which those in `removable` can go; `shorter` is the text without them."""

    name: str
    certificate: str | None
    problem: str
    seconds: float
    idle: tuple[tuple[Place, str], ...] = ()
    removable: tuple[tuple[Place, str], ...] = ()
    shorter: str | None = None


def attempt(name: str, shorten: bool = False) -> Built:
    """Build one id. With `shorten` it is asked which of the hints that nothing uses can go."""
    known = replay.statements()
    start = time.perf_counter()
    idle: list[tuple[Place, str]] = []
    removable: list[tuple[Place, str]] = []
    shorter = None
    try:
        certificate = made(name, known, idle)
        if idle and shorten:
            path = file_of(name)
            raw, seconds = path.read_text(encoding="utf-8"), 1 + 2 * (time.perf_counter() - start)
            without_them, removable = without_idle(name, read_text(name, path), known, certificate, idle, seconds)
            shorter = rewritten(raw, without_them) if removable else None
    except (Stuck, Rejected, BadInput) as error:
        return Built(name, None, f"{type(error).__name__}: {error}", time.perf_counter() - start)
    seconds = time.perf_counter() - start
    return Built(name, text(certificate), "", seconds, tuple(idle), tuple(removable), shorter)


def size_of(name: str) -> int:
    """The bytes of the stored certificate, by which it is guessed how long building takes."""
    path = FOLDER / f"{name}.json"
    return path.stat().st_size if path.is_file() else 1000


def attempts(names: Sequence[str], shorten: bool, processes: int) -> Iterator[Built]:
    """What each id gives, as it comes; with several processes those first that took most space before."""
    if processes == 1:
        yield from (attempt(name, shorten) for name in names)
        return
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    unstopped = signal.signal, (signal.SIGINT, signal.SIG_IGN)  # an interruption is for this process, which ends those
    pool = ProcessPoolExecutor(processes, get_context("spawn"), *unstopped)
    try:
        asked = [pool.submit(attempt, name, shorten) for name in sorted(names, key=size_of, reverse=True)]
        for done in as_completed(asked):
            yield done.result()
    finally:
        pool.shutdown(cancel_futures=True)


class Record:
    """The lines of built.txt, of which those that are of no id with a text go. Lines that another run writes stay."""

    def __init__(self, written: Mapping[str, Path], known: Mapping[str, replay.Statement]) -> None:
        self.written, self.known = written, known
        self.stored = seals.read(BUILT)
        self.renewed: dict[str, str | None] = {}

    def current(self, name: str) -> bool:
        """Whether the certificate of a text is recorded as built from what is there now."""
        try:
            line = record_line(HERE, name, self.known)
        except (OSError, ValueError):  # no certificate, or a text that is none
            return False
        return line == self.renewed[name] if name in self.renewed else line in self.stored

    def put(self, built: Built) -> None:
        """Record what an id with a text gave; where it gave nothing, what was recorded goes."""
        accepted = built.certificate is not None and built.name in self.written
        self.renewed[built.name] = record_line(HERE, built.name, self.known) if accepted else None

    def write(self) -> None:
        with alone(BUILT.parent):
            names = self.written.keys() - self.renewed.keys()
            kept = [line for line in seals.read(BUILT) if line.partition(" ")[0] in names]
            seals.write(BUILT, [*kept, *filter(None, self.renewed.values())])


def finders() -> list[Path]:
    """The files that find proofs."""
    folder = Path(kernel.__file__).parent
    return sorted(path for name in ("inequalities", "search", "bridges") for path in (folder / name).glob("*.py"))


def drawn(written: Mapping[str, Path], percent: float) -> list[str]:
    """The ids of a sample of the texts: another one after each change of a text, or of what finds proofs."""
    seed = seals.digest(*(path.read_bytes() for path in (*finders(), *written.values())))
    count = min(len(written), max(1, round(len(written) * percent / 100)))
    return sorted(written, key=lambda name: seals.digest(seed, name))[:count]


def sampled(names: Sequence[str]) -> int:
    """Build the ids of a sample and say what they give; how many give no certificate. A hint that can go is named."""
    start = time.process_time()
    same, other, none = 0, 0, 0
    for name in names:
        left = SECONDS - (time.process_time() - start)
        if left <= 0:
            break
        try:
            with alarm(left):
                built = attempt(name, shorten=True)
        except TimeUp:
            break
        for place, hint in built.removable:
            print(f"{shown_file(name)}, line {place.line}: nothing uses {hint}; it can go", file=sys.stderr)
        if built.certificate is None:
            none += 1
            print(f"{shown_file(name)}: {built.problem}", file=sys.stderr)
        elif (FOLDER / f"{name}.json").read_text(encoding="utf-8") == built.certificate:
            same += 1
        else:
            other += 1
    done = same + other + none
    print(
        f"built again: {done} of {len(names)} texts that were drawn, in {time.process_time() - start:.0f} s; {same} "
        f"give the stored certificate, {other} another one that is accepted, {none} none",
        file=sys.stderr,
    )
    return none


def shown_file(name: str) -> str:
    """The file of a proof text from the folder of the project; the id where there is none."""
    return str(file_of(name).relative_to(HERE.parent)) if file_of(name).is_file() else name


def mismatched(every: Mapping[str, tuple[Script, Path]], written: Mapping[str, Path], known: Collection[str]) -> int:
    """How many proofs are there twice, or for no statement; each is named."""
    twice = sorted(every.keys() & written.keys())
    for name in twice:
        files = f"a text, {written[name].name}, and a script in {every[name][1].name}"
        print(f"{name}: has {files}: one must go", file=sys.stderr)
    orphans = sorted(written.keys() - known)
    for name in orphans:
        print(f"{written[name]}: there is no statement {name}", file=sys.stderr)
    return len(twice) + len(orphans)


def main(arguments: Sequence[str] | None = None) -> int:
    gc.set_threshold(100_000, 20, 50)  # as in the command line
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--texts", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--sample", type=float, metavar="PERCENT")
    parser.add_argument("--idle", action="store_true")
    parser.add_argument("-j", type=int, default=1, metavar="PROCESSES", dest="processes")
    given = parser.parse_args(arguments)
    if given.processes < 1 or (given.sample is not None and not (given.check and 0 < given.sample <= 100)):
        parser.error("-j must be at least 1; --sample must be a percentage, with --check")
    known = replay.statements()
    every, written = scripts_with_files(), texts()
    failed = mismatched(every, written, known.keys())
    built = Record({name: path for name, path in written.items() if name in known}, known)
    proofs = [name for name in known if name in written or name in every or name in CHECKS]
    for name in given.ids:
        if name not in proofs:
            failed += 1
            print(f"{name}: no statement or no proof", file=sys.stderr)
    if given.check and not given.ids:
        return 1 if failed + recorded(built) + (sampled(drawn(written, given.sample)) if given.sample else 0) else 0
    names = [name for name in proofs if name in given.ids] if given.ids else proofs
    if given.texts and not given.ids:
        names = [name for name in names if name in written and not built.current(name)]
    return 1 if failed + build_all(names, built, given.processes, given.check, given.idle) else 0


def recorded(built: Record) -> int:
    """How many texts are not recorded as they are now; each is named. Nothing is built."""
    stale = [name for name in built.written if not built.current(name)]
    for name in stale:
        print(f"{shown_file(name)}: the stored certificate is not recorded as built from this text", file=sys.stderr)
    if stale:
        print("python proofs/build.py --texts builds them", file=sys.stderr)
    print(f"{len(built.written) - len(stale)} of {len(built.written)} texts are recorded as they are", file=sys.stderr)
    return len(stale)


def build_all(
    names: Sequence[str],
    record: Record,
    processes: int = 1,
    check: bool = False,
    shorten: bool = False,
    done: Callable[[str], None] = lambda name: None,
) -> int:
    """Build these ids, and write and record what they give, unless they are only checked; how many are not as they must
    be. `done` is told each id that gave a certificate."""
    failed, start, saved = 0, time.monotonic(), time.monotonic()
    total, finished = sum(map(size_of, names)), 0
    try:
        for place, built in enumerate(attempts(names, shorten, processes), 1):
            name = built.name
            finished += size_of(name)
            if built.certificate is None:
                failed += 1
                print(f"{shown_file(name)}: {built.problem}", file=sys.stderr)
            if not check:
                if built.shorter is not None:
                    file_of(name).write_text(built.shorter, encoding="utf-8", newline="\n")
                if built.certificate is not None:
                    (FOLDER / f"{name}.json").write_text(built.certificate, encoding="utf-8", newline="\n")
                record.put(built)
                if time.monotonic() - saved > 5:
                    record.write()
                    saved = time.monotonic()
            failed += check and bool(built.removable)
            for key in built.idle:
                spot, hint = key
                what = "can go" if check else "is taken out"
                more = f"; it {what}" if key in built.removable else ""
                print(f"{shown_file(name)}, line {spot.line}: nothing uses {hint}{more}", file=sys.stderr)
            if built.certificate is not None:
                stored = FOLDER / f"{name}.json"
                other = not stored.is_file() or stored.read_text(encoding="utf-8") != built.certificate
                more = "; not the stored certificate" if other else ""  # when checked
                if place % 20 == 0:
                    minutes = (time.monotonic() - start) * (total - finished) / finished / 60
                    more += f"; about {minutes:.0f} min to go"
                size = len(built.certificate)
                print(f"{place}/{len(names)} {name}: {size} bytes, {built.seconds:.2f} s{more}", file=sys.stderr)
                done(name)
    finally:  # also of a build that was interrupted
        if not check:
            record.write()
    return failed


if __name__ == "__main__":
    sys.exit(main())
