"""Closed forms of families with their sizes as names: what is said is what instances compute, and is proved so."""

from __future__ import annotations

import itertools
import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT
from proof.family_cases import FAMILIES, SHIPPED
from shared import call, document, refused

from symcook.model.expr import parse_term, show
from symcook.model.family import load, shipped
from symcook.model.instance import instance
from symcook.proof.families.sizeforms import FamilyForms, shorter
from symcook.proof.statements.certify import below
from symcook.run import run


def forms(name: str, **choices: str) -> FamilyForms:
    return FamilyForms(load(shipped(name), choices or None))


BY_HAND = {
    "count": {"share(c, i)": "sum(j, 1, n, I[w(j) = c - 1])/n"},
    "identity": {"out(c)": "x(c)"},
    "network": {"out(r)": "sum(u, 1, h, V(r, u)*relu(sum(l, 1, d, W(u, l)*z(l)) + b(u))) + c(r)"},
    "copies": {"out(r)": "sum(u, 1, h, V(u)*relu(W(u)*x(r) + b(u)))"},
    "cpwl": {"out": "m(1)*x + sum(r, 2, P, (m(r) - m(r - 1))*relu(x - xs(r))) + (ys(1) - m(1)*xs(1))"},
}


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("name", BY_HAND)
def test_forms_at_all_sizes_are_found_and_proved(name: str) -> None:
    found = forms(name)
    said = {form.head: form.value and show(form.value) for form in found.outputs.values()}
    assert said == BY_HAND[name]
    proof = found.prove()
    assert proof.certificate is not None and proof.statement is not None and not proof.missing
    assert proof.statement.text.startswith("all ") and found.relation.run() in proof.statement.text


def test_the_prefix_of_a_choice_is_in_the_form() -> None:
    (form,) = forms("count", seen="future").outputs.values()
    assert form.value is not None and show(form.value) == "sum(j, 1, i, I[w(j) = c - 1])/i"


def test_what_is_given_round_by_round_or_by_a_head_with_ties_says_so() -> None:
    for name, why in (("max", "round by round"), ("lookup-one-hot", "several largest scores")):
        (form,) = forms(name).outputs.values()
        assert form.value is None and why in form.why
        proof = forms(name).prove()
        assert proof.certificate is None and why in proof.missing[form.function]


@pytest.mark.sweep
def test_each_value_of_a_family_that_ships_has_a_form_or_a_reason() -> None:
    for name in SHIPPED:
        for form in forms(name).forms.values():
            assert (form.value is None) == bool(form.why), (name, form.head)


def test_a_form_speaks_of_sizes_tables_and_inputs_alone() -> None:
    for name in SHIPPED:
        found = forms(name)
        values = found.relation.functions.keys() - {one.name for one in found.family.inputs}
        for form in found.forms.values():
            left = values & set(re.findall(r"\w+", show(form.value))) if form.value is not None else set()
            assert not left, (name, form.head, left)
    assert "it reads" in forms("turing").outputs["o"].why and "it reads" in forms("automaton-run").outputs["o"].why


@pytest.mark.sweep
@pytest.mark.parametrize("wrong", ["sum(j, 1, n, I[w(j) = c - 1])", "sum(j, 1, n, I[w(j) = c])/n", "1/n"])
@pytest.mark.layer_two(every=2)
def test_a_form_that_is_wrong_is_not_proved(wrong: str) -> None:
    found = forms("count")
    found.forms["share"] = replace(found.forms["share"], value=parse_term(wrong))
    proof = found.prove(2)
    assert proof.certificate is None and "share" in proof.missing


@pytest.mark.parametrize(("seen", "size"), [*itertools.product(("none", "future"), (3, 4))])
def test_the_shares_are_those_of_runs(seen: str, size: int) -> None:
    """The form of `BY_HAND` counted here, on all words to length 3."""
    model = instance(load(shipped("count"), {"seen": seen}), {"S": size})
    for n in (1, 2, 3):
        for word in itertools.product(range(size), repeat=n):
            outputs = run(model, tuple(map(str, word)), "exact").to_json()["outputs"]
            for i, row in enumerate(outputs, 1):
                end = n if seen == "none" else i
                expected = [Fraction(word[:end].count(c), end) for c in range(size)]
                assert [Fraction(x) for x in row.values()] == expected


def relu(x: Fraction) -> Fraction:
    return max(x, Fraction(0))


SIDES: dict[str, Callable[[Any], Any]] = {
    "relu(x) - relu(-x)": lambda x: x,
    "-3*relu(-x) + 3*relu(x) + 1": lambda x: 3 * x + 1,
    "y - relu(-x) + relu(x)": lambda x: x + 5,
    "relu(-x) - relu(x)": lambda x: -x,
    "relu(x) + relu(-x)": abs,
    "2*relu(x) - relu(-x)": lambda x: 2 * relu(x) - relu(-x),
}


@pytest.mark.parametrize("text", SIDES)
def test_what_is_made_shorter_means_the_same(text: str) -> None:
    made = show(shorter(parse_term(text)))
    for k in range(20):
        x = Fraction(random.Random(k).randint(-30, 30), 7)
        value = eval(made, {"relu": relu, "x": x, "y": 5})
        assert value == SIDES[text](x), (text, made, x)


def test_the_command_prints_the_form_its_proof_and_the_theorem(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = call(capsys, "derive", "family-count")
    assert code == 0 and "share(c, i) = sum(j, 1, n, I[w(j) = c - 1])/n" in out and "PROVED: share" in out
    assert "PROVED  cookbook.s3.3.integer_reps, under its hypotheses" in out and "for all 1 <= S" in out
    code, out, _ = call(capsys, "derive", "family-max")
    assert code == 3 and "not proved: z2_out" in out and "PROVED: " not in out and "PROVED  family.max" in out
    assert "(all c in 1..K. x(c) <= z2_out(K)) & (ex c in 1..K. z2_out(K) = x(c))" in out


def test_its_certificate_is_accepted_by_the_second_checker(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "count.json"
    (shown,) = document(capsys, "derive", "family-count", "-o", file)
    assert shown["proved"] is True and shown["missing"] == {} and shown["certificate"] == str(file)
    assert shown["symbols"] == ["n", "S"] and shown["output"] == BY_HAND["count"]
    lemmas = [ROOT / "proofs" / "certificates" / f"{name}.json" for name in below(json.loads(file.read_text()))]
    checker = [sys.executable, ROOT / "proofs" / "checker.py", tmp_path / "count.statement.txt", file, *lemmas]
    done = subprocess.run(checker, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "PROVED" in done.stdout, done.stdout + done.stderr
    refused(capsys, "derive", "family-count", "-o", file)
    changed = json.loads(file.read_text())
    changed["proof"] = changed["proof"][:-1]
    file.write_text(json.dumps(changed))
    assert subprocess.run(checker, capture_output=True, check=False).returncode != 0


def test_a_family_of_ones_own_has_forms_and_no_theorem(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    text = (FAMILIES / "count.json").read_text().replace('"name": "count"', '"name": "mine"')
    file.write_text(text)
    (shown,) = document(capsys, "derive", file)
    assert shown["recipe"] == "mine" and shown["proved"] is True and shown["theorems"] == []


def test_refusals(capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, "derive", "family-count", "--latex")
    refused(capsys, "derive", "family-count", "--input", "ab")
    refused(capsys, "derive", "family-dyck-k-d", "--set", "K=2")
    refused(capsys, "derive", "family-count", "--set", "seen=never")
    refused(capsys, "derive", "family-count", "--set", "T=3")
