"""Models as text, LaTeX and HTML: names on rows and columns, everything escaped, nothing cut."""

from __future__ import annotations

from dataclasses import replace
from html.parser import HTMLParser

from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.expr import parse_term
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.transformer import Transformer
from symcook.recipes import build, names
from symcook.report.document import WIDTH, table
from symcook.report.latex import latex
from symcook.report.model import html, readout_text
from symcook.report.run import text


def test_every_recipe_is_drawn_within_the_width() -> None:
    for name in names():
        model = build(name)
        lines = model.text().splitlines()
        assert all(coordinate in "\n".join(lines) for coordinate in model.space)
        assert max(map(len, lines)) <= WIDTH, name


def test_a_wide_matrix_is_turned_and_a_large_one_described() -> None:
    assert "W2^T" in build("boolean", table="01" * 16).text()
    assert "too large to draw" in build("identity", d=60).text()


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
            assert tag in ("p", "b", "i", "br", "div", "table", "tr", "th", "td"), tag
            if tag != "br":
                self.open.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert self.open.pop() == tag

    for model in (hostile(), build("dyck-1"), build("cpwl"), build("first-position")):
        parser = Tags()
        parser.feed(html(model))
        assert parser.open == []
    assert "&lt;script&gt;" in html(hostile())
    assert build("dyck-1")._repr_html_() == html(build("dyck-1"))


def test_latex_has_matched_environments() -> None:
    for name in names():
        text = build(name)._repr_latex_()
        assert text.count(r"\begin{") == text.count(r"\end{")
        assert text.count("{") == text.count("}")
        assert text.startswith("$") and text.endswith("$")


def wide() -> Transformer:
    """Norms, several heads, labels and added tokens, with names that need escaping."""
    space = Space(("a_1", "b"))
    norm = LayerNorm(space.names, gain=[2, "1/3"], epsilon=0, zero_variance="zero")
    inner = LayerNorm(("b", "a_1"), ("u", "v"), bias=["1/7", 0], epsilon="1/100", projection=[[1, 2], [3, 4]])
    heads = (
        Head(("u",), ("b",), [[1]], [[1]], [[1]], "strict-past", "leftmost"),
        Head(("v",), ("a_1",), [[1]], [[1]], [[1]], "past", "softmax", temperature="1/n"),
    )
    network = FeedForward(space.names, ("b",), [[1, 1]], [0], [[1]], [0], "gelu-tanh")
    layers = (
        Layer(SelfAttention(heads), None, inner, placement="projected pre"),
        Layer(None, network, (), norm, "post"),
    )
    embedding = Embedding(space, words={"<s>": {}, "x": {"b": 1}, "&": {}}, before="<s>", after="&")
    readout = Readout("distribution", "each", space.names, [[1, 0], [0, 5]], ("x", "<end>"))
    return Transformer("wide", embedding, layers, readout, final_norm=norm)


def test_the_text_shows_every_block_in_the_order_of_the_pass() -> None:
    lines = wide().text().splitlines()
    titles = [line for line in lines if line.startswith(("Layer", "Final", "Readout"))]
    assert titles == [
        "Layer 1, norm before the attention part, epsilon 1/100",
        "Layer 1, head 1 of 2, attention, mask strict-anti-causal, "
        "weighting leftmost (the first of the largest scores)",
        "Layer 1, head 2 of 2, attention, mask anti-causal, weighting softmax, temperature 1/n",
        "Layer 2, feed-forward, gelu-tanh",
        "Layer 2, norm after the feed-forward part, epsilon 0, 0 at zero variance",
        "Final norm, epsilon 0, 0 at zero variance",
        "Readout: the softmax of the scores at each position, a probability for each of x, <end>",
    ]
    text = "\n".join(lines)
    assert "adds <s> before" in text and "adds & after" in text
    rows = [line.split() for line in lines]
    assert ["u", "1", "2"] in rows and ["u", "1", "1/7"] in rows  # projection; gain and bias
    assert ["<end>", "0", "5"] in rows
    assert "largest score" in readout_text(replace(wide().readout, kind="largest"))


def test_html_and_latex_of_every_block() -> None:
    html, latex = wide()._repr_html_(), wide().latex()
    for caption in ("head 2 of 2", "norm before the attention part", "Final norm", "Scores"):
        assert caption in html
    assert "<s>" not in html and "&lt;s&gt;" in html and "&lt;end&gt;" in html
    assert r"\mathrm{GELU}_{\tanh}" in latex and r"\odot" in latex and r"\mathrm{a\_1}" in latex
    assert latex.count("{") == latex.count("}") and latex.count(r"\begin{") == latex.count(r"\end{")


def test_a_trace_shows_where_each_head_looks() -> None:
    """A head that averages the past, one that sees position 1 alone, one that writes nothing; of 33 positions none."""
    past = Head(("a",), ("x",), Q=[[0]], K=[[0]], V=[[1]], mask="future")
    leftmost = Head(("a",), ("y",), Q=[[0]], K=[[0]], V=[[1]], weighting="leftmost")
    idle = Head(("a",), ("x",), Q=[[1]], K=[[1]], V=[[0]])
    embedding = Embedding(Space(("a", "x", "y")), words={"a": {"a": 1}, "b": {"a": 2}})
    layers = (Layer(SelfAttention((past, leftmost, idle))),)
    model = Transformer("looks", embedding, layers, Readout("value", "last", ("x", "y")))
    shown = text(model.run("ab", trace=True))
    assert shown.endswith(
        "after layer 1, attention\n"
        "  position  1  2\n"
        "  a         1  2\n"
        "  x         1  3/2\n"
        "  y         1  1\n"
        "  attention of head 1 of 3, from the position on the left\n"
        "  position  1    2\n"
        "  1         1    0\n"
        "  2         1/2  1/2\n"
        "  attention of head 2 of 3, from the position on the left\n"
        "  position  1  2\n"
        "  1         1  0\n"
        "  2         1  0\n"
        "  head 3 of 3 writes nothing"
    )
    assert "attention of head 1 of 3" in text(model.run("a" * 32, trace=True))
    assert "attention of" not in text(model.run("a" * 33, trace=True))


def test_rounding_functions_in_latex() -> None:
    drawn = latex(parse_term("floor(x/2) + mod(n, 2) - sign(x)"))
    assert drawn == (
        r"\left\lfloor \frac{x}{2} \right\rfloor + \left(n \bmod 2\right) - \operatorname{sign}\left(x\right)"
    )
