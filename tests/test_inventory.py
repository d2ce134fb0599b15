"""The inventory of the papers' sentences is whole on the ledger's side: each id is a row, each row some sentence's.

That each sentence of a paper has a line nobody but a reader of the paper can check.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from proof import stored

from symcook import claims

inventory = stored.load_module("inventory")
PAPERS = stored.load_module("errata").PAPERS
FOLDER = Path(__file__).resolve().parents[1] / "notes" / "inventory"  # an installed symcook has no notes


@pytest.fixture(scope="module")
def rows() -> list[claims.Claim]:
    return claims.ledger()


@pytest.mark.layer_one(1, 2, 3)
@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_covers_a_sentence_and_every_id_is_a_row(paper: str, rows: list[claims.Claim]) -> None:
    """A sentence that another paper has too may have that one's row."""
    named = {name for line in inventory.sentences(paper, FOLDER) for name in line.rows}
    known = {row.id for row in rows}
    assert sorted(named - known) == []
    assert sorted(name for name in known - named if name.split(".")[0] == paper) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_lines_can_be_found_and_are_short(paper: str) -> None:
    found = inventory.sentences(paper, FOLDER)
    assert len(found) > 50
    assert [line.place for line in found if len(line.says.split()) > 40] == []
    assert [line.place for line in found if not line.rows and len(line.why) < 5] == []
    places = [(line.section, line.place, line.says) for line in found]
    assert sorted({place for place in places if places.count(place) > 1}) == []
    sections = [line.section for line in found]
    assert len(set(sections)) == 1 + sum(a != b for a, b in zip(sections, sections[1:], strict=False)), "out of order"


def test_the_page_counts_what_the_files_have(rows: list[claims.Claim]) -> None:
    page = inventory.page(rows, PAPERS, FOLDER)
    for paper in PAPERS:
        lines = inventory.sentences(paper, FOLDER)
        assert f"| {paper} | {len(lines)} | {sum(bool(line.rows) for line in lines)} |" in page
        part = page.partition(f"\n## {paper}:")[2].partition("\n## ")[0]
        assert part.count("\n| ") == 2 + len({line.section for line in lines})


@pytest.mark.parametrize("line", ["1\tp\ts", "1\tp\ts\t", "1\t\ts\tx.y", "1\tp\ts\tx.y\tz"])
def test_a_line_that_cannot_be_read_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "cookbook-1.tsv").write_text("\t".join(inventory.HEADER) + "\n" + line + "\n", encoding="utf-8")
    with pytest.raises(SystemExit, match=r"cookbook-1\.tsv, line 2"):
        inventory.sentences("cookbook", tmp_path)


def test_a_sentence_without_a_row_has_its_reason(tmp_path: Path) -> None:
    text = "\t".join(inventory.HEADER) + "\n1\tp\ts\t- cites another paper\n1\tq\ts\tcookbook.a cookbook.b\n"
    (tmp_path / "cookbook-1.tsv").write_text(text, encoding="utf-8")
    first, second = inventory.sentences("cookbook", tmp_path)
    assert (first.rows, first.why) == ((), "cites another paper")
    assert (second.rows, second.why) == (("cookbook.a", "cookbook.b"), "")
