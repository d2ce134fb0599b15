"""The run relation of a stored model: equations between its coordinates at all positions, as text of the grammar.

In a statement, ``run(NAME)`` stands for these equations, ``word(NAME)`` for "w(1), ..., w(n) are indices into the
vocabulary of NAME, the tokens that the model adds in their places", and ``accept(NAME)`` for the readout's condition.
They are expanded from the model file, the one that is exported, before the statement is read; so a proof covers the
weights themselves. Lists of names, and runs with a name of their own, are written out before (`records`). Coordinates
of a model over positions are functions (``balance(i)``), those of a feed-forward recipe are numbers (``out``).

Names: the first value of a coordinate has the coordinate's name, a later one is ``z<layer>_name``. Where several heads
of a layer write one coordinate, ``z<layer>_<head>_name`` is what one head adds. ``y<layer>_name`` is what a layer norm
makes, ``mu<layer>`` its mean and ``dev<layer>`` the root that it divides by (the final norm counts as one more layer);
an RMS norm has no mean, and its root is ``rms<layer>``. A name that is taken gets underscores at its end.

A head that sees no position adds zero, by an equation.

The relation holds of an input that has a run, and of no other. So besides the equations it states, at every position,
what a run needs: that a temperature is positive, and that a norm that refuses zero variance has a positive deviation.
It also states that n, which counts the positions of added tokens too, is at most the model's maximum length. This
belongs to the run and not to the word, since a model that takes numbers has no words. Temperature and length come
first: the equations after them may divide by what they exclude.

What is trusted here is the reading of the steps of a part (`symcook.model.steps`); tests compare it with `forward` in
the exact domain. Standard library only: numbers and expressions are text already.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from typing import Any

from symcook.errors import BadInput, all_read
from symcook.model.expr import ARITY, children, names, parse_term, valid_name
from symcook.model.steps import (
    Activate,
    Attend,
    ByDistance,
    Centre,
    DivideByRms,
    LinearMap,
    Multiply,
    PartStep,
    Products,
    Read,
    ScaleEntries,
    attention,
    fixed_numbers,
    kind_of,
    placed_numbers,
    steps_of,
    unknown_step,
)
from symcook.proof import familyrel, records, roundings
from symcook.proof.definitions import (
    ACTIVATIONS,
    Biased,
    EmbeddingRow,
    HiddenUnit,
    NormEntry,
    ProductOf,
    RootEntry,
    RootMeanSquare,
    Row,
    RunDefinition,
    UnitsRow,
    head_row,
    window,
)
from symcook.proof.files import proofs_directory
from symcook.proof.records import MODEL_CALL
from symcook.proof.rounded import ROUNDED
from symcook.proof.rows import PLACEMENTS, Right, RunEquations
from symcook.proof.runtext import joined, nonzero, rational, readable, times
from symcook.proof.runvalues import (
    BiasedScore,
    Bracketed,
    Combination,
    ListedEntries,
    Score,
    ValueAt,
    Weighted,
    alone,
)

_readable = readable  # as what writes models for Coq calls it

Model = Mapping[str, Any]
View = Mapping[str, str]  # the name of the current value of each coordinate
_TAKEN = frozenset({"i", "j", "k", "n", "w"})  # names that the relation itself uses
_KEYS = {
    "a model": "symcook name source space embedding layers readout final_norm symbols max_length program",
    "a symbol": "name default lower upper lower_open upper_open",
    "an embedding": "words inputs positions start before after",
    "a layer": "attention feedforward placement attention_norms feedforward_norms",
    "a head": "reads writes Q K V mask weighting temperature scale",
    "a head with biases":
        "kind reads writes Q K V q_bias k_bias v_bias mask weighting slope temperature scale",
    "a rotary head": "kind reads writes Q K V q_bias k_bias v_bias angles q_gain k_gain mask weighting qk_epsilon "
        "temperature scale",
    "a feed-forward layer": "reads writes W1 b1 W2 b2 activation",
    "gated units": "kind reads writes gate gate_bias up up_bias down down_bias activation",
    "a layer norm": "reads writes gain bias epsilon projection zero_variance",
    "an RMS norm": "kind reads writes gain epsilon projection zero_square",
    "a readout": "kind position reads weights labels groups",
}
"""The keys of a document that are read here, or that do not bear on a run (name, source, program); any other is
refused."""
_KINDS = {
    "head": "a head", "biased": "a head with biases", "rotary": "a rotary head", "network": "a feed-forward layer",
    "gated": "gated units", "norm": "a layer norm", "rms-norm": "an RMS norm",
}  # fmt: skip
"""The kinds of parts as `_KEYS` has them."""


def expand(text: str, model: Callable[[str], Model] | None = None) -> str:
    """`text` with run, word and accept of stored models written out.

    >>> expand("all i:Int. word(dyck-1) -> 0 < i")
    'all i:Int. (all i in 1..n. w(i) = 0 | w(i) = 1) -> 0 < i'

    `model` gives the document of a model by name (by default the stored one). Raises BadInput for an unknown model or
    a block that has no equation here.
    """

    def written(match: re.Match[str]) -> str:
        with _format(match[2]):
            return f"({getattr(_relation(match[2], model), match[1])()})"

    return MODEL_CALL.sub(written, named(text, model))


def named(text: str, model: Callable[[str], Model] | None = None) -> str:
    """`text` with lists of names, records, families and runs that round written out, while run(NAME) stays as it is;
    arguments as for `expand`."""

    def relation(name: str) -> Relation:
        with _format(name):
            return _relation(name, model)

    return familyrel.expand(records.expand(roundings.expand(text, relation), relation))


@contextmanager
def _format(name: str) -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BadInput("a stored model must follow the format of model files", name) from None


def _relation(name: str, model: Callable[[str], Model] | None) -> Relation:
    return _stored_relation(name) if model is None else Relation(model(name))


@cache
def stored_model(name: str) -> Model:
    """The document of proofs/models/NAME.json."""
    path = proofs_directory() / "models" / f"{name}.json"
    if not path.is_file():
        raise BadInput("a statement must name a stored model", name)
    return json.loads(path.read_text(encoding="utf-8"))


@cache
def _stored_relation(name: str) -> Relation:
    return Relation(stored_model(name))


class Relation(RunEquations):
    """The equations of one model document."""

    def __init__(self, model: Model) -> None:
        self.model, self.embedding = model, model["embedding"]
        self._known("a model", model)
        self._known("an embedding", self.embedding)
        self._known("a readout", model["readout"])
        self._known("a symbol", *model["symbols"])
        self._known("a layer", *model["layers"])
        self.steps: dict[int, PartStep] = {}  # what each head, feed-forward layer and norm computes, by its identity
        self.parts: list[tuple[int, list[Model], list[Model], str]] = []  # layer, blocks, their norms, placement
        for number, layer in enumerate(model["layers"], 1):
            network = [] if layer["feedforward"] is None else [layer["feedforward"]]
            heads = layer["attention"] or []
            for place, blocks, key in (("head", heads, "attention_norms"), ("network", network, "feedforward_norms")):
                self._lower(place, blocks)
                self._lower("norm", layer[key])
                if blocks:
                    self.parts.append((number, blocks, layer[key], layer["placement"]))
        if model["final_norm"] is not None:
            self._lower("norm", [model["final_norm"]])
            self.parts.append((len(model["layers"]) + 1, [], [model["final_norm"]], "post"))
        self._well_named()
        attends = any(layer["attention"] for layer in model["layers"])
        pointwise = self.embedding["inputs"] is not None and not attends and not self.embedding["positions"]
        looks = (model["readout"]["kind"], model["readout"]["position"])
        super().__init__(self.embedding["start"], pointwise, looks, None if pointwise else model["max_length"])
        self.used |= {*model["space"], *(symbol["name"] for symbol in model["symbols"])}
        self._embed()
        for part in self.parts:
            self._part(*part)

    def _known(self, what: str, *given: Model) -> None:
        """BadInput where a part of the document has a key that is not read here."""
        for part in given:
            all_read("the run relation", what, part, _KEYS[what].split())

    def _lower(self, place: str, given: Iterable[Model]) -> None:
        """Note the steps of the parts at a place."""
        for part in given:
            self._known(_KINDS[kind_of(part, place)], part)
            self.steps[id(part)] = steps_of(part, place)

    def _well_named(self) -> None:
        """BadInput where a name or number of the document could mean something else in the text of a statement."""
        # Names: coordinates and symbols must differ from each other and from the relation's own.
        space, embedding, readout = set(self.model["space"]), self.embedding, self.model["readout"]
        for name in self.model["space"]:
            if not isinstance(name, str) or not valid_name(name) or name in _TAKEN:
                raise BadInput("a coordinate in a statement must be a name other than i, j, k, n and w", name)
        if len(space) != len(self.model["space"]):
            raise BadInput("the coordinates of a model must differ", self.model["name"])
        if type(embedding["start"]) is not int or embedding["start"] not in (0, 1):
            raise BadInput("positions must be numbered from 0 or 1", embedding["start"])
        symbols = {symbol["name"] for symbol in self.model["symbols"]}
        if symbols & {*space, *_TAKEN} or not all(map(valid_name, symbols)):
            raise BadInput("a symbol in a statement must be a name of its own", ", ".join(sorted(symbols)))
        # Collected from all blocks: what reads and writes which names, and all numbers.
        touched = [(names, space) for names in (readout["reads"], embedding["inputs"] or (), embedding["positions"])]
        fixed = [readout["weights"], [list(row.values()) for row in (embedding["words"] or {}).values()]]
        over = list(embedding["positions"].values())
        for _, blocks, norms, placement in self.parts:
            seen = self._well_normed(norms, placement, space)
            touched += [pair for b in blocks for pair in ((b["reads"], seen), (b["writes"], space))]
            fixed += [part[key] for part in (*blocks, *norms) for key in sorted(fixed_numbers(self.steps[id(part)]))]
            over += [part[key] for part in (*blocks, *norms) for key in placed_numbers(self.steps[id(part)])]
        if not all({*names} <= allowed for names, allowed in touched):
            raise BadInput("a block must read and write coordinates of the space", self.model["name"])
        # Weights may use symbols only; position functions, scales and temperatures also i and n.
        for text in _flat(fixed):
            _only(text, symbols)
        for text in over:
            _only(text, symbols | {"i", "n"}, ARITY | ROUNDED)

    @property
    def defined(self) -> list[str]:
        """The functions in the order of their definitions."""
        return [one.function for one in self.definitions]

    @property
    def equations(self) -> list[str]:
        """What each definition states of one position."""
        return [one.text for one in self.definitions]

    def sorts(self) -> dict[str, str]:
        """The functions of the equations with their sorts: the inputs, then the one that each equation defines."""
        names = [*(self.embedding["inputs"] or ()), *self.defined]
        return dict.fromkeys(names, "Real" if self.pointwise else "Int->Real")

    @property
    def functions(self) -> dict[str, str]:
        """The values of a run with their sorts."""
        return self.sorts()

    @property
    def names(self) -> list[str]:
        """The quantified names."""
        return [f"{name}:{sort}" for name, sort in self.sorts().items()]

    @property
    def logit(self) -> Combination:
        """What a readout of the kind "sign" looks at."""
        return self._row(self.model["readout"]["weights"][0], self.model["readout"]["reads"], self.held)

    def run(self) -> str:
        """The conjunction of all equations, and of what a run needs besides."""
        return self.whole.text

    def needs(self) -> list[str]:
        """That the input is not too long, and that each temperature is positive."""
        return [*dict.fromkeys(premise.text for premise in self.premises_before)]

    def word(self) -> str:
        """w(i) is an index into the vocabulary at every position: a typed token, or the added one at its end."""
        words, before, after = (self.embedding[key] for key in ("words", "before", "after"))
        if words is None:
            raise BadInput("word(NAME) needs a model with an alphabet", self.model["name"])
        index = {token: number for number, token in enumerate(words)}
        cases = " | ".join(f"w(i) = {number}" for token, number in index.items() if token not in (before, after))
        first, last = (None if end is None else str(index[end]) for end in (before, after))
        text = self._spelled(first, last, cases)
        return text[1:-1] if first is last is None else text

    def accept(self, at: str | None = None) -> str:
        """The readout's condition where it looks; at the position `at` where it looks at each."""
        place = self._place("accept", ("zero", "sign"), at)
        readout = self.model["readout"]
        values = [self._at(name, place) for name in readout["reads"]]
        if readout["kind"] == "zero":
            condition = " & ".join(f"{value or '0'} = 0" for value in values)
        else:
            weighted = zip(readout["weights"][0], values, strict=True)
            condition = f"0 < {joined(times(weight, value) for weight, value in weighted if value)}"
        return self._accepts(condition)

    def answer(self, label: str, at: str | None = None) -> str:
        """A readout "largest" answers `label`: its score is the largest, and larger than those of earlier labels."""
        return self._largest(label, self._place("answer", ("largest",), at))

    def probability(self, label: str, at: str | None = None) -> str:
        """What a readout "distribution" gives `label`: the softmax of the scores, as a term."""
        which, scores = self._scores(label, self._place("probability", ("distribution",), at))
        return f"exp({scores[which]})/({joined(f'exp({score})' for score in scores)})"

    def decoded(self, at: str) -> str:
        """From the position `at` on each token is the label that the model answers one position before; after a label
        that is no token of the vocabulary there is no position. Where a readout looks at the last position, the answer
        at a position is that to the word up to there: the model must look back only."""
        readout, before = self.model["readout"], ("future", "strict-future")
        blocks = [(block, self.steps[id(block)]) for _, some, _, _ in self.parts for block in some]
        over = [*self.embedding["positions"].values(), *(b[key] for b, step in blocks for key in placed_numbers(step))]
        heads = [head for _, step in blocks if (head := attention(step)) is not None]
        back = all(h.mask in before for h in heads) and not any("n" in names(parse_term(text)) for text in over)
        if self.looks not in (("largest", "last"), ("largest", "each")) or self.embedding["words"] is None:
            raise BadInput(
                "decoded needs an alphabet, and labels of the last or of each position", " ".join(self.looks)
            )
        if not back or self.embedding["after"] is not None:
            raise BadInput("decoded needs a model that looks back only", self.model["name"])
        index = {token: number for number, token in enumerate(self.embedding["words"])}
        steps = []
        for label in readout["labels"]:
            answered = self._largest(label, "j")
            goes_on = f"w(j + 1) = {index[label]}" if label in index else "false"
            steps.append(f"({answered} -> {goes_on})")
        return f"all j in {at}..{self.high} - 1. {' & '.join(steps)}"

    def _scores(self, label: str, place: str) -> tuple[int, list[str]]:
        """The place of a label among all, and the scores of all at a position."""
        readout = self.model["readout"]
        scores = [self._row(row, readout["reads"], self.held).at(place, self.call) for row in readout["weights"]]
        return readout["labels"].index(label), scores

    def _largest(self, label: str, place: str) -> str:
        """The score of `label` is the largest at a position, and larger than those of earlier labels."""
        which, scores = self._scores(label, place)
        others = [(k, score) for k, score in enumerate(scores) if k != which]
        return " & ".join(f"{score} {'<' if k < which else '<='} {scores[which]}" for k, score in others) or "true"

    def _at(self, name: str, place: str) -> str | None:
        """The value of a coordinate at a position; None where nothing was written yet, so that it is zero."""
        function = self.held.get(name)
        return function if function is None else self.call(function, place)

    def _define(self, fresh: str, text: Any) -> str:
        """A definition of a new function like `fresh`. Returns the name."""
        name = self._fresh(fresh)
        self.definitions.append(RunDefinition(name, alone(name), text, self.positions, self.call, self.head_block))
        return name

    def _write(self, name: str, number: int, right: Right) -> None:
        """The definition of the next value of `name`."""
        old = self.held.get(name)
        if old is None:
            self.used.discard(name)  # the first value has the name of the coordinate, which nothing else may take
        row = right.after(None if old is None else alone(old))
        self.held[name] = self._define(name if old is None else f"z{number}_{name}", row)

    def _embed(self) -> None:
        # For each coordinate the entries of the vocabulary that are not zero, and its position function.
        words, inputs = self.embedding["words"] or {}, self.embedding["inputs"] or []
        for name in self.model["space"]:
            tokens = [(row[name], index) for index, row in enumerate(words.values()) if row.get(name, "0") != "0"]
            if name in inputs:
                self.held[name] = name
            position = self.embedding["positions"].get(name)
            if tokens or position is not None:
                position_text = None if position is None else readable(position, self.used)
                self._write(name, 0, EmbeddingRow(tokens=tuple(tokens), position=position_text))

    def _value(self, held: str) -> Combination:
        return alone(held)

    def _added(self, block: Model, view: View) -> list[tuple[str, Right]]:
        rows: list[Right]
        match self.steps[id(block)]:
            case Attend(scores, values, mask, weighting):
                seen, (score, soft) = window(mask, self.embedding["start"]), self._score(block, scores, weighting, view)
                rows = [head_row(seen, weighting, score, soft, value) for value in self._made(block, values, view)]
            case LinearMap(of, matrix, bias) if bias is not None:
                units, rows = self._made(block, of, view), []
                for weights, (added,) in zip(block[matrix], block[bias], strict=True):
                    used = tuple((weight, unit) for weight, unit in zip(weights, units, strict=True) if weight != "0")
                    rows.append(UnitsRow(units=used, bias=added))
            case step:
                unknown_step("the run relation", step)
        return list(zip(block["writes"], rows, strict=True))

    def _score(
        self, head: Model, scores: Products | ByDistance, weighting: str, view: View
    ) -> tuple[ValueAt | None, Callable[[], ValueAt]]:
        """The score of a head, None where it is zero everywhere, and with its scale and temperature."""
        match scores:
            case Products(LinearMap(Read(), asks, None), LinearMap(Read(), offers, None), scale, temperature):
                factor = tuple(readable(head[key], self.used) for key in (scale, temperature))
            case ByDistance(Products(LinearMap(Read(), _, str(_)), LinearMap(Read(), _, str(_)), _, _), _):
                return self._biased_score(head, scores, weighting, view)
            case Products(queries, _, _, _):
                unknown_step("the run relation", queries)
            case _:
                unknown_step("the run relation", scores)
        self._warm(weighting, factor[1], names(parse_term(factor[1])))
        # The sums that queries and keys are; products with a zero side are left out.
        rows = zip(head[asks], head[offers], strict=True)
        sums = (tuple(self._row(weights, head["reads"], view) for weights in pair) for pair in rows)
        products = tuple((query, key) for query, key in sums if query.terms and key.terms)
        return Score(products) if products else None, lambda: Score(products, factor)

    def _biased_score(
        self, head: Model, scores: ByDistance, weighting: str, view: View
    ) -> tuple[ValueAt | None, Callable[[], ValueAt]]:
        """`_score` of a head with biases."""
        match scores:
            case ByDistance(
                Products(LinearMap(Read(), asks, str(ask)), LinearMap(Read(), offers, str(offer)), scale, warmth), slope
            ):
                factor, temperature = (readable(head[key], self.used) for key in (scale, warmth))
            case _:
                unknown_step("the run relation", scores)
        self._warm(weighting, temperature, names(parse_term(temperature)))
        # Products with a zero side are left out.
        sides = (self._biased(head, *pair, view) for pair in ((asks, ask), (offers, offer)))
        pairs = [[Biased(*side) for side in pair] for pair in zip(*sides, strict=True)]
        products = tuple((q, k) for q, k in pairs if all(one.inside.terms or one.bias != "0" for one in (q, k)))
        score = BiasedScore(products, factor, head[slope])
        return score if products or head[slope] != "0" else None, lambda: replace(score, temperature=temperature)

    def _made(self, part: Model, step: PartStep, view: View) -> list[ValueAt]:
        """The entries of a step, as values."""
        match step:
            case Read():
                read = (view.get(name) for name in part["reads"])
                return [Combination(()) if held is None else alone(held) for held in read]
            case LinearMap(Read(), matrix, None):
                return [self._row(weights, part["reads"], view) for weights in part[matrix]]
            case LinearMap(Read(), matrix, bias) if bias is not None:
                return [Biased(*row) for row in self._biased(part, matrix, bias, view)]
            case Activate(LinearMap(Read(), matrix, bias), kind) if bias is not None:
                if kind not in ACTIVATIONS:
                    raise BadInput(f"a run relation knows the activations {', '.join(ACTIVATIONS)}", kind)
                return [HiddenUnit(kind, *row) for row in self._biased(part, matrix, bias, view)]
            case Multiply(left, right):
                both = zip(self._made(part, left, view), self._made(part, right, view), strict=True)
                return [ProductOf(*pair) for pair in both]
        unknown_step("the run relation", step)

    def _biased(self, part: Model, matrix: str, bias: str, view: View) -> Iterator[tuple[Combination, str]]:
        """For each row of a matrix the sum, and its bias."""
        for weights, (added,) in zip(part[matrix], part[bias], strict=True):
            yield self._row(weights, part["reads"], view), added

    def _apart(self, fresh: str, name: str, block: Model, row: Row) -> Combination:
        return alone(self._define(fresh, row))

    def _row(self, weights: Iterable[str], reads: Iterable[str], view: View) -> Combination:
        """The sum of coordinates times their weights, without those that are zero."""
        entries = [(weight, view.get(name)) for weight, name in zip(weights, reads, strict=True)]
        if not all(isinstance(weight, str) for weight, _ in entries):
            raise BadInput("a weight of a model must be the text of a number", self.model["name"])
        return Combination(tuple(Weighted(w, held) for w, held in entries if held is not None and w != "0"))

    def _norm(self, number: int, norm: Model) -> dict[str, str]:
        """The definitions of a norm; the names of what it makes, by what it writes."""
        rows: list[Row] = []
        match self.steps[id(norm)]:
            case ScaleEntries(DivideByRms(Centre(of), epsilon, zero), gain, bias) if bias is not None:
                values, refuse = self._entries(norm, of, epsilon, zero)
                values = values if isinstance(of, Read) else [Bracketed(value) for value in values]
                mean, deviation = self._deviation(number, ListedEntries(tuple(values)), nonzero(norm[epsilon]), refuse)
                for entry, (factor,), (added,) in zip(values, norm[gain], norm[bias], strict=True):
                    coefficients = {"gain": times(factor, "#"), "bias": tuple(nonzero(added)), "zero": zero == "zero"}
                    rows.append(NormEntry(entry=entry, mean=mean, deviation=deviation, **coefficients))
            case ScaleEntries(DivideByRms(of, epsilon, zero), gain, None):
                values, refuse = self._entries(norm, of, epsilon, zero)
                squares = RootMeanSquare(entries=ListedEntries(tuple(values)), epsilon=tuple(nonzero(norm[epsilon])))
                root = self._root(f"rms{number}", squares, refuse)
                for entry, (factor,) in zip(values, norm[gain], strict=True):
                    rows.append(RootEntry(entry=entry, root=root, gain=times(factor, "#"), zero=zero == "zero"))
            case step:
                unknown_step("the run relation", step)
        return {name: self._define(f"y{number}_{name}", row) for name, row in zip(norm["writes"], rows, strict=True)}

    def _entries(self, norm: Model, of: PartStep, epsilon: str, zero: str) -> tuple[list[ValueAt], bool]:
        """The entries that a norm is of, and whether it refuses a root that is zero."""
        if zero not in ("refuse", "zero"):
            raise BadInput("a run relation must know what norms do where their root is zero", zero)
        return self._made(norm, of, self.held), zero == "refuse" and (rational(norm[epsilon]) or 0) <= 0

    def _well_normed(self, norms: list[Model], placement: str, space: set[str]) -> set[str]:
        """What a block may read; BadInput where its norms are not those of the placement."""
        written = [name for norm in norms for name in norm["writes"]]
        expected = {"none": 0, "multi pre": len(norms) or 1}.get(placement, 1)
        right = placement in PLACEMENTS and expected == len(norms) and len(written) == len(set(written))
        for norm in norms:
            over_space = norm["projection"] is None and {*norm["reads"]} == space and norm["reads"] == norm["writes"]
            projected = norm["projection"] is not None and {*norm["reads"]} <= space and all(map(valid_name, written))
            right &= over_space if placement in ("post", "pre") else projected
        if not right:
            raise BadInput("a layer in a statement must have the norms of its placement", placement)
        return set(written) if norms else space


def _flat(part: Any) -> list[str]:
    """The numbers in nested lists."""
    return [text for one in part for text in _flat(one)] if isinstance(part, list) else [] if part is None else [part]


def _only(text: str, allowed: set[str], functions: Collection[str] = ARITY) -> None:
    """BadInput where a number of the document has other names than `allowed`, or other functions."""
    tree = parse_term(text)
    todo = [tree]
    while todo:
        part = todo.pop()
        todo += children(part)
        if part[0] == "call" and part[1] not in functions:
            raise BadInput("a number of a model must use functions of the grammar only", text)
    if not names(tree) <= allowed:
        raise BadInput("a number of a model must use its declared symbols only", text)
