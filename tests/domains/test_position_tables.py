"""Learned positions: an embedding keeps a table by position for each length, with the bits of the walk by names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import trained
from flint import arb

from symcook.domains import make_domain
from symcook.domains.batch import Listed
from symcook.domains.floats import Float64
from symcook.domains.radii import Radii
from symcook.forward import forward
from symcook.model.ends import MAX_TABLES


@pytest.mark.parametrize("name", ["float64", "float32", "float16"])
def test_a_second_run_reads_the_table_and_has_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = trained.trained(3)
    words = ["abcab", "ccbba", "ab", "abcab"]
    first = [forward(model, tuple(word), make_domain(name)).stream for word in words]
    functions = model.embedding.places
    for word, stream in zip(words, first, strict=True):
        # The embedding by itself: entry of the token plus position function, each in the type.
        domain = make_domain(name)
        domain.begin(tuple(word), model.embedding.start)
        names = tuple(model.space)
        embedded = dict(zip(names, domain.embedded(model.embedding, names), strict=True))
        for coordinate, function in functions.items():
            expected = domain.positions(function)
            if coordinate in model.embedding.tables:
                expected = domain._stored(domain.embed(model.embedding.tables[coordinate]) + expected)
            assert np.array_equal(embedded[coordinate], expected)
        assert stream
    # From now on no position function is evaluated.
    evaluate = Float64.positions

    def only_constants(domain: Float64, expression: object) -> object:
        assert not isinstance(expression, tuple), "a position function was evaluated again"
        return evaluate(domain, expression)

    monkeypatch.setattr(Float64, "positions", only_constants)
    for word, stream in zip(words, first, strict=True):
        again = forward(model, tuple(word), make_domain(name)).stream
        assert all(np.array_equal(again[coordinate], column) for coordinate, column in stream.items())


def test_tables_are_kept_by_length_and_start_and_not_without_end() -> None:
    model = trained.trained(3)
    for n in range(1, 5):
        forward(model, ("a",) * n, make_domain("float64"))
    tables = model.embedding.kept["by position"]
    assert sorted(key[-1] for key in tables) == [1, 2, 3, 4]
    for k in range(2 * MAX_TABLES):
        assert model.embedding.by_position(("other", k), lambda k=k: k) == k
    assert len(tables) == MAX_TABLES


def test_certified_floats_read_the_same_table() -> None:
    model = trained.trained(4)
    words = Listed((tuple("abca"), tuple("ccab")))
    first = forward(model, words, Radii()).stream
    again = forward(model, words, Radii()).stream
    for name, column in forward(model, tuple("abca"), make_domain("float64")).stream.items():
        assert np.array_equal(first[name].mid, again[name].mid) and np.array_equal(first[name].rad, again[name].rad)
        assert (np.abs(first[name].mid[:, 0] - column) <= first[name].rad[:, 0] + 1e-12).all()


@pytest.mark.parametrize("name", ["ball", "rounding"])
def test_balls_evaluate_no_learned_position_twice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Second runs, in another precision too, have the numbers of a pass by coordinates, without an evaluation."""
    model = trained.trained(5)

    def domain(bits: int) -> Any:
        return make_domain("ball", bits=bits) if name == "ball" else make_domain("float64").rounding()

    forward(model, tuple("abca"), domain(100))
    names, number_system = tuple(model.space), domain(200)
    number_system.begin(tuple("bcca"), model.embedding.start)
    expected = {}
    for coordinate in names:
        tables, places = model.embedding.tables, model.embedding.places
        terms = [(number_system.embed(tables[coordinate]), 1)] if coordinate in tables else []
        terms += [(number_system.positions(places[coordinate]), 1)] if coordinate in places else []
        expected[coordinate] = number_system.linear(terms, 0)
    for at in ("position", "positions"):
        monkeypatch.setattr(type(number_system), at, lambda *_: pytest.fail("a position function was evaluated again"))
    with number_system.context():
        columns = number_system.embedded(model.embedding, names)
    for coordinate, column in zip(names, columns, strict=True):
        for x, y in zip(column, expected[coordinate], strict=True):
            assert arb(x).overlaps(arb(y))
