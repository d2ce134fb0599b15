"""Chiang and Cholak (2022): PARITY and FIRST, layer norm, Propositions 2 and 3; Cookbook, Sections 2 and 9."""

from __future__ import annotations

from typing import Any

from places import some
from script import Script

from symcook.proof.search.tactics import Goal, Stuck, Tactic
from symcook.proof.terms import free, var

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


# --- One position: Sections 3.3, 5.2 and 5.3 --------------------------------------------------------------------------


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


# --- Log-length scaling -----------------------------------------------------------------------------------------------


SCRIPTS |= {}


# --- Sigmoid and cross-entropy ----------------------------------------------------------------------------------------


# --- Proposition 2 ----------------------------------------------------------------------------------------------------


# --- Proposition 3 and Appendix B -------------------------------------------------------------------------------------


# --- Layer norm twice, and of pairs -----------------------------------------------------------------------------------


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


SCRIPTS |= {
    "chiang2022.appB.scalars": Script(scalars_wrong, refutes=True),
}


# --- Cookbook, Sections 2 and 9 ---------------------------------------------------------------------------------------


# --- The layer that Proposition 2 adds --------------------------------------------------------------------------------


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


SCRIPTS |= {
    "chiang2022.prop3.lnlogit": Script(lnlogit_wrong, refutes=True),
}


# --- Two layers for Dyck-1 --------------------------------------------------------------------------------------------
