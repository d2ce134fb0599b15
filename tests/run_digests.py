"""Digests of the runs of the stored models in five number systems. A change of the code that is to leave all runs as
they are keeps the digests of run_digests.json. (proof/relations.json has those of the run relations.)

    python tests/run_digests.py --write     after a change that is to change them
"""

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from functools import cache
from itertools import islice, product
from pathlib import Path
from typing import Any

from symcook.domains import make_domain
from symcook.errors import SymcookError
from symcook.forward import forward
from symcook.model.modelfile import load
from symcook.model.transformer import Transformer
from symcook.proof.files import proofs_directory

STORED = Path(__file__).parent / "run_digests.json"
FIGURES = {"float64": 12, "float32": 5}
"""How many figures of a float count: the last ones depend on the machine's exponential."""

VALUES = {"eps": "1/5000", "delta": "2/3", "e": "1/3", "low": "-1", "high": "3/2"}
"""Values of the symbols that have no default."""


def names() -> list[str]:
    """The names of the stored models."""
    return sorted(path.stem for path in (proofs_directory() / "models").glob("*.json"))


def inputs(model: Transformer) -> list[Any]:
    """A few inputs: rows of small numbers, or the first strings up to length 3."""
    if model.embedding.inputs is not None:
        draw, length = random.Random(model.name), 1 if model.pointwise else 3
        return [
            model.rows([{name: draw.randint(-3, 3) for name in model.embedding.inputs} for _ in range(length)])
            for _ in range(4)
        ]
    return [word for length in range(4) for word in islice(product(model.alphabet, repeat=length), 6)]


def values(model: Transformer, given: Any, system: str, trace: bool) -> Iterator[str]:
    """The values of a run: of each coordinate after each sublayer, and of the scores."""
    domain: Any = make_domain(system)
    result = forward(model, model.tokens(given) if model.alphabet else given, domain, trace=trace)
    for columns in (*(step.columns for step in result.steps), result.stream, result.scores):
        for name in sorted(columns):
            for place in domain.places_of(columns[name]):
                value = domain.show(domain.read(columns[name], place), 30)
                yield f"{name} {value:.{FIGURES[system]}g}" if system in FIGURES else f"{name} {value}"


def of_runs(name: str) -> str:
    """The digest of the runs of a stored model."""
    model = load(str(proofs_directory() / "models" / f"{name}.json"))
    model = model.bind({p.name: VALUES[p.name] for p in model.parameters if p.default is None})
    shown: list[str] = []
    for given in inputs(model):
        for system in ("exact", "ball", "mpmath", *FIGURES):
            for trace in (False, True):
                try:
                    shown += values(model, given, system, trace)
                except SymcookError as error:
                    shown.append(type(error).__name__)
    return hashlib.sha256("\n".join(shown).encode()).hexdigest()[:16]


@cache
def stored() -> dict[str, str]:
    """The digests that were written."""
    return json.loads(STORED.read_text(encoding="utf-8"))


def main() -> None:
    """Write all digests."""
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    STORED.write_text(json.dumps({name: of_runs(name) for name in names()}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
