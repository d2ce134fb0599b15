"""matches("REGEX") in statements: the equation of an automaton's state says what Python's `re` says of the typed input.

The equations are evaluated by `statement_truth`, which shares no code with the kernel, on all strings to length 4, with
added tokens and without, with positions from 0 and from 1.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest
from proof.statement_truth import program, worth

import symcook as sc
from symcook.errors import BadInput
from symcook.model.expr import parse_formula, parse_term
from symcook.model.modelfile import to_document
from symcook.proof.statements import certify

ENDS = [(start, before, after) for start in (0, 1) for before in (None, "^") for after in (None, "$")]


@cache
def document(start: int, before: str | None, after: str | None, letters: tuple[str, ...] = ("a", "b")) -> Any:
    """A model over these symbols with these added tokens, which accepts where the first symbol occurs."""
    words: dict[str, dict[str, int]] = {"^": {}, "$": {}}
    added = [token for token in (before, after) if token is not None]
    table = {added_token: words[added_token] for added_token in added[:1]}
    table |= {letter: {"x": 1} if letter == letters[0] else {} for letter in letters}
    table |= {token: words[token] for token in added[1:]}
    embedding = sc.Embedding(sc.Space(("x", "m")), words=table, start=start, before=before, after=after)
    layer = sc.Layer(sc.SelfAttention((sc.head({}, {"m": "x"}),)))
    return to_document(sc.Transformer("seen", embedding, (layer,), sc.Readout("sign", "last", ("m",), weights=[1])))


def drawn(r: random.Random, depth: int) -> str:
    if depth == 0:
        return r.choice(("a", "b", ".", "()", "[ab]", "ab"))
    one, two = drawn(r, depth - 1), drawn(r, depth - 1)
    return r.choice((f"({one}|{two})", f"{one}{two}", f"({one})*", f"({one})+", f"({one})?", f"({one}){{1,2}}"))


@cache
def compiled(text: str, names: tuple[str, ...]) -> Any:
    return program(parse_formula(text), names)


def answers(meaning: Any, equations: Sequence[str], given: Mapping[str, Any], said: Any) -> dict[int, bool]:
    """What `said`, about the position i, is at each position and at the one before, from the equations in order."""
    env = {**given, "n": Fraction(len(given["w"]))}
    places: range = range(0)
    for equation in equations:
        found = re.fullmatch(r"all i in (-?\d+)\.\.(n|n - 1)\. (\w+)\(i\) = (.*)", equation)
        assert found is not None
        high = len(given["w"]) - (found[2] != "n")
        env[found[3]] = table = {}
        places = range(int(found[1]), high + 1)
        for i in places:
            table[i] = worth(parse_term(found[4]), env | {"i": Fraction(i)})
    return {i: compiled(said, (*sorted(env), "i"))(env | {"i": Fraction(i)}, {}, None, None) for i in places}


def wrong_at(meaning: Any, equations: Sequence[str], said: str, regex: str, symbols: str = "ab") -> Any:
    """The first string, and the position, at which the equations differ from Python's `re`."""
    embedding = meaning.document["embedding"]
    start, before, after = (embedding[key] for key in ("start", "before", "after"))
    for n in range(0 if before or after else 1, 5):
        for word in product(symbols, repeat=n):
            tokens = [*([before] if before else []), *word, *([after] if after else [])]
            numbers = {i: Fraction(meaning.tokens[token]) for i, token in enumerate(tokens, start)}
            found = answers(meaning, equations, {"w": numbers}, said)
            assert found.keys() >= numbers.keys() - ({start} if before else set())
            for i, answer in found.items():
                prefix = "".join(word)[: max(0, i - start + 1 - (before is not None))]
                if answer != (re.fullmatch(regex, prefix) is not None):
                    return word, i
    return None


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("ends", ENDS)
def test_equations_say_what_expressions_drawn_at_random_mean(ends: Any) -> None:
    for seed in range(8):
        regex = drawn(random.Random(seed), 3)
        meaning = certify.ModelMeaning(document(*ends), certify.definitions())
        said = meaning.text(f'all i in 1..n. matches("{regex}", i)').partition(". ")[2]
        if meaning.truths is None or not meaning.truths.lines:
            assert said == "true"
            continue
        assert wrong_at(meaning, meaning.truths.equations(), said, regex) is None, regex


@pytest.mark.parametrize("right, wrong, said", [
    ("z1(i - 1) = 1", "z1(i - 1) = 0", ""),
    ("w(i) = 1", "w(i) = 2", ""),
    ("2 <= i", "3 <= i", ""),
    ("2*I", "I", ""),
    ("1..n", "2..n", ""),
    (" | w(i) = 3", "", ""),  # the added token at the end
    ("", "", "z1(i) = 1"),
])  # fmt: skip
def test_wrong_equations_are_found(right: str, wrong: str, said: str) -> None:
    meaning = certify.ModelMeaning(document(1, "^", "$"), certify.definitions())
    text = meaning.text('all i in 1..n. matches("(ab)*", i)').partition(". ")[2]
    equations = meaning.truths.equations() if meaning.truths else []
    assert wrong_at(meaning, equations, text, "(ab)*") is None
    changed = [equation.replace(right, wrong) for equation in equations] if right else equations
    assert changed != equations or said
    try:
        assert wrong_at(meaning, changed, said or text, "(ab)*") is not None
    except KeyError:  # a state is asked for where none is
        assert "2..n" in wrong


def test_the_whole_input_and_symbols_that_are_digits_or_long() -> None:
    """Equal languages share one function; a symbol that is a sign is quoted; the longest symbol is meant."""
    letters = ("1", "10", "if", "(")
    model = document(1, None, "$", letters)
    text = certify.claim(model, r'matches("(1|10)* if") & ~matches("(10|1)*if", n) & matches("\(+")').text
    assert "z1(n) = " in text and "z2(n) = " in text and "z3:" not in text
    for word, status in {("10", "if"): True, ("1", "10", "if"): True, ("1", "if", "if"): False, ("(",): False}.items():
        found = certify.Runs(certify.claim(model, 'matches("(1|10)* if")'), model)
        seen = dict((found.word, not found.false()) for ready in found.at(len(word) + 1) if ready)
        assert seen[word] is status


@pytest.mark.layer_one(0, 1, 2)
@pytest.mark.parametrize("ends, sentence, word", [
    ((1, None, None), 'accept -> matches("a*")', "ab"),
    ((1, None, None), 'accept <-> matches("b*ab*")', "aa"),
    ((1, None, None), '(all i in 1..n. matches("(a|bb)*", i) -> at(a, i)) | count(b) != 2', "bb"),
    ((0, "^", "$"), 'accept <-> matches("b*ab*")', "aa"),
    ((0, "^", None), 'matches("()")', "a"),
    ((1, None, "$"), '~matches("")', ""),
    ((1, None, None), 'matches("(aa)*", n - 1) <-> mod(n, 2) = 1', "aba"),
])  # fmt: skip
def test_false_statements_have_their_smallest_string(ends: Any, sentence: str, word: str) -> None:
    found = certify.settle(certify.claim(document(*ends), sentence.replace('""', '"()"')), document(*ends), seconds=20)
    assert found.tried is not None and "".join(found.tried.word or ()) == word
    assert found.verdict is not None and found.verdict.status == "REFUTED"


@pytest.mark.layer_one(0, 1)
@pytest.mark.parametrize("sentence", ['matches(".*")', 'matches("ab") -> 1 <= n', 'matches("()", 0)', '~matches("[]")'])
def test_easy_statements_are_proved(sentence: str) -> None:
    verdict = certify.settle(certify.claim(document(1, None, None), sentence), document(1, None, None)).verdict
    assert verdict is not None and verdict.status == "PROVED"


def test_strings_without_a_run_satisfy_nothing() -> None:
    """A norm that refuses zero variance has no run on strings with an a, so that they refute no statement."""
    embedding = sc.Embedding(sc.Space(("x", "y")), words={"a": {"x": 1, "y": 1}, "b": {"x": 1}})
    norm = sc.LayerNorm(("x", "y"), zero_variance="refuse")
    model = sc.Transformer("refuses", embedding, (), sc.Readout("sign", "last", ("x",), [1]), final_norm=norm)
    found = certify.settle(certify.claim(to_document(model), '~matches("a*")'), to_document(model), seconds=6)
    assert found.verdict is not None and found.verdict.status == "PROVED"
    found = certify.settle(certify.claim(to_document(model), '~matches("a*b*")'), to_document(model), seconds=20)
    assert found.tried is not None and found.tried.word == ("b",)
    with pytest.raises(sc.SymcookError):
        model.run("ba")


@pytest.mark.parametrize("sentence, said", [
    ('matches("a(")', "column 1, 'matches(\"a(\")': a regular expression, at its end, must have a symbol"),
    ('accept -> matches("abc", n)', "column 11, 'matches(\"abc\", n)': a regular expression, at character 3, must"),
    ('matches("^a")', "must be made of the symbols of the model; given: ^a"),
    ('matches("a", n, n)', "takes a quoted regular expression"),
    ("matches()", "takes a quoted regular expression"),
    ('matches("(ab){40}")', "at most 60 states"),
    ('matches("a", accept)', "an argument must be a whole number"),
    ('matches("a") = 1', "a number stands"),
])  # fmt: skip
def test_what_is_no_expression_gets_a_sentence(sentence: str, said: str) -> None:
    with pytest.raises(BadInput) as caught:
        certify.claim(document(1, "^", None), sentence)
    assert said in str(caught.value)


def test_a_model_of_numbers_has_no_strings() -> None:
    with pytest.raises(BadInput, match="no string"):
        certify.claim(to_document(sc.build("max")), 'matches("a")')
