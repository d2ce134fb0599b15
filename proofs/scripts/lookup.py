"""Lookups (Cookbook, Section 5.3 and Table 5): codes in blocks, the layer-norm hash, quadratic maximization."""

from __future__ import annotations

import re

from script import Script, each

from symcook.proof.normal import fkey
from symcook.proof.search.tactics import Goal, Tactic


def each_by(*how: str) -> Tactic:
    """A conjunction, part by part: ``#label`` a fact, other text `auto` from these facts, nothing what is easy.

    A single entry serves all parts.
    """

    def run(h: Goal) -> None:
        goals = h.split()
        for e, k in zip(goals, how * len(goals) if len(how) == 1 else how, strict=True):
            if k.startswith("#"):
                e.hyp(k[1:])
            elif k:
                e.auto(k)
            else:
                e.easy()

    return run


def root(g: Goal, x: str, label: str) -> Goal:
    """sqrt(x) with LABEL_p: positive, LABEL_s: its square, LABEL_e: times its inverse, LABEL_i: inverse positive."""
    return g.use("lem:sqrt_positive", x, label=f"{label}_p {label}_s {label}_e {label}_i")


def square(g: Goal, x: str, label: str) -> Goal:
    """0 <= x^2."""
    return g.have(f"0 <= ({x})^2", label, squares=[x])


def counted(scores: str, size: str = "n") -> Tactic:
    """The number of maxima is not 0."""
    return lambda h: h.use("lem:hm_count", scores, size, label="count").auto(degree=1, rounds=0)


def past_mask(g: Goal) -> None:
    g.intro("n i s alpha (low high is)")
    mask = "sum(k, 1, n, I[i <= k]*exp(s(k)))"
    g.use("lem:sum_split", "k. I[i <= k]*exp(s(k))", "1", "i - 1", "n", label="parts")

    def none(h: Goal) -> None:
        h.intro("k (kl kh)")
        yes, no = h.ind("i <= k", "at value")
        yes.auto("at kh")
        no.auto("value", rounds=0, multipliers=["exp(s(k))"])

    def same(h: Goal) -> None:
        h.intro("k (kl kh)")
        yes, no = h.ind("i <= k", "at value")
        yes.auto("value", rounds=0, multipliers=["exp(s(k))"])
        no.auto("at kl")

    g.use("lem:sum_ext", "k. I[i <= k]*exp(s(k))", "k. 0", "1", "i - 1", none, label="before")
    g.use("lem:sum_ext", "k. I[i <= k]*exp(s(k))", "k. exp(s(k))", "i", "n", same, label="after")
    window = "sum(k, i, n, exp(s(k)))"
    g.have(f"{mask} = {window}", "total", use="parts before after")
    positive = lambda h: h.intro("k inside").use("ax:exp_pos", "s(k)", label="here").hyp("here")  # noqa: E731
    g.use("lem:sum_positive", "k. exp(s(k))", "i", "n", lambda h: h.hyp("high"), positive, label="some")
    g.positive(window, "w", lambda h: h.hyp("some"))

    def value(h: Goal, j: str) -> Goal:
        return h.use("is", j, label="here").rewrite("total", "here", "here_w")

    zero, later, unit = g.split()
    zero.intro("j (jl jh) early")
    yes, no = value(zero, "j").ind("i <= j", "at size")
    yes.auto("at early")
    no.auto("here_w size", rounds=0, multipliers=[f"exp(s(j))/{window}"])
    later.intro("j (jl jh)")
    yes, no = value(later, "j").ind("i <= j", "at size")
    no.contra("wrong").auto("at jl")
    yes.have(f"alpha(j) = exp(s(j))/{window}", "is_j", use="here_w size", rounds=0, multipliers=[f"exp(s(j))/{window}"])
    one, two = yes.split()
    one.hyp("is_j")
    two.use("ax:exp_pos", "s(j)", label="pos").auto("pos w_i is_j")
    right = f"j. I[i <= j]*exp(s(j))/{window}"
    unit.use(
        "lem:sum_ext", "alpha", right, "1", "n", lambda h: value(h.intro("j inside"), "j").hyp("here_w"), label="sums"
    )
    unit.auto("sums total w_e", rounds=0, multipliers=["1", f"1/{window}"])


def past_mask_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        positive = lambda e: e.intro("k inside").use("ax:exp_pos", "s(k)", label="here").hyp("here")  # noqa: E731
        h.use("lem:sum_positive", "k. exp(s(k))", "i", "n", None, positive, label="some")
        if h.try_auto(degree=1, rounds=0):
            return

        def least(e: Goal) -> None:
            e.intro("k inside").use("ax:exp_pos", "s(k)", label="here")
            yes, no = e.ind("i <= k", "at value")
            yes.auto("value here")
            no.auto("value here")

        body = "k. I[i <= k]*exp(s(k))"
        h.use("lem:sum_member", body, "1", "n", "i", None, least, label="most").use("ax:exp_pos", "s(i)", label="top")
        h.auto("most top " + [k for k in h.facts if k.startswith("p")][-1], degree=1, rounds=0)

    g.leaves("n i s alpha j", leaf)


MASKED = ("3", "2", "j. 0", "j. I[2 <= j]*exp(0)/sum(k, 1, 3, I[2 <= k]*exp(0))")


def hardmaxes(g: Goal) -> None:
    g.intro("n s some")
    g.use("lem:hm_sum", "s", "n", label="unit")
    for side, order in (("left", "lhardmax"), ("right", "rhardmax")):
        p = "p" if side == "left" else "r"
        g.use(f"lem:max_{side}", "s", "n", label=f"ex_{side}").obtain(f"ex_{side}", p, f"{p}l {p}h {p}max {p}first")
        g.use(f"lem:{order}_at", "s", "n", p, label=f"{order}_is")
        g.use("lem:sum_ext", f"j. {order}(s, n, j)", f"j. I[j = {p}]", "1", "n", f"#{order}_is", label=f"sum_{order}")
        g.use("lem:sum_delta", "j. 1", "1", "n", p, label=f"one_{order}")
    left, right, weights, sum_l, sum_r, sum_a, agree = g.split()
    left.witness("p").easy()
    right.witness("r").easy()
    weights.intro("j (low high)").use("lem:hm_weight", "s", "n", "j", label="pos")
    nonneg = lambda h: h.intro("k inside").use("lem:hm_weight", "s", "n", "k", label="here").hyp("here")  # noqa: E731
    weights.use("lem:sum_member", "k. hardmax(s, n, k)", "1", "n", "j", None, nonneg, label="most")
    weights.easy(use="pos most unit")
    sum_l.auto("sum_lhardmax one_lhardmax")
    sum_r.auto("sum_rhardmax one_rhardmax")
    sum_a.hyp("unit")
    agree.intro("single").obtain("single", "t", "tl th only")
    agree.use("only", "p", label="p_is back").use("p_is", label="p_eq").use("only", "r", label="r_is back_r")
    agree.use("r_is", label="r_eq").use("only", "t", label="there t_max").use("t_max", "!", label="top")

    def less(h: Goal) -> None:
        h.intro("j (jl jh) differ").use("top", "j", label="le")
        yes, no = h.em("s(j) < s(t)", "lt")
        yes.hyp("lt")
        no.have("maximal(s, n, j)", "also", lambda e: e.intro("k inside").use("top", "k", label="here").auto("here lt"))
        no.use("only", "j", label="same rest").use("same", "#also", label="eq").contra("any").absurd("eq", "differ")

    agree.use("lem:hardmax_unique", "s", "n", "t", None, less, label="hard").intro("j inside")
    agree.use("hard", "j", label="hard_j").use("lhardmax_is", "j", label="left_j").use(
        "rhardmax_is", "j", label="right_j"
    )
    agree.rewrite("p_eq", "left_j", "left_t").rewrite("r_eq", "right_j", "right_t")
    one, two = agree.split()
    one.auto("left_t hard_j")
    two.auto("right_t hard_j")


def hardmaxes_inhabited(g: Goal) -> None:
    each(
        lambda h: h.inhabit("3", "j. 0"),
        lambda h: h.inhabit("1", "j. 0", "1"),
        lambda h: h.inhabit("1", "j. 0", "1", "1"),
    )(g)


ONEHOT = "a p. I[a = p]"


def exists(m: str, n: str, codes: str, *witnesses: tuple[str, ...]) -> Tactic:
    """H of a lookup with n = 2, queries 1 and values 0; `witnesses` for each part, with z and found by name."""

    def run(g: Goal) -> None:
        g.use("lem:block_exists", m, n, codes, "i. 1", "i. 0", "1", label="some")
        g.obtain("some", "z0", "some_z").obtain("some_z", "found0", "columns layer")
        g.inhabit(*(w for one in witnesses for w in one), leaf=close)

    return run


def close(h: Goal) -> None:
    same = [name for name, fact in h.facts.items() if fkey(fact) == fkey(h.goal)]
    h.hyp(same[0]) if same else h.blast()


HASH_AT = ("2", "i. 1", "i. 0", "z0", "1", "found0")
BLOCK = "l. c*blockscore(z, {m}, i, l)"


def ao_lookup(g: Goal) -> None:
    g.intro("m N X eps n q v z c found (wide some fits factor pos long near asked) columns layer i inside")
    g.have("0 <= m", "width", use="wide").use(
        "lem:block_scores", "m", "n", "X", "q", "v", "z", "#width", "#columns", label="is"
    )
    g.use("is", "i", label="codes value scores").use("asked", "i", label="ql qh")
    low, high, found = g.split()
    low.use("scores", "q(i)", label="here").use("long", "q(i)", label="least").auto("here least")

    def below(h: Goal, p: str, j: str) -> Goal:
        """The dot product is at most eps."""
        h.use("near", p, None, j, None, lambda e: e.intro("eq").blast(), label="bound")
        dot = f"sum(a, 1, m, X(a, {p})*X(a, {j}))"
        proof = lambda e: e.apart(f"abs({dot})", lambda k: k.auto(degree=1, rounds=0))  # noqa: E731
        return h.have(f"{dot} <= eps", "less", proof)

    high.intro("j (jl jh) differ").use("scores", "j", label="here")
    below(high, "q(i)", "j").auto("here less")
    found.intro("small")

    def ready(h: Goal) -> None:
        width, positive, range_, best = h.split()
        width.hyp("width")
        positive.hyp("factor")
        range_.hyp("asked")
        best.intro("p (pl ph) j (jl jh) differ").use("long", "p", label="least")
        below(best, "p", "j").auto("less least small")

    found.use("lem:block_found", "m", "n", "X", "q", "v", "z", "c", "found", ready, "#columns", "#layer", label="done")
    found.use("done", "i", label="at").hyp("at")


def ao_lookup_inhabited(g: Goal) -> None:
    first = ("3", "3", ONEHOT, "1/4", "2", "i. 1", "i. 0", "z0", "1", "found0", "1")
    g.use("lem:onehot_near", "3", "1/4", label="long near")
    exists("3", "2", ONEHOT, first, (*first, "2"), first)(g)


def square_half(x: str) -> str:
    """The variance of [x; 1; -x; -1]."""
    return f"({x})^2/2 + 1/2"


def hash_leaf(*values: str) -> Tactic:
    """A condition on the layer norms of [x; 1; -x; -1] for these x."""

    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        for k, x in enumerate(v for v in values if all(name in h.scope for name in names_of(v))):
            square(h, x, f"sq{k}").have(f"0 < {square_half(x)}", f"v{k}", use=f"sq{k}")
            root(h, square_half(x), f"r{k}")
        h.auto(degree=1, rounds=0)

    return leaf


def norm_leaf(h: Goal) -> None:
    square(h, "x", "sq").have("0 < x^2/2 + 1/2", "v", use="sq").have("0 < 2*x^2 + 2", "u", use="sq")
    root(root(h, "x^2/2 + 1/2", "r"), "2*x^2 + 2", "t")
    h.have("0 < x^2 + 1", "w_pos", use="sq").positive("x^2 + 1", "w", lambda e: e.hyp("w_pos"))
    h.have("0 < (1/sqrt(x^2/2 + 1/2))^2", "i", use="r_i").have("0 <= x^2*(1/sqrt(x^2/2 + 1/2))^2", "xi", use="sq i")
    h.auto(degree=1, rounds=0)


def hash_pairs(h: Goal) -> None:
    """A condition on the layer norms of some whole numbers."""
    hash_leaf(*(name for name, sort in h.scope.items() if sort == "Int" and name not in "nm"))(h)


def names_of(text: str) -> list[str]:
    return re.findall(r"[a-z]\w*", text)


def lh_scale(g: Goal) -> None:
    g.intro("k x c (nonzero low high)").have("0 < x^2 + 1", "pos", squares=["x"])
    up, down = g.split()
    up.intro("kp").use("lem:hash_scaled", "k", "x", "1", "c", label="done").hyp("done")
    down.intro("kn").use("lem:hash_scaled", "-k", "x", "1", "c", label="done").auto("done", rounds=0)


def lh_scale_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        square(h, "x", "sq").have("0 < (x)^2/2 + 1/2", "v", use="sq")
        sign = next(k for k, f in h.facts.items() if h.text(f) in ("0 < k", "k < 0"))
        h.have("0 < k^2", "kk", use=sign).have(
            "0 < (k*x)^2/2 + k^2/2", "w", lambda e: square(e, "k*x", "kx").auto("kx kk")
        )
        root(root(h, "(x)^2/2 + 1/2", "r"), "(k*x)^2/2 + k^2/2", "t").auto(degree=1, rounds=0)

    g.leaves("k x c", leaf)


def lh_from_ratio(g: Goal) -> None:
    g.intro("x i c (some low high)").positive("i", "i", lambda h: h.auto("some")).have(
        "0 < x^2 + 1^2", "pos", squares=["x"]
    )
    g.use("lem:hash_scaled", "1/i", "x", "1", "c", label="done").auto("done", rounds=0)


def ratio_leaf(*pairs: tuple[str, str, str]) -> Tactic:
    """Conditions on the variances of [x; y; -x; -y], where y = 1/i or 1; triples x, y, i."""

    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        for k, (x, y, i) in enumerate(pairs):
            if not all(name in h.scope for name in names_of(f"{x} {y} {i}")):
                continue
            v = f"({x})^2/2 + ({y})^2/2"
            h.positive(i, f"i{k}").have(f"0 < ({y})^2", f"y{k}", use=f"i{k}_i") if y != "1" else None
            square(h, x, f"x{k}").have(f"0 < {v}", f"v{k}", use=[f"x{k}", *([f"y{k}"] if y != "1" else [])])
            root(h, v, f"r{k}")
        h.auto(degree=1, rounds=0)

    return leaf


def lh_key(g: Goal) -> None:
    g.intro("i j q c (some any low high)").positive("i", "i", lambda h: h.auto("some")).positive(
        "j", "j", lambda h: h.auto("any")
    )
    square(square(g, "q", "q_sq"), "j", "j_sq").have("0 < q^2 + 1", "q_pos", use="q_sq").have(
        "0 < j^2 + 1", "j_pos", use="j_sq"
    )
    key, query = g.split()
    key.have("1/j*j = 1", "one", use="j_e").use("lem:hash_scaled", "1/j", "j", "1", "c", label="scaled")
    key.rewrite("one", "scaled", "done").auto("done", rounds=0)
    query.use("lem:hash_scaled", "1/i", "q", "1", "c", label="done").auto("done", rounds=0)


def lh_norm(g: Goal) -> None:
    g.intro("x").use("lem:hash_score", "x", "x", label="first second")
    square(g, "x", "sq").have("0 < x^2 + 1", "some", use="sq").positive("x^2 + 1", "w", lambda h: h.hyp("some"))

    def both(h: Goal) -> None:
        low, is_ = h.split()
        low.auto("some")
        is_.true()

    g.use("lem:sqrt_unique", "(x^2 + 1)*(x^2 + 1)", "x^2 + 1", both, label="is").rewrite("is", "second", "norm")
    one, two = g.split()

    def four(h: Goal) -> None:
        low, is_ = h.split()
        low.true()
        is_.auto("norm w_e", rounds=0)

    one.use("lem:sqrt_unique", "sum(c, 1, 4, lhash(x, c)^2)", "2", four, label="done").hyp("done")
    two.intro("c inside").have("0 < (x)^2/2 + 1/2", "v", use="sq")
    two.use("lem:sqrt_scaled", "2", "(x)^2/2 + 1/2", label="root inverse")
    two.auto("inverse", rounds=0, multipliers=[f"{e}*I[c = {n}]" for n in range(1, 5) for e in ("1", "x")])


HASH = "a p. lhash(p, a)"


def hash_found(g: Goal) -> Goal:
    g.intro("n q v z c found (some factor asked) columns layer")

    def ready(h: Goal) -> None:
        width, positive, asked, best = h.split()
        width.true()
        positive.hyp("factor")
        asked.hyp("asked")
        best.intro("p (pl ph) j (jl jh) differ").use("lem:hash_best", "p", "j", "#differ", label="done").hyp("done")

    return g.use(
        "lem:block_found", "4", "n", HASH, "q", "v", "z", "c", "found", ready, "#columns", "#layer", label="done"
    )


def lh_argmax(g: Goal) -> None:
    hash_found(g).use("lem:block_scores", "4", "n", HASH, "q", "v", "z", "!", "#columns", label="is")
    g.intro("i (low high)").use("is", "i", label="codes value scores").use("asked", "i", label="ql qh")
    first, second, third = g.split()
    first.hyp("scores")
    second.intro("j (jl jh)")
    only, best = second.split()
    only.intro("max").contra("differ").use("max", "q(i)", label="at").use(
        "lem:hash_best", "q(i)", "j", "#differ", label="less"
    ).auto("at less")

    def least(h: Goal) -> None:
        h.intro("is_q k inside").rewrite("is_q")
        yes, no = h.em("k = q(i)", "at")
        yes.rewrite("at").true()
        no.use("lem:hash_best", "q(i)", "k", "#at", label="less").auto("less")

    least(best)
    third.use("done", "i", label="at").hyp("at")


def lh_lookup(g: Goal) -> None:
    hash_found(g).intro("i inside").use("done", "i", label="at").hyp("at")


def lh_lookup_defined(names: str) -> Tactic:
    def leaf(h: Goal) -> None:
        last = h.text(list(h.facts.values())[-1])
        if h.goal[0] == "false" and last.startswith("sum(") and "z(" in last:
            counted(BLOCK.format(m="4"))(h)
        else:
            hash_leaf("q(i)", *(name for name, sort in h.scope.items() if sort == "Int" and name != "n"))(h)

    return lambda g: g.leaves(names, leaf)


def lh_gap(g: Goal) -> None:
    g.intro("n m g h (some less g_least g_at h_least h_at)").have("2 <= m", "many", use="some less")
    for x, size, some in (("g", "n", "some"), ("h", "m", "many")):
        g.use("lem:hash_least", size, x, f"#{some}", label=f"{x}_1 {x}_2 {x}_is")
        both = each_by(f"#{x}_least", f"#{x}_at")
        g.use(f"{x}_is", both, label=f"{x}_value")
    g.have("0 < n*(n - 1) + 1", "n_pos", lambda e: e.have("0 <= n*(n - 1)", "p", use="some").auto("p"))
    g.have("0 < m*(m - 1) + 1", "m_pos", lambda e: e.have("0 <= m*(m - 1)", "p", use="many").auto("p"))
    g.use("lem:hash_gap_compare", "m", "m - 1", "n", "n - 1", label="weak strict", premises=1)
    g.have(
        "n*(n - 1) + 1 < m*(m - 1) + 1",
        "more",
        lambda e: e.have("0 < (m - n)*(m + n - 1)", "p", use="less some many").auto("p"),
    )

    def squares(e: Goal) -> None:
        e.have("(n*(n - 1) + 1)^2 < (m*(m - 1) + 1)^2", "sq", use="more n_pos m_pos").auto("sq")

    g.use("strict", squares, label="done").auto("done g_value h_value")


def lh_gap_inhabited(g: Goal) -> None:
    g.use("lem:hash_least", "2", "0", "!", label="g_least g_at any", premises=0)
    g.use("lem:hash_least", "3", "0", "!", label="h_least h_at other", premises=0)
    g.witness("2", "3", "4*hashgap(2, 2 - 1)", "4*hashgap(3, 3 - 1)")
    for h in g.split():
        close(h)


def selective_refuted(g: Goal) -> None:
    """d = 5, x = i = c = 1: 1/sqrt(4/5) is not 1."""
    g.use("claim", label="first second")

    def four(h: Goal) -> None:
        for e in h.split():
            if e.goal[0] == "all":
                e.intro("b inside").true()
            else:
                e.true()

    root(g.use("first", "5", "b. quadruple(1, 1, b)", "1", "1", "1", four, label="wrong"), "4/5", "r")
    g.have("sqrt(4/5) = 1", "is", use="wrong r_e", rounds=0, multipliers=["1", "sqrt(4/5)"]).auto(
        "is r_s", multipliers=["1", "sqrt(4/5)"]
    )


def selective_whole(g: Goal) -> None:
    """The printed claim is defined everywhere: entries 2 and 4 are 1/i and -1/i, so that the variance is positive."""

    def leaf(h: Goal) -> None:
        if h.try_contradiction() or h.try_auto(degree=1, rounds=0):
            return
        wide, some = (next(k for k, f in h.facts.items() if h.text(f) == t) for t in ("4 <= d", "1 <= i"))
        four = next(k for k, f in h.facts.items() if f[0] == "all" and "x/i" in h.text(f) and "u(" in h.text(f))
        zero = [] if h.goal[0] != "false" else [list(h.facts)[-1]]
        one_square = re.search(r"I\[(\w+) <= 4\]\*u\(\1\)", h.text(h.facts[zero[0]] if zero else h.goal))
        entry = "I[{0} <= 4]*u({0})" if one_square else "u({0})"
        mean = f"sum(e, 1, d, {entry.format('e')})/d"
        spread = f"b. ({entry.format('b')} - {mean})^2"
        h.positive("i", "i", lambda e: e.auto(some, degree=1, rounds=0))
        h.positive("d", "d", lambda e: e.auto(wide, degree=1, rounds=0))
        ends = lambda e: e.auto(wide, degree=1, rounds=0)  # noqa: E731
        for b in ("2", "4"):
            inside = lambda e: [ends(part) for part in e.split()]  # noqa: E731
            low = lambda e: e.intro_all().auto(squares=[e.text(e.goal[2][1][2][0])])  # noqa: E731
            h.use(four, b, label=f"is{b}").use("lem:sum_member", spread, "1", "d", b, inside, low, label=f"part{b}")
            h.rewrite(f"is{b}", f"part{b}", f"part{b}_is")
        total = f"sum(b, 1, d, ({entry.format('b')} - {mean})^2)"
        h.have(f"0 < {total}", "some_spread", use="part2_is part4_is i_i", squares=[mean])
        h.have(f"0 < {total}/d", "variance", use="some_spread d_i")
        square(h, "x", "sq").have("0 < x^2/2 + 1/2", "v", use="sq")
        root(root(h, f"{total}/d", "w"), "x^2/2 + 1/2", "r").auto(degree=1, rounds=0)

    g.leaves("d u x i c", leaf)


def ratios(g: Goal) -> Goal:
    """0 < 1/i and 0 < (x/i)^2 + (1/i)^2 from `some`: 1 <= i."""
    g.positive("i", "i", lambda h: h.auto("some")).have("0 < (1/i)^2", "i2", use="i_i")
    return square(g, "x/i", "x2").have("0 < (x/i)^2 + (1/i)^2", "xy", use="x2 i2")


def normed(g: Goal, f: str, label: str = "n") -> Goal:
    """lem.masked_norm for the components f, with `four` and `rest`."""
    ready = each_by("#wide", "#four_f", "#rest_f", "#xy")
    return g.use("lem:masked_norm", "d", f, "x/i", "1/i", ready, label=f"{label}_zero {label}_is {label}_pos")


MASK = "b. I[b <= 4]*u(b)"


def masked(g: Goal) -> Goal:
    """The masked components: `four_f`, `rest_f`, and their squares from 5 on, `tail`."""

    def four(h: Goal) -> None:
        h.intro("b (bl bh)").use("four", "b", label="here")
        yes, no = h.ind("b <= 4", "at value")
        yes.auto("here value", rounds=0, multipliers=["u(b)"])
        no.contra("any").auto("at bh")

    def zero(h: Goal) -> None:
        h.intro("b (bl bh)")
        yes, no = h.ind("b <= 4", "at value")
        yes.contra("any").auto("at bl")
        no.auto("value", rounds=0, multipliers=["u(b)", "u(b)^2", "I[b <= 4]*u(b)^2"])

    g.have("all b in 1..4. I[b <= 4]*u(b) = quadruple(x/i, 1/i, b)", "four_f", four)
    g.use("lem:sum_ext", MASK, "b. 0", "5", "d", zero, label="rest").have(
        "sum(b, 5, d, I[b <= 4]*u(b)) = 0", "rest_f", use="rest"
    )
    return g.use("lem:sum_ext", "b. (I[b <= 4]*u(b))^2", "b. 0", "5", "d", zero, label="tail")


def selective(g: Goal) -> None:
    first, second = g.split()
    first.intro("d u x i c (wide some four low high)")
    normed(masked(ratios(first)), MASK)
    v = "x^2/2 + 1/2"
    square(first, "x", "sq").have(f"0 < {v}", "v", use="sq").positive("d", "d", lambda h: h.auto("wide"))
    root(root(first, v, "r"), "d", "t")
    variance = "sum(b, 1, d, (I[b <= 4]*u(b) - sum(e, 1, d, I[e <= 4]*u(e))/d)^2)/d"
    first.have(f"{variance} = 4*(1/i)^2*(1/d)*({v})", "w_is", use="n_is tail", rounds=0, multipliers=["1", "1/d"])
    root(first, variance, "w")

    def both(h: Goal) -> None:
        low, is_ = h.split()
        low.have("0 < 1/i*(1/sqrt(d))", "p", use="i_i t_i").auto("p r_p")
        is_.have(
            "1/sqrt(d)*(1/sqrt(d)) = 1/d",
            "inv",
            use="t_e t_s d_e",
            rounds=0,
            multipliers=[
                "1/sqrt(d)/sqrt(d)",
                "1/d",
                "1/sqrt(d)",
                "1/sqrt(d)/d",
                "sqrt(d)/sqrt(d)/d",
                "1/d/sqrt(d)/sqrt(d)",
            ],
        )
        is_.auto(
            "w_is r_s inv",
            rounds=0,
            multipliers=["1", "(1/i)^2", f"(1/i)^2*({v})", f"(1/i)^2*sqrt({v})^2", "(1/i)^2/d"],
        )

    y = f"2*(1/i)*(1/sqrt(d))*sqrt({v})"
    first.use("lem:sqrt_unique", variance, y, both, label="w_root")
    inverse = f"1/sqrt({variance})"
    # 1/w = i*sqrt(d)/2/sqrt(v)
    first.have(
        f"{inverse}*(1/i) = sqrt(d)/2*(1/sqrt({v}))",
        "value",
        lambda h: h.auto(
            "w_root w_e t_e r_e",
            rounds=0,
            multipliers=[
                "1",
                f"sqrt(d)*(1/sqrt({v}))",
                f"sqrt(d)*(1/sqrt({v}))*({inverse})",
                f"sqrt({v})*(1/sqrt({v}))*({inverse})*(1/i)",
                f"{inverse}*(1/i)",
            ],
        ),
    )
    inside, outside = first.ind("c <= 4", "at size")
    inside.use("four", "c", label="u_is")
    products = [f"{e}*I[c = {n}]" for n in range(1, 5) for e in ("1", "x")]
    inside.auto(
        "size u_is value n_zero",
        rounds=0,
        multipliers=[
            "1",
            f"u(c)*({inverse})",
            inverse,
            *products,
            f"{inverse}/d",
            *(f"{p}*sqrt(d)*(1/sqrt({v}))" for p in products),
        ],
    )
    outside.auto(
        "size n_zero",
        rounds=0,
        multipliers=[
            "1",
            f"u(c)*({inverse})",
            inverse,
            f"{inverse}/d",
            *(f"{p}*sqrt(d)*(1/sqrt({v}))" for p in products),
        ],
    )

    second.intro("d u x i (wide some four rest)")
    ratios(second).use(
        "lem:masked_norm",
        "d",
        "u",
        "x/i",
        "1/i",
        each_by("#wide", "#four", "#rest", "#xy"),
        label="n_zero n_is n_pos",
    )
    spread = "sum(b, 1, d, (u(b) - sum(e, 1, d, u(e))/d)^2)/d"
    square(second, "x", "sq").have(f"0 < {v}", "v", use="sq")
    root(root(second, v, "r"), spread, "w").witness(f"sqrt({v})*(1/i)*(1/sqrt({spread}))")
    low, same = second.split()
    low.have("0 < 1/i*(1/sqrt(" + spread + "))", "p", use="i_i w_i").auto("p r_p")
    same.intro("c inside").use("four", "c", label="u_is")
    products = [f"{e}*I[c = {n}]*(1/i)*(1/sqrt({spread}))" for n in range(1, 5) for e in ("1", "x")]
    same.auto("u_is n_zero r_e", rounds=0, multipliers=[f"1/sqrt({spread})", f"1/sqrt({spread})/d", *products])


def selective_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        wide, some = (next(k for k, f in h.facts.items() if h.text(f) == t) for t in ("4 <= d", "1 <= i"))
        h.have("4 <= d", "wide", use=wide).have("1 <= i", "some", use=some)
        if h.try_auto(degree=1, rounds=0):
            return
        four = next(k for k, f in h.facts.items() if f[0] == "all" and "x/i" in h.text(f) and "u(" in h.text(f))
        h.have("all b in 1..4. u(b) = quadruple(x/i, 1/i, b)", "four", lambda e: e.hyp(four))
        square(h, "x", "sq").have("0 < x^2/2 + 1/2", "v", use="sq")
        ratios(root(h, "x^2/2 + 1/2", "r"))
        summed = [k for k, f in h.facts.items() if h.text(f).startswith("sum(") and h.text(f).endswith(", u(j)) = 0")]
        if summed:
            ready = each_by("#wide", "#four", f"#{summed[0]}", "#xy")
            h.use("lem:masked_norm", "d", "u", "x/i", "1/i", ready, label="n_zero n_is n_pos")
            root(h, "sum(b, 1, d, (u(b) - sum(e, 1, d, u(e))/d)^2)/d", "w")
        else:
            normed(masked(h), MASK)
            root(h, "sum(b, 1, d, (I[b <= 4]*u(b) - sum(e, 1, d, I[e <= 4]*u(e))/d)^2)/d", "w")
        h.auto(degree=1, rounds=0)

    first, second = parts(g)
    leaf_first = lambda names: lambda h: h.leaves(names, leaf)  # noqa: E731
    leaf_first("d u x i c")(first)
    leaf_first("d u x i")(second)


def parts(g: Goal) -> list[Goal]:
    """The conditions D of the two conjuncts; the second may assume the first."""
    first, second = g.split()
    if second.goal[0] == "->":
        second.intro("earlier")
    return [first, second]


def log_of(g: Goal, n: str = "N", some: str = "some") -> Goal:
    """log(2n) = log 2 + log n, 0 <= log n, log 2 >= 3/5, where a fact `some` gives n >= 1."""
    g.use(
        "lem:log_product",
        "2",
        n,
        each_by("", some),
        label="log_is",
    )
    g.use("lem:log_unique", "1", "0", "!", label="log_one").use("lem:log_mono", "1", n, each_by(some), label="log_n")
    g.have(f"0 <= log({n})", "log_pos", use="log_one log_n")
    return g if "two_low" in g.facts else g.use("lem:log_two", label="two_low two_high")


def ao_dimension(g: Goal) -> None:
    first, second, third = g.split()
    third.intro("delta k (less positive)").use("lem:log_unique", "1", "0", "!", label="zero").rewrite("zero").auto(
        "less"
    )
    first.intro("eps delta (pos positive)").use("lem:log_two", label="two_low two_high").have(
        "0 < log(2)", "l_pos", use="two_low"
    )
    first.positive("log(2)", "l", lambda h: h.hyp("l_pos"))
    k = "((abs(log(delta)) + 1)*(1/log(2)))"

    def size(h: Goal) -> None:
        h.apart("abs(log(delta))", lambda e: e.auto(degree=1, rounds=0))

    first.have("0 <= abs(log(delta))", "size", size).have("-log(delta) <= abs(log(delta))", "more", size)
    first.have("0 < eps^2", "sq", use="pos").positive("eps^2", "e", lambda h: h.hyp("sq")).witness(k)
    low, rest = first.split()
    low.have("0 < (abs(log(delta)) + 1)*(1/log(2))", "p", use="size l_i").auto("p")
    rest.intro("N many").have("1 <= N", "some", use="many")
    rest.use("lem:log_mono", "2", "N", each_by("many"), label="log_two_n")
    rest.have(
        f"0 < {k}", "k_pos", lambda h: h.have("0 < (abs(log(delta)) + 1)*(1/log(2))", "p", use="size l_i").auto("p")
    )
    rest.have(f"0 <= {k}*(log(N) - log(2))", "step", use="k_pos log_two_n")
    below, ceiling_ = rest.split()
    below.use("ax:exp_log", "delta", label="is")
    below.use(
        "lem:exp_mono",
        f"-{k}*log(N)",
        "log(delta)",
        lambda h: h.auto("step more l_e", rounds=0, multipliers=["1", "abs(log(delta))"]),
        label="less",
    )
    below.auto("less is")
    log_of(ceiling_).have("0 < log(2*N)", "log_2n", use="log_is log_pos two_low")
    ceiling_.have(
        f"0 < {k}*(1/eps^2)*log(2*N)",
        "room",
        lambda h: h.have(f"0 < {k}*(1/eps^2)", "p", use="k_pos e_i").auto("p log_2n"),
    )
    ceiling_.use("lem:ceiling", f"12*{k}/eps^2*log(2*N)", lambda h: h.auto("room"), label="done").hyp("done")

    logarithmic(second, "24*k/eps^2 + 1/log(2)")


def logarithmic(g: Goal, constant: str) -> None:
    """ceil(12*k/eps^2*log(2*N)), or a multiple of it, is at most a constant times log(N)."""
    g.intro("eps k (pos kp)").have("0 < eps^2", "sq", use="pos").positive("eps^2", "e", lambda h: h.hyp("sq"))
    g.use("lem:log_two", label="two_low two_high").have("0 < log(2)", "l_pos", use="two_low")
    g.positive("log(2)", "l", lambda h: h.hyp("l_pos")).witness(constant).intro("N m (many near)")
    g.have("1 <= N", "some", use="many")
    g.use("lem:log_mono", "2", "N", each_by("many"), label="log_two_n")
    log_of(g).have("0 < k*(1/eps^2)", "factor", use="kp e_i")
    g.have("0 <= k*(1/eps^2)*(log(N) - log(2))", "one", use="factor log_two_n")
    g.have("0 <= (log(N) - log(2))*(1/log(2))", "two", use="log_two_n l_i")
    g.auto("near one two log_is l_e", rounds=0, multipliers=["1", "k/eps^2"])


def width(g: Goal) -> None:
    first, second = g.split()
    first.intro("P h X (some size) long orthogonal").use("lem:cookbook.s3.2.onehot_width", label="bound reached")
    first.use("bound", "P", "h", "i a. X(a, i)", None, "#long", "#orthogonal", label="fits").auto("fits")
    logarithmic(second, "48*k/eps^2 + 3/log(2)")


def ao_dimension_defined(g: Goal) -> None:
    """eps^2 != 0, and logarithms of positive numbers."""

    def leaf(h: Goal) -> None:
        positive = [
            k for k, f in h.facts.items() if f[0] == "<" and h.text(f).startswith("0 < ") and f[2][1][0] == "var"
        ]
        for k in positive:
            x = h.text(h.facts[k][2][1])
            h.have(f"0 < {x}^2", f"sq_{k}", use=k)
        h.auto(degree=1, rounds=0)

    g.leaves("", leaf)


def space_near(g: Goal) -> None:
    g.intro("sign m N M eps (signs every count wide some pos small)").use("lem:cosh_bound", "eps/2", None, label="cosh")
    g.have("(exp(-eps/2) + exp(-(-eps/2)))/2 <= exp((eps/2)^2)", "cosh_minus", use="cosh")
    dot = "sum(a, 1, m, sign(a, i, r)*sign(a, j, r))"
    both = f"exp(eps/2*{dot}) + exp(-eps/2*{dot})"
    phi = f"sum(j, 1, N, sum(i, 1, j - 1, {both}))"
    near = "nearorthogonal(a i. sign(a, i, r)/sqrt(m), m, N, eps)"
    limit = "exp(eps/2*(eps*m))"

    def bad(h: Goal) -> None:
        h.intro("r rr")
        yes, no = h.em(f"{phi} <= {limit}", "less")
        ready = each_by("pos", "#less")
        yes.use("lem:pair_small", "N", "m", "a i. sign(a, i, r)", "eps/2", "eps*m", ready, label="close")

        def given(e: Goal) -> None:
            one, two, three = e.split()
            one.hyp("wide")
            two.auto("pos")
            three.intro("a ar i ir").use("signs", "r", None, "a", None, "i", None, label="sign").hyp("sign")

        yes.use("lem:signs_near", "N", "m", "a i. sign(a, i, r)", "eps", given, label="there back").use(
            "back", "#close", label="is"
        )

        def nonneg(e: Goal) -> None:
            def row(f: Goal) -> None:
                def each(p: Goal) -> None:
                    p.intro("i ir").use("ax:exp_pos", f"eps/2*{dot}", label="p")
                    p.use("ax:exp_pos", f"-eps/2*{dot}", label="q").auto("p q")

                f.intro("j jr").use("lem:sum_nonneg", f"i. {both}", "1", "j - 1", each, label="done").hyp("done")

            e.use("lem:sum_nonneg", f"j. sum(i, 1, j - 1, {both})", "1", "N", row, label="done").hyp("done")

        for e in (yes, no):
            e.have(f"0 <= {phi}", "phi_pos", nonneg).use("ax:exp_pos", "-eps/2*(eps*m)", label="scale")
        full, not_full = yes.ind(near, "ok value")
        full.have(f"0 <= {phi}*exp(-eps/2*(eps*m))", "product", use="phi_pos scale").auto("value product", rounds=0)
        not_full.contra("any").absurd("is", "ok")
        for e in no.ind(near, "ok value"):
            e.have(f"0 <= ({phi} - {limit})*exp(-eps/2*(eps*m))", "product", use="less scale")
            e.have(f"0 <= {phi}*exp(-eps/2*(eps*m))", "other", use="phi_pos scale").auto(
                "value product other", rounds=0
            )

    g.use("lem:sum_mono", f"r. 1 - I[{near}]", f"r. {phi}*exp(-eps/2*(eps*m))", "1", "M", bad, label="bad")
    g.use("lem:sum_one", "1", "M", label="ones")
    g.use("lem:layers_swap", f"r j. sum(i, 1, j - 1, {both})", "1", "M", "1", "N", label="swap")

    def column(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:layers_swap", f"r i. {both}", "1", "M", "1", "j - 1", label="swap_j")

        def entry(e: Goal) -> None:
            e.intro("i (il ih)")
            for t, name, cosh in (("eps/2", "up", "cosh"), ("-eps/2", "down", "cosh_minus")):

                def ready(f: Goal, cosh: str = cosh) -> None:
                    for p, k in zip(
                        f.split(), ("signs", "every", "count", "il", "", "jl", "jh", "~", cosh), strict=True
                    ):
                        if k == "~":
                            p.intro("eq").auto("eq ih")
                        elif k:
                            p.hyp(k)
                        else:
                            p.auto("ih jh")

                e.use(
                    "lem:space_moment",
                    "sign",
                    "m",
                    "N",
                    "M",
                    t,
                    "(eps/2)^2",
                    "i",
                    "j",
                    ready,
                    "m",
                    None,
                    None,
                    label=name,
                )
            e.auto("up down", rounds=0)

        h.use(
            "lem:sum_mono", f"i. sum(r, 1, M, {both})", "i. 2*M*exp(m*(eps/2)^2)", "1", "j - 1", entry, label="row"
        ).auto("swap_j row", rounds=0)

    g.use(
        "lem:sum_mono",
        f"j. sum(r, 1, M, sum(i, 1, j - 1, {both}))",
        "j. sum(i, 1, j - 1, 2)*M*exp(m*(eps/2)^2)",
        "1",
        "N",
        column,
        label="all_of",
    )
    g.use("lem:sum_pairs", "N", label="pairs").use("ax:exp_pos", "-eps/2*(eps*m)", label="scale")
    total = f"sum(r, 1, M, {phi})"
    g.have(
        f"{total} <= (N^2 - N)*M*exp(m*(eps/2)^2)",
        "total",
        use="swap all_of pairs",
        rounds=0,
        multipliers=["1", "M*exp(m*eps^2/4)"],
    )
    g.have(f"0 <= ((N^2 - N)*M*exp(m*(eps/2)^2) - {total})*exp(-eps/2*(eps*m))", "product", use="total scale")
    g.auto("product bad ones", rounds=0)


FOUR = "a i r. if(i = 1, 1 - 2*I[r <= 2], 1 - 2*I[r = 1 | r = 3])"


def space_four(g: Goal) -> None:
    signs, every = g.split()
    signs.intro("r rr a ar i ir")
    for h in signs.ind("i = 1", "is value"):
        h.rewrite("value")
        for e in h.ind("r <= 2", "is_r value_r"):
            for f in e.rewrite("value_r").ind("r = 1 | r = 3", "is_s value_s"):
                f.rewrite("value_s").easy()
    every.intro("w signs").use("signs", "1", "!", "1", "!", label="one").use("signs", "1", "!", "2", "!", label="two")
    entry = "if(i = 1, 1 - 2*I[{r} <= 2], 1 - 2*I[{r} = 1 | {r} = 3])"

    def known(h: Goal, first: int, second: int) -> None:
        labels = []
        for r in range(1, 5):
            formula = f"all a in 1..1. all i in 1..2. {entry.format(r=r)} = w(a, i)"
            here = (1 - 2 * (r <= 2), 1 - 2 * (r in (1, 3)))
            labels.append(f"size_{r}")

            def proof(e: Goal, formula: str = formula, here: tuple[int, int] = here) -> None:
                yes, no = e.ind(formula, "is size")
                if here == (first, second):
                    yes.hyp("size")

                    def holds(k: Goal) -> None:
                        k.intro("a (al ah) i (il ih)").have("a = 1", "a_is", use="al ah").rewrite("a_is")
                        low, high = k.em("i <= 1", "side")
                        low.have("i = 1", "i_is", use="side il").rewrite("i_is").auto("first_is")
                        high.use("ax:int_lt", "1", "i", label="more").have("i = 2", "i_is", use="more ih").rewrite(
                            "i_is"
                        ).auto("second_is")

                    no.have(formula, "after_all", holds).absurd("after_all", "is")
                else:
                    no.hyp("size")
                    i = 1 if here[0] != first else 2
                    yes.use("is", "1", "!", f"{i}", "!", label="wrong").contra("any").auto(
                        ["wrong", "first_is" if i == 1 else "second_is"]
                    )

            h.have(f"I[{formula}] = {int(here == (first, second))}", f"size_{r}", proof)
        h.auto(labels, rounds=0)

    for h, first in zip(every.cases("one", "first_is"), (1, -1), strict=True):
        for e, second in zip(h.cases("two", "second_is"), (1, -1), strict=True):
            known(e, first, second)


def ao_probability(g: Goal) -> None:
    g.intro("N m M eps delta k sign (some pos positive large fail wide near far count signs every)")
    g.have("0 < M", "m_pos", use="count").positive("M", "M", lambda h: h.hyp("m_pos")).have(
        "0 <= M", "M_low", use="count"
    ).have("0 <= N", "N_low", use="some")
    near = "nearorthogonal(a j. sign(a, j, r)/sqrt(m), m, N, eps)"
    share = f"sum(r, 1, M, I[{near}])"
    yes, no = g.em("eps <= 1", "small")

    def all_near(h: Goal) -> None:
        ready = each_by("")
        h.use("lem:space_near_all", "sign", "m", "N", "M", "eps", ready, label="is_near")

        def one(e: Goal) -> None:
            e.intro("r rr").use("is_near", "r", "#rr", label="is")
            full, wrong = e.ind(near, "ok value")
            full.hyp("value")
            wrong.contra("any").absurd("is", "ok")

        h.use("lem:sum_ext", f"r. I[{near}]", "r. 1", "1", "M", one, label="all_of").use(
            "lem:sum_one", "1", "M", label="ones"
        )
        h.auto("all_of ones M_e positive", rounds=0, multipliers=["1/M"])

    all_near(no)
    ready = each_by("")
    yes.use("lem:space_near", "sign", "m", "N", "M", "eps", ready, label="bound")
    yes.have("0 < eps^2", "sq", use="pos").positive("eps^2", "e", lambda h: h.hyp("sq"))
    log_of(yes).have(
        "12*k*log(2*N) <= m*eps^2",
        "times",
        lambda h: h.have("0 <= (m - 12*k/eps^2*log(2*N))*eps^2", "p", use="far sq").auto(
            "p e_e", rounds=0, multipliers=["k*log(2*N)"]
        ),
    )
    yes.have("0 <= (k - 1)*log(N)", "more", use="large log_pos").have("0 <= k*log(2)", "two_k", use="large two_low")
    yes.have("k*log(2*N) = k*log(2) + k*log(N)", "parts", use="log_is", rounds=0, multipliers=["k"])
    yes.use(
        "lem:exp_mono", "2*log(N) - m*eps^2/4", "-k*log(N)", lambda h: h.auto("times parts two_k more"), label="less"
    )
    yes.use("ax:exp_log", "N", lambda h: h.auto("some"), label="n_is")
    yes.have(
        "N^2*exp(-m*eps^2/4) <= delta",
        "tail",
        lambda h: h.auto(
            "less fail n_is",
            rounds=0,
            multipliers=["exp(-m*eps^2/4)", "exp(-m*eps^2/4)*N", "exp(-m*eps^2/4)*exp(log(N))"],
        ),
    )
    yes.use("ax:exp_pos", "-m*eps^2/4", label="e_pos").have("0 <= N*exp(-m*eps^2/4)", "rest", use="some e_pos")
    yes.have(f"0 <= ({share} - M + (N^2 - N)*M*exp(-m*eps^2/4))*(1/M)", "scaled", use="bound M_i")
    yes.auto("scaled tail rest M_e", rounds=0, multipliers=["1", "1/M", "N^2*exp(-m*eps^2/4)", "N*exp(-m*eps^2/4)"])


def ao_probability_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        facts = {h.text(f): k for k, f in h.facts.items()}
        if "1 <= m" in facts:
            root(h.have("0 < m", "m_pos", use=facts["1 <= m"]), "m", "r")
        h.have("0 < eps^2", "sq", use=facts["0 < eps"]).auto(degree=1, rounds=0)

    g.leaves("N m M eps delta k sign", leaf)


def ao_probability_inhabited(g: Goal) -> None:
    """N = 2, eps = 1/2, k = 1, delta = 1/2, and m by Eq. (38)."""
    g.have("1 <= 2", "some", Goal.true)
    log_of(g, "2").have("0 < 12*1/(1/2)^2*log(2*2)", "large", use="log_is two_low")
    g.use("lem:ceiling", "12*1/(1/2)^2*log(2*2)", label="ceil").obtain("ceil", "m0", "wide near_m far_m")
    g.use("lem:space_exists", "m0", "2", each_by("wide"), label="made")
    g.obtain("made", "M0", "ex_sign").obtain("ex_sign", "sign0", "count signs every").use("ax:exp_log", "2", label="is")

    def leaf(h: Goal) -> None:
        if "exp(" in h.text(h.goal):
            h.auto("is")
        else:
            close(h)

    g.inhabit("2", "m0", "M0", "1/2", "1/2", "1", "sign0", leaf=leaf)


def probability_small_k(g: Goal) -> None:
    """N = 2, m = 1, eps = 1/2, k = 1/100, delta = 199/200: dot products are 1 or -1."""
    g.use("lem:space_four", label="signs every").use("lem:log_two", label="two_low two_high")
    g.use("lem:log_product", "2", "2", "!", label="four_is").witness("2", "1", "4", "1/2", "199/200", "1/100", FOUR)
    near = "nearorthogonal(a j. if(j = 1, 1 - 2*I[r <= 2], 1 - 2*I[r = 1 | r = 3])/sqrt(1), 1, 2, 1/2)"

    def none(h: Goal) -> None:
        h.intro("r rr")
        yes, no = h.ind(near, "ok value")
        no.auto("value")
        yes.use("ok_2", "1", "!", "2", "!", "!", label="wrong")
        for e in yes.ind("r <= 2", "is_r value_r"):
            for f in e.rewrite("value_r", "wrong", "wrong_r").ind("r = 1 | r = 3", "is_s value_s"):
                f.rewrite("value_s", "wrong_r", "wrong_s").contra("any").absurd("wrong_s")

    for h in g.split():
        text = h.text(h.goal)
        if text.startswith("sum("):
            h.use("lem:sum_ext", f"r. I[{near}]", "r. 0", "1", "4", none, label="all_of").auto("all_of")
        elif "exp(" in text:
            h.use("lem:exp_mono", "-1/100*log(2)", "-3/500", lambda p: p.auto("two_low"), label="less")
            h.use("ax:exp_upper", "-3/500", "1", "!", "!", label="up").auto("less up")
        elif "log(" in text:
            h.auto("four_is two_low two_high")
        elif h.goal[0] == "all":
            h.easy()
        else:
            h.true()


def bits_exist(g: Goal) -> None:
    base, step = g.induct("K", "ge", "ih")
    base.witness("1", "b r. 1")
    one, signs, every = base.split()
    one.true()
    signs.easy()
    every.intro("w any")
    for h in every.ind("all b in 1..0. 1 = w(b)", "is value"):
        if not h.try_auto("value", degree=1, rounds=0):
            h.have(
                "all b in 1..0. 1 = w(b)", "empty", lambda e: e.intro("b (low high)").contra("no").auto("low high")
            ).absurd("empty", "is")
    step.obtain("ih", "M", "ex_s").obtain("ex_s", "s", "some signs every")
    new = "if(r <= M, if(b = K + 1, 1, s(b, r)), if(b = K + 1, -1, s(b, r - M)))"
    step.witness("2*M", f"b r. {new}")
    one, two, three = step.split()
    one.auto("some")

    def before(h: Goal) -> Goal:
        """b <= K from b <= K + 1 and b != K + 1."""

        def proof(e: Goal) -> None:
            e.contra("more").use("ax:int_lt", "K", "b", label="next").have("b = K + 1", "eq", use="next bh").absurd(
                "eq", "other"
            )

        return h.have("b <= K", "b_high", proof)

    two.intro("r (rl rh) b (bl bh)")
    for h, r in zip(two.ind("r <= M", "side value"), ("r", "r - M"), strict=True):
        last, earlier = h.rewrite("value").ind("b = K + 1", "other value_b")
        last.rewrite("value_b").easy()
        before(earlier).rewrite("value_b")
        if r != "r":
            earlier.use("ax:int_lt", "M", "r", label="after")
        earlier.use("signs", r, each_by("rl side" if r == "r" else "after rh"), "b", None, label="sign").easy()
    three.intro("w word").use("word", "K + 1", each_by("ge"), label="last")
    shorter = lambda e: e.intro("b (bl bh)").use("word", "b", None, label="here").hyp("here")  # noqa: E731
    three.use("every", "w", shorter, label="once")
    longer = f"all b in 1..K + 1. {new} = w(b)"
    three.use("lem:sum_split", f"r. I[{longer}]", "1", "M", "2*M", each_by("some"), label="parts")
    three.use("lem:layers_shift", f"r. I[{longer}]", "1", "M", "M", label="shift")

    def agrees(h: Goal, r: str, at: str, sign: str, last: str) -> None:
        """The longer word at `at` is w, or the last sign differs."""
        here = f"if({at} <= M, if(b = K + 1, 1, s(b, {at})), if(b = K + 1, -1, s(b, {at} - M)))"
        formula = f"all b in 1..K + 1. {here} = w(b)"
        old = "all b in 1..K. s(b, r) = w(b)"
        for side in h.ind(f"{at} <= M", "side value"):
            if (at == "r") == (side.facts["side"][0] == "~" or side.text(side.facts["side"]).startswith("M <")):
                side.contra("any").auto("side rl rh")
                continue
            yes, no = side.ind(formula, "is size")
            if sign != last:
                no.auto("size")
                yes.use("is", "K + 1", each_by("ge"), label="at").rewrite("value", "at", "at_v").contra("any").auto(
                    "at_v last_is"
                )
                continue

            def shorter_is(e: Goal) -> None:
                e.intro("b (bl bh)").use("is", "b", each_by("bl", "bh"), label="at").rewrite("value", "at", "at_v")
                last_one, fine = e.ind("b = K + 1", "other value_b")
                last_one.contra("any").auto("other bh")
                fine.rewrite("value_b", "at_v", "at_b").auto("at_b")

            def longer_is(e: Goal) -> None:
                e.intro("b (bl bh)").rewrite("value")
                last_one, fine = e.ind("b = K + 1", "other value_b")
                last_one.rewrite("value_b").rewrite("other").auto("last_is")
                before(fine).rewrite("value_b").use("short", "b", None, label="here").auto("here")

            both, wrong = yes.ind(old, "short size_s")
            both.auto("size size_s")
            wrong.have(old, "after_all", shorter_is).absurd("after_all", "short")
            wrong, both = no.ind(old, "short size_s")
            wrong.have(formula, "after_all", longer_is).absurd("after_all", "is")
            both.auto("size size_s")

    for h, last in zip(three.cases("last", "last_is"), ("1", "-1"), strict=True):
        for at, sign, label in (("r", "1", "first"), ("(r + M)", "-1", "second")):

            def each(e: Goal, at: str = at, sign: str = sign, last: str = last) -> None:
                agrees(e.intro("r (rl rh)"), "r", at, sign, last)

            here = f"if({at} <= M, if(b = K + 1, 1, s(b, {at})), if(b = K + 1, -1, s(b, {at} - M)))"
            right = "r. I[all b in 1..K. s(b, r) = w(b)]" if sign == last else "r. 0"
            h.use("lem:sum_ext", f"r. I[all b in 1..K + 1. {here} = w(b)]", right, "1", "M", each, label=label)
        h.auto("parts shift first second once", rounds=0)


def space_exists(g: Goal) -> None:
    g.intro("m N (low some)").use("lem:bits_exist", "m*N", lambda h: h.auto("low some"), label="list")
    g.obtain("list", "M", "ex_s").obtain("ex_s", "s", "count signs every").witness("M", "a i r. s((a - 1)*N + i, r)")
    one, two, three = g.split()
    one.hyp("count")

    def inside(h: Goal) -> None:
        """(a - 1)*N + i is in 1..m*N."""
        h.have("0 <= (a - 1)*N", "rows", use="al some").have("0 <= (m - a)*N", "left", use="ah some")
        lower, upper = h.split()
        lower.auto("rows il")
        upper.auto("left ih")

    two.intro("r rr a (al ah) i (il ih)").use("signs", "r", "#rr", "(a - 1)*N + i", inside, label="sign").hyp("sign")
    three.intro("w word")
    down = "ex a in 1..m. ex i in 1..N. b = (a - 1)*N + i & w(a, i) = -1"

    def sign(h: Goal) -> None:
        h.intro("b br")
        for e in h.ind(down, "is value"):
            e.rewrite("value").easy()

    three.use("every", f"b. 1 - 2*I[{down}]", sign, label="once")
    flat = f"all b in 1..m*N. s(b, r) = 1 - 2*I[{down}]"
    square_ = "all a in 1..m. all i in 1..N. s((a - 1)*N + i, r) = w(a, i)"
    at = (
        down.replace("ex a", "ex e")
        .replace("ex i", "ex k")
        .replace("b = (a - 1)*N + i & w(a, i)", "(a - 1)*N + i = (e - 1)*N + k & w(e, k)")
    )

    def cell(h: Goal) -> None:
        """1 - 2*I[...] at the cell a, i is w(a, i)."""
        yes, no = h.ind(at, "is_cell value_cell")
        yes.obtain("is_cell", "e", "el eh in_cell").obtain("in_cell", "k", "kl kh same minus")
        yes.use("lem:grid_once", "N", "a", "i", "e", "k", None, label="a_is i_is")
        yes.have("w(a, i) = -1", "w_is", lambda e: e.rewrite("a_is").rewrite("i_is").hyp("minus")).auto(
            "w_is value_cell"
        )
        no.use("word", "a", None, "i", None, label="sign")
        plus, minus = no.cases("sign", "sign_is")
        plus.auto("sign_is value_cell")
        minus.have(at, "after_all", lambda e: found(e)).absurd("after_all", "is_cell")

    def found(e: Goal) -> None:
        one, two, rest = e.witness("a").split()
        one.hyp("al")
        two.hyp("ah")
        low, high, eq, minus = rest.witness("i").split()
        low.hyp("il")
        high.hyp("ih")
        eq.true()
        minus.hyp("sign_is")

    def value(h: Goal) -> Goal:
        return h.have(f"1 - 2*I[{at}] = w(a, i)", "cell", cell)

    def both(h: Goal) -> None:
        h.intro("r rr")
        yes, no = h.ind(flat, "flat_is size")

        def to_square(e: Goal) -> None:
            e.intro("a (al ah) i (il ih)").use("flat_is", "(a - 1)*N + i", inside, label="here")
            value(e).auto("here cell")

        def to_flat(e: Goal) -> None:
            e.intro("b br").use("lem:grid", "N", "#some", "m", "#low", "b", "#br", label="place")
            e.obtain("place", "a", "al ah more").obtain("more", "i", "il ih is").rewrite("is")
            value(e).use("square_is", "a", None, "i", None, label="here").auto("here cell")

        fine, wrong = yes.ind(square_, "square_is size_s")
        fine.auto("size size_s")
        wrong.have(square_, "after_all", to_square).absurd("after_all", "square_is")
        wrong, fine = no.ind(square_, "square_is size_s")
        wrong.have(flat, "after_all", to_flat).absurd("after_all", "flat_is")
        fine.auto("size size_s")

    three.use("lem:sum_ext", f"r. I[{flat}]", f"r. I[{square_}]", "1", "M", both, label="same").auto("same once")


SCRIPTS: dict[str, Script | Tactic] = {
    "cookbook.s5.past_mask": Script(
        past_mask, lambda g: g.inhabit(*MASKED, *MASKED, "1", *MASKED, "2"), past_mask_defined
    ),
    "cookbook.s5.def5.1_hardmax": Script(hardmaxes, hardmaxes_inhabited, lambda g: g.leaves("n s", counted("s"))),
    "cookbook.s5.3.2.ao_lookup": Script(
        ao_lookup,
        ao_lookup_inhabited,
        lambda g: g.leaves("m N X eps n q v z c found i", counted(BLOCK.format(m="m"))),
    ),
    "cookbook.s5.3.3.lh_scale.corrected": Script(
        lh_scale, lambda g: g.inhabit("3", "2", "1", "1", "2", "1", "-1", "2", "1"), lh_scale_defined
    ),
    "cookbook.s5.3.3.lh_from_ratio": Script(
        lh_from_ratio,
        lambda g: g.inhabit("3", "2", "1"),
        lambda g: g.leaves("x i c", ratio_leaf(("x", "1", "1"), ("x/i", "1/i", "i"))),
    ),
    "cookbook.s5.3.3.lh_key": Script(
        lh_key,
        lambda g: g.inhabit("2", "2", "3", "1"),
        lambda g: g.leaves(
            "i j q c", ratio_leaf(("j", "1", "1"), ("q", "1", "1"), ("1/j", "1", "j"), ("q/i", "1/i", "i"))
        ),
    ),
    "cookbook.s5.3.3.lh_norm_factor": Script(
        lh_norm, lambda g: g.inhabit("3", "1"), lambda g: g.leaves("x c", norm_leaf)
    ),
    "cookbook.s5.3.3.lh_argmax": Script(
        lh_argmax,
        exists("4", "2", HASH, (*HASH_AT, "1"), *[(*HASH_AT, "1", "1")] * 2),
        lh_lookup_defined("n q v z c found i"),
    ),
    "cookbook.s5.3.3.lh_gap": Script(lh_gap, lh_gap_inhabited, lambda g: g.leaves("n m g h", hash_pairs)),
    "cookbook.s5.3.3.selective_ln": Script(
        lambda g: selective_refuted(g.intro("claim")), defined=selective_whole, refutes=True
    ),
    "cookbook.s5.3.3.selective_ln.corrected": Script(
        selective,
        lambda g: g.inhabit(
            "4", "b. quadruple(2/3, 1/3, b)", "2", "3", "1", "4", "b. quadruple(2/3, 1/3, b)", "2", "3"
        ),
        selective_defined,
    ),
    "cookbook.t5.lnhash": Script(
        lh_lookup, exists("4", "2", HASH, (*HASH_AT, "1")), lh_lookup_defined("n q v z c found i")
    ),
    "cookbook.s5.3.2.ao_dimension": Script(
        ao_dimension, lambda g: g.inhabit("1", "1", others=[("0", "1")]), ao_dimension_defined
    ),
    "lem.space_near": space_near,
    "lem.space_four": space_four,
    "cookbook.s5.3.2.ao_probability.corrected": Script(
        ao_probability, ao_probability_inhabited, ao_probability_defined
    ),
    "lem.probability_small_k": probability_small_k,
    "lem.bits_exist": bits_exist,
    "lem.space_exists": space_exists,
}
