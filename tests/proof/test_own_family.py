"""Statements about all sizes of a family of one's own: ``symcook prove FAMILY.json --statement S``, no ``--set``."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from shared import call, document, refused, second_checker

from symcook import Builder
from symcook.errors import BadInput, Rejected
from symcook.model.family import Family, load, shipped
from symcook.model.modelfile import to_document
from symcook.proof.families import allsizes
from symcook.proof.files import proofs_directory
from symcook.proof.search import limits
from symcook.proof.statements import certify
from symcook.proof.statements.proving import ProofAnswer, settle_family
from symcook.report.proving import smallest

FAMILIES = proofs_directory() / "families"
KINDS = {
    "symcook family": 1,
    "name": "kinds",
    "sizes": {"S": "1 <= S"},
    "tables": {"all c in 1..S. weight(c)": {"values": "Int", "where": ["all c in 1..S. 0 <= weight(c)"]}},
    "space": ["all c in 1..S. is(c)", "all c in 1..S. share(c)", "load"],
    "embedding": {
        "vocabulary": "S + 1",
        "words": {"all c in 1..S. is(c)": "I[w = c]", "load": "sum(c, 1, S, weight(c)*I[w = c])"},
    },
    "layers": [
        {
            "attention": [
                {"score": "0", "mask": "future", "weighting": "average", "writes": {"all c in 1..S. share(c)": "is(c)"}}
            ]
        }
    ],
    "readout": {"kind": "sign", "position": "last", "score": "load"},
}
"""S symbols besides token 0, with a weight each."""
Truth = Callable[[int, tuple[int, ...], tuple[int, ...]], bool]


def share(word: tuple[int, ...], c: int, i: int) -> Fraction:
    return Fraction(word[:i].count(c), i)


TRUE = (
    "all c in 1..S. 0 <= share(c, n)",
    "all c in 1..S. count(c) = n*share(c, n)",
    "all c in 1..S. all i in 1..n. share(c, i) <= 1",
    "accept <-> 0 < load(n)",
)
FALSE: dict[str, Truth] = {
    "all c in 1..S. share(c, n) < 1": lambda s, _, word: all(share(word, c, len(word)) < 1 for c in range(1, s + 1)),
    "S <= 2 | count(S - 1) <= 1": lambda s, _, word: s <= 2 or word.count(s - 1) <= 1,
    "share(S, n) <= share(1, n) | 3 <= n": lambda s, _, word: (
        share(word, s, len(word)) <= share(word, 1, len(word)) or len(word) >= 3
    ),
    "S <= 1 | first(S) != n - 1": lambda s, _, word: s <= 1 or [*word, s].index(s) + 1 != len(word) - 1,
    "accept -> weight(S) <= 0": lambda s, weight, word: word[-1] == 0 or weight[word[-1] - 1] <= 0 or weight[-1] <= 0,
}


def settled(sentence: str, family: Family | None = None, seconds: int = 60) -> ProofAnswer:
    family = family or Family(KINDS)
    return settle_family(family, allsizes.claim(family, sentence), None, seconds)


def both_accept(answer: ProofAnswer, folder: Path) -> None:
    """Both checkers read the statement and its certificate."""
    certificate = json.loads(json.dumps(answer.certificate))
    assert limits.judged(answer.claim, certificate).status == answer.status
    checked = second_checker(folder, answer.claim, certificate)
    assert checked.returncode == 0 and f"{answer.status:<8} own." in checked.stdout, checked.stdout


@pytest.mark.sweep
@pytest.mark.parametrize("sentence", TRUE)
@pytest.mark.layer_two(every=2)
def test_what_is_true_at_all_sizes_is_proved(sentence: str, tmp_path: Path) -> None:
    answer = settled(sentence)
    assert (answer.status, answer.sizes) == ("PROVED", None)
    both_accept(answer, tmp_path)


@pytest.mark.sweep
def test_numbers_without_positions_have_values_by_the_run(tmp_path: Path) -> None:
    """`out` is no function: its equation is read all the same, so that sizes, tables and an input meet the hypotheses.
    The statement is the formula of `BY_HAND` in test_family_forms.py; with 1 more it is refuted."""
    family = load(shipped("cpwl"))
    value = "m(1)*x + sum(r, 2, P, (m(r) - m(r - 1))*relu(x - xs(r))) + (ys(1) - m(1)*xs(1))"
    answer = settled(f"out = {value}", family)
    assert answer.status == "PROVED"
    both_accept(answer, tmp_path)
    assert settled(f"out = {value} + 1", family, 8).status == "REFUTED"


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("sentence", FALSE)
def test_the_smallest_size_and_string_refute(sentence: str, tmp_path: Path) -> None:
    """By brute force no smaller size, and at that size no smaller string, makes it false at the weights found."""
    answer, truth = settled(sentence), FALSE[sentence]
    assert answer.status == "REFUTED" and answer.word is not None and answer.certificate is not None
    found = answer.to_json()["sizes"]
    size, weight = found["S"], tuple(map(int, found["weight"]))
    words = (word for n in range(1, 5) for word in product(range(size + 1), repeat=n))
    assert tuple(map(int, answer.word)) == next(word for word in words if not truth(size, weight, word))
    smaller = ((s, w) for s in range(1, size) for n in range(1, 4) for w in product(range(s + 1), repeat=n))
    assert all(truth(s, tuple(range(1, s + 1)), word) for s, word in smaller)
    both_accept(answer, tmp_path)


@pytest.mark.sweep
def test_a_certificate_is_of_its_own_statement_alone() -> None:
    certificate = settled(TRUE[0]).certificate
    for near in ("all c in 1..S. 0 < share(c, n)", "all c in 0..S. 0 <= share(c, n)"):
        with pytest.raises(Rejected):
            limits.judged(allsizes.claim(Family(KINDS), near), certificate)
    changed = Family({**KINDS, "sizes": {"S": "2 <= S"}})
    with pytest.raises(Rejected):
        limits.judged(allsizes.claim(changed, TRUE[0]), certificate)


@pytest.mark.sweep
def test_what_rounds_carry_has_its_values(tmp_path: Path) -> None:
    """Round t adds t to `total` where the token before is t: `total` is the sum over the string, by Python."""
    family = Family({
        "symcook family": 1, "name": "rounds", "sizes": {"D": "0 <= D"}, "tables": {}, "space": ["token", "total"],
        "embedding": {"vocabulary": "D + 1", "words": {"token": "w"}},
        "layers": [{"for": "t in 1..D", "layers": [{"feedforward": {
            "total": "t*relu(token - t + 1) - 2*t*relu(token - t) + t*relu(token - t - 1)"}}]}],
        "readout": {"kind": "zero", "position": "last", "reads": ["total"]},
    })  # fmt: skip
    answer = settled(
        "total(n) = w(n) & total(0, n) = 0 & (D <= 1 | total(1, n) = I[w(n) = 1] & total(2, n) < 2)", family
    )
    assert (answer.status, answer.word, answer.to_json()["sizes"]) == ("REFUTED", ("2",), {"D": 2})
    both_accept(answer, tmp_path)


@pytest.mark.parametrize(
    ("sentence", "what"),
    [
        ("all c in 1..S. share(c) <= 1", "share takes 1 index and a position"),
        ("all S in 1..n. S = 1", "the quantified name 'S' is a name of the family"),
        ('matches("0*")', "matches has no meaning for all sizes"),
        ('count("a") = 0', "the tokens and labels of a family are numbers"),
        ("shar(1, n) = 0", "did you mean share"),
        ("answer(1)", "answer needs a readout largest"),
    ],
)
def test_bad_sentences(sentence: str, what: str) -> None:
    with pytest.raises(BadInput, match=what):
        allsizes.claim(Family(KINDS), sentence)


@pytest.mark.sweep
def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit codes and files, one statement and many; the certificate is of the family as it was."""
    monkeypatch.chdir(tmp_path)
    Path("kinds.json").write_text(json.dumps(KINDS), encoding="utf-8")
    code, out, _ = call(capsys, "prove", "kinds.json", "--statement", TRUE[0])
    assert code == 0 and out.startswith("PROVED") and Path("kinds.proof.json").is_file()
    Path("claims.txt").write_text(f"{TRUE[1]}\n{next(iter(FALSE))}\n", encoding="utf-8")
    rows = document(capsys, "prove", "kinds.json", "--claims", "claims.txt", "--json", code=1)["claims"]
    assert [row["status"] for row in rows] == ["PROVED", "REFUTED"]
    assert rows[1]["sizes"]["S"] == 1 and "sizes" not in rows[0] and rows[1]["word"] == ["1"]
    code, out, _ = call(capsys, "prove", "kinds.json")
    assert code == 0 and out.count("checked again") == 3
    again = "all c in 1..S. ex m:Int. m*m*m = 2*n*n*n + count(c) | 2*m = n | 2*m = n + 1"
    code, out, _ = call(capsys, "prove", "kinds.json", "--statement", again, "--seconds", "2")
    assert code == 3 and out.startswith("OPEN  ") and "--set" in out
    assert "--with must be used with a model" in refused(
        capsys, "prove", "kinds.json", "--statement", TRUE[0], "--with", "kinds.json"
    )
    Path("kinds.json").write_text(json.dumps({**KINDS, "sizes": {"S": "2 <= S"}}), encoding="utf-8")
    code, out, _ = call(capsys, "prove", "kinds.json")
    assert code == 3 and "the family has changed" in out


READ = {
    "symcook family": 1,
    "name": "read",
    "sizes": {"S": "1 <= S"},
    "space": ["all c in 1..S. is(c)"],
    "embedding": {"vocabulary": "S", "words": {"all c in 1..S. is(c)": "I[w = c - 1]"}},
    "layers": [{"feedforward": {"all c in 1..S. is(c)": "relu(is(c))"}}],
    "readout": {"kind": "largest", "position": "each", "scores": "all c in 1..S. is(c)"},
}
"""It answers the number of the token, from 1 on."""


def called(old: str, new: str) -> Family:
    """`READ` with another name for its size or its index."""
    return Family(json.loads(re.sub(rf"\b{old}\b", new, json.dumps(READ))))


@pytest.mark.layer_one(1)
@pytest.mark.parametrize("old", ["S", "c"])
def test_no_name_of_a_family_is_taken_for_a_position(old: str) -> None:
    """`here` and `given__` stood for the position and the label: sizes and indices called so were caught."""
    size = "here" if old == "S" else "S"
    for sentence, word in (("answer(1, 1) -> answer(1, n)", "01"), (f"answer(1, 1) <-> 1 <= {size}", "1")):
        answer = settled(sentence, called(old, "here"))
        assert (answer.status, "".join(answer.word or ())) == ("REFUTED", word)
        assert answer.to_json()["sizes"] in ({size: 2}, {"S": 2})
    for marker in allsizes.MARKERS:
        with pytest.raises(BadInput, match=f"a reserved name; given: {marker}; rename it"):
            allsizes.claim(called(old, marker), "n = n")
        with pytest.raises(BadInput, match="symcook reserves this name"):
            allsizes.claim(Family(READ), f"all {marker} in 1..S. answer({marker}, 1) -> n = n")


@pytest.mark.layer_one(1)
@pytest.mark.parametrize(("name", "i"), [("here", "i"), ("v", "here")])
def test_in_a_single_model_what_is_called_here_is_itself(name: str, i: str) -> None:
    b = Builder(words={"a": {name: 1}, "b": {name: -1}})
    b.readout("sign", "each", name, weights=[1])
    model = b.build("model")
    assert model.prove(f'all {i} in 1..n. accept({i}) <-> at(a, {i}) & "{name}"({i}) = 1').status == "PROVED"
    assert model.prove(f"all {i} in 1..n. accept({i}) -> accept(1)").counterexample == "ba"


def test_an_open_symbol_may_be_called_here() -> None:
    """The name of the position in the texts of words has another name in the formula."""
    b = Builder(words={"a": {"v": 1}, "b": {"v": -1}})
    b.symbol("here")
    b.readout("sign", "each", "v", weights=["here"])
    said = certify.claim(to_document(b.build("model")), "accept(2) <-> 0 < \"here\"*v(2)").text
    assert "here_:Real" in said and said.endswith("(0 < here_*v(2) <-> 0 < here_*v(2))")


@pytest.mark.sweep
def test_sizes_below_a_counterexample_get_all_the_work() -> None:
    """The first look at each size was with little work, and what it found at a larger one was called the smallest."""
    said = "S <= 1 | (S >= 4 & count(0) = 0) | (S = 2 & count(1) <= {}) | S = 3"
    answer = settled(said.format(3), Family(READ))
    assert (answer.word, answer.to_json()["sizes"]) == (("1",) * 4, {"S": 2}) and smallest(answer) == ""
    answer = settled(said.format(9), Family(READ))
    assert (answer.word, answer.to_json()["sizes"]) == (("0",), {"S": 4})
    assert re.fullmatch(r" \(smaller sizes were tried to [4-9] positions\)", smallest(answer))


def test_a_lambda_may_bind_any_name() -> None:
    sentence = "maximal(name. is(1, name), n, 1) -> is(1, n) <= is(1, 1)"
    assert "maximal" in allsizes.claim(Family(READ), sentence).text
    assert "maximal" in allsizes.claim(Family(READ), f"all i in 1..n. count(I[{sentence}]) <= n").text


def rounds(over: str, sizes: dict[str, str]) -> Family:
    twice = {"out": "relu(one)"}
    return Family({
        "symcook family": 1, "name": "loop", "sizes": sizes, "space": ["one", "out"],
        "embedding": {"vocabulary": "2", "words": {"one": "1"}, "positions": {}},
        "layers": [{"feedforward": {"out": "3*relu(one)"}}, {"for": over, "layers": [{"feedforward": twice}]}],
        "readout": {"kind": "sign", "position": "last", "score": "out"},
    })  # fmt: skip


def test_a_repetition_of_fewer_than_no_rounds_is_refused() -> None:
    """The equations say nothing of its last value: what is true at K = 0 was refuted."""
    for over, sizes, given in (
        ("t in 2..K", {"K": "0 <= K"}, '2..K; add the condition to "sizes", as "K": "1 <= K"'),
        ("t in K..L", {"K": "1 <= K", "L": "1 <= L"}, "K..L"),
        ("t in 2..K", {"K": "0 <= K | K = 5"}, "2..K"),
    ):
        with pytest.raises(BadInput, match=re.escape(f"low - 1 <= high for all its sizes; given: {given}")):
            allsizes.claim(rounds(over, sizes), "accept")
    for over, sizes in (
        ("t in 2..K", {"K": "1 <= K"}),
        ("t in 1..K", {"K": "0 <= K"}),
        ("t in K..L", {"K": "1 <= K", "L": "K - 1 <= L"}),
        ("t in 2..K", {"K": "2 <= K & K <= 4"}),
    ):
        assert allsizes.claim(rounds(over, sizes), "accept").note == "accept"


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("path", sorted(FAMILIES.glob("*.json")), ids=lambda path: path.stem)
def test_every_stored_family_has_statements(path: Path) -> None:
    assert allsizes.claim(Family(json.loads(path.read_text(encoding="utf-8"))), "1 <= 2").note == "1 <= 2"


def test_a_family_without_sizes_and_tables_is_asked() -> None:
    document = {
        "symcook family": 1, "name": "one", "sizes": {}, "space": ["y"],
        "embedding": {"vocabulary": "2", "words": {"y": "I[w = 1]"}},
        "layers": [{"feedforward": {"y": "relu(y)"}}],
        "readout": {"kind": "sign", "position": "last", "score": "y"},
    }  # fmt: skip
    assert settled("all i in 1..n. y(i) <= 2", Family(document)).status == "PROVED"
