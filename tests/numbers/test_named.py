"""Substitution in public expressions: by name, by a fresh symbol, by sympy.abc; and the signs of declared intervals."""

from __future__ import annotations

import copy
import pickle

import pytest
import sympy
import sympy.abc

import symcook as sc
from symcook import Parameter
from symcook.errors import BadInput
from symcook.model.symbols import exact, symbol

OLD = ["c", sympy.Symbol("c"), sympy.abc.c, sympy.Symbol("c", real=True), sympy.Symbol("c", negative=True)]


def soft() -> sc.Transformer:
    """A model with a weight 3*c, a temperature with n, and a position function."""
    return sc.build("first")


@pytest.mark.parametrize("old", OLD, ids=repr)
def test_a_parameter_is_substituted_whatever_names_it(old: object) -> None:
    (head,) = [h for layer in soft().layers if layer.attention for h in layer.attention.heads if h.Q.free_symbols]
    for expression in (head.Q, sum(head.Q), soft().derive("110").expressions["logit"]):
        assert expression.free_symbols and not expression.subs(old, 2).free_symbols
        assert expression.subs(old, 2) == expression.subs({old: 2}) == expression.subs([(old, 2)])
    assert head.Q.xreplace({sympy.sympify(old): sympy.Integer(2)}) == head.Q.subs("c", 2)


def test_a_declared_interval_is_an_assumption_of_sympy() -> None:
    signs = {
        (0, True): "positive", (0, False): "nonnegative", (1, False): "positive", (-1, True): "",
    }  # fmt: skip
    for (lower, is_open), sign in signs.items():
        assert Parameter("eps", lower=lower, lower_open=is_open).sign == sign
    assert Parameter("eps", upper=0).sign == "nonpositive" and Parameter("eps", upper=-1).sign == "negative"
    eps = sc.build("gtzero").symbols["eps"]
    assert eps.is_positive and sympy.sqrt(eps**2) == eps and abs(eps) == eps
    (entry, _) = sc.build("gtzero").layers[0].feedforward.W2
    assert entry == 1 / eps and sympy.sqrt(entry**2) == entry and sympy.limit(entry, eps, 0) == sympy.oo


def test_bound_when_it_is_built_or_afterwards() -> None:
    model = sc.build("gtzero")
    assert sc.build("gtzero", eps="1/4") == model.bind(eps="1/4") == model.bind({"eps": "1/4"})
    assert sympy.Matrix([[1, -1]]) == sc.build("gtzero", eps=1).layers[0].feedforward.W2
    for wrong in (-1, 0, "x"):
        with pytest.raises(BadInput, match="eps"):
            sc.build("gtzero", eps=wrong)
    with pytest.raises(BadInput, match="esp"):
        sc.build("gtzero", esp=1)


def test_the_variable_of_a_sum_is_not_substituted() -> None:
    total = exact("sum(j, 1, n, c*j)")
    for old in ("j", sympy.Symbol("j"), sympy.Symbol("j", integer=True), symbol("j")):
        assert total.subs(old, 5) == total and total.xreplace({sympy.sympify(old): sympy.Integer(5)}) == total
    assert total.subs({"c": 2, "n": 3}) == 12
    dummy = sympy.Dummy("c")
    assert exact("c + 1").subs(dummy, 5) == exact("c + 1")


def test_two_names_are_exchanged_at_once() -> None:
    assert exact("c - d").subs({"c": symbol("d"), "d": symbol("c")}, simultaneous=True) == exact("d - c")


def test_a_symbol_is_copied_and_pickled() -> None:
    for expression in (symbol("c"), exact("1/c"), exact("sum(j, 1, n, c*j)")):
        again = pickle.loads(pickle.dumps(expression))
        assert again == expression == copy.deepcopy(expression) and again.subs("c", 1) == expression.subs("c", 1)


def test_a_model_taken_into_another_has_the_signs_of_the_new_declaration() -> None:
    model = sc.build("gtzero")
    wider = sc.Transformer("wider", model.embedding, model.layers, model.readout, (Parameter("eps", default=1),))
    assert wider.symbols["eps"].is_positive is None
    assert wider.layers[0].feedforward.W2.free_symbols == {wider.symbols["eps"]}


def test_what_a_user_made_before_is_not_put_in_its_place() -> None:
    """sympy keeps what it has computed, and finds it again by equality."""
    own = sympy.Symbol("eps", positive=True)
    for made in (-1 / own, sympy.exp(2 / own), sympy.sqrt(3 * own + 1)):
        ours = sympy.sympify(made).xreplace({own: sc.build("gtzero").symbols["eps"]})
        assert not ours.subs("eps", 2).free_symbols and ours != made


def test_every_part_of_a_model_has_the_signs() -> None:
    model = sc.build("first")
    assert model.sublayers[0].parts[0] in model.layers[0].parts()
    for value, _, _ in model.expressions():
        assert value.free_symbols <= set(model.symbols.values())
