"""A claim about softmax heads whose weights have a sum in closed form.

Scores by symbol: with ``exp(2)`` for an `a` and ``1`` for every other symbol, the weights of a row add up to
``exp(2)*count(a) + count(b)``. Scores that are linear in the position, as with ALiBi: the weights add up to a geometric
sum. A weight, or what the head writes, is then a quotient, and a comparison of quotients is multiplied out.

| label | line |
| --- | --- |
| ``alike'NAME`` | the weight of a position, by its symbol or as ``exp(c*j + d)`` |
| ``sums'NAME`` | the sum of the weights of a row, in closed form |
| ``kinds'NAME``, ``onceK'NAME`` | the counts of the symbols that a row sees: their sum; an added token occurs once |
| ``weighted'NAME`` | the sum of the weighted values of a row, in counts |
| ``row'1``, .. | these at the rows that the statement names |
| ``place'1``, .. | facts about the positions that it names |
| ``near'1``, .. | bounds of what a head writes, by the weight of one position |
| ``part'1``, .. | the named terms as quotients |

`prove` looks for a proof with these lines. The lines are untrusted: a line that does not follow is left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from symcook.alarm import Until
from symcook.errors import Rejected
from symcook.proof import grammar
from symcook.proof.inequalities import reify
from symcook.proof.normal import constant, nf
from symcook.proof.replay import Statement
from symcook.proof.search import automation, prooftext
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.elaborate import StepGap
from symcook.proof.search.opengoal import NoResult
from symcook.proof.search.prooftext import BadProof, HintText, Place, TextLine
from symcook.proof.search.tactics import Citable, Goal
from symcook.proof.statements import certify
from symcook.proof.statements.exactvalues import decided, written
from symcook.proof.statements.facts import HERE, THERE, Facts, bullet, is_token
from symcook.proof.statements.heads import AttentionHead, HeadFacts, Quick, place_term
from symcook.proof.statements.quotients import multiplied_out, quotient_lines, rational
from symcook.proof.statements.weightfacts import is_weight, row_of, weight_at, weight_lines
from symcook.proof.terms import COMPARISONS, Term, flatten, free, loose, num, replace, subterms, var

show = grammar.show
MOST_TOKENS = 5
"""Models with more symbols are not read: each named position has a case for each symbol."""
LARGEST = 32
"""The largest absolute value of a score of a symbol. Larger ones make quotients that no interval separates."""
PARTS = 100
"""Powers of e are bounded by multiples of 1/100."""
BITS = 64
"""The precision of the intervals that find these bounds, in bits."""
TOKEN = var("w", ("fun", ("Int",), "Int"))


class ScoreLaw(NamedTuple):
    """The scores of a head. `by_token` has the score of each token, if they depend on the token alone. Otherwise it is
    empty, and the score of the position j is ``slope*j + offset``, with the term `offset` in i."""

    by_token: dict[int, Fraction]
    slope: Fraction = Fraction(0)
    offset: Term = num(0)


class Weighing(Quick):
    """An elaborator that searches longer for a comparison that is multiplied out, and for the conclusion."""

    def automatic(self, g: Goal, line: TextLine, what: str, hints: Sequence[HintText] | None = None) -> None:
        label = line.labels[0] if line.labels and isinstance(line.labels[0], str) else ""
        whole = label.startswith(("crossed'", "whole'")) or (line.kind == "qed" and self.deep <= 1)
        self.search(g, line, what, hints, automation.LEVELS if whole else automation.LEVELS[:2])


class NamedShare(NamedTuple):
    """A term of the conclusion: the weight that a row of a head gives to the position `at`, or, if that is None, what
    the head writes at the row."""

    term: Term
    head: AttentionHead
    row: Term
    at: Term | None


class WeightSums:
    """The lines for the heads of `heads` whose scores have a `ScoreLaw`."""

    def __init__(self, heads: HeadFacts) -> None:
        self.heads, self.facts = heads, heads.facts
        self.laws: dict[str, ScoreLaw] = {}
        for name, head in heads.heads.items():
            law = self.law(head) if head.kind == "softmax" and head.old is None else None
            if law is not None:
                self.laws[name] = law

    # --- Scores ------------------------------------------------------------------------------------------------------

    def unfolded(self, t: Term) -> Term:
        """A term with the equations of coordinates that no head writes put in."""
        for _ in range(len(self.facts.equations) + 1):
            calls = [x for x in subterms(t) if x[0] == "app" and x[2][0] != TOKEN and self.facts.right(x) is not None]
            calls = [x for x in calls if x[2][0][1][0] not in self.heads.heads]
            if not calls:
                break
            for call in dict.fromkeys(calls):
                right = self.facts.right(call)
                t = t if right is None else replace(t, call, right)
        return t

    def of_tokens(self, t: Term, here: int | None, there: int) -> Term:
        """A term with these tokens at i and j, and the values of indicators of tokens."""
        for place, token in ((HERE, here), (THERE, there)):
            for x in [x for x in dict.fromkeys(subterms(t)) if x[0] == "ind" and is_token(x[2][0])]:
                if token is not None and x[2][0][2][0][2][1] == place:
                    t = replace(t, x, num(int(x[2][0][2][1][1][0] == token)))
        return t

    def law(self, head: AttentionHead) -> ScoreLaw | None:
        """The law of the scores of a head; None for any other head."""
        tokens, score = self.facts.tokens, self.unfolded(head.score or num(0))
        if not tokens or len(tokens) > MOST_TOKENS:
            return None
        values = {(i, j): self.of_tokens(score, i, j) for i, j in itertools.product(tokens, repeat=2)}
        of_j = {j: {rational(values[i, j]) for i in tokens} for j in tokens}
        if all(len(found) == 1 and None not in found for found in of_j.values()):
            by_token = {j: Fraction(next(x for x in found if x is not None)) for j, found in of_j.items()}
            return ScoreLaw(by_token) if max(map(abs, by_token.values())) <= LARGEST else None
        term = values[tokens[0], tokens[0]]
        if any(nf(x) != nf(term) for x in values.values()) or TOKEN in free(term):
            return None
        offset, one = replace(term, THERE, num(0)), replace(term, THERE, num(1))
        slope = Fraction(constant(nf(("-", None, (one, offset)))) or 0)
        line: Term = ("+", None, (("*", None, (written(slope), THERE)), offset))
        if not slope or abs(slope) > LARGEST or nf(term) != nf(line) or free(offset) - {HERE, var("n", "Int")}:
            return None
        return ScoreLaw({}, slope, reify.term(nf(offset)))

    # --- Lines about heads -------------------------------------------------------------------------------------------

    def power(self, law: ScoreLaw, q: str, row: str) -> str:
        """The weight of the position `q`, as text."""
        if not law.by_token:
            return f"exp({_text(law.slope)}*{q} + ({self.heads.text(law.offset, row)}))"
        return " + ".join(_times(f"exp({_text(s)})" if s else "", f"I[w({q}) = {k}]") for k, s in law.by_token.items())

    def count(self, head: AttentionHead, token: int, row: str) -> str:
        """The count of a token among the positions that a row sees, as text."""
        q, low, high = self.heads.seen_at, self.heads.text(head.low, row), self.heads.text(head.high, row)
        return f"sum({q}, {low}, {high}, I[w({q}) = {token}])"

    def total(self, head: AttentionHead, row: str) -> str:
        """The sum of the weights of a row, as text."""
        q, low, high = self.heads.seen_at, self.heads.text(head.low, row), self.heads.text(head.high, row)
        return f"sum({q}, {low}, {high}, {self.heads.text(head.weight, row, q)})"

    def closed(self, head: AttentionHead, row: str) -> str:
        """The equation of the sum of the weights of a row with its closed form, as text."""
        law, total = self.laws[head.name], self.total(head, row)
        if law.by_token:
            return f"{total} = {self.divisor(head, row)}"
        c, offset = _text(law.slope), self.heads.text(law.offset, row)
        low, high = self.heads.text(head.low, row), self.heads.text(head.high, row)
        ends = f"exp({c}*({high}) + {c} + ({offset})) - exp({c}*({low}) + ({offset}))"
        return f"(exp({c}) - 1)*{total} = {ends}"

    def divisor(self, head: AttentionHead, row: str) -> str:
        """The sum of the weights of a row, as text: in counts if the scores depend on the symbols."""
        by_token = self.laws[head.name].by_token
        if not by_token:
            return self.total(head, row)
        return " + ".join(
            _times(f"exp({_text(s)})" if s else "", self.count(head, k, row)) for k, s in by_token.items()
        )

    def head_lines(self, head: AttentionHead) -> str:
        """The lines about all rows of a head."""
        heads, name, law = self.heads, head.name, self.laws[head.name]
        r, q = heads.row, heads.seen_at
        low, high, weight = heads.text(head.low, r), heads.text(head.high, r), heads.text(head.weight, r, q)
        score, simple = heads.text(head.score or num(0), r, q), self.power(law, q, r)
        every = f"all {r} in {head.first}..{head.last}."
        by = ", ".join([*heads.below(head.score or num(0), r, q), *heads.letters(r), "low'", "high'", "from'", "to'"])
        begin = f"alike'{name}: {every} all {q} in {low}..{high}. {weight} = {simple}\n"
        begin += f"  given {r} (low' high') {q} (from' to')\n"
        if law.by_token:
            value = {k: f"score': {score} = {_text(s)} by {by}, at{k}'" for k, s in law.by_token.items()}
            lines = begin + self._typed(q, by, "  ", value, "qed by score', {at}")
        else:
            c, offset, k = _text(law.slope), heads.text(law.offset, r), heads.third
            lines = f"{begin}  score': {score} = {c}*{q} + ({offset}) by {by}\n  qed by score'\n"
            lines += (
                f"powers'{name}: all {r}:Real, {k}:Int, {q}:Int. {k} <= {q} -> (exp({c}) - 1)*sum({heads.fourth}, {k},"
                f" {q}, exp({c}*{heads.fourth} + {r})) = exp({c}*{q} + {c} + {r}) - exp({c}*{k} + {r})\n"
                f"  given {r} {k}\n  induct {q} (low' before')\n    - qed\n    - qed by before'\n"
            )
        lines += (
            f"sums'{name}: {every} {self.closed(head, r)}\n  given {r} (low' high')\n"
            f"  under': all {q} in {low}..{high}. {weight} = {simple} by alike'{name}({r}), low', high'\n"
            f"  qed by sum_ext({q}. {weight}; {q}. {simple}; {low}; {high})[under']"
        )
        if not law.by_token:
            return f"{lines}, powers'{name}({heads.text(law.offset, r)}; {low}; {high}), low', high'\n"
        ones = " + ".join(f"I[w({q}) = {k}]" for k in self.facts.tokens)
        sizes = f"{high} - ({low}) + 1"
        lines += (
            f"\nkinds'{name}: {every} {' + '.join(self.count(head, k, r) for k in self.facts.tokens)} = {sizes}\n"
            f"  given {r} (low' high')\n  under': all {q} in {low}..{high}. {ones} = 1 by each', low', high'\n"
            f"  qed by sum_ext({q}. {ones}; {q}. 1; {low}; {high})[under'], sum_one({low}; {high}), low', high'\n"
        )
        for at, k in self.added:
            lines += (
                f"once{k}'{name}: {every} {low} <= {at} & {at} <= {high} -> {self.count(head, k, r)} = 1\n"
                f"  given {r} (low' high') (from' to')\n"
                f"  off': all {q} in {low}..{high}. {q} != {at} -> I[w({q}) = {k}] = 0 by apart{k}', low', high'\n"
                f"  qed by sum_only({q}. I[w({q}) = {k}]; {low}; {high}; {at})[_, _, off'], word, low', high', to',"
                f" from'\n"
            )
        return lines + self._weighted(head)

    def values(self, head: AttentionHead) -> dict[int, Fraction] | None:
        """The value of each token that a head attends to, by token; None for values that depend on more."""
        found = {k: rational(self.of_tokens(self.unfolded(head.value), None, k)) for k in self.facts.tokens}
        values = {k: x for k, x in found.items() if x is not None}
        return values if len(values) == len(found) and self.laws[head.name].by_token else None

    def summed(self, head: AttentionHead, row: str) -> str:
        """The sum of the weighted values of a row in counts, as text."""
        values, law = self.values(head) or {}, self.laws[head.name]
        terms = [
            f"({_times(f'exp({_text(law.by_token[k])})' if law.by_token[k] else '', _text(x))})"
            f"*{self.count(head, k, row)}"
            for k, x in values.items()
            if x
        ]
        return " + ".join(terms) or "0"

    def _weighted(self, head: AttentionHead) -> str:
        """The line ``weighted'`` of a head whose values depend on the token alone; "" for any other head."""
        heads, name, law = self.heads, head.name, self.laws[head.name]
        values = self.values(head)
        if values is None:
            return ""
        r, q = heads.row, heads.seen_at
        low, high, weight = heads.text(head.low, r), heads.text(head.high, r), heads.text(head.weight, r, q)
        value = heads.text(head.value, r, q)
        terms = [(k, _times(f"exp({_text(s)})" if s else "", _text(values[k]))) for k, s in law.by_token.items()]
        terms = [(k, factor) for k, factor in terms if values[k]]
        simple = " + ".join(f"({factor})*I[w({q}) = {k}]" for k, factor in terms) or "0"
        by = ", ".join([*heads.below(head.value, r, q), f"alike'{name}({r}; {q})", "low'", "high'", "from'", "to'"])
        shown = {k: f"value': {value} = {_text(values[k])} by {by}, at{k}'" for k in law.by_token}
        closing = f"qed by value', {by}, {{at}}"
        return (
            f"weighted'{name}: all {r} in {head.first}..{head.last}. {heads.written_at(head, r)}*{self.total(head, r)}"
            f" = {self.summed(head, r)}\n  given {r} (low' high')\n"
            f"  under': all {q} in {low}..{high}. {weight}*({value}) = {simple}\n    given {q} (from' to')\n"
            f"{self._typed(q, by, '    ', shown, closing)}"
            f"  qed by mean'{name}({r}), low', high',"
            f" sum_ext({q}. {weight}*({value}); {q}. {simple}; {low}; {high})[under']\n"
        )

    def _typed(self, q: str, by: str, margin: str, lines: dict[int, str], closing: str) -> str:
        """The lines that close a goal by the token at the position `q`: a case for each of `lines`."""
        within, ends = "low', high', from', to'", {k: closing.replace("{at}", f"at{k}'") for k in lines}
        if len(lines) == 1:
            k, line = next(iter(lines.items()))
            text = f"at{k}': w({q}) = {k} by typed'({q}), {within}\n{line}\n{ends[k]}\n"
        else:
            text = f"typed'': {' | '.join(f'w({q}) = {k}' for k in lines)} by typed'({q}), {within}\n"
            text += f"cases {', '.join(f'at{k}' + chr(39) for k in lines)} from typed''\n"
            text += "".join(bullet(f"{line}\n{ends[k]}\n") for k, line in lines.items())
        return "".join(f"{margin}{line}\n" for line in text.splitlines())

    @property
    def added(self) -> list[tuple[str, int]]:
        """The position and the number of each token that the model adds."""
        return [(show(x[2][0][2][1]), x[2][1][1][0]) for x in flatten("&", self.facts.word) if is_token(x)]

    # --- Lines about what the conclusion names -----------------------------------------------------------------------

    def named(self) -> list[NamedShare]:
        """The weights and the coordinates of these heads in the conclusion and in its premises."""
        found: list[NamedShare] = []
        for x in dict.fromkeys(x for f in (self.heads.conclusion.goal, *self.heads.parts) for x in subterms(f)):
            if loose(x):
                continue
            if is_weight(x):
                for name in self.laws:
                    head = self.heads.heads[name]
                    if (row := row_of(x, head, self.heads)) is not None:
                        found.append(NamedShare(x, head, row, x[2][2][2][0][2][0][2][1]))
                        break
            elif x[0] == "app" and x[2][0][0] == "var" and x[2][0][1][0] in self.laws:
                found.append(NamedShare(x, self.heads.heads[x[2][0][1][0]], x[2][1], None))
        return found

    def texts(self) -> Iterator[str]:
        """Possible proofs of the statement, as the lines below its heading."""
        named = self.named()
        if not named:
            return
        heads, facts, conclusion = self.heads, self.facts, self.heads.conclusion
        used = list(dict.fromkeys(x.head for x in named))
        wanted = heads.needed({head.name for head in used})
        gone, there = heads.tokens_by_premises
        r, tokens = heads.row, " | ".join(f"w({heads.row}) = {k}" for k in facts.tokens)
        lines = f"{facts.letters()}typed': all {r} in {facts.low}..{facts.high}. {tokens} by each'\n"
        lines += quotient_lines()
        lines += "".join(heads.head_lines(head) for name, head in heads.heads.items() if name in wanted)
        lines += "".join(weight_lines(heads, head) for head in dict.fromkeys(x.head for x in named if x.at is not None))
        lines += conclusion.lines + heads.token_lines(gone, there) + heads.span_lines(wanted)
        lines += "".join(map(self.head_lines, used))
        self.hints = dict.fromkeys([*conclusion.premises, *conclusion.ranges, "some"])
        for head, row in dict.fromkeys((x.head, x.row) for x in named):
            lines += self._at_row(head, show(row))
        lines += self._powers() + self._near(named)
        places = [x.at for x in named if x.at is not None and self.laws[x.head.name].by_token]
        if len({*places}) == 1 and len(facts.tokens) > 1:
            at, labels = show(places[0]), [f"at{k}'" for k in facts.tokens]
            within = ", ".join([f"typed'({at})", *conclusion.ranges, "some"])
            typed = f"typed'': {' | '.join(f'w({at}) = {k}' for k in facts.tokens)} by {within}\n"
            cases = "".join(bullet(self._end(named, {places[0]: k}, f"at{k}'")) for k in facts.tokens)
            yield f"{lines}{typed}cases {', '.join(labels)} from typed''\n{cases}"
        else:
            yield lines + self._end(named, {}, "")

    def _add(self, kind: str, formula: str, by: Sequence[str]) -> str:
        """The line of `formula`, with a new label of this kind that is a hint for the end."""
        label = f"{kind}'{sum(x.startswith(kind) for x in self.hints) + 1}"
        self.hints[label] = None
        return f"{label}: {formula} by {', '.join(by)}\n"

    def _at_row(self, head: AttentionHead, row: str) -> str:
        """The lines about a row that the conclusion names."""
        name, within = head.name, [*self.heads.conclusion.ranges, *self.heads.conclusion.premises, "some"]
        add, law = partial(self._add, "row"), self.laws[name]
        lines = add(f"0 < {self.total(head, row)}", [f"total'{name}({row})", *within])
        lines += add(self.closed(head, row), [f"sums'{name}({row})", *within])
        if not law.by_token:
            return lines
        low, high = self.heads.text(head.low, row), self.heads.text(head.high, row)
        counts = {k: self.count(head, k, row) for k in self.facts.tokens}
        lines += add(f"{' + '.join(counts.values())} = {high} - ({low}) + 1", [f"kinds'{name}({row})", *within])
        for _, k in self.added:
            lines += add(f"{counts[k]} = 1", [f"once{k}'{name}({row})", *within])
        for k, s in law.by_token.items():
            lines += add(f"0 <= {counts[k]}", [f"sum_nonneg({self.heads.seen_at}. I[w({self.heads.seen_at}) = {k}])"])
            if s > 0:
                lines += add(f"{counts[k]} <= exp({_text(s)})*{counts[k]}", [f"exp_ge({_text(s)})", [*self.hints][-1]])
        if self._weighted(head):
            self.hints[f"weighted'{name}({row})"] = None
        return lines

    def _powers(self) -> str:
        """Bounds of the powers of e among the weights."""
        lines = ""
        exponents = [s for law in self.laws.values() for s in (*law.by_token.values(), law.slope) if s]
        for s in dict.fromkeys(exponents):
            if (bounds := _power_bounds(s)) is not None:
                low, high = map(_text, bounds)
                lines += self._add("power", f"{low} <= exp({_text(s)}) & exp({_text(s)}) <= {high}", ["exp_pos"])
        return lines

    def _near(self, named: Sequence[NamedShare]) -> str:
        """Bounds by the weight of one position, where scores are linear in the position."""
        lines = ""
        for x in named:
            if self.laws[x.head.name].by_token:
                continue
            if x.at is None:
                lines += self._bounded_by(x.head, show(x.row), show(x.row))
            else:
                for at in dict.fromkeys([show(x.at), show(x.row)]):
                    lines += self._place(x.head, show(x.row), at)
        return lines

    def _place(self, head: AttentionHead, row: str, at: str) -> str:
        """The weight of a position in closed form, at most the sum of all."""
        heads, q = self.heads, self.heads.seen_at
        low, high, weight = heads.text(head.low, row), heads.text(head.high, row), heads.text(head.weight, row, q)
        there = show(replace(replace(head.weight, HERE, place_term(row)), THERE, place_term(at)))
        within = [*heads.conclusion.ranges, *heads.conclusion.premises, "some"]
        lines = self._add("place", f"{there} = {self.power(self.laws[head.name], at, row)}",
                          [f"alike'{head.name}({row}; {at})", *within])  # fmt: skip
        member = f"sum_member({q}. {weight}; {low}; {high}; {at})"
        return lines + self._add("place", f"{there} <= {self.total(head, row)}", [member, "exp_pos", *within])

    def _bounded_by(self, head: AttentionHead, row: str, at: str) -> str:
        """Bounds of what a head writes at a row, by the weight and the value of the position `at`."""
        heads, q = self.heads, self.heads.seen_at
        span = heads.span_of(head.value, heads.spans)
        if span is None:
            return ""
        low, high, weight = heads.text(head.low, row), heads.text(head.high, row), heads.text(head.weight, row, q)
        value, lines = heads.text(head.value, row, q), self._place(head, row, at)
        there, value_there = (show(replace(replace(t, HERE, place_term(row)), THERE, place_term(at)))
                              for t in (head.weight, head.value))  # fmt: skip
        within = [*heads.conclusion.ranges, *heads.conclusion.premises, "some"]
        for end, upper in ((span.low, False), (span.high, True)):
            if end is None:
                continue
            gap, gap_there = (f"({_text(end)} - ({x}))" if upper else f"({x} - ({_text(end)}))"
                              for x in (value, value_there))  # fmt: skip
            function, own = f"{q}. {weight}*{gap}", f"{there}*{gap_there}"
            number = len(self.hints)
            label, one = f"near'{number}", ", ".join([*heads.below(head.value, row, q), *heads.letters(q)])
            sign = "-" if upper else ""
            difference = f"{heads.written_at(head, row)} - ({_text(end)})"
            lines += (
                f"{label}: {own} <= {sign}({difference})*{self.total(head, row)}\n"
                f"  over': all {q} in {low}..{high}. 0 <= {weight}*{gap}\n    given {q} (from' to')\n"
                f"    gap': 0 <= {gap} by {one}, from', to', {', '.join(within)}\n"
                f"    weight': 0 <= {weight} by exp_pos\n    qed by gap', weight'\n"
                f"  most': {own} <= sum({q}, {low}, {high}, {weight}*{gap})"
                f" by sum_member({function}; {low}; {high}; {at})[_, over'], {', '.join(within)}\n"
                f"  qed by most', mean'{head.name}({row}), {', '.join(within)}\n"
            )
            self.hints[label] = None
        known = [*heads.below(head.value, row, at), *heads.letters(at), *within]
        self.hints |= dict.fromkeys(known)
        return lines

    # --- The end -----------------------------------------------------------------------------------------------------

    def _end(self, named: Sequence[NamedShare], tokens: dict[Term, int], at: str) -> str:
        """The last lines: the named terms as quotients, comparisons of quotients multiplied out, and the conclusion.
        `tokens` has the token at a position, by the fact `at`."""
        heads, lines, last, goal = self.heads, "", list[str](), self.heads.conclusion.goal
        saved, self.hints = self.hints, dict(self.hints)
        within = [*heads.conclusion.ranges, *heads.conclusion.premises, "some", *([at] if at else [])]
        for number, x in enumerate(named):
            row, below = show(x.row), self.divisor(x.head, show(x.row))
            of_row = [label for label in self.hints if label.startswith("row'")]
            if x.at is None:
                if self.values(x.head) is None:
                    continue
                value, by = self.summed(x.head, row), [f"weighted'{x.head.name}({row})"]
                term = heads.written_at(x.head, row)
            else:
                place, term = show(x.at), weight_at(heads, x.head, row, show(x.at))
                there = show(replace(replace(x.head.weight, HERE, x.row), THERE, x.at))
                value = self.power(self.laws[x.head.name], place, row)
                if x.at in tokens:
                    score = self.laws[x.head.name].by_token[tokens[x.at]]
                    value = f"exp({_text(score)})" if score else "1"
                    lines += self._few(x, tokens[x.at], within)
                by = [f"part'{x.head.name}({row}; {place})", f"value{number}'"]
                alike = ", ".join([f"alike'{x.head.name}({row}; {place})", *within])
                lines += f"value{number}': {there} = {value} by {alike}\n"
            total = self.total(x.head, row)
            if x.at is not None:
                lines += f"quoted'{number}: {term} = ({there})/({total}) by {', '.join([*by, *within])}\n"
                lines += f"held'{number}: {term}*({total}) = {there}\n"
                lines += f"  qed by undivided'({term}; {there}; {total}), quoted'{number}, {', '.join(of_row)}\n"
                by = [f"held'{number}", f"value{number}'"]
            lines += f"times'{number}: {term}*({below}) = {value} by {', '.join([*by, *of_row, *within])}\n"
            lines += f"over'{number}: 0 < {below} by {', '.join(of_row)}\n"
            lines += f"part'{number}: {term} = ({value})/({below})\n"
            lines += f"  qed by divided'({term}; {value}; {below}), times'{number}, over'{number}\n"
            last.append(f"part'{number}")
            goal = replace(goal, x.term, self._read(f"({value})/({below})", x, goal))
        for part in flatten("&", goal):
            if part[0] in COMPARISONS and not loose(part):
                out = multiplied_out(part, len(last), self.hints)
                lines += out
                last += [f"quotient'{len(last)}"] if out else []
        crossed = [label for label in last if label.startswith("quotient'")]
        equations = [
            f"{self.facts.label(x[2][0][1][0])}({show(x[2][1])})"
            for x in subterms(heads.conclusion.goal)
            if x[0] == "app" and x[2][0][0] == "var" and x[2][0][1][0] in self.facts.equations and not loose(x[2][1])
            and x[2][0][1][0] not in heads.heads
        ]  # fmt: skip
        hints = [*last, *within, *equations] if crossed else [*last, *self.hints, *within, *equations]
        self.hints = saved
        return f"{lines}qed by {', '.join(dict.fromkeys(hints))}\n"

    def _few(self, x: NamedShare, token: int, within: Sequence[str]) -> str:
        """The line that the token at a named position is counted."""
        q, row = self.heads.seen_at, show(x.row)
        low, high = self.heads.text(x.head.low, row), self.heads.text(x.head.high, row)
        at, lines = show(x.at or HERE), ""
        member = f"sum_member({q}. I[w({q}) = {token}]; {low}; {high}; {at})"
        for place, added in self.added:
            if added == token and place != at:
                by, one = ", ".join([f"apart{token}'({at})", "off'", *within]), f"I[w({at}) = {token}]"
                lines += f"only'1: {at} = {place}\n  one': {one} = 1 by {', '.join(within)}\n"
                lines += f"  suppose off': {at} != {place}\n  zero': {one} = 0 by {by}\n  qed by one', zero'\n"
                self.hints["only'1"] = None
        return lines + self._add("few", f"1 <= {self.count(x.head, token, row)}", [member, *within])

    def _read(self, text: str, x: NamedShare, goal: Term) -> Term:
        """The term of a quotient, from its text."""
        terms = (goal, x.term, x.row, x.head.low, x.head.high, x.head.weight, x.head.value, TOKEN, var("n", "Int"))
        names = {v[1][0]: v[1][1] for t in terms for v in free(t)}
        return grammar.read_value(text, "Real", names, {})


def _text(x: Fraction | int) -> str:
    """A rational number, as text that may stand in a product."""
    return f"({x})" if x < 0 or Fraction(x).denominator != 1 else str(x)


def _times(factor: str, text: str) -> str:
    """A product, as text."""
    return f"{factor}*{text}" if factor else text


def _power_bounds(s: Fraction) -> tuple[Fraction, Fraction] | None:
    """Multiples of 1/`PARTS` on both sides of exp(s); None if intervals do not find them."""
    low, high = 0, PARTS
    while _below(s, Fraction(high, PARTS)) is False:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        side = _below(s, Fraction(middle, PARTS))
        if side is None:
            return None
        low, high = (low, middle) if side else (middle, high)
    return Fraction(low, PARTS), Fraction(high, PARTS)


def _below(s: Fraction, c: Fraction) -> bool | None:
    """Whether exp(s) is less than c; None if intervals do not tell."""
    power = ("fn", "exp", (written(s),))
    sign = decided(("-", None, (written(c), power)), BITS)
    return sign == 1 if sign else None


def prove(home: Citable, statement: Statement, seconds: float) -> Goal | Failed:
    """The goal of a statement with a proof by the sums of weights, found within `seconds`; or the reason why there is
    none."""
    return attempted(partial(_proved, home, statement), Until(seconds), because="no sums of weights: ")


def _proved(home: Citable, statement: Statement) -> Goal:
    """What `prove` returns; raises NoResult without a proof."""
    facts = Facts(statement)
    texts = () if facts.numbers else WeightSums(HeadFacts(facts)).texts()
    return proved_by(home, statement, texts, "no head of the statement has weights by symbol or by distance")


def proved_by(home: Citable, statement: Statement, texts: Iterable[str], missing: str) -> Goal:
    """The goal of a statement, closed by the first of these texts that proves it. Raises NoResult if none does, with
    the words `missing` if there is no text."""
    for lines in texts:
        g = Goal(home, statement.formula, {}, {})
        try:
            text = prooftext.read(certify.headed_lines(statement, lines))
            Weighing().block(g, text.parts["proof"], Place(1, 1))
        except (StepGap, BadProof, Rejected) as error:
            missing = str(error)
        else:
            return g
    raise NoResult(missing)
