"""The step `interval` by the tactic of coq-interval; erf at the ends of its argument, by enclosures of its integral.

A tree of cases v <= c that ends in nothing but enclosures is one enclosure, with bisection of these variables by the
tactic itself: it reads the goal once, not at each leaf.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from symcook.coq.checker import checker
from symcook.coq.term import Term, Untranslatable, numeral_text, text

if TYPE_CHECKING:
    from symcook.coq.steps import Script

ARGUMENT_BITS = 40  # binary digits of the ends of erf's argument
FEW, SPARE_DEPTH = 4, 8  # enclosures that are not put together; bisections more than the cases of a certificate
LEAST_BITS, MOST_BITS, SPARE_BITS = 24, 56, 4  # those of its value there: as many as the margin of a step asks for


def outward(low: Fraction, high: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    scale = 1 << bits
    return Fraction(math.floor(low * scale) - 1, scale), Fraction(math.ceil(high * scale) + 1, scale)


def boxes(node: Any, formula: Callable[[str], Term], constant: Callable[[Term], Any]) -> Any:
    """One node `interval` for a tree of cases, with the variables to bisect and the depth; None where it is none, or
    where its cuts lie closer than halving comes."""
    inside: set[str] = set()
    leaves: list[Any] = []
    variables: dict[str, list[Fraction]] = {}

    def depth(at: Any) -> int:
        if at["by"] == "interval":
            leaves.append(at)
            return 0
        if at["by"] != "em" or any(len(proof) != 1 for proof in at["proofs"]):
            raise LookupError
        f = formula(at["formula"])
        if f.op not in ("<=", "<") or f.kids[0].op != "var" or (cut := constant(f.kids[1])) is None:
            raise LookupError
        variables.setdefault(text(f.kids[0]), []).append(Fraction(cut))
        inside.update(at["as"])
        return 1 + max(depth(proof[0]) for proof in at["proofs"])

    try:
        deep = depth(node)
    except LookupError:
        return None
    if len(leaves) <= FEW or len(variables) > 2:
        return None
    for cuts in (sorted(set(cuts)) for cuts in variables.values()):  # cuts that close in on a point are out of reach
        if len(cuts) > 1 and cuts[-1] - cuts[0] > min(b - a for a, b in pairwise(cuts)) * 2 ** (deep + SPARE_DEPTH):
            return None
    on = dict.fromkeys(label for leaf in leaves for label in leaf["on"] if label not in inside)
    most = max(leaf["prec"] for leaf in leaves)
    return {"by": "interval", "on": list(on), "prec": most, "bisect": list(variables), "depth": deep + SPARE_DEPTH}


def enclosure(script: Script, node: Any, form: Term) -> str:
    """A tactic for 0 < form or 0 <= form. It sees the tightest bounds among the facts in `on`, and nothing else."""
    best: dict[tuple[Any, str], tuple[Fraction, str]] = {}
    for label in node["on"]:
        fact, name = script.fact(label)
        a, b = fact.plain.kids
        x, end = (a, b) if a.op == "var" else (b, a)
        c = Fraction(script.forms.normal.constant(script.forms.normal.poly(end)))
        side = "high" if x is a else "low"
        proof = name if fact.op == "<=" else f"(Rlt_le _ _ {name})"
        if (x, side) not in best or (c < best[x, side][0] if side == "high" else c > best[x, side][0]):
            best[x, side] = (c, proof)
    kept = [f"bound{i}" for i in range(len(best))]
    steps = [f"pose proof {proof} as {name}" for name, (_, proof) in zip(kept, best.values(), strict=True)]
    steps.append(f"clear -{' '.join(kept)}" if kept else "clear")
    if "erf" in text(form):
        low = {x: c for (x, side), (c, _) in best.items() if side == "low"}
        high = {x: c for (x, side), (c, _) in best.items() if side == "high"}
        steps += erf_steps(script, checker().Enclosure(low, high, node["prec"]), form, node["prec"])
    if "bisect" in node:
        names = node["bisect"]
        tactic = f"enclose_{'line' if len(names) == 1 else 'box'} {' '.join(names)}"
        return "; ".join([*steps, f"{tactic} {node['prec']}%positive {node['depth']}%nat"])
    return "; ".join([*steps, f"enclose {node['prec']}%positive"])


def value_bits(margin: Fraction) -> int:
    """The binary digits of values of erf where a step has this much to spare."""
    if margin <= 0:
        return MOST_BITS
    return min(MOST_BITS, max(LEAST_BITS, math.ceil(1 / margin).bit_length() + SPARE_BITS))


def erf_steps(script: Script, box: Any, form: Term, bits: int) -> list[str]:
    """Each erf(u) becomes a variable between its values at the ends of u, which closed lemmas enclose."""
    found: dict[Term, None] = {}

    def collect(t: Term) -> None:
        for k in t.kids:
            collect(k)
        if t.op in ("sum", "prod", "ind"):
            raise Untranslatable("erf beside a sum in an enclosure")
        if t.op == "fn" and t.data == "erf":
            found[t] = None

    collect(form)
    steps, digits = [], value_bits(box.of(form.plain, ())[0])
    for i, t in enumerate(found):
        if any(k is not t and text(k) in text(t) for k in found):
            raise Untranslatable("erf of erf")
        least, most = box.of(t.kids[0].plain, ())
        low, high = outward(least, most, ARGUMENT_BITS)
        least = outward(checker().erf_at(low, 100)[0], Fraction(1), digits)[0]
        most = outward(Fraction(-1), checker().erf_at(high, 100)[1], digits)[1]
        ends = [
            script.lemmas.name(f"{numeral_text(least)} <= erf {numeral_text(low)}", "erf_number.", "erf"),
            script.lemmas.name(f"erf {numeral_text(high)} <= {numeral_text(most)}", "erf_number.", "erf"),
        ]
        between = f"{numeral_text(low)} <= {text(t.kids[0])} <= {numeral_text(high)}"
        steps.append(f"assert (u{i} : {between}) by enclose {max(64, bits)}%positive")
        steps.append(f"assert (e{i} := erf_between _ _ _ _ _ u{i} {ends[0]} {ends[1]})")
    steps += [f"clear u{i}" for i in range(len(found))]
    steps += [f"set (w{i} := {text(t)}) in *; clearbody w{i}" for i, t in enumerate(found)]
    return steps
