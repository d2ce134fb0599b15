"""A question is declared once, by its function: command, help, JSON, verb and bounds are read off it, unimported."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from typing import Any

import click
import pytest
from checkout import ROOT, parsed
from families import together
from shared import call, document, refused

import symcook as sc
from symcook.bounds import KINDS
from symcook.cli.commands import COMMANDS
from symcook.cli.output import group
from symcook.declaration import REQUIRED, Question, load
from symcook.questions import QUESTIONS

EVERY = [*QUESTIONS.values(), *KINDS.values()]


@together("question", EVERY)
def test_what_is_read_is_what_python_sees(question: Question) -> None:
    """The independent reader is `inspect`, on the function that is imported."""
    parameters = inspect.signature(question.load()).parameters
    assert [(one.name, one.default) for one in question.arguments] == [
        (name, REQUIRED if p.default is p.empty else p.default)
        for name, p in parameters.items()
        if name != question.more
    ]
    doc = question.text or inspect.getdoc(question.load()) or ""
    assert doc.startswith(question.words.partition("\n\n")[0]) and question.summary.endswith(".")
    assert all(one.words.endswith(".") for one in question.arguments)


@together("name", list(QUESTIONS))
def test_the_command_is_that_of_the_function(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = group.get_command(click.Context(group), name)
    assert command is not None
    parameters = inspect.signature(QUESTIONS[name].load()).parameters
    assert [one.opts for one in command.params if one.name == "place"] == [
        ["-o", "--output"] if name == "hardsoft" else ["--plot"]
    ]
    asked = {one.name for one in command.params} - {"as_json", "debug", "place", "force", "seconds"}
    assert asked == {*parameters, "name", "settings"} - {"model", "values", "progress"}
    _, out, _ = call(capsys, name, "--help")
    words = " ".join(out.split())
    assert QUESTIONS[name].summary in words and QUESTIONS[name].example in words
    assert all(
        f"({one.default})." in words for one in QUESTIONS[name].arguments if type(one.default) is int and one.default
    )


@together("name", list(QUESTIONS))
def test_the_line_of_the_command_is_the_summary(name: str) -> None:
    """`COMMANDS` is printed before anything is imported that could read it off: it would take twice the time."""
    summary = QUESTIONS[name].summary
    assert summary[0].lower() + summary[1:] == f"{COMMANDS[name]}."


def test_the_type_of_a_verb_is_that_of_its_home() -> None:
    """The imports for types at `Verbs`, beside the homes that its methods have."""
    tree = parsed((ROOT / "symcook/model/answers.py").read_text())
    (verbs,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Verbs")
    typed = {one.name: f"{node.module}:{one.name}" for node in ast.walk(verbs) if isinstance(node, ast.ImportFrom)
             for one in node.names}  # fmt: skip
    homes = {name: str(load(home).__module__) + f":{name}" for name, home in sc.VERBS.items() if name != "__call__"}
    found = {name: str(load(home).__module__) + f":{name}" for name, home in typed.items()}
    assert found == homes


@together("name", list(QUESTIONS))
def test_the_verb_is_the_function(name: str) -> None:
    verb: Any = getattr(sc.build("dyck-1"), name)
    own, whole = (list(inspect.signature(one).parameters) for one in (verb, QUESTIONS[name].load()))
    assert ["model", *own] == whole
    assert inspect.getdoc(verb) == inspect.getdoc(QUESTIONS[name].load())


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("line", ["margin --help", "bound --help", "tolerance -h"])
def test_help_imports_nothing_that_answers(line: str) -> None:
    code = (
        f"import sys\nfrom symcook.__main__ import main\nassert main({line.split()!r}) == 0\n"
        "heavy = {'flint', 'sympy', 'mpmath', 'numpy', 'symcook.questions.margin', 'symcook.bounds.gelu'}\n"
        "print(heavy & {*sys.modules})"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.endswith("set()\n")


def test_only_the_command_that_is_called_is_made(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    made: list[str] = []
    load = Question.load
    monkeypatch.setattr(Question, "load", lambda question: made.append(question.name) or load(question))
    assert document(capsys, "margin", "dyck-1", "--max-length", 1)["kind"] == "margin"
    assert made == ["margin"]


def test_what_is_required_is_asked_for_by_its_words_and_the_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert "the maximum length must be given; given: none; give --max-length 8" in refused(capsys, "margin", "dyck-1")
    said = refused(capsys, "tolerance", "dyck-1", "--max-length", 2)
    assert "the weight that moves must be given; given: none; give --free 'L2.ff.b1[1]'" in said


NEW = '''
from flint import arb


def shortest(
    model: Transformer, strings: Sequence[str], *, kind: str = "a", most: int | str | None = None, loud: bool = False,
    progress: Progress | None = None,
) -> Answer:
    """What is asked, over
    two lines.

    More.

    For example: symcook shortest dyck-1 --word a

    strings --word W: Strings, which
      go on here.
    kind a|b: The kind.
    most N: At most.
    loud: Loudly.

    strings: in prose would be taken for a line, and the later one counts.
    """
    raise NotImplementedError
'''


def test_a_docstring_is_read_line_by_line(tmp_path: Any, monkeypatch: Any) -> None:
    (tmp_path / "declared_here.py").write_text(NEW.replace("\n    strings: in prose", "\n    Strings in prose"))
    monkeypatch.syspath_prepend(tmp_path)
    question = Question("shortest", "declared_here:shortest", "progress")
    assert question.words == "What is asked, over\ntwo lines.\n\nMore."
    assert question.usage == "shortest NAME --word W [--kind a|b] [--most N] [--loud]"
    assert [one[2:] for one in question.arguments] == [
        (REQUIRED, "--model", "NAME", "A recipe or a model file."),
        (REQUIRED, "--word", "W", "Strings, which go on here."),
        ("a", "--kind", "a|b", "The kind."),
        (None, "--most", "N", "At most."),
        (False, "--loud", None, "Loudly."),
    ]
    assert [one.help for one in question.arguments[2:]] == ["The kind (a).", "At most.", "Loudly."]
    assert "declared_here" not in sys.modules


def test_an_argument_without_a_line_is_not_declared(tmp_path: Any, monkeypatch: Any) -> None:
    (tmp_path / "declared_badly.py").write_text(NEW.replace("    loud: Loudly.\n", ""))
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyError, match="loud"):
        _ = Question("shortest", "declared_badly:shortest", "progress").arguments
