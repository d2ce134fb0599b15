"""The slope of a logit along one weight, over an interval of it, against exact runs of random models at its points."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
from attacks import bound_error
from attacks.models_at_random import weights_of
from flint import arb

from symcook.domains import make_domain
from symcook.errors import BadInput, NotExact, Undecided
from symcook.forward import forward
from symcook.questions.slope import Sloped
from symcook.questions.tolerance import free


def slopes(seed: int) -> int:
    """How many differences of coordinates were compared with the slopes of one random model along one weight."""
    model, length, rng = bound_error.made(seed)
    names = list(weights_of(model))
    if not names:
        return 0
    moved, value = free(model, [rng.choice(names)])
    name, start = moved.parameters[-1].name, Fraction(str(value))
    low, high = start - Fraction(rng.randint(0, 9), 40), start + Fraction(rng.randint(1, 9), 40)
    word = model.tokens(rng.choices(model.alphabet, k=length))
    along = Sloped(name, low, high)
    try:
        found = forward(moved, word, along, trace=True, weights=False)
    except (Undecided, NotExact, BadInput):  # a choice or a divisor on the way may be another one: nothing is said
        return 0
    places = [low, start, high, *(low + (high - low) * Fraction(rng.randint(0, 50), 50) for _ in range(3))]
    runs = []
    for place in places:
        domain = make_domain("ball")
        with domain.context():
            runs.append(forward(moved.bind({name: place}), word, domain, trace=True, weights=False).stream)
    compared = 0
    for coordinate, column in found.stream.items():
        for i, entry in enumerate(column):
            with along.context():
                slope = along.slope(entry)
                for a, one in zip(places, runs, strict=True):
                    for b, other in zip(places, runs, strict=True):
                        if a < b:
                            step = b - a
                            moved_by = arb(other[coordinate][i]) - arb(one[coordinate][i])
                            quotient = moved_by * step.denominator / step.numerator
                            assert slope.overlaps(quotient), (seed, coordinate, i, a, b)
                            compared += 1
    return compared


@pytest.mark.sweep
def test_every_difference_lies_between_the_slopes() -> None:
    """Norms, softmax, hard attention and relu, as drawn; most models have no choice on the way that changes."""
    found = [slopes(seed) for seed in random.Random(5).sample(range(10**6), 60)]
    assert sum(count > 0 for count in found) > 20, found
