"""Files of an export that lack something, or have too much: what reads them says so in one sentence; and what a file of
the name of a certificate is about."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook import verify_export
from symcook.errors import BadInput, Rejected
from symcook.export import archive, safetensors
from symcook.export.archive import arrays, reach
from symcook.export.files import CLAIM, about, sealed


def stored_again(folder: Path, change: Any) -> None:
    """The weights of m.npz changed, with a certificate whose hashes fit."""
    m = dict(np.load(folder / "m.npz"))
    change(m)
    held = io.BytesIO()
    np.savez_compressed(held, **m)
    (folder / "m.npz").write_bytes(held.getvalue())
    document = json.loads((folder / "m.certificate.json").read_text())
    del document["certificate_sha256"]
    digest = hashlib.sha256(held.getvalue()).hexdigest()
    document |= {"weights_sha256": digest, "files": {"m.npz": digest}}
    (folder / "m.certificate.json").write_bytes(sealed(document)[0])


@pytest.mark.layer_one(0, 2, 4)
@pytest.mark.parametrize(("change", "said"), [
    (lambda m: m.pop("step2.b2"), "lacks step2.b2, which the model has"),
    (lambda m: m.update({"step9.b2": m["step2.b2"]}), "has step9.b2, which the model lacks"),
    (lambda m: m.update({"step2.b2": m["step2.b2"] + 1}), "step2.b2 in .* is not that of the model"),
    (lambda m: m.update({"step2.b2": m["step2.b2"][:, None]}), "step2.b2 in .* is not that of the model"),
    (lambda m: m.update({"step2.b2": m["step2.b2"].astype(np.float32)}), "has the type float32, not float64"),
    (lambda m: m.update({"step2.b2": m["step2.b2"].astype(int)}), "step2.b2 in .* is not that of the model"),
    (lambda m: m.update({"name": np.array("other")}), "name in .* is not that of the model"),
])  # fmt: skip
def test_other_arrays_with_right_hashes(change: Any, said: str, tmp_path: Path) -> None:
    sc.build("dyck-1").export(tmp_path / "m.npz", max_length=3)
    stored_again(tmp_path, lambda m: None)
    verify_export(tmp_path / "m.npz")
    stored_again(tmp_path, change)
    with pytest.raises(Rejected, match=said):
        verify_export(tmp_path / "m.npz")


def test_a_safetensors_file_cut_anywhere() -> None:
    """Or longer than it says, or with a header that is none: never anything but BadInput."""
    m = arrays(sc.build("first").bind(), "bfloat16", 3)
    whole = safetensors.encode(m)
    found = safetensors.decode(whole, "m")
    assert found.keys() == m.keys() and all(np.array_equal(found[key], m[key]) for key in m)
    size = int.from_bytes(whole[:8], "little")
    cuts = [*range(0, 8 + size, 7), 8 + size - 1, *range(8 + size, len(whole))]
    for data in [*(whole[:k] for k in cuts), whole + b"\0", b"\xff" * 40, whole[:8] + b"{" * size + whole[8 + size :]]:
        with pytest.raises(BadInput, match="safetensors"):
            safetensors.decode(data, "m")


@pytest.mark.parametrize(("what", "positions", "temperature", "longest"), [
    ("no tables", {}, "1", None), ("positions", {"b": "1/i"}, "1", 4), ("factors", {}, "1/i", 4),
    ("both", {"b": "i/n"}, "n", 4), ("factors by length", {}, "1/n", 4),
])  # fmt: skip
def test_how_long_words_may_be(what: str, positions: Any, temperature: str, longest: int | None) -> None:
    head = sc.Head(("a",), ("b",), [[1]], [[1]], [[1]], "future", "softmax", temperature=temperature)
    embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}}, positions=positions)
    model = sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("b",)))
    m = arrays(model, "float64", 4)
    assert reach(m) == longest
    tokens = np.zeros((1, 5), dtype=int)
    assert archive.evaluate(m, archive.embed(m, tokens[:, :4])).shape == (1, 4, 2)
    if longest is None:
        assert archive.evaluate(m, archive.embed(m, tokens)).shape == (1, 5, 2)
    else:
        with pytest.raises(BadInput, match="4"):
            archive.evaluate(m, np.zeros((1, 5, 2)))


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_the_greatest_number_of_a_type(dtype: str) -> None:
    """Numbers to half a step beyond it are rounded to it; half a step beyond, and above, is refused with the weight."""
    bits, most = {"float64": (53, 1024), "float32": (24, 128), "float16": (11, 16), "bfloat16": (8, 128)}[dtype]
    greatest, half = (2**bits - 1) * 2 ** (most - bits), 2 ** (most - bits - 1)
    for sign in (1, -1):
        for value, fits in [
            (greatest, True), (greatest + half // 2, True),
            (greatest + half, False), (2**most, False), (2**1030, False),
        ]:  # fmt: skip
            embedding = sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": sign * value}})
            head = sc.Head(("a",), ("b",), [[0]], [[0]], [[1]], "none")
            model = sc.Transformer("m", embedding, (sc.Layer(head),), sc.Readout("value", "last", ("b",)))
            if fits:
                assert int(arrays(model, dtype, 1)["embedding"][0, 0]) == sign * greatest
            else:
                with pytest.raises(BadInput, match=f"must fit {dtype}"):
                    arrays(model, dtype, 1)


def test_what_a_certificate_is_about(tmp_path: Path) -> None:
    place = tmp_path / "m.certificate.json"
    assert about(place) == []
    for text, found in [
        ("", []), ("[]", []), ("3", []), ("{}", []), ('{"proof": []}', [CLAIM]),
        ('{"files": {"m.npz": "0"}}', ["m.npz"]),
        ('{"files": ["m.npz"]}', []), ('{"files": 3, "proof": 1}', [CLAIM]), ("[" * 100000, []), ("\0", []),
    ]:  # fmt: skip
        place.write_text(text)
        assert about(place) == found, text[:40]


@pytest.mark.parametrize("name", ["a\0b.npz", "none.npz", "."])
def test_what_cannot_be_read(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput):
        verify_export(f"{tmp_path}/{name}")
