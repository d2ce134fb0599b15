"""Family files: read in every accepted spelling, checked, and refused in one sentence where they are wrong.

`load` takes a file and returns a `Family`. The document is first brought into one spelling
(`symcook.model.familydocument`), then read by `PlainFamily`, and at last checked for names, ranges and linearity
(`_Names`). `symcook.model.plainfamily` holds what a file means and is all that a theorem rests on; the checks here can
only refuse a file.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from symcook.errors import BadInput
from symcook.files import content, exact_json
from symcook.model.expr import ARITY, Tree, children, show, valid_name
from symcook.model.familydocument import MASKS as MASKS
from symcook.model.familydocument import OWN_INDEX, TAKEN, plain
from symcook.model.familydocument import WEIGHTINGS as WEIGHTINGS
from symcook.model.plainfamily import (
    ZERO,
    Declared,
    FamilyHead,
    FamilyLayer,
    FamilyReadout,
    Norm,
    PlainFamily,
    PutTree,
    Range,
    Scope,
    Write,
)

MAX_BYTES = 1_000_000
"""The greatest size of a family file."""
Kind = Callable[[Tree, Scope, PutTree], Tree]
"""A method of a family (`form` or `entry`) that checks a form and returns it with each coordinate replaced. Its
arguments are the form, the names in scope, and the function that replaces a coordinate."""


class Family(PlainFamily):
    """A family as it is written, checked as far as that needs no sizes."""

    def __init__(self, document: Mapping[str, object], choices: Mapping[str, str] | None = None) -> None:
        """`choices` sets what the file leaves open (a weighting, say); else the first of each list counts.

        Raises BadInput for a file that does not follow the format, and for a choice that it does not offer.
        """
        doc = plain(document)
        for key, choice in (choices or {}).items():
            if choice not in doc.get("choices", {}).get(key, ()):
                raise BadInput(
                    f"{key} must be one of {', '.join(doc.get('choices', {}).get(key, ()))}",
                    choice,
                    "give one of these, or leave the choice out for the first",
                )
        super().__init__(doc, choices)
        self.source, self.summary = doc.get("source", ""), doc.get("summary", "")
        _Names(self)

    @property
    def digest(self) -> str:
        """A hash that tells a family from another family of the same name."""
        return hashlib.sha256(json.dumps(self.document, sort_keys=True).encode()).hexdigest()[:16]

    def products(self, tree: Tree, scope: Scope) -> Iterator[tuple[list[Range], Tree, Tree, int]]:
        """The products (query form)*(key form) of a score, each as (ranges of the sums around it, query form, key form,
        sign); the sign is 1 or -1. Raises BadInput, when it reaches it, for a term that is not such a product."""
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
            yield [], tree[1], tree[2], 1
        else:
            raise BadInput(
                "a score must be a sum of products (query form)*(key form)",
                show(tree),
                'multiply each term by a linear form of the query or key, as in "one*key"',
            )


# --- names and ranges ---


class _Names:
    """Checks of a family file that no theorem rests on; making one runs them all, and the object is not kept.

    They refuse an index, or a name that a norm writes, that already means something else, a range that is empty or has
    ends that are not numbers, a call of an unknown function, and forms that are not linear in the coordinates. Each
    refusal is a BadInput with the declaration or expression in question.
    """

    def __init__(self, family: Family) -> None:
        self.family = family
        # Names that an index may not have.
        self.own = {*family.sizes, *family.choices, *family.tables, *family.space, *TAKEN}
        # Tables, sizes and coordinates: the ranges of their declarations and the conditions on them.
        for name, table in family.tables.items():
            if len(table.over) > 3:
                raise BadInput(
                    "a table must have at most three indices and values Int or Real",
                    name,
                    'write for example "all c in 1..N. phi(c)": "Int"',
                )
            self.declared(Declared(name, table.over), False)
            for condition in table.where:
                self.functions(condition)
        for condition in family.sizes.values():
            self.functions(condition)
        for name, over in family.space.items():
            self.declared(Declared(name, over), False)
        # The embedding: an input is a coordinate that the caller sets, so no position function may write it too.
        for input_ in family.inputs:
            self.declared(input_)
        input_names = {input_.name for input_ in family.inputs}
        if again := input_names & {write.to.name for write in family.positions}:
            raise BadInput(
                "an input must not be written by the embedding",
                min(again),
                'leave the input out of "positions", or out of "inputs"',
            )
        # Forms may name the token w in the rows of tokens, and the position i and the length n in position functions.
        for writes, scope in ((family.words, {"w"}), (family.positions, {"i", "n"})):
            self.writes(writes, frozenset(scope))
        for number in (family.longest, family.vocabulary, family.before, family.after):
            self.functions(number or ZERO)
        # Layers, with the index of the rounds where a part of the file repeats them.
        for part in family.layers:
            for index in part.over:
                self.index(index, frozenset())
            for layer in part.layers:
                self.layer(layer, frozenset(index.name for index in part.over))
        self.readout(family.readout)

    def declared(self, to: Declared, whole: bool = True, scope: Scope = frozenset()) -> None:
        """Check a declaration. `whole`: it must be a coordinate of the space, at all of its indices."""
        text = _declaration(to)
        # The ends of a range may use the indices to the left of it.
        for place, index in enumerate(to.over):
            self.index(index, scope | {index_before.name for index_before in to.over[:place]}, text)
        if whole and to.name not in self.family.space:
            raise BadInput("a coordinate must be declared in the space", text, 'add the coordinate to "space"')
        if whole and not _same_ranges(to.over, self.family.space[to.name]):
            raise BadInput(
                "a block must write a coordinate at all indices of its range",
                text,
                'write the ranges of the coordinate as "space" has them',
            )

    def index(self, index: Range, scope: Scope, text: str = "") -> None:
        """Check an index: its name is free, and its range is not empty. `text` is the declaration for the message."""
        text = text or f"{index.name} in {show(index.low)}..{show(index.high)}"
        if index.name in self.own | scope or not valid_name(index.name):
            raise BadInput(OWN_INDEX, text, "rename the index")
        # Two plain integers can be compared here; ends with sizes in them are compared at each instance.
        ends = [_numeral(end) for end in (index.low, index.high)]
        if None not in ends and ends[1] < ends[0]:
            raise BadInput("a range must not be empty for all parameter values", text, "write the smaller end first")
        for end in (index.low, index.high):
            self.functions(end)

    def functions(self, tree: Tree, scope: Scope = frozenset()) -> None:
        """Check that `tree` calls known functions, each with its number of arguments, and that the variable of a sum or
        quantifier has a name that means nothing else. `scope` has the indices around `tree`."""
        if tree[0] == "call":
            # A call of a coordinate has its indices checked in `read`.
            table = self.family.tables.get(tree[1])
            arity = ARITY.get(tree[1]) if table is None else len(table.over)
            if tree[1] not in self.family.known and len(tree[2]) != arity:
                must = "a weight must use functions of the grammar and declared tables"
                instead = None
                if tree[1] in ("floor", "mod", "ceil"):
                    instead = "give it as a table with its conditions, or as a sum such as sum(c, 1, N, I[2*c <= i])"
                raise BadInput(must, show(tree), instead)
        if tree[0] in ("prod", "lambda", "all", "ex"):
            raise BadInput(
                "a weight must be a sum, with quantifiers over ranges",
                show(tree),
                "write a sum over an index: sum(c, 1, N, ...)",
            )
        if tree[0] in ("sum", "all in", "ex in"):
            if tree[1] in self.own | scope:
                raise BadInput(OWN_INDEX, show(tree), "rename the index")
            scope |= {tree[1]}
        for child in children(tree):
            self.functions(child, scope)

    def read(self, name: str, indices: tuple[Tree, ...], seen: Scope = frozenset()) -> Tree:
        """Check a coordinate that a form reads, and return its name as a tree.

        The coordinate must be in the space and have all its indices, or be in `seen`, the names that the norms before
        the block write.
        """
        if name not in self.family.space and name not in seen:
            raise BadInput(
                "a weight must have no names except sizes, tables, indices and coordinates",
                name,
                'declare the name in "sizes", "tables" or "space"',
            )
        if name not in seen and len(indices) != len(self.family.space[name]):
            raise BadInput(
                "a coordinate must have all its indices",
                show(("call", name, indices)) if indices else name,
                'write all indices of the declaration in "space"',
            )
        return ("name", name)

    def writes(
        self, writes: Sequence[Write], scope: Scope, kind: Kind | None = None, seen: Scope = frozenset()
    ) -> None:
        """Check what a block writes; `kind` checks the form itself (`form` or `entry` of the family), with `seen` as
        names that the norms before the block write."""
        for write in writes:
            self.declared(write.to, scope=scope)
            self.functions(write.form, scope | write.to.indices)
            if kind:
                kind(write.form, scope | write.to.indices, partial(self.read, seen=seen))
        if len({write.to.name for write in writes}) < len(writes):
            raise BadInput(
                "a block must write a coordinate once",
                ", ".join(write.to.name for write in writes),
                "join the two forms by +, in one write",
            )

    def layer(self, layer: FamilyLayer, scope: Scope) -> None:
        """Check the norms, heads and feed-forward sublayer of a layer; `scope` has the index of the rounds."""
        for norm in (*layer.attention_norms, *layer.feedforward_norms):
            self.norm(norm, scope)
        blocks = ((layer.heads, layer.attention_norms), (layer.feedforward, layer.feedforward_norms))
        for block, norms in blocks:
            norm_names = [write.to.name for norm in norms for write in norm.writes]
            if len({*norm_names}) < len(norm_names):
                raise BadInput(
                    "a norm must write coordinates with new names",
                    ", ".join(norm_names),
                    "give each norm coordinates of its own",
                )
            # Only a projecting norm makes new names, which the block after it reads.
            readable = frozenset(norm_names if layer.placement in ("projected pre", "multi pre") else ())
            for head in layer.heads if block is layer.heads else ():
                self.head(head, scope, readable)
            if block is not layer.heads:
                self.writes(layer.feedforward, scope, self.family.entry, readable)

    def head(self, head: FamilyHead, scope: Scope, seen: Scope) -> None:
        """Check a head: its own index, what it writes, its score, and its scale and temperature."""
        for index in head.over:
            self.index(index, scope)
            scope |= {index.name}
        self.writes(head.writes, scope, self.family.form, seen)
        self.functions(head.score, scope)
        read = partial(self.read, seen=seen)
        # Where the score uses an index that all writes have, there is a head for each value of that index.
        shared = frozenset.intersection(*(w.to.indices for w in head.writes))
        self.family.score(head.score, scope | shared, read, read)
        # The list is not kept. Making it raises BadInput for a term of the score that is not a product.
        list(self.family.products(head.score, scope | shared))
        for number in (head.scale, head.temperature):
            self.functions(number, scope)

    def norm(self, norm: Norm, scope: Scope) -> None:
        """Check a norm: the names that it makes are no sizes, tables or reserved names, and its forms are linear."""
        for write in norm.writes:
            # Another norm may make the same name, so only sizes, tables and reserved names are refused.
            if not valid_name(write.to.name) or write.to.name in TAKEN | {*self.family.sizes, *self.family.tables}:
                raise BadInput(
                    "sizes, tables and coordinates must all have different names", write.to.name, "rename one of them"
                )
            self.declared(write.to, False, scope)
            self.functions(write.form, scope | write.to.indices)
            self.family.form(write.form, scope | write.to.indices, self.read)
        for number in (norm.gain, norm.bias, norm.epsilon):
            self.functions(number, scope)

    def readout(self, readout: FamilyReadout) -> None:
        """Check the readout: its coordinates, for a readout by sign its form, and for a largest one that its
        coordinates have exactly one index."""
        for declared in readout.reads:
            self.declared(declared)
        document = self.family.document["readout"]
        if "scores" in document and len(readout.reads[0].over) != 1:
            must = "a readout must read coordinates; one of the kind largest reads one range of them"
            raise BadInput(
                must,
                document["scores"],
                'write "scores" as one coordinate with one index, such as "all c in 1..N. logit(c)"',
            )
        if "score" in document:
            self.functions(readout.score)
            self.family.form(readout.score, frozenset(), self.read)


def _declaration(to: Declared) -> str:
    """A declaration as the family file has it, such as ``all c in 1..N. x(c)``."""
    ranges = "".join(f"all {c} in {show(low)}..{show(high)}. " for c, low, high in to.over)
    return ranges + to.name + (f"({', '.join(index.name for index in to.over)})" if to.over else "")


def _numeral(tree: Tree) -> Any:
    """The integer that `tree` is, with its sign; None for any other tree."""
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
    """`tree` with each name that is a key of `values` replaced by its tree."""
    if not isinstance(tree, tuple) or not tree:
        return tree
    if tree[0] == "name":
        return values.get(tree[1], tree)
    return tree if tree[0] == "num" else tuple(renamed(part, values) for part in tree)


# --- files ---


def shipped(name: str) -> Path:
    """The path of the family `name` that comes with symcook; the file need not exist. Families are inside an installed
    package, and next to the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    folders = package / "_proofs" / "families", package.parent / "proofs" / "families"
    return next(filter(Path.is_dir, folders), package) / f"{name}.json"


def load(path: str | Path, choices: Mapping[str, str] | None = None) -> Family:
    """Read a family file. BadInput, in one sentence, for whatever is wrong with it."""
    return loads(content(path, "a family file", MAX_BYTES), choices)


def loads(data: bytes | str, choices: Mapping[str, str] | None = None) -> Family:
    """The family that a file's text describes."""
    if len(data) > MAX_BYTES:
        raise BadInput(f"a family file must have at most {MAX_BYTES:,} bytes", len(data), "write a shorter file")
    try:
        document = exact_json(data, "family")
    except (ValueError, RecursionError) as error:
        raise BadInput("a family file must be JSON", str(error)[:80], "repair the file at this place") from None
    return Family(document, choices)
