"""Names that a user expects, and that an answer does not have: the message says what to write."""

from __future__ import annotations

import copy
from collections.abc import Callable
from functools import cache
from typing import Any

import mpmath
import numpy
import pytest
import sympy

import symcook as sc
from symcook.errors import BadInput


@cache
def first() -> Any:
    return sc.build("first")


@cache
def forms() -> Any:
    return first().derive()


@cache
def run() -> Any:
    return first().run("10")


@cache
def bound() -> Any:
    return sc.bound("softmax-hardmax", n=64, gamma=5, digits=5)


@cache
def weights() -> Any:
    return sc.build("gtzero").arrays(values={"eps": "1/4"})


@pytest.mark.parametrize(
    ("ask", "do"),
    [
        (lambda: first().subs({"c": 1}), r"write model\.bind\(c=\.\.\)"),
        (lambda: first().free_symbols, r"write model\.symbols"),
        (lambda: first().c, r'write model\.symbols\["c"\]'),
        (lambda: forms().logit, r'write form\.expressions\["logit"\]'),
        (lambda: forms().forms[1].expr, r'write form\.expressions\["logit"\]'),
        (lambda: forms().forms[1].limit, r'write form\.expressions\["logit"\]\.limit\(\.\.\)'),
        (lambda: first().derive("10").evalf, r'write form\.expressions\["s"\]\.evalf\(\.\.\)'),
        (lambda: run().logit, r"write run\.logits"),
        (lambda: run().hit, r'write run\.array\("hit"\)'),
        (lambda: first().run_many(["10"]).accept, r"write \[run\.accept for run in runs\]"),
        (lambda: weights().guaranteed, r'write arrays\.document\["guaranteed"\]'),
        (lambda: bound().value.lower, r"write Fraction\(ball\.mid\) - Fraction\(ball\.rad\)"),
        (lambda: bound().value - bound().claimed, r"compute with \.interval\(\)"),
        (lambda: 1 / bound().value, r"compute with \.interval\(\)"),
        (lambda: sc.bounds("softmax-hardmax"), r"write bound\(\.\.\)"),  # type: ignore[attr-defined, operator]
    ],
)
def test_a_name_of_elsewhere_has_advice(ask: Callable[[], Any], do: str) -> None:
    with pytest.raises((AttributeError, BadInput), match=do):
        ask()


def test_an_entry_of_the_certificate_is_no_array() -> None:
    with pytest.raises(KeyError, match=r"guaranteed.*document"):
        weights()["guaranteed"]
    assert "guaranteed" not in weights() and weights().get("guaranteed") is None


def test_advice_changes_nothing_else() -> None:
    """Copies, `hasattr`, `dir` and other names are as before."""
    model = first()
    assert copy.copy(model) == model and not hasattr(model, "free_symbols")
    assert not any(name in dir(model) for name in ("advice", "free_symbols", "c"))
    with pytest.raises(AttributeError, match=r"no attribute 'nothing_like_it'$"):
        _ = run().nothing_like_it
    with pytest.raises(TypeError):  # a conversion that drops the radius has its own name, Ball.mpf
        mpmath.mpf(bound().value)


@pytest.mark.parametrize(
    ("w", "n", "must"),
    [
        ([1, 0, 1], 3, "w must begin with CLS"),
        ([1, 0, 1], 4, "w must begin with CLS"),
        ([2, 1, 0], 4, "for each of the n positions, special tokens included; given: 3 numbers, and n = 4"),
        ("101", 3, "given: 4 numbers, and n = 3"),
        ([2, 2, 1], 3, "no such token elsewhere"),
        ([7, 7, 7], 3, r"a string, or the numbers of its tokens: 0 \(0\), 1 \(1\), 2 \(CLS\)"),
        ([0.5, 1], 2, "numbers of its tokens"),
        (3, 3, "numbers of its tokens"),
    ],
)
def test_an_array_that_is_no_string_is_refused(w: Any, n: int, must: str) -> None:
    with pytest.raises(BadInput, match=must):
        forms().lambdify("w", "n", "c")(w, n, 1.0)


def test_a_string_is_an_array_of_tokens() -> None:
    """e/(2 (n + e - 1)) for the string 101 and CLS."""
    function, e = forms().lambdify("w", "n", "c"), 2.718281828459045
    for w in ("101", [2, 1, 0, 1]):
        assert abs(function(w, 4, 1.0)["logit"].item() - e / (2 * (3 + e))) < 1e-12


@cache
def votes(labels: bool = False) -> Any:
    """The mean vote, as a sign or as one of two labels."""
    builder = sc.Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    mean = builder.add(sc.head(value={"mean": "vote"}))
    if labels:
        builder.readout("largest", "last", mean, weights=[[1], [0]], labels=["p", "q"])
    else:
        builder.readout("sign", "last", mean, weights=[1])
    return builder.build("votes")


@pytest.mark.parametrize(
    ("labels", "statement", "do"),
    [
        (False, "cuont(a) > 0 -> accept", r"'cuont' is unknown here; did you mean count\?"),
        (False, "lenght = n", "'lenght' is unknown here; write n for length"),
        (False, "reject -> count(a) > 0", "write ~accept for reject"),
        (False, "vtoe(1) = 1", r"'vtoe' is unknown here; did you mean vote\?"),
        (False, "a = 1", r"'a' is unknown here; a is a token: write at\(a, i\)"),
        (False, "answer(a)", "given: sign; write accept"),
        (True, "accept", r"given: largest; write answer\(p\)"),
    ],
)
def test_a_statement_with_another_word_has_advice(labels: bool, statement: str, do: str) -> None:
    with pytest.raises(BadInput, match=do):
        votes(labels).prove(statement)


@pytest.mark.parametrize(
    ("ask", "do"),
    [
        (lambda: run().attention(0, 0), "given: layer 0, head 0; known: layer 2, head 1"),
        (lambda: run()["blocks.1.hook_resid_pots"], r"did you mean blocks\.1\.hook_resid_post\?"),
        (lambda: run()["hook_embd"], r"did you mean hook_embed\?"),
        (lambda: forms().lambdify(["n", "c"]), r"given: 'n', 'c' in it; give each name for itself, as in lambdify"),
        (lambda: first().run("10", values={sympy.Symbol("c"): 3}), r'of the type Symbol; write names as text: {"c"'),
        (lambda: sc.Head(("x",), ("y",), numpy.zeros((1, 1)), [[1]], [[1]]), "given: dtype float64; write dtype=int"),
        (lambda: sc.explain("Lemma 5.3"), 'write symcook claims --search "Lemma 5.3"'),
        (lambda: sc.explain("cookbook.s5.7.lemma5.3"), r"write symcook claims cookbook\.s5\.7\.lemma5\.3"),
    ],
)
def test_an_argument_that_is_refused_has_advice(ask: Callable[[], Any], do: str) -> None:
    with pytest.raises(BadInput, match=do):
        ask()


def test_short_names_of_transformerlens_and_types_of_numpy_are_names() -> None:
    assert run()["pattern", 1].tolist() == run()["blocks.1.attn.hook_pattern"].tolist()
    for dtype in (numpy.float32, numpy.dtype("float32")):
        made = sc.build("gtzero").arrays(dtype, values={"eps": "1/4"})
        assert made["step1.W2"].dtype == numpy.float32


def test_a_meaning_is_said_once_and_a_difference_is_in_the_line() -> None:
    """(()) is the smallest string of depth 2, which no (())* without depth has."""
    assert forms().text().count("n = length + 1 counts CLS") == 1
    assert repr(sc.build("dyck-1-2").decide(r"(\(\))*")).endswith(", at (())>")


def test_refusals_of_tracr_programs_say_what_compiles() -> None:
    """Positions count from 0, as in tracr: the key before each position, and whether a position is above 2."""
    from symcook.programs.rasp import Aggregate, Comparison, Map, Select, indices, tokens

    with pytest.raises(BadInput, match=r"write Select\(keys \+ 1, queries, Comparison\.EQ\)"):
        sc.compile("srasp", Aggregate(Select(indices, indices, lambda k, q: q == k + 1), tokens), alphabet="ab")
    with pytest.raises(BadInput, match=r"Map\(lambda x: x > 2, sequence\)"):
        sc.compile("srasp", Map(lambda x: 1 if x > 2 else 0, indices), alphabet="ab")
    before = Aggregate(Select(indices + 1, indices, Comparison.EQ), indices)
    assert sc.compile("srasp", before, alphabet="ab").run("abba").outputs[1:] == [0, 1, 2]
    above = sc.compile("srasp", Map(lambda x: x > 2, indices), alphabet="ab")
    assert [bool(int(one)) for one in above.run("abba").outputs] == [False, False, False, True]


def test_runs_of_many_inputs_name_the_logits() -> None:
    runs = first().run_many(["10", "11"])
    for several in (runs, runs[0]):
        with pytest.raises(BadInput, match=r"must be a known name; given: logit; write .*\.logits"):
            several.array("logit")
