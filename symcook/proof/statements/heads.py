"""Lines of a proof about what the heads of a model attend to: facts that hold of every attention head.

Of each head the weights are not negative and their sum is positive, so that what the head writes lies between the least
and the greatest value that it attends to. A softmax head attends to every position that it sees, a hard one only to
positions with the greatest score. The lemmas are those of ``library-weights.txt``.

| label | line |
| --- | --- |
| ``weigh'NAME`` | the weights of the head that writes NAME are not negative |
| ``total'NAME`` | the sum of its weights is positive, where it sees a position |
| ``mean'NAME`` | what it writes, times the sum of the weights, is the sum of the weighted values |
| ``gone'K``, ``there'K`` | the token with number K is at no position; it is at one (from the premises) |
| ``span'NAME`` | a lower and an upper bound of a coordinate, from the bounds of what it is computed of |
| ``grown'1``, .. | bounds of exp of a bounded term in the conclusion |
| ``aim'1``, ``aim'2``, .. | a coordinate beside the other side of a comparison in the conclusion |

The lines are untrusted: a line that does not follow is left out, and the kernel checks the rest.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from symcook.present import present
from symcook.proof import grammar
from symcook.proof.normal import constant, nf
from symcook.proof.search import automation
from symcook.proof.search.prooftext import HintText, Place, TextLine
from symcook.proof.search.ranges import ANY, range_of
from symcook.proof.search.tactics import Goal
from symcook.proof.statements.exactvalues import written
from symcook.proof.statements.facts import HERE, ONE, THERE, Facts, Trying, is_token, number_of
from symcook.proof.statements.spans import ValueSpan
from symcook.proof.statements.weightfacts import lines_at_rows, weight_lines, weighted_heads
from symcook.proof.terms import COMPARISONS, Term, flatten, free, instantiate, loose, replace, subterms, var

show = grammar.show
ZERO, UNIT = ("num", (0, 1), ()), ("num", (1, 1), ())
MOST_COUNTS = 3
"""Premises about counts are tried at counts up to this one, to guess which tokens are at no position. With four tokens,
the most for which this is tried, there are 256 tries."""
MOST_TOKENS = 4
"""The maximum number of tokens for which these counts are tried: their number is a power of it."""
MOST_SPOTS = 2
"""How many positions of the premises are used: there are lines for each of them and for each pair."""


class Quick(Trying):
    """An elaborator that tries a fact at the first two levels of the automation, and leaves out a fact with a block in
    which a line fails."""

    deep = 0
    """In how many blocks a line is."""

    def block(self, g: Goal, lines: Sequence[TextLine], place: Place) -> None:
        """Close the goal by `lines`. Facts that fail are left out of the whole text, but not of a block in it."""
        self.deep += 1
        try:
            if self.deep == 1:
                super().block(g, lines, place)
            else:
                super(Trying, self).block(g, lines, place)
        finally:
            self.deep -= 1

    def automatic(self, g: Goal, line: TextLine, what: str, hints: Sequence[HintText] | None = None) -> None:
        """Close the goal of a line, with little search but for the last one."""
        self.search(g, line, what, hints, automation.LEVELS[:2])


class AttentionHead(NamedTuple):
    """A head that writes f(i) = old + sum(j, low, high, weight*value)/sum(j, low, high, weight), as terms in i and j.

    `kind` is "uniform", "softmax", "average", "leftmost", "rightmost" or "place" (one given position). `score` is None
    for a uniform head and for one that looks at a place. `first` and `last` are the rows that see a position, as text.
    """

    name: str
    kind: str
    low: Term
    high: Term
    weight: Term
    value: Term
    score: Term | None
    old: Term | None
    first: str
    last: str

    @property
    def seen(self) -> str:
        """The positions that row i sees, as text."""
        return f"{show(self.low)}; {show(self.high)}"


class Introduced(NamedTuple):
    """A conclusion after its quantifiers and premises are introduced: the lines that do it, the premises by label, and
    what is left to show. `names` are the names of positions."""

    lines: str
    premises: dict[str, Term]
    names: list[str]
    ranges: list[str]
    goal: Term


class HeadFacts:
    """The lines about the heads of the model that the statement of `facts` is about, and proofs that cite them."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.row, self.seen_at, self.third, self.fourth, self.fifth = map(facts.fresh, "rquvz")
        self.heads: dict[str, AttentionHead] = {}
        for name, right in facts.equations.items():
            if (head := self._read(name, right, None)) is not None:
                self.heads[name] = head
        for name, (size, right) in facts.products.items():
            if (head := self._read(name, right, size)) is not None:
                self.heads[name] = head

    # --- Heads from equations ----------------------------------------------------------------------------------------

    def _read(self, name: str, right: Term, size: Term | None) -> AttentionHead | None:
        """The head of an equation f(i) = right, or f(i)*size = right; None for any other equation."""
        old: Term | None = None
        if size is None and right[0] == "+" and _summed(right[2][1]) is not None:
            old, right = right[2]
        quotient = right[2][1] if size is None and right[0] == "/" else size
        total = right[2][0] if size is None and right[0] == "/" else right
        if total[0] != "sum":
            return None
        low, high, body = total[2]
        body = instantiate(body, (THERE,))
        weight, value, score, kind = UNIT, body, None, "uniform"
        if quotient is None or quotient[0] == "sum":
            if body[0] != "*":
                return None
            weight, value = body[2]
            if quotient is not None and (
                quotient[2][:2] != (low, high) or instantiate(quotient[2][2], (THERE,)) != weight
            ):
                return None
            weighed = _weighed(weight, low, high)
            if weighed is None:
                return None
            kind, score = weighed
            if (kind in ("softmax", "average")) != (quotient is not None):
                return None
        # The rows that see a position: all, or all but one at an end.
        first, last = self.facts.low, self.facts.high
        if HERE in free(high) and high != HERE:
            first = f"{first} + 1"
        if HERE in free(low) and low != HERE:
            last = f"{last} - 1"
        return AttentionHead(name, kind, low, high, weight, value, score, old, first, last)

    # --- Lines -------------------------------------------------------------------------------------------------------

    def text(self, t: Term, row: str, seen: str | None = None) -> str:
        """A term in i and j, as text with the position `row` for i and the name `seen` for j."""
        t = replace(t, HERE, self.facts.place(row) if row == self.facts.low else place_term(row))
        return show(t if seen is None else replace(t, THERE, var(seen, "Int")))

    def written_at(self, head: AttentionHead, row: str) -> str:
        """What a head writes at a row, as text."""
        return f"{head.name}({row})" if head.old is None else f"({head.name}({row}) - ({self.text(head.old, row)}))"

    def _functions(self, head: AttentionHead, row: str) -> str:
        """Weights, values and positions of a head at a row, as the first terms of the lemmas."""
        q = self.seen_at
        weight, value = (self.text(t, row, q) for t in (head.weight, head.value))
        return f"{q}. {weight}; {q}. {value}; {self.text(head.low, row)}; {self.text(head.high, row)}"

    def head_lines(self, head: AttentionHead) -> str:
        """The lines ``weigh'``, ``total'`` and ``mean'`` of a head."""
        name, r, q = head.name, self.row, self.seen_at
        low, high, weight = self.text(head.low, r), self.text(head.high, r), self.text(head.weight, r, q)
        value = self.text(head.value, r, q)
        every, seen = f"all {r} in {head.first}..{head.last}.", f"sum({q}, {low}, {high}, {weight})"
        score = "" if head.score is None else f"{q}. {self.text(head.score, r, q)}; {low}; {high}"
        by = {
            "uniform": "low', high'",
            "softmax": f"sum_positive({q}. {weight}; {low}; {high}), exp_pos, low', high'",
            "average": f"hard_total({score}), low', high'",
            "leftmost": f"leftmost_total({score}), low', high'",
            "rightmost": f"rightmost_total({score}), low', high'",
            "place": f"sum_delta({q}. 1; {low}; {high}; {_looked_at(head.weight, self, r)}), low', high'",
        }[head.kind]
        equal = " = 1" if head.kind in ("leftmost", "rightmost", "place") else ""
        total = f"{seen} = 1" if equal else f"0 < {seen}"
        positive = f"  sum': {total} by {by}\n  qed by sum'\n"
        return (
            f"weigh'{name}: {every} all {q} in {low}..{high}. 0 <= {weight}\n  given {r} (low' high') {q} (from' to')\n"
            f"  qed by exp_pos\n"
            f"total'{name}: {every} {total}\n  given {r} (low' high')\n{positive}"
            f"mean'{name}: {every} {self.written_at(head, r)}*{seen} = sum({q}, {low}, {high}, {weight}*({value}))\n"
            f"  given {r} (low' high')\n  qed by {self.facts.label(name)}({r}), total'{name}({r}), low', high'\n"
        )

    # --- Premises ----------------------------------------------------------------------------------------------------

    def introduced(self) -> Introduced:
        """The conclusion with its quantifiers and premises introduced."""
        facts, goal = self.facts, self.facts.whole
        lines, premises, names, ranges = "", dict[str, Term](), list[str](), list[str]()
        while True:
            if goal[0] == "all" and range_of(goal, ANY) is not None:
                name = facts.fresh("i")
                ends = [f"{name}_low'", f"{name}_high'"]
                lines += f"given {name} ({' '.join(ends)})\n"
                goal = present(range_of(goal, var(name, "Int"))).body
                names.append(name)
                ranges += ends
            elif goal[0] == "->":
                parts = flatten("&", goal[2][0])
                labels = [f"if{len(premises) + k}'" for k in range(len(parts))]
                together = " ".join(labels)
                lines += f"given {together if len(parts) == 1 else f'({together})'}\n"
                premises |= dict(zip(labels, parts, strict=True))
                goal = goal[2][1]
            else:
                return Introduced(lines, premises, names, ranges, goal)

    @cached_property
    def conclusion(self) -> Introduced:
        """See `introduced`."""
        return self.introduced()

    @cached_property
    def parts(self) -> list[Term]:
        """The premises of the conclusion."""
        return [*self.conclusion.premises.values()]

    def _count(self, token: int) -> str:
        """The count of a token, as text."""
        facts = self.facts
        return f"sum({self.seen_at}, {facts.low}, {facts.high}, I[w({self.seen_at}) = {token}])"

    @cached_property
    def tokens_by_premises(self) -> tuple[list[int], list[int]]:
        """The tokens that are at no position if the premises hold, and those that are at some; a guess, by counts up to
        `MOST_COUNTS` and by premises about positions."""
        facts, tokens = self.facts, self.facts.tokens
        if not tokens or len(tokens) > MOST_TOKENS or not self.parts:
            return [], []
        some: dict[int, set[bool]] = {token: set() for token in tokens}
        tests = [part for part in self.parts if _about_counts(part, facts)]
        for counts in itertools.product(range(MOST_COUNTS + 1), repeat=len(tokens)) if tests else ():
            by_token = dict(zip(tokens, counts, strict=True))
            if sum(counts) and all(_holds(part, by_token) for part in tests):
                for token, count in by_token.items():
                    some[token].add(count > 0)
        gone = {token for token, seen in some.items() if seen == {False}}
        there = {token for token, seen in some.items() if seen == {True}}
        for part in self.parts:
            # all i. w(i) = k, or all i. ~(w(i) = k); ~(ex i. w(i) = k); ex i. w(i) = k
            body = range_of(part, HERE) if part[0] == "all" else None
            if body is not None and is_token(body.body):
                gone |= {*tokens} - {body.body[2][1][1][0]}
            elif body is not None and body.body[0] == "~" and is_token(body.body[2][0]):
                gone.add(body.body[2][0][2][1][1][0])
            inner = part[2][0] if part[0] == "~" else part
            body = range_of(inner, HERE) if inner[0] == "ex" else None
            if body is not None and is_token(body.body):
                (gone if part[0] == "~" else there).add(body.body[2][1][1][0])
        return sorted(gone), sorted(there - gone)

    def token_lines(self, gone: Sequence[int], there: Sequence[int]) -> str:
        """The lines ``gone'`` and ``there'``; a position of each token in `there` is obtained, with the label at'K."""
        facts, r, q, premises = self.facts, self.row, self.seen_at, [*self.conclusion.premises]
        lines, by = "", ", ".join([*premises, "all'"])
        for token in gone:
            lines += (
                f"gone'{token}: all {r} in {facts.low}..{facts.high}. w({r}) != {token}\n"
                f"  given {r} (low' high')\n  suppose at': w({r}) = {token}\n"
                f"  one': 1 <= {self._count(token)} by sum_member({q}. I[w({q}) = {token}]; {facts.low}; {facts.high};"
                f" {r}), at', low', high'\n  qed by one', at', low', high', {by}\n"
            )
        for token in there:
            p = self.spots[token]
            lines += (
                f"many'{token}: 0 < {self._count(token)} by {by}\n"
                f"there'{token}: ex {r} in {facts.low}..{facts.high}. w({r}) = {token}"
                f" by count_some(w; {facts.low}; {facts.high}; {token}), many'{token}, {', '.join(premises)}\n"
                f"obtain {p} (low'{token} high'{token} at'{token}) from there'{token}\n"
            )
        return lines

    @cached_property
    def spots(self) -> dict[int, str]:
        """The names of the positions of tokens that are at some position."""
        return {token: self.facts.fresh("p") for token in self.tokens_by_premises[1]}

    # --- Bounds ------------------------------------------------------------------------------------------------------

    @cached_property
    def spans(self) -> dict[str, ValueSpan]:
        """By coordinate: bounds of its values at all positions, from the equations and the premises."""
        spans: dict[str, ValueSpan] = {}
        for name in self.facts.functions:
            if name in self.heads:
                span = self._head_span(self.heads[name], spans)
            elif (right := self.facts.equations.get(name)) is not None:
                span = self.span_of(right, spans)
            else:
                span = self._given(name)
            if span is not None and span[:2] != (None, None):
                spans[name] = span
        return spans

    def _given(self, name: str) -> ValueSpan | None:
        """The bounds that premises about all positions give of an input."""
        value, low, high = ("app", None, (var(name, ("fun", ("Int",), "Real")), HERE)), ValueSpan(), ValueSpan()
        for part in self.parts:
            span = range_of(part, HERE) if part[0] == "all" else None
            if span is None or (show(span.low), show(span.high)) != (self.facts.low, self.facts.high):
                continue
            for bound in flatten("&", span.body):
                if bound[0] not in COMPARISONS:
                    continue
                left, right = bound[2]
                strict = bound[0] == "<"
                if left == value and (c := number_of(right)) is not None and (high.high is None or c < high.high):
                    high = ValueSpan(None, c, False, strict)
                if right == value and (c := number_of(left)) is not None and (low.low is None or c > low.low):
                    low = ValueSpan(c, None, strict, False)
                if bound[0] == "=" and left == value and (c := number_of(right)) is not None:
                    return ValueSpan(c, c)
        return ValueSpan(low.low, high.high, low.above, high.below)

    def _head_span(self, head: AttentionHead, spans: dict[str, ValueSpan]) -> ValueSpan | None:
        """The bounds of what a head writes: those of its values, and of 0 if a row sees no position."""
        span = self.span_of(head.value, spans)
        if span is not None and (head.first, head.last) != (self.facts.low, self.facts.high):
            span = span.joined(ValueSpan(Fraction(0), Fraction(0)))
        if span is None or head.old is None:
            return span
        old = self.span_of(head.old, spans)
        return None if old is None else old.plus(span)

    @property
    def left(self) -> list[int]:
        """The tokens that may be at a position, by the premises."""
        return [token for token in self.facts.tokens if token not in self.tokens_by_premises[0]]

    def span_of(self, t: Term, spans: dict[str, ValueSpan]) -> ValueSpan | None:
        """The bounds of a term in i or j; None if none is found."""
        tag, name, kids = t
        if (c := number_of(t)) is not None:
            return ValueSpan(c, c)
        for at in (HERE, THERE):  # a linear form in the indicators of tokens has one value for each token
            linear = self.facts.linear(t, at) if tag != "app" else None
            if linear is not None and linear.keys() <= {ONE, *self.facts.tokens}:
                values = [linear.get(k, Fraction(0)) + linear.get(ONE, Fraction(0)) for k in self.left]
                return ValueSpan(min(values), max(values)) if values else None
        if tag == "app" and len(kids) == 2 and kids[0][0] == "var":
            return spans.get(kids[0][1][0])
        if tag == "ind":
            return ValueSpan(Fraction(0), Fraction(1))
        if t in (HERE, THERE):
            return ValueSpan(Fraction(self.facts.low)) if self.facts.low.isdigit() else None
        if tag == "fn" and name == "pow" and number_of(kids[0]) == -1:
            return ValueSpan(Fraction(-1), Fraction(1))
        inside = [self.span_of(kid, spans) for kid in kids] if tag in ("+", "-", "neg", "*", "/", "fn", "^") else []
        if not inside or None in inside:
            return ValueSpan(Fraction(0), None, True) if tag == "fn" and name == "exp" else None
        x, y = present(inside[0]), present(inside[-1])
        if tag == "neg":
            return -x
        if tag in ("+", "-"):
            return x.plus(y if tag == "+" else -y)
        if tag == "fn":
            return {
                "relu": lambda: x.raised(Fraction(0)),
                "exp": lambda: ValueSpan(Fraction(0), None, True),
                "sqrt": lambda: ValueSpan(Fraction(0)),
                "abs": lambda: x.joined(-x).raised(Fraction(0)),
            }.get(name, lambda: None)()
        factors = [number_of(kid) for kid in kids]
        if tag == "*":
            if (factor := next((c for c in factors if c is not None), None)) is not None:
                return (y if factors[0] is not None else x).times(factor)
            return x.product(y)
        if tag == "/" and factors[1]:
            return x.times(1 / factors[1])
        return None

    def span_lines(self, wanted: set[str]) -> str:
        """The lines ``span'`` of the coordinates `wanted` and of those that they depend on."""
        facts, r, lines = self.facts, self.row, ""
        for name, span in self.spans.items():
            if name not in wanted:
                continue
            lines += f"span'{name}: all {r} in {facts.low}..{facts.high}. {span.stated(f'{name}({r})')}\n"
            lines += f"  given {r} (low' high')\n"
            if name in self.heads:
                lines += self._head_proof(self.heads[name], span)
            else:
                equation = facts.equations.get(name)
                if equation is None:  # an input: the premises about all positions
                    hints = self._instances(r)
                else:
                    hints = [f"{facts.label(name)}({r})", *self.below(equation, r)]
                hints += [*self.letters(r), "low'", "high'"]
                lines += f"  qed by {', '.join(hints)}\n"
        return lines

    def _conditions(self) -> list[tuple[str, Term]]:
        """The premises by label."""
        return list(self.conclusion.premises.items())

    def letters(self, at: str) -> list[str]:
        """The labels that say which token is at a position."""
        gone = [f"gone'{token}({at})" for token in self.tokens_by_premises[0]]
        # With added tokens, the lines of `Facts.letters` say that there is one of the tokens at each position.
        word = [f"word({at})"] if self.facts.word[0] == "all" else ["word", f"each'({at})"]
        return [*word, *gone] if self.facts.tokens else []

    def below(self, t: Term, row: str, seen: str | None = None) -> list[str]:
        """The labels of bounds and equations of the coordinates in a term in i and j, at `row` and `seen`."""
        labels: dict[str, None] = {}
        todo = [t]
        while todo:
            for x in subterms(todo.pop()):
                if x[0] == "app" and len(x[2]) == 2 and x[2][0][0] == "var" and not loose(x[2][1]):
                    name, at = x[2][0][1][0], self.text(x[2][1], row, seen)
                    if name in self.spans and f"span'{name}({at})" not in labels:
                        labels[f"span'{name}({at})"] = None
                    equation = self.facts.equations.get(name)
                    fixed = name in self.spans and self.spans[name].fixed
                    if equation is not None and name not in self.heads and not fixed:
                        label = f"{self.facts.label(name)}({at})"
                        if label not in labels:
                            labels[label] = None
                            todo.append(replace(equation, HERE, x[2][1]))
        return list(labels)

    def _head_proof(self, head: AttentionHead, span: ValueSpan) -> str:
        """The proof that what a head writes at each row is within its bounds: a case for the row that sees nothing."""
        facts, r = self.facts, self.row
        value = self.span_of(head.value, self.spans) or ValueSpan()
        inside = self._bounded(head, r, value)
        bounds = ["most'", "least'"]
        old = [] if head.old is None else self.below(head.old, r)
        closed = f"qed by {', '.join([*bounds, *old])}\n"
        if (head.first, head.last) == (facts.low, facts.high):
            return _indented(inside + closed)
        end = facts.low if head.first != facts.low else facts.high
        stay = ", ".join([*old, "empty'", "edge'"])
        begin = f"empty': {self.written_at(head, end)} = 0 by {facts.label(head.name)}({end}), some\n"
        begin += f"cases edge', else': {r} = {end}\n  - qed by {stay}\n  - "
        return _indented(begin + _indented(inside + closed, 4).lstrip())

    def _bounded(self, head: AttentionHead, row: str, span: ValueSpan) -> str:
        """The lines ``most'`` and ``least'`` with the bounds of the values of a head as bounds of what it writes."""
        lines = ""
        for label, upper, end, strict in (
            ("most'", True, span.high, span.below),
            ("least'", False, span.low, span.above),
        ):
            if end is not None:
                sign, lemma = _beside(upper, strict)
                lines += self._compared(head, row, label, sign, lemma, show(written(end)), hard=False)
        return lines

    def _compared(
        self, head: AttentionHead, row: str, label: str, sign: str, lemma: str, c: str, given: Sequence[str] = (),
        hard: bool = True, at: str = "", inside: str = "",
    ) -> str:
        """The line `label`: what a head writes at `row` compared with `c` as in `sign`, a formula in v and c, by the
        `lemma` with that comparison."""
        q = self.seen_at
        weight, value = self.text(head.weight, row, q), self.text(head.value, row, q)
        low, high = self.text(head.low, row), self.text(head.high, row)

        def compare(x: str) -> str:
            """The comparison of `x` with `c`, as text."""
            left, middle, right = sign.split()
            return " ".join([{"v": x, "c": c}[left], middle, {"v": x, "c": c}[right]])

        hints = [*self.below(head.value, row, q), *self.letters(q), *given, "from'", "to'"]
        hints += self.conclusion.ranges
        under = f"  attends': all {q} in {low}..{high}. {weight} = 0 | {compare(value)}\n    given {q} (from' to')\n"
        if not hard or head.kind == "softmax" or head.score is None:
            under += f"    one': {compare(value)} by {', '.join(hints)}\n    qed by one'\n"
        else:
            condition = show(replace(replace(head.weight, HERE, place_term(row)), THERE, var(q, "Int"))[2][0])
            scores, ranks = self.below(head.score, row, q), ""
            marks = [f"{mark}'{k}" for k in self.spots for mark in ("low", "high", "at")]
            for p in dict.fromkeys([*self.conclusion.names, *self.spots.values()]):
                rank = f"{self._score(head, row, p)} <= {self._score(head, row, q)}"
                scores += [f"rank'{p}", *self.below(head.score, row, p)]
                where = ", ".join([f"best'({p})", *marks, *self.conclusion.ranges])
                ranks += f"        rank'{p}: {rank} by {where}\n"
            ranks = ranks.replace("        ", "", 1)
            more = ", ".join(dict.fromkeys([*hints, *scores, *marks]))
            under += (
                f"    cases best', off': {condition}\n      - {ranks}        one': {compare(value)} by {more}\n"
                f"        qed by one'\n      - qed by off'\n"
            )
            if not ranks:
                under = under.replace("      -         one'", "      - one'")
        whole = lemma in ("attended_most", "attended_least", "attended_less", "attended_more")
        facts = "[weighs', sums', means', attends']" if whole else "[weighs', means', attends', inside']"
        terms = f"{self._functions(head, row)}; {self.written_at(head, row)}; {c}" + ("" if whole else f"; {at}")
        under += self._at_row(head, row) + inside
        return f"{label}: {compare(self.written_at(head, row))}\n{under}  qed by {lemma}({terms}){facts}\n"

    def _at_row(self, head: AttentionHead, row: str) -> str:
        """The lines ``weighs'``, ``sums'`` and ``means'``: those of the head, at a row."""
        name, q = head.name, self.seen_at
        low, high, weight = self.text(head.low, row), self.text(head.high, row), self.text(head.weight, row, q)
        value, seen = self.text(head.value, row, q), f"sum({q}, {low}, {high}, {weight})"
        within = ["low'", "high'", "else'"] if row == self.row else [*self.conclusion.ranges, "some"]
        by = ", ".join(within)
        return (
            f"  weighs': all {q} in {low}..{high}. 0 <= {weight} by weigh'{name}({row}), {by}\n"
            f"  sums': 0 < {seen} by total'{name}({row}), {by}\n"
            f"  means': {self.written_at(head, row)}*{seen} = sum({q}, {low}, {high}, {weight}*({value}))"
            f" by mean'{name}({row}), {by}\n"
        )

    # --- Proofs of the statement -------------------------------------------------------------------------------------

    def texts(self) -> Iterator[str]:
        """Possible proofs of the statement, as the lines below its heading; none if the model has no heads."""
        facts = self.facts
        if facts.numbers or not self.heads:
            return
        conclusion = self.conclusion
        gone, there = self.tokens_by_premises
        places = [
            (x[2][0][1][0], show(x[2][1]))
            for x in subterms(conclusion.goal)
            if x[0] == "app" and len(x[2]) == 2 and x[2][0][0] == "var" and not loose(x[2][1])
        ]
        places = [(name, at) for name, at in dict.fromkeys(places) if name in facts.functions]
        attending = [name for name, _ in places if not self.heads.keys().isdisjoint(self.needed({name}))]
        weighted = weighted_heads(self, [conclusion.goal, *self.parts])
        wanted = self.needed({name for name, _ in places} | {head.name for head, _ in weighted})
        if not attending and not weighted:
            return
        lines = facts.letters() if facts.tokens and (gone or there) else ""
        lines += "".join(self.head_lines(head) for name, head in self.heads.items() if name in wanted)
        lines += "".join(weight_lines(self, head) for head, _ in weighted)
        lines += conclusion.lines + self.token_lines(gone, there) + self.span_lines(wanted)
        aims = self._aims(conclusion.goal) | self._grown(conclusion.goal)
        lines += "".join(aims.values())
        named = [f"{facts.label(name)}({at})" for name, at in places if name not in self.heads]
        bounds = [f"span'{name}({at})" for name, at in places if name in self.spans]
        below = [
            label
            for name, at in places
            if name not in self.heads and name in facts.equations
            for label in self.below(facts.equations[name], at)
        ]
        said = [conclusion.goal, *self.parts]
        weights: dict[str, str] = {}
        for head, rows in weighted:
            weights |= lines_at_rows(self, head, rows, said)
        lines += "".join(weights.values())
        hints = [*aims, *weights, *bounds, *named, *below, *conclusion.premises, *conclusion.ranges]
        if weights:
            given = [*weights, *conclusion.ranges, *conclusion.premises]
            yield f"{lines}qed by {', '.join(given)}\n"
        if attending and (aims or bounds):
            yield f"{lines}qed by {', '.join(dict.fromkeys(hints))}\n"

    def needed(self, names: set[str]) -> set[str]:
        """The coordinates `names` and all that their equations depend on."""
        todo, needed = [*names], set[str]()
        while todo:
            name = todo.pop()
            if name in needed:
                continue
            needed.add(name)
            right = self.facts.equations.get(name) or self.facts.products.get(name, (None, None))[1]
            todo += [] if right is None else [x[1][0] for x in free(right) if x[1][0] in self.facts.functions]
        return needed

    def _aims(self, goal: Term) -> dict[str, str]:
        """By label: what a head writes, compared with the other side of each comparison in the conclusion."""
        aims: dict[str, str] = {}
        for part in flatten("&", goal):
            if part[0] not in COMPARISONS:
                continue
            for head, at, c, side in self._sides(part):
                signs = {"<=": ["<="], "<": ["<"], "=": ["<=", ">="]}[part[0]]
                for sign in signs:
                    strict, upper = sign == "<", (side == "left") == (sign != ">=")
                    formula, lemma = _beside(upper, strict)
                    label = f"aim'{len(aims) + 1}"
                    given = self._instances(self.seen_at)
                    aims[label] = self._compared(head, at, label, formula, lemma, show(c), given)
                    if strict:
                        for p in [*self.spots.values(), at, *self._spots_of(goal)]:
                            label = f"aim'{len(aims) + 1}"
                            drop = "attended_drop" if upper else "attended_rise"
                            aims[label] = self._dropped(head, at, label, formula, drop, show(c), p, given)
        return aims

    def _grown(self, goal: Term) -> dict[str, str]:
        """By label: bounds of exp of a bounded term in the conclusion, since exp is monotone."""
        lines: dict[str, str] = {}
        for t in dict.fromkeys(subterms(goal)):
            span = self.span_of(t[2][0], self.spans) if t[:2] == ("fn", "exp") and not loose(t) else None
            if span is None or number_of(t[2][0]) is not None:
                continue
            inside, below = show(t[2][0]), ", ".join([*self.below(t[2][0], "n"), *self.conclusion.ranges, "some"])
            for sides in ((None, span.high), (span.low, None)):
                if sides == (None, None):
                    continue
                bound = show(written(present(sides[0] if sides[1] is None else sides[1])))
                low, high = (bound, inside) if sides[1] is None else (inside, bound)
                label = f"grown'{len(lines) + 1}"
                lines[label] = (
                    f"{label}: exp({low}) <= exp({high})\n  order': {low} <= {high} by {below}\n"
                    f"  qed by exp_mono({low}; {high})[order']\n"
                )
                # x/(x + c) grows with x = exp(..)
                for part in subterms(goal):
                    gap = nf(("-", None, (part[2][1], t))) if part[0] == "/" and part[2][0] == t else None
                    c = None if gap is None else constant(gap)
                    if c is None or c <= 0:
                        continue
                    added, x, y = show(written(Fraction(c))), f"exp({low})", f"exp({high})"
                    share = f"{label}''"
                    lines[share] = (
                        f"{share}: {x}/({x} + {added}) <= {y}/({y} + {added})\n  least': 0 <= {x} by exp_pos\n"
                        f"  qed by part_grows({x}; {y}; {added}), {label}, least'\n"
                    )
        return lines

    def _spots_of(self, goal: Term) -> list[str]:
        """The positions in the premises, as text."""
        spots = [
            show(x[2][1])
            for part in self.parts
            for x in subterms(part)
            if x[0] == "app" and len(x[2]) == 2 and not loose(x[2][1]) and x[2][0][0] == "var"
        ]
        return list(dict.fromkeys(spots))[:MOST_SPOTS]

    def _score(self, head: AttentionHead, row: str, p: str) -> str:
        """The score that a row gives to the position `p`, as text."""
        return show(replace(replace(head.score or ZERO, HERE, place_term(row)), THERE, place_term(p)))

    def _dropped(
        self, head: AttentionHead, row: str, label: str, sign: str, lemma: str, c: str, p: str, given: Sequence[str]
    ) -> str:
        """The line `label` by a position p of positive weight whose value is on the strict side of c."""
        hints = [*self.below(head.value, row, p), *self._instances(p), *self.letters(p)]
        left, middle, right = sign.split()
        value, weight = (
            show(replace(replace(t, HERE, place_term(row)), THERE, place_term(p))) for t in (head.value, head.weight)
        )
        there = " ".join([{"v": value, "c": c}[left], middle, {"v": value, "c": c}[right]])
        marks = [f"{mark}'{k}" for k in self.spots for mark in ("at", "low", "high")]
        known = [*marks, *self.conclusion.ranges, *self.conclusion.premises, "some", "there'", "weight'"]
        low, high = self.text(head.low, row), self.text(head.high, row)
        inside = (
            f"  there': {there} by {', '.join([*hints, *marks])}\n"
            f"  weight': 0 < {weight} by {', '.join(['exp_pos', *hints, *marks])}\n"
            f"  inside': {low} <= {p} & {p} <= {high} & 0 < {weight} & {there} by {', '.join(known)}\n"
        )
        text = self._compared(head, row, label, sign.replace("<", "<="), lemma, c, given, at=p, inside=inside)
        return text.replace(" <= ", " < ", 1)

    def _instances(self, place: str) -> list[str]:
        """The premises of the statement, as hints; those about all positions at the given one."""
        return [f"{label}({place})" if premise[0] == "all" else label for label, premise in self._conditions()]

    def _sides(self, part: Term) -> Iterator[tuple[AttentionHead, str, Term, str]]:
        """The heads on one side of a comparison, each with its row, the other side, and its own side."""
        left, right = part[2]
        for x, c, side in ((left, right, "left"), (right, left, "right")):
            if x[0] == "app" and x[2][0][0] == "var" and x[2][0][1][0] in self.heads and not loose(c):
                yield self.heads[x[2][0][1][0]], show(x[2][1]), c, side


def _beside(upper: bool, strict: bool) -> tuple[str, str]:
    """The comparison of v with an `upper` or lower bound c, and the lemma with the same comparison of the mean."""
    lemma = {
        (True, False): "attended_most", (True, True): "attended_less",
        (False, False): "attended_least", (False, True): "attended_more",
    }[upper, strict]  # fmt: skip
    sign = "<" if strict else "<="
    return (f"v {sign} c" if upper else f"c {sign} v"), lemma


def _summed(t: Term) -> Term | None:
    """The sum of what a head adds; None for another term."""
    total = t[2][0] if t[0] == "/" else t
    return total if total[0] == "sum" else None


def _weighed(weight: Term, low: Term, high: Term) -> tuple[str, Term | None] | None:
    """The kind of a head with this weight of j, and its score; None for any other weight."""
    if weight[:2] == ("fn", "exp"):
        return "softmax", weight[2][0]
    if weight[0] != "ind":
        return None
    condition, other = weight[2][0], var("k'", "Int")
    if condition[0] == "=" and condition[2][0] == THERE and THERE not in free(condition[2][1]):
        return "place", None
    best = range_of(condition, other) if condition[0] == "all" else None
    if best is None or (best.low, best.high) != (low, high):
        return None
    ranked = flatten("&", best.body)
    if ranked[0][0] != "<=" or replace(ranked[0][2][1], THERE, other) != ranked[0][2][0]:
        return None
    score = ranked[0][2][1]
    if len(ranked) == 1:
        return "average", score
    tied = ranked[1][2][0] if len(ranked) == 2 and ranked[1][0] == "->" else None
    if tied == ("<", None, (other, THERE)):
        return "leftmost", score
    return ("rightmost", score) if tied == ("<", None, (THERE, other)) else None


def _looked_at(weight: Term, lines: HeadFacts, row: str) -> str:
    """The position that a head looks at whose weight is I[j = position], as text."""
    return lines.text(weight[2][0][2][1], row) if weight[0] == "ind" and weight[2][0][0] == "=" else row


def place_term(text: str) -> Term:
    """The term of a position, from its text."""
    from symcook.model.expr import names, parse_term

    return grammar.read_value(text, "Int", {name: "Int" for name in names(parse_term(text))}, {})


def _about_counts(part: Term, facts: Facts) -> bool:
    """Whether a premise compares counts of tokens over all positions, n and numbers."""
    once = dict.fromkeys(facts.tokens, 1)
    return part[0] in COMPARISONS and all(_counted(side, once) is not None for side in part[2])


def _counted(t: Term, counts: dict[int, int]) -> Fraction | None:
    """The value of a term in counts and n; None for any other term."""
    tag, _, kids = t
    if (c := number_of(t)) is not None:
        return c
    if tag == "var" and t[1][0] == "n":
        return Fraction(sum(counts.values()))
    if tag == "sum":
        body = instantiate(kids[2], (THERE,))
        if body[0] == "ind" and is_token(body[2][0]) and kids[1][0] == "var" and number_of(kids[0]) == 1:
            return Fraction(counts.get(body[2][0][2][1][1][0], 0))
        return None
    if tag in ("+", "-", "*", "neg"):
        sides = [_counted(kid, counts) for kid in kids]
        if None in sides:
            return None
        x, y = present(sides[0]), present(sides[-1])
        return {"+": x + y, "-": x - y, "*": x * y, "neg": -x}[tag]
    return None


def _holds(part: Term, counts: dict[int, int]) -> bool:
    """Whether a comparison of counts holds."""
    left, right = (present(_counted(side, counts)) for side in part[2])
    return {"=": left == right, "<=": left <= right, "<": left < right}[part[0]]


def _indented(lines: str, by: int = 2) -> str:
    """The lines, set in."""
    return "".join(f"{' ' * by}{line}\n" for line in lines.splitlines())
