"""The tokens of a published model, in the order of its embedding: vocab.json, tokenizer.json, vocab.txt or meta.pkl."""

from __future__ import annotations

import io
import pickle
import unicodedata
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from symcook.errors import BadInput
from symcook.files import content, parsed, repeated, text_of

FILES = ("vocab.json", "tokenizer.json", "vocab.txt", "meta.pkl")
"""The files with tokens, in the order in which they are looked for."""
SHIFT = 256
"""How far GPT-2 moves a character that is not seen: a space is the character of number 32 + 256."""


def tokens_of(folder: Path) -> tuple[list[str], Path] | None:
    """The tokens by their numbers, and the file that has them; None where the folder has no such file."""
    for name in FILES:
        file = folder / name
        if file.is_file():
            return tokens_in(file), file
    return None


def tokens_in(file: Path) -> list[str]:
    """The tokens in a file: by its name where that is one of `FILES`, else JSON or a token a line."""
    read = _READERS.get(file.name) or (_of_vocab if file.suffix == ".json" else _of_text)
    return seen(listed(read(file), file), file)


def seen(tokens: Sequence[str], place: object) -> list[str]:
    """Tokens as a shell can pass them: a character that is not seen is moved as GPT-2 does, so that a space is Ġ.

    >>> seen(["a", " ", "a b"], "here")
    ['a', 'Ġ', 'aĠb']
    """
    shown = ["".join(_visible(c) for c in token) or "<empty>" for token in tokens]
    if (double := repeated(shown)) is not None:
        raise BadInput(
            "tokens must differ in their printable characters",
            f"{double} twice, in {place}",
            "give the tokens yourself, with other names",
        )
    return shown


def _visible(c: str) -> str:
    """A character, or for white space and control characters the one that GPT-2 has for it."""
    hidden = c.isspace() or unicodedata.category(c) in ("Cc", "Cs")
    return chr(ord(c) + SHIFT) if hidden and ord(c) < SHIFT else f"<U+{ord(c):04X}>" if hidden else c


def listed(table: Mapping[str, int], file: object) -> list[str]:
    """The tokens in the order of their numbers, which must be 0, 1, ...; a number without a token gets a name."""
    numbers = {}
    for token, number in table.items():
        if type(number) is not int or number < 0 or number in numbers or number > 10**6:
            raise BadInput(
                "tokens must be numbered by different integers from 0",
                f"{token}: {number}, in {file}",
                "give the tokens yourself, in the order of the embedding",
            )
        numbers[number] = token
    return [numbers.get(k, f"<unused-{k}>") for k in range(max(numbers, default=-1) + 1)]


def _of_vocab(file: Path) -> dict[str, int]:
    """vocab.json: {token: number}, or a list of tokens."""
    must = "vocab.json must be {token: number}"
    return _table(parsed(content(file, "vocab.json"), must, file), must, file)


def _table(given: Any, must: str, file: Path) -> dict[str, int]:
    """A table {token: number} of a document, or the numbers of a list of tokens."""
    if isinstance(given, list) and all(isinstance(token, str) for token in given):
        return _numbered(given, file)
    if not isinstance(given, dict) or not given:
        raise BadInput(must, file, "give the tokens yourself, in the order of the embedding")
    return given


def _of_tokenizer(file: Path) -> dict[str, int]:
    """tokenizer.json of Hugging Face: the vocabulary of its model, and the added tokens."""
    must = "tokenizer.json must have a model with a vocab"
    document = parsed(content(file, "tokenizer.json"), must, file)
    model = document.get("model") if isinstance(document, dict) else None
    vocab = model.get("vocab") if isinstance(model, dict) else None
    if isinstance(vocab, list):  # of unigrams, each with its score
        vocab = [pair[0] if isinstance(pair, list) and pair else pair for pair in vocab]
    found = dict(_table(vocab, must, file))
    for entry in document.get("added_tokens") or ():
        if isinstance(entry, dict) and isinstance(entry.get("content"), str):
            number = entry.get("id", -1)
            if found.setdefault(entry["content"], number) != number:
                two = f"{entry['content']} with {found[entry['content']]} and {number}, in {file}"
                raise BadInput("each token must have one number", two, "give the tokens yourself, with other names")
    return found


def _of_text(file: Path) -> dict[str, int]:
    """vocab.txt: a token a line."""
    return _numbered(text_of(file, "vocab.txt").removesuffix("\n").split("\n"), file)


def _numbered(tokens: Sequence[str], file: Path) -> dict[str, int]:
    """The numbers of a list of tokens; BadInput for a token that is there twice, which would have two rows of the
    embedding."""
    found = {token: k for k, token in enumerate(tokens)}
    if len(found) < len(tokens):
        twice = next(token for k, token in enumerate(tokens) if found[token] != k)
        must = "each token must be once in the list of tokens"
        raise BadInput(must, f"{twice} twice, in {file}", "give the tokens yourself, with other names")
    return found


class _PlainValues(pickle.Unpickler):
    """Reads texts, numbers, lists and dicts, and no other object, so that no code runs."""

    def find_class(self, module: str, name: str) -> NoReturn:
        """BadInput for whatever is no plain value."""
        must = "meta.pkl must contain only texts and numbers, since reading anything else would run its code"
        raise BadInput(must, f"{module}.{name}", "give the tokens yourself, in the order of the embedding")

    def persistent_load(self, pid: object) -> NoReturn:
        """BadInput for a reference out of the file."""
        raise BadInput(
            "meta.pkl must contain only texts and numbers",
            "a reference to another object",
            "give the tokens yourself, in the order of the embedding",
        )


def _of_pickle(file: Path) -> dict[str, int]:
    """meta.pkl of nanoGPT: {"stoi": {token: number}}."""
    try:
        document = _PlainValues(io.BytesIO(content(file, "meta.pkl"))).load()
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, IndexError, AttributeError, KeyError) as error:
        raise BadInput(
            "meta.pkl must be a pickle of texts and numbers",
            f"{file} ({error})",
            "give the tokens yourself, in the order of the embedding",
        ) from None
    must = "meta.pkl must have the table stoi, {token: number}"
    return _table(document.get("stoi") if isinstance(document, dict) else None, must, file)


_READERS = {"vocab.json": _of_vocab, "tokenizer.json": _of_tokenizer, "vocab.txt": _of_text, "meta.pkl": _of_pickle}
