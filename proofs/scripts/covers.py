"""Two generated covers: table lookup with the constants 1 and 3/2 from their least gamma on (Cookbook, Section 5.7)."""

from __future__ import annotations

from script import Script

from symcook.proof.search.cover import cover
from symcook.proof.search.tactics import Goal, Tactic, add_positive

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
        add_positive(early, "gamma", "g", lambda h: h.auto("large")).use("lem:exp_less", "-gamma", "0", label="x_one")
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
    "lem.lookup_three_halves": Script(from_least("3/2")),
    "lem.lookup_one": Script(from_least("1")),
}
