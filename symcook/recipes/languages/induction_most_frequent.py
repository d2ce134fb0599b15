from __future__ import annotations

from symcook.recipes import kit
from symcook.recipes.adapters import made_with
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.languages import FETCHING, answered, fetch, letters, over_letters
from symcook.recipes.registry import Argument, Recipe, recipe

COUNT = "sum(j, 2, i, I[w(j - 1) = w(i) & w(j) = {}])"
OTHER, OWN = COUNT.format("t"), COUNT.format("s")
FIRST_OF_MOST = f"all t in 0..3. {OTHER} < {OWN} | {OTHER} = {OWN} & s <= t"
FORMULA = f"if(ex j in 2..i. w(j - 1) = w(i), sum(s, 0, 3, s*I[{FIRST_OF_MOST}]), w(i))"


@recipe(
    kind="attention",
    summary="the symbol that most often followed the current one before",
    source="Cookbook, Section 9.1.2",
    formula=FORMULA,
    region="true",
    uniformity="No weight depends on the length; the position function is 1/i, with average and softmax also i/n. The "
    "width grows with the square of the alphabet.",
    claims=(
        "cookbook.t3.induction",
        "cookbook.s9.1.2.frequent_def",
        "cookbook.s9.1.2.frequent_example",
        "cookbook.s9.1.2.bigram_example",
        "cookbook.s9.1.2.bigramcount",
        "cookbook.s9.1.2.bigramcount_example",
        "cookbook.s9.1.2.select_rule",
        "cookbook.s9.1.2.retrieve_example",
    ),
    reference="symcook.spec.languages:most_frequent",
    arguments=(
        Argument("alphabet", "ABCD", "the symbols of the words, in the order that breaks ties", read_alphabet),
        FETCHING,
    ),
    adapt=made_with("alphabet"),
)
def induction_most_frequent(this: Recipe, alphabet: tuple[str, ...], weighting: str) -> kit.Transformer:
    """One head fetches the symbol before each position, a feed-forward part makes bigrams, uniform attention counts
    them; those that begin with the current symbol are compared.

    Induct_frequent(w)_i: the symbol that most often followed w_i so far, the first in the alphabet of several; w_i
    where it did not occur before.

    alphabet: different symbols, of which there are K; one-hot words, K^2 bigrams. With pair_s_t = relu(before_s + is_t
    - 1), uniform future-masked attention gives the counts over i, and relu(is_s + count_s_t - 1), added over s, those
    of the bigrams that begin with w_i. Where all are 0, relu(is_t + 1/i - 1 - their sum) makes w_i the greatest, which
    the printed rule leaves out. The largest of these K scores, the first of several, is the answer: the readout
    compares, so that no tolerance is needed. weighting: how the predecessor is fetched, as in induction-most-recent.
    Region: every word of length at least 1.
    """
    hot, last, follows, score = (letters(name, alphabet) for name in ("is", "before", "follows", "score"))
    numbers = range(len(alphabet))
    pairs = {(s, t): f"pair_{s + 1}_{t + 1}" for s in numbers for t in numbers}
    counts = {(s, t): f"count_{s + 1}_{t + 1}" for s in numbers for t in numbers}
    if weighting == "rightmost":
        named = {f"{n}{c}": one for n, many in zip(("is", "before", "follows", "score"), (hot, last, follows, score),
                 strict=True) for c, one in enumerate(many, 1)}  # fmt: skip
        named |= {f"{n}{s + 1}_{t + 1}": f"{n}_{s + 1}_{t + 1}" for n in ("pair", "count") for s, t in pairs}
        return this.of_family("induction-most-frequent", {"S": len(alphabet)}, alphabet, named)
    b = over_letters(alphabet, weighting, inverse="1/i")
    fetch(b, hot, last, {}, "strict-future", weighting)
    b.add(kit.feedforward({pairs[s, t]: f"relu({last[s]} + {hot[t]} - 1)" for s, t in pairs}))
    b.add(kit.head(value={counts[key]: pairs[key] for key in pairs}, mask="future"))
    for t in numbers:
        b.add(kit.feedforward({follows[t]: " + ".join(f"relu({hot[s]} + {counts[s, t]} - 1)" for s in numbers)}))
    none = " - ".join(("inverse - 1", *follows))
    b.add(kit.feedforward({score[t]: f"relu({follows[t]}) + relu({hot[t]} + {none})" for t in numbers}))
    return answered(b, this, score, alphabet)
