"""The programs that come with the library, each against a loop of its own, from the name to what `check` says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shared import document, refused, words

import symcook as sc
from symcook.programs.shipped import names, shipped_program

BRACKETS = "()[]{}<>"


def balanced(word: str) -> list[bool]:
    stack: list[int] = []
    fine, result = True, []
    for letter in word:
        place = BRACKETS.index(letter)
        if place % 2 == 0:
            stack.append(place)
        elif fine and stack and stack[-1] == place - 1:
            stack.pop()
        else:
            fine = False
        result.append(fine and not stack)
    return result


def shuffled(word: str, pairs: tuple[str, ...]) -> list[bool]:
    """Whether each prefix is balanced in each pair by itself."""
    result = []
    for i in range(1, len(word) + 1):
        sums = [[w.count(a) - w.count(b) for a, b in pairs] for w in (word[:k] for k in range(1, i + 1))]
        result.append(all(s >= 0 for row in sums for s in row) and not any(sums[-1]))
    return result


def hops(word: str, count: int) -> list[str]:
    """What `count` hops find at each position."""

    def found(i: int) -> int | None:
        earlier = [j for j in range(i) if word[j] == word[i]]
        return earlier[-1] + 1 if earlier else None

    result = []
    for i in range(len(word)):
        at: int | None = i
        for _ in range(count):
            at = None if at is None else found(at)
        result.append("?" if at is None else word[at])
    return result


def flip_flop(word: str) -> bool:
    kept = ""
    if len(word) % 2 == 1 and word[-1] not in "wri":
        return False
    for i, letter in enumerate(word):
        if (letter in "wri") != (i % 2 == 0) or (i == 0 and letter != "w"):
            return False
        if i % 2 and word[i - 1] == "w":
            kept = letter
        if i % 2 and word[i - 1] == "r" and letter != kept:
            return False
    return True


def written(word: str) -> list[str]:
    result = []
    for i in range(len(word)):
        bits = [word[j] for j in range(1, i + 1) if word[j - 1] == "w"]
        result.append((bits[-1] if bits else "?") if i and word[i - 1] == "r" else "-")
    return result


def each_prefix(test: Callable[[str], Any]) -> Callable[[str], list[Any]]:
    return lambda word: [test(word[:i]) for i in range(1, len(word) + 1)]


def odd(word: str) -> bool:
    return word.count("1") % 2 == 1


CASES: dict[str, tuple[str, int, Callable[[str], list[Any]]]] = {
    "n-gram.ltl": ("ab", 7, each_prefix(lambda w: "b" if w[-2:] in ("ba", "bb") else "a")),
    "induction-head.ltl": ("abc", 5, lambda w: hops(w, 1)),
    "2-hop.ltl": ("ab", 9, lambda w: hops(w, 2)),
    "flip-flop.ltl": ("wri01", 4, each_prefix(flip_flop)),
    "majority.count": ("01", 8, each_prefix(lambda w: w.count("1") > w.count("0"))),
    "dyck-1.count": ("()", 8, balanced),
    "parity.count": ("01", 8, each_prefix(odd)),
    "dyck-1.srasp": ("()", 10, balanced),
    "dyck-2.srasp": ("()[]", 6, balanced),
    "dyck-3.srasp": ("()[]{}", 4, balanced),
    "sort.srasp": ("abc", 6, lambda w: sorted(w)),
    "histogram.srasp": ("abc", 6, lambda w: [w.count(a) for a in w]),
    "length.srasp": ("ab", 7, lambda w: [len(w)] * len(w)),
    "reverse.srasp": ("abc", 5, lambda w: list(w[::-1])),
    "most-frequent.srasp": ("abc", 6, lambda w: [max("abc", key=w.count)] * len(w)),
    "shuffle-dyck-1.srasp": ("()", 8, lambda w: shuffled(w, ("()",))),
    "shuffle-dyck-2.srasp": ("()[]", 5, lambda w: shuffled(w, ("()", "[]"))),
    "induction-head.srasp": ("abc", 6, lambda w: hops(w, 1)),
    "3-hop.srasp": ("abc", 6, lambda w: hops(w, 3)),
    "flip-flop.srasp": ("wri01", 4, written),
    "majority.srasp": ("01", 8, each_prefix(lambda w: w.count("1") > w.count("0"))),
}


def test_every_program_is_here() -> None:
    assert {name for name in names() if name != "dyck-k.srasp"} <= CASES.keys() | {"parity-by-counts.count"}


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("name", CASES)
def test_a_shipped_program_against_a_loop(name: str) -> None:
    letters, longest, wanted = CASES[name]
    model = sc.compile(name.rpartition(".")[2], shipped_program(name))
    assert "".join(model.alphabet) == letters
    found = model.check(wanted, longest)
    assert (
        found.holds
        and found.undecided is False
        and found.strings == sum(len(letters) ** n for n in range(1, longest + 1))
    )


@pytest.mark.layer_one(1, 2, 3)
@pytest.mark.parametrize("name", ["sort.srasp", "reverse.srasp", "dyck-2.srasp", "histogram.srasp", "3-hop.srasp"])
def test_a_shipped_program_on_words_far_beyond_those_tried(name: str) -> None:
    letters, _, wanted = CASES[name]
    model = sc.compile("srasp", shipped_program(name))
    for word in ((letters * 30)[:61], letters[0] * 40, (letters[:2] * 11 + letters[::-1] * 5)[:47]):
        got = model.run(word).outputs
        assert got is not None
        assert [int(one) if name.startswith("hist") else one for one in got] == wanted(word)


@pytest.mark.sweep
def test_parity_by_counts_is_parity_at_the_last_position() -> None:
    model = sc.compile("count", shipped_program("parity-by-counts.count"))
    for word in words(8, "01"):
        outputs = model.run(word).outputs
        assert outputs is not None and outputs[-1] == odd(word), word


def test_dyck_of_many_types() -> None:
    model = sc.compile("srasp", shipped_program("dyck-6.srasp"))
    assert len(model.alphabet) == 12
    good = ["(", "(5", "[", "]", ")5", "(6", ")6", ")"]
    assert model.run(good).outputs == [False] * 7 + [True]
    assert model.run([*good[:4], ")6"]).outputs == [False] * 5


def test_a_name_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made = document(capsys, "compile", "srasp", "sort.srasp", "-o", "sorted.json")
    assert made["file"] == "sorted.json" and made["layers"] <= 6
    assert document(capsys, "run", "sorted.json", "--input", "cabac")["outputs"] == list("aabcc")
    assert document(capsys, "check", "sorted.json", "--max-length", 5)["mismatches"] == 0
    refused(capsys, "compile", "srasp", "sorting.srasp", "-o", "other.json")
    (tmp_path / "sort.srasp").write_text("alphabet a b;\nx(i) = in(i)\n")  # a file of that name comes first
    document(capsys, "compile", "srasp", "sort.srasp", "-o", "own.json")
    assert document(capsys, "run", "own.json", "--input", "ba")["outputs"] == ["b", "a"]
