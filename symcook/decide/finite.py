"""A model whose residual stream takes finitely many values, as streams: one for each coordinate, made from the weights.

In goes a model; out comes the minimal automaton of its answers. A head becomes a scan from each side that its mask
sees: for each way in which a query orders the keys, the scan has the values at the best key so far. A position term in
the keys (i/n and the like) takes infinitely many values and is kept apart from the streams; `_ranked` replaces it by a
rule for ties where it can only break ties. Where another coordinate takes infinitely many values, `OutOfReach` names
it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from symcook.decide.automata import Automaton, explored
from symcook.decide.lookups import SQUARE, NoLookup, looked_up
from symcook.decide.places import SAME, TERMS, Ordered, Unbounded, place
from symcook.decide.streams import Stream, TooLarge, each, join, letters, machine, minimal, scan, scan_right
from symcook.model.expr import show
from symcook.model.parts import FeedForward, Head
from symcook.model.reads import PartsRead
from symcook.model.transformer import Transformer
from symcook.spec.fold import Fold

READS = PartsRead("the finite automaton")


class OutOfReach(Exception):
    """The model is not a finite automaton that this method finds; the message names the head or coordinate, and why."""


class Missing(Exception):
    """The answer is unknown because a table would grow too large; `Finite` and its `automaton` raise it."""


class Nowhere:
    """The value at each position of a string that is not an input, because the tokens that the model adds are not at
    its ends only."""


NOWHERE = Nowhere()
Ranks = list[tuple[tuple[int, ...], str]]
"""For each order that queries give the keys: the rank of each key, by the number of the key, and what wins among equal
scores: "leftmost", "rightmost" or "average"."""
TIE, POSITIVE, NEGATIVE = "several values", "several values, none below 0", "several values, none above 0"
"""The codes of a mean of different values, which a head writes where several keys are best; its sign may be known."""


@dataclass(frozen=True)
class SignedMean:
    """A mean of different values of which only the sign is known.

    `said` is the message of the OutOfReach that every operation raises whose result depends on more than the sign.
    """

    sign: int
    said: str = field(compare=False)

    def __rmul__(self, weight: Fraction) -> Any:
        return SignedMean(self.sign if weight > 0 else -self.sign, self.said) if weight else weight

    __mul__ = __rmul__

    def __add__(self, other: Fraction | SignedMean) -> SignedMean:
        if (other.sign if isinstance(other, SignedMean) else other) * self.sign < 0:
            raise OutOfReach(self.said)
        return self

    __radd__ = __add__

    def __gt__(self, other: Fraction | SignedMean) -> bool:
        if isinstance(other, SignedMean) or other * self.sign > 0:
            raise OutOfReach(self.said)
        return self.sign > 0

    def __lt__(self, other: Fraction | SignedMean) -> bool:
        return not self > other  # a mean is never known to be equal to another value


@dataclass(frozen=True)
class Carried:
    """The value of a coordinate: a stream plus position terms, given by their coefficients."""

    stream: Stream
    order: Ordered


class Candidate(NamedTuple):
    """The best key that a query has seen so far: its rank, what wins among equal ranks, and its values (as codes)."""

    rank: int
    ties: str
    values: tuple[Any, ...]

    def over(self, later: Candidate | None) -> Candidate:
        """The better of this candidate and `later`, which is to its right."""
        if later is None or later.rank < self.rank:
            return self
        if self.rank < later.rank or self.ties == "rightmost":
            return later
        if self.ties == "leftmost":
            return self
        # An average: the means of the values.
        return self._replace(values=tuple(map(_mean, self.values, later.values)))


def _mean(first: Any, second: Any) -> Any:
    """The code of the mean of two values, given their codes, which have the signs of the values.

    It is the common code where both are equal; else POSITIVE or NEGATIVE where the sign of the mean is known; else TIE.
    """
    if first == second:
        return first
    for kind, sign in ((POSITIVE, 1), (NEGATIVE, -1)):
        if all(code == kind or (not isinstance(code, str) and code * sign >= 0) for code in (first, second)):
            return kind
    return TIE


def better(earlier: Candidate | None, later: Candidate | None) -> Candidate | None:
    """The better of two candidates, `later` to the right of `earlier`; None where both are None."""
    return later if earlier is None else earlier.over(later)


def inside(compute: Callable[..., object]) -> Callable[..., Any]:
    """`compute`, except that the result is `NOWHERE` where one of the values is `NOWHERE`."""
    return lambda *values: NOWHERE if NOWHERE in values else compute(*values)


def _kept(stream: Stream) -> list[Any]:
    """The values of a stream other than `NOWHERE`."""
    return [value for value in stream.values if value is not NOWHERE]


def _numbered(stream: Stream) -> Stream:
    """The stream with each value replaced by its number, which is faster to compare."""
    places = {value: place for place, value in enumerate(_kept(stream))} | {NOWHERE: NOWHERE}
    return each(places.__getitem__, stream)


def _coded(stream: Stream) -> tuple[Stream, dict[Any, Any]]:
    """A stream of numbers with each value replaced by an integer code of the same sign, and {code: value}."""
    numbers = enumerate(_kept(stream), 1)
    codes = {value: (0 if value == 0 else place if value > 0 else -place) for place, value in numbers}
    return each((codes | {NOWHERE: NOWHERE}).__getitem__, stream), {code: value for value, code in codes.items()}


def rational(value: object, what: str) -> Fraction:
    """`value`; OutOfReach where this weight of `what` is not rational."""
    if not isinstance(value, Fraction):
        shown = show(value) if isinstance(value, tuple) else value
        raise OutOfReach(f"{what} has the weight {shown}, which is irrational")
    return value


def _known(score: Fraction | SignedMean) -> Fraction:
    """A score; OutOfReach where only its sign is known, since its value may differ from one position to another."""
    if isinstance(score, SignedMean):
        raise OutOfReach(score.said)
    return score


class Finite:
    """The coordinates of a model as streams, computed layer by layer. The strings are over all tokens, including those
    that the model adds.

    The constructor computes the stream of each coordinate that is live after the last layer (`held`); it raises
    OutOfReach where the model does not fit, and Missing where a table would grow too large.
    """

    def __init__(self, model: Transformer) -> None:
        self.model, self.embedding = model, model.embedding
        self.tokens = tuple(self.embedding.words or ())
        # Whether a string is an input, and the wrapper that passes `NOWHERE` on; only models that add tokens need them.
        self.valid = _valid(self.tokens, *self.embedding.ends) if self.embedding.added else None
        self.ties: dict[str, list[str]] = {}
        """{note on a position term that breaks ties: the heads for which it holds}."""
        self.inside = inside if self.valid is not None else lambda compute: compute
        # Models that no automaton of this kind can represent are rejected before any weight is read.
        if not self.tokens:
            raise OutOfReach(f"{model.name} reads numbers, not strings")
        if model.max_length is not None:
            raise OutOfReach(f"{model.name} is defined up to length {model.max_length} only")
        if model.normed:
            raise OutOfReach("a layer norm divides by a root")
        # The stream of each live coordinate, layer by layer.
        self.held = {name: self._embedded(name) for name in model.live[0]}
        for step, live in zip(READS.of(model).sublayers, model.live[1:], strict=True):
            written: list[tuple[str, Carried]] = []
            for where, part in step.named_parts:
                try:
                    if isinstance(part, Head):
                        written += self.head(part, live, where)
                    else:
                        written += self.feedforward(part, live, where)
                except TooLarge as error:
                    raise Missing(f"{where} needs {error}") from None
            # Outputs are added after all parts of the step are computed, since they read the same residual stream.
            for name, value in written:
                self.held[name] = self._sum([(Fraction(1), self.held[name]), (Fraction(1), value)], Fraction(0))
            self.held = {name: value for name, value in self.held.items() if name in live}

    def constant(self, value: Hashable) -> Stream:
        """The stream with one value everywhere."""
        return letters([value] * len(self.tokens))

    def _base(self, stream: Stream) -> Stream:
        """The stream with the value `NOWHERE` in strings that are not inputs."""
        if self.valid is None:
            return stream
        return join(lambda value, valid: value if valid else NOWHERE, stream, self.valid)

    def _embedded(self, name: str) -> Carried:
        """A coordinate of the embedding: its table, its position function as a stream, and the part with infinitely
        many values."""
        table, function = self.embedding.tables.get(name), self.embedding.places.get(name)
        stream, order = self.constant(Fraction(0)), {}
        if table is not None:
            stream = letters([rational(table[token], f"{name} of {token}") for token in self.tokens])
        if function is not None:
            try:
                tree: Any = function if isinstance(function, tuple) else ("num", *function.as_integer_ratio())
                bias, order = place(tree, self.embedding.start, len(self.tokens))
            except Unbounded as error:
                forms = "i, i^2, i/n, 1/i, n and 1/n"
                why = f"the position function of {name} must be periodic, or a sum of multiples of {forms}"
                raise OutOfReach(f"{why}: {error}") from None
            # The part with finitely many values is a stream, or a number.
            if isinstance(bias, Stream):
                stream = join(lambda a, b: a + b, stream, bias) if table is not None else bias
            else:
                stream = each(lambda a: a + bias, stream)
        return Carried(self._base(stream), order)

    def _sum(self, parts: Sequence[tuple[Fraction, Carried]], bias: Fraction) -> Carried:
        """The weighted sum of some coordinates and a bias."""
        order: Ordered = {}
        varying = []
        for weight, summand in parts:
            for term, coefficient in summand.order.items():
                order[term] = order.get(term, Fraction(0)) + weight * coefficient
            # A constant stream goes into the bias, which saves one product of automata.
            if len(summand.stream.values) == 1 and summand.stream.values[0] is not NOWHERE:
                bias += weight * summand.stream.values[0]
            else:
                varying.append((weight, summand.stream))
        # One join for each stream that varies.
        if not varying:
            total = self.constant(bias)
        else:
            (first, total), *others = varying
            if (first, bias) != (1, 0):
                total = each(self.inside(lambda a: first * a + bias), total)
            for weight, stream in others:
                total = join(self.inside(lambda a, b, w=weight: a + w * b), total, stream)
        return Carried(total, {term: weight for term, weight in order.items() if weight})

    def linear(self, weights: Mapping[str, object], bias: object, what: str) -> Carried:
        """The value of a row of a matrix, {coordinate: weight}, plus a bias."""
        parts = [(rational(weight, what), self.held[name]) for name, weight in weights.items()]
        return self._sum(parts, rational(bias, what))

    def finite(self, weights: Mapping[str, object], bias: object, what: str) -> Stream:
        """The stream of `linear`; OutOfReach where a position term makes it take infinitely many values."""
        summed = self.linear(weights, bias, what)
        if summed.order:
            term = show(next(iter(summed.order)))
            name = next(name for name in weights if self.held[name].order)
            raise OutOfReach(f"{what} reads {name}, in which {term} has infinitely many values")
        return summed.stream

    def feedforward(self, part: FeedForward, live: set[str], where: str) -> list[tuple[str, Carried]]:
        """What a feed-forward layer writes to each live coordinate; its activation must be relu or step."""
        if part.activation not in ("relu", "step"):
            raise OutOfReach(f"{where} has the activation {part.activation}, whose values are irrational")
        numbers = part.lowered
        outs = [k for k, name in enumerate(part.writes) if name in live]
        relu, zero, unity = part.activation == "relu", Fraction(0), Fraction(1)
        hidden: dict[Any, Carried] = {}
        for unit in sorted({unit for k in outs for unit in numbers["W2"][k]}):
            unit_input = self.finite(numbers["W1"][unit], numbers["b1"][unit], where)
            hidden[unit] = Carried(
                each(self.inside(lambda a: max(zero, a) if relu else unity if a > 0 else zero), unit_input), {}
            )
        result = []
        for k in outs:
            parts = [(rational(weight, where), hidden[unit]) for unit, weight in numbers["W2"][k].items()]
            result.append((part.writes[k], self._sum(parts, rational(numbers["b2"][k], where))))
        return result

    def head(self, head: Head, live: set[str], where: str) -> list[tuple[str, Carried]]:
        """What a head writes to each live coordinate; OutOfReach where that is a mean of different values whose sign is
        not known. A note on each position term that breaks ties is added to `ties`."""
        numbers = head.lowered
        outs = [k for k, name in enumerate(head.writes) if name in live]
        if not outs:
            return []
        soft = head.weighting == "softmax"
        if soft and not isinstance(numbers["temperature"], Fraction):
            raise OutOfReach(f"{where} has the temperature {show(numbers['temperature'])}, which must be a number")
        # Softmax gives a mean of all values that a position sees, of which at most the sign is known. So its scores do
        # not matter.
        rows = [] if soft else [(q, k) for q, k in zip(numbers["Q"], numbers["K"], strict=True) if q and k]
        keys = [self.linear(key, Fraction(0), f"a key of {where}") for _, key in rows]
        values = [self.finite(numbers["V"][k], Fraction(0), f"a value of {where}") for k in outs]
        if not soft and any(SQUARE in key.order for key in keys):
            asked = [self.linear(query, Fraction(0), f"a query of {where}") for query, _ in rows]
            wanted = self._together([query.stream for query in asked])
            try:
                orders, start = [query.order for query in asked], self.embedding.start
                found = looked_up(head, wanted, orders, keys, values, start, _kept, self.inside)
            except NoLookup as error:
                raise OutOfReach(f"{where} {error}") from None
            names_written = [head.writes[k] for k in outs]
            return [(name, Carried(stream, {})) for name, stream in zip(names_written, found, strict=True)]
        queries = [self.finite(query, Fraction(0), f"a query of {where}") for query, _ in rows]
        no_scores = self._base(self.constant(()))
        query = self._together(queries) if rows else no_scores
        key = self._together([key_value.stream for key_value in keys]) if rows else no_scores
        # From here on a query is represented by the index of its order of the keys in `ranks`, and a key by its number.
        ranks, kinds = self._ranked(query, key, [key_value.order for key_value in keys], head, where)
        query_kind = each(self.inside(kinds.__getitem__), query)
        key = _numbered(key)
        result = []
        # Without scores each output is computed separately, so that an average that must be rejected is rejected before
        # the outputs after it are computed.
        for outputs in [list(range(len(outs)))] if rows else [[at] for at in range(len(outs))]:
            coded, decoded = zip(*(_coded(values[at]) for at in outputs), strict=True)
            key_and_values = join(self.inside(lambda a, b: (a, b)), key, self._together(coded))
            best = self._best(head, query_kind, key_and_values, ranks)
            for at, table in zip(range(len(outputs)), decoded, strict=True):
                name = head.writes[outs[outputs[at]]]
                # From codes back to values; a mean of different values keeps at most its sign.
                what = "a softmax" if soft else "an average"
                counts_because = (
                    f"{where} counts, because it writes {what} of different values to the coordinate {name}"
                )
                signs = {POSITIVE: SignedMean(1, counts_because), NEGATIVE: SignedMean(-1, counts_because)}
                table = {**table, None: Fraction(0), TIE: TIE, **signs}

                def value_of(best: Candidate | None, at: int = at, table: Mapping[object, object] = table) -> object:
                    """The value of output `at` at the best key; 0 where the position sees no key."""
                    return table[None if best is None else best.values[at]]

                stream = each(self.inside(value_of), best)
                if TIE in stream.values:
                    raise OutOfReach(counts_because)
                result.append((name, Carried(stream, {})))
        return result

    def _best(self, head: Head, query_kind: Stream, key_and_values: Stream, ranks: Ranks) -> Stream:
        """The best key that each position sees. `query_kind` is the index in `ranks` of the query there,
        `key_and_values` the pair of the key and the values there."""
        # For each key with values, the candidate that it is for each order in `ranks`. Computed once, since the scans
        # use it at each step.
        candidates: dict[Any, list[Candidate]] = {}
        for offer in key_and_values.values:
            if offer is not NOWHERE:
                candidates[offer] = [Candidate(order[offer[0]], ties, offer[1]) for order, ties in ranks]

        def rightwards(state: tuple[Candidate | None, ...], given: object) -> tuple[Candidate | None, ...]:
            """The best keys so far, one for each order, after one more position to the right."""
            return state if given is NOWHERE else tuple(map(better, state, candidates[given]))

        def leftwards(state: tuple[Candidate | None, ...], given: object) -> tuple[Candidate | None, ...]:
            """The best keys so far, one for each order, after one more position to the left."""
            return state if given is NOWHERE else tuple(map(better, candidates[given], state))

        start = (None,) * len(ranks)
        # The mask says what a position sees: the positions before it, itself, and the positions after it.
        parts = []
        if head.sees.before:
            parts.append(
                join(self.inside(lambda kind, b: b[kind]), query_kind, scan(key_and_values, start, rightwards))
            )
        if head.sees.here:
            parts.append(join(self.inside(lambda kind, offer: candidates[offer][kind]), query_kind, key_and_values))
        if head.sees.after:
            parts.append(
                join(self.inside(lambda kind, b: b[kind]), query_kind, scan_right(key_and_values, start, leftwards))
            )
        return reduce(lambda one, other: join(self.inside(better), one, other), parts)

    def _together(self, streams: Sequence[Stream]) -> Stream:
        """One stream of tuples from several streams."""
        first, *others = streams
        begun = each(self.inside(lambda a: (a,)), first)
        return reduce(lambda one, other: join(self.inside(lambda a, b: (*a, b)), one, other), others, begun)

    def _ranked(
        self, query: Stream, key: Stream, orders: Sequence[Ordered], head: Head, where: str
    ) -> tuple[Ranks, dict[Any, int]]:
        """The orders that the queries that occur give the keys that occur, and {query: index of its order}.

        A position term b*t(j) in the scores, t strictly monotone, decides which of equally good keys wins. It decides
        nothing else if any two different scores without it differ by at least |b| times a bound that is greater than
        any difference of two values of t in one string. A score that is greater without the term is then greater with
        it, at every length, mask and position.
        """
        keys = _kept(key)
        order_numbers: dict[tuple[tuple[int, ...], str], int] = {}
        kinds: dict[Any, int] = {}
        # The order of the keys by their scores without the position terms.
        for query_value in _kept(query):
            scores = {
                key: _known(sum((a * b for a, b in zip(query_value, key, strict=True)), Fraction(0))) for key in keys
            }
            levels = sorted(set(scores.values()))
            ties = "average" if head.weighting == "softmax" else head.weighting
            # The coefficient of each position term in this row of scores. Terms that are equal at all keys do not
            # count.
            weights: Ordered = {}
            for a, order in zip(query_value, orders, strict=True):
                for term, weight in order.items():
                    if term not in SAME:
                        weights[term] = weights.get(term, Fraction(0)) + _known(a * weight)
            weights = {term: weight for term, weight in weights.items() if weight}
            if len(weights) > 1:
                raise OutOfReach(
                    f"{where} has scores with {' and '.join(map(show, weights))}, which may order keys differently"
                )
            # At most one term is left. It breaks ties, to the left or to the right, if the levels are far enough apart.
            for term, weight in weights.items():
                rises, spread = TERMS[term]
                bound = spread(self.embedding.start)
                for low, high in zip(levels, levels[1:], strict=False):
                    if bound is None or high - low < abs(weight) * bound:
                        raise OutOfReach(
                            f"{where} has scores that differ by {high - low} next to {weight}*({show(term)}), "
                            "which may be larger than this difference"
                        )
                ties = "rightmost" if rises == (weight > 0) else "leftmost"
                heads = self.ties.setdefault(f"{show(term)} only breaks ties, {ties} wins", [])
                if where not in heads:
                    heads.append(where)
            # Queries that give the keys the same order share an index.
            ranks = tuple(levels.index(scores[key]) for key in keys), ties
            kinds[query_value] = order_numbers.setdefault(ranks, len(order_numbers))
        return [*order_numbers], kinds

    def verdict(self) -> Stream:
        """The stream of the answers (True, False or a label) that the readout would give at each position."""
        readout = self.model.readout
        if not readout.answers:
            raise OutOfReach("the readout shows values and decides nothing")
        rule, compared = readout.choice()
        rows = [self.finite(row, Fraction(0), "the readout") for row in compared]
        if rule == "zero":
            tests = [each(self.inside(lambda a: a == 0), row) for row in rows]
            return reduce(lambda one, other: join(self.inside(lambda a, b: a and b), one, other), tests)
        if rule == "positive":
            return each(self.inside(lambda a: a > 0), rows[0])
        # The largest score with the index of its label; among equal scores the first.
        best = each(self.inside(lambda a: (a, 0)), rows[0])
        for label, row in enumerate(rows[1:], 1):
            best = join(self.inside(lambda a, b, k=label: (b, k) if b > a[0] else a), best, row)
        return each(self.inside(lambda a: readout.labels[a[1]]), best)

    @property
    def notes(self) -> tuple[str, ...]:
        """The simplifications that were made, each with the heads that it is about."""
        return tuple(
            f"{tie}: {heads[0]}" + (f" and {len(heads) - 1} more" if heads[1:] else "")
            for tie, heads in self.ties.items()
        )

    def automaton(self) -> Automaton:
        """The minimal automaton of the model's answers (`_automaton`). Missing where a table would grow too large,
        OutOfReach where the readout does not fit."""
        try:
            return self._automaton()
        except TooLarge as error:
            raise Missing(f"the readout needs {error}") from None

    def _automaton(self) -> Automaton:
        """The minimal automaton of the answer to a string. For a readout at each position, it is the answer at the last
        one, which must not depend on later symbols (else OutOfReach). The empty string has no answer where it is not an
        input."""
        stream, readout = self.verdict(), self.model.readout
        if readout.each:
            if self.valid is not None:
                raise OutOfReach("the model answers at each position and also adds tokens to the input")
            if len(stream.right) > 1:
                raise OutOfReach("the answer at a position depends on later positions")
        elif readout.together:
            # One verdict on all positions: each position up to the last one must accept.
            before = scan(stream, True, lambda state, value: state if value is NOWHERE else state and value)
            stream = join(self.inside(lambda a, b: a and b), before, stream)
        elif readout.first:
            # The answer at the first position, which is the position itself where there is none before it.
            first_value = scan(stream, None, lambda state, value: value if state is None else state)
            stream = join(self.inside(lambda a, b: b if a is None else a), first_value, stream)
        elif not readout.last:
            raise OutOfReach(f"the model answers {readout.where}")
        over_all_tokens = machine(stream, self.tokens)
        if self.valid is None:
            return over_all_tokens
        # That automaton reads all tokens. The result reads typed symbols only; the added tokens are read at both ends.
        before, after = self.embedding.ends

        def read(state: int, tokens: Sequence[str]) -> int:
            """The state after some tokens."""
            return reduce(over_all_tokens.step, tokens, state)

        ends = Fold(
            read(over_all_tokens.initial, before),
            over_all_tokens.step,
            lambda state: over_all_tokens.answer(read(state, after)),
        )
        return explored(ends, self.model.alphabet).minimal()


def _valid(tokens: Sequence[str], before: Sequence[str], after: Sequence[str]) -> Stream:
    """The stream, constant over each string, of whether the string is an input: the added tokens are at its ends
    only."""
    # State k: k of the added tokens have been read. Typed symbols are read in the state `typed`.
    typed, end = len(before), len(before) + len(after)
    dead = end + 1

    def step(state: int, token: str) -> int:
        """The state after one more token, from the left."""
        if state == typed and token not in (*before, *after):
            return typed
        return state + 1 if state < end and token == (*before, *after)[state] else dead

    def back(states: frozenset[int], token: str) -> frozenset[int]:
        """The states from which `token` leads into `states`: one more token, from the right."""
        return frozenset(state for state in range(end + 1) if step(state, token) in states)

    # From the left: the state so far. From the right: the states from which the rest of the string leads to the end.
    from_left = explored(Fold(0, step, lambda state: state), tokens)
    from_right = explored(Fold(frozenset((end,)), back, lambda states: states), tokens)
    valid = [
        [[step(state, token) in allowed_states for allowed_states in from_right.answers] for token in tokens]
        for state in from_left.answers
    ]
    moves = np.array(from_left.moves, np.int32), np.array(from_right.moves, np.int32)
    return minimal(Stream(*moves, np.array(valid, np.int32), [False, True]))
