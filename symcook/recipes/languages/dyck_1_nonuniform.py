from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import decides
from symcook.recipes.arguments import integer
from symcook.recipes.languages import BRACKETS, CLAIMS, FORMULA, counting
from symcook.recipes.registry import Argument, Recipe, Symbol, recipe


def _tolerances(N: int) -> str:
    return f"0 < eps & eps <= 1/{N * N}"


@recipe(
    kind="language",
    summary="well-nested brackets to length N; the decision is one number, 0 or 1",
    source="Cookbook, Section 9.2.1 (nonuniform implementation)",
    formula=FORMULA,
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
def dyck_1_nonuniform(this: Recipe, N: int) -> kit.Transformer:
    """The counts of dyck-1, both compared with zero inside the model; the logit is 1 for members and else 0.

    Logit = min(EqZero_eps(total), EqZero_eps(balance)) at the last position; accept iff it is positive.

    N: the greatest length, 1 to 10^9. eps: any value in (0, 1/N^2], because a total or a balance that is not zero has
    magnitude at least 1/n^2 at length n <= N. That is the paper's interval, not the largest, which ends at 1/(M (M -
    1)) for the greatest even M <= N (at 1 for N = 1 and 1/3 for N = 3): a word of length n that is no member has a
    balance of at least 1/n, or it ends level, so that n is even and some prefix of odd length j <= n - 1 counts -1 or
    less, and its total is at least 1/(j n) >= 1/(n (n - 1)), which ( ) ... ( ) ) ( attains; and 1/n for odd n <= N is
    less than 1/(M (M - 1)) for n = N = 1 and 3 alone. For a member both are 0, whatever eps is. The two layers of
    dyck-1; the second one's feed-forward part holds the two zero tests of Eq. (31); a third layer holds the AND, which
    on bits is min (Sections 4.8 and 4.4). A single ReLU network cannot take the minimum of what it computes in its own
    output, hence the further layer. Region: every word of length 1 to N, for these eps at least.
    """
    balance, error, total = counting()
    zero_tests = kit.feedforward(
        unviolated="(relu(total + eps) - 2*relu(total) + relu(total - eps))/eps",
        level="(relu(balance + eps) - 2*relu(balance) + relu(balance - eps))/eps",
        symbols=["eps"],
    )
    both = kit.feedforward(accepted="relu(unviolated) - relu(-unviolated) - relu(unviolated - level)")
    bound = kit.Fraction(1, N * N)
    return this.model(
        kit.Embedding(
            kit.Space(("token", "balance", "error", "total", "unviolated", "level", "accepted")), words=BRACKETS
        ),
        (kit.Layer(balance, error), kit.Layer(total, zero_tests), kit.Layer(None, both)),
        kit.Readout("sign", "last", ("accepted",), weights=[[1]]),
        parameters=(kit.Parameter("eps", default=bound, lower=0, upper=bound),),
        max_length=N,
        source="Cookbook, Section 9.2.1",
    )
