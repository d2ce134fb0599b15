"""The lines that prove what a head looks up at the position that a count names, as in the models that count modulo m.

Such a head has the queries K/(i + 1) and 1/(i + 1), of which the first layer makes K the number of a letter behind BOS,
and the scores 2*j*K - j^2, so that its one greatest score is at K. Stored lemmas say both; each value is then that of
the function which is looked up, at K.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

_SCORES = re.compile(r"<= 2\*(\w+)\(i\)\*(\w+)\(j\) \+ -(\w+)\(i\)\*(\w+)\(j\)\]\*\((\w+)\(j\)\)\)$", re.ASCII)
_SHARE = re.compile(r"^(\w+)\(i\) = sum\(j, 0, i, (\w+)\(j\)\)/\(i \+ 1\)$", re.ASCII)
WORD = "w(0) = 2 & (all i in 1..n - 1. w(i) = 0 | w(i) = 1)"
"""Words of two letters behind BOS."""


class CountLookup:
    """Lines about one value at the last position of a run; `equations` are those of its values, NAME_is their labels.
    `there` says whether the head that gives it is of this kind."""

    def __init__(self, word: str | None, equations: Mapping[str, str], function: str) -> None:
        self.function, self.there = function, False
        self.count = "sum(l, 0, n - 1, I[w(l) = 0])"
        self.behind = "sum(l, 1, n - 1, I[w(l) = 0])"
        found = _SCORES.search(equations.get(function, ""))
        if found is None or word != WORD:
            return
        self.share, self.index, self.inverse, self.square, self.value = found.groups()
        shares = [_SHARE.match(equations.get(f, "")) for f in (self.share, self.inverse)]
        if None in shares:
            return
        self.hit, self.bos = (one[2] for one in shares if one is not None)
        given = (f"{self.hit}(i) = I[w(i) = 0]", f"{self.bos}(i) = I[w(i) = 2]")
        self.there = [equations.get(self.hit), equations.get(self.bos)] == [*given]
        self.equation = equations[self.value].partition(" = ")[2]

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
        at = re.sub(r"\bi\b", self.behind, self.equation)
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
