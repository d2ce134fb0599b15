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


def identity(values: Sequence[Fraction | int]) -> list[Fraction]:
    """The values themselves (section 5.1.1)."""
    return _exact(values)


def predecessor(values: Sequence[Fraction | int]) -> list[Fraction]:
    """At each position the value before it, 0 at the first (section 5.4)."""
    return [Fraction(0), *_exact(values)[:-1]]


def successor(values: Sequence[Fraction | int]) -> list[Fraction]:
    """At each position the value after it, 0 at the last (section 9.2.2)."""
    return [*_exact(values)[1:], Fraction(0)]


def last_position(word: Sequence[str]) -> list[Fraction]:
    """1 at the last position of a word, 0 at every other."""
    return [Fraction(int(place == len(word))) for place in range(1, len(word) + 1)]


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


def lookup(rows: Sequence[tuple[Fraction | int, Fraction | int]]) -> list[Fraction]:
    """From rows (q_i, v_i) with q_i in 1..n, at position i the value v at q_i (section 5.3)."""
    queries = _exact([row[0] for row in rows])
    values = _exact([row[1] for row in rows])
    answers = []
    for query in queries:
        if query not in range(1, len(values) + 1):
            raise BadInput(f"a query must be a position, 1 to {len(values)}", query)
        answers.append(values[int(query) - 1])
    return answers


def lookup_hash(rows: Sequence[tuple[Fraction | int, Fraction | int]]) -> list[Fraction]:
    """From rows (q_i, v_i), at position i the value at the position j for which the angle between (q_i, 1) and (j, 1)
    is
    least, or the mean of two (section 5.3.3). For q_i in 1..n that is v at q_i."""
    queries = _exact([row[0] for row in rows])
    values = _exact([row[1] for row in rows])
    answers = []
    for query in queries:
        # the sign of the cosine times its square, times q^2 + 1
        near = [(query * j + 1) * abs(query * j + 1) / (j * j + 1) for j in range(1, len(values) + 1)]
        nearest = [v for v, c in zip(values, near, strict=True) if c == max(near)]
        answers.append(sum(nearest, Fraction(0)) / len(nearest))
    return answers


def first_value(values: Sequence[Fraction | int]) -> list[Fraction]:
    """At every position the first value (section 5.2)."""
    exact = _exact(values)
    return [exact[0]] * len(exact)


def unique_hard(rows: Sequence[tuple[Fraction | int, Fraction | int]], term: str) -> list[Fraction]:
    """From rows (s_i, v_i), at every position the value at the last position of the greatest score; at the first one
    for the terms 1/j and -j/n (section 5.6) and 1/(j + 1) (Table 2)."""
    scores = _exact([row[0] for row in rows])
    values = _exact([row[1] for row in rows])
    places = [j for j, score in enumerate(scores) if score == max(scores)]
    return [values[places[-1] if term in ("-1/j", "j/n", "-1/(j + 1)") else places[0]]] * len(values)
