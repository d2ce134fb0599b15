"""References of the recipes about representations: Booleans, counts and positions (the Cookbook's section 3)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from symcook.errors import BadInput
from symcook.spec.fold import Fold


def truth_value(values: Mapping[str, Fraction], representation: str) -> bool:
    """The truth value of a number x, or of a pair x1, x2, in a representation of Table 4. Raises BadInput for numbers
    that represent none."""
    first = values["x1"] if representation.startswith("pair") else values["x"]
    # By representation: whether the number stands for false, and whether it stands for true.
    false_and_true: dict[str, tuple[bool, bool]] = {
        "closed": (first <= 0, first > 0),
        "zero-one": (first == 0, first == 1),
        "signs": (first == -1, first == 1),
        "open": (first < 0, first > 0),
        "zero-or-more": (first == 0, first >= 1),
    }
    if representation.startswith("pair"):
        opposite = values["x2"] == -first and (representation == "pair-delta" or abs(first) == 1)
        false_and_true[representation] = (opposite and first < 0, opposite and first > 0)
    false, true = false_and_true[representation]
    if not false and not true:
        raise BadInput(
            f"a Boolean must be represented as {representation}",
            ", ".join(map(str, values.values())),
            "give one of the values of this representation",
        )
    return true


def converted(values: Mapping[str, Fraction], given: str, wanted: str) -> dict[str, Fraction]:
    """The same truth value in the representation `wanted` instead of `given`. The result is 0 or 1 if 0 is false there,
    else -1 or 1. But if `given` is about the sign alone, the number keeps its magnitude. Section 3.1."""
    true = truth_value(values, given)
    keeps = given in ("closed", "open", "pair-delta")
    low = 0 if wanted in ("closed", "zero-one", "zero-or-more") else -1
    value = values["x1" if given.startswith("pair") else "x"] if keeps else Fraction(1 if true else low)
    return {"out1": value, "out2": -value} if wanted.startswith("pair") else {"out": value}


def share(word: Sequence[str], alphabet: Sequence[str], by: str) -> list[Fraction]:
    """At each position i: for `by` "n", C/n, where C is the number of occurrences of the first symbol of the alphabet;
    otherwise C/i, where C counts only those up to position i (section 3.3)."""
    n, letter = len(word), alphabet[0]
    if by == "n":
        return [Fraction(sum(symbol == letter for symbol in word), n)] * n
    return [Fraction(sum(symbol == letter for symbol in word[: i + 1]), i + 1) for i in range(n)]


def inverse(word: Sequence[str], by: str) -> list[Fraction]:
    """At each position i from 0, that of BOS, to n: 1/(n + 1) for `by` "n", otherwise 1/(i + 1) (section 3.4)."""
    n = len(word)
    return [Fraction(1, n + 1 if by == "n" else i + 1) for i in range(n + 1)]


def encoded(word: Sequence[str], kind: str, powers: int, N: int) -> list[dict[str, Fraction]]:
    """The positional encodings of a word, by coordinate (section 3.5.1). `kind` is "inverse" (1/i), "share" (i/n),
    "alternating" (-1 and 1), "powers" (i, i^2, .., i^powers) or "one-hot" (a 1 at place i of N)."""
    n, answers = len(word), []
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


_PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494")
_DIGITS = 30
"""The number of decimals of an angle and of each term of a series."""


def _circle(turns: Fraction) -> tuple[Fraction, Fraction]:
    """Cosine and sine of 2 pi `turns` to more than 20 digits, by the Taylor series."""
    angle = round(2 * _PI * (turns - round(turns)), _DIGITS)
    total, term = [Fraction(0)] * 2, Fraction(1)
    for k in range(40):
        total[k % 2] += (-1) ** (k // 2) * term
        term = round(term * angle / (k + 1), _DIGITS)
    return total[0], total[1]


def counted_angle(word: Sequence[str], alphabet: Sequence[str], m: Fraction) -> list[dict[str, Fraction]]:
    """At BOS and after each symbol: the point of the unit circle at C/m of a turn, where C is the number of occurrences
    of the first letter of the alphabet so far (section 3.5.2)."""
    counts = [sum(symbol == alphabet[0] for symbol in word[:i]) for i in range(len(word) + 1)]
    return [dict(zip(("cosines", "sines"), _circle(Fraction(C) / m), strict=True)) for C in counts]


def residue(alphabet: Sequence[str], m: int) -> Fold:
    """The number of occurrences of the first letter of the alphabet modulo m, as a label (section 3.5.2)."""
    first, labels = alphabet[0], tuple(map(str, range(m)))
    return Fold(0, lambda state, symbol: (state + (symbol == first)) % m, lambda state: labels[state])


def sinusoids(word: Sequence[str], d: int, M: Fraction) -> list[dict[str, Fraction]]:
    """At each position i: cos(i/M^(2c/d)) and sin(i/M^(2c/d)) for c = 0, .., d/2 - 1, as pe_0, pe_1, .. (section
    3.5.2)."""
    points = []
    for i in range(1, len(word) + 1):
        numbers = [x for c in range(d // 2) for x in _circle(i / (2 * _PI) / _power(M, Fraction(2 * c, d)))]
        points.append({f"pe_{k}": x for k, x in enumerate(numbers)})
    return points


def _power(M: Fraction, exponent: Fraction) -> Fraction:
    """M^exponent for 0 <= exponent = p/q < 1, to 35 decimals: the q-th root of M^p, by bisection."""
    p, q = exponent.numerator, exponent.denominator
    low, high = min(M, Fraction(1)), max(M, Fraction(1))
    while high - low > Fraction(1, 10**35):
        middle = round((low + high) / 2, 40)
        low, high = (middle, high) if middle**q <= M**p else (low, middle)
    return low
