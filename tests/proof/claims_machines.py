"""The statements about the decoders that run machines, at the shortest run: of $, or of one letter, and of a machine
that halts at once."""

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


def run(claim: str, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """One instance: numbers, and for each function that the statement begins with its values; 0 where none are said."""
    formula = statements()[claim].formula
    for name in leading_names(statements()[claim].expanded):
        sort, formula = formula[1], formula[2][0]
        if name not in given:
            found, real = known.get(name, lambda *_: big(0)), sort[2] == "Real"
            given[f"{name}()"] = [found if real else lambda *at, found=found: F(int(found(*at)))]
    return given


def runs(claim: str = "merrill2024.thm2") -> Iterator[dict[str, Any]]:
    given: dict[str, Any] = {"n": [F(1)], "e": [F(-1), F(0), F(1)], "b": [F(b) for b in range(13)]}
    given = run(claim, given | {name: F(value) for name, value in SHARED.items()}, dict(values()))
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


# The same without $: two rows, which are not used, and six of the machine that reads one letter ahead.
FEW = {"n": 1, "N": 0, "L": 0, "m": 1, "Q0": 2, "K0": 1, "R0": 2, "first0": 2, "Q": 6, "S": 2, "G": 9, "K": 2, "R": 6}
FRONT_HALVES = (
    "mu2 dev2 mu2_ dev2_ mu2__ dev2__ mu2___ dev2___ mu2____ dev2____ mu3 dev3 dev3__"
    " dev4 dev4_ dev4__ dev4___ mu4____ dev4____"
)
FRONT_ONES = (
    "w from0 dev1 y1_vone one y2_nlater y2_nlater_ y2_nlead bos z2_halt y3_vbos y3_nplus y3_nminus y3_e2 y4_q2 y4_k3"
    " y4_c2 y4_d2 y4_vone y4_vbos y4_ncand dev5 y5_hone y5_hhalt from"
)
FRONT_LESS = "move move0 y1_none y3_e4 y4_q4 y4_k6 y4_c4 y4_d4 y5_gone y5_ghalt"


def unmarked() -> Iterator[tuple[str, Any]]:
    """What each function is at the one letter, the first."""
    yield from ((name, lambda *_: big(1)) for name in FRONT_ONES.split())
    yield from ((name, lambda *_: big(-1)) for name in FRONT_LESS.split())
    yield from ((name, lambda *_: big(F(1, 2))) for name in FRONT_HALVES.split())
    yield from (
        ("y", lambda *_: big(2)),
        ("v", lambda *_: big(1)),
        ("to0", lambda *_: big(2)),
        ("to", lambda *_: big(4)),
    )
    yield "a", lambda t, d, e: big(int(t == 0 and e == 0))
    yield from (("final0", lambda q: big(int(q == 2))), ("final", lambda q: big(int(q >= 4))))
    yield from (("read0", lambda t, r: big(r - 1 if t == 1 else 0)), ("first", lambda c: big(4 + c)))
    yield "row", lambda r, b, j: big(3 * r - 2 + b)
    yield "read", lambda t, r: big((r - 1) % 3 if t == 0 else 0 if t == 1 else int(r > 3))
    yield from ((name, lambda c, i: big(int(c == 1))) for name in ("letter", "y2_vletter", "y2_vletter_"))
    yield from ((name, lambda c, i: big(int(c != 1))) for name in ("y2_nletter", "y2_nletter_"))
    yield from ((name, lambda q, i: big(int(q == 5))) for name in ("z2_s", "y5_hs"))
    yield "y5_gs", lambda q, i: big(-int(q == 5))
    yield from ((name, lambda t, c, i: big(int(c == 0))) for name in ("z2_sym", "y4_vsym", "z4_got"))
    yield "y4_nsym", lambda t, c, i: big(int(c != 0))
    yield from (("got", lambda c, i: big(int(c == 0))), ("y5_hgot", lambda c, i: big(int(c == 0))))
    yield "y5_ggot", lambda c, i: big(-int(c == 0))
    yield from ((name, lambda r, i: big(blanks(r))) for name in ("match", "y5_hmatch"))
    yield from (("z4_match", lambda t, r, i: big(blanks(r))), ("y5_gmatch", lambda r, i: big(-blanks(r))))
    eleventh = big(F(1, 11)).sqrt()
    yield from (
        ("dev3_", lambda i: eleventh),
        ("y3_fone", lambda i: 11 * eleventh),
        ("y3_gone", lambda i: -11 * eleventh),
    )
    yield "o", lambda label, i: big(int(label == 9))


def blanks(row: int) -> int:
    """How many of its three tapes a row reads as blank."""
    return int((row - 1) % 3 == 0) + 1 + int(row <= 3)


def unmarked_runs() -> Iterator[dict[str, Any]]:
    given: dict[str, Any] = {"e": [F(-1), F(0), F(1)], "b": [F(b) for b in range(19)]}
    given |= {name: F(value) for name, value in FEW.items()}
    found = {"y2": lambda d: F(5), "v2": lambda d: F(1), "h2": lambda t, d: F(0), "a2": lambda t, d, e: F(0)}
    given = run(
        "merrill2024.thm2.nodollar", given | {f"{name}()": [one] for name, one in found.items()}, dict(unmarked())
    )
    yield given
    yield given | {"a()": [lambda t, d, e: F(int(t == 1 or (t == 0 and e == 0)))]}
    yield given | {"o()": [lambda label, i: big(int(label == 8))]}


@adequate("merrill2024.thm2.nodollar", at=unmarked_runs(), misses=MISSES, fixed=True)
def the_output_of_a_letter_ends_at_once(v: Any) -> bool | None:
    """Behind one letter too the blank is answered by the decoder of a machine that halts at once."""
    labels = range(int(v["S"] + v["R"] + v["G"] + 2))
    if v["a()"][0](1, 0, 0) != 0 or v["o()"][0](9, 0) != 1:
        return None
    return max(labels, key=lambda label: v["o()"][0](label, 0)) == v["S"] + v["R"] + 1
