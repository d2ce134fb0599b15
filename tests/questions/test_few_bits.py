"""How many bits are enough, by merged prefixes and by one string after the other, on random models and languages.

`python test_few_bits.py FIRST LAST` runs more seeds than the test and counts what was compared.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from itertools import product
from typing import Any

import pytest
from choosers import chooser
from test_along import model
from test_inside import expression

import symcook as sc
from symcook.domains.mp import Mp
from symcook.errors import NotExact, SymcookError
from symcook.forward import forward
from symcook.questions import precision as home
from symcook.questions.moving import answer
from symcook.questions.precision import precision
from symcook.words import simulated
from symcook.words.inputs import strings
from symcook.words.simulated import FewBits, RunEntries, numbered, said, together


class Never(FewBits):
    """Prefixes that are never merged."""

    def __init__(self, *given: object) -> None:
        raise NotExact("prefixes are grouped", "never")


def compared(seed: int) -> str:
    """What came of one seed. Bits that are enough for merged prefixes are at most those that strings one by one show,
    as their sets keep the signs of what is rounded; runs in so many bits decide every string rightly. All else is one
    and the same, also where too many prefixes stay apart and strings are run that the sets leave open."""
    r = random.Random(f"few bits {seed}")
    drawn, longest = model(r), r.choice([2, 3, 4])
    asked: dict[str, Any] = {"formats": r.choice([(), ("float16",), ("bfloat16", "float32")])}
    if r.random() < 0.4:
        asked["inputs"] = expression(r, 3).replace("?:", "")
    try:
        merged = precision(drawn, longest, **asked)
    except SymcookError:
        return "refused"
    if "running sums" not in merged.notes["words"]:
        return "apart"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(home, "FewBits", Never)
        apart = precision(drawn, longest, **asked)
    every = strings(drawn, range(1, longest + 1), asked.get("inputs"))
    found = "merged"
    for one, other in zip(merged.rows, apart.rows, strict=True):
        few, more = one["enough"], other["enough"]
        assert isinstance(few, int) if isinstance(more, int) else more is None, (seed, one, other)
        if isinstance(few, int):
            assert not isinstance(more, int) or few <= more, (seed, one, other)
            found = "merged with fewer bits" if few != more else found
            for word in every.each(one["n"]):  # type: ignore[arg-type]
                right = drawn.run(word).accept
                assert all(drawn.run(word, "mpmath", bits=bits).accept == right for bits in (few, few + 1)), seed
        if few == more:
            assert (one["fails"], one["word"]) == (other["fails"], other["word"]), (seed, one, other)
    assert merged.extra == apart.extra, seed
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulated, "STATES", 0)
        single = precision(drawn, longest, **asked)
    same = "n", "fails", "enough"
    assert [[row[k] for k in same] for row in single.rows] == [[row[k] for k in same] for row in merged.rows], seed
    for name, one in single.extra["formats"].items():
        other = merged.extra["formats"][name]
        assert (one["guaranteed"], one["length"]) == (other["guaranteed"], other["length"]), (seed, name)
    return found


@pytest.mark.sweep
def test_merged_prefixes_in_few_bits() -> None:
    found = Counter(map(compared, range(10)))
    assert found["merged"] + found["merged with fewer bits"] >= 5


@pytest.mark.sweep
def test_all_strings_of_length_100() -> None:
    """With seven bits every string of dyck-1 is decided rightly, in any order; with three one is not."""
    dyck = sc.build("dyck-1")
    found = dyck.precision(100, min_length=100, formats=())
    row = found.row(100)
    assert row["enough"] == 7 and isinstance(row["fails"], int) and 3 <= row["fails"] < 7
    assert dyck.run(str(row["word"]), "mpmath", bits=row["fails"]).accept is not dyck.run(str(row["word"])).accept
    assert found.notes["words"].startswith("strings with the same running sums grouped")


if __name__ == "__main__":
    print(Counter(map(compared, range(int(sys.argv[1]), int(sys.argv[2])))))


def test_strings_that_are_run_together_in_few_bits() -> None:
    """Each number is that of the string's own run by mpmath: softmax and hard heads, all masks, added tokens."""
    compared = 0
    for seed in range(40):
        drawn, r = chooser(seed, ("softmax", "softmax", "softmax", "rightmost"))
        words, bits = list(product("xy", repeat=r.choice([1, 2, 3]))), r.choice([2, 3, 6, 12])
        try:
            columns = together(drawn, numbered(drawn, words), bits)
        except NotExact:
            continue
        compared += 1
        for k, word in enumerate(words):
            own = forward(drawn, drawn.tokens(word), Mp(bits, simulates=True))
            shown = [float(column[own.place]) for column in own.watched.values()]
            assert [float(column.values[k]) for column in columns] == shown, (seed, word)
            gives = said(drawn.readout, [RunEntries(column.values[k : k + 1]) for column in columns], 1)
            assert int(gives[0]) == answer(own), (seed, word)
    assert compared > 10, compared


@pytest.mark.sweep
def test_parity_at_length_40() -> None:
    """Known to fail in so many bits and to hold in others, by single runs of the strings with 17 and 30 ones."""
    parity = sc.build("parity")
    row = parity.precision(40, min_length=40, formats=()).row(40)
    fails, enough = row["fails"], row["enough"]
    assert isinstance(fails, int) and isinstance(enough, int) and fails < enough
    assert parity.run(str(row["word"]), "mpmath", bits=fails).accept is not (str(row["word"]).count("1") % 2 == 1)
    for ones in (17, 30):
        assert parity.run("0" * (40 - ones) + "1" * ones, "mpmath", bits=enough).accept is (ones % 2 == 1)
