"""Sine and cosine of K steps around a circle, for a count K: they are those of the remainder of K.

A step is the angle 2*pi/m, for m = 3, 4 or 6. Its sine and cosine follow from those of pi/3, or of pi/2. Those of r
steps follow by the addition theorems, and those of K = m*q + r steps by leaving out q whole turns.
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

# The lines of a proof script for the sine and cosine of pi/3.
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
"""By the number m of steps in a turn: the facts from which the sine and cosine of one step follow."""
HALVES = {3: ((2, -1, -1), (0, 1, -1)), 4: ((2, 0, -2, 0), (0, 2, 0, -2)),
          6: ((2, 1, -1, -2, -1, 1), (0, 1, 1, 0, -1, -1))}  # fmt: skip
"""By the number m of steps in a turn: twice the cosine after 0, .., m - 1 steps, and twice the sine. For m = 3 and 6
the sines are divided by sqrt(3)."""


def circle_point(case: CaseFacts, a: int, t: Term) -> AtomReading:
    """The reading of the atom `a`, the term `t`, as the sine or cosine of K steps of 2*pi/m each: with K = m*q + r, it
    is the value after r steps. `OPAQUE` if the angle is not a number of such steps, `WAITS` while the remainder is not
    known."""
    (pi,) = nf(("fn", "pi", ()))
    # The angle must be 2*pi*K/m (m is `steps`) for an integer K. `turns` has its terms, divided by 2*pi.
    turns = {divide(m, pi): Fraction(c) / 2 for m, c in nf(t[2][0]).items()}
    denominator = math.lcm(*(c.denominator for c in turns.values()))
    steps = next((k for k in KNOWN if k % denominator == 0), 0)
    if not steps or not all(m and not m[1] and all(whole(x) for x, _ in m[0]) for m in turns):
        return OPAQUE
    count = reify.term({m: int(c * steps) for m, c in turns.items() if m})
    remainder = remainder_of(case, count, steps)
    if not isinstance(remainder, KnownRemainder):
        return case.want(remainder)
    g, remaining_angle = case.g, _angle(remainder.rest, steps)
    turn_stem, label = g.fresh("turn"), g.fresh("point")
    whole_turns = g.text(remainder.quotient)
    # The lemma leaves out whole turns; the angle that is left is one of m points.
    sine, cosine = g.fresh("sine"), g.fresh("cosine")
    g.use("lem:sine_period", whole_turns, remaining_angle, label=f"{sine} {cosine}")
    angle_equation = g.formula(f"{g.text(t[2][0])} = {remaining_angle} + 2*pi*({whole_turns})")
    angle_label = case.stated(angle_equation, [[f"2*pi/{steps}", remainder.label]])
    points = case.root.share(g, _points(case, steps))
    # The labels of the cosine and sine after r steps, by r.
    point_labels = [[f"{turn_stem}_{of}{r}" for of in ("cos", "sin")] for r in range(steps)]
    g.use(points, label=" ".join(x for pair in point_labels for x in pair))
    value_label = point_labels[remainder.rest][t[1] == "sin"]

    def close_value(h: Goal) -> None:
        h.rewrite(angle_label)
        h.rewrite(sine if t[1] == "sin" else cosine)
        rewritten(h, value_label)

    g.have(equals(t, g.facts[value_label][2][1]), label, close_value)
    return case.give(a, label)


def _points(case: CaseFacts, steps: int) -> str:
    """The label of the fact, proved at its first use, that gives the cosine and sine at each point."""
    parts = [f"{of}({_angle(r, steps)}) = {_value(of, r, steps)}" for r in range(steps) for of in ("cos", "sin")]

    def prove_points(g: Goal) -> None:
        text = "".join(f"  {line}\n" for line in _lines(steps))
        lines = prooftext.read(f"proof points\n{text}").parts["proof"]
        elaborate.Elaborator().block(g, lines, lines[0].place)

    return case.root.known(f"circle.{steps}", case.g.formula(" & ".join(parts)), prove_points)


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
        hints = ("sine_zero", KNOWN[steps])[r] if r < 2 else f"cos_{r}_sum, sin_{r}_sum, {KNOWN[steps]}"
        # r > 1: the addition theorem for r - 1 steps and one more, with the known values put in one by one
        for of in ("cos", "sin") if r > 1 else ():
            yield f"take {of}_{r}_sum0 from {of}_add({_angle(r - 1, steps)}; {_angle(1, steps)})"
            values = [*dict.fromkeys(f"{part}{place}" for place in (r - 1, 1) for part in ("cos", "sin"))]
            for n, equation in enumerate(values):
                yield f"rewrite {equation} in {of}_{r}_sum{n} as {of}_{r}_sum{n + 1 if equation != values[-1] else ''}"
        yield f"cos{r}: cos({_angle(r, steps)}) = {_value('cos', r, steps)} by {hints}"
        yield f"sin{r}: sin({_angle(r, steps)}) = {_value('sin', r, steps)} by {hints}"
    yield f"qed by {', '.join(f'{of}{r}' for r in range(steps) for of in ('cos', 'sin'))}"
