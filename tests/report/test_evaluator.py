"""The evaluator of a model's page, in a browser and in node, says what the library says: every number, weight and
answer of a run, over the recipes and over random models with all that a model may have."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import page_models
import pytest
from browser import browser, by_browser, by_node, visit
from checkout import ROOT

import symcook as sc
from symcook.errors import BadInput
from symcook.report.page.describe import described, unfit
from symcook.report.page.modelpage import model_page

WORDS = 200
"""The inputs of each part."""


def asked(seed: int) -> tuple[list[dict[str, Any]], list[list[tuple[str, dict[str, Any]]]]]:
    """Models with inputs, and what is expected."""
    every = list(page_models.cases(WORDS, seed))
    return (
        [{"model": page_models.document(model), "inputs": [text for text, _ in found]} for model, found in every],
        [found for _, found in every],
    )


def compare(said: list[list[dict[str, Any]]], expected: list[list[tuple[str, dict[str, Any]]]]) -> None:
    count = 0
    for answers, wanted in zip(said, expected, strict=True):
        for found, (text, want) in zip(answers, wanted, strict=True):
            count += 1
            if "refused" in want:
                kind = "no run" if want["refused"] == "NoRun" else "value"
                assert found.get("refused") == kind, (text, want, found)
            else:
                assert found == want, (text, json.dumps(want)[:2000], json.dumps(found)[:2000])
    assert count >= WORDS


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.layer_two(every=2)
def test_node_says_what_the_library_says(seed: int) -> None:
    models, expected = asked(seed)
    compare(by_node(models), expected)


@pytest.mark.parametrize("seed", range(4, 7))
@pytest.mark.sweep
def test_a_browser_says_what_the_library_says(seed: int, tmp_path: Path) -> None:
    models, expected = asked(seed)
    with browser() as made:
        visit(made, model_page(sc.build("dyck-1"))[0], tmp_path)
        compare(by_browser(made, models), expected)


@pytest.mark.sweep
def test_the_models_have_every_trait() -> None:
    """Nobody is told that all is compared where the cases hold less."""
    met: set[str] = set()
    count = 0
    for seed in range(4):
        for model, found in page_models.cases(WORDS, seed):
            count += 1
            given, readout = model.embedding, model.readout
            met |= {f"readout {readout.kind} {readout.position}", f"start {given.start}"}
            met |= {token for token in (given.before, given.after) if token}
            met |= {name for name in model.space if name in page_models.ODD[:3]}
            met |= {"empty string"} if any(text == "" for text, _ in found) else set()
            met |= {"no run"} if any(said.get("refused") == "NoRun" for _, said in found) else set()
            met |= {"rows"} if given.inputs is not None else set()
            met |= {"several letters"} if not given.spelled else set()
            for step in model.sublayers:
                met |= {"several heads"} if len(step.parts) > 1 else set()
                met |= {f"norm {step.kind}"} if step.norms else set()
                met |= {type(part).__name__ for part in step.all_parts}
                for part in step.parts:
                    if isinstance(part, sc.Head):
                        met |= {f"mask {part.mask}", part.weighting, "Q unlike K" if part.Q != part.K else "Q like K"}
                    else:
                        met.add(part.activation)
    wanted = {f"readout {kind} {at}" for kind in ("sign", "zero") for at in ("first", "last", "each", "all")}
    wanted |= {f"readout {kind} {at}" for kind in ("value", "largest") for at in ("first", "last", "each")}
    wanted |= {
        "GatedUnits",
        "RMSNorm",
        "CLS",
        "BOS",
        "EOS",
        "constructor",
        "__proto__",
        "toString",
        "empty string",
        "no run",
        "rows",
        "several letters",
    }
    wanted |= {
        "several heads",
        "Q unlike K",
        "relu",
        "step",
        "start 0",
        "start 1",
        "norm attention",
        "norm feed-forward",
    }
    wanted |= {"average", "leftmost", "rightmost", "softmax"} | {
        f"mask {m}" for m in ("none", "future", "past", "strict-past")
    }
    assert wanted <= met, wanted - met
    assert count >= 200


@pytest.mark.sweep
def test_every_recipe_is_among_them() -> None:
    """Those that the evaluator cannot run are known by name, with what is irrational in them."""
    unfit = {"modulo-angle", "sinusoidal", "multiply-gelu", "by-gelu", "parity", "first", "first-layernorm"}
    unfit |= {"parity-layernorm", "first-flawed"}
    assert set(sc.recipes.names()) - set(page_models.recipes()) == unfit
    reached: set[str] = set()
    for seed in range(3):
        reached |= {model.name for model, _ in page_models.cases(WORDS, seed)}
    roots = {"lookup-layernorm-hash"}  # of which its norms make roots, so that there is nothing to compare
    assert set(page_models.recipes()) - reached == roots


REFUSED = (
    ("dyck-1", "(x", "every symbol must be in the alphabet ( ); given: x"),
    ("dyck-1", "", "an input must have at least one symbol; given: the empty string"),
    ("max", "1", "each row must have 2 values (x, y); given: 1"),
    ("max", "1, 2; 3, 4", "one row of inputs is wanted; given: 2"),
    ("max", "1, pi", "a number must be written like 3, -1/2, 0.25 or 1e-3; given: pi"),
    ("max", "1, 1/0", "a denominator must not be zero"),
    ("lookup-one-hot", "; ".join(["1, 1"] * 9), "an input must have length at most 8; given: 9"),
    ("sign-norm", "1, 1", None),
)


def test_bad_input_is_refused_in_words() -> None:
    asked = [{"model": page_models.document(sc.build(name)), "inputs": [text]} for name, text, _ in REFUSED]
    for (name, text, says), [found] in zip(REFUSED, by_node(asked), strict=True):
        if says is not None:
            assert found["says"] == says, (name, text, found)


def test_a_wrong_weight_is_seen() -> None:
    """The comparison above can fail: a document with one number changed gives another run."""
    document = page_models.document(sc.build("dyck-1"))
    changed = json.loads(json.dumps(document).replace('"token": "1"', '"token": "2"', 1))
    assert changed != document
    [[right]], [[wrong]] = (by_node([{"model": one, "inputs": ["(()"]}]) for one in (document, changed))
    assert right["output"] != wrong["output"]


@pytest.mark.sweep
def test_text_is_read_as_the_library_reads_it() -> None:
    """Random alphabets by a seed, and a decoder whose states are called like inputs: both read the same tokens, or both
    refuse."""
    random, strings = Random(76), ["".join(one) for n in (1, 2, 3) for one in product("abc", repeat=n)]
    models = [sc.compile("dfa", (ROOT / "examples/automata/contains-ab.json").read_text(encoding="utf-8"))]
    for _ in range(20):
        builder = sc.Builder(words=random.sample(strings, random.randint(1, 5)))
        builder.readout("value", "last", builder.add(sc.head(value={"mean": builder.tokens[-1]})))
        models.append(builder.build("words"))
    texts = [*strings, "a b", "ab a", "aabb", "ab c"]
    found = by_node([{"model": page_models.document(model), "inputs": texts} for model in models])
    for model, answers in zip(models, found, strict=True):
        for text, answer in zip(texts, answers, strict=True):
            wanted = page_models.expected(model, text)
            if wanted == {"refused": "BadInput"}:
                assert answer.get("refused") == "input", (model.alphabet, text, answer)
            elif wanted is not None:  # None: a root, which the page does not compute
                assert answer == wanted, (model.alphabet, text)


@pytest.mark.sweep
def test_the_evaluator_has_no_run_where_the_library_has_none() -> None:
    """Values of parameters that a part refuses: an epsilon below zero, and a temperature of hard attention that is not
    positive, which no weight depends on."""
    space = sc.Space(("a", "b", "m"))
    embedding = sc.Embedding(space, words={"a": {"a": 1}, "b": {"b": 2}}, positions={"b": "i"})
    readout, words = sc.Readout("value", "last", ("m", "a", "b")), ["a", "b", "ab", "bb"]

    def made(parameter: sc.Parameter, *norms: Any, **settings: Any) -> sc.Transformer:
        head = sc.Head(("a", "b"), ("m",), [[1, 0]], [[0, 1]], [[1, 1]], mask="future", **settings)
        layer = sc.Layer(sc.SelfAttention((head,)), None, norms, (), "post" if norms else "none")
        return sc.Transformer("odd", embedding, (layer,), readout, (parameter,))

    for norm in (sc.LayerNorm(tuple(space), epsilon="E"), sc.RMSNorm(tuple(space), epsilon="E")):
        model = made(sc.Parameter("E", 0), norm)
        for value in ("-1", "-1/4", "-2", "-14/3"):
            values = {"E": Fraction(value)}
            assert not unfit(model, values)
            for word in words:
                with pytest.raises(BadInput, match="must not be negative"):
                    model.run(word, values={"E": value})
            found = by_node([{"model": described(model, values), "inputs": words}])[0]
            assert [answer.get("refused") for answer in found] == ["value"] * len(words)
    for weighting in ("average", "leftmost", "rightmost"):
        model = made(sc.Parameter("T", 1), weighting=weighting, temperature="T")
        with pytest.raises(BadInput, match="temperature must be positive"):
            model.run("ab", values={"T": -1})
        assert "temperature" in unfit(model, {"T": Fraction(1)})
        assert not unfit(made(sc.Parameter("T", 1), weighting=weighting, temperature="1/n"), {"T": Fraction(1)})
