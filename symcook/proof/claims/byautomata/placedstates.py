"""Carried values in a case of a proof by positions: by an induction from each named position to the next.

At the first position and at each named one, one of finitely many combinations holds. A combination has a value for each
carried value (`carried`), and the symbol at the position. From one named position to the next, combinations change by
the pairs of neighbouring symbols that the case allows. Other pairs are refuted; all combinations that may result are
kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from itertools import pairwise

from symcook.proof import normal
from symcook.proof.claims.byautomata.carried import CarriedValue
from symcook.proof.claims.byautomata.placed import (
    CarriedCombination,
    DecideFirst,
    PlacedFacts,
    Reached,
    Unplaced,
    simple,
)
from symcook.proof.claims.byautomata.tracks import TrackSet
from symcook.proof.normal import fkey, nf
from symcook.proof.search.ranges import at_most, equals
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term, abstract, num, subterms, var

MOST_COMBINED = 200
"""The greatest number of combinations at a position. Of 24 claims of an unseen set, none had more than 9."""
MOST_SINGLE = 8
"""Two named positions at most so far apart are joined by single steps, without an induction. An induction has a base
and a step, each a proof of its own."""

FEW = 3
"""If the case implies that two named positions are at most so far apart, their distance is decided. Each possible
distance is a case."""

Pairs = set[tuple[int | None, int]]
"""Pairs of a symbol (None before the first one) and a symbol that may follow it."""


# --- Values -----------------------------------------------------------------------------------------------------------


def carried_value(case: PlacedFacts, carried: CarriedValue, place: Term) -> tuple[int, str]:
    """The value that is carried along to a position, and the label of its formula."""
    place = simple(place)
    if (value_fact := _stated_value(case, carried, place)) is not None:
        return value_fact
    # The combinations that are possible there must agree on this value.
    reached, k = _reach(case, place), case.root.along.all.index(carried)
    values = {c.values[k] for c in reached.combinations}
    if len(values) > 1:
        raise DecideFirst(carried=place)
    (value,) = values
    label = case.g.fresh("carried")

    def proof(h: Goal) -> None:
        """By cases: part k of each combination is the goal."""
        for _, inner, labels in _each_of(case, h, reached):
            inner.hyp(labels[k])

    case.g.have(carried.formula(value, place), label, proof)
    case.literals[fkey(case.g.facts[label])] = label
    return value, label


def divide_carried(case: PlacedFacts, place: Term, pending: str = "") -> None:
    """Close the goal by a case for each combination that is possible at a position. A combination that contradicts the
    fact `pending` may close its case at once."""
    reached = _reach(case, place)
    key = place, reached.combinations
    if key in case.divided:
        raise Unplaced(f"the search has no rule for the states at {case.g.text(place)}")
    for _, h, labels in _each_of(case, case.g, reached):
        inner = case.under(h)
        inner.divided.add(key)
        for label in labels:
            inner.suppose(label)
        if not (pending and _never_with(inner, pending, labels) and case.root.rules.contradicted(inner, pending)):
            inner.prove()


def _never_with(case: PlacedFacts, label: str, others: Sequence[str]) -> bool:
    """Whether no string makes the fact `label` and all of `others` true; False where automata cannot decide it."""
    sets = [case.root.truths(case.g.facts[fact_label]) for fact_label in (label, *others)]
    return (
        None not in sets
        and not case.root.regular.t.meet(*(truth_sets.yes for truth_sets in sets if truth_sets is not None))
    )


# --- Combinations -----------------------------------------------------------------------------------------------------


def _combined(case: PlacedFacts, c: CarriedCombination, place: Term) -> Term:
    """The formula that a combination holds at a position."""
    parts = [carried.formula(v, place) for carried, v in zip(case.root.along.all, c.values, strict=True)]
    if c.letter is not None:
        parts.append(case.root.lettered.is_letter(place, c.letter))
    return chained("&", parts)


def _one_of(case: PlacedFacts, combinations: tuple[CarriedCombination, ...], place: Term) -> Term:
    """The formula that one of some combinations holds at a position."""
    return chained("|", [_combined(case, c, place) for c in combinations])


def _each_of(case: PlacedFacts, g: Goal, reached: Reached) -> list[tuple[CarriedCombination, Goal, list[str]]]:
    """For each combination that is possible: the combination, the goal of its case, and the labels of its parts."""
    count, out = len(reached.combinations), []
    labels = [f"{g.fresh('state')}_{k}" for k in range(count)]
    goals = [g] if count == 1 else g.cases(reached.label, *labels)
    for h, c, label in zip(goals, reached.combinations, labels, strict=True):
        combination_label = reached.label if count == 1 else label
        # A combination is a conjunction: its parts get labels.
        parts = [f"{h.fresh('part')}_{k}" for k in range(len(c.values) + (c.letter is not None))]
        if len(parts) > 1:
            h.use(combination_label, label=" ".join(parts), premises=0)
        out.append((c, h, parts if len(parts) > 1 else [combination_label]))
    return out


def _without_carried(case: PlacedFacts, g: Goal) -> PlacedFacts:
    """The facts at a branch of the goal, without suppositions about carried values, which hold at one position only and
    do not help an induction."""
    inner = case.under(g)
    for label in [*inner.supposed]:
        if _about_carried(case, g.facts[label]):
            del inner.supposed[label]
    return inner


def _about_carried(case: PlacedFacts, f: Term) -> bool:
    """Whether a formula is about a state or a carried remainder."""
    names = case.root.along.states
    return any(
        (s[0] == "app" and s[2][0][1][0] in names) or (s[0] == "ex" and case.root.along.remainder(s) is not None)
        for s in (f, *subterms(f))
    )


def _known_context(case: PlacedFacts) -> TrackSet:
    """The strings of this case, without the suppositions about carried values."""
    return case.root.regular.t.both(
        *(strings for label, strings in case.supposed.items() if not _about_carried(case, case.g.facts[label]))
    )


def _some_string_meets(case: PlacedFacts, *formulas: Term) -> bool:
    """Whether some string of `_known_context` meets the formulas; a formula that automata cannot decide is left out."""
    t, sets = case.root.regular.t, [case.root.truths(f) for f in formulas]
    return t.meet(_known_context(case), *(truth_sets.yes for truth_sets in sets if truth_sets is not None))


# --- Along the string -------------------------------------------------------------------------------------------------


def _reach(case: PlacedFacts, place: Term) -> Reached:
    """The combinations that are possible at a position, proved from the beginning of the string on."""
    along, first = case.root.along, simple(("+", None, (case.root.along.row, num(1))))
    # A position before the first one must be the row at which the carried values begin.
    if not case.decide(at_most(first, place)):
        if not case.decide(equals(place, along.row)):
            raise Unplaced(f"the search has no rule for the automaton's states at {case.g.text(place)}")
        return _at_other_name(case, _first_combination(case), along.row, place)
    # From each named position on the route to the next one; the result is stored for the same route and facts.
    route = _route(case, first, place)
    key = (tuple(route), len(along.all), tuple(case.supposed), tuple(case.letters))
    if key in case.reached:
        return case.reached[key]
    reached = _at_next_position(case, _first_combination(case), along.row, first)
    for start, end in zip(route, route[1:], strict=False):
        reached = _at_next_name(case, reached, start, end)
    case.reached[key] = reached
    return reached


def _at_other_name(case: PlacedFacts, reached: Reached, old: Term, place: Term) -> Reached:
    """The same combinations at another name of the position."""
    if old == place:
        return reached
    same, label = case.established(equals(place, old)), case.g.fresh("at")

    def proof(h: Goal) -> None:
        """Rewrite the new name into the old one."""
        h.rewrite(same)
        h.hyp(reached.label)

    case.g.have(_one_of(case, reached.combinations, place), label, proof)
    return Reached(label, reached.combinations)


def _route(case: PlacedFacts, first: Term, place: Term) -> list[Term]:
    """`first`, `place`, and the named positions between them whose place in the order is known, in order."""
    out = [first, place] if first != place else [first]
    for p in dict.fromkeys(map(simple, [*case.letters, *case.places])):
        if p in out:
            continue
        for k in range(1, len(out)):
            if _in_order(case, out[k - 1], p) and _in_order(case, p, out[k]):
                out.insert(k, p)
                break
    return out


def _in_order(case: PlacedFacts, a: Term, b: Term) -> bool:
    """Whether a <= b is known or follows."""
    f = at_most(a, b)
    return case.truth(f) or (case.root.truths(f) is not None and case.follows(f))


def _first_combination(case: PlacedFacts) -> Reached:
    """The combination before the first symbol."""
    along, lettered = case.root.along, case.root.lettered
    values, labels = [], []
    for carried in along.all:
        label, value = lettered.share(case.g, carried.begin()), carried.first
        # A value that begins one row earlier has read the token that the model adds.
        if carried.row != along.row:
            before = lettered.problem.before or 0
            moved = case.g.fresh("row")
            inside = case.inside(along.row)
            case.g.use(
                lettered.share(case.g, carried.step(value, before)), case.g.text(along.row), f"#{inside}",
                f"#{label}", f"#{lettered.share(case.g, lettered.added(before))}", label=moved,
            )  # fmt: skip
            label, value = moved, carried.moves[value][before]
        values.append(value)
        labels.append(label)
    c, out = CarriedCombination(tuple(values), None), case.g.fresh("begin")
    case.g.have(_combined(case, c, along.row), out, lambda h: joined(h, labels))
    return Reached(out, (c,))


def _at_next_position(case: PlacedFacts, reached: Reached, old: Term, place: Term) -> Reached:
    """The combinations that are possible at the next position."""
    inside, is_letter = _insides(case, place), case.root.lettered.is_letter
    # Which symbols may follow each other here, by the automata of the case.
    pairs: Pairs = set()
    for c in reached.combinations:
        before = [] if c.letter is None else [is_letter(old, c.letter)]
        letters = case.root.lettered.problem.letters
        pairs |= {(c.letter, b) for b in letters if _some_string_meets(case, *before, is_letter(place, b))}
    ordered_pairs = sorted(pairs, key=str)
    new = [_combination_after(case, c, b) for c in reached.combinations for a, b in ordered_pairs if a == c.letter]
    onward, label = tuple(dict.fromkeys(new)), case.g.fresh("reached")

    def proof(h: Goal) -> None:
        """By one step from each combination."""
        for c, k, labels in _each_of(case, h, reached):
            _step(case.under(k), k, c, labels, place, inside, onward, pairs)

    case.g.have(_one_of(case, onward, place), label, proof)
    return Reached(label, onward)


def _insides(case: PlacedFacts, place: Term) -> tuple[str, ...]:
    """The labels of the facts that a term is a position, and that it comes after the row of each carried value."""
    return (case.inside(place), *(case.established(carried.inside(place)) for carried in case.root.along.all))


def _combination_after(case: PlacedFacts, c: CarriedCombination, letter: int) -> CarriedCombination:
    """The combination after one more symbol."""
    moved = zip(case.root.along.all, c.values, strict=True)
    return CarriedCombination(tuple([carried.moves[v][letter] for carried, v in moved]), letter)


def _step(case: PlacedFacts, g: Goal, c: CarriedCombination, labels: list[str], place: Term, inside: tuple[str, ...],
    new: tuple[CarriedCombination, ...], pairs: Pairs,
) -> None:  # fmt: skip
    """Close the goal that one of the combinations `new` holds at a position; `c` holds at the position before, by the
    facts `labels`."""
    lettered = case.root.lettered

    def close(h: Goal, a: int, letter: str) -> None:
        """Close the goal in the case that the symbol `a` is at the position, by the fact `letter`."""
        # No string of the case has this pair of neighbours: that is refuted without the carried values.
        if (c.letter, a) not in pairs or _combination_after(case, c, a) not in new:
            inner = _without_carried(case, h)
            if c.letter is not None:
                inner.suppose(labels[-1])
            inner.suppose(letter)
            return inner.refute()
        # Each carried value has its own step; the combination that results is one side of the disjunction.
        to = _combination_after(case, c, a)
        new_labels = []
        for carried, v, label, there in zip(case.root.along.all, c.values, labels, inside[1:], strict=False):
            new_labels.append(h.fresh("to"))
            move = lettered.share(h, carried.step(v, a))
            h.use(move, h.text(place), f"#{there}", f"#{label}", f"#{letter}", label=new_labels[-1])
        picked(h, new.index(to), len(new))
        joined(h, [*new_labels, letter])
        return None

    lettered.cases(g, g.text(place), inside[0], close)


def _at_next_name(case: PlacedFacts, reached: Reached, start: Term, end: Term) -> Reached:
    """The combinations that are possible at the next named position: by single steps where it is a few symbols further,
    else by induction from the position after `start`."""
    steps = _small_distance(case, start, end)
    if steps is not None:
        rows = [simple(("+", None, (start, num(k)))) for k in range(steps + 1)]
        for old, new in pairwise(rows):
            reached = _agreeing(case, _at_next_position(case, reached, old, new), new)
        return _at_other_name(case, reached, rows[-1], end)
    if _in_order(case, after := simple(("+", None, (start, num(1)))), end):
        reached, start = _at_next_position(case, reached, start, after), after
    return _agreeing(case, reached if start == end else _by_induction(case, reached, start, end), end)


def _by_induction(case: PlacedFacts, reached: Reached, start: Term, end: Term) -> Reached:
    """The combinations that are possible at a later position: all that any number of steps leads to, by induction over
    the positions y in between."""
    y, lettered = var(case.g.fresh("y"), "Int"), case.root.lettered
    # The neighbours that the case allows somewhere between the two positions.
    after = simple(("+", None, (y, num(1))))
    there = [at_most(start, y), at_most(after, end)]
    letters = lettered.problem.letters
    pairs: Pairs = {
        (a, b) for a in letters for b in letters
        if _some_string_meets(case, *there, lettered.is_letter(y, a), lettered.is_letter(after, b))
    }  # fmt: skip
    combinations = list(reached.combinations)
    for c in combinations:  # the list grows while a step leads to a new combination
        following = {_combination_after(case, c, b): None for b in letters if (c.letter, b) in pairs}
        combinations += [combination for combination in following if combination not in combinations]
        if len(combinations) > MOST_COMBINED:
            raise Unplaced(f"the search needs more than {MOST_COMBINED} states")
    every = tuple(combinations)
    rule = _induction(case, reached, start, end, y, every, pairs)
    label = case.g.fresh("reached")
    order = case.established(at_most(start, end))
    case.g.use(rule, case.g.text(end), f"#{order}", "!", label=label)
    return Reached(label, every)


def _small_distance(case: PlacedFacts, start: Term, end: Term) -> int | None:
    """How many positions `end` is after `start`; None where the number is large or unknown. DecideFirst where the case
    implies a bound of `FEW`."""
    # The difference is a number, or it has a small bound: then it is decided.
    steps = normal.constant(nf(("-", None, (end, start))))
    if steps is not None:
        return int(steps) if 0 < steps <= MOST_SINGLE else None
    next_places = [("+", None, (start, num(k))) for k in range(FEW + 1)]
    if not case.follows(at_most(end, next_places[-1])):
        return None
    for k, place in enumerate(next_places):
        within = case.decided(most := at_most(end, place))
        if within is None:
            raise DecideFirst(most)
        if within:
            return k
    return None


def _induction(
    case: PlacedFacts,
    reached: Reached,
    start: Term,
    end: Term,
    y: Term,
    every: tuple[CarriedCombination, ...],
    pairs: Pairs,
) -> str:
    """The label of the fact that one of the combinations `every` holds at each position from `start` to `end`."""
    g = case.g
    # Induction over y from `start`: if y <= end, one of the combinations holds at y.
    fits = ("->", None, (at_most(y, end), _one_of(case, every, y)))
    show = ("all", "Int", (abstract(("->", None, (at_most(start, y), fits)), (y,)),))
    label = g.fresh("all")

    def proof(h: Goal) -> None:
        """At `start` by the fact `reached`; from y to y + 1 by one step of each combination."""
        # The base case: each combination at `start` is one side of the disjunction.
        base, step = h.induct(y[1][0], low := h.fresh("low"), before := h.fresh("before"))
        base.intro(base.fresh("fits"))
        for c, k, labels in _each_of(case, base, reached):
            picked(k, every.index(c), len(every))
            joined(k, labels)
        # The step: `high` is y + 1 <= end, so that the disjunction holds at y (`now`).
        high, now = step.fresh("high"), step.fresh("now")
        step.intro(high)
        step.use(before, lambda k: k.auto([high], degree=1, rounds=0), label=now)
        inner = case.under(step)
        inner.name(y)
        inner.suppose(low)
        inner.suppose(high)
        inside = _insides(inner, after := simple(("+", None, (y, num(1)))))
        for c, k, labels in _each_of(case, step, Reached(now, every)):
            _step(inner.under(k), k, c, labels, after, inside, every, pairs)

    g.have(show, label, proof)
    return label


def _agreeing(case: PlacedFacts, reached: Reached, place: Term) -> Reached:
    """The combinations that agree with the facts about a position; all of them where none would be left."""
    lettered, along = case.root.lettered, case.root.along.all
    # The values that are facts, and the symbols that some string of the case has here.
    known_values = [_stated_value(case, carried, place) for carried in along]
    letters = {a for a in lettered.problem.letters if _some_string_meets(case, lettered.is_letter(place, a))}

    def contradicted(c: CarriedCombination) -> list[int]:
        """The indices of the values of c that differ from known values."""
        return [n for n, value in enumerate(known_values) if value is not None and value[0] != c.values[n]]

    remaining = tuple(c for c in reached.combinations if c.letter in letters and not contradicted(c))
    if len(remaining) == len(reached.combinations) or not remaining:
        return reached
    label = case.g.fresh("kept")

    def proof(h: Goal) -> None:
        """Each remaining combination is a side of the new disjunction; each other one contradicts what is known."""
        for c, k, labels in _each_of(case, h, reached):
            if c in remaining:
                picked(k, remaining.index(c), len(remaining))
                joined(k, labels)
                continue
            # The combination has a value that differs from a known one, or a symbol that cannot be here.
            if wrong := contradicted(c):
                k.contra(k.fresh("no"))
                along[wrong[0]].contradiction(k, labels[wrong[0]], known_values[wrong[0]][1])  # type: ignore[index]
                continue
            inner = _without_carried(case, k)
            inner.suppose(labels[-1])
            inner.refute()

    case.g.have(_one_of(case, remaining, place), label, proof)
    return Reached(label, remaining)


def _stated_value(case: PlacedFacts, carried: CarriedValue, place: Term) -> tuple[int, str] | None:
    """The carried value at a position, where a fact states it, with the label of the fact; else None."""
    for value in carried.moves:
        label = case.literals.get(fkey(f := carried.formula(value, place)))
        if label is not None and case.g.facts.get(label) == f:
            return value, label
    return None


def chained(tag: str, parts: Sequence[Term]) -> Term:
    """The conjunction or the disjunction of formulas, bracketed from the left."""
    return reduce(lambda a, b: (tag, None, (a, b)), parts)


def joined(g: Goal, labels: list[str]) -> None:
    """Close a conjunction by the labels of its parts."""
    if len(labels) == 1:
        return g.hyp(labels[0])
    for part, label in zip(g.split(), labels, strict=True):
        part.hyp(label)
    return None


def picked(g: Goal, k: int, count: int) -> None:
    """Choose one part of a disjunction, bracketed from the left, as the goal, by its number."""
    while count > 1 and k < count - 1:
        g.pick("left")
        count -= 1
    if count > 1:
        g.pick("right")
