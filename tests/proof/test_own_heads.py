"""What holds of every attention head is proved of models with heads of each kind; near misses are refuted."""

import json

import pytest
from shared import second_checker

import symcook as sc
from symcook.model import modelfile
from symcook.proof.statements import certify
from symcook.proof.statements.facts import Facts
from symcook.proof.statements.heads import HeadFacts

TOKENS = {"a": {"x": 1, "isa": 1, "one": 1}, "b": {"x": -1, "isb": 1, "one": 1}, "c": {"one": 1}}


def rows(weighting: str, mask: str = "none"):
    """A head over numbers."""
    b = sc.Builder(inputs=["x", "y"])
    b.add(sc.head({("x", "y"): 1}, {"m": "x"}, mask=mask, weighting=weighting))
    b.readout("sign", "last", "m", weights=[1])
    return b.build("rows")


def twice(second: str):
    """A softmax head, and a head whose scores are what the first one writes."""
    b = sc.Builder(words=TOKENS)
    b.add(sc.head({("one", "isa"): 2}, {"s": "x"}, mask="future", weighting="softmax"))
    b.add(sc.head({("s", "s"): 1}, {"t": "s"}, mask="future", weighting=second))
    b.readout("sign", "last", "t", weights=[1])
    return b.build("twice")


def one(weighting: str, mask: str = "none"):
    """A head that looks for a's."""
    b = sc.Builder(words=TOKENS)
    b.add(sc.head({("one", "isa"): 1}, {"h": "x"}, mask=mask, weighting=weighting))
    b.readout("sign", "last", "h", weights=[1])
    return b.build("one")


BOUNDED = "(all i in 1..n. x(i) <= 1) -> m(n) <= 1"
STRICT = "(all i in 1..n. x(i) <= 1) -> m(n) < 1"
EQUAL = "(all i in 1..n. x(i) = x(1)) -> m(n) = x(1)"
WEIGHTS = "all i in 1..n. sum(j, 1, n, weight(1, 1, i, j)) = 1"
POSITIVE = "all i in 1..n. all j in 1..n. 0 < weight(1, 1, i, j)"
ALIKE = (
    "all i in 1..n. all j in 1..n. all k in 1..n. at(a, j) & at({}, k) -> weight(1, 1, i, j) = weight(1, 1, i, k)"
)
BEST = "all i in 1..n. all j in 1..n. all k in 1..n. 0 < weight(1, 1, i, j) -> score(1, 1, i, k) <= score(1, 1, i, j)"
CLAIMS = [  # a model, what is true of it, and a near miss with its smallest string
    (rows("softmax"), BOUNDED, STRICT, "x=1, y=0"),
    (rows("average"), EQUAL, STRICT, "x=1, y=0"),
    (rows("leftmost"), BOUNDED, STRICT, "x=1, y=0"),
    (rows("rightmost", "future"), "(all i in 1..n. 0 < x(i)) -> accept", "(all i in 1..n. 0 <= x(i)) -> accept",
     "x=0, y=0"),
    (rows("softmax"), "(all i in 1..n. 0 <= x(i)) & 0 < x(1) -> accept", "0 < x(1) -> accept", None),
    pytest.param(twice("softmax"), "all i in 1..n. -1 <= t(i) & t(i) <= 1", "all i in 1..n. t(i) < 1", "a",
                 marks=pytest.mark.campaign),
    pytest.param(twice("rightmost"), "all i in 1..n. -1 <= t(i) & t(i) <= 1", "all i in 1..n. -1 < t(i)", "b",
                 marks=pytest.mark.campaign),
    (twice("softmax"), "count(a) = n -> t(n) = 1", "count(a) = n -> t(n) < 1", "a"),
    (one("softmax"), POSITIVE, "all i in 1..n. weight(1, 1, i, 1) <= 1/2", "a"),
    (one("softmax"), WEIGHTS, "all i in 1..n. sum(j, 1, i, weight(1, 1, i, j)) = 1", "aa"),
    (one("average"), "all i in 1..n. -1 <= h(i) & h(i) <= 1", "all i in 1..n. all j in 1..n. weight(1, 1, i, j) < 1",
     "a"),
    (one("leftmost"), WEIGHTS, "all i in 1..n. weight(1, 1, i, 1) = 1", "ba"),
    (one("softmax"), ALIKE.format("a"), ALIKE.format("b"), "ab"),
    (one("leftmost"), BEST, POSITIVE, "aa"),
    (one("rightmost", "strict-future"), "all i in 1..n. -1 <= h(i) & h(i) <= 1", "all i in 1..n. h(i) < 1", "aa"),
    (one("softmax"), "exp(2*h(n))/(exp(2*h(n)) + 1) <= exp(2)/(1 + exp(2))",
     "exp(2*h(n))/(exp(2*h(n)) + 1) < exp(2)/(1 + exp(2))", None),
    (one("softmax"), "exp(h(n)) <= exp(1)", "exp(h(n)) < exp(1)", "a"),
]  # fmt: skip


@pytest.mark.layer_one(6)
@pytest.mark.parametrize(("model", "true", "false", "string"), CLAIMS)
@pytest.mark.layer_two(every=15)
def test_a_fact_of_heads_and_its_near_miss(model, true, false, string, tmp_path):
    document = json.loads(modelfile.dumps(model))
    statement = certify.claim(document, true)
    settled = certify.settle(statement, document, seconds=60)
    assert settled.verdict is not None and settled.certificate is not None
    assert settled.verdict.status == "PROVED" and not settled.verdict.assuming
    done = second_checker(tmp_path, statement, settled.certificate)
    assert done.returncode == 0 and "OPEN" not in done.stdout
    wrong = model.prove(false, seconds=60)
    assert wrong.status == "REFUTED" and (string is None or wrong.counterexample == string)


@pytest.mark.parametrize("mask", ["none", "future", "strict-future", "past", "strict-past"])
@pytest.mark.parametrize("weighting", ["average", "leftmost", "rightmost", "softmax"])
def test_heads_of_each_kind_are_read_from_their_equations(weighting, mask):
    document = json.loads(modelfile.dumps(one(weighting, mask)))
    facts = HeadFacts(Facts(certify.claim(document, "h(n) <= 1")))
    head = facts.heads["h"]
    assert (head.kind, head.old) == (weighting, None) and [*facts.heads] == ["h"]
    ends = {"strict-future": ("1 + 1", "n"), "strict-past": ("1", "n - 1")}
    assert (head.first, head.last) == ends.get(mask, ("1", "n"))


def test_a_weight_may_be_named_inside_quantifiers_of_any_names():
    model = one("softmax")
    sentence = "all i in 1..n. all j in 1..n. all k in 1..n. 0 < weight(1, 1, i, k)"
    assert model.prove(sentence).status == "PROVED"
