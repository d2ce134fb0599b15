"""What the coordinates of a model mean, as lines of a proof: the equations of a run in the form that claims need.

A mean, softmax or not, is multiplied by its size (``clear'NAME``); a prefix mean is the one before and one value more
(``step'NAME``); a head that selects one place has the value there (``at'NAME``), and 0 where it sees nothing
(``none'NAME``); what is bounded by its equation has its bounds (``ends'NAME``). What is to be shown is then asked of
these lines at the places that it names, and one back. Nothing is trusted: a line that does not follow is left out, and
the kernel judges what is left.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from symcook.proof import grammar
from symcook.proof.ownfacts import HERE, ONE, THERE, Facts, Trying, number_of, places_in, ranged
from symcook.proof.ownvalues import written
from symcook.proof.search import automation
from symcook.proof.search.prooftext import HintText, TextLine
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, free, instantiate, loose, replace, subterms

show = grammar.show
MOST_HINTS = 40
"""So many facts stand behind one line at most."""
HANDED = automation.LEVELS[:3]
KINDS = ("clear", "at", "step", "up", "rise", "ends")
"""The names of lines about a coordinate that may stand together."""
JOINING = ("step", "up", "rise")


class Handed(Trying):
    """Tries lines that need little search: what they rest on stands with them."""

    def automatic(self, g: Goal, line: TextLine, what: str, hints: Sequence[HintText] | None = None) -> None:
        self.search(g, line, what, hints, HANDED)


class Cleared(NamedTuple):
    """f(i)*size = sum(j, low, high, value): a mean; `weight` is that of a softmax, whose sum is the size."""

    low: Term
    high: Term
    value: Term
    size: Term
    weight: Term | None = None
    divided: bool = True
    """Whether the equation divides by the size."""

    @property
    def total(self) -> str:
        summand = self.value if self.weight is None else ("*", None, (self.weight, self.value))
        return f"sum(j, {show(self.low)}, {show(self.high)}, {show(summand)})"


class Selected(NamedTuple):
    """f(i) = sum(j, low, high, I[j = place]*value)."""

    low: Term
    high: Term
    place: Term
    value: Term


class Meanings:
    """The lines for the statement of `Facts`."""

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
        """All lines, each after those that it rests on."""
        out = ""
        for name in self.facts.functions:
            if name in self.cleared:
                out += self._clear(name, self.cleared[name])
            if name in self.selected:
                out += self._at(name, self.selected[name])
            out += self._ends(name)
        return out

    def _clear(self, name: str, mean: Cleared) -> str:
        every, label, size = self.facts.every, self.facts.label(name), show(mean.size)
        mass = ""
        by = [label]
        if mean.weight is not None:
            span = f"{show(mean.low)}; {show(mean.high)}"
            mass = (
                f"mass'{name}: {every} 0 < {size}\n  given i (low' high')\n"
                f"  qed by sum_positive(j. {show(mean.weight)}; {span}), exp_pos, low', high'\n"
            )
            by.append(f"mass'{name}")
        out = f"{mass}clear'{name}: {every} {name}(i)*({size}) = {mean.total} by {', '.join(by)}\n"
        before = replace(mean.high, HERE, _before(HERE))
        if mean.weight is None and HERE in free(mean.high) and HERE not in free(mean.value):
            rest = f"({name}(i - 1)*({show(replace(mean.size, HERE, _before(HERE)))})"
            last = show(replace(mean.value, THERE, mean.high))
            start = 2 if show(before) != "i - 1" else 1
            first = f"{self.facts.low} + {start}" if start > 1 else f"{self.facts.low} + 1"
            out += (
                f"step'{name}: all i in {first}..{self.facts.high}. {name}(i)*({size}) = {rest} + {last})\n"
                f"  given i (low' high')\n  qed by clear'{name}(i), clear'{name}(i - 1), low', high'\n"
            )
            old, new = f"{name}(i - 1)", f"{name}(i)"
            out += (
                f"moved'{name}: all i in {first}..{self.facts.high}. ({new} - {old})*({size}) = {last} - {old}\n"
                f"  given i (low' high')\n  qed by step'{name}(i), low', high'\n"
            )
            for label, sign, other in (("up'", "<=", "<"), ("rise'", "<", "<=")):
                out += (
                    f"{label}{name}: all i in {first}..{self.facts.high}. {old} {sign} {new} <-> {old} {sign} {last}\n"
                    f"  given i (low' high')\n  size': 0 < {size} by low', high'\n"
                    f"  there: {old} {sign} {last} -> {old} {sign} {new}\n    given so'\n"
                    f"    suppose not': {new} {other} {old}\n"
                    f"    product': ({new} - {old})*({size}) {other} 0 by not', size'\n"
                    f"    qed by product', so', moved'{name}(i), low', high'\n"
                    f"  back: {old} {sign} {new} -> {old} {sign} {last}\n    given so'\n"
                    f"    product': 0 {sign} ({new} - {old})*({size}) by so', size'\n"
                    f"    qed by product', moved'{name}(i), low', high'\n"
                    f"  qed by there, back\n"
                )
        return out

    def _at(self, name: str, head: Selected) -> str:
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

    def _ends(self, name: str) -> str:
        """The least and the largest value that an equation allows."""
        ends = self.ends.get(name)
        if ends is None:
            return ""
        least, most = (show(written(x)) for x in ends)
        claim = f"ends'{name}: {self.facts.every} {least} <= {name}(i) & {name}(i) <= {most}\n  given i (low' high')\n"
        label = self.facts.label(name)
        if name in self.cleared:
            mean = self.cleared[name]
            low, high, value = show(mean.low), show(mean.high), show(mean.value)
            parts = self._parts(mean.value)
            bounds = "".join(
                f"  {word}: all j in {low}..{high}. {a} <= {b}\n    given j (from' upto')\n"
                f"    qed by {', '.join([f'{x}(j)' for x in parts] + ['from', 'upto'])}\n".replace(
                    "from, upto\n", "from', upto', low', high'\n"
                )
                for word, a, b in (("under'", value, most), ("above'", least, value))
            )
            sums = (
                f"  most': {mean.total} <= sum(j, {low}, {high}, {most})"
                f" by sum_mono(j. {value}; j. {most}; {low}; {high})[under'], low', high'\n"
                f"  least': sum(j, {low}, {high}, {least}) <= {mean.total}"
                f" by sum_mono(j. {least}; j. {value}; {low}; {high})[above'], low', high'\n"
            )
            many = f"({high}) - ({low}) + 1"
            sums += (
                f"  many': sum(j, {low}, {high}, {most}) = ({many})*({most}) by low', high'\n"
                f"  few': sum(j, {low}, {high}, {least}) = ({many})*({least}) by low', high'\n"
            )
            return f"{claim}{bounds}{sums}  qed by most', least', many', few', clear'{name}(i), low', high'\n"
        if name in self.selected:
            head = self.selected[name]
            at = show(head.place)
            inside = f"{show(head.low)} <= {at} & {at} <= {show(head.high)}"
            parts = [f"{x}({at})" for x in self._parts(head.value)]
            there = ", ".join(["seen'", f"at'{name}(i)", *parts, "low'", "high'"])
            return (
                f"{claim}  cases seen', unseen': {inside}\n    - qed by {there}\n"
                f"    - qed by unseen', none'{name}(i), low', high'\n"
            )
        parts = [f"{x}(i)" for x in self._parts(self.facts.equations[name])]
        letters = ["word"] if any(x[0] == "ind" for x in subterms(self.facts.equations[name])) else []
        return f"{claim}  qed by {', '.join([f'{label}(i)', *parts, *letters])}, low', high'\n"

    def _parts(self, t: Term) -> list[str]:
        """The labels of the bounds of what stands in a term."""
        names = sorted(v[1][0] for v in free(t) if v[1][0] in self.ends)
        return [f"ends'{name}" for name in names]

    @cached_property
    def ends(self) -> dict[str, tuple[Fraction, Fraction]]:
        """The bounds of each coordinate that has some."""
        out: dict[str, tuple[Fraction, Fraction]] = {}
        for name in self.facts.functions:
            if name in self.cleared:
                mean = self.cleared[name]
                if mean.weight is None and mean.divided:
                    found = self._interval(mean.value, out)
                else:
                    found = None
            elif name in self.selected:
                found = self._interval(self.selected[name].value, out)
                found = None if found is None else (min(found[0], Fraction(0)), max(found[1], Fraction(0)))
            else:
                right = self.facts.equations.get(name)
                found = None if right is None else self._interval(right, out)
            if found is not None:
                out[name] = found
        return out

    def _interval(self, t: Term, known: dict[str, tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction] | None:
        """The ends of what a term may be."""
        tag, name, kids = t
        if (c := number_of(t)) is not None:
            return c, c
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
        inside = [self._interval(k, known) for k in kids] if tag in ("+", "-", "neg", "*", "fn") else []
        if not inside or None in inside:
            return None
        parts = [x for x in inside if x is not None]
        if tag == "neg":
            return -parts[0][1], -parts[0][0]
        if tag == "+":
            return parts[0][0] + parts[1][0], parts[0][1] + parts[1][1]
        if tag == "-":
            return parts[0][0] - parts[1][1], parts[0][1] - parts[1][0]
        if tag == "fn" and name == "relu":
            return max(parts[0][0], Fraction(0)), max(parts[0][1], Fraction(0))
        if tag == "*" and any(low == high for low, high in parts):
            products = [x * y for x in parts[0] for y in parts[1]]
            return min(products), max(products)
        return None

    # --- What is to be shown -----------------------------------------------------------------------------------------

    def texts(self, wide: bool = False) -> Iterator[str]:
        """What may prove the statement, as lines below its heading, in the order in which it is tried: by meanings of
        few kinds, or with all of them in sight, which takes longest where it is not enough."""
        facts = self.facts
        if facts.numbers or not facts.equations:
            return
        lines = self.lines()
        given, known, said = "", list[str](), facts.whole
        if (span := ranged(said)) is not None:
            given, known, said = "given i (low' high')\n", ["low'", "high'"], span[2]
        while said[0] == "->":
            known.append(f"if{len(known)}'")
            given, said = f"{given}given {known[-1]}\n", said[2][1]
        asked = places_in(facts.whole if span is None else span[2])
        asked = [(name, place) for name, place in asked if name in facts.functions]
        there = {line.partition(":")[0] for line in lines.splitlines()}

        def told(*kinds: str) -> list[str]:
            """What the lines of these kinds say at the places; what joins a place to the one before, where both are."""
            return [
                f"{kind}'{name}({at})"
                for name, at in asked
                for kind in kinds
                if f"{kind}'{name}" in there and (kind not in JOINING or (name, f"{at} - 1") in asked)
            ]

        named = [f"{facts.label(name)}({at})" for name, at in asked if name in {*facts.equations, *facts.products}]
        more = [label for name, place in asked for label in self._deep(name, place)]
        ways = [told("step", "up", "rise"), told("ends"), told("clear"), [*told("at", "ends"), *named], told("none")]
        if wide:
            ways = [[*told("up", "rise", "ends"), *more], [*named, *told(*KINDS), *more, "word"]]
        for tried in dict.fromkeys(tuple(way) for way in ways if way):
            yield f"{lines}{given}qed by {', '.join(list(dict.fromkeys([*known, *tried]))[:MOST_HINTS])}\n"

    def _deep(self, name: str, place: str) -> tuple[str, ...]:
        """The labels of what the equation of a coordinate rests on, at a place."""
        out: list[str] = []
        todo, met = [(name, place)], {(name, place)}
        while todo:
            name, place = todo.pop(0)
            right = self.facts.equations.get(name)
            if name in self.cleared:
                right = replace(self.cleared[name].value, THERE, self.cleared[name].high)
            elif name in self.selected:
                right = replace(self.selected[name].value, THERE, self.selected[name].place)
            if right is None:
                continue
            spot = self.facts.place(place)
            for x in subterms(replace(right, HERE, spot)):
                if x[0] == "app" and len(x[2]) == 2 and x[2][0][0] == "var" and not loose(x[2][1]):
                    other, at = x[2][0][1][0], show(x[2][1])
                    if (other, at) in met or other not in self.facts.equations:
                        continue
                    met.add((other, at))
                    todo.append((other, at))
                    out += [f"{self.facts.label(other)}({at})", f"ends'{other}({at})"]
                    out += [f"{kind}'{other}({at})" for kind in ("at", "clear")]
        return tuple(out)


def _before(t: Term) -> Term:
    return ("-", None, (t, ("num", (1, 1), ())))


def _selected(right: Term) -> Selected | None:
    """A sum over the places j that are one place alone."""
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
