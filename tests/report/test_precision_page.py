"""The page of bits: its theorems are proved, and its table of printed definitions names them."""

from __future__ import annotations

from site_pages import drawn, load

from symcook.proof.replay import library


@drawn
def test_the_page_of_bits() -> None:
    made = load("precision")
    ((name, text),) = made.pages()
    proved = library().certificates()
    for row in (*made.rows(), *made.rows(made.PRINTED)):
        assert not row["theorem"] or (row["theorem"] in proved and f"`{row['theorem']}`" in text)
    assert name == "index" and len(made.rows(made.PRINTED)) == 5
    flat = " ".join(text.split())
    assert "`merrill2024.s3.1.precision` is PROVED, `merrill2024.thm1.precision` is OPEN," in flat
    for open_point in ("a root", "comparison of two scores", "m = 1", "exponent bits", "alignment"):
        assert open_point in flat
    widths = {line.count(" | ") for line in text.splitlines() if line.startswith("| ")}
    assert widths == {3, 4}
