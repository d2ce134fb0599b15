"""Digests of what the stored models compute: their runs in five number systems, and their run relations. A change of
the code that is to leave both as they are keeps the digests of model_digests.json.

    python tests/model_digests.py --write     after a change that is to change them
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
from symcook.proof import familyrel, runrel
from symcook.proof.files import proofs_directory

STORED = Path(__file__).parent / "model_digests.json"
FIGURES = {"float64": 12, "float32": 5}
"""How many figures of a float count: the last ones depend on the machine's exponential."""


def names(folder: str) -> list[str]:
    """The names of the stored models, or families."""
    return sorted(path.stem for path in (proofs_directory() / folder).glob("*.json"))


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
    shown: list[str] = []
    try:
        model = model.bind()
    except SymcookError:
        return "no values for its symbols"
    for given in inputs(model):
        for system in ("exact", "ball", "mpmath", *FIGURES):
            for trace in (False, True):
                try:
                    shown += values(model, given, system, trace)
                except SymcookError as error:
                    shown.append(type(error).__name__)
    return _digest("\n".join(shown))


def of_relation(name: str) -> str:
    """The digest of the run relation of a stored model."""
    return _digest(runrel.Relation(runrel.stored_model(name)).run())


def of_family(name: str) -> str:
    """The digest of the run relation of a stored family."""
    return _digest(familyrel.expand(f"run(family-{name})"))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


DIGESTS = {"runs": (of_runs, "models"), "relations": (of_relation, "models"), "families": (of_family, "families")}


@cache
def stored() -> dict[str, dict[str, str]]:
    """The digests that were written."""
    return json.loads(STORED.read_text(encoding="utf-8"))


def main() -> None:
    """Write all digests."""
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    made = {what: {name: of(name) for name in names(folder)} for what, (of, folder) in DIGESTS.items()}
    STORED.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
