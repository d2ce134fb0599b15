"""What the rows below the theorems of a family say: the entries that a table may have, and names with a prefix."""

from __future__ import annotations

import pytest

from symcook.model.family import Family
from symcook.report.where import MOST, _entries, _values

SPAN = "all c in 1..N. "


def family(*where: str) -> Family:
    return Family(
        {
            "symcook family": 1, "name": "f", "sizes": {"N": "1 <= N"},
            "tables": {f"{SPAN}t(c)": {"values": "Int", "where": [SPAN + text for text in where]}},
            "space": ["y", "h_y"], "embedding": {"vocabulary": "2", "words": {"y": "I[w = 1]", "h_y": "2"}},
            "layers": [{"feedforward": {"y": "relu(y)", "h_y": "relu(y)"}}],
            "readout": {"kind": "sign", "position": "last", "score": "y"},
        }
    )  # fmt: skip


@pytest.mark.parametrize(("where", "entries"), [
    (("0 <= t(c)", "t(c) <= 3"), [0, 1, 2, 3]),
    (("t(c) = 0 | t(c) = 5 | t(c) = 7",), [0, 5, 7]),
    (("0 <= t(c) & t(c) < 5", "t(c) != 2 & t(c) <= 3"), [0, 1, 3]),
    (("1/2 <= t(c) & t(c) <= 5/2 & t(c) <= N",), [1, 2]),
    (("t(c) = 0 | t(c) = 100",), None),
    (("t(c) = 0 | 30 < t(c)",), None),
    ((f"0 <= t(c) & t(c) <= {MOST + 1}",), None),
    (("0 <= t(c)", "t(c) <= N"), None),
    ((), None),
])  # fmt: skip
def test_entries_are_those_that_all_conditions_allow(where: tuple[str, ...], entries: list[int] | None) -> None:
    assert _entries(family(*where)).get("t") == entries


@pytest.mark.parametrize(("word", "explained"), [
    ("y", "y"), ("g_y", "y"), ("h_y", "h_y"), ("h_h_y", "h_y"), ("g_z1_y", "z1_y"), ("z1_h_y", "z1_h_y"),
])  # fmt: skip
def test_a_name_of_a_value_has_no_prefix(word: str, explained: str) -> None:
    (row,) = _values(family(), {word})
    assert row.label[1] == explained
