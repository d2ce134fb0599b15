"""A claim that bounds what a uniform head writes at the last position, by bounds of the sum of its values.

The values are ``relu(u + v - 1)`` with u and v from 0 to 1, or a coordinate u. So each value is at most u, at most v,
and at most (u + v)/2. A sum of u over all positions is known where u depends on the symbol (a sum of counts), on the
position (i, i/n, or whether i is in the second half), or is what a head reads at the position before.

| label | line |
| --- | --- |
| ``major'K``, ``majors'K`` | a value is at most u, and the sum of the values at most that of u |
| ``sum'NAME`` | the sum of u over all positions, or a bound of it |
| ``mean'1``, .. | what the head writes, as the sum of the values divided by the number of positions |

`prove` looks for a proof with these lines. The lines are untrusted: a line that does not follow is left out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import partial

from symcook.alarm import Until
from symcook.proof import grammar
from symcook.proof.normal import nf
from symcook.proof.replay import Statement
from symcook.proof.search.attempts import Failed, attempted
from symcook.proof.search.tactics import Citable, Goal
from symcook.proof.statements.exactvalues import written
from symcook.proof.statements.facts import HERE, ONE, Facts, number_of
from symcook.proof.statements.heads import AttentionHead, HeadFacts
from symcook.proof.statements.quotients import multiplied_out, quotient_lines
from symcook.proof.statements.weightsums import proved_by
from symcook.proof.terms import COMPARISONS, Term, flatten, free, loose, num, replace, subterms, var

show = grammar.show
N = var("n", "Int")
SHARE: Term = ("/", None, (HERE, N))
MOST_HEADS = 2
"""The greatest number of heads in a conclusion that is read: each has up to three bounds."""
FIRST = """firsts': all k:Int. 0 <= k -> sum({q}, 1, k, {q}) = k*(k + 1)/2
  induct k (low' before')
    - qed
    - qed by before'
"""
"""The sum of the first k positions."""
HALVES = """above': all {m}:Int, k:Int. 0 <= {m} & {m} <= k -> sum({q}, 1, k, I[{m} < {q}]) = k - {m}
  given {m} k (least' most')
  none': all {q} in 1..{m}. I[{m} < {q}] = 0
  ones': all {q} in {m} + 1..k. I[{m} < {q}] = 1
  zero': sum({q}, 1, {m}, I[{m} < {q}]) = 0 by sum_ext({q}. I[{m} < {q}]; {q}. 0; 1; {m})[none']
  rest': sum({q}, {m} + 1, k, I[{m} < {q}]) = k - {m}
    whole': sum({q}, {m} + 1, k, I[{m} < {q}]) = sum({q}, {m} + 1, k, 1)
      qed by sum_ext({q}. I[{m} < {q}]; {q}. 1; {m} + 1; k)[ones']
    qed by whole', sum_one({m} + 1; k), least', most'
  qed by sum_split({q}. I[{m} < {q}]; 1; {m}; k), zero', rest', least', most'
"""
"""The number of positions after m."""


class MeanBounds:
    """The lines about the uniform heads that the conclusion names at the last position."""

    def __init__(self, heads: HeadFacts) -> None:
        self.heads, self.facts = heads, heads.facts
        self.half = self.facts.fresh("m")
        self.sums: dict[str, str] = {}
        self.majored = 0

    def named(self) -> list[tuple[AttentionHead, Term]]:
        """The heads in the conclusion whose mean is over all positions, each with its term."""
        found: list[tuple[AttentionHead, Term]] = []
        for x in dict.fromkeys(subterms(self.heads.conclusion.goal)):
            if x[0] != "app" or x[2][1] != N or x[2][0][0] != "var":
                continue
            head = self.heads.heads.get(x[2][0][1][0])
            if head is None or head.kind != "uniform" or head.old is not None or HERE in free(head.value):
                continue
            if (show(head.low), show(replace(head.high, HERE, N))) == ("1", "n") and self.facts.low == "1":
                found.append((head, x))
        return found

    def parts(self, value: Term) -> list[Term]:
        """The terms u and v of a value relu(u + v - 1) in j, or the value itself."""
        q = var(self.heads.seen_at, "Int")
        right = self.facts.right(value)
        inside = value if right is None or right[:2] != ("fn", "relu") else right
        if inside[:2] != ("fn", "relu"):
            return [value]
        terms, numbers = list[Term](), num(0)
        for part in _summands(inside[2][0]):
            if number_of(part) is None:
                terms.append(part)
            else:
                numbers = ("+", None, (numbers, part))
        named = all(x[0] == "app" and x[2][1] == q for x in terms)
        return terms if len(terms) == 2 and named and number_of(numbers) == -1 else []

    def texts(self) -> Iterator[str]:
        """A possible proof of the statement, as the lines below its heading."""
        named, heads, facts = self.named(), self.heads, self.facts
        if not named or len(named) > MOST_HEADS or not facts.tokens:
            return
        conclusion, q = heads.conclusion, heads.seen_at
        wanted = heads.needed({head.name for head, _ in named})
        lines = f"{facts.letters()}{quotient_lines()}{FIRST.format(q=q)}{HALVES.format(q=q, m=self.half)}"
        lines += "".join(heads.head_lines(head) for name, head in heads.heads.items() if name in wanted)
        lines += conclusion.lines + heads.span_lines(wanted)
        lines += f"obtain {self.half} (half' parity') from parity(n) by some\n"
        hints = dict.fromkeys([*conclusion.premises, *conclusion.ranges, "some", "all'", "half'"])
        equations, goal = list[str](), conclusion.goal
        for number, (head, term) in enumerate(named, 1):
            value = replace(head.value, var("j", "Int"), var(q, "Int"))
            total, label = f"sum({q}, 1, n, {show(value)})", f"mean'{number}"
            equations.append(label)
            lines += f"{label}: {show(term)} = ({total})/n by {facts.label(head.name)}(n), some\n"
            names = {v[1][0]: v[1][1] for t in (goal, head.value) for v in free(t)}
            quotient = grammar.read_value(f"({total})/n", "Real", names | {"n": "Int"}, {})
            goal = replace(goal, term, quotient)
            lines += "".join(self._majors(value, total))
        lines += "".join(self.sums.values())
        hints |= dict.fromkeys(f"sum'{name}" for name in self.sums)
        hints |= dict.fromkeys(f"majors'{k}" for k in range(1, self.majored + 1))
        for part in flatten("&", goal):
            if part[0] in COMPARISONS and not loose(part) and (out := multiplied_out(part, len(equations), hints)):
                lines += out
                equations.append(f"quotient'{len(equations)}")
        yield f"{lines}qed by {', '.join([*equations, *conclusion.premises, *conclusion.ranges, 'some'])}\n"

    def _inside(self, name: str) -> Iterator[str]:
        """The line that i/n is from 0 to 1."""
        q = self.heads.seen_at
        yield (
            f"inside'{name}: all {q} in 1..n. 0 <= {name}({q}) & {name}({q}) <= 1\n  given {q} (from' to')\n"
            f"  whole': {q}*(1/n) <= n*(1/n) by to', some\n  one': n*(1/n) = 1 by some\n"
            f"  least': 0 <= {q}*(1/n) by from', some\n"
            f"  qed by {self.facts.label(name)}({q}), whole', one', least', from', to'\n"
        )

    def _majors(self, value: Term, total: str) -> Iterator[str]:
        """The lines ``major'`` and ``majors'`` of a value, and in `sums` those of the sums that they name."""
        heads, q = self.heads, self.heads.seen_at
        terms = self.parts(value)
        both = ("/", None, (("+", None, (terms[0], terms[1])), num(2))) if len(terms) == 2 else None
        equation = value[2][0][1][0] if value[0] == "app" else ""
        below = [f"{self.facts.label(equation)}({q})"] if equation in self.facts.equations else []
        for name in dict.fromkeys(x[1][0] for term in terms for x in free(term) if x[1][0] in self.facts.functions):
            if name in heads.spans:
                below.append(f"span'{name}({q})")
            elif nf(self.facts.equations.get(name, num(0))) == nf(SHARE):
                below.append(f"inside'{name}({q})")
                yield from self._inside(name)
            elif name in self.facts.equations:
                below.append(f"{self.facts.label(name)}({q})")
        for term in [*terms, *([both] if both else [])]:
            self.majored = k = self.majored + 1
            more = ", ".join([*dict.fromkeys(below), "from'", "to'", "some"])
            yield (
                f"major'{k}: all {q} in 1..n. {show(value)} <= {show(term)}\n  given {q} (from' to')\n"
                f"  qed by {more}\n"
                f"majors'{k}: {total} <= sum({q}, 1, n, {show(term)})"
                f" by sum_mono({q}. {show(value)}; {q}. {show(term)}; 1; n)[major'{k}]\n"
            )
        for term in terms:
            if term[0] == "app" and (name := term[2][0][1][0]) not in self.sums:
                self.sums[name] = self._summed(name)

    def _summed(self, name: str) -> str:
        """The line ``sum'`` of a coordinate, with what it needs."""
        facts, heads, q = self.facts, self.heads, self.heads.seen_at
        right, head = facts.equations.get(name), heads.heads.get(name)
        total, label = f"sum({q}, 1, n, {name}({q}))", f"{facts.label(name)}"
        if head is not None and head.kind == "place":
            return self._moved(name, head)
        if right is None or head is not None:
            return ""
        linear = facts.linear(right, HERE)
        if linear is not None and linear.keys() <= {ONE, *facts.tokens}:
            parts = [(x, f"I[w({q}) = {k}]" if k != ONE else "1") for k, x in linear.items() if x]
            form = " + ".join(f"({show(written(x))})*{text}" for x, text in parts) or "0"
            sums = [(x, f"sum({q}, 1, n, I[w({q}) = {k}])" if k != ONE else "n") for k, x in linear.items() if x]
            closed = " + ".join(f"({show(written(x))})*{text}" for x, text in sums) or "0"
            return (
                f"same'{name}: all {q} in 1..n. {name}({q}) = {form} by {label}\n"
                f"sum'{name}: {total} = {closed}\n"
                f"  qed by sum_ext({q}. {name}({q}); {q}. {form}; 1; n)[same'{name}], sum_one(1; n), some\n"
            )
        shape = nf(right)
        if shape == nf(HERE) or shape == nf(SHARE):
            over = "" if shape == nf(HERE) else "/n"
            return (
                f"same'{name}: all {q} in 1..n. {name}({q}) = {q}{over} by {label}\n"
                f"sum'{name}: {total} = n*(n + 1)/2{over}\n"
                f"  qed by sum_ext({q}. {name}({q}); {q}. {q}{over}; 1; n)[same'{name}], firsts'(n), some\n"
            )
        if right[0] == "ind" and right[2][0] == ("<", None, (N, ("*", None, (num(2), HERE)))):
            m = self.half
            return (
                f"same'{name}: all {q} in 1..n. {name}({q}) = I[{m} < {q}]\n  given {q} (from' to')\n"
                f"  order': n < 2*{q} <-> {m} < {q} by parity'\n  qed by {label}({q}), order', from', to'\n"
                f"few'{name}: {m} <= n by parity', half'\n"
                f"sum'{name}: {total} <= (n + 1)/2\n"
                f"  whole': {total} = sum({q}, 1, n, I[{m} < {q}])\n"
                f"    qed by sum_ext({q}. {name}({q}); {q}. I[{m} < {q}]; 1; n)[same'{name}]\n"
                f"  qed by whole', above'({m}; n), few'{name}, half', parity'\n"
            )
        return ""

    def _moved(self, name: str, head: AttentionHead) -> str:
        """The line ``sum'`` of a head that reads the position before: at most the sum of what it reads."""
        heads, q = self.heads, self.heads.seen_at
        looked = head.weight[2][0][2][1] if head.weight[2][0][0] == "=" else None
        if looked is None or nf(looked) != nf(("-", None, (HERE, num(1)))) or HERE in free(head.value):
            return ""
        value = partial(heads.text, head.value, "n")
        form = self.facts.linear(replace(head.value, var("j", "Int"), HERE), HERE)
        tokens = {} if form is None else {k: x for k, x in form.items() if x}
        if not tokens or not tokens.keys() <= {*self.facts.tokens} or min(tokens.values()) < 0:
            return ""
        counted = " + ".join(f"({show(written(x))})*sum({q}, 1, n, I[w({q}) = {k}])" for k, x in tokens.items())
        under = " + ".join(f"({show(written(x))})*I[w({q}) = {k}]" for k, x in tokens.items())
        below = ", ".join([*heads.below(head.value, q, q), *heads.letters(q)])
        return (
            f"before'{name}: all {q} in 2..n. {name}({q}) = {value(f'({q} - 1)')}\n"
            f"  given {q} (from' to')\n  qed by mean'{name}({q}), total'{name}({q}),"
            f" sum_delta({q}. {value(q)}; 1; {q} - 1; {q} - 1), from', to'\n"
            f"start'{name}: {name}(1) = 0 by {self.facts.label(name)}(1), some\n"
            f"moved'{name}: all k:Int. 1 <= k -> k <= n ->"
            f" sum({q}, 1, k, {name}({q})) = sum({q}, 1, k - 1, {value(q)})\n"
            f"  induct k (low' before')\n    - qed by start'{name}\n"
            f"    - given high'\n      last': {name}(k + 1) = {value('k')} by before'{name}(k + 1), low', high'\n"
            f"      qed by before', last', high', low'\n"
            f"same'{name}: all {q} in 1..n. {value(q)} = {under} by {below}\n"
            f"counts'{name}: sum({q}, 1, n, {value(q)}) = {counted}\n"
            f"  qed by sum_ext({q}. {value(q)}; {q}. {under}; 1; n)[same'{name}]\n"
            f"ends'{name}: 0 <= {value('n')} by same'{name}(n), some\n"
            f"sum'{name}: sum({q}, 1, n, {name}({q})) <= {counted}\n"
            f"  qed by moved'{name}(n), counts'{name}, ends'{name}, some\n"
        )


def _summands(t: Term) -> list[Term]:
    """The summands of a sum."""
    return [x for kid in t[2] for x in _summands(kid)] if t[0] == "+" else [t]


def prove(home: Citable, statement: Statement, seconds: float) -> Goal | Failed:
    """The goal of a statement with a proof by bounds of sums, found within `seconds`; or the reason why there is
    none."""
    missing = "the statement names no uniform head over all positions"
    texts = itertools.chain.from_iterable(
        MeanBounds(HeadFacts(facts)).texts() for facts in [Facts(statement)] if not facts.numbers
    )
    search = partial(proved_by, home, statement, texts, missing)
    return attempted(search, Until(seconds), because="no bounds of means: ")
