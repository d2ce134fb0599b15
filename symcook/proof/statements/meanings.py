"""Lines of a proof about the coordinates of a model: consequences of the run's equations that statements often need.

| label | line |
| --- | --- |
| ``clear'NAME`` | the equation of a mean, softmax or not, multiplied by its size |
| ``mass'NAME`` | the sum of the weights of a softmax is positive |
| ``step'NAME`` | a prefix mean, from its value at the position before and one more summand |
| ``moved'NAME`` | the change of a prefix mean from one position to the next, multiplied by its size |
| ``up'NAME`` | a prefix mean does not fall from one position to the next exactly if the last value is not smaller |
| ``rise'NAME`` | a prefix mean grows from one position to the next exactly if the last value is larger |
| ``at'NAME``, ``none'NAME`` | a head that selects one position has the value there; it is 0 if that is out of range |
| ``ends'NAME`` | the lower and upper bound of a coordinate whose equation bounds it |

A statement is then proved from these lines, for the positions that occur in it. The lines are untrusted: a line that
does not follow is left out, and the kernel checks the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from symcook.proof import grammar
from symcook.proof.search import automation
from symcook.proof.search.prooftext import HintText, TextLine
from symcook.proof.search.ranges import range_of
from symcook.proof.search.tactics import Goal
from symcook.proof.statements.exactvalues import written
from symcook.proof.statements.facts import HERE, ONE, THERE, Facts, Trying, number_of, places_in
from symcook.proof.terms import Term, free, instantiate, loose, replace, subterms

show = grammar.show
MOST_HINTS = 40
"""The maximum number of facts that the last line of a proof cites. Each cited fact is matched with each term of the
goal."""
HANDED = automation.LEVELS[:3]
"""The levels of the automation for all lines."""
KINDS = ("clear", "at", "step", "up", "rise", "ends")
"""The kinds of lines that the last attempt of `Meanings.texts` cites. The other kinds in the table above are not cited
there: ``mass`` and ``moved`` only serve other lines, and an attempt of its own cites ``none``."""
JOINING = ("step", "up", "rise")
"""The kinds of lines that relate a position to the one before it."""


class Handed(Trying):
    """An elaborator that tries lines with little search, since each line cites the facts that it follows from."""

    def automatic(self, g: Goal, line: TextLine, what: str, hints: Sequence[HintText] | None = None) -> None:
        """Close the goal of a line by the automation at the levels `HANDED`."""
        self.search(g, line, what, hints, HANDED)


class Cleared(NamedTuple):
    """A mean, by the equation f(i)*size = sum(j, low, high, value). For a softmax the summand is weight*value, and
    `size` is the sum of the weights."""

    low: Term
    high: Term
    value: Term
    size: Term
    weight: Term | None = None
    divided: bool = True
    """Whether the equation of the run divides by the size; else it has f(i)*size on its left side."""

    @property
    def total(self) -> str:
        """The sum on the right side, as text."""
        summand = self.value if self.weight is None else ("*", None, (self.weight, self.value))
        return f"sum(j, {show(self.low)}, {show(self.high)}, {show(summand)})"


class Selected(NamedTuple):
    """A head that selects one position, by the equation f(i) = sum(j, low, high, I[j = place]*value)."""

    low: Term
    high: Term
    place: Term
    value: Term


class Meanings:
    """The lines about the coordinates of the model that the statement of `facts` is about, and proofs that cite these
    lines. `cleared` has the means, `selected` the heads that select one position, by coordinate."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.cleared: dict[str, Cleared] = {}
        self.selected: dict[str, Selected] = {}
        for name, right in facts.equations.items():
            if (mean := facts.mean(name)) is not None:
                self.cleared[name] = Cleared(*mean)
            elif (selected := _selected(right)) is not None:
                self.selected[name] = selected
        for name, (left, right) in facts.products.items():
            if right[0] == "sum":
                low, high, body = right[2]
                self.cleared[name] = Cleared(low, high, instantiate(body, (THERE,)), left, None, False)

    # --- Lines -------------------------------------------------------------------------------------------------------

    def lines(self) -> str:
        """All lines, each after those that it cites."""
        lines = ""
        for name in self.facts.functions:
            if name in self.cleared:
                lines += self._mean_lines(name, self.cleared[name])
            if name in self.selected:
                lines += self._selected_lines(name, self.selected[name])
            lines += self._bound_lines(name)
        return lines

    def _mean_lines(self, name: str, mean: Cleared) -> str:
        """The lines about a mean; for a prefix mean, also the lines on its change from one position to the next."""
        every, label, size = self.facts.every, self.facts.label(name), show(mean.size)
        mass = ""
        cited = [label]
        if mean.weight is not None:  # a softmax: the sum of the weights is positive
            span = f"{show(mean.low)}; {show(mean.high)}"
            mass = (
                f"mass'{name}: {every} 0 < {size}\n  given i (low' high')\n"
                f"  qed by sum_positive(j. {show(mean.weight)}; {span}), exp_pos, low', high'\n"
            )
            cited.append(f"mass'{name}")
        lines = f"{mass}clear'{name}: {every} {name}(i)*({size}) = {mean.total} by {', '.join(cited)}\n"
        before = replace(mean.high, HERE, _before(HERE))
        # A prefix mean: the end of its range depends on i, and its summand does not.
        if mean.weight is None and HERE in free(mean.high) and HERE not in free(mean.value):
            sum_before = f"({name}(i - 1)*({show(replace(mean.size, HERE, _before(HERE)))})"
            last = show(replace(mean.value, THERE, mean.high))
            # The lines are about positions from the second on; from the third on, if the range does not end at i.
            start = 2 if show(before) != "i - 1" else 1
            first = f"{self.facts.low} + {start}" if start > 1 else f"{self.facts.low} + 1"
            lines += (
                f"step'{name}: all i in {first}..{self.facts.high}. {name}(i)*({size}) = {sum_before} + {last})\n"
                f"  given i (low' high')\n  qed by clear'{name}(i), clear'{name}(i - 1), low', high'\n"
            )
            old, new = f"{name}(i - 1)", f"{name}(i)"
            lines += (
                f"moved'{name}: all i in {first}..{self.facts.high}. ({new} - {old})*({size}) = {last} - {old}\n"
                f"  given i (low' high')\n  qed by step'{name}(i), low', high'\n"
            )
            # up': the mean does not fall exactly if the last value is at least the old mean. rise': it grows exactly if
            # the last value is above the old mean.
            for kind, sign, negated in (("up'", "<=", "<"), ("rise'", "<", "<=")):
                lines += (
                    f"{kind}{name}: all i in {first}..{self.facts.high}. {old} {sign} {new} <-> {old} {sign} {last}\n"
                    f"  given i (low' high')\n  size': 0 < {size} by low', high'\n"
                    f"  there: {old} {sign} {last} -> {old} {sign} {new}\n    given so'\n"
                    f"    suppose not': {new} {negated} {old}\n"
                    f"    product': ({new} - {old})*({size}) {negated} 0 by not', size'\n"
                    f"    qed by product', so', moved'{name}(i), low', high'\n"
                    f"  back: {old} {sign} {new} -> {old} {sign} {last}\n    given so'\n"
                    f"    product': 0 {sign} ({new} - {old})*({size}) by so', size'\n"
                    f"    qed by product', moved'{name}(i), low', high'\n"
                    f"  qed by there, back\n"
                )
        return lines

    def _selected_lines(self, name: str, head: Selected) -> str:
        """The lines about a head that selects one position: its value if the position is in range, else 0."""
        every, label = self.facts.every, self.facts.label(name)
        low, high, place = show(head.low), show(head.high), show(head.place)
        value, there = show(head.value), show(replace(head.value, THERE, head.place))
        return (
            f"at'{name}: {every} {low} <= {place} & {place} <= {high} -> {name}(i) = {there}\n"
            f"  given i (low' high')\n  given (from' upto')\n"
            f"  only': all j in {low}..{high}. j != {place} -> I[j = {place}]*({value}) = 0\n"
            f"  qed by {label}(i), sum_only(j. I[j = {place}]*({value}); {low}; {high}; {place})[_, _, only'],"
            f" low', high', from', upto'\n"
            f"none'{name}: {every} ~({low} <= {place} & {place} <= {high}) -> {name}(i) = 0\n"
            f"  given i (low' high')\n  given out'\n"
            f"  each': all j in {low}..{high}. I[j = {place}]*({value}) = 0\n    given j (from' upto')\n"
            f"    apart': j != {place} by out', from', upto'\n    qed by apart'\n"
            f"  qed by {label}(i), sum_ext(j. I[j = {place}]*({value}); j. 0; {low}; {high})[each'], low', high'\n"
        )

    def _bound_lines(self, name: str) -> str:
        """The line ``ends'`` with bounds of a coordinate, and its proof; "" if no bounds are known."""
        interval = self.ends.get(name)
        if interval is None:
            return ""
        least, most = (show(written(x)) for x in interval)
        claim = f"ends'{name}: {self.facts.every} {least} <= {name}(i) & {name}(i) <= {most}\n  given i (low' high')\n"
        label = self.facts.label(name)
        if name in self.cleared:
            return claim + self._mean_bound_proof(name, self.cleared[name], least, most)
        if name in self.selected:  # the selected value is within the bounds, and so is 0
            head = self.selected[name]
            selected = show(head.place)
            inside = f"{show(head.low)} <= {selected} & {selected} <= {show(head.high)}"
            parts = [f"{x}({selected})" for x in self._bound_labels(head.value)]
            cited_inside = ", ".join(["seen'", f"at'{name}(i)", *parts, "low'", "high'"])
            return (
                f"{claim}  cases seen', unseen': {inside}\n    - qed by {cited_inside}\n"
                f"    - qed by unseen', none'{name}(i), low', high'\n"
            )
        # Any other equation: by the bounds of the coordinates in it and, if it has indicators, by the tokens.
        parts = [f"{x}(i)" for x in self._bound_labels(self.facts.equations[name])]
        letters = ["word"] if any(x[0] == "ind" for x in subterms(self.facts.equations[name])) else []
        return f"{claim}  qed by {', '.join([f'{label}(i)', *parts, *letters])}, low', high'\n"

    def _mean_bound_proof(self, name: str, mean: Cleared, least: str, most: str) -> str:
        """The proof that a mean is between `least` and `most`: each value is between them, so the sum is between the
        number of values times `least` and times `most`."""
        low, high, value = show(mean.low), show(mean.high), show(mean.value)
        cited = ", ".join([*(f"{label}(j)" for label in self._bound_labels(mean.value)), "from', upto', low', high'"])
        bounds = "".join(
            f"  {label_of_bound}: all j in {low}..{high}. {a} <= {b}\n    given j (from' upto')\n    qed by {cited}\n"
            for label_of_bound, a, b in (("under'", value, most), ("above'", least, value))
        )
        sums = (
            f"  most': {mean.total} <= sum(j, {low}, {high}, {most})"
            f" by sum_mono(j. {value}; j. {most}; {low}; {high})[under'], low', high'\n"
            f"  least': sum(j, {low}, {high}, {least}) <= {mean.total}"
            f" by sum_mono(j. {least}; j. {value}; {low}; {high})[above'], low', high'\n"
        )
        count = f"({high}) - ({low}) + 1"
        sums += (
            f"  many': sum(j, {low}, {high}, {most}) = ({count})*({most}) by low', high'\n"
            f"  few': sum(j, {low}, {high}, {least}) = ({count})*({least}) by low', high'\n"
        )
        return f"{bounds}{sums}  qed by most', least', many', few', clear'{name}(i), low', high'\n"

    def _bound_labels(self, t: Term) -> list[str]:
        """The labels of the bounds of the coordinates in a term."""
        names = sorted(v[1][0] for v in free(t) if v[1][0] in self.ends)
        return [f"ends'{name}" for name in names]

    @cached_property
    def ends(self) -> dict[str, tuple[Fraction, Fraction]]:
        """By coordinate: a lower and an upper bound of its values, for each coordinate that the equations bound."""
        intervals: dict[str, tuple[Fraction, Fraction]] = {}
        for name in self.facts.functions:
            if name in self.cleared:
                # `_mean_bound_proof` takes the size for the number of values, so that a softmax has no bounds; nor has
                # a mean whose equation does not divide.
                mean = self.cleared[name]
                if mean.weight is None and mean.divided:
                    interval = self._interval(mean.value, intervals)
                else:
                    interval = None
            elif name in self.selected:
                interval = self._interval(self.selected[name].value, intervals)
                # The value is 0 if the selected position is out of range.
                interval = None if interval is None else (min(interval[0], Fraction(0)), max(interval[1], Fraction(0)))
            else:
                right = self.facts.equations.get(name)
                interval = None if right is None else self._interval(right, intervals)
            if interval is not None:
                intervals[name] = interval
        return intervals

    def _interval(self, t: Term, known: dict[str, tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction] | None:
        """An interval that contains the value of a term; None if no bound is known. `known` has the intervals of the
        earlier coordinates."""
        tag, name, kids = t
        if (c := number_of(t)) is not None:
            return c, c
        # A linear form in the indicators of tokens has one value for each token.
        for at in (HERE, THERE):
            linear = self.facts.linear(t, at) if tag != "app" else None
            if linear is not None and linear.keys() <= {ONE, *self.facts.tokens}:
                values = [linear.get(k, Fraction(0)) + linear.get(ONE, Fraction(0)) for k in self.facts.tokens]
                return (min(values), max(values)) if values else None
        if tag == "app" and len(kids) == 2 and kids[0][0] == "var":
            return known.get(kids[0][1][0])
        if tag == "ind":
            return Fraction(0), Fraction(1)
        if tag == "fn" and name == "pow" and number_of(kids[0]) == -1:
            return Fraction(-1), Fraction(1)
        # Interval arithmetic; a product only if one factor is a constant.
        operands = [self._interval(k, known) for k in kids] if tag in ("+", "-", "neg", "*", "fn") else []
        if not operands or None in operands:
            return None
        intervals = [x for x in operands if x is not None]
        (low, high), (second_low, second_high) = intervals[0], intervals[-1]
        if tag == "neg":
            return -high, -low
        if tag == "+":
            return low + second_low, high + second_high
        if tag == "-":
            return low - second_high, high - second_low
        if tag == "fn" and name == "relu":
            return max(low, Fraction(0)), max(high, Fraction(0))
        if tag == "*" and any(low == high for low, high in intervals):
            products = [x * y for x in intervals[0] for y in intervals[1]]
            return min(products), max(products)
        return None

    # --- Proofs of the statement -------------------------------------------------------------------------------------

    def texts(self, wide: bool = False) -> Iterator[str]:
        """Possible proofs of the statement, in the order in which they are tried, as the lines below its heading.

        Each proof cites lines of few kinds. With `wide` the proofs cite lines of nearly all kinds, and take longest if
        they fail."""
        facts = self.facts
        if facts.numbers or not facts.equations:
            return
        lines = self.lines()
        # Introduce a position, if the statement is about each, and the hypotheses of the conclusion.
        introductions, premises, conclusion = "", list[str](), facts.whole
        if (span := range_of(conclusion, HERE)) is not None:
            introductions, premises, conclusion = "given i (low' high')\n", ["low'", "high'"], span.body
        while conclusion[0] == "->":
            premises.append(f"if{len(premises)}'")
            introductions, conclusion = f"{introductions}given {premises[-1]}\n", conclusion[2][1]
        # The coordinates in the statement, each with the position, and the labels of all lines.
        used_at = places_in(facts.whole if span is None else span.body)
        used_at = [(name, place) for name, place in used_at if name in facts.functions]
        line_labels = {line.partition(":")[0] for line in lines.splitlines()}

        def cite(*kinds: str) -> list[str]:
            """The labels of the lines of these kinds, at the positions in the statement. A line of a kind in `JOINING`
            is cited only if the statement has the position before as well."""
            return [
                f"{kind}'{name}({at})"
                for name, at in used_at
                for kind in kinds
                if f"{kind}'{name}" in line_labels and (kind not in JOINING or (name, f"{at} - 1") in used_at)
            ]

        # The labels that each attempt cites: on changes of means, on bounds, on means times their size, on selected
        # values, on selections out of range. `deep` are labels about coordinates that the equations depend on.
        named = [f"{facts.label(name)}({at})" for name, at in used_at if name in {*facts.equations, *facts.products}]
        deep = [label for name, place in used_at for label in self._labels_below(name, place)]
        tries = [cite("step", "up", "rise"), cite("ends"), cite("clear"), [*cite("at", "ends"), *named], cite("none")]
        if wide:
            tries = [[*cite("up", "rise", "ends"), *deep], [*named, *cite(*KINDS), *deep, "word"]]
        for labels in dict.fromkeys(tuple(way) for way in tries if way):
            yield f"{lines}{introductions}qed by {', '.join(list(dict.fromkeys([*premises, *labels]))[:MOST_HINTS])}\n"

    def _labels_below(self, name: str, place: str) -> tuple[str, ...]:
        """The labels of the equations of the coordinates that the equation of `name` at `place` depends on, directly or
        through other equations, and labels of lines about them. Some of these lines may be missing: `Trying.search`
        leaves out hints without a fact."""
        labels: list[str] = []
        todo, visited = [(name, place)], {(name, place)}
        while todo:
            name, place = todo.pop(0)
            # For a mean, follow its last value; for a selection, follow the selected value.
            equation = self.facts.equations.get(name)
            if name in self.cleared:
                equation = replace(self.cleared[name].value, THERE, self.cleared[name].high)
            elif name in self.selected:
                equation = replace(self.selected[name].value, THERE, self.selected[name].place)
            if equation is None:
                continue
            index = self.facts.place(place)
            for x in subterms(replace(equation, HERE, index)):
                if x[0] == "app" and len(x[2]) == 2 and x[2][0][0] == "var" and not loose(x[2][1]):
                    inner_name, at = x[2][0][1][0], show(x[2][1])
                    if (inner_name, at) in visited or inner_name not in self.facts.equations:
                        continue
                    visited.add((inner_name, at))
                    todo.append((inner_name, at))
                    labels += [f"{self.facts.label(inner_name)}({at})", f"ends'{inner_name}({at})"]
                    labels += [f"{kind}'{inner_name}({at})" for kind in ("at", "clear")]
        return tuple(labels)


def _before(t: Term) -> Term:
    """The term t - 1."""
    return ("-", None, (t, ("num", (1, 1), ())))


def _selected(right: Term) -> Selected | None:
    """The selection, if the right side of an equation is sum(j, low, high, I[j = place]*value); None for any other."""
    if right[0] != "sum":
        return None
    low, high, body = right[2]
    body = instantiate(body, (THERE,))
    if body[0] != "*" or body[2][0][0] != "ind":
        return None
    condition = body[2][0][2][0]
    if condition[0] != "=" or condition[2][0] != THERE or THERE in free(condition[2][1]):
        return None
    return Selected(low, high, condition[2][1], body[2][1])
