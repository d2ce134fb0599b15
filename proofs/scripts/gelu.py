"""GELU (Cookbook, Section 4.6): both forms, their remainder, products by three units, ReLU as a limit."""

from __future__ import annotations

from collections.abc import Sequence

from script import Script

from symcook.proof.search.cover import cover
from symcook.proof.search.tactics import Goal, Stuck, Tactic
from symcook.proof.terms import Term, free, num, var

SCRIPTS: dict[str, Script] = {}


def enclosed(g: Goal, show: str, label: str) -> Goal:
    """A comparison of constants, by one enclosure."""
    return g.have(show, label, lambda h: h.interval([], 64))


# --- tanh from the Taylor brackets of exp ----------------------------------------------------------------------------


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
        h.have("0 <= u^3", "cube", use="low", degree=3).have(
            f"{S}*u^3 <= 7979/10000*u^3", "scaled", use="cube s_high", degree=2
        )
        h.auto("from_below square scaled", squares=["u"])

    def far(h: Goal) -> None:
        h.have("0 <= u*(u - 5)", "square", use="low other", degree=2)
        h.have(f"{S}*u <= 7979/10000*u", "scaled", use="low s_high", degree=2).auto("square scaled least low")

    thirds(above, "u", "6/5", near, cover, "5", far)


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

    thirds(below, "u", "3/5", small, cover, "13/10", beyond)

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

    thirds(above, "u", "3/4", near, cover, "5", far)


def rest(h: str, core: Tactic, odd: str, argument: str) -> Tactic:
    """The remainder is -|z|/2*(S*|z| - h(|z|)), since h is odd."""

    def run(g: Goal) -> None:
        g.intro("z r is").use("lem:gauss_roots", label="sc tp split half")
        g.have(
            f"all u:Real. 0 <= u -> 0 <= {S}*u - {h.format('u')} & {S}*u - {h.format('u')} <= {TOP}*u^2", "core", core
        )
        for e, u, sign in zip(g.em("0 <= z", "side"), ("z", "(-z)"), ("pos", "neg"), strict=True):
            e.have(f"0 <= {u}", "low").use("core", u, "#low", label="below above")
            e.use(f"ax:abs_{sign}", "z", label="size")
            if sign == "neg":
                e.use(odd, argument, label="odd")
            known = "odd" if sign == "neg" else ""
            e.have(
                f"r = -({u})/2*({S}*({u}) - {h.format(u)})",
                "form",
                use=f"is tp {known}",
                degree=1,
                rounds=0,
                multipliers=["1", "z", "z^2"],
            )
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


# --- Products --------------------------------------------------------------------------------------------------------


def definedness(g: Goal) -> None:
    """Roots of constants are real and positive; e^a + 1 is positive; bounds are among the facts."""

    def leaf(h: Goal) -> None:
        if not free(h.goal) and h.goal[0] in ("<=", "<"):
            h.interval([], 64)
            return
        if h.goal[0] != "false":
            h.auto()
            return
        zero = list(h.facts)[-1]
        term = h.facts[zero][2][0]
        text = h.text(term)
        if not free(term):
            enclosed(h, f"0 < {text}", "sure").auto(f"sure {zero}", degree=1, rounds=0)
        elif "exp" in text:
            for k, e in enumerate(t for t in term[2] if t[1] == "exp"):
                h.use("ax:exp_pos", h.text(e[2][0]), label=f"grow{k}")
            h.auto()
        else:
            h.auto()

    g.leaves("", leaf)


FORMS = ("gelu", "gelutanh")


# --- Beyond a fixed box: the tail of erf -----------------------------------------------------------------------------


def tail(g: Goal, u: str) -> Goal:
    """1 - erf(u/sqrt(2)) <= e^(-u^2/2) as `tail`, from 0 <= u (`low`) and (1/sqrt(2))^2 = 1/2 (`half`)."""
    arg = f"({u})/sqrt(2)"
    enclosed(g, "0 < 1/sqrt(2)", "shrink").have(f"0 <= {arg}", "arg", use="shrink low", degree=2)
    g.use("ax:erf_tail", arg, "#arg", label="gaussian")
    g.have(f"({arg})^2 = ({u})^2/2", "scale", use="half", degree=1, rounds=0, multipliers=[f"({u})^2"])
    return g.rewrite("scale", "gaussian", "tail").use("ax:exp_pos", f"-({u})^2/2", label="decay")


def grows(g: Goal, u: str) -> Goal:
    """4*u*e^(-u^2/2) <= 1 for 3 < u (`other`)."""
    g.have(f"3*({u}) <= ({u})^2", "square", use="low other", degree=2)
    g.have(f"9*({u})^2 <= ({u})^4", "fourth", use="square low", degree=2)
    g.have(f"0 <= ({u})^6", "sixth", squares=[f"({u})^3"])
    g.use("ax:exp_lower", f"({u})^2/2", "1", label="series")
    g.have(f"4*({u}) <= exp(({u})^2/2)", "grows", use="series square fourth sixth low")
    return g.have(f"4*({u})*exp(-({u})^2/2) <= 1", "small", use="grows decay", degree=2)


def relu_part(g: Goal) -> None:
    """all u. 0 <= u -> 0 <= u/2*(1 - erf(u/sqrt(2))) <= 0.16998."""
    g.intro("u low").use("lem:gauss_roots", label="sc tp split half").use(
        "lem:erf_bracket", "u", label="b1 b2 least most"
    )
    below, above = g.split()
    below.auto("low most", degree=2)

    def far(h: Goal) -> None:
        grows(tail(h, "u"), "u").have("u*(1 - erf(u/sqrt(2))) <= u*exp(-u^2/2)", "scaled", use="tail low", degree=2)
        h.auto("scaled small")

    near, rest_ = above.em("u <= 1/4", "side")
    near.have("u*(1 - erf(u/sqrt(2))) <= u", "less", use="least low", degree=2).auto("less side")
    middle, high = rest_.em("u <= 3", "other")
    cover(middle)
    far(high)


SCRIPTS |= {"lem.gelu_relu": Script(relu_part)}


def far_erf(g: Goal) -> Goal:
    """u*(1 - erf(u/sqrt(2))) <= 1/600 for 9/2 < u (`other`), as `small`; `decay` and `low` as in `tail`."""
    tail(g, "u").have("10 <= u^2/2", "wide", use="other low", degree=2)
    g.have("2*u <= u^2/2", "wider", use="other low", degree=2)
    g.use("lem:exp_line", "u^2/2", label="l7 l10 l13").use("l10", "#wide", label="grows")
    g.have("600*u <= exp(u^2/2)", "line", use="grows wider")
    g.have("600*u*exp(-u^2/2) <= 1", "one", use="line decay", degree=2)
    return g.have("600*u*(1 - erf(u/sqrt(2))) <= 1", "small", use="one tail low", degree=2)


def difference(start: str, near: Tactic, far: Tactic) -> Tactic:
    """Both bounds on u/2*(erf(u/sqrt(2)) - h(u)): near 0, by a cover, and far out by the tails."""

    def run(g: Goal) -> None:
        g.intro("u low").use("lem:gauss_roots", label="sc tp split half")
        g.use("lem:erf_bracket", "u", label="b1 b2 least most")
        for h in g.split():
            thirds(h, "u", start, near, cover, "9/2", lambda e: far(far_erf(e)))

    return run


def near_tanh(g: Goal) -> None:
    """The remainders of both forms are small."""
    for name in FORMS:
        r = f"({name}(u) - (u/2 + u^2/sqrt(2*pi)))"
        g.use(f"lem:{name}_rest", "u", r, lambda h: h.auto(degree=1, rounds=0), label=f"low_{name} high_{name}")
    g.use("ax:abs_pos", "u", label="size").have("0 <= u^2*(1/6 - u)", "square", use="low side", degree=3)
    g.have("0 <= u*(1/6 - u)", "product", use="low side", degree=2)
    for name in FORMS:
        g.rewrite("size", f"low_{name}", f"low3_{name}")
    g.auto("low3_gelu high_gelu low3_gelutanh high_gelutanh square product side", degree=1)


def far_from_tanh(g: Goal) -> None:
    double = f"2*({S}*(u + 0.044715*u^3))"
    slope(g).have("0 <= u*(u - 9/2)*(u + 9/2)", "cube", use="low other", degree=3)
    g.have(f"{S}*(u*(u - 9/2)*(u + 9/2)) >= 7978/10000*(u*(u - 9/2)*(u + 9/2))", "scaled", use="cube s_low", degree=2)
    g.have(f"{S}*u >= 7978/10000*u", "linear", use="low s_low", degree=2)
    g.have(f"3*u <= {double}", "wide_u", use="cube scaled linear low")
    g.have(f"13 <= {double}", "wide_x", use="wide_u other")
    g.use("lem:exp_line", double, label="x7 x10 x13").use("x13", "#wide_x", label="line_x")
    g.have(f"4500*u <= exp({double})", "steep", use="line_x wide_u")
    g.positive(f"exp({double}) + 1", "total", lambda h: h.auto("steep low"))
    g.have(f"4500*u*(1/(exp({double}) + 1)) <= 1", "short", use="steep total_i total_e", degree=2)
    g.have(f"0 <= u*(1/(exp({double}) + 1))", "short_low", use="total_i low", degree=2)
    g.have("0 <= u*(1 - erf(u/sqrt(2)))", "small_low", use="most low", degree=2)
    g.auto("short short_low small small_low", degree=1)


def by_size(g: Goal, core: Tactic, h: str, argument: str, top: str) -> Goal:
    """x/2*(erf(x/sqrt(2)) - h(x)) is between -top and top (`high`, `least`), since erf and tanh are odd."""
    d = f"{{0}}/2*({ERF} - {h})"
    g.have(f"all u:Real. 0 <= u -> {d.format('u')} <= {top} & -{top} <= {d.format('u')}", "core", core)

    def run(e: Goal) -> None:
        up, down = e.em("0 <= x", "sign")
        up.use("core", "x", "#sign", label="high least").easy("high least")
        down.use("core", "-x", label="high least").use("ax:erf_odd", "x/sqrt(2)", label="odd_e")
        down.use("lem:tanh_odd", argument, label="odd_h")
        for part in down.split():
            part.auto("high least odd_e odd_h", degree=1, rounds=0, multipliers=["1", "x"])

    return g.have(f"{d.format('x')} <= {top} & -{top} <= {d.format('x')}", "high least", run)


def within(g: Goal, e: str, use: str) -> None:
    """abs(e) <= bound from the two bounds on e."""
    up, down = g.em(f"0 <= {e}", "sign_of")
    up.use("ax:abs_pos", e, label="value").auto(f"value {use}", degree=1)
    down.use("ax:abs_neg", e, label="value").auto(f"value {use}", degree=1)


def gelu_tanh(g: Goal) -> None:
    first, second = g.intro("x").split()
    e = "(gelu(x) - gelutanh(x))"
    core = difference("1/6", near_tanh, far_from_tanh)
    within(by_size(first, core, TANH, f"{S}*(x + 0.044715*x^3)", "1/1000"), e, "high least")
    for name in FORMS:
        r = f"({name}(x) - (x/2 + x^2/sqrt(2*pi)))"
        second.use(f"lem:{name}_rest", "x", r, lambda h: h.auto(degree=1, rounds=0), label=f"low_{name} high_{name}")
    second.have("0 <= abs(x)", "size", lambda h: h.apart("abs(x)")).have("0 <= abs(x)^3", "cube", use="size", degree=3)
    within(second, e, "low_gelu high_gelu low_gelutanh high_gelutanh cube")


SIGMOID = "tanh(851/1000*{0})"


def near_sigmoid(g: Goal) -> None:
    g.use("lem:tanh_bracket", "851/1000*u", lambda h: h.auto("low"), label="t1 t2 t3 t4")
    g.have(f"0 <= u*(1 - {ERF.format('u')})", "p1", use="low most", degree=2)
    g.have(f"0 <= u*(1 - {SIGMOID.format('u')})", "p2", use="low t4", degree=2)
    g.have(f"0 <= u*{ERF.format('u')}", "p3", use="low least", degree=2)
    g.have(f"0 <= u*{SIGMOID.format('u')}", "p4", use="low t3", degree=2)
    g.auto("p1 p2 p3 p4 side", degree=1)


def far_from_sigmoid(g: Goal) -> None:
    double = "2*(851/1000*u)"
    g.use("lem:exp_line", double, label="x7 x10 x13").use("x7", lambda h: h.auto("other"), label="steep")
    g.positive(f"exp({double}) + 1", "total", lambda h: h.auto("steep low"))
    g.have(
        f"100*u*(1/(exp({double}) + 1)) <= 1",
        "short",
        lambda h: h.have(f"100*u <= exp({double})", "steep2", use="steep low").auto("steep2 total_i total_e", degree=2),
    )
    g.have(f"0 <= u*(1/(exp({double}) + 1))", "short_low", use="total_i low", degree=2)
    g.have("0 <= u*(1 - erf(u/sqrt(2)))", "small_low", use="most low", degree=2)
    g.auto("short short_low small small_low", degree=1)


def gelu_sigmoid(g: Goal) -> None:
    g.intro("x")
    w, v, up = "1/(exp(1.702*x) + 1)", "1/(1 + exp(-1.702*x))", "exp(1.702*x)"
    g.use("ax:exp_pos", "1.702*x", label="rise").use("ax:exp_pos", "-1.702*x", label="fall")
    g.positive(f"{up} + 1", "whole", lambda h: h.auto("rise")).positive(
        "1 + exp(-1.702*x)", "other", lambda h: h.auto("fall")
    )
    g.have(
        f"{v} = 1 - {w}", "same", use="whole_e other_e", rounds=0, multipliers=["1", v, w, f"{w}*{up}", up, f"{v}*{up}"]
    )
    g.have(
        f"x*({v}) = x/2*(1 + {SIGMOID.format('x')})",
        "half_form",
        use="same",
        degree=1,
        rounds=0,
        multipliers=["1", "x"],
    )
    core = difference("1/50", near_sigmoid, far_from_sigmoid)
    by_size(g, core, SIGMOID, "851/1000*x", "204/10000")
    within(g, f"(gelu(x) - x*({v}))", "high least half_form")


SCRIPTS |= {
    "cookbook.s4.6.gelu_tanh": Script(gelu_tanh, lambda g: g.witness("1").true(), definedness),
    "cookbook.s4.6.gelu_sigmoid": Script(gelu_sigmoid, lambda g: g.witness("1").true(), definedness),
}


# --- Limits ----------------------------------------------------------------------------------------------------------


# --- Products, nearly with the least constant ------------------------------------------------------------------------


def sharp_core(form: str) -> Tactic:
    """For 0 <= b <= a: both errors, of a, b and of a, -b, in terms of the odd part h of the function."""
    c, s, t = "sqrt(pi/2)", "(a + b)", "((a - b)/2/(a + b))"

    def h(u: str) -> str:
        return f"{form}part({u})"

    def outside(g: Goal, near: bool) -> None:
        """Each u^2 - c*u*h(u) is at least 0 and at most u^2, or 0.2307*u^4 where u is small."""
        known = ["cube"]
        for k, u in enumerate(("a", "b", "a + b", "a - b")):
            g.have(f"0 <= {u}", f"u{k}").use(f"lem:mul_part_{form}", u, f"#u{k}", label=f"low{k} most{k} small{k}")
            if near:
                g.have(f"{u} <= 7/10", f"fits{k}").use(f"small{k}", f"#fits{k}", label=f"top{k}")
            known += [f"low{k}", f"top{k}" if near else f"most{k}"]
        g.have("0 <= a*b", "ab", use="a_low b_low", degree=2).have("0 <= (a + b)^3", "cube", use="u2", degree=3)
        if near:
            g.have("a^4 + b^4 <= (a + b)^4", "fourths", lambda e: e.auto("a_low b_low", degree=4))
            g.have("(a - b)^2 <= (a + b)^2", "squares", use="ab")
            g.have("0 <= (a - b)^2", "root", squares=["a - b"]).have("0 <= (a + b)^2", "other_root", squares=["a + b"])
            g.have("(a - b)^4 <= (a + b)^4", "fourth", use="squares root other_root", degree=2)
            g.have("(a + b)^4 <= 7/10*(a + b)^3", "end", use="cube side", degree=2)
            known += ["fourths", "fourth", "end"]
        else:
            g.have("0 <= (a + b)^2", "square", squares=["a + b"])
            g.have("6*(a + b)^2 <= (a + b)^3", "end", use="square other", degree=2)
            known += ["end", "ab"]
        for part in g.split():
            part.auto(known, degree=1)

    def inside(g: Goal) -> None:
        g.have(f"0 < {s}", "positive").use("ax:inv", s, label="inverse").have(f"0 < 1/{s}", "reciprocal")
        g.have(f"0 <= {t}", "t_low", use="b_high reciprocal", degree=2)
        g.have(f"{t} <= 1/2", "t_high", use="b_low reciprocal inverse", degree=2)
        for k, (old, new) in enumerate(((f"{s}*(1/2 + {t})", "a"), (f"{s}*(1/2 - {t})", "b"), (f"2*{s}*{t}", "a - b"))):
            more = ["1", "a", "b"]
            g.have(f"{old} = {new}", f"is{k}", use="inverse", degree=1, rounds=0, multipliers=more)
        g.have(f"{s}^2*(1/{s}) = {s}", "once", use="inverse", rounds=0, multipliers=[s])
        g.have(f"{s}^2*(1/{s})^2 = 1", "twice", use="inverse", rounds=0, multipliers=["1", f"{s}/{s}"])
        g.have(f"0 < {s}^2", "square", use="positive", degree=2)
        for e, part in zip(g.em(f"{s} <= 9/5", "half"), ("low", "high"), strict=True):
            sides = "side other half t_low t_high"
            e.use(f"lem:mul_like_{form}_{part}", s, t, lambda f, sides=sides: f.easy(sides), label="one")
            e.use(f"lem:mul_middle_{form}", s, t, lambda f, sides=sides: f.easy(sides), label="two three four")
            for label, goal in zip(("one", "two", "three", "four"), e.split(), strict=True):
                last = label
                for k in range(2 if label in ("one", "two") else 3):
                    goal.rewrite(f"is{k}", last, f"{label}{k}")
                    last = f"{label}{k}"
                left, right = (goal.text(side) for side in goal.facts[last][2])
                goal.have(f"{s}^2*({left}) < {s}^2*({right})", "scaled", use=["square", last], degree=2)
                values = [f"{c}*{h(u)}" for u in ("a", "b", "a + b", "a - b")]
                more = ["1", "(a - b)^2", *values, *(f"(a - b)*{v}" for v in values)]
                goal.auto("scaled once twice", degree=1, rounds=0, multipliers=more)

    def run(g: Goal) -> None:
        g.intro("a b (b_low b_high)").have("0 <= a", "a_low")
        short, more = g.em("a + b <= 7/10", "side")
        middle, far = more.em("a + b <= 6", "other")
        outside(short, True)
        inside(middle)
        outside(far, False)

    return run


def sharp(g: Goal) -> None:
    g.intro("x y")
    for e, form, name in zip(g.split(), ("erf", "tanh"), FORMS, strict=True):
        h = f"{form}part"
        like = f"(a*b - sqrt(pi/2)/2*((a + b)*{h}(a + b) - a*{h}(a) - b*{h}(b)))"
        unlike = f"(a*b - sqrt(pi/2)/2*(a*{h}(a) + b*{h}(b) - (a - b)*{h}(a - b)))"
        top = "85/1000*(a + b)^3"
        parts = f"{like} <= {top} & -{top} <= {like} & -{top} <= {unlike} & {unlike} <= {top}"
        e.have(f"all a:Real, b:Real. 0 <= b & b <= a -> {parts}", "core", sharp_core(form))
        odd = []
        for k, z in enumerate(("x", "y", "x + y", "x - y")):
            argument = f"({z})/sqrt(2)" if form == "erf" else f"{S}*(({z}) + 0.044715*({z})^3)"
            e.use("ax:erf_odd" if form == "erf" else "lem:tanh_odd", argument, label=f"odd{k}")
            odd.append(f"odd{k}")
        error = f"(sqrt(pi/2)*({name}(x + y) - {name}(x) - {name}(y)) - x*y)"

        def case(f: Goal, a: str, b: str, odd: list[str] = odd, error: str = error) -> None:
            f.use("core", a, b, Goal.easy, label="one two three four")
            f.use("lem:gauss_roots", label="sc tp split_ half_")
            more = ["1", "sqrt(pi/2)*x", "sqrt(pi/2)*y"]
            known = [*odd, "one", "two", "three", "four", "size_x", "size_y"]
            f.have(f"abs(x) + abs(y) = {a} + {b}", "sum").rewrite("sum")
            for part, way in zip(f.em(f"0 <= {error}", "sign"), ("pos", "neg"), strict=True):
                part.use(f"ax:abs_{way}", error, label="value")
                part.auto([*known, "value"], degree=1, rounds=0, multipliers=more)

        for q, u, way_x in zip(e.em("0 <= x", "sign_x"), ("x", "-x"), ("pos", "neg"), strict=True):
            q.use(f"ax:abs_{way_x}", "x", label="size_x")
            for r, v, way_y in zip(q.em("0 <= y", "sign_y"), ("y", "-y"), ("pos", "neg"), strict=True):
                r.use(f"ax:abs_{way_y}", "y", label="size_y")
                less, more_ = r.em(f"{u} <= {v}", "order")
                case(less, v, u)
                case(more_, u, v)


SCRIPTS |= {"lem.mul_sharp": Script(sharp)}


def relu_part_tanh(g: Goal) -> None:
    every, some = g.split()
    every.intro("u low")
    double = f"2*({S}*(u + 0.044715*u^3))"
    slope(every).have("0 <= u^3", "cube", use="low", degree=3)
    every.have(f"0 <= {S}*(u + 0.044715*u^3)", "arg", use="low cube s_low", degree=2)
    every.use("lem:tanh_bracket", f"{S}*(u + 0.044715*u^3)", "#arg", label="b1 b2 least most")
    below, above = every.split()
    below.auto("low most", degree=2)

    def far(h: Goal) -> None:
        h.have(f"{S}*u^3 >= 7978/10000*u^3", "scaled", use="cube s_low", degree=2)
        h.have(f"{S}*u >= 7978/10000*u", "linear", use="low s_low", degree=2)
        h.have("0 <= u*(u - 3)*(u + 3)", "more", use="low other", degree=3)
        h.have(f"22/10*u <= {double}", "wide_u", use="scaled linear more low")
        h.use("ax:exp_lower", double, "1", label="series")
        h.have(f"0 <= {double}", "some", use="arg").have(f"0 <= ({double})^3", "third", use="some", degree=3)
        h.have(f"6*({double}) <= ({double})^2", "square", use="some wide_u other", degree=2)
        h.have(f"6*u <= exp({double})", "steep", use="series square third wide_u low")
        h.positive(f"exp({double}) + 1", "total", lambda e: e.auto("steep low"))
        h.have(f"6*u*(1/(exp({double}) + 1)) <= 1", "short", use="steep total_i total_e", degree=2).auto("short")

    near, more = above.em("u <= 1/4", "side")
    near.have("0 <= u*tanhpart(u)", "less", use="least low", degree=2).auto("less side")
    middle, high = more.em("u <= 3", "other")
    cover(middle)
    far(high)
    for part in some.witness("301/400").split():
        part.interval([], 64)


SCRIPTS |= {"lem.gelutanh_relu": Script(relu_part_tanh)}


# --- Lagrange's form: bounded Lipschitz functions on [0, 1] ----------------------------------------------------------


def tame(g: Goal, t: Term, x: Term) -> str:
    """The label of a fact that the function x -> t is bounded and Lipschitz on [0, 1], by the shape of t."""
    tag, data, kids = t

    def known(name: str, *terms: Term, extra: Sequence[Tactic] = ()) -> str:
        parts = [f"#{tame(g, k, x)}" for k in terms]
        label = g.fresh("tame")
        g.use(f"lem:tame_{name}", *(f"{x[1][0]}. {g.text(k)}" for k in terms), *parts, *extra, label=label)
        return label

    if x not in free(t):
        label = g.fresh("tame")
        g.use("lem:tame_constant", g.text(t), label=label)
        return label
    if t == x:
        return known("identity")
    if tag in ("+", "*"):
        return known("sum" if tag == "+" else "product", *kids)
    if tag in ("-", "neg"):
        minus: Term = ("*", None, (num(-1), kids[-1]))
        return tame(g, ("+", None, (kids[0], minus)) if tag == "-" else minus, x)
    if tag == "^":
        return tame(g, ("*", None, (kids[0], ("^", data - 1, kids) if data > 2 else kids[0])), x)
    if tag == "/" and kids[0] == num(1):
        return known("inverse", kids[1], extra=[at_least_one])
    if tag == "/":
        return tame(g, ("*", None, (kids[0], ("/", None, (num(1), kids[1])))), x)
    if (tag, data) == ("fn", "exp"):
        return known("exp", kids[0])
    raise Stuck(f"no such function: {g.text(t)}")


def at_least_one(g: Goal) -> None:
    """1 <= e^a + 1."""
    g.intro(g.fresh("z"))
    power = next(k for k in g.goal[2][1][2] if k[1] == "exp")
    g.use("ax:exp_pos", g.text(power[2][0]), label=g.fresh("pos")).auto()


def rates_tame(g: Goal) -> None:
    for h, name in zip(g.split(), ("gelurate", "gelutanhrate"), strict=True):
        h.scope["x9"] = "Real"
        body = h.term(f"{name}(x9)")
        del h.scope["x9"]
        h.hyp(tame(h, body, var("x9", "Real")))


SCRIPTS |= {
    "lem.gelurate_tame": Script(rates_tame),
}


def lagrange(name: str, h: str, near: Tactic) -> Tactic:
    """For u >= 0: the rate at u/2, or at 3/4 beyond 3/2, is below what the remainder asks; at 0 it is 0."""
    rate = f"{name}rate"
    r = f"({name}(u) - (u/2 + u^2/sqrt(2*pi)))"

    def between_zero_and(g: Goal, x: str) -> None:
        g.have(f"0 <= {x} & {x} <= 1", "x_low x_high").have(f"{x} <= u", "inside")
        g.use("lem:gelurate_tame", label="tame_g tame_t")
        tame_label = "tame_g" if name == "gelu" else "tame_t"
        g.obtain(tame_label, "size", "tame1").obtain("tame1", "steep", "size_low steep_low bounds")
        mid = f"6*{r}*(1/u)^3"

        def lipschitz(e: Goal) -> None:
            e.intro("v1 v2 (a1 a2 a3 a4)").use("bounds", "v1", "v2", Goal.easy, label="b1 b2").hyp("b2")

        def order(e: Goal) -> None:
            falls, starts = e.pick("right").split()
            e_i = "0 <= (1/u)^3"
            falls.have(e_i, "cube_i", use="u_i", degree=3)
            falls.have(f"{rate}({x})*u^3*(1/u)^3 <= 6*{r}*(1/u)^3", "divided", use="enough cube_i", degree=2)
            falls.auto("divided whole", degree=1, rounds=0, multipliers=["1", f"{rate}({x})"])
            starts.have(
                f"{mid} <= 0",
                "falling",
                lambda f: f.have(e_i, "cube_i", use="u_i", degree=3).auto("cube_i high_r", degree=2),
            )
            starts.have(f"{rate}(0) = 0", "zero").rewrite("zero").hyp("falling")

        more = ["1", "u/u", "(u/u)^2"]
        g.have("u^3*(1/u)^3 = 1", "whole", use="u_e", degree=1, rounds=0, multipliers=more)
        g.use(
            "named:intermediate_value", f"x. {rate}(x)", "0", x, "steep", mid, "#x_low", lipschitz, order, label="found"
        )
        g.obtain("found", "xi", "xi_low xi_high xi_is").witness("xi")
        one, two, three = g.split()
        one.hyp("xi_low")
        two.auto("xi_high inside")
        three.rewrite("xi_is").auto("whole", degree=1, rounds=0, multipliers=["1", "u", "u^2/sqrt(2*pi)", r])

    def run(g: Goal) -> None:
        g.intro("u low")
        zero, positive = g.em("u <= 0", "side")
        zero.have("u = 0", "is_zero").rewrite("is_zero").witness("0").easy()
        positive.positive("u", "u", lambda e: e.auto("side")).use("lem:gauss_roots", label="sc tp split half")
        positive.use(f"lem:{name}_rest", "u", r, lambda e: e.auto(degree=1, rounds=0), label="low_r high_r")
        positive.use("ax:abs_pos", "u", label="value").rewrite("value", "low_r", "least_r")
        positive.have("0 <= u^3", "cube", use="low", degree=3)
        first, beyond = positive.em("u <= 3/2", "other")
        first.have(f"{rate}(u/2)*u^3 <= 6*{r}", "enough", near)
        between_zero_and(first, "u/2")
        enclosed(beyond, f"{rate}(3/4) < -1/2", "steep_there")
        beyond.have(f"{rate}(3/4)*u^3 <= -1/2*u^3", "scaled", use="steep_there cube", degree=2)
        beyond.have(f"{rate}(3/4)*u^3 <= 6*{r}", "enough", use="scaled least_r cube")
        between_zero_and(beyond, "3/4")

    return run


def near_erf_rate(g: Goal) -> None:
    """6*R(u) >= -S*u^4/2, and the rate at u/2 is -S/2*e^(-u^2/8)*(2*u - u^3/8)."""
    g.use("lem:erf_bracket", "u", label="b1 b2 b3 b4")
    enclosed(g, f"0 < {S}", "s_pos").have(
        f"0 <= {S}*u^4", "fourth", lambda h: h.have("0 <= u^4", "even", squares=["u^2"]).auto("even s_pos", degree=2)
    )
    g.have("1 < exp(-u^2/8)*(2 - u^2/8)", "rate", cover)
    g.have(f"{S}*u^4 <= {S}*u^4*(exp(-u^2/8)*(2 - u^2/8))", "scaled", use="rate fourth", degree=2)
    g.have(f"u*({S}*(u - u^3/6)) <= u*{ERF.format('u')}", "bracket", use="b1 low", degree=2)
    more = ["1", "u^2", "u^3*(u/2)*exp(-u^2/8)", "u^3*(u/2)^3*exp(-u^2/8)"]
    g.auto("scaled bracket tp", degree=1, rounds=0, multipliers=more)


def near_tanh_rate(g: Goal) -> None:
    near, far = g.em("u <= 7/10", "short")
    near.use("lem:gelutanhrate_near", "u/2", Goal.easy, label="rate").use(
        "lem:mul_part_tanh", "u", "#low", label="p1 p2 p3"
    )
    near.use("p3", "#short", label="part")
    slope(near).have(
        f"{S}*(u^2 - sqrt(pi/2)*u*tanhpart(u)) <= {S}*(2307/10000*u^4)", "scaled", use="part s_low", degree=2
    )
    near.have("0 <= u^4", "fourth", squares=["u^2"]).have(
        f"{S}*u^4 <= 7979/10000*u^4", "top", use="fourth s_high", degree=2
    )
    near.have("gelutanhrate(u/2)*u^3 <= -1105/2000*u*u^3", "slope_u", use="rate cube", degree=2)
    near.auto("slope_u scaled top fourth sc tp", degree=1, rounds=0, multipliers=["1", "u^2", "u*tanhpart(u)"])
    far.have(f"gelutanhrate(u/2)*u^2 < -3*({S}*u - tanhpart(u))", "rate", cover)
    far.have(f"gelutanhrate(u/2)*u^3 <= -3*u*({S}*u - tanhpart(u))", "scaled", use="rate low", degree=2)
    far.auto("scaled tp", degree=1, rounds=0, multipliers=["1", "u^2"])


def gelu_taylor(g: Goal) -> None:
    g.intro("z")
    for e, name, h, near in zip(g.split(), FORMS, (ERF, TANH), (near_erf_rate, near_tanh_rate), strict=True):
        form = f"{name}(u) = u/2 + u^2/sqrt(2*pi) + 1/6*{name}rate(xi)*u^3"
        e.have(f"all u:Real. 0 <= u -> ex xi:Real. 0 <= xi & xi <= u & {form}", "core", lagrange(name, h, near))
        up, down = e.em("0 <= z", "sign")
        up.use("core", "z", "#sign", label="found").obtain("found", "xi", "low high is").witness("xi").easy(
            "low high is"
        )
        down.use("core", "-z", Goal.easy, label="found").obtain("found", "xi", "low high is").witness("-xi")
        where, value = down.split()
        where.pick("right").easy("low high")
        if name == "gelu":
            value.use("ax:erf_odd", "z/sqrt(2)", label="odd").auto("is odd", degree=1, rounds=0, multipliers=["1", "z"])
            continue
        value.use("lem:tanh_odd", f"{S}*(z + 0.044715*z^3)", label="odd")
        value.use("lem:tanh_odd", f"{S}*(xi + 0.044715*xi^3)", label="odd_xi")
        value.have("tanhpart(-xi) = -tanhpart(xi)", "turn", use="odd_xi").rewrite("turn")
        value.auto("is odd", degree=1, rounds=0, multipliers=["1", "z"])


SCRIPTS |= {"cookbook.s4.6.gelu_taylor": Script(gelu_taylor, lambda g: g.witness("1").true(), definedness)}
