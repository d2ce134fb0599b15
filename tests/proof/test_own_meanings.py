"""Claims about neighbours, recursions, bounds and heads that select one place are proved without a proof script; their
near misses are refuted."""

import json

import pytest
from shared import second_checker

import symcook as sc
from symcook.model import modelfile
from symcook.proof.statements import certify


def before(start: int = 1, after: bool = False):
    """A head that reads the token before (or after), and a unit for the pair."""
    words = {"a": {"isa": 1}, "b": {"isb": 1}}
    b = sc.Builder(words=words, start=start)
    mask, weighting = ("strict-past", "leftmost") if after else ("strict-future", "rightmost")
    b.add(sc.head({}, {"old": "isa"}, mask=mask, weighting=weighting))
    b.add(sc.feedforward(pair="relu(old + isb - 1)"))
    b.add(sc.head({}, {"front": "isa"}, mask="future", weighting="leftmost"))
    b.readout("sign", "last", ["pair"], weights=[[1]])
    return b.build("before")


def means(mask: str = "future", start: int = 1):
    b = sc.Builder(words={"a": {"vote": "2/3"}, "b": {"vote": -2}}, start=start)
    b.add(sc.head({}, {"mean": "vote"}, mask=mask))
    b.readout("sign", "last", ["mean"], weights=[[1]])
    return b.build("means")


CLAIMS = [  # a model, what is true of it, and a near miss with its smallest string
    (before(), "all i in 2..n. old(i) = isa(i - 1)", "all i in 2..n. old(i) = isa(i)", "ab"),
    (before(), "all i in 1..n. 0 <= pair(i) & pair(i) <= 1", "all i in 1..n. 0 < pair(i)", "a"),
    (before(), "all i in 2..n. front(i) = front(i - 1)", "all i in 2..n. front(i) = old(i - 1)", "aa"),
    (before(0), "all i in 1..n - 1. old(i) = isa(i - 1)", "all i in 1..n - 1. old(i) < 1", "aa"),
    (before(after=True), "all i in 1..n - 1. old(i) = isa(i + 1)", "all i in 1..n - 1. old(i) = 1", "ab"),
    (means(), "all i in 2..n. i*mean(i) = (i - 1)*mean(i - 1) + vote(i)", "all i in 2..n. mean(i) = mean(i - 1)", "ab"),
    (means(), "all i in 2..n. mean(i - 1) <= mean(i) <-> mean(i - 1) <= vote(i)", "all i in 2..n. mean(i) < 0", "aa"),
    (means(), "all i in 2..n. at(a, i) -> mean(i - 1) <= mean(i)", "all i in 2..n. at(a, i) -> mean(i - 1) < mean(i)",
     "aa"),
    (means("strict-future"), "all i in 2..n. (i - 1)*mean(i) = (i - 2)*mean(i - 1) + vote(i - 1)",
     "all i in 2..n. mean(i) = vote(i)", "ab"),
    (means("none"), "all i in 2..n. mean(i) = mean(i - 1)", "all i in 1..n. mean(i) < 0", "a"),
]  # fmt: skip


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("model", "true", "false", "string"), CLAIMS)
@pytest.mark.layer_two(every=2)
def test_a_claim_and_its_near_miss(model, true, false, string, tmp_path):
    document = json.loads(modelfile.dumps(model))
    statement = certify.claim(document, true)
    settled = certify.settle(statement, document, seconds=20)
    assert settled.certificate is not None and settled.verdict is not None
    assert settled.verdict.status == "PROVED" and not settled.verdict.assuming
    done = second_checker(tmp_path, statement, settled.certificate)
    assert done.returncode == 0 and "OPEN" not in done.stdout
    wrong = certify.settle(certify.claim(document, false), document, seconds=20)
    assert wrong.verdict is not None and wrong.verdict.status == "REFUTED"
    assert wrong.tried is not None and "".join(wrong.tried.word or ()) == string
