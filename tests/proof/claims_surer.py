"""Adequacy of Proposition 2 of Chiang and Cholak (2022) and of Figure 2 at epsilon = 0, from the papers' words.

The added layer: its attention adds nothing, its feed-forward part makes (s, -s, 0, ..., 0), a norm stands behind each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from proof.adequacy import adequate
from proof.claims_parity import (
    CLS,
    NINE,
    SIX,
    added,
    bits_lost,
    column_of,
    first_logit,
    logit,
    normed,
    normed_run,
    output_weight,
    parity_with_norms,
    starts,
)
from proof.paper import at_most, same
from proof.statement_truth import CONTEXT, SLACK, real

F = Fraction
e = CONTEXT.exp
ETAS = [F(1, 10), F(1, 2), F(2)]
SCALES = [output_weight(eta, 2) for eta in ETAS[:2]]  # of the new output layer, for d = 2


def with_layer(v: dict[str, Any], plain: Sequence[str]) -> dict[str, Any]:
    """A run with norms, and behind it the layer of Proposition 2; the logit is the coordinate s."""
    names = (*plain, *(f"{x}_minus" for x in plain))
    out, eps = dict(v), v["epsilon"]
    out["z3_zero()"] = v["y2_zero_()"]
    rows = [[v[f"y2_{x}_()"][i] for x in names] for i in range(len(v["word"]) + 1)]
    for end in ("", "_"):
        made = [normed(row, eps) for row in rows]
        out[f"mu3{end}()"], out[f"dev3{end}()"] = (column_of([m[t] for m in made], 0) for t in (1, 2))
        for j, x in enumerate(names):
            out[f"y3_{x}{end}()"] = column_of([m[0][j] for m in made], 0)
        if not end:
            s = [m[0][names.index("s")] for m in made]
            rows = [[x, -x, *([x * 0] * (len(names) - 2))] for x in s]
            for j, x in enumerate(names):
                out["z3_zero_()" if x == "zero" else f"z3_{x}()"] = column_of([row[j] for row in rows], 0)
    return {**out, "eta": ETAS, "o": [F(t) for t in range(3)]}


def any_network(*w: F) -> dict[str, Any]:
    """The part about any transformer, where it holds: a vector, its norm twice, the added layer; `w` is the readout."""
    made = next(iter(added()))
    a, b = (F(3), F(-1)), F(1, 3)
    x, mu, r = normed(a, 0)
    s = sum((real(t) * y for t, y in zip(w, x, strict=True)), real(b))
    v, m, dev = normed([s, -s], 0)
    one = real(F(1))
    same_vector = {"a()": column_of(a, 1), "x()": column_of(x, 1), "mu": mu, "r": r, "u()": column_of(x, 1)}
    more = {"nu": one * 0, "q": one, "y()": column_of([s, -s], 1), "v()": column_of(v, 1), "m": m, "e": dev}
    weights = {i: F(0) for i in range(-2, 5)} | column_of(w, 1)
    return {**made, **same_vector, **more, "d": F(2), "W()": weights, "b": b, "scale": SCALES}


def runs() -> Iterator[dict[str, Any]]:
    """Both networks on words; of the one that a run is not about only the names are there."""
    rejects, accepts, neither = any_network(F(1), F(2)), any_network(F(2), F(1)), any_network(F(0), F(1, 3))
    for w, eps in [((1,), 0), ((0,), 0), ((0, 1), 0), ((1, 0, 1), 0), ((1, 1), F(1, 10)), ((), 1), ((1, CLS), 0)]:
        first = with_layer(normed_run(w, F(1), F(eps)), SIX)
        parity = with_layer(parity_with_norms(w, F(1), F(eps)), NINE)
        k = {"k": parity["k"]}
        yield {**rejects, **parity, **first, **k, "kind": "first", **kept(rejects)}
        general = accepts if w else neither
        yield {**general, **first, **parity, "kind": "parity", **kept(general)}


def kept(general: dict[str, Any]) -> dict[str, Any]:
    return {name: general[name] for name in ("r", "q", "e", "a()", "x()", "y()", "v()", "u()", "W()", "m", "b")}


RUNS = list(runs())


def answer(v: dict[str, Any]) -> tuple[bool, Any] | None:
    """Whether the word is a member, and the logit of the network without the added layer; None outside the claim."""
    w = v["word"]
    if not w or set(w) - {0, 1} or v["epsilon"]:
        return None
    if v["kind"] == "first":
        return bool(starts(v)), first_logit(w, F(1))
    return sum(w) % 2 == 1, logit(len(w) + 1, sum(w), F(1))


@adequate("chiang2022.prop2", at=RUNS, false=True)
def sure_whatever_the_logit(v: Any) -> bool | None:
    s = v["W()"][1] - v["W()"][2] + v["b"]  # the vector is (1, -1)
    made, _, deviation = normed([s, -s], 0)
    if not deviation:
        return False
    sure = {min(eta, F(1, 2)): output_weight(min(eta, F(1, 2)), 2) * made[0] for eta in v["eta"]}
    return all(
        bool(new > 0) == (s > 0) and at_most(CONTEXT.log(1 + e(-new if s > 0 else new)), real(eta))
        for eta, new in sure.items()
    )


@adequate(
    "chiang2022.prop2.corrected",
    at=RUNS,
    misses=[
        ("I[odd(k)] - 1)*", "I[odd(n)] - 1)*"),
        ("))) = eta)", "))) = 2*eta)"),
        ("I[accept(parity-layernorm-surer)] = I[odd(k)]", "I[accept(parity-layernorm-surer)] = I[~odd(k)]"),
        ("I[accept(first-layernorm-surer)] = I[w(1) = 1]", "I[accept(first-layernorm-surer)] = I[w(1) = 0]"),
        ("-log(1 - sigmoid(", "-log(sigmoid("),
        ("-1/sqrt(12/2)", "-1/sqrt(12/3)"),
    ],
)
def sure_answers(v: Any) -> bool | None:
    here = answer(v)
    if here is None:  # the part about any transformer is left, which leaves out the logit 0 of the vector (1, -1)
        return True if v["W()"][1] - v["W()"][2] + v["b"] else None
    member, old = here
    d = 12 if v["kind"] == "first" else 18
    found = v["y3_zero_()"][0]
    weight = output_weight(F(1, 2), d)
    lost = CONTEXT.log(1 + e(-(1 if member else -1) * weight * found))
    return bool(old > 0) == member == bool(found > 0) and same(lost, F(1, 2))


@adequate(
    "chiang2022.fig2.eps0",
    at=RUNS,
    misses=[
        ("log(1 + exp(-1))/log(2))", "log(1 + exp(-2))/log(2))"),
        ("1/3*y3_zero_(0)", "1/2*y3_zero_(0)"),
        ("sqrt(6)/6*y3_zero_(0)", "sqrt(6)/5*y3_zero_(0)"),
        ("2 <= n & epsilon = 0 & 0 < c", "2 <= n & 0 < c"),
    ],
)
def one_cross_entropy(v: Any) -> bool | None:
    if answer(v) is None:
        return None
    found = v["y3_zero_()"][0] / CONTEXT.sqrt(6 if v["kind"] == "first" else 9)
    return same(bits_lost(found), bits_lost(CONTEXT.mpf(1)))


# --- Figure 2 with epsilon = 10^-5, without the added layer ----------------------------------------------------------

TINY = F(1, 100000)


def curves() -> Iterator[dict[str, Any]]:
    for w, eps in [
        *(((1,), TINY), ((0,), TINY), ((0, 1), TINY), ((1, 0, 1), TINY), ((1, 1, 0, 0, 1), TINY)),
        *(((1, 1), F(1, 10)), ((1,), F(1)), ((), TINY), ((1, CLS), TINY)),
    ]:
        first, parity = normed_run(w, F(1), eps), parity_with_norms(w, F(1), eps)
        yield {**parity, **first, "k": parity["k"], "kind": "first"}
        yield {**first, **parity, "kind": "parity"}


CURVES = tuple(curves())


@adequate("chiang2022.fig2.eps1e-5", at=CURVES, false=True)
def surer_with_norms(v: Any) -> bool | None:
    """FIRST costs less with norms than without: not with epsilon = 1."""
    w = v["word"]
    if not w or set(w) - {0, 1} or v["kind"] != "first":
        return None
    return bool(bits_lost(abs(v["y2_s_()"][0])) < bits_lost(abs(first_logit(w, F(1)))))


@adequate(
    "chiang2022.fig2.eps1e-5.corrected",
    at=CURVES,
    misses=[
        ("< crossbits(exp(c)/2*", "< crossbits(exp(c)*2*"),
        ("1 - 3/n*", "1 - 1/(9*n)*"),
        ("1 - exp(5*c)/n*", "1 - 1/(9*n)*"),
        ("crossbits(abs(y2_s_(0))) < 1)", "crossbits(abs(y2_s_(0))) < 1/2)"),
        ("n = 2 & c = 1 & epsilon = 1 &", "n = 2 & c = 1 & epsilon = 1/100000 &"),
        ("crossbits(2*tanh(c)/n^2)", "crossbits(tanh(c)/(9*n^2))"),
    ],
)
def nearly_one_bit(v: Any) -> bool | None:
    """At epsilon = 1 the string 1 of PARITY costs more with norms than without."""
    w, n = v["word"], len(v["word"]) + 1
    lost = bits_lost(abs(v["y2_s_()"][0]))
    if (w, v["epsilon"], v["kind"]) == ((1,), 1, "parity"):
        return bool(bits_lost(abs(logit(2, 1, F(1)))) < lost)
    if not w or set(w) - {0, 1} or v["epsilon"] != TINY:
        return None
    most = e(F(5)) if v["kind"] == "first" else real(F(3))
    sharper = v["kind"] == "parity" or lost < bits_lost(abs(first_logit(w, F(1))))
    return sharper and at_most(1 - most / n / CONTEXT.log(2), lost) and bool(lost < 1)


def growing() -> Iterator[dict[str, Any]]:
    """Runs of FIRST with norms; the factors of both first symbols at three lengths come from runs of their own."""
    words = [((1,), TINY), ((0,), TINY), ((0, 1, 1), TINY), ((1, 0, 1), F(1, 10)), ((1, 1), F(1)), ((), TINY)]
    for w, eps in [*words, ((1, CLS), TINY)]:
        lengths = range(max(len(w), 1) + 1, len(w) + 4)
        found = {(b, m): normed_run((b, *[0] * (m - 2)), F(1), eps) for b in (0, 1) for m in lengths}
        factors = {f"{name}()": {at: abs(run[name]) for at, run in found.items()} for name in "rg"}
        q = {b: found[b, lengths[0]]["q"] for b in (0, 1)}
        yield {**normed_run(w, F(1), eps), **factors, "q()": q}


GROWING = tuple(growing())


@adequate(
    "chiang2022.fig2.eps.grows_first",
    at=GROWING,
    misses=[
        ("= crossbits(g(I[w(1) = 1], n)*r(I[w(1) = 1], n))", "= crossbits(r(I[w(1) = 1], n))"),
        ("= crossbits(g(I[w(1) = 1], n)*r(I[w(1) = 1], n))", "= crossbits(g(I[w(1) = 0], n)*r(I[w(1) = 0], n))"),
        ("crossbits(g(b, n)*r(b, n)) < crossbits(g(b, n + 1)*r(b, n + 1))", "crossbits(g(b, n)*r(b, n)) < 1/2"),
        ("crossbits(g(1, n + 1)*r(1, n + 1)))/2", "crossbits(g(1, n + 1)*r(1, n + 1)))/3"),
    ],
)
def growing_cost(v: Any) -> bool | None:
    """The cost of runs: that of this string is that of its length and first symbol, and longer strings cost more."""
    w, eps = v["word"], v["epsilon"]
    if not w or set(w) - {0, 1}:
        return None

    def cost(word: Sequence[int]) -> Any:
        return bits_lost(abs(normed_run(word, F(1), eps)["y2_s_()"][0]))

    costs = {(b, k): cost((b, *[1] * k)) for b in (0, 1) for k in (len(w) - 1, len(w))}
    more = all(costs[b, len(w) - 1] < costs[b, len(w)] for b in (0, 1))
    return more and same(cost(w), costs[w[0], len(w) - 1])


# --- Section 5.1: the solution for PARITY with epsilon = 0 ------------------------------------------------------------


def solutions() -> Iterator[dict[str, Any]]:
    numbers = {"m": [F(t) for t in range(3)]}
    for w in ((), (1,), (0,), (0, 1), (1, 1), (1, 0, 1), (1, 1, 0, 1)):
        for g in (F(1), F(20), F(-1)):
            yield {**parity_with_norms(w, F(1), F(0)), "g": g, "c": F(1)} | numbers
    yield {**parity_with_norms((1,), F(1), F(1, 10)), "g": F(1), "c": F(1)} | numbers


SOLUTIONS = list(solutions())


def decided(v: Any) -> tuple[bool, Any] | None:
    """Whether the decision is right, and the cross-entropy in bits."""
    if v["g"] <= 0 or v["epsilon"] != 0:
        return None
    logit = real(v["g"]) * v["y2_s_()"][0]
    return bool(logit > SLACK) == (sum(v["word"]) % 2 == 1), bits_lost(logit)


@adequate("chiang2022.s5.1.optimal", at=SOLUTIONS, false=True)
def no_cross_entropy(v: Any) -> bool | None:
    found = decided(v)
    return found[0] and same(found[1], CONTEXT.mpf(0)) if found and v["word"] else None


@adequate(
    "chiang2022.s5.1.optimal.corrected",
    at=SOLUTIONS,
    misses=[
        ("(0 < g*y2_s_(0) <-> odd(k))", "(0 < g*y2_s_(0) <-> ~odd(k))"),
        ("0 < crossbits(abs(g*y2_s_(0)))", "1/2 < crossbits(abs(g*y2_s_(0)))"),
        ("2 <= n -> crossbits", "1 <= n -> crossbits"),
        ("crossbits(abs(g*y2_s_(0))) <= 1", "crossbits(abs(g*y2_s_(0))) <= 1/2"),
    ],
)
def right_but_not_sure(v: Any) -> bool | None:
    found = decided(v)
    return found and found[0] and bool(found[1] > 0) and bool(found[1] < 1 if v["word"] else found[1] <= 1 + SLACK)
