"""dyck-1-nonuniform. Source: Cookbook, Section 9.2.1 (nonuniform implementation)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.recipes.adapters import decides
from symcook.recipes.arguments import integer
from symcook.recipes.languages import BRACKETS, CLAIMS, FORMULA, counting
from symcook.recipes.registry import Argument, Symbol, recipe

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer

NAME = "dyck-1-nonuniform"


def _tolerances(N: int) -> str:
    return f"0 < eps & eps <= 1/{N * N}"


@recipe(
    NAME,
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
    adapt=decides,
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

    from symcook.model.ends import Embedding, Readout
    from symcook.model.layers import Layer
    from symcook.model.space import Space
    from symcook.model.transformer import Parameter, Transformer
    from symcook.model.weights import feedforward

    balance, error, total = counting()
    zero_tests = feedforward(
        unviolated="(relu(total + eps) - 2*relu(total) + relu(total - eps))/eps",
        level="(relu(balance + eps) - 2*relu(balance) + relu(balance - eps))/eps",
        symbols=["eps"],
    )
    both = feedforward(accepted="relu(unviolated) - relu(-unviolated) - relu(unviolated - level)")
    bound = Fraction(1, N * N)
    return Transformer(
        NAME,
        Embedding(
            Space(("token", "balance", "error", "total", "unviolated", "level", "accepted")),
            words=BRACKETS,
        ),
        (Layer(balance, error), Layer(total, zero_tests), Layer(None, both)),
        Readout("sign", "last", ("accepted",), weights=[[1]]),
        parameters=(Parameter("eps", default=bound, lower=0, upper=bound),),
        max_length=N,
        source="Cookbook, Section 9.2.1",
    )
