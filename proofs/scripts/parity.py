"""Chiang and Cholak (2022): PARITY and FIRST, layer norm, Propositions 2 and 3; Cookbook, Sections 2 and 9."""

from __future__ import annotations

import re
from typing import Any

from places import some
from script import Script, witnesses

from symcook.proof.search.tactics import Goal, Stuck, Tactic
from symcook.proof.terms import free, num, var

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


def signs(g: Goal, k: str = "k") -> list[Goal]:
    """The cases (-1)^k = 1 and (-1)^k = -1, as `now`, with (-1)^(k + 1) as `then`."""
    g.use("lem:sign", k, label="sign").use("lem:sign_next", k, label="next")
    goals = g.cases("sign", "now")
    for h, value in zip(goals, ("-1", "1"), strict=True):
        h.have(f"pow(-1, {k} + 1) = {value}", "then", use="next now", **linear)
    return goals


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


def pair_positive(h: Goal) -> None:
    """exp(c) + exp(-c), times a power of n, is not 0; nor is exp(2*c) + 1."""
    h.have("1 <= n", "some_n", **linear)
    h.use("ax:exp_pos", "c", label="up").use("ax:exp_pos", "-c", label="down").use("ax:exp_pos", "2*c", label="twice")
    zero = zero_of(h)
    some(
        h,
        lambda e: e.auto(f"twice {zero}", **linear),
        lambda e: e.have("0 < n", "n_p", use="some_n", **linear).auto(f"n_p up down {zero}"),
        lambda e: e.have("0 < n^2", "n_q", use="some_n").auto(f"n_q up down {zero}"),
        lambda e: e.have("0 < n^2", "n_q", use="some_n").auto(f"n_q {zero}"),
    )


def triple_positive(h: Goal) -> None:
    """n Z_1 Z_2 is not 0, nor are Z_1 and Z_2."""
    h.have("1 <= n", "some_n", **linear).use("ax:exp_pos", "c", label="up").use("ax:exp_pos", "-c", label="down")
    h.have("0 < n", "n_p", use="some_n", **linear)
    h.have("0 < alternateone(c, n)", "za", use="some_n up down").have(
        "0 < alternatetwo(c, n)", "zb", use="some_n up down"
    )
    zero = zero_of(h)
    some(
        h,
        lambda e: e.auto(f"za {zero}", **linear),
        lambda e: e.auto(f"zb {zero}", **linear),
        lambda e: e.auto(f"n_p za zb {zero}", degree=3),
    )


def not_odd(g: Goal, k: str) -> None:
    """k = 2 m + 1 has no solution for a numeral k that is even."""
    g.intro("half").obtain("half", "m", "is")
    low, high = g.em(f"m <= {int(k) // 2 - 1}", "side")
    low.auto("side is", **linear)
    high.use("ax:int_lt", f"{int(k) // 2 - 1}", "m", label="step").auto("step is", **linear)


# --- Section 3.1 ------------------------------------------------------------------------------------------------------


# --- Section 3.2 and Appendix A ---------------------------------------------------------------------------------------


def posrange(g: Goal) -> None:
    g.intro("n PE4 PE5 some is").positive("n", "n")
    every, first, last = g.split()
    every.intro("i (low high)").use("is", "i", label="is4 is5").use("lem:odd_sign", "i", label="sign")
    for h, ok in zip(every.cases("sign", "odd_i power", "even_i power"), (2, 3), strict=True):
        for k, part in enumerate(h.split()):
            if k == 0:
                part.auto("is4 low n_i")
            elif k == 1:
                part.auto("is4 high n_i")
            elif k == ok:
                part.intro("case").auto("is5 power", **linear)
            else:
                part.intro("case").absurd(*(("odd_i", "case") if ok == 2 else ("case", "even_i")))
    for h, at in ((first, "0"), (last, "n - 1")):
        h.witness(at).use("is", at, label="is4 is5").easy("is4 some", **linear)


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


def sign_wrong(h: Goal) -> None:
    h.use("wrong", label="w1 w2 w3 w4").use("lem:parity_odd", "0", "0", "1", label="za zb main down up")
    h.use("ax:pow_zero", "-1", label="power").use("down", label="zero")

    def even(e: Goal) -> None:
        e.intro("half").obtain("half", "m", "is")
        low, high = e.em("m <= -1", "side")
        low.auto("side is", **linear)
        high.use("ax:int_lt", "-1", "m", label="step").auto("step is", **linear)

    h.use("w4", even, label="less").auto("less zero", **linear)


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


def odd_even_wrong(h: Goal) -> None:
    h.use("wrong", label="w1 w2 w3").use("lem:parity_odd", "0", "0", "1", label="za zb main down up")
    h.use("ax:pow_zero", "-1", label="power").use("down", label="zero").auto("w3 zero", **linear)


def odd_odd_wrong(h: Goal) -> None:
    h.use("wrong", label="w1 w2 w3").use("ax:exp_pos", "-2", label="pos").use("ax:exp_pos", "1", label="e").use(
        "ax:exp_pos", "-1", label="d"
    )
    product = "3*alternateone(1, 3)*alternatetwo(1, 3)"
    h.have("0 < alternateone(1, 3)", "a", use="e d", **linear).have("0 < alternatetwo(1, 3)", "b", use="e d", **linear)
    h.positive(product, "w", lambda f: f.auto("a b")).auto("w1 w2 w_e pos", **linear, multipliers=[product])


UNEVEN = [pair_positive, triple_positive]
EVEN_H = ("2", "4", "1", "1")


def at_odd(h: Goal) -> None:
    """odd(1) or ~odd(2), or what is easy."""
    some(h, lambda e: e.easy(), lambda e: e.witness("0").easy(), *(lambda e, k=k: not_odd(e, k) for k in "024"))


SCRIPTS |= {
    "chiang2022.s3.2.posrange": Script(
        posrange,
        witnesses(
            "2",
            "i. i/2",
            "i. pow(-1, i)",
            others=[("2", "i. i/2", "i. pow(-1, i)", "1", "0"), ("2", "i. i/2", "i. pow(-1, i)", "0")],
            leaf=at_odd,
        ),
        whole("n PE4 PE5"),
    ),
    "chiang2022.s3.2.evenodd": Script(evenodd, witnesses("1", "3", "1"), whole("m n c", *UNEVEN)),
    "chiang2022.s3.2.s_even": Script(
        s_even,
        witnesses(*EVEN_H, others=[("2", "4", "1", "1", "0"), ("2", "4", "2", "1")], leaf=at_odd),
        whole("m n k c", *UNEVEN),
    ),
    "chiang2022.s3.2.sign": Script(refuted_at("1", "0", "1", then=sign_wrong), refutes=True),
    "chiang2022.s3.2.sign.corrected": Script(
        sign_right, witnesses("3", "1", "1", others=[("2", "0", "1")], leaf=at_odd), whole("n k c", *UNEVEN)
    ),
    "chiang2022.s3.2.O1n": Script(
        big_o, witnesses("3", "1", "1", others=[("2", "0", "1")], leaf=at_odd), whole("n k c", *UNEVEN)
    ),
    "chiang2022.appA.even.alpha": Script(
        even_alpha, witnesses("2", "4", "1", others=[("2", "4", "1", "0")]), whole("m n c", *UNEVEN)
    ),
    "chiang2022.appA.even.s": Script(even_s, witnesses(*EVEN_H), whole("m n k c", *UNEVEN)),
    "chiang2022.appA.odd.Z": Script(
        odd_z, witnesses("2", "5", "1", "1", others=[("2", "5", "1", "1", "0")]), whole("m n k c", *UNEVEN)
    ),
    "chiang2022.appA.odd.keven": Script(refuted_at("0", "1", "0", "0", "1", then=odd_even_wrong), refutes=True),
    "chiang2022.appA.odd.keven.corrected": Script(
        odd_case("even"),
        witnesses("2", "5", "1", "2", "1", others=[("0", "1", "0", "0", "1")]),
        whole("m n l k c", *UNEVEN),
    ),
    "chiang2022.appA.odd.kodd": Script(refuted_at("1", "3", "0", "1", "1", then=odd_odd_wrong), refutes=True),
    "chiang2022.appA.odd.kodd.corrected": Script(
        odd_case("odd"), witnesses("2", "5", "1", "3", "1"), whole("m n l k c", *UNEVEN)
    ),
}


# --- One position: Sections 3.3, 5.2 and 5.3 --------------------------------------------------------------------------


def empty_word(h: Goal) -> None:
    """The hypotheses on the word and the network hold for n = 1."""
    for part in h.split() if h.goal[0] == "&" else [h]:
        net_leaf(part)


def eq1_wrong(h: Goal) -> None:
    h.use("ax:exp_pos", "1", label="pos").positive("exp(1)", "e", lambda f: f.hyp("pos")).auto("wrong e_e", **linear)


def eq1_right(g: Goal) -> None:
    g.intro("n w c z s (some cls bits c_pos) net").use("lem:first_logit", "n", "w", "c", "z", "s", label="many single")
    one, two = g.split()
    one.intro("two").use("many", label="pos is").hyp("is")
    two.hyp("single")


def a20(g: Goal) -> None:
    g.intro("n w c z s a (some cls bits c_pos) net (same last)").use(
        "lem:first_entries", "n", "w", "c", "z", "s", label="each a1 a2 a3 a4 a5"
    )
    for k, h in enumerate(g.split(), 1):
        if k == 6:
            h.hyp("last")
        else:
            h.use("same", f"{k}", label="is").auto(f"is a{k}", **linear)


def zero_values(g: Goal) -> None:
    g.intro("n w c z s (some cls bits c_pos) net").use(
        "lem:first_entries", "n", "w", "c", "z", "s", label="each a1 a2 a3 a4 a5"
    )
    g.intro("i (low high) other").use("each", "i", label="score value rest").use("rest", label="z4 z5").easy(
        "z4 z5", **linear
    )


def flawed(g: Goal) -> None:
    g.intro("n w c z s k (two cls bits c_pos k_is) net").use(
        "lem:flawed_logit", "n", "w", "c", "z", "s", "k", label="many single"
    )
    g.use("many", label="pos is yes no").hyp("is")


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


def single_positive(h: Goal) -> None:
    """exp(c) + n - 1 is not 0."""
    h.use("ax:exp_pos", "c", label="up").auto(["up", "p1_1", zero_of(h)], **linear)


C3 = "sum(i, 0, 2, clsweight(j. {0}*I[j = 1], 3, i)*(1/2*I[i = 1]))"
F3 = "sum(i, 0, 2, clsweight(j. {0}*I[j = 1], 3, i)*(-1/2 + I[i = 1]))"
F2 = "sum(i, 0, 1, clsweight(j. I[j = 1], 2, i)*(-1/2 + I[i = 1]))"
"""The logits for w = 10 in the two models, and for w = 1."""


def threshold_leaf(h: Goal) -> None:
    some(
        h,
        net_leaf,
        lambda e: e.use("lem:log_unique", "2 - 1", "0", "!", label="log").auto("log", **linear),
        lambda e: e.use("lem:log_two", label="low high").auto("low", **linear),
    )


SCRIPTS |= {
    "chiang2022.s3.3.eq1": Script(
        refuted_at("1", "i. 2", "1", "b i. I[b = 3]", "0", empty_word, empty_word, then=eq1_wrong), refutes=True
    ),
    "chiang2022.s3.3.eq1.corrected": Script(
        eq1_right,
        witnesses(
            "3", NET, "1", ENTRIES, C3.format("1"), others=[("1", "i. 2", "1", "b i. I[b = 3]", "0")], leaf=net_leaf
        ),
        whole("n w c z s", single_positive),
    ),
    "chiang2022.s3.3.a20": Script(
        a20,
        witnesses("3", NET, "1", ENTRIES, C3.format("1"), f"b. I[b = 3] + I[b = 6]*{C3.format('1')}", leaf=net_leaf),
        whole("n w c z s a"),
    ),
    "chiang2022.s5.2.zero": Script(
        zero_values,
        witnesses(
            "3",
            NET,
            "1",
            ENTRIES,
            C3.format("1"),
            others=[("3", NET, "1", ENTRIES, C3.format("1"), "0")],
            leaf=net_leaf,
        ),
        whole("n w c z s"),
    ),
    "chiang2022.s5.2.flawed": Script(
        flawed,
        witnesses("3", NET, "1", ENTRIES, F3.format("1"), "1", leaf=net_leaf),
        whole("n w c z s k", single_positive),
    ),
}


# --- Log-length scaling -----------------------------------------------------------------------------------------------


def log_value(g: Goal) -> Goal:
    """exp(log(n)*1) = n."""
    return g.use("ax:exp_log", "n", label="log").have("exp(log(n)*1) = n", "log_n", use="log", **linear)


def noln(g: Goal) -> None:
    g.intro("n w z s (some cls bits) net").use("lem:first_logit", "n", "w", "log(n)*1", "z", "s", label="many single")
    two, one = g.split()
    one.hyp("single")
    log_value(two.intro("two")).use("many", label="pos is").rewrite("log_n", "is", "value").positive(
        "n + n - 1", "q", lambda h: h.auto("two", **linear)
    )
    for h in two.ind("w(1) = 1", "first size"):
        a, b, c = h.split()
        a.auto("value", **linear)
        for e in (b, c):
            e.rewrite("size", "value", "value1").have("0 < 1/(2*n - 1)", "q_pos", use="q_i", **linear)
            e.apart("abs(s)", lambda f: f.auto(["value1", "q_e", "q_i", "two", *(k for k in f.facts if k[0] in "dv")]))


def flawed_log(g: Goal) -> None:
    g.intro("n w z s k (some cls bits k_is) net").use(
        "lem:flawed_logit", "n", "w", "log(n)*1", "z", "s", "k", label="many single"
    )
    one, two = g.em("n <= 1", "side")
    one.have("n = 1", "n_is", use="side some", **linear).use("single", label="k0 s0")
    first, *second = one.split()
    for h in first.ind("1 <= n - 1 & w(1) = 1", "yes size"):
        if h.facts.get("yes", h.goal)[0] != "~":
            h.try_contradiction()
        else:
            h.rewrite("size").rewrite("k0").rewrite("s0").rewrite("n_is").true()
    for h in second:
        h.intro("has").contra("against")
        some(
            h,
            lambda e: e.auto("has s0", **linear),
            lambda e: e.use("has", label="h1 h2").auto("h1 n_is", **linear),
        )
    log_value(two.use("ax:int_lt", "1", "n", label="more")).use("many", label="pos is yes no")
    two.rewrite("log_n", "is", "value").positive("n + n - 1", "q", lambda h: h.auto("more", **linear)).use(
        "bits", "1", lambda e: e.easy("more", **linear), label="bit"
    )
    for h, first in zip(two.cases("bit", "w_is"), (False, True), strict=True):
        h.use("yes" if first else "no", label="k_low k_high")
        goals = h.ind("w(1) = 1", "single_bit size")
        right, wrong = goals if first else reversed(goals)
        wrong.absurd("w_is", "single_bit") if first else wrong.try_contradiction()
        right.rewrite("size", "value", "value1")
        formula, up, down = right.split()
        for e in formula.ind("1 <= n - 1 & w(1) = 1", "yes1 size1"):
            close_pair(e, first)
        if first:
            up.intro("has").easy("more w_is", **linear)
            down.intro("has").have("0 < (k - 1/2)*(1/(n + n - 1))", "gap", use="q_i k_low").auto(
                "gap value1 q_e", **linear, multipliers=["1", "k", "n"]
            )
        else:
            up.intro("has").contra("against").have("0 < (n - 1 - k)*(1/(n + n - 1))", "gap", use="q_i k_high").auto(
                "gap value1 q_e q_i has", **linear
            )
            down.intro("has").use("has", label="h1 h2").contra("against").auto("h2 w_is", **linear)


def close_pair(e: Goal, first: bool) -> None:
    """The formula where I[1 <= n - 1 & w(1) = 1] is known as size1."""
    holds = e.facts["size1"][2][1] == num(1)
    if holds == first:
        e.rewrite("size1").auto("value1", **linear)
    elif holds:
        e.try_contradiction()
    else:
        e.have("1 <= n - 1 & w(1) = 1", "after_all", lambda f: f.easy("more w_is", **linear)).absurd(
            "after_all", "yes1"
        )


def threshold_claim(g: Goal) -> None:
    g.intro("n c (two c_pos)")
    above, below = g.split()
    above.intro("big w z s (cls bits) net").use(
        "lem:flawed_logit", "n", "w", "c", "z", "s", "sum(i, 1, n - 1, w(i))", label="many single"
    )
    above.use("many", label="pos is yes no").use("lem:exp_less", "log(n - 1)", "c", label="less").use(
        "ax:exp_log", "n - 1", lambda e: e.auto("two", **linear), label="log"
    )
    above.positive("exp(c) + n - 1", "q", lambda h: h.hyp("pos")).use(
        "bits", "1", lambda e: e.easy("two", **linear), label="bit"
    )
    for h, first in zip(above.cases("bit", "w_is"), (False, True), strict=True):
        h.use("yes" if first else "no", label="k_low k_high")
        goals = h.ind("w(1) = 1", "single_bit size")
        right, wrong = goals if first else reversed(goals)
        wrong.absurd("w_is", "single_bit") if first else wrong.try_contradiction()
        right.rewrite("size", "is", "value")
        up, down = right.split()
        if first:
            up.intro("has").hyp("w_is")
            down.intro("has").have(
                "0 < exp(c) - 1 + 2*sum(i, 1, n - 1, w(i)) - n", "top", use="less log k_low", **linear
            )
            down.have(
                "0 < (exp(c) - 1 + 2*sum(i, 1, n - 1, w(i)) - n)*(1/(exp(c) + n - 1))", "gap", use="top q_i"
            ).auto("gap value", **linear)
        else:
            up.intro("has").contra("against").have(
                "0 < exp(c) - 1 - 2*sum(i, 1, n - 1, w(i)) + n", "top", use="less log k_high", **linear
            )
            up.have("0 < (exp(c) - 1 - 2*sum(i, 1, n - 1, w(i)) + n)*(1/(exp(c) + n - 1))", "gap", use="top q_i").auto(
                "gap value has", **linear
            )
            down.intro("has").contra("against").auto("has w_is", **linear)
    w = "i. 2*I[i = 0] + I[i = 1]"
    z = "b i. I[b = 1]*(1 - I[i = 0] - I[i = 1]) + I[b = 2]*I[i = 1] + I[b = 3]*I[i = 0] + I[b = 4]*I[i = 1]"
    value = "(-1/2*(1 - I[i = 0] - I[i = 1]) + 1/2*I[i = 1] - 1/2*I[i = 0])"
    s = f"sum(i, 0, n - 1, clsweight(j. c*I[j = 1], n, i)*{value})"
    below.intro("small").witness(w, z, s)
    word = f"clsword({w}, n)"
    below.have(word, "word", bits_of_witness)
    net = f"flawednet(n, {w}, c, {z}, {s})"
    below.have(net, "net", net_of_witness)
    parts = below.split()
    below_facts(parts[-1], w, z, s)
    for h in parts[:-1]:
        h.use("word", label="first second").use("net", label="third fourth")
        h.easy("first", **linear)


def bits_of_witness(h: Goal) -> None:
    one, two = h.split()
    one.true()
    two.intro("i0 (low high)")
    for e in two.ind("i0 = 0", "zero v1"):
        for f in e.ind("i0 = 1", "one v2"):
            if not f.try_contradiction():
                f.rewrite("v1").rewrite("v2").easy()


def net_of_witness(h: Goal) -> None:
    one, two = h.split()
    one.intro("i0 (low high)")
    for e in one.ind("i0 = 0", "zero v1"):
        for f in e.ind("i0 = 1", "one v2"):
            if f.try_contradiction():
                continue
            f.rewrite("v1").rewrite("v2").easy()
    two.true()


def below_facts(h: Goal, w: str, z: str, s: str) -> None:
    h.use("lem:flawed_logit", "n", w, "c", z, s, "1", lambda e: counted(e), "#net", label="many single").use(
        "many", label="pos is yes no"
    )
    h.use("lem:exp_mono", "c", "log(n - 1)", label="most").use(
        "ax:exp_log", "n - 1", lambda e: e.auto("two", **linear), label="log"
    )
    h.positive("exp(c) + n - 1", "q", lambda e: e.hyp("pos"))
    h.have("0 <= (n - 1 - exp(c))*(1/(exp(c) + n - 1))", "gap", use="most log q_i")
    h.intro("claim").use("claim", label="claim1 claim2").use("claim2", "!", label="wrong").auto(
        "is gap wrong", **linear
    )


def counted(e: Goal) -> None:
    e.use("word", label="cls bits")
    for part in e.split():
        some(
            part,
            lambda f: f.easy("two", **linear),
            only_one,
        )


def only_one(f: Goal) -> None:
    def zero(h: Goal) -> None:
        h.intro("p (low high) other")
        for a in h.ind("p = 0", "zero v1"):
            for b in a.ind("p = 1", "one v2"):
                if b.try_contradiction():
                    continue
                if b.facts["one"][0] == "=":
                    b.absurd("one", "other")
                else:
                    b.rewrite("v1").rewrite("v2").true()

    f.use("lem:sum_only", "i. 2*I[i = 0] + I[i = 1]", "1", "n - 1", "1", None, zero, label="only").auto(
        "only", **linear
    )


SCRIPTS |= {
    "chiang2022.s5.2.threshold": Script(
        threshold_claim,
        witnesses("4", "1", others=[("2", "1", NET, ENTRIES, F2), ("3", "1/2")], leaf=threshold_leaf),
        whole("n c"),
    ),
    "chiang2022.s5.3.flawed": Script(
        flawed_log,
        witnesses("3", NET, ENTRIES, F3.format("(log(3)*1)"), "1", leaf=net_leaf),
        whole("n w z s k", lambda h: h.auto(["p1_1", zero_of(h)], **linear)),
    ),
    "chiang2022.prop3.noln.corrected": Script(
        noln,
        witnesses(
            "3", NET, ENTRIES, C3.format("(log(3)*1)"), others=[("1", "i. 2", "b i. I[b = 3]", "0")], leaf=net_leaf
        ),
        whole("n w z s"),
    ),
}


# --- Sigmoid and cross-entropy ----------------------------------------------------------------------------------------


def first_claim(g: Goal) -> None:
    g.intro("n w c z s (some cls bits c_pos) net").use(
        "lem:first_size", "n", "w", "c", "z", "s", label="bound up down size"
    )
    g.use("lem:sigmoid_facts", "s", label="a1 a2 a3 a4 a5 a6").use("lem:sigmoid_size", "s", label="dist")
    a, b, c, d = g.split()
    a.intro("has").use("a3", label="pos").use("up", label="done").hyp("done")
    b.intro("has").use("down", label="pos").use("a4", label="done").hyp("done")
    c.have("0 <= abs(s)", "nonneg", lambda e: e.apart("abs(s)")).use(
        "lem:sigmoid_facts", "abs(s)", label="b1 b2 b3 b4 b5 b6"
    ).use("b6", label="low high")
    c.auto("dist high bound nonneg", **linear)
    d.intro("m v x t (two more cls2 bits2) net2").use(
        "lem:first_size", "m", "v", "c", "x", "t", lambda e: e.easy(**linear), "#net2", label="bound2 up2 down2 size2"
    )
    d.use("size", label="pos1 is1").use("size2", lambda e: e.auto("two more", **linear), label="pos2 is2").use(
        "lem:sigmoid_size", "t", label="dist2"
    )
    d.use("ax:exp_pos", "c", label="up3").use(
        "lem:reciprocal_less",
        "exp(c) + n - 1",
        "exp(c) + m - 1",
        lambda e: e.easy("up3 two more", **linear),
        label="smaller",
    )
    d.have("0 < exp(c)*(1/(exp(c) + n - 1) - 1/(exp(c) + m - 1))", "gap", use="up3 smaller").have(
        "abs(t) < abs(s)", "less", use="gap is1 is2", **linear
    )
    d.use("lem:sigmoid_less", "abs(t)", "abs(s)", label="done").auto("done dist dist2", **linear)


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


C2 = "sum(i, 0, 1, clsweight(j. I[j = 1], 2, i)*(1/2*I[i = 1]))"


def sigmoid_whole(h: Goal) -> None:
    """1 + exp(-x) and n are not 0."""
    zero = zero_of(h)
    found = re.fullmatch(r"1 \+ exp\((.*)\) = 0", h.text(h.fact(zero)))
    if found is None:
        raise Stuck("not a sigmoid")
    h.use("ax:exp_pos", found.group(1), label="here").auto(["here", zero], **linear)


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
    "chiang2022.s3.3.first": Script(
        first_claim,
        witnesses(
            "3",
            NET,
            "1",
            ENTRIES,
            C3.format("1"),
            others=[("2", NET, "1", ENTRIES, C2, "3", NET, ENTRIES, C3.format("1"))],
            leaf=net_leaf,
        ),
        whole("n w c z s", sigmoid_whole),
    ),
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
