"""Fragment B: claims over letterwise sums are decided by counts. The truth of each claim comes from exact runs of all
short strings, or from the argument beside it; each proof goes through the kernel."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pytest
from shared import second_checker

import symcook as sc
from symcook import recipes
from symcook.errors import Rejected
from symcook.proof import grammar, kernel
from symcook.proof.claims import counts
from symcook.proof.claims.bycounts.bestplace import BestRow, best_row
from symcook.proof.claims.bycounts.casefacts import enclosure
from symcook.proof.claims.bycounts.problem import problem
from symcook.proof.inequalities import reify
from symcook.proof.normal import nf
from symcook.proof.search import limits
from symcook.proof.search.liveness import pruned
from symcook.proof.statements import certify
from symcook.proof.statements.proving import document_of
from symcook.proof.statements.shortruns import Runs
from symcook.proof.terms import Sort, num
from symcook.report.proving import smallest


def averaging(mask: str = "future", weighting: str = "average", score: int = 0, **given) -> sc.Transformer:
    """A mean, or a softmax average, of a vote; a feed-forward step; the sign of the mean at the last position."""
    words = {"a": {"vote": 1, "key": 1}, "b": {"vote": -1}, "c": {"key": 2}}
    words |= {given[end]: {} for end in ("before", "after") if end in given}
    b = sc.Builder(words={word: {"one": 1, **row} for word, row in words.items()}, **given)
    scores = {("one", "key"): score} if score else {}
    b.add(sc.head(scores, value={"mean": "vote"}, mask=mask, weighting=weighting))
    b.feedforward(["size"], ["mean"], W1=[[1], [-1]], b1=[0, 0], W2=[[1, 1]])
    b.readout("sign", "last", ["mean"], weights=[1])
    return b.build("votes")


def positions(start: int = 1) -> sc.Transformer:
    """Means of the position, of (-1)^i, and of 2^i."""
    b = sc.Builder(words={"a": {}, "b": {}}, positions={"pos": "2*i", "alt": "(-1)^i", "two": "2^i"}, start=start)
    b.add(sc.head({}, {"mp": "pos", "mq": "alt", "mt": "two"}, mask="future"))
    b.readout("sign", "last", ["mq"], weights=[1])
    return b.build("positions")


def normed(zero: str = "zero") -> sc.Transformer:
    """The norm of two means, and then of three."""
    words = {"a": {"p": 2}, "b": {"q": 1}}
    head = sc.head({}, {"mp": "p", "mq": "q"}, mask="future")
    norm = sc.LayerNorm(("mp", "mq"), ("up", "uq"), gain=[3, 3], projection=[[1, 0], [0, 1]], zero_variance=zero)
    text = {token: {name: str(x) for name, x in row.items()} for token, row in words.items()}
    embedding = sc.Embedding(sc.Space(("p", "q", "mp", "mq", "np")), words=text)
    signs = sc.feedforward({"np": "relu(up) - relu(-up)"})
    layers = (sc.Layer(sc.SelfAttention((head,))), sc.Layer(None, signs, (), (norm,), "projected pre"))
    return sc.Transformer("normed", embedding, layers, sc.Readout("sign", "last", ("np",), weights=[[1]]))


def errors() -> sc.Transformer:
    """The mean of relu(-balance), which is 0 where no prefix has more b's than a's."""
    b = sc.Builder(words={"a": {"v": 1}, "b": {"v": -1}})
    b.add(sc.head({}, {"bal": "v"}, mask="future"))
    b.add(sc.feedforward({"err": "relu(-bal)"}))
    b.add(sc.head({}, {"errs": "err"}, mask="future"))
    b.readout("zero", "last", ["errs"])
    return b.build("errors")


MODELS = {
    "positions": positions,
    "positions from 0": lambda: positions(0),
    "norm": normed,
    "norm that refuses": lambda: normed("refuse"),
    "errors": errors,
    "best": lambda: averaging("future", score=1),
    "mean": averaging,
    "strict": lambda: averaging("strict-future"),
    "past, from 0": lambda: averaging("past", start=0),
    "BOS": lambda: averaging("none", before="BOS"),
    "EOS": lambda: averaging("none", after="EOS"),
    "previous": lambda: averaging("strict-future", "rightmost"),
    "softmax": lambda: averaging(weighting="softmax", score=1),
}
CLAIMS = [  # a model, what is true of all its strings, and a near miss
    ("mean", "accept <-> count(a) > count(b)", "accept <-> count(a) >= count(b)"),
    ("mean", "mean(n) = (count(a) - count(b))/n", "mean(n) = (count(a) + count(b))/n"),
    ("mean", "size(n) = abs(count(a) - count(b))/n", "size(n) = count(a)/n"),  # signs under relu and abs
    ("mean", "mean(n)^2 <= 1", "mean(n)^2 < 1"),  # products of counts
    ("mean", "accept -> mean(n) >= 1/n", "accept -> mean(n) > 1/n"),  # 0 < x is 1 <= x for a whole number
    ("mean", "n <= 100 & accept -> mean(n) >= 1/100", "n <= 101 & accept -> mean(n) >= 1/100"),  # beyond 50 positions
    ("mean", "all i in 1..n - 1. at(c, i + 1) & mean(i) > 0 -> mean(i + 1) < mean(i)",
     "all i in 1..n - 1. at(c, i + 1) -> mean(i + 1) < mean(i)"),  # two places that may be the last one
    ("mean", "all i in 1..n. all j in 1..n. i < j & mean(i) = 1 & mean(j) = 1 -> count(a) >= j",
     "all i in 1..n. all j in 1..n. mean(i) = 1 & mean(j) = 1 -> count(a) >= i + j"),  # i = j
    ("mean", "all i in 1..n. (all j in 1..i. at(a, j)) <-> mean(i) = 1", "(ex j in 1..n. at(a, j)) -> accept"),
    ("mean", "all i in 2..n. mean(i)*i = mean(i - 1)*(i - 1) + I[at(a, i)] - I[at(b, i)]",
     "all i in 2..n. mean(i)*i = mean(i - 1)*(i - 1) + I[at(a, i)]"),
    ("strict", "mean(1) = 0 & (accept -> n >= 2)", "accept -> n >= 3"),  # the row that sees nothing
    ("strict", "accept & at(b, n) -> count(a) >= count(b)", "accept & at(b, n) -> count(a) > count(b)"),
    ("past, from 0", "mean(0) = (count(a) - count(b))/n", "mean(0) = count(a)/n"),
    ("past, from 0", "all i in 0..n - 1. -1 <= mean(i) & mean(i) <= 1", "all i in 0..n - 1. mean(i) < 1"),
    ("BOS", "mean(n) < 1 & (accept <-> count(a) > count(b))", "count(a) = n - 1 -> accept"),  # BOS is one of n
    ("EOS", "count(EOS) = 1 & mean(1) <= (n - 1)/n", "mean(1) <= (n - 2)/n"),
    ("previous", "all i in 2..n. mean(i) = I[at(a, i - 1)] - I[at(b, i - 1)]", "accept <-> at(a, n)"),
    ("softmax", "accept <-> exp(1)*count(a) > count(b)", "accept -> 2*count(a) > count(b)"),
    ("softmax", "accept -> 3*count(a) > count(b)", "accept -> 11/4*count(a) > count(b) + 100"),
    ("softmax", "all i in 1..n. -1 <= mean(i) & mean(i) <= 1", "all i in 1..n. mean(i) < 1"),
    ("positions", "all i in 1..n. mp(i) = i + 1", "all i in 1..n. mp(i) = 2*i"),  # sums in closed form
    ("positions", "all i in 1..n. mq(i) = ((-1)^i - 1)/(2*i)", "all i in 1..n. mq(i) = ((-1)^i - 1)/(3*i)"),
    ("positions", "all i in 1..n. mt(i)*i = 2*2^i - 2", "all i in 1..n. mt(i)*i = 2*2^i"),  # a geometric one
    ("positions from 0", "all i in 1..n - 1. alt(i) = 1 <-> alt(i - 1) < 0", "all i in 0..n - 1. mq(i) > 0"),
    ("norm", "accept <-> 2*count(a) > count(b)", "accept <-> 2*count(a) >= count(b)"),  # the root of a square
    ("norm", "np(n) <= 3", "np(n) < 3"),  # the deviation may be 0
    ("norm that refuses", "~(mp(n) = mq(n))", "mp(n) > mq(n)"),  # a premise of the run
    ("errors", "accept <-> all i in 1..n. bal(i) >= 0", "accept <-> bal(n) >= 0"),  # a positive sum has such a term
    ("errors", "errs(n) <= 1 & (accept -> ~at(b, 1))", "errs(n) <= 1/2"),  # each term is at most 1
    ("best", "1 <= count(c) -> mean(n) = 0", "1 <= count(a) -> mean(n) = 1"),  # the best keys alone
    ("best", "count(c) = 0 & 1 <= count(a) -> mean(n) = 1", "count(c) = 0 -> mean(n) = 1"),
]  # fmt: skip


def decided(model: sc.Transformer, statement: str):
    claim = certify.claim(document_of(model, {}), statement)
    return claim, counts.decide(problem(claim), certify.library(claim, certify.citable()))


def checked(claim, decision: counts.CountedDecision, goal=None) -> kernel.Accepted:
    """The proof through the kernel."""
    assert decision.proved is not None
    stems = ("ext", "one", "only", "split", "nonneg", "member", "mono")
    cited = (*(f"lem:sum_{stem}" for stem in stems), "lem:single_best", "lem:right_row")
    lemmas = {label: certify.citable()[label].formula for label in cited}
    return kernel.check(
        goal or claim.formula, pruned(decision.proved.nodes), lemmas=lemmas, known=certify.definitions()
    )


def run_at(model: sc.Transformer, claim, string: tuple[int, ...]) -> Runs:
    runs = Runs(claim, document_of(model, {}))
    assert next(runs.on(string))
    return runs


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("name", "true", "false"), CLAIMS, ids=[f"{name}: {true}" for name, true, _ in CLAIMS])
@pytest.mark.layer_two(every=3)
def test_a_true_claim_has_a_proof_and_its_near_miss_a_string(name: str, true: str, false: str):
    model = MODELS[name]()
    claim, decision = decided(model, true)
    checked(claim, decision)
    missed, miss = decided(model, false)
    assert miss.proved is None
    assert miss.string is not None
    assert run_at(model, missed, miss.string).false()
    with pytest.raises(Rejected):  # the proof is one of its own claim alone
        checked(claim, decision, missed.formula)


def test_a_claim_that_is_false_of_long_strings_alone_is_refuted_by_the_shortest():
    """51 of 101 letters are a, the others b: the mean is 1/101."""
    model = MODELS["mean"]()
    claim, decision = decided(model, "n <= 101 & accept -> mean(n) >= 1/100")
    assert decision.string is not None
    assert sorted(decision.string) == [0] * 51 + [1] * 50
    assert run_at(model, claim, decision.string).false()


def test_what_a_sum_of_other_values_says_is_not_decided():
    """A sum of means is no sum of what letters decide; there is neither a proof nor a string that is false."""
    b = sc.Builder(words={"a": {"vote": 1}, "b": {}})
    b.add(sc.head(value={"mean": "vote"}, mask="future"))
    b.add(sc.head(value={"total": "mean"}, mask="future"))
    b.readout("sign", "last", ["total"], weights=[1])
    model = b.build("sums")
    claim, decision = decided(model, "total(n) < 1 | count(b) = 0")
    assert decision.proved is None
    assert "sum(j, 1, n, mean(j))" in decision.why
    assert decision.string is None or not run_at(model, claim, decision.string).false()


def test_both_checkers_accept_the_certificate(tmp_path):
    answer = MODELS["BOS"]().prove("accept <-> count(a) > count(b)", seconds=30)
    assert answer.status == "PROVED"
    assert answer.method == "fragment B: counts and linear arithmetic"
    assert answer.certificate is not None
    assert limits.judged(answer.claim, answer.certificate).status == "PROVED"
    found = second_checker(tmp_path, answer.claim, answer.certificate)
    assert "PROVED" in found.stdout, found.stderr


def drawn(rng: random.Random) -> tuple[sc.Transformer, str]:
    """A model with one head and random votes, and a random claim of the fragment."""
    ends: dict[str, Any] = rng.choice(({}, {}, {"before": "BOS"}, {"after": "EOS"}))
    words = {x: {"one": 1, "vote": rng.choice((1, -1, 2, "-3/2")), "key": rng.choice((0, 1, "1/2"))} for x in "ab"}
    words |= {end: {"one": 1, "vote": rng.choice((0, 1))} for end in ends.values()}
    start = rng.randrange(2)
    b = sc.Builder(words={w: {k: x for k, x in row.items() if x} for w, row in words.items()}, start=start, **ends)
    mask = rng.choice(("none", "future", "strict-future", "past", "strict-past"))
    if rng.random() < 1 / 4 and not mask.startswith("strict"):
        b.add(sc.head({("one", "key"): 1}, value={"mean": "vote"}, mask=mask, weighting="softmax"))
    else:
        b.add(sc.head(value={"mean": "vote"}, mask=mask))
    first, bias = [1, rng.randrange(2)], rng.choice((0, "1/2"))
    b.feedforward(["z"], ["mean", "vote"], W1=[first, [-1, 0]], b1=[bias, 0], W2=[[1, -1]])
    b.readout("sign", rng.choice(("last", "first")), [rng.choice(("mean", "z"))], weights=[1])
    low, high = ("0", "(n - 1)") if start == 0 else ("1", "n")

    def part() -> str:
        order, number = rng.choice(("<", "<=", "=", ">")), Fraction(rng.randrange(-2, 4), 2)
        return rng.choice((
            "accept", f"{rng.randrange(1, 4)}*count(a) {order} {rng.choice(('count(b)', 'n'))} + {rng.randrange(2)}",
            f"mean({high}) {order} {number}", f"z({low}) {order} {number}", f"at({rng.choice('ab')}, {high})",
            f"(ex k in {low}..{high}. at({rng.choice('ab')}, k))", f"count(b) {order} {rng.randrange(4)}",
        ))  # fmt: skip

    claim = rng.choice((
        f"{part()} -> {part()}", f"{part()} & {part()} -> {part()}", f"{part()} <-> {part()}",
        f"all i in {low}..{high}. mean(i) <= {rng.randrange(3)} | {part()}",
    ))  # fmt: skip
    return b.build("drawn"), claim


@pytest.mark.layer_one(1, 2)
@pytest.mark.parametrize("seed", range(5, 25))
def test_random_claims_are_as_all_short_strings_say(seed: int):
    model, statement = drawn(random.Random(seed))
    claim, decision = decided(model, statement)
    tried = Runs(claim, document_of(model, {})).tried(5)
    if decision.proved is not None:
        checked(claim, decision)
        assert tried.word is None, statement
        return
    if decision.string is None:  # whole numbers that no fraction excludes: the split at one goes on without end
        assert decision.why == "more than 150 cases", statement
        return
    runs = run_at(model, claim, decision.string)
    assert runs.false(), statement
    assert tried.word is None or len(tried.word) == len(runs.word), statement


PLACES = [  # a recipe, what its definition says, and what is false of it
    ("prefix-average", "all i in 1..n. mean(i)*i = sum(j, 1, i, x(j))",
     "all i in 1..n. mean(i)*n = sum(j, 1, i, x(j))"),
    ("predecessor-quadratic", "all i in 2..n. found(i) = value(i - 1)", "all i in 2..n. found(i) = value(i)"),
    ("predecessor-quadratic", "found(1) = value(1)", "all i in 1..n. found(i) = value(i - 1)"),  # no position 0
    ("predecessor", "all i in 1..n. (-1)^i = 1 -> evens(i) = value(i - 1)", "2 <= n -> evens(n) = value(n - 1)"),
    ("predecessor", "all i in 2..n. (-1)^i = -1 -> odds(i) = value(i - 1)", "all i in 1..n. odds(i) = value(i)"),
    ("lookup-quadratic", "all i in 1..n. query(i) = n -> found(i) = value(n)",
     "all i in 1..n. query(i) = n - 1 -> found(i) = value(n)"),
    ("lookup-quadratic", "query(1) > n -> found(1) = value(n)", "query(1) > n - 1 -> found(1) = value(n)"),
]  # fmt: skip


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("name", "true", "false"), PLACES, ids=[f"{name}: {true}" for name, true, _ in PLACES])
def test_a_hard_head_looks_at_one_position(name: str, true: str, false: str) -> None:
    model = recipes.build(name)
    checked(*decided(model, true))
    decision = decided(model, false)[1]
    assert decision.proved is None and decision.string is None  # given numbers are no string


def test_what_is_nearly_the_row_of_a_hard_head_is_none() -> None:
    names: dict[str, Sort] = {name: ("fun", ("Int",), "Real") for name in "sv"} | {"n": "Int", "i": "Int"}

    def row(weight: str) -> BestRow | None:
        ((((a, _),), _),) = nf(grammar.read_value(f"sum(j, 1, n, I[{weight}]*v(j))", "Real", names, {}))
        return best_row(reify.atom(a))

    average = row("all k in 1..n. s(i)*s(k) <= s(i)*s(j)")
    last = row("all k in 1..n. 2*s(k) <= 2*s(j) & (j < k -> s(k) < s(j))")
    assert average is not None and last is not None and (average.last, last.last) == (False, True)
    for weight in (
        "all k in 1..n - 1. s(k) <= s(j)",
        "all k in 1..n. s(k) <= v(j)",
        "all k in 1..n. s(k) < s(j)",
        "all k in 1..n. s(k) <= s(j) + 1",
        "all k in 1..n. s(k) <= s(j) & (k < j -> s(k) < s(j))",
        "all k in 1..n. s(k) <= s(j) & (j < k -> v(k) < v(j))",
        "all k in 1..n. s(j) <= s(k) & (j < k -> s(k) < s(j))",
        "ex k in 1..n. s(k) <= s(j)",
    ):
        assert row(weight) is None, weight


def test_a_comparison_of_numbers_has_no_enclosure() -> None:
    """I[0 < 1] before what is not negative was asked for its bounds, which was a defect of `prove --statement`."""
    assert enclosure(("ind", None, (("<", None, (num(0), num(1))),))) is None
    low, high = enclosure(("fn", "exp", (num(1),))) or ()
    assert Fraction(*low[1]) < Fraction("2.71828182846") < Fraction(*high[1]) + Fraction(1, 10**11)


@pytest.mark.sweep
def test_a_refuting_string_says_whether_shorter_ones_may_be_false_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """40 < 3*a - 2*b has its first solution at 14 a's; strings that long are not tried one by one."""
    model, said, whole = averaging(), "3*count(a) <= 2*count(b) + 40", counts.prove
    answer = model.prove(said)
    assert answer.counterexample == "a" * 14 and answer.tried is not None and answer.tried.length == 13
    assert smallest(answer) == " (no shorter one; others of its length were not tried)"

    def hurried(problem: Any, g: Any, most: int | None = None, *further: Any) -> None:
        """There is no time for shorter strings."""
        if most is not None:
            raise Rejected("the time is over")
        whole(problem, g, most, *further)

    monkeypatch.setattr(counts, "prove", hurried)
    answer = model.prove(said)
    assert answer.status == "REFUTED" and answer.tried is not None and answer.tried.length < 13
    assert smallest(answer) == " (a string, perhaps not the smallest: shorter ones were not all tried)"
