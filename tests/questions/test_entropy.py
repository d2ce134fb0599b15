"""entropy against formulas by hand and plain loops over all words."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import asked
import mpmath
import pytest

import symcook as sc
from symcook.__main__ import main
from symcook.errors import BadInput
from symcook.questions.entropy import entropy


def bits(weights):
    with mpmath.workdps(40):
        total = mpmath.fsum(weights)
        return mpmath.fsum(-w / total * mpmath.log(w / total, 2) for w in weights if w)


def close(cell, wanted):
    with mpmath.workdps(40):
        return abs(mpmath.mpf(cell.mid) - wanted) <= mpmath.mpf(cell.rad) + mpmath.mpf(10) ** -14


def test_parity_by_its_formula():
    """CLS sees score c at odd and -c at even positions, in the other head the other way (chiang2022, Section 3.2)."""
    found = entropy(sc.build("parity"), 12)
    for row in found.rows:
        n = row["n"] + 1
        if row["head"] == "L1.head1":
            wanted = mpmath.log(n, 2)
        else:
            sign = 1 if row["head"] == "L2.head1" else -1
            wanted = bits([mpmath.exp(sign * -((-1) ** i)) for i in range(n)])
        assert close(row["least"], wanted) and close(row["greatest"], wanted), row
    assert found.row(3)["least"].rad == "0" and found.row(3)["least"].mid == "2"


def test_first_flawed_by_its_formula():
    """CLS sees score c at position 1 and 0 elsewhere, CLS among it."""
    for row in entropy(sc.build("first-flawed"), 8, values={"c": 2}).rows:
        wanted = bits([mpmath.exp(2), *[mpmath.mpf(1)] * row["n"]])
        assert close(row["least"], wanted) and close(row["greatest"], wanted)


def test_an_induction_head_by_a_loop_over_all_words():
    """Its second head averages the earlier places whose token before is the last one, all where there is none."""
    found = entropy(asked.induction(), 6, head="L2.head1", min_length=2)
    for row in found.rows:
        table = {}
        for word in itertools.product("01", repeat=row["n"]):
            before = [word[0], *word[:-1]]
            k = sum(token == word[-1] for token in before[:-1]) or row["n"] - 1
            table["".join(word)] = mpmath.log(k, 2)
        assert close(row["least"], min(table.values())) and close(row["greatest"], max(table.values()))
        assert close(row["least"], table[row["least_word"]]) and close(row["greatest"], table[row["word"]])
    assert all(row["greatest"].mid == "0" for row in entropy(asked.induction(), 4, head="L1.head1").rows)


def test_a_row_that_sees_nothing_has_no_entropy():
    rows = entropy(asked.induction(), 1, head="L2.head1").rows
    assert len(rows) == 1 and "greatest" not in rows[0]


def test_layer_norm_changes_what_words_do():
    """With layer norm the scores depend on the word; by balls of a run of each word at 60 digits."""
    model = sc.build("parity-layernorm").bind()
    row = entropy(model, 2, head="L2.head1").row(2)
    table = {}
    for word in ("00", "01", "10", "11"):
        run = model.run(word, domain="mpmath", digits=25, trace=True)
        weights = [mpmath.mpf(str(w).partition(" ")[0]) for w in run.trace[3]["attention"][0][0]]
        table[word] = bits(weights)
    assert abs(mpmath.mpf(row["greatest"].mid) - max(table.values())) < 1e-9
    assert abs(mpmath.mpf(row["least"].mid) - min(table.values())) < 1e-9
    assert table[row["word"]] == max(table.values()) and table[row["least_word"]] == min(table.values())


def test_the_rows_of_a_length_are_reached_by_their_head():
    found = entropy(sc.build("parity"), 3)
    assert [found.row(3, head)["head"] for head in ("L1.head1", "L2.head1")] == ["L1.head1", "L2.head1"]
    assert found.row(3) == found.row(3, "L1.head1") != found.row(3, "L2.head1")
    for missing in ((9,), (3, "L7.head1"), (9, "L1.head1")):
        with pytest.raises(KeyError):
            found.row(*missing)


def test_each_position():
    rows = {(row["n"], row["head"]): row for row in entropy(sc.build("dyck-1"), 5, position="each").rows}
    assert rows[5, "L1.head1 at 1"]["greatest"].mid == "0"
    assert all(close(rows[5, f"L2.head1 at {i}"]["greatest"], mpmath.log(i, 2)) for i in range(1, 6))
    assert len(entropy(sc.build("dyck-1"), 5, position=4).rows) == 4  # lengths 4 and 5, two heads


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("average", {}, "must read strings"),
        ("parity", {"head": "L2.head7"}, "did you mean L2.head"),
        ("parity", {"position": "last"}, "must be an integer from 0 to "),
        ("parity", {"position": 40}, "must be an integer from 0 to 3"),
        ("dyck-1", {"position": 4}, "must be an integer from 1 to 3"),
        ("parity", {"max_length": 40}, "at most 31"),
        ("parity", {"max_length": 0}, "from 1 to"),
        ("parity", {"digits": 0}, "digits"),
    ],
)
def test_bad_input(name, given, message):
    with pytest.raises(BadInput, match=message):
        entropy(sc.build(name), **({"max_length": 3} | given))


def test_the_command(tmp_path: Path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["entropy", "parity", "--max-length", "4", "--plot", "e"]) == 0
    assert "L2.head2" in capsys.readouterr().out
    rows = list(csv.DictReader((tmp_path / "e.csv").read_text().splitlines()))
    assert len(rows) == 12 and rows[0]["head"] == "L1.head1" and rows[0]["greatest"] == "1"
    assert main(["entropy", "parity", "--max-length", "3", "--position", "x"]) == 2
    assert main(["entropy", "parity"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_a_dash_is_explained() -> None:
    """A head whose values are zero for every word, and one that sees nothing at the first position."""
    embedding = sc.Embedding(sc.Space(("x", "y", "z")), words={"a": {"y": 1}, "b": {}})
    idle = sc.Head(("x",), ("x",), [[0]], [[0]], [[1]], mask="future")
    late = sc.Head(("y",), ("z",), [[0]], [[0]], [[1]], mask="strict-future")
    model = sc.Transformer(
        "idle", embedding, (sc.Layer(sc.SelfAttention((idle, late))),), sc.Readout("sign", "last", ("z",), [[1]])
    )
    found = model.entropy(2)
    assert [row.get("least") is None for row in found.rows] == [True, True, True, False]
    assert "L1.head1 writes nothing: its values are zero for every string" in found.notes["none"]
    assert "may attend to nothing" in found.notes["none"] and "none: L1.head1 writes nothing" in found.text()
    assert "none" not in sc.build("parity").entropy(2).notes
