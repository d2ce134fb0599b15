"""The statement about the decoder that runs machines, at the shortest run: $, and a machine that halts at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from proof.adequacy import F, adequate
from proof.claims_programs import big

from symcook.proof.grammar import leading_names
from symcook.proof.replay import statements

ROOT = big(F(1, 8)).sqrt()
SHARED = {"Q": 2, "S": 2, "G": 6, "K": 1, "R": 2, "first": 2, "N": 0, "L": 0, "m": 0, "A": 1, "B": 0}
ONES = "from print move one bos y1_vbos y1_nplus y1_nminus y1_e2 y2_q2 y2_k3 y2_c2 y2_d2 y2_vone y2_vbos y2_ncand"
HALVES = "mu1 dev1 dev1__ dev2 dev2_ dev2__ dev2___ mu2____ dev2____ dev3"


def values() -> Iterator[tuple[str, Any]]:
    """What each function is at token 0, by its indices; 0 where none is said."""
    yield from ((name, lambda *_: big(1)) for name in (*ONES.split(), "v", "halt"))
    yield from ((name, lambda *_: big(-1)) for name in ("y1_e4", "y2_q4", "y2_k6", "y2_c4", "y2_d4"))
    yield from ((name, lambda *_: big(F(1, 2))) for name in HALVES.split())
    yield from ((name, lambda *_: big(2)) for name in ("y", "to", "y3_hone", "y3_hhalt"))
    yield from ((name, lambda *_: big(-2)) for name in ("y3_gone", "y3_ghalt"))
    yield from (("dev1_", lambda *_: ROOT), ("y1_fone", lambda *_: 8 * ROOT), ("y1_gone", lambda *_: -8 * ROOT))
    yield from ((name, lambda q, *_: big(int(q == 2))) for name in ("final", "s"))
    yield "read", lambda t, r: big(r)
    yield from ((name, lambda t, c, i: big(int(c == 0))) for name in ("sym", "y2_vsym"))
    yield "got", lambda t, c, i: big(int(c == 0))
    yield "y2_nsym", lambda t, c, i: big(int(c != 0))
    yield from (("y3_hs", lambda q, i: big(2 * (q == 2))), ("y3_gs", lambda q, i: big(-2 * (q == 2))))
    yield from (("y3_hgot", lambda c, i: big(2 * (c == 0))), ("y3_ggot", lambda c, i: big(-2 * (c == 0))))
    yield "o", lambda label, i: big(2 * (label == 5))


def runs(claim: str = "merrill2024.thm2") -> Iterator[dict[str, Any]]:
    formula = statements()[claim].formula
    given: dict[str, Any] = {"n": [F(1)], "e": [F(-1), F(0), F(1)], "b": [F(b) for b in range(13)]}
    given |= {name: F(value) for name, value in SHARED.items()}
    known = dict(values())
    for name in leading_names(statements()[claim].expanded):
        sort, formula = formula[1], formula[2][0]
        if name not in given:
            found, real = known.get(name, lambda *_: big(0)), sort[2] == "Real"
            given[f"{name}()"] = [found if real else lambda *at, found=found: F(int(found(*at)))]
    yield given
    yield given | {"a()": [lambda t, d, e: F(int(t == 1))]}
    yield given | {"o()": [lambda label, i: big(int(label == 4))]}


MISSES = [("b = S + R + 1)", "b = S + R + 2)"), ("b = S + R + 1)", "b = S + R)")]
LATER = [("b = S + R + 1 +", "b = S + R + 2 +"), ("b = S + R + 1 +", "b = S + R +")]


@adequate("merrill2024.thm2", at=runs(), misses=MISSES, fixed=True)
def the_output_ends_at_once(v: Any) -> bool | None:
    """A machine that halts at once has an output without symbols: what is answered at $ is the blank that ends it."""
    labels = range(int(v["S"] + v["R"] + v["G"] + 2))
    if v["a()"][0](1, 0, 0) != 0 or v["o()"][0](5, 0) != 2:
        return None
    return max(labels, key=lambda label: v["o()"][0](label, 0)) == v["S"] + v["R"] + 1


@adequate("merrill2024.s1.1.realtime", at=runs("merrill2024.s1.1.realtime"), misses=LATER, fixed=True)
def the_answer_is_there_at_once(v: Any) -> bool | None:
    """Behind no letter and no step the answer is that at $, which is the blank."""
    return the_output_ends_at_once(v)
