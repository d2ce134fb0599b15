"""Models that compare counts, as machines: counts of the tokens read so far, and flags.

In goes a model; out comes `Counting`, a machine with the same answers, made from the weights. Causal uniform attention
divides a sum of token counts by the number i of positions so far, so a coordinate is a linear form in the counts,
divided by i. A constant is such a form too, since the counts add up to i. Only signs of forms matter, so the division
by i is left out everywhere. ReLU and step distinguish cases by the sign of a form. A mean of values that are never
negative is zero iff they were zero at every position so far: for that the machine has a flag, which is set once a value
is positive. A model that does anything else is rejected with `OutOfReach`, which names the head and the coordinate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import product
from math import gcd, lcm
from typing import Any, NamedTuple

from symcook.decide.automata import Automaton
from symcook.decide.finite import OutOfReach, rational
from symcook.model.expr import show
from symcook.model.parts import FeedForward, Head
from symcook.model.transformer import Transformer
from symcook.spec.fold import Fold

Counts = tuple[Any, tuple[int, ...], tuple[bool, ...]]
"""A state: what is kept of the last token (see `Counting.after`), the values of the forms, and the flags."""
Vector = tuple[Fraction, ...]
"""A linear form in the counts of the tokens."""
PIECES = 64
"""The greatest number of cases that one coordinate may have."""


class CountCondition(NamedTuple):
    """`sign` times the form of this number is > 0, >= 0, or = 0; or a flag is "set" or "unset"."""

    kind: str
    number: int
    sign: int = 1


Conditions = tuple[CountCondition, ...]


class Guarded(NamedTuple):
    """A value where all conditions hold."""

    when: Conditions
    value: Vector


@dataclass(frozen=True)
class Counted:
    """A coordinate at a position: by the token there pieces of which one applies, and multiples of means that are
    positive iff their flag is set."""

    pieces: Mapping[str, tuple[Guarded, ...]]
    flags: Mapping[int, Fraction]


class Counting:
    """A model as a machine, and a recogniser. A state is the last token (one for all where it does not matter, None
    before the first), the values of the forms, and the flags.

    forms: integer vectors over `tokens`. raised: for each flag, by token, what sets it: any of several conjunctions,
    about forms that have counted the token, and about flags before it. cases: by the last token, which answer holds
    where; one of the cases holds, and no two.
    """

    def __init__(self, model: Transformer) -> None:
        self.model, self.embedding = model, model.embedding
        self.tokens, self.alphabet = tuple(self.embedding.words or ()), model.alphabet
        self.forms: list[tuple[int, ...]] = []
        self.raised: list[dict[str, list[Conditions]]] = []
        # What the machine cannot represent is rejected before any weight is read.
        before, after = self.embedding.ends
        has = {"norms": model.normed, "a maximum length": model.max_length is not None}
        if beyond := [what for what, there in (has | {"a token after the input": bool(after)}).items() if there]:
            raise OutOfReach(f"{model.name} has {' and '.join(beyond)}")
        if model.readout.each and before:
            raise OutOfReach("a readout at each position of a model that adds tokens")
        # The value of each live coordinate, layer by layer; `ones` is the form of the constant 1.
        self.ones = (Fraction(1),) * len(self.tokens)
        self.held = {name: self._embedded(name) for name in model.live[0]}
        attends = [any(isinstance(part, Head) for part in step.parts) for step in model.sublayers]
        for k, (step, live) in enumerate(zip(model.sublayers, model.live[1:], strict=True)):
            # All sublayers of one step read the same residual stream, so their sums are added only after all were read.
            written: list[tuple[str, Counted]] = []
            for where, part in step.named_parts:
                if isinstance(part, Head):
                    last = not any(attends[k + 1 :]) and not (model.readout.everywhere or model.readout.first)
                    written += self._head(part, live, where, last)
                else:
                    written += self._feedforward(part, live, where)
            for name, value in written:
                self.held[name] = self._sum([(Fraction(1), self.held[name]), (Fraction(1), value)], Fraction(0))
            self.held = {name: value for name, value in self.held.items() if name in live}
        # The answer by the last token, in cases.
        self.cases = {token: list(self._answers(token)) for token in self.tokens}
        if model.readout.everywhere and not model.readout.each:
            # One verdict on all positions: a flag is set once a position rejects, and accepts only while it is unset.
            refusing = {t: [when for when, answer in cases if not answer] for t, cases in self.cases.items()}
            flag = self._raise(refusing)
            every = [((CountCondition("unset", flag),), True), ((CountCondition("set", flag),), False)]
            self.cases = {token: every for token in self.tokens}
        elif model.readout.first:
            raise OutOfReach("its readout is at the first position")
        # The last token does not matter where all tokens have the same cases: then one key stands for all.
        if all(cases == self.cases[self.tokens[0]] for cases in self.cases.values()):
            self.cases = {"": self.cases[self.tokens[0]]}
        # The tokens that the model puts before the input have been read in the initial state.
        start = (None, (0,) * len(self.forms), (False,) * len(self.raised))
        self.initial = reduce(self.step, before, start)

    # --- The machine ---

    def step(self, state: Counts, letter: str) -> Counts:
        """The state after one more token."""
        _, values, flags = state
        values = tuple(value + form[self.tokens.index(letter)] for value, form in zip(values, self.forms, strict=True))
        for number, by_token in enumerate(self.raised):
            if not flags[number] and any(_hold(when, values, flags) for when in by_token.get(letter, ())):
                flags = (*flags[:number], True, *flags[number + 1 :])
        return self.after(state[0], letter), values, flags

    def after(self, last: object, token: str) -> str:
        """What is kept of the last token."""
        return token if token in self.cases else ""

    def answer(self, state: Counts) -> Any:
        """What the readout answers; None before the first token."""
        last, values, flags = state
        if last is None:
            return None
        return next(answer for when, answer in self.cases[last] if _hold(when, values, flags))

    def fold(self) -> Fold:
        """The same as a reference, whose steps can be followed where counts are open (`symcook.decide.following`): of
        plain integers, tuples and text alone."""
        # `followed` accepts functions and builtin types but no objects of classes: everything becomes lists and tuples.
        places = {token: [form[k] for form in self.forms] for k, token in enumerate(self.tokens)}
        constants = {token: self.after(None, token) for token in self.tokens}
        raised = [
            {token: [[*map(tuple, when)] for when in cases] for token, cases in by_letter.items()}
            for by_letter in self.raised
        ]
        cases = {
            last: [([*map(tuple, when)], answer) for when, answer in cases_of_last]
            for last, cases_of_last in self.cases.items()
        }

        def holds(when: Sequence[tuple[Any, ...]], values: Sequence[int], flags: Sequence[bool]) -> bool:
            """Whether all conditions hold; `_hold` for plain tuples."""
            for kind, number, sign in when:
                if kind == "set" or kind == "unset":
                    holds_here = flags[number] == (kind == "set")
                else:
                    value = sign * values[number]
                    holds_here = value > 0 if kind == ">" else value >= 0 if kind == ">=" else value == 0
                if not holds_here:
                    return False
            return True

        def step(state: Counts, token: str) -> Counts:
            values = tuple([value + coefficient for value, coefficient in zip(state[1], places[token], strict=True)])
            flags = list(state[2])
            # In order, since what sets a flag may depend on the flags before it.
            for number, by_token in enumerate(raised):
                for when in by_token.get(token, ()):
                    if not flags[number] and holds(when, values, flags):
                        flags[number] = True
            return constants[token], values, tuple(flags)

        def answer(state: Counts) -> Any:
            for when, own_answer in cases.get(state[0], ()):
                if holds(when, state[1], state[2]):
                    return own_answer
            return None

        return Fold(self.initial, step, answer)

    # --- From the weights ---

    def _condition(self, kind: str, form: Vector, token: str) -> bool | CountCondition:
        """The condition that a form is > 0, >= 0 or = 0 after this token; True or False where the same holds for all
        counts."""
        own = form[self.tokens.index(token)]
        # The count of `token` is at least 1, all others are at least 0: coefficients of one sign decide alone.
        if all(a >= 0 for a in form) and own > 0:
            return kind != "="
        if all(a <= 0 for a in form) and own < 0:
            return False
        if not any(form):
            return kind != ">"
        if kind == ">" and all(a <= 0 for a in form):
            return False
        if kind == ">=" and all(a >= 0 for a in form):
            return True
        scale = lcm(*(a.denominator for a in form))
        integers = [int(a * scale) for a in form]
        divisor = gcd(*integers)
        sign = 1 if next(a for a in integers if a) > 0 else -1
        vector = tuple(sign * a // divisor for a in integers)
        if vector not in self.forms:
            self.forms.append(vector)
        return CountCondition(kind, self.forms.index(vector), 1 if kind == "=" else sign)

    def _raise(self, by_token: dict[str, list[Conditions]]) -> int:
        """The number of the flag that these conditions set, by token."""
        if by_token not in self.raised:
            self.raised.append(by_token)
        return self.raised.index(by_token)

    def _constant(self, value: Fraction) -> Vector:
        """The form of a constant: since forms are divided by i, each token counts `value`."""
        return tuple(value * coefficient for coefficient in self.ones)

    def _embedded(self, name: str) -> Counted:
        """A coordinate of the embedding, one constant for each token; OutOfReach where it depends on the position."""
        table, function = self.embedding.tables.get(name, {}), self.embedding.places.get(name, Fraction(0))
        if not isinstance(function, Fraction):
            raise OutOfReach(f"its coordinate {name} depends on the position, as {show(function)}")
        values = {t: rational(table.get(t, Fraction(0)), f"{name} of {t}") + function for t in self.tokens}
        return Counted({t: (Guarded((), self._constant(value)),) for t, value in values.items()}, {})

    def _sum(self, parts: Sequence[tuple[Fraction, Counted]], bias: Fraction) -> Counted:
        """The weighted sum of some coordinates and a bias: each combination of their cases that can hold is one case of
        it."""
        pieces: dict[str, tuple[Guarded, ...]] = {}
        for token in self.tokens:
            total = [Guarded((), self._constant(bias))]
            for weight, part in parts:
                total = [
                    Guarded(when, tuple(a + weight * b for a, b in zip(before.value, added.value, strict=True)))
                    for before, added in product(total, part.pieces[token])
                    if (when := _both(before.when, added.when)) is not None
                ]
                if len(total) > PIECES:
                    raise OutOfReach(f"a coordinate of more than {PIECES} cases")
            pieces[token] = tuple(total)
        flags: dict[int, Fraction] = {}
        for weight, part in parts:
            for flag, own in part.flags.items():
                flags[flag] = flags.get(flag, Fraction(0)) + weight * own
        return Counted(pieces, {flag: weight for flag, weight in flags.items() if weight})

    def _linear(self, weights: Mapping[str, object], bias: object, what: str) -> Counted:
        """One row of a matrix applied to the coordinates, with a bias."""
        parts = [(rational(weight, what), self.held[name]) for name, weight in weights.items()]
        return self._sum(parts, rational(bias, what))

    def _feedforward(self, part: FeedForward, live: set[str], where: str) -> list[tuple[str, Counted]]:
        """What a feed-forward layer writes to each live coordinate."""
        if part.activation not in ("relu", "step"):
            raise OutOfReach(f"{where} has the activation {part.activation}")
        numbers = part.lowered
        outs = [k for k, name in enumerate(part.writes) if name in live]
        # The hidden units that some live coordinate reads, each with one case for either sign of its input.
        hidden: dict[Any, Counted] = {}
        for unit in sorted({unit for k in outs for unit in numbers["W2"][k]}):
            unit_input = self._linear(numbers["W1"][unit], numbers["b1"][unit], where)
            if unit_input.flags:
                name = next(name for name in numbers["W1"][unit] if self.held[name].flags)
                raise OutOfReach(f"{where} reads {name}, a mean of which only the sign is known")
            pieces: dict[str, tuple[Guarded, ...]] = {}
            for token, cases in unit_input.pieces.items():
                unit_cases = []
                for when, value in cases:
                    # The condition is on value/i, and so is the ReLU; a step is the constant 1.
                    positive = value if part.activation == "relu" else self.ones
                    zero = self._constant(Fraction(0))
                    for kind, form, then in ((">", value, positive), (">=", tuple(-a for a in value), zero)):
                        extended = self._with(when, kind, form, token)
                        if extended is not None:
                            unit_cases.append(Guarded(extended, then))
                pieces[token] = tuple(unit_cases)
            hidden[unit] = Counted(pieces, {})
        # The second matrix.
        result = []
        for k in outs:
            parts = [(rational(weight, where), hidden[unit]) for unit, weight in numbers["W2"][k].items()]
            result.append((part.writes[k], self._sum(parts, rational(numbers["b2"][k], where))))
        return result

    def _with(self, when: Conditions, kind: str, form: Vector, token: str) -> Conditions | None:
        """One condition more; None where they cannot hold together."""
        condition = self._condition(kind, form, token)
        if isinstance(condition, bool):
            return when if condition else None
        return _both(when, (condition,))

    def _head(self, head: Head, live: set[str], where: str, last: bool) -> list[tuple[str, Counted]]:
        """What a head writes to each live coordinate; OutOfReach unless it is uniform causal attention."""
        numbers = head.lowered
        outs = [k for k, name in enumerate(head.writes) if name in live]
        if outs and (not head.uniform or head.weighting not in ("average", "softmax")):
            how = f"{head.weighting} attention" if head.uniform else "scores"
            raise OutOfReach(f"{where} writes {head.writes[outs[0]]} by {how}, not by a plain average")
        # The last attention of a model whose readout is at the end may also see what follows: nothing follows the end.
        if outs and not (head.sees.before and head.sees.here and (last or not head.sees.after)):
            what = "which sees other positions than those up to its own"
            raise OutOfReach(f"{where} writes {head.writes[outs[0]]} with the mask {head.mask}, {what}")
        if outs and not isinstance(numbers["temperature"], Fraction):
            raise OutOfReach(f"{where} has the temperature {show(numbers['temperature'])}, which must be a number")
        # The mean of each value.
        result = []
        for k in outs:
            name = head.writes[k]
            value = self._linear(numbers["V"][k], Fraction(0), f"a value of {where}")
            if value.flags:
                raise OutOfReach(f"{where} writes {name}: a mean of what is a mean of sums itself")
            result.append((name, self._mean(value, f"{where} writes {name}")))
        return result

    def _mean(self, value: Counted, where: str) -> Counted:
        """The mean over all positions so far: a form where the value depends on the token alone, else a flag."""
        cases = {token: value.pieces[token] for token in self.tokens}
        # One constant for each token: the sum is the form with these coefficients.
        if all(len(pieces) == 1 and len(set(pieces[0].value)) == 1 for pieces in cases.values()):
            form = tuple(cases[token][0].value[0] for token in self.tokens)
            return Counted({token: (Guarded((), form),) for token in self.tokens}, {})
        # Else the value must never be negative (sign 1) or never be positive (sign -1): then a flag is enough.
        for sign in (1, -1):
            raised: dict[str, list[Conditions]] = {}
            for token, pieces in cases.items():
                for when, form in pieces:
                    signed = tuple(sign * a for a in form)
                    if not any(form):
                        continue
                    positive = self._condition(">", signed, token)
                    if positive is not True and positive not in when:
                        # `break` gives this sign up, `continue` (the loop's else) goes on to the next token.
                        break  # it may be negative, or the sign is not known
                    raised.setdefault(token, []).append(when)
                else:
                    continue
                break
            else:
                nothing = {token: (Guarded((), self._constant(Fraction(0))),) for token in self.tokens}
                return Counted(nothing, {self._raise(raised): Fraction(sign)})
        raise OutOfReach(f"{where}: a mean of what may be positive and negative and is no count")

    # --- The readout ---

    def _answers(self, token: str) -> Iterator[tuple[Conditions, Any]]:
        """The answer by conditions, where this token is the last one."""
        readout = self.model.readout
        if not readout.answers:
            raise OutOfReach("the readout shows values and decides nothing")
        rule, rows = readout.choice()
        if rule == "zero":
            # Accepted iff all coordinates are zero: each combination of their cases.
            tests = [list(self._tested(self.held[name], token, name)) for name in readout.reads]
            for tested in product(*tests):
                if (when := _both(*(conditions for conditions, _ in tested))) is not None:
                    yield when, all(zero for _, zero in tested)
            return
        scores = [self._linear(row, Fraction(0), "the readout") for row in rows]
        if rule == "positive":
            # Accepted iff the one score is positive.
            for when, value, flags in self._parts(scores[0], token, "the readout"):
                if flags:
                    yield from self._flagged(when, flags, True, False)
                else:
                    yield from self._split(when, value, token, True, False)
            return
        if any(score.flags for score in scores):
            raise OutOfReach("the readout compares a mean of which only the sign is known")
        # The label of the largest score: label k wins if it is larger
        # than all before it and at least as large as all after.
        for pieces in product(*(score.pieces[token] for score in scores)):
            for k, label in enumerate(readout.labels):
                when = _both(*(piece.when for piece in pieces))
                for j, rival in enumerate(pieces):
                    if when is not None and j != k:
                        form = tuple(a - b for a, b in zip(pieces[k].value, rival.value, strict=True))
                        when = self._with(when, ">" if j < k else ">=", form, token)
                if when is not None:
                    yield when, label

    def _parts(self, value: Counted, token: str, what: str) -> Iterator[tuple[Conditions, Vector, dict[int, Fraction]]]:
        """The pieces of a value, which are a form or a sum of means of one sign, not both."""
        for when, form in value.pieces[token]:
            signs = {weight > 0 for weight in value.flags.values()}
            if value.flags and (any(form) or len(signs) > 1):
                raise OutOfReach(f"{what} adds up a mean of which only the sign is known, and another number")
            yield when, form, dict(value.flags)

    def _tested(self, value: Counted, token: str, name: str) -> Iterator[tuple[Conditions, bool]]:
        """Where the value is zero, and where not."""
        for when, form, flags in self._parts(value, token, f"the readout of {name}"):
            if flags:
                yield from (
                    (conditions, not answer)
                    for conditions, answer in self._flagged(when, dict.fromkeys(flags, Fraction(1)), True, False)
                )
                continue
            for kind, sign, zero in (("=", 1, True), (">", 1, False), (">", -1, False)):
                extended = self._with(when, kind, tuple(sign * a for a in form), token)
                if extended is not None:
                    yield extended, zero

    def _split(
        self, when: Conditions, form: Vector, token: str, yes: bool, no: bool
    ) -> Iterator[tuple[Conditions, bool]]:
        """`yes` where a form is positive and `no` where it is not."""
        for kind, sign, answer in ((">", 1, yes), (">=", -1, no)):
            conditions = self._with(when, kind, tuple(sign * a for a in form), token)
            if conditions is not None:
                yield conditions, answer

    def _flagged(
        self, when: Conditions, flags: Mapping[int, Fraction], yes: bool, no: bool
    ) -> Iterator[tuple[Conditions, bool]]:
        """`yes` where a sum of means of one sign is positive: that sign is +, and some flag is set."""
        means = list(flags)
        for k, flag in enumerate(means):  # the first one that is set
            earlier = tuple(CountCondition("unset", earlier_flag) for earlier_flag in means[:k])
            if (conditions := _both(when, (*earlier, CountCondition("set", flag)))) is not None:
                yield conditions, yes if flags[flag] > 0 else no
        if (conditions := _both(when, tuple(CountCondition("unset", flag) for flag in means))) is not None:
            yield conditions, no


class StateTable:
    """An automaton as such a machine, without counts: what is kept of the last token is the state."""

    forms: Sequence[tuple[int, ...]] = ()
    raised: Sequence[dict[str, list[Conditions]]] = ()

    def __init__(self, automaton: Automaton) -> None:
        self.automaton, self.alphabet, self.tokens = automaton, automaton.alphabet, automaton.alphabet
        self.initial = (automaton.initial, (), ())
        answers = enumerate(automaton.answers)
        self.cases: dict[Any, list[tuple[Conditions, Any]]] = {k: [((), a)] for k, a in answers if a is not None}

    def after(self, last: int, token: str) -> int:
        """The next state."""
        return self.automaton.step(last, token)

    def step(self, state: Counts, letter: str) -> Counts:
        """The state behind one more letter."""
        return self.after(state[0], letter), (), ()


def _hold(when: Conditions, values: Sequence[int], flags: Sequence[bool]) -> bool:
    """Whether all conditions hold for these values of the forms and these flags."""
    for kind, number, sign in when:
        if kind in ("set", "unset"):
            if flags[number] != (kind == "set"):
                return False
            continue
        value = sign * values[number]
        if not (value > 0 if kind == ">" else value >= 0 if kind == ">=" else value == 0):
            return False
    return True


def _both(*parts: Iterable[CountCondition]) -> Conditions | None:
    """Conditions together, each once; None where two of them exclude each other in sight."""
    conditions: dict[CountCondition, None] = dict.fromkeys(condition for part in parts for condition in part)
    # Only pairs that exclude each other at sight: a flag set and unset, or a form positive and at the same time not.
    for kind, number, sign in conditions:
        if kind == "set" and CountCondition("unset", number) in conditions:
            return None
        excluded = ((">", -sign), (">=", -sign), ("=", 1)) if kind == ">" else ()
        if any(CountCondition(excluded_kind, number, s) in conditions for excluded_kind, s in excluded):
            return None
    return tuple(conditions)
