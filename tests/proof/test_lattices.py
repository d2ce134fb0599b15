"""Lattices of integer vectors: the forms are a basis, and the lattice is all that they say, by determinants."""

from __future__ import annotations

import itertools
import math
import random

from symcook.proof.claims.byautomata.lattices import lattice_forms


def determinant(rows: list[list[int]]) -> int:
    if not rows:
        return 1
    minors = ([[*row[:j], *row[j + 1 :]] for row in rows[1:]] for j in range(len(rows)))
    return sum((-1) ** j * rows[0][j] * determinant(minor) for j, minor in enumerate(minors))


def test_the_forms_say_what_the_lattice_is() -> None:
    rng = random.Random(7)
    for _ in range(300):
        width, many = rng.randint(1, 4), rng.randint(0, 5)
        vectors = [tuple(rng.randint(-4, 4) for _ in range(width)) for _ in range(many)]
        found = lattice_forms(vectors, width)
        assert abs(determinant([list(form) for form in found.forms])) == 1
        for k in range(width):
            unit = [int(i == k) for i in range(width)]
            times = found.coordinates(unit)
            assert [sum(t * f[i] for t, f in zip(times, found.forms, strict=True)) for i in range(width)] == unit
        for form, d in zip(found.forms, found.divisors, strict=True):
            values = [sum(x * y for x, y in zip(form, v, strict=True)) for v in vectors]
            assert all(value % d == 0 if d else value == 0 for value in values)
        index = math.gcd(*(determinant([*map(list, some)]) for some in itertools.combinations(vectors, width)))
        assert index == math.prod(found.divisors)
