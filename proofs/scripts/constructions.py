"""Constructions of attention: Cookbook, Sections 5.1, 5.2, 5.4, 5.5 and Table 2; yang2026, Proposition 10."""

from __future__ import annotations

from script import Script

from symcook.proof.search.tactics import Goal, Tactic

# --- Weights on one position, zero values, signs ----------------------------------------------------------------------


# --- Rightmost hard attention -----------------------------------------------------------------------------------------


def pred_heads(g: Goal) -> None:
    g.intro("i v (some bound)")
    for sign, label in (("-", "evens"), ("", "odds")):
        g.use("lem:rightmost_pick", f"l. {sign}pow(-1, l)", "v", "i", label=f"{label}_ex")
        g.obtain(f"{label}_ex", f"p_{label}", f"{label}_low {label}_high {label}_is")
        g.use("bound", f"p_{label}", label=f"{label}_ge {label}_le")
    first, later = g.split()
    first.intro("one").use("bound", "1", label="ge le")
    first.have("p_evens = 1", "at_e", use="one evens_low evens_high").have(
        "p_odds = 1", "at_o", use="one odds_low odds_high"
    )
    first.rewrite("at_e", "evens_is", "evens_one").rewrite("at_o", "odds_is", "odds_one")
    first.rewrite("one", "evens_one", "e").rewrite("one", "odds_one", "o").rewrite("one")
    joined(first, "1")
    later.intro("two").use("lem:parity", "i", label="half").obtain("half", "m", "half_low which")
    even, odd = later.cases("which", "is")
    for c, size, fact in ((even, "2*m", "even_head"), (odd, "2*m + 1", "odd_head")):
        positive(c)
        c.use(f"lem:{fact}", "m", "v", label="value")
        for label in ("evens", "odds"):
            c.rewrite("is", f"{label}_is", f"{label}_at")
        c.rewrite("is").use("bound", "p_evens", label="b1 b2")
        c.use("lem:sign_even", "m", label="sign_e").use("lem:sign_odd", "m", label="sign_o")
        joined(c, size)


def positive(g: Goal) -> None:
    """1 <= m, from 2 <= i and i = 2*m or 2*m + 1."""

    def proof(h: Goal) -> None:
        h.contra("small").use("ax:int_lt", "m", "1", label="zero").auto("zero is two")

    g.have("1 <= m", "m_low", proof)


def joined(g: Goal, size: str) -> None:
    """Split by the four relu of predheads(v, size)."""
    terms = [
        f"relu(pow(-1, {size}))",
        f"relu(pow(-1, {size}) - 1)",
        f"relu(evenbit({size}) + evenhead(v, {size}) - 1)",
        f"relu(oddhead(v, {size}) - evenbit({size}))",
    ]
    g.apart(terms)


# --- What makes a normaliser nonzero ----------------------------------------------------------------------------------


def normalisers(names: str) -> Tactic:
    """D, with `names` for its leading quantifiers: sums of exponentials and counts of maxima are positive."""

    def leaf(g: Goal) -> None:
        if g.try_auto(degree=1, rounds=0):
            return
        low, high, body = next(reversed(g.facts.values()))[2][0][2]
        if body[0] == "ind":  # I[all k. ... -> s(k) <= s(l)]
            scores = g.text(("lam", ("Int",), (body[2][0][2][0][2][1][2][0],)))
            g.use("lem:hm_count", scores, g.text(high), label="total")
        else:
            terms = g.text(("lam", ("Int",), (body,)))
            g.use("lem:sum_positive", terms, g.text(low), g.text(high), None, exponential, label="total")
        g.auto(degree=1, rounds=0)

    return lambda g: g.leaves(names, leaf)


def inhabits(*terms: str, leaf: Tactic | None = None) -> Tactic:
    """H by these witnesses; where it has several parts, each takes as many of them as it needs."""

    def down(g: Goal, left: list[str]) -> None:
        while g.goal[0] == "ex":
            g.witness(left.pop(0))
        if g.goal[0] != "&":
            leaf(g) if leaf else g.blast()
            return
        for part in g.split():
            down(part, left)

    def run(g: Goal) -> None:
        for part in g.split() if g.goal[0] == "&" else [g]:
            down(part, list(terms))

    return run


def exponential(g: Goal) -> None:
    """exp of something is positive, at every place of a window."""
    g.intro_all().use("ax:exp_pos", g.text(g.goal[2][1][2][0]), label="done").hyp("done")


# --- Models, identity, averages ---------------------------------------------------------------------------------------


# --- First ------------------------------------------------------------------------------------------------------------

MEAN = "r. sum(q, 1, r, -pow(-1, q))/r"
MARK = "r. firstmark(sum(q, 1, r, -pow(-1, q))/r)"


def marked(g: Goal, i: str) -> Goal:
    """`mark`: what the feed-forward layer makes of the mean of the signs is I[i = 1]."""
    g.use("lem:cookbook.s5.2.first", i, "r. pow(-1, r)", MEAN, MARK, None, None, i, label="mark")
    return g


def marks(g: Goal, fact: str) -> None:
    """The goal: all i >= 1, the mark of the weighted sum, which `fact` of the lemma on averages says is the mean."""
    g.intro("i low")

    def zero(h: Goal) -> None:
        h.intro("j inside").use("zero", "j", label="here").hyp("here")

    g.use(
        "lem:cookbook.s5.1.2.avg_prefix", "i", "j. -pow(-1, j)", MEAN, "s", None, None, zero, "i", label="m soft hard"
    )
    marked(g, "i").rewrite(fact).hyp("mark")


def t2_first_corrected(g: Goal) -> None:
    g.intro("s v zero")
    soft, hard, unique, signed = g.split()
    marks(soft, "soft")
    marks(hard, "hard")
    signed.intro("i low")
    for h, place in zip(signed.em("i = 1", "size"), "12", strict=True):
        at_sign(h, place)
    unique.intro("i low")

    def maximal(h: Goal) -> None:
        h.intro("k range").use("zero", "k", label="zero_k").use("zero", "1", label="zero_1").auto("zero_k zero_1")

    unique.have("maximal(s, i, 1)", "best", maximal).have("all k in 1..i. maximal(s, i, k) -> 1 <= k", "rest", leftmost)
    unique.use("lem:lhardmax_at", "s", "i", "1", Goal.easy, label="is")
    unique.use("lem:att_pick", "j. lhardmax(s, i, j)", "v", "i", "1", None, "#is", label="done").hyp("done")


def leftmost(g: Goal) -> None:
    g.intro("k (from to) max").hyp("from")


def at_sign(g: Goal, place: str) -> None:
    """Scores (-1)^j: the leftmost greatest one is the only one for i = 1, and the second for i > 1."""
    if place == "1":
        g.rewrite("size")
    else:
        g.use("ax:int_lt", "1", "i", lambda h: h.contra("no").have("i = 1", "is", use="no low").absurd("is", "size"),
              label="two")  # fmt: skip
    size = "1" if place == "1" else "i"

    def best(h: Goal) -> None:
        h.intro("k (kl kh)")
        if place == "1":
            h.have("k = 1", "is", use="kl kh").rewrite("is").true()
        else:
            h.use("lem:sign", "k", label="sign")
            for e in h.cases("sign", "at"):
                e.auto("at")

    def before(h: Goal) -> None:
        h.intro("k (kl kh) max")
        if place == "1":
            h.hyp("kl")
            return
        h.contra("less").use("ax:int_lt", "k", "2", label="step").have("k = 1", "is", use="step kl")
        h.use("max", "2", label="more").rewrite("is", "more", "wrong").absurd("wrong")

    g.have(f"maximal(l. pow(-1, l), {size}, {place})", "best", best)
    g.have(f"all k in 1..{size}. maximal(l. pow(-1, l), {size}, k) -> {place} <= k", "rest", before)
    g.use("lem:lhardmax_at", "l. pow(-1, l)", size, place, Goal.easy, label="is")
    g.use(
        "lem:att_pick",
        f"j. lhardmax(l. pow(-1, l), {size}, j)",
        "j. -pow(-1, j)",
        size,
        place,
        None,
        "#is",
        label="value",
    )
    g.rewrite("value")
    if place == "1":
        g.true()
        return
    yes, no = g.ind("i = 1", "at truth")
    yes.absurd("at", "size")
    no.auto("truth")


# --- Predecessor ------------------------------------------------------------------------------------------------------


ALTERNATING = ("r. pow(-1, r)", MEAN, MARK)


FOUND = "r. sum(j, 1, 3, hardmax(l. 2*(r - 1)*l - l^2, 3, j)*1)"
OUT = f"r. relu(({MARK[3:]}) + 0 - 1) + relu(({FOUND[3:]}) - ({MARK[3:]}))"
PREDICTED = f"r. relu(({MARK[3:]}) + 0 - 1) + relu(predheads(j. 1, r) - ({MARK[3:]}))"


def joined_first(g: Goal, at: str, value: str, use: str) -> None:
    """Split relu(first - 1) + relu(value - first), where first and the value are known."""

    def leaf(h: Goal) -> None:
        h.auto([*use.split(), *(k for k in h.facts if k not in before)])

    before = set(g.facts)
    g.apart(f"relu(first({at}) + 0 - 1); relu({value}({at}) - first({at}))", leaf)


def pred_corrected(g: Goal) -> None:
    g.intro("n v pred alternating mean first out (some bound) pred_is run out_is")
    g.use("lem:cookbook.s5.2.first", "n", "alternating", "mean", "first", "#some", "#run", label="mark")
    g.use("pred_is", "1", label="p1").use("mark", "1", label="m1").use("out_is", "1", label="o1").use(
        "bound", "1", label="g1 l1"
    )
    g.use("lem:pred_heads", "1", "v", prefix_bound, label="one later")
    g.use("one", "!", label="value").have("pred(1) = v(1)", "is", use="value p1")
    first, zero, rest = g.split()
    first.hyp("is")
    joined_first(zero, "1", "pred", "is o1 m1 g1 l1")
    rest.intro("i (low high)")
    rest.use("pred_is", "i", label="pi").use("mark", "i", label="mi").use("out_is", "i", label="oi")
    rest.use("lem:pred_heads", "i", "v", prefix_bound, label="one_i later_i")
    rest.use("later_i", "#low", label="value_i").use("bound", "i - 1", label="gi li")
    rest.have("pred(i) = v(i - 1)", "is_i", use="value_i pi")
    yes, no = rest.ind("i = 1", "at truth")
    yes.contra("no").auto("at low")
    same, out = no.split()
    same.hyp("is_i")
    out.have("first(i) = 0", "null", use="mi truth")
    joined_first(out, "i", "pred", "is_i oi null gi li")


def prefix_bound(g: Goal) -> None:
    """1 <= i, and the values at 1..i lie in [0, 1], as those at 1..n do."""
    one, two = g.split()
    one.easy()
    two.intro("jj (jl jh)").use("bound", "jj", label="ge_j le_j").easy()


def other_side(g: Goal, i: str, p: str, less: Tactic, more: Tactic) -> None:
    """From `differ`: i != p on Int, the two sides, each with `step`."""
    low, high = g.em(f"{i} <= {p}", "side")
    strict, same = low.em(f"{i} < {p}", "strict")
    same.have(f"{i} = {p}", "after_all", use="side strict").absurd("after_all", "differ")
    less(strict.use("ax:int_lt", i, p, label="step"))
    more(high.use("ax:int_lt", p, i, label="step"))


def quadratic(p: str) -> Tactic:
    """2 p j - j^2 < 2 p p - p^2 for j != p."""

    def run(h: Goal) -> None:
        h.intro("j inside differ")
        other_side(h, "j", p, lambda e: e.auto("step"), lambda e: e.auto("step"))

    return run


def pred_quadmax(g: Goal) -> None:
    g.intro("n v found alternating mean first out some found_is run out_is")
    rest, set_first = g.split()

    def looked_up(h: Goal) -> Goal:
        h.use("found_is", "i", label="fi").use("lem:cookbook.s5.3.4.argmax", "n", "i - 1", label="best")
        h.use("lem:hard_pick", "l. 2*(i - 1)*l - l^2", "n", "i - 1", "v", None, quadratic("i - 1"), label="picked")
        return h.have("found(i) = v(i - 1)", "is_i", use="fi picked")

    only, value = looked_up(rest.intro("i (low high)")).split()
    only.hyp("best")
    value.hyp("is_i")
    set_first.intro("bound").use(
        "lem:cookbook.s5.2.first", "n", "alternating", "mean", "first", "#some", "#run", label="mark"
    )
    zero, others = set_first.split()
    others.intro("i (low high)").use("mark", "i", label="mi").use("out_is", "i", label="oi")
    looked_up(others.use("bound", "i - 1", label="gi li"))
    yes, no = others.ind("i = 1", "at truth")
    yes.contra("no").auto("at low")
    no.have("first(i) = 0", "null", use="mi truth")
    joined_first(no, "i", "found", "is_i oi null gi li")
    zero.use("mark", "1", label="m1").use("out_is", "1", label="o1").use("found_is", "1", label="f1")
    zero.use("bound", "1", label="g1 l1")

    def less(h: Goal) -> None:
        h.intro("j (jl jh) differ")
        other_side(h, "j", "1", lambda e: e.contra("no").auto("step jl"), lambda e: e.auto("step"))

    zero.use("lem:hard_pick", "l. 2*(1 - 1)*l - l^2", "n", "1", "v", None, less, label="picked")
    zero.have("found(1) = v(1)", "is", use="f1 picked")
    joined_first(zero, "1", "found", "is o1 m1 g1 l1")


def strict_ahat(g: Goal) -> None:
    g.intro("n v some i (low high)").use("ax:inv", "n", label="inverse").have("0 < 1/n", "reciprocal")

    def whole(h: Goal) -> None:
        """Over 1..n, where later positions have score 0."""
        h.intro("j inside differ")
        for e, value in zip(h.ind("j < i", "under truth"), (True, False), strict=True):
            yes, no = e.ind("i - 1 < i", "at one")
            no.absurd("at")
            if not value:
                yes.have("0 < (i - 1)*(1/n)", "more", use="low reciprocal").auto(
                    "truth one more", multipliers=["1/n", "j*(1/n)", "i*(1/n)"]
                )
                continue
            yes.use("ax:int_lt", "j", "i", label="next")
            other_side(yes, "j", "i - 1", above, lambda d: d.contra("no").auto("step next"))

    def above(h: Goal) -> None:
        h.have("0 < (i - 1 - j)*(1/n)", "more", use="step reciprocal")
        h.auto("truth one more", multipliers=["1/n", "j*(1/n)", "i*(1/n)"])

    def row(h: Goal) -> None:
        """Over 1..i - 1."""
        h.intro("j (jl jh) differ")
        other_side(
            h,
            "j",
            "i - 1",
            lambda e: e.have("0 < (i - 1 - j)*(1/n)", "more", use="step reciprocal").auto("more"),
            lambda e: e.contra("no").auto("step jh"),
        )

    g.use("lem:hardmax_unique", "l. I[l < i]*(l/n)", "n", "i - 1", None, whole, label="is_whole")
    g.use(
        "lem:att_pick", "j. hardmax(l. I[l < i]*(l/n), n, j)", "v", "n", "i - 1", None, "#is_whole", label="value_whole"
    )
    g.use("lem:hardmax_unique", "l. l/n", "i - 1", "i - 1", None, row, label="is_row")
    g.use("lem:att_pick", "j. hardmax(l. l/n, i - 1, j)", "v", "i - 1", "i - 1", None, "#is_row", label="value_row")
    for part, fact in zip(g.split(), ("is_whole", "value_whole", "is_row", "value_row"), strict=True):
        part.hyp(fact)


# --- Table 2 ----------------------------------------------------------------------------------------------------------


def t2_predecessor_corrected(g: Goal) -> None:
    g.intro("n v some i (low high)").use("ax:inv", "n", label="inverse").have("0 < 1/n", "reciprocal")
    heads, average, right, left = g.split()
    heads.intro("bound").use("lem:pred_heads", "i", "v", prefix_bound, label="one later").use(
        "later", "#low", label="done"
    )
    heads.hyp("done")
    average.use("lem:cookbook.s5.4.pred_strict_ahat", "n", "v", "#some", "i", label="a b c d").hyp("d")

    def before(h: Goal) -> None:
        h.intro("k (kl kh)").have("0 <= (i - 1 - k)*(1/n)", "more", use="kh reciprocal").auto("more")

    def none(h: Goal) -> None:
        h.intro("k (kl kh)").contra("no").auto("kl kh")

    right.use("lem:rightmost", "l. l/n", "v", "i - 1", "i - 1", None, before, none, label="is value").hyp("value")

    def last(h: Goal) -> None:
        h.intro("k (kl kh) max").use("max", "i - 1", label="above").contra("less")
        h.have("0 < (i - 1 - k)*(1/n)", "more", use="less reciprocal").auto("above more")

    left.have("maximal(l. l/n, i - 1, i - 1)", "best", before)
    left.have("all k in 1..i - 1. maximal(l. l/n, i - 1, k) -> i - 1 <= k", "rest", last)
    left.use("lem:lhardmax_at", "l. l/n", "i - 1", "i - 1", Goal.easy, label="is")
    left.use("lem:att_pick", "j. lhardmax(l. l/n, i - 1, j)", "v", "i - 1", "i - 1", None, "#is", label="done").hyp(
        "done"
    )


def index_lookup(g: Goal) -> None:
    g.intro("n q v gamma B (low high positive bound)")
    hard, left, right, soft = g.split()
    scores = "l. 2*q*l - l^2"
    hard.use("lem:hard_pick", scores, "n", "q", "v", None, quadratic("q"), label="done").hyp("done")
    for h, kind in ((left, "lhardmax"), (right, "rhardmax")):
        h.use("lem:cookbook.s5.3.4.argmax", "n", "q", label="best")
        h.use("best", "q", label="only only_back").use("only_back", "!", label="top")

        def rest(e: Goal) -> None:
            e.intro("k (kl kh) max").use("best", "k", label="to from_").use("to", "#max", label="at").auto("at")

        order = "q <= k" if kind == "lhardmax" else "k <= q"
        h.have(f"all k in 1..n. maximal({scores}, n, k) -> {order}", "rest", rest)
        h.use(f"lem:{kind}_at", scores, "n", "q", Goal.easy, label="is")
        h.use("lem:att_pick", f"j. {kind}({scores}, n, j)", "v", "n", "q", None, "#is", label="done").hyp("done")
    weights = "sm(l. gamma*(2*q*l - l^2), n, j)"
    soft.use("lem:quadratic_l1_simple", "n", "q", "gamma", label="distance")
    soft.use("lem:product_abs", f"j. {weights} - I[j = q]", "v", "n", "B", "#bound", label="error")
    soft.use("lem:sum_delta", "v", "1", "n", "q", label="chosen").use("bound", "q", label="size")
    soft.have("0 <= B", "B_low", lambda h: h.apart("abs(v(q))"))
    soft.have(f"sum(j, 1, n, {weights}*v(j)) - v(q) = sum(j, 1, n, ({weights} - I[j = q])*v(j))", "same", use="chosen")
    soft.rewrite("same").auto("error distance B_low")


# --- Several heads ----------------------------------------------------------------------------------------------------


HEAD = "sum(j, 1, n, alpha({r}, i, j)*headvalue(V, d, {r}, x, c, j))"
STREAM = "f l. z(t + 1 - 1, 0, f, l)"


def added(g: Goal) -> Goal:
    """What layer t + 1 adds at c and i is head t + 1: `head`; from `ih_t`: block 0 is x after layer t."""

    def same(h: Goal) -> None:
        h.intro("c0 c0_range i0 i0_range").use("ih_t", "c0", None, "i0", None, label="x_is rest").auto("x_is")

    g.use("lem:headscore_ext", "Q", "K", "V", "d", "m", "t + 1", "n", "x", STREAM, same, label="scores values")

    def row(h: Goal) -> None:
        h.intro("j j_range").use("scores", "i", None, "j", None, label="here").hyp("here")

    g.use("equal", "t + 1", None, "i", None, row, label="weights")

    def term(h: Goal) -> None:
        h.intro("j j_range").use("weights", "j", label="weight").use("values", "c", "j", None, label="value")
        h.rewrite("weight").rewrite("value").true()

    old = "j. " + "alpha(t + 1, i, j)*headvalue(V, d, t + 1, x, c, j)"
    new = "j. " + f"beta(t + 1, i, j)*headvalue(V, d, t + 1, {STREAM}, c, j)"
    return g.use("lem:sum_ext", old, new, "1", "n", term, label="head")


def multihead(g: Goal) -> None:
    g.intro("H n d m Q K V x alpha beta z y (H_low n_low d_low m_low) equal start step y_is")
    claim = (
        "all t:Int. 0 <= t -> t <= H -> all c in 1..d. all i in 1..n. z(t, 0, c, i) = x(c, i)"
        f" & all r in 1..H. z(t, r, c, i) = I[r <= t]*{HEAD.format(r='r')}"
    )

    def induction(h: Goal) -> None:
        base, up = h.induct("t", "ge", "ih")
        base.intro("fits c c_range i i_range").use("start", "c", None, "i", None, label="x_is null")
        a, b = base.split()
        a.hyp("x_is")
        b.intro("r (rl rh)").use("null", "r", label="here")
        yes, no = b.ind("r <= 0", "side value")
        yes.contra("no").auto("side rl")
        no.auto("here value", multipliers=[HEAD.format(r="r")], rounds=0)
        up.intro("fits c c_range i i_range").use("ih", None, label="ih_t", premises=1)
        added(up).use("ih_t", "c", None, "i", None, label="x_is rest")
        a, b = up.split()
        a.use("step", "t + 1", None, "0", None, "c", None, "i", None, label="new")
        yes, no = a.ind("0 = t + 1", "at value")
        yes.contra("no").auto("at ge")
        no.auto("new value x_is", multipliers=[ADDED], rounds=0)
        b.intro("r (rl rh)").use("step", "t + 1", None, "r", None, "c", None, "i", None, label="new").use(
            "rest", "r", label="was"
        )
        for e in b.ind("r = t + 1", "at value_at"):
            for f in e.ind("r <= t", "below value_below"):
                for k in f.ind("r <= t + 1", "upto value_upto"):
                    if k.try_contradiction():
                        continue
                    if k.facts["at"][0] == "=":
                        k.rewrite("at", "new", "new_at").rewrite("at", "was", "was_at").rewrite(
                            "at", "value_below", "vb"
                        )
                        k.rewrite("at", "value_upto", "vu").rewrite("at")
                        k.auto("new_at was_at vb vu head", multipliers=[HEAD.format(r="(t + 1)")], rounds=0)
                        continue
                    if k.facts["below"][0] != k.facts["upto"][0]:  # t < r <= t + 1
                        k.use("ax:int_lt", "t", "r", label="next").have("r = t + 1", "after_all", use="next upto")
                        k.absurd("after_all", "at")
                        continue
                    k.auto("new was value_at value_below value_upto", multipliers=[HEAD.format(r="r"), ADDED], rounds=0)

    g.have(claim, "all_t", induction).use("all_t", "H", label="end")
    g.intro("c c_range i i_range").use("y_is", "c", None, "i", None, label="is").use(
        "end", "c", None, "i", None, label="x_is rest"
    )

    def term(h: Goal) -> None:
        h.intro("r (rl rh)").use("rest", "r", label="was")
        yes, no = h.ind("r <= H", "side value")
        no.contra("no").auto("side rh")
        yes.have(
            f"z(H, r, c, i) = {HEAD.format(r='r')}",
            "z_is",
            lambda e: e.auto("was value", multipliers=[HEAD.format(r="r")], rounds=0),
        )
        yes.have("relu(z(H, r, c, i)) - relu(-z(H, r, c, i)) = z(H, r, c, i)", "pair", lambda e: e.apart(
            "relu(z(H, r, c, i)); relu(-z(H, r, c, i))"))  # fmt: skip
        yes.auto("pair z_is")

    g.use(
        "lem:sum_ext",
        "r. relu(z(H, r, c, i)) - relu(-z(H, r, c, i))",
        f"r. {HEAD.format(r='r')}",
        "1",
        "H",
        term,
        label="sum",
    )
    g.auto("is sum")


def t2_multihead(g: Goal) -> None:
    g.intro("H n d m Q K V x alpha beta z y some kind start step y_is")
    new = "l. headscore(Q, K, d, m, h, f t. z(h - 1, 0, f, t), i, l)".replace(
        "(f t. z(h - 1, 0, f, t))", "f t. z(h - 1, 0, f, t)"
    )

    def equal(h: Goal) -> None:
        h.intro("h h_range i i_range same")
        for e, lemma in zip(h.cases("kind", "weights"), ("sm", "hardmax", "lhardmax", "rhardmax"), strict=True):
            e.intro("j j_range").use("weights", "h", None, "i", None, "j", None, label="a_is b_is")
            e.use(f"lem:{lemma}_ext", "l. headscore(Q, K, d, m, h, x, i, l)", new, "n", "#same", "j", None,
                  label="count rest" if lemma == "hardmax" else "rest")  # fmt: skip
            e.rewrite("a_is").rewrite("b_is").hyp("rest")

    g.use("lem:cookbook.s5.5.multihead", "H", "n", "d", "m", "Q", "K", "V", "x", "alpha", "beta", "z", "y", "#some",
          equal, "#start", "#step", "#y_is", label="done").hyp("done")  # fmt: skip


def heads(g: Goal) -> None:
    """Two blocks: x, and the sum of the heads so far."""
    g.intro("H n d m Q K V x alpha beta z (H_low n_low d_low m_low) equal start step")
    head_r = HEAD.format(r="r")
    claim = (
        "all t:Int. 0 <= t -> t <= H -> all c in 1..d. all i in 1..n. z(t, 0, c, i) = x(c, i)"
        f" & z(t, 1, c, i) = sum(r, 1, t, {head_r})"
    )

    def induction(h: Goal) -> None:
        base, up = h.induct("t", "ge", "ih")
        base.intro("fits c c_range i i_range").use("start", "c", None, "i", None, label="x_is null").easy()
        up.intro("fits c c_range i i_range").use("ih", None, label="ih_t", premises=1)
        added(up).use("ih_t", "c", None, "i", None, label="x_is was")
        a, b = up.split()
        a.use("step", "t + 1", None, "0", None, "c", None, "i", None, label="new").auto("new x_is")
        b.use("step", "t + 1", None, "1", None, "c", None, "i", None, label="new")
        b.use("ax:sum_step", f"r. {head_r}", "1", "t + 1", label="last").auto("new was head last")

    g.have(claim, "all_t", induction).use("all_t", "H", label="end")
    g.intro("c c_range i i_range").use("end", "c", None, "i", None, label="x_is sum").auto("x_is sum")


def heads_leaf(g: Goal) -> None:
    """The stream I[r = 0]: block 0 holds 1, all others 0."""
    if g.goal[0] != "all":
        g.blast()
        return
    g.intro_all()
    parts = g.split() if g.goal[0] == "&" else [g]
    for h in parts:
        h.intro_all()
        if not h.try_auto():
            name = [n for n in h.scope][-1]
            for e in h.ind(f"{name} = 0", "at value"):
                if not e.try_contradiction():
                    e.auto()


# --- Stored models without a recipe -----------------------------------------------------------------------------------


def head_of(g: Goal, name: str, sign: str) -> Goal:
    """`name`_head: the coordinate is evenhead or oddhead of the values, at i."""
    scores = f"l. (one(i))*({sign}alternating(l))"
    weight = scores.partition(". ")[2]
    cond = f"all k in 1..i. {weight.replace('(l)', '(k)')} <= {weight.replace('(l)', '(j)')}"
    cond += f" & (j < k -> {weight.replace('(l)', '(k)')} < {weight.replace('(l)', '(j)')})"
    hard = f"rhardmax({scores}, i, j)"
    g.use(f"{name}_is", "i", label=f"{name}_at").use("lem:rightmost_run", scores, "i", label=f"{name}_weights")

    def term(h: Goal) -> None:
        h.intro("j j_range").use(f"{name}_weights", "j", label="here").rewrite("here").true()

    g.use("lem:sum_ext", f"j. I[{cond}]*value(j)", f"j. {hard}*value(j)", "1", "i", term, label=f"{name}_sum")

    def same(h: Goal) -> None:
        h.intro("m (ml mh)").use("one_is", "i", label="unit").use("alternating_is", "m", label="here")
        h.auto("unit here", multipliers=["alternating(m)"])

    g.use("lem:rhardmax_ext", scores, f"l. {sign}pow(-1, l)", "i", same, label=f"{name}_ext")

    def final(h: Goal) -> None:
        h.intro("j j_range").use(f"{name}_ext", "j", label="here").rewrite("here").true()

    g.use("lem:sum_ext", f"j. {hard}*value(j)", f"j. rhardmax(l. {sign}pow(-1, l), i, j)*value(j)", "1", "i", final,
          label=f"{name}_final")  # fmt: skip
    kind = "oddhead" if sign == "" else "evenhead"
    return g.have(f"{name}(i) = {kind}(value, i)", f"{name}_head", use=f"{name}_at {name}_sum {name}_final")


def coordinates() -> list[str]:
    """What the model of the predecessor computes of three ones."""
    best = "all k in 1..i. (1)*({0}pow(-1, k)) <= (1)*({0}pow(-1, j))"
    odds, evens = (
        f"sum(j, 1, i, I[{best.format(s)} & (j < k -> (1)*({s}pow(-1, k)) < (1)*({s}pow(-1, j)))]*1)" for s in ("", "-")
    )
    mean = "(sum(j, 1, i, -pow(-1, j))/i)"
    first = f"(3*relu({mean} + (-1/3)) + (-3)*relu({mean} + (-2/3)))"
    even = "(relu(pow(-1, i)) + -relu(pow(-1, i) + (-1)))"
    pred = f"(relu({even} + {evens} + (-1)) + relu(-{even} + {odds}))"
    out = f"relu({first} + (-1)) + relu(-{first} + {pred})"
    return [f"i. {text}" for text in ("1", "1", "pow(-1, i)", odds, evens, mean, first, even, pred, out)]


def model_predecessor(g: Goal) -> None:
    g.intro("n value one alternating odds evens mean first even pred out (some bound)")
    g.intro("(one_is alternating_is odds_is evens_is mean_is first_is even_is pred_is out_is)")

    def preds(h: Goal) -> None:
        h.intro("i (low high)")
        head_of(head_of(h, "odds", ""), "evens", "-")
        h.use("alternating_is", "i", label="sign").use("even_is", "i", label="bit").use("pred_is", "i", label="at")
        h.rewrite("sign", "bit", "bit_at").rewrite("bit_at", "at", "p1").rewrite("odds_head", "p1", "p2")
        h.rewrite("evens_head", "p2", "p3").hyp("p3")

    g.have("all i in 1..n. pred(i) = predheads(value, i)", "pred_all", preds)
    g.use("lem:cookbook.s5.4.pred_formula.corrected", "n", "value", "pred", "alternating", "mean", "first", "out",
          Goal.easy, "#pred_all", Goal.easy, Goal.easy, label="first_pred first_out rest")  # fmt: skip
    a, b = g.split()
    a.hyp("first_out")
    b.intro("i i_range").use("rest", "i", label="p o").hyp("o")


def sign_leaf(g: Goal) -> None:
    if "sqrt" in g.text(g.goal):
        g.use("lem:sqrt_equals", "((0 - 1)^2 + (2 - 1)^2)/2", "1", label="root").easy()
    else:
        g.blast()


def sign_norm(g: Goal) -> None:
    g.intro("x y z1_x z1_y mu1 dev1 y1_x y1_y (zx zy mean dev yx null_x yy null_y)")
    g.rewrite("zx", "mean", "m1").rewrite("zy", "m1", "m2")
    g.rewrite("zx", "dev", "d1").rewrite("zy", "d1", "d2").rewrite("m2", "d2", "d3")
    g.rewrite("zx", "yx", "a1").rewrite("zy", "yy", "b1")
    less, rest = g.em("x < y", "side")
    more, equal = rest.em("y < x", "other")
    for h, root in ((less, "(y - x)/2"), (more, "(x - y)/2"), (equal, "0")):
        radicand = "((x - (x + y)/2)^2 + (y - (x + y)/2)^2)/2"
        if h is equal:
            h.have("x = y", "same", use="side other")
            h.rewrite("same", "d3", "d4").use(
                "lem:sqrt_equals", "((y - (y + y)/2)^2 + (y - (y + y)/2)^2)/2", "0", label="root"
            )
            h.have("dev1 = 0", "flat", use="d4 root").use("null_x", "#flat", label="zero_x").use(
                "null_y", "#flat", label="zero_y"
            )
            h.rewrite("same")
            for e in h.split():
                e.auto("zero_x zero_y")
            continue
        h.use("lem:sqrt_equals", radicand, root, label="root").have(f"dev1 = {root}", "dev_is", use="d3 root")
        up = "y - x" if h is less else "x - y"
        h.have(f"0 < {up}", "apart").use("ax:inv", up, label="inverse")
        sign = "-1" if h is less else "1"
        h.have(f"y1_x*({up}) = {sign}*({up})", "times_x", use="a1 m2 dev_is", multipliers=["y1_x"])
        h.have(f"y1_y*({up}) = -({sign})*({up})", "times_y", use="b1 m2 dev_is", multipliers=["y1_y"])
        h.have(f"y1_x = {sign}", "is_x", use="times_x inverse", multipliers=["y1_x", f"1/({up})"], rounds=0)
        h.have(f"y1_y = -({sign})", "is_y", use="times_y inverse", multipliers=["y1_y", f"1/({up})"], rounds=0)
        for e in h.split():
            for a in e.ind("y < x", "gt vg"):
                for b in a.ind("x < y", "lt vl"):
                    if not b.try_contradiction():
                        b.auto("is_x is_y vg vl")


# --- yang2026, Proposition 10 -----------------------------------------------------------------------------------------


def suffix_signs(g: Goal) -> Goal:
    """`c_size`: the attention output times the size of its window is (-1)^(i - 1) - (-1)^n, halved."""

    def size(h: Goal) -> None:
        h.intro("i (low high)").use("c_is", "i", label="at").use("lem:past_signs", "n", "i", label="signs")

        def null(e: Goal) -> None:
            e.intro("j (jl jh)").use("zero", "j", label="here").hyp("here")

        h.use("lem:past_uniform", "s", "j. pow(-1, j + 1)", "i", "n", None, null, label="total mean")
        h.use("ax:inv", "n - i + 1", label="inverse")
        h.auto("at signs mean inverse", rounds=0, multipliers=["n - i + 1", "sum(j, i, n, pow(-1, j + 1))"])

    return g.have("all i in 1..n. c(i)*(n - i + 1) = (pow(-1, i - 1) - pow(-1, n))/2", "c_size", size)


def prop10b(g: Goal) -> None:
    suffix_signs(g.intro("n s c f some zero c_is f_is"))
    g.use("c_size", "n", label="last").use("ax:pow_step", "-1", "n - 1", label="step").use(
        "lem:sign", "n - 1", label="sign"
    )

    def end(h: Goal) -> None:
        for e, side in zip(h.cases("sign", "is"), ("left", "right"), strict=True):
            e.pick(side).auto("last step is")

    def inner(h: Goal) -> None:
        h.intro("i (low high)").use("c_size", "i", label="size")
        h.use("lem:sign", "i - 1", label="sign_i").use("lem:sign", "n", label="sign_n")
        near, far = h.em("n <= i + 1", "side")
        near.have("n = i + 1", "at", use="side high").rewrite("at", "size", "size_at")
        near.use("ax:pow_step", "-1", "i - 1", label="s1").use("ax:pow_step", "-1", "i", label="s2")
        near.have("c(i) = 0", "null", use="size_at s1 s2")
        for e in near.split():
            e.auto("null")
        far.use("ax:int_lt", "i + 1", "n", label="three")
        for a in far.cases("sign_i", "is_i"):
            for b in a.cases("sign_n", "is_n"):
                for e in b.split():
                    e.contra("no").auto("no size is_i is_n three")

    g.have("c(n) = 1 | c(n) = -1", "end", end).have("all i in 1..n - 1. -1/3 <= c(i) & c(i) <= 1/3", "inner", inner)
    a, b, f = g.split()
    a.hyp("end")
    b.hyp("inner")
    f.intro("i (low high)").use("f_is", "i", label="is")
    marks_ = "relu(c({0}) - 1/3); relu(c({0}) - 2/3); relu(-c({0}) - 1/3); relu(-c({0}) - 2/3)"
    yes, no = f.ind("i = n", "at value")
    yes.rewrite("at", "is", "is_n").rewrite("at", "value", "value_n").rewrite("at")
    for h in yes.cases("end", "c_at"):
        h.apart(marks_.format("n"))
    strict, same = no.em("i < n", "before")
    same.have("i = n", "after_all", use="before high").absurd("after_all", "at")
    strict.use("ax:int_lt", "i", "n", label="next").use("inner", "i", label="ge le")
    strict.apart(marks_.format("i"), lambda h: h.auto(degree=1, rounds=0))


C_SUFFIX = "sum(j, {0}, 3, exp(0)/sum(k, {0}, 3, exp(0))*pow(-1, j + 1))"
F_SUFFIX = f"firstmark({C_SUFFIX}) + firstmark(-{C_SUFFIX})"
SUFFIX = [f"i. {text.format('i')}" for text in (C_SUFFIX, F_SUFFIX)]
HEADS = ("2", "2", "1", "1", "h a b. 0", "h a b. 0", "h a b. 0", "c i. 1")

ADDED = f"sum(j, 1, n, beta(t + 1, i, j)*headvalue(V, d, t + 1, {STREAM}, c, j))"


SCRIPTS: dict[str, Script | Tactic] = {
    "model.predecessor": Script(model_predecessor, inhabits("3", *coordinates(), "2")),
    "model.sign-norm": Script(
        sign_norm,
        inhabits("0", "2", "0", "2", "1", "1", "-1", "1", leaf=sign_leaf),
        lambda g: g.leaves(
            "x y z1_x z1_y mu1 dev1 y1_x y1_y", lambda h: h.auto(squares=["z1_x - mu1", "z1_y - mu1"], degree=1)
        ),
    ),
    "cookbook.s5.5.multihead": Script(
        multihead,
        inhabits(*HEADS, "h i j. 0", "h i j. 0", "h r c i. I[r = 0]", "c i. 0", "1", "1", leaf=heads_leaf),
    ),
    "cookbook.t2.multihead": Script(
        t2_multihead,
        inhabits(*HEADS, "h i j. 1/2", "h i j. 1/2", "h r c i. I[r = 0]", "c i. 0", "1", "1", leaf=heads_leaf),
        normalisers("H n d m Q K V x alpha beta z y"),
    ),
    "yang2026.prop10b": Script(prop10b, inhabits("3", "j. 0", *SUFFIX, "2"), normalisers("n s c f")),
    "lem.pred_heads": pred_heads,
    "cookbook.t2.first.corrected": Script(
        t2_first_corrected,
        inhabits("j. 0", "j. 1", "1"),
        normalisers("s v"),
    ),
    "cookbook.s5.4.pred_formula.corrected": Script(
        pred_corrected,
        inhabits("3", "j. 1", "i. predheads(j. 1, i)", *ALTERNATING, PREDICTED, "2"),
    ),
    "cookbook.s5.4.pred_strict_ahat": Script(
        strict_ahat,
        inhabits("3", "j. 2", "2", "1"),
        normalisers("n v"),
    ),
    "cookbook.t2.predecessor.corrected": Script(
        t2_predecessor_corrected,
        inhabits("3", "j. 1", "2"),
        normalisers("n v"),
    ),
    "cookbook.t2.index_lookup": Script(
        index_lookup,
        inhabits("3", "1", "j. 1", "1", "1"),
        normalisers("n q v gamma B"),
    ),
    "cookbook.s5.4.pred_quadmax": Script(
        pred_quadmax,
        inhabits("3", "j. 1", FOUND, *ALTERNATING, OUT, "2", "1"),
        normalisers("n v found alternating mean first out"),
    ),
}
