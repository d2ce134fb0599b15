"""The ledger as pages: each row once, what a page shows is what the data have, and its commands work."""

from __future__ import annotations

import doctest
import html
import re
import shlex
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from checkout import ROOT
from site_pages import drawn, load

from symcook import claims
from symcook.proof.replay import statements

SHOWN = (
    "cookbook.s5.7.lemma5.3",
    "cookbook.s9.1.2.frequent_example",
    "chiang2022.eq2",
    "merrill2024.thm1",
    "yang2026.lemma25",
)
"""A proved row, corrected ones, a definition, one with a long statement."""


@pytest.fixture(scope="module")
def rows() -> list[claims.Claim]:
    """The ledger; rows that are stale on the way to a release are OPEN, and the pages say what they say."""
    return claims.ledger()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, rows: list[claims.Claim]) -> Path:
    """The pages of a few rows."""
    ledger = load("ledger")
    place = tmp_path_factory.mktemp("ledger")
    ledger.write(place, [row for row in rows if row.id in SHOWN])
    return place


def words(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", page)).split())


@pytest.mark.sweep
@drawn
def test_a_page_has_what_the_row_says(folder: Path, rows: list[claims.Claim]) -> None:
    for row in rows:
        if row.id in SHOWN:
            page = words((folder / f"{row.id}.html").read_text(encoding="utf-8"))
            for text in (row.id, row.location, row.statement, row.words, row.printed, row.repair, *row.tried):
                assert not text or " ".join(text.split()) in page, (row.id, text)
            if row.id in statements():
                assert " ".join(statements()[row.id].written.split()) in page


@drawn
@pytest.mark.sweep
def test_the_statement_is_drawn_with_all_its_names(folder: Path) -> None:
    page = (folder / "cookbook.s5.7.lemma5.3.html").read_text(encoding="utf-8")
    drawn = page.partition('aria-label="Statement of cookbook.s5.7.lemma5.3">')[2].partition("</details>")[0]
    assert "<math>" in drawn
    said = words(drawn)
    places = [said.index(one) for one in ("∀", "ℤ", "ℝ", "γ")]
    assert places == sorted(places) and all(one in said for one in ("hardmax", "sm", "≠", "⇒", "≤", "∑"))
    assert page.count("<math>") == page.count("</math>") > 3


@drawn
@pytest.mark.sweep
def test_what_a_page_quotes_is_escaped(rows: list[claims.Claim], tmp_path: Path) -> None:
    from dataclasses import replace

    one = next(row for row in rows if row.id == "chiang2022.eq2")
    bad = replace(one, statement="<script>alert(1)</script> & <b>", note='"><img src=x onerror=alert(2)>')
    load("ledger").write(tmp_path, [bad])
    for name in ("chiang2022.eq2.html", "index.html"):
        page = (tmp_path / name).read_text(encoding="utf-8")
        assert "<script>alert" not in page and "<img" not in page
    assert "&lt;script&gt;alert(1)" in page


@drawn
def test_the_index_has_each_row_once_with_its_filters(folder: Path, rows: list[claims.Claim]) -> None:
    page = (folder / "index.html").read_text(encoding="utf-8")
    found = re.findall(r'<tr role="row" data-p="(\w+)" data-c="([^"]*)" data-s="(\w+)".*?href="([\w.-]+)\.html"', page)
    assert [name for *_, name in found] == [row.id for row in rows if row.id in SHOWN]
    known = {row.id: row for row in rows}
    for paper, _, status, name in found:
        assert (paper, status) == (known[name].paper, known[name].status.split()[0])
    for paper in claims.PAPERS:
        assert f'<option value="{paper}">' in page
    assert '<option value="boundary">boundary case</option>' in page
    assert "by error type: 1 missing hypothesis, 1 misprint." in page


@drawn
@pytest.mark.sweep
def test_the_landing_page_counts_by_error_type(rows: list[claims.Claim]) -> None:
    types = Counter(row.slip for row in rows if row.kind != "definition" and row.same is None)
    strip = load("landing").strip()
    assert f"{types['wrong']} false statements, " in strip and f", {types['boundary']} boundary cases)" in strip


@drawn
def test_no_page_loads_anything_from_a_network(folder: Path) -> None:
    for path in folder.glob("*.html"):
        assert not re.search(r"(?:src|href)=\"(?:https?:)?//", path.read_text(encoding="utf-8")), path.name


@pytest.mark.layer_one(0)
@drawn
@pytest.mark.parametrize("name", ["cookbook.s4.4.min", "cookbook.s9.2.1.balance"])
def test_the_commands_of_a_page_check_the_proof(name: str) -> None:
    """The first two; the third is Coq's, which has tests of its own."""
    (_, first), (_, second), (_, third) = load("ledger").commands(name)
    assert first == f"symcook prove {name}" and third.startswith("python proofs/coq.py") and third.endswith("--check")
    done = subprocess.run(
        [sys.executable, *shlex.split(second)[1:]], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert re.search(rf"^PROVED +{re.escape(name)} ", done.stdout, re.MULTILINE), done.stdout
    said = subprocess.run(
        [sys.executable, "-m", *shlex.split(first)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert said.stdout.startswith("PROVED")


def test_a_proof_is_shown_whole() -> None:
    """Every line of a text stands on its page, in its order, folded or not."""
    show = load("prooftext")
    path = ROOT / "proofs" / "cookbook" / "cookbook.s9.2.1.accept.proof"
    drawn = words(
        show.html(path.read_text(encoding="utf-8")).replace("</p>", " ").replace("<b>", "").replace("</b>", "")
    )
    labels = re.findall(r"^ +(?:- )?(\w+): ", path.read_text(encoding="utf-8"), re.MULTILINE)
    at = 0
    for label in labels:
        at = drawn.index(f"{label}: ", at)
    assert "given .. some word run" in drawn and len(labels) >= 6
    assert show.idea("proof x\n  # One.\n  # Two.\n  qed\n") == "One. Two."


def test_links_are_looked_at(tmp_path: Path) -> None:
    links = load("links")
    (tmp_path / "a.html").write_text('<h1 id="x">a</h1><a href="b.html#y">b</a><a href="#x">x</a>', encoding="utf-8")
    (tmp_path / "b.html").write_text('<p id="y">b</p><a href="a.html">a</a>', encoding="utf-8")
    assert links.problems(tmp_path) == []
    (tmp_path / "b.html").write_text(
        '<a href="c.html">c</a><a href="a.html#z">z</a><script src="https://x.y/z.js"></script><a href="https://x.y">out</a>',
        encoding="utf-8",
    )
    found = links.problems(tmp_path)
    assert [one.partition(" ")[2].partition(" ")[2] for one in found if one.startswith("b.html")] == [
        "leads to no place in that page", "leads to no file", "is loaded from a network",
    ]  # fmt: skip
    assert "a.html: b.html#y leads to no place in that page" in found


@drawn
def test_formulas_are_the_mathml_that_browsers_know() -> None:
    draw = load("mathematics").mathml
    assert draw(r"x_{1} \le \mathit{token}") == (
        '<math><msub><mi>x</mi><mn>1</mn></msub><mo>≤</mo><mi class="word">token</mi></math>'
    )
    assert draw(r"a < b") == "<math><mi>a</mi><mo>&lt;</mo><mi>b</mi></math>"
    assert "<mi>sm</mi>" in draw(r"\operatorname{sm}(s)") and 'mathvariant="normal">e<' in draw(r"\mathrm{e}^{x}")


@pytest.mark.parametrize("name", ["api", "markdown", pytest.param("mathematics", marks=drawn)])
def test_examples_of_the_generators(name: str) -> None:
    found = doctest.testmod(load(name))
    assert found.attempted and not found.failed


@drawn
def test_folders_that_are_made_are_the_same_in_both_lists_and_ignored() -> None:
    import test_readme

    made = load("extension").MADE
    assert made == test_readme.MADE
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert {f"docs/{place}/" for place in made} <= set(ignored)


@drawn
def test_links_of_a_note_lead_to_pages_or_become_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """As the site reads notes/kernel.md from a page: a note is a page, a file of the checkout its name, code stays."""
    extension = load("extension")
    monkeypatch.setattr(extension, "notes", lambda: {ROOT / "notes" / "coq.md": "notes/coq.md"})
    text = (
        "[p](coq.md#lines) [t](../tests/checkout.py) [w](https://x.y) `[a](coq.md)`\n```\n[c](coq.md)\n```\n"
    )
    assert extension.resolved(text, ROOT / "notes" / "kernel.md", "explanation/trust") == (
        "[p](../notes/coq.md#lines) t (`tests/checkout.py`) [w](https://x.y) `[a](coq.md)`\n"
        "```\n[c](coq.md)\n```\n"
    )


@drawn
def test_a_long_formula_is_in_pieces_between_which_a_line_may_end() -> None:
    """What is drawn is the same, mark by mark; a short one is one piece, and one that cannot be broken says how much
    smaller it has to be on paper."""
    drawn = load("mathematics")
    long = drawn.mathml(" + ".join(f"a_{{{k}}}" for k in range(60)))
    found = drawn.pieces(long)
    marks = [re.findall(">([^<>]+)<", one) for one in (found, long)]
    assert found.count("<math>") > 5 and marks[0] == marks[1]
    assert drawn.pieces(drawn.mathml("a + b")) == drawn.mathml("a + b")
    root = drawn.pieces(drawn.mathml(r"x = \sqrt{" + " + ".join(f"a_{{{k}}}" for k in range(60)) + "}"))
    assert 'style="--fit:0.' in root
