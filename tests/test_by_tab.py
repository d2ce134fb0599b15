"""What is reached by tab and help, and what the first hour of new users met: each point of theirs is a test."""

from __future__ import annotations

import inspect
import pydoc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shared import call, refused

import symcook as sc
from symcook.bounds import KINDS
from symcook.errors import BadInput
from symcook.model.choices import shown_word
from symcook.model.ends import READOUTS


def test_the_commands_that_say_what_there_is_are_functions(capsys: pytest.CaptureFixture[str]) -> None:
    """They print as the commands do."""
    for ask, words in (
        (lambda: sc.list(), ("list",)),
        (lambda: sc.list("bracket"), ("list", "bracket")),
        (lambda: sc.explain("gtzero"), ("explain", "gtzero")),
        (lambda: sc.explain("sort.srasp"), ("explain", "sort.srasp")),
        (lambda: sc.explain("grammar"), ("explain", "grammar")),
        (lambda: sc.show("gtzero", eps="1/8"), ("show", "gtzero", "--set", "eps=1/8")),
    ):
        code, said, _ = call(capsys, *words)
        assert code == 0 and said.rstrip("\n") == str(ask()).rstrip("\n") == repr(ask()).rstrip("\n")
    assert "Layer 1, attention, mask causal" in sc.show(sc.build("dyck-1"))
    assert {"list", "explain", "show"} <= {*dir(sc)}
    for wrong in (lambda: sc.explain("gtzer"), lambda: sc.show("dyck-2"), lambda: sc.explain()):
        with pytest.raises(BadInput):
            wrong()


def test_a_model_lists_names_for_users_alone() -> None:
    """Each is explained, or is a field; what the library computes for itself is left out."""
    model = sc.build("dyck-1")
    public = {name for name in dir(model) if not name.startswith("_")}
    assert {*sc.VERBS} - {"__call__"} <= public and {"layers", "space", "alphabet", "symbols", "bind"} <= public
    inside = {"REPORT", "check_length", "compares", "dense", "expressions", "kept", "live", "mapped", "normed",
              "pointwise", "unfollowed", "widest", "with_numbers"}  # fmt: skip
    assert not inside & public and all(hasattr(model, name) for name in inside | public)


def test_help_lists_kinds_arguments_and_an_example() -> None:
    readout = pydoc.plain(pydoc.render_doc(sc.Builder.readout))
    assert all(shown_word(kind) in readout for kind in READOUTS if kind != "groups")
    words = ("Arguments:", "kind:", "position:", "reads:", "weights:", "Example:", ">>>")
    assert all(word in readout for word in words)
    bound = pydoc.plain(pydoc.render_doc(sc.bound))
    assert all(kind in bound for kind in KINDS) and "Arguments:" in bound and ">>>" in bound
    for kind in KINDS.values():  # required arguments are named behind the kind
        named = inspect.cleandoc(bound).replace("\n", " ").partition(kind.name + " (")[2]
        first = [one.name for one in kind.arguments if one.required]
        assert not named or all(name in named[:120] for name in first), kind.name


def test_a_builder_shows_itself() -> None:
    b = sc.Builder(words="ab", positions={"place": "i/n"})
    mean = b.attention("mean", reads="a", mask="causal")
    assert repr(b).splitlines() == [
        "Builder: 4 coordinates: a, b, place, mean",
        "  place = i/n",
        "  <Head average, mask causal: a -> mean>",
        "  no readout yet",
    ]
    b.readout("sign", "last", mean, weights=[1])
    assert "no readout" not in repr(b) and "mean" in repr(b).splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "says"),
    [({"positions": {"i": "i"}}, "given: i"), ({"positions": {"p": 0.5}}, "not a Python float"),
     ({"positions": {"p": "i i"}}, "must follow the grammar"), ({"positions": {"p": "tau"}}, "given: tau"),
     ({"positions": ["i"]}, "must be a mapping"), ({"words": {"a": {"x": 0.5}}}, "not a Python float"),
     ({"words": {"a": {"n": 1}}}, "given: n"), ({"before": "BOS"}, "given: BOS"), ({"start": 2}, "given: 2")],
)  # fmt: skip
def test_a_wrong_value_is_refused_where_it_is_given(words: dict[str, object], says: str) -> None:
    """By the Builder, and not by the model that it builds at the end."""
    with pytest.raises(BadInput, match=says):
        sc.Builder(**({"words": "ab"} | words))  # type: ignore[arg-type]
    b = sc.Builder(words="ab")
    for wrong in (0.5, "i i", "tau"):
        with pytest.raises(BadInput):
            b.position("p", wrong)
    assert b.position("p", "i") == "p"


def test_a_lookup_takes_a_position() -> None:
    """C3: the first position by "1", the mirrored one by an expression; a coordinate still is one."""
    b = sc.Builder(words="abc", positions={"last": "n"})
    found = [b.lookup(tuple(f"{k}{c}" for c in "abc"), q, b.tokens) for k, q in (("f", "1"), ("m", "n + 1 - i"))]
    assert b.lookup("la", "last", "a") == ("la",)
    for coordinates, wanted in ((found[0], "aaaa"), (found[1], "accb")):
        b.readout("argmax", "each", coordinates, labels="abc")
        assert "".join(b.build("m").run("bcca" if wanted == "accb" else "abca").outputs or ()) == wanted
    with pytest.raises(BadInput, match="did you mean last"):
        b.lookup("no", "lst", "a")


@pytest.mark.sweep
def test_searches_by_section_and_without_a_find(capsys: pytest.CaptureFixture[str]) -> None:
    """C3 and C6: `list 9.2`, `claims --search 'Section 9.2'`; exit 1 where nothing fits."""
    by_argument, by_option = (call(capsys, "list", *words) for words in (("9.2",), ("--search", "Section 9.2")))
    assert by_argument[:2] == by_option[:2] and by_argument[0] == 0 and "dyck-1" in by_argument[1]
    assert call(capsys, "list", "zebra")[:2] == (1, "no recipe fits\n")
    assert call(capsys, "list", "--search", "zebra", "--json")[:2] == (1, "[]\n")
    code, said, _ = call(capsys, "claims", "--search", "Section 9.2")
    assert code == 0 and "cookbook" in said
    assert call(capsys, "claims", "--search", "zebra")[:2] == (1, "no claim fits\n")
    assert "leave one out" in refused(capsys, "list", "a", "--search", "b")


def test_a_foreign_symbol_is_answered_by_the_setting_that_takes_it(capsys: pytest.CaptureFixture[str]) -> None:
    """C3: a recipe whose alphabet can be set says how."""
    said = refused(capsys, "run", "induction-most-recent", "--input", "abca")
    assert "alphabet A B C D; given: a; give its symbols: --set alphabet=abc" in said
    code, text, _ = call(capsys, "run", "induction-most-recent", "--input", "abca", "--set", "alphabet=abc")
    assert code == 0 and "a, b, c, b" in text
    assert refused(capsys, "run", "dyck-1", "--input", "a").endswith("given: a.\n")


def test_messages_and_pages_of_the_first_hour(capsys: pytest.CaptureFixture[str]) -> None:
    """C6: a missing input is called one; no goal for lines that the checker does not meet; a string as its symbols."""
    with pytest.raises(BadInput, match=r'run must be given an input; given: none; write run\("ab"\)'):
        sc.build("dyck-1").run()
    _, trust, _ = call(capsys, "prove", "--trust")
    assert "should have at most" not in trust and "  in all" in trust
    from symcook.report.proof import _assignment

    assert _assignment("w", "i. 1*I[i = 1] + 3*I[i = 2] + I[i = 4]") == "w = (1, 3, 0, 1) and then 0"
    assert _assignment("w", "i. 1*I[i = 1] + 3*I[j = 2]").startswith("w(i) = ")
    assert _assignment("v", "i. 2*I[i = 1]") == "v(i) = 2 if i = 1, else 0"


def test_advice_names_what_can_be_typed(tmp_path: Path) -> None:
    """C4: a mask that is none is answered by the words of the README."""
    with pytest.raises(BadInput, match="did you mean causal"):
        sc.head(value={"x": "y"}, mask="casual")  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [24, 31, 40])
def test_an_option_stays_on_its_line(width: int) -> None:
    """In messages and tables on a narrow terminal."""
    from symcook.cli.output import fitted

    text = "  give --max-length 12 or --min-length 3, see --to-the-end and --bind-all-the-names for more of these"
    for line in fitted(text, width).splitlines():
        assert not line.endswith("-"), line


@pytest.mark.tools("matplotlib")
def test_the_note_of_a_plot_is_inside_the_picture() -> None:
    """C6: a note that is wider than the picture takes several lines."""
    pytest.importorskip("matplotlib")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    from symcook.report.figure import _draw, sheet
    from symcook.report.plots import curves

    note = "; ".join(["the dashed curve is 1.2 to 45 times the solid one"] * 5)
    swept: Any = sc.bound("softmax-hardmax", n=[1, 2, 3], gamma=5, digits=5)
    figure = replace(curves(swept), note=note)
    drawn = sheet((5, 4))
    canvas = FigureCanvasAgg(drawn)
    _draw(drawn, figure)
    canvas.draw()
    written = drawn._supxlabel  # type: ignore[attr-defined]
    box = written.get_window_extent()
    assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= drawn.bbox.width and box.height > 2 * 8
    axes = drawn.axes[0].get_tightbbox()
    assert axes is not None and axes.y0 >= box.y1 - 1  # the picture makes room for it
