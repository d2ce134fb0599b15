"""The automata in examples/automata, and what they do on a word, by a walk over their files that shares no code with
the library."""

from __future__ import annotations

import json
from pathlib import Path

from checkout import ROOT

FILES = sorted((ROOT / "examples" / "automata").glob("*.json"))
LANGUAGES = {
    "odd-ones": lambda word: word.count("1") % 2 == 1,
    "contains-ab": lambda word: "ab" in word,
    "ab-star": lambda word: word == "ab" * (len(word) // 2),
    "multiples-of-three": lambda word: int(word or "0", 2) % 3 == 0,
    "dyck-to-depth-3": lambda word: nested(word, 3),
}
"""What the words of each language are, without states."""


def nested(word: str, deepest: int) -> bool:
    """Whether brackets are balanced and at most so deep."""
    deep = [word[:k].count("(") - word[:k].count(")") for k in range(len(word) + 1)]
    return deep[-1] == 0 and min(deep) == 0 and max(deep) <= deepest


def walked(file: Path, word: str) -> list[str]:
    """The states by their names, the initial one first, and yes or no."""
    automaton = json.loads(file.read_text(encoding="utf-8"))
    states = [automaton["initial_state"]]
    for letter in word:
        states.append(automaton["transitions"][states[-1]][letter])
    return [*states, "yes" if states[-1] in automaton["final_states"] else "no"]


def letters(file: Path) -> list[str]:
    """The input symbols of a file."""
    return json.loads(file.read_text(encoding="utf-8"))["input_symbols"]
