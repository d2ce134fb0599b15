"""The picture of a run: in it stands the trace, its colours say what they should, and the command writes it."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pytest
from families import together

import symcook as sc
from symcook.__main__ import main
from symcook.recipes import names
from symcook.report.picture import DARK, LIGHT, MOST

NAMESPACE = "{http://www.w3.org/2000/svg}"


def texts(document: str) -> list[str]:
    return [node.text or "" for node in ElementTree.fromstring(document).iter(f"{NAMESPACE}text")]


def picture(name: str, word: str, **options: bool) -> str:
    return sc.build(name).run(word, trace=True).svg(**options)


def test_it_shows_the_counts_of_dyck_1() -> None:
    """The rows are means of counts, computed here from the word."""
    word = "())(()"
    signs = [1 if bracket == "(" else -1 for bracket in word]
    balance = [Fraction(sum(signs[:k]), k) for k in range(1, 7)]
    error = [max(-value, Fraction(0)) for value in balance]
    total = [sum(error[:k], Fraction(0)) / k for k in range(1, 7)]
    found = texts(picture("dyck-1", word))
    for name, row in (("token", signs), ("balance", balance), ("error", error), ("total", total)):
        at = found.index(name)
        assert found[at + 1 : at + 7] == list(map(str, row)), name
    assert "reject" in found and "accept" not in found
    assert [found.count(f"1/{k}") - ([*balance, *error].count(Fraction(1, k))) for k in (2, 4, 6)] == [4, 8, 12]


def test_a_row_stands_where_it_changed_and_nowhere_else() -> None:
    found = texts(sc.compose.pad(sc.build("dyck-1"), depth=3).run("(()", trace=True).svg())
    parts = ["embedding", "layer 1, attention", "layer 1, feed-forward", "layer 2, attention"]
    idle = [text for text in found if "nothing" in text]
    assert [one for one in found if one in parts] == parts
    assert idle and all(text.startswith("layer") and text.endswith(": changes nothing") for text in idle)
    assert [found.count(name) for name in ("token", "balance", "error", "total")] == [1, 1, 1, 1]


def test_blue_is_above_zero_and_orange_below() -> None:
    document = picture("dyck-1", "())")
    squares = [node for node in ElementTree.fromstring(document).iter(f"{NAMESPACE}rect") if node.get("fill-opacity")]
    assert [node.get("fill") for node in squares[:3]] == [LIGHT.above, LIGHT.below, LIGHT.below]
    assert {node.get("fill-opacity") for node in squares[:3]} == {"0.55"}  # each is the greatest of its row


def test_what_the_readout_reads_is_framed() -> None:
    for name, word, framed in (("dyck-1", "(()", 2), ("dyck-1-2", "()", 2), ("parity", "011", 1)):
        frames = [
            n for n in ElementTree.fromstring(picture(name, word)).iter(f"{NAMESPACE}rect") if n.get("stroke-width")
        ]
        assert len(frames) == framed, name
    at = [float(n.get("x", "")) for n in frames]  # parity reads at CLS, which stands in front
    assert at == [min(float(n.get("x", "")) for n in squares(picture("parity", "011")))]


def squares(document: str) -> list[ElementTree.Element]:
    return [n for n in ElementTree.fromstring(document).iter(f"{NAMESPACE}rect") if n.get("stroke") == LIGHT.rule]


def test_dark_has_other_colours_and_nothing_else() -> None:
    light, dark = picture("dyck-1", "())"), picture("dyck-1", "())", dark=True)
    colour = "#[0-9a-f]{6}"
    assert re.sub(colour, "#", light) == re.sub(colour, "#", dark)
    assert set(re.findall(colour, light)) <= set(LIGHT) and set(re.findall(colour, dark)) <= {*DARK, "#ffffff"}


def test_strange_tokens_and_names_are_escaped() -> None:
    builder = sc.Builder(words={"<": {"lt": 1}, "&": {}, '"': {}})
    builder.readout("sign", "last", builder.add(sc.head(value={"m": "lt"})), weights=[1])
    found = texts(builder.build("a<b").run('<&"', trace=True).svg())
    assert found[0] == 'a<b on <&"' and {"<", "&", '"'} <= set(found)


@pytest.mark.parametrize("domain", ["exact", "ball", "float64"])
def test_every_number_system_and_rows_of_numbers_have_one(domain: str) -> None:
    found = texts(sc.build("gtzero").run({"x": "1/4"}, domain, values={"eps": "1/2"}, trace=True).svg())
    assert found[:2] == ["gtzero on x=1/4", "1"]
    assert found[-2] == ("1/2" if domain == "exact" else "0.5")
    soft = texts(sc.build("first-flawed").run("01", "ball", trace=True).svg())
    assert any(text.startswith("≈0.") for text in soft)


def test_a_picture_that_nobody_could_read_is_refused() -> None:
    with pytest.raises(sc.BadInput, match=f"at most {MOST['positions']} positions"):
        picture("dyck-1", "()" * 13)
    with pytest.raises(sc.BadInput, match="trace=True"):
        sc.build("dyck-1").run("()").svg()


def test_the_command_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "trace.svg"
    ask = ["run", "dyck-1", "--input", "())", "--svg", str(target)]
    assert main(ask) == 0
    assert capsys.readouterr().out == f"dyck-1 on ()): reject\n  total    1/9\n  balance  -1/3\nwrote {target}\n"
    assert target.read_text(encoding="utf-8") == picture("dyck-1", "())")
    assert main(ask) == 2 and "--force" in capsys.readouterr().err
    assert main([*ask, "--force", "--dark", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["svg"] == str(target) and "trace" not in document
    assert target.read_text(encoding="utf-8") == picture("dyck-1", "())", dark=True)


@pytest.mark.parametrize("more", [["--dark"], ["--svg", "trace.png"], ["--svg", "nowhere/trace.svg"]])
def test_what_makes_no_sense_is_refused(
    more: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["run", "dyck-1", "--input", "()", *more]) == 2
    assert capsys.readouterr().err.count("\n") == 1 and not list(tmp_path.iterdir())


@together("name", names())
@pytest.mark.sweep
def test_every_recipe_has_a_picture_and_nothing_reaches_out_of_it(name: str) -> None:
    model = sc.build(name)
    values = {p.name: "1/64" if p.name == "eps" else "2" for p in model.parameters if p.default is None}
    inputs = model.embedding.inputs or ()
    given = [*model.alphabet[:2], model.alphabet[0]] if model.alphabet else dict.fromkeys(inputs, "1")
    asked = given if model.alphabet or model.pointwise else [given, given]
    try:
        run = model.run(asked, values=values, trace=True)
    except sc.NotExact:
        run = model.run(asked, "ball", values=values, trace=True)
    picture = ElementTree.fromstring(run.svg())
    wide, high = float(picture.get("width", "")), float(picture.get("height", ""))
    for node in picture.iter(f"{NAMESPACE}rect"):
        x, y = float(node.get("x", "0")), float(node.get("y", "0"))
        assert (
            0 <= x <= x + float(node.get("width", "")) <= wide and 0 <= y <= y + float(node.get("height", "")) <= high
        )
    for node in picture.iter(f"{NAMESPACE}text"):
        length = len(node.text or "") * float(node.get("font-size", "")) * (0.6 if node.get("class") else 0.5)
        left = (
            float(node.get("x", ""))
            - {"start": 0.0, "middle": 0.5, "end": 1.0}[node.get("text-anchor", "start")] * length
        )
        assert 0 <= left <= left + length <= wide and 0 <= float(node.get("y", "")) <= high, node.text


@pytest.mark.tools("matplotlib")
@pytest.mark.sweep
def test_figures_of_matplotlib_show_the_same_values() -> None:
    """The rows of `plot` and the weights of `plot_attention`, in exact numbers, at their places."""
    run = sc.build("dyck-1").run("())", trace=True)
    (axes,) = run.plot().axes
    shown = {(round(t.get_position()[0]), t.get_position()[1]): t.get_text() for t in axes.texts}
    names = {label.get_text(): tick for label, tick in zip(axes.get_yticklabels(), axes.get_yticks(), strict=True)}
    assert [[shown[k, names[row]] for k in range(3)] for row in ("token", "balance", "error", "total")] == [
        ["1", "-1", "-1"], ["1", "0", "-1/3"], ["0", "0", "1/3"], ["0", "0", "1/9"]]  # fmt: skip
    assert [label.get_text() for label in axes.get_xticklabels()] == ["(", ")", ")"]
    heads = run.plot_attention()
    for head in heads.axes:
        weights = {(round(t.get_position()[0]), t.get_position()[1]): t.get_text() for t in head.texts if t.get_text()}
        assert weights == {(k, y): str(Fraction(1, y + 1)) for y in range(3) for k in range(y + 1)}
    assert heads._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


@pytest.mark.parametrize(("trace", "told"), [(False, "trace=True"), (True, "call plot()")])
def test_what_no_figure_shows_is_one_sentence(trace: bool, told: str) -> None:
    with pytest.raises(sc.BadInput) as refused:
        sc.build("gtzero").run({"x": 1}, values={"eps": "1/2"}, trace=trace).plot_attention()
    assert told in str(refused.value)


def test_without_matplotlib_a_figure_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symcook.report.figure.find_spec", lambda name: None)
    with pytest.raises(sc.BadInput, match=r"install matplotlib: pip install 'symcook\[plots\]'"):
        sc.build("dyck-1").run("()", trace=True).plot()
