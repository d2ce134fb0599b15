"""What a string carries along, in a case of a proof by positions: by an induction from each named position to the next.

At the first position, and at each named one, one of finitely many combinations of values (`carried`) and of the symbol
there holds. From one named position to the next these change by the symbols that may follow one another, which the case
decides: what two neighbouring symbols contradict is refuted there, and all other combinations are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import NamedTuple, Self

from symcook.proof import normal
from symcook.proof.claims.carried import CarriedValue
from symcook.proof.claims.placed import DecideFirst, PlacedFacts, Unplaced, simple
from symcook.proof.claims.placedvalues import PlacedValues
from symcook.proof.claims.tracks import TrackSet
from symcook.proof.normal import fkey, nf
from symcook.proof.search.ranges import at_most, equals
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, abstract, num, subterms, var

MOST_COMBINED = 200
"""So many combinations of values and symbols are carried along at most."""
MOST_SINGLE = 8
"""So many symbols between two named positions are followed one by one at most."""

FEW = 3
"""Where it is known that there are so many at most, it is asked how many."""

Pairs = set[tuple[int | None, int]]
"""Symbols at a position with those that may follow."""


class CarriedCombination(NamedTuple):
    """Values, in the order of what is carried along, and the symbol at a position; None before the first one."""

    values: tuple[int, ...]
    letter: int | None


class Reached(NamedTuple):
    """The combinations that are possible at a position, and the label of the fact that one of them holds."""

    label: str
    combinations: tuple[CarriedCombination, ...]


class PlacedStates(PlacedValues):
    """What is known in a case, with what the string carries along."""

    def __init__(self, *given: object) -> None:
        super().__init__(*given)  # type: ignore[arg-type]
        self.divided: set[object] = set()
        self.reached: dict[object, Reached] = {}

    def inherit(self, other: PlacedFacts, without: str = "") -> None:
        super().inherit(other, without)
        if isinstance(other, PlacedStates):
            self.divided, self.reached = {*other.divided}, dict(other.reached)

    # --- Values ------------------------------------------------------------------------------------------------------

    def carried(self, one: CarriedValue, place: Term) -> tuple[int, str]:
        """The value of what is carried along at a position, and the label of the formula."""
        place = simple(place)
        if (known := self._literal(one, place)) is not None:
            return known
        found, k = self.reach(place), self.root.along.all.index(one)
        values = {c.values[k] for c in found.combinations}
        if len(values) > 1:
            raise DecideFirst(carried=place)
        (value,) = values
        label = self.g.fresh("carried")

        def proof(h: Goal) -> None:
            for _, case, labels in self.each_of(h, found, place):
                case.hyp(labels[k])

        self.g.have(one.formula(value, place), label, proof)
        self.literals[fkey(self.g.facts[label])] = label
        return value, label

    def divide_carried(self, place: Term, pending: str = "") -> None:
        """A case for each combination that is possible at a position; the values may contradict the fact `pending`."""
        found = self.reach(place)
        key = place, found.combinations
        if key in self.divided:
            raise Unplaced(f"the states at {self.g.text(place)}")
        for _, h, labels in self.each_of(self.g, found, place):
            case = self.under(h)
            case.divided.add(key)
            for label in labels:
                case.suppose(label)
            if not (pending and case.apart(pending, labels) and case.contradicted(pending)):
                case.prove()

    def apart(self, label: str, others: Sequence[str]) -> bool:
        """Whether a fact is true where none of the others is."""
        sets = [self.root.truths(self.g.facts[one]) for one in (label, *others)]
        return None not in sets and self.root.regular.t.both(*(one.yes for one in sets if one is not None)).empty

    def contradicted(self, label: str) -> bool:
        """Close the goal by a comparison that known values contradict; whether that was done."""
        raise NotImplementedError

    # --- Combinations ------------------------------------------------------------------------------------------------

    def combined(self, c: CarriedCombination, place: Term) -> Term:
        """That a combination holds at a position."""
        parts = [one.formula(v, place) for one, v in zip(self.root.along.all, c.values, strict=True)]
        if c.letter is not None:
            parts.append(self.root.lettered.is_letter(place, c.letter))
        return chained("&", parts)

    def one_of(self, combinations: tuple[CarriedCombination, ...], place: Term) -> Term:
        """That one of them does."""
        return chained("|", [self.combined(c, place) for c in combinations])

    def each_of(self, g: Goal, found: Reached, place: Term) -> list[tuple[CarriedCombination, Goal, list[str]]]:
        """A goal for each combination, with the labels of its parts."""
        many, out = len(found.combinations), []
        labels = [f"{g.fresh('state')}_{k}" for k in range(many)]
        goals = [g] if many == 1 else g.cases(found.label, *labels)
        for h, c, label in zip(goals, found.combinations, labels, strict=True):
            whole = found.label if many == 1 else label
            parts = [f"{h.fresh('part')}_{k}" for k in range(len(c.values) + (c.letter is not None))]
            if len(parts) > 1:
                h.use(whole, label=" ".join(parts), premises=0)
            out.append((c, h, parts if len(parts) > 1 else [whole]))
        return out

    def local(self, g: Goal) -> Self:
        """What is known without formulas about what is carried along, which an induction has no use for."""
        case = self.under(g)
        for label in [*case.supposed]:
            if self._about_carried(g.facts[label]):
                del case.supposed[label]
        return case

    def _about_carried(self, f: Term) -> bool:
        names = self.root.along.states
        return any(
            (s[0] == "app" and s[2][0][1][0] in names) or (s[0] == "ex" and self.root.along.remainder(s) is not None)
            for s in (f, *subterms(f))
        )

    def _known_context(self) -> TrackSet:
        return self.root.regular.t.both(
            *(one for label, one in self.supposed.items() if not self._about_carried(self.g.facts[label]))
        )

    def possible(self, *formulas: Term) -> bool:
        """Whether some string of this case, whatever it carries along, meets the formulas."""
        t, sets = self.root.regular.t, [self.root.truths(f) for f in formulas]
        return not t.both(self._known_context(), *(one.yes for one in sets if one is not None)).empty

    # --- Along the string --------------------------------------------------------------------------------------------

    def reach(self, place: Term) -> Reached:
        """What is possible at a position."""
        along, first = self.root.along, simple(("+", None, (self.root.along.row, num(1))))
        if not self.decide(at_most(first, place)):
            if not self.decide(equals(place, along.row)):
                raise Unplaced(f"what is carried along to {self.g.text(place)}")
            return self._moved_to(self.begin(), along.row, place)
        route = self._route(first, place)
        key = (tuple(route), len(along.all), tuple(self.supposed), tuple(self.letters))
        if key in self.reached:
            return self.reached[key]
        found = self._onward(self.begin(), along.row, first)
        for start, end in zip(route, route[1:], strict=False):
            found = self._between(found, start, end)
        self.reached[key] = found
        return found

    def _moved_to(self, found: Reached, old: Term, place: Term) -> Reached:
        """The same at a position that is the same."""
        if old == place:
            return found
        same, label = self.established(equals(place, old)), self.g.fresh("at")

        def proof(h: Goal) -> None:
            h.rewrite(same)
            h.hyp(found.label)

        self.g.have(self.one_of(found.combinations, place), label, proof)
        return Reached(label, found.combinations)

    def _route(self, first: Term, place: Term) -> list[Term]:
        """The named positions from the first one to a position, as far as their order is known."""
        out = [first, place] if first != place else [first]
        for p in dict.fromkeys(map(simple, [*self.letters, *self.places])):
            if p in out:
                continue
            for k in range(1, len(out)):
                if self._in_order(out[k - 1], p) and self._in_order(p, out[k]):
                    out.insert(k, p)
                    break
        return out

    def _in_order(self, a: Term, b: Term) -> bool:
        f = at_most(a, b)
        return self.truth(f) or (self.root.truths(f) is not None and self.follows(f))

    def begin(self) -> Reached:
        """What holds at the row before the first symbol."""
        along, lettered = self.root.along, self.root.lettered
        values, labels = [], []
        for one in along.all:
            label, value = lettered.share(self.g, one.begin()), one.first
            if one.row != along.row:  # a token that the model adds stands there
                before = lettered.problem.before or 0
                moved = self.g.fresh("row")
                inside = self.inside(along.row)
                self.g.use(
                    lettered.share(self.g, one.step(value, before)), self.g.text(along.row), f"#{inside}",
                    f"#{label}", f"#{lettered.share(self.g, lettered.added(before))}", label=moved,
                )  # fmt: skip
                label, value = moved, one.moves[value][before]
            values.append(value)
            labels.append(label)
        c, out = CarriedCombination(tuple(values), None), self.g.fresh("begin")
        self.g.have(self.combined(c, along.row), out, lambda h: joined(h, labels))
        return Reached(out, (c,))

    def _onward(self, found: Reached, old: Term, place: Term) -> Reached:
        """What is possible at the next position."""
        inside, is_letter = self.insides(place), self.root.lettered.is_letter
        pairs: Pairs = {
            (c.letter, b)
            for c in found.combinations
            for b in self.root.lettered.problem.letters
            if self.possible(*[is_letter(old, a) for a in [c.letter] if a is not None], is_letter(place, b))
        }
        new = [self._after(c, b) for c in found.combinations for a, b in sorted(pairs, key=str) if a == c.letter]
        kept, label = tuple(dict.fromkeys(new)), self.g.fresh("reached")

        def proof(h: Goal) -> None:
            for c, k, labels in self.each_of(h, found, old):
                self.under(k).step(k, c, labels, place, inside, kept, pairs)

        self.g.have(self.one_of(kept, place), label, proof)
        return Reached(label, kept)

    def insides(self, place: Term) -> tuple[str, ...]:
        """The labels of the facts that a term is a position, and after each row."""
        return (self.inside(place), *(self.established(one.inside(place)) for one in self.root.along.all))

    def _after(self, c: CarriedCombination, letter: int) -> CarriedCombination:
        moved = zip(self.root.along.all, c.values, strict=True)
        return CarriedCombination(tuple([one.moves[v][letter] for one, v in moved]), letter)

    def step(
        self, g: Goal, c: CarriedCombination, labels: list[str], place: Term, inside: tuple[str, ...],
        new: tuple[CarriedCombination, ...], pairs: Pairs,
    ) -> None:  # fmt: skip
        """Close a goal that one of `new` holds at a position, where `c` held at the one before by the labels."""
        lettered = self.root.lettered

        def close(h: Goal, a: int, letter: str) -> None:
            if (c.letter, a) not in pairs or self._after(c, a) not in new:
                case = self.local(h)
                if c.letter is not None:
                    case.suppose(labels[-1])
                case.suppose(letter)
                return case.refute()
            to = self._after(c, a)
            made = []
            for one, v, label, there in zip(self.root.along.all, c.values, labels, inside[1:], strict=False):
                made.append(h.fresh("to"))
                move = lettered.share(h, one.step(v, a))
                h.use(move, h.text(place), f"#{there}", f"#{label}", f"#{letter}", label=made[-1])
            picked(h, new.index(to), len(new))
            joined(h, [*made, letter])
            return None

        lettered.cases(g, g.text(place), inside[0], close)

    def _between(self, found: Reached, start: Term, end: Term) -> Reached:
        """What is possible at the next named position: step by step where it is a few symbols further."""
        steps = self._few(start, end)
        if steps is not None:
            rows = [simple(("+", None, (start, num(k)))) for k in range(steps + 1)]
            for old, new in pairwise(rows):
                found = self._kept(self._onward(found, old, new), new)
            return self._moved_to(found, rows[-1], end)
        if self._in_order(after := simple(("+", None, (start, num(1)))), end):
            found, start = self._onward(found, start, after), after
        if start == end:
            return self._kept(found, end)
        y, lettered = var(self.g.fresh("y"), "Int"), self.root.lettered
        after = simple(("+", None, (y, num(1))))
        there = [at_most(start, y), at_most(after, end)]
        letters = lettered.problem.letters
        pairs: Pairs = {
            (a, b) for a in letters for b in letters
            if self.possible(*there, lettered.is_letter(y, a), lettered.is_letter(after, b))
        }  # fmt: skip
        reached = list(found.combinations)
        for c in reached:
            more = {self._after(c, b): None for b in letters if (c.letter, b) in pairs}
            reached += [one for one in more if one not in reached]
            if len(reached) > MOST_COMBINED:
                raise Unplaced(f"more than {MOST_COMBINED} states")
        every = tuple(reached)
        whole = self._induction(found, start, end, y, every, pairs)
        label = self.g.fresh("reached")
        order = self.established(at_most(start, end))
        self.g.use(whole, self.g.text(end), f"#{order}", "!", label=label)
        return self._kept(Reached(label, every), end)

    def _few(self, start: Term, end: Term) -> int | None:
        """How many symbols further a position is; None for more than a few, or where that is open."""
        steps = normal.constant(nf(("-", None, (end, start))))
        if steps is not None:
            return int(steps) if 0 < steps <= MOST_SINGLE else None
        near = [("+", None, (start, num(k))) for k in range(FEW + 1)]
        if not self.follows(at_most(end, near[-1])):
            return None
        for k, place in enumerate(near):
            within = self.decided(most := at_most(end, place))
            if within is None:
                raise DecideFirst(most)
            if within:
                return k
        return None

    def _induction(
        self, found: Reached, start: Term, end: Term, y: Term, every: tuple[CarriedCombination, ...], pairs: Pairs
    ) -> str:
        """The label of: from one position to another, one of these combinations holds."""
        g = self.g
        fits = ("->", None, (at_most(y, end), self.one_of(every, y)))
        show = ("all", "Int", (abstract(("->", None, (at_most(start, y), fits)), (y,)),))
        label = g.fresh("all")

        def proof(h: Goal) -> None:
            base, step = h.induct(y[1][0], low := h.fresh("low"), before := h.fresh("before"))
            base.intro(base.fresh("fits"))
            for c, k, labels in self.each_of(base, found, start):
                picked(k, every.index(c), len(every))
                joined(k, labels)
            high, now = step.fresh("high"), step.fresh("now")
            step.intro(high)
            step.use(before, lambda k: k.auto([high], degree=1, rounds=0), label=now)
            case = self.under(step)
            case.name(y)
            case.suppose(low)
            case.suppose(high)
            inside = case.insides(after := simple(("+", None, (y, num(1)))))
            for c, k, labels in self.each_of(step, Reached(now, every), y):
                case.under(k).step(k, c, labels, after, inside, every, pairs)

        g.have(show, label, proof)
        return label

    def _kept(self, found: Reached, place: Term) -> Reached:
        """Without combinations that what is known of a position contradicts."""
        lettered, along = self.root.lettered, self.root.along.all
        known = [self._literal(one, place) for one in along]
        letters = {a for a in lettered.problem.letters if self.possible(lettered.is_letter(place, a))}
        kept = tuple(
            c for c in found.combinations
            if c.letter in letters and all(one is None or one[0] == v for one, v in zip(known, c.values, strict=True))
        )  # fmt: skip
        if len(kept) == len(found.combinations) or not kept:
            return found
        label = self.g.fresh("kept")

        def proof(h: Goal) -> None:
            for c, k, labels in self.each_of(h, found, place):
                if c in kept:
                    picked(k, kept.index(c), len(kept))
                    joined(k, labels)
                    continue
                wrong = [n for n, one in enumerate(known) if one is not None and one[0] != c.values[n]]
                if wrong:
                    k.contra(k.fresh("no"))
                    along[wrong[0]].apart(k, labels[wrong[0]], known[wrong[0]][1])  # type: ignore[index]
                    continue
                case = self.local(k)
                case.suppose(labels[-1])
                case.refute()

        self.g.have(self.one_of(kept, place), label, proof)
        return Reached(label, kept)

    def _literal(self, one: CarriedValue, place: Term) -> tuple[int, str] | None:
        """The value that is known."""
        for value in one.moves:
            label = self.literals.get(fkey(f := one.formula(value, place)))
            if label is not None and self.g.facts.get(label) == f:
                return value, label
        return None

    def refute(self) -> None:
        """Close the goal in a case that no string has."""
        raise NotImplementedError


def chained(tag: str, parts: Sequence[Term]) -> Term:
    """A conjunction or a disjunction of formulas."""
    return reduce(lambda a, b: (tag, None, (a, b)), parts)


def joined(g: Goal, labels: list[str]) -> None:
    """A conjunction from its parts."""
    if len(labels) == 1:
        return g.hyp(labels[0])
    for part, label in zip(g.split(), labels, strict=True):
        part.hyp(label)
    return None


def picked(g: Goal, k: int, many: int) -> None:
    """One part of a disjunction, by its number."""
    while many > 1 and k < many - 1:
        g.pick("left")
        many -= 1
    if many > 1:
        g.pick("right")
