"""Points of a circle that a count goes round: sine and cosine of K steps are those of the remainder of K.

A step is the m-th part of the whole turn, m being 3, 4 or 6. One step has its values from the two third parts of half a
turn, or from the quarter; r steps follow by the addition theorems, and K = m*q + r steps by whole turns.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

from symcook.proof.claims.bycounts.casefacts import OPAQUE, AtomReading, CaseFacts
from symcook.proof.claims.bycounts.divided import KnownRemainder, remainder_of
from symcook.proof.claims.bycounts.farkas import whole
from symcook.proof.claims.bycounts.lettercounts import rewritten
from symcook.proof.inequalities import reify
from symcook.proof.inequalities.linear import divide
from symcook.proof.normal import nf
from symcook.proof.search import elaborate, prooftext
from symcook.proof.search.ranges import equals
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import Term

THIRD = (
    "third_high: 0 < sin(pi/3) by sine_positive(pi/3)",
    "take (third_mirror third_turned) from sine_mirror(pi/3)",
    "third_double: sin(2*pi/3) = 2*sin(pi/3)*cos(pi/3) by sin_add(pi/3; pi/3)",
    "third_root: sin(pi/3)*(2*cos(pi/3) - 1) = 0 by third_mirror, third_double",
    "third_zero: 2*cos(pi/3) - 1 = 0 by product_zero(sin(pi/3); 2*cos(pi/3) - 1), third_root, third_high",
    "third_cosine: cos(pi/3) = 1/2 by third_zero",
    "take third_circle from sin_cos(pi/3)",
    "rewrite third_cosine in third_circle as third_square",
    "take (root_high root) from sqrt(3)",
    "third_factors: (sin(pi/3) + 1/2*sqrt(3))*(sin(pi/3) - 1/2*sqrt(3)) = 0 by third_square, root",
    "third_sine: sin(pi/3) = 1/2*sqrt(3) "
    "by product_zero(sin(pi/3) + 1/2*sqrt(3); sin(pi/3) - 1/2*sqrt(3)), third_factors, third_high, root_high",
)
KNOWN = {3: "third_mirror, third_turned, third_cosine, third_sine, root", 4: "sine_quarter",
         6: "third_cosine, third_sine, root"}  # fmt: skip
"""By the number of steps the hints for one step."""
HALVES = {3: ((2, -1, -1), (0, 1, -1)), 4: ((2, 0, -2, 0), (0, 2, 0, -2)),
          6: ((2, 1, -1, -2, -1, 1), (0, 1, 1, 0, -1, -1))}  # fmt: skip
"""By the number of steps twice the cosine at each point, and twice the sine, over sqrt(3) where that is no quarter."""


def circle_point(case: CaseFacts, a: int, t: Term) -> AtomReading:
    """The reading of the sine or cosine of K steps of 2*pi/m each: with K = m*q + r, the value after r steps."""
    (pi,) = nf(("fn", "pi", ()))
    # The angle is 2*pi*K/steps for an integer K: all its terms are whole multiples of such a step.
    turns = {divide(m, pi): Fraction(c) / 2 for m, c in nf(t[2][0]).items()}
    least = math.lcm(*(c.denominator for c in turns.values()))
    steps = next((k for k in KNOWN if k % least == 0), 0)
    if not steps or not all(m and not m[1] and all(whole(x) for x, _ in m[0]) for m in turns):
        return OPAQUE
    count = reify.term({m: int(c * steps) for m, c in turns.items() if m})
    remainder = remainder_of(case, count, steps)
    if not isinstance(remainder, KnownRemainder):
        return case.want(remainder)
    g, here, turn, label = case.g, _angle(remainder.rest, steps), case.g.fresh("turn"), case.g.fresh("point")
    there = g.text(remainder.quotient)
    # Whole turns are left out by the lemma; what is left is one of finitely many points.
    sine, cosine = g.fresh("sine"), g.fresh("cosine")
    g.use("lem:sine_period", there, here, label=f"{sine} {cosine}")
    moved = g.formula(f"{g.text(t[2][0])} = {here} + 2*pi*({there})")
    same = case.stated(moved, [[f"2*pi/{steps}", remainder.label]])
    points = case.root.share(g, _points(case, steps))
    # By the number of steps the labels for its cosine and sine.
    labels = [[f"{turn}_{of}{r}" for of in ("cos", "sin")] for r in range(steps)]
    g.use(points, label=" ".join(x for pair in labels for x in pair))
    value = labels[remainder.rest][t[1] == "sin"]

    def proof(h: Goal) -> None:
        h.rewrite(same)
        h.rewrite(sine if t[1] == "sin" else cosine)
        rewritten(h, value)

    g.have(equals(t, g.facts[value][2][1]), label, proof)
    return case.give(a, label)


def _points(case: CaseFacts, steps: int) -> str:
    """The label of the values of cosine and sine at each point, as one formula."""
    parts = [f"{of}({_angle(r, steps)}) = {_value(of, r, steps)}" for r in range(steps) for of in ("cos", "sin")]

    def proof(g: Goal) -> None:
        text = "".join(f"  {line}\n" for line in _lines(steps))
        lines = prooftext.read(f"proof points\n{text}").parts["proof"]
        elaborate.Elaborator().block(g, lines, lines[0].place)

    return case.root.known(f"circle.{steps}", case.g.formula(" & ".join(parts)), proof)


def _angle(r: int, steps: int) -> str:
    """The text of the angle of r steps."""
    return f"2*{r}*pi/{steps}"


def _value(of: str, r: int, steps: int) -> str:
    """The text of the value of cos or sin after r steps."""
    return f"{HALVES[steps][of == 'sin'][r]}/2" + ("*sqrt(3)" if of == "sin" and steps != 4 else "")


def _lines(steps: int) -> Iterator[str]:
    """The lines of the proof script for all points."""
    yield from THIRD if steps != 4 else ()
    for r in range(steps):
        by = ("sine_zero", KNOWN[steps])[r] if r < 2 else f"cos_{r}_sum, sin_{r}_sum, {KNOWN[steps]}"
        for of in ("cos", "sin") if r > 1 else ():  # one step more
            yield f"take {of}_{r}_sum0 from {of}_add({_angle(r - 1, steps)}; {_angle(1, steps)})"
            known = [*dict.fromkeys(f"{part}{place}" for place in (r - 1, 1) for part in ("cos", "sin"))]
            for n, equation in enumerate(known):
                yield f"rewrite {equation} in {of}_{r}_sum{n} as {of}_{r}_sum{n + 1 if equation != known[-1] else ''}"
        yield f"cos{r}: cos({_angle(r, steps)}) = {_value('cos', r, steps)} by {by}"
        yield f"sin{r}: sin({_angle(r, steps)}) = {_value('sin', r, steps)} by {by}"
    yield f"qed by {', '.join(f'{of}{r}' for r in range(steps) for of in ('cos', 'sin'))}"
