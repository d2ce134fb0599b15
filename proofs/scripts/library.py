"""Proofs of the library: sums by induction, exponentials, softmax."""

from __future__ import annotations

from symcook.proof.search.tactics import Goal, Tactic


def by_induction(g: Goal, claim: str, k: str, label: str, step: Tactic) -> Goal:
    """Have ``all b. a - 1 <= b -> P(b)`` as `label`: the base is an empty sum, `step` proves P(k + 1) from `ih`."""

    def proof(h: Goal) -> None:
        base, up = h.induct(k, "ge", "ih")
        base.easy()
        step(up)

    return g.have(claim, label, proof)


def last(g: Goal, body: str, low: str, high: str, label: str) -> Goal:
    """The last term of a sum splits off."""
    return g.use("ax:sum_step", body, low, high, label=label)


def empty_or(g: Goal, general: str, *empties: str) -> None:
    """Close a goal about sums over a..b: from `general` where a - 1 <= b, by empty sums where b < a - 1."""
    usual, rare = g.em("a - 1 <= b", "range")
    usual.use(general, "b", label="done")
    usual.easy()
    for k, body in enumerate(empties):
        rare.use("ax:sum_empty", body, "a", "b", label=f"empty{k}")
    rare.easy()


def sum_one(g: Goal) -> None:
    g.intro("a")
    base, step = g.induct("b", "ge", "ih")
    base.easy()
    last(step, "j. 1", "a", "b + 1", "last").auto("ih last")


def sum_split(g: Goal) -> None:
    g.intro("f a c b (low high)")

    def step(h: Goal) -> None:
        h.intro("lower")
        last(h, "f", "a", "k + 1", "whole")
        last(h, "f", "c + 1", "k + 1", "part")
        h.use("ih", label="before").auto("whole part before")

    by_induction(
        g,
        "all k:Int. c <= k -> a - 1 <= c -> sum(j, a, k, f(j)) = sum(j, a, c, f(j)) + sum(j, c + 1, k, f(j))",
        "k",
        "all_k",
        step,
    )
    g.use("all_k", "b", label="done").easy()


def sum_mono(g: Goal) -> None:
    g.intro("f g a b below")

    def step(h: Goal) -> None:
        h.intro("each")
        last(h, "f", "a", "k + 1", "left")
        last(h, "g", "a", "k + 1", "right")
        h.use("each", "k + 1", label="at")

        def earlier(e: Goal) -> None:
            e.intro("i (from to)").use("each", "i", label="here").hyp("here")

        h.use("ih", earlier, label="before").auto("left right at before")

    claim = "all k:Int. a - 1 <= k -> (all i in a..k. f(i) <= g(i)) -> sum(j, a, k, f(j)) <= sum(j, a, k, g(j))"
    by_induction(g, claim, "k", "all_k", step)
    empty_or(g, "all_k", "f", "g")


def sum_ext(g: Goal) -> None:
    g.intro("f g a b same")
    for left, right, label in (("f", "g", "up"), ("g", "f", "down")):
        g.use(
            "lem:sum_mono",
            left,
            right,
            "a",
            "b",
            lambda h: h.intro("i range").use("same", "i", label="here").auto("here"),
            label=label,
        )
    g.auto("up down")


def sum_nonneg(g: Goal) -> None:
    g.intro("f a b each").use("lem:sum_mono", "j. 0", "f", "a", "b", label="done").easy()


def around(g: Goal, p: str = "p") -> Goal:
    """The sum over a..b as the part before p, f(p) and the part after p: `one` and `two`."""
    g.use("lem:sum_split", "f", "a", f"{p} - 1", "b", label="one")
    return g.use("lem:sum_split", "f", p, p, "b", label="two")


def sum_only(g: Goal) -> None:
    g.intro("f a b p (low high) rest")
    around(g)
    for low, high, label in (("a", "p - 1", "before"), ("p + 1", "b", "after")):

        def zero(h: Goal) -> None:
            h.intro("i (from to)").use("rest", "i", None, lambda e: e.intro("eq").auto(), label="here").hyp("here")

        g.use("lem:sum_ext", "f", "j. 0", low, high, zero, label=label)
    g.auto("one two before after")


def sum_delta(g: Goal) -> None:
    g.intro("f a b p range")

    def zero(h: Goal) -> None:
        h.intro("i inside other")
        yes, no = h.ind("i = p", "is value")
        yes.absurd("is", "other")
        no.auto("value")

    g.use("lem:sum_only", "j. I[j = p]*f(j)", "a", "b", "p", "#range", zero, label="done").hyp("done")


def sum_member(g: Goal) -> None:
    g.intro("f a b p (low high) each")
    around(g)
    for low, high, label in (("a", "p - 1", "before"), ("p + 1", "b", "after")):
        g.use(
            "lem:sum_nonneg",
            "f",
            low,
            high,
            lambda h: h.intro("i (from to)").use("each", "i", label="here").hyp("here"),
            label=label,
        )
    g.auto("one two before after")


def sum_positive(g: Goal) -> None:
    g.intro("f a b range each")
    g.use("each", "a", label="first")
    g.use(
        "lem:sum_member",
        "f",
        "a",
        "b",
        "a",
        lambda h: h.easy(),
        lambda h: h.intro("i inside").use("each", "i", label="here").auto("here"),
        label="least",
    )
    g.auto("first least")


def sum_zero(g: Goal) -> None:
    g.intro("f a b each total p inside")
    g.use("each", "p", label="here")
    g.use("lem:sum_member", "f", "a", "b", "p", label="most").auto("here total most")


def sum_abs(g: Goal) -> None:
    g.intro("f a b")

    def step(h: Goal) -> None:
        last(h, "f", "a", "k + 1", "whole")
        last(h, "j. abs(f(j))", "a", "k + 1", "sizes")
        h.apart("abs(sum(j, a, k + 1, f(j))); abs(sum(j, a, k, f(j))); abs(f(k + 1))", lambda e: e.auto(degree=1))

    claim = "all k:Int. a - 1 <= k -> abs(sum(j, a, k, f(j))) <= sum(j, a, k, abs(f(j)))"
    by_induction(g, claim, "k", "all_k", step)
    usual, rare = g.em("a - 1 <= b", "range")
    usual.use("all_k", "b", label="done").hyp("done")
    rare.use("ax:sum_empty", "f", "a", "b", label="none")
    rare.use("ax:sum_empty", "j. abs(f(j))", "a", "b", label="none_either")
    rare.apart("abs(sum(j, a, b, f(j)))", lambda e: e.auto(degree=1))


def sign(g: Goal) -> None:
    base, step = g.induct("n", "ge", "ih")
    base.pick("left").true()
    step.use("ax:pow_step", "-1", "n", label="next")
    even, odd = step.cases("ih", "now")
    even.pick("right").auto("now next")
    odd.pick("left").auto("now next")


def sign_sum(g: Goal) -> None:
    base, step = g.induct("n", "ge", "ih")
    base.easy()
    step.use("ax:pow_step", "-1", "n", label="next")
    last(step, "j. pow(-1, j)", "1", "n + 1", "last").auto("ih next last")


def exp_mono(g: Goal) -> None:
    g.intro("x y le").use("ax:exp_pos", "x", label="pos").use("ax:exp_ge", "y - x", label="ge").auto("le pos ge")


def sm_total(g: Goal) -> None:
    g.intro("s n some")
    g.use(
        "lem:sum_positive",
        "j. exp(s(j))",
        "1",
        "n",
        "#some",
        lambda h: h.intro("i inside").use("ax:exp_pos", "s(i)", label="pos").hyp("pos"),
        label="done",
    ).hyp("done")


TOTAL = "sum(k, 1, n, exp(s(k)))"


def total(g: Goal, z: str = "z") -> Goal:
    """0 < Z, Z*(1/Z) = 1, 0 < 1/Z for the softmax normaliser Z of s and n."""
    return g.positive(TOTAL, z, lambda h: h.use("lem:sm_total", "s", "n", label="pos").hyp("pos"))


def sm_sum(g: Goal) -> None:
    total(g.intro("s n some")).auto("z_e")


def sm_weight(g: Goal) -> None:
    g.intro("s n j (low high)").have("1 <= n", "some")
    total(g)
    g.use("ax:exp_pos", "s(j)", label="pos")
    g.use(
        "lem:sum_member",
        "k. exp(s(k))",
        "1",
        "n",
        "j",
        lambda h: h.easy(),
        lambda h: h.intro("i inside").use("ax:exp_pos", "s(i)", label="here").auto("here"),
        label="most",
    )
    small, large = g.split()
    small.auto("pos z_i")
    large.auto("most z_i z_e")


def sm_below(g: Goal) -> None:
    g.intro("s n j p gamma some gap")
    total(g)
    g.use("lem:exp_mono", "s(j)", "s(p) - gamma", label="mono").auto("mono z_i")


def hardmax_unique(g: Goal) -> None:
    g.intro("s n p (low high) best j (from to)")

    def is_max(e: Goal) -> None:
        """I[maximal(i)] = I[i = p] for i in 1..n."""
        yes, no = e.ind("i = p", "is value")
        one, zero = yes.ind("maximal(s, n, i)", "max size")
        one.auto("size value")

        def maximal(h: Goal) -> None:
            h.intro("k (kl kh)")
            same, other = h.em("k = p", "here")
            same.rewrite("is").rewrite("here").true()
            other.rewrite("is").use("best", "k", label="less").auto("less")

        zero.have("maximal(s, n, i)", "after_all", maximal).absurd("after_all", "max")
        one, zero = no.ind("maximal(s, n, i)", "max size")
        one.use("max", "p", label="wrong").use("best", "i", label="right").auto("wrong right")
        zero.auto("size value")

    g.have(
        "all i in 1..n. I[maximal(s, n, i)] = I[i = p]",
        "both",
        lambda h: is_max(h.intro("i (il ih)")),
    )
    g.use("lem:sum_ext", "i. I[maximal(s, n, i)]", "i. I[i = p]", "1", "n", "#both", label="count")
    g.use("lem:sum_delta", "i. 1", "1", "n", "p", label="single")
    g.have("sum(m, 1, n, I[maximal(s, n, m)]) = 1", "total", use="count single")
    g.use("ax:inv", "sum(m, 1, n, I[maximal(s, n, m)])", lambda h: h.intro("zero").auto("zero total"), label="inverse")
    g.use("both", "j", label="here")
    g.auto(
        "here total inverse",
        rounds=0,
        multipliers=["1/sum(m, 1, n, I[maximal(s, n, m)])", "I[j = p]", "I[j = p]/sum(m, 1, n, I[maximal(s, n, m)])"],
    )


def parity(g: Goal) -> None:
    base, step = g.induct("n", "ge", "ih")
    base.witness("0").blast()
    step.obtain("ih", "m", "low half")
    even, odd = step.cases("half", "is")
    even.witness("m").blast()
    odd.witness("m + 1").blast()


def height_count(g: Goal) -> None:
    g.intro("w n some word")

    def value(h: Goal) -> None:
        h.intro("l inside").use("word", "l", label="bit")
        for e in h.cases("bit", "is"):
            for f in e.sides(e.term("I[w(l) = 0]")):
                f.apart("I[w(l) = 1]", close)

    def close(h: Goal) -> None:
        if not h.try_auto(degree=1):
            wrong = next(k for k, f in h.facts.items() if f[0] == "~" and f[2][0] == h.facts["is"])
            h.absurd("is", wrong)

    g.use("lem:sum_ext", "l. bracket(w(l))", "l. 1 - 2*w(l)", "1", "n", value, label="terms")
    g.use("lem:sum_one", "1", "n", label="ones").auto("terms ones", degree=1, rounds=0)


def height_threshold(g: Goal) -> None:
    g.intro("m i low some")
    body = "l. bracket(I[m < l])"

    def value(h: Goal) -> None:
        h.intro("l (from to)")
        yes, no = h.ind("m < l", "after value")
        for e in (yes, no):
            if not e.try_contradiction():
                e.rewrite("value").true()

    before, after = g.em("i <= m", "side")
    before.use("lem:sum_ext", body, "l. 1", "1", "i", value, label="terms").use("lem:sum_one", "1", "i", label="ones")
    before.apart("min(i, 2*m - i)", lambda h: h.auto(degree=1, rounds=0))
    after.use("lem:sum_split", body, "1", "m", "i", label="parts")
    after.use("lem:sum_ext", body, "l. 1", "1", "m", value, label="up").use("lem:sum_one", "1", "m", label="ones")
    after.use("lem:sum_ext", body, "l. -1", "m + 1", "i", value, label="down")
    after.use("lem:sum_one", "m + 1", "i", label="others")
    after.apart("min(i, 2*m - i)", lambda h: h.auto(degree=1, rounds=0))


SCRIPTS: dict[str, Tactic] = {
    "lem.sum_one": sum_one,
    "lem.sum_split": sum_split,
    "lem.sum_mono": sum_mono,
    "lem.sum_ext": sum_ext,
    "lem.sum_nonneg": sum_nonneg,
    "lem.sum_only": sum_only,
    "lem.sum_delta": sum_delta,
    "lem.sum_member": sum_member,
    "lem.sum_positive": sum_positive,
    "lem.sum_zero": sum_zero,
    "lem.sum_abs": sum_abs,
    "lem.sign": sign,
    "lem.sign_sum": sign_sum,
    "lem.exp_mono": exp_mono,
    "lem.exp_less": exp_mono,
    "lem.sm_total": sm_total,
    "lem.sm_sum": sm_sum,
    "lem.sm_weight": sm_weight,
    "lem.sm_below": sm_below,
    "lem.hardmax_unique": hardmax_unique,
    "lem.parity": parity,
    "lem.height_count": height_count,
    "lem.height_threshold": height_threshold,
}
