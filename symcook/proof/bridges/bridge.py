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
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from random import Random
from typing import Any

from symcook.errors import BadInput, Rejected
from symcook.model.expr import Tree, parse_formula, show
from symcook.model.family import Family
from symcook.model.instance import Instance, label
from symcook.model.meaning import conjuncts
from symcook.model.modelfile import loads
from symcook.model.rationals import quotient
from symcook.model.structure import differences
from symcook.proof import normal, replay
from symcook.proof.bridges.casevalues import Witnesses, named
from symcook.proof.bridges.computed import Computed, group, halved, left_of, pair, squared, witnessed
from symcook.proof.bridges.correspondence import Matching, Recorded, RecordedFamily
from symcook.proof.bridges.indexedequations import conjunction, lines, merged, summed, tables
from symcook.proof.bridges.tableterms import affine, function, row_function, rows_function, spans, table_function
from symcook.proof.familyrel import set_at
from symcook.proof.normal import FALSE, fkey, nf
from symcook.proof.replay import Statement
from symcook.proof.runrel import Relation
from symcook.proof.runtext import joined
from symcook.proof.search import automation, limits
from symcook.proof.search.tactics import Goal, Stuck
from symcook.proof.statements.reader import shown
from symcook.proof.statements.shortruns import Runs, _ordered
from symcook.proof.statements.trees import mentioned
from symcook.proof.terms import COMPARISONS, Sort, Term, conj, flatten, free, instantiate, opened, var
from symcook.proof.terms import TRUE as TERM_TRUE

PREFIX = "g_"
SHORT = 3
"""Up to which length a run is looked for."""
MANY_NAMES = 180
"""Up to how many values of norms have a name each: quantifiers nest, and a number takes symbols."""
DEEP = 300
"""Up to how many names, each a level, the parts of a stored statement stand in the usual order."""
TRIED = 40
"""So many inputs are tried for a run without roots."""


class Unbridged(BadInput):
    """The model is no instance of the family at these values."""


class Bridge:
    """The bridge from a model's document to a family at values: its statement, and the nodes that prove it."""

    def __init__(
        self, family: Family, at: Instance, model: Mapping[str, Any], name: str | None = None, stored: bool = False
    ) -> None:
        """With `stored` the statement names the stored model and family; else it has their equations written out.
        Without a `name` it is called after the model.

        Raises Unbridged where the model cannot be an instance: other coordinates, tokens or layers.
        """
        self.family, self.at, self.model = family, at, model
        self.own = Recorded(model)
        _, size_values = set_at(lambda choices: family, ", ".join(p for p in at.values.split(", ") if _set(p, family)))
        self.far = RecordedFamily(family, size_values, PREFIX)
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
        matching = Matching(family, at, self.own, self.far, self.called)
        if len(matching.rounds) != len(self.own.streams):
            raise self._apart("blocks", len(self.own.streams) - 1, len(matching.rounds) - 1)
        try:
            self.cells = matching.cells()
        except (ValueError, KeyError, StopIteration, IndexError):  # norms or heads of another number
            where = difference(self) or f"a block of {model['name']} is of another kind"
            raise Unbridged(f"an instance of {family.name} at {at.sizes} must have its weights", where) from None
        self._require_structure()
        self.number = {} if stored else self._numbers()
        if self.number:
            self.own = Recorded(model, self._numbered)
        self.long = not stored and len(self.own.definitions) > MANY_NAMES
        deep = len(self.own.order) + len(self.far.names) > DEEP
        self.deep = stored and deep  # what nests deepest, the run, comes first then
        self.text = self._text(stored)
        name = name or f"bridge.{re.sub('[^A-Za-z0-9_]', '_', model['name'])}_own"
        self.statement = Statement(name, self.text, known=_definitions())

    def _require_structure(self) -> None:
        """Unbridged where the structure is another than the instance's. The statement is about answers, and may hold of
        a model whose blocks write what the family's do not; but its runs are others."""
        own = loads(json.dumps(self.model))
        instance = self.at.model(list(own.embedding.words or ()) or None, own.name)
        for apart in differences(own, instance, self.called):
            must = f"an instance of {self.family.name} at {self.at.sizes} must have its weights and structure"
            raise Unbridged(must, f"{apart.what}, {apart.first} where the family has {apart.second}")

    def _apart(self, what: str, own: object, far: object) -> Unbridged:
        must = f"an instance of {self.family.name} at {self.at.sizes} must have {far} {what}"
        return Unbridged(must, f"{own} in {self.model['name']}")

    # --- the statement ---

    def _text(self, stored: bool) -> str:
        name, real = self.model["name"], "Real" if self.pointwise else "Int->Real"
        sorts = {fn: f"Int{'*Int' * (not self.pointwise)}->Real" for fn, _ in self.number.values()}
        runs = [f"names({name})"] if stored else [f"{fn}:{sorts.get(fn, real)}" for fn in self.runs]
        front = ", ".join([*([] if self.pointwise else ["n:Int"]), *(["w:Int->Int"] if self.words else []), *runs])

        def near(word: str) -> str:
            if stored:
                return f"{word}({name})"
            return f"({self._run_together() if word == 'run' else getattr(self.own, word)()})"

        def far(word: str) -> str:
            if stored:
                return f"{word}(family-{self.family.name}; {self.at.values}; {PREFIX})"
            formula = parse_formula(getattr(self.far, word)())
            parts = tables(formula) if self.long and word == "premises" else conjuncts(formula)
            return f"({show(conjunction(parts))})"

        premises = self.far.premises()
        sizes, run = [] if premises == "true" else [far("premises")], [far("run")]
        conclusions = [*(run + sizes if self.deep else sizes + run), *([far("word")] if self.words else [])]
        answers = self._answers(near, far)
        conclusions += map(_part, merged(list(map(parse_formula, answers)))) if self.long else answers
        names = far("names") if stored else ", ".join(self.far.names)
        quantified = f"ex {names}. {' & '.join(conclusions)}"
        claim = f"{near('run')} -> {quantified}"
        if self.words:
            claim = f"({far('word')} -> {near('word')}) & ({near('word')} -> {claim})"
        return f"all {front}. {claim}" if self.pointwise else f"all {front}. 1 <= n -> {claim}"

    def _run_together(self) -> str:
        """The model's run; of many equations, those that differ by numbers alone are one."""
        needs = self.own.needs()
        parts = [summed(parse_formula(part)) for part in self.own.whole.parts[len(needs) :]]
        equations = [*map(parse_formula, needs), *(merged(parts) if self.long else parts)]
        return show(conjunction(equations)) if equations else "true"

    def _answers(self, near: Any, far: Any) -> list[str]:
        """That inputs, and what the readout looks at, are the same."""
        readout, out = self.family.readout, []
        if readout.kind != self.model["readout"]["kind"] or readout.position != self.model["readout"]["position"]:
            own = f"{self.model['readout']['kind']} at {self.model['readout']['position']}"
            raise self._apart("as readout", own, f"{readout.kind} at {readout.position}")
        # the whole instance is made, so that a family which has none at these sizes is refused
        if not out and readout.kind in ("value", "largest") and (where := difference(self, ("readout",))):
            raise Unbridged(f"an instance of {self.family.name} at {self.at.sizes} must have its readout", where)
        values = [(input_, False) for input_ in self.family.inputs]
        if readout.kind in ("value", "largest"):
            values += [(read, True) for read in readout.reads]
        elif readout.position != "each":
            out.append(f"({far('accept')} <-> {near('accept')})")
        else:
            both = (self.far.accept("i"), self.own.accept("i"))
            out.append(f"(all i in {self.own.low}..{self.own.high}. ({both[0]}) <-> ({both[1]}))")
        place = "" if self.pointwise else "i"
        for declared, last in values:
            for cell in self.at.cells[declared.name]:
                fn, first = self.far.held[declared.name] if last else (declared.name, ())
                at = [quotient(self.at.number(x, self.at.env)) for x in first]
                args = ", ".join([*at, *map(str, cell), *filter(None, [place])])
                own = self.called[label(declared.name, cell)]
                own = self.own.held.get(own) if last else own
                mine = self._value(own, place) if own else "0"
                equal = f"{PREFIX}{fn}{f'({args})' if args else ''} = {mine}"
                out.append(f"({equal})" if self.pointwise else f"({self.own.everywhere(equal)})")
        return out

    def _numbers(self) -> dict[str, tuple[str, int]]:
        """The functions of a model that is not stored, all those of a coordinate of the family as one function of a
        number (and a position): so a round or an index of the family is a number too. Where they are many, those of a
        norm too."""
        back = {own: x for x, cells in self.at.cells.items() for own in (self.called[label(x, at)] for at in cells)}
        names_taken, out = {*self.own.order, *self.far.functions}, dict[str, tuple[str, int]]()

        def put(fn: str, group: str) -> None:
            while group in names_taken:
                group += "_"
            out.setdefault(fn, (group, 1 + sum(other == group for other, _ in out.values())))

        for names in self.own.streams:
            for c in self.model["space"]:
                if c in names:
                    put(names[c], back[c] + "_")
        if len(self.own.order) - len(out) <= MANY_NAMES:
            return out
        norms = {fn for block in self.own.blocks for mean, root, made in block.norms for fn in made.values()}
        for far, cells in self.cells.items():
            for fn in cells.values():
                if fn is not None and fn in norms and len(cells) > 1:
                    put(fn, far + "_")
        return out

    @property
    def runs(self) -> list[str]:
        """The names in front for the values of a run."""
        return list(dict.fromkeys(self.number.get(fn, (fn, 0))[0] for fn in self.own.order))

    def _numbered(self, fn: str, place: str) -> str:
        """The value of a function of the model at a place, by its number."""
        group, k = self.number.get(fn, (fn, 0))
        args = ", ".join(filter(None, [str(k) if k else "", "" if self.pointwise else place]))
        return f"{group}({args})" if args else group

    def _value(self, fn: str, place: str) -> str:
        """A function of the model, or a difference of two, at a place."""
        return " - ".join(self._numbered(one, place) for one in fn.split(" - "))

    # --- the proof ---

    def certificate(self) -> dict[str, Any]:
        """The certificate, whose nodes the kernel has not seen yet. Unbridged where the equations differ."""
        from symcook.proof.statements import certify

        try:
            goals = (self.statement.formula, self.statement.defined, self.statement.inhabited)
        except Rejected as error:
            must = f"{self.family.name} at {self.at.sizes} must have a relation that the checker reads"
            raise BadInput(must, str(error), "use smaller sizes") from None
        stored = certify._stored()
        library = certify.library(self.statement, stored)
        parts = [Goal(library, goal, {}, {}) for goal in goals]
        for part, close in zip(parts, (self.prove, self.defined, self.inhabited), strict=True):
            try:
                close(part)
            except Stuck:
                raise self.differs(part.goal) from None
        nodes = [part.nodes for part in parts]
        lemmas = [
            stored[label] for label in sorted({x for node in nodes for x in certify._used(node)}) if label in stored
        ]
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
        g.intro("run" if self.long else group(labels))
        known = Computed(self.differs, dict(zip(map(fkey, parts), labels, strict=True)), long=self.long)
        if self.words:
            known.words = words
            known.keys |= dict(zip(map(fkey, word), words, strict=True))
        known.by_name = {n: k for part, k in zip(parts, labels, strict=True) if (n := left_of(part)) is not None}
        for part, k in zip(parts, labels, strict=True):
            known.spread(part, k)
        witnessed(g, [*map(self._table, self.family.tables), *map(self._witness, self.far.functions)])
        if not self.long:
            known.settle(g)
            return
        known.aside = {"run", *labels}
        conditions = 0 if self.deep or self.far.premises() == "true" else len(flatten("&", g.goal[2][0]))
        for number, part in enumerate(g.split()):
            if number < conditions:  # conditions on tables need no equation
                known.settle(part)
            else:
                _with_used(part, labels, known.settle)

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
        cells, place = self.cells[fn], "" if self.pointwise else "y__"
        if not cells:
            many = self.far.functions[fn].count("Int") - (not self.pointwise)
            cells = {(): fn if fn in self.own.order else None} if not many else {(0,) * many: None}
        numbers = {key: self.number[one] for key, one in cells.items() if one in self.number}
        groups = {group for group, _ in numbers.values()}
        if len(numbers) == len(cells) and len(groups) == 1 and cells.keys() != {()}:
            form = affine({key: k for key, (_, k) in numbers.items()})
            if form is not None:
                names = [f"v{k}__" for k in range(1, len(form))]
                number = " + ".join([str(form[0]), *(f"{a}*{x}" for a, x in zip(form[1:], names, strict=True) if a)])
                args = ", ".join([number, *filter(None, [place])])
                return f"{' '.join([*names, *filter(None, [place])])}. {groups.pop()}({args})"
        if self.long and len(groups) == 1 < len(numbers) == sum(one is not None for one in cells.values()):
            return self._on_lines({key: k for key, (_, k) in numbers.items()}, groups.pop(), place)
        values = {key: one and self._value(one, place) for key, one in cells.items()}
        return function({k: f"({one})" if one and " - " in one else one for k, one in values.items()}, bool(place))

    def _on_lines(self, numbers: Mapping[tuple[int, ...], int], fn: str, place: str) -> str:
        """A function of the family that is one of the model at numbers, by its last index on lines."""
        rows: dict[tuple[int, ...], dict[int, int]] = {}
        for key, k in numbers.items():
            rows.setdefault(key[:-1], {})[key[-1]] = k
        *names, last = (f"v{k}__" for k in range(1, 1 + len(next(iter(numbers)))))
        terms = []
        for key, row in rows.items():
            at = [f"{name} = {k if k >= 0 else f'({k})'}" for name, k in zip(names, key, strict=True)]
            for line, numbers_on_line in lines(row, last):
                args = ", ".join([line, *filter(None, [place])])
                terms.append(f"I[{' & '.join([*at, f'({spans(numbers_on_line, last)})'])}]*{fn}({args})")
        return f"{' '.join([*names, last, *filter(None, [place])])}. {joined(terms)}"

    def _table(self, name: str) -> str:
        over = self.family.tables[name].over
        entries = {at: Fraction(self.at.entry(name, at)) for at in self.at._cells(over)}
        return table_function(entries or {(0,) * len(over): Fraction(0)})

    def _word(self, g: Goal) -> None:
        """The model's word from the family's: w(i) is a number of a range, so one of its numbers."""
        parts = {fkey(part): k for k, part in enumerate(flatten("&", g.facts["word"]))}
        labels = [f"f{k}" for k in range(1, len(parts) + 1)]
        if len(labels) > 1:
            g.use("word", label=" ".join(labels))
        else:
            labels = ["word"]
        for goal in g.split() if g.goal[0] == "&" else [g]:
            if fkey(goal.goal) in parts:
                goal.hyp(labels[parts[fkey(goal.goal)]])
                continue
            rule = next(k for k in labels if goal.facts[k][0] == "all")
            goal.intro("i (il ih)")
            bounds = flatten("&", instantiate(goal.facts[rule][2][0], (var("i", "Int"),))[2][1])
            names = ["low", "high", *(f"not{k}" for k in range(1, len(bounds) - 1))]
            goal.use(rule, "i", lambda h: pair(h, "il", "ih"), label=" ".join(names))
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

            halved(goal, "w(i)", 0, last, "low", "high", leaf)

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
            few = [k for k, f in h.facts.items() if f[0] in COMPARISONS and not (f[0] == "=" and _entry(f[2][0]))]
            h.facts = {k: h.facts[k] for k in few}
            try:
                if not h.first(squared, summed_exponentials):
                    automation.prove(h, (), foreground=few)
            except Stuck:
                must = f"what {self.family.name} divides by must be seen not to be zero at any length"
                divisor = h.goal[2][0][2][0] if h.goal[0] == "~" and h.goal[2][0][0] == "=" else h.goal
                text = re.sub(r"\bd[0-9_]+\b", "i", h.text(divisor))
                raise BadInput(must, text, "use another position, or a condition on sizes") from None

        each(g)

    def inhabited(self, g: Goal) -> None:
        """Close H: a run of the model on the shortest input, where everything is a number."""
        values = self._run()
        for part in g.split() if g.goal[0] == "&" else [g]:
            known = Computed(self.differs, {}, searching=True, long=self.long)
            try:
                if self.long:
                    self._run_holds(part, values, known)
                else:
                    witnessed(part, values)
                    known.settle(part)
            except Stuck as error:
                must = f"a run of {self.family.name} on the shortest input must be found to be one"
                raise BadInput(must, f"what is undecided is: {str(error).splitlines()[0]}") from None

    def _run_holds(self, g: Goal, texts: Sequence[str], known: Computed) -> None:
        """Close the goal that there is a run, by numbers that are written so, part by part."""
        names = [*([] if self.pointwise else ["n"]), *(["w"] if self.words else []), *self.runs]
        sorts, f = list[Sort](), self.statement.formula
        while f[0] == "all" and len(sorts) < len(names):
            sorts.append(f[1])
            f = f[2][0]
        pairs = list(zip(names, sorts, strict=True))
        values = [g.term(text, sort) for text, sort in zip(texts, sorts, strict=True)]
        body = g.goal
        for _ in pairs:
            body = body[2][0]
        run, values_told = Witnesses([var(name, sort) for name, sort in pairs], texts, values).shorter(g, body)
        witnessed(g, run.texts)
        for part, inside in zip(g.split(), flatten("&", body), strict=True):
            named(part, run, values_told, inside, known)

    def differs(self, goal: Term) -> Unbridged:
        """The error where an equation is not the model's: the first weight that differs, else what it is for."""
        where = difference(self)
        name = left_of(goal)
        about = f"the equation of {name}" if name else "what the family asks"
        if not where:  # it is the instance: what differs is more than computation shows
            values = str(self.at.values)
            far = f"{self.family.name} at {values if len(values) <= 200 else self.at.sizes}"  # tables may be long
            must = f"{far} must have equations that are the model's by computation alone"
            return Unbridged(must, about, "scores that are all zero at these values, say, are not seen to be equal")
        return Unbridged(f"an instance of {self.family.name} at {self.at.sizes} must have its weights", where)

    def _run(self) -> list[str]:
        """What the model computes on the shortest input, by the names in front."""
        if any(block.norms or block.parts for block in self.own.blocks):
            length, word, values = self._solved()
        else:
            length, word, values = self._computed()
        out = [] if self.pointwise else [str(length)]
        if self.words:
            out.append(row_function(word, self.own.low))
        low = None if self.pointwise else self.own.low
        for name in self.runs:
            mine = {(k,): values[fn] for fn, (group, k) in self.number.items() if group == name}
            out.append(rows_function(mine, low, self.long) if mine else row_function(values[name], low))
        return out

    def _computed(self) -> tuple[int, list[int], dict[str, list[Any]]]:
        """Length, word and values where the stream shows all of them."""
        from symcook.domains import make_domain
        from symcook.forward import forward
        from symcook.run import prepare

        model = loads(json.dumps(self.model))
        model_input: Any = [model.alphabet[0]] if self.words else []
        if not self.words:
            row = dict.fromkeys(model.embedding.inputs or (), 1)
            model_input = row if self.pointwise else [row]
        sequence, _ = prepare(model, model_input)
        steps = forward(model, sequence, make_domain("exact"), trace=True, weights=False).steps
        values: dict[str, list[Any]] = {name: [1] for name in model.embedding.inputs or ()}
        for names, step in zip(self.own.streams, steps, strict=True):
            for c, fn in names.items():
                values.setdefault(fn, list(step.columns[c]) if c in step.columns else [0] * len(sequence))
        tokens = list(model.embedding.words or {})
        return len(sequence), [tokens.index(t) for t in sequence] if self.words else [], values

    def _solved(self) -> tuple[int, list[int], dict[str, list[Any]]]:
        """The same by solving the equations, on an input of which the values are rational where one is near."""
        input_found = None
        least = 1 + sum(self.model["embedding"][end] is not None for end in ("before", "after"))  # a typed token too
        for inputs in self._inputs():
            document = {**self.model, "embedding": {**self.model["embedding"], "inputs": None, **inputs}}
            equations = Relation(document)
            runs = _ModelRuns(equations)
            for length in range(least, SHORT + 1):
                for ran in runs.at(length):
                    if ran and (input_found is None or runs.rational):
                        low = int(self.own.low)
                        (letters,) = (runs.values[w] for w in runs.words_of)
                        values = {x: ["0"] * length for x in self.model["embedding"]["inputs"] or ()}
                        values |= {x: [at.get(low + k, "0") for k in range(length)] for x, at in shown(runs).items()}
                        input_found = length, [letters[low + k] for k in range(length)], values
                    if ran and input_found and (runs.rational or self.words):
                        return input_found
        if input_found is None:
            raise BadInput(f"a run of {self.family.name} must be found that is short", f"none up to length {SHORT}")
        return input_found

    def _inputs(self) -> Iterator[dict[str, Any]]:
        """Words of one letter that have these numbers, in the place of inputs; a model with words as it is."""
        if self.words:
            yield {"words": self.model["embedding"]["words"]}
            return
        names, rng = self.model["embedding"]["inputs"], Random(0)
        for tried in range(TRIED):
            yield {"words": {"a": {name: str(1 if not tried else rng.randint(-8, 8)) for name in names}}}


class _ModelRuns(Runs):
    """The runs of a model, each equation read by itself, since names one below the other soon nest too deep."""

    def __init__(self, equations: Relation) -> None:
        super().__init__(Statement("bridge.run", "all n:Int, w:Int->Int. 1 <= n -> 0 = 0", known=_definitions()))
        sorts = {"n": "Int", "w": "Int->Int"} | dict.fromkeys(equations.defined, "Int->Real")
        variables_found, premises = dict[str, Term](), list[Term]()
        for text in (equations.word(), *equations.whole.parts):
            own = sorts.keys() & mentioned(parse_formula(text))
            front = ", ".join(f"{name}:{sorts[name]}" for name in own)
            read = Statement("bridge.run", f"all {front}. {text}", known=_definitions()).formula
            for name in own:
                variables_found[name] = var(name, read[1])
                read = instantiate(read[2][0], (variables_found[name],))
            premises += flatten("&", read)
        variables_found |= zip("nw", self.order, strict=True)
        self.names, self.order = list(sorts), [variables_found[name] for name in sorts]
        self.conclusion = TERM_TRUE
        self.words_of, plain = {variables_found["w"]}, {self.order[0], variables_found["w"]}
        self.choose += [premise for premise in premises if free(premise) <= plain]
        ordered = _ordered([premise for premise in premises if not free(premise) <= plain], plain)
        self.follow = [
            (premise, [v for v in self.order if v in names_met]) for premise in ordered for names_met in [free(premise)]
        ]


def _with_used(g: Goal, labels: Sequence[str], settle: Callable[[Goal], None]) -> None:
    """Close a goal with those of the parts of the run, which have these labels, that it takes: each branch of a proof
    copies what is known."""
    trial = g._branch(g.goal)
    trial.use("run", label=" ".join(labels))
    facts_told = dict(trial.facts)
    settle(trial)
    used = {*re.findall(r'"#?(\w+)"', json.dumps(trial.nodes[1:]))}
    used_labels = [one for one in labels if one in used]

    def each(h: Goal) -> None:
        h.use("run", label=" ".join(labels))
        for part, one in zip(h.split() if len(used_labels) > 1 else [h], used_labels, strict=True):
            part.hyp(one)

    if used_labels:
        g.have(reduce(conj, [facts_told[one] for one in used_labels]), " ".join(used_labels), each)
    g.nodes += trial.nodes[1:]
    g.closed = True


def _part(tree: Tree) -> str:
    """A part of a conjunction."""
    return f"({show(tree)})"


def _entry(term: Term) -> bool:
    """Whether it is an entry of a table, which says nothing of what is divided by."""
    return term[0] == "app" and all(index[0] == "num" for index in term[2][1:])


def difference(bridge: Bridge, parts: Sequence[str] = ()) -> str:
    """The first number in which a model differs from the instance, or these parts of it, in words; empty where there is
    none."""
    from symcook.model.modelfile import to_document

    tokens = list(bridge.model["embedding"]["words"] or ()) or None
    instance_document: Any = to_document(bridge.at.model(tokens, bridge.model["name"]))
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

    if parts:
        return next(filter(None, (first(bridge.model[part], instance_document[part], [part]) for part in parts)), "")
    return first(bridge.model, instance_document, [])


def _set(part: str, family: Family) -> bool:
    return part.partition("=")[0].strip() not in family.choices


def _definitions() -> Mapping[str, Any]:
    return next(iter(replay.statements().values())).known if replay.statements() else {}


def summed_exponentials(g: Goal) -> None:
    """What is divided by is a sum over positions of which there is one: facts about other names would be split on."""
    below = g.goal[2][0][2][0] if g.goal[0] == "~" and g.goal[2][0][0] == "=" else g.goal
    if below[0] != "sum":
        raise Stuck("it is no sum")
    ends = free(below[2][0]) | free(below[2][1])
    g.facts = {k: f for k, f in g.facts.items() if free(f) & ends}
    automation.prove(g, (), foreground=list(g.facts))


def checked(bridge: Bridge) -> tuple[dict[str, Any], replay.Verdict]:
    """The certificate of a bridge and what the checker says of it; Rejected where it does not accept it."""
    certificate = bridge.certificate()
    verdict = limits.judged(bridge.statement, certificate)
    if verdict.status != "PROVED":
        raise Rejected(f"the bridge of {bridge.at.family.name} is not accepted: {verdict.reason}")
    return certificate, verdict
