"""Files of weights as they are published: safetensors, torch, npz and JSON, read without running code.

A file is told by its first bytes, not by its name. Files of torch are read by torch itself, which is asked for weights
alone; the other formats need numpy alone.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from symcook.errors import BadInput
from symcook.files import MOST_BYTES, content, parsed, start_of
from symcook.published.turning import alike

READ = "safetensors, torch (.pt, .bin), npz or JSON"
"""The formats of files that are read."""
STARTS = {
    "GGUF": b"GGUF", "HDF5": b"\x89HDF", "one array of numpy (.npy)": b"\x93NUMPY", "gzip": b"\x1f\x8b",
    "xz": b"\xfd7zXZ", "a Git LFS pointer, without the weights": b"version https://git-lfs", "HTML": b"<",
    "ONNX": b"\x08", "nothing, it is empty": b"",
}  # fmt: skip
"""{a format that is not read: how its files begin}; the last begins every file."""
NUMBERS = {
    "F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "i1",
    "U8": "u1", "BOOL": "?",
}  # fmt: skip
"""{a type of safetensors: that of numpy}. Numbers of BF16 are the upper halves of those of F32."""
MOST_HEADER = 10**8
"""The greatest size of a header of safetensors, as its library has it."""
INSIDE = ("model", "state_dict", "model_state_dict")
"""The names under which a checkpoint keeps its weights."""
SETTINGS = ("model_args", "config", "model_config")
"""The names under which a checkpoint keeps the settings of its model."""
FILES = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")
"""The files in which a folder of Hugging Face has weights, in the order in which they are looked for."""
ENDINGS = (".safetensors", ".pt", ".pth", ".bin", ".npz")
"""The endings of other files of weights."""


@dataclass
class StoredModel:
    """What was read: weights by key, the settings of the model (None where there are none), and the files; `left_out`
    says what a checkpoint has besides."""

    state: dict[str, Any]
    settings: dict[str, Any] | None = None
    files: list[Path] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def stored(place: Path) -> StoredModel:
    """The weights and settings in a folder or a file. The settings are those of config.json in the folder, or else
    those in the checkpoint."""
    folder = place if place.is_dir() else place.parent
    found = StoredModel({})
    for file in _weight_files(place):
        part = tensors_of(file)
        if double := sorted(found.state.keys() & part.state):
            raise BadInput(
                "each weight must be in only one file",
                f"{double[0]}, in {file} too",
                "leave the weight out of one of them",
            )
        found.state |= part.state
        found.settings = part.settings if found.settings is None else found.settings
        found.files.append(file)
        found.left_out += part.left_out
    if missing := sorted(_promised(place) - found.state.keys()):
        must = "the files of weights must have every weight that their index names"
        raise BadInput(must, f"none for {missing[0]}", "download the files again")
    config = folder / "config.json"
    if config.is_file() and config != place:
        document = parsed(content(config, "config.json"), "config.json must be JSON", config, parse_float=str)
        if not isinstance(document, dict):
            raise BadInput(
                "config.json must be a JSON object", type(document).__name__, "give the folder as its library saved it"
            )
        for key, value in (found.settings or {}).items():
            if key not in document or not alike(document[key], value):
                must = f"config.json and the settings in the checkpoint must agree about {key}"
                two = f"{document.get(key, 'none')} and {value}"
                raise BadInput(must, two, "put the checkpoint into a folder of its own")
        found.settings = document
        found.files.append(config)
    return found


def _weight_files(place: Path) -> list[Path]:
    """The files of weights that a path names: itself, or those in the folder."""
    if not place.is_dir():
        if not place.exists():
            raise BadInput(
                "the weights must be a folder or a file",
                f"{place}, which is not there",
                "give the path of a folder or a file that exists",
            )
        return [place]
    for name in FILES:
        file = place / name
        if file.is_file():
            return _of_index(file) if name.endswith(".json") else [file]
    others = sorted(file for file in place.iterdir() if file.suffix in ENDINGS and file.is_file())
    if len(others) != 1:
        seen = (
            ", ".join(file.name for file in others) or ", ".join(sorted(f.name for f in place.iterdir())[:8]) or "none"
        )
        must = f"a folder must have one file of weights, such as {FILES[0]}"
        raise BadInput(must, f"{place} with {seen}", "name the file itself")
    return others


def _promised(place: Path) -> set[str]:
    """The weights that the index of a folder names; none for a file, and for a folder whose weights are one file."""
    index = next((place / name for name in FILES if (place / name).is_file()), place)
    return set(_weight_map(index)) if index != place and index.suffix == ".json" else set()


def _weight_map(index: Path) -> dict[str, str]:
    """The files of an index of parts, by the names of their weights."""
    document = parsed(content(index, "an index of weights"), "an index of weights must be JSON", index)
    table = document.get("weight_map") if isinstance(document, dict) else None
    if not isinstance(table, dict) or not all(isinstance(name, str) for name in table.values()):
        raise BadInput("an index of weights must have a weight_map of names", index, "give the file of weights itself")
    return table


def _of_index(index: Path) -> list[Path]:
    """The files that an index of parts names, each in the same folder."""
    names = sorted(set(_weight_map(index).values()))
    for name in names:
        if Path(name).name != name:
            raise BadInput(
                "an index of weights must name files in its own folder",
                name,
                "put the files into one folder, and name them without a path",
            )
    return [index.parent / name for name in names]


def tensors_of(file: Path) -> StoredModel:
    """The weights in a file as arrays, the settings that a checkpoint has beside them, and what else it has."""
    start = start_of(file, 64)
    if start[:4] == b"PK\x03\x04":
        return _of_zip(file)
    if len(start) > 8 and start[8:9] == b"{" and int.from_bytes(start[:8], "little") < MOST_HEADER:
        return StoredModel(of_safetensors(content(file, "a file of weights", MOST_BYTES), file))
    if start[:1] == b"\x80":
        return _of_torch(file)
    if start.lstrip()[:1] in (b"{", b"["):
        return _of_json(file)
    content(file, "a file of weights")  # an error for a file that cannot be read
    kind = next((name for name, begins in STARTS.items() if begins and start.startswith(begins)), None)
    given = kind or ("an unknown format" if start else "nothing, it is empty")
    raise BadInput(f"a file of weights must be {READ}", f"{file} ({given})", "save the state dict as safetensors")


def of_safetensors(data: bytes, place: object) -> dict[str, Any]:
    """The tensors in a file of safetensors. BadInput for one that is truncated or goes on, and for a type without exact
    numbers here."""
    import numpy as np

    must = "a safetensors file must have a header and all the numbers that it names"
    size = int.from_bytes(data[:8], "little")
    header = parsed(data[8 : 8 + size], must, place)
    if not isinstance(header, dict):
        raise BadInput(must, f"{place} (its header is not a JSON object)", "save the weights again")
    header.pop("__metadata__", None)
    found, spans = {}, []
    for key, entry in header.items():
        entries = _entry(entry)
        if entries is None:
            raise BadInput(must, f"{place} (the entry of {key})", "save the weights again")
        kind, shape, begin, stop = entries
        if kind not in NUMBERS:
            raise BadInput(f"{key} must have one of the types {', '.join(NUMBERS)}", kind, "convert the weight to F32")
        numbers = np.dtype(NUMBERS[kind])
        part = data[8 + size + begin : 8 + size + stop]
        count = 1
        for length in shape:
            count *= length
        if len(part) != stop - begin or count * numbers.itemsize != len(part):
            raise BadInput(
                must,
                f"{place} ({key} has {len(part):,} bytes of {count * numbers.itemsize:,})",
                "save the weights again",
            )
        array = np.frombuffer(part, numbers)
        if kind == "BF16":
            array = (array.astype(np.uint32) << 16).view(np.float32)
        found[key] = array.reshape(shape)
        spans.append((begin, stop))
    # The tensors fill the rest of the file, one after another.
    end = 0
    for begin, stop in sorted(spans):
        if begin != end:
            raise BadInput(
                must, f"{place} (bytes {end} to {begin} belong to no tensor or to two)", "save the weights again"
            )
        end = stop
    if 8 + size + end != len(data):
        raise BadInput(must, f"{place} ({len(data) - 8 - size - end:,} bytes too many)", "save the weights again")
    return found


def _entry(entry: Any) -> tuple[str, tuple[int, ...], int, int] | None:
    """The type, the shape and the place of a tensor, from its entry in a header; None where they are not there."""
    try:
        kind, shape, (begin, stop) = entry["dtype"], tuple(entry["shape"]), entry["data_offsets"]
    except (TypeError, KeyError, ValueError):
        return None
    sound = isinstance(kind, str) and all(type(x) is int and x >= 0 for x in (*shape, begin, stop))
    return (kind, shape, begin, stop) if sound else None


def _of_zip(file: Path) -> StoredModel:
    """The weights in an archive: of numpy, or of torch."""
    import numpy as np

    try:
        with zipfile.ZipFile(file) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError) as error:
        raise BadInput(
            "a file of weights must be complete", f"{file} ({error})", "download the file or save the weights again"
        ) from None
    if any(name.endswith("data.pkl") for name in names):
        return _of_torch(file)
    if not names or not all(name.endswith(".npy") for name in names):
        raise BadInput(
            f"a file of weights must be {READ}",
            f"{file} (a zip archive with {', '.join(names[:3])})",
            "save the state dict as safetensors",
        )
    try:
        with np.load(io.BytesIO(content(file, "a file of weights")), allow_pickle=False) as arrays:
            return StoredModel({key: arrays[key] for key in arrays.files})
    except (ValueError, OSError, zipfile.BadZipFile) as error:
        do = "save arrays of numbers"
        raise BadInput("an npz file must contain only arrays of numbers", f"{file} ({error})", do) from None


def _of_torch(file: Path) -> StoredModel:
    """The weights in a file of torch, which is asked to make nothing but tensors and plain values."""
    content(file, "a file of weights", MOST_BYTES)
    try:
        import torch  # pyright: ignore[reportMissingImports]
    except ImportError:
        do = "install torch, or save the state dict as safetensors"
        raise BadInput("torch must be installed to read its files", file, do) from None
    import pickle
    import warnings

    try:
        with warnings.catch_warnings():  # about versions of pickle, which say nothing about the weights
            warnings.simplefilter("ignore")
            loaded: Any = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        name = re.search(r"GLOBAL ([\w.]+)", str(error))
        asks = f", which asks for {name[1]}" if name else ""
        must = "a file of torch must contain only weights, since reading anything else would run its code"
        raise BadInput(must, f"{file}{asks}", "save model.state_dict() from a program that you trust") from None
    except (RuntimeError, EOFError, ValueError, OSError, KeyError) as error:
        why = str(error).partition("\n")[0]
        raise BadInput(
            "a file of weights must be complete", f"{file} ({why})", "download the file or save the weights again"
        ) from None
    if not isinstance(loaded, Mapping):
        raise BadInput(
            "a file of torch must have a state dict", f"{file} (a {type(loaded).__name__})", "save model.state_dict()"
        )
    inner, settings, left_out = _parts(loaded, file)
    from symcook.published.converted import arrays

    tensors = dict[str, Any]()
    for key, value in inner.items():
        if hasattr(value, "detach"):
            _put_once(tensors, {str(key): value})
    if len(tensors) < len(inner):
        other = next(str(key) for key in inner if str(key) not in tensors)
        raise BadInput("a state dict must contain only tensors", f"{other}, in {file}", "save model.state_dict()")
    return StoredModel(arrays(tensors), settings, left_out=left_out)


def _of_json(file: Path) -> StoredModel:
    """The weights in a JSON document {key: nested list}; nested objects and lists of objects are joined by dots."""
    must = "a JSON file of weights must be an object {key: nested list of numbers}"
    document = parsed(content(file, "a file of weights"), must, file)
    if not isinstance(document, dict):
        raise BadInput(
            must, f"{file} (a {type(document).__name__})", 'write for example {"embedding.weight": [[1, 0], [0, 1]]}'
        )
    if str(document.get("format", "")).startswith("symcook"):
        raise BadInput(
            "weights of another library must be given", f"{file}, a model of symcook", "use this file as it is"
        )
    inner, settings, left_out = _parts(document, file)
    from symcook.published.converted import arrays

    return StoredModel(arrays(flat(inner)), settings, left_out=left_out)


def _parts(document: Mapping[str, Any], file: Path) -> tuple[Mapping[str, Any], dict[str, Any] | None, list[str]]:
    """The weights in a checkpoint, its settings (None where there are none), and in words what else it has. Without a
    table of weights all entries but the settings are weights. BadInput for several tables of weights."""
    tables = [key for key in INSIDE if isinstance(document.get(key), Mapping)]
    if len(tables) > 1:
        must = "a checkpoint must have its weights under one name"
        raise BadInput(must, f"{' and '.join(tables)}, in {file}", "save model.state_dict() alone")
    place = next((key for key in SETTINGS if isinstance(document.get(key), Mapping)), None)
    settings = None if place is None else dict(document[place])
    others = {key: value for key, value in document.items() if key not in (place, *tables)}
    if not tables:
        return others, settings, []
    for key, value in others.items():
        array = getattr(value, "ndim", 0) > 0 and "float" in str(value.dtype)
        if array or str(key).endswith((".weight", ".bias")):
            must = f"a checkpoint must have all its weights in {tables[0]}, where most are"
            raise BadInput(must, f"{key} beside it, in {file}", "save model.state_dict() alone")
    return document[tables[0]], settings, [f"{key} of the checkpoint" for key in others]


def flat(table: Mapping[str, Any]) -> dict[str, Any]:
    """A nested table as {keys joined by dots: what is there}. BadInput for two keys that become one.

    >>> flat({"wte": [[1]], "blocks": [{"ln_1": {"g": [1], "b": [0]}}]})
    {'wte': [[1]], 'blocks.0.ln_1.g': [1], 'blocks.0.ln_1.b': [0]}
    """
    found: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, list) and value and all(isinstance(part, Mapping) for part in value):
            value = {str(k): part for k, part in enumerate(value)}
        inner = {f"{key}.{name}": part for name, part in flat(value).items()} if isinstance(value, Mapping) else None
        _put_once(found, {str(key): value} if inner is None else inner)
    return found


def _put_once(found: dict[str, Any], more: Mapping[str, Any]) -> None:
    """Add weights to those that are there. BadInput for a name that is there already, since only one would count."""
    if twice := sorted(found.keys() & more):
        must = "each weight must be given only once"
        raise BadInput(must, f"{twice[0]} twice, perhaps as a part of a nested table", "leave one of the two out")
    found |= more
