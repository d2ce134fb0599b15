"""Bridges whose equations are merged: each equation is there at its number, and both checkers see a changed number."""

from __future__ import annotations

import copy
import json
import re
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest
from checkout import ROOT

import symcook as sc
from symcook.cli.families import candidates
from symcook.errors import Rejected
from symcook.model.expr import Tree, parse_formula, show
from symcook.model.modelfile import to_document
from symcook.model.transformer import Transformer
from symcook.proof import grammar, replay, terms
from symcook.proof.bridges import bridge, casevalues
from symcook.proof.bridges.computed import _nested, halved
from symcook.proof.bridges.distinct import distinct
from symcook.proof.bridges.indexedequations import lines, merged, summed, tables
from symcook.proof.bridges.tableterms import counted
from symcook.proof.files import proofs_directory
from symcook.proof.normal import TRUE, fkey
from symcook.proof.replay import Statement
from symcook.proof.search import automation
from symcook.proof.search.tactics import Goal, Stuck, prove
from symcook.proof.statements import certify
from symcook.proof.terms import Term, flatten, instantiate, num, opened, var

ODD = '{"states": ["e", "o"], "input_symbols": ["0", "1"], "transitions": {"e": {"0": "e", "1": "o"}, \
"o": {"0": "o", "1": "e"}}, "initial_state": "e", "final_states": ["o"]}'
RIGHT = """\
input: a
work symbols: a
start: q
halt: done
q a * -> q a R R
q _ * -> done a R R
"""
TWO = """\
input: a
work symbols: a
start: q
halt: done
q a * * -> q a _ R R S
q _ * * -> done a a L S L
"""
BY_PROCESSOR = """\
import runpy, sys, time
time.monotonic = time.process_time
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""A script whose limits of time go by the processor's."""
FRONT = "all f:Int*Int->Real, g:Int*Int->Real, m:Int->Real, i:Int. "


@pytest.fixture(autouse=True)
def time_of_the_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """A certificate takes most of the minute that each part has, by the clock, which a busy machine does not give."""
    monkeypatch.setattr(terms, "time", SimpleNamespace(monotonic=time.process_time))


def keys(texts: list[str]) -> list[tuple[Any, ...]]:
    """The normal forms of parts, those over numbers at each number."""
    read: Term = grammar.read_formula(FRONT + " & ".join(texts), {}, {})
    names, body = [], read
    for name in "fgmi":
        names.append(var(name, body[1]))
        body = body[2][0]
    read = opened(read, names)
    out = []
    for part in flatten("&", read):
        if part[0] == "all":
            low, high = part[2][0][2][0][2]
            for k in range(low[2][0][1][0], high[2][1][1][0] + 1):
                out.append(fkey(instantiate(part[2][0], (num(k),))[2][1]))
        else:
            out.append(fkey(part))
    return sorted(out, key=repr)


def read(texts: list[str]) -> list[Tree]:
    return list(map(parse_formula, texts))


def shown(parts: list[Tree]) -> list[str]:
    return [f"({show(part)})" for part in parts]


def test_each_equation_is_there_at_its_number() -> None:
    random = Random(5)
    for many in range(1, 14):
        texts = [
            f"f({k}, i) = {random.randint(0, 3)}*g({random.choice((1, 2, k, 2 * k, 9 - k % 3))}, i) + m(i)^2/3"
            + f" - f({random.randint(1, 2)}, {random.choice((k, 5))})"
            for k in range(1, many + 1)
        ]
        random.shuffle(texts)
        texts += [f"0 < m({k})" for k in range(many)]
        made = merged(read(texts))
        assert keys(shown(made)) == keys(texts)
        if many > 6:
            changed = merged(read([*texts[1:], texts[0].replace("+ m", "- m")]))
            assert len(made) < len(texts) and keys(shown(changed)) != keys(texts)


def test_sums_and_lines_are_what_they_were() -> None:
    random = Random(6)
    for _ in range(60):
        terms = [f"{random.choice(('', '-', '3*'))}f({random.randint(1, 3) + k}, i)" for k in range(1, 9)]
        terms[3:5] = [f"(g({k}, i) - m(i))^2" for k in range(2, 2 + random.randint(2, 6))]
        text = f"m(i) = {' + '.join(terms)}"
        assert keys([show(summed(parse_formula(text)))]) == keys([text])
        values = {k: random.choice((1, 5, k, k + 4, 2 * k)) for k in range(1, 12) if random.random() < 0.8}
        for runs in (False, True):
            found = {k: eval(line, {"x": k}) for line, some in lines(values, "x", runs) for k in some}
            assert found == values
    entries = {(a, b): Fraction(random.randint(-1, 2)) for a in range(3) for b in range(4)}
    parts = [f"f({a}, {b}) = {value}" for (a, b), value in entries.items()]
    found = tables(parse_formula(" & ".join(parts)))
    assert keys(shown(found)) == keys(parts) and len(found) == 3


def test_numbers_that_come_back_are_those_numbers() -> None:
    random = Random(7)
    for _ in range(40):
        step, cells = random.randint(4, 9), random.randint(1, 4)
        period = sorted(random.sample(range(step), cells))
        wanted = [a + step * k for k in range(random.randint(1, 6)) for a in period]
        wanted = sorted({*wanted, *random.sample(range(60), random.randint(0, 3))} - {random.choice(wanted)}) or [0]
        read = grammar.read_formula(f"all x:Int. {counted(wanted, 'x')} = 1", {}, {})
        is_one = [k for k in range(-1, 70) if fkey(instantiate(read[2][0], (num(k),))) == TRUE]
        assert is_one == wanted
    assert counted(range(3, 300, 3), "x") == "sum(u__, 0, 98, I[x = 3*u__ + 3])"


def bridged(model: Transformer) -> bridge.Bridge:
    (family, at), *_ = candidates(model, model.name)[0]
    return bridge.Bridge(family, at, to_document(model))


def second(statement: Statement, certificate: dict[str, Any], folder: Path) -> str:
    """What the second checker prints."""
    (folder / "one.json").write_text(json.dumps(certificate))
    (folder / "one.txt").write_text(certify.expanded(statement, certificate))
    command = [
        sys.executable,
        "-c",
        BY_PROCESSOR,
        str(proofs_directory() / "checker.py"),
        str(folder / "one.txt"),
        str(folder / "one.json"),
        *(str(proofs_directory() / "certificates" / f"{name}.json") for name in certify.below(certificate)),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def refused_where_changed(made: bridge.Bridge, folder: Path, *changes: tuple[str, str]) -> None:
    """Both checkers accept the bridge, and none of its certificate for a statement with another number."""
    certificate, verdict = bridge.checked(made)
    proved = f"{1 + len(certify.below(certificate))} PROVED, 0 REFUTED"
    assert verdict.status == "PROVED" and proved in second(made.statement, certificate, folder)
    for pattern, by in changes:
        text = re.sub(pattern, by, made.text, count=1)
        assert text != made.text
        other = Statement(made.statement.id, text, known=made.statement.known)
        forged = certificate | {"statement": other.digest}
        with pytest.raises(Rejected):
            replay.judge(other, forged, {})
        assert "1 rejected" in second(other, forged, folder)


EQUATION = r"(all x__ in 1..\d+. all i in 0..n - 1. \w+)\(x__, i\)", r"\1(x__ + 1, i)"


@pytest.mark.sweep
def test_both_checkers_see_a_changed_weight_and_a_changed_entry(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bridge, "MANY_NAMES", 0)
    made = bridged(sc.compile("dfa", ODD, theorem="1"))
    refused_where_changed(made, tmp_path, (r"(g_delta\(x__, 1\) = [^)]*)\)", r"\1 + 1)"), EQUATION)
    document: Any = to_document(sc.compile("dfa", ODD, theorem="1"))
    document["layers"][0]["attention"][0]["V"][0][0] = "2"
    with pytest.raises(bridge.Unbridged, match="must have its weights"):
        bridge.Bridge(made.family, made.at, document).certificate()


@pytest.mark.campaign
def test_a_machine_without_a_start_has_a_certificate(tmp_path: Path) -> None:
    made = bridged(sc.compile("tm", RIGHT, theorem="2", variant="no-start"))
    assert made.long and made.at.number(("name", "R"), made.at.env) == 16
    refused_where_changed(made, tmp_path, EQUATION)  # of the machine below an entry of a table


@pytest.mark.sweep
def test_a_machine_of_two_work_tapes_has_a_certificate(tmp_path: Path) -> None:
    """Deviations in its run are roots of eleven, and of what they make; no other root is taken for one."""
    made = bridged(sc.compile("tm", TWO, theorem="2"))
    assert made.long and made.at.number(("name", "K"), made.at.env) == 2
    refused_where_changed(made, tmp_path, (r"(g_from\(x__\) = [^)]*)\)", r"\1 + 1)"))
    document: Any = copy.deepcopy(made.model)
    row = document["layers"][-1]["feedforward"]["W1"][0]
    row[row.index("1")] = "2"
    with pytest.raises(bridge.Unbridged, match="must have its weights"):
        bridge.Bridge(made.family, made.at, document).certificate()


@pytest.mark.sweep
def test_values_that_have_names_are_their_numbers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where terms in the place of functions would make the condition that there is a run too long; a changed value is
    seen."""
    monkeypatch.setattr(bridge, "MANY_NAMES", 0)
    monkeypatch.setattr(casevalues, "WHOLE", 0)
    made = bridged(sc.compile("dfa", ODD, theorem="1"))
    certificate, verdict = bridge.checked(made)
    text = json.dumps(certificate["inhabited"])
    assert verdict.status == "PROVED" and text.count('"obtain"') > 10
    assert f"{1 + len(certify.below(certificate))} PROVED" in second(made.statement, certificate, tmp_path)
    value, witness = r'(\(\d+, \d+\) = )1"', r'(\[{"by": "witness", "term": "[^"]*?)I\['
    for pattern, by in ((value, r'\g<1>2"'), (witness, r"\1I[1 = 1 | ")):
        forged = certificate | {"inhabited": json.loads(re.sub(pattern, by, text, count=1))}
        assert forged["inhabited"] != certificate["inhabited"]
        with pytest.raises(Rejected):
            replay.judge(made.statement, forged, {})
        assert "1 rejected" in second(made.statement, forged, tmp_path)


@pytest.mark.campaign  # five minutes; a machine of two work tapes and few rows is a sweep, above
def test_a_shipped_machine_of_two_work_tapes_has_a_certificate(tmp_path: Path) -> None:
    """With 81 rows, the most of those that ship; what `match` is in the run has a name. Machines of few rows show that
    changes are seen."""
    source = (ROOT / "examples" / "machines" / "palindromes.tm").read_text()
    refused_where_changed(bridged(sc.compile("tm", source, theorem="2")), tmp_path)


@pytest.mark.parametrize("text", ["sqrt(8) = 2*sqrt(2)", "sqrt((sqrt(2)^2 + 1)/3) = 1", "3*sqrt(1/2) = sqrt(9/2)"])
def test_roots_of_one_number_are_multiples(text: str) -> None:
    """And numbers beside them are refused."""
    stored = {f"lem:{one.id.removeprefix('lem.')}": one for one in replay.statements().values() if one.id[:4] == "lem."}
    for goal, right in ((text, True), (f"{text} + 1/10^20", False), (text.replace("=", "= -1*"), False)):
        said = Statement("own.roots", goal)
        library = certify.library(said, stored)
        if right:
            proof = prove(library, said.formula, _nested)
            defined, holds = (prove(library, goal, automation.prove) for goal in (said.defined, said.inhabited))
            used = [stored[label] for label in sorted({*certify._used(proof)})]
            certificate = replay.make_certificate(said, proof, defined, holds, used)
            assert replay.library().judged(said, certificate).status == "PROVED"
        else:
            with pytest.raises(Stuck):
                prove(library, said.formula, _nested)


def column(entries: list[int], row: str) -> str:
    """A table of these entries, at the row from 1 on."""
    return "(" + " + ".join(f"I[{row} = {k}]*({entry})" for k, entry in enumerate(entries, 1)) + ")"


@pytest.mark.parametrize("columns", [[[7]], [[0, 0, 1, 1, 2], [5, -6, 5, 6, 5]], [[3, 3, 3], [0, 0, 1], [0, 2, 2]]])
def test_rows_of_a_table_that_differ_are_found_to_differ(columns: list[list[int]]) -> None:
    """And not where two rows are equal, the last of which is the first once more."""
    stored = {f"lem:{one.id.removeprefix('lem.')}": one for one in replay.statements().values() if one.id[:4] == "lem."}
    for entries, differ in ((columns, True), ([[*one, one[0]] for one in columns], False)):
        equal = " & ".join(f"{column(one, 'r')} = {column(one, 'e')}" for one in entries)
        rows = f"1..{len(entries[0])}"
        said = Statement("own.rows", f"all r in {rows}. all e in {rows}. {equal} -> r = e")
        library = certify.library(said, stored)
        goal = Goal(library, said.formula, {}, {})
        assert distinct(goal, halved) is differ
        if differ:
            defined, holds = (prove(library, part, automation.prove) for part in (said.defined, said.inhabited))
            certificate = replay.make_certificate(said, goal.nodes, defined, holds, [])
            assert replay.library().judged(said, certificate).status == "PROVED"
