"""Soft attention for average-hard attention: how cold it must be, and a model that is so cold (yang2026, Section 5).

For each length the hard model is run on every word, exactly: gamma(n) is the smallest difference between a largest
score and another one, x_max(n) the largest entry of an embedding, at least 1, and h_max by layer the largest entry that
the layer reads. Three temperatures follow.

By Theorem 26, corrected as `yang2026.thm26.tau` says (L K for K), with the constants of Lemmas 25 and 28 to 33, from
gamma and x_max alone. By layer: from each head's own gap, and how far an error in one coordinate can move its scores
and values, by their sizes on these words:

    after a head: e_c + w/2 range_c + sum |V_ck| e_k, w = 2 (n-1) x/(1 + (n-1) x) + 2 tanh(T/(2 tau)), x = e^(-gap/tau)
    T = sum q_b e_b + sum k_a e_a + sum |M_ab| e_a e_b, M = scale Q^T K, q = |x M| and k = |M z| at most on these words

after a network sum |W2| |W1| e more, since relu moves no further than what it is given. Beside the errors of
coordinates their sum is bounded in the same way, and the smaller one counts. w is Lemma 32 with sharp constants
(`yang2026.lemma32.hard`, `lem.sm_distance_sharp`); range_c is how far the values of a word lie apart. And needed is the
temperature between one at which no word has a greater error, of those that come near it in float64 by balls, and a
little warmer one at which balls show a word that has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from flint import fmpq

from symcook.bounds.arguments import written
from symcook.bounds.growth import rows_of
from symcook.bounds.hardgroups import grouped
from symcook.bounds.hardruns import ZERO, HardRuns, HeadPlace, flint_of, head_places, runs
from symcook.bounds.theorem26 import Constants, Rate, at_most_one, fitted
from symcook.bounds.warmth import BITS, NEAR, ByLayer, Floats, error_in_balls, soft_at
from symcook.compose.cooling import plain_scores
from symcook.compose.states import table_of
from symcook.compose.untied import UNIQUE, untie, with_position
from symcook.door import Progress, door
from symcook.errors import BadInput, Undecided
from symcook.model.answers import Reply
from symcook.model.symbols import Exact, exact, from_sympy, symbol
from symcook.model.transformer import Transformer
from symcook.numbers.balls import Ball, arb_of, ball, hull, ratio_of
from symcook.words.inputs import Language, Strings, strings

MOST_WORDS = 20_000
"""The largest number of words of one length that are run."""
DIGITS = 10


@dataclass(frozen=True)
class HardHead:
    """A head: whether scores of a row are ever tied (and the first word), and what breaks its ties, if it broke them
    by place."""

    head: str
    ties: bool
    word: str | None
    untied: str | None


@dataclass(frozen=True)
class SoftLength:
    """A length. Temperatures are None where every one will do; `error` is that of the soft model, at its worst word."""

    n: int
    gamma: Fraction | None
    tau_theorem: Fraction | None
    tau_layers: Fraction | None
    tau_needed: Ball | None
    error: Ball
    word: str

    def to_json(self) -> dict[str, Any]:
        """The row of this length in the document; numbers that are exact as text."""
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
    """A word at which a gap that was claimed is too large."""

    n: int
    word: str
    head: str
    least: Fraction


@dataclass(frozen=True)
class Decided:
    """How the hard model decides the words that were run: the largest logit that it rejects and the smallest that it
    accepts, at the places of the readout, None where there is none; the `threshold` that the soft model has, and
    whether errors cannot reach it (`alike`)."""

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
    """The answer: see `hardsoft`. `gamma`, `x_max` and `h_max` are None where no expression was found; `soft` is the
    model, None where the claimed gap fails. `decides` says of a model that accepts by a sign whether the soft one
    accepts and rejects alike on all words that were run; None of other models."""

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
    """What was run."""

    @property
    def holds(self) -> bool:
        """Whether no word has a smaller gap than the one that was claimed."""
        return self.fails is None

    def to_json(self) -> dict[str, Any]:
        """The document of ``symcook hardsoft --json``."""
        return self._found() | ({} if self.inputs is None else self.inputs.to_json())

    def _found(self) -> dict[str, Any]:
        """The document without the strings that were asked about; of a claimed gap that fails, the counterexample
        alone."""
        if self.fails is not None:
            lost = self.fails
            return {
                "heads": [_head_json(head) for head in self.heads],
                "gamma": self.gamma,
                "fails": {"n": lost.n, "word": lost.word, "head": lost.head, "gap": written(lost.least)},
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
    max_length: int = 6,
    *,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
    values: Mapping[str, Exact] | None = None,
    progress: Progress | None = None,
) -> HardSoft:
    """Softmax attention in place of hard, within an error that you give.

    First, leftmost-hard and rightmost-hard heads become average-hard, by a tie-breaking term in i/n that is smaller
    than their score gap. Then the model with hard attention is run exactly on all strings of up to N symbols. This
    gives the smallest score gap, the largest entries before each layer, and the constants of Lemmas 25 and 28 to 33 of
    Yang et al. (2026). For each length three temperatures are shown: that of Theorem 26, that by constants of the
    layers, which the model with softmax gets, and the one that is needed. The error of the model with softmax is
    certified in rigorous intervals. Exit 1 where --gap is larger than the gap of some string.

    For example: symcook hardsoft induction-most-recent --error 1/4 --max-length 4 -o soft.json

    error EXPR: Maximum L1 error at each position; in --error and --gap, n is the number of input symbols.
    gap EXPR: A gap of the scores, an expression in n, in place of what is found.
    max_length N: Strings of up to N symbols are run.
    file -o/--output FILE: Write the model with softmax.

    Heads are untied by `symcook.compose.untied`. Since all is found on all words to `max_length`, and certified there,
    the status is CHECKED N. Beyond, the model has the temperature of Theorem 26 from the gap and the sizes that were
    found, as expressions; where these grow by no rule that is known, it takes no longer words.

    Raises BadInput for a model with words that are too many, softmax with scores, norms, other activations than relu,
    values that are not rational; a head whose ties cannot be broken below its gap; an expression that cannot be read
    or is not positive. Source: yang2026, Lemmas 25 and 28 to 33, Theorem 26.
    """
    model = model.bind(values)
    allowed, claimed = Rate(error, "the error"), None if gap is None else Rate(gap, "gamma")
    asked = checked(model, max_length, inputs, sample, seed, positions)
    readout, model, lengths = model.readout, asked.counted(model), asked.lengths
    for n in lengths:
        allowed.positive(n)
        if claimed is not None:
            claimed.positive(n)
    tick = _ticker(asked, progress)
    model = plain_scores(model)
    # All strings with hard attention: grouped where the model allows it, else one by one.
    hard = None if asked.restricted else grouped(model, lengths)
    if hard is None:
        _few(asked, inputs is not None)
        hard = [runs(model, n, asked.each(n), next(tick)) for n in lengths]
    loose, loose_runs, heads = _untied(model, hard, claimed, asked, tick)
    # The gap at each length: as measured, or as claimed where no string has a smaller one.
    gaps = {
        at.n: min((ratio_of(sizes.gap[0]) for sizes in at.heads.values() if sizes.gap), default=None)
        for at in loose_runs
    }
    gamma = claimed.text if claimed else fitted({n: g for n, g in gaps.items() if g is not None}, below=True)
    fails = None if claimed is None else _fails(loose, loose_runs, claimed)
    if claimed is not None and fails is not None:
        return HardSoft(model.name, heads, gamma, None, (), {}, (), "REFUTED", None, fails, inputs=asked)
    if claimed is not None:
        gaps = {n: claimed.positive(n) if g is not None else None for n, g in gaps.items()}
    # The sizes as expressions in n, where a rule fits what was found at all lengths.
    x_max = fitted({at.n: _least_one(at.greatest[0]) for at in loose_runs}, below=False)
    h_max = tuple(
        fitted({at.n: _least_one(at.greatest[k]) for at in loose_runs}, below=False) for k in range(len(model.layers))
    )
    # The temperatures and the error at each length.
    known = Constants(loose)
    soft_lengths, taus = [], dict[int, Fraction]()
    for at in loose_runs:
        row, tau = _row(loose, at, gaps[at.n], known, allowed.positive(at.n), next(tick))
        soft_lengths.append(row)
        taus[at.n] = Fraction(1) if tau is None else tau
    coldest = min(taus.values())  # of a length at which no string was asked about
    by_length = [taus.get(n, coldest) for n in range(1, max(taus) + 1)]
    # Longer strings get the temperature of Theorem 26, if gap and sizes follow rules.
    tail = None
    if gamma is not None and x_max is not None:
        tail = known.rule(at_most_one(gamma), x_max, at_most_one(allowed.text))
    soft = _model(loose, by_length, tail, model, error)
    soft, decides = _between(soft, loose_runs, max(map(allowed.positive, lengths)))
    # Back from the positions that were asked about to those of the model.
    answers = replace(readout, reads=soft.readout.reads, weights=soft.readout.weights)
    soft = replace(soft, readout=answers)  # at its own positions
    status = f"CHECKED {max_length}"
    sizes_and_rows = (gamma, x_max, h_max, known.told(), tuple(soft_lengths))
    return HardSoft(model.name, heads, *sizes_and_rows, status, soft, decides=decides, inputs=asked)


def _untied(
    model: Transformer, hard: list[HardRuns], claimed: Rate | None, asked: Strings, tick: Iterator[Callable[[], None]]
) -> tuple[Transformer, list[HardRuns], tuple[HardHead, ...]]:
    """The model with average-hard heads only, its runs, and what the answer says of each head."""
    unique = [place for place in head_places(model) if place.head.weighting in UNIQUE]
    terms = {place[:2]: _term(place, hard, claimed) for place in unique}
    heads = tuple(_told(place, hard, terms.get(place[:2])) for place in head_places(model))
    if not terms:
        return model, hard, heads
    loose = untie(model, terms)
    # Tie-breaking terms make gaps smaller, so they are measured again; what each run ends with must be the same.
    loose_runs = [runs(loose, n, asked.each(n), next(tick)) for n in asked.lengths]
    for before, after in zip(hard, loose_runs, strict=True):
        pairs = zip(before.ends, after.ends, strict=True)
        if any(end != {name: end_after[name] for name in end} for end, end_after in pairs):
            raise RuntimeError("tie-breaking terms changed the run with hard attention")
    return loose, loose_runs, heads


def _least_one(value: fmpq) -> Fraction:
    """A size, at least 1, as the lemmas need it."""
    return max(ratio_of(value), Fraction(1))


def checked(
    model: Transformer,
    max_length: int,
    inputs: Language | None = None,
    sample: int | None = None,
    seed: int = 0,
    positions: str | None = None,
) -> Strings:
    """The strings to run; BadInput for a model that Theorem 26 does not speak of."""
    if not model.alphabet or model.embedding.words is None:
        raise BadInput("the model must read strings", f"{model.name}, which reads numbers", "choose a language model")
    if model.normed:
        raise BadInput("the model must be without layer norm, as in Theorem 26", model.name)
    for place in head_places(model):
        if place.head.weighting == "softmax" and not place.head.uniform:
            must = "a model to be softened must have hard attention"
            raise BadInput(must, f"softmax in {place} of {model.name}", "symcook bound error is for softmax models")
    for number, layer in enumerate(model.layers, 1):
        if layer.feedforward is not None and layer.feedforward.activation != "relu":
            foreign_activation = f"{layer.feedforward.activation} in layer {number}"
            raise BadInput("the activation must be relu, whose Lipschitz constant is 1", foreign_activation)
    model.check_length(max_length + model.embedding.added)
    return strings(model, range(1, max_length + 1), inputs, sample, seed, positions)


def _few(asked: Strings, restricted: bool) -> None:
    """BadInput where the strings are too many to run each."""
    if (largest_count := max(map(asked.many, asked.lengths))) > MOST_WORDS:
        must = f"there must be at most {MOST_WORDS:,} strings of a length"
        do = "give --sample 1000" if restricted else "give a smaller --max-length"
        raise BadInput(must, f"{largest_count:,}", do)


def _term(place: HeadPlace, hard: Sequence[HardRuns], claimed: Rate | None) -> str:
    """What times i/n breaks the ties of a head below its gap; BadInput where nothing does at every length."""
    gaps = {at.n: at.heads[place[:2]].gap for at in hard}
    least = {n: ratio_of(gap[0]) for n, gap in gaps.items() if gap is not None}
    # The scores are all equal: any term breaks the ties.
    if not least:
        return "1"
    # n times the claimed gap is below the gap at all lengths, so that times i/n it is a term.
    if claimed is not None and all(claimed.positive(n) * n <= value for n, value in least.items()):
        return f"n*({claimed.text})"
    # Else the gap as c/n^k.
    fitted_gap = fitted(least, below=True)
    if fitted_gap is not None:
        return fitted_gap
    # Neither: refuse, with the string that has the smallest gap.
    n, gap = min(((n, gap) for n, gap in gaps.items() if gap is not None), key=lambda pair: pair[1][0])
    gap_text = f"{place}, {place.head.weighting}: scores of the string {gap[1]} differ by {written(ratio_of(gap[0]))}"
    if claimed is None:
        do = "give --gap with an expression that n times stays below"
        raise BadInput(
            "the ties of a head must be broken by less than its score gap, which must be c/n^k with k <= 3",
            gap_text,
            do,
        )
    must = f"n times gamma must stay smaller than the score gap of a head whose ties are broken, also at n = {n}"
    raise BadInput(must, f"{claimed.text}; {gap_text}", "give a smaller --gap")


def _told(place: HeadPlace, hard: Sequence[HardRuns], term: str | None) -> HardHead:
    """What the answer says of a head: its first tie, and the term that breaks it."""
    word = next((at.heads[place[:2]].tied for at in hard if at.heads[place[:2]].tied is not None), None)
    untied = None
    if term is not None:
        sign = "+" if UNIQUE[place.head.weighting] > 0 else "-"
        untied = f"scores {sign} ({term})*i/n in place of {place.head.weighting}"
    return HardHead(str(place), word is not None, word, untied)


def _fails(model: Transformer, met: Sequence[HardRuns], claimed: Rate) -> GapFails | None:
    """The first word at which the gap that is claimed is more than there is."""
    for at in met:
        for place in head_places(model):
            least_gap = at.heads[place[:2]].gap
            if least_gap is not None and ratio_of(least_gap[0]) < claimed.positive(at.n):
                return GapFails(at.n, least_gap[1], str(place), ratio_of(least_gap[0]))
    return None


def _row(
    model: Transformer,
    at: HardRuns,
    gamma: Fraction | None,
    known: Constants,
    allowed: Fraction,
    tick: Callable[[], None],
) -> tuple[SoftLength, Fraction | None]:
    """What is found at a length, and the temperature by layer."""
    x = _least_one(at.greatest[0])
    # By layers; by Theorem 26, where some head has scores at all; and then the error at the temperature by layers.
    layers = ByLayer(model, at).warmest(allowed)
    theorem = None if gamma is None or not known.scored else known.tau(at.n, gamma, x, allowed)
    tau = Fraction(1) if layers is None else layers
    soft = soft_at(model, tau)
    worst, where = error_in_balls(soft, at.words, at.ends, tick)
    if not worst <= arb_of(allowed):
        raise AssertionError(f"{model.name} is off by {worst} at {at.words[where]}, more than by its layers")
    needed = None if layers is None else _needed(model, at, layers, allowed)
    word = model.embedding.written(at.words[where])
    row = SoftLength(at.n, gamma, theorem, layers, needed, ball(worst, DIGITS), word)
    return row, layers


def _needed(model: Transformer, at: HardRuns, low: Fraction, allowed: Fraction) -> Ball | None:
    """The temperature that is needed, in a ball: none at its lower end has a greater error, and one at its upper."""
    search = Floats(model, at).needed(allowed, low)
    if search is None:
        return None
    close_to, words = search
    bound = arb_of(allowed)
    # Around the floating-point estimate, in wider and wider steps: no string that comes near may err more at the cold
    # end, and the worst one must at the warm end.
    for far in (NEAR, 10 * NEAR, 100 * NEAR):
        cold, warm = max(low, close_to * (1 - far)), close_to * (1 + far)
        worst, _ = error_in_balls(soft_at(model, cold), [at.words[k] for k in words], [at.ends[k] for k in words])
        error_when_warmer, _ = error_in_balls(soft_at(model, warm), [at.words[words[0]]], [at.ends[words[0]]])
        if worst <= bound and error_when_warmer > bound:
            return ball(hull(cold, warm, BITS), DIGITS)
    raise Undecided(f"the temperature that {model.name} needs at n = {at.n} was undecided near {float(close_to):.3g}")


def _model(
    loose: Transformer, taus: Sequence[Fraction], tail: str | None, model: Transformer, error: str
) -> Transformer:
    """The soft model: the temperatures that were found, and the rule for longer words."""
    first = 1 + loose.embedding.added
    table, last = table_of(list(taus), first, "n"), first + len(taus)
    longest = loose.max_length
    if tail is not None:
        typed = symbol("n") - loose.embedding.added  # the expressions count what a user types
        moved = from_sympy(exact(tail).subs(symbol("n"), typed)) if loose.embedding.added else tail
        table = f"if(n < {last}, {table}, {moved})"
    elif any(not place.head.uniform for place in head_places(loose)):
        # Without a rule the temperatures are known only for the lengths that were run.
        longest = len(taus) + loose.embedding.added
    soft = soft_at(loose, table)
    source = f"softmax in place of hard attention, within {error} (yang2026, Theorem 26)"
    return replace(soft, name=f"{model.name} soft", source=source, max_length=longest, program=None)


def _between(soft: Transformer, met: Sequence[HardRuns], allowed: Fraction) -> tuple[Transformer, Decided | None]:
    """The soft model with its threshold where errors cannot reach it on the words that were run, since a bit that is 0
    is no longer exactly so: half way between what the hard one accepts and rejects; where it accepts all or rejects
    all, as far from 0 as errors ask for. It stays where the two are nearer than errors."""
    readout = soft.readout
    if not readout.signed:
        return soft, None
    (weights,) = rows_of(readout.weights)
    # The logits of the hard model, split by its decision.
    logits = [x for at in met for x in (_logits(soft, at, weights) if at.logits is None else at.logits)]
    accepted, rejected = [x for x in logits if x > 0], [x for x in logits if x <= 0]
    low = ratio_of(max(rejected)) if rejected else None
    high = ratio_of(min(accepted)) if accepted else None
    # Only coordinates that some sublayer writes carry an error.
    inexact = {name for place in head_places(soft) for name in place.head.writes}
    inexact |= {name for layer in soft.layers if layer.feedforward for name in layer.feedforward.writes}
    moved = (abs(w) for w, name in zip(weights, readout.reads, strict=True) if name in inexact)
    off = max(moved, default=Fraction(0)) * allowed
    # The two sides are farther apart than both errors together.
    alike = low is None or high is None or off < (high - low) / 2
    middle = Fraction(0)
    # The threshold: half way; or, where all is rejected or all accepted, beyond what errors can reach.
    if low is not None and high is not None:
        middle = (low + high) / 2 if alike else middle
    elif low is not None:
        middle = max(low + off, middle)
    elif high is not None:
        middle = min(high - 2 * off, middle)
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


def _logits(soft: Transformer, at: HardRuns, weights: Sequence[Fraction]) -> Iterator[fmpq]:
    """The logits of the hard model at the places that count."""
    readout = soft.readout
    for word, end in zip(at.words, at.ends, strict=True):
        for k in readout.counted(soft.tokens(word), readout.places(at.n + soft.embedding.added)):
            named = zip(weights, readout.reads, strict=True)
            yield sum((flint_of(w) * end[name][k] for w, name in named if name in end), ZERO)


def _ticker(asked: Strings, progress: Progress | None) -> Iterator[Callable[[], None]]:
    """For each sweep through the words of a length what is called after each word."""
    total = 3 * asked.count
    done = 0

    def tick() -> None:
        nonlocal done
        done += 1
        if progress is not None and done % 64 == 0:
            progress(min(done, total), total)

    while True:
        yield tick
