"""Where the exact model has no run, the runtimes in Python say so, in the words of `run`, and give no numbers."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook.errors import NoRun
from symcook.export import archive, run_npz
from symcook.export.certificate import compare
from symcook.export.files import FORMATS

VARIANCE = "a layer norm with epsilon = 0 must meet a variance above zero; given: zero at index 1"
TEMPERATURE = "a temperature must be positive; given: at length 2"


def flat(placement: str = "final", start: int = 1) -> sc.Transformer:
    """x has equal coordinates, and y has not; the readout looks at the first position alone."""
    space, norm = sc.Space(("a", "b")), sc.LayerNorm(("a", "b"), bias=[1, 2])
    embedding = sc.Embedding(space, words={"x": {"a": 1, "b": 1}, "y": {"a": 1}}, start=start)
    readout = sc.Readout("value", "first", ("a",))
    if placement == "final":
        return sc.Transformer("flat", embedding, (), readout, final_norm=norm)
    network = sc.FeedForward(("a",), ("a",), [[1]], [0], [[0]], [0])
    layer = sc.Layer(None, network, (), (norm,), placement)
    return sc.Transformer("flat", embedding, (layer,), readout)


def cold() -> sc.Transformer:
    """A temperature of 3 - 2n: positive for one symbol, negative for two."""
    space = sc.Space(("a", "b"))
    head = sc.Head(("a",), ("b",), [[1]], [[1]], [[1]], weighting="softmax", temperature="3 - 2*n")
    embedding = sc.Embedding(space, words={"x": {"a": 1}, "y": {"a": -1}})
    return sc.Transformer(
        "cold", embedding, (sc.Layer(sc.SelfAttention((head,))),), sc.Readout("value", "last", ("b",))
    )


def told(model: sc.Transformer, word: str) -> str:
    with pytest.raises(NoRun) as refused:
        model.run(word)
    return str(refused.value)


CASES = [(flat(p), "yx", "y", VARIANCE) for p in ("final", "pre", "post")] + [(cold(), "xy", "x", TEMPERATURE)]


@pytest.mark.parametrize(("model", "without", "word", "says"), CASES)
def test_numpy_says_what_run_says(
    model: sc.Transformer, without: str, word: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    must = says.partition(";")[0]
    assert told(model, without).startswith(must)
    m = archive.arrays(model, "float64", 3)

    def stream(*words: str) -> Any:
        return archive.evaluate(m, archive.embed(m, np.array([["xy".index(t) for t in w] for w in words])))

    assert np.isfinite(stream(word)).all()
    with pytest.raises(NoRun) as refused:
        stream(without)
    assert str(refused.value).startswith(says)
    np.savez(tmp_path / "m.npz", **m)
    with pytest.raises(SystemExit) as ended:
        run_npz.main(str(tmp_path / "m.npz"), without)
    assert ended.value.code == 2 and must in capsys.readouterr().err


def test_the_position_is_that_of_the_first_input_without_a_run() -> None:
    m = archive.arrays(flat(), "float64", 3)
    with pytest.raises(NoRun, match="zero at index 2 of input 1"):
        archive.evaluate(m, archive.embed(m, np.array([[1, 1, 1], [1, 1, 0], [0, 0, 0]])))


def test_a_norm_that_gives_zero_refuses_nothing() -> None:
    model = flat()
    assert model.final_norm is not None
    model = replace(model, final_norm=replace(model.final_norm, zero_variance="zero"))
    m = archive.arrays(model, "float64", 2)
    assert archive.evaluate(m, archive.embed(m, np.array([[0, 1]])))[0, 0].tolist() == [1, 2]


def test_an_export_still_counts_the_inputs_without_a_run() -> None:
    model = flat()
    none = compare(model, archive.arrays(model, "float64", 2), 2)["no_run"]
    assert none["inputs"] == 4 and none["first"] == "x"  # x, xx, xy, yx


@pytest.mark.parametrize(("model", "without", "word", "says"), CASES)
def test_torch_says_what_run_says(model: sc.Transformer, without: str, word: str, says: str, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    for ending, content in FORMATS["torch"].encode(archive.arrays(model, "float64", 3), "m").items():
        (tmp_path / f"m{ending}").write_bytes(content)
    line = [sys.executable, "m.py"]
    done = subprocess.run([*line, without], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stdout == "" and done.stderr.startswith(says)
    assert "Traceback" not in done.stderr and done.stderr.count("\n") == 1
    done = subprocess.run([*line, word], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "nan" not in done.stdout
    ask = f"import m; model = m.load(); model(m.tokens({without!r}))"
    done = subprocess.run([sys.executable, "-c", ask], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and f"ValueError: {says}" in done.stderr


def test_words_longer_than_the_tables_are_refused_by_length(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    m = archive.arrays(sc.build("parity").bind(), "float64", 4)  # three typed symbols and CLS
    says = "an input must have length at most 4"
    with pytest.raises(sc.BadInput, match=says):
        archive.evaluate(m, archive.embed(m, np.array([[0, 1, 0, 1, 0]])))
    np.savez(tmp_path / "m.npz", **m)
    with pytest.raises(SystemExit) as ended:
        run_npz.main(str(tmp_path / "m.npz"), "1010")
    assert ended.value.code == 2 and says in capsys.readouterr().err
    pytest.importorskip("torch")
    for ending, content in FORMATS["torch"].encode(m, "m").items():
        (tmp_path / f"m{ending}").write_bytes(content)
    done = subprocess.run([sys.executable, "m.py", "1010"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith(says) and "Traceback" not in done.stderr
    done = subprocess.run([sys.executable, "m.py", "101"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
