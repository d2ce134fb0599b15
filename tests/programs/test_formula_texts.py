"""What is no formula, and what is no alphabet: one sentence each, with the place."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import pytest

import symcook as sc
from symcook.errors import BadInput
from symcook.programs.reading import INSTEAD, STANDARD, read_formula
from symcook.programs.srasp_reading import read_srasp
from symcook.spec.logic import answers


@pytest.mark.parametrize("source, said", [
    ("Q_a & (Q_b", "must stand at line 1, column 11; given: the end"),
    ("Q_a since", "a formula must stand at line 1, column 10"),
    ("Q_a &\n & Q_b", "line 2, column 2"),
    ("Q_c", "in the alphabet (line 1, column 1); given: c; known: a, b"),
    ("Q_since", "must have quotes"),
    ("Q_a since Q_b until Q_a", "must have brackets"),
    ("#left[Q_a] > 0", "without counts"),
    ("ODD(Q_a)", "without counts"),
    ("x & Q_a", "write let x = F;"),
    ("let since = Q_a; Q_a", "no keyword of the language"),
    ("let x = Q_a; let x = Q_b; x", "a name must be new"),
    ("output a = Q_a;", "output x = true;"),
    ("", "a formula must stand"),
    ("Q_a Q_b", "column 5"),
    ("G(Q_a -> F Q_b)", "write always for G"),
    ("Q_a & F Q_b", "write eventually for F"),
    ("Q_a S Q_b", "for p S q write q | (p since prev q): in until and since here p must be true where q is too"),
    ("Q_a U Q_b", "for p U q write q | (p until next q): in until and since here p must be true where q is too"),
    ("Q_a wuntil Q_b", "for p wuntil q write q | (p until next q) | always p"),
    ("X Q_a", "write next for X"),
    ("WX Q_a", "for WX p write ~next ~p"),
    ("[]Q_a", "write always for []"),
    ("Q_a & <> Q_b", "write eventually for <>"),
    ("F[0,5] Q_a", "no intervals of time (line 1, column 2)"),
    ("Q_a U[0,3] Q_b", "no intervals of time"),
    ("always[1,2] Q_a", "no intervals of time"),
    ("<>[0,3] Q_a", "no intervals of time"),
    ("Y Q_a", "write prev for Y"),
    ("Q_a untill Q_b", "did you mean until?"),
    ("not Q_a", "write ~ for not"),
    ("Q_a and Q_b", "write & for and"),
    ("G & Q_a", "write always for G"),
    ("a & Q_b", "the symbol is written Q_a"),
    ("alphabet a b c; Q_a", "must be given once"),
    ("(" * 10_000 + "Q_a" + ")" * 10_000, "at most 1000 deep"),
    ("~" * 10_000 + "Q_a", "nested at most 1000 deep (line 1, column 9001)"),
    ("prev " * 10_000 + "Q_a", "nested at most 1000 deep (line 1, column 45001)"),
    (" & ".join(["Q_a"] * 10_000), "nested at most 1000 deep (line 1, column 5999)"),
    ("\n\n", "a formula must stand at line 1, column 1; given: the end"),
    ("Q_a &\r\n& Q_b\r\n", "a formula must stand at line 2, column 1; given: &"),
    ("\ufeff\tQ_a\t%", "line 1, column 6"),
    ("since", "a formula must stand at line 1, column 1; given: since"),
    ("Q_a ⇒ Q_b", "(line 1, column 5); given: ⇒; write -> for ⇒"),
    ("□Q_a", "write always for □"),
    ("!Q_a", "write ~ for !"),
    ("Q_a && Q_b", "(line 1, column 6); given: &; write & for &&"),
    ("Q_a == Q_b", "(line 1, column 5); given: =; write = for =="),
    ("Q_", "a symbol must be written Q_a, Q_\"(\" or Q_{a, b} (line 1, column 1)"),
    ("Q_(", "a symbol must be written Q_a, Q_\"(\" or Q_{a, b} (line 1, column 3)"),
    ('Q_"a', "a symbol in quotes must have its second quote (line 1, column 3)"),
    ("Q_{a,}", 'a symbol or a symbol like "a" must stand at line 1, column 6'),
    ("alphabet a a; Q_a", "an alphabet must have each symbol once (line 1, column 10)"),
    ("output a = Q_a;\noutput b = Q_b;", "one output must be true at every position (line 2, column 1)"),
])  # fmt: skip
def test_what_is_no_formula_gets_a_sentence(source: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        sc.compile("ltl", source, alphabet="ab")
    assert said in str(caught.value) and "\n" not in str(caught.value).split("given:")[0]


def standard(operator: str, p: list[bool], q: list[bool]) -> list[bool]:
    """Operators of linear temporal logic on finite strings by their definitions, at each position."""
    n = len(p)
    places = range(n)
    if operator in ("X", "WX", "N", "wnext", "weaknext"):
        return [p[i + 1] if i + 1 < n else operator != "X" for i in places]
    if operator in ("Y", "Z"):
        return [p[i - 1] if i else operator == "Z" for i in places]

    def until(a: list[bool], b: list[bool]) -> list[bool]:
        return [any(b[j] and all(a[i:j]) for j in range(i, n)) for i in places]

    def negated(a: list[bool]) -> list[bool]:
        return [not value for value in a]

    if operator in ("S", "B", "T"):  # the mirror images
        return standard({"S": "U", "B": "W", "T": "R"}[operator], p[::-1], q[::-1])[::-1]
    if operator in ("W", "wuntil", "weakuntil"):
        return [value or all(p[i:]) for i, value in zip(places, until(p, q), strict=True)]
    if operator in ("R", "V", "release"):
        return negated(until(negated(p), negated(q)))
    if operator == "M":
        return until(q, [a and b for a, b in zip(p, q, strict=True)])
    return until(p, q)


def test_what_is_advised_has_the_standard_meaning() -> None:
    """Of each operator of other tools, on all strings to length 4 over the four values of p and q."""
    letters = {"a": (False, False), "b": (False, True), "c": (True, False), "d": (True, True)}
    advised = STANDARD | {word: f"{INSTEAD[word]} p" for word in ("X", "Y")}
    for operator, ours in advised.items():
        formula = read_formula(f"let p = Q_{{c, d}}; let q = Q_{{b, d}}; {ours}", "abcd")
        for n in range(1, 5):
            for word in product("abcd", repeat=n):
                p, q = ([letters[letter][k] for letter in word] for k in (0, 1))
                assert answers(formula, word) == standard(operator, p, q), (operator, word)


@pytest.mark.parametrize("source, said", [
    ("#left Q_a > 1", "[ must stand at line 1, column 7"),
    ("MOD 3", "( must stand at line 1, column 5"),
    ("#left[Q_a] * #left[Q_b] > 1", "must be a whole number in front of the count (line 1, column 12)"),
    ("1/2*#left[Q_a] > 1", "must be a whole number in front of the count (line 1, column 2)"),
    ("#left[Q_a] > 1.5", "must be a whole number in front of the count (line 1, column 15)"),
    ("Q_a & TABLE(0)", "at least two bits, for 0 and 1 (line 1, column 7)"),
    ("#left[" * 1_100 + "Q_a" + "] > 1" * 1_100, "nested at most 1000 deep (line 1, column "),
])  # fmt: skip
def test_what_is_no_count_gets_a_sentence(source: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        sc.compile("count", source, alphabet="ab")
    assert said in str(caught.value), str(caught.value)


@pytest.mark.sweep
def test_marks_tabs_ends_of_lines_and_signs_are_read() -> None:
    model = sc.compile("count", "\ufeffalphabet a b;\r\n\t#left[Q_a] ≥ 2\t&\r\n#left[Q_b] ≤ 1\r\n")
    assert model.run("abaab").outputs == [False, False, True, True, False]


@pytest.mark.parametrize(
    "alphabet, said", [("", "at least one symbol"), ("aa", "each symbol once"), (None, "must have an alphabet")]
)
def test_what_is_no_alphabet_gets_a_sentence(alphabet: str | None, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        sc.compile("ltl", "true", alphabet=alphabet)


@pytest.mark.parametrize("source, alphabet", [
    ("alphabet a b // the symbols\n; Q_a", "a b"), ("alphabet a b// two\n;\nQ_a", "a b"),
    ('alphabet a "//" b; Q_"//"', "a // b"), ("alphabet a b; Q_{a, // first\n b}", "a b"),
    ("alphabet 'abc d; ~Q_d", "'abc d"), ("alphabet ( b; " + " | ".join(["Q_{(}"] * 490), "( b"),
])  # fmt: skip
def test_a_comment_is_none_of_the_letters(source: str, alphabet: str) -> None:
    """And brackets that are letters are not counted as brackets."""
    assert list(read_formula(source).alphabet) == alphabet.split()


def test_brackets_that_are_letters_are_no_depth() -> None:
    letters = ", ".join(["("] * 2_000)
    assert read_formula(f"alphabet ( b; Q_{{{letters}}}") == read_formula('alphabet ( b; Q_"("')


def test_a_line_ends_in_any_way() -> None:
    """A comment in the middle does not hide what stands behind it."""
    written = {read_formula(f"alphabet a b; Q_a{end}// c{end}| Q_b") for end in ("\n", "\r", "\r\n")}
    assert written == {read_formula("alphabet a b; Q_a | Q_b")}
    programs = {read_srasp(f"alphabet a b{end}// c{end}y(i) = in(i)") for end in ("\n", "\r", "\r\n")}
    assert len(programs) == 1


@pytest.mark.parametrize("source, said", [
    ("#lft[Q_a] > 1", "a count must be written #left[F] or #right[F] (line 1, column 1)"),
    ("Q_a # comment", "a comment begins with //"),
    ("2#left[Q_a] > 1", "* or + or - or = or a comparison must stand at line 1, column 2"),
    ("Q_a #left[Q_b] > 1", "the end or an operator must stand at line 1, column 5"),
    ("#left[Q_a] > 1234567890123456789", "a number must have at most 18 digits (line 1, column 32)"),
])  # fmt: skip
def test_what_is_no_formula_of_counts_gets_a_sentence_of_counts(source: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        sc.compile("count", source, alphabet="ab")
    assert said in str(caught.value) and "ltl" not in str(caught.value)


@pytest.mark.sweep
def test_threads_read_formulas_and_programs_beside_each_other() -> None:
    def read(k: int) -> tuple[object, object]:
        return (read_formula(f"alphabet a b; let n{k} = Q_a; n{k} since (Q_b & n{k})"),
                read_srasp(f'alphabet a b\nn{k}(i) = in(i)\ny(i) = n{k}(i)'))  # fmt: skip

    with ThreadPoolExecutor(4) as pool:
        made = [found for _ in range(20) for found in pool.map(read, range(12))]
    assert made == [read(k) for k in range(12)] * 20
