"""References of the attention recipes, over lists of rationals (`first_position`: over words); position i of the paper
is entry i - 1.

Every list has at least one entry, as in the paper, where sequences are nonempty. Weighting is average-hard.
"""

from collections.abc import Sequence
from fractions import Fraction

from symcook.errors import BadInput
from symcook.spec.fold import Fold


def _exact(values: Sequence[Fraction | int]) -> list[Fraction]:
    if not values:
        raise BadInput("a sequence must have at least one position", "the empty sequence", "give one row or more")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, Fraction)):
            raise BadInput("a sequence must hold exact numbers", value, "give integers or Fractions")
    return [Fraction(value) for value in values]


def average(values: Sequence[Fraction | int]) -> list[Fraction]:
    """At every position the mean of all values (section 5.1.2)."""
    exact = _exact(values)
    mean = sum(exact, Fraction(0)) / len(exact)
    return [mean] * len(exact)


def prefix_average(values: Sequence[Fraction | int]) -> list[Fraction]:
    """At position i the mean of the values at positions 1 to i (section 5.1.2, future mask)."""
    exact = _exact(values)
    return [sum(exact[: i + 1], Fraction(0)) / (i + 1) for i in range(len(exact))]


first_position = Fold(0, lambda place, token: min(place + 1, 2), lambda place: Fraction(int(place == 1)), each=True)
"""1 at the first position of a word, 0 at every other (section 5.2)."""


def lookup_quadratic(rows: Sequence[tuple[Fraction | int, Fraction | int]]) -> list[Fraction]:
    """From rows (q_i, v_i), at position i the value v_j of the position j nearest to q_i (section 5.3.4).

    For q_i in 1..n that is v at q_i, the lookup of the paper. The score 2 q j - j^2 is q^2 - (q - j)^2, so any other
    query reads the nearest position, and one that lies midway between two reads their mean.
    """
    queries = _exact([row[0] for row in rows])
    values = _exact([row[1] for row in rows])
    answers = []
    for query in queries:
        distances = [abs(query - position) for position in range(1, len(values) + 1)]
        nearest = [v for v, d in zip(values, distances, strict=True) if d == min(distances)]
        answers.append(sum(nearest, Fraction(0)) / len(nearest))
    return answers
