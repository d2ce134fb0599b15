"""Feed-forward layers, Boolean representations, layer norm and assembly (Cookbook, Sections 3, 4, 6 and 8)."""

from __future__ import annotations

from script import Script, each

from symcook.proof.normal import constant, nf
from symcook.proof.search.tactics import Goal, Tactic
from symcook.proof.terms import free, var

SCRIPTS: dict[str, Script] = {}

# --- Lemmas -----------------------------------------------------------------------------------------------------------


def product_size(g: Goal, a: str, b: str, label: str) -> Goal:
    """abs(a*b) = abs(a)*abs(b)."""
    return g.have(f"abs({a}*({b})) = abs({a})*abs({b})", label, lambda h: absolute(h, a, b))


def absolute(g: Goal, a: str, b: str) -> None:
    """The goal is abs(a*b) = abs(a)*abs(b)."""
    for e in (f for h in g.em(f"0 <= {a}", "sign_a") for f in h.em(f"0 <= {b}", "sign_b")):
        for t, s in ((a, "sign_a"), (b, "sign_b")):
            up = e.facts[s][0] == "<=" and e.facts[s][2][0] == ("num", (0, 1), ())
            e.use(f"ax:abs_{'pos' if up else 'neg'}", t, label=f"value_{s}")
        whole = f"{a}*({b})"
        if e.try_auto(degree=1, rounds=0):
            continue
        one, two = e.em(f"0 <= {whole}", "sign")
        for f, s in ((one, "pos"), (two, "neg")):
            f.use(f"ax:abs_{s}", whole, label="value")
            f.auto()


# --- Boolean functions, conditionals ----------------------------------------------------------------------------------


# --- Residual connections ---------------------------------------------------------------------------------------------


def pick_out(g: Goal, body: str, at: str, value: str, tests: str, label: str) -> Goal:
    """sum(l, 1, d, body(l)) = value, the term at `at`, the other terms being zero by the indicators `tests`."""

    def zero(h: Goal) -> None:
        h.intro("l inside other").apart(tests.format("l"), lambda e: e.blast())

    g.use("lem:sum_only", f"l. {body.format('l')}", "1", "d", at, None, zero, label=f"{label}_only")
    g.have(f"{body.format(at)} = {value}", f"{label}_at", lambda h: h.apart(tests.format(at), lambda e: e.blast()))
    return g.have(
        f"sum(l, 1, d, {body.format('l')}) = {value}", label, use=f"{label}_only {label}_at", degree=1, rounds=0
    )


def units(g: Goal) -> None:
    g.intro("d h W b V t x i some (low high)")
    row = "(I[{0} <= h]*W({0}, {1}) + I[{0} = h + {1}] - I[{0} = h + d + {1}])*x({1})"
    unit = f"relu(sum(l, 1, d, {row.format('{0}', 'l')}) + I[{{0}} <= h]*b({{0}}))"
    body = f"(I[k <= h]*V(i, k) + t*I[k = h + i] - t*I[k = h + d + i])*{unit.format('k')}"
    plain = "relu(sum(l, 1, d, W(k, l)*x(l)) + b(k))"
    g.use("lem:sum_split", f"k. {body}", "1", "h", "h + 2*d", label="parts")

    def kept(e: Goal) -> None:
        e.intro("k (kl kh)")

        def term(f: Goal) -> None:
            f.intro("l inside").apart("I[k <= h]; I[k = h + l]; I[k = h + d + l]", lambda t: t.blast())

        e.use("lem:sum_ext", f"l. {row.format('k', 'l')}", "l. W(k, l)*x(l)", "1", "d", term, label="row")
        e.rewrite("row").apart(
            "I[k <= h]; I[k = h + i]; I[k = h + d + i]",
            lambda f: f.contra("no").blast() if f.goal[0] == "false" else leaf(f),
        )

    def leaf(f: Goal) -> None:
        labels = list(f.facts)
        ones = [k for k in labels if f.facts[k][0] == "=" and f.facts[k][2][0][0] == "ind"]
        for k in ones:
            f.rewrite(k)
        if not f.try_auto(degree=1, rounds=0):
            f.blast()

    g.use("lem:sum_ext", f"k. {body}", f"k. V(i, k)*{plain}", "1", "h", kept, label="first")
    tests = "I[h + i <= h]; I[h + i = h + {0}]; I[h + i = h + d + {0}]"
    pick_out(g, row.format("(h + i)", "{0}"), "i", "x(i)", tests, "up")
    tests = "I[h + d + i <= h]; I[h + d + i = h + {0}]; I[h + d + i = h + d + {0}]"
    pick_out(g, row.format("(h + d + i)", "{0}"), "i", "-x(i)", tests, "down")

    def added(e: Goal) -> None:
        e.intro("k (kl kh)")
        one, other = e.em("k = h + i", "is_up")
        one.rewrite("is_up").rewrite("up")
        one.apart("I[h + i <= h]; I[h + i = h + i]; I[h + i = h + d + i]", leaf)
        two, rest = other.em("k = h + d + i", "is_down")
        two.rewrite("is_down").rewrite("down")
        two.apart("I[h + d + i <= h]; I[h + d + i = h + i]; I[h + d + i = h + d + i]", leaf)
        rest.apart("I[k <= h]; I[k = h + i]; I[k = h + d + i]", leaf)

    g.use(
        "lem:sum_ext",
        f"k. {body}",
        "k. I[k = h + i]*(t*relu(x(i))) - I[k = h + d + i]*(t*relu(-x(i)))",
        "h + 1",
        "h + 2*d",
        added,
        label="second",
    )
    g.use("lem:sum_delta", "k. t*relu(x(i))", "h + 1", "h + 2*d", "h + i", label="one")
    g.use("lem:sum_delta", "k. t*relu(-x(i))", "h + 1", "h + 2*d", "h + d + i", label="two")
    up, down = g.em("0 <= x(i)", "sign")
    for e, a, c in ((up, "pos", "neg"), (down, "neg", "pos")):
        e.use(f"ax:relu_{a}", "x(i)", label="u").use(f"ax:relu_{c}", "-x(i)", label="v")
        e.auto("parts first second one two u v", degree=1, rounds=0, multipliers=["1", "t"])


SCRIPTS |= {
    "lem.layers_units": Script(units),
}

# --- Section 6 --------------------------------------------------------------------------------------------------------


def size_of(g: Goal, t: str, label: str) -> Goal:
    """0 <= |t|."""
    return g.have(f"0 <= abs({t})", label, lambda h: h.apart(f"abs({t})", lambda e: e.auto(degree=1)))


def by_squares(g: Goal, low: str, high: str, square: str, label: str) -> Goal:
    """low <= high from low^2 <= high^2 (`square`) and 0 <= high, one of the facts."""

    def proof(h: Goal) -> None:
        h.contra("sq_no").have(f"0 < {low} - ({high})", "sq_gap", use="sq_no").have(f"0 <= {high}", "sq_high")
        h.have(f"0 < ({low} - ({high}))*({low} - ({high}))", "sq_gaps", use="sq_gap")
        h.have(f"0 <= ({low} - ({high}))*({high})", "sq_product", use="sq_gap sq_high")
        h.auto(f"{square} sq_gaps sq_product", degree=1)

    return g.have(f"{low} <= {high}", label, proof)


def each_index(g: Goal, then: Tactic = Goal.blast, names: str = "abcdef") -> None:
    """Bounded quantifiers over a numeric range are replaced by their values; other parts of the goal go to `then`."""
    if g.goal[0] == "&":
        for part in g.split():
            each_index(part, then, names)
        return
    range_of = g.goal[2][0][2][0] if g.goal[0] == "all" and g.goal[2][0][0] == "->" else g.goal
    ends = [t[2][n] for n, t in enumerate(range_of[2]) if t[0] == "<="] if range_of[0] == "&" else []
    numbers = [constant(nf(t)) for t in ends if not free(t)] if len(ends) == 2 and g.goal[0] == "all" else []
    if len(numbers) != 2 or None in numbers:
        then(g)
        return
    low, high = (int(n) for n in numbers if n is not None)
    k = next(f"index_{n}" for n in names if f"index_{n}" not in g.scope)
    g.intro(f"{k} ({k}_low {k}_high)")
    for value in range(low, high + 1):
        here, rest = g.em(f"{k} <= {value}", f"{k}_{value}")
        if var(k, "Int") in free(here.goal):
            here.have(f"{k} = {value}", f"{k}_is").rewrite(f"{k}_is")
        each_index(here, then, names)
        if value == high:
            rest.contra(f"{k}_no").auto(f"{k}_high {k}_{value}", degree=1)
        else:
            rest.use("ax:int_lt", str(value), k, label=f"{k}_from_{value}")
            g = rest


def normed_size(g: Goal) -> None:
    """The second part: x and -x with two entries tau and -tau are close, their layer norms are not."""
    g.intro("d gamma beta j K (some jl jh nonzero)").positive("d", "d")
    g.have(
        "0 < abs(gamma(j))",
        "gain",
        lambda h: h.apart(
            "abs(gamma(j))", lambda e: e.contra("no").have("gamma(j) = 0", "zero").absurd("zero", "nonzero")
        ),
    )

    def small(h: Goal) -> None:
        size_of(h, "K", "size").positive("(1 + abs(K))", "k").witness("abs(gamma(j))*(1/(1 + abs(K)))")
        left, right = h.split()
        left.auto("gain k_i")
        right.have("K <= abs(K)", "high", lambda e: e.apart("abs(K)", lambda f: f.auto(degree=1)))
        right.have("0 < abs(gamma(j))*(1/(1 + abs(K)))", "step", use="gain k_i")
        right.have(
            "K*(abs(gamma(j))*(1/(1 + abs(K)))) <= abs(K)*(abs(gamma(j))*(1/(1 + abs(K))))", "bound", use="high step"
        )
        right.auto("bound k_e step", degree=1, rounds=0, multipliers=["abs(gamma(j))"])

    g.have("ex tau:Real. 0 < tau & K*tau < abs(gamma(j))", "step", small).obtain("step", "tau", "tau0 below")

    def half(h: Goal) -> None:
        h.use("ax:sqrt", "2*(1/d)", label="q0 is").witness("sqrt(2*(1/d))")
        h.have("0 < 2*(1/d)", "ratio", use="d_i").have(
            "2*(1/d) <= 1",
            "most",
            lambda e: e.have("2*(1/d) <= d*(1/d)", "times", use="some d_i").auto("times d_e", degree=1),
        )
        left, middle, right = h.split()
        left.contra("no").have("sqrt(2*(1/d)) = 0", "zero", use="no q0")
        left.auto("is zero ratio", degree=1, rounds=0, multipliers=["sqrt(2*(1/d))"])
        middle.have("sqrt(2*(1/d))^2 <= 1^2", "sq", use="is most", degree=1).have("0 <= 1", "one")
        by_squares(middle, "sqrt(2*(1/d))", "1", "sq", "done").hyp("done")
        right.auto("is d_e", degree=1, rounds=0, multipliers=["1", "d"])

    g.have("ex q:Real. 0 < q & q <= 1 & q*q*d = 2", "ratio", half).obtain("ratio", "q", "q0 q1 qd")
    g.positive("q", "q").positive("tau", "t").use("lem:sum_one", "1", "d", label="ones")
    first, later = g.em("j <= 1", "where")
    two_entries(first, "2")
    later.use("ax:int_lt", "1", "j", label="after")
    two_entries(later, "1")


def two_entries(g: Goal, p: str) -> None:
    """p is another index than j."""
    unit = f"(I[{{0}} = j] - I[{{0}} = {p}])"
    gains = f"l. {{0}}{unit.format('l')}*(1/q)*gamma(l) + beta(l)"
    g.use("lem:sum_delta", "l. 1", "1", "d", "j", label="one").use("lem:sum_delta", "l. 1", "1", "d", p, label="two")

    def square(h: Goal) -> None:
        for e in (f for k in h.intro("l inside").ind("l = j", "at_j is_j") for f in k.ind(f"l = {p}", "at_p is_p")):
            if not e.try_contradiction():
                e.rewrite("is_j").rewrite("is_p").true()

    g.use("lem:sum_ext", f"l. {unit.format('l')}^2", f"l. I[l = j] + I[l = {p}]", "1", "d", square, label="squares")
    g.witness(
        f"l. tau*{unit.format('l')}",
        f"l. -tau*{unit.format('l')}",
        "2*tau",
        gains.format(""),
        "0",
        "tau*q",
        gains.format("-"),
        "0",
        "tau*q",
    )
    near, *rest, far = g.split()
    near.intro("i inside")
    step = f"tau*{unit.format('i')} - -tau*{unit.format('i')}"
    for e in (f for k in near.ind("i = j", "at_j is_j") for f in k.ind(f"i = {p}", "at_p is_p")):
        if not e.try_contradiction():
            e.apart(
                f"abs({step})", lambda f: f.auto("tau0 is_j is_p " + list(f.facts)[-1], degree=1, multipliers=["tau"])
            )
    for h in rest:
        if h.goal[0] == "all":
            h.intro("k inside").auto("t_e", degree=1, rounds=0, multipliers=[f"{unit.format('k')}*(1/q)*gamma(k)"])
        elif h.goal[0] == "<":
            h.auto("tau0 q0")
        else:
            factors = ["1", "tau", "tau*(1/d)", "tau^2", "tau^2*(1/d)", "tau^2*q^2"]
            h.auto("one two squares qd d_e", degree=1, rounds=0, multipliers=factors)
    far.have("0 <= (1 - q)*(1/q)", "larger", use="q1 q_i").have("1 <= 1/q", "over", use="larger q_e", degree=1)
    far.have("abs(gamma(j)) <= abs(gamma(j))*(1/q)", "grown", use="over gain")
    same, other = far.ind(f"j = {p}", "at is_p")
    same.contra("no").auto("at where" if p == "2" else "at after")
    gap = f"({unit.format('j')}*(1/q)*gamma(j) + beta(j)) - (-{unit.format('j')}*(1/q)*gamma(j) + beta(j))"
    other.have(f"{gap} = 2*(1/q)*gamma(j)", "gap", use="is_p", degree=1, rounds=0, multipliers=["(1/q)*gamma(j)"])
    other.rewrite("gap")
    product_size(other, "(2*(1/q))", "gamma(j)", "size").have(
        "abs(2*(1/q)) = 2*(1/q)", "factor", lambda e: e.use("ax:abs_pos", "2*(1/q)", label="done").hyp("done")
    )
    other.auto("size factor grown below", degree=1, rounds=0, multipliers=["1", "abs(gamma(j))"])


def normed_step(g: Goal) -> None:
    """The first part, with a and b the deviations from the means."""
    g.intro("d x z eps root gamma beta G y mu r u nu s t (some root0 root_is) gains (is_mu r0 is_r outs)")
    g.intro("(is_nu s0 is_s outs_u) near i inside").positive("d", "d").use("near", "1", label="near1")
    size_of(g, "x(1) - z(1)", "near0").have("0 <= t", "t0", use="near1 near0").have(
        "0 < eps", "eps0", use="root0 root_is"
    )

    def back(h: Goal) -> None:
        h.intro("k inside1").use("near", "k", label="here")
        h.apart("abs(x(k) - z(k)); abs(z(k) - x(k))", lambda e: e.auto(degree=1))

    g.have("all k in 1..d. abs(z(k) - x(k)) <= t", "near_back", back)
    g.use("lem:layers_centred", "d", "x", "z", "mu", "nu", "t", label="dev")
    g.use("lem:layers_centred", "d", "z", "x", "nu", "mu", "t", label="dev_back")
    a, b = "(x(i) - mu)", "(z(i) - nu)"
    g.use(
        "lem:layers_root",
        "d",
        "k. x(k) - mu",
        "k. z(k) - nu",
        "eps",
        "r",
        "s",
        "2*t",
        None,
        "#is_r",
        "#is_s",
        "#dev_back",
        label="root_s",
    )
    g.use(
        "lem:layers_root",
        "d",
        "k. z(k) - nu",
        "k. x(k) - mu",
        "eps",
        "s",
        "r",
        "2*t",
        None,
        "#is_s",
        "#is_r",
        "#dev",
        label="root_r",
    )
    g.positive("r", "r").positive("s", "s").positive("root", "e")

    def square(h: Goal) -> None:
        h.intro("k inside1").auto("t0", squares=["z(k) - nu"], degree=1)

    g.use("lem:sum_member", "k. (z(k) - nu)^2", "1", "d", "i", None, square, label="member")
    total = "sum(k, 1, d, (z(k) - nu)^2)"
    g.have(f"{total} = d*(s^2 - eps)", "total", use="is_s d_e", degree=1, rounds=0, multipliers=["d", total])
    g.have(
        "s^2*d <= s^2*d*d",
        "wide",
        lambda h: h.have("0 < s*s", "s2", use="s0").have("0 < s*s*d", "ss", use="s2 d_p").auto("ss some"),
    )
    g.have("0 < d*eps", "de", use="d_p eps0").have("0 <= d*s", "ds", use="d_p s0")
    for sign, label in (("", "b_high"), ("-", "b_low")):
        g.have(f"({sign}{b})^2 <= (d*s)^2", f"{label}_sq", use="member total wide de", degree=1)
        by_squares(g, f"({sign}{b})", "d*s", f"{label}_sq", label)
    for k, text in (("high", f"{b}*(s - r) <= 2*t*(d*s)"), ("low", f"-{b}*(s - r) <= 2*t*(d*s)")):
        g.have(text, f"bw_{k}", use="b_high b_low root_s root_r")
    g.have("0 < 1/r*(1/s)", "pq", use="r_i s_i")
    move = f"({a}*(1/r) - {b}*(1/s))"
    g.have(
        f"{move} = ({a} - {b})*(1/r) + {b}*(s - r)*(1/r*(1/s))",
        "split",
        use="r_e s_e",
        degree=1,
        rounds=0,
        multipliers=[f"{b}*(1/r)", f"{b}*(1/s)"],
    )
    g.use("dev", "i", label="here")
    g.have(f"abs({a} - {b}) <= 2*t", "ab", lambda h: h.hyp("here"))
    g.have(
        f"{a} - {b} <= 2*t & -({a} - {b}) <= 2*t",
        "ab_high ab_low",
        lambda h: h.apart(f"abs({a} - {b})", lambda e: e.easy(degree=1)),
    )
    for k, sign in (("high", ""), ("low", "-")):
        g.have(f"{sign}({a} - {b})*(1/r) <= 2*t*(1/r)", f"one_{k}", use=f"ab_{k} r_i")
        g.have(f"{sign}{b}*(s - r)*(1/r*(1/s)) <= 2*t*(d*s)*(1/r*(1/s))", f"two_{k}", use=f"bw_{k} pq")
        g.have(
            f"{sign}{move} <= 2*t*(d + 1)*(1/r)",
            f"move_{k}",
            use=f"split one_{k} two_{k} s_e",
            degree=1,
            rounds=0,
            multipliers=["1", "t*d*(1/r)"],
        )
    g.use(
        "lem:sum_nonneg",
        "k. (x(k) - mu)^2",
        "1",
        "d",
        lambda h: h.intro("k inside1").auto("t0", squares=["x(k) - mu"], degree=1),
        label="positive",
    )
    g.have("0 <= sum(k, 1, d, (x(k) - mu)^2)*(1/d)", "variance", use="positive d_i")
    g.have("root^2 <= r^2", "root_sq", use="root_is is_r variance", degree=1)
    by_squares(g, "root", "r", "root_sq", "root_r_le")
    g.have(
        "0 <= (r - root)*(1/r*(1/root))",
        "inverses",
        lambda h: h.have("0 < 1/r*(1/root)", "pe", use="r_i e_i").auto("pe root_r_le"),
    )
    g.have("1/r <= 1/root", "inverse", use="inverses r_e e_e", degree=1, rounds=0, multipliers=["1/r", "1/root"])
    g.have("0 <= 2*t*(d + 1)", "td", use="t0 d_p").have(
        "2*t*(d + 1)*(1/r) <= 2*t*(d + 1)*(1/root)", "top", use="td inverse"
    )
    bound = "2*t*(d + 1)*(1/root)"
    g.use("gains", "i", label="gain_i").have(
        "gamma(i) <= G & -gamma(i) <= G", "g_high g_low", lambda h: h.apart("abs(gamma(i))", lambda e: e.easy(degree=1))
    )
    g.have(f"{move} <= {bound}", "m_high", use="move_high top", degree=1)
    g.have(f"-{move} <= {bound}", "m_low", use="move_low top", degree=1)
    g.use("outs", "i", label="out_y").use("outs_u", "i", label="out_u")
    g.have(f"y(i) - u(i) = {move}*gamma(i)", "out", use="out_y out_u", degree=1, rounds=0).rewrite("out")
    g.have(f"{move}*gamma(i) <= {bound}*G", "up", lambda h: four(h, move, bound, "")).have(
        f"-{move}*gamma(i) <= {bound}*G", "down", lambda h: four(h, move, bound, "-")
    )
    g.apart(f"abs({move}*gamma(i))", lambda e: e.auto("up down " + list(e.facts)[-1], degree=1, rounds=0))


def four(g: Goal, move: str, bound: str, sign: str) -> None:
    """move*gamma <= bound*G from bounds of both: the products of two pairs of facts."""
    other = "low" if sign == "" else "high"
    same = "high" if sign == "" else "low"
    g.have(f"0 <= ({bound} - {sign}{move})*(G + gamma(i))", "one", use=f"m_{same} g_low")
    g.have(f"0 <= ({bound} + {sign}{move})*(G - gamma(i))", "two", use=f"m_{other} g_high")
    g.auto("one two", degree=1, rounds=0)


SCRIPTS |= {
    "cookbook.s6.4.ln_lipschitz": Script(
        each(normed_step, normed_size),
        lambda g: g.inhabit(
            "2",
            "k. (2*k - 3)*3/4",
            "k. 0",
            "1",
            "1",
            "k. 1",
            "k. 0",
            "1",
            "k. (2*k - 3)*3/5",
            "0",
            "5/4",
            "k. 0",
            "0",
            "1",
            "1",
            "1",
            others=[("2", "k. 1", "k. 0", "1", "5")],
            leaf=each_index,
        ),
    ),
}


# --- Section 8: routing -----------------------------------------------------------------------------------------------


def here(fact: str, *at: str) -> Tactic:
    """A bounded universal statement from a fact with more indices."""

    def run(g: Goal) -> None:
        g.intro("index_0 index_in")
        args = [x for a in (*at, "index_0") for x in (a, None)]
        g.use(fact, *args, label="instance").hyp("instance")

    return run


# --- Section 8.3: two transformers side by side -----------------------------------------------------------------------


THREE_INDEX, TWO_INDEX = "l p q. 0", "l p. 0"
