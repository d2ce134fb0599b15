"""Build the certificates from proof texts, and from scripts where proofs are generated.

    python proofs/build.py            every statement that has a proof
    python proofs/build.py ID ...     these only
    python proofs/build.py --texts    those that have a text
    python proofs/build.py --check    write nothing; build again the texts that changed, and all scripts that are
                                      named; exit 1 where a stored certificate differs
    python proofs/build.py --idle     with any of these: hints that nothing uses go out of the texts that are built,
                                      where the certificate is the same without them; with --check exit 1 where one can

A proof text is ``proofs/<paper>/<id>.proof``, of a library lemma ``proofs/lemmas/<name>.proof``. ``proofs/built.json``
records from what the certificate of each text was built: the text, the statement, the lemmas that it uses, the
definitions that it names, and the automation. What is recorded as it is now is not built again by --check. Progress
with seconds goes to stderr, and hints that nothing uses (some of which steer the search nevertheless). What is written
was accepted by the checker once already.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.alarm import TimeUp, alarm
from symcook.errors import BadInput, Rejected
from symcook.proof import kernel, normal, own, replay
from symcook.proof.audit.source import digest, record, source_digest
from symcook.proof.grammar import GRAMMAR
from symcook.proof.search import elaborate, prooftext
from symcook.proof.search.prooftext import BadProof, HintText, Place, ProofText, TextLine
from symcook.proof.search.tactics import Citable, Goal, Stuck, Tactic, prove
from symcook.proof.terms import Term
from symcook.verify import stated

if TYPE_CHECKING:
    from script import Script

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "certificates"
RECORD = HERE / "built.json"
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


def scripts() -> dict[str, Script]:
    """All proofs by statement id as tactics, those from texts too. ValueError where there are two for one id."""
    out = {name: script for name, (script, _) in scripts_with_files().items()}
    from script import Script

    for name, path in texts().items():
        if name in out:
            raise ValueError(f"{name} has a text and a script")
        text = read_text(name, path)
        parts = {part: text_tactic(text.parts.get(part, ())) for part in prooftext.PARTS}
        out[name] = Script(parts["proof"], parts["inhabited"], parts["defined"], text.refutes)
    return out


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


BRIDGES = ("bridge.py", "computed.py", "folded.py", "named.py")


def automation_digest() -> str:
    """What finds proofs, and what the kernel computes: all of symcook/proof that a certificate depends on.

    Bridges are made without texts, and no text asks for what makes them.
    """
    folder = Path(kernel.__file__).parent
    files = [
        *(path for path in sorted((folder / "search").glob("*.py")) if path.name not in BRIDGES),
        *(folder / f"{n}.py" for n in ("terms", "grammar", "normal", "kernel", "conditions")),
    ]
    return digest(*[p.read_bytes() for p in [*files, folder.parent / "model" / "expr.py"]])


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
    return own.library(known[name], labels), labels


def build(name: str, script: Script, known: Mapping[str, replay.Statement]) -> dict[str, Any]:
    """The certificate of one statement from its script; Stuck or Rejected where the script fails."""
    normal.forget()
    statement = known[name]
    home, labels = library(name, known)
    tactics = {"proof": script.proof, "defined": script.defined, "inhabited": script.inhabited}
    goals = goals_of(statement, False)
    parts = {key: prove(home, goal, tactics[key] or Goal.blast) for key, goal in goals.items()}
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
        raise Stuck(f"the model is wrong on {found.counterexample}")
    asked = {"recipe": recipe, "max_length": length, "strings": found.strings}
    return {"grammar": GRAMMAR, "id": name, "statement": statement.digest, "check": asked}


def text(certificate: Mapping[str, Any]) -> str:
    """The certificate as it is stored: one line for each top-level key."""
    lines = [f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in certificate.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main(arguments: Sequence[str] | None = None) -> int:
    gc.set_threshold(100_000, 20, 50)  # as in the command line
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ids", nargs="*", metavar="ID")
    parser.add_argument("--texts", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--idle", action="store_true")
    given = parser.parse_args(arguments)
    known = replay.statements()
    every, written = scripts_with_files(), texts()
    check_only = given.check
    failed = 0
    for name in sorted(every.keys() & written.keys()):
        failed += 1
        print(
            f"{name}: has a text, {written[name].name}, and a script in {every[name][1].name}: one must go",
            file=sys.stderr,
        )
    for name in sorted(written.keys() - known.keys()):
        failed += 1
        print(f"{written[name]}: there is no statement {name}", file=sys.stderr)
    wanted = given.ids
    before, now = record(HERE), automation_digest()
    built: dict[str, str] = dict(before["built"]) if before["automation"] == now else {}
    few = check_only or given.texts
    names = [n for n in known if n in written or ((n in every or n in CHECKS) and (n in wanted or not few))]
    fresh = 0
    try:
        for name in [n for n in names if not wanted or n in wanted]:
            start = time.perf_counter()
            path = FOLDER / f"{name}.json"
            if few and name in written and not wanted and built.get(name) == source_digest(HERE, name, known):
                fresh += 1
                continue
            idle: list[tuple[Place, str]] = []
            gone: list[tuple[Place, str]] = []
            try:
                certificate = made(name, known, idle)
                if idle and given.idle:
                    raw = written[name].read_text(encoding="utf-8")
                    seconds = 1 + 2 * (time.perf_counter() - start)
                    shorter, gone = without_idle(
                        name, read_text(name, written[name]), known, certificate, idle, seconds
                    )
                    if gone and not check_only:
                        written[name].write_text(rewritten(raw, shorter), encoding="utf-8")
            except (Stuck, Rejected, BadInput) as error:
                failed += 1
                built.pop(name, None)
                where = str(written[name].relative_to(HERE.parent)) if name in written else name
                print(f"{where}: {type(error).__name__}: {error}", file=sys.stderr)
                continue
            result = text(certificate)
            if not check_only:
                path.write_text(result, encoding="utf-8")
                if name in written:
                    built[name] = source_digest(HERE, name, known)
            elif not path.exists() or path.read_text(encoding="utf-8") != result:
                failed += 1
                print(f"{name}: the stored certificate differs", file=sys.stderr)
            failed += check_only and bool(gone)
            for key in idle:
                place, hint = key
                what = "can go" if check_only else "is taken out"
                more = f"; it {what}" if key in gone else ""
                line = f"{written[name].relative_to(HERE.parent)}, line {place.line}"
                print(f"{line}: nothing uses {hint}{more}", file=sys.stderr)
            print(f"{name}: {len(result)} bytes, {time.perf_counter() - start:.2f} s", file=sys.stderr)
    finally:  # also of a build that was interrupted
        if not check_only:
            row = {"automation": now, "built": dict(sorted(built.items()))}
            RECORD.write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
    for name in wanted:
        if name not in names:
            failed += 1
            print(f"{name}: no statement or no proof", file=sys.stderr)
    if few:
        print(f"{fresh} certificates are as recorded; the others were built again", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
