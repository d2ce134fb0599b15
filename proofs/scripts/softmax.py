"""Soft against hard attention (yang2026, Section 3; Cookbook, Sections 5.6 and 5.7) and what follows for lookups."""

from __future__ import annotations

import re

from library import last
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


ALPHA = "sm(l. gamma*(2*t*l - l^2), n, {0})"
Z = "sum(k, 1, n, exp(-gamma*(k - t)^2))"


MEAN = "sum(j, 1, n, (t - j)*exp(-gamma*(j - t)^2))"


# --- Tie-breaking -----------------------------------------------------------------------------------------------------


def into(g: Goal, hard: str, soft: str, value: str, p: str = "p", size: str = "n") -> None:
    """The goal about `hard`, which is I[j = p] by `hard`, from `done`, which says I[j = p]."""

    def same(h: Goal) -> None:
        h.intro("j inside").use("hard", "j", label="here").rewrite("here").true()

    g.use(
        "lem:sum_ext",
        f"j. ({hard} - {soft})*{value}",
        f"j. (I[j = {p}] - {soft})*{value}",
        "1",
        size,
        same,
        label="replaced",
    )
    g.rewrite("replaced").hyp("done")


# --- Ties, gaps and temperature ---------------------------------------------------------------------------------------


ATTAINED = "l. g*I[l <= m]"


def hard_soft_attained(g: Goal) -> None:
    g.intro("n m g (low high positive)").use("ax:int_lt", "m", "n", label="fits")

    def maxima(h: Goal) -> None:
        h.intro("k (kl kh)")
        yes, no = h.ind("k <= m", "at value")
        for e in (yes, no):
            one, zero = e.ind(f"maximal({ATTAINED}, n, k)", "max size")
            if e is yes:
                one.auto("value size", degree=1)

                def top(f: Goal) -> None:
                    f.intro("i (il ih)").rewrite("value").apart(
                        "I[i <= m]", lambda u: u.auto(rounds=0, multipliers=["g"])
                    )

                zero.have(f"maximal({ATTAINED}, n, k)", "after_all", top).absurd("after_all", "max")
            else:
                one.use("max", "m", label="wrong").rewrite("value", "wrong", "less").contra("no").auto(
                    "less positive", degree=1
                )
                zero.auto("value size", degree=1)

    g.have(f"all k in 1..n. I[maximal({ATTAINED}, n, k)] = I[k <= m]", "maxima", maxima)

    def at_most(h: Goal, value: str, low: str, high: str, label: str) -> Goal:
        def each(e: Goal) -> None:
            e.intro("k (kl kh)").apart("I[k <= m]", lambda f: f.auto(degree=1))

        h.use("lem:sum_ext", "k. I[k <= m]", f"k. {value}", low, high, each, label=label)
        return h

    g.use("lem:sum_split", "k. I[k <= m]", "1", "m", "n", label="parts")
    at_most(at_most(g, "1", "1", "m", "first"), "0", "m + 1", "n", "later")
    g.use("lem:sum_one", "1", "m", label="ones").use("lem:sum_one", "1", "n", label="every")
    g.have("sum(k, 1, n, I[k <= m]) = m", "size", use="parts first later ones")
    g.use("lem:sum_ext", f"k. I[maximal({ATTAINED}, n, k)]", "k. I[k <= m]", "1", "n", "#maxima", label="counts")
    count = f"sum(k, 1, n, I[maximal({ATTAINED}, n, k)])"
    g.have(f"{count} = m", "count", use="counts size")
    gap, number, distance = g.split()
    gap.intro("i (il ih) k (kl kh) max").use("max", "1", label="at_one")
    for e in gap.sides(gap.term("I[k <= m]")):
        for f in e.sides(e.term("I[i <= m]")):
            for u in f.sides(f.term("I[1 <= m]")):
                if not u.try_contradiction():
                    known = values(u) + " " + " ".join(k for k in u.facts if k.startswith("f"))
                    either(u, known)
    number.hyp("count")

    def best(h: Goal) -> None:
        h.intro("k (kl kh)").apart("I[k <= m]; I[1 <= m]", lambda e: e.auto(rounds=0, multipliers=["g"]))

    distance.have(f"maximal({ATTAINED}, n, 1)", "best", best)
    distance.use("lem:hard_soft_exact", ATTAINED, "n", "1", None, label="exact")

    def each(h: Goal) -> None:
        h.intro("k inside")
        yes, no = h.ind("k <= m", "at value")
        yes.rewrite("value").true()
        no.rewrite("value").true()

    distance.use(
        "lem:sum_ext", "k. exp(g*I[k <= m])", "k. I[k <= m]*exp(g) + (1 - I[k <= m])", "1", "n", each, label="terms"
    )
    whole = "sum(k, 1, n, exp(g*I[k <= m]))"
    distance.have(f"{whole} = m*exp(g) + (n - m)", "whole", use="terms size every", rounds=0, multipliers=["exp(g)"])
    distance.use("ax:exp_pos", "-g", label="x_pos").use("ax:exp_pos", "g", label="e_pos")
    bottom = "m + (n - m)*exp(-g)"
    distance.have("0 < (n - m)*exp(-g)", "rest_low", lambda h: h.auto("x_pos high", rounds=0))
    distance.positive(bottom, "w", lambda h: h.auto("rest_low low")).have(
        "I[1 <= m] = 1", "in_one", lambda h: h.apart("I[1 <= m]")
    )
    distance.have(f"0 < {whole}", "pos", lambda h: h.auto("whole rest_low e_pos low high", rounds=1))
    distance.positive(whole, "z", lambda h: h.hyp("pos"))
    distance.have(f"exp(g)*(1/{whole}) = 1/({bottom})", "share", lambda h: inverse_share(h, whole, bottom))
    distance.rewrite("count").rewrite("count", "exact", "exact_m").rewrite("in_one", "exact_m", "exact_one")
    distance.auto("exact_one share w_e", degree=1, rounds=0, multipliers=["m", "1"])


def inverse_share(h: Goal, whole: str, bottom: str) -> None:
    h.have(f"({bottom})*exp(g) = {whole}", "sizes", use="whole")
    h.auto(
        "sizes z_e w_e",
        degree=1,
        rounds=0,
        multipliers=[
            f"exp(g)/({bottom})",
            f"1/{whole}",
            f"1/({bottom})*(1/{whole})",
            f"exp(g)/{whole}",
            f"1/({bottom})",
        ],
    )


def either(u: Goal, known: str) -> None:
    for side in ("left", "right"):
        trial = u._branch(u.goal)
        trial.pick(side)
        if trial.try_auto(rounds=0, multipliers=["g"]):
            u.take(trial)
            return
    raise Stuck(u.show())


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


ZIGGURAT = ("2", "j. -abs(j - 1)", "1", "1")


MARGINS = ("2", "j. j", "1", "1", "2")


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


def geometric_facts(g: Goal) -> Goal:
    """For x = e^-gamma: x_pos, x_one, and the reciprocals of 1 - x and 1 + x as y and w."""
    g.use("ax:exp_pos", "-gamma", label="x_pos").use("lem:exp_less", "-gamma", "0", label="x_one")
    g.positive("1 - exp(-gamma)", "y", lambda h: h.auto("x_one"))
    return g.positive("1 + exp(-gamma)", "w", lambda h: h.auto("x_pos"))


def lemma6_chain(g: Goal) -> None:
    g.intro("n s p gamma a b (low high positive below) a_is b_is")
    geometric_facts(g).have("1 <= n", "some")
    g.use("ax:exp_pos", "s(p)", label="top").have("0 < a", "a_pos", use="top a_is")
    g.use("lem:sum_delta", "j. exp(s(j))", "1", "n", "p", label="chosen")

    def parts(h: Goal) -> None:
        h.intro("j inside")
        yes, no = h.ind("j = p", "at value")
        for e in (yes, no):
            for f in e.sides(e.term("I[j != p]")):
                label = [k for k in f.facts if k.startswith("f")][-1]
                if not f.try_auto(degree=1):
                    f.absurd(*(("at", label) if f.facts[label][0] == "~" else (label, "at")))

    g.use("lem:sum_ext", "j. I[j != p]*exp(s(j))", "j. exp(s(j)) - I[j = p]*exp(s(j))", "1", "n", parts, label="rest")
    g.have("sum(k, 1, n, exp(s(k))) = a + b", "whole", use="rest chosen a_is b_is")
    g.use("lem:ziggurat_total", "s", "n", "p", "gamma", label="most")
    g.use("lem:geometric_both", "gamma", "p", "n", label="series")
    g.use("ax:exp_pos", "-gamma*p", label="e1").use("ax:exp_pos", "-gamma*(n - p + 1)", label="e2")
    zig = "sum(j, 1, n, exp(-gamma*abs(j - p)))"
    g.have(f"(1 - exp(-gamma))*{zig} <= 1 + exp(-gamma)", "sum_most", use="series e1 e2")
    g.have(f"a + b <= {zig}*a", "scaled", use="most whole a_is", multipliers=[zig])
    g.have("(1 - exp(-gamma))*b <= 2*exp(-gamma)*a", "b_most", lambda h: h.auto("scaled sum_most a_pos y_p", rounds=0))
    g.have(
        "b <= 2*exp(-gamma)/(1 - exp(-gamma))*a",
        "b_bound",
        lambda h: h.auto("b_most y_i y_e", rounds=0, multipliers=["b"]),
    )

    rest_positive(g)
    g.positive("a + b", "z", lambda h: h.auto("a_pos b_low"))
    g.use("lem:hardmax_ziggurat", "s", "n", "p", "gamma", None, "#below", label="hard")
    first, second, third, fourth, fifth, sixth = g.split()
    first.hyp("b_bound")

    def weight(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:sm_weight", "s", "n", "j", label="pos most_j").auto("pos")

    second.use("lem:sm_sum", "s", "n", label="one")
    second.use("lem:one_hot_distance", "j. sm(s, n, j)", "n", "p", None, weight, "#one", label="distance")

    def same(h: Goal) -> None:
        h.intro("j inside").use("hard", "j", label="here").rewrite("here").true()

    second.use(
        "lem:sum_ext",
        "j. abs(hardmax(s, n, j) - sm(s, n, j))",
        "j. abs(I[j = p] - sm(s, n, j))",
        "1",
        "n",
        same,
        label="replaced",
    )
    second.have("sm(s, n, p) = a/(a + b)", "share", lambda h: h.rewrite("whole").rewrite("a_is").true())
    second.auto("replaced distance share z_e", degree=1)
    third.auto("z_e")
    q = "2*exp(-gamma)/(1 - exp(-gamma))*a"
    for h in (fourth, fifth):
        h.have(f"0 < {q}", "q_pos", lambda e: e.auto("x_pos y_i a_pos", rounds=0, degree=3))
        h.positive(f"a + {q}", "u", lambda e: e.auto("a_pos q_pos"))
    fourth.have(f"a/(a + {q}) <= a/(a + b)", "less", lambda h: fraction(h, q))
    fourth.auto("less")
    fifth.have(
        f"(1 - exp(-gamma))*(a + {q}) = (1 + exp(-gamma))*a", "clear", use="y_e", multipliers=["a", "exp(-gamma)*a"]
    )
    fifth.have(f"a/(a + {q}) = (1 - exp(-gamma))/(1 + exp(-gamma))", "value", lambda h: ratio(h, q))
    fifth.auto("value w_e", degree=1)
    sixth.have("0 <= exp(-gamma)*exp(-gamma)", "square", lambda h: h.auto("x_pos"))
    sixth.auto("w_i w_e square", rounds=0, multipliers=["exp(-gamma)"])


def lemma6_positive(h: Goal) -> None:
    """Where D asks for a + b and a + q, with q the bound of b."""
    geometric_facts(h).use("ax:exp_pos", "s(p)", label="top").have("0 < a", "a_pos")
    rest_positive(h)
    q = "2*exp(-gamma)/(1 - exp(-gamma))*a"
    h.have(f"0 < {q}", "q_pos", lambda e: e.auto("x_pos y_i a_pos", rounds=0, degree=3)).auto()


def rest_positive(g: Goal) -> Goal:
    """0 <= b as `b_low`."""

    def nonneg(h: Goal) -> None:
        h.intro("j inside").use("ax:exp_pos", "s(j)", label="pos")
        h.apart("I[j != p]", lambda e: e.auto(rounds=0, multipliers=["exp(s(j))"]))

    return g.use("lem:sum_nonneg", "j. I[j != p]*exp(s(j))", "1", "n", nonneg, label="rest_low").have("0 <= b", "b_low")


def fraction(h: Goal, q: str) -> None:
    h.have(f"0 <= ({q} - b)*a", "gain", lambda e: e.auto("b_bound a_pos", rounds=0))
    h.have(f"0 < 1/(a + b)*(1/(a + {q}))", "recip", lambda e: e.auto("z_i u_i", rounds=0))
    h.have(f"0 <= ({q} - b)*a*(1/(a + b)*(1/(a + {q})))", "all_three", lambda e: e.auto("gain recip", rounds=0))
    h.auto("all_three z_e u_e", degree=1, multipliers=["a", f"a/(a + {q})", "a/(a + b)"])


def ratio(h: Goal, q: str) -> None:
    m = f"1/(a + {q})"
    h.auto(
        "clear u_e w_e",
        degree=1,
        multipliers=[m, f"{m}/(1 + exp(-gamma))", "1/(1 + exp(-gamma))", "exp(-gamma)/(1 + exp(-gamma))", f"a*{m}"],
    )


SCORES = "l. gamma*(2*t*l - l^2)"
LOOKUP = f"sm({SCORES}, n, j)"


def onesided(g: Goal) -> None:
    g.intro("n t gamma (large low high)")
    body = f"j. {LOOKUP}*(t - j)"
    g.use("lem:sum_split", body, "1", "t - 1", "n", label="one").use("lem:sum_split", body, "t", "t", "n", label="two")
    for low, high, value, label in (("1", "t - 1", "t - j", "left"), ("t + 1", "n", "j - t", "right")):

        def positive(h: Goal, value: str = value) -> None:
            h.intro("j (jl jh)").use("lem:sm_weight", SCORES, "n", "j", label="pos most").have(f"0 <= {value}", "side")
            h.auto("pos side", rounds=0)

        g.use("lem:sum_nonneg", f"j. {LOOKUP}*({value})", low, high, positive, label=label)
    whole = f"abs(sum(j, 1, n, {LOOKUP}*(t - j)))"
    parts = f"abs(sum(j, 1, t - 1, {LOOKUP}*(j - t)) + sum(j, t + 1, n, {LOOKUP}*(j - t)))"
    first, second = g.split()
    first.apart(f"{whole}; {parts}", lambda h: h.auto("one two " + values(h), degree=1))
    second.apart(parts, lambda h: h.easy("left right " + values(h), degree=1))


def values(h: Goal) -> str:
    """What `apart` has learnt."""
    return " ".join(k for k in h.facts if re.fullmatch(r"[dv]\d+", k))


def gap_one(g: Goal) -> Goal:
    """scoregap(s, n, 1) as `separate`, from a gap delta >= 1."""

    def proof(h: Goal) -> None:
        h.intro("i inside m within max").use("given", "i", None, "m", None, "#max", label="either")
        tie, less = h.cases("either", "is")
        tie.pick("left").hyp("is")
        less.pick("right").auto("is wide")

    return g.have("scoregap(s, n, 1)", "separate", proof)


def lemma8_margins(g: Goal) -> None:
    g.intro("n s delta gamma p (wide given positive low high best)")
    gap_one(g).have("1 <= n", "some").positive("p", "p", lambda h: h.auto("low")).positive(
        "n", "n", lambda h: h.auto("some")
    )
    right, left = g.split()
    right.intro("rest j (from to)").use("lem:tie_quadratic", "s", "n", "p", "gamma", "j", None, label="quadratic")
    right.use("lem:tie_right", "s", "n", "n", "p", "gamma", "j", None, label="linear").use(
        "separate", "j", "p", label="either"
    )
    same = "abs(p - j) = abs(j - p)"
    right.have(same, "sides", lambda h: h.apart("abs(p - j); abs(j - p)", lambda e: e.auto(degree=1)))
    first, second, third, fourth = right.split()
    first.auto("quadratic sides", degree=1, multipliers=["gamma"])
    third.auto("linear sides", degree=1, multipliers=["gamma"])
    for h in (second, fourth):
        h.intro("differ")
    for h, closing in ((second, far_quadratic), (fourth, far_linear)):
        tie, less = h.cases("either", "is")
        tie.absurd("is", "differ")
        closing(less)
    left.intro("rest j (from to)").use("lem:tie_left", "s", "n", "n", "p", "gamma", "j", None, label="linear")
    left.have(same, "sides", lambda h: h.apart("abs(p - j); abs(j - p)", lambda e: e.auto(degree=1)))
    left.auto("linear sides", degree=1, multipliers=["gamma"])


def far_quadratic(h: Goal) -> None:
    h.positive("j", "j", lambda e: e.auto("from")).have("1/p <= 1", "one", lambda e: e.auto("low p_i p_e"))
    h.have("1 <= n*(1/j)", "inverse", lambda e: e.auto("to j_i j_e"))
    h.have("n <= n^2*(1/j)", "far", lambda e: e.auto("inverse some", rounds=0))
    h.have("0 <= n^2*(s(p) - 1/p - s(j))", "up", lambda e: e.auto("is one", rounds=0, squares=["n"]))
    h.have("n <= n^2*(s(p) - 1/p) - n^2*(s(j) - 1/j)", "sum", use="up far")
    h.auto("sum positive", rounds=0)


def far_linear(h: Goal) -> None:
    h.have("n + 1 <= 2*n*(s(p) - s(j)) + p - j", "sum", lambda e: e.auto("is low to some"))
    h.have("gamma*(n + 1) <= gamma*(2*n*(s(p) - s(j)) + p - j)", "scaled", lambda e: e.auto("sum positive", rounds=0))
    h.auto("scaled n_e", degree=1, multipliers=["gamma*p", "gamma*j", "gamma"])


# --- Exponentials, lookups at a temperature ---------------------------------------------------------------------------


def temperature(g: Goal, n: str = "n", tau: str = "tau", is_tau: str = "tau_is") -> Goal:
    """1/tau = n as `inverse`, from tau = 1/n; and the reciprocal of n as n_i, n_e."""
    g.positive(n, "n").have(f"0 < {tau}", "tau_pos", use=f"{is_tau} n_i").positive(tau, "u", lambda h: h.hyp("tau_pos"))
    return g.have(
        f"1/{tau} = {n}", "inverse", use=f"u_e n_e {is_tau}", rounds=0, multipliers=[n, f"1/{tau}", f"{n}/{tau}"]
    )


def lookup_best(g: Goal) -> None:
    g.intro("c least small").positive("1 - c", "r", lambda h: h.auto("small"))
    top = "1 + abs(least) + 1/(1 - c)"
    g.have("0 <= abs(least) & least <= abs(least)", "size order", lambda h: sizes(h))
    g.witness(top)
    first, second, third = g.split()
    first.auto("order r_i")
    second.auto("size r_i")
    x = f"exp(-({top}))"
    third.use("ax:exp_ge", top, label="grows").use("ax:exp_pos", f"-({top})", label="pos")
    third.have(f"1/(1 - c)*{x} < 1", "less", lambda h: h.auto("grows pos size", rounds=0))
    third.have(f"{x} < 1 - c", "tiny", lambda h: h.auto("less r_p r_e", rounds=0, multipliers=[x]))
    bottom = f"exp({top}) + 1"
    third.use("ax:exp_pos", top, label="e_pos").positive(bottom, "b", lambda h: h.auto("e_pos"))
    third.have(f"c*{x}*({bottom}) < 1", "key", lambda h: least_case(h, x))
    third.have(f"c*{x} < 1/({bottom})", "done", lambda h: h.auto("key b_i b_e", rounds=0, multipliers=[f"c*{x}", "c"]))
    scores = f"l. ({top})*(2*1*l - l^2)"
    error = f"sum(j, 1, 2, (I[j = 1] - sm({scores}, 2, j))*j)"
    third.have(f"{error} = -1/({bottom})", "value", use="b_e")
    third.rewrite("value").apart(f"abs(-1/({bottom}))", lambda h: h.auto("done b_i " + values(h), degree=1))


def sizes(h: Goal) -> None:
    for part in h.split():
        part.apart("abs(least)", lambda e: e.auto(degree=1))


def least_case(h: Goal, x: str) -> None:
    up, down = h.em("0 <= c", "sign")
    up.have(f"c*{x} <= {x}", "most", lambda e: e.auto("small pos", rounds=0)).auto("most tiny", degree=1)
    down.have(f"c*{x} <= 0", "most", lambda e: e.auto("sign pos", rounds=0)).auto("most sign", degree=1)


# --- Attention scores of Section 4 ------------------------------------------------------------------------------------


def scaled_scores(g: Goal, scores: str, plain: str, n: str, same: Tactic, value: str, hard: str) -> None:
    """The goal about `scores` from `done`, which is about `plain`."""
    g.use("lem:sm_ext", f"l. {scores}", f"l. {plain}", n, same, label="equal")

    def each(h: Goal) -> None:
        h.intro("j inside").use("equal", "j", label="here").rewrite("here").true()

    left, right = (f"j. ({hard} - sm(l. {s}, {n}, j))*{value}" for s in (scores, plain))
    g.use("lem:sum_ext", left, right, "1", n, each, label="scores").rewrite("scores")


PARITY = "6*(1/2*pow(-1, l) + l/(2*n))"


def thm12(g: Goal) -> None:
    g.intro("n i tau (low high tau_is)").have("0 < n", "n_pos")
    temperature(g)

    def sign(h: Goal) -> None:
        h.intro("k (kl kh)").use("lem:sign", "k", label="sign").hyp("sign")

    g.have("all k in 1..i. pow(-1, k) = 1 | pow(-1, k) = -1", "signs", sign)
    first, second, third = g.split()
    third.use("lem:exp_three", label="done").hyp("done")
    first.intro("e (el eh) (even rest) j (jl jh)")
    only, best = first.split()
    only.intro("max").use("max", "e", label="at").use("signs", "j", label="sign")
    plus, minus = only.cases("sign", "is")
    for h in int_apart(plus, "j", "e"):
        if h.facts["step"][0] == "=":
            h.hyp("step")
        elif h.facts["step"] == h.formula("j + 1 <= e"):
            h.have("0 < (e - j)*(1/n)", "far", lambda f: f.auto("step n_i", rounds=0))
            h.contra("no").auto("at is even far", degree=1)
        else:
            h.use("rest", "j", label="other").contra("no").auto("is other", degree=1)
    below_one(minus, "j", "e")
    minus.contra("no").auto("at is even near", degree=1)
    best.intro("at k (kl kh)").rewrite("at").use("signs", "k", label="sign")
    plus, minus = best.cases("sign", "is")
    low, high = plus.em("k <= e", "side")
    low.have("0 <= (e - k)*(1/n)", "far", lambda f: f.auto("side n_i", rounds=0)).auto("is even far", degree=1)
    high.use("ax:int_lt", "e", "k", label="next").use("rest", "k", label="other").contra("no").auto(
        "is other", degree=1
    )
    below_one(minus, "k", "e")
    minus.auto("is even near", degree=1)

    second.intro("v bits")
    separate = "l. 1/2*pow(-1, l)"

    def apart(h: Goal) -> None:
        h.intro("c within m between max").use("signs", "c", label="sign_c").use("signs", "m", label="sign_m")
        h.use("max", "c", None, label="most")
        for f in h.cases("sign_c", "is_c"):
            for u in f.cases("sign_m", "is_m"):
                if not u.try_contradiction():
                    u.easy("is_c is_m most")

    def small(h: Goal) -> None:
        h.intro("j inside").use("bits", "j", label="either")
        for e in h.cases("either", "is"):
            e.apart("abs(v(j))", lambda f: f.auto(degree=1))

    second.have("scoregap(l. 1/2*pow(-1, l), i, 1)", "separate", apart)
    second.have("1 <= i & i <= n & 0 < 3", "some fits three")
    second.have("all j in 1..i. abs(v(j)) <= 1", "sizes", small)
    second.use("lem:tie_right_value", separate, "i", "n", "3", "v", "1", conjuncts, label="done")

    def same(h: Goal) -> None:
        h.intro("l inside").auto("inverse", degree=1, rounds=0, multipliers=["pow(-1, l)", "l/n"])

    plain = "2*3*n*(1/2*pow(-1, l) + l/(2*n))"
    scaled_scores(second, f"{PARITY}/tau", plain, "i", same, "v(j)", f"rhardmax({separate}, i, j)")
    second.auto("done", degree=1)


def conjuncts(g: Goal) -> None:
    """A conjunction each part of which is a fact."""
    for part in g.split():
        part.easy()


def below_one(g: Goal, j: str, e: str) -> Goal:
    """(j - e)/n < 1 as `near`."""
    return g.have(f"({j} - {e})*(1/n) < 1", "near", lambda h: less_than_one(h, j, e))


def less_than_one(h: Goal, j: str, e: str) -> None:
    h.have(f"{j} - {e} < n", "order").auto("order n_i n_e", rounds=0)


TRUTH = "I[x(l) = 0 | y(l) = 1]"


def truth(h: Goal, j: str) -> list[Goal]:
    """Cases of x(j), y(j) with the value of the indicator as `v_j`, x as `x_j` and y as `y_j`."""
    h.use("bits", j, label=f"bx_{j} by_{j}")
    out = []
    for e in h.cases(f"bx_{j}", f"x_{j}"):
        for f in e.cases(f"by_{j}", f"y_{j}"):
            text = TRUTH.replace("l", j)

            def value(u: Goal, text: str = text) -> None:
                for w in u.sides(u.term(text)):
                    known = [k for k in w.facts if re.fullmatch(r"[fv]\d+(_\d)?", k)]
                    if not w.try_auto(degree=1):
                        w.blast() if not refute(w, known) else None

            x_one = f.facts[f"x_{j}"] == f.formula(f"x({j}) = 1")
            y_one = f.facts[f"y_{j}"] == f.formula(f"y({j}) = 1")
            want = "0" if x_one and not y_one else "1"
            f.have(f"{text} = {want}", f"v_{j}", value)
            out.append(f)
    return out


def refute(w: Goal, known: list[str]) -> bool:
    """From x = 0 | y = 1 or its negation beside the values: a contradiction."""
    label = known[0]
    f = w.facts[label]
    if f[0] == "|":
        w.contra(w.fresh("no"))
        for e in w.cases(label, w.fresh("part")):
            e.auto(degree=1)
        return True
    w.contra(w.fresh("no"))
    inner = f[2][0]
    done = w.fresh("yes")
    w.have(inner, done).absurd(done, label)
    return True


def truth_gap(g: Goal, n: str = "i") -> Goal:
    def proof(h: Goal) -> None:
        h.intro("c within m between max").use("max", "c", None, label="most")
        for e in truth(h, "c"):
            for f in truth(e, "m"):
                if not f.try_contradiction():
                    f.easy("v_c v_m most")

    return g.have(f"scoregap(l. {TRUTH}, {n}, 1)", "separate", proof)


def thm15(g: Goal) -> None:
    g.intro("n i tau x y (low high tau_pos small bits)").have("0 < n", "n_pos")
    g.positive("n", "n").positive("tau", "u", lambda h: h.hyp("tau_pos"))
    first, second = g.split()
    second.use("lem:exp_three", label="done").hyp("done")
    g = truth_gap(first)
    g.have("tau*n <= 1", "fraction", lambda h: h.auto("small n_p n_e", rounds=0))
    g.have("n <= 1/tau", "steep", lambda h: h.auto("fraction u_i u_e", rounds=0, multipliers=["n"]))
    g.have("1 <= 1/n*(1/tau)", "ratio", lambda h: h.auto("steep n_i n_e", rounds=0))
    value = "I[x(j) = 1 & y(j) = 1]"

    def sizes(h: Goal) -> None:
        h.intro("j inside")
        for e in h.sides(h.term(value)):
            e.apart(f"abs({value})", lambda f: f.auto(degree=1))

    g.have("0 < 3/(n*tau)", "g_pos", use="ratio").have(f"all j in 1..i. abs({value}) <= 1", "sizes", sizes)
    g.use("lem:tie_right_value", f"l. {TRUTH}", "i", "n", "3/(n*tau)", f"j. {value}", "1", conjuncts, label="done")

    def same(h: Goal) -> None:
        h.intro("l inside").auto("n_e", degree=1, rounds=0, multipliers=[f"{TRUTH}/tau", "l/tau/n", "l/tau"])

    plain = f"2*(3/(n*tau))*n*({TRUTH} + l/(2*n))"
    scaled_scores(g, f"6*({TRUTH} + l/(2*n))/tau", plain, "i", same, value, f"rhardmax(l. {TRUTH}, i, j)")
    g.use("lem:exp_mono", "-3/(n*tau)", "-3", lambda h: h.auto("ratio", degree=1), label="decay").auto(
        "done decay", degree=1
    )


def uhat(g: Goal) -> None:
    g.intro("i x y (some bits)")
    scores = f"l. {TRUTH}"
    g.use("lem:max_right", scores, "i", label="there").obtain("there", "p", "low high best rest")
    g.use("lem:rhardmax_at", scores, "i", "p", None, label="hard")
    value = "I[x(j) = 1 & y(j) = 1]"

    def same(h: Goal) -> None:
        h.intro("j inside").use("hard", "j", label="here").rewrite("here").true()

    g.use("lem:sum_ext", f"j. rhardmax({scores}, i, j)*{value}", f"j. I[j = p]*{value}", "1", "i", same, label="chosen")
    g.use("lem:sum_delta", f"j. {value}", "1", "i", "p", label="single").rewrite("chosen").rewrite("single")
    since = "ex j in 1..i. y(j) = 1 & (all k in j..i. x(k) = 1)"
    yes, no = g.ind("x(p) = 1 & y(p) = 1", "both value")
    one, zero = yes.ind(since, "since size")
    one.auto("value size", degree=1)

    def holds(h: Goal) -> None:
        h.witness("p")
        for part in h.split():
            if part.goal[0] == "all":
                part.intro("k (kl kh)").use("bits", "k", label="bx_k by_k")
                zero_k, one_k = part.cases("bx_k", "x_k")
                one_k.hyp("x_k")
                score_of(zero_k, "k", "x_k")

                def top(e: Goal) -> None:
                    e.intro("m (ml mh)")
                    for f in truth(e, "m"):
                        f.auto("score_k v_m", degree=1)

                zero_k.use("rest", "k", None, top, label="left").have("k = p", "is", use="left kl").rewrite(
                    "is", "x_k", "x_p"
                )
                zero_k.auto("x_p both_1", degree=1)
            else:
                part.easy()

    zero.have(since, "after_all", holds).absurd("after_all", "since")
    one, zero = no.ind(since, "since size")
    zero.auto("value size", degree=1)
    one.obtain("since", "q", "ql qh y_q all_x")
    score_of(one, "q", "y_q")

    def top(e: Goal) -> None:
        e.intro("m (ml mh)")
        for f in truth(e, "m"):
            f.auto("score_q v_m", degree=1)

    one.use("rest", "q", None, top, label="left").use("all_x", "p", label="x_at_p").use("best", "q", label="least")
    for e in truth(one, "p"):
        if e.facts["x_p"] == e.formula("x(p) = 1") and e.facts["y_p"] == e.formula("y(p) = 1"):
            e.have("x(p) = 1 & y(p) = 1", "after_all").contra("no").absurd("after_all", "both")
        else:
            e.contra("no").auto("x_p y_p x_at_p least score_q v_p", degree=1)


def score_of(h: Goal, k: str, why: str) -> Goal:
    """The indicator at k is 1 because of the fact `why`."""

    def proof(e: Goal) -> None:
        text = TRUTH.replace("l", k)
        yes, no = e.ind(text[2:-1], "truth_is truth_value")
        yes.hyp("truth_value")
        no.contra("other").have(text[2:-1], "really", lambda f: either_is(f, why)).absurd("really", "truth_is")

    return h.have(f"{TRUTH.replace('l', k)} = 1", f"score_{k}", proof)


def either_is(f: Goal, why: str) -> None:
    side = "left" if f.goal[2][0] == f.facts[why] else "right"
    f.pick(side).hyp(why)


def thm20_positive(g: Goal) -> None:
    g.intro("n i c tau found x out (low high count less tau_is) found_is x_is out_is")
    g.use("ax:int_lt", "c", "i", label="room").use("lem:exp_three", label="three")
    g.use("lem:lookup_scaled", "n", "i", "i", "c + 1", "1", "tau", None, label="error decay quarter")
    g.use("ax:exp_pos", "-3*n/i", label="pos")
    g.have(
        "abs(found - (c + 1)) <= exp(-3*n/i)", "error_found", lambda h: h.rewrite("found_is").auto("error", degree=1)
    )
    first, second, third, fourth = g.split()
    first.auto("error_found pos", degree=1)
    second.auto("decay", degree=1)
    third.hyp("three")
    fourth.have("abs(found - (c + 1)) <= 1/4", "near", use="error_found decay three pos")
    fourth.have(
        "found - (c + 1) <= 1/4 & c + 1 - found <= 1/4",
        "above below",
        lambda h: two_sided(h, "found - (c + 1)", "near"),
    )
    yes, no = fourth.ind("0 < c", "some value")
    yes.use("ax:int_lt", "0", "c", label="one")
    for h, facts in ((yes, "one"), (no, "some")):
        h.rewrite("value").apart(
            "relu(x - 1/4); relu(x - 3/4)",
            lambda e, facts=facts: e.auto("out_is x_is above below count " + facts + " " + values(e), degree=1),
        )


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


def thm20_theta(g: Goal) -> None:
    g.intro("n i c tau gamma theta (low most high tau_is gamma_is bits)").have("0 < n", "n_pos").have("1 <= i", "some")
    temperature(g).positive("i", "i", lambda h: h.auto("some"))
    g.have("gamma = 3*n/i", "gamma_n", use="gamma_is inverse", multipliers=["1/i"])
    g.have("1 <= n/i", "ratio", lambda h: h.auto("high i_i i_e", rounds=0))
    g.have("3 <= gamma", "steep", use="ratio gamma_n")

    def sizes(h: Goal) -> None:
        h.intro("j inside").use("bits", "j", label="either")
        for e in h.cases("either", "is"):
            e.apart("abs(theta(j))", lambda f: f.auto(degree=1))

    def same(h: Goal) -> None:
        h.intro("j (jl jh)").auto("inverse gamma_n", degree=1, rounds=0, multipliers=["c*j/i", "j^2/i", "c*j", "j^2"])

    first, second = g.split()
    first.have("0 < gamma", "gamma_pos", use="steep").have("all j in 1..i. abs(theta(j)) <= 1", "sizes", sizes)
    first.have("all j in 1..i. 3*(2*c*j - j^2)/i/tau = gamma*(2*c*j - j^2)", "same", same)
    first.use(
        "lem:lookup_value", "l. 3*(2*c*l - l^2)/i/tau", "i", "c", "gamma", "theta", "1", conjuncts, label="done"
    ).auto("done", degree=1)
    second.use("lem:exp_three", label="three").use("lem:exp_mono", "-gamma", "-3", label="mono").auto(
        "three mono", degree=1
    )


# --- Appendix C -------------------------------------------------------------------------------------------------------


SOFT_S, SOFT_R = "sm(l. s(l)/tau, n, j)", "sm(l. r(l)/tau, n, j)"


def lemma32_ratio(g: Goal) -> None:
    g.intro("n s r eps tau (some positive close)").positive("tau", "u", lambda h: h.hyp("positive"))
    g.use("close", "1", label="at_one").have(
        "0 <= eps", "eps_low", lambda h: h.apart("abs(s(1) - r(1))", lambda e: e.auto(degree=1))
    )
    g.have("0 <= eps/tau", "e_low", lambda h: h.auto("eps_low u_i", rounds=0))

    def scaled(h: Goal, a: str, b: str) -> None:
        h.intro("k inside").use("close", "k", label="near")
        h.have(f"{a}(k) - {b}(k) <= eps & {b}(k) - {a}(k) <= eps", "above below", lambda e: nearer(e))
        h.have(f"({a}(k) - {b}(k))*(1/tau) <= eps*(1/tau)", "up", lambda e: e.auto("above u_i", rounds=0))
        h.have(f"({b}(k) - {a}(k))*(1/tau) <= eps*(1/tau)", "down", lambda e: e.auto("below u_i", rounds=0))
        h.apart(f"abs({a}(k)/tau - {b}(k)/tau)", lambda e: e.auto("up down " + values(e), degree=1))

    def nearer(e: Goal) -> None:
        for part in e.split():
            part.apart("abs(s(k) - r(k))", lambda f: f.auto("near " + values(f), degree=1))

    for a, b, label in (("s", "r", "up"), ("r", "s", "down")):
        g.have(
            f"all k in 1..n. abs({a}(k)/tau - {b}(k)/tau) <= eps/tau",
            f"close_{label}",
            lambda h, a=a, b=b: scaled(h, a, b),
        )

        def ratio(h: Goal, a: str = a, b: str = b) -> None:
            h.intro("j inside").use(
                "lem:sm_close", f"l. {a}(l)/tau", f"l. {b}(l)/tau", "n", "eps/tau", "j", None, label="done"
            )
            h.auto("done", degree=1)

        soft_a, soft_b = (SOFT_S, SOFT_R) if a == "s" else (SOFT_R, SOFT_S)
        g.have(f"all j in 1..n. {soft_b} <= exp(2*eps/tau)*{soft_a}", f"ratio_{label}", ratio)

    def bounds(h: Goal) -> None:
        h.intro("small j (jl jh)").use("ratio_up", "j", label="most").use("ratio_down", "j", label="least")
        h.have("2*eps/tau <= 1", "unit", lambda e: e.auto("small u_i u_e", rounds=0))
        h.use("lem:sm_weight", "l. s(l)/tau", "n", "j", label="s_pos s_one").use(
            "lem:sm_weight", "l. r(l)/tau", "n", "j", label="r_pos r_one"
        )
        first, second = h.split()
        first.use("ax:exp_ge", "-2*eps/tau", label="linear").use("ax:exp_pos", "-2*eps/tau", label="decay")
        first.have(f"exp(-2*eps/tau)*{SOFT_S} <= {SOFT_R}", "below", lambda e: e.auto("least decay", rounds=0))
        first.have(
            f"(1 - 2*eps/tau)*{SOFT_S} <= exp(-2*eps/tau)*{SOFT_S}", "times", lambda e: e.auto("linear s_pos", rounds=0)
        )
        first.have(f"0 <= eps/tau*{SOFT_S}", "more", lambda e: e.auto("e_low s_pos", rounds=0)).auto(
            "below times more", degree=1
        )
        second.use("lem:exp_twice", "2*eps/tau", lambda e: e.easy("unit e_low"), label="linear")
        second.have(
            f"exp(2*eps/tau)*{SOFT_S} <= (1 + 4*eps/tau)*{SOFT_S}", "times", lambda e: e.auto("linear s_pos", rounds=0)
        )
        second.auto("most times", degree=1)

    pair = f"(1 - 4*eps/tau)*{SOFT_S} <= {SOFT_R} & {SOFT_R} <= (1 + 4*eps/tau)*{SOFT_S}"
    g.have(f"eps <= tau/2 -> all j in 1..n. {pair}", "bounds", bounds)

    def weights(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:sm_weight", "l. s(l)/tau", "n", "j", label="a b").use(
            "lem:sm_weight", "l. r(l)/tau", "n", "j", label="c d"
        )
        h.easy("a c")

    g.use("lem:sm_sum", "l. s(l)/tau", "n", label="one_s").use("lem:sm_sum", "l. r(l)/tau", "n", label="one_r")
    g.use("lem:weights_distance", f"j. {SOFT_S}", f"j. {SOFT_R}", "n", weights, "#one_s", "#one_r", label="two")

    first, second, third, fourth, fifth = g.split()
    first.hyp("ratio_up")
    second.hyp("bounds")
    third.intro("far").auto("far u_i u_e", rounds=0)
    fourth.hyp("two")
    near, far = fifth.em("eps <= tau/2", "side", "far")
    near.use("bounds", "#side", label="pairs")

    def each(h: Goal) -> None:
        h.intro("j inside").use("pairs", "j", label="low high")
        h.apart(f"abs({SOFT_S} - {SOFT_R})", lambda e: e.auto("low high " + values(e), degree=1))

    near.use(
        "lem:sum_mono", f"j. abs({SOFT_S} - {SOFT_R})", f"j. 4*eps/tau*{SOFT_S}", "1", "n", each, label="all_terms"
    )
    near.auto("all_terms one_s", degree=1, rounds=0, multipliers=["eps/tau"])
    far.have("2 < 4*eps/tau", "large", lambda h: h.auto("far u_i u_e", rounds=0)).auto("two large", degree=1)


def lemma32(g: Goal) -> None:
    g.intro("n s r gamma eps tau (some positive given close)")
    g.use("lem:yang2026.lemma32.hard", "n", "s", "gamma", "tau", None, label="hard")
    g.use("lem:yang2026.lemma32.ratio", "n", "s", "r", "eps", "tau", None, label="one two three four five")
    h = "hardmax(s, n, j)"

    def each(e: Goal) -> None:
        e.intro("j inside")
        e.apart(
            f"abs({h} - {SOFT_R}); abs({h} - {SOFT_S}); abs({SOFT_S} - {SOFT_R})", lambda f: f.auto(values(f), degree=1)
        )

    g.use(
        "lem:sum_mono",
        f"j. abs({h} - {SOFT_R})",
        f"j. abs({h} - {SOFT_S}) + abs({SOFT_S} - {SOFT_R})",
        "1",
        "n",
        each,
        label="triangle",
    )
    g.auto("triangle hard five", degree=1)


def tau_positive(h: Goal) -> None:
    """Where tau = 1/n or another denominator is a product."""
    if not h.try_auto():
        h.positive("n", "one_n")
        if not h.try_auto():
            h.have("0 < tau", "tau_pos").have("0 < i", "i_pos").have("0 < i*tau", "product")
            h.auto()


FOUND = "sum(j, 1, 2, sm(l. 3*(2*2*l - l^2)/2/(1/3), 2, j)*j)"
ONE_COUNT = "sum(j, 1, 2, sm(l. 3*2*(2*1*l - l^2)/2/(1/3), 2, j)*j)"
COMPARED = ("3", "2", "2", "1", "k. 1", "k. I[k = 1]", "2", "0", "1/3", f"k. I[k = 1]*{ONE_COUNT}", ONE_COUNT)
MET = (*COMPARED[:7], "1", *COMPARED[8:])
CLOSE = ("2", "j. 0", "j. 0", "1", "2")


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


def order_of_terms(g: Goal) -> None:
    g.intro("n some").positive("n", "n", lambda h: h.auto("some"))
    order, spread, first, second = g.split()
    order.intro("i (il ih) j (jl jh) less").have("0 < i", "pos").use(
        "lem:reciprocal_order", "i", "j", None, label="recip"
    )
    order.have("0 < (j - i)*(1/n)", "steps", lambda h: h.auto("less n_i", rounds=0))
    for part in order.split():
        part.auto("recip steps", degree=1)
    spread.intro("i (il ih) j (jl jh)").positive("i", "i", lambda h: h.auto("il")).positive(
        "j", "j", lambda h: h.auto("jl")
    )
    for k in "ij":
        spread.have(f"1/{k} <= 1", f"{k}_one", lambda h, k=k: h.auto(f"{k}l {k}_i {k}_e", rounds=0))
        spread.have(f"1/n <= 1/{k}", f"{k}_least", lambda h, k=k: at_least(h, k))
        spread.have(f"1/n <= {k}/n & {k}/n <= 1", f"{k}_low {k}_high", lambda h, k=k: fractions(h, k))
    one, two = spread.split()
    one.apart("abs(1/i - 1/j)", lambda h: h.auto("i_one j_one i_least j_least " + values(h), degree=1))
    two.apart("abs(i/n - j/n)", lambda h: h.auto("i_low j_low i_high j_high " + values(h), degree=1))
    for part in (first, second):
        part.have("1/n <= 1", "n_one", lambda h: h.auto("some n_i n_e", rounds=0))
    first.apart("abs(1/1 - 1/n)", lambda h: h.auto("n_one " + values(h), degree=1))
    second.apart("abs(n/n - 1/n)", lambda h: h.auto("n_one n_e " + values(h), degree=1))


def at_least(h: Goal, k: str) -> None:
    h.have(f"0 < 1/{k}*(1/n)", "both", lambda e: e.auto(f"{k}_i n_i", rounds=0))
    h.have(f"0 <= (n - {k})*(1/{k}*(1/n))", "gain", lambda e: e.auto(f"{k}h both", rounds=0))
    h.auto(f"gain {k}_e n_e", degree=1, rounds=0, multipliers=[f"1/{k}", "1/n"])


def fractions(h: Goal, k: str) -> None:
    low, high = h.split()
    low.auto(f"{k}l n_i", rounds=0)
    high.auto(f"{k}h n_i n_e", rounds=0)


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


def weak_gap(h: Goal) -> None:
    h.intro("k (kl kh)").use("given", "k", None, "p", None, "#best", label="either")
    top, below = h.cases("either", "is")

    def maximal(e: Goal) -> None:
        e.intro("m (ml mh)").use("best", "m", label="here").auto("here is")

    top.pick("left")
    maximal(top)
    below.pick("right").hyp("is")


def tiebreak(g: Goal) -> None:
    g.intro("n s gamma (some positive given) j (jl jh)").positive("n", "n", lambda h: h.auto("some"))
    terms = (("-(1/l)", True), ("1/l", False), ("l/n", True), ("-(l/n)", False))
    for part, (term, right) in zip(g.split(), terms, strict=True):
        how, near = linear_terms() if "n" in term else reciprocals("", 1)
        picks(term_facts(part, term, right, how, near), term, right, "gamma", strict_gap)


def table_tiebreak(g: Goal) -> None:
    g.intro("n s g (some positive given) j (jl jh)")
    for part, (term, right) in zip(g.split(), (("1/(l + 1)", False), ("-(1/(l + 1))", True)), strict=True):
        picks(term_facts(part, term, right, *reciprocals(" + 1", 1)), term, right, "g", weak_gap)


PRODUCT = "sum(a, 1, {rows}, sum(b, 1, {size}, {A}(a, b)*{y}(i, b))*sum(c, 1, {size}, {B}(a, c)*{y}(j, c)))"


def matrices(g: Goal) -> None:
    g.intro("d h n Q W z gamma t A B y u v (wide tall many positive)")
    g.intro("A_rows (A_last A_gamma A_term) B_rows (B_last B_gamma B_term) y_is")
    new = PRODUCT.format(rows="h + 1", size="d + 2", A="A", B="B", y="y")
    old = PRODUCT.format(rows="h", size="d", A="Q", B="W", y="z")

    def product(g: Goal) -> None:
        g.intro("i inside_i j inside_j").use("y_is", "i", label="yi_old yi_gamma yi_term").use(
            "y_is", "j", label="yj_old yj_gamma yj_term"
        )

        def row(h: Goal, matrix: str, at: str, value: str, label: str, rows: str) -> Goal:
            """sum of the first d entries of a row."""

            def each(e: Goal) -> None:
                e.intro("b (bl bh)").use(f"y{at}_old", "b", label="entry").use(rows, "b", label="weight")
                e.rewrite("entry").rewrite("weight").true()

            return h.use("lem:sum_ext", f"b. {matrix}*y({at}, b)", f"b. {value}", "1", "d", each, label=label)

        def inner(h: Goal) -> None:
            h.intro("a (al ah)").use("A_rows", "a", label="A_old A_one A_two").use(
                "B_rows", "a", label="B_old B_one B_two"
            )
            row(h, "A(a, b)", "i", "u*Q(a, b)*z(i, b)", "query", "A_old")
            row(h, "B(a, b)", "j", "W(a, b)*z(j, b)", "key", "B_old")
            last(h, "b. A(a, b)*y(i, b)", "1", "d + 1", "q_one")
            last(h, "b. A(a, b)*y(i, b)", "1", "d + 2", "q_two")
            last(h, "b. B(a, b)*y(j, b)", "1", "d + 1", "k_one")
            last(h, "b. B(a, b)*y(j, b)", "1", "d + 2", "k_two")
            h.have(
                "sum(b, 1, d + 2, A(a, b)*y(i, b)) = u*sum(b, 1, d, Q(a, b)*z(i, b))",
                "q",
                use="query q_one q_two A_one A_two",
            )
            h.have(
                "sum(c, 1, d + 2, B(a, c)*y(j, c)) = sum(c, 1, d, W(a, c)*z(j, c))",
                "k",
                use="key k_one k_two B_one B_two",
            )
            h.rewrite("q").rewrite("k").true()

        body = "sum(b, 1, d + 2, A({0}, b)*y(i, b))*sum(c, 1, d + 2, B({0}, c)*y(j, c))"
        wanted = "u*(sum(b, 1, d, Q(a, b)*z(i, b))*sum(c, 1, d, W(a, c)*z(j, c)))"
        g.use("lem:sum_ext", f"a. {body.format('a')}", f"a. {wanted}", "1", "h", inner, label="block")
        last(g, f"a. {body.format('a')}", "1", "h + 1", "split_last")

        def zero(e: Goal, fact: str) -> None:
            e.intro("b (bl bh)").use(fact, "b", label="weight").rewrite("weight").true()

        g.use("lem:sum_ext", "b. A(h + 1, b)*y(i, b)", "b. 0", "1", "d", lambda e: zero(e, "A_last"), label="query")
        g.use("lem:sum_ext", "b. B(h + 1, b)*y(j, b)", "b. 0", "1", "d", lambda e: zero(e, "B_last"), label="key")
        last(g, "b. A(h + 1, b)*y(i, b)", "1", "d + 1", "q_one")
        last(g, "b. A(h + 1, b)*y(i, b)", "1", "d + 2", "q_two")
        last(g, "b. B(h + 1, b)*y(j, b)", "1", "d + 1", "k_one")
        last(g, "b. B(h + 1, b)*y(j, b)", "1", "d + 2", "k_two")
        g.have(
            "sum(b, 1, d + 2, A(h + 1, b)*y(i, b)) = v*gamma",
            "q",
            lambda e: corner(e, "query q_one q_two A_gamma A_term yi_gamma"),
        )
        g.have(
            "sum(c, 1, d + 2, B(h + 1, c)*y(j, c)) = t(j)",
            "k",
            lambda e: corner(e, "key k_one k_two B_gamma B_term yj_term"),
        )
        g.have(f"{body.format('h + 1')} = v*gamma*t(j)", "corner", lambda e: e.rewrite("q").rewrite("k").true())
        g.auto("block split_last corner", degree=1, rounds=0)

    g.have(f"all i in 1..n. all j in 1..n. {new} = u*{old} + v*(gamma*t(j))", "product", product)
    first, second = g.split()
    first.intro("(u_is v_is) i inside_i j inside_j").use("product", "i", None, "j", None, label="here")
    first.rewrite("u_is", "here", "with_u").rewrite("v_is", "with_u", "done").auto("done", degree=1)
    second.intro("(u_is v_is) i inside_i j inside_j").use("product", "i", None, "j", None, label="here")
    for size, label in (("h", "old"), ("h + 1", "new")):
        second.use("ax:sqrt", size, label=f"{label}_low {label}_square")
        second.have(f"0 < sqrt({size})", f"{label}_pos", lambda e, label=label, size=size: root(e, label, size))
        second.use(
            "ax:inv",
            f"sqrt({size})",
            lambda e, label=label: e.intro("zero").auto(f"{label}_pos zero", degree=1),
            label=f"{label}_e",
        )
    second.rewrite("u_is", "here", "with_u").rewrite("v_is", "with_u", "done")
    second.auto("done new_e", degree=1, rounds=0, multipliers=["1/sqrt(h + 1)", "gamma*t(j)", f"{old}/sqrt(h)"])


def corner(e: Goal, facts: str) -> None:
    e.auto(
        facts,
        degree=1,
        rounds=0,
        multipliers=["1", "gamma", "t(i)", "t(j)", "v", "y(i, d + 1)", "y(i, d + 2)", "y(j, d + 1)", "y(j, d + 2)"],
    )


def root(e: Goal, label: str, size: str) -> None:
    """0 < sqrt(size) from its square, which is at least 1."""
    e.contra("no").have(f"sqrt({size}) = 0", "zero", use=f"no {label}_low")
    e.rewrite("zero", f"{label}_square", "wrong").auto("wrong tall", degree=1)


def at_ones(h: Goal) -> None:
    """A premise about positions 1..1."""
    h.intro_all()
    if h.goal[0] == "&":
        for part in h.split():
            at_ones(part)
        return
    for name, sort in list(h.scope.items()):
        if sort == "Int":
            h.have(f"{name} = 1", f"{name}_one").rewrite(f"{name}_one")
    h.true()


def matrices_wrong(g: Goal) -> None:
    """One query row 1, one key row 0, input 1, gamma = 1 and t(1) = -1: the new score is 0 instead of -1."""
    g.intro("claim").use(
        "claim",
        "1",
        "1",
        "1",
        "a b. 1",
        "a b. 0",
        "i b. 1",
        "1",
        "j. -1/j",
        "a b. I[a = 1 & b = 1] + I[a = 2 & b = 2]",
        "a b. I[a = 1 & b = 1] + I[a = 2 & b = 3]",
        "i b. I[b = 1] + I[b = 2] + I[b = 3]*(-1/i)",
        "!",
        at_ones,
        at_ones,
        at_ones,
        at_ones,
        at_ones,
        label="wrong",
    )
    g.obtain("wrong", "old", "some_new").obtain("some_new", "new", "reading each")
    g.use("each", "1", None, "1", label="equal").absurd("equal")


# --- Cookbook, Section 5.7 --------------------------------------------------------------------------------------------


def precision_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_contradiction() or h.try_auto(degree=1, rounds=0):
            return
        labels = list(h.facts)
        top = next(k for k in labels if h.facts[k][0] == "ex")
        h.obtain(top, "p", "low high best m_is")
        h.use("lem:rounded_softmax", "n", "s", "gamma", "tau", "rd", "p", conjuncts, label="weights")

        h.use(
            "lem:sum_ext", "k. rd(exp((s(k) - m)/tau))", "k. I[maximal(s, n, k)]", "1", "n", same_weight, label="count"
        )
        h.use("lem:hm_count", "s", "n", label="least").auto()

    g.leaves("n s gamma tau rd m", leaf)


def same_weight(e: Goal) -> None:
    e.intro("k inside").use("weights", "k", label="here").rewrite("m_is", rev=True).hyp("here")


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


def hard_attn(g: Goal) -> None:
    soft, limited = g.split()
    soft.intro("N n q s gamma tau v x out (some fits low high positive separate bits) tau_is x_is out_is")
    soft.use(
        "lem:cookbook.s5.7.error_quarter",
        "N",
        "n",
        "q",
        "s",
        "gamma",
        "tau",
        "v",
        "x",
        None,
        None,
        None,
        label="e1 e2 e3 e4",
    )
    soft.have("abs(x - v(q)) <= 1/4", "near", use="e2 e3 e4").use("bits", "q", label="bit_q")
    soft.have(
        "out = v(q)", "value", lambda h: h.use("lem:rounding", "x", "out", "v(q)", conjuncts, label="done").hyp("done")
    )

    def less(h: Goal) -> None:
        h.intro("j inside differ").use("separate", "j", None, "#differ", label="apart").auto("apart positive")

    soft.use("lem:hardmax_unique", "s", "n", "q", None, less, label="hard")

    def same(h: Goal) -> None:
        h.intro("j inside").use("hard", "j", label="here").rewrite("here").true()

    soft.use("lem:sum_ext", "j. hardmax(s, n, j)*v(j)", "j. I[j = q]*v(j)", "1", "n", same, label="hard_value")
    soft.use("lem:sum_delta", "v", "1", "n", "q", label="single")
    first, second = soft.split()
    first.auto("value hard_value single", degree=1)
    second.hyp("value")
    limited.intro("n s gamma tau rd m given").use(
        "lem:cookbook.s5.7.precision", "n", "s", "gamma", "tau", "rd", "m", "#given", label="done"
    ).hyp("done")


def matrices_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_contradiction() or h.try_auto(degree=1, rounds=0):
            return
        zero = [k for k, f in h.facts.items() if f[0] == "=" and h.text(f).endswith(" = 0") and "sqrt" in h.text(f)][-1]
        size = "h + 1" if "h + 1" in h.text(h.facts[zero]) else "h"
        h.use("ax:sqrt", size, label="root_low root_square").rewrite(zero, "root_square", "wrong").auto()

    g.leaves("d h n Q W z gamma t A B y u v", leaf)


def ones_leaf(h: Goal) -> None:
    """A condition about positions of which those that matter are 1."""
    h.intro_all()
    if h.goal[0] == "&":
        for part in h.split():
            ones_leaf(part)
        return
    for name, sort in list(h.scope.items()):
        trial = h._branch(h.formula(f"{name} = 1"))
        if sort == "Int" and trial.try_auto():
            h.have(f"{name} = 1", f"{name}_one").rewrite(f"{name}_one")
    h.easy()


def rounding_leaf(h: Goal) -> None:
    """Rounding down to 0 below 1."""
    text = h.text(h.goal)
    if h.goal[0] == "all" and ":Real" in text:
        h.intro("a b order").apart("I[1 <= a]; I[1 <= b]")
    elif "exp(" in text and "I[" in text:
        h.use("lem:exp_less", "-1", "0", label="less").apart("I[1 <= exp(-1/1)]")
    else:
        small_leaf(h)


def log_leaf(h: Goal) -> None:
    small_leaf(h) if h.goal[0] == "all" else h.blast()


def hard_attn_inhabited(g: Goal) -> None:
    first, second = g.split()
    first.inhabit(*QUARTER, "0", leaf=log_leaf)
    second.inhabit(*ROUNDING, "1", "1", leaf=rounding_leaf)


def hard_attn_defined(g: Goal) -> None:
    first, second = g.split()
    log_defined("N n q s gamma tau v x out")(first)
    precision_defined(second.intro("before"))


QUARTER = ("3", "2", "1", "j. -j", "1", "1/log(8*3)", "j. 0", "0")
ROUNDING = ("2", "j. 0", "1", "1", "x. I[1 <= x]", "0")
ROOTS = "(sqrt(1 + 1)/sqrt(1))", "sqrt(1 + 1)"


def enlarged(u: str, v: str) -> tuple[str, ...]:
    """Zero matrices and inputs, gamma = 1, with the printed extra entries."""
    corner = f"a b. {v}*I[a = 2]*I[b = 2]"
    return (
        "1",
        "1",
        "2",
        "a b. 0",
        "a b. 0",
        "i b. 0",
        "1",
        "j. 0",
        corner,
        "a b. I[a = 2]*I[b = 3]",
        "i b. I[b = 2]",
        u,
        v,
    )


# --- Table lookup: any constant ---------------------------------------------------------------------------------------

SIDE = "sum(k, 1, {0}, k*exp(-gamma*k^2))"
HALF = "sum(k, 0, {0}, exp(-gamma*k^2))"


def lookup_any(g: Goal) -> None:
    g.intro("gamma C")
    forward, back = g.split()
    forward.intro("sides n t (low high)")
    forward.use("sides", "t - 1", label="left").use("sides", "n - t", label="right").use("sides", "0", label="none")
    forward.use("ax:exp_pos", "-gamma", label="x_pos").have("0 <= C*exp(-gamma)", "c_low", use="none")
    forward.use("lem:lookup_mean", "gamma", "t", "n", label="mean").use(
        "lem:lookup_normal", "gamma", "t", "n", label="unit two"
    )
    forward.positive(Z, "z", lambda h: h.auto("unit")).use("lem:sum_delta", "j. j", "1", "n", "t", label="at_t")
    body = "k. exp(-gamma*(k - t)^2)"

    def each(h: Goal, text: str) -> None:
        h.intro("k (kl kh)").use("ax:exp_pos", text, label="pos").auto("pos")

    def side(h: Goal) -> None:
        h.intro("k (kl kh)").use("ax:exp_pos", "-gamma*k^2", label="pos").auto("pos kl")

    forward.use("lem:sum_split", body, "1", "t", "n", label="upto").use(
        "lem:sum_split", body, "1", "t - 1", "n", label="from"
    )
    forward.use("lem:sum_moved", body, "t - 1", "n - t + 1", label="right_moved")
    forward.use("lem:sum_moved", "k. exp(-gamma*k^2)", "-1", "n - t + 1", label="right_same")
    forward.use("lem:sum_mirror", body, "t", label="left_moved").use(
        "lem:sum_moved", "k. exp(-gamma*k^2)", "-1", "t", label="left_same"
    )
    forward.use("lem:sum_nonneg", body, "1", "t - 1", lambda h: each(h, "-gamma*(k - t)^2"), label="left_low")
    forward.use("lem:sum_nonneg", body, "t + 1", "n", lambda h: each(h, "-gamma*(k - t)^2"), label="right_low")
    forward.have(f"{HALF.format('n - t')} <= {Z}", "half_right", use="from right_moved right_same left_low")
    forward.have(f"{HALF.format('t - 1')} <= {Z}", "half_left", use="upto left_moved left_same right_low")
    for name in ("left", "right"):
        m = "t - 1" if name == "left" else "n - t"
        forward.have(
            f"C*exp(-gamma)*{HALF.format(m)} <= C*exp(-gamma)*{Z}",
            f"{name}_wide",
            lambda h, name=name: h.auto(f"half_{name} c_low", rounds=0),
        )
        forward.use("lem:sum_nonneg", "k. k*exp(-gamma*k^2)", "1", m, side, label=f"{name}_side")
    forward.have(f"{MEAN} <= C*exp(-gamma)*{Z}", "above", use="mean left left_wide right_side")
    forward.have(f"-C*exp(-gamma)*{Z} <= {MEAN}", "below", use="mean right right_wide left_side")
    forward.have(
        f"sum(j, 1, n, (I[j = t] - {ALPHA.format('j')})*j) = {MEAN}*(1/{Z})",
        "error",
        lambda h: h.auto("at_t z_e", degree=1, multipliers=["t", "1"]),
    )
    forward.rewrite("error")
    forward.have(
        f"{MEAN}*(1/{Z}) <= C*exp(-gamma)",
        "upper",
        lambda h: h.auto("above z_i z_e", rounds=0, multipliers=["C*exp(-gamma)"]),
    )
    forward.have(
        f"-C*exp(-gamma) <= {MEAN}*(1/{Z})",
        "lower",
        lambda h: h.auto("below z_i z_e", rounds=0, multipliers=["C*exp(-gamma)"]),
    )
    forward.apart(f"abs({MEAN}*(1/{Z}))", lambda h: h.auto("upper lower " + values(h), degree=1))
    back.intro("errors m some").use("errors", "m + 1", "1", None, label="error").use(
        "lem:lookup_ends", "gamma", "m", label="value"
    )
    back.have(f"{SIDE.format('m')}/{HALF.format('m')} <= C*exp(-gamma)", "ratio", use="error value")
    half = HALF.format("m")
    back.use("lem:sum_positive", "k. exp(-gamma*k^2)", "0", "m", None, lambda h: each(h, "-gamma*k^2"), label="pos")
    back.positive(half, "z", lambda h: h.hyp("pos"))
    back.auto("ratio z_p z_e", rounds=0, multipliers=[SIDE.format("m")])


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


def tie_left_sharp(g: Goal) -> None:
    g.intro("n s gamma v V (some separate bound positive)")
    g.use("lem:max_left", "s", "n", label="there").obtain("there", "p", "low high best rest")
    g.use("lem:lhardmax_at", "s", "n", "p", None, label="hard").positive("n", "n", lambda h: h.auto("some"))
    scores = "2*gamma*n*(s(l) - l/(2*n))"
    other, top = (re.sub(r"\bl\b", k, scores) for k in "kp")

    def right(h: Goal) -> None:
        h.intro("k (kl kh)").use("lem:tie_left", "s", "n", "n", "p", "gamma", "k", None, label="margin")
        h.have("abs(k - p) = k - p", "size", lambda e: e.apart("abs(k - p)")).rewrite("size", "margin", "done")
        h.auto("done", degree=1)

    def left(h: Goal) -> None:
        h.intro("k (kl kh)").use("separate", "k", "p", None, "#best", label="either")
        tie, less = h.cases("either", "is")

        def maximal(e: Goal) -> None:
            e.intro("i (il ih)").use("best", "i", label="here").auto("here is")

        tie.use("rest", "k", None, maximal, label="order").contra("no").auto("order kh", degree=1)
        less.have("n*(s(k) + 1) <= n*s(p)", "up", lambda e: e.auto("is some", rounds=0))
        less.have("n - (p - k) <= 2*n*s(p) - p - 2*n*s(k) + k", "sum", use="up some")
        less.have(
            "0 <= gamma*(2*n*s(p) - p - 2*n*s(k) + k - (n - (p - k)))",
            "scaled",
            lambda e: e.auto("sum positive", rounds=0),
        )
        less.auto("scaled n_e", degree=1, multipliers=["gamma*k", "gamma*p", "1"])

    g.have(f"all k in 1..p - 1. {other} <= {top} - gamma*(n - (p - k))", "left", left)
    g.have(f"all k in p..n. {other} <= {top} - gamma*(k - p)", "right", right)
    g.use("lem:tie_series_weight_left", f"l. {scores}", "n", "p", "gamma", conjuncts, label="weight")
    g.use("lem:product_abs", f"j. I[j = p] - sm(l. {scores}, n, j)", "v", "n", "V", "#bound", label="product")

    def weight(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:sm_weight", f"l. {scores}", "n", "j", label="pos most").auto("pos")

    g.use("lem:sm_sum", f"l. {scores}", "n", label="one")
    g.use("lem:one_hot_distance", f"j. sm(l. {scores}, n, j)", "n", "p", None, weight, "#one", label="distance")
    g.use("bound", "p", label="at_p").have("0 <= V", "size", lambda h: h.apart("abs(v(p))", lambda e: e.auto(degree=1)))
    error = f"abs(sum(j, 1, n, (I[j = p] - sm(l. {scores}, n, j))*v(j)))"
    g.have(
        f"{error} <= 2*exp(-gamma)*V",
        "done",
        lambda h: h.auto("product distance size weight", rounds=0, degree=2, multipliers=["V"]),
    )
    into(g, "lhardmax(s, n, j)", f"sm(l. {scores}, n, j)", "v(j)")


SCRIPTS: dict[str, Script] = {
    "yang2026.lemma6.l1": Script(
        lemma6_chain, inhabit(*ZIGGURAT, "1", "exp(-1)"), totals_positive("n s p gamma a b", extra=lemma6_positive)
    ),
    "yang2026.lemma7.onesided.corrected": Script(onesided, inhabit("3", "2", "1"), totals_positive("n t gamma")),
    "yang2026.lemma8.zig": Script(
        lemma8_margins,
        inhabit(*MARGINS, *MARGINS, "1", *MARGINS, "1", *MARGINS, "1"),
        totals_positive("n s delta gamma p"),
    ),
    "lem.hard_soft_ties_attained": Script(hard_soft_attained),
    "lem.lookup_best": Script(lookup_best),
    "yang2026.thm12.scores": Script(
        thm12,
        inhabit("3", "2", "1/3", "3", "2", "1/3", "2", "2", "3", "2", "1/3", "j. 0"),
        totals_positive("n i tau", extra=tau_positive),
    ),
    "yang2026.thm15.scores": Script(
        thm15, inhabit("3", "2", "1/3", "j. 0", "j. 0"), totals_positive("n i tau x y", extra=tau_positive)
    ),
    "yang2026.thm15.uhat": Script(uhat, inhabit("2", "j. 1", "j. 1")),
    "yang2026.thm20.positive": Script(
        thm20_positive,
        inhabit("3", "2", "1", "1/3", FOUND, f"{FOUND} - 1", f"2*relu({FOUND} - 5/4) - 2*relu({FOUND} - 7/4)"),
        totals_positive("n i c tau found x out", extra=tau_positive),
    ),
    "yang2026.thm20.compare": Script(
        thm20_compare,
        lambda g: g.inhabit(*COMPARED, others=[(*COMPARED, "1"), MET], leaf=compared_leaf),
        totals_positive("n i m lefts lambda count Lambda C tau found H", extra=tau_positive),
    ),
    "yang2026.thm20.theta": Script(
        thm20_theta,
        inhabit("4", "3", "2", "1/4", "3/(3*(1/4))", "j. 0"),
        totals_positive("n i c tau gamma theta", extra=tau_positive),
    ),
    "yang2026.lemma32.ratio": Script(
        lemma32_ratio,
        inhabit(*CLOSE, *CLOSE, "1", *CLOSE, "1", "2", "j. 0", "j. 0", "2", "2"),
        totals_positive("n s r eps tau"),
    ),
    "yang2026.lemma32": Script(
        lemma32, inhabit("2", "j. 0", "j. 0", "1", "1", "1"), totals_positive("n s r gamma eps tau")
    ),
    "cookbook.s5.6.tiebreak_terms": Script(order_of_terms, inhabit("2", "2", "1", "2", "2", "1", "1")),
    "cookbook.s5.6.tiebreak_correct": Script(tiebreak, inhabit("2", "j. 0", "1", "1"), totals_positive("n s gamma")),
    "cookbook.s5.6.tiebreak_matrices.corrected": Script(
        matrices,
        lambda g: g.inhabit(
            *enlarged("1", "1"), *enlarged("1", "1"), "1", "1", *enlarged(*ROOTS), "1", "1", leaf=ones_leaf
        ),
        matrices_defined,
    ),
    "cookbook.t2.tiebreak.corrected": Script(table_tiebreak, inhabit("2", "j. 0", "1", "1"), totals_positive("n s g")),
    "cookbook.s5.6.tiebreak_matrices": Script(matrices_wrong, refutes=True),
    "cookbook.s5.7.error_quarter": Script(
        error_quarter, lambda g: g.inhabit(*QUARTER, leaf=log_leaf), log_defined("N n q s gamma tau v found")
    ),
    "cookbook.t2.hard_attn": Script(hard_attn, hard_attn_inhabited, hard_attn_defined),
    "lem.lookup_any": Script(lookup_any),
    "lem.lookup_three_halves": Script(from_least("3/2")),
    "lem.lookup_one": Script(from_least("1")),
    "lem.tie_left_sharp": Script(tie_left_sharp),
}
