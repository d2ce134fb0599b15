"""Closed forms for every length: found from the weights, against exact runs, against what is proved of the papers'
constructions, and through the command line with their certificates."""

import itertools
import json
import os
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from at_words import MP, AtWord, alike
from checkout import ROOT
from shared import call, document, refused
from stored_forms import FORMS, Form

import symcook as sc
from symcook.claims import claim
from symcook.closed import EveryLength, every_length
from symcook.errors import BadInput
from symcook.model.expr import parse_formula
from symcook.model.rationals import truth
from symcook.model.symbols import exact
from symcook.proof import replay
from symcook.proof.statements import certify
from symcook.recipes import build

PLAIN = [key for key in FORMS if "layernorm" not in key[0]]
NORMED = [key for key in FORMS if "layernorm" in key[0]]


def stored(key: tuple[str, str], word: str) -> Form | None:
    """The stored case whose conditions the word meets; they exclude each other."""
    n, k, v = len(word) + 1, word.count("1"), int(word[:1] == "1")
    holds = {
        "mod(n, 2) = 0": n % 2 == 0,
        "mod(n, 2) = 1": n % 2 == 1,
        "mod(k, 2) = 0": k % 2 == 0,
        "mod(k, 2) = 1": k % 2 == 1,
        "2 <= n": n >= 2,
        "n = 1": n == 1,
        "v = 1": v == 1,
        "v = 0": v == 0,
    }
    met = [form for form in FORMS[key][2] if all(holds[condition] for condition in form.conditions)]
    assert len(met) <= 1
    return met[0] if met else None


def number(form: Form, word: str, given: dict[str, Fraction]) -> Any:
    values: dict[str, Any] = {"n": len(word) + 1, "k": word.count("1"), "v": int(word[:1] == "1"), **given}
    for name, text in (*form.parts, ("logit", form.logit)):
        expression = exact(text)
        values[name] = expression.subs({s: values[str(s)] for s in expression.free_symbols}).evalf(40)
    return MP.mpf(str(values["logit"]))


def found_at(found: EveryLength, word: str, values: dict[str, Fraction]) -> tuple[Any, bool | None]:
    """The logit and the verdict that the forms say of a word."""
    here = AtWord(found.model, found.domain.world, tuple(word), values)
    held = [(cell, form) for cell, form in zip(found.cells, found.forms, strict=True) if here.holds(cell[0], {})]
    (((_, outputs), form),) = held
    return here.value(outputs["logit"], {}), form.accept


def words(length: int) -> list[str]:
    """All words to length 5; from there on those that the forms tell apart, each count of ones at both ends."""
    if length <= 5:
        return ["".join(w) for w in itertools.product("01", repeat=length)]
    ends = ["1" * k + "0" * (length - k) for k in range(length + 1)]
    return sorted({*ends, *(w[::-1] for w in ends)})


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("key", PLAIN)
def test_the_forms_are_those_that_are_proved_of_the_weights(key: tuple[str, str]) -> None:
    name, scaled = key
    found, c = every_length(build(name, scaled=scaled)), Fraction(3, 2)
    for word in (w for length in range(10) for w in words(length)):
        form = stored(key, word)
        value, accept = found_at(found, word, {"c": c})
        if form is not None:
            assert alike(value, number(form, word, {"c": c})), word
            if form.accept is not None and accept is not None:
                assert accept is form.accept


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("key", NORMED)
def test_the_forms_with_norms(key: tuple[str, str]) -> None:
    name, scaled = key
    found, given = every_length(build(name, scaled=scaled)), {"c": Fraction(1), "epsilon": Fraction(1, 2)}
    for word in ["", "0", "1", "01", "10", "110", "0110", "10101"]:
        form = stored(key, word)
        value, accept = found_at(found, word, given)
        if form is not None:
            assert alike(value, number(form, word, given)), word
            assert accept in (None, form.accept)


@pytest.mark.layer_one(8)
@pytest.mark.parametrize("key", PLAIN)
@pytest.mark.parametrize("c", [Fraction(1), Fraction(3, 2)])
def test_the_forms_are_what_the_network_computes(key: tuple[str, str], c: Fraction) -> None:
    name, scaled = key
    model = build(name, scaled=scaled)
    found, bound = every_length(model), model.bind({"c": c})
    for word in (w for length in range(13) for w in words(length)):
        run = bound.run(word, "ball", digits=30)
        value, accept = found_at(found, word, {"c": c})
        assert abs(MP.mpf(str(run.output["logit"]["mid"])) - _real(value)) < MP.mpf(10) ** -28, word
        assert accept in (None, run.accept)


def _real(value: Any) -> Any:
    return MP.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value


def test_each_stored_form_names_a_proof_that_stands() -> None:
    statements = replay.statements()
    for forms in FORMS.values():
        for form in forms[2]:
            assert form.proof in statements
            if form.proof.startswith("chiang2022"):
                assert claim(form.proof.removesuffix(".corrected")).paper == "chiang2022"


@pytest.mark.sweep
def test_parity_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "derive", "parity", "--set", "c=2", "--seconds", "120")
    assert [one["accept"] for one in found] == [False, True, False, True]
    one = found[1]
    assert one["conditions"] == ["mod(n, 2) = 0", 'mod(count("1"), 2) = 1']
    assert one["output"] == {"logit": "2*tanh(2)/n^2"}
    assert one["symbols"] == ["n", 'count("1")'] and one["length"] == "every" and one["assumptions"] == []
    ones = 'count("1")'
    assert one["way"]["hit"] == [
        {"conditions": [f"i < {ones}"], "value": "0"},
        {"conditions": [f"i = {ones}"], "value": "1/n"},
        {"conditions": [f"{ones} < i"], "value": "0"},
    ]


def majority(tmp_path: Any) -> str:
    builder = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    mean = builder.add(sc.head(value={"mean": "vote"}, mask="future"))
    builder.readout("sign", "last", mean, weights=[1])
    builder.build("majority").save(tmp_path / "majority.json")
    return str(tmp_path / "majority.json")


def test_a_majority_with_its_certificate(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """What was written is accepted by the second checker, which shares no code with the first."""
    target = tmp_path / "m.certificate.json"
    (found,) = document(capsys, "derive", majority(tmp_path), "-o", str(target))
    assert found["output"] == {"logit": "(2*count(a) - n)/n"}
    assert (found["accept"], found["accepts"], found["proved"]) == (None, "n < 2*count(a)", True)
    assert found["certificate"] == str(target) and found["missing"] == {}
    below = [
        ROOT / "proofs" / "certificates" / f"{name}.json" for name in certify.below(json.loads(target.read_text()))
    ]
    statement = target.with_suffix(".statement.txt")
    command = [sys.executable, ROOT / "proofs" / "checker.py", statement, target, *below]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and "PROVED" in done.stdout, done.stdout + done.stderr


@pytest.mark.sweep
def test_dyck_1_and_what_decides_it(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = call(capsys, "derive", "dyck-1")
    assert 'accept <-> (all j in 1..n. j <= 2*count("(", j)) & 2*count("(") = n' in out
    assert 'total(n) = sum(j, 1, n, I[2*count("(", j) < j]*((j - 2*count("(", j))/j))/n' in out
    assert "PROVED: balance, error, total, verdict" in out and "not proved:" not in out


def test_the_first_position_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "derive", "first-position", "--seconds", "20")
    assert [(one["conditions"], one["output"]["first"]) for one in found] == [(["2 <= i"], "0"), (["i = 1"], "1")]


@pytest.mark.layer_one(0, 2)
@pytest.mark.parametrize(
    "asked",
    [
        ["first", "--latex"],
        ["tie-break"],  # scores with quotients of the position
        ["dyck-1", "--input", "()", "-o", "x.json"],
    ],
)
def test_what_has_no_form_is_refused(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, "derive", *asked)


@pytest.mark.layer_one(2)
@pytest.mark.parametrize("N, eps", [(8, Fraction(1, 64)), (8, Fraction(1, 100)), (10, Fraction(1, 100))])
def test_a_tolerance_that_the_greatest_length_makes_small_enough(N: int, eps: Fraction) -> None:
    """The logit is 1 for well-nested words and else 0, for any eps to 1/N^2: a sum that is not 0 is at least 1/n."""
    found = every_length(build("dyck-1-nonuniform", N=N))
    assert [form.output["logit"] for form in found.forms] == ["0", "0", "1", "0"]
    assert all(f"n is at most {N}" in form.meaning for form in found.forms)
    for word in ("".join(w) for n in range(1, 9) for w in itertools.product("()", repeat=n)):
        nested = word.count("(") == word.count(")") and all(
            word[:j].count(")") <= word[:j].count("(") for j in range(len(word))
        )
        value, accept = found_at(found, word, {"eps": eps})
        assert (value, accept) == (int(nested), nested), word


def test_a_tolerance_that_is_too_large_is_not_in_reach() -> None:
    model = build("dyck-1-nonuniform", N=8)
    larger = replace(model, parameters=(sc.Parameter("eps", lower=0, upper=Fraction(1, 32)),))
    with pytest.raises(BadInput, match="the sign of"):
        every_length(larger)


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", ["dyck-k-d", "tie-break"])
def test_what_is_out_of_reach_says_which_coordinate_and_why(name: str) -> None:
    with pytest.raises(BadInput, match=r"must have a rule for each step.*:"):
        every_length(build(name))


@pytest.mark.layer_one(2, 4)
@pytest.mark.parametrize("norm", ["none", "pre"])
@pytest.mark.parametrize("seed", range(3))
def test_weights_as_they_are_trained_end_in_a_sentence(seed: int, norm: str) -> None:
    """Softmax over floats makes polynomials that are refused deep below, which is no defect of ours, or forms that are
    too long."""
    import numpy as np

    rng = np.random.default_rng(seed)
    state = {"embed.W_E": rng.normal(size=(3, 4)), "unembed.W_U": rng.normal(size=(4, 3))}
    state |= {f"blocks.0.attn.W_{x}": rng.normal(size=(2, 4, 2)) for x in "QKV"}
    state |= {"blocks.0.attn.W_O": rng.normal(size=(2, 2, 4)), "unembed.b_U": np.zeros(3)}
    state |= {f"blocks.0.attn.b_{x}": np.zeros((2, 2)) for x in "QKV"} | {"blocks.0.attn.b_O": np.zeros(4)}
    if norm == "none":
        sizes = {"W_in": (4, 8), "b_in": 8, "W_out": (8, 4), "b_out": 4}
        state |= {f"blocks.0.mlp.{x}": rng.normal(size=size) for x, size in sizes.items()}
    else:
        state |= {f"{norm}.{x}": rng.normal(size=4) for norm in ("blocks.0.ln1", "ln_final") for x in "wb"}
    model = sc.from_state_dict(state, vocabulary="abc", norm=norm, activation="relu", rotary="none")
    with pytest.raises(BadInput, match=r"must have a rule for each step.*:|must have at most 50,000 characters"):
        every_length(model)


def test_the_domain_is_quick() -> None:
    """Ten closed forms in 50 ms of processor time on an idle machine: the limit here leaves room for a busy one."""
    import time

    from symcook.domains.lengths import Lengths
    from symcook.forward import forward

    models = [build(name) for name in ("dyck-1", "count", "first", "first-flawed", "parity", "prefix-average")[:5]]
    for model in models:
        forward(model, ("",), Lengths(model))
    began = time.process_time()
    for model in models:
        forward(model, ("",), Lengths(model))
    assert time.process_time() - began < 2


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("m", [2, 3, 5, 7, 11])  # from 5 on the sines and cosines are roots, or have no closed form
def test_modulo_answers_with_the_remainder(m: int) -> None:
    found = every_length(build("modulo", m=m))
    wanted = [((f"mod(count(a), {m}) = {r}",), str(r)) for r in range(m)]
    assert [(form.conditions, form.label) for form in found.forms] == wanted


@pytest.mark.sweep
def test_forms_do_not_depend_on_the_order_of_sets() -> None:
    """The text for each recipe with a form is the same whatever Python hashes strings to."""
    names = ["parity", "first", "first-flawed", "dyck-1", "count", "first-position", "modulo", "last-position"]
    say = (
        "from symcook.closed import every_length\nfrom symcook.recipes import build\n"
        f"for name in {names}:\n    found = every_length(build(name))\n"
        "    print(*(form.text() for form in found.forms), found.way(), sep='\\n')"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", say],
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": s},
        ).stdout
        for s in "01"
    ]
    assert len(said[0]) > 2000
    assert said[0] == said[1]


def mean_of_two(first: int, second: int) -> sc.Transformer:
    """The mean of a constant and of a number at the first position: first + second/n, accepted where it is positive."""
    b = sc.Builder(words={"a": {}, "b": {}}, positions={"one": "1", "start": "I[i = 1]"})
    mean = b.add(sc.head(value={"mean": f"{first}*one + {second}*start"}))
    b.readout("sign", "last", mean, weights=[1])
    return b.build("mean")


@pytest.mark.parametrize("first, second", [(5, -7), (-5, 7), (3, -3), (2, -5), (-2, 5), (7, -1)])
def test_a_sign_is_told_at_small_lengths_too(first: int, second: int) -> None:
    """5 n - 7 is negative at n = 1 alone: the least negative value of a form is not that of the positive ones."""
    model = mean_of_two(first, second)
    document = [form.to_json() for form in every_length(model).forms]
    for n in range(1, 9):
        wanted = first * n + second > 0
        held = [form for form in document if all(eval_condition(one, n) for one in form["conditions"])]
        assert len(held) == 1, (n, document)
        if held[0]["accepts"] is None:
            assert held[0]["accept"] is wanted, (n, document)
        else:
            assert eval_condition(held[0]["accepts"], n) is wanted, (n, document)


def eval_condition(formula: str, n: int) -> bool:
    return truth(parse_formula(formula), {"n": Fraction(n)})


@pytest.mark.layer_one(0, 13)
@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("position", ["first", "last"])
@pytest.mark.parametrize("before, after", [("^", None), (None, "$"), ("^", "$"), (None, None)])
def test_the_letter_at_an_end_where_the_word_may_be_empty(
    before: str | None, after: str | None, position: str, start: int
) -> None:
    """The token that a model adds is what its readout sees of the empty string: each word meets one case, and its value
    and verdict are those of the run."""
    words = {"a": {"t": 0}, "b": {"t": -1}, **{one: {"t": 2} for one in (before, after) if one}}
    for mask in ("none", "future", "past"):
        b = sc.Builder(words=words, before=before, after=after, start=start)
        mean = b.add(sc.head(value={"mean": "t"}, mask=mask))
        b.readout("sign", position, ["t", *mean], weights=[1, 3])
        model = b.build("ends")
        found = every_length(model)
        for word in (
            "".join(w) for n in range(int(not model.embedding.added), 6) for w in itertools.product("ab", repeat=n)
        ):
            value, accept = found_at(found, word, {})
            run = model.run(word, "exact")
            assert value == Fraction(str(run.output["logit"])), (mask, word)
            assert accept in (None, run.accept), (mask, word)
