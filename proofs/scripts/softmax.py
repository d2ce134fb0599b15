"""Soft against hard attention (yang2026, Section 3; Cookbook, Sections 5.6 and 5.7) and what follows for lookups."""

from __future__ import annotations

import re

from script import Script

from symcook.proof.search.cover import cover
from symcook.proof.search.tactics import Goal, Stuck, Tactic
from symcook.proof.terms import replace

# --- Definitions and conditions ---------------------------------------------------------------------------------------


def small_leaf(h: Goal) -> None:
    """A condition about positions 1 and 2; of ``~all`` the instance at 2 is false."""
    if h.goal[0] == "~" and h.goal[2][0][0] == "all":
        h.intro("wrong").use("wrong", "2", label="at_two").absurd("at_two")
        return
    try:
        trial = h._branch(h.goal)
        trial.blast()
    except Stuck:
        h.intro_all()
        if h.goal[0] == "&":
            for part in h.split():
                small_leaf(part)
            return
        for k, f in list(h.facts.items()):
            if f[0] == "all":
                h.use(k, "2", label=f"{k}_at_two")
        halves(h, [k for k, sort in h.scope.items() if sort == "Int"])
    else:
        h.take(trial)


def halves(h: Goal, names: list[str]) -> None:
    """`blast` where each of these integers is at most 1, or at least 2."""
    if not names:
        h.blast()
        return
    low, high = h.em(f"{names[0]} <= 1", f"half_{names[0]}")
    high.use("ax:int_lt", "1", names[0], label=f"two_{names[0]}")
    for part in (low, high):
        if not part.try_contradiction():
            halves(part, names[1:])


# --- Lemmas 6 to 9 ----------------------------------------------------------------------------------------------------


def values(h: Goal) -> str:
    """What `apart` has learnt."""
    return " ".join(k for k in h.facts if re.fullmatch(r"[dv]\d+", k))


# --- Appendix C -------------------------------------------------------------------------------------------------------


SOFT_S, SOFT_R = "sm(l. s(l)/tau, n, j)", "sm(l. r(l)/tau, n, j)"


# --- Cookbook, Section 5.7 --------------------------------------------------------------------------------------------


ALPHA_Q = "sm(l. s(l)/tau, n, q)"
ALPHA_J = "sm(l. s(l)/tau, n, j)"
OTHERS = f"sum(j, 1, n, I[j != q]*{ALPHA_J})"


def not_equal(e: Goal, j: str, q: str) -> list[Goal]:
    """Cases j = q and j != q with the values of both indicators rewritten in the goal."""
    yes, no = e.ind(f"{j} = {q}", "at value")
    for h, want in ((yes, "0"), (no, "1")):

        def other(f: Goal) -> None:
            for u in f.ind(f"{j} != {q}", "not_at not_value"):
                if not u.try_auto("not_value", degree=1):
                    u.contra("no").absurd(*(("not_at", "at") if u.facts["at"][0] == "~" else ("at", "not_at")))

        h.have(f"I[{j} != {q}] = {want}", "other", other)
        for label in ("value", "other"):
            if replace(h.goal, *h.facts[label][2]) != h.goal:
                h.rewrite(label)
    return [yes, no]


def error_quarter(g: Goal) -> None:
    g.intro("N n q s gamma tau v found (some fits low high positive separate bits) tau_is found_is")
    g.have("1 <= N", "N_some").use("lem:log_rule", "N", "gamma", "tau", None, label="log_pos tau_pos ratio rule")
    g.positive("tau", "u", lambda h: h.hyp("tau_pos")).use("lem:sm_sum", "l. s(l)/tau", "n", label="one")
    g.use("lem:sm_weight", "l. s(l)/tau", "n", "q", label="q_pos q_one").use("ax:exp_pos", "-gamma/tau", label="x_pos")
    g.use("bits", "q", label="bit_q")

    def split(h: Goal, factor: str) -> None:
        h.intro("j inside")
        for e in not_equal(h, "j", "q"):
            e.true()

    kept = f"sum(j, 1, n, I[j != q]*{ALPHA_J}*v(j))"
    g.use(
        "lem:sum_ext",
        f"j. {ALPHA_J}*v(j)",
        f"j. I[j = q]*({ALPHA_J}*v(j)) + I[j != q]*{ALPHA_J}*v(j)",
        "1",
        "n",
        lambda h: split(h, "v"),
        label="values",
    )
    g.use(
        "lem:sum_ext",
        f"j. {ALPHA_J}",
        f"j. I[j = q]*{ALPHA_J} + I[j != q]*{ALPHA_J}",
        "1",
        "n",
        lambda h: split(h, ""),
        label="weights",
    )
    g.use("lem:sum_delta", f"j. {ALPHA_J}*v(j)", "1", "n", "q", label="value_q").use(
        "lem:sum_delta", f"j. {ALPHA_J}", "1", "n", "q", label="weight_q"
    )
    g.have(f"found = {ALPHA_Q}*v(q) + {kept}", "parts", use="found_is values value_q")
    g.have(f"{OTHERS} = 1 - {ALPHA_Q}", "rest", use="one weights weight_q")

    def low_term(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:sm_weight", "l. s(l)/tau", "n", "j", label="pos most").use(
            "bits", "j", label="bit_j"
        )
        yes, no = not_equal(h, "j", "q")
        yes.true()
        for e in no.cases("bit_j", "is"):
            e.rewrite("is").auto("pos", degree=1)

    g.use("lem:sum_nonneg", f"j. I[j != q]*{ALPHA_J}*v(j)", "1", "n", low_term, label="kept_low")

    def high_term(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:sm_weight", "l. s(l)/tau", "n", "j", label="pos most").use(
            "bits", "j", label="bit_j"
        )
        yes, no = not_equal(h, "j", "q")
        yes.true()
        for e in no.cases("bit_j", "is"):
            e.rewrite("is").auto("pos", degree=1)

    g.use(
        "lem:sum_mono",
        f"j. I[j != q]*{ALPHA_J}*v(j)",
        f"j. I[j != q]*{ALPHA_J}",
        "1",
        "n",
        high_term,
        label="kept_high",
    )

    def small(h: Goal) -> None:
        h.intro("j (jl jh)")
        yes, no = not_equal(h, "j", "q")
        yes.true()
        no.use("separate", "j", None, "#at", label="apart")
        no.have("s(j)/tau <= s(q)/tau - gamma/tau", "down", lambda e: e.auto("apart u_i", rounds=0))
        no.use("lem:sm_below", "l. s(l)/tau", "n", "j", "q", "gamma/tau", None, "#down", label="below").auto(
            "below", degree=1
        )

    g.use(
        "lem:sum_mono",
        f"j. I[j != q]*{ALPHA_J}",
        f"j. (1 - I[j = q])*(exp(-gamma/tau)*{ALPHA_Q})",
        "1",
        "n",
        small,
        label="tail",
    )
    g.use("lem:sum_one", "1", "n", label="ones").use("lem:sum_delta", "j. 1", "1", "n", "q", label="single")
    x = f"exp(-gamma/tau)*{ALPHA_Q}"
    g.have(
        f"{OTHERS} <= (n - 1)*({x})", "bound", lambda h: h.auto("tail ones single", degree=1, rounds=0, multipliers=[x])
    )
    g.have(f"0 < {x}", "weighted", lambda h: h.auto("x_pos q_pos", rounds=0))
    g.have(f"{x} <= exp(-gamma/tau)", "drop", lambda h: h.auto("x_pos q_one", rounds=0))
    g.have(f"(n - 1)*({x}) <= N*exp(-gamma/tau)", "wide", lambda h: widen(h, x))
    first, second, third, fourth = g.split()
    first.hyp("parts")
    for h in second.cases("bit_q", "q_is"):
        h.have(
            f"found = {kept} + {ALPHA_Q}*{'0' if h.facts['q_is'] == h.formula('v(q) = 0') else '1'}",
            "amount",
            use="parts q_is",
            multipliers=[ALPHA_Q],
        )
        h.apart(
            "abs(found - v(q))", lambda e: e.auto("amount q_is kept_low kept_high rest q_one " + values(e), degree=1)
        )
    third.auto("rest bound wide", degree=1)
    fourth.auto("rule", degree=1)


def widen(h: Goal, x: str) -> None:
    h.have(f"(n - 1)*({x}) <= N*({x})", "more", lambda e: e.auto("fits weighted", rounds=0))
    h.have(f"N*({x}) <= N*exp(-gamma/tau)", "most", lambda e: e.auto("drop N_some", rounds=0)).auto(
        "more most", degree=1
    )


def log_defined(names: str) -> Tactic:
    """D where tau = gamma/log(8 N) and a softmax of s/tau occur."""

    def leaf(h: Goal) -> None:
        if h.try_contradiction() or h.try_auto(degree=1, rounds=0):
            return
        zero = [h.text(f) for f in h.facts.values() if f[0] == "=" and h.text(f).endswith(" = 0")]
        if zero and "I[" in zero[-1]:
            h.use("lem:hm_count", "s", "n", label="count").auto()
            return
        if zero and zero[-1].startswith("sum("):
            h.use("lem:sm_total", "l. s(l)/tau", "n", label="normaliser").auto()
            return
        log_known(h)

    def log_known(h: Goal) -> None:
        h.have("1 <= N", "N_some").have("0 < gamma", "positive")
        h.use("lem:log_rule", "N", "gamma", "gamma/log(8*N)", None, label="log_pos ratio_pos ratio rule")
        h.have("0 < 8*N", "many").auto()

    return lambda g: g.leaves(names, leaf)


def log_leaf(h: Goal) -> None:
    small_leaf(h) if h.goal[0] == "all" else h.blast()


QUARTER = ("3", "2", "1", "j. -j", "1", "1/log(8*3)", "j. 0", "0")


# --- Table lookup: any constant ---------------------------------------------------------------------------------------

SIDE = "sum(k, 1, {0}, k*exp(-gamma*k^2))"
HALF = "sum(k, 0, {0}, exp(-gamma*k^2))"


TERMS = 34
"""Of the series; what is left out is below the fiftieth digit."""


def from_least(constant: str) -> Tactic:
    """The constant serves all n and t from a least gamma on: by a cover up to 1/2, where 1 serves."""
    term = f"(k - {constant}*exp(-gamma))*exp(-gamma*k^2)"

    def run(g: Goal) -> None:
        g.intro("gamma t n (large low high)")
        early, late = g.em("gamma <= 1/2", "small")
        late.use("lem:lookup_error", "gamma", "t", "n", label="error").use("ax:exp_pos", "-gamma", label="x_pos")
        late.auto("error x_pos", degree=1)
        whole = f"sum(k, 0, {TERMS}, {term})"
        early.have(
            f"{whole} + exp(-{TERMS**2}*gamma)/(2*gamma) < 0",
            "enclosed",
            lambda h: cover(h, depth=200, boxes=9000, precisions=(256,)),
        )
        early.positive("gamma", "g", lambda h: h.auto("large")).use("lem:exp_less", "-gamma", "0", label="x_one")
        early.use("ax:exp_pos", "-gamma", label="x_pos")

        def term_pos(h: Goal) -> None:
            h.intro("k (kl kh)").use("ax:exp_pos", "-gamma*k^2", label="pos").have(
                f"0 <= k - {constant}*exp(-gamma)", "factor"
            )
            h.auto("pos factor", rounds=0)

        def total(h: Goal) -> None:
            h.intro("m some").use("lem:sum_split", "k. k*exp(-gamma*k^2)", "0", "0", "m", label="from_one")
            few, many = h.em(f"m <= {TERMS}", "side")
            zero, one = few.em("m <= 0", "first")
            zero.have("m = 0", "none", use="first some").rewrite("none").auto("x_pos", degree=1)
            one.use("ax:int_lt", "0", "m", label="two")
            one.use("lem:sum_split", f"k. {term}", "0", "m", str(TERMS), label="parts")
            one.use("lem:sum_nonneg", f"k. {term}", "m + 1", str(TERMS), term_pos, label="rest")
            one.have(
                f"0 < exp(-{TERMS**2}*gamma)*(1/gamma)",
                "tail",
                lambda e: e.use("ax:exp_pos", f"-{TERMS**2}*gamma", label="p").auto("p g_i", rounds=0),
            )
            one.have(f"sum(k, 0, m, {term}) <= 0", "sum", lambda e: e.auto("parts rest tail enclosed", degree=1))
            one.auto("sum from_one", degree=1)
            many.use("lem:sum_split", f"k. {term}", "0", str(TERMS), "m", label="parts")
            many.use("lem:lookup_tail_late", "gamma", str(TERMS), "m", label="tail").use(
                "ax:exp_pos", "-gamma*m^2", label="end"
            )
            rest = f"sum(k, {TERMS + 1}, m, k*exp(-gamma*k^2))"
            many.have(f"2*gamma*{rest} <= exp(-{TERMS**2}*gamma)", "short", use="tail end")
            many.have(
                f"2*{rest} <= exp(-{TERMS**2}*gamma)/gamma",
                "divided",
                lambda e: e.auto("short g_i g_e", rounds=0, multipliers=[rest]),
            )

            def weight(e: Goal) -> None:
                e.intro("k (kl kh)").use("ax:exp_pos", "-gamma*k^2", label="pos").auto("pos")

            many.use("lem:sum_nonneg", "k. exp(-gamma*k^2)", str(TERMS + 1), "m", weight, label="light")
            light = f"sum(k, {TERMS + 1}, m, exp(-gamma*k^2))"
            many.have(f"0 <= exp(-gamma)*{light}", "less", lambda e: e.auto("light x_pos", rounds=0))
            many.have(f"sum(k, 0, m, {term}) <= 0", "sum", lambda e: e.auto("parts divided less enclosed", degree=1))
            many.auto("sum from_one", degree=1)

        claim = f"all m:Int. 0 <= m -> {SIDE.format('m')} <= {constant}*exp(-gamma)*{HALF.format('m')}"
        early.have(claim, "sides", total)
        early.use("lem:lookup_any", "gamma", constant, label="to back").use("to", "#sides", label="all_errors")
        early.use("all_errors", "n", "t", None, label="done").hyp("done")

    return run


SCRIPTS: dict[str, Script] = {
    "cookbook.s5.7.error_quarter": Script(
        error_quarter, lambda g: g.inhabit(*QUARTER, leaf=log_leaf), log_defined("N n q s gamma tau v found")
    ),
    "lem.lookup_three_halves": Script(from_least("3/2")),
    "lem.lookup_one": Script(from_least("1")),
}
