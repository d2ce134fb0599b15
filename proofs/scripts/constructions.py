"""Proofs about constructions of attention (Cookbook, Sections 5.1, 5.2, 5.4, 5.5, Table 2; yang2026, Proposition 10)."""

from __future__ import annotations

from attention import reciprocal
from script import Script, counterexample, each

from symcook.proof.search.tactics import Goal, Tactic

# --- Weights on one position, zero values, signs ----------------------------------------------------------------------


def scaled(fact: str, times: str) -> Tactic:
    """The goal follows from the instance of `fact` at the introduced j, multiplied by `times`."""
    return lambda h: h.intro("j inside").use(fact, "j", label="here").auto("here", rounds=0, multipliers=[times])


def att_pick(g: Goal) -> None:
    g.intro("a v n p range is")
    g.use("lem:sum_ext", "j. a(j)*v(j)", "j. I[j = p]*v(j)", "1", "n", scaled("is", "v(j)"), label="same")
    g.use("lem:sum_delta", "v", "1", "n", "p", label="chosen").auto("same chosen")


def att_zero(g: Goal) -> None:
    g.intro("a v n zero")
    g.use("lem:sum_ext", "j. a(j)*v(j)", "j. 0", "1", "n", scaled("zero", "a(j)"), label="same").auto("same")


def sign_even(g: Goal) -> None:
    base, step = g.induct("m", "ge", "ih")
    base.easy()
    step.use("ax:pow_step", "-1", "2*m", label="one").use("ax:pow_step", "-1", "2*m + 1", label="two")
    step.auto("ih one two")


def sign_odd(g: Goal) -> None:
    g.intro("m low").use("lem:sign_even", "m", label="even").use("ax:pow_step", "-1", "2*m", label="one").auto("even one")


def past_uniform(g: Goal) -> None:
    g.intro("s v a b range zero")
    g.use("lem:sum_one", "a", "b", label="ones")

    def unit(h: Goal) -> None:
        h.intro("k inside").use("zero", "k", label="zero_k").rewrite("zero_k").true()

    g.use("lem:sum_ext", "k. exp(s(k))", "k. 1", "a", "b", unit, label="units")
    g.have("sum(k, a, b, exp(s(k))) = b - a + 1", "total", use="ones units")
    g.rewrite("total")
    one, two = g.split()
    one.true()

    def value(h: Goal) -> None:
        h.intro("k inside").use("zero", "k", label="zero_k").rewrite("zero_k").easy()

    two.use("lem:sum_ext", "j. exp(s(j))/(b - a + 1)*v(j)", "j. 1/(b - a + 1)*v(j)", "a", "b", value, label="same")
    two.auto("same")


def past_signs(g: Goal) -> None:
    g.intro("n i (low high)")
    g.use("lem:sign_sum", "n", label="whole").use("lem:sign_sum", "i - 1", label="before")
    g.use("lem:sum_split", "j. pow(-1, j)", "1", "i - 1", "n", label="parts")

    def minus(h: Goal) -> None:
        h.intro("j (jl jh)").use("ax:pow_step", "-1", "j", label="step").auto("step")

    g.use("lem:sum_ext", "j. pow(-1, j + 1)", "j. -pow(-1, j)", "i", "n", minus, label="same")
    g.auto("whole before parts same")


# --- Rightmost hard attention -------------------------------------------------------------------------------------------


def rightmost(g: Goal) -> None:
    g.intro("s v n p (low high) left right")

    def maximal(h: Goal) -> None:
        h.intro("k (kl kh)")
        before, after = h.em("k <= p", "side")
        before.use("left", "k", label="here").hyp("here")
        after.use("ax:int_lt", "p", "k", label="next").use("right", "k", label="here").auto("here")

    def last(h: Goal) -> None:
        h.intro("k (kl kh) max")
        before, after = h.em("k <= p", "side")
        before.hyp("side")
        after.use("ax:int_lt", "p", "k", label="next").use("right", "k", label="here")
        after.use("max", "p", label="above").contra("no").auto("here above")

    g.have("maximal(s, n, p)", "best", maximal)
    g.have("all k in 1..n. maximal(s, n, k) -> k <= p", "rest", last)
    g.use("lem:rhardmax_at", "s", "n", "p", Goal.easy, label="is")
    one, two = g.split()
    one.hyp("is")
    two.use("lem:att_pick", "j. rhardmax(s, n, j)", "v", "n", "p", None, "#is", label="done").hyp("done")


def rightmost_pick(g: Goal) -> None:
    g.intro("s v n some").use("lem:max_right", "s", "n", label="exists")
    g.obtain("exists", "p", "low high best last").witness("p")
    a, b, c = g.split()
    a.hyp("low")
    b.hyp("high")
    c.use("lem:rhardmax_at", "s", "n", "p", Goal.easy, label="is")
    c.use("lem:att_pick", "j. rhardmax(s, n, j)", "v", "n", "p", None, "#is", label="done").hyp("done")


def head(sign: str, size: str, place: str) -> Tactic:
    """The head with scores sign*(-1)^j that sees 1..size returns the value at `place` = size - 1."""

    def run(g: Goal) -> None:
        g.intro("m v some")
        g.use("lem:sign_even", "m", label="even").use("lem:sign_odd", "m", label="odd")
        g.use("lem:sign_odd", "m - 1", label="odd_before")

        def left(h: Goal) -> None:
            h.intro("k (kl kh)").use("lem:sign", "k", label="which")
            for c in h.cases("which", "is"):
                c.auto("is even odd odd_before")

        def right(h: Goal) -> None:
            h.intro("k (kl kh)").have(f"k = {size}", "at", use="kl kh").rewrite("at").auto("even odd odd_before")

        g.use("lem:rightmost", f"l. {sign}pow(-1, l)", "v", size, place, None, left, right, label="all_j done").hyp("done")

    return run


def pred_heads(g: Goal) -> None:
    g.intro("i v (some bound)")
    for sign, label in (("-", "evens"), ("", "odds")):
        g.use("lem:rightmost_pick", f"l. {sign}pow(-1, l)", "v", "i", label=f"{label}_ex")
        g.obtain(f"{label}_ex", f"p_{label}", f"{label}_low {label}_high {label}_is")
        g.use("bound", f"p_{label}", label=f"{label}_ge {label}_le")
    first, later = g.split()
    first.intro("one").use("bound", "1", label="ge le")
    first.have("p_evens = 1", "at_e", use="one evens_low evens_high").have("p_odds = 1", "at_o", use="one odds_low odds_high")
    first.rewrite("at_e", "evens_is", "evens_one").rewrite("at_o", "odds_is", "odds_one")
    first.rewrite("one", "evens_one", "e").rewrite("one", "odds_one", "o").rewrite("one")
    joined(first, "1")
    later.intro("two").use("lem:parity", "i", label="half").obtain("half", "m", "half_low which")
    even, odd = later.cases("which", "is")
    for c, size, fact in ((even, "2*m", "even_head"), (odd, "2*m + 1", "odd_head")):
        positive(c)
        c.use(f"lem:{fact}", "m", "v", label="value")
        for label in ("evens", "odds"):
            c.rewrite("is", f"{label}_is", f"{label}_at")
        c.rewrite("is").use("bound", "p_evens", label="b1 b2")
        c.use("lem:sign_even", "m", label="sign_e").use("lem:sign_odd", "m", label="sign_o")
        joined(c, size)


def positive(g: Goal) -> None:
    """1 <= m, from 2 <= i and i = 2*m or 2*m + 1."""

    def proof(h: Goal) -> None:
        h.contra("small").use("ax:int_lt", "m", "1", label="zero").auto("zero is two")

    g.have("1 <= m", "m_low", proof)


def joined(g: Goal, size: str) -> None:
    """Split by the four relu of predheads(v, size)."""
    terms = [
        f"relu(pow(-1, {size}))",
        f"relu(pow(-1, {size}) - 1)",
        f"relu(evenbit({size}) + evenhead(v, {size}) - 1)",
        f"relu(oddhead(v, {size}) - evenbit({size}))",
    ]
    g.apart(terms)


SCRIPTS: dict[str, Script | Tactic] = {
    "lem.att_pick": att_pick,
    "lem.att_zero": att_zero,
    "lem.sign_even": sign_even,
    "lem.sign_odd": sign_odd,
    "lem.past_uniform": past_uniform,
    "lem.past_signs": past_signs,
    "lem.rightmost": rightmost,
    "lem.rightmost_pick": rightmost_pick,
    "lem.odd_head": head("", "2*m + 1", "2*m"),
    "lem.even_head": head("-", "2*m", "2*m - 1"),
    "lem.pred_heads": pred_heads,
}
