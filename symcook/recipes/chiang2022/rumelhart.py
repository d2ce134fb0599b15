"""The feed-forward network for PARITY of Rumelhart et al. (1986), as in Chiang and Cholak 2022, Section 3.1."""

from __future__ import annotations

from symcook.recipes import Argument, Recipe, kit
from symcook.recipes.arguments import integer
from symcook.recipes.feedforward import over_numbers, recipe, two_valued

MOST_INPUTS = 256
"""The maximum number of bits."""


def _inputs(n: int) -> tuple[str, ...]:
    """The inputs x1, ..., xn."""
    return tuple(f"x{i}" for i in range(1, n + 1))


def _input_bits(n: int) -> str:
    """The region in which all inputs are bits."""
    return two_valued(_inputs(n))


@recipe(
    summary="the parity of n bits, by two layers of step activations",
    source="Chiang and Cholak 2022, Section 3.1, after Rumelhart et al. 1986",
    formula="mod(x1 + x2 + x3, 2)",
    computes="I[1/2 < I[1/2 < x1 + x2 + x3] - I[3/2 < x1 + x2 + x3] + I[5/2 < x1 + x2 + x3]]",
    region="(x1 = 0 | x1 = 1) & (x2 = 0 | x2 = 1) & (x3 = 0 | x3 = 1)",
    largest=False,
    uniformity="Each number n of bits has its own network; both layers grow with n.",
    claims="s3.1.rumelhart.h1 s3.1.rumelhart",
    reference="symcook.spec.feedforward:parity",
    arguments=(Argument("n", "3", "the number of bits", integer(1, MOST_INPUTS)),),
    region_of=_input_bits,
)
def rumelhart_parity(this: Recipe, n: int) -> kit.Transformer:
    """One hidden unit for each j from 1 to n, 1 where at least j bits are; the output adds the odd ones and subtracts
    the even ones.

    out = H(h_1 - h_2 + ... + (-1)^(n+1) h_n - 1/2) with h_j = H(x_1 + ... + x_n - j + 1/2) and H(x) = I[x > 0].

    n: the number of bits, 1 to 256. With k the number of 1s, h_j = I[k >= j], and the output is 1 iff k is odd. The
    paper's two layers are the first matrices of two feed-forward parts, whose second matrices copy what the step gives
    to the coordinates h1 to hn and out. The inputs x1 to xn are the string's bits.
    """
    inputs, hidden = _inputs(n), tuple(f"h{j}" for j in range(1, n + 1))
    # h_j is the step of x_1 + .. + x_n - j + 1/2: 1 where at least j bits are 1.
    thresholds = kit.FeedForward(
        inputs,
        hidden,
        W1=[[1] * n] * n,
        b1=[kit.Fraction(1, 2) - j for j in range(1, n + 1)],
        W2=[[int(row == column) for column in range(n)] for row in range(n)],
        b2=[0] * n,
        activation="step",
    )
    # h_1 - h_2 + h_3 - .. is 1 for an odd number of 1s and 0 for an even one.
    alternating = kit.FeedForward(
        hidden,
        ("out",),
        W1=[[(-1) ** (j + 1) for j in range(1, n + 1)]],
        b1=[kit.Fraction(-1, 2)],
        W2=[[1]],
        b2=[0],
        activation="step",
    )
    space, layers = (*inputs, *hidden, "out"), [kit.Layer(None, thresholds), kit.Layer(None, alternating)]
    return over_numbers(this, space, inputs, ("out",), layers)
