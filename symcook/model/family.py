"""A family of models as a file: sizes, tables, indexed coordinates, layers that repeat, weights as expressions.

What is read here is meant in two places that share nothing but this reading: `symcook.model.instance` makes the
Transformer at given sizes and tables, `symcook.proof.familyrel` the equations that hold at all of them, with the sizes
as names. Nothing in a file is evaluated. Standard library and the grammar only: the checker rests on it.

A *declaration* is a name, or ``all c in 1..N. at(c)``. A *form* is linear in coordinates; its coefficients are
expressions in sizes, tables, indices and ``I[...]``. A score is a sum of products (query form)*(key form). An entry of
a feed-forward part is a sum of weights times ``relu(form)``. What a layer writes is added to the stream.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from symcook.errors import BadInput
from symcook.model.expr import ARITY, Tree, parse_formula, parse_term, show, valid_name

VERSION = 1
MAX_BYTES = 1_000_000
TAKEN = frozenset({"i", "j", "k", "n", "w"})
"""Names that mean positions and words in a relation."""
ZERO: Tree = ("num", 0, 1)
ONE: Tree = ("num", 1, 1)
MASKS = ("none", "future", "strict-future", "past", "strict-past")
WEIGHTINGS = ("average", "softmax", "leftmost", "rightmost")
READOUTS = {"value": "reads", "sign": "score", "zero": "reads", "largest": "scores"}
PLACEMENTS = ("none", "post", "pre", "projected pre", "multi pre")
_LOGIC = frozenset({"=", "<=", "<", "&", "|", "~", "->", "<->", "true", "false", "^"})


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
    def indices(self) -> frozenset[str]:
        return frozenset(index.name for index in self.over)


class Table(NamedTuple):
    """Entries at all indices; without an index it is one number."""

    over: tuple[Range, ...]
    sort: str
    where: tuple[Tree, ...]


class Write(NamedTuple):
    """What is added to a coordinate, at all its indices."""

    to: Declared
    form: Tree


class Head(NamedTuple):
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


class Layer(NamedTuple):
    heads: tuple[Head, ...]
    feedforward: tuple[Write, ...]
    placement: str
    attention_norms: tuple[Norm, ...]
    feedforward_norms: tuple[Norm, ...]

    @property
    def written(self) -> list[str]:
        return [w.to.name for part in (*(h.writes for h in self.heads), self.feedforward) for w in part]


class Repeat(NamedTuple):
    over: Range
    layers: tuple[Layer, ...]

    @property
    def written(self) -> list[str]:
        return [name for layer in self.layers for name in layer.written]


class Readout(NamedTuple):
    """`reads` are declarations; of a sign, `score` is the form that is compared with zero."""

    kind: str
    position: str
    reads: tuple[Declared, ...]
    score: Tree


class Family:
    """A family as it is written, checked as far as that needs no sizes."""

    def __init__(self, document: Mapping[str, object], choices: Mapping[str, str] | None = None) -> None:
        """`choices` sets what the file leaves open (a weighting, say); else the first of each list counts.

        Raises BadInput for a file that does not follow the format.
        """
        must = {"symcook family", "name", "sizes", "space", "embedding", "layers", "readout"}
        doc = _fields(document, "a family", must, {"source", "tables", "choices", "longest", "summary"})
        if doc["symcook family"] != VERSION or isinstance(doc["symcook family"], bool):
            raise BadInput(f"a family must have version {VERSION}", doc["symcook family"])
        self.document = document
        self.name, self.source, self.summary = (_text(doc.get(key, ""), key) for key in ("name", "source", "summary"))
        self.choices = {key: tuple(map(str, many)) for key, many in _object(doc.get("choices", {}), "choices").items()}
        for key in choices or {}:
            if (choices or {})[key] not in self.choices.get(key, ()):
                raise BadInput(f"{key} must be one of {', '.join(self.choices.get(key, ()))}", (choices or {})[key])
        self.chosen = {key: (choices or {}).get(key, many[0]) for key, many in self.choices.items()}
        self.sizes = {n: self._condition(text) for n, text in _object(doc["sizes"], "sizes").items()}
        self.tables: dict[str, Table] = {}
        self.space: dict[str, tuple[Range, ...]] = {}
        for text, entry in _object(doc.get("tables", {}), "tables").items():
            found = _fields(entry, f"the table {text}", {"values"}, {"where"})
            name, over = self._declared(text, fresh=True)
            if found["values"] not in ("Int", "Real") or len(over) > 2:
                raise BadInput("a table must have at most two indices and values Int or Real", text)
            where = tuple(map(self._condition, _list(found.get("where", []), "where")))
            self.tables[name] = Table(over, found["values"], where)
        for text in _list(doc["space"], "space"):
            name, over = self._declared(text, fresh=True)
            self.space[name] = over
        for name in (*self.sizes, *self.choices):
            if not valid_name(name) or name in TAKEN or name in {*self.tables, *self.space}:
                raise BadInput("sizes, tables and coordinates must have names of their own", name)
        self.longest = None if doc.get("longest") is None else self.number(doc["longest"], frozenset())
        self._embedding(_fields(
            doc["embedding"], "the embedding", {"vocabulary", "inputs", "words", "positions"},
            {"start", "before", "after"},
        ))  # fmt: skip
        self.layers: tuple[Layer | Repeat, ...] = tuple(self._part(one) for one in _list(doc["layers"], "layers"))
        self.readout = self._readout(doc["readout"])

    # --- names and ranges ---

    def _condition(self, text: object) -> Tree:
        return parse_formula(_text(text, "a condition"))

    def _declared(self, text: object, fresh: bool = False) -> Declared:
        """``all c in 1..N. at(c)`` as a name with ranges: those of its declaration, unless it is `fresh`."""
        given = _text(text, "a declaration")
        tree, over = (parse_formula if given.startswith("all ") else parse_term)(given), []
        while tree[0] == "all in":
            over.append(Range(tree[1], *tree[2:4]))
            tree = tree[4]
        args = tree[2] if tree[0] == "call" else ()
        if tree[0] not in ("name", "call") or list(args) != [("name", index.name) for index in over]:
            raise BadInput("a declaration must read NAME or all c in 1..N. NAME(c)", given)
        name = tree[1]
        fixed = {*self.sizes, *self.tables, *self.space, *TAKEN}
        if fresh and (name in fixed or not valid_name(name) or name in ARITY):
            raise BadInput("sizes, tables and coordinates must have names of their own", given)
        taken = {index.name for index in over} & {*fixed, name}
        if taken or len({index.name for index in over}) < len(over):
            raise BadInput("an index must be a name of its own, none of i, j, k, n, w", given)
        made = Declared(name, tuple(over))
        for place, index in enumerate(over):
            for end in (index.low, index.high):
                self.number(end, frozenset(one.name for one in over[:place]))
        if not fresh:
            if name not in self.space:
                raise BadInput("a coordinate must be declared in the space", given)
            if not _same_ranges(made.over, self.space[name]):
                raise BadInput("a write must cover the whole range of its coordinate", given)
        return made

    def _range(self, text: object, scope: frozenset[str]) -> Range:
        tree = parse_formula(f"all {_text(text, 'a range')}. true")
        if tree[0] != "all in" or tree[4] != ("true",):
            raise BadInput("a range must read t in 1..D", text)
        if tree[1] in {*self.sizes, *self.tables, *self.space, *TAKEN, *scope}:
            raise BadInput("an index must be a name of its own, none of i, j, k, n, w", text)
        return Range(tree[1], self.number(tree[2], scope), self.number(tree[3], scope))

    # --- forms ---

    def number(self, given: object, scope: frozenset[str]) -> Tree:
        """An expression without coordinates, over sizes, tables and the names of `scope`."""
        tree = parse_term(_text(given, "a number")) if not isinstance(given, tuple) else given
        self.linear(tree, scope, 0)
        return tree

    def linear(
        self, tree: Tree, scope: frozenset[str], degree: int, put: Callable[[str, tuple[Tree, ...]], Tree] | None = None
    ) -> Tree:
        """The tree of a number (degree 0), a form (1) or a feed-forward entry (2), checked, with each coordinate
        replaced by what `put` makes of its name and indices (ZERO where it is zero there)."""
        made, found = self._linear(tree, scope, degree, put or (lambda name, args: ("call", name, args)))
        if found not in (degree, 0 if made == ZERO or degree == 2 else degree):
            must = ("an index, end or weight must not read a coordinate", "a form must be linear, without a constant",
                    "an entry must be a sum of weights times relu(form)")[degree]  # fmt: skip
            raise BadInput(must, show(tree))
        return made

    def _linear(self, tree: Tree, scope: frozenset[str], degree: int, put: Any) -> tuple[Tree, int]:
        tag = tree[0]
        if tag == "num":
            return tree, 0
        if tag in ("name", "call") and tree[1] in self.space:
            args = tree[2] if tag == "call" else ()
            if len(args) != len(self.space[tree[1]]):
                raise BadInput("a coordinate must have all its indices", show(tree))
            return put(tree[1], tuple(self.linear(a, scope, 0) for a in args)), 1
        if tag == "name":
            alone = tree[1] in self.tables and not self.tables[tree[1]].over
            if not alone and tree[1] not in scope and tree[1] not in self.sizes and tree[1] != "pi":
                raise BadInput("a weight must use sizes, tables, indices and coordinates", tree[1])
            return tree, 0
        if tag == "call" and tree[1] == "relu" and degree == 2:
            inside = self._linear(tree[2][0], scope, 3, put)  # a form with a bias
            return ("call", "relu", (inside[0],)), 2
        if tag in ("call", "ind", "if", "^") or tag in _LOGIC:
            if tag == "call" and (tree[1] not in ARITY if tree[1] not in self.tables else
                                  len(tree[2]) != len(self.tables[tree[1]].over)):  # fmt: skip
                raise BadInput("a weight must use functions of the grammar and declared tables", show(tree))
            kids = tree[2] if tag == "call" else tree[1:]
            for kid in kids:
                self.linear(kid, scope, 0)
            return tree, 0
        if tag in ("sum", "all in", "ex in"):
            ends = [self.linear(end, scope, 0) for end in tree[2:4]]
            if tree[1] in {*scope, *self.sizes, *self.tables, *self.space, *TAKEN}:
                raise BadInput("an index must be a name of its own, none of i, j, k, n, w", show(tree))
            body, found = self._linear(tree[4], scope | {tree[1]}, degree if tag == "sum" else 0, put)
            return (ZERO if body == ZERO else (tag, tree[1], *ends, body)), found
        if tag not in ("+", "-", "neg", "*", "/"):
            raise BadInput("a weight must be a sum", show(tree))
        parts = [self._linear(kid, scope, degree, put) for kid in tree[1:]]
        found = max(part[1] for part in parts)
        kids, both = [part[0] for part in parts], {part[1] for part in parts}
        mixed = tag in ("+", "-") and (both == {1, 2} or (both == {0, 1} and degree == 1 and ZERO not in kids))
        if mixed or (tag == "*" and min(both)) or (tag == "/" and parts[1][1]):
            raise BadInput("a form must be linear" + ", without a constant" * (both == {0, 1}), show(tree))
        if tag in ("+", "-") and ZERO in kids:
            left, right = kids
            return (left if right == ZERO else right if tag == "+" else ("neg", right)), found
        if found and ZERO in (kids if tag == "*" else kids[:1]):
            return ZERO, found
        return (tag, *kids), found

    def products(self, tree: Tree, scope: frozenset[str]) -> Iterator[tuple[list[Range], Tree, Tree, int]]:
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
            over = self._range(f"{tree[1]} in {show(tree[2])}..{show(tree[3])}", scope)
            yield from (([over, *o], q, k, s) for o, q, k, s in self.products(tree[4], scope | {over.name}))
        elif tag == "*":
            for form in tree[1:]:
                self.linear(form, scope, 1)
            yield [], tree[1], tree[2], 1
        else:
            raise BadInput("a score must be a sum of products (query form)*(key form)", show(tree))

    # --- parts ---

    def _embedding(self, e: dict[str, Any]) -> None:
        if (e["words"] is None) is (e["inputs"] is None) or (e["words"] is None) is not (e["vocabulary"] is None):
            raise BadInput("an embedding must have either words with a vocabulary, or inputs", self.name)
        self.start = e.get("start", 1)
        if type(self.start) is not int or self.start not in (0, 1):
            raise BadInput("positions must be numbered from 0 or 1", self.start)
        nothing = frozenset[str]()
        self.vocabulary, self.before, self.after = (
            None if e.get(key) is None else self.number(e[key], nothing) for key in ("vocabulary", "before", "after")
        )
        self.inputs = tuple(self._declared(text) for text in _list(e["inputs"] or [], "inputs"))
        self.words = self._writes(e["words"] or {}, frozenset({"w"}), 0)
        self.positions = self._writes(e["positions"], frozenset({"i", "n"}), 0)

    def _writes(self, given: object, scope: frozenset[str], degree: int) -> tuple[Write, ...]:
        made = []
        for key, text in _object(given, "what is written").items():
            to, tree = self._declared(key), parse_term(_text(text, "a form"))
            if to.indices & scope:
                raise BadInput("an index must be a name of its own, none of i, j, k, n, w", key)
            self.linear(tree, scope | to.indices, degree)
            made.append(Write(to, tree))
        if len({write.to.name for write in made}) < len(made):
            raise BadInput("a block must write a coordinate once", ", ".join(write.to.name for write in made))
        return tuple(made)

    def _part(self, given: object) -> Layer | Repeat:
        if not isinstance(given, dict) or "for" not in given:
            return self._layer(given, frozenset())
        found = _fields(given, "a repetition", {"for", "layers"}, set())
        over = self._range(found["for"], frozenset())
        layers = _list(found["layers"], "layers")
        if any(isinstance(one, dict) and "for" in one for one in layers):
            raise BadInput("a repetition must not stand in a repetition", found["for"], "use one index over both")
        return Repeat(over, tuple(self._layer(one, frozenset({over.name})) for one in layers))

    def _layer(self, given: object, scope: frozenset[str]) -> Layer:
        may = {"attention", "feedforward", "placement", "attention_norms", "feedforward_norms"}
        found = _fields(given, "a layer", set(), may)
        placement = found.get("placement", "none")
        if placement not in PLACEMENTS:
            raise BadInput(f"the placement of norms must be one of {', '.join(PLACEMENTS)}", placement)
        norms = [self._norms(found.get(key, []), placement, scope) for key in ("attention_norms", "feedforward_norms")]
        blocks: list[Any] = []
        for key, own in zip(("attention", "feedforward"), norms, strict=True):
            with self.reading(own):
                if key == "attention":
                    blocks.append(tuple(self._head(one, scope) for one in _list(found.get(key) or [], "attention")))
                else:
                    blocks.append(self._writes(found.get(key) or {}, scope, 2))
            if bool(own) is not (placement != "none" and bool(blocks[-1])):
                raise BadInput("a layer must have the norms of its placement", placement)
        if not any(blocks):
            raise BadInput("a layer must have an attention or a feed-forward part", "neither")
        made = Layer(blocks[0], blocks[1], placement, norms[0], norms[1])
        if not {*made.written} <= self.space.keys():
            raise BadInput("a block must write coordinates of the space", self.name)
        return made

    def _head(self, given: object, scope: frozenset[str]) -> Head:
        must = {"score", "mask", "weighting", "writes"}
        found = _fields(given, "a head", must, {"for", "scale", "temperature"})
        over = self._range(found["for"], scope) if "for" in found else None
        scope |= {over.name} if over else set()
        mask, weighting = (self.chosen.get(found[key], found[key]) for key in ("mask", "weighting"))
        if mask not in MASKS or weighting not in WEIGHTINGS:
            raise BadInput(f"a head must have a mask of {', '.join(MASKS)} and a weighting of {', '.join(WEIGHTINGS)}",
                           f"{mask} and {weighting}")  # fmt: skip
        writes = self._writes(found["writes"], scope, 1)
        if not writes:
            raise BadInput("a head must write a coordinate", "none")
        score = parse_term(_text(found["score"], "a score"))
        shared = frozenset.intersection(*(w.to.indices for w in writes))  # a head each, where the score uses them
        list(self.products(score, scope | shared))
        scale = self.number(found.get("scale", "1"), scope)
        temperature = self.number(found.get("temperature", "1"), scope | {"i", "n"})
        return Head(over, score, mask, weighting, scale, temperature, writes)

    def _norms(self, given: object, placement: str, scope: frozenset[str]) -> tuple[Norm, ...]:
        made = []
        for one in _list(given, "norms"):
            found = _fields(one, "a norm", {"epsilon", "zero_variance"}, {"writes", "gain", "bias"})
            writes = []
            for key, text in _object(found.get("writes", {}), "what a norm writes").items():
                to = self._declared(key, fresh=True)
                self.linear(form := parse_term(_text(text, "a form")), scope | to.indices, 1)
                writes.append(Write(to, form))
            projected = placement in ("projected pre", "multi pre")
            if found["zero_variance"] not in ("refuse", "zero") or bool(writes) is not projected:
                raise BadInput("a layer must have the norms of its placement", placement)
            gain, bias = (self.number(found.get(key, usual), scope) for key, usual in (("gain", "1"), ("bias", "0")))
            epsilon = self.number(found["epsilon"], scope)
            made.append(Norm(tuple(writes), gain, bias, epsilon, found["zero_variance"]))
        if len(made) > 1 and placement != "multi pre":
            raise BadInput("a layer must have the norms of its placement", placement)
        return tuple(made)

    def _readout(self, given: object) -> Readout:
        kind = given.get("kind") if isinstance(given, dict) else None
        if kind not in READOUTS:
            raise BadInput(f"a readout must be one of {', '.join(READOUTS)}", kind or "none")
        found = _fields(given, "the readout", {"kind", "position", READOUTS[kind]}, set())
        where = ("each",) if kind in ("value", "largest") else ("first", "last", "each", "all")
        where = (*where, "first", "last") if kind in ("value", "largest") else where
        if found["position"] not in where:
            raise BadInput(f"the position of a readout {kind} must be one of {', '.join(where)}", found["position"])
        if kind == "sign":
            score = parse_term(_text(found["score"], "a score"))
            self.linear(score, frozenset(), 1)
            return Readout(kind, found["position"], (), score)
        reads = [found["scores"]] if kind == "largest" else _list(found["reads"], "reads")
        made = tuple(self._declared(text) for text in reads)
        if not made or (kind == "largest" and len(made[0].over) != 1):
            raise BadInput("a readout must read coordinates, the largest one range of them", kind)
        return Readout(kind, found["position"], made, ZERO)

    @contextmanager
    def reading(self, norms: Sequence[Norm]) -> Iterator[None]:
        """What a block behind `norms` reads may also be what they write."""
        space = self.space
        self.space = {**space, **{w.to.name: w.to.over for norm in norms for w in norm.writes}}
        try:
            yield
        finally:
            self.space = space

    @cached_property
    def attends(self) -> bool:
        flat = (one for part in self.layers for one in (part.layers if isinstance(part, Repeat) else (part,)))
        return any(layer.heads for layer in flat)

    @property
    def pointwise(self) -> bool:
        """Whether it has inputs, no attention and no position function: then its values are numbers."""
        return bool(self.inputs) and not self.attends and not self.positions


def _same_ranges(a: Sequence[Range], b: Sequence[Range]) -> bool:
    """Whether ranges are the same up to the names of the indices."""
    if len(a) != len(b):
        return False
    names = {x.name: ("name", y.name) for x, y in zip(a, b, strict=True)}
    return all(renamed(x.low, names) == y.low and renamed(x.high, names) == y.high for x, y in zip(a, b, strict=True))


def renamed(tree: object, values: Mapping[str, Tree]) -> Any:
    """The tree with names replaced."""
    if not isinstance(tree, tuple) or not tree:
        return tree
    if tree[0] == "name":
        return values.get(tree[1], tree)
    return tree if tree[0] == "num" else tuple(renamed(part, values) for part in tree)


def shipped(name: str) -> Path:
    """Where a family that ships would be: inside an installed package, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    return next(
        (path for path in (package / "_proofs" / "families", package.parent / "proofs" / "families") if path.is_dir()),
        package,
    ) / f"{name}.json"


def load(path: str | Path, choices: Mapping[str, str] | None = None) -> Family:
    """Read a family file. BadInput, in one sentence, for whatever is wrong with it."""
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput("a family file must be readable", f"{path} ({error.strerror})") from None
    return loads(data, choices)


def loads(data: bytes | str, choices: Mapping[str, str] | None = None) -> Family:
    """The family that a file's text describes."""
    if len(data) > MAX_BYTES:
        raise BadInput(f"a family file must have at most {MAX_BYTES} bytes", len(data))
    try:
        document = json.loads(data, object_pairs_hook=_pairs, parse_float=_no_float, parse_constant=_no_float)
    except (ValueError, RecursionError) as error:
        raise BadInput("a family file must be JSON", str(error)[:80]) from None
    return Family(document, choices)


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        raise BadInput("a family file must not repeat a key", [k for k, _ in pairs])
    return out


def _no_float(given: str) -> NoReturn:
    raise BadInput("a number in a family file must be text in the grammar", given, 'write it as "1/2"')


def _fields(given: object, what: str, must: set[str], may: set[str]) -> dict[str, Any]:
    found = _object(given, what)
    if not must <= found.keys() <= must | may:
        wrong = sorted((must - found.keys()) or (found.keys() - must - may))[0]
        raise BadInput(f"{what} must have the keys {', '.join(sorted(must | may))}", wrong)
    return found


def _object(given: object, what: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise BadInput(f"{what} must be an object", type(given).__name__)
    return given


def _list(given: object, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise BadInput(f"{what} must be a list", type(given).__name__)
    return given


def _text(given: object, what: str) -> str:
    if not isinstance(given, str):
        raise BadInput(f"{what} must be text", type(given).__name__)
    return given
