"""Gather changes/*.md, a line each, into CHANGELOG.md.

    python .ci/changelog.py            the lines go to the end of "Unreleased", and their files away
    python .ci/changelog.py 0.3.0      the same, and "Unreleased" becomes this version with the date of today
    python .ci/changelog.py --check    exit 1 where a file is not one line that begins with "- "

A change that users notice comes with a file of its own, so that branches do not meet in CHANGELOG.md.
"""

from __future__ import annotations

import re
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UNRELEASED = "## Unreleased\n"


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
    """The changelog with these lines at the end of what is unreleased."""
    before, heading, after = text.partition(UNRELEASED)
    if not heading:
        raise SystemExit(f'CHANGELOG.md must have the line "{UNRELEASED.strip()}"')
    unreleased, mark, others = after.partition("\n## ")
    body = "\n".join(filter(None, [unreleased.strip("\n"), *found]))
    title = heading if version is None else f"{heading}\n## {version} - {today}\n"
    return f"{before}{title}\n{body}\n{mark}{others}"


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
