"""Names of the tokens that a decoder outputs: how they are shown, and how a user may write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from symcook.errors import BadInput
from symcook.model.typedtext import text_of_tokens, tokens_of_text

SHOWN = 8
"""The maximum number of tokens that a message lists."""


@dataclass(frozen=True)
class Speech:
    """The tokens of a model that continues a string by its own outputs.

    letters: the tokens of an input. names: for a compiled decoder, how the tokens that it outputs are shown. ends: the
    labels that end a run. verdict: whether the result of a run is its last label; else it is all tokens before the
    last. puts: if only some tokens belong to the result, the symbol of each such token. symbols: those of which the
    result consists; if there are none, the names of all tokens that do not end a run, and without names the letters.
    """

    letters: tuple[str, ...]
    names: Mapping[str, str] = field(default_factory=dict)
    ends: frozenset[str] = frozenset()
    verdict: bool = False
    puts: Mapping[str, str] | None = None
    symbols: tuple[str, ...] = ()

    def word(self, given: str | Sequence[str]) -> tuple[str, ...]:
        """A string as a tuple of letters; a text is read by `tokens_of_text`. BadInput for an unknown letter."""
        if isinstance(given, str):
            given = tokens_of_text(given, self.letters)
        for letter in given:
            if letter not in self.letters:
                raise BadInput(
                    f"every symbol must be in the alphabet {' '.join(self.letters)}",
                    letter,
                    "leave the symbol out, or give another one",
                )
        return tuple(given)

    def heard(self, names: Sequence[str]) -> tuple[str, ...]:
        """The tokens that are shown as `names`. Input letters are not accepted if the decoder has names for its tokens,
        and a label of `ends` only as the last token. BadInput for any other name."""
        ends = {self.names.get(label, label): label for label in self.ends}
        # Every token but the last must be one that does not end the run.
        token_of = {name: token for token, name in self.names.items() if token not in self.ends}
        token_of |= {} if self.names else {letter: letter for letter in self.letters}
        *before, last = names or [""]
        unknown_names = [name for name in before if name not in token_of]
        unknown_names += [last] if names and last not in ends and last not in token_of else []
        if unknown_names:
            alike = [known_name for known_name in token_of if known_name.startswith(unknown_names[0])] or list(token_of)
            do = f"such as {' '.join(alike[:SHOWN])}{' ..' * (len(alike) > SHOWN)}"
            raise BadInput("a continuation must be made of tokens of the model", unknown_names[0], do)
        return (*(token_of[name] for name in before), *([ends.get(last) or token_of[last]] if names else []))

    def readings(self, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
        """`heard`, and a second reading where the last name is that of a label of `ends` and of another token too."""
        first = self.heard(names)
        also = [token for token, name in self.names.items() if first and name == names[-1] and token != first[-1]]
        return (first, *((*first[:-1], token) for token in also))

    def said(self, token: str) -> dict[str, Any]:
        """A token as a JSON object, to which the caller adds its position."""
        return {"token": self.names.get(token, token)}

    def text(self, token: str) -> str:
        """A token as text."""
        return self.names.get(token, token)

    def output(self, tokens: Sequence[str]) -> str | None:
        """The result of a run: the verdict (None if there is none yet), or the symbols output before the end as one
        text, from which they can be read again (`text_of_tokens`)."""
        if self.verdict:
            return self.names.get(tokens[-1], tokens[-1]) if tokens and tokens[-1] in self.ends else None
        names = self.names if self.puts is None else self.puts
        emitted = [token for token in tokens if token not in self.ends and (self.puts is None or token in self.puts)]
        every_name = [name for token, name in self.names.items() if token not in self.ends] or self.letters
        return text_of_tokens([names.get(token, token) for token in emitted], self.symbols or every_name)
