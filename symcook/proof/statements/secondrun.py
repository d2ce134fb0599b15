"""A second run in a statement, of another model or on another string.

``other.NAME`` is a coordinate of a second model, and ``other.accept`` its answer to the same typed input.
``renamed(a->b, b->a).accept`` is the answer of the model itself to the string with these symbols renamed, and
``changed(p, a).accept`` its answer to the string with an a at position p.

A run on the renamed string is the run of a second model on the original string: in its embedding, each symbol has the
row of the symbol that it becomes. For the changed string, I[w(i) = a] in the equations of the second run is replaced by
I[w(i) = a] - I[i = p]*I[w(i) = a] + I[i = p]; for the other symbols the last term is left out. The position p is a name
of the statement, with the premise that p is the position of a typed symbol. The strings of ``swapped(p, q).NAME``,
``permuted.NAME``, ``appended(a, ..).NAME``, ``prepended(a, ..).NAME``, ``deleted(p).NAME`` and ``prefix(p).NAME`` are
written in the same way (`symcook.proof.strings`); their runs may have another length.

The equations of the second run are premises, like the equations of the first run; its functions have other names. So
the statement is about the strings on which both models have a run. The names n and w mean the length and the tokens of
the first run. If the models add different numbers of tokens, the length of the second run is n plus a constant. That a
symbol is at position i of the second run is expressed by w at the matching position; that an added token is there, by
i being the first or the last position.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput, Rejected, unknown
from symcook.files import repeated
from symcook.model.expr import Tree, parse_formula, parse_term, show
from symcook.present import present
from symcook.proof import strings
from symcook.proof.statements.trees import apart, replaced
from symcook.proof.strings import EditedString, TypedEnds

if TYPE_CHECKING:
    from symcook.proof.statements.vocabulary import ModelMeaning

OTHER = "other."
"""The prefix of the second model's names in a statement."""
_QUOTED = r"""(?:"[^"]*"|'[^']*')"""
EDITS = {
    "swapped": "for the string with the symbols at p and q exchanged write swapped(p, q).NAME",
    "permuted": "for the string with its symbols in another order write permuted.NAME",
    "appended": "for the string with an a after it write appended(a).NAME",
    "prepended": "for the string with an a before it write prepended(a).NAME",
    "deleted": "for the string without the symbol at position p write deleted(p).NAME",
    "prefix": "for the string up to position p write prefix(p).NAME",
}
"""By word: how a prefix of names about an edited string is written. Older models may use these words as names: where a
coordinate or a symbol of the model has such a name, the name is meant."""


# In quotes a string may have any characters: `other_strings` skips quoted text, so a prefix in quotes is not a prefix.
@cache
def put_pattern(own: frozenset[str] = frozenset()) -> str:
    """The prefixes of names that are about the run on another string, as a pattern, such as ``renamed(..).`` and
    ``permuted.``, without those whose word is in `EDITS` and is a name of the model (`own`)."""
    words = "|".join(["renamed", "changed", *(word for word in EDITS if word not in own and word != PERMUTED)])
    permuted = "" if PERMUTED in own else rf"|\b{PERMUTED}\."
    return rf"""(?:\b(?:{words})\((?:[^()"']|{_QUOTED})*\)\.{permuted})"""


PERMUTED = "permuted"
"""The word for the string in another order, whose prefix takes nothing."""
_PREFIXED = re.compile(rf"({re.escape(OTHER)}|{put_pattern()})?(.*)", re.S)
_PLACE = r"(\w+)(?:\s*([+-])\s*([0-9]+))?"
"""A position in a prefix: a name, n or a number, with a number more or less, as p - 1."""
_CHANGE = rf"\s*({_PLACE})\s*,\s*({_QUOTED}|\w+)\s*"
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


def other_strings(sentence: str, own: Collection[str] = ()) -> dict[str, int]:
    """The prefixes of names about other strings in a statement, each with the index of its first use. `own` are the
    names of the model's coordinates and symbols."""
    first_uses: dict[str, int] = {}
    for match in re.finditer(rf"{_QUOTED}|({put_pattern(frozenset(EDITS.keys() & {*own}))})", sentence):
        if match[1]:
            first_uses.setdefault(match[1], match.start())
    return first_uses


def names_second_model(sentence: str) -> bool:
    """Whether a statement has a name with the prefix `OTHER`."""
    return any(match[1] for match in re.finditer(rf"{_QUOTED}|\b({re.escape(OTHER)})", sentence))


def _arguments(prefix: str) -> list[str]:
    """The arguments in the parentheses of a prefix, as the user wrote them."""
    return [given.strip() for given in re.findall(rf"\s*({_QUOTED}|[^,]*[^,\s][^,]*)", _inside(prefix))]


def _inside(prefix: str) -> str:
    """The text in the parentheses of a prefix."""
    return prefix[prefix.index("(") + 1 : -2]


def unquoted(given: str) -> str:
    """An argument in a statement, without its quotes."""
    return given[1:-1] if given[:1] in ('"', "'") else given


def place_parts(given: str) -> tuple[str, int]:
    """The name, n or number with which a position in a prefix begins, and what is added to it.

    >>> place_parts("p - 1"), place_parts("n")
    (('p', -1), ('n', 0))
    """
    name, sign, number = present(re.fullmatch(_PLACE, given)).groups()
    return name, int(f"{sign}{number}") if sign else 0


def place_text(given: str, name: str | None = None) -> str:
    """A position in a prefix as it is written in the formula, where its name may be another one.

    >>> place_text("p-1"), place_text("p - 1", "p1")
    ('p - 1', 'p1 - 1')
    """
    own, more = place_parts(given)
    added = f" {'-' if more < 0 else '+'} {abs(more)}" if more else ""
    return f"{own if name is None else name}{added}"


def _known(given: str, symbols: Sequence[str]) -> str:
    """The symbol in `given`, without its quotes; Rejected if it is not one of the `symbols` that may be typed."""
    symbol = unquoted(given)
    if symbol not in symbols:
        raise Rejected(f"{symbol!r} is not a symbol of the strings; {unknown('symbol', symbol, list(symbols)).do}")
    return symbol


def change(prefix: str, symbols: Sequence[str]) -> tuple[str, str]:
    """For a prefix ``changed(p, a).``: the position p as the user wrote it, and the symbol a. Rejected for an invalid
    prefix."""
    match = re.fullmatch(_CHANGE, _inside(prefix))
    if match is None:
        raise Rejected("changed takes a position and a symbol, as in changed(p, a).accept")
    return place_text(match[1]), _known(match[5], symbols)


def renaming(prefix: str, symbols: Sequence[str]) -> dict[str, str]:
    """For a prefix ``renamed(a->b, ..).``: what each of the `symbols` becomes, itself if the prefix does not mention
    it. Rejected unless this is a permutation of `symbols`."""
    if re.fullmatch(f"{_PAIR}(?:,{_PAIR})*", _inside(prefix)) is None:
        raise Rejected("renamed takes what each symbol becomes, as in renamed(a->b, b->a).accept")
    pairs = [tuple(_known(item, symbols) for item in pair) for pair in re.findall(_PAIR, _inside(prefix))]
    named_symbols = dict.fromkeys(item for pair in pairs for item in pair)
    images = {symbol: symbol for symbol in symbols}
    if (twice_renamed := repeated(symbol for symbol, _ in pairs)) is not None:
        raise Rejected(f"renamed states twice what {twice_renamed!r} becomes")
    for symbol, new in pairs:
        images[symbol] = new
    for new in named_symbols:
        twice = [symbol for symbol in symbols if images[symbol] == new]
        if len(twice) > 1:
            lost = next(symbol for symbol in symbols if symbol not in images.values())
            raise Rejected(f"{twice[0]!r} and {twice[1]!r} both become {new!r}; say which symbol becomes {lost!r}")
    return images


_TAKES = {"swapped": 2, "deleted": 1, "prefix": 1}
"""By word: the number of positions that its prefix takes."""


def edit(prefix: str, document: Mapping[str, Any], symbols: Sequence[str], sentence: str) -> SecondRun:
    """The run on an edited string that a prefix names in a `sentence`. Rejected for an invalid prefix."""
    kind = present(re.match(r"\w+", prefix))[0]
    stem = f"{kind}_"
    if kind == PERMUTED:  # the position of the first neighbour has a name that the statement does not have
        parameters = (declared["name"] for declared in document["symbols"])
        taken = {*re.findall(r"\w+", sentence), *document["space"], *symbols, *parameters}
        place = next(name for k in itertools.count() if (name := f"p{k or ''}") not in taken)
        return SecondRun(prefix, stem, document, (place,))
    arguments = _arguments(prefix)
    if kind in ("appended", "prepended"):
        if not arguments:
            raise Rejected(f"{kind} takes symbols; {EDITS[kind]}")
        return SecondRun(prefix, stem, document, symbols=tuple(_known(given, symbols) for given in arguments))
    if len(arguments) != _TAKES[kind] or not all(re.fullmatch(_PLACE, given) for given in arguments):
        named = f"; name another position first, as q = 2*p -> {kind}(q).NAME" if _TAKES[kind] == 1 else ""
        raise Rejected(f"{kind} takes {'two positions' if _TAKES[kind] == 2 else 'a position'}; {EDITS[kind]}{named}")
    return SecondRun(prefix, stem, document, tuple(map(place_text, arguments)))


@dataclass(frozen=True)
class SecondRun:
    """A second run in a statement: of another model on the same string, or of the same model on another string."""

    prefix: str
    """The prefix of its names in the statement as the user writes it."""
    stem: str
    """The beginning of its names in the formula: ``other_``, ``changed_``, ``renamed_``, or a word of `EDITS` with an
    underscore."""
    document: Mapping[str, Any]
    """The model. For a renamed string, its embedding has the rows exchanged, and the string is the original one."""
    places: tuple[str, ...] = ()
    """The positions in the prefix: names, n or numbers, with a number more or less, as p - 1. For ``permuted``, whose
    prefix has none, a new name for the first of the two exchanged positions."""
    symbols: tuple[str, ...] = ()
    """The symbols that are put into the string."""
    becomes: Mapping[str, str] = field(default_factory=dict)
    """The symbol that each symbol becomes; empty unless the string is renamed."""

    @property
    def named(self) -> tuple[str, ...]:
        """The names of positions, which are variables of the statement: neither n nor a number."""
        names = (place_parts(place)[0] for place in self.places)
        return tuple(dict.fromkeys(name for name in names if name != "n" and not (name.isascii() and name.isdigit())))

    @property
    def kind(self) -> str:
        """The word of the prefix."""
        return self.stem[:-1]

    def string(self, typed: Sequence[str], index: Callable[[str], int]) -> tuple[str, ...]:
        """The typed symbols of the second string, for those of the first one; `index` gives the number of a position
        among the typed symbols, from 0. (For a renamed string, the model is another one and reads the first string.)"""
        at = [index(place) for place in self.places]
        out = list(typed)
        match self.kind:
            case "changed":
                out[at[0]] = self.symbols[0]
            case "swapped" | "permuted":
                p, q = at if len(at) == 2 else (at[0], at[0] + 1)
                out[p], out[q] = out[q], out[p]
            case "appended":
                out += self.symbols
            case "prepended":
                out = [*self.symbols, *out]
            case "deleted":
                del out[at[0]]
            case "prefix":
                del out[at[0] + 1 :]
            case _:
                pass
        return tuple(out)

    def edited(self, ends: TypedEnds, places: Sequence[str]) -> EditedString | None:
        """The string of an edit (`EDITS`), whose positions are `places` in the formula; None for another run."""
        match self.kind:
            case "swapped":
                return strings.swapped(ends, *places)
            case "permuted":
                return strings.swapped(ends, places[0], f"{places[0]} + 1")
            case "appended" | "prepended":
                return getattr(strings, self.kind)(ends, self.symbols)
            case "deleted" | "prefix":
                return getattr(strings, self.kind)(ends, *places)
            case _:
                return None

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
    own = {*document["space"], *(symbol["name"] for symbol in document["symbols"])}
    for prefix in other_strings(sentence, own):
        if not symbols:
            raise Rejected(f"{prefix}NAME is available only for a model that reads strings of symbols")
        if prefix.startswith("changed"):
            place, symbol = change(prefix, symbols)
            yield SecondRun(prefix, "changed_", document, (place,), (symbol,))
            continue
        if not prefix.startswith("renamed"):
            yield edit(prefix, document, symbols, sentence)
            continue
        becomes = renaming(prefix, symbols)
        rows = {token: words[becomes.get(token, token)] for token in words}
        renamed = {**document, "embedding": {**embedding, "words": rows}}
        yield SecondRun(prefix, "renamed_", renamed, becomes=becomes)


class OtherModel:
    """How a formula expresses a second run: its equations, its tokens and the names of its functions."""

    def __init__(self, first: ModelMeaning, second: ModelMeaning, run: SecondRun, places: Sequence[str] = ()) -> None:
        """`first` and `second` are the meanings of the two models, and `places` are the positions in the prefix as they
        are written in the formula. BadInput if the models read strings over different symbols, or numbers."""
        self.first, self.meaning, self.of = first, second, run
        self.place = places[0] if run.kind == "changed" else ""
        # The names of positions to which a number is added: they are positions of typed symbols too.
        self.bases = [name for name, more in map(place_parts, places) if more and name != "n" and not name.isdigit()]
        symbols = [set(typed(meaning)) for meaning in (first, second)]
        if first.word is None or second.word is None or symbols[0] != symbols[1]:
            symbols_shown = [" ".join(typed(meaning)) or "numbers" for meaning in (first, second)]
            must = "two models of one statement must read strings over the same symbols"
            raise BadInput(
                must, f"{symbols_shown[0]} and {symbols_shown[1]}", "give --with a model over the symbols of the first"
            )
        self.more = len(_added(second)) - len(_added(first))  # how many more tokens the second model adds
        low, high = first.typed_places
        added = [first.document["embedding"][key] for key in ("before", "after")]
        if run.kind in EDITS and added[0] is not None and added[0] == added[1]:
            raise Rejected(f"the model adds {added[0]!r} at both ends; edited strings need two tokens, or one end")
        self.edited = run.edited(TypedEnds(int(first.relation.low), int(low), high, *added), places)
        length = f"n {'+' if self.more > 0 else '-'} {abs(self.more)}" if self.more else "n"
        self.length: Tree = parse_term(length if self.edited is None else self.edited.length)
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
        """The premises about positions: a changed position is between the first and the last typed symbol; those of an
        edited string; and the second run has at least one position, if it is shorter than the first."""
        low, high = self.first.typed_places
        bases = [bound for base in self.bases for bound in (f"{low} <= {base}", f"{base} <= {high}")]
        if self.edited is not None:
            return [*bases, *self.edited.premises]
        if self.place:
            return [*bases, f"{low} <= {self.place}", f"{self.place} <= {high}"]
        return [f"1 <= {show(self.length)}"] if self.more < 0 else []

    def stands(self, token: str, place: str) -> str:
        """The formula that `token` is at `place` of the changed, renamed or edited string, written with w, the tokens
        of the original string."""
        if self.edited is not None:
            return self.edited.stands(token, place, self.first.tokens)
        if self.of.stem == "renamed_":
            source = next((a for a, b in self.of.becomes.items() if b == token), token)
            return f"w({place}) = {self.first.tokens[source]}"
        original = f"w({place}) = {self.first.tokens[token]}"
        inserted = token in self.of.symbols
        return f"({place} = {self.place} | {original})" if inserted else f"(~({place} = {self.place}) & {original})"

    def bit(self, token: str, place: str) -> str:
        """The term that is 1 if `token` is at `place` of the changed, renamed or edited string, else 0. Each indicator
        I[..] in it has a single equation, as in the equations of a run."""
        if self.edited is not None:
            return self.edited.bit(token, place, self.first.tokens)
        if not self.place:
            return f"I[{self.stands(token, place)}]"
        original, changed = f"I[w({place}) = {self.first.tokens[token]}]", f"I[{place} = {self.place}]"
        return f"({original} - {changed}*{original}{f' + {changed}' if token in self.of.symbols else ''})"

    def renamed(self, tree: Tree) -> Tree:
        """A `tree` about the second model, with its functions and its length as the formula has them."""
        calls = {name: partial(lambda new, args: ("call", new, args), new) for name, new in self.called.items()}
        return replaced(tree, {"n": self.length}, calls)

    @property
    def parts(self) -> list[str]:
        """The equations of the second run, with its tokens expressed by the tokens of the first."""
        # `new` has what replaces each ``w(i) = k`` and, for a changed or edited string, each ``I[w(i) = k]``.
        new: dict[Tree, Tree] = {("=", W_AT_I, ("num", k, 1)): parse_formula(text) for k, text in self.tokens().items()}
        if self.place or self.edited is not None:
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
        parts = (parse_formula(part) for part in self.meaning.parts)
        if self.edited is None:  # n in `new` is the length of the second run
            parts = (self.renamed(translate(part)) for part in parts)
        else:  # n in `new` is the length of the first run
            parts = (translate(self.renamed(part)) for part in parts)
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
        by_token: dict[str, list[str]] = {}  # one token may be added at both ends
        for token, end in ends:
            if token is not None:
                by_token.setdefault(token, []).append(f"i = {end}")
        return by_number | {numbers[token]: " | ".join(places) for token, places in by_token.items()}


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
