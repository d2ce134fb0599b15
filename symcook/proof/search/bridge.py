"""A bridge: the certificate that a model's own run relation implies its family's at given sizes and tables.

    1 <= n -> (word(F) -> word(M)) & (word(M) -> run(M) -> ex ... . premises(F) & run(F) & word(F) & same answers)

with F the family at these values. Both directions of `word` are there, as a model with fewer letters is a run of the
larger one too. Each function of the family is witnessed by the model's values, one an index; then every index runs
over numbers, and at each of them the family's equation is the model's by computation. So nothing is searched for: the
nodes are written down, and where the two differ that is seen at once. Untrusted: the kernel judges what comes out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from symcook.errors import BadInput, Rejected
from symcook.model.family import Family
from symcook.model.instance import Instance, label
from symcook.model.rationals import quotient
from symcook.proof import normal, replay
from symcook.proof.familyrel import FamilyRelation, Held, set_at
from symcook.proof.normal import FALSE, fkey, nf
from symcook.proof.replay import Statement
from symcook.proof.runrel import Relation
from symcook.proof.search import automation
from symcook.proof.search.computed import (
    Computed,
    affine,
    function,
    group,
    halved,
    left_of,
    pair,
    row_function,
    rows_function,
    witnessed,
)
from symcook.proof.search.tactics import Goal
from symcook.proof.terms import COMPARISONS, Term, flatten, instantiate, opened, var
from symcook.proof.terms import TRUE as TERM_TRUE

PREFIX = "g_"


class Unbridged(BadInput):
    """The model is no instance of the family at these values."""


class Recorded(Relation):
    """A relation that keeps what is held after the embedding and after each part, and its functions in order."""

    def __init__(self, model: Mapping[str, Any]) -> None:
        self.streams: list[dict[str, str]] = []
        self.order: list[str] = list(model["embedding"]["inputs"] or ())
        super().__init__(model)

    def _define(self, fresh: str, text: str) -> str:
        self.order.append(super()._define(fresh, text))
        return self.order[-1]

    def _embed(self) -> None:
        super()._embed()
        self.streams.append(dict(self.held))

    def _part(self, *given: Any) -> None:
        super()._part(*given)
        self.streams.append(dict(self.held))


class Bridge:
    """The bridge from a model's document to a family at values: its statement, and the nodes that prove it."""

    def __init__(self, family: Family, at: Instance, model: Mapping[str, Any], name: str, stored: bool = False) -> None:
        """With `stored` the statement names the stored model and family; else it has their equations written out.

        Raises Unbridged where the model cannot be an instance: other coordinates, tokens or layers.
        """
        self.family, self.at, self.model = family, at, model
        self.own = Recorded(model)
        _, given = set_at(lambda choices: family, ", ".join(p for p in at.values.split(", ") if _set(p, family)))
        self.far = FamilyRelation(family, given, PREFIX)
        self.words = model["embedding"]["words"] is not None
        self.pointwise = self.own.pointwise
        if len(model["space"]) != len(at.space) or self.words is (family.vocabulary is None):
            raise self._apart("coordinates", len(model["space"]), len(at.space))
        self.called = dict(zip(at.space, model["space"], strict=True))
        if self.words and len(model["embedding"]["words"]) != (many := int(at.number(family.vocabulary or (), at.env))):
            raise self._apart("tokens", len(model["embedding"]["words"]), many)
        if self.pointwise is not family.pointwise:
            both = ("one row", "rows") if self.pointwise else ("rows", "one row")
            raise self._apart("as input", *both)
        self.cells = self._cells()
        self.number = {} if stored else self._numbers()
        self.text = self._text(stored)
        self.statement = Statement(name, self.text, known=_definitions())

    def _apart(self, what: str, own: Any, far: Any) -> Unbridged:
        must = f"an instance of {self.family.name} at {self.at.sizes} must have {far} {what}"
        return Unbridged(must, f"{own} in {self.model['name']}")

    def _cells(self) -> dict[str, dict[tuple[int, ...], str | None]]:
        """For each function of the family and each of its indices the model's function, None where that is zero."""
        snaps: list[tuple[dict[str, Held], dict[str, Any]]] = []
        streams, k = self.far.streams, 0
        while k < len(streams):
            loop = streams[k][0]
            group = [held for over, held in streams[k:] if over is loop] if loop else [streams[k][1]]
            rounds = [{loop.name: Fraction(t)} for t in self.at.range(loop, self.at.env)] if loop else [{}]
            snaps += [(held, env) for env in rounds for held in group]
            k += len(group)
        if len(snaps) != len(self.own.streams):
            raise self._apart("blocks", len(self.own.streams) - 1, len(snaps) - 1)
        out: dict[str, dict[tuple[int, ...], str | None]] = {fn: {} for fn in self.far.functions}
        for (held, env), names in zip(snaps, self.own.streams, strict=True):
            for x, (fn, first) in held.items():
                start = tuple(int(self.at.number(one, {**self.at.env, **env})) for one in first)
                for cell in self.at.cells[x]:
                    out[fn].setdefault((*start, *cell), names.get(self.called[label(x, cell)]))
        for x, (fn, first), old in self.far.starts:
            start, before = (
                tuple(int(self.at.number(one, self.at.env)) for one in (held[1] if held else ()))
                for held in ((fn, first), old)
            )
            for cell in self.at.cells[x]:
                out[fn][*start, *cell] = out[old[0]][*before, *cell] if old else None
        shown = {fn for _, held in streams for fn, _ in held.values()} | {start[0] for _, start, _ in self.far.starts}
        inside = [fn for fn in self.far.functions if fn not in shown]
        if inside:
            must = "a bridge must be to a family without norms and with one head for what is written"
            raise BadInput(must, f"{inside[0]} in {self.family.name}")
        return out

    # --- the statement ---

    def _text(self, stored: bool) -> str:
        name, real = self.model["name"], "Real" if self.pointwise else "Int->Real"
        sorts = {fn: f"Int{'*Int' * (not self.pointwise)}->Real" for fn, _ in self.number.values()}
        runs = [f"names({name})"] if stored else [f"{fn}:{sorts.get(fn, real)}" for fn in self.runs]
        front = ", ".join([*([] if self.pointwise else ["n:Int"]), *(["w:Int->Int"] if self.words else []), *runs])

        def near(word: str) -> str:
            return f"{word}({name})" if stored else f"({self._named(getattr(self.own, word)())})"

        def far(word: str) -> str:
            if not stored:
                return f"({getattr(self.far, word)()})"
            return f"{word}(family-{self.family.name}; {self.at.values}; {PREFIX})"

        premises = self.far.premises()
        made = [*([] if premises == "true" else [far("premises")]), far("run"), *([far("word")] if self.words else [])]
        made += self._answers(near, far)
        names = far("names") if stored else ", ".join(self.far.names)
        quantified = f"ex {names}. {' & '.join(made)}"
        whole = f"{near('run')} -> {quantified}"
        if self.words:
            whole = f"({far('word')} -> {near('word')}) & ({near('word')} -> {whole})"
        return f"all {front}. {whole}" if self.pointwise else f"all {front}. 1 <= n -> {whole}"

    def _answers(self, near: Any, far: Any) -> list[str]:
        """That inputs, and what the readout looks at, are the same."""
        readout, out = self.family.readout, []
        if readout.kind != self.model["readout"]["kind"] or readout.position != self.model["readout"]["position"]:
            own = f"{self.model['readout']['kind']} at {self.model['readout']['position']}"
            raise self._apart("as readout", own, f"{readout.kind} at {readout.position}")
        values = [(one, False) for one in self.family.inputs]
        if readout.kind in ("value", "largest"):
            values += [(one, True) for one in readout.reads]
        elif readout.position != "each":
            out.append(f"({far('accept')} <-> {near('accept')})")
        else:
            both = (self.far.accept("i"), self._named(self.own.accept("i")))
            out.append(f"(all i in {self.own.low}..{self.own.high}. ({both[0]}) <-> ({both[1]}))")
        place = "" if self.pointwise else "i"
        for one, last in values:
            for cell in self.at.cells[one.name]:
                fn, first = self.far.held[one.name] if last else (one.name, ())
                at = [quotient(self.at.number(x, self.at.env)) for x in first]
                args = ", ".join([*at, *map(str, cell), *filter(None, [place])])
                own = self.called[label(one.name, cell)]
                own = self.own.held.get(own) if last else own
                mine = self._value(own, place) if own else "0"
                equal = f"{PREFIX}{fn}{f'({args})' if args else ''} = {mine}"
                out.append(f"({equal})" if self.pointwise else f"({self.own.everywhere(equal)})")
        return out

    def _numbers(self) -> dict[str, tuple[str, int]]:
        """The functions of a model that is not stored, all those of a coordinate of the family as one function of a
        number (and a position): so a round or an index of the family is a number too."""
        back = {own: x for x, cells in self.at.cells.items() for own in (self.called[label(x, at)] for at in cells)}
        taken, out = {*self.own.order, *self.far.functions}, dict[str, tuple[str, int]]()
        for names in self.own.streams:
            for c, fn in names.items():
                group = back[c] + "_"
                while group in taken:
                    group += "_"
                out.setdefault(fn, (group, 1 + sum(other == group for other, _ in out.values())))
        return out

    @property
    def runs(self) -> list[str]:
        """The names in front for the values of a run."""
        return list(dict.fromkeys(self.number.get(fn, (fn, 0))[0] for fn in self.own.order))

    def _named(self, text: str) -> str:
        """A text about the model's functions with their numbers."""

        def put(match: re.Match[str]) -> str:
            group, k = self.number.get(match[1], (match[1], 0))
            if not k:
                return match[0]
            return f"{group}({k}, " if match[2] else f"{group}({k})"

        return re.sub(r"\b([A-Za-z_]\w*)(\()?", put, text, flags=re.ASCII)

    def _value(self, fn: str, place: str) -> str:
        return self._named(f"{fn}({place})" if place else fn)

    # --- the proof ---

    def certificate(self) -> dict[str, Any]:
        """The certificate, whose nodes the kernel has not seen yet. Unbridged where the equations differ."""
        from symcook.proof import own

        try:
            goals = (self.statement.formula, self.statement.defined, self.statement.inhabited)
        except Rejected as error:
            must = f"{self.family.name} at {self.at.sizes} must have a relation that the checker reads"
            raise BadInput(must, str(error), "use smaller sizes") from None
        stored = own._stored()
        library = own.library(self.statement, stored)
        parts = [Goal(library, goal, {}, {}) for goal in goals]
        for part, close in zip(parts, (self.prove, self.defined, self.inhabited), strict=True):
            close(part)
        nodes = [part.nodes for part in parts]
        lemmas = [stored[label] for label in sorted({x for one in nodes for x in own._used(one)}) if label in stored]
        return replay.make_certificate(self.statement, nodes[0], nodes[1], nodes[2], lemmas)

    def prove(self, g: Goal) -> None:
        """Close the statement itself."""
        self._front(g)
        if not self.pointwise:
            g.intro("some")
        if self.words:
            first, g = g.split()
            first.intro("word")
            self._word(first)
            word = flatten("&", g.goal[2][0])
            words = [f"word{k}" for k in range(1, len(word) + 1)]
            g.intro(group(words))
        run = g.goal[2][0]
        parts = flatten("&", run)
        labels = [f"e{k}" for k in range(1, len(parts) + 1)]
        g.intro(group(labels))
        known = Computed(self.differs, dict(zip(map(fkey, parts), labels, strict=True)))
        if self.words:
            known.words = words
            known.keys |= dict(zip(map(fkey, word), words, strict=True))
        known.by_name = {n: k for part, k in zip(parts, labels, strict=True) if (n := left_of(part)) is not None}
        witnessed(g, [*map(self._table, self.family.tables), *map(self._witness, self.far.functions)])
        known.settle(g)

    def _front(self, g: Goal) -> None:
        """Introduce the names in front."""
        names = [*([] if self.pointwise else ["n"]), *(["w"] if self.words else []), *self.runs]
        sorts, f = [], g.goal
        while f[0] == "all" and len(sorts) < len(names):
            sorts.append(f[1])
            f = f[2][0]
        g.nodes.append({"by": "intro", "as": names})
        g.scope |= dict(zip(names, sorts, strict=True))
        g.goal = opened(g.goal, [var(n, s) for n, s in zip(names, sorts, strict=True)])

    def _witness(self, fn: str) -> str:
        """A function of the family by the model's functions."""
        cells, place = self.cells[fn] or {(): fn if fn in self.own.order else None}, "" if self.pointwise else "y__"
        numbers = {key: self.number[one] for key, one in cells.items() if one in self.number}
        groups = {group for group, _ in numbers.values()}
        if len(numbers) == len(cells) and len(groups) == 1 and cells.keys() != {()}:
            form = affine({key: k for key, (_, k) in numbers.items()})
            if form is not None:
                names = [f"v{k}__" for k in range(1, len(form))]
                number = " + ".join([str(form[0]), *(f"{a}*{x}" for a, x in zip(form[1:], names, strict=True) if a)])
                args = ", ".join([number, *filter(None, [place])])
                return f"{' '.join([*names, *filter(None, [place])])}. {groups.pop()}({args})"
        return function({key: one and self._value(one, place) for key, one in cells.items()}, not self.pointwise)

    def _table(self, name: str) -> str:
        cells = self.at._cells(self.family.tables[name].over)
        entries = {at: quotient(self.at.entry(name, at)) for at in cells}
        return function({at: None if e == "0" else f"({e})" for at, e in entries.items()}, False)

    def _word(self, g: Goal) -> None:
        """The model's word from the family's: w(i) is a number of a range, so one of its numbers."""
        parts = {fkey(part): k for k, part in enumerate(flatten("&", g.facts["word"]))}
        labels = [f"f{k}" for k in range(1, len(parts) + 1)]
        if len(labels) > 1:
            g.use("word", label=" ".join(labels))
        else:
            labels = ["word"]
        for one in g.split() if g.goal[0] == "&" else [g]:
            if fkey(one.goal) in parts:
                one.hyp(labels[parts[fkey(one.goal)]])
                continue
            rule = next(k for k in labels if one.facts[k][0] == "all")
            one.intro("i (il ih)")
            bounds = flatten("&", instantiate(one.facts[rule][2][0], (var("i", "Int"),))[2][1])
            names = ["low", "high", *(f"not{k}" for k in range(1, len(bounds) - 1))]
            one.use(rule, "i", lambda h: pair(h, "il", "ih"), label=" ".join(names))
            last = int(normal.constant(nf(bounds[1][2][1])) or 0)

            def leaf(h: Goal, value: int, equal: str, names: list[str] = names, last: int = last) -> None:
                for bad in names[2:]:
                    h.rewrite(equal, bad, f"{bad}_{value}")
                    if fkey(h.facts[f"{bad}_{value}"]) == FALSE:
                        h.absurd(f"{bad}_{value}")
                        return
                want = fkey(h.facts[equal])
                while h.goal[0] == "|" and fkey(h.goal[2][0]) != want:
                    h.pick("right")
                if h.goal[0] == "|":
                    h.pick("left")
                if fkey(h.goal) != want:
                    raise self._apart("tokens", "others", last + 1)
                h.hyp(equal)

            halved(one, "w(i)", 0, last, "low", "high", leaf)

    def defined(self, g: Goal) -> None:
        """Close D: what is divided by is a length, a window or a sum of exponentials."""
        if g.goal == TERM_TRUE:
            g.true()
            return
        self._front(g)

        def each(h: Goal) -> None:
            while h.goal[0] in ("all", "->"):
                name = h.fresh("d")
                if h.goal[0] == "->" and h.goal[2][0][0] not in COMPARISONS and h.goal[2][0][0] == "&":
                    h.intro(group([h.fresh(f"d{k}_") for k in range(len(flatten("&", h.goal[2][0])))]))
                else:
                    h.intro(name)
            if h.goal[0] == "&":
                for part in h.split():
                    each(part)
                return
            few = [k for k, f in h.facts.items() if f[0] in COMPARISONS]
            h.facts = {k: h.facts[k] for k in few}
            automation.prove(h, (), foreground=few)  # roots are of sums of squares

        each(g)

    def inhabited(self, g: Goal) -> None:
        """Close H: a run of the model on the shortest input, where everything is a number."""
        values = self._run()
        for part in g.split() if g.goal[0] == "&" else [g]:
            witnessed(part, values)
            Computed(self.differs, {}, searching=True).settle(part)

    def differs(self, goal: Term) -> Unbridged:
        """The error where an equation is not the model's: the first weight that differs, else what it is for."""
        where = difference(self)
        name = left_of(goal)
        about = f"the equation of {name}" if name else "what the family asks"
        must = f"an instance of {self.family.name} at {self.at.sizes} must have its weights"
        return Unbridged(must, where or f"{about} differs in {self.model['name']}")

    def _run(self) -> list[str]:
        """What the model computes on the shortest input, by the names in front."""
        from symcook.domains import make_domain
        from symcook.forward import forward
        from symcook.model.modelfile import loads
        from symcook.run import prepare

        model = loads(json.dumps(self.model))
        given: Any = [model.alphabet[0]] if self.words else []
        if not self.words:
            row = dict.fromkeys(model.embedding.inputs or (), 1)
            given = row if self.pointwise else [row]
        sequence, _ = prepare(model, given)
        steps = forward(model, sequence, make_domain("exact"), trace=True, weights=False).steps
        values: dict[str, list[Any]] = {name: [1] for name in model.embedding.inputs or ()}
        for names, step in zip(self.own.streams, steps, strict=True):
            for c, fn in names.items():
                values.setdefault(fn, list(step.columns.get(c, [0] * len(sequence))))  # nothing written yet: zero
        out = [] if self.pointwise else [str(len(sequence))]
        if self.words:
            tokens = list(model.embedding.words or {})
            out.append(row_function([tokens.index(t) for t in sequence], self.own.low))
        low = None if self.pointwise else self.own.low
        for name in self.runs:
            mine = {(k,): values[fn] for fn, (group, k) in self.number.items() if group == name}
            out.append(rows_function(mine, low) if mine else row_function(values[name], low))
        return out


def difference(bridge: Bridge) -> str:
    """The first number in which a model differs from the instance, in words; empty where there is none."""
    from symcook.model.modelfile import to_document

    tokens = list(bridge.model["embedding"]["words"] or ()) or None
    made: Any = to_document(bridge.at.model(tokens, bridge.model["name"]))
    names = {b: a for a, b in bridge.called.items()}

    def first(own: Any, far: Any, path: list[str]) -> str:
        if isinstance(own, str):
            own = names.get(own, own)
        if type(own) is not type(far) or not isinstance(own, (dict, list)):
            return "" if own == far else f"{own} where the family has {far}, at {' '.join(path)}"
        if isinstance(own, dict):
            own = {names.get(k, k): v for k, v in own.items()}
            keys = [k for k in own if k not in ("name", "source", "symcook", "space")]
            if own.keys() != far.keys():
                return f"{' '.join(own)} where the family has {' '.join(far)}, at {' '.join(path)}"
            return next(filter(None, (first(own[k], far[k], [*path, k]) for k in keys)), "")
        if len(own) != len(far):
            return f"{len(own)} entries where the family has {len(far)}, at {' '.join(path)}"
        pairs = enumerate(zip(own, far, strict=True), 1)
        return next(filter(None, (first(a, b, [*path, str(k)]) for k, (a, b) in pairs)), "")

    return first(bridge.model, made, [])


def _set(part: str, family: Family) -> bool:
    return part.partition("=")[0].strip() not in family.choices


def _definitions() -> Mapping[str, Any]:
    return next(iter(replay.statements().values())).known if replay.statements() else {}


def checked(bridge: Bridge) -> tuple[dict[str, Any], replay.Verdict]:
    """The certificate of a bridge and what the checker says of it; Rejected where it does not accept it."""
    certificate = bridge.certificate()
    return certificate, replay.library().judged(bridge.statement, certificate)
