"""How a formal statement is compared with the paper: a claim written from the paper's words, and instances.

`test_adequacy.py` runs what the modules ``claims_*.py`` beside it register.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from proof.statement_truth import STATEMENTS, texts

F = Fraction
ODD = F(1, 97)


@dataclass(frozen=True)
class Entry:
    claim: Callable[[Any], bool | None]
    made: Callable[[], tuple[dict[str, Any], ...]]
    false: bool
    misses: tuple[tuple[str, str], ...]
    still_true: tuple[tuple[str, str], ...]
    fixed: bool = False

    @property
    def instances(self) -> tuple[dict[str, Any], ...]:
        """Made when a test asks: of most claims none does on a given day."""
        return self.made()


ENTRIES: dict[str, Entry] = {}
_DRAWS: list[tuple[random.Random, int]] = []


def draws(seed: int) -> random.Random:
    """What the instances of a module are drawn by. It begins anew with each entry, so that its instances are the same
    whichever tests ran before."""
    _DRAWS.append((random.Random(seed), seed))
    return _DRAWS[-1][0]


def _made(at: Iterable[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    for generator, seed in _DRAWS:
        generator.seed(seed)
    return tuple(at)


def adequate(
    *ids: str,
    at: Iterable[dict[str, Any]],
    misses: Iterable[tuple[str, str]] = (),
    still_true: Iterable[tuple[str, str]] = (),
    false: bool = False,
    fixed: bool = False,
) -> Callable[[Callable[[Any], bool | None]], Callable[[Any], bool | None]]:
    """Register the claim of these statements; an id without a paper is one of the Cookbook.

    The claim is given an instance and returns whether it holds, None outside its hypotheses. `at`: instances; `misses`:
    (part of the text, what replaces its last occurrence), false at one of the instances; `still_true`: stronger
    variants without a counterexample there; `false`: the statement fails at one of them; `fixed`: it is about given
    objects, so that few instances meet it.
    """
    instances = Instances(at)

    def keep(claim: Callable[[Any], bool | None]) -> Callable[[Any], bool | None]:
        for name in ids:
            full = name if name.split(".")[0] in PAPERS else f"cookbook.{name}"
            assert full not in ENTRIES, full
            ENTRIES[full] = Entry(claim, instances, false, tuple(misses), tuple(still_true), fixed)
        return claim

    return keep


class Instances:
    """The instances of an entry, made when they are first asked for and then kept: `at` may be an iterator, which gives
    them once."""

    def __init__(self, at: Iterable[dict[str, Any]]) -> None:
        self.at, self.made = at, None

    def __call__(self) -> tuple[dict[str, Any], ...]:
        if self.made is None:
            self.made = _made(self.at)
        return self.made


class Shared:
    """The same instances for several statements, made when they are first asked for."""

    def __init__(self, make: Callable[[], Iterable[dict[str, Any]]]) -> None:
        self.made = cache(lambda: tuple(make()))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.made())


PAPERS = ("cookbook", "merrill2024", "yang2026", "chiang2022")


def load_claims() -> None:
    """Import the modules ``claims_*.py``, which register what they hold."""
    for path in sorted(Path(__file__).parent.glob("claims_*.py")):
        import_module(f"proof.{path.stem}")


def claim_statements() -> set[str]:
    """The ids of all statements of claims, as the files write them."""
    return {name for name in texts() if name.split(".")[0] in PAPERS}


def refuted() -> set[str]:
    """The ids whose stored certificate is a refutation."""
    found = (json.loads(p.read_bytes()) for p in (STATEMENTS.parent / "certificates").glob("*.json"))
    return {c["id"] for c in found if c.get("sense") == "refuted"}


def changed(name: str, old: str, new: str) -> str:
    """The statement with the last occurrence of `old` replaced."""
    before, found, after = texts()[name].rpartition(old)
    assert found, (name, old)
    return before + new + after


def wrong(right: Any) -> list[Any]:
    """The right value and one beside it, which the hypotheses must exclude."""
    return [right, right + ODD]


def column(entries: Iterable[Any], start: int = 1) -> dict[int, F]:
    return {i: F(e) for i, e in enumerate(entries, start)}


def table(rows: Iterable[Iterable[Any]], first: int = 1) -> dict[tuple[int, int], F]:
    return {(k, i): F(e) for k, row in enumerate(rows, first) for i, e in enumerate(row, 1)}
