"""Claims of merrill2024: the layer-norm hash, the tie-breaking term, lookups by saturated attention."""

from __future__ import annotations

from typing import Any

from script import Script, each, witnesses

from symcook.proof.search.tactics import Goal, Stuck, Tactic


def root(g: Goal, x: str, label: str) -> Goal:
    """Facts about r = sqrt(2x^2 + 2) and its inverse: ``label_p _e _i _n _u``."""
    return g.use("lem:lnhash_root", x, label=" ".join(f"{label}_{k}" for k in "peinu"))


# --- Roots and squares ------------------------------------------------------------------------------------------------


# --- The hash ---------------------------------------------------------------------------------------------------------


# --- Definition 6 and its closed form ---------------------------------------------------------------------------------


def difference_combination(g: Goal) -> None:
    g.intro("f (first more)")
    base, step = g.induct("k", "ge", "is")
    base.witness("j. I[j = 0]")
    outside, value = base.split()
    yes, no = outside.intro("j away").ind("j = 0", "at zero")
    less, large = yes.cases("away", "far")
    for h in (less, large):
        h.have("false", "wrong", use="at far").absurd("wrong")
    no.hyp("zero")
    value.intro("i low").use("ax:int_lt", "0", "i", label="one").use("first", "i", label="goal").auto("goal")
    step.obtain("is", "c", "zero value").witness("j. c(j - 1) - c(j)")
    outside, value = step.split()
    outside.intro("j away").use("zero", "j", lambda h: _outside(h), label="here")
    outside.use("zero", "j - 1", lambda h: _outside(h), label="before").auto("here before")
    value.intro("i low").use("more", "i", "k", label="unfold")
    value.use("value", "i - 1", label="old").use("value", "i", label="new")
    value.use("lem:sum_split", "j. c(j - 1)/(i - j)", "0", "0", "k + 1", label="split")
    value.use("zero", "-1", "!", label="left")
    value.use("zero", "k + 1", lambda h: h.pick("right").auto(), label="right")
    value.use("lem:sum_shift", "j. c(j)/(i - 1 - j)", "0", "k", label="shift")
    value.use("ax:sum_step", "j. c(j)/(i - j)", "0", "k + 1", label="last")
    value.auto("unfold old new split left right shift last", rounds=0, multipliers=["1", "1/i", "1/(i - (k + 1))"])


def _outside(h: Goal) -> None:
    """j or j - 1 is outside 0..k where j is outside 0..k + 1."""
    for e, side in zip(h.cases("away", "far"), ("left", "right"), strict=True):
        e.pick(side).auto("far")


def both(h: Goal, *labels: str) -> None:
    for part, label in zip(h.split(), labels, strict=True):
        part.hyp(label)


def product_of(h: Goal, i: str, low: str) -> None:
    """0 < i(i - 1)(i - 2)(i - 3) from 5 <= i."""
    h.have(f"0 < {i}*({i} - 1)", "one", use=low).have(f"0 < ({i} - 2)*({i} - 3)", "two", use=low).auto("one two")


def four(g: Goal, i: str, label: str = "case") -> list[Goal]:
    """Goals for i = 1, 2, 3, 4 (rewritten in the goal), then one with 5 <= i."""
    out = []
    for n in (1, 2, 3, 4):
        here, g = g.em(f"{i} <= {n}", f"{label}{n}")
        here.have(f"{i} = {n}", f"{label}_is").rewrite(f"{label}_is")
        out.append(here)
        g.use("ax:int_lt", str(n), i, label=f"{label}_above{n}")
    return [*out, g]


def tie_positive(g: Goal) -> None:
    g.intro("f g (first more small large) i low")
    *few, rest = four(g, "i")
    for n, h in enumerate(few, 1):
        h.use("small", str(n), "!", label="is").auto("is")
    rest.use("lem:tie_value", "f", "g", lambda h: both(h, "first", "more", "small", "large"), "i", label="value bound")
    rest.use("ax:inv", "i*(i - 1)*(i - 2)*(i - 3)", lambda h: nonzero(h, "i"), label="inverse")
    rest.contra("no").auto("no value bound inverse", degree=2, multipliers=["1/(i*(i - 1)*(i - 2)*(i - 3))", "g(i)"])


def nonzero(h: Goal, i: str) -> None:
    h.intro("zero").have(
        f"0 < {i}*({i} - 1)*({i} - 2)*({i} - 3)", "positive", lambda e: product_of(e, i, "case_above4")
    )
    h.auto("zero positive")


def tie_decreases(g: Goal) -> None:
    g.intro("f g (first more small large) i low")
    *few, rest = four(g, "i")

    def closed(h: Goal, i: str, label: str) -> Goal:
        both_of = lambda e: both(e, "first", "more", "small", "large")  # noqa: E731
        return h.use("lem:tie_value", "f", "g", both_of, i, label=f"{label} {label}_b")

    for n, h in enumerate(few, 1):
        h.use("small", str(n), "!", label="is")
        if n < 4:
            h.use("small", str(n + 1), "!", label="next").auto("is next")
        else:
            closed(h, "5", "next").auto("is next")
    closed(closed(rest, "i", "here"), "i + 1", "next")
    # g(i) (i - 3) = g(i + 1) (i + 1), both times 100 i (i - 1)(i - 2) = 6.
    rest.positive("(i*(i - 1)*(i - 2))", "z", lambda h: h.have("0 < i*(i - 1)", "one").auto("one case_above4"))
    z = "(1/(i*(i - 1)*(i - 2)))"
    rest.have(
        "g(i)*(i - 3) = g(i + 1)*(i + 1)",
        "same",
        use="here next z_e",
        rounds=0,
        multipliers=[z, "g(i)*(i - 3)", "g(i + 1)*(i + 1)"],
    )
    rest.use("lem:tie_positive", "f", "g", lambda e: both(e, "first", "more", "small", "large"), "i + 1", label="above")
    rest.contra("no").auto("no same above case_above4", degree=2)


# --- Claims: the hash -------------------------------------------------------------------------------------------------


def hash_defined(names: str, *arguments: str) -> Tactic:
    """D where the only roots are those of phi at `arguments`; other denominators are easy."""

    def leaf(h: Goal) -> None:
        for n, x in enumerate(arguments):
            root(h, x, f"r{n}")
        h.auto(squares=[a for a in arguments], degree=1, rounds=0)

    return lambda g: g.leaves(names, leaf)


def planar(g: Goal, x: str, y: str, label: str) -> Goal:
    """sqrt(2x^2 + 2y^2) is positive, from 0 < x^2 + y^2."""
    z = f"2*({x})^2 + 2*({y})^2"
    g.have(f"0 < {z}", f"{label}_z").use("ax:sqrt", z, label=f"{label}_l {label}_e")
    return g.have(f"0 < sqrt({z})", f"{label}_p", lambda h: h.contra("no").auto(f"no {label}_z {label}_l {label}_e"))


def def3(g: Goal) -> None:
    z = "sqrt(2*x^2 + 2*y^2)"
    planar(g.intro("x y some"), "x", "y", "r").use("ax:inv", z, label="inverse")
    *entries, form, unit, mean = g.split()
    for h in (*entries, mean):
        h.true()
    form.intro("c inside").true()
    unit.auto("r_e inverse", rounds=0, multipliers=[f"(1/{z})^2", f"{z}*(1/{z})", "1"])


def def3_defined(g: Goal) -> None:
    g.leaves("x y", lambda h: planar(h, "x", "y", "r").auto(degree=1, rounds=0))


def lemma1(g: Goal) -> None:
    g.intro("x i pos").use("lem:lnhash_scale", "x", "1", "i", "#pos", lambda h: h.auto(squares=["x"]), label="goal")
    g.hyp("goal")


def lemma1_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0, squares=["x/i", "1/i"]):
            return
        root(h, "x", "r")
        if h.try_auto(degree=1, rounds=0):
            return
        h.positive("i", "i")
        h.have(
            "0 < (x/i)^2 + (1/i)^2",
            "some",
            lambda e: e.have("0 < (1/i)*(1/i)", "square", use="i_i").auto("square", squares=["x/i"]),
        )
        planar(h, "x/i", "1/i", "s").auto(degree=1, rounds=0, squares=["x"])

    g.leaves("x i", leaf)


def lemma2(g: Goal) -> None:
    g.intro("q k")
    root(root(g, "q", "q"), "k", "k")
    a, b = "sqrt(2*q^2 + 2)", "sqrt(2*k^2 + 2)"
    form, bound, there, back = g.split()
    form.have(f"0 <= {a}*{b}/2", "ge", use="q_p k_p")
    form.use(
        "lem:sqrt_equals",
        "(q^2 + 1)*(k^2 + 1)",
        f"{a}*{b}/2",
        None,
        lambda h: h.auto("q_e k_e", rounds=0, multipliers=[f"{b}^2", "2*q^2 + 2", "1"]),
        label="is",
    )
    form.rewrite("is").true()
    bound.use("lem:lnhash_square", "q", "k", label="square")
    bound.use("lem:square_le", "hashdot(q, k)", "1", "!", lambda h: dot_square(h), label="goal").hyp("goal")
    there.intro("one").use("lem:lnhash_square", "q", "k", label="square")
    there.have(
        "(q*k + 1)^2 = (q^2 + 1)*(k^2 + 1)",
        "equal",
        use="one square",
        rounds=0,
        multipliers=["(q^2 + 1)*(k^2 + 1)*hashdot(q, k)", "(q^2 + 1)*(k^2 + 1)", "1"],
    )
    zero(there, "q - k", "equal").auto("is_zero")
    back.intro("is").rewrite("is").auto("k_n")


def zero(g: Goal, t: str, square: str, label: str = "is_zero") -> Goal:
    """t = 0, where its square is zero by the fact `square`."""

    def prove(h: Goal) -> None:
        for e in h.antisym():
            e.contra("no_zero").auto(["no_zero", square])

    return g.have(f"{t} = 0", label, prove)


def dot_square(h: Goal) -> None:
    """hashdot(q, k)^2 <= 1, from (q^2 + 1)(k^2 + 1) - (qk + 1)^2 = (q - k)^2."""
    h.have("0 < (q^2 + 1)*(k^2 + 1)", "denominator", lambda e: e.auto(squares=["q", "k", "q*k"]))
    h.contra("no").have("0 < (hashdot(q, k)^2 - 1)*((q^2 + 1)*(k^2 + 1))", "product", use="no denominator")
    h.auto("product square", squares=["q - k"])


def lemma2_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        root(root(h, "q", "rq"), "k", "rk")
        z = "(q^2 + 1)*(k^2 + 1)"
        h.have(f"0 < {z}", "z", lambda e: e.auto(squares=["q", "k", "q*k"])).use("ax:sqrt", z, label="zl ze")
        h.auto(squares=["q", "k", "q*k"], degree=1, rounds=1)

    g.leaves("q k", leaf)


def lemma5(g: Goal) -> None:
    g.intro("m q k some sides equal").use("equal", "1", "!", label="first")
    g.use("ax:inv", "m", label="inverse").use("lem:sum_one", "1", "m", label="ones")
    for h, sign in zip(g.cases("sides", "side"), ("", "-"), strict=True):
        z = f"{sign}(lnhash(q, 1, 1) - lnhash(k(j), 1, 1))"

        def apart(e: Goal, below: bool = not sign) -> None:
            e.intro("j inside").use("side", "j", label="here")
            pair = ("k(j)", "q") if below else ("q", "k(j)")
            e.use("lem:lnhash_first", *pair, label="order").auto("order")

        h.use("lem:sum_positive", f"j. {z}", "1", "m", None, apart, label="total")
        h.auto(
            "first total inverse ones",
            rounds=0,
            degree=1,
            multipliers=["m", "sum(j, 1, m, lnhash(k(j), 1, 1))", "lnhash(q, 1, 1)", "1"],
        )


def lemma5_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        root(h, "q", "r")
        inner = [n for n in h.scope if n not in ("m", "q", "k")]
        for n in inner:
            root(h, f"k({n})", f"s{n}")
        h.auto(degree=1, rounds=0, squares=["q", *(f"k({n})" for n in inner)])

    g.leaves("m q k", leaf)


QUARTIC = "(i^4 - 2*i^3 + 3*i^2 - 2*i + 2)"


def quartic(g: Goal) -> Goal:
    return g.positive(QUARTIC, "z", lambda h: h.auto(squares=["i^2 - i", "i", "i - 1"]))


def lemma8_square(g: Goal) -> None:
    g.intro("i").use("lem:lnhash_square", "i", "i - 1", label="square")
    quartic(g).auto("square z_e", rounds=0, multipliers=[f"1/{QUARTIC}", "hashdot(i, i - 1)^2", "1"])


def lemma8_square_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        root(root(h, "i", "r"), "i - 1", "s")
        quartic(h).auto(degree=1, rounds=0, squares=["i", "i - 1"])

    g.leaves("i", leaf)


def lemma8(g: Goal) -> None:
    g.intro("i low").use("lem:merrill2024.lemma8.square", "i", label="square")
    quartic(g).positive("i^4", "f", lambda h: h.have("0 < i^2", "two").auto("two"))
    g.use("lem:merrill2024.lemma8.sqrt", label="a b compare").use("compare", "i", label="order")
    g.have(
        f"1/i^4 <= 1/{QUARTIC}",
        "less",
        lambda h: h.contra("no").auto(
            "no order z_p z_e z_i f_p f_e f_i", degree=2, multipliers=["1/i^4", f"1/{QUARTIC}"]
        ),
    )
    g.have(
        "1/i^4 <= 1",
        "small",
        lambda h: h.have("1 <= i^2", "two").have("1 <= i^4", "four").contra("no").auto("no four f_i f_e"),
    )
    g.use(
        "lem:square_le",
        "hashdot(i, i - 1)",
        "1 - 1/(2*i^4)",
        None,
        lambda h: h.auto("square less", squares=["1/i^4"]),
        label="goal",
    )
    g.hyp("goal")


def lemma8_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        root(root(h, "i", "r"), "i - 1", "s")
        h.have("0 < i^2", "two").have("0 < i^4", "four", use="two").auto(degree=1, rounds=0, squares=["i", "i - 1"])

    g.leaves("i", leaf)


# --- Claims: layer norm, Definitions 6 and 7, Lemmas 9 and 10 ---------------------------------------------------------

MEAN = "(sum(a, 1, d, x(a))/d)"
SPREAD = f"sum(b, 1, d, (x(b) - {MEAN})^2)"


def spread(g: Goal, vary: str) -> Goal:
    """The sum of squares about the mean is positive (`spread_p`), where `vary` says that an entry differs."""

    def prove(h: Goal) -> None:
        terms = f"b. (x(b) - {MEAN})^2"
        h.use(
            "lem:sum_nonneg",
            terms,
            "1",
            "d",
            lambda e: e.intro("b inside").auto(squares=[f"x(b) - {MEAN}"]),
            label="ge",
        )
        h.contra("no").have(f"{SPREAD} = 0", "none", lambda e: e.auto("no ge"))
        h.use(
            "lem:sum_zero",
            terms,
            "1",
            "d",
            lambda e: e.intro("b inside").auto(squares=[f"x(b) - {MEAN}"]),
            "#none",
            label="all_zero",
        )
        h.obtain(vary, "v", "low high differ").use("all_zero", "v", label="at_v").use("all_zero", "1", label="at_1")
        zero(zero(h, f"x(v) - {MEAN}", "at_v"), f"x(1) - {MEAN}", "at_1", "one_is")
        h.have("x(v) = x(1)", "after_all", use="is_zero one_is").absurd("after_all", "differ")

    return g.have(f"0 < {SPREAD}", "spread_p", prove)


def deviation(g: Goal) -> Goal:
    """The root of `spread_p`: ``root_e _p``, and its inverse."""
    z = f"sqrt({SPREAD})"
    g.use("ax:sqrt", SPREAD, label="root_l root_e")
    g.have(f"0 < {z}", "root_p", lambda h: h.contra("no").auto("no spread_p root_l root_e", rounds=0))
    return g.use("ax:inv", z, lambda h: h.intro("zero").auto("zero root_p"), label="root_i")


def layernorm(g: Goal) -> None:
    g.intro("d x some vary").use("lem:sum_one", "1", "d", label="ones").use("ax:inv", "d", label="inverse")
    deviation(spread(g, "vary"))
    z = f"(1/sqrt({SPREAD}))"
    mean, norm = g.split()
    mean.auto("ones inverse", rounds=0, multipliers=[f"{z}*{MEAN}/d", f"{z}*{MEAN}", f"{z}*sum(a, 1, d, x(a))/d", "1"])
    unit_norm(norm).rewrite("unit").true()


def unit_norm(g: Goal) -> Goal:
    """The squares of the normed entries sum to 1, as ``unit``."""
    z = f"(1/sqrt({SPREAD}))"
    g.have(f"sum(c, 1, d, layernorm(x, d, c)^2) = {SPREAD}*{z}^2", "form", Goal.true)
    return g.have("sum(c, 1, d, layernorm(x, d, c)^2) = 1", "unit", _unit)


def _unit(h: Goal) -> None:
    """S z^2 = 1 from r r = S and r z = 1."""
    r, z = f"sqrt({SPREAD})", f"(1/sqrt({SPREAD}))"
    h.have(f"({r}*{z})*({r}*{z}) = 1", "square", use="root_i", rounds=0, multipliers=[f"{r}*{z}", "1"])
    h.auto("form square root_e", rounds=0, multipliers=[f"{z}^2", "1"])


def layernorm_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        vary = next(k for k, f in h.facts.items() if f[0] == "ex")
        if deviation(spread(h, vary)).try_auto(degree=1, rounds=0):
            return
        unit_norm(h).auto("unit", degree=1, rounds=0)

    g.leaves("d x", leaf)


def def6_corrected(g: Goal) -> None:
    g.intro("f (first more)")
    down, combine = g.split()
    down.intro("i k (low high)").use("more", "i + 1", "k", label="step")
    down.use("lem:difference_value", "f", lambda h: both(h, "first", "more"), "k + 1", None, "i + 1", label="value")
    down.positive(
        "prod(j, 0, k + 1, i + 1 - j)",
        "p",
        lambda h: h.use("lem:prod_positive", "i + 1", "k + 1", label="goal").hyp("goal"),
    )
    down.have("0 < prod(j, 1, k + 1, j)", "top", factorial)
    down.have("0 < f(i + 1, k + 1)", "positive", use="value top p_i", degree=2).auto("positive step")
    combine.intro("k low").use(
        "lem:difference_combination", "f", lambda h: both(h, "first", "more"), "k", "#low", label="is"
    )
    combine.obtain("is", "c", "outside value").witness("c").hyp("value")


def factorial(h: Goal) -> None:
    """0 < prod(j, 1, k + 1, j), by induction from the empty product."""

    def every(e: Goal) -> None:
        base, step = e.induct("n", "ge", "so_far")
        base.true()
        step.use("ax:prod_step", "j. j", "1", "n + 1", label="last")
        step.have("0 < prod(j, 1, n, j)*(n + 1)", "product", use="so_far ge").auto("product last")

    h.have("all n:Int. 0 <= n -> 0 < prod(j, 1, n, j)", "every", every).use("every", "k + 1", label="goal").hyp("goal")


def exist(*more: str, leaf: Tactic = Goal.easy) -> Tactic:
    """H where f, then g satisfy Definitions 6 and 7; each part takes what it needs of the further witnesses."""

    def run(g: Goal) -> None:
        for part in [g] if g.goal[0] == "ex" else g.split():
            part.obtain("lem:tiebreaker_exists", "f", "exists").obtain("exists", "g", "first next small large")
            part.witness("f")
            if part.goal[0] == "ex" and part.goal[1] == ("fun", ("Int",), "Real"):
                part.witness("g")
            part.inhabit(*more[: _leading(part)], leaf=leaf)

    return run


def _leading(g: Goal) -> int:
    """How many further witnesses a part asks for."""
    return g.text(g.goal).count("ex ")


def tied(g: Goal, lemma: str, *arguments: str, label: str) -> Goal:
    """A lemma about the tie-breaking term."""
    known = lambda e: both(e, "first", "more", "small", "large")  # noqa: E731
    return g.use(f"lem:{lemma}", "f", "g", known, *arguments, label=label)


def def7(g: Goal) -> None:
    g.intro("f g i (first more) (small large) low")
    few, many, above = g.split()
    few.intro("side").use("small", "i", label="goal").hyp("goal")
    many.intro("side").positive("(i*(i - 1)*(i - 2)*(i - 3))", "z", lambda h: product_of(h, "i", "side"))
    tied(many, "tie_value", "i", label="value bound")
    many.auto("value z_e", rounds=0, multipliers=["1/(i*(i - 1)*(i - 2)*(i - 3))", "g(i)"])
    tied(above, "tie_positive", "i", label="goal").hyp("goal")


HEADS = "j. -1/100*I[j = 0] + 3/100*I[j = 1] - 3/100*I[j = 2] + 1/100*I[j = 3]"
KNOTS = (
    "j. 824999999/2500000000*I[j = 2] - 2550000003/5000000000*I[j = 3] + 700000023/2500000000*I[j = 4]"
    " - 3750001/125000000*I[j = 5]"
)
"""Coefficients of the heads of Definition 6, and of ReLUs that set the first four values right."""


def def7_monotone(g: Goal) -> None:
    g.intro("f g u (first more) (small large) heads")
    down, layer = g.split()
    down.intro("i low")
    tied(down, "tie_decreases", "i", label="goal").hyp("goal")
    layer.witness(HEADS).witness(KNOTS).intro("i low")
    heads, knots = HEADS.removeprefix("j. ").replace("j", "m"), KNOTS.removeprefix("j. ").replace("j", "r")
    layer.have(
        f"sum(m, 0, 3, ({heads})*u(m, i)) + sum(r, 2, 5, ({knots})*relu(u(0, i) - 1/r))"
        " = -1/100*u(0, i) + 3/100*u(1, i) - 3/100*u(2, i) + 1/100*u(3, i) + 824999999/2500000000*relu(u(0, i) - 1/2)"
        " - 2550000003/5000000000*relu(u(0, i) - 1/3) + 700000023/2500000000*relu(u(0, i) - 1/4)"
        " - 3750001/125000000*relu(u(0, i) - 1/5)",
        "sums",
        Goal.true,
    ).rewrite("sums")
    for m in range(4):
        layer.use("heads", str(m), "!", "i", label=f"u{m}")
        layer.use("lem:flagged_head", str(m), "i", "!", label=f"seen{m} none{m}")
    *few, rest = four(layer, "i")
    for n, h in enumerate(few, 1):
        h.use("small", str(n), "!", label="g_is")
        for m in range(4):
            seen = f"{'seen' if m < n else 'none'}{m}"
            h.rewrite("case_is", seen, f"at{m}").use(f"at{m}", "!", label=f"is{m}")
            h.rewrite("case_is", f"u{m}", f"v{m}").have(
                f"u({m}, {n}) = {f'1/{n - m}' if m < n else '0'}", f"value{m}", use=f"is{m} v{m}", degree=1
            ).rewrite(f"value{m}")
        h.auto("g_is", degree=1)
    for m in range(4):
        rest.use(f"seen{m}", label=f"is{m}").have(f"u({m}, i) = 1/(i - {m})", f"value{m}", use=f"is{m} u{m}", degree=1)
        rest.rewrite(f"value{m}")
    rest.positive("i", "z")
    for r in range(2, 6):
        rest.have(f"1/i <= 1/{r}", f"far{r}", use="z_i z_e case_above4", multipliers=["1/i"])
    rest.use("large", "i", label="g_is")
    for a, b in (("i", 2), ("i", 1), ("i - 1", 1), ("i", 0), ("i - 1", 0), ("i - 2", 0)):
        rest.use("more", a, str(b), label=rest.fresh("step"))
    for k in range(4):
        rest.use("first", f"i - {k}", label=f"inverse{k}")
    rest.apart("; ".join(f"relu(1/(i - 0) - 1/{r})" for r in range(2, 6)), lambda h: h.auto(degree=1, rounds=0))


def heads_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        last = list(h.facts)[-1]
        h.use("lem:hardmax_total", "l. I[m < l]", "i", None, label="ge total beaten positive").auto(
            [last, "positive"], degree=1, rounds=0
        )

    g.leaves("f g u m i", leaf)


def heads_inhabited(g: Goal) -> None:
    """The heads as they are, given as a function of m and i."""
    exist("m i. sum(j, 1, i, hardmax(l. I[m < l], i, j)*I[j = m + 1])", "1")(g)


def flagged_head(g: Goal) -> None:
    g.intro("m i low some")
    seen, none = g.split()
    seen.intro("room").use("ax:int_lt", "m", "i", label="next")

    def at_most_one(h: Goal, top: str) -> None:
        h.intro("p (pl ph)")
        for e in h.ind("m < p", "at bit_at"):
            e.auto(f"bit_at {top}", degree=1)

    def key(h: Goal) -> None:
        h.intro("k (kl kh)")
        flagged, plain = h.ind("m < k", "is value")
        flagged.have("maximal(l. I[m < l], i, k)", "top", lambda e: at_most_one(e, "value"))
        high, low = flagged.ind("maximal(l. I[m < l], i, k)", "max bit")
        high.auto("bit value", degree=1)
        low.absurd("top", "max")
        high, low = plain.ind("maximal(l. I[m < l], i, k)", "max bit")
        high.use("max", "m + 1", label="below").auto("below value", degree=1)
        low.auto("bit value", degree=1)

    seen.use("lem:sum_ext", "k. I[maximal(l. I[m < l], i, k)]", "k. I[m < k]", "1", "i", key, label="keys")
    seen.use("lem:sum_split", "k. I[m < k]", "1", "m", "i", label="parts")

    def flat(value: int) -> Tactic:
        def run(h: Goal) -> None:
            h.intro("k (kl kh)")
            flagged, plain = h.ind("m < k", "is value")
            same, other = (flagged, plain) if value else (plain, flagged)
            same.auto("value", degree=1)
            other.contra("no").auto("is kl kh", degree=1)

        return run

    seen.use("lem:sum_ext", "k. I[m < k]", "k. 0", "1", "m", flat(0), label="before")
    seen.use("lem:sum_ext", "k. I[m < k]", "k. 1", "m + 1", "i", flat(1), label="after")
    seen.use("lem:sum_one", "m + 1", "i", label="ones")
    seen.have(
        "sum(k, 1, i, I[maximal(l. I[m < l], i, k)]) = i - m", "count", use="keys parts before after ones", degree=1
    )
    seen.use("lem:sum_delta", "j. hardmax(l. I[m < l], i, j)", "1", "i", "m + 1", label="picked")
    seen.have("maximal(l. I[m < l], i, m + 1)", "top", lambda e: at_most_one(e, "low"))
    high, lower = seen.ind("maximal(l. I[m < l], i, m + 1)", "max bit")
    lower.absurd("top", "max")
    high.rewrite("count").rewrite("count", "picked", "is").rewrite("bit", "is", "there")
    high.auto("there", degree=1, rounds=0)
    none.intro("full")

    def off(h: Goal) -> None:
        h.intro("j (jl jh)")
        here, away = h.ind("j = m + 1", "is value")
        here.contra("no").auto("is jh full", degree=1)
        away.rewrite("value").true()

    none.use("lem:sum_ext", "j. hardmax(l. I[m < l], i, j)*I[j = m + 1]", "j. 0", "1", "i", off, label="zero").auto(
        "zero", degree=1
    )


def lemma10(g: Goal) -> None:
    bound, roots, compare = g.split()
    bound.intro("f g i (first more) (small large) low")
    *few, rest = four(bound, "i")
    for n, h in enumerate(few, 1):
        h.use("small", str(n), "!", label="is").auto("is")
    tied(rest, "tie_value", "i", label="value up")
    rest.positive("i^4", "q", lambda h: h.have("0 < i^2", "two").auto("two"))
    rest.positive("(i*(i - 1)*(i - 2)*(i - 3))", "z", lambda h: product_of(h, "i", "case_above4"))
    rest.have("6*i^4 < 50*(i*(i - 1)*(i - 2)*(i - 3))", "order", lambda h: cubic(h, "i", "case_above4"))
    rest.have(
        "g(i) = 6/100*(1/(i*(i - 1)*(i - 2)*(i - 3)))",
        "is",
        use="value z_e",
        rounds=0,
        multipliers=["1/(i*(i - 1)*(i - 2)*(i - 3))", "g(i)"],
    )
    rest.have(
        "6/100*(1/(i*(i - 1)*(i - 2)*(i - 3))) < 1/2*(1/i^4)",
        "less",
        lambda h: h.contra("no").auto(
            "no order z_p z_e z_i q_p q_e q_i", degree=2, multipliers=["1/i^4", "1/(i*(i - 1)*(i - 2)*(i - 3))"]
        ),
    )
    rest.auto("is less")
    roots.intro("x away equal")
    for h, side in zip(roots.cases("away", "far"), ("below", "above"), strict=True):
        z = "(x*(x - 1)*(x - 2)*(x - 3))"
        h.have(
            f"0 < {z}", "z", (lambda e: negative_product(e)) if side == "below" else lambda e: product_of(e, "x", "far")
        )
        h.use("ax:inv", z, label="z_e").have("0 < x^2", "two").have("0 < x^4", "q", use="two").use(
            "ax:inv", "x^4", label="q_e"
        )
        h.have(
            f"6*x^4 = 50*{z}",
            "same",
            use="equal z_e q_e",
            rounds=0,
            multipliers=[f"x^4*{z}", "x^4", z, f"x^4*{z}*(1/x^4)", "1"],
        )
        if side == "above":
            h.have(f"6*x^4 < 50*{z}", "order", lambda e: cubic(e, "x", "far")).auto("same order")
        else:
            h.have("0 < -x", "minus", use="far").have(
                "0 < -x*x*x*x*x", "fifth", lambda e: e.contra("no").auto("no minus q")
            )
            h.have(f"6*x^4 < 50*{z}", "order", cubic_below).auto("same order")
    compare.intro("x low").have("6*x^4 < 50*(x*(x - 1)*(x - 2)*(x - 3))", "order", lambda e: cubic(e, "x", "low")).auto(
        "order"
    )


def cubic(h: Goal, x: str, low: str) -> None:
    """6 x^4 < 50 x(x - 1)(x - 2)(x - 3) from 5 <= x: with x = 5 + t all coefficients in t are positive."""
    h.have(f"0 <= ({x} - 5)*({x} - 5)", "t2", use=low).have(
        f"0 <= ({x} - 5)*({x} - 5)*({x} - 5)", "t3", use=f"{low} t2"
    )
    h.have(f"0 <= ({x} - 5)*({x} - 5)*({x} - 5)*({x} - 5)", "t4", use=f"{low} t3").auto(f"{low} t2 t3 t4", degree=1)


def negative_product(h: Goal) -> None:
    """0 < x(x - 1)(x - 2)(x - 3) from x < 0."""
    h.have("0 < x*(x - 1)", "one", use="far").have("0 < (x - 2)*(x - 3)", "two", use="far").auto("one two")


def cubic_below(h: Goal) -> None:
    h.have("0 < x*x", "t2", use="far").have("x*x*x < 0", "t3", use="far t2").have("0 < x*x*x*x", "t4", use="far t3")
    h.auto("far t2 t3 t4", degree=1)


def def7_defined(names: str, x: str = "") -> Tactic:
    """D: integers from 5 on (or x < 0) make no factor zero."""

    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        for fact in [k for k, f in h.facts.items() if f[0] == "|" and k not in h.taken][:1]:
            for e in h.cases(fact, h.fresh("far")):
                leaf(e)
            return
        v = next(n for n in ("x", "i") if n in h.scope)
        h.have(f"0 < {v}^2", "square").have(f"0 < {v}^4", "quartic", use="square")
        if not h.try_auto(degree=1, rounds=0):
            h.have(f"0 < {v}*({v} - 1)", "one").have(f"0 < ({v} - 2)*({v} - 3)", "two")
            h.have(f"0 < {v}*({v} - 1)*({v} - 2)*({v} - 3)", "four", use="one two").auto(degree=1, rounds=0)

    def run(g: Goal) -> None:
        parts = [g] if not x else g.split()
        for part, n in zip(parts, [names, x], strict=False):
            part.leaves(n, leaf)

    return run


# --- Lookups: gaps, ties and saturated attention ----------------------------------------------------------------------


def lnhash_one(g: Goal) -> None:
    g.intro("q k").use("lem:lnhash_square", "q", "k", label="square")
    root(root(g, "q", "q"), "k", "k")

    def strict(h: Goal) -> None:
        """hashdot(q, k)^2 < 1 where q and k differ."""
        low, high = h.em("q <= k", "side")
        less, same = low.em("q < k", "order")
        same.have("q = k", "after_all", use="side order").absurd("after_all", "differ")
        for e in (less, high):
            e.have("0 < (q - k)^2", "apart").have(
                "0 < (q^2 + 1)*(k^2 + 1)", "denominator", lambda f: f.auto(squares=["q", "k", "q*k"])
            )
            e.contra("no").have("0 <= (hashdot(q, k)^2 - 1)*((q^2 + 1)*(k^2 + 1))", "product", use="no denominator")
            e.auto("product square apart")

    one, at_most, above, below = g.split()
    one.auto("q_n")
    at_most.use("lem:square_le", "hashdot(q, k)", "1", "!", dot_square, label="goal").hyp("goal")
    same, other = above.em("q = k", "same", "differ")
    same.rewrite("same").have("hashdot(k, k) = 1", "one", use="k_n").auto("one")
    other.have("hashdot(q, k)^2 < 1", "small", strict)
    other.use("lem:square_lt", "-hashdot(q, k)", "1", "!", lambda h: h.auto("small"), label="goal").auto("goal")
    below.intro("differ").have("hashdot(q, k)^2 < 1", "small", strict)
    below.use("lem:square_lt", "hashdot(q, k)", "1", "!", lambda h: h.auto("small"), label="goal").hyp("goal")


def hash_pair_gap(g: Goal) -> None:
    g.intro("p k m some (low high) differ").use("lem:lnhash_square", "p", "k", label="square")
    q = "(m + 1)^4"
    g.have("1 <= (m + 1)^2", "two", use="some").have(f"1 <= {q}", "four", use="two").positive(
        q, "q", lambda h: h.auto("four")
    )
    g.have("p^2 <= m^2", "first", use="low high")
    g.have("0 < (p^2 + 1)*(k^2 + 1)", "denominator", lambda f: f.auto(squares=["p", "k", "p*k"]))

    def sides(h: Goal) -> None:
        """(k^2 + 1) <= (k - p)^2 ((m + 1)^2 + 1), as |k| <= |k - p| (m + 1)."""
        left, right = h.em("k <= p", "side")
        less, same = left.em("k < p", "order")
        same.have("k = p", "after_all", use="side order").absurd("after_all", "differ")
        for e, d in ((less, "(p - k)"), (right, "(k - p)")):
            e.use("ax:int_lt", *(("k", "p") if e is less else ("p", "k")), label="step")
            e.have(f"0 <= ({d} - 1)*m", "dm", use="step some").have(f"1 <= {d}^2", "dd", use="step")
            e.have(f"0 <= {d}*(m + 1) - k", "up", use="dm step low high some", degree=1)
            e.have(f"0 <= {d}*(m + 1) + k", "down", use="dm step low high some", degree=1)
            e.have(f"0 <= ({d}*(m + 1) - k)*({d}*(m + 1) + k)", "product", use="up down").auto("product dd", degree=1)

    g.have("k^2 + 1 <= (k - p)^2*((m + 1)^2 + 1)", "second", sides)
    g.have(
        "0 <= (m^2 - p^2)*(k^2 + 1)",
        "one",
        lambda h: h.have("0 <= k^2", "kk", lambda e: e.auto(squares=["k"])).auto("first kk"),
    )
    g.have("0 <= (m^2 + 1)*((k - p)^2*((m + 1)^2 + 1) - (k^2 + 1))", "more", lambda h: h.auto("second", squares=["m"]))
    g.have(f"(m^2 + 1)*((m + 1)^2 + 1) <= {q}", "size", use="some", degree=3)
    g.have(f"0 <= (k - p)^2*({q} - (m^2 + 1)*((m + 1)^2 + 1))", "last", lambda h: h.auto("size", squares=["k - p"]))
    g.have(f"(p^2 + 1)*(k^2 + 1) <= (k - p)^2*{q}", "all_sizes", use="one more last", degree=1)
    g.have(
        f"1 <= (1 - hashdot(p, k)^2)*{q}",
        "gap",
        lambda h: (
            h.contra("no")
            .have(f"0 < (1 - (1 - hashdot(p, k)^2)*{q})*((p^2 + 1)*(k^2 + 1))", "product", use="no denominator")
            .auto("product square all_sizes", rounds=0, degree=1, multipliers=[q, "1"])
        ),
    )
    g.have(
        f"hashdot(p, k)^2 <= 1 - 1/{q}",
        "bound",
        lambda h: h.contra("no").auto("no gap q_p q_e q_i", degree=2, multipliers=["hashdot(p, k)^2", "1"]),
    )
    g.have(f"1/{q} <= 1", "small", lambda h: h.contra("no").auto("no four q_e q_i"))
    g.use("lem:sqrt_strictly_below", "hashdot(p, k)", f"1/{q}", label="goal").hyp("goal")


def tie_small(g: Goal) -> None:
    g.intro("f g (first more small large) j low")
    tied(g, "tie_positive", "j", label="above")
    root(g, "g(j)", "r")
    r = "(1/sqrt(2*g(j)^2 + 2))"
    g.have(f"{r}^2 <= 1/2", "half", lambda h: h.auto("r_n", squares=[f"g(j)*{r}"]))
    g.use("lem:square_lt", r, "3/4", "!", lambda h: h.auto("half"), label="factor")
    g.have("lnhash(g(j), 1, 1) < 3/4*g(j)", "under", use="above factor")
    positive, bound = g.split()
    positive.auto("above r_i")

    def size(h: Goal) -> None:
        *few, rest = four(h, "j")
        for n, e in enumerate(few, 1):
            e.use("small", str(n), "!", label="is").auto("is")
        z, q = "(j*(j - 1)*(j - 2)*(j - 3))", "(j + 1)^4"
        tied(rest, "tie_value", "j", label="value up")
        rest.positive(z, "z", lambda e: product_of(e, "j", "case_above4"))
        rest.have("0 < (j + 1)^2", "two", use="low").positive(q, "q", lambda e: e.auto("two"))
        rest.have(f"9*{q} < 100*{z}", "order", lambda e: shifted(e, "j", "case_above4"))
        rest.have(f"g(j) = 6/100*(1/{z})", "is", use="value z_e", rounds=0, multipliers=[f"1/{z}", "g(j)"])
        rest.have(
            f"9/100*(1/{z}) < 1/{q}",
            "less",
            lambda e: e.contra("no").auto(
                "no order z_p z_e z_i q_p q_e q_i", degree=2, multipliers=[f"1/{q}", f"1/{z}"]
            ),
        )
        rest.auto("is less")

    bound.have("3/4*g(j) < 1/(2*(j + 1)^4)", "rest", size).auto("under rest")


def shifted(h: Goal, x: str, low: str) -> None:
    """A polynomial inequality of degree 4 from 5 <= x, whose coefficients in x - 5 have one sign."""
    h.have(f"0 <= ({x} - 5)*({x} - 5)", "t2", use=low).have(
        f"0 <= ({x} - 5)*({x} - 5)*({x} - 5)", "t3", use=f"{low} t2"
    )
    h.have(f"0 <= ({x} - 5)*({x} - 5)*({x} - 5)*({x} - 5)", "t4", use=f"{low} t3").auto(f"{low} t2 t3 t4", degree=1)


def tie_argmax(g: Goal) -> None:
    g.intro("f g (first more small large) h i p (low high) match (left right) last j (jl jh) differ")
    g.use("lem:tie_score", "g", "h", "i", "j", label="at_j").use("lem:tie_score", "g", "h", "i", "p", label="at_p")

    def one(h: Goal, match: str) -> None:
        h.rewrite(match).use("lem:lnhash_one", "h(i)", "h(i)", label="o1 o2 o3 o4").hyp("o1")

    g.have("hashdot(h(i), h(p)) = 1", "best", lambda h: one(h, "match"))
    tied(g, "tie_small", "p", label="p_pos p_small")
    same, other = g.em("h(j) = h(i)", "same", "apart")
    before, after = same.em("j <= p", "side")
    less, equal = before.em("j < p", "order")
    equal.have("j = p", "after_all", use="side order").absurd("after_all", "differ")
    tied(less, "tie_order", "j", "#jl", "p", "#order", label="ties")
    less.have("hashdot(h(i), h(j)) = 1", "value", lambda h: one(h, "same"))
    less.auto("at_j at_p value best ties", degree=1, rounds=0)
    after.use("ax:int_lt", "p", "j", label="step").use("last", "j", label="no").absurd("same", "no")
    tied(other, "tie_small", "j", label="j_pos j_small")
    other.rewrite("match", "left", "left_i").rewrite("match", "right", "right_i")
    other.use("lem:hash_pair_gap", "h(i)", "h(j)", "p", label="gap")
    other.auto("gap at_j at_p best p_small j_pos", degree=1, rounds=0)


# --- Claims: reading a tape from the rightmost match ------------------------------------------------------------------

WEIGHT = "hardmax(l. tiescore(g, h, i, l), i - 1, j)"


def known_tie(h: Goal) -> None:
    both(h, "first", "more", "small", "large")


def rightmost(g: Goal, near: str, match: str, last: str) -> Goal:
    """All weight is on p, as ``only``: h(p) = h(i) by `match`, no later match by `last`, |h(p)| <= p by `near`."""
    g.use(near, "p", label="near_l near_h")
    g.use(
        "lem:tie_argmax",
        "f",
        "g",
        known_tie,
        "h",
        "i",
        "p",
        None,
        f"#{match}",
        lambda h: both(h, "near_l", "near_h"),
        f"#{last}",
        label="highest",
    )
    g.use("ax:int_lt", "1", "i", label="i_two") if "i_two" not in g.facts else None
    return g.use("lem:hardmax_unique", "l. tiescore(g, h, i, l)", "i - 1", "p", None, "#highest", label="only")


def returned(g: Goal, value: str, label: str) -> Goal:
    """The head returns the value of p: `value` is a term in j."""

    def same(h: Goal) -> None:
        h.intro("j inside").use("only", "j", label="here").rewrite("here").true()

    g.use("lem:sum_ext", f"j. {WEIGHT}*({value})", f"j. I[j = p]*({value})", "1", "i - 1", same, label=f"{label}_e")
    return g.use("lem:sum_delta", f"j. {value}", "1", "i - 1", "p", label=f"{label}_d")


def lemma7(g: Goal) -> None:
    g.intro("f g h delta i p (first more) (small large) two near (low high match) last")
    rightmost(g, "near", "match", "last")
    returned(g, "delta(j)", "out").auto("out_e out_d", degree=1, rounds=0)


def scaled(g: Goal, j: str, label: str) -> Goal:
    """phi(h(j)/j, 1/j) = phi(h(j), 1) in all coordinates."""
    return g.use(
        "lem:lnhash_scale",
        f"h({j})",
        "1",
        j,
        lambda h: h.auto(degree=1, rounds=0),
        lambda h: h.auto(squares=[f"h({j})"], degree=1),
        label=label,
    )


def lemma6(g: Goal) -> None:
    g.intro("f g h i (first more) (small large) two side near")
    found, back = g.split()
    found.intro("some c (cl ch)").use("lem:greatest_match", "h", "h(i)", "i - 1", None, "#some", label="best")
    found.obtain("best", "p", "low high match last")
    rightmost(found, "near", "match", "last")
    returned(found, "unithash(h(j)/j, 1/j, c)", "out")
    scaled(scaled(found, "p", "at_p"), "i", "at_i").use("at_p", "c", label="p_is").use("at_i", "c", label="i_is")
    found.have("unithash(h(p), 1, c) = unithash(h(i), 1, c)", "same", lambda h: h.rewrite("match").true())
    found.auto("out_e out_d p_is i_is same", degree=1, rounds=0)
    back.intro("equal").use("equal", "1", "!", label="first_c")
    yes, no = back.em("ex j in 1..i - 1. h(j) = h(i)", "some", "none")
    yes.hyp("some")

    def unseen(h: Goal) -> None:
        h.intro("j (jl jh) same").have("ex k in 1..i - 1. h(k) = h(i)", "there", lambda e: e.witness("j").easy())
        h.absurd("there", "none")

    no.have("all j in 1..i - 1. h(j) != h(i)", "unseen", unseen)
    no.use("lem:hardmax_total", "l. tiescore(g, h, i, l)", "i - 1", label="ge total beaten positive")
    scaled(no, "i", "at_i").use("at_i", "1", "!", label="i_is")
    no.use("side", "#unseen", label="sides")
    for h, sign in zip(no.cases("sides", "beyond"), ("-", ""), strict=True):

        def apart(e: Goal, below: bool = bool(sign)) -> None:
            e.intro("j (jl jh)").use("beyond", "j", label="order")
            e.use("lem:lnhash_first", *(("h(j)", "h(i)") if below else ("h(i)", "h(j)")), label="less").pick("right")
            scaled(e, "j", "at_j").use("at_j", "1", "!", label="j_is").auto("less j_is", degree=1, rounds=0)

        h.use(
            "lem:mean_above",
            f"j. {WEIGHT}",
            f"j. {sign}unithash(h(j)/j, 1/j, 1)",
            "i - 1",
            f"{sign}unithash(h(i), 1, 1)",
            "#ge",
            "#total",
            apart,
            label="mean",
        )
        h.contra("no").auto("mean first_c i_is", degree=1, rounds=0)


STEP = "j. I[1 < j]"


def one_step(h: Goal) -> None:
    """What H asks of the positions 0, 1, 1, 1, 1: the last has a match, and none is further out than their number."""
    if "|" in h.text(h.goal):
        h.intro("unseen").use("unseen", "2", "!", label="no").absurd("no")
    elif h.goal[0] == "all" and "-" in h.text(h.goal) and "I[" in h.text(h.goal):
        for e in h.intro("j (jl jh)").ind("1 < j", "is value"):
            e.easy()
    else:
        h.easy()


# Positions 1000, 1001, ..., 1001, 1000: the early match loses more by the tie-breaking term than it gains.
FAR = "k. 1000 + I[1 < k & k < 6]"
FAR_SCORES = f"l. tiescore(g, {FAR}, 6, l)"


def far(g: Goal) -> Goal:
    """f, g, the positions FAR up to i = 6, and that token 1 has weight 0, as ``lost``, since token 5 scores higher."""
    g.obtain("lem:tiebreaker_exists", "f", "exists").obtain("exists", "g", "first more small large")
    g.use("small", "1", "!", label="g1").use("large", "5", "!", label="g5_is")
    g.use("lem:difference_value", "f", lambda h: both(h, "first", "more"), "3", "!", "5", "!", label="f5")
    g.have("g(5) = 1/2000", "g5", use="g5_is f5").have("9999/10000 < hashdot(1000, 1001)", "close", near_dot)
    root(root(g, "g(1)", "a"), "g(5)", "b")
    a, b = "(1/sqrt(2*g(1)^2 + 2))", "(1/sqrt(2*g(5)^2 + 2))"
    g.have(f"{b}^2 <= 1/2", "half", lambda h: h.auto("b_n", squares=[f"g(5)*{b}"]))
    g.use("lem:square_lt", b, "3/4", "!", lambda h: h.auto("half"), label="b_small")
    g.have("g(1)^2 <= 1/100", "g1_small", lambda h: h.auto("g1", rounds=0, multipliers=["g(1)", "1"]))
    g.have(f"(7/10)^2 < {a}^2", "large_square", lambda h: h.auto("a_n g1_small", squares=[a]))
    g.use("lem:square_lt", "7/10", a, None, "#large_square", label="a_large")
    g.have(
        "6/10000 < unithash(g(1), 1, 1)",
        "loss",
        lambda h: h.have(f"0 < g(1)*({a} - 7/10)", "part", use="g1 a_large").auto("part g1"),
    )
    g.have(
        "unithash(g(5), 1, 1) < 4/10000",
        "gain",
        lambda h: h.have(f"0 < g(5)*(3/4 - {b})", "part", use="g5 b_small").auto("part g5"),
    )
    g.use("lem:lnhash_one", "1000", "1000", label="self o2 o3 o4")
    g.use("lem:tie_score", "g", FAR, "6", "1", label="at_1").use("lem:tie_score", "g", FAR, "6", "5", label="at_5")
    g.have(
        f"tiescore(g, {FAR}, 6, 1) < tiescore(g, {FAR}, 6, 5)", "wins", use="at_1 at_5 self close loss gain", degree=1
    )
    g.use("lem:hardmax_total", FAR_SCORES, "5", label="ge total beaten positive")
    return g.use("beaten", "1", "!", lambda h: h.witness("5").easy(), label="lost")


def near_dot(h: Goal) -> None:
    """hashdot(1000, 1001) is positive, and its square is known."""
    root(root(h, "1000", "a"), "1001", "b").use("lem:lnhash_square", "1000", "1001", label="square")
    h.have("0 < hashdot(1000, 1001)", "positive", use="a_i b_i", degree=2).contra("no")
    h.have("hashdot(1000, 1001)^2 <= (9999/10000)^2", "bounded", use="no positive").auto("bounded square", degree=1)


def one_sided(h: Goal) -> None:
    """Every new position among FAR is greater than all earlier ones."""
    h.pick("left").intro("m (ml mh) new j (jl jh)")
    inside, outside = h.ind("1 < m & m < 6", "m_in m_value")
    start, later = inside.em("j <= 1", "side")
    start.have("j = 1", "is_one").rewrite("is_one").auto("m_value")
    later.use("new", "j", label="no")
    here, not_here = later.ind("1 < j & j < 6", "j_in j_value")
    here.have("1000 + I[1 < j & j < 6] = 1000 + I[1 < m & m < 6]", "same", use="j_value m_value").absurd("same", "no")
    not_here.have("1 < j & j < 6", "after_all", lambda e: e.easy()).absurd("after_all", "j_in")
    last, not_last = outside.em("m <= 5", "side")
    last.have("1 < m & m < 6", "after_all", lambda e: e.easy()).absurd("after_all", "m_in")
    not_last.use("ax:int_lt", "5", "m", label="six").have("m = 6", "is_six").use("new", "1", label="no")
    not_last.rewrite("is_six", "no", "wrong").absurd("wrong")


def claimed(g: Goal, *arguments: Any, label: str) -> Goal:
    """The refuted claim at FAR."""
    differences = lambda h: both(h, "first", "more")  # noqa: E731
    ties = lambda h: both(h, "small", "large")  # noqa: E731
    names, rest = arguments[0], arguments[1:]
    return g.use("claim", "f", "g", *names, differences, ties, "!", one_sided, *rest, label=label)


def lemma6_refuted(g: Goal) -> None:
    far(g.intro("claim"))
    claimed(g, (FAR, "6"), label="there back").use("there", lambda h: h.witness("1").easy(), label="equal")
    g.use("equal", "1", "!", label="first_c")
    g.use("lem:lnhash_first", "1000", "1001", "!", label="order")

    def apart(e: Goal) -> None:
        e.intro("j (jl jh)")
        one, later = e.em("j <= 1", "side")
        one.have("j = 1", "is_one").rewrite("is_one").pick("left").hyp("lost")
        for h in later.ind("1 < j & j < 6", "j_in j_value"):
            if "j_in" in h.facts:
                h.have("1 < j & j < 6", "after_all", lambda f: f.easy()).absurd("after_all", "j_in")
                continue
            h.use(
                "lem:lnhash_scale",
                "1000 + I[1 < j & j < 6]",
                "1",
                "j",
                None,
                lambda f: f.auto(squares=["1000 + I[1 < j & j < 6]"], degree=1),
                label="here",
            )
            h.use("here", "1", "!", label="at_j").pick("right")
            h.have(
                "unithash(1000 + I[1 < j & j < 6], 1, 1) = unithash(1001, 1, 1)",
                "same",
                lambda f: f.rewrite("j_value").true(),
            )
            h.auto("at_j same order", degree=1, rounds=0)

    g.use("lem:lnhash_scale", "1000", "1", "6", "!", "!", label="scale").use("scale", "1", "!", label="value")
    g.use(
        "lem:mean_above",
        f"j. hardmax({FAR_SCORES}, 5, j)",
        "j. unithash((1000 + I[1 < j & j < 6])/j, 1/j, 1)",
        "5",
        "unithash(1000, 1, 1)",
        "#ge",
        "#total",
        apart,
        label="mean",
    )
    g.auto("mean first_c value", degree=1, rounds=0)


def lemma7_refuted(g: Goal) -> None:
    far(g.intro("claim"))

    def unseen(e: Goal) -> None:
        e.intro("j (jl jh)")
        for h in e.ind("1 < j & j < 6", "j_in j_value"):
            if "j_in" in h.facts:
                h.have("1 < j & j < 6", "after_all", lambda f: f.easy()).absurd("after_all", "j_in")
            else:
                h.rewrite("j_value").true()

    claimed(g, (FAR, "j. I[j = 1]", "6", "1"), "!", unseen, label="equal").auto("equal lost", degree=1, rounds=0)


def gap_refuted(g: Goal) -> None:
    far(g.intro("claim"))

    def two(h: Goal) -> None:
        h.pick("left").intro("m (ml mh) new j (jl jh)").have("m = 2", "m_is").rewrite("m_is").have(
            "j = 1", "j_is"
        ).rewrite("j_is").true()

    differences = lambda h: both(h, "first", "more")  # noqa: E731
    ties = lambda h: both(h, "small", "large")  # noqa: E731
    g.use("claim", "f", "g", FAR, "2", differences, ties, "!", two, label="one two three four_")
    g.use("one", "1", "!", "!", label="wrong").use("lem:tie_score", "g", FAR, "2", "1", label="form")
    g.have("hashdot(1001, 1000) = hashdot(1000, 1001)", "swap", Goal.true)
    g.auto("wrong form close", degree=1, rounds=0)


def worktape_refuted(g: Goal) -> None:
    wrong_cell(g, False)


def wrong_cell(g: Goal, halted: bool) -> None:
    """Positions 0, 0, 1, 0: at token 3 (the last, or the halting one) the last visit to cell 0 was at token 1."""
    walk = "k. I[k = 2]"
    g.intro("claim").obtain("lem:tiebreaker_exists", "f", "exists").obtain("exists", "g", "first more small large")
    differences, ties = (lambda h: both(h, "first", "more")), (lambda h: both(h, "small", "large"))

    def steps(h: Goal) -> None:
        h.intro("j (jl jh)")
        for e in h.ind("j = 2", "is v"):
            for f in e.ind("j + 1 = 2", "is_next v_next"):
                for a in f.split():
                    a.auto("v v_next")

    def stays(h: Goal) -> None:
        h.intro("j (jl jh)").have("j = 3", "is").rewrite("is").true()

    premises: list[Any] = [
        differences,
        ties,
        "!",
        *(["!"] if halted else []),
        "!",
        steps,
        "!",
        *([stays] if halted else []),
    ]
    g.use("claim", "f", "g", walk, "j. j", "3", *(["3"] if halted else []), *premises, label="returns other")

    def match(h: Goal) -> None:
        h.intro("k (kl kh)").have("k = 2", "is").rewrite("is").true()

    g.have("all k in 2..2. I[k = 2] != I[3 = 2]", "unseen", match)
    g.use(
        "returns",
        "1",
        "!",
        lambda h: [e.true() if e.goal[0] == "=" else e.hyp("unseen") for e in h.split()],
        label="wrong",
    )

    def near(h: Goal) -> None:
        for e in h.intro("j (jl jh)").ind("j = 2", "is v"):
            for a in e.split():
                a.auto("v jl")

    g.use(
        "lem:merrill2024.lemma7.corrected",
        "f",
        "g",
        walk,
        "j. j - 1",
        "3",
        "1",
        differences,
        ties,
        "!",
        near,
        "!",
        "#unseen",
        label="right",
    )
    g.auto("wrong right", degree=1, rounds=0)


def worktape(g: Goal) -> None:
    g.intro("f g h key wrote i (first more) (small large) two start steps moved keys key_i")
    found, none = g.split()
    found.intro("p (pl ph) (match last)")
    found.have("p <= i - 2", "room", before_last)
    found.use("lem:walk_bound", "h", "i", "#start", "#steps", "p", None, None, label="p_low p_high")
    found.use("keys", "p + 1", label="key_p")
    found.have("key(p + 1) = key(i)", "same", use="key_p key_i match", degree=1)

    def later(h: Goal) -> None:
        h.intro("j (jl jh) eq").use("keys", "j", label="key_j").use("last", "j - 1", label="no")
        h.have("h(j - 1) = h(i)", "there", use="key_j key_i eq", degree=1).absurd("there", "no")

    found.have("all j in p + 1 + 1..i - 1. key(j) != key(i)", "unseen", later)
    bound = lambda h: [e.auto("key_p p_low p_high", degree=1) for e in h.split()]  # noqa: E731
    found.use(
        "lem:tie_argmax", "f", "g", known_tie, "key", "i", "p + 1", None, "#same", bound, "#unseen", label="highest"
    )
    found.use("lem:hardmax_unique", "l. tiescore(g, key, i, l)", "i - 1", "p + 1", None, "#highest", label="only")

    def weighted(h: Goal) -> None:
        h.intro("j inside").use("only", "j", label="here").rewrite("here").true()

    found.use(
        "lem:sum_ext",
        "j. hardmax(l. tiescore(g, key, i, l), i - 1, j)*wrote(j - 1)",
        "j. I[j = p + 1]*wrote(j - 1)",
        "1",
        "i - 1",
        weighted,
        label="out_e",
    )
    found.use("lem:sum_delta", "j. wrote(j - 1)", "1", "i - 1", "p + 1", label="out_d").auto(
        "out_e out_d", degree=1, rounds=0
    )
    none.intro("never").use("lem:walk_side", "h", "i", "h(i)", None, "#steps", "#never", label="sides")

    def sides(h: Goal) -> None:
        for e, side in zip(h.cases("sides", "side"), ("left", "right"), strict=True):
            e.pick(side).intro("j (jl jh)").use("keys", "j", label="key_j").use("side", "j - 1", label="here")
            e.auto("key_j key_i here", degree=1)

    none.intro("equal").use("lem:tie_no_match", "g", "key", "i", None, sides, "#equal", label="wrong").absurd("wrong")


def worktape_inhabited(g: Goal, halted: bool = False) -> None:
    """0, 0, 1, 0 comes back to cell 0; 0, 1, 2 meets a new cell."""

    def leaf(low: int, high: int) -> Tactic:
        def run(h: Goal) -> None:
            if h.goal[0] != "all" or "g(" in h.text(h.goal) or "f(" in h.text(h.goal):
                h.easy()
                return
            h.intro("j (jl jh)")
            for n in range(low, high + 1):
                here, h = h.em(f"j <= {n}", f"at{n}")
                h.use("ax:int_lt", str(n), "j", label=f"over{n}")
                if here.try_contradiction():
                    continue
                here.have(f"j = {n}", "j_is").rewrite("j_is")
                for e in here.split() if here.goal[0] == "&" else [here]:
                    e.true()
            h.contra("no").auto(f"over{high} jh", degree=1)

        return run

    back, new = g.split()
    stop = [["3"], ["2"]] if halted else [[], []]
    exist("k. I[k = 2]", "k. 0", "k. k", *stop[0], "3", "1", leaf=leaf(0, 3))(back)
    exist("k. k", "k. 2*I[k = 2]", "k. k", *stop[1], "2", leaf=leaf(0, 2))(new)


def output(g: Goal) -> None:
    g.intro("f g h key wrote stop i (first more) (small large) two late start steps moved right keys key_i")
    g.use("right", "i", label="i_is")

    def walk(h: Goal) -> None:
        h.intro("j (jl jh)")
        before, after = h.em("j <= stop - 1", "side")
        before.use("steps", "j", label="down up")
        both(before, "down", "up")
        after.use("ax:int_lt", "stop - 1", "j", label="step")
        after.use("right", "j", label="here").use("right", "j + 1", label="next")
        for e in after.split():
            e.auto("here next", degree=1)

    def moves(h: Goal) -> None:
        halting, later = h.em("i <= stop", "side")
        halting.have("i = stop", "is").rewrite("is").hyp("moved")
        later.use("ax:int_lt", "stop", "i", label="step").use("right", "i - 1", label="before")
        later.intro("same").auto("same before i_is", degree=1)

    known = (lambda h: both(h, "first", "more")), (lambda h: both(h, "small", "large"))
    claim = "lem:merrill2024.thm2.worktape.corrected"
    g.use(
        claim,
        "f",
        "g",
        "h",
        "key",
        "wrote",
        "i",
        *known,
        None,
        "#start",
        walk,
        moves,
        "#keys",
        "#key_i",
        label="found none",
    )

    def beyond(h: Goal, seen: str) -> None:
        """A position from the halting step on is to the left of h(i)."""
        h.use("ax:int_lt", "stop - 1", seen, label="step").use("right", seen, label="here")
        h.intro("same").auto("same here i_is " + ("kh" if seen == "k" else "jh"), degree=1)

    def unseen(h: Goal) -> None:
        h.intro("k (kl kh)")
        before, after = h.em("k <= stop - 1", "side")
        before.use("last", "k", label="goal").hyp("goal")
        beyond(after, "k")

    def never(h: Goal) -> None:
        h.intro("j (jl jh)")
        before, after = h.em("j <= stop - 1", "side")
        before.use("absent", "j", label="goal").hyp("goal")
        beyond(after, "j")

    first, second = g.split()
    first.intro("p (pl ph) (match last)").have("all k in p + 1..i - 1. h(k) != h(i)", "unseen", unseen)
    first.use("found", "p", None, lambda h: both(h, "match", "unseen"), label="goal").hyp("goal")
    second.intro("absent equal").use("none", never, "#equal", label="wrong").absurd("wrong")


def before_last(h: Goal) -> None:
    """p is not i - 1, since the position changed there."""
    low, high = h.em("p <= i - 2", "side")
    low.hyp("side")
    high.use("ax:int_lt", "i - 2", "p", label="step").have("p = i - 1", "p_is", use="step ph").rewrite(
        "p_is", "match", "there"
    )
    high.have("h(i) = h(i - 1)", "back", use="there").absurd("back", "moved")


# --- Claims: reading the input tape -----------------------------------------------------------------------------------


def input_highest(g: Goal, weight: str) -> Goal:
    """Where 1 <= h(i) <= n (`low`, `high`): the score is highest at h(i) alone, as ``highest``."""
    g.use("lem:input_low", weight, "n", "h", "i", "h(i)", "#late", "#low", "#high", label="best_s best_k")
    g.use("lem:lnhash_one", "h(i)", "h(i)", label="self s2 s3 s4")

    def less(h: Goal) -> None:
        h.intro("j (jl jh) differ")
        near, beyond = h.em("j <= n", "side")
        near.use("lem:input_low", weight, "n", "h", "i", "j", "#late", "#jl", "#side", label="here_s here_k")
        near.use("lem:lnhash_one", "h(i)", "j", label="o1 o2 o3 o4")
        near.have(
            "h(i) != j",
            "apart",
            lambda e: e.intro("same").have("j = h(i)", "back", use="same").absurd("back", "differ"),
        )
        near.use("o4", "#apart", label="below").auto("below here_s best_s self", degree=1, rounds=0)
        beyond.use("lem:input_high", weight, "n", "h", "i", "j", "#late", "#side", label="here_s here_k")
        beyond.use("lem:lnhash_one", "h(i)", "h(j)", label="o1 o2 o3 o4").auto(
            "o2 here_s best_s self", degree=1, rounds=0
        )

    goal = f"all j in 1..i - 1. j != h(i) -> inputscore({weight}, n, h, i, j) < inputscore({weight}, n, h, i, h(i))"
    return g.have(goal, "highest", less)


def input_returned(g: Goal, weight: str, value: str) -> Goal:
    """The head returns the value of token h(i), as ``out_e`` and ``out_d``."""
    scores = f"l. inputscore({weight}, n, h, i, l)"
    g.have("h(i) <= i - 1", "seen", lambda h: h.use("ax:int_lt", "n", "i", label="next").auto("next high", degree=1))
    g.have("1 <= i - 1", "room", use="seen low", degree=1)
    g.use("lem:hardmax_unique", scores, "i - 1", "h(i)", lambda h: both(h, "low", "seen"), "#highest", label="only")

    def same(h: Goal) -> None:
        h.intro("j inside").use("only", "j", label="here").rewrite("here").true()

    g.use(
        "lem:sum_ext",
        f"j. hardmax({scores}, i - 1, j)*({value})",
        f"j. I[j = h(i)]*({value})",
        "1",
        "i - 1",
        same,
        label="out_e",
    )
    return g.use("lem:sum_delta", f"j. {value}", "1", "i - 1", "h(i)", lambda h: both(h, "low", "seen"), label="out_d")


def lemma4(g: Goal) -> None:
    g.intro("n h sigma i some late (low high)")
    unique, value = input_highest(g, "1").split()
    unique.hyp("highest")
    input_returned(value, "1", "sigma(j)").auto("out_e out_d", degree=1, rounds=0)


def lemma3(g: Goal) -> None:
    g.intro("n h i some late")
    there, back = g.split()
    there.intro("(low high) c (cl ch)")
    input_returned(input_highest(there, "2"), "2", "inputkey(n, h, j, c)")
    there.use("lem:input_high", "2", "n", "h", "i", "i", "#late", "#late", label="i_s i_k").use(
        "i_k", "c", label="i_is"
    )
    there.use("best_k", "c", label="p_is").auto("out_e out_d i_is p_is", degree=1, rounds=0)
    back.intro("equal").use("equal", "1", "!", label="first_c")
    back.use("lem:input_high", "2", "n", "h", "i", "i", "#late", "#late", label="i_s i_k").use(
        "i_k", "1", "!", label="i_is"
    )
    back.have("1 <= i - 1", "room", lambda h: h.use("ax:int_lt", "n", "i", label="next").auto("next some", degree=1))
    back.use("lem:hardmax_total", "l. inputscore(2, n, h, i, l)", "i - 1", label="ge total beaten positive")
    right, left = back.em("1 <= h(i)", "low")
    inside, beyond = right.em("h(i) <= n", "high")
    both(inside, "low", "high")
    outside(left, "").contra("no").auto("mean first_c i_is", degree=1, rounds=0)
    outside(beyond, "-").contra("no").auto("mean first_c i_is", degree=1, rounds=0)


def outside(g: Goal, sign: str) -> Goal:
    """All input positions are on one side of h(i), and decoding tokens have weight 0: the mean lies on that side."""

    def apart(e: Goal) -> None:
        e.intro("j (jl jh)")
        near, late = e.em("j <= n", "side")
        near.use("lem:input_low", "2", "n", "h", "i", "j", "#late", "#jl", "#side", label="here_s here_k").use(
            "here_k", "1", "!", label="key"
        )
        near.pick("right").use("lem:lnhash_first", *(("j", "h(i)") if sign else ("h(i)", "j")), label="less")
        near.auto("less key", degree=1, rounds=0)
        late.use("lem:input_high", "2", "n", "h", "i", "j", "#late", "#side", label="here_s here_k")
        late.use("lem:lnhash_one", "h(i)", "h(j)", label="a1 a2 a3 a4").use(
            "lem:lnhash_one", "h(i)", "1", label="b1 b2 b3 b4"
        )
        late.use("lem:input_low", "2", "n", "h", "i", "1", "#late", "!", "#some", label="one_s one_k").pick("left")
        late.have("inputscore(2, n, h, i, j) < inputscore(2, n, h, i, 1)", "less", use="here_s one_s a2 b3", degree=1)
        late.use("beaten", "j", None, lambda h: h.witness("1").easy(), label="goal").hyp("goal")

    z = f"j. {sign}inputkey(n, h, j, 1)"
    return g.use(
        "lem:mean_above",
        "j. hardmax(l. inputscore(2, n, h, i, l), i - 1, j)",
        z,
        "i - 1",
        f"{sign}unithash(h(i), 1, 1)",
        "#ge",
        "#total",
        apart,
        label="mean",
    )


# A head that goes left from 0 to -3 and comes back: it meets -2 twice, outside of the input.
LEFT = "k. 2 - k + 2*I[k = 6]"
LEFT_SCORES = f"l. inputscore(1, 1, {LEFT}, 6, l)"


def lemma3_refuted(g: Goal) -> None:
    g.intro("claim").use("claim", "1", LEFT, "6", "!", "!", label="there back")
    g.use("lem:lnhash_one", "-2", "1", label="d1 d2 d3 d4").use("lem:lnhash_one", "-2", "-2", label="self s2 s3 s4")
    root(root(g, "-2", "a"), "1", "b").have("hashdot(-2, 1) < 0", "minus", use="a_i b_i", degree=2)
    g.use("lem:input_high", "1", "1", LEFT, "6", "4", "!", "!", label="best_s best_k")
    g.use("lem:input_high", "1", "1", LEFT, "6", "6", "!", "!", label="last_s last_k")

    def less(h: Goal) -> None:
        h.intro("j (jl jh) differ")
        for n in (1, 2, 3, 4, 5):
            e, h = h.em(f"j <= {n}", f"at{n}")
            h.use("ax:int_lt", str(n), "j", label=f"over{n}")
            e.have(f"j = {n}", "j_is")
            if n == 4:
                e.absurd("j_is", "differ")
                continue
            e.rewrite("j_is")
            if n == 1:
                e.use("lem:input_low", "1", "1", LEFT, "6", "1", "!", "!", "!", label="here_s here_k")
                e.auto("here_s best_s minus self", degree=1, rounds=0)
            else:
                e.use("lem:input_high", "1", "1", LEFT, "6", str(n), "!", "!", label="here_s here_k")
                e.use("lem:lnhash_one", "-2", str(2 - n), label="e1 e2 e3 e4").use("e4", "!", label="below")
                e.auto("here_s best_s below self", degree=1, rounds=0)
        h.contra("no").auto("over5 jh", degree=1)

    g.use("lem:hardmax_unique", LEFT_SCORES, "5", "4", "!", less, label="only")

    def output(h: Goal) -> None:
        h.intro("c (cl ch)")

        def same(e: Goal) -> None:
            e.intro("j inside").use("only", "j", label="here").rewrite("here").true()

        value = f"inputkey(1, {LEFT}, j, c)"
        h.use(
            "lem:sum_ext",
            f"j. hardmax({LEFT_SCORES}, 5, j)*{value}",
            f"j. I[j = 4]*{value}",
            "1",
            "5",
            same,
            label="out_e",
        )
        h.use("lem:sum_delta", f"j. {value}", "1", "5", "4", label="out_d")
        h.use("best_k", "c", label="p_is").use("last_k", "c", label="i_is").auto(
            "out_e out_d p_is i_is", degree=1, rounds=0
        )

    g.use("back", output, label="wrong low").absurd("wrong")


def lookup_defined(names: str, attention: str = "", size: str = "i - 1") -> Tactic:
    """D of statements about lookups: roots of hashes, and the normaliser of the attention."""

    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        fact = list(h.facts)[-1]
        text = h.text(h.goal if h.goal[0] != "false" else h.facts[fact])
        use = [] if h.goal[0] != "false" else [fact]
        squares: list[str] = []
        ints = [n for n, sort in h.scope.items() if sort == "Int"]
        if "i^4" in text:
            h.have("0 < i^2", "square").have("0 < i^4", "quartic", use="square").auto(
                [*use, "quartic"], degree=1, rounds=0
            )
            return
        if "I[all" in text:
            h.use("lem:hardmax_total", attention, size, label="w1 w2 w3 positive").auto(
                [*use, "positive"], degree=1, rounds=0
            )
            return
        for n in ints:
            if f"g({n})" in text:
                root(h, f"g({n})", f"g{n}")
                use += [f"g{n}_{k}" for k in "pei"]
                squares.append(f"g({n})")
            elif f"key({n})/{n}" in text:
                h.use("lem:lnhash_plane", f"key({n})", n, label=f"{n}_z {n}_s")
                use += [f"{n}_z", f"{n}_s"]
            elif f"h({n})/{n}" in text:
                h.use("lem:lnhash_plane", f"h({n})", n, label=f"{n}_z {n}_s")
                use += [f"{n}_z", f"{n}_s"]
            else:
                for x in (n, f"h({n})", f"h(h({n}))"):
                    if x in text:
                        label = f"r{len(use)}"
                        root(h, x, label)
                        use += [f"{label}_{k}" for k in "pei"]
                        squares.append(x)
        h.auto(use, degree=1, rounds=0, squares=squares)

    return lambda g: g.leaves(names, leaf)


KEY_SCORES = "l. tiescore(g, key, i, l)"
TIE_SCORES = "l. tiescore(g, h, i, l)"


# --- Claims: Theorems 1 and 2, step by step ---------------------------------------------------------------------------


def saturated(g: Goal) -> None:
    g.intro("s n v some v_is").use("lem:hardmax_total", "s", "n", label="ge total beaten positive")
    g.have("0 < v", "v_p", use="v_is positive").use("ax:int_lt", "0", "v", label="one")
    first, second, third = g.split()
    first.auto("one")
    second.hyp("total")
    third.intro("j inside")
    yes, no = third.ind("maximal(s, n, j)", "is value")
    left, right = yes.pick("left").split()
    left.hyp("is")
    right.rewrite("v_is").auto("value", rounds=0, multipliers=["1/sum(m, 1, n, I[maximal(s, n, m)])"])
    left, right = no.pick("right").split()
    left.hyp("is")
    right.auto("value", rounds=0, multipliers=["1/sum(m, 1, n, I[maximal(s, n, m)])"])


def saturated_inhabited(g: Goal) -> None:
    """Scores 1, 1, 0: two of them are maximal."""
    scores = "l. I[l <= 2]"

    def count(h: Goal) -> None:
        def best(e: Goal) -> None:
            for f in e.intro("k (kl kh)").ind("k <= 2", "is v"):
                f.auto("v")

        if h.goal[0] == "~":  # position 1 is no case of the second part
            h.have(f"maximal({scores}, 3, 1)", "one", best).intro("(no rest)").absurd("one", "no")
            return
        if h.goal[0] != "=" or "I[all" not in h.text(h.goal):
            h.easy()
            return

        h.have(f"maximal({scores}, 3, 1)", "one", best)
        h.have(
            f"~maximal({scores}, 3, 3)",
            "three",
            lambda e: e.intro("all_k").use("all_k", "1", "!", label="no").absurd("no"),
        )
        h.have(f"I[maximal({scores}, 3, 1)] = 1", "v1", lambda e: known(e, f"maximal({scores}, 3, 1)", "one"))
        h.have(f"I[maximal({scores}, 3, 3)] = 0", "v3", lambda e: known(e, f"maximal({scores}, 3, 3)", "three"))
        h.auto("v1 v3", degree=1)

    def known(e: Goal, formula: str, label: str) -> None:
        for f in e.ind(formula, "is v"):
            try:
                f._branch(f.goal).hyp("v")
                if f.text(f.facts["is"]) == f.text(f.facts[label]):
                    f.hyp("v")
                    continue
            except Stuck:
                pass
            f.absurd(*(("is", label) if f.facts[label][0] == "~" else (label, "is")))

    parts = g.split()
    for h in parts:
        h.inhabit(scores, "3", "2", *["1"] * (h.text(h.goal).count("ex ") - 3), leaf=count)


def saturated_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        last = list(h.facts)[-1]
        h.use("lem:hardmax_total", "s", "n", label="ge total beaten positive").auto(
            [last, "p2", "positive"], degree=1, rounds=0
        )

    g.leaves("s n v", leaf)


MATCHES = "l. hashmatch(q, k, i, l)"
BEST_MATCH = f"maximal({MATCHES}, i - 1, j)"


def lookup(g: Goal) -> None:
    g.intro("q k v i two some").obtain("some", "p", "low high match")
    g.use("lem:lnhash_one", "q", "q", label="self s2 s3 s4")

    def same(h: Goal) -> None:
        h.intro("j (jl jh)").use("lem:match_score", "q", "k", "i", "j", label="at_j")
        h.use("lem:lnhash_one", "q", "k(j)", label="j1 j2 j3 j4")
        for e in h.ind("k(j) = q", "here here_v"):
            for f in e.ind(BEST_MATCH, "best best_v"):
                if f.facts["here"][0] == "=" and f.facts["best"][0] == "~":
                    f.have("hashdot(q, k(j)) = 1", "one", lambda a: a.rewrite("here").hyp("self"))
                    f.have(BEST_MATCH, "after_all", all_below).absurd("after_all", "best")
                elif f.facts["here"][0] == "~" and f.facts["best"][0] == "all":
                    f.have(
                        "q != k(j)",
                        "apart",
                        lambda a: a.intro("eq").have("k(j) = q", "back", use="eq").absurd("back", "here"),
                    )
                    f.use("j4", "#apart", label="less").use("best", "p", label="at_p")
                    f.use("lem:match_score", "q", "k", "i", "p", label="p_is")
                    f.have("hashdot(q, k(p)) = 1", "one", lambda a: a.rewrite("match").hyp("self"))
                    f.contra("no").auto("less at_p p_is one at_j", degree=1, rounds=0)
                else:
                    f.auto("here_v best_v", rounds=0)

    def all_below(h: Goal) -> None:
        h.intro("m (ml mh)").use("lem:match_score", "q", "k", "i", "m", label="at_m")
        h.use("lem:lnhash_one", "q", "k(m)", label="m1 m2 m3 m4").auto("m2 at_m at_j one", degree=1, rounds=0)

    g.have(f"all j in 1..i - 1. I[{BEST_MATCH}] = I[k(j) = q]", "same", same)
    g.use("lem:sum_ext", f"j. I[{BEST_MATCH}]", "j. I[k(j) = q]", "1", "i - 1", "#same", label="totals")

    def weighted(h: Goal) -> None:
        h.intro("j inside").use("same", "j", label="here").rewrite("here").true()

    g.use("lem:sum_ext", f"j. I[{BEST_MATCH}]*v(j)", "j. I[k(j) = q]*v(j)", "1", "i - 1", weighted, label="values")
    t, z = f"sum(j, 1, i - 1, I[{BEST_MATCH}])", "sum(j, 1, i - 1, I[k(j) = q])"
    g.have(f"1/{t} = 1/{z}", "inverse", lambda h: h.rewrite("totals").true())
    g.auto(
        "values inverse",
        rounds=0,
        multipliers=[
            f"1/{t}",
            f"1/{z}",
            "sum(j, 1, i - 1, I[k(j) = q]*v(j))",
            f"sum(j, 1, i - 1, I[{BEST_MATCH}]*v(j))",
        ],
    )


def lookup_matches(g: Goal) -> Goal:
    """The number of matches is positive: D of the average."""
    some = next(k for k, f in g.facts.items() if f[0] == "ex")
    g.obtain(some, "p", "p_low p_high p_match")

    def bit(h: Goal) -> None:
        for e in h.intro("j inside").ind("k(j) = q", "is value"):
            e.auto("value")

    g.use("lem:sum_member", "j. I[k(j) = q]", "1", "i - 1", "p", None, bit, label="member")

    def one(h: Goal) -> None:
        for e in h.ind("k(p) = q", "is value"):
            e.hyp("value") if e.facts["is"][0] == "=" else e.absurd("p_match", "is")

    return g.have("I[k(p) = q] = 1", "one", one)


def lookup_claim_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        text = h.text(h.goal if h.goal[0] != "false" else h.facts[list(h.facts)[-1]])
        if "I[all" in text:
            h.use("lem:hardmax_total", MATCHES, "i - 1", label="w1 w2 w3 positive").auto(
                [list(h.facts)[-5], "positive"], degree=1, rounds=0
            )
        elif "sqrt" not in text and "I[k(" in text:
            lookup_matches(h).auto(degree=1, rounds=0)
        else:
            last = list(h.facts)[-1]
            h.use("lem:lnhash_plane", "q", "i", label="q_z q_s")
            for n in [n for n, sort in h.scope.items() if sort == "Int" and n != "i" and f"k({n})" in text]:
                h.use("lem:lnhash_plane", f"k({n})", n, label=f"{n}_z {n}_s")
            h.auto([k for k in h.facts if k == last or k.endswith(("_z", "_s"))], degree=1, rounds=0)

    g.leaves("q k v i", leaf)


def direct(g: Goal) -> None:
    g.intro("q i k j ilow jlow").use("lem:merrill2024.lemma2", "q/i", "k/j", label="form bound there back")
    for h, label in zip(g.split(), ("bound", "there", "back"), strict=True):
        h.hyp(label)


def direct_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if not h.try_auto(degree=1, rounds=0, squares=["q/i", "k/j"]):
            root(root(h, "q/i", "rq"), "k/j", "rk").auto(degree=1, rounds=0)

    g.leaves("q i k j", leaf)


def at_dollar(g: Goal, value: str) -> Goal:
    """Only token 0 has the value: ``total`` is that of token 0."""

    def rest(h: Goal) -> None:
        h.intro("j (jl jh) other").have("1 <= j", "one", after_zero).use("others", "j", label="no")
        for e in h.ind("x(j) = dollar", "is value"):
            e.absurd("is", "no") if e.facts["is"][0] == "=" else e.auto(
                "value", rounds=0, multipliers=["1", "I[j = 0 | n < j]"] if "n" in e.scope else ["1"]
            )

    g.use("lem:sum_only", f"j. {value}", "0", "i - 1", "0", None, rest, label="total")

    def one(h: Goal) -> None:
        for e in h.ind("x(0) = dollar", "is value"):
            e.hyp("value") if e.facts["is"][0] == "=" else e.absurd("start", "is")

    return g.have("I[x(0) = dollar] = 1", "one", one)


def after_zero(h: Goal) -> None:
    low, high = h.em("j <= 0", "side")
    low.have("j = 0", "after_all", use="side jl").absurd("after_all", "other")
    high.use("ax:int_lt", "0", "j", label="goal").auto("goal")


VISIBLE = "I[j = 0 | n < j]"


def visible_count(g: Goal) -> Goal:
    """The visible tokens are 0 and n + 1..i - 1: i - n of them, as ``count``."""
    g.use("ax:int_lt", "n", "i", label="next")
    g.use("lem:sum_split", f"j. {VISIBLE}", "0", "0", "i - 1", label="first_split")
    g.use("lem:sum_split", f"j. {VISIBLE}", "1", "n", "i - 1", label="second_split")

    def none(h: Goal) -> None:
        h.intro("j (jl jh)")
        for e in h.ind("j = 0 | n < j", "is value"):
            if "is" in e.facts and e.facts["is"][0] == "|":
                for f in e.cases("is", "side"):
                    f.contra("no").auto("side jl jh", degree=1)
            else:
                e.auto("value")

    def all_of_them(h: Goal) -> None:
        h.intro("j (jl jh)")
        for e in h.ind("j = 0 | n < j", "is value"):
            if e.facts["is"][0] == "|":
                e.auto("value")
            else:
                e.have("j = 0 | n < j", "after_all", lambda f: f.pick("right").auto("jl", degree=1)).absurd(
                    "after_all", "is"
                )

    g.use("lem:sum_ext", f"j. {VISIBLE}", "j. 0", "1", "n", none, label="middle")
    g.use("lem:sum_ext", f"j. {VISIBLE}", "j. 1", "n + 1", "i - 1", all_of_them, label="last")
    g.use("lem:sum_one", "n + 1", "i - 1", label="ones")
    return g.have(
        f"sum(j, 0, i - 1, {VISIBLE}) = i - n",
        "count",
        use="first_split second_split middle last ones",
        degree=1,
        rounds=0,
    )


def invd(g: Goal) -> None:
    g.intro("x dollar n i nlow late start others")
    at_dollar(visible_count(g), f"{VISIBLE}*I[x(j) = dollar]").rewrite("count")
    g.auto("total one", rounds=0, multipliers=["1/(i - n)"])


def invd_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if not h.try_auto(degree=1, rounds=0):
            visible_count(h).auto(degree=1, rounds=0)

    g.leaves("x dollar n i", leaf)


def unit_square(h: Goal, x: str) -> None:
    values = [
        f"{sign}{top}*(1/sqrt(2*({x})^2 + 2))" for sign, top in (("", f"({x})"), ("", "1"), ("-", f"({x})"), ("-", "1"))
    ]
    multipliers = [f"phi({n})" for n in (1, 2, 3, 4)] + values + ["1"]
    h.auto("is1 is2 is3 is4 r_n", rounds=0, multipliers=multipliers)


def select(g: Goal) -> None:
    g.intro("i n d phi nlow late bit is")

    def value(h: Goal, d: int) -> None:
        x, other = ("1/i", "1/(i - n)") if d == 0 else ("1/(i - n)", "1/i")
        h.intro("c (cl ch)").use("is", "c", label="here").rewrite("d_is", "here", "now")
        h.use("lem:unithash_bound", other, "c", label="low high")
        h.use("lem:relu_pair", f"unithash({x}, 1, c)", label="pair x_off").use(
            "lem:relu_pair", f"unithash({other}, 1, c)", label="y_pair off"
        )
        h.use("off", "#low", "#high", label="off1 off2").auto("now pair off1 off2", degree=1, rounds=0)

    for h, d in zip(g.cases("bit", "d_is"), (0, 1), strict=True):
        x = ("1/i", "1/(i - n)")[d]
        h.have(f"all c in 1..4. phi(c) = unithash({x}, 1, c)", "values", lambda e, d=d: value(e, d))
        entries, norm = h.split()
        for e, k in zip(entries.intro("c (cl ch)").split(), (0, 1), strict=True):
            e.intro("d_now")
            if k == d:
                e.use("values", "c", label="goal").hyp("goal")
            else:
                e.rewrite("d_is", "d_now", "wrong").contra("no").absurd("wrong")
        norm.use("lem:layernorm_hash", "phi", x, "#values", label="goal").hyp("goal")


def selected(g: Goal) -> None:
    """H for d = 0 and for d = 1: i = 2, n = 1, phi by its formula."""
    hashes = ("unithash(1/2, 1, c)", "unithash(1/(2 - 1), 1, c)")
    for h, d in zip(g.split(), (0, 1, 0), strict=True):
        signs = "".join(
            f"{o} relu({a} {s} {u})"
            for a, u in ((f"-{d}", hashes[0]), (f"{d} - 1", hashes[1]))
            for o, s in (("+", "+"), ("-", "-"))
        )
        h.inhabit("2", "1", str(d), f"c. 0{signs}", "1")


def select_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0, squares=["1/i", "1/(i - n)"]):
            return
        last = list(h.facts)[-1]
        text = h.text(h.goal if h.goal[0] != "false" else h.facts[last])
        if "phi(" not in text:
            root(root(h, "1/i", "ri"), "1/(i - n)", "rn").auto(degree=1, rounds=0)
            return
        values = next(
            k for k, f in h.facts.items() if f[0] == "all" and "relu" not in h.text(f) and "phi(" in h.text(f)
        )
        bit = next(k for k, f in h.facts.items() if f[0] == "|")
        for e, d, x in zip(h.cases(bit, "d_is"), (0, 1), ("1/i", "1/(i - n)"), strict=True):
            for c in (1, 2, 3, 4):
                e.use(values, str(c), "!", label=f"v{c}_0 v{c}_1").use(f"v{c}_{d}", "#d_is", label=f"is{c}")
            unit_sum(root(e, x, "r"), x)
            if e.goal[0] == "false":
                square = "sum(b, 1, 4, (phi(b) - sum(a, 1, 4, phi(a))/4)^2)"
                e.use("lem:sqrt_equals", square, "1", "!", lambda f: f.auto("unit"), label="one").auto(
                    [last, "one"], degree=1, rounds=0
                )
            else:
                e.auto("unit", degree=1, rounds=0)

    g.leaves("i n d phi", leaf)


def unit_sum(g: Goal, x: str) -> Goal:
    """The squares of the selected hash sum to 1, as ``unit``, from ``is1`` to ``is4``."""
    mean = "sum(a, 1, 4, phi(a))/4"
    g.have(f"{mean} = 0", "mean", use="is1 is2 is3 is4", degree=1, rounds=0)
    return g.have(f"sum(b, 1, 4, (phi(b) - {mean})^2) = 1", "unit", lambda h: unit_square(h.rewrite("mean"), x))


def retrieve(g: Goal) -> None:
    g.intro("sigma n i late early").use("ax:int_lt", "n", "i", label="next")
    g.have("1 <= i - n", "p_low", use="next").have("i - n <= n", "p_high", use="early").have(
        "i - n <= i - 1", "seen", use="next early", degree=1
    )

    def flag(h: Goal) -> None:
        for e in h.ind("i - n <= n", "f v"):
            e.hyp("v") if e.text(e.facts["f"]) == "i - n <= n" else e.contra("no").auto("f p_high", degree=1)

    g.have("I[i - n <= n] = 1", "flag", flag)
    g.use("lem:lnhash_one", "1/(i - n)", "1/(i - n)", label="self s2 s3 s4").positive(
        "(i - n)", "p", lambda h: h.auto("p_low")
    )
    score = "I[{0} <= n]*sum(c, 1, 4, unithash(1/(i - n), 1, c)*unithash(1/{0}, 1, c))"
    best = score.format("(i - n)")

    def less(h: Goal) -> None:
        h.intro("j (jl jh) differ").positive("j", "j", lambda e: e.auto("jl"))

        def apart(e: Goal) -> None:
            e.intro("same").have(
                "j = i - n", "after_all", use="same j_e p_e", rounds=0, multipliers=["j", "i - n", "j*(i - n)", "1"]
            ).absurd("after_all", "differ")

        h.have("1/(i - n) != 1/j", "apart", apart)
        h.use("lem:lnhash_one", "1/(i - n)", "1/j", label="j1 j2 j3 j4").use("j4", "#apart", label="below")
        h.have(
            f"{best} = 1",
            "top",
            lambda e: e.auto("flag self", rounds=0, multipliers=["hashdot(1/(i - n), 1/(i - n))", "1"]),
        )
        for e in h.ind("j <= n", "side value"):
            e.auto("value below top", degree=1, rounds=0, multipliers=["hashdot(1/(i - n), 1/j)", "1"])

    unique = f"all j in 1..i - 1. j != i - n -> {score.format('j')} < {best}"
    g.have(unique, "highest", less)
    first, second = g.split()
    first.hyp("highest")
    scores = f"l. {score.format('l')}"
    second.use(
        "lem:hardmax_unique", scores, "i - 1", "i - n", lambda h: both(h, "p_low", "seen"), "#highest", label="only"
    )

    def same(h: Goal) -> None:
        h.intro("j inside").use("only", "j", label="here").rewrite("here").true()

    second.use(
        "lem:sum_ext",
        f"j. hardmax({scores}, i - 1, j)*sigma(j)",
        "j. I[j = i - n]*sigma(j)",
        "1",
        "i - 1",
        same,
        label="out_e",
    )
    second.use("lem:sum_delta", "sigma", "1", "i - 1", "i - n", lambda h: both(h, "p_low", "seen"), label="out_d")
    second.auto("out_e out_d", degree=1, rounds=0)


def retrieve_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        last = list(h.facts)[-1]
        text = h.text(h.goal if h.goal[0] != "false" else h.facts[last])
        use = [last] if h.goal[0] == "false" else []
        if "I[all" in text:
            scores = "l. I[l <= n]*sum(c, 1, 4, unithash(1/(i - n), 1, c)*unithash(1/l, 1, c))"
            room = lambda e: e.use("ax:int_lt", "n", "i", label="next").auto(degree=1)  # noqa: E731
            h.use("lem:hardmax_total", scores, "i - 1", room, label="ge total beaten positive").auto(
                [*use, "positive"], degree=1, rounds=0
            )
            return
        places = ["i - n", *(v for v, sort in h.scope.items() if sort == "Int" and v not in ("n", "i"))]
        places = [v for v in places if f"1/{v})" in text or f"1/({v})" in text]
        for v in places:
            root(h, f"1/({v})", f"r{len(use)}")
            use += [f"r{len(use)}_p"]
        h.auto(use, degree=1, rounds=0, squares=[f"1/({v})" for v in places])

    g.leaves("sigma n i", leaf)


def head_refuted(g: Goal) -> None:
    """Token 2 is the only decoding token before i = 3: its weight is 1, or 1/2 where $ has the key 1 too; not 1/3."""

    def still(e: Goal) -> None:
        e.intro("j (jl jh)").have("j != 2", "not_two", lambda f: f.intro("two").auto("two jh", degree=1))
        two, other = e.ind("j = 2", "two value")
        two.absurd("two", "not_two")
        other.hyp("value")

    g.intro("claim").use("claim", "j. I[j = 2]", "1", "3", "!", "!", still, label="either")
    alone, beside = g.cases("either", "wrong")
    for h, scores in ((alone, "l. I[1 < l - 1]"), (beside, "l. I[l = 1 | 1 < l - 1]")):
        h.use("lem:hardmax_total", scores, "3", label="ge total beaten positive")
        h.use("beaten", "2", "!", lambda e: e.witness("3").easy(), label="two")
    alone.use("beaten", "1", "!", lambda e: e.witness("3").easy(), label="one")
    alone.auto("wrong total two one", degree=1, rounds=0)
    for p in ("1", "3"):
        highest = f"maximal(l. I[l = 1 | 1 < l - 1], 3, {p})"
        beside.have(highest, f"top{p}", within_three)
        beside, other = beside.ind(highest, f"max{p} value{p}")
        other.absurd(f"max{p}", f"top{p}")
    inverse = "1/sum(m, 1, 3, I[maximal(l. I[l = 1 | 1 < l - 1], 3, m)])"
    beside.auto("wrong total two value1 value3", degree=1, rounds=0, multipliers=[inverse, "1"])


def within_three(h: Goal) -> None:
    """A statement about all k in 1..3 that is true by computation for each."""
    h.intro("k (kl kh)")
    one, more = h.em("k <= 1", "at1")
    more.use("ax:int_lt", "1", "k", label="over1")
    two, three = more.em("k <= 2", "at2")
    three.use("ax:int_lt", "2", "k", label="over2")
    for e, k in ((one, 1), (two, 2), (three, 3)):
        e.have(f"k = {k}", "k_is").rewrite("k_is").true()


def inputhash(g: Goal) -> None:
    g.intro("i h low c inside").positive("i", "i", lambda e: e.auto("low"))
    one, two = g.split()
    root(one, "i", "r")
    z = "sqrt(2*i^2 + 2)"
    one.use(
        "lem:sqrt_equals",
        "2*1^2 + 2*(1/i)^2",
        f"{z}/i",
        lambda e: e.auto("r_p i_i", degree=2),
        lambda e: e.auto("r_e i_e", rounds=0, multipliers=["(1/i)^2", "i*(1/i)", "1"]),
        label="root",
    )
    one.rewrite("root").auto("i_e", rounds=0, multipliers=[f"I[c = {k}]*(1/{z})" for k in (1, 2, 3, 4)])
    two.use("lem:lnhash_scale", "h", "1", "i", "#i_p", lambda e: e.auto(squares=["h"]), label="scale").use(
        "scale", "c", "#inside", label="goal"
    ).hyp("goal")


def inputhash_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0, squares=["i", "h", "h/i", "1/i"]):
            return
        root(root(h, "i", "ri"), "h", "rh").use("lem:lnhash_plane", "h", "i", label="p_z p_s")
        if h.try_auto(degree=1, rounds=0):
            return
        z = "2*1^2 + 2*(1/i)^2"
        h.have(f"0 < {z}", "z", lambda e: e.auto(squares=["1/i"])).use("ax:sqrt", z, label="zl ze").auto(
            degree=1, rounds=1
        )

    g.leaves("i h", leaf)


def prop1_scale(g: Goal) -> None:
    g.intro("u k r mean norm kl rl unit mean_is norm_is p p_in e e_in")
    block_sums(g)
    g.have("mean = 0", "zero", lambda h: h.auto("mean_is zeros", rounds=0, multipliers=["1/(k*r)", "1"]))
    g.rewrite("zero", "norm_is", "norm_0").rewrite("zero")
    g.have("sum(b, 1, k, sum(c, 1, r, (u(b, c) - 0)^2)) = k", "squares_0", lambda h: h.auto("squares"))
    g.rewrite("squares_0", "norm_0", "norm_k").rewrite("norm_k").true()


def block_sums(g: Goal) -> Goal:
    """All entries sum to 0 (``zeros``), their squares to k (``squares``)."""
    g.use("ax:inv", "r", label="r_e").use("lem:sum_one", "1", "k", label="ones")

    def zero_block(h: Goal) -> None:
        h.intro("b inside").use("unit", "b", label="m s").auto(
            "m r_e", rounds=0, multipliers=["r", "sum(c, 1, r, u(b, c))", "1"]
        )

    def unit_block(h: Goal) -> None:
        h.intro("b inside").use("unit", "b", label="m s").hyp("s")

    g.use("lem:sum_ext", "b. sum(c, 1, r, u(b, c))", "b. 0", "1", "k", zero_block, label="zeros")
    g.use("lem:sum_ext", "b. sum(c, 1, r, u(b, c)^2)", "b. 1", "1", "k", unit_block, label="square_sum")
    return g.have("sum(b, 1, k, sum(c, 1, r, u(b, c)^2)) = k", "squares", use="square_sum ones", degree=1, rounds=0)


def squares_of(h: Goal, square: str, entry: str) -> None:
    """A double sum of squares is not negative."""

    def inner(e: Goal) -> None:
        e.intro("c inside").auto(squares=[entry])

    def outer(e: Goal) -> None:
        e.intro("p p_in").use("lem:sum_nonneg", f"c. {square}", "1", "r", inner, label="goal").hyp("goal")

    h.use("lem:sum_nonneg", f"p. sum(c, 1, r, {square})", "1", "k", outer, label="goal").hyp("goal")


def scale_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        if h.goal[0] != "false":
            entry = "(u(p, c) - mean)^2"
            squares_of(h, entry, "u(p, c) - mean")
            return
        if "norm" not in h.text(h.facts[list(h.facts)[-1]]):
            last = list(h.facts)[-1]
            h.have("0 < k*r", "size").use("ax:sqrt", "k", None, label="k_l k_e")
            h.auto([last, "size", "k_e", "p1"], degree=1, rounds=0, multipliers=["sqrt(k)", "1"])
            return
        mean, norm = (
            next(k for k, f in h.facts.items() if f[0] == "=" and h.text(f).startswith(f"{n} ="))
            for n in ("mean", "norm")
        )
        unit = next(k for k, f in h.facts.items() if f[0] == "all")
        last = list(h.facts)[-1]
        h.have(
            "all b in 1..k. sum(c, 1, r, u(b, c))/r = 0 & sum(c, 1, r, u(b, c)^2) = 1", "unit", lambda e: e.hyp(unit)
        )
        block_sums(h).have(
            "mean = 0", "zero", lambda e: e.auto(f"{mean} zeros", rounds=0, multipliers=["1/(k*r)", "1"])
        )
        h.rewrite("zero", norm, "norm_0")
        h.have("sum(b, 1, k, sum(c, 1, r, (u(b, c) - 0)^2)) = k", "squares_0", lambda e: e.auto("squares"))
        h.rewrite("squares_0", "norm_0", "norm_k").use("ax:sqrt", "k", None, label="k_l k_e")
        h.have("sqrt(k) = 0", "root_0", use=[last, "norm_k"]).auto(
            "root_0 k_e p1", degree=1, rounds=0, multipliers=["sqrt(k)", "1"]
        )

    g.leaves("u k r mean norm", leaf)


def multinorm(g: Goal) -> None:
    g.intro("x out k r kl rl vary is")
    multinorm_blocks(g)
    u_sums(g)
    first, second = g.split()
    first.auto("zeros", rounds=0, multipliers=["1/(k*r)", "1"])
    second.rewrite("squares").true()


def multinorm_blocks(g: Goal) -> Goal:
    """Each block of the output has mean 0 and norm 1, as ``unit``."""

    def block(h: Goal) -> None:
        h.intro("p p_in").use("vary", "p", label="vary_p").use(
            "lem:merrill2024.def.layernorm", "r", "l. x(p, l)", "#rl", "#vary_p", label="mean norm"
        )

        def same(e: Goal, power: str) -> None:
            e.intro("c inside").use("is", "p", "#p_in", "c", label="here").rewrite("here").true()

        h.use(
            "lem:sum_ext",
            "c. out(p, c)",
            "c. layernorm(l. x(p, l), r, c)",
            "1",
            "r",
            lambda e: same(e, ""),
            label="sums",
        )
        h.use(
            "lem:sum_ext",
            "c. out(p, c)^2",
            "c. layernorm(l. x(p, l), r, c)^2",
            "1",
            "r",
            lambda e: same(e, "^2"),
            label="squares",
        )
        first, second = h.split()
        first.auto("sums mean", rounds=0, multipliers=["1/r", "1"])
        total = "sum(c, 1, r, layernorm(l. x(p, l), r, c)^2)"
        square = lambda e: e.intro("c inside").auto(squares=["layernorm(l. x(p, l), r, c)"])  # noqa: E731
        second.use("lem:sum_nonneg", "c. layernorm(l. x(p, l), r, c)^2", "1", "r", square, label="ge")
        second.use("ax:sqrt", total, label="root_l root_e").rewrite("norm", "root_e", "one").auto(
            "one squares", degree=1, rounds=0
        )

    return g.have("all b in 1..k. sum(c, 1, r, out(b, c))/r = 0 & sum(c, 1, r, out(b, c)^2) = 1", "unit", block)


def u_sums(g: Goal) -> Goal:
    g.use("lem:block_totals", "out", "k", "r", label="zeros squares")
    return g


def multinorm_inhabited(g: Goal) -> None:
    """x = (0, 1) in both blocks."""
    out = "b c. layernorm(l. I[l = 2], 2, c)"

    def leaf(h: Goal) -> None:
        if h.goal[0] == "all" and "ex " in h.text(h.goal):
            h.intro("b inside").witness("2").easy()
        elif h.goal[0] == "all":
            h.intro("b inside c c_in").true()
        else:
            h.easy()

    g.inhabit("b c. I[c = 2]", out, "2", "2", leaf=leaf)


def multinorm_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        last = list(h.facts)[-1]
        text = h.text(h.goal if h.goal[0] != "false" else h.facts[last])
        if "out(" in text:
            squares_of(h, "out(p, c)^2", "out(p, c)")
        elif "x(" in text:
            row = next(n for n in h.scope if f"x({n}, " in text)
            vary = next(k for k, f in h.facts.items() if f[0] == "all")
            h.use(vary, row, label="vary").use(
                "lem:spread_positive", "r", f"l. x({row}, l)", None, "#vary", label="sp rp"
            )
            h.auto([*([last] if h.goal[0] == "false" else []), "sp", "rp"], degree=1, rounds=0)
        else:
            h.have("0 < k*r", "size").auto(degree=1, rounds=0)

    g.leaves("x out k r", leaf)


def five(g: Goal) -> None:
    g.intro("n h query key i j some same q5 k5")
    entries(g)
    whole, low, mixed, high = g.split()
    whole.auto([*use_entries(whole), "q5", "k5"], rounds=0, multipliers=products_five())
    low.intro("i_in j_in")
    value(low, "i", "i_in", True)
    value(low, "j", "j_in", True)
    mask(low, False)
    mixed.intro("late j_in")
    value(mixed, "i", "late", False)
    value(mixed, "j", "j_in", True)
    mask(mixed, False)
    high.intro("late j_late")
    value(high, "i", "late", False)
    value(high, "j", "j_late", False)
    mask(high, True)
    for h, a, b in ((low, "i", "j"), (mixed, "h(i)", "j"), (high, "h(i)", "h(j)")):
        keys(h, "i", a, "query")
        keys(h, "j", b, "key")
        h.auto(
            [f"{n}{c}_is" for n in ("query", "key") for c in (1, 2, 3, 4)] + ["q5", "k5", "mask"],
            rounds=0,
            multipliers=[
                "1",
                *(f"key({c})" for c in (1, 2, 3, 4)),
                "key(5)",
                *(f"unithash({a}, 1, {c})" for c in (1, 2, 3, 4)),
            ],
        )


def entries(g: Goal) -> Goal:
    for c in (1, 2, 3, 4):
        g.use("same", str(c), "!", label=f"q{c} k{c}")
    return g


def use_entries(_: Goal) -> list[str]:
    return [f"{n}{c}" for n in "qk" for c in (1, 2, 3, 4)]


def products_five() -> list[str]:
    return ["1", "key(5)", *(f"key({c})" for c in (1, 2, 3, 4)), *(f"inputkey(n, h, i, {c})" for c in (1, 2, 3, 4))]


def value(g: Goal, token: str, fact: str, low: bool) -> Goal:
    """I[1 <= token & token <= n] is 1 or 0, as ``token_key``."""
    inside = f"1 <= {token} & {token} <= n"

    def prove(h: Goal) -> None:
        for e in h.ind(inside, "in is"):
            if ("in" in e.facts) != low:
                e.hyp("is")
            elif low:
                e.absurd(fact, "in")
            else:
                e.contra("no").auto(["in_2", fact], degree=1)

    return g.have(f"I[{inside}] = {1 if low else 0}", f"{token}_key", prove)


def keys(g: Goal, token: str, x: str, name: str) -> Goal:
    """The entries of a query or key whose case is known."""
    for c in (1, 2, 3, 4):
        given = [f"{name[0]}{c}", f"{token}_key"]
        both_cases = ["1", f"unithash({token}, 1, {c})", f"unithash(h({token}), 1, {c})"]
        g.have(f"{name}({c}) = unithash({x}, 1, {c})", f"{name}{c}_is", use=given, rounds=0, multipliers=both_cases)
    return g


def mask(g: Goal, late: bool) -> Goal:
    def prove(h: Goal) -> None:
        for e in h.ind("n < j", "is v"):
            if (e.text(e.facts["is"]) == "n < j") == late:
                e.hyp("v")
            else:
                e.contra("no").easy()

    return g.have(f"I[n < j] = {int(late)}", "mask", prove)


def eight(g: Goal) -> None:
    g.intro("g h query key i j ilow jlow front back")
    for c in (1, 2, 3, 4):
        g.use("front", str(c), "!", label=f"q{c} k{c}").use("back", str(c), "!", label=f"q{c + 4} k{c + 4}")
    g.use("lem:tie_score", "g", "h", "i", "j", label="score")
    g.auto(
        [f"{n}{c}" for n in "qk" for c in range(1, 9)] + ["score"],
        rounds=0,
        multipliers=["1", *(f"key({c})" for c in range(1, 9)), *(f"unithash(h(i)/i, 1/i, {c})" for c in (1, 2, 3, 4))],
    )


def eight_inhabited(g: Goal) -> None:
    query = "c. if(c <= 4, unithash(0/1, 1/1, c), I[c = 5])"
    key = "c. if(c <= 4, unithash(0/1, 1/1, c), -unithash(0, 1, c - 4))"
    g.inhabit("j. 0", "j. 0", query, key, "1", "1", leaf=two_halves)


def two_halves(h: Goal) -> None:
    """A vector by its first four entries and the rest: true at each of c = 1..4 by computation."""
    if h.goal[0] != "all":
        h.easy()
        return
    h.intro("c (cl ch)")
    for n in (1, 2, 3, 4):
        here, h = h.em(f"c <= {n}", f"at{n}")
        h.use("ax:int_lt", str(n), "c", label=f"over{n}")
        for e in here.have(f"c = {n}", "c_is").rewrite("c_is").split():
            e.true()
    h.contra("no").auto("over4 ch", degree=1)


def five_inhabited(g: Goal) -> None:
    """n = 1 and all positions 0: tokens 1 and 2 in the combinations that the parts ask for."""
    for h, (i, j) in zip(g.split(), ((1, 1), (2, 1), (2, 2)), strict=True):
        query, key = (f"c. if(c <= 4, inputkey(1, k. 0, {t}, c), {last})" for t, last in ((i, -1), (j, j - 1)))
        h.inhabit("1", "k. 0", query, key, str(i), str(j), leaf=two_halves)


def five_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0, squares=["i", "j", "h(i)", "h(j)"]):
            return
        for x in ("i", "j", "h(i)", "h(j)"):
            root(h, x, f"r{x.replace('(', '').replace(')', '')}")
        h.auto(degree=1, rounds=0)

    g.leaves("n h query key i j", leaf)


def eight_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0, squares=["g(j)"]):
            return
        last = list(h.facts)[-1]
        for n in ("i", "j"):
            h.use("lem:lnhash_plane", f"h({n})", n, label=f"{n}_z {n}_s")
        for x in ("g(j)", "h(i)", "h(j)"):
            root(h, x, f"r{x[0]}{x[2]}")
        roots = ["i_z", "i_s", "j_z", "j_s", "rgj_p", "rhi_p", "rhj_p"]
        h.auto([*([last] if h.goal[0] == "false" else []), *roots], degree=1, rounds=0, squares=["h(i)", "h(j)"])

    g.leaves("g h query key i j", leaf)


# --- Proposition 1 ----------------------------------------------------------------------------------------------------


def layernorm_padded(g: Goal) -> None:
    g.intro("x p r d rl fits vary front back").use(
        "lem:spread_positive", "r", "x", "#rl", "#vary", label="spread_p root_p"
    )
    g.use("ax:inv", "r", label="r_e").use("lem:sum_one", "1", "r", label="ones")
    mean = "(sum(a, 1, r, x(a))/r)"

    def entry(h: Goal, fact: str) -> None:
        h.intro("c inside").use(fact, "c", label="here").auto("here") if fact == "back" else h.intro("c inside").use(
            fact, "c", label="here"
        ).hyp("here")

    def square(h: Goal, fact: str) -> None:
        h.intro("c inside").use(fact, "c", label="here").rewrite("here").true()

    for name, power, proof in (("sum", "", entry), ("square", "^2", square)):
        g.use("lem:sum_split", f"c. p(c){power}", "1", "r", "d", label=f"{name}_split")
        g.use(
            "lem:sum_ext",
            f"c. p(c){power}",
            f"c. (x(c) - {mean}){power}",
            "1",
            "r",
            lambda h, q=proof: q(h, "front"),
            label=f"{name}_front",
        )
        g.use(
            "lem:sum_ext",
            f"c. p(c){power}",
            "c. 0",
            "r + 1",
            "d",
            lambda h, q=proof: q(h, "back"),
            label=f"{name}_back",
        )
    g.have(
        "sum(a, 1, r, x(a) - sum(e, 1, r, x(e))/r) = 0",
        "centred",
        use="ones r_e",
        rounds=0,
        multipliers=["sum(a, 1, r, x(a))", "sum(a, 1, r, x(a))/r"],
    )
    g.have(
        "sum(a, 1, d, p(a))/d = 0",
        "mean_0",
        use="sum_split sum_front sum_back centred",
        degree=1,
        rounds=0,
        multipliers=["1/d"],
    )
    spread_x = f"sum(b, 1, r, (x(b) - {mean})^2)"
    g.have(
        f"sum(b, 1, d, (p(b) - 0)^2) = {spread_x}",
        "spread_is",
        use="square_split square_front square_back",
        degree=1,
        rounds=0,
    )
    first, second = g.split()
    first.rewrite("mean_0").rewrite("spread_is").hyp("root_p")
    second.intro("c inside").rewrite("mean_0").rewrite("spread_is").use("front", "c", label="here")
    second.auto("here", rounds=0, multipliers=[f"1/sqrt({spread_x})"])


PADDED = "layernorm(e. p({0}, e), k*r, c)"
PLAIN = "layernorm(e. x({0}, e), r, c)"


def written(g: Goal) -> Goal:
    """Block q holds the layer norm of row q after k layers, as ``blocks``; blocks have norm 1, as ``unit``."""
    g.have("r <= k*r", "fits", lambda h: h.have("0 <= (k - 1)*r", "room", use="kl rl").auto("room"))

    def row(h: Goal) -> None:
        h.intro("q q_in").use("vary", "q", label="vary_q").use("pad", "q", label="front back")
        h.use(
            "lem:layernorm_padded",
            "l. x(q, l)",
            "l. p(q, l)",
            "r",
            "k*r",
            "#rl",
            "#fits",
            "#vary_q",
            "#front",
            "#back",
            label="root same",
        )
        h.hyp("same")

    g.have(f"all q in 1..k. all c in 1..r. {PADDED.format('q')} = {PLAIN.format('q')}", "rows", row)

    def layers(h: Goal) -> None:
        base, step = h.induct("l", "ge", "is")
        base.intro("room q (ql qh) c c_in").use("start", "q", None, "c", label="here")
        for e in base.ind("q <= 0", "in v"):
            e.auto("here v", rounds=0, multipliers=[PLAIN.format("q")]) if e.text(
                e.facts["in"]
            ) != "q <= 0" else e.contra("no").auto("in ql", degree=1)
        step.intro("room q (ql qh) c c_in").use(
            "is", lambda e: e.auto("room", degree=1), "q", None, "c", "#c_in", label="before"
        )
        bounds = lambda e: [a.auto("room ge", degree=1) for a in e.split()]  # noqa: E731
        step.use("write", "l + 1", bounds, "q", None, "c", "#c_in", label="here").use(
            "rows", "l + 1", bounds, "c", "#c_in", label="row"
        )
        step.use("lem:relu_pair", PADDED.format("l + 1"), label="pair rest")
        for e in step.ind("q = l + 1", "at v"):
            for f in e.ind("q <= l", "old ov"):
                for a in f.ind("q <= l + 1", "now nv"):
                    if a.try_contradiction():
                        continue
                    if a.facts["at"][0] == "=":
                        a.have(
                            f"{PLAIN.format('q')} = {PLAIN.format('l + 1')}", "same", lambda b: b.rewrite("at").true()
                        )
                        a.auto(
                            "here before row pair v ov nv same",
                            rounds=0,
                            multipliers=[
                                "1",
                                PLAIN.format("q"),
                                f"relu({PADDED.format('l + 1')})",
                                f"relu(-{PADDED.format('l + 1')})",
                            ],
                        )
                    elif "old" in a.facts and a.text(a.facts["old"]) == "q <= l":
                        a.auto(
                            "here before v ov nv",
                            rounds=0,
                            multipliers=[
                                "1",
                                PLAIN.format("q"),
                                f"relu({PADDED.format('l + 1')})",
                                f"relu(-{PADDED.format('l + 1')})",
                            ],
                        )
                    elif a.text(a.facts["now"]) == "q <= l + 1":
                        a.use("ax:int_lt", "l", "q", label="step").have(
                            "q = l + 1", "after_all", use="step now"
                        ).absurd("after_all", "at")
                    else:
                        a.auto(
                            "here before v ov nv",
                            rounds=0,
                            multipliers=[
                                "1",
                                PLAIN.format("q"),
                                f"relu({PADDED.format('l + 1')})",
                                f"relu(-{PADDED.format('l + 1')})",
                            ],
                        )

    form = f"all q in 1..k. all c in 1..r. block(l, q, c) = I[q <= l]*{PLAIN.format('q')}"
    g.have(f"all l:Int. 0 <= l -> l <= k -> ({form})", "layers", layers)

    def last(h: Goal) -> None:
        h.intro("q (ql qh) c c_in").use("layers", "k", None, "!", "q", None, "c", "#c_in", label="here")
        for e in h.ind("q <= k", "in v"):
            e.auto("here v", rounds=0, multipliers=[PLAIN.format("q")]) if e.text(
                e.facts["in"]
            ) == "q <= k" else e.contra("no").auto("in qh", degree=1)

    g.have(f"all q in 1..k. all c in 1..r. block(k, q, c) = {PLAIN.format('q')}", "blocks", last)

    def unit(h: Goal) -> None:
        h.intro("q q_in").use("vary", "q", label="vary_q").use(
            "lem:merrill2024.def.layernorm", "r", "l. x(q, l)", "#rl", "#vary_q", label="m n"
        )

        def same(e: Goal) -> None:
            e.intro("c inside").use("blocks", "q", "#q_in", "c", label="here").rewrite("here").true()

        h.use("lem:sum_ext", "c. block(k, q, c)", f"c. {PLAIN.format('q')}", "1", "r", same, label="sums")
        h.use("lem:sum_ext", "c. block(k, q, c)^2", f"c. {PLAIN.format('q')}^2", "1", "r", same, label="squares")
        first, second = h.split()
        first.auto("sums m", rounds=0, multipliers=["1/r", "1"])
        total = f"sum(c, 1, r, {PLAIN.format('q')}^2)"
        square = lambda e: e.intro("c inside").auto(squares=[PLAIN.format("q")])  # noqa: E731
        second.use("lem:sum_nonneg", f"c. {PLAIN.format('q')}^2", "1", "r", square, label="ge")
        second.use("ax:sqrt", total, label="root_l root_e").rewrite("n", "root_e", "one").auto(
            "one squares", degree=1, rounds=0
        )

    return g.have(
        "all q in 1..k. sum(c, 1, r, block(k, q, c))/r = 0 & sum(c, 1, r, block(k, q, c)^2) = 1", "unit", unit
    )


def prop1(g: Goal) -> None:
    g.intro("M v x p block W k r mean norm kl rl rows_are vary pad start write mean_is norm_is a")
    written(g).use("lem:merrill2024.prop1.scale", "q c. block(k, q, c)", "k", "r", "mean", "norm", label="scaled")
    g.use("ax:sqrt", "k", None, label="k_l k_e").have(
        "0 < sqrt(k)", "k_p", lambda h: h.contra("no").auto("no kl k_l k_e")
    )
    g.use("ax:inv", "sqrt(k)", label="k_i")
    new, old = "sqrt(k)*W(a, q, c)*((block(k, q, c) - mean)/norm)", f"W(a, q, c)*{PLAIN.format('q')}"

    def outer(h: Goal) -> None:
        def inner(e: Goal) -> None:
            e.intro("c c_in").use("scaled", "q", "#q_in", "c", "#c_in", label="here").use(
                "blocks", "q", "#q_in", "c", "#c_in", label="is"
            )
            w = "W(a, q, c)"
            e.auto("here is k_i", rounds=0, multipliers=[f"sqrt(k)*{w}", w, f"{w}*block(k, q, c)", "1"])

        h.intro("q q_in").use("lem:sum_ext", f"c. {new}", f"c. {old}", "1", "r", inner, label="goal").hyp("goal")

    g.use("lem:sum_ext", f"q. sum(c, 1, r, {new})", f"q. sum(c, 1, r, {old})", "1", "k", outer, label="goal").hyp(
        "goal"
    )


def prop1_defined(g: Goal) -> None:
    labels = {"kl": "p1", "rl": "p2", "vary": "p4", "pad": "p5", "start": "p6", "write": "p7"}

    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        for label, old in labels.items():
            if old in h.facts:
                h.have(h.facts[old], label, lambda e, old=old: e.hyp(old))
        last = [k for k in h.facts if k not in labels][-1]
        text = h.text(h.goal if h.goal[0] != "false" else h.facts[last])
        if "block(" in text:
            square = "(block(k, q, c) - mean)^2"
            h.use("lem:sum_nonneg", f"q. sum(c, 1, r, {square})", "1", "k", rows_of_squares(square), label="goal").hyp(
                "goal"
            )
        elif "p(" in text or "x(" in text:
            name = "p" if "p(" in text else "x"
            row = next(n for n in h.scope if f"{name}({n}, " in text)
            h.have("r <= k*r", "fits", lambda e: e.have("0 <= (k - 1)*r", "room", use="kl rl").auto("room"))
            h.use("vary", row, label="vary_q")
            if name == "x":
                h.use("lem:spread_positive", "r", f"l. x({row}, l)", "#rl", "#vary_q", label="spread root")
                h.auto([last, "spread", "root"] if h.goal[0] == "false" else ["spread", "root"], degree=1, rounds=0)
            elif h.goal[0] == "false":
                h.use("pad", row, label="front back")
                rows = f"l. x({row}, l)", f"l. p({row}, l)"
                h.use(
                    "lem:layernorm_padded",
                    *rows,
                    "r",
                    "k*r",
                    "#rl",
                    "#fits",
                    "#vary_q",
                    "#front",
                    "#back",
                    label="root same",
                )
                h.auto([last, "root"], degree=1, rounds=0)
            else:
                entry = f"(p({row}, b) - sum(a, 1, k*r, p({row}, a))/(k*r))"
                proof = lambda e: e.intro("b inside").auto(squares=[entry])  # noqa: E731
                h.use("lem:sum_nonneg", f"b. {entry}^2", "1", "k*r", proof, label="goal").hyp("goal")
        elif "norm" in text:
            norm_is_root(h, last)
        else:
            h.have("0 < k*r", "size").auto([last, "size"], degree=1, rounds=0)

    g.leaves("M v x p block W k r mean norm", leaf)


def rows_of_squares(square: str) -> Tactic:
    def inner(e: Goal) -> None:
        e.intro("c c_in").auto(squares=[square.removesuffix("^2")])

    return lambda h: h.intro("q q_in").use("lem:sum_nonneg", f"c. {square}", "1", "r", inner, label="row").hyp("row")


def norm_is_root(h: Goal, last: str) -> None:
    """norm = 0 is false: it is the root of k."""
    mean, norm = (
        next(k for k, f in h.facts.items() if f[0] == "=" and h.text(f).startswith(f"{n} = s"))
        for n in ("mean", "norm")
    )
    written(h).use("lem:block_totals", "q c. block(k, q, c)", "k", "r", label="zeros squares")
    h.have("mean = 0", "zero", use=[mean, "zeros"], rounds=0, multipliers=["1/(k*r)", "1"]).rewrite(
        "zero", norm, "norm_0"
    )
    h.have("sum(q, 1, k, sum(c, 1, r, (block(k, q, c) - 0)^2)) = k", "squares_0", use="squares")
    h.rewrite("squares_0", "norm_0", "norm_k").use("ax:sqrt", "k", None, label="k_l k_e")
    h.have("sqrt(k) = 0", "root_0", use=[last, "norm_k"]).auto(
        "root_0 k_e kl", degree=1, rounds=0, multipliers=["sqrt(k)", "1"]
    )


def prop1_inhabited(g: Goal) -> None:
    """Both rows are (0, 1)."""

    def entry(index: str, c: str, last: str) -> str:
        row = f"layernorm(e. if(e <= 2, I[e = 2] - 1/2, 0), 4, {c})"
        return f"I[{index} <= {last}]*(relu({row}) - relu(-{row}))"

    mean = f"sum(s, 1, 2, sum(t, 1, 2, {entry('s', 't', '2')}))/(2*2)"
    norm = f"sqrt(sum(b, 1, 2, sum(c, 1, 2, ({entry('b', 'c', '2')} - {mean})^2)))"

    def leaf(h: Goal) -> None:
        if h.goal[0] != "all":
            h.easy()
            return
        numbers(h, 0)

    def numbers(h: Goal, depth: int) -> None:
        """Every index by its value; the ranges are at most 1..4."""
        if h.goal[0] == "&":
            for e in h.split():
                numbers(e, depth)
            return
        if h.goal[0] == "ex":
            h.witness("2").easy()
            return
        if h.goal[0] != "all":
            h.true()
            return
        j, low, high = f"j{depth}", f"l{depth}", f"h{depth}"
        h.intro(f"{j} ({low} {high})")
        for n in (1, 2, 3, 4):
            here, h = h.em(f"{j} <= {n}", f"a{depth}_{n}")
            h.use("ax:int_lt", str(n), j, label=f"o{depth}_{n}")
            if here.try_contradiction():
                pass
            else:
                if j in here.text(here.goal):
                    here.have(f"{j} = {n}", f"is{depth}").rewrite(f"is{depth}")
                numbers(here, depth + 1)
            if h.try_contradiction():
                return

    g.inhabit(
        "b c e. I[c = 2]*I[e = 1]",
        "j. 1",
        "b c. I[c = 2]",
        "b c. if(c <= 2, I[c = 2] - 1/2, 0)",
        f"l b c. {entry('b', 'c', 'l')}",
        "b c e. 0",
        "2",
        "2",
        mean,
        norm,
        "1",
        leaf=leaf,
    )


# --- Sharp constants --------------------------------------------------------------------------------------------------


def neighbours_positive(g: Goal, i: str, label: str) -> Goal:
    """0 < phi_i . phi_{i - 1}."""

    def prove(h: Goal) -> None:
        root(root(h, i, "ri"), f"{i} - 1", "rj")
        h.have(f"0 < {i}*({i} - 1) + 1", "top", lambda e: e.auto(squares=[f"{i} - 1/2"])).auto(
            "top ri_i rj_i", degree=3
        )

    return g.have(f"0 < hashdot({i}, {i} - 1)", label, prove)


def pair_gap_value(g: Goal) -> None:
    g.intro("i").use("lem:lnhash_square", "i", "i - 1", label="square")
    y, dot = f"(1/{QUARTIC})", "hashdot(i, i - 1)"
    neighbours_positive(quartic(g), "i", "positive")
    g.have(f"1 <= {QUARTIC}", "one", lambda h: h.auto(squares=["i^2 - i", "i", "i - 1"]))
    g.have(f"{y} <= 1", "small", lambda h: h.contra("no").auto("no one z_e z_i"))
    g.have(f"{dot}^2 = 1 - {y}", "is", use="square z_e", rounds=0, multipliers=[y, f"{dot}^2", "1"])
    first, second = g.split()
    first.use("lem:sqrt_strictly_below", dot, y, None, lambda h: h.auto("is"), label="below").auto("below")
    second.have(f"0 <= {y}*{y}*(1 - {y})", "part", lambda h: h.auto("z_i small", degree=3))
    second.have(f"0 <= {y}*{y}*(1 - {y})*(3 + {y})", "rest", lambda h: h.auto("part z_i", degree=2))
    second.use("lem:square_le", f"1 - {y}/2 - {y}^2/2", dot, None, lambda h: h.auto("is rest", degree=1), label="above")
    second.auto("above")


def pair_least_gap(g: Goal) -> None:
    g.intro("n q k some (ql qh) (kl kh) differ")
    g.use("lem:lnhash_square", "q", "k", label="square").use("lem:lnhash_square", "n", "n - 1", label="best")
    neighbours_positive(g, "n", "positive")
    d, b = "((q^2 + 1)*(k^2 + 1))", "((n^2 + 1)*((n - 1)^2 + 1))"
    g.have(f"0 < {d}", "d_p", lambda h: h.auto(squares=["q", "k", "q*k"]))
    g.have(f"0 < {b}", "b_p", lambda h: h.auto(squares=["n", "n - 1", "n*(n - 1)"]))

    def size(h: Goal) -> None:
        low, high = h.em("k <= q", "side")
        less, same = low.em("k < q", "order")
        same.have("q = k", "after_all", use="side order").absurd("after_all", "differ")
        for e, small, large in ((less, "k", "q"), (high, "q", "k")):
            e.use("ax:int_lt", small, large, label="step")
            near, far_apart = e.em(f"{large} <= {small} + 1", "near")
            close_by(near, small, large)
            apart_by_two(far_apart, small, large)

    def close_by(h: Goal, small: str, large: str) -> None:
        """Neighbours: the product is (u + 1)^2 + 1 with u = small (small + 1) from 0 to n (n - 1)."""
        u = f"({small}*({small} + 1))"
        h.have(f"{large} = {small} + 1", "is", use="near step").rewrite("is")
        h.have(f"{small} + 1 <= n", "top", use="is qh kh", degree=1)
        h.have(f"0 <= (n - 1 - {small})*(n + {small})", "upper", use="top ql kl", degree=2)
        neg, pos = h.em(f"{small} <= -1", "sign")
        pos.use("ax:int_lt", "-1", small, label="sign_2")
        for e in (neg, pos):
            e.have(f"0 <= {u}", "lower", use="sign" if e is neg else "sign_2", degree=2)
            e.have(f"0 <= (n*(n - 1) - {u})*(n*(n - 1) + {u} + 2)", "product", use="upper lower", degree=2).auto(
                "product", degree=1
            )

    def apart_by_two(h: Goal, small: str, large: str) -> None:
        h.use("ax:int_lt", f"{small} + 1", large, label="two").have(f"4 <= ({large} - {small})^2", "four", use="two")
        h.have("q^2 <= n^2", "qq", use="ql qh").have("k^2 <= n^2", "kk", use="kl kh")
        h.have(
            "0 <= (n^2 - q^2)*(k^2 + 1)",
            "one",
            lambda e: e.have("0 <= k^2", "k2", lambda f: f.auto(squares=["k"])).auto("qq k2"),
        )
        h.have("0 <= (n^2 - k^2)*(n^2 + 1)", "more", lambda e: e.auto("kk", squares=["n"]))
        h.have(
            "(n^2 + 1)*(n^2 + 1) <= 4*(n^2 + 1)*((n - 1)^2 + 1)",
            "compare",
            lambda e: (
                e.have("0 <= 3*n^2 - 8*n + 7", "quadratic", lambda f: f.auto(squares=["n - 4/3"]))
                .have("0 <= n^2", "n2", lambda f: f.auto(squares=["n"]))
                .auto("quadratic n2")
            ),
        )
        h.have(f"0 <= ((q - k)^2 - 4)*{b}", "last", use="four b_p").auto("one more compare last", degree=1)

    g.have(f"{d} <= (q - k)^2*{b}", "size", size)
    g.use(
        "lem:square_le",
        "hashdot(q, k)",
        "hashdot(n, n - 1)",
        None,
        lambda h: (
            h.contra("no")
            .have(f"0 < (hashdot(q, k)^2 - hashdot(n, n - 1)^2)*{d}", "part", use="no d_p")
            .have(f"0 < (hashdot(q, k)^2 - hashdot(n, n - 1)^2)*{d}*{b}", "product", use="part b_p")
            .auto("product square best size", degree=1, rounds=0, multipliers=[b, d, "1"])
        ),
        label="goal",
    ).hyp("goal")


def pair_gap_sharp(g: Goal) -> None:
    g.intro("b low high").positive("(2 - b)", "s").use("ax:archimedes", "8/(2 - b)", label="some").obtain(
        "some", "i", "one large"
    )
    g.have(
        "8 <= (2 - b)*i",
        "size",
        lambda h: h.have("0 <= (i - 8/(2 - b))*(2 - b)", "part", use="large s_p").auto(
            "part s_e", rounds=0, multipliers=["1", "8"]
        ),
    )
    g.have(
        "4 <= i",
        "four",
        lambda h: h.contra("no").have("0 <= b*i", "part", use="low one").auto("no part size", degree=1),
    )
    g.witness("i")
    first, second = g.split()
    first.auto("four")
    second.use("lem:pair_gap_value", "i", label="under over")
    quartic(second)
    y = f"(1/{QUARTIC})"
    second.have("0 < i^2", "i2", use="four").have("0 < i^3", "i3", use="four i2").have("0 < i^4", "i4", use="i2")
    second.positive("(b*i^4)", "w", lambda h: h.auto("low i4"))
    second.have(
        f"i <= {QUARTIC}",
        "deep",
        lambda h: (
            h.have("0 <= i^3*(i - 4)", "p3", use="i3 four")
            .have("0 <= i*(i - 4)", "p2", use="four")
            .auto("p3 p2 four i3 i2", degree=1)
        ),
    )
    second.have(f"0 <= i^3*({QUARTIC} - i)", "a1", use="deep i3")
    second.have(f"0 < {QUARTIC}*i^2", "a2", use="z_p i2")
    second.have(
        f"0 <= ((2 - b)*i - 8)*(i^3*({QUARTIC} + 1))",
        "a3",
        lambda h: h.have(f"0 < i^3*({QUARTIC} + 1)", "p", use="i3 z_p").auto("p size"),
    )
    second.have(
        f"b*i^4*({QUARTIC} + 1) < 2*{QUARTIC}^2",
        "compare",
        lambda h: h.have(
            f"0 < {QUARTIC}*(3*i^2 - 2*i + 2)",
            "a4",
            lambda e: e.have("0 < 3*i^2 - 2*i + 2", "r", use="i2 four").auto("r z_p"),
        ).auto("a1 a2 a3 a4 i3 i4 four", degree=1),
    )
    w = "(1/(b*i^4))"
    second.have(
        f"{y}/2 + {y}^2/2 < {w}",
        "last",
        lambda h: (
            h.have(f"0 < {w}*{y}^2", "f", use="w_i z_i", degree=3)
            .have(f"0 < {w}*{y}^2*(2*{QUARTIC}^2 - b*i^4*({QUARTIC} + 1))", "g", use="f compare")
            .auto(
                "g w_e z_e",
                degree=1,
                rounds=0,
                multipliers=[
                    f"{w}*{y}",
                    f"{w}*{QUARTIC}*{y}",
                    w,
                    y,
                    f"{y}^2",
                    f"{y}*{QUARTIC}*{y}",
                    f"{y}^2*{QUARTIC}",
                    "1",
                    f"{w}*{y}*{QUARTIC}*1",
                    f"b*i^4*{w}*{y}",
                    f"b*i^4*{w}",
                ],
            )
        ),
    )
    second.auto("last over", degree=1)


def tie_margin(g: Goal) -> None:
    g.intro("f g (first more small large)")
    every, five_ = g.split()
    every.intro("j low")
    tied(every, "tie_positive", "j", label="above")
    root(every, "g(j)", "r")
    r = "(1/sqrt(2*g(j)^2 + 2))"
    every.have(f"{r}^2 <= 1/2", "half", lambda h: h.auto("r_n", squares=[f"g(j)*{r}"]))
    every.use("lem:square_lt", r, "7072/10000", "!", lambda h: h.auto("half"), label="factor")
    every.have("lnhash(g(j), 1, 1) < 7072/10000*g(j)", "under", use="above factor")
    every.use("lem:pair_gap_value", "j + 1", label="gap rest")
    q = "((j + 1)^4 - 2*(j + 1)^3 + 3*(j + 1)^2 - 2*(j + 1) + 2)"
    every.positive(q, "q", lambda h: h.auto(squares=["(j + 1)*j", "j + 1", "j"]))

    def size(h: Goal) -> None:
        *few, rest = four(h, "j")
        for n, e in enumerate(few, 1):
            e.use("small", str(n), "!", label="is").auto("is")
        z = "(j*(j - 1)*(j - 2)*(j - 3))"
        tied(rest, "tie_value", "j", label="value up")
        rest.positive(z, "z", lambda e: product_of(e, "j", "case_above4"))
        rest.have(f"7072*6*{q} < 350000*{z}", "order", lambda e: shifted(e, "j", "case_above4"))
        rest.have(f"g(j) = 6/100*(1/{z})", "is", use="value z_e", rounds=0, multipliers=[f"1/{z}", "g(j)"])
        rest.have(
            f"7072*6/350000*(1/{z}) < 1/{q}",
            "less",
            lambda e: e.contra("no").auto(
                "no order z_p z_e z_i q_p q_e q_i", degree=2, multipliers=[f"1/{q}", f"1/{z}"]
            ),
        )
        rest.auto("is less")

    every.have(f"7072/10000*g(j) < 7/20*(1/{q})", "size", size)
    every.have("hashdot(j + 1, j + 1 - 1) = hashdot(j + 1, j)", "same", Goal.true).auto("under size gap same", degree=1)
    five_.use("large", "5", "!", label="g5_is").use("lem:pair_gap_value", "6", label="gap rest")
    five_.use("lem:difference_value", "f", lambda h: both(h, "first", "more"), "3", "!", "5", "!", label="f5")
    five_.have("g(5) = 1/2000", "g5", use="g5_is f5")
    root(five_, "g(5)", "r")
    r = "(1/sqrt(2*g(5)^2 + 2))"
    five_.have("g(5)^2 <= 1/1000000", "g5_small", lambda h: h.auto("g5", rounds=0, multipliers=["g(5)", "1"]))
    five_.have(
        f"(707/1000)^2 < {r}^2",
        "large_square",
        lambda h: h.have(f"0 <= {r}^2*(1/1000000 - g(5)^2)", "part", lambda e: e.auto("g5_small", squares=[r])).auto(
            "part r_n", degree=1
        ),
    )
    five_.use("lem:square_lt", "707/1000", r, None, "#large_square", label="r_large")
    five_.have(f"0 < g(5)*({r} - 707/1000)", "part", use="g5 r_large").auto("part g5 rest", degree=1)


SCRIPTS: dict[str, Script | Tactic] = {
    "lem.difference_combination": difference_combination,
    "lem.tie_positive": tie_positive,
    "lem.tie_decreases": tie_decreases,
    "merrill2024.def3.hash": Script(def3, witnesses("-1", "2", "1"), def3_defined),
    "merrill2024.lemma1": Script(lemma1, witnesses("-1", "3", "1"), lemma1_defined),
    "merrill2024.lemma1.form": Script(
        lambda g: each(*[Goal.true] * 4)(g.intro("x")), witnesses("0"), hash_defined("x", "x")
    ),
    "merrill2024.lemma2": Script(lemma2, witnesses("0", "0"), lemma2_defined),
    "merrill2024.lemma5": Script(lemma5, witnesses("2", "5", "j. j"), lemma5_defined),
    "merrill2024.lemma8.square": Script(lemma8_square, witnesses("2"), lemma8_square_defined),
    "merrill2024.lemma8": Script(lemma8, witnesses("2"), lemma8_defined),
    "merrill2024.def.layernorm": Script(layernorm, witnesses("2", "j. j", "2"), layernorm_defined),
    "merrill2024.def6.corrected": Script(def6_corrected, exist("2", "1")),
    "merrill2024.def7": Script(def7, each(exist("3"), exist("7")), def7_defined("f g i")),
    "lem.flagged_head": flagged_head,
    "merrill2024.def7.monotone": Script(def7_monotone, heads_inhabited, heads_defined),
    "merrill2024.lemma10": Script(
        lemma10, each(exist("3"), witnesses("6"), witnesses("6")), def7_defined("f g i", "x")
    ),
    "lem.lnhash_one": lnhash_one,
    "lem.hash_pair_gap": hash_pair_gap,
    "lem.tie_small": tie_small,
    "lem.tie_argmax": tie_argmax,
    "merrill2024.lemma7.corrected": Script(
        lemma7, exist(STEP, "j. 0", "5", "4", leaf=one_step), lookup_defined("f g h delta i p", TIE_SCORES)
    ),
    "merrill2024.lemma6.corrected": Script(
        lemma6, exist(STEP, "5", "2", leaf=one_step), lookup_defined("f g h i", TIE_SCORES)
    ),
    "merrill2024.lemma6": Script(lemma6_refuted, refutes=True),
    "merrill2024.lemma7": Script(lemma7_refuted, refutes=True),
    "merrill2024.lemma6.gap": Script(gap_refuted, refutes=True),
    "merrill2024.lemma4": Script(
        lemma4,
        each(witnesses("2", "j. 2", "j. 0", "4"), witnesses("2", "j. 2", "j. 0", "4", "1")),
        lookup_defined("n h sigma i", "l. inputscore(1, n, h, i, l)"),
    ),
    "merrill2024.lemma3": Script(lemma3_refuted, refutes=True),
    "merrill2024.lemma3.corrected": Script(
        lemma3, witnesses("1", "j. -2", "4"), lookup_defined("n h i", "l. inputscore(2, n, h, i, l)")
    ),
    "merrill2024.def.saturated": Script(saturated, saturated_inhabited, saturated_defined),
    "merrill2024.s3.1.lookup": Script(lookup, witnesses("1", "j. I[1 < j]", "j. 0", "5", "2"), lookup_claim_defined),
    "merrill2024.s3.1.direct": Script(direct, witnesses("-1", "1", "0", "2"), direct_defined),
    "merrill2024.thm1.invd": Script(invd, witnesses("j. j", "0", "2", "5"), invd_defined),
    "merrill2024.thm1.select.corrected": Script(select, selected, select_defined),
    "merrill2024.thm1.retrieve": Script(
        retrieve, each(witnesses("j. 0", "2", "4"), witnesses("j. 0", "2", "4", "1")), retrieve_defined
    ),
    "merrill2024.thm2.head": Script(head_refuted, refutes=True),
    "merrill2024.thm2.inputhash": Script(inputhash, witnesses("2", "-1", "1"), inputhash_defined),
    "merrill2024.prop1.scale": Script(
        prop1_scale, witnesses("i k. 1/2 - I[2 < k]", "2", "4", "0", "sqrt(2)", "1", "1"), scale_defined
    ),
    "merrill2024.def5.multinorm": Script(multinorm, multinorm_inhabited, multinorm_defined),
    "merrill2024.appD.head": Script(five, five_inhabited, five_defined),
    "merrill2024.appE.head": Script(eight, eight_inhabited, eight_defined),
    "merrill2024.thm2.worktape": Script(worktape_refuted, refutes=True),
    "merrill2024.thm2.worktape.corrected": Script(
        worktape, worktape_inhabited, lookup_defined("f g h key wrote i", KEY_SCORES)
    ),
    "lem.pair_gap_value": pair_gap_value,
    "lem.pair_least_gap": pair_least_gap,
    "lem.pair_gap_sharp": pair_gap_sharp,
    "lem.tie_margin": tie_margin,
    "merrill2024.thm2.output": Script(lambda g: wrong_cell(g, True), refutes=True),
    "merrill2024.thm2.output.corrected": Script(
        output, lambda g: worktape_inhabited(g, True), lookup_defined("f g h key wrote stop i", KEY_SCORES)
    ),
    "lem.layernorm_padded": layernorm_padded,
    "merrill2024.prop1": Script(prop1, prop1_inhabited, prop1_defined),
}
