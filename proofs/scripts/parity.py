"""Chiang and Cholak (2022): PARITY and FIRST, layer norm, Propositions 2 and 3; Cookbook, Sections 2 and 9."""

from __future__ import annotations

import re
from typing import Any

from places import some
from script import Script, witnesses

from symcook.proof.search.tactics import Goal, Stuck, Tactic
from symcook.proof.terms import free, var

SCRIPTS: dict[str, Script] = {}
linear: dict[str, Any] = {"degree": 1, "rounds": 0}


# --- Alternating scores -----------------------------------------------------------------------------------------------


# --- Weights over 0..n - 1 --------------------------------------------------------------------------------------------


A, B = (f"alternate{k}(c, 2*m + 1)" for k in ("one", "two"))


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


# --- Section 3.1 ------------------------------------------------------------------------------------------------------


# --- Section 3.2 and Appendix A ---------------------------------------------------------------------------------------


# --- One position: Sections 3.3, 5.2 and 5.3 --------------------------------------------------------------------------


NET = "i. 2*I[i = 0] + I[i = 1]"
ENTRIES = "b i. I[b = 1]*I[i = 2] + I[b = 2]*I[i = 1] + I[b = 3]*I[i = 0] + I[b = 4]*I[i = 1] + I[b = 5]*I[i = 1]"


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


# --- Log-length scaling -----------------------------------------------------------------------------------------------


# --- Sigmoid and cross-entropy ----------------------------------------------------------------------------------------


def cross_entropy(g: Goal) -> None:
    g.intro("n c (some c_pos)").use("lem:log_two", label="low high").positive(
        "log(2)", "l", lambda h: h.auto("low", **linear)
    )
    g.use("lem:inverse_product", "n", "log(2)", label="inverse")
    parity, first = g.split()
    parity.intro("k (k_low k_high)").use("lem:paritylogit_size", "n", "k", "c", label="bound")
    first.intro("w z s (cls bits layer last)").use(
        "lem:first_size",
        "n",
        "w",
        "c",
        "z",
        "s",
        lambda e: e.easy(**linear),
        lambda e: e.easy(**linear),
        label="bound up down size",
    )
    for h, x in ((parity, "paritylogit(c, n, k)"), (first, "s")):
        h.have(f"0 <= abs({x})", "nonneg", lambda e, x=x: e.apart(f"abs({x})"))
        h.use("lem:crossbits_range", f"abs({x})", label="most strict least")
        a, b, c = h.split()
        top_of = "exp(c)/n" if x == "s" else "1/n"
        a.have(f"0 <= ({top_of} - abs({x}))*(1/log(2))", "gap", use="bound l_i").auto("gap least", **linear)
        b.hyp("most")
        c.intro("two")
        if x == "s":
            c.use("size", label="pos is").use("strict", label="done").hyp("done")
        else:
            c.use("lem:paritylogit_sign", "n", "k", "c", label="s1 s2 s3").use("lem:sign", "k", label="sign")
            for e, kind in zip(c.cases("sign", "now"), ("s3", "s1"), strict=True):
                if kind == "s3":
                    e.use("s3", None, None, label="value")
                else:
                    e.use("s1", label="value")
                e.use(
                    "strict", lambda f: f.apart("abs(paritylogit(c, n, k))", lambda u: u.auto(**linear)), label="done"
                ).hyp("done")


# --- Proposition 2 ----------------------------------------------------------------------------------------------------


def bits_whole(h: Goal) -> None:
    """log(2) and n*log(2) are not 0, and the argument of the logarithm is positive."""
    h.use("lem:log_two", label="low high").have("0 < log(2)", "l_p", use="low", **linear)
    if h.goal[0] == "<":
        inside = re.fullmatch(r"0 < 1 \+ exp\((.*)\)", h.text(h.goal))
        if inside is None:
            raise Stuck("no logarithm")
        h.use("ax:exp_pos", inside.group(1), label="here").auto("here", **linear)
        return
    zero = zero_of(h)
    some(
        h,
        lambda e: e.auto(f"l_p {zero}", **linear),
        lambda e: e.have("0 < n", "n_p", use="p1_1", **linear).auto(f"n_p l_p {zero}"),
    )


SCRIPTS |= {
    "chiang2022.s3.4.ce": Script(
        cross_entropy,
        witnesses(
            "3",
            "1",
            others=[("2", "1", "0"), ("3", "1", NET, ENTRIES, C3.format("1"))],
            leaf=net_leaf,
        ),
        whole("n c", bits_whole),
    ),
}


# --- Proposition 3 and Appendix B -------------------------------------------------------------------------------------


def appb_first_right(g: Goal) -> None:
    g.intro("n w c A1 C1 C2 z x s t (some cls bits c_pos A_pos C_pos C2_pos layer t_is scaled s_is)")
    g.have("firstnet(n, w, c, x, t)", "net", lambda h: h.easy("some"))
    g.use("lem:first_entries", "n", "w", "c", "x", "t", label="each a1 a2 a3 a4 a5")
    g.use(
        "lem:first_entries",
        "n",
        "w",
        "1",
        "x",
        "sum(i, 0, n - 1, clsweight(j. 1*x(3, 0)*x(4, j), n, i)*(-1/2*x(4, i) + x(5, i)))",
        None,
        same_net,
        label="unit b1 b2 b3 b4 b5",
    )
    g.have("0 < A1*C1", "t_pos", use="A_pos C_pos").have("0 < C2*(A1*C1)", "u_pos", use="C2_pos t_pos")
    value = "i. -1/2*z(4, i) + z(5, i)"

    g.have(
        "z(3, 0) = A1*C1",
        "z3",
        lambda h: (
            h.use("scaled", "3", None, "0", lambda e: e.easy("some", **linear), label="here")
            .rewrite("here")
            .rewrite("a3")
            .true()
        ),
    )
    formula, *signs_parts = g.split()
    formula.intro("two")
    first_value(formula, value)
    formula.hyp("value")
    for h in signs_parts:
        h.intro("has")
    for h in signs_parts:
        one, two = h.em("n <= 1", "side")
        one.have("n = 1", "n_is", use="side some", **linear).rewrite("n_is", "s_is", "s_now").use(
            "lem:single_zero", "j. c*z(3, 0)*z(4, j)", value, label="only"
        )
        entries_at_zero(one)
        one.have("s = 0", "s_zero", use="s_now only z4_0 z5_0", **linear, multipliers=["C2"])
        close_sign(one, True)
        two.use("ax:int_lt", "1", "n", label="more").have("2 <= n", "two", use="more", **linear)
        first_value(two, value)
        close_sign(two, False)


def same_net(h: Goal) -> None:
    one, two = h.split()
    one.hyp("layer")
    two.true()


def entries_at_zero(h: Goal) -> None:
    for k in "45":
        h.have(
            f"z({k}, 0) = 0",
            f"z{k}_0",
            lambda e, k=k: (
                e.use("scaled", k, None, "0", lambda f: f.easy("some", **linear), label="here")
                .rewrite("here")
                .rewrite(f"a{k}")
                .true()
            ),
        )


def first_value(h: Goal, value: str) -> None:
    """The logit for n >= 2 as `value`."""

    def score(e: Goal) -> None:
        one, two = e.split()
        one.hyp("two")
        two.intro("j inside").use("scaled", "4", None, "j", None, label="here").use(
            "unit", "j", None, label="score v r"
        )
        two.have("x(4, j) = I[j = 1]", "x4", use="score b3", **linear, multipliers=["x(4, j)"])
        two.rewrite("here").rewrite("z3").rewrite("x4").true()

    h.use("lem:single_sum", "n", "(A1*C1)^2*c", "j. c*z(3, 0)*z(4, j)", value, score, label="total pos sum_is")

    def term(e: Goal) -> None:
        e.intro("i inside").use("scaled", "4", None, "i", None, label="h4").use(
            "scaled", "5", None, "i", None, label="h5"
        ).use("each", "i", None, label="sc val r")
        e.rewrite("h4").rewrite("h5").auto("val", **linear, multipliers=["A1*C1"])

    h.use("lem:sum_ext", value, "i. A1*C1*(I[i = 1]*(I[w(i) = 1] - 1/2))", "0", "n - 1", term, label="values")
    h.use("lem:sum_delta", "i. I[w(i) = 1] - 1/2", "0", "n - 1", "1", label="delta").use(
        "each", "1", None, label="score1 value_one rest1"
    )
    h.use("scaled", "4", None, "1", None, label="h4").use("scaled", "5", None, "1", None, label="h5")
    h.have(
        "-1/2*z(4, 1) + z(5, 1) = A1*C1*(I[w(1) = 1] - 1/2)",
        "at_one",
        lambda e: e.rewrite("h4").rewrite("h5").auto("value_one", **linear, multipliers=["A1*C1"]),
    )
    q = "1/(exp((A1*C1)^2*c) + n - 1)"
    h.have(
        "s = exp((A1*C1)^2*c)/(exp((A1*C1)^2*c) + n - 1)*(C2*A1*C1)*(I[w(1) = 1] - 1/2)",
        "value",
        use="s_is sum_is values delta at_one",
        **linear,
        multipliers=["C2", f"C2*({q})", f"C2*exp((A1*C1)^2*c)*({q})", f"C2*A1*C1*({q})"],
    )


def close_sign(h: Goal, empty: bool) -> None:
    """(0 < s -> ...) or its converse, in one of the two cases."""
    if empty:
        h.contra("against")
        some(
            h, lambda e: e.auto("has s_zero", **linear), lambda e: e.use("has", label="h1 h2").auto("h1 n_is", **linear)
        )
        return
    h.positive("exp((A1*C1)^2*c) + n - 1", "q", lambda e: e.hyp("pos")).use("ax:exp_pos", "(A1*C1)^2*c", label="up_e")
    q = "1/(exp((A1*C1)^2*c) + n - 1)"
    h.have(f"0 < exp((A1*C1)^2*c)*({q})", "part", use="up_e q_i").have(
        f"0 < exp((A1*C1)^2*c)*({q})*(C2*(A1*C1))", "part2", use="part u_pos"
    )
    for e in h.ind("w(1) = 1", "first size"):
        e.rewrite("size", "value", "value1")
        if e.facts["first"][0] == "=":
            some(e, lambda f: f.easy("two", **linear), lambda f: f.auto("value1 part2", **linear))
        else:
            e.contra("against")
            some(
                e,
                lambda f: f.auto("value1 part2 has", **linear),
                lambda f: f.use("has", label="h1 h2").absurd("h2", "first"),
            )


def scaled_single_whole(h: Goal) -> None:
    h.use("ax:exp_pos", "(A1*C1)^2*c", label="here").auto(["here", "p1_1", zero_of(h)], **linear)


SCRIPTS |= {
    "chiang2022.appB.first.corrected": Script(
        appb_first_right,
        witnesses("3", NET, "1", "1", "1", "1", ENTRIES, ENTRIES, C3.format("1"), C3.format("1"), leaf=net_leaf),
        whole("n w c A1 C1 C2 z x s t", scaled_single_whole),
    ),
}


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


SCRIPTS |= {
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
