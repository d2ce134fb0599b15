"""A second run in a statement: ``other.NAME`` is a coordinate of a second model, ``other.accept`` its answer to the
same typed input. ``renamed(a->b, b->a).accept`` is the answer of the model itself to the string with these symbols
renamed, ``changed(p, a).accept`` that to the string with an a at position p.

A model on the renamed string is a second model on the string: each symbol has the row of the one that it becomes. On
the changed string I[w(i) = a], in the equations of the second run, is I[w(i) = a] - I[i = p]*I[w(i) = a] + I[i = p],
and without the last term for the other symbols. The position p is a name of the statement, with the premise that a
typed symbol stands there.

Its equations stand among the premises next to those of the first model, in names of their own, so that the statement is
about the strings on which both have a run. Both read one string: n and w are those of the first model. What the second
has for n is n and a constant, where it adds more tokens or fewer, and a token of its own at i is said by w at the place
of this symbol, or for an added one by its end.
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
from symcook.proof.trees import apart, replaced

if TYPE_CHECKING:
    from symcook.proof.ownnames import ModelMeaning

OTHER = "other."
"""What the names of a second model begin with in a statement."""
_QUOTED = r"""(?:"[^"]*"|'[^']*')"""
PUT = rf"""(?:renamed|changed)\((?:[^()"']|{_QUOTED})*\)\."""
"""The same of the run on another string."""
_PUTS = re.compile(rf"{_QUOTED}|({PUT})")
_PREFIXED = re.compile(rf"({re.escape(OTHER)}|{PUT})?(.*)", re.S)
_CHANGE = rf"\s*(\w+)\s*,\s*({_QUOTED}|\w+)\s*"
_PAIR = rf"\s*({_QUOTED}|\w+)\s*->\s*({_QUOTED}|\w+)\s*"
W_AT_I = ("call", "w", (("name", "i"),))
"""The token at a position, as a run has it."""


def parted(name: str) -> tuple[str, str]:
    """What says of which run a name is, "" of the first, and the name without it.

    >>> parted("other.x@1"), parted("x"), parted("renamed(a->b, b->a).x")
    (('other.', 'x@1'), ('', 'x'), ('renamed(a->b, b->a).', 'x'))
    """
    found = present(_PREFIXED.fullmatch(name))
    return found[1] or "", found[2]


def other_strings(sentence: str) -> dict[str, int]:
    """The beginnings of names in a sentence that say which other string a run is on, and where each stands first."""
    out: dict[str, int] = {}
    for found in _PUTS.finditer(sentence):
        if found[1]:
            out.setdefault(found[1], found.start())
    return out


def _inside(prefix: str) -> str:
    return prefix[prefix.index("(") + 1 : -2]


def unquoted(given: str) -> str:
    """What is given to a word, without quotes."""
    return given[1:-1] if given[:1] in ('"', "'") else given


def _known(given: str, symbols: Sequence[str]) -> str:
    """A symbol without quotes; Rejected for one that may not be typed."""
    symbol = unquoted(given)
    if symbol not in symbols:
        raise Rejected(f"{symbol!r} is no symbol of the strings; {unknown('symbol', symbol, list(symbols)).do}")
    return symbol


def change(prefix: str, symbols: Sequence[str]) -> tuple[str, str]:
    """The position, as it is written, and the symbol that is put there; Rejected where these are none."""
    found = re.fullmatch(_CHANGE, _inside(prefix))
    if found is None:
        raise Rejected("it takes a position and a symbol, as changed(p, a).accept")
    return found[1], _known(found[2], symbols)


def renaming(prefix: str, symbols: Sequence[str]) -> dict[str, str]:
    """What each of the typed `symbols` becomes; Rejected where that is no permutation of them."""
    if re.fullmatch(f"{_PAIR}(?:,{_PAIR})*", _inside(prefix)) is None:
        raise Rejected("it takes what each symbol becomes, as renamed(a->b, b->a).accept")
    pairs = [tuple(_known(one, symbols) for one in pair) for pair in re.findall(_PAIR, _inside(prefix))]
    given = dict.fromkeys(one for pair in pairs for one in pair)
    out = {symbol: symbol for symbol in symbols}
    for symbol, new in pairs:
        if [one for one, _ in pairs].count(symbol) > 1:
            raise Rejected(f"it says twice what {symbol!r} becomes")
        out[symbol] = new
    for new in given:
        twice = [symbol for symbol in symbols if out[symbol] == new]
        if len(twice) > 1:
            lost = next(symbol for symbol in symbols if symbol not in out.values())
            raise Rejected(f"{twice[0]!r} and {twice[1]!r} both become {new!r}; say which symbol becomes {lost!r}")
    return out


@dataclass(frozen=True)
class SecondRun:
    """A run beside the first: of a model on the string, on the string with `symbol` at `place`, or on that where each
    symbol is what it `becomes`. The names of its values begin with `prefix` in a sentence, and with `stem` in the
    statement that is made of it."""

    prefix: str
    stem: str
    document: Mapping[str, Any]
    place: str = ""
    symbol: str = ""
    becomes: Mapping[str, str] = field(default_factory=dict)

    @property
    def named(self) -> bool:
        """Whether its position is a name of the sentence."""
        return bool(self.place) and self.place != "n" and not (self.place.isascii() and self.place.isdigit())

    def same(self, other: SecondRun) -> bool:
        """Whether another one is the same run of the same string."""
        return replace(self, prefix=other.prefix) == other


def second_runs(sentence: str, document: Mapping[str, Any], other: Mapping[str, Any] | None) -> Iterator[SecondRun]:
    """The second runs that a sentence about the model of a document speaks of; Rejected where one is on no string."""
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
    """The second run of a statement about the model with the meaning `first`; `second` is that of its own model, and
    `place` the changed position as the statement has it."""

    def __init__(self, first: ModelMeaning, second: ModelMeaning, run: SecondRun, place: str = "") -> None:
        self.first, self.meaning, self.of, self.place = first, second, run, place
        symbols = [set(typed(one)) for one in (first, second)]
        if first.word is None or second.word is None or symbols[0] != symbols[1]:
            shown = [" ".join(typed(one)) or "numbers" for one in (first, second)]
            must = "two models of one statement must read strings over the same symbols"
            raise BadInput(must, f"{shown[0]} and {shown[1]}", "give --with a model over the symbols of the first")
        self.more = len(_added(second)) - len(_added(first))
        self.length: Tree = parse_term(f"n {'+' if self.more > 0 else '-'} {abs(self.more)}" if self.more else "n")
        self.called: dict[str, str] = {}
        taken = {*first.taken, *second.taken}
        for name in second.functions:
            new = f"{run.stem}{name}"
            self.called[name] = next(x for k in itertools.count() if (x := f"{new}{'_' * k}") not in taken)
            taken.add(self.called[name])
        self.sorts = {self.called[name]: second.sorts[name] for name in second.functions}

    @property
    def least(self) -> list[str]:
        """That it has a position too; that a typed symbol stands where one is changed."""
        if self.place:
            low, high = self.first.typed_places
            return [f"{low} <= {self.place}", f"{self.place} <= {high}"]
        return [f"1 <= {show(self.length)}"] if self.more < 0 else []

    def stands(self, token: str, place: str) -> str:
        """That a token stands at a position of the other string."""
        if self.of.stem == "renamed_":
            old = next((a for a, b in self.of.becomes.items() if b == token), token)
            return f"w({place}) = {self.first.tokens[old]}"
        here = f"w({place}) = {self.first.tokens[token]}"
        new_one = token == self.of.symbol
        return f"({place} = {self.place} | {here})" if new_one else f"(~({place} = {self.place}) & {here})"

    def bit(self, token: str, place: str) -> str:
        """The same as a number, in which no indicator is about two things."""
        if not self.place:
            return f"I[{self.stands(token, place)}]"
        here, changed = f"I[w({place}) = {self.first.tokens[token]}]", f"I[{place} = {self.place}]"
        return f"({here} - {changed}*{here}{f' + {changed}' if token == self.of.symbol else ''})"

    def renamed(self, tree: Tree) -> Tree:
        """What is about the second model, in the names of the statement."""
        calls = {name: partial(lambda new, args: ("call", new, args), new) for name, new in self.called.items()}
        return replaced(tree, {"n": self.length}, calls)

    @property
    def parts(self) -> list[str]:
        """What its run states, part by part, with its tokens said by those of the first model."""
        said: dict[Tree, Tree] = {
            ("=", W_AT_I, ("num", k, 1)): parse_formula(text) for k, text in self.tokens().items()
        }
        if self.place:
            for token, k in self.first.tokens.items():
                here = ("=", W_AT_I, ("num", k, 1))
                said[here] = parse_formula(self.stands(token, "i"))
                said["ind", here] = parse_term(self.bit(token, "i"))

        def put(tree: Any) -> Any:
            return said[tree] if tree in said else tuple(map(put, tree)) if isinstance(tree, tuple) else tree

        taken = frozenset(self.first.taken)
        parts = (self.renamed(put(parse_formula(part))) for part in self.meaning.parts)
        return [f"({show(apart(part, taken))})" for part in parts]

    def tokens(self) -> dict[int, str]:
        """By its number in the second model, what it is that a token stands at its position i."""
        relation, numbers = self.meaning.relation, self.meaning.tokens
        if _ends(self.first) == _ends(self.meaning):
            return {number: f"w(i) = {self.first.tokens[token]}" for token, number in numbers.items()}
        before, after = (self.meaning.document["embedding"][key] for key in ("before", "after"))
        inside = [
            *([] if before is None else [f"{relation.low} < i"]),
            *([] if after is None else [f"i < {relation.high}"]),
        ]
        move = _begin(self.first) - _begin(self.meaning)
        place = f"i {'+' if move > 0 else '-'} {abs(move)}" if move else "i"
        said = {
            numbers[token]: " & ".join([*inside, f"w({place}) = {self.first.tokens[token]}"])
            for token in typed(self.meaning)
        }
        ends = ((before, relation.low), (after, relation.high))
        return said | {numbers[token]: f"i = {end}" for token, end in ends if token is not None}


def typed(meaning: ModelMeaning) -> list[str]:
    """The symbols that may be typed, in the order of their numbers."""
    return [token for token in meaning.tokens if token not in _added(meaning)]


def _added(meaning: ModelMeaning) -> list[str]:
    embedding: Mapping[str, Any] = meaning.document["embedding"]
    return [embedding[key] for key in ("before", "after") if embedding[key] is not None]


def _ends(meaning: ModelMeaning) -> tuple[object, ...]:
    """The first position, and the tokens that a model adds."""
    embedding = meaning.document["embedding"]
    return embedding["start"], embedding["before"], embedding["after"]


def _begin(meaning: ModelMeaning) -> int:
    """The position of the first typed symbol."""
    return int(meaning.relation.low) + (meaning.document["embedding"]["before"] is not None)
