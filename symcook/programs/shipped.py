"""The programs that come with the library: formulas (.ltl, .count) and S-RASP programs (.srasp), one file each."""

from __future__ import annotations

import re

from symcook.errors import BadInput, unknown
from symcook.programs.formula import quoted

NAME = re.compile(r"[\w-]+\.(ltl|count|srasp)")
"""The form of a program's name. No text of one of these languages has this form."""
BRACKETS = ("()", "[]", "{}", "<>")
"""The opening and closing symbol of the first four bracket types of Dyck-k."""


def names() -> tuple[str, ...]:
    """The names of all shipped programs; dyck-k.srasp stands for dyck-1.srasp, dyck-2.srasp and so on."""
    from importlib.resources import files

    return tuple(sorted(entry.name for entry in files("symcook").joinpath("data", "programs").iterdir()))


def summaries() -> list[tuple[str, str]]:
    """Each name with the program's summary, which is the comment in its first lines."""
    from importlib.resources import files

    folder = files("symcook").joinpath("data", "programs")
    return [(name, _summary(folder.joinpath(name).read_text(encoding="utf-8"))) for name in names()]


def _summary(text: str) -> str:
    """The comment lines at the beginning of a program, as one line."""
    comments = re.match(r"(?:// .*\n)+", text)
    return " ".join(line.removeprefix("// ") for line in comments[0].splitlines()) if comments else ""


def is_shipped(name: str) -> bool:
    """Whether a text has the form of a program's name; the program need not exist."""
    return NAME.fullmatch(name) is not None


def facts(name: str) -> dict[str, str]:
    """A description of a program: its name, kind, summary, the command that compiles it (`words`), and its text."""
    text = shipped_program(name)
    words = f"symcook compile {name.rpartition('.')[2]} {name} -o FILE.json makes the model."
    return {"name": name, "kind": "program", "summary": _summary(text), "words": words, "text": text}


def shipped_program(name: str) -> str:
    """The text of a shipped program. BadInput for an unknown name."""
    from importlib.resources import files

    dyck = re.fullmatch(r"dyck-([1-9][0-9]{0,2})\.srasp", name)
    if name == "dyck-k.srasp":
        raise BadInput("k of dyck-k must be a number", name, "for example dyck-2.srasp")
    if dyck is None and name not in names():
        error = unknown("program", name, [program for program in names() if program != "dyck-k.srasp"])
        raise BadInput("a program must be a file, or the name of one that comes with symcook", name, error.do)
    file = files("symcook").joinpath("data", "programs", name if dyck is None else "dyck-k.srasp")
    text = file.read_text(encoding="utf-8")
    return text if dyck is None else _of_types(text, int(dyck[1]))


def _of_types(text: str, k: int) -> str:
    """The program of Dyck-k: `text` with its placeholders filled in for k bracket types. Types after the fourth have
    the symbols (5 )5 and so on."""
    symbol_pairs = [BRACKETS[t] if t < len(BRACKETS) else (f"({t + 1}", f"){t + 1}") for t in range(k)]
    pairs = [tuple(map(quoted, symbol_pair)) for symbol_pair in symbol_pairs]
    parts = {
        "{letters}": " ".join(symbol for pair in pairs for symbol in pair),
        "{opens}": ", ".join(f"{left}: 1" for left, _ in pairs),
        "{fits}": " | ".join(f"in(i) = {right} & check(i) = {left}" for left, right in pairs),
    }
    for key, part in parts.items():
        text = text.replace(key, part)
    return text.replace("? stands for brackets of all types.", f"Brackets of {k} types." if k > 1 else "One type.")
