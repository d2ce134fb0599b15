"""build/notes/constructions.md: which constructions are stated of a stored model's run."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from families import together
from proof import stored

from symcook import claims
from symcook.proof import files, replay
from symcook.proof.audit import existing
from symcook.proof.grammar import leading_names
from symcook.proof.replay import Statement, statements
from symcook.report.claim import document

constructions = stored.load_module("constructions")

NAMED = r"\b(?:cookbook|chiang2022|merrill2024|yang2026|model)(?:\.\w+)+"
MEAN = "all n:Int, x:Int->Real, mean:Int->Real, y:Int->Real. 1 <= n -> run(average)"
DYCK = "all n:Int, w:Int->Int, token:Int->Real, balance:Int->Real, error:Int->Real, total:Int->Real. word(dyck-1)"
MIN = "(all x:Real, y:Real, out:Real. run(min) -> out = min(x, y))"
PLANTED = {
    f"{MEAN} -> all i in 1..n. mean(i) = sum(j, 1, n, x(j))/n": "wholly",
    # the second part repeats the formula of attention about numbers that are put in
    f"{MEAN} -> mean(1) = mean(n) & sum(j, 1, n, sm(l. 0, n, j)*x(j)) = sum(j, 1, n, x(j))/n": "in part",
    # a run among the premises of which nothing is said
    f"{MEAN} -> (all i in 1..n. y(i) = x(i)) -> y(n) = x(n)": "not",
    "all x:Real, y:Real. min(x, y) <= x": "not",
    f"{MIN} & all x:Real, y:Real. min(x, y) <= x": "in part",
    f"{MIN} & all x:Real, y:Real, out:Real. run(max) -> x <= out": "wholly",
    "all eps:Real. 0 < eps -> ex x:Real, out:Real. run(gtzero) & out != I[0 < x]": "wholly",
    f"{DYCK} -> run(dyck-1) -> (accept(dyck-1) <-> dyck(w, n))": "wholly",
    # a word of a model without its run; what a word gives belongs to the run
    f"{DYCK} -> w(1) <= 1": "not",
    f"{DYCK} -> run(dyck-1) -> token(1) <= 1": "wholly",
    # a run with a name of its own
    "all A:run(min). A.out <= A.x": "wholly",
    "all A:run(min). A.x <= A.x": "not",
    "all names(family-max; ; g_), K:Int. run(family-max; ; g_) -> g_z2_out(K) <= g_z2_out(K)": "wholly",
}


@together("text", list(PLANTED))
def test_a_planted_statement_is_found_out(text: str) -> None:
    known = next(iter(statements().values())).known
    assert constructions.about(Statement("a.claim", text, known=known)) == PLANTED[text]


def test_what_a_run_determines() -> None:
    assert constructions.determined("dyck-1") == {"token", "balance", "error", "total"}
    assert constructions.determined("min") == {"out"}
    assert {"dev2_", "y2_s_", "mu1"} <= constructions.determined("first-layernorm")


def test_a_row_of_a_family_says_for_which_sizes_it_holds_and_what_is_stored() -> None:
    rows = {row.id: row for row in claims.ledger(names=("cookbook.s9.2.3.dyckkD_accept", "cookbook.s4.4.max"))}
    said = "family-dyck-k-d for all K, D; stored: dyck-k-d at K = 2, D = 4"
    assert constructions.of_families(rows["cookbook.s9.2.3.dyckkD_accept"]) == said
    assert constructions.of_families(rows["cookbook.s4.4.max"]) == ""


def chosen() -> dict[str, str]:
    rows = [row for row in claims.ledger() if row.kind in constructions.KINDS]
    return {row.id: constructions.word_of(row, statements()) for row in rows}


def without_weights(words: dict[str, str]) -> set[str]:
    """The rows with a reason: constructions that are not about a run, and claims of merrill2024, of whatever kind, of
    which the formal statement names no model."""
    found = {name for name, word in words.items() if word == "not"}
    for row in claims.ledger():
        own = statements().get(row.corrected or row.id)
        if row.paper == "merrill2024" and row.kind != claims.DEFINITION and own and not existing.models(own.written):
            found.add(row.id)
    return found


@pytest.mark.sweep
def test_a_row_that_is_not_about_a_run_says_why_and_no_other_does() -> None:
    """The reason is a field of its remark, `no_run`."""
    words, said = chosen(), claims.remarks()
    rows = without_weights(words)
    silent = {name for name in rows if not said[name].get("no_run", "").endswith(".")}
    assert not silent, "say in proofs/remarks, as no_run, why the statement is not about a run"
    extra = {name for name, one in said.items() if "no_run" in one} - rows
    assert {words.get(name) for name in extra} <= {"not settled"}, "no_run stands at rows that are not about a run"
    for one in said.values():
        for name in re.findall(NAMED, one.get("no_run", "")):
            assert name in statements() or name in claims.inventory(), name


@pytest.mark.sweep
def test_the_page_has_each_row_once_and_counts_them() -> None:
    rows, words = claims.ledger(), chosen()
    text = constructions.page(rows)
    listed = re.findall(r"^- (\S+) \(", text, re.MULTILINE)
    assert sorted(listed) == sorted(words)
    every = next(line for line in text.split("\n") if line.startswith("| all |"))
    numbers = [int(one) for one in re.findall(r"\d+", every)]
    assert numbers == [*([*words.values()].count(word) for word in constructions.WORDS), len(words)]
    by_paper = [line for line in text.split("\n") if line.startswith(tuple(f"| {paper} |" for paper in claims.PAPERS))]
    columns = zip(*([int(one) for one in re.findall(r"\| (\d+)", line)] for line in by_paper), strict=True)
    assert numbers == [sum(column) for column in columns]


@pytest.mark.sweep
def test_a_planted_row_moves_between_the_lists() -> None:
    """A row whose statement is another's is listed by that one, and an open one is not settled."""
    rows = [row for row in claims.ledger() if row.kind in constructions.KINDS]
    apart = replace(next(row for row in rows if row.id == "cookbook.t4.pm_one"), status="PROVED")
    about = constructions.page([replace(apart, corrected="cookbook.s4.4.min", status="CORRECTED")])
    assert "## Wholly\n\n- cookbook.t4.pm_one (Table 4): min\n" in about and "| cookbook | 1 | 0 | 0 | 0 | 1 |" in about
    away = constructions.page([apart])
    assert "| cookbook | 0 | 0 | 1 | 0 | 1 |" in away
    assert "## Not, and no model is wanted\n\n- cookbook.t4.pm_one" in away
    untreated = constructions.page([replace(apart, status="OPEN", note="not yet treated")])
    assert "| cookbook | 0 | 0 | 0 | 1 | 1 |" in untreated


def settling() -> set[str]:
    """The statements of the rows that have a status, with their corrections."""
    rows = claims.ledger()
    return {name for row in rows for name in (row.id, row.corrected) if name in statements()}


def test_every_family_and_every_choice_that_a_row_rests_on_has_runs() -> None:
    found = {model for name in settling() for model in existing.models(statements()[name].written)}
    assert not {model for model in found if model.startswith("family-")} - existing.theorems().keys()
    every = {f"family-{path.stem}" for path in (files.proofs_directory() / "families").glob("*.json")}
    assert "family-max" in every <= {model.split(";")[0] for model in existing.theorems()}
    assert {"family-count; seen = future", "family-automaton-no-start", "flip-flop"} <= found


@pytest.mark.sweep
def test_a_theorem_on_runs_supposes_nothing_of_what_the_model_computes() -> None:
    """What the model determines is under the existence, and so not among the names in front."""
    for model, name in existing.theorems().items():
        stored_name, *_ = model.split(";")
        own = stored_name.replace("family-", constructions._FAMILY, 1)
        front = {given.split(":")[0] for given in leading_names(statements()[name].expanded)}
        assert not front & constructions.determined(own), name
        assert name in replay.library().certificates() and not statements()[name].claim


def test_a_row_says_that_it_assumes_a_run_or_which_theorem_says_that_there_is_one() -> None:
    for name, said in (
        ("yang2026.thm16", "Weights: family-since (every input has a run: lem.since_runs)"),
        ("merrill2024.s1.1.realtime", "Weights: family-turing (every input has a run: lem.turing_runs)"),
    ):
        shown = document(claims.ledger(names=(name,))).text()
        assert said in " ".join(shown.split()), name
