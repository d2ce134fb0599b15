"""``symcook prove mine.json``: prove or refute a statement about a user's own model (`prove_own`), or check the
certificates next to the model file again (`check_own`).

A certificate is two files, mine.proof.json and mine.statement.txt; those of the second statement about the model are
mine.2.proof.json and mine.2.statement.txt. Earlier versions wrote mine.certificate.json, which is read where it is.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.cli.options import Chosen, choose, is_path, whole_family
from symcook.cli.output import Progress, print_json, say
from symcook.cli.unproved import provable, unproved
from symcook.errors import BadInput, Rejected, Undecided
from symcook.files import content, parsed, text_of, vacant

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.replay import Statement, Verdict
    from symcook.proof.statements.proving import ProofAnswer


ENDING, OLDER = ".proof.json", ".certificate.json"
"""The endings of the file of a proof: now, and in earlier versions, where the certificate of an export has it too."""
Files = tuple[Path, Path]
"""The file of a claim's certificate, and the file of its statement."""
EXIT_CODES = {"PROVED": 0, "REFUTED": 1, "OPEN": 3}
"""The exit code of ``prove --statement`` by the status of its answer."""
MUST_HAVE = "without --statement, a model must have a certificate next to it"


def files(target: str, force: bool, ending: str | None = None) -> Files:
    """The two files of a certificate that is written to `target`, or next to it with `ending`.

    Raises BadInput if one of them is no file to write (`symcook.files.vacant`), or exists and `force` is not set.
    """
    path = Path(target)
    pair = path if ending is None else path.with_suffix(ending), path.with_suffix(".statement.txt")
    for file in pair:
        vacant(file, force)
    return pair


def bound(name: str, settings: Sequence[str]) -> tuple[Chosen, dict[str, Any]]:
    """The model that a claim is about, and its JSON document. Raises BadInput if a parameter has no value."""
    from symcook.proof.statements.proving import document_of

    chosen = choose(name, settings)
    return chosen, document_of(chosen.model, chosen.values)


@dataclass(frozen=True)
class StatementSubject:
    """The subject of a statement: a model, perhaps with a second one, or a family at all parameter values."""

    model: Transformer | None
    """The (first) model; None for a family."""
    claim: Callable[[str], Statement]
    """Reads a sentence as a formal statement about the subject."""
    settle: Callable[[Statement, Any, int], ProofAnswer]
    """Proves or refutes a statement: from the statement, a proof script or None, and a time in seconds."""
    again: Callable[[dict[str, Any], str], tuple[str, Verdict]]
    """Checks a stored certificate and the text of its statement again: the sentence, and the verdict."""
    fixed: Mapping[str, str] = field(default_factory=dict)
    """The values of the model's parameters that were set, as text. The statement is about all values of the others."""
    second_model: Transformer | None = None
    """The second model of statements about two."""


def asked(name: str, settings: Sequence[str], other: str | None = None) -> StatementSubject:
    """The subject of statements about NAME, and with `other` about a second model. Raises BadInput if NAME is neither a
    model nor a family."""
    from symcook.model.extent import values_of
    from symcook.proof.statements import certify, proving

    family = whole_family(name, settings)
    # A family without its sizes: the statement is about all parameter values.
    if family is not None and (family.sizes or family.tables):
        from symcook.proof.families import allsizes

        if other is not None:
            size = next(iter((*family.sizes, *family.tables)))
            raise BadInput("--with must be used with a model", f"{name}, a family", f"set its sizes: --set {size}=2")
        return StatementSubject(
            None,
            partial(allsizes.claim, family),
            partial(proving.settle_family, family),
            partial(allsizes.again, family),
        )
    chosen, document = bound(name, settings)
    second_chosen, second = (None, None) if other is None else bound(other, ())
    second_model = None if second_chosen is None else second_chosen.model
    beside = [certificate for certificate, _ in places(str(_source(name)))]
    fixed = values_of(chosen.model, chosen.values, require=False)
    return StatementSubject(
        chosen.model,
        lambda sentence: certify.claim(document, sentence, other=second),
        lambda claim, script, seconds: proving.settle(
            chosen.model, claim, document, script, seconds, second, beside, second_model, fixed
        ),
        lambda certificate, text: certify.again(document, certificate, text, second),
        fixed,
        second_model,
    )


def _source(name: str) -> Path:
    """The path of a model's file, next to which its certificates are."""
    return Path(name) if is_path(name) else Path(f"{name}.json")


def prove_own(
    name: str,
    sentence: str,
    proof: str | None,
    force: bool,
    as_json: bool,
    settings: Sequence[str] = (),
    seconds: int = 60,
    latex: bool = False,
    full: bool = False,
    other: str | None = None,
    bundle: str | None = None,
    explain: bool = False,
) -> int:
    """Prove or refute a statement about a model, perhaps with a second one (`other`), and write the certificate next to
    its file; return the exit code. With `explain` an undecided answer says what each prover answered. A proof script
    with a gap is raised as Undecided, except with `as_json`.

    `proof` is the file of a proof script. `latex` prints the proof as LaTeX, with `full` all of its lines. `bundle` is
    a new folder for the statement, the certificate and the checker.
    """
    from symcook.proof.statements import proving
    from symcook.proof.statements.bundle import vacant_folder, write_bundle
    from symcook.report import proving as report

    # The statement and the files are checked before the search for a proof.
    folder = None if bundle is None else vacant_folder(bundle)
    about = asked(name, settings, other)
    script = None if proof is None else _text(proof)
    claim = about.claim(sentence)
    source = _source(name)
    target, written = to = _place(source, claim, force)
    replaced, begins = sentence_of(target, written), ""
    with Progress("proving"):
        # A statement with a valid certificate is not proved again, unless --force or a proof script asks for it.
        answer = None if force or script is not None else known_answer(about, claim, to, seconds)
        if answer is not None:
            begins = "already "
        else:
            for file in to:
                vacant(file, force)
            answer = about.settle(claim, script, seconds)
            if answer.certificate is not None:
                proving.write(to, claim, answer.certificate)
    command = None
    if folder is not None and answer.certificate is not None:
        command = " ".join(write_bundle(folder, claim, answer.certificate))
    # Three kinds of answers: undecided; refuted by a run, without a certificate; proved or refuted with a certificate.
    if as_json:
        print_json(_document(answer, to) | ({} if command is None else {"bundle": str(folder), "check": command}))
    elif answer.status == "OPEN" and proof is not None:
        if answer.remaining:
            print(answer.remaining, file=sys.stderr)
        raise Undecided(f"{proof}: {answer.why}.")
    elif answer.status == "OPEN":
        say(report.first(answer))
        for line in report.opened(answer):
            say(line)
        if explain:
            for line in [*([answer.why] if answer.why else []), *report.explained(answer)]:
                say(line)
    elif answer.certificate is None or answer.verdict is None:
        say(report.first(answer))
        say(f"No proof     {answer.why}: an exact run shows it{report.smallest(answer)}")
    elif latex:
        from symcook.report.proof import own_latex

        say(own_latex(claim, answer.verdict, answer.certificate, sentence, full))
    else:
        say(f"{begins}{report.first(answer)}")
        for line in report.lines(answer, written.name):
            say(line)
        say(f"Certificate  {target}")
        say(f"Next to it   {written}: the statement as proofs/checker.py reads it")
        if command is not None:
            say(f"Bundle       {folder}: {command}")
        if replaced not in (None, claim.note):
            say(f"Replaced     that of {replaced}")
    return EXIT_CODES[answer.status]


def place_of(name: str, claim: Statement, force: bool) -> Files:
    """The files for a claim about the model NAME (`_place`); BadInput if they exist, are of another claim, and `force`
    is not set."""
    return _place(_source(name), claim, force)


def _document(answer: ProofAnswer, to: Files) -> dict[str, Any]:
    """What ``prove --statement --json`` prints: the answer, and the facts about its certificate if it has one."""
    row = {"id": answer.claim.id, "tried": answer.tried and answer.tried.length}
    row |= answer.to_json() | {"statement": answer.claim.text}
    return row if answer.verdict is None else row | checked(answer.verdict, answer.lemmas, answer.unchecked, *to)


def known_answer(about: StatementSubject, claim: Statement, place: Files, seconds: int) -> ProofAnswer | None:
    """The answer to a claim by its stored certificate, which is checked again. None if the files are of another claim,
    or if the checker does not accept them for the model as it is now.

    A certificate does not name the counterexample: a refuted claim is refuted again, to show it.
    """
    from symcook.proof.files import load_json
    from symcook.proof.statements.proving import STORED, ProofAnswer

    begun = time.monotonic()
    try:
        if not same_claim(place, claim):
            return None
        certificate = load_json(content(place[0], "a certificate"))
        _, verdict = about.again(certificate, text_of(place[1], "a statement"))
    except (BadInput, Rejected):
        return None
    if verdict.status not in ("PROVED", "REFUTED"):
        return None
    if verdict.status == "REFUTED":
        answer = about.settle(claim, None, seconds)
        if answer.status == "REFUTED":
            return answer
    took, note = time.monotonic() - begun, claim.note or ""
    return ProofAnswer(
        about.model, note, verdict.status, STORED, took, claim, None, certificate, verdict,
        second_model=about.second_model, fixed=about.fixed,
    )  # fmt: skip


def claim_places(source: Path) -> Iterator[Files]:
    """The files of the first claim about a model, then of the second one, ...: mine.proof.json, mine.2.proof.json."""
    return (numbered(source, number) for number in count(1))


def numbered(source: Path, number: int = 1) -> Files:
    """The files of the claim of this number about a model: those of an earlier version where only these exist."""
    mark = "" if number == 1 else f".{number}"
    certificate, older, statement = (source.with_suffix(mark + end) for end in (ENDING, OLDER, ".statement.txt"))
    of_earlier = not certificate.exists() and statement.is_file() and older.is_file() and _exported(older) is None
    return older if of_earlier else certificate, statement


def places(name: str) -> list[Files]:
    """The files of claims next to a model file, in order. Numbers are missing if files were deleted."""
    source = Path(name)
    file_pattern = re.compile(
        rf"{re.escape(source.stem)}(?:\.([2-9]|[1-9][0-9]+))?\.(?:(?:proof|certificate)\.json|statement\.txt)", re.A
    )
    numbers = {int(match[1] or 1) for file in source.parent.glob("*") if (match := file_pattern.fullmatch(file.name))}
    last_number, pairs = 0, list[Files]()
    for number in sorted(numbers):
        if number > last_number + 1 and source.with_suffix(f".{number}.json").exists():
            continue  # mine.3.proof.json is the first one of another model, mine.3.json
        pair = numbered(source, number)
        if pair[0].is_file() or pair[1].is_file():  # else there is the certificate of an export alone
            pairs.append(pair)
            last_number = number
    return pairs


def sentence_of(target: Path, beside: Path) -> str | None:
    """The sentence of the claim with the certificate `target` and the statement `beside`; None if one of these files is
    missing or unreadable."""
    from symcook.proof.statements.certify import note_of

    try:
        return note_of(text_of(beside, "a statement")) if target.is_file() else None
    except BadInput:
        return None


def same_claim(place: Files, claim: Statement) -> bool:
    """Whether the files `place` are of the claim: the same sentence, and the same second model, or a family in both.

    The first model may have changed since the files were written.
    """
    return sentence_of(*place) == claim.note and _same_second_model(place, claim)


def _same_second_model(place: Files, claim: Statement) -> bool:
    """Whether the certificate in `place` has the second model of the claim; a family counts as such."""
    text = text_of(place[0], "a certificate")
    try:
        stored = parsed(text, "a certificate must be JSON", place[0])
    except BadInput:
        return True  # a broken certificate, which the checker refuses
    models = stored.get("model", "") if isinstance(stored, dict) else ""
    return _second_model(str(models)) == _second_model(claim.model or "")


def _second_model(model: str) -> str:
    """Of the hashes of a claim's models: the hash of the second model ("" if it has none), or "family"."""
    return "family" if model.startswith("family:") else model.partition(" ")[2]


def _place(source: Path, claim: Statement, force: bool) -> Files:
    """The files for a claim: its own files, if it was proved before; else the first free ones, or with --force the
    files of the first claim about the model."""
    places = []
    for place in claim_places(source):
        sentence = sentence_of(*place)
        if sentence == claim.note and _same_second_model(place, claim):
            return place
        places.append(place)
        if sentence is None:
            return places[0] if force else place
    raise AssertionError("there is always one more")


def checked(verdict: Verdict, lemmas: list[str], unasked: list[str], target: Path, beside: Path) -> dict[str, Any]:
    """The entries of a claim's JSON document about its certificate and files. `lemmas` are all stored statements that
    it depends on, `unasked` the hypotheses that were not checked to be satisfiable."""
    row = {"id": verdict.id, "status": verdict.status, "assuming": list(verdict.assuming), "unasked": unasked}
    return row | {"lemmas": lemmas, "certificate": str(target), "expanded": str(beside)}


def _exported(certificate: Path) -> str | None:
    """The files of an export that a certificate is about; None if it is about a claim."""
    from symcook.export.files import CLAIM, about

    return ", ".join(name for name in about(certificate) if name != CLAIM) or None


def _text(proof: str) -> Any:
    """The proof script in a file."""
    from symcook.proof.search import prooftext

    return prooftext.read(text_of(proof, "a proof script"))


def check_own(name: str, as_json: bool, settings: Sequence[str] = (), other: str | None = None) -> int:
    """Check the certificates next to a model file again, one for each claim, for the model as it is now.

    Returns the exit code, that of OPEN if one of them is not valid now. Claims about two models need the second one,
    `other`.
    """
    from symcook.compilers import require_genuine

    about = asked(name, settings, other)
    if about.model is not None:
        require_genuine(about.model, name)
    if not (pairs := places(name)):
        missing = f"no {Path(name).with_suffix(ENDING)}"
        do = "prove a statement first" if about.model is None else _certificate_hint(about.model, name)
        raise BadInput(MUST_HAVE, missing, do)
    rows = [_again(about, *files, as_json) for files in pairs]
    if as_json:
        print_json(rows[0] | ({"others": rows[1:]} if len(rows) > 1 else {}))
    return EXIT_CODES["OPEN"] if any(row["status"] == "OPEN" for row in rows) else 0


def example(name: str, model: Transformer) -> str:
    """A hint with a command that proves a statement about this model."""
    from shlex import quote

    labels, symbols = model.readout.labels, [symbol for symbol in model.input_symbols if symbol.isalnum()]
    if labels:
        label = next((label for label in labels if str(label).isidentifier()), None)
        statement = f"answer({label}) -> 1 <= n" if label else "1 <= n"
    elif model.decides:
        statement = f"accept -> 0 < count({symbols[0]})" if symbols else "accept -> 1 <= n"
    else:
        statement = "1 <= n"
    return f"prove a statement first, for example: symcook prove {quote(name)} --statement {quote(statement)}"


def _certificate_hint(model: Transformer, name: str) -> str:
    """A hint how to get a certificate about a model: by a statement to prove, or by a construction with a proof."""
    program = model.program
    if program is None:
        return example(name, model)
    if (needed := unproved(model)) is None:
        return f"{example(name, model)}, or compile the program with --prove"
    is_short = len(program.source) <= 60 and program.source.isprintable()
    alphabet = " ".join(program.alphabet) if program.kind == "dfa" and not program.source.startswith("{") else None
    try:
        command = provable(model, program.source if is_short else "FILE", name, alphabet)
    except Undecided as why:
        return f"{needed[0]} has a certificate with --theorem {needed[1]} only, and {why.sentence}"
    return f"{needed[0]} has a certificate with --theorem {needed[1]} only: type {command}"


def _again(about: StatementSubject, target: Path, beside: Path, as_json: bool) -> dict[str, Any]:
    """Check one claim again and print the verdict (unless `as_json`); return its JSON document."""
    from symcook.proof.audit.source import unasked, unasked_words
    from symcook.proof.files import load_json
    from symcook.proof.statements.certify import below

    for file in (target, beside):
        if not file.is_file():
            must = MUST_HAVE if file == target else "a certificate must have its statement next to it"
            raise BadInput(must, f"no {file}", "prove the statement again, with --statement and --force")
    written = content(beside, "the statement of a certificate").decode("utf-8", "replace")
    try:
        certificate = load_json(content(target, "a certificate"))
    except Rejected as error:
        do = "make it again: prove with --statement and --force, or compile with --prove"
        must = f"a certificate must be as symcook wrote it; this one {str(error).removeprefix('a certificate ')}"
        raise BadInput(must, target, do) from None
    # The checker reads the certificate for the model as it is now.
    sentence, verdict = about.again(certificate, written)
    open_premises = unasked(about.claim(sentence)) if verdict.status == "PROVED" else []
    if not as_json:
        say(f"{verdict.words}  {sentence}")
        if open_premises:
            say(f"Not checked  {unasked_words(open_premises)}")
        say(f"Certificate  {target}" + (f": {verdict.reason}" if verdict.reason else ", checked again"))
        say(f"Next to it   {beside}: the statement as proofs/checker.py reads it")
    lemmas = below(certificate) if verdict.status in ("PROVED", "REFUTED") else []
    row = checked(verdict, lemmas, open_premises, target, beside)
    return row | {"sentence": sentence, "reason": verdict.reason or None}
