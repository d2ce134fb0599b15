"""Checks of text: imports, names, types, words, and what the README says. No test needs to run for these.

    python .ci/texts.py           run all; each finding is a line FILE:LINE: SENTENCE, and exit 1
    python .ci/texts.py --list    what is checked

It needs nothing but Python, and reads each file once.
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote

import layers
import names
import portable
from package import ROOT, Modules, read

sys.path.insert(0, str(ROOT / "tests"))
from terms import blank, long_sentences, old_terms, prose, terms

Check = Callable[[], Iterator[str]]
DOCS = ROOT / "docs"
FIRST_READ = [
    ROOT / "README.md",
    *(DOCS / name for name in ("index.md", "ask.md", "concepts.md")),
    *sorted((DOCS / "tutorials").glob("*.md")),
    *sorted((DOCS / "howto").glob("*.md")),
    *sorted((DOCS / "guides").glob("*.md")),
]
MORE = [
    *(ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md"),
    *(DOCS / "reference" / f"{n}.md" for n in ("files", "stability")),
]
MADE = (
    *("reference/recipes", "reference/commands", "reference/api"),
    *("errata", "notes", "glossary", "notebooks", "gallery", "reference/precision"),
)
"""Folders below docs whose pages are made of data; docs/pages/extension.py has the same list."""


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def line_of(whole: str, part: str) -> int:
    """The line where a part of a text begins; 1 where white space differs."""
    return whole.count("\n", 0, max(whole.find(part), 0)) + 1


# --- Words ------------------------------------------------------------------------------------------------------------


def the_glossary_is_whole() -> Iterator[str]:
    """Each term of docs/glossary.toml is written once, each old one has a pattern, and meanings use no old term."""
    path = DOCS / "glossary.toml"
    seen = set[str]()
    for term in terms():
        where = f"docs/glossary.toml:{line_of(text(path), json.dumps(term.write, ensure_ascii=False))}: {term.write}"
        if term.write in seen:
            yield f"{where} stands twice"
        if not (term.means or term.patterns) or (term.patterns and not term.old) or len(term.means) > 250:
            yield f"{where} needs a meaning of at most 250 characters, or an old term with its pattern"
        for problem in old_terms(prose(f"{term.write}: {term.means}")):
            yield f"{where}: {problem}"
        seen.add(term.write)


def no_old_term() -> Iterator[str]:
    """No old term stands in what people read first, nor in a notebook."""
    for page in FIRST_READ:
        for problem in old_terms(prose(text(page))):
            number, _, what = problem.removeprefix("line ").partition(": ")
            yield f"{named(page)}:{number}: {what}"
    for page in sorted((ROOT / "examples" / "notebooks").glob("*.ipynb")):
        for cell in json.loads(text(page))["cells"]:
            if cell["cell_type"] == "markdown":
                said = "".join(cell["source"])
                line = line_of(text(page), json.dumps(cell["source"][0], ensure_ascii=False)[1:-1])
                for problem in old_terms(prose(said)) + long_sentences(said):
                    yield f"{named(page)}:{line}: {problem}"


def no_long_sentence() -> Iterator[str]:
    """No sentence there is longer than thirty words."""
    for page in [*FIRST_READ, *MORE]:
        whole = text(page)
        for problem in long_sentences(whole):
            start = problem.partition(": ")[2].split(" code")[0][:40]
            pattern = r"\s+".join(map(re.escape, start.split()[:4]))
            found = re.search(pattern, whole)
            yield f"{named(page)}:{line_of(whole, found[0]) if found else 1}: {problem}"


def outputs_are_shown() -> Iterator[str]:
    """No output is cut by `...` on a page that is read to learn."""
    for page in FIRST_READ:
        for number, line in enumerate(text(page).splitlines(), 1):
            if line == "..." and page.parent.name in ("tutorials", "howto"):
                yield f"{named(page)}:{number}: an output must be shown whole"


# --- The README, and links --------------------------------------------------------------------------------------------


def the_readme_is_short() -> Iterator[str]:
    """The README has at most 1,000 words, lines of at most 120, and shows both pictures, of at most 60 kB."""
    readme, pictures = text(ROOT / "README.md"), sorted(DOCS.glob("trace-*.svg"))
    if len(readme.split()) > 1_000:
        yield f"README.md:1: {len(readme.split())} words; it must have at most 1,000"
    for number, line in enumerate(readme.splitlines(), 1):
        if len(line) > 120:
            yield f"README.md:{number}: {len(line)} characters; a line must have at most 120"
    if {path.name for path in pictures} != set(re.findall(r'(?:srcset|src)="docs/([\w-]+\.svg)"', readme)):
        yield "README.md:1: it must show the pictures docs/trace-*.svg"
    if sum(path.stat().st_size for path in pictures) >= 60_000:
        yield "README.md:1: its pictures must be smaller than 60 kB together"


def ci_runs_what_the_readme_says() -> Iterator[str]:
    """.ci/run runs the commands to install and to test as they stand in the README, before it installs the tools."""
    readme, script = text(ROOT / "README.md"), text(ROOT / ".ci" / "run").splitlines()
    steps = [re.sub(r" -q| --no-compile| \|\| again .*", "", line.partition("  #")[0]) for line in script]
    every = re.findall(r"^```(\w*)\n(.*?)^```$", readme, re.DOTALL | re.MULTILINE)
    blocks = [code for language, code in every if not language]
    asked = [one for block in blocks for line in block.splitlines() for one in line.split(" && ")]
    if len(blocks) != 2 or not asked[-1].endswith("/pytest -n auto"):
        yield "README.md:1: two blocks must say how to install, and how to install and test"
    tools = next((k for k, step in enumerate(steps) if re.match(r"\.venv/bin/pip install .*\bdev\b", step)), len(steps))
    at = 0
    for one in asked:
        if not one.startswith("python -m venv"):
            if one not in steps[at:tools]:
                yield f"README.md:{line_of(readme, one)}: .ci/run must run {one}, in this order, before the tools"
            else:
                at += steps[at:].index(one)


def site_pages() -> list[Path]:
    """The README, the tour, the pages of the site that somebody wrote, and the notes."""
    made = tuple(f"{place}/" for place in MADE)
    pages = [page for page in sorted(DOCS.rglob("*.md")) if not page.relative_to(DOCS).as_posix().startswith(made)]
    return [ROOT / "README.md", ROOT / "tests" / "tour.md", *pages, *sorted((ROOT / "notes").glob("*.md"))]


def is_made(target: Path) -> bool:
    """Whether a page is made of data: of a note there must be the note, of others the site says."""
    place = target.relative_to(DOCS) if DOCS in target.parents else Path()
    if place.parts[:1] == ("notes",):
        return (ROOT / place).exists()
    return place.as_posix().startswith(tuple(f"{one}/" for one in MADE))


def titles(page: Path) -> set[str]:
    """The places of a page that a link may name."""
    found = re.findall(r"^#+ (.*)$", text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in found}


def links_lead_somewhere() -> Iterator[str]:
    """Each link of a page or a note leads to a file, and to a place in it; the README and the tour name what exists."""
    for page in site_pages():
        whole = re.sub(r"^```.*?^```", blank, text(page), flags=re.DOTALL | re.MULTILINE)
        plain = re.sub(r"`[^`\n]*`", blank, whole)
        for pattern, source in (
            (r"\]\(([^)\s]+)\)", plain),
            (r"^\[[^\]]+\]: (\S+)$", whole),
            (r'(?:src|srcset)="([^"]+)"', whole),
        ):
            for found in re.finditer(pattern, source, re.MULTILINE):
                where = f"{named(page)}:{source.count(chr(10), 0, found.start(1)) + 1}"
                yield from _link(page, found[1], where)
        if page.name in ("README.md", "tour.md") and page.parent != DOCS:
            for found in re.finditer(r"`((?:notes|examples|proofs|tests|benchmarks)/[\w./-]+)`", whole):
                if not (ROOT / found[1]).exists():
                    yield f"{named(page)}:{whole.count(chr(10), 0, found.start()) + 1}: {found[1]} does not exist"


def _link(page: Path, link: str, where: str) -> Iterator[str]:
    name, _, place = unquote(link).partition("#")
    if link.startswith(("http://", "https://")) or name == "../ledger/index.html":  # which the site writes beside them
        return
    target = (page.parent / name).resolve() if name else page
    if is_made(target):
        return
    if not target.exists():
        yield f"{where}: {link} leads to no file"
    elif place and place not in titles(target):
        yield f"{where}: {link} leads to no place in that page"


def checks(modules: Modules) -> dict[Callable[..., Iterator[str]], Iterator[str]]:
    """Each check with what it finds."""
    trees = [
        *(layers.imports_to_the_left, layers.heavy_is_lazy, layers.apart, layers.no_circles),
        *(layers.proofs_in_order, layers.trusted_files_lie_together, layers.few_ask_a_readout),
        *(names.a_name_means_one_thing, names.parameters_have_types, portable.files_are_the_same_on_each_system),
        names.what_was_given_is_no_option,
    ]
    pages: list[Check] = [
        *(layers.the_note_draws_the_layers, layers.tests_lie_as_the_package),
        *(the_glossary_is_whole, no_old_term, no_long_sentence, outputs_are_shown),
        *(the_readme_is_short, ci_runs_what_the_readme_says, links_lead_somewhere),
    ]
    return {check: check(modules) for check in trees} | {check: check() for check in pages}


def main(arguments: list[str]) -> int:
    if arguments not in ([], ["--list"]):
        print("usage: python .ci/texts.py [--list]", file=sys.stderr)
        return 2
    start = time.process_time()
    modules = {} if arguments else read()
    asked = checks(modules)
    if arguments:
        print(*(" ".join((check.__doc__ or "").split()) for check in asked), sep="\n")
        return 0
    problems = [problem for found in asked.values() for problem in found]
    print(*problems, sep="\n", end="\n" if problems else "")
    vague, loose = len(names.vague_variables(modules)), len(names.loose_parameters(modules))
    print(f"{vague} variables have a vague name, {loose} parameters a type with Any (.ci/names.py; no limit)")
    print(f"{len(asked)} checks of text, {len(problems)} findings ({time.process_time() - start:.1f} s)")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
