"""The list that ``symcook list`` prints, made from metadata alone.

Importing every recipe takes six times as long as Python's own start. So the list is stored when symcook is installed
(`data/list.txt`, by hatch_build.py), with a checksum of the files that it is made from. If the checksum differs, as in
a checkout with a new recipe, the list is made again for this answer and is not stored. Making it needs only modules of
Python and of symcook.
"""

from __future__ import annotations

import os
import sys
from zlib import crc32

PACKAGE = os.path.dirname(os.path.dirname(__file__))
STORED = os.path.join(PACKAGE, "data", "list.txt")
"""The file of the stored list: `page` describes its three parts."""
APART = "\n\f\n"
"""The separator of these parts."""
NOTHING = "no recipe fits"
"""What is printed where nothing fits a search."""
NAME_AT = 10
"""The character of a line at which the column of names begins, after the column of sections."""


def print_list(as_json: bool, search: str = "") -> int:
    """Print the whole list, or the entries whose line contains `search`, without the white space around it. Returns the
    exit code: 1 where nothing fits.

    The output is one JSON list, or text by section of the Cookbook, then families and programs.
    """
    text, document = listed(search)
    print(document if as_json else fitted(text))
    return int(text == NOTHING)


def listed(search: str = "") -> tuple[str, str]:
    """The list as text and as JSON; with `search` only the entries whose line contains it."""
    search = search.strip()
    try:
        with open(STORED, encoding="utf-8") as file:
            parts = file.read().split(APART)
    except OSError:
        parts = []
    _, text, document = parts if parts[:1] == [checksum()] else page().split(APART)
    if not search:
        return text, document
    found = found_text(text, search)
    return found, found_json(document, found)


def found_text(text: str, search: str) -> str:
    """The lines of the list that contain `search`, in upper or lower case, under the headings of their sections.

    If a heading contains `search`, its section has all its lines.
    """
    wanted, sections = search.casefold().removeprefix("section ").strip(), []
    for section in text.split("\n\n")[1:-1]:  # without the title and the closing line
        heading, *lines = section.split("\n")
        lines_found = lines if wanted in heading.casefold() else [line for line in lines if wanted in line.casefold()]
        sections += ["\n".join([heading, *lines_found])] if lines_found else []
    return "\n\n".join(sections) or NOTHING


def found_json(document: str, lines: str) -> str:
    """The rows of the JSON list whose names are in the text `lines`."""
    import json

    names = {line[NAME_AT:].partition(" ")[0] for line in lines.split("\n") if line.startswith("  ")}
    return json.dumps([row for row in json.loads(document) if row["name"] in names], indent=2)


def fitted(text: str) -> str:
    """The list with its lines broken to the width of the terminal; unchanged if stdout is not a terminal.

    A continued line begins where the summaries begin.
    """
    if sys.stdout is None or not sys.stdout.isatty():
        return text
    import re
    import shutil
    import textwrap

    width = max(40, shutil.get_terminal_size((118, 0)).columns)
    lines = []
    for line in text.split("\n"):
        entry = re.match(rf"  .{{{NAME_AT - 2}}}\S+ +", line)
        if entry and entry.end() > width // 2:  # a long name: its summary begins on the next line
            lines.append(entry[0].rstrip())
            indent = " " * NAME_AT
            more = {"initial_indent": indent, "subsequent_indent": indent, "break_on_hyphens": False}
            lines += textwrap.wrap(line[entry.end() :], width, **more)
        else:
            indent = " " * (entry.end() if entry else 2)
            lines += textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False) or [""]
    return "\n".join(lines)


def checksum() -> str:
    """The checksum of the files that declare recipes, families and programs, and of the modules that print the list."""
    # The files; families are in a checkout's or in an installation's folder of proofs.
    recipes = os.path.join(PACKAGE, "recipes")
    chapters = [entry.path for entry in os.scandir(recipes) if entry.is_dir() and entry.name[0] != "_"]
    places = (os.path.join(PACKAGE, "_proofs"), os.path.join(os.path.dirname(PACKAGE), "proofs"))
    families = [path for place in places if os.path.isdir(path := os.path.join(place, "families"))]
    programs = os.path.join(PACKAGE, "data", "programs")
    names = [os.path.join(PACKAGE, "report", name) for name in ("document.py", "recipe.py")]
    for folder in (recipes, *chapters, *families[:1], programs):
        ends = (".py", ".json", ".ltl", ".count", ".srasp")
        names += [entry.path for entry in os.scandir(folder) if entry.name.endswith(ends)]
    # Sorted by folder and file: absolute paths differ between installations.
    total = 0
    for name in sorted(names, key=lambda name: name.split(os.sep)[-2:]):
        with open(name, "rb") as file:
            total = crc32(file.read().replace(b"\r\n", b"\n"), crc32(os.path.basename(name).encode(), total))
    return f"{total:08x}"


def store() -> None:
    """Write the list to `STORED`."""
    with open(STORED, "w", encoding="utf-8", newline="\n") as file:
        file.write(page())


def page() -> str:
    """The text of `STORED`: the checksum, the list, and the same as JSON."""
    import json

    from symcook.programs.shipped import summaries
    from symcook.recipes import info, names
    from symcook.recipes.operations import OPERATIONS
    from symcook.report.recipe import listing

    recipes, shipped_families, programs = [info(name) for name in names()], families(), summaries()
    rows = [recipe.to_json() for recipe in recipes]
    for operation in OPERATIONS:
        source = f"Cookbook, Section {operation.section}"
        rows.append(_row(operation.short, "function", operation.summary, source, operation.section))
    rows += [_row(name, "family", summary, source) for name, summary, source in shipped_families]
    rows += [_row(name, "program", summary) for name, summary in programs]
    text = listing(recipes, [(name, summary) for name, summary, _ in shipped_families], programs).text()
    return APART.join([checksum(), text, json.dumps(rows, indent=2)])


def _row(name: str, kind: str, summary: str, source: str = "", section: str = "") -> dict[str, object]:
    """The entry of a function, family or program, with the keys of `Recipe.to_json`."""
    fields = {"name": name, "kind": kind, "summary": summary, "source": source, "section": section}
    return {**fields, "arguments": [], "symbols": []}


def families() -> list[tuple[str, str, str]]:
    """(name on the command line, summary, source) of each shipped family."""
    import json

    from symcook.model.family import shipped
    from symcook.recipes.models import SHIPPED

    documents = (json.loads(path.read_bytes()) for path in sorted(shipped("").parent.glob("*.json")))
    return [
        (f"{SHIPPED}{document['name']}", document.get("summary", ""), document.get("source", ""))
        for document in documents
    ]
