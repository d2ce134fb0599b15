"""Statements about each position of an edited string, as statements about the segments of the string.

``all i in 1..n + 1. 0 < prepended_lead(i)`` becomes a conjunction: one part for each position that was put in or has an
added token, and one about the positions of the first string that a segment has, with terms of the first run.
`Quantified` finds it, and proves the one formula by the other wherever they stand in a claim. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

from symcook.proof.claims.bycounts.problem import PlaceRange
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.statements.editedplaces import Untranslated, equal, minus, plus
from symcook.proof.statements.editedterms import SecondRunTerms, close, truth
from symcook.proof.statements.transfer import picked
from symcook.proof.terms import Term, abstract, flatten, free, imp, instantiate, var
from symcook.proof.terms import replace as put


class SegmentPart(NamedTuple):
    """What a formula about all positions states of those of one segment, as a formula of the first run. `premises` are
    the bounds of the formula's range that the segment does not imply, about the position i of the second string."""

    k: int
    formula: Term
    premises: tuple[Term, ...]


@dataclass(frozen=True)
class InSegments:
    """A formula ``all i in a..b. F(i)`` about the second run at i + `offset`, and the parts of the formula that
    replaces it; `terms` has the second run."""

    terms: SecondRunTerms
    formula: Term
    parts: tuple[SegmentPart, ...]
    offset: Term

    @cached_property
    def replaced(self) -> Term:
        """The formula about the first run."""
        return _all([part.formula for part in self.parts])


def _all(parts: Sequence[Term]) -> Term:
    """A conjunction."""
    out = parts[-1]
    for part in reversed(parts[:-1]):
        out = ("&", None, (part, out))
    return out


def _ranged(f: Term, i: Term) -> tuple[PlaceRange, Term] | None:
    """The range of ``all i in a..b. F``, and F for the position i."""
    if f[0] != "all" or f[1] != "Int" or f[2][0][0] != "->":
        return None
    premise, body = instantiate(f[2][0], (i,))[2]
    bounds = flatten("&", premise)
    if len(bounds) != 2 or any(b[0] != "<=" for b in bounds) or bounds[0][2][1] != i or bounds[1][2][0] != i:
        return None
    return PlaceRange(bounds[0][2][0], bounds[1][2][1]), body


class Quantified:
    """The formulas about all positions of second strings in one claim, of the runs `runs`, in the goal `g`."""

    def __init__(self, runs: Sequence[SecondRunTerms], g: Goal) -> None:
        self.runs, self.g = runs, g
        self.found: list[InSegments] = []

    # --- The formula about the first run ------------------------------------------------------------------------------

    def reduced(self, f: Term) -> Term:
        """The claim with these formulas replaced. Raises Untranslated for values of a second run that stay."""
        runs = [run for run in self.runs if any(True for _ in run.values_in(f))]
        if not runs:
            return f
        if f[0] in ("&", "|", "->", "~"):
            return (f[0], None, tuple(self.reduced(kid) for kid in f[2]))
        if f[0] != "all":
            name = next(read[2][0][1][0] for run in runs for read in run.values_in(f))
            raise Untranslated(f"{name} is read at each position")
        if len(runs) > 1:
            raise Untranslated("two edited strings are compared at each position")
        done = next((one for one in self.found if one.formula == f), None)
        if done is None:
            self.found.append(done := self._in_segments(runs[0], f))
        return done.replaced

    def _in_segments(self, terms: SecondRunTerms, f: Term) -> InSegments:
        """A formula about all positions in segments."""
        i = var(self.g.fresh("i"), "Int")
        ranged = _ranged(f, i)
        if ranged is None:
            raise Untranslated("a formula about all positions of another shape")
        reads = [*dict.fromkeys(terms.values_in(ranged[1]))]
        offset = offset_of({read[2][1] for read in reads}, i)
        if offset is None:
            raise Untranslated(f"{reads[0][2][0][1][0]} is read at several positions")
        parts = (self._part(terms, k, i, offset, *ranged) for k in range(len(terms.places.segments)))
        found = tuple(part for part in parts if part is not None)
        if not found:
            raise Untranslated("a formula about no positions")
        return InSegments(terms, f, found, offset)

    def _part(
        self, terms: SecondRunTerms, k: int, i: Term, offset: Term, places: PlaceRange, body: Term
    ) -> SegmentPart | None:
        """The part of a segment; None if the formula is about none of its positions. `body` is about the position i,
        and reads the second run at i + `offset`."""
        segment = terms.places.segments[k]
        bounds: tuple[Term, Term] = ("<=", None, (places.low, i)), ("<=", None, (i, places.high))
        # In these tests, i is the position in the second string.
        within = _inside(segment.low, i, segment.high)
        trial, place = self.g.branch(imp(within, within)), segment.low if segment.single else i
        facts = [*terms.some]
        if not segment.single:
            trial.scope[i[1][0]] = "Int"
            ends = [trial.fresh("low"), trial.fresh("high")]
            trial.intro([ends])
            facts += ends
        truths = [truth(trial, put(bound, i, minus(place, offset)), facts) for bound in bounds]
        if False in truths:
            return None
        left = tuple(bound for bound, value in zip(bounds, truths, strict=True) if value is None)
        for read in dict.fromkeys(terms.values_in(body)):
            body = put(body, read, instantiate(terms.everywhere(read[2][0][1][0], k).body, (read[2][1],)))
        for bound in reversed(left):
            body = imp(bound, body)
        if segment.single:
            return SegmentPart(k, put(body, i, minus(segment.low, offset)), left)
        body = put(body, i, minus(minus(i, segment.shift), offset))
        inside = _inside(segment.source_of(segment.low), i, segment.source_of(segment.high))
        return SegmentPart(k, ("all", "Int", (abstract(imp(inside, body), (i,)),)), left)

    # --- The claim by the formula about the first run -----------------------------------------------------------------

    def carry(self, h: Goal, label: str) -> None:
        """Close a goal by the fact `label`: they are equal but for the formulas of `found`, which have their
        replacements in one of them."""
        fact, key = h.facts[label], h.known.key
        if key(fact) == key(h.goal):
            return h.hyp(label)
        for one in self.found:
            if h.goal == one.formula and key(fact) == key(one.replaced):
                return _from_parts(h, label, one)
            if fact == one.formula and key(h.goal) == key(one.replaced):
                return _to_parts(h, label, one)
        tag = h.goal[0]
        if tag != fact[0]:
            raise Stuck("two formulas of different shapes")
        if tag == "~":
            assumed, carried = h.fresh("assumed"), h.fresh("carried")
            h.intro(assumed)
            h.have(fact[2][0], carried, partial(self.carry, label=assumed))
            return h.absurd(carried, label)
        if tag == "->":
            given, carried, then = h.fresh("given"), h.fresh("carried"), h.fresh("then")
            h.intro([given])
            h.have(fact[2][0], carried, partial(self.carry, label=given))
            h.use(label, f"#{carried}", label=then, premises=0)
            return self.carry(h, then)
        if tag == "&":
            labels = _members(h, label, fact[2])
            return _conjunction(h, [partial(self.carry, label=part) for part in labels], h.goal[2])
        if tag == "|":
            first = len(flatten("|", fact[2][0]))
            for number, branch in enumerate(h.cases(label, h.fresh("case"))):
                side, case = int(number >= first), next(k for k in branch.facts if k not in h.facts)
                carried = branch.fresh("side")
                branch.have(fact[2][side], carried, partial(picked, label=case, number=number - first * side))
                branch.pick(("left", "right")[side])
                self.carry(branch, carried)
            return None
        raise Stuck("two formulas of different shapes")


def offset_of(places: Collection[Term], i: Term) -> Term | None:
    """The c of the places i + c, if they are the same; else None."""
    offsets = {minus(place, i) for place in places}
    offset = next(iter(offsets))
    return offset if len(offsets) == 1 and i not in free(offset) else None


def _inside(low: Term, i: Term, high: Term) -> Term:
    """That i is between two positions."""
    return ("&", None, (("<=", None, (low, i)), ("<=", None, (i, high))))


def _members(h: Goal, label: str, parts: Sequence[Term]) -> list[str]:
    """The labels of the parts of a conjunction, which may be conjunctions."""
    flat = [f"{h.fresh('part')}_{k}" for k in range(len(flatten("&", h.facts[label])))]
    if len(flat) == 1:
        return [label]
    h.use(label, label=" ".join(flat), premises=0)
    labels, begin = list[str](), 0
    for part in parts:
        size = len(flatten("&", part))
        own, begin = flat[begin : begin + size], begin + size
        if size > 1:
            whole = h.fresh("whole")
            h.have(part, whole, partial(_by_labels, labels=own))
            own = [whole]
        labels += own
    return labels


def _by_labels(h: Goal, labels: Sequence[str]) -> None:
    """Close a conjunction by its parts."""
    for part, label in zip(h.split(), labels, strict=True):
        part.hyp(label)


def _conjunction(h: Goal, proofs: Sequence[Callable[[Goal], None]], parts: Sequence[Term]) -> None:
    """Close a conjunction by a proof of each of its parts, which may be conjunctions."""
    flat = list[str]()
    for part, proof in zip(parts, proofs, strict=True):
        label = h.fresh("proved")
        h.have(part, label, proof)
        size = len(flatten("&", part))
        if size > 1:
            labels = [f"{h.fresh('part')}_{k}" for k in range(size)]
            h.use(label, label=" ".join(labels), premises=0)
            flat += labels
        else:
            flat.append(label)
    if len(flat) == 1:
        return h.hyp(flat[0])
    return _by_labels(h, flat)


def _from_parts(h: Goal, label: str, one: InSegments) -> None:
    """Close ``all i in a..b. F(i)`` by the parts of the segments."""
    labels, terms = _members(h, label, [part.formula for part in one.parts]), one.terms
    segments, parts = terms.places.segments, {part.k: (part, own) for part, own in zip(one.parts, labels, strict=True)}
    i, ends = h.fresh("i"), [h.fresh("low"), h.fresh("high")]
    h.intro([i, ends])
    place, inside = plus(var(i, "Int"), one.offset), [*ends]

    def within(g: Goal, k: int) -> None:
        """The position is in the segment k."""
        if k not in parts:
            return _contradiction(g, [*inside, *terms.some])
        return _from_part(g, var(i, "Int"), one, *parts[k], inside)

    for k, following in enumerate(segments[1:]):
        side = h.fresh("side")
        later: Term = ("<=", None, (following.low, place))
        rest, here = h.em(later, side)
        gap = here.fresh("gap")
        here.use("ax:int_lt", here.text(place), here.text(following.low), f"#{side}", label=gap)
        before, inside = inside, [*inside, side, gap]
        within(here, k)
        h, inside = rest, [*before, side]
    within(h, len(segments) - 1)


def _contradiction(g: Goal, facts: Sequence[str]) -> None:
    """Close any goal by facts about the order of positions that contradict each other."""
    g.contra(g.fresh("no"))
    g.auto([*facts], degree=1)


def _from_part(g: Goal, i: Term, one: InSegments, part: SegmentPart, label: str, inside: Sequence[str]) -> None:
    """Close F(i), where i + offset is a position of the segment of a part."""
    here, place, terms, segment = g.fresh("here"), plus(i, one.offset), one.terms, one.terms.places.segments[part.k]
    premise = partial(close, facts=[*inside, *terms.some])
    if segment.single:
        same, place = g.fresh("same"), segment.low
        position: Term = ("=", None, (i, minus(segment.low, one.offset)))
        g.have(position, same, partial(_equal_places, facts=[*inside, *terms.some]))
        g.rewrite(same)
        g.use(label, *([premise] * len(part.premises)), label=here, premises=0)
    else:
        premises = [premise] * (1 + len(part.premises))
        g.use(label, g.text(segment.source_of(place)), *premises, label=here, premises=0)
    for read in terms.reads(g.goal):
        if equal(read[2][1], place):
            g.rewrite(terms.at(g, read, part.k, inside)[0])
    _computed(g, here)


def _equal_places(h: Goal, facts: Sequence[str]) -> None:
    """Close an equation of two positions."""
    h.auto([*facts], degree=1)


def _computed(g: Goal, label: str) -> None:
    """Close a goal that is a fact up to computation."""
    if g.known.key(g.goal) != g.known.key(g.facts[label]):
        raise Untranslated("the terms of the two runs differ")
    g.hyp(label)


def _to_parts(h: Goal, label: str, one: InSegments) -> None:
    """Close the conjunction of the parts by ``all i in a..b. F(i)``."""
    proofs = [partial(_to_part, label=label, part=part, one=one) for part in one.parts]
    if len(proofs) == 1:
        return proofs[0](h)
    goal, parts = h.goal, list[Term]()
    for _ in proofs[:-1]:
        parts.append(goal[2][0])
        goal = goal[2][1]
    return _conjunction(h, proofs, [*parts, goal])


def _to_part(h: Goal, label: str, part: SegmentPart, one: InSegments) -> None:
    """Close the part of one segment."""
    terms = one.terms
    segment, inside = terms.places.segments[part.k], list[str]()
    place = segment.low
    if not segment.single:
        i, inside = h.fresh("i"), [h.fresh("low"), h.fresh("high")]
        h.intro([i, inside])
        place = minus(var(i, "Int"), segment.shift)
    for _ in part.premises:
        inside.append(h.fresh("bound"))
        h.intro([inside[-1]])
    here = h.fresh("here")
    h.use(label, h.text(minus(place, one.offset)), partial(close, facts=[*inside, *terms.some]), label=here, premises=0)
    for read in terms.reads(h.facts[here]):
        if equal(read[2][1], place):
            value = terms.at(h, read, part.k, inside)[0]
            h.rewrite(value, where=here, label=(new := h.fresh("here")))
            here = new
    _computed(h, here)

