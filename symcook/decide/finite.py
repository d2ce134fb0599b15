"""A model whose residual stream takes finitely many values, as streams: one for each coordinate, made from the weights.

In goes a model; out comes the minimal automaton of its answers. A head becomes a scan from each side: for each way in
which a query orders the keys, the values at the best key so far. A position term in the keys (i/n and the like) takes
infinitely many values and is kept apart from the streams; `_ranked` replaces it by a rule for ties where it can only
break ties. Where another coordinate takes infinitely many values, `OutOfReach` names it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from symcook.decide.automata import Automaton, explored
from symcook.decide.places import SAME, TERMS, Ordered, Unbounded, place
from symcook.decide.streams import Stream, TooLarge, each, join, letters, machine, minimal, scan, scan_right
from symcook.model.expr import show
from symcook.model.parts import FeedForward, Head
from symcook.model.transformer import Transformer
from symcook.spec.fold import Fold


class OutOfReach(Exception):
    """The model is no finite automaton, or none that this method finds: which head or coordinate, and why."""


class Missing(Exception):
    """The answer is unknown because a table would grow too large."""


class Nowhere:
    """The value at each position of a word that is no input: the tokens that a model adds stand elsewhere in it."""


NOWHERE = Nowhere()
Ranks = list[tuple[tuple[int, ...], str]]
"""For each way in which a query orders keys: the rank of each key, by its number, and what wins among equal scores:
leftmost, rightmost, or average."""
TIE, POSITIVE, NEGATIVE = "several values", "several values, none below 0", "several values, none above 0"
"""What a head brings where keys with different values are best at once: their mean, of which the sign may be known."""


@dataclass(frozen=True)
class SignedMean:
    """A mean of different values of which the sign alone is known; `said` is why a model that asks more is refused."""

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
        return not self > other  # it is no number that another value is known to be equal to


@dataclass(frozen=True)
class Carried:
    """A coordinate: a stream, and the coefficients of the position terms that are added to it."""

    stream: Stream
    order: Ordered


class Candidate(NamedTuple):
    """The best key that a query has seen: its rank, what wins among equal ranks, and the values that it brings."""

    rank: int
    ties: str
    values: tuple[Any, ...]

    def over(self, later: Candidate | None) -> Candidate:
        """The better one of this and of one that stands to its right."""
        if later is None or later.rank < self.rank:
            return self
        if self.rank < later.rank or self.ties == "rightmost":
            return later
        if self.ties == "leftmost":
            return self
        return self._replace(values=tuple(map(_mean, self.values, later.values)))


def _mean(first: Any, second: Any) -> Any:
    """The code of a mean of two values by their codes, which have the signs of the values: the value's own code where
    both are equal, else the sign of the mean where that is known, else `TIE`."""
    if first == second:
        return first
    for kind, sign in ((POSITIVE, 1), (NEGATIVE, -1)):
        if all(code == kind or (not isinstance(code, str) and code * sign >= 0) for code in (first, second)):
            return kind
    return TIE


def better(earlier: Candidate | None, later: Candidate | None) -> Candidate | None:
    """The better of two candidates, the second of which stands to the right; None where there is none."""
    return later if earlier is None else earlier.over(later)


def inside(compute: Callable[..., object]) -> Callable[..., Any]:
    """`compute` where no value is `NOWHERE`."""
    return lambda *values: NOWHERE if NOWHERE in values else compute(*values)


def _kept(stream: Stream) -> list[Any]:
    """The values at the positions of strings."""
    return [value for value in stream.values if value is not NOWHERE]


def _numbered(stream: Stream) -> Stream:
    """The stream with each value replaced by its number, which is faster to compare."""
    places = {value: place for place, value in enumerate(_kept(stream))} | {NOWHERE: NOWHERE}
    return each(places.__getitem__, stream)


def _coded(stream: Stream) -> tuple[Stream, dict[Any, Any]]:
    """A stream of numbers with each value replaced by a code of the same sign, and the values by their codes."""
    numbers = enumerate(_kept(stream), 1)
    codes = {value: (0 if value == 0 else place if value > 0 else -place) for place, value in numbers}
    return each((codes | {NOWHERE: NOWHERE}).__getitem__, stream), {code: value for value, code in codes.items()}


def rational(value: object, what: str) -> Fraction:
    """The number itself; OutOfReach, with what has it, for a weight that is not rational."""
    if not isinstance(value, Fraction):
        raise OutOfReach(f"{what} has the weight {show(value) if isinstance(value, tuple) else value}, no rational")
    return value


def _known(score: Fraction | SignedMean) -> Fraction:
    """A score; that of which the sign alone is known may differ from one position to another."""
    if isinstance(score, SignedMean):
        raise OutOfReach(score.said)
    return score


class Finite:
    """The coordinates of a model, layer by layer, over all tokens, those that it adds too."""

    def __init__(self, model: Transformer) -> None:
        self.model, self.embedding = model, model.embedding
        self.tokens = tuple(self.embedding.words or ())
        self.valid = _valid(self.tokens, *self.embedding.ends) if self.embedding.added else None
        self.ties: dict[str, list[str]] = {}
        """What is said of position terms, and of which heads."""
        self.inside = inside if self.valid is not None else lambda compute: compute
        # Models that no automaton of this kind can represent are rejected before any weight is read.
        if not self.tokens:
            raise OutOfReach(f"{model.name} reads numbers, not strings")
        if model.max_length is not None:
            raise OutOfReach(f"{model.name} is declared up to length {model.max_length} alone")
        if model.normed:
            raise OutOfReach("a layer norm divides by a root")
        # The stream of each live coordinate, layer by layer.
        self.held = {name: self._embedded(name) for name in model.live[0]}
        for step, live in zip(model.sublayers, model.live[1:], strict=True):
            written: list[tuple[str, Carried]] = []
            for where, part in step.named_parts:
                try:
                    if isinstance(part, Head):
                        written += self.head(part, live, where)
                    else:
                        written += self.feedforward(part, live, where)
                except TooLarge as error:
                    raise Missing(f"{where} needs {error}") from None
            # Added only now: the sublayers of one step read the same residual stream.
            for name, value in written:
                self.held[name] = self._sum([(Fraction(1), self.held[name]), (Fraction(1), value)], Fraction(0))
            self.held = {name: value for name, value in self.held.items() if name in live}

    def constant(self, value: Hashable) -> Stream:
        """The stream with one value everywhere."""
        return letters([value] * len(self.tokens))

    def _base(self, stream: Stream) -> Stream:
        """The stream with `NOWHERE` in strings that are no input."""
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
                known: Any = function if isinstance(function, tuple) else ("num", *function.as_integer_ratio())
                bias, order = place(known, self.embedding.start, len(self.tokens))
            except Unbounded as error:
                raise OutOfReach(f"the position function of {name} takes no end of values: {error}") from None
            # The position function has finitely many values that vary (a stream), or a single number.
            if isinstance(bias, Stream):
                stream = join(lambda a, b: a + b, stream, bias) if table is not None else bias
            else:
                stream = each(lambda a: a + bias, stream)
        return Carried(self._base(stream), order)

    def _sum(self, parts: Sequence[tuple[Fraction, Carried]], bias: Fraction) -> Carried:
        """The weighted sum of some coordinates and a bias."""
        order: Ordered = {}
        varied = []
        for weight, summand in parts:
            for term, own in summand.order.items():
                order[term] = order.get(term, Fraction(0)) + weight * own
            # A constant stream goes into the bias, which saves one product of automata.
            if len(summand.stream.values) == 1 and summand.stream.values[0] is not NOWHERE:
                bias += weight * summand.stream.values[0]
            else:
                varied.append((weight, summand.stream))
        # Then one join for each stream that varies.
        if not varied:
            total = self.constant(bias)
        else:
            (first, total), *others = varied
            if (first, bias) != (1, 0):
                total = each(self.inside(lambda a: first * a + bias), total)
            for weight, stream in others:
                total = join(self.inside(lambda a, b, w=weight: a + w * b), total, stream)
        return Carried(total, {term: weight for term, weight in order.items() if weight})

    def linear(self, weights: Mapping[str, object], bias: object, what: str) -> Carried:
        """A row of a matrix over coordinates, and a bias."""
        parts = [(rational(weight, what), self.held[name]) for name, weight in weights.items()]
        return self._sum(parts, rational(bias, what))

    def finite(self, weights: Mapping[str, object], bias: object, what: str) -> Stream:
        """The stream of `linear`; OutOfReach where a position term makes it take infinitely many values."""
        summed = self.linear(weights, bias, what)
        if summed.order:
            term = show(next(iter(summed.order)))
            name = next(name for name in weights if self.held[name].order)
            raise OutOfReach(f"{what} reads {name}, in which {term} takes no end of values")
        return summed.stream

    def feedforward(self, part: FeedForward, live: set[str], where: str) -> list[tuple[str, Carried]]:
        """What a feed-forward layer writes to each live coordinate; its activation must be relu or step."""
        if part.activation not in ("relu", "step"):
            raise OutOfReach(f"{where} has the activation {part.activation}, whose values are no rationals")
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
        """What a head writes to each live coordinate."""
        numbers = head.lowered
        outs = [k for k, name in enumerate(head.writes) if name in live]
        if not outs:
            return []
        soft = head.weighting == "softmax"
        if soft and not isinstance(numbers["temperature"], Fraction):
            raise OutOfReach(f"{where} has the temperature {show(numbers['temperature'])}, which must be a number")
        # A softmax takes a mean of all values in sight, so its
        # scores do not matter: only the sign of the mean is known.
        rows = [] if soft else [(q, k) for q, k in zip(numbers["Q"], numbers["K"], strict=True) if q and k]
        queries = [self.finite(query, Fraction(0), f"a query of {where}") for query, _ in rows]
        keys = [self.linear(key, Fraction(0), f"a key of {where}") for _, key in rows]
        values = [self.finite(numbers["V"][k], Fraction(0), f"a value of {where}") for k in outs]
        nothing = self._base(self.constant(()))
        query = self._together(queries) if rows else nothing
        key = self._together([key_value.stream for key_value in keys]) if rows else nothing
        # From here on a query is the number of its order of the keys, and a key is a number.
        ranks, kinds = self._ranked(query, key, [key_value.order for key_value in keys], head, where)
        asked = each(self.inside(kinds.__getitem__), query)
        key = _numbered(key)
        result = []
        # Without scores each coordinate is by itself: where one is an average the others need not be found first.
        for outputs in [list(range(len(outs)))] if rows else [[at] for at in range(len(outs))]:
            coded, decoded = zip(*(_coded(values[at]) for at in outputs), strict=True)
            offered = join(self.inside(lambda a, b: (a, b)), key, self._together(coded))
            best = self._best(head, asked, offered, ranks)
            for at, table in zip(range(len(outputs)), decoded, strict=True):
                name = head.writes[outs[outputs[at]]]
                # From codes back to values; a mean of different values keeps at most its sign.
                what = "a softmax" if soft else "an average"
                counts_because = (
                    f"{where} counts, because it writes {what} of different values to the coordinate {name}"
                )
                signs = {POSITIVE: SignedMean(1, counts_because), NEGATIVE: SignedMean(-1, counts_because)}
                table = {**table, None: Fraction(0), TIE: TIE, **signs}

                def brought(best: Candidate | None, at: int = at, table: Mapping[object, object] = table) -> object:
                    return table[None if best is None else best.values[at]]

                stream = each(self.inside(brought), best)
                if TIE in stream.values:
                    raise OutOfReach(counts_because)
                result.append((name, Carried(stream, {})))
        return result

    def _best(self, head: Head, asked: Stream, offered: Stream, ranks: Ranks) -> Stream:
        """At each position the best key in sight; `asked` is the place in `ranks` of the query, `offered` what each
        position has: its key and its values."""
        # What each key with its values is to each kind of query;
        # computed once, since the scans look it up at each step.
        known: dict[Any, list[Candidate]] = {}
        for offer in offered.values:
            if offer is not NOWHERE:
                known[offer] = [Candidate(order[offer[0]], ties, offer[1]) for order, ties in ranks]

        # The best key so far for each kind of query, from the left and from the right.
        def rightwards(state: tuple[Candidate | None, ...], given: object) -> tuple[Candidate | None, ...]:
            return state if given is NOWHERE else tuple(map(better, state, known[given]))

        def leftwards(state: tuple[Candidate | None, ...], given: object) -> tuple[Candidate | None, ...]:
            return state if given is NOWHERE else tuple(map(better, known[given], state))

        start = (None,) * len(ranks)
        # The mask says which of the three (before, here, after) are in sight.
        parts = []
        if head.sees.before:
            parts.append(join(self.inside(lambda kind, b: b[kind]), asked, scan(offered, start, rightwards)))
        if head.sees.here:
            parts.append(join(self.inside(lambda kind, offer: known[offer][kind]), asked, offered))
        if head.sees.after:
            parts.append(join(self.inside(lambda kind, b: b[kind]), asked, scan_right(offered, start, leftwards)))
        return reduce(lambda one, other: join(self.inside(better), one, other), parts)

    def _together(self, streams: Sequence[Stream]) -> Stream:
        """One stream of tuples from several streams."""
        first, *others = streams
        begun = each(self.inside(lambda a: (a,)), first)
        return reduce(lambda one, other: join(self.inside(lambda a, b: (*a, b)), one, other), others, begun)

    def _ranked(
        self, query: Stream, key: Stream, orders: Sequence[Ordered], head: Head, where: str
    ) -> tuple[Ranks, dict[Any, int]]:
        """The ways in which the queries that occur order the keys that occur, and the way of each query.

        A position term b*t(j) in the scores, t strictly monotone, says which of equally good keys wins. It says nothing
        else where two scores without it differ by 0 or by at least |b| times a number that no two values of t in one
        row are apart: then a score that is greater without it is greater with it, whatever the length, the mask and the
        positions. A row of one key has no two scores, and an empty row none.
        """
        keys = _kept(key)
        known: dict[tuple[tuple[int, ...], str], int] = {}
        kinds: dict[Any, int] = {}
        # The order of the keys by their scores without the position terms.
        for asked in _kept(query):
            scores = {key: _known(sum((a * b for a, b in zip(asked, key, strict=True)), Fraction(0))) for key in keys}
            levels = sorted(set(scores.values()))
            ties = "average" if head.weighting == "softmax" else head.weighting
            # The coefficient of each position term in this row of
            # scores; terms that are the same at all keys do not count.
            weights: Ordered = {}
            for a, order in zip(asked, orders, strict=True):
                for term, weight in order.items():
                    if term not in SAME:
                        weights[term] = weights.get(term, Fraction(0)) + _known(a * weight)
            weights = {term: weight for term, weight in weights.items() if weight}
            if len(weights) > 1:
                raise OutOfReach(f"{where} has scores with {' and '.join(map(show, weights))}, which may not agree")
            # At most one term is left: where the levels are far enough apart it breaks ties, for the left or the right.
            for term, weight in weights.items():
                rises, spread = TERMS[term]
                most = spread(self.embedding.start)
                for low, high in zip(levels, levels[1:], strict=False):
                    if most is None or high - low < abs(weight) * most:
                        raise OutOfReach(
                            f"{where} has scores that differ by {high - low} next to {weight}*({show(term)}), "
                            "which may outweigh that"
                        )
                ties = "rightmost" if rises == (weight > 0) else "leftmost"
                heads = self.ties.setdefault(f"{show(term)} only breaks ties, {ties} wins", [])
                if where not in heads:
                    heads.append(where)
            # Queries that order the keys alike share one number.
            way = tuple(levels.index(scores[key]) for key in keys), ties
            kinds[asked] = known.setdefault(way, len(known))
        return [*known], kinds

    def verdict(self) -> Stream:
        """The answer at each position, True, False or a label, as if the readout looked there."""
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
        # The largest score with its label, the first one among equals.
        best = each(self.inside(lambda a: (a, 0)), rows[0])
        for label, row in enumerate(rows[1:], 1):
            best = join(self.inside(lambda a, b, k=label: (b, k) if b > a[0] else a), best, row)
        return each(self.inside(lambda a: readout.labels[a[1]]), best)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was replaced on the way, and why that may be."""
        return tuple(
            f"{tie}: {heads[0]}" + (f" and {len(heads) - 1} more" if heads[1:] else "")
            for tie, heads in self.ties.items()
        )

    def automaton(self) -> Automaton:
        """`_automaton`; Missing where a table would grow too large."""
        try:
            return self._automaton()
        except TooLarge as error:
            raise Missing(f"the readout needs {error}") from None

    def _automaton(self) -> Automaton:
        """The minimal automaton of the answer to a word (after each letter, for a readout at each position that sees
        nothing behind it). The empty word is without answer where it is no input."""
        stream, readout = self.verdict(), self.model.readout
        if readout.each:
            if self.valid is not None:
                raise OutOfReach("a readout at each position of a model that adds tokens")
            if len(stream.right) > 1:
                raise OutOfReach("a readout at each position, where an answer depends on what stands after it")
        elif readout.everywhere:
            # One verdict on all positions: all of them up to the last must accept.
            before = scan(stream, True, lambda state, value: state if value is NOWHERE else state and value)
            stream = join(self.inside(lambda a, b: a and b), before, stream)
        elif readout.first:
            # The answer at the first position, which is the answer here where nothing is before.
            first_value = scan(stream, None, lambda state, value: value if state is None else state)
            stream = join(self.inside(lambda a, b: b if a is None else a), first_value, stream)
        over_all_tokens = machine(stream, self.tokens)
        if self.valid is None:
            return over_all_tokens
        # The automaton reads all tokens; its input are the model's
        # symbols alone, so the added tokens are read at the ends.
        before, after = self.embedding.ends

        def read(state: int, tokens: Sequence[str]) -> int:
            return reduce(over_all_tokens.step, tokens, state)

        ends = Fold(
            read(over_all_tokens.initial, before),
            over_all_tokens.step,
            lambda state: over_all_tokens.answer(read(state, after)),
        )
        return explored(ends, self.model.alphabet).minimal()


def _valid(tokens: Sequence[str], before: Sequence[str], after: Sequence[str]) -> Stream:
    """Whether a word is an input: the tokens that a model adds stand at its ends and nowhere else."""
    # State k: k of the added tokens have been read. State `typed` is also that of the input's own symbols.
    typed, end = len(before), len(before) + len(after)
    dead = end + 1

    def step(state: int, token: str) -> int:
        """From how many of these tokens have been read to how many are then."""
        if state == typed and token not in (*before, *after):
            return typed
        return state + 1 if state < end and token == (*before, *after)[state] else dead

    def back(states: frozenset[int], token: str) -> frozenset[int]:
        return frozenset(state for state in range(end + 1) if step(state, token) in states)

    # From the left: how many added tokens have been read. From
    # the right: from which of these states the end is reached.
    from_left = explored(Fold(0, step, lambda state: state), tokens)
    from_right = explored(Fold(frozenset((end,)), back, lambda states: states), tokens)
    valid = [
        [[step(state, token) in allowed_states for allowed_states in from_right.answers] for token in tokens]
        for state in from_left.answers
    ]
    moves = np.array(from_left.moves, np.int32), np.array(from_right.moves, np.int32)
    return minimal(Stream(*moves, np.array(valid, np.int32), [False, True]))
