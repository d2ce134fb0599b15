"""Each name in an answer of `derive` without an input is defined and has one meaning: text, JSON, LaTeX, page."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

import symcook as sc
from symcook.closed import EveryLength, every_length
from symcook.errors import BadInput
from symcook.recipes import names

SHORT = re.compile(r"\b(?:[SrR]\d+|[kp]\d*(?:_\w+)?)\b")
"""The names that an answer makes up, of long values, and those that it made up for sums and counts."""


def averaging(rng: random.Random) -> sc.Transformer:
    """Two layers of averages of averages, read at the end or at each position."""
    space = ("e0", "e1", "one", "h0", "h1", "h2")
    words = {"a": {"e0": 1}, "b": {"e1": rng.choice([1, 2, -1])}}
    positions = {"one": 1, **({"e0": "1/i"} if rng.random() < 0.5 else {})}
    words = {token: {name: v for name, v in row.items() if name not in positions} for token, row in words.items()}

    def head(reads: tuple[str, ...], writes: str) -> sc.Head:
        value = [[rng.choice([1, -1, 2]) for _ in reads]]
        zero = [[0] * len(reads)]
        return sc.Head(reads, (writes,), zero, zero, value, mask=rng.choice(["future", "none"]), weighting="average")

    layers = (
        sc.Layer(head(("e0", "e1"), "h0")),
        sc.Layer(head(("h0", "e0"), "h1")),
        sc.Layer(head(("h1", "h0"), "h2")),
    )
    kind, position, read = (rng.choice(some) for some in (["sign", "zero"], ["last", "each"], ["h0", "h1", "h2"]))
    readout = sc.Readout(kind, position, (read,), [[1]] if kind == "sign" else None)
    return sc.Transformer("averaging", sc.Embedding(sc.Space(space), words, positions=positions), layers, readout)


def definitions(lines: list[str]) -> Iterator[tuple[str, str]]:
    """(name, meaning) of "n = length" and "r1 := .."."""
    for line in lines:
        if re.match(r"n is at most|i is a position|q\d+\(i\) is the ", line):  # ":=" says the last in a formula
            continue
        name, text = re.split(" = | := ", line, maxsplit=1)
        yield name, text


def require_defined(found: EveryLength) -> None:
    """An error for a name that is used and not defined, or has two meanings."""
    symbols = {parameter.name for parameter in found.model.parameters} | set(found.model.space)
    meanings: dict[str, str] = {}
    documents = found.to_json()
    for document in documents:
        forms = (
            document["where"],
            [*document["output"].values(), *document["conditions"], document.get("accepts") or ""],
        )
        cells = [cell for cells in document["way"].values() for cell in cells if cell["value"] is not None]
        way = (document["way_where"], [text for cell in cells for text in (cell["value"], *cell["conditions"])])
        for where, texts in (forms, way):
            told = list(definitions(where))
            assert len({name for name, _ in told}) == len(told), where
            used = {name for text in (*texts, *(text for _, text in told)) for name in SHORT.findall(text)} - symbols
            letters = set(found.model.alphabet)
            assert used - letters <= {name for name, _ in told}, (used, where)
            for name, text in told:
                assert meanings.setdefault(name, text) == text, (name, text, meanings[name])
    shown = found.text()
    for name, text in meanings.items():
        if SHORT.fullmatch(name):
            assert f"{name} := {text}" in shown
    for form in found.forms:  # the page and LaTeX write the same meanings once
        assert form._repr_html_().count("where") == form._repr_latex_().count("where ") == 1


DEAR = ("lookup-almost-orthogonal", "parity-layernorm")  # of long sums; left to the campaign `cases`


@pytest.mark.layer_one(0, 7, 10, 11, 13, 14, 15, 22, 23, 27, 42, 46)
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.campaign if name in DEAR else ()) for name in names()]
)
@pytest.mark.layer_two(every=4)
def test_each_name_of_a_recipe_is_defined_once(name: str) -> None:
    try:
        found = every_length(sc.build(name))
    except BadInput:
        return
    require_defined(found)


@pytest.mark.parametrize("seed", range(12))
def test_each_name_of_a_model_at_random_is_defined_once(seed: int) -> None:
    try:
        found = every_length(averaging(random.Random(seed)))
    except BadInput:
        return
    require_defined(found)
