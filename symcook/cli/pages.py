"""Pages that `symcook explain` prints: the languages that symcook reads, and what each command does in full.

A language has a file NAME.md in the folder data/languages; the grammar of expressions, which is a page of the site too,
is data/grammar.md.
"""

from __future__ import annotations

import textwrap

from symcook.cli.commands import COMMANDS

LANGUAGES = ("ltl", "c-rasp", "srasp", "dfa", "tm", "statements", "fold", "grammar")
OTHER_NAMES = {"crasp": "c-rasp", "rasp": "srasp", "regex": "dfa", "statement": "statements"}
"""{another name of a language: its name}."""
WIDTH = 100


def page(name: str) -> str | None:
    """The page of a language or a command, as text; None if there is none of this name."""
    language = OTHER_NAMES.get(name, name)
    if language in LANGUAGES:
        return _language(language)
    return _command(name) if name in COMMANDS else None


def _language(name: str) -> str:
    from importlib.resources import files

    folder = files("symcook").joinpath("data")
    place = folder.joinpath("grammar.md") if name == "grammar" else folder.joinpath("languages", f"{name}.md")
    text = place.read_text(encoding="utf-8").rstrip()
    return f"{text}\n\n{_allowed()}" if name == "fold" else text


def _allowed() -> str:
    """What the code of a fold may consist of."""
    from symcook.decide.allowed import said

    last = (
        "States are made of integers, True, False, None, text and tuples. "
        "An answer is True, False or a label, or None where any answer is right."
    )
    rows = [textwrap.fill(row, WIDTH, initial_indent="- ", subsequent_indent="  ") for row in said()]
    return "\n".join([*rows, "", textwrap.fill(last, WIDTH)])


def _command(name: str) -> str:
    """The whole text about a command, of which its help has the beginning."""
    import click

    from symcook.cli.output import group

    found = group.get_command(click.Context(group), name)
    text = found.help if found is not None and found.help else ""
    paragraphs = [textwrap.fill(" ".join(one.split()), WIDTH) for one in text.split("\n\n")]
    return "\n\n".join([f"# symcook {name}", *paragraphs, f"Its options: symcook {name} --help"])
