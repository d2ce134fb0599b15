"""A second model in a statement: ``other.NAME`` is its coordinate, ``other.accept`` its answer to the same typed input.

Its equations stand among the premises next to those of the first model, in names of their own, so that the statement is
about the strings on which both have a run. Both read one string: n and w are those of the first model. What the second
has for n is n and a constant, where it adds more tokens or fewer, and a token of its own at i is said by w at the place
of this symbol, or for an added one by its end.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.model.expr import Tree, parse_formula, parse_term, show
from symcook.proof.trees import apart, replaced

if TYPE_CHECKING:
    from symcook.proof.ownnames import ModelMeaning

PREFIX = "other."
"""What the names of the second model begin with in a statement."""


THEIRS = "other_"
"""What they begin with in the statement that is made of it."""
W_AT_I = ("call", "w", (("name", "i"),))
"""The token at a position, as a run has it."""


class OtherModel:
    """The second model of a statement whose first one has the meaning `first`."""

    def __init__(self, first: ModelMeaning, second: ModelMeaning) -> None:
        self.first, self.meaning = first, second
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
            self.called[name] = next(x for k in itertools.count() if (x := f"{THEIRS}{name}{'_' * k}") not in taken)
            taken.add(self.called[name])
        self.sorts = {self.called[name]: second.sorts[name] for name in second.functions}

    @property
    def least(self) -> list[str]:
        """That it has a position too."""
        return [f"1 <= {show(self.length)}"] if self.more < 0 else []

    def renamed(self, tree: Tree) -> Tree:
        """What is about the second model, in the names of the statement."""
        calls = {name: partial(lambda new, args: ("call", new, args), new) for name, new in self.called.items()}
        return replaced(tree, {"n": self.length}, calls)

    @property
    def parts(self) -> list[str]:
        """What its run states, part by part, with its tokens said by those of the first model."""
        said = {("=", W_AT_I, ("num", k, 1)): parse_formula(text) for k, text in self.tokens().items()}

        def put(tree: Any) -> Any:
            return said[tree] if tree in said else tuple(map(put, tree)) if isinstance(tree, tuple) else tree

        taken = frozenset(self.first.taken)
        parts = (self.renamed(put(parse_formula(part))) for part in self.meaning.parts)
        return [f"({show(apart(part, taken))})" for part in parts]

    def tokens(self) -> dict[int, str]:
        """By its number in the second model, what it is that a token stands at its position i."""
        relation, numbers = self.meaning.relation, self.meaning.tokens
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


def _begin(meaning: ModelMeaning) -> int:
    """The position of the first typed symbol."""
    return int(meaning.relation.low) + (meaning.document["embedding"]["before"] is not None)
