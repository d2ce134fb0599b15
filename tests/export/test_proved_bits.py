"""`precision` cites the theorems about a model that rounds, with the greatest length that a number of bits gives."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations, product

import pytest
from checkout import ROOT

from symcook.export import provedbits
from symcook.model.modelfile import dumps, load, loads, model_hash, numbered_hash, to_document
from symcook.questions.precision import precision
from symcook.recipes import build, info
from symcook.report.check import proved

MAJORITY = load(ROOT / "proofs/models/majority.json")


def test_a_length_is_the_greatest_that_meets_the_premises() -> None:
    """By plain search: 2*n*(n + 2)*u < 1 without ties; n*u <= 1 and 7*u <= 1 in floats."""
    errors, floats = sorted(provedbits.theorems(MAJORITY), key=lambda one: one.floats)
    for bits in (2, 3, 4, 8, 11):
        u = Fraction(1, 2**bits)
        assert errors.longest(bits) == max((n for n in range(1, 99) if 2 * n * (n + 2) * u < 1), default=None)
        assert floats.longest(bits) == (2**bits if bits > 2 else None)
    assert errors.longest(24) == 2895 and errors.accepts == "sum(i, 1, n, I[w(i) = 1]) < sum(i, 1, n, I[w(i) = 0])"
    assert "=" in errors.only[0] and floats.only == ()


def test_typed_symbols_are_counted() -> None:
    """FIRST has a token before the string: 8*(n + 3)*u <= 1 at n = 253 is a string of 252 symbols."""
    (theorem,) = precision(build("first"), 1, formats=["float16"]).extra["theorems"]
    assert theorem["lengths"] == {"11": 252} and theorem["id"] == "lem.rounded_first"


def test_a_least_length_is_told() -> None:
    """FIRST has a theorem from n = 2 on, the string of one symbol; that of dyck-1 is about each string with a run."""
    least = "the input has at least 1 symbol"
    (theorem,) = precision(build("first"), 1, formats=["float16"]).extra["theorems"]
    assert theorem["where"] == [least, "0 < c"]
    assert [one["where"] for one in provedbits.in_bits(build("first"), {"c": 2}, 8)] == [[least]]
    assert [one["where"] for one in provedbits.in_bits(build("dyck-1"), None, 8)] == [[]]


@pytest.mark.parametrize(
    ("premise", "least", "told"),
    [
        ("2 <= n", 2, "the input has at least 1 symbol"),
        ("3 < n", 4, "the input has at least 3 symbols"),
        ("1 <= n", 1, None),
    ],
)
def test_the_least_length_by_premise(premise: str, least: int, told: str | None) -> None:
    text = f"all n:Int, u:Real. {premise} & n*u < 1 -> run(rounded-first; u) -> (accept(rounded-first) <-> n = 1)"
    read = provedbits._read("lem.some", text)
    assert read is not None and read.shortest == least and read.where(1) == ([] if told is None else [told])
    assert read.longest(8) == 255 and read.longest(1) == (1 if least == 1 else None)


def test_stored_models_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A second question reads no file of a model."""
    assert list(provedbits._about(MAJORITY)) == ["lem.rounded_majority", "lem.floats_majority"]
    monkeypatch.setattr(provedbits, "statement_files", lambda _: pytest.fail("read again"))
    assert provedbits._about(build("dyck-1")) == ("lem.rounded_dyck_fails", "lem.floats_dyck")


def test_precision_prints_them() -> None:
    answer = precision(build("dyck-1"), 1, formats=["float16", "float32"])
    (note,) = (text for name, text in answer.notes.items() if name == "PROVED lem.floats_dyck")
    assert note == (
        "accept <-> dyck(w, n), where floats keep whole numbers and exponents are unlimited:"
        " 11 bits up to n = 510; 24 bits up to n = 4,194,302"
    )


def test_a_model_without_a_theorem() -> None:
    """Of other weights nothing is cited; of a statement that some run exists neither."""
    assert precision(build("parity"), 1).extra["theorems"] == []
    assert [one.id for one in provedbits.theorems(build("lookup-quadratic"))] == ["lem.rounded_lookup_quadratic"]


def test_a_theorem_about_values() -> None:
    """What it proves is its conclusion, and the premises on the inputs are told."""
    (theorem,) = provedbits.theorems(build("lookup-quadratic"))
    assert theorem.accepts is None
    assert theorem.states == "abs(found(a) - value(q)) <= (pow(1/(1 - u), 3) - 1)*abs(value(q))"
    assert theorem.only[-1] == "abs(query(a) - q) <= 1/4" and theorem.longest(24) == 418


@pytest.mark.parametrize(
    "text",
    [
        "all n:Int, u:Real. run(rounded-first; u) -> n = 1",
        "all n:Int, u:Real, names(rounded-first). run(rounded-first; u) -> (accept(rounded-first) -> n = 1)",
        "all n:Int, u:Real. run(rounded-first; u) & run(floats-first; u) -> (accept(rounded-first) <-> n = 1)",
    ],
)
def test_other_forms_are_not_read(text: str) -> None:
    assert provedbits._read("lem.some", text) is None


def test_a_premise_that_falls_with_the_length_is_no_limit() -> None:
    """It is told as a condition: only what grows with n can be searched by halves."""
    text = "all n:Int, u:Real. n - 3 < 1 & n*u < 1 -> run(rounded-first; u) -> (accept(rounded-first) <-> n = 1)"
    read = provedbits._read("lem.some", text)
    assert read is not None and read.only == ("n - 3 < 1",) and len(read.limits) == 1


def test_what_fails_with_any_number_of_bits_is_told() -> None:
    """dyck-1 and an induction head have such theorems, majority and FIRST have none."""
    notes = precision(build("dyck-1"), 1, formats=["float16"]).notes
    assert notes["PROVED lem.rounded_dyck_fails"] == provedbits.FAILS
    induction = load(ROOT / "proofs/models/induction-most-recent.json")
    assert provedbits.failing(induction) == ["lem.rounded_induction_fails"]
    assert provedbits.failing(MAJORITY) == provedbits.failing(build("first")) == []


def _balanced(word: Sequence[int]) -> bool:
    """Whether a string of the numbers 0 and 1 is balanced, with 0 for an opening bracket."""
    depth = 0
    for number in word:
        depth += 1 - 2 * number
        if depth < 0:
            return False
    return depth == 0


ACCEPTED: dict[str, Callable[[Sequence[int]], bool]] = {
    "lem.rounded_first": lambda word: word[0] == 1,
    "lem.rounded_majority": lambda word: word.count(1) < word.count(0),
    "lem.floats_majority": lambda word: word.count(1) < word.count(0),
    "lem.floats_dyck": _balanced,
}
"""By theorem: which typed strings, as numbers of tokens, its statement says are accepted."""


@pytest.mark.parametrize("name", ["majority", "first", "dyck-1"])
def test_a_theorem_is_about_the_numbers_of_tokens(name: str) -> None:
    """A file that lists the tokens in another order has the hash of the stored model, but w(i) = 1 is another token
    in it: no theorem is cited that is false about it."""
    stored = MAJORITY if name == "majority" else build(name)
    cited = {theorem.id for theorem in provedbits.covering(stored)}
    assert cited and cited <= ACCEPTED.keys()
    for order in permutations(stored.embedding.words or ()):
        document = json.loads(dumps(stored))
        document["embedding"]["words"] = {token: document["embedding"]["words"][token] for token in order}
        model = loads(json.dumps(document))
        assert model_hash(model) == model_hash(stored)
        same = order == (*(stored.embedding.words or ()),)
        assert (numbered_hash(to_document(model)) == numbered_hash(to_document(stored))) is same
        for theorem in provedbits.covering(model):
            for word in (word for n in range(1, 5) for word in product(model.alphabet, repeat=n)):
                accepted = ACCEPTED[theorem.id]([order.index(token) for token in word])
                ties = theorem.id == "lem.rounded_majority" and word.count(order[0]) == word.count(order[1])
                assert ties or model.run(word, values={"c": 1} if name == "first" else {}).accept is accepted
        assert {theorem.id for theorem in provedbits.covering(model)} == (cited if same else set())


def test_a_check_names_no_theorem_about_other_numbers_of_tokens() -> None:
    """With these, `check` and pages add that a language is proved for strings of every length."""
    stored, claims = build("dyck-1"), info("dyck-1").claims
    assert proved(stored, claims)
    document = json.loads(dumps(stored))
    words = document["embedding"]["words"]
    document["embedding"]["words"] = {token: words[token] for token in reversed(words)}
    assert proved(loads(json.dumps(document)), claims) == {}
