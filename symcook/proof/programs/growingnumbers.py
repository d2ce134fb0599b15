"""Numbers that grow with the length, and their squares, in the proofs of compiled S-RASP programs. Nothing here is
trusted.

A coordinate with such a number holds a position, a count, a number that is kept where a condition is true and is 0
elsewhere, or a number that a head has retrieved. The compiler relies on four properties of each number, and the proof
has a fact for each: the number is an integer (fact W_name), it has bounds, it is 0 at the end of the string from which
it grows, and another coordinate holds its square (Q_name). Fact G_name defines a number that depends on a condition;
fact S5 is about the square of the number in line 5.

A "line" returned by a method is a line of proof text about position i. A fact returned as a string is a hint, as
``N_name(i)``: the label of the fact, with a position.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction

from symcook.compilers.selection import Equality
from symcook.compilers.values import SEEN
from symcook.errors import Undecided
from symcook.present import present
from symcook.proof.programs.compiledfacts import Fact
from symcook.proof.programs.linefacts import ProgramFacts, as_block


class GrowingNumber(ABC):
    """The facts about one coordinate. Its name is `name` in the compiled model and `function` in the statement."""

    def __init__(self, facts: ProgramFacts, name: str) -> None:
        self.facts, self.name, self.compiled, self.function = facts, name, facts.compiled, facts.put(name)

    @abstractmethod
    def at_end(self, end: str) -> list[str]:
        """The facts by which the number is 0 at the end of the string from which it grows."""

    @abstractmethod
    def bounds(self, at: str = "i") -> list[str]:
        """The facts that bound the number at a position."""

    @abstractmethod
    def whole_lines(self) -> list[str]:
        """Lines that prove that the number is an integer from 0 to n - 1."""

    @abstractmethod
    def square_lines(self, square: str) -> list[str]:
        """Lines that prove that the coordinate `square` holds the square of the number."""

    def whole(self) -> Fact:
        """The fact W_name: the number is an integer from 0 to n - 1."""
        label = f"W_{self.name}"
        whole_text = f"ex m:Int. {self.function}(i) = m & 0 <= m & m <= n - 1"
        return self.facts.shown.get(label) or self.facts.each(label, whole_text, self.whole_lines())

    def square(self) -> Fact:
        """The fact Q_name: the coordinate for the square of the number holds this square. Undecided if it is not in the
        model."""
        label, name = f"Q_{self.name}", self.compiled.squares[self.name]
        if label in self.facts.shown:
            return self.facts.shown[label]
        if not self.facts.there(name):
            raise self.no_square
        square = self.facts.put(name)
        return self.facts.each(label, f"{square}(i) = {self.function}(i)^2", self.square_lines(square))

    @property
    def no_square(self) -> Undecided:
        """The error to raise if no proof of the square is known."""
        return Undecided(f"no proof method covers the square of {self.compiled.meanings[self.name]}")


def number_of(facts: ProgramFacts, name: str) -> GrowingNumber:
    """The facts about the growing number in a coordinate."""
    if name in facts.compiled.gates:
        return ChosenNumber(facts, name)
    if name in facts.compiled.counts:
        return CountedNumber(facts, name)
    finds = any(name in head.copies for head in facts.heads.values())
    return FoundNumber(facts, name) if finds else PlaceNumber(facts, name)


class PlaceNumber(GrowingNumber):
    """A position: the number of positions before i, or following it, or n - 1. Or a number of selected positions that a
    lookup has found: `WidthRule` adds its bounds, the fact N_name, for a count on one side; its square has no
    proof."""

    def at_end(self, end: str) -> list[str]:
        return [f"{self.function}_is({end})"]

    def bounds(self, at: str = "i") -> list[str]:
        if (counted := self.facts.shown.get(f"N_{self.name}")) is not None:
            return [counted.at(at)]
        if self.name not in ("before", "behind", "last"):
            raise self.no_square
        return [f"{self.function}_is({at})"]

    def whole_lines(self) -> list[str]:
        definition = self.facts.definitions[self.function].text
        return [f"witness {definition.partition(' = ')[2]}", f"qed by {self.function}_is(i), il, ih"]

    def square_lines(self, square: str) -> list[str]:
        if self.name not in ("before", "behind"):
            raise self.no_square
        return [f"qed by {square}_is(i), {self.function}_is(i), il, ih"]


class CountedNumber(GrowingNumber):
    """The number of positions strictly before i, or strictly after i, at which a truth holds.

    `side` is "left" or "right"; `truth` is what is counted, and the coordinate `held` holds it as a bit. The coordinate
    `mean` has the mean of this bit over the side, and `sum` is the count as text.
    """

    def __init__(self, facts: ProgramFacts, name: str) -> None:
        super().__init__(facts, name)
        self.side, self.truth, self.mean = self.compiled.counts[name]
        self.held = self.compiled.hold(self.compiled.node(self.truth))
        range_text = "1, i - 1" if self.side == "left" else "i + 1, n"
        self.sum = f"sum(j, {range_text}, I[{facts.truth(self.truth, 'j')}])"

    def fact(self) -> Fact:
        """The fact N_name: the coordinate holds the count, which is at least 0 and at most the number of positions."""
        facts, name, held_name = self.facts, self.name, self.facts.put(self.held)
        statement_text = f"I[{facts.truth(self.truth)}]"
        holds = facts.holds(self.held).label
        facts.follows(f"P_{name}", f"bit({statement_text}) & {held_name}(i) = {statement_text}", [holds])
        side_name, bound = {"left": ("before", "i - 1"), "right": ("behind", "n - i")}[self.side]
        mean, truth_at_j = facts.put(self.mean), facts.truth(self.truth, "j")
        coordinates = (side_name, f"{side_name}_square", f"inverse_{side_name}", mean, self.function)
        terms = f"n; j. I[{truth_at_j}]; {held_name}; {mean}; inverse_{side_name}; {self.function}; "
        terms += f"{side_name}; {side_name}_square"
        premises = ", ".join([f"P_{name}", *(f"{coordinate}_is" for coordinate in coordinates)])
        statement_text = f"{self.function}(i) = {self.sum} & 0 <= {self.sum} & {self.sum} <= {bound}"
        return facts.follows(f"N_{name}", statement_text, [f"counted_{side_name}({terms})[{premises}]"])

    def at_end(self, end: str) -> list[str]:
        return [self.fact().at(end)]

    def bounds(self, at: str = "i") -> list[str]:
        return [self.fact().at(at)]

    def whole_lines(self) -> list[str]:
        return [f"witness {self.sum}", f"qed by {self.fact().at()}, il, ih"]

    def square_lines(self, square: str) -> list[str]:
        """Lines that prove the square: a head looks it up in a table of squares."""
        # A head looks up the square of Y = `sum` in a table of squares, at the position `at`, whose distance from the
        # edge is Y. The score of position k is c*Y^2 - c*(away)^2 with c = 1/`far` (`inverse`): it is largest only at
        # `at`. By side: `table`, the coordinate with distances from the edge; `edge`, the condition that i is the edge;
        # `ends`, the range of the head; `range_text`, this range without i; `far`, the number of positions in it.
        table, edge, ends, range_text, at, far, away = {
            "left": ("before", "i = 1", "1; i", "1, i - 1", "Y + 1", "i - 1", "k - 1 - Y"),
            "right": ("behind", "i = n", "i; n", "i + 1, n", "n - Y", "n - i", "n - k - Y"),
        }[self.side]
        held = self.facts.put(self.held)
        fact = self.fact()
        mean = self.facts.put(self.mean)
        sum_arguments = f"{held}; j. I[{self.facts.truth(self.truth, 'j')}]; {range_text.replace(', ', '; ')}"
        name, inverse = self.compiled.squares[self.name], f"inverse_{table}(i)"
        score_at_k, top_score = (self.facts.score_of(name, position, ("average",)) for position in ("k", at))
        all_k = f"all k in {ends.replace('; ', '..')}."
        # The proof, twice, that c is positive and that c*Y is the query: at the edge, and elsewhere.
        at_edge = [
            f"  cases first, more: {edge}", "    - qed by inverse, edge, first, least, most, same",
            f"    - take pos from inverse_positive({far}) by more, il, ih",
            "      qed by inverse, pos, more, times, same"]  # fmt: skip
        return [
            f"let Y = {self.sum}", f"take (counted least most) from {fact.at()} by il, ih",
            f"same: sum(j, {range_text}, {held}(j)) = Y by sum_ext({sum_arguments}), P_{self.name}, il, ih",
            f"take (times edge) from {mean}_is(i) by il, ih",
            f"take inverse from inverse_{table}_is(i) by il, ih",
            f"warm: 0 < {inverse}", *at_edge, f"query: {mean}(i) = {inverse}*Y", *at_edge,
            f"scores: {all_k} {score_at_k} = {inverse}*Y^2 - {inverse}*({away})^2", "  given k (kl kh)",
            f"  qed by query, {table}_is(k), {table}_square_is(k), kl, kh, il, ih",
            f"only: {all_k} k != {at} -> {score_at_k} < {top_score}", "  given k (kl kh) other",
            f"  apart: 1 <= ({away})^2 by other", f"  below: 0 < {inverse}*({away})^2 by warm, apart",
            f"  qed by scores(k), scores({at}), below, least, most, kl, kh, il, ih",
            f"take (single value) from single_best({ends}; {at}; k. {score_at_k}; {table}_square) "
            "by least, most, only, il, ih",
            f"found: {table}_square({at}) = Y^2 by {table}_square_is({at}), least, most, il, ih",
            f"qed by {square}_is(i), single, value, found, counted, il, ih"]  # fmt: skip


class ChosenNumber(GrowingNumber):
    """A number that is `source` where the truth `condition` holds, and 0 elsewhere.

    `bit` is the truth as a number, 0 or 1, and the coordinate `test` holds it. `atom` is the source in the compiler's
    record.
    """

    def __init__(self, facts: ProgramFacts, name: str) -> None:
        super().__init__(facts, name)
        self.test, truth, self.atom = self.compiled.gates[name]
        if self.compiled.node(truth) is False or facts.score_of(name, "j", ("average",)) is None:
            raise Undecided(f"no proof method covers {self.compiled.meanings[name]}")
        self.source, self.condition = number_of(facts, self.atom.name), facts.truth(truth)
        self.bit = f"I[{self.condition}]"

    def score(self, at: str) -> str:
        """The score of a position, as text, in the head that writes the number."""
        return present(self.facts.score_of(self.name, at, ("average",)))

    def fact(self, squared: Fact | None = None) -> Fact:
        """The fact G_name: the coordinate is the source where the condition holds, else 0. If `squared` is given, which
        is the fact about the square of the source, the returned fact is about the coordinates of the two squares.
        Undecided with `squared` if the source grows from neither side."""
        # A number with a side grows from the edge `end`. The head sees position i if the condition holds, else the
        # edge, where the source is 0: the score of position k is k or -k, by `factor`.
        if self.atom.side not in ("left", "right"):
            if squared:
                raise self.no_square
            return self.anywhere()
        target, source_name = self.name, self.atom.name
        if squared:
            target, source_name = self.compiled.squares[target], self.compiled.squares[source_name]
        put, source = self.facts.put(target), self.facts.put(source_name)
        left, bit = self.atom.side == "left", self.bit
        low, high, end = ("1", "i", "1") if left else ("i", "n", "n")
        at_end = [*self.source.at_end(end), *([squared.at(end)] if squared else [])]
        index = [f"{coordinate}_is" for coordinate in ("index", "one") if coordinate in self.facts.run]
        at_i, at_edge, at_k = map(self.score, ("i", end, "k"))
        ends, factor = ("il", f"2*{bit} - 1") if left else ("ih", f"1 - 2*{bit}")
        return self.facts.valued(self.facts.each(f"G_{target}", f"{put}(i) = {bit}*{source}(i)", [
            "some_here: 1 <= n by il, ih", self.told,
            f"scores: all k in {low}..{high}. {at_k} = ({factor})*k", "  given k (kl kh)",
            f"  qed by {', '.join(f'{coordinate}(k), {coordinate}(i)' for coordinate in index)}, told, kl, kh, il, ih",
            f"best: all k in {low}..{high}. ({bit} = 1 & k != i -> {at_k} < {at_i}) & "
            f"({bit} = 0 & k != {end} -> {at_k} < {at_edge})", "  given k (kl kh)",
            "  - given (yes off)", f"    qed by scores(k), scores(i), yes, off, kl, kh, {ends}, il, ih",
            "  - given (no off)", f"    qed by scores(k), scores({end}), no, off, kl, kh, il, ih, some_here",
            f"at_end: {source}({end}) = 0 by {', '.join([*at_end, 'some_here'])}",
            f"take level from chosen_number({low}; {high}; i; {end}; {bit}; j. {self.score('j')}; {source}; {put}(i))"
            f"[_, _, best, at_end, _] by {put}_is(i), il, ih", "qed by level"]))  # fmt: skip

    @property
    def told(self) -> str:
        """The line with the label `told`: the coordinate `test` holds the truth of the condition."""
        return f"told: {self.facts.put(self.test)}(i) = {self.bit} by {self.facts.holds(self.test).label}, il, ih"

    def anywhere(self) -> Fact:
        """The fact G_name for a number m from 0 to n - 1 that grows from neither side.

        The head looks up position m + 1 if the condition holds, else position 1.
        """
        put, bit, at_k = self.function, self.bit, self.score("k")
        keys = [f"{key}_is(k)" for key in ("before", "before_square", "before_times_length")]
        return self.facts.valued(self.facts.each(f"G_{self.name}", f"{put}(i) = {bit}*{self.source.function}(i)", [
            "some_here: 1 <= n by il, ih", self.told,
            f"obtain m (whole low high) from {self.source.whole().at()} by il, ih",
            f"bits: bit({bit})", f"  cases yes, no: {self.condition}", "    - qed by yes", "    - qed by no",
            f"scores: all k in 1..n. {at_k} = 2*m*(k - 1) - (k - 1)^2 - 2*n*(k - 1)*(1 - {bit})",
            "  given k (kl kh)",
            f"  qed by {', '.join(keys)}, {self.facts.holds('one').at()}, whole, told, kl, kh, il, ih",
            "keys: all k in 1..n. before(k) = k - 1 by before_is",
            f"take level from chosen_anywhere(n; m; {bit}; j. {self.score('j')}; before; {put}(i)) "
            f"by low, high, bits, scores, keys, {put}_is(i), il, ih", "qed by level, whole"]))  # fmt: skip

    def at_end(self, end: str) -> list[str]:
        return [self.fact().at(end), *self.source.at_end(end)]

    def bounds(self, at: str = "i") -> list[str]:
        return [self.fact().at(at), *self.source.bounds(at)]

    def whole_lines(self) -> list[str]:
        facts = ", ".join([self.fact().at(), "same", "low", "high", "il", "ih"])
        return [f"obtain m (same low high) from {self.source.whole().at()} by il, ih",
                f"cases yes, no: {self.condition}",
                "  - witness m", f"    qed by yes, {facts}", "  - witness 0", f"    qed by no, {facts}"]  # fmt: skip

    def square_lines(self, square: str) -> list[str]:
        source_square = self.source.square()
        return [
            f"qed by {', '.join(fact.at() for fact in (self.fact(), self.fact(source_square), source_square))}, il, ih"
        ]


class FoundNumber(GrowingNumber):
    """A number that a head has retrieved from another position."""

    def __init__(self, facts: ProgramFacts, name: str) -> None:
        super().__init__(facts, name)
        self.head = next(head for head in facts.heads.values() if name in head.copies)
        self.atom = self.head.source(name)
        self.source = number_of(facts, self.atom.name)

    def at_end(self, end: str) -> list[str]:
        return [self.head.zero_at(self.name, end, self.source)]

    def bounds(self, at: str = "i") -> list[str]:
        """The fact N_name at a position, which is added if it is missing: the bounds of the source at the position that
        the head sees."""
        # If the head sees only the side from which the number grows, the number keeps the bound that it has there.
        side = self.atom.side if self.head.selection.mask.endswith(SEEN[self.atom.side]) else "both"
        bound = {"left": "i - 1", "right": "n - i", "both": "n - 1"}[side]
        if f"N_{self.name}" not in self.facts.shown:
            lines = self.head.where_found([self.name], self.source.bounds("p"))
            self.facts.each(f"N_{self.name}", f"0 <= {self.function}(i) & {self.function}(i) <= {bound}", lines)
        return [f"N_{self.name}({at})"]

    def whole_lines(self) -> list[str]:
        lines = [f"obtain m (same low high) from {self.source.whole().at('p')} by pl, ph, il, ih", "witness m"]
        return self.head.where_found([self.name], ["same", "low", "high"], lines, ["witness 0"])

    def square_lines(self, square: str) -> list[str]:
        return self.head.where_found((self.name, self.compiled.squares[self.name]), [self.source.square().at("p")])


class KeySquare:
    """The square of a key without its constant: the fact S<line> that coordinates add up to x^2.

    `key` is the line of the key of an equality of numbers. `x` is its value without its constant, as text, and `number`
    is the same for the compiler. `linear` has the coordinates that add up to x^2, with their factors. `tall` and `end`
    (which is i or n) give the bounds of x: it lies between -tall[1]*end and tall[0]*end.
    """

    def __init__(self, facts: ProgramFacts, key: int, equality: Equality) -> None:
        # `c` is the constant of the key.
        self.facts, self.compiled, self.put, self.key, self.label = facts, facts.compiled, facts.put, key, f"S{key}"
        c = self.compiled.linear(equality.key).get("", Fraction(0))
        self.number = equality.key.plus(self.compiled.number(c), -1)
        self.linear, self.x = self.compiled.square(self.number), f"({facts.spoken.value(key)} - ({c}))"
        self.tall = [int(self.number.growth()), int(self.number.times(-1).growth())]
        self.end = "i" if self.number.side == "left" and max(self.tall) <= 1 else "n"
        if self.label not in facts.shown:
            facts.each(self.label, f"{facts.row(self.linear)} = {self.x}^2", self.lines())

    def lines(self) -> list[str]:
        """Lines that prove that the coordinates add up to the square."""
        # A single number may have its square in one coordinate; else the square is a sum over pieces of its range.
        pieces, (first, *others) = [name for name, q in self.linear.items() if name and q], self.number.atoms
        if not others and self.compiled.squares.get(first.name) in pieces:
            hints = self.facts.row_is(self.key), number_of(self.facts, first.name).square()
            return [f"qed by {', '.join(fact.at() for fact in hints)}, il, ih"]
        if len(pieces) < 3 or self.number.side == "right" or not all(map(self.facts.there, pieces)):
            raise Undecided(f"no proof method covers the square of {self.facts.program.text(self.key)}")
        return self.in_pieces(pieces)

    def in_pieces(self, pieces: Sequence[str]) -> list[str]:
        """Lines that prove that coordinates add up to x^2, where `pieces` are these coordinates.

        The range of x is cut into pieces of length `end`, `tall[0]` above 0 and `tall[1]` below. Each piece has its own
        coordinates: the first of a side has three, each later one five (see `piece`).
        """
        # The bounds of x, and the tables for lookups: k - 1 for each position k, (k - 1)^2, and n*(k - 1).
        x, end, tall, number = self.x, self.end, self.tall, self.number
        known = [self.facts.range(name).at() for name in self.compiled.linear(number) if self.facts.truthful(name)]
        known += [fact for atom in number.atoms for fact in number_of(self.facts, atom.name).bounds()]
        bounded = ", ".join(["is", *known, "il", "ih"])
        lines = [f"some_here: 1 <= {end} by il, ih",
                 self.mirrored(1),
                 f"most: {x} <= {tall[0]}*{end} by {bounded}", f"least: {-tall[1]}*{end} <= {x} by {bounded}",
                 f"keys: all j in 1..{end}. before(j) = j - 1 by before_is, ih",
                 f"squares: all j in 1..{end}. before_square(j) = (j - 1)^2 by before_square_is, ih",
                 f"unit: one(i) = 1 by {self.facts.holds('one').label}, il, ih",
                 "warm: 0 < one(i) by unit"]  # fmt: skip
        if max(tall) > 1:
            lines.append("times: all j in 1..n. before_times_length(j) = n*(j - 1) by before_times_length_is")
        # Piece by piece: first those above 0, then those below 0, for which x is replaced by -x.
        remaining, taken_names = list(pieces), list[list[str]]()
        for sign, count in zip((1, -1), tall, strict=True):
            row = self.compiled.linear(number.times(sign))
            signed_x = f"{'' if sign == 1 else '-'}{x}"
            lines += [self.mirrored(-1)] if count and sign == -1 else []
            for k in range(count):
                taken_names.append(remaining[: 5 if k else 3])
                remaining = remaining[5 if k else 3 :]
                lines += self.piece(sign, k, signed_x, self.facts.row(row), taken_names[-1], k + 1 < count)
        return [*lines, *self.by_piece(taken_names)]

    def mirrored(self, sign: int) -> str:
        """The line which states that the coordinates of the number add up to x, or to -x if `sign` is -1."""
        label, name, signed_x = ("Off", "is", self.x) if sign == 1 else ("Back", "mirrored", f"-{self.x}")
        row = self.facts.row(self.compiled.linear(self.number.times(sign)))
        self.facts.by_cases(f"{label}{self.key}", f"{row} = {signed_x}", held=True)
        return f"{name}: {row} = {signed_x} by {label}{self.key}(i), il, ih"

    def piece(self, sign: int, k: int, signed_x: str, row: str, names: Sequence[str], followed: bool) -> list[str]:
        """Lines about the coordinates of piece k on the side `sign`; `names` are these coordinates.

        `signed_x` is x or -x, and `row` is the sum of coordinates with this value. Y is the part of the number in this
        piece, less 1, but at least 0. If the piece is `followed` by another one, Y is at most its length less 1. The
        coordinates hold the square of Y (line Q), Y itself (line Y), and whether the number reaches the piece (fact
        T_name). If k > 0 there are two more coordinates, with n*Y (line P), and with n - 1 if the number reaches the
        piece, else 0 (line G).
        """
        # `tag` ends the labels of this piece: its number, after "n" on the side below 0. `y` is Y as a term.
        square, part, some, *more = map(self.put, names)
        tag, mirrored, end = f"{'n' * (sign < 0)}{k}", self.mirrored(sign), self.end
        row_label = mirrored.partition(":")[0]
        y = f"relu({signed_x} - {k}*{end} - 1)" + f" - relu({signed_x} - {k + 1}*{end})" * followed
        length = [f"{self.put('length')}_is(i)"] if "length" in self.facts.run else []
        shifted_row = f"{row} + ({-k})*{self.put('length')}(i)" if k else row
        # Whether the number reaches the piece: a feed-forward layer tests the number less k*end.
        self.facts.each(f"T_{names[2]}", f"{some}(i) = I[0 < {signed_x} - {k}*{end}]", [
            mirrored,
            f"shifted: {shifted_row} = {signed_x} - {k}*{end} by {', '.join([row_label, *length, 'il', 'ih'])}",
            f"take it from number_is_positive({signed_x} - {k}*{end}; {shifted_row}) by shifted",
            f"qed by it, {some}_is(i), il, ih"])  # fmt: skip
        self.facts.follows(f"B_{names[2]}", f"bit({some}(i))", [f"T_{names[2]}"])
        keyed = f"least{tag}, less{tag}, warm, query{tag}, keys, squares"

        def lookup(label: str, name: str, values: str, said: str, at: str) -> list[str]:
            """Lines by which the coordinate `name` is `said`: its head looks up position Y + 1 in the table `values`.
            `at` is the fact about the values of this table."""
            return [f"take Is{label}{tag} from {name}_is(i) by il, ih",
                    f"take It{label}{tag} from looked_up({end}; {y}; one(i); {part}(i); {name}(i); before; "
                    f"before_square; {values})[_, Is{label}{tag}] by {keyed}",
                    f"{label}{tag}: {name}(i) = {said} by It{label}{tag}, {at}({y} + 1), Y{tag}, least{tag}, "
                    f"less{tag}"]  # fmt: skip

        # Y, its bounds, and that it is the query of the lookups; then the lookups.
        lines = [f"Y{tag}: {part}(i) = {y} by {', '.join([f'{part}_is(i)', row_label, *length, 'il', 'ih'])}",
                 f"least{tag}: 0 <= {y} by some_here", f"less{tag}: {y} < {end} by some_here, most, least",
                 f"query{tag}: {part}(i) = one(i)*({y}) by Y{tag}, unit",
                 *lookup("Q", square, "before_square", f"{part}(i)^2", "squares")]  # fmt: skip
        if more:
            times, gated = more
            last = f"{self.put('last')}_is(i)"
            lines += lookup("P", times, "before_times_length", f"n*{part}(i)", "times")
            by = f"{ChosenNumber(self.facts, names[4]).fact().at()}, {last}, B_{names[2]}(i), il, ih"
            lines.append(f"G{tag}: {gated}(i) = {some}(i)*(n - 1) by {by}")
        return lines

    def by_piece(self, names: Sequence[Sequence[str]]) -> list[str]:
        """Lines that add up the pieces: a case for each piece in which x may lie, and a case for x = 0."""
        x, tall, end = self.x, self.tall, self.end

        def leaf(reached: int, bound: Sequence[str]) -> list[str]:
            """The lines of one case: x reaches |reached| pieces, on the side with the sign of `reached`. `bound` has
            the labels of the facts that bound x."""
            # For each piece, line V has the value of Y, and line S whether x reaches the piece. Y is n - 1 in each
            # piece before the last one that x reaches, the rest of x less 1 in that last piece, and 0 in each piece
            # that x does not reach. (With several pieces on a side, `end` is n.) All are then put into the sum.
            lines, piece_labels = list[str](), list[str]()
            zero_line = [] if reached else [f"nothing: {x} = 0 by {', '.join(bound)}"]
            hints = ", ".join(["some_here", "most", "least", *bound, *["nothing"][: not reached]])
            piece = 0
            for sign, count in zip((1, -1), tall, strict=True):
                for k in range(count):
                    tag, (_, part, some, *more) = f"{'n' * (sign < 0)}{k}", names[piece]
                    piece += 1
                    reached_here = abs(reached) if reached * sign > 0 else 0
                    minus = "" if sign == 1 else "-"
                    value = "n - 1" if k + 1 < reached_here else "0"
                    if k + 1 == reached_here:
                        value = f"{minus}{x} - {k}*{end} - 1"
                    is_reached = int(k < reached_here)
                    lines.append(f"V{tag}: {self.put(part)}(i) = {value} by Y{tag}, {hints}")
                    lines.append(f"S{tag}: {self.put(some)}(i) = {is_reached} by T_{some}(i), {hints}, il, ih")
                    piece_labels += [f"Q{tag}", *[f"P{tag}", f"G{tag}"][: len(more)], f"V{tag}", f"S{tag}"]
            rewrites = [f"rewrite {label}" for label in piece_labels]
            return [*zero_line, *lines, *rewrites, *["rewrite nothing"][: not reached], "qed"]

        def split(rest: Sequence[tuple[int, str]], bound: Sequence[str]) -> list[str]:
            """The lines for the remaining cases, each with its number of pieces and its condition on x; after the last
            one x = 0."""
            if not rest:
                return leaf(0, bound)
            (reached, condition), *more = rest
            yes, no = f"In{len(more)}", f"Out{len(more)}"
            return [f"cases {yes}, {no}: {condition}", *as_block(leaf(reached, [yes, *bound])),
                    *as_block(split(more, [no, *bound]))]  # fmt: skip

        # The cases: x is in the highest piece above 0, in the next one, and so on; then in the lowest piece below 0,
        # and so on. A condition needs only the end of the piece that is nearer to 0, since earlier cases exclude x
        # beyond its other end.
        above = [(m, f"{m - 1}*{end} < {x}") for m in range(tall[0], 0, -1)]
        below = [(-m, f"{x} < {1 - m}*{end}") for m in range(tall[1], 0, -1)]
        return split([*above, *below], [])
