"""Constructions of attention: Cookbook, Sections 5.1, 5.2, 5.4, 5.5 and Table 2; yang2026, Proposition 10."""

from __future__ import annotations

from script import Script

from symcook.proof.search.tactics import Goal, Tactic

# --- Weights on one position, zero values, signs ----------------------------------------------------------------------


# --- Rightmost hard attention -----------------------------------------------------------------------------------------


def pred_heads(g: Goal) -> None:
    g.intro("i v (some bound)")
    for sign, label in (("-", "evens"), ("", "odds")):
        g.use("lem:rightmost_pick", f"l. {sign}pow(-1, l)", "v", "i", label=f"{label}_ex")
        g.obtain(f"{label}_ex", f"p_{label}", f"{label}_low {label}_high {label}_is")
        g.use("bound", f"p_{label}", label=f"{label}_ge {label}_le")
    first, later = g.split()
    first.intro("one").use("bound", "1", label="ge le")
    first.have("p_evens = 1", "at_e", use="one evens_low evens_high").have(
        "p_odds = 1", "at_o", use="one odds_low odds_high"
    )
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


# --- What makes a normaliser nonzero ----------------------------------------------------------------------------------


def normalisers(names: str) -> Tactic:
    """D, with `names` for its leading quantifiers: sums of exponentials and counts of maxima are positive."""

    def leaf(g: Goal) -> None:
        if g.try_auto(degree=1, rounds=0):
            return
        low, high, body = next(reversed(g.facts.values()))[2][0][2]
        if body[0] == "ind":  # I[all k. ... -> s(k) <= s(l)]
            scores = g.text(("lam", ("Int",), (body[2][0][2][0][2][1][2][0],)))
            g.use("lem:hm_count", scores, g.text(high), label="total")
        else:
            terms = g.text(("lam", ("Int",), (body,)))
            g.use("lem:sum_positive", terms, g.text(low), g.text(high), None, exponential, label="total")
        g.auto(degree=1, rounds=0)

    return lambda g: g.leaves(names, leaf)


def inhabits(*terms: str, leaf: Tactic | None = None) -> Tactic:
    """H by these witnesses; where it has several parts, each takes as many of them as it needs."""

    def down(g: Goal, left: list[str]) -> None:
        while g.goal[0] == "ex":
            g.witness(left.pop(0))
        if g.goal[0] != "&":
            leaf(g) if leaf else g.blast()
            return
        for part in g.split():
            down(part, left)

    def run(g: Goal) -> None:
        for part in g.split() if g.goal[0] == "&" else [g]:
            down(part, list(terms))

    return run


def exponential(g: Goal) -> None:
    """exp of something is positive, at every place of a window."""
    g.intro_all().use("ax:exp_pos", g.text(g.goal[2][1][2][0]), label="done").hyp("done")


# --- Models, identity, averages ---------------------------------------------------------------------------------------


# --- First ------------------------------------------------------------------------------------------------------------


# --- Predecessor ------------------------------------------------------------------------------------------------------


# --- Table 2 ----------------------------------------------------------------------------------------------------------


# --- Several heads ----------------------------------------------------------------------------------------------------


# --- Stored models without a recipe -----------------------------------------------------------------------------------


# --- yang2026, Proposition 10 -----------------------------------------------------------------------------------------


def suffix_signs(g: Goal) -> Goal:
    """`c_size`: the attention output times the size of its window is (-1)^(i - 1) - (-1)^n, halved."""

    def size(h: Goal) -> None:
        h.intro("i (low high)").use("c_is", "i", label="at").use("lem:past_signs", "n", "i", label="signs")

        def null(e: Goal) -> None:
            e.intro("j (jl jh)").use("zero", "j", label="here").hyp("here")

        h.use("lem:past_uniform", "s", "j. pow(-1, j + 1)", "i", "n", None, null, label="total mean")
        h.use("ax:inv", "n - i + 1", label="inverse")
        h.auto("at signs mean inverse", rounds=0, multipliers=["n - i + 1", "sum(j, i, n, pow(-1, j + 1))"])

    return g.have("all i in 1..n. c(i)*(n - i + 1) = (pow(-1, i - 1) - pow(-1, n))/2", "c_size", size)


def prop10b(g: Goal) -> None:
    suffix_signs(g.intro("n s c f some zero c_is f_is"))
    g.use("c_size", "n", label="last").use("ax:pow_step", "-1", "n - 1", label="step").use(
        "lem:sign", "n - 1", label="sign"
    )

    def end(h: Goal) -> None:
        for e, side in zip(h.cases("sign", "is"), ("left", "right"), strict=True):
            e.pick(side).auto("last step is")

    def inner(h: Goal) -> None:
        h.intro("i (low high)").use("c_size", "i", label="size")
        h.use("lem:sign", "i - 1", label="sign_i").use("lem:sign", "n", label="sign_n")
        near, far = h.em("n <= i + 1", "side")
        near.have("n = i + 1", "at", use="side high").rewrite("at", "size", "size_at")
        near.use("ax:pow_step", "-1", "i - 1", label="s1").use("ax:pow_step", "-1", "i", label="s2")
        near.have("c(i) = 0", "null", use="size_at s1 s2")
        for e in near.split():
            e.auto("null")
        far.use("ax:int_lt", "i + 1", "n", label="three")
        for a in far.cases("sign_i", "is_i"):
            for b in a.cases("sign_n", "is_n"):
                for e in b.split():
                    e.contra("no").auto("no size is_i is_n three")

    g.have("c(n) = 1 | c(n) = -1", "end", end).have("all i in 1..n - 1. -1/3 <= c(i) & c(i) <= 1/3", "inner", inner)
    a, b, f = g.split()
    a.hyp("end")
    b.hyp("inner")
    f.intro("i (low high)").use("f_is", "i", label="is")
    marks_ = "relu(c({0}) - 1/3); relu(c({0}) - 2/3); relu(-c({0}) - 1/3); relu(-c({0}) - 2/3)"
    yes, no = f.ind("i = n", "at value")
    yes.rewrite("at", "is", "is_n").rewrite("at", "value", "value_n").rewrite("at")
    for h in yes.cases("end", "c_at"):
        h.apart(marks_.format("n"))
    strict, same = no.em("i < n", "before")
    same.have("i = n", "after_all", use="before high").absurd("after_all", "at")
    strict.use("ax:int_lt", "i", "n", label="next").use("inner", "i", label="ge le")
    strict.apart(marks_.format("i"), lambda h: h.auto(degree=1, rounds=0))


C_SUFFIX = "sum(j, {0}, 3, exp(0)/sum(k, {0}, 3, exp(0))*pow(-1, j + 1))"
F_SUFFIX = f"firstmark({C_SUFFIX}) + firstmark(-{C_SUFFIX})"
SUFFIX = [f"i. {text.format('i')}" for text in (C_SUFFIX, F_SUFFIX)]


SCRIPTS: dict[str, Script | Tactic] = {
    "yang2026.prop10b": Script(prop10b, inhabits("3", "j. 0", *SUFFIX, "2"), normalisers("n s c f")),
    "lem.pred_heads": pred_heads,
}
