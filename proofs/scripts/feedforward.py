"""Claims about feed-forward recipes (Cookbook, Sections 3, 4 and 6.4): proofs by cases of every relu."""

from __future__ import annotations

from script import Script, each, witnesses

from symcook.proof.search.tactics import Goal, Tactic


def reciprocal(g: Goal, z: str) -> None:
    """z*(1/z) = 1 and 0 < 1/z, where a fact says 0 < z."""
    g.use("ax:inv", z, label="inverse").have(f"0 < 1/{z}", "reciprocal")


def pieces(names: str, terms: str, inverse: str = "") -> Tactic:
    """Introduce, split at every relu, abs, min, max and I[...] named, and let each case be arithmetic."""

    def run(g: Goal) -> None:
        g.intro(names)
        if inverse:
            reciprocal(g, inverse)
        g.apart(terms, lambda h: h.blast())

    return run


MIN = pieces("x y out run", "relu(x); relu(-x); relu(x - y); min(x, y)")
MAX = pieces("x y out run", "relu(x); relu(-x); relu(y - x); max(x, y)")
ADD = pieces("x y out run", "relu(x); relu(-x); relu(y); relu(-y)")


GTZERO = pieces("eps x out small run", "relu(x); relu(x - eps); I[0 < x]", "eps")
GEZERO = pieces("eps x out small run", "relu(x + eps); relu(x); I[0 <= x]", "eps")
EQZERO_PARTS = "relu(x + eps); relu(x); relu(x - eps); abs(x)"


def eqzero(g: Goal) -> None:
    g.intro("eps x out small run")
    reciprocal(g, "eps")
    g.apart(EQZERO_PARTS + "; abs(x/eps); I[x = 0]", lambda h: h.blast())


INPUT = "x tolerance out some run"
EQZERO_INPUT = "relu(x + tolerance); relu(x); relu(x - tolerance); abs(x)"
IF = "relu(p + x - 1); relu(y - p)"


def from_claim(name: str, parts: int) -> Tactic:
    """The last part of another claim."""

    def run(g: Goal) -> None:
        labels = [f"part{k}" for k in range(parts)]
        g.intro("eps x out small run").use(f"lem:{name}", "eps", "x", "out", label=" ".join(labels)).hyp(labels[-1])

    return run


def inside(x: str, terms: str, test: str) -> Tactic:
    """At x inside the window the network gives 1/2, which is not the value of the test."""

    def run(g: Goal) -> None:
        g.intro("eps small")
        reciprocal(g, "eps")
        value, differs = g.witness(x, "1/2").split()
        value.apart(terms, lambda h: h.auto())
        differs.intro("same").apart(test, lambda h: h.auto())

    return run


def comparators(g: Goal) -> None:
    each(
        from_claim("cookbook.s4.7.gtzero", 4),
        from_claim("cookbook.s4.7.gezero", 4),
        from_claim("cookbook.s4.7.eqzero", 4),
        inside("eps/2", "relu(eps/2); relu(eps/2 - eps)", "I[0 < eps/2]"),
        inside("-eps/2", "relu(-eps/2 + eps); relu(-eps/2)", "I[0 <= -eps/2]"),
        inside("eps/2", "relu(eps/2 + eps); relu(eps/2); relu(eps/2 - eps)", "I[eps/2 = 0]"),
    )(g)


def defined_comparators(g: Goal) -> None:
    g.leaves("", lambda h: h.auto(degree=1, rounds=0))


# --- Vectors: sums in which I[k = i] selects one term ---------------------------------------------------------------


def select(g: Goal, body: str, low: str, high: str, at: str, label: str) -> Goal:
    """sum(k, low, high, I[k = at]*body(k)) = body(at)."""
    return g.use("lem:sum_delta", body, low, high, at, label=label)


def linear(g: Goal) -> None:
    g.intro("d a x some")

    def one(h: Goal) -> None:
        h.intro("l inside")
        up, down = h.em("0 <= x(l)", "sign")
        for e, first, second in ((up, "pos", "neg"), (down, "neg", "pos")):
            e.use(f"ax:relu_{first}", "x(l)", label="one").use(f"ax:relu_{second}", "-x(l)", label="two")
            e.auto("one two", rounds=0, multipliers=["a(l)"])

    g.use("lem:sum_ext", "l. a(l)*relu(x(l)) + -a(l)*relu(-x(l))", "l. a(l)*x(l)", "1", "d", one, label="done")
    g.hyp("done")


def id_vector(g: Goal) -> None:
    g.intro("d x y some run i (low high)").use("run", "i", label="is")
    unit = "relu(sum(l, 1, d, (I[{0} = l] - I[{0} = l + d])*x(l)))"
    select(g, f"k. {unit.format('k')}", "1", "2*d", "i", "upper")
    select(g, f"k. {unit.format('k')}", "1", "2*d", "i + d", "lower")
    select(g, "l. x(l)", "1", "d", "i", "own")

    def outside(body: str) -> Tactic:
        def run(h: Goal) -> None:
            h.intro("l (from to)")
            yes, no = h.ind(body, "is_at value")
            yes.auto()
            no.auto("value")

        return run

    g.use("lem:sum_ext", "l. I[i = l + d]*x(l)", "l. 0", "1", "d", outside("i = l + d"), label="none")
    g.use("lem:sum_ext", "l. I[i + d = l]*x(l)", "l. 0", "1", "d", outside("i + d = l"), label="none_either")
    up, down = g.em("0 <= x(i)", "sign")
    plus, minus = unit.format("i"), unit.format("(i + d)")
    for h, first, second in ((up, "pos", "neg"), (down, "neg", "pos")):
        h.use(f"ax:relu_{first}", plus[5:-1], lambda e: e.auto("sign own none", degree=1), label="one")
        h.use(f"ax:relu_{second}", minus[5:-1], lambda e: e.auto("sign own none_either", degree=1), label="two")
        h.auto("is upper lower own none none_either one two", degree=1, rounds=0)


# --- Boolean functions: a(i) + x(i) - 2 a(i) x(i) is 0 where the bits agree and 1 where they differ -----------------

DIFFER = "(a(i) + x(i) - 2*a(i)*x(i))"


def bit_cases(g: Goal, i: str, bits: str = "bits") -> list[Goal]:
    """The four cases of the bits at i."""
    g.use(bits, i, label="bit_a bit_x")
    return [e for h in g.cases("bit_a", "va") for e in h.cases("bit_x", "vx")]


def differences(g: Goal) -> Goal:
    """Every difference is >= 0 (`diff`), the sum of ones is m (`ones`)."""

    def nonneg(h: Goal) -> None:
        for e in bit_cases(h.intro("i inside"), "i"):
            e.auto("va vx")

    g.have(f"all i in 1..m. 0 <= {DIFFER}", "diff", nonneg)
    return g.use("lem:sum_one", "1", "m", label="ones")


def member(g: Goal, i: str) -> Goal:
    """The difference at i is at most the sum of all (`most`)."""
    return g.use("lem:sum_member", f"k. {DIFFER}".replace("(i)", "(k)"), "1", "m", i, None, "#diff", label="most")


def hidden_indicator(g: Goal) -> None:
    g.intro("m a x some bits")
    differences(g)
    printed = "sum(i, 1, m, (2*a(i) - 1)*(2*x(i) - 1))/2 - (m/2 - 1)"
    plain = "sum(i, 1, m, (2*a(i) - 1)*x(i)) - sum(i, 1, m, a(i)) + 1"
    one, two, three = g.split()
    one.apart(f"relu({printed}); relu({plain})", lambda h: h.auto(degree=1, rounds=0))
    two.true()
    yes, no = three.ind("all i in 1..m. a(i) = x(i)", "equal value")

    def zero(h: Goal) -> None:
        for e in bit_cases(h.intro("i inside").use("equal", "i", label="same"), "i"):
            e.auto("va vx same")

    yes.use("lem:sum_ext", f"i. {DIFFER}", "i. 0", "1", "m", zero, label="total")
    yes.use("ax:relu_pos", plain, lambda h: h.auto("total", degree=1, rounds=0), label="unit")
    yes.auto("total value unit", degree=1, rounds=0)

    def below(h: Goal) -> None:
        h.contra("positive")

        def same(e: Goal) -> None:
            e.intro("i inside")
            member(e, "i")
            for f in bit_cases(e, "i"):
                f.auto("va vx most positive")

        h.have("all i in 1..m. a(i) = x(i)", "after_all", same).absurd("after_all", "equal")

    no.have(f"{plain} <= 0", "low", below)
    no.use("ax:relu_neg", plain, label="unit").auto("value unit", degree=1, rounds=0)


def pm_dot(g: Goal) -> None:
    g.intro("m a x some bits")
    differences(g)
    forward, back = g.split()
    forward.intro("equal")

    def product(h: Goal) -> None:
        for e in bit_cases(h.intro("i inside").use("equal", "i", label="same"), "i"):
            e.auto("va vx same")

    forward.use("lem:sum_ext", "i. (2*a(i) - 1)*(2*x(i) - 1)", "i. 1", "1", "m", product, label="total")
    forward.auto("total ones", degree=1, rounds=0)
    back.intro("dot i inside")
    back.have(f"sum(i, 1, m, {DIFFER}) = 0".replace("(i, 1", "(k, 1").replace("(i)", "(k)"), "total", use="dot ones")
    member(back, "i")
    for e in bit_cases(back, "i"):
        e.auto("va vx most total")


BITS = "sum(l, m - j + 1, m, {0}(l)*b(m - l))"


def numbering(g: Goal) -> None:
    """b is positive; the number that the last j bits write is below b(j) (`size`) and determines them (`unique`)."""

    def positive(h: Goal) -> None:
        base, step = h.induct("j", "ge", "ih")
        base.intro("top").auto("b_zero")
        step.intro("top").use("ih", label="before").use("doubles", "j + 1", label="next").auto("before next")

    g.have("all j:Int. 0 <= j -> j <= m -> 1 <= b(j)", "positive", positive)

    def last(h: Goal, a: str) -> Goal:
        return h.use("lem:sum_split", f"l. {a}(l)*b(m - l)", "m - j", "m - j", "m", label=f"split_{a}")

    def size(h: Goal) -> None:
        h.intro("a bits_a")
        base, step = h.induct("j", "ge", "ih")
        base.intro("top").blast()
        last(step.intro("top"), "a").use("ih", label="low high").use("doubles", "j + 1", label="next")
        step.use("bits_a", "m - j", label="bit").use("positive", "j", label="one")
        for e in step.cases("bit", "value"):
            for f in e.split():
                f.auto("split_a low high next value one", multipliers=["b(j)"])

    g.have(
        "all a:Int->Int. (all i in 1..m. bit(a(i))) -> all j:Int. 0 <= j -> j <= m -> "
        f"0 <= {BITS.format('a')} & {BITS.format('a')} <= b(j) - 1",
        "size",
        size,
    )

    def unique(h: Goal) -> None:
        h.intro("a c bits_a bits_c")
        base, step = h.induct("j", "ge", "ih")
        base.intro("top same i (low high)").auto("low high")
        last(last(step.intro("top same i (low high)"), "a"), "c")
        for a in ("a", "c"):
            step.use("size", a, f"#bits_{a}", "j", label=f"{a}_low {a}_high")
            step.use(f"bits_{a}", "m - j", label=f"bit_{a}")
        linear = {"degree": 1, "rounds": 0, "multipliers": ["1", "b(j)"]}
        halves = "same split_a split_c va vc"
        for e, differ in zip(
            [e for f in step.cases("bit_a", "va") for e in f.cases("bit_c", "vc")],
            (False, True, True, False),
            strict=True,
        ):
            if differ:  # the highest bit outweighs all lower ones
                e.contra("no").auto(f"{halves} a_low a_high c_low c_high", **linear)
                continue
            e.have(f"{BITS.format('a')} = {BITS.format('c')}", "rest", use=halves, **linear)
            first, later = e.em("i <= m - j", "where")
            first.have("i = m - j", "at", use="where low").rewrite("at").auto("va vc")
            later.use("ax:int_lt", "m - j", "i", label="after").use("ih", None, "#rest", "i", label="done").hyp("done")

    g.have(
        "all a:Int->Int, c:Int->Int. (all i in 1..m. bit(a(i))) -> (all i in 1..m. bit(c(i))) -> "
        f"all j:Int. 0 <= j -> j <= m -> {BITS.format('a')} = {BITS.format('c')} -> "
        "all i in m - j + 1..m. a(i) = c(i)",
        "unique",
        unique,
    )


def written_rows(g: Goal) -> None:
    """Bits c that write r are those of row r (`display`)."""

    def row(h: Goal) -> None:
        h.intro("r c c_bits c_is").use("size", "c", "#c_bits", "m", None, None, label="c_low c_high")
        h.have("0 <= r", "r_low", use="c_is c_low").have("r <= b(m) - 1", "r_high", use="c_is c_high")
        h.use("rows", "r", label="r_bits r_is")

        def same(e: Goal) -> None:
            equal = ("unique", "i. xi(r, i)", "c", "#r_bits", "#c_bits", "m", None, None)
            e.use(*equal, lambda f: f.auto("r_is c_is"), label="done").hyp("done")

        h.have("all i in 1..m. xi(r, i) = c(i)", "row", same)
        h.use("lem:sum_ext", "i. xi(r, i)", "c", "1", "m", "#row", label="row_total")
        first, second = h.split()
        first.hyp("row")
        second.hyp("row_total")

    g.have(
        "all r:Int, c:Int->Int. (all i in 1..m. bit(c(i))) -> sum(l, 1, m, c(l)*b(m - l)) = r -> "
        "(all i in 1..m. xi(r, i) = c(i)) & sum(i, 1, m, xi(r, i)) = sum(i, 1, m, c(i))",
        "display",
        row,
    )


def displayed_rows(goals: list[Goal]) -> None:
    """The rows 0, 1, 2 and 2^m - 1 of the display and their biases."""
    zero, zero_bias, one, two, last, last_bias = goals

    def constant(bit: int) -> Tactic:
        return lambda e: e.intro("i inside").pick("right" if bit else "left").true()

    def largest(h: Goal) -> None:
        """Ones write 2^m - 1: no bits write more, and the last row writes that."""
        h.use("size", "i. 1", constant(1), "m", None, None, label="all_low all_high")
        h.use("positive", "m", label="some_b").use("rows", "b(m) - 1", None, label="e_bits e_is")

        def term(e: Goal) -> None:
            e.intro("l (ll lh)").use("e_bits", "l", label="bit").use("positive", "m - l", label="weight")
            for f in e.cases("bit", "value"):
                f.rewrite("value").auto("weight")

        h.use("lem:sum_mono", "l. xi(b(m) - 1, l)*b(m - l)", "l. b(m - l)", "1", "m", term, label="less")
        for e, how in zip(h.antisym(), ("all_high", "less e_is"), strict=True):
            e.auto(how)

    for h in (zero, zero_bias):
        h.use("display", "0", "i. 0", constant(0), None, label="shown shown_total")
    for h in (last, last_bias):
        h.use("display", "b(m) - 1", "i. 1", constant(1), largest, label="shown shown_total")
        h.use("lem:sum_one", "1", "m", label="count")
    for h in (zero, last):
        h.intro("i inside").use("shown", "i", label="here").auto("here", degree=1, rounds=0)
    zero_bias.auto("shown_total", degree=1, rounds=0)
    last_bias.auto("shown_total count", degree=1, rounds=0)
    for h, number, place in ((one, "1", "m"), (two, "2", "m - 1")):
        h.intro("wide").use("doubles", "1", label="two_is")

        def are_bits(e: Goal, place: str = place) -> None:
            e.intro("i inside").apart(f"I[i = {place}]", lambda f: f.blast())

        def one_bit(e: Goal, place: str = place) -> None:
            e.use("lem:sum_delta", "l. b(m - l)", "1", "m", place, label="only").auto("only b_zero two_is")

        h.use("display", number, f"i. I[i = {place}]", are_bits, one_bit, label="shown shown_total")
        h.use("lem:sum_delta", "i. 1", "1", "m", place, label="count")
        rows, bias = h.split()
        rows.intro("i inside").use("shown", "i", label="here").auto("here", degree=1, rounds=0)
        bias.auto("shown_total count", degree=1, rounds=0)


def boolean_ffn(g: Goal, displayed: bool = False) -> None:
    g.intro("m b xi phi x p some b_zero doubles rows bits number")
    unit = "relu(sum(i, 1, m, (2*xi(k, i) - 1)*x(i)) + (1 - sum(i, 1, m, xi(k, i))))"
    numbering(g)
    g.use("size", "x", "#bits", "m", label="x_low x_high")
    g.have("0 <= p", "p_low", use="number x_low").have("p <= b(m) - 1", "p_high", use="number x_high")
    g.use("rows", "p", label="p_bits p_number")

    def same(h: Goal) -> None:
        equal = ("unique", "i. xi(p, i)", "x", "#p_bits", "#bits", "m", None, None)
        h.use(*equal, lambda e: e.auto("p_number number"), label="done").hyp("done")

    g.have("all i in 1..m. xi(p, i) = x(i)", "is_x", same)

    def indicator(h: Goal) -> None:
        h.intro("k (kl kh)").use("rows", "k", label="k_bits k_number")

        def both(e: Goal) -> None:
            e.intro("i (il ih)").use("k_bits", "i", label="own").use("bits", "i", label="given")
            first, second = e.split()
            first.hyp("own")
            second.hyp("given")

        h.use("lem:cookbook.s4.8.hidden_indicator", "m", "i. xi(k, i)", "x", "#some", both, label="u1 u2 u3")
        yes, no = h.ind("all i in 1..m. xi(k, i) = x(i)", "equal value")
        same, other = yes.ind("k = p", "is_p at_p")
        same.auto("u3 value at_p", degree=1, rounds=0)

        def is_p(e: Goal) -> None:
            def term(f: Goal) -> None:
                f.intro("i inside").use("equal", "i", label="here").auto("here", rounds=0, multipliers=["b(m - i)"])

            e.use("lem:sum_ext", "i. xi(k, i)*b(m - i)", "i. x(i)*b(m - i)", "1", "m", term, label="sums")
            e.auto("sums k_number number", degree=1, rounds=0)

        other.have("k = p", "after_all", is_p).absurd("after_all", "is_p")
        same, other = no.ind("k = p", "is_p at_p")

        def agree(e: Goal) -> None:
            e.intro("i inside").rewrite("is_p").use("is_x", "i", label="there").hyp("there")

        same.have("all i in 1..m. xi(k, i) = x(i)", "after_all", agree).absurd("after_all", "equal")
        other.auto("u3 value at_p", degree=1, rounds=0)

    g.have(f"all k in 0..b(m) - 1. {unit} = I[k = p]", "indicator", indicator)

    def scaled(h: Goal) -> None:
        h.intro("k inside").use("indicator", "k", label="is").auto("is", rounds=0, multipliers=["phi(k)"])

    g.use("lem:sum_ext", f"k. phi(k)*{unit}", "k. I[k = p]*phi(k)", "0", "b(m) - 1", scaled, label="total")
    select(g, "phi", "0", "b(m) - 1", "p", "chosen")
    if displayed:
        written_rows(g)
    low, high, equal, value, *display = g.split()
    low.hyp("p_low")
    high.hyp("p_high")
    equal.hyp("is_x")
    value.auto("total chosen", degree=1, rounds=0)
    if displayed:
        displayed_rows(display)


# --- Piecewise linear functions -------------------------------------------------------------------------------------


def relu_sum(g: Goal, network: bool = False) -> None:
    g.intro("n xs ys m x f many rising slopes is")
    if network:
        up, down = g.em("0 <= x", "sign")
        for h, first, second in ((up, "pos", "neg"), (down, "neg", "pos")):
            h.use(f"ax:relu_{first}", "x", label="one").use(f"ax:relu_{second}", "-x", label="two")
            h.have(
                "f = ys(1) + m(1)*(x - xs(1)) + sum(k, 2, n, (m(k) - m(k - 1))*relu(x - xs(k)))",
                "sum_form",
                use="is one two",
            )
            h.use(
                "lem:cookbook.s4.1.relu_sum",
                "n",
                "xs",
                "ys",
                "m",
                "x",
                "f",
                "#many",
                "#rising",
                "#slopes",
                "#sum_form",
                label="done",
            )
            h.hyp("done")
        return

    def slope(h: Goal) -> None:
        h.intro("k (low high)").use("rising", "k", label="up").use("slopes", "k", label="slope")
        h.use("ax:inv", "xs(k + 1) - xs(k)", label="inverse")
        h.auto("slope inverse", rounds=0, multipliers=["ys(k + 1)", "ys(k)", "xs(k + 1)", "xs(k)"])

    g.have("all k in 1..n. ys(k + 1) = ys(k) + m(k)*(xs(k + 1) - xs(k))", "step", slope)

    def monotone(h: Goal) -> None:
        h.intro("j from")

        def up(e: Goal) -> None:
            e.intro("k_low").use("ih", label="before").use("rising", "k", label="next").auto("before next")

        base, rest = h.induct("k", "ge", "ih")
        base.easy()
        up(rest)

    g.have("all j:Int. 1 <= j -> all k:Int. j <= k -> k <= n + 1 -> xs(j) <= xs(k)", "order", monotone)

    def affine(h: Goal) -> None:
        base, rest = h.induct("p", "ge", "ih")
        base.easy()
        rest.intro("top").use("ih", label="before").use("step", "p", label="next")
        rest.use("ax:sum_step", "k. (m(k) - m(k - 1))*(x - xs(k))", "2", "p + 1", label="last")
        rest.auto("before next last", degree=1, rounds=0)

    g.have(
        "all p:Int. 1 <= p -> p <= n -> ys(1) + m(1)*(x - xs(1)) + sum(k, 2, p, (m(k) - m(k - 1))*(x - xs(k)))"
        " = ys(p) + m(p)*(x - xs(p))",
        "affine",
        affine,
    )

    def piece(h: Goal) -> None:
        h.intro("p (low high) left right").use("affine", "p", label="line")
        term = "k. (m(k) - m(k - 1))*relu(x - xs(k))"
        h.use("lem:sum_split", term, "2", "p", "n", label="parts")

        def active(e: Goal) -> None:
            e.intro("k (kl kh)").use("order", "k", None, "p", label="before")
            first, later = e.cases("left", "where")
            first.auto("where kl kh")
            later.use("ax:relu_pos", "x - xs(k)", label="unit")
            later.auto("unit", rounds=0, multipliers=["m(k)", "m(k - 1)"])

        def idle(e: Goal) -> None:
            e.intro("k (kl kh)").use("order", "p + 1", None, "k", label="after")
            first, later = e.cases("right", "where")
            first.auto("where kl kh")
            later.use("ax:relu_neg", "x - xs(k)", label="unit")
            later.auto("unit", rounds=0, multipliers=["m(k)", "m(k - 1)"])

        h.use("lem:sum_ext", term, "k. (m(k) - m(k - 1))*(x - xs(k))", "2", "p", active, label="active")
        h.use("lem:sum_ext", term, "k. 0", "p + 1", "n", idle, label="idle")
        h.auto("is line parts active idle", degree=1, rounds=0)

    g.have(
        "all p in 1..n. p = 1 | xs(p) <= x -> p = n | x <= xs(p + 1) -> f = ys(p) + m(p)*(x - xs(p))", "piece", piece
    )
    first, middle, last = g.split()
    first.intro("low").use("piece", "1", label="done").hyp("done")
    middle.intro("k inside (low high)").use("piece", "k", label="done").hyp("done")
    last.intro("high").use("piece", "n", label="done").hyp("done")


def rising_defined(names: str) -> Tactic:
    """No two neighbouring points coincide."""

    def leaf(h: Goal) -> None:
        index = [n for n in h.scope if n.startswith("k")][-1]
        h.use("p2", index, label="up").auto()

    return lambda g: g.leaves(names, leaf)


def line_inhabited(g: Goal) -> None:
    """The identity with the points 1, 2, 3, 4."""
    g.inhabit("3", "j. j", "j. j", "j. 1", "0", "0", others=[("3", "j. j", "j. j", "j. 1", "3", "3", "3")])


ROUND = "relu(x - 1/4); relu(x - 3/4)"


def rounding(g: Goal) -> None:
    g.intro("x out run")
    low, high, value = g.split()
    for h in (low, high):
        h.apart(ROUND, lambda e: e.blast())
    value.intro("v (is_bit near)")
    for h in value.cases("is_bit", "is"):
        h.apart(f"{ROUND}; abs(x - v)", lambda e: e.blast())


SCRIPTS: dict[str, Script] = {
    "cookbook.s4.3.id_vector": Script(id_vector, witnesses("2", "j. 0", "j. 0", "1")),
    "cookbook.t1.identity": Script(id_vector, witnesses("2", "j. 0", "j. 0", "1")),
    "cookbook.s4.4.min": Script(MIN, witnesses("1", "2", "1")),
    "cookbook.s4.4.max": Script(MAX, witnesses("1", "2", "2")),
    "cookbook.t1.minmax": Script(each(MIN, MAX), witnesses("1", "2", "1", "1", "2", "2")),
    "cookbook.s4.5.add": Script(each(ADD, ADD, linear), witnesses("1", "2", "3", "1", "2", "-1", "1", "j. 0", "j. 0")),
    "cookbook.t1.addsub": Script(each(ADD, ADD), witnesses("1", "2", "3", "1", "2", "-1")),
    "cookbook.s4.7.gtzero": Script(GTZERO, witnesses("2", "1", "1/2", others=[("2", "0", "0"), ("2", "3", "1")])),
    "cookbook.s4.7.gezero": Script(GEZERO, witnesses("2", "-1", "1/2", others=[("2", "-2", "0"), ("2", "1", "1")])),
    "cookbook.s4.7.eqzero": Script(eqzero, witnesses("2", "1", "1/2", others=[("2", "3", "0"), ("2", "0", "1")])),
    "cookbook.t1.comparators": Script(
        comparators, witnesses("2", "2", "1", others=[("2", "2", "0")]), defined_comparators
    ),
    "cookbook.s4.7.gezero_input": Script(
        pieces(INPUT, "relu(x + tolerance); relu(x)"),
        witnesses("-1", "2", "1", others=[("-3", "2", "0"), ("1", "2", "2")]),
    ),
    "cookbook.s4.7.eqzero_input": Script(
        pieces(INPUT, EQZERO_INPUT), witnesses("1", "2", "1", others=[("3", "2", "0"), ("0", "2", "2")])
    ),
    "cookbook.s4.8.connectives": Script(
        pieces("x y (a b)", "min(x, y); max(x, y); I[x = 1 & y = 1]; I[x = 1 | y = 1]; I[~(x = 1)]"),
        witnesses("1", "0"),
    ),
    "cookbook.s4.8.hidden_indicator": Script(hidden_indicator, witnesses("2", "j. 1", "j. 0")),
    "cookbook.s4.8.pm_dot": Script(pm_dot, witnesses("2", "j. 1", "j. 0")),
    "cookbook.s4.9.conditional": Script(
        pieces("p x y out (bit x0 x1 y0 y1) run", IF),
        witnesses("1", "1/3", "1/2", "1/3", others=[("0", "1/3", "1/2", "1/2")]),
    ),
    "cookbook.t1.conditional.corrected": Script(
        pieces("p x y out (bit x0 x1 y0 y1) run", IF),
        witnesses("1", "1/3", "1/2", "1/3", others=[("0", "1/3", "1/2", "1/2")]),
    ),
    "cookbook.s4.1.relu_sum": Script(relu_sum, line_inhabited, rising_defined("n xs ys m x f")),
    "cookbook.s4.1.cpwl_ffn": Script(
        lambda g: relu_sum(g, network=True), line_inhabited, rising_defined("n xs ys m x f")
    ),
    "cookbook.s6.4.clip.corrected": Script(
        pieces("delta x out (some out_of) run", "relu(x + delta); relu(x - delta); abs(x)"),
        witnesses("1", "2", "1", others=[("1", "-2", "-1")]),
    ),
    "cookbook.s5.7.rounding": Script(rounding, witnesses("1", "1", "1", others=[("0", "0", "0")])),
}
