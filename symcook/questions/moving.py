"""The answer to one input as one number of the model (a weight or the temperature) moves along a line.

`OneSymbol.probe` runs the model over rational functions of the number, and finds the piece on which the answer stays
the same. `OneSymbol.point` returns the answer at a single place.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

from flint import fmpq, fmpq_poly

from symcook.domains.batch import Batch, Listed
from symcook.errors import BadInput, NotExact
from symcook.forward import Result, forward
from symcook.model.transformer import Transformer
from symcook.numbers.roots import RealPlace
from symcook.questions.line import LineDomain
from symcook.questions.reach import Piece
from symcook.words import Word
from symcook.words.simulated import tokens_of


def answer(result: Result) -> Any:
    """The answer of a run as a value to compare: a verdict, the index of a label, or a tuple of these for all
    positions. None if the answer, or one of the tuple, is open."""
    answers = result.answers
    if None in answers or result.verdicts is None:
        return None
    return tuple(answers) if result.model.readout.each else answers[0]


def exact_answers(model: Transformer, words: Sequence[Word]) -> dict[Word, Any]:
    """The answers to strings of one length, by one exact run of all of them; empty if there is no such run, or if the
    readout looks at every position."""
    if model.readout.everywhere or not words:
        return {}
    try:
        domain = Batch()
        result = forward(model, Listed(tuple(tokens_of(model, words))), domain)
        verdicts: Any = result.answers[0]
        return dict(zip(words, domain.full(verdicts).tolist(), strict=True))
    except (NotExact, BadInput):
        return {}


class OneSymbol:
    """One input of a model whose symbol `name` has the value `start` + `side` t. With `start` None the number that
    moves is the temperature tau instead, with t = e^(-1/(unit tau))."""

    domain: ClassVar[type[LineDomain]] = LineDomain
    """The number system of the runs."""

    def __init__(
        self, model: Transformer, word: Sequence[str], name: str, start: fmpq | None, side: int = 1, unit: int = 1
    ) -> None:
        self.model, self.sequence, self.name = model, model.tokens(word), name
        self.start, self.side, self.unit = start, side, unit

    def _line(self, place: Any) -> LineDomain:
        """The number system of functions of t, whose signs are taken at `place`."""
        moved = None if self.start is None else (self.name, fmpq_poly([self.start, self.side]))
        return self.domain(place, moved, self.unit, self.name)

    def probe(self, place: fmpq) -> Piece:
        """The answer at `place`, and places among which are the ends of the piece around it on which the answer is the
        same. Landed if a value whose sign is taken is zero at `place`; NotExact if a value is not a rational function;
        Unit if the temperature moves and needs a larger `unit`."""
        domain = self._line(place)
        result = forward(self.model, self.sequence, domain)
        return Piece(answer(result), domain.ends())

    def point(self, place: RealPlace) -> Any:
        """The answer at one place."""
        if not isinstance(place, Fraction):
            return answer(forward(self.model, self.sequence, self._line(place)))
        at = fmpq(place.numerator, place.denominator)
        moved = None if self.start is None else (self.name, self.start + self.side * at)
        return answer(forward(self.model, self.sequence, self.domain(at, moved, self.unit, self.name, here=True)))
