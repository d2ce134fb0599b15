"""What the definition of a family says, part by part, as a paper would: sizes and tables, the residual stream, the
embedding, heads with query, key, mask, weighting and value, feed-forward sublayers, the readout, and what is assumed.

`construction` takes a family and returns sections of rows. A row is a label and a tuple of words and formulas (see
`symcook.report.saying`), which the caller sets as text, LaTeX or HTML. No proof depends on this text: theorems are
about the equations of `symcook.proof.familyrel`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from symcook.model.expr import Tree, names, parse_term, show
from symcook.model.family import Family, renamed
from symcook.model.plainfamily import ONE, ZERO, Declared, FamilyHead, FamilyLayer, Norm, Range, Repeat, Write
from symcook.proof.definitions import window
from symcook.proof.familyrel import FamilyRelation
from symcook.report.saying import DefinitionRow, Said, Section, called, index_names, listed, mark, meant, span
from symcook.report.terms import at_round, body, by_cases, depends, entries, erased, tidy

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE, THERE = ("name", "i"), ("name", "j")
"""The names of the query position and of the key position."""
MASKS = {"none": "no mask", "future": "causal", "strict-future": "strictly causal",
         "past": "anti-causal", "strict-past": "strictly anti-causal"}  # fmt: skip
BEST = "of these j with the largest score"
HARD = {
    "average": f"is 1/(their number) for each {BEST}, 0 for the others",
    "leftmost": f"is 1 for the first {BEST}, 0 for the others",
    "rightmost": f"is 1 for the last {BEST}, 0 for the others",
}
"""What the weight of a position j is, by the hard weighting."""
PLACES = {"first": "the first position", "last": "the last position", "each": "each position", "all": "all positions"}
NORM = ("gain", "bias", "epsilon")
"""The parameters of a layer norm, in the order of the fields 1 to 3 of `Norm`."""
PLACED = {
    "post": "post-norm: after each block, of the residual stream",
    "pre": "pre-norm: before each block, which reads the normalised residual stream",
    "projected pre": "projected pre-norm: before each block, of forms, which the block reads",
    "multi pre": "multi-pre-norm: several before each sublayer, each of its own forms, which the sublayer reads",
}
"""What each placement of the layer norms means."""
SORTS = {"Int": "an integer", "Real": "a real number"}


def construction(family: Family) -> list[Section]:
    """The parts of the definition, in the order in which they are read."""
    builder = _Construction(family)
    parts = [
        Section("Parameters", tuple(builder.parameters())),
        Section("Residual stream", tuple(builder.stream())),
        Section("Embedding", tuple(builder.embedding())),
        *builder.parts(),
        Section("Readout", tuple(builder.readout())),
        Section("Assumed", tuple(builder.assumed())),
    ]
    # The notation is explained under the residual stream, but only the finished sections show which notation is used.
    parts[1] = Section(parts[1].title, (*parts[1].rows, *_notation(parts)))
    return [part for part in parts if part.rows]


def _notation(sections: Sequence[Section]) -> Iterator[DefinitionRow]:
    """A row that explains I[F] and relu if the sections use them; not every paper has this notation."""
    printed_sections = repr(sections)
    formula, x = ("name", "F"), ("name", "x")
    relu: Tree = ("=", ("call", "relu", (x,)), ("call", "max", (x, ZERO)))
    explanations = [[("ind", formula), " is 1 where ", formula, " holds, 0 elsewhere"]] * (
        "('ind'," in printed_sections
    )
    if explanations := [*explanations, *[[relu]] * ("'relu'" in printed_sections)]:
        yield DefinitionRow("notation", tuple(listed(explanations)))


class _Construction:
    """Makes the rows of the sections. Call the methods in the order of `construction`: each records in `live` which
    coordinates have a value by then."""

    def __init__(self, family: Family) -> None:
        """Set up the state before the first layer: the coordinates that the inputs and the embedding set are live."""
        self.family, self.relation = family, FamilyRelation(family)
        self.meaning: Mapping[str, str] = family.document.get("meanings", {})
        self.layers = [layer for part in family.layers for layer in part.layers]
        self.fixed = self._constants()
        # The coordinates that have a value already: a later write adds to the value (+=) instead of setting it (:=).
        self.live = {input_.name for input_ in family.inputs} | {w.to.name for w in (*family.words, *family.positions)}
        # The coordinates that the norms of the present block write; "*" where normalised values replace all of them.
        self.hidden: set[str] = set()
        # The index of the rounds, () outside of repeated layers. `single` (set in `parts`): the coordinates that the
        # layers of a round write once, and that had no value before.
        self.rounds: tuple[Range, ...] = ()
        self.weight: Tree = ZERO  # the attention weight alpha(.., i, j) of the present head

    def _constants(self) -> dict[str, tuple[tuple[Range, ...], Tree]]:
        """The coordinates with the same number at all positions in all layers: {name: (indices, number)}.

        The embedding sets such a coordinate once, to a form without position, length and token, and no layer writes it.
        With post-norm every layer changes all coordinates.
        """
        family, writers = self.family, Counter(w.to.name for w in (*self.family.words, *self.family.positions))
        written = {name for part in family.layers for name in part.written}
        if any(layer.placement == "post" for layer in self.layers):
            return {}
        return {
            w.to.name: (w.to.over, w.form)
            for w in (*family.words, *family.positions)
            if writers[w.to.name] == 1 and w.to.name not in written and not depends(w.form, ("i", "n", "w"))
        }

    def _value(self, place: Tree) -> Callable[[str, tuple[Tree, ...]], Tree]:
        """A function from the name and indices of a coordinate to its term at position `place`.

        The term of a constant coordinate is its number, unless a norm of the present block has changed it.
        """

        def put(name: str, args: tuple[Tree, ...]) -> Tree:
            if name in self.fixed and not self.hidden & {name, "*"}:
                over, form = self.fixed[name]
                return renamed(form, {index.name: arg for index, arg in zip(over, args, strict=True)})
            return called(name, (*args, *(() if self.family.pointwise else (place,))))

        return put

    def _left(self, to: Declared, place: Tree = HERE) -> Tree:
        """The left side of an equation: the coordinate `to`, with all its indices, at position `place`."""
        return called(to.name, (*index_names(to.over), *(() if self.family.pointwise else (place,))))

    def _said(self, name: str) -> list[Said]:
        """The meaning that the family gives for `name`, with "; " for what follows; [] if it gives none."""
        return [f"{self.meaning[name]}; "] if name in self.meaning else []

    def parameters(self) -> Iterator[DefinitionRow]:
        """The sizes and tables with their conditions, and the choices with their options."""
        family = self.family
        for name, condition in family.sizes.items():
            yield DefinitionRow(("name", name), (*self._said(name), "an integer, ", condition))
        for name, table in family.tables.items():
            conditions = [(condition, body(condition, table.over)) for condition in table.where]
            of_an_entry = [local for _, local in conditions if local is not None]
            with_conditions = (
                [" with ", *listed(([condition] for condition in of_an_entry), " and ")] if of_an_entry else []
            )
            words = (*self._said(name), SORTS[table.sort], *meant(table.over), *with_conditions)
            yield DefinitionRow(called(name, index_names(table.over)), words)
            # A condition that relates several entries has a row of its own.
            yield from (DefinitionRow("", ("with ", condition)) for condition, local in conditions if local is None)
        # What may be chosen when the family is used, such as the mask of a head.
        for key, options in family.choices.items():
            others = ", ".join(choice for choice in options if choice != family.chosen[key])
            choice_text = f"the {self._chosen(key)}: {family.chosen[key]} here; {others} by --set {key}=.."
            yield DefinitionRow(("name", key), (choice_text,))

    def _chosen(self, key: str) -> str:
        """What the choice `key` sets: the mask or the weighting, and of which heads."""
        what, where = "weighting", list[str]()
        # A part of the document is a layer, or rounds of several layers under "layers".
        layers = chain.from_iterable(part.get("layers", [part]) for part in self.family.document["layers"])
        for number, layer in enumerate(layers, 1):
            for place, head in enumerate(layer.get("attention") or (), 1):
                for kind in ("mask", "weighting"):
                    if head[kind] == key:
                        what = kind
                        several = len(layer["attention"]) > 1
                        where.append(f"{'head ' + str(place) + ' of ' if several else ''}layer {number}")
        return f"{what} of {' and '.join(where)}" if where else "choice of no head"

    def stream(self) -> Iterator[DefinitionRow]:
        """Positions, width and depth, then each coordinate with its meaning."""
        family, meanings = self.family, self.meaning
        if not family.pointwise:
            ends = [parse_term(self.relation.low), parse_term(self.relation.high)]
            yield DefinitionRow("positions", (HERE, mark("="), *span(ends[0], ends[1])))
        yield DefinitionRow("width", (parse_term(entries(family.space.values())),))
        yield DefinitionRow("layers", (parse_term(entries(part.over for part in family.layers for _ in part.layers)),))
        for name, over in family.space.items():
            indices = [*meant(over)[1:], ": "] if over else []
            meaning = meanings.get(name) or self._writer(name)
            yield DefinitionRow(called(name, index_names(over)), (*(["for "] if over else []), *indices, meaning))
        plain = "" if family.pointwise else " x(i) is the coordinate x at position i."
        yield DefinitionRow(
            "blocks",
            (f"each reads the residual stream before it and adds to it: +=, or := where nothing was there.{plain}",),
        )

    def _writer(self, name: str) -> str:
        """What writes the coordinate `name` first: its description where the family gives no meaning."""
        if name in {input_.name for input_ in self.family.inputs}:
            return "an input"
        if name in self.live:
            return "set by the embedding"
        written = ({w.to.name for block in (*(head.writes for head in layer.heads), layer.feedforward) for w in block}
                   for layer in self.layers)  # fmt: skip
        number = next((k for k, names_of in enumerate(written, 1) if name in names_of), None)
        return "always 0" if number is None else f"written by layer {number}"

    def embedding(self) -> Iterator[DefinitionRow]:
        """The tokens and inputs, and the values to which the embedding sets the coordinates."""
        family = self.family
        if family.vocabulary is not None:
            # Tokens are numbered from 0: the last is one less than the size of the vocabulary.
            last = (
                tidy(("-", family.vocabulary, ONE))
                if family.vocabulary[0] == "num"
                else parse_term(entries([(Range("c", ONE, ("-", family.vocabulary, ONE)),)]))
            )
            token: Tree = ("call", "w", (HERE,))
            yield DefinitionRow(
                "tokens", ("the numbers ", *span(ZERO, last), "; ", token, " is the one at position ", HERE)
            )
            # Special tokens before and after the string.
            low, high = self.relation.low, self.relation.high
            for special_token, place in ((family.before, low), (family.after, high)):
                if special_token is not None:
                    yield DefinitionRow(
                        "",
                        (parse_term(f"w({place})"), mark("="), special_token, " is put there, and stands nowhere else"),
                    )
        # A family of real inputs has vectors in place of tokens.
        for input_ in family.inputs:
            yield DefinitionRow("input", (self._left(input_), *meant(input_.over)))
        for name, over in family.space.items():
            # The token and the position may both set a coordinate, which is then their sum.
            forms = [w.form for w in (*family.words, *family.positions) if w.to.name == name]
            if forms:
                form = tidy(renamed(forms[0] if len(forms) == 1 else ("+", *forms), {"w": ("call", "w", (HERE,))}))
                yield from self._equation("", self._left(Declared(name, over)), ":=", form, over)
        zero_names = [name for name in family.space if name not in self.live]
        if zero_names:
            yield DefinitionRow("", ("0 in the others: ", *listed(([("name", name)] for name in zero_names), ", ")))

    def parts(self) -> Iterator[Section]:
        """A section for each layer; layers that are repeated in rounds are shown once."""
        number = 0
        for part in self.family.layers:
            self.rounds, first, last = part.over, number + 1, number + len(part.layers)
            once = Counter(part.written)
            self.single = {name for name, writers in once.items() if writers == 1 and name not in self.live}
            if part.over:  # in a later round all coordinates that the layers write have a value already
                self.live |= {*part.written}
            for layer in part.layers:
                number += 1
                yield Section(self._heading(part, number, first, last), tuple(self._layer(layer)))
        self.rounds = ()

    def _heading(self, part: Repeat, number: int, first: int, last: int) -> str:
        """The title of a layer, with the rounds in which it is repeated."""
        if not part.over:
            return f"Layer {number}"
        (index,) = part.over
        turns = f"{index.name} = {show(index.low)}, .., {show(index.high)}"
        if first == last:
            return f"Layer {number}, once for each {turns}, in turn"
        if number == first:
            return f"Rounds {turns}, each of layers {first} to {last}. Layer {first}"
        return f"Layer {number}, in round {index.name}"

    def _layer(self, layer: FamilyLayer) -> Iterator[DefinitionRow]:
        """The rows of a layer: norms, attention and feed-forward sublayer in the order of computation."""
        blocks = (
            ("attention", layer.heads, layer.attention_norms),
            ("feed-forward", layer.feedforward, layer.feedforward_norms),
        )
        for what, block, norms in blocks:
            if not block:
                continue
            before = layer.placement not in ("none", "post")
            if before:  # a norm that writes no coordinates normalises the whole residual stream
                yield from chain.from_iterable(self._norm(norm, "norm") for norm in norms)
                self.hidden = {w.to.name for norm in norms for w in norm.writes} or {"*"}
            if what == "attention":
                for number, head in enumerate(layer.heads, 1):
                    yield from self._head(head, f"head {number}" if len(layer.heads) > 1 else "head")
            else:
                yield from self._feedforward(layer.feedforward)
            self.hidden = set()
            if layer.placement == "post":
                yield from chain.from_iterable(self._norm(norm, "norm after") for norm in norms)

    def _norm(self, norm: Norm, label: str) -> Iterator[DefinitionRow]:
        """A layer norm: what it normalises, what it writes, with its gain, bias and epsilon."""
        gains = listed([[f"{key} ", gain] for key, gain in zip(NORM, norm[1:4], strict=True)], ", ")
        if not norm.writes:
            effect = (
                "the residual stream becomes LN(stream)" if label == "norm after" else "LN(stream), read in its place"
            )
            yield DefinitionRow(label, (f"{effect}, with ", *gains))
            return
        targets = listed([[self._left(w.to), *meant(w.to.over)] for w in norm.writes])
        forms = [[self._entry(w), *meant(w.to.over)] for w in norm.writes]
        yield DefinitionRow(label, ("(", *targets, ")", mark("="), mark("LN"), "(", *listed(forms), "), with ", *gains))

    def _entry(self, write: Write) -> Tree:
        """The form that a norm reads as one entry of its vector."""
        scope = write.to.indices | {index.name for index in self.rounds}
        return tidy(self.family.form(write.form, scope, self._value(HERE)))

    def _head(self, head: FamilyHead, label: str) -> Iterator[DefinitionRow]:
        """A head: the positions that its mask lets through, its weighting, query, key and score, and what it writes."""
        scope = frozenset(index.name for index in (*self.rounds, *head.over))
        # The score may depend on indices of the written coordinates. Each of their values then has its own weighting.
        shared = frozenset.intersection(*(w.to.indices for w in head.writes)) & names(head.score)
        ranges = [index for index in head.writes[0].to.over if index.name in shared]
        inside = scope | shared
        sees_here = window(head.mask, self.family.start)
        low, high = parse_term(sees_here.low), parse_term(sees_here.high)
        read_here, read_there = self._value(HERE), self._value(THERE)
        # The score, the positions that the mask lets through, and the rows. A scale changes softmax attention only, and
        # is left out for hard attention.
        score = tidy(self.family.score(head.score, inside, read_here, read_there))
        if head.scale != ONE and head.weighting == "softmax":
            score = tidy(("*", head.scale, score))
        flat = score == ZERO  # all scores are equal: the mask alone determines the weights
        sees: list[Said] = [f"{MASKS[head.mask]}: ", HERE, " sees ", THERE, mark("="), *span(low, high)]
        if sees_here.empty is not None:
            sees += [", and ", parse_term(sees_here.empty), " sees nothing, where it adds 0"]
        whose: list[Said] = ["one", *meant([*head.over, *ranges]), ": "] if head.over or ranges else []
        self.weight = called("alpha", (*index_names([*head.over, *ranges]), HERE, THERE))
        yield DefinitionRow(label, (*whose, *sees, ". ", *self._weights(head, flat, sees_here.size)))
        if not flat:
            yield from self._query_and_key(head, inside)
            yield DefinitionRow("score", (score,), 1)
        for write in head.writes:
            yield from self._output(head, write, inside, flat)

    def _query_and_key(self, head: FamilyHead, scope: frozenset[str]) -> Iterator[DefinitionRow]:
        """The entries of the query and of the key: the score is the sum of their products."""
        queries, keys, summed_over = list[list[Said]](), list[list[Said]](), list[Sequence[Range]]()
        for over, query, key, sign in self.family.products(head.score, scope):
            inside = scope | {index.name for index in over}
            signed_key: Tree = ("neg", key) if sign < 0 else key
            queries.append([tidy(self.family.form(query, inside, self._value(HERE))), *meant(over)])
            keys.append([tidy(self.family.form(signed_key, inside, self._value(THERE))), *meant(over)])
            summed_over.append(over)
        width = parse_term(entries(summed_over))
        yield DefinitionRow("query", ("of ", HERE, ": (", *listed(queries), "), ", mark("d_key"), mark("="), width), 1)
        yield DefinitionRow("key", ("of ", THERE, ": (", *listed(keys), ")"), 1)

    def _weights(self, head: FamilyHead, flat: bool, size: str) -> list[Said]:
        """The attention weights of a head in a sentence; `flat`: all scores are 0; `size`: the number of positions that
        the mask lets through."""
        # All scores are 0: equal weights for all positions that the mask lets through, or the first or last of them.
        if flat and head.weighting in ("average", "softmax"):
            return ["Uniform (scores 0): ", self.weight, mark("="), ("/", ONE, parse_term(size))]
        if flat:
            return [
                f"{head.weighting.capitalize()}-hard of scores 0: all weight on the "
                f"{'first' if head.weighting == 'leftmost' else 'last'} of these ",
                THERE,
            ]
        if head.weighting != "softmax":
            return [f"{head.weighting.capitalize()}-hard: ", self.weight, f" {HARD[head.weighting]}"]
        # Softmax: the temperature may depend on the length, often by cases.
        cases = by_cases(head.temperature)
        heat = listed([[value, " if ", condition] for condition, value in cases], ", ") or [tidy(head.temperature)]
        score: Tree = ("name", "score")
        exponent = score if head.temperature == ONE else ("/", score, ("name", "temperature"))
        return [
            "Softmax of temperature ",
            *heat,
            ": ",
            self.weight,
            " is ",
            ("call", "exp", (exponent,)),
            " over the sum of these for all ",
            THERE,
        ]

    def _output(self, head: FamilyHead, write: Write, scope: frozenset[str], flat: bool) -> Iterator[DefinitionRow]:
        """What a head adds to a coordinate: the mean of the value with the attention weights."""
        sees_here = window(head.mask, self.family.start)
        low, high = parse_term(sees_here.low), parse_term(sees_here.high)
        to, form, sign, over = self._written_at(write, flat or not depends(head.score, write.to.indices))
        value = tidy(self.family.form(form, scope | write.to.indices, self._value(THERE)))
        # If all scores are 0 the weights are known: one position has all the weight, or all have the same.
        if flat and head.weighting in ("leftmost", "rightmost"):
            written = renamed(value, {"j": low if head.weighting == "leftmost" else high})
        elif flat:
            written = ("/", ("sum", "j", low, high, value), parse_term(sees_here.size))
        else:
            written = ("sum", "j", low, high, tidy(("*", self.weight, value)))
        if head.over:  # a family of heads, one for each value of an index, which write to the same coordinate
            written = ("sum", *head.over[0], written)
        yield from self._equation("output", to, sign, ZERO if value == ZERO else written, over, 1)

    def _written_at(self, write: Write, rewrite: bool = True) -> tuple[Tree, Tree, str, tuple[Range, ...]]:
        """The coordinate that is written, the form, the sign (:= or +=) and the indices of the coordinate, which is
        live from then on.

        In a round t a block often writes I[f = t]*x(f) for all f. With `rewrite` this is written as x(t) instead, for
        f = t alone, and without indices; all coordinates of the rounds are live already (see `parts`).
        """
        to, over, name = write.to, write.to.over, write.to.name
        # The index of the coordinate must have the range of the rounds.
        if rewrite and self.rounds and len(over) == 1 and over[0][1:] == self.rounds[0][1:]:
            form = at_round(write.form, over[0].name, self.rounds[0].name)
            if form is not None:
                target = renamed(self._left(to), {over[0].name: ("name", self.rounds[0].name)})
                return target, form, ":=" if name in self.single else "+=", ()
        sign = "+=" if name in self.live else ":="
        self.live.add(name)
        return self._left(to), write.form, sign, over

    def _feedforward(self, block: Sequence[Write]) -> Iterator[DefinitionRow]:
        """What a feed-forward sublayer adds to each coordinate that it writes."""
        label = "feed-forward"
        for write in block:
            target, form, sign, over = self._written_at(write)
            scope = write.to.indices | {index.name for index in self.rounds}
            written_form = tidy(self.family.entry(form, scope, self._value(HERE)))
            erases = erased(written_form, target)
            note = ", which makes it 0" if erases else ""
            yield from self._equation(label, target, sign, written_form, over, 0, note)
            label = ""

    def _equation(
        self, label: str, target: Tree, sign: str, term: Tree, over: Sequence[Range], depth: int = 0, note: str = ""
    ) -> Iterator[DefinitionRow]:
        """The row ``target sign value``; a value by cases has a row for each case."""
        cases = by_cases(term)
        if not cases:
            yield DefinitionRow(label, (target, mark(sign), term, *meant(over), note), depth)
            return
        yield DefinitionRow(label, (target, mark(sign), "by cases", *meant(over)), depth)
        for condition, value in cases:
            yield DefinitionRow("", (value, " if ", condition), depth + 1)
        if not self._whole([condition for condition, _ in cases]):
            yield DefinitionRow("", ("0 otherwise",), depth + 1)

    def _whole(self, cases: Sequence[Tree]) -> bool:
        """Whether the cases cover all values of a size: the family's condition on the size is the disjunction of the
        cases."""
        # Each case is an equation such as n = 1, with the size on the left.
        name = cases[0][1][1] if cases[0][0] == "=" and cases[0][1][0] == "name" else ""
        disjuncts, pending = list[Tree](), [self.family.sizes.get(name, ("false",))]
        while pending:
            condition = pending.pop()
            pending += condition[1:] if condition[0] == "|" else ()
            disjuncts += [] if condition[0] == "|" else [condition]
        return {*disjuncts} == {*cases}

    def readout(self) -> Iterator[DefinitionRow]:
        """What the model returns, answers or accepts, and at which position: one row, by the kind of the readout."""
        readout = self.family.readout
        ends = {"first": parse_term(self.relation.low), "last": parse_term(self.relation.high)}
        where, place = PLACES[readout.position], (ends | {"each": HERE, "all": HERE})[readout.position]
        stream_value = self._value(place)
        here = () if self.family.pointwise else (place,)
        reads = [[called(to.name, (*index_names(to.over), *here)), *meant(to.over)] for to in readout.reads]
        at_where = "" if self.family.pointwise else f", at {where}"
        if readout.kind == "value":
            yield DefinitionRow("returns", (*listed(reads), at_where))
        elif readout.kind == "largest":
            (index,) = readout.reads[0].over  # one logit for each value of an index: the answer is the argmax
            best: list[Said] = ["the ", ("name", index.name), " in ", *span(index.low, index.high)]
            yield DefinitionRow(
                "answers",
                (*best, " with the largest ", reads[0][0], f", the first of several{at_where}", *self._token(index)),
            )
        elif readout.kind == "zero":  # accepts where all of these coordinates are 0
            zeros = listed([read[0], mark("="), ZERO, *read[1:]] for read in reads)
            yield DefinitionRow("accepts", ("where ", *zeros, at_where, *self._word()))
        else:  # accepts where a logit is positive
            form = tidy(self.family.form(readout.score, frozenset(), stream_value))
            yield DefinitionRow("accepts", ("where ", ("<", ZERO, form), at_where, *self._word()))

    def _word(self) -> list[Said]:
        """If there is a verdict at each position: that of the last position is the verdict for the string."""
        return ["; the string where it does at the last position"] if self.family.readout.position == "each" else []

    def _token(self, index: Range) -> list[Said]:
        """Which token an answer is, where answers are numbered from 1 and tokens from 0."""
        if (index.low, index.high) != (ONE, self.family.vocabulary):
            return []
        return [", which is the token ", tidy(("-", ("name", index.name), ONE))]

    def assumed(self) -> Iterator[DefinitionRow]:
        """Number system, scaling of scores, lengths, inputs, temperatures and layer norms."""
        family = self.family
        yield DefinitionRow("numbers", ("exact reals, nothing is rounded",))
        # Papers divide scores by sqrt(d_key) unless they say otherwise: this row says that no head has such a scale.
        heads = [head for layer in self.layers for head in layer.heads if head.score != ZERO]
        if heads and all(head.scale == ONE for head in heads):
            yield DefinitionRow("scores", ("query times key, not divided by sqrt(", mark("d_key"), ")"))
        if not family.pointwise:
            n: Tree = ("name", "n")
            short: Tree = ("<=", ONE, n)
            if family.longest is None:
                yield DefinitionRow("length", (short, ", without limit"))
            else:  # position functions or tables of the family are defined up to a longest length only
                yield DefinitionRow("length", (("&", short, ("<=", n, family.longest)), *self._reach(family.longest)))
        if family.inputs:
            yield DefinitionRow(
                "inputs", ("any real numbers; a theorem states its conditions on them before its arrow",)
            )
        with_temperature = dict.fromkeys(
            premise.text for premise in self.relation.premises_before if premise.about == "temperature"
        )
        if with_temperature:
            yield DefinitionRow("temperatures", ("are positive",))
        # The definition of LN, its value where the square root is 0, and the placement of the norms.
        norms = [norm for layer in self.layers for norm in (*layer.attention_norms, *layer.feedforward_norms)]
        if norms:
            entry = (
                "=",
                ("call", "LN", (("name", "x"),)),
                parse_term("gain*(x - mean)/sqrt(variance + epsilon) + bias"),
            )
            zero_rules = {norm.zero for norm in norms}
            root = ", with the square root not 0" if "refuse" in zero_rules else ""
            root += "; the fraction is 0 where the square root is" if "zero" in zero_rules else ""
            yield DefinitionRow("norms", (entry, f" for each entry x, with the mean and variance of all of them{root}"))
            for placement in dict.fromkeys(layer.placement for layer in self.layers if layer.placement != "none"):
                yield DefinitionRow("", (PLACED[placement],))

    def _reach(self, longest: Tree) -> list[Said]:
        """Why strings are no longer than `longest`: the tables and coordinates whose index ranges end with it."""
        ranges = {name: table.over for name, table in self.family.tables.items()} | dict(self.family.space)
        size = names(longest)
        tables_of_size = [called(name, index_names(over)) for name, over in ranges.items()
                 if any(not size.isdisjoint(names(index.high)) for index in over)]  # fmt: skip
        return (
            [", as there is ", *listed([[call] for call in tables_of_size], " and "), " for these lengths alone"]
            if tables_of_size
            else []
        )
