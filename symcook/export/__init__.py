"""Float weights in formats that people load, each with a certificate of what is exact and to which length."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, NotExact
from symcook.model.symbols import Exact

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

DEFAULT_LENGTH = 16
"""The length to which an export is compared where none is asked for."""


def export(
    model: Transformer,
    target: str | Path,
    *,
    dtype: str = "float64",
    max_length: int | None = None,
    values: Mapping[str, Exact] | None = None,
    claims: Sequence[str] = (),
    force: bool = False,
    progress: Callable[..., None] | None = None,
) -> dict[str, Any]:
    """Write float weights as `target`, which ends in .npz, and beside them a certificate; returns the certificate.

    The answers of the float weights are compared with exact ones on every input to `max_length` (16, or the model's
    own greatest length; it counts added tokens), as far as time allows; the certificate names the greatest length to
    which all agreed. `values` sets declared symbols, `claims` are ids whose statuses the certificate names. Both files
    are written, or neither. Raises BadInput for a target that exists (without `force`) or cannot be written and a
    number that does not fit `dtype` (float64 or float32), NotExact where there is nothing exact to compare with.
    """
    from symcook.export import npz
    from symcook.export.certificate import certificate, compare
    from symcook.export.files import targets, write

    weights, beside = targets(str(target), force=force)
    if model.pointwise:
        if max_length is not None:
            raise BadInput("a feed-forward recipe must be exported without --max-length", max_length, "leave it out")
        max_length = 1
    if max_length is None:
        max_length = min(DEFAULT_LENGTH, model.max_length or DEFAULT_LENGTH)
    model.check_length(max_length)
    if max_length < max(1, model.embedding.added):
        least = model.embedding.added
        raise BadInput(f"the greatest length must be at least {least}, the tokens that the model adds", max_length)
    known = model.values(values)
    bound = model.bind(known)
    arrays = npz.arrays(bound, dtype, max_length)
    try:
        compared = compare(bound, arrays, max_length, progress)
    except NotExact as error:
        must = "an export must be compared with exact values"
        raise NotExact(f"{must}, but {error.must}", error.given, "there is no export without them") from None
    document = certificate(bound, known, dtype, max_length, compared, _statuses(claims))
    write(weights, beside, arrays, document, force=force)
    return document


def _statuses(claims: Sequence[str]) -> list[dict[str, str]]:
    if not claims:
        return []
    from symcook.claims import ledger

    known = {row.id: row.status for row in ledger()}
    return [{"id": name, "status": known[name]} for name in claims if name in known]
