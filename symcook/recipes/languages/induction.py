"""Induction heads: Cookbook, Section 9.1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symcook.compose import Builder
from symcook.model.choices import MaskWord, WeightingWord
from symcook.recipes import Argument, Recipe, kit, recipe
from symcook.recipes.arguments import alphabet as read_alphabet
from symcook.recipes.arguments import one_of
from symcook.recipes.attention import rounding

FETCHING = Argument(
    "weighting",
    "rightmost",
    "rightmost; average, with j/n added to the scores; or softmax, then at temperature 1/(n log(8 n)) with rounding",
    one_of("rightmost", "average", "softmax"),
)


def letters(name: str, alphabet: Sequence[str]) -> tuple[str, ...]:
    """A coordinate for each symbol of an alphabet, such as NAME_A for A. A symbol with other characters than ASCII
    letters and digits is numbered instead: NAME_symbol3 for the third one."""
    # If a symbol is itself called symbol3, for example, all symbols are numbered.
    name_taken = any(symbol.startswith("symbol") for symbol in alphabet)
    plain = (symbol.isascii() and symbol.isalnum() and not name_taken for symbol in alphabet)
    numbered_symbols = enumerate(zip(alphabet, plain, strict=True), 1)
    ends = (symbol if is_plain else f"symbol{place}" for place, (symbol, is_plain) in numbered_symbols)
    return tuple(f"{name}_{end}" for end in ends)


def over_letters(alphabet: Sequence[str], weighting: WeightingWord, **positions: object) -> Builder:
    """A Builder over strings with one-hot coordinates is_A, is_B, ..., the position functions that `fetch` needs, and
    `positions`."""
    places = {} if weighting == "rightmost" else {"one": 1, "share": "i/n"}
    words = {letter: {name: 1} for letter, name in zip(alphabet, letters("is", alphabet), strict=True)}
    return Builder(words=words, positions=places | positions)


def fetch(
    b: Builder,
    reads: Sequence[str],
    writes: Sequence[str],
    score: Mapping[tuple[str, str], kit.Exact],
    mask: MaskWord,
    weighting: WeightingWord,
) -> None:
    """Add steps that copy the coordinates `reads`, a one-hot group, to `writes` from the last position with the maximum
    score. Scores must be 0 or 1.

    With average and softmax j/n is added to the scores: this breaks ties and leaves a gap of 1/n (Cookbook, Section
    5.6); `b` must then have the coordinates one and share (see `over_letters`). Softmax has the temperature
    1/(n log(8 n)), and the rounding of Section 5.7 as a step of its own, from coordinates NAME_blend.
    """
    if weighting == "rightmost":
        b.add(kit.head(score, dict(zip(writes, reads, strict=True)), mask=mask, weighting="rightmost"))
        return
    tied = {**score, ("one", "share"): 1}
    if weighting == "average":
        b.add(kit.head(tied, dict(zip(writes, reads, strict=True)), mask=mask))
        return
    blends = dict(zip((f"{name}_blend" for name in writes), reads, strict=True))
    b.add(kit.head(tied, blends, mask=mask, weighting="softmax", temperature="1/(n*log(8*n))"))
    b.add(rounding(dict(zip(writes, blends, strict=True))))


def answered(b: Builder, this: Recipe, scores: Sequence[str], alphabet: Sequence[str]) -> kit.Transformer:
    """The model that answers at each position with the symbol of the largest score; of equal scores, the first."""
    b.readout("largest", "each", scores, labels=alphabet)
    return b.build(this.name, source=this.source)


# w(i) is the answer if the current symbol did not occur before.
MOST_RECENT = (
    "if(ex j in 2..i. w(j - 1) = w(i), sum(j, 2, i, I[w(j - 1) = w(i) & (all k in j + 1..i. w(k - 1) != w(i))]*w(j)), "
    "w(i))"
)


@recipe(
    kind="attention",
    summary="the symbol that followed the last earlier occurrence of the current one",
    source="Cookbook, Section 9.1.1",
    formula=MOST_RECENT,
    uniformity="No weight depends on the length; with average and softmax the position function is i/n, and with "
    "softmax the temperature 1/(n log(8 n)). The width grows with the alphabet.",
    claims="t3.induction s9.1.1.rightmost_def s9.1.1.rightmost_example s9.1.we_example s9.1.1.pred_example "
    "s9.1.1.retrieve_rule s9.1.1.max_positions s9.1.1.retrieve_example s9.1.1.gap s9.1.1.soft",
    reference="symcook.spec.languages:most_recent",
    arguments=(Argument("alphabet", "ABCD", "the symbols of the strings", read_alphabet), FETCHING),
)
def induction_most_recent(this: Recipe, alphabet: tuple[str, ...], weighting: WeightingWord) -> kit.Transformer:
    """One head fetches the symbol before each position. A second head looks for the last position whose preceding
    symbol is the current symbol. If no such position exists, the second head looks at the current position.

    Induct_rightmost(w)_i: the symbol right after the last earlier occurrence of w_i, w_i itself where there is none.

    alphabet: different symbols, one coordinate each. The first head is the predecessor by the strict future mask (0 at
    the first position), the second one has q_i = WE(x_i), k_j = Pred(x_j) and v_j = WE(x_j) over j <= i: scores 1 where
    the symbol before j is the current one, else 0, rightmost; where all are 0 that is j = i. weighting average: the
    scores of both heads have j/n added, which breaks ties (Section 5.6). weighting softmax: then the temperature 1/(n
    log(8 n)), as the gap is 1/n, and the rounding of Section 5.7 behind each head; the paper takes the gap before ties
    are broken, 1, for which 1/log(8 N) is not enough.
    """
    hot, last, last_found = (letters(name, alphabet) for name in ("is", "before", "found"))
    if weighting == "rightmost":
        groups = {"is": hot, "before": last, "found": last_found}
        named = {f"{stem}{c}": name for stem, names in groups.items() for c, name in enumerate(names, 1)}
        return this.of_family("induction-most-recent", {"S": len(alphabet)}, alphabet, named)
    b = over_letters(alphabet, weighting)
    fetch(b, hot, last, {}, "strict-future", weighting)
    fetch(b, hot, last_found, dict.fromkeys(zip(hot, last, strict=True), 1), "future", weighting)
    return answered(b, this, last_found, alphabet)


COUNT = "sum(j, 2, i, I[w(j - 1) = w(i) & w(j) = {}])"
"""How often the symbol {} has followed the current symbol so far."""
OTHER, OWN = COUNT.format("t"), COUNT.format("s")
# s is the most frequent symbol, and the first in the alphabet among equally frequent ones. Formulas are for the default
# alphabet, whose four symbols are the numbers 0..3.
FIRST_OF_MOST = f"all t in 0..3. {OTHER} < {OWN} | {OTHER} = {OWN} & s <= t"
# Symbols are numbers from 0; w(i) is the answer if the current symbol did not occur before.
MOST_FREQUENT = f"if(ex j in 2..i. w(j - 1) = w(i), sum(s, 0, 3, s*I[{FIRST_OF_MOST}]), w(i))"


@recipe(
    kind="attention",
    summary="the symbol that most often followed the current one before",
    source="Cookbook, Section 9.1.2",
    formula=MOST_FREQUENT,
    uniformity="No weight depends on the length; the position function is 1/i, with average and softmax also i/n. The "
    "width grows with the square of the alphabet.",
    claims="t3.induction s9.1.2.frequent_def s9.1.2.frequent_example s9.1.2.bigram_example s9.1.2.bigramcount "
    "s9.1.2.bigramcount_example s9.1.2.select_rule s9.1.2.retrieve_example",
    reference="symcook.spec.languages:most_frequent",
    arguments=(
        Argument("alphabet", "ABCD", "the symbols of the strings, in the order that breaks ties", read_alphabet),
        FETCHING,
    ),
)
def induction_most_frequent(this: Recipe, alphabet: tuple[str, ...], weighting: WeightingWord) -> kit.Transformer:
    """One head fetches the symbol before each position, a feed-forward part makes bigrams, uniform attention counts
    them; those that begin with the current symbol are compared.

    Induct_frequent(w)_i: the symbol that most often followed w_i so far, the first in the alphabet of several; w_i
    where it did not occur before.

    alphabet: different symbols, of which there are K; one-hot words, K^2 bigrams. With pair_s_t = relu(before_s + is_t
    - 1), uniform future-masked attention gives the counts over i, and relu(is_s + count_s_t - 1), added over s, those
    of the bigrams that begin with w_i. Where all are 0, relu(is_t + 1/i - 1 - their sum) makes w_i the greatest, which
    the printed rule leaves out. The largest of these K scores, the first of several, is the answer: the readout
    compares, so that no tolerance is needed. weighting: how the predecessor is fetched, as in induction-most-recent.
    """
    hot, last, follows, score = (letters(name, alphabet) for name in ("is", "before", "follows", "score"))
    numbers = range(len(alphabet))
    pairs = {(s, t): f"pair_{s + 1}_{t + 1}" for s in numbers for t in numbers}
    counts = {(s, t): f"count_{s + 1}_{t + 1}" for s in numbers for t in numbers}
    if weighting == "rightmost":
        groups = {"is": hot, "before": last, "follows": follows, "score": score}
        named = {f"{stem}{c}": name for stem, names in groups.items() for c, name in enumerate(names, 1)}
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
