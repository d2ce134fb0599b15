"""Chiang and Cholak (2022): PARITY and FIRST, layer norm, Propositions 2 and 3; Cookbook, Sections 2 and 9."""

from __future__ import annotations

from typing import Any

from script import Script

from symcook.proof.search.tactics import Goal, Tactic

SCRIPTS: dict[str, Script] = {}
linear: dict[str, Any] = {"degree": 1, "rounds": 0}


# --- Alternating scores -----------------------------------------------------------------------------------------------


# --- Weights over 0..n - 1 --------------------------------------------------------------------------------------------


def signs(g: Goal, k: str = "k") -> list[Goal]:
    """The cases (-1)^k = 1 and (-1)^k = -1, as `now`, with (-1)^(k + 1) as `then`."""
    g.use("lem:sign", k, label="sign").use("lem:sign_next", k, label="next")
    goals = g.cases("sign", "now")
    for h, value in zip(goals, ("-1", "1"), strict=True):
        h.have(f"pow(-1, {k} + 1) = {value}", "then", use="next now", **linear)
    return goals


A, B = (f"alternate{k}(c, 2*m + 1)" for k in ("one", "two"))


# --- D and H ----------------------------------------------------------------------------------------------------------


# --- Section 3.1 ------------------------------------------------------------------------------------------------------


# --- Section 3.2 and Appendix A ---------------------------------------------------------------------------------------


def odd_sums(g: Goal) -> Goal:
    """The normalisers for n = 2 m + 1 as `is_a` and `is_b`, positive with inverses `za` and `zb`."""
    g.use("lem:alternating_sums", "c", "m", label="a1 a2 b1 b2")
    g.have(f"sum(j, 0, 2*m + 1 - 1, exp(c*pow(-1, j + 1))) = {A}", "is_a", use="b2", **linear)
    g.have(f"sum(j, 0, 2*m + 1 - 1, exp(c*pow(-1, j))) = {B}", "is_b", use="a2", **linear)
    g.use("ax:exp_pos", "c", label="up").use("ax:exp_pos", "-c", label="down")
    return g.positive(A, "za", lambda h: h.auto("up down m_low")).positive(B, "zb", lambda h: h.auto("up down m_low"))


def evenodd(g: Goal) -> None:
    g.intro("m n c (m_low n_is)").rewrite("n_is")
    odd_sums(g)
    for label, body, low, at, z, value in (
        ("one", "j + 1", "1", "2*l - 1", "is_a", A),
        ("two", "j", "0", "2*l", "is_b", B),
    ):

        def term(h: Goal, at: str = at, z: str = z, body: str = body) -> None:
            h.intro("l (ll lh)").use("lem:alternation", "l", None, label="e o").rewrite(z)
            power = "2*l - 1 + 1" if body == "j + 1" else "2*l"
            h.have(f"pow(-1, {power}) = 1", "power", use="e", **linear).rewrite("power").true()

        g.use(
            "lem:sum_ext",
            f"l. clsweight(j. c*pow(-1, {body}), 2*m + 1, {at})",
            f"l. exp(c)/({value})",
            low,
            "m",
            term,
            label=label,
        )
        g.use("lem:sum_one", low, "m", label=f"count_{label}")
    a, b = f"1/({A})", f"1/({B})"
    g.have(
        f"0 < (2*m + 1)*({a})*({b})",
        "gap",
        lambda h: h.have("0 < 2*m + 1", "odd_p", use="m_low").auto("odd_p za_i zb_i", degree=3),
    )
    g.have(
        f"(2*m + 1)*({a})*({b}) = (m + 1)*exp(c)*({b}) - m*exp(c)*({a})",
        "gap_is",
        use="za_e zb_e",
        **linear,
        multipliers=[f"(m + 1)*exp(c)*({b})", f"m*exp(c)*({a})"],
    )
    g.rewrite("one").rewrite("two").auto(
        "gap gap_is count_one count_two", **linear, multipliers=[f"exp(c)*({a})", f"exp(c)*({b})"]
    )


def some_m(g: Goal) -> Goal:
    """1 <= m from n = 2 m and 0 <= k <= n - 1."""
    return g.have(
        "1 <= m",
        "m_some",
        lambda h: h.contra("no").use("ax:int_lt", "m", "1", label="less").auto("less n_is low high", **linear),
    )


def s_even(g: Goal) -> None:
    some_m(g.intro("m n k c (n_is low high some)"))
    g.use("lem:parity_even", "m", "k", "c", label="value").use(
        "lem:paritylogit_sign", "n", "k", "c", label="up weak down"
    )
    one, two, three = g.split()
    one.rewrite("n_is").rewrite("value").true()
    for h, label in ((two, "up"), (three, "down")):
        h.intro("case").use("lem:odd_sign", "k", label="sign")
        odd, even = h.cases("sign", "is power")
        right, wrong = (odd, even) if label == "up" else (even, odd)
        right.use(label, None, label="done") if label == "up" else right.use(label, None, None, label="done")
        right.hyp("done")
        wrong.absurd(*(("case", "is") if label == "up" else ("is", "case")))


def sign_right(g: Goal) -> None:
    g.intro("n k c (low high some)").use("lem:paritylogit_sign", "n", "k", "c", label="up weak down").use(
        "lem:odd_sign", "k", label="sign"
    )
    odd, even = g.cases("sign", "is power")
    one, two, three, four = odd.use("up", label="value").split()
    one.intro("has").hyp("is")
    two.intro("has").hyp("value")
    three.intro("has").contra("no").auto("has value", **linear)
    four.intro("(two has)").absurd("is", "has")
    one, two, three, four = even.use("weak", label="value").split()
    one.intro("has").contra("no").auto("has value", **linear)
    two.intro("has").absurd("has", "is")
    first, second = three.intro("has").split()
    first.contra("no").use("ax:int_lt", "n", "2", label="less").have("n = 1", "n_is", use="less low high", **linear)
    first.have("k = 0", "k_is", use="n_is low high", **linear).use(
        "lem:parity_odd", "0", "0", "c", label="za zb main left right"
    )
    first.use("ax:pow_zero", "-1", label="zero_power").use("left", label="zero")
    first.rewrite("n_is", "has", "has1").rewrite("k_is", "has1", "has2").auto("has2 zero", **linear)
    second.hyp("is")
    four.intro("(two has)").use("down", label="done").hyp("done")


def big_o(g: Goal) -> None:
    g.intro("n k c (low high some)").use("lem:paritylogit_size", "n", "k", "c", label="size")
    one, two = g.split()
    one.hyp("size")
    two.intro("even").use("lem:parity", "n", label="halves").obtain("halves", "m", "m_low half")
    here, odd = two.cases("half", "n_is")
    odd.have("odd(n)", "wrong", lambda e: e.witness("m").hyp("n_is")).absurd("wrong", "even")
    some_m(here).use("lem:parity_even", "m", "k", "c", label="value").use(
        "lem:sinh_sign", "c", label="s t1 t2"
    ).positive("m", "m")
    here.rewrite("n_is").rewrite("value").have("0 < 1/m^2", "square", use="m_i")
    for h in signs(here):
        h.rewrite("then").apart(
            f"abs({h.text(h.goal[2][0][2][0])})",
            lambda e: e.auto([*(k for k in e.facts if k[0] == "v"), "square", "t1", "t2"]),
        )


def even_alpha(g: Goal) -> None:
    g.intro("m n c (some n_is)").rewrite("n_is").use("lem:alternating_sums", "c", "m", label="a1 a2 b1 b2")
    g.use("lem:tanh_pair", "c", "m", label="some_y y_is t_is").positive(
        "m*(exp(c) + exp(-c))", "y", lambda h: h.hyp("some_y")
    )
    each_one, odd, even = g.split()
    one, two = each_one.intro("i (low high)").split()
    one.rewrite("b1").true()
    two.rewrite("a1").true()
    for h, fact in ((odd, "b1"), (even, "a1")):
        h.auto(f"{fact} y_e", **linear, multipliers=["1/(m*(exp(c) + exp(-c)))"])


def even_s(g: Goal) -> None:
    some_m(g.intro("m n k c (n_is low high)")).have(
        "0 < n^2/2", "half", lambda h: h.have("1 <= n", "n_some", use="n_is m_some", **linear).auto("n_some")
    )
    g.use("lem:parity_logit", "n", "k", "c", label="logit").use("lem:parity_even", "m", "k", "c", label="value")
    g.use("lem:tanh_pair", "c", "n^2/2", label="y_p y_is t_is").have(
        "paritylogit(c, n, k) = pow(-1, k + 1)*(2*tanh(c)/n^2)",
        "here",
        lambda h: h.rewrite("n_is").rewrite("value").true(),
    )
    one, two, three, four = g.split()
    one.auto("logit", **linear)
    for h in (two, three):
        for e in signs(h):
            e.rewrite("then", "here", "here2")
            if h is two:
                e.rewrite("now")
            e.have(
                "paritylogit(c, n, k) = (" + e.text(e.fact("then")[2][1]) + ")*(2*tanh(c)/n^2)",
                "plain",
                use="here2",
                **linear,
            )
            e.rewrite("then").auto("plain t_is", **linear)
    four.hyp("here")


def odd_z(g: Goal) -> None:
    g.intro("m n k c (n_is low high)")
    g.have(
        "0 <= m",
        "m_low",
        lambda h: h.contra("no").use("ax:int_lt", "m", "0", label="less").auto("less n_is low high", **linear),
    )
    odd_sums(g)
    g.use("lem:parity_odd", "m", "k", "c", label="p1 p2 main even odd").rewrite("n_is")
    every, last = g.split()
    one, two = every.intro("i (il ih)").split()
    one.rewrite("is_a").true()
    two.rewrite("is_b").true()
    last.auto("main", **linear)


def odd_case(kind: str) -> Tactic:
    def run(g: Goal) -> None:
        g.intro("m n l k c (n_is k_is low high some)")
        g.have(
            "0 <= m",
            "m_low",
            lambda h: h.contra("no").use("ax:int_lt", "m", "0", label="less").auto("less n_is low high", **linear),
        )
        g.have(
            "0 <= l",
            "l_low",
            lambda h: h.contra("no").use("ax:int_lt", "l", "0", label="less").auto("less k_is low high", **linear),
        )
        g.use("lem:alternation", "l", label="e o").have(
            f"pow(-1, k) = {'1' if kind == 'even' else '-1'}", "now", lambda h: h.rewrite("k_is").easy("e o")
        )
        g.use("lem:parity_odd", "m", "k", "c", label="p1 p2 main even odd").use(kind, label="value")
        g.use("lem:paritylogit_sign", "n", "k", "c", label="up weak down")
        one, two, *signs_left = g.split()
        for h in (one, two):
            h.rewrite("n_is").auto("value", **linear)
        if kind == "odd":
            signs_left[0].use("up", label="done").hyp("done")
            return
        more, none = signs_left
        more.intro("three").use("down", label="done").hyp("done")
        none.intro("single").have("m = 0", "m_is", use="single n_is", **linear)
        none.rewrite("n_is").rewrite("value").rewrite("m_is").true()

    return run


SCRIPTS |= {
    "lem.even_odd": Script(evenodd),
    "lem.even_logit": Script(s_even),
    "lem.paritylogit_decides": Script(sign_right),
    "lem.paritylogit_order": Script(big_o),
    "lem.even_chain": Script(even_s),
    "lem.odd_chain": Script(odd_z),
    "lem.odd_length_even": Script(odd_case("even")),
    "lem.odd_length_odd": Script(odd_case("odd")),
    "lem.even_weights": Script(even_alpha),
}
