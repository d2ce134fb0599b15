"""The corpus of claims: its values are those of the models, its reader evaluates by hand-made examples, and it is
drawn the same each time."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction
from itertools import islice

import pytest
import sympy
from checkout import ROOT


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    import claim_corpus
    from claim_corpus import families, sentences

    return claim_corpus, families, sentences


@pytest.mark.layer_one(*range(0, 54, 3))
@pytest.mark.parametrize("family", range(9))
@pytest.mark.parametrize("seed", range(6))
def test_values_are_those_of_the_model(package, family, seed) -> None:
    _, families, _ = package
    model = families.FAMILIES[family](random.Random(seed), "drawn")
    tried = 0
    for facts, typed in islice(model.runs(4), 20):
        run = model.model.run(list(typed), trace=True)
        coordinates = run.trace[-1]["coordinates"]
        for name, values in facts.values.items():
            for ours, theirs in zip(values, coordinates[name], strict=True):
                if isinstance(ours, Decimal):
                    assert abs(ours - Decimal(str(sympy.sympify(theirs).evalf(30)))) < Decimal("1e-25")
                else:
                    assert ours == Fraction(str(theirs)), (name, typed)
        if facts.accepts and model.model.readout.position != "each":
            assert [run.accept] == facts.accepts
        if facts.answer is not None:
            assert repr(run).endswith(f": {facts.answer}>")
        tried += 1
    assert tried >= 1


@pytest.mark.parametrize(
    ("statement", "true"),
    [
        ("count(a) = 2 & n = 3", True),
        ("first(b) = 2 & last(b) < 3", True),
        ("ex i in 2..n. at(a, i - 1) & at(b, i)", True),
        ("all i in 1..n. m(i) >= 1/2 -> i != 2 | at(b, i)", True),
        ("~at(b, 1) & at(b, 1) | at(a, 1) -> sum(j, 1, n, I[at(a, j)]) - 1/2 > 3/2", False),
        ("2 - 1 - 1 = 0 & 8/2/2 = 2 & (-1)^3 = -1 & -1*m(1) = -1", True),
        ("accept <-> abs(m(n) - 1) = 0", False),
        ("exp(1) > 27/10 & exp(0) = 1", True),
    ],
)
def test_the_reader(package, statement, true) -> None:
    _, _, sentences = package
    values = {"m": [Fraction(1), Fraction(1, 2), Fraction(2, 3)]}
    facts = sentences.Facts(("a", "b", "a"), 1, values, [True])
    assert sentences.Sentence(statement, ("a", "b")).true(facts) is true


def test_a_position_that_a_string_does_not_have(package) -> None:
    _, _, sentences = package
    with pytest.raises(sentences.Outside):
        sentences.Sentence("at(a, n + 1)", ("a", "b")).true(sentences.Facts(("a",), 1, {}))


def test_drawn_again_a_family_is_the_same(package) -> None:
    _, families, _ = package
    for family in families.FAMILIES:
        first, second = (family(random.Random("x"), "drawn") for _ in range(2))
        assert first.model == second.model
        for makers in first.makers:
            texts = [maker.makers[makers][0](random.Random(3)) for maker in (first, second)]
            assert texts[0] == texts[1]
