"""Claims of merrill2024: the layer-norm hash, the tie-breaking term, lookups by saturated attention."""

from __future__ import annotations

from script import Script, witnesses

from symcook.proof.search.tactics import Goal, Tactic


def root(g: Goal, x: str, label: str) -> Goal:
    """Facts about r = sqrt(2x^2 + 2) and its inverse: ``label_p _e _i _n _u``."""
    return g.use("lem:lnhash_root", x, label=" ".join(f"{label}_{k}" for k in "peinu"))


# --- Definition 6 and its closed form ---------------------------------------------------------------------------------


def both(h: Goal, *labels: str) -> None:
    for part, label in zip(h.split(), labels, strict=True):
        part.hyp(label)


# --- Claims: layer norm, Definitions 6 and 7, Lemmas 9 and 10 ---------------------------------------------------------


# --- Claims: reading a tape from the rightmost match ------------------------------------------------------------------


# Positions 1000, 1001, ..., 1001, 1000: the early match loses more by the tie-breaking term than it gains.


def output(g: Goal) -> None:
    g.intro("f g h key wrote stop i (first more) (small large) two late start steps moved right keys key_i")
    g.use("right", "i", label="i_is")

    def walk(h: Goal) -> None:
        h.intro("j (jl jh)")
        before, after = h.em("j <= stop - 1", "side")
        before.use("steps", "j", label="down up")
        both(before, "down", "up")
        after.use("ax:int_lt", "stop - 1", "j", label="step")
        after.use("right", "j", label="here").use("right", "j + 1", label="next")
        for e in after.split():
            e.auto("here next", degree=1)

    def moves(h: Goal) -> None:
        halting, later = h.em("i <= stop", "side")
        halting.have("i = stop", "is").rewrite("is").hyp("moved")
        later.use("ax:int_lt", "stop", "i", label="step").use("right", "i - 1", label="before")
        later.intro("same").auto("same before i_is", degree=1)

    known = (lambda h: both(h, "first", "more")), (lambda h: both(h, "small", "large"))
    claim = "lem:merrill2024.thm2.worktape.corrected"
    g.use(
        claim,
        "f",
        "g",
        "h",
        "key",
        "wrote",
        "i",
        *known,
        None,
        "#start",
        walk,
        moves,
        "#keys",
        "#key_i",
        label="found none",
    )

    def beyond(h: Goal, seen: str) -> None:
        """A position from the halting step on is to the left of h(i)."""
        h.use("ax:int_lt", "stop - 1", seen, label="step").use("right", seen, label="here")
        h.intro("same").auto("same here i_is " + ("kh" if seen == "k" else "jh"), degree=1)

    def unseen(h: Goal) -> None:
        h.intro("k (kl kh)")
        before, after = h.em("k <= stop - 1", "side")
        before.use("last", "k", label="goal").hyp("goal")
        beyond(after, "k")

    def never(h: Goal) -> None:
        h.intro("j (jl jh)")
        before, after = h.em("j <= stop - 1", "side")
        before.use("absent", "j", label="goal").hyp("goal")
        beyond(after, "j")

    first, second = g.split()
    first.intro("p (pl ph) (match last)").have("all k in p + 1..i - 1. h(k) != h(i)", "unseen", unseen)
    first.use("found", "p", None, lambda h: both(h, "match", "unseen"), label="goal").hyp("goal")
    second.intro("absent equal").use("none", never, "#equal", label="wrong").absurd("wrong")


# --- Claims: reading the input tape -----------------------------------------------------------------------------------


def input_highest(g: Goal, weight: str) -> Goal:
    """Where 1 <= h(i) <= n (`low`, `high`): the score is highest at h(i) alone, as ``highest``."""
    g.use("lem:input_low", weight, "n", "h", "i", "h(i)", "#late", "#low", "#high", label="best_s best_k")
    g.use("lem:lnhash_one", "h(i)", "h(i)", label="self s2 s3 s4")

    def less(h: Goal) -> None:
        h.intro("j (jl jh) differ")
        near, beyond = h.em("j <= n", "side")
        near.use("lem:input_low", weight, "n", "h", "i", "j", "#late", "#jl", "#side", label="here_s here_k")
        near.use("lem:lnhash_one", "h(i)", "j", label="o1 o2 o3 o4")
        near.have(
            "h(i) != j",
            "apart",
            lambda e: e.intro("same").have("j = h(i)", "back", use="same").absurd("back", "differ"),
        )
        near.use("o4", "#apart", label="below").auto("below here_s best_s self", degree=1, rounds=0)
        beyond.use("lem:input_high", weight, "n", "h", "i", "j", "#late", "#side", label="here_s here_k")
        beyond.use("lem:lnhash_one", "h(i)", "h(j)", label="o1 o2 o3 o4").auto(
            "o2 here_s best_s self", degree=1, rounds=0
        )

    goal = f"all j in 1..i - 1. j != h(i) -> inputscore({weight}, n, h, i, j) < inputscore({weight}, n, h, i, h(i))"
    return g.have(goal, "highest", less)


def input_returned(g: Goal, weight: str, value: str) -> Goal:
    """The head returns the value of token h(i), as ``out_e`` and ``out_d``."""
    scores = f"l. inputscore({weight}, n, h, i, l)"
    g.have("h(i) <= i - 1", "seen", lambda h: h.use("ax:int_lt", "n", "i", label="next").auto("next high", degree=1))
    g.have("1 <= i - 1", "room", use="seen low", degree=1)
    g.use("lem:hardmax_unique", scores, "i - 1", "h(i)", lambda h: both(h, "low", "seen"), "#highest", label="only")

    def same(h: Goal) -> None:
        h.intro("j inside").use("only", "j", label="here").rewrite("here").true()

    g.use(
        "lem:sum_ext",
        f"j. hardmax({scores}, i - 1, j)*({value})",
        f"j. I[j = h(i)]*({value})",
        "1",
        "i - 1",
        same,
        label="out_e",
    )
    return g.use("lem:sum_delta", f"j. {value}", "1", "i - 1", "h(i)", lambda h: both(h, "low", "seen"), label="out_d")


def lemma3(g: Goal) -> None:
    g.intro("n h i some late")
    there, back = g.split()
    there.intro("(low high) c (cl ch)")
    input_returned(input_highest(there, "2"), "2", "inputkey(n, h, j, c)")
    there.use("lem:input_high", "2", "n", "h", "i", "i", "#late", "#late", label="i_s i_k").use(
        "i_k", "c", label="i_is"
    )
    there.use("best_k", "c", label="p_is").auto("out_e out_d i_is p_is", degree=1, rounds=0)
    back.intro("equal").use("equal", "1", "!", label="first_c")
    back.use("lem:input_high", "2", "n", "h", "i", "i", "#late", "#late", label="i_s i_k").use(
        "i_k", "1", "!", label="i_is"
    )
    back.have("1 <= i - 1", "room", lambda h: h.use("ax:int_lt", "n", "i", label="next").auto("next some", degree=1))
    back.use("lem:hardmax_total", "l. inputscore(2, n, h, i, l)", "i - 1", label="ge total beaten positive")
    right, left = back.em("1 <= h(i)", "low")
    inside, beyond = right.em("h(i) <= n", "high")
    both(inside, "low", "high")
    outside(left, "").contra("no").auto("mean first_c i_is", degree=1, rounds=0)
    outside(beyond, "-").contra("no").auto("mean first_c i_is", degree=1, rounds=0)


def outside(g: Goal, sign: str) -> Goal:
    """All input positions are on one side of h(i), and decoding tokens have weight 0: the mean lies on that side."""

    def apart(e: Goal) -> None:
        e.intro("j (jl jh)")
        near, late = e.em("j <= n", "side")
        near.use("lem:input_low", "2", "n", "h", "i", "j", "#late", "#jl", "#side", label="here_s here_k").use(
            "here_k", "1", "!", label="key"
        )
        near.pick("right").use("lem:lnhash_first", *(("j", "h(i)") if sign else ("h(i)", "j")), label="less")
        near.auto("less key", degree=1, rounds=0)
        late.use("lem:input_high", "2", "n", "h", "i", "j", "#late", "#side", label="here_s here_k")
        late.use("lem:lnhash_one", "h(i)", "h(j)", label="a1 a2 a3 a4").use(
            "lem:lnhash_one", "h(i)", "1", label="b1 b2 b3 b4"
        )
        late.use("lem:input_low", "2", "n", "h", "i", "1", "#late", "!", "#some", label="one_s one_k").pick("left")
        late.have("inputscore(2, n, h, i, j) < inputscore(2, n, h, i, 1)", "less", use="here_s one_s a2 b3", degree=1)
        late.use("beaten", "j", None, lambda h: h.witness("1").easy(), label="goal").hyp("goal")

    z = f"j. {sign}inputkey(n, h, j, 1)"
    return g.use(
        "lem:mean_above",
        "j. hardmax(l. inputscore(2, n, h, i, l), i - 1, j)",
        z,
        "i - 1",
        f"{sign}unithash(h(i), 1, 1)",
        "#ge",
        "#total",
        apart,
        label="mean",
    )


# A head that goes left from 0 to -3 and comes back: it meets -2 twice, outside of the input.
LEFT = "k. 2 - k + 2*I[k = 6]"
LEFT_SCORES = f"l. inputscore(1, 1, {LEFT}, 6, l)"


def lemma3_refuted(g: Goal) -> None:
    g.intro("claim").use("claim", "1", LEFT, "6", "!", "!", label="there back")
    g.use("lem:lnhash_one", "-2", "1", label="d1 d2 d3 d4").use("lem:lnhash_one", "-2", "-2", label="self s2 s3 s4")
    root(root(g, "-2", "a"), "1", "b").have("hashdot(-2, 1) < 0", "minus", use="a_i b_i", degree=2)
    g.use("lem:input_high", "1", "1", LEFT, "6", "4", "!", "!", label="best_s best_k")
    g.use("lem:input_high", "1", "1", LEFT, "6", "6", "!", "!", label="last_s last_k")

    def less(h: Goal) -> None:
        h.intro("j (jl jh) differ")
        for n in (1, 2, 3, 4, 5):
            e, h = h.em(f"j <= {n}", f"at{n}")
            h.use("ax:int_lt", str(n), "j", label=f"over{n}")
            e.have(f"j = {n}", "j_is")
            if n == 4:
                e.absurd("j_is", "differ")
                continue
            e.rewrite("j_is")
            if n == 1:
                e.use("lem:input_low", "1", "1", LEFT, "6", "1", "!", "!", "!", label="here_s here_k")
                e.auto("here_s best_s minus self", degree=1, rounds=0)
            else:
                e.use("lem:input_high", "1", "1", LEFT, "6", str(n), "!", "!", label="here_s here_k")
                e.use("lem:lnhash_one", "-2", str(2 - n), label="e1 e2 e3 e4").use("e4", "!", label="below")
                e.auto("here_s best_s below self", degree=1, rounds=0)
        h.contra("no").auto("over5 jh", degree=1)

    g.use("lem:hardmax_unique", LEFT_SCORES, "5", "4", "!", less, label="only")

    def output(h: Goal) -> None:
        h.intro("c (cl ch)")

        def same(e: Goal) -> None:
            e.intro("j inside").use("only", "j", label="here").rewrite("here").true()

        value = f"inputkey(1, {LEFT}, j, c)"
        h.use(
            "lem:sum_ext",
            f"j. hardmax({LEFT_SCORES}, 5, j)*{value}",
            f"j. I[j = 4]*{value}",
            "1",
            "5",
            same,
            label="out_e",
        )
        h.use("lem:sum_delta", f"j. {value}", "1", "5", "4", label="out_d")
        h.use("best_k", "c", label="p_is").use("last_k", "c", label="i_is").auto(
            "out_e out_d p_is i_is", degree=1, rounds=0
        )

    g.use("back", output, label="wrong low").absurd("wrong")


def lookup_defined(names: str, attention: str = "", size: str = "i - 1") -> Tactic:
    """D of statements about lookups: roots of hashes, and the normaliser of the attention."""

    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        fact = list(h.facts)[-1]
        text = h.text(h.goal if h.goal[0] != "false" else h.facts[fact])
        use = [] if h.goal[0] != "false" else [fact]
        squares: list[str] = []
        ints = [n for n, sort in h.scope.items() if sort == "Int"]
        if "i^4" in text:
            h.have("0 < i^2", "square").have("0 < i^4", "quartic", use="square").auto(
                [*use, "quartic"], degree=1, rounds=0
            )
            return
        if "I[all" in text:
            h.use("lem:hardmax_total", attention, size, label="w1 w2 w3 positive").auto(
                [*use, "positive"], degree=1, rounds=0
            )
            return
        for n in ints:
            if f"g({n})" in text:
                root(h, f"g({n})", f"g{n}")
                use += [f"g{n}_{k}" for k in "pei"]
                squares.append(f"g({n})")
            elif f"key({n})/{n}" in text:
                h.use("lem:lnhash_plane", f"key({n})", n, label=f"{n}_z {n}_s")
                use += [f"{n}_z", f"{n}_s"]
            elif f"h({n})/{n}" in text:
                h.use("lem:lnhash_plane", f"h({n})", n, label=f"{n}_z {n}_s")
                use += [f"{n}_z", f"{n}_s"]
            else:
                for x in (n, f"h({n})", f"h(h({n}))"):
                    if x in text:
                        label = f"r{len(use)}"
                        root(h, x, label)
                        use += [f"{label}_{k}" for k in "pei"]
                        squares.append(x)
        h.auto(use, degree=1, rounds=0, squares=squares)

    return lambda g: g.leaves(names, leaf)


# --- Claims: Theorems 1 and 2, step by step ---------------------------------------------------------------------------


def value(g: Goal, token: str, fact: str, low: bool) -> Goal:
    """I[1 <= token & token <= n] is 1 or 0, as ``token_key``."""
    inside = f"1 <= {token} & {token} <= n"

    def prove(h: Goal) -> None:
        for e in h.ind(inside, "in is"):
            if ("in" in e.facts) != low:
                e.hyp("is")
            elif low:
                e.absurd(fact, "in")
            else:
                e.contra("no").auto(["in_2", fact], degree=1)

    return g.have(f"I[{inside}] = {1 if low else 0}", f"{token}_key", prove)


# --- Proposition 1 ----------------------------------------------------------------------------------------------------


PADDED = "layernorm(e. p({0}, e), k*r, c)"
PLAIN = "layernorm(e. x({0}, e), r, c)"


def written(g: Goal) -> Goal:
    """Block q holds the layer norm of row q after k layers, as ``blocks``; blocks have norm 1, as ``unit``."""
    g.have("r <= k*r", "fits", lambda h: h.have("0 <= (k - 1)*r", "room", use="kl rl").auto("room"))

    def row(h: Goal) -> None:
        h.intro("q q_in").use("vary", "q", label="vary_q").use("pad", "q", label="front back")
        h.use(
            "lem:layernorm_padded",
            "l. x(q, l)",
            "l. p(q, l)",
            "r",
            "k*r",
            "#rl",
            "#fits",
            "#vary_q",
            "#front",
            "#back",
            label="root same",
        )
        h.hyp("same")

    g.have(f"all q in 1..k. all c in 1..r. {PADDED.format('q')} = {PLAIN.format('q')}", "rows", row)

    def layers(h: Goal) -> None:
        base, step = h.induct("l", "ge", "is")
        base.intro("room q (ql qh) c c_in").use("start", "q", None, "c", label="here")
        for e in base.ind("q <= 0", "in v"):
            e.auto("here v", rounds=0, multipliers=[PLAIN.format("q")]) if e.text(
                e.facts["in"]
            ) != "q <= 0" else e.contra("no").auto("in ql", degree=1)
        step.intro("room q (ql qh) c c_in").use(
            "is", lambda e: e.auto("room", degree=1), "q", None, "c", "#c_in", label="before"
        )
        bounds = lambda e: [a.auto("room ge", degree=1) for a in e.split()]  # noqa: E731
        step.use("write", "l + 1", bounds, "q", None, "c", "#c_in", label="here").use(
            "rows", "l + 1", bounds, "c", "#c_in", label="row"
        )
        step.use("lem:relu_pair", PADDED.format("l + 1"), label="pair rest")
        for e in step.ind("q = l + 1", "at v"):
            for f in e.ind("q <= l", "old ov"):
                for a in f.ind("q <= l + 1", "now nv"):
                    if a.try_contradiction():
                        continue
                    if a.facts["at"][0] == "=":
                        a.have(
                            f"{PLAIN.format('q')} = {PLAIN.format('l + 1')}", "same", lambda b: b.rewrite("at").true()
                        )
                        a.auto(
                            "here before row pair v ov nv same",
                            rounds=0,
                            multipliers=[
                                "1",
                                PLAIN.format("q"),
                                f"relu({PADDED.format('l + 1')})",
                                f"relu(-{PADDED.format('l + 1')})",
                            ],
                        )
                    elif "old" in a.facts and a.text(a.facts["old"]) == "q <= l":
                        a.auto(
                            "here before v ov nv",
                            rounds=0,
                            multipliers=[
                                "1",
                                PLAIN.format("q"),
                                f"relu({PADDED.format('l + 1')})",
                                f"relu(-{PADDED.format('l + 1')})",
                            ],
                        )
                    elif a.text(a.facts["now"]) == "q <= l + 1":
                        a.use("ax:int_lt", "l", "q", label="step").have(
                            "q = l + 1", "after_all", use="step now"
                        ).absurd("after_all", "at")
                    else:
                        a.auto(
                            "here before v ov nv",
                            rounds=0,
                            multipliers=[
                                "1",
                                PLAIN.format("q"),
                                f"relu({PADDED.format('l + 1')})",
                                f"relu(-{PADDED.format('l + 1')})",
                            ],
                        )

    form = f"all q in 1..k. all c in 1..r. block(l, q, c) = I[q <= l]*{PLAIN.format('q')}"
    g.have(f"all l:Int. 0 <= l -> l <= k -> ({form})", "layers", layers)

    def last(h: Goal) -> None:
        h.intro("q (ql qh) c c_in").use("layers", "k", None, "!", "q", None, "c", "#c_in", label="here")
        for e in h.ind("q <= k", "in v"):
            e.auto("here v", rounds=0, multipliers=[PLAIN.format("q")]) if e.text(
                e.facts["in"]
            ) == "q <= k" else e.contra("no").auto("in qh", degree=1)

    g.have(f"all q in 1..k. all c in 1..r. block(k, q, c) = {PLAIN.format('q')}", "blocks", last)

    def unit(h: Goal) -> None:
        h.intro("q q_in").use("vary", "q", label="vary_q").use(
            "lem:merrill2024.def.layernorm", "r", "l. x(q, l)", "#rl", "#vary_q", label="m n"
        )

        def same(e: Goal) -> None:
            e.intro("c inside").use("blocks", "q", "#q_in", "c", label="here").rewrite("here").true()

        h.use("lem:sum_ext", "c. block(k, q, c)", f"c. {PLAIN.format('q')}", "1", "r", same, label="sums")
        h.use("lem:sum_ext", "c. block(k, q, c)^2", f"c. {PLAIN.format('q')}^2", "1", "r", same, label="squares")
        first, second = h.split()
        first.auto("sums m", rounds=0, multipliers=["1/r", "1"])
        total = f"sum(c, 1, r, {PLAIN.format('q')}^2)"
        square = lambda e: e.intro("c inside").auto(squares=[PLAIN.format("q")])  # noqa: E731
        second.use("lem:sum_nonneg", f"c. {PLAIN.format('q')}^2", "1", "r", square, label="ge")
        second.use("ax:sqrt", total, label="root_l root_e").rewrite("n", "root_e", "one").auto(
            "one squares", degree=1, rounds=0
        )

    return g.have(
        "all q in 1..k. sum(c, 1, r, block(k, q, c))/r = 0 & sum(c, 1, r, block(k, q, c)^2) = 1", "unit", unit
    )


def prop1(g: Goal) -> None:
    g.intro("M v x p block W k r mean norm kl rl rows_are vary pad start write mean_is norm_is a")
    written(g).use("lem:merrill2024.prop1.scale", "q c. block(k, q, c)", "k", "r", "mean", "norm", label="scaled")
    g.use("ax:sqrt", "k", None, label="k_l k_e").have(
        "0 < sqrt(k)", "k_p", lambda h: h.contra("no").auto("no kl k_l k_e")
    )
    g.use("ax:inv", "sqrt(k)", label="k_i")
    new, old = "sqrt(k)*W(a, q, c)*((block(k, q, c) - mean)/norm)", f"W(a, q, c)*{PLAIN.format('q')}"

    def outer(h: Goal) -> None:
        def inner(e: Goal) -> None:
            e.intro("c c_in").use("scaled", "q", "#q_in", "c", "#c_in", label="here").use(
                "blocks", "q", "#q_in", "c", "#c_in", label="is"
            )
            w = "W(a, q, c)"
            e.auto("here is k_i", rounds=0, multipliers=[f"sqrt(k)*{w}", w, f"{w}*block(k, q, c)", "1"])

        h.intro("q q_in").use("lem:sum_ext", f"c. {new}", f"c. {old}", "1", "r", inner, label="goal").hyp("goal")

    g.use("lem:sum_ext", f"q. sum(c, 1, r, {new})", f"q. sum(c, 1, r, {old})", "1", "k", outer, label="goal").hyp(
        "goal"
    )


def prop1_defined(g: Goal) -> None:
    labels = {"kl": "p1", "rl": "p2", "vary": "p4", "pad": "p5", "start": "p6", "write": "p7"}

    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        for label, old in labels.items():
            if old in h.facts:
                h.have(h.facts[old], label, lambda e, old=old: e.hyp(old))
        last = [k for k in h.facts if k not in labels][-1]
        text = h.text(h.goal if h.goal[0] != "false" else h.facts[last])
        if "block(" in text:
            square = "(block(k, q, c) - mean)^2"
            h.use("lem:sum_nonneg", f"q. sum(c, 1, r, {square})", "1", "k", rows_of_squares(square), label="goal").hyp(
                "goal"
            )
        elif "p(" in text or "x(" in text:
            name = "p" if "p(" in text else "x"
            row = next(n for n in h.scope if f"{name}({n}, " in text)
            h.have("r <= k*r", "fits", lambda e: e.have("0 <= (k - 1)*r", "room", use="kl rl").auto("room"))
            h.use("vary", row, label="vary_q")
            if name == "x":
                h.use("lem:spread_positive", "r", f"l. x({row}, l)", "#rl", "#vary_q", label="spread root")
                h.auto([last, "spread", "root"] if h.goal[0] == "false" else ["spread", "root"], degree=1, rounds=0)
            elif h.goal[0] == "false":
                h.use("pad", row, label="front back")
                rows = f"l. x({row}, l)", f"l. p({row}, l)"
                h.use(
                    "lem:layernorm_padded",
                    *rows,
                    "r",
                    "k*r",
                    "#rl",
                    "#fits",
                    "#vary_q",
                    "#front",
                    "#back",
                    label="root same",
                )
                h.auto([last, "root"], degree=1, rounds=0)
            else:
                entry = f"(p({row}, b) - sum(a, 1, k*r, p({row}, a))/(k*r))"
                proof = lambda e: e.intro("b inside").auto(squares=[entry])  # noqa: E731
                h.use("lem:sum_nonneg", f"b. {entry}^2", "1", "k*r", proof, label="goal").hyp("goal")
        elif "norm" in text:
            norm_is_root(h, last)
        else:
            h.have("0 < k*r", "size").auto([last, "size"], degree=1, rounds=0)

    g.leaves("M v x p block W k r mean norm", leaf)


def rows_of_squares(square: str) -> Tactic:
    def inner(e: Goal) -> None:
        e.intro("c c_in").auto(squares=[square.removesuffix("^2")])

    return lambda h: h.intro("q q_in").use("lem:sum_nonneg", f"c. {square}", "1", "r", inner, label="row").hyp("row")


def norm_is_root(h: Goal, last: str) -> None:
    """norm = 0 is false: it is the root of k."""
    mean, norm = (
        next(k for k, f in h.facts.items() if f[0] == "=" and h.text(f).startswith(f"{n} = s"))
        for n in ("mean", "norm")
    )
    written(h).use("lem:block_totals", "q c. block(k, q, c)", "k", "r", label="zeros squares")
    h.have("mean = 0", "zero", use=[mean, "zeros"], rounds=0, multipliers=["1/(k*r)", "1"]).rewrite(
        "zero", norm, "norm_0"
    )
    h.have("sum(q, 1, k, sum(c, 1, r, (block(k, q, c) - 0)^2)) = k", "squares_0", use="squares")
    h.rewrite("squares_0", "norm_0", "norm_k").use("ax:sqrt", "k", None, label="k_l k_e")
    h.have("sqrt(k) = 0", "root_0", use=[last, "norm_k"]).auto(
        "root_0 k_e kl", degree=1, rounds=0, multipliers=["sqrt(k)", "1"]
    )


def prop1_inhabited(g: Goal) -> None:
    """Both rows are (0, 1)."""

    def entry(index: str, c: str, last: str) -> str:
        row = f"layernorm(e. if(e <= 2, I[e = 2] - 1/2, 0), 4, {c})"
        return f"I[{index} <= {last}]*(relu({row}) - relu(-{row}))"

    mean = f"sum(s, 1, 2, sum(t, 1, 2, {entry('s', 't', '2')}))/(2*2)"
    norm = f"sqrt(sum(b, 1, 2, sum(c, 1, 2, ({entry('b', 'c', '2')} - {mean})^2)))"

    def leaf(h: Goal) -> None:
        if h.goal[0] != "all":
            h.easy()
            return
        numbers(h, 0)

    def numbers(h: Goal, depth: int) -> None:
        """Every index by its value; the ranges are at most 1..4."""
        if h.goal[0] == "&":
            for e in h.split():
                numbers(e, depth)
            return
        if h.goal[0] == "ex":
            h.witness("2").easy()
            return
        if h.goal[0] != "all":
            h.true()
            return
        j, low, high = f"j{depth}", f"l{depth}", f"h{depth}"
        h.intro(f"{j} ({low} {high})")
        for n in (1, 2, 3, 4):
            here, h = h.em(f"{j} <= {n}", f"a{depth}_{n}")
            h.use("ax:int_lt", str(n), j, label=f"o{depth}_{n}")
            if here.try_contradiction():
                pass
            else:
                if j in here.text(here.goal):
                    here.have(f"{j} = {n}", f"is{depth}").rewrite(f"is{depth}")
                numbers(here, depth + 1)
            if h.try_contradiction():
                return

    g.inhabit(
        "b c e. I[c = 2]*I[e = 1]",
        "j. 1",
        "b c. I[c = 2]",
        "b c. if(c <= 2, I[c = 2] - 1/2, 0)",
        f"l b c. {entry('b', 'c', 'l')}",
        "b c e. 0",
        "2",
        "2",
        mean,
        norm,
        "1",
        leaf=leaf,
    )


SCRIPTS: dict[str, Script | Tactic] = {
    "merrill2024.lemma3": Script(lemma3_refuted, refutes=True),
    "merrill2024.lemma3.corrected": Script(
        lemma3, witnesses("1", "j. -2", "4"), lookup_defined("n h i", "l. inputscore(2, n, h, i, l)")
    ),
    "merrill2024.prop1": Script(prop1, prop1_inhabited, prop1_defined),
}
