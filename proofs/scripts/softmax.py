"""Soft against hard attention (yang2026, Section 3; Cookbook, Sections 5.6 and 5.7) and what follows for lookups."""

from __future__ import annotations

from library import TOTAL, by_induction, last, total
from script import Script

from symcook.proof.search.tactics import Goal, Tactic


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
        h.intro("max").use("rest", "k", None, lambda e: e.intro("m (ml mh)").use("max", "m", label="here").hyp("here"), label="got")
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


def max_left(g: Goal) -> None:
    g.intro("s n some")
    g.use("lem:max_right", "j. s(n + 1 - j)", "n", label="there").obtain("there", "q", "low high best rest")
    g.witness("n + 1 - q")
    first, second, third, fourth = g.split()
    first.auto("high")
    second.auto("low")
    third.intro("k (kl kh)").use("best", "n + 1 - k", label="here").hyp("here")
    fourth.intro("k (kl kh) max")

    def mirrored(h: Goal) -> None:
        h.intro("m (ml mh)").use("max", "n + 1 - m", label="here").hyp("here")

    fourth.use("rest", "n + 1 - k", None, mirrored, label="got").auto("got")


def unique_at(right: bool) -> Tactic:
    order = "k <= j" if right else "j <= k"
    chosen = f"maximal(s, n, j) & (all k in 1..n. maximal(s, n, k) -> {order})"

    def run(g: Goal) -> None:
        g.intro("s n p (low high best rest) j (from to)")
        yes, no = g.ind("j = p", "at value")
        one, zero = yes.ind(chosen, "max size")
        one.auto("size value")

        def holds(h: Goal) -> None:
            first, second = h.rewrite("at").split()
            first.hyp("best")
            second.hyp("rest")

        zero.have(chosen, "after_all", holds).absurd("after_all", "max")
        one, zero = no.ind(chosen, "max size")
        one.use("rest", "j", None, "#max_1", label="up").use("max_2", "p", None, "#best", label="down")
        one.have("j = p", "after_all", use="up down").absurd("after_all", "at")
        zero.auto("size value")

    return run


COUNT = "sum(m, 1, n, I[maximal(s, n, m)])"


def hm_count(g: Goal) -> None:
    g.intro("s n some").use("lem:max_right", "s", "n", label="there").obtain("there", "p", "low high best rest")
    g.use(
        "lem:sum_member",
        "m. I[maximal(s, n, m)]",
        "1",
        "n",
        "p",
        None,
        lambda h: h.intro("i inside").apart("I[maximal(s, n, i)]"),
        label="most",
    )
    yes, no = g.ind("maximal(s, n, p)", "max value")
    yes.auto("most value")
    no.absurd("best", "max")


def hm_total(g: Goal) -> Goal:
    """0 < count, count*(1/count) = 1 and 0 < 1/count as m_p, m_e and m_i."""
    return g.positive(COUNT, "m", lambda h: h.use("lem:hm_count", "s", "n", label="count").auto("count"))


def hm_sum(g: Goal) -> None:
    hm_total(g.intro("s n some")).auto("m_e")


def hm_weight(g: Goal) -> None:
    hm_total(g.intro("s n j some")).apart("I[maximal(s, n, j)]", lambda h: h.auto(rounds=0, multipliers=[f"1/{COUNT}"]))


# --- Distances ----------------------------------------------------------------------------------------------------------


def product_abs(g: Goal) -> None:
    g.intro("d v n V bound")

    def one(h: Goal) -> None:
        h.intro("j inside").use("bound", "j", label="here")
        h.apart("abs(d(j)*v(j)); abs(d(j)); abs(v(j))", lambda e: e.auto())

    g.use("lem:sum_abs", "j. d(j)*v(j)", "1", "n", label="triangle")
    g.use("lem:sum_mono", "j. abs(d(j)*v(j))", "j. V*abs(d(j))", "1", "n", one, label="each").auto("triangle each", degree=1)


def product_range(g: Goal) -> None:
    g.intro("d v n low high range zero")

    def one(h: Goal) -> None:
        h.intro("j inside").use("range", "j", label="from to")
        h.apart("abs(v(j) - (low + high)/2)", lambda e: e.auto(degree=1))

    g.use("lem:product_abs", "d", "j. v(j) - (low + high)/2", "n", "(high - low)/2", one, label="done")
    g.have(
        "sum(j, 1, n, d(j)*(v(j) - (low + high)/2)) = sum(j, 1, n, d(j)*v(j))",
        "same",
        use="zero",
        rounds=0,
        multipliers=["low", "high"],
    )
    g.rewrite("same", "done", "got").hyp("got")


def one_hot_distance(g: Goal) -> None:
    g.intro("a n p range weight one")
    g.use("lem:sum_member", "a", "1", "n", "p", "#range", "#weight", label="most")

    def size(h: Goal) -> None:
        h.intro("j inside").use("weight", "j", label="pos")
        yes, no = h.ind("j = p", "at value")
        yes.rewrite("at", "pos", "pos_p").rewrite("value").rewrite("at")
        yes.apart("abs(1 - a(p))", lambda e: e.auto(degree=1, rounds=0))
        no.rewrite("value").apart("abs(0 - a(j))", lambda e: e.auto(degree=1, rounds=0))

    g.use(
        "lem:sum_ext",
        "j. abs(I[j = p] - a(j))",
        "j. a(j) + I[j = p]*(1 - 2*a(p))",
        "1",
        "n",
        size,
        label="terms",
    )
    g.use("lem:sum_delta", "j. 1 - 2*a(p)", "1", "n", "p", "#range", label="single")
    g.auto("terms single one", degree=1, rounds=0)


def weights_distance(g: Goal) -> None:
    g.intro("a b n pos one_a one_b")

    def each(h: Goal) -> None:
        h.intro("j inside").use("pos", "j", label="pa pb").apart("abs(a(j) - b(j))", lambda e: e.auto(degree=1))

    g.use("lem:sum_mono", "j. abs(a(j) - b(j))", "j. a(j) + b(j)", "1", "n", each, label="most")
    g.auto("most one_a one_b", degree=1)


def sm_top(g: Goal) -> None:
    total(g.intro("s n p c some most")).auto("most z_i z_e")


# --- Ziggurat scores ------------------------------------------------------------------------------------------------------


def geometric_left(g: Goal) -> None:
    g.intro("g")
    base, step = g.induct("p", "ge", "ih")
    base.auto()
    body = "j. exp(-g*(p + 1 - j))"
    last(step, body, "1", "p + 1", "next")
    step.auto("ih next", degree=1, rounds=0, multipliers=["1", "exp(-g)"])


def geometric_right(g: Goal) -> None:
    g.intro("g p")
    base, step = g.induct("n", "ge", "ih")
    base.auto()
    last(step, "j. exp(-g*(j - p))", "p + 1", "n + 1", "next")
    step.auto("ih next", degree=1, rounds=0, multipliers=["1", "exp(-g)"])


def geometric_both(g: Goal) -> None:
    g.intro("g p n (low high)")
    g.use("lem:sum_split", "j. exp(-g*abs(j - p))", "1", "p", "n", label="parts")
    for first, end, sign, label in (("1", "p", "p - j", "left"), ("p + 1", "n", "j - p", "right")):

        def size(h: Goal) -> None:
            h.intro("j (jl jh)")
            h.have(f"abs(j - p) = {sign}", "is", lambda e: e.apart("abs(j - p)", lambda f: f.auto(degree=1)))
            h.rewrite("is").true()

        g.use("lem:sum_ext", "j. exp(-g*abs(j - p))", f"j. exp(-g*({sign}))", first, end, size, label=label)
    g.use("lem:geometric_left", "g", "p", label="gl").use("lem:geometric_right", "g", "p", "n", label="gr")
    g.auto("parts left right gl gr", degree=1, rounds=0, multipliers=["1", "exp(-g)"])


def ziggurat_total(g: Goal) -> None:
    g.intro("s n p g range below")

    def each(h: Goal) -> None:
        h.intro("j inside").use("below", "j", label="here")
        h.use("lem:exp_mono", "s(j)", "s(p) - abs(j - p)*g", label="mono").hyp("mono")

    g.use("lem:sum_mono", "j. exp(s(j))", "j. exp(s(p) - abs(j - p)*g)", "1", "n", each, label="done").hyp("done")


def ziggurat_weight(g: Goal) -> None:
    g.intro("s n p g (low high positive) below")
    g.use("lem:ziggurat_total", "s", "n", "p", "g", label="most").have("1 <= n", "some")
    g.use("lem:sm_top", "s", "n", "p", "sum(j, 1, n, exp(-g*abs(j - p)))", label="top")
    g.use("lem:geometric_both", "g", "p", "n", label="series")
    g.use("lem:sm_weight", "s", "n", "p", label="pos one")
    g.use("ax:exp_pos", "-g*p", label="e1").use("ax:exp_pos", "-g*(n - p + 1)", label="e2").use("ax:exp_pos", "-g", label="x_pos")
    g.use("lem:exp_less", "-g", "0", label="x_one")
    g.have("(1 - exp(-g))*sum(j, 1, n, exp(-g*abs(j - p))) <= 1 + exp(-g)", "sum_most", use="series e1 e2")
    g.have("1 - exp(-g) <= (1 + exp(-g))*sm(s, n, p)", "weight", lambda h: h.auto("sum_most top pos x_one", rounds=0))
    g.positive("1 + exp(-g)", "y", lambda h: h.auto("x_pos"))
    g.auto("weight y_i y_e")


def ziggurat_distance(g: Goal) -> None:
    g.intro("s n p g (low high) below")
    g.have("1 <= n", "some").use("lem:sm_sum", "s", "n", label="one")

    def weight(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:sm_weight", "s", "n", "j", label="pos most").auto("pos")

    g.use("lem:one_hot_distance", "j. sm(s, n, j)", "n", "p", None, weight, "#one", label="distance")
    g.use("lem:sm_weight", "s", "n", "p", label="pos most")
    usual, rare = g.em("0 < g", "sign")
    usual.use("lem:ziggurat_weight", "s", "n", "p", "g", label="small").use("ax:exp_pos", "-g", label="x_pos")
    usual.positive("1 + exp(-g)", "y", lambda h: h.auto("x_pos"))
    usual.have("2*exp(-g)/(1 + exp(-g)) <= 2*exp(-g)", "drop", lambda h: h.auto("x_pos y_i y_e"))
    usual.auto("distance small drop", degree=1)
    rare.use("ax:exp_ge", "-g", label="large").auto("distance pos large sign", degree=1)


def ziggurat_value(g: Goal) -> None:
    g.intro("s n p g v V range below bound")
    g.use("lem:product_abs", "j. I[j = p] - sm(s, n, j)", "v", "n", "V", "#bound", label="product")
    g.use("lem:ziggurat_distance", "s", "n", "p", "g", label="distance")
    g.use("range", label="low high").use("bound", "p", label="at_p")
    g.have("0 <= V", "size", lambda h: h.apart("abs(v(p))", lambda e: e.auto(degree=1)))
    g.auto("product distance size", rounds=0)


SCRIPTS: dict[str, Script] = {
    "lem.max_right": Script(max_right),
    "lem.max_left": Script(max_left),
    "lem.rhardmax_at": Script(unique_at(True)),
    "lem.lhardmax_at": Script(unique_at(False)),
    "lem.hm_count": Script(hm_count),
    "lem.hm_sum": Script(hm_sum),
    "lem.hm_weight": Script(hm_weight),
    "lem.product_abs": Script(product_abs),
    "lem.product_range": Script(product_range),
    "lem.one_hot_distance": Script(one_hot_distance),
    "lem.weights_distance": Script(weights_distance),
    "lem.sm_top": Script(sm_top),
    "lem.geometric_left": Script(geometric_left),
    "lem.geometric_right": Script(geometric_right),
    "lem.geometric_both": Script(geometric_both),
    "lem.ziggurat_total": Script(ziggurat_total),
    "lem.ziggurat_weight": Script(ziggurat_weight),
    "lem.ziggurat_distance": Script(ziggurat_distance),
    "lem.ziggurat_value": Script(ziggurat_value),
}
