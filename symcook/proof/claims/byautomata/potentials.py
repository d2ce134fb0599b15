"""Automata with counters: what the state at the last position implies about the counts, by bounds and congruences.

For each state, a sum of counts has a least and a greatest value over all strings that lead to the state, or is
unbounded. These bounds are the potentials of the states. A step by a symbol changes the sum by the symbol's factor,
which proves the bounds by induction along the string. The counts of two strings that lead to one state differ by a
vector of a lattice, which the cycles on the way generate. That gives congruences: for (aaa|bb)*, 3 divides the number
of a's. Decisions by counts then have one case for each state.

A bound that holds in all states on the way to a state holds for all prefixes (`running`): in the states of ((ab)*), no
prefix has more b's than a's. So heads over sums are decided too, such as the mean of relu(#b - #a).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from itertools import combinations
from typing import NamedTuple

from symcook.errors import Rejected
from symcook.proof.claims.byautomata.carried import CarriedAlong, CarriedValue
from symcook.proof.claims.byautomata.lattices import IntegerVector, LatticeForms, lattice_forms
from symcook.proof.claims.byautomata.placed import simple
from symcook.proof.claims.byautomata.placedstates import chained, picked
from symcook.proof.claims.byautomata.regular import Regular
from symcook.proof.claims.bycounts.lettered import THERE, Lettered
from symcook.proof.claims.bycounts.truth import letter_at
from symcook.proof.normal import constant, nf
from symcook.proof.search.ranges import at_most, equals, ranged
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import COMPARISONS, Term, abstract, instantiate, loose, num, subterms, var

MOST_STATES = 60
"""The greatest number of states for which bounds are computed. Of 24 claims of an unseen set, none had more than 7
states."""
MOST_LED = 20_000
"""The search for a string stops where one length has more pairs of a state and counts. 24 claims of an unseen set
needed at most 4."""
HERE, QUOTIENT, EARLIER = var("p", "Int"), var("q'", "Int"), var("e'", "Int")
"""The position of the induction, the bound variable of a congruence, and that of a bound for all prefixes."""
CountForm = Mapping[int, Fraction]
"""Factors of the counts of symbols."""


class StateThere(NamedTuple):
    """The carried values at a position, with the first and the last symbol up to it where the claim asks for them. Both
    symbols are None before the first symbol, and where they are not asked for."""

    values: tuple[int, ...]
    """A value for each of `Potentials.carried`."""
    first: int | None
    last: int | None


class FormBound(NamedTuple):
    """The sum `form` of counts is at least `bound`; or, where not `least`, at most `bound`."""

    form: CountForm
    bound: Fraction
    least: bool


class Congruence(NamedTuple):
    """The sum `form` of counts is `rest` more than a multiple of `modulus`. Its factors are those of form number
    `number` of the lattice, minus `modulus` times the vector `dropped`, so that they are small."""

    form: CountForm
    modulus: int
    rest: int
    number: int
    dropped: IntegerVector


class Potentials:
    """The states that automata may be in, each with bounds and congruences of sums of counts. `asked` says whether a
    state has the first symbol, and whether it has the last one. `carried` must not be empty."""

    def __init__(self, lettered: Lettered, carried: Sequence[CarriedValue], prefixes: bool = False) -> None:
        """With `prefixes`, states have bounds that hold for all prefixes too."""
        self.lettered, self.carried = lettered, carried
        self.row = carried[0].row
        self.letters = [a for a in lettered.problem.letters if a != lettered.problem.before]
        self.begin = carried[0].low
        # A state has the symbol at the first or at the last position only if the claim asks for it.
        letters = filter(None, map(letter_at, subterms(lettered.problem.claim)))
        asked = {simple(place) for place, _ in letters if not loose(place)}
        self.asked = self.begin in asked, simple(lettered.high) in asked
        # All states that any string leads to, the first one before the first symbol; the list grows in the loop.
        self.states = [StateThere(tuple(carried_value.first for carried_value in carried), None, None)]
        for state in self.states:
            following = dict.fromkeys(self.after(state, a) for a in self.letters)
            self.states += [to for to in following if to not in self.states]
            if len(self.states) > MOST_STATES:
                raise Rejected(f"the search uses at most {MOST_STATES} states for a claim about counts in a language")
        self.bounds: dict[StateThere, list[FormBound]] = {state: [] for state in self.states}
        for form in self._forms():
            for least in (True, False):
                for state, bound in self._extreme(form, least).items():
                    self.bounds[state].append(FormBound(form, bound, least))
        self.lattices = self._lattices()
        self.congruences = {state: self._congruences(state) for state in self.states}
        self.running = self._running() if prefixes else {state: [] for state in self.states}

    def after(self, there: StateThere, letter: int) -> StateThere:
        """The state after one more symbol."""
        moved = tuple(
            carried_value.moves[v][letter] for carried_value, v in zip(self.carried, there.values, strict=True)
        )
        first = letter if there.first is None else there.first
        first_asked, last_asked = self.asked
        return StateThere(moved, first if first_asked else None, letter if last_asked else None)

    # --- Bounds --------------------------------------------------------------------------------------------------

    def _forms(self) -> Iterator[CountForm]:
        """The sums of counts to bound, each once: the counts, their differences, their sum, and the sums in comparisons
        of the claim and in coordinates."""
        typed, unit = self.lettered.problem.typed, Fraction(1)
        forms: list[CountForm] = [{a: unit} for a in typed]
        forms += [{a: unit, b: -unit} for a, b in combinations(typed, 2)]
        forms += [dict.fromkeys(typed, unit), *self._compared(self.lettered.problem.claim)]
        for by_letter in self.lettered.values.values():
            constants = {a: constant(nf(by_letter[a])) for a in typed}
            forms.append({a: Fraction(k) for a, k in constants.items() if k})
        for k, form in enumerate(forms):
            if form and form not in forms[:k]:
                yield form

    def _compared(self, f: Term) -> Iterator[CountForm]:
        """The factors of the counts in each comparison of a formula that is not under a quantifier."""
        if f[0] in ("all", "ex"):
            return
        if f[0] not in COMPARISONS:
            for part in f[2]:
                yield from self._compared(part)
            return
        # Each count of a typed symbol is an atom of the comparison: its factor is read off the normal form.
        factors, form = nf(("-", None, f[2])), dict[int, Fraction]()
        for t in subterms(f):
            bit = instantiate(t[2][2], (THERE,)) if t[0] == "sum" else t
            letter = letter_at(bit[2][0]) if t[0] == "sum" and bit[0] == "ind" else None
            if letter is not None and letter[1] in self.lettered.problem.typed:
                (mono,) = nf(t)
                form[letter[1]] = Fraction(factors.get(mono, 0))
        yield {a: k for a, k in form.items() if k}

    def _extreme(self, form: CountForm, least: bool) -> dict[StateThere, Fraction]:
        """For each state, the least (or greatest) value of a sum over the strings that lead to it; states for which it
        is unbounded are left out."""
        # Shortest paths by Bellman and Ford: without a cycle that improves the value, each value is final after as many
        # rounds as there are states. A state whose value improves later is unbounded, and so are those that follow it.
        better = min if least else max
        bounds: dict[StateThere, Fraction] = {self.states[0]: Fraction(0)}
        unbounded: set[StateThere] = set()
        for turn in range(2 * len(self.states) + 1):
            for state in [*bounds]:
                for a in self.letters:
                    to, new = self.after(state, a), bounds[state] + form.get(a, 0)
                    if state in unbounded or (
                        to in bounds and better(new, bounds[to]) != bounds[to] and turn > len(self.states)
                    ):
                        unbounded.add(to)
                    bounds[to] = better(bounds.get(to, new), new)
        return {state: bound for state, bound in bounds.items() if state not in unbounded}

    def _running(self) -> dict[StateThere, list[FormBound]]:
        """For each state, the bounds that hold in all states that lead to it. A form whose factors have one sign is
        left out, since its bounds say nothing new."""
        edges = [(state, self.after(state, a)) for state in self.states for a in self.letters]
        on_the_way, out = _all_before(self.states, edges), dict[StateThere, list[FormBound]]()
        for state in self.states:
            out[state] = []
            for form, _, least in self.bounds[state]:
                if min(form.values()) >= 0 or max(form.values()) <= 0:
                    continue
                there = [
                    [b for f, b, low in self.bounds[one] if (f, low) == (form, least)] for one in on_the_way[state]
                ]
                if all(there):
                    bounds = [min(one) if least else max(one) for one in there]
                    out[state].append(FormBound(form, min(bounds) if least else max(bounds), least))
        return out

    # --- Congruences ---------------------------------------------------------------------------------------------

    def _lattices(self) -> dict[StateThere, LatticeForms]:
        """For each state, the lattice of the differences of counts of strings that lead to it. Sets `counts`: for each
        state, the counts of one chosen string that leads to it."""
        typed = self.lettered.problem.typed
        self.counts: dict[StateThere, IntegerVector] = {self.states[0]: (0,) * len(typed)}
        # An edge is (state, counts of the state's chosen string and one more symbol, next state). In the order of
        # `states`, each state comes after one that leads to it.
        edges: list[tuple[StateThere, IntegerVector, StateThere]] = []
        for there in self.states:
            for a in self.letters:
                moved = tuple(c + (b == a) for b, c in zip(typed, self.counts[there], strict=True))
                self.counts.setdefault(to := self.after(there, a), moved)
                edges.append((there, moved, to))
        before = _all_before(self.states, [(there, to) for there, _, to in edges])
        # The counts of an edge and those of the chosen string of its next state differ by a vector of the lattice. The
        # differences of all edges among the states before a state generate its lattice; states with the same states
        # before them share it.
        lattice_of: dict[frozenset[StateThere], LatticeForms] = {}
        for sources in before.values():
            if sources not in lattice_of:
                inside = [(moved, self.counts[to]) for there, moved, to in edges if there in sources and to in sources]
                cycles = [tuple(first - second for first, second in zip(*pair, strict=True)) for pair in inside]
                lattice_of[sources] = lattice_forms(cycles, len(typed))
        return {there: lattice_of[before[there]] for there in self.states}

    def _congruences(self, there: StateThere) -> list[Congruence]:
        """The congruences of a state. A form with the same value in all strings that lead to the state gives two bounds
        instead, which are added to `bounds`."""
        lattice, counts, out = self.lattices[there], self.counts[there], list[Congruence]()
        for k, (form, modulus) in enumerate(zip(lattice.forms, lattice.divisors, strict=True)):
            if modulus == 1:
                continue
            # Factors are reduced modulo d to the residues nearest to 0.
            half = (modulus - 1) // 2
            near_zero = [(c + half) % modulus - half if modulus else c for c in form]
            value = sum(c * x for c, x in zip(near_zero, counts, strict=True))
            named = {a: Fraction(c) for a, c in zip(self.lettered.problem.typed, near_zero, strict=True) if c}
            if modulus:
                dropped = tuple((c - s) // modulus for c, s in zip(form, near_zero, strict=True))
                out.append(Congruence(named, modulus, value % modulus, k, dropped))
            else:
                # d = 0: the form has one value in all strings that lead to the state.
                both_sides = [FormBound(named, Fraction(value), least) for least in (True, False)]
                self.bounds[there] += [bound for bound in both_sides if bound not in self.bounds[there]]
        return out

    def congruent(self, congruence: Congruence, place: Term) -> Term:
        """The formula of a congruence at a position."""
        multiple: Term = ("*", None, (num(congruence.modulus), QUOTIENT))
        right = ("+", None, (multiple, num(congruence.rest))) if congruence.rest else multiple
        return ("ex", "Int", (abstract(equals(self.sum(congruence.form, place), right), (QUOTIENT,)),))

    def _quotient(self, congruence: Congruence, there: StateThere, letter: int, names: Sequence[str]) -> Term:
        """The quotient of a congruence after one more symbol, by the counts and the quotients before it, called
        `names`."""
        typed, lattice, before_step = self.lettered.problem.typed, self.lattices[there], self.congruences[there]
        form = [int(congruence.form.get(a, 0)) for a in typed]
        # The sum after the step is form*counts + form(letter), and the quotient is (that sum - rest)/modulus. The form
        # is a combination of the forms of the lattice, whose values are linear in quotients and counts. The total is
        # kept as `remainder` (a number), `counts` (factors of counts) and `quotients` (factors of quotients).
        remainder = Fraction(congruence.form.get(letter, 0)) - congruence.rest
        counts, quotients = dict.fromkeys(typed, Fraction(0)), dict.fromkeys(names, Fraction(0))
        for k, times in enumerate(lattice.coordinates(form)):
            modulus, inner = lattice.divisors[k], lattice.forms[k]
            if modulus > 1:  # its value is modulus*quotient + rest, and `dropped` corrects its factors
                name, before = next((x, c) for x, c in zip(names, before_step, strict=True) if c.number == k)
                quotients[name] += times * modulus
                remainder, inner = remainder + times * before.rest, tuple(modulus * c for c in before.dropped)
            elif not modulus:  # its value is that of the chosen string
                remainder += times * sum(c * x for c, x in zip(inner, self.counts[there], strict=True))
                continue
            for a, c in zip(typed, inner, strict=True):
                counts[a] += times * c
        # All of it is divided by the modulus of the congruence.
        out: Term = num(int(remainder / congruence.modulus))
        parts = [(c, var(name, "Int")) for name, c in quotients.items()]
        parts += [(c, self.lettered.count(a, self.lettered.low, HERE)) for a, c in counts.items()]
        for c, term in parts:
            if c:
                out = ("+", None, (out, ("*", None, (num(int(c / congruence.modulus)), term))))
        return out

    # --- Strings -------------------------------------------------------------------------------------------------

    def string(self, there: StateThere, counts: Mapping[int, Fraction]) -> tuple[int, ...] | None:
        """The first string, in the order of the symbols, with these counts that leads to a state; None where none was
        found."""
        problem, wanted = self.lettered.problem, tuple(counts[a] for a in self.lettered.problem.typed)
        if any(c < 0 or c.denominator != 1 for c in wanted):
            return None
        # Breadth first, one symbol longer in each round: (state, counts) -> the first string with this state and these
        # counts.
        front: dict[tuple[StateThere, IntegerVector], tuple[int, ...]]
        front = {(self.states[0], (0,) * len(wanted)): () if problem.before is None else (problem.before,)}
        for _ in range(int(sum(wanted))):
            before, front = front, {}
            for (state, used), letters in before.items():
                for k, a in enumerate(problem.typed):
                    if used[k] < wanted[k]:
                        used_with_letter = *used[:k], used[k] + 1, *used[k + 1 :]
                        front.setdefault((self.after(state, a), used_with_letter), (*letters, a))
            if len(front) > MOST_LED:
                return None
        end = () if problem.after is None else (problem.after,)
        ends = (letters + end for (state, _), letters in front.items() if reduce(self.after, end, state) == there)
        return next(ends, None)

    # --- Formulas and proofs -------------------------------------------------------------------------------------

    def parts(self, there: StateThere, place: Term) -> list[Term]:
        """The formulas of a state at a position: carried values and symbols, bounds, and congruences."""
        out = self.known(there, place)
        out += [self._bounded(bound, place) for bound in self.bounds[there]]
        out += [self.congruent(congruence, place) for congruence in self.congruences[there]]
        low = self.lettered.low
        return out + [ranged(low, place, self._bounded(bound, EARLIER), EARLIER) for bound in self.running[there]]

    def _bounded(self, bound: FormBound, place: Term) -> Term:
        """The formula of a bound at a position."""
        sides = num(bound.bound.numerator, bound.bound.denominator), self.sum(bound.form, place)
        return ("<=", None, sides if bound.least else sides[::-1])

    def known(self, there: StateThere, place: Term) -> list[Term]:
        """The formulas of a state at a position, without bounds and congruences: the carried values, and the first and
        the last symbol."""
        out = [carried_value.formula(v, place) for carried_value, v in zip(self.carried, there.values, strict=True)]
        out += [equals(place, self.row)] if self.asked[0] and there.first is None else []
        for k, where in ((there.first, self.begin), (there.last, place)):
            out += [] if k is None else [self.lettered.is_letter(where, k)]
        return out

    def sum(self, form: CountForm, place: Term) -> Term:
        """The term of a sum of counts up to a position."""
        counts = {a: num(k.numerator, k.denominator) for a, k in form.items()}
        return self.lettered.weighted(counts, lambda a: self.lettered.count(a, self.lettered.low, place))

    def one_of(self, place: Term) -> Term:
        """The formula that one of the states holds at a position."""
        return chained("|", [chained("&", self.parts(state, place)) for state in self.states])

    def prove(self, g: Goal, label: str) -> None:
        """Prove the fact `label`: one of the states holds at the last position."""
        high = self.lettered.high
        within = ("->", None, (at_most(HERE, high), self.one_of(HERE)))
        show = ("all", "Int", (abstract(("->", None, (at_most(self.row, HERE), within)), (HERE,)),))

        def proof(h: Goal) -> None:
            """By induction over the position p, from the row on."""
            base, step = h.induct("p", "low", "before")
            base.intro("fits")
            self._base(base)
            step.intro("high")
            step.use("before", lambda k: k.auto(["high"], degree=1, rounds=0), label="now")
            self._step(step)

        every = self.lettered.known("potentials", show, proof)
        order = lambda h: h.auto(degree=1, rounds=0)  # noqa: E731
        g.use(self.lettered.share(g, every), g.text(high), order, "!", label=label)

    def _base(self, g: Goal) -> None:
        """Close the beginning of the induction: before the first symbol no typed symbol is counted."""
        # The goal is the first state: its carried values by `labels`, its bounds and congruences by the counts in
        # `used`, which are all 0.
        lettered, labels = self.lettered, []
        for carried_value in self.carried:
            labels.append(lettered.share(g, carried_value.begin()))
        used = []
        for a in lettered.problem.typed:
            used += self._counted(g, a, self.row, lettered.problem.before)
        if self.asked[0]:
            g.have(equals(self.row, self.row), label := g.fresh("row"))
            labels.append(label)
        picked(g, 0, len(self.states))
        self._close(g, labels, used, [num(0)] * len(self.congruences[self.states[0]]))

    def _counted(self, g: Goal, a: int, place: Term, letter: int | None, letter_fact: str = "") -> list[str]:
        """The labels of equations for the count of the symbol `a` up to a position, where `letter` is. By the fact
        `letter_fact` about that symbol the count follows from the one before; without it, the position is the row."""
        low, bit = self.lettered.low, f"j. I[w(j) = {a}]"
        if letter is None or (not letter_fact and place == self.lettered.below):
            g.use("ax:sum_empty", bit, g.text(low), g.text(place), Goal.easy, label=(empty := g.fresh("none")))
            return [empty]
        new = g.fresh("count")
        g.use("ax:sum_step", bit, g.text(low), g.text(place), lambda h: h.auto(degree=1, rounds=0), label=new)
        g.rewrite(letter_fact or self.lettered.share(g, self.lettered.added(letter)), new, moved := g.fresh("count"))
        if letter_fact:
            return [moved]
        g.use(
            "ax:sum_empty",
            bit,
            g.text(low),
            g.text(("-", None, (place, num(1)))),
            Goal.easy,
            label=(empty := g.fresh("none")),
        )
        return [moved, empty]

    def _step(self, g: Goal) -> None:
        """Close one step of the induction: by cases on the state at the position before, and on the symbol."""
        lettered = self.lettered
        place: Term = ("+", None, (HERE, num(1)))
        g.have(lettered.inside(place), "inside", _close_inside)
        for carried_value in self._by_row().values():
            g.have(carried_value.inside(place), f"inside.{carried_value.name}", _close_inside)
        labels = [f"state.{k}" for k in range(len(self.states))]
        goals = [g] if len(self.states) == 1 else g.cases("now", *labels)
        for h, before, state_label in zip(goals, self.states, labels, strict=True):
            parts = [f"part.{k}" for k in range(len(self.parts(before, HERE)))]
            h.use(
                state_label if len(goals) > 1 else "now",
                label=" ".join(parts) if len(parts) > 1 else parts[0],
                premises=0,
            )
            lettered.cases(h, h.text(place), "inside", partial(self._by_symbol, before, parts))

    def _by_symbol(self, before: StateThere, parts: list[str], g: Goal, letter: int, case: str) -> None:
        """Close the step from the state `before`, whose facts are `parts`, by a symbol; the fact `case` states it."""
        place: Term = ("+", None, (HERE, num(1)))
        if letter not in self.letters:  # the token before the string stands there alone
            return self.lettered.alone(g, place, letter, case, ("low", "high"))
        to = self.after(before, letter)
        # The carried values after the step, and the first and the last symbol.
        state_labels = []
        for carried_value, v, label in zip(self.carried, before.values, parts, strict=False):
            move = self.lettered.share(g, carried_value.step(v, letter))
            inside = f"#inside.{self._by_row()[carried_value.row].name}"
            g.use(move, g.text(place), inside, f"#{label}", f"#{case}", label=(new := g.fresh("to")))
            state_labels.append(new)
        state_labels += self._letters(g, before, parts, case)
        # The bounds and congruences before the step, with names for the quotients, and the counts after the step.
        kept = len(parts) - len(self.running[before])
        used, names, earlier = [*parts[len(self.known(before, HERE)) : kept]], list[str](), parts[kept:]
        for label in [label for label in used if g.facts[label][0] == "ex"]:
            names.append(g.fresh("q"))
            g.obtain(label, names[-1], so := g.fresh("so"))
            used[used.index(label)] = so
        for b in self.lettered.problem.typed:
            used += self._counted(g, b, place, letter, case)
        picked(g, self.states.index(to), len(self.states))
        quotients = [self._quotient(congruence, before, letter, names) for congruence in self.congruences[to]]
        # The bounds for all prefixes before the step; the state after it has some of them, perhaps weaker.
        of_form = {_form_key(bound): label for bound, label in zip(self.running[before], earlier, strict=True)}
        prefixes = [of_form[_form_key(bound)] for bound in self.running[to]]
        return self._close(g, state_labels, used, quotients, prefixes)

    def _by_row(self) -> dict[Term, CarriedValue]:
        """For each row, one of the automata that begin there: the fact that a position comes after the row is proved
        once for all of them."""
        return {carried_value.row: carried_value for carried_value in self.carried}

    def _letters(self, g: Goal, there: StateThere, parts: list[str], case: str) -> list[str]:
        """The labels of the facts about the first and the last symbol, where a state has them; `case` is the last."""
        out = []
        if self.asked[0] and there.first is None:
            g.rewrite(parts[len(self.carried)], case, moved := g.fresh("first"))
            out.append(moved)
        elif self.asked[0]:
            out.append(parts[len(self.carried)])
        return [*out, case] if self.asked[1] else out

    def _close(
        self, g: Goal, states: list[str], used: list[str], quotients: list[Term], earlier: Sequence[str] = ()
    ) -> None:
        """Close the formulas of a state: the first ones by labels, bounds and congruences by linear arithmetic, and the
        bounds for all prefixes by those before the step, which are `earlier`."""
        goals, remaining_quotients, prefixes = [g] if g.goal[0] != "&" else g.split(), [*quotients], [*earlier]
        for k, h in enumerate(goals):
            if k < len(states):
                h.hyp(states[k])
                continue
            if h.goal[0] == "all":
                self._close_prefixes(h, used, prefixes.pop(0) if prefixes else None)
                continue
            if h.goal[0] == "ex":
                h.witness(h.text(remaining_quotients.pop(0)))
            h.auto(used, degree=1, rounds=0)

    def _close_prefixes(self, g: Goal, used: list[str], earlier: str | None) -> None:
        """Close a bound for all prefixes: at the last position by linear arithmetic, before it by the fact `earlier`.
        Without one, the last position is the row, which is no position or has the token before the string."""
        name, between = g.fresh("e"), [g.fresh("from"), g.fresh("to")]
        g.intro([name, between])
        place = var(name, "Int")
        if earlier is None and self.lettered.problem.before is None:
            g.contra(g.fresh("no"))
            g.auto(between, degree=1, rounds=0)
            return
        if earlier is None:
            g.have(equals(place, self.row), at_row := g.fresh("same"), lambda h: h.auto(between, degree=1, rounds=0))
            g.rewrite(at_row)
            g.auto(used, degree=1, rounds=0)
            return
        before, last = g.em(at_most(place, HERE), side := g.fresh("side"))

        def inside(h: Goal) -> None:
            """Close the goal that the position is in the range before the step."""
            for part, label in zip(h.split(), (between[0], side), strict=True):
                part.hyp(label)

        before.use(earlier, name, inside, label=(then := before.fresh("then")))
        before.auto([then], degree=1, rounds=0)
        last.use("ax:int_lt", HERE[1][0], name, f"#{side}", label=(after := last.fresh("after")))
        next_: Term = ("+", None, (HERE, num(1)))
        last.have(equals(place, next_), same := last.fresh("same"), lambda h: h.auto([after, between[1]], degree=1))
        last.rewrite(same)
        last.auto(used, degree=1, rounds=0)


def _form_key(bound: FormBound) -> tuple[tuple[tuple[int, Fraction], ...], bool]:
    """The form of a bound, and whether it is the least value."""
    return tuple(sorted(bound.form.items())), bound.least


def _all_before(
    states: Sequence[StateThere], edges: Sequence[tuple[StateThere, StateThere]]
) -> dict[StateThere, frozenset[StateThere]]:
    """For each state, all states that lead to it, and itself."""
    before = {there: {there} for there in states}
    while True:
        pair_count = sum(map(len, before.values()))
        for there, to in edges:
            before[to] |= before[there]
        if sum(map(len, before.values())) == pair_count:
            return {there: frozenset(sources) for there, sources in before.items()}


def _close_inside(g: Goal) -> None:
    """Close the goal that a position is in the string, by the facts ``low`` and ``high``."""
    for k in g.split():
        k.auto(["low", "high"], degree=1, rounds=0)


def at_the_end(lettered: Lettered, regular: Regular) -> list[CarriedValue]:
    """The automata whose state at the last position occurs in the claim."""
    claim, high = lettered.problem.claim, simple(lettered.high)
    # The names of the coordinates that the claim reads at the last position.
    applications = (s for s in subterms(claim) if s[0] == "app" and not loose(s))
    names = {s[2][0][1][0] for s in applications if simple(s[2][1]) == high}
    return [carried_value for name, carried_value in CarriedAlong(lettered, regular).states.items() if name in names]
