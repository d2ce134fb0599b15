"""A maximum or step of a parameter in a form is written as the grammar reads it."""

from __future__ import annotations

import pytest

import symcook as sc
from symcook.model.expr import parse_formula, parse_term


@pytest.mark.parametrize("weight", ["relu(c)", "abs(c)", "max(c, 1)", "sqrt(c^2)"])
def test_each_line_of_the_form_is_in_the_grammar(weight: str) -> None:
    """The weight depends on a parameter of either sign."""
    head = sc.Head(("vote",), ("mean",), [[0]], [[0]], [[weight]])
    embedding = sc.Embedding(sc.Space(("vote", "mean")), words={"a": {"vote": 1}, "b": {"vote": -1}})
    readout = sc.Readout("sign", "last", ("mean",), weights=[[1]])
    model = sc.Transformer("m", embedding, (sc.Layer(head),), readout, (sc.Parameter("c", default=1),))
    for form in model.derive().forms:
        for text in form.output.values():
            parse_term(text)
        for text in (*form.conditions, *([form.accepts] if form.accepts else [])):
            parse_formula(text)
        assert "max(c)" not in form.text() and "step(" not in form.text()
