"""Code tokens of each package of symcook/, and a ceiling for each that only falls.

    python .ci/size.py          the table; exit 1 where a package is above its ceiling
    python .ci/size.py --set    lower the ceilings to what is there, rounded up to a full hundred

Counted are the tokens of Python without comments, docstrings and line ends; an f-string counts as one token, as Python
before 3.12 reads it. A package is a folder of symcook/, or a file at its top. `.ci/ceilings.txt` has a line for each.
To raise a ceiling, write the number there, and the line "Ceiling of PACKAGE: NUMBER" with the reason into
notes/decisions.md. Where git has the history, each ceiling that ever rose, or came later than the file, is looked for.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CEILINGS = ".ci/ceilings.txt"
HEAD = "# Code tokens that a package may have (.ci/size.py). To raise one, give the reason in notes/decisions.md.\n"
LAYOUT = {tokenize.ENCODING, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
LAYOUT |= {tokenize.COMMENT}


def docstrings(source: str) -> set[tuple[int, int]]:
    """Where strings begin that stand alone as a statement: line, and column in bytes."""
    alone = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr))
    return {(n.lineno, n.col_offset) for n in alone if isinstance(n, ast.Constant) and isinstance(n.value, str)}


def code_tokens(source: str) -> int:
    """The tokens of code of a file."""
    lines, skipped = source.split("\n"), docstrings(source)
    count = depth = 0
    inside_docstring = False
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = tokenize.tok_name[token.type]
        if token.type in LAYOUT or token.string == ";":
            inside_docstring = inside_docstring and token.type in (tokenize.NL, tokenize.COMMENT)
            continue
        if kind.endswith("STRING_END"):
            depth -= 1
            continue
        if depth:  # inside of an f-string
            depth += kind.endswith("STRING_START")
            continue
        row, column = token.start
        begins = (row, len(lines[row - 1][:column].encode())) in skipped
        inside_docstring = begins or (inside_docstring and token.type == tokenize.STRING)  # "a" "b" is one string
        depth += kind.endswith("STRING_START")
        count += not inside_docstring
    return count


def counts(root: Path) -> Counter[str]:
    """The tokens of each package."""
    found: Counter[str] = Counter()
    package = root / "symcook"
    for path in sorted(package.rglob("*.py")):
        found[path.relative_to(package).parts[0]] += code_tokens(path.read_text(encoding="utf-8"))
    return found


def read_ceilings(text: str) -> dict[str, int]:
    """The ceilings by package; SystemExit where a line is none."""
    out: dict[str, int] = {}
    for line in text.splitlines():
        if not line.startswith("#"):
            name, _, number = line.replace(",", "").partition(" ")
            if not number.isdigit() or name in out:
                raise SystemExit(f"{CEILINGS}: a line must be a package and its ceiling, once each; given: {line}")
            out[name] = int(number)
    return out


def git(root: Path, *arguments: str) -> str | None:
    """What git prints; None where it fails."""
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


def history(root: Path) -> list[dict[str, int]]:
    """The ceilings as they were committed, from the first to the last; none where the history is not there."""
    commits = git(root, "log", "--format=%H", "--first-parent", "-m", "--", CEILINGS)
    if commits is None or git(root, "rev-parse", "--is-shallow-repository") != "false\n":
        return []
    texts = (git(root, "show", f"{commit}:{CEILINGS}") for commit in reversed(commits.split()))
    return [read_ceilings(text) for text in texts if text is not None]


def raised(versions: list[dict[str, int]]) -> set[tuple[str, int]]:
    """Each package with a ceiling that it had not before, or a higher one."""
    return {
        (name, number)
        for before, after in zip(versions, versions[1:], strict=False)
        for name, number in after.items()
        if number > before.get(name, 0)
    }


def reasoned(root: Path) -> set[tuple[str, int]]:
    """The ceilings that notes/decisions.md gives a reason for."""
    text = (root / "notes" / "decisions.md").read_text(encoding="utf-8")
    found = re.findall(r"Ceiling of `?([\w.]+)`?: ([\d,]+)\W+\w", text)
    return {(name, int(number.replace(",", ""))) for name, number in found}


def table(found: Mapping[str, int], ceilings: Mapping[str, int]) -> str:
    """Tokens, ceiling and what is left, by package."""
    rows = [f"{'package':<16}{'tokens':>10}{'ceiling':>10}{'left':>8}"]
    for name in sorted({*found, *ceilings}):
        ceiling = ceilings.get(name)
        more = "      none" if ceiling is None else f"{ceiling:>10,}{ceiling - found.get(name, 0):>8,}"
        rows.append(f"{name:<16}{found.get(name, 0):>10,}{more}")
    return "\n".join([*rows, f"{'all':<16}{sum(found.values()):>10,}{sum(ceilings.values()):>10,}"])


def main(arguments: list[str], root: Path = ROOT) -> int:
    """Print the table; 1 where a ceiling is broken, or was raised without a reason."""
    if arguments not in ([], ["--set"]):
        print("usage: python .ci/size.py [--set]", file=sys.stderr)
        return 2
    path, found = root / CEILINGS, counts(root)
    if not path.is_file() and not arguments and not history(root):
        print(f"no ceilings are set yet; python .ci/size.py --set\n{table(found, {})}")
        return 0
    before = read_ceilings(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if arguments:
        full = {name: -(-number // 100) * 100 for name, number in found.items()}
        now = {name: min(number, before.get(name, number)) for name, number in full.items()}
        path.write_text(HEAD + "".join(f"{name} {now[name]}\n" for name in sorted(now)), encoding="utf-8")
    else:
        now = before
    print(table(found, now))
    above = [name for name in sorted(now) if found[name] > now[name]]
    wrong = [f"{name}: {found[name]:,} tokens, above its ceiling {now[name]:,}" for name in above]
    wrong += [f"{name}: no ceiling; python .ci/size.py --set" for name in sorted(found.keys() - now.keys())]
    wrong += [f"{name}: no package; python .ci/size.py --set" for name in sorted(now.keys() - found.keys())]
    for name, number in sorted(raised([*history(root), now]) - reasoned(root)):
        wrong.append(f'{name}: "Ceiling of {name}: {number}" must stand in notes/decisions.md with the reason')
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
