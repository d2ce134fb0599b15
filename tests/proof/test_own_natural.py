"""Sixteen claims that somebody would make first about a model, with false relatives: what is true is proved without a
text, and what is false is refuted at its smallest word or at least never proved."""

import json

import pytest
from shared import second_checker

import symcook as sc
from symcook.model import modelfile
from symcook.proof.statements import certify
from symcook.recipes import build


def averaging(name, **tokens):
    """Accepts where the mean of a value for each token is positive at the last position."""
    b = sc.Builder(words={token: {"vote": value} if value else {} for token, value in tokens.items()})
    mean = b.add(sc.head(value={"mean": "vote"}, mask="future"))
    b.readout("sign", "last", mean, weights=[1])
    return b.build(name)


def votes():
    space = sc.Space(("vote", "mean"))
    embedding = sc.Embedding(space, words={"a": {"vote": 1}, "b": {"vote": -1}, "c": {}})
    head = sc.head({}, {"mean": "vote"})
    readout = sc.Readout("largest", "last", ("mean",), weights=[[1], [-1]], labels=("more_a", "more_b"))
    return sc.Transformer("votes", embedding, (sc.Layer(sc.SelfAttention((head,))),), readout)


def halves(mask="future", **ends):
    """Accepts where the share of a is above a threshold that every letter carries."""
    letters = {"a": {"one": 1}, "b": {}} | {token: {} for token in ends.values()}
    b = sc.Builder(words={token: {**values, "half": "1/2"} for token, values in letters.items()}, **ends)
    share = b.add(sc.head(value={"share": "one"}, mask=mask))
    b.readout("sign", "first" if "before" in ends else "last", [*share, "half"], weights=[1, -1])
    return b.build("halves")


def twice(**ends):
    """Accepts where there are more than one and a half a, by the mean over the token that the model adds."""
    b = sc.Builder(words={"a": {"hit": 1}, "b": {}, **{token: {"once": 1} for token in ends.values()}}, **ends)
    read = b.add(sc.head(value={"share": "hit", "unit": "once"}, mask="none"))
    b.readout("sign", "last", read, weights=[1, "-3/2"])
    return b.build("twice")


MODELS = {
    "twice": lambda: twice(before="BOS"),
    "twice, EOS": lambda: twice(after="EOS"),
    "halves": halves,
    "halves behind CLS": lambda: halves("none", before="CLS"),
    "majority": lambda: averaging("majority", a=1, b=-1, c=0),
    "votes": votes,
    "exists": lambda: averaging("exists", a=1, b=0),
    "third": lambda: averaging("third", a=2, b=-1),
    **{name: lambda name=name: build(name).bind({}) for name in ("dyck-1", "first-position", "first", "parity")},
}
UP, DOWN = "sum(j, 1, i, I[w(j) = 0])", "sum(j, 1, i, I[w(j) = 1])"
CLAIMS = [  # a model, what is true of it, and a false relative with its smallest word
    ("majority", "accept <-> count(a) > count(b)", "accept <-> count(a) >= count(b)", "c"),
    ("majority", "mean(n) = (count(a) - count(b))/n", "mean(n) = (count(a) + count(b))/n", "b"),
    ("majority", f"all i in 1..n. mean(i) = ({UP} - {DOWN})/i", f"all i in 1..n. mean(i) = ({UP} - {DOWN})/n", "aa"),
    ("votes", "answer(more_b) <-> count(a) < count(b)", "answer(more_b) <-> count(a) <= count(b)", "c"),
    ("exists", "accept <-> count(a) > 0", "accept <-> count(a) > 1", "a"),
    ("exists", "accept <-> ex i in 1..n. at(a, i)", "accept <-> all i in 1..n. at(a, i)", "ab"),
    ("third", "accept <-> 2*count(a) > count(b)", "accept <-> 2*count(a) >= count(b)", "abb"),
    ("third", "accept <-> 3*count(a) > n", "accept <-> 3*count(a) > n + 1", "ab"),
    ("dyck-1", 'accept -> count("(") = count(")")', 'count("(") = count(")") -> accept', ")("),
    ("dyck-1", 'at(")", 1) -> ~accept', 'at("(", 1) -> accept', "("),
    (
        "dyck-1",
        f"all i in 1..n. balance(i) = ({UP} - {DOWN})/i",
        f"all i in 1..n. balance(i) = ({UP} - {DOWN})/n",
        "((",
    ),
    (
        "dyck-1",
        f"all i in 1..n. error(i) = max(0, ({DOWN} - {UP})/i)",
        f"all i in 1..n. error(i) = max(0, ({UP} - {DOWN})/i)",
        "(",
    ),
    ("dyck-1", "accept <-> dyck(w, n)", "accept <-> height(w, n) = 0", ")("),
    ("first-position", 'all i in 1..n. "first"(i) = I[i = 1]', 'all i in 1..n. "first"(i) = I[i = 2]', "0"),
    ("parity", 'accept <-> odd(count("1"))', "accept <-> odd(n)", ""),
    # Position 1 is behind the end of the empty string, where nothing is said of it.
    ("first", 'accept <-> n > 1 & at("1", 1)', 'accept <-> at("1", 1)', ""),
    # More: a value that every letter carries, and a threshold at an added token.
    ("twice", "accept <-> count(a) >= 2", "accept <-> count(a) >= 1", "a"),
    ("twice, EOS", "accept <-> count(a) > 1", "accept <-> count(a) > 2", "aa"),
    ("halves", "accept <-> count(a) > count(b)", "accept <-> count(a) >= count(b)", "ab"),
    ("halves behind CLS", "accept <-> count(a) > count(b) + 1", "accept <-> count(a) > count(b)", "a"),
]


def document(name):
    return json.loads(modelfile.dumps(MODELS[name]()))


def settled(name, sentence, seconds=60.0):
    made = document(name)
    return certify.settle(certify.claim(made, sentence), made, seconds=seconds)


def seen_by_the_other_checker(folder, name, sentence, certificate):
    done = second_checker(folder, certify.claim(document(name), sentence), certificate)
    return "PROVED" if done.returncode == 0 and "OPEN" not in done.stdout else done.stdout + done.stderr


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("name", "sentence"), [one[:2] for one in CLAIMS])
@pytest.mark.layer_two(every=6)
def test_what_is_true_is_proved_without_a_text(name, sentence, tmp_path):
    found = settled(name, sentence)
    assert found.verdict is not None and found.verdict.words == "PROVED", found.missing
    assert seen_by_the_other_checker(tmp_path, name, sentence, found.certificate) == "PROVED"


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(("name", "sentence", "word"), [(one[0], *one[2:]) for one in CLAIMS])
@pytest.mark.layer_two(every=2)
def test_a_false_relative_is_refuted_at_its_smallest_word(name, sentence, word):
    found = settled(name, sentence)
    assert found.verdict is not None and found.verdict.status == "REFUTED"
    assert found.tried.word == tuple(word)


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("name", "sentence"),
    [  # false, but of no string that is short enough to be tried one after the other
        ("dyck-1", 'accept -> count("(") < 20'),
        ("majority", "accept -> count(b) < 30"),
        ("exists", "(ex i in 1..n. at(a, i)) <-> n > 40 | accept"),
    ],
)
def test_what_long_strings_make_false_is_not_proved(name, sentence):
    found = settled(name, sentence, seconds=8)
    assert found.verdict is None or (found.verdict.status == "REFUTED" and len(found.tried.word) >= 40)
    assert name != "exists" or found.tried.word == ("b",) * 41


@pytest.mark.sweep
def test_a_stored_statement_is_no_proof_about_another_model_of_that_name():
    """What is known of the stored model is cited where the equations are its own, and only there."""
    made = document("dyck-1")
    assert certify.certified(made, "accept <-> dyck(w, n)", seconds=5) is not None
    assert made["embedding"]["words"][")"]["token"] == "-1"
    made["embedding"]["words"][")"]["token"] = "-2"
    assert certify.certified(made, "accept <-> dyck(w, n)", seconds=5) is None  # no word is tried
    found = certify.settle(certify.claim(made, "accept <-> dyck(w, n)"), made)
    assert found.verdict is not None and found.verdict.status == "REFUTED"


@pytest.mark.layer_one(0)
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("votes", "mean(n) <= 1"),
        ("votes", "answer(more_a) <-> count(a) >= count(b)"),
        ("dyck-1", "accept -> n mod 2 = 0"),
        ("third", "count(a) mod 3 = 1 -> count(a) > 0"),
        ("first", 'count("0") + count("1") = n - 1'),  # CLS is counted too
        ("first", 'count("0") mod 2 = 0 | count("0") mod 2 = 1'),
    ],
)
def test_lengths_and_counts_need_no_lines(name, sentence):
    found = settled(name, sentence)
    assert found.verdict is not None and found.verdict.words == "PROVED", found.missing
