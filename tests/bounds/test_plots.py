"""Bounds over a range: the CSV against mpmath, the range, the files, and pictures where matplotlib is installed."""

import csv
import json
import math
import os
import struct
import subprocess
import sys
from fractions import Fraction
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import mpmath
import pytest
from families import together

from symcook.__main__ import dispatch, main
from symcook.bounds import kind, kinds, softmax_hardmax, sweeps, table_lookup
from symcook.bounds.sweeps import read_over, sweep
from symcook.errors import BadInput, Undecided
from symcook.model.rationals import decimal_text
from symcook.numbers.balls import Ball
from symcook.report import figure, plots
from symcook.report.figure import log_ticks, place
from symcook.report.plots import curves, plot_bound

MP = mpmath.mp.clone()
MP.dps = 60
HEADER = ["value_mid", "value_rad", "claimed_mid", "claimed_rad", "holds"]
drawn = pytest.mark.tools("matplotlib")


@pytest.fixture
def plain(monkeypatch):
    """An installation without matplotlib."""
    monkeypatch.setattr(figure, "find_spec", lambda name: None)


@pytest.fixture(scope="module")
def pictures():
    """Those of the plot below, by ending; none without matplotlib."""
    found = sweep("lookup", "gamma=1:2:2")
    return {end: curves(found).picture(end) for end in ("svg", "png")} if find_spec("matplotlib") else {}


def rows(path):
    with open(path, newline="", encoding="ascii") as file:
        head, *lines = csv.reader(file)
    assert head[1:] == HEADER
    return head[0], lines


def inside(mid, rad, expected):
    assert abs(MP.mpf(mid) - expected) <= MP.mpf(rad) + abs(expected) * MP.mpf(10) ** -55
    assert MP.mpf(rad) <= abs(MP.mpf(mid)) * MP.mpf(10) ** -30


@pytest.mark.usefixtures("plain")
def test_the_csv_encloses_what_mpmath_gives(tmp_path):
    found, files = plot_bound("softmax-hardmax", "n=1:1000:13", tmp_path / "p", gamma="7/2")
    assert files == (tmp_path / "p.csv",)
    name, lines = rows(files[0])
    assert name == "n" and [int(line[0]) for line in lines] == [1, 2, 3, 6, 10, 18, 32, 56, 100, 178, 316, 562, 1000]
    for n, mid, rad, claimed, claimed_rad, holds in lines:
        x, others = MP.exp(-MP.mpf(7) / 2), int(n) - 1
        inside(mid, rad, 2 * others * x / (1 + others * x))
        inside(claimed, claimed_rad, 2 * int(n) * x)
        assert holds == "true"
    assert found.holds is True and lines[0][1:3] == ["0", "0"]


@pytest.mark.usefixtures("plain")
def test_the_csv_says_where_the_claim_fails(tmp_path):
    """Lemma 7 with its 3/2 fails below gamma = 0.1208...: by direct calls, and by mpmath's sums."""
    found, (path,) = plot_bound("table-lookup", "gamma=1/10:1/7:6", tmp_path / "p", digits=35)
    _, lines = rows(path)
    for text, mid, rad, claimed, claimed_rad, holds in lines:
        answer = table_lookup(text, digits=35)
        assert (mid, rad) == (answer.value.mid, answer.value.rad)
        assert (claimed, claimed_rad) == (answer.claimed.mid, answer.claimed.rad)
        gamma = Fraction(text)
        x = MP.exp(-MP.mpf(gamma.numerator) / gamma.denominator)
        error = MP.fsum(k * x ** (k * k) for k in range(1, 60)) / (1 + MP.fsum(x ** (k * k) for k in range(1, 60)))
        inside(mid, rad, error)
        assert holds == ("true" if error <= MP.mpf(3) / 2 * x else "false")
    assert found.holds is False and {line[-1] for line in lines} == {"true", "false"}
    assert "fails at 3 of them, from 0.1 to 0.1171" in found.text()


def test_the_radius_is_that_of_many_digits():
    found = sweep("lookup", "gamma=1:10:3", digits=200)
    assert all(
        len(a.value.mid) > 200 and Fraction(a.value.rad) < Fraction(a.value.mid) / 10**200 for a in found.answers
    )
    assert sweep("gelu-relu", "c=1:10^6:7").values == ("1", "10", "100", "1000", "10000", "100000", "1000000")


def test_an_undecided_claim_is_said(monkeypatch):
    real = kind("lookup").load()

    def half(**given):
        answer = real(**given)
        object.__setattr__(answer, "holds", None if Fraction(given["gamma"]) > 2 else True)
        return answer

    monkeypatch.setattr(kinds.Question, "load", lambda self: half)
    found = sweep("lookup", "gamma=1:3:3")
    assert found.holds is None and found.csv().splitlines()[-1].endswith(",undecided")
    assert "undecided at 1 of them" in found.text()
    assert [row["holds"] for row in found.to_json()["rows"]] == [True, True, None]


def test_an_answer_that_cannot_be_had_names_its_place(monkeypatch):
    real = kind("lookup").load()

    def some(**given):
        if given["gamma"] == 2:
            raise Undecided("more bits are needed.")
        return real(**given)

    monkeypatch.setattr(kinds.Question, "load", lambda self: some)
    with pytest.raises(Undecided, match=r"^at gamma = 2: more bits are needed\.$"):
        sweep("lookup", "gamma=1:3:3")


# --- The range --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("over", "values"),
    [
        ("n=1:4", ["1", "2", "3", "4"]),
        (" n = 2 : 10^3 : 4 ", ["2", "16", "126", "1000"]),
        ("n=5:9:3", ["5", "7", "9"]),
        ("gamma=1/3:2/3:3", ["1/3", "0.5", "2/3"]),
        ("gamma=1/100:100:5", ["0.01", "0.1", "1", "10", "100"]),
        ("gamma=1:100:4:log", ["1", "4.642", "21.54", "100"]),
        ("gamma=1:100:4", ["1", "34", "67", "100"]),
        ("n=1:1000:4:linear", ["1", "334", "667", "1000"]),
    ],
)
def test_ranges(over, values):
    name, found, _ = read_over("softmax-hardmax", over)
    assert name == over.split("=")[0].strip() and [decimal_text(v) for v in found] == values


@pytest.mark.parametrize(
    "over", ["n=1:10^6", "n=1:2", "n=10^900:10^901:7", "gamma=1:1.0000001:9", "gamma=1/10^9:10^29"]
)
def test_ranges_rise_from_end_to_end(over):
    _, found, _ = read_over("softmax-hardmax", over)
    assert all(a < b for a, b in pairwise(found)) and len(found) <= sweeps.STEPS
    low, high = over.partition("=")[2].split(":")[:2]
    assert all(decimal_text(v) == str(Fraction(decimal_text(v))) or "." in decimal_text(v) for v in found)
    assert (found[0], found[-1]) == tuple(read_over("softmax-hardmax", f"gamma={low}:{high}:2")[1])


@together(
    ("over", "must"),
    [
        ("", "a range must have a name and two ends"),
        ("n", "a range must have a name and two ends"),
        ("n=1", "a range must have a name and two ends"),
        ("n=1:", "a range must have a name and two ends"),
        ("n=1:2:3:4", "a range must have a name and two ends"),
        ("=1:2", "a range must have a name and two ends"),
        ("m=1:2", "argument of softmax-hardmax"),
        ("gama=1:2", "did you mean gamma"),
        ("ties=1:2", "argument of softmax-hardmax"),
        ("digits=1:2", "argument of softmax-hardmax"),
        ("n=5:5", "must be below the second"),
        ("n=9:3", "must be below the second"),
        ("gamma=2:log(2)", "must be rational"),
        ("gamma=0:2", "must be positive"),
        ("gamma=-1:2", "must be positive"),
        ("n=1/2:2", "positive integers"),
        ("n=0:5", "positive integers"),
        ("n=1:x", "each end of the range of n must be a number without names"),
        ("n=1:9^9^9", "must be rational"),
        ("n=1:9:1", "steps must be an integer"),
        ("n=1:9:0", "steps must be an integer"),
        ("n=1:9:2.5", "steps must be an integer"),
        ("n=1:9:-3", "steps must be an integer"),
        ("n=1:9:1001", "steps must be an integer"),
        ("n=1:9:\u0663", "steps must be an integer"),
    ],
)
def test_bad_ranges(over, must):
    with pytest.raises(BadInput, match=must):
        read_over("softmax-hardmax", over)


@together(
    ("call", "must"),
    [
        (lambda: sweep("gelu-multiply", "n=1:2"), "a numeric argument to be plotted"),
        (lambda: sweep("softmx", "n=1:2"), "did you mean softmax"),
        (lambda: sweep("softmax-hardmax", "n=1:2"), "must be given gamma"),
        (lambda: sweep("softmax-hardmax", "n=1:2", n=3, gamma=1), "given once"),
        (lambda: sweep("softmax-hardmax", "n=1:2", gamma=1, q=3), "argument of softmax-hardmax"),
        (lambda: sweep("softmax-hardmax", "n=1:2", gamma=0.5), "must be text or an integer or a Fraction"),
        (lambda: sweep("softmax-hardmax", "n=1:2", gamma=1, digits=0), "digits"),
        (lambda: sweep("layernorm-hash", "n=1:4"), "at least 2"),
        (lambda: sweep("temperature", "error=1/2:1:3", n=4, gamma=1), "between 0 and 1|below"),
        (lambda: sweep("softmax-hardmax", "gamma=1:10^31:3", n=4), "at most 10"),
    ],
)
def test_bad_input(call, must):
    with pytest.raises(BadInput, match=must):
        call()


@pytest.mark.parametrize("chosen", ["lookup", "ziggurat", "tie-break", "gelu-relu", "temperature"])
def test_other_kinds_run_over_their_numbers(chosen):
    given = {"tie-break": {"variant": "b", "n": 4}, "temperature": {"n": 8}}.get(chosen, {})
    name = "c" if chosen == "gelu-relu" else "gamma"
    found = sweep(chosen, f"{name}=1:4:3", digits=12, **given)
    direct = kind(chosen).load()
    for value, answer in zip(found.values, found.answers, strict=True):
        expected = direct(**given, **{name: Fraction(value)}, digits=12)
        again = direct(**given, **{name: value}, digits=12)
        assert answer == expected and str(answer.value) == str(again.value)
    assert found.fixed == {k: v for k, v in found.answers[0].parameters.items() if k != name}


# --- The files --------------------------------------------------------------------------------------------------------


@pytest.mark.sweep
def test_an_existing_file_needs_force(tmp_path):
    place = tmp_path / "p"
    (tmp_path / "p.csv").write_text("mine")
    with pytest.raises(BadInput, match="force=True"):
        plot_bound("lookup", "gamma=1:2:2", place)
    assert [f.name for f in tmp_path.iterdir()] == ["p.csv"] and (tmp_path / "p.csv").read_text() == "mine"
    plot_bound("lookup", "gamma=1:2:2", place, force=True)
    assert (tmp_path / "p.csv").read_text().startswith("gamma,")


@pytest.mark.parametrize("bad", ["p.csv", "p.svg", "p.png", "missing/p", ".", "", "p/"])
def test_places_that_cannot_be(tmp_path, monkeypatch, bad):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput):
        plot_bound("lookup", "gamma=1:2:2", bad)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(figure.os, "access", lambda *_: False)
    with pytest.raises(BadInput, match="given: the current folder; give another plot"):
        plot_bound("lookup", "gamma=1:2:2", "p")


def test_a_folder_in_the_way(tmp_path):
    (tmp_path / "p.csv").mkdir()
    with pytest.raises(BadInput, match="not a folder"):
        plot_bound("lookup", "gamma=1:2:2", tmp_path / "p", force=True)


@pytest.mark.layer_one(1, 2, 3, 4, 5)
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("where", ["fdopen", "replace", "chmod"])
def test_what_is_interrupted_leaves_nothing(tmp_path, monkeypatch, pictures, where, error):
    monkeypatch.setattr(figure.Figure, "picture", lambda found, end: pictures[end])
    (tmp_path / "p.csv").write_text("mine")

    def stop(*arguments, **options):
        raise error

    monkeypatch.setattr(figure.os, where, stop)
    with pytest.raises(KeyboardInterrupt if error is KeyboardInterrupt else BadInput):
        plot_bound("lookup", "gamma=1:2:2", tmp_path / "p", force=True)
    assert [f.name for f in tmp_path.iterdir()] == ["p.csv"] and (tmp_path / "p.csv").read_text() == "mine"


def test_an_interrupt_while_computing_leaves_nothing(tmp_path, capsys, monkeypatch):
    def stop(self, done, total):
        raise KeyboardInterrupt

    monkeypatch.setattr("symcook.cli.bound.Progress.__call__", stop)
    assert main(["bound", "lookup", "--over", "gamma=1:9", "--plot", str(tmp_path / "p")]) == 130
    assert not list(tmp_path.iterdir()) and capsys.readouterr().err == "symcook: interrupted\n"


@pytest.mark.usefixtures("plain")
def test_without_matplotlib_there_is_the_csv_and_a_sentence(tmp_path, capsys):
    place = tmp_path / "p"
    assert dispatch(["bound", "lookup", "--over", "gamma=1:9:3", "--plot", str(place)]) == 0
    out, err = capsys.readouterr()
    assert err == "for the pictures install matplotlib: pip install 'symcook[plots]'\n"
    assert out.splitlines()[-1] == f"wrote {place}.csv" and [f.name for f in tmp_path.iterdir()] == ["p.csv"]
    with pytest.raises(BadInput, match=r"symcook\[plots\]"):
        curves(sweep("lookup", "gamma=1:2:2")).picture()


# --- The command ------------------------------------------------------------------------------------------------------


@pytest.mark.sweep
def test_the_command(tmp_path, capsys):
    line = ["bound", "table-lookup", "--over", "gamma=1/20:1:5:log", "--plot", str(tmp_path / "p"), "--json"]
    assert dispatch(line) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == "table-lookup" and document["over"] == "gamma" and document["holds"] is False
    assert [row["gamma"] for row in document["rows"]] == ["0.05", "0.1057", "0.2236", "0.4729", "1"]
    assert all(Path(name).is_file() for name in document["files"])
    assert document["rows"][-1]["value"] == table_lookup("1").value.to_json()


@pytest.mark.sweep
def test_where_nothing_is_claimed_the_command_succeeds(tmp_path, capsys):
    """As for one value: there is nothing that could fail, and nothing that holds either."""
    line = ["bound", "sensitivity", "parity", "--digits", "12", "--json"]
    assert dispatch([*line, "--n", "1"]) == 0
    capsys.readouterr()
    assert dispatch([*line, "--over", "n=1:2", "--plot", str(tmp_path / "p")]) == 0
    assert json.loads(capsys.readouterr().out)["holds"] is None


def test_one_value_is_no_range():
    assert "the claim fails at 1 of them, at 0.1" in sweep("table-lookup", "gamma=1/10:1/5:2").text()


@pytest.mark.parametrize(
    ("line", "must"),
    [
        (["lookup", "--gamma", "1", "--plot", "p"], "--plot must come with --over"),
        (["lookup", "--gamma", "1", "--force"], "--force must come with --plot"),
        (["softmax-hardmax", "--over", "n=1:2", "--plot", "p"], "must have --gamma"),
        (["softmax-hardmax", "--over", "n=1:2", "--n", "3", "--gamma", "1", "--plot", "p"], "given once"),
        (["lookup", "--over", "gamma=1:2", "--ties", "--plot", "p"], "given: --ties; leave this option out"),
        (["lookup", "--over", "gama=1:2", "--plot", "p"], "did you mean gamma"),
        (["gelu-multiply", "--over", "form=1:2", "--plot", "p"], "a numeric argument to be plotted"),
    ],
)
def test_bad_lines(tmp_path, monkeypatch, line, must):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput) as refused:
        dispatch(["bound", *line])
    assert must in refused.value.sentence
    assert not list(tmp_path.iterdir())


# --- The picture ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "at"),
    [("1", 0), ("100", 2), ("0.01", -2), ("1e-434294", -434294), ("1e-434294481903251827651", -434294481903251827651)],
)
def test_places_of_numbers_too_small_for_floats(text, at):
    assert place(Ball(text, "0")) == pytest.approx(at, rel=1e-15)


@pytest.mark.parametrize("text", ["0.0001234567891234", "9" * 400, "0.5" + "7" * 400, "123.456", "2.5e-17"])
def test_places_by_mpmath(text):
    assert place(Ball(text, "0")) == pytest.approx(float(MP.log10(MP.mpf(text))), rel=1e-14)


def test_zero_and_below_have_no_place():
    assert math.isnan(place(Ball("0", "0"))) and math.isnan(place(Ball("-3.5e7", "0")))


@together(
    ("low", "high"),
    [(0, 3), (-0.1, 0.1), (0, 1e-7), (-5, -4), (-434294, 0), (-4.3e29, 0), (1e29, 1.1e29), (399.9, 400.2), (-300, 300)],
)
def test_ticks_are_few_and_right(low, high):
    ticks, between = log_ticks(low, high)
    assert 2 <= len(ticks) <= 12 and len({label for _, label in ticks}) == len(ticks)
    assert all(low - 1e-6 <= at <= high + 1e-6 for at in (*(p for p, _ in ticks), *between))
    for at, label in ticks:
        if "$" not in label:
            assert 10**at == pytest.approx(float(Fraction(label)), rel=1e-12)


@pytest.mark.layer_one(6)
@drawn
@pytest.mark.parametrize(
    ("chosen", "over", "given"),
    [
        ("softmax-hardmax", "n=1:64:7", {"gamma": "5"}),
        ("table-lookup", "gamma=1/20:5:7", {}),
        ("ziggurat", "gamma=1:10^30:5", {}),
        ("softmax", "n=1:3", {"scores": "1"}),
        ("softmax-hardmax", "n=10^400:2*10^400:3", {"gamma": "950"}),
        ("lookup", "n=2:3", {"gamma": "1000000"}),
        ("temperature", "n=2:200:150", {"gamma": "1"}),
    ],
)
@pytest.mark.layer_two(every=3)
def test_pictures(tmp_path, chosen, over, given):
    _, files = plot_bound(chosen, over, tmp_path / "p", **given)
    assert [f.name for f in files] == ["p.csv", "p.svg", "p.png"] and len(list(tmp_path.iterdir())) == 3
    assert ElementTree.parse(files[1]).getroot().tag.endswith("svg")
    data = files[2].read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", data[16:24]) == (1080, 720)
    assert oct(os.stat(files[2]).st_mode)[-3:] == "644"


@drawn
@pytest.mark.sweep
def test_a_picture_depends_on_nothing_but_the_answers():
    found = sweep("softmax-hardmax", "n=1:64:7", gamma="5")
    assert curves(found).picture() == curves(found).picture()


@drawn
def test_what_the_picture_shows(monkeypatch):
    """Both curves where they belong, the failures marked, title, axes and legend."""
    from matplotlib.figure import Figure

    seen = []
    real = Figure.savefig
    monkeypatch.setattr(Figure, "savefig", lambda self, *a, **k: (seen.append(self), real(self, *a, **k))[1])
    curves(sweep("table-lookup", "gamma=1/20:5:7:log", n=100)).picture()
    (axes,) = seen[0].axes
    claimed, sharp, fails = axes.lines
    answers = [table_lookup(v, n=100) for v in sweep("table-lookup", "gamma=1/20:5:7:log", n=100).values]
    assert list(sharp.get_ydata()) == pytest.approx([float(mpmath.log10(a.value.mid)) for a in answers])
    assert list(claimed.get_ydata()) == pytest.approx([float(mpmath.log10(a.claimed.mid)) for a in answers])
    assert len(fails.get_xdata()) == sum(a.holds is False for a in answers) == 2
    assert axes.get_xlabel() == "score gap γ" and "positions" in axes.get_ylabel()
    assert seen[0].get_suptitle() == "yang2026, Lemma 7: claimed (3/2) e$^{-γ}$"
    assert axes.get_title() == "table-lookup: n = 100"
    names = [text.get_text() for text in axes.get_legend().get_texts()]
    assert names == ["claimed: (3/2) e$^{-γ}$", "tight: largest error", "the claim fails"]


@pytest.mark.sweep
@drawn
def test_a_matplotlib_that_does_not_load_is_one_sentence(tmp_path):
    command = [sys.executable, "-m", "symcook", "bound", "lookup", "--over", "gamma=1:2:2", "--plot", "p"]
    told = os.environ | {"MPLBACKEND": "nonsense"}
    done = subprocess.run(command, env=told, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("symcook: matplotlib must be importable for a picture; given: ")
    assert len(done.stderr.splitlines()) == 1
    assert not list(tmp_path.iterdir())


@drawn
def test_what_is_no_claim_or_not_sharp_is_not_called_so(monkeypatch):
    from matplotlib.figure import Figure

    seen = []
    monkeypatch.setattr(Figure, "savefig", lambda self, *arguments, **options: seen.append(self))
    curves(sweep("gelu-relu", "c=1:2:2")).picture()
    names = [text.get_text() for text in seen[0].axes[0].get_legend().get_texts()]
    assert names == ["proved 8499/50000/c", "tight: largest difference"]
    assert "claimed" not in seen[0].get_suptitle()


@drawn
def test_a_zero_is_left_out_and_said():
    notes = plots._notes(sweep("softmax-hardmax", "n=1:3", gamma=1))
    assert notes[-1] == "value 0 at n = 1: not on this axis"
    first = softmax_hardmax(2, 1)
    ratio = float(mpmath.mpf(first.claimed.mid) / mpmath.mpf(first.value.mid))
    least = f"{1.5 * (1 + 2 * float(mpmath.exp(-1))):.6g}"
    assert notes[0] == f"the dashed curve is {least} to {ratio:.6g} times the solid one"


@pytest.mark.sweep
def test_where_nothing_is_claimed_one_curve_is_drawn(tmp_path):
    """PARITY has scores, so that no C/n is proved: cells without a claim are empty, and the text says so."""
    found, files = plot_bound("sensitivity", "n=1:3", tmp_path / "s", model="parity", digits=12)
    rows = [line.split(",") for line in files[0].read_text().splitlines()]
    assert all(row[3:] == ["", "", ""] and row[1] for row in rows[1:]) and len(rows) == 4
    assert "nothing is claimed at all of them" in found.text() and found.claims() == []
    assert found.holds is None and found.to_json()["holds"] is None
    if len(files) > 1:
        assert "tight: " in files[1].read_text() and "claimed: " not in files[1].read_text()


# --- The scale of the axis --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("over", "logarithmic"),
    [("gamma=1:8:3", False), ("gamma=1:12:3", False), ("gamma=1:12:3:log", True), ("gamma=1/1000:1:3", True),
     ("n=1:9:3", False), ("n=1:10:3", True), ("n=1:1000:3:linear", False)],
)  # fmt: skip
def test_the_scale_goes_by_the_argument_or_by_choice(over, logarithmic):
    assert read_over("softmax-hardmax", over)[2] is logarithmic


def test_another_scale_is_refused():
    with pytest.raises(BadInput, match="write the range as NAME=FROM:TO"):
        read_over("softmax-hardmax", "gamma=log")
    with pytest.raises(BadInput, match="number of steps"):
        read_over("softmax-hardmax", "gamma=1:2:logs")
