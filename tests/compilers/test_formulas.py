"""Formulas of temporal logic: read, compiled, interpreted, proved. The truths here are found by a recursion of their
own, on the tree that the test draws, so that reader, interpreter and compiler can all be wrong."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from shared import call, document, refused, second_checker

import symcook as sc
from symcook.compilers import formula as compiler
from symcook.compilers.booleans import Diagrams, cubes
from symcook.decide.automata import explored
from symcook.decide.decision import decide
from symcook.errors import BadInput, Undecided
from symcook.model.modelfile import dumps, loads, model_hash
from symcook.programs.reading import read_formula
from symcook.proof import kernel
from symcook.proof.holds import Truths
from symcook.proof.programs import compiledfacts, compiledprograms
from symcook.proof.programs.proofsteps import Node
from symcook.proof.search.tactics import Goal
from symcook.spec.fold import Fold
from symcook.spec.logic import Looking, answers, fold, language

Tree = tuple
PREFIX = ("~", "prev", "next", "once", "historically", "eventually", "always")
INFIX = ("&", "|", "->", "<->", "since", "until")


def drawn(r: random.Random, operators: int, letters: str) -> Tree:
    """A formula with so many operators."""
    if operators == 0:
        return ("in", frozenset(a for a in letters if r.random() < 0.5))
    op = r.choice((*PREFIX, *INFIX))
    if op in PREFIX:
        return (op, drawn(r, operators - 1, letters))
    left = r.randrange(operators)
    return (op, drawn(r, left, letters), drawn(r, operators - 1 - left, letters))


def written(tree: Tree) -> str:
    if tree[0] == "in":
        return f"Q_{{{', '.join(sorted(tree[1]))}}}"
    if len(tree) == 2:
        return f"{tree[0]} ({written(tree[1])})"
    return f"({written(tree[1])}) {tree[0]} ({written(tree[2])})"


@cache
def truth(tree: Tree, word: str) -> tuple[bool, ...]:
    """At which positions a formula is true, by Definitions 11 and 14 read out."""
    op, n = tree[0], len(word)
    if op == "in":
        return tuple(letter in tree[1] for letter in word)
    f = truth(tree[1], word)
    g = truth(tree[2], word) if len(tree) == 3 else f

    def at(i: int) -> bool:
        if op in ("~", "prev", "next"):
            return not f[i] if op == "~" else i > 0 and f[i - 1] if op == "prev" else i + 1 < n and f[i + 1]
        if op in ("once", "historically"):
            return any(f[: i + 1]) if op == "once" else all(f[: i + 1])
        if op in ("eventually", "always"):
            return any(f[i:]) if op == "eventually" else all(f[i:])
        if op in ("since", "until"):
            ends = range(i + 1) if op == "since" else range(i, n)
            return any(g[j] and all(f[min(i, j) : max(i, j) + 1]) for j in ends)
        return {"&": f[i] and g[i], "|": f[i] or g[i], "->": not f[i] or g[i], "<->": f[i] == g[i]}[op]

    return tuple(map(at, range(n)))


def outputs(model: sc.Transformer, word: str | tuple[str, ...]) -> list[Any]:
    """The model's answers by position, from its exact run."""
    found = model.run(word).outputs
    assert found is not None
    return list(found)


def words(letters: str, longest: int) -> list[str]:
    return ["".join(word) for n in range(1, longest + 1) for word in product(letters, repeat=n)]


@pytest.mark.layer_one(0, 1, 2, 5)
@pytest.mark.parametrize("seed", range(8))
def test_models_answer_as_formulas_drawn_at_random(seed: int) -> None:
    r = random.Random(seed)
    letters = "ab" if seed % 3 else "abc"
    tree = drawn(r, r.randrange(13), letters)
    formula = read_formula(written(tree), letters)
    model = sc.compile("ltl", written(tree), alphabet=letters)
    assert len(model.layers) <= formula.nesting + 1
    for word in words(letters, 5 if len(letters) == 2 else 4):
        wanted = list(truth(tree, word))
        assert answers(formula, word) == wanted, (written(tree), word)
        read = fold(formula)
        assert read is None or read(word) == wanted, (written(tree), word)
        assert outputs(model, word) == wanted, (written(tree), word)


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("seed", range(3))
def test_certificates_of_formulas_drawn_at_random(seed: int) -> None:
    r = random.Random(100 + seed)
    model = sc.compile("ltl", written(drawn(r, 4 + 4 * seed, "ab")), alphabet="ab")
    _, found = compiledprograms.prove(model)
    assert found.verdict is not None and found.verdict.words == "PROVED"


def test_two_lines_with_one_head_are_proved() -> None:
    """prev (Q_b & Q_b) has the head of prev Q_b: its truth is told by the coordinate, read backwards."""
    _, found = compiledprograms.prove(
        sc.compile("ltl", "prev (Q_b & Q_b) <-> (prev Q_b <-> Q_a since Q_b)", alphabet="ab")
    )
    assert found.verdict is not None and found.verdict.words == "PROVED"


@pytest.mark.parametrize("source", [
    "prev (Q_a until next Q_b)", "~(next Q_a since (Q_b | prev next Q_b))",
    "output x = next Q_a; output y = Q_b until Q_a; output x = true;",
])  # fmt: skip
def test_a_formula_is_read_at_many_words_as_at_each(source: str) -> None:
    formula = read_formula(source, ("a", "b"))
    for n in (1, 2, 5):
        at_once = Looking(formula).block([("a", "b")] * n)
        for number, word in enumerate(product("ab", repeat=n)):
            found = [[answer for answer, words in column.items() if words >> number & 1] for column in at_once]
            assert found == [[answer] for answer in answers(formula, word)], word


def nodes(part: Any) -> int:
    """How many nodes a certificate has."""
    if isinstance(part, dict):
        return ("by" in part) + sum(map(nodes, part.values()))
    return sum(map(nodes, part)) if isinstance(part, list) else 0


def nested(operators: int) -> str:
    """Operators on other positions inside of one another."""
    source = "Q_a"
    for number in range(operators):
        source = (f"prev ({source})", f"(Q_b | {source}) since Q_a", f"next ({source})", f"~({source}) until Q_b")[
            number % 4
        ]
    return source


@pytest.mark.sweep
@pytest.mark.parametrize("soft", [False, True])
def test_certificates_grow_with_the_operators(soft: bool) -> None:
    sizes = []
    for operators in (8, 16, 24):
        _, found = compiledprograms.prove(sc.compile("ltl", nested(operators), alphabet="ab", soft=soft), 300)
        assert found.verdict is not None and found.verdict.words == "PROVED"
        sizes.append(nodes(found.certificate))
    assert sizes[2] - sizes[1] <= 1.1 * (sizes[1] - sizes[0]), sizes


@pytest.mark.sweep
@pytest.mark.parametrize("soft", [False, True])
def test_facts_are_shown_apart_where_the_checker_would_copy_too_many(
    soft: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a formula of 200 operators needs it, with a lower limit of copies."""
    model = sc.compile("ltl", nested(16), alphabet="ab", soft=soft)
    monkeypatch.setattr(kernel, "MAX_COPIES", 40_000 if soft else 20_000)
    statement, found = compiledprograms.prove(model)
    assert found.verdict is not None and found.verdict.words == "PROVED"
    assert found.certificate is not None
    assert found.certificate["proof"][0]["by"] == "have"  # before anything is supposed
    assert second_checker(tmp_path, statement, found.certificate).returncode == 0
    monkeypatch.setattr(compiledfacts.Apart, "cite", _where_it_stands)
    _, other = compiledprograms.prove(model)
    assert other.verdict is None
    assert "copy more than" in str(other.missing)


def _where_it_stands(_: compiledfacts.Apart, g: Goal, node: Node) -> None:
    g.add(node, g.formula(node["show"]))


@pytest.mark.sweep
def test_a_formula_that_nests_too_deep_for_a_sentence_has_no_proof() -> None:
    with pytest.raises(Undecided, match="must nest at most"):
        compiledprograms.prove(sc.compile("ltl", nested(330), alphabet="ab"))


@pytest.mark.parametrize("source, word, bits", [
    ("prev prev Q_1 & prev Q_0 & Q_1", "10101", "00101"),  # the paper's 3-gram, Section 4.1
    ("Q_0 since Q_1", "1000", "0000"),  # the position of the witness is in both sides
    ("(Q_0 | Q_1) since Q_1", "0100", "0111"),
    ("Q_0 until Q_1", "0001", "0000"),
    ("~prev true", "000", "100"),
    ("~next true", "000", "001"),
    ("let first = ~prev true; once (first & Q_1)", "100", "111"),
    ("Q_1 -> Q_0 -> Q_1", "10", "11"),
    ("Q_1 | Q_0 & false", "10", "10"),
    ("// a remark\n¬ ⊖ true ∨ ⊕ Q_1", "0010", "1100"),
])  # fmt: skip
def test_what_formulas_mean(source: str, word: str, bits: str) -> None:
    wanted = [bit == "1" for bit in bits]
    assert answers(read_formula(source, "01"), word) == wanted
    assert outputs(sc.compile("ltl", source, alphabet="01"), word) == wanted


def test_outputs_are_the_first_that_is_true() -> None:
    source = "output x = prev Q_a; output y = Q_b; output x = next Q_b; output z = true;"
    model = sc.compile("ltl", source, alphabet="ab")
    assert outputs(model, "abba") == ["x", "x", "y", "z"]
    assert outputs(model, "aa") == ["z", "x"]
    _, found = compiledprograms.prove(model)
    assert found.verdict is not None and found.verdict.words == "PROVED"


def test_letters_may_be_long_or_signs_of_the_language() -> None:
    source = 'alphabet "(" ) since; prev Q_"(" & Q_")" | Q_"since"'
    model = sc.compile("ltl", source)
    assert outputs(model, ("(", ")", "since", ")")) == [False, True, True, False]
    _, found = compiledprograms.prove(model)
    assert found.verdict is not None and found.verdict.words == "PROVED"


def test_boolean_parts_too_large_are_cut_and_stay_right() -> None:
    """Forty letters back: a conjunction of more than 32 bits."""
    parts = [f"{'prev ' * k}Q_1" for k in range(40)]
    model = sc.compile("ltl", " & ".join(parts), alphabet="01")
    word = "1" * 45
    assert outputs(model, word) == [i >= 39 for i in range(45)]
    assert outputs(model, "0" + word) == [i >= 40 for i in range(46)]
    with pytest.raises(Undecided, match="Boolean part"):
        compiledprograms.prove(model)


@pytest.mark.layer_one(0, 1, 5)
@pytest.mark.parametrize("table, op, wrong, source", [
    ("MASKS", "prev", "future", "prev Q_a"),
    ("MASKS", "next", "past", "next Q_a"),
    ("MASKS", "since", "strict-future", "(Q_a | Q_b) since Q_a"),
    ("SIDES", "since", "leftmost", "~Q_b since Q_a"),
    ("SIDES", "until", "rightmost", "~Q_b until Q_a"),
    ("SIDES", "prev", "leftmost", "prev Q_a"),
])  # fmt: skip
def test_a_wrong_head_is_found_by_check_and_not_proved(
    table: str, op: str, wrong: str, source: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(getattr(compiler, table), op, wrong)
    model = sc.compile("ltl", source, alphabet="abc")
    formula = read_formula(source, "abc")
    assert any(outputs(model, word) != answers(formula, word) for word in words("abc", 4))
    _, found = compiledprograms.prove(model, 3)
    assert found.verdict is None or found.verdict.words != "PROVED"


def test_a_wrong_meaning_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Truths._line
    monkeypatch.setattr(Truths, "_line", lambda self, said: right(self, said.replace("in j..i", "in j + 1..i")))
    model = sc.compile("ltl", "Q_a since Q_b", alphabet="abc")
    _, found = compiledprograms.prove(model, 3)
    assert found.verdict is None or found.verdict.words != "PROVED"


def test_a_model_that_was_changed_is_not_proved() -> None:
    model = sc.compile("ltl", "prev Q_a", alphabet="ab")
    other = sc.compile("ltl", "next Q_a", alphabet="ab")
    with pytest.raises(BadInput, match="unchanged since it was compiled"):
        compiledprograms.prove(replace(other, program=model.program))


def test_the_program_is_in_the_file_and_in_no_hash() -> None:
    model = sc.compile("ltl", "once Q_a & prev Q_b", alphabet="ab")
    again = loads(dumps(model))
    assert again.program == model.program and again == model
    assert model_hash(model) == model_hash(replace(model, program=None))
    document = json.loads(dumps(model))
    damaged = (
        ({"kind": 1}, "language"),
        ({"source": 1}, "source"),
        ({"plan": [["a"]]}, "plan"),
        ({"x": 1}, "keys"),
        ({"alphabet": ["a"]}, "alphabet"),
    )
    for damage, said in damaged:
        with pytest.raises(BadInput, match=said):
            loads(json.dumps(document | {"program": document["program"] | damage}))


def test_every_coordinate_is_in_the_plan() -> None:
    model = sc.compile("ltl", "(prev Q_a since next Q_b) until Q_c", alphabet="abc")
    assert model.program is not None
    assert [name for name, _, _ in model.program.plan] == list(model.space)
    assert ("since5", "layer 2, attention", "prev Q_a since next Q_b") in model.program.plan


@pytest.mark.parametrize("seed", range(6))
def test_diagrams_are_their_cubes(seed: int) -> None:
    r, make = random.Random(seed), Diagrams()

    def draw(depth: int):
        if depth == 0:
            k = r.randrange(4)
            return make.variable(k), lambda bits: bits[k]
        (f, p), (g, q), (h, s) = (draw(depth - 1) for _ in range(3))
        return make.choice(f, g, h), lambda bits: q(bits) if p(bits) else s(bits)

    node, function = draw(3)
    found = cubes(node, 100)
    assert found is not None
    for bits in product((False, True), repeat=4):
        held = sum(all(bits[k] == value for k, value in cube) for cube in found)
        assert held == int(function(bits))


def test_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "since.json"
    line = ("compile", "ltl", "~Q_b since Q_a", "--alphabet", "a b c", "-o", file)
    code, out, _ = call(capsys, *line, "--prove")
    assert code == 0 and out.startswith(f"wrote {file}: 2 layers") and "\nPROVED  " in out
    assert call(capsys, "prove", file)[0] == 0
    code, out, _ = call(capsys, "check", file, "--max-length", "6")
    assert code == 0 and "agrees with its specification on 1092 inputs of 1092" in out
    assert "since4" in call(capsys, "show", file)[1].partition("Plan")[2]
    ran = document(capsys, "run", file, "--input", "abca")
    assert ran["accept"] is True and ran["outputs"] == ["1", "0", "0", "1"]
    refused(capsys, *line)  # it exists
    source = tmp_path / "tri.ltl"
    source.write_text("alphabet 0 1;\nprev prev Q_1 & prev Q_0 & Q_1\n")
    shown = document(capsys, "compile", "ltl", source, "-o", tmp_path / "tri.json")
    assert shown["verdict"] is None and {"layers", "width", "heads", "operators"} <= shown.keys()
    refused(capsys, "compile", "ltl", "Q_z", "--alphabet", "ab", "-o", tmp_path / "z.json")
    assert not (tmp_path / "z.json").exists()


@pytest.mark.layer_one(1, 2, 3, 4, 6, 7)
@pytest.mark.parametrize("seed", range(8))
def test_decided_for_every_length_against_the_program(seed: int) -> None:
    """The automaton from the weights and the one from the formula, which guesses what stands ahead."""
    r = random.Random(1000 + seed)
    tree = drawn(r, r.randrange(1, 9), "ab")
    formula = read_formula(written(tree), "ab")
    told = language(formula)
    for word in words("ab", 5):
        assert told(word) == truth(tree, word)[-1]
    model = sc.compile("ltl", written(tree), alphabet="ab")
    last = replace(model, readout=replace(model.readout, position="last"))
    assert decide(last, explored(told, "ab")).verdict == "equal"
    other = Fold(told.start, told.step, lambda state: not told.answer(state))
    assert decide(last, explored(other, "ab")).verdict == "different"


def test_decide_takes_the_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.json"
    call(capsys, "compile", "ltl", "prev next Q_a", "--alphabet", "ab", "-o", file)
    assert document(capsys, "decide", file)["verdict"] == "equal"
    text = json.loads(file.read_text())
    text["program"]["source"] = "Q_a"
    file.write_text(json.dumps(text))
    code, out, _ = call(capsys, "decide", file, "--json")
    assert code == 1 and json.loads(out)["word"] == "a"


def test_a_compiled_model_is_checked_against_its_program_where_no_reference_is_given() -> None:
    found = sc.compile("ltl", "prev Q_1", alphabet="01").check(max_length=4)
    assert found.holds and found.strings == 30
    with pytest.raises(BadInput, match="must be checked against a specification; given: none"):
        sc.build("dyck-1").check(max_length=3)
