"""Text is read in one way: by spaces, a token a character, or as one token. Any other text is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import combinations, pairwise, product
from random import Random
from typing import Any

import pytest
from checkout import ROOT

import symcook as sc
from symcook.errors import BadInput
from symcook.export import run_npz
from symcook.export.torch_code import words_code
from symcook.model.typedtext import tokens_of_text
from symcook.programs.speech import Speech


def with_words(*words: str) -> sc.Transformer:
    """A model that accepts where the last of the words is among the tokens."""
    builder = sc.Builder(words=list(words))
    mean = builder.add(sc.head(value={"mean": words[-1]}))
    builder.readout("sign", "last", mean, weights=[1])
    return builder.build("words")


TWO = "text must have only one reading as a string of tokens; given: ab"


def test_text_with_two_readings_is_refused_by_every_reader() -> None:
    model = with_words("a", "b", "ab")
    for ask in (
        model.run, model.tokens, lambda word: model.check(lambda string: True, inputs=[word]),
        lambda word: model.margin(inputs=[word]), lambda word: Speech(("a", "b", "ab")).word(word),
    ):  # fmt: skip
        with pytest.raises(BadInput, match=TWO):
            ask("ab")
    assert model.run("ab ").accept is model.run(["ab"]).accept is True and model.run("a b").accept is False


def test_text_of_a_counterexample_is_read_as_it_was_meant() -> None:
    """A trailing space tells the one token ab from a and b."""
    model = with_words("a", "b", "ab")
    assert model.prove('matches("ab") -> accept').holds is True
    found = model.check(lambda string: False, 2).counterexample
    assert found == "ab " and model.run(found).accept is True  # as the model answers there
    again = model.check(lambda string: string != ("ab", "a"), 2).counterexample
    assert again is not None and model.tokens(again) == tuple(again.split())
    five = with_words("a", "b", "ab", "xa", "x")
    for n in (1, 2):
        for tokens in product(five.alphabet, repeat=n):
            assert five.tokens(five.embedding.written(tokens)) == tokens


def readings(text: str, symbols: set[str]) -> set[tuple[str, ...]]:
    """Every way to write a text without spaces as symbols, by brute force."""
    return {
        cut
        for ends in powerset(range(1, len(text)))
        if {*(cut := tuple(text[a:b] for a, b in pairwise((0, *ends, len(text)))))} <= symbols
    }


def powerset(numbers: range) -> list[tuple[int, ...]]:
    """All subsets, each in order."""
    return [chosen for k in range(len(numbers) + 1) for chosen in combinations(numbers, k)]


def outcome(read: Callable[..., Sequence[str]], text: str, *symbols: Sequence[str]) -> tuple[str, ...] | None:
    """The tokens of a text, None where it is refused."""
    try:
        return tuple(read(text, *symbols))
    except (BadInput, SystemExit):
        return None


def test_text_is_read_only_where_brute_force_has_one_reading(capsys: pytest.CaptureFixture[str]) -> None:
    """Random alphabets by a seed, all texts of up to 4 characters; the exported scripts read them in the same way."""
    random, torch_words = Random(76), dict[str, Any](sys=sys)
    exec(words_code().partition("def tokens(")[0], torch_words)
    strings = ["".join(one) for n in (1, 2, 3) for one in product("abc", repeat=n)]
    for _ in range(40):
        symbols = random.sample(strings, random.randint(1, 5))
        for text in ("".join(one) for n in (1, 2, 3, 4) for one in product("abc", repeat=n)):
            ways, whole, single = readings(text, {*symbols}), (text,), tuple(text)
            found = outcome(tokens_of_text, text, symbols)
            assert (found is None) == (whole != single and {whole, single} <= ways)
            if found is not None and {*found} <= {*symbols}:
                assert found == whole if whole in ways else ways == {found}
            elif found is not None:
                assert whole not in ways and (single not in ways or len(ways) > 1)
            inputs = symbols[: len(symbols) // 2 + 1]
            for of_script in (run_npz.tokens_of_text, torch_words["tokens_of_text"]):
                for given in ((symbols,), (inputs, symbols)):
                    assert outcome(of_script, text, *given) == outcome(tokens_of_text, text, *given)
    assert "only one reading" in capsys.readouterr().err


def test_states_of_a_decoder_are_no_reading_of_its_inputs() -> None:
    """`contains-ab` has states a and ab; an input consists of a and b."""
    source = (ROOT / "examples" / "automata" / "contains-ab.json").read_text(encoding="utf-8")
    model = sc.compile("dfa", source)
    assert model.input_symbols == ("a", "b") and "ab" in model.alphabet
    assert model.tokens("ab") == model.tokens("a b") == model.tokens(["a", "b"])
    assert model.tokens("aab") == model.tokens(["a", "a", "b"])
    assert model.tokens("a ab") == ("$", "a", "ab")  # what the decoder has written so far
    machine = sc.compile("tm", (ROOT / "examples" / "machines" / "copy.tm").read_text(encoding="utf-8"))
    assert machine.input_symbols == ("0", "1") and len(machine.alphabet) > 2


def test_a_text_of_single_characters_may_have_spaces() -> None:
    model = with_words("a", "b")
    assert model.tokens("a b") == model.tokens("ab") == ("a", "b")
    with pytest.raises(BadInput, match="given: white space"):
        model.tokens(" ")


@pytest.mark.parametrize(
    ("words", "text", "do"),
    [
        (("a", "b", "ab"), "aab", r'run\(\["a", "ab"\]\)'),
        (("x", "ab", "cd"), "xab", r'run\(\["x", "ab"\]\)'),
        (("x", "ab", "cd"), "abz", r'run\(\["ab", ...\]\)'),
    ],
)
def test_text_that_is_no_tokens_with_spaces_is_refused(words: tuple[str, ...], text: str, do: str) -> None:
    with pytest.raises(BadInput, match=f"separate tokens by spaces, or write {do}"):
        with_words(*words).run(text)


def test_text_with_one_reading_has_a_token_a_character() -> None:
    """The tokens of a decoder, as q0 and yes, and BOS in an alphabet are no part of these texts."""
    decoder = sc.compile("dfa", "(aa)*")
    assert decoder.tokens("aa") == decoder.tokens(["a", "a"]) == decoder.tokens("a a")
    assert decoder.tokens("yes") == decoder.tokens(["yes"])
    assert with_words("BOS", "a", "b").tokens("aab") == ("a", "a", "b")
