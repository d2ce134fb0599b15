"""How a text is read as a string of tokens: in one way, or it is refused.

A text has three possible readings: the tokens between its spaces, a token for each character, or one token as a whole.
The front door, the command line, programs and machines read text by `tokens_of_text`; the evaluator of a page and the
exported scripts, which do not import symcook, have the same rule.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from symcook.errors import BadInput

DO = "put spaces between tokens (after a single one too), or give a list of tokens"
"""What a user can do about a text with two readings."""


def tokens_of_text(text: str, symbols: Collection[str], alphabet: Collection[str] = ()) -> tuple[str, ...]:
    """The tokens of a text.

    Arguments:
        text: str. The text as typed.
        symbols: the tokens of which an input consists.
        alphabet: all tokens, if there are tokens that only a decoder outputs. They count where a text has no reading
            over `symbols`.

    Returns: tuple of str. The only reading of the text; a text without a reading, as the user most likely meant it, so
    that a caller who looks for foreign tokens names the first of them.

    Raises: BadInput: a text with two readings.

    >>> tokens_of_text("up down", ("up", "down")), tokens_of_text("abba", "ab")
    (('up', 'down'), ('a', 'b', 'b', 'a'))
    """
    by_spaces, by_characters = tuple(text.split()), tuple(text)
    for tokens in (symbols, alphabet):
        readings = {reading for reading in (by_spaces, by_characters) if reading and {*reading} <= {*tokens}}
        if len(readings) > 1:
            must = "text must have only one reading as a string of tokens"
            raise BadInput(must, f"{text}, which is the token {text} or the tokens {' '.join(text)}", DO)
        # A longer token within the text would be another way to divide it.
        if readings and not (by_characters in readings and any(len(token) > 1 and token in text for token in tokens)):
            return readings.pop()
    spelled = all(len(token) == 1 for token in symbols)
    return by_characters if spelled or not by_spaces else by_spaces


def text_of_tokens(tokens: Collection[str], symbols: Collection[str]) -> str:
    """Tokens as one text, from which `tokens_of_text` reads them again. Where a token is longer than a character there
    are spaces between tokens, and after a single one that could be read as several."""
    if all(len(token) == 1 for token in symbols):
        return "".join(tokens)
    text = " ".join(tokens)
    return f"{text} " if len(text) > 1 and {*text} <= {*symbols} else text


def listed_symbols(text: str, what: str = "an alphabet") -> tuple[str, ...]:
    """The symbols that a text lists: its parts if it has white space between them, else its characters.

    Raises BadInput, about `what`, for commas between the symbols: they would be symbols, or parts of symbols.

    >>> listed_symbols("ab"), listed_symbols("yes no"), listed_symbols("a , b")
    (('a', 'b'), ('yes', 'no'), ('a', ',', 'b'))
    """
    parts = text.split()
    separates = re.fullmatch(r"[^\s,]+(,[^\s,]+)+", text.strip()) or (
        len(parts) > 1 and any(len(part) > 1 and "," in (part[0], part[-1]) for part in parts)
    )
    if separates:
        symbols = " ".join(text.replace(",", " ").split())
        do = f"write {symbols}, or with blanks around the comma where it is a symbol"
        raise BadInput(f"{what} must be text: its symbols side by side, or separated by blanks", text.strip(), do)
    return tuple(parts) if len(parts) > 1 else tuple(text.strip())
