"""Lookups (Cookbook, Section 5.3 and Table 5): codes in blocks, the layer-norm hash, quadratic maximization."""

from __future__ import annotations

from script import Script

from symcook.proof.search.tactics import Goal, Tactic


def each_by(*how: str) -> Tactic:
    """A conjunction, part by part: ``#label`` a fact, other text `auto` from these facts, nothing what is easy.

    A single entry serves all parts.
    """

    def run(h: Goal) -> None:
        goals = h.split()
        for e, k in zip(goals, how * len(goals) if len(how) == 1 else how, strict=True):
            if k.startswith("#"):
                e.hyp(k[1:])
            elif k:
                e.auto(k)
            else:
                e.easy()

    return run


def root(g: Goal, x: str, label: str) -> Goal:
    """sqrt(x) with LABEL_p: positive, LABEL_s: its square, LABEL_e: times its inverse, LABEL_i: inverse positive."""
    return g.use("lem:sqrt_positive", x, label=f"{label}_p {label}_s {label}_e {label}_i")


def square(g: Goal, x: str, label: str) -> Goal:
    """0 <= x^2."""
    return g.have(f"0 <= ({x})^2", label, squares=[x])


def ratios(g: Goal) -> Goal:
    """0 < 1/i and 0 < (x/i)^2 + (1/i)^2 from `some`: 1 <= i."""
    g.positive("i", "i", lambda h: h.auto("some")).have("0 < (1/i)^2", "i2", use="i_i")
    return square(g, "x/i", "x2").have("0 < (x/i)^2 + (1/i)^2", "xy", use="x2 i2")


def normed(g: Goal, f: str, label: str = "n") -> Goal:
    """lem.masked_norm for the components f, with `four` and `rest`."""
    ready = each_by("#wide", "#four_f", "#rest_f", "#xy")
    return g.use("lem:masked_norm", "d", f, "x/i", "1/i", ready, label=f"{label}_zero {label}_is {label}_pos")


MASK = "b. I[b <= 4]*u(b)"


def masked(g: Goal) -> Goal:
    """The masked components: `four_f`, `rest_f`, and their squares from 5 on, `tail`."""

    def four(h: Goal) -> None:
        h.intro("b (bl bh)").use("four", "b", label="here")
        yes, no = h.ind("b <= 4", "at value")
        yes.auto("here value", rounds=0, multipliers=["u(b)"])
        no.contra("any").auto("at bh")

    def zero(h: Goal) -> None:
        h.intro("b (bl bh)")
        yes, no = h.ind("b <= 4", "at value")
        yes.contra("any").auto("at bl")
        no.auto("value", rounds=0, multipliers=["u(b)", "u(b)^2", "I[b <= 4]*u(b)^2"])

    g.have("all b in 1..4. I[b <= 4]*u(b) = quadruple(x/i, 1/i, b)", "four_f", four)
    g.use("lem:sum_ext", MASK, "b. 0", "5", "d", zero, label="rest").have(
        "sum(b, 5, d, I[b <= 4]*u(b)) = 0", "rest_f", use="rest"
    )
    return g.use("lem:sum_ext", "b. (I[b <= 4]*u(b))^2", "b. 0", "5", "d", zero, label="tail")


def selective(g: Goal) -> None:
    first, second = g.split()
    first.intro("d u x i c (wide some four low high)")
    normed(masked(ratios(first)), MASK)
    v = "x^2/2 + 1/2"
    square(first, "x", "sq").have(f"0 < {v}", "v", use="sq").positive("d", "d", lambda h: h.auto("wide"))
    root(root(first, v, "r"), "d", "t")
    variance = "sum(b, 1, d, (I[b <= 4]*u(b) - sum(e, 1, d, I[e <= 4]*u(e))/d)^2)/d"
    first.have(f"{variance} = 4*(1/i)^2*(1/d)*({v})", "w_is", use="n_is tail", rounds=0, multipliers=["1", "1/d"])
    root(first, variance, "w")

    def both(h: Goal) -> None:
        low, is_ = h.split()
        low.have("0 < 1/i*(1/sqrt(d))", "p", use="i_i t_i").auto("p r_p")
        is_.have(
            "1/sqrt(d)*(1/sqrt(d)) = 1/d",
            "inv",
            use="t_e t_s d_e",
            rounds=0,
            multipliers=[
                "1/sqrt(d)/sqrt(d)",
                "1/d",
                "1/sqrt(d)",
                "1/sqrt(d)/d",
                "sqrt(d)/sqrt(d)/d",
                "1/d/sqrt(d)/sqrt(d)",
            ],
        )
        is_.auto(
            "w_is r_s inv",
            rounds=0,
            multipliers=["1", "(1/i)^2", f"(1/i)^2*({v})", f"(1/i)^2*sqrt({v})^2", "(1/i)^2/d"],
        )

    y = f"2*(1/i)*(1/sqrt(d))*sqrt({v})"
    first.use("lem:sqrt_unique", variance, y, both, label="w_root")
    inverse = f"1/sqrt({variance})"
    # 1/w = i*sqrt(d)/2/sqrt(v)
    first.have(
        f"{inverse}*(1/i) = sqrt(d)/2*(1/sqrt({v}))",
        "value",
        lambda h: h.auto(
            "w_root w_e t_e r_e",
            rounds=0,
            multipliers=[
                "1",
                f"sqrt(d)*(1/sqrt({v}))",
                f"sqrt(d)*(1/sqrt({v}))*({inverse})",
                f"sqrt({v})*(1/sqrt({v}))*({inverse})*(1/i)",
                f"{inverse}*(1/i)",
            ],
        ),
    )
    inside, outside = first.ind("c <= 4", "at size")
    inside.use("four", "c", label="u_is")
    products = [f"{e}*I[c = {n}]" for n in range(1, 5) for e in ("1", "x")]
    inside.auto(
        "size u_is value n_zero",
        rounds=0,
        multipliers=[
            "1",
            f"u(c)*({inverse})",
            inverse,
            *products,
            f"{inverse}/d",
            *(f"{p}*sqrt(d)*(1/sqrt({v}))" for p in products),
        ],
    )
    outside.auto(
        "size n_zero",
        rounds=0,
        multipliers=[
            "1",
            f"u(c)*({inverse})",
            inverse,
            f"{inverse}/d",
            *(f"{p}*sqrt(d)*(1/sqrt({v}))" for p in products),
        ],
    )

    second.intro("d u x i (wide some four rest)")
    ratios(second).use(
        "lem:masked_norm",
        "d",
        "u",
        "x/i",
        "1/i",
        each_by("#wide", "#four", "#rest", "#xy"),
        label="n_zero n_is n_pos",
    )
    spread = "sum(b, 1, d, (u(b) - sum(e, 1, d, u(e))/d)^2)/d"
    square(second, "x", "sq").have(f"0 < {v}", "v", use="sq")
    root(root(second, v, "r"), spread, "w").witness(f"sqrt({v})*(1/i)*(1/sqrt({spread}))")
    low, same = second.split()
    low.have("0 < 1/i*(1/sqrt(" + spread + "))", "p", use="i_i w_i").auto("p r_p")
    same.intro("c inside").use("four", "c", label="u_is")
    products = [f"{e}*I[c = {n}]*(1/i)*(1/sqrt({spread}))" for n in range(1, 5) for e in ("1", "x")]
    same.auto("u_is n_zero r_e", rounds=0, multipliers=[f"1/sqrt({spread})", f"1/sqrt({spread})/d", *products])


def selective_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        wide, some = (next(k for k, f in h.facts.items() if h.text(f) == t) for t in ("4 <= d", "1 <= i"))
        h.have("4 <= d", "wide", use=wide).have("1 <= i", "some", use=some)
        if h.try_auto(degree=1, rounds=0):
            return
        four = next(k for k, f in h.facts.items() if f[0] == "all" and "x/i" in h.text(f) and "u(" in h.text(f))
        h.have("all b in 1..4. u(b) = quadruple(x/i, 1/i, b)", "four", lambda e: e.hyp(four))
        square(h, "x", "sq").have("0 < x^2/2 + 1/2", "v", use="sq")
        ratios(root(h, "x^2/2 + 1/2", "r"))
        summed = [k for k, f in h.facts.items() if h.text(f).startswith("sum(") and h.text(f).endswith(", u(j)) = 0")]
        if summed:
            ready = each_by("#wide", "#four", f"#{summed[0]}", "#xy")
            h.use("lem:masked_norm", "d", "u", "x/i", "1/i", ready, label="n_zero n_is n_pos")
            root(h, "sum(b, 1, d, (u(b) - sum(e, 1, d, u(e))/d)^2)/d", "w")
        else:
            normed(masked(h), MASK)
            root(h, "sum(b, 1, d, (I[b <= 4]*u(b) - sum(e, 1, d, I[e <= 4]*u(e))/d)^2)/d", "w")
        h.auto(degree=1, rounds=0)

    first, second = parts(g)
    leaf_first = lambda names: lambda h: h.leaves(names, leaf)  # noqa: E731
    leaf_first("d u x i c")(first)
    leaf_first("d u x i")(second)


def parts(g: Goal) -> list[Goal]:
    """The conditions D of the two conjuncts; the second may assume the first."""
    first, second = g.split()
    if second.goal[0] == "->":
        second.intro("earlier")
    return [first, second]


SCRIPTS: dict[str, Script | Tactic] = {
    "cookbook.s5.3.3.selective_ln.corrected": Script(
        selective,
        lambda g: g.inhabit(
            "4", "b. quadruple(2/3, 1/3, b)", "2", "3", "1", "4", "b. quadruple(2/3, 1/3, b)", "2", "3"
        ),
        selective_defined,
    ),
}
