"""Writing weights and their certificate together, or neither."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symcook.errors import BadInput
from symcook.files import put


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
            raise _exists(target)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput("the folder for the weights must be writable", str(folder))
    return weights, certificate


def _exists(target: object) -> BadInput:
    return BadInput("the target must not exist yet", target, "add --force to replace it")


def write(
    weights: Path, certificate: Path, arrays: Mapping[str, Any], document: Mapping[str, Any], *, force: bool
) -> None:
    """Write both files or neither; BadInput where they cannot be written, or (without `force`) have come to exist."""
    import numpy as np

    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # no array of objects, so no pickle
    data = buffer.getvalue()
    full = dict(document) | {"weights": weights.name, "weights_sha256": hashlib.sha256(data).hexdigest()}
    text = (json.dumps(full, indent=1) + "\n").encode()
    try:
        put({certificate: text, weights: data}, force=force)
    except FileExistsError as error:
        raise _exists(error.filename) from None
    except OSError as error:
        raise BadInput("the target must be writable", f"{weights} ({error.strerror})") from error
