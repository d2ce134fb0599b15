"""A decision for every length: the verdict, the word that separates, and the automaton."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from symcook.decide.drawing import MOST, rows
from symcook.model.answers import EMPTY_STRING, brief
from symcook.report.automaton import SHOWN, picture
from symcook.report.document import Document, Drawn, PlainLines, Table
from symcook.report.markup import page

if TYPE_CHECKING:
    from symcook.decide.decision import Decision


HOW = {"different": "model and specification were run on this string", "decided": "from the weights"}


def line(found: Decision) -> str:
    """The verdict in a line: the repr."""
    return brief(f"<Decision {_outcome(found, found.model.name)}>")


def document(found: Decision, name: str | None = None) -> Drawn:
    """The verdict in words, with the word that separates, and the minimal automaton as a table, in a notebook as a
    picture too."""
    text_document, automaton = _document(found, name), found.automaton
    return Drawn(
        text_document.text,
        lambda: page(text_document.html(), "" if automaton is None else picture(automaton)),
        text_document.displays,
    )


def _document(found: Decision, name: str | None) -> Document:
    """The verdict, the smallest string on which the two differ, notes, and the automaton as a table."""
    if found.verdict == "refused":  # one sentence, as of bad input
        who = _refused(found, name or found.model.name)
        first, why = _outcome(found, name or found.model.name), found.why.removeprefix(f"{who}: ").split("; ")
        return Document(f"{first}: {why[0]}", []) if len(why) == 1 else Document(first, [PlainLines(why)])
    # The smallest string on which they differ; why; the strings that do not count; and what the model accepts.
    parts: list[Any] = []
    lines = []
    if found.word is not None and found.answers is not None:
        spaces = "" if all(len(letter) == 1 for letter in found.letters) else " "
        lines.append(f"smallest string: {spaces.join(found.word) or EMPTY_STRING}")
        model_answer, reference_answer = map(_answer, found.answers)
        lines.append(f"the model {model_answer}, the specification {reference_answer}")
    if found.why or found.decided:
        lines.append(f"{found.status}: {found.why or HOW[found.verdict]}" if found.decided else found.why)
    if found.free != 0:
        strings = "some strings" if found.free is None else f"{found.free} strings"
        lines.append(f"any answer will do: {strings}")
    if found.formula is not None:
        lines.append(f"the model accepts iff {found.formula}")
    lines += found.notes
    automaton = found.automaton
    if automaton is not None:
        lines.append(f"the model's minimal automaton has {_states(len(automaton))}")
    if lines:
        parts.append(PlainLines(lines, "  "))
    # The automaton as a table, where it is small enough to read.
    if automaton is not None and len(automaton) <= SHOWN:
        header, *table = rows(automaton)
        parts.append(Table(table, header))
    elif automaton is not None:
        drawn = ", or draw it by -o FILE.svg" if len(automaton) <= MOST else ""
        parts.append(PlainLines([f"write it by -o FILE.json{drawn}"]))
    return Document(_outcome(found, name or found.model.name), parts)


def _outcome(found: Decision, name: str) -> str:
    """The first line: the verdict, on which strings."""
    # Without a token before the string a model has no position to answer at on the empty one.
    least = "" if found.model.embedding.added and found.empty else " of at least one symbol"
    every = f"on every string of {found.inputs['inputs']}" if "inputs" in found.inputs else f"on every string{least}"
    if "positions" in found.inputs:
        every += f", answers at positions: {found.inputs['positions']}"
    return {
        "equal": f"EQUAL: {name} answers as {found.against or 'the reference'} does, {every}",
        "different": f"DIFFERENT: {name} and {found.against or 'the reference'}",
        "open": f"OPEN: {name} and {found.against or 'the reference'} are not decided",
        "refused": f"REFUSED: {_refused(found, name)} cannot be decided for strings of every length",
        "decided": f"DECIDED: what {name} answers, {every}",
    }[found.verdict]


def _refused(found: Decision, name: str) -> str:
    """Which of the two a decision is refused about."""
    return f"the specification {found.against}" if found.why.startswith("the specification ") else name


def _answer(answer: object) -> str:
    """What a model or a specification does with a string."""
    return "accepts" if answer is True else "rejects" if answer is False else f"answers {answer}"


def _states(count: int) -> str:
    return f"{count} state{'s' * (count != 1)}"
