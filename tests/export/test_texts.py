"""Texts and bytes that an export writes, as another program reads them: whether or not that program is there."""

from __future__ import annotations

import ast
import json
from dataclasses import replace

import symcook as sc
from symcook.export import archive, lens, safetensors, torch_code


def model(words: bool) -> sc.Transformer:
    embedding = (
        sc.Embedding(sc.Space(("a", "b")), words={"x": {"a": 1}, "y": {"b": 1}})
        if words
        else sc.Embedding(sc.Space(("a", "b")), inputs=("a",))
    )
    return sc.Transformer("small", embedding, (), sc.Readout("value", "last", ("a",)))


def test_a_header_of_safetensors_ends_at_a_multiple_of_eight() -> None:
    """As the format asks for, so that numbers of any type are aligned; padded by spaces, which JSON leaves out."""
    for words in (True, False):
        for dtype in ("float64", "bfloat16"):
            for name in ("m", "mo", "model", "a model of nine"):
                made = archive.arrays(replace(model(words), name=name), dtype, 3)
                data = safetensors.encode(made)
                size = int.from_bytes(data[:8], "little")
                assert size % 8 == 0 and data[8 + size - 1 : 8 + size] in (b"}", b" ")
                assert json.loads(data[8 : 8 + size])


def test_a_module_says_what_it_takes() -> None:
    for words, one, other in ((True, "WORD", "ROWS"), (False, "ROWS", "WORD")):
        text = torch_code.code(archive.arrays(model(words), "float32", 3), "stem", "0" * 64)
        said = ast.get_docstring(ast.parse(text)) or ""
        assert f"python stem.py {one}" in said and other not in said
        assert "stem.pt.certificate.json" in said and "in float32" in said
        assert ("rows of inputs" in text) is not words


def test_a_module_for_transformer_lens_is_python() -> None:
    text = lens.code(archive.arrays(model(True), "float32", 3), "stem", "0" * 64)
    ast.parse(text)
    assert all(part in text for part in ("small", "stem.pth", "stem.pth.certificate.json", "stem.py", "0" * 64))
