"""The document of a family file in its plain spelling, the one that `symcook.model.plainfamily` reads.

`plain` takes a JSON document as people write it, and returns the same family with all keys checked. A number may be
given as a number instead of text, and one entry without a list around it. A write may name its indices otherwise than
the declaration does; it is renamed. A constant in what a head writes, in its score or in the score of a readout becomes
a multiple of a coordinate that is always 1; feed-forward forms keep their constants. Nothing here is trusted: a theorem
is about the plain document.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from symcook.errors import BadInput, unknown
from symcook.model.expr import Tree, children, parse_term, show, valid_name
from symcook.model.meaning import subtrees
from symcook.model.plainfamily import READOUTS, ZERO

VERSION = 1
"""The version of the format, the value of the key "symcook family"."""
MOST_DIGITS = 18
"""The greatest number of digits of an integer that a family file has as a JSON number."""
TAKEN = frozenset({"i", "j", "k", "n", "w"})
"""Names that mean positions, the length and the token in the equations of a family."""
MASKS = ("none", "future", "strict-future", "past", "strict-past")
WEIGHTINGS = ("average", "softmax", "leftmost", "rightmost")
PLACEMENTS = ("none", "post", "pre", "projected pre", "multi pre")
"""The placements of norms, as in `symcook.model.parts.Layer`."""
ReadsCoordinate = Callable[[Tree], bool]
"""A function that says whether a coordinate is in a tree."""
_FAMILY = {"symcook family", "name", "sizes", "space", "embedding", "layers", "readout"}
"""The keys that a family must have."""
_EMBEDDING = {"vocabulary", "inputs", "words", "positions", "start", "before", "after"}
"""The keys that an embedding may have."""
_LAYER = {"attention", "feedforward", "placement", "attention_norms", "feedforward_norms"}
"""The keys that a layer may have."""
OWN_INDEX = "an index must have a new name, other than i, j, k, n and w"
"""The refusal of an index that has the name of something else."""
_NORMS = 'the norms of a layer must fit its "placement"'
"""The refusal of norms that do not suit the placement."""
_NORMS_DO = (
    'write no norm for "none", one for "pre" or "post", and norms with "writes" for "projected pre" or "multi pre"'
)
"""The advice after that refusal."""


def plain(document: object) -> dict[str, Any]:
    """The plain spelling of `document`, the JSON object of a family file.

    Raises BadInput for a key that is missing or unknown, and for a value of another kind.
    """
    # The keys of the file, and its version.
    may = {"source", "tables", "choices", "longest", "summary", "meanings"}
    doc = _fields(document, "a family", _FAMILY, may)
    if type(doc["symcook family"]) is not int or doc["symcook family"] != VERSION:
        raise BadInput(
            f"a family must have version {VERSION}",
            _quoted(doc["symcook family"]),
            f'write "symcook family": {VERSION}',
        )
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]*", _text(doc["name"], "the name of a family"), re.ASCII):
        raise BadInput(
            "the name of a family must be of letters, digits and -",
            doc["name"],
            "use only these characters, and a letter or digit first",
        )
    # Each part in its plain spelling.
    plain_document = dict(doc)
    plain_document |= {key: _text(doc[key], key) for key in ("source", "summary") if key in doc}
    plain_document["sizes"] = {
        key: _text(condition, "a condition") for key, condition in _object(doc["sizes"], "sizes").items()
    }
    declarations = _filled_list(doc["space"], "the space")
    plain_document["space"] = [_text(declaration, "a declaration") for declaration in declarations]
    if "tables" in doc:
        plain_document["tables"] = {key: _table(key, table) for key, table in _object(doc["tables"], "tables").items()}
    if "choices" in doc:
        plain_document["choices"] = {
            key: _choice(key, choice) for key, choice in _object(doc["choices"], "choices").items()
        }
    plain_document |= {"longest": _number(doc["longest"], "longest")} if doc.get("longest") is not None else {}
    plain_document["embedding"] = _embedding(doc["embedding"])
    choices, parts = plain_document.get("choices", {}), _filled_list(doc["layers"], "layers")
    plain_document["layers"] = [_layer_or_repetition(part, choices) for part in parts]
    plain_document["readout"] = _readout(doc["readout"])
    # Names, and then the meanings of names.
    _own_names(plain_document)
    if "meanings" in doc:
        plain_document["meanings"] = {
            key: _text(meaning, "a meaning") for key, meaning in _object(doc["meanings"], "meanings").items()
        }
        named = [*doc["sizes"], *map(last_name, (*doc.get("tables", ()), *doc["space"])), *doc.get("choices", ())]
        for name in plain_document["meanings"]:
            if name not in named:
                raise unknown('key of "meanings"', name, named)
    # Last the rewritings that need all declarations.
    return _constants(_indices(plain_document))


def _own_names(doc: Mapping[str, Any]) -> None:
    """Refuse a name that is declared twice, that is not valid, or that means a position, the length or a token."""
    texts = [*doc["sizes"], *doc.get("choices", ()), *doc.get("tables", ()), *doc["space"]]
    names_seen = {*TAKEN}
    for text in texts:
        name = last_name(text)
        if not valid_name(name) or name in names_seen:
            raise BadInput("sizes, tables and coordinates must all have different names", text, "rename one of them")
        names_seen.add(name)


def _table(name: str, given: object) -> dict[str, Any]:
    """A table as an object. In the file, a table may also be only the sort of its entries, as text."""
    fields = {"values": given} if isinstance(given, str) else _fields(given, f"the table {name}", {"values"}, {"where"})
    if fields["values"] not in ("Int", "Real"):
        raise BadInput(
            "a table must have at most three indices and values Int or Real",
            name,
            'write "Int" for whole numbers or "Real" for rational numbers',
        )
    if "where" in fields:
        fields = {**fields, "where": [_text(condition, "a condition") for condition in _as_list(fields["where"])]}
    return fields


def _choice(name: str, given: object) -> list[str]:
    """The masks, or the weightings, from which the user who loads the file may choose."""
    words = [_text(word, "a choice") for word in _filled_list(given, f"the choice {name}")]
    if not ({*words} <= {*MASKS} or {*words} <= {*WEIGHTINGS}) or len({*words}) < len(words):
        must = f"a choice must be of masks ({', '.join(MASKS)}) or of weightings ({', '.join(WEIGHTINGS)})"
        raise BadInput(
            must, f"{', '.join(words)} for {name}", "list some of the masks, or some of the weightings, each once"
        )
    return words


def _embedding(given: object) -> dict[str, Any]:
    """The embedding with lists as lists and numbers as text."""
    e = {**dict.fromkeys(("vocabulary", "inputs", "words")), "positions": {}}
    e |= _fields(given, "the embedding", set(), _EMBEDDING)
    # Strings need a vocabulary and rows of tokens; numbers need inputs. One of the two must be there, and not both.
    if (e["words"] is None) is (e["inputs"] is None) or (e["words"] is None) is not (e["vocabulary"] is None):
        there = ", ".join(key for key in ("vocabulary", "words", "inputs") if e[key] is not None)
        raise BadInput(
            "an embedding must have either strings with a vocabulary, or inputs",
            there or "none of them",
            'give "vocabulary" and "words" for strings, or "inputs" for numbers',
        )
    if type(e.get("start", 1)) is not int or e.get("start", 1) not in (0, 1):
        raise BadInput("positions must be numbered from 0 or 1", _quoted(e["start"]), 'write "start": 0 or "start": 1')
    e |= {key: _number(e[key], key) for key in ("vocabulary", "before", "after") if e.get(key) is not None}
    if e["inputs"] is not None:
        e["inputs"] = [_text(name, "an input") for name in _filled_list(_as_list(e["inputs"]), "inputs")]
    for key in ("words", "positions"):
        e[key] = None if e[key] is None else _forms(e[key])
    return {**e, "positions": e["positions"] or {}}


def _forms(given: object) -> dict[str, str]:
    """The writes of a block, {coordinate with its indices: form as text}."""
    return {key: _number(form, "a form") for key, form in _object(given, "what is written").items()}


def _layer_or_repetition(given: object, choices: Mapping[str, object]) -> dict[str, Any]:
    """A layer, or a repetition: layers with the index of their rounds."""
    if not isinstance(given, dict) or "for" not in given:
        return _layer(given, choices)
    fields = _fields(given, "a repetition", {"for", "layers"}, set())
    layers = _filled_list(fields["layers"], "the layers of a repetition")
    if any(isinstance(part, dict) and "for" in part for part in layers):
        raise BadInput(
            "a repeated list of layers must not contain another one", fields["for"], "use one index over both"
        )
    return {"for": _text(fields["for"], "a range"), "layers": [_layer(part, choices) for part in layers]}


def _layer(given: object, choices: Mapping[str, object]) -> dict[str, Any]:
    """A layer with lists as lists and numbers as text; BadInput where its norms do not suit its placement."""
    fields = _fields(given, "a layer", set(), _LAYER)
    layer, placement = dict(fields), fields.get("placement", "none")
    if placement not in PLACEMENTS:
        raise BadInput(
            f"the placement of norms must be one of {', '.join(PLACEMENTS)}",
            _quoted(placement),
            'write one of these, or leave "placement" out',
        )
    if "attention" in fields:
        layer["attention"] = [_head(head, choices) for head in _as_list(fields["attention"])]
    if "feedforward" in fields:
        layer["feedforward"] = _forms(fields["feedforward"] or {})
    if not layer.get("attention") and not layer.get("feedforward"):
        raise BadInput(
            "a layer must have an attention or a feed-forward layer",
            "neither",
            'add "attention" or "feedforward", or leave the layer out',
        )
    for block in ("attention", "feedforward"):
        key = f"{block}_norms"
        norms = [_norm(norm, placement) for norm in _as_list(fields.get(key) or [])]
        # There are norms exactly where there is a placement and a block; only "multi pre" may have several.
        wanted = placement != "none" and bool(layer.get(block))
        if bool(norms) is not wanted or (len(norms) > 1 and placement != "multi pre"):
            raise BadInput(_NORMS, placement, _NORMS_DO)
        layer |= {key: norms} if key in fields else {}
    return layer


def _head(given: object, choices: Mapping[str, Any]) -> dict[str, Any]:
    """A head, with numbers as text."""
    fields = _fields(given, "a head", {"score", "mask", "weighting", "writes"}, {"for", "scale", "temperature"})
    for key, words in (("mask", MASKS), ("weighting", WEIGHTINGS)):
        word = fields[key]
        # A mask or weighting may be the name of a choice, if that choice is between masks or weightings.
        if word not in words and not (isinstance(word, str) and {*choices.get(word, "?")} <= {*words}):
            must = f"a head must have a mask of {', '.join(MASKS)} and a weighting of {', '.join(WEIGHTINGS)}"
            raise BadInput(
                must,
                f"{_quoted(fields['mask'])} and {_quoted(fields['weighting'])}",
                "write one of these, or the name of a choice of them",
            )
    head = {**fields, "writes": _forms(fields["writes"]), "score": _number(fields["score"], "a score")}
    if not head["writes"]:
        raise BadInput("a head must write a coordinate", "none", 'add for example "writes": {"found": "value"}')
    return head | {key: _number(fields[key], key) for key in ("for", "scale", "temperature") if key in fields}


def _norm(given: object, placement: str) -> dict[str, Any]:
    """A norm, with numbers as text. A projecting norm writes names of its own; any other norm has no `writes`."""
    fields = _fields(given, "a norm", {"epsilon", "zero_variance"}, {"writes", "gain", "bias"})
    projected = placement in ("projected pre", "multi pre")
    if fields["zero_variance"] not in ("refuse", "zero") or bool(fields.get("writes")) is not projected:
        raise BadInput(_NORMS, placement, _NORMS_DO)
    norm = {key: _number(fields[key], key) for key in ("epsilon", "gain", "bias") if key in fields}
    return {**fields, **norm, **({"writes": _forms(fields["writes"])} if "writes" in fields else {})}


def _readout(given: object) -> dict[str, Any]:
    """A readout. Which key says what it reads depends on its kind (`READOUTS`)."""
    kind = given.get("kind") if isinstance(given, dict) else None
    if not isinstance(kind, str) or kind not in READOUTS:
        raise BadInput(
            f"a readout must be one of {', '.join(READOUTS)}",
            "none" if kind is None else _quoted(kind),
            'write one of these as "kind"',
        )
    fields = _fields(given, "the readout", {"kind", "position", READOUTS[kind]}, set())
    # Only a verdict can be about all positions together: a readout of kind sign or zero.
    where = ("first", "last", "each", *(() if kind in ("value", "largest") else ("all",)))
    if fields["position"] not in where:
        raise BadInput(
            f"the position of a readout {kind} must be one of {', '.join(where)}",
            _quoted(fields["position"]),
            'write one of these as "position"',
        )
    if kind in ("sign", "largest"):
        return {**fields, READOUTS[kind]: _text(fields[READOUTS[kind]], "a score")}
    return {
        **fields,
        "reads": [_text(coordinate, "a coordinate") for coordinate in _filled_list(_as_list(fields["reads"]), "reads")],
    }


def _layers(doc: Mapping[str, Any]) -> list[dict[str, Any]]:
    """All layers; the layers of a repetition occur once."""
    return [layer for part in doc["layers"] for layer in (part["layers"] if "for" in part else [part])]


# --- indices: writes get the indices of the declarations ---


def _indices(doc: dict[str, Any]) -> dict[str, Any]:
    """The document in which each write of the embedding, of a head and of a feed-forward layer has the indices that its
    coordinate is declared with; `doc` itself is changed. Writes of norms are left as they are."""
    declared = {last_name(text): _bound(text) for text in doc["space"]}

    def changed(writes: Mapping[str, str], others: list[str]) -> tuple[dict[str, str], list[str]]:
        """The writes with the declared indices, and the texts `others` (a score) with the same renaming. A write with
        another number of indices is left as it is; it is refused later."""
        out = {}
        for key, text in writes.items():
            old = _bound(key)
            if {*old} & {*TAKEN, *doc["sizes"], *map(last_name, doc.get("tables", ())), *declared}:
                raise BadInput(OWN_INDEX, key, "rename the index")
            if last_name(key) not in declared:
                raise BadInput("a coordinate must be declared in the space", key, 'add the coordinate to "space"')
            new = declared[last_name(key)]
            if old != new and len(old) == len(new):
                # A name in the texts that is also a new index name, but means something else, would be captured by the
                # renaming.
                words = {*re.findall(r"\w+", " ".join([text, *others]))} - {*old}
                if words & {*new} - {*old}:
                    do = "write " + "".join(f"all {c} in .. " for c in new).strip()
                    raise BadInput(
                        "a write must name the indices of a coordinate as the declaration in the space does", key, do
                    )
                names = dict(zip(old, new, strict=True))
                key, text, *others = (
                    re.sub(r"\b[A-Za-z_]\w*", lambda m, names=names: names.get(m[0], m[0]), text_part)
                    for text_part in (key, text, *others)
                )
            out[key] = text
        return out, others

    embedding = doc["embedding"]
    # `changed` renames a write with its form; in a head the score uses the same indices, so it is renamed with them.
    embedding |= {key: changed(embedding[key], [])[0] for key in ("words", "positions") if embedding[key]}
    for layer in _layers(doc):
        if layer.get("feedforward"):
            layer["feedforward"] = changed(layer["feedforward"], [])[0]
        for head in layer.get("attention", ()):
            head["writes"], (head["score"],) = changed(head["writes"], [head["score"]])
    return doc


# --- constants: multiples of a coordinate that is always 1 ---


def _constants(doc: dict[str, Any]) -> dict[str, Any]:
    """The document with a coordinate that is always 1 as a factor of each constant in what heads write, in their scores
    and in the score of a readout; `doc` itself is changed."""
    space = {*map(last_name, doc["space"])}
    layers = _layers(doc)
    # The unit: a coordinate that the embedding sets to 1, and that no token, layer or norm changes.
    written = set[str]()
    for layer in layers:
        for head in layer.get("attention", ()):
            written |= head["writes"].keys()
        written |= layer.get("feedforward", {}).keys()
    embedding = doc["embedding"]
    fixed = [x for x, text in embedding["positions"].items() if text == "1" and x in space - written]
    normed = any(layer.get("placement", "none") != "none" for layer in layers)
    by_token = {*fixed} & {*(embedding["words"] or ())}
    unit = fixed[0] if fixed and not normed and not by_token else None
    known = space | {word for layer in layers for word in _normed_names(layer)}

    def changed(text: str, insert_unit: Callable[[Tree, ReadsCoordinate, Tree], Tree]) -> str:
        """The form or score with the unit where it has a constant; BadInput where the model has no unit."""
        tree = parse_term(text)

        def reads(part: Tree) -> bool:
            """Whether a tree has a coordinate, or a name that a norm writes."""
            return (part[0] in ("name", "call") and part[1] in known) or any(map(reads, children(part)))

        # `insert_unit` says where a unit goes: into a form (`_with_unit`) or into a score (`_products`).
        with_unit = insert_unit(tree, reads, ("name", unit or "1"))
        if with_unit == tree:
            return text
        # The tree got a unit, but the model has no coordinate for it.
        if unit is None and ("name", "1") in subtrees(with_unit):
            linear = "a form must be linear, without a constant"
            must = linear if insert_unit is _with_unit else "a score must be a sum of products (query form)*(key form)"
            raise BadInput(must, text, 'a constant needs a coordinate that is always 1: "positions": {"one": "1"}')
        return show(with_unit)

    for layer in layers:
        for head in layer.get("attention", ()):
            head["writes"] = {key: changed(text, _with_unit) for key, text in head["writes"].items()}
            head["score"] = changed(head["score"], _products)
    if "score" in doc["readout"]:
        doc["readout"]["score"] = changed(doc["readout"]["score"], _with_unit)
    return doc


def _normed_names(layer: Mapping[str, Any]) -> Iterator[str]:
    """The names that the norms of a layer write."""
    for key in ("attention_norms", "feedforward_norms"):
        for norm in layer.get(key, ()):
            yield from map(last_name, norm.get("writes", {}))


def _with_unit(tree: Tree, reads: ReadsCoordinate, unit: Tree) -> Tree:
    """The form `tree` with each constant in it multiplied by `unit`."""
    if not reads(tree):
        if tree == ("num", 1, 1):
            return unit
        return tree if tree == ZERO else ("*", tree, unit)
    if tree[0] in ("+", "-", "neg"):
        return (tree[0], *(_with_unit(kid, reads, unit) for kid in tree[1:]))
    if tree[0] == "sum":
        return (*tree[:4], _with_unit(tree[4], reads, unit))
    if tree[0] in ("*", "/"):
        return (tree[0], *(_with_unit(kid, reads, unit) if reads(kid) else kid for kid in tree[1:]))
    return tree


def _products(
    tree: Tree, reads: ReadsCoordinate, unit: Tree, factor: Callable[[Tree], Tree] = lambda form: form
) -> Tree:
    """A score as a sum of products (query form)*(key form), with the numbers around a product multiplied into a form.

    A term that is a single form becomes the key form of a product with the query form `unit`. `factor` multiplies a
    form by the numbers that were around the term.
    """
    tag = tree[0]
    if tree == ZERO:
        return tree
    if tag in ("+", "-", "neg"):
        # Sums and signs: term by term.
        return (tag, *(_products(kid, reads, unit, factor) for kid in tree[1:]))
    if tag == "sum" and (body := tree[4]) and not _linear_in(body, reads):
        return (*tree[:4], _products(body, reads, unit, factor))
    # A product divided by a number: the number goes into the query form.
    if tag == "/" and reads(tree[1]) and not reads(tree[2]) and not _linear_in(tree[1], reads):
        return _products(tree[1], reads, unit, lambda form: ("/", factor(form), tree[2]))
    if tag == "*" and not _linear_in(tree, reads):
        # A number times a score.
        for number, score in ((tree[1], tree[2]), (tree[2], tree[1])):
            if not reads(number):
                return _products(score, reads, unit, lambda form: ("*", number, factor(form)))  # noqa: B023
        # Query form times key form.
        query, key = (_with_unit(kid, reads, unit) for kid in tree[1:])
        return ("*", factor(query), key)
    # A single form.
    if _linear_in(tree, reads):
        return ("*", unit, factor(_with_unit(tree, reads, unit)))
    return tree


def _linear_in(tree: Tree, reads: ReadsCoordinate) -> bool:
    """Whether no two coordinates are multiplied, and none is divided by another, in a tree."""
    if tree[0] in ("*", "/") and all(map(reads, tree[1:])):
        return False
    return all(_linear_in(kid, reads) for kid in tree[1:] if isinstance(kid, tuple) and tree[0] not in ("call", "name"))


# --- kinds ---


def _fields(given: object, what: str, must: set[str], may: set[str]) -> dict[str, Any]:
    """`given` as an object that has all keys of `must`, and no key outside `must` and `may`."""
    fields = _object(given, what)
    for key in sorted(must - fields.keys()):
        raise BadInput(f'{what} must have the key "{key}"', ", ".join(fields) or "none", "add the key")
    for key in fields:
        if key not in must | may:
            raise unknown(f"key of {what}", key, sorted(must | may))
    return fields


def _object(given: object, what: str) -> dict[str, Any]:
    """`given` as an object with text as keys; else BadInput, which calls it `what`."""
    if not isinstance(given, dict):
        raise BadInput(f"{what} must be an object", _kind(given), "write it in braces, with its keys")
    for key in given:
        _text(key, f"a key of {what}")
    return given


def _filled_list(given: object, what: str) -> list[Any]:
    """`given` as a list that is not empty."""
    if not isinstance(given, list):
        raise BadInput(f"{what} must be a list", _kind(given), "write it in square brackets")
    if not given:
        raise BadInput(f"{what} must not be empty", "[]", "add at least one entry")
    return given


def _as_list(given: object) -> list[Any]:
    """`given` as a list; a value that is not a list becomes its only entry."""
    return given if isinstance(given, list) else [given]


def _number(given: object, what: str) -> str:
    """A number or form as text. A short integer may be given as a JSON number."""
    if type(given) is not int:
        return _text(given, what)
    if abs(given) >= 10**MOST_DIGITS:
        raise BadInput(f"a whole number in a family must have at most {MOST_DIGITS} digits", given, "write it as text")
    return str(given)


def _text(given: object, what: str) -> str:
    """`given` as text; else BadInput, which calls it `what`."""
    if not isinstance(given, str):
        raise BadInput(f"{what} must be text", _kind(given), "write it in double quotes")
    return given


def _quoted(value: object) -> str:
    """`value` as a message quotes it: text and short integers themselves, any other value by its kind."""
    short = type(value) is int and abs(value) < 10**MOST_DIGITS
    return str(value) if short or isinstance(value, str) else _kind(value)


def _kind(given: object) -> str:
    """What kind of JSON value `given` is, in words."""
    if isinstance(given, str):
        return f"the text {given!r:.40}"
    names = {dict: "an object", list: "a list", bool: "true or false", int: "a number", type(None): "null"}
    return names.get(type(given), f"a {type(given).__name__}")


def last_name(text: str) -> str:
    """The name that a declaration such as ``all c in 1..N. x(c)`` declares: x."""
    return re.sub(r"\([^()]*\)\s*$", "", text).rpartition(" ")[2]


def _bound(text: str) -> list[str]:
    """The names of the indices of a declaration, in order."""
    return re.findall(r"\ball\s+(\w+)\s+in\b", text, re.ASCII)
