"""Values at one position as coordinates hold them, and the layers that compute new ones.

A truth is a set of letters or a Boolean function of bits, a letter has a truth for each letter that it may be, and a
number is a `Form`. Integers that grow with the length are found by lookups: a head with the score 2 y (j - 1) - (j -
1)^2 retrieves from the position with j - 1 = y. Comparisons of integers are ReLUs; those of fractions take a head. All
of this holds at every length.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple, cast

from symcook.compilers.bits import Bits, Truth
from symcook.compilers.booleans import BoolNode
from symcook.compilers.numbers import Atom, Form, LinearFactors, add_to, text
from symcook.compose.builder import RELATIONS
from symcook.errors import BadInput
from symcook.model.choices import MaskWord, WeightingWord
from symcook.model.parts import FeedForward, Head
from symcook.model.weights import feedforward, head
from symcook.programs.formula import Formula
from symcook.programs.srasp import Srasp

Letters = dict[str, Truth]
"""A letter at each position: for each letter that it may be, where it is that letter."""
ProgramValue = Truth | Letters | Form
"""The value of a line of a program at each position: a truth, a letter or a number."""
FEW_VALUES = 64
"""The maximum number of values into which a number of finite range is split."""
PLACES = {
    "one": "1", "zero": "0", "index": "i", "before": "i - 1", "before_square": "(i - 1)^2", "behind": "n - i",
    "behind_square": "(n - i)^2", "remaining": "n - i + 1", "length": "n", "last": "n - 1", "at_first": "I[i = 1]",
    "at_last": "I[i = n]", "alone": "I[n = 1]", "later": "I[i > 1]", "inverse_before": "1/(i - 1 + I[i = 1])",
    "inverse_behind": "1/(n - i + I[i = n])", "inverse": "1/n", "before_times_length": "n*(i - 1)",
    "inverse_index": "1/i", "inverse_index_square": "1/i^2",
}  # fmt: skip
"""Position functions by the names of their coordinates."""
SEEN: dict[str, MaskWord] = {"left": "future", "right": "past", "both": "none"}
"""The mask of a lookup, by the side of the number looked up (see `Atom`)."""
KEYS = {"left": ("before", "before_square"), "right": ("behind", "behind_square"), "both": ("before", "before_square")}
"""For each side the coordinates with k and k^2, where k is the number that a lookup finds at a position."""


def holds(sign: str, a: Any, b: Any) -> bool:
    """Whether the relation `sign` holds between a and b."""
    return RELATIONS[sign](a, b)


@dataclass
class Look:
    """A head while the program is compiled: which of its values are needed, and how exact a softmax must be, is known
    only at the end. `score` is {(query coordinate, key coordinate): factor}, None if all scores are equal; `values` is
    {coordinate written: sum of coordinates read}."""

    score: Mapping[tuple[str, str], Fraction | int] | None
    values: dict[str, LinearFactors]
    mask: str
    weighting: str = "average"
    temperature: str = "1"

    @property
    def gamma(self) -> int:
        """The factor of all scores: 1 for hard attention; a `SoftHead` computes its own."""
        return 1

    @property
    def reads(self) -> set[str]:
        """The coordinates that the head reads."""
        scores = {name for pair in self.score or () for name in pair}
        return scores | {name for row in self.values.values() for name in row}

    def made(self) -> Head:
        """The head of the model, with its final values and factor."""
        values = {name: text(row) for name, row in self.values.items()}
        score: Any = self.score and {pair: str(self.gamma * factor) for pair, factor in self.score.items() if factor}
        mask, weighting = cast("MaskWord", self.mask), cast("WeightingWord", self.weighting)
        return head(score, values, mask=mask, weighting=weighting, temperature=self.temperature)


class NumberTest(NamedTuple):
    """A test of an integer by a coordinate: whether it is 0 (`op` "zero"), or positive."""

    op: str
    number: Form


class SignTest(NamedTuple):
    """A test whether a fraction is positive: `number`, the coordinate `head` that a head with the mask `mask` writes,
    true if it is positive and position 1 is not the only one seen, and the coordinate `here` of the network for that
    only position."""

    number: Form
    head: str
    here: str
    mask: str


class SideCount(NamedTuple):
    """A count: the number of positions strictly on a side where `truth` holds. `mean` is the coordinate with the mean
    of the truth there."""

    side: str
    truth: Truth
    mean: str


class Gate(NamedTuple):
    """A gated number: it equals `atom` where `truth` is true, else 0. The coordinate `test` holds the truth."""

    test: str
    truth: Truth
    atom: Atom


class PositionValues(Bits):
    """The coordinates of a model while the program is compiled, and the operations on the values at one position.

    Proofs need to know why a coordinate exists: `compared`, `signs`, `counts` and `gates` record that by its name.
    """

    def __init__(self, program: Srasp | Formula) -> None:
        self.looks: list[Look | FeedForward] = []
        """The heads and feed-forward layers, in the order of the model."""
        super().__init__(program.alphabet, lambda formulas: self.looks.append(feedforward(formulas)))
        self.positions: dict[str, str] = {}
        """The position function of each coordinate that has one."""
        self.tables: dict[str, tuple[Fraction, ...]] = {}
        """For each coordinate with a number for each letter, these numbers in the order of the alphabet."""
        self.squares: dict[str, str] = {}
        """For a coordinate of a whole number, the coordinate of its square."""
        self.now = -1
        """The number of the program's line that is being compiled."""
        self.compared: dict[str, NumberTest] = {}
        self.signs: dict[str, SignTest] = {}
        self.counts: dict[str, SideCount] = {}
        self.gates: dict[str, Gate] = {}
        self._known: dict[object, Any] = {}
        """What `once` made, by its key."""

    # Coordinates

    def place(self, name: str, function: str = "", meaning: str = "") -> str:
        """Make `name` a coordinate with a position function, by default that of `PLACES`, and return the name."""
        self.positions[name] = function or PLACES[name]
        self.meanings[name] = meaning or self.positions[name]
        return name

    def once(self, key: object, make: Callable[[], Any]) -> Any:
        """The result of `make` for this key, which is called at most once."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def network(self, stem: str, meaning: str, formula: str) -> str:
        """A coordinate written by a network."""
        name = self.new(stem, meaning)
        self.looks.append(feedforward({name: formula}))
        return name

    # Numbers

    def number(self, value: Fraction | int) -> Form:
        """A constant."""
        return Form((Fraction(value),) * len(self.alphabet))

    def indicator(self, truth: Truth) -> Form:
        """The number that is 1 where `truth` is true, else 0."""
        truth = self.truth(truth)
        if isinstance(truth, frozenset):
            return Form(tuple(Fraction(a in truth) for a in self.alphabet))
        return self._simple(truth)

    def _simple(self, node: BoolNode) -> Form:
        """A function of bits as a number: 1 where it is true, else 0. The negation of a single bit becomes one minus
        the bit. RuntimeError for a constant function."""
        if isinstance(node, bool):
            raise RuntimeError("a bool is impossible here")
        if node[1:] == (True, False):
            return self.number(1).plus(Form(self.number(0).table, {(node[0], False, True): Fraction(1)}), -1)
        return Form(self.number(0).table, {node: Fraction(1)})

    def atom(self, name: str, side: str) -> Form:
        """The number that a coordinate holds."""
        return Form(self.number(0).table, {}, {Atom(name, side): Fraction(1)})

    def position(self, name: str, side: str) -> Form:
        """A position function that is an atom."""
        if name in ("before", "behind"):
            self.squares[name] = f"{name}_square"
        return self.atom(self.place(name), side)

    def linear(self, form: Form) -> LinearFactors:
        """The number as a linear form in coordinates; "" is the constant."""
        result: LinearFactors = {}
        values = sorted(set(form.table))
        # The numbers by letter. More than two values: a coordinate of the embedding holds them. Two values: a bit of
        # the embedding. One: a constant.
        if len(values) > 2:
            name = self.once(("table", form.table), lambda: self.new("number", "a number for each letter"))
            self.tables[name] = form.table
            result[name] = Fraction(1)
        elif len(values) == 2:
            simple = self._simple(self.node(self._set(form.table, values[1])))
            rise = values[1] - values[0]
            result[""] = values[0] + rise * simple.table[0]
            add_to(result, ((self.hold(node), value) for node, value in simple.bits.items()), rise)
        else:
            result[""] = values[0]
        add_to(result, ((self.hold(node), value) for node, value in form.bits.items()))
        add_to(result, ((atom.name, value) for atom, value in form.atoms.items()))
        return {name: value for name, value in result.items() if value}

    def _set(self, table: Sequence[Fraction], value: Fraction) -> frozenset[str]:
        """The letters that have `value` in `table`."""
        return frozenset(a for a, q in zip(self.alphabet, table, strict=True) if q == value)

    def values_of(self, form: Form) -> list[tuple[Fraction, Truth]] | None:
        """The values of a number, each with the truth that the number is that value, smallest first. None if the number
        has atoms, or bits that give it more than FEW_VALUES values."""
        if form.atoms:
            return None
        truths: dict[Fraction, Truth] = {value: self._set(form.table, value) for value in sorted(set(form.table))}
        # Each bit splits every value so far in two. Sums that the number never has are left out.
        for node, add in form.bits.items():
            split: dict[Fraction, Truth] = {}
            for value, truth in truths.items():
                for total, total_truth in ((value + add, self.both(truth, node)),
                                    (value, self.both(truth, self.negation(node)))):  # fmt: skip
                    if self.truth(total_truth) != frozenset():
                        split[total] = self.either(split[total], total_truth) if total in split else total_truth
            truths = split
            if len(truths) > FEW_VALUES:
                return None
        return sorted(truths.items(), key=lambda pair: pair[0])

    def pieces(self, form: Form) -> list[tuple[Fraction, Truth]]:
        """A number without atoms as a sum of factors times truths. The truths may overlap."""
        counts = {value: form.table.count(value) for value in form.table}
        # The table is split by its values. The most frequent value is the constant term, so that as few letters as
        # possible need another term.
        base = max(counts, key=lambda value: (counts[value], value == 0))
        parts: list[tuple[Fraction, Truth]] = [(base, self.every)]
        parts += [(value - base, self._set(form.table, value)) for value in sorted(counts) if value != base]
        return [*parts, *((value, node) for node, value in form.bits.items())]

    def compare(self, sign: str, a: Form, b: Form) -> Truth:
        """Where the relation `sign` holds between a and b."""
        # Compare d = (a - b) times the common denominator with 0: d has whole factors.
        difference = a.plus(b, -1)
        difference = difference.times(difference.denominator)
        values = self.values_of(difference)
        # Finitely many values: the places where d has one of the values that satisfy the relation.
        if values is not None:
            return self.disjoint([truth for value, truth in values if holds(sign, value, 0)], f"... {sign} ...")
        if sign in ("!=", "<=", ">="):
            return self.negation(self.compare({"!=": "=", "<=": ">", ">=": "<"}[sign], difference, self.number(0)))
        if sign == "=":
            return self._zero(difference)
        return self._positive(difference if sign == ">" else difference.times(-1))

    def _zero(self, d: Form) -> Truth:
        """Where a number with whole factors is 0. A whole number needs one network; a fraction is 0 where it is neither
        positive nor negative."""
        if not d.whole:
            return self.both(self.negation(self._positive(d)), self.negation(self._positive(d.times(-1))))
        # d and -d are 0 at the same places. Choose one sign, so that both share a network.
        first = min(d.atoms)
        d = d if d.atoms[first] > 0 else d.times(-1)

        def make() -> str:
            """Add the network."""
            row = self.linear(d)
            # 1 at 0, and 0 at every other whole number.
            formula = f"relu({text(row, 1)}) - 2*relu({text(row)}) + relu({text(row, -1)})"
            name = self.network("zero", f"{text(row)} = 0", formula)
            self.compared[name] = NumberTest("zero", d)
            return name

        return self.bit(self.once(("zero", d.key), make))

    def _positive(self, d: Form) -> Truth:
        """Where a number with whole factors is positive."""
        if not d.whole:
            return self.bit(self.once(("sign", d.key), lambda: self._sign(d)))

        def make() -> str:
            """Add the network."""
            row = self.linear(d)
            # 1 from 1 on, and 0 up to 0.
            name = self.network("more", f"{text(row)} > 0", f"relu({text(row)}) - relu({text(row, -1)})")
            self.compared[name] = NumberTest("positive", d)
            return name

        return self.bit(self.once(("more", d.key), make))

    def _sign(self, d: Form) -> str:
        """The coordinate of the truth that a fraction is positive. Among the scores d j, the first maximum is at
        position 1 unless d > 0; so a leftmost head finds the sign. A position that sees only position 1 finds position
        1 in either case. There the number is whole, and a network tests its sign."""
        local = all(atom.local if atom.side == "mean" else atom.side == "left" for atom in d.atoms)
        row = self.linear(d)
        alone = self.place("at_first" if local else "alone")
        if_whole = self.network(
            "more", f"{text(row)} > 0, where it is whole", f"relu({text(row)}) - relu({text(row, -1)})"
        )
        sign = self.new("sign", f"{text(row)} > 0, at other positions")
        score = {(name or self.place("one"), self.place("index")): factor for name, factor in row.items()}
        mask = "future" if local else "none"
        self.looks.append(Look(score, {sign: {self.place("later"): Fraction(1)}}, mask, "leftmost"))
        name = self.network("more", f"{text(row)} > 0", f"relu({sign}) + relu({if_whole} + {alone} - 1)")
        self.signs[name] = SignTest(d, sign, if_whole, mask)
        return name

    def gate(self, test: Truth, form: Form) -> Form:
        """The number where the test is true, 0 elsewhere."""
        test = self.truth(test)
        if test == self.every:
            return form
        if test == frozenset():
            return self.number(0)
        # The table of numbers by letter. If the test is a set of letters, the result is a table too. Else each value
        # gets a bit.
        if isinstance(test, frozenset):
            zero = Fraction(0)
            pairs = zip(self.alphabet, form.table, strict=True)
            result = Form(tuple(q if a in test else zero for a, q in pairs))
        else:
            result = self.number(0)
            for value in sorted(set(form.table)):
                if value:
                    result = result.plus(self.indicator(self.both(test, self._set(form.table, value))), value)
        # A bit becomes its conjunction with the test; an atom becomes a new coordinate.
        for node, value in form.bits.items():
            result = result.plus(self.indicator(self.both(test, node)), value)
        if form.atoms:
            gated = self._gated(test, list(form.atoms))
            for atom, value in form.atoms.items():
                result = result.plus(Form(self.number(0).table, {}, {gated[atom]: Fraction(1)}), value)
        return result

    def _gated(self, truth: Truth, atoms: Sequence[Atom]) -> dict[Atom, Atom]:
        """For each atom the atom that equals it where `truth` holds, and is 0 elsewhere.

        An atom of side "left" is 0 at position 1: a head retrieves it from the position itself or from position 1. For
        side "right" that is the last position. An atom of side "both" is looked up, with a score that moves the lookup
        to position 1 where the truth does not hold. A mean needs a network and a bound; only a mean that is 0 at
        position 1 (`_starts_at_0`) needs neither, and is treated like side "left". BadInput for any other mean without
        a bound.
        """
        test = self.hold(self.node(truth))
        # Atoms that were gated by this test before have their coordinates already.
        new = [atom for atom in atoms if ("gate", test, atom) not in self._known]
        for side in ("left", "right", "both"):
            gated = [atom for atom in new if atom.side == side or (side == "left" and _starts_at_0(atom))]
            names = {atom.name: self.new("gated", f"{self.meanings[atom.name]} where {test}, else 0") for atom in gated}
            constant = self.place("one") if names else ""
            # Left: with the score (2 test - 1) j the head attends to the last position that it sees, which is its own,
            # if the test is true, and else to position 1, where the atom is 0. Right: the signs are reversed.
            if names and side != "both":
                key = self.place("index")
                sign = Fraction(1 if side == "left" else -1)
                values = {to: {name: Fraction(1)} for name, to in names.items()}
                for name, to in names.items():
                    if name in self.squares:
                        self.squares[to] = self.new("square", f"({self.meanings[to]})^2")
                        values[self.squares[to]] = {self.squares[name]: Fraction(1)}
                self.looks.append(Look({(test, key): 2 * sign, (constant, key): -sign}, values, SEEN[side]))
            elif names:
                for name, to in names.items():
                    # From both sides: a lookup of the number y itself. Where the test is false, the score falls by 2 n
                    # (j - 1), more than the term 2 y (j - 1) adds, so that position 1 is looked up.
                    draw = self.place("before_times_length")
                    self.lookup(
                        {name: Fraction(2)}, to, "both", {(constant, draw): Fraction(-2), (test, draw): Fraction(2)}
                    )
            for name, to in names.items():
                atom = next(candidate for candidate in new if candidate.name == name)
                self._known["gate", test, atom] = atom._replace(name=to)
        for atom in new:
            # A mean: relu(m + b t - b) - relu(b t - b - m) is m at t = 1, and 0 at t = 0 as |m| <= b.
            if atom.side == "mean" and not _starts_at_0(atom):
                if atom.bound is None:
                    must = "a condition must not choose a mean of numbers that grow with n: no position holds that mean"
                    raise BadInput(
                        must,
                        self.meanings[atom.name],
                        "compare the mean with a number, or choose before taking the mean",
                    )
                b, m = atom.bound, atom.name
                formula = f"relu({m} + {b}*{test} - {b}) - relu({b}*{test} - {b} - {m})"
                network_name = self.network("gated", f"{self.meanings[m]} where {test}, else 0", formula)
                self._known["gate", test, atom] = Atom(network_name, "mean", b, atom.local)
        gated_atoms = {atom: self._known["gate", test, atom] for atom in atoms}
        self.gates |= {gated_atoms[atom].name: Gate(test, truth, atom) for atom in new}
        return gated_atoms

    def lookup(
        self,
        query: Mapping[str, Fraction],
        to: str,
        side: str,
        more: Mapping[tuple[str, str], Fraction] | None = None,
        unit: str | None = None,
    ) -> None:
        """Write a whole number y to the coordinate `to`, and its square to a new coordinate. The head attends to the
        position y away from the first one (for `side` "right" from the last one).

        `query` is a sum of coordinates equal to 2 y times the coordinate `unit` (default 1); `more` are further score
        terms."""  # fmt: skip
        # The scores 2 y k - k^2, times the unit, are maximal at the position with k = y.
        key, square = (self.place(name) for name in KEYS[side])
        score = {(name, key): factor for name, factor in query.items()} | {
            (self.place(unit or "one"), square): Fraction(-1)
        }
        self.squares[to] = self.new("square", f"({self.meanings[to]})^2")
        values = {to: {key: Fraction(1)}, self.squares[to]: {square: Fraction(1)}}
        self.looks.append(Look(score | dict(more or {}), values, SEEN[side]))

    def count(self, side: str, truth: Truth, meaning: str) -> Form:
        """The number y of positions strictly on one side where a truth holds. A head computes the mean, which is y over
        the number of positions there (0 if there are none), and y is looked up."""
        # If the negation was counted already: the number of positions minus that count.
        complement, position_function = self.negation(truth), "before" if side == "left" else "behind"
        if ("count", side, complement) in self._known or truth == self.every:
            total = self.position(position_function, side)
            return total if truth == self.every else total.plus(self._known["count", side, complement], -1)
        if truth == frozenset():
            return self.number(0)

        def make() -> Form:
            """Add the head for the mean, and the lookup."""
            mean = self.new("mean", f"mean {position_function} of {meaning}")
            bit = self.hold(self.node(truth))
            self.looks.append(Look(None, {mean: {bit: Fraction(1)}}, f"strict-{SEEN[side]}"))
            count = self.new("count", f"how often {position_function}: {meaning}")
            self.lookup({mean: Fraction(2)}, count, side, unit=f"inverse_{position_function}")
            self.counts[count] = SideCount(side, truth, mean)
            return self.atom(count, side)

        return self.once(("count", side, truth), make)

    def psum(self, mask: str, form: Form, shown: str) -> Form:
        """The sum of a number without atoms over the positions that a mask allows; BadInput for a number with atoms."""
        if form.atoms:
            must = (
                "the terms of a psum must have a finite range: a sum that grows like n^2 has no position to look it up"
            )
            raise BadInput(must, shown, "sum symbols, truths or numbers that do not grow with the string")
        side = "left" if mask in ("future", "strict-future") else "right"
        total = self.number(0) if mask.startswith("strict") else form
        for value, truth in self.pieces(form):
            if value:
                total = total.plus(self.count(side, truth, shown), value)
        return total

    def square(self, form: Form) -> LinearFactors:
        """The square of a whole number, as a sum of coordinates.

        The positive and the negative part of x are squared separately. For x > 0 the square of y = x - 1 (0 to i - 1)
        is looked up, and x^2 = y^2 + 2 y + I[x > 0]; if x <= 0, y is 0 there. A number that may exceed i (or n) is cut
        into pieces of length n.
        """
        atoms = list(form.atoms.items())
        constant = form.finite().constant
        # c ± x for an atom whose square is a coordinate: c^2 ± 2 c x + x^2.
        if len(atoms) == 1 and abs(atoms[0][1]) == 1 and constant is not None and atoms[0][0].name in self.squares:
            (atom, sign), c = atoms[0], constant
            named = self.squares[atom.name]
            if named in PLACES:
                self.place(named)
            return {named: Fraction(1), atom.name: 2 * c * sign, "": c * c}
        return self.once(("square", form.key), lambda: self._square(form))

    def _square(self, form: Form) -> LinearFactors:
        """The square of a whole number, from squares of its positive and negative parts that are looked up; see
        `square`."""
        # How many pieces of s positions the positive and the negative part need.
        tall = [form.growth(), form.times(-1).growth()]
        side = form.side if max(tall) <= 1 else "both"
        scale = self.place({"left": "index", "right": "remaining", "both": "length"}[side])
        result: LinearFactors = {}
        for sign, pieces in zip((1, -1), tall, strict=True):
            row = self.linear(form.times(sign))
            # Piece k is p, the part of x from k s to (k + 1) s, where s (`scale`) is the number of positions. It adds
            # (k s + p)^2 - (k s)^2 = p^2 + 2 k s p to the square. As above, p = y + 1 if p > 0.
            for k in range(int(pieces)):
                low, high = add_to(dict(row), [(scale, Fraction(-k))]), add_to(dict(row), [(scale, Fraction(-k - 1))])
                positive = self.network("part", f"{text(low)} > 0", f"relu({text(low)}) - relu({text(low, -1)})")
                cut = f" - relu({text(high)})" if k + 1 < pieces else ""
                part = self.network("part", f"{text(low)} less 1, from 0 on", f"relu({text(low, -1)}){cut}")
                looked_up = self.new("whole", self.meanings[part])
                self.lookup({part: Fraction(2)}, looked_up, side)
                add_to(result, [(self.squares[looked_up], Fraction(1)), (part, Fraction(2)), (positive, Fraction(1))])
                if k:  # the term 2 k s p; here s = n, and n p = n y + (n - 1) + 1 if p > 0
                    length_less_1 = Form(self.number(0).table, {}, {Atom(self.place("last"), "both"): Fraction(1)})
                    (gated,) = self.gate(self.bit(positive), length_less_1).atoms
                    times = self.new("times", f"n times {self.meanings[part]}")
                    self.looks.append(self._product(part, times))
                    add_to(
                        result, [(times, Fraction(2 * k)), (gated.name, Fraction(2 * k)), (positive, Fraction(2 * k))]
                    )
        return result

    def _product(self, part: str, times: str) -> Look:
        """A head that writes n times the whole number in the coordinate `part` to the coordinate `times`. It is not
        added to `looks` here."""
        key, square = (self.place(name) for name in KEYS["both"])
        score = {(part, key): Fraction(2), (self.place("one"), square): Fraction(-1)}
        return Look(score, {times: {self.place("before_times_length"): Fraction(1)}}, "none")


def _starts_at_0(atom: Atom) -> bool:
    """Whether an atom is an unbounded mean of numbers up to position i, which is 0 at position 1."""
    return atom.side == "mean" and atom.bound is None and atom.local
