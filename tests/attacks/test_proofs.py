"""Samples of the attacks by rule (see proofs.py, whose command runs all of them), seeded."""

from __future__ import annotations

import collections
import hashlib
import random

import pytest
from attacks import mutate, proofs
from families import together

from symcook.model.expr import parse_formula, show

BATCHES = 4
SEARCHED = 4


def sample(batch: int, every: int) -> list[str]:
    """One case for each of some ids: which ids and cases they are does not depend on what else is stored."""
    number = {n: int(hashlib.sha256(n.encode()).hexdigest(), 16) // every for n in proofs.stored()}
    return [f"{n}#0" for n, k in number.items() if k % BATCHES == batch and proofs.drawn(f"{n}#0")[1] % every == 0]


@pytest.mark.sweep
def test_there_are_three_hundred_false_neighbours() -> None:
    found = proofs.neighbours()
    assert len(found) >= 300 and len({n.id for n in found}) >= 100
    print(f"{len(found)} false neighbours of {len({n.id for n in found})} claims")


@pytest.mark.sweep
@pytest.mark.layer_two(0)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_no_stored_proof_proves_a_false_neighbour(batch: int) -> None:
    """Every sixteenth one; all of them by `python tests/attacks/proofs.py neighbours`."""
    outcomes = collections.Counter(
        proofs.try_neighbour(place)["outcome"] for place in range(batch, len(proofs.neighbours()), 4 * BATCHES)
    )
    assert outcomes["rejected"] > 0.9 * outcomes.total()


@pytest.mark.sweep
@pytest.mark.layer_two(0)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_the_search_proves_no_false_neighbour(batch: int) -> None:
    """A seeded sample; a search that takes longer than a second is given up. The same search proves claims, in time:
    the one with the shortest proof is tried first."""
    places = random.Random(batch).sample(range(len(proofs.neighbours())), SEARCHED)
    outcomes = [proofs.try_neighbour(place, 1) for place in places]
    assert {o["outcome"] for o in outcomes} <= {"rejected", "not well-sorted"}
    names = [proofs.neighbours()[place].id for place in places]
    names.sort(key=lambda name: len(str(proofs.stored()[name])))
    assert any(proofs.searched(name, proofs.STATEMENTS[name].formula, 20) == "proved" for name in names), names


@pytest.mark.sweep
@pytest.mark.layer_two(0)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_damaged_proof_proves_its_own_statement_or_nothing(batch: int) -> None:
    cases = sample(batch, 4)
    outcomes = collections.Counter(proofs.try_proof(case)["outcome"] for case in cases)
    assert outcomes["rejected"] > len(cases) // 2


@pytest.mark.sweep
@pytest.mark.layer_two(0)
@pytest.mark.parametrize("batch", range(BATCHES))
def test_a_changed_statement_that_is_accepted_holds(batch: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """At a quarter of the values at which the command evaluates it."""
    monkeypatch.setattr(proofs, "EVALUATIONS", proofs.EVALUATIONS // 4)
    outcomes = [proofs.try_statement(case) for case in sample(batch, 12)]
    assert [o for o in outcomes if o.get("truth") == "false"] == []
    assert any(o["outcome"] == "rejected" for o in outcomes)


def test_every_explained_statement_has_its_reason() -> None:
    for digest, why in proofs.explained().items():
        assert len(digest) == 64 and len(why) > 20


def test_changes_of_statements_are_seeded_and_small() -> None:
    text = "all n:Int, f:Int->Real. 1 <= n -> (all i in 1..n. 0 <= f(i)) -> 0 <= sum(j, 1, n, f(j)*min(f(j), 2))"
    tree = parse_formula(text)
    made = [mutate.mutate_statement(tree, random.Random(seed)) for seed in range(200)]
    assert made == [mutate.mutate_statement(tree, random.Random(seed)) for seed in range(200)]
    assert len({show(t) for t in made}) > 80


@together(
    ("text", "can"),
    [
        ("all x:Real. 0 <= x -> 0 < x", True),
        ("all x:Real. (all y:Real. y <= x) -> 0 < x", False),
        ("all x:Real. ex y:Real. y = x", False),
        ("all x:Real. (ex y:Real. y = x) -> x = 0", True),
        ("all x:Real. ~(ex y:Real. y = x)", True),
        ("all x:Real. ~(all y:Real. y = x)", False),
        ("all n:Int. (all i in 1..n. i = 1) -> (ex i in 1..n. i = 1)", True),
        ("all x:Real. I[all y:Real. y = x] = 0", False),
        ("all x:Real. (all y:Real. y = x) <-> x = 0", False),
    ],
)
def test_which_statements_can_be_sampled(text: str, can: bool) -> None:
    assert mutate.sampled(parse_formula(text)) == can


@pytest.mark.sweep
def test_the_command_goes_on_where_it_was_stopped(tmp_path, capsys, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    """Of the stored statements, which it compares with each other for contradictions, a few."""
    few = [proofs.keys(proofs.shown(name), name) for name in list(proofs.stored())[::48]]
    monkeypatch.setattr(proofs, "stored_keys", lambda: few)
    state = tmp_path / "state.jsonl"
    assert proofs.main(["proofs", "--count", "3", "--state", str(state)]) == 0
    once = state.read_text(encoding="utf-8").splitlines()
    state.write_text("\n".join([*once, '{"case": 17, "outc']), encoding="utf-8")  # cut off in the middle
    assert proofs.main(["proofs", "--count", "5", "--state", str(state)]) == 0
    lines = state.read_text(encoding="utf-8").splitlines()
    assert lines[:4] == once and len(lines) == 6
    assert "5 cases" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="another attack"):
        proofs.main(["statements", "--count", "1", "--state", str(state)])
