"""A certificate computed again, from the model that it holds, and compared with what it says and with the weights."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.door import door
from symcook.errors import BadInput, Rejected
from symcook.export.certificate import FORMAT, certificate
from symcook.export.files import check, decode, held, read

if TYPE_CHECKING:
    import numpy as np

    from symcook.export.archive import Archive
    from symcook.model.transformer import Transformer

_COMPUTED = ("model", "model_hash", "dtype", "source", "guaranteed", "roundings", "position_tables")
"""What must come out as it stands."""


@door()
def verify_export(path: str | Path, *, progress: Callable[..., None] | None = None) -> dict[str, Any]:
    """Check the certificate at or beside `path`, and the weights that it is about; returns its document.

    Every byte of the certificate and of its files must be as it was written; the model in the certificate must have its
    hash, and be what the named recipe builds; the weights must be those of the model, rounded; and all that the
    certificate says is computed again. Raises Rejected with the first thing that is otherwise, BadInput for a file that
    is missing or cut off.
    """
    from symcook.model.modelfile import loads

    place, known, files = read(path)
    if known["format"] != FORMAT:
        raise BadInput(f"a certificate must be of the format {FORMAT}", known["format"], "export the model again")
    try:
        decoded = known.get("decoding")
        program = {} if decoded is None else {"program": decoded["program"]}
        model = loads(json.dumps(known["model_file"] | program))
        kind, dtype, n_max = known["kind"], known["dtype"], known["position_tables"]["N"]
        recipe, weights = known["recipe"], place.parent / known["weights"]
        facts = {name: known[name] for name in (*_COMPUTED, "compared", "arguments", "symbols", "greatest_length")}
        claims = known["claims"]
    except (KeyError, TypeError) as error:
        raise BadInput(
            "a certificate must have every field", f"none called {error}", "export the model again"
        ) from None
    format = check(kind, dtype)
    if recipe is not None:
        _same_recipe(known, recipe)
    from symcook.export import archive

    roundings: dict[str, Any] = {}
    arrays = archive.arrays(model, dtype, n_max, roundings)
    if decoded is not None:
        arrays |= _decoding(place, model, arrays, known, n_max)
    _same_arrays(weights, decode(weights, files[weights]), held(kind, arrays))
    if format.more:
        _same_code(weights, files, arrays)
    found = certificate(model, {}, kind, dtype, n_max, claims, {}, arrays, roundings, progress)
    for name in _COMPUTED:
        if json.loads(json.dumps(found[name])) != facts[name]:
            raise Rejected(f"{place} says something else under {name!r} than what is computed from its model.")
    for name in ("greatest_length", "inputs", "no_run", "first_difference", "complete"):
        if found["compared"][name] != known["compared"].get(name):
            raise Rejected(
                f"{place} says {known['compared'].get(name)} under compared.{name}, and numpy gives "
                f"{found['compared'][name]} here: arithmetic differs, or the certificate is wrong."
            )
    return known


def _decoding(place: Path, model: Transformer, arrays: Archive, known: Mapping[str, Any], n_max: int) -> Archive:
    """What the weights of a decoder hold of the steps that are certain; Rejected where the certificate says others."""
    from symcook.export.decoding import decoding, stored

    said = known["decoding"]
    try:
        asked, to = int(said["asked"]), n_max - model.embedding.added
    except (KeyError, TypeError, ValueError):
        raise BadInput("a certificate must say how many steps were asked for", said, "export the model again") from None
    found = decoding(model, arrays, str(known["dtype"]), to, asked, strictly=False)
    if json.loads(json.dumps(found)) != said:
        raise Rejected(f"{place} says something else under 'decoding' than what is computed from its model.")
    return stored(model, found)


def _same_recipe(known: Mapping[str, Any], recipe: str) -> None:
    """Rejected where the recipe that is named does not build the model."""
    from symcook.model.modelfile import model_hash
    from symcook.recipes import build

    model = build(recipe, **known["arguments"])
    if model_hash(model.bind(known["symbols"])) != known["model_hash"]:
        raise Rejected(f"the recipe {recipe} with these arguments and symbols is not the model of the certificate.")


def _same_arrays(path: Path, stored: Mapping[str, np.ndarray], wanted: Mapping[str, np.ndarray]) -> None:
    """Rejected, with the array, where stored weights are not those of the model."""
    for key in (*wanted, *stored):
        if key not in stored or key not in wanted:
            sides = ("lacks", "has") if key in wanted else ("has", "lacks")
            raise Rejected(f"{path} {sides[0]} {key}, which the model {sides[1]}.")
        one, other = stored[key], wanted[key]
        if one.shape != other.shape or one.dtype.kind != other.dtype.kind or one.tolist() != other.tolist():
            raise Rejected(f"{key} in {path} is not that of the model, rounded.")
        if one.dtype.kind == "f" and one.dtype.itemsize != other.dtype.itemsize:
            raise Rejected(f"{key} in {path} has the type {one.dtype}, not {other.dtype}.")


def _same_code(weights: Path, files: dict[Path, bytes], arrays: Archive) -> None:
    import hashlib

    from symcook.export import lens, torch_code

    path, code = weights.with_suffix(".py"), lens.code if weights.suffix == ".pth" else torch_code.code
    text = code(arrays, weights.stem, hashlib.sha256(files[weights]).hexdigest())
    if files.get(path) != text.encode():
        raise Rejected(f"{path} is not the code of this model.")
