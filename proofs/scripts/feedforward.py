"""Claims about feed-forward recipes (Cookbook, Sections 3, 4 and 6.4): proofs by cases of every relu."""

from __future__ import annotations

from script import Script

from symcook.proof.search.tactics import Goal, Tactic

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


# --- Boolean functions: a(i) + x(i) - 2 a(i) x(i) is 0 where the bits agree and 1 where they differ -----------------


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


SCRIPTS: dict[str, Script] = {}
