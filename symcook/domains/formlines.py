"""Closed forms at every length as lines, each of which is a statement that `prove` takes.

A line has the conditions of its case as premises, and the definitions that it needs behind ``where``::

    mod(n, 2) = 0 & mod(count("1"), 2) = 1 -> logit = 2*tanh(c)/n^2
    all i in 1..n. i <= 2*count("(", i) -> error(i) = 0
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from symcook.domains.names import FormName, I, given
from symcook.domains.spelling import Spelling, conjunction
from symcook.domains.world import World
from symcook.model.spelled import spelled

if TYPE_CHECKING:
    from symcook.closed import ClosedForm
    from symcook.model.transformer import Transformer


class ClosedLines:
    """Writes what the closed forms of a model say as statements."""

    def __init__(self, spelling: Spelling, model: Transformer) -> None:
        self.spelling, self.texts, self.model = spelling, spelling.texts, model
        world, readout = spelling.world, model.readout
        self.place = readout.at(str(world.start), world.last) or "i"
        """The position at which the readout looks."""
        self.assumed = premises(spelling)
        """What is assumed of positions that are given as input numbers."""

    def coordinate(self, name: str, place: str) -> str:
        """The last value of a coordinate at a place."""
        return f"{self.texts.coordinate(name)}({place})"

    def output(self, name: str) -> str:
        """What the readout computes: the value of a coordinate that it reads, the logit, or the score or probability of
        a label."""
        readout = self.model.readout
        if not readout.signed and not readout.labels:
            return self.coordinate(name, self.place)
        word = "probability" if readout.normalized else "logit"
        arguments = [*([spelled(name)] if readout.labels else []), *(["i"] if readout.everywhere else [])]
        return f"{word}({', '.join(arguments)})" if arguments else word

    def of_case(self, form: ClosedForm, whole: tuple[bool | None, str | None] | None) -> Iterator[str]:
        """The lines of a case: its outputs, and the verdict or the answer. `whole` is the verdict on all positions, if
        the readout gives one, and the condition if it depends on the string: a line of its own, alike in all cases."""
        for name, value in form.output.items():
            yield self.line(form.conditions, f"{self.output(name)} = {self.texts.with_symbols(value)}")
        readout = self.model.readout
        if form.label is not None:
            yield self.line(form.conditions, f"answer({spelled(form.label)}{', i' if readout.each else ''})")
        elif whole is not None:
            yield self.closed(self.accepted("accept", *whole))
        elif form.decides:
            head = "accept(i)" if readout.each else "accept"
            yield self.line(form.conditions, self.accepted(head, form.accept, form.accepts))

    @staticmethod
    def accepted(head: str, accept: bool | None, accepts: str | None) -> str:
        """The formula that the model accepts, that it rejects, or that it accepts iff the condition `accepts` holds."""
        return head if accept else f"~{head}" if accept is False else f"{head} <-> {accepts}"

    def line(self, conditions: Sequence[str], said: str) -> str:
        """The statement that `said` holds under these conditions, at each position if the readout looks at each."""
        if self.model.readout.everywhere:
            return self.everywhere(conditions, said)
        return self.closed(self.under(conditions, said))

    def everywhere(self, conditions: Sequence[str], said: str) -> str:
        """The statement that `said` holds at each position i under these conditions."""
        return self.closed(self.spelling.everywhere(self.under(conditions, said)))

    @staticmethod
    def under(conditions: Sequence[str], said: str) -> str:
        """The formula that `said` holds under these conditions."""
        test = conjunction(conditions)
        return f"{test} -> {ClosedLines.inside(said)}" if test else said

    @staticmethod
    def inside(said: str) -> str:
        """A formula with brackets if it needs them behind an arrow."""
        return f"({said})" if "<->" in said else said

    def closed(self, said: str) -> str:
        """The statement with the assumptions before it and the definitions behind it."""
        return self.texts.where(self.under(self.assumed, said))


def pointers(world: World) -> set[FormName]:
    """The given numbers at position i that select positions."""
    return {given(name, ({I: Fraction(1)}, Fraction(0))) for name in world.pointing}


def premises(spelling: Spelling) -> list[str]:
    """The assumptions of the forms about given numbers: a number that selects a position is a position of the input."""
    world, bound = spelling.world, spelling.texts.bound("q")
    ends, here = f"{world.start}..{world.last}", map(spelling.name, sorted(pointers(world)))
    return [f"({spelling.everywhere(f'ex {bound} in {ends}. {name} = {bound}')})" for name in here]
