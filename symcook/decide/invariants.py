"""Two machines that count, compared on strings of every length by invariants.

In go the machine of a model and a fold, which read the same symbols side by side; out comes a certificate that they
give the same answers (`Invariants`), or what is missing. The common states are grouped into *locations*: a location is
everything in a state except its growing numbers. In each location, linear inequalities between the numbers are guessed
from the states that short strings reach. Guesses that some step does not preserve are removed, until each remaining one
follows, after each symbol and on each path, from the inequalities at the location before (Houdini's method). An
implication is proved by Farkas' lemma: multipliers >= 0 with which the premises and the negated goal add up to
0 >= a positive number. The simplex method finds the multipliers, and `Invariants.check` adds them up again. If the
answers cannot differ at any location, they are equal on every string.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm
from typing import Any, NamedTuple

from symcook.decide.allowed import ATOMS, require_allowed
from symcook.decide.automata import Asked, Automaton
from symcook.decide.counting import Conditions, CountCondition, Counting, Counts, StateTable
from symcook.decide.farout import require_paths_agree, value
from symcook.decide.following import Holds, Linear, Lost, ways
from symcook.proof.inequalities.simplex import TooLong, solve
from symcook.spec.fold import Fold, exact, same

SAMPLED = 3000
"""The number of common states from which inequalities are guessed; a few more, since the successors of the last state
are completed."""
FEW = 8
"""An integer of a fold's state that takes at most this many values in the samples does not count as growing."""
LOCATIONS = 200
"""The greatest number of locations whose paths are followed."""
LENGTH = ("length", 0)
"""The name of the length of the string, which no state contains; some inequalities need it."""
FALSE = Linear((), -1)
"""The inequality -1 >= 0, an invariant of a location that no string reaches."""


@dataclass(frozen=True)
class Hole:
    """The place of a growing number in a fold's state: holes are counted 0, 1, ... from left to right. It equals no
    part of a user's state, which a tuple of one number could be."""

    place: int


class Location(NamedTuple):
    """A common state without its growing numbers."""

    last: Any
    """The machine's key of the last token; None before the first token, the state for a `StateTable`."""
    flags: tuple[bool, ...]
    """The machine's flags."""
    shape: Any
    """The exact key (`symcook.spec.fold.exact`) of the fold's state, with a `Hole` for each growing number."""


class Case(NamedTuple):
    """One path from a location, with the inequalities `holds`. Either it leads to the location `to`, where the growing
    numbers have the values `numbers`. Or `to` is None, because the answers differ or the fold raises: then `holds` must
    be impossible."""

    holds: Holds
    to: Location | None = None
    numbers: dict[Hashable, Linear] | None = None


def _named(name: Hashable) -> Linear:
    """The linear form of the number called `name`."""
    return Linear(((name, 1),), 0)


def _put(inequality: Linear, numbers: dict[Hashable, Linear]) -> Linear:
    """The inequality with values in place of the names."""
    total = Linear((), inequality.constant)
    for name, weight in inequality.parts:
        total = total.plus(numbers[name], weight)
    return total


def _tight(inequality: Linear) -> Linear:
    """The inequality over integers, divided by the common divisor of its weights and rounded: 2x - 1 >= 0 is x >= 1."""
    divisor = gcd(*(weight for _, weight in inequality.parts))
    if divisor < 2:
        return inequality
    parts = tuple((name, weight // divisor) for name, weight in inequality.parts)
    return Linear(parts, inequality.constant // divisor)


def _negated(inequality: Linear) -> Linear:
    """The negation of an inequality between integers, as an inequality."""
    return inequality.over(-1).plus(Linear((), -1))


class Common:
    """The machine of a model and a fold, which read the same string.

    With `length`, the length of the string is a growing number too. `growing` has the paths of the growing integers in
    the fold's state, `samples` the common states that short strings reach, each with the length of its shortest string.
    With `paired`, the fold's answer is a pair of answers that are compared with one another, and the machine's answer
    does not matter. If some integer grows, the constructor raises BadInput where the fold's code is not allowed.
    """

    def __init__(self, machine: Counting | StateTable, fold: Fold, paired: bool = False, length: bool = False) -> None:
        self.machine, self.fold, self.paired, self.length = machine, fold, paired, length
        self.letters = machine.alphabet
        self.growing: set[tuple[int, ...]] = set()
        self.samples = self._sampled()
        # An integer in the fold's state, given by its path in the tuples, is growing if it takes many values.
        values: dict[tuple[int, ...], set[int]] = {}
        for state, _ in self.samples:
            for path, integer in _integers(state[1]):
                values.setdefault(path, set()).add(integer)
        self.growing = {path for path, numbers_of_path in values.items() if len(numbers_of_path) > FEW}
        # {location: the paths from it}, computed once each.
        self.known: dict[Location, list[Case]] = {}
        self.integers = require_allowed(fold) if self.growing else frozenset[int]()

    def _sampled(self) -> list[tuple[Any, int]]:
        """Common states that strings reach, shortest strings first, each with the length at which it is first
        reached."""
        start = (self.machine.initial, self.fold.start)
        known, found = {exact(start)}, [(start, 0)]
        for state, level in found:
            if len(found) >= SAMPLED:
                break
            for letter in self.letters:
                to = self.machine.step(state[0], letter), self.fold.step(state[1], letter)
                if (key := exact(to)) not in known:
                    known.add(key)
                    found.append((to, level + 1))
        return found

    def place(self, state: tuple[Counts, Hashable], length: int) -> tuple[Location, dict[Hashable, int]]:
        """The location of a common state after a string of this length, and {name: value} of its growing numbers."""
        (last, values, flags), fold_state = state
        shape, numbers = self._shaped(fold_state)
        named: dict[Hashable, int] = {("form", k): value for k, value in enumerate(values)}
        named |= {LENGTH: length} if self.length else {}
        return Location(last, flags, shape), named | {("hole", k): n.constant for k, n in enumerate(numbers)}

    def _shaped(self, state: object) -> tuple[Any, list[Linear]]:
        """The shape of a state of the fold, and the linear forms at its holes. Lost where the state has other parts
        than integers, text, booleans, None and tuples, and where an integer that is not growing comes from one that
        is."""
        numbers: list[Linear] = []

        def shaped(part: object, path: tuple[int, ...]) -> Any:
            """The part at a path, with a `Hole` for each growing number."""
            if type(part) is tuple:  # a `Linear` is of a subclass
                return (tuple, *(shaped(member, (*path, k)) for k, member in enumerate(part)))
            number = part if isinstance(part, Linear) else Linear((), part) if type(part) is int else None
            if number is not None and path in self.growing:
                numbers.append(number)
                return Hole(len(numbers) - 1)
            if number is not None:
                if number.parts:
                    raise Lost("an integer of the state that takes few values is computed from one that grows")
                return number.constant
            if type(part) not in ATOMS:
                raise Lost(f"the states of the fold hold a {type(part).__name__}")
            return exact(part)

        return shaped(state, ()), numbers

    def filled(self, location: Location, make: Callable[[Linear], object]) -> Any:
        """The fold's state at a location, with `make` of each growing number."""
        return _filled(location.shape, make)

    def holes(self, location: Location) -> int:
        """How many growing numbers the fold's state has at a location."""
        found: list[Linear] = []
        _filled(location.shape, found.append)
        return len(found)

    def cases(self, location: Location) -> list[Case]:
        """All paths from a location: those of one more symbol, and those on which the answers differ at the
        location. They are computed once; Lost for more than `LOCATIONS` locations."""
        if location not in self.known:
            if len(self.known) >= LOCATIONS:
                raise Lost(f"model and fold have more than {LOCATIONS} kinds of states")
            self.known[location] = [*self._steps(location), *self._answers(location)]
        return self.known[location]

    def _steps(self, location: Location) -> Iterator[Case]:
        """The paths of one more symbol: for each possible change of the machine's flags, each path of the fold's
        code."""
        machine = self.machine
        for letter in self.letters:
            token = machine.tokens.index(letter)
            numbers: dict[Hashable, Linear] = {
                ("form", k): _named(("form", k)).plus(Linear((), form[token])) for k, form in enumerate(machine.forms)
            }
            last = machine.after(location.last, letter)
            for flags, premises in self._raised(location.flags, letter, numbers):
                for way in ways(lambda make, letter=letter: self.fold.step(_filled(location.shape, make), letter)):
                    holds = (*premises, *way.holds)
                    if isinstance(way.result, Exception):
                        # The fold raises on this path: it must be impossible.
                        yield Case(holds)
                        continue
                    shape, growing = self._shaped(way.result)
                    filled: dict[Hashable, Linear] = {("hole", k): n for k, n in enumerate(growing)}
                    filled[LENGTH] = _named(LENGTH).plus(Linear((), 1))
                    yield Case(holds, Location(last, flags, shape), {**numbers, **filled})

    def _raised(
        self, flags: tuple[bool, ...], letter: str, numbers: dict[Hashable, Linear]
    ) -> Iterator[tuple[tuple[bool, ...], Holds]]:
        """The possible flags after a symbol, each with the inequalities that then hold."""
        possible_flags: list[tuple[tuple[bool, ...], Holds]] = [(flags, ())]
        for number, by_token in enumerate(self.machine.raised):
            next_flags = []
            for now, premises in possible_flags:
                if now[number]:
                    next_flags.append((now, premises))
                    continue
                # Any conjunction that sets the flag may hold. The flag stays unset only if each of them has a condition
                # that fails.
                unset: list[Holds] = [premises]
                for when in by_token.get(letter, ()):
                    conditions = _forms(when, now)
                    if conditions is None:
                        continue
                    parts = [_read(condition, numbers) for condition in conditions]
                    raised = (*now[:number], True, *now[number + 1 :])
                    next_flags += [(raised, (*premises, *raised_premises)) for raised_premises in _all_hold(parts)]
                    unset = [(*premises, *denial) for premises in unset for denial in _some_fails(parts)]
                next_flags += [(now, premises) for premises in unset]
            possible_flags = next_flags
        yield from possible_flags

    def _answers(self, location: Location) -> Iterator[Case]:
        """The cases in which the machine and the fold give different answers at a location, or the fold raises. Without
        an answer of the machine there are none, and a fold that answers None never differs."""
        if location.last not in self.machine.cases:
            return
        numbers: dict[Hashable, Linear] = {("form", k): _named(("form", k)) for k in range(len(self.machine.forms))}
        fold_ways = list(ways(lambda make: self.fold.answer(_filled(location.shape, make))))
        for when, answer in self.machine.cases[location.last]:
            conditions = _forms(when, location.flags)
            if conditions is None:
                continue
            for premises in _all_hold([_read(condition, numbers) for condition in conditions]):
                for way in fold_ways:
                    if isinstance(way.result, Exception) or self._differ(answer, way.result):
                        yield Case((*premises, *way.holds))

    def _differ(self, answer: object, result: Any) -> bool:
        """Whether the answer of the machine and the result of the fold's code are two different answers."""
        one, other = result if self.paired else (answer, result)
        return one is not None and other is not None and not same(one, other)


def _integers(state: object, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], int]]:
    """The integers in a state, each with its path in the nested tuples."""
    if type(state) is tuple:
        for k, part in enumerate(state):
            yield from _integers(part, (*path, k))
    elif type(state) is int:
        yield path, state


def _filled(shape: Any, make: Callable[[Linear], object]) -> Any:
    """The state of a shape, with `make` of the number in place of each hole."""
    if isinstance(shape, Hole):
        return make(_named(("hole", shape.place)))
    if type(shape) is not tuple:
        return shape
    kind, *parts = shape  # an exact key
    return tuple(_filled(part, make) for part in parts) if kind is tuple else parts[0]


def _forms(when: Conditions, flags: Sequence[bool]) -> list[CountCondition] | None:
    """The conditions on forms among `when`; None where a condition on a flag is false."""
    if any(flags[number] != (kind == "set") for kind, number, _ in when if kind in ("set", "unset")):
        return None
    return [condition for condition in when if condition.kind not in ("set", "unset")]


def _read(condition: CountCondition, numbers: dict[Hashable, Linear]) -> tuple[list[Holds], list[Holds]]:
    """A condition on a form, and its negation, each as a disjunction of conjunctions of integer inequalities."""
    value = numbers["form", condition.number].over(condition.sign)
    less, strict = value.over(-1), Linear((), -1)
    if condition.kind == "=":
        return [(value, less)], [(value.plus(strict),), (less.plus(strict),)]
    if condition.kind == ">":
        return [(value.plus(strict),)], [(less,)]
    return [(value,)], [(less.plus(strict),)]


def _all_hold(parts: Sequence[tuple[list[Holds], list[Holds]]]) -> list[Holds]:
    """Conjunctions, one of which holds iff all conditions hold."""
    combined: list[Holds] = [()]
    for yes, _ in parts:
        combined = [(*premises, *alternative) for premises in combined for alternative in yes]
    return combined


def _some_fails(parts: Sequence[tuple[list[Holds], list[Holds]]]) -> list[Holds]:
    """Conjunctions, one of which holds iff some condition fails."""
    return [alternative for _, no in parts for alternative in no]


Multipliers = tuple[tuple[int, Fraction], ...]
"""(index of an inequality, its multiplier) pairs."""


def refuted(holds: Sequence[Linear]) -> Multipliers | None:
    """Multipliers that prove that the inequalities cannot all hold; None where none exist, or where the search would
    take too long."""
    for place, inequality in enumerate(holds):
        if not inequality.parts and inequality.constant < 0:
            return ((place, Fraction(1)),)
    # Farkas: multipliers >= 0 for which every name cancels and the constants add up to -1.
    rows: dict[Hashable, dict[Hashable, int]] = {}
    for place, inequality in enumerate(holds):
        for name, weight in inequality.parts:
            rows.setdefault(name, {})[place] = weight
    constants: dict[Hashable, int] = {
        place: inequality.constant for place, inequality in enumerate(holds) if inequality.constant
    }
    try:
        combination = solve([*((row, 0) for row in rows.values()), (constants, -1)], [])
    except TooLong:
        return None
    return None if combination is None else tuple((k, combination[k]) for k in range(len(holds)) if combination.get(k))


def refutes(multipliers: Multipliers, holds: Sequence[Linear]) -> bool:
    """Whether the inequalities, multiplied and added up, give a negative constant >= 0, which is impossible."""
    total: dict[Hashable, Fraction] = {}
    constant = Fraction(0)
    for place, times in multipliers:
        if times < 0 or not 0 <= place < len(holds):
            return False
        constant += times * holds[place].constant
        for name, weight in holds[place].parts:
            total[name] = total.get(name, Fraction(0)) + times * weight
    return constant < 0 and not any(total.values())


@dataclass(frozen=True)
class Invariants:
    """The certificate that a machine and a fold give equal answers."""

    common: Common
    held: dict[Location, tuple[Linear, ...]]
    """The invariants of each location."""
    multipliers: tuple[Multipliers, ...]
    """For each of `obligations`, in order, the multipliers that prove it impossible."""

    def check(self) -> bool:
        """Whether the initial state satisfies the invariants of its location, and the multipliers prove every
        obligation. SymcookError where the fold's code, run far out, is not what its paths say."""
        location, numbers = self.common.place((self.common.machine.initial, self.common.fold.start), 0)
        start_values = {name: Linear((), value) for name, value in numbers.items()}
        if location not in self.held or any(
            _put(inequality, start_values).constant < 0 for inequality in self.held[location]
        ):
            return False
        premises_to_refute = list(obligations(self.common, self.held))
        if len(premises_to_refute) != len(self.multipliers):
            return False
        require_paths_agree(self.common)
        return all(map(refutes, self.multipliers, premises_to_refute))

    def __len__(self) -> int:
        """The number of invariants."""
        return sum(len(inequalities) for inequalities in self.held.values())

    @property
    def says(self) -> str:
        """The certificate in words."""
        return f"{len(self)} invariants in {len(self.held)} kinds of states, shown by induction"


def premises_of(inequalities: Sequence[Linear], case: Case, goal: Linear | None = None) -> tuple[Linear, ...]:
    """The inequalities that must not all hold: those of a location, those of a path from it and, if there is a `goal`
    at the end of the path, its negation. Each is divided and rounded (`_tight`)."""
    last = () if goal is None else (_negated(_put(goal, case.numbers or {})),)
    return tuple(map(_tight, (*inequalities, *case.holds, *last)))


def obligations(common: Common, held: dict[Location, tuple[Linear, ...]]) -> Iterator[tuple[Linear, ...]]:
    """The sets of inequalities that must be impossible: for each path, that an invariant fails at its end, that two
    answers differ, or that the fold raises. A location without an entry in `held` must not be reached. A certificate
    has its multipliers in this order."""
    for location, inequalities in held.items():
        if FALSE in inequalities:
            continue
        for case in common.cases(location):
            if case.to is None:
                yield premises_of(inequalities, case)
                continue
            for goal in held.get(case.to, (FALSE,)):
                yield premises_of(inequalities, case, goal)


class Programmed(Asked):
    """The program of a model, a formula that counts, as a recogniser in place of the model's weights."""

    text: str | None = None
    """The text of the formula; None where it would be shortened by "...", or where the answers are labels."""


CountingMachine = Counting | StateTable | Programmed
"""The model's side of a comparison."""


def side_by_side(
    machine: CountingMachine, fold: Fold, alphabet: Sequence[str]
) -> tuple[Counting | StateTable, Fold, bool]:
    """The first arguments of a `Common` of `machine` and `fold`. Where `machine` is a fold itself (`Programmed`), they
    are a machine with one state, and a fold whose answers are those of both folds, as a pair."""
    if not isinstance(machine, Programmed):
        return machine, fold, False
    step, answer, other_step, other_answer = machine.fold.step, machine.fold.answer, fold.step, fold.answer

    def both(state: Any, letter: str) -> Any:
        """The step of both folds."""
        return step(state[0], letter), other_step(state[1], letter)

    def pair(state: Any) -> Any:
        """The answers of both folds."""
        return answer(state[0]), other_answer(state[1])

    always = Automaton(tuple(alphabet), ((0,) * len(alphabet),), (True,))
    return StateTable(always), Fold((machine.fold.start, fold.start), both, pair), True


def invariants(machine: CountingMachine, fold: Fold, alphabet: Sequence[str]) -> Invariants | str:
    """The certificate that machine and fold are equal on every string, or what is missing, in words. Lost where the
    code of the fold cannot be followed."""
    beside = side_by_side(machine, fold, alphabet)
    common = Common(*beside)
    # Three attempts, each with more guesses, until a proof is found; the few guesses of the first are quick, and often
    # enough. A result that is text says why an attempt failed.
    proof = _proof(common, few=True)
    proof = _proof(common) if isinstance(proof, str) else proof
    return _proof(Common(*beside, length=True)) if isinstance(proof, str) else proof


def _proof(common: Common, few: bool = False) -> Invariants | str:
    """The certificate from the guesses of `_guessed`, or what is missing, in words."""
    inequalities = {location: list(guesses) for location, guesses in _guessed(common, few).items()}
    proofs: dict[tuple[Linear, ...], Multipliers | None] = {}

    def impossible(holds: tuple[Linear, ...]) -> Multipliers | None:
        """As `refuted`, computed once for equal inequalities."""
        if holds not in proofs:
            proofs[holds] = refuted(holds)
        return proofs[holds]

    # Remove guesses that do not follow, until nothing changes: a removed guess may have been a premise of another one.
    changed = True
    while changed:
        changed = False
        for location in list(inequalities):
            if FALSE in inequalities[location]:
                continue
            for case in common.cases(location):
                if case.to is None:
                    continue
                # A location that no sampled string reaches starts with the guess that it is unreachable.
                goals = inequalities.setdefault(case.to, [FALSE])
                for goal in list(goals):
                    if impossible(premises_of(inequalities[location], case, goal)) is None:
                        goals.remove(goal)
                        changed = True
    # The remaining guesses are invariants. Collect their proofs, and the proofs that answers cannot differ.
    final = {location: tuple(invariants_there) for location, invariants_there in inequalities.items()}
    multipliers = []
    for premises in obligations(common, final):
        combination = impossible(premises)
        if combination is None:
            return f"the {sum(map(len, final.values()))} invariants found do not show that the answers are the same"
        multipliers.append(combination)
    result = Invariants(common, final, tuple(multipliers))
    return result if result.check() else "the invariants that were found failed their check"


def _guessed(common: Common, few: bool) -> dict[Location, list[Linear]]:
    """Guesses for each location: linear equalities, and bounds of numbers and of their sums and differences, that hold
    in the sampled states. With `few`, bounds of single numbers only."""
    samples: dict[Location, list[tuple[dict[Hashable, int], int]]] = {}
    for state, level in common.samples:
        location, numbers = common.place(state, level)
        samples.setdefault(location, []).append((numbers, level))
    early = max(level for _, level in common.samples) * 2 // 3
    return {location: list(_inequalities(samples_there, early, few)) for location, samples_there in samples.items()}


def _inequalities(rows: list[tuple[dict[Hashable, int], int]], early: int, few: bool) -> Iterator[Linear]:
    """The equalities that all samples of a location satisfy, and bounds that the samples of long strings (longer than
    `early`) do not change. `rows` has the numbers of each sample, with the length of its string."""
    names = list(rows[0][0])
    for equality in _equalities([numbers for numbers, _ in rows], names):
        yield equality
        yield equality.over(-1)
    sums = [Linear(((name, sign),), 0) for name in names for sign in (1, -1)]
    for first_name, second_name in () if few else combinations(names, 2):
        sums += [Linear(((first_name, a), (second_name, b)), 0) for a in (1, -1) for b in (1, -1)]
    for form in sums:
        least = min(value(form, numbers) for numbers, _ in rows)
        begun = [value(form, numbers) for numbers, level in rows if level <= early]
        if begun and min(begun) == least:  # strings longer than `early` did not lower it
            yield Linear(tuple(sorted(form.parts)), -least)
            # In case the tighter bound is not preserved.
            for weaker in range(min(least, 2)) if len(form.parts) == 1 else ():
                yield Linear(form.parts, -weaker)


def _equalities(points: list[dict[Hashable, int]], names: list[Hashable]) -> Iterator[Linear]:
    """A basis of the linear equations, with a constant, that all points satisfy: each as a form with integer
    coefficients that is zero."""
    columns: list[Hashable] = [*names, None]
    # Gaussian elimination: a reduced basis of the rows that the points span, with 1 for the constant, by pivot column.
    basis: dict[int, list[Fraction]] = {}
    for point in points:
        row = [Fraction(point[name]) for name in names] + [Fraction(1)]
        for pivot, basis_row in basis.items():
            if row[pivot]:
                row = [a - row[pivot] * b for a, b in zip(row, basis_row, strict=True)]
        pivot = next((k for k, a in enumerate(row) if a), None)
        if pivot is None:
            continue
        row = [a / row[pivot] for a in row]
        for at, basis_row in basis.items():
            basis[at] = [a - basis_row[pivot] * b for a, b in zip(basis_row, row, strict=True)]
        basis[pivot] = row
        if len(basis) == len(columns):
            return
    # Each column without a pivot gives one equation that all rows satisfy.
    for free in range(len(columns)):
        if free in basis:
            continue
        vector = [Fraction(0)] * len(columns)
        vector[free] = Fraction(1)
        for pivot, row in basis.items():
            vector[pivot] = -row[free]
        scale = lcm(*(a.denominator for a in vector))
        parts = tuple(sorted((name, int(a * scale)) for name, a in zip(names, vector[:-1], strict=True) if a))
        if parts:
            yield Linear(parts, int(vector[-1] * scale))
