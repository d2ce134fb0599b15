"""Formulas that count, against a reading of Definition 19 of their own."""

from __future__ import annotations

import random
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from shared import call, document, refused, second_checker
from test_formulas import nodes

import symcook as sc
from symcook.compilers import formula as compiler
from symcook.errors import BadInput
from symcook.proof.programs import compiledprograms
from symcook.proof.statements import certify

Tree = tuple
PROOFS = Path(__file__).resolve().parents[2] / "proofs"
SIGNS = {"=": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}


def drawn(r: random.Random, operators: int) -> Tree:
    if operators <= 0:
        return ("in", r.choice("ab"))
    op = r.choice(("~", "prev", "&", "since", "compared", "compared", "modulo", "table"))
    if op in ("~", "prev"):
        return (op, drawn(r, operators - 1))
    if op in ("&", "since"):
        return (op, drawn(r, operators // 2), drawn(r, operators - 1 - operators // 2))
    if op == "modulo":
        divisor = r.randrange(1, 4)
        inner = None if r.random() < 0.3 else (r.choice(("left", "right")), drawn(r, operators - 1))
        return (op, divisor, r.randrange(divisor), inner)
    if op == "table":
        bits = "".join(r.choice("01") for _ in range(6))
        return (op, bits, None if r.random() < 0.3 else (r.choice(("left", "right")), drawn(r, operators - 1)))
    terms = tuple(
        (r.choice((1, 2, 3, -1, -2)), r.choice(("left", "right")), drawn(r, (operators - 1) // 2)) for _ in (0, 1)
    )
    return (op, terms, r.choice(tuple(SIGNS)), r.randrange(-2, 4))


def written(tree: Tree) -> str:
    op = tree[0]
    if op == "in":
        return f"Q_{tree[1]}"
    if op == "modulo":
        inner = "" if tree[3] is None else f"(#{tree[3][0]}[{written(tree[3][1])}])"
        return f"MOD({tree[1]}, {tree[2]}){inner}"
    if op == "table":
        return f"TABLE({tree[1]})" + ("" if tree[2] is None else f"(#{tree[2][0]}[{written(tree[2][1])}])")
    if op == "compared":
        (a, side, f), (b, other, g) = tree[1]  # one on each side
        left = f"{'- ' if a < 0 else ''}{abs(a)}*#{side}[{written(f)}]"
        right = f"{'- ' if -b < 0 else ''}{abs(b)}*#{other}[{written(g)}] {'+' if tree[3] >= 0 else '-'} {abs(tree[3])}"
        return f"{left} {tree[2]} {right}"
    return f"{op} ({written(tree[1])})" if len(tree) == 2 else f"({written(tree[1])}) {op} ({written(tree[2])})"


@cache
def truth(tree: Tree, word: str) -> tuple[bool, ...]:
    op, n = tree[0], len(word)
    if op == "in":
        return tuple(letter == tree[1] for letter in word)

    def count(side: str, inner: Tree, i: int) -> int:
        row = truth(inner, word)
        return sum(row[: i + 1]) if side == "left" else sum(row[i:])

    def at(i: int) -> bool:
        if op == "modulo":
            return (i + 1 if tree[3] is None else count(tree[3][0], tree[3][1], i)) % tree[1] == tree[2]
        if op == "table":
            return tree[1][i + 1 if tree[2] is None else count(tree[2][0], tree[2][1], i)] == "1"
        if op == "compared":
            total = sum(factor * count(side, inner, i) for factor, side, inner in tree[1])
            return getattr(total, SIGNS[tree[2]])(tree[3])
        f = truth(tree[1], word)
        if op in ("~", "prev"):
            return not f[i] if op == "~" else i > 0 and f[i - 1]
        g = truth(tree[2], word)
        return f[i] and g[i] if op == "&" else any(g[j] and all(f[j : i + 1]) for j in range(i + 1))

    return tuple(map(at, range(n)))


def answers(model: sc.Transformer, word: str) -> list[Any]:
    found = model.run(word).outputs
    assert found is not None
    return list(found)


def words(longest: int, letters: str = "ab") -> list[str]:
    return ["".join(word) for n in range(1, longest + 1) for word in product(letters, repeat=n)]


@pytest.mark.layer_one(0, 2, 3, 7, 8, 9)
@pytest.mark.parametrize("seed", range(12))
def test_counting_formulas_drawn_at_random(seed: int) -> None:
    r = random.Random(seed)
    tree = drawn(r, r.randrange(1, 7))
    model = sc.compile("count", written(tree), alphabet="ab")
    for word in words(4):
        assert answers(model, word) == list(truth(tree, word)), (written(tree), word)


MAJORITY = "#left[Q_a] > #left[Q_b]"
DYCK = '#left[#left[Q_")"] > #left[Q_"("]] = 0 & #left[Q_"("] = #left[Q_")"]'


@pytest.mark.layer_one(3, 5)
@pytest.mark.parametrize("source, letters, language", [
    (MAJORITY, "ab", lambda word: word.count("a") > word.count("b")),
    (DYCK, "()", lambda word: word.replace("()", "").replace("()", "").replace("()", "") == ""),  # to length 6
    ("ODD(#left[Q_1])", "01", lambda word: word.count("1") % 2 == 1),
    ("MOD(3, 1) & ODD", "ab", lambda word: len(word) % 6 == 1),
    ("#left[true] = 4", "ab", lambda word: len(word) == 4),
    ("#left[false] >= 0", "ab", lambda word: True),
])  # fmt: skip
def test_languages_that_formulas_count(source: str, letters: str, language: Any) -> None:
    model = sc.compile("count", source, alphabet=letters)
    for word in words(6, letters):
        assert answers(model, word)[-1] == language(word), word


def test_tables_refuse_the_words_that_they_do_not_reach(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A table of a count is met where the count is; one of the position at each position."""
    counted = tmp_path / "counted.json"
    assert call(capsys, "compile", "count", "TABLE(0110)(#left[Q_a])", "--alphabet", "ab", "-o", counted)[0] == 0
    assert document(capsys, "run", counted, "--input", "abaab")["outputs"] == ["1", "1", "1", "0", "0"]
    assert document(capsys, "run", counted, "--input", "bbbbbb")["outputs"] == ["0"] * 6
    refused(capsys, "run", counted, "--input", "abaaa")
    assert document(capsys, "check", counted, "--max-length", "3")["mismatches"] == 0
    refused(capsys, "check", counted, "--max-length", "4")
    placed = tmp_path / "placed.json"
    assert call(capsys, "compile", "count", "TABLE(0110) & Q_a", "--alphabet", "ab", "-o", placed)[0] == 0
    assert document(capsys, "run", placed, "--input", "aaa")["outputs"] == ["1", "1", "0"]
    assert "give the program a longer TABLE" in refused(capsys, "run", placed, "--input", "aaaa")
    with pytest.raises(BadInput, match="without counts"):
        sc.compile("ltl", "TABLE(01)", alphabet="ab")


def test_ltl_refuses_counts_and_decide_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadInput, match="without counts"):
        sc.compile("ltl", MAJORITY, alphabet="ab")
    file = tmp_path / "majority.json"
    code, out, _ = call(capsys, "compile", "count", MAJORITY, "--alphabet", "ab", "--prove", "-o", file)
    assert code == 0 and "\nPROVED  " in out and file.with_suffix(".proof.json").exists()
    assert document(capsys, "check", file, "--max-length", "8")["mismatches"] == 0
    refused(capsys, "decide", file)


PROVABLE = (
    MAJORITY, DYCK, "#left[#left[prev Q_1] = #right[Q_1]] = 0", "ODD(#left[Q_a]) | ~ODD", "MOD(3, 1)(#right[Q_a])",
    "MOD(4, 2) & #left[false] >= 0", "TABLE(010110)(#left[next Q_a])", "TABLE(0110)", "TABLE(000)(#right[Q_a])",
    "#left[true] = 4 | 2*#left[Q_a] - 3*#right[Q_b] <= 1",
    "TABLE(010001)(#right[#left[TABLE(010100)(#right[#right[Q_b] != #left[Q_b]])] = #left[TABLE(001011)] - 2])",
)  # fmt: skip


def letters_of(source: str) -> str:
    return "()" if "(" in source and '"' in source else "01" if "Q_1" in source else "ab"


def judged(model: sc.Transformer, folder: Path) -> str:
    """What the kernel says of the certificate; the second checker, which reads it and its statement alone, says the
    same."""
    statement, found = compiledprograms.prove(model, 300)
    assert found.verdict is not None and found.certificate is not None, found.missing
    done = second_checker(folder, statement, found.certificate)
    count = 1 + len(certify.below(found.certificate))
    assert done.returncode == 0 and f"{count} PROVED" in done.stdout, done.stdout + done.stderr
    return found.verdict.words


@pytest.mark.layer_one(7)
@pytest.mark.parametrize("source", PROVABLE)
@pytest.mark.layer_two(every=2)
def test_certificates_of_counts_pass_the_second_checker(source: str, tmp_path: Path) -> None:
    assert judged(sc.compile("count", source, alphabet=letters_of(source)), tmp_path) == "PROVED"


@pytest.mark.layer_one(2, 7)
@pytest.mark.parametrize("seed", range(8))
def test_certificates_of_counts_drawn_at_random(seed: int) -> None:
    r = random.Random(700 + seed)
    tree = drawn(r, r.randrange(1, 7))
    _, found = compiledprograms.prove(sc.compile("count", written(tree), alphabet="ab"))
    assert found.verdict is not None and found.verdict.words == "PROVED", (written(tree), found.missing)


@pytest.mark.layer_one(2, 3)
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("source", [
    "TABLE(0100)(#right[Q_a])",  # the position function is the truth as it is said
    "#left[Q_a] = #left[Q_a] + 1", "2*#left[Q_a] - 2*#left[Q_a & true] >= 0",  # nothing is left of the counts
    "2*#left[Q_a since Q_b] = #left[Q_a & Q_b] + 1", "#right[Q_a] + #right[~~Q_a] > 3*#left[Q_a | Q_a]",  # one head
])  # fmt: skip
def test_certificates_of_counts_of_which_less_is_left(source: str, soft: bool) -> None:
    """Found among formulas drawn at random: lines that are alike have one head, and counts go away."""
    _, found = compiledprograms.prove(sc.compile("count", source, alphabet="ab", soft=soft))
    assert found.verdict is not None and found.verdict.words == "PROVED", found.missing


def nested(counts: int) -> str:
    """Counts inside of one another."""
    source = "Q_a"
    for number in range(counts):
        source = (f"#left[{source}] > #right[Q_b]", f"ODD(#left[{source}])", f"2*#right[{source}] = 3",
                  f"TABLE(01101)(#right[{source}])")[number % 4]  # fmt: skip
    return source


@pytest.mark.sweep
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.layer_two(every=2)
def test_certificates_grow_with_the_counts(soft: bool) -> None:
    """Each four counts add as many nodes, since what is known to hold is written down."""
    sizes = []
    for counts in (4, 8, 12):
        model = sc.compile("count", nested(counts), alphabet="ab", soft=soft)
        _, found = compiledprograms.prove(model, 300)
        assert found.verdict is not None and found.verdict.words == "PROVED"
        sizes.append(nodes(found.certificate))
    assert sizes[2] - sizes[1] == sizes[1] - sizes[0] < 1000, sizes


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("part, wrong", [
    ("before", "i"), ("square", "2*i^2"), ("inverse", "1/(i + 1)"), ("index", "2*i"),
])  # fmt: skip
def test_a_count_with_other_weights_is_not_proved(part: str, wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A position function is changed in the compiler: check finds a word, and no proof is found."""
    right = compiler.Packed.model

    def changed(self: compiler.Packed, *args: Any) -> sc.Transformer:
        self.positions[part] = wrong
        return right(self, *args)

    monkeypatch.setattr(compiler.Packed, "model", changed)
    model = sc.compile("count", "#left[Q_a] = 1", alphabet="ab")
    assert any(answers(model, word) != [word[: k + 1].count("a") == 1 for k in range(len(word))] for word in words(5))
    _, found = compiledprograms.prove(model, 3)
    assert found.verdict is None or found.verdict.words != "PROVED"


@pytest.mark.parametrize("source, said", [
    ("#left[Q_a] >", "must stand at line 1, column 13"),
    ("#left Q_a > 0", "must stand at line 1, column 7"),
    ("2*3 > 1", "column"),
    ("MOD(3, 3)", "0 <= r < m"),
    ("TABLE()", "bits"),
    ("TABLE(012)", "must stand at line 1, column 9"),
    ("TABLE(1)", "at least two bits"),
    ("#left[Q_a] > 0 > 1", "column 16"),
])  # fmt: skip
def test_what_does_not_count_gets_a_sentence(source: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        sc.compile("count", source, alphabet="ab")
    assert said in str(caught.value)
