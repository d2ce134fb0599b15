"""Writing weights and their certificate together, or neither."""

from __future__ import annotations

import hashlib
import io
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symcook.errors import BadInput


def targets(path: str, *, force: bool) -> tuple[Path, Path]:
    """The paths of the weights and of the certificate; BadInput where they cannot be written."""
    weights = Path(path)
    if weights.suffix != ".npz" or not weights.stem:
        raise BadInput("the file for the weights must end in .npz", path or "nothing", "give -o m.npz")
    folder = weights.parent
    if not folder.is_dir():
        raise BadInput("the folder for the weights must exist", str(folder), "make it first")
    certificate = weights.with_suffix(".certificate.json")
    for target in (weights, certificate):
        if target.is_dir():
            raise BadInput("the target must be a file, not a folder", str(target))
        if target.exists() and not force:
            raise BadInput("the target must not exist yet", str(target), "add --force to replace it")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput("the folder for the weights must be writable", str(folder))
    return weights, certificate


def write(weights: Path, certificate: Path, arrays: Mapping[str, Any], document: Mapping[str, Any]) -> None:
    """Write both files under temporary names, then rename them: what is interrupted leaves neither."""
    import numpy as np

    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # no array of objects, so no pickle
    data = buffer.getvalue()
    full = dict(document) | {"weights": weights.name, "weights_sha256": hashlib.sha256(data).hexdigest()}
    text = (json.dumps(full, indent=1) + "\n").encode()
    try:
        put({certificate: text, weights: data})
    except OSError as error:
        raise BadInput("the target must be writable", f"{weights} ({error.strerror})") from error


def put(contents: Mapping[Path, bytes]) -> None:
    """Write all files under temporary names beside them, then rename them in this order; OSError where one cannot be.

    What is interrupted leaves no file half-written and no temporary one.
    """
    written: list[tuple[Path, Path]] = []
    try:
        for target, content in contents.items():
            handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
            written.append((Path(name), target))
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            os.chmod(name, 0o644)
        for temporary, target in written:
            os.replace(temporary, target)
    finally:
        for temporary, _ in written:
            temporary.unlink(missing_ok=True)
