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
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from symcook.errors import BadInput
from symcook.model.expr import Tree, names, parse_term, show
from symcook.model.family import ZERO, Declared, Family, Head, Layer, Norm, Range, Repeat, Write, load, shipped
from symcook.proof import grammar, normal
from symcook.proof.rows import Right, attended, conjunction, normed, plus, window
from symcook.proof.runrel import _readable

CALL = re.compile(r"\b(run|word|accept|premises|answer|names)\(\s*family-([A-Za-z0-9][\w-]*)\s*((?:;[^;()]*)*)\)", re.A)
Held = tuple[str, tuple[Tree, ...]]
"""The function that is the present value of a coordinate, and its first arguments (the round)."""


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
    path = shipped(name)
    if not path.is_file():
        raise BadInput("a statement must name a stored family", name)
    return FamilyRelation(*set_at(lambda choices: load(path, choices), values), prefix=prefix)


def set_at(read: Any, values: str) -> tuple[Family, dict[str, str]]:
    """A family with the choices that ``K = 2, ties = rightmost`` makes, and the values of its sizes and tables."""
    given: dict[str, str] = {}
    for part in filter(None, values.split(",")):
        key, equals, value = (one.strip() for one in part.partition("="))
        if not equals or key in given:
            raise BadInput("values of a family must read NAME = VALUE, each once", part)
        given[key] = value
    family: Family = read(None)
    if made := {key: given.pop(key) for key in family.choices if key in given}:
        family = read(made)
    for key, value in given.items():
        number = r"-?[0-9]+" + "(/[1-9][0-9]*)?" * (key in family.tables)
        if key not in {*family.sizes, *family.tables} or not re.fullmatch(rf"{number}( {number})*|", value, re.A):
            raise BadInput("sizes and tables of a family must be given as numerals", f"{key} = {value}")
    if given and {*given} != {*family.sizes, *family.tables}:
        raise BadInput("all sizes and tables of a family must be given, or none", values)
    return family, given


class FamilyRelation:
    """The equations of a family, with names for its sizes or at values of all of them."""

    def __init__(self, family: Family, values: Mapping[str, str] | None = None, prefix: str = "") -> None:
        self.family, self.given, self.prefix = family, dict(values or {}), prefix
        self.low, self.high = str(family.start), "n" if family.start else "n - 1"
        self.functions: dict[str, str] = {}  # the values of a run with their sorts
        self.equations: list[str] = []
        self.needed: list[str] = [] if family.longest is None else [f"n <= {show(family.longest)}"]
        self.held: dict[str, Held] = {}
        self.used = {*family.sizes, *family.tables, *family.space}
        self.streams: list[tuple[Range | None, dict[str, Held]]] = []  # what is held after each part, for bridges
        self.starts: list[tuple[str, Held, Held | None]] = []  # where a repetition begins, with the old value
        self._embed()
        number = 0
        for part in family.layers:
            number = self._repeat(part, number) if isinstance(part, Repeat) else self._layer(part, number + 1, None)
        put = {size: self.given[size] for size in family.sizes if self.given}
        put = {size: f"({value})" if value[:1] == "-" else value for size, value in put.items()}
        put |= {name: prefix + name for name in (*family.tables, *self.functions)}
        self._put = lambda text: re.sub(r"\b[A-Za-z_]\w*", lambda m: put.get(m[0], m[0]), text, flags=re.ASCII)

    # --- what a statement says ---

    @property
    def names(self) -> list[str]:
        """The quantified names; sizes are not among those with a prefix, which may stand under sizes of a statement."""
        sizes = [] if self.given or self.prefix else [f"{size}:Int" for size in self.family.sizes]
        tables = [f"{n}:{'*'.join(['Int'] * len(t.over))}{'->' * bool(t.over)}{t.sort}"
                  for n, t in self.family.tables.items()]  # fmt: skip
        return [*sizes, *(self._put(text) for text in (*tables, *(f"{n}:{s}" for n, s in self.functions.items())))]

    def run(self) -> str:
        return self._put(conjunction([*dict.fromkeys(self.needed), *self.equations]) or "true")

    def premises(self) -> str:
        """The conditions on sizes and tables; at values also the entries of the tables."""
        parts = [f"({show(condition)})" for condition in self.family.sizes.values()]
        for name, table in self.family.tables.items():
            parts += [f"({show(condition)})" for condition in table.where]
            if self.given:
                cells = [()]
                for index in table.over:
                    cells = [(*cell, at) for cell in cells for at in self._numerals(index, cell, table.over)]
                entries = self.given[name].split()
                if len(entries) != len(cells):
                    raise BadInput(f"the table {name} must have {len(cells)} entries", len(entries))
                at = [f"({', '.join(map(str, cell))})" * bool(cell) for cell in cells]
                parts += [f"{name}{here} = {e}" for here, e in zip(at, entries, strict=True)]
        return self._put(conjunction(parts) or "true")

    def _numerals(self, index: Range, cell: Sequence[int], over: Sequence[Range]) -> range:
        """The values of an index, at values of the sizes and of the indices before it."""
        held = {one.name: f"({at})" for one, at in zip(over, cell, strict=False)}

        def end(tree: Tree) -> int:
            text = re.sub(r"\b[A-Za-z_]\w*", lambda m: held.get(m[0], m[0]), self._put(show(tree)), flags=re.ASCII)
            value = normal.constant(normal.nf(grammar.read_value(text, "Int", {}, {})))
            if not isinstance(value, int):
                raise BadInput("an index of a table must run over numbers that the sizes give", text)
            return value

        return range(end(index.low), end(index.high) + 1)

    def word(self) -> str:
        """w(i) is the number of a token at every position: a typed one, or the added one at its end."""
        family = self.family
        if family.vocabulary is None:
            raise BadInput("word(family-NAME) needs a family with an alphabet", family.name)
        most = show(("-", family.vocabulary, ("num", 1, 1)))
        ends = [(end, show(end)) for end in (family.before, family.after) if end is not None]
        typed = [f"0 <= w(i) & w(i) <= {most}", *(f"w(i) != {text}" for _, text in ends)]
        low = self.low if family.before is None else str(family.start + 1)
        high = self.high if family.after is None else f"n - {2 - family.start}"
        parts = [] if family.before is None else [f"w({self.low}) = {show(family.before)}"]
        parts += [] if family.after is None else [f"w({self.high}) = {show(family.after)}"]
        parts += ["2 <= n"] if len(ends) == 2 else []
        return self._put(" & ".join([*parts, f"(all i in {low}..{high}. {' & '.join(typed)})"]))

    def accept(self, at: str | None = None) -> str:
        """The readout's condition where it looks; at the position `at` where it looks at each."""
        place = self._place("accept", ("zero", "sign"), at)
        readout, view = self.family.readout, self.held
        if readout.kind == "sign":
            text = f"0 < {show(self._form(readout.score, view, place, frozenset(), 1))}"
        else:
            text = " & ".join(self._ranged(d, f"{show(self._value(d, view, place))} = 0") for d in readout.reads)
        return self._put(f"all i in {self.low}..{self.high}. {text}" if readout.position == "all" else text)

    def answer(self, label: str, at: str | None = None) -> str:
        """The readout answers the label: its score is the largest, and larger than those of earlier labels."""
        place = self._place("answer", ("largest",), at)
        (scores,) = self.family.readout.reads
        (index,) = scores.over
        mine, tree = parse_term(label), self._value(scores, self.held, place)
        best = show(self._value(scores, self.held, place, {index.name: mine}))
        low, high, c = show(index.low), show(index.high), index.name
        rest = f"all {c} in {low}..{high}. {show(tree)} <= {best} & ({c} < {label} -> {show(tree)} < {best})"
        return self._put(f"{low} <= {label} & {label} <= {high} & ({rest})")

    def _place(self, word: str, kinds: tuple[str, ...], at: str | None) -> Tree:
        readout = self.family.readout
        if readout.kind not in kinds or (at is None) is (readout.position == "each"):
            must = f"{word} needs a readout {' or '.join(kinds)}, and a position where it looks at each"
            raise BadInput(must, f"{readout.kind} at {readout.position}")
        return parse_term(at or {"first": self.low, "last": self.high, "all": "i"}[readout.position])

    # --- values and forms ---

    def _call(self, held: Held, args: Sequence[Tree], place: Tree) -> Tree:
        full = (*held[1], *args, *(() if self.family.pointwise else (place,)))
        return ("call", held[0], full) if full else ("name", held[0])

    def _value(self, to: Declared, view: Mapping[str, Held], place: Tree, at: Mapping[str, Tree] | None = None) -> Tree:
        """The value of a declared coordinate at its own indices, or at others."""
        args = [(at or {}).get(index.name, ("name", index.name)) for index in to.over]
        return self._call(view[to.name], args, place) if to.name in view else ZERO

    def _form(self, tree: Tree, view: Mapping[str, Held], place: Tree, scope: frozenset[str], degree: int) -> Tree:
        """A form with the values of `view` at a position in place of coordinates."""

        def put(name: str, args: tuple[Tree, ...]) -> Tree:
            return self._call(view[name], args, place) if name in view else ZERO

        return self.family.linear(tree, scope, degree, put)

    def _score(self, tree: Tree, view: Mapping[str, Held], there: Tree, scope: frozenset[str]) -> Tree:
        """The score of row i at a position."""
        total: Tree = ZERO
        for over, query, key, sign in self.family.products(tree, scope):
            inside = scope | {index.name for index in over}
            one = (self._form(query, view, ("name", "i"), inside, 1), self._form(key, view, there, inside, 1))
            if ZERO in one:
                continue
            term: Tree = ("*", *one)
            for index in reversed(over):
                term = ("sum", *index, term)
            if total == ZERO:
                total = term if sign > 0 else ("neg", term)
            else:
                total = ("+" if sign > 0 else "-", total, term)
        return total

    @staticmethod
    def _ranged(to: Declared | Sequence[Range], text: str) -> str:
        over = to.over if isinstance(to, Declared) else to
        return "".join(f"all {c} in {show(low)}..{show(high)}. " for c, low, high in over) + text

    # --- equations ---

    def _fresh(self, wanted: str) -> str:
        while wanted in self.used or wanted in self.functions:
            wanted += "_"
        return wanted

    def _function(self, fn: str, many: int) -> None:
        """The sort of a function of so many indices, and of a position."""
        k = many + (not self.family.pointwise)
        self.functions[fn] = f"{'*'.join(['Int'] * k)}->Real" if k else "Real"

    def _equation(
        self, fn: str, first: Sequence[Tree], over: Sequence[Range], text: str, outer: Sequence[Range]
    ) -> Held:
        """An equation for a function at all its indices; ``@`` in `text` is its value."""
        self._function(fn, len(first) + len(over))
        left = show(self._call((fn, tuple(first)), [("name", index.name) for index in over], ("name", "i")))
        place = "" if self.family.pointwise else f"all i in {self.low}..{self.high}. "
        self.equations.append(f"({self._ranged((*outer, *over), place + text.replace('@', left))})")
        return fn, tuple(first)

    def _embed(self) -> None:
        family = self.family
        later = {}  # what a repetition is the first to write begins with its value before the first round
        for part in family.layers:
            later |= {name: part for name in part.written if name not in later}
        inputs = {one.name for one in family.inputs}
        for name, over in family.space.items():
            given = [w for w in (*family.words, *family.positions) if w.to.name == name]
            loop = later.get(name)
            first = (_before(loop.over),) if isinstance(loop, Repeat) and name not in inputs else ()
            if name in inputs:
                self._function(name, len(over))
                self.held[name] = (name, ())
            if not given and not first:
                continue
            texts = [re.sub(r"\bw\b", "w(i)", _readable(show(w.form))) for w in given]
            ranges = given[0].to.over if given else over
            if name in inputs:
                raise BadInput("an input must not be written by the embedding", name)
            text = f"@ = {' + '.join(f'({one})' for one in texts) if len(texts) > 1 else (texts or ['0'])[0]}"
            self.held[name] = self._equation(name, first, ranges, text, ())
        self.streams.append((None, dict(self.held)))

    def _repeat(self, part: Repeat, number: int) -> int:
        """The layers of a repetition, whose functions have the round as first argument."""
        over, before = part.over, _before(part.over)
        order, done = part.written, dict[str, str]()
        for name in dict.fromkeys(order):
            old = self.held.get(name)
            if old is None or old[1] != (before,) or old[0] != name:
                fn = self._fresh(f"z{number + 1}_{name}")
                ranges = self.family.space[name]
                value = ZERO if old is None else self._value(Declared(name, ranges), self.held, ("name", "i"))
                start = self._equation(fn, (before,), ranges, f"@ = {show(value)}", ())
                self.starts.append((name, start, old))
                done[name] = fn
            else:
                done[name] = name
            self.held[name] = (done[name], (("-", ("name", over.name), ("num", 1, 1)),))
        left = {name: order.count(name) for name in done}
        for layer in part.layers:
            number = self._layer(layer, number + 1, (over, done, left))
        for name, fn in done.items():
            self.held[name] = (fn, (over.high,))
        return number

    def _write(self, to: Declared, number: int, loop: Any, right: Right) -> None:
        """The equation for the next value of a coordinate."""
        over, done, left = loop or (None, {}, {})
        old = self.held.get(to.name)
        first = () if over is None else (("name", over.name),)
        if over is None:
            fn = to.name if old is None else self._fresh(f"z{number}_{to.name}")
        else:
            left[to.name] -= 1
            fn = self._fresh(f"z{number}_{to.name}") if left[to.name] else done[to.name]
        before = None if old is None else show(self._value(to, self.held, ("name", "i")))
        self.held[to.name] = self._equation(fn, first, to.over, right(before), [over] if over else [])

    def _layer(self, layer: Layer, number: int, loop: Any) -> int:
        scope = frozenset({loop[0].name}) if loop else frozenset[str]()
        for block, norms in ((layer.heads, layer.attention_norms), (layer.feedforward, layer.feedforward_norms)):
            if not block:
                continue
            view = dict(self.held)
            if layer.placement not in ("none", "post"):
                view = {name: made for norm in norms for name, made in self._norm(number, norm, loop, scope).items()}
            with self.family.reading(norms):
                rights = self._rights(block, view, number, loop, scope)
            for to, right in rights:
                self._write(to, number, loop, right)
            if layer.placement == "post":
                self.held |= self._norm(number, norms[0], loop, scope)
            self.streams.append((loop[0] if loop else None, dict(self.held)))
        return number

    def _rights(
        self, block: Sequence[Any], view: dict[str, Held], number: int, loop: Any, scope: frozenset[str]
    ) -> list[tuple[Declared, Right]]:
        """What a block adds to each coordinate; heads that write the same one are parts with functions of their own."""
        if isinstance(block[0], Write):
            here = ("name", "i")
            return [(w.to, plus([f"({show(self._form(w.form, view, here, scope | w.to.indices, 2))})"])) for w in block]
        outputs = [(h, head, write) for h, head in enumerate(block, 1) for write in head.writes]
        rights = []
        for name in dict.fromkeys(write.to.name for _, _, write in outputs):
            mine = [one for one in outputs if one[2].to.name == name]
            if len(mine) == 1 and mine[0][1].over is None:
                rights.append((mine[0][2].to, self._head(*mine[0][1:], view, scope)))
                continue
            terms = []
            to = mine[0][2].to
            for h, head, write in mine:
                outer = [loop[0]] if loop else []
                many = [head.over] if head.over else []
                first = [("name", index.name) for index in (*outer, *many)]
                right = self._head(head, write, view, scope | {index.name for index in many})
                held = self._equation(
                    self._fresh(f"z{number}_{h}_{name}"), first, write.to.over, right(None), [*outer, *many]
                )
                there = [("name", index.name) for index in to.over]
                term = self._call(held, there, ("name", "i"))
                terms.append(show(("sum", *many[0], term) if many else term))
            rights.append((to, plus(terms)))
        return rights

    def _head(self, head: Head, write: Write, view: dict[str, Held], scope: frozenset[str]) -> Right:
        scope |= write.to.indices
        factor = ("/", head.scale, head.temperature)
        soft = show(("*", factor, self._score(head.score, view, ("name", "j"), scope)))
        if head.weighting == "softmax" and (free := names(head.temperature)):
            text = f"0 < {show(head.temperature)}"
            at = "i" in free and not self.family.pointwise
            self.needed.append(f"(all i in {self.low}..{self.high}. {text})" if at else text)

        def score(at: str) -> str | None:
            tree = self._score(head.score, view, ("name", at), scope)
            return None if tree == ZERO else show(tree)

        value = show(self._form(write.form, view, ("name", "j"), scope, 1))
        return attended(window(head.mask, self.family.start), head.weighting, score, soft, value)

    def _norm(self, number: int, norm: Norm, loop: Any, scope: frozenset[str]) -> dict[str, Held]:
        """Equations of a layer norm; what it makes, by name."""
        here, outer = ("name", "i"), [loop[0]] if loop else []
        first = [("name", index.name) for index in outer]
        writes = norm.writes or tuple(
            Write(Declared(name, over), ("call", name, tuple(("name", index.name) for index in over)) if over else
                  ("name", name)) for name, over in self.family.space.items()
        )  # fmt: skip
        entries = [self._form(w.form, self.held, here, scope | w.to.indices, 1) for w in writes]

        def over_all(each: Any) -> str:
            terms = []
            for write, entry in zip(writes, entries, strict=True):
                term = each(entry)
                for index in reversed(write.to.over):
                    term = ("sum", *index, term)
                terms.append(show(term))
            return " + ".join(f"({one})" for one in terms)

        count = over_all(lambda entry: ("num", 1, 1))
        mean = self._equation(self._fresh(f"mu{number}"), first, (), f"@ = ({over_all(lambda e: e)})/({count})", outer)
        centre = self._call(mean, (), here)
        square = over_all(lambda entry: ("^", ("-", entry, centre), ("num", 2, 1)))
        extra = "" if norm.epsilon == ZERO else f" + ({show(norm.epsilon)})"
        root = self._equation(self._fresh(f"dev{number}"), first, (), f"@ = sqrt(({square})/({count}){extra})", outer)
        deviation = show(self._call(root, (), here))
        if norm.zero == "refuse" and not (norm.epsilon[0] in ("num", "/") and norm.epsilon != ZERO):  # else above zero
            place = "" if self.family.pointwise else f"all i in {self.low}..{self.high}. "
            self.equations.append(f"({self._ranged(outer, place)}0 < {deviation})")
        made = {}
        for write, entry in zip(writes, entries, strict=True):
            gain = "#" if norm.gain == ("num", 1, 1) else f"({show(norm.gain)})*#"
            bias = [] if norm.bias == ZERO else [f"({show(norm.bias)})"]
            text = normed(show(("-", entry, centre)), deviation, gain, bias, norm.zero == "zero")
            fn = self._fresh(f"y{number}_{write.to.name}")
            made[write.to.name] = self._equation(fn, first, write.to.over, text, outer)
        return made


def _before(over: Range) -> Tree:
    """The number before the first round."""
    low = over.low
    return ("num", low[1] - 1, 1) if low[0] == "num" and low[1] else ("-", low, ("num", 1, 1))
