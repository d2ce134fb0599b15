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
from collections.abc import Callable, Mapping, Sequence
from functools import cache, reduce

from symcook.errors import BadInput
from symcook.model.expr import Tree, names, parse_term, show
from symcook.model.plainfamily import (
    ONE,
    ZERO,
    Declared,
    FamilyHead,
    FamilyLayer,
    Norm,
    PlainFamily,
    Range,
    Repeat,
    Scope,
    Write,
)
from symcook.proof import grammar, normal
from symcook.proof.files import load_json, proofs_directory
from symcook.proof.rows import Right, RunEquations, attended, conjunction, joined, normed, plus, readable, window

CALL = re.compile(r"\b(run|word|accept|premises|answer|names)\(\s*family-([A-Za-z0-9][\w-]*)\s*((?:;[^;()]*)*)\)", re.A)
HERE: Tree = ("name", "i")
Held = tuple[str, tuple[Tree, ...]]
"""The function that is the present value of a coordinate, and its first arguments (the round)."""
View = Mapping[str, Held]


def expand(text: str) -> str:
    """`text` with what it says of families written out.

    >>> expand("all x:Real. run(family-nothing)")
    Traceback (most recent call last):
    symcook.errors.BadInput: a statement must name a stored family; given: nothing.
    """

    def written(match: re.Match[str]) -> str:
        word, name, rest = match.groups()
        values, prefix, place = ([part.strip() for part in rest.split(";")[1:]] + ["", "", ""])[:3]
        relation = _at_values(name, values, prefix)
        if word == "names":
            return ", ".join(relation.names)
        given = [one.strip() for one in place.split(",") if one.strip()]
        return f"({getattr(relation, word)(*given)})"

    return CALL.sub(written, text)


@cache
def _at_values(name: str, values: str, prefix: str) -> FamilyRelation:
    path = proofs_directory() / "families" / f"{name}.json"
    if not path.is_file():
        raise BadInput("a statement must name a stored family", name)
    document = load_json(path.read_bytes())
    return FamilyRelation(*set_at(lambda choices: PlainFamily(document, choices), values), prefix=prefix)


def set_at(read: Callable[[Mapping[str, str] | None], PlainFamily], values: str) -> tuple[PlainFamily, dict[str, str]]:
    """A family with the choices that ``K = 2, ties = rightmost`` makes, and the values of its sizes and tables."""
    parts = [part.partition("=") for part in values.split(",") if part.strip()]
    given = {key.strip(): value.strip() for key, _, value in parts}
    family: PlainFamily = read(None)
    once = len(given) == len(parts)
    if made := {key: given.pop(key) for key in family.choices if key in given}:
        family = read(made)
    numeral = r"-?[0-9]+(/[1-9][0-9]*)?"
    numerals = all(re.fullmatch(rf"{numeral}( {numeral})*|", value, re.A) for value in given.values())
    whole = not given or {*given} == {*family.sizes, *family.tables}
    if not once or not numerals or not whole:
        raise BadInput("a family must be given all sizes and tables as numerals, each once, or none", values)
    return family, given


class FamilyRelation(RunEquations):
    """The equations of a family, with names for its sizes or at values of all of them."""

    def __init__(self, family: PlainFamily, values: Mapping[str, str] | None = None, prefix: str = "") -> None:
        super().__init__(family.start, family.pointwise, family.readout[:2])
        self.family, self.given, self.prefix = family, dict(values or {}), prefix
        self.functions: dict[str, str] = {}  # the values of a run with their sorts
        self.needed += [] if family.longest is None else [f"n <= {show(family.longest)}"]
        self.used = {*family.sizes, *family.tables, *family.space}
        self.loop: Range | None = None  # the repetition around a layer
        self.done: dict[str, str] = {}  # the functions that carry values from round to round
        self.left: list[str] = []  # what is still written in a round
        self._embed()
        number = 0
        for part in family.layers:
            number = self._repeat(part, number) if isinstance(part, Repeat) else self._layer(part, number + 1)
        put = {size: f"({value})" if value[:1] == "-" else value for size, value in self.given.items()}
        self.put = put | {name: prefix + name for name in (*family.tables, *self.functions)}

    def _put(self, text: str) -> str:
        """A text with the values of sizes, and the prefix before the names that are left."""
        return _put(text, self.put)

    # --- what a statement says ---

    @property
    def names(self) -> list[str]:
        """The quantified names; sizes are not among those with a prefix, which may stand under sizes of a statement."""
        sizes = [] if self.given or self.prefix else [f"{size}:Int" for size in self.family.sizes]
        tables = [f"{n}:{'*'.join(['Int'] * len(t.over))}{'->' * bool(t.over)}{t.sort}"
                  for n, t in self.family.tables.items()]  # fmt: skip
        return [*sizes, *(self._put(text) for text in (*tables, *(f"{n}:{s}" for n, s in self.functions.items())))]

    def run(self) -> str:
        return self._put(conjunction([*dict.fromkeys(self.needed), *self.equations, *self.positive]) or "true")

    def premises(self) -> str:
        """The conditions on sizes and tables; at values also the entries of the tables."""
        parts = [f"({show(condition)})" for condition in self.family.sizes.values()]
        for name, table in self.family.tables.items():
            parts += [f"({show(condition)})" for condition in table.where]
            if self.given:
                cells, entries = self._cells(table.over), self.given[name].split()
                if len(entries) != len(cells):
                    raise BadInput(f"the table {name} must have {len(cells)} entries", len(entries))
                at = [f"({', '.join(cell)})" * bool(cell) for cell in cells]
                parts += [f"{name}{here} = {e}" for here, e in zip(at, entries, strict=True)]
        return self._put(conjunction(parts) or "true")

    def _cells(self, over: Sequence[Range]) -> list[tuple[str, ...]]:
        """The values of indices, at values of the sizes, as numerals."""
        if not over:
            return [()]
        *before, last = over
        made = []
        for cell in self._cells(before):
            at = {**self.given, **{one.name: value for one, value in zip(before, cell, strict=True)}}
            at = {name: f"({value})" for name, value in at.items()}
            texts = (_put(show(end), at) for end in (last.low, last.high))
            low, high = (normal.constant(normal.nf(grammar.read_value(text, "Int", {}, {}))) for text in texts)
            if not isinstance(low, int) or not isinstance(high, int):
                raise BadInput("an index of a table must run over numbers that the sizes give", last.name)
            made += [(*cell, str(value)) for value in range(low, high + 1)]
        return made

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
        readout = self.family.readout
        if readout.kind == "sign":
            text = f"0 < {show(self._form(readout.score, self.held, place, frozenset(), 1))}"
        else:
            text = " & ".join(_ranged(d.over, f"{show(self._value(d, self.held, place))} = 0") for d in readout.reads)
        return self._put(self._accepts(text))

    def answer(self, label: str, at: str | None = None) -> str:
        """The readout answers the label: its score is the largest, and larger than those of earlier labels."""
        place = parse_term(self._place("answer", ("largest",), at))
        (scores,) = self.family.readout.reads
        (index,) = scores.over
        mine, best = (show(self._value(scores, self.held, place, at)) for at in (None, {index.name: parse_term(label)}))
        low, high, c = show(index.low), show(index.high), index.name
        rest = f"all {c} in {low}..{high}. {mine} <= {best} & ({c} < {label} -> {mine} < {best})"
        return self._put(f"{low} <= {label} & {label} <= {high} & ({rest})")

    # --- values and forms ---

    def _call(self, held: Held, args: Sequence[Tree], place: Tree = HERE) -> Tree:
        full = (*held[1], *args, *(() if self.pointwise else (place,)))
        return ("call", held[0], full) if full else ("name", held[0])

    def _text(self, held: Held) -> str:
        return show(self._call(held, ()))

    def _value(self, to: Declared, view: View, place: Tree = HERE, at: Mapping[str, Tree] | None = None) -> Tree:
        """The value of a declared coordinate at its own indices, or at others."""
        args = [(at or {}).get(index.name, ("name", index.name)) for index in to.over]
        return self._call(view[to.name], args, place) if to.name in view else ZERO

    def _form(self, tree: Tree, view: View, place: Tree, scope: Scope, degree: int) -> Tree:
        """A form with the values of `view` at a position in place of coordinates."""

        def put(name: str, args: tuple[Tree, ...]) -> Tree:
            return self._call(view[name], args, place) if name in view else ZERO

        return self.family.linear(tree, scope, degree, put)

    def _score(self, tree: Tree, view: View, at: str, scope: Scope) -> Tree:
        """The score of row i at a position."""
        total = ZERO
        for over, query, key, sign in self.family.products(tree, scope):
            inside = scope | {index.name for index in over}
            one = (self._form(query, view, HERE, inside, 1), self._form(key, view, ("name", at), inside, 1))
            if ZERO not in one:
                term = _summed(over, ("*", *one))
                first = term if sign > 0 else ("neg", term)
                total = first if total == ZERO else ("+" if sign > 0 else "-", total, term)
        return total

    # --- equations ---

    @property
    def _rounds(self) -> list[Range]:
        return [self.loop] if self.loop else []

    @property
    def scope(self) -> Scope:
        return frozenset(one.name for one in self._rounds)

    def _equation(self, held: Held, over: Sequence[Range], text: str, outer: Sequence[Range] = ()) -> Held:
        """An equation for a function at all its indices; ``@`` in `text` is its value."""
        k = len(held[1]) + len(over) + (not self.pointwise)
        self.functions[held[0]] = f"{'*'.join(['Int'] * k)}->Real" if k else "Real"
        left = show(self._call(held, [("name", index.name) for index in over]))
        self.equations.append(self._always(text.replace("@", left), (*outer, *over)))
        return held

    def _always(self, text: str, over: Sequence[Range] | None = None) -> str:
        place = "" if self.pointwise else f"all i in {self.low}..{self.high}. "
        return f"({_ranged(self._rounds if over is None else over, place + text)})"

    def _define(self, fresh: str, text: str, over: Sequence[Range] = (), more: Sequence[Range] = ()) -> Held:
        """The same for a new function like `fresh`, of the round, of `more` and of the indices `over`."""
        outer = (*self._rounds, *more)
        return self._equation((self._fresh(fresh), tuple(("name", one.name) for one in outer)), over, text, outer)

    def _embed(self) -> None:
        family = self.family
        first = {}  # what a repetition is the first to write begins with its value before the first round
        for part in family.layers:
            first |= {name: part for name in part.written if name not in first}
        inputs = {one.name for one in family.inputs}
        for name, over in family.space.items():
            given = [w for w in (*family.words, *family.positions) if w.to.name == name]
            loop = first.get(name)
            before = (before_first(loop.over),) if loop and loop.over and name not in inputs else ()
            if name in inputs:
                if given:
                    raise BadInput("an input must not be written by the embedding", name)
                k = len(over) + (not self.pointwise)
                self.functions[name] = f"{'*'.join(['Int'] * k)}->Real" if k else "Real"
                self.held[name] = (name, ())
            elif given or before:
                texts = [re.sub(r"\bw\b", "w(i)", readable(show(w.form))) for w in given]
                text = f"@ = {' + '.join(f'({one})' for one in texts) if len(texts) > 1 else (texts or ['0'])[0]}"
                self.held[name] = self._equation((name, before), over, text)

    def _fresh(self, wanted: str) -> str:
        while wanted in self.used or wanted in self.functions:
            wanted += "_"
        return wanted

    def _repeat(self, part: Repeat, number: int) -> int:
        """The layers of a repetition, whose functions have the round as first argument."""
        before, self.left, self.done = before_first(part.over), part.written, {}
        for name in dict.fromkeys(self.left):
            fn, over = name, self.family.space[name]
            if self.held.get(name) != (name, (before,)):
                fn = self._fresh(f"z{number + 1}_{name}")
                value = show(self._value(Declared(name, over), self.held))
                self._equation((fn, (before,)), over, f"@ = {value}")
            self.done[name] = fn
            self.held[name] = (fn, (("-", ("name", part.over.name), ONE),))
        self.loop = part.over
        for layer in part.layers:
            number = self._layer(layer, number + 1)
        self.loop = None
        self.held |= {name: (fn, (part.over.high,)) for name, fn in self.done.items()}
        return number

    def _layer(self, layer: FamilyLayer, number: int) -> int:
        both = ((layer.heads, layer.attention_norms), ((layer.feedforward,), layer.feedforward_norms))
        for blocks, norms in both:
            if any(blocks):
                with self.family.reading(norms):
                    self._part(number, blocks, norms, layer.placement)
        return number

    def _write(self, name: str, number: int, right: Right) -> None:
        over, old = self.family.space[name], self.held.get(name)
        text = right(None if old is None else show(self._value(Declared(name, over), self.held)))
        if self.loop:
            self.left.remove(name)
        if name in self.left if self.loop else old is not None:
            self.held[name] = self._define(f"z{number}_{name}", text, over)
        else:  # the last value of a round is carried
            held = (self.done[name] if self.loop else name, tuple(("name", one.name) for one in self._rounds))
            self.held[name] = self._equation(held, over, text, self._rounds)

    def _added(self, block: FamilyHead | tuple[Write, ...], view: View) -> list[tuple[str, Right]]:
        if isinstance(block, FamilyHead):
            scope = self.scope | {index.name for index in self._heads(block)}
            return [(w.to.name, self._head(block, w, view, scope | w.to.indices)) for w in block.writes]
        forms = ((w.to.name, self._form(w.form, view, HERE, self.scope | w.to.indices, 2)) for w in block)
        return [(name, plus([f"({show(form)})"])) for name, form in forms]

    def _heads(self, block: object) -> list[Range]:
        return [block.over] if isinstance(block, FamilyHead) and block.over else []

    def _many(self, block: object) -> bool:
        return bool(self._heads(block))

    def _apart(self, fresh: str, name: str, block: FamilyHead, text: str) -> str:
        over = self.family.space[name]
        held = self._define(fresh, text, over, self._heads(block))
        return show(_summed(self._heads(block), self._call(held, [("name", index.name) for index in over])))

    def _head(self, head: FamilyHead, write: Write, view: View, scope: Scope) -> Right:
        factor = ("/", head.scale, head.temperature)
        soft = show(("*", factor, self._score(head.score, view, "j", scope)))
        self._warm(head.weighting, show(head.temperature), names(head.temperature))

        def score(at: str) -> str | None:
            tree = self._score(head.score, view, at, scope)
            return None if tree == ZERO else show(tree)

        value = show(self._form(write.form, view, ("name", "j"), scope, 1))
        return attended(window(head.mask, self.family.start), head.weighting, score, soft, value)

    def _norm(self, number: int, norm: Norm) -> dict[str, Held]:
        own = ((Declared(name, over), _plain(name, over)) for name, over in self.family.space.items())
        writes = norm.writes or tuple(Write(*one) for one in own)
        entries = [(w.to, show(self._form(w.form, self.held, HERE, self.scope | w.to.indices, 1))) for w in writes]

        def total(each: Callable[[str], str]) -> str:
            return joined(f"({show(_summed(to.over, parse_term(each(entry))))})" for to, entry in entries)

        epsilon = [] if norm.epsilon == ZERO else [f"({show(norm.epsilon)})"]
        refuse = norm.zero == "refuse" and not (norm.epsilon[0] in ("num", "/") and norm.epsilon != ZERO)
        mean, deviation = self._deviation(number, total, f"({total(lambda entry: '1')})", epsilon, refuse)
        gain = "#" if norm.gain == ONE else f"({show(norm.gain)})*#"
        bias = [] if norm.bias == ZERO else [f"({show(norm.bias)})"]
        made = {}
        for to, entry in entries:
            text = normed(f"{entry} - {mean}", deviation, gain, bias, norm.zero == "zero")
            made[to.name] = self._define(f"y{number}_{to.name}", text, to.over)
        return made


def _put(text: str, values: Mapping[str, str]) -> str:
    return re.sub(r"\b[A-Za-z_]\w*", lambda m: values.get(m[0], m[0]), text, flags=re.ASCII)


def _plain(name: str, over: Sequence[Range]) -> Tree:
    return ("call", name, tuple(("name", index.name) for index in over)) if over else ("name", name)


def _summed(over: Sequence[Range], term: Tree) -> Tree:
    """The sum of a term over indices."""
    return reduce(lambda inner, index: ("sum", *index, inner), reversed(over), term)


def _ranged(over: Sequence[Range], text: str) -> str:
    return "".join(f"all {c} in {show(low)}..{show(high)}. " for c, low, high in over) + text


def before_first(over: Range) -> Tree:
    """The number before the first round."""
    low = over.low
    return ("num", low[1] - 1, 1) if low[0] == "num" and low[1] else ("-", low, ONE)
