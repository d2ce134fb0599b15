"""Claims about attention (Cookbook, Section 5): averages, the first position, lookups, softmax against hardmax."""

from __future__ import annotations

from script import Script

from symcook.proof.search.tactics import Goal, Tactic


def reciprocal(g: Goal, z: str, label: str = "") -> Goal:
    """z*(1/z) = 1 and 0 < 1/z, where a fact gives 0 < z."""
    return g.use("ax:inv", z, label=f"inverse{label}").have(f"0 < 1/{z}", f"reciprocal{label}")


def average(prefix: bool) -> Tactic:
    """Zero scores: each weighting is the mean of the values over 1..N."""
    size = "i" if prefix else "n"

    def run(g: Goal) -> None:
        g.intro("n x mean s some run zero i (low high)").use("run", "i", label="is")
        hard, soft, tied = g.split()
        hard.auto("is")
        totals(soft, size, soft=True)
        reciprocal(soft, size)
        soft.use(
            "lem:sum_ext",
            "j. exp(s(j))*x(j)",
            "j. x(j)",
            "1",
            size,
            lambda h: score(h.intro("j (jl jh)"), "j").rewrite("zero_j").true(),
            label="values",
        )
        soft.rewrite("total").auto("values", degree=1, rounds=0, multipliers=[f"1/{size}"])
        totals(tied, size, soft=False)
        tied.use(
            "lem:sum_ext",
            f"j. I[maximal(s, {size}, j)]*x(j)",
            "j. x(j)",
            "1",
            size,
            lambda h: h.intro("j inside").use("one", "j", label="unit").auto("unit", rounds=0, multipliers=["x(j)"]),
            label="values",
        )
        tied.rewrite("total").auto("values", degree=1, rounds=0, multipliers=[f"1/{size}"])

    return run


def score(g: Goal, j: str) -> Goal:
    return g.use("zero", j, label=f"zero_{j}")


def totals(g: Goal, size: str, soft: bool) -> Goal:
    """The normaliser over 1..size is the number of terms: `total`."""
    g.use("lem:sum_one", "1", size, label="ones")
    if soft:
        g.use(
            "lem:sum_ext",
            "k. exp(s(k))",
            "k. 1",
            "1",
            size,
            lambda h: score(h.intro("k (kl kh)"), "k").rewrite("zero_k").true(),
            label="units",
        )
        return g.have(f"sum(k, 1, {size}, exp(s(k))) = {size}", "total", use="units ones")

    def one(h: Goal) -> None:
        h.intro("j (jl jh)")
        yes, no = h.ind(f"maximal(s, {size}, j)", "max value")
        yes.hyp("value")

        def maximal(e: Goal) -> None:
            score(score(e.intro("k (kl kh)"), "k"), "j").auto("zero_k zero_j")

        no.have(f"maximal(s, {size}, j)", "after_all", maximal).absurd("after_all", "max")

    g.have(f"all j in 1..{size}. I[maximal(s, {size}, j)] = 1", "one", one)
    g.use("lem:sum_ext", f"j. I[maximal(s, {size}, j)]", "j. 1", "1", size, "#one", label="units")
    return g.have(f"sum(m, 1, {size}, I[maximal(s, {size}, m)]) = {size}", "total", use="units ones")


def average_defined(prefix: bool) -> Tactic:
    """Both normalisers are positive."""
    size = "k1" if prefix else "n"

    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        zero = [k for k in h.facts if k.startswith("p")][-1]
        name = next(k for k, f in h.facts.items() if f[0] == "all" and h.text(f).endswith("s(j) = 0"))
        h.use(name, label="zero")
        totals(h, size, soft="exp" in h.text(h.facts[zero])).auto()

    return lambda g: g.leaves("n x mean s", leaf)


def first(g: Goal) -> None:
    g.intro("n alternating mean first some run")
    g.use("lem:cookbook.s5.2.first_attention", "n", "alternating", "mean", "first", "#some", "#run", label="one rest")
    g.use("run", label="alt mean_is first_is")
    g.intro("i (low high)").use("first_is", "i", label="is")
    at_one, later = g.ind("i = 1", "at value")
    at_one.rewrite("at", "is", "is_one").rewrite("at")
    at_one.apart("relu(mean(1) - 1/3); relu(mean(1) - 2/3)", lambda h: h.auto(degree=1))
    low, high = later.em("i <= 1", "small")
    low.have("i = 1", "after_all", use="small low").absurd("after_all", "at")
    high.use("ax:int_lt", "1", "i", label="two").use("rest", "i", label="above below")
    high.apart("relu(mean(i) - 1/3); relu(mean(i) - 2/3)", lambda h: h.auto(degree=1))


def log_positive(g: Goal, size: str = "N") -> Goal:
    """0 < log(8*size)."""

    def proof(h: Goal) -> None:
        h.contra("low").use("ax:exp_log", f"8*{size}", label="inverse_log")
        h.use("lem:exp_mono", f"log(8*{size})", "0", "#low", label="mono").auto()

    return g.have(f"0 < log(8*{size})", "log_pos", proof)


def tau(g: Goal) -> None:
    g.intro("N gamma tau d h W z key s t (some positive) is (some_d some_h)")
    log_positive(g)
    reciprocal(g, "log(8*N)", "_log")
    g.have("0 < tau", "tau_pos", use="is positive reciprocal_log")
    reciprocal(g, "tau", "_tau")
    g.have("tau*log(8*N) = gamma", "product", use="is inverse_log", multipliers=["gamma", "log(8*N)"])
    scaled, first, second = g.split()
    scaled.true()
    multipliers = ["1/tau", "log(8*N)"]
    first.intro("apart").auto("product inverse_tau apart reciprocal_tau", rounds=0, multipliers=multipliers)
    second.intro("apart").auto("product inverse_tau apart", degree=1, rounds=0, multipliers=multipliers)


def tau_defined(g: Goal) -> None:
    def leaf(h: Goal) -> None:
        if h.try_auto(degree=1, rounds=0):
            return
        log_positive(h)
        if h.try_auto(degree=1, rounds=0):
            return
        reciprocal(h, "log(8*N)", "_log")
        equation = next(k for k, f in h.facts.items() if f[0] == "=" and h.text(f).startswith("tau = gamma"))
        positive = next(k for k, f in h.facts.items() if h.text(f) == "0 < gamma")
        h.have("0 < tau", "tau_pos", use=[equation, positive, "reciprocal_log"]).auto(degree=1, rounds=0)

    g.leaves("N gamma tau d h W z key s t", leaf)


def average_inhabited(g: Goal) -> None:
    g.inhabit("2", "j. 0", "j. 0", "j. 0", "1")


SCRIPTS: dict[str, Script] = {
    "cookbook.s5.1.2.avg": Script(average(False), average_inhabited, average_defined(False)),
    "cookbook.s5.1.2.avg_prefix": Script(average(True), average_inhabited, average_defined(True)),
    "cookbook.s5.7.tau": Script(
        tau, lambda g: g.inhabit("2", "1", "1/log(16)", "1", "1", "i j. 0", "j. 0", "j. 0", "0", "1"), tau_defined
    ),
}
