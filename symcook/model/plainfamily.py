"""A family of models as it is written: sizes, tables, indexed coordinates, layers that repeat, weights as expressions.

What is read here is meant in two places that share nothing but this reading: `symcook.model.instance` makes the
Transformer at given sizes and tables, `symcook.proof.familyrel` the equations that hold at all of them, with the sizes
as names. Nothing in a file is evaluated. Standard library and the grammar only: the checker rests on it.

A *declaration* is a name, or ``all c in 1..N. at(c)``. A *form* is linear in coordinates; its coefficients are
expressions in sizes, tables, indices and ``I[...]``. A score is a sum of products (query form)*(key form). An entry of
a feed-forward part is a sum of weights times ``relu(form)``. What a layer writes is added to the stream.

Only what a theorem at all sizes needs is asked here: that weights are numbers of sizes and tables, and forms linear.
Files are read through `symcook.model.family`, which says in a sentence what else is wrong with them; of what is no
family, or of an index that leaves its range, an equation speaks of values that no instance has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from symcook.errors import BadInput
from symcook.model.expr import Tree, children, names, parse_formula, parse_term, show

ZERO: Tree = ("num", 0, 1)
ONE: Tree = ("num", 1, 1)
Scope = frozenset[str]
"""The indices that stand around an expression."""
Put = Callable[[str, tuple[Tree, ...]], Tree]


class Range(NamedTuple):
    """An index with its first and last value."""

    name: str
    low: Tree
    high: Tree


class Declared(NamedTuple):
    """A name with the ranges of its indices."""

    name: str
    over: tuple[Range, ...]

    @property
    def indices(self) -> Scope:
        return frozenset(index.name for index in self.over)


class FamilyTable(NamedTuple):
    """Entries at all indices; without an index it is one number."""

    over: tuple[Range, ...]
    sort: str
    where: tuple[Tree, ...]


class Write(NamedTuple):
    """What is added to a coordinate, at all its indices."""

    to: Declared
    form: Tree


class FamilyHead(NamedTuple):
    """`over` runs over the heads where there are several of this form."""

    over: Range | None
    score: Tree
    mask: str
    weighting: str
    scale: Tree
    temperature: Tree
    writes: tuple[Write, ...]


class Norm(NamedTuple):
    """`writes` is empty for a norm over the whole stream; gain and bias are those of every entry."""

    writes: tuple[Write, ...]
    gain: Tree
    bias: Tree
    epsilon: Tree
    zero: str


class FamilyLayer(NamedTuple):
    heads: tuple[FamilyHead, ...]
    feedforward: tuple[Write, ...]
    placement: str
    attention_norms: tuple[Norm, ...]
    feedforward_norms: tuple[Norm, ...]

    @property
    def written(self) -> list[str]:
        return [w.to.name for part in (*(h.writes for h in self.heads), self.feedforward) for w in part]

    @property
    def over(self) -> None:
        """A layer stands in the list of layers as a repetition with one round, without an index."""

    @property
    def layers(self) -> tuple[FamilyLayer]:
        return (self,)


class Repeat(NamedTuple):
    over: Range
    layers: tuple[FamilyLayer, ...]

    @property
    def written(self) -> list[str]:
        return [name for layer in self.layers for name in layer.written]


class FamilyReadout(NamedTuple):
    """`reads` are declarations; of a sign, `score` is the form that is compared with zero."""

    kind: str
    position: str
    reads: tuple[Declared, ...]
    score: Tree


class PlainFamily:
    """A family as its document says, with `choices` for what that leaves open (a weighting, say)."""

    def __init__(self, document: Mapping[str, Any], choices: Mapping[str, str] | None = None) -> None:
        e, nothing = document["embedding"], frozenset[str]()
        self.document, self.name = document, document["name"]
        self.choices = {key: tuple(many) for key, many in document.get("choices", {}).items()}
        usual = {key: many[0] for key, many in self.choices.items()}
        self.chosen: dict[str, str] = {**usual, **(choices or {})}
        self.sizes = {size: parse_formula(text) for size, text in document["sizes"].items()}
        self.tables: dict[str, FamilyTable] = {}
        self.space: dict[str, tuple[Range, ...]] = {}
        for text, entry in document.get("tables", {}).items():
            where = tuple(map(parse_formula, entry.get("where", ())))
            name, over = self._declared(text)
            self.tables[name] = FamilyTable(over, entry["values"], where)
        for text in document["space"]:
            name, over = self._declared(text)
            self.space[name] = over
        for condition in (*self.sizes.values(), *(one for table in self.tables.values() for one in table.where)):
            self.number(condition, nothing)
        self.start = e.get("start", 1)
        self.longest = None if document.get("longest") is None else self.number(document["longest"], nothing)
        self.vocabulary, self.before, self.after = (
            None if e.get(key) is None else self.number(e[key], nothing) for key in ("vocabulary", "before", "after")
        )
        self.inputs = tuple(map(self._declared, e.get("inputs") or ()))
        self.words = self._writes(e.get("words"), frozenset({"w"}))
        self.positions = self._writes(e.get("positions"), frozenset({"i", "n"}))
        self.layers = tuple(self._part(one) for one in document["layers"])
        self.readout = self._readout(document["readout"])
        attends = any(layer.heads for part in self.layers for layer in part.layers)
        self.pointwise = bool(self.inputs) and not attends and not self.positions
        """Whether it has inputs, no attention and no position function: then its values are numbers."""

    # --- names and ranges ---

    def _declared(self, text: str) -> Declared:
        """``all c in 1..N. at(c)`` as a name with ranges."""
        tree, over = (parse_formula if text.startswith("all ") else parse_term)(text), tuple[Range, ...]()
        while tree[0] == "all in":
            over, tree = (*over, self._range(tree[1:4], Declared("", over).indices)), tree[4]
        args = tuple(("name", index.name) for index in over)
        if tree[0] not in ("name", "call") or tree[2:] != ((args,) if args else ()):
            raise BadInput("a declaration must read NAME or all c in 1..N. NAME(c)", text)
        return Declared(tree[1], over)

    def _range(self, given: Sequence[Any] | str, scope: Scope) -> Range:
        """``t in 1..D``, or its three parts."""
        name, low, high = parse_formula(f"all {given}. true")[1:4] if isinstance(given, str) else given
        return Range(name, self.number(low, scope), self.number(high, scope))

    # --- forms ---

    def number(self, given: str | Tree, scope: Scope) -> Tree:
        """An expression without coordinates, over sizes, tables and the indices of `scope`."""
        tree = parse_term(given) if isinstance(given, str) else given
        if self._reads(tree):
            raise BadInput("an index, end or weight must not read a coordinate", show(tree))
        alone = {name for name, table in self.tables.items() if not table.over}
        if strange := names(tree) - self.sizes.keys() - alone - scope:
            raise BadInput("a weight must use sizes, tables, indices and coordinates", min(strange))
        return tree

    def _reads(self, tree: Tree) -> bool:
        """Whether a coordinate is in a tree."""
        return (tree[0] in ("name", "call") and tree[1] in self.space) or any(map(self._reads, children(tree)))

    def linear(self, tree: Tree, scope: Scope, degree: int, put: Put = lambda name, args: ("call", name, args)) -> Tree:
        """The tree of a form (degree 1) or a feed-forward entry (2) with each coordinate replaced by what `put` makes
        of its name and indices (ZERO where it is zero there). BadInput where it is no such thing."""
        made, found = self._linear(tree, scope, degree, put)
        if found not in (degree, 0 if made == ZERO or degree == 2 else degree):
            must = ("", "a form must be linear, without a constant",
                    "an entry must be a sum of weights times relu(form)")[degree]  # fmt: skip
            raise BadInput(must, show(tree))
        return made

    def _linear(self, tree: Tree, scope: Scope, degree: int, put: Put) -> tuple[Tree, int]:
        tag = tree[0]
        if not self._reads(tree):
            return self.number(tree, scope), 0
        if tag in ("name", "call") and tree[1] in self.space:
            args = tree[2] if tag == "call" else ()
            if len(args) != len(self.space[tree[1]]):
                raise BadInput("a coordinate must have all its indices", show(tree))
            return put(tree[1], tuple(self.number(a, scope) for a in args)), 1
        if tag == "call" and tree[1] == "relu" and degree == 2:  # of a form with a bias
            return ("call", "relu", (self._linear(tree[2][0], scope, 3, put)[0],)), 2
        if tag == "sum":
            over = self._range(tree[1:4], scope)
            body, found = self._linear(tree[4], scope | {over.name}, degree, put)
            return (ZERO if body == ZERO else (tag, *over, body)), found
        if tag not in ("+", "-", "neg", "*", "/"):
            raise BadInput("a form must be linear", show(tree))
        kids, degrees = zip(*(self._linear(kid, scope, degree, put) for kid in tree[1:]), strict=True)
        found, both = max(degrees), {*degrees}
        mixed = tag in ("+", "-") and (both == {1, 2} or (both == {0, 1} and degree == 1 and ZERO not in kids))
        if mixed or (tag == "*" and min(both)) or (tag == "/" and degrees[1]):
            raise BadInput("a form must be linear" + ", without a constant" * (both == {0, 1}), show(tree))
        if tag in ("+", "-") and ZERO in kids:
            left, right = kids
            return (left if right == ZERO else right if tag == "+" else ("neg", right)), found
        return (ZERO if ZERO in (kids if tag == "*" else kids[:1]) else (tag, *kids)), found

    def products(self, tree: Tree, scope: Scope) -> Iterator[tuple[list[Range], Tree, Tree, int]]:
        """The products (query form)*(key form) of a score, each with the sums around it and its sign."""
        tag = tree[0]
        if tree == ZERO:
            return
        if tag in ("+", "-"):
            yield from self.products(tree[1], scope)
            yield from ((o, q, k, s if tag == "+" else -s) for o, q, k, s in self.products(tree[2], scope))
        elif tag == "neg":
            yield from ((o, q, k, -s) for o, q, k, s in self.products(tree[1], scope))
        elif tag == "sum":
            over = self._range(tree[1:4], scope)
            yield from (([over, *o], q, k, s) for o, q, k, s in self.products(tree[4], scope | {over.name}))
        elif tag == "*":
            for form in tree[1:]:
                self.linear(form, scope, 1)
            yield [], tree[1], tree[2], 1
        else:
            raise BadInput("a score must be a sum of products (query form)*(key form)", show(tree))

    # --- parts ---

    def _writes(self, given: Mapping[str, str] | None, scope: Scope | None = None) -> tuple[Write, ...]:
        """What is written, at all indices of its declaration; with a `scope`, numbers."""
        made = self._named(given)
        for key, one in zip(given or (), made, strict=True):
            if one.to.name not in self.space:
                raise BadInput("a coordinate must be declared in the space", key)
            if self.space[one.to.name] != one.to.over:
                raise BadInput("a write must cover the whole range of its coordinate", key)
            if scope is not None:
                self.number(one.form, scope | one.to.indices)
        return made

    def _named(self, given: Mapping[str, str] | None) -> tuple[Write, ...]:
        return tuple(Write(self._declared(key), parse_term(text)) for key, text in (given or {}).items())

    def _part(self, given: Mapping[str, Any]) -> FamilyLayer | Repeat:
        if "for" not in given:
            return self._layer(given, frozenset())
        over = self._range(given["for"], frozenset())
        return Repeat(over, tuple(self._layer(one, frozenset({over.name})) for one in given["layers"]))

    def _layer(self, given: Mapping[str, Any], scope: Scope) -> FamilyLayer:
        first, second = (
            tuple(self._norm(one, scope) for one in given.get(key, ()))
            for key in ("attention_norms", "feedforward_norms")
        )
        heads = tuple(self._head(one, scope) for one in given.get("attention") or ())
        return FamilyLayer(heads, self._writes(given.get("feedforward")), given.get("placement", "none"), first, second)

    def _head(self, given: Mapping[str, Any], scope: Scope) -> FamilyHead:
        over = self._range(given["for"], scope) if "for" in given else None
        scope |= {over.name} if over else set()
        mask, weighting = (self.chosen.get(one, one) for one in (str(given["mask"]), str(given["weighting"])))
        scale = self.number(given.get("scale", "1"), scope)
        temperature = self.number(given.get("temperature", "1"), scope | {"i", "n"})
        score, writes = parse_term(given["score"]), self._writes(given["writes"])
        return FamilyHead(over, score, mask, weighting, scale, temperature, writes)

    def _norm(self, given: Mapping[str, Any], scope: Scope) -> Norm:
        usual = {"gain": "1", "bias": "0"}
        gain, bias, epsilon = (self.number({**usual, **given}[key], scope) for key in ("gain", "bias", "epsilon"))
        return Norm(self._named(given.get("writes")), gain, bias, epsilon, given["zero_variance"])

    def _readout(self, given: Mapping[str, Any]) -> FamilyReadout:
        reads = [given["scores"]] if given["kind"] == "largest" else given.get("reads", ())
        score = parse_term(given["score"]) if given["kind"] == "sign" else ZERO
        return FamilyReadout(given["kind"], given["position"], tuple(map(self._declared, reads)), score)

    @contextmanager
    def reading(self, norms: Sequence[Norm]) -> Iterator[None]:
        """What a block behind `norms` reads may also be what they write."""
        space = self.space
        self.space = {**space, **{w.to.name: w.to.over for norm in norms for w in norm.writes}}
        try:
            yield
        finally:
            self.space = space
