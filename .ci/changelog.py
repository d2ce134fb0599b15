"""Gather changes/*.md, a line each, into CHANGELOG.md.

    python .ci/changelog.py            the lines go to "Unreleased", and their files away: those with *Breaks* below
                                       "### Breaks", all others below "### Changes"
    python .ci/changelog.py 0.3.0      the same, and "Unreleased" becomes this version with the date of today
    python .ci/changelog.py --check    exit 1 where a file is not one line

A change that users notice comes with a file of its own, so that branches do not meet in CHANGELOG.md.
"""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNRELEASED = "## Unreleased\n"
BREAKS, CHANGES = "### Breaks", "### Changes"
BREAK = re.compile(r"(?<!\w)(\*+Breaks:?\*+:?|Breaks:)")
"""The mark of a line about a break."""
BREAK_FIRST = re.compile(rf"^- {BREAK.pattern} ")


def lines(root: Path) -> dict[Path, str]:
    """The line of each file; SystemExit where a file is not one line."""
    found: dict[Path, str] = {}
    for path in sorted((root / "changes").glob("*.md")):
        text = path.read_text(encoding="utf-8").strip()
        line = text if text.startswith("- ") else f"- {text}"
        if not text or "\n" in text:
            raise SystemExit(f"changes/{path.name} must be one line; given: {len(text.splitlines())} lines")
        found[path] = line
    return found


def gathered(text: str, found: list[str], version: str | None, today: str) -> str:
    """The changelog with these lines at the end of what is unreleased, which breaks and changes divide."""
    before, heading, after = text.partition(UNRELEASED)
    if not heading:
        raise SystemExit(f'CHANGELOG.md must have the line "{UNRELEASED.strip()}"')
    unreleased, mark, others = after.partition("\n## ")
    broken, changed = divided(unreleased.splitlines() + found)
    parts = [f"{title}\n\n" + "\n".join(part) for title, part in ((BREAKS, broken), (CHANGES, changed)) if part]
    body = "\n\n".join(parts)
    title = heading if version is None else f"{heading}\n## {version} - {today}\n"
    return f"{before}{title}\n{body}\n{mark}{others}"


def divided(lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines about breaks, and all others. A line that goes on with the one before becomes one with it."""
    broken: list[str] = []
    changed: list[str] = []
    section = here = changed
    for line in lines:
        if line in (BREAKS, CHANGES):
            section = broken if line == BREAKS else changed
        elif line.startswith("- "):
            here = broken if BREAK.search(line) else section
            here.append(BREAK_FIRST.sub("- ", line))
        elif line.strip() and here:
            here[-1] += " " + line.strip()
        elif line.strip():
            raise SystemExit(f'a change must begin with "- "; given: {line}')
    return broken, changed


def breaks(root: Path) -> str:
    """What is said about breaks since the last release: in CHANGELOG.md and in the files that are not gathered yet."""
    text = (root / "CHANGELOG.md").read_text(encoding="utf-8")
    unreleased = text.partition(UNRELEASED)[2].partition("\n## ")[0].splitlines()
    return "\n".join(divided([*unreleased, *lines(root).values()])[0])


def main(arguments: list[str], root: Path = ROOT) -> int:
    found = lines(root)
    if arguments == ["--check"]:
        return 0
    if len(arguments) > 1 or any(re.fullmatch(r"\d+\.\d+\.\d+", one) is None for one in arguments):
        print("usage: python .ci/changelog.py [--check | VERSION]", file=sys.stderr)
        return 2
    path = root / "CHANGELOG.md"
    version = arguments[0] if arguments else None
    text = gathered(path.read_text(encoding="utf-8"), [*found.values()], version, date.today().isoformat())
    path.write_text(text, encoding="utf-8", newline="\n")
    for one in found:
        one.unlink()
    print(f"{len(found)} lines are in CHANGELOG.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
