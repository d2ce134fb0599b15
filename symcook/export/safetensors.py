"""The safetensors format, written and read without its library.

A file is eight bytes with the size of the header, a JSON header with the type, shape and place of each tensor, and the
numbers of all tensors one after another.
"""

from __future__ import annotations

import json
from typing import Any

from symcook.compose.layouts import READ, seen
from symcook.errors import BadInput
from symcook.export.archive import Archive, facts, from_facts
from symcook.files import parsed

TYPES = {"float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16"}
"""{type: its name in the format}."""


def encode(m: Archive) -> bytes:
    """The file of an archive: arrays of floats as tensors, all else as metadata in JSON."""
    import numpy as np

    dtype = str(m["dtype"])
    header: dict[str, Any] = {"__metadata__": facts(m)}
    parts, offset = [], 0
    # Numbers of bfloat16 are kept as float32, whose upper 16 bits are the bfloat16 number.
    for key in sorted(key for key, array in m.items() if array.dtype.kind == "f"):
        array = np.ascontiguousarray(m[key])
        data = (
            (array.view(np.uint32) >> 16).astype("<u2")
            if dtype == "bfloat16"
            else array.astype(f"<{array.dtype.str[1:]}")
        )
        parts.append(data.tobytes())
        header[key] = {
            "dtype": TYPES[dtype],
            "shape": list(m[key].shape),
            "data_offsets": [offset, offset + len(parts[-1])],
        }
        offset += len(parts[-1])
    # The header is padded to eight bytes, as the format asks.
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join((len(text).to_bytes(8, "little"), text, *parts))


def decode(data: bytes, path: object) -> Archive:
    """The archive in the bytes of the file `path`; BadInput where they are not in the format, are truncated, or go on
    after the last tensor. Numbers of bfloat16 become float32."""
    import numpy as np

    must = "a safetensors file must have a header and all the numbers that it names"
    # The size of the header, the header, and then each tensor between its offsets.
    size = int.from_bytes(data[:8], "little")
    arrays: Archive = {}
    try:
        header = parsed(data[8 : 8 + size], must, path)
        metadata = header.pop("__metadata__", {})
        end = 0
        for key, entry in header.items():
            begin, stop = entry["data_offsets"]
            bytes_, shape = data[8 + size + begin : 8 + size + stop], tuple(entry["shape"])
            kind = {name: d for d, name in TYPES.items()}[entry["dtype"]]
            if len(bytes_) != stop - begin:
                raise ValueError(key)
            if kind == "bfloat16":
                array = (np.frombuffer(bytes_, "<u2").astype(np.uint32) << 16).view(np.float32)
            else:
                array = np.frombuffer(bytes_, np.dtype(kind).newbyteorder("<")).astype(kind)
            arrays[key] = array.reshape(shape)
            end = max(end, stop)
        # Nothing may follow the last tensor.
        if 8 + size + end != len(data):
            raise ValueError("length")
        # Other programs write texts that are no JSON, such as pt, or nothing.
        if not str(metadata.get("format", "")).startswith('"symcook'):
            must = "a safetensors file that is read here must be an export of symcook"
            do = f"give the tensors of the file to from_state_dict, under the names {READ}"
            raise BadInput(must, f"{seen(arrays)}, in {path}", do)
        return arrays | from_facts(metadata)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise BadInput(must, f"{path} ({error})", "export the model again") from None
