"""A family's file as a Coq function of its sizes, tables and choices to `model`, written with functions.v.

Coq judges what is printed here, so that nothing of it is trusted. `symcook.model.instance`, which makes instances for
Python, reads the entries of tables here and nothing else.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from symcook.coq.models import MASKS
from symcook.model.expr import Tree, children, names
from symcook.model.family import Family
from symcook.model.instance import Instance
from symcook.model.plainfamily import Declared, FamilyHead, FamilyLayer, Norm, PlainFamily, Range, Write

PLACES = {"first": "at_first", "last": "at_last", "all": "everywhere"}
WEIGHTINGS = {"average": "Average", "leftmost": "Leftmost", "rightmost": "Rightmost", "softmax": "Softmax"}
TAKEN = frozenset(
    {"at", "fun", "in", "let", "match", "then", "with", "end", "Q", "R", "Z", "a", "read", "real", "value"}
)
COMPARISONS = {"=": ("=?", "Qeq_bool"), "<=": ("<=?", "Qle_bool"), "<": ("<?", "less")}


def name(text: str) -> str:
    return f"{text}_" if text in TAKEN else text


def joined(lists: Sequence[str]) -> str:
    return f"({' ++ '.join(lists or ['nil'])})%list"


def head_of(key: str) -> str:
    """The name of what is declared: vsym of ``all c in 0..G. vsym(c)``."""
    return key.rpartition(". ")[2].partition("(")[0]


def told_apart(document: Any) -> Any:
    """A family's document in which no layer has a name twice: what a norm before the network makes is `again_` and the
    name, where a norm before the heads has made one of that name."""
    made = copy.deepcopy(document)
    for part in made["layers"]:
        for layer in part.get("layers", [part]):
            before, behind = (
                {head_of(key) for norm in layer.get(block, ()) for key in norm["writes"]}
                for block in ("attention_norms", "feedforward_norms")
            )
            for one in before & behind:
                again = partial(re.sub, rf"\b{one}\b", f"again_{one}")
                for norm in layer["feedforward_norms"]:
                    norm["writes"] = {again(key): form for key, form in norm["writes"].items()}
                layer["feedforward"] = {key: again(form) for key, form in layer["feedforward"].items()}
    return made


class Open(Family):
    """A family with its choices left open: heads have the names of choices in their places."""

    def __init__(self, family: Family) -> None:
        PlainFamily.__init__(self, told_apart(family.document), {key: key for key in family.choices})


class Function:
    """The function of one family."""

    def __init__(self, family: Family) -> None:
        self.family, self.called = Open(family), "family_" + family.name.replace("-", "_")
        self.made: list[str] = []  # what the norms in front of a block make

    # --- numbers ---

    def whole(self, tree: Tree) -> bool:
        """Whether all of an expression is whole by its sorts."""
        if tree[0] == "call" or (tree[0] == "name" and tree[1] in self.family.tables):
            return self.family.tables[tree[1]].sort == "Int" and all(map(self.whole, children(tree)))
        if tree[0] == "num":
            return tree[2] == 1
        if tree[0] == "^":
            return self.whole(tree[1]) and tree[2][0] == "num"
        parts = tree[4:] if tree[0] == "sum" else tree[1:]
        return tree[0] in ("name", "ind") or (tree[0] in ("+", "-", "*", "neg", "sum") and all(map(self.whole, parts)))

    def integer(self, tree: Tree) -> str:
        """An expression as an integer."""
        if not self.whole(tree):
            raise ValueError(f"not a whole number: {tree}")
        match tree:
            case ("num", value, 1):
                return f"{value}"
            case ("name", one):
                return name(one)
            case ("call", table, indices):
                return self.entry(table, indices)
            case ("ind", formula):
                return f"one_if {self.truth(formula)}"
            case ("neg", one):
                return f"(- {self.integer(one)})"
            case ("sum", index, low, high, body):
                return self.sum("adding_Z", index, low, high, self.integer(body))
            case (("+" | "-" | "*" | "^") as operator, one, other):
                return f"({self.integer(one)} {operator} {self.integer(other)})"
        raise ValueError(f"no number of a family: {tree}")

    def rational(self, tree: Tree) -> str:
        """An expression as a rational number."""
        if self.whole(tree):
            return f"(inject_Z ({self.integer(tree)}))"
        match tree:
            case ("num", value, below):
                return f"({value} # {below})"
            case ("name", table):
                return name(table)
            case ("call", table, indices):
                return self.entry(table, indices)
            case ("neg", one):
                return f"(- {self.rational(one)})%Q"
            case ("sum", index, low, high, body):
                return self.sum("adding", index, low, high, self.rational(body))
            case (("+" | "-" | "*" | "/") as operator, one, other):
                return f"({self.rational(one)} {operator} {self.rational(other)})%Q"
        raise ValueError(f"no number of a family: {tree}")

    def entry(self, table: str, indices: Sequence[Tree]) -> str:
        return f"({name(table)} {' '.join(f'({self.integer(k)})%Z' for k in indices)})"

    def sum(self, kind: str, index: str, low: Tree, high: Tree, body: str) -> str:
        return f"({kind} (fun {name(index)} : Z => {body}) ({self.integer(low)}) ({self.integer(high)}))"

    def truth(self, tree: Tree) -> str:
        match tree:
            case ("&", one, other):
                return f"({self.truth(one)} && {self.truth(other)})%bool"
            case ("|", one, other):
                return f"({self.truth(one)} || {self.truth(other)})%bool"
            case ("~", one):
                return f"(negb {self.truth(one)})"
            case (("=" | "<=" | "<") as relation, one, other):
                whole, rational = COMPARISONS[relation]
                if self.whole(one) and self.whole(other):
                    return f"({self.integer(one)} {whole} {self.integer(other)})"
                return f"({rational} {self.rational(one)} {self.rational(other)})"
        raise ValueError(f"no condition of a family: {tree}")

    # --- expressions in i and n ---

    def open(self, tree: Tree) -> str:
        """An expression in i and n as a scalar of functions.v."""
        if not names(tree) & {"i", "n"}:
            return f"(Known {self.rational(tree)})"
        match tree:
            case ("name", one):
                return f"(Open (IZR {one}))"
            case ("ind", (("=" | "<=" | "<") as relation, one, other)):
                return f"(Open (ind (value {self.open(one)} {relation} value {self.open(other)})%R))"
            case ("call", "pow", (base, ("name", "i"))):
                return f"(Open (power (real {self.rational(base)}) i))"
            case ("^", one, ("num", power, 1)):
                return f"(power_s {self.open(one)} {power})"
            case ("neg", one):
                return f"(minus_s (Known 0) {self.open(one)})"
            case ("sum", index, low, high, body):
                return self.sum("adding_s", index, low, high, self.open(body))
            case (("+" | "-" | "*" | "/") as operator, one, other):
                done = {"+": "plus_s", "-": "minus_s", "*": "times_s", "/": "over_s"}[operator]
                return f"({done} {self.open(one)} {self.open(other)})"
        raise ValueError(f"no function of a position: {tree}")

    # --- forms ---

    def form(self, tree: Tree) -> str:
        """A form, or an entry of a feed-forward part."""
        if not self.reads(tree):
            return f"(number {self.rational(tree)})"
        match tree:
            case ("name", one):
                return f'(at_ "{one}" [])'
            case ("call", "relu", (inside,)):
                return f"(relu_f {self.form(inside)})"
            case ("call", one, indices):
                return f'(at_ "{one}" [{"; ".join(map(self.integer, indices))}])'
            case ("neg", one):
                return f"(times_f (-1) {self.form(one)})"
            case ("sum", index, low, high, body):
                return self.sum("adding_f", index, low, high, self.form(body))
            case ("+", one, other):
                return f"(plus_f {self.form(one)} {self.form(other)})"
            case ("-", one, other):
                return f"(minus_f {self.form(one)} {self.form(other)})"
            case ("*", one, other):
                number, of = (other, one) if self.reads(one) else (one, other)
                return f"(times_f {self.rational(number)} {self.form(of)})"
            case ("/", one, other):
                return f"(times_f (/ {self.rational(other)})%Q {self.form(one)})"
        raise ValueError(f"no form: {tree}")

    def reads(self, tree: Tree) -> bool:
        own = tree[0] in ("name", "call") and tree[1] in (*self.family.space, *self.made, "relu")
        return own or any(map(self.reads, children(tree)))

    # --- lists over ranges ---

    def over(self, ranges: Sequence[Range], one: str) -> str:
        """The list of `one`, itself a list, at all values of the indices."""
        for index in reversed(ranges):
            low, high = self.integer(index.low), self.integer(index.high)
            one = f"flat_map (fun {name(index.name)} : Z => {one}) (upto ({low}) ({high}))"
        return f"({one})" if ranges else one

    def cells(self, declared: Sequence[Declared], entry: str) -> str:
        """What `entry` says of the coordinates of some declarations, {} being the coordinate."""
        lists = []
        for one in declared:
            spot = f'("{one.name}", [{"; ".join(name(k.name) for k in one.over)}])'
            lists.append(self.over(one.over, f"[{entry.replace('{}', spot)}]"))
        return joined(lists)

    def written(self, writes: Sequence[Write], said: Callable[[Tree], str], entry: str = "({}, {form})") -> str:
        return joined([self.cells([write.to], entry.replace("{form}", said(write.form))) for write in writes])

    # --- parts ---

    def products(self, score: Tree) -> str:
        lists = []
        for over, query, key, sign in self.family.products(score, frozenset(names(score))):
            made = self.form(key) if sign == 1 else f"(times_f (-1) {self.form(key)})"
            lists.append(self.over(over, f"[({self.form(query)}, {made})]"))
        return joined(lists)

    def head(self, head: FamilyHead) -> str:
        if head.over or any(index.name in names(head.score) for index in head.writes[0].to.over):
            raise ValueError("several heads of one form")
        mask, ties = MASKS.get(head.mask, head.mask), WEIGHTINGS.get(head.weighting, head.weighting)
        scale, temperature = f"(real {self.rational(head.scale)})", self.open(head.temperature)
        if "i" in names(head.temperature):
            soft = f"(by_row {scale} (fun i : Z => {temperature}))"
        else:
            soft = f"(alike (softmax {scale} (value {temperature})))"
        how = f"(chosen {ties} {soft})"
        return f"a_head a {self.products(head.score)}\n        {self.written(head.writes, self.form)} {mask} {how}"

    def norm(self, norm: Norm) -> str:
        if not norm.writes:
            raise ValueError("a norm over the whole stream")
        numbers = " ".join(map(self.rational, (norm.gain, norm.bias, norm.epsilon)))
        return (
            f"norm_of a {self.written(norm.writes, self.form)} {numbers} {'true' if norm.zero == 'refuse' else 'false'}"
        )

    def layer(self, layer: FamilyLayer) -> str:
        if layer.placement not in ("none", "projected pre", "multi pre"):
            raise ValueError(f"norms that are placed {layer.placement}")
        parts = []
        for block, norms in ((layer.heads, layer.attention_norms), (layer.feedforward, layer.feedforward_norms)):
            before = [self.norm(one) for one in norms]
            self.made = [w.to.name for one in norms for w in one.writes]
            quoted = "; ".join(f'"{one}"' for one in self.made)
            if block and block is layer.heads:
                heads = ";\n      ".join(self.head(one) for one in layer.heads)
                made = [f"attention_of a [{heads}]"]
            else:
                made = [f"network_of a {self.written(layer.feedforward, self.form)}"] if block else []
            if before or made:
                around = "{| space := coordinates; layer := number_; made := [" + quoted + "] |}"
                parts.append(f"(let a := {around} in\n      {joined([*before, *made])})")
            self.made = []
        return f"[fun number_ : Z => {joined(parts)}]"

    # --- the whole ---

    def text(self) -> str:
        """The definition."""
        family, given = self.family, self.family.document["embedding"]
        longest, before, after = (
            "None" if one is None else f"Some ({self.integer(one)})"
            for one in (family.longest, family.before, family.after)
        )
        tokens = f"upto 0 ({'0' if family.vocabulary is None else self.integer(family.vocabulary)} - 1)"
        layers = [self.over(part.over, joined([*map(self.layer, part.layers)])) for part in family.layers]
        readout, decision = family.readout, "None"
        if readout.kind == "zero":
            decision = f"Some (all_zero {self.cells(readout.reads, 'label {}')}, {PLACES[readout.position]})"
        elif readout.kind == "sign" and readout.position in PLACES:
            form = self.form(readout.score)
            decision = f"Some (positive (map weight_of {form}) (map label (spots {form})), {PLACES[readout.position]})"
        fields = [
            f"start := {given.get('start', 1)}",
            f"longest := {longest}",
            f"words := map (fun w : Z => (w, word_row {self.written(family.words, self.rational)})) ({tokens})",
            f"typed := filter (not_added [{before}; {after}]) ({tokens})",
            f"before := {before}",
            f"after_last := {after}",
            f"inputs := {self.cells(family.inputs, 'label {}')}",
            f"positions := {self.written(family.positions, self.open, '(label {}, fun i : Z => value {form})')}",
            f"parts := numbered {joined(layers)}",
            f"readout := {decision}",
        ]
        space = self.cells([Declared(one, over) for one, over in family.space.items()], "{}")
        body = ";\n  ".join(fields)
        head = f"Definition {self.called} {self.parameters()} : model :=\n  let coordinates := {space} in"
        return f"{head} {{|\n  {body}\n|}}."

    def parameters(self) -> str:
        sizes = [f"({name(size)} : Z)" for size in self.family.sizes]
        tables = [
            f"({name(one)} : {'Z -> ' * len(table.over)}{'Z' if table.sort == 'Int' else 'Q'})"
            for one, table in self.family.tables.items()
        ]
        choices = [f"({one} : {'mask' if self.masks(many) else 'choice'})" for one, many in self.family.choices.items()]
        return " ".join([*sizes, *tables, *choices, "(n : Z)"])

    def masks(self, many: Sequence[str]) -> bool:
        return many[0] in MASKS

    def at(self, values: Mapping[str, str], names: Mapping[str, str]) -> str:
        """The value of the function, with these names of coordinates in the place of its own."""
        pairs = "; ".join(f'("{own}", "{other}")' for own, other in names.items() if own != other)
        made = f"{self.called} {self.arguments(values)}"
        return f"renamed [{pairs}] ({made})" if pairs else made

    def arguments(self, values: Mapping[str, str]) -> str:
        """Sizes, tables and choices as Coq's arguments, with n."""
        made = [f"({values[size]})" for size in self.family.sizes]
        plain = {key: value for key, value in values.items() if key not in self.family.choices}
        given = Instance(self.family, plain)
        for one, table in self.family.tables.items():
            cells = [(at, given.entry(one, at)) for at in given._cells(table.over)]
            made.append(f"({entries(cells, table.sort)})")
        for one, many in self.family.choices.items():
            said = values.get(one, many[0])
            made.append(MASKS[said] if self.masks(many) else WEIGHTINGS[said])
        return " ".join([*made, "n"])


def entries(cells: Sequence[tuple[tuple[int, ...], Fraction]], sort: str) -> str:
    """A table by its entries, which has any number of indices or none."""
    (at, value), *_ = cells
    if not at:
        return f"({value.numerator})" if sort == "Int" else f"({value.numerator} # {value.denominator})"
    rows: dict[int, list[tuple[tuple[int, ...], Fraction]]] = {}
    for (first, *rest), one in cells:
        rows.setdefault(first, []).append((tuple(rest), one))
    zero = "0" if sort == "Int" else "0%Q"
    none = f"(fun {' '.join('_' * (len(at) - 1))} => {zero})" if at[1:] else zero
    written = (entries(one, sort) for one in rows.values())
    return f"table {none} {min(rows)} [{'; '.join(written)}]"
