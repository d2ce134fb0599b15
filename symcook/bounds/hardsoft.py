"""Softmax in place of average-hard attention: temperatures that are low enough, and the model (yang2026, Section 5).

For each length the hard model is run exactly on every string, or on all of them in classes. gamma(n) is the smallest
difference between a maximum score and another score of its row; x_max(n) is the largest entry of an embedding, at least
1; h_max is, for each layer, the largest entry of the residual stream before it, at least 1. From these data there are
three temperatures.

1. Theorem 26, corrected as in `yang2026.thm26.tau` (L K in place of K), with the constants of Lemmas 25 and 28 to 33,
from gamma and x_max only.

2. By layers: from the gap of each head, and from bounds of the change of its scores and values by an error in one
coordinate, which use their sizes on these strings:

    after a head: e_c + w/2 range_c + sum |V_ck| e_k, w = 2 (n-1) x/(1 + (n-1) x) + 2 tanh(T/(2 tau)), x = e^(-gap/tau)
    T = sum q_b e_b + sum k_a e_a + sum |M_ab| e_a e_b, M = scale Q^T K, q = |x M| and k = |M z| at most on these words

A feed-forward layer adds sum |W2| |W1| e, since relu does not increase a change. The sum of the errors of all
coordinates is bounded in the same way, and the smaller bound is used. w is Lemma 32 with sharp constants
(`yang2026.lemma32.hard`, `lem.sm_distance_sharp`); range_c is the largest difference of two values in a string.

3. Needed: a temperature at which the error reaches the limit. The one by layers is doubled and bisected in float64, so
that a greater error in between may be missed. It is enclosed by a temperature at which no string has a greater error
(balls are computed for the strings that come near the limit in float64), and a slightly higher one at which balls prove
that some string has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from flint import fmpq

from symcook.bounds.arguments import written
from symcook.bounds.growth import rows_of
from symcook.bounds.hardgroups import grouped
from symcook.bounds.hardruns import ZERO, HardRuns, HeadPlace, flint_of, head_places, runs
from symcook.bounds.theorem26 import Constants, Rate, at_most_one, fitted
from symcook.bounds.warmth import BITS, LIMIT_BITS, NEAR, ByLayer, Floats, error_in_balls, soft_at
from symcook.compose.cooling import plain_scores
from symcook.compose.states import table_of
from symcook.compose.untied import UNIQUE, untie, with_position
from symcook.door import Progress, door
from symcook.errors import BadInput, Undecided
from symcook.model.answers import Reply
from symcook.model.extent import Extent
from symcook.model.reads import PartsRead
from symcook.model.symbols import Exact, exact, from_sympy, symbol
from symcook.model.transformer import Transformer
from symcook.numbers.balls import AlikeByText, Ball, arb_of, ball, hull, ratio_of
from symcook.words.inputs import Language, Strings, listed, longest, strings

READS = PartsRead("the question hardsoft")

DEFAULT_LENGTH = 6
"""The maximum length without another one, if there are infinitely many strings."""
MOST_WORDS = 20_000
"""The largest number of strings of one length that are run."""
DIGITS = 10
"""Digits of the errors and needed temperatures that are shown."""


@dataclass(frozen=True)
class HardHead:
    """A head in the result. `ties`: whether the maximum of a row is ever tied; `word`: the first string with a tie.
    `untied`: for a leftmost-hard or rightmost-hard head, the tie-breaking term as text, else None."""

    head: str
    ties: bool
    word: str | None
    untied: str | None


@dataclass(frozen=True, eq=False)
class SoftLength(AlikeByText):
    """The results at n input symbols: the gap (None: no two scores of a row differ), the temperatures of Theorem 26
    (None without a gap), by layers (None: every temperature is low enough) and needed (None: no greater error was
    found), and the largest error of the softmax model at the temperature by layers, with the string that has it."""

    n: int
    gamma: Fraction | None
    tau_theorem: Fraction | None
    tau_layers: Fraction | None
    tau_needed: Ball | None
    error: Ball
    word: str

    def to_json(self) -> dict[str, Any]:
        """The row of this length in the document; exact numbers are text."""
        exact_numbers = {
            key: None if value is None else written(value)
            for key, value in (
                ("gamma", self.gamma),
                ("tau_theorem", self.tau_theorem),
                ("tau_layers", self.tau_layers),
            )
        }
        needed = None if self.tau_needed is None else self.tau_needed.to_json()
        return {"n": self.n, **exact_numbers, "tau_needed": needed, "error": self.error.to_json()}


@dataclass(frozen=True)
class GapFails:
    """A string that refutes a claimed gap: `least` is the smallest gap of `head` on it."""

    n: int
    word: str
    head: str
    least: Fraction


@dataclass(frozen=True)
class Decided:
    """The decisions of the hard model on the strings that were run, at the positions of the readout.

    `rejected` is the largest logit that it rejects, `accepted` the smallest that it accepts (None if there is none).
    `threshold` is that of the softmax model; `alike` says that errors cannot reach it, so that both models decide
    alike.
    """

    rejected: Fraction | None
    accepted: Fraction | None
    threshold: Fraction
    alike: bool

    def to_json(self) -> dict[str, Any]:
        ends = {name: None if x is None else written(x) for name, x in
                (("rejected", self.rejected), ("accepted", self.accepted))}  # fmt: skip
        return {**ends, "threshold": written(self.threshold), "alike": self.alike}


@dataclass(frozen=True, repr=False)
class HardSoft(Reply):
    """The result of `hardsoft`.

    `gamma`, `x_max` and `h_max` (one for each layer) are expressions in n, None if none was found. `soft` is the
    softmax model, None if the claimed gap is refuted (`fails`). `decides` is None unless the model accepts by a sign.
    `status` is "CHECKED N", or "REFUTED"; then all fields that depend on the gap are empty.
    """

    REPORT = "hardsoft"

    name: str
    heads: tuple[HardHead, ...]
    gamma: str | None
    x_max: str | None
    h_max: tuple[str | None, ...]
    constants: Mapping[str, str]
    rows: tuple[SoftLength, ...]
    status: str
    soft: Transformer | None
    fails: GapFails | None = None
    decides: Decided | None = None
    inputs: Strings | None = None
    """The strings that were run."""
    extent: Extent = field(kw_only=True)
    """What the strings and the values of parameters are called."""
    claimed: bool = False
    """Whether `gamma` is a gap that was claimed, and not the one that was found."""

    @property
    def holds(self) -> bool | None:
        """Whether no string that was run has a smaller gap than the claimed one; None if no gap was claimed."""
        return False if self.fails is not None else True if self.claimed else None

    @property
    def counterexample(self) -> str | None:
        """The string that refutes the claimed gap; None if it was not refuted."""
        return None if self.fails is None else self.fails.word

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook hardsoft --json``."""
        return self._found() | ({} if self.inputs is None else self.inputs.to_json()) | self.extent.to_json()

    def _found(self) -> dict[str, Any]:
        """The document without the strings that were run; for a refuted gap, only the counterexample."""
        if self.fails is not None:
            refuted = self.fails
            return {
                "heads": [_head_json(head) for head in self.heads],
                "gamma": self.gamma,
                "fails": {"n": refuted.n, "word": refuted.word, "head": refuted.head, "gap": written(refuted.least)},
                "status": "REFUTED",
            }
        return {
            "heads": [_head_json(head) for head in self.heads],
            "gamma": self.gamma,
            "x_max": self.x_max,
            "h_max": list(self.h_max),
            "constants": dict(self.constants),
            "rows": [row.to_json() for row in self.rows],
            "status": self.status,
        } | ({} if self.decides is None else {"decides": self.decides.to_json()})


def _head_json(head: HardHead) -> dict[str, Any]:
    """A head in the document."""
    return {"head": head.head, "ties": head.ties, "untied": head.untied}


@door()
def hardsoft(
    model: Transformer,
    error: str,
    gap: str | None = None,
    max_length: int | None = None,
    *,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    values: Mapping[str, Exact] | None = None,
    progress: Progress | None = None,
) -> HardSoft:
    """A model with softmax attention in place of hard attention, and how low its temperature must be for a given
    error.

    Leftmost-hard and rightmost-hard heads first become average-hard, by a tie-breaking term in i/n that is smaller
    than their score gap (`symcook.compose.untied`). Then the model with hard attention is run exactly on all
    strings of 1 to `max_length` symbols, which gives the smallest score gap, the largest entries before each
    layer, and the constants of Lemmas 25 and 28 to 33 of yang2026. For each length there are three temperatures:
    that of Theorem 26, that by constants of the layers, which the model with softmax gets, and one at which the
    error reaches the limit. The error is certified in rigorous intervals up to `max_length` (status CHECKED N). For
    longer strings the model has the temperature of Theorem 26, from the gap and the sizes as expressions in n;
    where these grow by no known rule, it takes no longer strings.

    Arguments:
        error: str. The maximum L1 error of the final residual stream at each position, an expression in n, the
            number of input symbols.
        gap: str or None (None). A score gap, an expression in n, in place of the one that is found.
        max_length: int or None (None). Strings of 1 to so many symbols are run; by default 6, or the longest of
            finitely many inputs.
        inputs: a list of strings, a regular expression, a file or an automaton (None). The strings to test;
            all by default.
        sample: int or None (None). The number of strings that are drawn at random from `inputs`.
        seed: int (0). The seed of the draw.
        positions: "last", "all" or "after:SYMBOL" (None). The answers that count, for a readout at each position;
            all by default.
        values: {parameter: exact value} (None). A parameter without a value has its default.
        progress: function (None). Called with the work done and the total (None if unknown).

    Returns: HardSoft: the table by length, and the model with softmax as `.model`. `.holds` is False if `gap` is
    larger than the gap of some string.

    Raises: BadInput: too many strings; softmax with scores, norms, other activations than relu, values that are not
    rational; a head whose ties cannot be broken below its gap; an expression that cannot be read or is not
    positive. Undecided: a needed temperature is still unknown with 16,384 bits.

    Example:

    >>> import symcook as sc
    >>> sc.build("induction-most-recent").hardsoft("1/4", max_length=2)
    <HardSoft induction-most-recent: gamma(n) = 1/n, CHECKED 2>

    Source: yang2026, Lemmas 25 and 28 to 33, Theorem 26.
    """
    # 1. Check the arguments, and count the work.
    given, model = model, model.bind(values)
    allowed, claimed = Rate(error, "the error"), None if gap is None else Rate(gap, "gamma")
    strings_to_run = checked(model, max_length, inputs, sample, seed, positions)
    readout, model, lengths = model.readout, strings_to_run.counted(model), strings_to_run.lengths
    extent = strings_to_run.extent(given, values)
    for n in lengths:
        allowed.positive(n)
        if claimed is not None:
            claimed.positive(n)
    tick = _ticker(strings_to_run, progress)
    model = plain_scores(model)
    # 2. Run all strings with hard attention, grouped if the model allows it, and break the ties of unique-hard heads.
    hard = None if strings_to_run.restricted else grouped(model, lengths)
    if hard is None:
        _require_few(strings_to_run, inputs is not None)
        hard = [runs(model, n, strings_to_run.each(n), next(tick)) for n in lengths]
    untied_model, untied_runs, heads = _untied(model, hard, claimed, strings_to_run, tick)
    # 3. The gap at each length: the measured one, or the claimed one unless a string refutes it.
    gaps = {
        length_runs.n: min((ratio_of(sizes.gap[0]) for sizes in length_runs.heads.values() if sizes.gap), default=None)
        for length_runs in untied_runs
    }
    gamma = claimed.text if claimed else fitted({n: g for n, g in gaps.items() if g is not None}, below=True)
    fails = None if claimed is None else _counterexample(untied_model, untied_runs, claimed)
    if claimed is not None and fails is not None:
        empty = (None, (), {}, ())
        return HardSoft(
            model.name, heads, gamma, *empty, "REFUTED", None, fails,
            inputs=strings_to_run, claimed=True, extent=extent,
        )  # fmt: skip
    if claimed is not None:
        gaps = {n: claimed.positive(n) if g is not None else None for n, g in gaps.items()}
    # 4. The sizes as expressions in n, if a rule fits the values at all lengths.
    x_max = fitted({length_runs.n: _least_one(length_runs.greatest[0]) for length_runs in untied_runs}, below=False)
    h_max = tuple(
        fitted({length_runs.n: _least_one(length_runs.greatest[k]) for length_runs in untied_runs}, below=False)
        for k in range(len(model.layers))
    )
    # 5. The temperatures and the error at each length.
    constants = Constants(untied_model)
    soft_lengths, taus = [], dict[int, Fraction]()
    for length_runs in untied_runs:
        row, tau = _length_row(
            untied_model, length_runs, gaps[length_runs.n], constants, allowed.positive(length_runs.n), next(tick)
        )
        soft_lengths.append(row)
        taus[length_runs.n] = Fraction(1) if tau is None else tau
    coldest = min(taus.values())  # for lengths at which no string was run
    by_length = [taus.get(n, coldest) for n in range(1, max(taus) + 1)]
    # 6. The softmax model. Longer strings get the temperature of Theorem 26, if gap and sizes follow rules.
    tail = None
    if gamma is not None and x_max is not None:
        tail = constants.rule(at_most_one(gamma), x_max, at_most_one(allowed.text))
    soft = _soft_model(untied_model, by_length, tail, model, error)
    soft, decides = _with_threshold(soft, untied_runs, max(map(allowed.positive, lengths)))
    # Restore the readout of the given model, since `strings_to_run.counted` may have changed its positions.
    answers = replace(readout, reads=soft.readout.reads, weights=soft.readout.weights)
    soft = replace(soft, readout=answers)
    status = f"CHECKED {strings_to_run.longest}"
    sizes_and_rows = (gamma, x_max, h_max, constants.told(), tuple(soft_lengths))
    return HardSoft(
        model.name, heads, *sizes_and_rows, status, soft,
        decides=decides, inputs=strings_to_run, claimed=claimed is not None, extent=extent,
    )  # fmt: skip


def _untied(
    model: Transformer,
    hard: list[HardRuns],
    claimed: Rate | None,
    strings_to_run: Strings,
    tick: Iterator[Callable[[], None]],
) -> tuple[Transformer, list[HardRuns], tuple[HardHead, ...]]:
    """(the model with average-hard heads only, its runs at each length, the heads of the result)."""
    unique, added = [place for place in head_places(model) if place.head.weighting in UNIQUE], model.embedding.added
    terms = {place[:2]: _term(place, hard, claimed, added) for place in unique}
    heads = tuple(_result_head(place, hard, terms.get(place[:2]), added) for place in head_places(model))
    if not terms:
        return model, hard, heads
    untied_model = untie(model, {place: _at_positions(term, added) for place, term in terms.items()})
    # Tie-breaking terms make gaps smaller, so gaps are measured again. The final residual streams must be the same.
    untied_runs = [runs(untied_model, n, strings_to_run.each(n), next(tick)) for n in strings_to_run.lengths]
    for before, after in zip(hard, untied_runs, strict=True):
        pairs = zip(before.ends, after.ends, strict=True)
        if any(end != {name: end_after[name] for name in end} for end, end_after in pairs):
            raise RuntimeError("tie-breaking terms changed the run with hard attention")
    return untied_model, untied_runs, heads


def _least_one(value: fmpq) -> Fraction:
    """A size as a Fraction, at least 1, as the lemmas require."""
    return max(ratio_of(value), Fraction(1))


def checked(
    model: Transformer,
    max_length: int | None,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
) -> Strings:
    """The strings to run; BadInput for a model outside the hypotheses of Theorem 26."""
    if not model.alphabet or model.embedding.words is None:
        raise BadInput("the model must read strings", f"{model.name}, which reads numbers", "choose another model")
    if model.normed:
        raise BadInput(
            "the model must be without layer norm, as in Theorem 26", model.name, "give a model without layer norm"
        )
    for place in head_places(model):
        if place.head.weighting == "softmax" and not place.head.uniform:
            must = "a model to be softened must have hard attention"
            raise BadInput(must, f"softmax in {place} of {model.name}", "symcook bound error is for softmax models")
    for number, layer in enumerate(READS.of(model).layers, 1):
        if layer.feedforward is not None and layer.feedforward.activation != "relu":
            foreign_activation = f"{layer.feedforward.activation} in layer {number}"
            raise BadInput(
                "the activation must be relu, whose Lipschitz constant is 1",
                foreign_activation,
                "give a model with only relu as activation",
            )
    if max_length is None:
        inputs = listed(inputs)
        max_length = DEFAULT_LENGTH if inputs is None else longest(model, inputs, DEFAULT_LENGTH)
    model.check_length(max_length + model.embedding.added)
    return strings(model, range(1, max_length + 1), inputs, sample, seed, positions)


def _require_few(strings_to_run: Strings, restricted: bool) -> None:
    """Raise BadInput if the strings of a length are too many to run each of them."""
    if (largest_count := max(map(strings_to_run.many, strings_to_run.lengths))) > MOST_WORDS:
        must = f"there must be at most {MOST_WORDS:,} strings of each length"
        do = "give --sample 1000" if restricted else "give a smaller --max-length"
        raise BadInput(must, f"{largest_count:,}", do)


def _at_positions(text: str, added: int) -> str:
    """An expression in the number of input symbols as one in the number of positions, of which the model adds
    `added`. For the empty string, which was not run, it has the value for one symbol."""
    return from_sympy(exact(text).subs(symbol("n"), exact(f"max(n - {added}, 1)"))) if added else text


def _term(place: HeadPlace, hard: Sequence[HardRuns], claimed: Rate | None, added: int) -> str:
    """An expression c in the number of input symbols such that c times i/(the number of positions) breaks the ties of a
    head and is smaller than its gap, at every length that was run; BadInput if none is found."""
    gaps = {length_runs.n: length_runs.heads[place[:2]].gap for length_runs in hard}
    least = {n: ratio_of(gap[0]) for n, gap in gaps.items() if gap is not None}
    # All scores are equal: any term breaks the ties.
    if not least:
        return "1"
    # The claimed gap times the number of positions, if it is at most the measured gap at all lengths.
    positions = _many_positions(added)
    if claimed is not None and all(claimed.positive(n) * (n + added) <= value for n, value in least.items()):
        return f"{positions}*({claimed.text})"
    # Otherwise the measured gap as c/n^k.
    fitted_gap = fitted(least, below=True)
    if fitted_gap is not None:
        return fitted_gap
    # Neither: raise an error with the string that has the smallest gap.
    n, gap = min(((n, gap) for n, gap in gaps.items() if gap is not None), key=lambda pair: pair[1][0])
    gap_text = f"{place}, {place.head.weighting}: scores of the string {gap[1]} differ by {written(ratio_of(gap[0]))}"
    if claimed is None:
        do = f"give --gap with an expression that {positions} times stays below"
        raise BadInput(
            "the ties of a head must be broken by less than its score gap, which must be c/n^k with k <= 3",
            gap_text,
            do,
        )
    must = (
        f"{positions} times gamma must stay smaller than the score gap of a head whose ties are broken; n is {n}"
    )
    raise BadInput(must, f"{claimed.text}; {gap_text}", "give a smaller --gap")


def _many_positions(added: int) -> str:
    """The number of positions of a string with n input symbols, as text."""
    return f"(n + {added})" if added else "n"


def _result_head(place: HeadPlace, hard: Sequence[HardRuns], term: str | None, added: int) -> HardHead:
    """A head of the result, with its first tie and the term that breaks its ties; n counts input symbols."""
    word = next(
        (length_runs.heads[place[:2]].tied for length_runs in hard if length_runs.heads[place[:2]].tied is not None),
        None,
    )
    untied = None
    if term is not None:
        sign = "+" if UNIQUE[place.head.weighting] > 0 else "-"
        untied = f"scores {sign} ({term})*i/{_many_positions(added)} in place of {place.head.weighting}"
    return HardHead(str(place), word is not None, word, untied)


def _counterexample(model: Transformer, all_runs: Sequence[HardRuns], claimed: Rate) -> GapFails | None:
    """At the first length and head with a gap below the claimed one: the string with the smallest gap. None if there is
    none."""
    for length_runs in all_runs:
        for place in head_places(model):
            least_gap = length_runs.heads[place[:2]].gap
            if least_gap is not None and ratio_of(least_gap[0]) < claimed.positive(length_runs.n):
                return GapFails(length_runs.n, least_gap[1], str(place), ratio_of(least_gap[0]))
    return None


def _length_row(
    model: Transformer,
    length_runs: HardRuns,
    gamma: Fraction | None,
    constants: Constants,
    allowed: Fraction,
    tick: Callable[[], None],
) -> tuple[SoftLength, Fraction | None]:
    """(results at a length, temperature by layers; None: every temperature is low enough). `gamma` is the gap there,
    `allowed` the largest allowed error."""
    x = _least_one(length_runs.greatest[0])
    # The temperatures by layers and, if some head has scores, by Theorem 26; then the error at the one by layers.
    layers = ByLayer(model, length_runs).warmest(allowed)
    theorem = None if gamma is None or not constants.scored else constants.tau(length_runs.n, gamma, x, allowed)
    tau = Fraction(1) if layers is None else layers
    soft = soft_at(model, tau)
    worst, where = error_in_balls(soft, length_runs.words, length_runs.ends, arb_of(allowed), tick)
    if worst > arb_of(allowed):
        raise RuntimeError(f"{model.name} is off by {worst} at {length_runs.words[where]}, more than by its layers")
    if not worst <= arb_of(allowed):
        said = model.embedding.said(length_runs.words[where])
        raise Undecided(f"the error of the softmax model at {said} was undecided at {LIMIT_BITS} bits")
    needed = None if layers is None else _needed(model, length_runs, layers, allowed)
    word = model.embedding.written(length_runs.words[where])
    row = SoftLength(length_runs.n, gamma, theorem, layers, needed, ball(worst, DIGITS), word)
    return row, layers


def _needed(model: Transformer, length_runs: HardRuns, low: Fraction, allowed: Fraction) -> Ball | None:
    """The needed temperature as a ball: at its lower end no string has an error above `allowed` (by balls for the
    strings that come near it in float64), at its upper end some string has. `low` is a temperature that is low enough.
    None if no greater error is found; Undecided if no interval around the estimate is confirmed."""
    try:
        search = Floats(model, length_runs).needed(allowed, low)
    except BadInput:  # a weight beyond the range of float64, in which the search runs
        search = low, list(range(len(length_runs.words)))
    if search is None:
        return None
    close_to, words = search
    bound = arb_of(allowed)
    # Try larger and larger intervals around the float64 estimate. At the cold end, the error of all strings near the
    # limit must be within it; at the warm end, that of the worst string must be above it.
    for width in (NEAR, 10 * NEAR, 100 * NEAR):
        cold, warm = max(low, close_to * (1 - width)), close_to * (1 + width)
        worst, _ = error_in_balls(
            soft_at(model, cold), [length_runs.words[k] for k in words], [length_runs.ends[k] for k in words], bound
        )
        error_when_warmer, _ = error_in_balls(
            soft_at(model, warm), [length_runs.words[words[0]]], [length_runs.ends[words[0]]], bound
        )
        if worst <= bound and error_when_warmer > bound:
            return ball(hull(cold, warm, BITS), DIGITS)
    raise Undecided(
        f"the temperature that {model.name} needs at n = {length_runs.n} was undecided near {float(close_to):.3g}"
    )


def _soft_model(
    untied_model: Transformer, taus: Sequence[Fraction], tail: str | None, model: Transformer, error: str
) -> Transformer:
    """The softmax model. `taus` has the temperatures of lengths 1, 2, ..., and `tail` the rule for longer strings
    (None: the model then accepts no longer strings, if a head has scores)."""
    first = 1 + untied_model.embedding.added
    table, last = table_of(list(taus), first, "n"), first + len(taus)
    longest = untied_model.max_length
    if tail is not None:
        typed = symbol("n") - untied_model.embedding.added  # the expressions count what a user types
        shifted_tail = from_sympy(exact(tail).subs(symbol("n"), typed)) if untied_model.embedding.added else tail
        table = f"if(n < {last}, {table}, {shifted_tail})"
    elif any(not place.head.uniform for place in head_places(untied_model)):
        # Without a rule the temperatures are known only for the lengths that were run.
        longest = len(taus) + untied_model.embedding.added
    soft = soft_at(untied_model, table)
    source = f"softmax in place of hard attention, within {error} (yang2026, Theorem 26)"
    return replace(soft, name=f"{model.name} soft", source=source, max_length=longest, program=None)


def _with_threshold(
    soft: Transformer, all_runs: Sequence[HardRuns], allowed: Fraction
) -> tuple[Transformer, Decided | None]:
    """The softmax model with a threshold that errors of up to `allowed` cannot reach on the strings that were run, and
    the decisions of the hard model; a model that does not accept by a sign stays as it is (None).

    The threshold is half way between the logits that the hard model accepts and rejects. If it accepts all or rejects
    all strings, the threshold is moved away from their logits as far as errors require. If the logits of both kinds are
    at most twice the error apart, it stays 0.
    """
    readout = soft.readout
    if not readout.signed:
        return soft, None
    (weights,) = rows_of(readout.weights)
    # The logits of the hard model, split by its decision.
    logits = [
        x
        for length_runs in all_runs
        for x in (_logits(soft, length_runs, weights) if length_runs.logits is None else length_runs.logits)
    ]
    accepted, rejected = [x for x in logits if x > 0], [x for x in logits if x <= 0]
    low = ratio_of(max(rejected)) if rejected else None
    high = ratio_of(min(accepted)) if accepted else None
    # Only coordinates that some sublayer writes carry an error.
    inexact = {name for place in head_places(soft) for name in place.head.writes}
    inexact |= {name for layer in READS.of(soft).layers if layer.feedforward for name in layer.feedforward.writes}
    weights_with_error = (abs(w) for w, name in zip(weights, readout.reads, strict=True) if name in inexact)
    logit_error = max(weights_with_error, default=Fraction(0)) * allowed
    # Only one side occurs, or the two sides are farther apart than both errors together.
    alike = low is None or high is None or logit_error < (high - low) / 2
    middle = Fraction(0)
    # The threshold: half way; or, where all is rejected or all accepted, beyond what errors can reach.
    if low is not None and high is not None:
        middle = (low + high) / 2 if alike else middle
    elif low is not None:
        middle = max(low + logit_error, middle)
    elif high is not None:
        middle = min(high - 2 * logit_error, middle)
    decided = Decided(low, high, middle, alike)
    if middle == 0:
        return soft, decided
    # A threshold other than 0 is a weight at a coordinate that is 1.
    soft, constant_name = with_position(soft, "one", "1")
    reads, row = [*readout.reads], list(weights)
    if constant_name in reads:
        row[reads.index(constant_name)] -= middle
    else:
        reads, row = [*reads, constant_name], [*row, -middle]
    return replace(soft, readout=replace(readout, reads=tuple(reads), weights=[row])), decided


def _logits(soft: Transformer, length_runs: HardRuns, weights: Sequence[Fraction]) -> Iterator[fmpq]:
    """The logits of the hard model at the positions where they count."""
    readout = soft.readout
    for word, end in zip(length_runs.words, length_runs.ends, strict=True):
        for k in readout.counted(soft.tokens(word), readout.places(length_runs.n + soft.embedding.added)):
            named = zip(weights, readout.reads, strict=True)
            yield sum((flint_of(w) * end[name][k] for w, name in named if name in end), ZERO)


def _ticker(strings_to_run: Strings, progress: Progress | None) -> Iterator[Callable[[], None]]:
    """An endless iterator of functions to call after each string; one for each pass over the strings of a length.
    Progress is reported as if there were three passes over all strings."""
    total = 3 * strings_to_run.count
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if progress is not None and done % 64 == 0:
            progress(min(done, total), total)

    while True:
        yield tick
