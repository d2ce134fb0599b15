"""Family files: read in kinder spellings too, and refused in one sentence where they are none.

`symcook.model.plainfamily` holds what a file means and is all that a theorem rests on; what stands here only refuses,
and writes out what a file may leave to it: keys with usual values, numbers as numbers, one entry without a list, and
constants, which become multiples of a coordinate that is always 1.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from symcook.errors import BadInput, unknown
from symcook.model.expr import ARITY, Tree, children, parse_term, show, valid_name
from symcook.model.plainfamily import (
    ZERO,
    Declared,
    Layer,
    Norm,
    PlainFamily,
    Range,
    Readout,
    Repeat,
    Scope,
    Write,
)
from symcook.model.plainfamily import Head as Head

VERSION = 1
MAX_BYTES = 1_000_000
TAKEN = frozenset({"i", "j", "k", "n", "w"})
"""Names that mean positions and words in a relation."""
MASKS = ("none", "future", "strict-future", "past", "strict-past")
WEIGHTINGS = ("average", "softmax", "leftmost", "rightmost")
READOUTS = {"value": "reads", "sign": "score", "zero": "reads", "largest": "scores"}
PLACEMENTS = ("none", "post", "pre", "projected pre", "multi pre")
_FAMILY = {"symcook family", "name", "sizes", "space", "embedding", "layers", "readout"}
_EMBEDDING = {"vocabulary", "inputs", "words", "positions", "start", "before", "after"}
_LAYER = {"attention", "feedforward", "placement", "attention_norms", "feedforward_norms"}
_OWN = "an index must be a name of its own, none of i, j, k, n, w"
_NORMS = "a layer must have the norms of its placement"


class Family(PlainFamily):
    """A family as it is written, checked as far as that needs no sizes."""

    def __init__(self, document: Mapping[str, Any], choices: Mapping[str, str] | None = None) -> None:
        """`choices` sets what the file leaves open (a weighting, say); else the first of each list counts.

        Raises BadInput for a file that does not follow the format.
        """
        doc = _plain(document)
        for key, made in (choices or {}).items():
            if made not in doc.get("choices", {}).get(key, ()):
                raise BadInput(f"{key} must be one of {', '.join(doc.get('choices', {}).get(key, ()))}", made)
        super().__init__(doc, choices)
        self.source, self.summary = doc.get("source", ""), doc.get("summary", "")
        _Names(self)

    @property
    def digest(self) -> str:
        """What tells a family from others of its name."""
        return hashlib.sha256(json.dumps(self.document, sort_keys=True).encode()).hexdigest()[:16]


# --- the document: keys and kinds, and what it leaves out ---


def _plain(document: object) -> dict[str, Any]:
    """A document in the plain spelling; BadInput for a key that is missing or unknown, and a value of another kind."""
    may = {"source", "tables", "choices", "longest", "summary"}
    doc = _fields(document, "a family", _FAMILY, may)
    if doc["symcook family"] != VERSION or isinstance(doc["symcook family"], bool):
        raise BadInput(f"a family must have version {VERSION}", str(doc["symcook family"]))
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]*", _text(doc["name"], "the name of a family"), re.ASCII):
        raise BadInput("the name of a family must be of letters, digits and -", doc["name"])
    made = dict(doc)
    made |= {key: _text(doc[key], key) for key in ("source", "summary") if key in doc}
    made["sizes"] = {key: _text(one, "a condition") for key, one in _object(doc["sizes"], "sizes").items()}
    made["space"] = [_text(one, "a declaration") for one in _some(doc["space"], "the space")]
    if "tables" in doc:
        made["tables"] = {key: _table(key, one) for key, one in _object(doc["tables"], "tables").items()}
    if "choices" in doc:
        made["choices"] = {key: _choice(key, one) for key, one in _object(doc["choices"], "choices").items()}
    made |= {"longest": _number(doc["longest"], "longest")} if doc.get("longest") is not None else {}
    made["embedding"] = _embedding(doc["embedding"])
    made["layers"] = [_part(one, made.get("choices", {})) for one in _some(doc["layers"], "layers")]
    made["readout"] = _readout(doc["readout"])
    _own_names(made)
    return _constants(_indices(made))


def _own_names(doc: Mapping[str, Any]) -> None:
    texts = [*doc["sizes"], *doc.get("choices", ()), *doc.get("tables", ()), *doc["space"]]
    seen = {*TAKEN}
    for text in texts:
        name = _last(text)
        if not valid_name(name) or name in seen:
            raise BadInput("sizes, tables and coordinates must have names of their own", text)
        seen.add(name)


def _table(name: str, given: object) -> dict[str, Any]:
    found = {"values": given} if isinstance(given, str) else _fields(given, f"the table {name}", {"values"}, {"where"})
    if found["values"] not in ("Int", "Real"):
        raise BadInput("a table must have one or two indices and values Int or Real", name)
    many = {"where": [_text(one, "a condition") for one in _many(found["where"])]} if "where" in found else {}
    return {**found, **many}


def _choice(name: str, given: object) -> list[str]:
    words = [_text(one, "a choice") for one in _some(given, f"the choice {name}")]
    if not ({*words} <= {*MASKS} or {*words} <= {*WEIGHTINGS}) or len({*words}) < len(words):
        must = f"a choice must be of masks ({', '.join(MASKS)}) or of weightings ({', '.join(WEIGHTINGS)})"
        raise BadInput(must, f"{', '.join(words)} for {name}")
    return words


def _embedding(given: object) -> dict[str, Any]:
    e = {**dict.fromkeys(("vocabulary", "inputs", "words")), "positions": {}}
    e |= _fields(given, "the embedding", set(), _EMBEDDING)
    if (e["words"] is None) is (e["inputs"] is None) or (e["words"] is None) is not (e["vocabulary"] is None):
        there = ", ".join(key for key in ("vocabulary", "words", "inputs") if e[key] is not None)
        raise BadInput("an embedding must have either words with a vocabulary, or inputs", there or "none of them")
    if type(e.get("start", 1)) is not int or e.get("start", 1) not in (0, 1):
        raise BadInput("positions must be numbered from 0 or 1", str(e["start"]))
    e |= {key: _number(e[key], key) for key in ("vocabulary", "before", "after") if e.get(key) is not None}
    if e["inputs"] is not None:
        e["inputs"] = [_text(one, "an input") for one in _some(_many(e["inputs"]), "inputs")]
    for key in ("words", "positions"):
        e[key] = None if e[key] is None else _forms(e[key])
    return {**e, "positions": e["positions"] or {}}


def _forms(given: object) -> dict[str, str]:
    return {key: _number(one, "a form") for key, one in _object(given, "what is written").items()}


def _part(given: object, choices: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(given, dict) or "for" not in given:
        return _layer(given, choices)
    found = _fields(given, "a repetition", {"for", "layers"}, set())
    layers = _some(found["layers"], "the layers of a repetition")
    if any(isinstance(one, dict) and "for" in one for one in layers):
        raise BadInput("a repetition must not stand in a repetition", found["for"], "use one index over both")
    return {"for": _text(found["for"], "a range"), "layers": [_layer(one, choices) for one in layers]}


def _layer(given: object, choices: Mapping[str, Any]) -> dict[str, Any]:
    found = _fields(given, "a layer", set(), _LAYER)
    made, placement = dict(found), found.get("placement", "none")
    if placement not in PLACEMENTS:
        raise BadInput(f"the placement of norms must be one of {', '.join(PLACEMENTS)}", str(placement))
    if "attention" in found:
        made["attention"] = [_head(one, choices) for one in _many(found["attention"])]
    if "feedforward" in found:
        made["feedforward"] = _forms(found["feedforward"] or {})
    if not made.get("attention") and not made.get("feedforward"):
        raise BadInput("a layer must have an attention or a feed-forward part", "neither")
    for block in ("attention", "feedforward"):
        key = f"{block}_norms"
        norms = [_norm(one, placement) for one in _many(found.get(key) or [])]
        wanted = placement != "none" and bool(made.get(block))
        if bool(norms) is not wanted or (len(norms) > 1 and placement != "multi pre"):
            raise BadInput(_NORMS, placement)
        made |= {key: norms} if key in found else {}
    return made


def _head(given: object, choices: Mapping[str, Any]) -> dict[str, Any]:
    found = _fields(given, "a head", {"score", "mask", "weighting", "writes"}, {"for", "scale", "temperature"})
    for key, words in (("mask", MASKS), ("weighting", WEIGHTINGS)):
        one = found[key]
        if one not in words and not (isinstance(one, str) and {*choices.get(one, "?")} <= {*words}):
            must = f"a head must have a mask of {', '.join(MASKS)} and a weighting of {', '.join(WEIGHTINGS)}"
            raise BadInput(must, f"{found['mask']} and {found['weighting']}")
    made = {**found, "writes": _forms(found["writes"]), "score": _number(found["score"], "a score")}
    if not made["writes"]:
        raise BadInput("a head must write a coordinate", "none")
    return made | {key: _number(found[key], key) for key in ("for", "scale", "temperature") if key in found}


def _norm(given: object, placement: str) -> dict[str, Any]:
    found = _fields(given, "a norm", {"epsilon", "zero_variance"}, {"writes", "gain", "bias"})
    projected = placement in ("projected pre", "multi pre")
    if found["zero_variance"] not in ("refuse", "zero") or bool(found.get("writes")) is not projected:
        raise BadInput(_NORMS, placement)
    made = {key: _number(found[key], key) for key in ("epsilon", "gain", "bias") if key in found}
    return {**found, **made, **({"writes": _forms(found["writes"])} if "writes" in found else {})}


def _readout(given: object) -> dict[str, Any]:
    kind = given.get("kind") if isinstance(given, dict) else None
    if not isinstance(kind, str) or kind not in READOUTS:
        raise BadInput(f"a readout must be one of {', '.join(READOUTS)}", str(kind or "none"))
    found = _fields(given, "the readout", {"kind", "position", READOUTS[kind]}, set())
    where = ("first", "last", "each", *(() if kind in ("value", "largest") else ("all",)))
    if found["position"] not in where:
        raise BadInput(f"the position of a readout {kind} must be one of {', '.join(where)}", str(found["position"]))
    if kind in ("sign", "largest"):
        return {**found, READOUTS[kind]: _text(found[READOUTS[kind]], "a score")}
    return {**found, "reads": [_text(one, "a coordinate") for one in _some(_many(found["reads"]), "reads")]}


# --- indices: those of the declaration ---


def _indices(doc: dict[str, Any]) -> dict[str, Any]:
    """The document with each write at the indices that its coordinate is declared with."""
    declared = {_last(text): _bound(text) for text in doc["space"]}

    def changed(writes: Mapping[str, str], others: list[str]) -> tuple[dict[str, str], list[str]]:
        out = {}
        for key, text in writes.items():
            old = _bound(key)
            if {*old} & {*TAKEN, *doc["sizes"], *map(_last, doc.get("tables", ())), *declared}:
                raise BadInput(_OWN, key)
            new = declared.get(_last(key), old)
            if old != new and len(old) == len(new):
                words = {*re.findall(r"\w+", " ".join([text, *others]))} - {*old}
                if words & {*new} - {*old}:
                    do = "write " + "".join(f"all {c} in .. " for c in new).strip()
                    raise BadInput("a write must name its indices as the space does", key, do)
                names = dict(zip(old, new, strict=True))
                key, text, *others = (
                    re.sub(r"\b[A-Za-z_]\w*", lambda m, names=names: names.get(m[0], m[0]), one)
                    for one in (key, text, *others)
                )
            out[key] = text
        return out, others

    embedding = doc["embedding"]
    embedding |= {key: changed(embedding[key], [])[0] for key in ("words", "positions") if embedding[key]}
    for one in (layer for part in doc["layers"] for layer in (part["layers"] if "for" in part else [part])):
        if one.get("feedforward"):
            one["feedforward"] = changed(one["feedforward"], [])[0]
        for head in one.get("attention", ()):
            head["writes"], (head["score"],) = changed(head["writes"], [head["score"]])
    return doc


# --- constants: multiples of a coordinate that is always 1 ---


def _constants(doc: dict[str, Any]) -> dict[str, Any]:
    """The document with a coordinate that is always 1 where forms and scores have a constant."""
    space = {*map(_last, doc["space"])}
    layers = [one for part in doc["layers"] for one in (part["layers"] if "for" in part else [part])]
    written = {key for one in layers for block in (*(h["writes"] for h in one.get("attention", ())),
                                                   one.get("feedforward", {})) for key in block}  # fmt: skip
    fixed = [x for x, text in doc["embedding"]["positions"].items() if text == "1" and x in space - written]
    normed = any(one.get("placement", "none") != "none" for one in layers)
    unit = fixed[0] if fixed and not normed and not {*fixed} & {*(doc["embedding"]["words"] or ())} else None

    known = space | {word for one in layers for word in _normed_names(one)}

    def changed(text: str, how: Callable[[Tree, Callable[[Tree], bool], Tree], Tree]) -> str:
        tree = parse_term(text)

        def reads(part: Tree) -> bool:
            return (part[0] in ("name", "call") and part[1] in known) or any(map(reads, children(part)))

        made = how(tree, reads, ("name", unit or "1"))
        if made == tree:
            return text
        if unit is None and ("name", "1") in _subtrees(made):
            linear = "a form must be linear, without a constant"
            must = linear if how is _with_unit else "a score must be a sum of products (query form)*(key form)"
            raise BadInput(must, text, 'a constant needs a coordinate that is always 1: "positions": {"one": "1"}')
        return show(made)

    for one in layers:
        for head in one.get("attention", ()):
            head["writes"] = {key: changed(text, _with_unit) for key, text in head["writes"].items()}
            head["score"] = changed(head["score"], _products)
    if "score" in doc["readout"]:
        doc["readout"]["score"] = changed(doc["readout"]["score"], _with_unit)
    return doc


def _normed_names(layer: Mapping[str, Any]) -> Iterator[str]:
    for key in ("attention_norms", "feedforward_norms"):
        for norm in layer.get(key, ()):
            yield from map(_last, norm.get("writes", {}))


def _subtrees(tree: Tree) -> Iterator[Tree]:
    yield tree
    for one in children(tree):
        yield from _subtrees(one)


def _with_unit(tree: Tree, reads: Any, unit: Tree) -> Tree:
    """A form with its constants times the unit."""
    if not reads(tree):
        return tree if tree == ZERO else unit if tree == ("num", 1, 1) else ("*", tree, unit)
    if tree[0] in ("+", "-", "neg"):
        return (tree[0], *(_with_unit(kid, reads, unit) for kid in tree[1:]))
    if tree[0] == "sum":
        return (*tree[:4], _with_unit(tree[4], reads, unit))
    if tree[0] in ("*", "/"):
        return (tree[0], *(_with_unit(kid, reads, unit) if reads(kid) else kid for kid in tree[1:]))
    return tree


def _products(tree: Tree, reads: Any, unit: Tree, factor: Callable[[Tree], Tree] = lambda form: form) -> Tree:
    """A score with numbers multiplied into its products, and the unit as query of what is one form."""
    tag = tree[0]
    if tree == ZERO:
        return tree
    if tag in ("+", "-", "neg"):
        return (tag, *(_products(kid, reads, unit, factor) for kid in tree[1:]))
    if tag == "sum" and (body := tree[4]) and not _linear_in(body, reads):
        return (*tree[:4], _products(body, reads, unit, factor))
    if tag == "/" and reads(tree[1]) and not reads(tree[2]) and not _linear_in(tree[1], reads):
        return _products(tree[1], reads, unit, lambda form: ("/", factor(form), tree[2]))
    if tag == "*" and not _linear_in(tree, reads):
        for number, other in ((tree[1], tree[2]), (tree[2], tree[1])):
            if not reads(number):
                return _products(other, reads, unit, lambda form: ("*", number, factor(form)))  # noqa: B023
        left, right = (_with_unit(kid, reads, unit) for kid in tree[1:])
        return ("*", factor(left), right)
    if _linear_in(tree, reads):
        return ("*", unit, factor(_with_unit(tree, reads, unit)))
    return tree


def _linear_in(tree: Tree, reads: Any) -> bool:
    """Whether no two coordinates are multiplied in a tree."""
    if tree[0] in ("*", "/") and all(map(reads, tree[1:])):
        return False
    return all(_linear_in(kid, reads) for kid in tree[1:] if isinstance(kid, tuple) and tree[0] not in ("call", "name"))


# --- names and ranges ---


class _Names:
    """Refuses names that mean something else, ranges that are not whole, and forms that are not linear."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.own = {*family.sizes, *family.choices, *family.tables, *family.space, *TAKEN}
        for name, table in family.tables.items():
            if not 1 <= len(table.over) <= 2:
                raise BadInput("a table must have one or two indices and values Int or Real", name)
            self.declared(Declared(name, table.over), False)
            for condition in table.where:
                self.functions(condition)
        for condition in family.sizes.values():
            self.functions(condition)
        for name, over in family.space.items():
            self.declared(Declared(name, over), False)
        for one in family.inputs:
            self.declared(one)
        given = {one.name for one in family.inputs}
        if again := given & {one.to.name for one in family.positions}:
            raise BadInput("an input must not be written by the embedding", min(again))
        for writes, scope in ((family.words, {"w"}), (family.positions, {"i", "n"})):
            self.writes(writes, frozenset(scope), 0)
        for number in (family.longest, family.vocabulary, family.before, family.after):
            self.functions(number or ZERO)
        for part in family.layers:
            if isinstance(part, Repeat):
                self.index(part.over, frozenset())
            for layer in part.layers if isinstance(part, Repeat) else (part,):
                self.layer(layer, frozenset({part.over.name} if isinstance(part, Repeat) else ()))
        self.readout(family.readout)

    def declared(self, to: Declared, whole: bool = True, scope: Scope = frozenset()) -> None:
        """`whole`: a coordinate of the space, at all of its indices."""
        text = _declaration(to)
        for place, index in enumerate(to.over):
            self.index(index, scope | {one.name for one in to.over[:place]}, text)
        if whole and to.name not in self.family.space:
            raise BadInput("a coordinate must be declared in the space", text)
        if whole and not _same_ranges(to.over, self.family.space[to.name]):
            raise BadInput("a write must cover the whole range of its coordinate", text)

    def index(self, index: Range, scope: Scope, text: str = "") -> None:
        text = text or f"{index.name} in {show(index.low)}..{show(index.high)}"
        if index.name in self.own | scope or not valid_name(index.name):
            raise BadInput(_OWN, text)
        ends = [_numeral(end) for end in (index.low, index.high)]
        if None not in ends and ends[1] < ends[0]:
            raise BadInput("a range must not be empty at all sizes", text)
        for end in (index.low, index.high):
            self.functions(end)

    def functions(self, tree: Tree, scope: Scope = frozenset()) -> None:
        """What is called is known, and what a sum or a quantifier binds has a name of its own."""
        if tree[0] == "call":
            table = self.family.tables.get(tree[1])
            many = ARITY.get(tree[1]) if table is None else len(table.over)
            if tree[1] not in self.family.space and len(tree[2]) != many:
                must = "a weight must use functions of the grammar and declared tables"
                do = None
                if tree[1] in ("floor", "mod", "ceil"):
                    do = "give it as a table with its conditions, or as a sum such as sum(c, 1, N, I[2*c <= i])"
                raise BadInput(must, show(tree), do)
        if tree[0] in ("prod", "lambda", "all", "ex"):
            raise BadInput("a weight must be a sum, with quantifiers over ranges", show(tree))
        if tree[0] in ("sum", "all in", "ex in"):
            if tree[1] in self.own | scope:
                raise BadInput(_OWN, show(tree))
            scope |= {tree[1]}
        for one in children(tree):
            self.functions(one, scope)

    def writes(self, writes: Sequence[Write], scope: Scope, degree: int) -> None:
        for one in writes:
            self.declared(one.to, scope=scope)
            self.functions(one.form, scope | one.to.indices)
            if degree:
                self.family.linear(one.form, scope | one.to.indices, degree)
        if len({one.to.name for one in writes}) < len(writes):
            raise BadInput("a block must write a coordinate once", ", ".join(one.to.name for one in writes))

    def layer(self, layer: Layer, scope: Scope) -> None:
        for norm in (*layer.attention_norms, *layer.feedforward_norms):
            self.norm(norm, scope)
        blocks = ((layer.heads, layer.attention_norms), (layer.feedforward, layer.feedforward_norms))
        for block, norms in blocks:
            made = [one.to.name for norm in norms for one in norm.writes]
            if len({*made}) < len(made):
                raise BadInput("a norm must write names of its own", ", ".join(made))
            with self.family.reading(norms):
                for head in layer.heads if block is layer.heads else ():
                    self.head(head, scope)
                if block is not layer.heads:
                    self.writes(layer.feedforward, scope, 2)
        if not {*layer.written} <= {*self.family.space}:
            raise BadInput("a block must write coordinates of the space", ", ".join(layer.written))

    def head(self, head: Head, scope: Scope) -> None:
        if head.over is not None:
            self.index(head.over, scope)
            scope |= {head.over.name}
        self.writes(head.writes, scope, 1)
        self.functions(head.score, scope)
        shared = frozenset.intersection(*(w.to.indices for w in head.writes))  # a head each, where the score uses them
        list(self.family.products(head.score, scope | shared))
        for number in (head.scale, head.temperature):
            self.functions(number, scope)

    def norm(self, norm: Norm, scope: Scope) -> None:
        for one in norm.writes:
            if not valid_name(one.to.name) or one.to.name in TAKEN | {*self.family.sizes, *self.family.tables}:
                raise BadInput("sizes, tables and coordinates must have names of their own", one.to.name)
            self.declared(one.to, False, scope)
            self.functions(one.form, scope | one.to.indices)
            self.family.linear(one.form, scope | one.to.indices, 1)
        for number in (norm.gain, norm.bias, norm.epsilon):
            self.functions(number, scope)

    def readout(self, readout: Readout) -> None:
        for one in readout.reads:
            self.declared(one)
        document = self.family.document["readout"]
        if "scores" in document and len(readout.reads[0].over) != 1:
            must = "a readout must read coordinates, the largest one range of them"
            raise BadInput(must, document["scores"])
        if "score" in document:
            self.functions(readout.score)
            self.family.linear(readout.score, frozenset(), 1)


def _declaration(to: Declared) -> str:
    ranges = "".join(f"all {c} in {show(low)}..{show(high)}. " for c, low, high in to.over)
    return ranges + to.name + (f"({', '.join(one.name for one in to.over)})" if to.over else "")


def _last(text: str) -> str:
    """The name that a declaration is for."""
    return re.sub(r"\([^()]*\)\s*$", "", text).rpartition(" ")[2]


def _bound(text: str) -> list[str]:
    """The indices of a declaration."""
    return re.findall(r"\ball\s+(\w+)\s+in\b", text, re.ASCII)


def _numeral(tree: Tree) -> Any:
    if tree[0] == "neg":
        value = _numeral(tree[1])
        return None if value is None else -value
    return tree[1] if tree[0] == "num" and tree[2] == 1 else None


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


# --- files ---


def shipped(name: str) -> Path:
    """Where a family that ships would be: inside an installed package, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    return (
        next(
            (
                path
                for path in (package / "_proofs" / "families", package.parent / "proofs" / "families")
                if path.is_dir()
            ),
            package,
        )
        / f"{name}.json"
    )


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
        document = json.loads(
            data, object_pairs_hook=_pairs, parse_float=_no_float, parse_constant=_no_float, parse_int=_whole
        )
    except (ValueError, RecursionError) as error:
        raise BadInput("a family file must be JSON", str(error)[:80]) from None
    return Family(document, choices)


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) < len(pairs):
        keys = [key for key, _ in pairs]
        raise BadInput("a family file must not repeat a key", next(key for key in keys if keys.count(key) > 1))
    return out


def _no_float(given: str) -> NoReturn:
    raise BadInput("a number in a family file must be text in the grammar", given, 'write it as "1/2"')


def _whole(given: str) -> int:
    if len(given) > 18:
        raise BadInput("a whole number in a family file must have at most 18 digits", given)
    return int(given)


def _fields(given: object, what: str, must: set[str], may: set[str]) -> dict[str, Any]:
    found = _object(given, what)
    for key in sorted(must - found.keys()):
        raise BadInput(f'{what} must have the key "{key}"', ", ".join(found) or "none")
    for key in found.keys() - must - may:
        raise unknown(f"key of {what}", key, sorted(must | may))
    return found


def _object(given: object, what: str) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise BadInput(f"{what} must be an object", _kind(given))
    return given


def _some(given: object, what: str) -> list[Any]:
    if not isinstance(given, list):
        raise BadInput(f"{what} must be a list", _kind(given))
    if not given:
        raise BadInput(f"{what} must not be empty", "[]")
    return given


def _many(given: object) -> list[Any]:
    """A list, or the one entry that is given without it."""
    return given if isinstance(given, list) else [given]


def _number(given: object, what: str) -> str:
    """A number or form as text; a whole number may be one of JSON."""
    return str(given) if type(given) is int else _text(given, what)


def _text(given: object, what: str) -> str:
    if not isinstance(given, str):
        raise BadInput(f"{what} must be text", _kind(given))
    return given


def _kind(given: object) -> str:
    names = {dict: "an object", list: "a list", bool: "true or false", int: "a number", type(None): "null"}
    return names.get(type(given), f"the text {given!r:.40}")
