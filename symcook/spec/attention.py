"""References of the attention recipes. They map a list of rationals or of rows, or a string, to a list of rationals;
position i of the paper is entry i - 1.

Every list must have at least one entry, as in the paper, where sequences are nonempty. Equal distances or angles give
the mean of the values, as average-hard attention does.
"""

from collections.abc import Sequence
from fractions import Fraction

from symcook.errors import BadInput
from symcook.spec.fold import Fold


def _exact(values: Sequence[Fraction | int]) -> list[Fraction]:
    """The values as Fractions. Raises BadInput for an empty list, or an entry that is no integer or Fraction."""
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
    return [Fraction(int(position == len(word))) for position in range(1, len(word) + 1)]


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

    For q_i in 1..n this is v at q_i, the lookup of the paper. The score 2 q j - j^2 is q^2 - (q - j)^2, so another
    query reads the nearest position, and a query midway between two positions reads the mean of their values.
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
    """From rows (q_i, v_i) with q_i in 1..n, at position i the value v at q_i (section 5.3). Raises BadInput for a
    query that is not a position."""
    queries = _exact([row[0] for row in rows])
    values = _exact([row[1] for row in rows])
    answers = []
    for query in queries:
        if query not in range(1, len(values) + 1):
            raise BadInput(f"a query must be a position, 1 to {len(values)}", query, "give one of these positions")
        answers.append(values[int(query) - 1])
    return answers


def lookup_hash(rows: Sequence[tuple[Fraction | int, Fraction | int]]) -> list[Fraction]:
    """From rows (q_i, v_i), at position i the value v_j at the position j for which the angle between (q_i, 1) and
    (j, 1) is least, or the mean of the values if two angles are equal (section 5.3.3). For q_i in 1..n this is v at
    q_i."""
    queries = _exact([row[0] for row in rows])
    values = _exact([row[1] for row in rows])
    answers = []
    for query in queries:
        # The least angle has the greatest cosine, (q j + 1)/sqrt((q^2 + 1)(j^2 + 1)). To stay rational, compare the
        # square of the cosine with its sign, times q^2 + 1, which is the same for all j.
        closeness = [(query * j + 1) * abs(query * j + 1) / (j * j + 1) for j in range(1, len(values) + 1)]
        nearest = [v for v, c in zip(values, closeness, strict=True) if c == max(closeness)]
        answers.append(sum(nearest, Fraction(0)) / len(nearest))
    return answers


def first_value(values: Sequence[Fraction | int]) -> list[Fraction]:
    """At every position the first value (section 5.2)."""
    exact = _exact(values)
    return [exact[0]] * len(exact)


def unique_hard(rows: Sequence[tuple[Fraction | int, Fraction | int]], term: str) -> list[Fraction]:
    """From rows (s_i, v_i), at every position the value at the position with the greatest score. `term` is added to the
    scores to break ties: -1/j, j/n and -1/(j + 1) select the last of several such positions, and 1/j, -j/n (section
    5.6) and 1/(j + 1) (Table 2) the first."""
    scores = _exact([row[0] for row in rows])
    values = _exact([row[1] for row in rows])
    places = [j for j, score in enumerate(scores) if score == max(scores)]
    return [values[places[-1] if term in ("-1/j", "j/n", "-1/(j + 1)") else places[0]]] * len(values)
