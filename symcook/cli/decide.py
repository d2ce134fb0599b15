"""``symcook decide``: decide whether a model agrees with a specification on strings of every length, or check the
stored certificate of such a decision again."""

from __future__ import annotations

import contextlib
import json
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from symcook.cli.options import (
    Chosen,
    Force,
    InputsOption,
    Name,
    PositionsOption,
    Sample,
    Seconds,
    Seed,
    Settings,
    asked_of,
    choose,
    need_values,
    option,
)
from symcook.cli.options import command as declare
from symcook.cli.output import Progress, print_json, say, say_or_json, within
from symcook.cli.runs import load_spec
from symcook.errors import BadInput, Undecided
from symcook.files import names_file, ordinary, parsed, put, text_of, vacant
from symcook.spec.fold import Fold

if TYPE_CHECKING:
    from symcook.decide.automata import Automaton
    from symcook.model.transformer import Transformer

ENDINGS = (".json", ".svg", ".txt")
"""The endings of files to which an automaton can be written."""


@declare("decide", r"symcook decide dyck-1-2 --against '(\((\(\))*\))*'")
def decide(
    *,
    name: Name,
    against: Annotated[
        str | None,
        option(
            "The specification: FILE.py:FOLD, a file of an automaton or a model, a recipe, or a regular expression.",
            "X",
            None,
        ),
    ] = None,
    target: Annotated[str | None, option("Write the automaton.", "FILE.json|svg|txt", None, "-o", "--output")] = None,
    certificate: Annotated[str | None, option("Write a certificate, which proves the answer.", "FILE.json")] = None,
    check: Annotated[str | None, option("Check a certificate that --certificate has written.", "FILE.json")] = None,
    settings: Settings,
    tokens: Annotated[str | None, option('The names of the tokens 0, 1, .. of a family: "( ) [ ]".', "TOKENS")] = None,
    force: Force,
    inputs: InputsOption = None,
    sample: Sample = None,
    seed: Seed = None,
    positions: PositionsOption = None,
    seconds: Seconds = 60,
    as_json: bool,
) -> int:
    r"""Compare a model with a specification for strings of every length.

    Exit code 1: they differ, and the smallest such string is shown; 3: undecided.

    The specification of a recipe is its own, unless --against X is given. A model with hard attention and finitely many
    values is equivalent to a finite automaton: symcook prints the minimal one, and -o writes it. A model that compares
    counts is compared by invariants, and so is a compiled formula that counts. Where a formula of what it accepts is
    found, it is printed.

    In a regular expression \ stands before a symbol that is one of | * + ? ( ) [ ] . \ and () is the empty string, []
    no string. The exit code is 2 where the model is unsupported; the message names the head and the coordinate.

    --certificate writes the evidence: a map of states, invariants with their multipliers, or the string. --check FILE
    reads the model and the specification again and checks the evidence.
    """
    from symcook.decide.certificate import document as certified
    from symcook.decide.decision import EXIT, Decision, recheck
    from symcook.decide.decoders import decide as decided
    from symcook.report.decision import document

    if force and target is None and certificate is None:
        raise BadInput("--force must come with -o FILE", "none", "leave --force out")
    if check is not None and (target is not None or certificate is not None):
        raise BadInput("--check must come without -o and --certificate", "both", "leave one out")
    within_language = asked_of(inputs, sample, seed, positions)
    if within_language and (certificate is not None or check is not None):
        raise BadInput("--inputs must come without --certificate and --check", "both", "leave one out")
    # The files to write and to read are checked before the search.
    file = None if target is None else _file_to_write(target, "an automaton", "dyck.svg", ENDINGS, force)
    certificate_file = None
    if certificate is not None:
        certificate_file = _file_to_write(certificate, "a certificate", "c.json", (".json",), force)
    if file is not None and file == certificate_file:
        raise BadInput("-o and --certificate must name two files", f"{file} for both", "give another name to one")
    stored = None if check is None else _read_certificate(check)
    chosen = choose(name, settings, tokens)
    need_values(chosen)
    program = chosen.model.program
    if program is not None and program.kind == "dfa" and (certificate is not None or check is not None):
        must = "symcook decide writes certificates only for models that answer in one pass, without decoding"
        do = "symcook compile dfa --prove writes one, and symcook prove FILE checks it"
        raise BadInput(must, f"{name}, a compiled automaton", do)
    # The specification of a compiled model is the language of its program.
    own = None
    if against is None and program is not None:
        from symcook.spec.programs import language

        try:
            own = language(program)
        except BadInput as error:  # with --json the answer "refused" is printed before the error
            if as_json:
                print_json(Decision("refused", chosen.model, "its program", why=error.sentence).to_json())
            raise
    # What the user's specification prints goes to stderr, not into the answer.
    try:
        with contextlib.redirect_stdout(sys.stderr):
            if positions is None:
                chosen = replace(chosen, model=_last_answer(chosen.model))
            called, reference = _reference(chosen, against) if own is None else ("its program", own)
            failure = f"no decision about {name} was found"
            with within(seconds, failure, "take a smaller model"), Progress(f"deciding {name}"):
                if stored is not None:
                    decision = recheck(stored, chosen.model, reference, values=chosen.values, name=called)
                else:
                    decision = decided(chosen.model, reference, values=chosen.values, name=called, **within_language)
    except Undecided as error:
        if as_json:
            print_json(Decision("open", chosen.model, against or "", why=error.sentence).to_json())
        raise
    # The answer is printed even if there is no automaton for -o, or no certificate of it.
    contents: dict[Path, bytes] = {}
    missing: BadInput | None = None
    if file is not None and decision.automaton is not None:
        contents[file] = _automaton_file(decision.automaton, file)
    elif file is not None:
        why = decision.why or "this answer was found without one"
        missing = BadInput("the model must have an automaton to write", f"none: {why}", "leave -o out")
    if certificate_file is not None:
        try:
            contents[certificate_file] = (json.dumps(certified(decision)) + "\n").encode()
        except BadInput as error:
            missing = missing or error
    if contents:
        put(contents, force=force)
    say_or_json(as_json, decision.to_json, document(decision, name).text)
    for path in () if as_json else contents:
        say(f"wrote {path}")
    if missing is not None:
        raise missing
    return EXIT[decision.verdict]


def _reference(chosen: Chosen, against: str | None) -> tuple[str, Any]:
    """The specification `against` as (name for messages, object): FILE.py:FOLD, a file, a recipe, else a regular
    expression.

    If `against` is None it is the recipe's own specification, if this is a Fold; else ("", None).
    """
    from symcook.decide.certificate import OF_RECIPE
    from symcook.programs.automata import KEYS, read_table
    from symcook.programs.formats import format_of, listed
    from symcook.programs.regular import expression, name_of
    from symcook.programs.running import speech_of
    from symcook.recipes import exists, reference

    # Without --against: the recipe's own specification.
    if against is None:
        if chosen.info is None or chosen.info.kind not in ("language", "attention"):
            return "", None
        own_spec = reference(chosen.name, chosen.arguments, {})
        return ("its specification", own_spec) if isinstance(own_spec, Fold) else ("", None)
    # FILE.py:FOLD, a Python object.
    if re.fullmatch(r".+\.py:\w+", against, re.DOTALL):
        fold = load_spec(against)
        if not isinstance(fold, Fold):
            do = "write a symcook.Fold(start, step, answer), or use symcook check, which runs each string"
            raise BadInput(
                "a specification that is decided for every length must be a Fold",
                f"{against} ({type(fold).__name__})",
                do,
            )
        return against, fold
    # A recipe, over the same symbols as the model; ./NAME is a file of the same name, as for every command.
    if exists(against):
        own_spec, model, letters = reference(against), choose(against).model, speech_of(chosen.model).letters
        if sorted(model.alphabet) != sorted(letters):
            must = f"the specification must be over the alphabet {' '.join(letters)}"
            raise BadInput(
                must,
                f"{against}, over {' '.join(model.alphabet) or 'numbers'}",
                "give a specification over the same alphabet",
            )
        # The model of a recipe may have other answers than its specification, such as one for short strings.
        return (f"{OF_RECIPE}{against}", own_spec) if isinstance(own_spec, Fold) else (against, model)
    # A file: an automaton's table, or a model.
    file_role = "the file of a specification"
    if names_file(against):
        text = text_of(against, file_role)
        if (found := format_of(text) or listed(text)) is not None:
            raise BadInput(f"{file_role} must be JSON", f"{against}: {found}", "repair the file, or give another one")
        document = parsed(text, f"{file_role} must be JSON", against, object_pairs_hook=dict)  # the readers refuse more
        if isinstance(document, dict) and any(key in document for key in KEYS):
            return name_of(against, speech_of(chosen.model).letters), read_table(text, against)
        return against, _last_answer(choose(against).model)
    # A regular expression, which the decision procedure reads itself.
    return against or "()", expression(against, f"{file_role} must exist")


def _last_answer(model: Transformer) -> Transformer:
    """The model with its answer at the last position alone, if it is a compiled formula or program; else unchanged."""
    if model.program is None or model.program.kind == "dfa" or not model.readout.each:
        return model
    return replace(model, readout=replace(model.readout, position="last"))


def _read_certificate(place: str) -> dict[str, Any]:
    """The certificate in a file. Raises BadInput if the file is not a JSON object."""
    certificate = parsed(text_of(place, "the file of a certificate"), "a certificate must be a JSON file", place)
    if not isinstance(certificate, dict):
        raise BadInput(
            "a certificate must be a JSON object",
            f"{place} ({type(certificate).__name__})",
            "give a file that symcook decide --certificate has written",
        )
    return certificate


def _file_to_write(place: str, what: str, like: str, endings: tuple[str, ...], force: bool) -> Path:
    """The path of a file to write. Raises BadInput for another ending, and if the file exists and `force` is not set.

    `what` names the content in messages; `like` is an example of a name.
    """
    path = ordinary(place, f"the file of {what}", like)
    if path.suffix not in endings:
        raise BadInput(f"the file of {what} must end in {', '.join(endings)}", place, f"for example {like}")
    vacant(path, force)
    return path


def _automaton_file(automaton: Automaton, path: Path) -> bytes:
    """The content of the file of an automaton: JSON, picture or text, by its ending."""
    from symcook.decide.drawing import svg, text

    if path.suffix == ".json":
        return (json.dumps(automaton.to_json(), indent=1) + "\n").encode()
    return (svg(automaton) if path.suffix == ".svg" else text(automaton)).encode()
