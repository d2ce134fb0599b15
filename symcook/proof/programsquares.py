"""Squares of whole numbers in the proofs of compiled S-RASP programs: sums of coordinates. Nothing here is trusted.

Fact S5 says that the sum for line 5 is its square.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from symcook.compilers.numbers import Atom, Form
from symcook.compilers.selection import Equality
from symcook.errors import Undecided
from symcook.proof.programgates import GateFacts
from symcook.proof.programtext import as_block


class SquareFacts(GateFacts):
    """The facts about squares."""

    def squares(self, key: int, equality: Equality) -> tuple[str, str]:
        """The sum of coordinates that is the square of a key, at j, and the fact that it is."""
        c = self.compiled.linear(equality.key).get("", Fraction(0))
        form = equality.key.plus(self.compiled.number(c), -1)
        square = self.compiled.square(form)
        label, x = f"S{key}", f"({self.spoken.value(key)} - ({c}))"
        if label not in self.done:
            pieces, (first, *others) = [name for name, q in square.items() if name and q], form.atoms
            if not others and self.compiled.squares.get(first.name) in pieces:
                told = f"{self.row_is(key)}(i), {self.squared(first.name)}(i)"
                self.each(label, f"{self.row(square)} = {x}^2", [f"qed by {told}, il, ih"])
                return self.row(square, "j"), label
            tall = [form.growth(), form.times(-1).growth()]
            if len(pieces) < 3 or form.side == "right" or not all(self.there(name) for name in pieces):
                raise Undecided(f"no proof is made of the square of {self.program.text(key)}")
            end = "i" if form.side == "left" and max(tall) <= 1 else "n"
            inner = self.pieces(key, x, form, pieces, [int(one) for one in tall], end)
            self.each(label, f"{self.row(square)} = {x}^2", inner)
        return self.row(square, "j"), label

    def squared(self, name: str) -> str:
        """The fact that the coordinate of a square holds that of another one."""
        label, put, square = f"Q_{name}", self.put(name), self.put(self.compiled.squares[name])
        if label in self.done:
            return label
        said = f"{square}(i) = {put}(i)^2"
        missing = Undecided(f"no proof is made of the square of {self.compiled.meanings[name]}")
        if name in ("before", "behind"):
            self.each(label, said, [f"qed by {square}_is(i), {put}_is(i), il, ih"])
        elif not self.there(self.compiled.squares[name]):
            raise missing
        elif name in self.compiled.counts:
            self.each(label, said, self.count_squared(name, square))
        elif (number := self.finder(name)) is not None:
            known = [f"{self.squared(self.heads[number].source(name).name)}(p)"]
            self.each(label, said, self.heads[number].where_found((name, self.compiled.squares[name]), known))
        elif name in self.compiled.gates:
            known = self.squared(self.compiled.gates[name].atom.name)
            self.each(label, said, [f"qed by {self.gate(name)}(i), {self.gate(name, known)}(i), {known}(i), il, ih"])
        else:
            raise missing
        return label

    def count_squared(self, name: str, square: str) -> list[str]:
        """Lines that show that a coordinate of a head that looks up a count holds its square."""
        side, truth, mean = self.compiled.counts[name]
        place, edge, ends, others, at, far, away = {
            "left": ("before", "i = 1", "1; i", "1, i - 1", "Y + 1", "i - 1", "k - 1 - Y"),
            "right": ("behind", "i = n", "i; n", "i + 1, n", "n - Y", "n - i", "n - k - Y"),
        }[side]
        held, fact = self.put(self.compiled.hold(self.compiled.node(truth))), self.count(name)
        each = f"{held}; j. I[{self.truth(truth, 'j')}]; {others.replace(', ', '; ')}"
        score, inverse = partial(self.score_of, self.compiled.squares[name], ties=("average",)), f"inverse_{place}(i)"
        first, last = score("k"), score(at)
        all_k = f"all k in {ends.replace('; ', '..')}."
        at_edge = [
            f"  cases first, more: {edge}", "    - qed by inverse, edge, first, least, most, same",
            f"    - take pos from inverse_positive({far}) by more, il, ih",
            "      qed by inverse, pos, more, times, same"]  # fmt: skip
        return [
            f"let Y = {self.counted(name)}", f"take (counted least most) from {fact}(i) by il, ih",
            f"same: sum(j, {others}, {held}(j)) = Y by sum_ext({each}), P_{name}, il, ih",
            f"take (times edge) from {self.put(mean)}_is(i) by il, ih",
            f"take inverse from inverse_{place}_is(i) by il, ih",
            f"warm: 0 < {inverse}", *at_edge, f"query: {self.put(mean)}(i) = {inverse}*Y", *at_edge,
            f"scores: {all_k} {first} = {inverse}*Y^2 - {inverse}*({away})^2", "  given k (kl kh)",
            f"  qed by query, {place}_is(k), {place}_square_is(k), kl, kh, il, ih",
            f"only: {all_k} k != {at} -> {first} < {last}", "  given k (kl kh) other",
            f"  apart: 1 <= ({away})^2 by other", f"  below: 0 < {inverse}*({away})^2 by warm, apart",
            f"  qed by scores(k), scores({at}), below, least, most, kl, kh, il, ih",
            f"take (single value) from single_best({ends}; {at}; k. {first}; {place}_square) "
            "by least, most, only, il, ih",
            f"found: {place}_square({at}) = Y^2 by {place}_square_is({at}), least, most, il, ih",
            f"qed by {square}_is(i), single, value, found, counted, il, ih"]  # fmt: skip

    def pieces(self, key: int, x: str, form: Form, pieces: Sequence[str], tall: Sequence[int], end: str) -> list[str]:
        """Lines that show that coordinates are a square: those of the number in pieces of `end`, i or n, `tall` many
        above 0 and below."""
        named = [name for name in self.compiled.linear(form) if name and self.truthful(name)]
        known = [f"{self.range(name)}(i)" for name in named]
        bounded = ", ".join(["is", *known, *(fact for atom in form.atoms for fact in self.bounds(atom)), "il", "ih"])
        lines = [f"some_here: 1 <= {end} by il, ih",
                 *self.mirrored(key, x, form, 1),
                 f"most: {x} <= {tall[0]}*{end} by {bounded}", f"least: {-tall[1]}*{end} <= {x} by {bounded}",
                 f"keys: all j in 1..{end}. before(j) = j - 1 by before_is, ih",
                 f"squares: all j in 1..{end}. before_square(j) = (j - 1)^2 by before_square_is, ih",
                 f"unit: one(i) = 1 by {self.holds('one')}, il, ih", "warm: 0 < one(i) by unit"]  # fmt: skip
        if max(tall) > 1:
            lines.append("times: all j in 1..n. before_times_length(j) = n*(j - 1) by before_times_length_is")
        left, taken = list(pieces), list[list[str]]()
        for sign, count in zip((1, -1), tall, strict=True):
            row, of = self.compiled.linear(form.times(sign)), f"{'' if sign == 1 else '-'}{x}"
            mirrored = self.mirrored(key, x, form, sign)
            lines += mirrored if count and sign == -1 else []
            for k in range(count):
                taken.append(left[: 5 if k else 3])
                left = left[5 if k else 3 :]
                lines += self.piece(sign, k, mirrored, of, self.row(row), taken[-1], end, k + 1 < count)
        return [*lines, *self.by_piece(x, tall, taken, end)]

    def mirrored(self, key: int, x: str, form: Form, sign: int) -> list[str]:
        """The line that the coordinates of a number are x, or -x."""
        label, name, of = (
            f"Row{'n' * (sign < 0)}{key}",
            "is" if sign == 1 else "mirrored",
            f"{'' if sign == 1 else '-'}{x}",
        )
        row = self.row(self.compiled.linear(form.times(sign)))
        self.by_cases(label, f"{row} = {of}", held=True)
        return [f"{name}: {row} = {of} by {label}(i), il, ih"]

    def range(self, name: str) -> str:
        """The fact between what a coordinate is that holds a truth, or a number for each letter."""
        if name not in self.compiled.tables:
            return self.bit(name) if name not in ("one", "zero") else self.holds(name)
        put, table = self.put(name), self.compiled.tables[name]
        self.by_cases(f"B_{name}", f"{min(table)} <= {put}(i) & {put}(i) <= {max(table)}")
        return f"B_{name}"

    def bounds(self, atom: Atom) -> list[str]:
        """The facts between what a whole number is, at i."""
        if (name := atom.name) in self.compiled.gates:
            return [f"{self.gate(name)}(i)", *self.bounds(self.compiled.gates[name].atom)]
        if name in ("before", "behind", "last"):
            return [f"{self.put(name)}_is(i)"]
        if name in self.compiled.counts:
            return [f"{self.count(name)}(i)"]
        if f"N_{name}" in self.done:
            return [f"N_{name}(i)"]
        if (number := self.finder(name)) is not None:
            known = [fact.replace("(i)", "(p)") for fact in self.bounds(self.heads[number].source(name))]
            most = {"left": "i - 1", "right": "n - i"}.get(atom.side, "n - 1")
            said = f"0 <= {self.put(name)}(i) & {self.put(name)}(i) <= {most}"
            self.each(f"N_{name}", said, self.heads[number].where_found([name], known))
            return [f"N_{name}(i)"]
        raise Undecided(f"no proof is made of the square of {self.compiled.meanings[name]}")

    def piece(self, sign: int, k: int, mirrored: Sequence[str], of: str, row: str, names: Sequence[str], end: str,
              cut: bool) -> list[str]:  # fmt: skip
        """Lines about the coordinates of piece k: Y what is left of the number less 1, Q its square, P n times it, G
        n - 1 where there is something left; T_name says where there is."""
        square, part, some, *more = map(self.put, names)
        tag, same = f"{'n' * (sign < 0)}{k}", mirrored[0].partition(":")[0]
        y = f"relu({of} - {k}*{end} - 1)" + f" - relu({of} - {k + 1}*{end})" * cut
        length = [f"{self.put('length')}_is(i)"] if "length" in self.run else []
        here = f"{row} + ({-k})*{self.put('length')}(i)" if k else row
        self.each(f"T_{names[2]}", f"{some}(i) = I[0 < {of} - {k}*{end}]", [
            *mirrored, f"shifted: {here} = {of} - {k}*{end} by {', '.join([same, *length, 'il', 'ih'])}",
            f"take it from number_is_positive({of} - {k}*{end}; {here}) by shifted",
            f"qed by it, {some}_is(i), il, ih"])  # fmt: skip
        self.add(f"B_{names[2]}", f"all i in 1..n. bit({some}(i))", [f"T_{names[2]}"])
        keyed = f"least{tag}, less{tag}, warm, query{tag}, keys, squares"

        def looked(label: str, name: str, values: str, said: str, at: str) -> list[str]:
            return [f"take Is{label}{tag} from {name}_is(i) by il, ih",
                    f"take It{label}{tag} from looked_up({end}; {y}; one(i); {part}(i); {name}(i); before; "
                    f"before_square; {values})[_, Is{label}{tag}] by {keyed}",
                    f"{label}{tag}: {name}(i) = {said} by It{label}{tag}, {at}({y} + 1), Y{tag}, least{tag}, "
                    f"less{tag}"]  # fmt: skip

        lines = [f"Y{tag}: {part}(i) = {y} by {', '.join([f'{part}_is(i)', same, *length, 'il', 'ih'])}",
                 f"least{tag}: 0 <= {y} by some_here", f"less{tag}: {y} < {end} by some_here, most, least",
                 f"query{tag}: {part}(i) = one(i)*({y}) by Y{tag}, unit",
                 *looked("Q", square, "before_square", f"{part}(i)^2", "squares")]  # fmt: skip
        if more:
            times, gated = more
            last = f"{self.put('last')}_is(i)"
            lines += looked("P", times, "before_times_length", f"n*{part}(i)", "times")
            lines += [f"G{tag}: {gated}(i) = {some}(i)*(n - 1) by {self.gate(names[4])}(i), {last}, "
                      f"B_{names[2]}(i), il, ih"]  # fmt: skip
        return lines

    def by_piece(self, x: str, tall: Sequence[int], names: Sequence[Sequence[str]], end: str) -> list[str]:
        """Lines that put the pieces together, in each range of the number."""

        def leaf(now: int, bound: Sequence[str]) -> list[str]:
            """The end where |now| pieces are not empty, of the side that has the sign of `now`."""
            lines, found = list[str](), list[str]()
            zero = [] if now else [f"nothing: {x} = 0 by {', '.join(bound)}"]
            here = ", ".join(["some_here", "most", "least", *bound, *["nothing"][: not now]])
            place = 0
            for sign, count in zip((1, -1), tall, strict=True):
                for k in range(count):
                    tag, (_, part, some, *more) = f"{'n' * (sign < 0)}{k}", names[place]
                    place += 1
                    full = abs(now) if now * sign > 0 else 0
                    of = "" if sign == 1 else "-"
                    value = "n - 1" if k + 1 < full else f"{of}{x} - {k}*{end} - 1" if k + 1 == full else "0"
                    lines.append(f"V{tag}: {self.put(part)}(i) = {value} by Y{tag}, {here}")
                    lines.append(f"S{tag}: {self.put(some)}(i) = {int(k < full)} by T_{some}(i), {here}, il, ih")
                    found += [f"Q{tag}", *[f"P{tag}", f"G{tag}"][: len(more)], f"V{tag}", f"S{tag}"]
            return [*zero, *lines, *(f"rewrite {one}" for one in found), *["rewrite nothing"][: not now], "qed"]

        def split(rest: Sequence[tuple[int, str]], bound: Sequence[str]) -> list[str]:
            if not rest:
                return leaf(0, bound)
            (now, condition), *more = rest
            yes, no = f"In{len(more)}", f"Out{len(more)}"
            return [f"cases {yes}, {no}: {condition}", *as_block(leaf(now, [yes, *bound])),
                    *as_block(split(more, [no, *bound]))]  # fmt: skip

        ranges = [(m, f"{m - 1}*{end} < {x}") for m in range(tall[0], 0, -1)]
        return split([*ranges, *((-m, f"{x} < {1 - m}*{end}") for m in range(tall[1], 0, -1))], [])
