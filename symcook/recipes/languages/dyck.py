"""Well-nested brackets: Cookbook, Section 9.2."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from symcook.recipes import Argument, Recipe, Symbol, kit, recipe
from symcook.recipes.arguments import integer, one_of

BRACKETS = {"(": {"token": 1}, ")": {"token": -1}}
"""The embedding of one kind of brackets."""
FORMULA = "(all p in 1..n. closes(p) <= opens(p)) & opens(n) = closes(n)"
"""Dyck-1 as a formula."""
CLAIMS = (
    "t3.dyck1 s9.2.dyck1_def s9.2.1.prefix_counts s9.2.1.embedding s9.2.1.balance s9.2.1.violation "
    "s9.2.1.ffn_error s9.2.1.aggregate s9.2.1.state_trace"
)


def counting() -> tuple[kit.Head, kit.FeedForward, kit.Head]:
    """The three sublayers of Eq. (44): they compute the balance B_i/i, its error relu(-B_i/i), and the mean error
    t_i."""
    return (
        kit.head(value={"balance": "token"}, mask="future"),
        kit.feedforward(error="relu(-balance)"),
        kit.head(value={"total": "error"}, mask="future"),
    )


NEAREST = Argument(
    "weighting", "average", "average, or unique, which is rightmost and leftmost", one_of("average", "unique")
)


def bounded_depth(this: Recipe, brackets: Sequence[str], depth: int, weighting: str) -> kit.Transformer:
    """The model that matches brackets in `depth` rounds. `brackets` lists opening and closing symbols in turn. Source:
    Cookbook, Eqs. (45) to (49)."""
    sides = {"left_ties": "rightmost", "right_ties": "leftmost"} if weighting == "unique" else {}
    return this.of_family("dyck-k-d", {"K": len(brackets) // 2, "D": depth}, brackets, None, **sides)


@recipe(
    kind="language",
    summary="balanced brackets ( and ) of any length; the model accepts if two coordinates are 0",
    source="Cookbook, Section 9.2.1",
    formula=FORMULA,
    computes="total = 0 & balance = 0",
    uniformity="No weight depends on the length; the price is that the decision is a zero test outside the model.",
    claims=f"{CLAIMS} s9.2.1.accept s9.2.1.two_layers",
    reference="symcook.spec.languages:dyck1",
)
def dyck_1(this: Recipe) -> kit.Transformer:
    """A string is balanced if no prefix has more ) than (, and the whole string has as many ( as ).

    Coordinates: token o_i = 1 for ( and -1 for ), balance (1/i) sum_{j<=i} o_j, error relu(-balance), total (1/i)
    sum_{j<=i} error_j. Average-hard attention, future mask (a position sees itself), no layer norm. These are Eqs. (41)
    to (44). Eq. (41) prints five rows and Eq. (44) four; four are enough.
    """
    balance, error, total = counting()
    return this.model(
        kit.Embedding(kit.Space(("token", "balance", "error", "total")), words=BRACKETS),
        (kit.Layer(balance, error), kit.Layer(total)),
        kit.Readout("zero", "last", ("total", "balance")),
    )


@recipe(
    kind="language",
    summary="balanced brackets ( and ) of any length; the logit is 1 or 0",
    source="Cookbook, Section 9.2.1",
    formula=FORMULA,
    computes="0 < accepted",
    uniformity="No weight depends on the length, although the text holds that the decision as one number needs it.",
    claims="s9.2.1.uniform_limit",
    reference="symcook.spec.languages:dyck1",
)
def dyck_1_zero_one(this: Recipe) -> kit.Transformer:
    """The balance is the query and the token the key, so that average-hard attention gives its sign exactly; a second
    such head asks whether any prefix has the sign -1.

    Logit 1 for members and 0 for others, whatever the length; accept iff it is positive.

    Coordinates: token o_i = 1 for ( and -1 for ), balance B_i/i as in dyck-1. The second layer scores balance_i o_j
    over j <= i: where B_i > 0 the greatest scores are at the opening brackets, where B_i < 0 at the closing ones, and
    where B_i = 0 all scores are 0, so that the average of o_j is sign(B_i): 1, -1 or 0. violated is 1 where it is -1,
    uneven where it is not 0. The third layer scores violated_j and averages it: any is 1 iff some prefix is violated.
    accepted = relu(1 - any - uneven). Average-hard attention, future mask, no layer norm. The text says that one number
    needs a nonuniform construction.
    """
    balance = kit.head(value={"balance": "token"}, mask="future")
    sign = kit.head({("balance", "token"): 1}, {"side": "token"}, mask="future")
    tests = kit.feedforward(violated="relu(-side)", uneven="relu(side) + relu(-side)")
    any_violated = kit.head({("one", "violated"): 1}, {"any": "violated"}, mask="future")
    both = kit.feedforward(accepted="relu(one - any - uneven)")
    space = kit.Space(("token", "one", "balance", "side", "violated", "uneven", "any", "accepted"))
    return this.model(
        kit.Embedding(space, words=BRACKETS, positions={"one": 1}),
        (kit.Layer(balance), kit.Layer(sign, tests), kit.Layer(any_violated, both)),
        kit.Readout("sign", "last", ("accepted",), weights=[[1]]),
    )


def _tolerances(N: int) -> str:
    """The region of dyck_1_nonuniform: eps is small enough for length N."""
    return f"0 < eps & eps <= 1/{N * N}"


@recipe(
    kind="language",
    summary="well-nested brackets to length N; the decision is one number, 0 or 1",
    source="Cookbook, Section 9.2.1",
    formula=FORMULA,
    computes="0 < min(unviolated, level)",
    region="0 < eps & eps <= 1/4096",
    largest=False,
    uniformity="The tolerance eps depends on the maximum length N, and 1/eps grows like N^2; no shape depends on N.",
    claims=f"{CLAIMS} s9.2.1.min_B s9.2.1.min_t s9.2.1.nonuniform",
    reference="symcook.spec.languages:dyck1",
    arguments=(Argument("N", "64", "the greatest length", integer(1, 10**9)),),
    symbols=(Symbol("eps", "1/N^2", "0 < eps & eps <= 1/N^2", "tolerance of both zero tests"),),
    region_of=_tolerances,
)
def dyck_1_nonuniform(this: Recipe, N: int) -> kit.Transformer:
    """The counts of dyck-1, both compared with zero inside the model; the logit is 1 for members and else 0.

    Logit = min(EqZero_eps(total), EqZero_eps(balance)) at the last position; accept iff it is positive.

    N: the greatest length, 1 to 10^9. eps: any value in (0, 1/N^2], because a total or a balance that is not zero has
    magnitude at least 1/n^2 at length n <= N. That is the paper's interval, not the largest, which ends at 1/(M (M -
    1)) for the greatest even M <= N (at 1 for N = 1 and 1/3 for N = 3): a string of length n that is no member has a
    balance of at least 1/n, or it ends level, so that n is even and some prefix of odd length j <= n - 1 counts -1 or
    less, and its total is at least 1/(j n) >= 1/(n (n - 1)), which ( ) ... ( ) ) ( attains; and 1/n for odd n <= N is
    less than 1/(M (M - 1)) for n = N = 1 and 3 alone. For a member both are 0, whatever eps is. The two layers of
    dyck-1; the second one's feed-forward part holds the two zero tests of Eq. (31); a third layer holds the AND, which
    on bits is min (Sections 4.8 and 4.4). A single ReLU network cannot take the minimum of what it computes in its own
    output, hence the further layer.
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
    )


@recipe(
    kind="language",
    summary="well-nested brackets ( and ) of depth at most 2, any length",
    source="Cookbook, Section 9.2.2",
    formula="(all p in 1..n. closes(p) <= opens(p) & opens(p) <= closes(p) + 2) & opens(n) = closes(n)",
    computes="all p in 1..n. active(p) = 0",
    uniformity="No weight depends on the length; the position function is i/n. The decision is a zero test at all "
    "positions.",
    claims="t3.dyck12 s9.2.2.dyck12_def s9.2.2.example s9.2.2.embedding s9.2.2.step1_fetch s9.2.2.step1_rule "
    "s9.2.2.step2_scores s9.2.2.step2_values s9.2.2.step2_rule s9.2.2.accept",
    reference="symcook.spec.languages:dyck1_2",
    arguments=(NEAREST,),
)
def dyck_1_2(this: Recipe, weighting: str) -> kit.Transformer:
    """Brackets that match their neighbour become inactive; then those that match the nearest one still active; a string
    is accepted if none is left.

    The embedding of Eq. (45): token o_i = 1 for ( and -1 for ), active 1, left and right 0, share i/n. In each round
    two heads fetch the nearest active token on each side, by the scores active_j + j/n with the strict future mask and
    active_j - j/n with the strict past mask; a feed-forward part tests token + right = 0 and token + left = 0, a second
    one sets active to 0 where an opening bracket has its partner on the right or a closing one on the left, and clears
    what was fetched. In the first round all are active, so that it is that of predecessor and successor. weighting:
    average, where one score is greatest, or unique (rightmost on the left side, leftmost on the right). An empty side
    gives 0. These are Eqs. (45) to (49).
    """
    return bounded_depth(this, "()", 2, weighting)


HEIGHT = "sum(j, {}, {}, sign(bracket(j)))"
"""The number of opening minus the number of closing brackets from one position to another."""
# p and q are partners: the height from p to q is 0, and it is positive before q.
PARTNERS = f"{HEIGHT.format('p', 'q')} = 0 & (all r in p..q - 1. 0 < {HEIGHT.format('p', 'r')})"
BOUNDED = (
    f"(all p in 1..n. 0 <= {HEIGHT.format(1, 'p')} & {HEIGHT.format(1, 'p')} <= 4) & {HEIGHT.format(1, 'n')} = 0 & "
    f"(all p in 1..n. all q in p + 1..n. 0 < bracket(p) & {PARTNERS} -> bracket(q) = -bracket(p))"
)
"""Dyck-k with depth at most 4 as a formula, with brackets as the numbers of Section 9.2.3: the height is between 0 and
4 and ends at 0, and partners p and q are of the same kind."""


def brackets(k: int) -> tuple[str, ...]:
    """The opening and closing brackets of k kinds in turn: ()[]{}<>, and (1 )1 (2 )2 ... for more than four kinds.

    >>> brackets(2), brackets(5)[:4]
    (('(', ')', '[', ']'), ('(1', ')1', '(2', ')2'))
    """
    if k <= 4:
        return tuple("()[]{}<>"[: 2 * k])
    return tuple(f"{side}{kind}" for kind in range(1, k + 1) for side in "()")


def _of_kinds(function: Callable[..., Any], known: Mapping[str, Any]) -> Any:
    """The reference for the arguments k and D."""
    return function(brackets(known["k"]), known["D"])


@recipe(
    kind="language",
    summary="well-nested brackets of k kinds and depth at most D, any length",
    source="Cookbook, Section 9.2.3",
    formula=BOUNDED,
    computes="all p in 1..n. active(p) = 0",
    uniformity="No weight depends on the length; the position function is i/n. There are 2 D layers; the width does "
    "not depend on k, whose brackets are numbers. The decision is a zero test at all positions.",
    claims="s9.2.3.dyckkD_def s9.2.3.encoding s9.2.3.dyckkD_accept",
    reference="symcook.spec.languages:dyck_bounded",
    arguments=(
        Argument(
            "k", "2", "the number of kinds of brackets: ()[]{}<>, from five on tokens (1 )1 (2 )2 ...", integer(1, 100)
        ),
        Argument("D", "4", "the maximum number of unclosed brackets", integer(1, 100)),
        NEAREST,
    ),
    adapt=_of_kinds,
)
def dyck_k_d(this: Recipe, k: int, D: int, weighting: str) -> kit.Transformer:
    """Brackets that match the nearest one still active on their side become inactive, D times; a string is accepted if
    none is left.

    k: 1 to 100 kinds of brackets; D: 1 to 100, the depth. Bracket t of k opens as token t and closes as -t (Section
    9.2.3); otherwise each round is that of dyck-1-2, which is k = 1 and D = 2. Two layers a round: the first fetches
    both neighbours and tests token + neighbour = 0, the second one updates.
    """
    return bounded_depth(this, brackets(k), D, weighting)
