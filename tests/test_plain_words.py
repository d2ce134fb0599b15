"""No old term in what people read first (docs/glossary.toml says which those are)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from checkout import ROOT
from site_pages import load
from terms import long_sentences, old_terms, prose, terms


def test_each_term_is_written_once_and_each_old_one_has_a_pattern() -> None:
    names = [term.write for term in terms()]
    assert len(names) == len(set(names)) >= 55
    for term in terms():
        assert term.means or term.patterns, term.write
        assert len(term.means) <= 250, term.write
        assert bool(term.patterns) <= bool(term.old), term.write
        assert old_terms(prose(f"{term.write}: {term.means}")) == [], term.write


DOCS = ROOT / "docs"
FIRST_READ = [
    ROOT / "README.md",
    *(DOCS / name for name in ("index.md", "ask.md", "concepts.md")),
    *sorted((DOCS / "tutorials").glob("*.md")),
    *sorted((DOCS / "howto").glob("*.md")),
]
each_page = pytest.mark.parametrize("page", FIRST_READ, ids=lambda page: str(page.relative_to(ROOT)))


@each_page
def test_no_old_term_is_in_what_people_read_first(page: Path) -> None:
    assert old_terms(prose(page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "notebooks").glob("*.ipynb")), ids=lambda path: path.stem)
def test_no_old_term_is_in_a_notebook(path: Path) -> None:
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        text = "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
        assert old_terms(prose(text)) == [] and long_sentences(text) == []


@each_page
def test_each_output_is_shown(page: Path) -> None:
    """None is cut by `...` where a page is read to learn."""
    if page.parent.name in ("tutorials", "howto"):
        assert "..." not in page.read_text(encoding="utf-8").splitlines()


MORE = [
    ROOT / "CONTRIBUTING.md",
    ROOT / "SECURITY.md",
    *(DOCS / "reference" / f"{n}.md" for n in ("files", "stability")),
]


@pytest.mark.parametrize("page", [*FIRST_READ, *MORE], ids=lambda page: str(page.relative_to(ROOT)))
def test_no_sentence_is_too_long(page: Path) -> None:
    assert long_sentences(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The shortest word of two letters.", 2),
        ("A Dyck word, in other words: a string.", 0),
        ("`words` and the letter to the authors", 0),
        ("```\na word\n```\nno string", 0),
        ('the option --word, "a word" and [it](word.md)', 0),
        ("> a word\n\nits word", 1),
        ("at least the greatest common divisor", 0),
        ("the least of both", 1),
        ("what stands behind it", 1),
        ("every word to length 6", 2),
        ("every string up to length 6", 0),
        ("a soft model below its gap", 2),
        ("a neural network", 0),
        ("one network", 1),
    ],
)
def test_old_terms_are_found_in_prose(text: str, count: int) -> None:
    assert len(old_terms(prose(text))) == count


def test_the_glossary_has_a_line_a_term() -> None:
    page = load("glossary").page()
    for term in terms():
        assert (f"\n{term.write}\n  {term.means}\n" in page) == bool(term.means), term.write


def test_a_long_sentence_is_found() -> None:
    words = " ".join(["word"] * 31)
    assert len(long_sentences(f"Short. A {words}. `a b c` short.")) == 1
    assert long_sentences(f"{words[:40]}. {words[:80]}\n\n- {words[:80]}\n- {words[:80]}") == []
    assert long_sentences(f"A `{words}` and\n```\n{words}\n```\n") == []
