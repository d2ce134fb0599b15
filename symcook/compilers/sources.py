"""The text of a program from what its user gives: a file, a program that comes with symcook, or the text itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from symcook.errors import BadInput
from symcook.files import is_path, names_file, text_of
from symcook.programs.formats import format_of, listed
from symcook.programs.shipped import is_shipped, shipped_program
from symcook.programs.shipped import names as shipped_names

SHIPPED = ("ltl", "count", "srasp")
"""The languages of the programs that come with the library (`symcook.programs.shipped`)."""
WORDS = {"ltl": "formula", "count": "formula", "srasp": "program", "dfa": "automaton", "tm": "machine"}
"""By language: what a program of it is called, also as the name of its model."""
_READ = {
    "ltl": "a formula as text", "count": "a formula as text", "srasp": "text with one definition a line",
    "dfa": "JSON by the names of automata-lib, or a regular expression",
    "tm": "text with one transition a line, JSON, or a code",
}  # fmt: skip
"""By language: what is read."""


class SourceText(NamedTuple):
    """A program as text, which is no path."""

    text: str
    name: str = ""
    """A name for its model; "" if the text has none."""
    file: str = ""
    """The file that the text is from; "" if it is from none."""


def source_of(kind: str, given: str | os.PathLike[str], regex: bool = False) -> SourceText:
    """The text of a program of the language `kind`.

    What is a path (`symcook.files.is_path`) is a file, and never a text; with `regex` the text is a regular expression
    and never a path. BadInput for a file that does not exist, for a shipped program of another language, for its name
    without the ending, and for an automaton in a format that symcook does not read.
    """
    text = os.fspath(given)
    if regex:  # in brackets, an expression that begins with { cannot be taken for JSON
        return SourceText(f"({text})" if text.lstrip()[:1] == "{" else text)
    if isinstance(given, os.PathLike) or names_file(text):
        source = _of_file(kind, Path(text))
    elif kind in SHIPPED and is_shipped(text):
        return _shipped(kind, text)
    elif kind in SHIPPED and f"{text}.{kind}" in shipped_names():
        must = "a program must be given as text, as a file, or by the name of a program that comes with symcook"
        raise BadInput(must, text, f"did you mean {text}.{kind}?")
    elif is_path(text):
        raise BadInput(f"the file of {_called(kind)} must exist", text, _instead(kind))
    else:
        source = SourceText(text)
    found = format_of(source.text) or (listed(source.text) if kind == "dfa" else None)
    if found is not None:
        raise BadInput(
            f"{_called(kind)} must be {_READ[kind]}",
            f"{source.file or 'the text'}: {found}",
            "write the program in this form, or give another KIND to symcook compile",
        )
    return source


def _of_file(kind: str, path: Path) -> SourceText:
    """The text of a file. Its name without the ending is that of the model; a file without an ending gives none, since
    Q_a may be meant as a formula."""
    return SourceText(text_of(path, f"the file of {_called(kind)}"), path.stem if path.suffix else "", path.name)


def _shipped(kind: str, text: str) -> SourceText:
    """A program that comes with symcook, by its name."""
    name, _, language = text.rpartition(".")
    if language != kind:
        do = f"write symcook compile {language}"
        raise BadInput(f"the program {text} must be compiled as {language}", kind, do)
    return SourceText(shipped_program(text), name)


def _called(kind: str) -> str:
    """What a program of a language is called, with its article."""
    word = "Turing machine" if kind == "tm" else WORDS[kind]
    return f"an {word}" if word[0] in "aeiou" else f"a {word}"


def _instead(kind: str) -> str:
    """What to give in place of the name of a missing file."""
    texts = {"dfa": "give --regex with a regular expression", "tm": "give a code such as 1RB1LB_1LA1RZ"}
    return texts.get(kind, "give the text itself")
