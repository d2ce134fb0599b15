"""Claims about models that take numbers: rows of them, or one row where there are no positions."""

import json

import pytest
from shared import second_checker

import symcook as sc
from symcook.__main__ import main
from symcook.errors import BadInput
from symcook.model import modelfile
from symcook.proof.statements import certify
from symcook.recipes import build


def averaging():
    """The mean of x so far; the coordinate is called like a word, so that it has another name in statements."""
    space = sc.Space(("count", "mean"))
    head = sc.head({}, {"mean": "count"}, mask="future")
    embedding = sc.Embedding(space, inputs=("count",))
    readout = sc.Readout("sign", "last", ("mean",), weights=[1])
    return sc.Transformer("averaging", embedding, (sc.Layer(sc.SelfAttention((head,))),), readout)


MODELS = {
    "averaging": averaging,
    **{name: lambda name=name: build(name).bind({}) for name in ("lookup-quadratic", "max", "min", "add")},
}


def document(name):
    return json.loads(modelfile.dumps(MODELS[name]()))


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("name", "sentence", "status", "rows"),
    [
        ("averaging", 'mean(n)*n = sum(j, 1, n, "count"(j))', "PROVED", None),
        ("averaging", '(all i in 1..n. 0 <= "count"(i)) -> ~(mean(n) < 0)', "PROVED", None),
        ("averaging", 'n = 1 -> (accept <-> 0 < "count"(1))', "PROVED", None),
        ("averaging", '"count"(n) > 0 -> accept', "REFUTED", ("count=-1", "count=1")),
        ("averaging", 'mean(n) = "count"(n)', "REFUTED", ("count=0", "count=1")),
        ("lookup-quadratic", "all i in 1..n. one(i) = 1", "PROVED", None),
        ("lookup-quadratic", "all i in 1..n. square(i) = index(i)^2", "PROVED", None),
        ("lookup-quadratic", "found(1) = value(1)", "REFUTED", ("query=1/2, value=0",)),
        (  # by the stored statement about this very model
            "lookup-quadratic",
            "(all k in 1..n. ex p in 1..n. query(k) = p) -> "
            "all i in 1..n. all q in 1..n. query(i) = q -> found(i) = value(q)",
            "PROVED",
            None,
        ),
        ("max", "out = max(x, y)", "PROVED", None),
        ("min", "out <= x & out <= y", "PROVED", None),
        ("max", "out <= x", "REFUTED", ("x=0, y=1",)),
        ("add", "x <= y -> out <= 2*y", "PROVED", None),
    ],
)
@pytest.mark.layer_two(every=2)
def test_claims_about_rows(name, sentence, status, rows, tmp_path):
    made = document(name)
    statement = certify.claim(made, sentence)
    found = certify.settle(statement, made)
    assert found.verdict is not None and found.verdict.status == status, found.missing
    if rows is not None and name != "lookup-quadratic":
        assert found.tried.word == rows
    done = second_checker(tmp_path, statement, found.certificate)
    assert done.returncode == 0 and status in done.stdout, done.stdout + done.stderr


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("averaging", 'all i in 1..n. "count"(i) < 100'),  # false of numbers that are not tried
        ("max", "out < 100 | x > 50"),
        ("averaging", "1 = 0 -> accept"),  # no rows meet the premise
    ],
)
def test_what_other_numbers_make_false_is_not_proved(name, sentence):
    made = document(name)
    assert certify.settle(certify.claim(made, sentence), made, seconds=8).verdict is None


@pytest.mark.parametrize(
    ("name", "sentence", "why"),
    [
        ("averaging", "count(a) = 1", "takes numbers, no string"),
        ("averaging", "at(a, 1)", "takes numbers, no string"),
        ("averaging", "w(1) = 0", "takes numbers, no string"),
        ("averaging", "mean = 0", "is a function"),
        ("max", "n = 1", "has no positions"),
        ("max", "out(1) = 1", "has no positions"),
        ("max", "accept", "readout zero or sign"),
    ],
)
def test_what_means_nothing_there_is_refused(name, sentence, why):
    with pytest.raises(BadInput, match=why):
        certify.claim(document(name), sentence)


def test_the_command_names_the_rows(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    MODELS["averaging"]().save("averaging.json")
    assert main(["prove", "averaging.json", "--statement", 'mean(n) = "count"(n)']) == 1
    assert "False of     count=0; count=1\n" in capsys.readouterr().out
    assert main(["prove", "averaging.json"]) == 0  # the certificate is checked again
    assert "REFUTED" in capsys.readouterr().out
