"""The sentence of an own claim: last and earlier values, names that are taken, the library's definitions, errors.

Expected values come from the exact run of the model and from counting letters.
"""

import itertools
import json
import random
import re
from fractions import Fraction
from typing import Any

import pytest
from attacks import sentences

import symcook as sc
from symcook.domains.exact import Exact
from symcook.errors import BadInput, Rejected
from symcook.forward import forward
from symcook.model import modelfile
from symcook.model.checks import Space
from symcook.model.ends import Embedding, Readout
from symcook.model.parts import FeedForward, Head, Layer, SelfAttention
from symcook.model.transformer import Transformer
from symcook.proof import replay
from symcook.proof.statements import certify, vocabulary


def document(model: Transformer) -> dict:
    return json.loads(modelfile.dumps(model))


def mean(reads: str, writes: str, mask: str = "none") -> SelfAttention:
    return SelfAttention((Head(reads=(reads,), writes=(writes,), Q=[[0]], K=[[0]], V=[[1]], mask=mask),))


def votes(name: str = "vote", words: tuple[str, ...] = ("a", "b", "c"), **ends: Any) -> Transformer:
    """The first word counts 1 and the second -1 in the coordinate NAME; "y" is their mean."""
    embedding = Embedding(
        Space((name, "y")), words={w: {name: v} for w, v in zip(words, (1, -1, 0)[: len(words)], strict=True)}, **ends
    )
    return Transformer("votes", embedding, (Layer(mean(name, "y")),), Readout("sign", "last", ("y",), weights=[1]))


def twice() -> Transformer:
    """v is 1 or -1, then gets the mean of v, then its own positive part and the position, in each of two layers."""
    positive = FeedForward(("v",), ("v",), W1=[[1]], b1=[0], W2=[[1]], b2=[2])
    embedding = Embedding(Space(("u", "v")), words={"a": {"v": 1}, "b": {"v": -1}}, positions={"u": "i"})
    layers = (Layer(mean("v", "v", "future"), positive), Layer(None, positive), Layer(mean("u", "v")))
    return Transformer("twice", embedding, layers, Readout("value", "last", ("v",)))


def true(model: Transformer, sentence: str, length: int = 3) -> bool:
    """Whether the sentence is true of all words to this length."""
    statement = certify.claim(document(model), sentence)
    try:
        return statement.evaluated(length) > 0
    except Rejected:
        return False


# --- Values after each layer ------------------------------------------------------------------------------------------


def test_a_bare_coordinate_is_its_last_value_and_the_others_say_the_layer():
    model = twice()
    stages = ["@0", "@1.attention", "@1", "@2", "@3"]
    for length, word in ((n, w) for n in (1, 2, 3) for w in itertools.product("ab", repeat=n)):
        steps = forward(model, word, Exact(), trace=True).steps
        assert len(steps) == len(stages)
        where = " & ".join([f"n = {length}", *(f"at({letter}, {i})" for i, letter in enumerate(word, 1))])
        says = []
        for stage, step in [
            *zip(stages, steps, strict=True),
            ("", steps[-1]),
            ("@3.attention", steps[-1]),
            ("@2", steps[3]),
        ]:
            values = [Fraction(str(x)) for x in step.columns["v"]]
            says += [f"v{stage}({i}) = {x}" for i, x in enumerate(values, 1)]
        assert true(model, f"{where} -> {' & '.join(says)}", length), word
        assert not true(model, f"{where} -> v@0(1) = v(1)", length), word


def test_a_value_that_is_no_more_is_not_proved_of_the_coordinate():
    embedding = Embedding(Space(("v",)), words={"a": {"v": 1}, "b": {"v": -1}})
    model = Transformer("twice", embedding, (Layer(mean("v", "v")),), Readout("value", "last", ("v",)))
    assert not true(model, "v(n) <= 1")  # on a the run shows 2
    assert true(model, "v@0(n) <= 1 & v(n) <= 2")


def test_what_nothing_has_written_is_zero():
    assert true(votes(), "y@0(n) = 0 & y@1(n) = y(n)") and not true(votes(), "y(n) = 0")


@pytest.mark.parametrize(
    "sentence", ["u@0(n) = 1", "v@4(n) = 0", "v@2.attention(n) = 0", "v@1.norm(n) = 0", "x(n) = 0"]
)
def test_an_unknown_name_lists_those_that_there_are(sentence):
    with pytest.raises(BadInput) as caught:
        certify.claim(document(twice()), sentence.replace("u@0(n)", "u@0(n) + u@9(n)"))
    assert "v@1.attention" in str(caught.value) or "u@0, u@1.attention" in str(caught.value)


# --- Names ------------------------------------------------------------------------------------------------------------

DEFINITIONS = [
    "odd",
    "dyck",
    "height",
    "bit",
    "brackets",
    "bracket",
    "sm",
    "hardmax",
    "maximal",
    "gelu",
    "laynorm",
    "tieless",
]
FUNCTIONS = ["relu", "max", "min", "pow", "exp", "sin", "sqrt", "abs", "tanh", "floor", "mod", "sign"]
WORDS = ["accept", "answer", "at", "count", "first", "last", "word", "run", "here"]
INNER = ["e", "z1_y", "mu1", "y_", "length", "prefix", "iff", "and"]


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("name", [*DEFINITIONS, *FUNCTIONS, *WORDS, *INNER])
def test_a_coordinate_may_be_called_like_anything(name):
    model = votes(name)
    assert true(model, "accept <-> count(a) > count(b)")
    assert not true(model, "accept <-> count(a) > 1")
    assert true(model, f'all i in 1..n. "{name}"(i) = I[at(a, i)] - I[at(b, i)]')
    assert true(model, f"all i in 1..n. \"{name}\"@0(i) = '{name}'@1(i)")
    assert not true(model, f'"{name}"(n) = 0')
    assert true(model, "1 <= first(a) & last(a) <= n & n^2 <= n*n & 0 <= n")


@pytest.mark.parametrize("name", ["relu", "exp", "gelu", "evenbit", "bracket"])
def test_a_name_with_two_meanings_must_be_quoted(name):
    with pytest.raises(BadInput, match="two meanings") as caught:
        certify.claim(document(votes(name)), f"{name}(n) <= 1")
    assert f'the coordinate {name} is written "{name}"(i)' in str(caught.value)
    certify.claim(document(votes()), f"{name}(n) <= 1")


@pytest.mark.parametrize(("name", "sentence"), [("max", "max(n) <= 1"), ("height", "height(n) <= 1"), ("at", "1 <= n")])
def test_a_name_that_can_only_be_the_coordinate_is(name, sentence):
    assert true(votes(name), sentence) and not true(votes(name), f'"{name}"(n) <= 0')


def test_count_is_never_about_a_coordinate():
    assert true(votes("count"), "count(a) <= n") and not true(votes("count"), "count(a) <= 1")
    digits = votes("count", ("0", "1"))
    with pytest.raises(BadInput, match=r'two meanings.*count\("1"\).*"count"\(i\)'):
        certify.claim(document(digits), "count(1) <= 1")
    assert true(digits, '"count"(1) <= 1 & count("1") <= n') and not true(digits, 'count("1") <= 1')
    with pytest.raises(BadInput, match='the coordinate count is written "count"'):
        certify.claim(document(votes("count")), "count(n - 1) <= 1")


def test_a_definition_that_is_a_formula_is_no_coordinate():
    """odd of README's parity.json: odd(..) is the library's, which is true or false; "odd"(i) is the coordinate."""
    model = votes("odd")
    text = certify.claim(document(model), 'odd(count(a)) & "odd"(n) = 1').text
    assert text.endswith("(odd(sum(i, 1, n, I[w(i) = 0])) & odd_(n) = 1)")
    with pytest.raises(BadInput, match='the coordinate odd is written "odd"'):
        certify.claim(document(model), "odd(n) = 1")


@pytest.mark.parametrize("name", ["odd", "run", "first_", "i1", "z1_y", "y1"])
def test_a_bound_name_may_be_any_other(name):
    assert true(
        votes(),
        f"all {name} in 1..n. ex k in {name}..n. vote({name}) <= 1 & {name} <= k & accept(n) = accept(n)".replace(
            " & accept(n) = accept(n)", " & (accept -> 1 <= count(a))"
        ),
    )


def test_names_of_a_function_that_is_written_out_stay_apart():
    text = certify.claim(
        document(votes()), "blockread(odd i. odd + 2*i, 3, 1, 1) = 3 & maximal(odd. vote(odd), n, 1)"
    ).text
    assert "blockread(i j. i + 2*j, 3, 1, 1) = 3 & maximal(i. vote(i), n, 1)" in text
    with pytest.raises(BadInput, match="bound twice"):
        certify.claim(document(votes()), "blockread(i i. i, 3, 1, 1) = 3")


def test_a_word_stands_under_a_quantifier_of_any_name():
    embedding = Embedding(Space(("v", "y")), words={"a": {"v": 1}, "b": {"v": -1}})
    readout = Readout("sign", "all", ("y",), weights=[1])
    every = Transformer("every", embedding, (Layer(mean("v", "y", "future")),), readout)
    for i, j in itertools.permutations("ijk", 2):
        says = f"all {i} in 1..n. all {j} in 1..{i}. accept -> 1 <= count(a) & first(a) = 1 & at(a, {j}) | at(b, {j})"
        assert true(every, says)
    assert not true(every, "all i in 1..n. accept")


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize(
    "words",
    [("ä", "б", "c"), ("日", "本", "("), ('"', "'", ")"), ("all", "sum", "pi"), ("0", "1", "2x"), ("a@1", "@", "%")],
)
def test_tokens_of_any_signs(words):
    model = votes("vote", words)
    quoted = [f"'{w}'" if '"' in w else f'"{w}"' for w in words]
    a, b, c = quoted
    assert true(model, f"accept <-> count({a}) > count({b})")
    assert true(model, f"count({a}) + count({b}) + count({c}) = n & (at({c}, n) -> last({c}) = n)")
    for plain in (w for w in words if w.isalnum()):
        assert true(model, f"count({plain}) <= n & (at({plain}, 1) -> first({plain}) = 1)")


def test_the_statement_keeps_the_names_that_are_free():
    text = certify.claim(document(votes()), "all i in 1..n. vote(i) <= 1").text
    assert text.startswith("all n:Int, w:Int->Int, vote:Int->Real, y:Int->Real. ")
    assert text.endswith("(all i in 1..n. vote(i) <= 1)")


# --- The library's definitions ----------------------------------------------------------------------------------------


def test_definitions_of_brackets_are_about_brackets():
    right, other = votes("v", ("(", ")", "c")), votes("v", (")", "(", "c"))
    for sentence in ('dyck(w, n) -> at("(", 1) | at(c, 1)', "height(w, n) <= n", "brackets(w, n) | count(c) >= 1"):
        assert true(right, sentence)
        with pytest.raises(BadInput, match=r"takes tokens 0 and 1 for \( and \)"):
            certify.claim(document(other), sentence)
    with pytest.raises(BadInput, match="takes tokens 0 and 1"):
        certify.claim(document(other), "bracket(w(1)) = 1")
    zero = votes("v", ("(", ")", "c"), start=0)
    with pytest.raises(BadInput, match="needs positions that begin with 1"):
        certify.claim(document(zero), "dyck(w, n)")
    assert true(other, "height(v, n) <= n*n & bracket(n) <= 1")  # no word is given


# --- Errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "column", "said"),
    [
        ("count(a)=count(b) => accept", 19, "write -> for =>"),
        ("count(a)=count(b) <=> accept", 19, "write <-> for <=>"),
        ("accept iff count(a) = 1", 8, "write <-> for iff"),
        ("count(a) == 1", 10, "write = for =="),
        ("not accept", 5, "write ~ for not"),
        ("not(accept)", 1, "write ~ for not"),
        ("accept and 1 <= n", 8, "write & for and"),
        ("accept or 1 <= n", 8, "write | for or"),
        ("accept && 1 <= n", 8, "write & for &&"),
        ("!accept", 1, "write ~ for !"),
        ("count(a) % 2 = 0", 10, "write a mod 3"),
        ("mod(count(a)) = 0", 1, "mod takes two numbers"),
        ("count(a) = 1 ∧ accept", 14, "write & for ∧"),
        ("forall i in 1..n. vote(i) <= 1", 8, "write all i in 1..n. for forall"),
        ("accept -> vote(n/2) <= 1", 11, "an argument must be a whole number"),
        ("accept -> vote <= 1", 11, "'vote': vote is a function"),
        ("maximal(n, n, n)", 1, "wrong number of arguments"),
        ("sum(i, 1, vote(n), 1) = 1", 1, "whole numbers"),
        ("accept & count(a)", 1, "a number stands where true or false"),
        ("all i in 1..n. vote(i)", 1, "a number stands where true or false"),
        ("count(a)", 1, "is a number"),
        ("accept & v(n) = 1", 10, "the name 'v' is unknown here; known: vote, y"),
        ("accept & votes(n) = 1", 10, "did you mean vote?"),
        ("vote(i) <= 1", 6, "bind it: all i in 1..n. F"),
        ("vote(n, 1) = 1", 1, "a coordinate takes one position"),
        ("all vote in 1..n. 1 <= n", 1, "which is a coordinate"),
        ("all n in 1..2. 1 <= n", 5, "which has a meaning"),
        ("all i in 1..n. ex i in 1..n. 1 <= i", 16, "bound twice"),
        ("accept -> vote <= 1", 11, "its value at the last position is written vote(n)"),
        ("accepts <-> 1 <= n", 19, "did you mean accept?"),
        ("1 <= n & Accept", 16, "did you mean accept?"),
        ("y -> accept", 12, "y is a number; compare it, as in 0 < y(n)"),
        ("accept & (1 <= n", 17, "does not close its brackets"),
        ("1 <= n;", 7, "no statement has this sign"),
        ("vote(n) <= .5", 1, "write 0.5 for .5"),
        ("2^(n/2) = 2", 1, "the exponent of pow must be a whole number"),
        ("", 1, "ends too early"),
    ],
)
def test_an_error_shows_the_sentence_and_its_column(sentence, column, said):
    with pytest.raises(BadInput) as caught:
        certify.claim(document(votes()), sentence)
    message = str(caught.value)
    assert f"given: {sentence or 'nothing'}; column {column}" in message
    assert said in message
    assert (
        "sum(i, 1, n, I[" not in message
        and "('fun'" not in message
        and ".." not in message.replace("1..", "").replace("...", "")
    )


def test_a_readout_at_each_position_is_asked_at_the_last_without_one():
    """As that of a compiled formula is."""
    model = sc.compile("ltl", "Q_a since Q_b", alphabet="ab")
    last = certify.claim(document(model), "accept(n) <-> 1 <= n")
    assert certify.claim(document(model), "accept <-> 1 <= n").text == last.text


# --- A search ---------------------------------------------------------------------------------------------------------


@pytest.mark.sweep
@pytest.mark.layer_two(0, 1)
@pytest.mark.parametrize("seed", range(0, 40, 8))
def test_random_sentences_are_true_where_the_run_says_so(seed):
    """tests/attacks/sentences.py; the same search sees a first value that is taken for the last."""
    for one in range(seed, seed + 8):
        assert sentences.tried(one)[1] == ""


@pytest.mark.sweep
def test_the_search_sees_a_first_value_that_is_taken_for_the_last(monkeypatch):
    plain = vocabulary.ModelMeaning.stages
    first = lambda self, name: dict.fromkeys(plain(self, name), plain(self, name)["@0"])  # noqa: E731
    monkeypatch.setattr(vocabulary.ModelMeaning, "stages", first)
    assert any(sentences.tried(seed)[1] for seed in range(20))


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("name", ["vote", "odd", "relu", "count"])
def test_a_garbled_sentence_is_refused_in_its_own_words(name):
    """No error but BadInput, with a column of the sentence; what is taken reads as a statement."""
    chance, taken = random.Random(name), 0
    mine = document(votes(name))
    meaning = vocabulary.ModelMeaning(mine, replay.statements()["lem.sum_ext"].known)
    for _ in range(800):
        sentence = sentences.garbled(chance).strip()
        try:
            meaning.text(sentence)
        except BadInput as error:
            column = re.search(r"; column (\d+)", str(error))
            if column is None:  # of a token or label
                assert "must be a known name" in str(error)
            else:
                assert 1 <= int(column[1]) <= len(sentence) + 1
        else:
            certify.claim(mine, sentence)
            taken += 1
    assert taken
