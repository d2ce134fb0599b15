"""Writing weights and their certificate together, or neither; and seeing whether a byte of them has changed."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from symcook.errors import BadInput, Rejected
from symcook.export.formats import FORMATS
from symcook.files import exists, ordinary, put, vacant

UNKNOWN = "0" * 64
_OWN = re.compile(rb'"certificate_sha256": "([0-9a-f]{64})"\n}\n\Z')
MOST_BYTES = 10**9


def targets(path: str, *, force: bool, kind: str = "npz") -> tuple[Path, Path]:
    """The paths of the weights and of the certificate; BadInput where they cannot be written."""
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
    folder = weights.parent
    if not folder.is_dir():
        raise BadInput("the folder for the weights must exist", str(folder), "make it first")
    certificate = beside(weights)
    other = _other(certificate, weights)
    if other is not None:  # which no --force replaces
        must = f"{certificate.name} must be about {weights.name}, since it would be replaced"
        raise BadInput(must, f"it is about {other}", "choose another name with -o, or move it away")
    for target in (weights, certificate, *(weights.with_suffix(more) for more in FORMATS[kind].more)):
        ordinary(target, "the file for the weights", f"-o m{ending}")
        code = target not in (weights, certificate)
        if code and target.is_file() and not force and not weights.exists():  # as equal.py, of equal.pt and equal.pth
            do = f"give another name, as -o {weights.stem}-{kind}{ending}, or add --force to replace it"
            raise BadInput("the code must not replace that of another export", target, do)
        vacant(target, force)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise BadInput("the folder for the weights must be writable", str(folder))
    return weights, certificate


CLAIM = "a claim"


def about(certificate: Path) -> list[str]:
    """What a file of this name is the certificate of: `CLAIM`, or the files of an export; nothing where it is none."""
    try:
        document = json.loads(certificate.read_bytes())
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(document, dict):
        return []
    files = document.get("files")
    return list(files) if isinstance(files, dict) else [CLAIM] if "proof" in document else []


def _other(certificate: Path, weights: Path) -> str | None:
    """What else a certificate of this name is about: exports of older versions, whose name had no ending of the
    weights, and proofs of claims; None where it is about nothing else that is there."""
    found = about(certificate)
    if weights.name in found or found == [CLAIM]:
        return CLAIM if found == [CLAIM] else None
    others = [name for name in found if Path(name).suffix != weights.suffix]
    return ", ".join(name for name in others if (certificate.parent / Path(name).name).exists()) or None


def beside(weights: Path) -> Path:
    """Where the certificate of a file of weights stands: m.certificate.json for m.npz, else m.onnx.certificate.json
    and so on, so that exports of one model in several formats stand side by side; that of m.py is m.pt's or m.pth's."""
    if weights.suffix == ".npz":
        return weights.with_suffix(".certificate.json")
    name = weights
    if weights.suffix == ".py":
        lens = weights.with_suffix(".pth")
        name = lens if lens.exists() else weights.with_suffix(".pt")
    return name.with_name(f"{name.name}.certificate.json")


def certificate_of(weights: Path) -> Path:
    """The certificate that there is beside a file of weights: older versions named all of them as that of m.npz."""
    place, older = beside(weights), weights.with_suffix(".certificate.json")
    return older if not place.exists() and older.exists() else place


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
    full = dict(document) | {
        "weights": weights.name,
        "weights_sha256": hashlib.sha256(files[weights]).hexdigest(),
        "files": {path.name: hashlib.sha256(data).hexdigest() for path, data in files.items()},
    }
    text, full["certificate_sha256"] = sealed(full)
    try:
        put({certificate: text, **files}, force=force)
    except FileExistsError as error:
        raise exists(error.filename) from None
    except OSError as error:
        raise BadInput("the target must be writable", f"{weights} ({error.strerror})") from error
    return full


def sealed(document: Mapping[str, object]) -> tuple[bytes, str]:
    """The bytes of a certificate, and the hash in them: of all these bytes with zeros in its own place."""
    text = json.dumps({**document, "model_file": None, "certificate_sha256": UNKNOWN}, indent=1) + "\n"
    model = json.dumps(document.get("model_file"))  # on one line, which Python writes ten times faster than with breaks
    text = text.replace('\n "model_file": null', f'\n "model_file": {model}').encode()
    own = hashlib.sha256(text).hexdigest()
    return text[: -len(UNKNOWN) - 4] + own.encode() + text[-4:], own


def read(path: str | Path) -> tuple[Path, dict[str, Any], dict[Path, bytes]]:
    """The certificate at or beside a path, its document, and the bytes of the files that it names.

    Raises BadInput where one is missing or is no certificate, Rejected where a byte of one has changed.
    """
    given = Path(path)
    if not given.name:
        raise BadInput("a file of weights or a certificate must be named", path or "nothing")
    certificate = given if given.name.endswith(".certificate.json") else certificate_of(given)
    text = content(certificate, "the certificate", "it stands beside the weights, as export has written it")
    try:
        document = json.loads(text)
        names = {str(name): str(value) for name, value in document["files"].items()}
        if not {"weights", "format"} <= document.keys():
            raise KeyError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise BadInput(
            "a certificate must be whole, as export has written it", certificate, "export the model again"
        ) from None
    match = _OWN.search(text)
    start, end = match.span(1) if match else (0, 0)
    whole = hashlib.sha256(text[:start] + UNKNOWN.encode() + text[end:]).hexdigest()
    if whole != text[start:end].decode():
        raise Rejected(f"{certificate} has been changed since it was written: its hash is not that of its bytes.")
    found = {}
    for name, wanted in names.items():
        if Path(name).name != name:
            raise BadInput("a certificate must name files beside it", name)
        place = certificate.parent / name
        found[place] = content(place)
        if hashlib.sha256(found[place]).hexdigest() != wanted:
            raise Rejected(f"{place} has been changed, or is not the file that {certificate.name} speaks of.")
    if given != certificate and given.name not in names:
        raise BadInput(f"{certificate.name} must be about the given file", given, f"it is about {', '.join(names)}")
    return certificate, document, found


def content(path: Path, what: str = "the file of weights", do: str | None = None) -> bytes:
    """The bytes of a file; BadInput where it cannot be read."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadInput(f"{what} must have at most {MOST_BYTES} bytes", path)
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise BadInput(f"{what} must be readable", f"{path} ({reason})", do) from None
