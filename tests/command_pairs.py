"""The documented commands on one model, one after the other: README's model, and files named as in the documents.

`cli/test_pairs.py` runs all pairs of the commands that write certificates, `cli/sweep_pairs.py` all pairs.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from pathlib import Path

import symcook as sc
from symcook.__main__ import main

SPEC = """
import symcook as sc

MORE = sc.Fold(0, lambda state, letter: state + (letter == "a") - (letter == "b"), lambda state: state > 0)
"""
STATEMENT = "accept <-> count(a) > count(b)"
COMMANDS: dict[str, tuple[int, str | tuple[str, ...]]] = {
    "run": (0, "run mine.json --input aab --trace"),
    "show": (0, "show mine.json"),
    "derive": (0, "derive mine.json"),
    "derive -o": (0, "derive mine.json -o mine.forms.json"),
    "check": (0, "check mine.json --spec spec.py:MORE --max-length 3"),
    "check --resume": (0, "check mine.json --spec spec.py:MORE --max-length 3 --resume mine.db"),
    "decide": (0, "decide mine.json --against spec.py:MORE"),
    "decide --certificate": (0, "decide mine.json --against spec.py:MORE --certificate mine.decision.json"),
    "prove": (0, ("prove", "mine.json", "--statement", STATEMENT)),
    "refute": (1, ("prove", "mine.json", "--statement", "count(a) <= 1")),
    "prove --claims": (1, "prove mine.json --claims claims.txt"),
    "prove the model": (2, "prove mine.json"),
    "margin": (0, "margin mine.json --max-length 3 --plot mine.margin"),
    "precision": (0, "precision mine.json --max-length 2"),
    "entropy": (0, "entropy mine.json --max-length 2"),
    "bound sensitivity": (0, "bound sensitivity mine.json --n 3"),
    "hardsoft": (0, "hardsoft mine.json --error 1/4 --max-length 2 -o mine.soft.json"),
    "export npz": (0, "export mine.json -o mine.npz --max-length 2"),
    "export safetensors": (0, "export mine.json -o mine.safetensors --max-length 2"),
    "export onnx": (0, "export mine.json -o mine.onnx --max-length 2"),
    **({} if find_spec("torch") is None else {"export torch": (0, "export mine.json -o mine.pt --max-length 2")}),
    "verify-export": (2, "verify-export mine.npz"),
    "diff": (2, "diff mine.json mine.npz --max-length 2"),
    "report": (0, "report mine.json -o mine.html"),
}
"""{name: (exit code of the command alone, the command)}."""
AFTER = {
    ("prove", "prove the model"): 0,
    ("refute", "prove the model"): 0,
    ("prove --claims", "prove the model"): 0,
    ("export npz", "verify-export"): 0,
    ("export npz", "diff"): 0,
}
"""{pair: the exit code of the second command}, where this needs what the first one writes."""
AGAIN = {"prove", "refute", "prove --claims", "check --resume"}
"""The commands that write and can be repeated: every other one asks for --force before it replaces its own file."""


def prepare(folder: Path) -> None:
    """Write README's model, its specification and a file of claims."""
    b = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}, "c": {}})
    mean = b.add(sc.head(value={"mean": "vote"}, mask="causal"))
    b.readout("sign", "last", mean, weights=[1])
    b.build("majority").save(folder / "mine.json")
    (folder / "spec.py").write_text(SPEC, encoding="utf-8")
    (folder / "claims.txt").write_text(f"{STATEMENT}\ncount(a) <= 1\n1 <= n\n", encoding="utf-8")


def code(name: str) -> int:
    """The exit code of the command in the current folder."""
    command = COMMANDS[name][1]
    return main(command.split() if isinstance(command, str) else list(command))


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def odd_pairs(firsts: Sequence[str], seconds: Iterable[str], folder: Path) -> list[str]:
    """What is wrong with the commands `seconds`, each after all of `firsts` in a folder of its own. Where these are
    several, none may write anything."""
    begun = folder / "first"
    begun.mkdir()
    prepare(begun)
    os.chdir(begun)
    odd, given = list[str](), contents(begun)
    for first in firsts:
        if (alone := code(first)) != COMMANDS[first][0]:
            odd.append(f"{first} alone: exit {alone}")
        if len(firsts) > 1 and contents(begun) != given:
            odd.append(f"{first} has written: {sorted(contents(begun))}")
    before, first = contents(begun), firsts[-1]
    for number, second in enumerate(seconds):
        place = folder / str(number)
        shutil.copytree(begun, place)
        os.chdir(place)
        wanted = AFTER.get((first, second), COMMANDS[second][0])
        if first == second and before.keys() > {"mine.json", "spec.py", "claims.txt"} and first not in AGAIN:
            wanted = 2
        if (ended := code(second)) != wanted:
            odd.append(f"{first}, then {second}: exit {ended} and not {wanted}")
        after = contents(place)
        odd += [f"{first}, then {second}: {name} has changed" for name in before if before[name] != after.get(name)]
    return odd
