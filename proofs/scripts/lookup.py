"""Lookups (Cookbook, Section 5.3 and Table 5): codes in blocks, the layer-norm hash, quadratic maximization."""

from __future__ import annotations

import re

from attention import query_inhabited
from script import Script, counterexample, each

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


def sqrt_unique(g: Goal) -> None:
    g.intro("x y (low square)").use("ax:sqrt", "x", lambda h: h.auto("square", squares=["y"]), label="pos is")
    for h in g.antisym():
        h.contra("less").auto("less low pos is square")


def sqrt_positive(g: Goal) -> None:
    g.intro("x some").use("ax:sqrt", "x", label="low is")
    g.have("0 < sqrt(x)", "pos", lambda h: h.contra("no").auto("no low is some"))
    g.positive("sqrt(x)", "r", lambda h: h.hyp("pos"))
    g.easy()


def sqrt_product(g: Goal) -> None:
    g.intro("x y (xl yl)").use("ax:sqrt", "x", label="xp xs").use("ax:sqrt", "y", label="yp ys")

    def both(h: Goal) -> None:
        low, is_ = h.split()
        low.auto("xp yp")
        is_.auto("xs ys", rounds=0, multipliers=["1", "sqrt(y)^2", "x", "sqrt(x)^2", "y"])

    g.use("lem:sqrt_unique", "x*y", "sqrt(x)*sqrt(y)", both, label="done").hyp("done")


def root(g: Goal, x: str, label: str) -> Goal:
    """sqrt(x) with LABEL_p: positive, LABEL_s: its square, LABEL_e: times its inverse, LABEL_i: inverse positive."""
    return g.use("lem:sqrt_positive", x, label=f"{label}_p {label}_s {label}_e {label}_i")


def hard_pick(g: Goal) -> None:
    g.intro("s n p v range best").use("lem:hardmax_unique", "s", "n", "p", "#range", "#best", label="is")

    def terms(h: Goal) -> None:
        h.intro("j inside").use("is", "j", label="here").auto("here", rounds=0, multipliers=["v(j)"])

    g.use("lem:sum_ext", "j. hardmax(s, n, j)*v(j)", "j. I[j = p]*v(j)", "1", "n", terms, label="total")
    g.use("lem:sum_delta", "v", "1", "n", "p", label="chosen").auto("total chosen")


def block_scores(g: Goal) -> None:
    g.intro("m n X q v z some columns i (low high)").use("columns", "i", label="codes value")

    def read(h: Goal, c: str, i: str, label: str) -> Goal:
        """blockread(z, 2*m + 1, c, i) = z(c, i)."""
        return h.use("lem:sum_delta", f"b. z(b, {i})", "1", "2*m + 1", c, label=label)

    first, second, third = g.split()
    first.intro("a (al ah)").use("codes", "a", label="query key")
    one, two = read(read(first, "a", "i", "one"), "m + a", "i", "two").split()
    one.auto("query one")
    two.auto("key two")
    read(second, "2*m + 1", "i", "one").auto("value one")
    third.intro("j (jl jh)").use("columns", "j", label="codes_j value_j")

    def terms(h: Goal) -> None:
        h.intro("a (al ah)").use("codes", "a", label="query key").use("codes_j", "a", label="query_j key_j")
        read(read(h, "a", "i", "one"), "m + a", "j", "two")
        h.have("blockread(z, 2*m + 1, a, i) = X(a, q(i))", "left", use="one query")
        h.have("blockread(z, 2*m + 1, m + a, j) = X(a, j)", "right", use="two key_j")
        h.rewrite("left").rewrite("right").true()

    left = "a. blockread(z, 2*m + 1, a, i)*blockread(z, 2*m + 1, m + a, j)"
    third.use("lem:sum_ext", left, "a. X(a, q(i))*X(a, j)", "1", "m", terms, label="total").hyp("total")


def block_found(g: Goal) -> None:
    g.intro("m n X q v z c found (some factor asked best) columns layer i (low high)")
    g.use("lem:block_scores", "m", "n", "X", "q", "v", "z", "#some", "#columns", label="is")
    g.use("layer", "i", label="found_is").use("asked", "i", label="ql qh").use("is", "i", label="codes value scores")

    def less(h: Goal) -> None:
        h.intro("j (jl jh) differ").use("scores", "j", label="here").use("scores", "q(i)", label="there")
        h.use("best", "q(i)", None, "j", None, "#differ", label="less").rewrite("here").rewrite("there")
        h.auto("less factor")

    s, w = "l. c*blockscore(z, m, i, l)", "j. blockread(z, 2*m + 1, 2*m + 1, j)"
    g.use("lem:hard_pick", s, "n", "q(i)", w, None, less, label="picked")
    g.use("is", "q(i)", label="codes_q value_q scores_q").auto("found_is picked value_q", degree=1, rounds=0)


def square(g: Goal, x: str, label: str) -> Goal:
    """0 <= x^2."""
    return g.have(f"0 <= ({x})^2", label, squares=[x])


def hash_component(g: Goal) -> None:
    g.intro("x y c some").positive("x^2 + y^2", "w", lambda h: h.hyp("some"))
    v = "x^2/2 + y^2/2"
    root(g.have(f"0 < {v}", "half", use="some"), v, "r")
    inverse = f"1/sqrt({v})"

    def both(h: Goal) -> None:
        low, is_ = h.split()
        low.auto("r_i")
        is_.auto(
            "r_e r_s w_e",
            rounds=0,
            multipliers=[
                "1",
                f"({inverse})^2",
                f"({inverse})/(x^2 + y^2)",
                "1/(x^2 + y^2)",
                f"({inverse})^2/(x^2 + y^2)",
                f"{inverse}*sqrt({v})/(x^2 + y^2)",
            ],
        )

    g.use("lem:sqrt_unique", "2/(x^2 + y^2)", inverse, both, label="is").rewrite("is").true()


A = "sqrt((q^2 + 1)*(k^2 + 1))"


def hash_score(g: Goal) -> None:
    g.intro("q k")
    square(square(g, "q", "q_sq"), "k", "k_sq")
    for x in "qk":
        g.have(f"0 < {x}^2 + 1", f"{x}_one", use=f"{x}_sq").have(f"0 < {x}^2/2 + 1/2", f"{x}_half", use=f"{x}_sq")
        root(root(g, f"{x}^2/2 + 1/2", f"h{x}"), f"{x}^2 + 1", f"r{x}")
    one, two = "sqrt(q^2/2 + 1/2)", "sqrt(k^2/2 + 1/2)"

    def twice(h: Goal) -> None:
        low, is_ = h.split()
        low.auto("hq_p hk_p")
        is_.auto("hq_s hk_s", rounds=0, multipliers=["1", "q^2", "k^2", f"{one}^2", f"{two}^2"])

    g.use("lem:sqrt_unique", "(q^2 + 1)*(k^2 + 1)", f"2*{one}*{two}", twice, label="is")
    g.have(f"0 < {A}", "a_pos", use="is hq_p hk_p").positive(A, "a", lambda h: h.hyp("a_pos"))
    products = [f"1/{one}", f"1/{two}", f"1/{one}/{two}", f"1/{one}/{two}/{A}", f"{two}/{two}/{A}", f"1/{A}"]
    g.have(f"1/{one}*(1/{two}) = 2/{A}", "inverse", use="is a_e hq_e hk_e", rounds=0, multipliers=products)
    g.use("lem:sqrt_product", "q^2 + 1", "k^2 + 1", label="parts")
    products = [
        "1/sqrt(q^2 + 1)",
        "1/sqrt(k^2 + 1)",
        "1/sqrt(q^2 + 1)/sqrt(k^2 + 1)",
        f"1/sqrt(q^2 + 1)/sqrt(k^2 + 1)/{A}",
        f"sqrt(k^2 + 1)/sqrt(k^2 + 1)/{A}",
        f"1/{A}",
    ]
    g.have(
        f"1/sqrt(q^2 + 1)*(1/sqrt(k^2 + 1)) = 1/{A}",
        "split_a",
        use="parts a_e rq_e rk_e",
        rounds=0,
        multipliers=products,
    )
    first, second = g.split()
    first.auto("inverse split_a", rounds=0, multipliers=["1", "q*k"])
    second.auto("inverse", rounds=0, multipliers=["1", "q*k"])


def hash_gap(g: Goal) -> None:
    g.intro("q k").use("lem:hash_score", "q", "k", label="one_k two_k").use(
        "lem:hash_score", "q", "q", label="one_q two_q"
    )
    square(g, "q", "q_sq").have("0 < q^2 + 1", "some", use="q_sq").positive("q^2 + 1", "w", lambda h: h.hyp("some"))

    def both(h: Goal) -> None:
        low, is_ = h.split()
        low.auto("some")
        is_.true()

    g.use("lem:sqrt_unique", "(q^2 + 1)*(q^2 + 1)", "q^2 + 1", both, label="is").rewrite("is", "two_q", "two")
    g.auto("two two_k w_e", rounds=0)


def hash_gap_closed(g: Goal) -> None:
    g.intro("q k")
    square(square(g, "q", "q_sq"), "k", "k_sq")
    g.have("0 < (q^2 + 1)*(k^2 + 1)", "some", use="q_sq k_sq")
    root(g, "(q^2 + 1)*(k^2 + 1)", "a")
    b = f"{A} + (q*k + 1)"
    g.have("(q^2 + 1)*(k^2 + 1) = (q*k + 1)^2 + (q - k)^2", "lagrange")

    def positive(h: Goal) -> None:
        """(A - c)(A + c) = (q - k)^2, and A + c <= 0 would leave A - c > 0."""
        h.contra("no")
        h.have(f"0 < {A} - (q*k + 1)", "other", use="no a_p")
        h.have(f"({A} - (q*k + 1))*({b}) = (q - k)^2", "product", use="a_s", rounds=0)
        h.have("(q - k)^2 <= 0", "small", use="no other product")
        h.have("0 <= (q + k)^2", "sum_sq", squares=["q + k"])
        h.have("0 < q*k + 1", "pos", use="small sum_sq").auto("pos no a_p")

    g.have(f"0 < {b}", "b", positive)
    g.have(f"0 < {A}*({b})", "d_pos", use="b a_p").positive(f"{A}*({b})", "d", lambda h: h.hyp("d_pos"))
    value = f"{A}*({b})*(1 - (q*k + 1)/{A}) = (q - k)^2"
    g.have(value, "product", use="a_e a_s", rounds=0, multipliers=["1", A, "q*k", f"q*k*{A}", "q^2*k^2"])
    one, two = g.split()
    one.hyp("b")
    inverse = f"1/({A}*({b}))"
    two.auto("product d_e", rounds=0, multipliers=["1", inverse, f"1/{A}", f"q*k/{A}"])


def ratio_root(g: Goal) -> None:
    g.intro("a b x y (ap bp xp yp)")
    root(root(g, "x", "r"), "y", "t")
    weak, strict = g.split()
    for h, order in ((weak, "<="), (strict, "<")):
        h.intro("less")
        squares = f"(b*sqrt(x))^2 {order} (a*sqrt(y))^2"
        h.have(squares, "squares", lambda e: e.auto("less r_s t_s", rounds=0, multipliers=["a^2", "b^2"]))
        h.have("0 < b*sqrt(x) + a*sqrt(y)", "total", lambda e: e.auto("ap bp r_p t_p"))
        h.have(f"b*sqrt(x) {order} a*sqrt(y)", "roots", lambda e: e.contra("no").auto("no total squares"))
        h.have("0 < 1/sqrt(x)*(1/sqrt(y))", "inverse", use="r_i t_i")
        h.have("b/sqrt(y) = b*sqrt(x)*(1/sqrt(x)*(1/sqrt(y)))", "left", use="r_e", rounds=0, multipliers=["b/sqrt(y)"])
        h.have("a/sqrt(x) = a*sqrt(y)*(1/sqrt(x)*(1/sqrt(y)))", "right", use="t_e", rounds=0, multipliers=["a/sqrt(x)"])
        h.auto("roots inverse left right", rounds=0)


def hash_gap_compare(g: Goal) -> None:
    g.intro("q k p l (one two)")
    for x in "qkpl":
        square(g, x, f"{x}_sq")
    g.have("0 < (q^2 + 1)*(k^2 + 1)", "some", use="q_sq k_sq").have("0 < (p^2 + 1)*(l^2 + 1)", "other", use="p_sq l_sq")
    g.use(
        "lem:ratio_root",
        "q*k + 1",
        "p*l + 1",
        "(q^2 + 1)*(k^2 + 1)",
        "(p^2 + 1)*(l^2 + 1)",
        label="weak strict",
        premises=1,
    )
    for h, name in zip(g.split(), ("weak", "strict"), strict=True):
        h.intro("less").use(name, lambda e: e.auto("less"), label="done").auto("done")


def hash_gap_mono(g: Goal) -> None:
    """(q - k)^2 (q l + 1)^2 < (q - l)^2 (q k + 1)^2."""
    g.intro("q k l (qp kp lp side)")
    g.have("0 < q*k + 1", "one", use="qp kp").have("0 < q*l + 1", "two", use="qp lp")
    g.use("lem:hash_gap_compare", "q", "k", "q", "l", label="weak strict")
    g.use("strict", compare, label="done").hyp("done")


def compare(g: Goal) -> None:
    up, down = g.cases("side", "near far")
    square(up, "q", "sq")
    # (l - q)(qk + 1) - (k - q)(ql + 1) = (l - k)(q^2 + 1)
    up.have("(k - q)*(q*l + 1) < (l - q)*(q*k + 1)", "less", use="far sq")
    up.have("0 <= (k - q)*(q*l + 1)", "low", use="near two").auto("less low")
    square(down, "q", "sq")
    down.have("(q - k)*(q*l + 1) < (q - l)*(q*k + 1)", "less", use="near sq")
    down.have("0 <= (q - k)*(q*l + 1)", "low", use="far two").auto("less low")


def apart_by_one(g: Goal, a: str, b: str, differ: str) -> tuple[Goal, Goal]:
    """From a != b on Int: a + 1 <= b in one goal, b + 1 <= a in the other, as `step`."""
    low, high = g.em(f"{a} <= {b}", "side")
    less, same = low.em(f"{a} < {b}", "near")
    same.have(f"{a} = {b}", "after_all", use="side near")
    same.absurd("after_all", differ)
    less.use("ax:int_lt", a, b, label="step")
    high.use("ax:int_lt", b, a, label="step")
    return less, high


def inverse_less(g: Goal) -> None:
    g.intro("x y (xp less)").positive("x", "x", lambda h: h.hyp("xp")).positive("y", "y", lambda h: h.auto("xp less"))
    g.have("0 < (y - x)*(1/x*(1/y))", "gap", lambda h: h.have("0 < 1/x*(1/y)", "both", use="x_i y_i").auto("less both"))
    g.auto("gap x_e y_e", rounds=0, multipliers=["1/x", "1/y"])


def hash_gap_neighbour(g: Goal) -> None:
    g.intro("q j (ql jl differ)").have("0 < q*j + 1", "pos", use="ql jl")
    g.have("0 <= q*j", "prod", use="ql jl").have("0 <= (q - 1)*(q - 1)", "prev", squares=["q - 1"])
    one, two = g.split()
    one.have("0 < q*(q + 1) + 1", "next", use="ql")
    one.use("lem:hash_gap_compare", "q", "q + 1", "q", "j", label="weak strict", premises=1)
    one.have("0 <= q*j + 1", "sq_low", use="pos")
    low, high = apart_by_one(one, "j", "q", "differ")
    square(high, "q", "q_sq").have("0 < q^2 + 1", "next_q", use="q_sq")
    for h, side, use in ((low, "q - j", "step next ql"), (high, "j - q", "step next_q")):
        v = f"({side})*(q*(q + 1) + 1)"
        h.have(f"q*j + 1 <= {v}", "sq_less", use=use).use("weak", squared("q*j + 1", v), label="done").hyp("done")
    two.intro("below").use("ax:int_lt", "j", "q", label="step").have("0 < q*(q - 1) + 1", "next", use="ql prev")
    two.use("lem:hash_gap_compare", "q", "q - 1", "q", "j", label="weak strict", premises=1)
    two.have("0 <= q*j + 1", "sq_low", use="pos")
    v = "(q - j)*(q*(q - 1) + 1)"
    two.have(f"q*j + 1 <= {v}", "sq_less", use="step next ql").use("weak", squared("q*j + 1", v), label="done").hyp(
        "done"
    )


def squared(u: str, v: str) -> Tactic:
    """(u)^2 <= (v)^2 from `sq_low`: 0 <= u and `sq_less`: u <= v."""
    return lambda h: h.have(f"({u})^2 <= ({v})^2", "sq", use="sq_low sq_less").auto("sq")


def hash_gap_least(g: Goal) -> None:
    g.intro("N q k (ql qh kl kh differ)").have("0 < q*k + 1", "pos", use="ql kl").have(
        "0 <= q*k + 1", "sq_low", use="pos"
    )
    g.have("1 <= N", "some", use="ql qh").have("0 <= N*(N - 1)", "most", use="some").have(
        "0 < N*(N - 1) + 1", "next", use="most"
    )
    g.use("lem:hash_gap_compare", "N", "N - 1", "q", "k", label="weak strict", premises=1)
    low, high = apart_by_one(g, "q", "k", "differ")
    for h, a, b in ((low, "q", "k"), (high, "k", "q")):
        # a + 1 <= b <= N
        h.have(f"{a} <= N - 1", "less", use=f"step {b}h").have(
            "q*k <= N*(N - 1)", "product", use=f"less {b}h {a}l {b}l some"
        )
        h.have(f"q*k + 1 <= ({b} - {a})*(N*(N - 1) + 1)", "sq_less", use="product step next")
        h.use("weak", squared("q*k + 1", f"({b} - {a})*(N*(N - 1) + 1)"), label="done").hyp("done")


def hash_gap_value(g: Goal) -> None:
    """1/(A(A + a)) with A^2 = a^2 + 1, and 2a^2 < A(A + a) < 2a^2 + 3/2."""
    a, r = "(q^2 - q + 1)", "sqrt((q^2 + 1)*((q - 1)^2 + 1))"
    g.intro("q low").have(f"1 <= {a}", "a_one", use="low")
    square(square(g, "q", "q_sq"), "q - 1", "p_sq").have("0 < (q^2 + 1)*((q - 1)^2 + 1)", "some", use="q_sq p_sq")
    root(g, "(q^2 + 1)*((q - 1)^2 + 1)", "r").use("lem:hash_gap_closed", "q", "q - 1", label="pos is")
    g.have(f"{r}*{r} = {a}^2 + 1", "r_sq", use="r_s")
    g.have(f"{a} < {r}", "more", lambda h: h.contra("no").auto("no r_sq r_p a_one"))
    g.have(
        f"{a}*{r} < {a}^2 + 1/2",
        "less",
        lambda h: (
            h.contra("no")
            .have(f"0 <= {a}^2 + 1/2", "half", use="a_one")
            .have(f"({a}^2 + 1/2)^2 <= ({a}*{r})^2", "wrong", use="no half")
            .auto("wrong r_sq", rounds=0, multipliers=["1", *(f"q^{k}" for k in range(1, 5))])
        ),
    )
    d = f"{r}*({r} + {a})"
    g.have(
        f"2*{a}^2 < {d}", "low_d", lambda h: h.have(f"{a}*{a} < {a}*{r}", "step", use="more a_one").auto("step r_sq")
    )
    g.have(f"{d} < 2*{a}^2 + 3/2", "high_d", use="less r_sq")
    g.have(f"0 < 2*{a}^2", "a_pos", use="a_one").have(f"0 < {d}", "d_pos", use="a_pos low_d")
    g.use("lem:inverse_less", f"2*{a}^2", d, label="high").use("lem:inverse_less", d, f"2*{a}^2 + 3/2", label="low_g")
    one, two = g.split()
    one.auto("is low_g")
    two.auto("is high")


def hash_gap_bounds(g: Goal) -> None:
    a = "(N^2 - N + 1)"
    g.intro("N low").use("lem:hash_gap_value", "N", label="more less").have(f"1 <= {a}", "a_one", use="low")
    one, two = g.split()
    one.have(f"2*{a}^2 + 3/2 < 2*N^4", "next", lambda h: h.have("2*2 <= N*N", "sq", use="low").auto("low sq"))
    one.have(f"0 < 2*{a}^2 + 3/2", "pos", use="a_one")
    one.use("lem:inverse_less", f"2*{a}^2 + 3/2", "2*N^4", label="step").auto("step more")
    two.have(f"20*N^5 <= 2*{a}^2*(10*N + 21)", "next", squares=["N*(N - 6)", "N - 3", "N*(N - 5)", "N*N - 7*N + 3"])
    two.have("0 < N", "pos", use="low").positive("N", "n", lambda h: h.hyp("pos"))
    two.have(f"0 < 2*{a}^2", "a_pos", use="a_one").positive(f"2*{a}^2", "d", lambda h: h.hyp("a_pos"))
    two.have("0 <= (1/N)^5", "power", use="n_i", degree=5).have(f"0 <= (1/N)^5*(1/(2*{a}^2))", "both", use="power d_i")
    two.have(f"0 <= (2*{a}^2*(10*N + 21) - 20*N^5)*((1/N)^5*(1/(2*{a}^2)))", "all_in", use="next both")
    two.have(
        "N^5*(1/N)^5 = 1", "five", use="n_e", rounds=0, multipliers=[f"N^{k}*(1/N)^{k}" for k in range(1, 5)] + ["1"]
    )
    two.have("N*(1/N)^5 = (1/N)^4", "four", use="n_e", rounds=0, multipliers=["(1/N)^4"])
    value = f"(2*{a}^2*(10*N + 21) - 20*N^5)*((1/N)^5*(1/(2*{a}^2))) = 10*(1/N)^4 + 21*(1/N)^5 - 20*(1/(2*{a}^2))"
    two.have(
        value,
        "value",
        use="five four d_e",
        rounds=0,
        multipliers=[
            "1",
            f"1/(2*{a}^2)",
            *(f"N^{k}/(2*{a}^2)" for k in range(1, 5)),
            "(1/N)^4",
            "(1/N)^5",
            "N*(1/N)^5",
        ],
    )
    two.auto("all_in value less", rounds=0)


def onehot_distance(g: Goal) -> None:
    g.intro("s n p (low high)").have("1 <= n", "some", use="low high").use("lem:sm_sum", "s", "n", label="sum_a")

    def size(h: Goal) -> None:
        h.intro("j inside").use("lem:sm_weight", "s", "n", "j", label="pos most")
        yes, no = h.ind("j = p", "at value")
        yes.rewrite("at", "pos", "pos_p").rewrite("at", "most", "most_p").rewrite("at")
        yes.apart("abs(sm(s, n, p) - I[p = p])", lambda e: e.auto(degree=1, rounds=0))
        no.apart("abs(sm(s, n, j) - I[j = p])", lambda e: e.auto(rounds=0, degree=1, multipliers=["1", "sm(s, n, p)"]))

    right = "j. sm(s, n, j) + I[j = p]*(1 - 2*sm(s, n, p))"
    g.use("lem:sum_ext", "j. abs(sm(s, n, j) - I[j = p])", right, "1", "n", size, label="distance")
    g.use("lem:sum_delta", "j. 1", "1", "n", "p", label="single")
    g.auto("distance single sum_a", rounds=0, multipliers=["1", "sm(s, n, p)"])


GAUSS = "l. exp(-gamma*(l - q)^2)"


def small_decay(g: Goal) -> Goal:
    """exp(-3*gamma) <= 1."""
    return g.use("lem:exp_mono", "-3*gamma", "0", lambda h: h.auto("positive"), label="decay")


def gauss_left(g: Goal) -> None:
    small_decay(g.intro("q gamma positive"))
    base, step = g.induct("b", "ge", "ih")
    base.intro("room").use("ax:exp_pos", "-gamma*(1 + 3*(q - 1))", label="pos").auto("pos")
    step.intro("room").use("ih", label="before").use("ax:sum_step", GAUSS, "1", "b + 1", label="last")

    def exponent(h: Goal) -> None:
        """-gamma*(1 + m)^2 <= -gamma*(1 + 3*m) for m = q - b - 2."""
        one, more = h.em("q - b - 2 <= 0", "near")
        one.have("q = b + 2", "is", use="near room").rewrite("is").true()
        more.use("ax:int_lt", "0", "q - b - 2", label="far").have("0 <= (q - b - 2)*(q - b - 3)", "whole", use="far")
        more.have("0 <= gamma*((q - b - 2)*(q - b - 3))", "product", use="positive whole").auto("product")

    step.use("lem:exp_mono", "-gamma*(b + 1 - q)^2", "-gamma*(1 + 3*(q - b - 2))", exponent, label="term")
    step.have(
        "0 <= (1 - exp(-3*gamma))*(exp(-gamma*(1 + 3*(q - b - 2))) - exp(-gamma*(b + 1 - q)^2))",
        "part",
        use="decay term",
    )
    step.auto("last before part", rounds=0, multipliers=["1", "exp(-3*gamma)"])


def gauss_right(g: Goal) -> None:
    small_decay(g.intro("q gamma positive"))
    base, step = g.induct("b", "ge", "ih")
    base.easy()
    step.use("ax:sum_step", GAUSS, "q + 1", "b + 1", label="last").have(
        "0 <= (b - q)*(b - q + 1)", "integers", use="ge"
    )
    yes, no = step.em("b <= q", "near")
    yes.have("b = q", "is", use="near ge").rewrite("is").easy()

    def exponent(h: Goal) -> None:
        h.use("ax:int_lt", "q", "b", label="next").have(
            "0 <= gamma*((b - q)*(b - q - 1))",
            "product",
            lambda e: e.have("0 <= (b - q)*(b - q - 1)", "whole", use="next").auto("whole positive"),
        )
        h.auto("product")

    no.use("lem:exp_mono", "-gamma*(b + 1 - q)^2", "-gamma*(1 + 3*(b - q))", exponent, label="term")
    no.have(
        "0 <= (1 - exp(-3*gamma))*(exp(-gamma*(1 + 3*(b - q))) - exp(-gamma*(b + 1 - q)^2))", "part", use="decay term"
    )
    no.auto("last ih part", rounds=0, multipliers=["1", "exp(-3*gamma)"])


def gauss_sum(g: Goal) -> None:
    g.intro("n q gamma (low high positive)")
    g.use("lem:gauss_left", "q", "gamma", "#positive", "q - 1", label="left")
    g.use("lem:gauss_right", "q", "gamma", "#positive", "n", label="right")
    g.use("lem:sum_split", GAUSS, "1", "q - 1", "n", label="one").use(
        "lem:sum_split", GAUSS, "q", "q", "n", label="two"
    )
    g.use("ax:exp_pos", "-gamma*(1 + 3*(n - q))", label="rest")
    g.auto("left right one two rest", rounds=0, multipliers=["1", "exp(-3*gamma)"])


def quadratic_l1(g: Goal) -> None:
    g.intro("n q gamma (low high positive)").use("lem:gauss_sum", "n", "q", "gamma", label="least")
    scores = "l. gamma*(2*q*l - l^2)"
    g.use("lem:onehot_distance", scores, "n", "q", label="distance")
    g.use("lem:sm_total", scores, "n", label="z_pos").positive(
        "sum(k, 1, n, exp(gamma*(2*q*k - k^2)))", "z", lambda h: h.hyp("z_pos")
    )
    small_decay(g).use("ax:exp_pos", "-gamma", label="x_pos")
    g.have("0 < 1 + 2*exp(-gamma) - exp(-3*gamma)", "d_pos", use="decay x_pos")
    g.positive("1 + 2*exp(-gamma) - exp(-3*gamma)", "d", lambda h: h.hyp("d_pos"))
    weight = f"sm({scores}, n, q)"
    g.use("ax:exp_pos", "gamma*q^2", label="top").have(f"0 < {weight}", "w_pos", use="top z_i")
    total = "sum(l, 1, n, exp(-gamma*(l - q)^2))"
    g.have(f"{total}*{weight} = 1", "unit", use="z_e")
    g.have(
        f"(1 - {weight})*(1 + 2*exp(-gamma) - exp(-3*gamma)) <= 2*exp(-gamma)",
        "bound",
        lambda h: h.have(
            f"0 <= {weight}*(2*exp(-gamma) - (1 - exp(-3*gamma))*({total} - 1))", "product", use="w_pos least"
        ).auto("product z_e unit", rounds=0, multipliers=["1", "exp(-3*gamma)"]),
    )
    one, two = g.split()
    one.hyp("d_pos")
    d = "(1 + 2*exp(-gamma) - exp(-3*gamma))"
    two.have(
        f"0 <= (2*exp(-gamma) - (1 - {weight})*{d})*(1/{d})",
        "scaled",
        use="bound d_i",
    )
    two.auto("scaled distance d_e", rounds=0, multipliers=["1", weight])


def quadratic_l1_simple(g: Goal) -> None:
    g.intro("n q gamma (low high positive)").use("lem:quadratic_l1", "n", "q", "gamma", label="d_pos bound")
    g.positive("1 + 2*exp(-gamma) - exp(-3*gamma)", "d", lambda h: h.hyp("d_pos"))
    small_decay(g).use("ax:exp_pos", "-gamma", label="x_pos")
    g.use("lem:exp_mono", "-3*gamma", "-gamma", lambda h: h.auto("positive"), label="less")
    g.have(
        "0 <= (2*exp(-gamma) - exp(-3*gamma))*(1/(1 + 2*exp(-gamma) - exp(-3*gamma)))*exp(-gamma)",
        "extra",
        lambda h: (
            h.have("0 <= 2*exp(-gamma) - exp(-3*gamma)", "part", use="less x_pos")
            .have("0 < 1/(1 + 2*exp(-gamma) - exp(-3*gamma))*exp(-gamma)", "rest", use="d_i x_pos")
            .auto("part rest")
        ),
    )
    g.auto("bound extra d_e", rounds=0, multipliers=["1", "exp(-gamma)"])


def block_exists(g: Goal) -> None:
    z = "b i. if(b <= m, X(b, q(i)), if(b <= 2*m, X(b - m, i), v(i)))"
    inner = z.replace("b i.", "e k.").replace("b", "e").replace("(i)", "(k)").replace(", i)", ", k)")
    found = f"i. sum(j, 1, n, hardmax(l. c*blockscore({inner}, m, i, l), n, j)*blockread({inner}, 2*m + 1, 2*m + 1, j))"
    g.intro("m n X q v c some").witness(z, found)
    columns, layer = g.split()

    def cases(h: Goal, *formulas: str) -> None:
        if not formulas:
            h.auto(degree=1, rounds=0)
            return
        for e in h.ind(formulas[0], f"{h.fresh('f')} {h.fresh('v')}"):
            if not e.try_contradiction():
                if e.goal[0] == "=" and e.try_auto(degree=1, rounds=0):
                    continue
                name = [k for k in e.facts if k.startswith("v")][-1]
                e.rewrite(name)
                cases(e, *formulas[1:])

    columns.intro("i (low high)")
    codes, value = columns.split()
    codes.intro("a (al ah)")
    query, key = codes.split()
    cases(query, "a <= m")
    cases(key, "m + a <= m", "m + a <= 2*m")
    cases(value, "2*m + 1 <= m", "2*m + 1 <= 2*m")
    layer.intro("i range").true()


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


def softmax(g: Goal) -> None:
    g.intro("n s c some")
    weights, unit, shifted = g.split()
    weights.intro("j inside").use("lem:sm_weight", "s", "n", "j", label="pos one").easy()
    unit.use("lem:sm_sum", "s", "n", label="done").hyp("done")
    total = "sum(k, 1, n, exp(s(k)))"
    shifted.intro("j inside").use("lem:sm_total", "s", "n", label="low").positive(total, "z", lambda h: h.hyp("low"))
    shifted.use("lem:sm_total", "l. s(l) + c", "n", label="low_c")
    shifted.positive("sum(k, 1, n, exp(s(k) + c))", "y", lambda h: h.hyp("low_c"))
    inverse = "1/sum(k, 1, n, exp(s(k) + c))"
    shifted.auto(
        "z_e y_e",
        rounds=0,
        multipliers=[
            f"exp(s(j) + c)*({inverse})",
            f"exp(s(j))/{total}",
            f"exp(s(j) + c)*({inverse})/{total}",
            f"exp(s(j))*({inverse})/{total}",
        ],
    )


def softmax_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        h.use("lem:sm_total", "s", "n", label="low").use("lem:sm_total", "l. s(l) + c", "n", label="low_c")
        h.auto(degree=1, rounds=0)

    g.leaves("n s c", leaf)


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


def lookup_spec(g: Goal) -> None:
    g.intro("n q v s found (some asked best) layer i inside").use("layer", "i", label="is").use(
        "asked", "i", label="ql qh"
    )
    best = lambda h: h.intro("j range differ").use("best", "i", None, "j", None, "#differ", label="less").hyp("less")  # noqa: E731
    g.use("lem:hard_pick", "l. s(i, l)", "n", "q(i)", "v", None, best, label="done").auto("is done")


def lookup_spec_inhabited(g: Goal) -> None:
    """n = 2, every query is 1, the score of 1 is 1 and that of 2 is 0."""

    def leaf(h: Goal) -> None:
        h.intro_all()
        if h.goal[0] == "<":
            one, more = h.ind("k2 = 1", "at value")
            one.absurd("at", next(k for k in h.facts if h.facts[k][0] == "~"))
            more.rewrite("value").true()
            return
        h.easy()

    found = "i. sum(j, 1, 2, hardmax(l. I[l = 1], 2, j)*0)"
    g.inhabit("2", "i. 1", "j. 0", "i j. I[j = 1]", found, "1", leaf=leaf)


def sqrt_scaled(g: Goal) -> None:
    root(g.intro("k x (kp xp)"), "x", "r").positive("k", "k", lambda h: h.hyp("kp"))

    def both(h: Goal) -> None:
        low, is_ = h.split()
        low.auto("kp r_p")
        is_.auto("r_s", rounds=0, multipliers=["k^2"])

    g.use("lem:sqrt_unique", "k^2*x", "k*sqrt(x)", both, label="is")
    g.have("0 < sqrt(k^2*x)", "low", lambda h: h.have("0 < k*sqrt(x)", "both", use="kp r_p").auto("is both"))
    g.positive("sqrt(k^2*x)", "s", lambda h: h.hyp("low"))
    one, two = g.split()
    one.hyp("is")
    products = [
        "1/sqrt(k^2*x)",
        "1/k/sqrt(x)",
        "1/k/sqrt(x)/sqrt(k^2*x)",
        "1/k*k/sqrt(k^2*x)",
        "1/sqrt(x)",
        "1/k",
        "k/k*sqrt(x)/sqrt(k^2*x)",
    ]
    two.auto("is s_e k_e r_e", rounds=0, multipliers=[*products, "sqrt(x)/sqrt(x)/sqrt(k^2*x)"])


def ceiling(g: Goal) -> None:
    g.intro("x some").use("ax:archimedes", "x", label="large").obtain("large", "n", "one most")

    def all_n(h: Goal) -> None:
        base, step = h.induct("k", "ge", "ih")
        base.intro("small").contra("no").auto("small some")
        step.intro("small")
        yes, no = step.em("x <= k", "less")
        yes.use("ih", label="done").hyp("done")
        no.witness("k + 1").easy()

    g.have("all k:Int. 0 <= k -> x <= k -> ex m:Int. 1 <= m & m - 1 < x & x <= m", "each", all_n)
    g.use("each", "n", lambda h: h.auto("one"), label="done").hyp("done")


def log_unique(g: Goal) -> None:
    g.intro("x y is").use("ax:exp_pos", "y", label="pos").use(
        "ax:exp_log", "x", lambda h: h.auto("is pos"), label="inverse"
    )
    for h, a, b in zip(g.antisym(), ("y", "log(x)"), ("log(x)", "y"), strict=True):
        h.contra("no").use("lem:exp_less", a, b, label="less").auto("less inverse is")


def log_product(g: Goal) -> None:
    g.intro("x y (xp yp)").use("ax:exp_log", "x", label="one").use("ax:exp_log", "y", label="two")
    sums = lambda h: h.auto("one two", rounds=0, multipliers=["1", "y", "exp(log(x))"])  # noqa: E731
    g.use("lem:log_unique", "x*y", "log(x) + log(y)", sums, label="done").hyp("done")


def log_mono(g: Goal) -> None:
    g.intro("x y (xp less)").use("ax:exp_log", "x", label="one").use(
        "ax:exp_log", "y", lambda h: h.auto("xp less"), label="two"
    )
    g.contra("no").use("lem:exp_less", "log(y)", "log(x)", label="wrong").auto("one two wrong less")


def log_positive(g: Goal) -> None:
    g.intro("x more").use("ax:exp_log", "x", lambda h: h.auto("more"), label="is").contra("no")
    g.use("lem:exp_mono", "log(x)", "0", label="wrong").auto("is wrong more")


def hash_scaled(g: Goal) -> None:
    v = "x^2/2 + y^2/2"
    g.intro("k x y c (kp some)").have(f"0 < {v}", "half", use="some").use("lem:sqrt_scaled", "k", v, label="is inverse")
    g.positive("k", "k", lambda h: h.hyp("kp"))
    products = [f"{e}*I[c = {n}]" for n in range(1, 5) for e in ("k*x", "k*y")]
    more = [f"{e}*I[c = {n}]/sqrt({v})" for n in range(1, 5) for e in ("x", "y")]
    g.auto("inverse k_e", rounds=0, multipliers=[*products, *more])


def masked_norm(g: Goal) -> None:
    g.intro("d f x y (wide four rest some)").positive("d", "d", lambda h: h.auto("wide"))
    for c in range(1, 5):
        g.use("four", f"{c}", label=f"f{c}")
    total = "sum(b, 1, d, f(b))"
    g.use("lem:sum_split", "f", "1", "4", "d", label="parts").have(f"{total} = 0", "zero", use="parts rest f1 f2 f3 f4")
    g.use("lem:sum_split", "b. f(b)^2", "1", "4", "d", label="squares")
    value = "sum(b, 1, d, f(b)^2) = 2*x^2 + 2*y^2 + sum(b, 5, d, f(b)^2)"
    fours = [f"f({c})" for c in range(1, 5)]
    g.have(value, "square_sum", use="squares f1 f2 f3 f4", rounds=0, multipliers=["1", "x", "y", *fours])
    spread = "sum(b, 1, d, (f(b) - sum(e, 1, d, f(e))/d)^2)"

    def centred(h: Goal) -> None:
        same = lambda e: e.intro("b inside").rewrite("zero").true()  # noqa: E731
        h.use(
            "lem:sum_ext", f"b. (f(b) - {total.replace('b', 'e')}/d)^2", "b. f(b)^2", "1", "d", same, label="same"
        ).hyp("same")

    g.have(f"{spread} = sum(b, 1, d, f(b)^2)", "centre", centred)
    nonneg = lambda h: h.intro("b inside").easy(squares=["f(b)"])  # noqa: E731
    g.use("lem:sum_nonneg", "b. f(b)^2", "5", "d", nonneg, label="tail")
    one, two, three = g.split()
    one.hyp("zero")
    two.rewrite("centre").rewrite("square_sum").true()
    three.rewrite("centre").rewrite("square_sum").auto("some tail d_i")


def hash_gap_positive(g: Goal) -> None:
    g.intro("q k differ").use("lem:hash_gap_closed", "q", "k", label="pos is")
    square(square(g, "q", "q_sq"), "k", "k_sq").have("0 < (q^2 + 1)*(k^2 + 1)", "some", use="q_sq k_sq")
    b = f"{A} + (q*k + 1)"
    root(g, "(q^2 + 1)*(k^2 + 1)", "a").have(f"0 < {A}*({b})", "d_pos", use="pos a_p")
    g.positive(f"{A}*({b})", "d", lambda h: h.hyp("d_pos"))

    def apart(h: Goal) -> None:
        low, high = h.em("q <= k", "side")
        less, same = low.em("q < k", "near")
        same.have("q = k", "eq", use="side near").absurd("eq", "differ")
        less.auto("near")
        high.auto("side")

    g.have("0 < (q - k)^2", "square", apart).auto("is square d_i")


def hash_best(g: Goal) -> None:
    g.intro("q k differ").use("lem:hash_gap", "q", "k", label="is")
    g.use("lem:hash_gap_positive", "q", "k", lambda h: h.intro("eq").absurd("eq", "differ"), label="pos").auto("is pos")


def hash_least(g: Goal) -> None:
    g.intro("n g some")
    bound, attained, value = g.split()
    bound.intro("q (ql qh) j (jl jh) differ").use("lem:hash_gap_least", "n", "q", "j", turned, label="least")
    bound.use("lem:hash_gap", "q", "j", label="is").auto("is least")
    attained.witness("n")
    low, high, rest = attained.split()
    low.auto("some")
    high.true()
    rest.witness("n - 1")
    low, high, other, same = rest.split()
    low.auto("some")
    high.true()
    other.intro("eq").auto("eq")
    same.use("lem:hash_gap", "n", "n - 1", label="is").auto("is")
    value.intro("(low found)").obtain("found", "q", "ql qh other").obtain("other", "j", "jl jh differ is")
    value.use("low", "n", None, "n - 1", None, lambda h: h.intro("eq").auto("eq"), label="at")
    value.use("lem:hash_gap", "n", "n - 1", label="at_is").use("lem:hash_gap", "q", "j", label="gap_is")
    value.use("lem:hash_gap_least", "n", "q", "j", turned, label="least").auto("is at at_is gap_is least")


def turned(h: Goal) -> None:
    """The facts, with q != j from ~(j = q)."""
    for e in h.split():
        if e.goal[0] == "~":
            e.intro("eq").absurd("eq", "differ")
        else:
            e.easy()


def onehot_dot(g: Goal) -> None:
    g.intro("N p j range").use("lem:sum_delta", "a. I[a = j]", "1", "N", "p", label="done").hyp("done")


def onehot_near(g: Goal) -> None:
    g.intro("N eps pos")
    long, near = g.split()
    long.intro("i range").use("lem:onehot_dot", "N", "i", "i", label="self").auto("self pos")
    near.intro("i range j inside differ").use("lem:onehot_dot", "N", "i", "j", label="other")
    yes, no = near.ind("j = i", "at value")
    yes.contra("any").have("i = j", "eq", use="at").absurd("eq", "differ")
    no.apart("abs(sum(a, 1, N, I[a = i]*I[a = j]))", lambda h: h.auto("other value pos " + list(h.facts)[-1]))


def scaled_argmax(g: Goal) -> None:
    g.intro("n q f (ql qh fp) j (jl jh)")
    only, best = g.split()
    only.intro("max").use("max", "q", label="at")
    only.have(
        "(j - q)^2 <= 0", "zero", lambda h: h.contra("no").have("0 < f*(j - q)^2", "more", use="fp no").auto("at more")
    )
    for h in only.antisym():
        h.contra("no").auto("zero no")
    best.intro("is k inside").have("0 <= f*(k - q)^2", "more", lambda h: square(h, "k - q", "sq").auto("fp sq"))
    best.auto("is more", rounds=0, multipliers=["1", "f*q", "f*j"])


def onehot_best(g: Goal) -> None:
    """The dot product of unit vectors is greatest at the same position."""
    g.intro("p (pl ph) j (jl jh) differ").use("lem:onehot_dot", "N", "p", "j", label="other")
    g.use("lem:onehot_dot", "N", "p", "p", label="self")
    yes, no = g.ind("j = p", "at value")
    yes.absurd("at", "differ")
    no.auto("other self value")


ONEHOT = "a p. I[a = p]"


def onehot_found(g: Goal) -> Goal:
    g.intro("N n q v z c found (some fits factor asked) columns layer").have("0 <= N", "width", use="some fits")

    def ready(h: Goal) -> None:
        width, factor, asked, best = h.split()
        width.hyp("width")
        factor.hyp("factor")
        asked.hyp("asked")
        onehot_best(best)

    return g.use(
        "lem:block_found", "N", "n", ONEHOT, "q", "v", "z", "c", "found", ready, "#columns", "#layer", label="done"
    )


def onehot(g: Goal) -> None:
    onehot_found(g).use("lem:block_scores", "N", "n", ONEHOT, "q", "v", "z", "#width", "#columns", label="is")
    g.intro("i (low high)").use("is", "i", label="codes value scores").use("done", "i", label="found_is")
    first, second, third, fourth = g.split()
    first.hyp("codes")
    second.hyp("value")
    third.intro("j inside").use("scores", "j", label="here").use("asked", "i", label="ql qh")
    third.use("lem:onehot_dot", "N", "q(i)", "j", label="dot").auto("here dot")
    fourth.hyp("found_is")


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


ONEHOT_AT = ("3", "2", "i. 1", "i. 0", "z0", "1", "found0")
HASH_AT = ("2", "i. 1", "i. 0", "z0", "1", "found0")
BLOCK = "l. c*blockscore(z, {m}, i, l)"


def onehot_gap(g: Goal) -> None:
    g.intro("N n p (many fits pl ph)")
    every, some = g.split()
    every.intro("j (jl jh) differ").use("lem:onehot_dot", "N", "p", "j", label="other")
    every.use("lem:onehot_dot", "N", "p", "p", label="self")
    yes, no = every.ind("j = p", "at value")
    yes.contra("any").absurd("at", "differ")
    one, two = no.split()
    one.auto("other self value")
    two.auto("other self value", rounds=0, multipliers=["1", "1/sqrt(N)"])
    for h, j in zip(some.em("p = 1", "first"), "21", strict=True):
        h.use("lem:onehot_dot", "N", "p", j, label="other").use("lem:onehot_dot", "N", "p", "p", label="self")
        yes, no = h.ind(f"{j} = p", "at value")
        if j == "2":
            yes.contra("any").auto("at first")
        else:
            yes.absurd("at", "first")
        no.witness(j)
        for part in no.split():
            part.easy("many at other self value")


def root_leaf(x: str) -> Tactic:
    """A condition on sqrt(x), where a fact gives 0 < x."""

    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        root(h.have(f"0 < {x}", "positive"), x, "r").auto(degree=1, rounds=0)

    return leaf


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


def ao_gap(g: Goal) -> None:
    bound, attained = g.split()
    bound.intro("m N X eps (wide many pos small long near) p (pl ph) j (jl jh) differ").use("long", "p", label="least")
    bound.use("near", "p", None, "j", None, lambda e: e.intro("eq").blast(), label="bound")
    bound.apart("abs(sum(a, 1, m, X(a, p)*X(a, j)))", lambda k: k.auto(degree=1, rounds=0))
    attained.intro("eps (pos small)").have("0 < 1 - eps", "rest", use="small")
    root(attained, "1 - eps", "r")
    inverse = "1/sqrt(1 - eps)"
    attained.have(f"0 <= ({inverse})^2", "sq", use="r_i")
    attained.witness(f"a i. if(i = 1, if(a = 1, sqrt(1 - eps), 0), if(a = 1, eps*({inverse}), 1))")
    long, near, gap = attained.split()
    gap.auto("r_s r_e", rounds=0, multipliers=["1", "eps"])

    def number(h: Goal, name: str) -> list[Goal]:
        """1 or 2."""
        one, two = h.em(f"{name} <= 1", f"{name}_side")
        one.have(f"{name} = 1", f"{name}_is", use=f"{name}_side {name}l").rewrite(f"{name}_is")
        two.use("ax:int_lt", "1", name, label=f"{name}_more")
        two.have(f"{name} = 2", f"{name}_is", use=f"{name}_more {name}h").rewrite(f"{name}_is")
        return [one, two]

    one, two = number(long.intro("i (il ih)"), "i")
    one.auto("r_s pos")
    two.have("0 <= eps^2*(1/sqrt(1 - eps))^2", "more", lambda h: square(h, "eps", "eps_sq").auto("eps_sq sq")).auto(
        "more pos"
    )
    near.intro("i (il ih) j (jl jh) differ")
    for h in number(near, "i"):
        for e in number(h, "j"):
            if e.text(e.facts["i_is"])[-1] == e.text(e.facts["j_is"])[-1]:
                e.have("i = j", "eq", use="i_is j_is").contra("any").absurd("eq", "differ")
            else:
                e.have("eps*(1/sqrt(1 - eps))*sqrt(1 - eps) = eps", "dot", use="r_e", rounds=0, multipliers=["eps"])
                e.use(
                    "ax:abs_pos", "eps*(1/sqrt(1 - eps))*sqrt(1 - eps)", lambda k: k.auto("dot pos"), label="size"
                ).auto("size dot")


def ao_gap_inhabited(g: Goal) -> None:
    g.use("lem:onehot_near", "2", "1/4", label="long near").inhabit(
        "2", "2", ONEHOT, "1/4", "1", "2", "1/4", leaf=close
    )


def widths(g: Goal) -> None:
    width, lookup = g.split()
    width.easy()
    onehot_found(lookup).intro("i inside").use("done", "i", label="at").hyp("at")


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


def lh(g: Goal) -> None:
    g.intro("x c inside").have("0 < x^2 + 1", "pos", squares=["x"])
    g.use("lem:hash_component", "x", "1", "c", label="done").hyp("done")


def lh_scale_refuted(g: Goal) -> None:
    """2/sqrt(5/2) is not 1."""
    root(g, "5/2", "r")
    g.have("sqrt(5/2) = 2", "is", use="wrong r_e", rounds=0, multipliers=["1", "sqrt(5/2)"]).auto(
        "is r_s", multipliers=["1", "sqrt(5/2)"]
    )


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


def scaled_refuted(g: Goal) -> None:
    """n = q = 2: 2*1*2 - 1 = 3 at j = 1 beats (2*2*2 - 4)/2 = 2 at j = 2."""
    g.use("wrong", label="one two three").use("three", "2", None, label="only best").use("best", "!", label="max")
    g.use("max", "1", None, label="at").absurd("at")


def scaled(g: Goal) -> None:
    g.intro("n q f (ql qh fp)")
    one, two, three = g.split()
    one.use("lem:scaled_argmax", "n", "q", "f", label="done").hyp("done")
    two.intro("i (il ih)").positive("i", "i", lambda h: h.auto("il")).use(
        "lem:scaled_argmax", "n", "q", "1/i", label="done"
    ).hyp("done")
    three.positive("n", "n", lambda h: h.auto("ql qh")).use("lem:scaled_argmax", "n", "q", "1/n", label="done").hyp(
        "done"
    )


def quadmax_table(g: Goal) -> None:
    g.intro("n query value one index square found some run")
    g.use(
        "lem:cookbook.s5.3.4.quadmax",
        "n",
        "query",
        "value",
        "one",
        "index",
        "square",
        "found",
        "#some",
        "#run",
        label="done",
    ).hyp("done")


def cosh_bound(g: Goal) -> None:
    """e^-t is at least L = 1 - t + t^2/2 - t^3/6, and L*(1 + t + 3/2*t^2) >= 1."""
    g.intro("t (low high)").use("ax:exp_upper", "-t", "1", "!", None, label="up").use(
        "ax:exp_lower", "-t", "1", "!", label="down"
    )
    upper, lower = "(1 + t + 3/2*t^2)", "(1 - t + t^2/2 - t^3/6)"
    g.have("exp(-t) <= 1 - t + t^2/2", "above", use="up").have(f"{lower} <= exp(-t)", "below", use="down")
    g.use("ax:exp_pos", "-t", label="pos").use("ax:exp_ge", "t^2", label="square")
    g.have(f"1 <= {upper}*{lower}", "one", lambda h: h.auto("low high", squares=["t", "t^2"], degree=2))

    def most(h: Goal) -> None:
        h.contra("no").have(f"0 < (exp(t) - {upper})*exp(-t)", "first", use="no pos")
        h.have(
            f"0 <= {upper}*(exp(-t) - {lower})",
            "second",
            lambda e: e.have(f"0 <= {upper}", "u", use="low").auto("u below"),
        )
        h.auto("first second one")

    g.have(f"exp(t) <= {upper}", "most", most).auto("most above square")


def sum_pairs(g: Goal) -> None:
    base, step = g.induct("N", "ge", "ih")
    base.easy()
    step.use("ax:sum_step", "j. sum(i, 1, j - 1, 2)", "1", "N + 1", label="last").use(
        "lem:sum_one", "1", "N", label="ones"
    )
    step.auto("last ones ih")


def pair_ext(g: Goal) -> None:
    g.intro("f g N same")

    def inner(h: Goal) -> None:
        each = lambda e: e.intro("i inside").use("same", "j", None, "i", label="here").hyp("here")  # noqa: E731
        h.intro("j range").use("lem:sum_ext", "i. f(i, j)", "i. g(i, j)", "1", "j - 1", each, label="done").hyp("done")

    g.use(
        "lem:sum_ext", "j. sum(i, 1, j - 1, f(i, j))", "j. sum(i, 1, j - 1, g(i, j))", "1", "N", inner, label="done"
    ).hyp("done")


def pair_member(g: Goal) -> None:
    g.intro("f N p r nonneg (low less high)").use("ax:int_lt", "p", "r", label="next")

    def row(h: Goal) -> None:
        each = lambda e: e.intro("i inside").use("nonneg", "j", None, "i", label="here").hyp("here")  # noqa: E731
        h.intro("j range").use("lem:sum_nonneg", "i. f(i, j)", "1", "j - 1", each, label="done").hyp("done")

    each = lambda e: e.intro("i inside").use("nonneg", "r", None, "i", label="here").hyp("here")  # noqa: E731
    g.use("lem:sum_member", "i. f(i, r)", "1", "r - 1", "p", None, each, label="one")
    g.use("lem:sum_member", "j. sum(i, 1, j - 1, f(i, j))", "1", "N", "r", None, row, label="two").auto("one two")


def sign_choice(g: Goal) -> None:
    base, step = g.induct("N", "ge", "ih")
    base.intro("B").witness("i. 1").easy()
    step.intro("B").use("ih", "B", label="before").obtain("before", "s", "signs small")
    t = "sum(k, 1, N, B(k, N + 1)*s(k))"
    new = f"if(i = N + 1, 1 - 2*I[0 <= {t}], s(i))"
    step.witness(f"i. {new}")
    one, two = step.split()

    one.intro("i (low high)")
    yes, no = one.ind("i = N + 1", "at value")
    yes.rewrite("value")
    yes, other = yes.ind(f"0 <= {t}", "side size")
    yes.pick("right").auto("size")
    other.pick("left").auto("size")
    no.have(
        "i <= N",
        "inside",
        lambda h: (
            h.contra("more")
            .use("ax:int_lt", "N", "i", label="next")
            .have("i = N + 1", "eq", use="next high")
            .absurd("eq", "at")
        ),
    )
    no.rewrite("value").use("signs", "i", label="sign").easy()

    def value(h: Goal, i: str) -> Goal:
        """The new sign at i <= N is s(i)."""

        def proof(e: Goal) -> None:
            yes, no = e.ind(f"{i} = N + 1", "at value")
            yes.contra("any").auto(f"at {i}_high")
            no.auto("value", rounds=0, multipliers=[f"s({i})", f"I[0 <= {t}]"])

        return h.have(new_at(i) + f" = s({i})", f"new_{i}", proof)

    def new_at(i: str) -> str:
        return f"if({i} = N + 1, 1 - 2*I[0 <= {t}], s({i}))"

    def same(h: Goal) -> None:
        h.intro("j (jl jh) i (il ih2)").have("j <= N", "j_high", use="jh").have("i <= N", "i_high", use="ih2 jh")
        value(value(h, "i"), "j").rewrite("new_i").rewrite("new_j").true()

    body = f"i j. B(i, j)*{new_at('i')}*{new_at('j')}"
    two.use("lem:pair_ext", body, "i j. B(i, j)*s(i)*s(j)", "N", same, label="old")
    two.use("ax:sum_step", f"j. sum(i, 1, j - 1, B(i, j)*{new_at('i')}*{new_at('j')})", "1", "N + 1", label="last")

    def row(h: Goal) -> None:
        h.intro("i (il i_high)")
        value(h, "i").rewrite("new_i").true()

    two.use("lem:sum_ext", f"i. B(i, N + 1)*{new_at('i')}", "i. B(i, N + 1)*s(i)", "1", "N", row, label="row")
    for h in two.ind(f"0 <= {t}", "side size"):
        h.rewrite("size", "last", "last_s").rewrite("size", "row", "row_s").rewrite("size", "old", "old_s").rewrite(
            "size"
        )
        h.auto("last_s row_s old_s small side", rounds=0)


DOT = "sum(a, 1, m, x(a, i)*x(a, j))"


def sign_of(g: Goal, fact: str, *at: str) -> list[Goal]:
    """The sign given by `fact` at these indices is 1 or -1; it is put into the goal."""
    label = g.fresh("sign")
    g.use(fact, *(e for k in at for e in (k, None)), label=label)
    out = g.cases(label, f"{label}_is")
    for h in out:
        h.rewrite(f"{label}_is")
    return out


def potential(g: Goal) -> None:
    g.intro("N t u (some low cosh)")
    base, step = g.induct("m", "ge", "ih")
    base.witness("a i. 1")
    signs, small = base.split()
    signs.easy()
    small.use("lem:sum_pairs", "N", label="pairs").auto("pairs")
    step.obtain("ih", "x", "signs small")
    up, down = f"exp(t*{DOT})", f"exp(-t*{DOT})"
    form = f"(exp(t) - exp(-t))/2*({up} - {down})"
    step.use("lem:sign_choice", "N", "#some", f"i j. {form}", label="choice").obtain("choice", "s", "news least")
    step.witness("a i. if(a = m + 1, s(i), x(a, i))")
    signs, bound = step.split()
    signs.intro("a (al ah) i inside")
    yes, no = signs.ind("a = m + 1", "at value")
    yes.rewrite("value").use("news", "i", label="sign").easy()
    no.have(
        "a <= m",
        "before",
        lambda h: (
            h.contra("more")
            .use("ax:int_lt", "m", "a", label="next")
            .have("a = m + 1", "eq", use="next ah")
            .absurd("eq", "at")
        ),
    )
    no.rewrite("value").use("signs", "a", None, "i", None, label="sign").easy()
    product = "if(a = m + 1, s(i), x(a, i))*if(a = m + 1, s(j), x(a, j))"
    total = f"sum(a, 1, m + 1, {product})"

    def term(h: Goal) -> None:
        h.intro("j (jl jh) i (il ih2)")

        def old(e: Goal) -> None:
            e.intro("a (al ah)")
            yes, no = e.ind("a = m + 1", "at value")
            yes.contra("any").auto("at ah")
            no.rewrite("value").true()

        h.use("lem:sum_ext", f"a. {product}", "a. x(a, i)*x(a, j)", "1", "m", old, label="old")
        h.use("ax:sum_step", f"a. {product}", "1", "m + 1", label="last")
        h.have(f"{total} = {DOT} + s(i)*s(j)", "new", use="old last").rewrite("new")
        for e in sign_of(h, "news", "i"):
            for f in sign_of(e, "news", "j"):
                f.true()

    after = f"i j. (exp(t) + exp(-t))/2*({up} + {down}) + {form}*s(i)*s(j)"
    bound.use("lem:pair_ext", f"i j. exp(t*{total}) + exp(-t*{total})", after, "N", term, label="is")
    bound.use("ax:exp_pos", "t", label="p").use("ax:exp_pos", "-t", label="q").use("ax:exp_pos", "m*u", label="e")
    phi = f"sum(j, 1, N, sum(i, 1, j - 1, {up} + {down}))"
    bound.have(f"0 <= (exp(t) + exp(-t))/2*((N^2 - N)*exp(m*u) - {phi})", "one", use="small p q")
    bound.have("0 <= N^2 - N", "pairs", lambda h: squares_of_whole(h))
    bound.have(
        "0 <= (exp(u) - (exp(t) + exp(-t))/2)*((N^2 - N)*exp(m*u))",
        "two",
        lambda h: h.have("0 <= (N^2 - N)*exp(m*u)", "p1", use="pairs e").auto("p1 cosh"),
    )
    bound.auto("is least one two", rounds=0)


def squares_of_whole(h: Goal) -> None:
    """0 <= N^2 - N on the whole numbers, where `some`: 0 <= N."""
    zero, more = h.em("N <= 0", "side")
    zero.have("N = 0", "none", use="side some").rewrite("none").true()
    more.use("ax:int_lt", "0", "N", label="next").auto("next some")


def pair_small(g: Goal) -> None:
    g.intro("N m x t L (tp bound) i (il ih) j (jl jh) differ")
    f = "k l. exp(t*sum(a, 1, m, x(a, k)*x(a, l))) + exp(-t*sum(a, 1, m, x(a, k)*x(a, l)))"

    def nonneg(h: Goal) -> None:
        dot = "sum(a, 1, m, x(a, k)*x(a, l))"
        h.intro("l lr k kr").use("ax:exp_pos", f"t*{dot}", label="p").use("ax:exp_pos", f"-t*{dot}", label="q").auto(
            "p q"
        )

    for h, p, r in zip(apart_by_one(g, "i", "j", "differ"), "ij", "ji", strict=True):
        h.use("lem:pair_member", f, "N", p, r, nonneg, each_by(""), label="member")
        h.use("ax:exp_pos", f"t*{DOT}", label="p").use("ax:exp_pos", f"-t*{DOT}", label="q")
        for sign, name in (("", "up"), ("-", "down")):

            def less(e: Goal, sign: str = sign) -> None:
                e.contra("no").have(f"t*L < {sign}t*{DOT}", "more", use="no tp")
                e.use("lem:exp_less", "t*L", f"{sign}t*{DOT}", label="wrong").auto("wrong member bound p q", rounds=0)

            h.have(f"{sign}{DOT} <= L", name, less)
        h.apart(f"abs({DOT})", lambda e: e.auto(degree=1, rounds=0))


def signs_near(g: Goal) -> None:
    g.intro("N m x eps (some low signs)").have("0 < m", "pos", use="some").positive("m", "m", lambda h: h.hyp("pos"))
    root(g, "m", "r").have(
        "1/sqrt(m)*(1/sqrt(m)) = 1/m",
        "inv",
        use="r_e r_s m_e",
        rounds=0,
        multipliers=[
            "1/sqrt(m)/sqrt(m)",
            "1/m",
            "1/sqrt(m)",
            "1/sqrt(m)/m",
            "sqrt(m)/sqrt(m)/m",
            "1/m/sqrt(m)/sqrt(m)",
        ],
    )
    scaled = "sum(a, 1, m, x(a, i)/sqrt(m)*(x(a, j)/sqrt(m)))"

    def both(h: Goal) -> Goal:
        return h.have(f"{scaled} = 1/m*{DOT}", "is", use="inv", rounds=0, multipliers=[DOT])

    one, two = g.split()
    one.intro("(long near) i ir j jr differ").use("near", "i", None, "j", None, "#differ", label="here")
    both(one).rewrite("is", "here", "here_m")
    one.have(f"0 <= m*(eps - abs(1/m*{DOT}))", "scaled_here", use="here_m pos")
    of_dot = {"degree": 2, "rounds": 0, "multipliers": ["1", "eps", "1/m", "m", DOT]}

    def leaf(e: Goal) -> None:
        e.auto("scaled_here m_e m_i pos " + " ".join(k for k in e.facts if k[0] in "dv" and k != "differ"), **of_dot)

    for h in one.sides(one.term(f"abs({DOT})")):
        h.apart(f"abs(1/m*{DOT})", leaf)
    two.intro("small")
    long, near = two.split()
    long.intro("i ir")

    def unit(h: Goal) -> None:
        h.intro("a ar")
        for e in sign_of(h, "signs", "a", "i"):
            e.true()

    long.use("lem:sum_ext", "a. x(a, i)*x(a, i)", "a. 1", "1", "m", unit, label="units").use(
        "lem:sum_one", "1", "m", label="ones"
    )
    long.auto("units ones inv m_e low", rounds=0, multipliers=["1", "sum(a, 1, m, x(a, i)*x(a, i))", "1/m"])
    near.intro("i ir j jr differ").use("small", "i", None, "j", None, "#differ", label="here")
    both(near).rewrite("is")
    near.have("0 <= 1/m*(eps*m - abs(" + DOT + "))", "scaled_here", use="here m_i")
    for h in near.sides(near.term(f"abs({DOT})")):
        h.apart(f"abs(1/m*{DOT})", leaf)


def near_exists(g: Goal) -> None:
    g.intro("eps m N (pos small some many room)")
    g.use("lem:cosh_bound", "eps/2", None, label="cosh")
    g.use("lem:potential", "N", "eps/2", "(eps/2)^2", None, "m", None, label="made").obtain("made", "x", "signs bound")
    e = "exp(m*eps^2/8)"
    g.have(f"N^2 <= {e}^2", "square", use="room many").use("ax:exp_pos", "m*eps^2/4", label="e_pos")
    g.have(f"0 <= ({e}^2 - N^2 + N)*exp(m*eps^2/4)", "product", use="square e_pos many")

    def ready(h: Goal) -> None:
        low, high = h.split()
        low.auto("pos")
        high.auto("bound product", rounds=0)

    g.use("lem:pair_small", "N", "m", "x", "eps/2", "eps*m", ready, label="near").witness("a i. x(a, i)/sqrt(m)")
    g.use(
        "lem:signs_near",
        "N",
        "m",
        "x",
        "eps",
        each_by("#some", "pos", "#signs"),
        label="there back",
    )
    g.use("back", "#near", label="done").hyp("done")


def log_two(g: Goal) -> None:
    """By the brackets of exp at -3/5 and 4/5."""
    g.use("ax:exp_log", "2", label="is")
    low, high = g.split()
    low.contra("no").use("lem:exp_less", "log(2)", "3/5", label="less")
    low.use("ax:exp_lower", "-3/5", "1", "!", label="down").use("ax:exp_pos", "3/5", label="pos")
    low.have("68/125 <= exp(-3/5)", "value", use="down").have("68/125*exp(3/5) <= 1", "most", use="value pos").auto(
        "most less is"
    )
    high.contra("no").use("lem:exp_less", "4/5", "log(2)", label="less")
    high.use("ax:exp_lower", "4/5", "1", "!", label="down").auto("down less is")


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


def capacity(g: Goal) -> None:
    """N <= exp(m*eps^2/8)."""
    g.intro("eps m N (pos small some many room)")
    g.have("0 < eps^2", "sq", use="pos").positive("eps^2", "e", lambda h: h.hyp("sq"))
    log_of(g, "N", "many").have(
        "12*log(2*N) <= m*eps^2",
        "times",
        lambda h: h.have("0 <= (m - 12/eps^2*log(2*N))*eps^2", "p", use="room sq").auto(
            "p e_e", rounds=0, multipliers=["log(2*N)"]
        ),
    )
    g.have("log(N) <= m*eps^2/8", "small_log", use="times log_is two_low log_pos")
    g.use("lem:exp_mono", "log(N)", "m*eps^2/8", label="most").use(
        "ax:exp_log", "N", lambda h: h.auto("many"), label="is"
    )

    def ready(h: Goal) -> None:
        for e, k in zip(h.split(), ("pos", "small", "some", "many", ""), strict=True):
            e.hyp(k) if k else e.auto("most is")

    g.use("lem:near_exists", "eps", "m", "N", ready, label="done").hyp("done")


def ao_capacity(g: Goal) -> None:
    g.intro("eps pos")
    yes, no = g.em("eps <= 1", "small")
    for h, e in ((yes, "eps"), (no, "1")):
        h.witness(f"{e}^2/8")
        low, all_ = h.split()
        low.auto("pos")
        all_.intro("m N (some many room)")

        def ready(p: Goal, h: Goal = all_) -> None:
            for q in p.split():
                q.easy()

        all_.use("lem:near_exists", e, "m", "N", ready, label="made").obtain("made", "X", "long near").witness("X")
        if e == "eps":
            for p, k in zip(all_.split(), ("long", "near"), strict=True):
                p.hyp(k)
        else:
            one, two = all_.split()
            one.intro("i ir").use("long", "i", label="here").auto("here small")
            two.intro("i ir j jr differ").use("near", "i", None, "j", None, "#differ", label="here").auto("here small")


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


def almost_orth(g: Goal) -> None:
    g.intro("N m (many wide near far)").have("1 <= N", "some", use="many")
    g.use("lem:log_mono", "2", "N", each_by("many"), label="log_two_n")
    log_of(g)
    low, high, family, lookup = g.split()
    low.auto("far log_is two_low")
    high.auto("near log_is log_two_n two_low")

    def ready(h: Goal) -> None:
        for e in h.split():
            e.easy(use="far wide some")

    family.use("lem:capacity", "1/4", "m", "N", ready, label="done").hyp("done")
    lookup.intro("Y n q v z c found (first fits factor long near_y asked) columns layer i inside")

    def given(h: Goal) -> None:
        for e in h.split():
            e.easy()

    lookup.use(
        "lem:cookbook.s5.3.2.ao_lookup",
        "m",
        "N",
        "Y",
        "1/4",
        "n",
        "q",
        "v",
        "z",
        "c",
        "found",
        given,
        "#columns",
        "#layer",
        label="done",
    )
    lookup.use("done", "i", label="low_is high_is found_is").use("found_is", "!", label="is").hyp("is")


def almost_orth_inhabited(g: Goal) -> None:
    """N = 2, m by Eq. (38), and for the lookup a family of which there is one."""
    g.have("1 <= 2", "some", Goal.true)
    log_of(g, "2").have("0 < 192*log(2*2)", "large", use="log_is two_low").use(
        "lem:ceiling", "192*log(2*2)", label="ceil"
    )
    g.obtain("ceil", "m0", "wide near_m far_m").use("lem:capacity", "1/4", "m0", "2", each_by(""), label="family")
    g.obtain("family", "Y0", "long near").have("0 <= m0", "width", use="wide")
    g.use("lem:block_exists", "m0", "2", "Y0", "i. 1", "i. 0", "1", label="made")
    g.obtain("made", "z0", "made_z").obtain("made_z", "found0", "columns layer")
    g.inhabit("2", "m0", "Y0", "2", "i. 1", "i. 0", "z0", "1", "found0", "1", leaf=close)


def almost_orth_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        last = h.text(list(h.facts.values())[-1])
        if h.goal[0] == "false" and last.startswith("sum(") and "z(" in last:
            counted(BLOCK.format(m="m"))(h)
        else:
            h.auto(degree=1, rounds=0)

    g.leaves("N m Y n q v z c found i", leaf)


def space_flip(g: Goal) -> None:
    g.intro("sign m N M G H b p (signs every match)")

    def flip(r: str) -> str:
        return f"sign(a, i, {r})*(1 - 2*I[a = b & i = p])"

    def flipped(r: str, t: str) -> str:
        """t has the signs of r, flipped at b, p."""
        return f"all a in 1..m. all i in 1..N. sign(a, i, {t}) = {flip(r)}"

    def single(h: Goal, r: str, label: str) -> Goal:
        """Exactly one index has the signs of r, flipped."""

        def ready(e: Goal) -> None:
            e.intro("a ar i ir")
            for f in e.ind("a = b & i = p", "is value"):
                f.rewrite("value").use("signs", r, None, "a", None, "i", label="sign")
                for k in f.cases("sign", "sign_is"):
                    k.rewrite("sign_is").easy()

        return h.use("every", f"a i. {flip(r)}", ready, label=label)

    def back(h: Goal, fact: str) -> None:
        """The signs of t are those of r flipped; so those of r are those of t flipped."""
        h.intro("a ar i ir").use(fact, "a", None, "i", label="here")
        for e in h.ind("a = b & i = p", "is value"):
            e.rewrite("value", "here", "here_v").rewrite("value").auto("here_v")

    def same(h: Goal) -> None:
        h.intro("r rr")
        yes, no = h.ind(flipped("r", "t"), "there size")
        other, wrong = yes.ind(flipped("t", "r"), "again size_t")
        other.auto("size size_t")
        wrong.have(flipped("t", "r"), "after_all", lambda e: back(e, "there")).absurd("after_all", "again")
        wrong, other = no.ind(flipped("t", "r"), "again size_t")
        wrong.have(flipped("r", "t"), "after_all", lambda e: back(e, "again")).absurd("after_all", "there")
        other.auto("size size_t")

    def row(h: Goal) -> None:
        single(h.intro("r rr"), "r", "one").auto("one", rounds=0, multipliers=["G(r)"])

    pairs = f"I[{flipped('r', 't')}]"
    g.use("lem:sum_ext", "G", f"r. sum(t, 1, M, {pairs}*G(r))", "1", "M", row, label="first")

    def exchange(h: Goal) -> None:
        def each(e: Goal) -> None:
            e.intro("t tr")
            yes, no = e.ind(flipped("r", "t"), "there size")
            yes.use("match", "r", None, "t", None, "#there", label="is").auto(
                "is size", rounds=0, multipliers=["G(r)", "H(t)"]
            )
            no.auto("size", rounds=0, multipliers=["G(r)", "H(t)"])

        h.intro("r rr").use("lem:sum_ext", f"t. {pairs}*G(r)", f"t. {pairs}*H(t)", "1", "M", each, label="done").hyp(
            "done"
        )

    g.use(
        "lem:sum_ext",
        f"r. sum(t, 1, M, {pairs}*G(r))",
        f"r. sum(t, 1, M, {pairs}*H(t))",
        "1",
        "M",
        exchange,
        label="second",
    )
    g.use("lem:layers_swap", f"r t. {pairs}*H(t)", "1", "M", "1", "M", label="third")

    def column(h: Goal) -> None:
        h.intro("t tr").use("lem:sum_ext", f"r. {pairs}", f"r. I[{flipped('t', 'r')}]", "1", "M", same, label="turned")
        single(h, "t", "one").auto("one turned", rounds=0, multipliers=["H(t)"])

    g.use("lem:sum_ext", f"t. sum(r, 1, M, {pairs}*H(t))", "H", "1", "M", column, label="fourth")
    g.auto("first second third fourth", rounds=0)


def space_moment(g: Goal) -> None:
    g.intro("sign m N M t u i j (signs every count i_low i_high j_low j_high differ cosh)")
    base, step = g.induct("k", "ge", "ih")
    base.intro("any").use("lem:sum_one", "1", "M", label="ones").auto("ones")
    step.intro("room").use("ih", None, label="before")

    def dot(r: str, size: str = "k") -> str:
        return f"sum(a, 1, {size}, sign(a, i, {r})*sign(a, j, {r}))"

    def last(r: str) -> str:
        return f"sign(k + 1, i, {r})*sign(k + 1, j, {r})"

    def product(r: str) -> str:
        return f"{last(r)}*exp(t*{dot(r)})"

    def match(h: Goal) -> None:
        h.intro("r rr s sr same")

        def at(e: Goal, a: str, of: str) -> Goal:
            """The sign of vector `of` at a is kept, or it is the one that was flipped."""
            e.use("same", a, None, of, label=f"new_{of}")
            return e

        def kept(e: Goal) -> None:
            e.intro("a (al ah)")
            at(at(e, "a", "i"), "a", "j")
            yes, no = e.ind("a = k + 1 & i = i", "is value")
            yes.contra("any").auto("is_1 ah")
            other, fine = no.ind("a = k + 1 & j = i", "is_j value_j")
            other.contra("any").auto("is_j_1 ah")
            fine.rewrite("value", "new_i", "was_i").rewrite("value_j", "new_j", "was_j").rewrite("was_i").rewrite(
                "was_j"
            ).true()

        h.use(
            "lem:sum_ext",
            "a. sign(a, i, s)*sign(a, j, s)",
            "a. sign(a, i, r)*sign(a, j, r)",
            "1",
            "k",
            kept,
            label="kept",
        ).rewrite("kept")
        at(at(h, "k + 1", "i"), "k + 1", "j")
        yes, no = h.ind("k + 1 = k + 1 & i = i", "is value")
        no.have("k + 1 = k + 1 & i = i", "after_all", each_by("")).absurd("after_all", "is")
        other, fine = yes.ind("k + 1 = k + 1 & j = i", "is_j value_j")
        other.have("i = j", "eq", use="is_j_2").contra("any").absurd("eq", "differ")
        fine.rewrite("value", "new_i", "was_i").rewrite("value_j", "new_j", "was_j").rewrite("was_i").rewrite(
            "was_j"
        ).true()

    def ready(h: Goal) -> None:
        for e, k in zip(h.split(), ("signs", "every", ""), strict=True):
            e.hyp(k) if k else match(e)

    step.use(
        "lem:space_flip",
        "sign",
        "m",
        "N",
        "M",
        f"r. {product('r')}",
        f"r. -{product('r')}",
        "k + 1",
        "i",
        ready,
        label="turned",
    )

    def term(h: Goal) -> None:
        h.intro("r rr").use("ax:sum_step", "a. sign(a, i, r)*sign(a, j, r)", "1", "k + 1", label="last").rewrite("last")
        h.have("1 <= k + 1 & k + 1 <= m", "inside", each_by("ge room"))
        h.use("signs", "r", "#rr", "k + 1", "#inside", "i", None, label="sign_i").use(
            "signs", "r", "#rr", "k + 1", "#inside", "j", None, label="sign_j"
        )
        for e in h.cases("sign_i", "is_i"):
            for f in e.rewrite("is_i").cases("sign_j", "is_j"):
                f.rewrite("is_j").true()

    after = f"r. (exp(t) + exp(-t))/2*exp(t*{dot('r')}) + (exp(t) - exp(-t))/2*({product('r')})"
    step.use("lem:sum_ext", f"r. exp(t*{dot('r', 'k + 1')})", after, "1", "M", term, label="terms")
    step.use("ax:exp_pos", "t", label="p").use("ax:exp_pos", "-t", label="q").use("ax:exp_pos", "k*u", label="e")
    step.have(f"0 <= (exp(t) + exp(-t))/2*(M*exp(k*u) - sum(r, 1, M, exp(t*{dot('r')})))", "one", use="before p q")
    step.have(
        "0 <= (exp(u) - (exp(t) + exp(-t))/2)*(M*exp(k*u))",
        "two",
        lambda h: h.have("0 <= M*exp(k*u)", "p1", use="count e").auto("p1 cosh"),
    )
    step.auto("terms turned one two", rounds=0, multipliers=["1", "exp(t)", "exp(-t)"])


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


def space_near_all(g: Goal) -> None:
    g.intro("sign m N M eps (signs every some large) r rr")

    def given(e: Goal) -> None:
        one, two, three = e.split()
        one.hyp("some")
        two.auto("large")
        three.intro("a ar i ir").use("signs", "r", None, "a", None, "i", None, label="sign").hyp("sign")

    g.use("lem:signs_near", "N", "m", "a i. sign(a, i, r)", "eps", given, label="there back")

    def size(h: Goal) -> None:
        h.intro("i ir j jr differ").use("lem:sum_abs", "a. sign(a, i, r)*sign(a, j, r)", "1", "m", label="sizes")

        def one(e: Goal) -> None:
            e.intro("a ar").use("signs", "r", "#rr", "a", "#ar", "i", "#ir", label="sign_i").use(
                "signs", "r", "#rr", "a", "#ar", "j", "#jr", label="sign_j"
            )
            for f in e.cases("sign_i", "is_i"):
                for k in f.rewrite("is_i").cases("sign_j", "is_j"):
                    k.rewrite("is_j").true()

        h.use("lem:sum_ext", "a. abs(sign(a, i, r)*sign(a, j, r))", "a. 1", "1", "m", one, label="ones_are").use(
            "lem:sum_one", "1", "m", label="ones"
        )
        h.have("m <= eps*m", "wide", use="some large").auto("sizes ones_are ones wide", rounds=0)

    g.have(
        "all i in 1..N. all j in 1..N. i != j -> abs(sum(a, 1, m, sign(a, i, r)*sign(a, j, r))) <= eps*m", "close", size
    )
    g.use("back", "#close", label="done").hyp("done")


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


def ao_probability_refuted(g: Goal) -> None:
    """N = 2, m = 1, eps = 1, k = 1/20, delta = 99/100: all four families of two vectors satisfy Eq. (37)."""
    g.intro("claim").use("lem:space_four", label="signs every").use("lem:log_two", label="two_low two_high")
    g.use("lem:log_product", "2", "2", "!", label="four_is")

    def ready(h: Goal) -> None:
        for e in h.split():
            text = e.text(e.goal)
            if "exp(" in text:
                e.use("lem:exp_mono", "-1/20*log(2)", "-3/100", lambda p: p.auto("two_low"), label="less")
                e.use("ax:exp_upper", "-3/100", "1", "!", "!", label="up").auto("less up")
            elif "log(" in text:
                e.auto("four_is two_low two_high")
            elif e.goal[0] == "all":
                e.easy()
            else:
                e.true()

    g.use("claim", "2", "1", "4", "1", "99/100", "1/20", FOUR, ready, label="wrong")
    g.use("lem:space_near_all", FOUR, "1", "2", "4", "1", each_by(""), label="near")
    near = "nearorthogonal(a j. if(j = 1, 1 - 2*I[{r} <= 2], 1 - 2*I[{r} = 1 | {r} = 3])/sqrt(1), 1, 2, 1)"

    def one(h: Goal) -> None:
        h.intro("r rr").use("near", "r", "#rr", label="is")
        yes, no = h.ind(near.format(r="r"), "ok value")
        yes.hyp("value")
        no.contra("any").absurd("is", "ok")

    g.use("lem:sum_ext", f"r. I[{near.format(r='r')}]", "r. 1", "1", "4", one, label="all_of").auto(
        "all_of wrong", rounds=0
    )


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


def grid(g: Goal) -> None:
    base, step = g.intro("N some").induct("m", "ge", "ih")
    base.intro("b (low high)").contra("no").auto("low high")
    step.intro("b (low high)")
    yes, no = step.em("b <= m*N", "side")
    yes.use("ih", "b", None, label="found").obtain("found", "a", "al ah rest").obtain("rest", "i", "il ih2 is")
    one, two, three = yes.witness("a").split()
    one.hyp("al")
    two.auto("ah")
    three.witness("i").easy()
    one, two, three = no.witness("m + 1").split()
    one.auto("ge")
    two.true()
    low, high, is_ = three.witness("b - m*N").split()
    low.use("ax:int_lt", "m*N", "b", label="next").auto("next")
    high.auto("high")
    is_.true()


def grid_once(g: Goal) -> None:
    g.intro("N a i b j (il ih jl jh is)")
    g.have("1 <= N", "some", use="il ih")

    def same(h: Goal) -> None:
        for e, x, y in zip(h.antisym(), "ab", "ba", strict=True):
            e.contra("no").use("ax:int_lt", y, x, label="step")
            e.have(f"0 <= ({x} - {y} - 1)*N", "rows", use="step some").auto("rows is il ih jl jh", rounds=0)

    g.have("a = b", "a_is", same)
    one, two = g.split()
    one.hyp("a_is")
    two.rewrite("a_is", "is", "is_b").auto("is_b")


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
    "lem.sqrt_unique": sqrt_unique,
    "lem.sqrt_positive": sqrt_positive,
    "lem.sqrt_product": sqrt_product,
    "lem.hard_pick": hard_pick,
    "lem.block_scores": block_scores,
    "lem.block_found": block_found,
    "lem.hash_component": hash_component,
    "lem.hash_score": hash_score,
    "lem.hash_gap": hash_gap,
    "lem.hash_gap_closed": hash_gap_closed,
    "lem.ratio_root": ratio_root,
    "lem.hash_gap_compare": hash_gap_compare,
    "lem.hash_gap_mono": hash_gap_mono,
    "lem.hash_gap_neighbour": hash_gap_neighbour,
    "lem.hash_gap_least": hash_gap_least,
    "lem.inverse_less": inverse_less,
    "lem.hash_gap_value": hash_gap_value,
    "lem.hash_gap_bounds": hash_gap_bounds,
    "lem.onehot_distance": onehot_distance,
    "lem.gauss_left": gauss_left,
    "lem.gauss_right": gauss_right,
    "lem.gauss_sum": gauss_sum,
    "lem.quadratic_l1": quadratic_l1,
    "lem.quadratic_l1_simple": quadratic_l1_simple,
    "lem.block_exists": block_exists,
    "cookbook.s5.past_mask": Script(
        past_mask, lambda g: g.inhabit(*MASKED, *MASKED, "1", *MASKED, "2"), past_mask_defined
    ),
    "cookbook.s5.softmax": Script(
        softmax, lambda g: g.inhabit("2", "j. 0", "0", "2", "j. 0", "0", "1", "2", "j. 0", "0", "1"), softmax_defined
    ),
    "cookbook.s5.def5.1_hardmax": Script(hardmaxes, hardmaxes_inhabited, lambda g: g.leaves("n s", counted("s"))),
    "cookbook.s5.3.lookup_spec": Script(
        lookup_spec, lookup_spec_inhabited, lambda g: g.leaves("n q v s found i", counted("l. s(i, l)"))
    ),
    "lem.sqrt_scaled": sqrt_scaled,
    "lem.ceiling": ceiling,
    "lem.log_unique": log_unique,
    "lem.log_product": log_product,
    "lem.log_mono": log_mono,
    "lem.log_positive": log_positive,
    "lem.hash_scaled": hash_scaled,
    "lem.masked_norm": masked_norm,
    "lem.hash_gap_positive": hash_gap_positive,
    "lem.hash_best": hash_best,
    "lem.hash_least": hash_least,
    "lem.onehot_dot": onehot_dot,
    "lem.scaled_argmax": scaled_argmax,
    "cookbook.s5.3.1.onehot": Script(
        onehot,
        exists("3", "2", ONEHOT, (*ONEHOT_AT, "1"), (*ONEHOT_AT, "1", "1"), (*ONEHOT_AT, "1", "1")),
        lambda g: g.leaves("N n q v z c found i", counted(BLOCK.format(m="N"))),
    ),
    "cookbook.s5.3.1.gap": Script(
        onehot_gap, lambda g: g.inhabit("3", "2", "1", "2"), lambda g: g.leaves("N n p j", root_leaf("N"))
    ),
    "cookbook.s5.3.2.ao_lookup": Script(
        ao_lookup,
        ao_lookup_inhabited,
        lambda g: g.leaves("m N X eps n q v z c found i", counted(BLOCK.format(m="m"))),
    ),
    "cookbook.s5.3.2.ao_gap": Script(ao_gap, ao_gap_inhabited),
    "cookbook.t5.onehot": Script(
        widths,
        exists("3", "2", ONEHOT, ("1",), (*ONEHOT_AT, "1")),
        lambda g: g.leaves("N n q v z c found i", counted(BLOCK.format(m="N"))),
    ),
    "lem.onehot_near": onehot_near,
    "cookbook.s5.3.3.lh": Script(lh, lambda g: g.inhabit("3", "2"), lambda g: g.leaves("x c", norm_leaf)),
    "cookbook.s5.3.3.lh_scale": Script(counterexample("2", "1", "1", then=lh_scale_refuted), refutes=True),
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
    "cookbook.s5.3.4.scaled": Script(counterexample("2", "2", then=scaled_refuted), refutes=True),
    "cookbook.s5.3.4.scaled.corrected": Script(
        scaled,
        lambda g: g.inhabit("3", "2", "1", "3", "2", "1", "2", "3", "2", "1", "2", "2", "3", "2", "1", "2"),
        lambda g: g.leaves("n q f", Goal.blast),
    ),
    "cookbook.t5.quadmax": Script(quadmax_table, query_inhabited),
    "cookbook.t5.lnhash": Script(
        lh_lookup, exists("4", "2", HASH, (*HASH_AT, "1")), lh_lookup_defined("n q v z c found i")
    ),
    "lem.cosh_bound": cosh_bound,
    "lem.sum_pairs": sum_pairs,
    "lem.pair_ext": pair_ext,
    "lem.pair_member": pair_member,
    "lem.sign_choice": sign_choice,
    "lem.potential": potential,
    "lem.pair_small": pair_small,
    "lem.signs_near": signs_near,
    "lem.near_exists": near_exists,
    "lem.log_two": log_two,
    "lem.capacity": capacity,
    "cookbook.s5.3.2.ao_capacity": Script(ao_capacity, lambda g: g.inhabit("1/5")),
    "cookbook.s5.3.2.ao_dimension": Script(
        ao_dimension, lambda g: g.inhabit("1", "1", others=[("0", "1")]), ao_dimension_defined
    ),
    "cookbook.t5.almost_orth": Script(almost_orth, almost_orth_inhabited, almost_orth_defined),
    "lem.space_flip": space_flip,
    "lem.space_moment": space_moment,
    "lem.space_near": space_near,
    "lem.space_near_all": space_near_all,
    "lem.space_four": space_four,
    "cookbook.s5.3.2.ao_probability": Script(ao_probability_refuted, refutes=True),
    "cookbook.s5.3.2.ao_probability.corrected": Script(
        ao_probability, ao_probability_inhabited, ao_probability_defined
    ),
    "cookbook.s5.3.1.width": Script(
        width, lambda g: g.inhabit("1", "1", "a i. 1", others=[("1", "1")]), ao_dimension_defined
    ),
    "lem.probability_small_k": probability_small_k,
    "lem.bits_exist": bits_exist,
    "lem.grid": grid,
    "lem.grid_once": grid_once,
    "lem.space_exists": space_exists,
}
