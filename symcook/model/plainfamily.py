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

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from symcook.errors import BadInput, all_read, chosen
from symcook.model.expr import Tree, children, names, parse_formula, parse_term, show

ZERO: Tree = ("num", 0, 1)
ONE: Tree = ("num", 1, 1)
_KEYS = {
    "a family": "name sizes choices tables space embedding longest layers readout source summary meanings",
    "a table": "values where",
    "an embedding": "vocabulary inputs words positions start before after",
    "a repetition": "for layers",
    "a layer": "attention feedforward placement attention_norms feedforward_norms",
    "a head": "for score mask weighting scale temperature writes",
    "a layer norm": "writes gain bias epsilon zero_variance",
}
"""The keys of a document that are read here, or that are for people alone (the last three of a family); any other is
refused."""
READOUTS = {"value": "reads", "zero": "reads", "sign": "score", "largest": "scores"}
"""For each kind of readout, the key that says what it reads."""
Scope = frozenset[str]
"""The indices that stand around an expression."""
PutTree = Callable[[str, tuple[Tree, ...]], Tree]
"""What stands for a coordinate, by its name and indices; ZERO where it is zero."""


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
    """`over` has the index of the heads where there are several of this form."""

    over: tuple[Range, ...]
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


class Repeat(NamedTuple):
    """Layers with the index of their rounds; a layer that stands alone has none."""

    over: tuple[Range, ...]
    layers: tuple[FamilyLayer, ...]

    @property
    def written(self) -> list[str]:
        parts = (part for layer in self.layers for part in (*(h.writes for h in layer.heads), layer.feedforward))
        return [write.to.name for part in parts for write in part]


class FamilyReadout(NamedTuple):
    """`reads` are declarations; of a sign, `score` is the form that is compared with zero."""

    kind: str
    position: str
    reads: tuple[Declared, ...]
    score: Tree


def _known(what: str, given: Mapping[str, Any]) -> None:
    """BadInput where a part of the document has a key that is not read here."""
    all_read("the reader of families", what, given, _KEYS[what].split())


def summed(tree: Tree) -> frozenset[str]:
    """The indices of the sums in a tree."""
    return frozenset(tree[1:2] if tree[0] == "sum" else ()).union(*map(summed, children(tree)))


class PlainFamily:
    """A family as its document says, with `choices` for what that leaves open (a weighting, say)."""

    def __init__(self, document: Mapping[str, Any], choices: Mapping[str, str] | None = None) -> None:
        e, nothing = document["embedding"], frozenset[str]()
        self.document, self.name = document, document["name"]
        _known("a family", {key: value for key, value in document.items() if key != "symcook family"})
        _known("an embedding", e)
        self.choices = {key: tuple(many) for key, many in document.get("choices", {}).items()}
        self.chosen = {key: str((choices or {}).get(key, many[0])) for key, many in self.choices.items()}
        # Sizes and tables with their conditions, then coordinates: forms are read with these names.
        self.sizes = {size: parse_formula(text) for size, text in document["sizes"].items()}
        self.tables: dict[str, FamilyTable] = {}
        self.known = set[str]()  # what forms read: coordinates, and what norms make
        for text, entry in document.get("tables", {}).items():
            _known("a table", entry)
            name, over = self._declared(text)
            self.tables[name] = FamilyTable(over, entry["values"], tuple(map(parse_formula, entry.get("where", ()))))
        self.space = dict(map(self._declared, document["space"]))
        self.known |= self.space.keys()
        for condition in (*self.sizes.values(), *(one for table in self.tables.values() for one in table.where)):
            self.number(condition, nothing)
        # The embedding, the layers and the readout, in the order of a run.
        self.start = e.get("start", 1)
        ends = (document.get("longest"), *map(e.get, ("vocabulary", "before", "after")))
        numbers = [None if end is None else self.number(end, nothing) for end in ends]
        self.longest, self.vocabulary, self.before, self.after = numbers
        self.inputs = tuple(map(self._declared, e.get("inputs") or ()))
        self.words = self._writes(e.get("words") or {}, frozenset({"w"}))
        self.positions = self._writes(e.get("positions") or {}, frozenset({"i", "n"}))
        self.layers = tuple(map(self._part, document["layers"]))
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

    def _range(self, given: Sequence[Any], scope: Scope) -> Range:
        """A range by its three parts."""
        return Range(given[0], self.number(given[1], scope), self.number(given[2], scope))

    def _for(self, given: Mapping[str, Any], scope: Scope) -> tuple[Range, ...]:
        """The index of rounds or heads, where there is one."""
        return (self._range(parse_formula(f"all {given['for']}. true")[1:4], scope),) if "for" in given else ()

    # --- forms ---

    def number(self, given: str | Tree, scope: Scope) -> Tree:
        """An expression without coordinates, over sizes, tables and the indices of `scope`."""
        tree = parse_term(given) if isinstance(given, str) else given
        if self.reads(tree):
            raise BadInput("an index, end or weight must not read a coordinate", show(tree))
        if strange := names(tree) - self.sizes.keys() - self.tables.keys() - scope:
            raise BadInput("a weight must use sizes, tables, indices and coordinates", min(strange))
        return tree

    def reads(self, tree: Tree) -> bool:
        """Whether a coordinate is in a tree."""
        return (tree[0] in ("name", "call") and tree[1] in self.known) or any(map(self.reads, children(tree)))

    def form(self, tree: Tree, scope: Scope, put: PutTree, constant: bool = False) -> Tree:
        """A form with each coordinate replaced by what `put` makes of it, ZERO where all of it is zero. BadInput where
        it is not linear, or has a constant that may not stand there."""

        def coordinate(one: Tree, inside: Scope) -> Tree | None:
            if one[0] not in ("name", "call") or one[1] not in self.known:
                return None
            return put(one[1], tuple(self.number(index, inside) for index in children(one)))

        return self._linear(tree, scope, coordinate, constant)

    def entry(self, tree: Tree, scope: Scope, put: PutTree) -> Tree:
        """The same of an entry of a feed-forward part, a sum of weights times relu(form), and of numbers."""

        def unit(one: Tree, inside: Scope) -> Tree | None:
            if one[0] == "name" or (one[0] == "call" and one[1] != "relu"):
                raise BadInput("an entry must be a sum of weights times relu(form)", show(tree))
            return ("call", "relu", (self.form(one[2][0], inside, put, True),)) if one[0] == "call" else None

        return self._linear(tree, scope, unit, True)

    def score(self, tree: Tree, scope: Scope, query: PutTree, key: PutTree) -> Tree:
        """The same of a score, a sum of products (query form)*(key form)."""

        def product(one: Tree, inside: Scope) -> Tree | None:
            if one[0] in ("name", "call"):
                raise BadInput("a score must be a sum of products (query form)*(key form)", show(tree))
            made = [self.form(one[1], inside, query), self.form(one[2], inside, key)] if one[0] == "*" else []
            return ZERO if ZERO in made else ("*", *made) if made else None

        return self._linear(tree, scope, product, False)

    def _linear(self, tree: Tree, scope: Scope, atom: Callable[[Tree, Scope], Tree | None], constant: bool) -> Tree:
        """A sum of numbers times atoms, with what `atom` makes of them; it has a number alone where `constant`."""
        tag = tree[0]
        # No coordinate in it: a number, which may stand alone only where a constant may.
        if not self.reads(tree):
            if not constant and tree != ZERO:
                raise BadInput("a form must be linear, without a constant", show(tree))
            return self.number(tree, scope)
        if (made := atom(tree, scope)) is not None:
            return made
        if tag == "sum":
            over = self._range(tree[1:4], scope)
            body = self._linear(tree[4], scope | {over.name}, atom, constant)
            return ZERO if body == ZERO else (tag, *over, body)
        # A product or quotient: one side is a number, the other is linear.
        number = tree[2 if tag == "/" or self.reads(tree[1]) else 1] if tag in ("*", "/") else None
        if tag not in ("+", "-", "neg", "*", "/") or (number and self.reads(number)):
            raise BadInput("a form must be linear", show(tree))
        kids = [self.number(k, scope) if k is number else self._linear(k, scope, atom, constant) for k in tree[1:]]
        # Zeros are dropped, so that a coordinate that was never written does not show.
        if tag in ("+", "-") and ZERO in kids:
            return kids[0] if kids[1] == ZERO else kids[1] if tag == "+" else ("neg", kids[1])
        return ZERO if ZERO in (kids if tag == "*" else kids[:1]) else (tag, *kids)

    # --- parts ---

    def _writes(self, given: Mapping[str, str], scope: Scope | None = None, whole: bool = True) -> tuple[Write, ...]:
        """What is written, at all indices of its declaration: coordinates, over their `whole` range, and with a `scope`
        numbers."""
        made = tuple(Write(self._declared(key), parse_term(text)) for key, text in given.items())
        for key, one in zip(given, made, strict=True):
            if whole and self.space.get(one.to.name) != one.to.over:
                raise BadInput("a write must cover the whole range of its coordinate", key)
            if scope is not None:
                self.number(one.form, scope | one.to.indices)
        return made

    def _part(self, given: Mapping[str, Any]) -> Repeat:
        over = self._for(given, frozenset())
        scope = frozenset(one.name for one in over)
        if over:
            _known("a repetition", given)
        return Repeat(over, tuple(self._layer(one, scope) for one in (given["layers"] if over else [given])))

    def _layer(self, given: Mapping[str, Any], scope: Scope) -> FamilyLayer:
        _known("a layer", given)
        before = (given.get(key, ()) for key in ("attention_norms", "feedforward_norms"))
        norms = (tuple(self._norm(one, scope) for one in some) for some in before)
        heads = tuple(self._head(one, scope) for one in given.get("attention") or ())
        return FamilyLayer(heads, self._writes(given.get("feedforward") or {}), given.get("placement", "none"), *norms)

    def _head(self, given: Mapping[str, Any], scope: Scope) -> FamilyHead:
        _known("a head", given)
        over = self._for(given, scope)
        scope |= {one.name for one in over}
        mask, weighting = (self.chosen.get(one, one) for one in (str(given["mask"]), str(given["weighting"])))
        tau = self.number(given.get("temperature", "1"), scope | {"i", "n"})
        score, writes = parse_term(given["score"]), self._writes(given["writes"])
        if both := summed(score) & (scope | frozenset[str]().union(*(one.to.indices for one in writes))):
            raise BadInput("a score must sum over an index of its own", f"{min(both)} in {given['score']}", "rename it")
        return FamilyHead(over, score, mask, weighting, self.number(given.get("scale", "1"), scope), tau, writes)

    def _norm(self, given: Mapping[str, Any], scope: Scope) -> Norm:
        _known("a layer norm", given)
        usual = {"gain": "1", "bias": "0"}
        gain, bias, epsilon = (self.number({**usual, **given}[key], scope) for key in ("gain", "bias", "epsilon"))
        writes = self._writes(given.get("writes", {}), whole=False)
        self.known |= {one.to.name for one in writes}
        return Norm(writes, gain, bias, epsilon, given["zero_variance"])

    def _readout(self, given: Mapping[str, Any]) -> FamilyReadout:
        key = chosen("the reader of families", "kind of a readout", given["kind"], READOUTS)
        all_read("the reader of families", "a readout", given, ("kind", "position", key))
        reads = [given["scores"]] if given["kind"] == "largest" else given.get("reads", ())
        score = parse_term(given["score"]) if given["kind"] == "sign" else ZERO
        return FamilyReadout(given["kind"], given["position"], tuple(map(self._declared, reads)), score)
