"""The run relation of a family: its equations at all sizes at once, as text of the grammar.

In a statement, ``run(family-NAME)`` stands for the equations of ``proofs/families/NAME.json`` with its sizes and tables
as names, ``word(family-NAME)`` for "w(1), ..., w(n) are numbers of tokens", ``accept(family-NAME)`` for the readout's
condition, ``premises(family-NAME)`` for the conditions on sizes and tables, ``answer(family-NAME; ; ; y, i)`` for "the
readout answers y at i", and ``names(family-NAME)`` for the quantified names: sizes, tables, and the values of a run.
``run(family-NAME; K = 2, phi = 0 1 1 0, ties = rightmost; g_)`` is the same at these sizes, table (row by row, its
entries among the premises) and choice, with the prefix g_ before the names that are left (without values, before all
but the sizes, which a statement may have already). All of it is written out before a statement is read, so that both
checkers know nothing of families.

Names, as in `runrel`: the first value of a coordinate x is ``x(indices, i)``, a later one ``z<layer>_x(indices, i)``.
What a repetition writes is carried: ``x(t, indices, i)`` is the value after round t, the one before all rounds stands
at the number before the first. A value in the middle of a round is ``z<layer>_x(t, indices, i)``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import product, starmap

from symcook.errors import BadInput
from symcook.model.expr import Tree, names, parse_term, show
from symcook.model.plainfamily import ONE, ZERO, Declared, FamilyHead, Norm, PlainFamily, PutTree, Range, Repeat, Write
from symcook.proof import grammar, normal
from symcook.proof.definitions import FormsRow, HeadRow, NormEntry, Row, RunDefinition, head_row, quantified, window
from symcook.proof.files import load_json, proofs_directory
from symcook.proof.records import FAMILY_CALL
from symcook.proof.rows import RunEquations
from symcook.proof.runtext import conjunction, readable
from symcook.proof.runvalues import Expressed, RangedEntries, summed

HERE: Tree = ("name", "i")
Held = tuple[str, tuple[Tree, ...]]
"""The function that is the present value of a coordinate, and its first arguments (the round)."""
HeldView = Mapping[str, Held]


def expand(text: str) -> str:
    """`text` with what it says of families written out.

    >>> expand("all x:Real. run(family-nothing)")
    Traceback (most recent call last):
    symcook.errors.BadInput: a statement must name a stored family; given: nothing.
    """

    def written(match: re.Match[str]) -> str:
        word, name, arguments = match.groups()
        values, prefix, place = ([part.strip() for part in arguments.split(";")[1:]] + ["", "", ""])[:3]
        relation = at_values(name, values, prefix)
        if word == "names":
            return ", ".join(relation.names)
        at = [one.strip() for one in place.split(",") if one.strip()]
        return f"({getattr(relation, word)(*at)})"

    return FAMILY_CALL.sub(written, text)


@cache
def at_values(name: str, values: str, prefix: str) -> FamilyRelation:
    path = proofs_directory() / "families" / f"{name}.json"
    if not path.is_file():
        raise BadInput("a statement must name a stored family", name)
    read = partial(PlainFamily, load_json(path.read_bytes()))
    return FamilyRelation(*set_at(read, values), prefix=prefix)


def set_at(read: Callable[[Mapping[str, str]], PlainFamily], values: str) -> tuple[PlainFamily, dict[str, str]]:
    """A family with the choices that ``K = 2, ties = rightmost`` makes, and the values of its sizes and tables."""
    parts = [part.partition("=") for part in values.split(",") if part.strip()]
    family = read(assignments := {key.strip(): value.strip() for key, _, value in parts})
    set_values = {key: value for key, value in assignments.items() if key not in family.choices}
    numeral = r"-?[0-9]+(/[1-9][0-9]*)?"
    numerals = all(re.fullmatch(rf"{numeral}( {numeral})*|", value, re.A) for value in set_values.values())
    complete = not set_values or {*set_values} == {*family.sizes, *family.tables}
    if len(assignments) < len(parts) or not numerals or not complete:
        raise BadInput("a family must be given all sizes and tables as numerals, each once, or none", values)
    return family, set_values


class FamilyRelation(RunEquations):
    """The equations of a family, with names for its sizes or at values of all of them."""

    def __init__(self, family: PlainFamily, values: Mapping[str, str] | None = None, prefix: str = "") -> None:
        longest = None if family.longest is None else show(family.longest)
        super().__init__(family.start, family.pointwise, family.readout[:2], longest)
        self.family, self.given, self.prefix = family, dict(values or {}), prefix
        self.functions: dict[str, str] = {}  # the values of a run with their sorts
        self.used |= {*family.sizes, *family.tables, *family.space}
        self.rounds: tuple[Range, ...] = ()  # the index of the repetition around a layer
        self.done: dict[str, str] = {}  # the functions that carry values from round to round
        self.left: list[str] = []  # what is still written in a round
        self._embed()
        number = 0
        for part in family.layers:
            number = self._repeat(part, number)
        put = {size: value if value.isdecimal() else f"({value})" for size, value in self.given.items()}
        self.put = put | {name: prefix + name for name in (*family.tables, *self.functions)}

    def _put(self, text: str, more: Iterable[str] = ()) -> str:
        """A text with the values of sizes, and the prefix before the names that are left, and before `more` names."""
        put = self.put | {name: self.prefix + name for name in more}
        return re.sub(r"\b[A-Za-z_]\w*", lambda name: put.get(name[0], name[0]), text, flags=re.ASCII)

    # --- what a statement says ---

    @property
    def names(self) -> list[str]:
        """The quantified names; sizes are not among those with a prefix, which may stand under sizes of a statement."""
        sizes = [] if self.given or self.prefix else [f"{size}:Int" for size in self.family.sizes]
        functions = {n: _sort(len(table.over), table.sort) for n, table in self.family.tables.items()} | self.functions
        return [*sizes, *(self._put(f"{name}:{sort}") for name, sort in functions.items())]

    def run(self) -> str:
        return self._put(self.whole.text)

    @property
    def logit(self) -> Expressed:
        """What a readout of the kind "sign" looks at."""
        return Expressed(self._tree(self.family.readout.score, frozenset(), self.held))

    def premises(self) -> str:
        """The conditions on sizes and tables; at values also the entries of the tables."""
        parts = [f"({show(condition)})" for condition in self.family.sizes.values()]
        for name, table in self.family.tables.items():
            parts += [f"({show(condition)})" for condition in table.where]
            if self.given:
                cells, entries = self._cells(table.over), self.given[name].split()
                if len(entries) != len(cells):
                    raise BadInput(f"the table {name} must have {len(cells)} entries", len(entries))
                parts += [f"{name}{cell} = {entry}" for cell, entry in zip(cells, entries, strict=True)]
        return self._put(conjunction(parts) or "true")

    def _cells(self, over: Sequence[Range]) -> list[str]:
        """The indices of a table, at values of the sizes."""
        ranges = []
        for index in over:
            ends = (grammar.read_value(self._put(show(end)), "Int", {}, {}) for end in index[1:])
            low, high = (normal.constant(normal.nf(end)) for end in ends)
            if not isinstance(low, int) or not isinstance(high, int):
                raise BadInput("an index of a table must run over numbers that the sizes give", index.name)
            ranges.append(map(str, range(low, high + 1)))
        return [f"({', '.join(cell)})" * bool(cell) for cell in product(*ranges)]

    def word(self) -> str:
        """w(i) is the number of a token at every position: a typed one, or the added one at its end."""
        family = self.family
        if family.vocabulary is None:
            raise BadInput("word(family-NAME) needs a family with an alphabet", family.name)
        most = show(("-", family.vocabulary, ONE))
        before, after = (None if end is None else show(end) for end in (family.before, family.after))
        typed = [f"0 <= w(i) & w(i) <= {most}", *(f"w(i) != {end}" for end in (before, after) if end is not None)]
        return self._put(self._spelled(before, after, " & ".join(typed)))

    def accept(self, at: str | None = None) -> str:
        """The readout's condition where it looks; at the position `at` where it looks at each."""
        place = parse_term(self._place("accept", ("zero", "sign"), at))
        if self.looks[0] == "sign":
            text = f"0 < {show(self._tree(self.family.readout.score, frozenset(), self.held, place))}"
        else:
            zeros = ((d.over, self._tree(_plain(d), d.indices, self.held, place)) for d in self.family.readout.reads)
            text = " & ".join(quantified(over, f"{show(value)} = 0") for over, value in zeros)
        return self._put(self._accepts(text))

    def answer(self, label: str, at: str | None = None) -> str:
        """The readout answers the label: its score is the largest, and larger than those of earlier labels."""
        place = parse_term(self._place("answer", ("largest",), at))
        ((name, (index,)),) = self.family.readout.reads
        value = self._values(self.held, place)
        mine, best = (show(value(name, (parse_term(one),))) for one in (index.name, label))
        rest = quantified((index,), f"{mine} <= {best} & ({index.name} < {label} -> {mine} < {best})")
        return self._put(f"{show(index.low)} <= {label} & {label} <= {show(index.high)} & ({rest})")

    # --- values and forms ---

    def _call(self, held: Held, args: Sequence[Tree], place: Tree = HERE) -> Tree:
        full = (*held[1], *args, *(() if self.pointwise else (place,)))
        return ("call", held[0], full) if full else ("name", held[0])

    def _value(self, held: Held) -> Expressed:
        return Expressed(self._call(held, ()))

    def _values(self, view: HeldView, place: Tree = HERE) -> PutTree:
        """The value of `view` at a position for each coordinate."""
        return lambda name, args: self._call(view[name], args, place) if name in view else ZERO

    def _tree(self, tree: Tree, scope: frozenset[str], view: HeldView, place: Tree = HERE) -> Tree:
        return self.family.form(tree, scope | Declared("", self.rounds).indices, self._values(view, place))

    # --- definitions ---

    def _equation(self, name: str, over: Sequence[Range], row: Row, before: tuple[Tree, ...] | None = None) -> Held:
        """The definition of a function at all its indices, at the round or at `before`."""
        held = (name, tuple(("name", one.name) for one in self.rounds) if before is None else before)
        self.functions[name] = _sort(len(held[1]) + len(over) + (not self.pointwise))
        value = self._call(held, [("name", index.name) for index in over])
        ranges = (*self.rounds, *over, *self.positions)
        self.definitions.append(RunDefinition(name, Expressed(value), row, ranges, block=self.block))
        return held

    def _always(self, text: str) -> str:
        return f"({quantified((*self.rounds, *self.positions), text)})"

    def _define(self, fresh: str, text: Row, over: Sequence[Range] = ()) -> Held:
        return self._equation(self._fresh(fresh), over, text)

    def _embed(self) -> None:
        family, inputs = self.family, {one.name for one in self.family.inputs}
        # what a repetition is the first to write begins with its value before the first round
        first = {name: part.over for part in reversed(family.layers) for name in part.written}
        for name, over in family.space.items():
            written_forms = [w.form for w in (*family.words, *family.positions) if w.to.name == name]
            before = tuple(before_first(one.low) for one in first.get(name, ())) if name not in inputs else ()
            if name in inputs:
                if written_forms:
                    raise BadInput("an input must not be written by the embedding", name)
                self.functions[name] = _sort(len(over) + (not self.pointwise))
                self.held[name] = (name, ())
            elif written_forms or before:
                texts = [re.sub(r"\bw\b", "w(i)", readable(show(form))) for form in written_forms]
                row = FormsRow(forms=tuple(f"({one})" for one in texts) if len(texts) > 1 else tuple(texts))
                self.held[name] = self._equation(name, over, row, before)

    def _repeat(self, part: Repeat, number: int) -> int:
        """The layers of a repetition, whose functions have the round as first argument."""
        self.left, self.done = part.written, {}
        # Before the first round: each value that the rounds carry gets the present one.
        for index in part.over:
            before = (before_first(index.low),)
            for name in dict.fromkeys(self.left):
                self.done[name] = name
                if self.held.get(name) != (name, before):
                    self.done[name] = self._fresh(f"z{number + 1}_{name}")
                    row = FormsRow(old=self._now(name), forms=())
                    self._equation(self.done[name], self.family.space[name], row, before)
                self.held[name] = (self.done[name], (("-", ("name", index.name), ONE),))
        # One round, for all values of the index.
        self.rounds = part.over
        for layer in part.layers:
            number += 1
            parts = ((layer.heads, layer.attention_norms), ((layer.feedforward,), layer.feedforward_norms))
            for blocks, norms in parts:
                if any(blocks):
                    self._part(number, blocks, norms, layer.placement)
        self.rounds = ()
        self.held |= {name: (fn, tuple(index.high for index in part.over)) for name, fn in self.done.items()}
        return number

    def _now(self, name: str) -> Expressed | None:
        """The present value of a coordinate, at its own indices; None where nothing was written yet."""
        to = Declared(name, self.family.space[name])
        return Expressed(self._tree(_plain(to), to.indices, self.held)) if name in self.held else None

    def _write(self, name: str, number: int, right: Row) -> None:
        old = self._now(name)
        self.left.remove(name)
        last = name not in self.left if self.rounds else old is None  # in a round it is carried
        fn = self.done.get(name, name) if last else self._fresh(f"z{number}_{name}")
        self.held[name] = self._equation(fn, self.family.space[name], right.after(old))

    def _added(self, block: FamilyHead | tuple[Write, ...], view: HeldView) -> list[tuple[str, Row]]:
        scope = Declared("", (*self.rounds, *(block.over if isinstance(block, FamilyHead) else ()))).indices
        if isinstance(block, FamilyHead):
            return [(w.to.name, self._head(block, w, view, scope | w.to.indices)) for w in block.writes]
        forms = ((w.to.name, self.family.entry(w.form, scope | w.to.indices, self._values(view))) for w in block)
        return [(name, FormsRow(forms=(f"({show(form)})",))) for name, form in forms]

    def _over(self, block: object) -> tuple[Range, ...]:
        return (*self.rounds, *(block.over if isinstance(block, FamilyHead) else ()))

    def _many(self, block: object) -> bool:
        return isinstance(block, FamilyHead) and bool(block.over)

    def _apart(self, fresh: str, name: str, block: FamilyHead, row: Row) -> Expressed:
        over = (*block.over, *self.family.space[name])
        held = self._define(fresh, row, over)
        return Expressed(summed(block.over, self._call(held, [("name", index.name) for index in over])))

    def _head(self, head: FamilyHead, write: Write, view: HeldView, scope: frozenset[str]) -> HeadRow:
        # Values and scores with j for the position that is seen, k for the one it is compared with.
        def score(at: str) -> Tree:
            return self.family.score(head.score, scope, self._values(view), self._values(view, ("name", at)))

        self._warm(head.weighting, show(head.temperature), names(head.temperature))
        value = Expressed(self._tree(write.form, scope, view, ("name", "j")))
        soft = Expressed(("*", ("/", head.scale, head.temperature), score("j")))
        hard = None if score("j") == ZERO else Expressed(score("j"), score("k"))
        return head_row(window(head.mask, self.family.start), head.weighting, hard, lambda: soft, value)

    def _norm(self, number: int, norm: Norm) -> dict[str, Held]:
        # A norm without writes is over the whole stream: every coordinate at all its indices.
        writes = norm.writes or [Write(to, _plain(to)) for to in starmap(Declared, self.family.space.items())]
        entries = [(w.to, Expressed(self._tree(w.form, w.to.indices, self.held))) for w in writes]
        epsilon, bias = ([] if one == ZERO else [f"({show(one)})"] for one in (norm.epsilon, norm.bias))
        if norm.zero not in ("refuse", "zero"):
            raise BadInput("a run relation must know what a norm does at zero variance", norm.zero)
        refuse = norm.zero == "refuse" and not (norm.epsilon[0] in ("num", "/") and norm.epsilon != ZERO)
        mean, deviation = self._deviation(number, RangedEntries(tuple(entries)), epsilon, refuse)
        coefficients = {"gain": "#" if norm.gain == ONE else f"({show(norm.gain)})*#", "bias": tuple(bias)}
        outputs = {}
        for to, entry in entries:
            row = NormEntry(entry=entry, mean=mean, deviation=deviation, zero=norm.zero == "zero", **coefficients)
            outputs[to.name] = self._define(f"y{number}_{to.name}", row, to.over)
        return outputs


def _sort(indices: int, value: str = "Real") -> str:
    return f"{'*'.join(['Int'] * indices)}{'->' * bool(indices)}{value}"


def _plain(to: Declared) -> Tree:
    return ("call", to.name, tuple(("name", index.name) for index in to.over)) if to.over else ("name", to.name)


def before_first(low: Tree) -> Tree:
    """The number before the first round."""
    return ("num", low[1] - 1, 1) if low[0] == "num" and low[1] else ("-", low, ONE)
