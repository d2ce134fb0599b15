"""GELU (Cookbook, Section 4.6): both forms, their remainder, products by three units, ReLU as a limit."""

from __future__ import annotations

from script import Script

from symcook.proof.search.cover import cover
from symcook.proof.search.tactics import Goal, Tactic

SCRIPTS: dict[str, Script] = {}


def enclosed(g: Goal, show: str, label: str) -> Goal:
    """A comparison of constants, by one enclosure."""
    return g.have(show, label, lambda h: h.interval([], 64))


def root(g: Goal, x: str, label: str) -> Goal:
    """sqrt(x)^2 = x, 0 < sqrt(x) and its inverse; x is a constant."""
    enclosed(g, f"0 <= {x}", f"{label}_x").use("ax:sqrt", x, f"#{label}_x", label=f"{label}_low {label}_sq")
    return g.positive(f"sqrt({x})", label, lambda h: h.interval([], 64))


def unique(g: Goal, a: str, b: str, label: str) -> Goal:
    """a = b for positive constants with equal squares."""

    def proof(h: Goal) -> None:
        enclosed(enclosed(h, f"0 < {a}", "pos_a"), f"0 < {b}", "pos_b")
        low, high = h.antisym()
        for e in (low, high):
            e.contra("more").auto("more pos_a pos_b squares", degree=2)

    return g.have(f"{a} = {b}", label, proof)


def roots(g: Goal) -> None:
    for x, label in (("2", "two"), ("pi", "p"), ("2*pi", "tp"), ("pi/2", "ph"), ("2/pi", "th")):
        root(g, x, label)
    g.positive("pi", "pi", lambda h: h.interval([], 64))

    def equal(a: str, b: str, use: str, multipliers: list[str]) -> Tactic:
        def run(h: Goal) -> None:
            h.have(f"({a})*({a}) = ({b})*({b})", "squares", use=use, rounds=0, multipliers=multipliers)
            unique(h, a, b, "done").hyp("done")

        return run

    first, second, third, fourth = g.split()
    s, c, i, j = "sqrt(2/pi)", "sqrt(pi/2)", "1/sqrt(pi)", "1/sqrt(2)"
    equal(f"{s}*{c}", "1", "th_sq ph_sq pi_e", ["1", f"{c}*{c}", "2/pi", "pi/2"])(first)
    w = "1/sqrt(2*pi)"
    second.have(f"{w}*{w}*(2*pi) = 1", "w", use="tp_sq tp_e", rounds=0, multipliers=["1", w, f"{w}*{w}", f"sqrt(2*pi)*{w}"])
    equal(w, f"{s}/2", "w th_sq pi_e", ["1", f"{w}*{w}", "1/pi"])(second)
    third.have(f"{i}*{i}*pi = 1", "i", use="p_sq p_e", rounds=0, multipliers=["1", i, f"{i}*{i}", f"sqrt(pi)*{i}"])
    third.have(f"{i}*{i} = 1/pi", "ii", use="i pi_e", rounds=0, multipliers=["1", "1/pi", f"{i}*{i}"])
    third.have(f"{j}*{j} = 1/2", "jj", use="two_sq two_e", rounds=0, multipliers=["1", j, f"{j}*{j}", f"sqrt(2)*{j}"])
    equal(f"2*{i}*{j}", s, "ii jj th_sq", ["1", f"{i}*{i}", f"{j}*{j}", "1/pi"])(third)
    fourth.auto("two_sq two_e", rounds=0, multipliers=["1", j, f"{j}*{j}", f"sqrt(2)*{j}"])


def erf_bracket(g: Goal) -> None:
    g.intro("z low").use("lem:gauss_roots", label="sc tp split half")
    enclosed(g, "0 < 1/sqrt(2)", "i").have("0 <= z/sqrt(2)", "arg", use="i low", degree=2)
    g.use("ax:erf_lower", "z/sqrt(2)", "0", label="lower").use("ax:erf_upper", "z/sqrt(2)", "0", label="upper")
    g.use("ax:erf_range", "z/sqrt(2)", label="least most")
    w = "2/sqrt(pi)*(1/sqrt(2))"
    for h, use in zip(g.split(), ("lower split half", "upper split half", "least", "most"), strict=True):
        h.auto(use, degree=1, rounds=0, multipliers=["1", "z", "z^3", f"z^3*({w})"])


SCRIPTS |= {"lem.gauss_roots": Script(roots), "lem.erf_bracket": Script(erf_bracket)}


# --- tanh from the Taylor brackets of exp ------------------------------------------------------------------------------


def halves(g: Goal, a: str) -> Goal:
    """tanh(a) = 1 - 2*w with w*(e^(-2a) + 1) = e^(-2a): `weight`; 0 < e^(-2a): `decay`."""
    g.use("ax:exp_pos", f"2*({a})", label="grow").use("ax:exp_pos", f"-2*({a})", label="decay")
    g.positive(f"exp(2*({a})) + 1", "total", lambda h: h.auto("grow"))
    w, e = f"1/(exp(2*({a})) + 1)", f"exp(-2*({a}))"
    return g.have(f"{w}*({e} + 1) = {e}", "weight", use="total_e", rounds=0, multipliers=[e])


def tanh_bracket(g: Goal) -> None:
    g.intro("a low")
    halves(g, "a")
    g.use("ax:exp_upper", "-2*a", "0", label="one")
    e = "exp(-2*a)"
    upper, lower, least, most = g.split()

    def bracket(h: Goal, p: str, q: str, power: int, series: str, needed: str) -> None:
        """The series of exp(-2a), times 1 + p, leaves a^power times the positive polynomial q."""
        h.intro("high").have(f"0 <= 1 + ({p})", "factor", cover).have(f"0 < {q}", "q", cover)
        h.have(f"0 <= a^{power}", "power", lambda f: f.auto("low", degree=power))
        h.have(f"0 <= a^{power}*({q})", "product", use="q power", degree=2)
        h.use(series, "-2*a", "2" if series == "ax:exp_lower" else "3", label="series")
        h.have(needed, "needed", use="series factor product", degree=2)
        h.auto("needed weight decay", degree=2)

    p = "a - a^3/4"
    bracket(
        upper,
        p,
        "1/6 - a/6 - a^2/10 + a^3/15 - a^4/6 + a^5/15",
        3,
        "ax:exp_lower",
        f"1 - ({p}) <= (1 + ({p}))*{e}",
    )
    p = "a - a^3/3"
    bracket(
        lower,
        p,
        "4/15 - 4*a/15 + 2*a^2/15 - 4*a^3/45 + 4*a^4/135",
        5,
        "ax:exp_upper",
        f"(1 + ({p}))*{e} <= 1 - ({p})",
    )
    least.auto("one weight decay", degree=2)
    most.auto("total_i")


def tanh_odd(g: Goal) -> None:
    g.intro("a")
    halves(g, "a")
    g.positive("exp(2*-a) + 1", "other", lambda h: h.auto("decay"))
    w, v, e = "1/(exp(2*a) + 1)", "1/(exp(2*-a) + 1)", "exp(-2*a)"
    g.auto("weight total_e other_e", rounds=0, multipliers=["1", v, w, f"{v}*{e}", "exp(2*a)", f"{v}*exp(2*a)", e, f"{w}*{v}", f"{w}*{v}*{e}"])


SCRIPTS |= {"lem.tanh_bracket": Script(tanh_bracket), "lem.tanh_odd": Script(tanh_odd)}


# --- The remainders --------------------------------------------------------------------------------------------------

S = "sqrt(2/pi)"
TANH = f"tanh({S}*({{0}} + 0.044715*{{0}}^3))"
ERF = "erf({0}/sqrt(2))"
TOP = "1626/10000"


def slope(g: Goal) -> Goal:
    """0.7978 < sqrt(2/pi) < 0.7979."""
    return enclosed(enclosed(g, f"7978/10000 < {S}", "s_low"), f"{S} < 7979/10000", "s_high")


def thirds(g: Goal, term: str, first: str, near: Tactic, middle: Tactic, last: str, far: Tactic) -> None:
    """Near zero, between two numbers, and beyond; `side` and `other` bound the name."""
    low, rest = g.em(f"{term} <= {first}", "side")
    near(low)
    middle_part, high = rest.em(f"{term} <= {last}", "other")
    middle(middle_part)
    far(high)


def erf_core(g: Goal) -> None:
    g.intro("u low")
    slope(g).use("lem:erf_bracket", "u", label="from_below from_above least most")
    below, above = g.split()
    below.auto("from_above")

    def near(h: Goal) -> None:
        h.have("0 <= u^2*(6/5 - u)", "square", use="low side", degree=3)
        h.have("0 <= u^3", "cube", use="low", degree=3).have(f"{S}*u^3 <= 7979/10000*u^3", "scaled", use="cube s_high", degree=2)
        h.auto("from_below square scaled", squares=["u"])

    def far(h: Goal) -> None:
        h.have("0 <= u*(u - 5)", "square", use="low other", degree=2)
        h.have(f"{S}*u <= 7979/10000*u", "scaled", use="low s_high", degree=2).auto("square scaled least low")

    thirds(above, "u", "6/5", near, cover_of, "5", far)


def cover_of(g: Goal) -> None:
    cover(g)


def tanh_core(g: Goal) -> None:
    g.intro("u low")
    a = f"{S}*(u + 0.044715*u^3)"
    slope(g).have("0 <= u^3", "cube", use="low", degree=3)
    g.have(f"{S}*u <= {a}", "more", use="cube s_low", degree=2).have(f"0 <= {S}*u", "start", use="low s_low", degree=2)
    g.have(f"0 <= {a}", "some", use="more start")
    g.use("lem:tanh_bracket", a, "#some", label="from_above from_below least most")
    below, above = g.split()

    def small(h: Goal) -> None:
        h.have(f"{a} <= 1/2", "short", cover).use("from_above", "#short", label="bound")
        h.have(f"({S}*u)^3 <= ({a})^3", "cubes", lambda f: f.auto("more start some", degree=3))
        h.have(f"6/10 <= {S}*{S}", "squares", lambda f: f.interval([], 64))
        h.have(f"0 <= {S}*u^3", "third", use="cube s_low", degree=2)
        h.have(f"6/10*{S}*u^3 <= {S}^3*u^3", "scaled", use="third squares", degree=2)
        h.auto("bound cubes scaled third")

    def beyond(h: Goal) -> None:
        h.have(f"1 <= {S}*u", "one", use="other s_low low", degree=2).auto("one most")

    thirds(below, "u", "3/5", small, cover_of, "13/10", beyond)

    def near(h: Goal) -> None:
        h.have(f"{a} <= 3/4", "short", cover).use("from_below", "#short", label="bound")
        h.have(f"{S}*(1 + 0.044715*u^2) < 82/100", "rate", cover)
        h.have(f"{a} <= 82/100*u", "line", use="rate low", degree=2)
        h.have(f"({a})^3 <= (82/100*u)^3", "cubes", lambda f: f.auto("line some low", degree=3))
        h.have("0 <= u^2*(3/4 - u)", "square", use="low side", degree=3)
        h.auto("bound cubes square more cube")

    def far(h: Goal) -> None:
        h.have("0 <= u*(u - 5)", "square", use="low other", degree=2)
        h.have(f"{S}*u <= 7979/10000*u", "scaled", use="low s_high", degree=2).auto("square scaled least low")

    thirds(above, "u", "3/4", near, cover_of, "5", far)


def rest(h: str, core: Tactic, odd: str, argument: str) -> Tactic:
    """The remainder is -|z|/2*(S*|z| - h(|z|)), since h is odd."""

    def run(g: Goal) -> None:
        g.intro("z r is").use("lem:gauss_roots", label="sc tp split half")
        g.have(f"all u:Real. 0 <= u -> 0 <= {S}*u - {h.format('u')} & {S}*u - {h.format('u')} <= {TOP}*u^2", "core", core)
        for e, u, sign in zip(g.em("0 <= z", "side"), ("z", "(-z)"), ("pos", "neg"), strict=True):
            e.have(f"0 <= {u}", "low").use("core", u, "#low", label="below above")
            e.use(f"ax:abs_{sign}", "z", label="size")
            if sign == "neg":
                e.use(odd, argument, label="odd")
            known = "odd" if sign == "neg" else ""
            e.have(f"r = -({u})/2*({S}*({u}) - {h.format(u)})", "form", use=f"is tp {known}", degree=1, rounds=0, multipliers=["1", "z", "z^2"])
            e.have(f"0 <= {u}*({S}*({u}) - {h.format(u)})", "positive", use="low below", degree=2)
            e.have(f"{u}*({S}*({u}) - {h.format(u)}) <= {TOP}*({u})^3", "cubic", use="low above", degree=2)
            first, second = e.split()
            first.rewrite("size").auto("form cubic")
            second.auto("form positive")

    return run


SCRIPTS |= {
    "lem.gelu_rest": Script(rest(ERF, erf_core, "ax:erf_odd", "z/sqrt(2)")),
    "lem.gelutanh_rest": Script(rest(TANH, tanh_core, "lem:tanh_odd", f"{S}*(z + 0.044715*z^3)")),
}


# --- Products -----------------------------------------------------------------------------------------------------------


def mul_error(g: Goal) -> None:
    g.intro("f x y rest").use("lem:gauss_roots", label="sc tp split half")
    c = "sqrt(pi/2)"
    enclosed(enclosed(g, f"0 < {c}", "c_low"), f"813/10000*{c} < 102/1000", "c_high")
    for k, z in (("s", "x + y"), ("x", "x"), ("y", "y")):
        r = f"(f({z}) - (({z})/2 + ({z})^2/sqrt(2*pi)))"
        g.use("rest", z, r, lambda h: h.auto(degree=1, rounds=0), label=f"low_{k} high_{k}")

    def form(h: Goal) -> None:
        h.auto("sc tp", degree=1, rounds=0, multipliers=["1", "x*y", c])

    parts = " - ".join(f"(f({z}) - (({z})/2 + ({z})^2/sqrt(2*pi)))" for z in ("x + y", "x", "y"))
    e = f"({c}*(f(x + y) - f(x) - f(y)) - x*y)"
    g.have(f"{e} = {c}*({parts})", "form", lambda h: h.auto("sc tp", degree=1, rounds=0, multipliers=["1", "x*y", f"{c}*x*y"]))
    total = "(abs(x) + abs(y))"

    def sizes(h: Goal) -> None:
        h.apart("abs(x); abs(y); abs(x + y)", lambda f: f.blast())

    g.have(f"0 <= abs(x) & 0 <= abs(y) & abs(x + y) <= {total} & 0 <= abs(x + y)", "size_x size_y size_s some", sizes)
    g.have(f"abs(x + y)^3 <= {total}^3", "cube_s", lambda h: h.auto("size_s some size_x size_y", degree=3))
    g.have(f"abs(x)^3 + abs(y)^3 <= {total}^3", "cubes", lambda h: h.auto("size_x size_y", degree=3))
    g.have(f"0 <= {total}^3", "cube", use="size_x size_y", degree=3)
    bound = f"102/1000*{total}^3"
    g.have(f"{c}*(813/10000*{total}^3) <= {bound}", "scaled", use="cube c_high", degree=2)
    low = f"-(813/10000*{total}^3) <= ({parts})"
    g.have(low, "low", use="low_s high_x high_y cube_s").have(f"({parts}) <= 813/10000*{total}^3", "high", use="high_s low_x low_y cubes")
    g.have(f"{c}*({parts}) <= {c}*(813/10000*{total}^3)", "above", use="high c_low", degree=2)
    g.have(f"-{c}*(813/10000*{total}^3) <= {c}*({parts})", "below", use="low c_low", degree=2)
    g.have(f"-{bound} <= {e} & {e} <= {bound}", "one two", use="form above below scaled")
    up, down = g.em(f"0 <= {e}", "sign")
    up.use("ax:abs_pos", e, label="value").auto("value two")
    down.use("ax:abs_neg", e, label="value").auto("value one")


SCRIPTS |= {"lem.mul_error": Script(mul_error)}
