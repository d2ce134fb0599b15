"""The run relation says of every stored model what `forward` computes in the exact domain, and nothing more."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from symcook.blocks import fraction
from symcook.errors import BadInput
from symcook.expr import parse_formula
from symcook.forward import forward, make_domain, prepare
from symcook.modelfile import dumps, to_document
from symcook.proof.replay import proofs_directory
from symcook.proof.runrel import Relation, expand, stored_model
from symcook.recipes import build, names

VALUES = {"eps": Fraction(1, 5000), "delta": Fraction(2, 3), "c": Fraction(-3, 2)}
NUMBERS = (Fraction(-2), Fraction(-1, 3), Fraction(0), Fraction(1, 4), Fraction(1))


def truth(tree: Any, env: Mapping[str, Any]) -> bool:
    """A small evaluator of its own: formulas over finite ranges, functions given as dictionaries."""
    tag = tree[0]
    if tag == "&":
        return truth(tree[1], env) and truth(tree[2], env)
    if tag == "|":
        return truth(tree[1], env) or truth(tree[2], env)
    if tag in ("=", "<=", "<"):
        a, b = value(tree[1], env), value(tree[2], env)
        return a == b if tag == "=" else a <= b if tag == "<=" else a < b
    if tag == "all in":
        low, high = value(tree[2], env), value(tree[3], env)
        return all(truth(tree[4], {**env, tree[1]: Fraction(i)}) for i in range(int(low), int(high) + 1))
    if tag == "true":
        return True
    raise AssertionError(tag)


def value(tree: Any, env: Mapping[str, Any]) -> Fraction:
    tag = tree[0]
    if tag == "num":
        return Fraction(tree[1], tree[2])
    if tag == "name":
        return env[tree[1]]
    if tag == "neg":
        return -value(tree[1], env)
    if tag in ("+", "-", "*", "/", "^"):
        a, b = value(tree[1], env), value(tree[2], env)
        return {"+": a + b, "-": a - b, "*": a * b}[tag] if tag in "+-*" else a / b if tag == "/" else a ** int(b)
    if tag == "ind":
        return Fraction(truth(tree[1], env))
    if tag == "sum":
        low, high = value(tree[2], env), value(tree[3], env)
        terms = (value(tree[4], {**env, tree[1]: Fraction(j)}) for j in range(int(low), int(high) + 1))
        return sum(terms, Fraction(0))
    if tag == "call" and tree[1] == "relu":
        return max(Fraction(0), value(tree[2][0], env))
    if tag == "call" and tree[1] == "pow":
        return value(tree[2][0], env) ** int(value(tree[2][1], env))
    if tag == "call":
        return env[tree[1]][int(value(tree[2][0], env))]
    raise AssertionError(tag)


def inputs(model: Any) -> list[Any]:
    """All words to length 5, or rows over a few numbers (queries of the lookup are positions)."""
    if model.alphabet:
        return [w for n in range(1, 6) for w in itertools.product(model.alphabet, repeat=n)]
    rows = []
    for n in (1,) if model.pointwise else (1, 2, 3):
        numbers = [Fraction(q) for q in range(1, n + 1)] if "query" in model.embedding.inputs else NUMBERS
        others = NUMBERS if model.pointwise else NUMBERS[::3]
        choices = [numbers if name == "query" else others for name in model.embedding.inputs]
        for flat in itertools.product(itertools.product(*choices), repeat=n):
            rows.append([dict(zip(model.embedding.inputs, row, strict=True)) for row in flat])
    return rows[:400]


def environment(model: Any, relation: Relation, given: Any) -> tuple[dict[str, Any], list[str], bool | None]:
    """What forward computes, as values of the names in the relation; the names that can be changed; the verdict."""
    sequence, _ = prepare(model, given)
    domain = make_domain("exact")
    result = forward(model, sequence, domain, trace=True)  # also coordinates that nothing reads have equations
    n = domain.length
    env: dict[str, Any] = {name: VALUES[name] for name in VALUES} | {"n": Fraction(n)}
    if model.alphabet:
        env["w"] = {i: Fraction(model.alphabet.index(t)) for i, t in enumerate(sequence, 1)}
    columns = {relation.held[name]: result.stream[name] for name in model.space if name in relation.held}
    for name in model.embedding.inputs or ():
        columns.setdefault(name, [fraction(row[name]) for row in sequence])
    for name, column in columns.items():
        cells = {i: Fraction(domain.read(column, i - 1)) for i in range(1, n + 1)}
        env[name] = cells[1] if relation.pointwise else cells
    written = [name for name in columns if name not in (model.embedding.inputs or ())]
    return env, written, result.accept


@pytest.mark.parametrize("name", names())
def test_the_relation_holds_of_forward_and_of_nothing_near_it(name: str) -> None:
    whole = build(name)
    relation = Relation(to_document(whole))
    run = parse_formula(relation.run())
    model = whole.bind({p.name: VALUES[p.name] / (10**6 if p.upper is not None else 1) for p in whole.parameters})
    compared = 0
    for given in inputs(model):
        env, written, accept = environment(model, relation, given)
        env |= {p.name: VALUES[p.name] / (10**6 if p.upper is not None else 1) for p in whole.parameters}
        assert truth(run, env), (name, given)
        if model.decides:
            assert truth(parse_formula(relation.accept()), env) == accept
        for changed in written:
            near = dict(env)
            if relation.pointwise:
                near[changed] = env[changed] + Fraction(1, 97)
            else:
                near[changed] = env[changed] | {1: env[changed][1] + Fraction(1, 97)}
            assert not truth(run, near), (name, given, changed)
        compared += 1
    assert compared >= 5


@pytest.mark.parametrize("name", names())
def test_stored_models_equal_their_recipes(name: str) -> None:
    assert (proofs_directory() / "models" / f"{name}.json").read_text(encoding="ascii") == dumps(build(name))


def test_a_softmax_head_and_a_second_write_have_equations() -> None:
    document = json.loads(json.dumps(to_document(build("dyck-1"))))
    head = document["layers"][0]["attention"][0]
    head["Q"], head["K"], head["weighting"], head["temperature"] = [["1"]], [["2"]], "softmax", "1/(n + 1)"
    document["layers"][0]["feedforward"]["writes"] = ["balance"]
    text = Relation(document).run()
    assert "exp((1)/(1/(n + 1))*((token(i))*(2*token(j))))" in text
    assert "z1_balance(i) = balance(i) + relu(-balance(i))" in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("run(no-such-model)", "stored model"),
        ("run(../../etc)", "run(../../etc)"),
        ("accept(gtzero)", "one decision"),
        ("word(gtzero)", "alphabet"),
    ],
)
def test_bad_names_are_refused_or_left_alone(text: str, said: str) -> None:
    if said == text:
        assert expand(text) == text
    else:
        with pytest.raises(BadInput, match=said):
            expand(text)


NORM = {"reads": [], "writes": [], "gain": [], "bias": [], "epsilon": "0", "projection": None, "zero_variance": "zero"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda d: d["layers"][0]["attention"][0].update(mask="past"), "masks"),
        (lambda d: d["layers"][0]["attention"][0].update(mask="strict-future"), "masks"),
        (lambda d: d["layers"][0]["attention"][0].update(weighting="leftmost"), "weightings"),
        (lambda d: d["layers"][0]["attention"][0].update(weighting="rightmost"), "weightings"),
        (lambda d: d["layers"][0]["attention"].append(d["layers"][0]["attention"][0]), "one head"),
        (lambda d: d["layers"][0]["feedforward"].update(activation="step"), "relu"),
        (lambda d: d["layers"][0].update(placement="post", attention_norms=[NORM]), "layer norm"),
        (lambda d: d.update(final_norm=NORM), "layer norm"),
        (lambda d: d["embedding"].update(before="("), "adds"),
        (lambda d: d["embedding"].update(after=")"), "adds"),
    ],
)
def test_a_block_without_equations_is_refused(change: Any, said: str) -> None:
    document = json.loads(json.dumps(dict(stored_model("dyck-1"))))
    change(document)
    with pytest.raises(BadInput, match=said):
        Relation(document)


@pytest.mark.parametrize("kind", ["largest", "distribution", "value"])
def test_only_a_decision_can_be_accepted(kind: str) -> None:
    document = json.loads(json.dumps(dict(stored_model("dyck-1"))))
    document["readout"]["kind"] = kind
    with pytest.raises(BadInput, match="one decision"):
        Relation(document).accept()
