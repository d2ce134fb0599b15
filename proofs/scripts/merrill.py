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


SCRIPTS: dict[str, Script | Tactic] = {
    "merrill2024.lemma3.corrected": Script(
        lemma3, witnesses("1", "j. -2", "4"), lookup_defined("n h i", "l. inputscore(2, n, h, i, l)")
    ),
}
