"""The run relation of a stored model: equations between its coordinates at all positions, as text of the grammar.

In a statement, ``run(NAME)`` stands for these equations, ``word(NAME)`` for "w(1), ..., w(n) are indices into the
vocabulary of NAME" and ``accept(NAME)`` for the readout's condition. They are expanded from the model file, the one
that is exported, before the statement is read; so a proof covers the weights themselves. Coordinates of a model over
positions are functions (``balance(i)``), those of a feed-forward recipe are numbers (``out``). The first value of a
coordinate has the coordinate's name, a later one ``z<layer>_name``.

What is trusted here is the reading of the blocks; tests compare it with `forward` in the exact domain. Standard library
only: numbers and expressions are text already.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from symcook.errors import BadInput
from symcook.expr import ARITY, Tree, children, names, parse_term, show, valid_name

Model = Mapping[str, Any]
_TAKEN = frozenset({"i", "j", "k", "n", "w"})  # names that the relation itself uses
_CALL = re.compile(r"\b(run|word|accept)\(\s*([A-Za-z0-9][A-Za-z0-9-]*)\s*\)")


def expand(text: str, model: Callable[[str], Model] | None = None) -> str:
    """`text` with run, word and accept of stored models written out.

    >>> expand("all i:Int. word(dyck-1) -> 0 < i")
    'all i:Int. (all i in 1..n. w(i) = 0 | w(i) = 1) -> 0 < i'

    `model` gives the document of a model by name (by default the stored one). Raises BadInput for an unknown model or
    a block that has no equation here.
    """
    find = stored_model if model is None else model

    def written(match: re.Match[str]) -> str:
        try:
            return f"({getattr(Relation(find(match[2])), match[1])()})"
        except (KeyError, TypeError, ValueError, AttributeError):
            raise BadInput("a stored model must follow the format of model files", match[2]) from None

    return _CALL.sub(written, text)


@cache
def stored_model(name: str) -> Model:
    """The document of proofs/models/NAME.json."""
    from symcook.proof.replay import proofs_directory

    path = proofs_directory() / "models" / f"{name}.json"
    if not path.is_file():
        raise BadInput("a statement must name a stored model", name)
    return json.loads(path.read_text(encoding="utf-8"))


class Relation:
    """The equations of one model document."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.embedding = model["embedding"]
        self._well_named()
        attends = any(layer["attention"] for layer in model["layers"])
        self.pointwise = self.embedding["inputs"] is not None and not attends and not self.embedding["positions"]
        self.low = str(self.embedding["start"])
        self.high = "n" if self.low == "1" else "n - 1"
        self.equations: list[str] = []
        self.held: dict[str, str] = {}
        self.used: set[str] = set(model["space"])  # what a later value must not be called
        self._embed()
        if model["final_norm"] is not None or any(layer["placement"] != "none" for layer in model["layers"]):
            raise BadInput("a run relation has no equation for a layer norm yet", model["name"])
        if self.embedding["before"] is not None or self.embedding["after"] is not None:
            raise BadInput("a run relation has no word for tokens that the model adds yet", model["name"])
        for number, layer in enumerate(model["layers"], 1):
            if len(layer["attention"] or []) > 1:
                raise BadInput("a run relation knows one head a layer", len(layer["attention"]), "use more layers")
            for head in layer["attention"] or []:
                self._head(number, head)
            if layer["feedforward"] is not None:
                self._feedforward(number, layer["feedforward"])

    def _well_named(self) -> None:
        """BadInput where a name or number of the document could mean something else in the text of a statement."""
        for name in self.model["space"]:
            if not isinstance(name, str) or not valid_name(name) or name in _TAKEN:
                raise BadInput("a coordinate in a statement must be a name other than i, j, k, n and w", name)
        if len(set(self.model["space"])) != len(self.model["space"]):
            raise BadInput("the coordinates of a model must differ", self.model["name"])
        if type(self.embedding["start"]) is not int or self.embedding["start"] not in (0, 1):
            raise BadInput("positions must be numbered from 0 or 1", self.embedding["start"])
        blocks = [b for layer in self.model["layers"] for b in (*(layer["attention"] or ()), layer["feedforward"]) if b]
        touched = [name for b in (*blocks, self.model["readout"]) for name in (*b["reads"], *b.get("writes", ()))]
        for name in (*touched, *(self.embedding["inputs"] or ()), *self.embedding["positions"]):
            if name not in self.model["space"]:
                raise BadInput("a block must read and write coordinates of the space", name)
        symbols = {symbol["name"] for symbol in self.model["symbols"]}
        if symbols & {*self.model["space"], *_TAKEN} or not all(map(valid_name, symbols)):
            raise BadInput("a symbol in a statement must be a name of its own", ", ".join(sorted(symbols)))
        over = [
            *self.embedding["positions"].values(),
            *(b[k] for b in blocks for k in ("scale", "temperature") if k in b),
        ]
        fixed = [
            b.get(k)
            for b in (*blocks, self.model["readout"])
            for k in ("W1", "b1", "W2", "b2", "Q", "K", "V", "weights")
        ]
        fixed += [list(row.values()) for row in (self.embedding["words"] or {}).values()]
        for text in _flat(fixed):
            _only(text, symbols)
        for text in _flat(over):
            _only(text, symbols | {"i", "n"})

    def run(self) -> str:
        """The conjunction of all equations."""
        parts = [e if self.pointwise else f"(all i in {self.low}..{self.high}. {e})" for e in self.equations]
        return " & ".join(parts) or "true"

    def word(self) -> str:
        """w(i) is an index into the vocabulary at every position."""
        if self.embedding["words"] is None:
            raise BadInput("word(NAME) needs a model with an alphabet", self.model["name"])
        cases = " | ".join(f"w(i) = {index}" for index in range(len(self.embedding["words"])))
        return f"all i in {self.low}..{self.high}. {cases}"

    def accept(self) -> str:
        """The readout's condition where it looks."""
        readout = self.model["readout"]
        place = {"first": self.low, "last": self.high, "all": "i"}.get(readout["position"])
        if place is None or readout["kind"] not in ("zero", "sign"):
            raise BadInput("accept(NAME) needs a model with one decision", self.model["name"])
        values = [self._at(name, place) for name in readout["reads"]]
        if readout["kind"] == "zero":
            condition = " & ".join(f"{value or '0'} = 0" for value in values)
        else:
            weighted = zip(readout["weights"][0], values, strict=True)
            condition = f"0 < {_sum(_times(weight, value) for weight, value in weighted if value)}"
        return f"all i in {self.low}..{self.high}. {condition}" if place == "i" else condition

    def _at(self, name: str, place: str) -> str | None:
        """The value of a coordinate at a position; None where nothing was written yet, so that it is zero."""
        held = self.held.get(name)
        return held if held is None or self.pointwise else f"{held}({place})"

    def _write(self, name: str, number: int, right: Callable[[str | None], str]) -> None:
        """Equation for the next value of `name`; `right` makes the right side from the old value (None: zero)."""
        old = self._at(name, "i")
        fresh = name if old is None else f"z{number}_{name}"
        while old is not None and fresh in self.used:
            fresh += "_"
        text = right(old)
        self.held[name] = fresh
        self.used.add(fresh)
        self.equations.append(text.replace("@", fresh if self.pointwise else f"{fresh}(i)"))

    def _embed(self) -> None:
        words, inputs = self.embedding["words"], self.embedding["inputs"] or []
        for name in self.model["space"]:
            terms: list[str] = []
            if words is not None:
                table = [(index, row[name]) for index, row in enumerate(words.values()) if row.get(name, "0") != "0"]
                terms = [_times(value, f"I[w(i) = {index}]") for index, value in table]
            if name in inputs:
                self.held[name] = name
            if name in self.embedding["positions"]:
                terms.append(_readable(self.embedding["positions"][name]))
            if terms:
                self._write(name, 0, lambda old, terms=terms: f"@ = {_sum([old, *terms] if old else terms)}")

    def _row(self, weights: Iterable[str], reads: Iterable[str], place: str) -> list[str]:
        entries = ((weight, self._at(name, place)) for weight, name in zip(weights, reads, strict=True))
        return [_times(weight, value) for weight, value in entries if value is not None and weight != "0"]

    def _feedforward(self, number: int, block: Mapping[str, Any]) -> None:
        if block["activation"] != "relu":
            raise BadInput("a run relation knows the activation relu", block["activation"])
        units = []
        for weights, (bias,) in zip(block["W1"], block["b1"], strict=True):
            units.append(f"relu({_sum([*self._row(weights, block['reads'], 'i'), *_nonzero(bias)])})")
        rights = []
        for weights, (bias,) in zip(block["W2"], block["b2"], strict=True):
            terms = [_times(weight, unit) for weight, unit in zip(weights, units, strict=True) if weight != "0"]
            rights.append([*terms, *_nonzero(bias)])
        for name, terms in zip(block["writes"], rights, strict=True):
            self._write(name, number, lambda old, terms=terms: f"@ = {_sum([old, *terms] if old else terms)}")

    def _head(self, number: int, head: Mapping[str, Any]) -> None:
        high = {"none": self.high, "future": "i"}.get(head["mask"])
        if high is None:
            raise BadInput("a run relation knows the masks none and future", head["mask"])
        window = f"{self.low}, {high}"

        def score(at: str) -> str | None:
            rows = zip(head["Q"], head["K"], strict=True)
            pairs = [(self._row(q, head["reads"], "i"), self._row(k, head["reads"], at)) for q, k in rows]
            products = [f"({_sum(q)})*({_sum(k)})" for q, k in pairs if q and k]
            return _sum(products) if products else None

        scores = {at: score(at) for at in "jk"}  # now: what the head writes must not enter what it reads

        def weighted(value: str, old: str | None) -> str:
            plus = f"{old} + " if old else ""
            if scores["j"] is None:
                size = "n" if head["mask"] == "none" else "i" if self.low == "1" else "(i + 1)"
                return f"@ = {plus}sum(j, {window}, {value})/{size}"
            if head["weighting"] == "softmax":
                scale, temperature = (_readable(head[key]) for key in ("scale", "temperature"))
                weight = f"exp(({scale})/({temperature})*({scores['j']}))"
                return f"@ = {plus}sum(j, {window}, {weight}*({value}))/sum(j, {window}, {weight})"
            best = f"I[all k in {self.low}..{high}. {scores['k']} <= {scores['j']}]"
            change = f"(@ - {old})" if old else "@"
            return f"{change}*sum(j, {window}, {best}) = sum(j, {window}, {best}*({value}))"

        if head["weighting"] not in ("average", "softmax"):
            raise BadInput("a run relation knows the weightings average and softmax", head["weighting"])
        rows = [self._row(weights, head["reads"], "j") for weights in head["V"]]
        for name, terms in zip(head["writes"], rows, strict=True):
            value = _sum(terms)
            self._write(name, number, lambda old, value=value: weighted(value, old))


def _nonzero(bias: str) -> list[str]:
    return [] if bias == "0" else [_bracketed(_readable(bias))]


def _times(weight: str, value: str) -> str:
    if weight in ("1", "-1"):
        return value if weight == "1" else f"-{value}"
    return f"{_bracketed(_readable(weight))}*{value}"


def _bracketed(text: str) -> str:
    return text if re.fullmatch(r"[A-Za-z0-9_.]+", text) else f"({text})"


def _sum(terms: Iterable[str]) -> str:
    """Terms joined by plus signs; a long sum is bracketed in halves, which keeps its tree shallow."""
    parts = list(terms)
    if not parts:
        return "0"
    if len(parts) <= 16:
        return " + ".join(parts)
    half = len(parts) // 2
    return f"({_sum(parts[:half])}) + ({_sum(parts[half:])})"


def _flat(part: Any) -> list[str]:
    """The numbers in nested lists."""
    return [text for one in part for text in _flat(one)] if isinstance(part, list) else [] if part is None else [part]


def _only(text: str, allowed: set[str]) -> None:
    """BadInput where a number of the document has other names than `allowed`, or a function that is not known."""
    tree = parse_term(text)
    todo = [tree]
    while todo:
        part = todo.pop()
        todo += children(part)
        if part[0] == "call" and part[1] not in ARITY:
            raise BadInput("a number of a model must use functions of the grammar only", text)
    if not names(tree) <= allowed:
        raise BadInput("a number of a model must use its declared symbols only", text)


def _readable(text: str) -> str:
    """An expression of a model in the statement language: powers with a variable exponent become pow."""

    def put(tree: Tree) -> Tree:
        if tree[0] == "^" and tree[2][0] != "num":
            return ("call", "pow", (put(tree[1]), put(tree[2])))
        if not list(children(tree)):
            return tree
        return tuple(_put(part, put) for part in tree)

    return show(put(parse_term(text)))


def _put(part: Any, put: Callable[[Tree], Tree]) -> Any:
    if not isinstance(part, tuple) or not part:
        return part
    return put(part) if isinstance(part[0], str) else tuple(put(p) for p in part)
