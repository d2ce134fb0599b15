"""GELU (Cookbook, Section 4.6): both forms, their remainder, products by three units, ReLU as a limit."""

from __future__ import annotations

from script import Script

from symcook.proof.search.cover import cover
from symcook.proof.search.tactics import Goal, Tactic
from symcook.proof.terms import free

SCRIPTS: dict[str, Script] = {}


def enclosed(g: Goal, show: str, label: str) -> Goal:
    """A comparison of constants, by one enclosure."""
    return g.have(show, label, lambda h: h.interval([], 64))


# --- The remainders --------------------------------------------------------------------------------------------------

S = "sqrt(2/pi)"
TANH = f"tanh({S}*({{0}} + 0.044715*{{0}}^3))"
ERF = "erf({0}/sqrt(2))"


def slope(g: Goal) -> Goal:
    """0.7978 < sqrt(2/pi) < 0.7979."""
    return enclosed(enclosed(g, f"7978/10000 < {S}", "s_low"), f"{S} < 7979/10000", "s_high")


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


# --- Lagrange's form: bounded Lipschitz functions on [0, 1] ----------------------------------------------------------


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
