"""What one has to trust for a status: the checker's files with their lines of code, the axioms, the assumptions."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.proof import CHECKER

if TYPE_CHECKING:
    from symcook.proof.replay import Statement, Verdict

SECOND = "checker.py"  # in the folder of proofs
GOAL = 800
_STRING = r"""(?:"{3}(?:\\.|(?!"{3}).)*"{3}|'{3}(?:\\.|(?!'{3}).)*'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
_PIECES = re.compile(rf"#[^\n]*|{_STRING}(?:(?:[ \t]|\\\n)*{_STRING})*", re.DOTALL)
"""Comments, and strings that stand one after another; the prefix of a string is not part of it."""
_BEGINS = re.compile(r"(?<!\\)[\n;:][ \t]*([rRuU]?)\Z")
_ENDS = re.compile(r"(?:[ \t]|\\\n)*(?:[#;\n]|\Z)")


@cache
def code_lines(source: str) -> int:
    """The lines of a Python source that hold code: no blank lines, comments or docstrings.

    A docstring is a string that is a statement by itself: no bracket is open, and nothing but it stands between the
    ends of two statements. No syntax tree is made, which would take a third of the time of `symcook prove ID`.

    >>> code_lines('x = 1  # one\\n\\n# nothing\\ndef f():\\n    "words"\\n    return x\\n')
    3
    """
    source, parts, end, depth = f"\n{source}", list[str](), 0, 0
    for piece in _PIECES.finditer(source):
        between, text = source[end : piece.start()], piece[0]
        depth += sum(map(between.count, "([{")) - sum(map(between.count, ")]}"))
        begins = None if depth or text[0] == "#" else _BEGINS.search(between)
        end, breaks = piece.end(), text.count("\n")
        if begins and _ENDS.match(source, end):  # nothing is left of it but the ends of its lines
            parts += [between[: begins.start(1)], "\n" * breaks]
        else:
            parts += [between, "" if text[0] == "#" else "s" + "\ns" * breaks]
    return sum(bool(line.strip()) for line in "".join([*parts, source[end:]]).split("\n"))


@dataclass(frozen=True)
class Trusted:
    """A file of a checker: where it is, what it does, its lines of code."""

    path: str
    what: str
    lines: int


def first_checker() -> list[Trusted]:
    """The files of the checker that `prove` runs."""
    package = Path(__file__).resolve().parent.parent
    return [
        Trusted(f"symcook/{name}", what, code_lines((package / name).read_text(encoding="utf-8")))
        for name, what in CHECKER.items()
    ]


def second_checker() -> Trusted | None:
    """The checker in one file, where it is installed."""
    from symcook.proof.files import proofs_directory

    path = proofs_directory() / SECOND
    if not path.is_file():
        return None
    what = "written from the grammar alone; needs nothing but Python"
    return Trusted(f"proofs/{SECOND}", what, code_lines(path.read_text(encoding="utf-8")))


def checker_lines() -> int:
    """The lines of code of the checker that `prove` runs."""
    return sum(file.lines for file in first_checker())


def assumptions(names: Iterable[str] | None = None) -> dict[str, list[str]]:
    """Named assumptions and oracles with the ids whose certificates use them directly; of `names`, or of all."""
    from symcook.proof.files import load_json
    from symcook.proof.replay import library

    home = library()
    users: dict[str, list[str]] = {}
    for name in home.certificates() if names is None else names:
        for path in (home.root / "certificates" / f"{name}{end}.json" for end in ("", ".refuted")):
            text = path.read_bytes() if path.is_file() else b""
            if any(part in text for part in (b"named.", b"oracle.", b"\\")):  # as JSON, or behind an escape
                certificate = load_json(text)
                for used in certificate.get("lemmas", {}) if isinstance(certificate, dict) else ():
                    if used.startswith(("named.", "oracle.")):
                        users.setdefault(used, []).append(name)
    return {used: sorted(set(users[used])) for used in sorted(users)}


def below(names: Iterable[str]) -> list[str]:
    """`names` with every statement that their certificates rest on, directly or through lemmas."""
    from symcook.proof.replay import library

    home = library()
    todo, statements_below = list(names), dict[str, None]()
    while todo:
        name = todo.pop(0)
        if name not in statements_below and name in home.statements:
            statements_below[name] = None
            todo += home.lemmas(name)
    return list(statements_below)


def axioms_used(names: Iterable[str]) -> list[str]:
    """The axioms that the stored proofs of `names` mention."""
    return _axioms(_words(names))


def _axioms(words: set[str]) -> list[str]:
    from symcook.proof import kernel

    return [name for name in kernel.AXIOMS if words & {f"ax:{name}", f"#ax:{name}"}]


def _words(names: Iterable[str]) -> set[str]:
    """Every text in the stored proofs of `names`."""
    from symcook.proof.files import load_json
    from symcook.proof.replay import library

    folder = library().root / "certificates"
    paths = (folder / f"{name}{end}.json" for name in names for end in ("", ".refuted"))
    return set().union(*(_texts(load_json(path.read_bytes())) for path in paths if path.is_file()))


def _texts(document: object) -> set[str]:
    """Every text in a document."""
    texts: set[str] = set()
    todo = [document]
    while todo:
        value = todo.pop()
        if isinstance(value, str):
            texts.add(value)
        elif isinstance(value, (dict, list)):
            todo += value.values() if isinstance(value, dict) else value
    return texts


def trust_text(names: list[str] | None = None) -> str:
    """All that has to be trusted, for everything or for the ids `names`."""
    from symcook.proof import kernel
    from symcook.proof.replay import statements

    # The first checker, file by file.
    files = first_checker()
    path_width = max(len(f.path) for f in files)
    total = sum(f.lines for f in files)
    out = ["You trust the checker that symcook prove runs. Its files, with their lines of code:", ""]
    out += [f"  {f.lines:>5}  {f.path:<{path_width}}  {f.what}" for f in files]
    out += [f"  {total:>5}  in all", ""]
    # The second checker, which may be trusted in its place.
    second = second_checker()
    if second is None:
        out.append("The second checker, one file that needs nothing but Python, is not part of this installation.")
    else:
        out.append(f"  {second.lines:>5}  {second.path:<{path_width}}  {second.what}")
        out.append("")
        out.append("If you trust that second file, you need not trust the files above.")
        out.append(
            "It reads statements, with the models' equations, from proofs/expanded.txt, and proofs from certificates."
        )
        if second.lines > GOAL:
            out.append(f"That file should have at most {GOAL} lines of code, but has {second.lines:,}.")
    if total > GOAL:
        out.append(f"The first checker should have at most {GOAL} lines of code, but has {total:,}.")
    # The axioms: all, or those that the proofs of `names` and of their lemmas use.
    mentioned = None if names is None else axioms_used(below(names))
    title = f"Axioms ({len(kernel.AXIOMS)})"
    if mentioned is not None:
        title = f"Axioms used here ({len(mentioned)} of {len(kernel.AXIOMS)})"
    axioms = [n for n in kernel.AXIOMS if mentioned is None or n in mentioned]
    out += ["", title, ""]
    column = max(map(len, axioms), default=0) + 4
    for name in axioms:
        out.append(
            textwrap.fill(
                kernel.AXIOMS[name],
                108,
                initial_indent=f"  {name}".ljust(column),
                subsequent_indent=" " * column,
                break_on_hyphens=False,
            )
        )
    # Assumptions that are not proved, and what no checker can look at.
    assumed = assumptions(None if names is None else below(names))
    out += ["", f"Assumptions without a proof here ({len(assumed)})", ""]
    for name, users in assumed.items():
        out.append(f"  {name}: {statements()[name].text}")
        out.append(f"    used by {', '.join(users)}")
    if not assumed:
        out.append("  none: every stored proof goes back to the axioms")
    out += [
        "",
        "You must also trust that the statements and definitions in proofs/statements mean what the papers mean.",
        "For a CHECKED status you trust the evaluation of the statement and runs of the model, not the kernel.",
        "You need not trust the proof search, its scripts, the proofs, their outlines or the LaTeX.",
    ]
    return "\n".join(out)


def trust_json(names: list[str] | None = None) -> dict[str, Any]:
    """The same as a document: files with their lines, axioms by name, assumptions with their text and users."""
    from symcook.proof import kernel
    from symcook.proof.replay import statements

    second = second_checker()
    mentioned = None if names is None else axioms_used(below(names))
    assumed = assumptions(None if names is None else below(names))
    return {
        "files": [{"path": f.path, "lines": f.lines, "what": f.what} for f in first_checker()],
        "second": None if second is None else {"path": second.path, "lines": second.lines, "what": second.what},
        "axioms": {n: text for n, text in kernel.AXIOMS.items() if mentioned is None or n in mentioned},
        "assumptions": {
            name: {"statement": statements()[name].text, "used_by": list(users)} for name, users in assumed.items()
        },
    }


def trust_line(verdict: Verdict, own: tuple[Statement, Mapping[str, Any]] | None = None) -> str:
    """In one paragraph: what a reader of one verdict has to trust. A claim that is not stored has its `own` statement
    and certificate."""
    from symcook.proof import kernel
    from symcook.proof.replay import statements

    statement = statements()[verdict.id] if own is None else own[0]
    if verdict.status.startswith("CHECKED"):
        words = f"an evaluation of the statement at all instances up to length {verdict.status.split()[1]}, and a run"
        words += " of the stored model on all inputs; not the kernel"
    else:
        mentioned = _words(below([verdict.id])) if own is None else _words(below(own[1]["lemmas"])) | _texts(own[1])
        used, balls = _axioms(mentioned), "interval" in mentioned
        words = f"the checker ({checker_lines():,} lines of code), {len(used)} of its {len(kernel.AXIOMS)} axioms, "
        assumed = (*verdict.named, *verdict.oracles)
        many = "s" if len(assumed) > 1 else ""
        words += f"and the assumption{many} {', '.join(assumed)}" if assumed else "no assumption, no oracle"
        words += "; python-flint for its enclosures" if balls else ""
        second = second_checker()
        words += f"; or instead {second.path} ({second.lines:,} lines, which need only Python)" if second else ""
    return f"{words}; statement sha256 {statement.digest}"
