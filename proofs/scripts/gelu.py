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
