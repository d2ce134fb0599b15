"""Lines that are tried where the first levels of the automation prove nothing: closed forms of means, and cases.

They are read off the equations of a statement. Forms: a mean of what tokens and the sign of a position say is a
quotient of counts, and the counts of all tokens add up to the number of positions. Cases: a mean of what is never
negative is zero, or one of its terms is positive; a token stands somewhere, or its count is zero; a softmax whose
values vanish but at one place has the sign of the value there; a mean of signs is what it is at the first position, or
small; a number is a multiple of a divisor and a rest. Nothing is trusted: a line that does not follow is left out, and
the kernel judges what is left.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeVar

from symcook.proof import grammar
from symcook.proof.grammar import leading_names
from symcook.proof.inequalities import reify
from symcook.proof.normal import constant, nf
from symcook.proof.replay import Statement
from symcook.proof.search import automation
from symcook.proof.search.elaborate import Elaborator, StepGap
from symcook.proof.search.prooftext import BadProof, HintText, Place, TextLine
from symcook.proof.search.ranges import range_of
from symcook.proof.search.tactics import Goal
from symcook.proof.statements.citations import cited
from symcook.proof.statements.exactvalues import written
from symcook.proof.terms import TRUE, Term, flatten, free, instantiate, loose, replace, subterms, var

T = TypeVar("T")
HERE, THERE = var("i", "Int"), var("j", "Int")
ONE, SIGN = "one", "sign"
Multiples = dict[str | int, Fraction]
"""A sum of multiples: of 1, of (-1)^i, and by its number of I[w(i) = token]; or of their sums over a range."""

show = grammar.show
FACTS = automation.LEVELS[:3]


class Mean(NamedTuple):
    """f(i) = sum(j, low, high, value)/size, in i and j; `weight` is the factor of a softmax, whose sum is the size."""

    low: Term
    high: Term
    value: Term
    size: Term
    weight: Term | None = None


class CountedFact(NamedTuple):
    """What a term is at i: counts over the range of a mean divided by its size, and what the position itself says."""

    over: Multiples
    here: Multiples
    mean: Mean | None


class FactCase(NamedTuple):
    """Two cases: the labels of facts that one or both have, and the lines around those that go on in each."""

    labels: list[str]
    around: Callable[[str], str]


class Trying(Elaborator):
    """Leaves out the facts that do not follow."""

    def block(self, g: Goal, lines: Sequence[TextLine], place: Place) -> None:
        for line in lines:
            if line.kind in ("fact", "take"):
                with suppress(StepGap, BadProof):
                    self.line(g, line)
            else:
                self.line(g, line)
        if not g.closed:
            self.automatic(g, TextLine("qed", place=place), "what is left to show does not follow")

    def automatic(self, g: Goal, line: TextLine, what: str, hints: Sequence[HintText] | None = None) -> None:
        closes = line.kind == "qed" and not any(h.name == "stored0'" for h in line.hints)
        levels = automation.LEVELS if closes else FACTS[:2] if line.kind == "take" else FACTS
        self.search(g, line, what, hints, levels)

    def search(
        self,
        g: Goal,
        line: TextLine,
        what: str,
        hints: Sequence[HintText] | None,
        levels: Sequence[automation.Level],
    ) -> None:
        """The automation at some levels, by those of the hints that have a meaning."""
        self.levels = levels
        super().automatic(g, line, what, [h for h in (line.hints if hints is None else hints) if self.there(g, h)])

    def there(self, g: Goal, h: HintText) -> bool:
        """Whether a hint has a meaning: a fact that was left out has none."""
        with suppress(BadProof):
            return bool(self.hint(g, h))
        return False


class Parts(NamedTuple):
    """A statement about a model taken apart: its names, what it says of the word, the run and what is to be shown;
    `labels` are those of the premises in a proof text. Without an alphabet, or positions, there is no such premise."""

    names: list[str]
    labels: list[str]
    word: Term
    run: Term
    said: Term


def parts(statement: Statement) -> Parts:
    """The parts of a statement that `certify.claim` makes."""
    f, names, leading = statement.formula, list[str](), iter(leading_names(statement.expanded))
    while f[0] == "all":
        names.append(next(leading))
        f = instantiate(f[2][0], (var(names[-1], f[1]),))
    labels, word = list[str](), TRUE
    if "n" in names:
        labels, f = ["some"], f[2][1]
    if "w" in names:
        labels, (word, f) = [*labels, "word"], f[2]
    run, claimed = f[2]
    return Parts(names, [*labels, "(..)" if run[0] == "&" else "run"], word, run, claimed)


class Facts:
    """The lines for one statement, whose parts are called ``some``, ``word`` and NAME_is (``run`` where it is one)."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        names, labels, self.word, run, self.said = parts(statement)
        self.names, self.functions = set(names), [name for name in names if name not in ("n", "w")]
        self.equations: dict[str, Term] = {}
        self.products: dict[str, tuple[Term, Term]] = {}  # of f(i)*size = right, size and right
        self.low = self.high = ""
        self.ranges: dict[str, tuple[str, str]] = {}
        for part in flatten("&", run):
            if (position_range := range_of(part, HERE)) is not None:
                self.low, self.high, body = show(position_range.low), show(position_range.high), position_range.body
                first = flatten("&", body)[0]
                if first[0] == "=" and first[2][0][0] == "app" and first[2][0][2][1] == HERE:
                    name = first[2][0][2][0][1][0]
                    self.equations[name], self.ranges[name] = first[2][1], (self.low, self.high)
                elif first[0] == "=" and first[2][0][0] == "*" and is_at_here(first[2][0][2][0]):
                    (value, size), right = first[2][0][2], first[2][1]
                    self.products[value[2][0][1][0]] = (size, right)
        self.single = labels[-1] == "run"
        numbers = [x[2][0][1][0] for x in flatten("&", run) if x[0] == "=" and x[2][0][0] == "var"]
        self.numbers = ["run"] if self.single and numbers else [f"{name}_is" for name in numbers]
        self.tokens = sorted({x[2][1][1][0] for x in subterms(self.word) if is_token(x)})
        self.counted: list[str] = []
        self.given, self.whole = "", self.said
        position_range = range_of(self.said, HERE)
        if position_range is not None and (show(position_range.low), show(position_range.high)) == (
            self.low,
            self.high,
        ):
            self.given, self.said = "given i (low' high')\n", position_range.body
        self.premises: list[str] = []
        remaining = self.said
        while remaining[0] == "->":
            self.premises.append(f"if{len(self.premises)}'")
            self.given, remaining = f"{self.given}given {self.premises[-1]}\n", remaining[2][1]

    def fresh(self, stem: str) -> str:
        """A name that no coordinate has."""
        while stem in self.names:
            stem += "_"
        self.names.add(stem)
        return stem

    # --- What the equations say ------------------------------------------------------------------------------------

    def right(self, t: Term) -> Term | None:
        """The right side of the equation for f(t); None for another term."""
        if t[0] != "app" or len(t[2]) != 2 or t[2][0][1][0] not in self.equations:
            return None
        return replace(self.equations[t[2][0][1][0]], HERE, t[2][1])

    def mean(self, name: str) -> Mean | None:
        f = self.equations[name]
        if f[0] != "/" or f[2][0][0] != "sum":
            return None
        (low, high, body), size = f[2][0][2], f[2][1]
        value = instantiate(body, (THERE,))
        if size[0] != "sum":
            return Mean(low, high, value, size)
        weight = instantiate(size[2][2], (THERE,))
        if size[2][:2] == (low, high) and value[0] == "*" and value[2][0] == weight:
            return Mean(low, high, value[2][1], size, weight)
        return None

    def linear(self, t: Term, at: Term) -> Multiples | None:
        """What tokens and sign of the position `at` say; None where it is more."""
        tag, name, kids = t
        if (c := number_of(t)) is not None:
            return {ONE: c}
        if tag == "ind" and is_token(kids[0]) and kids[0][2][0][2][1] == at:
            return {kids[0][2][1][1][0]: Fraction(1)}
        if tag == "fn" and name == "pow" and number_of(kids[0]) == -1 and kids[1] == at:
            return {SIGN: Fraction(1)}
        if tag == "app" and kids[1] == at and (right := self.right(t)) is not None:
            return self.linear(right, at)
        return _combined(t, lambda part: self.linear(part, at), _added)

    def form(self, t: Term) -> CountedFact | None:
        """A term at i as counts; None where it is more."""
        local = self.linear(t, HERE)
        if local is not None:
            return CountedFact({}, local, None)
        if t[0] == "app" and t[2][1] == HERE and t[2][0][1][0] in self.equations:
            mean = self.mean(t[2][0][1][0])
            if mean is None:
                right = self.right(t)
                return None if right is None else self.form(right)
            over = None if mean.weight else self.linear(mean.value, THERE)
            if over is None or (SIGN in over and (show(mean.low), mean.high) != ("1", HERE)):
                return None
            return CountedFact({k: x for k, x in over.items() if k != ONE}, {ONE: over.get(ONE, Fraction(0))}, mean)

        def both(a: CountedFact, b: CountedFact, factor: Fraction) -> CountedFact | None:
            if a.mean and b.mean and (a.mean.low, a.mean.high, a.mean.size) != (b.mean.low, b.mean.high, b.mean.size):
                return None
            here, over = (_added(x, y, factor) for x, y in ((a.here, b.here), (a.over, b.over)))
            return CountedFact(over, here, a.mean or b.mean)

        return _combined(t, self.form, both)

    def used(self, t: Term) -> list[str]:
        """The labels of the equations that a term rests on, without those of means of means."""
        labels: dict[str, None] = {}
        todo = [t]
        while todo:
            for v in sorted(free(todo.pop()), key=lambda v: v[1][0]):
                if v[1][0] in self.equations and self.label(v[1][0]) not in labels:
                    labels[self.label(v[1][0])] = None
                    if f"form'{v[1][0]}" in self.forms:
                        labels[f"form'{v[1][0]}"] = None
                    else:
                        todo.append(self.equations[v[1][0]])
        return list(labels)

    def label(self, name: str) -> str:
        return "run" if self.single else f"{name}_is"

    def counts(self, over: Multiples, mean: Mean, size: Fraction | int = 0) -> str:
        """The numerator of a form at i; `size` times the size of the mean is added."""
        low, high = show(mean.low), show(mean.high)
        parts = [(x, f"sum(j, {low}, {high}, I[w(j) = {k}])") for k, x in over.items() if k != SIGN and x]
        parts += [(over[SIGN], "(pow(-1, i) - 1)/2")] if over.get(SIGN) else []
        parts += [(Fraction(size), show(mean.size))] if size else []
        return " + ".join(text if x == 1 else f"({show(written(x))})*({text})" for x, text in parts) or "0"

    # --- Lines -----------------------------------------------------------------------------------------------------

    @cached_property
    def forms(self) -> dict[str, str]:
        """By their labels, the lines that say what a mean is."""
        out: dict[str, str] = {}
        for name in self.equations:
            mean = self.mean(name)
            form = self.form(("app", None, (var(name, ("fun", ("Int",), "Real")), HERE)))
            if mean is None or form is None or not form.over:
                continue
            deps = [self.label(v[1][0]) for v in free(mean.value) if v[1][0] in self.equations]
            by = [self.label(name), *sorted(deps), *(["sign_sum"] if SIGN in form.over else [])]
            text = self.counts(form.over, mean, form.here.get(ONE, 0))
            label = f"form'{name}"
            out[label] = f"{label}: {self.every} {name}(i) = ({text})/{show(mean.size)} by {', '.join(by)}\n"
        return out

    @cached_property
    def constants(self) -> dict[str, str]:
        """By their labels, the lines that say which value a coordinate has at every letter; they rest on those of
        `letters`."""
        out: dict[str, str] = {}
        for name, right in self.equations.items():
            local = self.linear(right, HERE)
            values = {local.get(k, Fraction(0)) for k in self.tokens} if local and self.tokens else set[Fraction]()
            if local and local.keys() <= {ONE, *self.tokens} and len(values) == 1 and values != {0}:
                c, label = values.pop() + local.get(ONE, Fraction(0)), f"constant'{name}"
                out[label] = f"{label}: {self.every} {name}(i) = {show(written(c))} by {self.label(name)}, each'\n"
        return out

    @property
    def every(self) -> str:
        return f"all i in {self.low}..{self.high}."

    def letters(self) -> str:
        """The counts of all tokens up to a position, and in the word, are the number of positions; an added token is
        there once."""
        ends = [(show(x[2][0][2][1]), x[2][1][1][0]) for x in flatten("&", self.word) if is_token(x)]
        once = "".join(
            f"apart{k}': all j in {self.low}..{self.high}. j != {at} -> I[w(j) = {k}] = 0 by word\n"
            f"once{k}': sum(j, {self.low}, {self.high}, I[w(j) = {k}]) = 1"
            f" by sum_only(j. I[w(j) = {k}]; {self.low}; {self.high}; {at})[_, _, apart{k}'], word\n"
            for at, k in ends
        )
        added = [at for at, _ in ends]
        self.counted = ["all'", "upto'", *(f"once{k}'" for _, k in ends)]
        one_symbol = " + ".join(f"I[w(i) = {k}]" for k in self.tokens)

        def total(high: str) -> str:
            return " + ".join(f"sum(j, {self.low}, {high}, I[w(j) = {k}])" for k in self.tokens)

        def proof(high: str) -> str:
            of_j = one_symbol.replace("w(i)", "w(j)")
            return f"sum_ext(j. {of_j}; j. 1; {self.low}; {high})[each'], sum_one({self.low}; {high})"

        typed = " | ".join(f"w(i) = {k}" for k in self.tokens if k not in {k for _, k in ends})
        proof_of_each = textwrap.indent("\n".join(_at_each(added, typed)), "  ")
        each = f"each': {self.every} {one_symbol} = 1\n  given i (low high)\n{proof_of_each}"
        each_proof = f"{each}\nall': {total(self.high)} = n by {proof(self.high)}\n"
        so_far = "i" if self.low == "1" else "i + 1"
        return f"{once}{each_proof}upto': {self.every} {total('i')} = {so_far} by {proof('i')}\n"

    def _sum_of_tokens(self) -> str:
        """Of words of tokens 0 and 1 behind an added one: the sum of the tokens is the count of ones."""
        if self.low != "0" or self.tokens[:2] != [0, 1] or len(self.tokens) != 3:
            return ""
        bracket, span = "i. I[w(i) = 1]", f"1; {self.high}"
        total = f"sum(i, 0, {self.high}, I[w(i) = 1])"
        return (
            f"sum': sum(i, 1, {self.high}, w(i)) = {total}\n"
            f"  bits: all i in 1..{self.high}. w(i) = 0 | w(i) = 1 by word\n"
            f"  each: all i in 1..{self.high}. w(i) = I[w(i) = 1] by bits\n"
            f"  start: {total} = I[w(0) = 1] + sum(i, 1, {self.high}, I[w(i) = 1])"
            f" by sum_split({bracket}; 0; 0; {self.high})\n"
            f"  qed by sum_ext(w; {bracket}; {span})[each], start, word\n"
        )

    def places(self) -> list[tuple[str, str]]:
        """Which functions are asked for at which places by what is to be shown, the word too."""
        return places_in(self.said)

    def stored(self) -> Iterator[str]:
        """Lines that cite what is proved of a stored model with this very run."""
        known = [] if self.numbers else [*cited(self.statement, list(self.names))]
        if known:
            begun = (
                "".join(f"take stored{k}' from {citation}\n" for k, citation in enumerate(known))
                + self._sum_of_tokens()
            )
            labels = ["sum'", *self.premises, *(f"stored{k}'" for k in range(len(known)))]
            yield f"{self.given}{begun}qed by {', '.join(labels)}\n"

    def alike(self) -> Iterator[str]:
        """That coordinates with one equation, as those of two models may have, are equal, one after the other."""
        named: dict[tuple[Term, tuple[str, str]], str] = {}  # by what the equation is with the first of equal names
        first: dict[str, str] = {}
        lines = ""
        for name, right in self.equations.items():
            used = [v for v in sorted(free(right)) if v[1][0] in first]
            renamed = right
            for v in used:
                renamed = replace(renamed, v, var(first[v[1][0]], v[1][1]))
            other = named.setdefault((renamed, self.ranges[name]), name)
            if other != name:
                first[name] = other
                low, high = self.ranges[name]
                same = (f"same'{v[1][0]}" for v in used)
                hints = dict.fromkeys([self.label(name), self.label(other), *same, "sum_ext"])
                lines += f"same'{name}: all i in {low}..{high}. {name}(i) = {other}(i) by {', '.join(hints)}\n"
        asked = [f"same'{name}({place})" for name, place in self.places() if name in first]
        if asked:
            yield f"{lines}{self.given}qed by {', '.join([*asked, *self.premises])}\n"

    def texts(self) -> Iterator[str]:
        """What may prove the statement, as lines below its heading, in the order in which it is tried."""
        if self.numbers:  # a model without positions
            yield f"qed by {', '.join(self.numbers)}\n"
            return
        begin = "".join(self.forms.values())
        asked = [(f"{kind}'{name}", place) for name, place in self.places() for kind in ("form", "constant")]
        hints = [f"{label}({place})" for label, place in asked if label in self.forms | self.constants]
        if self.tokens:
            begin += self.letters() + "".join(self.constants.values())
        cases = [*self._cases()]
        hints += [label for case in cases for label in case.labels] + self.premises
        near = [
            x
            for name, _ in self.places()
            if name in self.equations
            for x in (self.label(name), *self.used(self.equations[name]))
        ]
        if (first := self._near_the_first()) is not None:
            yield begin + first
        for more in ([], [*near, *self.counted]):
            text = f"qed by {', '.join(dict.fromkeys([*hints, *more]))}\n".replace("qed by \n", "qed\n")
            for case in reversed(cases):
                text = case.around(text)
            yield begin + self.given + text
        yield from (begin + text for text in self._next_integer([*hints, *near, *self.counted]))

    def _next_integer(self, hints: list[str]) -> Iterator[str]:
        """With each count that is at least a number said to be greater than the one before."""
        orders = [x for x in dict.fromkeys(subterms(self.said)) if x[0] == "<=" and not loose(x) and _counts(x)]
        if not orders or self.given:
            return
        neighbour_claim, labels, lines = self.said, list[str](), ""
        for k, order in enumerate(orders):
            other: Term = ("<", None, (("-", None, (order[2][0], ("num", (1, 1), ()))), order[2][1]))
            neighbour_claim = replace(neighbour_claim, order, other)
            labels.append(f"integer{k}'")
            lines += f"{labels[-1]}: {show(order)} <-> {show(other)}\n"
        by = ", ".join(dict.fromkeys(hints))
        yield f"neighbour': {show(neighbour_claim)}{by and ' by '}{by}\n{lines}qed by neighbour', {', '.join(labels)}\n"

    def _cases(self) -> Iterator[FactCase]:
        for name, place in self.places():
            mean = self.mean(name) if name in self.equations else None
            if mean is not None and mean.weight is not None:
                yield from self._peaked(name, place, mean)
            elif mean is not None and f"form'{name}" not in self.forms:
                yield self._of_nonneg(name, place, mean)
        for token in sorted(_quantified(self.said, False)):
            yield self._somewhere(token)
        divided = [x for f in subterms(self.said) if f[:2] == ("ex", "Int") and (x := _divided(f[2][0])) is not None]
        for k, (of, divisor) in enumerate(dict.fromkeys(divided)):
            yield self._remainder(of, divisor, f"{k}''")

    def _of_nonneg(self, name: str, place: str, mean: Mean) -> FactCase:
        """A mean of what is never negative, at a place: zero with all its terms, or positive with one of them."""
        value, at, p = show(replace(mean.value, THERE, HERE)), self.place(place), self.fresh("p")
        low, high, size = show(mean.low), show(replace(mean.high, HERE, at)), show(replace(mean.size, HERE, at))
        there, total = f"ex i in {low}..{high}. 0 < {value}", f"sum(i, {low}, {high}, {value})"
        by = ", ".join([*self.used(mean.value), *self.premises])
        inside = self._unfolded(replace(mean.value, THERE, HERE))
        form = self.form(inside[2][0]) if inside[:2] == ("fn", "relu") else None
        least = above = below = ""
        if form is not None and form.mean is not None and set(form.here) <= {ONE}:
            x = self.counts(form.over, form.mean, form.here.get(ONE, 0))
            least = f"least': {self.every} ({x})/{show(form.mean.size)} <= {value} by {by}\n"
            above = f"above': 0 < {self._moved(x, p)} by {by}, at'\n"
            below = f"below': all i in {low}..{high}. {x} <= 0 by least', none'\n"
        begin = (
            f"never': {self.every} 0 <= {value}{by and ' by '}{by}\n{least}"
            f"whole': {name}({place}) = {total}/({size}) by {self.label(name)}\n"
        )
        yes = (
            f"obtain {p} (low'' high'' at') from there'\n"
            f"member': {self._moved(value, p)} <= {total} by sum_member(i. {value}; {low}; {high}; {p}), never'\n"
            f"{above}value': 0 < {name}({place}) by whole', member', at'\n"
        )
        no = (
            f"none': all i in {low}..{high}. {value} = 0\n  given i inside\n  small: {value} <= 0\n"
            f"    suppose more: 0 < {value}\n    yes: {there} by more\n    qed by yes, nowhere'\n"
            f"  qed by small, never'\n"
            f"nothing': {total} = 0 by sum_ext(i. {value}; i. 0; {low}; {high})[none']\n"
            f"value': {name}({place}) = 0 by whole', nothing'\n{below}"
        )
        spots = " ".join(f"below'({spot.replace(' ', '')})" for _, spot in self.places())
        return self._either(
            begin, f"there', nowhere': {there}", (yes, no), f"value' low'' high'' above' below' {spots}"
        )

    def _somewhere(self, token: int) -> FactCase:
        """A token stands somewhere, or its count is zero."""
        p, t = self.fresh("p"), f"{token}'"
        there, one, span = (
            f"ex i in {self.low}..{self.high}. w(i) = {token}",
            f"I[w(i) = {token}]",
            f"{self.low}; {self.high}",
        )
        total = f"sum(i, {self.low}, {self.high}, {one})"
        yes = (
            f"obtain {p} (low{t} high{t} at{t}) from there{t}\n"
            f"count{t}: 1 <= {total} by sum_member(i. {one}; {span}; {p}), at{t}\n"
        )
        no = (
            f"each{t}: {self.every} {one} = 0\n  given i inside\n  suppose bad: ~({one} = 0)\n"
            f"  yes: {there} by bad\n  qed by yes, nowhere{t}\n"
            f"count{t}: {total} = 0 by sum_ext(i. {one}; i. 0; {span})[each{t}]\n"
        )
        return self._either("", f"there{t}, nowhere{t}: {there}", (yes, no), f"count{t} there{t} nowhere{t}")

    def _remainder(self, of: str, divisor: int, t: str) -> FactCase:
        """A number is so many times the divisor, and a rest, which no other multiple leaves."""
        q = self.fresh("q")
        rests = [f"{of} = {divisor}*{q}" + (f" + {r}" if r else "") for r in range(divisor)]
        begin = (
            f"obtain {q} (low{t} high{t}) from remainder({divisor}; {of})\n"
            f"only{t}: all k:Int. 0 <= {of} - {divisor}*k -> {of} - {divisor}*k < {divisor} -> k = {q}\n"
            f"  given k least most\n  below: k <= {q}\n    suppose more: {q} < k\n    qed by more, least, high{t}\n"
            f"  above: {q} <= k\n    suppose less: k < {q}\n    qed by less, most, low{t}\n  qed by below, above\n"
            f"least{t}: 0 <= {q}\n  suppose less: {q} < 0\n  whole: {q} + 1 <= 0 by less\n  qed by whole, high{t}\n"
            f"rests{t}: {' | '.join(rests)} by low{t}, high{t}\n"
        )
        labels = [f"rest{t}{r}" for r in range(divisor)]

        def around(rest: str) -> str:
            return f"{begin}cases {', '.join(labels)} from rests{t}\n" + _bullet(rest) * divisor

        counts = [f"sum(j, {self.low}, {self.high}, I[w(j) = {k}])" for k in self.tokens[:3]]
        alone = [f"only{t}", *(f"only{t}({x})" for x in counts), f"least{t}"]
        return FactCase([*labels, *alone, *self.counted[:1]], around)

    def _peaked(self, name: str, place: str, mean: Mean) -> Iterator[FactCase]:
        """A softmax whose values vanish but at one place, which an equation names, has the sign of the value there."""
        at = self.place(place)
        low, high = show(mean.low), show(replace(mean.high, HERE, at))
        weight, value = show(replace(mean.weight or HERE, HERE, at)), show(mean.value)
        by = [x for x in self.used(mean.value) if not x.startswith("form'")]
        points = {
            x[2][1][1][0]
            for k in by
            for x in subterms(self._named(k))
            if x[0] == "=" and x[2][0] == HERE and number_of(x[2][1])
        }
        for point in sorted(points)[:1]:
            there = [f"({part.replace('(j)', f'({point})')})" for part in (weight, value)]
            facts = ", ".join(f"{label}({point})" for label in by)
            over, size = f"sum(j, {low}, {high}, ({weight})*({value}))", f"sum(j, {low}, {high}, {weight})"
            begin = (
                f"vanish': all j in {low}..{high}. j != {point} -> {value} = 0 by {', '.join(by)}\n"
                f"gone': all j in {low}..{high}. j != {point} -> ({weight})*({value}) = 0 by vanish'\n"
                f"soft': {name}({place}) = {over}/{size} by {self.label(name)}({place})\n"
                f"total': 0 < {size} by sum_positive(j. {weight}; {low}; {high}), exp_pos\n"
            )
            cases = " | ".join(f"w({point}) = {k}" for k in self.tokens)
            values = "".join(
                f"value{k}': w({point}) = {k} -> {there[1]} = {show(written(c))} by {facts}\n"
                for k in self.tokens
                if (c := self._at(mean.value, point, k)) is not None
            )
            s = f"{name}({place})"
            signs = "".join(
                f"{label}': {x} -> {y}\n  given so\n  over: {z} by so, one'\n  qed by soft', only', over, total'\n"
                for label, x, y, z in (
                    ("up", f"0 < {there[1]}", f"0 < {s}", f"0 < {there[0]}*{there[1]}"),
                    ("down", f"{there[1]} < 0", f"{s} < 0", f"{there[0]}*{there[1]} < 0"),
                    ("level", f"{there[1]} = 0", f"{s} = 0", f"{there[0]}*{there[1]} = 0"),
                )
            )
            long = (
                f"only': {over} = {there[0]}*{there[1]}"
                f" by sum_only(j. ({weight})*({value}); {low}; {high}; {point})[_, _, gone']\n"
                f"one': 0 < {there[0]} by exp_pos\n{signs}"
                f"letter': {cases} by word\n{values}"
            )
            short = (
                f"none': all j in {low}..{high}. ({weight})*({value}) = 0 by gone', short'\n"
                f"only': {over} = 0 by sum_ext(j. ({weight})*({value}); j. 0; {low}; {high})[none']\n"
                f"sign': {name}({place}) = 0 by soft', only'\n"
            )
            labels = [
                "sign'",
                "up'",
                "down'",
                "level'",
                "long'",
                "short'",
                *(f"value{k}'" for k in self.tokens),
                "letter'",
            ]
            yield self._either(begin, f"long', short': {point} <= {high}", (long, short), " ".join(labels))

    def _near_the_first(self) -> str | None:
        """For what is said of every position, by means of signs: their values at the first, and that later ones are
        small."""
        lines, hints = "", list[str]()
        for name in self.equations:
            form = self.form(("app", None, (var(name, ("fun", ("Int",), "Real")), HERE)))
            if f"form'{name}" not in self.forms or form is None or form.over.keys() != {SIGN}:
                continue
            a, b = form.over[SIGN] / 2, -form.over[SIGN] / 2
            c = form.here.get(ONE, Fraction(0))
            low, high = (f(c + x for x in (Fraction(0), (a + b) / 2, (b - a) / 3)) for f in (min, max))
            least, most = show(written(low)), show(written(high))
            lines += (
                f"first'{name}: {name}(1) = {show(written(c + b - a))} by form'{name}(1)\n"
                f"later'{name}: all j in 2..n. {least} <= {name}(j) & {name}(j) <= {most}\n  given j (jl jh)\n"
                f"  cases even, odd from sign(j)\n    - qed by form'{name}(j), even\n"
                f"    - cases small: j <= 2 by odd, form'{name}(j)\n"
            )
            hints += [f"first'{name}", f"later'{name}"]
        if not lines or not self.given:
            return None
        by = [self.label(name) for name in self.equations if f"form'{name}" not in self.forms]
        return f"{lines}{self.given}cases at': i = 1 by {', '.join([*by, *hints])}\n"

    # --- Small things ----------------------------------------------------------------------------------------------

    def _either(self, begin: str, cases: str, sides: tuple[str, str], labels: str) -> FactCase:
        def around(rest: str) -> str:
            return f"{begin}cases {cases}\n" + "".join(_bullet(side + rest) for side in sides)

        return FactCase(labels.split(), around)

    def place(self, text: str) -> Term:
        return grammar.read_value(text, "Int", {"n": "Int", "i": "Int"}, {})

    def _moved(self, text: str, name: str) -> str:
        """The text of a term in i for another name."""
        scope = {"n": "Int", "i": "Int", "w": ("fun", ("Int",), "Int")}
        scope |= dict.fromkeys(self.functions, ("fun", ("Int",), "Real"))
        return f"({show(replace(grammar.read_value(text, 'Real', scope, {}), HERE, var(name, 'Int')))})"

    def _named(self, label: str) -> Term:
        return self.equations[next(name for name in self.equations if self.label(name) == label)]

    def _unfolded(self, t: Term) -> Term:
        while (right := self.right(t)) is not None:
            t = right
        return t

    def _at(self, t: Term, point: int, token: int) -> Fraction | None:
        """The value of a term in j at a position with a token, where equations give it; None where they do not."""
        tag, name, kids = t
        if (c := number_of(t)) is not None:
            return c
        if t == THERE:
            return Fraction(point)
        if (right := self.right(t)) is not None:
            return self._at(right, point, token)
        if tag == "ind" and is_token(kids[0]):
            return Fraction(kids[0][2][1][1][0] == token)
        if tag == "ind" and kids[0][0] == "=":
            sides = [self._at(k, point, token) for k in kids[0][2]]
            return None if None in sides else Fraction(sides[0] == sides[1])
        if tag == "fn" and name == "relu":
            inside = self._at(kids[0], point, token)
            return None if inside is None else max(inside, Fraction(0))
        return _combined(t, lambda part: self._at(part, point, token), lambda a, b, factor: a + factor * b)


def places_in(t: Term) -> list[tuple[str, str]]:
    """Which functions are asked for at which places by a formula."""
    places = [(x[2][0][1][0], show(x[2][1])) for x in subterms(t) if x[0] == "app" and not loose(x[2][1])]
    return list(dict.fromkeys(places))


def is_at_here(t: Term) -> bool:
    """Whether a term is f(i)."""
    return t[0] == "app" and len(t[2]) == 2 and t[2][0][0] == "var" and t[2][1] == HERE


def number_of(t: Term) -> Fraction | None:
    """The number that a term without names is; None for another term."""
    known = None if free(t) or any(x[0] in ("sum", "prod", "bound") for x in subterms(t)) else constant(nf(t))
    return None if known is None else Fraction(known)


def _added(a: Multiples, b: Multiples, factor: Fraction) -> Multiples:
    return {k: a.get(k, Fraction(0)) + factor * b.get(k, Fraction(0)) for k in {*a, *b}}


def _combined(t: Term, each: Callable[[Term], T | None], added: Callable[[T, T, Fraction], T | None]) -> T | None:
    """A sum, difference or multiple from its parts; None where one of them has no value, and for another term."""
    tag, _, kids = t
    if tag in ("+", "-"):
        a, b = each(kids[0]), each(kids[1])
        return None if a is None or b is None else added(a, b, Fraction(1 if tag == "+" else -1))
    factor, part = Fraction(-1), kids[0] if kids else t
    if tag in ("*", "/"):
        known = [number_of(k) for k in kids]
        if known[1] is None:
            if tag == "/" or known[0] is None:
                return None
            factor, part = known[0], kids[1]
        else:
            factor = known[1] if tag == "*" else 1 / known[1] if known[1] else Fraction(0)
    elif tag != "neg":
        return None
    unit_value = each(part)
    return None if unit_value is None else added(unit_value, unit_value, factor - 1)


def _bullet(lines: str) -> str:
    """Lines as one case."""
    return "  - " + textwrap.indent(lines, "    ")[4:]


def _quantified(t: Term, under: bool) -> set[int]:
    """The tokens of which a formula says that they stand somewhere, or everywhere, sums left out."""
    if is_token(t):
        return {t[2][1][1][0]} if under and t[2][0][2][1][0] == "bound" else set()
    if t[0] in ("sum", "prod"):
        return set()
    return set().union(*(_quantified(k, under or t[0] in ("ex", "all")) for k in t[2]))


def _counts(order: Term) -> bool:
    """Whether two numbers that are compared are counts of tokens, lengths and integers, the second with a count."""
    w, n = var("w", ("fun", ("Int",), "Int")), var("n", "Int")
    parts = {x[0] for x in subterms(order)} | {"/" for x in subterms(order) if x[0] == "num" and x[1][1] != 1}
    return w in free(order[2][1]) and free(order) <= {w, n} and not parts & {"/", "fn"}


MOST_RESTS = 6
"""Up to this divisor there is a case for each rest."""


def _divided(body: Term) -> tuple[str, int] | None:
    """What is divided and by what, where a formula says of k that it is the quotient: a = m*k + r, or 0 <= a - m*k."""
    first = flatten("&", body)[0]
    if first[0] not in ("=", "<="):
        return None
    k = var("k", "Int")
    dividend, quotient = (instantiate(x, (k,)) for x in first[2])
    difference = nf(("-", None, (dividend, quotient)) if first[0] == "=" else quotient)
    at = [nf(replace(reify.term(difference), k, ("num", (c, 1), ()))) for c in (0, 1)]
    slope = constant(nf(("-", None, (reify.term(at[0]), reify.term(at[1])))))
    if slope is None or not 2 <= slope <= MOST_RESTS or slope.denominator != 1:
        return None
    of = dividend if first[0] == "=" and k not in free(dividend) else reify.term(at[0])
    return None if loose(of) or free(of) & {HERE} else (show(of), int(slope))


def is_token(t: Term) -> bool:
    """Whether a formula is w(..) = NUMBER."""
    if t[0] != "=" or t[2][0][0] != "app" or t[2][1][0] != "num":
        return False
    head = t[2][0][2][0]
    return head[0] == "var" and head[1][0] == "w"


def _at_each(places: list[str], typed: str, known: str = "") -> list[str]:
    """A proof for a position i by the word: at each of the places of added tokens, and elsewhere."""
    if not places:
        return [f"letter': {typed} by word{known}", "qed by letter'"]
    k = len(places)
    here, *others = _at_each(places[1:], typed, f"{known}, not{k}")
    cases = [f"cases at{k}, not{k}: i = {places[0]}", f"  - qed by word, at{k}", f"  - {here}"]
    return [*cases, *(f"    {line}" for line in others)]
