"""Models as text, LaTeX and HTML: names on rows and columns, everything escaped, nothing cut."""

from __future__ import annotations

from html.parser import HTMLParser

from symcook.blocks import Embedding, Head, Layer, Readout, Space, Transformer
from symcook.recipes import build, names
from symcook.report.text import WIDTH, model_html, model_latex, model_text, table


def test_every_recipe_is_drawn_within_the_width() -> None:
    for name in names():
        model = build(name)
        lines = model_text(model).splitlines()
        assert all(coordinate in "\n".join(lines) for coordinate in model.space)
        assert max(map(len, lines)) <= WIDTH, name


def test_a_wide_matrix_is_turned_and_a_large_one_described() -> None:
    assert "W2^T" in model_text(build("boolean", table="01" * 16))
    assert "too large to draw" in model_text(build("identity", d=60))


def test_cells_are_text_not_markup() -> None:
    drawn = table(["[bold]a", "b"], [["[red]x[/red]", "[/]"]])
    assert "[bold]a" in drawn
    assert "[red]x[/red]" in drawn
    assert "\x1b" not in drawn


def hostile() -> Transformer:
    head = Head(("a",), ("b",), Q=[[0]], K=[[0]], V=[[1]])
    embedding = Embedding(Space(("a", "b")), words={"<script>": {"a": 1}, "&amp;": {}})
    return Transformer("<b>&", embedding, (Layer(head),), Readout("value", "last", ("b",)), source="<i>")


def test_html_is_escaped_and_balanced() -> None:
    class Tags(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.open: list[str] = []

        def handle_starttag(self, tag: str, attrs: object) -> None:
            assert tag in ("p", "b", "br", "table", "caption", "tr", "th", "td"), tag
            if tag != "br":
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    for model in (hostile(), build("dyck-1"), build("cpwl"), build("first-position")):
        parser = Tags()
        parser.feed(model_html(model))
        assert parser.open == []
    assert "&lt;script&gt;" in model_html(hostile())
    assert build("dyck-1")._repr_html_() == model_html(build("dyck-1"))


def test_latex_has_matched_environments() -> None:
    for name in names():
        text = model_latex(build(name))
        assert text.count(r"\begin{") == text.count(r"\end{")
        assert text.count("{") == text.count("}")
        assert text.startswith("$") and text.endswith("$")
    assert build("dyck-1")._repr_latex_() == model_latex(build("dyck-1"))
