"""What `export`, `arrays` and `verify_export` return: the certificate, as an answer that shows itself; with `arrays`,
the weights themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symcook.model.answers import Reply

if TYPE_CHECKING:
    import numpy

    from symcook.model.transformer import Transformer


@dataclass(frozen=True, repr=False, eq=False)
class Exported(Reply, Mapping[str, Any]):
    """The certificate of exported weights: an answer, and a mapping of the entries of the certificate.

    >>> import tempfile
    >>> from symcook.recipes import build
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     exported = build("dyck-1").export(f"{folder}/dyck.npz", max_length=4)
    >>> exported["guaranteed"]["length"], exported.holds
    (4, None)
    """

    REPORT = "exported"

    document: Mapping[str, Any]
    """The entries of the certificate; after `verify_export` also "not_checked"."""
    weights: Path
    """The file of the weights."""
    certificate: Path
    """The file of the certificate."""
    model: Transformer
    """The model that was exported."""
    verified: bool = False
    """Whether everything that the certificate states was computed again."""

    def __getitem__(self, name: str) -> Any:
        return self.document[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.document)

    def __len__(self) -> int:
        return len(self.document)

    @property
    def holds(self) -> bool | None:
        """True if the certificate was verified (`verify_export` raises Rejected if it does not hold); None after an
        export, which has no yes or no."""
        return True if self.verified else None

    @property
    def status(self) -> str:
        """VERIFIED, or EXPORTED."""
        return "VERIFIED" if self.verified else "EXPORTED"

    @property
    def why(self) -> str | None:
        """What could not be checked again, with the reasons; None if everything was."""
        return "; ".join(f"{name}: {why}" for name, why in self.document.get("not_checked", {}).items()) or None

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook export --json`` or of ``symcook verify-export --json``."""
        if self.verified:
            return {"verified": True, **self.document}
        return {"weights": str(self.weights), "certificate": str(self.certificate), **self.document}


@dataclass(frozen=True, repr=False, eq=False)
class WeightArrays(Reply, Mapping[str, "numpy.ndarray"]):
    """The float weights of a model as named numpy arrays, a mapping, with the certificate of their export."""

    REPORT = "arrays"
    holds = None  # weights have no yes or no
    status = "COMPUTED"

    arrays: Mapping[str, numpy.ndarray]
    """The arrays by name, as an npz file has them."""
    document: Mapping[str, Any]
    """The entries of the certificate, as an export's; without those about files."""
    model: Transformer
    """The model, with its symbols."""

    def __getitem__(self, name: str) -> numpy.ndarray:
        if name in self.document and name not in self.arrays:
            raise KeyError(f'an array has no name {name!r}; write .document["{name}"]')
        return self.arrays[name]

    def _advice(self, name: str) -> str | None:
        """Advice for an array, and for an entry of the certificate."""
        of = "" if name in self.arrays else ".document" if name in self.document else None
        return None if of is None else f'write arrays{of}["{name}"]'

    def __iter__(self) -> Iterator[str]:
        return iter(self.arrays)

    def __len__(self) -> int:
        return len(self.arrays)

    def to_json(self) -> dict[str, Any]:
        """The certificate, and "arrays": the shape and the type of each array by name."""
        about = {name: {"shape": list(array.shape), "dtype": str(array.dtype)} for name, array in self.arrays.items()}
        return {**self.document, "arrays": about}
