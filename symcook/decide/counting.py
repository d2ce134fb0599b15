"""Models that compare counts, as machines: counts of the tokens read so far, and flags.

In goes a model; out comes `Counting`, a machine with the same answers, made from the weights. Causal uniform attention
divides a sum of token counts by the number i of positions so far, so a coordinate is a linear form in the counts,
divided by i. A constant is such a form too, since the counts add up to i. Only signs of forms matter, so the division
by i is left out everywhere. ReLU and step distinguish cases by the sign of a form. A mean of values that are never
negative (or never positive) is zero iff they were zero at every position so far: for that the machine has a flag, which
is set once a value is not zero. A model that does anything else is rejected with `OutOfReach`, which names the head and
the coordinate.
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
from symcook.model.choices import shown_word
from symcook.model.expr import show
from symcook.model.parts import FeedForward, Head
from symcook.model.reads import PartsRead
from symcook.model.transformer import Transformer
from symcook.spec.fold import Fold

READS = PartsRead("the automaton with counters")

Counts = tuple[Any, tuple[int, ...], tuple[bool, ...]]
"""A state: the key of the last token (see `Counting.after`), the values of the forms, and the flags."""
Vector = tuple[Fraction, ...]
"""The coefficients of a linear form in the counts of the tokens, in the order of `Counting.tokens`."""
PIECES = 64
"""The greatest number of cases that a sum of coordinates may have."""


class CountCondition(NamedTuple):
    """A condition on a form or a flag of a machine.

    Of kind ">", ">=" or "=": `sign` times the form `number` compares so with 0. Of kind "set" or "unset": the flag
    `number` is so.
    """

    kind: str
    number: int
    sign: int = 1


Conditions = tuple[CountCondition, ...]
"""A conjunction."""


class Guarded(NamedTuple):
    """A value that applies where all conditions hold."""

    when: Conditions
    value: Vector


class MeanOfSums(NamedTuple):
    """A mean over the positions so far of which only the sign is known: never negative, and positive iff its flag is
    set. Means of different values may share a flag, and are different numbers."""

    flag: int
    """The number of the flag."""
    values: tuple[tuple[Guarded, ...], ...]
    """By token, as in `Counting.tokens`: the cases of the value whose mean it is. Its first nonzero coefficient
    has the size 1, so that a multiple of a mean is known as one."""


@dataclass(frozen=True)
class Counted:
    """The value of a coordinate at a position: a linear form, plus multiples of means of which only the sign is
    known."""

    pieces: Mapping[str, tuple[Guarded, ...]]
    """By the token at the position: the cases of the linear form, exactly one of which applies."""
    flags: Mapping[MeanOfSums, Fraction]
    """{mean: factor} of the means."""


class Counting:
    """A model as a counter machine, which is a recogniser.

    A state is the key of the last token ("" where the last token does not matter, None before the first token), the
    values of the forms, and the flags.

    forms: the linear forms, as integer coefficients over `tokens`. raised: for each flag, {token: conjunctions}; the
    token sets the flag if one of the conjunctions holds. They are about the forms after the token is counted, and about
    earlier flags. cases: {key of the last token: (conditions, answer) pairs}, exactly one of which applies.
    """

    def __init__(self, model: Transformer) -> None:
        self.model, self.embedding = model, model.embedding
        self.tokens, self.alphabet = tuple(self.embedding.words or ()), model.alphabet
        self.forms: list[tuple[int, ...]] = []
        self.raised: list[dict[str, list[Conditions]]] = []
        # Reject models with features that the machine cannot represent, before any weight is read. Other features are
        # rejected where they are met.
        before, after = self.embedding.ends
        has = {"norms": model.normed, "a maximum length": model.max_length is not None}
        if beyond := [what for what, there in (has | {"a token after the input": bool(after)}).items() if there]:
            raise OutOfReach(f"{model.name} has {' and '.join(beyond)}")
        if model.readout.each and before:
            raise OutOfReach("the model answers at each position and also adds tokens to the input")
        # The value of each live coordinate, layer by layer; `ones` is the form of the constant 1.
        self.ones = (Fraction(1),) * len(self.tokens)
        self.held = {name: self._embedded(name) for name in model.live[0]}
        attends = [any(isinstance(part, Head) for part in step.parts) for step in READS.of(model).sublayers]
        for k, (step, live) in enumerate(zip(READS.of(model).sublayers, model.live[1:], strict=True)):
            # All parts of a step read the same residual stream, so their outputs are added only after all were
            # computed.
            written: list[tuple[str, Counted]] = []
            for where, part in step.named_parts:
                if isinstance(part, Head):
                    last = not any(attends[k + 1 :]) and model.readout.last
                    written += self._head(part, live, where, last)
                else:
                    written += self._feedforward(part, live, where)
            for name, value in written:
                self.held[name] = self._sum([(Fraction(1), self.held[name]), (Fraction(1), value)], Fraction(0))
            self.held = {name: value for name, value in self.held.items() if name in live}
        # The answer for each last token, in cases.
        self.cases = {token: list(self._answers(token)) for token in self.tokens}
        if model.readout.together:
            # One verdict on all positions: a flag is set once a position rejects; the machine accepts while it is
            # unset.
            refusing = {t: [when for when, answer in cases if not answer] for t, cases in self.cases.items()}
            flag = self._raise(refusing)
            every = [((CountCondition("unset", flag),), True), ((CountCondition("set", flag),), False)]
            self.cases = {token: every for token in self.tokens}
        elif not (model.readout.last or model.readout.each):
            raise OutOfReach(f"the model answers {model.readout.where}")
        # The last token does not matter where all tokens have the same cases: then one key stands for all.
        if all(cases == self.cases[self.tokens[0]] for cases in self.cases.values()):
            self.cases = {"": self.cases[self.tokens[0]]}
        # In the initial state, the tokens that the model adds before the input have been read.
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
        """The key of the last token: `token`, or "" where the last token does not matter."""
        return token if token in self.cases else ""

    def answer(self, state: Counts) -> Any:
        """The answer of the readout; None before the first token."""
        last, values, flags = state
        if last is None:
            return None
        return next(answer for when, answer in self.cases[last] if _hold(when, values, flags))

    def fold(self) -> Fold:
        """This machine as a fold of plain integers, tuples and text, so that its steps can be followed where counts are
        unknown (`symcook.decide.following`)."""
        # The code of the fold is made of what `decide.allowed` lists, so all becomes tuples.
        places = {token: tuple(form[k] for form in self.forms) for k, token in enumerate(self.tokens)}
        constants = {token: self.after(None, token) for token in self.tokens}
        raised = tuple(
            {token: tuple(tuple(map(tuple, when)) for when in cases) for token, cases in by_letter.items()}
            for by_letter in self.raised
        )
        cases = {
            last: tuple((tuple(map(tuple, when)), answer) for when, answer in cases_of_last)
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
            """As `Counting.step`."""
            values = tuple([value + coefficient for value, coefficient in zip(state[1], places[token], strict=True)])
            flags = state[2]
            # In order, since a condition that sets a flag may depend on earlier flags.
            for number, by_token in enumerate(raised):
                for when in by_token.get(token, ()):
                    if not flags[number] and holds(when, values, flags):
                        flags = (*flags[:number], True, *flags[number + 1 :])
            return constants[token], values, flags

        def answer(state: Counts) -> Any:
            """As `Counting.answer`."""
            for when, own_answer in cases.get(state[0], ()):
                if holds(when, state[1], state[2]):
                    return own_answer
            return None

        return Fold(self.initial, step, answer)

    # --- From the weights ---

    def _condition(self, kind: str, form: Vector, token: str) -> bool | CountCondition:
        """The condition that a form is > 0, >= 0 or = 0 when `token` is the last token; True or False where this does
        not depend on the counts. A new form is added to `forms`."""
        own = form[self.tokens.index(token)]  # the coefficient of the last token
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
        # Forms are stored without common factors, and with a positive first coefficient, so that multiples are shared.
        scale = lcm(*(a.denominator for a in form))
        integers = [int(a * scale) for a in form]
        divisor = gcd(*integers)
        sign = 1 if next(a for a in integers if a) > 0 else -1
        vector = tuple(sign * a // divisor for a in integers)
        if vector not in self.forms:
            self.forms.append(vector)
        return CountCondition(kind, self.forms.index(vector), 1 if kind == "=" else sign)

    def _raise(self, by_token: dict[str, list[Conditions]]) -> int:
        """The number of the flag that is set under the conditions `by_token`; a new flag if no flag has the same
        ones."""
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
        """The weighted sum of values, plus a bias. Each combination of their cases is a case of the sum, unless
        `_both` excludes it; OutOfReach if there are more than `PIECES`."""
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
                    raise OutOfReach(f"the formula of a coordinate has more than {PIECES} cases")
            pieces[token] = tuple(total)
        flags: dict[MeanOfSums, Fraction] = {}
        for weight, part in parts:
            for mean, factor in part.flags.items():
                flags[mean] = flags.get(mean, Fraction(0)) + weight * factor
        return Counted(pieces, {mean: weight for mean, weight in flags.items() if weight})

    def _linear(self, weights: Mapping[str, object], bias: object, what: str) -> Counted:
        """The value of one row of a matrix, {coordinate: weight}, with a bias."""
        parts = [(rational(weight, what), self.held[name]) for name, weight in weights.items()]
        return self._sum(parts, rational(bias, what))

    def _feedforward(self, part: FeedForward, live: set[str], where: str) -> list[tuple[str, Counted]]:
        """The values that a feed-forward layer writes to live coordinates, by coordinate."""
        if part.activation not in ("relu", "step"):
            raise OutOfReach(f"{where} has the activation {part.activation}, not relu or step")
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
                    # Forms are divided by i, which does not change signs. The output of relu is the input, that of
                    # step the constant 1.
                    positive = value if part.activation == "relu" else self.ones
                    zero = self._constant(Fraction(0))
                    for kind, form, then in ((">", value, positive), (">=", tuple(-a for a in value), zero)):
                        extended = self._with(when, kind, form, token)
                        if extended is not None:
                            unit_cases.append(Guarded(extended, then))
                pieces[token] = tuple(unit_cases)
            hidden[unit] = Counted(pieces, {})
        # The outputs: rows of W2 applied to the hidden units.
        result = []
        for k in outs:
            parts = [(rational(weight, where), hidden[unit]) for unit, weight in numbers["W2"][k].items()]
            result.append((part.writes[k], self._sum(parts, rational(numbers["b2"][k], where))))
        return result

    def _with(self, when: Conditions, kind: str, form: Vector, token: str) -> Conditions | None:
        """The conditions `when` with one more, on `form`; None where they cannot hold together."""
        condition = self._condition(kind, form, token)
        if isinstance(condition, bool):
            return when if condition else None
        return _both(when, (condition,))

    def _head(self, head: Head, live: set[str], where: str, last: bool) -> list[tuple[str, Counted]]:
        """The values that a head writes to live coordinates, by coordinate; OutOfReach unless each is a plain average
        over the positions so far. With `last`, the head may also see later positions: then nothing after it attends,
        and the readout is at the last position, where both are the same."""
        numbers = head.lowered
        outs = [k for k, name in enumerate(head.writes) if name in live]
        if outs and (not head.uniform or head.weighting not in ("average", "softmax")):
            how = f"{head.weighting} attention" if head.uniform else "scores"
            raise OutOfReach(f"{where} writes {head.writes[outs[0]]} by {how}, not by a plain average")
        # The last attention of a model that is read at the last position may also see later positions: that position
        # has none.
        if outs and not (head.sees.before and head.sees.here and (last or not head.sees.after)):
            what = "which sees other positions than those up to its own"
            raise OutOfReach(f"{where} writes {head.writes[outs[0]]} with the mask {shown_word(head.mask)}, {what}")
        if outs and not isinstance(numbers["temperature"], Fraction):
            raise OutOfReach(f"{where} has the temperature {show(numbers['temperature'])}, which must be a number")
        # The mean of each value.
        result = []
        for k in outs:
            name = head.writes[k]
            value = self._linear(numbers["V"][k], Fraction(0), f"a value of {where}")
            if value.flags:
                raise OutOfReach(f"{where} writes {name}, a mean of means of sums")
            result.append((name, self._mean(value, f"{where} writes {name}")))
        return result

    def _mean(self, value: Counted, where: str) -> Counted:
        """The mean of a value over all positions so far: a form where the value depends on the token only, else a flag,
        which gives its sign only; OutOfReach where the value may have either sign."""
        cases = {token: value.pieces[token] for token in self.tokens}
        # One constant for each token: the sum is the form with these coefficients.
        if all(len(pieces) == 1 and len(set(pieces[0].value)) == 1 for pieces in cases.values()):
            form = tuple(cases[token][0].value[0] for token in self.tokens)
            return Counted({token: (Guarded((), form),) for token in self.tokens}, {})
        # Otherwise the value must never be negative (sign 1), or never positive (sign -1), by the conditions of its
        # cases. Then the mean is nonzero iff
        # the value was nonzero at some position, which a flag records.
        for sign in (1, -1):
            raised: dict[str, list[Conditions]] = {}
            for token, pieces in cases.items():
                for when, form in pieces:
                    signed = tuple(sign * a for a in form)
                    if not any(form):
                        continue
                    positive = self._condition(">", signed, token)
                    if positive is not True and positive not in when:
                        break  # the value may have the other sign: leave both loops, to the next sign
                    raised.setdefault(token, []).append(when)
                else:
                    continue
                break
            else:
                zero = {token: (Guarded((), self._constant(Fraction(0))),) for token in self.tokens}
                coefficients = [a for pieces in cases.values() for _, form in pieces for a in form if a]
                size = abs(coefficients[0]) if coefficients else Fraction(1)
                values = tuple(
                    tuple(Guarded(when, tuple(sign * a / size for a in form)) for when, form in pieces)
                    for pieces in cases.values()
                )
                return Counted(zero, {MeanOfSums(self._raise(raised), values): sign * size})
        raise OutOfReach(f"{where} averages numbers of both signs that are not counts")

    # --- The readout ---

    def _answers(self, token: str) -> Iterator[tuple[Conditions, Any]]:
        """The cases (conditions, answer) of the readout where `token` is the last token."""
        readout = self.model.readout
        if not readout.answers:
            raise OutOfReach("the readout shows values and decides nothing")
        rule, rows = readout.choice()
        if rule == "zero":
            # Accepted iff all coordinates are zero, in each combination of their cases.
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
        # The label of the largest score: label k wins iff its score is larger than all scores before it, and at least
        # as large as all scores after it.
        for pieces in product(*(score.pieces[token] for score in scores)):
            for k, label in enumerate(readout.labels):
                when = _both(*(piece.when for piece in pieces))
                for j, rival in enumerate(pieces):
                    if when is not None and j != k:
                        form = tuple(a - b for a, b in zip(pieces[k].value, rival.value, strict=True))
                        when = self._with(when, ">" if j < k else ">=", form, token)
                if when is not None:
                    yield when, label

    def _parts(
        self, value: Counted, token: str, what: str
    ) -> Iterator[tuple[Conditions, Vector, dict[MeanOfSums, Fraction]]]:
        """The cases of a value as (conditions, form, factors of means). The form must be zero where there are means,
        and all factors must have one sign; else OutOfReach."""
        for when, form in value.pieces[token]:
            signs = {weight > 0 for weight in value.flags.values()}
            if value.flags and (any(form) or len(signs) > 1):
                raise OutOfReach(f"{what} adds up a mean of which only the sign is known, and another number")
            yield when, form, dict(value.flags)

    def _tested(self, value: Counted, token: str, name: str) -> Iterator[tuple[Conditions, bool]]:
        """The cases (conditions, whether the value is zero)."""
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
        """The cases (conditions, answer): `yes` where `form` is positive, and `no` elsewhere."""
        for kind, sign, answer in ((">", 1, yes), (">=", -1, no)):
            conditions = self._with(when, kind, tuple(sign * a for a in form), token)
            if conditions is not None:
                yield conditions, answer

    def _flagged(
        self, when: Conditions, flags: Mapping[MeanOfSums, Fraction], yes: bool, no: bool
    ) -> Iterator[tuple[Conditions, bool]]:
        """The cases (conditions, answer): `yes` where the sum of the means is positive, and `no` elsewhere. All factors
        of the means have one sign, so the sum is positive iff that sign is + and some flag is set."""
        # Means that share a flag are positive together, and their factors have the same sign.
        factors = {mean.flag: factor for mean, factor in flags.items()}
        numbers = list(factors)
        # A case for each flag as the first one that is set, and one where no flag is set.
        for k, flag in enumerate(numbers):
            earlier = tuple(CountCondition("unset", earlier_flag) for earlier_flag in numbers[:k])
            if (conditions := _both(when, (*earlier, CountCondition("set", flag)))) is not None:
                yield conditions, yes if factors[flag] > 0 else no
        if (conditions := _both(when, tuple(CountCondition("unset", flag) for flag in numbers))) is not None:
            yield conditions, no


class StateTable:
    """An automaton in the form of a counter machine without forms and flags. The key of the last token is the state of
    the automaton; `cases` leaves out states without an answer. It has no `answer`, so it is not a recogniser."""

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
        """The state after one more symbol."""
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
    """The conjunction of all conditions, each once; None where two of them plainly exclude each other."""
    conditions: dict[CountCondition, None] = dict.fromkeys(condition for part in parts for condition in part)
    # Only such pairs are found: a flag that is set and unset, or a form that is positive and not positive.
    for kind, number, sign in conditions:
        if kind == "set" and CountCondition("unset", number) in conditions:
            return None
        excluded = ((">", -sign), (">=", -sign), ("=", 1)) if kind == ">" else ()
        if any(CountCondition(excluded_kind, number, s) in conditions for excluded_kind, s in excluded):
            return None
    return tuple(conditions)
