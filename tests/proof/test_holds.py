"""holds(PHI, i) in sentences: the equations of truth functions that it is written out to say what formulas mean.

They are evaluated by `statement_truth`, which shares no code with the kernel, on all words to length 5, and compared
with the interpreter of `symcook/spec/logic.py`, which reads the formula in its own notation.
"""

from __future__ import annotations

import json
import random
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from checkout import ROOT
from proof.statement_truth import program
from shared import call, refused

import symcook as sc
from symcook.errors import BadInput, Rejected, Undecided
from symcook.model.expr import parse_formula
from symcook.model.modelfile import to_document
from symcook.programs.reading import read_formula
from symcook.proof.holds import expand
from symcook.proof.programs import compiledprograms, formulas
from symcook.proof.replay import library
from symcook.proof.statements import certify
from symcook.report.trust import code_lines
from symcook.spec.logic import answers

Tree = tuple
LETTERS = {"a": 0, "b": 1}
PREFIX = ("prev", "next", "once", "historically", "eventually", "always")
WORDS = {"~": "not", "&": "and", "|": "or"}


def drawn(r: random.Random, operators: int) -> Tree:
    if operators <= 0:
        return ("in", r.choice(("a", "b", "ab", "")))
    kind = r.choice(("~", "prefix", "prefix", "two", "two", "two", "compared", "predicate"))
    if kind in ("~", "prefix"):
        return (kind if kind == "~" else r.choice(PREFIX), drawn(r, operators - 1))
    f, g = drawn(r, operators // 2), drawn(r, operators - 1 - operators // 2)
    if kind == "two":
        return (r.choice(("&", "|", "->", "<->", "since", "until")), f, g)
    side, other = r.choice(("left", "right")), r.choice(("left", "right"))
    if kind == "compared":
        return (
            kind,
            r.choice(("=", "!=", "<", "<=", ">", ">=")),
            r.randrange(1, 4),
            side,
            f,
            other,
            g,
            r.randrange(-2, 3),
        )
    count = None if r.random() < 0.4 else (side, f)
    if r.random() < 0.4:
        return ("table", "".join(r.choice("01") for _ in range(6)), count)
    m = r.randrange(2, 5)
    return ("mod", m, r.randrange(m), count)


def program_text(tree: Tree) -> str:
    """In the notation of programs."""
    op = tree[0]
    if op == "in":
        return f"Q_{{{', '.join(tree[1])}}}"
    if op == "compared":
        _, sign, factor, side, f, other, g, more = tree
        tail = f"{'-' if more < 0 else '+'} {abs(more)}"
        return f"{factor}*#{side}[{program_text(f)}] {sign} #{other}[{program_text(g)}] {tail}"
    if op in ("table", "mod"):
        name = f"TABLE({tree[1]})" if op == "table" else f"MOD({tree[1]}, {tree[2]})"
        return name + (f"(#{tree[-1][0]}[{program_text(tree[-1][1])}])" if tree[-1] else "")
    if len(tree) == 2:
        return f"{op} ({program_text(tree[1])})"
    return f"({program_text(tree[1])}) {op} ({program_text(tree[2])})"


def functional(tree: Tree, signs: bool) -> str:
    """In functional form; with `signs` for not, and, or."""
    op = tree[0]
    if op == "in":
        texts = {"": "false", "a": "Q_a", "b": "Q_b", "ab": "letters(a, b)"}
        return texts[tree[1]]
    if op == "compared":
        _, sign, factor, side, f, other, g, more = tree
        text = f"{factor}*{side}({functional(f, signs)}) {sign} {other}({functional(g, signs)})"
        return f"({text} {'-' if more < 0 else '+'} {abs(more)})"
    if op in ("table", "mod"):
        numbers = ", ".join(tree[1] if op == "table" else map(str, tree[1:3]))
        count = f", {tree[-1][0]}({functional(tree[-1][1], signs)})" if tree[-1] else ""
        return f"{'TABLE' if op == 'table' else 'MOD'}({numbers}{count})"
    parts = [functional(part, signs) for part in tree[1:]]
    if op in WORDS and not signs:
        return f"{WORDS[op]}({', '.join(parts)})"
    if op == "~":
        return f"~({parts[0]})"
    if op in ("&", "|", "->", "<->"):
        f, g = parts if signs else [f"and({part}, true)" for part in parts]  # what has an arrow between is no bare name
        return f"(({f}) {op} ({g}))"
    return f"{op}({', '.join(parts)})"


@cache
def evaluated(condition: str, names: tuple[str, ...]) -> Any:
    return program(parse_formula(condition), names)


def values(equations: Sequence[str], word: Sequence[int]) -> list[bool]:
    """The values of the last truth function, each from its equation by those before it."""
    env: dict[str, Any] = {"n": Fraction(len(word)), "w": {i: Fraction(a) for i, a in enumerate(word, 1)}}
    last = ""
    for equation in equations:
        found = re.fullmatch(r"all i in 1\.\.n\. (\w+)\(i\) = I\[(.*)\]", equation)
        assert found is not None
        last, condition = found[1], found[2]
        row = {}
        for i in range(1, len(word) + 1):
            here = env | {"i": Fraction(i)}
            row[i] = Fraction(evaluated(condition, tuple(sorted(here)))(here, {}, None, None))
        env[last] = row
    return [env[last][i] == 1 for i in range(1, len(word) + 1)]


ALL = ["".join(word) for n in range(1, 6) for word in product("ab", repeat=n)]


@cache
def plain() -> dict[str, Any]:
    """The document of a model over a and b, which sentences are about."""
    return to_document(sc.compile("ltl", "Q_a", alphabet="ab"))


def of_sentence(text: str) -> list[str]:
    found = certify.meaning(plain(), f"all i in 1..n. holds({text}, i)").truths
    assert found is not None
    return found.equations()


def wrong_at(equations: Sequence[str], source: str) -> str | None:
    """The first word at which the equations differ from the interpreter."""
    formula = read_formula(source, "ab", "count")
    return next((word for word in ALL if values(equations, [LETTERS[a] for a in word]) != answers(formula, word)), None)


@pytest.mark.layer_one(1, 2, 3)
@pytest.mark.parametrize("seed", range(40))
def test_equations_say_what_formulas_drawn_at_random_mean(seed: int) -> None:
    r = random.Random(seed)
    tree = drawn(r, r.randrange(1, 8))
    for equations in (of_sentence(functional(tree, True)), expand(f"and({functional(tree, False)}, true)", LETTERS)):
        assert wrong_at(equations, program_text(tree)) is None, functional(tree, True)


@pytest.mark.parametrize("right, wrong, source, said", [
    ("j in 1..i. ", "j in 1..n. ", "since(~Q_a, Q_b)", "~Q_a since Q_b"),
    ("j in 1..i. ", "j in 2..i. ", "since(~Q_a, Q_b)", "~Q_a since Q_b"),
    ("k in j..i. ", "k in j + 1..i. ", "since(~Q_b, Q_b)", "~Q_b since Q_b"),
    ("k in j..i. ", "k in j..i - 1. ", "since(~Q_b, Q_a)", "~Q_b since Q_a"),
    ("j in i..n. ", "j in i + 1..n. ", "until(~Q_a, Q_b)", "~Q_a until Q_b"),
    ("k in i..j. ", "k in i..j - 1. ", "until(~Q_b, Q_b)", "~Q_b until Q_b"),
    ("2 <= i & ", "3 <= i & ", "prev(Q_a)", "prev Q_a"),
    ("(i - 1) = 1", "(i) = 1", "prev(Q_a)", "prev Q_a"),
    ("i < n & ", "i < n - 1 & ", "next(Q_a)", "next Q_a"),
    ("(i + 1) = 1", "(i) = 1", "next(Q_a)", "next Q_a"),
    ("sum(j, 1, i, ", "sum(j, 1, i - 1, ", "left(Q_a) = 1", "#left[Q_a] = 1"),
    ("sum(j, 1, i, ", "sum(j, 2, i, ", "left(Q_a) = 1", "#left[Q_a] = 1"),
    ("sum(j, i, n, ", "sum(j, i + 1, n, ", "right(Q_a) = 1", "#right[Q_a] = 1"),
    ("sum(j, i, n, ", "sum(j, i, n - 1, ", "right(Q_a) = 1", "#right[Q_a] = 1"),
    ("ex q in 0..", "ex q in 1..", "MOD(3, 0, left(Q_a))", "MOD(3, 0)(#left[Q_a])"),  # count 0
    ("ex q in 0..i", "ex q in 0..i - 2", "ODD", "ODD"),  # n = 1
    ("= 0 | ", "= 1 | ", "TABLE(1, 0, 1, 0, 0, 0, left(Q_a))", "TABLE(101000)(#left[Q_a])"),
    ("i = 1", "i = 2", "TABLE(0, 1, 0, 0, 0, 0)", "TABLE(010000)"),
    ("w(i) = 1", "w(i) = 0", "once(Q_b)", "once Q_b"),
    ("z1(i) = 0", "z1(i) = 1", "~Q_a", "~Q_a"),
    ("1 & ", "1 | ", "Q_a & prev(Q_b)", "Q_a & prev Q_b"),
    ("1 | ", "1 & ", "Q_a | prev(Q_b)", "Q_a | prev Q_b"),
    (" <= ", " < ", "left(Q_a) <= right(Q_b)", "#left[Q_a] <= #right[Q_b]"),
    ("2 * ", "3 * ", "2*left(Q_a) = right(Q_b)", "2*#left[Q_a] = #right[Q_b]"),
    (" - 1", " + 1", "left(Q_a) = right(Q_b) - 1", "#left[Q_a] = #right[Q_b] - 1"),
])  # fmt: skip
def test_wrong_equations_are_found(right: str, wrong: str, source: str, said: str) -> None:
    """A planted error: an end, a mask, the first or last position, n = 1, count 0."""
    equations = of_sentence(source)
    assert wrong_at(equations, said) is None
    changed = [equation.replace(right, wrong) for equation in equations]
    assert changed != equations
    assert wrong_at(changed, said) is not None


@pytest.mark.sweep
def test_positions_are_those_of_typed_letters() -> None:
    """In a model that numbers positions from 0, or adds tokens, formulas are about the word that was typed."""
    assert expand("ODD", LETTERS, 0, "n - 1") == ["all i in 0..n - 1. z1(i) = I[ex q in 0..(i + 1). (i + 1) = 2*q + 1]"]
    space = sc.Space(("x",))
    words = {"^": {"x": 1}, "a": {"x": 1}, "b": {}, "$": {}}
    embedding = sc.Embedding(space, words=words, before="^", after="$")
    model = sc.Transformer("ends", embedding, (), sc.Readout("sign", "each", ("x",), weights=[1]))
    truths = certify.meaning(to_document(model), "all i in 1..n. holds(prev(Q_a), i)").truths
    assert truths is not None
    assert truths.equations() == [
        "all i in 2..n - 1. z1(i) = I[w(i) = 1]",
        "all i in 2..n - 1. z2(i) = I[3 <= i & z1(i - 1) = 1]",
    ]
    document = to_document(model)
    found = certify.settle(
        certify.claim(document, "all i in 2..n - 1. accept(i) <-> holds(Q_a, i)"), document, seconds=4
    )
    assert (found.tried and found.tried.word) is None and (found.verdict or found.tried)
    found = certify.settle(certify.claim(document, "all i in 2..n - 1. holds(prev(Q_a), i) -> accept(i)"), document)
    assert found.tried is not None and found.tried.word == ("a", "b")
    with pytest.raises(BadInput, match="letter"):
        certify.claim(to_document(model), 'all i in 1..n. holds(Q_"^", i)')


def test_no_name_is_taken_twice() -> None:
    """Truth functions have names that neither a coordinate nor a bound variable has."""
    space = sc.Space(("z1", "zero"))
    model = sc.Transformer(
        "names",
        sc.Embedding(space, words={"a": {"z1": 1}, "b": {}}),
        (),
        sc.Readout("sign", "each", ("z1",), weights=[1]),
    )
    statement = certify.claim(
        to_document(model), "all z2 in 1..n. z1(z2) = I[holds(Q_a, z2)] & (accept(z2) <-> holds(~Q_b, z2))"
    )
    assert "z1_(i) = I[w(i) = 0]" in statement.text
    found = certify.settle(statement, to_document(model), seconds=4)
    assert (found.tried and found.tried.word) is None and (found.verdict or found.tried)


def test_the_trusted_module_is_short() -> None:
    assert code_lines((ROOT / "symcook" / "proof" / "holds.py").read_text()) <= 95


@pytest.mark.parametrize("text, said", [
    ("holds(since(~Q_b, Q_x), i)", "the letter 'x' is unknown"),
    ('holds(Q_"(", i)', "the letters are a, b"),
    ("holds(since(Q_a), i)", "since takes 2 formulas"),
    ("holds(prev(Q_a, Q_b), i)", "prev takes 1 formulas"),
    ("holds(previous(Q_a), i)", "formulas are made by"),
    ("holds(Q_a since Q_b, i)", "a formula and a position"),
    ("holds(Q_a)", "a formula and a position"),
    ("holds(Q_a, i, n)", "a formula and a position"),
    ("holds(Q_a", "a formula and a position"),
    ("holds(left(Q_a)*left(Q_b) = 1, i)", "whole factors"),
    ("holds(1/2*left(Q_a) = 1, i)", "whole factors"),
    ("holds(left(Q_a), i)", "formulas are made by"),
    ("holds(1, i)", "formulas are made by"),
    ("holds(MOD(3, 3), i)", "0 <= r < m"),
    ("holds(MOD(3), i)", "0 <= r < m"),
    ("holds(MOD(2, 1, left(Q_a) + 1), i)", "0 <= r < m"),
    ("holds(TABLE(0, 2), i)", "0 <= r < m"),
    ("holds(accept(i), i)", "formulas are made by"),
    ("holds(at(a, i), i)", "formulas are made by"),
    ("holds(holds(Q_a, i), i)", "formulas are made by"),
    ("holds(letters(prev(Q_a)), i)", "unknown"),
    ("holds(letters(), i)", "unexpected"),
    ("holds(Q_a & i, i)", "formulas are made by"),
    ("holds(Q_a, accept)", "an argument must be a whole number"),
    ("holds(" + "prev(" * 2000 + "Q_a" + ")" * 2000 + ", i)", "deep"),
    ("holds", "holds"),
])  # fmt: skip
def test_what_is_no_formula_gets_a_sentence(text: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        certify.claim(plain(), f"all i in 1..n. accept(i) <-> {text}" if text != "holds" else text)
    assert said in str(caught.value)


def test_a_model_of_numbers_has_no_formulas() -> None:
    with pytest.raises(BadInput, match="no string"):
        certify.claim(to_document(sc.build("max")), "holds(Q_a, 1)")


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("holds") / "seen.json"
    sc.compile("ltl", "Q_b & prev (~Q_c since Q_a)", alphabet="abc").save(str(file))
    return file


FORMULA = "Q_b & prev(since(~Q_c, Q_a))"


@pytest.mark.sweep
@pytest.mark.parametrize("sentence, verdict", [
    (f"all i in 1..n. accept(i) <-> holds({FORMULA}, i)", "PROVED"),
    ("accept(n) <-> holds(and(Q_b, prev(since(not(Q_c), Q_a))), n)", "PROVED"),
    ("all i in 1..n. accept(i) <-> holds(Q_b & prev(since(~Q_a, Q_a)), i)", "REFUTED"),
])  # fmt: skip
def test_a_compiled_model_from_the_command_line(
    sentence: str, verdict: str, compiled: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = call(capsys, "prove", compiled, "--statement", sentence, "--force")
    assert code == (verdict == "REFUTED") and out.startswith(f"{verdict}  {sentence}\n")
    code, out, _ = call(capsys, "prove", compiled)
    assert code == 0 and "checked again" in out
    statement, certificate = compiled.with_suffix(".statement.txt"), compiled.with_suffix(".proof.json")
    assert "holds(" not in statement.read_text().rpartition("statement: ")[2]
    below = [
        ROOT / "proofs" / "certificates" / f"{name}.json" for name in certify.below(json.loads(certificate.read_text()))
    ]
    command = [sys.executable, ROOT / "proofs" / "checker.py", statement, certificate, *below]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and f"{verdict}" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("text", ["holds(since(~Q_b, Q_x), i)", "holds(since(Q_a), i)", "holds(was(Q_a), i)"])
def test_mistakes_on_the_command_line(text: str, compiled: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused(capsys, "prove", compiled, "--statement", f"all i in 1..n. accept(i) <-> {text}", "--force")


@pytest.mark.parametrize("source, letters", [
    ("Q_b & prev (~Q_c since Q_a)", "abc"),
    ("historically (Q_a -> next true) <-> ~eventually Q_b", "ab"),
    ('prev Q_"(" | Q_{")", if} & Q_"\'"', "( ) if ' 1a"),
    ("2*#left[Q_a] - 3*#right[Q_b] <= -1 | ODD & TABLE(0110) & MOD(3, 2)(#left[true])", "ab"),
    ("true", "ab"),
    ("#left[Q_a] >= 0 & false", "a"),
])  # fmt: skip
def test_what_the_compiler_prints_is_the_formula(source: str, letters: str) -> None:
    """The functional form that it prints, read again, has the truths of the formula on all words to length 4."""
    formula = read_formula(source, letters, "count")
    model = sc.compile("count", source, alphabet=letters)
    truths = certify.meaning(to_document(model), formulas.sentence(formula)).truths
    assert truths is not None
    numbers = {letter: number for number, letter in enumerate(model.alphabet)}
    for word in (word for n in range(1, 4) for word in product(model.alphabet, repeat=n)):
        assert values(truths.equations(), [numbers[a] for a in word]) == answers(formula, word), (word, truths.lines)


def test_a_formula_that_is_too_long_has_no_sentence() -> None:
    source = "let x0 = Q_a; " + "".join(f"let x{k + 1} = prev x{k} & next x{k}; " for k in range(14)) + "x14"
    with pytest.raises(Undecided, match="characters"):
        formulas.sentence(read_formula(source, "ab"))


def test_the_example_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """docs/guides/statements.md: a formula is compiled and the sentence about it proved, by the equations shown."""
    page = (ROOT / "docs" / "guides" / "statements.md").read_text(encoding="utf-8")
    page = re.sub(r"^```\w*\n(.*?)^```\n", lambda block: textwrap.indent(block[1], "    "), page, flags=re.M | re.S)
    lines = [shlex.split(line) for line in page.splitlines() if re.match(r"    symcook .*since\.json", line)]
    monkeypatch.chdir(tmp_path)
    answered = [call(capsys, *line[1:]) for line in lines]
    assert [code for code, _, _ in answered] == [0, 0] and answered[1][1].startswith("PROVED  ")
    shown = re.search(r"((?:    .*\n)+)\nand `holds\(PHI, i\)` is `z4", page)
    assert shown is not None
    assert " ".join(shown[1].split()) in (tmp_path / "since.statement.txt").read_text()


@pytest.mark.layer_one(0)
@pytest.mark.parametrize("kind, source", [("ltl", "Q_a & prev Q_b"), ("count", "#left[Q_a] >= 2")])
def test_a_certificate_is_of_its_weights(kind: str, source: str) -> None:
    """Another weight anywhere is another statement, of which the certificate is none, also under the old hash."""
    model = sc.compile(kind, source, alphabet="ab")
    statement, found = compiledprograms.prove(model, 300)
    certificate = found.certificate
    assert certificate is not None
    text, document = certify.expanded(statement, certificate), to_document(model)
    assert certify.again(document, certificate, text)[1].words == "PROVED"
    weights = [
        (layer["feedforward"], key)
        for layer in document["layers"]
        if layer["feedforward"]
        for key in ("W1", "W2", "b1")
    ]
    assert weights
    for part, key in weights:
        row = part[key][0]
        kept = part[key][0]
        part[key][0] = ["7/5", *row[1:]] if isinstance(row, list) else "7/5"
        assert certify.again(document, certificate, text)[1].words == "OPEN"
        other = certify.claim(document, statement.note)
        for forged in ({}, {"model": other.model}, {"model": other.model, "statement": other.digest}):
            with pytest.raises(Rejected):
                library().judged(other, certificate | forged)
        part[key][0] = kept
    assert certify.again(document, certificate, text)[1].words == "PROVED"


def test_a_coordinate_may_be_called_like_what_an_equation_binds() -> None:
    """A remainder is ``ex q in 0..i. i = m*q + r``; the coordinate q keeps its name."""
    b = sc.Builder(words={"a": {"q": 1}, "b": {"q": -1}})
    b.readout("sign", "last", b.add(sc.head(value={"m": "q"}, mask="causal")), weights=[1])
    text = certify.claim(to_document(b.build("named")), "all i in 1..n. holds(MOD(3, 1), i) -> q(i) <= 1").text
    assert "ex q0 in 0..i. i = 3*q0 + 1" in text and "q(i) <= 1" in text
