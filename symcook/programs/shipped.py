"""The programs that come with the library: formulas (.ltl, .count) and S-RASP (.srasp), each a text of its own."""

from __future__ import annotations

import re

from symcook.errors import BadInput, unknown
from symcook.programs.formula import quoted

NAME = re.compile(r"[\w-]+\.(ltl|count|srasp)")
"""How a program is called; no text of one of these languages looks like that."""
BRACKETS = ("()", "[]", "{}", "<>")


def names() -> tuple[str, ...]:
    """The names of all; dyck-k.srasp stands for dyck-1.srasp, dyck-2.srasp and so on."""
    from importlib.resources import files

    return tuple(sorted(entry.name for entry in files("symcook").joinpath("data", "programs").iterdir()))


def summaries() -> list[tuple[str, str]]:
    """Each name with what the program says of itself in its first lines."""
    from importlib.resources import files

    folder = files("symcook").joinpath("data", "programs")
    return [(name, _summary(folder.joinpath(name).read_text(encoding="utf-8"))) for name in names()]


def _summary(text: str) -> str:
    comments = re.match(r"(?:// .*\n)+", text)
    return " ".join(line.removeprefix("// ") for line in comments[0].splitlines()) if comments else ""


def is_shipped(name: str) -> bool:
    """Whether a text is the name of a program, rather than one."""
    return NAME.fullmatch(name) is not None


def facts(name: str) -> dict[str, str]:
    """What is said of a program: its name, what it is, how it is compiled, and its text."""
    text = shipped_program(name)
    words = f"symcook compile {name.rpartition('.')[2]} {name} -o FILE.json makes the model."
    return {"name": name, "kind": "program", "summary": _summary(text), "words": words, "text": text}


def shipped_program(name: str) -> str:
    """The text of a program that comes with the library. BadInput for a name that is none."""
    from importlib.resources import files

    dyck = re.fullmatch(r"dyck-([1-9][0-9]{0,2})\.srasp", name)
    if name == "dyck-k.srasp":
        raise BadInput("k of dyck-k must be a number", name, "for example dyck-2.srasp")
    if dyck is None and name not in names():
        error = unknown("program", name, [program for program in names() if program != "dyck-k.srasp"])
        raise BadInput("a program must be a file, or come with symcook", name, error.do)
    file = files("symcook").joinpath("data", "programs", name if dyck is None else "dyck-k.srasp")
    text = file.read_text(encoding="utf-8")
    return text if dyck is None else _of_types(text, int(dyck[1]))


def _of_types(text: str, k: int) -> str:
    """The program of Dyck-k for brackets of k types: four pairs of signs, then (5 )5 and so on."""
    pairs = [tuple(map(quoted, BRACKETS[t] if t < len(BRACKETS) else (f"({t + 1}", f"){t + 1}"))) for t in range(k)]
    parts = {
        "{letters}": " ".join(symbol for pair in pairs for symbol in pair),
        "{opens}": ", ".join(f"{left}: 1" for left, _ in pairs),
        "{fits}": " | ".join(f"in(i) = {right} & check(i) = {left}" for left, right in pairs),
    }
    for key, part in parts.items():
        text = text.replace(key, part)
    return text.replace("? stands for brackets of all types.", f"Brackets of {k} types." if k > 1 else "One type.")
