"""Soft against hard attention (yang2026, Section 3; Cookbook, Sections 5.6 and 5.7) and what follows for lookups."""

from __future__ import annotations

import re

from library import TOTAL, last, total
from script import Script, counterexample, witnesses

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


def max_right(g: Goal) -> None:
    g.intro("s")
    base, step = g.induct("n", "ge", "ih")
    base.witness("1")
    for part in base.split():
        if not part.try_auto():
            part.intro("k (kl kh)")
            if part.goal[0] == "->":
                part.intro("any").auto("kh")
            else:
                part.have("k = 1", "is", use="kl kh").rewrite("is").true()
    step.obtain("ih", "p", "low high best rest")
    newer, older = step.em("s(p) <= s(n + 1)", "side")
    newer.witness("n + 1")
    first, second, third, fourth = newer.split()
    first.auto()
    second.true()
    below(third, "n", lambda h: h.use("best", "k", label="here").auto("here side"))
    fourth.intro("k (kl kh) any").hyp("kh")
    older.witness("p")
    first, second, third, fourth = older.split()
    first.hyp("low")
    second.auto()
    below(third, "n", lambda h: h.use("best", "k", label="here").hyp("here"), lambda h: h.auto("side"))

    def at_most(h: Goal) -> None:
        h.intro("max").use(
            "rest", "k", None, lambda e: e.intro("m (ml mh)").use("max", "m", label="here").hyp("here"), label="got"
        )
        h.hyp("got")

    below(fourth, "n", at_most, lambda h: h.intro("max").use("max", "p", label="wrong").contra("no").auto("wrong side"))


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


COUNT = "sum(m, 1, n, I[maximal(s, n, m)])"


def hm_total(g: Goal) -> Goal:
    """0 < count, count*(1/count) = 1 and 0 < 1/count as m_p, m_e and m_i."""
    return g.positive(COUNT, "m", lambda h: h.use("lem:hm_count", "s", "n", label="count").auto("count"))


# --- Distances --------------------------------------------------------------------------------------------------------


# --- Ziggurat scores --------------------------------------------------------------------------------------------------


# --- Table lookup -----------------------------------------------------------------------------------------------------


ALPHA = "sm(l. gamma*(2*t*l - l^2), n, {0})"
Z = "sum(k, 1, n, exp(-gamma*(k - t)^2))"


MEAN = "sum(j, 1, n, (t - j)*exp(-gamma*(j - t)^2))"


def lookup_sides(g: Goal) -> Goal:
    """Z as z, and the two one-sided sums: `mean`, `left_low left_high right_low right_high`."""
    g.use("lem:lookup_normal", "gamma", "t", "n", label="unit double")
    g.positive(Z, "z", lambda h: h.auto("unit"))
    g.use("lem:lookup_mean", "gamma", "t", "n", label="mean")
    g.use("lem:lookup_series", "gamma", "t - 1", label="left_low left_high")
    return g.use("lem:lookup_series", "gamma", "n - t", label="right_low right_high")


def lookup_error(g: Goal) -> None:
    g.intro("gamma t n (large low high)")
    lookup_sides(g).use("ax:exp_pos", "-gamma", label="x_pos")

    def near(h: Goal) -> None:
        one, many = h.em("n <= 1", "side")
        one.have("n = 1", "is_n", use="side low high").have("t = 1", "is_t", use="side low high")
        one.rewrite("is_n", "mean", "mean_n").rewrite("is_t", "mean_n", "mean_t").rewrite("is_n").rewrite("is_t")
        for part in one.split():
            part.auto("x_pos")
        many.use("ax:int_lt", "1", "n", label="two").use("double", label="wide")
        many.have("exp(-gamma) + exp(-2*gamma) <= exp(-gamma)*" + Z, "most", lambda e: e.auto("wide x_pos", rounds=0))
        for part in many.split():
            part.auto("most mean left_low left_high right_low right_high", degree=1)

    g.have(f"{MEAN} <= exp(-gamma)*{Z} & -exp(-gamma)*{Z} <= {MEAN}", "above below", near)
    g.use("lem:sum_delta", "j. j", "1", "n", "t", label="at_t")
    g.have(
        f"sum(j, 1, n, (I[j = t] - {ALPHA.format('j')})*j) = {MEAN}*(1/{Z})",
        "error",
        lambda h: h.auto("at_t z_e", degree=1, multipliers=["t", "1"]),
    )
    g.rewrite("error").have(f"{MEAN}*(1/{Z}) <= exp(-gamma)", "upper", lambda h: h.auto("above z_i z_e"))
    g.have(f"-exp(-gamma) <= {MEAN}*(1/{Z})", "lower", lambda h: h.auto("below z_i z_e"))
    g.apart(f"abs({MEAN}*(1/{Z}))", lambda h: h.auto("upper lower " + h.fresh("v")[:-1] + "1", degree=1))


# --- Tie-breaking -----------------------------------------------------------------------------------------------------


def worse(g: Goal) -> tuple[Goal, Goal]:
    """s(j) = s(p) with j on the right side of p (`order`), or s(j) <= s(p) - 1 (`apart`)."""
    g.use("separate", "j", "p", None, "#best", label="either")
    tie, less = g.cases("either", "tie", "apart")

    def maximal(h: Goal) -> None:
        h.intro("k (kl kh)").use("best", "k", label="here").auto("here tie")

    tie.use("rest", "j", None, maximal, label="order")
    return tie, less


def tie_quadratic(g: Goal) -> None:
    g.intro("s n p g j (positive separate low high best rest from to)")
    g.positive("p", "p", lambda h: h.auto("low")).positive("j", "j", lambda h: h.auto("from"))
    tie, less = worse(g)
    tie.have("j*p <= n^2", "area", lambda h: h.auto("low high from to order"))
    tie.have("0 <= p - j", "side").have("abs(j - p) = p - j", "size", lambda h: h.apart("abs(j - p)"))
    tie.have("p - j <= n^2*(p - j)*(1/p)*(1/j)", "wide", lambda h: wide(h).auto(degree=1))
    tie.have("n^2*(1/j - 1/p) = n^2*(p - j)*(1/p)*(1/j)", "same", use="p_e j_e", multipliers=["n^2/j", "n^2/p"])
    tie.have(
        "g*(p - j) <= g*(n^2*(1/j - 1/p))",
        "scaled",
        lambda h: h.auto("positive wide same", rounds=0, multipliers=["g"]),
    )
    tie.auto("scaled size tie", rounds=0, multipliers=["1", "g", "g*n^2"])
    less.have("0 < n", "some").have("1/p <= 1", "one", lambda h: h.auto("low p_i p_e"))
    less.have("1 <= n*(1/j)", "inverse", lambda h: h.auto("to j_i j_e"))
    less.have("abs(j - p) <= n", "size", lambda h: h.apart("abs(j - p)"))
    less.have("n <= n^2*(1/j)", "far", lambda h: h.auto("inverse some", rounds=0))
    less.have("n^2*(s(j) - 1/j) <= n^2*(s(p) - 1/p) - n", "margin", margin)
    less.auto("margin size positive", rounds=0)


def wide(h: Goal) -> Goal:
    """0 <= (n^2 - j p) (p - j)/(p j) with the reciprocals cancelled."""
    h.have("0 <= (n^2 - j*p)*(p - j)", "both", lambda e: e.auto("area side", rounds=0))
    h.have("0 < 1/p*(1/j)", "recip", lambda e: e.auto("p_i j_i", rounds=0))
    h.have("0 <= (n^2 - j*p)*(p - j)*(1/p*(1/j))", "all_three", lambda e: e.auto("both recip", rounds=0))
    h.have("j*p*(p - j)*(1/p)*(1/j) = p - j", "cancel", use="p_e j_e", multipliers=["p - j", "(p - j)*p*(1/p)"])
    return h


def margin(h: Goal) -> None:
    h.have("0 <= n^2*(s(p) - 1/p - s(j))", "up", lambda e: e.auto("apart one", rounds=0, degree=2, squares=["n"]))
    h.auto("up far", degree=1, rounds=0)


def break_ties(left: bool, which: str, scores: str, *more: str, g: str = "g") -> Tactic:
    """The bound 4 e^-g V for scores that `which` makes a ziggurat with its top at the chosen maximum."""

    def run(goal: Goal) -> None:
        side, name = ("max_left", "lhardmax") if left else ("max_right", "rhardmax")
        goal.use(f"lem:{side}", "s", "n", label="there").obtain("there", "p", "low high best rest")
        goal.use(f"lem:{name}_at", "s", "n", "p", None, label="hard")
        goal.use(
            "lem:ziggurat_value", f"l. {scores}", "n", "p", g, "v", "V", None, which_margin, "#bound", label="done"
        )
        into(goal, f"{name}(s, n, j)", f"sm(l. {scores}, n, j)", "v(j)")

    def which_margin(h: Goal) -> None:
        h.intro("j (jl jh)").use(f"lem:{which}", "s", "n", *more, "p", g, "j", None, label="margin").auto("margin")

    return run


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


def hard_soft_exact(g: Goal) -> None:
    g.intro("s n p (low high best)").have("1 <= n", "some")
    hm_total(g).use("lem:hm_sum", "s", "n", label="one_hard").use("lem:sm_sum", "s", "n", label="one_soft")
    total(g)
    top = "sm(s, n, p)"
    g.use("lem:sm_weight", "s", "n", "p", label="p_pos p_one")

    def below_top(h: Goal) -> None:
        """exp(s(k)) is at least I[maximal(k)]*exp(s(p))."""
        h.intro("k (kl kh)").use("ax:exp_pos", "s(k)", label="pos")
        yes, no = h.ind("maximal(s, n, k)", "max value")
        no.auto("value pos", rounds=0, multipliers=["exp(s(p))"])
        yes.use("max", "p", label="least").use("lem:exp_mono", "s(p)", "s(k)", label="mono")
        yes.auto("value mono", rounds=0, multipliers=["exp(s(p))"])

    g.use("lem:sum_mono", "k. I[maximal(s, n, k)]*exp(s(p))", "k. exp(s(k))", "1", "n", below_top, label="all_maxima")
    g.have(f"{COUNT}*{top} <= 1", "weight", lambda h: h.auto("all_maxima z_i z_e", rounds=0))
    g.have(f"{top} <= 1/{COUNT}", "share", lambda h: h.auto("weight m_i m_e", rounds=0, multipliers=[top]))

    def size(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:sm_weight", "s", "n", "j", label="pos most")
        yes, no = h.ind("maximal(s, n, j)", "max value")
        yes.use("max", "p", label="least").use("best", "j", label="greatest")
        yes.have("s(j) = s(p)", "same", use="least greatest").rewrite("value").rewrite("same")
        yes.apart(f"abs(1/{COUNT} - {top})", lambda e: e.auto("share " + values(e), degree=1))
        no.rewrite("value").apart("abs(0 - sm(s, n, j))", lambda e: e.auto("pos " + values(e), degree=1))

    terms = f"j. sm(s, n, j) + I[maximal(s, n, j)]*(1/{COUNT} - 2*{top})"
    g.use("lem:sum_ext", "j. abs(hardmax(s, n, j) - sm(s, n, j))", terms, "1", "n", size, label="terms")
    g.auto("terms one_soft m_e", degree=1, rounds=0)


def counted(g: Goal) -> Goal:
    """1 <= m <= n for the number m of maxima."""
    g.use("lem:hm_count", "s", "n", label="least").use("lem:sum_one", "1", "n", label="ones")

    def each(h: Goal) -> None:
        h.intro("k inside").apart("I[maximal(s, n, k)]")

    g.use("lem:sum_mono", "k. I[maximal(s, n, k)]", "k. 1", "1", "n", each, label="most")
    return g.have("1 <= m", "m_low", use="least count").have("m <= n", "m_high", use="most ones count")


def hard_soft_ties(g: Goal) -> None:
    g.intro("s n g m (some given count)")
    counted(g).use("lem:max_right", "s", "n", label="there").obtain("there", "p", "low high best rest")
    g.use("lem:hard_soft_exact", "s", "n", "p", label="exact").use(
        "lem:hard_soft_top", "s", "n", "p", "g", "m", None, label="top"
    )
    g.use("ax:exp_pos", "-g", label="x_pos")
    g.have("0 <= (n - m)*exp(-g)", "rest_low", lambda h: h.auto("x_pos m_high", rounds=0))
    g.positive("m + (n - m)*exp(-g)", "w", lambda h: h.auto("rest_low m_low"))
    g.have(
        "1/(m + (n - m)*exp(-g)) <= sm(s, n, p)",
        "share",
        lambda h: h.auto("top w_i w_e", rounds=0, multipliers=["sm(s, n, p)"]),
    )
    g.have("m*(1/(m + (n - m)*exp(-g))) <= m*sm(s, n, p)", "shares", lambda h: h.auto("share m_low", rounds=0))
    g.auto("exact shares count w_e", degree=1, rounds=0, multipliers=["1", "sm(s, n, p)"])


def hard_soft_unique(g: Goal) -> None:
    g.intro("s n g (some given)").use("lem:hard_soft_ties", "s", "n", "g", COUNT, None, label="ties")
    g.use("lem:hm_count", "s", "n", label="least").use("ax:exp_pos", "-g", label="x_pos")
    g.use("lem:sum_one", "1", "n", label="ones")

    def each(h: Goal) -> None:
        h.intro("k inside").apart("I[maximal(s, n, k)]")

    g.use("lem:sum_mono", "k. I[maximal(s, n, k)]", "k. 1", "1", "n", each, label="most")
    g.have(f"{COUNT} <= n", "m_high", use="most ones")
    g.have(f"0 <= (n - {COUNT})*exp(-g)", "rest_low", lambda h: h.auto("x_pos m_high", rounds=0))
    g.have("0 <= (n - 1)*exp(-g)", "all_low", lambda h: h.auto("x_pos some", rounds=0))
    many, one = f"{COUNT} + (n - {COUNT})*exp(-g)", "1 + (n - 1)*exp(-g)"
    g.positive(many, "w", lambda h: h.auto("rest_low least")).positive(one, "y", lambda h: h.auto("all_low"))
    # (n - m)/(m + (n - m) x) <= (n - 1)/(1 + (n - 1) x), because n <= n m
    g.have(f"0 <= n*({COUNT} - 1)*exp(-g)", "gain", lambda h: h.auto("some least x_pos", rounds=0, degree=3))
    g.have(f"0 < 1/({many})*(1/({one}))", "recip", lambda h: h.auto("w_i y_i", rounds=0))
    g.have(
        f"0 <= n*({COUNT} - 1)*exp(-g)*(1/({many})*(1/({one})))", "product", lambda h: h.auto("gain recip", rounds=0)
    )
    x = "exp(-g)"
    multipliers = [
        "1",
        f"{x}/({one})",
        f"{x}/({many})",
        f"{x}*{COUNT}/({many})",
        f"n*{x}/({one})",
        f"n*{x}/({many})",
        f"{COUNT}*{x}/({one})",
    ]
    g.auto("ties product w_e y_e", degree=1, rounds=0, multipliers=multipliers)


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
GAPPED = ("2", "j. 0", "1", "1", "j. 1", "1")


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


def def2(g: Goal) -> None:
    g.intro("n s some")
    first, second, third, fourth = g.split()
    for h, side, name in ((first, "max_left", "lhardmax"), (second, "max_right", "rhardmax")):
        h.use(f"lem:{side}", "s", "n", label="there").obtain("there", "p", "low high best rest")
        h.use(f"lem:{name}_at", "s", "n", "p", None, label="at").witness("p")
        for part, label in zip(h.split(), ("low", "high", "best", "rest", "at"), strict=True):
            part.hyp(label)
    third.intro("j inside")
    for part in third.split():
        part.intro("is")
        yes, no = part.ind("maximal(s, n, j)", "max value")
        for e in (yes, no):
            if e.facts["max"] == e.facts["is"]:
                e.rewrite("value").true()
            else:
                e.absurd(*(("is", "max") if e.facts["max"][0] == "~" else ("max", "is")))
    fourth.use("lem:hm_sum", "s", "n", label="one").hyp("one")


def def3(g: Goal) -> None:
    g.intro("n s tau (some positive)")
    first, second, third = g.split()
    first.intro("j (jl jh)").use("lem:sm_weight", "l. s(l)/tau", "n", "j", label="pos most").hyp("pos")
    second.use("lem:sm_sum", "l. s(l)/tau", "n", label="one").hyp("one")
    third.intro("is j inside").rewrite("is").true()


def def5(g: Goal) -> None:
    g.intro("n s (some unique)").obtain("unique", "p", "low high only").intro("j (jl jh)")
    g.use("only", "p", label="is_max max_is")
    g.have("maximal(s, n, p)", "best", lambda h: h.use("max_is", "!", label="got").hyp("got"))

    def one(h: Goal, order: str) -> None:
        h.intro("k (kl kh) any").use("only", "k", label="to back").use("to", "#any", label="same").auto("same")

    for name, order in (("lhardmax", "p <= k"), ("rhardmax", "k <= p")):
        g.have(f"all k in 1..n. maximal(s, n, k) -> {order}", f"rest_{name}", lambda h, order=order: one(h, order))
        g.use(f"lem:{name}_at", "s", "n", "p", None, label=f"at_{name}").use(f"at_{name}", "j", label=name)

    def less(h: Goal) -> None:
        h.intro("k (kl kh) differ").contra("no")

        def maximal(e: Goal) -> None:
            e.intro("m (ml mh)").use("best", "m", label="here").auto("here no")

        h.use("only", "k", label="to back").use("to", maximal, label="same").absurd("same", "differ")

    g.use("lem:hardmax_unique", "s", "n", "p", None, less, label="at_hard").use("at_hard", "j", label="hard")
    first, second = g.split()
    first.auto("lhardmax rhardmax", degree=1)
    second.auto("rhardmax hard", degree=1)


# --- Lemmas 6 to 9 ----------------------------------------------------------------------------------------------------

DIFFERENCE = "j. hardmax(s, n, j) - sm(s, n, j)"


def lemma6(g: Goal) -> None:
    g.intro("n s p gamma v V (low high below bound)")
    usual, rare = g.em("0 < gamma", "sign")
    usual.use("lem:hardmax_ziggurat", "s", "n", "p", "gamma", None, "#below", label="hard")
    usual.use("lem:ziggurat_value", "s", "n", "p", "gamma", "v", "V", None, "#below", "#bound", label="done")
    into(usual, "hardmax(s, n, j)", "sm(s, n, j)", "v(j)")
    rare.have("1 <= n", "some").use("lem:product_abs", DIFFERENCE, "v", "n", "V", "#bound", label="product")
    far_apart(rare)
    rare.use("bound", "p", label="at_p").have(
        "0 <= V", "size", lambda h: h.apart("abs(v(p))", lambda e: e.auto(degree=1))
    )
    rare.use("ax:exp_ge", "-gamma", label="large").have("1 <= exp(-gamma)", "one", use="large sign")
    rare.auto("product distance size one", rounds=0)


def far_apart(g: Goal, s: str = "s", soft: str = "sm(s, n, {0})", scores: str = "s") -> Goal:
    """The distance of hardmax and softmax is at most 2."""

    def weights(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:hm_weight", s, "n", "j", label="a").use(
            "lem:sm_weight", scores, "n", "j", label="b c"
        )
        h.easy("a b")

    g.use("lem:hm_sum", s, "n", label="one_hard").use("lem:sm_sum", scores, "n", label="one_soft")
    hard = f"j. hardmax({s}, n, j)"
    return g.use(
        "lem:weights_distance", hard, f"j. {soft.format('j')}", "n", weights, "#one_hard", "#one_soft", label="distance"
    )


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


def lookup_hard(g: Goal, scores: str = SCORES, scale: str = "gamma", t: str = "t", large: str = "large") -> Goal:
    """`hard`: the hardmax of scale*(2 t l - l^2) is concentrated on t, where scale > 0."""

    def less(h: Goal) -> None:
        h.intro("j inside differ").have(f"0 < {scale}", "scale_pos", use=large)
        for e in int_apart(h, "j", t):
            if e.facts["step"][0] == "=":
                e.absurd("step", "differ")
                continue
            e.have(f"0 < ({t} - j)^2", "square", use="step", squares=[f"{t} - j"])
            e.have(f"0 < {scale}*({t} - j)^2", "scaled", lambda f: f.auto("square scale_pos", rounds=0))
            e.auto("scaled", degree=1)

    return g.use("lem:hardmax_unique", scores, "n", t, None, less, label="hard")


def lemma7(g: Goal) -> None:
    g.intro("n t gamma (large low high)")
    lookup_hard(g).use("lem:lookup_error", "gamma", "t", "n", label="error").use("ax:exp_pos", "-gamma", label="pos")
    g.have(f"abs(sum(j, 1, n, (I[j = t] - {LOOKUP})*j)) <= 3/2*exp(-gamma)", "done", use="error pos")
    into(g, f"hardmax({SCORES}, n, j)", LOOKUP, "j", "t")


def onesided_wrong(g: Goal) -> None:
    """n = t = 2: the right side of t is empty, and the weight at 1 is positive."""
    g.use("wrong", label="same less")
    g.use("lem:sm_weight", "l. 1*(2*2*l - l^2)", "2", "1", label="pos most")
    weighted = "sm(l. 1*(2*2*l - l^2), 2, j)*(j - 2)"
    g.apart(f"abs(sum(j, 1, 2 - 1, {weighted}) + sum(j, 2 + 1, 2, {weighted}))")


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


def series(g: Goal) -> None:
    g.intro("gamma large").positive("gamma", "g", lambda h: h.auto("large")).use("ax:exp_pos", "-gamma", label="pos")
    first, second, third = g.split()
    first.intro("m some")
    less, more = first.em("m <= 0", "side")
    less.have("m = 0", "none", use="side some").rewrite("none")
    less.have("0 <= exp(-gamma)*(1/gamma)", "gain", lambda h: h.auto("pos g_i", rounds=0)).auto("gain pos", degree=1)
    more.use("ax:int_lt", "0", "m", label="one").use("lem:lookup_integral", "gamma", "m", label="tail")
    more.use("lem:sum_split", "k. k*exp(-gamma*k^2)", "1", "1", "m", label="parts")
    more.use("ax:exp_pos", "-gamma*m^2", label="end")
    tail = "sum(k, 2, m, k*exp(-gamma*k^2))"
    more.have(f"2*gamma*{tail} <= exp(-gamma)", "short", use="tail end")
    more.have(
        f"2*{tail} <= exp(-gamma)/gamma",
        "divided",
        lambda h: h.auto("short g_i g_e", rounds=0, multipliers=[tail]),
    )
    more.auto("parts divided", degree=1)
    second.have("1/gamma <= 1", "recip", lambda h: h.auto("large g_i g_e"))
    second.auto("recip pos", rounds=0)
    third.intro("x y (xl xy)").use("ax:exp_ge", "gamma*(y^2 - x^2)", label="grows").use(
        "ax:exp_pos", "-gamma*y^2", label="end"
    )
    third.have("2*(y - x) <= y^2 - x^2", "factors", lambda h: h.auto("xl xy"))
    third.have("y^2 - x^2 <= gamma*(y^2 - x^2)", "scaled", lambda h: h.auto("factors large xy", rounds=0))
    third.have("y <= x*(1 + 2*(y - x))", "enough", lambda h: h.auto("xl xy"))
    third.have("y <= x*exp(gamma*(y^2 - x^2))", "key", lambda h: steps(h))
    third.auto("key end", rounds=0)


def steps(h: Goal) -> None:
    h.have("1 + 2*(y - x) <= exp(gamma*(y^2 - x^2))", "all_three", use="grows factors scaled")
    h.have("x*(1 + 2*(y - x)) <= x*exp(gamma*(y^2 - x^2))", "times", lambda e: e.auto("all_three xl", rounds=0))
    h.auto("enough times")


def gap_one(g: Goal) -> Goal:
    """scoregap(s, n, 1) as `separate`, from a gap delta >= 1."""

    def proof(h: Goal) -> None:
        h.intro("i inside m within max").use("given", "i", None, "m", None, "#max", label="either")
        tie, less = h.cases("either", "is")
        tie.pick("left").hyp("is")
        less.pick("right").auto("is wide")

    return g.have("scoregap(s, n, 1)", "separate", proof)


def lemma8(which: str) -> Tactic:
    lemma, scores, more = {
        "a": ("tie_quadratic", "gamma*n^2*(s(l) - 1/l)", ()),
        "b": ("tie_right", "2*gamma*n*(s(l) + l/(2*n))", ("n",)),
        "c": ("tie_left", "2*gamma*n*(s(l) - l/(2*n))", ("n",)),
    }[which]

    def run(g: Goal) -> None:
        g.intro("n s delta gamma v V (some wide given bound positive)")
        break_ties(which == "c", lemma, scores, *more, g="gamma")(gap_one(g))

    return run


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


def lemma9(g: Goal) -> None:
    g.intro("x out run")
    for part in g.split():
        if part.goal[0] == "->":
            part.intro_all()
        part.apart("relu(x - 1/4); relu(x - 3/4)", lambda h: h.auto(degree=1))


# --- Exponentials, lookups at a temperature ---------------------------------------------------------------------------


def sm_close(g: Goal) -> None:
    g.intro("s r n e i (low high close)").have("1 <= n", "some")
    total(g)
    total_r = "sum(k, 1, n, exp(r(k)))"
    g.positive(total_r, "y", lambda h: h.use("lem:sm_total", "r", "n", label="pos").hyp("pos"))

    def near(h: Goal, a: str, b: str, j: str) -> Goal:
        h.use("close", j, label=f"near_{a}")
        h.have(
            f"{a}({j}) <= {b}({j}) + e",
            f"order_{a}",
            lambda f: f.apart(f"abs(s({j}) - r({j}))", lambda u: u.auto(degree=1)),
        )
        return h.use("lem:exp_mono", f"{a}({j})", f"{b}({j}) + e", label=f"mono_{a}")

    def each(h: Goal) -> None:
        near(h.intro("k inside"), "s", "r", "k").hyp("mono_s")

    g.use("lem:sum_mono", "k. exp(s(k))", "k. exp(r(k) + e)", "1", "n", each, label="sums")
    near(g, "r", "s", "i")
    g.have(
        f"1/{total_r} <= exp(e)*(1/{TOTAL})",
        "shares",
        lambda h: shares(h, total_r),
    )
    g.have(f"exp(r(i))*(1/{total_r}) <= exp(s(i) + e)*(1/{total_r})", "tops", lambda h: h.auto("mono_r y_i", rounds=0))
    g.use("ax:exp_pos", "s(i) + e", label="pos")
    g.have(
        f"exp(s(i) + e)*(1/{total_r}) <= exp(s(i) + e)*(exp(e)*(1/{TOTAL}))",
        "both",
        lambda h: h.auto("shares pos", rounds=0),
    )
    g.auto("tops both", degree=1)


def shares(h: Goal, total_r: str) -> None:
    h.have(f"0 < 1/{TOTAL}*(1/{total_r})", "recip", lambda e: e.auto("z_i y_i", rounds=0))
    h.have(
        f"0 <= (exp(e)*{total_r} - {TOTAL})*(1/{TOTAL}*(1/{total_r}))", "gain", lambda e: e.auto("sums recip", rounds=0)
    )
    h.auto("gain z_e y_e", degree=1, rounds=0, multipliers=[f"1/{total_r}", f"exp(e)/{TOTAL}"])


def lookup_value(g: Goal) -> None:
    g.intro("s n t G v V (low high positive same bound)").use("same", "t", label="same_t")

    def margin(h: Goal) -> None:
        h.intro("j (jl jh)").use("same", "j", label="same_j")
        h.have("abs(j - t) <= (j - t)^2", "square", lambda e: integer_square(e))
        h.have("G*abs(j - t) <= G*(j - t)^2", "scaled", lambda e: e.auto("square positive", rounds=0))
        h.auto("scaled same_j same_t", degree=1)

    g.use("lem:ziggurat_value", "s", "n", "t", "G", "v", "V", None, margin, "#bound", label="error")
    g.use("lem:sum_delta", "v", "1", "n", "t", label="at_t")
    inner = "sum(j, 1, n, sm(s, n, j)*v(j))"
    g.have(f"sum(j, 1, n, (I[j = t] - sm(s, n, j))*v(j)) = v(t) - {inner}", "value", use="at_t")
    g.rewrite("value", "error", "bound_t")
    g.apart(f"abs({inner} - v(t)); abs(v(t) - {inner})", lambda h: h.auto("bound_t " + values(h), degree=1))


def integer_square(g: Goal) -> None:
    for h in int_apart(g, "j", "t"):
        h.apart("abs(j - t)", lambda e: e.auto(["step", *values(e).split()]))


def temperature(g: Goal, n: str = "n", tau: str = "tau", is_tau: str = "tau_is") -> Goal:
    """1/tau = n as `inverse`, from tau = 1/n; and the reciprocal of n as n_i, n_e."""
    g.positive(n, "n").have(f"0 < {tau}", "tau_pos", use=f"{is_tau} n_i").positive(tau, "u", lambda h: h.hyp("tau_pos"))
    return g.have(
        f"1/{tau} = {n}", "inverse", use=f"u_e n_e {is_tau}", rounds=0, multipliers=[n, f"1/{tau}", f"{n}/{tau}"]
    )


def lookup_scaled(g: Goal) -> None:
    g.intro("n d w t L tau (d_low d_high tau_is low high large)").have("0 < n", "n_pos")
    temperature(g).positive("d", "d", lambda h: h.auto("d_low"))
    g.have("1 <= n/d", "ratio", lambda h: h.auto("d_high d_i d_e", rounds=0))
    g.have("3*L <= 3*L*n/d", "more", lambda h: h.auto("ratio large", rounds=0))

    def same(h: Goal) -> None:
        h.intro("j inside").auto("inverse", degree=1, rounds=0, multipliers=["6*L*t*j/d", "L*j^2/d"])

    g.use("lem:lookup_at", "l. 3*L*(2*t*l - l^2)/d/tau", "w", "t", "3*L*n/d", lambda h: given(h, same), label="error")
    first, second, third = g.split()
    first.hyp("error")
    second.use("lem:exp_mono", "-3*L*n/d", "-3*L", label="mono").hyp("mono")
    third.use("ax:exp_ge", "3*L/2", label="half").use("ax:exp_pos", "-3*L", label="pos")
    third.have("(1 + 3*L/2)^2 <= exp(3*L)", "square", lambda h: h.auto("half large", rounds=0))
    third.have("4*L <= exp(3*L)", "wide", lambda h: h.auto("square large"))
    third.have("4*L*exp(-3*L) <= 1", "flat", lambda h: h.auto("wide pos", rounds=0))
    third.positive("L", "v", lambda h: h.auto("large")).auto("flat v_i v_e", rounds=0, multipliers=["exp(-3*L)"])


def given(g: Goal, same: Tactic) -> None:
    """Premises of a lookup: the last is `same`, the others follow."""
    for part in g.split():
        if part.goal[0] == "all":
            same(part)
        else:
            part.auto()


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


def one_hot(g: Goal, scores: str) -> Goal:
    """`equal`: the distance from hardmax, concentrated on p, is 2*(1 - weight of p)."""

    def weight(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:sm_weight", scores, "n", "j", label="pos most").auto("pos")

    g.use("lem:sm_sum", scores, "n", label="one")
    g.use("lem:one_hot_distance", f"j. sm({scores}, n, j)", "n", "p", None, weight, "#one", label="distance")

    def same(h: Goal) -> None:
        h.intro("j inside").use("hard", "j", label="here").rewrite("here").true()

    left, right = (f"j. abs({a} - sm({scores}, n, j))" for a in (f"hardmax({scores}, n, j)", "I[j = p]"))
    g.use("lem:sum_ext", left, right, "1", "n", same, label="replaced")
    whole = f"sum(j, 1, n, abs(hardmax({scores}, n, j) - sm({scores}, n, j)))"
    return g.have(f"{whole} = 2*(1 - sm({scores}, n, p))", "equal", use="replaced distance")


def ziggurat_sharp(g: Goal) -> None:
    g.intro("s n p g (low high positive below)").have("1 <= n", "some")
    g.use("lem:hardmax_ziggurat", "s", "n", "p", "g", None, "#below", label="hard")
    first, second = one_hot(g, "s").split()
    first.use("lem:ziggurat_weight", "s", "n", "p", "g", label="small").auto("equal small", degree=1)
    second.intro("end").use("lem:ziggurat_total", "s", "n", "p", "g", label="most")
    zig = "sum(j, 1, n, exp(-g*abs(j - p)))"
    second.use("lem:sm_top", "s", "n", "p", zig, label="top").use("lem:geometric_both", "g", "p", "n", label="series")
    second.use("ax:exp_pos", "-g*n", label="e_pos").use("lem:exp_less", "-g", "0", label="x_one")
    second.use("lem:sm_weight", "s", "n", "p", label="pos p_one")

    def one_end(h: Goal) -> None:
        for e in h.cases("end", "is"):
            e.rewrite("is", "series", "series_end").rewrite("is").auto("series_end e_pos", degree=1)

    second.have(f"(1 - exp(-g))*{zig} <= 1", "sum_most", one_end)
    second.have("1 - exp(-g) <= sm(s, n, p)", "weight", lambda h: h.auto("sum_most top pos x_one", rounds=0))
    second.auto("equal weight", degree=1)


def ziggurat_exact(g: Goal) -> None:
    g.intro("n p g (low high positive)").have("1 <= n", "some")
    scores = "l. -abs(l - p)*g"
    g.use("lem:hardmax_ziggurat", scores, "n", "p", "g", None, None, label="hard")
    one_hot(g, scores).use("lem:geometric_both", "g", "p", "n", label="series")
    zig = "sum(k, 1, n, exp(-g*abs(k - p)))"
    bottom = "1 + exp(-g) - exp(-g*p) - exp(-g*(n - p + 1))"
    g.positive(zig, "z", lambda h: h.use("lem:sm_total", scores, "n", label="pos").hyp("pos"))
    g.use("lem:exp_less", "-g", "0", label="x_one")
    g.have(f"0 < (1 - exp(-g))*{zig}", "product", lambda h: h.auto("z_p x_one", rounds=0))
    g.positive(bottom, "w", lambda h: h.auto("product series", degree=1))
    g.have(
        f"1/{zig} = (1 - exp(-g))/({bottom})",
        "share",
        lambda h: h.auto(
            "series z_e w_e",
            degree=1,
            rounds=0,
            multipliers=[f"1/{zig}", f"1/({bottom})", f"1/({bottom})*(1/{zig})", f"exp(-g)/({bottom})"],
        ),
    )
    g.auto("equal share", degree=1)


def ziggurat_greatest(g: Goal) -> None:
    g.intro("s n p m g (low high positive near_low near_high below)").have("1 <= n", "some")

    def spread(h: Goal) -> None:
        """(x^q - x^m)(1 - x^(n + 1 - q - m)) >= 0, for q the nearer of p and n + 1 - p to the end."""
        for e, q in zip(h.em("p <= m", "side"), ("p", "(n - p + 1)"), strict=True):
            if q != "p":
                e.use("ax:int_lt", "m", "p", label="beyond")
            rest = f"(n + 1 - {q} - m)"
            e.have(f"0 <= m - {q}", "room").have(f"0 <= {rest}", "apart")
            e.have(f"-g*m <= -g*{q}", "down", use="room positive").have(f"-g*{rest} <= 0", "fall", use="apart positive")
            e.use("lem:exp_mono", "-g*m", f"-g*{q}", "#down", label="one").use(
                "lem:exp_mono", f"-g*{rest}", "0", "#fall", label="two"
            )
            e.have(f"0 <= (exp(-g*{q}) - exp(-g*m))*(1 - exp(-g*{rest}))", "product", use="one two").auto("product")

    g.have("exp(-g*m) + exp(-g*(n - m + 1)) <= exp(-g*p) + exp(-g*(n - p + 1))", "spread", spread)
    g.use("lem:hardmax_ziggurat", "s", "n", "p", "g", None, "#below", label="hard")
    one_hot(g, "s").use("lem:ziggurat_total", "s", "n", "p", "g", label="most")
    zig = "sum(j, 1, n, exp(-g*abs(j - p)))"
    g.use("lem:sm_top", "s", "n", "p", zig, label="top").use("lem:geometric_both", "g", "p", "n", label="series")
    g.use("lem:exp_less", "-g", "0", label="x_one").use("lem:sm_weight", "s", "n", "p", label="pos p_one")
    bottom = "1 + exp(-g) - exp(-g*m) - exp(-g*(n - m + 1))"
    g.have(f"(1 - exp(-g))*{zig} <= {bottom}", "sum_most", lambda h: h.auto("series spread", degree=1))
    g.have(f"1 - exp(-g) <= ({bottom})*sm(s, n, p)", "weight", lambda h: h.auto("sum_most top pos x_one", rounds=0))
    g.positive(bottom, "w", lambda h: h.contra("no").auto("no weight pos x_one", rounds=0))
    g.have(
        f"(1 - exp(-g))/({bottom}) <= sm(s, n, p)",
        "share",
        lambda h: h.auto("weight w_i w_e", rounds=0, multipliers=["sm(s, n, p)", "1"]),
    )
    g.auto("equal share", degree=1)


def quadratic_greatest(g: Goal) -> None:
    g.intro("n gamma (some positive)")
    exact, middle = g.split()
    exact.intro("q (low high)")
    scores = "l. gamma*(2*q*l - l^2)"
    exact.use("lem:onehot_distance", scores, "n", "q", label="distance").use("lem:sm_total", scores, "n", label="total")
    exact.positive("sum(k, 1, n, exp(gamma*(2*q*k - k^2)))", "z", lambda h: h.hyp("total"))
    weight, whole = f"sm({scores}, n, q)", "sum(j, 1, n, exp(-gamma*(j - q)^2))"
    exact.have(f"{whole}*{weight} = 1", "unit", use="z_e")
    exact.have(f"0 < {weight}", "w_pos", lambda h: h.use("lem:sm_weight", scores, "n", "q", label="a b").hyp("a"))
    exact.positive(whole, "y", lambda h: h.contra("no").auto("no unit w_pos", rounds=0))
    exact.have(f"{weight} = 1/{whole}", "share", use="unit y_e", rounds=0, multipliers=[f"1/{whole}", weight])
    exact.auto("distance share", degree=1)
    middle.intro("m (near_low near_high)")

    def order(h: Goal, less: str, more: str) -> Goal:
        """exp(-gamma more^2) <= exp(-gamma less^2) for 0 <= less <= more."""
        h.have(f"0 <= {less}", "least").have(f"0 <= {more} - {less}", "room")
        h.have(f"0 <= ({more} - {less})*({more} + {less})", "squares", use="least room")
        h.have(f"-gamma*({more})^2 <= -gamma*({less})^2", "down", use="squares positive")
        return h.use("lem:exp_mono", f"-gamma*({more})^2", f"-gamma*({less})^2", "#down", label="order")

    def every(h: Goal, sign: str) -> None:
        base, step = h.induct("k", "ge", "is")
        base.intro("inside").true()
        step.intro("inside")
        q = "m - (k + 1)" if sign == "-" else "m + k"
        step.use("is", None, label="before").use("lem:quadratic_step", "n", q, "gamma", label="next")
        order(step, f"({q})", f"(n - ({q}))") if sign == "-" else order(step, f"(n - ({q}))", f"({q})")
        step.auto("before next order", degree=1)

    total = "sum(j, 1, n, exp(-gamma*(j - {})^2))"
    best = total.format("m")
    for sign, end, name in (("-", "1 <= m - k", "left"), ("+", "m + k <= n", "right")):
        show = f"all k:Int. 0 <= k -> {end} -> {total.format(f'(m {sign} k)')} <= {best}"
        middle.have(show, name, lambda h, sign=sign: every(h, sign))
    middle.intro("q (low high)")
    before, after = middle.em("q <= m", "side")
    before.use("left", "m - q", None, None, label="goal").auto("goal", degree=1)
    after.use("right", "q - m", None, None, label="goal").auto("goal", degree=1)


def since_scores(g: Goal) -> None:
    g.intro("i b v tau (some tau_is bits)")
    g.have("0 < i^2", "square", lambda h: h.auto("some")).have("0 < i", "i_pos")
    temperature(g, "i^2")
    bit_gap(g, "b", "i")
    g.use("lem:max_right", "b", "i", label="there").obtain("there", "p", "low high best rest")
    g.use("lem:rhardmax_at", "b", "i", "p", None, label="hard")
    scores = "3*(b(l) - 1/l)/tau"

    def margin(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:tie_quadratic", "b", "i", "p", "3", "j", None, label="margin")
        m = ["b(j)", "b(p)", "1/j", "1/p"]
        h.auto("margin inverse", degree=1, rounds=0, multipliers=m)

    g.use("lem:ziggurat_value", f"l. {scores}", "i", "p", "3", "v", "1", None, margin, bit_size, label="done")
    into(g, "rhardmax(b, i, j)", f"sm(l. {scores}, i, j)", "v(j)", size="i")


def bit_size(h: Goal) -> None:
    h.intro("j inside").use("bits", "j", label="one_bit either")
    for e in h.cases("either", "is"):
        e.apart("abs(v(j))", lambda f: f.auto(degree=1))


def bit_gap(g: Goal, b: str, n: str) -> Goal:
    """`separate`: scores that are bits have gap 1."""

    def proof(h: Goal) -> None:
        h.intro("c within m between max").use("bits", "c", label="bit_c value_c").use(
            "bits", "m", label="bit_m value_m"
        )
        for e in h.cases("bit_c", "is_c"):
            for f in e.cases("bit_m", "is_m"):
                finish(f)

    def finish(f: Goal) -> None:
        f.use("max", "c", None, label="most")
        if not f.try_contradiction():
            f.easy("is_c is_m most")

    return g.have(f"scoregap({b}, {n}, 1)", "separate", proof)


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


def thm20_gap(g: Goal) -> None:
    g.intro("n i t j Lambda tau (low high tau_is)").have("0 < n", "n_pos")
    temperature(g)
    multipliers = ["1", "1/i", "Lambda/i", "t*j/i", "j^2/i", "Lambda*t*j/i", "Lambda*j^2/i"]
    for part in g.split():
        part.auto("inverse", degree=1, rounds=0, multipliers=multipliers)


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


def thm20_right(g: Goal) -> None:
    g.intro("n i c Lambda tau (low high tau_is large some most)")
    g.use("lem:lookup_scaled", "n", "n - i + 1", "n", "c", "Lambda", "tau", None, label="error decay quarter")
    g.auto("error decay quarter", degree=1)


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


def lemma32_hard(g: Goal) -> None:
    g.intro("n s gamma tau (some positive given)").use("lem:gap_scaled", "s", "n", "tau", "gamma", None, label="scaled")
    g.use("lem:hard_soft_edelman", "l. s(l)/tau", "n", "gamma/tau", None, label="done")

    def same(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:hardmax_scaled", "s", "n", "tau", "j", None, label="here").rewrite("here").true()

    left, right = (f"j. abs(hardmax({s}, n, j) - sm(l. s(l)/tau, n, j))" for s in ("l. s(l)/tau", "s"))
    g.use("lem:sum_ext", left, right, "1", "n", same, label="replaced").auto("done replaced", degree=1)


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


def tied_leaf(h: Goal) -> None:
    """Three scores, two of them greatest."""
    if h.goal[0] != "all":
        h.blast()
        return
    h.intro("i (il ih) m (ml mh) max").use("max", "1", label="at_one")
    for e in h.ind("m = 3", "m_is m_value"):
        for f in e.ind("i = 3", "i_is i_value"):
            f.rewrite("m_value", "at_one", "least")
            if not f.try_contradiction():
                f.rewrite("m_value").rewrite("i_value").easy()


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


def row_gap(g: Goal) -> None:
    g.intro("f")
    base, step = g.induct("n", "ge", "ih")
    base.witness("1")
    first, second = base.split()
    first.true()
    second.intro("j (low high)").contra("no").auto("low high")
    step.obtain("ih", "g", "positive rest")
    up, down = step.em("f(n + 1) <= 0", "sign")

    def earlier(h: Goal, small: bool) -> None:
        h.intro("j (low high)")
        inside, last_one = h.em("j <= n", "place")
        inside.use("rest", "j", label="either")
        none, some = inside.cases("either", "is")
        none.pick("left").hyp("is")
        some.pick("right")
        some.apart("min(g, f(n + 1)/2)", lambda e: e.auto(degree=1)) if small else some.hyp("is")
        last_one.use("ax:int_lt", "n", "j", label="next").have("j = n + 1", "at", use="next high").rewrite("at")
        if small:
            last_one.pick("right").apart("min(g, f(n + 1)/2)", lambda e: e.auto(degree=1))
        else:
            last_one.pick("left").hyp("sign")

    up.witness("g")
    first, second = up.split()
    first.hyp("positive")
    earlier(second, False)
    down.witness("min(g, f(n + 1)/2)")
    first, second = down.split()
    first.apart("min(g, f(n + 1)/2)", lambda e: e.auto(degree=1))
    earlier(second, True)


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


def gap_condition(g: Goal) -> None:
    g.intro("rows n s (many some)")
    separate = "maximal(l. s(i, l), n, j) | (all m in 1..n. maximal(l. s(i, l), n, m) -> s(i, j) < s(i, m) - gamma)"

    def row(h: Goal) -> None:
        h.intro("i").use("lem:max_right", "l. s(i, l)", "n", label="there").obtain("there", "p", "low high best rest")
        h.use("lem:row_gap", "j. s(i, p) - s(i, j)", "n", label="bound").obtain("bound", "gamma", "positive apart")
        h.witness("gamma")
        first, second = h.split()
        first.hyp("positive")
        second.intro("j (jl jh)").use("apart", "j", label="either")
        top, below = second.cases("either", "is")
        top.pick("left").intro("k (kl kh)").use("best", "k", label="here").auto("here is")
        below.pick("right").intro("m (ml mh) max").use("max", "p", label="here").auto("here is")

    g.have(f"all i:Int. ex gamma:Real. 0 < gamma & all j in 1..n. {separate}", "row", row)

    def proof(h: Goal) -> None:
        base, step = h.induct("r", "ge", "ih")
        base.witness("1")
        first, second = base.split()
        first.true()
        second.intro("i (il above)").contra("no").auto("il above")
        step.obtain("ih", "before", "b_pos b_rows").use("row", "r + 1", label="last").obtain(
            "last", "now", "n_pos n_row"
        )
        step.witness("min(before, now)")
        first, second = step.split()
        first.apart("min(before, now)", lambda e: e.auto(degree=1))
        second.intro("i (il above) j (jl jh)")
        inside, end = second.em("i <= r", "place")
        inside.use("b_rows", "i", None, "j", None, label="either")
        end.use("ax:int_lt", "r", "i", label="next").have("i = r + 1", "at", use="next above").rewrite("at").use(
            "n_row", "j", label="either"
        )
        for e in (inside, end):
            top, below = e.cases("either", "is")
            top.pick("left").hyp("is")
            below.pick("right").intro("m (ml mh) max").use("is", "m", None, "#max", label="here")
            below.apart("min(before, now)", lambda f: f.auto(degree=1))

    claim = f"all r:Int. 0 <= r -> ex gamma:Real. 0 < gamma & all i in 1..r. all j in 1..n. {separate}"
    g.have(claim, "all_r", proof).use("all_r", "rows", label="done").hyp("done")


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


def one_or_two(h: Goal, j: str) -> list[Goal]:
    """j = 1 and j = 2, for j in 1..2."""
    low, high = h.em(f"{j} <= 1", f"{j}_side")
    low.have(f"{j} = 1", f"{j}_is")
    high.use("ax:int_lt", "1", j, label=f"{j}_next").have(f"{j} = 2", f"{j}_is")
    return [low, high]


def table_tiebreak_wrong(g: Goal) -> None:
    """Scores 1/10 and 2/10: adding 1/2 and 1/3 makes the first the greatest."""

    def separate(h: Goal) -> None:
        for part in h.split():
            if part.goal[0] != "all":
                part.auto()
                continue
            part.intro("i (il ih) m (ml mh) max").use("max", "2", label="top")
            for e in one_or_two(part, "i"):
                e.easy()

    g.intro("claim").use("claim", "2", "j. j/10", "1/10", separate, "1", None, label="left right")

    def less(h: Goal) -> None:
        h.intro("j (jl jh) differ")
        one, two = one_or_two(h, "j")
        one.contra("no").absurd("j_is", "differ")
        two.rewrite("j_is").true()

    g.use("lem:hardmax_unique", "l. l/10 + 1/(l + 1)", "2", "1", None, less, label="hard").use("hard", "1", label="one")
    g.rewrite("one", "left", "claimed")
    best = "maximal(j. j/10, 2, 1) & (all k in 1..2. maximal(j. j/10, 2, k) -> 1 <= k)"
    yes, no = g.ind(best, "max size")
    yes.use("max_1", "2", label="wrong").absurd("wrong")
    no.auto("claimed size", degree=1)


# --- Cookbook, Section 5.7 --------------------------------------------------------------------------------------------


def rounding(g: Goal) -> None:
    g.intro("x out v (either near out_is)")
    g.have("x - v <= 1/4 & v - x <= 1/4", "above below", lambda h: two_sided(h, "x - v", "near"))
    for h in g.cases("either", "is"):
        h.apart("relu(x - 1/4); relu(x - 3/4)", lambda e: e.auto("is above below out_is " + values(e), degree=1))


def precision(g: Goal) -> None:
    g.intro("n s gamma tau rd m (some positive given mono zero one vanish top)").obtain(
        "top", "p", "low high best m_is"
    )
    g.use("lem:rounded_softmax", "n", "s", "gamma", "tau", "rd", "p", None, label="weights").intro("j inside")
    g.rewrite("m_is", rev=True)
    g.use("lem:sum_ext", "k. rd(exp((s(k) - s(p))/tau))", "k. I[maximal(s, n, k)]", "1", "n", "#weights", label="count")
    g.use("weights", "j", label="here").rewrite("count").rewrite("here").true()


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


def lookup_rounded(g: Goal) -> None:
    g.intro("gamma n q v x out (large low high bits) x_is out_is").use("lem:exp_three", label="three")
    g.use("bits", "q", label="bit_q").use("lem:exp_mono", "-gamma", "-3", label="decay")

    def sizes(h: Goal) -> None:
        h.intro("j inside").use("bits", "j", label="either")
        for e in h.cases("either", "is"):
            e.apart("abs(v(j))", lambda f: f.auto(degree=1))

    g.have("all j in 1..n. abs(v(j)) <= 1", "sizes", sizes)

    def parts(h: Goal) -> None:
        for part in h.split():
            if part.goal[0] == "all" and "abs" not in part.text(part.goal):
                part.intro("j inside").true()
            else:
                part.easy()

    g.use("lem:lookup_value", "l. gamma*(2*q*l - l^2)", "n", "q", "gamma", "v", "1", parts, label="error")
    g.have("abs(x - v(q)) <= 1/4", "near", lambda h: h.rewrite("x_is").auto("error three decay", degree=1))
    for part in g.split():
        if part.goal[0] == "=":
            part.use("lem:rounding", "x", "out", "v(q)", conjuncts, label="done").hyp("done")
        else:
            part.hyp("near")


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


def ziggurat_best(g: Goal) -> None:
    g.intro("gap eps (positive small)").positive("eps", "e", lambda h: h.hyp("small"))
    g.positive("gap", "g", lambda h: h.hyp("positive"))
    g.use("ax:archimedes", "4/eps/gap", label="big").obtain("big", "N", "some large")
    g.use("ax:exp_ge", "gap*N", label="grows").use("ax:exp_pos", "-gap*N", label="y_pos").use(
        "ax:exp_pos", "-gap", label="x_pos"
    )
    g.use("lem:exp_less", "-gap", "0", label="x_one")
    g.have("gap*(4/eps/gap) <= gap*N", "scaled", lambda h: h.auto("large positive", rounds=0))
    g.have("4/eps <= gap*N", "long", use="scaled g_e", multipliers=["1/eps"])
    g.have("(1 + 4/eps)*exp(-gap*N) <= 1", "low", lambda h: h.auto("grows long y_pos", rounds=0))
    g.have(
        "4*exp(-gap*N) <= eps", "tiny", lambda h: h.auto("low y_pos small e_e", rounds=0, multipliers=["exp(-gap*N)"])
    )
    g.have("1 <= 2*N - 1 & N <= 2*N - 1", "in_one in_two")
    g.witness("2*N - 1", "N").use("lem:ziggurat_exact", "2*N - 1", "N", "gap", None, label="exact")
    least, most, second = g.split()
    least.auto("some")
    most.auto("some")
    second.use("lem:exp_mono", "-gap*N", "-gap", lambda h: h.auto("some positive", rounds=0), label="y_x")
    x, y = "exp(-gap)", "exp(-gap*N)"
    bottom = f"1 + {x} - 2*{y}"
    second.have(f"0 < {bottom}", "bottom_pos", use="y_x x_one").positive(bottom, "w", lambda h: h.hyp("bottom_pos"))
    second.positive(f"1 + {x}", "v", lambda h: h.auto("x_pos"))
    second.have(f"(1 - {x})*(1/({bottom})) <= 1", "ratio", lambda h: h.auto("y_x w_i w_e x_one", rounds=0))
    second.have(f"1/(1 + {x}) <= 1", "v_one", lambda h: h.auto("x_pos v_i v_e", rounds=0))
    second.have(
        f"(1 - {x})*(1/({bottom})) - (1 - {x})*(1/(1 + {x})) = 2*{y}*((1 - {x})*(1/({bottom})))*(1/(1 + {x}))",
        "difference",
        lambda h: h.auto(
            "w_e v_e",
            degree=1,
            rounds=0,
            multipliers=["1", x, f"1/({bottom})", f"{x}/({bottom})", f"1/(1 + {x})", f"{x}/(1 + {x})"],
        ),
    )
    second.have(f"0 <= (1 - {x})*(1/({bottom}))", "ratio_low", lambda h: h.auto("x_one w_i", rounds=0))
    second.have(
        f"(1 - {x})*(1/({bottom}))*(1/(1 + {x})) <= 1", "both", lambda h: h.auto("ratio ratio_low v_one v_i", rounds=0)
    )
    second.have(
        f"2*{y}*((1 - {x})*(1/({bottom}))*(1/(1 + {x}))) <= 2*{y}", "drop", lambda h: h.auto("both y_pos", rounds=0)
    )
    second.auto("exact difference drop tiny v_e", degree=1, rounds=0, multipliers=["1"])


def tie_weight(g: Goal) -> None:
    g.intro("s n p g (low high positive left right)").have("1 <= n", "some")
    body = "k. exp(s(k))"
    g.use("lem:sum_split", body, "1", "p", "n", label="parts").use("ax:exp_pos", "-g", label="x_pos")
    g.use("lem:exp_less", "-g", "0", label="x_one").use("lem:geometric_left", "g", "p", label="series_left")

    def each_left(h: Goal) -> None:
        h.intro("k (kl kh)").use("left", "k", label="here").use(
            "lem:exp_mono", "s(k)", "s(p) - g*(p - k)", label="mono"
        ).hyp("mono")

    def each_right(h: Goal) -> None:
        h.intro("k (kl kh)").use("right", "k", label="here")
        h.use("lem:exp_mono", "s(k)", "s(p) - g*(n - (k - p))", label="mono").hyp("mono")

    g.use("lem:sum_mono", body, "k. exp(s(p) - g*(p - k))", "1", "p", each_left, label="left_sum")
    g.use("lem:sum_mono", body, "k. exp(s(p) - g*(n - (k - p)))", "p + 1", "n", each_right, label="right_sum")
    far = "sum(k, p + 1, n, exp(-g*(n - (k - p))))"
    # The right part mirrored is e^(-g p) times a geometric sum.
    g.use("lem:sum_moved", "k. exp(-g*(n - (k - p)))", "p", "n - p", label="moved")
    g.use("lem:geometric_left", "g", "n - p", label="series_right")
    g.have(
        f"(1 - exp(-g))*{far} = exp(-g*p) - exp(-g*n)",
        "series_far",
        use="moved series_right",
        multipliers=["exp(-g*p)", "exp(-g*p)*exp(-g)", "exp(-g)", "1"],
    )
    near = "sum(k, 1, p, exp(-g*(p - k)))"
    g.have(f"{TOTAL} <= ({near} + {far})*exp(s(p))", "most", use="parts left_sum right_sum")
    g.use("lem:sm_top", "s", "n", "p", f"{near} + {far}", label="top").use("ax:exp_pos", "-g*n", label="end")
    g.use("lem:sm_weight", "s", "n", "p", label="pos one")
    g.have(f"(1 - exp(-g))*({near} + {far}) <= 1", "sum_most", use="series_left series_far end")
    g.auto("sum_most top pos x_one", rounds=0)


def tie_sharp(quadratic: bool) -> Tactic:
    """Lemma 8 (a) and (b) with 2 instead of 4."""
    scores = "gamma*n^2*(s(l) - 1/l)" if quadratic else "2*gamma*n*(s(l) + l/(2*n))"
    at = [re.sub(r"\bl\b", k, scores) for k in "kp"]

    def run(g: Goal) -> None:
        g.intro("n s gamma v V (some separate bound positive)")
        g.use("lem:max_right", "s", "n", label="there").obtain("there", "p", "low high best rest")
        g.use("lem:rhardmax_at", "s", "n", "p", None, label="hard").positive("n", "n", lambda h: h.auto("some"))
        g.positive("p", "p", lambda h: h.auto("low"))

        def left(h: Goal) -> None:
            h.intro("k (kl kh)").use(
                "lem:tie_quadratic" if quadratic else "lem:tie_right",
                "s",
                "n",
                *([] if quadratic else ["n"]),
                "p",
                "gamma",
                "k",
                None,
                label="margin",
            )
            h.have("abs(k - p) = p - k", "size", lambda e: e.apart("abs(k - p)")).rewrite(
                "size", "margin", "done"
            ).auto("done", degree=1)

        def right(h: Goal) -> None:
            h.intro("k (kl kh)").use("separate", "k", "p", None, "#best", label="either")
            tie, less = h.cases("either", "is")

            def maximal(e: Goal) -> None:
                e.intro("i (il ih)").use("best", "i", label="here").auto("here is")

            tie.use("rest", "k", None, maximal, label="order").contra("no").auto("order kl", degree=1)
            if quadratic:
                less.positive("k", "k", lambda e: e.auto("kl low")).have(
                    "1/p <= 1", "p_one", lambda e: e.auto("low p_i p_e", rounds=0)
                )
                less.have("1 <= n*(1/k)", "inverse", lambda e: e.auto("kh k_i k_e", rounds=0))
                less.have("n <= n^2*(1/k)", "far", lambda e: e.auto("inverse some", rounds=0))
                less.have(
                    "0 <= n^2*(s(p) - 1/p - s(k))",
                    "up",
                    lambda e: e.auto("is p_one", rounds=0, degree=2, squares=["n"]),
                )
                less.have("n - (k - p) <= n^2*(s(p) - 1/p) - n^2*(s(k) - 1/k)", "sum", use="up far kl")
            else:
                less.have("n*(s(k) + 1) <= n*s(p)", "up", lambda e: e.auto("is some", rounds=0))
                less.have("n - (k - p) <= 2*n*s(p) + p - 2*n*s(k) - k", "sum", use="up some")
            less.have(
                "0 <= gamma*((%s) - (n - (k - p)))"
                % ("n^2*(s(p) - 1/p) - n^2*(s(k) - 1/k)" if quadratic else "2*n*s(p) + p - 2*n*s(k) - k"),
                "scaled",
                lambda e: e.auto("sum positive", rounds=0),
            )
            less.auto("scaled n_e", degree=1, multipliers=["gamma*k", "gamma*p", "1"])

        top, other = at[1], at[0]
        g.have(f"all k in 1..p. {other} <= {top} - gamma*(p - k)", "left", left)
        g.have(f"all k in p + 1..n. {other} <= {top} - gamma*(n - (k - p))", "right", right)
        g.use("lem:tie_series_value", f"l. {scores}", "n", "p", "gamma", "v", "V", conjuncts, "#bound", label="done")
        into(g, "rhardmax(s, n, j)", f"sm(l. {scores}, n, j)", "v(j)")

    return run


def tie_series_left(g: Goal) -> None:
    g.intro("s n p g (low high positive left right)").have("1 <= n", "some")
    body = "k. exp(s(k))"
    g.use("lem:sum_split", body, "1", "p - 1", "n", label="parts").use("ax:exp_pos", "-g", label="x_pos")
    g.use("lem:exp_less", "-g", "0", label="x_one").use("lem:geometric_right", "g", "p", "n", label="series_right")

    def each(h: Goal, name: str, bound: str) -> None:
        h.intro("k (kl kh)").use(name, "k", label="here").use("lem:exp_mono", "s(k)", bound, label="mono").hyp("mono")

    sides = (("left", "1", "p - 1", "n - (p - k)"), ("right", "p", "n", "k - p"))
    for name, first, end, steps_ in sides:
        most = f"s(p) - g*({steps_})"
        g.use(
            "lem:sum_mono",
            body,
            f"k. exp({most})",
            first,
            end,
            lambda h, name=name, most=most: each(h, name, most),
            label=f"{name}_sum",
        )
    far, near = (f"sum(k, {a}, {b}, exp(-g*({c})))" for _, a, b, c in sides)
    g.use("lem:geometric_right", "g", "0", "p - 1", label="series_left")
    g.have(
        f"(1 - exp(-g))*{far} = exp(-g*(n - p + 1)) - exp(-g*n)",
        "series_far",
        use="series_left",
        multipliers=["exp(-g*(n - p))"],
    )
    g.use("lem:sum_split", "k. exp(-g*(k - p))", "p", "p", "n", label="first")
    g.have(
        f"(1 - exp(-g))*{near} = 1 - exp(-g*(n - p + 1))",
        "series_near",
        use="series_right first",
        multipliers=["exp(-g)"],
    )
    g.have(f"{TOTAL} <= ({far} + {near})*exp(s(p))", "most", use="parts left_sum right_sum")
    g.use("lem:sm_top", "s", "n", "p", f"{far} + {near}", label="top").use("ax:exp_pos", "-g*n", label="end")
    g.use("lem:sm_weight", "s", "n", "p", label="pos one")
    g.have(f"(1 - exp(-g))*({far} + {near}) <= 1", "sum_most", use="series_near series_far end")
    g.auto("sum_most top pos x_one", rounds=0)


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
    "lem.max_right": Script(max_right),
    "lem.lookup_error": Script(lookup_error),
    "lem.tie_quadratic": Script(tie_quadratic),
    "yang2026.def2": Script(def2, inhabit("2", "j. j", "1", "j. 0", "1", "2", "j. j", "1"), totals_positive("n s")),
    "yang2026.def3": Script(def3, witnesses("2", "j. j", "1", "2", "j. j", "1"), totals_positive("n s tau")),
    "yang2026.def5": Script(def5, inhabit("2", "j. j", "2", "2"), totals_positive("n s")),
    "yang2026.lemma6": Script(lemma6, inhabit(*ZIGGURAT, "j. 1", "1"), totals_positive("n s p gamma v V")),
    "yang2026.lemma6.l1": Script(
        lemma6_chain, inhabit(*ZIGGURAT, "1", "exp(-1)"), totals_positive("n s p gamma a b", extra=lemma6_positive)
    ),
    "yang2026.lemma7": Script(lemma7, inhabit("2", "1", "1"), totals_positive("n t gamma")),
    "yang2026.lemma7.onesided": Script(counterexample("2", "2", "1", then=onesided_wrong), refutes=True),
    "yang2026.lemma7.onesided.corrected": Script(onesided, inhabit("3", "2", "1"), totals_positive("n t gamma")),
    "yang2026.lemma7.series": Script(series, inhabit("1", "0", "1", "1", "1")),
    "yang2026.lemma8a": Script(lemma8("a"), inhabit(*GAPPED), totals_positive("n s delta gamma v V")),
    "yang2026.lemma8b": Script(lemma8("b"), inhabit(*GAPPED), totals_positive("n s delta gamma v V")),
    "yang2026.lemma8c": Script(lemma8("c"), inhabit(*GAPPED), totals_positive("n s delta gamma v V")),
    "yang2026.lemma8.zig": Script(
        lemma8_margins,
        inhabit(*MARGINS, *MARGINS, "1", *MARGINS, "1", *MARGINS, "1"),
        totals_positive("n s delta gamma p"),
    ),
    "yang2026.lemma9": Script(lemma9, inhabit("1/2", "1/2", "0", "0", "1/2", "1/2", "1", "1")),
    "lem.hard_soft_exact": Script(hard_soft_exact),
    "lem.hard_soft_ties": Script(hard_soft_ties),
    "lem.hard_soft_ties_attained": Script(hard_soft_attained),
    "lem.hard_soft_unique": Script(hard_soft_unique),
    "lem.sm_close": Script(sm_close),
    "lem.lookup_scaled": Script(lookup_scaled),
    "lem.lookup_value": Script(lookup_value),
    "lem.lookup_best": Script(lookup_best),
    "lem.ziggurat_sharp": Script(ziggurat_sharp),
    "lem.ziggurat_greatest": Script(ziggurat_greatest),
    "lem.quadratic_greatest": Script(quadratic_greatest),
    "lem.ziggurat_exact": Script(ziggurat_exact),
    "lem.since_scores": Script(since_scores),
    "yang2026.thm12.scores": Script(
        thm12,
        inhabit("3", "2", "1/3", "3", "2", "1/3", "2", "2", "3", "2", "1/3", "j. 0"),
        totals_positive("n i tau", extra=tau_positive),
    ),
    "yang2026.thm15.scores": Script(
        thm15, inhabit("3", "2", "1/3", "j. 0", "j. 0"), totals_positive("n i tau x y", extra=tau_positive)
    ),
    "yang2026.thm15.uhat": Script(uhat, inhabit("2", "j. 1", "j. 1")),
    "yang2026.thm20.gap": Script(
        thm20_gap, inhabit("3", "2", "1", "1", "1", "1/3"), totals_positive("n i t j Lambda tau", extra=tau_positive)
    ),
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
    "yang2026.thm20.right": Script(
        thm20_right, inhabit("3", "2", "2", "1", "1/3"), totals_positive("n i c Lambda tau", extra=tau_positive)
    ),
    "yang2026.thm20.theta": Script(
        thm20_theta,
        inhabit("4", "3", "2", "1/4", "3/(3*(1/4))", "j. 0"),
        totals_positive("n i c tau gamma theta", extra=tau_positive),
    ),
    "yang2026.lemma32.hard": Script(
        lemma32_hard,
        lambda g: g.inhabit("3", "j. -I[j = 3]", "1", "1", leaf=tied_leaf),
        totals_positive("n s gamma tau"),
    ),
    "yang2026.lemma32.ratio": Script(
        lemma32_ratio,
        inhabit(*CLOSE, *CLOSE, "1", *CLOSE, "1", "2", "j. 0", "j. 0", "2", "2"),
        totals_positive("n s r eps tau"),
    ),
    "yang2026.lemma32": Script(
        lemma32, inhabit("2", "j. 0", "j. 0", "1", "1", "1"), totals_positive("n s r gamma eps tau")
    ),
    "lem.row_gap": Script(row_gap),
    "cookbook.s5.6.gap_condition": Script(gap_condition, inhabit("2", "2", "i j. 0")),
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
    "lem.rounding": Script(rounding),
    "cookbook.s5.6.tiebreak_matrices": Script(matrices_wrong, refutes=True),
    "cookbook.t2.tiebreak": Script(table_tiebreak_wrong, refutes=True),
    "cookbook.s5.7.precision": Script(
        precision, lambda g: g.inhabit(*ROUNDING, "1", "1", leaf=rounding_leaf), precision_defined
    ),
    "cookbook.s5.7.def5.2": Script(def5, inhabit("2", "j. j", "2", "2"), totals_positive("n s")),
    "cookbook.s5.7.error_quarter": Script(
        error_quarter, lambda g: g.inhabit(*QUARTER, leaf=log_leaf), log_defined("N n q s gamma tau v found")
    ),
    "cookbook.t2.hard_attn": Script(hard_attn, hard_attn_inhabited, hard_attn_defined),
    "cookbook.s5.7.quadmax_no_N": Script(
        lookup_rounded, inhabit("3", "2", "1", "j. 0", "0", "0"), totals_positive("gamma n q v x out")
    ),
    "lem.lookup_any": Script(lookup_any),
    "lem.lookup_three_halves": Script(from_least("3/2")),
    "lem.lookup_one": Script(from_least("1")),
    "lem.ziggurat_best": Script(ziggurat_best),
    "lem.tie_series_weight": Script(tie_weight),
    "lem.tie_right_sharp": Script(tie_sharp(False)),
    "lem.tie_quadratic_sharp": Script(tie_sharp(True)),
    "lem.tie_series_weight_left": Script(tie_series_left),
    "lem.tie_left_sharp": Script(tie_left_sharp),
}
