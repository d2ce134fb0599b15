"""Lines of a proof about lookups of one place in a compiled program.

``aggregate(select(indices, t, ==), tokens)`` is a sum over the first position j with ``j - 1 = t(i)``. If the lines of
the program give t(i) by i and n alone, there is one such position, p(i), or none.

| label | line |
| --- | --- |
| ``place'NAME`` | what the line NAME is where p(i) is a position: the value there |
| ``beside'NAME`` | what it is where p(i) is no position |

The lines are untrusted: a line that does not follow is left out, and the kernel checks the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from symcook.alarm import Until
from symcook.proof import grammar, normal
from symcook.proof.inequalities import reify
from symcook.proof.normal import nf
from symcook.proof.replay import Statement
from symcook.proof.search import automation, prooftext
from symcook.proof.search.attempts import attempted, result_of
from symcook.proof.search.prooftext import HintText, Place, TextLine
from symcook.proof.search.ranges import ANY, range_of
from symcook.proof.search.tactics import Goal, Node
from symcook.proof.statements import certify
from symcook.proof.statements.facts import HERE, THERE, Facts, bullet, places_in
from symcook.proof.statements.heads import HeadFacts, Quick, place_term
from symcook.proof.terms import Term, conj, free, instantiate, loose, neg, num, replace, subterms, var

show = grammar.show
LOOKUPS = "lookups of one place"
"""The name of the procedure, as the `method` of an answer."""
MOST_CASES = 3
"""At so many places there are two cases: the lookup has a position there, or none."""


class Lookup(NamedTuple):
    """The line `name` of a program as a lookup: in its equation, ``sum(j, low, high, I[first & rest]*value)``, the
    `total`, has one position or none, `place`, by the lines with the labels `by`. `none` are the conditions that no
    position is the one."""

    name: str
    total: Term
    low: Term
    high: Term
    first: Term
    rest: Term
    value: Term
    place: Term
    by: tuple[str, ...]
    none: tuple[Term, ...]


def lookups(facts: Facts) -> list[Lookup]:
    """The lines of a program that look at one place."""
    found: list[Lookup] = []
    for name, right in facts.equations.items():
        for total in subterms(right):
            if total[0] != "sum" or loose(total):
                continue
            (low, high, body), lookup = total[2], None
            body = instantiate(body, (THERE,))
            if body[0] == "*" and body[2][0][0] == "ind" and body[2][0][2][0][0] == "&":
                first, rest = body[2][0][2][0][2]
                lookup = _place(facts, first)
            if lookup is None or rest[0] != "all" or range_of(rest, ANY) is None:
                continue
            # all j. ~first
            none = tuple(t for t in subterms(right) if t[0] == "ind" and _denies(t[2][0], first, low, high))
            place, by = lookup
            found.append(Lookup(name, total, low, high, first, rest, body[2][1], place, by, none))
            break
    return found


def _denies(t: Term, first: Term, low: Term, high: Term) -> bool:
    """Whether a formula is ``all j in low..high. ~first``."""
    at_there = None if loose(t) else range_of(t, THERE)
    return at_there is not None and (at_there.low, at_there.high, at_there.body) == (low, high, neg(first))


def _place(facts: Facts, condition: Term) -> tuple[Term, tuple[str, ...]] | None:
    """The position j at which an equation holds, in i and n, and the labels of the lines that it follows from; None if
    there is none of this kind."""
    if condition[0] != "=":
        return None
    labels: dict[str, None] = {}

    def unfolded(t: Term) -> Term:
        """A term in which the lines of the program are replaced by their values."""
        right = None if loose(t) else facts.right(t)
        if right is not None:
            labels[f"{facts.label(t[2][0][1][0])}({show(t[2][1])})"] = None
            return unfolded(right)
        return (t[0], t[1], tuple(map(unfolded, t[2]))) if t[0] in ("+", "-", "neg", "*") else t

    sides = condition[2]
    difference = result_of(attempted(lambda: normal.add(nf(unfolded(sides[0])), nf(unfolded(sides[1])), -1)))
    if difference is None:
        return None
    lead = next(iter(nf(THERE)))
    factor = Fraction(difference.pop(lead, 0))
    if abs(factor) != 1:
        return None
    place = reify.term(normal.scale(difference, -factor))
    if not free(place) <= {HERE, var("n", "Int")} or any(t[0] in ("fn", "ind", "sum", "/") for t in subterms(place)):
        return None
    return place, tuple(labels)


def lookup_lines(facts: Facts, lookup: Lookup) -> str:
    """The lines ``place'`` and ``beside'`` of a lookup."""
    name, low, high, p = lookup.name, show(lookup.low), show(lookup.high), show(lookup.place)
    right = facts.equations[name]
    body = ("*", None, (("ind", None, (conj(lookup.first, lookup.rest),)), lookup.value))
    one = replace(("ind", None, (conj(lookup.first, lookup.rest),)), THERE, lookup.place)
    inside, outside = right, right
    for t in lookup.none:
        inside, outside = replace(inside, t, num(0)), replace(outside, t, num(1))
    inside = replace(inside, lookup.total, replace(lookup.value, THERE, lookup.place))
    outside = replace(outside, lookup.total, num(0))
    first, at_place = show(lookup.first), show(replace(lookup.first, THERE, lookup.place))
    before = range_of(replace(lookup.rest, THERE, lookup.place), var("k", "Int"))
    if before is None:
        return ""
    by = ", ".join([*lookup.by, "low'", "high'"])
    gone = "".join(
        f"  none{k}': {show(t)} = 0\n    suppose some': ~({show(t)} = 0)\n    every': {show(t[2][0])} by some'\n"
        f"    qed by every'({p}), there', low', high', from', to'\n"
        for k, t in enumerate(lookup.none)
    )
    left = "".join(
        f"  none{k}': {show(t)} = 1\n    every': {show(t[2][0])}\n      given j (least' most') same'\n"
        f"      qed by only'(j), same', out', least', most'\n    qed by every'\n"
        for k, t in enumerate(lookup.none)
    )
    labels = ", ".join(f"none{k}'" for k in range(len(lookup.none)))
    nones = f", {labels}" if labels else ""
    only = (
        f"  only': all j in {low}..{high}. {first} -> j = {p}\n    given j (least' most') same'\n"
        f"    qed by same', {by}\n"
    )
    return (
        f"place'{name}: {facts.every} {low} <= {p} & {p} <= {high} -> {name}(i) = {show(inside)}\n"
        f"  given i (low' high')\n  given (from' to')\n  there': {at_place} by {by}\n{only}"
        f"  zero': all j in {low}..{high}. j != {p} -> {show(body)} = 0\n    given j (least' most') apart'\n"
        f"    off': ~({first}) by only'(j), apart', least', most'\n    qed by off'\n"
        f"  here': {show(one)} = 1\n    rest': {show(replace(lookup.rest, THERE, lookup.place))}\n"
        f"      given k (least' most') same'\n"
        f"      qed by same', {by}, least', most'\n    qed by there', rest'\n{gone}"
        f"  total': {show(lookup.total)} = {show(one)}*({show(replace(lookup.value, THERE, lookup.place))})"
        f" by sum_only(j. {show(body)}; {low}; {high}; {p})[_, _, zero'], from', to'\n"
        f"  qed by {facts.label(name)}(i), total', here', low', high'{nones}\n"
        f"beside'{name}: {facts.every} ~({low} <= {p} & {p} <= {high}) -> {name}(i) = {show(outside)}\n"
        f"  given i (low' high')\n  given out'\n{only}"
        f"  zero': all j in {low}..{high}. {show(body)} = 0\n    given j (least' most')\n"
        f"    off': ~({first})\n      suppose same': {first}\n      qed by only'(j), same', out', least', most'\n"
        f"    qed by off'\n{left}"
        f"  total': {show(lookup.total)} = 0 by sum_ext(j. {show(body)}; j. 0; {low}; {high})[zero']\n"
        f"  qed by {facts.label(name)}(i), total', low', high'{nones}\n"
    )


def texts(facts: Facts) -> list[str]:
    """Possible proofs of a statement by lookups, as the lines below its heading; none if no line is one."""
    found = lookups(facts)
    if not found:
        return []
    lines = "".join(lookup_lines(facts, lookup) for lookup in found)
    conclusion = HeadFacts(facts).conclusion
    hints, cases = list[str](), list[str]()
    named = [conclusion.goal, *conclusion.premises.values()]
    for name, place in dict.fromkeys(at for formula in named for at in places_in(formula)):
        for lookup in (lookup for lookup in found if lookup.name == name):
            there = show(replace(lookup.place, HERE, place_term(place)))
            cases.append(f"{show(lookup.low)} <= {there} & {there} <= {show(lookup.high)}")
            hints += [f"place'{name}({place})", f"beside'{name}({place})"]
            hints += [f"word({there})"] if facts.word[0] == "all" else ["word"]
        if name in facts.equations and all(lookup.name != name for lookup in found):
            hints.append(f"{facts.label(name)}({place})")
    marks = [f"{side}{k}'" for k in range(len(cases)) for side in ("is", "not")]
    known = [*hints, *conclusion.premises, *conclusion.ranges, "some", *marks]
    end = f"qed by {', '.join(dict.fromkeys(known))}\n"
    for k in reversed(range(min(len(cases), MOST_CASES))):
        end = f"cases is{k}', not{k}': {cases[k]}\n" + bullet(end) * 2
    return [f"{lines}{conclusion.lines}{end}"]


def search(statement: Statement, seconds: float) -> list[Node] | None:
    """The proof of a statement about the lines of a program by its lookups, found within `seconds`; None without
    one."""

    def looked() -> list[Node] | None:
        """The proof by the first text, if there is one."""
        facts, home = Facts(statement), certify.library(statement, certify.citable())
        for lines in texts(facts):
            g = Goal(home, statement.formula, {}, {})
            Lenient().block(g, prooftext.read(certify.headed_lines(statement, lines)).parts["proof"], Place(1, 1))
            return g.nodes
        return None

    return result_of(attempted(looked, Until(seconds)))


class Lenient(Quick):
    """An elaborator that leaves out facts that do not follow, and tries the last line at the first levels."""

    def automatic(self, g: Goal, line: TextLine, what: str, hints: Sequence[HintText] | None = None) -> None:
        """Close the goal of a line."""
        self.search(g, line, what, hints, automation.LEVELS[:3])
