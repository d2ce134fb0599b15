"""S-RASP as text: what is no program gets one sentence with the place; what is one means what it should."""

from __future__ import annotations

from pathlib import Path

import pytest
from shared import document, refused

import symcook as sc
from symcook.errors import BadInput
from symcook.programs.srasp_reading import read_srasp
from symcook.spec.srasp import answers

GROWS = 'y(i) = psum j [j <= i] map(in(j); "a": 1, else: 2)\n'


@pytest.mark.parametrize("source, said", [
    ("", "a definition, name(i) = E, must stand at line 1, column 1; given: the end"),
    ("x(i) = 1 +", "a value must stand at line 1, column 11; given: the end"),
    ("x(i) = 1\ny(i) = x(i) +\nz(i) = 2", "a value must stand at line 2, column 14; given: the end of the line"),
    ("x(i) = (1 + 2\ny(i) = 3", "line 2, column 1; given: y"),
    ("x(i) = 1 2", "line 1, column 10; given: 2"),
    ("x(i)", "= must stand at line 1, column 5"),
    ("x(i) = 1 = 1 = 1", "line 1, column 14"),
    ("x(i) = ?", "a value must stand at line 1, column 8"),
    ("x(i) = %", "line 1, column 8"),
    ('x(i) = "a', "a symbol in quotes must end on its line (line 1, column 8)"),
    ('x(i) = in(i) = "c"', "(line 1, column 16); given: c; known: a, b"),
    ('x(i) = map(in(i); "c": 1, else: 0)', "(line 1, column 19); given: c"),
    ('x(i) = map(in(i); "a": 1)', "a value for every symbol (line 1, column 8); given: none for b"),
    ('x(i) = map(in(i); "a": 1, "a": 2, else: 0)', "each key once"),
    ('x(i) = map(in(i); else: 0, "a": 2)', "else must stand last"),
    ("s(i) = in(j) = in(i)\nx(i) = selector_width(s(j))", "without (j) (line 2, column 23); given: s(j); write s"),
    ('x(i) = map(in(i) = "a"; true: 1, 0: 2)', "the key of a map must be true or false (line 1, column 34)"),
    ('x(i) = map(in(i); "a": 1, "b": 2, 0: 3)', "the key of a map must be a symbol (line 1, column 35)"),
    ('x(i) = map(1; 1: 1, true: 2, else: 3)', "the key of a map must be a number (line 1, column 21)"),
    ("x(i) = a", 'a symbol has quotes, like "a"'),
    ("x(i) = y(i)", "must be defined before it is used (line 1, column 8); given: y"),
    ("x(i) = x(i)", "must be defined before"),
    ("in(i) = 1", "no keyword of the language (line 1, column 1)"),
    ("x(i) = 1\nx(i) = 2", "must be new and no keyword of the language (line 2, column 1)"),
    ("x(j) = 1", "have the argument i (line 1, column 3)"),
    ("x(k) = 1", "have the argument i (line 1, column 3)"),
    ("x(i) = in(k)", "i or j (line 1, column 11)"),
    ("x(i) = in(j)", "a definition must be at i (line 1, column 8)"),
    ("x(i) = in(i) + 1", "must be a number (line 1, column 8); given: a symbol"),
    ("x(i) = true & 1", "must be true or false"),
    ("x(i) = ~in(i)", "must be true or false"),
    ("x(i) = if 1 then 1 else 2", "the condition of if must be true or false"),
    ('x(i) = if in(i) = "a" then 1 else "a"', "then and else must be values of one type (line 1, column 8)"),
    ('x(i) = in(i) = 1', "must be of one type (line 1, column 8); given: a symbol and a number"),
    ("x(i) = true < false", "true and false must be compared by = or !="),
    ("x(i) = psum j [j <= i] in(j)", "must be a number (line 1, column 24); given: a symbol"),
    ("x(i) = psum j [j <= i] in(i)", "must be a value at j (line 1, column 24)"),
    ("x(i) = psum j [true] 1", "compared with i"),
    ("x(i) = psum k [j <= i] 1", "must be called j (line 1, column 13)"),
    ("x(i) = psum k [k <= i] 1", "a mask must be one of true, j < i, j <= i, j > i, j >= i (line 1, column 16)"),
    ("x(i) = psum j [j = i] 1", "a mask must be one of true, j < i, j <= i, j > i, j >= i (line 1, column 16)"),
    ("x(i) = right j [j < i, in(j) = in(i)] in(j)", "a selection must have a default, V : D (line 1, column 44)"),
    ("x(i) = right j [j < i, in(j) = in(i)] in(j)\ny(i) = 1", "a default, V : D (line 1, column 44)"),
    ("x(i) = right j [j < i, true] in(i) : in(i)", "the value of a selection must be at j (line 1, column 30)"),
    ("x(i) = right j [j < i, true] in(j) : in(j)", "the default of a selection must be at i (line 1, column 38)"),
    ("x(i) = right j [j < i, true] in(j) : 1", "must be values of one type"),
    ("x(i) = right j [j < i, in(j)] in(j) : in(i)", "must be true or false (line 1, column 24)"),
    ("x(i) = right j [j < i, tokens = tokens] in(j) : in(i)", "write x(j) or x(i)"),
    ("y(i) = psum j [j <= i] 1\nx(i) = left j [true, y(j) + y(i) = 2] in(j) : in(i)", "must be at the same position"),
    (f"{GROWS}x(i) = left j [true, y(j) < y(i)] in(j) : in(i)", "y(i) and y(i)"),
    (f'{GROWS}x(i) = left j [true, y(j) = y(i) | in(j) = "a"] in(j) : in(i)', "joined by & only"),
    ("y(i) = psum j [j <= i] 1\nx(i) = psum j [j <= i] y(j)", "n^2"),
    ("y(i) = psum j [j <= i] 1\nx(i) = y(i) * y(i)", "one side of a product must have a finite range"),
    ("x = select(tokens, tokens, ==)", "the output must be a symbol"),
    ("x = aggregate(tokens, tokens, 1)", "must be true or false"),
    ("x = selector_width(select(indices, 2*indices, <))", "indices and 2*indices"),
    ("x = aggregate(select(indices, indices, !=), indices, 0)", "a head has one mask"),
    ("x = aggregate(select(tokens, tokens, ==))", "aggregate must be given a selector and values"),
    ("x = selector_width(select(tokens, tokens, true))", "select must end with one of == != < <= > >="),
    ("x = select(tokens, tokens)", "select must end with one of == != < <= > >="),
    ("# histogram\nx = tokens", "a remark must begin with //"),
    ('x = "a" if tokens == "b" else "c"', "write if C then E else E"),
    ('x = indicator(tokens == "a")', "a function must be one of aggregate, map, select, selector_width"),
    ("x = indices % 2", "given: %"),
    ("nowhere.srasp", "comes with symcook"),
    ("a/histogram.srasp", "the file of a program must exist; given: a/histogram.srasp; give the text itself"),
    ("x(i) = 3 / 0", "divided by a whole number that is not 0 (line 1, column 12)"),
    ("x(i) = 1234567890123456789", "at most 18 digits"),
    ("x(i) = [1, 2]", "a program must be without lists (line 1, column 8); given: [1"),
    ("def f(x):", "must be without def"),
    ('x(i) = psum j [j <= i] in(j) = "a"', "(line 1, column 24); given: true or false; write if C then 1 else 0"),
    ("x(i) = psum j [j <= i] in(j) ", 'given: a symbol; write map(in(j); "a": 1, else: 0)'),
    ("x(i) = true & 1", "(line 1, column 15); given: a number; compare it: x > 0"),
    ("x(i) = 2 * (in(i) = \"a\")", "a product must be a number (line 1, column 13)"),
    (f"{GROWS}x(i) = 1 + y(i) * y(i)", "a finite range (line 2, column 12); given: y(i)*y(i), a product"),
    (f"{GROWS}x(i) = 1 + psum j [j <= i] y(j)", "n^2 has no position to look it up (line 2, column 12)"),
    (f"{GROWS}x(i) = left j [true, y(j) < y(i)] in(j) : in(i)", "in order (line 2, column 22); given: y(i) and y(i)"),
    ("x = select(tokens, tokens, ==)", "a number (line 1, column 1); given: a selector"),
    ("x(i) = psum", "the other position j must stand at line 1, column 12"),
    ("x(", "the position i must stand at line 1, column 3"),
    ("x(i) = 1 × 2", "(line 1, column 10); given: ×; write * for ×"),
    ("x(i) := 1", "(line 1, column 6); given: :; write = for :="),
    ("x(i) = true && true", "(line 1, column 14); given: &; write & for &&"),
    ("x(i) = 1.5", "(line 1, column 9); given: .5; write it as a fraction, 3/2 for 1.5"),
    ("x[i] = 1", "without lists (line 1, column 2); given: [i]"),
    ("x(i) =\r\ny(i) = 2\r\n", "a value must stand at line 1, column 7; given: the end of the line"),
    ("\tx(i)\t=\t%", "line 1, column 9"),
    ("\ufeffx(i) = %", "line 1, column 8"),
    ("out(i) = in(i)\nout(i) = in(i)", "must be new and no keyword of the language (line 2, column 1); given: out"),
    ("or(i) = true", "no keyword of the language (line 1, column 1); given: or"),
    ("alphabet a a;\nx(i) = in(i)", "an alphabet must have each symbol once (line 1, column 10)"),
    ("x(i) = " + "map(" * 10_000, "nested at most 1000 deep (line 1, column 4011)"),
    ("alphabet a b c;\nx(i) = in(i)", "an alphabet must be given once (line 1, column 10)"),
    ("x(i) = " + "~" * 10_000 + "true", "at most 1000 deep"),
    ("x(i) = " + "-" * 10_000 + "1 = 1", ""),
    ("x(i) = " + "(" * 10_000 + "1" + ")" * 10_000, "at most 1000 deep"),
    ("x(i) = " + "if true then 1 else " * 10_000 + "2", "at most 1000 deep"),
    pytest.param("x(i) = " + " + ".join(["1"] * 10_000), "at most 1000 deep", marks=pytest.mark.sweep),
])  # fmt: skip
def test_what_is_no_program_gets_a_sentence(source: str, said: str) -> None:
    if not said:  # signs that cancel are no depth
        assert answers(read_srasp(source, "ab"), "a") == [True]
        return
    with pytest.raises(BadInput) as caught:
        sc.compile("srasp", source, alphabet="ab")
    assert said in str(caught.value), str(caught.value)
    assert "\n" not in str(caught.value).split("given:")[0]


@pytest.mark.parametrize(
    "source", ["\ufeffalphabet a b;\r\nx(i) = in(i)\r\n", "\talphabet a b;\n\n\tx(i)\t= in(i)\n\n"]
)
def test_marks_tabs_and_ends_of_lines_of_other_systems_are_read(source: str) -> None:
    assert answers(read_srasp(source), "ab") == ["a", "b"]


@pytest.mark.parametrize("source, wanted", [
    ("x = aggregate(select(indices, indices + 1, ==), tokens)", ["b", "a", "?"]),
    ("x = aggregate(select(indices, indices + 1, ==), 5 * indices)", [5, 10, 0]),
    ('x = aggregate(select(indices, indices + 1, ==), tokens == "b")', [1, 0, 0]),
])  # fmt: skip
def test_without_a_default_an_aggregate_is_what_it_is_of_objects(source: str, wanted: list[object]) -> None:
    assert answers(read_srasp(source, "ab"), "aba") == wanted
    assert sc.compile("srasp", source, alphabet="ab").run("aba").outputs == wanted


@pytest.mark.parametrize(
    "alphabet, said", [("", "at least one symbol"), ("aa", "must have each symbol once"), (None, "an alphabet")]
)
def test_what_is_no_alphabet_gets_a_sentence(alphabet: str | None, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        sc.compile("srasp", "x(i) = in(i)", alphabet=alphabet)


@pytest.mark.parametrize("source, word, wanted", [
    ("x(i) = 1 + 2*3 - 4", "a", [3]),
    ("x(i) = -1 - -2", "a", [1]),
    ("x(i) = 1/2 + 1/3", "a", ["5/6"]),
    ("x(i) = true | false & false", "a", [True]),
    ("x(i) = not true | true", "a", [True]),
    ("x(i) = not 1 = 2", "a", [True]),
    ("x(i) = if false then 1 else 2 + 3", "a", [5]),
    ("x(i) = 1 + if false then 1 else 2 + 3", "a", [6]),
    ("x(i) = psum j [j < i] 1 + 1", "aaa", [0, 2, 4]),
    ("x(i) = (psum j [j < i] 1) + 1", "aaa", [1, 2, 3]),
    ("x(i) = psum j [i >= j] 1", "aa", [1, 2]),
    ("x(i) = psum j [j >= i] 1", "aab", [3, 2, 1]),
    ("x(i) = psum j [j > i] 1;", "aab", [2, 1, 0]),
    ("x(i) = left j [j > i, true] in(j) : '-'  // the next", "ab", ["b", "-"]),
    ("x(i) = ◀ j [j ≥ i, in(j) ≠ in(i)] in(j) : \"-\"", "aab", ["b", "b", "-"]),
    ("x(i) = right j [true, in(i) = \"a\", in(j) = \"b\"] 2 : 1", "ab", [2, 1]),
    ("x(i) = right j [j <= i] in(j) : '-'", "ab", ["a", "b"]),
    ("x(i) = ¬(in(i) = 'a') ∨ ⊥", "ab", [False, True]),
    ("x(i) = in(i) < 'b'", "ab", [True, False]),
    ("x = tokens", "ab", ["a", "b"]),
    ("p(i) = psum j [j <= i] 1\nx(i) = map(p(i); 1: true, else: false)", "ab", [True, False]),
    ("y(i) = (1 +\n  2)\n\n// nothing\nx(i) = y(i)", "a", [3]),
    ("s = select(indices, indices, <)\nx = selector_width(s and not select(tokens, tokens, !=))", "aaba", [0, 1, 0, 2]),
    ("alphabet \"a\" b;\nx(i) = in(i)", "b", ["b"]),
])  # fmt: skip
def test_what_a_text_means(source: str, word: str, wanted: list[object]) -> None:
    from fractions import Fraction

    exact = [Fraction(one) if isinstance(one, str) and "/" in one else one for one in wanted]
    assert answers(read_srasp(source, "ab"), word) == exact
    outputs = sc.compile("srasp", source, alphabet="ab").run(word).outputs
    assert outputs is not None
    assert [str(one) for one in outputs] == [str(one) for one in exact]


def test_letters_that_are_signs_or_words_have_quotes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = 'alphabet in "{" \';\' "\\"" else;\nx(i) = if in(i) = "in" | in(i) = ";" then "{" else in(i)'
    made = document(capsys, "compile", "srasp", source, "-o", tmp_path / "m.json")
    assert made["layers"] == 0
    word = 'in ; " else {'
    assert document(capsys, "run", tmp_path / "m.json", "--tokens", word)["outputs"] == ["{", "{", '"', "else", "{"]
    assert document(capsys, "check", tmp_path / "m.json", "--max-length", 3)["mismatches"] == 0


def test_the_command_line_refuses_in_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for source in ("x(i) = 1 +", "x(i) = " + "(" * 10_000, "x(i) = in(i) = 'c'"):
        refused(capsys, "compile", "srasp", source, "--alphabet", "ab", "-o", tmp_path / "m.json")
    refused(capsys, "compile", "srasp", "x(i) = 1", "-o", tmp_path / "m.json")
    refused(capsys, "compile", "srasp", "x(i) = 1", "--alphabet", "ab", "--theorem", "15a", "-o", tmp_path / "m.json")
    assert not (tmp_path / "m.json").exists()
