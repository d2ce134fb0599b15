"""Claims about Dyck-1 (Cookbook, Section 9.2.1), from the run relation of the stored models, for all lengths."""

from __future__ import annotations

from script import Script

from symcook.proof.search.tactics import Goal, Tactic


def reciprocal(g: Goal, z: str, label: str = "") -> Goal:
    """z*(1/z) = 1 and 0 < 1/z, where a fact gives 0 < z."""
    return g.use("ax:inv", z, label=f"inverse{label}").have(f"0 < 1/{z}", f"reciprocal{label}")


# --- The least nonzero values ---------------------------------------------------------------------------------------

MEAN = "sum(i, 1, n, relu(-(height(w, i)/i)))/n"


def threshold(g: Goal, m: str, n: str = "n") -> Goal:
    """m opening brackets, then closing ones, as the witness for `ex w. brackets(w, n) & ...`; the rest is returned."""
    word, rest = g.witness(f"l. I[{m} < l]").split()
    word.intro("i inside")
    after, before = word.ind(f"{m} < i", "at value")
    after.pick("right").hyp("value")
    before.pick("left").hyp("value")
    return rest


def least_mean(g: Goal, part: str, whole: str, enough: Tactic) -> None:
    """A mean that is not 0 is at least `whole` = part/n, where `enough` shows part <= -(height(w, i)/i) below 0."""
    g.contra("small")

    def nonneg(h: Goal) -> None:
        h.intro("i (low high)").apart("relu(-(height(w, i)/i))", lambda e: e.auto(degree=1))

    g.have("all i in 1..n. 0 <= relu(-(height(w, i)/i))", "nonneg", nonneg)

    def zero(h: Goal) -> None:
        h.intro("i (low high)")
        reciprocal(h, "i", "_i")
        up, down = h.em("0 <= height(w, i)", "side")
        up.use("ax:relu_neg", "-(height(w, i)/i)", label="unit").hyp("unit")
        down.use("ax:int_lt", "height(w, i)", "0", label="step")
        down.use("ax:relu_pos", "-(height(w, i)/i)", lambda e: e.auto(), label="unit")
        unit = "k. relu(-(height(w, k)/k))"
        down.use("lem:sum_member", unit, "1", "n", "i", None, "#nonneg", label="most")
        down.have(f"{part} <= -(height(w, i)/i)", "least", enough)
        mean = MEAN.replace("i,", "k,", 1).replace("(w, i)/i", "(w, k)/k")
        down.have(f"{part} <= relu(-(height(w, i)/i))", "unit_least", use="least unit")
        down.have(f"{whole} <= {mean}", "large", use="most unit_least reciprocal", rounds=0)
        down.contra("no").auto("large small", degree=1)

    g.use("lem:sum_ext", "i. relu(-(height(w, i)/i))", "i. 0", "1", "n", zero, label="none")
    g.have(f"{MEAN} = 0", "after_all", use="none", rounds=0, multipliers=["1/n"]).absurd("after_all", "differs")


def whole_word(g: Goal) -> None:
    """Every i <= n has 1/n <= 1/i."""
    g.have("1/n <= 1/i", "order", use="high inverse inverse_i reciprocal reciprocal_i", degree=3, rounds=1)
    g.auto("order step reciprocal_i", rounds=0)


def even_word(g: Goal) -> None:
    """1/(n - 1) <= 1/i for i < n; the height of the whole word is even, so at most -2."""
    less, same = g.em("i < n", "strict")
    less.use("ax:int_lt", "i", "n", label="room")
    order = "room inverse_i inverse_less reciprocal_i reciprocal_less"
    less.have("1/(n - 1) <= 1/i", "order", use=order, degree=3, rounds=1).auto("order step reciprocal_i", rounds=0)
    same.have("i = n", "at", use="strict high").rewrite("at", "step", "step_n").rewrite("at")
    same.use("lem:height_count", "w", "n", None, "#word", label="count")
    same.have("m - sum(l, 1, n, w(l)) < 0", "negative", use="count step_n is")
    same.use("ax:int_lt", "m - sum(l, 1, n, w(l))", "0", label="two")
    same.have("height(w, n) <= -2", "low_enough", use="count two is", degree=1)
    both = ["1/n", "1/(n - 1)"]
    same.have("1/n*(1/(n - 1)) = 1/(n - 1) - 1/n", "parts", use="inverse inverse_less", rounds=0, multipliers=both)
    same.have("0 <= (n - 2)*(1/n*(1/(n - 1)))", "product", use="long reciprocal reciprocal_less", degree=3, rounds=0)
    same.have("1/(n - 1) <= 2*(1/n)", "order", use="product parts inverse", rounds=0, multipliers=["1", "1/(n - 1)"])
    same.auto("order low_enough reciprocal", rounds=0)


def odd_reached(g: Goal) -> None:
    """m opening brackets and m + 1 closing ones: only the last height is below 0."""
    rest = threshold(g, "m")
    unit = "relu(-(height(l. I[m < l], i)/i))"

    def zero(h: Goal) -> None:
        h.intro("i (from to) other").use("lem:height_threshold", "m", "i", label="count")
        less, same = h.em("i < n", "strict")
        same.have("i = n", "after_all", use="strict to").contra("no").absurd("after_all", "other")
        less.use("ax:int_lt", "i", "n", label="step")
        reciprocal(less, "i", "_i")
        less.have("0 <= height(l. I[m < l], i)", "high_enough", lambda e: e.apart("min(i, 2*m - i)"))
        less.use(
            "ax:relu_neg", "-(height(l. I[m < l], i)/i)", lambda e: e.auto("high_enough reciprocal_i"), label="unit"
        )
        less.hyp("unit")

    rest.use("lem:sum_only", f"i. {unit}", "1", "n", "n", None, zero, label="only")
    rest.use("lem:height_threshold", "m", "n", label="count")
    rest.have("height(l. I[m < l], n) = -1", "last", lambda e: e.apart("min(n, 2*m - n)"))
    rest.use("ax:relu_pos", "-(height(l. I[m < l], n)/n)", lambda e: e.auto("last reciprocal"), label="unit")
    rest.auto("only last unit", degree=1, rounds=0, multipliers=["1/n", "1/n^2"])


def even_reached(g: Goal) -> None:
    """m - 1 opening brackets, m closing ones, and an opening one: only the height before the last is below 0."""
    letter = "I[m - 1 < {0} & {0} < n]"
    word = f"l. {letter.format('l')}"
    brackets, rest = g.witness(word).split()
    yes, no = brackets.intro("i inside").ind("m - 1 < i & i < n", "at value")
    yes.pick("right").hyp("value")
    no.pick("left").hyp("value")

    def before(h: Goal) -> None:
        """As the word of m - 1 opening brackets and then closing ones."""
        h.intro("i (low high)")

        def same(e: Goal) -> None:
            yes, no = e.intro("j (jl jh)").ind("m - 1 < j & j < n", "at value")
            for f in yes.ind("m - 1 < j", "other_at other_value"):
                if not f.try_contradiction():
                    f.rewrite("value").rewrite("other_value").true()
            late, early = no.ind("m - 1 < j", "other_at other_value")
            late.have("m - 1 < j & j < n", "after_all").absurd("after_all", "at")
            early.rewrite("value").rewrite("other_value").true()

        brackets = (f"j. bracket({letter.format('j')})", "j. bracket(I[m - 1 < j])")
        h.use("lem:sum_ext", *brackets, "1", "i", same, label="sums")
        h.use("lem:height_threshold", "m - 1", "i", label="count")
        h.auto("sums count", degree=1, rounds=0)

    rest.have(f"all i in 1..n - 1. height({word}, i) = min(i, 2*(m - 1) - i)", "before", before)
    rest.have(
        f"height({word}, n - 1) = -1",
        "low_one",
        lambda h: h.use("before", "n - 1", label="b").apart("min(n - 1, 2*(m - 1) - (n - 1))"),
    )

    def level(h: Goal) -> None:
        h.use("ax:sum_step", f"j. bracket({letter.format('j')})", "1", "n", label="last")
        h.auto("last low_one", degree=1, rounds=0)

    rest.have(f"height({word}, n) = 0", "level", level)
    unit = f"relu(-(height({word}, i)/i))"

    def zero(h: Goal) -> None:
        h.intro("i (from to) other")
        reciprocal(h, "i", "_i")

        def enough(e: Goal) -> None:
            less, same = e.em("i < n", "strict")
            same.have("i = n", "at", use="strict to").rewrite("at").auto("level")
            less.use("ax:int_lt", "i", "n", label="step").use("before", "i", label="b")
            first, second = less.em("i < n - 1", "room")
            first.use("ax:int_lt", "i", "n - 1", label="more").apart("min(i, 2*(m - 1) - i)")
            second.have("i = n - 1", "after_all", use="room step").contra("no").absurd("after_all", "other")

        h.have(f"0 <= height({word}, i)", "high_enough", enough)
        h.use("ax:relu_neg", f"-(height({word}, i)/i)", lambda e: e.auto("high_enough reciprocal_i"), label="unit")
        h.hyp("unit")

    rest.use("lem:sum_only", f"i. {unit}", "1", "n", "n - 1", None, zero, label="only")
    last = f"-(height({word}, n - 1)/(n - 1))"
    rest.use("ax:relu_pos", last, lambda e: e.auto("low_one reciprocal_less"), label="unit")
    rest.auto("only low_one unit", degree=1, rounds=0, multipliers=["1", "1/n", "1/(n - 1)", "1/n*(1/(n - 1))"])


def least_inhabited(g: Goal) -> None:
    """n = 3 is odd and n = 2 is not; the word of closing brackets has the height -n."""

    def leaf(h: Goal) -> None:
        if h.goal[0] == "~" and h.goal[2][0][0] == "ex":
            h.intro("is_odd").obtain("is_odd", "m", "half")
            low, high = h.em("m <= 0", "side")
            low.auto("half side")
            high.use("ax:int_lt", "0", "m", label="step").auto("half step")
        else:
            h.blast()

    g.inhabit("2", "j. 1", others=[("3", "1")], leaf=leaf)


def min_t(g: Goal) -> None:
    g.intro("n some")
    reciprocal(g, "n")
    bound, odd, even = g.split()
    bound.intro("w (word differs)")
    least_mean(bound, "1/n", "1/n^2", whole_word)
    odd.intro("is_odd").obtain("is_odd", "m", "half")
    odd.have("0 <= m", "low", lambda h: h.contra("neg").use("ax:int_lt", "m", "0", label="step").auto("step half some"))
    odd_reached(odd)
    even.intro("not_odd").use("lem:parity", "n", label="halves").obtain("halves", "m", "least_m half")
    yes, no = even.cases("half", "is")
    no.have("odd(n)", "after_all", lambda h: h.witness("m").hyp("is")).contra("no").absurd("after_all", "not_odd")
    yes.use("ax:int_lt", "0", "m", lambda h: h.auto("is some"), label="one").have("2 <= n", "long", use="is one")
    reciprocal(yes, "(n - 1)", "_less")
    bound, reached = yes.split()
    bound.intro("w (word differs)")
    least_mean(bound, "1/(n - 1)", "1/(n - 1)/n", even_word)
    even_reached(reached)


def least_mean_defined(g: Goal) -> None:
    """Lengths are positive, and n - 1 as well where n is not odd."""

    def leaf(h: Goal) -> None:
        if h.try_auto(rounds=0):
            return
        zero = list(h.facts)[-1]
        many, one = h.em("2 <= n", "long")
        many.auto(f"long {zero}")
        not_odd = next(k for k, f in one.facts.items() if f[0] == "~" and "2*j + 1" in one.text(f))
        one.have("n = 1", "is_one", lambda e: e.use("ax:int_lt", "n", "2", "#long", label="step").auto("step p1"))
        one.have("odd(n)", "after_all", lambda e: e.witness("0").auto("is_one")).absurd("after_all", not_odd)

    g.leaves("n", leaf)


# --- The network with a tolerance -----------------------------------------------------------------------------------


SCRIPTS: dict[str, Script] = {
    "cookbook.s9.2.1.min_t.corrected": Script(min_t, least_inhabited, least_mean_defined),
}
