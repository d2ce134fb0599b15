"""Old terms are found in prose, and sentences that are too long; .ci/texts.py looks for both on the pages."""

from __future__ import annotations

import pytest
from site_pages import load
from terms import long_sentences, old_terms, prose, terms


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("The shortest word of two letters.", 2),
        ("A Dyck word, in other words: a string.", 0),
        ("`words` and the letter to the authors", 0),
        ("```\na word\n```\nno string", 0),
        ('the option --word, "a word" and [it](word.md)', 0),
        ("> a word\n\nits word", 1),
        ("at least the greatest common divisor", 0),
        ("the least of both", 1),
        ("what stands behind it", 1),
        ("every word to length 6", 2),
        ("every string up to length 6", 0),
        ("a soft model below its gap", 2),
        ("a neural network", 0),
        ("one network", 1),
    ],
)
def test_old_terms_are_found_in_prose(text: str, count: int) -> None:
    assert len(old_terms(prose(text))) == count


def test_the_glossary_has_a_line_a_term() -> None:
    page = load("glossary").page()
    for term in terms():
        assert (f"\n{term.write}\n  {term.means}\n" in page) == bool(term.means), term.write


def test_a_long_sentence_is_found() -> None:
    words = " ".join(["word"] * 31)
    assert len(long_sentences(f"Short. A {words}. `a b c` short.")) == 1
    assert long_sentences(f"{words[:40]}. {words[:80]}\n\n- {words[:80]}\n- {words[:80]}") == []
    assert long_sentences(f"A `{words}` and\n```\n{words}\n```\n") == []
