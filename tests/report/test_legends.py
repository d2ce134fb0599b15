"""What the pictures say: legends beside the curves, the number of points as it is, figures with their numbers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import symcook as sc
from symcook.papers.chiang2022 import figures
from symcook.report import figure, question

drawn = pytest.mark.tools("matplotlib")


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The matplotlib figures that are saved, drawn, so that their places are known."""
    from matplotlib.figure import Figure

    found: list[Any] = []

    def kept(self: Any, *_: Any, **__: Any) -> None:
        self.canvas.draw()
        found.append(self)

    monkeypatch.setattr(Figure, "savefig", kept)
    return found


def texts(sheet: Any) -> str:
    return " ".join(text.get_text() for text in sheet.findobj(lambda artist: hasattr(artist, "get_text")))


@drawn
@pytest.mark.sweep
def test_a_legend_of_many_curves_covers_none(seen: list[Any]) -> None:
    curves = tuple(
        figure.Curve(f"curve {k}", tuple((Fraction(n), figure.exact(Fraction(n * k % 7, k))) for n in range(1, 30)))
        for k in (1, 2, 3)
    )
    figure.Figure("f", "title", "n", "up", curves).picture()
    (sheet,) = seen
    (legend,) = sheet.legends
    assert not legend.get_window_extent().overlaps(sheet.axes[0].get_window_extent())


@pytest.mark.sweep
@drawn
def test_a_precision_says_what_its_curves_are(seen: list[Any]) -> None:
    answer = sc.build("parity").precision(5)
    question.figure(answer).picture("png")
    said = texts(seen[0])
    assert "bits proved to be enough for every string" in said and "bits at which a string is decided wrongly" in said
    lengths = [row["n"] for row in answer.rows if row["fails"] is not None]
    assert lengths == [4, 5] and "at n = 4, 5" in said and "one point for each length" not in said


@drawn
def test_an_interval_is_a_bar_and_the_weight_a_line(seen: list[Any]) -> None:
    model = sc.build("dyck-1-nonuniform", N=8)
    answer = model.tolerance("L2.ff.b1[1]", 4)
    question.figure(answer).picture("png")
    (sheet,) = seen
    (axes,) = sheet.axes
    bars = {line.get_xdata()[0]: tuple(line.get_ydata()) for line in axes.lines if line.get_linewidth() == 9}
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    for row in answer.rows:
        low, high = row["low"], row["high"]
        assert left < row["n"] < right
        assert bars[row["n"]] == (bottom if low is None else low, top if high is None else high)
    assert "the weight as it is, 1/64" in texts(sheet) and "a bar to the edge has no end there" in texts(sheet)


def test_figures_keep_their_numbers() -> None:
    for make in (figures.attention, figures.confidence):
        assert "Figure 4" in make(3, lambda _: None).title
