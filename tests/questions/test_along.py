"""How far a weight may move, by merged prefixes and by one string after the other, on random models and languages.

`python test_along.py FIRST LAST` runs more seeds than the test and counts what was compared.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from test_inside import expression

import symcook as sc
from symcook.compose.namedweights import named_parts
from symcook.errors import NotExact, SymcookError
from symcook.questions import tolerance as home
from symcook.questions.along import Along
from symcook.questions.tolerance import tolerance

NAMES = ("a", "b", "one", "u", "v", "z")


def model(r: random.Random) -> sc.Transformer:
    """One to three layers of one or two heads that average what stands before; one in seven has other heads too, and a
    readout of any kind and place."""
    plain = r.random() < 0.85
    before, after = (token if r.random() < 0.25 else None for token in ("^", "$"))
    words = {"x": {"a": 1, "one": 1}, "y": {"b": r.choice([1, 2]), "one": 1}}
    words |= {token: {"one": 1, "u": r.choice([0, 1])} for token in (before, after) if token}
    place = r.choice([{}, {}, {"u": "i"}, {"v": "1/(i + 1)"}, {"z": "i/n"}])
    embedding = sc.Embedding(sc.Space(NAMES), words=words, positions=place, start=r.choice([0, 1]),
                             before=before, after=after)  # fmt: skip
    layers = [layer(r, plain) for _ in range(r.choice([1, 1, 2, 2, 3]))]
    kind = r.choice(["sign", "zero"] if plain else ["sign", "zero", "largest"])
    position = "last" if plain else r.choice(["last", "first", "each" if kind == "largest" else "all"])
    reads = ("u", "v", "z", "one") if kind != "zero" else r.choice([("v",), ("u", "z")])
    row = [r.choice([1, -1, 2, 0]), r.choice([1, -1]), r.choice([0, 1]), r.choice(["-1/3", 0, "1/7"])]
    weights: Any = {"sign": [row], "zero": None, "largest": [row, [0, 1, 0, 0], [1, 0, 0, "1/5"]]}[kind]
    labels = ("p", "q", "r") if kind == "largest" else ()
    return sc.Transformer("drawn", embedding, tuple(layers), sc.Readout(kind, position, reads, weights, labels))


def layer(r: random.Random, plain: bool) -> sc.Layer:
    heads = []
    for _ in range(r.choice([1, 1, 2])):
        mask = "future" if plain else r.choice(["future", "none", "strict-future"])
        query, key = [[0] * 6], [[0] * 6]
        if not plain and r.random() < 0.5:
            query, key = [[0, 0, 1, 0, 0, 0]], [[r.choice([1, 0]), r.choice([0, 2]), 0, r.choice([0, 1]), 0, 0]]
        value, weighting = [[r.choice([1, -1, 0, 2]) for _ in NAMES]], r.choice(["average", "softmax"])
        heads.append(sc.Head(NAMES, (r.choice("uvz"),), query, key, value, mask=mask, weighting=weighting))
    if r.random() < 0.3:
        return sc.Layer(sc.SelfAttention(tuple(heads)))
    units = r.choice([1, 2, 3])
    block = sc.FeedForward(
        ("u", "v", "z", "one"), (r.choice("uvz"),),
        [[r.choice([-1, 0, 1, 1, 2]) for _ in range(4)] for _ in range(units)],
        [[r.choice([0, "-1/2", "1/3"])] for _ in range(units)],
        [[r.choice([1, -1, 2]) for _ in range(units)]], [[r.choice([0, 0, "1/5"])]],
        activation=r.choice(["relu", "relu", "relu", "step"]),
    )  # fmt: skip
    return sc.Layer(sc.SelfAttention(tuple(heads)), block)


def weight(r: random.Random, drawn: sc.Transformer) -> str:
    """The name of some weight."""
    found = [
        f"{name}.{matrix}[{row + 1},{column + 1}]"
        for name, part in named_parts(drawn)
        for matrix, entries in part.matrices().items()
        if matrix not in "QK" or r.random() < 0.1
        for row in range(entries.rows)
        for column in range(entries.cols)
    ]
    rows = drawn.readout.labels or ("logit",)
    places = len(drawn.readout.reads) if drawn.readout.weights is not None else 0
    return r.choice([*found, *(f"readout[{name},{place + 1}]" for name in rows for place in range(places))])


def answered(drawn: sc.Transformer, *given: Any, **asked: Any) -> tuple[Any, str]:
    """The rows, or those before it was refused and how; and the sentence of what is covered."""
    try:
        found = tolerance(drawn, *given, **asked)
    except SymcookError as error:
        found = getattr(error, "found", None)
        return (type(error).__name__, [] if found is None else [dict(row) for row in found.rows]), ""
    return [dict(row) for row in found.rows], found.notes["method"]


class Never(Along):
    """Prefixes that are never merged."""

    def __init__(self, *given: object) -> None:
        raise NotExact("prefixes are grouped", "never")


def compared(seed: int) -> str:
    """What came of one seed: "merged", with "ends" where a weight has some, or "apart"."""
    r = random.Random(f"along {seed}")
    drawn = model(r)
    name, longest = weight(r, drawn), r.choice([3, 4, 5])
    asked = {"inputs": expression(r, 3).replace("?:", "")} if r.random() < 0.5 else {}
    merged, how = answered(drawn, name, longest, **asked)
    if "prefixes" not in how:
        return "apart"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(home, "Along", Never)
        apart, other = answered(drawn, name, longest, **asked)
    assert "prefixes" not in other
    assert merged == apart, (seed, name, asked, merged, apart)
    return "merged" + " with ends" * any(row["low"] is not None or row["high"] is not None for row in merged)


@pytest.mark.sweep
def test_merged_prefixes_give_the_ends_of_strings_one_by_one() -> None:
    found = Counter(map(compared, range(11)))
    assert found["merged with ends"] >= 2 and found["merged"] >= 3


@pytest.mark.sweep
def test_all_strings_of_length_100() -> None:
    """dyck-1 with the error relu(b - balance): above b = 0 it is b in ())( .. too. Below, it is zero up to the least
    balance below 0: that is -1/99, as at an even position the string would be no longer balanced at the end."""
    row = sc.build("dyck-1").tolerance("L1.ff.b1[1]", 100, min_length=100).row(100)
    assert (row["low"], row["low_in"], row["high"], row["high_in"]) == (Fraction(-1, 99), False, 0, True)
    assert row["low_word"] == "(" * 49 + ")" * 50 + "("
    assert row["high_word"] == "(" * 50 + ")" * 50


def test_more_than_one_sentence_of_what_is_covered() -> None:
    """Where prefixes cannot be merged, strings are gone through one by one, and the answer says so."""
    model = sc.build("dyck-1")
    assert model.tolerance("L1.ff.W1[1,balance]", 4).notes["method"].startswith("prefixes")
    several = model.tolerance("L1.ff.W1[1,balance]", 4, inputs=["()", "())("])
    assert several.notes["method"].startswith("all strings one by one") and several.row(4)["high"] == 0


if __name__ == "__main__":
    print(Counter(map(compared, range(int(sys.argv[1]), int(sys.argv[2])))))
