"""How far a perturbation grows through the layers, in the L1 norm (yang2026, Appendix C; Cookbook, Section 7)."""

from __future__ import annotations

import re

from script import Script, witnesses

from symcook.proof.search.tactics import Goal, Tactic

SCRIPTS: dict[str, Script] = {}


def each_part(leaf: Tactic) -> Tactic:
    """Every conjunct of the goal by `leaf`."""

    def run(g: Goal) -> None:
        for part in g.split():
            leaf(part)

    return run


# --- Norms ------------------------------------------------------------------------------------------------------------


# --- Theorem 26 -------------------------------------------------------------------------------------------------------


def zero_fact(h: Goal) -> str:
    """The label of what D assumes: a denominator that is zero."""
    return [k for k, f in h.facts.items() if f[0] == "=" and h.text(f).endswith(" = 0")][-1]


def nonzero(names: str = "") -> Tactic:
    """D: roots of positive numbers, counts of maxima and normalisers of softmax are not zero; the rest by `auto`."""

    def leaf(h: Goal) -> None:
        if h.try_contradiction() or h.try_auto(degree=1, rounds=0):
            return
        if h.goal[0] != "false":
            h.auto()
            return
        label = zero_fact(h)
        zero = h.text(h.facts[label])
        if root := re.fullmatch(r"sqrt\((.*)\) = 0", zero):
            h.use("ax:sqrt", root.group(1), None, label="low square").rewrite(label, "square", "bad").auto(degree=1)
        elif soft := re.fullmatch(r"sum\((\w+), 1, (.*?), exp\((.*)\)\) = 0", zero):
            name, top, score = soft.groups()
            h.use("lem:sm_total", f"{name}. {score}", top, label="normaliser").auto(
                f"normaliser {label}", degree=1, rounds=0
            )
        elif hard := re.fullmatch(r"sum\((\w+), 1, (.*?), I\[all .*? -> .* <= (.*)\]\) = 0", zero):
            name, top, score = hard.groups()
            h.use("lem:hm_count", f"{name}. {score}", top, label="count").auto(f"count {label}", degree=1, rounds=0)
        elif power := re.fullmatch(r"pow\((\w+), (\w+)\) = 0", zero):
            r, m = power.groups()
            h.use("lem:pow_grows", r, m, m, None, label="one two").auto(f"one {label}", degree=1, rounds=0)
        else:
            h.auto()

    return lambda g: g.leaves(names, leaf)


# --- Layers -----------------------------------------------------------------------------------------------------------


FACTOR = "2*(d^2*p^2 + 1)*(d*p + 1)"


def factor_one(g: Goal) -> Goal:
    """1 <= 2(d^2 p^2 + 1)(d p + 1) as `k_one`, 0 <= d p as `dp`."""
    g.have("0 <= p", "p_low", use="p_one").have("0 <= d", "d_low", use="some").have(
        "0 <= d*p", "dp", lambda h: h.auto("d_low p_low", rounds=0)
    )
    return g.have(
        f"1 <= {FACTOR}",
        "k_one",
        lambda h: (
            h.have("0 <= d^2*p^2", "dd", lambda e: e.auto("", degree=1, rounds=0, squares=["d*p"]))
            .have("0 <= d^2*p^2*(d*p)", "ddd", lambda e: e.auto("dd dp", rounds=0))
            .auto("dd ddd dp", degree=1, rounds=0)
        ),
    )


ZERO3, ZERO2 = "t a l. 0", "t a. 0"


# --- Gaps and limits --------------------------------------------------------------------------------------------------


def limit(g: Goal) -> None:
    g.intro("L d p Q K V W b U g n w X c h (some_L some p_one some_n X_one start layers) eps eps_low")
    names = ["L", "d", "p", "Q", "K", "V", "W", "b", "U", "g", "n", "w", "X", "c", "h"]
    g.use("lem:yang2026.lemma29", *names, None, label="sizes").use(
        "lem:yang2026.lemma25.corrected", "d", "L", "p", None, label="one"
    )
    g.obtain("one", "B", "B_one close")
    score = "dotscore(a l. Q(t, a, l), a l. K(t, a, l), d, a l. h(t - 1, a, l), i, j)"

    def given(q: Goal) -> None:
        for part in q.split():
            if part.goal[0] == "all":
                part.intro("t within i inside").use("layers", "t", None, label="window qb kb vb wb ub bb gb run")
                part.use("window", "i", None, label="low high").auto("low", degree=1, rounds=0)
            else:
                part.auto(degree=1, rounds=0)

    g.use("lem:gap_table", f"t i j. {score}", "w", "L", "n", given, label="gaps").obtain("gaps", "gamma", "g_low gap")
    A, C = "(B*X*n)", "(B*X^2)"
    g.have("0 <= B*X", "BX", lambda q: q.auto("B_one X_one", rounds=0)).have(
        f"0 <= {A}", "A_low", lambda q: q.auto("BX some_n", rounds=0)
    )
    g.have("1 <= X^2", "XX", lambda q: q.auto("X_one", rounds=0)).have(
        f"1 <= {C}", "C_one", lambda q: q.auto("XX B_one", rounds=0)
    ).have(f"0 <= {C}", "C_low", use="C_one")
    g.have(
        "0 < min(eps, 1) & min(eps, 1) <= eps & min(eps, 1) <= 1",
        "m_low m_eps m_one",
        lambda q: q.apart("min(eps, 1)", each_part(lambda r: r.auto(degree=1, rounds=0))),
    )
    g.use("lem:decay", "L", A, C, "gamma", "min(eps, 1)", None, label="fast").obtain(
        "fast", "top", "top_low top_one fall"
    )
    left, right = g.witness("top").split()
    left.hyp("top_low")
    g = right
    g.intro("tau u k (t_low t_top begin) soft").use("fall", "tau", None, label="small").have(
        "tau <= 1", "t_one", use="t_top top_one"
    )
    g.positive("tau", "t", lambda q: q.hyp("t_low")).have(
        "1 <= 1/tau", "t_up", lambda q: q.auto("t_one t_i t_e", rounds=0)
    )
    R, E = f"({C}/tau)", "exp(-gamma/tau)"
    g.have(f"1 <= {R}", "R_one", lambda q: q.auto("C_one t_up", rounds=0)).use(
        "ax:exp_pos", "-gamma/tau", label="E_low"
    )
    a = f"({A}*{E})"
    g.have(f"0 <= {a}", "a_low", lambda q: q.auto("A_low E_low", rounds=0))
    err = f"{{0}}*{a}*pow({R}, {{0}})"
    norm = "onenorm(a. h({0}, a, i) - k({0}, a, i), d)"

    def each(q: Goal) -> None:
        base, step = q.induct("t", "ge", "ih")
        base.intro("top1 i inside")

        def zero(s: Goal) -> None:
            s.intro("l inside1").use("begin", "i", None, "l", None, label="same").rewrite("same").auto(
                "", degree=1, rounds=0
            )

        base.use("lem:norm_ext", "a. h(0, a, i) - k(0, a, i)", "a. 0", "d", zero, label="none").use(
            "ax:abs_pos", "0", "!", label="v"
        )
        base.auto("none", degree=1, rounds=0)
        step.intro("top1").use("ih", None, label="before").have("0 <= t + 1", "t1").have("0 <= t", "t0")
        step.use("lem:pow_grows", R, "t", "t", None, label="pt_one un1").use(
            "lem:pow_grows", R, "t + 1", "L", None, label="pu_one pu_top"
        )
        step.use("lem:pow_grows", R, "t", "L", None, label="un2 pt_top")
        here = err.format("t")
        step.have(f"0 <= t*{a}", "ta", lambda s: s.auto("t0 a_low", rounds=0)).have(
            f"0 <= {here}", "err_low", lambda s: s.auto("ta pt_one", rounds=0)
        )
        step.have(
            f"{here} <= L*{a}*pow({R}, L)",
            "err_top",
            lambda s: (
                s.have(f"t*{a} <= L*{a}", "la", lambda r: r.have("t <= L", "tl", use="top1").auto("tl a_low", rounds=0))
                .have(f"t*{a}*pow({R}, t) <= t*{a}*pow({R}, L)", "x1", lambda r: r.auto("pt_top ta", rounds=0))
                .have(
                    f"t*{a}*pow({R}, L) <= L*{a}*pow({R}, L)",
                    "x2",
                    lambda r: r.have(f"0 <= pow({R}, L)", "pl", use="pu_one pu_top").auto("la pl", rounds=0),
                )
                .auto("x1 x2", degree=1, rounds=0)
            ),
        )
        step.have(f"{here} <= 1", "err_one", lambda s: s.auto("err_top small m_one", degree=1, rounds=0))
        step.use("layers", "t + 1", None, label="window qb kb vb wb ub bb gb run").use(
            "soft", "t + 1", None, label="soft_run"
        )
        step.use("gap", "t + 1", None, label="gap_here").have("t + 1 - 1 = t", "back", lambda s: s.true())
        mats = [
            "a l. Q(t + 1, a, l)",
            "a l. K(t + 1, a, l)",
            "a l. V(t + 1, a, l)",
            "a l. W(t + 1, a, l)",
            "a. b(t + 1, a)",
            "a l. U(t + 1, a, l)",
            "a. g(t + 1, a)",
        ]

        def window(s: Goal) -> None:
            s.intro("i inside").use("window", "i", None, label="w1 w2").use("gap_here", "i", None, label="w3")
            one, two, three = s.split()
            one.hyp("w1")
            two.hyp("w2")
            three.hyp("w3")

        def size(s: Goal) -> None:
            s.intro("i inside").use("sizes", "t", None, "i", None, label="s1 s2").auto("s1 s2", degree=1, rounds=0)

        proofs = (
            "some_n",
            "X_one",
            "g_low",
            "t_low",
            "t_one",
            "err_one",
            "qb",
            "kb",
            "vb",
            "wb",
            "ub",
            "bb",
            "gb",
            window,
            size,
            "before",
        )

        def given(s: Goal) -> None:
            for part, proof in zip(s.split(), proofs, strict=True):
                part.hyp(proof) if isinstance(proof, str) else proof(part)

        step.use(
            "close",
            *mats,
            "n",
            "i. w(t + 1, i)",
            "X",
            "gamma",
            "tau",
            here,
            "a i. h(t, a, i)",
            "a i. k(t, a, i)",
            "a i. c(t + 1, a, i)",
            "a i. h(t + 1, a, i)",
            "a i. u(t + 1, a, i)",
            "a i. k(t + 1, a, i)",
            given,
            "#run",
            "#soft_run",
            label="next",
        )
        step.intro("i inside").use("next", "i", None, label="done").use("ax:pow_step", R, "t", label="up")
        step.have(f"{a} <= {a}*pow({R}, t + 1)", "first", lambda s: s.auto("a_low pu_one", rounds=0))
        step.auto("done up first", degree=1, rounds=0, multipliers=[f"t*{a}", a])

    g.have(f"all t:Int. 0 <= t -> t <= L -> all i in 1..n. {norm.format('t')} <= {err.format('t')}", "each", each)
    g.intro("i inside").use("each", "L", None, None, "i", None, label="last").auto(
        "last small m_eps", degree=1, rounds=0
    )


AHAT_ZERO = ("2", "2", "1", ZERO3, ZERO3, ZERO3, ZERO3, ZERO2, ZERO3, ZERO2, "2", "t i. 2", "1", "t a i. 0", "t a i. 0")

SCRIPTS |= {
    "yang2026.s5.limit": Script(limit, witnesses(*AHAT_ZERO, "1"), nonzero()),
}


def chain25(g: Goal) -> None:
    g.intro("d L p (some some_L p_one)")
    factor_one(g)
    P = f"(pow({FACTOR}, L)*d)"
    g.use("lem:pow_grows", FACTOR, "L", "L", None, label="pw unused").have(
        f"1 <= {P}", "P_one", lambda h: h.auto("pw some", rounds=0)
    ).have(f"0 <= {P}", "P_low", use="P_one")
    g.use("lem:yang2026.lemma31", "d", "p", None, label="first").obtain("first", "B", "B_is B_one scores")
    g.have("0 <= B", "B_low", use="B_one").have(f"1 <= B*{P}", "BP", lambda h: h.auto("B_one P_one", rounds=0))
    K2 = f"(B*{P})"
    K3, K4 = f"(d*d*p*{P}*(2 + 4*{K2}))", "(d*p + 1)"
    K5 = f"({K3} + {K4}*{P})"
    g.have(
        "1 <= d*d*p",
        "ddp",
        lambda h: h.have("1 <= d*d", "dd", lambda e: e.auto("some", rounds=0)).auto("dd p_one", rounds=0),
    )
    g.have(f"1 <= d*d*p*{P}", "ddpP", lambda h: h.auto("ddp P_one", rounds=0)).have(
        f"1 <= {K3}", "K3", lambda h: h.auto("ddpP BP", rounds=0)
    )
    g.have(f"0 <= {K4}*{P}", "K4P", lambda h: h.have("0 <= d*p + 1", "k4", use="dp").auto("k4 P_low", rounds=0))
    a1, a2, a3, a4, a5, rest = g.witness("B", K2, K3, K4, K5).split()
    a1.hyp("B_one")
    a2.hyp("BP")
    a3.hyp("K3")
    a4.auto("dp", degree=1, rounds=0)
    a5.auto("K3 K4P", degree=1, rounds=0)
    g = rest
    g.intro("Q K V n w X H gamma tau eps x z c u")
    g.intro("(some_n X_one H_one g_low t_low t_one e_low e_one qb kb vb window sized top near hard soft) i (il ih)")
    g.use("window", "i", None, label="w_low w_high gap")
    g.use("scores", "Q", "K", "n", "x", "z", "H", "eps", None, label="every")
    g.positive("tau", "t", lambda h: h.hyp("t_low")).have(
        "1 <= 1/tau", "t_up", lambda h: h.auto("t_one t_i t_e", rounds=0)
    )
    sx, sz = ("dotscore(Q, K, d, x, i, {})", "dotscore(Q, K, d, z, i, {})")
    T = f"({K2}*X*eps)"
    g.have(f"H*eps <= {P}*X*eps", "He", lambda h: h.auto("top e_low", rounds=0)).have(
        f"B*H*eps <= {T}", "two", lambda h: h.auto("He B_low", rounds=0)
    )

    def close(h: Goal) -> None:
        h.intro("j (jl jh)").use(
            "every",
            "i",
            None,
            "j",
            each_part(lambda k: k.auto("jl jh w_high", degree=1, rounds=0)),
            label="here",
        )
        h.auto("here two", degree=1, rounds=0)

    g.have(f"all j in 1..w(i). abs({sx.format('j')} - {sz.format('j')}) <= {T}", "close", close)
    g.use(
        "lem:yang2026.lemma32",
        "w(i)",
        f"k. {sx.format('k')}",
        f"k. {sz.format('k')}",
        "gamma",
        T,
        "tau",
        None,
        label="weights",
    )
    E = "exp(-gamma/tau)"
    g.use("ax:exp_pos", "-gamma/tau", label="E_low").have(
        f"w(i)*{E} <= n*{E}", "more", lambda h: h.auto("w_high E_low", rounds=0)
    )
    far = f"(2*n*{E} + 4*{K2}*X*eps/tau)"
    hard, soft = f"hardmax(k. {sx.format('k')}, w(i), j)", f"sm(k. {sz.format('k')}/tau, w(i), j)"
    g.have(
        f"sum(j, 1, w(i), abs({hard} - {soft})) <= {far}", "far", lambda h: h.auto("weights more", degree=1, rounds=0)
    )
    g.use("hard", "i", None, label="c_is").use("soft", "i", None, label="u_is").use("near", "i", None, label="near_i")
    g.use("lem:sm_sum", f"k. {sz.format('k')}/tau", "w(i)", None, label="soft_one").have(
        "0 <= d*H", "dH", lambda h: h.have("0 <= H", "hl", use="H_one").auto("d_low hl", rounds=0)
    )

    def low(h: Goal) -> None:
        h.intro("j within").use("lem:sm_weight", f"k. {sz.format('k')}/tau", "w(i)", "j", None, label="a1 a2").auto(
            "a1", degree=1, rounds=0
        )

    def inside(h: Goal) -> None:
        [k.auto("jl jh w_high", degree=1, rounds=0) for k in h.split()]

    def zero(h: Goal) -> None:
        h.intro("a within l inside").use("ax:abs_pos", "0", "!", label="v").auto("v p_low", degree=1, rounds=0)

    def net(h: Goal) -> None:
        h.intro("a within").auto("", degree=1, rounds=0)

    parts = (
        "some",
        "p_one",
        "dH",
        "vb",
        zero,
        zero,
        low,
        "soft_one",
        "far",
        lambda h: (
            h.intro("j (jl jh)")
            .use("sized", "j", inside, label="entries")
            .use("lem:norm_box", "a. x(a, j)", "d", "H", None, "#entries", label="here")
            .hyp("here")
        ),
        lambda h: h.intro("j (jl jh)").use("near", "j", inside, label="here").hyp("here"),
        "near_i",
        "c_is",
        "u_is",
        net,
        net,
    )

    def given(h: Goal) -> None:
        for part, proof in zip(h.split(), parts, strict=True):
            part.hyp(proof) if isinstance(proof, str) else proof(part)

    g.use(
        "lem:layer_close",
        "d",
        "p",
        "V",
        "a l. 0",
        "a. 0",
        "a l. 0",
        "a. 0",
        "w(i)",
        f"j. {hard}",
        f"j. {soft}",
        "x",
        "z",
        "i",
        "a. c(a, i)",
        "a. c(a, i)",
        "a. u(a, i)",
        "a. u(a, i)",
        "(d*H)",
        "eps",
        far,
        given,
        label="c_near y_near",
    )
    g.have("0 <= X", "X_low", use="X_one").have("0 <= n", "n_low", use="some_n").have(
        f"0 <= n*{E}", "nE", lambda h: h.auto("n_low E_low", rounds=0)
    )
    g.have("1 <= X*(1/tau)", "xt", lambda h: h.auto("X_one t_up", rounds=0)).have(
        "eps <= X/tau*eps", "e_up", lambda h: h.auto("xt e_low", rounds=0)
    )
    g.have(
        f"0 <= {far}",
        "far_low",
        lambda h: (
            h.have(f"0 <= {K2}*X", "kx", lambda e: e.auto("BP X_low", rounds=0))
            .have(f"0 <= {K2}*X*eps", "kxe", lambda e: e.auto("kx e_low", rounds=0))
            .have(f"0 <= {K2}*X*eps*(1/tau)", "kxet", lambda e: e.auto("kxe t_i", rounds=0))
            .auto("kxet nE", degree=1, rounds=0)
        ),
    )
    g.have("0 <= d*d*p", "ddp_low", use="ddp")
    g.have(f"H*{far} <= {P}*X*{far}", "Hf", lambda h: h.auto("top far_low", rounds=0)).have(
        f"d*d*p*(H*{far}) <= d*d*p*({P}*X*{far})", "part", lambda h: h.auto("Hf ddp_low", rounds=0)
    )
    sum_ = f"X*(n*{E} + X*eps/tau)"
    g.have(f"0 <= X*(n*{E})", "Y_low", lambda h: h.auto("X_low nE", rounds=0)).have(
        "0 <= X*(X*eps/tau)",
        "Z_low",
        lambda h: h.have("0 <= X/tau*eps", "q", use="e_up e_low").auto("X_low q", rounds=0),
    )
    g.have(f"0 <= d*d*p*{P}", "D_low", use="ddpP").have(
        f"0 <= d*d*p*{P}*(4*{K2})", "D4", lambda h: h.auto("D_low BP", rounds=0)
    )
    g.have(
        f"d*d*p*({P}*X*{far}) <= {K3}*({sum_})",
        "main",
        lambda h: (
            h.have(f"0 <= d*d*p*{P}*2*(X*(X*eps/tau))", "q1", lambda e: e.auto("D_low Z_low", rounds=0))
            .have(f"0 <= d*d*p*{P}*(4*{K2})*(X*(n*{E}))", "q2", lambda e: e.auto("D4 Y_low", rounds=0))
            .auto("q1 q2", degree=1, rounds=0)
        ),
    )
    g.have("0 <= d*p + 1", "k4", use="dp").have(
        "(d*p + 1)*eps <= (d*p + 1)*(H*eps)",
        "last",
        lambda h: h.have("eps <= H*eps", "he", lambda e: e.auto("H_one e_low", rounds=0)).auto("he k4", rounds=0),
    )
    g.have(f"(d*p + 1)*(H*eps) <= (d*p + 1)*({P}*X*eps)", "five1", lambda h: h.auto("He k4", rounds=0))
    g.have(
        f"(d*p + 1)*{P}*(X*eps) <= (d*p + 1)*{P}*(X*(X/tau*eps))",
        "five2",
        lambda h: h.have("X*eps <= X*(X/tau*eps)", "q", lambda e: e.auto("e_up X_low", rounds=0)).auto(
            "q K4P", rounds=0
        ),
    )
    g.have(f"0 <= (d*p + 1)*{P}*(X*(n*{E}))", "five3", lambda h: h.auto("K4P Y_low", rounds=0))
    one, two, three, four, five = g.split()
    one.use("every", "i", None, label="row").hyp("row")
    two.auto("two", degree=1, rounds=0)
    three.hyp("far")
    four.auto("c_near part main last", degree=1, rounds=0)
    five.auto("five1 five2 five3", degree=1, rounds=0)


SCRIPTS |= {
    "yang2026.lemma25.chain.corrected": Script(chain25, witnesses("2", "1", "1"), nonzero()),
}


# --- Bounded activations ----------------------------------------------------------------------------------------------


# --- One changed symbol -----------------------------------------------------------------------------------------------
