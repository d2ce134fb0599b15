"""Figures 1 and 2 of Yang et al. (2026).

Figure 1 is a table of temperatures and of the growth of position encodings in the paper. Here it is computed from
compiled models: the largest entry of the position encodings, and the least temperature, at LENGTHS. Figure 2 has
the patterns of scores of Section 3.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symcook.compilers import compile as compiled
from symcook.model.symbols import symbol
from symcook.model.transformer import Transformer
from symcook.papers.drawing import Make
from symcook.report.figure import Curve, Figure, exact

SIMULATED = {"12": "prev Q_a | next Q_a", "15": "(Q_a since Q_b) until Q_a", "20": "#left[Q_a] > #right[Q_b]"}
"""By theorem of Figure 1: a formula with all operators that the theorem is about."""
LENGTHS = (1, 2, 4, 8, 16, 32, 64)
"""The lengths in Figure 1."""
PLACES = 8
"""The number n of positions in Figure 2."""
GAMMA = 1
"""The gap gamma between scores in Figure 2."""
TIED = (2, 5)
"""The positions in Figure 2 whose score before tie-breaking is 1; elsewhere it is 0."""


def _models() -> dict[str, Transformer]:
    """By theorem and part (a or b): the model that it compiles."""
    both = ((number, letter) for number in SIMULATED for letter in "ab")
    return {
        number + letter: compiled("count", SIMULATED[number], alphabet="ab", theorem=number + letter)
        for number, letter in both
    }


def _values(text: object, n: int) -> list[Fraction]:
    """The values of an expression in i and n at the positions i = 1, .., n."""
    i, m = symbol("i"), symbol("n")
    return [Fraction(str(text.subs({i: k, m: n}))) for k in range(1, n + 1)]  # type: ignore[attr-defined]


def greatest_entry(model: Transformer, n: int) -> Fraction:
    """The greatest absolute value in the position encodings of n positions."""
    return max(abs(value) for text in model.embedding.positions.values() for value in _values(text, n))


def least_temperature(model: Transformer, n: int) -> Fraction:
    """The least temperature of the model's heads at any of n positions."""
    heads = [head for layer in model.layers if layer.attention for head in layer.attention.heads]
    return min(value for head in heads for value in _values(head.temperature, n))


def growth(measure: Callable[[Transformer, int], Fraction], name: str, quantity: str) -> Make:
    """The maker of a column of Figure 1: for each theorem and part a curve of `measure`, a function of the model and
    the length, at LENGTHS. `quantity` names what it measures."""

    def figure(longest: int, progress: Callable[[str], None]) -> Figure:
        """The figure at LENGTHS, whatever `longest` is."""
        curves = []
        for theorem, model in _models().items():
            progress(f"Theorem {theorem}")
            points = tuple((Fraction(n), exact(measure(model, n))) for n in LENGTHS)
            curves.append(Curve(f"Theorem {theorem}", points))
        title = f"Figure 1: {quantity}"
        return Figure(f"figure-1-{name}", title, "n", quantity, tuple(curves), (True, True))

    return figure


def patterns(longest: int, progress: Callable[[str], None]) -> Figure:
    """Figure 2: the ziggurat, the table lookup, and the three ways to break ties, with gamma = 1 and n = 8."""
    n, top = PLACES, 5  # top: the position with the greatest score in the first two patterns
    tied = {j: int(j in TIED) for j in range(1, n + 1)}
    scores = {
        "ziggurat (Lemma 6)": lambda j: Fraction(-abs(j - top) * GAMMA),
        "table lookup (Lemma 7)": lambda j: Fraction(GAMMA * (2 * top * j - j * j)),
        "rightmost, -1/j (Lemma 8a)": lambda j: GAMMA * n**2 * (tied[j] - Fraction(1, j)),
        "rightmost, j/(2n) (Lemma 8b)": lambda j: 2 * GAMMA * n * (tied[j] + Fraction(j, 2 * n)),
        "leftmost, -j/(2n) (Lemma 8c)": lambda j: 2 * GAMMA * n * (tied[j] - Fraction(j, 2 * n)),
    }
    curves = (
        Curve(label, tuple((Fraction(j), exact(score(j))) for j in range(1, n + 1))) for label, score in scores.items()
    )
    note = f"the table is read at {top}; ties are at {TIED[0]} and {TIED[1]}"
    return Figure("figure-2", "Figure 2: patterns of scores", "j", "score", tuple(curves), note=note)


OF_LENGTHS: tuple[str, ...] = ()
"""No figure here goes up to a maximum length."""
FIGURES: dict[str, tuple[Make, ...]] = {
    "tie-break": (
        growth(greatest_entry, "positions", "largest entry of the position encodings"),
        growth(least_temperature, "temperature", "least temperature"),
        patterns,
    )
}
