"""Runs that round: what a machine may hold that does each operation of a run with relative error at most u.

In a statement, ``run(rounded-NAME; u)`` stands for the run of a stored model on such a machine, and
``names(rounded-NAME)`` for the quantified names: those of the exact run, and those of what the machine computes between
them. ``run(rounded-NAME; u, v)`` allows an absolute error v besides, for underflow. ``accept(rounded-NAME)`` is the
condition of the output layer. For a family, ``rounded-family-NAME`` stands in the place of the name, and sizes, tables
and choices follow as in `familyrel`: ``run(rounded-family-max; u; K = 2)``. All of it is written out before a statement
is read. ``run(floats-NAME; u)`` states besides that whole numbers up to 1/u are kept (`FLOATS`).

The exact run is a list of typed definitions (`definitions`). Each becomes an inequality between held numbers, with the
errors of `roundedterms`. A block holds some numbers that the exact run does not name:

    unit     what an activation is applied to           under    what the root of a norm is taken of
    score    the score of row i at position j           away     the score less the shift of its row
    spread   an entry of a norm that is itself a sum    share    the exponential of it
    logit    the sum that an output layer looks at      total    the sum of the shares of a row

`INSIDE` lists the arithmetics that satisfy these inequalities, `OUTSIDE` those that may not. Trusted. Standard library
only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import reduce
from typing import TYPE_CHECKING

from symcook.errors import BadInput
from symcook.model.expr import ARITY, Tree, children, names, parse_term, show, valid_name
from symcook.model.plainfamily import Range
from symcook.proof import familyrel
from symcook.proof.definitions import (
    EmbeddingRow,
    FormsRow,
    HardRow,
    HeadRow,
    HiddenUnit,
    MeanRow,
    NormDeviation,
    NormEntry,
    NormMean,
    PartsRow,
    Row,
    RunDefinition,
    SoftRow,
    UnitsRow,
    quantified,
)
from symcook.proof.familyrel import FamilyRelation
from symcook.proof.records import ROUNDED_CALL
from symcook.proof.roundedterms import (
    ONE,
    ZERO,
    CountSum,
    ErrorRules,
    NearTerm,
    Wholeness,
    absolute,
    exactly,
    held,
    integer,
)
from symcook.proof.runtext import conjunction, rational
from symcook.proof.runvalues import Bracketed, Combination, Expressed, RangedEntries, Score, ValueAt

if TYPE_CHECKING:
    from symcook.proof.runrel import Relation

FUNCTION = 4
"""The roundings that an exponential costs, or a value of the error function."""
EXPONENT = 3
"""The roundings of the argument of an exponential: a difference, and a product with log2(e), which is stored."""
FLOATS = (
    "the same, in binary floats of p bits, with u = 2^-p rounded to nearest, and 2^(1 - p) otherwise",
    "sums and products of whole numbers are exact as long as none is larger than 1/u",
    "a mean is divided by its weight after it is summed",
)
"""What a run in floats satisfies besides."""
INSIDE = (
    "rounding to nearest, toward zero, at random, or by an adversary, after each operation or once after several",
    "any order of the terms of a linear map with its bias, and of the residual that is added to it",
    "any order of the sum over positions, with fused or separate products",
    "division before or after a sum, or a product with a rounded inverse",
    f"exponentials with base e or 2 and values of erf within {FUNCTION} roundings, and any shift of a row of scores",
)
"""The arithmetics whose runs satisfy the inequalities."""
OUTSIDE = (
    "overflow; underflow, unless the run has an absolute error v",
    "fixed point and integers, and floats whose mantissa is not normalised",
    "the variance of a layer norm as a difference of moments, and entries less the mean after they are scaled",
    "sums of softmax weights that are rescaled when a larger score comes",
    "queries, keys and values that are not computed before they are multiplied and summed",
    "activations other than relu, step and gelu, and approximations of gelu",
)
"""What may break the inequalities."""
Ranges = tuple[Range, ...]


def expand(text: str, relation: Callable[[str], Relation]) -> str:
    """`text` with what it states of runs that round written out. `relation` gives the run relation of a stored model.

    Raises BadInput for errors that are not a name or a number between 0 and 1, and for a block without a rule.
    """

    def written(match: re.Match[str]) -> str:
        word, arithmetic, name, listed = match.groups()
        arguments = [part.strip() for part in listed.split(";")[1:]]
        if word == "run" and not arguments:
            raise BadInput("a run that rounds must have its relative error, as in run(rounded-NAME; u)", match[0])
        errors = _errors(arguments.pop(0)) if word == "run" else ()
        if arithmetic == "floats" and len(errors) > 1:
            raise BadInput("a run in floats must have a relative error only", match[0])
        made = RoundedRun(_relation(name, arguments, relation), errors, arithmetic == "floats")
        if word == "names":
            return ", ".join(made.names)
        return f"({made.text if word == 'run' else made.accept(*_places(arguments))})"

    return ROUNDED_CALL.sub(written, text)


def _relation(name: str, arguments: list[str], relation: Callable[[str], Relation]) -> Relation | FamilyRelation:
    """The exact run relation of a stored model or a family."""
    if name.startswith("family-"):
        values, prefix = (*arguments, "", "")[:2]
        return familyrel.at_values(name.removeprefix("family-"), values, prefix)
    if arguments:
        raise BadInput("a run of a stored model must have no arguments but its errors", "; ".join(arguments))
    return relation(name)


def _places(arguments: list[str]) -> list[str]:
    return [one.strip() for one in (*arguments, "", "", "")[2].split(",") if one.strip()]


def _errors(text: str) -> tuple[Tree, ...]:
    """The relative error, and the absolute one where it is given."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 2:
        raise BadInput("a run that rounds must have a relative error, and at most an absolute one after it", text)
    for part in parts:
        value = rational(part)
        if not valid_name(part) and (value is None or not 0 < value < 1):
            raise BadInput("an error of a run that rounds must be a name, or a number between 0 and 1", part)
    return tuple(map(parse_term, parts))


class RoundedRun:
    """The rounded run of a relation: its inequalities, and the names besides those of the exact run."""

    def __init__(
        self, relation: Relation | FamilyRelation, errors: tuple[Tree, ...] = (), floats: bool = False
    ) -> None:
        self.relation, self.new = relation, dict[str, str]()
        self.arithmetic = ErrorRules(*(errors or (("name", "u"),)), floats=floats)
        self.made: dict[object, Tree] = {}  # what one block computes once
        self.functions = frozenset(relation.functions)
        self.parts = [one.text for one in relation.whole.before]
        for one in relation.definitions:
            self.scope, self.block = one.over, one.block
            self.definition(one)
        self.parts += [one.text for one in relation.whole.after]
        self.decided = self.readout()
        for error in errors:
            if taken := names(error) & {*relation.used, *self.functions, *self.new, "i", "j", "k", "n", "w"}:
                raise BadInput("the error of a run that rounds must have a name that the run has not", min(taken))

    @property
    def names(self) -> list[str]:
        """The quantified names with their sorts."""
        return [*self.relation.names, *(self.put(f"{name}:{sort}") for name, sort in self.new.items())]

    @property
    def text(self) -> str:
        """What stands for the run."""
        return self.put(conjunction(list(dict.fromkeys(self.parts))) or "true")

    def accept(self, *at: str) -> str:
        """The condition of the output layer."""
        if self.decided is None:
            return self.relation.accept(*at)
        logit = self.decided
        return self.put(self.relation.positive(lambda place: show(_at(logit, "i", parse_term(place))), *at))

    def put(self, text: str) -> str:
        """The text of a family at its values, with the prefix before the names that are left."""
        return self.relation._put(text, self.new) if isinstance(self.relation, FamilyRelation) else text

    def rule(self, what: str, given: object) -> BadInput:
        """That something has no rule here."""
        return BadInput(f"a run that rounds must have a rule for each {what}", given)

    # --- names and inequalities ---

    def definition(self, one: RunDefinition) -> None:
        """The inequality for one definition."""
        row, name = one.row, parse_term(one.value.at("i", one.call))
        old = [] if row.old is None else [self.at(row.old)]
        if isinstance(row, HeadRow):
            text = self.guarded(row, name, old)
        elif isinstance(row, NormEntry):
            text = self.normed(row, name)
        elif isinstance(row, NormDeviation):
            under = self.named("under", one.function, self.variance(row))
            root: Tree = ("call", "sqrt", (under,))
            text = self.arithmetic.near(name, self.arithmetic.function(root, root, 1))
        else:
            text = self.arithmetic.near(name, self.arithmetic.added([*old, *self.terms(row)]))
        self.say(self.scope, text)

    def say(self, scope: Ranges, text: str) -> None:
        """One part of the run, at all indices."""
        self.parts.append(f"({quantified(scope, text)})" if scope else text)

    def named(self, stem: str, key: object, at: NearTerm, scope: Ranges | None = None) -> Tree:
        """The name of what a machine holds of a term: the same for what one block computes once."""
        if (stem, key) not in self.made:
            scope = self.scope if scope is None else scope
            self.made[stem, key] = name = self.fresh(stem, scope)
            self.say(scope, self.arithmetic.near(name, at))
        return self.made[stem, key]

    def fresh(self, stem: str, scope: Ranges) -> Tree:
        """A name that the run has not, with its indices."""
        while stem in self.relation.used or stem in self.functions or stem in self.new:
            stem += "_"
        self.new[stem] = "*".join(["Int"] * len(scope)) + "->" * bool(scope) + "Real"
        return ("call", stem, tuple(("name", one.name) for one in scope)) if scope else ("name", stem)

    def readout(self) -> Tree | None:
        """The name of the sum that a readout looks at; None where its sign is that of the exact sum of held numbers: of
        one number, or of two with weights that are powers of two."""
        if self.relation.looks[0] != "sign":
            return None
        self.scope, self.block = self.relation.positions, None
        at = self.at(self.relation.logit)
        of_one = isinstance(self.relation.logit, Combination) and len(self.relation.logit.terms) < 2
        if at.exact or of_one or (at.count == CountSum(0) and at.leaves == CountSum(2)):
            return None
        return self.named("logit", None, at)

    # --- values ---

    def term(self, value: ValueAt, place: str = "i") -> Tree:
        """The exact value as a term."""
        return parse_term(value.at(place, self.relation.call))

    def at(self, value: ValueAt, place: str = "i") -> NearTerm:
        """What a machine computes of a value at a position."""
        make = self.arithmetic
        if isinstance(value, Bracketed):
            return self.at(value.value, place)
        if isinstance(value, Combination):
            return make.added(make.weighted(w, held(parse_term(self.relation.call(f, place)))) for w, f in value.terms)
        if isinstance(value, Score):
            return self.score(value, place)
        if isinstance(value, HiddenUnit):
            inside = make.added([self.at(value.inside), *self.bias(value.bias)])
            return self.activated(value.activation, id(value), inside, self.scope)
        if isinstance(value, Expressed):
            return self.walk(value.tree, self.scope)
        raise self.rule("value", type(value).__name__)

    def score(self, value: Score, place: str) -> NearTerm:
        """A sum of products of queries and keys, with its scale and temperature."""
        make = self.arithmetic
        at = make.added(make.product(self.at(query), self.at(key, place)) for query, key in value.products)
        if value.factor:
            scale, temperature = value.factor
            at = make.weighted(scale, make.computed(at))
            if temperature != "1":
                below = make.number(temperature)
                at = make.quotient(at, below.value, below.count.number)
        return at

    def bias(self, text: str) -> list[NearTerm]:
        """A bias, if it is not zero."""
        return [] if text == "0" else [self.arithmetic.number(text)]

    def activated(self, activation: str, key: object, inside: NearTerm, scope: Ranges) -> NearTerm:
        """An activation of a held number."""
        if not inside.exact:
            inside = held(self.named("unit", key, inside, scope))
        x = inside.value
        if activation == "relu":
            return exactly(("call", "relu", (x,)), whole=Wholeness((integer(x),)))
        if activation == "step":
            return exactly(("ind", ("<", ZERO, x)))
        if activation != "gelu":
            raise self.rule("activation", activation)
        # Roundings: sqrt(2) stored, a quotient, erf, a sum, a product. As erf is concave from 0 on, a relative error of
        # its argument is at most the same relative error of its value.
        bell: Tree = ("call", "erf", (("/", x, ("call", "sqrt", (("num", 2, 1),))),))
        half: Tree = ("/", x, ("num", 2, 1))
        size: Tree = ("*", absolute(half), ("+", ONE, absolute(bell)))
        return self.arithmetic.function(("*", half, ("+", ONE, bell)), size, 3 + FUNCTION + 1 + 1)

    def terms(self, row: Row) -> list[NearTerm]:
        """What is added to the old value."""
        make = self.arithmetic
        if isinstance(row, EmbeddingRow):
            position = [] if row.position is None else [make.listed(parse_term(row.position))]
            return [*self.token(row.tokens), *position]
        if isinstance(row, UnitsRow):
            return [*(make.weighted(w, self.at(unit)) for w, unit in row.units), *self.bias(row.bias)]
        if isinstance(row, PartsRow):
            return [self.at(head) for head in row.heads]
        if isinstance(row, FormsRow):
            return [self.form(parse_term(form)) for form in row.forms]
        if isinstance(row, NormMean):
            if isinstance(row.entries, RangedEntries):
                return [self.ranged(row.entries, lambda at: at)]
            values = [self.spread(entry) for entry in row.entries.parts()]
            return [make.quotient(make.added(values), ("num", len(values), 1), 1)]
        raise self.rule("part", type(row).__name__)

    def token(self, tokens: tuple[tuple[str, int], ...]) -> list[NearTerm]:
        """What the table of tokens has: one of its entries, as it is stored."""
        make = self.arithmetic

        def entry(value: str, k: int) -> NearTerm:
            mark: Tree = ("ind", ("=", parse_term("w(i)"), ("num", k, 1)))
            return make.weighted(value, exactly(mark))._replace(count=make.number(value).count)

        return [make.added(entry(*token) for token in tokens)._replace(leaves=CountSum(1))] if tokens else []

    # --- norms ---

    def spread(self, entry: ValueAt) -> NearTerm:
        """An entry of a norm as a held number."""
        at = self.at(entry)
        return at if at.exact else held(self.named("spread", id(entry), at))

    def away(self, entry: NearTerm, mean: ValueAt) -> NearTerm:
        """An entry less the mean, which is computed first."""
        return self.arithmetic.computed(self.arithmetic.added([entry, held(self.term(mean)).negated()]))

    def normed(self, row: NormEntry, name: Tree) -> str:
        """What a norm makes of an entry; `row.gain` is "#", "-#" or "(weight)*#"."""
        make, below = self.arithmetic, self.term(row.deviation)
        value = self.away(self.spread(row.entry), row.mean)
        if row.gain not in ("#", "-#"):
            value = make.weighted(row.gain.removesuffix("*#"), value)
        value = make.quotient(value.negated() if row.gain == "-#" else value, below)
        text = make.near(name, make.added([value, *map(make.number, row.bias)]))
        if not row.zero:
            return text
        bias = make.near(name, make.added(map(make.number, row.bias)))
        return f"({show(below)} != 0 -> {text}) & ({show(below)} = 0 -> {bias})"

    def variance(self, row: NormDeviation) -> NearTerm:
        """What the root of a norm is taken of."""
        make = self.arithmetic

        def square(at: NearTerm) -> NearTerm:
            away = self.away(at, row.mean)
            return make.product(away, away)

        if isinstance(row.entries, RangedEntries):
            under = self.ranged(row.entries, square)
        else:
            squares = [square(self.spread(entry)) for entry in row.entries.parts()]
            under = make.quotient(make.added(squares), ("num", len(squares), 1), 1)
        return make.added([under, *map(make.number, row.epsilon)])

    def ranged(self, entries: RangedEntries, each: Callable[[NearTerm], NearTerm]) -> NearTerm:
        """The mean of what is made of each entry, at all its indices."""
        sums, outer = [], self.scope
        for to, entry in entries.entries:
            self.scope = (*outer, *to.over)
            at = each(self.spread(entry))
            self.scope = outer
            sums.append(reduce(self.over_index, reversed(to.over), at))
        return self.arithmetic.quotient(self.arithmetic.added(sums), parse_term(entries.count), 1)

    def over_index(self, at: NearTerm, index: Range) -> NearTerm:
        """A sum over an index, which may have no value: one leaf more keeps its count above zero."""
        summed = self.arithmetic.summed(index, at, ("+", ("-", index.high, index.low), ONE))
        return summed._replace(leaves=summed.leaves.plus(CountSum(1)))

    # --- heads ---

    def guarded(self, row: HeadRow, name: Tree, old: list[NearTerm]) -> str:
        """What a head adds; a row that sees nothing keeps the old value exactly."""
        text = self.arithmetic.near(name, self.arithmetic.added([*old, self.head(row)]))
        if row.seen.empty is None:
            return text
        kept = f"{show(name)} = {show(old[0].value) if old else '0'}"
        return f"(i != {row.seen.empty} -> {text}) & (i = {row.seen.empty} -> {kept})"

    def head(self, row: HeadRow) -> NearTerm:
        """The mean of a value over a window."""
        make, outer = self.arithmetic, self.scope
        low, high, size = (parse_term(text) for text in row.seen[:3])
        window = Range("j", low, high)
        self.scope = (*outer, window)
        try:
            value = make.computed(self.at(row.value, "j"))
            if isinstance(row, MeanRow):
                return make.quotient(make.summed(window, value, size), size, 1)
            if isinstance(row, HardRow):
                weight = self.best(row, window)
                if row.ties != "average":  # a sum with zeros is exact
                    return make.summed(window, make.scaled(exactly(weight), value, True), ONE)._replace(
                        leaves=CountSum(1)
                    )
                tied: Tree = ("sum", *window, weight)
                return make.quotient(make.summed(window, make.scaled(exactly(weight), value, True), tied), tied, 1)
            if isinstance(row, SoftRow):
                share, total = self.shares(row, window, size)
                return make.quotient(make.summed(window, make.product(held(share), value), size), total)
        finally:
            self.scope = outer
        raise self.rule("head", type(row).__name__)

    def scored(self, score: ValueAt, window: Range) -> Tree:
        """The score of row i at j: the same for all that the head writes."""
        outer, self.scope = self.scope, (*self.rows, window)
        try:
            return self.named("score", self.block, self.at(score, "j"))
        finally:
            self.scope = outer

    @property
    def rows(self) -> Ranges:
        """The indices that the rows of a head have."""
        return (*(self.block.over if self.block else ()), *self.relation.positions)

    def shares(self, row: SoftRow, window: Range, size: Tree) -> tuple[Tree, Tree]:
        """The share of a position and the sum of the shares of a row."""
        make, key = self.arithmetic, self.block
        if ("share", key) not in self.made:
            score = self.scored(row.score, window)
            shift = self.made["shift", key] = self.fresh("shift", self.rows)
            less: Tree = ("-", score, shift)
            pairs = (*self.rows, window)
            away = self.named("away", key, make.function(less, absolute(less), EXPONENT), pairs)
            power: Tree = ("call", "exp", (away,))
            share = self.named("share", key, make.function(power, power, FUNCTION), pairs)
            self.named("total", key, make.summed(window, held(share), size), self.rows)
        return self.made["share", key], self.made["total", key]

    def best(self, row: HardRow, window: Range) -> Tree:
        """1 at the positions with the largest score, as it is held."""
        if row.score is None:
            return parse_term(row.weight(self.relation.call) or "1")
        here = self.scored(row.score, window)
        other = _at(here, "j", ("name", "k"))
        order: Tree = ("<=", other, here)
        if row.ties != "average":
            before: tuple[Tree, Tree] = ("name", "k"), ("name", "j")
            tied = before if row.ties == "leftmost" else before[::-1]
            order = ("&", order, ("->", ("<", *tied), ("<", other, here)))
        return ("ind", ("all in", "k", window.low, window.high, order))

    # --- terms of a family ---

    def form(self, tree: Tree) -> NearTerm:
        """A term that the embedding or a feed-forward block of a family adds; without a held number in it, it is one
        entry of a table or a bias."""
        return self.walk(tree, self.scope) if self.reads(tree) else self.arithmetic.listed(tree)

    def reads(self, tree: Tree) -> bool:
        """Whether a held number is in it."""
        return any(one in self.functions for one in _named(tree))

    def walk(self, t: Tree, scope: Ranges) -> NearTerm:
        """A term of held numbers, indices and entries of tables."""
        make, tag = self.arithmetic, t[0]
        if tag == "num":
            return make.number(show(t))
        if tag in ("name", "call") and t[1] in self.functions:
            return held(t)
        if tag == "ind":
            return exactly(t)
        if tag == "neg":
            return self.walk(t[1], scope).negated()
        if tag == "+":
            return make.added([self.walk(t[1], scope), self.walk(t[2], scope)])
        if tag == "-":
            return make.added([self.walk(t[1], scope), self.walk(t[2], scope).negated()])
        if tag == "*":
            return self.times(t, scope)
        if tag == "/" and not self.reads(t[2]):
            below = make.listed(t[2])
            return make.quotient(self.walk(t[1], scope), below.value, below.count.number, below.size)
        if tag == "^" and t[2][0] == "num" and t[2][1] > 0:
            return make.power(self.walk(t[1], scope), t[2][1])
        if tag == "sum":
            index = Range(*t[1:4])
            return self.over_index(self.walk(t[4], (*scope, index)), index)
        if tag == "call" and t[1] == "relu":
            return self.activated("relu", len(self.parts), self.walk(t[2][0], scope), scope)
        if not self.reads(t) and (tag == "name" or (tag == "call" and (t[1] in ("sqrt", "pow") or t[1] not in ARITY))):
            return make.listed(t)  # a size, an index, or the entry of a table
        raise self.rule("term", show(t))

    def times(self, t: Tree, scope: Ranges) -> NearTerm:
        """A product, of which one factor may be a weight."""
        a, b = (self.walk(part, scope) for part in t[1:])
        exact = any(part[0] in ("num", "ind") and at.exact for part, at in ((t[1], a), (t[2], b)))
        if a.leaves == CountSum(1) and not self.reads(t[1]):
            return self.arithmetic.scaled(a, b, exact)
        return self.arithmetic.product(a, b, exact)


def _named(tree: Tree) -> Iterator[str]:
    """The names and functions in a term."""
    if tree[0] in ("name", "call"):
        yield tree[1]
    for part in children(tree):
        yield from _named(part)


def _at(call: Tree, index: str, place: Tree) -> Tree:
    """A value with another index."""
    if call[0] == "name":
        return call
    return (*call[:2], tuple(place if one == ("name", index) else one for one in call[2]))
