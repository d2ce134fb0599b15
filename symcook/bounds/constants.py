"""What the blocks of a model do to the L1 norm of a vector and of a change, as exact constants."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from symcook.bounds.models import entry
from symcook.errors import BadInput
from symcook.model.layers import SelfAttention
from symcook.model.parts import FeedForward, Head, LayerNorm

if TYPE_CHECKING:
    import sympy

Rows = Sequence[Sequence[Fraction]]


def rows_of(matrix: sympy.MatrixBase) -> list[list[Fraction]]:
    """A matrix of a block as rows of Fractions; BadInput where an entry is not rational."""
    return [[entry(matrix[r, c]) for c in range(matrix.shape[1])] for r in range(matrix.shape[0])]


def sizes(rows: Rows) -> list[list[Fraction]]:
    """The absolute entries."""
    return [[abs(e) for e in row] for row in rows]


def product(left: Rows, right: Rows) -> list[list[Fraction]]:
    """The product of two matrices."""
    return [
        [sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0)) for column in zip(*right, strict=True)]
        for row in left
    ]


def column_sum(rows: Rows) -> Fraction:
    """The greatest sum of one column's absolute entries: the operator norm for the L1 norm."""
    return max((sum((abs(e) for e in column), Fraction(0)) for column in zip(*rows, strict=True)), default=Fraction(0))


def score_form(head: Head) -> list[list[Fraction]]:
    """F = Q^T K: the score of query i and key j is x_i F x_j, before scale and temperature. r x r, r = len(reads)."""
    Q, K = rows_of(head.Q), rows_of(head.K)
    size = range(len(head.reads))
    return [[sum((Q[d][a] * K[d][b] for d in range(len(Q))), Fraction(0)) for b in size] for a in size]


def change_of(block: FeedForward) -> Fraction:
    """The greatest growth of a change in a feed-forward part with relu: the greatest column sum of |W2| |W1|."""
    return column_sum(product(sizes(rows_of(block.W2)), sizes(rows_of(block.W1)))) if block.hidden else Fraction(0)


def added_size(block: SelfAttention | FeedForward, size: Fraction) -> Fraction:
    """A bound of the L1 norm of what a block adds to the stream, for what it reads of norm at most `size`."""
    if isinstance(block, SelfAttention):
        return sum((column_sum(rows_of(head.V)) * size for head in block.heads), Fraction(0))
    b1, b2 = sizes(rows_of(block.b1)), sizes(rows_of(block.b2))
    inner = product(sizes(rows_of(block.W2)), b1) if block.hidden else []
    return change_of(block) * size + sum((row[0] for row in (*inner, *b2)), Fraction(0))


def normed_size(norm: LayerNorm) -> Fraction:
    """d sum|gain| + sum|bias|: a normalised entry is at most d in size."""
    gain, bias = (sum((abs(row[0]) for row in rows_of(m)), Fraction(0)) for m in (norm.gain, norm.bias))
    return len(norm.writes) * gain + bias


def normed_change(norm: LayerNorm) -> tuple[Fraction, Fraction]:
    """The squares of two constants by which a layer norm lets a change grow: a good one, and 2 d (d + 1) max|gain|.

    With m entries and c the greatest column sum of the projection, the first is c^2 (1 - 1/m) sum(gain^2)/epsilon
    (`lem.norm_layernorm`): normalising shortens a change in the Euclidean norm to at most 1/sqrt(epsilon) of it, the
    mean takes its share 1/m, and Cauchy's inequality with the gain goes back to the L1 norm. Equal gains g give
    |g| sqrt((m - 1)/epsilon), which is reached for m = 2. The least constant is smaller for greater m, at most by a
    factor sqrt(27): at small entries a change along one coordinate grows by 2 (1 - 1/m), which suffices for few entries
    but not for 64, where other entries reach 2.03.
    BadInput where epsilon is 0.
    """
    epsilon = entry(norm.epsilon)
    if epsilon <= 0:
        raise BadInput("layer norm must have epsilon > 0, since it is not Lipschitz without", "epsilon = 0")
    m = len(norm.writes)
    gains = [abs(row[0]) for row in rows_of(norm.gain)]
    projected = Fraction(1) if norm.projection is None else column_sum(rows_of(norm.projection))
    good = projected**2 * Fraction(m - 1, m) * sum((g * g for g in gains), Fraction(0)) / epsilon
    return good, (2 * m * (m + 1) * max(gains) * projected) ** 2 / epsilon
