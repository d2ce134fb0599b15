"""`--max-length` counts what one types: words of the promised length run in every format, CLS and EOS beside them."""

from __future__ import annotations

import importlib.util
import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest
from shared import call, document

import symcook as sc

LONGEST = 4


def majority() -> sc.Transformer:
    """More a than b, read at the last position, which is EOS; BOS in front, and positions as a table."""
    b = sc.Builder(
        words={"a": {"vote": 1}, "b": {"vote": -1}, "BOS": {}, "EOS": {}},
        positions={"place": "1/(i + 1)"},
        before="BOS",
        after="EOS",
    )
    mean = b.attention("mean", "vote")
    b.readout("sign", "last", mean, weights=[1])
    return b.build("majority")


MODELS = {
    "parity": (lambda: sc.build("parity").bind(), "01", lambda word: word.count("1") % 2 == 1),
    "majority": (majority, "ab", lambda word: word.count("a") > word.count("b")),
}


def onnx(file: Path, model: sc.Transformer, word: str) -> bool:
    runtime = pytest.importorskip("onnxruntime")
    number = {token: k for k, token in enumerate(model.embedding.words or ())}
    session = runtime.InferenceSession(str(file))
    return bool(session.run(["answer"], {"tokens": [[number[t] for t in model.embedding.surround(word)]]})[0][0])


def shipped(file: Path, word: str, *start: str) -> bool:
    """What the reader says that comes with the format."""
    done = subprocess.run([sys.executable, *start, word], capture_output=True, text=True, check=False, cwd=file.parent)
    assert done.returncode == 0, done.stderr
    return "accept" in done.stdout or "True" in done.stdout


def answered(file: Path, model: sc.Transformer, word: str) -> bool:
    if file.suffix == ".onnx":
        return onnx(file, model, word)
    if file.suffix == ".npz":
        return shipped(file, word, "-m", "symcook.export.run_npz", file.name)
    if file.suffix == ".safetensors":
        return bool(sc.from_safetensors(file).run(word, "ball").accept)
    return shipped(file, word, f"{file.stem}.py")


@pytest.mark.layer_one(3, 6, 7)
@pytest.mark.parametrize("name", list(MODELS))
@pytest.mark.parametrize("ending", ["npz", "safetensors", "onnx", "pt"])
def test_words_of_the_promised_length_run(ending: str, name: str, tmp_path: Path) -> None:
    needed = {"onnx": "onnx", "pt": "torch"}.get(ending)
    if needed is not None and importlib.util.find_spec(needed) is None:
        pytest.skip(f"{needed} is not installed")
    make, letters, right = MODELS[name]
    model, file = make(), tmp_path / f"m.{ending}"
    kind = {"pt": "torch"}.get(ending, ending)
    certificate = model.export(file, format=kind, max_length=LONGEST)
    assert certificate["position_tables"]["N"] == LONGEST + model.embedding.added
    assert certificate["compared"]["inputs"] == sum(2**n for n in range(LONGEST + 1))
    words = ["".join(w) for n in (LONGEST - 1, LONGEST) for w in itertools.product(letters, repeat=n)]
    for word in words if ending in ("onnx", "safetensors") else (words[1], words[-2]):  # the others start a program
        assert answered(file, model, word) is right(word), word


def test_lengths_are_printed_as_they_are_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    majority().save("majority.json")
    code, out, err = call(capsys, "export", "majority.json", "-o", "m.npz", "--max-length", LONGEST)
    assert code == 0, err
    assert f"exact answers up to length {LONGEST} (31 inputs compared)" in out
    assert f"of length 0 to {LONGEST}" in out
    found: Any = document(capsys, "export", "majority.json", "-o", "n.npz", "--max-length", LONGEST)
    assert found["guaranteed"]["added_tokens_counted"] == 2


def test_an_own_greatest_length_counts_what_the_model_adds() -> None:
    """A model whose positions end at 4 takes words of 2 symbols between BOS and EOS, and says so."""
    from dataclasses import replace

    short = replace(majority(), max_length=4)
    assert short.run("ab").accept is False
    with pytest.raises(sc.BadInput, match="length at most 4; given: 5 with BOS and EOS"):
        short.export("never.npz", max_length=3)


@pytest.mark.parametrize("ending", ["npz", "safetensors", "onnx"])
def test_diff_goes_through_words_of_that_length(ending: str, tmp_path: Path) -> None:
    if ending == "onnx" and importlib.util.find_spec("onnx") is None:
        pytest.skip("onnx is not installed")
    model, file = majority(), tmp_path / f"m.{ending}"
    model.export(file, format=ending, max_length=3)
    from symcook.export.reading import from_file

    found = model.diff(from_file(file, ending), 3, tolerance="1e-9")
    assert found.same and found.inputs == 1 + 2 + 4 + 8


def beyond(place: str) -> sc.Transformer:
    """A model whose exported arrays have one table by position: of positions, of factors of scores, or of angles."""
    words = {"a": {"v": 1}, "b": {"v": 3}}
    space = sc.Space(("v", "x", "m"))
    embedding = sc.Embedding(space, words=words, positions={"x": "i"} if place == "positions" else {})
    scores: dict[str, Any] = {"Q": [[1, 0]], "K": [[1, 0]], "V": [[1, 1]]}
    if place == "angles":
        scores = {"Q": [[1, 0], [0, 1]], "K": [[1, 0], [1, 0]], "V": [[1, 1]]}
        head: Any = sc.RotaryHead(("v", "x"), ("m",), **scores, angles=["1/2"], weighting="softmax", mask="future")
    else:
        weighting, temperature = ("softmax", "1/i") if place == "factors" else ("average", 1)
        head = sc.Head(("v", "x"), ("m",), **scores, weighting=weighting, temperature=temperature, mask="future")
    readout = sc.Readout("value", "last", ("m",))
    return sc.Transformer(place, embedding, (sc.Layer(sc.SelfAttention((head,))),), readout)


@pytest.mark.tools("onnxruntime")
@pytest.mark.parametrize("longest", [1, 2, 3])
@pytest.mark.parametrize("place", ["positions", "factors", "angles"])
def test_onnx_refuses_what_is_longer_than_its_tables(place: str, longest: int, tmp_path: Path) -> None:
    """Where a table has one row, it was added to every position of a longer input, without a word."""
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    file = tmp_path / "m.onnx"
    beyond(place).export(file, format="onnx", max_length=longest)
    session = onnxruntime.InferenceSession(str(file))
    for n in range(1, 6):
        given = {"tokens": numpy.zeros((1, n), dtype=numpy.int64)}
        if n <= longest:
            assert numpy.shape(session.run(["stream"], given)[0]) == (1, n, 3)
        else:
            with pytest.raises(Exception, match="out of data bounds"):
                session.run(["stream"], given)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("longest", [2, 5, 2**20])
def test_an_export_ends_where_its_model_ends(longest: int, tmp_path: Path) -> None:
    """A model with a maximum length and no table by position: its arrays have one of zeros, so that each runtime
    refuses what `run` refuses, and the model that is read back does too."""
    from dataclasses import replace

    from symcook.export.archive import reach
    from symcook.export.reading import from_file

    model = replace(beyond(""), max_length=longest)
    ends = longest if longest < 2**20 else 2  # a larger table ends at the length of the export
    file = tmp_path / "m.npz"
    model.export(file, max_length=2)
    arrays = dict(numpy.load(file))
    assert reach(arrays) == ends and not arrays["positions"].any()
    back = from_file(file, "npz")
    for n in range(1, 8):
        word = "ab" * n
        assert back.max_length == ends
        if 2 * n <= ends:
            assert back.run(word).output == model.run(word).output
        else:
            with pytest.raises(sc.BadInput, match=f"length at most {ends}"):
                back.run(word)
    done = subprocess.run(
        [sys.executable, "-m", "symcook.export.run_npz", file.name, "a" * (ends + 1)],
        capture_output=True, text=True, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 2 and f"length at most {ends}" in done.stderr


def test_what_is_read_back_ends_with_its_table(tmp_path: Path) -> None:
    """Of a function of the position that is 0 up to the length of the export, only these values are known."""
    from symcook.export.reading import from_file

    embedding = sc.Embedding(sc.Space(("v", "x")), {"a": {"v": 1}}, positions={"x": "(i - 1)*(i - 2)"})
    model = sc.Transformer("far", embedding, (), sc.Readout("value", "last", ("x",)))
    model.export(tmp_path / "m.npz", max_length=2)
    back = from_file(tmp_path / "m.npz", "npz")
    assert back.run("aa").output == model.run("aa").output == {"x": "0"} and model.run("aaa").output == {"x": "2"}
    with pytest.raises(sc.BadInput, match="length at most 2"):
        back.run("aaa")
