"""Certificates in which something else is said, with hashes that fit: each is noticed, whatever is replaced."""

from __future__ import annotations

import copy
import hashlib
import io
import json
import random
import shutil
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import symcook as sc
from symcook import verify_export
from symcook.__main__ import main
from symcook.claims import STATUSES
from symcook.errors import BadInput, Rejected
from symcook.export import verify
from symcook.export.certificate import Prepared, certificate, prepared
from symcook.export.files import FORMATS, beside, sealed
from symcook.model.modelfile import dumps
from symcook.recipes import info

CLAIM = "cookbook.s9.2.1.accept"
RECIPE = "first"


def own(kind: str = "sign") -> sc.Transformer:
    """The mean of x to here, with a symbol for the x of a."""
    head = sc.Head(("x",), ("m",), [[0]], [[0]], [[1]], "future", "average")
    embedding = sc.Embedding(sc.Space(("x", "m")), words={"a": {"x": "c"}, "b": {"x": -1}}, positions={"m": "1/i"})
    readout = sc.Readout(kind, "last", ("m",), [[1]] if kind == "sign" else None)
    return sc.Transformer("own", embedding, (sc.Layer(head),), readout, parameters=(sc.Parameter("c", "2/3"),))


EXPORTS: dict[str, tuple[Callable[[], sc.Transformer], dict[str, Any]]] = {
    "own": (lambda: own().bind({"c": 1}), {"claims": (CLAIM,)}),
    "symbols": (own, {"values": {"c": "1/3"}, "dtype": "float32"}),
    "values": (lambda: own("value"), {}),
    "recipe": (lambda: sc.build(RECIPE), {"claims": info(RECIPE).claims}),
    "decoder": (lambda: sc.compile("dfa", "a*"), {"steps": 2}),
    "strings": (lambda: own().bind({"c": 1}), {"inputs": "ab*"}),
}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("exported")
    for name, (make, given) in EXPORTS.items():
        make().export(folder / f"{name}.npz", max_length=1 if name == "values" else 2, **given)
    return folder


def known(folder: Path, name: str) -> dict[str, Any]:
    return json.loads((folder / f"{name}.certificate.json").read_text())


def forged(folder: Path, name: str, document: dict[str, Any], tmp_path: Path) -> Path:
    """The same weights with a certificate of this document, and a hash that fits."""
    shutil.copy(folder / f"{name}.npz", tmp_path)
    place = tmp_path / f"{name}.certificate.json"
    place.write_bytes(sealed({key: value for key, value in document.items() if key != "certificate_sha256"})[0])
    return place


Place = tuple[str | int, ...]


def places(value: Any, at: Place = ()) -> Iterator[Place]:
    """Every place of a document, at every depth."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*at, key)
        yield from places(one, (*at, key))


def changed(document: dict[str, Any], at: Place, value: Any) -> dict[str, Any]:
    """The document with another value at a place; without it for `...`."""
    found = copy.deepcopy(document)
    of: Any = found
    for key in at[:-1]:
        of = of[key]
    if value is ...:
        del of[at[-1]]
    else:
        of[at[-1]] = value
    return found


@pytest.mark.sweep
@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.layer_two(every=5)
def test_whatever_is_replaced_is_noticed(
    name: str, exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every place of a certificate two of: nothing, and values of other types and sizes. Each ends in "bad input" or
    "does not hold", and in no other exception. What is computed again is kept from one certificate to the next."""
    document, kept, draw = known(exported, name), dict[str, Any](), random.Random(name)

    def once(call: Callable[..., Any]) -> Callable[..., Any]:
        def kept_call(one: Any, *given: Any, **named: Any) -> Any:
            of = (one.bound, one.values, one.kind, one.dtype, one.max_length) if isinstance(one, Prepared) else (one,)
            key = call.__name__ + dumps(of[0]) + repr((of[1:], given, named))
            if key not in kept:
                kept[key] = call(one, *given, **named)
            return kept[key]

        return kept_call

    for call in (prepared, certificate):
        monkeypatch.setattr(verify, call.__name__, once(call))
    verify_export(forged(exported, name, document, tmp_path))
    tried = 0
    for at in places(document):
        if at[0] == "certificate_sha256":  # which the hash of the file is
            continue
        if name == "decoder" and at[0] != "decoding" and len(at) > 1:  # the others have these places too
            continue
        old = document
        for key in at:
            old = old[key]  # type: ignore[index]
        for value in draw.sample((..., None, "6", 10**7, [1]), 2):
            if value == old or (value is ... and at[0] == "claims" and len(at) == 2):  # it may name fewer claims
                continue
            place = forged(exported, name, changed(document, at, value), tmp_path)
            try:
                verify_export(place)
            except (BadInput, Rejected):
                tried += 1
                continue
            pytest.fail(f"not noticed: {value!r} at {at}")
    assert tried > 80


@pytest.mark.parametrize("name", ["all strings", "a|b", "(a|b)*"])
def test_the_name_of_the_strings_is_theirs_or_not_checked(name: str, exported: Path, tmp_path: Path) -> None:
    document = json.loads(json.dumps(known(exported, "strings")).replace("ab*", name))
    place = forged(exported, "strings", document, tmp_path)
    if name == "all strings":
        assert verify_export(place)["not_checked"].keys() == {"inputs"}
    else:
        with pytest.raises(Rejected, match="'inputs'"):
            verify_export(place)


def forged_weights(weights: Path, data: bytes) -> None:
    """Other weights, with the hashes of a certificate, and of the code beside them, made anew."""
    place, before = beside(weights), hashlib.sha256(weights.read_bytes()).hexdigest()
    weights.write_bytes(data)
    text = place.read_text().replace(before, hashlib.sha256(data).hexdigest())
    if (code := weights.with_suffix(".py")).exists():
        old = hashlib.sha256(code.read_bytes()).hexdigest()
        code.write_text(code.read_text().replace(before, hashlib.sha256(data).hexdigest()))
        text = text.replace(old, hashlib.sha256(code.read_bytes()).hexdigest())
    document = {key: value for key, value in json.loads(text).items() if key != "certificate_sha256"}
    place.write_bytes(sealed(document)[0])


def other_graph(data: bytes) -> bytes:
    """The answer of a graph, negated."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load_model_from_string(data)
    last = model.graph.node[-1]
    model.graph.node.insert(len(model.graph.node) - 1, onnx.helper.make_node("Not", [last.input[0]], ["negated"]))
    model.graph.node[-1].input[0] = "negated"
    return model.SerializeToString()


def other_constant(data: bytes) -> bytes:
    """One constant of a graph, with another value."""
    onnx = pytest.importorskip("onnx")
    model = onnx.load_model_from_string(data)
    one = next(one for one in model.graph.initializer if one.name.startswith("constant_float"))
    one.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(one) + 1, one.name))
    return model.SerializeToString()


def as_bfloat16(data: bytes) -> bytes:
    """The same numbers as tensors of bfloat16, in which a program then computes."""
    torch, packed = pytest.importorskip("torch"), io.BytesIO()
    state = torch.load(io.BytesIO(data), weights_only=True)
    torch.save({key: tensor.to(torch.bfloat16) for key, tensor in state.items()}, packed)
    return packed.getvalue()


def type_of_header(data: bytes) -> bytes:
    """A safetensors file with the same numbers as bfloat16."""
    size = int.from_bytes(data[:8], "little")
    header, offset, parts = json.loads(data[8 : 8 + size]), 0, list[bytes]()
    for key, entry in header.items():
        if key != "__metadata__":
            numbers = np.frombuffer(data[8 + size :][slice(*entry["data_offsets"])], "<u4")
            parts.append((numbers >> 16).astype("<u2").tobytes())
            entry |= {"dtype": "BF16", "data_offsets": [offset, offset := offset + len(parts[-1])]}
    text = json.dumps(header).encode()
    return b"".join((len(text).to_bytes(8, "little"), text, *parts))


def name_twice(data: bytes) -> bytes:
    """An npz file with other numbers under the name of its first array, before all others."""
    packed, other = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as given, zipfile.ZipFile(packed, "w") as written:
        np.save(other, np.load(io.BytesIO(given.read("embedding.npy"))) * 2)
        with warnings.catch_warnings(action="ignore"):
            written.writestr("embedding.npy", other.getvalue())
            for entry in given.infolist():
                written.writestr(entry.filename, given.read(entry))
    return packed.getvalue()


FILES = {
    "graph": ("onnx", other_graph),
    "constant": ("onnx", other_constant),
    "types of torch": ("torch", as_bfloat16),
    "types of safetensors": ("safetensors", type_of_header),
    "a name twice": ("npz", name_twice),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_the_arrays_of_the_model_is_the_one_that_is_written(name: str, tmp_path: Path) -> None:
    """An onnx file whose graph gave the opposite of each answer was "the unchanged weights"."""
    kind, change = FILES[name]
    if FORMATS[kind].needs is not None:
        pytest.importorskip(FORMATS[kind].needs)
    weights = tmp_path / f"m{FORMATS[kind].ending}"
    own().bind({"c": 1}).export(weights, max_length=1, format=kind, dtype="float32")
    assert verify_export(weights).holds
    forged_weights(weights, change(weights.read_bytes()))
    with pytest.raises((BadInput, Rejected), match=r"not the file that an export|two of its arrays have one name"):
        verify_export(weights)


@pytest.mark.sweep
def test_what_is_said_of_nothing_computed_is_noticed(
    exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a certificate of an own model can say without a hash, a bound or a weight that is otherwise."""
    document = known(exported, "own")
    assert document["recipe"] is None and document["compared"]["largest_difference"] is None
    for at, value in [
        (("greatest_length",), 10**6),
        (("compared", "method"), "by a proof"),
        (("compared", "ends"), "never"),
        (("compared", "largest_difference"), 0.0),
        (("symbols",), {"eps": "1/2"}),
        (("arguments",), {"k": 3}),
        (("arguments",), [1]),
        (("source",), "Cookbook 9.2"),
        (("audited",), "yes"),
        (("verified",), True),
        (("not_checked",), {}),
        (("compared", "audited"), "yes"),
        (("guaranteed", "lengths", 0, "audited"), "yes"),
        (("compared", "complete"), 1),
        (("claims",), "x"),
        (("claims",), [{"id": "no.such", "status": "PROVED"}]),
        (("claims",), [{"id": CLAIM, "status": "AUDITED"}]),
        (("claims",), [{"id": CLAIM, "status": "PROVED assuming nothing but good faith"}]),
        (("claims",), [{"id": CLAIM, "status": "PROVED", "by": "me"}]),
        (("files",), {}),
        (("weights",), "nothere.npz"),
        (("weights",), "../x.npz"),
        (("position_tables", "N"), -1),
        (("position_tables", "N"), 4097),
        (("compared",), []),
        (("recipe",), "dyck-1"),
        (("kind",), "safetensors"),
    ]:
        place = forged(exported, "own", changed(document, at, value), tmp_path)
        assert main(["verify-export", str(place)]) in (1, 2), (at, value)
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and "defect" not in err, err
    with_arguments = document | {"recipe": "dyck-1", "arguments": [1]}
    assert main(["verify-export", str(forged(exported, "own", with_arguments, tmp_path))]) == 2


@pytest.mark.sweep
def test_symbols_are_those_that_gave_the_weights(exported: Path, tmp_path: Path) -> None:
    """Of an own model its symbols are in the certificate with it: others give other weights."""
    document = known(exported, "symbols")
    assert (document["recipe"], document["symbols"]) == (None, {"c": "1/3"})
    assert document["model_with_symbols"]["embedding"]["words"]["a"]["x"] == "c"
    assert document["model_file"]["embedding"]["words"]["a"]["x"] == "1/3"
    with pytest.raises(Rejected, match="model_hash"):
        verify_export(forged(exported, "symbols", document | {"symbols": {"c": "1/2"}}, tmp_path))


def test_a_repeated_key_is_refused(exported: Path, tmp_path: Path) -> None:
    """Of two keys, programs read different ones."""
    place = forged(exported, "own", known(exported, "own"), tmp_path)
    text = place.read_bytes().replace(b'{\n "decoding"', b'{\n "model": "other",\n "decoding"', 1)
    text = text[: text.rindex(b': "') + 3] + b"0" * 64 + b'"\n}\n'
    own_hash = hashlib.sha256(text).hexdigest().encode()
    place.write_bytes(text.replace(b"0" * 64, own_hash))
    with pytest.raises(BadInput, match="must be complete and unchanged"):
        verify_export(place)


@pytest.mark.sweep
def test_what_is_not_checked_is_said(exported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Claims that no recipe names; statuses of another day; the arithmetic of another machine. Nothing else."""
    for name in ("symbols", "values", "recipe", "decoder"):
        assert verify_export(exported / f"{name}.npz")["not_checked"] == {}, name
    found = verify_export(exported / "own.npz")["not_checked"]
    assert found.keys() == {"claims"} and "the exporter named these claims" in found["claims"]
    status = known(exported, "own")["claims"][0]["status"]
    other = next(one for one in STATUSES if one != status)
    document = changed(known(exported, "own"), ("claims", 0, "status"), other)
    place = forged(exported, "own", document, tmp_path)
    assert main(["verify-export", str(place)]) == 0
    said = capsys.readouterr().out
    assert f"not checked: claims ({CLAIM} {other}): the exporter named these claims" in said
    assert f"not checked: claims.0.status: the status on the day of the export; today it is {status}" in said
    assert main(["verify-export", str(place), "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["verified"] is True and shown["not_checked"].keys() == {"claims", "claims.0.status"}

    document = known(exported, "values")
    here = document["compared"]["largest_difference"]
    for there, holds in [(here + 1e-13, True), (0.5, False), (-1e-13, False), (float("nan"), False), (None, False)]:
        place = forged(exported, "values", changed(document, ("compared", "largest_difference"), there), tmp_path)
        if holds:
            found = verify_export(place)["not_checked"]
            assert found.keys() == {"compared.largest_difference"} and str(here) in str(found)
        else:
            with pytest.raises(Rejected, match="largest_difference"):
                verify_export(place)


def test_claims_of_a_recipe_are_those_that_it_names(exported: Path, tmp_path: Path) -> None:
    assert CLAIM not in info(RECIPE).claims
    document = known(exported, "recipe")
    assert [each["id"] for each in document["claims"]] == list(info(RECIPE).claims)
    with pytest.raises(BadInput, match="the recipe names"):
        verify_export(forged(exported, "recipe", document | {"claims": known(exported, "own")["claims"]}, tmp_path))
    with pytest.raises(BadInput, match="the recipe names"):
        sc.build(RECIPE).export(tmp_path / "m.npz", max_length=1, claims=[CLAIM])
    assert not (tmp_path / "m.npz").exists()
