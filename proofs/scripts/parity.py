"""Chiang and Cholak (2022): PARITY and FIRST, layer norm, Propositions 2 and 3; Cookbook, Sections 2 and 9."""

from __future__ import annotations

import re
from typing import Any

from places import some
from script import Script, each, witnesses

from symcook.proof.normal import constant, nf
from symcook.proof.search.tactics import Goal, Stuck, Tactic
from symcook.proof.terms import free, num, replace, var

SCRIPTS: dict[str, Script] = {}
linear: dict[str, Any] = {"degree": 1, "rounds": 0}


def refuted_at(*arguments: str | Tactic, then: Tactic) -> Tactic:
    """Assume the claim, use it at these values (and proofs of its premises), derive a contradiction from ``wrong``."""

    def run(g: Goal) -> None:
        g.intro("claim").use("claim", *arguments, label="wrong")
        then(g)

    return run


# --- Alternating scores -----------------------------------------------------------------------------------------------


# --- Weights over 0..n - 1 --------------------------------------------------------------------------------------------


def total(g: Goal, s: str = "s", n: str = "n", z: str = "z") -> Goal:
    """0 < Z, Z*(1/Z) = 1 and 0 < 1/Z for the normaliser of the scores s over 0..n - 1."""
    name, _, body = s.partition(". ")
    inside = f"{s}(p)" if not body else body.replace(name, "p")
    return g.positive(
        f"sum(p, 0, {n} - 1, exp({inside}))", z, lambda h: h.use("lem:cls_total", s, n, label="pos").hyp("pos")
    )


def signs(g: Goal, k: str = "k") -> list[Goal]:
    """The cases (-1)^k = 1 and (-1)^k = -1, as `now`, with (-1)^(k + 1) as `then`."""
    g.use("lem:sign", k, label="sign").use("lem:sign_next", k, label="next")
    goals = g.cases("sign", "now")
    for h, value in zip(goals, ("-1", "1"), strict=True):
        h.have(f"pow(-1, {k} + 1) = {value}", "then", use="next now", **linear)
    return goals


def parity_even(g: Goal) -> None:
    g.intro("m k c (some low high)")
    g.use("lem:parity_logit", "2*m", "k", "c", label="logit").use("lem:alternating_sums", "c", "m", label="a1 a2 b1 b2")
    g.rewrite("logit").rewrite("a1").rewrite("b1")
    g.use("ax:exp_pos", "2*c", label="pos").positive("exp(2*c) + 1", "z")
    g.use("ax:exp_pos", "c", label="up").use("ax:exp_pos", "-c", label="down")
    g.have("0 < m*(exp(c) + exp(-c))", "some_y", use="up down some").positive("m*(exp(c) + exp(-c))", "y").positive(
        "m", "m"
    )
    y, d = "1/(m*(exp(c) + exp(-c)))", "1/(exp(2*c) + 1)"
    g.have(
        f"{y} = exp(c)/m*({d})",
        "y_is",
        use="y_e z_e m_e",
        **linear,
        multipliers=[y, f"exp(c)/m*({d})", f"{y}*(exp(2*c) + 1)*{d}"],
    )
    for h in signs(g):
        h.rewrite("now").rewrite("then").auto(
            "y_is z_e", **linear, multipliers=["1/m", "1/m^2", "exp(c)/m", "exp(-c)/m"]
        )


SCRIPTS |= {
    "lem.parity_even": Script(parity_even),
}


A, B = (f"alternate{k}(c, 2*m + 1)" for k in ("one", "two"))


def parity_odd(g: Goal) -> None:
    g.intro("m k c (some low high)")
    g.use("ax:exp_pos", "c", label="up").use("ax:exp_pos", "-c", label="down")
    g.positive(A, "a", lambda h: h.auto("up down some")).positive(B, "b", lambda h: h.auto("up down some"))
    g.positive("2*m + 1", "n")
    g.use("lem:parity_logit", "2*m + 1", "k", "c", label="logit").use(
        "lem:alternating_sums", "c", "m", label="a1 a2 b1 b2"
    )
    for body, z, fact in (("j + 1", A, "b2"), ("j", B, "a2")):
        g.have(f"sum(j, 0, 2*m + 1 - 1, exp(c*pow(-1, {body}))) = {z}", f"is_{fact}", use=fact, **linear)
    g.use("lem:inverse_product", "(2*m + 1)*alternateone(c, 2*m + 1)", B, label="p1")
    g.use("lem:inverse_product", "2*m + 1", A, label="p2")
    logit, inverses = "paritylogit(c, 2*m + 1, k)", f"1/(2*m + 1)*(1/({A}))*(1/({B}))"
    product = f"(2*m + 1)*{A}*{B}"
    g.have(f"1/({product}) = {inverses}", "all", lambda h: h.rewrite("p1").rewrite("p2").true())
    x, y = "exp(c*pow(-1, k + 1))", "exp(c*pow(-1, k))"
    g.have(f"{logit} = ({x}*{B} - {y}*{A})/({product})", "main", lambda h: main(h, x, y))
    one, two, three, four, five = g.split()
    one.hyp("a_p")
    two.hyp("b_p")
    three.hyp("main")
    for h, value in ((four, "-1"), (five, "1")):
        h.intro("now").use("lem:sign_next", "k", label="next").have(
            f"pow(-1, k + 1) = {value}", "then", use="next now", **linear
        )
        h.rewrite("now", "main", "m1").rewrite("then", "m1", "m2").hyp("m2")


def main(h: Goal, x: str, y: str) -> None:
    weights = f"1/(2*m + 1)*({x}*(1/({A})) - {y}*(1/({B})))"
    h.have(
        f"paritylogit(c, 2*m + 1, k) = {weights}",
        "plain",
        lambda e: e.rewrite("logit").rewrite("is_b2").rewrite("is_a2").true(),
    )
    both = f"1/(2*m + 1)*(1/({A}))*(1/({B}))"
    h.have(
        f"({x}*{B} - {y}*{A})*({both}) = {weights}",
        "cleared",
        use="a_e b_e",
        **linear,
        multipliers=[f"{x}*(1/({A}))/(2*m + 1)", f"{y}*(1/({B}))/(2*m + 1)"],
    )
    h.auto("plain cleared all", **linear, multipliers=[f"{x}*{B} - {y}*{A}"])


SCRIPTS |= {
    "lem.parity_odd": Script(parity_odd),
}


def paritylogit_sign(g: Goal) -> None:
    g.intro("n k c (some low high)").use("lem:sinh_sign", "c", label="s1 t1 t2")
    g.use("lem:sinh_sign", "2*c", lambda h: h.auto("some", **linear), label="s2 t3 t4")
    g.use("lem:parity", "n", label="halves").obtain("halves", "m", "m_low half")
    even, odd = g.cases("half", "is")
    even.have(
        "1 <= m", "m_some", lambda h: h.contra("no").use("ax:int_lt", "m", "1", label="less").auto("less is low high")
    )
    even.use("lem:parity_even", "m", "k", "c", label="logit").rewrite("is").rewrite("logit")
    even.positive("m", "m")
    one, two, three = even.split()
    one.intro("now").use("lem:sign_next", "k", label="next").have(
        "pow(-1, k + 1) = 1", "then", use="next now", **linear
    )
    one.rewrite("then").have("0 < 1/m^2", "square", use="m_i").auto("square t1")
    for h, spec in ((two, "now"), (three, "two now")):
        h.intro(spec).use("lem:sign_next", "k", label="next").have(
            "pow(-1, k + 1) = -1", "then", use="next now", **linear
        )
        h.rewrite("then").have("0 < 1/m^2", "square", use="m_i").auto("square t1")
    odd.use("lem:parity_odd", "m", "k", "c", label="za zb main down up").rewrite("is").positive("2*m + 1", "n")
    product = f"(2*m + 1)*{A}*{B}"
    odd.have("0 < 2*c", "twice", use="some").positive(product, "w", lambda h: h.auto("n_p za zb", degree=3))
    one, two, three = odd.split()
    one.intro("now").use("up", label="value").have("0 < 2*m + 2", "big", use="m_low").rewrite("value")
    one.have("0 < (2*m + 2)*sinh(2*c)", "top", use="big s2").auto("top w_i")
    two.intro("now").use("down", label="value").rewrite("value")
    two.have("0 <= 2*m*sinh(2*c)", "top", use="m_low s2").auto("top w_i")
    three.intro("two now").use("down", label="value").rewrite("value").have("0 < m", "some_m", use="two is", **linear)
    three.have("0 < 2*m*sinh(2*c)", "top", use="some_m s2").auto("top w_i")


SCRIPTS |= {
    "lem.paritylogit_sign": Script(paritylogit_sign),
}


# --- D and H ----------------------------------------------------------------------------------------------------------


def zero_of(h: Goal) -> str:
    """The label of the last fact, which says that a denominator is 0."""
    found = [k for k in h.facts if k[0] == "p" and k[1:].isdigit()]
    if not found or h.goal[0] != "false":
        raise Stuck("no denominator")
    return found[-1]


def normaliser(h: Goal) -> None:
    """A sum of exponentials over 0..n - 1 is not 0."""
    zero = zero_of(h)
    found = re.fullmatch(r"sum\((\w+), 0, (\w+) - 1, exp\((.*)\)\) = 0", h.text(h.fact(zero)))
    if found is None:
        raise Stuck("no normaliser")
    name, n, scores = found.groups()
    h.use("lem:cls_total", f"{name}. {scores}", n, label="here").auto(["here", zero], **linear)


def whole(names: str, *options: Tactic) -> Tactic:
    """D: leaves by linear arithmetic, else by one of the options."""

    def leaf(h: Goal) -> None:
        some(h, lambda e: e.easy(**linear), normaliser, *options)

    return lambda g: g.leaves(names, leaf)


def not_odd(g: Goal, k: str) -> None:
    """k = 2 m + 1 has no solution for a numeral k that is even."""
    g.intro("half").obtain("half", "m", "is")
    low, high = g.em(f"m <= {int(k) // 2 - 1}", "side")
    low.auto("side is", **linear)
    high.use("ax:int_lt", f"{int(k) // 2 - 1}", "m", label="step").auto("step is", **linear)


# --- Section 3.1 ------------------------------------------------------------------------------------------------------


def integer_half(g: Goal, k: str, j: str) -> list[Goal]:
    """j <= k, or k + 1 <= j, as `side`."""
    yes, no = g.em(f"{j} <= {k}", "side")
    no.use("ax:int_lt", k, j, label="step")
    return [yes, no]


def rumelhart_first(g: Goal) -> None:
    g.intro("n x k W b h (some word k_is ones bias) h_is j (low high)")
    g.use("h_is", "j", label="is").use("bias", "j", label="b_is")
    g.use(
        "lem:sum_ext",
        "i. W(j, i)*x(i)",
        "i. x(i)",
        "1",
        "n",
        lambda e: (
            e.intro("i inside").use("ones", "j", None, "i", label="one").auto("one", rounds=0, multipliers=["x(i)"])
        ),
        label="total",
    )
    inside = "0 < sum(i, 1, n, W(j, i)*x(i)) + b(j)"
    threshold(g, inside, "j", "is")


def threshold(g: Goal, inside: str, j: str, given: str) -> None:
    """I[inside] = I[j <= k] where the facts say that what is inside is 0 < k - j + 1/2."""
    for h in integer_half(g, "k", j):
        for e in h.ind(inside, "in value"):
            for f in e.ind(f"{j} <= k", "le other"):
                if not f.try_contradiction():
                    f.auto(f"{given} value other", **linear)


def rumelhart(g: Goal) -> None:
    g.intro("n x k h y (some word k_is) h_is y_is")
    inside = "0 < sum(i, 1, n, x(i)) + (-j + 1/2)"

    def hidden(e: Goal) -> None:
        e.intro("j (low high)").use("h_is", "j", label="is")
        threshold(e, inside, "j", "is")

    g.have("all j in 1..n. h(j) = I[j <= k]", "steps", hidden)

    def bit(e: Goal) -> None:
        e.intro("i inside").use("word", "i", label="either")
        for f in e.cases("either", "it"):
            f.auto("it", **linear)

    g.use("lem:sum_nonneg", "i. x(i)", "1", "n", bit, label="low").use(
        "lem:sum_mono", "i. x(i)", "i. 1", "1", "n", bit, label="high"
    )
    g.use("lem:sum_one", "1", "n", label="ones").have("0 <= k & k <= n", "k_low k_high")
    g.use("lem:sum_split", "j. pow(-1, j + 1)*h(j)", "1", "k", "n", label="parts")

    def first(e: Goal) -> None:
        e.intro("j (jl jh)").use("steps", "j", lambda f: f.easy(), label="is").use("lem:sign_next", "j", label="next")
        yes, no = e.ind("j <= k", "le value")
        yes.rewrite("is").rewrite("value").rewrite("next").true()
        no.auto("le jh", **linear)

    def rest(e: Goal) -> None:
        e.intro("j (jl jh)").use("steps", "j", lambda f: f.easy(), label="is")
        yes, no = e.ind("j <= k", "le value")
        yes.auto("le jl", **linear)
        no.rewrite("is").rewrite("value").true()

    g.use("lem:sum_ext", "j. pow(-1, j + 1)*h(j)", "j. -pow(-1, j)", "1", "k", first, label="before")
    g.use("lem:sum_ext", "j. pow(-1, j + 1)*h(j)", "j. 0", "k + 1", "n", rest, label="after")
    g.use("lem:sign_sum", "k", label="signs")
    g.have("sum(j, 1, n, pow(-1, j + 1)*h(j)) = (1 - pow(-1, k))/2", "total", use="parts before after signs", **linear)
    g.rewrite("total", "y_is", "y_now").use("lem:odd_sign", "k", label="sign")
    odd, even = g.cases("sign", "is_odd power", "is_even power")
    for e, wanted in ((odd, True), (even, False)):
        e.rewrite("power", "y_now", "y_at")
        for f in e.ind("odd(k)", "truth value"):
            if (f.facts["truth"][0] == "~") == wanted:
                f.absurd(*(("is_odd", "truth") if wanted else ("truth", "is_even")))
            else:
                f.auto("y_at value", **linear)


SCRIPTS |= {
    "chiang2022.s3.1.rumelhart.h1": Script(
        rumelhart_first,
        witnesses("2", "i. 1", "2", "j i. 1", "j. -j + 1/2", "j. I[0 < 2 + (-j + 1/2)]", "1"),
        whole("n x k W b h"),
    ),
    "chiang2022.s3.1.rumelhart": Script(
        rumelhart,
        witnesses(
            "2",
            "i. 1",
            "2",
            "j. I[0 < 2 + (-j + 1/2)]",
            "I[0 < sum(j, 1, 2, pow(-1, j + 1)*I[0 < 2 + (-j + 1/2)]) + -1/2]",
        ),
        whole("n x k h y"),
    ),
}


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


def tent(g: Goal) -> None:
    g.intro("i k")
    yes, no = g.ind("i = k", "is value")
    yes.rewrite("value").rewrite("is").true()
    low, high = no.em("i <= k", "side")
    less, same = low.em("i < k", "strict")
    same.have("i = k", "after_all", use="side strict").absurd("after_all", "is")
    less.use("ax:int_lt", "i", "k", label="step")
    high.use("ax:int_lt", "k", "i", label="step")
    for h in (less, high):
        h.apart("max(0, k - i - 1); max(0, k - i); max(0, k - i + 1)", lambda e: e.auto(**linear))


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


def at_odd(h: Goal) -> None:
    """odd(1) or ~odd(2), or what is easy."""
    some(h, lambda e: e.easy(), lambda e: e.witness("0").easy(), *(lambda e, k=k: not_odd(e, k) for k in "024"))


SCRIPTS |= {
    "chiang2022.fig1": Script(tent, witnesses("0", "0")),
}


# --- One position: Sections 3.3, 5.2 and 5.3 --------------------------------------------------------------------------


def first_entries(g: Goal) -> None:
    g.intro("n w c z s (some cls word) (net logit)")
    g.use("net", "0", label="a1 a2 a3 a4 a5")
    for k, value in (("1", "0"), ("2", "0"), ("3", "1"), ("4", "0")):

        def entry(h: Goal, k: str = k) -> None:
            h.rewrite(f"a{k}").rewrite("cls").true() if k != "4" else h.rewrite("a4").true()

        g.have(f"z({k}, 0) = {value}", f"b{k}", entry)
    g.have("z(5, 0) = 0", "b5", lambda h: h.rewrite("a5").rewrite("b1").rewrite("b3").rewrite("b4").true())
    every, *rest = g.split()
    for k, h in enumerate(rest, 1):
        h.hyp(f"b{k}")
    every.intro("i (low high)").use("net", "i", label="c1 c2 c3 c4 c5")
    zero, more = every.em("i <= 0", "side")
    zero.have("i = 0", "is", use="side low", **linear)
    zero.rewrite("is").rewrite("b3").rewrite("b4").rewrite("b5").easy()
    more.use("ax:int_lt", "0", "i", label="step").use("word", "i", label="bit")
    for h, w in zip(more.cases("bit", "w_is"), ("0", "1"), strict=True):
        for k in "123":
            h.rewrite("w_is", f"c{k}", f"d{k}")
        for e in h.ind("i = 1", "first value"):
            e.rewrite("value", "c4", "d4")
            e.have(f"z(5, i) = {'1' if w == '1' and e.facts['first'][0] == '=' else '0'}", "d5", lambda f: five(f))
            parts = e.split()
            parts[0].rewrite("d4").rewrite("b3").rewrite("value").true()
            parts[1].rewrite("d4").rewrite("d5").rewrite("value").rewrite("w_is").true()
            parts[2].intro("other")
            if e.facts["first"][0] == "=":
                parts[2].absurd("first", "other")
            else:
                parts[2].easy("d4 d5")


def five(f: Goal) -> None:
    """z(5, i) by its equation, where d1, d3 and d4 say what the other entries are."""
    for k in "134":
        value = constant(nf(f.fact(f"d{k}")[2][1]))
        f.have(f"z({k}, i) = {value}", f"g{k}", use=f"d{k}", **linear)
    f.rewrite("c5").rewrite("g1").rewrite("g3").rewrite("g4").true()


def both(h: Goal) -> None:
    one, two = h.split()
    one.hyp("two")
    two.intro("j inside").use("each", "j", label="score value rest").hyp("score")


SCRIPTS |= {
    "lem.first_entries": Script(first_entries),
}

VALUE = "-1/2*z(1, {0}) + 1/2*z(2, {0}) - 1/2*z(3, {0})"


def flawed_logit(g: Goal) -> None:
    g.intro("n w c z s k (some cls bits k_is) (layer s_is)")
    g.use("layer", "0", label="a1 a2 a3 a4")
    for k, value in (("1", "0"), ("2", "0"), ("3", "1")):
        g.have(f"z({k}, 0) = {value}", f"b{k}", lambda h, k=k: h.rewrite(f"a{k}").rewrite("cls").true())

    def entry(h: Goal) -> None:
        h.intro("i (low high)").use("layer", "i", label="c1 c2 c3 c4").use("bits", "i", label="bit")
        for e in h.cases("bit", "w_is"):
            for k in "123":
                e.rewrite("w_is", f"c{k}", f"d{k}")
            e.auto("d1 d2 d3 w_is", **linear)

    g.have(f"all i in 1..n - 1. {VALUE.format('i')} = w(i) - 1/2", "entries", entry)

    def bit(h: Goal) -> None:
        h.intro("i inside").use("bits", "i", lambda e: e.easy(), label="either")
        for f in h.cases("either", "it"):
            f.auto("it", **linear)

    many, single = g.split()
    single.intro("is").rewrite("is", "s_is", "s_now").rewrite("is", "k_is", "k_now")
    single.use("lem:single_zero", "j. c*z(3, 0)*z(4, j)", f"i. {VALUE.format('i')}", label="only")
    single.easy("s_now only k_now b1 b2 b3", **linear)
    many.intro("two")

    def scores(h: Goal) -> None:
        one, two = h.split()
        one.hyp("two")
        two.intro("j inside").use("layer", "j", label="c1 c2 c3 c4").rewrite("c4").rewrite("b3").true()

    many.use(
        "lem:single_sum", "n", "c", "j. c*z(3, 0)*z(4, j)", f"i. {VALUE.format('i')}", scores, label="total pos sum_is"
    )
    many.use("lem:sum_split", f"i. {VALUE.format('i')}", "0", "0", "n - 1", label="parts")
    many.use("lem:sum_ext", f"i. {VALUE.format('i')}", "i. w(i) - 1/2", "1", "n - 1", "#entries", label="rest")
    many.use("lem:sum_one", "1", "n - 1", label="ones").use("entries", "1", label="first")
    many.have(
        f"sum(i, 0, n - 1, {VALUE.format('i')}) = k - n/2", "sum_v", use="parts rest ones b1 b2 b3 k_is", **linear
    )

    def indicator(h: Goal) -> None:
        h.use("bits", "1", label="either")
        for e in h.cases("either", "it"):
            e.rewrite("it").true()

    many.have("I[w(1) = 1] = w(1)", "one", indicator)
    one, two, three, four = many.split()
    one.hyp("pos")
    two.auto("s_is sum_is sum_v first one", **linear, multipliers=["1/(exp(c) + n - 1)", "exp(c)/(exp(c) + n - 1)"])
    three.intro("is").use("lem:sum_mono", "i. w(i)", "i. 1", "1", "n - 1", bit, label="most")
    three.use("lem:sum_member", "i. w(i)", "1", "n - 1", "1", None, bit, label="least").easy(
        "most least is ones k_is", **linear
    )
    four.intro("is").use("lem:sum_split", "i. w(i)", "1", "1", "n - 1", label="halves")
    four.use("lem:sum_nonneg", "i. w(i)", "1", "n - 1", bit, label="least").use(
        "lem:sum_one", "2", "n - 1", label="others"
    )
    four.use("lem:sum_mono", "i. w(i)", "i. 1", "2", "n - 1", bit, label="most").easy(
        "most least is others k_is halves", **linear
    )


def each_integer(
    g: Goal, name: str, low: int, high: int, leaf: Tactic, below: str = "low", above: str = "high"
) -> None:
    """A goal for each value of `name`, which the facts `below` and `above` put between low and high."""
    if low > high:
        if not g.try_contradiction():
            raise Stuck(f"{name} has more values")
        return
    yes, no = g.em(f"{name} <= {low}", g.fresh("side"))
    last = [k for k in yes.facts][-1]
    yes.have(f"{name} = {low}", yes.fresh("is"), use=f"{last} {below}", **linear)
    if var(name, "Int") in free(yes.goal):
        yes.rewrite([k for k in yes.facts][-1])
    leaf(yes)
    step = no.fresh("step")
    no.use("ax:int_lt", f"{low}", name, label=step)
    each_integer(no, name, low + 1, high, leaf, step, above)


def net_leaf(h: Goal) -> None:
    """The equations of a network for n = 3 and w = 10, or for n = 1, by cases for the position or the entry."""

    def at(low: int, high: int) -> Tactic:
        return lambda e: each_integer(e.intro("i0 (low high)"), "i0", low, high, lambda f: f.easy())

    some(h, lambda e: e.easy(**linear), at(0, 2), at(0, 0), at(1, 2), at(1, 5), at(0, 1))


C3 = "sum(i, 0, 2, clsweight(j. {0}*I[j = 1], 3, i)*(1/2*I[i = 1]))"
F3 = "sum(i, 0, 2, clsweight(j. {0}*I[j = 1], 3, i)*(-1/2 + I[i = 1]))"
F2 = "sum(i, 0, 1, clsweight(j. I[j = 1], 2, i)*(-1/2 + I[i = 1]))"
"""The logits for w = 10 in the two models, and for w = 1."""


SCRIPTS |= {
    "lem.flawed_logit": Script(flawed_logit),
}


# --- Log-length scaling -----------------------------------------------------------------------------------------------


SCRIPTS |= {}


# --- Sigmoid and cross-entropy ----------------------------------------------------------------------------------------


def sigmoid_facts(g: Goal) -> None:
    g.intro("x").use("ax:exp_pos", "-x", label="down").use("ax:exp_pos", "x", label="up").use(
        "ax:exp_ge", "x", label="ge"
    ).use("ax:exp_ge", "-x", label="le")
    g.positive("1 + exp(-x)", "z", lambda h: h.auto("down", **linear)).positive(
        "1 + exp(x)", "y", lambda h: h.auto("up", **linear)
    )
    positive, below, right, left, turned, bound = g.split()
    positive.hyp("z_i")
    below.have("0 < exp(-x)*(1/(1 + exp(-x)))", "part", use="down z_i").auto("part z_e", **linear)
    right.intro("has").contra("no").have("1 <= exp(-x)", "big", use="no le").auto("has big z_i z_e")
    left.intro("has").have(
        "exp(-x) < 1", "small", lambda h: h.use("lem:exp_less", "-x", "0", label="less").auto("less", **linear)
    )
    left.auto("small z_i z_e")
    turned.have(
        "1/(1 + exp(x)) = exp(-x)*(1/(1 + exp(-x)))",
        "same",
        use="z_e y_e",
        **linear,
        multipliers=["exp(-x)/(1 + exp(-x))", "1/(1 + exp(x))"],
    )
    turned.auto("same z_e", **linear)
    bound.intro("some").have(
        "exp(-x) <= 1", "small", lambda h: h.use("lem:exp_mono", "-x", "0", label="less").auto("less", **linear)
    )
    low, high = bound.split()
    low.auto("small z_i z_e")
    high.have("(1 - exp(-x))*(1/(1 + exp(-x))) <= x", "top", lambda h: top(h)).auto("top z_e", **linear)


def top(h: Goal) -> None:
    h.have("1/(1 + exp(-x)) <= 1", "most", use="z_e z_i down")
    h.have("0 <= (1 - 1/(1 + exp(-x)))*(1 - exp(-x))", "gap", use="most small")
    h.auto("gap le", **linear)


def first_size(g: Goal) -> None:
    g.intro("n w c z s (some cls bits c_pos) net").use("lem:first_logit", "n", "w", "c", "z", "s", label="many single")
    g.use("ax:exp_ge", "c", label="grows").positive("n", "n")
    one, two = g.em("n <= 1", "side")
    one.have("n = 1", "n_is", use="side some", **linear).use("single", label="s0")
    a, b, b2, c = one.split()
    a.rewrite("s0").rewrite("n_is").easy("grows c_pos", **linear)
    b.intro("has").contra("against").auto("has s0", **linear)
    b2.intro("has").use("has", label="h1 h2").contra("against").auto("h1 n_is", **linear)
    c.intro("has").contra("against").auto("has n_is", **linear)
    two.use("ax:int_lt", "1", "n", label="more").use("many", label="pos is").positive(
        "exp(c) + n - 1", "q", lambda h: h.hyp("pos")
    )
    two.have("0 < exp(c)/2*(1/(exp(c) + n - 1))", "half", use="q_i grows c_pos")
    for h in two.ind("w(1) = 1", "first size"):
        h.rewrite("size", "is", "value")
        h.have(
            "abs(s) = exp(c)/2*(1/(exp(c) + n - 1))",
            "abs_s",
            lambda e: e.apart("abs(s)", lambda f: f.auto([*(k for k in f.facts if k[0] in "dv"), "half", "value"])),
        )
        a, b, b2, c = h.split()
        a.use(
            "lem:reciprocal_less", "n", "exp(c) + n - 1", lambda e: e.easy("n_p grows c_pos", **linear), label="smaller"
        )
        a.rewrite("abs_s").have("0 < exp(c)", "exp_p", use="grows c_pos").have(
            "0 <= exp(c)*(1/n - 1/(exp(c) + n - 1))", "gap", use="exp_p smaller"
        ).auto("gap half", **linear)
        if h.facts["first"][0] == "=":
            b.intro("has").easy("more first", **linear)
            b2.intro("has").auto("value half", **linear)
        else:
            b.intro("has").contra("against").auto("has value half", **linear)
            b2.intro("has").use("has", label="h1 h2").absurd("h2", "first")
        c.intro("has").easy("abs_s half", **linear)


# --- Proposition 2 ----------------------------------------------------------------------------------------------------

PAIR = "s*I[{0} = 1] - s*I[{0} = 2]"
SUM = f"sum(e, 1, d, {PAIR.format('e')})"
VARIANCE = f"sum(b, 1, d, ({PAIR.format('b')} - {SUM}/d)^2)/d"


def pair_norm(g: Goal) -> None:
    g.intro("d s (two differ)").positive("d", "d")
    for k in "12":
        g.use("lem:sum_delta", "i. 1", "1", "d", k, label=f"delta{k}")
    g.have(f"{SUM} = 0", "total", use="delta1 delta2", **linear, multipliers=["s"])

    def square(h: Goal) -> None:
        h.intro("b inside").rewrite("total")
        for e in h.ind("b = 1", "one v1"):
            for f in e.ind("b = 2", "two2 v2"):
                if not f.try_contradiction():
                    f.rewrite("v1").rewrite("v2").true()

    g.use(
        "lem:sum_ext",
        f"b. ({PAIR.format('b')} - {SUM}/d)^2",
        "b. s^2*I[b = 1] + s^2*I[b = 2]",
        "1",
        "d",
        square,
        label="squares",
    )
    g.have(f"{VARIANCE} = 2*s^2/d", "var_is", use="squares delta1 delta2", **linear, multipliers=["s^2/d", "1/d"])
    g.use("lem:sqrt_positive", "d/2", lambda h: h.auto("d_p", **linear), label="r_p r_sq r_e r_i")
    g.have(
        "1/sqrt(d/2)*(1/sqrt(d/2)) = 2/d",
        "r_inv",
        use="r_sq r_e d_e",
        **linear,
        multipliers=["1/sqrt(d/2)*(1/sqrt(d/2))", "1/sqrt(d/2)*(1/sqrt(d/2))/d", "1/d", "1/d*(1/sqrt(d/2))*sqrt(d/2)"],
    )
    g.have("0 < s^2", "s_sq", lambda h: nonzero_square(h))
    var, root, up, down, rest = g.split()
    var.rewrite("var_is").auto("s_sq d_i")
    root.hyp("r_p")
    for h, sign in ((up, ""), (down, "-")):
        h.intro("side")
        y = f"{sign}s*(1/sqrt(d/2))"
        h.have(f"0 < {y}", "y_pos", use="side r_i").positive(y, "y", lambda e: e.hyp("y_pos"))
        h.use("lem:sqrt_unique", VARIANCE, y, lambda e: unique(e), label="dev_is")
        for part in h.split():
            part.rewrite("dev_is").rewrite("total").auto(
                "y_e r_e", **linear, multipliers=["sqrt(d/2)", f"s*(1/({y}))", f"1/({y})"]
            )
    rest.intro("r (r_low r_high)")
    for e in rest.ind("r = 1", "one v1"):
        for f in e.ind("r = 2", "two2 v2"):
            if not f.try_contradiction():
                f.rewrite("v1").rewrite("v2").rewrite("total").true()


def nonzero_square(h: Goal) -> None:
    low, high = h.em("s <= 0", "side")
    less, same = low.em("s < 0", "strict")
    less.auto("strict")
    same.have("s = 0", "after_all", use="side strict").absurd("after_all", "differ")
    high.auto("side")


def unique(e: Goal) -> None:
    for part in e.split():
        some(
            part,
            lambda f: f.auto("y_pos", **linear),
            lambda f: f.rewrite("var_is").auto("r_inv", **linear, multipliers=["s^2"]),
        )


def ln_right(g: Goal) -> None:
    g.intro("d s (two differ)").use("lem:pair_norm", "d", "s", label="var root up down rest").positive("d", "d")
    for k in "12":
        g.use("lem:sum_delta", "i. 1", "1", "d", k, label=f"delta{k}")
    g.have(f"{SUM} = 0", "total", use="delta1 delta2", **linear, multipliers=["s"]).use(
        "lem:sqrt_positive", VARIANCE, label="v1 v2 v3 v4"
    )
    g.witness(f"c. laynorm(l. {PAIR.format('l')}, d, c)", f"{SUM}/d", f"sqrt({VARIANCE})")
    for h, label in zip(g.split(), ("", "v1", "v2", "", "up", "down", "rest"), strict=True):
        if label == "v2":
            h.auto("v2", **linear)
        elif label:
            h.hyp(label)
        elif h.goal[0] == "=":
            h.true()
        else:
            h.intro("k inside").true()


LOG = "log(exp(eta) - 1)"


def negative_log(g: Goal) -> Goal:
    """LOG < 0, as `log_neg`, from eta < log(2)."""
    g.use("ax:exp_ge", "eta", label="grows").use(
        "ax:exp_log", "exp(eta) - 1", lambda h: h.auto("grows eta_pos", **linear), label="inner"
    )
    g.use("ax:exp_log", "2", label="two_is").use("lem:exp_less", "eta", "log(2)", label="less")
    return g.have(
        f"{LOG} < 0",
        "log_neg",
        lambda h: (
            h.contra("against").use("ax:exp_ge", LOG, label="wrong").auto("wrong against inner less two_is", **linear)
        ),
    )


def prop2_c_right(g: Goal) -> None:
    g.intro("eta d c s (eta_pos small two differ c_is)").use("lem:pair_norm", "d", "s", label="var root up down rest")
    negative_log(g).positive("sqrt(d/2)", "r", lambda h: h.hyp("root"))
    g.have(f"c*sqrt(d/2) = -{LOG}", "product", use="c_is r_e", **linear, multipliers=["sqrt(d/2)", LOG])
    low, high = g.em("s <= 0", "side")
    less, same = low.em("s < 0", "strict")
    same.have("s = 0", "after_all", use="side strict").absurd("after_all", "differ")
    less.use("down", label="one two1").rewrite("one")
    a, b = less.split()
    a.intro("has").contra("against").auto("has product log_neg", **linear)
    b.intro("has").contra("against").auto("has strict", **linear)
    high.use("up", label="one two1").rewrite("one")
    a, b = high.split()
    a.intro("has").hyp("side")
    b.intro("has").auto("product log_neg", **linear)


def ce_values(g: Goal) -> Goal:
    """Both logarithms, as `first` and `second`."""
    g.use("lem:sqrt_positive", "d/2", lambda h: h.auto("two", **linear), label="r_p r_sq r_e r_i")
    g.use("ax:exp_ge", "eta", label="grows").use(
        "ax:exp_log", "exp(eta) - 1", lambda h: h.auto("grows eta_pos", **linear), label="inner"
    )
    g.have(f"c*sqrt(d/2) = -{LOG}", "product", use="c_is r_e", **linear, multipliers=["sqrt(d/2)", LOG])
    g.have(f"-c*sqrt(d/2) = {LOG}", "minus", use="product", **linear)
    g.have(f"1 + exp(-(-{LOG})) = exp(eta)", "sum1", use="inner", **linear)
    g.have("log(sigmoid(c*sqrt(d/2))) = -eta", "first", lambda h: h.rewrite("product").rewrite("sum1").true())
    g.use("ax:exp_pos", f"-{LOG}", label="down").positive(f"1 + exp(-{LOG})", "z", lambda h: h.auto("down", **linear))
    g.have(f"(1 + exp(-{LOG}))*(exp(eta) - 1) = exp(eta)", "clear", use="inner", **linear, multipliers=[f"exp(-{LOG})"])
    z = f"1/(1 + exp(-{LOG}))"
    g.have(
        f"1 - {z} = exp(-eta)",
        "rest",
        use="clear z_e",
        **linear,
        multipliers=[f"exp(-eta)*({z})", "exp(-eta)", "1 - exp(-eta)"],
    )
    return g.have(
        "log(1 - sigmoid(-c*sqrt(d/2))) = -eta", "second", lambda h: h.rewrite("minus").rewrite("rest").true()
    )


def ce_right(g: Goal) -> None:
    ce_values(g.intro("eta d c (eta_pos two c_is)"))
    for h, label in zip(g.split(), ("first", "second"), strict=True):
        h.auto(label, **linear)


C2 = "sum(i, 0, 1, clsweight(j. I[j = 1], 2, i)*(1/2*I[i = 1]))"


def pair_whole(h: Goal) -> None:
    """The variance of (s, -s, 0, ...) is positive, its root is not 0, nor is sqrt(d/2)."""

    def premise(e: Goal) -> None:
        for part in e.split():
            some(part, lambda f: f.auto(**linear), lambda f: f.easy())

    h.use("lem:pair_norm", "d", "s", premise, label="var root up down rest").use(
        "lem:sqrt_positive", VARIANCE, label="v1 v2 v3 v4"
    )
    zero = [zero_of(h)] if h.goal[0] == "false" else []
    h.auto(["var", "root", "v1", *zero], **linear)


def eta_whole(h: Goal) -> None:
    """exp(eta) - 1 > 0, and the sigmoids lie strictly between 0 and 1."""
    h.use("ax:exp_ge", "eta", label="grows").have("0 < eta", "eta_p", lambda e: e.easy()).have(
        "0 < d/2", "half", lambda e: e.auto(**linear)
    )
    h.use("lem:sqrt_positive", "d/2", label="v1 v2 v3 v4")
    for k, x in enumerate(("c*sqrt(d/2)", "-c*sqrt(d/2)")):
        h.use("lem:sigmoid_facts", x, label=" ".join(f"s{k}{i}" for i in range(6)))
        h.use("ax:exp_pos", f"-({x})", label=f"e{k}")
    zero = [zero_of(h)] if h.goal[0] == "false" else []
    h.auto(["grows", "eta_p", "v1", "e0", "e1", "s00", "s01", "s10", "s11", *zero], **linear)


def half_leaf(h: Goal) -> None:
    some(h, lambda e: e.easy(), lambda e: e.use("lem:log_two", label="low high").auto("low", **linear))


SCRIPTS |= {
    "lem.sigmoid_facts": Script(sigmoid_facts),
    "lem.first_size": Script(first_size),
    "lem.pair_norm": Script(pair_norm),
}


SCRIPTS |= {
    "chiang2022.prop2.ln.corrected": Script(
        ln_right, witnesses("4", "-1", others=[("2", "1"), ("2", "-1"), ("3", "1", "3")]), whole("d s", pair_whole)
    ),
    "chiang2022.prop2.c.corrected": Script(
        prop2_c_right,
        witnesses("1/2", "4", "-1/sqrt(4/2)*log(exp(1/2) - 1)", "-1", leaf=half_leaf),
        whole("eta d c s", pair_whole, eta_whole),
    ),
    "chiang2022.prop2.ce.corrected": Script(
        ce_right, witnesses("1", "4", "-1/sqrt(4/2)*log(exp(1) - 1)"), whole("eta d c", eta_whole)
    ),
}


# --- Proposition 3 and Appendix B -------------------------------------------------------------------------------------

TWELVE = "I[{0} = 3] + s*I[{0} = 6] - I[{0} = 9] - s*I[{0} = 12]"


def pair_variance(g: Goal) -> None:
    g.intro("s x is")

    def entry(h: Goal) -> None:
        def leaf(e: Goal) -> None:
            some(
                e,
                *(
                    lambda f, k=k: f.use("is", f"{k}", label="top bottom").auto("top bottom", **linear)
                    for k in range(1, 7)
                ),
            )

        each_integer(h.intro("i0 (low high)"), "i0", 1, 12, leaf)

    g.have(f"all l in 1..12. x(l) = {TWELVE.format('l')}", "entries", entry)
    g.use("lem:sum_ext", "x", f"l. {TWELVE.format('l')}", "1", "12", "#entries", label="sum")
    g.have("meanof(x, 12) = 0", "mean", use="sum", **linear)
    g.use(
        "lem:sum_ext",
        "l. (x(l) - meanof(x, 12))^2",
        f"l. ({TWELVE.format('l')})^2",
        "1",
        "12",
        lambda h: h.intro("l inside").use("entries", "l", label="here").rewrite("mean").rewrite("here").true(),
        label="squares",
    )
    one, two = g.split()
    one.hyp("mean")
    two.rewrite("squares").true()


def lnbound(g: Goal) -> None:
    g.intro("s eps t (low high eps_pos t_is)").have(
        "s^2 <= 1/4", "square", lambda h: h.apart("abs(s)", lambda e: e.auto())
    )
    u, v = "1/6*(1 + s^2) + eps", "5/24 + eps"
    g.have(f"0 < {u}", "u_pos", lambda h: h.auto("eps_pos", squares=["s"], degree=1, rounds=0)).have(
        f"0 < {v}", "v_pos", use="eps_pos", **linear
    )
    g.use("lem:sqrt_positive", u, label="u1 u2 u3 u4")
    g.use("lem:ratio_root", "1/4", "1/4", u, v, lambda h: h.easy("u_pos v_pos", **linear), label="weak strict").use(
        "weak", lambda h: h.auto("square", **linear), label="below"
    )
    g.have(
        f"0 < (abs(s) - 1/4)*(1/sqrt({u}))",
        "gap",
        lambda h: h.have("0 < abs(s) - 1/4", "more", use="low", **linear).auto("more u4"),
    )
    for h in g.sides(g.term("abs(s)")):
        for e in h.sides(h.term("abs(t)")):
            e.have(
                f"0 < abs(s)*(1/sqrt({u}))",
                "side",
                lambda f: f.have("0 < abs(s)", "s_pos", use="low", **linear).auto("s_pos u4"),
            )
            e.rewrite("v1", "gap", "gap1").rewrite("v1", "side", "side1")
            e.auto(
                [*(k for k in e.facts if k[0] in "dv" and k[1:].isdigit()), "gap1", "side1", "below", "t_is", "u4"],
                **linear,
            )


PARITY_LAYER = "b j. I[b = 3]*I[j = 0] + I[b = 5]*pow(-1, j) + I[b = 8]*(I[j = {k}]/{n})"
SCALED_LAYER = "b j. {t}*(I[b = 3]*I[j = 0] + I[b = 5]*pow(-1, j) + I[b = 8]*(I[j = {k}]/{n}))"


def premises(h: Goal) -> None:
    """Hypotheses about given entries: by parts, each by computing."""
    for part in h.split() if h.goal[0] == "&" else [h]:
        part.intro_all()
        for piece in part.split() if part.goal[0] == "&" else [part]:
            piece.easy(**linear)


def appb_parity_right(g: Goal) -> None:
    g.intro("n k c A1 C1 C2 z s (low high c_pos A_pos C_pos C2_pos layer s_is)")
    g.have("0 < A1*C1", "t_pos", use="A_pos C_pos").have("0 < (A1*C1)^2", "t2", use="t_pos").have(
        "0 < (A1*C1)^2*c", "c2", use="t2 c_pos"
    ).have("0 < C2*(A1*C1)", "u_pos", use="C2_pos t_pos")

    def given(h: Goal) -> None:
        for part in h.split():
            some(part, lambda e: e.easy(**linear))

    g.use("lem:scaled_parity", "n", "k", "c", "A1*C1", "C2", "z", "s", given, label="value")
    g.use("lem:paritylogit_sign", "n", "k", "(A1*C1)^2*c", label="up weak down").use("lem:odd_sign", "k", label="sign")
    formula, plus, minus = g.split()
    formula.intro("even").use("lem:parity", "n", label="halves").obtain("halves", "m", "m_low half")
    here, odd = formula.cases("half", "n_is")
    odd.have("odd(n)", "wrong", lambda e: e.witness("m").hyp("n_is")).absurd("wrong", "even")
    some_m(here).use("lem:parity_even", "m", "k", "(A1*C1)^2*c", label="logit").rewrite(
        "n_is", "value", "value1"
    ).rewrite("n_is").auto("value1 logit", **linear, multipliers=["C2*A1*C1"])
    logit = "paritylogit((A1*C1)^2*c, n, k)"
    for h, label in ((plus, "up"), (minus, "down")):
        h.intro("case" if label == "up" else "(two case)")
        goals = h.cases("sign", "is power")
        right, wrong = goals if label == "up" else reversed(goals)
        right.use(label, None, label="side") if label == "up" else right.use(label, None, None, label="side")
        comparison = f"0 < C2*(A1*C1)*{logit}" if label == "up" else f"C2*(A1*C1)*{logit} < 0"
        right.have(comparison, "gap", lambda e: e.auto("side u_pos")).auto("gap value", **linear)
        wrong.absurd(*(("case", "is") if label == "up" else ("is", "case")))


WRONG_S = (
    "1*(sum(i, 0, 1, clsweight(j. 2*I[0 = 0]*-(2*pow(-1, j)), 2, i)*(2*(I[i = 0]/2)))"
    " + sum(i, 0, 1, clsweight(j. 2*I[0 = 0]*(2*pow(-1, j)), 2, i)*-(2*(I[i = 0]/2))))"
)


def appb_parity_wrong(h: Goal) -> None:
    """n = 2, k = 0, c = 1, A1 = 2: tanh(4) in place of tanh(2)."""
    h.use("wrong", label="w1 w2 w3").use(
        "lem:scaled_parity",
        "2",
        "0",
        "1",
        "2",
        "1",
        SCALED_LAYER.format(t=2, k=0, n=2),
        WRONG_S,
        premises,
        label="value",
    )
    h.use("lem:parity_even", "1", "0", "4", lambda e: e.easy(), label="logit").use("ax:pow_zero", "-1", label="p0").use(
        "lem:sign_next", "0", label="p1"
    )
    for x in ("4", "8"):
        h.use("ax:exp_pos", x, label=f"e{x}").positive(
            f"exp({x}) + 1", f"z{x}", lambda e, x=x: e.auto(f"e{x}", **linear)
        )
    h.use("lem:exp_less", "4", "8", "!", label="less").use(
        "lem:reciprocal_less", "exp(4) + 1", "exp(8) + 1", lambda e: e.easy("z4_p less", **linear), label="order"
    )
    h.auto("w1 value logit p0 p1 order", rounds=1)


def appb_first_wrong(h: Goal) -> None:
    h.use("ax:exp_pos", "1", label="pos").positive("exp(1)", "e", lambda f: f.hyp("pos")).auto("wrong e_e", **linear)


def attention_weights(g: Goal) -> None:
    g.intro("n s v low high (some between)").use("lem:cls_sum", "s", "n", label="total")
    one, two, three, four = g.split()
    one.intro("j (jl jh)").use("lem:cls_weight", "s", "n", "j", label="pos most").hyp("pos")
    two.hyp("total")
    for h, left, right, end in ((three, "low", "v(j)", "low"), (four, "v(j)", "high", "high")):

        def term(e: Goal, end: str = end) -> None:
            e.intro("j inside").use("lem:cls_weight", "s", "n", "j", None, label="pos most").use(
                "between", "j", None, label="b1 b2"
            )
            e.auto("pos b1" if end == "low" else "pos b2")

        h.use(
            "lem:sum_mono",
            f"j. clsweight(s, n, j)*{left}",
            f"j. clsweight(s, n, j)*{right}",
            "0",
            "n - 1",
            term,
            label="done",
        )
        h.auto("done total", **linear, multipliers=[end])


UNIT_S = (
    "1*(sum(i, 0, {m}, clsweight(j. 1*I[0 = 0]*-pow(-1, j), {n}, i)*(I[i = {k}]/{n}))"
    " + sum(i, 0, {m}, clsweight(j. 1*I[0 = 0]*pow(-1, j), {n}, i)*-(I[i = {k}]/{n})))"
)


def root_whole(h: Goal) -> None:
    h.have("0 < eps", "eps_pos", lambda e: e.easy())
    h.have("0 < 1/6*(1 + s^2) + eps", "u_pos", lambda e: e.auto("eps_pos", squares=["s"], degree=1, rounds=0)).have(
        "0 < 5/24 + eps", "v_pos", use="eps_pos", **linear
    )
    h.use("lem:sqrt_positive", "1/6*(1 + s^2) + eps", label="u1 u2 u3 u4").use(
        "lem:sqrt_positive", "5/24 + eps", label="v1 v2 v3 v4"
    )
    zero = [zero_of(h)] if h.goal[0] == "false" else []
    h.auto(["u_pos", "v_pos", "u1", "v1", *zero], **linear)


def layer_leaf(h: Goal) -> None:
    """Entries of given layers, computed for each entry and position; odd(1), ~odd(2), ~odd(4)."""

    def by_entry(e: Goal) -> None:
        e.intro("b0 (low high)")
        each_integer(e, "b0", 1, 9, lambda f: f.easy())

    some(h, lambda e: e.easy(**linear), lambda e: premises(e), by_entry, at_odd)


def first_premises(h: Goal) -> None:
    for part in h.split():
        some(part, lambda e: e.easy(**linear), net_leaf, two_ranges)


def two_ranges(h: Goal) -> None:
    h.easy()


def scaled_tanh_whole(h: Goal) -> None:
    h.use("ax:exp_pos", "2*((A1*C1)^2*c)", label="here").have("1 <= n", "some_n", **linear).have(
        "0 < n^2", "n_q", use="some_n"
    )
    zero = zero_of(h)
    some(h, lambda e: e.auto(f"here {zero}", **linear), lambda e: e.auto(f"n_q {zero}", **linear))


SCRIPTS |= {
    "chiang2022.prop3.var": Script(
        pair_variance,
        witnesses(
            "1",
            f"l. {TWELVE.format('l').replace('s*', '1*')}",
            leaf=lambda h: (
                each_integer(h.intro("i0 (low high)"), "i0", 1, 6, lambda e: e.easy())
                if h.goal[0] == "all"
                else h.easy()
            ),
        ),
        whole("s x"),
    ),
    "chiang2022.prop3.lnbound": Script(
        lnbound, witnesses("1/2", "1", "1/2/sqrt(1/6*(1 + (1/2)^2) + 1)"), whole("s eps t", root_whole)
    ),
    "chiang2022.appB.parity": Script(
        refuted_at(
            "1",
            "2",
            "0",
            "1",
            "2",
            "1",
            "1",
            SCALED_LAYER.format(t=2, k=0, n=2),
            WRONG_S,
            premises,
            then=appb_parity_wrong,
        ),
        refutes=True,
    ),
    "chiang2022.appB.parity.corrected": Script(
        appb_parity_right,
        witnesses(
            "4",
            "1",
            "1",
            "1",
            "1",
            "1",
            PARITY_LAYER.format(k=1, n=4),
            UNIT_S.format(k=1, n=4, m=3),
            others=[
                ("4", "1", "1", "1", "1", "1", PARITY_LAYER.format(k=1, n=4), UNIT_S.format(k=1, n=4, m=3), "0"),
                ("4", "2", "1", "1", "1", "1", PARITY_LAYER.format(k=2, n=4), UNIT_S.format(k=2, n=4, m=3)),
            ],
            leaf=layer_leaf,
        ),
        whole("n k c A1 C1 C2 z s", scaled_tanh_whole),
    ),
    "chiang2022.appB.first": Script(
        refuted_at(
            "1",
            "i. 2",
            "1",
            "1",
            "1",
            "1",
            "b i. I[b = 3]",
            "b i. I[b = 3]",
            "0",
            "0",
            first_premises,
            then=appb_first_wrong,
        ),
        refutes=True,
    ),
    "chiang2022.def.att": Script(
        attention_weights,
        witnesses("2", "j. j", "j. j", "0", "1", others=[("2", "j. j", "j. j", "0", "1", "0")], leaf=net_leaf),
        whole("n s v low high"),
    ),
}


# --- Layer norm twice, and of pairs -----------------------------------------------------------------------------------


def a2_right(g: Goal) -> None:
    g.intro("d eps x y v mu nu r q (some eps_low) (mu_is r_pos r_is y_is) (nu_is q_pos q_is v_is)")

    def given(label: str) -> Tactic:
        return lambda h: h.easy(**linear)

    g.use("lem:twice_normed", "d", "eps", "x", "y", "v", "mu", "nu", "r", "q", label="zero rp qp q_two").positive(
        "r", "r"
    ).positive("q", "q")
    to, back, same = g.split()
    to.intro("either")
    for h, _use in zip(to.cases("either", "case"), ("", "r"), strict=True):
        h.use("lem:positive_one", "q", lambda e: one_square(e), label="done").hyp("done")
    back.intro("is")
    yes, no = back.em("eps = 0", "eps_is")
    yes.pick("left").hyp("eps_is")
    no.pick("right").use("ax:inv", "eps", "#eps_is", label="inverse")
    no.have("1 = 1 - eps/r^2 + eps", "level", use="q_two is", **linear, multipliers=["1", "q"])
    no.have("1 = 1/r^2", "root", use="level inverse", **linear, multipliers=["1/eps", "1/r^2"])
    no.have("r^2 = 1", "sq", use="root r_e", **linear, multipliers=["r^2", "1", "r*(1/r)"]).use(
        "lem:positive_one", "r", label="done"
    ).hyp("done")
    same.intro("is").have(
        "q = 1", "q_one", lambda h: h.use("lem:positive_one", "q", lambda e: one_square(e), label="done").hyp("done")
    )
    same.intro("k (kl kh)").use("v_is", "k", label="here").rewrite("here").rewrite("zero").rewrite("q_one").true()


def one_square(e: Goal) -> None:
    one, two = e.split()
    one.hyp("q_pos")
    label = "case" if "case" in e.facts else "is"
    two.rewrite(label, "q_two", "q_now").auto("q_now r_e", **linear, multipliers=["1", "eps"]) if e.fact(label)[2][
        0
    ] == e.term("eps") else two.rewrite(label, "q_two", "q_now").auto("q_now", **linear)


NORM_X = "l. {0}*I[l = 1] - {0}*I[l = 2]"
A2_AT = ("2", "64/625", NORM_X.format("6/25"), NORM_X.format("3/5"), NORM_X.format("15/17"), "0", "0", "2/5", "17/25")


def normed_leaf(h: Goal) -> None:
    def each_of(e: Goal) -> None:
        each_integer(e.intro("i0 (low high)"), "i0", 1, 2, lambda f: f.easy())

    for part in h.split() if h.goal[0] == "&" else [h]:
        some(part, lambda e: e.easy(**linear), each_of)


def scalars_right(g: Goal) -> None:
    g.intro("d n eps x p y (some n_some eps_low pos pairs y_is)").witness(
        "i. 1/sqrt(varianceof(l. p(l, i), 2*d) + eps)"
    ).intro("i (low high)")

    def pair_premise(h: Goal) -> None:
        one, two = h.split()
        one.hyp("some")
        two.intro("b (bl bh)").use("pairs", "i", None, "b", label="here").hyp("here")

    g.use("lem:pair_variance", "d", "b. x(b, i)", "b. p(b, i)", pair_premise, label="mean var").use(
        "pos", "i", label="size"
    )
    var = "varianceof(l. p(l, i), 2*d) + eps"
    g.have(f"0 < {var}", "var_pos", lambda h: h.rewrite("var").hyp("size")).use(
        "lem:sqrt_positive", var, label="r1 r2 r3 r4"
    )
    one, two, three = g.split()
    one.hyp("r4")
    inv, root = f"1/sqrt({var})", f"sqrt({var})"
    two.have(
        f"({inv})^2*({var}) = 1", "unit", use="r2 r3", **linear, multipliers=[f"({inv})^2", f"({inv})*({root})", "1"]
    )
    two.auto("unit var", **linear, multipliers=[f"({inv})^2"])
    three.intro("b (bl bh)").use("pairs", "i", None, "b", label="top bottom").use(
        "y_is", "i", None, "b", lambda h: h.easy("bl bh some", **linear), label="y1"
    )
    three.use("y_is", "i", None, "d + b", lambda h: h.easy("bl bh some", **linear), label="y2")
    for h, y, p in zip(three.split(), ("y1", "y2"), ("top", "bottom"), strict=True):
        h.auto([y, p, "mean"], **linear, multipliers=[inv])


def scalars_wrong(g: Goal) -> None:
    x = (
        "(I[{b} = 2]*I[{i} = 1] + I[{b} = 3]*I[{i} = 0] + I[{b} = 4]*({i}/2) + I[{b} = 5]*(1 - 2*{i})"
        " + I[{b} = 6]/2 + I[{b} = 7]/2)"
    )
    p = f"(I[{{b}} <= 9]*{x} - I[9 < {{b}}]*{x.replace('{b}', '({b} - 9)')})"

    def at(text: str, b: str, i: str) -> str:
        return text.replace("{b}", b).replace("{i}", i)

    lam = f"l. {at(p, 'l', 'i')}"
    y = f"b i. ({at(p, 'b', 'i')} - meanof({lam}, 18))/sqrt(varianceof({lam}, 18) + 0)"

    def given(h: Goal) -> None:
        for part in h.split():
            if part.goal[0] != "all":
                part.easy()
            elif "sqrt" in part.text(part.goal):
                part.intro("i0 (low high) b0 (bl bh)").true()
            else:
                some(part, word_leaf, entries_leaf)

    def word_leaf(e: Goal) -> None:
        each_integer(e.intro("i0 (low high)"), "i0", 0, 1, lambda f: f.easy())

    def entries_leaf(e: Goal) -> None:
        each_integer(
            e.intro("i0 (low high)"),
            "i0",
            0,
            1,
            lambda f: each_integer(f.intro("b0 (bl bh)"), "b0", 1, 9, lambda u: u.easy(), "bl", "bh"),
        )

    g.intro("claim").use(
        "claim",
        "2",
        "i. 2*I[i = 0] + I[i = 1]",
        "1",
        "0",
        f"b i. {at(x, 'b', 'i')}",
        f"b i. {at(p, 'b', 'i')}",
        y,
        given,
        label="wrong",
    )
    g.obtain("wrong", "C1", "pos every").use("every", "0", "!", "3", "!", label="a1 a2").use(
        "every", "1", "!", "5", "!", label="b1 b2"
    )
    g.use("lem:sqrt_positive", "5/18", "!", label="u1 u2 u3 u4").use(
        "lem:sqrt_positive", "11/36", "!", label="v1 v2 v3 v4"
    ).use("ax:pow_zero", "-1", label="p0").use("ax:pow_step", "-1", "0", label="p1")
    g.have("1/sqrt(5/18) = C1", "first", use="a1 p0 p1", **linear).have(
        "1/sqrt(11/36) = C1", "second", use="b1 p0 p1", **linear
    )
    for value, label, inverse, square, product in (
        ("5/18", "one", "first", "u2", "u3"),
        ("11/36", "two", "second", "v2", "v3"),
    ):
        g.have(
            f"C1*sqrt({value}) = 1", f"{label}_root", use=[inverse, product], **linear, multipliers=[f"sqrt({value})"]
        )
        g.have(
            f"C1^2*({value}) = 1",
            label,
            use=[f"{label}_root", square],
            **linear,
            multipliers=["C1^2", f"C1*sqrt({value})"],
        )
    g.auto("one two", **linear)


def normed_whole(h: Goal) -> None:
    """The variance plus eps is positive; d and n are not 0."""
    pos, pairs = (
        next(k for k, f in h.facts.items() if f[0] == "all" and part in h.text(f)) for part in ("0 < sum", "-x(")
    )

    def pair_premise(e: Goal) -> None:
        one, two = e.split()
        one.auto(**linear)
        two.intro("b (bl bh)").use(pairs, "k1", None, "b", label="here").hyp("here")

    h.use("lem:pair_variance", "d", "b. x(b, k1)", "b. p(b, k1)", pair_premise, label="mean var").use(
        pos, "k1", None, label="size"
    )
    var = "varianceof(l. p(l, k1), 2*d) + eps"
    h.have(f"0 < {var}", "var_pos", lambda e: e.rewrite("var").hyp("size")).use(
        "lem:sqrt_positive", var, label="r1 r2 r3 r4"
    )
    zero = [zero_of(h)] if h.goal[0] == "false" else []
    h.auto(["var_pos", "r1", *zero], **linear)


def pairs_leaf(h: Goal) -> None:
    def nest(low: int, high: int) -> Tactic:
        return lambda e: each_integer(
            e.intro("i0 (low high)"),
            "i0",
            0,
            1,
            lambda f: each_integer(f.intro("b0 (bl bh)"), "b0", low, high, lambda u: u.easy(), "bl", "bh"),
        )

    some(
        h,
        lambda e: e.easy(),
        lambda e: each_integer(e.intro("i0 (low high)"), "i0", 0, 1, lambda f: f.easy()),
        nest(1, 2),
        nest(1, 4),
    )


SCRIPTS |= {
    "chiang2022.appB.A2.corrected": Script(
        a2_right,
        witnesses(
            *A2_AT,
            others=[
                ("2", "0", NORM_X.format("2"), NORM_X.format("1"), NORM_X.format("1"), "0", "0", "2", "1"),
                ("2", "0", NORM_X.format("2"), NORM_X.format("1"), NORM_X.format("1"), "0", "0", "2", "1", "1"),
            ],
            leaf=normed_leaf,
        ),
        whole("d eps x y v mu nu r q"),
    ),
    "chiang2022.appB.scalars": Script(scalars_wrong, refutes=True),
    "chiang2022.appB.scalars.corrected": Script(
        scalars_right,
        witnesses("2", "2", "0", "b i. 1", "b i. I[b <= 2] - I[2 < b]", "b i. I[b <= 2] - I[2 < b]", leaf=pairs_leaf),
        whole("d n eps x p y", normed_whole),
    ),
}


# --- Cookbook, Sections 2 and 9 ---------------------------------------------------------------------------------------


STOP = "i. 1/(i + 1)*(1/(i + 1))"


def autoregressive_wrong(g: Goal) -> None:
    """EOS with probability 1/(i + 1)^2 at step i: the mass stays below 1/2."""

    def range_of(h: Goal) -> None:
        h.intro("i low").positive("i + 1", "q", lambda e: e.auto("low", **linear)).have(
            "1/(i + 1) < 1", "less", use="q_e q_i low"
        )
        one, two = h.split()
        one.auto("q_i")
        two.auto("q_i less")

    def product(h: Goal) -> None:
        base, step = h.induct("k", "ge", "ih")
        base.easy()
        step.use("ax:prod_step", "i. 1 - 1/(i + 1)*(1/(i + 1))", "1", "k + 1", label="factor").positive(
            "k + 2", "u", lambda e: e.auto("ge", **linear)
        )
        step.have(
            "2*(k + 2)*prod(i, 1, k + 1, 1 - 1/(i + 1)*(1/(i + 1))) = k + 3", "value", lambda e: telescoped(e)
        ).hyp("value")

    g.intro("claim").use("claim", STOP, range_of, "1/4", "!", label="wrong").obtain("wrong", "N", "some mass")
    g.have("all k:Int. 0 <= k -> 2*(k + 1)*prod(i, 1, k, 1 - 1/(i + 1)*(1/(i + 1))) = k + 2", "every", product)
    g.use("every", "N", label="value").use("lem:stop_mass", STOP, "N", label="total")
    g.have("3/4 <= 1 - prod(i, 1, N, 1 - 1/(i + 1)*(1/(i + 1)))", "few", use="mass total", **linear)
    g.have("2*(N + 1)*prod(i, 1, N, 1 - 1/(i + 1)*(1/(i + 1))) <= (N + 1)/2", "small", use="few some").auto(
        "small value some", **linear
    )


def telescoped(e: Goal) -> None:
    p = "prod(i, 1, k, 1 - 1/(i + 1)*(1/(i + 1)))"
    e.have(
        f"2*(k + 2)*({p}*(1 - 1/(k + 2)*(1/(k + 2)))) = k + 3",
        "one",
        lambda f: f.auto(
            "u_e ih",
            **linear,
            multipliers=[
                "1",
                p,
                f"{p}*(k + 2)",
                f"{p}/(k + 2)",
                "1/(k + 2)",
                "k",
                "k/(k + 2)",
                f"{p}*k",
                f"{p}*k/(k + 2)",
            ],
        ),
    )
    e.auto("one factor", **linear, multipliers=["2*(k + 2)", "k"])


def autoregressive_right(g: Goal) -> None:
    g.intro("stop between")
    total, limit = g.split()
    total.intro("N some").use("lem:stop_mass", "stop", "N", label="mass")
    one, two = total.split()
    one.hyp("mass")

    def positive_product(h: Goal) -> None:
        base, step = h.induct("k", "ge", "ih")
        base.easy()
        step.use("ax:prod_step", "i. 1 - stop(i)", "1", "k + 1", label="factor").use("between", "k + 1", label="e1 e2")
        step.have("0 < prod(i, 1, k, 1 - stop(i))*(1 - stop(k + 1))", "new", use="ih e2").auto("new factor", **linear)

    two.have("all k:Int. 0 <= k -> 0 < prod(i, 1, k, 1 - stop(i))", "every", positive_product).use(
        "every", "N", label="pos"
    ).auto("pos mass", **linear)
    limit.intro("c (c_pos least) eps eps_pos").positive("c", "c", lambda h: h.hyp("c_pos")).positive(
        "eps", "e", lambda h: h.hyp("eps_pos")
    )
    limit.use("ax:archimedes", "1/c*(1/eps)", label="big").obtain("big", "N", "N_some N_big").witness("N")

    def both_ends(h: Goal) -> None:
        for part in h.split():
            if part.goal[0] == "all":
                part.intro("i low").use("least", "i", label="l").use("between", "i", label="b1 b2").easy(
                    "l b2", **linear
                )
            else:
                part.easy("N_some c_pos", **linear)

    limit.use("lem:stop_bound", "stop", "c", "N", both_ends, label="p_low p_high").use(
        "lem:stop_mass", "stop", "N", label="mass"
    )
    one, two = limit.split()
    one.hyp("N_some")
    two.have(
        "1 <= eps*(c*N)",
        "enough",
        lambda h: h.have(
            "0 <= (N - 1/c*(1/eps))*(c*eps)",
            "gap",
            lambda e: e.have("0 < c*eps", "ce", use="c_pos eps_pos").auto("ce N_big"),
        ).auto("gap c_e e_e", **linear, multipliers=["1", "eps*(1/eps)", "c*(1/c)"]),
    )
    two.contra("against").have("eps < prod(i, 1, N, 1 - stop(i))", "large", use="against mass", **linear)
    two.have("0 < c*N", "cn", use="c_pos N_some").have(
        "0 < (c*N)*(prod(i, 1, N, 1 - stop(i)) - eps)", "more", use="cn large"
    ).auto("more enough p_high large eps_pos", **linear)


def head_scores(g: Goal) -> Goal:
    """The scores of one row as indicators: `row`."""
    g.intro("n K w s (some symbols s_is) i (low high)")
    g.use("symbols", "i", label="w_low w_high")
    return g.have(
        "all j in 1..i. s(i, j) = I[2 <= j & w(j - 1) = w(i)]",
        "row",
        lambda h: (
            h.intro("j (jl jh)")
            .use("s_is", "i", None, "j", None, label="here")
            .use("lem:after_symbol", "K", "w", "i", "j", label="there")
            .auto("here there", **linear)
        ),
    )


AFTER = "2 <= {0} & w({0} - 1) = w(i)"


def gap_of_one(g: Goal) -> None:
    head_scores(g)

    def bits(h: Goal) -> None:
        h.intro("j (jl jh)").use("row", "j", label="here").rewrite("here")
        for e, side in zip(h.ind(AFTER.format("j"), "is value"), ("right", "left"), strict=True):
            e.pick(side).hyp("value")

    g.have("all j in 1..i. s(i, j) = 0 | s(i, j) = 1", "bits", bits)
    one, two = g.split()
    one.hyp("bits")
    two.intro("j (jl jh) m (ml mh) best").use("best", "j", label="below").use("bits", "j", label="bj").use(
        "bits", "m", label="bm"
    )
    for e in two.cases("bj", "j_is"):
        for f in e.cases("bm", "m_is"):
            some(
                f,
                *(lambda u, k=k: u.pick(k).auto("j_is m_is below", **linear) for k in ("left", "right")),
                lambda u: u.easy(),
            )


def maximum_right(g: Goal) -> None:
    head_scores(g).intro("j (jl jh)").use("row", "j", label="at_j")
    there = "ex m in 2..i. w(m - 1) = w(i)"
    to, back = g.split()
    to.intro("best")
    yes, no = to.em(there, "some_m")
    no.pick("right").hyp("some_m")
    yes.obtain("some_m", "m", "m_low m_high m_is").use(
        "best", "m", lambda h: h.easy("m_low m_high", **linear), label="below"
    )
    yes.use("row", "m", lambda h: h.easy("m_low m_high", **linear), label="at_m")
    one, zero = yes.ind(AFTER.format("m"), "is value")
    zero.have(AFTER.format("m"), "after_all", lambda h: h.easy("m_low")).absurd("after_all", "is")
    first, second = one.ind(AFTER.format("j"), "is_j value_j")
    first.pick("left").easy()
    second.contra("against").auto("below at_m at_j value value_j", **linear)
    back.intro("either")
    left, right = back.cases("either", "j_low j_is", "none")
    left.intro("k (kl kh)").use("row", "k", label="at_k")
    one, zero = left.ind(AFTER.format("j"), "is value")
    zero.have(AFTER.format("j"), "after_all", lambda h: h.easy("j_low")).absurd("after_all", "is")
    for e in one.ind(AFTER.format("k"), "is_k value_k"):
        e.auto("at_k at_j value value_k", **linear)
    right.intro("k (kl kh)").use("row", "k", label="at_k")
    one, zero = right.ind(AFTER.format("k"), "is_k value_k")
    one.have(there, "after_all", lambda h: h.witness("k").easy()).absurd("after_all", "none")
    for e in zero.ind(AFTER.format("j"), "is_j value_j"):
        e.auto("at_k at_j value_k value_j", **linear)


def nearest_active(g: Goal) -> None:
    g.intro("n a i p (some bits i_low i_high p_low p_high active)").positive("n", "n")
    for h, left in zip(g.split(), (True, False), strict=True):
        h.intro("(side none) k (kl kh) other").use(
            "bits", "k", lambda e: e.easy("kl kh i_low i_high", **linear), label="bit"
        )
        low, high = h.em("k <= p", "order")
        less, same = low.em("k < p", "strict")
        same.have("k = p", "after_all", use="order strict").absurd("after_all", "other")
        near, far = (high, less) if left else (less, high)
        near.use("ax:int_lt", "p" if left else "k", "k" if left else "p", label="step").use(
            "none", "k", lambda e: e.easy("step kl kh", **linear), label="zero"
        )
        near.rewrite("zero").rewrite("active")
        near.have(
            "0 <= (n - k)*(1/n)" if left else "0 <= (n - p)*(1/n)",
            "most",
            lambda e, left=left: e.have(
                "0 <= n - k" if left else "0 <= n - p", "room", use="kh i_high p_high", **linear
            ).auto("room n_i"),
        )
        near.have(
            "0 < p*(1/n)" if left else "0 < k*(1/n)",
            "more",
            lambda e, left=left: e.have("0 < p" if left else "0 < k", "pos", use="p_low kl i_low", **linear).auto(
                "pos n_i"
            ),
        )
        near.auto("most more n_e", **linear)
        far.use("ax:int_lt", "k" if left else "p", "p" if left else "k", label="step").rewrite("active")
        far.have(
            "0 < (p - k)*(1/n)" if left else "0 < (k - p)*(1/n)",
            "more",
            lambda e, left=left: e.have("0 < p - k" if left else "0 < k - p", "pos", use="step", **linear).auto(
                "pos n_i"
            ),
        )
        for e in far.cases("bit", "a_is"):
            e.auto("more a_is", **linear)


def nearest_values(g: Goal) -> None:
    g.intro("n o a l r (some tokens left right first last) i (low high)").positive("n", "n")
    g.have(
        "all j in 1..n. bit(a(j))", "bits", lambda h: h.intro("j (jl jh)").use("tokens", "j", label="b o_is").hyp("b")
    )
    near_left, near_right, none_left, none_right = g.split()
    for h, head, part in ((near_left, "left", 0), (near_right, "right", 1)):
        h.intro("p (pl ph) (active between)")

        def best(e: Goal, part: int = part) -> None:
            e.intro("k (kl kh)").use(
                "lem:nearest_active", "n", "a", "i", "p", lambda f: f.easy("pl ph low high", **linear), label="n1 n2"
            )
            e.use(f"n{part + 1}", lambda f: f.easy("pl ph", **linear), label="strict")
            same, other = e.em("k = p", "is")
            same.rewrite("is").true()
            other.use("strict", "k", lambda f: f.easy("kl kh"), "#is", label="less").auto("less", **linear)

        h.use(head, "i", None, "p", lambda f: f.easy(), best, label="done").hyp("done")
    for h, head, at in ((none_left, "left", "i - 1"), (none_right, "right", "i + 1")):
        h.intro("(side none)")
        if head == "right":
            h.use("ax:int_lt", "i", "n", label="step")

        def flat(e: Goal, head: str = head, at: str = at) -> None:
            e.intro("k (kl kh)").use("none", "k", label="zero").use(
                "none", at, lambda f: f.easy("side", **linear), label="zero1"
            ).rewrite("zero").rewrite("zero1")
            gap = "i - 1 - k" if head == "left" else "k - i - 1"
            e.have(
                f"0 <= ({gap})*(1/n)",
                "gap",
                lambda f: f.have(f"0 <= {gap}", "room", use="kl kh", **linear).auto("room n_i"),
            ).auto("gap", **linear)

        h.use(head, "i", None, at, lambda f: f.easy("side", **linear), flat, label="done").hyp("done")


def state_trace(g: Goal) -> None:
    g.intro("n w z (some word start one two three)")

    def at(h: Goal, step: str, c: str, value: str, use: str) -> Goal:
        """z(step, c, i) = value for the position i, under the label z<step>_<c>."""
        label = {"1": "one", "2": "two", "3": "three"}[step]

        def proof(e: Goal) -> None:
            e.use(label, c, "!", "i", lambda f: f.easy("low high"), label="is")
            e.rewrite("is").auto(use, **linear)

        return h.have(f"z({step}, {c}, i) = {value}", f"z{step}_{c}", proof)

    bal, err = "height(w, {0})/{0}", "relu(-height(w, {0})/{0})"

    def first(h: Goal) -> Goal:
        h.use("start", "i", lambda f: f.easy("low high"), label="s1 s2 s3 s4")
        h.use(
            "lem:sum_ext",
            "j. z(0, 1, j)",
            "j. bracket(w(j))",
            "1",
            "i",
            lambda e: (
                e.intro("j (jl jh)")
                .use("start", "j", lambda f: f.easy("jl jh high", **linear), label="t1 t2 t3 t4")
                .hyp("t1")
            ),
            label="sum1",
        )
        h.have("sum(j, 1, i, z(0, 1, j))/i = height(w, i)/i", "mean1", use="sum1", **linear, multipliers=["1/i"])
        for c, value, use in (
            ("1", "bracket(w(i))", "s1"),
            ("2", bal.format("i"), "s2 mean1"),
            ("3", "0", "s3"),
            ("4", "0", "s4"),
        ):
            at(h, "1", c, value, use)
        return h

    def second(h: Goal) -> Goal:
        first(h)
        for c, value, use in (("1", "bracket(w(i))", "z1_1"), ("2", bal.format("i"), "z1_2"), ("4", "0", "z1_4")):
            at(h, "2", c, value, use)

        def error(e: Goal) -> None:
            e.use("two", "3", "!", "i", lambda f: f.easy("low high"), label="is").rewrite("is").rewrite("z1_2").auto(
                "z1_3", **linear
            )

        return h.have(f"z(2, 3, i) = {err.format('i')}", "z2_3", error)

    g.have(
        f"all i in 1..n. z(2, 3, i) = {err.format('i')}",
        "errors",
        lambda h: second(h.intro("i (low high)")).hyp("z2_3"),
    )
    second(g.intro("i (low high)"))
    g.use(
        "lem:sum_ext",
        "j. z(2, 3, j)",
        f"j. {err.format('j')}",
        "1",
        "i",
        lambda e: (
            e.intro("j (jl jh)").use("errors", "j", lambda f: f.easy("jl jh high", **linear), label="here").hyp("here")
        ),
        label="sum2",
    )
    g.have(
        f"sum(j, 1, i, z(2, 3, j))/i = sum(j, 1, i, {err.format('j')})/i",
        "mean2",
        use="sum2",
        **linear,
        multipliers=["1/i"],
    )
    for c, value, use in (
        ("1", "bracket(w(i))", "z2_1"),
        ("2", bal.format("i"), "z2_2"),
        ("3", err.format("i"), "z2_3"),
        ("4", f"sum(j, 1, i, {err.format('j')})/i", "z2_4 mean2"),
    ):
        at(g, "3", c, value, use)
    for h in g.split():
        h.easy("z1_1", **linear)


TRACE = (
    "t c i. I[c = 1]*bracket(0) + I[1 <= t]*I[c = 2]*(sum(j, 1, i, bracket(0))/i)"
    " + I[2 <= t]*I[c = 3]*relu(-sum(j, 1, i, bracket(0))/i)"
    " + I[3 <= t]*I[c = 4]*(sum(j, 1, i, relu(-sum(l, 1, j, bracket(0))/j))/i)"
)


def boxes(*ranges: tuple[int, int]) -> Tactic:
    """Quantified integers of a goal, each over its range."""

    def run(h: Goal) -> None:
        if not ranges:
            h.easy()
            return
        name = h.fresh("v")
        low, high = h.fresh("low"), h.fresh("high")
        h.intro(f"{name} ({low} {high})")
        each_integer(h, name, *ranges[0], boxes(*ranges[1:]), low, high)

    return run


def section9_leaf(h: Goal) -> None:
    some(
        h,
        lambda e: e.easy(**linear),
        boxes((1, 3)),
        boxes((1, 4), (1, 3)),
        boxes((1, 2)),
        lambda e: e.intro("i0 (low high) j0 (jl jh)").true(),
        empty_or_fixed,
    )


def empty_or_fixed(h: Goal) -> None:
    """The heads of Step 2 for n = 3 and equal tokens: the value is 1 where the window is not empty."""
    h.intro("i0 (low high) p0 (pl ph) best")
    for e in h.ind("i0 = 1", "first v1"):
        for f in e.ind("i0 = 3", "last v2"):
            if not f.try_contradiction():
                f.auto("v1 v2", **linear)


def window_whole(h: Goal) -> None:
    """n or a position is not 0."""
    h.auto(**linear)


STEP2 = "3; j. 1; j. {}; i. 1 - I[i = 1]; i. 1 - I[i = 3]"


def stop_half(h: Goal) -> None:
    some(h, lambda e: e.easy(), lambda e: e.intro("i0 low").easy())


SCRIPTS |= {
    "lem.nearest_active": Script(nearest_active),
    "cookbook.s2.2.3.autoregressive": Script(autoregressive_wrong, refutes=True),
    "cookbook.s2.2.3.autoregressive.corrected": Script(
        autoregressive_right,
        witnesses("i. 1/2", others=[("i. 1/2", "1"), ("i. 1/2", "1/2"), ("i. 1/2", "1/2", "1")], leaf=stop_half),
    ),
    "cookbook.s9.1.1.max_positions.corrected": Script(
        maximum_right,
        witnesses(
            "3",
            "2",
            "i. 1",
            "i j. sum(a, 1, 2, I[1 = a]*I[2 <= j & 1 = a])",
            others=[
                ("3", "2", "i. 1", "i j. sum(a, 1, 2, I[1 = a]*I[2 <= j & 1 = a])", *at)
                for at in (("1", "1"), ("2", "2"))
            ],
            leaf=section9_leaf,
        ),
    ),
    "cookbook.s9.1.1.gap": Script(
        gap_of_one,
        witnesses(
            "3",
            "2",
            "i. 1",
            "i j. sum(a, 1, 2, I[1 = a]*I[2 <= j & 1 = a])",
            others=[("3", "2", "i. 1", "i j. sum(a, 1, 2, I[1 = a]*I[2 <= j & 1 = a])", "1", "1", "1")],
            leaf=section9_leaf,
        ),
    ),
    "cookbook.s9.2.1.state_trace": Script(
        state_trace, witnesses("3", "i. 0", TRACE, "1", leaf=section9_leaf), whole("n w z", window_whole)
    ),
    "cookbook.s9.2.2.step2_values.corrected": Script(
        nearest_values,
        witnesses(
            *STEP2.format(1).split("; "),
            "1",
            others=[(*STEP2.format(a).split("; "), *at) for a, *at in ((1, "2", "1"), (1, "2", "3"), (0, "2"))],
            leaf=section9_leaf,
        ),
        whole("n o a l r", window_whole),
    ),
}


# --- The layer that Proposition 2 adds --------------------------------------------------------------------------------


def indicators(h: Goal, values: dict[str, str], leaf: Tactic) -> None:
    """Known values of indicators are put into the goal: for each formula the one case that the facts allow."""
    left = list(values)

    def down(e: Goal, rest: list[str]) -> None:
        if not rest:
            leaf(e)
            return
        for f in e.ind(rest[0], f"{e.fresh('f')} {e.fresh('v')}"):
            if not f.try_contradiction():
                down(f, rest[1:])

    down(h, left)


def put(f: Goal) -> Goal:
    """Rewrite by all facts v1, v2, ... that say what an indicator is, where it occurs in the goal."""
    for k in [k for k in f.facts if k[0] == "v" and k[1:].isdigit()]:
        left = f.fact(k)[2][0]
        if replace(f.goal, left, num(7)) != f.goal:
            f.rewrite(k)
    return f


def mirror_net(g: Goal) -> None:
    g.intro("d x W r (low high)")
    weight = (
        "(-I[{p} = r] + I[{p} = d + r] + I[r = 1]*(I[{p} <= d]*W({p}) - I[d < {p}]*W({p} - d))"
        " + I[r = 2]*(-I[{p} <= d]*W({p}) + I[d < {p}]*W({p} - d)))"
    )
    body = weight + "*relu(sum(l, 1, d, (I[{p} = l] - I[{p} = d + l])*x(l)))"
    whole_body = f"p. {body.replace('{p}', 'p')}"
    g.use("lem:sum_split", whole_body, "1", "d", "2*d", label="halves").use(
        "lem:layers_shift", whole_body, "1", "d", "d", label="moved"
    )
    top = "(-I[p = r] + (I[r = 1] - I[r = 2])*W(p))*relu(x(p))"
    bottom = "(I[p = r] - (I[r = 1] - I[r = 2])*W(p))*relu(-x(p))"

    def half(at: str, part: int, wanted: str) -> Tactic:
        def run(h: Goal) -> None:
            h.intro("p (pl ph)").use("lem:mirror_hidden", "d", "x", "p", label="m1 m2")
            formulas = (
                [f"{at} = d + r", f"{at} <= d", f"d < {at}"] if part == 1 else [f"{at} = r", f"{at} <= d", f"d < {at}"]
            )

            def leaf(f: Goal) -> None:
                put(f.rewrite(f"m{part}")).true()

            indicators(h, dict.fromkeys(formulas, ""), leaf)

        return run

    g.use("lem:sum_ext", whole_body, f"p. {top}", "1", "d", half("p", 1, top), label="up")
    g.use(
        "lem:sum_ext",
        f"p. {body.replace('{p}', '(p + d)')}",
        f"p. {bottom}",
        "1",
        "d",
        half("p + d", 2, bottom),
        label="down",
    )

    def joined(h: Goal) -> None:
        h.intro("p inside").have(
            "relu(x(p)) - relu(-x(p)) = x(p)",
            "pair",
            lambda e: e.apart(
                "relu(x(p)); relu(-x(p))", lambda f: f.auto([k for k in f.facts if k[0] in "dv"], **linear)
            ),
        )
        h.auto("pair", **linear, multipliers=["I[p = r]", "W(p)", "I[r = 1]*W(p)", "I[r = 2]*W(p)"])

    g.use(
        "lem:sum_ext",
        f"p. {top} + {bottom}",
        "p. (-I[p = r] + (I[r = 1] - I[r = 2])*W(p))*x(p)",
        "1",
        "d",
        joined,
        label="both",
    )
    g.use("lem:sum_delta", "x", "1", "d", "r", label="delta").auto("halves moved up down both delta", **linear)


SCRIPTS |= {
    "lem.mirror_net": Script(mirror_net),
}


# --- Proposition 3 with layer norm ------------------------------------------------------------------------------------


LAST = "sum(i, 0, 1, clsweight(j. log(2)*1*v(3, 0)*v(4, j), 2, i)*(-1/2*v(4, i) + v(5, i)))"


def lnlogit_wrong(g: Goal) -> None:
    """n = 2, w = 1, eps = 100: each normalisation divides by at least 10, so that the logit is below 1/33."""
    z = "b i. I[b = 2]*I[i = 1] + I[b = 3]*I[i = 0] + I[b = 4]*I[i = 1] + I[b = 5]*I[i = 1]"
    word = "i. 2*I[i = 0] + I[i = 1]"
    entry = "(I[{b} = 2]*I[{i} = 1] + I[{b} = 3]*I[{i} = 0] + I[{b} = 4]*I[{i} = 1] + I[{b} = 5]*I[{i} = 1])"
    embedded = f"c. I[c <= 4]*{entry.format(b='c', i='i')}"
    hidden = "c. u(c, i) + I[c = 5]*relu(-u(1, i) - u(3, i) + u(4, i))"
    output = f"c. v(c, 0) + I[c = 6]*{LAST}"
    g.intro("claim")
    for name, sort, lam, body in (
        ("u", "Int*Int->Real", "b i. ", f"pairnorm({embedded}, 100, b)"),
        ("v", "Int*Int->Real", "b i. ", f"pairnorm({hidden}, 100, b)"),
        ("y", "Int->Real", "b. ", f"pairnorm({output}, 100, b)"),
    ):
        at = f"{name}0(b, i)" if lam == "b i. " else f"{name}0(b)"
        bound = "all i:Int, b:Int. " if lam == "b i. " else "all b:Int. "
        g.have(
            f"ex {name}0:{sort}. {bound}{at} = {body}",
            f"some_{name}",
            lambda h, lam=lam, body=body: named(h, lam + body),
        )
        g.obtain(f"some_{name}", name, f"{name}_is")
    s = "sum(i, 0, 1, clsweight(j. log(2)*1*I[j = 1], 2, i)*(1/2*I[i = 1]))"
    g.use("claim", "2", word, "100", z, s, "u", "v", "y", "pairnorm(y, 100, 6)", given_net, label="wrong")
    g.use(
        "lem:single_sum",
        "2",
        "log(2)*1",
        "j. log(2)*1*I[j = 1]",
        "i. 1/2*I[i = 1]",
        lambda h: h.easy(),
        label="total pos value",
    )
    g.use("ax:exp_log", "2", label="two").have("exp(log(2)*1) = 2", "log_n", use="two", **linear).rewrite(
        "log_n", "value", "value1"
    )
    g.have(f"{s} = 1/3", "s_is", use="value1", **linear).rewrite("s_is", "wrong", "wrong1")
    g.use("lem:sqrt_positive", "1/6*(1 + (1/3)^2) + 100", "!", label="r1 r2 r3 r4")
    root = "sqrt(1/6*(1 + (1/3)^2) + 100)"
    g.have(f"{root} <= 11", "most", lambda h: h.contra("no").auto("no r2")).have(
        f"1/11 <= 1/{root}", "least", use="most r3 r4"
    )
    for b, i in ((1, 0), (3, 0), (4, 0), (5, 0), (6, 0), (1, 1), (3, 1), (4, 1), (5, 1)):
        g.use("u_is", f"{i}", f"{b}", label=f"u{b}{i}")
        g.use(
            "lem:pairnorm_small",
            f"c. I[c <= 4]*{entry.format(b='c', i=str(i))}",
            f"{b}",
            "1",
            lambda h: h.easy(),
            label=f"lu{b}{i} hu{b}{i}",
        )
    for i in (0, 1):
        signs_of = f"-u(1, {i}) - u(3, {i}) + u(4, {i})"
        facts = " ".join(f"u{b}{i} lu{b}{i} hu{b}{i}" for b in (1, 3, 4))
        g.have(
            f"0 <= relu({signs_of}) & relu({signs_of}) <= 3/10",
            f"rl{i} rh{i}",
            lambda h, f=facts, t=signs_of: relu_range(h, f, t),
        )
        for b in (4, 5, 6) if i == 0 else (4, 5):
            g.use("v_is", f"{i}", f"{b}", label=f"v{b}{i}")
            g.use(
                "lem:pairnorm_small",
                hidden.replace(", i)", f", {i})"),
                f"{b}",
                "4/10",
                lambda h, b=b, i=i: h.easy(f"u{b}{i} lu{b}{i} hu{b}{i} rl{i} rh{i}", **linear),
                label=f"lv{b}{i} hv{b}{i}",
            )
        g.use("lem:cls_weight", "j. log(2)*1*v(3, 0)*v(4, j)", "2", f"{i}", label=f"wl{i} wh{i}")
        value = f"(-1/2*v(4, {i}) + v(5, {i}))"
        bound_facts = f"v4{i} v5{i} lv4{i} hv4{i} lv5{i} hv5{i}"
        g.have(f"-6/100 <= {value} & {value} <= 6/100", f"vl{i} vh{i}", use=bound_facts, **linear)
        weight = f"clsweight(j. log(2)*1*v(3, 0)*v(4, j), 2, {i})"
        g.have(
            f"-6/100 <= {weight}*{value} & {weight}*{value} <= 6/100", f"pl{i} ph{i}", use=f"wl{i} wh{i} vl{i} vh{i}"
        )
    g.have(f"-12/100 <= {LAST} & {LAST} <= 12/100", "sl sh", use="pl0 ph0 pl1 ph1", **linear)
    g.use("lem:pairnorm_small", output, "6", "1", lambda h: h.easy("v60 lv60 hv60 sl sh", **linear), label="ly hy").use(
        "y_is", "6", label="y6"
    )
    g.use("lem:pairnorm_small", "y", "6", "1/10", lambda h: h.easy("y6 ly hy", **linear), label="lt ht").auto(
        "wrong1 ht least", **linear
    )


def named(h: Goal, lam: str) -> None:
    h.witness(lam).intro_all().true()


def relu_range(h: Goal, facts: str, inside: str) -> None:
    for e in h.sides(h.term(f"relu({inside})")):
        e.easy(f"{facts} d1 v1", **linear)


def given_net(h: Goal) -> None:
    for part in h.split():
        some(
            part,
            lambda e: e.easy(),
            lambda e: each_integer(e.intro("i0 (low high)"), "i0", 0, 1, lambda f: f.easy()),
            lambda e: each_integer(e.intro("i0 (low high)"), "i0", 1, 1, lambda f: f.easy()),
            lambda e: (
                e.intro("i0 (low high) b0 (bl bh)").use("u_is", "i0", "b0", label="is").hyp("is")
                if "u(" in e.text(e.goal) and "v(" not in e.text(e.goal)
                else e.intro("i0 (low high) b0 (bl bh)").use("v_is", "i0", "b0", label="is").hyp("is")
            ),
            lambda e: e.intro("b0 (bl bh)").use("y_is", "b0", label="is").hyp("is"),
        )


def lnlogit_right(g: Goal) -> None:
    g.intro("s eps x (eps_pos is)").use("lem:chiang2022.prop3.var", "s", "x", "#is", label="mean var").use(
        "is", "6", label="x6 x12"
    )
    g.rewrite("var").rewrite("mean").auto("x6", **linear, multipliers=["1/sqrt(1/6*(1 + s^2) + eps)"])


def normed_root(h: Goal) -> None:
    h.use("lem:chiang2022.prop3.var", "s", "x", lambda e: e.hyp("p1_2"), label="mean var")
    h.have("0 < 1/6*(1 + s^2) + eps", "u_pos", lambda e: e.auto("p1_1", squares=["s"], **linear))
    h.use("lem:sqrt_positive", "1/6*(1 + s^2) + eps", label="u1 u2 u3 u4")
    h.have("0 < varianceof(x, 12) + eps", "v_pos", use="var u_pos", **linear).use(
        "lem:sqrt_positive", "varianceof(x, 12) + eps", label="v1 v2 v3 v4"
    )
    zero = [zero_of(h)] if h.goal[0] == "false" else []
    h.auto(["u_pos", "v_pos", "u1", "v1", *zero], **linear)


SCRIPTS |= {
    "chiang2022.prop3.lnlogit": Script(lnlogit_wrong, refutes=True),
    "chiang2022.prop3.lnlogit.corrected": Script(
        lnlogit_right,
        witnesses(
            "1",
            "1",
            f"l. {TWELVE.format('l').replace('s*', '1*')}",
            leaf=lambda h: some(h, lambda e: e.easy(), boxes((1, 6))),
        ),
        whole("s eps x", normed_root),
    ),
}


# --- Two layers for Dyck-1 --------------------------------------------------------------------------------------------


def two_layers(g: Goal) -> None:
    g.intro("n w z (some word start one two three)")

    def average(label: str, entry: str, step: str) -> None:
        """The head with equal scores is the mean."""

        def row(h: Goal) -> None:
            h.intro("c (c_low c_high) i (low high)").use(label, "c", None, "i", None, label="is")
            h.use(
                "lem:layers_uniform",
                "i",
                "l. 0",
                f"j. z({entry}, j)",
                None,
                lambda e: e.intro("j inside").true(),
                label="soft hard",
            )
            h.auto("is hard", **linear, multipliers=[f"I[c = {step}]"])

        before, after = ("1", "0") if step == "2" else ("3", "2")
        g.have(
            f"all c in 1..4. all i in 1..n. z({before}, c, i)"
            f" = I[c = {step}]*(sum(j, 1, i, z({entry}, j))/i) + z({after}, c, i)",
            f"mean_{label}",
            row,
        )

    average("one", "0, 1", "2")
    average("three", "2, 3", "4")

    def given_trace(h: Goal) -> None:
        for part in h.split():
            part.easy("some", **linear)

    g.use("lem:cookbook.s9.2.1.state_trace", "n", "w", "z", given_trace, label="trace")
    g.use("trace", "n", label=" ".join(f"t{k}" for k in range(12)))
    g.use(
        "lem:cookbook.s9.2.1.accept",
        "n",
        "w",
        "i. bracket(w(i))",
        "i. height(w, i)/i",
        "i. relu(-height(w, i)/i)",
        "i. sum(j, 1, i, relu(-height(w, j)/j))/i",
        None,
        None,
        each(*[lambda h: h.intro("i inside").true()] * 4),
        label="to back",
    )
    forth, home = g.split()
    forth.intro("both").use("back", "#both", label="error balance").easy("error balance t9 t11", **linear)
    home.intro("(error balance)").use("to", lambda h: h.easy("error balance t9 t11", **linear), label="done").hyp(
        "done"
    )


TWO_LAYERS = (
    "t c i. I[c = 1]*bracket(0) + I[1 <= t]*I[c = 2]*sum(j, 1, i, hardmax(l. 0, i, j)*bracket(0))"
    " + I[2 <= t]*I[c = 3]*relu(-sum(j, 1, i, hardmax(l. 0, i, j)*bracket(0)))"
    " + I[3 <= t]*I[c = 4]*sum(j, 1, i, hardmax(l. 0, i, j)*relu(-sum(k, 1, j, hardmax(m. 0, j, k)*bracket(0))))"
)


def hard_whole(h: Goal) -> None:
    """A position is maximal, so that the count of the maximal ones is not 0."""
    found = re.search(r"sum\(\w+, 1, (\w+), I\[", h.text(h.fact(zero_of(h))))
    if found is None:
        raise Stuck("no count")
    h.use("lem:hm_count", "l. 0", found.group(1), lambda e: e.auto(**linear), label="here").auto(
        ["here", zero_of(h)], **linear
    )


SCRIPTS |= {
    "cookbook.s9.2.1.two_layers": Script(
        two_layers, witnesses("3", "i. 0", TWO_LAYERS, leaf=section9_leaf), whole("n w z", hard_whole)
    ),
}
