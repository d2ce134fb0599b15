"""Write the model files that statements name: proofs/models/NAME.json, each equal to its recipe (a test compares them).

python proofs/models.py
"""

from __future__ import annotations

from pathlib import Path

from symcook.modelfile import save
from symcook.recipes import build, names

MODELS = Path(__file__).resolve().parent / "models"


def main() -> None:
    MODELS.mkdir(exist_ok=True)
    for name in names():
        save(build(name), MODELS / f"{name}.json", force=True)


if __name__ == "__main__":
    main()
