"""Matrices of rationals without expressions: equal to sympy's own in whatever is done with them."""

from __future__ import annotations

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest
import sympy

import symcook as sc
from symcook.errors import BadInput
from symcook.model.ends import Embedding, TokenRows
from symcook.model.modelfile import dumps, loads
from symcook.numbers.matrix import RationalMatrix

FLOATS = np.array([[0.5, -3.0, 1e-300], [0.0, 2.0**60, 0.1]])
ENTRIES = [(1, 2), (-3, 1), (0, 1), (5, 7), (1, 10**30), (2, 1)]
OWN = {
    "floats": (RationalMatrix.dyadic(FLOATS), [sympy.Rational(*x.as_integer_ratio()) for x in FLOATS.ravel().tolist()]),
    "rationals": (RationalMatrix.of(ENTRIES, (2, 3)), [sympy.Rational(*entry) for entry in ENTRIES]),
    "integers": (RationalMatrix.of([(k, 1) for k in range(6)], (2, 3)), list(map(sympy.Integer, range(6)))),
}


@pytest.mark.parametrize("kind", OWN)
def test_it_is_sympys_matrix(kind: str) -> None:
    ours, entries = OWN[kind]
    theirs = sympy.ImmutableMatrix(2, 3, entries)
    x = sympy.Symbol("x")
    assert "expressions" not in ours.__dict__
    assert ours == theirs and theirs == ours and sympy.Matrix(theirs) == ours and ours == sympy.Matrix(theirs)
    assert ours != theirs * 2 and theirs * 2 != ours and ours != 3
    assert hash(ours) == hash(theirs) and {ours: 1}[theirs] == 1
    assert str(ours) == str(theirs) and sympy.latex(ours) == sympy.latex(theirs) and list(ours) == entries
    assert ours * theirs.T == theirs * ours.T == theirs * theirs.T and ours + theirs == 2 * theirs
    assert ours[1, :] == theirs[1, :] and ours[1, 2] == entries[5] and ours.T == theirs.T
    assert ours.applyfunc(lambda e: e * x) == theirs.applyfunc(lambda e: e * x)
    assert ours.subs(x, 1) == theirs and ours.free_symbols == set() and ours.shape == (2, 3)
    assert copy.deepcopy(ours) == pickle.loads(pickle.dumps(ours)) == theirs


@pytest.mark.parametrize("kind", OWN)
def test_its_own_operations_are_sympys(kind: str) -> None:
    ours, entries = OWN[kind]
    theirs, other = sympy.ImmutableMatrix(2, 3, entries), OWN["rationals"][0]
    assert ours.ratios() == [(e.p, e.q) for e in entries] and ours.nnz() == sum(e != 0 for e in entries)
    assert ours.part(slice(1, 2), slice(0, 2)) == theirs[1:2, 0:2]
    assert ours.beside(other) == theirs.row_join(sympy.ImmutableMatrix(other))
    assert ours.plus(other) == theirs + sympy.ImmutableMatrix(other)
    assert ours.part(columns=slice(2)).times(other) == theirs[:, :2] * sympy.ImmutableMatrix(other)


def test_a_model_holds_rational_weights_so_and_only_those() -> None:
    half = sympy.Rational(1, 2)
    for given in ([["1/2", 3]], [[Fraction(1, 2), 3]], sympy.Matrix([[half, 3]]), np.array([[0.5, 3.0]])):
        head = sc.Head(("a", "b"), ("a",), given, [[0, 1]], [[1, 1]], exact=True)
        assert isinstance(head.Q, RationalMatrix) and sympy.Matrix([[half, 3]]) == head.Q
    symbolic = sc.Head(("a",), ("a",), [["sqrt(2)"]], [["c"]], [[1]])
    assert not isinstance(symbolic.Q, RationalMatrix) and not isinstance(symbolic.K, RationalMatrix)
    with pytest.raises(BadInput, match="exact"):
        sc.Head(("a",), ("a",), np.array([[0.5]]), [[1]], [[1]])
    with pytest.raises(BadInput):
        sc.Head(("a",), ("a",), np.array([[np.inf]]), [[1]], [[1]], exact=True)
    with pytest.raises(BadInput, match="shape"):
        sc.Head(("a",), ("a",), np.array([[0.5, 1.0]]), [[1]], [[1]], exact=True)


def test_rows_of_tokens_are_an_embedding_as_any_other() -> None:
    space, table = sc.Space(("a", "b")), RationalMatrix.dyadic(np.array([[0.5, 0.0], [1.0, -2.0]]))
    rows = Embedding(space, words=TokenRows(("x", "y"), ("b", "a"), table))
    plain = Embedding(space, words={"x": {"b": "1/2", "a": 0}, "y": {"b": 1, "a": -2}})
    assert rows == plain and plain == rows and hash(rows) == hash(plain) and rows.tables == plain.tables
    readout = sc.Readout("value", "each", ("a",))
    layer = sc.Layer(sc.Head(("a",), ("b",), [[0]], [[0]], [[1]]))
    one, other = (sc.Transformer("t", e, (layer,), readout) for e in (rows, plain))
    assert dumps(one) == dumps(other) and loads(dumps(one)) == one
    assert one.run("xyx").output == other.run("xyx").output
    with pytest.raises(BadInput, match="2 x 2"):
        TokenRows(("x", "y"), ("a", "b"), RationalMatrix.of([(1, 1)], (1, 1)))
    with pytest.raises(BadInput, match="coordinate"):
        Embedding(space, words=TokenRows(("x", "y"), ("a", "c"), table))


def test_no_expression_is_made_between_a_state_dict_and_an_export(tmp_path) -> None:
    """What makes a million weights quick: their matrices stay numbers, and what is stored is what was given."""
    rng = np.random.default_rng(0)
    shapes = {
        "embedding.weight": (3, 8), "output.weight": (3, 8), "layers.0.linear1.weight": (16, 8),
        "layers.0.linear2.weight": (8, 16), "layers.0.self_attn.in_proj_weight": (24, 8),
        "layers.0.self_attn.out_proj.weight": (8, 8),
    }  # fmt: skip
    state = {key: rng.normal(size=shape).astype(np.float32) for key, shape in shapes.items()}
    model = sc.from_state_dict(state, vocabulary="abc", heads=2, norm="none", activation="relu")
    model.export(tmp_path / "m.npz", max_length=1)
    (layer,) = model.layers
    parts = (*layer.attention.heads, layer.feedforward)
    matrices = [matrix for part in parts for matrix in part.matrices().values()]
    assert matrices and all("expressions" not in matrix.__dict__ for matrix in matrices)
    with np.load(tmp_path / "m.npz") as found:
        assert np.array_equal(found["step2.W1"][:, :8], state["layers.0.linear1.weight"])
        assert np.array_equal(found["embedding"][:, :8], state["embedding.weight"])
        Q = state["layers.0.self_attn.in_proj_weight"][:4]
        assert np.array_equal(found["step1.head1.Q"][:, :8], Q)
        V, out = state["layers.0.self_attn.in_proj_weight"][16:20], state["layers.0.self_attn.out_proj.weight"][:, :4]
        exact = [[sum(Fraction(float(o)) * Fraction(float(v)) for o, v in zip(row, col, strict=True)) for col in V.T]
                 for row in out]  # fmt: skip
        assert np.array_equal(found["step1.head1.V"][:8, :8], np.array([[float(e) for e in row] for row in exact]))
