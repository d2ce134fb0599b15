"""Lines of proofs that are tried if the first levels of the automation prove nothing: closed forms of means, and cases.

`Facts` reads the equations of a statement about a model, and `Facts.texts` returns proof texts to try.

- Forms: a mean of indicators of tokens and signs (-1)^j is a quotient of counts, and the counts of all tokens add up to
  the number of positions.
- Cases: a mean of values that are never negative is 0, or one of the values is positive; a token is at some position,
  or its count is 0; a softmax mean whose values are 0 at all positions but one has the sign of the value at that
  position; a mean of signs has its value at the first position, or is small; an integer is a multiple of a divisor plus
  a remainder.

The texts are untrusted: a line that does not follow is left out, and the kernel checks the rest. Labels in these texts,
but for those within a block, end with an apostrophe or have one after their kind (form'NAME, rest0''1), so that no
coordinate has the name of a label.
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
"""The position that a coordinate is computed at, and a position that its mean runs over."""
ONE, SIGN = "one", "sign"
"""The keys of the constant and of (-1)^i in `Multiples`."""
Multiples = dict[str | int, Fraction]
"""A linear form, by its coefficients: of 1 (key `ONE`), of (-1)^i (key `SIGN`), and of I[w(i) = k] for the token with
the number k (key k). In some places it has sums over a range of positions instead of these values at one position."""

show = grammar.show
FACTS = automation.LEVELS[:3]
"""The levels of the automation for a single line: fewer than for the last step of a proof."""


class Mean(NamedTuple):
    """A mean f(i) = sum(j, low, high, value)/size, as terms in i and j. For a softmax the summand is weight*value, and
    `size` is the sum of the weights."""

    low: Term
    high: Term
    value: Term
    size: Term
    weight: Term | None = None


class CountedFact(NamedTuple):
    """A term in i, written as a sum. The first summand is the linear form `over`, summed over the range of `mean` and
    divided by its size; the second is the linear form `here` at i itself. If `mean` is None, `over` is empty. If `over`
    is empty, there may be a mean: that of a constant."""

    over: Multiples
    here: Multiples
    mean: Mean | None


class FactCase(NamedTuple):
    """A case distinction: `labels`, hints for the facts that its cases state, and `around`, which returns the lines of
    the distinction, with the lines of its argument at the end of each case. A case may lack some of these facts: the
    hints for them are then left out."""

    labels: list[str]
    around: Callable[[str], str]


class Trying(Elaborator):
    """An elaborator that leaves out the facts of a proof text that do not follow."""

    def block(self, g: Goal, lines: Sequence[TextLine], place: Place) -> None:
        """Close the goal by `lines` without the facts among them that fail, and then by the automation."""
        for line in lines:
            if line.kind in ("fact", "take"):  # a fact may be left out; a case distinction may not
                with suppress(StepGap, BadProof):
                    self.line(g, line)
            else:
                self.line(g, line)
        if not g.closed:
            self.automatic(g, TextLine("qed", place=place), "the remaining goal does not follow")

    def automatic(self, g: Goal, line: TextLine, what: str, hints: Sequence[HintText] | None = None) -> None:
        # All levels only for a line `qed`. If it cites a stored theorem, more search would not help.
        if line.kind == "qed" and not any(h.name == "stored0'" for h in line.hints):
            levels = automation.LEVELS
        else:
            levels = FACTS[:2] if line.kind == "take" else FACTS
        self.search(g, line, what, hints, levels)

    def search(
        self,
        g: Goal,
        line: TextLine,
        what: str,
        hints: Sequence[HintText] | None,
        levels: Sequence[automation.Level],
    ) -> None:
        """Run the automation at these levels, with the hints that can be read in this goal (see `there`). Sets
        `levels`."""
        self.levels = levels
        super().automatic(g, line, what, [h for h in (line.hints if hints is None else hints) if self.there(g, h)])

    def there(self, g: Goal, h: HintText) -> bool:
        """Whether a hint can be read: it is a term, or cites a fact of the goal or of the library. A fact that was left
        out cannot be cited."""
        with suppress(BadProof):
            return bool(self.hint(g, h))
        return False


class Parts(NamedTuple):
    """A statement about a model, taken apart."""

    names: list[str]
    """The leading names."""
    labels: list[str]
    """The labels of the premises in a proof text: ``some`` (1 <= n, with the conditions on changed positions and on
    symbols) for a model with positions, ``word`` for a model that reads strings, and for the run ``(..)`` if it has
    several equations, ``run`` if it has one."""
    word: Term
    """The premise about the string; true if there is none."""
    run: Term
    """The premise with the equations of the run."""
    said: Term
    """The conclusion, which is to be shown."""


def parts(statement: Statement) -> Parts:
    """The parts of a statement that `certify.claim` makes. For a model without positions, the model must have no
    symbols with bounds: the premise with the bounds would be taken for the run."""
    f, names, leading = statement.formula, list[str](), iter(leading_names(statement.expanded))
    while f[0] == "all":
        names.append(next(leading))
        f = instantiate(f[2][0], (var(names[-1], f[1]),))
    labels, word = list[str](), TRUE
    if "n" in names:  # 1 <= n -> ..
        labels, f = ["some"], f[2][1]
    if "w" in names:  # word -> ..
        labels, (word, f) = [*labels, "word"], f[2]
    run, claimed = f[2]
    return Parts(names, [*labels, "(..)" if run[0] == "&" else "run"], word, run, claimed)


class Facts:
    """The equations of one statement, and the lines of proofs for it. The premises have the labels ``some``, ``word``
    and NAME_is, one for each equation of the run; ``run`` if there is only one equation."""

    def __init__(self, statement: Statement) -> None:
        self.statement = statement
        names, labels, self.word, run, self.said = parts(statement)
        self.names, self.functions = set(names), [name for name in names if name not in ("n", "w")]
        self.single = labels[-1] == "run"
        self._read_run(run)
        self.tokens = sorted({x[2][1][1][0] for x in subterms(self.word) if is_token(x)})
        self.counted: list[str] = []  # labels of facts about counts that `letters` writes
        self._read_conclusion()

    def _read_run(self, run: Term) -> None:
        """Set the attributes that describe the equations of the run."""
        self.equations: dict[str, Term] = {}  # for each equation f(i) = right: right, by f
        self.products: dict[str, tuple[Term, Term]] = {}  # for each equation f(i)*size = right: size and right, by f
        self.low = self.high = ""  # the first and the last position, as text
        self.ranges: dict[str, tuple[str, str]] = {}  # by f: the first and the last position of its equation
        self.parts: dict[str, str] = {}  # by f: the label of an equation that has a condition beside it
        for number, part in enumerate(flatten("&", run)):
            if (position_range := range_of(part, HERE)) is not None:
                self.low, self.high, body = show(position_range.low), show(position_range.high), position_range.body
                first = flatten("&", body)[0]
                if first[0] == "=" and first[2][0][0] == "app" and first[2][0][2][1] == HERE:
                    name = first[2][0][2][0][1][0]
                    self.equations[name], self.ranges[name] = first[2][1], (self.low, self.high)
                elif first[0] == "=" and first[2][0][0] == "*" and is_at_here(first[2][0][2][0]):
                    (value, size), right = first[2][0][2], first[2][1]
                    name = value[2][0][1][0]
                    self.products[name] = (size, right)
                    if position_range.body[0] == "&" and not self.single:
                        self.parts[name] = f"part{number + 1}"
        # A model without positions has equations between numbers; these are their labels.
        numbers = [x[2][0][1][0] for x in flatten("&", run) if x[0] == "=" and x[2][0][0] == "var"]
        self.numbers = ["run"] if self.single and numbers else [f"{name}_is" for name in numbers]

    def _read_conclusion(self) -> None:
        """Set the attributes that describe the conclusion. `whole` is all of it, and `said` is its formula for one
        position i, if it is about every position. `given` are the lines that introduce i and the hypotheses of the
        conclusion, and `premises` the labels of these hypotheses."""
        self.given, self.whole = "", self.said
        positions = range_of(self.said, HERE)
        if positions is not None and (show(positions.low), show(positions.high)) == (self.low, self.high):
            self.given, self.said = "given i (low' high')\n", positions.body
        self.premises: list[str] = []
        remaining = self.said
        while remaining[0] == "->":
            self.premises.append(f"if{len(self.premises)}'")
            self.given, remaining = f"{self.given}given {self.premises[-1]}\n", remaining[2][1]

    def fresh(self, stem: str) -> str:
        """A name that no coordinate has and that no earlier call has returned: `stem`, with underscores if needed."""
        while stem in self.names:
            stem += "_"
        self.names.add(stem)
        return stem

    # --- Closed forms from the equations ---------------------------------------------------------------------------

    def right(self, t: Term) -> Term | None:
        """The right side of the equation for f(t); None for another term."""
        if t[0] != "app" or len(t[2]) != 2 or t[2][0][1][0] not in self.equations:
            return None
        return replace(self.equations[t[2][0][1][0]], HERE, t[2][1])

    def mean(self, name: str) -> Mean | None:
        """The mean that the equation of a coordinate states; None for another equation."""
        f = self.equations[name]
        if f[0] != "/" or f[2][0][0] != "sum":
            return None
        (low, high, body), size = f[2][0][2], f[2][1]
        value = instantiate(body, (THERE,))
        if size[0] != "sum":
            return Mean(low, high, value, size)
        # A softmax: sum(weight*value)/sum(weight), over one range.
        weight = instantiate(size[2][2], (THERE,))
        if size[2][:2] == (low, high) and value[0] == "*" and value[2][0] == weight:
            return Mean(low, high, value[2][1], size, weight)
        return None

    def linear(self, t: Term, at: Term) -> Multiples | None:
        """The term `t` as a linear form in 1, (-1)^at and the indicators of the token at the position `at`; None if it
        is not one."""
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
        """The term `t` in i as counts divided by the size of one mean, plus a linear form at i; None if it is not of
        this kind."""
        local = self.linear(t, HERE)
        if local is not None:
            return CountedFact({}, local, None)
        if t[0] == "app" and t[2][1] == HERE and t[2][0][1][0] in self.equations:
            mean = self.mean(t[2][0][1][0])
            if mean is None:
                right = self.right(t)
                return None if right is None else self.form(right)
            over = None if mean.weight else self.linear(mean.value, THERE)
            # A sum of signs has a closed form from position 1 on only: (pow(-1, i) - 1)/2.
            if over is None or (SIGN in over and (show(mean.low), mean.high) != ("1", HERE)):
                return None
            # The mean of a constant is the constant, if the size is the number of positions in the range.
            return CountedFact({k: x for k, x in over.items() if k != ONE}, {ONE: over.get(ONE, Fraction(0))}, mean)

        def both(a: CountedFact, b: CountedFact, factor: Fraction) -> CountedFact | None:
            """a + factor*b; None if a and b have means over different ranges or of different sizes."""
            if a.mean and b.mean and (a.mean.low, a.mean.high, a.mean.size) != (b.mean.low, b.mean.high, b.mean.size):
                return None
            here = _added(a.here, b.here, factor)
            over = _added(a.over, b.over, factor)
            return CountedFact(over, here, a.mean or b.mean)

        return _combined(t, self.form, both)

    def used(self, t: Term) -> list[str]:
        """The labels of the equations that a term depends on, directly or through other equations. A mean with a closed
        form is cited by that form as well, and the equations that it depends on are left out."""
        labels: dict[str, None] = {}
        todo = [t]
        while todo:
            for name in sorted(v[1][0] for v in free(todo.pop())):
                if name in self.equations and self.label(name) not in labels:
                    labels[self.label(name)] = None
                    if f"form'{name}" in self.forms:
                        labels[f"form'{name}"] = None
                    else:
                        todo.append(self.equations[name])
        return list(labels)

    def label(self, name: str) -> str:
        """The label of the equation of a coordinate."""
        return "run" if self.single else self.parts.get(name, f"{name}_is")

    def counts(self, over: Multiples, mean: Mean, size: Fraction | int = 0) -> str:
        """The sum of the linear form `over`, which has no constant, over the range of `mean`, plus `size` times the
        size of the mean, as text. If `over` has signs, the range must be 1..i."""
        low, high = show(mean.low), show(mean.high)
        parts = [(x, f"sum(j, {low}, {high}, I[w(j) = {k}])") for k, x in over.items() if k != SIGN and x]
        parts += [(over[SIGN], "(pow(-1, i) - 1)/2")] if over.get(SIGN) else []
        parts += [(Fraction(size), show(mean.size))] if size else []
        return " + ".join(text if x == 1 else f"({show(written(x))})*({text})" for x, text in parts) or "0"

    # --- Lines -----------------------------------------------------------------------------------------------------

    @cached_property
    def forms(self) -> dict[str, str]:
        """By label: the lines that state the closed forms of means."""
        out: dict[str, str] = {}
        for name in self.equations:
            mean = self.mean(name)
            form = self.form(("app", None, (var(name, ("fun", ("Int",), "Real")), HERE)))
            if mean is None or form is None or not form.over:
                continue
            deps = [self.label(v[1][0]) for v in free(mean.value) if v[1][0] in self.equations]
            hints = [self.label(name), *sorted(deps), *(["sign_sum"] if SIGN in form.over else [])]
            text = self.counts(form.over, mean, form.here.get(ONE, 0))
            label = f"form'{name}"
            out[label] = f"{label}: {self.every} {name}(i) = ({text})/{show(mean.size)} by {', '.join(hints)}\n"
        return out

    @cached_property
    def constants(self) -> dict[str, str]:
        """By label: the lines for coordinates that have the same value for every token. They need the lines of
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
        """The quantifier over all positions, as text."""
        return f"all i in {self.low}..{self.high}."

    def letters(self) -> str:
        """The lines about counts of tokens. ``all'`` states that the counts of all tokens in the string add up to its
        length, and ``upto'`` the same up to a position; onceK' states that an added token K occurs once. Sets
        `counted`, so that it must be called before `_cases`."""
        # The position and the number of each added token. `apart` and `once` state that it is at no other position.
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
            """The sum of the counts of all tokens up to the position `high`."""
            return " + ".join(f"sum(j, {self.low}, {high}, I[w(j) = {k}])" for k in self.tokens)

        def proof(high: str) -> str:
            """The hints that prove that `total(high)` is the number of positions."""
            of_j = one_symbol.replace("w(i)", "w(j)")
            return f"sum_ext(j. {of_j}; j. 1; {self.low}; {high})[each'], sum_one({self.low}; {high})"

        # At each position the indicators of all tokens add up to 1; summed over positions this gives both counts.
        typed = " | ".join(f"w(i) = {k}" for k in self.tokens if k not in {k for _, k in ends})
        proof_of_each = textwrap.indent("\n".join(_at_each(added, typed)), "  ")
        each = f"each': {self.every} {one_symbol} = 1\n  given i (low high)\n{proof_of_each}"
        each_proof = f"{each}\nall': {total(self.high)} = n by {proof(self.high)}\n"
        so_far = "i" if self.low == "1" else "i + 1"
        return f"{once}{each_proof}upto': {self.every} {total('i')} = {so_far} by {proof('i')}\n"

    def _sum_of_tokens(self) -> str:
        """The line ``sum'`` for strings of tokens 0 and 1 after an added token: the sum of the tokens is the count of
        ones. Empty for other models."""
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
        """The functions in `said`, w among them, each with a position at which its value is taken, as text."""
        return places_in(self.said)

    def stored(self) -> Iterator[str]:
        """A proof that cites stored theorems about a stored model with the name of this one; nothing if there are
        none."""
        known = [] if self.numbers else [*cited(self.statement, list(self.names))]
        if known:
            begun = (
                "".join(f"take stored{k}' from {citation}\n" for k, citation in enumerate(known))
                + self._sum_of_tokens()
            )
            labels = ["sum'", *self.premises, *(f"stored{k}'" for k in range(len(known)))]
            yield f"{self.given}{begun}qed by {', '.join(labels)}\n"

    def alike(self) -> Iterator[str]:
        """A proof that first shows that coordinates with the same equation are equal; nothing if `said` has no such
        coordinate. Two models of one statement may have the same equations."""
        # `first` has, for each coordinate that equals an earlier one, the earliest. The equations, with these names
        # replaced, are the keys of `first_by_equation`.
        first_by_equation: dict[tuple[Term, tuple[str, str]], str] = {}
        first: dict[str, str] = {}
        lines = ""
        for name, right in self.equations.items():
            used = [v for v in sorted(free(right)) if v[1][0] in first]
            renamed = right
            for v in used:
                renamed = replace(renamed, v, var(first[v[1][0]], v[1][1]))
            earlier = first_by_equation.setdefault((renamed, self.ranges[name]), name)
            if earlier != name:
                first[name] = earlier
                low, high = self.ranges[name]
                same = (f"same'{v[1][0]}" for v in used)
                hints = dict.fromkeys([self.label(name), self.label(earlier), *same, "sum_ext"])
                lines += f"same'{name}: all i in {low}..{high}. {name}(i) = {earlier}(i) by {', '.join(hints)}\n"
        same_facts = [f"same'{name}({place})" for name, place in self.places() if name in first]
        if same_facts:
            yield f"{lines}{self.given}qed by {', '.join([*same_facts, *self.premises])}\n"

    def texts(self) -> Iterator[str]:
        """The proofs to try for the statement, in order, each as the lines below its heading."""
        if self.numbers:  # a model without positions
            yield f"qed by {', '.join(self.numbers)}\n"
            return
        # The lines that all proofs begin with, and the hints for the last step: forms at the places asked for, the
        # facts of each case, and the hypotheses.
        begin = "".join(self.forms.values())
        labelled_places = [(f"{kind}'{name}", place) for name, place in self.places() for kind in ("form", "constant")]
        hints = [f"{label}({place})" for label, place in labelled_places if label in self.forms | self.constants]
        if self.tokens:
            begin += self.letters() + "".join(self.constants.values())
        cases = [*self._cases()]
        hints += [label for case in cases for label in case.labels] + self.premises
        run_labels = list[str]()  # the equations that the coordinates asked for depend on
        for name, _ in self.places():
            if name in self.equations:
                run_labels += [self.label(name), *self.used(self.equations[name])]
        if (first := self._near_the_first()) is not None:
            yield begin + first
        # First with few hints, then with the equations and the facts about counts as well.
        for further_hints in ([], [*run_labels, *self.counted]):
            text = f"qed by {', '.join(dict.fromkeys([*hints, *further_hints]))}\n".replace("qed by \n", "qed\n")
            for case in reversed(cases):
                text = case.around(text)
            yield begin + self.given + text
        yield from (begin + text for text in self._next_integer([*hints, *run_labels, *self.counted]))

    def _next_integer(self, hints: list[str]) -> Iterator[str]:
        """A proof that writes each comparison a <= b of counts as a - 1 < b, which is the same for integers; nothing if
        there is no such comparison, and if the conclusion is about every position or has hypotheses."""
        orders = [
            x for x in dict.fromkeys(subterms(self.said)) if x[0] == "<=" and not loose(x) and _compares_counts(x)
        ]
        if not orders or self.given:
            return
        neighbour_claim, labels, lines = self.said, list[str](), ""
        for k, order in enumerate(orders):
            strict: Term = ("<", None, (("-", None, (order[2][0], ("num", (1, 1), ()))), order[2][1]))
            neighbour_claim = replace(neighbour_claim, order, strict)
            labels.append(f"integer{k}'")
            lines += f"{labels[-1]}: {show(order)} <-> {show(strict)}\n"
        by = ", ".join(dict.fromkeys(hints))
        yield f"neighbour': {show(neighbour_claim)}{by and ' by '}{by}\n{lines}qed by neighbour', {', '.join(labels)}\n"

    def _cases(self) -> Iterator[FactCase]:
        """The case distinctions for the conclusion: on means, on tokens under quantifiers, on remainders."""
        for name, place in self.places():
            mean = self.mean(name) if name in self.equations else None
            if mean is not None and mean.weight is not None:
                yield from self._one_value_cases(name, place, mean)
            elif mean is not None and f"form'{name}" not in self.forms:
                yield self._nonnegative_cases(name, place, mean)
        for token in sorted(_quantified(self.said, False)):
            yield self._token_cases(token)
        divided = [x for f in subterms(self.said) if f[:2] == ("ex", "Int") and (x := _quotient(f[2][0])) is not None]
        for k, (of, divisor) in enumerate(dict.fromkeys(divided)):
            yield self._remainder_cases(of, divisor, f"{k}''")

    def _nonnegative_cases(self, name: str, place: str, mean: Mean) -> FactCase:
        """The cases for the mean of the coordinate `name` at `place`, if its values are never negative: one value is
        positive, or all are 0."""
        value, at, p = show(replace(mean.value, THERE, HERE)), self.place(place), self.fresh("p")
        low, high, size = show(mean.low), show(replace(mean.high, HERE, at)), show(replace(mean.size, HERE, at))
        some_positive, total = f"ex i in {low}..{high}. 0 < {value}", f"sum(i, {low}, {high}, {value})"
        hints = ", ".join([*self.used(mean.value), *self.premises])
        # If the values are relu(x/size) with counts x: x is positive at the position p of one case, and nowhere in the
        # other case.
        unfolded = self._unfolded(replace(mean.value, THERE, HERE))
        form = self.form(unfolded[2][0]) if unfolded[:2] == ("fn", "relu") else None
        least = above = below = ""
        if form is not None and form.mean is not None and set(form.here) <= {ONE}:
            count = self.counts(form.over, form.mean, form.here.get(ONE, 0))
            least = f"least': {self.every} ({count})/{show(form.mean.size)} <= {value} by {hints}\n"
            above = f"above': 0 < {self._with_name(count, p)} by {hints}, at'\n"
            below = f"below': all i in {low}..{high}. {count} <= 0 by least', none'\n"
        # The lines before the distinction, and at the beginning of each case.
        begin = (
            f"never': {self.every} 0 <= {value}{hints and ' by '}{hints}\n{least}"
            f"whole': {name}({place}) = {total}/({size}) by {self.label(name)}\n"
        )
        positive_case = (
            f"obtain {p} (low'' high'' at') from there'\n"
            f"member': {self._with_name(value, p)} <= {total} by sum_member(i. {value}; {low}; {high}; {p}), never'\n"
            f"{above}value': 0 < {name}({place}) by whole', member', at'\n"
        )
        zero_case = (
            f"none': all i in {low}..{high}. {value} = 0\n  given i inside\n  small: {value} <= 0\n"
            f"    suppose more: 0 < {value}\n    yes: {some_positive} by more\n    qed by yes, nowhere'\n"
            f"  qed by small, never'\n"
            f"nothing': {total} = 0 by sum_ext(i. {value}; i. 0; {low}; {high})[none']\n"
            f"value': {name}({place}) = 0 by whole', nothing'\n{below}"
        )
        # The label below', applied to each position in the conclusion.
        spots = " ".join(f"below'({spot.replace(' ', '')})" for _, spot in self.places())
        return self._two_cases(
            begin,
            f"there', nowhere': {some_positive}",
            (positive_case, zero_case),
            f"value' low'' high'' above' below' {spots}",
        )

    def _token_cases(self, token: int) -> FactCase:
        """The cases for a token: it is at some position, or its count is 0. The labels end with the token's number."""
        p, t = self.fresh("p"), f"{token}'"
        some_position, indicator = f"ex i in {self.low}..{self.high}. w(i) = {token}", f"I[w(i) = {token}]"
        span, total = f"{self.low}; {self.high}", f"sum(i, {self.low}, {self.high}, {indicator})"
        present_case = (
            f"obtain {p} (low{t} high{t} at{t}) from there{t}\n"
            f"count{t}: 1 <= {total} by sum_member(i. {indicator}; {span}; {p}), at{t}\n"
        )
        absent_case = (
            f"each{t}: {self.every} {indicator} = 0\n  given i inside\n  suppose bad: ~({indicator} = 0)\n"
            f"  yes: {some_position} by bad\n  qed by yes, nowhere{t}\n"
            f"count{t}: {total} = 0 by sum_ext(i. {indicator}; i. 0; {span})[each{t}]\n"
        )
        return self._two_cases(
            "", f"there{t}, nowhere{t}: {some_position}", (present_case, absent_case), f"count{t} there{t} nowhere{t}"
        )

    def _remainder_cases(self, of: str, divisor: int, t: str) -> FactCase:
        """The cases for the integer `of`, as text: one for each remainder r, in which it is ``divisor*q + r``. All
        labels end with `t`. The fact onlyT states that q is the only such quotient."""
        q = self.fresh("q")
        rests = [f"{of} = {divisor}*{q}" + (f" + {r}" if r else "") for r in range(divisor)]
        # q by the stored theorem `remainder`; that it is the only quotient and not negative; and the list of the cases.
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
            """The lines of the distinction, with `rest` in each case."""
            return f"{begin}cases {', '.join(labels)} from rests{t}\n" + bullet(rest) * divisor

        counts = [f"sum(j, {self.low}, {self.high}, I[w(j) = {k}])" for k in self.tokens[:3]]
        alone = [f"only{t}", *(f"only{t}({x})" for x in counts), f"least{t}"]
        return FactCase([*labels, *alone, *self.counted[:1]], around)

    def _one_value_cases(self, name: str, place: str, mean: Mean) -> Iterator[FactCase]:
        """The cases for a softmax mean whose values are 0 at all positions but one, a number that its equations name:
        the mean has the sign of the value at that position; or the range ends before it, and the mean is 0."""
        at = self.place(place)
        low, high = show(mean.low), show(replace(mean.high, HERE, at))
        weight, value = show(replace(mean.weight or HERE, HERE, at)), show(mean.value)
        labels_of_values = [x for x in self.used(mean.value) if not x.startswith("form'")]
        points = {  # the numbers, other than 0, in comparisons i = NUMBER; only the smallest is tried
            x[2][1][1][0]
            for k in labels_of_values
            for x in subterms(self._equation_of(k))
            if x[0] == "=" and x[2][0] == HERE and number_of(x[2][1])
        }
        for point in sorted(points)[:1]:
            weight_there, value_there = (f"({part.replace('(j)', f'({point})')})" for part in (weight, value))
            facts = ", ".join(f"{label}({point})" for label in labels_of_values)
            over, size = f"sum(j, {low}, {high}, ({weight})*({value}))", f"sum(j, {low}, {high}, {weight})"
            begin = (
                f"vanish': all j in {low}..{high}. j != {point} -> {value} = 0 by {', '.join(labels_of_values)}\n"
                f"gone': all j in {low}..{high}. j != {point} -> ({weight})*({value}) = 0 by vanish'\n"
                f"soft': {name}({place}) = {over}/{size} by {self.label(name)}({place})\n"
                f"total': 0 < {size} by sum_positive(j. {weight}; {low}; {high}), exp_pos\n"
            )
            # Case 1, the point is in the range: only its summand is left, so the mean has the sign of its value.
            result, product = f"{name}({place})", f"{weight_there}*{value_there}"
            signs = "".join(
                f"{label}': {x} -> {y}\n  given so\n  over: {z} by so, one'\n  qed by soft', only', over, total'\n"
                for label, x, y, z in (
                    ("up", f"0 < {value_there}", f"0 < {result}", f"0 < {product}"),
                    ("down", f"{value_there} < 0", f"{result} < 0", f"{product} < 0"),
                    ("level", f"{value_there} = 0", f"{result} = 0", f"{product} = 0"),
                )
            )
            tokens_there = " | ".join(f"w({point}) = {k}" for k in self.tokens)
            values = "".join(
                f"value{k}': w({point}) = {k} -> {value_there} = {show(written(c))} by {facts}\n"
                for k in self.tokens
                if (c := self._value_at(mean.value, point, k)) is not None
            )
            in_range_case = (
                f"only': {over} = {product}"
                f" by sum_only(j. ({weight})*({value}); {low}; {high}; {point})[_, _, gone']\n"
                f"one': 0 < {weight_there} by exp_pos\n{signs}"
                f"letter': {tokens_there} by word\n{values}"
            )
            # Case 2, the point is beyond the range: all summands are 0.
            beyond_case = (
                f"none': all j in {low}..{high}. ({weight})*({value}) = 0 by gone', short'\n"
                f"only': {over} = 0 by sum_ext(j. ({weight})*({value}); j. 0; {low}; {high})[none']\n"
                f"sign': {name}({place}) = 0 by soft', only'\n"
            )
            value_labels = " ".join(f"value{k}'" for k in self.tokens)
            labels = f"sign' up' down' level' long' short' {value_labels} letter'"
            yield self._two_cases(begin, f"long', short': {point} <= {high}", (in_range_case, beyond_case), labels)

    def _near_the_first(self) -> str | None:
        """A proof of a statement about every position, by the values of means of signs (-1)^j at position 1 and bounds
        for later positions. None if there are no such means, or if the statement is neither about every position nor
        has hypotheses."""
        lines, hints = "", list[str]()
        for name in self.equations:
            form = self.form(("app", None, (var(name, ("fun", ("Int",), "Real")), HERE)))
            if f"form'{name}" not in self.forms or form is None or form.over.keys() != {SIGN}:
                continue
            # The mean is c + s*sum/i, where the sum of the first i signs is -1 (i odd) or 0: c - s at position 1, and
            # from c - s/3 (at 3) to c afterwards.
            s, c = form.over[SIGN], form.here.get(ONE, Fraction(0))
            later = (c, c - s / 3)
            least, most = show(written(min(later))), show(written(max(later)))
            lines += (
                f"first'{name}: {name}(1) = {show(written(c - s))} by form'{name}(1)\n"
                f"later'{name}: all j in 2..n. {least} <= {name}(j) & {name}(j) <= {most}\n  given j (jl jh)\n"
                f"  cases even, odd from sign(j)\n    - qed by form'{name}(j), even\n"
                f"    - cases small: j <= 2 by odd, form'{name}(j)\n"
            )
            hints += [f"first'{name}", f"later'{name}"]
        if not lines or not self.given:
            return None
        other_labels = [self.label(name) for name in self.equations if f"form'{name}" not in self.forms]
        return f"{lines}{self.given}cases at': i = 1 by {', '.join([*other_labels, *hints])}\n"

    # --- Small things ----------------------------------------------------------------------------------------------

    def _two_cases(self, begin: str, cases: str, sides: tuple[str, str], labels: str) -> FactCase:
        """The distinction of two cases. The lines `begin` come before it, and `cases` names the two facts; each case
        begins with its lines of `sides`. `labels` are those of its facts, with spaces between."""

        def around(rest: str) -> str:
            """The lines of the distinction, with `rest` at the end of each case."""
            return f"{begin}cases {cases}\n" + "".join(bullet(side + rest) for side in sides)

        return FactCase(labels.split(), around)

    def place(self, text: str) -> Term:
        """The term of a position, from its text."""
        return grammar.read_value(text, "Int", {"n": "Int", "i": "Int"}, {})

    def _with_name(self, text: str, name: str) -> str:
        """The `text` of a term in i, with `name` for i."""
        scope = {"n": "Int", "i": "Int", "w": ("fun", ("Int",), "Int")}
        scope |= dict.fromkeys(self.functions, ("fun", ("Int",), "Real"))
        return f"({show(replace(grammar.read_value(text, 'Real', scope, {}), HERE, var(name, 'Int')))})"

    def _equation_of(self, label: str) -> Term:
        """The right side of the equation with this label."""
        return self.equations[next(name for name in self.equations if self.label(name) == label)]

    def _unfolded(self, t: Term) -> Term:
        """The term `t`; if it is f(..) with an equation, the right side of that equation, unfolded in turn."""
        while (right := self.right(t)) is not None:
            t = right
        return t

    def _value_at(self, t: Term, point: int, token: int) -> Fraction | None:
        """The value of a term in j at the position `point` with the token `token`, by the equations; None if they do
        not determine it."""
        tag, name, kids = t
        if (c := number_of(t)) is not None:
            return c
        if t == THERE:
            return Fraction(point)
        if (right := self.right(t)) is not None:
            return self._value_at(right, point, token)
        if tag == "ind" and is_token(kids[0]):
            return Fraction(kids[0][2][1][1][0] == token)
        if tag == "ind" and kids[0][0] == "=":
            sides = [self._value_at(k, point, token) for k in kids[0][2]]
            return None if None in sides else Fraction(sides[0] == sides[1])
        if tag == "fn" and name == "relu":
            inside = self._value_at(kids[0], point, token)
            return None if inside is None else max(inside, Fraction(0))
        return _combined(t, lambda part: self._value_at(part, point, token), lambda a, b, factor: a + factor * b)


def places_in(t: Term) -> list[tuple[str, str]]:
    """The functions in a formula, each with a position at which its value is taken, as text. Positions bound by a
    quantifier or a sum do not count."""
    places = [(x[2][0][1][0], show(x[2][1])) for x in subterms(t) if x[0] == "app" and not loose(x[2][1])]
    return list(dict.fromkeys(places))


def is_at_here(t: Term) -> bool:
    """Whether a term is f(i)."""
    return t[0] == "app" and len(t[2]) == 2 and t[2][0][0] == "var" and t[2][1] == HERE


def number_of(t: Term) -> Fraction | None:
    """The value of a term without names, sums and products, if it is rational; None for any other term."""
    value = None if free(t) or any(x[0] in ("sum", "prod", "bound") for x in subterms(t)) else constant(nf(t))
    return None if value is None else Fraction(value)


def _added(a: Multiples, b: Multiples, factor: Fraction) -> Multiples:
    """a + factor*b."""
    return {k: a.get(k, Fraction(0)) + factor * b.get(k, Fraction(0)) for k in {*a, *b}}


def _combined(t: Term, each: Callable[[Term], T | None], added: Callable[[T, T, Fraction], T | None]) -> T | None:
    """The value of a sum, difference, multiple or negation `t`, from the values of its parts by `each`; `added` gives
    a + factor*b. None if a part has no value, and for any other term."""
    tag, _, kids = t
    if tag in ("+", "-"):
        a, b = each(kids[0]), each(kids[1])
        return None if a is None or b is None else added(a, b, Fraction(1 if tag == "+" else -1))
    factor, part = Fraction(-1), kids[0] if kids else t
    if tag in ("*", "/"):
        numbers = [number_of(k) for k in kids]
        if numbers[1] is None:
            if tag == "/" or numbers[0] is None:
                return None
            factor, part = numbers[0], kids[1]
        else:
            factor = numbers[1] if tag == "*" else 1 / numbers[1] if numbers[1] else Fraction(0)
    elif tag != "neg":
        return None
    value = each(part)
    return None if value is None else added(value, value, factor - 1)  # factor*value


def bullet(lines: str) -> str:
    """The lines of one case, indented after a bullet."""
    return "  - " + textwrap.indent(lines, "    ")[4:]


def _quantified(t: Term, under: bool) -> set[int]:
    """The tokens k in comparisons w(i) = k of a formula in which a quantifier, and not a sum, binds i. `under` says
    whether `t` is inside a quantifier."""
    if is_token(t):
        return {t[2][1][1][0]} if under and t[2][0][2][1][0] == "bound" else set()
    if t[0] in ("sum", "prod"):
        return set()
    return set().union(*(_quantified(k, under or t[0] in ("ex", "all")) for k in t[2]))


def _compares_counts(order: Term) -> bool:
    """Whether both sides of a comparison are integers made of counts of tokens and n, and the right side has a
    count."""
    w, n = var("w", ("fun", ("Int",), "Int")), var("n", "Int")
    parts = {x[0] for x in subterms(order)} | {"/" for x in subterms(order) if x[0] == "num" and x[1][1] != 1}
    return w in free(order[2][1]) and free(order) <= {w, n} and not parts & {"/", "fn"}


MOST_RESTS = 6
"""The largest divisor for which there is a case for each remainder. Each case is a proof of its own."""


def _quotient(body: Term) -> tuple[str, int] | None:
    """The dividend, as text, and the divisor, if the `body` F of ``ex k:Int. F`` states that k is a quotient: by
    ``a = m*k + r`` or ``0 <= a - m*k`` with m from 2 to `MOST_RESTS`. None for any other formula, and for a dividend
    that depends on i or on a bound name."""
    first = flatten("&", body)[0]
    if first[0] not in ("=", "<="):
        return None
    k = var("k", "Int")
    dividend, quotient = (instantiate(x, (k,)) for x in first[2])
    difference = nf(("-", None, (dividend, quotient)) if first[0] == "=" else quotient)
    # The difference a - m*k is linear in k: its values at 0 and 1 give a and m.
    at_0, at_1 = (nf(replace(reify.term(difference), k, ("num", (c, 1), ()))) for c in (0, 1))
    slope = constant(nf(("-", None, (reify.term(at_0), reify.term(at_1)))))
    if slope is None or not 2 <= slope <= MOST_RESTS or slope.denominator != 1:
        return None
    of = dividend if first[0] == "=" and k not in free(dividend) else reify.term(at_0)
    return None if loose(of) or free(of) & {HERE} else (show(of), int(slope))


def is_token(t: Term) -> bool:
    """Whether a formula is w(..) = NUMBER."""
    if t[0] != "=" or t[2][0][0] != "app" or t[2][1][0] != "num":
        return False
    head = t[2][0][2][0]
    return head[0] == "var" and head[1][0] == "w"


def _at_each(places: list[str], typed: str, known: str = "") -> list[str]:
    """The lines that prove a goal about a position i by the token there: a case for each of the `places` of added
    tokens, then the alternatives `typed` for a typed symbol. `known` is the text of the hints that exclude the places
    of the cases before."""
    if not places:
        return [f"letter': {typed} by word{known}", "qed by letter'"]
    k = len(places)
    here, *others = _at_each(places[1:], typed, f"{known}, not{k}")
    cases = [f"cases at{k}, not{k}: i = {places[0]}", f"  - qed by word, at{k}", f"  - {here}"]
    return [*cases, *(f"    {line}" for line in others)]
