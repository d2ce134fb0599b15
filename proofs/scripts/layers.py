"""Feed-forward layers, Boolean representations, layer norm and assembly (Cookbook, Sections 3, 4, 6 and 8)."""

from __future__ import annotations

from feedforward import rising_defined
from library import by_induction, last
from script import Script, witnesses

from symcook.proof.search.tactics import Goal, Tactic

SCRIPTS: dict[str, Script] = {}

# --- Lemmas -----------------------------------------------------------------------------------------------------------


def swap(g: Goal) -> None:
    g.intro("f a b c d")
    inner, outer = "sum(j, c, d, f({}, j))", "sum(i, a, {}, f(i, j))"

    def step(h: Goal) -> None:
        last(h, f"i. {inner.format('i')}", "a", "m + 1", "left")

        def one(e: Goal) -> None:
            last(e.intro("j inside"), "i. f(i, j)", "a", "m + 1", "here").auto("here")

        h.use(
            "lem:sum_ext",
            f"j. {outer.format('m + 1')}",
            f"j. {outer.format('m')} + f(m + 1, j)",
            "c",
            "d",
            one,
            label="right",
        )
        h.auto("left right ih", degree=1, rounds=0)

    def empty(h: Goal) -> None:
        def none(e: Goal) -> None:
            e.intro("j inside").use("ax:sum_empty", "i. f(i, j)", "a", "b", label="none").hyp("none")

        h.use("ax:sum_empty", f"i. {inner.format('i')}", "a", "b", label="left")
        h.use("lem:sum_ext", f"j. {outer.format('b')}", "j. 0", "c", "d", none, label="right")
        h.auto("left right", degree=1, rounds=0)

    by_induction(
        g,
        f"all m:Int. a - 1 <= m -> sum(i, a, m, {inner.format('i')}) = sum(j, c, d, {outer.format('m')})",
        "m",
        "all_m",
        step,
    )
    usual, rare = g.em("a - 1 <= b", "range")
    usual.use("all_m", "b", label="done").hyp("done")
    empty(rare)


def relu_step(g: Goal) -> None:
    g.intro("x z").apart("relu(x); relu(z); abs(x - z); abs(relu(x) - relu(z))", lambda h: h.auto(degree=1))


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


def dot(g: Goal) -> None:
    g.intro("d w x z")
    term = "w(l)*(x(l) - z(l))"
    g.use("lem:sum_abs", f"l. {term}", "1", "d", label="triangle")

    def one(h: Goal) -> None:
        product_size(h.intro("l inside"), "w(l)", "x(l) - z(l)", "size").hyp("size")

    g.use("lem:sum_ext", f"l. abs({term})", "l. abs(w(l))*abs(x(l) - z(l))", "1", "d", one, label="sizes")
    g.auto("triangle sizes", degree=1, rounds=0)


def net(g: Goal) -> None:
    g.intro("d h W b V x z")
    arg = "sum(l, 1, d, W(k, l)*{}(l)) + b(k)"
    unit = f"(relu({arg.format('x')}) - relu({arg.format('z')}))"
    g.use("lem:sum_abs", f"k. V(k)*{unit}", "1", "h", label="triangle")

    def one(e: Goal) -> None:
        product_size(e.intro("k inside"), "V(k)", unit, "size")
        e.use("lem:layers_relu", arg.format("x"), arg.format("z"), label="relus")
        e.use("lem:layers_dot", "d", "l. W(k, l)", "x", "z", label="inner")
        e.have("0 <= abs(V(k))", "positive", lambda f: f.apart("abs(V(k))", lambda t: t.auto()))
        e.auto("size relus inner positive", rounds=0)

    sizes = "k. abs(V(k))*sum(l, 1, d, abs(W(k, l))*abs(x(l) - z(l)))"
    g.use("lem:sum_mono", f"k. abs(V(k)*{unit})", sizes, "1", "h", one, label="sizes")
    g.auto("triangle sizes", degree=1, rounds=0)


def shift(g: Goal) -> None:
    g.intro("f a b t")

    def step(h: Goal) -> None:
        last(h, "f", "a + t", "m + 1 + t", "left")
        last(h, "j. f(j + t)", "a", "m + 1", "right").auto("left right ih", degree=1, rounds=0)

    claim = "all m:Int. a - 1 <= m -> sum(j, a + t, m + t, f(j)) = sum(j, a, m, f(j + t))"
    by_induction(g, claim, "m", "all_m", step)
    usual, rare = g.em("a - 1 <= b", "range")
    usual.use("all_m", "b", label="done").hyp("done")
    rare.use("ax:sum_empty", "f", "a + t", "b + t", label="left")
    rare.use("ax:sum_empty", "j. f(j + t)", "a", "b", label="right").auto("left right", degree=1, rounds=0)


SCRIPTS |= {
    "lem.layers_swap": Script(swap),
    "lem.layers_relu": Script(relu_step),
    "lem.layers_dot": Script(dot),
    "lem.layers_net": Script(net),
    "lem.layers_shift": Script(shift),
}

# --- Section 4 --------------------------------------------------------------------------------------------------------

CELL = "polycell(A, B, d, m, {}, {})"
PIECE = "polypiece(a, c, d, {}, {})"


def scaled(g: Goal, factor: str, total: str, label: str) -> str:
    """A step s = factor/(1 + total) with 0 < s (`label_s`) and s*total = factor - s (`label_t`)."""
    inverse = f"1/(1 + {total})"
    g.positive(f"(1 + {total})", label, lambda h: h.auto(f"{label}_sum"))
    s = f"({factor})*({inverse})"
    g.have(f"0 < {s}", f"{label}_s", lambda h: h.auto(f"{label}_f {label}_i"))
    g.have(
        f"{s}*{total} = {factor} - {s}",
        f"{label}_t",
        lambda h: h.auto(f"{label}_e", degree=1, rounds=0, multipliers=[factor]),
    )
    return f"({s})"


def sizes(g: Goal, w: str, label: str) -> str:
    """The sum of |w(l)| is not negative (`label_sum`)."""

    def nonneg(h: Goal) -> None:
        h.intro("l inside").apart(f"abs({w})", lambda e: e.auto())

    g.use("lem:sum_nonneg", f"l. abs({w})", "1", "d", nonneg, label=f"{label}_sum")
    return f"sum(e, 1, d, abs({w.replace('l)', 'e)')}))"


def moved(g: Goal, w: str, delta: str, total: str, label: str) -> Goal:
    """|w.z - w.y| <= delta*total, the sum of all |w(l)|, where z is within delta of y (`near`)."""
    g.use("lem:layers_dot", "d", f"l. {w}", "z", "y", label=f"{label}_dot")

    def one(h: Goal) -> None:
        h.intro("l inside").use("near", "l", label="here")
        h.have(f"0 <= abs({w})", "size", lambda e: e.apart(f"abs({w})", lambda t: t.auto())).auto("here size")

    g.use("lem:sum_mono", f"l. abs({w})*abs(z(l) - y(l))", f"l. {delta}*abs({w})", "1", "d", one, label=f"{label}_mono")
    return g.have(
        f"abs(sum(l, 1, d, {w}*z(l)) - sum(l, 1, d, {w}*y(l))) <= {delta}*{total}",
        label,
        lambda h: h.auto(f"{label}_dot {label}_mono", degree=1, rounds=0),
    )


def cpwl_continuous(g: Goal) -> None:
    g.intro("d n m A B a c (some_d some_n some_m) agree y eps positive")
    near = "all z:Int->Real. (all l in 1..d. abs(z(l) - y(l)) < delta) -> "
    within = f"({CELL.format('j', 'z')} -> abs({PIECE.format('j', 'z')} - {PIECE.format('i', 'y')}) < eps)"

    def broken(h: Goal) -> None:
        """Some row is violated: the goal, where `at_y` denies the cell."""
        h.contra("none")

        def every(e: Goal) -> None:
            e.intro("r (rl rh)").contra("above")
            e.have(
                "ex r1:Int. (1 <= r1 & r1 <= m) & B(j, r1) < sum(l, 1, d, A(j, r1, l)*y(l))",
                "one",
                lambda f: f.witness("r").easy(),
            ).absurd("one", "none")

        h.have(CELL.format("j", "y"), "after_all", every).absurd("after_all", "at_y")

    def one_piece(h: Goal) -> None:
        """Piece j is close to the value at y near y: y lies in it, or some row keeps it away."""
        h.intro("j jn")
        inside, outside = h.em(CELL.format("j", "y"), "at_y")
        total = sizes(inside, "a(j, l)", "s")
        inside.have("0 < eps", "s_f", lambda e: e.hyp("positive"))
        delta = scaled(inside, "eps", total, "s")
        size, close = inside.witness(delta).split()
        size.hyp("s_s")
        moved(close.intro("z near z_in"), "a(j, l)", delta, total, "move").use("agree", "y", "i", "j", label="same")
        close.have(
            f"{PIECE.format('j', 'z')} - {PIECE.format('i', 'y')} = "
            "sum(l, 1, d, a(j, l)*z(l)) - sum(l, 1, d, a(j, l)*y(l))",
            "difference",
            use="same",
            degree=1,
        )
        close.rewrite("difference").auto("move s_t s_s", degree=1, rounds=0)
        outside.have("ex r:Int. (1 <= r & r <= m) & B(j, r) < sum(l, 1, d, A(j, r, l)*y(l))", "row", broken)
        outside.obtain("row", "r", "rl rh over")
        total = sizes(outside, "A(j, r, l)", "s")
        gap = "sum(e, 1, d, A(j, r, e)*y(e)) - B(j, r)"
        outside.have(f"0 < {gap}", "s_f", use="over")
        delta = scaled(outside, f"({gap})", total, "s")
        size, close = outside.witness(delta).split()
        size.hyp("s_s")
        close.intro("z near z_in").use("z_in", "r", label="kept")
        moved(close, "A(j, r, l)", delta, total, "move")
        close.apart(
            "abs(sum(l, 1, d, A(j, r, l)*z(l)) - sum(l, 1, d, A(j, r, l)*y(l)))",
            lambda e: e.contra("no").auto("move s_t s_s over kept " + list(e.facts)[-2], degree=1, rounds=0),
        )

    def from_one(h: Goal) -> None:
        """All pieces 1..k at once, by induction."""
        h.intro("i i_n i_in")
        h.have("all j:Int. 1 <= j & j <= n -> ex delta:Real. 0 < delta & " + near + within, "piece", one_piece)

        def all_pieces(e: Goal) -> None:
            base, step = e.induct("k", "ge", "ih")
            base.intro("top").witness("1").blast()
            step.intro("top").use("ih", label="before").obtain("before", "delta1", "size1 close1")
            step.use("piece", "k + 1", label="one").obtain("one", "delta2", "size2 close2")
            size, close = step.witness("min(delta1, delta2)").split()
            size.apart("min(delta1, delta2)", lambda f: f.auto())
            close.intro("z near j (jl jh) z_in")

            def shrink(which: str) -> Tactic:
                def run(f: Goal) -> None:
                    f.intro("l inside").use("near", "l", label="here")
                    f.apart("min(delta1, delta2)", lambda t: t.auto(degree=1))

                return run

            early, late = close.em("j <= k", "where")
            early.use("close1", "z", shrink("1"), "j", None, "#z_in", label="done").hyp("done")
            late.use("ax:int_lt", "k", "j", label="after").have("j = k + 1", "is", use="after jh")
            late.rewrite("is", "z_in", "z_at").use("close2", "z", shrink("2"), "#z_at", label="done")
            late.rewrite("is").hyp("done")

        h.have(
            "all k:Int. 0 <= k -> k <= n -> ex delta:Real. 0 < delta & " + near + f"all j in 1..k. {within}",
            "all_k",
            all_pieces,
        )
        h.use("all_k", "n", label="done").hyp("done")

    g.have(
        f"all i:Int. 1 <= i & i <= n -> {CELL.format('i', 'y')} -> ex delta:Real. 0 < delta & "
        + near
        + f"all j in 1..n. {within}",
        "from_one",
        from_one,
    )
    some, none = g.em(f"ex i:Int. (1 <= i & i <= n) & {CELL.format('i', 'y')}", "point")
    some.obtain("point", "p", "pl ph p_in").use("from_one", "p", label="here").obtain("here", "delta", "size close")
    left, right = some.witness("delta").split()
    left.hyp("size")
    right.intro("z near i (il ih) j (jl jh) (y_in z_in)").use(
        "agree",
        "y",
        "p",
        None,
        "i",
        None,
        lambda e: [f.hyp(k) for f, k in zip(e.split(), ("p_in", "y_in"), strict=True)],
        label="same",
    )
    right.use("close", "z", "#near", "j", None, "#z_in", label="done")
    right.have(
        f"{PIECE.format('j', 'z')} - {PIECE.format('p', 'y')} = {PIECE.format('j', 'z')} - {PIECE.format('i', 'y')}",
        "difference",
        use="same",
        degree=1,
    ).rewrite("difference", "done", "done_i").hyp("done_i")
    left, right = none.witness("1").split()
    left.true()
    right.intro("z near i (il ih) j (jl jh) (y_in z_in)").have(
        f"ex i1:Int. (1 <= i1 & i1 <= n) & {CELL.format('i1', 'y')}", "one", lambda e: absent(e)
    ).absurd("one", "point")


def absent(g: Goal) -> None:
    bounds = g.witness("i").split()
    for h in bounds[:2]:
        h.easy()
    bounds[2].hyp("y_in") if len(bounds) == 3 else None


def absolute_value(g: Goal) -> None:
    """Two pieces: -x for x <= 0, x for x >= 0."""

    def leaf(h: Goal) -> None:
        if h.goal[0] != "all":
            h.blast()
            return
        h.intro("x p (pl ph) q (ql qh) (p_in q_in)").use("p_in", "1", label="p_row").use("q_in", "1", label="q_row")
        for f in [f for e in h.em("p <= 1", "p_side") for f in e.em("q <= 1", "q_side")]:
            for name in "pq":
                low = f.facts[f"{name}_side"][0] == "<="
                if not low:
                    f.use("ax:int_lt", "1", name, label=f"{name}_up")
                f.have(f"{name} = {1 if low else 2}", f"{name}_is")
                f.rewrite(f"{name}_is", f"{name}_row", f"{name}_at").rewrite(f"{name}_is")
            f.auto("p_at q_at")

    g.inhabit("1", "2", "1", "i r l. 3 - 2*i", "i r. 0", "i l. 2*i - 3", "i. 0", "i. 0", "1", leaf=leaf)


SCRIPTS |= {"cookbook.s4.1.def4.1_cpwl": Script(cpwl_continuous, absolute_value)}


SUM_FORM = "ys(1) + m(1)*({0} - xs(1)) + sum(k, 2, n, (m(k) - m(k - 1))*relu({0} - xs(k)))"
THREE = ["n", "xs", "ys", "m"]


def slopes(g: Goal) -> None:
    g.intro("n xs ys m f many rising slope values")
    rise, points = g.split()

    def at(h: Goal, k: str, label: str) -> Goal:
        """m(k)*(xs(k + 1) - xs(k)) = ys(k + 1) - ys(k)."""
        h.use("rising", k, label=f"{label}_up").use("slope", k, label=f"{label}_is")
        gap = f"(xs({k} + 1) - xs({k}))"
        h.positive(gap, f"{label}_g", lambda e: e.auto(f"{label}_up"))
        rise = f"ys({k} + 1) - ys({k})"
        return h.have(
            f"m({k})*{gap} = {rise}",
            label,
            lambda e: e.auto(f"{label}_is {label}_g_e", degree=1, rounds=0, multipliers=[gap, rise]),
        )

    at(rise.intro("k inside"), "k", "done").hyp("done")
    points.intro("k (low high)").use("values", "xs(k)", label="value")
    given = ["#many", "#rising", "#slope", "#value"]
    points.use("lem:cookbook.s4.1.relu_sum", *THREE, "xs(k)", "f(xs(k))", *given, label="first inside after")
    inner, end = points.em("k <= n", "side")
    inner.use("rising", "k", label="up").use(
        "inside", "k", None, lambda e: e.auto("up") if e.goal[0] != "&" else [h.easy() for h in e.split()], label="done"
    ).auto("done", degree=1, rounds=0)
    end.use("ax:int_lt", "n", "k", label="next").have("k = n + 1", "is", use="next high")
    end.rewrite("is", "after", "at_end").rewrite("is").use("rising", "n", label="up")
    at(end, "n", "line").use("at_end", lambda e: e.auto("up"), label="done").auto("done line", degree=1, rounds=0)


STAIRS = ("3", "k. k", "k. 0", "k. 0")  # n = 3, x_k = k, all values 0
STAIRS_NETWORK = (*STAIRS, "4", "k. 1 - 2*I[k = 1]", "k. (1 - k)*(1 - I[k <= 2])", "k. 0", "0")


def stairs(g: Goal) -> None:
    """The network at three inputs."""

    def leaf(h: Goal) -> None:
        h.intro_all()
        h.blast() if h.goal[0] != "=" else h.apart("I[k1 = 1]; I[k1 <= 2]" if "k1" in h.scope else "")

    g.inhabit(
        *STAIRS_NETWORK, "0", "0", others=[(*STAIRS_NETWORK, "3", "0", "3"), (*STAIRS_NETWORK, "3", "0")], leaf=leaf
    )


def hidden_width(g: Goal) -> None:
    g.intro("n xs ys m h W b V c x f many rising slope is_h (w1 w) (b1 b2 b) (v1 v2 v) is_c is_f")
    body = "k. V(k)*relu(W(k)*x + b(k))"
    g.use("lem:sum_split", body, "1", "2", "h", label="parts")

    def term(e: Goal) -> None:
        for name in "wbv":
            e.use(name, "k", label=f"{name}_k")
        e.have("W(k)*x + b(k) = x - xs(k - 1)", "inner", use="w_k b_k", multipliers=["x"]).rewrite("inner")
        e.rewrite("v_k").true()

    g.use(
        "lem:sum_ext",
        body,
        "k. (m(k - 1) - m(k - 2))*relu(x - xs(k - 1))",
        "3",
        "h",
        lambda e: term(e.intro("k (low high)")),
        label="rest",
    )
    g.use("lem:layers_shift", "k. (m(k - 1) - m(k - 2))*relu(x - xs(k - 1))", "2", "n", "1", label="moved")
    g.have("W(1)*x + b(1) = -x", "first", use="w1 b1", multipliers=["x"])
    g.use("w", "2", label="w2").have("W(2)*x + b(2) = x", "second", use="w2 b2", multipliers=["x"])
    g.rewrite("is_h", "rest", "rest_n").rewrite("is_h", "parts", "parts_n").rewrite("is_h", "is_f", "is_f_n")
    for k, name in (("1", "first"), ("2", "second")):
        g.have(
            f"relu(W({k})*x + b({k})) = relu({'-x' if k == '1' else 'x'})",
            f"relu_{k}",
            lambda e, name=name: e.rewrite(name).true(),
        )
    g.have(
        "f = -m(1)*relu(-x) + m(1)*relu(x) + sum(k, 2, n, (m(k) - m(k - 1))*relu(x - xs(k))) + (ys(1) - m(1)*xs(1))",
        "network",
        use="is_f_n parts_n rest_n moved relu_1 relu_2 v1 v2 is_c",
        degree=1,
        rounds=0,
        multipliers=["1", "V(1)", "V(2)", "relu(x)", "relu(-x)", "relu(W(1)*x + b(1))", "relu(W(2)*x + b(2))"],
    )
    given = ["#many", "#rising", "#slope", "#network"]
    g.use("lem:cookbook.s4.1.cpwl_ffn", *THREE, "x", "f", *given, label="one two three")
    count, one, two, three = g.split()
    one.hyp("one")
    two.hyp("two")
    three.hyp("three")
    count.use("lem:sum_split", "k. I[W(k) = 1]", "1", "1", "h", label="split")

    def ones(e: Goal) -> None:
        e.intro("k (low high)").use("w", "k", label="is")
        yes, no = e.ind("W(k) = 1", "at value")
        yes.hyp("value")
        no.absurd("is", "at")

    count.use("lem:sum_ext", "k. I[W(k) = 1]", "k. 1", "2", "h", ones, label="ones").use(
        "lem:sum_one", "2", "h", label="total"
    )
    yes, no = count.ind("W(1) = 1", "at value")
    yes.auto("at w1", degree=1) if yes.goal[0] == "false" else yes.contra("no").auto("at w1", degree=1)
    no.auto("split ones total is_h value", degree=1, rounds=0)


def padding(g: Goal) -> None:
    one, two = g.split()
    one.intro("x y out1 out2 first second").apart("relu(x); relu(-x); relu(y - x); max(x, y)", lambda h: h.blast())
    two.intro("d h e N W b V c U g x y (some_d some_h some_e fits) same zero run")
    unit = "relu(sum(l, 1, d, W(k, l)*x(l)) + b(k))"
    kept, empty = two.split()
    for goal, fact, target in ((kept, "same", f"V(i, k)*{unit}"), (empty, "zero", "0")):
        goal.intro("i (low high)").use("run", "i", label="is").use(fact, "i", label="bias row")

        def term(t: Goal) -> None:
            t.intro("k inside").use("row", "k", label="here").rewrite("here").true()

        goal.use("lem:sum_ext", f"k. U(i, k)*{unit}", f"k. {target}", "1", "h", term, label="sums")
        goal.auto("is bias sums", degree=1, rounds=0)


# --- What is continuous is no comparison ------------------------------------------------------------------------------


def jump(g: Goal, f: str, test: str) -> None:
    """No value of x with f(x) != I[test] would mean that f jumps at 0."""
    g.contra("same")

    def value(x: str, size: str, label: str) -> None:
        def proof(h: Goal) -> None:
            h.contra("differs").have(
                f"ex x:Real. {f.format('x')} != I[{test.format('x')}]", "one", lambda e: e.witness(x).hyp("differs")
            ).absurd("one", "same")

        g.have(f"{f.format(x)} = I[{test.format(x)}]", f"{label}_is", proof)

        def by_test(h: Goal) -> None:
            for e in h.sides(h.term(f"I[{test.format(x)}]")):
                if not e.try_contradiction():
                    e.auto(f"{label}_is " + list(e.facts)[-1], degree=1)

        g.have(f"{f.format(x)} = {size}", label, by_test)

    g.use("continuous", "0", "1/2", label="here").obtain("here", "step", "size close")
    strict = test == "0 < {}"
    side = "-step/2" if test == "0 <= {}" else "step/2"
    value("0", "0" if strict else "1", "centre")
    value(f"({side})", "1" if strict else "0", "side")
    g.use("close", side, lambda h: h.apart(f"abs({side} - 0)", lambda e: e.auto()), label="wrong")
    g.apart(f"abs({f.format('(' + side + ')')} - {f.format('0')})", lambda e: e.auto())


TESTS = ("0 < {}", "0 <= {}", "{} = 0")


def not_cpwl(g: Goal) -> None:
    function, network = g.split()
    for goal, test in zip(function.intro("f continuous").split(), TESTS, strict=True):
        jump(goal, "f({})", test)
    network.intro("h W b V c some")
    out = "(sum(k, 1, h, V(k)*relu(W(k)*{} + b(k))) + c)"
    total = "sum(k, 1, h, abs(V(k))*abs(W(k)))"

    def nonneg(e: Goal) -> None:
        e.intro("k inside").apart("abs(V(k)); abs(W(k))", lambda t: t.auto())

    network.use("lem:sum_nonneg", "k. abs(V(k))*abs(W(k))", "1", "h", nonneg, label="s_sum")

    def continuous(e: Goal) -> None:
        e.intro("u tol s_f")
        step = scaled(e, "tol", total, "s")
        size, close = e.witness(step).split()
        size.hyp("s_s")
        close.intro("z near").use("lem:layers_net", "1", "h", "k l. W(k)", "b", "V", "l. z", "l. u", label="move")
        close.have(f"abs(z - u)*{total} <= {step}*{total}", "bound", use="near s_sum")
        close.have(
            f"{out.format('z')} - {out.format('u')} = sum(k, 1, h, V(k)*relu(W(k)*z + b(k))) - "
            "sum(k, 1, h, V(k)*relu(W(k)*u + b(k)))",
            "difference",
            degree=1,
        )
        close.rewrite("difference").auto("move bound s_t s_s", degree=1, rounds=0)

    network.have(f"all u:Real. continuousat(x. {out.format('x')}, u)", "continuous", continuous)
    for goal, test in zip(network.split(), TESTS, strict=True):
        jump(goal, out, test)


def constant(g: Goal) -> None:
    """A constant function, and the network without hidden units."""

    def leaf(h: Goal) -> None:
        if h.goal[0] == "all":
            h.intro("u tol some").witness("1").blast()
        else:
            h.blast()

    g.inhabit("x. 0", others=[("0", "k. 0", "k. 0", "k. 0", "0")], leaf=leaf)


# --- Boolean functions, conditionals ----------------------------------------------------------------------------------


def boolean_size(g: Goal) -> None:
    g.intro("m b xi some b_zero doubles rows")

    def power(h: Goal) -> None:
        base, step = h.induct("j", "ge", "ih")
        base.intro("top").use("ax:pow_zero", "2", label="zero").auto("zero b_zero")
        step.intro("top").use("ih", label="before").use("doubles", "j + 1", label="next")
        step.use("ax:pow_step", "2", "j", label="power").auto("before next power", degree=1)

    g.have("all j:Int. 0 <= j -> j <= m -> b(j) = pow(2, j)", "power", power)
    g.use("power", "m", label="size")

    def positive(h: Goal) -> None:
        base, step = h.induct("j", "ge", "ih")
        base.intro("top").auto("b_zero")
        step.intro("top").use("ih", label="before").use("doubles", "j + 1", label="next").auto("before next")

    g.have("all j:Int. 0 <= j -> j <= m -> 1 <= b(j)", "positive", positive).use("positive", "m", label="least")
    count, apart = g.split()
    count.use("lem:sum_one", "0", "b(m) - 1", label="ones").auto("ones size", degree=1, rounds=0)
    apart.intro("k (kl kh) l (ll lh) same")
    for name in "kl":
        apart.use("rows", name, label=f"bits_{name} number_{name}")

    def term(h: Goal) -> None:
        h.intro("i inside").use("same", "i", label="here").auto("here", degree=1, rounds=0, multipliers=["b(m - i)"])

    apart.use("lem:sum_ext", "i. xi(k, i)*b(m - i)", "i. xi(l, i)*b(m - i)", "1", "m", term, label="sums")
    apart.auto("sums number_k number_l", degree=1, rounds=0)


def sizes_inhabited(g: Goal) -> None:
    """m = 1: the bit of k is k itself."""

    def leaf(h: Goal) -> None:
        h.intro_all()
        if h.goal[0] != "&":
            h.blast()
            return
        bits, number = h.split()
        number.auto()
        bits.intro("i inside")
        zero, one = bits.em("k1 <= 0", "side")
        zero.pick("left").auto("p1_1 side")
        one.pick("right").use("ax:int_lt", "0", "k1", label="least").auto("least p1_2")

    first = ("1", "j. j + 1", "k i. k")
    g.inhabit(*first, others=[(*first, "0", "0")], leaf=leaf)


def conditional_general(g: Goal) -> None:
    g.intro("a b p x y out some (bit xa xb ya yb) run")
    one = "(b - a)*p + x - b"
    two = "(a - b)*p + y - a"
    first, second = g.split()
    for goal, value in ((first, "1"), (second, "0")):
        goal.intro("is")
        goal.have(f"{one} = {'x - a' if value == '1' else 'x - b'}", "left", use="is", multipliers=["b", "a"])
        goal.have(f"{two} = {'y - b' if value == '1' else 'y - a'}", "right", use="is", multipliers=["b", "a"])
        goal.rewrite("left", "run", "run_left").rewrite("right", "run_left", "run_both")
        names = ("x - a", "y - b") if value == "1" else ("x - b", "y - a")
        goal.use(f"ax:relu_{'pos' if value == '1' else 'neg'}", names[0], label="u")
        goal.use(f"ax:relu_{'neg' if value == '1' else 'pos'}", names[1], label="v")
        goal.auto("run_both u v", degree=1, rounds=0)


SCRIPTS |= {
    "cookbook.s4.1.slopes": Script(
        slopes, lambda g: g.inhabit(*STAIRS, "x. 0", "1", others=[(*STAIRS, "x. 0")]), rising_defined("n xs ys m")
    ),
    "cookbook.s4.1.cpwl_hidden_width": Script(hidden_width, stairs, rising_defined("n xs ys m")),
    "cookbook.s4.4.padding": Script(
        padding,
        lambda g: g.inhabit(
            "1",
            "2",
            "2",
            "0",
            others=[
                ("1", "1", "1", "2", "i k. 0", "k. 0", "i k. 0", "i. 0", "i k. 0", "i. 0", "i. 0", "i. 0", "1"),
                ("1", "1", "1", "2", "i k. 0", "k. 0", "i k. 0", "i. 0", "i k. 0", "i. 0", "i. 0", "i. 0", "2"),
            ],
        ),
    ),
    "cookbook.s4.7.not_cpwl": Script(not_cpwl, constant),
    "cookbook.s4.8.boolean_size": Script(boolean_size, sizes_inhabited),
    "cookbook.s4.9.conditional_general": Script(
        conditional_general, witnesses("0", "3", "1", "1", "2", "1", others=[("0", "3", "0", "1", "2", "2")])
    ),
}


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
        for n, k in enumerate(ones):
            f.rewrite(k)
            del n
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


def residual_optional(g: Goal) -> None:
    g.intro("d h W b V c (some_d some_h)")
    for goal, t in zip(g.split(), ("-1", "1"), strict=True):
        goal.witness(
            "h + 2*d",
            "k l. I[k <= h]*W(k, l) + I[k = h + l] - I[k = h + d + l]",
            "k. I[k <= h]*b(k)",
            f"i k. I[k <= h]*V(i, k) + {t}*I[k = h + i] - {t}*I[k = h + d + i]",
        )
        size, value = goal.split()
        size.auto()
        value.intro("x i inside").use("lem:layers_units", "d", "h", "W", "b", "V", t, "x", "i", label="done")
        value.auto("done", degree=1, rounds=0)


SCRIPTS |= {
    "lem.layers_units": Script(units),
    "cookbook.s4.2.residual_optional": Script(
        residual_optional, witnesses("2", "1", "k l. 0", "k. 0", "i k. 0", "i. 0")
    ),
}
