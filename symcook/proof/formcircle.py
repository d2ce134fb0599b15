"""The lines about points of a circle that a count goes round: sine and cosine of K steps, by the residue of K.

A step is the m-th part of the whole turn. One step has its values from the two third parts of half a turn, or from the
quarter; r steps follow by the addition theorems, and K = m*q + r steps by whole turns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from symcook.model.expr import Tree, parse_term, show
from symcook.proof.spelled import there

_RESIDUE = re.compile(r"^ex q:Int\. (.*) = (\d+)\*q \+ (\d+)$")

_THIRD = (
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
STEPS: Mapping[int, tuple[Sequence[str], str]] = {
    3: (_THIRD, "third_mirror, third_turned, third_cosine, third_sine, root"),
    4: ((), "sine_quarter"),
    6: (_THIRD, "third_cosine, third_sine, root"),
}
"""By the number of steps the lines that one step rests on, and the hints for it."""


class CircleText:
    """Lines about the points that one angle has at the position that a count names, by its residues: `values` are those
    of cosine and sine in each case, in the names of the statement, and `cases` their conditions."""

    def __init__(self, equation: str, cases: Sequence[str], values: Mapping[str, Sequence[str]]) -> None:
        angle, residues = angle_of(equation), [_RESIDUE.match(x.strip("()")) for x in cases]
        self.values = values
        self.there = angle is not None and {*values} == {"cos", "sin"} and None not in residues
        if not self.there or angle is None:
            return
        self.of, self.angle = angle
        found = [(x[1], int(x[2]), int(x[3])) for x in residues if x is not None]
        self.count = found[0][0]
        self.steps, self.residues = found[0][1], [r for *_, r in found]
        self.there = self.steps in STEPS and sorted(self.residues) == [*range(self.steps)]

    @property
    def also(self) -> Sequence[str]:
        """The labels of what is known of the root in the values."""
        return ("root",) if any("sqrt" in x for values in self.values.values() for x in values) else ()

    def at(self, place: str | int) -> str:
        return there(self.angle, str(place))

    def begin(self) -> Iterator[str]:
        """The values at each residue."""
        lines, hints = STEPS[self.steps]
        yield from lines
        for r in range(self.steps):
            k, by = self.residues.index(r), ("sine_zero", hints)[r] if r < 2 else f"cos_{r}_sum, sin_{r}_sum, {hints}"
            for of in ("cos", "sin") if r > 1 else ():  # one step more
                yield f"take {of}_{r}_sum0 from {of}_add({self.at(r - 1)}; {self.at(1)})"
                known = [*dict.fromkeys(f"{part}{place}" for place in (r - 1, 1) for part in ("cos", "sin"))]
                for n, one in enumerate(known):
                    yield f"rewrite {one} in {of}_{r}_sum{n} as {of}_{r}_sum{n + 1 if one != known[-1] else ''}"
            said = [f"{of}({self.at(r)}) = {self.values[of][k]}" for of in ("cos", "sin")]
            yield f"point{r}: {' & '.join(said)} by {by}"
            yield f"take (cos{r} sin{r}) from point{r}"

    def version(self, formula: str, looked: str) -> str:
        """The line of the form; `looked` is the label that says which sine or cosine the value is."""
        lines = [formula]
        for r in self.residues:
            lines += [
                "- given same",
                "  obtain q is from same",
                f"  turned: {self.at(self.count)} = {self.at(r)} + 2*pi*q by is",
                f"  take (whole_sin whole_cos) from sine_period(q; {self.at(r)})",
                f"  rewrite turned in {looked} as here",
                f"  qed by here, whole_{self.of}, {self.of}{r}",
            ]
        return "\n  ".join(lines)


def angle_of(term: str) -> tuple[str, str] | None:
    """The function, cos or sin, and of what it is; None for another term."""
    tree: Tree = parse_term(term) if term else ("none",)
    return (tree[1], show(tree[2][0])) if tree[0] == "call" and tree[1] in ("cos", "sin") else None
