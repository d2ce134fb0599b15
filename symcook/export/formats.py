"""The formats of weights: the files of each, the types of float that it has, and what reads it back."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symcook.domains import DTYPES
from symcook.errors import BadInput
from symcook.export.archive import Archive, module
from symcook.model.checks import one_of

NUMPY_DTYPES = DTYPES[:3]


@dataclass(frozen=True)
class FileFormat:
    """A format: the ending of its file of weights, those of files beside it, its types, and what it needs.

    `encode` takes an archive and the stem of the file's name and gives the bytes by ending.
    """

    ending: str
    encode: Callable[[Archive, str], dict[str, bytes]]
    dtypes: tuple[str, ...] = DTYPES
    more: tuple[str, ...] = ()
    needs: str | None = None


def _npz(m: Archive, stem: str) -> dict[str, bytes]:
    import zipfile

    import numpy as np

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:  # as numpy's savez_compressed, but packed for speed
        for key, array in m.items():
            data = io.BytesIO()
            np.lib.format.write_array(data, array, allow_pickle=False)
            packed.writestr(zipfile.ZipInfo(f"{key}.npy"), data.getvalue(), zipfile.ZIP_DEFLATED, compresslevel=1)
    return {".npz": buffer.getvalue()}


def _safetensors(m: Archive, stem: str) -> dict[str, bytes]:
    from symcook.export.safetensors import encode

    return {".safetensors": encode(m)}


def _torch(m: Archive, stem: str) -> dict[str, bytes]:
    from symcook.export import torch_code

    return _with_code(m, stem, ".pt", torch_code.tensors(m), torch_code.code)


def _transformerlens(m: Archive, stem: str) -> dict[str, bytes]:
    from symcook.export import lens

    return _with_code(m, stem, ".pth", lens.Lens(m).state(), lens.code)


def _with_code(
    m: Archive, stem: str, ending: str, arrays: Archive, code: Callable[[Archive, str, str], str]
) -> dict[str, bytes]:
    """A state dict of these arrays, and the code that reads it, which knows its hash."""
    import hashlib

    torch = module("torch")
    kind, buffer = getattr(torch, str(m["dtype"])), io.BytesIO()
    torch.save({key: torch.from_numpy(array.copy()).to(kind) for key, array in arrays.items()}, buffer)
    data = buffer.getvalue()
    return {ending: data, ".py": code(m, stem, hashlib.sha256(data).hexdigest()).encode()}


def _onnx(m: Archive, stem: str) -> dict[str, bytes]:
    from symcook.export.onnx_graph import graph

    return {".onnx": graph(m)}


FORMATS = {
    "npz": FileFormat(".npz", _npz, NUMPY_DTYPES),
    "safetensors": FileFormat(".safetensors", _safetensors),
    "torch": FileFormat(".pt", _torch, more=(".py",), needs="torch"),
    "onnx": FileFormat(".onnx", _onnx, NUMPY_DTYPES, needs="onnx"),
    "transformerlens": FileFormat(".pth", _transformerlens, more=(".py",), needs="transformer_lens"),
}


def check(kind: str, dtype: str) -> FileFormat:
    """The format of this name; BadInput where it does not have the type, or the package that it needs is missing."""
    one_of("format", kind, tuple(FORMATS))
    one_of("dtype", dtype, DTYPES)
    format = FORMATS[kind]
    if dtype not in format.dtypes:
        having = ", ".join(name for name, other in FORMATS.items() if dtype in other.dtypes)
        raise BadInput(f"{kind} must be given one of the types {', '.join(format.dtypes)}", dtype, f"{having} have it")
    need(format.needs)
    return format


def need(package: str | None) -> None:
    """BadInput, naming the extra, where an optional package is not installed."""
    from importlib.util import find_spec

    if package is not None and find_spec(package) is None:
        do = f"pip install 'symcook[{package.replace('_', '')}]'"
        raise BadInput(f"this format needs the package {package}", "it is not installed", do)


def decode(path: Path, data: bytes) -> Archive:
    """The archive in the bytes of a file of weights; of a torch file its arrays alone. BadInput where there is none."""
    kinds = {format.ending: kind for kind, format in FORMATS.items()}
    kind = kinds.get(path.suffix)
    if kind is None:
        raise BadInput(f"a file of weights must end in one of {', '.join(kinds)}", path)
    need(FORMATS[kind].needs)
    if kind == "safetensors":
        from symcook.export.safetensors import decode as safetensors

        return safetensors(data, path)
    must, do = f"{path.name} must be a whole file in the {kind} format", "export it again"
    try:
        if kind == "npz":
            return _from_npz(data)
        return _from_onnx(data) if kind == "onnx" else _from_torch(data)
    except Exception as error:  # what a foreign reader raises for a damaged file may be anything
        raise BadInput(must, f"{path} ({str(error) or type(error).__name__})", do) from None


def held(kind: str, m: Archive) -> Archive:
    """The arrays of an archive that a file of the format holds, by their names there."""
    from symcook.export.lens import Lens
    from symcook.export.torch_code import tensors

    return Lens(m).state() if kind == "transformerlens" else tensors(m) if kind == "torch" else m


def _from_npz(data: bytes) -> Archive:
    import numpy as np

    with np.load(io.BytesIO(data), allow_pickle=False) as archive:
        return dict(archive)


def _from_torch(data: bytes) -> Archive:
    torch = module("torch")
    state = torch.load(io.BytesIO(data), weights_only=True)
    return {key: (t.float() if t.dtype == torch.bfloat16 else t).numpy() for key, t in state.items()}


def _from_onnx(data: bytes) -> Archive:
    from symcook.export.archive import from_facts

    onnx, numpy_helper = module("onnx"), module("onnx.numpy_helper")
    model = onnx.load_model_from_string(data)
    if not any(prop.key == "format" for prop in model.metadata_props):
        raise ValueError("it has not the metadata of an export")
    held: dict[str, Any] = {
        one.name: numpy_helper.to_array(one) for one in model.graph.initializer if not one.name.startswith("constant_")
    }
    return held | from_facts({prop.key: prop.value for prop in model.metadata_props})
