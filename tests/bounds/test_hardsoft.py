"""Soft attention for hard: every answer against runs in float64 of the model that is written, words gone through here,
and gaps that are known by hand."""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, log
from pathlib import Path
from typing import Any

import pytest
import sympy
from agreement import drawn
from shared import call, document, refused

import symcook as sc
from symcook.bounds import hardsoft as module
from symcook.bounds.hardgroups import grouped
from symcook.bounds.hardsoft import hardsoft
from symcook.bounds.theorem26 import Constants, fitted
from symcook.compose.untied import untie
from symcook.domains.exact import Exact
from symcook.domains.floats import Float64
from symcook.errors import BadInput, Undecided
from symcook.forward import forward
from symcook.model.expr import parse_term
from symcook.model.modelfile import load, save
from symcook.model.symbols import tree_from_sympy
from symcook.numbers.evaluate import evaluate
from symcook.recipes import build


def stream(model: sc.Transformer, word: str, domain: Any) -> dict[str, list[float]]:
    columns = forward(model, model.tokens(word), domain, trace=True, weights=False).steps[-1].columns
    return {name: [float(x) for x in column] for name, column in columns.items()}


def words(model: sc.Transformer, n: int) -> list[str]:
    return ["".join(word) for word in product(model.alphabet, repeat=n)]


def error(hard: sc.Transformer, soft: sc.Transformer, word: str) -> float:
    """The greatest sum of differences at a position, over the coordinates of the hard model."""
    right, got = stream(hard, word, Exact()), stream(soft, word, Float64())
    rows = range(len(next(iter(right.values()))))
    return max(sum(abs(got.get(c, [0.0] * len(rows))[i] - right[c][i]) for c in right) for i in rows)


def at(model: sc.Transformer, tau: Fraction | float) -> sc.Transformer:
    """The soft model at another temperature."""
    layers = []
    for layer in model.layers:
        heads = [replace(h, temperature=Fraction(tau)) if h.weighting == "softmax" else h
                 for h in (layer.attention.heads if layer.attention else ())]  # fmt: skip
        layers.append(layer if layer.attention is None else replace(layer, attention=sc.SelfAttention(tuple(heads))))
    return replace(model, layers=tuple(layers))


def since() -> sc.Transformer:
    return sc.compile("ltl", "~Q_c since Q_a", alphabet="abc")


DYCK_2 = """
alphabet ( ) [ ];
opens(i) = map(in(i); "(": 1, "[": 1, else: 0)
closes(i) = map(in(i); ")": 1, "]": 1, else: 0)
kind(i) = map(in(i); "(": 1, ")": 1, else: 2)
up(i) = psum j [j <= i] opens(j)
down(i) = psum j [j <= i] closes(j)
diff(i) = up(i) - down(i)
depth(i) = diff(i) + closes(i)
partner(i) = right j [j < i, depth(j) = depth(i)] kind(j) : 0
bad(i) = diff(i) < 0 | (closes(i) = 1 & partner(i) != kind(i))
fine(i) = right j [j <= i, bad(j)] false : true
out(i) = fine(i) & diff(i) = 0
"""

MODELS: dict[str, tuple[Any, int]] = {
    "most recent": (lambda: build("induction-most-recent", alphabet="ab"), 5),
    "most frequent": (lambda: build("induction-most-frequent", alphabet="ab"), 4),
    "dyck-k-d": (lambda: build("dyck-k-d", k="2", D="2"), 3),
    "dyck-1-2": (lambda: build("dyck-1-2"), 4),
    "since": (since, 4),
    "modulo, with tokens added": (lambda: build("modulo"), 3),
    "dyck-2 by s-rasp": (lambda: sc.compile("srasp", DYCK_2), 2),
}


@pytest.mark.layer_one(5)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.layer_two(every=3)
def test_the_soft_model_is_within_the_error_and_a_warmer_one_is_not(name: str) -> None:
    make, longest = MODELS[name]
    hard = make()
    found = hardsoft(hard, "1/4", max_length=longest)
    assert found.status == f"CHECKED {longest}" and found.soft is not None
    for row in found.rows:
        errors = {word: error(hard, found.soft, word) for word in words(hard, row.n)}
        assert max(errors.values()) <= 0.25
        assert max(errors.values()) == pytest.approx(float(row.error.mid), abs=1e-9)
        if row.tau_needed is None:
            continue
        assert row.tau_theorem is not None and row.tau_layers is not None
        needed, rad = float(row.tau_needed.mid), float(row.tau_needed.rad)
        assert row.tau_theorem < row.tau_layers <= needed + rad
        assert max(error(hard, at(found.soft, needed - 2 * rad), word) for word in errors) <= 0.25
        assert max(error(hard, at(found.soft, needed + 2 * rad), word) for word in errors) > 0.25
        assert max(error(hard, at(found.soft, row.tau_theorem), word) for word in errors) <= 0.25
    longer = "".join(hard.alphabet) * 6  # by the rule of the theorem
    assert error(hard, found.soft, longer[: longest + 7]) <= 0.25


@pytest.mark.sweep
def test_a_soft_model_decides_as_the_hard_one_where_its_threshold_is_apart() -> None:
    """A bit that is 0 becomes a little more than 0: the threshold moves to 1/2."""
    hard = since()
    soft = hardsoft(hard, "1/4", max_length=3).soft
    assert soft is not None
    for n in range(1, 6):
        for word in words(hard, n):
            assert soft.run(word, "ball").outputs == hard.run(word).outputs, word


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("seed", [903, 11, 18])
def test_a_drawn_model_whose_words_are_all_rejected_is_made_soft_with_its_verdicts(seed: int) -> None:
    """Of 903 the greatest logit that is rejected is 0: a soft model with that threshold accepts two of the words."""
    hard = drawn("hard", seed)
    found = hardsoft(hard, "1/4", max_length=3)
    assert found.soft is not None and found.decides is not None
    told = found.to_json()["decides"]
    if seed == 903:
        assert told == {"rejected": "0", "accepted": None, "threshold": "1/4", "alike": True}
    assert told["alike"] == (seed != 11)  # of which the soft model decides a word otherwise, and says that it may
    for n in range(1, 4):
        for word in product(hard.alphabet, repeat=n):
            assert not told["alike"] or found.soft.run(word, "ball").accept == hard.run(word).accept, word


@pytest.mark.sweep
def test_by_layer_the_induction_head_is_within_ten_of_what_is_needed() -> None:
    for row in hardsoft(build("induction-most-recent", alphabet="ab"), "1/4", max_length=7).rows[1:]:
        assert row.tau_needed is not None and row.tau_layers is not None
        assert 1 <= float(row.tau_needed.mid) / float(row.tau_layers) < 10


def test_gap_and_sizes_of_the_induction_head_are_those_found_by_hand() -> None:
    """Both heads break ties by i/n; letters are bits, so that scores differ by 1 or by 1/n."""
    found = hardsoft(build("induction-most-recent", alphabet="ab"), "1/4", max_length=5)
    assert found.gamma == "1/n" and found.x_max == "1" and found.h_max == ("1", "1")
    assert [row.gamma for row in found.rows] == [None, *(Fraction(1, n) for n in range(2, 6))]
    assert [head.ties for head in found.heads] == [True, True]
    assert all("i/n" in str(head.untied) for head in found.heads)


@pytest.mark.parametrize(
    ("positions", "entry", "x_max", "h_max"),
    [
        ({}, 3, "3", ("3",)),
        ({"p": "2*i"}, 3, "3*n", ("3*n",)),
        ({"p": "1/i"}, "1/2", "1", ("1",)),
        ({}, 0, "1", ("1",)),
    ],
)
def test_sizes_of_embeddings_with_greater_entries(
    positions: dict[str, str], entry: Any, x_max: str, h_max: tuple[str, ...]
) -> None:
    """The greatest entry of an embedding, at least 1: 3, or 3, 4, 6, 8 at lengths 1 to 4, which 3 n is at least."""
    b = sc.Builder(words={"a": {"q": entry}, "b": {"q": 0}}, positions=positions)
    b.add(sc.head({("q", "q"): 1}, {"v": "q"}, mask="none", weighting="average"))
    b.readout("value", "each", "v")
    found = hardsoft(b.build("greater"), "1/4", max_length=4)
    assert (found.x_max, found.h_max) == (x_max, h_max)


def test_the_rule_of_theorem_26_by_its_formula() -> None:
    """(2/gamma)(log(L K n x/eps) + (L - 1)(log r_0 - 1)) with K as the lemmas have it, written down anew."""
    found = hardsoft(build("induction-most-recent", alphabet="ab"), "1/4", max_length=3)
    d, p, L = int(found.constants["d"]), Fraction(found.constants["p_max"]), 2
    k29 = 2 * (d**2 * p**2 + 1) * (d * p + 1)
    assert found.constants["lemma29"] == str(k29)
    norm = d * k29
    K = (d**2 * p**2 + 1) * (4 * d * p * norm * 3 * d**2 * p**2 * norm + d * p + 1)
    assert found.constants["lemma25"] == str(K)
    for row in found.rows[1:]:
        assert row.gamma is not None and row.tau_theorem is not None
        rate = 2 * row.n * (log(L * K * row.n * 4) + (L - 1) * (log(2 * K * (L - 1) * row.n) - 1))
        assert float(row.tau_theorem) == pytest.approx(1 / rate, rel=1e-3) and float(row.tau_theorem) <= 1 / rate


def test_no_scores_need_no_temperature() -> None:
    found = hardsoft(build("dyck-1"), "1/100", max_length=4)
    assert found.gamma is None
    for row in found.rows:
        assert (row.tau_theorem, row.tau_layers, row.tau_needed, row.error.mid) == (None, None, None, "0")


def averaging(seed: int) -> sc.Transformer:
    """Two layers of means of what stands before, with numbers that are often zero, one, or each other's negative."""
    draw = random.Random(seed)
    names, numbers = ("a", "b", "c", "d"), [0, 1, -1, 1, -1, 2, Fraction(1, 2)]

    def rows(m: int, n: int) -> list[list[Any]]:
        return [[draw.choice(numbers) for _ in range(n)] for _ in range(m)]

    def layer(k: int) -> sc.Layer:
        writes = tuple(draw.sample(names[1:], draw.choice([1, 1, 2]))) if k else ("b",)
        head = sc.Head(names, writes, [[0] * 4], [[0] * 4], rows(len(writes), 4), "future", "average")
        net = sc.FeedForward(names, ("c", "d"), rows(2, 4), rows(2, 1), rows(2, 2), rows(2, 1), "relu")
        return sc.Layer(sc.SelfAttention((head,)), draw.choice([net, None]))

    before = draw.choice([None, "CLS"])
    tokens: dict[str, Any] = {t: {name: draw.choice([0, 1, -1, 2, -2]) for name in names} for t in "xo"}
    tokens |= {before: {"c": 1}} if before else {}
    sign = sc.Readout("sign", "last", names, rows(1, 4))
    readout = draw.choice([sign, sc.Readout("zero", "last", tuple(draw.sample(names, 2)))])
    places = draw.choice([{}, {}, {"d": "1/(i + 1)"}, {"d": "i/(n + 1)"}])
    embedding = sc.Embedding(sc.Space(names), words=tokens, positions=places, before=before)
    return sc.Transformer("made", embedding, (layer(0), layer(1)), readout)


@pytest.mark.sweep
def test_without_scores_prefixes_that_are_grouped_show_what_every_string_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes, verdicts and the soft model, over random models. Others are not grouped: a hard head, a token behind."""
    kept = 0
    for seed in range(8):
        found = hardsoft(averaging(seed), "1/4", max_length=4)
        kept += grouped(averaging(seed), range(1, 5)) is not None
        with monkeypatch.context() as context:
            context.setattr(module, "grouped", lambda *_: None)
            by_each = hardsoft(averaging(seed), "1/4", max_length=4)
        assert found.to_json() == by_each.to_json() and found.heads == by_each.heads and found.soft == by_each.soft
    assert kept > 4
    assert grouped(since(), range(1, 3)) is None and grouped(build("modulo"), range(1, 3)) is None
    assert hardsoft(build("dyck-1"), "1/4", max_length=30).h_max == ("1", "1")


@pytest.mark.parametrize("name", ["most recent", "since"])
def test_untied_heads_choose_what_the_unique_ones_chose(name: str) -> None:
    hard = MODELS[name][0]()
    terms = {(k, h): "1" for k, layer in enumerate(hard.layers, 1)
             for h, _ in enumerate(layer.attention.heads if layer.attention else (), 1)}  # fmt: skip
    loose = untie(hard, terms)
    assert {h.weighting for layer in loose.layers for h in (layer.attention.heads if layer.attention else ())} == {
        "average"
    }
    for n in range(1, 5):
        for word in words(hard, n):
            assert {c: x for c, x in stream(loose, word, Exact()).items() if c in hard.space} == {
                c: x for c, x in stream(hard, word, Exact()).items()
            }
    with pytest.raises(BadInput, match="term"):
        untie(hard, {})


def test_a_term_that_is_not_below_the_gap_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The negative control: with twice the term the untied model is another one, and the function does not answer."""
    import symcook.bounds.hardsoft as module

    monkeypatch.setattr(module, "_term", lambda *_: "3")
    with pytest.raises(RuntimeError, match="changed the run with hard attention"):
        hardsoft(build("induction-most-recent", alphabet="ab"), "1/4", max_length=4)


@pytest.mark.parametrize("values, below, text", [
    ({2: "1/2", 3: "1/3", 4: "1/4"}, True, "1/n"),
    ({2: "1/4", 3: "1/9", 4: "1/16"}, True, "1/n^2"),
    ({2: "1", 3: "1", 4: "1"}, True, "1"),
    ({2: "3", 3: "2", 4: "3/2"}, True, "6/n"),
    ({1: "1", 2: "2", 3: "3"}, False, "n"),
    ({1: "3", 2: "12", 3: "27"}, False, "3*n^2"),
    ({1: "2", 2: "2", 3: "2"}, False, "2"),
    ({2: "1/4", 3: "1/8", 4: "1/16", 5: "1/32", 6: "1/64"}, True, None),
    ({3: "1/3"}, True, "1/n"),
    ({3: "1/3"}, False, "1/3"),
    ({2: "1/2", 3: "1/3"}, True, "1/n"),
    ({2: "1", 3: "1"}, True, "1"),
    ({2: "2", 3: "3"}, False, "n"),
    ({2: "1", 3: "1/2", 4: "1"}, True, "1/2"),
    ({}, True, None),
])  # fmt: skip
def test_what_is_found_to_a_length_as_an_expression(values: dict[int, str], below: bool, text: str | None) -> None:
    assert fitted({n: Fraction(v) for n, v in values.items()}, below) == text


def halving(weighting: str) -> sc.Transformer:
    """A head whose scores differ by 2^-n."""
    b = sc.Builder(words={"a": {"q": 1}, "b": {"q": 0}}, positions={"half": "2^(-n)"})
    b.add(sc.head({("half", "q"): 1}, {"v": "q"}, mask="future", weighting=weighting))
    b.readout("value", "each", "v")
    return b.build("halving")


def test_longer_words_only_where_a_rule_was_found() -> None:
    """Scores that differ by 2^-n have no rule: the soft model takes words of the lengths that were run, and no others;
    one whose gap is c/n^k, or that has no scores, takes all."""
    bare = hardsoft(halving("average"), "1/4", max_length=7)
    assert bare.gamma is None and bare.soft is not None and bare.soft.max_length == 7
    claimed = hardsoft(halving("average"), "1/4", gap="1/2^n", max_length=3)
    assert claimed.soft is not None and claimed.soft.max_length is None
    for name in ("dyck-1", "modulo"):
        soft = hardsoft(build(name), "1/4", max_length=2).soft
        assert soft is not None and soft.max_length is None
    assert bare.soft.name == "halving soft" and "within 1/4" in bare.soft.source and bare.soft.program is None


@pytest.mark.layer_one(0, 6, 7)
@pytest.mark.parametrize(
    "weight, threshold",
    [
        (1, "1/2"),
        (-1, "-1/2"),
        (1, "3"),
        (1, "-3"),
        (2, "1"),
        (1, "1/4"),
        (2, "3/2"),
        (4, "1"),
        (4, "3"),
        (1, "1"),
        (2, "2"),
        (-1, "0"),
        (-1, "-101/100"),
        (1, "-1/50"),
        (1, "-1/200"),
    ],
)
def test_where_the_threshold_goes(weight: int, threshold: str) -> None:
    """Between the greatest logit that is rejected and the least that is accepted, be that 1 or -1; where all words are
    on one side, it stays unless errors can reach it."""
    b = sc.Builder(words={"a": {"q": 1}, "b": {"q": 0}}, positions={"one": "1"})
    b.add(sc.head({("one", "q"): 1}, {"v": "q"}, mask="none", weighting="average"))
    b.readout("sign", "last", ("v", "one"), weights=[[weight, f"-({threshold})"]])
    hard = b.build("threshold")
    found = hardsoft(hard, "1/100", max_length=3)
    soft = found.soft
    assert soft is not None and found.decides is not None and found.decides.alike
    logits = {w: weight * ("a" in w) - Fraction(threshold) for n in (1, 2, 3) for w in words(hard, n)}
    for w, logit in logits.items():
        assert hard.run(w).accept == (logit > 0) == soft.run(w, "ball").accept, w
    high, low = [x for x in logits.values() if x > 0], [x for x in logits.values() if x <= 0]
    off = Fraction(abs(weight), 100)
    middle = (
        (min(high) + max(low)) / 2 if high and low else max(max(low) + off, 0) if low else min(min(high) - 2 * off, 0)
    )
    assert found.decides.threshold == middle and bool(high and low) == ("accepts from" in found.text())
    shown = dict(zip(soft.readout.reads, soft.readout.weights.tolist()[0], strict=True))
    assert Fraction(str(shown["one"])) == -Fraction(threshold) - middle and shown["v"] == weight


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = ("induction-most-recent", "--set", "alphabet=ab")
    file = tmp_path / "soft.json"
    found = document(capsys, "hardsoft", *name, "--error", "1/4", "--max-length", "4", "-o", file)
    assert set(found) == {"heads", "gamma", "x_max", "h_max", "constants", "rows", "status"}
    assert set(found["heads"][0]) == {"head", "ties", "untied"}
    assert set(found["rows"][0]) == {"n", "gamma", "tau_theorem", "tau_layers", "tau_needed", "error"}
    assert found["status"] == "CHECKED 4" and [row["n"] for row in found["rows"]] == [1, 2, 3, 4]
    same = hardsoft(build("induction-most-recent", alphabet="ab"), "1/4", max_length=4)
    assert found["rows"][0]["tau_needed"] is None
    for shown, row in zip(found["rows"][1:], same.rows[1:], strict=True):
        assert row.tau_needed is not None and shown["tau_needed"] == row.tau_needed.to_json()
        for key in ("gamma", "tau_theorem", "tau_layers"):
            assert Fraction(shown[key]) == getattr(row, key)
    soft, hard = load(file), build("induction-most-recent", alphabet="ab")
    assert max(error(hard, soft, word) for word in words(hard, 4)) <= 0.25
    code, out, _ = call(capsys, "hardsoft", *name, "--error", "1/4", "--max-length", "3")
    assert code == 0 and "CHECKED 3" in out and "Theorem 26" in out
    code, out, _ = call(capsys, "hardsoft", *name, "--error", "1/n", "--gap", "1/(2*n)", "--max-length", "3")
    assert code == 0 and "1/(2*n)" in out


def test_a_gap_that_fails_is_told_with_the_word(capsys: pytest.CaptureFixture[str]) -> None:
    name = ("induction-most-recent", "--set", "alphabet=ab", "--error", "1/4")
    code, out, _ = call(capsys, "hardsoft", *name, "--gap", "1/3", "--max-length", "5")
    assert code == 1 and "1/4" in out and "aaaa" in out and "PROVED" not in out and "CHECKED" not in out
    found = document(capsys, "hardsoft", *name, "--gap", "1/3", "--max-length", "5", code=1)
    assert found["fails"]["n"] == 4 and len(found["fails"]["word"]) == 4 and found["fails"]["gap"] == "1/4"


@pytest.mark.parametrize("arguments, said", [
    (["--error", "0"], "positive"),
    (["--error", "1/4 - n"], "positive"),
    (["--error", "1/("], "expression"),
    (["--error", "1/k"], "name k"),
    (["--error", "1/4", "--gap", "1 - n"], "gamma must be positive"),
    (["--error", "1/4", "--gap", "one half"], "expression"),
    (["--error", "1/4", "--gap", "log(n + 1)"], "rational"),
    (["--error", "1/4", "--max-length", "0"], "1"),
    (["--error", "1/4", "--max-length", "40"], "max-length"),
    ([], "--error"),
    (["--error", "1/4", "--force"], "-o"),
])  # fmt: skip
def test_bad_input(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refused(capsys, "hardsoft", "induction-most-recent", *arguments)


def test_ties_that_cannot_be_broken_name_head_and_word(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = save(halving("rightmost"), tmp_path / "halving.json")
    err = refused(capsys, "hardsoft", file, "--error", "1/4")
    assert "layer 1 head 1" in err and "the string" in err and "1/64" in err
    found = document(capsys, "hardsoft", file, "--error", "1/4", "--gap", "1/(n*2^n)", "--max-length", "4")
    assert found["gamma"] == "1/(n*2^n)" and "n*(1/(n*2^n))" in found["heads"][0]["untied"]
    err = refused(capsys, "hardsoft", file, "--error", "1/4", "--gap", "1/n^2")
    assert "layer 1 head 1" in err and "the string" in err


@pytest.mark.parametrize("before", [None, "$"])
@pytest.mark.parametrize("weighting", ["leftmost", "rightmost"])
def test_added_tokens_are_positions_where_ties_are_broken(before: str | None, weighting: Any) -> None:
    """Scores are -1, 0 or 1, so their gap is 1 and every term below 1 breaks ties: with m positions, that of a gap g is
    m*g*i/m. A gap below 1/m holds, and one of n/4 does not, as it is above 1/m at n = 2: neither may be judged, nor a
    term made, with another number for n than that of the symbols."""
    rows = {"a": {"v": 1}, "b": {"v": -1}, "$": {}, "!": {}}
    added = [token for token in (before, "!") if token]
    tokens = {token: rows[token] for token in ("a", "b", *added)}
    b = sc.Builder(words=tokens, before=before, after="!", positions={"one": "1"})
    b.add(sc.head({("one", "v"): 1}, {"m": "v"}, weighting=weighting))
    b.readout("sign", "last", "m", weights=[1])
    hard = b.build("ends")
    m = f"(n + {len(added)})"
    found = hardsoft(hard, "1/4", "1/(4*n)", max_length=2)
    assert found.holds is True and found.heads[0].untied is not None
    assert found.heads[0].untied.split("(", 1)[1].startswith(f"{m}*(1/(4*n)))*i/{m} in place of ")
    assert "checked on every string of length 1 to 2 (CHECKED 2)" in found.text()
    assert hardsoft(hard, "1/4", "n/4", max_length=2).holds is False
    assert f"*i/{m} in place" in str(hardsoft(hard, "1/4", max_length=2).heads[0].untied)
    soft = hardsoft(hard, "1/1000", "1/(4*n)", max_length=2).soft
    assert soft is not None and all(error(hard, soft, word) <= 1 / 1000 for n in (1, 2, 3) for word in words(hard, n))
    assert soft.run("").status == hard.run("").status


@pytest.mark.parametrize("name, said", [
    ("parity", "softmax in layer 2 head 1"),
    ("parity-layernorm", "layer norm"),
    ("cpwl", "read strings"),
])  # fmt: skip
def test_models_that_the_theorem_does_not_speak_of(name: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert said in refused(capsys, "hardsoft", name, "--error", "1/4", "--max-length", "2")


@pytest.mark.parametrize("error", ["5379/10000", "1/2", "7/10"])
def test_a_temperature_that_no_word_needs(error: str) -> None:
    """Two heads whose values cancel: no temperature has an error, however cold the layers by themselves ask to be, and
    also where that is a power of two, from which the search comes to its end exactly."""
    heads = tuple(
        sc.Head(("one", "q"), ("v",), Q=[[1, 0]], K=[[0, 1]], V=[[0, sign]], mask="none", weighting="average")
        for sign in (1, -1)
    )
    words = {"a": {"q": 1}, "b": {"q": 0}}
    embedding = sc.Embedding(sc.Space(("one", "q", "v")), words=words, positions={"one": "1"})
    made = sc.Transformer(
        "cancels", embedding, (sc.Layer(sc.SelfAttention(heads), None),), sc.Readout("value", "last", ("v",))
    )
    row = hardsoft(made, error, max_length=2).rows[-1]
    tau = row.tau_layers
    assert tau is not None and row.tau_needed is None and row.error.mid == "0"
    x, more = (Fraction(2) / (1 + Fraction.from_float(exp(1 / (float(tau) * k)))) for k in (1, 1 + 1 / 512))
    assert x <= Fraction(error) < more and (tau == 1) is (error == "5379/10000")


def test_a_threshold_that_errors_can_reach_stays() -> None:
    """Logits are 3/4 and -1/4 with weights 1 and -1/4: an error moves them by up to 1 times itself, and from 1/2 on a
    threshold between them would not help."""
    b = sc.Builder(words={"a": {"q": 1}, "b": {"q": 0}}, positions={"one": "1"})
    b.add(sc.head({("one", "q"): 1}, {"v": "q"}, mask="none", weighting="average"))
    b.readout("sign", "last", ("v", "one"), weights=[[1, "-1/4"]])
    for error, moved in (("1/2", False), ("3/5", False), ("499/1000", True)):
        found = hardsoft(b.build("threshold"), error, max_length=3)
        soft = found.soft
        assert (
            found.decides is not None and found.decides.alike == moved and ("may differ" in found.text()) != moved
        )
        assert soft is not None and [str(w) for w in soft.readout.weights.tolist()[0]] == [
            "1",
            "-1/2" if moved else "-1/4",
        ]


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("by", [Fraction(1005, 1000), Fraction(995, 1000), Fraction(1)])
def test_what_a_search_in_floats_finds_is_shown_in_balls(by: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that ends half a percent away makes a wider ball, around the same temperature."""
    model = build("induction-most-recent", alphabet="ab")
    right = hardsoft(model, "1/4", max_length=3).rows[-1].tau_needed
    needed = module.Floats.needed

    def beside(self: module.Floats, allowed: Fraction, low: Fraction) -> tuple[Fraction, list[int]] | None:
        found = needed(self, allowed, low)
        return None if found is None else (found[0] * by, found[1])

    monkeypatch.setattr(module.Floats, "needed", beside)
    found = hardsoft(model, "1/4", max_length=3).rows[-1].tau_needed
    assert right is not None and found is not None
    near, far = ((Fraction(ball.mid), Fraction(ball.rad)) for ball in (right, found))
    assert abs(near[0] - far[0]) + near[1] <= far[1] + near[1] * 2 and (far[1] > 5 * near[1] or by == 1)
    assert far[1] < far[0] / 50


def test_longer_words_are_counted_as_one_types_them() -> None:
    """Behind a token that the model adds, the temperature for m typed symbols is that of Theorem 26 at n = m."""
    b = sc.Builder(words={"$": {"q": 0}, "a": {"q": 1}, "b": {"q": 2}}, before="$", positions={"one": "1", "p": "1/n"})
    b.add(sc.head({("one", "q"): 1}, {"v": "q"}, mask="none", weighting="average"))
    b.readout("value", "last", ("v",))
    hard = b.build("behind")
    found = hardsoft(hard, "1/4", gap="1/(n + 1)", max_length=2)
    assert found.soft is not None and found.x_max is not None
    rule = Constants(hard).rule("min(1/(n + 1), 1)", found.x_max, "1/4")
    assert rule is not None
    (head,) = (part for layer in found.soft.layers for part in layer.parts())
    for m in (3, 7):
        wanted = evaluate(parse_term(rule), {"n": m})
        temperature = tree_from_sympy(head.temperature)
        assert abs(evaluate(temperature, {"n": m + 1, "i": 1}) - wanted) < 1e-12
        assert not abs(evaluate(temperature, {"n": m, "i": 1}) - wanted) < 1e-12


@pytest.mark.layer_one(1, 3, 5, 7, 8, 9, 10, 11)
@pytest.mark.parametrize("what", ["error", "gap"])
@pytest.mark.parametrize("text, value", [
    ("min(1/4, 1/n)", lambda n: min(Fraction(1, 4), Fraction(1, n))),
    ("(1/n)", lambda n: Fraction(1, n)),
    ("2/n - 3/(2*n)", lambda n: Fraction(1, 2 * n)),
    ("1/n + 5", lambda n: Fraction(1, n) + 5),
    ("1/n^(-40)", lambda n: Fraction(n**40)),
    ("3/n", lambda n: Fraction(3, n)),
])  # fmt: skip
def test_longer_words_are_no_warmer_than_the_theorem_says(text: str, value: Any, what: str) -> None:
    """However error or gap is written: positive, at most the temperature of Theorem 26 from the number that the text
    is at a length, of which no more than 1 counts; and nearly that, rounded to 12 bits, but for c/n with c > 1, which
    is taken as 1/n."""
    hard = halving("average") if what == "gap" else build("induction-most-recent", alphabet="ab")
    if what == "gap":  # all letters alike, so that no scores differ and every gap that is claimed holds
        assert hard.embedding.words is not None
        hard = replace(hard, embedding=replace(hard.embedding, words={"a": {"q": 1}}))
    found = hardsoft(hard, text if what == "error" else "1/4", text if what == "gap" else None, max_length=2)
    assert found.soft is not None and found.soft.max_length is None and found.x_max is not None
    known, x = Constants(found.soft), Fraction(found.x_max)
    head = next(part for layer in found.soft.layers for part in layer.parts() if isinstance(part, sc.Head))
    for n in (3, 9, 50):
        numbers = (Fraction(1, n), value(n)) if what == "error" else (value(n), Fraction(1, 4))
        tau = float(evaluate(tree_from_sympy(head.temperature), {"n": n, "i": 1}))
        most = float(known.tau(n, numbers[0], x, numbers[1]))
        least = float(known.tau(n, numbers[0] / 3, x, numbers[1] / 3)) if text == "3/n" else most * 0.999
        assert least <= tau <= most * (1 + 2**-11) and tau > 0


def test_a_network_without_hidden_units_adds_its_bias() -> None:
    """It lets no error grow: the same temperatures as without it."""
    b = sc.Builder(words={"a": {"q": 1}, "b": {"q": 0}}, positions={"one": "1"})
    b.add(sc.head({("one", "q"): 1}, {"v": "q"}, mask="none", weighting="average"))
    b.readout("value", "last", ("v",))
    bare = b.build("bare")
    empty = sc.FeedForward(("q",), ("v",), sympy.zeros(0, 1), sympy.zeros(0, 1), sympy.zeros(1, 0), [[1]])
    wide = replace(bare, layers=(*bare.layers, sc.Layer(None, empty)))
    one, other = (hardsoft(model, "1/4", max_length=3).rows for model in (bare, wide))
    assert [row.tau_layers for row in one] == [row.tau_layers for row in other]


@pytest.mark.parametrize(("power", "longest"), [(60, 3), (150, 3), (1500, 1)])
def test_weights_beyond_the_first_precision_need_more_bits_and_no_less(power: int, longest: int) -> None:
    """The runs in balls cancel numbers of this size: with a large weight the ball is wide, which contradicts nothing.
    At 2^150 the needed temperature is that at 2^60, where the first precision is enough."""
    formula = sc.compile("count", "#left[Q_a] > #left[Q_b]", alphabet="ab")
    (*first, last) = formula.layers
    assert last.feedforward is not None
    rows = last.feedforward.W1.tolist()
    assert rows[1][-1] == 1
    rows[1][-1] = f"2^{power}"
    wide = replace(
        formula, layers=(*first, replace(last, feedforward=replace(last.feedforward, W1=rows))), program=None
    )
    answer = wide.hardsoft("1/4", max_length=longest)
    for row in answer.rows:
        assert Fraction(row.error.mid) + Fraction(row.error.rad) <= Fraction(1, 4)
    if longest == 3:
        assert float(answer.rows[2].tau_needed.mid) == pytest.approx(0.12305887, rel=1e-6)


def test_a_temperature_that_balls_leave_open_is_undecided() -> None:
    formula = sc.compile("count", "#left[Q_a] > #left[Q_b]", alphabet="ab")
    (*first, last) = formula.layers
    assert last.feedforward is not None
    rows = last.feedforward.W1.tolist()
    rows[1][-1] = "2^1500"
    wide = replace(
        formula, layers=(*first, replace(last, feedforward=replace(last.feedforward, W1=rows))), program=None
    )
    with pytest.raises(Undecided, match="was undecided"):
        wide.hardsoft("1/4", max_length=2)


def test_an_error_that_is_within_the_limit_when_warm_and_not_at_1_is_no_error_at_every_temperature() -> None:
    """By softmax the first head gives m < 9/10, and the second, whose scores are 2000 m - 1800, turns to a. At high
    temperatures it takes the mean. The error at temperature 1 was more than its bound, which ended with an error."""
    letters = {"a": {"one": 1}, "b": {"one": 1, "x": 1}}
    embedding = sc.Embedding(sc.Space(("one", "x", "m", "u")), words=letters)
    one = sc.Head(("one", "x"), ("m",), [[1, 0]], [[0, 1]], [[0, 1]], "none", "average")
    two = sc.Head(("one", "x", "m"), ("u",), [[-1800, 0, 2000]], [[0, 1, 0]], [[0, 1, 0]], "none", "average")
    layers = tuple(sc.Layer(sc.SelfAttention((head,))) for head in (one, two))
    model = sc.Transformer("turns", embedding, layers, sc.Readout("sign", "last", ("u",), [[1]]))
    row = model.hardsoft("11/10", max_length=2).rows[1]
    assert row.tau_layers is not None and row.tau_needed is not None
    assert float(row.error.mid) <= 1.1 and float(row.tau_layers) <= float(row.tau_needed.mid) < 1
    assert model.hardsoft("3", max_length=2).rows[1].tau_layers is None  # m and u are between 0 and 1
