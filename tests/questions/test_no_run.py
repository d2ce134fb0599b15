"""Inputs without a run: a norm that refuses, or a temperature that is not positive, at an unread position too.

An input has a run iff every norm is defined at every position, and every temperature; each command and number system
says the same, with a trace and without. What has a run is told by the plain pass of `dense`.
"""

from __future__ import annotations

import json
import math
import random
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import dense
import pytest
import sympy
from asked import words
from families import in_parts

import symcook as sc
from symcook.__main__ import main
from symcook.errors import NoRun
from symcook.questions.intervals import NO_VALUE, at_point
from symcook.words.cells import classes

DOMAINS = ("exact", "ball", "mpmath", "float64", "float32", "float16")


def runs(model: sc.Transformer, word: Any) -> bool:
    """Whether a word has a run, by the plain pass."""
    try:
        dense.run(model, dense.typed(model, word), dense.Decimal(50))
    except dense.ZeroVariance:
        return False
    return True


def refused(model: sc.Transformer, word: Any, domain: str, trace: bool) -> bool:
    try:
        model.run(word, domain, trace=trace)
    except NoRun:
        return True
    except sc.NotExact:
        assert domain == "exact"
        return not runs(model, word)
    return False


def flat_behind(readout: str, placement: str = "post", weighting: str = "softmax") -> sc.Transformer:
    """A norm whose variance is zero where a b is not the first or last symbol, whichever the readout is at."""
    names = ("x", "y", "edge")
    edge = "I[i = 1]" if readout == "first" else "I[i = n]"
    embedding = sc.Embedding(sc.Space(names), words={"a": {"x": 1}, "b": {}}, positions={"edge": edge})
    norm = sc.LayerNorm(names)
    head = sc.Head(("x",), ("y",), [[1]], [[1]], [[0]], weighting=weighting)
    block = sc.FeedForward(("x",), ("y",), [[1]], [[0]], [[0]], [[0]])
    if placement == "final":
        layers, final = (sc.Layer(head),), norm
    elif placement == "pre":  # of a network that adds nothing
        layers = (sc.Layer(head), sc.Layer(None, block, placement="pre", feedforward_norms=(norm,)))
        final = None
    else:
        layers, final = (sc.Layer(head, placement="post", attention_norms=(norm,)),), None
    ending = sc.Readout("sign", readout, ("edge",), weights=[[1]])
    return sc.Transformer("flat", embedding, layers, ending, final_norm=final)


@pytest.mark.layer_one(11)
@pytest.mark.parametrize("readout", ["first", "last"])
@pytest.mark.parametrize("placement", ["post", "pre", "final"])
@pytest.mark.parametrize("weighting", ["softmax", "average"])
def test_every_number_system_says_whether_there_is_a_run(readout: str, placement: str, weighting: str) -> None:
    model = flat_behind(readout, placement, weighting)
    met = set()
    for n in (1, 2, 3):
        for word in words("ab", n):
            wanted = runs(model, word)
            met.add(wanted)
            for domain in DOMAINS:
                for trace in (False, True):
                    assert refused(model, word, domain, trace) is not wanted, (word, domain, trace)
    assert met == {True, False}


@pytest.mark.parametrize("placement", ["post", "pre", "final"])
def test_words_with_and_without_a_run_are_never_of_one_class(placement: str) -> None:
    model = flat_behind("first", placement, "average")
    found = classes(3, model)
    kept = {tuple(tuple(sorted(word[k] for k in cell)) for cell in found.cells): runs(model, word) for word, _ in found}
    for word in words("ab", 3):
        key = tuple(tuple(sorted(word[k] for k in cell)) for cell in found.cells)
        assert kept[key] is runs(model, word)


@pytest.mark.parametrize("placement", ["post", "pre", "final"])
@pytest.mark.sweep
def test_an_export_says_which_inputs_have_no_run(tmp_path: Path, placement: str) -> None:
    model = flat_behind("first", placement)
    file = tmp_path / "m.npz"
    known = model.export(file, max_length=3)
    none = [word for n in (1, 2, 3) for word in words("ab", n) if not runs(model, word)]
    assert known["compared"]["no_run"] == {"inputs": len(none), "first": "".join(none[0])}
    assert known["compared"]["inputs"] == 14 - len(none) and known["compared"]["complete"]
    lengths = {len(word) for word in none}
    assert {n for low, high in known["guaranteed"]["ranges"] for n in range(low, high + 1)} == {1, 2, 3} - lengths
    assert f"a string of length {min(lengths)} has no run" in known["guaranteed"]["why"]
    for word in ("a", "".join(none[0])):
        asked = [sys.executable, "-m", "symcook.export.run_npz", str(file), word]
        ended = subprocess.run(asked, capture_output=True, text=True, check=False)
        assert (ended.returncode == 0) is runs(model, word)
    sc.verify_export(file)


@pytest.mark.sweep
def test_a_dead_head_has_a_temperature_too(tmp_path: Path) -> None:
    """n - 5/2 is no temperature at lengths 1 and 2, whether or not anything reads what the head writes."""
    for reads in ("x", "y"):
        embedding = sc.Embedding(sc.Space(("x", "y")), words={"a": {"x": 1}, "b": {"x": -1}})
        head = sc.Head(("x",), ("y",), [[1]], [[1]], [[1]], weighting="softmax", temperature="n - 5/2")
        ending = sc.Readout("sign", "last", (reads,), weights=[[1]])
        model = sc.Transformer("cold", embedding, (sc.Layer(head),), ending)
        for word in ("a", "ab", "aba", "abab"):
            for domain in DOMAINS:
                for trace in (False, True):
                    try:
                        model.run(word, domain, trace=trace)
                        assert len(word) > 2, (reads, word, domain, trace)
                    except NoRun:
                        assert len(word) < 3, (reads, word, domain, trace)
                    except sc.NotExact:
                        assert (domain, reads) == ("exact", "y") or (domain, trace) == ("exact", True)
        file = tmp_path / f"{reads}.npz"
        known = model.export(file, max_length=4)
        assert known["compared"]["no_run"] == {"inputs": 6, "first": "a"}
        assert all(low >= 3 for low, _ in known["guaranteed"]["ranges"])
        for word in ("ab", "aba"):
            asked = [sys.executable, "-m", "symcook.export.run_npz", str(file), word]
            ended = subprocess.run(asked, capture_output=True, text=True, check=False)
            assert (ended.returncode == 0) is (len(word) == 3), ended.stderr


@pytest.mark.parametrize("temperature", ["n - 7/2", "i - n - 1/2", "3/2 - n", "(n - 7/2)*(i + 1)"])
@pytest.mark.parametrize("weighs", [1, 0])
def test_the_greatest_temperature_is_asked_of_what_has_runs(temperature: str, weighs: int) -> None:
    """The softened model multiplies what the softmax has, with or without scores: where that is negative there is no
    run. Else n - 1 equal symbols weigh as much as the last one where e^(2/T) = n - 1."""
    model = tempered(temperature, weighs)
    for n in range(1, 6):
        own = [Fraction(str(sympy.sympify(temperature).subs({"i": i, "n": n}))) for i in range(1, n + 1)]
        if min(own) <= 0:
            with pytest.raises(NoRun, match="a temperature must be positive"):
                model.temperature(n, min_length=n)
            continue
        tau: Any = model.temperature(n, min_length=n).row(n)["tau"]
        if not weighs or n < 3:
            assert tau is None
        else:
            assert abs(float(tau.mid) - 2 / math.log(n - 1) / own[-1]) < 1e-9


@pytest.mark.layer_one(1, 6, 8, 9, 10, 11, 12, 13, 14, 15)
@pytest.mark.parametrize(("temperature", "ends", "lengths"), [
    ("tau*(n - 7/2)", {"lower": 0}, {4, 5}), ("-tau", {"lower": 0}, set()), ("tau", {"lower": 0}, {1, 2, 3, 4, 5}),
    ("tau*(i - n - 1/2)", {"lower": 0}, set()), ("tau - n", {"lower": 3}, {1, 2, 3}),
    ("tau/log(i)", {"lower": 0}, {1, 2, 3, 4, 5}),
    ("tau", {"upper": 0, "upper_open": True}, set()), ("-tau", {"upper": 0, "upper_open": True}, {1, 2, 3, 4, 5}),
])  # fmt: skip
@pytest.mark.parametrize("reads", ["y", "x"])
def test_a_closed_form_is_of_temperatures_that_are_positive(
    temperature: str, ends: dict[str, Any], lengths: set[int], reads: str
) -> None:
    """For all values of its symbol; what is left out refuses too. A temperature that is negative for each value is
    refused where the model is made."""
    tau = (sc.Parameter("tau", **ends),)
    if temperature in ("-tau", "tau") and not lengths:
        with pytest.raises(sc.BadInput, match="a temperature must be positive"):
            tempered(temperature, reads=reads, parameters=tau)
        return
    model = tempered(temperature, reads=reads, parameters=tau)
    for n in range(1, 6):
        for ask in (sc.derive, sc.derive_cases):
            if n in lengths:
                assert ask(model, "ab" * (n // 2) or "a").status == "DERIVED"
            else:
                with pytest.raises((sc.BadInput, sc.Undecided)):
                    ask(model, "ab" * (n // 2) or "a")


def tempered(temperature: str, weighs: int = 1, reads: str = "y", parameters: Any = ()) -> sc.Transformer:
    embedding = sc.Embedding(sc.Space(("x", "y")), words={"a": {"x": 1}, "b": {"x": -1}})
    head = sc.Head(("x",), ("y",), [[weighs]], [[1]], [[1]], weighting="softmax", temperature=temperature)
    ending = sc.Readout("sign", "last", (reads,), weights=[[1]])
    return sc.Transformer("tempered", embedding, (sc.Layer(head),), ending, parameters=parameters)


def some_model(seed: int) -> sc.Transformer:
    """Norms that refuse in every placement, of streams that are often flat, any readout."""
    r = random.Random(seed)
    names = ("x", "y", "z")
    table = {t: {name: r.choice([0, 0, 1, -1, 2]) for name in names} for t in "ab"}
    if r.random() < 0.5:
        table["a"] = dict.fromkeys(names, r.choice([0, 1]))
    before = "$" if r.random() < 0.2 else None
    if before:
        table["$"] = {"x": 1}
    places = {r.choice(names): r.choice(["I[i = 1]", "I[i = n]", "i", "(-1)^i"])} if r.random() < 0.7 else {}
    embedding = sc.Embedding(sc.Space(names), words=table, positions=places, before=before)

    def matrix(rows: int, columns: int) -> list[list[int]]:
        return [[r.choice([0, 0, 1, -1]) for _ in range(columns)] for _ in range(rows)]

    def norm() -> sc.LayerNorm:
        outcome = r.choice(["refuse", "refuse", "zero"])
        return sc.LayerNorm(names, epsilon=r.choice([0, 0, "1/2"]), zero_variance=outcome)

    layers = []
    for _ in range(r.randint(1, 2)):
        weighting = r.choice(["average", "leftmost", "softmax"])
        mask = r.choice(["none", "future", "strict-past"])
        head = sc.Head(names, ("y",), matrix(1, 3), matrix(1, 3), matrix(1, 3), mask=mask, weighting=weighting)
        block = sc.FeedForward(names, ("z",), matrix(2, 3), matrix(2, 1), matrix(1, 2), matrix(1, 1))
        placement = r.choice(["none", "pre", "post"])
        norms = {} if placement == "none" else {"attention_norms": (norm(),), "feedforward_norms": (norm(),)}
        layers.append(sc.Layer(head, block, placement=placement, **norms))
    kind, where = r.choice(["sign", "zero"]), r.choice(["first", "last", "all"])
    ending = sc.Readout(kind, where, ("x", "z"), weights=[[1, 1]] if kind == "sign" else None)
    last = norm() if r.random() < 0.2 else None
    return sc.Transformer(f"seed {seed}", embedding, tuple(layers), ending, final_norm=last)


@pytest.mark.sweep
@pytest.mark.layer_two(0)
@in_parts(3, "seed", range(30))
def test_random_models(seed: int) -> None:
    model = some_model(seed)
    for n in (1, 2, 3):
        found = classes(n, model)
        kept: dict[Any, bool] = {}
        for word in words("ab", n):
            wanted = runs(model, word)
            for domain in ("exact", "ball"):
                for trace in (False, True):
                    try:
                        assert refused(model, word, domain, trace) is not wanted, (word, domain, trace)
                    except sc.Undecided:  # a variance that balls cannot tell from zero
                        assert domain == "ball"
            key = tuple(tuple(sorted(word[k] for k in cell)) for cell in found.cells)
            assert kept.setdefault(key, wanted) is wanted, word


@pytest.mark.sweep
def test_the_command_and_its_trace_give_one_answer(tmp_path: Path) -> None:
    file = tmp_path / "flat.json"
    flat_behind("first").save(file)
    said = []
    for options in ([], ["--trace"], ["--domain", "ball"], ["--domain", "ball", "--trace"], ["--json"]):
        asked = [sys.executable, "-m", "symcook", "run", str(file), "--input", "ab", *options]
        ended = subprocess.run(asked, capture_output=True, text=True, check=False)
        said.append((ended.returncode, ended.stderr.strip()))
    assert {code for code, _ in said} == {2}
    assert all("variance above zero; given: zero at position 2" in text for _, text in said), json.dumps(said)


@pytest.mark.layer_one(0, 1, 2, 4)
@pytest.mark.parametrize("command", ["margin", "precision", "temperature", "tolerance", "entropy"])
def test_every_question_names_the_word_without_a_run(command: str, tmp_path: Path, capsys: Any) -> None:
    """All in one way; "aa" has a run, and its last symbol changed has none."""
    file = tmp_path / "flat.json"
    flat_behind("first").save(file)
    free = ["--free", "readout[edge]"] if command == "tolerance" else []
    assert main([command, str(file), "--max-length", "2", *free]) == 2
    said = capsys.readouterr().err
    assert re.search(r"zero at position 2 of [ab]b;|none of [ab]b;", said), said


def test_the_length_of_a_word_without_a_run_counts_what_is_typed(tmp_path: Path) -> None:
    plain = flat_behind("first")
    embedding = replace(plain.embedding, words={"^": {"y": 2}, **plain.embedding.words}, before="^")
    model = replace(plain, embedding=embedding)
    lengths = {n for n in (0, 1, 2) for word in words("ab", n) if not runs(model, word)}
    assert lengths and 0 not in lengths
    known = model.export(tmp_path / "m.npz", max_length=2)
    assert f"a string of length {min(lengths)} has no run" in known["guaranteed"]["why"]


def test_a_value_without_a_run_is_told_from_any_other_refusal() -> None:
    """A weight 1/(c - 1) has no value at c = 1; a model with another symbol is refused at each value of c."""
    embedding = sc.Embedding(sc.Space(("x",)), words={"a": {"x": "1/(c - 1)"}})
    ending = sc.Readout("sign", "last", ("x",), weights=[["1"]])
    parameters = (sc.Parameter("c"), sc.Parameter("d"))
    model = sc.Transformer("divides", embedding, (), ending, parameters=parameters[:1])
    answers = [at_point(model, ("a",), "c", Fraction(c)) for c in (0, 1, 2)]
    assert answers == [False, NO_VALUE, True]
    other = replace(model, readout=replace(ending, weights=[["d"]]), parameters=parameters)
    with pytest.raises(sc.BadInput, match="must have a value"):
        at_point(other, ("a",), "c", Fraction(2))
