"""The files of an export: which formats there are, writing weights with their certificate, and reading them back.

All files of an export are written, or none. A certificate has the hashes of its files and, as its last entry, its own
hash, so that `read` notices if a byte of any of them has changed.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from symcook.domains import DTYPES
from symcook.errors import BadInput, Rejected
from symcook.export.archive import Archive, module
from symcook.files import content, exists, ordinary, parsed, put, vacant
from symcook.model.checks import one_of

UNKNOWN = "0" * 64
"""What a certificate has in place of its own hash while the hash is computed."""
_OWN = re.compile(rb'"certificate_sha256": "([0-9a-f]{64})"\n}\n\Z')
"""The last entry of a certificate, with its hash."""
WEIGHTS_FILE = "the file of weights"
NUMPY_DTYPES = DTYPES[:3]
"""The types that numpy has: all but bfloat16."""


@dataclass(frozen=True)
class FileFormat:
    """A format of exports."""

    ending: str
    """The ending of the file of weights."""
    encode: Callable[[Archive, str], dict[str, bytes]]
    """The files {ending: bytes} of an archive; the second argument is the stem of their names."""
    says: Callable[[bytes], object]
    """What a file of weights says beside the numbers of its arrays: two files of one archive say the same, whichever
    versions of libraries have written them."""
    dtypes: tuple[str, ...] = DTYPES
    """The number types that the format has."""
    more: tuple[str, ...] = ()
    """The endings of further files."""
    needs: str | None = None
    """The package that the format needs, if any."""


def _npz(m: Archive, stem: str) -> dict[str, bytes]:
    """The archive as numpy's npz. Entries have a fixed date, so that equal archives are equal bytes."""
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
    """The archive as a safetensors file."""
    from symcook.export.safetensors import encode

    return {".safetensors": encode(m)}


def _torch(m: Archive, stem: str) -> dict[str, bytes]:
    """The archive as a torch state dict with code."""
    from symcook.export import torch_code

    return _with_code(m, stem, ".pt", torch_code.tensors(m), torch_code.code)


def _transformerlens(m: Archive, stem: str) -> dict[str, bytes]:
    """The archive as a state dict for TransformerLens with code."""
    from symcook.export import lens

    return _with_code(m, stem, ".pth", lens.Lens(m).state(), lens.code)


def _with_code(
    m: Archive, stem: str, ending: str, arrays: Archive, code: Callable[[Archive, str, str], str]
) -> dict[str, bytes]:
    """A torch state dict of `arrays`, and the code that reads it and checks its hash."""
    torch = module("torch")
    kind, buffer = getattr(torch, str(m["dtype"])), io.BytesIO()
    torch.save({key: torch.from_numpy(array.copy()).to(kind) for key, array in arrays.items()}, buffer)
    data = buffer.getvalue()
    return {ending: data, ".py": code(m, stem, hashlib.sha256(data).hexdigest()).encode()}


def _onnx(m: Archive, stem: str) -> dict[str, bytes]:
    """The archive as an ONNX graph."""
    from symcook.export.onnx_graph import graph

    return {".onnx": graph(m)}


def _nothing_more(data: bytes) -> object:
    """An npz file is its arrays."""
    return None


def _every_byte(data: bytes) -> object:
    """A safetensors file is written without a library: equal archives are equal bytes."""
    return data


def _torch_types(data: bytes) -> object:
    """The type of each tensor, which its numbers as an array do not have."""
    return {key: tensor.dtype for key, tensor in _state_of(data).items()}


def _onnx_model(data: bytes) -> object:
    """The whole model: the nodes of its graph and their constants, which compute the answer, and its metadata."""
    return module("onnx").load_model_from_string(data)


FORMATS = {
    "npz": FileFormat(".npz", _npz, _nothing_more, NUMPY_DTYPES),
    "safetensors": FileFormat(".safetensors", _safetensors, _every_byte),
    "torch": FileFormat(".pt", _torch, _torch_types, more=(".py",), needs="torch"),
    "onnx": FileFormat(".onnx", _onnx, _onnx_model, NUMPY_DTYPES, needs="onnx"),
    "transformerlens": FileFormat(".pth", _transformerlens, _torch_types, more=(".py",), needs="transformer_lens"),
}


BY_ENDING = {format.ending: kind for kind, format in FORMATS.items()}
"""{ending of a file: its format}."""


def by_ending(target: str | Path) -> str:
    """The format of a file of this name: by its ending, npz where no format has it."""
    return BY_ENDING.get(Path(target).suffix, "npz")


def dtype_name(dtype: object) -> Any:
    """The name of a dtype that is given as an object of numpy or torch, such as numpy.float32; else `dtype` itself."""
    if type(dtype).__module__.partition(".")[0] == "torch":
        name: object = str(dtype).removeprefix("torch.")
    else:
        name = getattr(dtype, "name", getattr(dtype, "__name__", None))
    return name if isinstance(name, str) and name in DTYPES else dtype


def check(kind: str, dtype: str) -> FileFormat:
    """The format of this name; BadInput where it does not have the type, or the package that it needs is missing."""
    one_of("format", kind, tuple(FORMATS))
    one_of("dtype", dtype, DTYPES)
    format = FORMATS[kind]
    if dtype not in format.dtypes:
        having = ", ".join(name for name, its_format in FORMATS.items() if dtype in its_format.dtypes)
        raise BadInput(f"{kind} must be given one of the types {', '.join(format.dtypes)}", dtype, f"{having} have it")
    need(format.needs)
    return format


def need(package: str | None) -> None:
    """BadInput, naming the extra, where an optional package is not installed."""
    from importlib.util import find_spec

    if package is not None and find_spec(package) is None:
        do = f"pip install 'symcook[{package.replace('_', '')}]'"
        raise BadInput(f"this format needs the package {package}", "an installation without this package", do)


def decode(path: Path, data: bytes) -> Archive:
    """The archive in the bytes of a file of weights; for a torch or transformerlens file, the arrays of its state dict
    only. BadInput where the file is not in the format of its ending, or the package of the format is missing."""
    kind = BY_ENDING.get(path.suffix)
    if kind is None:
        must = f"a file of weights must end in one of {', '.join(BY_ENDING)}"
        raise BadInput(must, path, "give a name such as model.npz")
    need(FORMATS[kind].needs)
    if kind == "safetensors":
        from symcook.export.safetensors import decode as safetensors

        return safetensors(data, path)
    must, do = f"{path.name} must be a whole file in the {kind} format", "export the model again"
    try:
        if kind == "npz":
            return _from_npz(data)
        return _from_onnx(data) if kind == "onnx" else _from_torch(data)
    except Exception as error:  # what a foreign reader raises for a damaged file may be anything
        raise BadInput(must, f"{path} ({str(error) or type(error).__name__})", do) from None


def held(kind: str, m: Archive) -> Archive:
    """The arrays that a file of the format `kind` stores for an archive, under their names in the file."""
    from symcook.export.lens import Lens
    from symcook.export.torch_code import tensors

    if kind == "transformerlens":
        return Lens(m).state()
    return tensors(m) if kind == "torch" else m


def _from_npz(data: bytes) -> Archive:
    """The archive of an npz file."""
    from symcook.export.run_npz import arrays

    return arrays(data)


def _from_torch(data: bytes) -> Archive:
    """The arrays of a torch state dict; bfloat16 becomes float32."""
    bfloat16 = module("torch").bfloat16
    return {key: (t.float() if t.dtype == bfloat16 else t).numpy() for key, t in _state_of(data).items()}


def _state_of(data: bytes) -> Mapping[str, Any]:
    """The tensors of a torch state dict."""
    return module("torch").load(io.BytesIO(data), weights_only=True)


def _from_onnx(data: bytes) -> Archive:
    """The archive of an onnx file: float arrays from its weights, the rest from its metadata."""
    from symcook.export.archive import from_facts

    onnx, numpy_helper = module("onnx"), module("onnx.numpy_helper")
    model = onnx.load_model_from_string(data)
    if not any(prop.key == "format" for prop in model.metadata_props):
        raise ValueError("it has not the metadata of an export")
    arrays: dict[str, Any] = {
        initializer.name: numpy_helper.to_array(initializer)
        for initializer in model.graph.initializer
        if not initializer.name.startswith("constant_")
    }
    return arrays | from_facts({prop.key: prop.value for prop in model.metadata_props})


def targets(path: str, *, force: bool, kind: str = "npz") -> tuple[Path, Path]:
    """The paths of the weights and of the certificate; BadInput where a file of the export cannot be written, or exists
    and there is no `force`. A certificate of something else is not replaced even with `force`."""
    # The name and its ending.
    weights, ending = Path(path), FORMATS[kind].ending
    if weights.name == "-":
        ordinary(weights, "the weights", f"-o m{ending}")
    if weights.suffix != ending or not weights.stem:
        article = "an" if kind in ("onnx", "npz") else "a"
        must = f"the file for the weights of {article} {kind} export must end in {ending}"
        endings = {format.ending for format in FORMATS.values()}
        do = f"give -o m{ending}"
        if weights.suffix and weights.suffix not in endings:
            *most, last = [f"m{format.ending}" for format in FORMATS.values()]
            do = f"give -o {', '.join(most)} or {last}"
        raise BadInput(must, path or "nothing", do)
    # The folder, and a certificate that may already be there.
    folder = weights.parent
    if not folder.is_dir():
        raise BadInput("the folder for the weights must exist", str(folder), "make this folder first")
    certificate = beside(weights)
    subject = _other(certificate, weights)
    if subject is not None:  # not replaced even with --force
        must = f"{certificate.name} must be about {weights.name}, since it would be replaced"
        free = weights.with_name(f"{weights.stem}-weights{ending}")
        do = f"give another name: -o {free}"
        if subject == CLAIM:  # of an earlier version, in which proofs had this name
            do = f"rename it to {weights.stem}.proof.json, or {do}"
        raise BadInput(must, f"a certificate about {subject}", do)
    # Each file that will be written: the weights, the certificate, and code beside them.
    for target in (weights, certificate, *(weights.with_suffix(extra_ending) for extra_ending in FORMATS[kind].more)):
        ordinary(target, "the file for the weights", f"-o m{ending}")
        code = target not in (weights, certificate)
        # Exports in two formats have the same file of code: equal.py is that of equal.pt and of equal.pth.
        if code and target.is_file() and not force and not weights.exists():
            do = f"give another name, as -o {weights.stem}-{kind}{ending}, or add --force to replace it"
            raise BadInput("the code must not replace that of another export", target, do)
        vacant(target, force)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput(
            "the folder for the weights must be writable", str(folder), "give another folder, or make it writable"
        )
    return weights, certificate


CLAIM = "a claim"
"""What `about` returns for the certificate of a theorem."""


def about(certificate: Path) -> list[str]:
    """What the file `certificate` is about: [`CLAIM`], or the names of the files of an export; [] where it is not a
    certificate."""
    if not certificate.is_file():
        return []
    try:
        document = parsed(content(certificate, "the certificate"), "", certificate)
    except BadInput:
        return []
    if not isinstance(document, dict):
        return []
    files = document.get("files")
    if isinstance(files, dict):
        return list(files)
    return [CLAIM] if "proof" in document else []


def _other(certificate: Path, weights: Path) -> str | None:
    """What an existing certificate of this name is about, other than `weights`; None where nothing else would be lost.

    It may be the certificate of a theorem, or of an export by an older version, in which certificates of all formats
    had the same name.
    """
    names = about(certificate)
    if weights.name in names or names == [CLAIM]:
        return CLAIM if names == [CLAIM] else None
    others = [name for name in names if Path(name).suffix != weights.suffix]
    return ", ".join(name for name in others if (certificate.parent / Path(name).name).exists()) or None


def beside(weights: Path) -> Path:
    """The path of the certificate of a file of weights: m.certificate.json for m.npz, m.onnx.certificate.json for
    m.onnx, and so on, so that a folder may have exports of one model in several formats. For the code m.py, it is that
    of m.pth or m.pt."""
    if weights.suffix == ".npz":
        return weights.with_suffix(".certificate.json")
    name = weights
    if weights.suffix == ".py":
        lens = weights.with_suffix(".pth")
        name = lens if lens.exists() else weights.with_suffix(".pt")
    return name.with_name(f"{name.name}.certificate.json")


def certificate_of(weights: Path) -> Path:
    """The path of the certificate of a file of weights: that of `beside`, or, where only this one exists, that of older
    versions, which was m.certificate.json for every format. The file may not exist."""
    current, older = beside(weights), weights.with_suffix(".certificate.json")
    return older if not current.exists() and older.exists() else current


def write(
    weights: Path,
    certificate: Path,
    contents: Mapping[str, bytes],
    document: Mapping[str, object],
    *,
    force: bool,
) -> dict[str, Any]:
    """Write all files or none, `contents` by the ending of the name; returns the certificate with their hashes.

    BadInput where they cannot be written, or (without `force`) have come to exist.
    """
    files = {weights.with_suffix(ending): data for ending, data in contents.items()}
    full = dict(document) | told(weights, files)
    text, full["certificate_sha256"] = sealed(full)
    try:
        put({certificate: text, **files}, force=force)
    except FileExistsError as error:
        raise exists(error.filename) from None
    except OSError as error:
        raise BadInput(
            "the target must be writable",
            f"{weights} ({error.strerror})",
            "give another name, or make the folder writable",
        ) from error
    return full


def told(weights: Path, files: Mapping[Path, bytes]) -> dict[str, Any]:
    """The entries of a certificate about its files: their names and hashes."""
    return {
        "weights": weights.name,
        "weights_sha256": hashlib.sha256(files[weights]).hexdigest(),
        "files": {path.name: hashlib.sha256(data).hexdigest() for path, data in files.items()},
    }


def sealed(document: Mapping[str, object]) -> tuple[bytes, str]:
    """The bytes of a certificate and its hash, which is that of the bytes with zeros in place of the hash."""
    text = json.dumps({**document, "model_file": None, "certificate_sha256": UNKNOWN}, indent=1) + "\n"
    model = json.dumps(document.get("model_file"))  # on one line, which Python writes ten times faster than with breaks
    text = text.replace('\n "model_file": null', f'\n "model_file": {model}').encode()
    own = hashlib.sha256(text).hexdigest()
    return text[: -len(UNKNOWN) - 4] + own.encode() + text[-4:], own


def read(path: str | Path) -> tuple[Path, dict[str, Any], dict[Path, bytes]]:
    """The certificate at or beside a path, its document, and the bytes of the files that it names.

    Raises BadInput where one is missing or is no certificate, Rejected where a byte of one has changed.
    """
    # Which certificate: the path itself, or the one beside the weights that it names.
    named_path = Path(path)
    if not named_path.name:
        raise BadInput("a file of weights or a certificate must be named", path or "nothing", "give the name of a file")
    certificate = named_path if named_path.name.endswith(".certificate.json") else certificate_of(named_path)
    if named_path.suffix == ".json" and named_path != certificate:
        do = f"give the weights, for example: symcook verify-export {named_path.with_suffix('.npz')}"
        raise BadInput("an export must be given by the file of its weights or of its certificate", named_path, do)
    next_to = "export writes it next to the weights"
    # The document: JSON of an export, not of a theorem.
    text = content(certificate, "the certificate", do=lambda: next_to)
    try:
        document = parsed(text, "", certificate)
        if CLAIM in about(certificate) and "files" not in document:
            do = "give the weights, for example: symcook verify-export weights.npz"
            raise BadInput("the certificate must be that of an export, not of a theorem", certificate, do)
        names = {str(name): str(value) for name, value in document["files"].items()}
        if not {"weights", "format"} <= document.keys():
            raise KeyError
    except (BadInput, ValueError, KeyError, TypeError, AttributeError):
        raise BadInput(
            "a certificate must be complete and unchanged, as symcook export has written it",
            certificate,
            "export the model again",
        ) from None
    # Its own hash, over its bytes with zeros in place of the hash; without a hash the comparison fails too.
    match = _OWN.search(text)
    start, end = match.span(1) if match else (0, 0)
    own_hash = hashlib.sha256(text[:start] + UNKNOWN.encode() + text[end:]).hexdigest()
    if own_hash != text[start:end].decode():
        raise Rejected(f"{certificate} has been changed since it was written: the hash does not fit its bytes.")
    # The files that it names, next to it, each with its hash.
    contents = {}
    for name, wanted in names.items():
        if Path(name).name != name:
            raise BadInput(
                "the weight files that a certificate names must be next to it", name, "export the model again"
            )
        place = certificate.parent / name
        contents[place] = content(place, WEIGHTS_FILE)
        if hashlib.sha256(contents[place]).hexdigest() != wanted:
            raise Rejected(f"{place} has been changed, or is not the file that {certificate.name} names.")
    if named_path != certificate and named_path.name not in names:
        raise BadInput(
            f"{certificate.name} must be about the given file",
            named_path,
            f"the certificate is about {', '.join(names)}",
        )
    return certificate, document, contents
