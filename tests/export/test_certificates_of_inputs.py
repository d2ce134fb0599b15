"""A certificate that is about some inputs only says so wherever it guarantees something.

In float16 the vote of b, -1/3, is -0.33325, so that abbb has a mean above 0 there, and exactly 0 without rounding.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import symcook as sc
from symcook.export import infloats, run_npz


def thirds(position: str = "last") -> sc.Transformer:
    builder = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": "-1/3"}})
    mean = builder.add(sc.head(value={"mean": "vote"}, mask="causal"))
    builder.readout("sign", position, mean, weights=[1])
    return builder.build("thirds")


@pytest.mark.parametrize("inputs", [["aaaa", "aaab"], "aaa[ab]"])
def test_the_script_warns_of_a_string_that_a_certificate_is_not_about(inputs: Any, tmp_path: Path, capsys: Any) -> None:
    made = thirds().export(tmp_path / "m.npz", dtype="float16", inputs=inputs, max_length=4)
    assert made["guaranteed"]["length"] == 4 and not thirds().run("abbb").accept
    run_npz.main(str(tmp_path / "m.npz"), "abbb")
    out, err = capsys.readouterr()
    assert out.startswith("accept") and "only: for this input the exact answer may be another" in err
    run_npz.main(str(tmp_path / "m.npz"), "aaab")
    assert capsys.readouterr().err == ""


def test_the_script_warns_of_positions_that_a_certificate_is_not_about(tmp_path: Path, capsys: Any) -> None:
    thirds("each").export(tmp_path / "m.npz", dtype="float16", inputs=["abbba"], positions="last", max_length=5)
    run_npz.main(str(tmp_path / "m.npz"), "abbba")
    out, err = capsys.readouterr()
    assert out.startswith("accept, accept, accept, accept") and "positions last only" in err


def test_the_guarantee_names_its_inputs(tmp_path: Path) -> None:
    made = thirds().export(tmp_path / "m.npz", dtype="float16", inputs=["aaab"], max_length=4)
    held = thirds().arrays("float16", inputs=["aaab"], max_length=4)
    for shown in (repr(made), repr(held), str(held)):
        assert "inputs: the 1 " in shown and "for these strings of length 4" in shown
    values = replace(thirds(), readout=sc.Readout("value", "last", ("mean",)))
    assert "on these strings up to length 4" in repr(values.export(tmp_path / "v.npz", inputs=["aaab"], max_length=4))


def test_a_comparison_of_numbers_is_about_the_inputs_that_were_run(tmp_path: Path) -> None:
    builder = sc.Builder(inputs=["x"])
    builder.readout("sign", "last", builder.attention("mean", "x"), weights=[1])
    shown = builder.build("mean").export(tmp_path / "m.npz", max_length=2).text()
    assert re.search(r"exact answers on \d+ inputs up to length 2\n", shown)


def both_ways(alphabet: str) -> sc.Transformer:
    """A model that accepts where 3 x - 1 is above 0 at all positions: a is on the threshold, b and c are below."""
    words = {"a": {"x": "1/3", "y": -1}, "b": {"x": "1/4", "y": -1}, "c": {"x": -2, "y": 0}}
    embedding = sc.Embedding(sc.Space(("x", "y")), words={token: words[token] for token in alphabet})
    tripled = sc.FeedForward(("x", "y"), ("x",), [[1, 0], [-1, 0]], [0, 0], [[2, -2]], [0])
    readout = sc.Readout("sign", "all", ("x", "y"), [[1, 1]])
    return sc.Transformer("tripled", embedding, (sc.Layer(None, tripled),), readout)


def test_the_margin_of_a_string_that_one_position_rejects(tmp_path: Path) -> None:
    """In float16 a may be on either side, and b, at 3/4 - 1, decides that ab is rejected: by 1/4, and not by the 6 of
    cc."""
    made = both_ways("abc").export(tmp_path / "m.npz", dtype="float16", inputs=["ab", "cc"], max_length=2)
    (_, length) = made["guaranteed"]["lengths"]
    assert length["length"] == 2 and 0.24 < float(length["margin"]) <= 0.25


def test_the_margin_in_floats_of_a_string_that_one_position_rejects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sc.Transformer, "dense", True)
    for strings in ([("a", "b"), ("c", "c")], [("c", "c"), ("b", "a")]):
        found = infloats.in_floats(both_ways("abc"), "float16", 2, iter(strings))
        assert found is not None and not found.left and found.margin is not None and 0.23 < found.margin <= 0.25
