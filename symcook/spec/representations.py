"""References of the recipes about representations: Booleans, counts and positions (the Cookbook's section 3)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symcook.errors import BadInput

Values = Mapping[str, Fraction]


def truth_value(values: Values, representation: str) -> bool:
    """What a number x, or a pair x1, x2, says in a representation of Table 4. BadInput where it says nothing."""
    first = values["x1"] if representation.startswith("pair") else values["x"]
    says: dict[str, tuple[bool, bool]] = {
        "closed": (first <= 0, first > 0),
        "zero-one": (first == 0, first == 1),
        "signs": (first == -1, first == 1),
        "open": (first < 0, first > 0),
        "zero-or-more": (first == 0, first >= 1),
    }
    if representation.startswith("pair"):
        opposite = values["x2"] == -first and (representation == "pair-delta" or abs(first) == 1)
        says[representation] = (opposite and first < 0, opposite and first > 0)
    false, true = says[representation]
    if not false and not true:
        raise BadInput(f"a Boolean must be represented as {representation}", ", ".join(map(str, values.values())))
    return true


def converted(values: Values, given: str, wanted: str) -> dict[str, Fraction]:
    """The same truth value in another representation: 0 or 1 for false and true where 0 is false, else -1 or 1; what
    has only a sign keeps its magnitude. Section 3.1."""
    true = truth_value(values, given)
    keeps = given in ("closed", "open", "pair-delta")
    low = 0 if wanted in ("closed", "zero-one", "zero-or-more") else -1
    value = values["x1" if given.startswith("pair") else "x"] if keeps else Fraction(1 if true else low)
    return {"out1": value, "out2": -value} if wanted.startswith("pair") else {"out": value}


def share(word: Sequence[str], alphabet: Sequence[str], by: str) -> list[Fraction]:
    """At each position how often the first letter of the alphabet occurs over the length, C/n, or up to there over the
    position, C/i (section 3.3)."""
    n, letter = len(word), alphabet[0]
    if by == "n":
        return [Fraction(sum(one == letter for one in word), n)] * n
    return [Fraction(sum(one == letter for one in word[: i + 1]), i + 1) for i in range(n)]


def inverse(word: Sequence[str], by: str) -> list[Fraction]:
    """At BOS, position 0, and at each position i behind it 1/(n + 1), or 1/(i + 1) (section 3.4)."""
    n = len(word)
    return [Fraction(1, n + 1 if by == "n" else i + 1) for i in range(n + 1)]


def encoded(n: int, kind: str, powers: int, N: int) -> list[dict[str, Fraction]]:
    """The positional encodings of a word of n tokens by name (section 3.5.1): 1/i, i/n, -1 and 1 in turn, products of
    i, or a 1 at place i of N."""
    answers = []
    for i in range(1, n + 1):
        if kind == "powers":
            value, row = Fraction(1), {}
            for k in range(1, powers + 1):
                value *= i
                row[f"pe_{k}"] = value
        elif kind == "one-hot":
            row = {f"pe_{k}": Fraction(0) for k in range(1, N + 1)} | {f"pe_{i}": Fraction(1)}
        else:
            scalars = {"inverse": Fraction(1, i), "share": Fraction(i, n), "alternating": Fraction(1 - 2 * (i % 2))}
            row = {"pe": scalars[kind]}
        answers.append(row)
    return answers
