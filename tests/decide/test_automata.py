"""Automata: what they accept, against Python's own regular expressions and plain loops over words."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest

from symcook.decide.automata import Asked, Automaton, explored, parted, read
from symcook.decide.drawing import svg
from symcook.errors import BadInput
from symcook.programs.automata import table_of
from symcook.programs.regular import regular_table as regular
from symcook.spec.automata import language
from symcook.spec.fold import Fold
from symcook.spec.languages import dyck1, dyck_bounded

ODD = {
    "states": ["even", "odd"],
    "input_symbols": ["0", "1"],
    "transitions": {"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}},
    "initial_state": "even",
    "final_states": ["odd"],
}


def words(alphabet: str, longest: int) -> list[str]:
    return ["".join(w) for n in range(longest + 1) for w in itertools.product(alphabet, repeat=n)]


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "()",
        "a*",
        "(ab|ba)*a?",
        "(a+)?b",
        "(a{2})*(b{1,2}){2}c",
        "[ab]+c",
        ".*abc",
        "(a|b)(c|())+",
        "a|",
        "((a*b)*c)*",
        ".",
        "a?b?c?",
    ],
)
def test_it_has_the_words_that_pythons_expressions_have(text: str) -> None:
    if text == "a|":
        with pytest.raises(BadInput, match="must have a symbol"):
            regular(text, "abc")
        return
    found, expected = regular(text, "abc"), re.compile(text.replace(".", "[abc]"))
    assert [w for w in words("abc", 6) if found(w)] == [w for w in words("abc", 6) if expected.fullmatch(w)]


def test_letters_that_are_signs_and_letters_of_several_characters() -> None:
    brackets = regular(r"(\(\))*", "()")
    assert [w for w in words("()", 4) if brackets(w)] == ["", "()", "()()"]
    signs = regular(r"\*\\ | [\.\|]", ("*", "\\", ".", "|"))
    assert [w for w in words("*\\.|", 3) if signs(w)] == [".", "|", "*\\"]
    several = ("a", "ab", "(1", ")1")
    assert regular(r"(\(1 \)1)+", several)(["(1", ")1"]) is True
    longest = regular("ab", several)  # the longest letter
    assert longest(["ab"]) is True and longest(["a"]) is False
    assert regular("a ab", several)(["a", "ab"]) is True
    assert regular("[]", "ab").counts(3) == [0, 0, 0, 0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "or \\(\\) for the empty string"), ("x", "must be made of the symbols"), ("(a", r"must close each \("),
        ("a)", "must close only brackets"), ("*a", "must be made of the symbols"), ("[a", r"must close each \["),
        ("\\x", "must be made of the symbols"), (r"a\b", "whole string"), (r"\w*", "a class of symbols, such as"),
        ("^a", "leave \\^"),
        ("[^a]b", "write the other symbols"), ("(?:ab)", r"write \( for"), (r"(a)\1", "no references"),
        *((text, "brackets around what is rep") for text in ("a+?", "a{2}?", "a*+b", "(a)?+", "a ** b", "a{2}{3}")),
        ("a{٢}", "made of the symbols"),
        ("(" * 300 + "a" + ")" * 300, "brackets nested at most 200 deep"),
    ],
)  # fmt: skip
def test_an_expression_that_is_none_is_refused(text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        regular(text, "ab")


def test_minimal_automata_are_equal_where_languages_are() -> None:
    pairs = [("(a|b)*", "(a*b*)*"), ("a(ba)*", "(ab)*a"), ("(a+)?", "a*"), ("(aa)*|a(aa)*", "a*")]
    for one, other in pairs:
        assert regular(one, "ab") == regular(other, "ab"), (one, other)
    assert len(regular("(a|b)*a(a|b)(a|b)", "ab")) == 8
    bounded = explored(dyck_bounded("()[]", 2), "()[]")
    assert len(bounded.minimal()) == 8 and bounded.minimal().minimal() == bounded.minimal()


def test_counts_are_those_of_all_words() -> None:
    found = regular("(ab|c)*b?", "abc")
    assert found.counts(6) == [sum(found(w) for w in words("abc", 6) if len(w) == n) for n in range(7)]
    assert regular(".*", "ab").counts(1000)[-1] == 2**1000


def test_the_shortest_word_is_the_first_of_all_words() -> None:
    expressions = ["(ab)*", "(ab|ba)*", "a*b*", "[ab]*", "(a|bb)*", "b(a|b)*", "()", "(ab)*a?"]
    for one, other in itertools.product(expressions, repeat=2):
        a, b = regular(one, "ab"), regular(other, "ab")
        differ = [w for w in words("ab", 8) if a(w) != b(w)]
        found = parted(a, b, "ab")
        assert (None if found.word is None else "".join(found.word)) == (differ[0] if differ else None), (one, other)
        assert found.length is None


def test_a_reference_without_end_of_states_is_compared_to_a_length() -> None:
    never = Automaton(("(", ")"), ((0, 0),), (False,))
    assert parted(never, Asked(dyck1), "()").word == ()
    deep = explored(dyck_bounded("()", 30), "()")
    found = parted(deep, Asked(dyck1), "()", most=50)
    assert found.word is None and found.length is not None and found.length < 62
    word = parted(deep, Asked(dyck1), "()").word
    assert word is not None and "".join(word) == "(" * 31 + ")" * 31


def test_no_answer_to_the_empty_word_is_no_difference() -> None:
    some = Automaton(("a",), ((1,), (1,)), (None, True))
    assert parted(some, regular("a+", "a"), "a").word is None
    assert parted(some, regular("a*", "a"), "a").word is None
    assert len(some.minimal()) == 2 and language(some)("") is False


def test_files_by_the_names_of_automata_lib(tmp_path: Path) -> None:
    found = table_of(ODD)
    assert [w for w in words("01", 3) if found(w)] == ["1", "01", "10", "001", "010", "100", "111"]
    assert found.to_json() == ODD
    (tmp_path / "odd.json").write_text(json.dumps(ODD))
    assert read(tmp_path / "odd.json") == found
    label = Automaton(("a",), ((1,), (0,)), ("x", "y"))
    assert table_of(label.to_json()) == label and "final_states" not in label.to_json()
    later = table_of(ODD | {"initial_state": "odd"})
    assert later("") is True and later("1") is False and later.names == ("odd", "even")
    with pytest.raises(BadInput, match="must be a JSON file"):
        (tmp_path / "bad.json").write_text("{")
        read(tmp_path / "bad.json")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"transitions": {"even": {"0": "even"}, "odd": ODD["transitions"]["odd"]}}, "none from even by 1"),
        ({"transitions": {"even": ODD["transitions"]["even"]}}, "none from odd by 0"),
        ({"final_states": ["none"]}, "a final state must be one of its states"),
        ({"final_states": "odd"}, "final_states must be a list"),
        ({"initial_state": "x"}, "the initial state must be one of its states"),
        ({"input_symbols": ["0", "0"]}, "input_symbols must not repeat a name"),
        ({"input_symbols": ["0", "1", "a b"]}, "text without white space"),
        ({"states": []}, "states must be a list of names"),
        ({"transitions": []}, "transitions must map each state"),
    ],
)
def test_an_automaton_that_is_not_complete_is_refused(change: dict[str, object], says: str) -> None:
    with pytest.raises(BadInput, match=says):
        table_of(ODD | change)


def test_another_alphabet_is_refused_and_another_order_is_not() -> None:
    found = table_of(ODD)
    assert found.over("10")("1") is True and found.over("10").moves == ((1, 0), (0, 1))
    with pytest.raises(BadInput, match="must be over the alphabet a b"):
        found.over("ab")
    with pytest.raises(BadInput, match="every symbol must be in the alphabet"):
        found("2")


def test_a_reference_that_cannot_be_asked_is_one_sentence() -> None:
    never = Automaton(("a",), ((0,),), (False,))
    calls = itertools.count()
    bad = {
        "must be made of integers": Fold(0, lambda state, letter: [state], lambda state: False),
        "must answer every string": Fold(0, lambda state, letter: 1 // 0, lambda state: False),
        "must answer True or False": Fold(0, lambda state, letter: 0, lambda state: 1),
        "must give the same answer each time": Fold(0, lambda state, letter: next(calls), lambda state: False),
    }
    for says, fold in bad.items():
        with pytest.raises(BadInput, match=says):
            parted(never, Asked(fold), "a")
    with pytest.raises(BadInput, match="must be made of integers"):
        Asked(Fold([], lambda state, letter: state, lambda state: False))


def test_one_note_says_what_is_not_drawn() -> None:
    """Of an automaton that is not the smallest one, as a page may show it: two states that reject for good."""
    drawn = svg(Automaton(("a", "b"), ((1, 2), (1, 1), (2, 2)), (True, False, False)))
    assert drawn.count('class="note"') == 1
    assert "what is not drawn leads to q1 and q2, which reject for good" in drawn


@pytest.mark.parametrize(
    "more",
    [
        {"acceptance": "Buchi"},
        {"type": "nfa"},
        {"input_parameters": {}},
        {"answers": {"even": True, "odd": False}},  # beside final_states, of which one was not read
    ],
)
def test_a_key_that_is_not_read_is_refused(more: dict[str, object]) -> None:
    table = {
        "states": ["even", "odd"],
        "input_symbols": ["1"],
        "transitions": {"even": {"1": "odd"}, "odd": {"1": "even"}},
        "initial_state": "even",
        "final_states": ["odd"],
    }
    assert table_of(table | {"allow_partial": False})("1") is True  # as automata-lib writes it
    with pytest.raises(BadInput, match="an automaton must have"):
        table_of(table | more)
    labels = {key: value for key, value in table.items() if key != "final_states"}
    with pytest.raises(BadInput, match="a state in answers must be one of its states"):
        table_of(labels | {"answers": {"even": "a", "odd": "b", "both": "c"}})
