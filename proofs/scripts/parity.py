"""Two languages of Chiang and Cholak (2022): alternating scores and PARITY, one position and FIRST, layer norm, Prop. 2 and 3."""

from __future__ import annotations

from script import Script, counterexample, each, witnesses

from symcook.proof.search.tactics import Goal, Tactic

SCRIPTS: dict[str, Script] = {}
linear = {"degree": 1, "rounds": 0}


# --- Alternating scores -----------------------------------------------------------------------------------------------


def alternation(g: Goal) -> None:
    base, up = g.induct("m", "ge", "ih")
    base.use("ax:pow_step", "-1", "0", label="next").easy("next")
    up.use("ih", label="even odd")
    up.use("ax:pow_step", "-1", "2*m + 1", label="one").use("ax:pow_step", "-1", "2*m + 2", label="two")
    up.easy("one two even odd")


def sign_next(g: Goal) -> None:
    g.intro("i some").use("ax:pow_step", "-1", "i", label="next").auto("next", **linear)


def signed_exp(g: Goal, c: str, at: str, sign: str, label: str) -> Goal:
    """exp(c*pow(-1, at)) = exp(+-c), where `sign` is a fact that gives the power."""
    return g.have(f"exp({c}*pow(-1, {at})) = exp({c}*({g.text(g.fact(sign)[2][1])}))", label, lambda h: h.rewrite(sign).true())


def alternating_sums(g: Goal) -> None:
    g.intro("c")
    base, up = g.induct("m", "ge", "ih")
    up.use("ih", label="a1 a2 b1 b2")
    base.use("ax:pow_zero", "-1", label="zero").use("ax:pow_step", "-1", "0", label="next")
    base.have("pow(-1, 1) = -1", "one", use="zero next", **linear)
    for part in base.split():
        part.have("exp(c*pow(-1, 0)) = exp(c)", "plus", lambda h: h.rewrite("zero").true())
        part.have("exp(c*pow(-1, 1)) = exp(-c)", "minus", lambda h: h.rewrite("one").true())
        part.auto("plus minus", **linear)
    up.use("lem:alternation", "m", label="e0 o0").use("lem:alternation", "m + 1", label="e1 o1")
    up.have("pow(-1, 2*m + 2) = 1", "e2", use="e1", **linear).have("pow(-1, 2*m + 3) = -1", "o2", use="o1", **linear)
    for at, sign, label in (("2*m + 1", "o0", "x1"), ("2*m + 2", "e2", "x2"), ("2*m + 3", "o2", "x3")):
        signed_exp(up, "c", at, sign, label)
    for body, name in (("exp(c*pow(-1, p))", "u"), ("exp(c*pow(-1, p + 1))", "v")):
        for high, label in (("2*m + 1", "1"), ("2*m + 2", "2")):
            up.use("ax:sum_step", f"p. {body}", "0", high, label=f"{name}{label}")
    for part in up.split():
        part.auto("a1 a2 b1 b2 x1 x2 x3 u1 u2 v1 v2", **linear)


# --- Weights over 0..n - 1 ----------------------------------------------------------------------------------------------

TOTAL = "sum(p, 0, n - 1, exp(s(p)))"


def cls_total(g: Goal) -> None:
    g.intro("s n some")
    g.use(
        "lem:sum_positive",
        "p. exp(s(p))",
        "0",
        "n - 1",
        None,
        lambda h: h.intro("i inside").use("ax:exp_pos", "s(i)", label="pos").hyp("pos"),
        label="done",
    ).hyp("done")


def total(g: Goal, s: str = "s", n: str = "n", z: str = "z") -> Goal:
    """0 < Z, Z*(1/Z) = 1 and 0 < 1/Z for the normaliser of the scores s over 0..n - 1."""
    name, _, body = s.partition(". ")
    inside = f"{s}(p)" if not body else body.replace(name, "p")
    return g.positive(
        f"sum(p, 0, {n} - 1, exp({inside}))", z, lambda h: h.use("lem:cls_total", s, n, label="pos").hyp("pos")
    )


def cls_weight(g: Goal) -> None:
    g.intro("s n j (low high)").have("1 <= n", "some")
    total(g)
    g.use("ax:exp_pos", "s(j)", label="pos")
    g.use(
        "lem:sum_member",
        "p. exp(s(p))",
        "0",
        "n - 1",
        "j",
        lambda h: h.easy(),
        lambda h: h.intro("i inside").use("ax:exp_pos", "s(i)", label="here").auto("here"),
        label="most",
    )
    small, large = g.split()
    small.auto("pos z_i")
    large.auto("most z_i z_e")


def cls_sum(g: Goal) -> None:
    total(g.intro("s n some")).auto("z_e")


def parity_logit(g: Goal) -> None:
    g.intro("n k c (low high)")
    for label, scores in (("one", "c*pow(-1, j + 1)"), ("two", "c*pow(-1, j)")):
        g.use("lem:sum_delta", f"i. clsweight(j. {scores}, n, i)", "0", "n - 1", "k", label=label)
    g.auto("one two", rounds=0, multipliers=["1/n"])


SCRIPTS |= {
    "lem.alternation": Script(alternation),
    "lem.sign_next": Script(sign_next),
    "lem.alternating_sums": Script(alternating_sums),
    "lem.cls_total": Script(cls_total),
    "lem.cls_weight": Script(cls_weight),
    "lem.cls_sum": Script(cls_sum),
    "lem.parity_logit": Script(parity_logit),
}


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
    g.have("0 < m*(exp(c) + exp(-c))", "some_y", use="up down some").positive("m*(exp(c) + exp(-c))", "y").positive("m", "m")
    y, d = "1/(m*(exp(c) + exp(-c)))", "1/(exp(2*c) + 1)"
    g.have(f"{y} = exp(c)/m*({d})", "y_is", use="y_e z_e m_e", **linear, multipliers=[y, f"exp(c)/m*({d})", f"{y}*(exp(2*c) + 1)*{d}"])
    for h in signs(g):
        h.rewrite("now").rewrite("then").auto("y_is z_e", **linear, multipliers=["1/m", "1/m^2", "exp(c)/m", "exp(-c)/m"])


SCRIPTS |= {
    "lem.parity_even": Script(parity_even),
}


def inverse_product(g: Goal) -> None:
    g.intro("x y").true()


A, B = (f"alternate{k}(c, 2*m + 1)" for k in ("one", "two"))


def parity_odd(g: Goal) -> None:
    g.intro("m k c (some low high)")
    g.use("ax:exp_pos", "c", label="up").use("ax:exp_pos", "-c", label="down")
    g.positive(A, "a", lambda h: h.auto("up down some")).positive(B, "b", lambda h: h.auto("up down some"))
    g.positive("2*m + 1", "n")
    g.use("lem:parity_logit", "2*m + 1", "k", "c", label="logit").use("lem:alternating_sums", "c", "m", label="a1 a2 b1 b2")
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
        h.intro("now").use("lem:sign_next", "k", label="next").have(f"pow(-1, k + 1) = {value}", "then", use="next now", **linear)
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
    "lem.inverse_product": Script(inverse_product),
    "lem.parity_odd": Script(parity_odd),
}


def quotient_sign(g: Goal) -> None:
    g.intro("x y some").positive("y", "y")
    up, down, left, right = g.split()
    up.intro("has").contra("no").auto("has no y_i y_e")
    down.intro("has").auto("has y_i")
    left.intro("has").contra("no").auto("has no y_i y_e")
    right.intro("has").auto("has y_i")


def sinh_sign(g: Goal) -> None:
    g.intro("c some").use("ax:exp_ge", "c", label="grows").use("ax:exp_pos", "-c", label="down")
    g.have("exp(-c) < 1", "below", use="grows down some")
    one, two, three = g.split()
    one.auto("grows below some", **linear)
    for h in (two, three):
        h.use("ax:exp_ge", "2*c", label="twice").positive("exp(2*c) + 1", "z", lambda e: e.auto("twice some"))
    two.have("1/(exp(2*c) + 1) < 1/2", "half", use="z_e z_i twice some")
    two.auto("half", **linear)
    three.auto("z_i", **linear)


def both_parities(g: Goal, run: Tactic, n: str = "n") -> None:
    """n = 2 m or n = 2 m + 1 as `is`, with `m_low`."""
    g.use("lem:parity", n, label="halves").obtain("halves", "m", "m_low half")
    for h in g.cases("half", "is"):
        run(h)


def paritylogit_sign(g: Goal) -> None:
    g.intro("n k c (some low high)").use("lem:sinh_sign", "c", label="s1 t1 t2")
    g.use("lem:sinh_sign", "2*c", lambda h: h.auto("some", **linear), label="s2 t3 t4")
    g.use("lem:parity", "n", label="halves").obtain("halves", "m", "m_low half")
    even, odd = g.cases("half", "is")
    even.have("1 <= m", "m_some", lambda h: h.contra("no").use("ax:int_lt", "m", "1", label="less").auto("less is low high"))
    even.use("lem:parity_even", "m", "k", "c", label="logit").rewrite("is").rewrite("logit")
    even.positive("m", "m")
    one, two, three = even.split()
    one.intro("now").use("lem:sign_next", "k", label="next").have("pow(-1, k + 1) = 1", "then", use="next now", **linear)
    one.rewrite("then").have("0 < 1/m^2", "square", use="m_i").auto("square t1")
    for h, spec in ((two, "now"), (three, "two now")):
        h.intro(spec).use("lem:sign_next", "k", label="next").have("pow(-1, k + 1) = -1", "then", use="next now", **linear)
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


def paritylogit_size(g: Goal) -> None:
    g.intro("n k c (low high)").use("lem:parity_logit", "n", "k", "c", label="logit").positive("n", "n")
    g.use("lem:cls_weight", "j. c*pow(-1, j + 1)", "n", "k", label="a1 a2").use("lem:cls_weight", "j. c*pow(-1, j)", "n", "k", label="b1 b2")
    g.rewrite("logit")
    first, second = (f"clsweight(j. c*pow(-1, {j}), n, k)" for j in ("j + 1", "j"))
    g.apart(f"abs(({first} - {second})/n)", lambda h: h.auto("a1 a2 b1 b2 n_i v1"))


SCRIPTS |= {
    "lem.quotient_sign": Script(quotient_sign),
    "lem.sinh_sign": Script(sinh_sign),
    "lem.paritylogit_sign": Script(paritylogit_sign),
    "lem.paritylogit_size": Script(paritylogit_size),
}
