"""Derivations with symbols left in them, against plain sympy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from timing import Row, best, faster, same

DERIVED = 32


def plain_sympy() -> Any:
    """The nonuniform Dyck-1 recogniser on one word with sympy matrices and symbolic eps, written straight down."""
    import sympy as sp

    eps = sp.Symbol("eps", positive=True)
    word = "()" * (DERIVED // 2)
    n = len(word)
    names = ("token", "balance", "error", "total", "unviolated", "level", "accepted")
    stream = sp.zeros(n, 7)
    for i, letter in enumerate(word):
        stream[i, 0] = 1 if letter == "(" else -1
    average = sp.Matrix(n, n, lambda i, j: sp.Rational(1, i + 1) if j <= i else 0)

    def attend(z: Any, source: str, target: str) -> Any:
        value = sp.zeros(7, 7)
        value[names.index(source), names.index(target)] = 1
        return z + average * z * value

    def feed(z: Any, reads: list[Any], into: Any, bias: Any, out: Any, writes: list[str]) -> Any:
        hidden = z.extract(list(range(n)), [names.index(r) for r in reads]) * into.T
        hidden = sp.Matrix(n, hidden.shape[1], lambda i, h: sp.Max(0, hidden[i, h] + bias[h]))
        added = hidden * out.T
        result = z.as_mutable()
        for column, name in enumerate(writes):
            for i in range(n):
                result[i, names.index(name)] += added[i, column]
        return result

    stream = attend(stream, "token", "balance")
    stream = feed(stream, ["balance"], sp.Matrix([[-1]]), [0], sp.Matrix([[1]]), ["error"])
    stream = attend(stream, "error", "total")
    into = sp.Matrix([[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]])
    out = sp.Matrix([[1, -2, 1, 0, 0, 0], [0, 0, 0, 1, -2, 1]]) / eps
    stream = feed(stream, ["total", "balance"], into, [eps, 0, -eps] * 2, out, ["unviolated", "level"])
    both = sp.Matrix([[1, 0], [-1, 0], [1, -1]])
    stream = feed(stream, ["unviolated", "level"], both, [0, 0, 0], sp.Matrix([[1, -1, -1]]), ["accepted"])
    return stream[n - 1, 6]


def rows() -> Iterator[Row]:
    from symcook.derivation import derive
    from symcook.recipes import build

    what = f"derive dyck-1-nonuniform, n = {DERIVED}, symbolic eps, against sympy matrices without simplify"
    model = build("dyck-1-nonuniform", N=DERIVED)
    word = "()" * (DERIVED // 2)
    derive(model, "()")  # imports
    ours, theirs, found, plain = best(lambda: derive(model, word), plain_sympy, 3)
    same(found.accept is True, what)
    decided = {"ours_decided": True, "theirs_decided": plain.is_positive is True}
    yield faster(what, ours, theirs, 100, **decided)
