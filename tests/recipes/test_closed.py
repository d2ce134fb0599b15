"""Closed forms for every length against exact runs of the networks on all words to length 12."""

import itertools
from fractions import Fraction
from typing import Any

import mpmath
import pytest
from shared import document, refused

from symcook.claims import claim
from symcook.errors import BadInput
from symcook.proof import replay
from symcook.recipes import build
from symcook.recipes.closed import ClosedForm, closed_forms

CONTEXT = mpmath.mp.clone()
CONTEXT.dps = 40
SETTINGS = [
    ("parity", "no"),
    ("parity", "yes"),
    ("first", "no"),
    ("first", "yes"),
    ("first-flawed", "no"),
    ("first-flawed", "yes"),
]
NORMED = [("parity-layernorm", "no"), ("first-layernorm", "no"), ("first-layernorm", "yes")]


def case(forms: tuple[ClosedForm, ...], word: str) -> ClosedForm | None:
    """The one whose conditions the word meets; they exclude each other."""
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
    met = [form for form in forms if all(holds[condition] for condition in form.conditions)]
    assert len(met) <= 1
    return met[0] if met else None


def number(form: ClosedForm, word: str, c: Fraction) -> Any:
    values = {"n": len(word) + 1, "k": word.count("1"), "v": int(word[:1] == "1"), "c": c}
    logit = form.expressions["logit"]
    return logit.subs({s: values[str(s)] for s in logit.free_symbols}).evalf(40)


def words(length: int) -> list[str]:
    """All words to length 5; from there on those that the forms tell apart, each count of ones at both ends."""
    if length <= 5:
        return ["".join(w) for w in itertools.product("01", repeat=length)]
    ends = ["1" * k + "0" * (length - k) for k in range(length + 1)]
    return sorted({*ends, *(w[::-1] for w in ends)})


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "scaled"), SETTINGS)
@pytest.mark.parametrize("c", [Fraction(1), Fraction(3, 2)])
def test_the_forms_are_what_the_network_computes(name: str, scaled: str, c: Fraction) -> None:
    model, forms = build(name, scaled=scaled).bind({"c": c}), closed_forms(name, {"scaled": scaled})
    for word in (w for length in range(13) for w in words(length)):
        form = case(forms, word)
        if form is None:
            assert not word
            continue
        run = model.run(word, "ball", digits=30)
        found = CONTEXT.mpf(str(run.output["logit"]["mid"]))
        assert abs(found - CONTEXT.mpf(str(number(form, word, c)))) < CONTEXT.mpf(10) ** -28, word
        if form.accept is not None:
            assert run.accept is form.accept


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "scaled"), NORMED)
def test_the_forms_with_norms_on_three_words(name: str, scaled: str) -> None:
    forms_with_norms(name, scaled, Fraction(1), Fraction(1, 2), ["1", "01", "110"])


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("name", "scaled"), NORMED)
@pytest.mark.parametrize(
    ("c", "epsilon"), [(Fraction(1), Fraction(1, 100000)), (Fraction(3), Fraction(0)), (Fraction(1), Fraction(1))]
)
def test_the_forms_with_norms(name: str, scaled: str, c: Fraction, epsilon: Fraction) -> None:
    short = [w for length in range(1, 4) for w in words(length)]
    forms_with_norms(name, scaled, c, epsilon, [*short, "10" * 20, "0" * 39 + "1"])


def forms_with_norms(name: str, scaled: str, c: Fraction, epsilon: Fraction, given: list[str]) -> None:
    model = build(name, scaled=scaled).bind({"c": c, "epsilon": epsilon})
    forms = closed_forms(name, {"scaled": scaled})
    for word in given:
        form = case(forms, word)
        assert form is not None
        run = model.run(word, "ball", digits=30)
        found = CONTEXT.mpf(str(run.output["logit"]["mid"]))
        values: dict[str, Any] = {"n": len(word) + 1, "k": word.count("1"), "c": c, "epsilon": epsilon}
        for part, expression in form.expressions.items():
            values[part] = expression.subs({s: values[str(s)] for s in expression.free_symbols}).evalf(40)
        expected = values["logit"]
        assert abs(found - CONTEXT.mpf(str(expected))) < CONTEXT.mpf(10) ** -28, word
        assert run.accept is form.accept


def test_each_form_names_a_proof_that_stands() -> None:
    statements = replay.statements()
    for name, scaled in SETTINGS + NORMED:
        for form in closed_forms(name, {"scaled": scaled}):
            assert form.proof in statements
            if form.proof.startswith("chiang2022"):
                assert claim(form.proof.removesuffix(".corrected")).paper == "chiang2022"


def test_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    found = document(capsys, "derive", "parity", "--set", "c=2")
    assert [one["accept"] for one in found] == [False, True, False, True]
    assert found[1] == {
        "recipe": "parity",
        "length": "every",
        "symbols": ["n", "k"],
        "assumptions": [],
        "conditions": ["mod(n, 2) = 0", "mod(k, 2) = 1"],
        "output": {"logit": "2*tanh(2)/n^2"},
        "accept": True,
        "proof": "chiang2022.s3.2.s_even",
    }


@pytest.mark.parametrize("asked", [["parity-layernorm", "--set", "scaled=yes"], ["first", "--latex"], ["dyck-1"]])
def test_what_has_no_form_is_refused(asked: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, "derive", *asked)


def test_a_setting_that_is_not_allowed() -> None:
    with pytest.raises(BadInput, match="closed form for every length"):
        closed_forms("first", {"scaled": "yes", "eta": "1/10"})
