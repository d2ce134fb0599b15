"""Lines that keep values away from 0: sums of terms that are not negative, and networks that test for 0 by a tolerance.

Such a network is right where what it reads is 0 or at least the tolerance away from it, as a fraction of integers is up
to a greatest length, and a sum of such fractions.
"""

from __future__ import annotations

from collections.abc import Mapping

from flint import fmpq

from symcook.domains.field import Value, polynomial_of
from symcook.domains.linear import Guard, linear_form, unit
from symcook.domains.spelling import Spelling, in_brackets
from symcook.domains.world import World
from symcook.present import present


class SumText:
    """Lines about a sum of terms that are not negative, one named in a world, at a position i: NAME_low, that it is not
    negative, and NAME_gap, that it is at least its least value where it is positive."""

    def __init__(self, spelling: Spelling, name: str, low: str, high: str) -> None:
        self.spelling, self.name, self.one = spelling, name, spelling.world.sums[name]
        self.whole, self.body = spelling.sum(name), spelling.indicators(self.one.cells, "j")
        self.ends = [spelling.linear(*x) for x in (self.one.low, self.one.high)]
        self.places = f"all i in {low}..{high}. "

    def lines(self) -> list[str]:
        """NAME_low and what it rests on."""
        low, high = self.ends
        return [
            f"{self.name}_terms: all j in {low}..n. 0 <= {self.body}",
            f"{self.name}_low: {self.places}0 <= {self.whole} "
            f"by sum_nonneg(j. {self.body}; {low}; {high}), {self.name}_terms",
        ]

    def gap(self) -> str | None:
        """NAME_gap; None where no least value is known."""
        world, some = self.spelling.world, {("some", self.name): frozenset((True,))}
        least = world.sign.smallest(self.name, some)
        if least is None or len(self.one.cells) != 1:
            return None
        (cell,), (low, high) = self.one.cells, self.ends
        guard = " & ".join(map(in_brackets, self.spelling.guard(cell.guard)))
        bound, term = self.spelling.value(least), self.spelling.value(cell.value)
        return "\n".join(
            [
                f"{self.name}_gap: {self.places}0 < {self.whole} -> {bound} <= {self.whole}",
                "  given i (low high) more",
                f"  suppose less: {self.whole} < {bound}",
                f"  none: all j in {low}..{high}. {self.body} = 0",
                "    given j (jl jh)",
                f"    take member from sum_member(j. {self.body}; {low}; {high}; j)[{self.name}_terms]",
                f"    cases here: {guard}",
                f"      - one: {bound} <= {term} by here, jl, jh",
                "        qed by one, member, less, here",
                "      - qed by here",
                f"  gone: {self.whole} = 0 by sum_ext(j. {self.body}; j. 0; {low}; {high})[none]",
                "  qed by gone, more",
            ]
        )


def least(world: World, value: Value) -> Value | None:
    """How far a value is from 0 at least where it is not 0: of a number, an integer or a sum of terms that are not
    negative, over what is positive; None of others."""
    if isinstance(value, fmpq):
        return None
    world.field.lift(value)
    top, bottom = (polynomial_of(world.field, x) for x in (value.num, value.den))
    if isinstance(top, fmpq):
        return abs(top) / bottom
    form = linear_form(world.field, top)
    if form is not None and form[0] and all(map(world.whole, form[0])):
        step = unit(*form)
        return fmpq(step.numerator, step.denominator) / bottom
    _, sums, _ = world.sign.apart(top)  # type: ignore[arg-type]
    if len(sums) != 1 or top != world.name(name := min(sums)) * fmpq(sums[name].numerator, sums[name].denominator):
        return None
    smallest = world.sign.smallest(name, {("some", name): frozenset((True,))})
    return None if smallest is None else smallest * abs(fmpq(sums[name].numerator, sums[name].denominator)) / bottom


def nearest(spelling: Spelling, name: str) -> str:
    """That what is divided by a position or the length is no nearer to 0 than at the greatest length."""
    world = spelling.world
    return f"1/{present(world.most) + world.added} <= 1/{name}"


def away(
    spelling: Spelling, f: str, value: Value, guard: Guard, hints: str, known: Mapping[str, str]
) -> tuple[list[str], list[str]]:
    """The lines that say how far a function at i is from 0 in a case, up to the greatest length, and their labels;
    `known` are those of `nearest` by name."""
    world, bound = spelling.world, least(spelling.world, value)
    signs = world.signs(value, guard)
    if signs == {0} and not isinstance(value, fmpq):
        return [f"none_{f}: {f}(i) = 0 by {hints}"], [f"none_{f}"]
    if world.most is None or bound is None or len(signs) != 1 or not world.names_in(bound) <= {"i", "n"}:
        return [], []
    far, last = spelling.value(bound), fmpq(world.most + world.added)
    ends: Mapping[str, Value] = {"i": last, "n": last}
    names = sorted(world.names_in(bound))
    near = [f"near_{name}" for name in names]
    said = f"{far} <= {f}(i)" if signs == {1} else f"{f}(i) <= -({far})"
    lines = [f"far_{f}: {said} by {hints}"]
    lines += [f"near_{name}: {nearest(spelling, name)}" for name in names if name not in known]
    lines += [f"take near_{name} from {known[name]} by low, high" for name in names if name in known]
    least_of = f"{spelling.value(world.put(bound, ends))} <= {far}"
    if [least_of] == [nearest(spelling, name) for name in names]:
        return lines, [f"far_{f}", *near]
    return [*lines, f"least_{f}: {least_of} by {', '.join(near)}"], [f"far_{f}", f"least_{f}"]
