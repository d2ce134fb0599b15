"""A page a command, and one a question and a bound, read off what declares them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from pages.markdown import cell, code, plain, table
from symcook.bounds import KINDS
from symcook.cli.commands import COMMANDS, help_text, see_also
from symcook.cli.output import group
from symcook.declaration import Question
from symcook.questions import QUESTIONS

KEYS = Path(__file__).with_name("json_keys.json")
"""By command the keys of its example with --json, which tests/test_public_json.py compares with what it prints."""


def command(name: str) -> str:
    """The page of one command."""
    with click.Context(group, info_name="symcook") as above:
        found: Any = group.get_command(above, name)
        with click.Context(found, info_name=name, parent=above) as here:
            usage = found.get_usage(here).removeprefix("Usage: ")
            options = [p.get_help_record(here) for p in found.params if isinstance(p, click.Option)]
            title = f"{COMMANDS[name][:1].upper()}{COMMANDS[name][1:]}."
            words = [one for one in (found.help or "").split("\n\n") if one != title]
            example = (found.epilog or "").strip()
    lines = [f"# symcook {name}", "", plain(title), ""]
    lines += [code(usage, ""), ""]
    lines += [part for one in words for part in (plain(" ".join(one.split())), "")]
    rows = [(f"`{record[0]}`", cell(record[1])) for record in options if record is not None]
    lines += ["## Options", "", *table(["option", "what it does"], rows), ""]
    typed = "\n".join(f"$ {one.strip()}" for one in example.split("\n"))
    lines += ["## For example", "", code(typed, ""), ""] if example else []
    if keys := json.loads(KEYS.read_text(encoding="utf-8")).get(name):
        lines += ["## JSON", "", "What the example prints with `--json`; a place `[]` stands for each of a list.", ""]
        lines += [*table(["key", "what stands there"], [(f"`{key}`", kind) for key, kind in keys.items()]), ""]
    lines += [f"See also: {', '.join(f'`symcook {one}`' for one in see_also(name))}.", ""]
    lines += ["Exit codes: 0 done or yes, 1 no, 2 bad input, 3 undecided, 4 a defect of ours, 130 interrupted.", ""]
    return "\n".join(lines)


def surface() -> dict[str, list[str]]:
    """Every command with its arguments and options: what the tests hold stable."""
    with click.Context(group, info_name="symcook") as above:
        made: dict[str, Any] = {name: group.get_command(above, name) for name in COMMANDS}
    return {name: sorted(word for p in one.params for word in (p.opts or [p.name])) for name, one in made.items()}


def question(found: Question, kind: str) -> str:
    """The page of a question or a bound: what is asked, each argument, and how it is asked in Python."""
    lines = [f"# {kind} {found.name}", ""]
    for part in found.words.split("\n\n"):
        said = [one for one in part.split("\n") if not _argument(one, found)]
        if said and len(said) == len(part.split("\n")):
            lines += [plain(" ".join(part.split())), ""]
    lines += ["## Arguments", ""]
    rows = []
    for one in found.arguments:
        written = "`NAME`" if one.name == "model" else f"`{one.option}{' ' + one.metavar if one.metavar else ''}`"
        default = "" if one.required else f"`{one.default!r}`"
        rows.append((f"`{one.name}`", written, default, cell(one.words)))
    lines += [*table(["in Python", "on the command line", "default", "what it is"], rows), ""]
    if found.example:
        lines += [code(f"$ {found.example.strip().strip('`')}", ""), ""]
    module, _, function = found.home.partition(":")
    return "\n".join([*lines, f"The function is `{function}` of `{module}`.", ""])


def _argument(line: str, found: Question) -> bool:
    """Whether a line of a docstring says what an argument is."""
    return line.partition(" ")[0].rstrip(":") in found.names and ":" in line


def pages() -> Iterator[tuple[str, str]]:
    """The name and the text of each page."""
    for name in COMMANDS:
        yield name, command(name)
    asked = {f"question-{name}": question(one, "Question") for name, one in QUESTIONS.items()}
    asked |= {f"bound-{name}": question(one, "Bound") for name, one in KINDS.items()}
    yield from asked.items()
    rows = [(f"[{name}]({name}.md)", plain(words)) for name, words in COMMANDS.items()]
    lines = ["# Commands, questions, bounds", "", code(help_text(), ""), ""]
    lines += [*table(["command", "what it does"], rows), ""]
    lines += ["Questions take a model and go by length; bounds take numbers and say how sharp a paper's bound is.", ""]
    both = [(f"[{one.name}](question-{one.name}.md)", "question", plain(one.summary)) for one in QUESTIONS.values()]
    both += [(f"[{one.name}](bound-{one.name}.md)", "bound", plain(one.summary)) for one in KINDS.values()]
    lines += [*table(["name", "kind", "what it says"], both), ""]
    yield "index", "\n".join([*lines, "```{toctree}", ":hidden:", "", *COMMANDS, *asked, "```", ""])
