"""The lines that prove what a head looks up at the position that a count names, as in the models that count modulo m.

Such a head has the queries K/(i + 1) and 1/(i + 1), of which the first layer makes K the number of a letter behind BOS,
and the scores 2*j*K - j^2, so that its one greatest score is at K. Stored lemmas say both; each value is then that of
the function which is looked up, at K.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symcook.proof.definitions import EmbeddingRow, HardRow, MeanRow, RunDefinition, Sum
from symcook.proof.runtext import joined, rational
from symcook.proof.runvalues import Combination, Score, at_position
from symcook.proof.spelled import there

WORD = "w(0) = 2 & (all i in 1..n - 1. w(i) = 0 | w(i) = 1)"
"""Words of two letters behind BOS."""


class CountLookup:
    """Lines about one value at the last position of a run; NAME_is are the labels of the `definitions` of its values.
    `there` says whether the head that gives it is of this kind."""

    def __init__(self, word: str | None, definitions: Mapping[str, RunDefinition], function: str) -> None:
        self.function, self.there = function, False
        self.count = "sum(l, 0, n - 1, I[w(l) = 0])"
        self.behind = "sum(l, 1, n - 1, I[w(l) = 0])"
        found = _scored(definitions, function)
        if found is None or word != WORD:
            return
        self.share, self.index, self.inverse, self.square, self.value = found
        shares = [_averaged(definitions, f) for f in (self.share, self.inverse)]
        if None in shares or self.value not in definitions:
            return
        self.hit, self.bos = (one for one in shares if one is not None)
        self.there = [_token(definitions, f) for f in (self.hit, self.bos)] == [0, 2]
        looked = definitions[self.value].row
        self.there = self.there and isinstance(looked, Sum) and looked.old is None
        self.equation = joined(looked.terms(at_position)) if isinstance(looked, Sum) else ""

    def begin(self) -> list[str]:
        """What all lines below rest on."""
        by = {f: f"{f}_is" for f in (self.hit, self.bos, self.share, self.inverse, self.index, self.square)}
        share, inverse = f"{self.share}(n - 1)", f"{self.inverse}(n - 1)"
        return [
            f"hits_behind: sum(l, 0, n - 1, {self.hit}(l)) = {self.behind} "
            f"by count_behind({self.hit}; w; n - 1), {by[self.hit]}, word, some",
            f"counted: {self.count} = {self.behind} by hits_behind, {by[self.hit]}, sum_ext",
            # the premises of the lemma as they stand there
            "reached: 0 <= n - 1 by some",
            "first_token: w(0) = 2 by word",
            "behind: all j in 1..n - 1. w(j) = 0 | w(j) = 1 by word",
            f"shared: {share} = sum(j, 0, n - 1, {self.hit}(j))/(n - 1 + 1) by {by[self.share]}(n - 1)",
            f"inverted: {inverse} = sum(j, 0, n - 1, {self.bos}(j))/(n - 1 + 1) by {by[self.inverse]}(n - 1)",
            f"take queries from modulo_shares(n; w; {self.bos}; {self.hit}; n - 1; {self.behind}; {share}; {inverse}) "
            f"by some, word, {by[self.bos]}, {by[self.hit]}, {by[self.share]}, {by[self.inverse]}",
            "take (least most query positive) from queries",
            f"indices: all j in 0..n - 1. {self.index}(j) = j by {by[self.index]}",
            f"squares: all j in 0..n - 1. {self.square}(j) = j^2 by {by[self.square]}",
        ]

    def lines(self) -> list[str]:
        """That the value is that of the function which is looked up, at the count."""
        f, v = self.function, self.value
        share, inverse = f"{self.share}(n - 1)", f"{self.inverse}(n - 1)"
        at = there(self.equation, self.behind)
        score = f"{share}*(2*{self.index}({{0}})) + {inverse}*(-{self.square}({{0}}))"
        best = f"I[all k in 0..n - 1. {score.format('k')} <= {score.format('j')}]"
        met = f"{f}(n - 1)*sum(j, 0, n - 1, {best}) = sum(j, 0, n - 1, {best}*{v}(j))"
        return [
            f"{f}_met: {met} by {f}_is(n - 1)",
            f"take {f}_found from count_lookup(n - 1; {self.behind}; {share}; {inverse}; {self.index}; {self.square}; "
            f"{v}; {f}(n - 1)) by least, most, query, positive, indices, squares, {f}_met",
            f"{f}_looked: {f}(n - 1) = {at} by {f}_found, {v}_is({self.behind}), least, most",
        ]

    def versions(self, formula: str) -> Iterator[str]:
        """The line of the form."""
        yield f"{formula}\n  rewrite counted\n  qed by {self.function}_looked"
        yield f"{formula} by {self.function}_looked, counted"


def _scored(definitions: Mapping[str, RunDefinition], function: str) -> tuple[str, str, str, str, str] | None:
    """The share, index, inverse, square and value of a head with scores 2*share(i)*index(j) - inverse(i)*square(j)."""
    row = definitions[function].row if function in definitions else None
    if not isinstance(row, HardRow) or row.ties != "average" or not isinstance(row.score, Score):
        return None
    if not isinstance(row.value, Combination) or row.value.function is None or len(row.score.products) != 2:
        return None
    pairs = [(query.terms, key.terms) for query, key in row.score.products]
    if any(len(query) != 1 or len(key) != 1 for query, key in pairs):
        return None
    ((share,), (index,)), ((inverse,), (square,)) = pairs
    names = (share.function, index.function, inverse.function, square.function, row.value.function)
    weights = [[rational(one.weight) for one in pair] for pair in ((share, index), (inverse, square))]
    return names if [q * k for q, k in weights if q is not None and k is not None] == [2, -1] else None


def _averaged(definitions: Mapping[str, RunDefinition], function: str) -> str | None:
    """The function of which another is the mean over the positions from 0 to i."""
    row = definitions[function].row if function in definitions else None
    if not isinstance(row, MeanRow) or row.old is not None or (row.seen.low, row.seen.high) != ("0", "i"):
        return None
    return row.value.function if isinstance(row.value, Combination) else None


def _token(definitions: Mapping[str, RunDefinition], function: str) -> int | None:
    """The number of the one token at which a function is 1, as it is 0 at all others."""
    row = definitions[function].row if function in definitions else None
    if not isinstance(row, EmbeddingRow) or row.position is not None or len(row.tokens) != 1:
        return None
    ((value, index),) = row.tokens
    return index if value == "1" else None
