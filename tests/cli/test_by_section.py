"""A reader with the Cookbook open: each name that `list` prints can be asked about, and alphabets are the reader's own.

Expected answers are worked out here from the text, without the library.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

import pytest
from families import together
from shared import call, document, refused

from symcook import BadInput, build
from symcook.papers.drawing import figures
from symcook.recipes.operations import OPERATIONS

WORDS = ("the cat the dog the cat", "dog", "cat dog cat dog cat", "the the dog the the cat the")


def recent(word: Sequence[str]) -> list[str]:
    """Section 9.1.1: what followed the last earlier occurrence, else the symbol itself."""
    answers = []
    for i, symbol in enumerate(word):
        before = [j for j in range(i) if word[j] == symbol]
        answers.append(word[before[-1] + 1] if before else symbol)
    return answers


def frequent(word: Sequence[str], order: Sequence[str]) -> list[str]:
    """Section 9.1.2: what most often followed, the first in `order` of several, else the symbol itself."""
    answers = []
    for i, symbol in enumerate(word):
        followed = [word[j + 1] for j in range(i) if word[j] == symbol]
        answers.append(max(order, key=followed.count) if followed else symbol)
    return answers


@together("text", WORDS)
@together("weighting", ["rightmost", "average", "softmax"])
def test_induction_heads_over_words(capsys: pytest.CaptureFixture[str], text: str, weighting: str) -> None:
    order, word = ("cat", "the", "dog"), text.split()
    for name, wanted in (("recent", recent(word)), ("frequent", frequent(word, order))):
        settings = ("--set", f"alphabet={' '.join(order)}", "--set", f"weighting={weighting}")
        found = document(capsys, "run", f"induction-most-{name}", *settings, "--tokens", text)
        assert found["outputs"] == wanted


def test_symbols_longer_than_a_character(capsys: pytest.CaptureFixture[str]) -> None:
    longer = ("--set", "alphabet=yes no")
    assert document(capsys, "run", "count", *longer, "--tokens", "yes no yes yes")["outputs"] == ["3/4"] * 4
    found = document(capsys, "run", "modulo", *longer, "--set", "m=4", "--tokens", "yes no yes yes")
    assert found["outputs"] == ["3"]
    assert document(capsys, "run", "first-position", *longer, "--tokens", "no no yes")["outputs"] == ["1", "0", "0"]
    code, out, _ = call(capsys, "check", "inverse-position", *longer, "--max-length", "4")
    assert code == 0 and "30 inputs of 30" in out  # 2 + 4 + 8 + 16 words
    code, out, _ = call(capsys, "check", "count", "--set", "alphabet=yes no so", "--max-length", "3")
    assert code == 0 and "39 inputs of 39" in out  # 3 + 9 + 27 words
    assert "must be given with --tokens" in refused(capsys, "run", "count", *longer, "--input", "yes")


def test_alphabets_in_python() -> None:
    assert build("count", alphabet=["yes", "no"]).alphabet == ("yes", "no")
    assert build("count", alphabet="yes no").alphabet == ("yes", "no")
    assert build("count", alphabet="xyz").alphabet == ("x", "y", "z")
    own = ("a-b", "symbol1", "c")  # the first and the second must not get one coordinate
    model = build("induction-most-recent", alphabet=own)
    assert model(["a-b", "symbol1", "a-b"]).outputs == ["a-b", "symbol1", "symbol1"]


@together("given", ["yes yes", "", " ", "aa", ["a", ""], ["a b"], ["a", "a"], [], 3, ["a", 3], "a\x07"])
def test_bad_alphabets(given: object) -> None:
    with pytest.raises(BadInput, match="alphabet must be different printable symbols"):
        build("count", alphabet=given)


def test_a_symbol_that_the_model_adds_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "show", "inverse-position", "--set", "alphabet=a BOS")
    assert "alphabet must not contain BOS" in said


def test_the_length_that_is_too_great_counts_what_the_model_adds(capsys: pytest.CaptureFixture[str]) -> None:
    settings = ("--set", "weighting=softmax", "--set", "N=4")
    said = refused(capsys, "run", "modulo", *settings, "--input", "aaaaa")
    assert "at most 5; given: 6 with BOS" in said


@pytest.mark.sweep
def test_each_name_that_list_prints_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "list")
    shown = re.findall(r"^  §\S+ +(\S+)", out, re.M)
    assert {one.short for one in OPERATIONS} < set(shown)
    for name in shown:
        code, out, err = call(capsys, "explain", name)
        assert (code, err) == (0, "") and out.startswith(f"{name}: ")


def test_a_function_is_explained_under_each_of_its_names(capsys: pytest.CaptureFixture[str]) -> None:
    answers = {call(capsys, "explain", f"{front}compose.route")[1] for front in ("", "sc.", "symcook.")}
    (out,) = answers
    assert "from symcook import compose; compose.route(block, *, reads=None" in out
    assert "Lemma 8.1" in out and "cookbook.s8.2.routing_sa" in out
    _, out, _ = call(capsys, "explain", "bounds.lipschitz")
    assert "On the command line: symcook bound lipschitz NAME." in out
    assert "L o block o R" in document(capsys, "explain", "compose.route")["details"]
    for command in ("show", "run", "derive", "check"):
        said = refused(capsys, command, "compose.route")
        assert "a function of the library; see symcook explain compose.route" in said
    assert "no argument to set" in refused(capsys, "explain", "compose.route", "--set", "x=1")


@pytest.mark.sweep
def test_claims_of_a_table_or_section(capsys: pytest.CaptureFixture[str]) -> None:
    rows = document(capsys, "claims", "cookbook.t5")
    assert [row["id"].rpartition(".")[2] for row in rows] == ["onehot", "almost_orth", "lnhash", "quadmax"]
    rows = document(capsys, "claims", "cookbook.s5.3.1", "cookbook.t5.onehot")
    assert all(row["id"].startswith(("cookbook.s5.3.1.", "cookbook.t5.onehot")) for row in rows) and len(rows) == 4
    assert "must be a known name" in refused(capsys, "claims", "cookbook.s5.")
    for place, meant in (("9.2.1", "cookbook.s9.2.1"), ("t5", "cookbook.t5"), ("thm12", "yang2026.thm12")):
        assert refused(capsys, "claims", place).endswith(f"given: {place}; did you mean {meant}?\n")
        assert len(document(capsys, "claims", meant)) >= 1
    assert "see symcook claims --search autoreg" in refused(capsys, "claims", "autoreg")


@pytest.mark.sweep
def test_the_propositions_of_section_7_name_their_function(capsys: pytest.CaptureFixture[str]) -> None:
    for k in (2, 3, 4, 5):
        (row,) = document(capsys, "claims", f"cookbook.s7.2.prop7.{k}")
        assert "symcook.bounds.error_propagation" in row["objects"]
    _, out, _ = call(capsys, "claims", "cookbook.s7.2.prop7.5")
    assert "Object: symcook.bounds.layer_norm\n" in out


def test_the_page_of_report_names_what_it_draws(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "explain", "report")
    named = [f"{name.removesuffix('-input')}" for name in figures()]
    assert all(name in out for name in named)


def test_an_argument_of_the_recipe_inside_is_no_setting(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(capsys, "show", "by-gelu", "--set", "f=cpwl", "--set", "points=0,0; 1,2; 2,0")
    assert "the recipe that is the argument f of by-gelu must have its default arguments; given: --set points=" in said
    said = refused(capsys, "show", "cancel-residual", "--set", "points=0,0; 1,2; 2,0")
    assert "must have its default arguments" in said
    assert "the setting must be a known name" in refused(capsys, "show", "by-gelu", "--set", "pints=1")


def test_an_expression_may_be_written_without_spaces(capsys: pytest.CaptureFixture[str]) -> None:
    rows = ("--rows", "1,5; 0,2; 1,7")
    assert document(capsys, "run", "tie-break", "--set", "term=1/(j+1)", *rows)["outputs"] == ["5", "5", "5"]
    assert document(capsys, "run", "tie-break", "--set", "term=-1/( j+1 )", *rows)["outputs"] == ["7", "7", "7"]
    assert "did you mean" in refused(capsys, "run", "tie-break", "--set", "term=1/(i+1)", *rows)


def test_a_verdict_on_all_positions_shows_them_all(capsys: pytest.CaptureFixture[str]) -> None:
    """(()(())) is nested three deep: after two rounds its outer pair is left, and the last position says nothing."""
    word, left = "(()(()))()", ["1", *"000000", "1", "0", "0"]
    found = document(capsys, "run", "dyck-1-2", "--input", word)
    assert found["accept"] is False and found["output"] == {"active": "0"} and found["outputs"] == left
    _, out, _ = call(capsys, "run", "dyck-1-2", "--input", word)
    assert "  by position: 1, 0, 0, 0, 0, 0, 0, 1, 0, 0\n" in out
    found = document(capsys, "derive", "dyck-1-2", "--input", word)
    assert found["accept"] is False and [one["output"]["active"] for one in found["outputs"]] == left
    _, out, _ = call(capsys, "derive", "dyck-1-2", "--input", word)
    assert "  position 1: active = 1\n" in out and out.count("verdict") == 1 and out.endswith("  verdict: reject\n")
    _, out, _ = call(capsys, "derive", "dyck-1-2", "--input", "()", "--latex")
    assert r"\mathrm{active}_{2} &= 0" in out and out.count("verdict") == 1


def test_eight_variables_take_less_than_a_second() -> None:
    build("max")
    start = time.process_time()
    model = build("boolean-formula", formula="a & b & c | d & e & f | g & h")
    assert time.process_time() - start < 10
    assert model(dict.fromkeys("abcdefgh", 1)).output == {"out": "1"}
    assert model({one: int(one in "abdg") for one in "abcdefgh"}).output == {"out": "0"}
