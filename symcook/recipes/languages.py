"""Recognisers of Dyck-1, the well-nested brackets. Source: Cookbook, Section 9.2.1."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from symcook.recipes.arguments import integer
from symcook.recipes.registry import Argument, Symbol, recipe

if TYPE_CHECKING:
    from symcook.blocks import Layer, Transformer

BRACKETS = {"(": {"token": 1}, ")": {"token": -1}}
FORMULA = "(all p in 1..n. closes(p) <= opens(p)) & opens(n) = closes(n)"
CLAIMS = (
    "cookbook.t3.dyck1",
    "cookbook.s9.2.dyck1_def",
    "cookbook.s9.2.1.prefix_counts",
    "cookbook.s9.2.1.embedding",
    "cookbook.s9.2.1.balance",
    "cookbook.s9.2.1.violation",
    "cookbook.s9.2.1.ffn_error",
    "cookbook.s9.2.1.aggregate",
    "cookbook.s9.2.1.state_trace",
)


def _decides(function: Callable[[str], bool], arguments: Mapping[str, Any], values: Mapping[str, Any]) -> Any:
    return lambda word: function("".join(word))


def _tolerances(N: int) -> str:
    return f"0 < eps & eps <= 1/{N * N}"


def _counting() -> tuple[Layer, Layer]:
    """The two layers of Eq. (44): balance B_i/i, then its error relu(-B_i/i), then the mean error t_i."""
    from symcook.blocks import FeedForward, Head, Layer, SelfAttention

    def prefix_mean(of: str, to: str) -> SelfAttention:
        return SelfAttention((Head((of,), (to,), Q=[[0]], K=[[0]], V=[[1]], mask="future"),))

    error = FeedForward(("balance",), ("error",), W1=[[-1]], b1=[0], W2=[[1]], b2=[0])
    return Layer(prefix_mean("token", "balance"), error), Layer(prefix_mean("error", "total"))


@recipe(
    "dyck-1",
    kind="language",
    summary="well-nested brackets ( and ), any length; the decision is a zero test of two coordinates",
    source="Cookbook, Section 9.2.1 (uniform implementation)",
    formula=FORMULA,
    words="Every prefix has at least as many ( as ), and the whole word has as many of each.",
    computes="total = 0 & balance = 0",
    region="true",
    uniformity="No weight depends on the length; the price is that the decision is a zero test outside the model.",
    claims=(*CLAIMS, "cookbook.s9.2.1.accept", "cookbook.s9.2.1.two_layers"),
    reference="symcook.spec.languages:dyck1",
    adapt=_decides,
)
def dyck_1() -> Transformer:
    """Accept iff total = 0 and balance = 0 at the last position.

    Coordinates: token o_i = 1 for ( and -1 for ), balance (1/i) sum_{j<=i} o_j, error relu(-balance), total
    (1/i) sum_{j<=i} error_j. Average-hard attention, future mask (a position sees itself), no layer norm. Region: every
    word of at least one bracket. Source: Cookbook, Section 9.2.1, Eqs. (41) to (44). Eq. (41) prints five rows and
    Eq. (44) four; four are enough.
    """
    from symcook.blocks import Embedding, Readout, Space, Transformer

    space = Space(("token", "balance", "error", "total"))
    return Transformer(
        "dyck-1",
        Embedding(space, words=BRACKETS),
        _counting(),
        Readout("zero", "last", ("total", "balance")),
        source="Cookbook, Section 9.2.1",
    )


@recipe(
    "dyck-1-nonuniform",
    kind="language",
    summary="well-nested brackets to length N; the decision is one number, 0 or 1",
    source="Cookbook, Section 9.2.1 (nonuniform implementation)",
    formula=FORMULA,
    words="The counts of dyck-1, both compared with zero inside the model; the logit is 1 for members and else 0.",
    computes="0 < min(unviolated, level)",
    region="0 < eps & eps <= 1/4096",
    largest=False,
    uniformity="The tolerance eps depends on the greatest length N, and 1/eps grows like N^2; no shape depends on N.",
    claims=(*CLAIMS, "cookbook.s9.2.1.min_B", "cookbook.s9.2.1.min_t", "cookbook.s9.2.1.nonuniform"),
    reference="symcook.spec.languages:dyck1",
    arguments=(Argument("N", "64", "the greatest length", integer(1, 10**9)),),
    symbols=(Symbol("eps", "1/N^2", "0 < eps & eps <= 1/N^2", "tolerance of both zero tests"),),
    adapt=_decides,
    region_of=_tolerances,
)
def dyck_1_nonuniform(N: int) -> Transformer:
    """Logit = min(EqZero_eps(total), EqZero_eps(balance)) at the last position; accept iff it is positive.

    N: the greatest length, 1 to 10^9. eps: any value in (0, 1/N^2], because a total or a balance that is not zero has
    magnitude at least 1/n^2 at length n <= N. That is the paper's interval, not the largest, which ends at 1/(M (M -
    1)) for the greatest even M <= N (at 1 for N = 1 and 1/3 for N = 3): a word of length n that is no member has a
    balance of at least 1/n, or it ends level, so that n is even and some prefix of odd length j <= n - 1 counts -1 or
    less, and its total is at least 1/(j n) >= 1/(n (n - 1)), which ( ) ... ( ) ) ( attains; and 1/n for odd n <= N is
    less than 1/(M (M - 1)) for n = N = 1 and 3 alone. For a member both are 0, whatever eps is. The two layers of
    dyck-1; the second one's feed-forward part holds the two zero tests of Eq. (31); a third layer holds the AND, which
    on bits is min (Sections 4.8 and 4.4). A single ReLU network cannot take the minimum of what it computes in its own
    output, hence the further layer. Region: every word of length 1 to N, for these eps at least. Source: Cookbook,
    Section 9.2.1.
    """
    from fractions import Fraction

    from symcook.blocks import Embedding, FeedForward, Layer, Parameter, Readout, Space, Transformer

    space = Space(("token", "balance", "error", "total", "unviolated", "level", "accepted"))
    first, second = _counting()
    zero_tests = FeedForward(
        ("total", "balance"),
        ("unviolated", "level"),
        W1=[[1, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 1]],
        b1=["eps", 0, "-eps", "eps", 0, "-eps"],
        W2=[["1/eps", "-2/eps", "1/eps", 0, 0, 0], [0, 0, 0, "1/eps", "-2/eps", "1/eps"]],
        b2=[0, 0],
    )
    both = FeedForward(
        ("unviolated", "level"),
        ("accepted",),
        W1=[[1, 0], [-1, 0], [1, -1]],
        b1=[0, 0, 0],
        W2=[[1, -1, -1]],
        b2=[0],
    )
    bound = Fraction(1, N * N)
    return Transformer(
        "dyck-1-nonuniform",
        Embedding(space, words=BRACKETS),
        (first, Layer(second.attention, zero_tests), Layer(None, both)),
        Readout("sign", "last", ("accepted",), weights=[[1]]),
        parameters=(Parameter("eps", default=bound, lower=0, upper=bound),),
        max_length=N,
        source="Cookbook, Section 9.2.1",
    )
