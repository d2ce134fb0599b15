"""To which length float weights are certain to decide as the exact model does, in any runtime of the error model.

For every string of a length, the set of possible outputs must lie on one side of the threshold. That set
(`symcook.domains.rounding`) contains the exact output and the output of every runtime with the rounded weights. Strings
are grouped where the model allows it: by running sums, else into boxes of strings (`symcook.words.rounded` for both) or
by what may stand at each position (`symcook.words.possible`); what remains is run one by one. The margin at a length is
the smallest distance of such a set from the threshold. Where the readout decides nothing, the error is the largest
width of such a set: how far a float value can be from the exact one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any

from symcook.domains import rounding
from symcook.domains.ball import BallValue
from symcook.domains.exact import Exact
from symcook.door import Progress
from symcook.errors import BadInput, NoRun, NotExact, Undecided, chosen
from symcook.export import infloats
from symcook.export.archive import Archive, ArraysRead, arrays, has_network, numbered
from symcook.export.infloats import OutputEnds, decision, rejection
from symcook.forward import forward
from symcook.locks import PRECISION
from symcook.model.checks import filled
from symcook.model.parts import HEADS, held_matrices
from symcook.model.rationals import consecutive, outward
from symcook.model.reads import BIASED_HEADS, NORMS_AND_GATES, ROTARY_HEADS, PartsRead
from symcook.model.steps import (
    Activate,
    Attend,
    ByDistance,
    Centre,
    DivideByRms,
    LinearMap,
    Multiply,
    PartStep,
    Products,
    Read,
    Rotate,
    ScaleEntries,
    unknown_step,
)
from symcook.model.transformer import Transformer
from symcook.words.exact import Prefixes
from symcook.words.inputs import Strings
from symcook.words.possible import SAYS, outputs
from symcook.words.rounded import CLASSES, LEVELS, MOST_STATES, Box, Boxed, Hulls, boxes, cells, streams

READS = PartsRead("the guarantee", **NORMS_AND_GATES, **BIASED_HEADS, **ROTARY_HEADS)

RUNS = 1000
"""The greatest number of runs of boxes for one certificate and one order of division."""
MOST_PRODUCTS = 2_000_000
"""The greatest number of products of weights in all runs of boxes for a certificate and one order of division, and in
the runs of one length of a comparison (`most_products`)."""
DENSE_PRODUCTS = 20
"""How many times as many they may be for a dense model, whose runs are products of matrices."""
LARGE = 100_000
"""The greatest number of weights of a model that is run."""
MOST_TEXT = 200
"""The greatest number of characters of an exact number that is written out."""
MOST_OPEN = 2
"""At how many lengths a decision may stay undecided before the search ends."""
OTHERS = 4
"""The greatest number of roundings of an operation besides those of its sum: of given numbers, products and
quotients."""

MODEL = (
    "u = 2^-p for p bits; each given number, product, quotient and root is rounded once, y (1 + d) + e with |d| <= u "
    "and |e| at most half the smallest subnormal number, or exact (fused, or in more bits before one rounding); "
    "a sum of "
    "k terms in any order is off by at most (k - 1) u/(1 - (k - 1) u) times the sum of sizes; an exponential by at "
    "most {exp} units in the last place, or flushed to zero below the smallest normal number; the factor of x in "
    "a gelu "
    "by at most {gelu} units in the last place of 1; softmax subtracts some largest score first; equal keys have "
    "equal scores in hard attention; averages are of values V x; what overflows may be anything; attention {order}"
)
ORDERS = (
    "divides once, after the sum of weights times values",
    "divides each weight before the sum of weights times values, by their sum or by a product with its inverse",
)
"""The order that the ranges of a certificate assume, and the order that the ranges under "divided_first" assume."""
OVERFLOW = "the bound on overflow"
"""How messages call `greatest`."""
MASKED: dict[str, None] = dict.fromkeys(("none", "future", "strict-future", "past", "strict-past"))
MEANS: dict[str, None] = dict.fromkeys(("average", "softmax", "softmax-plus-one", "leftmost", "rightmost"))
BELOW_ONE: dict[str, None] = dict.fromkeys(("relu", "step", "gelu", "gelu-tanh", "gelu-sigmoid", "silu"))
"""The activations f with |f(x)| <= max(|x|, 1)."""
HELP = "remedy: normalise after summing, as the exported code does: (W @ v)/W.sum(-1, keepdim=True)"
HELP_ZERO = "or replace the test = 0 by |x| <= t, with t above the values given here"


def weights(model: Transformer) -> int:
    """The number of nonzero entries of all matrices: about the number of products of a run at each position."""
    blocks = (part for step in READS.of(model).sublayers for part in step.all_parts)
    return sum(filled(matrix) for part in blocks for matrix in held_matrices(part).values())


def most_products(model: Transformer) -> int:
    """The greatest number of products of weights of a model: a dense one with 10^5 weights is run at most at 400
    positions, another one at 20."""
    return MOST_PRODUCTS * (DENSE_PRODUCTS if model.dense else 1)


@dataclass(frozen=True)
class Length:
    """What is proved at one length."""

    length: int
    """The number of tokens, those that the model adds included."""
    runs: int
    """How many runs proved it."""
    margin: float | None
    """The smallest distance of a possible output from the threshold or, where nothing is decided, the error; None where
    no output has a distance. Of a string that one position rejects while another one is open, the distance of the
    rejecting output counts."""
    outputs: Mapping[str, tuple[float, float]]
    """For each output, the lower and upper end of its possible values on all strings."""

    def to_json(self, decides: bool) -> dict[str, Any]:
        """The entry of this length in a certificate; `decides` tells a margin from an error."""
        document: dict[str, Any] = {"length": self.length, "runs": self.runs}
        if self.margin is not None:
            document["margin" if decides else "error"] = outward(self.margin, self.margin)[0 if decides else 1]
        document["outputs"] = {name: outward(*ends) for name, ends in self.outputs.items()}
        return document


class Open(Exception):
    """Raised where nothing is certain for some strings of a length: their possible `outputs` reach the threshold or
    have no bound, or (then `outputs` is empty) a choice during the run is undecided. `word` is one of the strings."""

    def __init__(self, word: Sequence[str], outputs: Mapping[str, tuple[float, float]]) -> None:
        super().__init__("open")
        self.word, self.outputs = word, outputs


class Overflow(Exception):
    """Raised where some number may overflow at a length."""


def guarantee(
    model: Transformer,
    dtype: str,
    n_max: int,
    progress: Progress | None = None,
    outside: str | None = None,
    m: Archive | None = None,
    asked: Strings | None = None,
) -> dict[str, Any]:
    """The part "guaranteed" of a certificate, for a model whose symbols all have values.

    Arguments:
        outside: why nothing can be guaranteed of the runtime of this export; None where something can.
        m: the arrays of the export, where they exist already.
        asked: the strings that the guarantee covers; a length without such a string needs no run.

    The entries:

    - "length": the greatest length up to which every decision is certain, added tokens included. 0 if there is none;
      None where nothing is decided, or inputs are numbers. "why" says what ends it.
    - "ranges": all lengths, [from, to], at which every decision is certain. There may be several: a model may have one
      string, such as the empty one, exactly on its threshold.
    - "open": for each length that is undecided, a string, whether it has a run, its exact outputs where they are known,
      and its possible outputs.
    - "not_asked": the lengths, [from, to], that were not tried, and why.
    - "lengths": for each certain length the margin (or the error) and the possible outputs of all strings.
    - "divided_first": the same entries for runtimes that divide the weights of attention before the sum, as in
      `softmax(scores) @ values`; all other entries assume the division after the sum. "help" is a remedy where this
      order guarantees less.

    Nothing is certain at a length at which a number may overflow (`greatest`).
    """
    asked = asked if asked is not None and asked.restricted else None
    model = model if asked is None else asked.counted(model)
    # The lengths at which no number overflows are the same for both orders, so they are computed once.
    fits = Fitting(model, dtype, n_max, m)
    summed_first = _guaranteed(model, dtype, n_max, progress, outside, fits, False, asked)
    # Without averages the order of the division makes no difference.
    first = (
        _guaranteed(model, dtype, n_max, progress, outside, fits, True, asked)
        if _divides(model)
        else dict(summed_first)
    )
    remedy = f"{HELP}; {HELP_ZERO}" if model.decides and not model.readout.signed else HELP
    model_texts = [MODEL.format(exp=rounding.EXP_ULPS, gelu=rounding.GELU_ULPS, order=order) for order in ORDERS]
    return {
        **summed_first,
        "added_tokens_counted": model.embedding.added,
        "error_model": model_texts[0],
        "unit_roundoff": f"2^-{rounding.domain(dtype).stored.bits}",
        "exp_ulps": rounding.EXP_ULPS,
        "divided_first": first
        | {"error_model": model_texts[1], "help": remedy if first["ranges"] != summed_first["ranges"] else None},
    }


def parted(certificate: dict[str, Any], n: int, n_max: int, given: str) -> dict[str, Any]:
    """The guarantee, given that numpy answers the input `given` of length `n` otherwise than the exact model.

    If all answers of this length were guaranteed, numpy does not follow the error model. Then this length and all
    greater ones are removed from the guarantee.
    """
    divided_first = certificate["divided_first"]
    if not any(low <= n <= high for low, high in certificate["ranges"]):
        return certificate
    why = f"numpy, which was compared, gives another answer than the exact one to {given or 'the empty string'}"
    shortened = [
        _before(order_of_averages, n, n_max, f"{why}: it does not follow the floating-point error model")
        for order_of_averages in (certificate, divided_first)
    ]
    # The remedy is for lengths that only the division after the sum guarantees. Where both orders guarantee the same
    # lengths, there is nothing to remedy.
    same = shortened[0]["ranges"] == shortened[1]["ranges"]
    return (
        certificate | shortened[0] | {"divided_first": divided_first | shortened[1] | ({"help": None} if same else {})}
    )


def _before(order_entry: dict[str, Any], n: int, n_max: int, why: str) -> dict[str, Any]:
    """The guarantee for one order of division, cut to lengths below `n`."""
    # Ranges, open lengths and entries below `n` stay.
    remaining_ranges = [[low, min(high, n - 1)] for low, high in order_entry["ranges"] if low < n]
    open_lengths = [open_length for open_length in order_entry["open"] if open_length["length"] < n]
    certain_length, asked = order_entry["length"], order_entry["not_asked"]
    # Where the search stopped at or before `n` by itself, its own reason stays.
    sooner = asked is not None and asked["lengths"][0] <= n
    if certain_length is not None:
        certain_length = min(certain_length, n - 1) if remaining_ranges else 0
    return {
        "length": certain_length,
        "ranges": remaining_ranges,
        "why": order_entry["why"] if open_lengths or sooner else why,
        "open": open_lengths,
        "not_asked": asked if sooner else {"lengths": [n, n_max], "why": why},
        "method": order_entry["method"] if remaining_ranges or open_lengths else None,
        "lengths": [length_entry for length_entry in order_entry["lengths"] if length_entry["length"] < n],
    }


def _divides(model: Transformer) -> bool:
    """Whether some head divides, to average or for softmax."""
    heads = (part for step in READS.of(model).sublayers for part in step.parts if isinstance(part, HEADS))
    divides = {"average": True, "softmax": True, "softmax-plus-one": True, "leftmost": False, "rightmost": False}
    return any(chosen("the guarantee", "weighting", head.weighting, divides) for head in heads)


@dataclass
class Fitting:
    """What both orders of division need of a model, computed once: the greatest length at which no number of a run can
    overflow, and exact outputs."""

    model: Transformer
    dtype: str
    n_max: int
    m: Archive | None
    exact: dict[tuple[str, ...], dict[str, Any] | None] = field(default_factory=dict)
    """{string: its exact outputs as texts, or None where the exact domain has none}."""
    floats: dict[int, infloats.InFloats | None] = field(default_factory=dict)
    """{length: what its strings give in floats with certified errors, or None where they are not run so}."""
    float_products: int = 0
    """The products of weights in these runs."""

    @cached_property
    def last(self) -> int:
        """The greatest length, up to `n_max`, at which no number can overflow."""
        m = arrays(self.model, self.dtype, self.n_max) if self.m is None else self.m
        format, _ = rounding.RUNTIMES[self.dtype]
        # The largest number of the format; 1024 is the exponent for float64.
        end = 2.0 ** ((format.most or 1024) - 1) * float(2 - 2 * Fraction(1, 2**format.bits))
        if greatest(m, self.n_max) < end:
            return self.n_max
        return next(n for n in range(self.n_max) if not greatest(m, n + 1) < end)


def _guaranteed(
    model: Transformer,
    dtype: str,
    n_max: int,
    progress: Progress | None,
    outside: str | None,
    fits: Fitting,
    divides_first: bool,
    asked: Strings | None,
) -> dict[str, Any]:
    """The guarantee for one order of division in averages."""
    search = _Guarantee(model, dtype, n_max, progress, divides_first, fits, asked)
    decides = model.readout.answers
    # For a model that is not run, `stop` is the reason, and no length is certain.
    if outside is not None:
        search.stop = outside
    elif model.embedding.inputs is not None:
        search.stop = "inputs are any numbers, so that no list of them is all"
    elif search.weights > LARGE:
        most = f"one with more than {LARGE:,} is not run in rigorous intervals"
        search.stop = f"the model has {search.weights} weights, and {most}"
    else:
        search.go()
    ranges = [list(ends) for ends in consecutive(entry.length for entry in search.lengths)]
    # A guarantee "to length n" starts at the shortest input that the model has.
    greatest = ranges[0][1] if ranges and ranges[0][0] == max(1, model.embedding.added) else 0
    return {
        "length": greatest if decides and model.embedding.inputs is None else None,
        "ranges": ranges,
        "why": search.why,
        "open": search.open,
        "not_asked": search.not_asked(),
        "method": search.method or None,
        "lengths": [entry.to_json(decides) for entry in search.lengths],
    }


class _Guarantee:
    """The search for the lengths at which all decisions are certain, for one order of averages.

    `go` tries lengths from the shortest upwards. `lengths` has the results of the lengths at which all decisions are
    certain, `open` has the lengths at which one is not, and `stop` says why the search ended. `first` is the reason for
    the first length in `open`; `level`, `runs` and `products` are the level of boxes and the work so far.
    """

    def __init__(
        self,
        model: Transformer,
        dtype: str,
        n_max: int,
        progress: Progress | None,
        divides_first: bool = False,
        fits: Fitting | None = None,
        asked: Strings | None = None,
    ) -> None:
        self.asked = asked
        self.fits = fits or Fitting(model, dtype, n_max, None)
        self.model, self.dtype, self.n_max, self.progress = model, dtype, n_max, progress
        self.divides_first = divides_first
        self.decides = model.readout.answers
        self.weights, self.products = weights(model), 0
        self.lengths: list[Length] = []
        self.methods: list[str] = []
        self.stop = "this is the maximum length that was requested"
        self.first: str | None = None
        self.open: list[dict[str, Any]] = []
        self.bits = rounding.domain(dtype).stored.bits
        # Where nothing is decided, the error is the width for single strings: a box of several strings would add the
        # differences between their outputs.
        self.level, self.runs = 0 if self.decides else CLASSES, 0
        self.rows = self.decides and (asked is None or asked.positions is None)
        """Whether the method of `symcook.words.possible` is still tried: it has decided every length at which it
        was."""
        self.floats = asked is not None
        """Whether strings are run in floats before boxes: for a language, and once floats have decided a length."""
        if n_max == model.max_length:
            self.stop = "the model takes no longer input"

    @property
    def why(self) -> str:
        """Why the first undecided length is undecided; where there is none, why the search ended."""
        return self.first or self.stop

    @property
    def tried(self) -> int:
        """The greatest length that was tried; one less than the smallest possible where none was."""
        lengths = [entry.length for entry in self.lengths] + [entry["length"] for entry in self.open]
        return max(lengths, default=max(1, self.model.embedding.added) - 1)

    def not_asked(self) -> dict[str, Any] | None:
        """The lengths, from and to, that were not tried, and why; None where all were tried."""
        if self.tried >= self.n_max:
            return None
        return {"lengths": [self.tried + 1, self.n_max], "why": self.stop}

    @property
    def method(self) -> str:
        """The methods that decided the lengths, in words."""
        return "; ".join(self.methods)

    def typed(self, n: int) -> int:
        """The number of typed symbols of a string that the model reads as n tokens."""
        return n - self.model.embedding.added

    def note(self, method: str) -> None:
        """Note the method that decided the latest length, if it differs from the method before."""
        n = self.lengths[-1].length
        if not self.methods or not self.methods[-1].startswith(f"{method}, "):
            self.methods.append(f"{method}, from length {self.typed(n)}")

    def go(self) -> None:
        """Search all lengths: by strings grouped by running sums where the model allows it, and by boxes of strings
        from the first length that a group leaves open, or from the start."""
        import numpy as np

        most = min(self.n_max, 2**self.bits)
        with np.errstate(over="ignore", invalid="ignore"):  # the sets of numbers that overflow contain every number
            try:
                if not (streams(self.model) and self.read_beside and self.merged(most)):
                    self.boxed(most)
            except Overflow:
                length = self.typed(self.fits.last + 1)
                self.stop = f"some number of a string of length {length} may be too great for {self.dtype}"
        # Beyond 2^p, the type does not have every position number.
        if self.tried == most < self.n_max:
            self.stop = f"{self.dtype} counts positions exactly to {most} only"

    @property
    def read_beside(self) -> bool:
        """Whether prefixes can be grouped. If only some strings are covered, an automaton must read them beside the
        model, and the readout must be at one position."""
        if self.asked is None:
            return True
        return not self.model.readout.everywhere and not isinstance(self.asked.language, frozenset)

    def add(self, n: int, runs: int, margin: float | None, outputs: Mapping[str, tuple[float, float]]) -> None:
        """Note a length as decided. Raises Overflow where a number of that length may be beyond the type."""
        if n > self.fits.last:
            raise Overflow
        self.lengths.append(Length(n, runs, margin, outputs))
        if self.progress is not None:
            self.progress(n, self.n_max)

    def merged(self, most: int) -> bool:
        """Decide lengths by strings grouped by running sums.

        False where a group leaves a decision open that a string of the group alone does not, so that boxes may help;
        True where the search is over.
        """
        import numpy as np

        reader = None if self.asked is None else self.asked.reader
        prefixes = Prefixes(self.model, Hulls(self.model, self.dtype, self.divides_first), beside=reader)
        start = max(1, self.model.embedding.added)
        # One level is all prefixes of length n, grouped into states; a string is a state at its last position.
        for n, level in zip(range(start, most + 1), prefixes.levels(), strict=False):
            states = len(level.origin)
            ends = {
                name: (np.broadcast_to(v.low, states), np.broadcast_to(v.high, states))
                for name, v in level.result.columns().items()
            }
            chosen = np.arange(states)
            # Of a language, only the states of accepted strings count. A length without any is decided.
            if reader is not None and level.labels is not None:
                chosen = np.flatnonzero(reader.accepting[level.labels])
                if not len(chosen):
                    self.add(n, 0, None, {})
                    continue
                ends = {name: (low[chosen], high[chosen]) for name, (low, high) in ends.items()}
            margin, opened = decision(self.model, ends)
            if opened is not None:
                # If a string of this state is undecided by itself, no other method decides the length.
                tokens = self.model.embedding.surround(level.word(int(chosen[opened])))
                try:
                    self.run(Box(tokens, self.model.alphabet))
                except Open as error:
                    if self.ended(n, error, alone=True):
                        return True
                    continue
                return False
            self.add(n, states, margin, _hull([ends]))
            self.note(level.says)
            if len(prefixes.counts) > MOST_STATES:
                self.stop = f"there are more than {MOST_STATES:,} different running sums at length {self.typed(n + 1)}"
                return True
        return True

    def boxed(self, most: int) -> None:
        """Decide lengths by boxes of strings, finer and finer ones, until a box holds one string."""
        for n in range(self.tried + 1, most + 1):
            level, last_open = self.level if self.asked is None else CLASSES, None
            # No string of the language has this length.
            if self.asked is not None and not self.asked.many(self.typed(n)):
                self.add(n, 0, None, {})
                continue
            # Too many strings to run one by one: a decision for all strings covers them.
            if self.asked is not None and self.asked.many(self.typed(n)) > RUNS - self.runs and self.by_rows(n):
                continue
            # Strings one by one in floats with certified errors.
            if self.floats and (goes_on := self.by_floats(n)) is not None:
                if goes_on:
                    continue
                return
            while True:
                words = self.cover(n, level)
                count = words.many
                products = self.products + count * (n + len(self.model.alphabet)) * self.weights
                # Over the budget. If a coarser level was tried, the length is noted as open; else it is not tried.
                if self.runs + count > RUNS or products > most_products(self.model):
                    if last_open is not None:
                        self.ended(n, last_open, alone=False)
                        return
                    needs = f"length {self.typed(n)} needs {count} run{'s' * (count != 1)}"
                    self.stop = f"{needs}, and a certificate has at most {RUNS} in all"
                    if products > most_products(self.model):
                        self.stop += f", with {most_products(self.model):,} products of weights"
                    return
                # If this level decides the length, the next length starts with it.
                try:
                    self.one_length(n, count, level, words)
                    self.level = level
                    self.note(words.says)
                    break
                except Open as error:
                    last_open = error
                # Undecided: try the possible values at each position, then strings one by one in floats, then the next
                # level with more boxes.
                if self.by_rows(n):
                    break
                if (goes_on := self.by_floats(n)) is not None:
                    if goes_on:
                        break
                    return
                level = next((k for k in range(level + 1, len(LEVELS)) if self.finer(n, k, count)), 0)
                # No level is left, or the string is undecided by itself.
                if level == 0 or self.alone(last_open):
                    if self.ended(n, last_open, alone=True):
                        return
                    break

    def by_rows(self, n: int) -> bool:
        """Decide a length by the possible values at each position (`symcook.words.possible`). False where this leaves a
        decision open or does not apply to the model; the method is not tried again then."""
        if not self.rows:
            return False
        domain = rounding.domain(self.dtype, divides_first=self.divides_first)
        try:
            columns = outputs(self.model, n, domain)
        except NotExact:
            self.rows = False
            return False
        ends = _ends(domain, columns)
        margin, opened = decision(self.model, ends)
        if opened is None:
            self.runs += 1
            self.add(n, 1, margin, _hull([ends]))
            self.note(SAYS)
        self.rows = opened is None
        return self.rows

    def many(self, n: int) -> int:
        """How many strings of length `n` the guarantee is about."""
        typed = self.typed(n)
        return len(self.model.alphabet) ** typed if self.asked is None else self.asked.many(typed)

    def by_floats(self, n: int) -> bool | None:
        """Decide a length by all its strings one by one, in floats with certified errors; those that are left open are
        run in rigorous intervals. Whether the search goes on after this length; None where this is not tried."""
        if n not in self.fits.floats:
            self.fits.floats[n] = self.in_floats(n)
        found = self.fits.floats[n]
        if found is None:
            # Of all strings, boxes do not decide what they left open at a smaller length.
            if not self.floats or self.asked is not None:
                return None
            needs = f"length {self.typed(n)} has {self.many(n):,} strings"
            self.stop = f"{needs}, too many for a model of {self.weights:,} weights to run one by one"
            return False
        self.floats = True
        margins, outputs = [found.margin], [found.outputs] if found.outputs else []
        for word in found.left:
            try:
                if self.runs >= RUNS:
                    raise Open(word, {})
                margin, ends = self.run(Box(word, self.model.alphabet))
            except Open as error:
                return not self.ended(n, error, alone=self.runs < RUNS)
            margins.append(margin)
            outputs += [_hull([ends])] if ends else []
        whole = {name: (min(o[name][0] for o in outputs), max(o[name][1] for o in outputs))
                 for name in (outputs[0] if outputs else ())}  # fmt: skip
        self.add(n, found.count, min((m for m in margins if m is not None), default=None), whole)
        self.note(infloats.SAYS)
        return True

    def in_floats(self, n: int) -> infloats.InFloats | None:
        """The strings of length `n` in floats (`symcook.export.infloats`); None where they are not run so."""
        count = self.many(n)
        products = count * n * self.weights
        most = infloats.MOST_PRODUCTS - self.fits.float_products
        if not self.decides or not self.model.dense or count > infloats.MOST_STRINGS or products > most:
            return None
        self.fits.float_products += products
        typed = self.typed(n)
        strings = product(self.model.alphabet, repeat=typed) if self.asked is None else self.asked.each(typed)
        return infloats.in_floats(self.model, self.dtype, n, iter(strings))

    def finer(self, n: int, level: int, count: int) -> bool:
        """Whether the boxes of `level` may decide a length that `count` boxes left open."""
        if self.asked is not None:
            return level > CLASSES and self.asked.many(self.typed(n)) > count
        return level == CLASSES or cells(self.model, n, level, self.bits).many > count

    def alone(self, error: Open) -> bool:
        """Whether the string of `error` is undecided by itself, so that no other grouping of strings helps. Then
        `error.outputs` becomes what is possible for this string alone."""
        try:
            self.run(Box(tuple(error.word), self.model.alphabet))
        except Open as again:
            error.outputs = again.outputs
            return True
        return False

    def cover(self, n: int, level: int) -> Any:
        """The strings of length `n` as boxes of a level of `LEVELS`; for a language, by its classes or one by one."""
        if self.asked is None:
            return cells(self.model, n, level, self.bits)
        typed = self.typed(n)
        return self.asked.cover(typed, self.model, bits=self.bits) if level == CLASSES else self.asked.apart(typed)

    def one_length(self, n: int, count: int, level: int, words: Any) -> None:
        """Run all boxes of a level at one length and note the length. Raises Open at the first that is not decided. For
        a language, each class of `words` is run by its smallest string."""
        margins, outputs = [], []
        language_boxes = (Box(self.model.embedding.surround(word), self.model.alphabet) for word, _ in words)
        for box in boxes(self.model, n, level, self.bits) if self.asked is None else language_boxes:
            margin, ends = self.run(box)
            margins.append(margin)
            outputs += [ends] if ends else []
        known = [m for m in margins if m is not None]
        margin = (min if self.decides else max)(known) if known else None
        self.add(n, count, margin, _hull(outputs))

    def run(self, box: Box) -> tuple[float | None, OutputEnds]:
        """Run one box: its margin or error, and the ends of its outputs; (None, {}) where no answer counts. Raises Open
        where its decision is open, or its error has no bound."""
        self.runs += 1
        self.products += (len(box.fixed) + len(self.model.alphabet)) * self.weights
        # A box of one string is run as that string. Then the sets of a dense model are those of products of matrices.
        domain = rounding.domain(self.dtype, Boxed if box.free else None, self.divides_first)
        if box.free:
            domain.box = box
        try:
            result = forward(self.model, box.fixed, domain)
        except (Undecided, BadInput):  # a choice during the run is undecided, or whether a value exists
            raise Open(box.word, {}) from None
        # Where no position counts, there is nothing to decide.
        if not result.places:
            return None, {}
        columns = result.columns().items()
        ends = _ends(domain, {name: [column[place] for place in result.places] for name, column in columns})
        # Where nothing is decided, the error is the width of the outputs.
        if not self.decides:
            width = max(float((high - low).max()) for low, high in ends.values())
            if not width < float("inf"):
                raise Open(box.word, _hull([ends]))
            return width, ends
        margin, opened = decision(self.model, ends)
        # A readout that must accept at every position: one position that certainly rejects decides the string.
        refused = self.model.readout.together and result.accept is False
        if opened is not None and not refused:
            raise Open(box.word, _hull([ends]))
        return margin if opened is None else rejection(self.model, ends), ends

    def ended(self, n: int, error: Open, *, alone: bool) -> bool:
        """Note length `n` as open; return whether the search ends here. `alone`: the string of `error` is known to be
        undecided by itself; if not, it is run by itself first."""
        alone = alone or self.alone(error)
        embedding = self.model.embedding
        length = self.typed(n)
        # The reason: the threshold, a missing bound, or a choice during the run; perhaps only for a group of strings.
        why = f"the possible outputs of a string of length {length} reach the threshold"
        if not self.decides:
            why = f"the possible outputs of a string of length {length} are not bounded"
        elif not error.outputs:
            why = f"a comparison before the output (tie, zero variance) is undecided for a string of length {length}"
        if not alone:
            why = f"{why} when strings are grouped, and there are too many strings to test singly"
        # The exact outputs of a single string say whether it lies on the threshold.
        exact, has_run = None, True
        if alone:
            try:
                if tuple(error.word) not in self.fits.exact:
                    self.fits.exact[tuple(error.word)] = self.exact(error.word)
                exact = self.fits.exact[tuple(error.word)]
            except NoRun as refused:
                why = f"a string of length {length} has no run: {refused.must}, and it is {refused.given}"
                has_run = False
        if exact is not None and exact.get("logit") == "0":
            why = f"a string of length {length} is exactly on the threshold"
        self.first = self.first or why
        typed = embedding.written(embedding.typed(error.word))
        outputs = {name: outward(*ends) for name, ends in error.outputs.items()}
        open_ = {"length": n, "input": typed, "alone": alone, "runs": has_run, "exact": exact, "outputs": outputs}
        self.open.append(open_)
        # Whether to stop here.
        if not self.decides:
            self.stop = "the search stops after a string whose outputs have no bound"
        elif not alone:
            self.stop = "the search stops at a length that has too many strings to test one by one"
        elif len(self.open) >= MOST_OPEN:
            self.stop = f"the search stops after {MOST_OPEN} failing lengths"
        else:
            return False
        return True

    def exact(self, word: Sequence[str]) -> dict[str, Any] | None:
        """The exact outputs of a string as texts, None for a text that is too long (`MOST_TEXT`); None in place of all
        where the exact domain has none. Raises NoRun where the string has no run."""
        from symcook.run import run

        domain = Exact()
        try:
            result = forward(self.model, tuple(word), domain)
            texts = {name: domain.show(value, MOST_TEXT) for name, value in result.values(result.place).items()}
        except NotExact:
            # Numbers that are not rational are tried in rigorous intervals, which may raise NoRun.
            with suppress(Undecided):
                run(self.model, self.model.embedding.typed(word), "ball")
            return None
        except NoRun:
            raise
        except (Undecided, BadInput):
            return None
        return {name: text if len(str(text)) <= MOST_TEXT else None for name, text in texts.items()}


def _ends(domain: rounding.Rounding, columns: Mapping[str, Sequence[BallValue]]) -> OutputEnds:
    """{output: (lower ends, upper ends)} of the sets in `columns`."""
    import numpy as np

    with PRECISION, domain.context():
        ends = {name: list(map(rounding.ends, column)) for name, column in columns.items()}
    return {name: (np.array([a for a, _ in both]), np.array([b for _, b in both])) for name, both in ends.items()}


def _hull(ends_of_boxes: Sequence[OutputEnds]) -> dict[str, tuple[float, float]]:
    """The smallest interval for each output that contains those of all boxes."""
    names = ends_of_boxes[0] if ends_of_boxes else ()
    return {
        name: (min(float(e[name][0].min()) for e in ends_of_boxes), max(float(e[name][1].max()) for e in ends_of_boxes))
        for name in names
    }


def greatest(m: Archive, n: int, largest_input: float | None = None) -> float:
    """A bound on the sizes of all numbers in a run on any string of at most `n` tokens, added tokens included, for both
    orders of division; inf where the bound is beyond float64. For a model that reads numbers, `largest_input` bounds
    the sizes of its inputs, of which there are at most `n` rows.

    The bound depends on the sizes of the weights only and holds in any runtime. A number that overflows is infinite,
    and 0 times infinity is NaN. So even a number that no answer depends on, such as a hidden unit with weight 0, would
    spoil others in a product of matrices. Hence nothing is certain at a length at which some number may overflow.
    """
    import numpy as np

    with np.errstate(all="ignore"):
        return _greatest(np, m, n, largest_input)


def _greatest(np: Any, m: Archive, n: int, largest_input: float | None) -> float:
    """`greatest`, with numpy's warnings off. `z` and `read` are bounds on the sizes of the residual stream and of
    the input of a step."""
    m, all_sizes = ArraysRead(m, OVERFLOW), [0.0]
    unit = 2.0 ** -rounding.RUNTIMES[str(m["dtype"])][0].bits

    def with_rounding(bound: Any, terms: int = 1) -> Any:
        """`bound` on sums of `terms` terms, enlarged by what rounding may add. Its maximum is noted in `all_sizes`."""
        bound = np.nan_to_num(bound, nan=np.inf) * np.exp((terms + OTHERS) * unit)
        all_sizes.append(float(np.max(bound, initial=0.0)))
        return bound

    def size(key: str) -> Any:
        """The sizes of the weights of an array."""
        return np.abs(m[key].astype(np.float64))

    def made(key: str, step: PartStep, x: Any) -> Any:
        """A bound on the sizes of what a step makes of numbers of sizes `x`."""
        match step:
            case Read():
                return x
            case LinearMap(of, matrix, bias):
                inner = made(key, of, x)
                product = size(m.array(key, matrix)) @ inner
                return with_rounding(product if bias is None else product + size(key + bias), len(inner))
            case Activate(of, kind):
                chosen(OVERFLOW, "activation", kind, BELOW_ONE)
                return np.maximum(made(key, of, x), 1)
            case Multiply(left, right):
                return with_rounding(made(key, left, x) * made(key, right, x))
            case Centre(of):
                entries = made(key, of, x)
                return with_rounding(entries + with_rounding(entries.sum(), len(entries)) / len(entries))
            case Rotate(of, _):
                pairs = made(key, of, x).reshape(2, -1)
                m.read |= {key + "cos", key + "sin"}
                return np.tile(with_rounding(pairs.sum(axis=0), 2), 2)  # both factors are at most 1
            case DivideByRms(of, epsilon, zero):
                entries = made(key, of, x)
                chosen(OVERFLOW, "outcome of a division by zero", zero, {"refuse": 0, "zero": 0})
                with_rounding((entries * entries).sum() + size(key + epsilon), len(entries))
                return np.full(len(entries), np.sqrt(len(entries)))  # for every input
            case ScaleEntries(of, gain, bias):
                entries = made(key, of, x)
                scaled = entries * size(key + gain)
                return with_rounding(scaled if bias is None else scaled + size(key + bias), len(entries))
            case Attend(ByDistance(Products(asks, offers, "scale", "temperature"), slope), values, mask, weighting):
                # A score has one term more, of at most this size: a product with the index of the key.
                further = size(key + slope) * n
                return attended(key, (asks, offers, values), mask, weighting, x, further)
            case Attend(Products(asks, offers, "scale", "temperature"), values, mask, weighting):
                return attended(key, (asks, offers, values), mask, weighting, x)
        unknown_step(OVERFLOW, step)

    def attended(
        key: str, sides: tuple[PartStep, PartStep, PartStep], mask: str, weighting: str, x: Any, further: Any = None
    ) -> Any:
        """The bound of a head; `further` is that of what scores have besides the product of query and key."""
        # Under every mask a row sees at most n positions, and each of these weightings gives a mean of
        # values, or less.
        chosen(OVERFLOW, "mask", mask, MASKED)
        chosen(OVERFLOW, "weighting", weighting, MEANS)
        query, offered, value = (made(key, side, x) for side in sides)
        score = with_rounding((query * offered).sum(), len(query))
        if further is not None:
            score = with_rounding(score + with_rounding(further), len(query) + 1)
        with_rounding(score * (size(key + "factor")[:n] if key + "factor" in m else np.ones(1)).max())
        with_rounding(n * value, n)  # the sum, before it is divided
        return with_rounding(value, n)

    # The embedding and the positions.
    if largest_input is None:
        z = size("embedding").max(axis=0)
    else:
        z = np.where(np.isin(m["coordinates"], m["inputs"]), largest_input, 0.0)
    if "positions" in m:
        table = m["positions"]
        z = z + np.abs(table[:n] if table.ndim == 2 else table[:n, :n]).reshape(-1, len(z)).max(axis=0)
    z = with_rounding(z)
    for step in (f"step{s}." for s in range(1, int(m["steps"]) + 1)):
        before = [made(key, m.steps(key, "norm"), z) for key in numbered(m, step + "before", "gain")]
        read = np.concatenate(before) if before else z
        for head in numbered(m, step + "head", "V"):
            z = with_rounding(z + made(head, m.steps(head, "head"), read))
        if has_network(m, step):
            z = with_rounding(z + made(step, m.steps(step, "network"), read))
        if step + "after.gain" in m:
            z = made(step + "after.", m.steps(step + "after.", "norm"), z)
    if "readout.weights" in m:
        with_rounding(size("readout.weights") @ z, len(z))
    m.all_read()
    return max(all_sizes)
