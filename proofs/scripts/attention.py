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


def first_attention(g: Goal) -> None:
    g.intro("n alternating mean first some (alt mean_is first_is)")
    one, rest = g.split()
    one.use("mean_is", "1", label="is").use("alt", "1", label="sign").auto("is sign")
    rest.intro("i (low high)").use("mean_is", "i", label="is")
    rest.use(
        "lem:sum_ext",
        "alternating",
        "j. pow(-1, j)",
        "1",
        "i",
        lambda h: h.intro("j (jl jh)").use("alt", "j", label="here").hyp("here"),
        label="signs",
    )
    rest.use("lem:sign_sum", "i", label="total").use("lem:sign", "i", label="sign")
    reciprocal(rest, "i")
    even, odd = rest.cases("sign", "sign_i")
    even.have("mean(i) = 0", "zero", use="is signs total sign_i", rounds=0, multipliers=["1/i"]).blast(use="zero")
    two, more = odd.em("i <= 2", "small")
    two.have("i = 2", "is_two", use="small low").rewrite("is_two", "sign_i", "wrong").contra("no").absurd("wrong")
    more.use("ax:int_lt", "2", "i", label="three")
    more.have("mean(i) = 1/i", "value", use="is signs total sign_i", rounds=0, multipliers=["1/i"])
    below, above = more.split()
    below.auto("value reciprocal")
    above.auto("value inverse reciprocal three")


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


FIRST = (
    "3",
    "i. pow(-1, i)",
    "i. sum(j, 1, i, -pow(-1, j))/i",
    "i. 3*relu(sum(j, 1, i, -pow(-1, j))/i - 1/3) - 3*relu(sum(j, 1, i, -pow(-1, j))/i - 2/3)",
)


def apart_by_one(g: Goal, a: str, b: str, differ: str) -> tuple[Goal, Goal]:
    """From a != b on Int: a + 1 <= b in one goal, b + 1 <= a in the other, as `step`."""
    low, high = g.em(f"{a} <= {b}", "side")
    less, same = low.em(f"{a} < {b}", "strict")
    same.have(f"{a} = {b}", "after_all", use="side strict").absurd("after_all", differ)
    less.use("ax:int_lt", a, b, label="step")
    high.use("ax:int_lt", b, a, label="step")
    return less, high


SCORE = "query(i)*(2*index({0})) + one(i)*(-square({0}))"
BEST = f"all k in 1..n. {SCORE.format('k')} <= {SCORE.format('j')}"


def quadmax(g: Goal) -> None:
    g.intro("n query value one index square found (some queries) (one_is index_is square_is found_is)")
    g.intro("i (low high) q (ql qh) is").use("found_is", "i", label="value_is").use("one_is", "i", label="unit")

    def at(h: Goal, j: str) -> Goal:
        """The score of j is 2*q*j - j^2."""
        h.use("index_is", j, label=f"index_{j}").use("square_is", j, label=f"square_{j}")
        return h.have(f"{SCORE.format(j)} = 2*q*{j} - {j}^2", f"score_{j}", use=f"is unit index_{j} square_{j}")

    def selects(h: Goal) -> None:
        h.intro("j (jl jh)")
        at(at(h, "j"), "q")
        yes, no = h.ind("j = q", "at value")
        best, worse = yes.ind(BEST, "max size")
        best.auto("value size")

        def maximal(e: Goal) -> None:
            at(e.intro("k (kl kh)"), "k").auto("score_k score_j at", squares=["k - q"])

        worse.have(BEST, "after_all", maximal).absurd("after_all", "max")
        best, worse = no.ind(BEST, "max size")
        best.use("max", "q", label="wrong")
        for e in apart_by_one(best, "j", "q", "at"):
            e.auto("wrong step score_j score_q")
        worse.auto("value size")

    g.have(f"all j in 1..n. I[{BEST}] = I[j = q]", "selects", selects)
    g.use("lem:sum_ext", f"j. I[{BEST}]", "j. I[j = q]", "1", "n", "#selects", label="count")
    g.use("lem:sum_delta", "j. 1", "1", "n", "q", label="single")

    def scaled(h: Goal) -> None:
        h.intro("j inside").use("selects", "j", label="here").auto("here", rounds=0, multipliers=["value(j)"])

    g.use("lem:sum_ext", f"j. I[{BEST}]*value(j)", "j. I[j = q]*value(j)", "1", "n", scaled, label="total")
    g.use("lem:sum_delta", "value", "1", "n", "q", label="chosen")
    g.auto("value_is count single total chosen", degree=1, rounds=0, multipliers=["found(i)"])


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


def query_inhabited(g: Goal) -> None:
    """Every query is 1, every value 0."""

    def leaf(h: Goal) -> None:
        h.intro_all()
        (h.witness("1") if h.goal[0] == "ex" else h).blast()

    g.inhabit("2", "i. 1", "i. 0", "i. 1", "i. i", "i. i^2", "i. 0", "1", "1", leaf=leaf)


SCRIPTS: dict[str, Script] = {
    "cookbook.s5.1.2.avg": Script(average(False), average_inhabited, average_defined(False)),
    "cookbook.s5.1.2.avg_prefix": Script(average(True), average_inhabited, average_defined(True)),
    "cookbook.s5.2.first_attention": Script(first_attention, lambda g: g.inhabit(*FIRST, "2")),
    "cookbook.s5.2.first": Script(first, lambda g: g.inhabit(*FIRST, "1")),
    "cookbook.s5.3.4.quadmax": Script(quadmax, query_inhabited),
    "cookbook.s5.7.tau": Script(
        tau, lambda g: g.inhabit("2", "1", "1/log(16)", "1", "1", "i j. 0", "j. 0", "j. 0", "0", "1"), tau_defined
    ),
}
