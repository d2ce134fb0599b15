"""Remainders in sentences: what is read is what is meant; two readings and other divisors are refused."""

import json
from itertools import product

import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.model import modelfile
from symcook.proof.statements import certify
from symcook.proof.statements.shortruns import Runs


@pytest.fixture(scope="module")
def third():
    b = sc.Builder(words={"a": {"vote": 2}, "b": {"vote": -1}})
    mean = b.add(sc.head(value={"mean": "vote"}, mask="future"))
    b.readout("sign", "last", mean, weights=[1])
    return json.loads(modelfile.dumps(b.build("third")))


MEANT = {  # a sentence, and what Python says of the numbers of a and b
    "n mod 2 = 0": lambda a, b: (a + b) % 2 == 0,
    "0 = n mod 1": lambda a, b: True,
    "n mod 3 = 5": lambda a, b: False,
    "n mod 2 != 1": lambda a, b: (a + b) % 2 != 1,
    "count(a) mod 3 = 2": lambda a, b: a % 3 == 2,
    "(count(a) - count(b)) mod 3 = 2": lambda a, b: (a - b) % 3 == 2,
    "(2*count(a) + 1) mod 4 <= 1": lambda a, b: (2 * a + 1) % 4 <= 1,
    "count(a) mod 2 = count(b) mod 2": lambda a, b: a % 2 == b % 2,
    "1 <= n mod 4 < 3": lambda a, b: 1 <= (a + b) % 4 < 3,
    "(n mod 4) mod 2 = 1": lambda a, b: (a + b) % 4 % 2 == 1,
    "((n mod 4) + 1) mod 2 = 1": lambda a, b: ((a + b) % 4 + 1) % 2 == 1,
    "n mod 3 + 1 = count(a)": lambda a, b: (a + b) % 3 + 1 == a,
    "(-count(a)) mod 3 = 1": lambda a, b: -a % 3 == 1,
    "I[n mod 2 = 0] = I[count(a) mod 2 = 0]": lambda a, b: ((a + b) % 2 == 0) == (a % 2 == 0),
    "sum(i, 1, n, I[i mod 2 = 1]) = count(a)": lambda a, b: (a + b + 1) // 2 == a,
    "(all i in 1..n. i mod 3 = 1 -> i <= count(a))": lambda a, b: all(
        i % 3 != 1 or i <= a for i in range(1, a + b + 1)
    ),
    "~odd(n)": lambda a, b: (a + b) % 2 == 0,
    "((mean(n)*n + 1)/2) mod 1 = 0": lambda a, b: (2 * a - b + 1) % 2 == 0,  # of what is no whole number, too
}


@pytest.mark.parametrize("sentence", MEANT)
def test_a_remainder_is_that_of_python_on_every_short_word(third, sentence):
    runs = Runs(certify.claim(third, sentence), third)
    for length in range(1, 6):
        found = {}
        for ready in runs.at(length):
            assert ready
            found[runs.word] = runs.false()
        for word in product("ab", repeat=length):
            assert found[word] is (not MEANT[sentence](word.count("a"), word.count("b"))), word


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize(
    ("sentence", "status"),
    [
        ("n mod 2 = 0 | n mod 2 = 1", "PROVED"),
        ("n mod 3 <= 2", "PROVED"),
        ("~odd(count(a)) <-> count(a) mod 2 = 0", "PROVED"),
        ("accept & n mod 2 = 1 -> ex i in 1..n. at(a, i)", "PROVED"),
        ("n mod 3 <= 1", "REFUTED"),
        ("n mod 2 = 0 | n mod 3 = 0", "REFUTED"),
        ("accept -> count(a) mod 2 = 1", "REFUTED"),
        ("~odd(count(a)) <-> count(b) mod 2 = 0", "REFUTED"),
        ("accept <-> odd(n)", "REFUTED"),
    ],
)
def test_what_is_said_of_remainders_is_proved_or_refuted(third, sentence, status):
    verdict = certify.settle(certify.claim(third, sentence), third).verdict
    assert verdict is not None and verdict.status == status


@pytest.mark.sweep
@pytest.mark.parametrize("sentence", ["n mod 40 != 39", "count(a) mod 60 <= 50"])
def test_what_short_strings_do_not_show_is_not_proved(third, sentence):
    found = certify.settle(certify.claim(third, sentence), third, seconds=8)
    assert found.verdict is None or (found.verdict.status == "REFUTED" and len(found.tried.word) >= 39)


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("n + 1 mod 2 = 0", "two left operands"),
        ("2*n mod 3 = 1", "two left operands"),
        ("-n mod 2 = 0", "two left operands"),
        ("n mod 2*3 = 0", "two left operands"),
        ("n mod 2 mod 2 = 0", "two left operands"),
        ("n mod 0 = 0", "literal whole number"),
        ("n mod n = 0", "literal whole number"),
        ("n mod 2.5 = 0", "literal whole number"),
        ("n mod 1001 = 0", "literal whole number"),
        ("n mod 2", "is compared"),
        ("odd(n mod 3)", "is compared"),
        ("sum(i, 1, n, i mod 2) = 3", "inside of a sum"),
        ("accept mod 2 = 0", "true or false"),
        ("(accept & accept) mod 2 = 0", "true or false"),
        ("n % 2 = 0", "a mod 3 for a % 3"),
    ],
)
def test_two_readings_and_other_divisors_are_refused_in_one_sentence(third, sentence, why):
    with pytest.raises(BadInput, match=why):
        certify.claim(third, sentence)


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("sentence", ["n mod 2 = 0 | (all q2 in 1..n. q0(q2) <= mod(q2) + 1)", "(mod(1)) mod 2 <= 1"])
def test_names_that_a_remainder_needs_are_new(sentence):
    """A coordinate or a bound name may be called as the quotient would be, and mod itself is a name."""
    b = sc.Builder(words={"a": {"q0": 1}, "b": {"mod": 1}})
    b.readout("sign", "last", b.add(sc.head(value={"q1": "q0"}, mask="future")), weights=[1])
    made = json.loads(modelfile.dumps(b.build("named")))
    verdict = certify.settle(certify.claim(made, sentence), made, seconds=600).verdict
    assert verdict is not None and verdict.status == "PROVED"
