"""The values of a run on an edited string as terms of the run on the first string, with proofs.

For each function of the second run and each segment of the edited string (`editedplaces`), `SecondRunTerms.everywhere`
proves ``all i in segment. second(i) = T(i)``, where T is a term of the first run. T(i) is the value of the first run at
the position of the same symbol, or its negation, if the two equations are then equal; else it is what the equation of
the second run becomes. A sum over positions of the second string is a sum over the first string with some terms more or
less. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from symcook.proof.claims.bycounts.problem import HERE, VALUES, Equation, Problem, W
from symcook.proof.claims.bycounts.problem import everywhere as line_everywhere
from symcook.proof.search.attempts import succeeds
from symcook.proof.search.tactics import Goal, Stuck, add_positive
from symcook.proof.statements.editedplaces import EditedPlaces, Segment, Untranslated, equal, minus, plus, simplified
from symcook.proof.terms import COMPARISONS, Term, abstract, flatten, instantiate, loose, negation, num, subterms, var
from symcook.proof.terms import replace as put


@dataclass(frozen=True)
class MovedValue:
    """The values of a function in a segment: the label of the fact about all positions i, and its right side, with i
    bound."""

    label: str
    body: Term


class SecondRunTerms:
    """The values of one edited run as terms of the first run, with the proofs of their equations in the goal `g`."""

    def __init__(self, parsed: Problem, first: Mapping[str, str], places: EditedPlaces, g: Goal, some: Sequence[str]):
        """`first` has the function of the first run for each function of the second one; `some` are the labels of the
        premises about n and positions. The premises about the string have the labels word.0, word.1, .."""
        self.problem, self.first, self.places, self.g, self.some = parsed, first, places, g, [*some]
        self.moved: dict[tuple[str, int], MovedValue | Untranslated] = {}

    # --- Terms -------------------------------------------------------------------------------------------------------

    def reads(self, t: Term) -> list[Term]:
        """The values of the second run in a term, without those at a bound position."""
        return [*dict.fromkeys(s for s in self.values_in(t) if not loose(s))]

    def values_in(self, t: Term) -> Iterator[Term]:
        """The values of the second run in a term."""
        return (s for s in subterms(t) if s[0] == "app" and s[2][0][0] == "var" and s[2][0][1][0] in self.first)

    def _equation(self, name: str) -> Equation:
        """The equation of a function, which must give its value, or be that of a strict mask."""
        line = self.problem.equations.get(name)
        if line is None or line.kind not in ("value", "strict") or line.truth:
            raise Untranslated(f"the value of {name} has no equation of its own")
        return line

    def _row(self, g: Goal, name: str, place: Term, inside: Sequence[str]) -> str:
        """Add the equation of a function at a position to a goal; its label. The facts `inside` and the premises imply
        that it is a position."""
        label, line = g.fresh("row"), self._equation(name)
        part, in_range = self.problem.label(line.part), partial(close, facts=[*inside, *self.some])
        if line.kind == "value":
            g.use(part, g.text(place), in_range, label=label)
            return label
        # (c(i) - old)*size = right & (i = empty -> c(i) = old): the value is old at `empty`, then old + right/size.
        facts, empty = [*inside, *self.some], line.empty or line.places.low
        given, nothing = f"{label}_1", f"{label}_2"
        g.use(part, g.text(place), in_range, label=f"{given} {nothing}", premises=1)
        value = g.fresh("value")
        if truth(g, ("=", None, (place, empty)), facts) is True:
            g.use(nothing, partial(close, facts=facts), label=value)
            return value
        positive: Term = ("<", None, (num(0), put(line.size, HERE, place)))
        if truth(g, positive, facts) is not True:
            raise Untranslated(f"whether {name} attends to a position depends on the string")
        size, old, right = (put(t, HERE, place) for t in (line.size, line.old, line.right))
        stem = g.fresh("size")
        add_positive(g, g.text(size), stem, partial(close, facts=facts))
        read: Term = ("app", None, (var(name, VALUES), place))
        result: Term = ("=", None, (read, ("+", None, (old, ("/", None, (right, size))))))
        inverse = ("/", None, (num(1), size))
        g.have(result, value, lambda h: h.auto([given, f"{stem}_e"], degree=1, multipliers=[inverse, right]))
        return value

    def located(self, g: Goal, place: Term, inside: Sequence[str] = ()) -> int | None:
        """The index of the segment in which a position of the second string is, if the facts imply one."""
        for k, segment in enumerate(self.places.segments):
            if equal(place, segment.low) and segment.single:
                return k
            ends: tuple[Term, Term] = ("<=", None, (segment.low, place)), ("<=", None, (place, segment.high))
            if all(truth(g, end, [*inside, *self.some]) is True for end in ends):
                return k
        return None

    # --- Values at each position of a segment ------------------------------------------------------------------------

    def everywhere(self, name: str, k: int) -> MovedValue:
        """The values of a function of the second run in the segment with the index k. Raises Untranslated if they have
        no terms of the first run."""
        found = self.moved.get((name, k))
        if found is None:
            try:
                found = self._everywhere(name, k)
            except Untranslated as error:
                found = error
            self.moved[name, k] = found
        if isinstance(found, Untranslated):
            raise found
        return found

    def _everywhere(self, name: str, k: int) -> MovedValue:
        """The values of `everywhere`, whose fact is proved."""
        self._prepare(self._equation(name).right, k)
        segment, g = self.places.segments[k], self.g
        place = segment.low if segment.single else var(g.fresh("i"), "Int")
        read: Term = ("app", None, (var(name, VALUES), place))
        # The proof for one position is written before it is known what it proves.
        h = g.branch(_everywhere(segment, place, ("=", None, (read, read))))
        inside = list[str]()
        if not segment.single:
            inside = [h.fresh("low"), h.fresh("high")]
            h.intro(f"{place[1][0]} ({' '.join(inside)})")
        label, value = self._value(h, name, place, k, inside)
        own = self._as_first(h, name, place, k, inside, value)
        if own is not None:
            label, value = self._stated(h, read, own[1], [label, own[0]])
        h.goal = ("=", None, (read, value))
        h.hyp(label)
        label = g.fresh("moved")
        if not segment.single:
            g.have(_everywhere(segment, place, h.goal), label, lambda trial: trial.take(h))
            return MovedValue(label, abstract(value, (place,)))
        at = g.fresh("at")
        g.have(h.goal, at, lambda trial: trial.take(h))
        i = var(g.fresh("i"), "Int")
        statement: Term = ("=", None, (("app", None, (var(name, VALUES), i)), value))

        def proof(trial: Goal) -> None:
            """The only position of the segment."""
            low, high, here = trial.fresh("low"), trial.fresh("high"), trial.fresh("here")
            trial.intro(f"{i[1][0]} ({low} {high})")
            trial.have(("=", None, (i, place)), here, partial(_by_sums, facts=[low, high]))
            trial.rewrite(here)
            trial.hyp(at)

        g.have(_everywhere(segment, i, statement), label, proof)
        return MovedValue(label, value)

    def _prepare(self, t: Term, k: int | None) -> None:
        """Find the values that a term reads, in the segment k for those at the term's position, in all for those in
        sums: a goal for one position has the facts only that were added before."""
        sums = {read for total in subterms(t) if total[0] == "sum" for read in self.values_in(total)}
        for read in dict.fromkeys(self.values_in(t)):
            if k is None and read not in sums:
                continue
            everywhere = read in sums or read[2][1] != HERE
            for number in range(len(self.places.segments)) if everywhere else [k or 0]:
                self.everywhere(read[2][0][1][0], number)

    def at(self, g: Goal, read: Term, k: int, inside: Sequence[str] = ()) -> tuple[str, Term]:
        """The label of the equation, in `g`, of a value of the second run at a position of the segment k, and its right
        side."""
        moved, place, label = self.everywhere(read[2][0][1][0], k), read[2][1], g.fresh("here")
        g.use(moved.label, g.text(place), partial(close, facts=[*inside, *self.some]), label=label)
        given = g.facts[label][2][1]
        value = simplified(given)
        return (label, given) if value == given else self._stated(g, read, value, [label])

    def read(self, g: Goal, read: Term, inside: Sequence[str] = ()) -> tuple[str, Term]:
        """The label of the equation of a value of the second run at any position, and its right side."""
        k = self.located(g, read[2][1], inside)
        if k is not None:
            return self.at(g, read, k, inside)
        # The segment of the first or the last position may depend on the string: after deleted(n) comes no symbol.
        if not any(equal(read[2][1], end) for end in self.places.ends):
            raise Untranslated(f"where {g.text(read[2][1])} is in the second string depends on the string")
        self._prepare(self._equation(read[2][0][1][0]).right, None)
        return self._value(g, read[2][0][1][0], read[2][1], None, inside)

    def _stated(self, g: Goal, read: Term, value: Term, labels: Sequence[str]) -> tuple[str, Term]:
        """The label of ``read = value``, which follows from equations in order; and the value."""
        statement: Term = ("=", None, (read, value))
        label = g.fresh("value")
        g.have(statement, label, partial(by_equations, labels=labels))
        return label, value

    def _value(self, g: Goal, name: str, place: Term, k: int | None, inside: Sequence[str]) -> tuple[str, Term]:
        """The label of the equation of a function at a position with a term of the first run, and this term. `place` is
        a position of the segment k, or for a function of the first run that of the same symbol there; k is None if the
        facts do not imply the segment."""
        row = self._row(g, name, place, inside)
        right, used = g.facts[row][2][1], [row]

        def replaced(label: str | None) -> None:
            nonlocal right
            if label is not None:
                used.append(label)
                right = put(right, *g.facts[label][2])

        for bit in _bits(right):
            replaced(self._bit(g, bit, inside))
        for power in _powers(right):
            replaced(self._power(g, power, name not in self.first, place, k, inside))
        for read in self.reads(right):
            here = k is not None and read[2][1] == place
            replaced((self.at(g, read, k or 0, inside) if here else self.read(g, read, inside))[0])
        for total in closed_sums(right):
            if any(True for _ in self.values_in(total)):
                replaced(self.total(g, total, inside))
        right = simplified(right)
        return self._stated(g, ("app", None, (var(name, VALUES), place)), right, used)

    def _as_first(
        self, g: Goal, name: str, place: Term, k: int, inside: Sequence[str], value: Term
    ) -> tuple[str, Term] | None:
        """The label of an equation of the first run, and the value of the first run at the position of the same symbol
        or its negation, if this is `value`; else None."""
        segment, own = self.places.segments[k], self.first[name]
        if segment.source is None:
            return None
        source = segment.source_of(place)
        trial = g.branch()
        try:
            label, right = self._value(trial, own, source, k, inside)
        except (Stuck, Untranslated):
            return None
        for sign in (1, -1):
            if equal(value, right if sign == 1 else ("neg", None, (right,))):
                g.nodes += trial.nodes
                g.facts = trial.facts
                first: Term = ("app", None, (var(own, VALUES), source))
                return label, first if sign == 1 else ("neg", None, (first,))
        return None

    # --- Indicators and powers ---------------------------------------------------------------------------------------

    def _bit(self, g: Goal, bit: Term, inside: Sequence[str]) -> str | None:
        """The label, in `g`, of the equation of an indicator about positions and symbols with 0, 1 or the indicator of
        one symbol; None if the facts imply none."""
        parts = flatten("&", bit[2][0])
        if any(part[0] not in COMPARISONS or any(True for _ in self.values_in(part)) for part in parts):
            return None
        decided = {part: self._decided(g, part, inside) for part in parts}
        false = next((part for part, found in decided.items() if found is not None and not found[1]), None)
        undecided = [part for part in parts if decided[part] is None]
        if false is None and (len(undecided) > 1 or undecided == parts):
            return None
        value: Term = num(0) if false is not None else ("ind", None, (undecided[0],)) if undecided else num(1)
        labels = {part: found[0] for part, found in decided.items() if found is not None}
        label = g.fresh("bit")
        g.have(("=", None, (bit, value)), label, partial(_same_bit, bit=bit, false=false, facts=labels))
        return label

    def _decided(self, g: Goal, part: Term, inside: Sequence[str]) -> tuple[str, bool] | None:
        """The label, in `g`, of a comparison or its negation, and whether it is true; None if the facts imply
        neither."""
        facts = [*inside, *self.some]
        if part[0] == "=" and part[2][0][0] == "app" and part[2][0][2][0] == W and part[2][1][0] == "num":
            return self._symbol(g, part, facts)
        if any(t[0] == "app" for t in subterms(part)):
            return None
        value = truth(g, part, facts)
        if value is None:
            return None
        label = g.fresh("test")
        g.have(part if value else negation(part), label, partial(close, facts=facts))
        return label, value

    def _symbol(self, g: Goal, part: Term, facts: Sequence[str]) -> tuple[str, bool] | None:
        """`_decided` for ``w(t) = k``, by the premises about the string."""
        (_, _, (_, place)), k = part[2][0], part[2][1][1][0]
        word = flatten("&", self.problem.word)
        for token_place, token in self.places.tokens.items():
            line = next((m for m, f in enumerate(word) if f == _stands(token_place, token)), None)
            if line is None or truth(g, ("=", None, (place, token_place)), facts) is not True:
                continue
            label, value = g.fresh("symbol"), token == k

            def proof(h: Goal, token_place: Term = token_place, line: int = line, value: bool = value) -> None:
                """By the token that the model adds there."""
                here = h.fresh("here")
                if place != token_place:
                    h.have(("=", None, (place, token_place)), here, partial(close, facts=facts))
                    h.rewrite(here)
                h.rewrite(f"word.{line}")
                h.true()

            g.have(part if value else negation(part), label, proof)
            return label, value
        low, high = self.places.typed
        inside: tuple[Term, Term] = ("<=", None, (low, place)), ("<=", None, (place, high))
        if k in self.problem.typed or any(truth(g, end, facts) is not True for end in inside):
            return None
        line = next(m for m, f in enumerate(word) if line_everywhere(f) is not None)
        label = g.fresh("symbol")

        def typed(h: Goal) -> None:
            """By the symbols that may be typed."""
            is_symbol, is_token = h.fresh("typed"), h.fresh("token")
            h.use(f"word.{line}", h.text(place), partial(close, facts=facts), label=is_symbol)
            h.intro(is_token)
            for branch in h.cases(is_symbol, "case") if len(self.problem.typed) > 1 else [h]:
                case = "case" if len(self.problem.typed) > 1 else is_symbol
                branch.rewrite(case, where=is_token, label="never")
                branch.absurd("never")

        g.have(negation(part), label, typed)
        return label, False

    def _power(self, g: Goal, power: Term, own: bool, place: Term, k: int | None, inside: Sequence[str]) -> str | None:
        """The label of the equation of a power of a number, whose exponent is a position, with the power whose exponent
        is the lesser of the positions of the same symbol in the two strings. None if it is that one. `own` tells
        whether `place` is a position of the first string."""
        (base, exponent), segment = power[2], self.places.segments[k or 0]
        if k is None or segment.source is None or segment.shift[0] != "num":
            return None
        steps = segment.steps
        lesser = plus(place, min(-steps if own else steps, 0))
        more = minus(exponent, lesser)
        if more[0] != "num" or not 0 < more[1][0] <= abs(steps):
            return None
        facts, labels = [*inside, *self.some], list[str]()
        for number in range(int(more[1][0]) - 1, -1, -1):
            labels.append(g.fresh("power"))
            step = g.text(plus(lesser, number))
            g.use("ax:pow_step", g.text(base), step, partial(close, facts=facts), label=labels[-1])
        value: Term = ("fn", "pow", (base, lesser))
        for _ in range(int(more[1][0])):
            value = ("*", None, (value, base))
        label = g.fresh("power")
        g.have(("=", None, (power, value)), label, partial(_by_powers, labels=labels))
        return label

    # --- Sums --------------------------------------------------------------------------------------------------------

    def total(self, g: Goal, total: Term, inside: Sequence[str] = ()) -> str:
        """The label of the equation, in `g`, of a sum over positions of the second string with a term of the first run.
        The sum must begin at the first position or end at the last one."""
        (low, high), body = self.places.ends, total[2][2]
        j = var(g.fresh("j"), "Int")
        inner = instantiate(body, (j,))
        summed = _Summed(self, g, inner, j, inside)
        begin, end = total[2][:2]
        if equal(begin, low):
            value = summed.whole() if equal(end, high) else summed.to_or_before(end)
        elif equal(end, high):
            before = summed.to_or_before(plus(begin, -1))
            value = minus(summed.whole(), before)
            summed.split(inner, plus(begin, -1), low, high)
        else:
            raise Untranslated("a sum over some of the positions")
        label = g.fresh("total")
        g.have(("=", None, (total, value)), label, partial(_by_sums, facts=summed.facts))
        return label


class _Summed:
    """A sum over positions j of the second string, whose terms are `inner`: the labels in `g` of the facts by which it
    is a term of the first run."""

    def __init__(self, terms: SecondRunTerms, g: Goal, inner: Term, j: Term, inside: Sequence[str]) -> None:
        self.terms, self.g, self.inner, self.j, self.inside = terms, g, inner, j, inside
        self.facts: list[str] = []
        for read in terms.values_in(inner):
            if read[2][1] != j:
                raise Untranslated(f"{read[2][0][1][0]} is read at each position")

    def known(self, fact: str, *arguments: Any) -> None:
        """Add an instance of a lemma."""
        self.facts.append(self.g.fresh("sum"))
        self.g.use(fact, *arguments, label=self.facts[-1])

    def close(self, h: Goal) -> None:
        """Close a goal about the order of positions."""
        close(h, [*self.inside, *self.terms.some])

    def split(self, t: Term, at: Term, begin: Term, end: Term) -> None:
        """The sum of `t` from `begin` to `end` is that up to `at` and that from there on."""
        text = self.g.text
        self.known("lem:sum_split", self.function(t), text(begin), text(at), text(end), self.close)

    def last(self, t: Term, begin: Term, end: Term) -> None:
        """The last term of a sum."""
        self.known("ax:sum_step", self.function(t), self.g.text(begin), self.g.text(end), self.close)

    def alone(self, t: Term, place: Term) -> None:
        """The sum of one term."""
        self.last(t, place, place)
        self.known("ax:sum_empty", self.function(t), self.g.text(place), self.g.text(plus(place, -1)), self.close)

    def function(self, t: Term) -> str:
        """The text of the function that gives the term `t` for each j."""
        return self.g.text(("lam", ("Int",), (abstract(t, (self.j,)),)))

    def term(self, place: Term, k: int) -> Term:
        """The term at a position of the segment k, with values of the first run; its equation is added."""
        there = put(self.inner, self.j, place)
        used = [self.terms.at(self.g, read, k, self.inside)[0] for read in self.terms.reads(there)]
        given = there
        for fact in used:
            given = put(given, *self.g.facts[fact][2])
        self.facts.append(self.g.fresh("term"))
        self.g.have(("=", None, (there, given)), self.facts[-1], partial(by_equations, labels=used))
        return given

    def whole(self) -> Term:
        """The sum over all positions."""
        return self.upto(self.terms.places.ends.high, len(self.terms.places.segments) - 1)

    def to_or_before(self, end: Term) -> Term:
        """The sum from the first position to `end`, which is a position or the one before a position."""
        k = self.terms.located(self.g, end, self.inside)
        if k is not None:
            return self.upto(end, k)
        after = plus(end, 1)
        k = self.terms.located(self.g, after, self.inside)
        if k is None:
            raise Untranslated("a sum over some of the positions")
        value = self.upto(after, k)
        self.last(self.inner, self.terms.places.ends.low, after)
        return minus(value, self.term(after, k))

    def upto(self, end: Term, number: int) -> Term:
        """The sum from the first position to `end`, a position of the segment with the index `number`."""
        segments, value = self.terms.places.segments[: number + 1], num(0)
        for k, segment in enumerate(segments):
            high = end if k == number else segment.high
            if k < number:
                self.split(self.inner, segment.high, segment.low, end)
            if segment.single:
                self.alone(self.inner, segment.low)
                value = plus(value, self.term(segment.low, k))
            else:
                value = plus(value, self.piece(segment, high, k))
        return value

    def piece(self, segment: Segment, high: Term, k: int) -> Term:
        """The sum over the positions of a segment up to `high`."""
        g, j, moved, steps = self.g, self.j, self.inner, segment.steps
        for read in self.terms.reads(self.inner):
            value = self.terms.everywhere(read[2][0][1][0], k).body
            moved = put(moved, read, simplified(instantiate(value, (j,))))
        if moved != self.inner:

            def term(h: Goal) -> None:
                """The terms at one position."""
                ends = h.fresh("from"), h.fresh("to")
                h.intro(f"{j[1][0]} ({' '.join(ends)})")
                for read in self.terms.reads(h.goal):
                    h.rewrite(self.terms.at(h, read, k, (*ends, *self.inside))[0])
                true(h)

            self.known(
                "lem:sum_ext", self.function(self.inner), self.function(moved), g.text(segment.low), g.text(high), term
            )
        # One step: sum(j, a + 1, b + 1, f(j - 1)) = sum(j, a, b, f(j)).
        for number in range(abs(steps)):
            back = steps < 0
            f = put(moved, j, plus(j, number + 1 if back else -number))
            ends = (g.text(plus(one, -number - 1 if back else number + 1 - 1)) for one in (segment.low, high))
            self.known("lem:sum_shift", self.function(f), *ends)
        own = simplified(put(moved, j, plus(j, -steps)))
        low = segment.source
        return num(0) if low is None else self.source(own, low, segment.source_of(high))

    def source(self, own: Term, begin: Term, end: Term) -> Term:
        """The sum of a term of the first run over some of its positions, by sums from the first position on."""
        places, j, value = self.terms.places, self.j, num(0)
        first, last = places.first

        def summed(to: Term) -> Term:
            return ("sum", None, (first, to, abstract(own, (j,))))

        if not equal(begin, first):
            before = plus(begin, -1)
            self.split(own, before, first, end)
            if equal(before, first):
                self.alone(own, first)
                value = minus(value, put(own, j, first))
            else:
                self.last(own, first, before)
                value = minus(minus(value, summed(plus(before, -1))), put(own, j, before))
        if equal(end, places.typed.high) and not equal(end, last):
            self.last(own, first, last)
            return plus(minus(value, put(own, j, last)), summed(last))
        return plus(value, summed(end))


# --- Tactics ----------------------------------------------------------------------------------------------------------


def _everywhere(segment: Segment, i: Term, statement: Term) -> Term:
    """A statement about each position i of a segment."""
    inside: Term = ("&", None, (("<=", None, (segment.low, i)), ("<=", None, (i, segment.high))))
    if i[0] != "var":
        return statement
    return ("all", "Int", (abstract(("->", None, (inside, statement)), (i,)),))


def _stands(place: Term, token: int) -> Term:
    """The premise that an added token stands at a position."""
    return ("=", None, (("app", None, (W, place)), num(token)))


def _bits(t: Term) -> list[Term]:
    """The indicators in a term that no sum or quantifier is about."""
    return [*dict.fromkeys(s for s in subterms(t) if s[0] == "ind" and not loose(s))]


def _powers(t: Term) -> list[Term]:
    """The powers of numbers in a term that no sum or quantifier is about."""
    powers = (s for s in subterms(t) if s[0] == "fn" and s[1] == "pow" and not loose(s))
    return [*dict.fromkeys(s for s in powers if s[2][0][0] in ("num", "neg") and s[2][1][0] != "num")]


def closed_sums(t: Term) -> list[Term]:
    """The sums in a term that no other sum or quantifier is about."""
    return [*dict.fromkeys(s for s in subterms(t) if s[0] == "sum" and not loose(s))]


def close(h: Goal, facts: Sequence[str]) -> None:
    """Close a goal about the order of positions by the facts with these labels."""
    for part in h.split() if h.goal[0] == "&" else [h]:
        part.easy([*facts], degree=1)


def true(h: Goal) -> None:
    """Close an equation that is true by computation."""
    if not equal(*h.goal[2]):
        raise Untranslated("the terms of the two runs differ")
    h.true()


def by_equations(h: Goal, labels: Sequence[str]) -> None:
    """Close an equation by the equations with these labels, in order."""
    for label in labels:
        h.rewrite(label)
    true(h)


def _by_sums(h: Goal, facts: Sequence[str]) -> None:
    """Close an equation of sums by the equations with these labels."""
    h.auto([*facts], degree=1, rounds=0)


def _by_powers(h: Goal, labels: Sequence[str]) -> None:
    """Close the equation of a power by those of the next lesser powers."""
    h.auto([*labels], degree=1)


def truth(g: Goal, part: Term, facts: Sequence[str]) -> bool | None:
    """Whether a comparison follows from facts, or its negation does; None if neither."""
    for formula, value in ((part, True), (negation(part), False)):
        trial = g.branch(formula)
        if succeeds(partial(close, trial, facts)):
            return value
    return None


def _same_bit(g: Goal, bit: Term, false: Term | None, facts: Mapping[Term, str]) -> None:
    """Close the equation of an indicator with 0, 1 or the indicator of the part that is undecided: `facts` has the
    labels of the others, of which `false` is false."""
    parts = flatten("&", bit[2][0])
    f, v = g.fresh("f"), g.fresh("v")
    here, away = g.ind(bit[2][0], f"{f} {v}")
    labels = [f] if len(parts) == 1 else [f"{f}_{k}" for k in range(1, len(parts) + 1)]
    if false is not None:
        own, fact = labels[parts.index(false)], facts[false]
        if false[0] == "=":
            here.absurd(own, fact)
        else:
            here.auto([own, fact], degree=1)
        return away.hyp(v)

    def denied(h: Goal, letter: str = "") -> None:
        """Refute that the condition is false, although all its parts hold."""
        yes = h.fresh("yes")

        def each(k: Goal) -> None:
            for part in k.split() if len(parts) > 1 else [k]:
                part.hyp(facts.get(part.goal, letter))

        h.have(bit[2][0], yes, each)
        return h.absurd(yes, f)

    undecided = [part for part in parts if part not in facts]
    if not undecided:
        here.hyp(v)
        return denied(away)
    for h, is_here in ((here, True), (away, False)):
        letter, u = h.fresh("f"), h.fresh("v")
        for k, holds in zip(h.ind(undecided[0], f"{letter} {u}"), (True, False), strict=True):
            if holds is is_here:
                k.rewrite(v)
                k.rewrite(u)
                k.true()
            elif holds:
                denied(k, letter)
            else:
                k.absurd(labels[parts.index(undecided[0])], letter)
    return None
