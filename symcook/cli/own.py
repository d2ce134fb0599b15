"""``symcook prove mine.json``: a claim about a model of one's own, and its certificate checked again."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import count, takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.cli.options import Chosen, choose, need_values
from symcook.cli.output import Waiting, print_json, say, within
from symcook.cli.unproved import provable, unproved
from symcook.errors import BadInput, Rejected, Undecided
from symcook.files import put, vacant
from symcook.recipes.models import is_path

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.proof.own import Settled
    from symcook.proof.ownruns import Tried
    from symcook.proof.replay import Statement, Verdict
    from symcook.proof.search.prooftext import ProofText


Files = tuple[Path, Path]
"""The certificate of a claim, and its statement."""
MOST_SHOWN = 2000
"""Characters of a statement that are printed whole."""


def files(target: str, force: bool, ending: str | None = None) -> Files:
    """The files of a certificate that is to be written to `target`, or beside it with this ending; BadInput where one
    is there without `force`."""
    path = Path(target)
    both = path if ending is None else path.with_suffix(ending), path.with_suffix(".statement.txt")
    for file in both:
        vacant(file, force)
    return both


def write(to: Files, statement: Statement, certificate: Mapping[str, Any]) -> None:
    """Write a certificate, and its statement as proofs/checker.py reads it."""
    from symcook.proof import own

    texts = (json.dumps(certificate) + "\n", own.expanded(statement, certificate))
    put({file: text.encode() for file, text in zip(to, texts, strict=True)}, force=True)


def bound(name: str, settings: Sequence[str]) -> tuple[Chosen, dict[str, Any]]:
    """The model that a claim is about, and its document; BadInput where a symbol has no value."""
    from symcook.model import modelfile

    chosen = choose(name, settings)
    need_values(chosen, defaults=False)  # a default would make a claim about one value look like one about all
    return chosen, modelfile.to_document(chosen.model.bind(chosen.values))


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
) -> int:
    """Prove or refute the sentence about a model, and write the certificate beside its file."""
    from symcook.proof import own
    from symcook.proof.audit.source import unasked, unasked_words

    chosen, document = bound(name, settings)
    text = None if proof is None else _text(proof)
    statement = own.claim(document, sentence)
    source = Path(name) if is_path(name) else Path(f"{name}.json")
    target, written = to = _place(source, _note(statement.block), force)
    export = exported(target)
    if export is not None:  # which no --force replaces
        must = f"{target.name} must be about a claim, since it would be replaced"
        raise BadInput(must, f"it is about {export}", "move it away, or give the model's file another name")
    for file in to:
        vacant(file, force)
    lost = sentence_of(target, written)
    try:
        with Waiting("proving"):
            answer = settled(chosen, statement, document, text, seconds)
    except Rejected as error:
        raise Undecided(f"no certificate: {error}") from None
    word = None if answer.tried is None or answer.tried.word is None else answer.tried.word
    row: dict[str, Any] = {"id": statement.id, "status": None, "statement": statement.text}
    row |= {"word": None if word is None else list(word), "tried": answer.tried and answer.tried.length}
    row |= {"method": method(chosen, answer, text is not None), "why": why(answer)}
    if answer.certificate is None or answer.verdict is None:
        return _without(answer, chosen, row, proof, seconds, as_json)
    write(to, statement, answer.certificate)
    found = unasked(statement) if answer.verdict.status == "PROVED" else []
    if as_json:
        print_json(row | checked(answer.verdict, found, target, written))
    elif latex:
        from symcook.report.proof import own_latex

        say(own_latex(statement, answer.verdict, answer.certificate, sentence, full))
    else:
        say(f"{answer.verdict.words}  {sentence}")
        if answer.tried is not None and word is not None:
            say(f"False of     {said(chosen, word)}{_smallest(answer.tried)}")
        say(f"Statement    {_cut(statement.text, written)}")
        if found:
            say(f"Unasked      {unasked_words(found)}")
        say(f"Lemmas       {', '.join(own.below(answer.certificate)) or 'none'}")
        say(f"Certificate  {target}")
        say(f"Beside it    {written}: the statement as proofs/checker.py reads it")
        if lost not in (None, _note(statement.block)):
            say(f"Replaced     that of {lost}")
    return 0


def settled(
    chosen: Chosen, statement: Statement, document: dict[str, Any], text: ProofText | None, seconds: int
) -> Settled:
    """What is known of a claim about a model in so many seconds; Undecided where the time is over, Rejected where the
    checker does not accept what was found."""
    from symcook.proof import formulas, own

    with within(seconds, "no proof was found", "write lines of it"):
        if text is None and chosen.model.program is not None:
            return formulas.settle(chosen.model, statement, document, seconds)
        return own.settle(statement, document, text, seconds)


def method(chosen: Chosen, answer: Settled, by_text: bool = False) -> str | None:
    """How a claim was decided; None where it is not."""
    if answer.tried is not None and answer.tried.word is not None:
        return "short strings"
    if answer.certificate is None:
        return None
    return "proof script" if by_text else "automation" if chosen.model.program is None else "program or automation"


def why(answer: Settled) -> str | None:
    """What is missing for a certificate, on one line; None where nothing is."""
    if answer.certificate is not None:
        return None
    if answer.missing is None:
        return "false of this string, as its exact run shows; no certificate was found"
    missing = str(answer.missing).partition("\n")[0]
    if answer.tried is not None and answer.tried.length:
        missing += f"; true of all strings with at most {answer.tried.length} positions, not proved"
    return missing


def claim_places(source: Path) -> Iterator[Files]:
    """The files of the first claim about a model, then of the second one, ...: mine.certificate.json,
    mine.2.certificate.json."""
    for number in count(1):
        mark = "" if number == 1 else f".{number}"
        yield source.with_suffix(f"{mark}.certificate.json"), source.with_suffix(f"{mark}.statement.txt")


def places(name: str) -> list[Files]:
    """The files that stand beside a model's file, of one claim after the other."""
    return list(takewhile(lambda files: files[0].is_file() or files[1].is_file(), claim_places(Path(name))))


def sentence_of(target: Path, beside: Path) -> str | None:
    """The sentence of the claim whose two files these are; None where they are not both there and readable."""
    try:
        return _note(beside.read_text(encoding="utf-8")) if target.is_file() else None
    except (OSError, ValueError):
        return None


def _note(text: str) -> str | None:
    """The sentence that the last of these statements was made of."""
    found = re.search(r"^note: (.*)$", text.rpartition("\n\n")[2], re.MULTILINE)
    return None if found is None else found[1]


def _place(source: Path, sentence: str | None, force: bool) -> Files:
    """The files for a claim: those that it has, else the first that no other claim has. With --force a new claim
    replaces the first one, as it replaces any other file."""
    places = []
    for place in claim_places(source):
        found = sentence_of(*place)
        if found == sentence:
            return place
        places.append(place)
        if found is None:
            return places[0] if force else place
    raise AssertionError("there is always one more")


def _cut(text: str, beside: Path) -> str:
    """A statement; of one that fills pages, as that of a trained model, the beginning and the end."""
    if len(text) <= MOST_SHOWN:
        return text
    return f"{text[:1000]} ... {text[-500:]} ... {len(text)} characters in {beside.name}"


def checked(verdict: Verdict, found: list[str], target: Path, beside: Path) -> dict[str, Any]:
    """What the document of an own claim says of its certificate and files; `found` are premises that are unasked."""
    row = {"id": verdict.id, "status": verdict.status, "assuming": list(verdict.assuming), "unasked": found}
    return row | {"lemmas": sorted(verdict.lemmas), "certificate": str(target), "expanded": str(beside)}


def exported(certificate: Path) -> str | None:
    """The export that a certificate is about, if it is of one: that of m.npz is named as that of a claim on m.json."""
    from symcook.export.files import CLAIM, about

    return ", ".join(name for name in about(certificate) if name != CLAIM) or None


def _text(proof: str) -> Any:
    from symcook.proof.search import prooftext

    try:
        return prooftext.read(Path(proof).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        if isinstance(error, BadInput):
            raise
        raise BadInput("a proof text must be a readable file in UTF-8", proof) from None


def _without(
    answer: Settled, chosen: Chosen, row: dict[str, object], proof: str | None, seconds: int, as_json: bool
) -> int:
    """What is said where there is no certificate: 1 where the sentence is false of a word, else Undecided."""
    from symcook.proof import own
    from symcook.proof.limits import OutOfTime

    if answer.missing is None:
        assert answer.tried is not None and answer.tried.word is not None
        word = said(chosen, answer.tried.word)
        if as_json:
            print_json(row)
        else:
            say(f"false of {word}{_smallest(answer.tried)}, as its exact run shows; no certificate was found for it")
        return 1
    so_far = _so_far(chosen, answer.tried)
    if isinstance(answer.missing, OutOfTime):
        raise Undecided(f"no proof was found within {seconds} seconds{so_far}; give more with --seconds.")
    what, _, found = str(answer.missing).partition("\n")
    print(textwrap.dedent(found), file=sys.stderr)
    if isinstance(answer.missing, own.Unmet):
        why = what.partition(": ")[2]
        raise Undecided(f"{why}{so_far}; write it below 'inhabited' in a proof text: see notes/own-claims.md.")
    where = f"{proof}, {what}" if proof is not None else "the automation found no proof"
    do = "write the steps between into a proof text: see notes/proofs.md"
    raise Undecided(f"{where}{so_far}; {do}.")


def _smallest(tried: Tried) -> str:
    """What there is to say of the word at which a sentence is false."""
    parts = [] if tried.open_at is None else ["smaller words are open"]
    parts += ["the sentence asks for positions that this word does not have"] if tried.outside else []
    return f" ({'; '.join(parts)})" if parts else ""


def said(chosen: Chosen, word: Sequence[str]) -> str:
    """A word, or rows of numbers, as an answer names it."""
    embedding = chosen.model.embedding
    return "; ".join(word) if embedding.inputs is not None else embedding.said(word)


def _so_far(chosen: Chosen, tried: Tried | None) -> str:
    from symcook.proof.ownruns import VALUES

    if tried is None or not tried.length:
        return ""
    rows = chosen.model.embedding.inputs is not None
    what = f"rows of {', '.join(map(str, VALUES))}" if rows else "words"
    return f"; true of all {what} with at most {tried.length} position{'s' * (tried.length > 1)}, not proved"


def check_own(name: str, as_json: bool, settings: Sequence[str] = ()) -> int:
    """Check the certificates beside a model file again, for the model as it is now: one a claim."""
    from symcook.compilers import require_genuine

    chosen, document = bound(name, settings)
    require_genuine(chosen.model, name)
    if not (there := places(name)):
        must = "a model without a sentence must have its certificate beside it"
        raise BadInput(must, Path(name).with_suffix(".certificate.json"), _for_one(chosen.model, name))
    rows = [_again(document, *files, as_json) for files in there]
    if as_json:
        print_json(rows[0] | ({"others": rows[1:]} if len(rows) > 1 else {}))
    return 1 if any(row["status"] == "OPEN" for row in rows) else 0


def _for_one(model: Transformer, name: str) -> str:
    """How a certificate about a model is had."""
    program = model.program
    if program is None:
        return "give --statement"
    if (found := unproved(model)) is None:
        return "give --statement, or compile the program with --prove"
    written = len(program.source) <= 60 and program.source.isprintable()
    alphabet = " ".join(program.alphabet) if program.kind == "dfa" and not program.source.startswith("{") else None
    try:
        made = provable(model, program.source if written else "FILE", name, alphabet)
    except Undecided as why:
        return f"{found[0]} has one with --theorem {found[1]} alone, and {why}"
    return f"{found[0]} has one with --theorem {found[1]} alone: type {made} to have it"


def _again(document: dict[str, Any], target: Path, beside: Path, as_json: bool) -> dict[str, Any]:
    """One claim checked again, as its document."""
    from symcook.proof import own
    from symcook.proof.audit.source import unasked, unasked_words
    from symcook.proof.files import load_json

    for file in (target, beside):
        if not file.is_file():
            raise BadInput("a model without a sentence must have its certificate beside it", file, "give --statement")
    export = exported(target)
    if export is not None:
        must = "a model without a sentence must have the certificate of a claim beside it"
        raise BadInput(must, f"{target}, which is about {export}", "give --statement, and the model another name")
    try:
        certificate, text = load_json(target.read_bytes()), beside.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        raise BadInput("a certificate and its statement must be readable files in UTF-8", target) from None
    except Rejected as error:
        do = "make it again: prove with --statement and --force, or compile with --prove"
        must = f"a certificate must be as symcook wrote it; this one {str(error).removeprefix('a certificate ')}"
        raise BadInput(must, target, do) from None
    sentence, verdict = own.again(document, certificate, text)
    found = unasked(own.claim(document, sentence)) if verdict.status == "PROVED" else []
    if not as_json:
        say(f"{verdict.words}  {sentence}")
        if found:
            say(f"Unasked      {unasked_words(found)}")
        say(f"Certificate  {target}" + (f": {verdict.reason}" if verdict.reason else ", checked again"))
        say(f"Beside it    {beside}: the statement as proofs/checker.py reads it")
    return checked(verdict, found, target, beside) | {"sentence": sentence, "reason": verdict.reason or None}
