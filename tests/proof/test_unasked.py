"""Premises inside I[...], which H does not ask to be met: they are named wherever a claim is shown as proved."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from families import together
from test_own_words import MODELS

from symcook import claims
from symcook.__main__ import main
from symcook.model import modelfile
from symcook.proof.audit.source import unasked
from symcook.proof.replay import Statement, statements
from symcook.report.claim import document

WORDS = "that this condition inside I[...] is satisfiable: "
NEVER = "sum(j, 1, n, I[w(j) = 0]) < 0"  # count(a) < 0 of the model votes


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.json").write_text(modelfile.dumps(MODELS["votes"]()), encoding="utf-8")
    return tmp_path


def said(capsys, *words: str) -> tuple[int, str]:
    code = main([*words])
    return code, capsys.readouterr().out


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("sentence", ["I[count(a) < 0 -> 0 = 1] = 1", "0 = 1 - I[~(count(a) < 0) | 0 = 1]"])
def test_a_vacuous_sentence_inside_an_indicator_does_not_pass_in_silence(home, capsys, sentence):
    """The same premise outside is refused by H; inside it is named, in text and in the document."""
    code, out = said(capsys, "prove", "votes.json", "--statement", sentence, "--force")
    assert code == 0 and out.startswith("PROVED")
    line = next(line for line in out.split("\n") if line.startswith("Not checked"))
    assert line == f"Not checked  {WORDS}{NEVER}"
    code, out = said(capsys, "prove", "votes.json")
    assert code == 0 and line in out
    code, out = said(capsys, "prove", "votes.json", "--json")
    assert [*json.loads(out)["unasked"]] == [line.partition(": ")[2]]
    code, out = said(capsys, "prove", "votes.json", "--statement", sentence, "--force", "--latex")
    assert code == 0 and r"\noindent Not checked: " in out
    code, out = said(capsys, "prove", "votes.json", "--statement", sentence, "--force", "--json")
    assert [*json.loads(out)["unasked"]] == [line.partition(": ")[2]]


def test_the_same_premise_outside_is_refused(home, capsys):
    code, out = said(capsys, "prove", "votes.json", "--statement", "count(a) < 0 -> 0 = 1")
    assert code == 3 and out.startswith("OPEN (vacuous)  count(a) < 0 -> 0 = 1\n")


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("sentence", ["I[count(a) < 0] = 0", "vote(n) <= 1", "1 <= n"])
def test_where_nothing_has_premises_nothing_is_said(home, capsys, sentence):
    code, out = said(capsys, "prove", "votes.json", "--statement", sentence)
    assert code == 0 and "Not checked" not in out


@pytest.mark.sweep
def test_a_stored_claim_names_them_in_both_commands(capsys):
    with_one, without = "cookbook.s9.2.1.nonuniform", "cookbook.s9.2.1.balance"
    code, out = said(capsys, "prove", with_one)
    assert code == 0 and f"Not checked  {WORDS}" in out
    code, out = said(capsys, "prove", with_one, "--latex")
    assert code == 0 and r"\noindent Not checked: that this condition inside I[...] is satisfiable: ex" in out
    code, out = said(capsys, "prove", without)
    assert code == 0 and WORDS not in out
    code, out = said(capsys, "prove", with_one, "--json")
    assert json.loads(out)[0]["unasked"] == ["ex j:Int. 1 <= j & j <= n"]
    for name, status, shown in (
        (with_one, "PROVED", True),
        (with_one, "OPEN", False),
        (without, "PROVED", False),
    ):
        row = replace(claims.claim(name), status=status)
        assert (f"Not checked: {WORDS}" in document([row]).text()) == shown


def test_of_a_refuted_claim_the_correction_is_meant(capsys):
    name = "cookbook.s9.2.1.uniform_limit"
    code, out = said(capsys, "prove", name)
    assert code == 0 and out.count(WORDS) == 1
    row = replace(claims.claim(name), status="CORRECTED", corrected=f"{name}.corrected")
    assert document([row]).text().count(WORDS) == 1


CASES = {
    "all x:Real. I[x < 0 & 0 < x -> 0 = 1] = 1": ["x < 0 & 0 < x"],
    "all x:Real. I[~(x < 0 & 0 < x) | 0 = 1] = 1": ["x < 0 & 0 < x"],
    "all x:Real. I[~(x < 0 & ~(x = 1))] = I[0 <= x]": ["x < 0"],
    "all n:Int. 1 <= n -> sum(j, 1, n, I[all k in 1..j - 1. k < j]) = n": ["ex k:Int. 1 <= k & k <= j - 1"],
    "all n:Int. I[all x:Real. x*x < 0 -> n = 1] = 1": ["ex x:Real. x*x < 0"],
    "all x:Real. 1 - I[x < 0 <-> 0 < x] <= 1": ["x < 0 | 0 < x"],
    "all x:Real. I[I[x < x -> 0 = 1] = 1] = 1": ["x < x"],
    "all x:Real. relu(I[x < x -> 0 = 1] + I[x < x -> 0 = 2]) = 2": ["x < x"],
    "(all x:Real. I[x < x -> 0 = 1] = 1) & all x:Real. I[x < 0 -> x = 1] <= 1": ["x < x", "x < 0"],
    "all x:Real. 0 <= x -> ~(I[x < x -> 0 = 1] = 0)": ["x < x"],
    # what stands in a premise, or has no premise, is none
    "all x:Real. I[x < x -> 0 = 1] = 1 -> x = x": [],
    "all x:Real. I[x < 0]*I[0 < x] = 0": [],
    "all x:Real. (x < x -> 0 = 1) | x = x": [],
    "all n:Int. I[ex j in 1..n. j = n] <= 1": [],
}


@together("text", list(CASES))
def test_which_premises_are_named(text: str) -> None:
    """Those of F in I[F] that H would ask to be met if F were said itself, at any depth, each once."""
    assert unasked(Statement("a.claim", text)) == CASES[text]


@pytest.mark.sweep
def test_stored_claims_have_ranges_and_maxima_only() -> None:
    """But for four, whose premise the least instance meets, no stored claim has a premise of its own inside I[...]:
    they are ranges of indices, and the definitions of hardmax, whose premise is that a position has the greatest score.
    So nothing hides in one."""
    found = {name: unasked(s) for name, s in statements().items() if s.claim and not s.assumed}
    assert sum(map(bool, found.values())) > 50
    span = r"ex \w+:Int. (?:0|1|\w+ \+ 1) <= \w+ & \w+ <= .*"
    greatest = r"ex (\w+) in 1..(.+)\. (maximal\(.*, \1\)|all (\w+) in 1..\2\. .* <= .*)"
    trivial = r"ex \w+:Int\. true"  # no i is 2*j for any j: that there are integers
    own = {
        "cookbook.s5.3.2.ao_probability": r"ex (\w+) in 1..N\. ex (\w+) in 1..N\. \1 != \2",  # two words
        "bridge.induction_most_recent": r"ex j in 1..k\. i < j",  # a later place
        "yang2026.s6.dyck": r"ex j in 1..j1\. ex k in j \+ 1..j1\. 0 < h3\(j\) & h3\(k\) < 0 & .*",  # the same
        "yang2026.appD.dyck": r"ex j in 1..i\. ex k in j \+ 1..i\. 0 < o\(j\) & o\(k\) < 0 & .*",  # a pair of brackets
    }
    others = {
        (name.removesuffix(".corrected"), one)
        for name, texts in found.items()
        for one in texts
        if not re.fullmatch(f"{span}|{greatest}|{trivial}", one)
    }
    assert {name for name, _ in others} == own.keys()
    assert all(re.fullmatch(own[name], one) for name, one in others)
