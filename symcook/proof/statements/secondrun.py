"""A second run in a statement, of another model or on another string.

``other.NAME`` is a coordinate of a second model, and ``other.accept`` its answer to the same typed input.
``renamed(a->b, b->a).accept`` is the answer of the model itself to the string with these symbols renamed, and
``changed(p, a).accept`` its answer to the string with an a at position p.

A run on the renamed string is the run of a second model on the original string: in its embedding, each symbol has the
row of the symbol that it becomes. For the changed string, I[w(i) = a] in the equations of the second run is replaced by
I[w(i) = a] - I[i = p]*I[w(i) = a] + I[i = p]; for the other symbols the last term is left out. The position p is a name
of the statement, with the premise that p is the position of a typed symbol.

The equations of the second run are premises, like the equations of the first run; its functions have other names. So
the statement is about the strings on which both models have a run. The names n and w mean the length and the tokens of
the first run. If the models add different numbers of tokens, the length of the second run is n plus a constant. That a
symbol is at position i of the second run is expressed by w at the matching position; that an added token is there, by
i being the first or the last position.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, Rejected, unknown
from symcook.model.expr import Tree, parse_formula, parse_term, show
from symcook.present import present
from symcook.proof.statements.trees import apart, replaced

if TYPE_CHECKING:
    from symcook.proof.statements.vocabulary import ModelMeaning

OTHER = "other."
"""The prefix of the second model's names in a statement."""
_QUOTED = r"""(?:"[^"]*"|'[^']*')"""
# In quotes a string may have any characters: `_PUTS` skips quoted text, so a prefix in quotes is not a prefix.
PUT = rf"""(?:renamed|changed)\((?:[^()"']|{_QUOTED})*\)\."""
"""The prefix ``renamed(..).`` or ``changed(..).`` of names that are about the run on another string, as a pattern."""
_PUTS = re.compile(rf"{_QUOTED}|({PUT})")
_PREFIXED = re.compile(rf"({re.escape(OTHER)}|{PUT})?(.*)", re.S)
_CHANGE = rf"\s*(\w+)\s*,\s*({_QUOTED}|\w+)\s*"
_PAIR = rf"\s*({_QUOTED}|\w+)\s*->\s*({_QUOTED}|\w+)\s*"
W_AT_I = ("call", "w", (("name", "i"),))
"""The tree of ``w(i)``, as the equations of a run have it."""


def parted(name: str) -> tuple[str, str]:
    """The prefix of a name, which tells the run that it is about ("" for the first run), and the name without it.

    >>> parted("other.x@1"), parted("x"), parted("renamed(a->b, b->a).x")
    (('other.', 'x@1'), ('', 'x'), ('renamed(a->b, b->a).', 'x'))
    """
    match = present(_PREFIXED.fullmatch(name))
    return match[1] or "", match[2]


def other_strings(sentence: str) -> dict[str, int]:
    """The prefixes ``renamed(..).`` and ``changed(..).`` in a statement, each with the index of its first use."""
    first_uses: dict[str, int] = {}
    for match in _PUTS.finditer(sentence):
        if match[1]:
            first_uses.setdefault(match[1], match.start())
    return first_uses


def _inside(prefix: str) -> str:
    """The text in the parentheses of a prefix."""
    return prefix[prefix.index("(") + 1 : -2]


def unquoted(given: str) -> str:
    """An argument in a statement, without its quotes."""
    return given[1:-1] if given[:1] in ('"', "'") else given


def _known(given: str, symbols: Sequence[str]) -> str:
    """The symbol in `given`, without its quotes; Rejected if it is not one of the `symbols` that may be typed."""
    symbol = unquoted(given)
    if symbol not in symbols:
        raise Rejected(f"{symbol!r} is no symbol of the strings; {unknown('symbol', symbol, list(symbols)).do}")
    return symbol


def change(prefix: str, symbols: Sequence[str]) -> tuple[str, str]:
    """For a prefix ``changed(p, a).``: the position p as the user wrote it, and the symbol a. Rejected for an invalid
    prefix."""
    match = re.fullmatch(_CHANGE, _inside(prefix))
    if match is None:
        raise Rejected("it takes a position and a symbol, as changed(p, a).accept")
    return match[1], _known(match[2], symbols)


def renaming(prefix: str, symbols: Sequence[str]) -> dict[str, str]:
    """For a prefix ``renamed(a->b, ..).``: what each of the `symbols` becomes, itself if the prefix does not mention
    it. Rejected unless this is a permutation of `symbols`."""
    if re.fullmatch(f"{_PAIR}(?:,{_PAIR})*", _inside(prefix)) is None:
        raise Rejected("it takes what each symbol becomes, as renamed(a->b, b->a).accept")
    pairs = [tuple(_known(item, symbols) for item in pair) for pair in re.findall(_PAIR, _inside(prefix))]
    named_symbols = dict.fromkeys(item for pair in pairs for item in pair)
    images = {symbol: symbol for symbol in symbols}
    for symbol, new in pairs:
        if [item for item, _ in pairs].count(symbol) > 1:
            raise Rejected(f"it says twice what {symbol!r} becomes")
        images[symbol] = new
    for new in named_symbols:
        twice = [symbol for symbol in symbols if images[symbol] == new]
        if len(twice) > 1:
            lost = next(symbol for symbol in symbols if symbol not in images.values())
            raise Rejected(f"{twice[0]!r} and {twice[1]!r} both become {new!r}; say which symbol becomes {lost!r}")
    return images


@dataclass(frozen=True)
class SecondRun:
    """A second run in a statement: of another model on the same string, or of the same model on another string."""

    prefix: str
    """The prefix of its names in the statement as the user writes it."""
    stem: str
    """The beginning of its names in the formula: ``other_``, ``changed_`` or ``renamed_``."""
    document: Mapping[str, Any]
    """The model. For a renamed string, its embedding has the rows exchanged, and the string is the original one."""
    place: str = ""
    """The changed position as the user wrote it, a name, n or a number; "" unless the string is changed."""
    symbol: str = ""
    """The symbol at the changed position; "" unless the string is changed."""
    becomes: Mapping[str, str] = field(default_factory=dict)
    """The symbol that each symbol becomes; empty unless the string is renamed."""

    @property
    def named(self) -> bool:
        """Whether the changed position is a variable of the statement: neither n nor a number."""
        return bool(self.place) and self.place != "n" and not (self.place.isascii() and self.place.isdigit())

    def same(self, other: SecondRun) -> bool:
        """Whether `other` is the same run on the same string, although its prefix may be written differently."""
        return replace(self, prefix=other.prefix) == other


def second_runs(sentence: str, document: Mapping[str, Any], other: Mapping[str, Any] | None) -> Iterator[SecondRun]:
    """The second runs in a statement about the model of `document`, with that of the model `other` if there is one.
    Rejected for an invalid prefix."""
    if other is not None:
        yield SecondRun(OTHER, "other_", other)
    embedding = document["embedding"]
    words: Mapping[str, Any] = embedding["words"] or {}
    symbols = [token for token in words if token not in (embedding["before"], embedding["after"])]
    for prefix in other_strings(sentence):
        if not symbols:
            raise Rejected("it is about a model that reads strings of symbols, which this one does not")
        if prefix.startswith("changed"):
            yield SecondRun(prefix, "changed_", document, *change(prefix, symbols))
            continue
        becomes = renaming(prefix, symbols)
        rows = {token: words[becomes.get(token, token)] for token in words}
        renamed = {**document, "embedding": {**embedding, "words": rows}}
        yield SecondRun(prefix, "renamed_", renamed, becomes=becomes)


class OtherModel:
    """How a formula expresses a second run: its equations, its tokens and the names of its functions."""

    def __init__(self, first: ModelMeaning, second: ModelMeaning, run: SecondRun, place: str = "") -> None:
        """`first` and `second` are the meanings of the two models, and `place` is the changed position as it is
        written in the formula. BadInput if the models read strings over different symbols, or numbers."""
        self.first, self.meaning, self.of, self.place = first, second, run, place
        symbols = [set(typed(meaning)) for meaning in (first, second)]
        if first.word is None or second.word is None or symbols[0] != symbols[1]:
            symbols_shown = [" ".join(typed(meaning)) or "numbers" for meaning in (first, second)]
            must = "two models of one statement must read strings over the same symbols"
            raise BadInput(
                must, f"{symbols_shown[0]} and {symbols_shown[1]}", "give --with a model over the symbols of the first"
            )
        self.more = len(_added(second)) - len(_added(first))  # how many more tokens the second model adds
        self.length: Tree = parse_term(f"n {'+' if self.more > 0 else '-'} {abs(self.more)}" if self.more else "n")
        # By function of the second model: its name in the formula, with as many underscores as make it new.
        self.called: dict[str, str] = {}
        names_taken = {*first.taken, *second.taken}
        for name in second.functions:
            base = f"{run.stem}{name}"
            self.called[name] = next(
                unused for k in itertools.count() if (unused := f"{base}{'_' * k}") not in names_taken
            )
            names_taken.add(self.called[name])
        self.sorts = {self.called[name]: second.sorts[name] for name in second.functions}

    @property
    def least(self) -> list[str]:
        """The premises about positions: a changed position is between the first and the last typed symbol; and the
        second run has at least one position, if it is shorter than the first."""
        if self.place:
            low, high = self.first.typed_places
            return [f"{low} <= {self.place}", f"{self.place} <= {high}"]
        return [f"1 <= {show(self.length)}"] if self.more < 0 else []

    def stands(self, token: str, place: str) -> str:
        """The formula that `token` is at `place` of the changed or renamed string, written with w, the tokens of the
        original string."""
        if self.of.stem == "renamed_":
            source = next((a for a, b in self.of.becomes.items() if b == token), token)
            return f"w({place}) = {self.first.tokens[source]}"
        original = f"w({place}) = {self.first.tokens[token]}"
        inserted = token == self.of.symbol
        return f"({place} = {self.place} | {original})" if inserted else f"(~({place} = {self.place}) & {original})"

    def bit(self, token: str, place: str) -> str:
        """The term that is 1 if `token` is at `place` of the changed or renamed string, else 0. Each indicator I[..] in
        it has a single equation, as in the equations of a run."""
        if not self.place:
            return f"I[{self.stands(token, place)}]"
        original, changed = f"I[w({place}) = {self.first.tokens[token]}]", f"I[{place} = {self.place}]"
        return f"({original} - {changed}*{original}{f' + {changed}' if token == self.of.symbol else ''})"

    def renamed(self, tree: Tree) -> Tree:
        """A `tree` about the second model, with its functions and its length as the formula has them."""
        calls = {name: partial(lambda new, args: ("call", new, args), new) for name, new in self.called.items()}
        return replaced(tree, {"n": self.length}, calls)

    @property
    def parts(self) -> list[str]:
        """The equations of the second run, with its tokens expressed by the tokens of the first."""
        # `new` has what replaces each ``w(i) = k`` and, for a changed string, each ``I[w(i) = k]``.
        new: dict[Tree, Tree] = {("=", W_AT_I, ("num", k, 1)): parse_formula(text) for k, text in self.tokens().items()}
        if self.place:
            for token, k in self.first.tokens.items():
                here = ("=", W_AT_I, ("num", k, 1))
                new[here] = parse_formula(self.stands(token, "i"))
                new["ind", here] = parse_term(self.bit(token, "i"))

        def translate(tree: Any) -> Any:
            """The tree with each part that is a key of `new` replaced."""
            if tree in new:
                return new[tree]
            return tuple(map(translate, tree)) if isinstance(tree, tuple) else tree

        names_taken = frozenset(self.first.taken)
        parts = (self.renamed(translate(parse_formula(part))) for part in self.meaning.parts)
        return [f"({show(apart(part, names_taken))})" for part in parts]

    def tokens(self) -> dict[int, str]:
        """By token number in the second model: the formula, in the tokens w of the first run, that this token is at
        position i of the second run."""
        relation, numbers = self.meaning.relation, self.meaning.tokens
        if _ends(self.first) == _ends(self.meaning):
            return {number: f"w(i) = {self.first.tokens[token]}" for token, number in numbers.items()}
        # The models add different tokens. A symbol is at position i if i is not an end that has an added token of the
        # second model, and w has the symbol `offset` positions further on.
        before, after = (self.meaning.document["embedding"][key] for key in ("before", "after"))
        between = [
            *([] if before is None else [f"{relation.low} < i"]),
            *([] if after is None else [f"i < {relation.high}"]),
        ]
        offset = _begin(self.first) - _begin(self.meaning)
        place = f"i {'+' if offset > 0 else '-'} {abs(offset)}" if offset else "i"
        by_number = {
            numbers[token]: " & ".join([*between, f"w({place}) = {self.first.tokens[token]}"])
            for token in typed(self.meaning)
        }
        ends = ((before, relation.low), (after, relation.high))
        return by_number | {numbers[token]: f"i = {end}" for token, end in ends if token is not None}


def typed(meaning: ModelMeaning) -> list[str]:
    """The symbols that may be typed, in the order of their numbers."""
    return [token for token in meaning.tokens if token not in _added(meaning)]


def _added(meaning: ModelMeaning) -> list[str]:
    """The tokens that a model adds before and after each input: at most two."""
    embedding: Mapping[str, Any] = meaning.document["embedding"]
    return [embedding[key] for key in ("before", "after") if embedding[key] is not None]


def _ends(meaning: ModelMeaning) -> tuple[object, ...]:
    """The number of the first position, and the tokens that a model adds before and after the input, None for none."""
    embedding = meaning.document["embedding"]
    return embedding["start"], embedding["before"], embedding["after"]


def _begin(meaning: ModelMeaning) -> int:
    """The position of the first typed symbol."""
    return int(meaning.relation.low) + (meaning.document["embedding"]["before"] is not None)
