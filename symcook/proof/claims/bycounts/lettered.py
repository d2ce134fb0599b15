"""Proves the facts about the letters of a string: the axioms of counts, and the coordinates that a letter determines.

C_a(p) is the number of letters a up to the position p. The axioms: the counts up to p add up to the number of
positions, they grow with p, and a letter that the model adds is counted once. If numbers satisfy these axioms at
finitely many positions, there is a string with these counts; so no other facts about counts are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from symcook.errors import Rejected
from symcook.proof import grammar, normal
from symcook.proof.claims.bycounts.problem import HERE, LETTERS, VALUES, Equation, Problem, W, at
from symcook.proof.inequalities import reify
from symcook.proof.normal import Poly, nf
from symcook.proof.search.ranges import at_most, between, equals, ranged
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import TRUE, Term, abstract, flatten, free, instantiate, num, replace, subterms, var

THERE = var("j", "Int")
"""The index of sums over positions."""


def summand(g: Goal, inner: Term) -> str:
    """The text of the function j -> `inner`, in which bound names do not clash with the names of the goal."""
    return f"j. {grammar.show(inner, {*g.scope, *g.library.definitions, 'j'})}"


class Lettered:
    """Facts about the letters, each proved at its first use; `g` is the goal after the premises are introduced.

    The labels of the premises are ``some`` (there is a position), those that begin with ``word`` (the letters of the
    string), and ``run.K`` and ``truth.K`` (the equations of the model).
    """

    def __init__(self, problem: Problem, g: Goal) -> None:
        self.problem, self.g = problem, g
        self.low, self.high = problem.places
        self.below = reify.term(nf(("-", None, (self.low, num(1)))))
        self.premises = [*g.facts]  # the labels of the facts before anything is proved here
        self.bounds: dict[tuple[Term, Term, bool], Any] = {}  # bounds of the terms of sums: see `termsums`
        self.values: dict[str, dict[int, Term]] = {}  # by coordinate that a letter determines: its value by letter
        self.forms: dict[str, str] = {}  # by coordinate: the label of the fact that states its cases at each position
        for equation in problem.equations.values():
            if (by_letter := self._values_by_letter(equation)) is not None:
                self.values[equation.name] = by_letter

    def within(self, g: Goal) -> Lettered:
        """A `Lettered` for another goal `g` of the same problem. It proves its facts anew; which facts state the cases
        of coordinates (`forms`) is kept."""
        new = Lettered(self.problem, g)
        new.forms, new.premises = {**self.forms}, self.taken(g)
        # A bound None is being proved, or has no proof: it is not tried again here.
        new.bounds = {key: None for key, bound in self.bounds.items() if bound is None}
        return new

    def taken(self, g: Goal) -> list[str]:
        """The labels of the facts of a goal `g` that were not proved by this object."""
        return [label for label in g.facts if label in self.premises or label not in self.g.facts]

    def cases_of(self, name: str, place: Term) -> list[tuple[Term, Term]]:
        """The cases of a coordinate at a position, each a pair of a condition and an equation; empty if no fact states
        them, or if one of them is no equation."""
        if name not in self.forms:
            return []
        parts = flatten("&", instantiate(self.g.facts[self.forms[name]][2][0], (place,))[2][1])
        cases = [(part[2][0], part[2][1]) if part[0] == "->" else (TRUE, part) for part in parts]
        return cases if all(equation[0] == "=" for _, equation in cases) else []

    def one_term(self, name: str, sums: bool = False) -> Term | None:
        """The coordinate at `HERE` as one term, the sum of I[condition]*value over its cases; None if its cases are not
        known. Without `sums`, also None if the term has a sum up to `HERE`."""
        cases = self.cases_of(name, HERE)
        parts = [(guard, equation[2][1]) for guard, equation in cases if equation[2][1] != num(0)]
        terms = [_guarded(value, guard) for guard, value in parts]
        if not cases or (not sums and any(s[0] == "sum" and HERE in free(s) for term in terms for s in subterms(term))):
            return None
        return reduce(lambda a, b: ("+", None, (a, b)), terms) if terms else num(0)

    # --- Terms -----------------------------------------------------------------------------------------------------

    def is_letter(self, place: Term, letter: int) -> Term:
        """w(place) = letter."""
        return equals(at("w", place, LETTERS), num(letter))

    def bit(self, place: Term, letter: int) -> Term:
        """I[w(place) = letter]."""
        return ("ind", None, (self.is_letter(place, letter),))

    def count(self, letter: int, low: Term, high: Term) -> Term:
        """The number of occurrences of a letter from the position `low` to the position `high`."""
        return ("sum", None, (low, high, abstract(self.bit(THERE, letter), (THERE,))))

    def weighted(self, values: Mapping[int, Term], bit: Callable[[int], Term]) -> Term:
        """The sum of value*bit(letter) over the letters whose value is not 0."""
        parts = [("*", None, (value, bit(a))) for a, value in values.items() if value != num(0)]
        total = parts[0] if parts else num(0)
        for part in parts[1:]:
            total = ("+", None, (total, part))
        return total

    # --- Values by letter --------------------------------------------------------------------------------------------

    def put(self, t: Term, place: Term, letter: int) -> Term | None:
        """The term t with the values of w(place) and of the coordinates at `place` put in, if `letter` is there. None
        if the letter does not determine one of these coordinates."""
        t = replace(t, at("w", place, LETTERS), num(letter))
        for name in self.coordinates(t, place):
            if name not in self.values:
                return None
            truth = self.problem.equations[name].truth
            t = replace(t, at(name, place, LETTERS if truth else VALUES), self.values[name][letter])
        return t

    def at_letter(self, t: Term, place: Term, letter: int) -> Term | None:
        """The constant value of the term t, about `place`, if `letter` is there; None if the letter does not determine
        it."""
        with_letter = self.put(t, place, letter)
        try:
            return None if with_letter is None else fixed(nf(with_letter))
        except Rejected:
            return None

    def coordinates(self, t: Term, place: Term) -> list[str]:
        """The names of the coordinates at `place` that occur in the term t, sorted."""
        names = {s[2][0][1][0] for s in subterms(t) if s[0] == "app" and s[2][1:] == (place,) and s[2][0] != W}
        return sorted(names)

    def _values_by_letter(self, equation: Equation) -> dict[int, Term] | None:
        """The value of a coordinate for each letter at its position; None unless the letter alone determines it."""
        if (
            not self.problem.letters
            or equation.kind != "value"
            or any(s[0] in ("sum", "prod", "all", "ex") for s in subterms(equation.right))
        ):
            return None
        value_by_letter: dict[int, Term] = {}
        for letter in self.problem.letters:
            value = self.at_letter(equation.right, HERE, letter)
            if value is None:
                return None
            value_by_letter[letter] = value
        return value_by_letter

    # --- Facts -----------------------------------------------------------------------------------------------------

    @property
    def typed(self) -> str:
        """The label of the premise that each position, except an end with an added letter, has a typed letter."""
        return next(k for k, f in self.g.facts.items() if k.startswith("word") and f[0] == "all")

    def added(self, letter: int) -> str:
        """The label of the premise that the model adds this letter at its end."""
        place = self.low if letter == self.problem.before else self.high
        return next(k for k, f in self.g.facts.items() if k.startswith("word") and f == self.is_letter(place, letter))

    def share(self, g: Goal, label: str) -> str:
        """Add the fact `label` of `self.g` to the goal `g`, a branch that was opened before the fact was proved; the
        label."""
        g.facts[label] = self.g.facts[label]
        return label

    def known(self, label: str, show: Term, proof: Callable[[Goal], None]) -> str:
        """The label of the fact `show`, which `proof` proves at its first use, before all cases."""
        if label not in self.g.facts:
            self.g.have(show, label, proof)
        return label

    def everywhere(self, body: Term, low: Term | None = None, high: Term | None = None) -> Term:
        """The formula: all i in low..high. body, where the body is about `HERE`."""
        low, high = self.low if low is None else low, self.high if high is None else high
        return ranged(low, high, body, HERE)

    def letter(self) -> str:
        """The label of the fact: at each position there is one of the letters."""
        # Without added letters this is a premise; else it is proved from the premises about typed and added letters.
        problem = self.problem
        if problem.before is None and problem.after is None:
            return self.typed
        cases: Term | None = None
        for a in problem.letters:
            part = self.is_letter(HERE, a)
            cases = part if cases is None else ("|", None, (cases, part))
        ends = [(self.low, problem.before), (self.high, problem.after)]

        def prove_letters(g: Goal) -> None:
            g.intro("i inside")
            g.use("inside", label="low high")
            self._close_at_ends(g, [(place, a) for place, a in ends if a is not None])

        if cases is None:
            raise Rejected("no letters")
        return self.known("letters", self.everywhere(cases), prove_letters)

    def _close_at_ends(self, g: Goal, ends: list[tuple[Term, int]]) -> None:
        """Close the goal that one of the letters is at i: at an end the added one, elsewhere a typed one. `ends` are
        the positions and letters of the ends that i may still be."""
        if not ends:
            g.use(self.share(g, self.typed), "i", Goal.easy, label="typed")
            parts = self.problem.typed
            if len(parts) == 1:
                self._close_by_letter(g, "typed", parts[0])
                return
            labels = [f"typed.{a}" for a in parts]
            for h, a, label in zip(g.cases("typed", *labels), parts, labels, strict=True):
                self._close_by_letter(h, label, a)
            return
        (place, a), *others = ends
        at_end, side = g.fresh("end"), g.fresh("side")
        order = (HERE, place) if place == self.low else (place, HERE)
        here_case, elsewhere = g.em(("<=", None, order), side)
        here_case.have(equals(HERE, place), at_end)
        here_case.rewrite(at_end)
        self._close_by_letter(here_case, self.share(here_case, self.added(a)), a)
        elsewhere.use("ax:int_lt", *(elsewhere.text(t) for t in order[::-1]), f"#{side}", label=elsewhere.fresh("next"))
        self._close_at_ends(elsewhere, others)

    def _close_by_letter(self, g: Goal, label: str, letter: int) -> None:
        """Close the disjunction of all letters by the fact `label`, that `letter` is there. The disjunction is
        bracketed from the left."""
        letters = list(self.problem.letters)
        while len(letters) > 1 and letters[-1] != letter:
            g.pick("left")
            letters.pop()
        if len(letters) > 1:
            g.pick("right")
        g.hyp(label)

    def cases(self, g: Goal, place: str, inside: str, close: Callable[[Goal, int, str], None]) -> None:
        """Close a goal by a case for each letter at `place`. `inside` is the label of the fact that `place` is a
        position; `close` closes one case, given its goal, the letter, and the label of the fact that it is there."""
        letters_here = g.fresh("here")
        g.use(self.share(g, self.letter()), place, f"#{inside}", label=letters_here)
        letters = self.problem.letters
        if len(letters) == 1:
            close(g, letters[0], letters_here)
            return
        labels = [g.fresh(f"letter{a}.") for a in letters]
        for h, a, label in zip(g.cases(letters_here, *labels), letters, labels, strict=True):
            close(h, a, label)

    def valued(self, name: str) -> str:
        """The label of the fact that a coordinate, which the letter determines, is the sum of value*bit over the
        letters."""
        equation = self.problem.equations[name]
        label = f"by.letter.{name}"
        if label in self.g.facts:
            return label
        inner_names = self.coordinates(equation.right, HERE)
        # First the coordinates in its equation, since its proof uses their facts.
        for inner_name in inner_names:
            self.valued(inner_name)
        values = self.values[name]
        # One value for all letters is that number; else it is the sum of value*bit.
        one_value = len({*values.values()}) == 1
        right = next(iter(values.values())) if one_value else self.weighted(values, lambda a: self.bit(HERE, a))
        claim = self.everywhere(equals(equation.at_here, right))

        def proof(g: Goal) -> None:
            """Rewrite the coordinate by the equation of the run, then close a case for each letter."""
            g.intro("i inside")
            run = self.problem.label(equation.part, equation.truth)
            g.use(run, "i", "#inside", label="is")

            def close(h: Goal, _: int, case: str) -> None:
                h.rewrite("is")
                self.computed(h, HERE, "inside", case)

            self.cases(g, "i", "inside", close)

        return self.known(label, claim, proof)

    def computed(self, g: Goal, place: Term, inside: str, case: str, bits: Mapping[str, Poly] | None = None) -> None:
        """Close an equation about `place` by computation, from the fact `case`, which says what letter is there.
        `bits` has, by label, equations for truth values and the polynomials that they are multiplied by."""
        for name in self.coordinates(g.goal, place):
            label = g.fresh("v")
            g.use(self.share(g, self.valued(name)), g.text(place), f"#{inside}", label=label)
            g.rewrite(label)
        if any(s == at("w", place, LETTERS) for s in subterms(g.goal)):
            g.rewrite(case)
        if bits:
            g.close({"by": "pos", "eq": [[g.text(reify.term(p)), label] for label, p in bits.items()]})
        else:
            g.true()

    def total(self) -> str:
        """The label of the fact: the counts up to a position add up to the number of positions up to it."""
        bits = self.weighted(dict.fromkeys(self.problem.letters, num(1)), lambda a: self.bit(THERE, a))
        counts = self.weighted(dict.fromkeys(self.problem.letters, num(1)), lambda a: self.count(a, self.low, HERE))
        length = reify.term(nf(("-", None, (HERE, self.below))))
        claim = self.everywhere(equals(counts, length), self.below)

        def proof(g: Goal) -> None:
            """At each position the bits of all letters add up to 1, so the sum of all bits is a sum of ones."""
            g.intro("i (low high)")
            low = g.text(self.low)

            def bits_are_one(h: Goal) -> None:
                """The bits at one position add up to 1, by the letter there."""
                h.intro("j (from to)")
                h.have(self.inside(THERE), "inside")
                self.cases(h, "j", "inside", lambda k, _, case: self.computed(k, THERE, "inside", case))

            g.use("lem:sum_ext", f"j. {g.text(bits)}", "j. 1", low, "i", bits_are_one, label="same")
            g.use("lem:sum_one", low, "i", lambda h: h.auto(["low"]), label="one")
            g.auto(["same", "one"], degree=1, rounds=0)

        return self.known("total", claim, proof)

    def inside(self, place: Term) -> Term:
        """The formula low <= place & place <= high."""
        return between(self.low, place, self.high)

    def grows(self, letter: int) -> str:
        """The label of the fact ``all p, q. below <= p & p <= q -> C(p) <= C(q)``, for the count C of a letter."""
        p, q = (var(self.g.fresh(stem), "Int") for stem in "pq")
        order = between(self.below, p, q)
        body = at_most(self.count(letter, self.low, p), self.count(letter, self.low, q))
        claim = ("all", "Int", (abstract(("all", "Int", (abstract(("->", None, (order, body)), (q,)),)), (p,)),))

        def proof(g: Goal) -> None:
            """C(q) is C(p) plus the sum of the bits after p, which are not negative."""
            g.intro(f"{p[1][0]} {q[1][0]} order")
            bit = f"j. I[w(j) = {letter}]"
            g.use("lem:sum_split", bit, g.text(self.low), g.text(p), g.text(q), _close_by_order, label="split")

            def bit_not_negative(h: Goal) -> None:
                """A bit is 0 or 1."""
                h.intro("j there")
                for k in h.ind(self.is_letter(THERE, letter), "f v"):
                    k.rewrite("v")
                    k.true()

            g.use("lem:sum_nonneg", bit, f"{g.text(p)} + 1", g.text(q), bit_not_negative, label="more")
            g.auto(["split", "more"], degree=1, rounds=0)

        return self.known(f"grows.{letter}", claim, proof)

    def once(self, letter: int) -> str:
        """The label of the fact about the count of a letter that the model adds. Added first, it is counted once up to
        each position; added last, it is not counted up to each position before the last."""
        first = letter == self.problem.before
        low, high = (self.low, self.high) if first else (self.below, reify.term(nf(("-", None, (self.high, num(1))))))
        claim = self.everywhere(equals(self.count(letter, self.low, HERE), num(int(first))), low, high)
        close = self._once_at_first if first else self._never_before_last
        return self.known(f"once.{letter}", claim, lambda g: close(g, letter))

    def _once_at_first(self, g: Goal, letter: int) -> None:
        """Close the goal that the letter added first is counted once up to i: its other bits are 0."""
        g.intro("i range")
        g.use("range", label="low high")
        start = g.text(self.low)

        def other_bits_zero(h: Goal) -> None:
            """A position other than the first comes after the first, and has another letter."""
            h.intro("j between apart")
            h.use("between", label="from to")
            here, there = h.em(at_most(THERE, self.low), "side")
            here.have(equals(THERE, self.low), "same")
            here.contra("no")
            here.absurd("same", "apart")
            there.use("ax:int_lt", start, "j", "#side", label="next")
            self._close_zero_bit(there, letter)

        g.use("lem:sum_only", f"j. I[w(j) = {letter}]", start, "i", start, Goal.easy, other_bits_zero, label="only")
        g.rewrite("only")
        g.rewrite(self.added(letter))
        g.true()

    def _never_before_last(self, g: Goal, letter: int) -> None:
        """Close the goal that the letter added last is not counted up to i, which is before the last position."""
        g.intro("i range")
        g.use("range", label="low high")

        def bits_zero(h: Goal) -> None:
            """A position before the last one has another letter."""
            h.intro("j between")
            h.use("between", label="from to")
            self._close_zero_bit(h, letter)

        g.use("lem:sum_ext", f"j. I[w(j) = {letter}]", "j. 0", g.text(self.low), "i", bits_zero, label="none")
        g.auto(["none"], degree=1, rounds=0)

    def _close_zero_bit(self, h: Goal, letter: int) -> None:
        """Close ``I[w(j) = letter] = 0`` for an added letter, at a position j that is not its end: by cases on the
        letter at j."""
        h.have(self.inside(THERE), "inside")

        def close(k: Goal, a: int, case: str) -> None:
            if a != letter:
                k.rewrite(case)
                k.true()
                return
            # The added letter cannot be here. These labels, if present, are facts that j is away from the letter's end.
            self.alone(k, THERE, letter, case, ("from", "to", "next", "low", "high"))

        self.cases(h, "j", "inside", close)

    def alone(self, g: Goal, place: Term, letter: int, case: str, order: Sequence[str]) -> None:
        """Close a goal by contradiction: the fact `case` says that a letter which the model adds is at `place`, but by
        the facts with the labels `order` that is not the letter's end."""
        other_end, other_letter = (
            (self.high, self.problem.after) if letter == self.problem.before else (self.low, self.problem.before)
        )
        order_labels = [label for label in order if label in g.facts]
        # If the place is the other end, the model adds its other letter there.
        if other_letter is not None:
            sides = (other_end, place) if other_end == self.high else (place, other_end)
            here, g = g.em(("<=", None, sides), (side := g.fresh("end")))
            here.have(
                equals(place, other_end),
                (same := here.fresh("same")),
                lambda h: h.auto([*order_labels, side], degree=1, rounds=0),
            )
            here.rewrite(same, case, there := here.fresh("there"))
            here.rewrite(self.share(here, self.added(other_letter)), there, wrong := here.fresh("wrong"))
            here.absurd(wrong)
            order_labels.append(after := g.fresh("after"))
            g.use("ax:int_lt", *(g.text(t) for t in sides[::-1]), f"#{side}", label=after)

        def close_range(h: Goal) -> None:
            """The place is between the ends."""
            for k in h.split():
                k.auto(order_labels, degree=1, rounds=0)

        # Anywhere else there is a typed letter, which is not the added one.
        g.use(self.share(g, self.typed), g.text(place), close_range, label=(typed := g.fresh("typed")))
        parts = self.problem.typed
        labels = [typed] if len(parts) == 1 else [f"{typed}.{b}" for b in parts]
        for branch, label in zip([g] if len(parts) == 1 else g.cases(typed, *labels), labels, strict=True):
            branch.rewrite(case, label, wrong := branch.fresh("wrong"))
            branch.absurd(wrong)


def _guarded(value: Term, guard: Term) -> Term:
    """A term that is `value` if all parts of the condition `guard` are true, else 0."""
    bits = [("ind", None, (part,)) for part in flatten("&", guard) if part != TRUE]
    return reduce(lambda a, b: ("*", None, (b, a)), bits, value)


def fixed(p: Poly, names: bool = False) -> Term | None:
    """The term of a constant polynomial: without atoms, also in its exponents. With `names`, exponents may have
    variables other than j. None for another polynomial."""
    for m, e in p:
        inside = {a for x, _ in normal._exponents[e] for a, _ in x}
        if m or (inside and not (names and all(normal._keys[a][0] == "var" for a in inside))):
            return None
        if any(reify.atom(a) == THERE for a in inside):
            return None
    return reify.term(p)


def _close_by_order(g: Goal) -> None:
    """Close a goal by both parts of the fact `order`."""
    g.use("order", label="first then")
    g.easy()
