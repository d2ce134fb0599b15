"""``symcook decide``: a model against a reference, for words of every length."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from symcook.cli.options import Chosen, Force, Name, Seconds, Settings, choose, need_values, option
from symcook.cli.options import command as declare
from symcook.cli.output import Waiting, say, say_or_json, within
from symcook.cli.runs import load_spec
from symcook.errors import BadInput
from symcook.spec.fold import Fold

if TYPE_CHECKING:
    from symcook.decide.automata import Automaton

ENDINGS = (".json", ".svg", ".txt")


@declare("decide", r"symcook decide dyck-1-2 --against '(\((\(\))*\))*'")
def decide(
    *,
    name: Name,
    against: Annotated[
        str | None,
        option("FILE.py:FOLD, an automaton's or a model's file, a recipe, or a regular expression.", "X", None),
    ] = None,
    target: Annotated[str | None, option("Write the automaton.", "FILE.json|svg|txt", None, "-o", "--output")] = None,
    settings: Settings,
    tokens: Annotated[str | None, option('Names for a family\'s tokens, in their order: "( ) [ ]".', "WORDS")] = None,
    force: Force,
    seconds: Seconds = 60,
    as_json: bool,
) -> int:
    """Decide for every length whether a model answers as a reference does.

    A model with hard attention and finitely many values becomes the smallest automaton with its answers, which is
    printed, and written by -o. A recipe is compared with its own reference, or with --against X; in a regular
    expression \\ stands before a letter that is one of | * + ? ( ) [ ] . \\ and () is the empty word. Exit 0 where the
    answers are equal, 1 with the smallest word where they are not, 3 where it stays open, 2 where the model is out of
    reach, with the head and the coordinate.
    """
    from symcook.decide.decision import EXIT
    from symcook.decide.decoders import decide as decided
    from symcook.report.decision import document

    if force and target is None:
        raise BadInput("--force must come with -o FILE", "none", "leave it out")
    file = None if target is None else _target(target, force)
    chosen = choose(name, settings, tokens)
    need_values(chosen)
    # What the user's code prints must not stand in the answer.
    with contextlib.redirect_stdout(sys.stderr):
        if chosen.model.program is not None and chosen.model.program.kind != "dfa":  # the answer at the last position
            last = replace(chosen.model.readout, position="last")
            chosen = replace(chosen, model=replace(chosen.model, readout=last))
        called, reference = _reference(chosen, against)
        none = f"no decision about {name} was found"
        with within(seconds, none, "take a smaller model"), Waiting(f"deciding {name}"):
            found = decided(chosen.model, reference, values=chosen.values, name=called)
    if file is not None:
        _write(found.automaton, found.why, file, force)
    say_or_json(as_json, found.to_json, document(found, name).text)
    if file is not None and not as_json:
        say(f"wrote {file}")
    return EXIT[found.verdict]


def _reference(chosen: Chosen, against: str | None) -> tuple[str, Any]:
    """What X is, and what it is called: FILE.py:FOLD, a file, a recipe, else a regular expression; without X the
    recipe's own reference, where that is a Fold."""
    from symcook.decide.automata import read
    from symcook.programs.automata import KEYS
    from symcook.programs.running import speech_of
    from symcook.recipes import exists, reference

    if against is None and chosen.model.program is not None:
        from symcook.spec.programs import language

        return "its program", language(chosen.model.program)
    if against is None:
        if chosen.info is None or chosen.info.kind not in ("language", "attention"):
            return "", None
        own = reference(chosen.name, chosen.arguments, {})
        return ("its reference", own) if isinstance(own, Fold) else ("", None)
    if re.fullmatch(r".+\.py:\w+", against, re.DOTALL):
        fold = load_spec(against)
        if not isinstance(fold, Fold):
            do = "write symcook.Fold(start, step, answer); check compares functions word by word"
            raise BadInput("a reference for every length must be a Fold", f"{against} ({type(fold).__name__})", do)
        return against, fold
    if os.path.isfile(against):
        try:
            document = json.loads(Path(against).read_text(encoding="utf-8"))
        except ValueError as error:
            raise BadInput("the file of a reference must be JSON", f"{against}: {error}") from None
        if isinstance(document, dict) and any(key in document for key in KEYS):
            return against, read(against)
        return against, choose(against).model
    if against.endswith((".json", ".py")):
        raise BadInput("the file of a reference must exist", against)
    if exists(against):
        own, other, letters = reference(against), choose(against).model, speech_of(chosen.model).letters
        if sorted(other.alphabet) != sorted(letters):
            must = f"the reference must be over the alphabet {' '.join(letters)}"
            raise BadInput(must, f"{against}, over {' '.join(other.alphabet) or 'numbers'}")
        return against, own if isinstance(own, Fold) else other
    return against or "()", against


def _target(place: str, force: bool) -> Path:
    from symcook.files import ordinary, vacant

    path = ordinary(place, "the file of an automaton", "dyck.svg")
    if path.suffix not in ENDINGS:
        raise BadInput(f"the file of an automaton must end in {', '.join(ENDINGS)}", place)
    vacant(path, force)
    return path


def _write(automaton: Automaton | None, why: str, path: Path, force: bool) -> None:
    from symcook.decide.drawing import svg, text
    from symcook.files import put

    if automaton is None:
        raise BadInput("the model must have an automaton to write", f"none: {why}", "leave -o out")
    if path.suffix == ".json":
        content = json.dumps(automaton.to_json(), indent=1) + "\n"
    else:
        content = svg(automaton) if path.suffix == ".svg" else text(automaton)
    put({path: content.encode()}, force=force)
