"""The net under what is proved: a draw of it in each run, and a planted fault that it must catch."""

from __future__ import annotations

from pathlib import Path

import net
import pytest

import symcook as sc
from symcook.proof.files import proofs_directory
from symcook.proof.programs import headrules

SECONDS = 4.0
"""Processor time of the draw of each kind, by the record."""
OTHER_POSITIONS = ("formulas/ltl-00-hard", "formulas/ltl-00-soft", "formulas/srasp-14")


@pytest.mark.sweep
@pytest.mark.parametrize("kind", net.KINDS)
def test_nothing_of_a_draw_is_lost(kind: str) -> None:
    """All of it by `python tests/net.py --all -j 2`."""
    items = net.sampled(net.corpus(kind).values(), 12, SECONDS)
    assert len(items) == 12
    results = [net.asked(item) for item in items]
    assert not [(item["item"], now) for item, now, how in results if how not in ("", "WON")]


def test_every_recipe_family_and_stored_bridge_is_in_the_corpora_with_a_verdict(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(str(proofs_directory() / "scripts"))
    lines = {name: item for kind in net.KINDS for name, item in net.corpus(kind).items()}
    assert {item["item"] for item in net.drawn(formulas_too=False)} <= lines.keys()
    assert not [name for name, item in lines.items() if "verdict" not in item]
    used = {item["asks"].get("model") for kind in ("forms", "claims") for item in net.corpus(kind).values()}
    assert used - {None} == net.models().keys()


def test_a_formula_that_is_drawn_again_is_the_one_that_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(net.__file__).parent / "compilers"))
    lines = net.corpus("formulas")
    assert {item["item"]: item["asks"] for item in net.formulas_drawn()} == {k: v["asks"] for k, v in lines.items()}


@pytest.mark.sweep
def test_a_prover_that_has_lost_a_rule_is_named_by_what_it_loses(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the rules of operators that look at other positions, a Boolean formula is still proved."""
    source = "Q_a & ~Q_b"
    plain = {"item": "formulas/plain", "asks": {"language": "ltl", "source": source}, "verdict": "PROVED"}
    recorded = net.corpus("formulas")
    monkeypatch.setattr(net, "corpus", lambda kind: {plain["item"]: plain, **recorded} if kind == "formulas" else {})
    monkeypatch.setattr(headrules, "RULES", {})
    assert net.main([*OTHER_POSITIONS, "formulas/plain"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines[:-1]] == [f"LOST  {name}" for name in OTHER_POSITIONS]
    assert all(": PROVED -> OPEN" in line for line in lines[:-1])
    assert lines[-1] == "4 items: 3 lost, 0 changed, 0 won, 0 new"


@pytest.mark.parametrize(
    ("before", "now", "how"),
    [
        ("PROVED", "PROVED", ""),
        ("PROVED", "OPEN", "LOST"),
        ("PROVED", "REFUSED", "LOST"),
        ("PROVED", "PROVED assuming X", "LOST"),
        ("REFUTED", "FALSE", "LOST"),
        ("OPEN", "DEFECT", "LOST"),
        ("PROVED", "FALSE", "CHANGED"),
        ("REFUTED", "PROVED assuming X", "CHANGED"),
        ("FALSE", "PROVED", "CHANGED"),
        ("OPEN", "PROVED", "WON"),
        ("FALSE", "REFUTED", "WON"),
        ("OPEN", "REFUSED", ""),
    ],
)
def test_what_is_less_is_lost_and_what_contradicts_is_changed(before: str, now: str, how: str) -> None:
    assert net.compared({"verdict": before}, {"verdict": now}) == how


def test_a_part_of_closed_forms_that_is_no_more_proved_is_lost() -> None:
    item = {"item": "forms/dyck-1", "asks": {"recipe": "dyck-1"}, "verdict": "PARTLY", "parts": ["level", "total"]}
    assert net.compared(item, {"verdict": "PARTLY", "parts": ["level"]}) == "LOST"
    assert net.compared(item, {"verdict": "PARTLY", "parts": ["level", "total", "verdict"]}) == "WON"


def test_a_record_keeps_lines_that_have_not_changed_and_two_lines_of_an_item_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(net, "CORPORA", tmp_path)
    asks = {"language": "ltl", "source": "Q_a"}
    items = [{"item": f"formulas/{name}", "asks": asks} for name in "ba"]
    net.write("formulas", {item["item"]: item for item in items})
    net.record((item, {"verdict": "PROVED", "seconds": 1.0}, "NEW") for item in items)
    first = (tmp_path / "formulas.jsonl").read_bytes()
    assert [*net.corpus("formulas")] == ["formulas/a", "formulas/b"]
    again = [(item, {"verdict": "PROVED", "seconds": 7.0}, "") for item in net.corpus("formulas").values()]
    net.record(again)
    assert (tmp_path / "formulas.jsonl").read_bytes() == first
    (tmp_path / "formulas.jsonl").write_bytes(first + first)
    with pytest.raises(SystemExit, match=r"formulas.jsonl has two lines of formulas/a, formulas/b; leave one"):
        net.corpus("formulas")


def test_a_defect_ranks_below_an_open_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object, **__: object) -> sc.Transformer:
        raise KeyError("planted")

    monkeypatch.setattr(sc, "compile", fails)
    item = {"item": "formulas/x", "asks": {"language": "ltl", "source": "Q_a"}, "verdict": "OPEN"}
    _, now, how = net.asked(item)
    assert (now["verdict"], now["why"], how) == ("DEFECT", "KeyError: 'planted'", "LOST")
