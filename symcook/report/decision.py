"""A decision for every length: the verdict, the smallest string on which model and specification differ, and the
minimal automaton of the model."""

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
"""How a verdict was obtained, where the decision itself gives no reason (`Decision.why`)."""


def line(decision: Decision) -> str:
    """The verdict in a line: the repr."""
    differs = "" if decision.counterexample is None else f", at {decision.counterexample or EMPTY_STRING}"
    return brief(f"<Decision {_outcome(decision, decision.model.name)}{differs}>")


def document(decision: Decision, name: str | None = None) -> Drawn:
    """The verdict, the smallest string on which the two differ, and the minimal automaton as a table; a notebook shows
    the picture of the automaton too."""
    text_document, automaton = _document(decision, name), decision.automaton
    return Drawn(
        text_document.text,
        lambda: page(text_document.html(), "" if automaton is None else picture(automaton)),
        text_document.displays,
    )


def _document(decision: Decision, name: str | None) -> Document:
    """The verdict, the smallest string on which the two differ, notes, and the automaton as a table."""
    if decision.verdict == "refused":  # a single reason goes into the title, several are a list
        who, reason = _undecidable(decision, name or decision.model.name), decision.why or ""
        first, why = _outcome(decision, name or decision.model.name), reason.removeprefix(f"{who}: ").split("; ")
        instead = _instead(decision, name)
        if len(why) == 1:
            return Document(f"{first}: {why[0]}", [PlainLines(instead)] if instead else [])
        return Document(first, [PlainLines([*why, *instead])])
    # The smallest string on which they differ; the reason; the number of strings for which any answer will do; and what
    # the model accepts.
    parts: list[Any] = []
    lines = []
    if decision.word is not None and decision.answers is not None:
        spaces = "" if all(len(letter) == 1 for letter in decision.letters) else " "
        called = decision.extent.smallest if decision.smallest else "a string that differs"
        lines.append(f"{called}: {spaces.join(decision.word) or EMPTY_STRING}")
        model_answer, reference_answer = map(_answer, decision.answers)
        lines.append(f"the model {model_answer}, the specification {reference_answer}")
    if decision.why or decision.decided:
        lines.append(
            f"{decision.status}: {decision.why or HOW[decision.verdict]}" if decision.decided else decision.why or ""
        )
    if decision.free != 0:
        noun = "prefix" if decision.prefixes else "string"
        lines.append(f"any answer is right: {_some(decision.free, noun)}{' of the inputs' * decision.prefixes}")
    if decision.formula is not None:
        lines.append(f"the model accepts iff {decision.formula}")
    lines += decision.notes
    automaton = decision.automaton
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
    return Document(_outcome(decision, name or decision.model.name), parts)


def _outcome(decision: Decision, name: str) -> str:
    """The first line: the verdict, on which strings."""
    extent = decision.extent
    every = f"on {extent.every}"
    return {
        "equal": f"EQUAL: {name} answers as {decision.against or 'the reference'} does, {every}",
        "different": f"DIFFERENT: {name} and {decision.against or 'the reference'}{extent.at_values}",
        "open": f"OPEN: {name} and {decision.against or 'the reference'} are not decided",
        "refused": f"REFUSED: {_undecidable(decision, name)} cannot be decided for strings of every length",
        "decided": f"DECIDED: what {name} answers, {every}",
    }[decision.verdict]


def _undecidable(decision: Decision, name: str) -> str:
    """The one that cannot be decided: the specification or the model `name`."""
    return f"the specification {decision.against}" if (decision.why or "").startswith("the specification ") else name


def _instead(decision: Decision, name: str | None) -> list[str]:
    """The commands that take a model which cannot be decided, in one line; [] if the specification cannot be decided,
    for a model of numbers, and without a name."""
    if name is None or not decision.letters or _undecidable(decision, name) != name:
        return []
    prove = f"symcook prove {name} --statement 'accept <-> matches(\"REGEX\")' searches for a proof"
    model = decision.model
    longest = 8 if model.max_length is None else min(8, model.max_length - model.embedding.added)
    return [f"{prove}; symcook check {name} --max-length {longest} runs all short strings"]


def _some(number: int | None, noun: str) -> str:
    """A number of things with its noun; "some" where the number is not known."""
    several = f"{noun}{'es' if noun.endswith('x') else 's'}"
    return f"some {several}" if number is None else f"{number} {noun if number == 1 else several}"


def _answer(answer: object) -> str:
    """What a model or a specification does with a string."""
    return "accepts" if answer is True else "rejects" if answer is False else f"answers {answer}"


def _states(count: int) -> str:
    """A number of states with its noun."""
    return f"{count} state{'s' * (count != 1)}"
