"""Text for a model with tokens of several characters has spaces between tokens; any other text is refused."""

from __future__ import annotations

import pytest

import symcook as sc
from symcook.errors import BadInput


def with_words(*words: str) -> sc.Transformer:
    """A model that accepts where the last of the words is among the tokens."""
    builder = sc.Builder(words=list(words))
    mean = builder.add(sc.head(value={"mean": words[-1]}))
    builder.readout("sign", "last", mean, weights=[1])
    return builder.build("words")


def test_one_text_is_one_string_for_every_question() -> None:
    model = with_words("a", "b", "ab")
    assert model.run("ab").accept is model.run(["ab"]).accept is True and model.run("a b").accept is False
    assert model.prove('matches("ab") -> accept').holds is True
    found = model.check(lambda string: False, 2).counterexample
    assert found == "ab" and model.run(found).accept is True  # as the model answers there
    again = model.check(lambda string: string != ("ab", "a"), 2).counterexample
    assert again is not None and model.tokens(again) == tuple(again.split())


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
