"""A bridge: the certificate that each run of a model, by its own equations, is a run of a family at given sizes and
tables. It proves

    1 <= n -> (word(F) -> word(M)) & (word(M) -> run(M) -> ex ... . premises(F) & run(F) & word(F) & same answers)

with M the model and F the family at these values. For a model that reads numbers, there is only the part from run(M)
on, and without positions no premise 1 <= n. `word` says which strings are inputs, `run` has the equations of all
coordinates, `premises` has the family's conditions on its sizes. Both directions of `word` are needed: with only the
second, a model with fewer symbols than the family would pass too, since its runs are runs of the family.

The input is a model's document, a family and its values (`Instance`); the output is a statement and its certificate.
The witness for each function of the family is a term in the model's functions, given for each index. Then every index
ranges over numbers, and at each number the family's equation equals the model's by computation. So there is no search:
the nodes of the proof are written directly, and a model that is no instance fails at the first equation that differs.
Nothing here is trusted: the kernel checks the certificate.
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
from symcook.proof.bridges.correspondence import Matching, Recorded, RecordedCells, RecordedFamily
from symcook.proof.bridges.indexedequations import conjunction, lines, merged, summed, tables
from symcook.proof.bridges.tableterms import affine, function, row_function, rows_function, spans, table_function
from symcook.proof.familyrel import set_at
from symcook.proof.normal import FALSE, fkey, nf
from symcook.proof.replay import Statement
from symcook.proof.runrel import Relation
from symcook.proof.runtext import joined
from symcook.proof.search import automation, limits
from symcook.proof.search.tactics import Goal, Stuck, try_each
from symcook.proof.statements.reader import shown
from symcook.proof.statements.shortruns import Runs, _ordered
from symcook.proof.statements.trees import mentioned
from symcook.proof.terms import COMPARISONS, Sort, Term, conj, flatten, free, instantiate, opened, var
from symcook.proof.terms import TRUE as TERM_TRUE

PREFIX = "g_"
"""The prefix of the names of the family's functions in the statement; it distinguishes them from the model's."""
SHORT = 3
"""The maximum length of the strings on which a run of the model is sought by its equations (`Bridge._solved`). A run
exists if one string has a run, and the equations are solved anew for each string."""
MANY_NAMES = 180
"""For a statement that is not stored: if more functions than this are left without a number, functions of norms get
numbers instead of names of their own; with more definitions than this, equations are merged. (Each name is a
quantifier, and quantifiers nest; but a number makes the equations longer.)"""
DEEP = 300
"""With more quantified names than this, each of which is a level of nesting, a stored statement has the run before the
premises (see `Bridge.deep`)."""
TRIED = 40
"""The number of inputs that are tried to find a run with rational values, for a model that reads numbers. At the first
all numbers are 1; for the others they are drawn from -8 to 8."""


class Unbridged(BadInput):
    """The error for a model that is no instance of the family at these values."""


class Bridge:
    """The bridge from a model's document to a family at values: its statement, and the nodes that prove it."""

    def __init__(
        self, family: Family, at: Instance, model: Mapping[str, Any], name: str | None = None, stored: bool = False
    ) -> None:
        """`at` is the instance of the family that `model`, a model's document, should be. With `stored` the statement
        names the stored model and family; else it has their equations written out. Without a `name` the statement is
        named after the model.

        Raises Unbridged if the model cannot be this instance: it has other coordinates, tokens or layers.
        """
        self.family, self.at, self.model = family, at, model
        # `own` has the equations of the model, `far` those of the family with numbers for its sizes and tables.
        self.own = Recorded(model)
        sizes = ", ".join(setting for setting in at.values.split(", ") if _is_size(setting, family))
        _, size_values = set_at(lambda choices: family, sizes)
        self.far = RecordedFamily(family, size_values, PREFIX)
        # `words`: the input is a string of tokens. `pointwise`: it is one row of numbers, without positions.
        self.words = model["embedding"]["words"] is not None
        self.pointwise = self.own.pointwise
        self._require_shape()
        # `called`: the model's coordinate for each coordinate of the instance, by their order. `cells`: the model's
        # function for each function of the family at each index.
        self.called = dict(zip(at.space, model["space"], strict=True))
        self.cells = self._matched_cells()
        self._require_structure()
        # `number`: a stored model's functions have their own names; those of another model are grouped and numbered.
        self.number = {} if stored else self._numbers()
        if self.number:
            self.own = Recorded(model, self._numbered)
        # `long`: equations that differ only in numbers are merged, and goals are shortened before they are split.
        # `deep`: the run comes before the premises, since it nests deepest and each later part is a level deeper.
        self.long = not stored and len(self.own.definitions) > MANY_NAMES
        self.deep = stored and len(self.own.order) + len(self.far.names) > DEEP
        self.text = self._text(stored)
        name = name or f"bridge.{re.sub('[^A-Za-z0-9_]', '_', model['name'])}_own"
        self.statement = Statement(name, self.text, known=_definitions())

    def _require_shape(self) -> None:
        """Raise Unbridged if the model has another number of coordinates or tokens than the instance, or another kind
        of input."""
        family, words = self.family, self.model["embedding"]["words"]
        own_width, width = len(self.model["space"]), len(self.at.space)
        if own_width != width or self.words is (family.vocabulary is None):
            raise self._apart("coordinates", own_width, width)
        if self.words:
            vocabulary_size = int(self.at.number(family.vocabulary or (), self.at.env))
            if len(words) != vocabulary_size:
                raise self._apart("tokens", len(words), vocabulary_size)
        if self.pointwise is not family.pointwise:
            own_and_far = ("one row", "rows") if self.pointwise else ("rows", "one row")
            raise self._apart("as input", *own_and_far)

    def _matched_cells(self) -> RecordedCells:
        """For each function of the family at each index, the model's function. Raises Unbridged if the blocks do not
        match."""
        matching = Matching(self.family, self.at, self.own, self.far, self.called)
        if len(matching.rounds) != len(self.own.streams):  # both count the embedding
            raise self._apart("blocks", len(self.own.streams) - 1, len(matching.rounds) - 1)
        try:
            return matching.cells()
        except (ValueError, KeyError, StopIteration, IndexError):  # a block has another number of norms or heads
            where = difference(self) or f"a block of {self.model['name']} is of another kind"
            must = f"an instance of {self.family.name} at {self.at.sizes} must have its weights"
            raise Unbridged(must, where) from None

    def _require_structure(self) -> None:
        """Raise Unbridged if the model has another structure than the instance. The statement is about answers, so it
        could hold for a model whose blocks write other values than the family's; but that model has other runs."""
        own = loads(json.dumps(self.model))
        instance = self.at.model(list(own.embedding.words or ()) or None, own.name)
        for apart in differences(own, instance, self.called):
            must = f"an instance of {self.family.name} at {self.at.sizes} must have its weights and structure"
            raise Unbridged(must, f"{apart.what}, {apart.first} where the family has {apart.second}")

    def _apart(self, what: str, own: object, far: object) -> Unbridged:
        """The error that the model has `own` of something (`what`), where the instance has `far`."""
        must = f"an instance of {self.family.name} at {self.at.sizes} must have {far} {what}"
        return Unbridged(must, f"{own} in {self.model['name']}")

    # --- the statement ---

    def _text(self, stored: bool) -> str:
        """The text of the statement."""

        def of_model(word: str) -> str:
            """The formula `word` of the model ("run", "word", "accept"): by the model's stored name, or written out."""
            if stored:
                return f"{word}({self.model['name']})"
            return f"({self._run_together() if word == 'run' else getattr(self.own, word)()})"

        def of_family(word: str) -> str:
            """The formula `word` of the family at these values ("run", "word", "premises", ..)."""
            if stored:
                return f"{word}(family-{self.family.name}; {self.at.values}; {PREFIX})"
            formula = parse_formula(getattr(self.far, word)())
            parts = tables(formula) if self.long and word == "premises" else conjuncts(formula)
            return f"({show(conjunction(parts))})"

        # The conclusions about the functions of the family: its premises, its run, its string, and the same answers.
        premises = [] if self.far.premises() == "true" else [of_family("premises")]
        run = [of_family("run")]
        conclusions = [*(run + premises if self.deep else premises + run), *([of_family("word")] if self.words else [])]
        answers = self._answers(of_model, of_family)
        conclusions += map(_part, merged(list(map(parse_formula, answers)))) if self.long else answers
        # Around them: the quantifiers of the family's functions, the model's run, and, for strings, both directions
        # of `word`.
        names = of_family("names") if stored else ", ".join(self.far.names)
        claim = f"{of_model('run')} -> ex {names}. {' & '.join(conclusions)}"
        if self.words:
            claim = f"({of_family('word')} -> {of_model('word')}) & ({of_model('word')} -> {claim})"
        front = self._quantified(stored)
        return f"all {front}. {claim}" if self.pointwise else f"all {front}. 1 <= n -> {claim}"

    def _quantified(self, stored: bool) -> str:
        """The names that the statement quantifies, with their sorts: the length, the tokens, the functions of a run."""
        real = "Real" if self.pointwise else "Int->Real"
        sorts = {fn: f"Int{'*Int' * (not self.pointwise)}->Real" for fn, _ in self.number.values()}
        runs = [f"names({self.model['name']})"] if stored else [f"{fn}:{sorts.get(fn, real)}" for fn in self.runs]
        return ", ".join([*([] if self.pointwise else ["n:Int"]), *(["w:Int->Int"] if self.words else []), *runs])

    def _run_together(self) -> str:
        """The model's run as one formula; with `long`, equations that differ only in numbers are merged."""
        # First the conditions on the input: its maximum length, and that each temperature is positive.
        needs = self.own.needs()
        parts = [summed(parse_formula(part)) for part in self.own.whole.parts[len(needs) :]]
        equations = [*map(parse_formula, needs), *(merged(parts) if self.long else parts)]
        return show(conjunction(equations)) if equations else "true"

    def _answers(self, of_model: Callable[[str], str], of_family: Callable[[str], str]) -> list[str]:
        """The formulas that model and family have the same inputs, and the same values or verdicts at the readout.
        Raises Unbridged if the readouts differ."""
        readout, own_readout = self.family.readout, self.model["readout"]
        if readout.kind != own_readout["kind"] or readout.position != own_readout["position"]:
            own = f"{own_readout['kind']} at {own_readout['position']}"
            raise self._apart("as readout", own, f"{readout.kind} at {readout.position}")
        reads_values = readout.kind in ("value", "largest")
        # `difference` makes the whole instance, so it also rejects a family that has no instance at these sizes.
        if reads_values and (where := difference(self, ("readout",))):
            raise Unbridged(f"an instance of {self.family.name} at {self.at.sizes} must have its output layer", where)
        equal_inputs = [text for declared in self.family.inputs for text in self._same(declared.name, False)]
        if reads_values:
            return equal_inputs + [text for read in readout.reads for text in self._same(read.name, True)]
        if readout.position != "each":
            return [f"({of_family('accept')} <-> {of_model('accept')})", *equal_inputs]
        far_accepts, own_accepts = self.far.accept("i"), self.own.accept("i")
        everywhere = f"all i in {self.own.low}..{self.own.high}"
        return [f"({everywhere}. ({far_accepts}) <-> ({own_accepts}))", *equal_inputs]

    def _same(self, name: str, last: bool) -> Iterator[str]:
        """The formulas that the family's coordinate `name` has the model's values, one for each of its indices. With
        `last` they compare the values after the last layer, else those of the input."""
        place = "" if self.pointwise else "i"
        for cell in self.at.cells[name]:
            # A coordinate that a loop writes has the number of its round as a first index.
            fn, rounds = self.far.held[name] if last else (name, ())
            round_numbers = [quotient(self.at.number(term, self.at.env)) for term in rounds]
            args = ", ".join([*round_numbers, *map(str, cell), *filter(None, [place])])
            # The model's function: an input has the name of its coordinate; without any, nothing is written there.
            own_function: str | None = self.called[label(name, cell)]
            own_function = self.own.held.get(own_function) if last and own_function else own_function
            value = self._value(own_function, place) if own_function else "0"
            equation = f"{PREFIX}{fn}{f'({args})' if args else ''} = {value}"
            yield f"({equation})" if self.pointwise else f"({self.own.everywhere(equation)})"

    def _numbers(self) -> dict[str, tuple[str, int]]:
        """How the statement writes the functions of a model that is not stored: {function: (name, number)}, so that
        f(i) is written name(number, i).

        All functions of one coordinate of the family become one function of a number (and a position). So an index or
        round of the family is a number in the model too. If many names are left, the outputs of norms are numbered as
        well."""
        coordinate_of = {
            self.called[label(coordinate, cell)]: coordinate
            for coordinate, cells in self.at.cells.items()
            for cell in cells
        }
        names_taken, numbered = {*self.own.order, *self.far.functions}, dict[str, tuple[str, int]]()

        def add(fn: str, function: str) -> None:
            """Give `fn` the next number of `function`, to whose name underscores are added while it is in use."""
            while function in names_taken:
                function += "_"
            numbered.setdefault(fn, (function, 1 + sum(used == function for used, _ in numbered.values())))

        # The functions of coordinates in the stream, after the embedding and after each block.
        for names in self.own.streams:
            for own in self.model["space"]:
                if own in names:
                    add(names[own], coordinate_of[own] + "_")
        if len(self.own.order) - len(numbered) <= MANY_NAMES:
            return numbered
        # Still many names: the outputs of norms too, unless the family's function has a single index.
        norms = {fn for block in self.own.blocks for _, _, outputs in block.norms for fn in outputs.values()}
        for family_function, cells in self.cells.items():
            for fn in cells.values():
                if fn is not None and fn in norms and len(cells) > 1:
                    add(fn, family_function + "_")
        return numbered

    @property
    def runs(self) -> list[str]:
        """The names of the functions of the model that the statement quantifies."""
        return list(dict.fromkeys(self.number.get(fn, (fn, 0))[0] for fn in self.own.order))

    def _numbered(self, fn: str, place: str) -> str:
        """The text of the value of a model's function at a position; with the function's number, if it has one."""
        function, k = self.number.get(fn, (fn, 0))
        args = ", ".join(filter(None, [str(k) if k else "", "" if self.pointwise else place]))
        return f"{function}({args})" if args else function

    def _value(self, fn: str, place: str) -> str:
        """The text of the value of a model's function at a position. `fn` may be a difference of two, "f - g"."""
        return " - ".join(self._numbered(function_name, place) for function_name in fn.split(" - "))

    # --- the proof ---

    def certificate(self) -> dict[str, Any]:
        """The certificate, which the kernel has not checked yet. Raises Unbridged if the equations differ, and BadInput
        if the relation is too large, a divisor may be 0, or no short run is found."""
        from symcook.proof.statements import certify

        try:
            goals = (self.statement.formula, self.statement.defined, self.statement.inhabited)
        except Rejected as error:
            must = f"{self.family.name} at {self.at.sizes} must have equations that the checker accepts"
            raise BadInput(must, str(error), "use smaller sizes") from None
        stored = certify.citable()
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
        """Close the goal that is the statement itself. (`defined` and `inhabited` close the two other goals.)"""
        self._front(g)
        if not self.pointwise:
            g.intro("some")  # 1 <= n
        if self.words:
            # The first part: the family's condition on the string implies the model's. `g` goes on with the second.
            first, g = g.split()
            first.intro("word")
            self._word(first)
            conditions_on_tokens = flatten("&", g.goal[2][0])
            word_labels = [f"word{k}" for k in range(1, len(conditions_on_tokens) + 1)]
            g.intro(group(word_labels))
        # The premise `run`: the model's equations, with the labels e1, e2, .. (with `long`, one fact, split as needed).
        equations = flatten("&", g.goal[2][0])
        labels = [f"e{k}" for k in range(1, len(equations) + 1)]
        g.intro("run" if self.long else group(labels))
        computed = Computed(self.differs, dict(zip(map(fkey, equations), labels, strict=True)), long=self.long)
        if self.words:
            computed.words = word_labels
            computed.keys |= dict(zip(map(fkey, conditions_on_tokens), word_labels, strict=True))
        for equation, equation_label in zip(equations, labels, strict=True):
            if (name := left_of(equation)) is not None:
                computed.by_name[name] = equation_label
        for equation, equation_label in zip(equations, labels, strict=True):
            computed.spread(equation, equation_label)
        # The rest of the goal: the family's equations, with terms in the model's functions as witnesses.
        witnessed(g, [*map(self._table, self.family.tables), *map(self._witness, self.far.functions)])
        if not self.long:
            computed.settle(g)
            return
        computed.aside = {"run", *labels}
        conditions = 0 if self.deep or self.far.premises() == "true" else len(flatten("&", g.goal[2][0]))
        for number, part in enumerate(g.split()):
            if number < conditions:  # conditions on tables need no equation of the run
                computed.settle(part)
            else:
                _with_used(part, labels, computed.settle)

    def _front(self, g: Goal) -> None:
        """Introduce the names that the statement quantifies, all by one proof node."""
        pairs = self._names_and_sorts(g.goal)
        g.nodes.append({"by": "intro", "as": [name for name, _ in pairs]})
        g.scope |= dict(pairs)
        g.goal = opened(g.goal, [var(name, sort) for name, sort in pairs])

    def _names_and_sorts(self, f: Term) -> list[tuple[str, Sort]]:
        """The names that the statement quantifies, with the sorts of the leading quantifiers of `f`."""
        names = [*([] if self.pointwise else ["n"]), *(["w"] if self.words else []), *self.runs]
        sorts = list[Sort]()
        while f[0] == "all" and len(sorts) < len(names):
            sorts.append(f[1])
            f = f[2][0]
        return list(zip(names, sorts, strict=True))

    def _witness(self, fn: str) -> str:
        """The text of the witness for a function of the family: a term in the model's functions."""
        cells, place = self.cells[fn], "" if self.pointwise else "y__"
        if not cells:  # `Matching` has no cell for it: take the model's function of this name, or 0 everywhere
            arity = self.far.functions[fn].count("Int") - (not self.pointwise)
            cells = {(): fn if fn in self.own.order else None} if not arity else {(0,) * arity: None}
        numbers = {key: self.number[own] for key, own in cells.items() if own in self.number}
        functions = {function_name for function_name, _ in numbers.values()}
        # Case 1: one numbered function of the model at every index, with a number that is affine in the indices.
        if len(numbers) == len(cells) and len(functions) == 1 and cells.keys() != {()}:
            form = affine({key: k for key, (_, k) in numbers.items()})
            if form is not None:
                return _at_affine(functions.pop(), form, place)
        # Case 2: one numbered function wherever the family's function is not 0, with a number affine on pieces.
        if self.long and len(functions) == 1 < len(numbers) == sum(own is not None for own in cells.values()):
            return self._on_lines({key: k for key, (_, k) in numbers.items()}, functions.pop(), place)
        # Case 3: a value for each index. A difference of two functions is bracketed, since it becomes a factor.
        text_of_value = {key: own and self._value(own, place) for key, own in cells.items()}
        texts = {key: f"({text})" if text and " - " in text else text for key, text in text_of_value.items()}
        return function(texts, bool(place))

    def _on_lines(self, numbers: Mapping[tuple[int, ...], int], fn: str, place: str) -> str:
        """The text of a witness that is the model's function `fn` at the numbers given by index, and 0 elsewhere. For
        fixed indices before the last one, the number is affine in the last index on each of several spans."""
        rows: dict[tuple[int, ...], dict[int, int]] = {}
        for key, number in numbers.items():
            rows.setdefault(key[:-1], {})[key[-1]] = number
        *names, last = (f"v{k}__" for k in range(1, 1 + len(next(iter(numbers)))))
        terms = []
        for key, row in rows.items():
            in_row = [f"{name} = {k if k >= 0 else f'({k})'}" for name, k in zip(names, key, strict=True)]
            for line, indices_on_line in lines(row, last):
                args = ", ".join([line, *filter(None, [place])])
                terms.append(f"I[{' & '.join([*in_row, f'({spans(indices_on_line, last)})'])}]*{fn}({args})")
        return f"{' '.join([*names, last, *filter(None, [place])])}. {joined(terms)}"

    def _table(self, name: str) -> str:
        """The text of the witness for a table of the family: its entries."""
        over = self.family.tables[name].over
        entries = {at: Fraction(self.at.entry(name, at)) for at in self.at._cells(over)}
        return table_function(entries or {(0,) * len(over): Fraction(0)})

    def _word(self, g: Goal) -> None:
        """Close the model's `word` from the fact `word` of the family."""
        labels_by_key = {fkey(part): f"f{k}" for k, part in enumerate(flatten("&", g.facts["word"]), 1)}
        labels = [*labels_by_key.values()]
        if len(labels) > 1:
            g.use("word", label=" ".join(labels))
        else:
            labels_by_key = dict.fromkeys(labels_by_key, "word")
        for goal in g.split() if g.goal[0] == "&" else [g]:
            if fkey(goal.goal) in labels_by_key:  # the same condition on an added token
                goal.hyp(labels_by_key[fkey(goal.goal)])
            else:
                self._typed_token(goal, next(k for k in labels_by_key.values() if goal.facts[k][0] == "all"))

    def _typed_token(self, g: Goal, rule: str) -> None:
        """Close the model's condition ``all i. w(i) = a | w(i) = b | ..``. The family's fact `rule` says that w(i) is
        between 0 and a number and is no added token: there is one case for each number."""
        g.intro("i (il ih)")
        bounds = flatten("&", instantiate(g.facts[rule][2][0], (var("i", "Int"),))[2][1])
        exclusions = [f"not{k}" for k in range(1, len(bounds) - 1)]
        g.use(rule, "i", lambda h: pair(h, "il", "ih"), label=" ".join(["low", "high", *exclusions]))
        last = int(normal.constant(nf(bounds[1][2][1])) or 0)

        def leaf(h: Goal, value: int, equal: str) -> None:
            """Close the case ``w(i) = value``, which is the fact `equal`. Unbridged if the model has no such token."""
            for exclusion in exclusions:  # this value is an added token: the case is contradictory
                h.rewrite(equal, exclusion, f"{exclusion}_{value}")
                if fkey(h.facts[f"{exclusion}_{value}"]) == FALSE:
                    h.absurd(f"{exclusion}_{value}")
                    return
            # Else pick the side of the disjunction that is this equation.
            equation = fkey(h.facts[equal])
            while h.goal[0] == "|" and fkey(h.goal[2][0]) != equation:
                h.pick("right")
            if h.goal[0] == "|":
                h.pick("left")
            if fkey(h.goal) != equation:
                raise self._apart("tokens", "others", last + 1)
            h.hyp(equal)

        halved(g, "w(i)", 0, last, "low", "high", leaf)

    def defined(self, g: Goal) -> None:
        """Close the goal D, definedness: no divisor is 0, as each is a length, a window or a sum of exponentials, and
        no radicand is negative, as each is a sum of squares."""
        if g.goal == TERM_TRUE:
            g.true()
            return
        self._front(g)
        self._defined_part(g)

    def _defined_part(self, g: Goal) -> None:
        """Close a part of D: introduce its quantifiers and premises, split it, and show that each divisor is not 0 and
        each radicand at least 0."""
        while g.goal[0] in ("all", "->"):
            name = g.fresh("d")
            if g.goal[0] == "->" and g.goal[2][0][0] == "&":  # each part of a premise has a label
                g.intro(group([g.fresh(f"d{k}_") for k in range(len(flatten("&", g.goal[2][0])))]))
            else:
                g.intro(name)
        if g.goal[0] == "&":
            for part in g.split():
                self._defined_part(part)
            return
        # Only comparisons can help; a table's entries and the run's equations would only slow the automation down.
        comparisons = {k: f for k, f in g.facts.items() if f[0] in COMPARISONS}
        g.facts = {k: f for k, f in comparisons.items() if not (f[0] == "=" and _entry(f[2][0]))}
        foreground = list(g.facts)
        try:
            if not try_each(g, squared, summed_exponentials):
                automation.prove(g, (), foreground=foreground)
        except Stuck:
            must = f"every divisor in the family {self.family.name} must be proved nonzero at every length"
            text = re.sub(r"\bd[0-9_]+\b", "i", g.text(_divisor(g.goal)))
            raise BadInput(must, text, "use another position, or a condition on sizes") from None

    def inhabited(self, g: Goal) -> None:
        """Close the goal H, that the hypotheses can be satisfied, by a run of the model on a short input: all its
        values are numbers, so each equation holds by computation."""
        values = self._run()
        for part in g.split() if g.goal[0] == "&" else [g]:
            computed = Computed(self.differs, {}, searching=True, long=self.long)
            try:
                if self.long:
                    self._run_holds(part, values, computed)
                else:
                    witnessed(part, values)
                    computed.settle(part)
            except Stuck as error:
                must = f"the run of the family {self.family.name} on the shortest input must be verified"
                raise BadInput(must, f"this part is undecided: {str(error).splitlines()[0]}") from None

    def _run_holds(self, g: Goal, texts: Sequence[str], computed: Computed) -> None:
        """Close the goal that a run exists, with witnesses given as texts, one equation of the run after the other."""
        pairs = self._names_and_sorts(self.statement.formula)
        values = [g.term(text, sort) for text, (_, sort) in zip(texts, pairs, strict=True)]
        body = g.goal
        for _ in pairs:
            body = body[2][0]
        witnesses, value_facts = Witnesses([var(name, sort) for name, sort in pairs], texts, values).shorter(g, body)
        witnessed(g, witnesses.texts)
        for part, equation in zip(g.split(), flatten("&", body), strict=True):
            named(part, witnesses, value_facts, equation, computed)

    def differs(self, goal: Term) -> Unbridged:
        """The error for a goal that is no equation of the model: it names the first weight that differs from the
        instance's or, if all are the same, the coordinate that the goal is about."""
        where = difference(self)
        name = left_of(goal)
        about = f"the equation of {name}" if name else "what the family asks"
        if not where:  # the model is the instance, but computation alone does not prove that the two sides are equal
            values = str(self.at.values)
            far_text = f"{self.family.name} at {values if len(values) <= 200 else self.at.sizes}"  # tables may be long
            must = f"{far_text} must have equations that are the model's by computation alone"
            return Unbridged(must, about, "scores that are all zero at these values, say, are not seen to be equal")
        return Unbridged(f"an instance of {self.family.name} at {self.at.sizes} must have its weights", where)

    def _run(self) -> list[str]:
        """The texts of a run on a short input, one for each name that the statement quantifies."""
        # Norms and sums of heads have functions of their own, which are no coordinates: their values are solved for.
        if any(block.norms or block.parts for block in self.own.blocks):
            length, word, values = self._solved()
        else:
            length, word, values = self._computed()
        texts = [] if self.pointwise else [str(length)]
        if self.words:
            texts.append(row_function(word, self.own.low))
        low = None if self.pointwise else self.own.low
        for name in self.runs:
            rows = {(k,): values[fn] for fn, (function_name, k) in self.number.items() if function_name == name}
            texts.append(rows_function(rows, low, self.long) if rows else row_function(values[name], low))
        return texts

    def _computed(self) -> tuple[int, list[int], dict[str, list[Any]]]:
        """Length, tokens and values of the shortest run, by running the model. All functions of its equations must be
        coordinates of the residual stream."""
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
        """Length, tokens and values of a short run, by solving the equations. For a model of numbers it has rational
        values if a tried input has such a run; for a model of strings it is the first run found. BadInput if none
        is."""
        solution = None
        # at least one typed token, and the added ones
        minimum_length = 1 + sum(self.model["embedding"][end] is not None for end in ("before", "after"))
        for inputs in self._inputs():
            document = {**self.model, "embedding": {**self.model["embedding"], "inputs": None, **inputs}}
            runs = _ModelRuns(Relation(document))
            for length in range(minimum_length, SHORT + 1):
                for is_run in runs.at(length):
                    if is_run and (solution is None or runs.rational):
                        solution = self._solution(runs, length)
                    # The first run on a string is taken as it is; other numbers as inputs may give rational values.
                    if is_run and solution and (runs.rational or self.words):
                        return solution
        if solution is None:
            must = f"the family {self.family.name} must have a run on a short string"
            raise BadInput(must, f"no run up to length {SHORT}")
        return solution

    def _solution(self, runs: _ModelRuns, length: int) -> tuple[int, list[int], dict[str, list[Any]]]:
        """Length, tokens and values, as texts, of the run that `runs` has found. An input without a value has 0."""
        low = int(self.own.low)
        (tokens,) = (runs.values[w] for w in runs.words_of)
        values = {name: ["0"] * length for name in self.model["embedding"]["inputs"] or ()}
        values |= {name: [at.get(low + k, "0") for k in range(length)] for name, at in shown(runs).items()}
        return length, [tokens[low + k] for k in range(length)], values

    def _inputs(self) -> Iterator[dict[str, Any]]:
        """The embeddings to try. A model of strings has its own. For a model of numbers, a single symbol "a" stands for
        the input: its row has the input's numbers, at first all 1, then random ones."""
        if self.words:
            yield {"words": self.model["embedding"]["words"]}
            return
        names, rng = self.model["embedding"]["inputs"], Random(0)
        for tried in range(TRIED):
            yield {"words": {"a": {name: str(1 if not tried else rng.randint(-8, 8)) for name in names}}}


class _ModelRuns(Runs):
    """The runs of a model, found from its equations. Each equation is parsed as a statement with only its own names
    quantified: one statement with all names quantified would nest too deep."""

    def __init__(self, equations: Relation) -> None:
        """`Runs` of a statement without equations; its names, premises and their order are then set here."""
        super().__init__(Statement("bridge.run", "all n:Int, w:Int->Int. 1 <= n -> 0 = 0", known=_definitions()))
        # Parse each equation with quantifiers for its names, then open the quantifiers by shared variables.
        sorts = {"n": "Int", "w": "Int->Int"} | dict.fromkeys(equations.defined, "Int->Real")
        variables, premises = dict[str, Term](), list[Term]()
        for text in (equations.word(), *equations.whole.parts):
            in_text = sorts.keys() & mentioned(parse_formula(text))
            front = ", ".join(f"{name}:{sorts[name]}" for name in in_text)
            formula = Statement("bridge.run", f"all {front}. {text}", known=_definitions()).formula
            for name in in_text:
                variables[name] = var(name, formula[1])
                formula = instantiate(formula[2][0], (variables[name],))
            premises += flatten("&", formula)
        variables |= zip("nw", self.order, strict=True)
        self.names, self.order = list(sorts), [variables[name] for name in sorts]
        self.conclusion = TERM_TRUE
        # Premises about the length and the tokens alone select the strings. Each other premise gives one value; they
        # are ordered so that the values which a premise needs are computed before it.
        self.words_of, plain = {variables["w"]}, {self.order[0], variables["w"]}
        self.choose += [premise for premise in premises if free(premise) <= plain]
        ordered = _ordered([premise for premise in premises if not free(premise) <= plain], plain)
        self.follow = []
        for premise in ordered:
            in_premise = free(premise)
            self.follow.append((premise, [v for v in self.order if v in in_premise]))


def _with_used(g: Goal, labels: Sequence[str], settle: Callable[[Goal], None]) -> None:
    """Close a goal by `settle`, with only those equations of the run that the proof uses. (Each branch of a proof
    copies the known facts, so unused equations would make the proof long.) `labels` are the equations' labels."""
    # A trial with all equations shows which of them are used.
    trial = g.branch()
    trial.use("run", label=" ".join(labels))
    facts = dict(trial.facts)
    settle(trial)
    used = {*re.findall(r'"#?(\w+)"', json.dumps(trial.nodes[1:]))}
    used_labels = [equation_label for equation_label in labels if equation_label in used]

    def from_run(h: Goal) -> None:
        h.use("run", label=" ".join(labels))
        for part, used_label in zip(h.split() if len(used_labels) > 1 else [h], used_labels, strict=True):
            part.hyp(used_label)

    if used_labels:
        g.have(reduce(conj, [facts[used_label] for used_label in used_labels]), " ".join(used_labels), from_run)
    g.nodes += trial.nodes[1:]
    g.closed = True


def _at_affine(fn: str, form: Sequence[int], place: str) -> str:
    """The text of the function ``v1__ v2__. fn(c + a*v1__ + b*v2__)``, with c, a and b from `form`. The position
    `place`, unless it is empty, is one more argument of both."""
    names = [f"v{k}__" for k in range(1, len(form))]
    number = " + ".join([str(form[0]), *(f"{a}*{x}" for a, x in zip(form[1:], names, strict=True) if a)])
    positions = [place] if place else []
    return f"{' '.join([*names, *positions])}. {fn}({', '.join([number, *positions])})"


def _part(tree: Tree) -> str:
    """The text of a part of a conjunction, in brackets."""
    return f"({show(tree)})"


def _divisor(goal: Term) -> Term:
    """The divisor in a part of D: t for ``~(t = 0)``, else the goal itself."""
    return goal[2][0][2][0] if goal[0] == "~" and goal[2][0][0] == "=" else goal


def _entry(term: Term) -> bool:
    """Whether a term is an entry of a table, f(1, 2). (An equation about it does not help to bound a divisor.)"""
    return term[0] == "app" and all(index[0] == "num" for index in term[2][1:])


def difference(bridge: Bridge, parts: Sequence[str] = ()) -> str:
    """The first difference between the model's document and the instance's, as a phrase for an error; empty if there is
    none. With `parts` only these entries of the documents are compared."""
    from symcook.model.modelfile import to_document

    tokens = list(bridge.model["embedding"]["words"] or ()) or None
    instance_document: Any = to_document(bridge.at.model(tokens, bridge.model["name"]))
    names = {own: far for far, own in bridge.called.items()}
    if parts:
        compared = ((bridge.model[part], instance_document[part], [part]) for part in parts)
        return next((apart for own, far, path in compared if (apart := _apart_at(own, far, path, names))), "")
    return _apart_at(bridge.model, instance_document, [], names)


def _apart_at(own: Any, far: Any, path: list[str], names: Mapping[str, str]) -> str:
    """The first difference between two parts of documents, both at the path `path`, as a phrase; empty if there is
    none. `names` has the instance's name of each coordinate of the model."""
    if isinstance(own, str):
        own = names.get(own, own)
    if type(own) is not type(far) or not isinstance(own, (dict, list)):
        return "" if own == far else f"{own} where the family has {far}, at {' '.join(path)}"
    if isinstance(own, dict):
        own = {names.get(k, k): v for k, v in own.items()}
        if own.keys() != far.keys():
            return f"{' '.join(own)} where the family has {' '.join(far)}, at {' '.join(path)}"
        # These entries are not compared: names, and the order of coordinates, which `names` matches.
        parts = [(k, own[k], far[k]) for k in own if k not in ("name", "source", "symcook", "space")]
    else:
        if len(own) != len(far):
            return f"{len(own)} entries where the family has {len(far)}, at {' '.join(path)}"
        parts = [(str(k), *pair) for k, pair in enumerate(zip(own, far, strict=True), start=1)]
    for step, own_part, far_part in parts:
        if apart := _apart_at(own_part, far_part, [*path, step], names):
            return apart
    return ""


def _is_size(setting: str, family: Family) -> bool:
    """Whether a setting ``NAME = value`` is of a size or table, not of a choice (`family` is made with its choices)."""
    return setting.partition("=")[0].strip() not in family.choices


def _definitions() -> Mapping[str, Any]:
    """The definitions of the stored statements; empty if no statement is stored."""
    return next(iter(replay.statements().values())).known if replay.statements() else {}


def summed_exponentials(g: Goal) -> None:
    """Close ``~(t = 0)`` for a sum t over a nonempty range of positions, from the facts about the ends of the range
    alone: on the other facts the automation would split cases. Raises Stuck for another t."""
    below = _divisor(g.goal)
    if below[0] != "sum":
        raise Stuck("it is no sum")
    ends = free(below[2][0]) | free(below[2][1])
    g.facts = {k: f for k, f in g.facts.items() if free(f) & ends}
    automation.prove(g, (), foreground=list(g.facts))


def checked(bridge: Bridge) -> tuple[dict[str, Any], replay.Verdict]:
    """The certificate of a bridge, and the checker's verdict; Rejected unless that is PROVED."""
    certificate = bridge.certificate()
    verdict = limits.judged(bridge.statement, certificate)
    if verdict.status != "PROVED":
        raise Rejected(f"the checker rejects the instance certificate of {bridge.at.family.name}: {verdict.reason}")
    return certificate, verdict
