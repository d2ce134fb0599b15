"""Decisions about models that look up positions, and about periodic position functions, beside exact runs of every
short string."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from typing import Any

import pytest
from drawn_lookups import compared, drawn
from shared import call

import symcook as sc

WORDS = {"a": {"one": 1, "x": 1}, "b": {"one": 1, "y": 1}, "c": {"one": 1}}


def looks_up(query: str, mask: str = "causal", start: int = 1, weighting: str = "average") -> sc.Transformer:
    """A model whose positions ask whether an a stands at the position nearest to what `query` says, by the score
    2qj - j^2; a query is a position function, or a coordinate of the symbols. It accepts if a position with a b finds
    one."""
    ends: dict[str, Any] = {} if start else {"before": "^"}
    words = {symbol: dict(row) for symbol, row in WORDS.items()} | ({} if start else {"^": {"one": 1}})
    positions = {"t": "i", "s": "i^2"} | ({} if query in ("x", "y") else {"q": query})
    b = sc.Builder(words=words, positions=positions, start=start, **ends)
    score = {("q" if "q" in positions else query, "t"): 2, ("one", "s"): -1}
    b.add(sc.head(score=score, value={"v": "x"}, mask=mask, weighting=weighting))
    b.add(sc.feedforward(hit="relu(y + v - 1)"))
    b.readout("sign", "last", b.add(sc.head(value={"m": "hit"}, mask="none")), weights=[1])
    return b.build("looks_up")


def agrees(model: sc.Transformer, longest: int = 5) -> int:
    """The number of strings on which the automaton that `decide` finds answers as the exact run does."""
    automaton = model.decide().automaton
    assert automaton is not None
    count = 0
    for size in range(1, longest + 1):
        for word in itertools.product("abc", repeat=size):
            assert automaton(word) == model.run(list(word)).accept, word
            count += 1
    return count


@pytest.mark.layer_one(0, 4)
@pytest.mark.parametrize("start", [1, 0])
@pytest.mark.parametrize("mask", ["causal", "strict-causal", "none", "anti-causal", "strict-anti-causal"])
@pytest.mark.parametrize("query", ["i - 1", "i", "i + 1", "i - 3", "2", "0", "4", "x", "i - 5/4"])
@pytest.mark.layer_two(every=3)
def test_lookups_are_what_the_model_does(query: str, mask: str, start: int) -> None:
    assert agrees(looks_up(query, mask, start), 3 if mask == "none" else 4) > 30


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("start", [1, 0])
@pytest.mark.parametrize("function", [
    "mod(i, 2)", "mod(i, 3) - 1", "mod(2*i + 1, 3)", "mod(i/2, 1)", "mod(n - i, 2)", "mod(i^2 + i, 4) - 1",
    "mod(-i, 3) - 1",
    "cos(pi*i)", "sin(pi*i/2)", "cos(2*pi*(i - 1)/3)", "sign(i - 2)", "sign(n - i - 1)", "mod(i, 2)*mod(i, 3) - 1",
    "2*mod(i, 2) - 1", "cos(pi*(n - i))", "mod(mod(i, 4), 3) - 1", "2*sum(q, 0, i, I[i = 3*q + 1]) - 1",
    "sum(q, 0, n - i, I[n - i = 2*q + 1])", "sum(q, 0, i + 2, I[i + 2 = 3*q + 0]) - 1/2",
    "sum(q, 0, i, I[i = 2*q + 5])",
])  # fmt: skip
@pytest.mark.layer_two(every=3)
def test_periodic_functions_are_what_the_model_does(function: str, start: int) -> None:
    b = sc.Builder(words={"a": {"x": 1}, "b": {"x": -1}, "c": {}}, positions={"p": function}, start=start)
    y = b.add(sc.feedforward(y="relu(x + p) - relu(-x - 2*p)"))
    b.readout(
        "sign", "last", b.add(sc.head(value={"z": y[0]}, mask="strict-causal", weighting="rightmost")), weights=[1]
    )
    assert agrees(b.build("periodic"), 5) > 100


def test_a_compiled_remainder_is_periodic() -> None:
    """The compiler writes the remainder of a position as a sum over quotients."""
    model = sc.compile("c-rasp", "MOD(3, 1) & Q_a", alphabet="ab")
    assert [*map(str, model.embedding.positions.values())] == ["sum(q, 0, i, I[i = 3*q + 1])"]
    last = replace(model, readout=replace(model.readout, position="last"))
    assert last.decide("(...)*a").verdict == "equal"
    assert last.decide("(...)*.").counterexample == "b"


def test_a_lookup_agrees_with_a_language() -> None:
    assert looks_up("i - 1").decide(".*ab.*").verdict == "equal"
    assert looks_up("i - 2").decide(".*a.b.*|ab.*").verdict == "equal"
    assert looks_up("i + 1", "none").decide(".*ab.*").counterexample == "ab"
    assert looks_up("2").decide(".a.*b.*").verdict == "equal"
    b = sc.Builder(words="ab", positions={"place": "i"})
    b.readout("sign", "last", b.lookup("y", "place", b.tokens[0]), weights=[1])
    model = b.build("lookup")
    assert model.decide(".*a").verdict == "equal"
    assert model.prove('accept <-> matches(".*a")').status == "PROVED"


@pytest.mark.parametrize("query, said", [
    ("i - 1/2", "looks up a position that is neither constant nor at a constant distance"),
    ("n - 1", "looks up a position from the end of the string"),
    ("2*i", "looks up a position that is neither constant nor at a constant distance"),
    ("i - 20", "looks up a position more than 12 positions away"),
    ("1/i", "has scores that are quadratic in a position, with 1/i"),
])  # fmt: skip
def test_other_lookups_are_refused(query: str, said: str) -> None:
    found = looks_up(query).decide(".*a")
    assert found.status == "REFUSED" and said in str(found.why)


@pytest.mark.parametrize("function", ["mod(n, 2)", "sin(i)", "cos(pi*i/5)", "mod(i, 5000)", "floor(i/2)", "i^3",
    "sum(q, 0, i, I[i = q])", "sum(q, 0, n, I[i = 2*q + 1])", "sum(q, 0, i, I[n = 2*q + 1])",
    "sum(q, 1, i, I[i = 2*q + 1])",
])
def test_other_position_functions_are_refused_and_prove_is_named(function: str) -> None:
    b = sc.Builder(words="ab", positions={"p": function})
    b.readout("sign", "last", b.add(sc.feedforward(y="relu(p)")), weights=[1])
    found = b.build("other").decide(".*a")
    assert found.status == "REFUSED" and "must be periodic, or a sum of multiples of i" in str(found.why)


def test_a_refusal_names_the_commands_that_take_the_model(tmp_path: Any, monkeypatch: Any, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    looks_up("2*i").save("double.json")
    _, out, _ = call(capsys, "decide", "double.json", "--against", ".*a")
    assert "symcook prove double.json --statement 'accept <-> matches(\"REGEX\")' searches for a proof" in out
    assert "symcook check double.json --max-length 8 runs all short strings" in out
    replace(looks_up("2*i"), max_length=5).save("short.json")
    assert "symcook check short.json --max-length 5 runs" in call(capsys, "decide", "short.json", "--against", ".*a")[1]


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("seed", range(20))
def test_drawn_models_are_what_their_automata_say(seed: int) -> None:
    assert compared(drawn(random.Random(seed)), 4) == "agrees"
