"""What must be trusted for a status: the checker's files with their lines of code, the axioms, and the assumptions."""

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

SECOND = "checker.py"
"""The second checker, in the folder of proofs."""
_STRING = r"""(?:"{3}(?:\\.|(?!"{3}).)*"{3}|'{3}(?:\\.|(?!'{3}).)*'{3}|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
_PIECES = re.compile(rf"#[^\n]*|{_STRING}(?:(?:[ \t]|\\\n)*{_STRING})*", re.DOTALL)
"""A comment, or a sequence of adjacent strings; the prefix of the first string is not part of the match."""
_BEGINS = re.compile(r"(?<!\\)[\n;:][ \t]*([rRuU]?)\Z")
"""Text before a string that begins a statement; group 1 is the prefix of the string."""
_ENDS = re.compile(r"(?:[ \t]|\\\n)*(?:[#;\n]|\Z)")
"""Text after a string that ends a statement."""


@cache
def code_lines(source: str) -> int:
    """The lines of a Python source that hold code: no blank lines, comments or docstrings.

    A docstring is a string that is a whole statement: no bracket is open, and the statement has nothing else. This
    function makes no syntax tree, which would take a third of the time of `symcook prove ID`.

    >>> code_lines('x = 1  # one\\n\\n# nothing\\ndef f():\\n    "words"\\n    return x\\n')
    3
    """
    # `parts` is the source without comments and docstrings; another string is replaced by an "s" on each of its lines,
    # so that they count. `depth` is the number of open brackets.
    source, parts, end, depth = f"\n{source}", list[str](), 0, 0
    for piece in _PIECES.finditer(source):
        between, text = source[end : piece.start()], piece[0]
        depth += sum(map(between.count, "([{")) - sum(map(between.count, ")]}"))
        before = None if depth or text[0] == "#" else _BEGINS.search(between)
        end, breaks = piece.end(), text.count("\n")
        if before and _ENDS.match(source, end):  # a docstring: only its line breaks remain
            parts += [between[: before.start(1)], "\n" * breaks]
        else:
            parts += [between, "" if text[0] == "#" else "s" + "\ns" * breaks]
    return sum(bool(line.strip()) for line in "".join([*parts, source[end:]]).split("\n"))


@dataclass(frozen=True)
class Trusted:
    """A file of a checker: its path, what it does, and its number of lines of code."""

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
    """The checker that is a single file; None if it is not installed."""
    from symcook.proof.files import proofs_directory

    path = proofs_directory() / SECOND
    if not path.is_file():
        return None
    what = "written from the grammar; needs Python only"
    return Trusted(f"proofs/{SECOND}", what, code_lines(path.read_text(encoding="utf-8")))


def checker_lines() -> int:
    """The lines of code of the checker that `prove` runs."""
    return sum(file.lines for file in first_checker())


def assumptions(names: Iterable[str] | None = None) -> dict[str, list[str]]:
    """{named assumption or oracle: ids whose certificates use it directly}, for `names` or for all stored proofs."""
    from symcook.proof.files import load_json
    from symcook.proof.replay import library

    proofs = library()
    users: dict[str, list[str]] = {}
    for name in proofs.certificates() if names is None else names:
        for path in (proofs.root / "certificates" / f"{name}{end}.json" for end in ("", ".refuted")):
            text = path.read_bytes() if path.is_file() else b""
            # Only a file that may name one is read as JSON; an escape (\\) could hide a name.
            if any(part in text for part in (b"named.", b"oracle.", b"\\")):
                certificate = load_json(text)
                for assumption in certificate.get("lemmas", {}) if isinstance(certificate, dict) else ():
                    if assumption.startswith(("named.", "oracle.")):
                        users.setdefault(assumption, []).append(name)
    return {assumption: sorted(set(users[assumption])) for assumption in sorted(users)}


def below(names: Iterable[str]) -> list[str]:
    """`names` and all statements that their certificates depend on, directly or through lemmas."""
    from symcook.proof.replay import library

    proofs = library()
    pending, statements_below = list(names), dict[str, None]()
    while pending:
        name = pending.pop(0)
        if name not in statements_below and name in proofs.statements:
            statements_below[name] = None
            pending += proofs.lemmas(name)
    return list(statements_below)


def axioms_used(names: Iterable[str]) -> list[str]:
    """The axioms that the stored proofs of `names` mention."""
    return _axioms(_proof_texts(names))


def _axioms(words: set[str]) -> list[str]:
    """The axioms that are named in the texts of a proof."""
    from symcook.proof import kernel

    return [name for name in kernel.AXIOMS if words & {f"ax:{name}", f"#ax:{name}"}]


def _proof_texts(names: Iterable[str]) -> set[str]:
    """All texts in the stored proofs of `names`."""
    from symcook.proof.files import load_json
    from symcook.proof.replay import library

    folder = library().root / "certificates"
    paths = (folder / f"{name}{end}.json" for name in names for end in ("", ".refuted"))
    return set().union(*(_texts(load_json(path.read_bytes())) for path in paths if path.is_file()))


def _texts(document: object) -> set[str]:
    """All texts in a JSON document; not its keys."""
    texts: set[str] = set()
    pending = [document]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            texts.add(value)
        elif isinstance(value, (dict, list)):
            pending += value.values() if isinstance(value, dict) else value
    return texts


def trust_text(names: list[str] | None = None) -> str:
    """What must be trusted for all stored proofs, or for those of `names`: what ``symcook prove --trust`` prints."""
    from symcook.proof import kernel, roundings
    from symcook.proof.replay import statements

    # The first checker, file by file.
    files = first_checker()
    path_width = max(len(f.path) for f in files)
    total = sum(f.lines for f in files)
    out = ["You trust the checker that symcook prove runs. Its files, with their lines of code:", ""]
    out += [f"  {f.lines:>5}  {f.path:<{path_width}}  {f.what}" for f in files]
    out += [f"  {total:>5}  in all", ""]
    # The second checker, which may be trusted instead of the first.
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
    # Assumptions without a proof, and what no checker can check.
    assumed = assumptions(None if names is None else below(names))
    out += ["", f"Assumptions without a proof here ({len(assumed)})", ""]
    for name, users in assumed.items():
        out.append(f"  {name}: {statements()[name].text}")
        out.append(f"    used by {', '.join(users)}")
    if not assumed:
        out.append("  none: every stored proof goes back to the axioms")
    out += ["", "Statements about run(rounded-NAME; u) hold for arithmetics with", ""]
    out += [f"  {one}" for one in roundings.INSIDE]
    out += ["", "They do not cover", "", *(f"  {one}" for one in roundings.OUTSIDE)]
    out += ["", "Statements about run(floats-NAME; u) hold for", "", *(f"  {one}" for one in roundings.FLOATS)]
    out += [
        "",
        "You must also trust that the statements and definitions in proofs/statements mean what the papers mean.",
        "For a CHECKED status you trust the evaluation of the statement and runs of the model, not the kernel.",
        "You need not trust the proof search, its scripts, the proofs, their outlines or the LaTeX.",
    ]
    return "\n".join(out)


def trust_json(names: list[str] | None = None) -> dict[str, Any]:
    """The content of `trust_text` as JSON: files with their lines, axioms by name, assumptions with text and users."""
    from symcook.proof import kernel, roundings
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
        "rounding": {
            "inside": list(roundings.INSIDE),
            "outside": list(roundings.OUTSIDE),
            "floats": list(roundings.FLOATS),
        },
    }


def trust_line(verdict: Verdict, own: tuple[Statement, Mapping[str, Any]] | None = None) -> str:
    """A paragraph that says what must be trusted for a verdict; `own`: statement and certificate of a claim that is not
    stored."""
    from symcook.proof import kernel
    from symcook.proof.replay import statements

    statement = statements()[verdict.id] if own is None else own[0]
    if verdict.status.startswith("CHECKED"):
        words = f"an evaluation of the statement at all instances up to length {verdict.status.split()[1]}, and a run"
        words += " of the stored model on all inputs; not the kernel"
    else:
        texts = (
            _proof_texts(below([verdict.id])) if own is None else _proof_texts(below(own[1]["lemmas"])) | _texts(own[1])
        )
        axioms, balls = _axioms(texts), "interval" in texts
        words = f"the checker ({checker_lines():,} lines of code), {len(axioms)} of its {len(kernel.AXIOMS)} axioms, "
        assumed = (*verdict.named, *verdict.oracles)
        plural = "s" if len(assumed) > 1 else ""
        words += f"and the assumption{plural} {', '.join(assumed)}" if assumed else "no assumption, no oracle"
        words += "; python-flint for its enclosures" if balls else ""
        second = second_checker()
        words += f"; or instead {second.path} ({second.lines:,} lines, which need only Python)" if second else ""
    return f"{words}; statement sha256 {statement.digest}"
