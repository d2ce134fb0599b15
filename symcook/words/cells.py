"""The strings of one length in classes by counts: strings with the same number of each token in each cell have the same
answer.

A cell is a set of positions at which tokens may be exchanged without a change of the answer. The cells for a model and
a length are found by one symbolic run (`Dependence`), whose terms stand for all values that a position can have. At
worst each position is a cell, and each string a class.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement, product
from typing import Any, ClassVar, TypeVar

from symcook.domains.protocol import Coefficient, unknown_activation, unknown_weighting
from symcook.domains.rowwise import Going, visible
from symcook.errors import BadInput
from symcook.forward import Result, forward
from symcook.model.expr import Tree
from symcook.model.parts import ACTIVATIONS, Mask
from symcook.model.rationals import rational
from symcook.model.transformer import Transformer
from symcook.words import Stand

MOST = 20_000
"""The greatest number of classes of one length that are run."""

DENSE_RUNS = 100
"""How many runs of a dense model take as long as the search for classes does for one symbol."""

TraceEntries = Callable[[Result], Iterable[Any]]
"""From the result of a run to pairs of a column and the index of a position in it."""


@dataclass(frozen=True)
class Cells:
    """All strings of `n` symbols over `alphabet`. Two strings are in one class if each of the `cells` (positions from
    0, in typed symbols) has the same number of each token in both. Positions in no cell do not matter.

    >>> list(Cells(("a", "b"), 2, ((0, 1),)))
    [Stand(word=('a', 'a'), words=1), Stand(word=('a', 'b'), words=2), Stand(word=('b', 'b'), words=1)]
    """

    alphabet: tuple[str, ...]
    n: int
    cells: tuple[tuple[int, ...], ...]
    text: str = ""

    @cached_property
    def many(self) -> int:
        """The number of classes."""
        k = len(self.alphabet)
        return math.prod(math.comb(len(cell) + k - 1, k - 1) for cell in self.cells)

    @property
    def says(self) -> str:
        """How strings are grouped: `text` where it is given, else a text that depends on the number of classes."""
        if self.text:
            return self.text
        if self.many == len(self.alphabet) ** self.n:
            return "all strings one by one"
        return "strings are grouped by symbol counts, which determine the answer"

    def __iter__(self) -> Iterator[Stand]:
        """The classes, each by its smallest string. BadInput where there are more than `MOST`."""
        if self.many > MOST:
            must = f"the strings of one length must form at most {MOST:,} groups with equal answers"
            raise BadInput(must, f"{self.many} at length {self.n}", "give a smaller --max-length")
        # Positions in no cell may hold any symbol: every class has `free` times as many strings.
        free = len(self.alphabet) ** (self.n - sum(map(len, self.cells)))
        fillings = (combinations_with_replacement(self.alphabet, len(cell)) for cell in self.cells)
        for filling in product(*fillings):
            word = [self.alphabet[0]] * self.n
            strings = free
            for cell, tokens in zip(self.cells, filling, strict=True):
                # The number of orders of these tokens in the cell is a multinomial coefficient.
                strings *= math.factorial(len(cell))
                for token in set(tokens):
                    strings //= math.factorial(tokens.count(token))
                for place, token in zip(cell, tokens, strict=True):
                    word[place] = token
            yield Stand(tuple(word), strings)


def few(strings: int, *models: Transformer) -> bool:
    """Whether to run so many strings takes less work than to look for classes.

    The search goes over each weight by itself, for each symbol that a position may hold. So it takes about as long as
    one run for each symbol, and for a dense model, whose runs are products of matrices, `DENSE_RUNS` times as long.
    """
    runs = DENSE_RUNS if all(model.dense for model in models) else 1
    return strings <= runs * len(models[0].alphabet)


def classes(
    n: int, *models: Transformer, bits: int | None = None, traced: TraceEntries | None = None, scores: bool = False
) -> Cells:
    """The strings of `n` typed symbols in classes that none of the `models` can tell apart, whatever the values of
    their open symbols. All models must have the alphabet and the added tokens of the first one, which alone is asked
    for them.

    With `bits`, two strings of a class also have the same set of possible answers in rounded numbers of at least so
    many bits, over all orders of summation: a result that some order gives for one string, some order gives for the
    other. A runtime with a fixed order may give different numbers for the two. With `traced`, the entries that `traced`
    selects from a trace agree on a class, in place of the answer. With `scores`, each row of each head that an answer
    is computed from has the same scores on a class, up to their order, also where they do not change the answer.
    """
    alphabet, embedding = models[0].alphabet, models[0].embedding
    groups: frozenset[int] = frozenset()
    for model in models if n + embedding.added else ():
        domain = Dependence(alphabet, bits, scores)
        tokens: Any = embedding.surround([None] * n)
        result = forward(model, tokens, domain, trace=traced is not None)  # type: ignore[arg-type]
        entries = product(result.columns().values(), result.places) if traced is None else traced(result)
        # Positions that lie in the same groups form a cell. So the groups of all models are collected.
        groups = groups.union(
            *(domain.depends(column, place) for column, place in entries), *domain.refusing, domain.scored
        )
    return Cells(alphabet, n, cells_of(sorted(groups), len(embedding.ends[0]), n))


def cells_of(groups: Sequence[int], first: int, n: int) -> tuple[tuple[int, ...], ...]:
    """The coarsest partition of the `n` typed positions such that each group is a union of cells, as far as it has
    typed positions; positions in no group are left out. In a group, bit `first` stands for the first typed position."""
    cells: dict[tuple[bool, ...], list[int]] = {}
    for place in range(n):
        inside = tuple(bool(group >> (first + place) & 1) for group in groups)
        if any(inside):
            cells.setdefault(inside, []).append(place)
    return tuple(map(tuple, cells.values()))


TermEntry = tuple[int, ...]
"""The numbers of the terms at a position: one for each token that may be there, or a single one where all are equal."""
TermColumn = list[TermEntry]
"""One coordinate at all positions."""
TermColumns = Sequence[TermColumn]
Term = TypeVar("Term")
Groups = frozenset[int]
"""Sets of positions, each as an integer whose bit k says whether position k is in the set."""


class Dependence(Going):
    """The number system of terms. A position at which the sequence has None may hold any token of `alphabet`.

    Equal terms have equal values. A term is a rational number, another number (an expression), or an operation with the
    terms that it is applied to. Terms are named by numbers, in the order in which they are made.
    For each term the domain keeps the groups of positions whose counts of tokens determine its value. With `bits`, a
    sum is computed only if every order of adding is exact in so many bits. With `scores`, it also keeps in `scored` the
    groups that determine the scores of each row.
    """

    name: ClassVar[str] = "dependence"

    def __init__(self, alphabet: Sequence[str], bits: int | None = None, scores: bool = False) -> None:
        self.alphabet, self.bits, self.scores = tuple(alphabet), bits, scores
        self._terms: dict[Hashable, int] = {}
        self._rationals: dict[tuple[int, int], int] = {}
        self._numbers: list[Fraction | None] = []
        self._groups: list[Groups] = []
        self.refusing: set[Groups] = set()
        """The groups that determine whether a norm refuses the string because of a variance of 0, one set for each
        norm."""
        self.scored: Groups = frozenset()
        """With `scores`, the groups that determine the scores of each row, up to their order."""

    def depends(self, column: TermColumn, place: int) -> Groups:
        """The groups on which an entry depends. The position itself is one of them, if the token there matters."""
        entry = column[place]
        groups = frozenset[int]().union(*(self._groups[term] for term in entry))
        own = self.rows[place]
        return groups | {1 << own} if len(entry) > 1 else groups

    # --- Terms ---

    def _term(self, key: Hashable, parts: Sequence[int] = (), groups: Groups = frozenset()) -> int:
        """The number of the term with this key, which is made where it is new. It has the groups of its
        `parts`, the terms in it, and the further `groups`."""
        number = self._terms.get(key)
        if number is None:
            number = self._terms[key] = len(self._numbers)
            self._numbers.append(None)
            self._groups.append(groups.union(*(self._groups[part] for part in parts)))
        return number

    def _given(self, value: Coefficient) -> int:
        """The term of a number, or of an expression that is not rational."""
        return self._term(value) if isinstance(value, tuple) else self._rational(value.numerator, value.denominator)

    def _rational(self, above: int, below: int) -> int:
        """The term of the number above / below, a fraction in lowest terms."""
        number = self._rationals.get((above, below))
        if number is None:
            number = self._rationals[above, below] = len(self._numbers)
            self._numbers.append(Fraction(above, below))
            self._groups.append(frozenset())
        return number

    def _holds(self, numbers: Sequence[Fraction]) -> bool:
        """Whether bounds show that all partial sums of these numbers, in any order, are exact in `bits` bits (always,
        without `bits`). False also where a denominator is above 2^10."""
        if self.bits is None:
            return True
        below = max((x.denominator for x in numbers), default=1)
        if any(not _dyadic(x, self.bits) for x in numbers):
            return False
        return sum(abs(x) for x in numbers) * below <= 2**self.bits and below <= 2**10

    def _sum(self, parts: Sequence[tuple[Coefficient, int]], bias: Coefficient) -> int:
        """The term of a sum: coefficient times term for each of the `parts`, plus the bias."""
        if self.bits is None:
            return self._exact_sum(parts, bias)
        numbers: list[Fraction] = []
        open_parts: list[tuple[Any, int]] = []
        for weight, term in (*parts, (bias, self._given(1))):
            number = self._numbers[term]
            if number == 0 or weight == 0:
                continue
            # A product of rational numbers is computed if `_holds` is true of the two factors together and of the
            # product; else it stays a term.
            if number is not None and not isinstance(weight, tuple):
                numbers.append(Fraction(weight) * number)
                if self._holds([Fraction(weight), number]) and self._holds(numbers[-1:]):
                    continue
                numbers.pop()
            open_parts.append((weight, term))
        # If some order of adding the numbers would round, each stays a term by itself.
        if not self._holds(numbers):
            open_parts += [(number, self._given(1)) for number in numbers]
            numbers = []
        if not open_parts:
            return self._given(sum(numbers, Fraction(0)))
        if len(open_parts) == 1 and open_parts[0][0] == 1 and not numbers:
            return open_parts[0][1]
        # The key has each number and not their sum, since a runtime may add the numbers between the terms.
        key = ("sum", tuple(sorted(open_parts, key=repr)), tuple(sorted(numbers)))
        return self._term(key, [term for _, term in open_parts])

    def _exact_sum(self, parts: Sequence[tuple[Coefficient, int]], bias: Coefficient) -> int:
        """The sum where arithmetic is exact, so that order does not matter: a number if all terms are numbers, else a
        term whose key holds the other terms and the sum of the numbers."""
        above, below, open_parts = 0, 1, list[tuple[Any, int]]()
        if isinstance(bias, tuple):
            open_parts.append((bias, self._given(1)))
        else:
            above, below = bias.numerator, bias.denominator
        for weight, term in parts:
            number = self._numbers[term]
            if number is None or isinstance(weight, tuple):
                if weight and number != 0:
                    open_parts.append((weight, term))
            # The sum of fractions as two integers: this is run for each weight, and Fraction would reduce every step.
            elif top := number.numerator * weight.numerator:
                bottom = number.denominator * weight.denominator
                above, below = (
                    (above + top, below) if below == bottom else (above * bottom + top * below, below * bottom)
                )
        if open_parts:
            open_parts = self._collected(open_parts)
        common = math.gcd(above, below)
        total = above // common, below // common
        if not open_parts:
            return self._rational(*total)
        # 1 * term + 0 is the term itself.
        if len(open_parts) == 1 and open_parts[0][0] == 1 and not above:
            return open_parts[0][1]
        return self._term(("sum", tuple(sorted(open_parts, key=repr)), total), [term for _, term in open_parts])

    def _collected(self, parts: Sequence[tuple[Coefficient, int]]) -> list[tuple[Any, int]]:
        """The terms of a sum, with all rational coefficients of one term added up."""
        if len(parts) == 1:
            return list(parts)
        rational: Counter[int] = Counter()
        others: list[tuple[Any, int]] = []
        for weight, term in parts:
            if isinstance(weight, tuple):
                others.append((weight, term))
            else:
                rational[term] += Fraction(weight)  # type: ignore[assignment]
        return [(weight, term) for term, weight in rational.items() if weight != 0] + others

    def _each(self, columns: TermColumns, compute: Callable[[tuple[int, ...]], Any]) -> TermColumn:
        """`compute` of the terms of the columns at each position, for each token where the token matters."""
        known: dict[tuple[TermEntry, ...], TermEntry] = {}
        result = []
        for entries in zip(*columns, strict=True):
            if entries not in known:
                known[entries] = _joined([compute(terms) for terms in _variants(entries)])
            result.append(known[entries])
        return result

    # --- The operations of a domain ---

    def embed(self, table: Mapping[str, Coefficient]) -> TermColumn:
        """The column of a table of token values."""
        typed = _joined([self._given(table.get(token, 0)) for token in self.alphabet])
        return [typed if token is None else (self._given(table.get(token, 0)),) for token in self._sequence]

    def input(self, name: str) -> TermColumn:
        """BadInput: the model must read strings."""
        raise BadInput("strings of one length need a model with an alphabet", name, "give a model over strings")

    def positions(self, expression: Coefficient) -> TermColumn:
        """The column of a position function."""
        if not isinstance(expression, tuple):
            return [(self._given(expression),)] * len(self.rows)
        return [(self._position(expression, self._start + place),) for place in self.rows]

    def _position(self, term: Tree, i: int) -> int:
        """The term of a position function at position i."""
        try:
            return self._given(rational(term, {"i": Fraction(i), "n": Fraction(self.length)}))
        except BadInput:  # not rational, as a root: a term by itself
            return self._term(("at", term, i))

    def linear(self, terms: Sequence[tuple[TermColumn, Coefficient]], bias: Coefficient) -> TermColumn:
        """The terms of a sum of columns with weights and a bias, at each position."""
        if not terms:
            return [(self._given(bias),)] * len(self.rows)
        weights = [weight for _, weight in terms]
        return self._each(
            [column for column, _ in terms],
            lambda entries: self._sum(list(zip(weights, entries, strict=True)), bias),
        )

    def activate(self, column: TermColumn, kind: str) -> TermColumn:
        """The terms of an activation. Its value is computed where argument and value are rational numbers."""

        def compute(terms: Sequence[int]) -> int:
            """The term of the activation of one term."""
            number = self._numbers[terms[0]]
            if number is not None:
                if kind == "step":
                    return self._given(int(number > 0))
                if kind == "relu" or number == 0:
                    return self._given(max(Fraction(0), number))
            return self._term((kind, terms[0]), terms)

        if kind not in ACTIVATIONS:  # each of them is 0 at 0
            raise unknown_activation(kind)

        return self._each([column], compute)

    def multiply(self, left: TermColumn, right: TermColumn) -> TermColumn:
        """The terms of a product. Its value is computed where it is a number that is not rounded."""

        def compute(terms: Sequence[int]) -> int:
            """The term of the product of two terms."""
            first, second = (self._numbers[term] for term in terms)
            if first == 0 or second == 0:
                return self._given(0)
            if first is not None and second is not None and self._holds([first * second]):
                return self._given(first * second)
            return self._term(("product", *sorted(terms)), terms)

        return self._each([left, right], compute)

    def layer_norm(self, columns: TermColumns, epsilon: Coefficient, zero_variance: str) -> list[TermColumn]:
        """The terms of a layer norm. If it refuses a variance of zero, and no positive epsilon excludes one, `refusing`
        notes on which positions that depends."""
        share = Fraction(1, len(columns))

        def centred(entries: Sequence[int]) -> list[int]:
            """The terms of the entries minus their mean."""
            if self.bits is None:
                mean = self._sum([(share, term) for term in entries], 0)
            else:
                mean = self._over(self._sum([(1, term) for term in entries], 0), len(columns))
            return [self._sum([(1, term), (-1, mean)], 0) for term in entries]

        return self._normed(columns, centred, epsilon, zero_variance)

    def rms_norm(self, columns: TermColumns, epsilon: Coefficient, zero_square: str) -> list[TermColumn]:
        """The terms of an RMS norm; `refusing` as for a layer norm."""
        return self._normed(columns, list, epsilon, zero_square)

    def _normed(
        self, columns: TermColumns, centred: Callable[[Sequence[int]], list[int]], epsilon: Coefficient, zero: str
    ) -> list[TermColumn]:
        """The terms of a norm, which divides what `centred` makes of the entries."""

        def compute(entries: Sequence[int]) -> tuple[int, ...]:
            """The terms of the normalised entries, and the term of the root."""
            above = centred(entries)
            below = self._term(("root", self._squares(above), epsilon, zero), above)
            return *(self._over(term, below, variable=True) for term in above), below

        # At each position and token: a term for each column, and that of the root.
        rows: Any = self._each(columns, compute)
        *normed_columns, roots = [[_joined([part[k] for part in row]) for row in rows] for k in range(len(columns) + 1)]
        if zero == "refuse" and not (isinstance(epsilon, (int, Fraction)) and epsilon > 0):
            # The string has a run iff no root is zero at any position. The order of positions does not matter.
            row = self._row(range(len(roots)), (), [_signature((root,)) for root in roots], "softmax")
            self.refusing.add(self._groups[row])
        return normed_columns

    def _over(self, term: int, below: int, variable: bool = False) -> int:
        """The term of a quotient. `below` is a number, or with `variable` the number of a term."""
        if self._numbers[term] == 0:
            return term
        return self._term(("over", variable, term, below), [term, below] if variable else [term])

    def _squares(self, terms: Sequence[int]) -> Hashable:
        """A key for the sum of the squares, which does not depend on the order or the signs of the terms."""
        numbers = [number * number for term in terms if (number := self._numbers[term]) is not None]
        signless = [min(term, self._sum([(-1, term)], 0)) for term in terms if self._numbers[term] is None]
        if not self._holds(numbers) or (self.bits is not None and signless):
            return tuple(sorted(numbers)), tuple(sorted(signless))
        return sum(numbers, Fraction(0)), tuple(sorted(signless))

    def attend(
        self,
        queries: TermColumns,
        keys: TermColumns,
        values: TermColumns,
        mask: Mask,
        weighting: str,
        factor: Coefficient,
    ) -> list[TermColumn]:
        """The terms of the result of attention at each position, for each value column. A result is determined by the
        positions seen, the query, and the pairs of key and value."""
        scales = self.positions(factor) if queries else [(self._given(1),)] * len(self.rows)
        offered = list(zip(*keys, strict=True)) if keys else [()] * self.length
        if self.scores and queries:
            self.scored |= self._scored(queries, offered, mask)
        known: dict[Hashable, int] = {}
        result = []
        for value_column in values:
            signatures = [_signature((*key, value)) for key, value in zip(offered, value_column, strict=True)]
            column = []
            for number, place in enumerate(self.rows):
                sees = visible(mask, place, self.length)
                asked = tuple(query[number] for query in queries)
                terms = []
                for query in _variants((*asked, scales[number])):
                    key = (sees, query, id(value_column))
                    if key not in known:
                        known[key] = self._row(sees, query, signatures, weighting)
                    terms.append(known[key])
                column.append(_joined(terms))
            result.append(column)
        return result

    def _scored(self, queries: TermColumns, offered: Sequence[tuple[TermEntry, ...]], mask: Mask) -> Groups:
        """The groups that determine the scores of each row, up to their order: those of the queries and of the keys,
        and in each row the positions that it sees whose keys depend in one way on their tokens."""
        groups: set[int] = set()
        for number, place in enumerate(self.rows):
            asked = [query[number] for query in queries]
            if any(len(entry) > 1 for entry in asked):
                groups.add(1 << place)
            masks: dict[Any, int] = {}
            sees = visible(mask, place, self.length)
            for j in sees:
                signature = _signature(offered[j])
                if len(signature) > 1:
                    masks[signature] = masks.get(signature, 0) | 1 << j
            terms = {term for entry in (*asked, *(entry for j in sees for entry in offered[j])) for term in entry}
            groups.update(masks.values(), *(self._groups[term] for term in terms))
        return frozenset(groups)

    def _row(
        self, sees: range, query: Sequence[int], signatures: Sequence[tuple[TermEntry, ...]], weighting: str
    ) -> int:
        """The term of the result for one query and one value column.

        A signature says how key and value of a position depend on its token. The term's key has, for each signature,
        the set of seen positions with it, or only their number where neither the token nor the order matters.
        """
        if not sees:
            return self._given(0)
        # Positions with the same signature are one group. For leftmost and rightmost attention, where order matters,
        # each position is a group by itself.
        if weighting not in ("average", "softmax", "leftmost", "rightmost"):
            raise unknown_weighting(weighting)
        masks: dict[Any, int] = {}
        for j in sees:
            alone = (j,) if weighting in ("leftmost", "rightmost") else ()
            key = (signatures[j], *alone)
            masks[key] = masks.get(key, 0) | 1 << j
        if self.bits is None and all(len(signature) == 1 for signature, *_ in masks):
            own_values = {signature[0][-1] for signature, *_ in masks}
            if len(own_values) == 1:
                return own_values.pop()  # a weighted mean of equal values is that value
            if len(query) == 1:  # no scores
                shares = [(Fraction(mask.bit_count(), len(sees)), key[0][0][-1]) for key, mask in masks.items()]
                if weighting in ("average", "softmax"):
                    return self._sum(shares, 0)
        parts = {term for signature, *_ in masks for variant in signature for term in variant}
        groups = frozenset(mask for (signature, *_), mask in masks.items() if len(signature) > 1)
        # With the number of positions in place of the set, more rows have equal terms.
        what = tuple(
            (*key, mask if len(key[0]) > 1 or len(key) > 1 else mask.bit_count()) for key, mask in masks.items()
        )
        return self._term(("attend", weighting, tuple(query), tuple(sorted(what, key=repr))), [*parts, *query], groups)

    def distribution(self, columns: TermColumns) -> list[TermColumn]:
        """The terms of a softmax over the columns: one term for all, since only dependence matters."""
        rows = self._each(columns, lambda terms: self._term(("softmax", tuple(terms)), terms))
        return [rows] * len(columns)

    def positive(self, column: object) -> list[None]:
        """No verdict: only what an answer depends on is computed."""
        return [None] * len(self.rows)

    zero = largest = positive

    def show(self, value: TermEntry, digits: int) -> str:
        """The term as text."""
        return str(value)


def _variants(entries: Sequence[TermEntry]) -> list[tuple[int, ...]]:
    """The terms at one position: a row for each token, or a single row where the token does not matter."""
    token_count = max(map(len, entries), default=1)
    if token_count == 1:
        return [tuple([entry[0] for entry in entries])]
    return list(zip(*(entry * token_count if len(entry) == 1 else entry for entry in entries), strict=True)) or [()]


def _joined(terms: Sequence[Term]) -> tuple[Term, ...]:
    """The terms, or a single one where all are equal."""
    return tuple(terms[:1]) if len(terms) == 1 or all(term == terms[0] for term in terms) else tuple(terms)


def _signature(entries: Sequence[TermEntry]) -> tuple[tuple[int, ...], ...]:
    """How keys and value of one position depend on the token there."""
    return _joined(_variants(entries))


def _dyadic(x: Fraction, bits: int) -> bool:
    """Whether a number is a dyadic fraction with a mantissa of at most `bits` bits."""
    above = abs(x.numerator)
    above >>= (above & -above).bit_length() - 1 if above else 0
    return not x.denominator & (x.denominator - 1) and above.bit_length() <= bits
