"""Arrays of a run, beside a forward pass in numpy that shares nothing with the library."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy

import symcook as sc
from symcook.domains import RUNNABLE
from symcook.errors import BadInput
from symcook.questions.hooks import HOOKS

NAMES = ("x", "y", "one", "place", "out")
WORDS = {"a": {"x": 1, "one": 1}, "b": {"y": 2, "one": 1}, "BOS": {"one": 1}, "EOS": {"x": -1, "one": 1}}
HEADS: list[dict[str, Any]] = [
    {"Q": [[1, 0, 1], [0, 2, 0]], "K": [[1, 1, 0], [0, 0, 1]], "V": [[1, 0, 0], [0, 1, 1]], "writes": ("y", "out"),
     "mask": "future", "weighting": "softmax", "temperature": "1 + 1/n", "scale": "1/sqrt(d_key)"},
    {"Q": [[0, 1, 0]], "K": [[1, 0, -1]], "V": [[0, 0, 3]], "writes": ("out",),
     "mask": "strict-past", "weighting": "average", "temperature": 1, "scale": 1},
]  # fmt: skip
SEEN: dict[str, Callable[[int, int], bool]] = {"future": lambda i, j: j <= i, "strict-past": lambda i, j: j > i}


def model(norms: bool = True, kind: str = "largest") -> sc.Transformer:
    """Special tokens, positions from 0, two heads of different widths with Q unlike K, norms before and at the end."""
    # Without norms everything is exact, so that the scale is rational.
    scales = {"scale": "1/2"} if not norms else {}
    heads = [sc.Head(("x", "y", "one"), **(HEADS[0] | scales)), sc.Head(("x", "y", "one"), **HEADS[1])]
    units = sc.FeedForward(("y", "out"), ("x",), [[1, -1], [2, 1]], [0, "1/2"], [[1, -2]], ["1/4"])
    norm = sc.LayerNorm(NAMES, gain=[1, 2, 1, 1, 3], bias=[0, 1, 0, 0, 1], epsilon="1/10")
    placed: dict[str, Any] = {"attention_norms": norm, "feedforward_norms": norm, "placement": "pre"} if norms else {}
    layer = sc.Layer(sc.SelfAttention(tuple(heads)), units, **placed)
    positions = {"place": "i/(n + 1)"}
    embedding = sc.Embedding(sc.Space(NAMES), WORDS, positions=positions, start=0, before="BOS", after="EOS")
    if kind == "largest":
        readout = sc.Readout("largest", "each", ("x", "out"), [[1, 0], [0, 1], [1, 1]], ("p", "q", "r"))
    else:
        readout = sc.Readout("sign", "last", ("x", "out"), [[1, -1]])
    return sc.Transformer("mixed", embedding, (layer,), readout, final_norm=norm if norms else None)


def normed(z: Any, norms: bool) -> Any:
    if not norms:
        return z
    centred = z - z.mean(axis=1, keepdims=True)
    return centred / np.sqrt(z.var(axis=1, keepdims=True) + 0.1) * [1, 2, 1, 1, 3] + [0, 1, 0, 0, 1]


def expected(string: str, norms: bool) -> dict[str, Any]:
    """All hooks, the stream at the end and the logits, in numpy."""
    tokens = ["BOS", *string, "EOS"]
    n, found = len(tokens), dict[str, Any]()
    embed = np.array([[WORDS[token].get(name, 0) for name in NAMES] for token in tokens], dtype=float)
    z = embed.copy()
    z[:, 3] += np.arange(n) / (n + 1)
    found |= {"hook_embed": embed, "hook_resid_pre": z.copy()}
    view = normed(z, norms)[:, :3]
    by_name: dict[str, list[Any]] = {name: [] for name in ("q", "k", "v", "z", "attn_scores", "pattern")}
    for head in HEADS:
        q, k = view @ np.array(head["Q"]).T, view @ np.array(head["K"]).T
        values = np.zeros((n, 5))
        for name, row in zip(head["writes"], head["V"], strict=True):
            values[:, NAMES.index(name)] = view @ np.array(row)
        scale = (1 / np.sqrt(2) if norms else 0.5) if head["scale"] != 1 else 1
        scores = q @ k.T * scale / (1 + 1 / n if head["temperature"] != 1 else 1)
        seen = np.array([[SEEN[head["mask"]](i, j) for j in range(n)] for i in range(n)])
        scores = np.where(seen, scores, -np.inf)
        pattern = np.zeros((n, n))
        for i in range(n):
            if seen[i].any():
                top = scores[i].max()
                row = np.exp(scores[i] - top) if head["weighting"] == "softmax" else np.isclose(scores[i], top)
                pattern[i] = row / row.sum()
        pad = ((0, 0), (0, 2 - q.shape[1]))
        made = (np.pad(q, pad), np.pad(k, pad), values, pattern @ values, scores, pattern)
        for name, array in zip(by_name, made, strict=True):
            by_name[name].append(array)
    found |= {f"attn.hook_{name}": np.stack(arrays, axis=1) for name, arrays in list(by_name.items())[:4]}
    found |= {f"attn.hook_{name}": np.stack(arrays) for name, arrays in list(by_name.items())[4:]}
    found["hook_attn_out"] = found["attn.hook_z"].sum(axis=1)
    z = z + found["hook_attn_out"]
    found["hook_resid_mid"] = z.copy()
    read = normed(z, norms)[:, [1, 4]]
    hidden = np.maximum(read @ np.array([[1, -1], [2, 1]]).T + [0, 0.5], 0)
    out = np.zeros((n, 5))
    out[:, 0] = hidden @ [1, -2] + 0.25
    z = z + out
    found |= {"hook_mlp_out": out, "hook_resid_post": z.copy(), "end": normed(z, norms)}
    found["logits"] = found["end"][:, [0, 4]] @ np.array([[1, 0], [0, 1], [1, 1]]).T
    return found


@pytest.mark.parametrize("norms", [False, True])
def test_every_array_is_that_of_numpy(norms: bool) -> None:
    string = "ab" if norms else "abba"  # after a norm, intervals do not decide whether equal scores are equal
    run = model(norms).run(string, domain="ball" if norms else "exact")
    wanted = expected(string, norms)
    assert set(wanted) == {"hook_embed", *HOOKS, "end", "logits"}
    for name in HOOKS:
        np.testing.assert_allclose(run[f"blocks.0.{name}"], wanted[name], atol=1e-12, err_msg=name)
    np.testing.assert_allclose(run["hook_embed"], wanted["hook_embed"])
    for place, name in enumerate(NAMES):
        np.testing.assert_allclose(run.array(name), wanted["end"][:, place], atol=1e-12)
    np.testing.assert_allclose(run.logits, wanted["logits"], atol=1e-12)
    for head in (1, 2):
        np.testing.assert_allclose(run.attention(1, head), wanted["attn.hook_pattern"][head - 1], atol=1e-12)


@pytest.mark.parametrize("domain", RUNNABLE)
def test_arrays_in_every_number_system(domain: str) -> None:
    """Without a trace and with one, the same numbers; a sign readout has one logit a position."""
    plain = model(norms=False, kind="sign")
    run, traced = plain.run("ab", domain), plain.run("ab", domain, trace=True)
    wanted = expected("ab", norms=False)["end"]
    tolerance = {"float32": 1e-5, "float16": 2e-2}.get(domain, 1e-12)
    np.testing.assert_allclose(run.logits, wanted[:, 0] - wanted[:, 4], atol=tolerance)
    np.testing.assert_array_equal(run.logits, traced.logits)
    assert run.logits.shape == (4,) and run.array("out").dtype == np.float64
    assert run.accept == traced.accept


def test_exact_numbers_on_request() -> None:
    weights = sc.build("first").run("10").attention(2, 1, exact=True)
    assert weights.shape == (3, 3) and weights.dtype == object
    assert all(sympy.simplify(sum(row) - 1) == 0 for row in weights)
    assert weights[0].tolist() == [1 / (sympy.E + 2), sympy.E / (sympy.E + 2), 1 / (sympy.E + 2)]
    fractions = sc.build("dyck-1").run("())").array("balance", exact=True)
    assert fractions.tolist() == [1, 0, sympy.Rational(-1, 3)]
    assert sc.build("dyck-1").run("())").array("balance").tolist() == [1.0, 0.0, float(Fraction(-1, 3))]
    with pytest.raises(BadInput, match="number system float64; leave domain out"):
        sc.build("dyck-1").run("())", "float64").array("balance", exact=True)


def test_an_input_of_more_positions_than_a_trace_has_weights_for() -> None:
    weights = sc.build("dyck-1").run("()" * 20).attention(1, 1)
    np.testing.assert_allclose(weights, np.tril(np.ones((40, 40))) / np.arange(1, 41)[:, None])


def test_a_head_that_adds_nothing_has_weights() -> None:
    """A trace leaves them out, since nothing depends on them."""
    head = sc.Head(("x",), ("y",), [], [], [[0]], mask="future")
    embedding = sc.Embedding(sc.Space(("x", "y")), {"a": {"x": 1}})
    readout = sc.Readout("sign", "last", ("x",), [[1]])
    run = sc.Transformer("idle", embedding, (sc.Layer(head),), readout).run("aa")
    assert run.attention(1, 1).tolist() == [[1, 0], [0.5, 0.5]]


def test_what_is_not_there_is_refused_with_what_is() -> None:
    run = sc.build("dyck-1").run("())(")
    for ask, text in (
        (lambda: run.array("balace"), "did you mean balance?"),
        (lambda: run.attention(1, 2), "given: layer 1, head 2; known: layer 1, head 1; layer 2, head 1"),
        (lambda: run.attention(0, 0), "counted from 1; given: layer 0, head 0"),
        (lambda: run["blocks.0.hook_mlp_pre"], "did you mean blocks.0.hook_mlp_out"),
        (lambda: run["hook_pos_embed"], "given: hook_pos_embed"),
        (lambda: run["blocks.2.hook_resid_pre"], "counted from 0; given: 2; blocks.0 blocks.1"),
        (lambda: run["blocks.1.hook_mlp_out"], "must have a feed-forward layer; given: blocks.1"),
        (lambda: run[0], "given: 0"),
        (lambda: run.logits, 'read a coordinate: run.array("total")'),
    ):
        with pytest.raises(BadInput) as error:
            ask()
        assert text in str(error.value)


def test_runs_of_several_inputs() -> None:
    runs = sc.build("dyck-1").run_many(["()", "))"])
    assert isinstance(runs, list) and [one.accept for one in runs] == [True, False]
    assert runs.array("balance").tolist() == [[1, 0], [-1, -1]]
    assert runs.attention(1, 1).shape == (2, 2, 2)
    uneven = sc.build("dyck-1").run_many(["()", ")"])
    with pytest.raises(BadInput, match="lengths from 1 to 2; write pad=True"):
        uneven.array("balance")
    np.testing.assert_array_equal(uneven.array("balance", pad=True), [[1, 0], [-1, np.nan]])
    assert np.isnan(uneven.attention(1, 1, pad=True)[1]).tolist() == [[False, True], [True, True]]
    assert model().run_many(["ab", "ba"], "ball").logits().shape == (2, 4, 3)
    with pytest.raises(BadInput, match=r"write the inputs as a list: run_many"):
        sc.build("dyck-1").run_many("()")  # type: ignore[arg-type]


def test_several_strings_are_no_string() -> None:
    with pytest.raises(BadInput, match=r"given: \(\); a list is one string.*run_many"):
        sc.build("dyck-1").run(["()", "(("])


def test_numbers_in_and_numbers_out() -> None:
    reverse = "opposite(i) = length - indices(i) - 1\nout(i) = aggregate(select(indices, opposite, ==), tokens, 3)"
    for alphabet in ([1, 2, 3], {3, 2, 1}, ["1", "2", "3"]):
        numbers = sc.compile("srasp", reverse.replace(", 3)", ', "3")'), alphabet=alphabet)
        assert numbers.alphabet == ("1", "2", "3")
        assert numbers.run([3, 1, 1]).outputs == [1, 1, 3]
        assert numbers.run("311").outputs == ["1", "1", "3"] == numbers.run([3, 1, 1]).to_json()["outputs"]
    count = sc.compile("srasp", "hist(i) = selector_width(select(tokens, tokens, ==))", alphabet={"b", "a"})
    assert count.alphabet == ("a", "b") and count.run("aba").outputs == [2, 1, 2]
    assert count.run("aba").to_json()["outputs"] == ["2", "1", "2"]
    share = sc.compile("srasp", "out(i) = aggregate(true, indices, 0)", alphabet="ab").run("ab").outputs
    assert share == [Fraction(1, 2)] * 2 and isinstance(share[0], Fraction)
    for wrong in (97, [None], [True, False], {"a": 1}, [1.5, []]):
        with pytest.raises(BadInput):
            sc.compile("ltl", "prev Q_a", alphabet=wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("norms", [False, True])
def test_contributions_are_those_of_numpy_and_add_up_to_the_logit(norms: bool) -> None:
    """Token, position, each head, each unit, the bias; a final norm at the factor of the run."""
    run, wanted = model(norms).run("ab", "ball" if norms else "exact"), expected("ab", norms)
    rows = np.array([[1, 0], [0, 1], [1, 1]])
    view = normed(wanted["hook_resid_mid"], norms)[:, [1, 4]]
    hidden = np.maximum(view @ np.array([[1, -1], [2, 1]]).T + [0, 0.5], 0)
    written = {"embedding": wanted["hook_embed"], "positions": wanted["hook_resid_pre"] - wanted["hook_embed"]}
    written |= {f"L1.head{h + 1}": wanted["attn.hook_z"][:, h] for h in (0, 1)}
    units = {f"L1.ff.unit{k + 1}": hidden[:, [k]] * [weight, 0, 0, 0, 0] for k, weight in enumerate((1, -2))}
    written |= units | {"L1.ff.b2": np.tile([0.25, 0, 0, 0, 0], (4, 1))}
    end = wanted["hook_resid_post"]
    factor = 1 / np.sqrt(end.var(axis=1) + 0.1) if norms else np.ones(4)
    for place, label in ((1, "p"), (2, "q"), (4, "r")):
        found, row = run.attribution(label, position=place - 1), rows["pqr".index(label)]
        assert found.label == label and found.position == place - 1  # BOS is 0
        shares = {}
        for name, values in written.items():
            z = values[place - 1]
            z = (z - z.mean()) * factor[place - 1] * [1, 2, 1, 1, 3] if norms else z
            shares[name] = z[[0, 4]] @ row
        if norms:
            shares["final norm bias"] = np.array([0, 1]) @ row
            assert abs(found.factor - factor[place - 1]) < 1e-12 and "at the factor of this run" in found.text()
        assert list(found.parts) == list(shares)
        np.testing.assert_allclose([float(one) for one in found.parts.values()], list(shares.values()), atol=1e-12)
        np.testing.assert_allclose(float(found.logit), wanted["logits"][place - 1, "pqr".index(label)], atol=1e-12)
        np.testing.assert_allclose(sum(shares.values()), float(found.logit), atol=1e-12)
    answered = run.attribution()
    assert answered.label == (run.outputs or [])[-1] and answered.position == 3


def test_exact_contributions() -> None:
    found = sc.build("first").run("10").attribution()
    assert sum(found.parts.values()) == found.logit == found.parts["L2.head1"] and found.logit.has(sympy.E)
    assert found.position == 0 and found.to_json()["parts"][-1]["part"] == "L2.head1"


def test_irrational_weights_of_an_output_layer() -> None:
    signs = model(norms=False, kind="sign")
    irrational = signs.with_weights({"readout": [["sqrt(2)", -1]]})
    balls, floats = (irrational.run("ab", domain).attribution() for domain in ("ball", "float64"))
    np.testing.assert_allclose(list(balls.parts.values()), list(floats.parts.values()), atol=1e-12)
    assert sum(balls.parts.values()) == pytest.approx(irrational.run("ab", "ball").logits[-1])
    rational = sc.Readout("sign", "last", ("x",), [["sqrt(2)"]])
    plain = sc.Transformer("root", sc.Embedding(sc.Space(("x",)), {"a": {"x": 1}}), (), rational)
    assert plain.run("a").attribution().parts == {"embedding": sympy.sqrt(2)}


def test_contributions_that_are_not_sums_are_refused() -> None:
    post = sc.build("parity-layernorm")
    plain, signs = model(norms=False).run("ab"), model(norms=False, kind="sign").run("ab")
    for ask, text in (
        (lambda: post.run("01", "ball").attribution(), "without norms after blocks"),
        (lambda: plain.attribution("z"), "known: p, q, r"),
        (lambda: plain.attribution(position=5), "one of the 4 positions of the input, counted from 0; given: 5"),
        (lambda: signs.attribution("p"), "the model has no labels"),
        (lambda: sc.build("dyck-1").run("()").attribution(), "must have logits"),
    ):
        with pytest.raises(BadInput) as error:
            ask()
        assert text in str(error.value)
