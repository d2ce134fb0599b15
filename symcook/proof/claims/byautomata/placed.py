"""Certificates for fragment A: a claim that automata decide true is proved by cases on positions and their tokens.

A case has named positions, facts about their order and their tokens, and supposed formulas. The automata of `regular`
decide which formulas follow in a case, so that no false formula is tried. A formula that follows is proved by its
connective or by the values of its terms. If neither a formula nor its negation follows, the case is divided in two. A
case that no string has is refuted by a minimal set of its formulas. `placedvalues` has the values of the run, and
`placedbounds` their bounds. `placedstates` finds by induction what is carried along a string, such as the state of an
automaton.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import NamedTuple

from symcook.proof.claims.byautomata.carried import CarriedAlong
from symcook.proof.claims.byautomata.kinds import TruthSets
from symcook.proof.claims.byautomata.regular import Regular
from symcook.proof.claims.byautomata.tracks import TrackSet
from symcook.proof.claims.bycounts.lettered import Lettered
from symcook.proof.claims.bycounts.problem import N, W
from symcook.proof.claims.bycounts.truth import DecidedFormulas, letter_at
from symcook.proof.inequalities import reify
from symcook.proof.normal import fkey, nf
from symcook.proof.search.attempts import attempted, result_of
from symcook.proof.search.opengoal import NoResult
from symcook.proof.search.ranges import equals
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import (
    COMPARISONS,
    Term,
    flatten,
    free,
    negation,
    num,
    replace,
    subterms,
    var,
)

MOST_STEPS = 5_000
"""The greatest number of cases and values of one proof. Of the proofs by cases of 29 claims of an unseen set, the
longest took 1,640 in 1.5 s. One of 24 further claims took 3,222."""
MOST_NAMED = 6
"""The greatest number of named positions of a case: an automaton has a track for each. Those proofs needed at
most 5."""


class Unplaced(NoResult):
    """A case that stays open; the text says why."""


class DecideFirst(Exception):
    """Something has to be decided before the goal can be closed: the formula `formula`, the token at the position
    `letter`, or the values carried along to the position `carried`. Where all are None, a position was named, and the
    goal has to be tried again."""

    def __init__(self, formula: Term | None = None, letter: Term | None = None, carried: Term | None = None) -> None:
        super().__init__()
        self.formula, self.letter, self.carried = formula, letter, carried
        self.named = formula is letter is carried is None


class PlacedRules(NamedTuple):
    """The functions that decide a case: `prove` closes its goal, `refute` closes it in a case that no string has,
    `contradicted` closes it by a comparison that the case contradicts, if it can, and `values` gives atoms their values
    by tag. They are passed along so that this module need not import theirs."""

    prove: Callable[[PlacedFacts], None]
    refute: Callable[[PlacedFacts], None]
    contradicted: Callable[[PlacedFacts, str], bool]
    values: Mapping[str, Callable[[PlacedFacts, Term], str | tuple[Term, str]]]


class PlacedRoot:
    """What all cases of one proof share: the automata, the tokens, the rules, and the number of steps so far. `sets`
    has the truths of formulas, `nearest` the labels of facts that are proved before all cases (`placedbest`)."""

    def __init__(self, regular: Regular, lettered: Lettered, rules: PlacedRules) -> None:
        self.regular, self.lettered, self.problem, self.rules = regular, lettered, lettered.problem, rules
        self.along = CarriedAlong(lettered, regular)
        self.steps = count()
        self.sets: dict[Term, TruthSets | None] = {}
        self.nearest: dict[Term, str] = {}
        self.contexts: dict[tuple[TrackSet, ...], TrackSet] = {}

    def step(self) -> None:
        """Count one step of work; Unplaced after `MOST_STEPS`."""
        if next(self.steps) >= MOST_STEPS:
            raise Unplaced(f"the search needs more than {MOST_STEPS:,} steps of work")

    def context(self, sets: tuple[TrackSet, ...]) -> TrackSet:
        """The intersection of sets; that of a case is made from that of the case around it, by one more set."""
        if sets not in self.contexts:
            before = self.contexts.get(sets[:-1])
            parts = sets if before is None else (before, sets[-1])
            self.contexts[sets] = self.regular.t.both(*parts)
        return self.contexts[sets]

    def truths(self, f: Term) -> TruthSets | None:
        """Where a formula is true and false, with a track for each free position; None where automata cannot decide."""
        if f not in self.sets:
            self.sets[f] = result_of(attempted(lambda: self.regular.formula(tracked(f))))
        return self.sets[f]


def tracked(t: Term) -> Term:
    """A formula or term with a track for each of its free positions."""
    for v in free(t):
        if v[1][1] == "Int" and v != N:
            t = replace(t, v, var(f"@.{v[1][0]}", "Int"))
    return t


def simple(t: Term) -> Term:
    """A term in its normal form."""
    return reify.term(nf(t))


class CarriedCombination(NamedTuple):
    """The carried values, in the order of `CarriedAlong.all`, and the symbol at the position; `letter` is None before
    the first symbol."""

    values: tuple[int, ...]
    letter: int | None


class Reached(NamedTuple):
    """The combinations that are possible at a position, and the label of the fact that one of them holds."""

    label: str
    combinations: tuple[CarriedCombination, ...]


class PlacedFacts(DecidedFormulas):
    """The facts of one case, and the decisions of automata about what follows from them."""

    def __init__(self, root: PlacedRoot, g: Goal) -> None:
        super().__init__(g)
        self.root = root
        # Label of a supposed formula -> the strings, with positions, in which the formula is not false.
        self.supposed: dict[str, TrackSet] = {}
        self.places: list[Term] = []  # the named positions
        # Position -> the token there, and the label of the fact.
        self.letters: dict[Term, tuple[int, str]] = {}
        self.orders: list[str] = []  # labels of the facts about the order of positions
        # Atom -> its value, and the label of the equation.
        self.values: dict[Term, tuple[Term, str]] = {}
        self.extremes: set[object] = set()  # first and last positions of a token that were named (`nameable`)
        self.divided: set[object] = set()  # questions that were asked before, so that none is asked twice
        self.reached: dict[object, Reached] = {}  # route, suppositions and tokens -> what may be carried
        self.pending = ""  # label of a fact that contradicts the others, and is to be falsified
        # Whether undecided atoms at candidate positions may be asked for (`placedrefuted._false_instance`).
        self.nearer_too = False

    def under(self, g: Goal, without: str = "") -> PlacedFacts:
        """The same facts for a branch of the goal. With `without`, the fact with that label is given up, and all facts
        whose proof may have used it."""
        inner = self.copy()
        inner.g, inner.pending = g, without or self.pending
        if without:
            inner._forget(without)
        return inner

    def _forget(self, label: str) -> None:
        """Give up a supposed formula, and the facts whose proof may have used it."""
        del self.supposed[label]
        self.values = {}
        self.letters = {t: token_fact for t, token_fact in self.letters.items() if token_fact[1] in self.supposed}
        # Facts about the order of positions are kept, and so are other suppositions; any other fact may depend on the
        # formula.
        order_labels = {k for k, f in self.g.facts.items() if all(map(ordered, flatten("&", f)))}
        kept_labels = order_labels | {*self.supposed}
        self.literals = {key: k for key, k in self.literals.items() if k in kept_labels and k != label}
        self.orders = [k for k in self.orders if k != label]
        for k in self.orders:  # an order that was proved by means of the formula becomes a supposition
            truths = self.root.truths(f := self.g.facts[k])
            if truths is not None and not self.follows(f):
                self.supposed[k] = self.root.regular.t.complement(truths.no)

    # --- Goals -------------------------------------------------------------------------------------------------------

    def prove(self) -> None:
        """Close the goal, which follows from what is supposed."""
        self.root.rules.prove(self)

    def refute(self) -> None:
        """Close the goal in a case that no string has."""
        self.root.rules.refute(self)

    def first_needs(self, close: Callable[[PlacedFacts], None]) -> DecideFirst | None:
        """Close the goal by `close`; or what has to be decided before."""
        try:
            close(self)
        except DecideFirst as wanted:
            return wanted
        return None

    # --- What follows ------------------------------------------------------------------------------------------------

    @property
    def context(self) -> TrackSet:
        """The strings of this case, with their positions."""
        return self.root.context(tuple(dict.fromkeys(self.supposed.values())))

    def follows(self, f: Term, within: TrackSet | None = None) -> bool:
        """Whether a formula is true in all strings of this case, or in all strings of `within`."""
        truths = self.root.truths(f)
        return truths is not None and self.root.regular.t.inside(within or self.context, truths.yes)

    def answer(self, f: Term) -> bool | None:
        """True where a formula follows in this case, False where its negation does, None where neither does."""
        truths = self.root.truths(f)
        if truths is None:
            return None
        inside, here = self.root.regular.t.inside, self.context
        if inside(here, truths.yes):
            return True
        return False if inside(here, truths.no) else None

    # --- Suppositions ------------------------------------------------------------------------------------------------

    def suppose(self, label: str) -> None:
        """Add the fact `label` to the case: its parts, the token or the order that it states, and its strings."""
        g, f = self.g, self.g.facts[label]
        self.literals.setdefault(fkey(f), label)
        if f[0] == "&":
            stem = g.fresh("and")
            parts = [f"{stem}_{k}" for k in range(len(flatten("&", f)))]
            g.use(label, label=" ".join(parts))
            for part in parts:
                self.suppose(part)
            return
        # A statement on a remainder is rewritten in the form of the carried remainder; of any other existence a witness
        # is named.
        remainder = self.root.along.remainder(f)
        if remainder is not None:
            if f != remainder.carried.formula(remainder.residue, remainder.place):
                new = g.fresh("rest")
                remainder.carried.have_formula(g, label, remainder, new)
                self.suppose(new)
        elif f[0] == "ex":
            name, so = g.fresh("x"), g.fresh("so")
            g.obtain(label, name, so)
            self.name(var(name, f[1]))
            self.suppose(so)
            return
        # ~(a <= b) is b < a
        if f[0] == "~" and f[2][0][0] in ("<=", "<"):
            new = g.fresh("not")
            g.have(negation(f[2][0]), new, lambda h: h.hyp(label))
            self.suppose(new)
            return
        if (letter := letter_at(f)) is not None:
            self.letters.setdefault(simple(letter[0]), (letter[1], label))
        elif ordered(f):
            self.order(label)
        truths = self.root.truths(f)
        if truths is not None:
            # The strings in which f is true, or undefined since it reads outside of the string.
            self.supposed[label] = self.root.regular.t.complement(truths.no)

    def name(self, place: Term) -> None:
        """Add a name of a position."""
        if len(self.places) >= MOST_NAMED:
            raise Unplaced(f"the search needs more than {MOST_NAMED} named positions")
        self.places.append(place)

    def order(self, label: str) -> None:
        """Add a fact about the order of positions, also in the form that it has over the integers."""
        g, f = self.g, self.g.facts[label]
        self.orders.append(label)
        if f[0] == "<":
            new = g.fresh("next")
            g.use("ax:int_lt", *(g.text(t) for t in f[2]), f"#{label}", label=new)
            self.orders.append(new)

    # --- Positions ---------------------------------------------------------------------------------------------------

    def candidates(self) -> list[Term]:
        """Positions to try: the named ones, the ends of the string, and the neighbours of these."""
        ends = [self.root.lettered.low, self.root.lettered.high]
        out = dict.fromkeys(map(simple, [*reversed(self.places), *ends]))
        for step in (-1, 1):
            out |= dict.fromkeys(simple(("+", None, (t, num(step)))) for t in [*out])
        return [*out]

    def inside(self, place: Term) -> str:
        """The label of the fact that a term is a position; DecideFirst where that is undecided, Unplaced where it is
        false."""
        f = self.root.lettered.inside(place)
        for part in f[2]:
            if not self.follows(part):
                if self.decided(part) is False:
                    raise Unplaced(f"{self.g.text(place)}, which is not a position")
                raise DecideFirst(part)
        # Each bound is a fact of its own, so that the order of positions is known where a supposition is given up.
        for part in f[2]:
            self.established(part)
        return self.established(f)

    def decided(self, f: Term) -> bool | None:
        """True where a formula is a fact or follows, False where its negation is a fact or follows, else None."""
        truth_of_fact = self.truth(f)
        return self.answer(f) if truth_of_fact is None else truth_of_fact

    def established(self, f: Term) -> str:
        """The label of a formula that follows; it is proved if it is not a fact yet."""
        # ~(a <= b) is stored as b < a, and so on.
        if f[0] == "~" and f[2][0][0] in ("<=", "<", "~"):
            f = negation(f[2][0])
        key = fkey(f)
        if key in self.literals and self.g.facts.get(self.literals[key]) == f:
            return self.literals[key]
        label = self.g.fresh("so")
        self.g.have(f, label, lambda h: self.under(h).prove())
        self.literals[key] = label
        if ordered(f) and f[0] in COMPARISONS:
            self.order(label)
        return label

    def decide(self, f: Term) -> bool:
        """True where a formula follows, False where its negation does; the one that follows is then proved. DecideFirst
        where neither does."""
        value = self.decided(f)
        if value is None:
            raise self.split(f)
        self.established(f if value else ("~", None, (f,)))
        return value

    def split(self, f: Term) -> DecideFirst:
        """The exception for the first decision that an undecided formula needs."""
        # Of a connective, the first undecided part. The last line is for inequalities and quantified formulas.
        for connective in ("&", "|", "->", "~"):
            if f[0] == connective:
                undecided = [k for k in f[2] if self.decided(k) is None]
                return self.split(undecided[0]) if undecided else DecideFirst(f)
        # For w(p) = a, which token is at p; for any other equation, one of the two inequalities.
        if f[0] == "=" and f[2][0][0] == "app" and f[2][0][2][0] == W:
            return DecideFirst(letter=simple(f[2][0][2][1]))
        if f[0] == "=":
            for sides in (f[2], f[2][::-1]):
                if self.decided(half := ("<=", None, sides)) is None:
                    return DecideFirst(half)
        return DecideFirst(f)

    def at_letter(self, place: Term) -> tuple[int, str]:
        """The token at a position, with the label of the fact; DecideFirst where it is not decided."""
        place = simple(place)
        if place not in self.letters:
            for a in self.root.problem.letters:
                f = self.root.lettered.is_letter(place, a)
                if self.follows(f):
                    self.letters[place] = a, self.established(f)
                    break
            else:
                raise DecideFirst(letter=place)
        return self.letters[place]

    def same_place(self, place: Term) -> Term | None:
        """Another position that is equal to this one, and whose token is known; None where there is none."""
        for known_place in self.letters:
            if known_place != place and self.follows(equals(place, known_place)):
                return known_place
        return None


def ordered(f: Term) -> bool:
    """Whether a formula compares only positions and numbers."""
    return f[0] in COMPARISONS and not any(s[0] in ("app", "sum", "prod", "fn", "ind", "/") for s in subterms(f))
