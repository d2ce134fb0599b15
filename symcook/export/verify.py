"""Verification of an export: the certificate is computed again and compared with what it says, and with the weights.

The arguments of the export (recipe or model, format, type, lengths) are read from the certificate; every other entry
must come out the same. The few entries that may differ are those of `_of_its_day`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.claims import STATUSES
from symcook.door import door
from symcook.errors import BadInput, Rejected
from symcook.export import MAX_LENGTH, MAX_STEPS
from symcook.export.certificate import FORMAT, Prepared, certificate, prepared, tolerance
from symcook.export.files import FileFormat, check, decode, held, read, told
from symcook.present import present

if TYPE_CHECKING:
    import numpy as np

    from symcook.export.answer import Exported
    from symcook.export.archive import Archive
    from symcook.model.transformer import Transformer
    from symcook.words.inputs import Strings


@door()
def verify_export(path: str | Path, *, progress: Callable[..., None] | None = None) -> Exported:
    """Whether the certificate of an export holds: it is computed again, and its weights are compared with the model's.

    No byte of the certificate or its files may have changed. The certificate names the arguments of the export: the
    recipe with arguments and parameters, or the model; the format, the float type, the lengths and the ids of claims.
    From these symcook computes it again. Every entry must be the same, and the weights must be those of the model,
    rounded. Entries that cannot be checked are listed under "not_checked", each with the reason: claims that no recipe
    names, statuses that have changed since, and the largest difference of values from exact ones if numpy's arithmetic
    differs here.

    Arguments:
        path: path. The weights, or their certificate.
        progress: function (None). Called with the work done and the total (None if unknown).

    Returns: Exported, the certificate as an answer.

    Raises: Rejected: the first entry that differs. BadInput: a file that is missing or truncated, and a certificate
    that no export writes.

    Example:

    >>> import tempfile, symcook as sc
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sc.build("identity").export(f"{folder}/m.npz")
    ...     sc.verify_export(f"{folder}/m.npz").holds
    True
    """
    from symcook.export.answer import Exported

    # The arguments of the export, from the certificate.
    place, known, files = read(path)
    export_read = _given(place, known, files)
    model = export_read.model(known)
    longest = export_read.positions - model.embedding.added
    if not 1 <= longest <= MAX_LENGTH:
        raise _wrong(
            "position_tables.N", f"the largest of lengths from 1 to {MAX_LENGTH} input symbols", export_read.positions
        )
    # The same export once more: first the model and the arrays, which takes little time.
    asked = _asked(model, known, longest)
    exported = prepared(
        model,
        export_read.symbols,
        export_read.kind,
        export_read.dtype,
        longest,
        export_read.steps,
        strictly=False,
        asked=asked,
    )
    _same_model(exported, known)
    weights = export_read.weights
    named = {weights, *(weights.with_suffix(ending) for ending in export_read.format.more)}
    if {*files} != named:
        raise Rejected(f"an export writes {', '.join(sorted(file.name for file in named))}, and no other file.")
    _same_arrays(weights, decode(weights, files[weights]), held(export_read.kind, exported.arrays))
    _same_file(export_read.format, weights, files[weights], exported.arrays)
    if export_read.format.more:
        _same_code(weights, files, exported.arrays)
    # Then the whole certificate, which takes as long as the export did.
    built = {} if export_read.recipe is None else {"recipe": export_read.recipe, "arguments": export_read.arguments}
    recomputed = certificate(exported, export_read.claims, built, progress) | told(weights, files)
    not_checked = _compared(place, _as_json(recomputed), known)
    if "inputs" in known and not _says_which(asked):
        not_checked["inputs"] = 'the exporter gave the strings this name; which strings these are, "language" says'
    document = known | {"not_checked": not_checked}
    return Exported(document, weights, place, model, verified=True)


@dataclass(frozen=True)
class _Given:
    """The arguments of the export, read from its certificate and checked for their types."""

    recipe: str | None
    arguments: dict[str, Any]
    symbols: dict[str, Any]
    kind: str
    dtype: str
    positions: int
    """The length of the position tables, added tokens included."""
    steps: int | None
    """For a decoder, the number of steps that was requested."""
    program: dict[str, Any] | None
    """For a decoder, the program in the certificate."""
    claims: list[str]
    format: FileFormat
    weights: Path

    def model(self, known: Mapping[str, object]) -> Transformer:
        """The model that was exported: built by the recipe, or else read from the certificate."""
        from symcook.model.modelfile import loads
        from symcook.recipes import build

        if self.recipe is not None:
            return build(self.recipe, **self.arguments)
        document = _field(known, "model_with_symbols" if self.symbols else "model_file", dict, "an object")
        program = {} if self.program is None else {"program": self.program}
        try:
            return loads(json.dumps(document | program))
        except RecursionError:
            raise BadInput(
                "the model in a certificate must be readable", "one that is nested too deep", "export the model again"
            ) from None


def _given(place: Path, known: Mapping[str, object], files: Mapping[Path, bytes]) -> _Given:
    """The arguments of the export in the certificate `known`; BadInput where one is missing or of the wrong type. All
    other entries of a certificate are only compared."""
    # The format, the recipe, the symbols, the kind, the type, and the file of weights.
    if _field(known, "format", str, "text") != FORMAT:
        raise BadInput(f"a certificate must be of the format {FORMAT}", known["format"], "export the model again")
    recipe, decoded = (
        _field(known, name, (kind, type(None)), f"{what}, or null")
        for name, kind, what in (("recipe", str, "text"), ("decoding", dict, "an object"))
    )
    arguments, symbols = (_field(known, name, dict, "an object") for name in ("arguments", "symbols"))
    for name, value in symbols.items():
        if not isinstance(value, str):
            raise _wrong(f"symbols.{name}", "a number as text", value)
    kind, dtype, name = (_field(known, key, str, "text") for key in ("kind", "dtype", "weights"))
    format = check(kind, dtype)
    weights = place.parent / name
    if weights not in files or weights.suffix != format.ending:
        raise _wrong("weights", f"the one of its files that ends in {format.ending}", name)
    # The lengths, the steps and the program of a decoder, and the claims.
    tables = _field(known, "position_tables", dict, "an object")
    steps = program = None
    if decoded is not None:
        steps, program = _whole(decoded, "asked", 0, MAX_STEPS), _field(decoded, "program", dict, "an object")
    claims = _field(known, "claims", list, "a list")
    for claim in claims:
        if not isinstance(claim, dict) or not all(isinstance(claim.get(key), str) for key in ("id", "status")):
            raise _wrong("claims", 'a list of {"id": .., "status": ..}', claim)
    return _Given(
        recipe=recipe,
        arguments=arguments,
        symbols=symbols,
        kind=kind,
        dtype=dtype,
        positions=_whole(tables, "N", 1, MAX_LENGTH + 2),
        steps=steps,
        program=program,
        claims=[claim["id"] for claim in claims],
        format=format,
        weights=weights,
    )


def _asked(model: Transformer, known: Mapping[str, object], longest: int) -> Strings | None:
    """The strings that a certificate is about; None where it names none."""
    if "language" not in known:
        return None
    from symcook.programs.automata import table_of
    from symcook.words.inputs import strings

    language = _field(known, "language", dict, "an object")
    source: Any = None
    if "automaton" in language:
        source = table_of(language["automaton"])
    elif "strings" in language:
        source = _field(language, "strings", list, "a list of lists of tokens")
    positions = _field(known, "positions", str, "text") if "positions" in known else None
    if set(language) - {"automaton", "strings"} or (source is None and positions is None):
        raise _wrong("language", "strings or an automaton", language)
    lengths = range(model.embedding.shortest, longest + 1)
    asked = strings(model, lengths, source, positions=positions)
    asked.text = _field(known, "inputs", str, "text") if source is not None else asked.text
    return asked


def _says_which(asked: Strings | None) -> bool:
    """Whether the name of the strings is an expression, which must then be theirs: nothing else has such a name
    (`regular.name_of`)."""
    from symcook.programs.regular import regular_table
    from symcook.words.inputs import Strings

    asked = present(asked)
    try:
        table = regular_table(asked.text, asked.model.alphabet)
    except BadInput:
        return False
    if Strings(asked.model, range(0), table).document() != asked.document():
        raise Rejected(f"the strings under 'language' are not those of {asked.text}, as 'inputs' calls them.")
    return True


def _wrong(name: str, must: str, given: object) -> BadInput:
    """The refusal of a wrong entry of a certificate."""
    return BadInput(f"{name} in a certificate must be {must}", _shown(given), "export the model again")


def _field(known: Mapping[str, object], name: str, kind: type | tuple[type, ...], must: str) -> Any:
    """The entry `name`, which must be there and of type `kind`; `must` names the type in the message."""
    if name not in known:
        raise BadInput("a certificate must have every field", f"none called {name}", "export the model again")
    if not isinstance(known[name], kind):
        raise _wrong(name, must, known[name])
    return known[name]


def _whole(known: Mapping[str, object], name: str, least: int, most: int) -> int:
    """The entry `name`, which must be an integer from `least` to `most`."""
    value = _field(known, name, int, "a whole number")
    if isinstance(value, bool) or not least <= value <= most:
        raise _wrong(name, f"a whole number from {least} to {most}", value)
    return value


_STATUS = re.compile(rf"({'|'.join(STATUSES)})( assuming [\w.-]+(, [\w.-]+)*)?", re.ASCII)
_Place = tuple[str | int, ...]
"""The keys and indices that lead to a place in a JSON document."""
_MISSING = object()
"""The value at a place that one of two documents does not have."""


def _compared(place: Path, recomputed: dict[str, object], known: dict[str, object]) -> dict[str, str]:
    """{place: reason} of the entries that cannot be checked; Rejected where any other entry of the certificate `known`
    differs from `recomputed`."""
    not_checked = {}
    # No recipe says which claims a model is of.
    if known["claims"] and known["recipe"] is None:
        not_checked["claims"] = (
            "the exporter named these claims; no recipe builds the model, so whether they are about it is unknown"
        )
    for at, here, there in _differences(recomputed, known, ()):
        if at == ("certificate_sha256",):  # `read` has compared it
            continue
        # Every other place must agree, but for the statuses of claims and one number of numpy's (`_of_its_day`).
        name, reason = ".".join(map(str, at)), _of_its_day(at, here, there, str(recomputed["dtype"]))
        if reason is None:
            numpy = at[0] in ("compared", "greatest_length", "decoding")
            why = ": numpy's arithmetic differs here, or the certificate is wrong" if numpy else ""
            says = f"{place} says {_shown(there)} under {name!r}"
            raise Rejected(f"{says}, and computed again it is {_shown(here)}{why}.")
        not_checked[name] = reason
    return not_checked


def _of_its_day(at: _Place, here: object, there: object, dtype: str) -> str | None:
    """Why an entry of a certificate may be `there` although it is recomputed as `here`; None where it must not
    differ."""
    if at[0] == "claims" and at[-1] == "status" and _STATUS.fullmatch(str(there)):
        return f"the status on the day of the export; today it is {here}"
    numbers = at == ("compared", "largest_difference") and isinstance(here, float)
    if numbers and isinstance(there, float) and 0 <= there <= float(tolerance(dtype)):
        return f"of the arithmetic of numpy on the machine of the export; here it is {here}"
    return None


def _differences(recomputed: object, known: object, at: _Place) -> Iterator[tuple[_Place, Any, Any]]:
    """The places at which two JSON documents differ, each with both values."""
    if isinstance(recomputed, dict) and isinstance(known, dict):
        for key in (*recomputed, *(key for key in known if key not in recomputed)):
            yield from _differences(recomputed.get(key, _MISSING), known.get(key, _MISSING), (*at, key))
    elif isinstance(recomputed, list) and isinstance(known, list):
        for k in range(max(len(recomputed), len(known))):
            new_entry, old_entry = (side[k] if k < len(side) else _MISSING for side in (recomputed, known))
            yield from _differences(new_entry, old_entry, (*at, k))
    elif type(recomputed) is not type(known) or recomputed != known:
        yield at, recomputed, known


def _shown(value: object) -> str:
    """A JSON value as text for a message, cut in its middle where it is long."""
    if value is _MISSING:
        return "nothing"
    try:
        text = json.dumps(value)
    except RecursionError:
        return "what is nested too deep"
    return text if len(text) <= 100 else f"{text[:60]} ... {text[-30:]}"


def _as_json(document: Mapping[str, object]) -> dict[str, Any]:
    """A document as it is after being written to JSON and read again."""
    return json.loads(json.dumps(document))


def _same_model(exported: Prepared, known: Mapping[str, object]) -> None:
    """Rejected where the model that was built is not the model of the certificate."""
    from symcook.model.modelfile import document_hash, to_document

    document = to_document(exported.bound)
    if document_hash(document) != known.get("model_hash") or _as_json(document) != known.get("model_file"):
        what = "the model of a certificate"
        if known["recipe"] is not None:
            what = f"the recipe {known['recipe']} with these arguments and symbols"
        raise Rejected(f"{what} is not the model of which the certificate has the hash, model_hash, and model_file.")


def _same_arrays(path: Path, stored: Mapping[str, np.ndarray], wanted: Mapping[str, np.ndarray]) -> None:
    """Rejected, with the array, where stored weights are not those of the model."""
    for key in (*wanted, *stored):
        if key not in stored or key not in wanted:
            sides = ("lacks", "has") if key in wanted else ("has", "lacks")
            raise Rejected(f"{path} {sides[0]} {key}, which the model {sides[1]}.")
        stored_array, wanted_array = stored[key], wanted[key]
        if (
            stored_array.shape != wanted_array.shape
            or stored_array.dtype.kind != wanted_array.dtype.kind
            or stored_array.tolist() != wanted_array.tolist()
        ):
            raise Rejected(f"{key} in {path} is not that of the model, rounded.")
        if stored_array.dtype.kind == "f" and stored_array.dtype.itemsize != wanted_array.dtype.itemsize:
            raise Rejected(f"{key} in {path} has the type {stored_array.dtype}, not {wanted_array.dtype}.")


def _same_file(format: FileFormat, path: Path, data: bytes, arrays: Archive) -> None:
    """Rejected where a file of weights says something else than the one that an export of these arrays writes."""
    if format.says(data) != format.says(format.encode(arrays, path.stem)[format.ending]):
        raise Rejected(f"{path} has the arrays of the model, but is not the file that an export of them writes.")


def _same_code(weights: Path, files: dict[Path, bytes], arrays: Archive) -> None:
    """Rejected where the code beside the weights is not what an export of these arrays writes."""
    import hashlib

    from symcook.export import lens, torch_code

    path, code = weights.with_suffix(".py"), lens.code if weights.suffix == ".pth" else torch_code.code
    text = code(arrays, weights.stem, hashlib.sha256(files[weights]).hexdigest())
    if files.get(path) != text.encode():
        raise Rejected(f"{path} is not the code of this model.")
