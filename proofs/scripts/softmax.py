"""Soft against hard attention (yang2026, Section 3; Cookbook, Sections 5.6 and 5.7) and what follows for lookups."""

from __future__ import annotations

import re

from script import Script

from symcook.proof.search.cover import cover
from symcook.proof.search.tactics import Goal, Stuck, Tactic
from symcook.proof.terms import replace


def int_apart(g: Goal, a: str, b: str) -> tuple[Goal, Goal, Goal]:
    """a + 1 <= b, a = b or b + 1 <= a on Int, as `step`."""
    low, high = g.em(f"{a} <= {b}", "side")
    less, same = low.em(f"{a} < {b}", "strict")
    less.use("ax:int_lt", a, b, label="step")
    same.have(f"{a} = {b}", "step", use="side strict")
    high.use("ax:int_lt", b, a, label="step")
    return less, same, high


# --- The three hardmax functions --------------------------------------------------------------------------------------


def below(g: Goal, n: str, inside: Tactic, end: Tactic | None = None) -> None:
    """For k in 1..n + 1: k in 1..n, or k = n + 1."""
    g.intro("k (kl kh)")
    less, same = g.em(f"k <= {n}", "place")
    inside(less)
    same.use("ax:int_lt", n, "k", label="next").have(f"k = {n} + 1", "is", use="next kh").rewrite("is")
    if end is None:
        same.true()
        return
    end(same)


# --- Distances --------------------------------------------------------------------------------------------------------


# --- Ziggurat scores --------------------------------------------------------------------------------------------------


# --- Table lookup -----------------------------------------------------------------------------------------------------


# --- Tie-breaking -----------------------------------------------------------------------------------------------------


# --- Ties, gaps and temperature ---------------------------------------------------------------------------------------


# --- Definitions and conditions ---------------------------------------------------------------------------------------


def totals_positive(names: str, extra: Tactic = Goal.auto) -> Tactic:
    """D: every softmax normaliser met is positive, every count of maxima at least 1, other denominators by `auto`."""

    def leaf(h: Goal) -> None:
        if h.try_contradiction() or h.try_auto(degree=1, rounds=0):
            return
        zero = [h.text(f) for k, f in h.facts.items() if f[0] == "=" and h.text(f).endswith(" = 0")][-1]
        soft = re.fullmatch(r"sum\((\w+), 1, (\w+), exp\((.*)\)\) = 0", zero)
        if soft:
            name, top, score = soft.groups()
            h.use("lem:sm_total", f"{name}. {score}", top, label="normaliser").auto()
        elif hard := re.fullmatch(r"sum\((\w+), 1, (\w+), I\[all .* -> .* <= (.*)\]\) = 0", zero):
            name, top, score = hard.groups()
            h.use("lem:hm_count", f"{name}. {score}", top, label="count").auto()
        else:
            extra(h)

    return lambda g: g.leaves(names, leaf)


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


def inhabit(*terms: str) -> Tactic:
    """H by these witnesses."""
    return lambda g: g.inhabit(*terms, leaf=small_leaf)


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


# --- Exponentials, lookups at a temperature ---------------------------------------------------------------------------


# --- Attention scores of Section 4 ------------------------------------------------------------------------------------


def two_sided(h: Goal, inner: str, bound: str) -> None:
    """-b <= t <= b from abs(t) <= b, as a conjunction."""
    for part in h.split():
        part.apart(f"abs({inner})", lambda e: e.auto(bound + " " + values(e), degree=1))


def thm20_compare(g: Goal) -> None:
    g.intro(
        "n i m lefts lambda count Lambda C tau found H (low high many from_left to_left tau_is sum_is large"
        " left_counts right_counts) none left_is right_is H_is"
    )
    g.positive("Lambda", "v", lambda h: h.auto("large"))

    def close(h: Goal, side: str, scale: str, top: str) -> None:
        h.use(f"{side}_counts", "k", label="from to")
        zero, more = h.em("count(k) = 0", "is")
        zero.use("none", "k", None, "#is", label="found_zero").rewrite("found_zero").rewrite("is").auto("v_i")
        more.use(f"{side}_is", "k", None, "#is", label="found_some")
        small, one = more.em("count(k) <= 0", "side")
        small.have("count(k) = 0", "after_all", use="side from").contra("no").absurd("after_all", "is")
        one.use("ax:int_lt", "0", "count(k)", label="least")
        one.use("lem:lookup_scaled", "n", scale, top, "count(k)", "Lambda", "tau", None, label="error decay quarter")
        one.rewrite("found_some").auto("error decay quarter", degree=1)

    def each(h: Goal) -> None:
        h.intro("k (kl kh)")
        left, right = h.em("k <= lefts", "where")
        close(left, "left", "i", "i")
        right.use("ax:int_lt", "lefts", "k", label="beyond")
        close(right, "right", "n - i + 1", "n")

    g.have("all k in 1..m. abs(found(k) - count(k)) <= 1/(4*Lambda)", "close", each)
    wanted = "sum(k, 1, m, lambda(k)*count(k))"
    g.use("lem:product_abs", "lambda", "k. found(k) - count(k)", "m", "1/(4*Lambda)", "#close", label="product")
    g.have(f"sum(k, 1, m, lambda(k)*(found(k) - count(k))) = H - {wanted}", "value", use="H_is")
    g.rewrite("value", "product", "error").have(
        f"abs(H - {wanted}) <= 1/4", "near", use="error sum_is v_e", multipliers=["1", "1/Lambda"]
    )
    g.have(f"H - {wanted} <= 1/4 & {wanted} - H <= 1/4", "above below", lambda h: two_sided(h, f"H - {wanted}", "near"))
    for part, proof in zip(g.split(), ("close", "near", None, None, None, None), strict=True):
        if proof:
            part.hyp(proof)
            continue
        part.intro("is")
        low, high = part.em(f"{wanted} <= C", "side")
        high.use("ax:int_lt", "C", wanted, label="next")
        for h in (low, high):
            if not h.try_contradiction():
                h.auto(["above", "below", "side", *(["next"] if h is high else [])], degree=1)


# --- Appendix C -------------------------------------------------------------------------------------------------------


SOFT_S, SOFT_R = "sm(l. s(l)/tau, n, j)", "sm(l. r(l)/tau, n, j)"


def tau_positive(h: Goal) -> None:
    """Where tau = 1/n or another denominator is a product."""
    if not h.try_auto():
        h.positive("n", "one_n")
        if not h.try_auto():
            h.have("0 < tau", "tau_pos").have("0 < i", "i_pos").have("0 < i*tau", "product")
            h.auto()


ONE_COUNT = "sum(j, 1, 2, sm(l. 3*2*(2*1*l - l^2)/2/(1/3), 2, j)*j)"
COMPARED = ("3", "2", "2", "1", "k. 1", "k. I[k = 1]", "2", "0", "1/3", f"k. I[k = 1]*{ONE_COUNT}", ONE_COUNT)
MET = (*COMPARED[:7], "1", *COMPARED[8:])


def compared_leaf(h: Goal) -> None:
    """A condition about the terms 1 and 2."""
    if h.goal[0] != "all":
        h.blast()
        return
    h.intro("k (kl kh)")
    one, more = h.em("k <= 1", "first")
    more.use("ax:int_lt", "1", "k", label="two")
    for e, value in ((one, 1), (more, 2)):
        if not e.try_contradiction():
            e.have(f"k = {value}", "k_is").rewrite("k_is").blast()


# --- Cookbook, Section 5.6 --------------------------------------------------------------------------------------------


def picks(g: Goal, term: str, right: bool, gamma: str, separate: Tactic) -> None:
    """hardmax of s + gamma*term is rhardmax (or lhardmax) of s, from `order` and `spread` of the term."""
    side, name = ("max_right", "rhardmax") if right else ("max_left", "lhardmax")
    g.use(f"lem:{side}", "s", "n", label="there").obtain("there", "p", "low high best rest")
    g.use(f"lem:{name}_at", "s", "n", "p", None, label="chosen").use("chosen", "j", label="hard").rewrite("hard")

    def parts(h: Goal) -> None:
        pieces = h.split()
        for part in pieces[:4]:
            part.easy()
        separate(pieces[4])
        pieces[5].intro("k (kl kh)").use("spread", "k", "p", label="near").auto("near", degree=1)

        def prefer(e: Goal) -> None:
            e.intro("k (kl kh) (differ max)").use("rest", "k", None, "#max", label="got")
            for f in int_apart(e, "k", "p"):
                if f.facts["step"][0] == "=":
                    f.contra("no").absurd("step", "differ")
                elif not f.try_contradiction():
                    first, second = ("k", "p") if right else ("p", "k")
                    f.use("order", first, second, None, label="less").auto("less", degree=1)

        prefer(pieces[6])

    g.use("lem:tie_pick", "s", f"l. {term}", "n", "p", gamma, parts, label="done").use("done", "j", label="here").hyp(
        "here"
    )


def term_facts(g: Goal, term: str, right: bool, how: Tactic, near: Tactic) -> Goal:
    """`order` and `spread` of a term on 1..n."""
    a, b = (re.sub(r"\bl\b", x, term) for x in ("a", "b"))
    less = f"{a} < {b}" if right else f"{b} < {a}"
    g.have(f"all a in 1..n. all b in 1..n. a < b -> {less}", "order", how)
    return g.have(f"all a in 1..n. all b in 1..n. ({a}) - ({b}) < 1", "spread", near)


def reciprocals(shift: str, sign: int) -> tuple[Tactic, Tactic]:
    """The term 1/(l + shift), or its negative."""

    def how(h: Goal) -> None:
        h.intro("a (al ah) b (bl bh) less").use(
            "lem:reciprocal_order", f"a{shift}", f"b{shift}", None, label="recip"
        ).auto("recip", degree=1)

    def near(h: Goal) -> None:
        h.intro("a (al ah) b (bl bh)")
        for k in "ab":
            h.positive(f"{k}{shift}", k, lambda e, k=k: e.auto(f"{k}l"))
            h.have(f"1/({k}{shift}) <= 1", f"{k}_one", lambda e, k=k: e.auto(f"{k}l {k}_i {k}_e", rounds=0))
        h.auto("a_i b_i a_one b_one", degree=1)

    return how, near


def linear_terms() -> tuple[Tactic, Tactic]:
    def how(h: Goal) -> None:
        h.intro("a (al ah) b (bl bh) less").have(
            "0 < (b - a)*(1/n)", "gain", lambda e: e.auto("less n_i", rounds=0)
        ).auto("gain", degree=1)

    def near(h: Goal) -> None:
        h.intro("a (al ah) b (bl bh)")
        for k in "ab":
            h.have(f"0 < {k}*(1/n)", f"{k}_low", lambda e, k=k: e.auto(f"{k}l n_i"))
            h.have(f"{k}*(1/n) <= 1", f"{k}_high", lambda e, k=k: e.auto(f"{k}h n_i n_e", rounds=0))
        h.auto("a_low b_low a_high b_high", degree=1)

    return how, near


def strict_gap(h: Goal) -> None:
    """From Eq. (39), `given`, with the maximum at p."""
    h.intro("k (kl kh)").use("given", "k", label="either")
    top, below = h.cases("either", "is")
    top.pick("left").hyp("is")
    below.use("is", "p", None, "#best", label="down").pick("right").auto("down", degree=1)


def tiebreak(g: Goal) -> None:
    g.intro("n s gamma (some positive given) j (jl jh)").positive("n", "n", lambda h: h.auto("some"))
    terms = (("-(1/l)", True), ("1/l", False), ("l/n", True), ("-(l/n)", False))
    for part, (term, right) in zip(g.split(), terms, strict=True):
        how, near = linear_terms() if "n" in term else reciprocals("", 1)
        picks(term_facts(part, term, right, how, near), term, right, "gamma", strict_gap)


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


# --- Sharp forms of Lemmas 6 and 8 ------------------------------------------------------------------------------------


SCRIPTS: dict[str, Script] = {
    "yang2026.thm20.compare": Script(
        thm20_compare,
        lambda g: g.inhabit(*COMPARED, others=[(*COMPARED, "1"), MET], leaf=compared_leaf),
        totals_positive("n i m lefts lambda count Lambda C tau found H", extra=tau_positive),
    ),
    "cookbook.s5.6.tiebreak_correct": Script(tiebreak, inhabit("2", "j. 0", "1", "1"), totals_positive("n s gamma")),
    "cookbook.s5.7.error_quarter": Script(
        error_quarter, lambda g: g.inhabit(*QUARTER, leaf=log_leaf), log_defined("N n q s gamma tau v found")
    ),
    "lem.lookup_three_halves": Script(from_least("3/2")),
    "lem.lookup_one": Script(from_least("1")),
}
