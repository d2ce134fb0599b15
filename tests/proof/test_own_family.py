"""Statements about all sizes of a family of one's own: ``symcook prove FAMILY.json --statement S``, no ``--set``."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from shared import call, document, refused, second_checker

from symcook.errors import BadInput, Rejected
from symcook.model.family import Family
from symcook.proof import limits, ownfamily
from symcook.proof.proving import ProofAnswer, settle_family

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
    return settle_family(family, ownfamily.claim(family, sentence), None, seconds)


def both_accept(answer: ProofAnswer, folder: Path) -> None:
    """Both checkers read the statement and its certificate."""
    certificate = json.loads(json.dumps(answer.certificate))
    assert limits.judged(answer.claim, certificate).status == answer.status
    checked = second_checker(folder, answer.claim, certificate)
    assert checked.returncode == 0 and f"{answer.status:<8} own." in checked.stdout, checked.stdout


@pytest.mark.parametrize("sentence", TRUE)
def test_what_is_true_at_all_sizes_is_proved(sentence: str, tmp_path: Path) -> None:
    answer = settled(sentence)
    assert (answer.status, answer.sizes) == ("PROVED", None)
    both_accept(answer, tmp_path)


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


def test_a_certificate_is_of_its_own_statement_alone() -> None:
    certificate = settled(TRUE[0]).certificate
    for near in ("all c in 1..S. 0 < share(c, n)", "all c in 0..S. 0 <= share(c, n)"):
        with pytest.raises(Rejected):
            limits.judged(ownfamily.claim(Family(KINDS), near), certificate)
    changed = Family({**KINDS, "sizes": {"S": "2 <= S"}})
    with pytest.raises(Rejected):
        limits.judged(ownfamily.claim(changed, TRUE[0]), certificate)


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
        ("all S in 1..n. S = 1", "'S', which is a name of the family"),
        ('matches("0*")', "matches has no meaning at all sizes"),
        ('count("a") = 0', "the tokens and labels of a family are numbers"),
        ("shar(1, n) = 0", "did you mean share"),
        ("answer(1)", "answer needs a readout largest"),
    ],
)
def test_bad_sentences(sentence: str, what: str) -> None:
    with pytest.raises(BadInput, match=what):
        ownfamily.claim(Family(KINDS), sentence)


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit codes and files, one statement and many; the certificate is of the family as it was."""
    monkeypatch.chdir(tmp_path)
    Path("kinds.json").write_text(json.dumps(KINDS), encoding="utf-8")
    code, out, _ = call(capsys, "prove", "kinds.json", "--statement", TRUE[0])
    assert code == 0 and out.startswith("PROVED") and Path("kinds.certificate.json").is_file()
    Path("claims.txt").write_text(f"{TRUE[1]}\n{next(iter(FALSE))}\n", encoding="utf-8")
    rows = document(capsys, "prove", "kinds.json", "--claims", "claims.txt", "--json", code=1)["claims"]
    assert [row["status"] for row in rows] == ["PROVED", "REFUTED"]
    assert rows[1]["sizes"]["S"] == 1 and "sizes" not in rows[0] and rows[1]["word"] == ["1"]
    code, out, _ = call(capsys, "prove", "kinds.json")
    assert code == 0 and out.count("checked again") == 3
    again = "all c in 1..S. ex m:Int. m*m*m = 2*n*n*n + count(c) | 2*m = n | 2*m = n + 1"
    code, _, err = call(capsys, "prove", "kinds.json", "--statement", again, "--seconds", "2")
    assert code == 3 and "--set" in err
    assert "--with must stand with a model" in refused(
        capsys, "prove", "kinds.json", "--statement", TRUE[0], "--with", "kinds.json"
    )
    Path("kinds.json").write_text(json.dumps({**KINDS, "sizes": {"S": "2 <= S"}}), encoding="utf-8")
    code, out, _ = call(capsys, "prove", "kinds.json")
    assert code == 1 and "the family has changed" in out
