"""Closed forms in the words of the papers: positions that heads choose, means over the best scores, tokens at i - 1.

Each form is read from its text and evaluated (`forms_said`), or evaluated by numpy, beside exact runs of the model on
all strings to a length, and beside brute force in plain Python.
"""

from __future__ import annotations

import itertools
import math
import re

import forms_said
import pytest

import symcook as sc
from symcook.closed import every_length
from symcook.errors import BadInput
from symcook.recipes import build, names

REFUSED = {"dyck-k-d": "a position that is chosen by", "tie-break": "quotients or powers in j"}
"""The recipes without a form by default, and why."""


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize(
    ("name", "longest"),
    [
        ("first-value", 2), ("dyck-1-zero-one", 3), ("induction-most-recent", 2), ("induction-most-frequent", 2),
        ("dyck-1-2", 3), ("lookup-layernorm-hash", 2), ("lookup-one-hot", 2),
        pytest.param("dyck-1-2", 4, marks=pytest.mark.campaign),
        pytest.param("lookup-almost-orthogonal", 2, marks=pytest.mark.campaign),
    ],
)  # fmt: skip
@pytest.mark.layer_two(every=5)
def test_what_is_printed_is_what_the_model_does(name: str, longest: int) -> None:
    strings, values = forms_said.compared(every_length(build(name)), longest)
    assert strings >= 3 and values > 10


def after_the_last_same(word: str) -> list[str]:
    """For each position the symbol after the last earlier occurrence of its symbol; without one, its own symbol."""
    out = []
    for i, symbol in enumerate(word):
        earlier = [j for j in range(i) if word[j] == symbol]
        out.append(word[earlier[-1] + 1] if earlier else symbol)
    return out


def test_an_induction_is_the_symbol_after_the_last_same_one() -> None:
    model = build("induction-most-recent")
    found = every_length(model)
    function = found.lambdify("w", "i")
    for n in range(1, 4):
        for word in map("".join, itertools.product("ABCD", repeat=n)):
            tokens = [list(model.embedding.words).index(symbol) for symbol in word]
            answers = [function(tokens, i) for i in range(1, n + 1)]
            assert [max(scores, key=lambda a: scores[a].item()) for scores in answers] == after_the_last_same(word)
    (meaning,) = {text for form in found.forms for text in form.meaning if text.startswith("q1(i) is ")}
    assert re.match(r"q1\(i\) is the last position t in 1\.\.i with .*at\(A, i\) & at\(A, t - 1\) & 2 <= t", meaning)


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("name", ["lookup-layernorm-hash", "lookup-quadratic", "lookup-almost-orthogonal"])
def test_a_lookup_is_the_value_at_the_position_of_its_query(name: str) -> None:
    found = every_length(build(name))
    assert str(found.expressions["found"]) == "value[query[i]]"
    assert found.region == "(all i in 1..n. ex q in 1..n. query(i) = q)"


def test_a_hash_says_its_gap() -> None:
    """4 less 4 times the product of the directions (q, 1) and (j, 1)."""
    (form,) = every_length(build("lookup-layernorm-hash")).forms
    (said,) = form.gaps
    gap = re.fullmatch(r"the score at position query\(i\) is that at .* j plus (.*), which is positive", said)
    assert gap is not None and said in form.text() and form.to_json()["gaps"] == [said]
    text = gap[1].replace("query(i)", "q").replace("^", "**")
    for q, j in itertools.permutations(range(1, 6), 2):
        expected = 4 - 4 * (q * j + 1) / math.sqrt((q * q + 1) * (j * j + 1))
        assert math.isclose(eval(text, {"q": q, "j": j, "sqrt": math.sqrt}), expected)


def test_a_query_that_is_no_position_has_no_such_form() -> None:
    """The score 2qj - j^2 + j is greatest between two positions."""
    b = sc.Builder(inputs=("query", "value"), positions={"one": "1", "index": "i", "bent": "i - i^2"})
    pair = {("query", "index"): 2, ("one", "bent"): 1}
    b.readout("value", "each", b.add(sc.head(pair, {"found": "value"}, mask="none", weighting="average")))
    with pytest.raises(BadInput, match="must have a rule for each step"):
        every_length(b.build("between"))


def scored(weighting: str, mask: str, **scores: int) -> sc.Transformer:
    """A head whose scores are those of the tokens, and whose value is 1 at token a."""
    words = {token: {"points": score, "hit": int(token == "a")} for token, score in scores.items()}
    b = sc.Builder(words=words, positions={"one": "1"})
    b.readout("value", "each", b.add(sc.head({("one", "points"): 1}, {"out": "hit"}, mask=mask, weighting=weighting)))
    return b.build("scored")


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("mask", ["none", "future", "strict-past"])
@pytest.mark.parametrize("weighting", ["average", "leftmost", "rightmost"])
@pytest.mark.layer_two(every=2)
def test_tokens_with_scores(weighting: str, mask: str) -> None:
    """Two tokens of one score, one of a greater and one of a less."""
    model = scored(weighting, mask, a=1, b=1, c=0, d=2)
    strings, values = forms_said.compared(every_length(model), 3 if mask == "none" else 2)
    assert strings >= 20 and values >= 70


def test_scores_whose_order_depends_on_the_row() -> None:
    """A query of 1, 0 or -1 turns the order of the keys round."""
    words = {"a": {"turn": 1, "key": 2}, "b": {"turn": -1, "key": 1}, "c": {"key": -1}}
    b = sc.Builder(words=words)
    b.readout("value", "each", b.add(sc.head({("turn", "key"): 1}, {"out": "key"}, mask="none", weighting="average")))
    assert forms_said.compared(every_length(b.build("turned")), 3)[0] == 39


def test_a_score_that_moves_has_one_direction() -> None:
    """j times a mean of either sign neither rises nor falls: the last position has not the greatest score."""
    words = {"a": {"up": 1}, "b": {"up": -1}}
    b = sc.Builder(words=words, positions={"one": "1", "index": "i"})
    (mean,) = b.add(sc.head(value={"mean": "up"}, mask="future"))
    b.readout("value", "each", b.add(sc.head({(mean, "index"): 1}, {"out": "up"}, mask="none", weighting="rightmost")))
    with pytest.raises(BadInput, match="not a quadratic form with a maximum"):
        every_length(b.build("moving"))


@pytest.mark.sweep
def test_every_recipe_has_a_form_or_says_why() -> None:
    refused = {}
    for name in names():
        try:
            sc.derive(build(name))
        except BadInput as error:
            refused[name] = str(error)
    assert set(refused) == set(REFUSED)
    assert all(REFUSED[name] in why for name, why in refused.items())
    assert len(every_length(build("dyck-k-d", D=2)).forms) == 25


@pytest.mark.parametrize("longest", [3, 5])
@pytest.mark.sweep
def test_numbers_of_numpy_are_those_of_exact_runs(longest: int) -> None:
    model = build("dyck-1-2")
    found = every_length(model)
    function = found.lambdify()
    for n in range(1, longest + 1):
        for word in map("".join, itertools.product("()", repeat=n)):
            tokens = [list(model.embedding.words or ()).index(symbol) for symbol in word]
            ours = [function(w=tokens, n=n, i=i)["active"].item() for i in range(1, n + 1)]
            run = model.run(word)
            assert ours == [float(run.result.stream["active"][k]) for k in range(n)], word
