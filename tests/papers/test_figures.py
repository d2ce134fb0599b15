"""The figures of chiang2022: the moved weight against networks with that weight, seeded samples, files and refusals."""

from __future__ import annotations

import csv
import math
import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import mpmath
import pytest
from families import together
from shared import call, document, refused, words

import symcook as sc
from symcook.papers.chiang2022 import figures
from symcook.papers.chiang2022.figures import right_weights
from symcook.papers.drawing import figures as of_papers
from symcook.papers.drawing import write
from symcook.report import figure as drawing
from symcook.spec.languages import dyck1_grammar


def moved(name: str, weight: Fraction, **arguments: str) -> sc.Transformer:
    """The network with `weight` for the entry that copies the symbol 1, in every row of the first head that has it."""
    model = sc.build(name, **arguments)
    first, *rest = model.layers
    heads = []
    for head in first.attention.heads:
        V = head.V.as_mutable()
        for row, target in enumerate(head.writes):
            for column, source in enumerate(head.reads):
                if "ones" in target and "one" in source and "zero" not in source:
                    V[row, column] *= sc.model.symbols.exact(weight)
        heads.append(replace(head, V=V))
    assert heads != list(first.attention.heads) or weight == 1
    layer = replace(first, attention=sc.SelfAttention(tuple(heads)))
    return replace(model, layers=(layer, *rest))


def answers(model: sc.Transformer, length: int, **symbols: Any) -> list[tuple[str, Any, bool | None]]:
    found, bound = [], model.bind(symbols)
    for word in words(length, "01", length):
        run = bound.run(word, "ball")
        logit = run.to_json()["output"]["logit"]
        found.append((word, mpmath.mpf(logit if isinstance(logit, str) else logit["mid"]), run.accept))
    return found


@pytest.mark.sweep
@together("weight", ["1", "9/10", "57/50", "0", "13/7"])
@together(
    ("name", "values"),
    [("parity", {}), ("parity-layernorm", {"epsilon": "1/100"}), ("parity-layernorm", {"epsilon": "0"})],
)
def test_the_mean_over_all_words_with_another_weight(name: str, values: dict[str, str], weight: str) -> None:
    """Every word through the network in balls; at 13/7 some words hit no position, and their logit, which is 0, stays
    open in balls where there are norms."""
    model = moved(name, Fraction(weight))
    with mpmath.workdps(40):
        for length in (2, 3):
            total, right = mpmath.mpf(0), 0
            for word, logit, accept in answers(model, length, **values):
                member = word.count("1") % 2 == 1
                total += mpmath.log1p(mpmath.exp(-logit if member else logit)) / mpmath.log(2) / 2**length
                right += accept is member or (accept is None and not member and abs(logit) < 1e-25)
            found = sc.bound("cross-entropy", name, length, values, weight)
            assert abs(mpmath.mpf(found.value.mid) - total) < 1e-27
            accuracy = found.extra["accuracy"]
            assert accuracy == "open" or mpmath.mpf(accuracy.mid) == mpmath.mpf(right) / 2**length  # type: ignore[union-attr]


def test_the_interval_of_right_weights() -> None:
    """n = 3 by hand: four positions weigh alike without norms, so a word with k ones is right until it hits k and its
    neighbour equally, half way: 1/6 below for k = 3, and 1/4 above for k = 2, as 3 has no neighbour there."""
    found = right_weights("parity", 3, digits=9)
    assert found.below < Fraction(5, 6) <= found.low < 1 < found.high <= Fraction(5, 4) < found.above
    assert found.low - found.below <= Fraction(1, 10**9) >= found.above - found.high


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("name", "values"), [("parity", {}), ("parity-layernorm", {"epsilon": "0"})])
def test_right_weights_of_the_network(name: str, values: dict[str, str]) -> None:
    """At the inner ends every word of 4 symbols is right, at each outer one some word is not."""
    found = right_weights(name, 4, values or None)
    for weight, right in zip(found, (False, True, True, False), strict=True):
        all_right = all(
            accept is (word.count("1") % 2 == 1) for word, _, accept in answers(moved(name, weight), 4, **values)
        )
        assert all_right is right


@pytest.mark.parametrize("name", ["parity", "first", "first-flawed"])
def test_a_sample_is_the_mean_over_the_words_that_are_drawn(name: str) -> None:
    draw = random.Random(5)
    drawn = [format(draw.getrandbits(4), "04b") for _ in range(7)]
    model, total = sc.build(name), mpmath.mpf(0)
    with mpmath.workdps(40):
        for word in drawn:
            member = word.count("1") % 2 == 1 if name == "parity" else word[0] == "1"
            logit = mpmath.mpf(model.run(word, "ball").to_json()["output"]["logit"]["mid"])
            total += mpmath.log1p(mpmath.exp(-logit if member else logit)) / mpmath.log(2) / 7
        found = sc.bound("cross-entropy", name, 4, sample=7, seed=5)
        assert abs(mpmath.mpf(found.value.mid) - total) < 1e-27
    if name == "first-flawed":  # in the others a word's entropy is the same for all, or depends on k alone
        assert found.value != sc.bound("cross-entropy", name, 4, sample=7, seed=6).value


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"weight": "-1"}, "must not be negative"),
        ({"weight": "sqrt(2)"}, "rational"),
        ({"weight": "w"}, "number"),
        ({"sample": 0}, "at least 1"),
        ({"sample": 10**6}, "10.6 symbols; given: 3000000"),
        ({"sample": 3, "seed": "x"}, "a seed must be an integer"),
    ],
)
def test_refused_arguments(more: dict[str, Any], says: str) -> None:
    with pytest.raises(sc.BadInput, match=says):
        sc.bound("cross-entropy", "parity", 3, **more)


def test_only_parity_has_the_weight() -> None:
    with pytest.raises(sc.BadInput, match="only for the models parity and parity-layernorm"):
        sc.bound("cross-entropy", "first", 3, weight=2)
    for name, n, says in (
        ("first", 3, "weight of Figure 3"),
        ("parity", 2, "from 3"),
        ("parity", 201, "from 3 to 200"),
    ):
        with pytest.raises(sc.BadInput, match=says):
            right_weights(name, n)


def test_attention_is_that_of_the_network() -> None:
    """Figure 4's curve at n = 1 to 5 is what CLS gives position 1 in a traced run, plain and scaled."""
    for figure_curve, scaled in zip(figures.attention(5, print).curves, ("no", "yes"), strict=True):
        model = sc.build("first", scaled=scaled)
        for at, value in figure_curve.points:
            run = model.run("1" + "0" * (int(at) - 1), "ball", trace=True)
            steps = [step for step in run.trace if step.get("attention")]
            weights = steps[-1]["attention"][-1][0][1]
            seen = mpmath.mpf(weights["mid"] if isinstance(weights, dict) else weights)
            assert abs(seen - mpmath.mpf(value.mid)) < mpmath.mpf(value.rad) + mpmath.mpf(10) ** -9


def test_figure_1_is_the_indicator_on_integers() -> None:
    drawn, whole = figures.tent(3, print).curves
    assert dict(whole.points).items() <= dict(drawn.points).items()
    assert [at for at, value in drawn.points if value.mid == "1"] == [0]


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "WEIGHTS", [Fraction(9, 10), Fraction(1)])
    monkeypatch.setattr(figures, "WORD", 4)
    figures._moved.cache_clear()


@pytest.mark.sweep
@pytest.mark.tools  # with matplotlib it writes pictures too
@pytest.mark.parametrize("name", ["first", "parity"])
def test_the_command_writes_each_figure(
    name: str, few: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "new" / "figures"
    found = document(capsys, "report", name, "-o", place, "--max-length", "4", "--json")
    assert found["recipe"] == name and found["max_length"] == 4
    files = [Path(file) for file in found["files"]]
    pictures = {".svg", ".png"} if find_spec("matplotlib") else set()
    assert {file.suffix for file in files} == {".csv"} | pictures
    assert sorted(files) == sorted(place.iterdir())
    for file in files:
        if file.suffix == ".csv":
            rows = list(csv.DictReader(file.read_text(encoding="ascii").splitlines()))
            assert rows and all(Fraction(row["at"]) is not None and mpmath.mpf(row["rad"]) >= 0 for row in rows)
    assert "must not exist yet" in refused(capsys, "report", name, "-o", place)
    monkeypatch.setattr(drawing.Figure, "picture", lambda figure, form: b"another")
    assert call(capsys, "report", name, "-o", place, "--max-length", "4", "--force")[0] == 0
    assert all((file.read_bytes() == b"another") is (file.suffix != ".csv") for file in files)


def test_without_matplotlib_the_numbers_are_written(few: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "find_spec", lambda name: None)
    assert {file.suffix for file in write("parity", tmp_path, 3)} == {".csv"}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["report", "pariti", "-o", "x"], "did you mean parity"),
        (["report", "average", "-o", "x"], "recipe with figures"),
        (["report", "parity"], "-o"),
        (["report", "parity", "-o", "x", "--max-length", "2"], "maximum length must be an integer from 3"),
    ],
)
def test_bad_commands(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
                      monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert says in refused(capsys, *arguments)
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f").write_text("kept", encoding="ascii")
    said = refused(capsys, "report", "first", "-o", tmp_path / "f")
    assert "the place for figures must be the name of a folder" in said
    assert (tmp_path / "f").read_text(encoding="ascii") == "kept"


def test_an_interrupted_report_leaves_nothing(few: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole set or nothing: stopped in the second figure, neither the first nor the folder is there."""

    def stop(longest: int, done: Callable[[str], None]) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setitem(figures.FIGURES, "first", (figures.attention, stop))
    with pytest.raises(KeyboardInterrupt):
        write("first", tmp_path / "deep" / "figures", 3)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [
    "export dyck-1 -o -", "report first -o -", "report first -o /dev/null", "export dyck-1 -o /dev/null",
    "bound lookup --over gamma=1:2 --plot -", "bound lookup --over gamma=1:2 --plot /dev/null",
    "margin dyck-1 --max-length 2 --plot -",
])  # fmt: skip
def test_streams_and_devices_are_no_places(
    command: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    devices = set(Path("/dev").glob("null*"))
    assert "must" in refused(capsys, *command.split())
    assert list(tmp_path.iterdir()) == [] and set(Path("/dev").glob("null*")) == devices


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    ("name", "grey"),
    [("gtzero", (0, 1)), ("gezero", (-1, 0)), ("eqzero", (-1, 1)), ("gtzero-input", (0, 1)), ("eqzero-input", (-1, 1))],
)
def test_comparators_are_grey_where_they_are_not_exact(name: str, grey: tuple[int, int]) -> None:
    """With eps = 1 the window of Eqs. (29) to (34), and in the CSV file the printed cases."""
    (make,) = of_papers()[name]
    figure = make(3, lambda _: None)
    assert (min(a for a, _ in figure.grey), max(b for _, b in figure.grey)) == grey
    if name.startswith("eq"):  # exact at 0 alone
        assert figure.grey == ((-1, 0), (0, 1))
    got, meant = (dict((at, value.mid) for at, value in curve.points) for curve in figure.curves)
    for at, value in got.items():
        x = Fraction(at)
        cases = {
            "gtzero": min(max(x, 0), 1),
            "gezero": min(max(1 + x, 0), 1),
            "eqzero": max(1 - abs(x), 0),
        }[name.removesuffix("-input")]
        assert Fraction(value) == cases
        assert (Fraction(meant[at]) == cases) is not any(a < at < b for a, b in figure.grey)


def test_figure_1_of_the_cookbook() -> None:
    """By the math module's erf, to what its floats hold."""
    (make,) = of_papers()["by-gelu"]
    *scaled, wanted = make(3, lambda _: None).curves
    for curve, c in zip(scaled, (1, 2, 5), strict=True):
        for at, value in curve.points[::10]:
            x = float(at)
            assert abs(float(value.mid) - x / 2 * (1 + math.erf(c * x / math.sqrt(2)))) < 1e-9
    assert all(Fraction(value.mid) == max(at, 0) for at, value in wanted.points)


def test_figure_2_of_the_cookbook_has_the_panels_of_its_caption() -> None:
    for make, member, (ahead, level) in zip(
        of_papers()["dyck-1"], (True, False, False), [(True, True), (False, True), (True, False)], strict=True
    ):
        figure = make(3, lambda _: None)
        opened, closed = ([int(Fraction(value.mid)) for _, value in curve.points] for curve in figure.curves)
        assert (all(o >= c for o, c in zip(opened, closed, strict=True)), opened[-1] == closed[-1]) == (ahead, level)
        assert [o + c for o, c in zip(opened, closed, strict=True)] == [1, 2, 3, 4, 5, 6]
        assert dyck1_grammar(figure.title[-6:]) is member
