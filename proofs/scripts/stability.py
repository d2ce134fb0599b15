"""How far a perturbation grows through the layers, in the L1 norm (yang2026, Appendix C; Cookbook, Section 7)."""

from __future__ import annotations

import re

from script import Script, witnesses

from symcook.proof.search.tactics import Goal, Tactic

SCRIPTS: dict[str, Script] = {}


def values(g: Goal) -> str:
    """The labels of the facts that `apart` and `sides` left."""
    return " ".join(k for k in g.facts if k[0] in "dv" and k[1:].isdigit())


def split_abs(g: Goal, terms: str, use: str = "") -> None:
    """Cases for the signs inside, then a linear step."""
    g.apart(terms, lambda h: h.auto(f"{use} {values(h)}", degree=1, rounds=0))


def each_part(leaf: Tactic) -> Tactic:
    """Every conjunct of the goal by `leaf`."""

    def run(g: Goal) -> None:
        for part in g.split():
            leaf(part)

    return run


# --- Norms ------------------------------------------------------------------------------------------------------------


def size_of_product(g: Goal, a: str, b: str, label: str) -> Goal:
    """abs(a*b) = abs(a)*abs(b)."""
    from layers import product_size

    return product_size(g, a, b, label)


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


def lemma25(g: Goal) -> None:
    g.intro("d L p (some some_L p_one)")
    factor_one(g)
    P = f"(pow({FACTOR}, L)*d)"
    g.use("lem:pow_grows", FACTOR, "L", "L", None, label="pw unused").have(
        f"1 <= {P}", "P_one", lambda h: h.auto("pw some", rounds=0)
    )
    g.have(f"0 <= {P}", "P_low", use="P_one")
    C1, C2 = f"2*d*p*{P}", f"12*d^2*p^3*{P}^2"
    inner = f"({C1} + {C2} + d*p + 1)"
    g.have(f"0 <= d*p*{P}", "dpP", lambda h: h.auto("dp P_low", rounds=0))
    g.have(
        f"0 <= {C2}",
        "C2_low",
        lambda h: h.have(
            "0 <= p*(d*p*(d*p))",
            "ppp",
            lambda e: e.have("0 <= d*p*(d*p)", "q", lambda f: f.auto("dp", rounds=0)).auto("q p_low", rounds=0),
        ).auto("ppp", rounds=0, squares=[P]),
    )
    g.have("0 <= d^2*p^2", "square", lambda h: h.auto("", degree=1, rounds=0, squares=["d*p"]))
    g.have(f"1 <= {inner}", "inner_one", lambda h: h.auto("dpP C2_low dp", degree=1, rounds=0))
    g.witness(f"(d^2*p^2 + 1)*{inner}")
    one, rest = g.split()
    one.auto("inner_one square", rounds=0)
    g = rest
    g.intro("Q K V W b U g n w X gamma tau eps x z c y u v")
    g.intro("(some_n X_one g_low t_low t_one e_one qb kb vb wb ub bb gb window sized near) hard soft i (il ih)")
    g.use("window", "i", None, label="w_low w_high gap")
    S = f"({P}*X)"
    g.have(f"1 <= {S}", "S_one", lambda h: h.auto("P_one X_one", rounds=0)).have(f"0 <= {S}", "S_low", use="S_one")
    g.use("near", "i", None, label="near_i").use("lem:norm_nonneg", "a. x(a, i) - z(a, i)", "d", label="norm_low").have(
        "0 <= eps", "e_low", use="near_i norm_low"
    )
    g.positive("tau", "t", lambda h: h.hyp("t_low")).have(
        "1 <= 1/tau", "t_up", lambda h: h.auto("t_one t_i t_e", rounds=0)
    )
    sx, sz = ("dotscore(Q, K, d, x, i, {})", "dotscore(Q, K, d, z, i, {})")
    T = f"(3*d*p^2*{S}*eps)"

    def inside(h: Goal, j: str) -> None:
        [k.auto(f"{j}l {j}h w_high", degree=1, rounds=0) for k in h.split()]

    def scores(h: Goal) -> None:
        h.intro("j (jl jh)").use("sized", "j", lambda q: inside(q, "j"), label="sj").use(
            "near", "j", lambda q: inside(q, "j"), label="nj"
        ).use("sized", "i", None, label="si")
        h.have("1 <= d", "some_m")
        args = ("d", "d", "p", S, "eps", "Q", "K", "l. x(l, i)", "l. x(l, j)", "l. z(l, i)", "l. z(l, j)")
        h.use("lem:score_norm", *args, None, label="dot")
        h.use("ax:sqrt", "d", None, label="r_low r_square").have(
            "1 <= sqrt(d)", "r_one", lambda f: f.contra("small").auto("small r_low r_square some_m")
        )
        h.positive("sqrt(d)", "r", lambda f: f.auto("r_one", degree=1, rounds=0)).have(
            "1/sqrt(d) <= 1", "r_less", lambda f: f.auto("r_e r_one r_i", rounds=0)
        )
        top = "sum(a, 1, d, matvec(Q, l. {0}(l, i), d, a)*matvec(K, l. {0}(l, j), d, a))"
        diff = f"({top.format('x')} - {top.format('z')})"
        size_of_product(h, "(1/sqrt(d))", diff, "size")
        h.use("ax:abs_pos", "1/sqrt(d)", None, label="whole").rewrite("whole", "size", "size_is")
        h.have(f"0 <= abs({diff})", "low", lambda f: split_abs(f, f"abs({diff})"))
        h.have(f"1/sqrt(d)*abs({diff}) <= abs({diff})", "less", lambda f: f.auto("r_less low", rounds=0))
        h.have(f"eps <= {S}", "small", use="e_one S_one").have(
            f"eps^2 <= {S}*eps", "ee", lambda f: f.auto("small e_low", rounds=0)
        )
        h.have(
            f"d*p^2*eps^2 <= d*p^2*({S}*eps)",
            "dpe",
            lambda f: f.have("0 <= d*p^2", "dpp", lambda q: q.auto("d_low", rounds=0, squares=["p"])).auto(
                "ee dpp", rounds=0
            ),
        )
        h.auto("less size_is dot dpe", degree=1, rounds=0)

    g.have(f"all j in 1..w(i). abs({sx.format('j')} - {sz.format('j')}) <= {T}", "scores", scores)
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
    far = f"(2*n*{E} + 4*{T}/tau)"
    hard, soft = f"hardmax(k. {sx.format('k')}, w(i), j)", f"sm(k. {sz.format('k')}/tau, w(i), j)"
    g.use("hard", "i", None, label="c_is y_is").use("soft", "i", None, label="u_is v_is")
    g.use("lem:sm_sum", f"k. {sz.format('k')}/tau", "w(i)", None, label="soft_one")

    def low(h: Goal) -> None:
        h.intro("j within").use("lem:sm_weight", f"k. {sz.format('k')}/tau", "w(i)", "j", None, label="a1 a2").auto(
            "a1", degree=1, rounds=0
        )

    parts = (
        "some",
        "p_one",
        "S_low",
        "vb",
        "wb",
        "ub",
        low,
        "soft_one",
        lambda h: h.auto("weights more", degree=1, rounds=0),
        lambda h: h.intro("j (jl jh)").use("sized", "j", lambda q: inside(q, "j"), label="here").hyp("here"),
        lambda h: h.intro("j (jl jh)").use("near", "j", lambda q: inside(q, "j"), label="here").hyp("here"),
        "near_i",
        "c_is",
        "u_is",
        "y_is",
        "v_is",
    )

    def given(h: Goal) -> None:
        for part, proof in zip(h.split(), parts, strict=True):
            part.hyp(proof) if isinstance(proof, str) else proof(part)

    g.use(
        "lem:layer_close",
        "d",
        "p",
        "V",
        "W",
        "b",
        "U",
        "g",
        "w(i)",
        f"j. {hard}",
        f"j. {soft}",
        "x",
        "z",
        "i",
        "a. c(a, i)",
        "a. y(a, i)",
        "a. u(a, i)",
        "a. v(a, i)",
        S,
        "eps",
        far,
        given,
        label="c_near y_near",
    )
    g.have("0 <= n", "n_low", use="some_n").have(f"0 <= n*{E}", "nE", lambda h: h.auto("n_low E_low", rounds=0))
    g.have("1 <= X*(1/tau)", "xt", lambda h: h.auto("X_one t_up", rounds=0)).have(
        "1 <= X*(X*(1/tau))", "xxt", lambda h: h.auto("xt X_one", rounds=0)
    )
    g.have("eps <= X*(X/tau*eps)", "e_up", lambda h: h.auto("xxt e_low", rounds=0))
    Y, Z = f"X*(n*{E})", "X*(X/tau*eps)"
    g.have(f"0 <= {Y}", "Y_low", lambda h: h.have("0 <= X", "xl", use="X_one").auto("nE xl", rounds=0)).have(
        f"0 <= {Z}", "Z_low", use="e_up e_low"
    )
    g.have("0 <= d*p + 1", "dp_one", use="dp")
    g.have(f"(d*p + 1)*eps <= (d*p + 1)*({Z})", "k1", lambda h: h.auto("e_up dp_one", rounds=0))
    g.have(
        f"0 <= ({C2} + d*p + 1)*({Y})",
        "k2",
        lambda h: h.have(f"0 <= {C2} + d*p + 1", "cc", use="C2_low dp", degree=1).auto("cc Y_low", rounds=0),
    )
    g.have(f"0 <= ({C1})*({Z})", "k3", lambda h: h.auto("dpP Z_low", rounds=0))
    rhs = f"{inner}*(X*(n*{E} + X/tau*eps))"
    g.have(f"d*p*({S}*{far} + eps) + eps <= {rhs}", "inside", lambda h: h.auto("k1 k2 k3", degree=1, rounds=0))
    g.have(
        f"d^2*p^2*(d*p*({S}*{far} + eps) + eps) <= d^2*p^2*({rhs})",
        "times",
        lambda h: h.auto("inside square", rounds=0),
    )
    g.auto("y_near inside times", degree=1, rounds=0)


ZERO3, ZERO2 = "t a l. 0", "t a. 0"


SCRIPTS |= {
    "yang2026.lemma25.corrected": Script(lemma25, witnesses("2", "1", "1"), nonzero()),
}


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


RUN = "sublayers({0}, kind, pre, post, eps, gain, shift, gain2, shift2, V, W, b, U, c, d, m, n, A, z, u, y)"


def prop71(g: Goal) -> None:
    g.intro("M d m k kind pre post eps gain shift gain2 shift2 V W b U c we P (some_M some some_m some_k eps_low)")
    g.have("0 <= d", "d_low", use="some")
    given = (
        "1 <= n & (all i in 1..n. 1 <= x(i) & x(i) <= k & onenorm(a. pe(i, a), d) <= P)"
        " & (all i in 1..n. all a in 1..d. z(0, a, i) = we(x(i), a) + pe(i, a))"
    )
    cube = "Int*Int*Int->Real"
    names = f"all n:Int, x:Int->Int, pe:Int*Int->Real, A:{cube}, z:{cube}, u:{cube}, y:{cube}."
    claim = f"{names} {given} & {RUN} -> all t in 0..{{0}}. all i in 1..n. onenorm(a. z(t, a, i), d) <= X"

    def each(h: Goal) -> None:
        base, step = h.induct("T", "ge", "ih")
        embedded(base.intro("top"))
        sublayer(step.intro("top"))

    statement = f"all T:Int. 0 <= T -> T <= M -> ex X:Real. 0 <= X & ({claim.format('T')})"
    g.have(statement, "each", each)
    g.use("each", "M", label="done").obtain("done", "X", "low all_runs").witness("X").hyp("all_runs")


def embedded(g: Goal) -> None:
    """The embeddings: at most the sum of the norms of all symbols' plus |P|."""
    total = "sum(e, 1, k, onenorm(a. we(e, a), d))"

    def low(h: Goal) -> None:
        h.intro("e within").use("lem:norm_nonneg", "a. we(e, a)", "d", label="here").hyp("here")

    g.use("lem:sum_nonneg", "e. onenorm(a. we(e, a), d)", "1", "k", low, label="total_low")
    g.have("0 <= abs(P) & P <= abs(P)", "P_low P_up", each_part(lambda h: split_abs(h, "abs(P)")))
    left, right = g.witness(f"{total} + abs(P)").split()
    left.auto("total_low P_low", degree=1, rounds=0)
    right.intro("n x pe A z u y (some_n letters start run) t (tl th) i inside")
    right.have("t = 0", "t_is", use="tl th").rewrite("t_is")
    right.use("letters", "i", None, label="xl xh pe_size").use("start", "i", None, label="z_is")
    right.use("lem:norm_ext", "a. z(0, a, i)", "a. we(x(i), a) + pe(i, a)", "d", "#z_is", label="equal")
    right.use("lem:norm_triangle", "a. we(x(i), a)", "a. pe(i, a)", "d", label="triangle")
    right.use("lem:sum_member", "e. onenorm(a. we(e, a), d)", "1", "k", "x(i)", None, low, label="one")
    right.auto("equal triangle one pe_size P_up", degree=1, rounds=0)


def sublayer(g: Goal) -> None:
    """One more sublayer, with explicit growth."""
    g.use("ih", None, label="before").obtain("before", "S", "S_low old").use("eps_low", "T + 1", None, label="e_low")
    G1 = "(d*onenorm(a. gain(T + 1, a), d) + onenorm(a. shift(T + 1, a), d))"
    G2 = "(d*onenorm(a. gain2(T + 1, a), d) + onenorm(a. shift2(T + 1, a), d))"
    for name in ("gain", "shift", "gain2", "shift2"):
        g.use("lem:norm_nonneg", f"a. {name}(T + 1, a)", "d", label=f"{name}_low")
    for G, one, two, label in ((G1, "gain", "shift", "G1_low"), (G2, "gain2", "shift2", "G2_low")):
        g.have(
            f"0 <= {G}",
            label,
            lambda h, one=one, two=two: h.have(
                f"0 <= d*onenorm(a. {one}(T + 1, a), d)", "part", lambda e: e.auto(f"d_low {one}_low", rounds=0)
            ).auto(f"part {two}_low", degree=1, rounds=0),
        )
    g.use("lem:entry_total", "a l. V(T + 1, a, l)", "d", "d", label="v_low v_each")
    g.use("lem:entry_total", "a l. W(T + 1, a, l)", "m", "d", label="w_low w_each")
    g.use("lem:entry_total", "a l. U(T + 1, a, l)", "d", "m", label="u_low u_each")
    for name, size in (("b", "m"), ("c", "d")):
        g.use("lem:norm_nonneg", f"a. {name}(T + 1, a)", size, label=f"{name}_low")
    p1 = "entrytotal(a l. V(T + 1, a, l), d, d)"
    p2 = (
        "(entrytotal(a l. W(T + 1, a, l), m, d) + entrytotal(a l. U(T + 1, a, l), d, m)"
        " + onenorm(a. b(T + 1, a), m) + onenorm(a. c(T + 1, a), d))"
    )
    lows = "w_low u_low b_low c_low"
    g.have(f"0 <= {p2}", "p2_low", lambda h: h.auto(lows, degree=1, rounds=0))
    S1 = f"(S + {G1})"
    att = f"d*{p1}*{S1}"
    net = f"(d*{p2}*(m*{p2}*{S1} + m*{p2}) + d*{p2})"
    g.have(f"0 <= {S1}", "S1_low", use="S_low G1_low", degree=1)
    g.have(f"0 <= d*{p1}", "dp1", lambda h: h.auto("d_low v_low", rounds=0)).have(
        f"0 <= {att}", "att_low", lambda h: h.auto("dp1 S1_low", rounds=0)
    )
    g.have(f"0 <= d*{p2}", "dp2", lambda h: h.auto("d_low p2_low", rounds=0)).have(
        f"0 <= m*{p2}", "mp2", lambda h: h.auto("some_m p2_low", rounds=0)
    )
    g.have(f"0 <= m*{p2}*{S1}", "mp2S", lambda h: h.auto("mp2 S1_low", rounds=0)).have(
        f"0 <= d*{p2}*(m*{p2}*{S1} + m*{p2})",
        "net1",
        lambda h: h.have(f"0 <= m*{p2}*{S1} + m*{p2}", "q", use="mp2S mp2", degree=1).auto("dp2 q", rounds=0),
    ).have(f"0 <= {net}", "net_low", use="net1 dp2", degree=1)
    left, right = g.witness(f"S + {att} + {net} + {G2}").split()
    left.auto("S_low att_low net_low G2_low", degree=1, rounds=0)
    g = right
    g.intro("n x pe A z u y (some_n letters start run)")

    def shorter(h: Goal) -> None:
        one, two, three, four = h.split()
        one.hyp("some_n")
        two.hyp("letters")
        three.hyp("start")
        four.intro("t (tl th) i inside").use("run", "t", None, "i", None, label="here").hyp("here")

    g.use("old", "n", "x", "pe", "A", "z", "u", "y", shorter, label="sizes")
    g.intro("t (tl th) i inside")
    early, late = g.em("t <= T", "side")
    early.use("sizes", "t", None, "i", None, label="here").auto("here att_low net_low G2_low", degree=1, rounds=0)
    g = late
    g.use("ax:int_lt", "T", "t", label="up").have("t = T + 1", "t_is", use="up th").rewrite("t_is")
    g.have("T + 1 - 1 = T", "back", lambda h: h.true())

    def seen(h: Goal) -> None:
        """Everything that the sublayer reads has norm at most S1."""
        h.intro("j (jl jh)").use("run", "T + 1", None, "j", None, label="n1 n2 n3 n4").use(
            "sizes", "T", None, "j", None, label="zj"
        )
        h.use(
            "lem:ln_size",
            "d",
            "pre(T + 1)",
            "a. z(T + 1 - 1, a, j)",
            "eps(T + 1)",
            "a. gain(T + 1, a)",
            "a. shift(T + 1, a)",
            "a. u(T + 1, a, j)",
            None,
            "#n1",
            label="norm",
        )
        h.auto("norm zj", degree=1, rounds=0)

    g.have(f"all j in 1..n. onenorm(a. u(T + 1, a, j), d) <= {S1}", "seen", seen)
    g.use("run", "T + 1", None, "i", None, label="n1 n2 n3 n4").use("sizes", "T", None, "i", None, label="zi").use(
        "seen", "i", None, label="ui"
    )
    total = f"onenorm(a. y(T + 1, a, i), d) <= S + {att} + {net}"

    def before_norm(h: Goal) -> None:
        attention, network = h.em("kind(T + 1) = 0", "which")
        attention.use("n2", "#which", label="a_low a_one y_is")
        v = "matvec(e f. V(T + 1, e, f), f. u(T + 1, f, j), d, a)"

        def image(e: Goal) -> None:
            e.intro("j within").use("seen", "j", None, label="norm")
            e.use(
                "lem:norm_matrix",
                "a l. V(T + 1, a, l)",
                "d",
                "d",
                p1,
                "l. u(T + 1, l, j)",
                None,
                "#v_each",
                label="image",
            )
            e.have(f"d*{p1}*onenorm(l. u(T + 1, l, j), d) <= {att}", "times", lambda q: q.auto("norm dp1", rounds=0))
            e.auto("image times", degree=1, rounds=0)

        attention.use("lem:mean_norm", "j. A(T + 1, i, j)", f"a j. {v}", "n", "d", att, image, label="mean")

        def same(e: Goal) -> None:
            e.intro("j within").use("a_low", "j", None, label="low").use(
                "ax:abs_pos", "A(T + 1, i, j)", None, label="v"
            ).hyp("v")

        attention.use("lem:sum_ext", "j. abs(A(T + 1, i, j))", "j. A(T + 1, i, j)", "1", "n", same, label="total")
        attention.have(
            f"{att}*sum(j, 1, n, abs(A(T + 1, i, j))) <= {att}",
            "most",
            lambda e: e.have("sum(j, 1, n, abs(A(T + 1, i, j))) <= 1", "q", use="total a_one", degree=1).auto(
                "q att_low", rounds=0
            ),
        )
        whole = f"sum(j, 1, n, A(T + 1, i, j)*{v})"
        attention.use(
            "lem:norm_ext", "a. y(T + 1, a, i)", f"a. {whole} + z(T + 1 - 1, a, i)", "d", "#y_is", label="equal"
        )
        attention.use("lem:norm_triangle", f"a. {whole}", "a. z(T, a, i)", "d", label="triangle")
        attention.auto("equal triangle mean most zi net_low", degree=1, rounds=0)
        network.use("n3", "#which", label="y_is")
        matrices = "e f. W(T + 1, e, f), e. b(T + 1, e), e f. U(T + 1, e, f), e. c(T + 1, e)"
        out = f"ffnout({matrices}, d, m, f. u(T + 1, f, i), a)"

        def bound(e: Goal, label: str) -> None:
            e.intro("a1 inside1 l1 inside2").use(label, "a1", None, "l1", None, label="here").auto(
                f"here {lows}", degree=1, rounds=0
            )

        def bias(e: Goal, name: str, size: str) -> None:
            e.intro("a1 inside1").use("lem:norm_entry", f"a. {name}(T + 1, a)", size, "a1", None, label="here")
            e.auto(f"here {lows}", degree=1, rounds=0)

        def given(e: Goal) -> None:
            proofs = (
                lambda q: q.hyp("some_m"),
                lambda q: q.hyp("d_low"),
                lambda q: q.hyp("p2_low"),
                lambda q: bound(q, "w_each"),
                lambda q: bound(q, "u_each"),
                lambda q: bias(q, "b", "m"),
                lambda q: bias(q, "c", "d"),
            )
            for part, proof in zip(e.split(), proofs, strict=True):
                proof(part)

        network.use(
            "lem:ffn_size",
            "a l. W(T + 1, a, l)",
            "a. b(T + 1, a)",
            "a l. U(T + 1, a, l)",
            "a. c(T + 1, a)",
            "d",
            "m",
            "d",
            p2,
            "l. u(T + 1, l, i)",
            given,
            label="size",
        )
        network.use("lem:norm_ext", "a. y(T + 1, a, i)", f"a. {out} + z(T + 1 - 1, a, i)", "d", "#y_is", label="equal")
        network.use("lem:norm_triangle", f"a. {out}", "a. z(T, a, i)", "d", label="triangle")
        network.have(
            f"d*{p2}*(m*{p2}*onenorm(l. u(T + 1, l, i), d)) <= d*{p2}*(m*{p2}*{S1})",
            "most",
            lambda e: e.have(
                f"m*{p2}*onenorm(l. u(T + 1, l, i), d) <= m*{p2}*{S1}", "q", lambda f: f.auto("ui mp2", rounds=0)
            ).auto("q dp2", rounds=0),
        )
        network.auto("equal triangle size most zi att_low", degree=1, rounds=0)

    g.have(total, "y_size", before_norm)
    g.use(
        "lem:ln_size",
        "d",
        "post(T + 1)",
        "a. y(T + 1, a, i)",
        "eps(T + 1)",
        "a. gain2(T + 1, a)",
        "a. shift2(T + 1, a)",
        "a. z(T + 1, a, i)",
        None,
        "#n4",
        label="last",
    ).auto("last y_size", degree=1, rounds=0)


SCRIPTS |= {
    "cookbook.s7.2.prop7.1": Script(
        prop71,
        witnesses(
            "2",
            "2",
            "0",
            "2",
            "t. 0",
            "t. 0",
            "t. 0",
            "t. 0",
            "t a. 0",
            "t a. 0",
            "t a. 0",
            "t a. 0",
            ZERO3,
            ZERO3,
            ZERO2,
            ZERO3,
            ZERO2,
            "e a. 0",
            "0",
        ),
        nonzero(),
    )
}


# --- One changed symbol -----------------------------------------------------------------------------------------------


SOFT = "softlayers({0}, kind, Q, K, V, W, b, U, c, d, q, m, n, {1})"


def hahn(g: Goal) -> None:
    g.intro("M d q m k kind Q K V W b U c we P (some_M some some_q some_m some_k)").have(
        "0 <= d", "d_low", use="some"
    ).have("0 <= q", "q_low", use="some_q")
    names = "all n:Int, x:Int->Int, y:Int->Int, p:Int, pe:Int*Int->Real, z:Int*Int*Int->Real, u:Int*Int*Int->Real."
    given = (
        "1 <= n & 1 <= p & p <= n"
        " & (all i in 1..n. 1 <= x(i) & x(i) <= k & 1 <= y(i) & y(i) <= k & onenorm(a. pe(i, a), d) <= P)"
        " & (all i in 1..n. i != p -> x(i) = y(i))"
        " & (all i in 1..n. all a in 1..d. z(0, a, i) = we(x(i), a) + pe(i, a) & u(0, a, i) = we(y(i), a) + pe(i, a))"
    )
    shown = (
        "all i in 1..n. onenorm(a. z({0}, a, i), d) <= S & onenorm(a. u({0}, a, i), d) <= S"
        " & (i != p -> n*onenorm(a. z({0}, a, i) - u({0}, a, i), d) <= B)"
    )
    claim = f"{names} {given} & {SOFT.format('T', 'z')} & {SOFT.format('T', 'u')} -> {shown.format('T')}"

    def each(h: Goal) -> None:
        base, step = h.induct("T", "ge", "ih")
        hahn_base(base.intro("top"))
        hahn_step(step.intro("top"))

    g.have(f"all T:Int. 0 <= T -> T <= M -> ex S:Real, B:Real. 0 <= S & 0 <= B & ({claim})", "each", each)
    g.use("each", "M", label="done").obtain("done", "S", "rest").obtain("rest", "B", "S_low B_low every")
    g.witness("B").intro("n x y p pe z u given i inside off")
    g.use("given", label="some_n pl ph letters same start run_z run_u").positive(
        "n", "n", lambda h: h.auto("some_n", degree=1, rounds=0)
    )
    g.use("every", "n", "x", "y", "p", "pe", "z", "u", "#given", "i", None, label="s1 s2 s3").use(
        "s3", "#off", label="moved"
    )
    norm = "onenorm(a. z(M, a, i) - u(M, a, i), d)"
    g.have(f"n*{norm}*(1/n) <= B*(1/n)", "t", lambda h: h.auto("moved n_i", rounds=0)).auto(
        "t n_e", degree=1, rounds=0, multipliers=[norm]
    )


def hahn_base(g: Goal) -> None:
    total = "sum(e, 1, k, onenorm(a. we(e, a), d))"

    def low(h: Goal) -> None:
        h.intro("e within").use("lem:norm_nonneg", "a. we(e, a)", "d", label="here").hyp("here")

    g.use("lem:sum_nonneg", "e. onenorm(a. we(e, a), d)", "1", "k", low, label="total_low")
    g.have("0 <= abs(P) & P <= abs(P)", "P_low P_up", each_part(lambda h: split_abs(h, "abs(P)")))
    one, two, rest = g.witness(f"{total} + abs(P)", "0").split()
    one.auto("total_low P_low", degree=1, rounds=0)
    two.true()
    rest.intro("n x y p pe z u (some_n pl ph letters same start run_z run_u) i inside")
    rest.use("letters", "i", None, label="xl xh yl yh pe_size").use("start", "i", None, label="z_is")
    a, b, c = rest.split()
    for h, run, word in ((a, "z", "x"), (b, "u", "y")):

        def value(e: Goal, run: str = run) -> None:
            e.intro("a0 within0").use("z_is", "a0", None, label="r1 r2").hyp("r1" if run == "z" else "r2")

        h.use("lem:norm_ext", f"a. {run}(0, a, i)", f"a. we({word}(i), a) + pe(i, a)", "d", value, label="equal")
        h.use("lem:norm_triangle", f"a. we({word}(i), a)", "a. pe(i, a)", "d", label="triangle")
        h.use("lem:sum_member", "e. onenorm(a. we(e, a), d)", "1", "k", f"{word}(i)", None, low, label="one")
        h.auto("equal triangle one pe_size P_up", degree=1, rounds=0)
    c.intro("off").use("same", "i", None, "#off", label="eq")

    def zero(e: Goal) -> None:
        e.intro("a0 within0").use("z_is", "a0", None, label="r1 r2").rewrite("r1").rewrite("r2").rewrite("eq").auto(
            "", degree=1, rounds=0
        )

    c.use("lem:norm_ext", "a. z(0, a, i) - u(0, a, i)", "a. 0", "d", zero, label="none").use(
        "ax:abs_pos", "0", "!", label="v"
    )
    c.have("onenorm(a. z(0, a, i) - u(0, a, i), d) = 0", "nothing", lambda h: h.auto("none", degree=1, rounds=0)).auto(
        "nothing", degree=1, rounds=0, multipliers=["n"]
    )


def hahn_step(g: Goal) -> None:
    g.use("ih", None, label="before").obtain("before", "S", "rest").obtain("rest", "B", "S_low B_low old")
    at = {name: f"{name}(T + 1, e, f)" for name in "QKVWU"}
    mats = {name: f"e f. {body}" for name, body in at.items()}
    bias_b, bias_c = "e. b(T + 1, e)", "e. c(T + 1, e)"
    sizes = {"Q": ("q", "d"), "K": ("q", "d"), "V": ("d", "d"), "W": ("m", "d"), "U": ("d", "m")}
    for name, (r, c) in sizes.items():
        g.use("lem:entry_total", mats[name], r, c, label=f"{name}_low {name}_each")
    g.use("lem:norm_nonneg", bias_b, "m", label="b_low").use("lem:norm_nonneg", bias_c, "d", label="c_low")
    total = {name: f"entrytotal({mats[name]}, {r}, {c})" for name, (r, c) in sizes.items()}
    p1, pk = total["V"], f"({total['Q']} + {total['K']})"
    p2 = f"({total['W']} + {total['U']} + onenorm({bias_b}, m) + onenorm({bias_c}, d))"
    g.have(f"0 <= {pk}", "pk_low", use="Q_low K_low", degree=1).have(
        f"0 <= {p2}", "p2_low", use="W_low U_low b_low c_low", degree=1
    )

    def bounded(name: str, size: str, p: str, label: str, lows: str) -> None:
        r, c = sizes[name]

        def proof(h: Goal) -> None:
            h.intro("a1 inside1 l1 inside2").use(f"{name}_each", "a1", None, "l1", None, label="here").auto(
                f"here {lows}", degree=1, rounds=0
            )

        g.have(f"entrybound({mats[name]}, {r}, {c}, {p})", label, proof)

    bounded("Q", "q", pk, "Qb", "Q_low K_low")
    bounded("K", "q", pk, "Kb", "Q_low K_low")
    bounded("W", "m", p2, "Wb", "W_low U_low b_low c_low")
    bounded("U", "d", p2, "Ub", "W_low U_low b_low c_low")
    Y, yb = f"(d*{p1}*S)", f"(d*{p1}*B)"
    g.have(f"0 <= d*{p1}", "dp1", lambda h: h.auto("d_low V_low", rounds=0)).have(
        f"0 <= {Y}", "Y_low", lambda h: h.auto("dp1 S_low", rounds=0)
    ).have(f"0 <= {yb}", "yb_low", lambda h: h.auto("dp1 B_low", rounds=0))
    qp = f"(q*{pk}^2)"
    g.have(f"0 <= {qp}", "qp", lambda h: h.auto("q_low", rounds=0, squares=[pk]))
    sigma, tau = f"(3*{qp}*S^2)", f"(2*{qp}*S*B + {qp}*B^2)"
    g.have(f"0 <= {qp}*S", "qpS", lambda h: h.auto("qp S_low", rounds=0)).have(
        f"0 <= {qp}*S*B", "qpSB", lambda h: h.auto("qpS B_low", rounds=0)
    )
    g.have(f"0 <= {qp}*B^2", "qpBB", lambda h: h.auto("qp", rounds=0, squares=["B"])).have(
        f"0 <= {tau}", "tau_low", use="qpSB qpBB", degree=1
    )
    net = f"(d*{p2}*(m*{p2}*S + m*{p2}) + d*{p2})"
    kb = f"(d*{p2}*m*{p2})"
    g.have(f"0 <= d*{p2}", "dp2", lambda h: h.auto("d_low p2_low", rounds=0)).have(
        f"0 <= m*{p2}", "mp2", lambda h: h.auto("some_m p2_low", rounds=0)
    )
    g.have(
        f"0 <= m*{p2}*S + m*{p2}",
        "mpS",
        lambda h: h.have(f"0 <= m*{p2}*S", "t", lambda e: e.auto("mp2 S_low", rounds=0)).auto(
            "t mp2", degree=1, rounds=0
        ),
    )
    g.have(
        f"0 <= {net}",
        "net_low",
        lambda h: h.have(f"0 <= d*{p2}*(m*{p2}*S + m*{p2})", "t", lambda e: e.auto("dp2 mpS", rounds=0)).auto(
            "t dp2", degree=1, rounds=0
        ),
    )
    g.have(f"0 <= {kb}", "kb_low", lambda h: h.auto("dp2 mp2", rounds=0)).have(
        f"0 <= {kb}*B", "kbB", lambda h: h.auto("kb_low B_low", rounds=0)
    )
    more = f"({Y}*(4*{tau} + 4*exp(2*{sigma})) + {yb} + 2*{Y}*exp(2*{sigma}))"
    g.use("ax:exp_pos", f"2*{sigma}", label="E_low")
    g.have(
        f"0 <= {more}",
        "more_low",
        lambda h: (
            h.have(f"0 <= {Y}*{tau}", "t1", lambda e: e.auto("Y_low tau_low", rounds=0))
            .have(f"0 <= {Y}*exp(2*{sigma})", "t2", lambda e: e.auto("Y_low E_low", rounds=0))
            .auto("t1 t2 yb_low", degree=1, rounds=0)
        ),
    )
    one, two, rest = g.witness(f"S + {Y} + {net}", f"B + {more} + {kb}*B").split()
    one.auto("S_low Y_low net_low", degree=1, rounds=0)
    two.auto("B_low more_low kbB", degree=1, rounds=0)
    g = rest
    g.intro("n x y p pe z u (some_n pl ph letters same start run_z run_u)")

    def shorter(h: Goal) -> None:
        for part, label in zip(
            h.split(), ("some_n", "pl", "ph", "letters", "same", "start", "run_z", "run_u"), strict=True
        ):
            if label.startswith("run"):
                part.intro("t (tl th) i inside").use(label, "t", None, "i", None, label="here").hyp("here")
            else:
                part.hyp(label)

    g.use("old", "n", "x", "y", "p", "pe", "z", "u", shorter, label="sizes").positive(
        "n", "n", lambda h: h.auto("some_n", degree=1, rounds=0)
    )
    g.have("T + 1 - 1 = T", "back", lambda h: h.true())
    g.intro("i inside").use("sizes", "i", None, label="zi ui mi")
    for run in "zu":
        g.use(f"run_{run}", "T + 1", None, "i", None, label=f"{run}_att {run}_net")
    key = "keyscore(e f. Q(T + 1, e, f), e f. K(T + 1, e, f), d, q, e f. {0}(T, e, f), i, {1})"
    img = "matvec(e f. V(T + 1, e, f), f. {0}(T, f, j), d, a)"
    out = "ffnout(e f. W(T + 1, e, f), e. b(T + 1, e), e f. U(T + 1, e, f), e. c(T + 1, e), d, m, f. {0}(T, f, i), a)"
    attention, network = g.em("kind(T + 1) = 0", "which")

    # attention
    h = attention
    h.use("z_att", "#which", label="z_is").use("u_att", "#which", label="u_is")

    def image(e: Goal, run: str) -> None:
        e.use("sizes", "j", None, label="zj uj mj")
        e.use("lem:norm_matrix", mats["V"], "d", "d", p1, f"f. {run}(T, f, j)", None, "#V_each", label=f"image_{run}")
        norm = f"onenorm(f. {run}(T, f, j), d)"
        e.have(f"d*{p1}*{norm} <= {Y}", f"times_{run}", lambda k: k.auto(f"{run}j dp1", rounds=0))

    for run in "zu":

        def size(e: Goal, run: str = run) -> None:
            e.intro("j within")
            image(e, run)
            e.auto(f"image_{run} times_{run}", degree=1, rounds=0)

        score = f"l. {key.format(run, 'l')}"
        h.use(
            "lem:mean_norm", f"j. sm({score}, n, j)", f"a j. {img.format(run)}", "n", "d", Y, size, label=f"mean_{run}"
        )

        def same(e: Goal, score: str = score) -> None:
            e.intro("j within").use("lem:sm_weight", score, "n", "j", None, label="low high").use(
                "ax:abs_pos", f"sm({score}, n, j)", None, label="v"
            ).hyp("v")

        h.use("lem:sum_ext", f"j. abs(sm({score}, n, j))", f"j. sm({score}, n, j)", "1", "n", same, label=f"abs_{run}")
        h.use("lem:sm_sum", score, "n", None, label=f"one_{run}")
        whole = f"sum(j, 1, n, sm({score}, n, j)*{img.format(run)})"
        h.use(
            "lem:norm_ext",
            f"a. {run}(T + 1, a, i)",
            f"a. {whole} + {run}(T, a, i)",
            "d",
            f"#{run}_is",
            label=f"equal_{run}",
        )
        h.use("lem:norm_triangle", f"a. {whole}", f"a. {run}(T, a, i)", "d", label=f"tri_{run}")
        h.have(
            f"onenorm(a. {run}(T + 1, a, i), d) <= S + {Y}",
            f"size_{run}",
            lambda e, run=run: e.auto(
                f"mean_{run} abs_{run} one_{run} equal_{run} tri_{run} {run}i", degree=1, rounds=0, multipliers=[Y]
            ),
        )
    s1, s2, s3 = h.split()
    s1.auto("size_z net_low", degree=1, rounds=0)
    s2.auto("size_u net_low", degree=1, rounds=0)
    h = s3
    h.intro("off").use("mi", "#off", label="moved_i")

    def scores(e: Goal) -> None:
        e.intro("j within").use("sizes", "j", None, label="zj uj mj")
        for part, run in zip(e.split(), "zu", strict=True):
            query, keys = (
                f"matvec({mats[name]}, f. {run}(T, f, {at_}), d, a)" for name, at_ in (("Q", "i"), ("K", "j"))
            )
            top = f"sum(a, 1, q, {query}*{keys})"
            part.use(
                "lem:score_norm",
                "d",
                "q",
                pk,
                "S",
                "S",
                mats["Q"],
                mats["K"],
                f"f. {run}(T, f, i)",
                f"f. {run}(T, f, j)",
                "f. 0",
                "f. 0",
                None,
                label="dot",
            )
            part.use("lem:key_scale", top, "q", None, label="scale").auto("dot scale", degree=1, rounds=0)

    h.have(
        f"all j in 1..n. abs({key.format('z', 'j')}) <= {sigma} & abs({key.format('u', 'j')}) <= {sigma}",
        "small",
        scores,
    )

    def close(norm: str, e: Goal, label: str, where: str) -> None:
        """norm <= B/n from n*norm <= B."""
        e.have(
            f"{norm} <= B*(1/n)",
            label,
            lambda k: k.have(f"n*{norm}*(1/n) <= B*(1/n)", "t", lambda f: f.auto(f"{where} n_i", rounds=0)).auto(
                "t n_e", degree=1, rounds=0, multipliers=[norm]
            ),
        )

    def near(e: Goal) -> None:
        e.intro("j within other").use("sizes", "j", None, label="zj uj mj").use("mj", "#other", label="moved_j")
        close("onenorm(f. z(T, f, i) - u(T, f, i), d)", e, "ci", "moved_i")
        close("onenorm(f. z(T, f, j) - u(T, f, j), d)", e, "cj", "moved_j")
        e.have("0 <= B*(1/n)", "Bn", lambda k: k.auto("B_low n_i", rounds=0))
        e.use(
            "lem:score_norm",
            "d",
            "q",
            pk,
            "S",
            "B*(1/n)",
            mats["Q"],
            mats["K"],
            "f. z(T, f, i)",
            "f. z(T, f, j)",
            "f. u(T, f, i)",
            "f. u(T, f, j)",
            None,
            label="dot",
        )
        top = f"sum(a, 1, q, matvec({mats['Q']}, f. {{0}}(T, f, i), d, a)*matvec({mats['K']}, f. {{0}}(T, f, j), d, a))"
        diff = f"({top.format('z')} - {top.format('u')})"
        e.use("lem:key_scale", diff, "q", None, label="scale")
        bound = f"(2*{qp}*S*(B*(1/n)) + {qp}*(B*(1/n))^2)"
        score = f"abs({key.format('z', 'j')} - {key.format('u', 'j')})"
        e.have(f"{score} <= {bound}", "gap", lambda k: k.auto("dot scale", degree=1, rounds=0))
        e.have(f"n*{score} <= n*{bound}", "times", lambda k: k.auto("gap n_p", rounds=0))
        e.have("1/n <= 1", "n_less", lambda k: k.auto("n_e n_i some_n", rounds=0))
        e.have(f"{qp}*B^2*(1/n) <= {qp}*B^2", "last", lambda k: k.auto("n_less qpBB", rounds=0))
        e.auto("times last n_e", degree=1, rounds=0, multipliers=[f"2*{qp}*S*B", f"{qp}*B^2*(1/n)"])

    def images(e: Goal) -> None:
        e.intro("j within")
        for part, run in zip(e.split(), "zu", strict=True):
            image(part, run)
            part.auto(f"image_{run} times_{run}", degree=1, rounds=0)

    def shifted(e: Goal) -> None:
        e.intro("j within other").use("sizes", "j", None, label="zj uj mj").use("mj", "#other", label="moved_j")
        e.use("lem:norm_matrix", mats["V"], "d", "d", p1, "f. z(T, f, j) - u(T, f, j)", None, "#V_each", label="image")
        norm = "onenorm(f. z(T, f, j) - u(T, f, j), d)"
        e.have(f"d*{p1}*(n*{norm}) <= {yb}", "t1", lambda k: k.auto("moved_j dp1", rounds=0))
        moved = f"onenorm(a. {img.format('z')} - {img.format('u')}, d)"
        e.have(
            f"n*{moved} <= n*(d*{p1}*{norm})",
            "t2",
            lambda k: k.have(f"{moved} <= d*{p1}*{norm}", "q", use="image", degree=1).auto("q n_p", rounds=0),
        )
        e.auto("t1 t2", degree=1, rounds=0)

    proofs = ("pl", "ph", "tau_low", "Y_low", "yb_low", "small", near, images, shifted)

    def given(e: Goal) -> None:
        for part, proof in zip(e.split(), proofs, strict=True):
            part.hyp(proof) if isinstance(proof, str) else proof(part)

    h.use(
        "lem:attention_change",
        f"l. {key.format('z', 'l')}",
        f"l. {key.format('u', 'l')}",
        "n",
        "p",
        sigma,
        tau,
        "d",
        f"a j. {img.format('z')}",
        f"a j. {img.format('u')}",
        Y,
        yb,
        given,
        label="change",
    )
    mz, mu = (f"sum(j, 1, n, sm(l. {key.format(run, 'l')}, n, j)*{img.format(run)})" for run in "zu")

    def pair(e: Goal) -> None:
        e.intro("a0 in0").use("z_is", "a0", None, label="e1").use("u_is", "a0", None, label="e2").auto(
            "e1 e2", degree=1, rounds=0
        )

    new = "onenorm(a. z(T + 1, a, i) - u(T + 1, a, i), d)"
    h.use(
        "lem:norm_ext",
        "a. z(T + 1, a, i) - u(T + 1, a, i)",
        f"a. ({mz} - {mu}) + (z(T, a, i) - u(T, a, i))",
        "d",
        pair,
        label="equal",
    )
    h.use("lem:norm_triangle", f"a. {mz} - {mu}", "a. z(T, a, i) - u(T, a, i)", "d", label="tri")
    split = f"onenorm(a. {mz} - {mu}, d) + onenorm(a. z(T, a, i) - u(T, a, i), d)"
    h.have(
        f"n*{new} <= n*({split})",
        "times",
        lambda e: e.have(f"{new} <= {split}", "q", use="equal tri", degree=1).auto("q n_p", rounds=0),
    )
    h.auto("times change moved_i kbB", degree=1, rounds=0)

    # feed-forward
    h = network
    h.use("z_net", "#which", label="z_is").use("u_net", "#which", label="u_is")

    def bias(e: Goal, body: str, size: str) -> None:
        e.intro("a1 inside1").use("lem:norm_entry", body, size, "a1", None, label="here").auto(
            "here W_low U_low b_low c_low", degree=1, rounds=0
        )

    for run in "zu":

        def net_given(e: Goal) -> None:
            proofs = (
                "some_m",
                "d_low",
                "p2_low",
                "Wb",
                "Ub",
                lambda k: bias(k, bias_b, "m"),
                lambda k: bias(k, bias_c, "d"),
            )
            for part, proof in zip(e.split(), proofs, strict=True):
                part.hyp(proof) if isinstance(proof, str) else proof(part)

        h.use(
            "lem:ffn_size",
            mats["W"],
            bias_b,
            mats["U"],
            bias_c,
            "d",
            "m",
            "d",
            p2,
            f"f. {run}(T, f, i)",
            net_given,
            label=f"net_{run}",
        )
        h.use(
            "lem:norm_ext",
            f"a. {run}(T + 1, a, i)",
            f"a. {out.format(run)} + {run}(T, a, i)",
            "d",
            f"#{run}_is",
            label=f"equal_{run}",
        )
        h.use("lem:norm_triangle", f"a. {out.format(run)}", f"a. {run}(T, a, i)", "d", label=f"tri_{run}")
        norm = f"onenorm(f. {run}(T, f, i), d)"
        h.have(
            f"d*{p2}*(m*{p2}*{norm}) <= d*{p2}*(m*{p2}*S)",
            f"most_{run}",
            lambda e, norm=norm, run=run: e.have(
                f"m*{p2}*{norm} <= m*{p2}*S", "t", lambda k: k.auto(f"{run}i mp2", rounds=0)
            ).auto("t dp2", rounds=0),
        )
        h.have(
            f"onenorm(a. {run}(T + 1, a, i), d) <= S + {net}",
            f"size_{run}",
            lambda e, run=run: e.auto(f"net_{run} equal_{run} tri_{run} most_{run} {run}i", degree=1, rounds=0),
        )
    s1, s2, s3 = h.split()
    s1.auto("size_z Y_low", degree=1, rounds=0)
    s2.auto("size_u Y_low", degree=1, rounds=0)
    h = s3
    h.intro("off").use("mi", "#off", label="moved_i")
    h.use(
        "lem:ffn_entries",
        mats["W"],
        bias_b,
        mats["U"],
        bias_c,
        "d",
        "m",
        "d",
        p2,
        "f. u(T, f, i)",
        "f. z(T, f, i)",
        None,
        label="net",
    )
    h.use(
        "lem:norm_ext",
        "a. z(T + 1, a, i) - u(T + 1, a, i)",
        f"a. ({out.format('z')} - {out.format('u')}) + (z(T, a, i) - u(T, a, i))",
        "d",
        pair,
        label="equal",
    )
    h.use(
        "lem:norm_triangle", f"a. {out.format('z')} - {out.format('u')}", "a. z(T, a, i) - u(T, a, i)", "d", label="tri"
    )
    old = "onenorm(a. z(T, a, i) - u(T, a, i), d)"
    h.have(f"{new} <= {kb}*{old} + {old}", "q", use="net equal tri", degree=1).have(
        f"n*{new} <= n*({kb}*{old} + {old})", "times", lambda e: e.auto("q n_p", rounds=0)
    )
    h.have(f"{kb}*(n*{old}) <= {kb}*B", "t", lambda e: e.auto("moved_i kb_low", rounds=0)).auto(
        "times t moved_i more_low", degree=1, rounds=0
    )


SCRIPTS |= {
    "cookbook.s6.4.hahn_sensitivity.corrected": Script(
        hahn,
        witnesses("2", "2", "1", "0", "2", "t. 0", ZERO3, ZERO3, ZERO3, ZERO3, ZERO2, ZERO3, ZERO2, "e a. 0", "0"),
        nonzero(),
    ),
}
