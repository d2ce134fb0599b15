"""A model as a list of steps, in the straight-line style of the Cookbook, Section 8.1.

Each call of a `Builder` adds a head or a feed-forward step that writes fresh coordinates; `build` packs the steps into
as few layers as their order allows and returns the `Transformer`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from symcook.compose.cooling import single_head
from symcook.compose.routing import choice, fresh, route, united
from symcook.compose.stacking import joint_parameters, least, level, shifted, written
from symcook.door import door
from symcook.errors import BadInput, require_known, unknown
from symcook.model.checks import WORDS_OF_STATEMENTS, Space, one_of
from symcook.model.choices import ActivationWord, MaskWord, PositionWord, ReadoutWord, WeightingWord
from symcook.model.ends import READOUTS, Embedding, Readout, one_hot
from symcook.model.parts import FeedForward, Head, Layer, LayerNorm, SelfAttention
from symcook.model.reads import PartsRead
from symcook.model.symbols import Exact, exact, from_sympy, symbol
from symcook.model.transformer import Parameter, Transformer
from symcook.model.weights import feedforward, head

READS = PartsRead("the Builder")

Relates = str | Callable[[int, int], bool]
"""A relation of two indices: one of `RELATIONS` by its sign, or a function."""


@door()
class Builder:
    """A model that is built step by step: each step names what it reads, and writes new coordinates.

    Each step goes into the earliest layer in which all that it reads is computed; within a layer, attention comes
    first. The model has as few layers as the steps allow. If the feed-forward steps of a layer have another activation,
    a feed-forward step goes into a later layer.

    Arguments:
        words: {token: {coordinate: value}}, or str or list of tokens (None). The values of each token; tokens
            without values are one-hot.
        inputs: list of str (None). In place of tokens: coordinates whose values are given with each run.
        positions: {coordinate: expression in i and n} (None). Position functions.
        parameters: list of Parameter (()). Parameters that weights may name; `symbol` declares more.
        start: int (1). The number of the first position.
        before: str or None (None). A token of `words` that is added before every input (CLS, BOS).
        after: str or None (None). A token of `words` that is added after every input (EOS).
        max_length: int or None (None). The maximum length of an input.

    Returns: Builder. Its methods add steps; `build` returns the model.

    Raises: BadInput: neither or both of `words` and `inputs`, a name that repeats, or an invalid position function.

    Example:

    >>> b = Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
    >>> mean = b.attention("mean", reads="vote", mask="causal")
    >>> b.readout("sign", "last", mean, weights=[1])
    >>> b.build("majority").run("aba").accept
    True

    Source: Cookbook, Section 8.1: each component is set exactly once.
    """

    def __init__(
        self,
        *,
        words: str | Sequence[str] | Mapping[str, Mapping[str, object]] | None = None,
        inputs: Iterable[str] | None = None,
        positions: Mapping[str, object] | None = None,
        parameters: Iterable[Parameter] = (),
        start: int = 1,
        before: str | None = None,
        after: str | None = None,
        max_length: int | None = None,
    ) -> None:
        words = words if words is None or isinstance(words, Mapping) else one_hot(words)
        if words is not None and not words:
            raise BadInput("words must have at least one token", "none", 'give words={"a": {"vote": 1}}')
        self._names: list[str] = []
        self._parameters = tuple(parameters)
        self._positions = {name: self._function(name, function) for name, function in (positions or {}).items()}
        input_names = None if inputs is None else _names(inputs)
        rows = [row for row in (words or {}).values() if isinstance(row, Mapping)]  # an embedding refuses others
        own = united((*(c for row in rows for c in row), *(input_names or ()), *self._positions))
        self._names += _no_words(own)
        self._embedding: dict[str, Any] = {
            "words": words, "inputs": input_names, "start": start, "before": before, "after": after
        }  # fmt: skip
        if own and (words is not None) != (input_names is not None):
            Embedding(Space(own), **self._embedding)  # refuses values that a model cannot have
        self._steps: list[Head | FeedForward] = []
        self._readout: Readout | None = None
        self._max_length = max_length

    @door()
    def attention(
        self,
        writes: str | Iterable[str],
        reads: str | Iterable[str],
        *,
        Q: object = None,
        K: object = None,
        V: object = None,
        mask: MaskWord = "none",
        weighting: WeightingWord = "average",
        temperature: Exact = 1,
        scale: Exact = 1,
    ) -> tuple[str, ...]:
        """The coordinates that a new attention head writes.

        Without Q and K all scores are zero. Without V the head copies what it reads, in order. Shapes are as in `Head`.

        Arguments:
            writes: str or list of str. The new coordinates.
            reads: str or list of str. The coordinates that are read.
            Q: matrix d x r (None). The queries.
            K: matrix d x r (None). The keys.
            V: matrix m x r (None). The values.
            mask: str ("none"). Which positions j a row i sees, as in `Head`.
            weighting: str ("average"). "average", "leftmost", "rightmost" or "softmax".
            temperature: exact (1). A number, or an expression in i and n.
            scale: exact (1). A positive number, or "1/sqrt(d_key)".

        Returns: `writes`, as a tuple.

        Raises: BadInput: a name that exists, an unknown coordinate, Q without K, or a matrix of another shape.

        Example:

        >>> b = Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
        >>> b.attention("mean", reads="vote", mask="causal")
        ('mean',)
        """
        reads, writes = _names(reads), _names(writes)
        if (Q is None) != (K is None):
            raise BadInput(
                "the matrices Q (queries) and K (keys) must be given together",
                "only one of Q and K",
                "give both, or neither",
            )
        # Without V the head copies what it reads; without Q and K all scores are 0.
        if V is None:
            if len(reads) != len(writes):
                must = "a head without a value matrix V must write as many coordinates as it reads"
                raise BadInput(
                    must,
                    f"{len(writes)} written and {len(reads)} read",
                    "name as many coordinates in writes as in reads",
                )
            V = choice(reads, reads)
        zero = [[0] * len(reads)]
        Q, K = (zero, zero) if Q is None else (Q, K)
        return self._add(Head(reads, writes, Q, K, V, mask, weighting, temperature, scale))

    @door()
    def feedforward(
        self, writes: str | Iterable[str], reads: str | Iterable[str], *, W1: object, b1: object, W2: object,
        b2: object = None, activation: ActivationWord = "relu",
    ) -> tuple[str, ...]:  # fmt: skip
        """The coordinates that a new feed-forward layer writes.

        Arguments:
            writes: str or list of str. The new coordinates.
            reads: str or list of str. The coordinates that are read.
            W1: matrix h x r. Weights of the hidden units.
            b1: h numbers. Their biases.
            W2: matrix m x h. Weights of the outputs.
            b2: m numbers (None). Biases of the outputs; zero by default, None.
            activation: str ("relu"). As in `FeedForward`.

        Returns: `writes`, as a tuple.

        Raises: BadInput: a name that exists, an unknown coordinate, or a matrix of another shape.

        Example:

        >>> b = Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
        >>> b.feedforward("size", reads="vote", W1=[[1], [-1]], b1=[0, 0], W2=[[1, 1]])
        ('size',)
        """
        reads, writes = _names(reads), _names(writes)
        b2 = [0] * len(writes) if b2 is None else b2
        return self._add(FeedForward(reads, writes, W1, b1, W2, b2, activation))

    @door()
    def add(self, block: Head | FeedForward) -> tuple[str, ...]:
        """A new step with a head or a feed-forward layer, as `symcook.head` and `symcook.feedforward` make them.

        Arguments:
            block: Head or FeedForward. The head or layer that becomes a step.

        Returns: tuple of str. The coordinates that the block writes.

        Raises: BadInput: an object of another type, a name that exists, or an unknown coordinate.

        Example:

        >>> b = Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
        >>> b.add(feedforward({"size": "relu(vote) + relu(-vote)"}))
        ('size',)
        """
        if not isinstance(block, (Head, FeedForward)):
            raise BadInput(
                "a step must be a head or a feed-forward layer",
                type(block).__name__,
                "write head(..) or feedforward(..)",
            )
        return self._add(block)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The coordinates of `one_hot` words, one for each token that a user types, in the order of the alphabet."""
        rows = self._embedding["words"] or {}
        added = (self._embedding["before"], self._embedding["after"])
        hot = {
            token: [c for c, value in row.items() if value == 1]
            for token, row in rows.items()
            if token not in added and isinstance(row, Mapping)
        }
        if not hot or any(len(names) != 1 for names in hot.values()):
            raise BadInput(
                "each symbol of the alphabet must have one coordinate that is 1 and no other",
                "other strings",
                'give words="abc"',
            )
        return tuple(names[0] for names in hot.values())

    @door()
    def position(self, name: str, function: Exact) -> str:
        """The name of a new coordinate with a position function.

        Arguments:
            name: str. The coordinate.
            function: exact. An expression in i and n, and in declared parameters.

        Returns: `name`.

        Raises: BadInput: a name that exists, or an expression in other names.

        Example:

        >>> Builder(words="ab").position("share", "i/n")
        'share'
        """
        value = self._function(name, function)
        self._take((name,))
        self._positions[name] = value
        return name

    def _function(self, name: str, function: object) -> Any:
        """A position function as an exact expression; BadInput for one that no model can have."""
        value = exact(function)
        declared = {"i", "n", *(parameter.name for parameter in self._parameters)}
        foreign = sorted(free.name for free in value.free_symbols if free.name not in declared)
        if foreign:
            must = f"the position function of {name} must have no names except i, n and declared parameters"
            raise BadInput(must, foreign[0], f"declare it first: symbol('{foreign[0]}')")
        return value

    def __repr__(self) -> str:
        """The coordinates, the steps in their order and the output layer, a line each."""
        lines = [f"Builder: {len(self._names)} coordinates: {', '.join(self._names)}"]
        lines += [f"  {name} = {from_sympy(exact(function))}" for name, function in self._positions.items()]
        lines += [f"  {step!r}" for step in self._steps]
        lines.append(f"  {self._readout!r}" if self._readout is not None else "  no readout yet")
        return "\n".join(lines)

    @door()
    def aggregate(
        self,
        writes: str | Iterable[str],
        queries: Sequence[str],
        keys: Sequence[str],
        reads: str | Iterable[str],
        relation: Relates = "=",
        *,
        mask: MaskWord = "none",
        weighting: WeightingWord = "average",
    ) -> tuple[str, ...]:
        """New coordinates with the mean of others over the positions that each position selects.

        `queries` and `keys` are one-hot groups: position i selects j if the place of the 1 in i's queries is in the
        relation to that of the 1 in j's keys. A position that selects nothing gets the mean of all that it sees. With
        weighting "leftmost" or "rightmost" it is the value at the first or last selected position.

        Arguments:
            writes: str or list of str. The new coordinates.
            queries: list of str. A one-hot group.
            keys: list of str. A one-hot group.
            reads: str or list of str. The coordinates that are read.
            relation: str or function ("="). "=", "!=", "<", "<=", ">", ">=", or a function of two indices.
            mask: str ("none"). Which positions j a row i sees, as in `Head`.
            weighting: str ("average"). "average", "leftmost", "rightmost" or "softmax".

        Returns: `writes`, as a tuple.

        Raises: BadInput: a name that exists, or an unknown coordinate or relation.

        Example: the mean of the values over the positions with the symbol of this position.

        >>> b = Builder(words={"a": {"a": 1, "x": 3}, "b": {"b": 1, "x": 5}})
        >>> b.aggregate("mean", ["a", "b"], ["a", "b"], "x")
        ('mean',)

        Source: Cookbook, Section 5.3.1.
        """
        # A pair of query and key in the relation scores 1, every other pair 0.
        reads, writes = _names(reads), _names(writes)
        score = {(q, k): 1 for q, k in _selected(queries, keys, relation)}
        return self.add(head(score, _values(writes, reads), mask=mask, weighting=weighting))

    @door()
    def count(
        self,
        writes: str,
        queries: Sequence[str],
        keys: Sequence[str],
        relation: Relates = "=",
        *,
        mask: MaskWord = "none",
    ) -> tuple[str, ...]:
        """A new coordinate with the share of the visible positions that each position selects.

        Positions are selected as in `aggregate`. Without a mask the share is C/n. A head takes the mean of each key,
        and a feed-forward layer adds those that the query selects: relu(query + sum of means - 1), which is exact for
        one-hot groups.

        Arguments:
            writes: str. The new coordinate.
            queries: list of str. A one-hot group.
            keys: list of str. A one-hot group.
            relation: str or function ("="). As in `aggregate`.
            mask: str ("none"). Which positions j a row i sees, as in `Head`.

        Returns: `writes`, as a tuple.

        Raises: BadInput: a name that exists, or an unknown coordinate or relation.

        Example: the share of the positions with the symbol of this position.

        >>> b = Builder(words="ab")
        >>> b.count("share", ["a", "b"], ["a", "b"])
        ('share',)

        Source: Cookbook, Sections 3.3 and 5.1.2.
        """
        # The mean of key k is its share c_k/n. The query is 0 or 1, so relu(query + sum of shares - 1) is that sum at
        # the query that is 1, and 0 at the others.
        shares = {key: fresh(f"{writes}_{key}", self._names) for key in keys}
        self.attention(tuple(shares.values()), tuple(keys), mask=mask)
        chosen: dict[str, list[str]] = {query: [] for query in queries}
        for query, key in _selected(queries, keys, relation):
            chosen[query].append(shares[key])
        terms = [" + ".join((query, *keys_selected)) for query, keys_selected in chosen.items()]
        return self.add(feedforward({writes: " + ".join(f"relu({term} - 1)" for term in terms)}))

    @door()
    def lookup(self, writes: str | Iterable[str], query: str, reads: str | Iterable[str]) -> tuple[str, ...]:
        """New coordinates with the values that `reads` have at the position that the query names.

        `query` is a coordinate, or an expression in i and n, such as "1" for the first position or "n + 1 - i", for
        which a coordinate is made. The scores are 2 query j - j^2. They use the coordinates one, index = i and square =
        i^2, which are added if the model does not have them. A query between positions reads the nearest position, or
        the mean of the two nearest.

        Arguments:
            writes: str or list of str. The new coordinates.
            query: str. A coordinate with an integer, or an expression in i and n.
            reads: str or list of str. The coordinates that are read.

        Returns: `writes`, as a tuple.

        Raises: BadInput: a name that exists, or an unknown coordinate.

        Example: the first symbol, at every position.

        >>> b = Builder(words="ab")
        >>> b.lookup(("first_a", "first_b"), "1", ("a", "b"))
        ('first_a', 'first_b')

        Source: Cookbook, Section 5.3.4.
        """
        if query not in self._names:  # a position, or an expression for one
            query = self._placed(query)
        coordinates = {}
        for function in ("1", "i", "i^2"):
            same = [c for c, present in self._positions.items() if exact(present) == exact(function)]
            name = {"1": "one", "i": "index", "i^2": "square"}[function]
            coordinates[function] = same[0] if same else self.position(fresh(name, self._names), function)
        reads, writes = _names(reads), _names(writes)
        score = {(query, coordinates["i"]): 2, (coordinates["1"], coordinates["i^2"]): -1}
        return self.add(head(score, _values(writes, reads)))

    def _placed(self, query: str) -> str:
        """A coordinate for a query that is no coordinate but an expression in i and n; BadInput, with the nearest
        coordinate, for anything else."""
        try:
            function = self._function("the query", query)
        except BadInput:
            raise unknown("coordinate", query, self._names) from None
        same = [name for name, present in self._positions.items() if exact(present) == function]
        return same[0] if same else self.position(fresh("asked", self._names), function)

    @door()
    def symbol(self, name: str, default: Exact | None = None, **region: Any) -> str:
        """The name of a new parameter that weights may name.

        Arguments:
            name: str. The parameter.
            default: exact (None). Its default.
            region: exact numbers. Its interval, as in `Parameter`: lower, upper, lower_open, upper_open.

        Returns: `name`.

        Raises: BadInput: a name that exists with another interval.

        Example:

        >>> Builder(words="ab").symbol("eps", default="1/4", lower=0)
        'eps'
        """
        self._parameters = joint_parameters(self._parameters, (Parameter(name, default, **region),))
        return name

    @door()
    def recipe(
        self,
        writes: str | Iterable[str],
        recipe: str | Transformer,
        *,
        reads: Mapping[str, str] | None = None,
        values: Mapping[str, Exact] | None = None,
        **arguments: object,
    ) -> tuple[str, ...]:
        """New coordinates with the output of a recipe, or of another model that takes inputs.

        Parameters of the recipe without a value are declared here too. Other coordinates of the recipe get new names.

        Arguments:
            writes: str or list of str. New names for the coordinates that the recipe's readout reads, in order.
            recipe: str or Transformer. The recipe.
            reads: {input: coordinate here} (None). By default each input reads the coordinate with its name.
            values: {parameter: number or expression in parameters declared here} (None). An expression is not checked
                against the interval of the parameter.
            arguments: exact numbers or text. Arguments of the recipe.

        Returns: `writes`, as a tuple.

        Raises: BadInput: a model with tokens or norms, one whose readout decides, or one that writes onto an input.

        Example: I[x > 0], exact for x >= eps.

        >>> b = Builder(inputs=["x"])
        >>> b.recipe("positive", "gtzero", values={"eps": "1/8"})
        ('positive',)
        """
        # One head in each layer, and the first position numbered as in this model.
        from symcook.recipes import build

        model = build(recipe, **arguments) if isinstance(recipe, str) else recipe
        writes, start = _names(writes), self._embedding["start"]
        _check_inline(model, writes)
        model = single_head(shifted(self._opened(model, values) if values else model, start))
        # Its outputs are named as in `writes`, its inputs are coordinates of this model, all others get fresh names.
        names: dict[str, str] = dict(zip(model.readout.reads, writes, strict=True))
        renamed_inputs = {input_name: input_name for input_name in model.embedding.inputs or ()}
        for input_name, here in (reads or {}).items():
            if input_name not in renamed_inputs:
                raise unknown("input", input_name, list(renamed_inputs))
            renamed_inputs[input_name] = here
        Space(tuple(self._names)).require(list(renamed_inputs.values()))
        for coordinate in model.space:
            if coordinate not in names and coordinate not in renamed_inputs:
                names[coordinate] = fresh(f"{writes[0]}_{coordinate}", (*self._names, *writes, *names.values()))
        self._take(names.values())
        self._positions |= {names[coordinate]: value for coordinate, value in model.embedding.positions.items()}
        # Take over its steps under these names, then its symbols and its maximum length.
        to = renamed_inputs | names
        # Each layer has one head, since the heads of one layer read the same stream, but a step may read earlier ones.
        for layer in READS.of(model).layers:
            for part in layer.parts():
                if isinstance(part, LayerNorm):
                    raise RuntimeError("a LayerNorm is impossible here")
                inward, outward = (tuple(to[coordinate] for coordinate in side) for side in (part.reads, part.writes))
                step: Any = route(part, reads=inward, writes=outward)  # type: ignore[type-var]
                self._steps.append(step)  # two inputs may be one coordinate here
        self._parameters = joint_parameters(self._parameters, model.parameters)
        self._max_length = least((self._max_length, None if model.pointwise else model.max_length))
        return writes

    @door()
    def readout(
        self,
        kind: ReadoutWord,
        position: PositionWord,
        reads: str | Iterable[str],
        *,
        weights: object = None,
        labels: Iterable[str] = (),
    ) -> None:
        """None. Sets the output layer: which coordinates it reads, at which position, and how it answers.

        Arguments:
            kind: str. "sign" accepts if the logit weights . reads is positive. "zero" accepts if all reads are 0.
                "argmax" answers with the label of the largest score; "distribution" gives the softmax of the scores.
                "value" shows the reads and decides nothing.
            position: str. "first" or "last" position, an answer at "each" position, or "all" must accept.
            reads: str or list of str. The coordinates that are read.
            weights: matrix (None). For sign a row, one number for each coordinate; for argmax and distribution a row
                for each label, by default label k has the k-th coordinate as its score.
            labels: list of str (()). The labels, for argmax and distribution.

        Returns: None.

        Raises: BadInput: an unknown kind, position or coordinate, or weights of another shape.

        Example:

        >>> b = Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
        >>> b.readout("sign", "last", "vote", weights=[1])
        >>> b.build("ends in a").run("ba").accept
        True
        """
        reads, labels = _names(reads), tuple(labels)
        Space(tuple(self._names)).require(reads)
        listed = one_of("readout", kind, READOUTS)
        if weights is None and listed in ("largest", "distribution"):
            weights = choice(reads, reads)
        self._readout = Readout(listed, position, reads, weights, labels)

    @door()
    def build(self, name: str, *, source: str = "", packed: bool = True) -> Transformer:
        """The model that the steps make.

        Arguments:
            name: str. Its name.
            source: str (''). Where it comes from, for people.
            packed: bool (True). Without it every step is a layer of its own, in the order of the steps.

        Returns: Transformer.

        Raises: BadInput: there is no readout.

        Example:

        >>> b = Builder(words={"a": {"vote": 1}, "b": {"vote": -1}})
        >>> b.readout("sign", "last", "vote", weights=[1])
        >>> b.build("ends in a").name
        'ends in a'
        """
        if self._readout is None:
            raise BadInput("a model must have a readout", "none", "call readout(...) first")
        embedding = Embedding(Space(tuple(self._names)), positions=self._positions, **self._embedding)
        layers = _packed(self._steps) if packed else tuple(_alone(step) for step in self._steps)
        return Transformer(name, embedding, layers, self._readout, self._parameters, self._max_length, source)

    def _opened(self, model: Transformer, values: Mapping[str, object]) -> Transformer:
        """`model` with some of its symbols replaced by numbers, or by expressions in the symbols declared here, which
        are then declared in it too."""
        table = {}
        # A number must be in the region of its symbol; for expressions, that is left to the caller.
        for name, value in values.items():
            table[symbol(name)] = number = exact(value)
            parameter = model.parameter(name)
            if not number.free_symbols:
                parameter.check(number)
        used = {free.name for value in table.values() for free in value.free_symbols}
        here = {p.name: p for p in self._parameters}
        for name in sorted(used - set(here)):
            raise BadInput(
                "a parameter must be declared with symbol(..) before it is used", name, f"call symbol('{name}') first"
            )
        others = (p for p in model.parameters if p.name not in values)
        parameters = joint_parameters(others, (here[name] for name in sorted(used)))
        return model.mapped(lambda value: value.subs(table, simultaneous=True), parameters)

    def _add(self, step: Head | FeedForward) -> tuple[str, ...]:
        """Append a step whose coordinates exist and whose outputs are fresh. Returns what it writes."""
        Space(tuple(self._names)).require(step.reads)
        self._take(step.writes)
        self._steps.append(step)
        return step.writes

    def _take(self, names: Iterable[str]) -> None:
        """Add new coordinates to the space; BadInput for a name that exists."""
        names = _no_words(tuple(names))
        for name in names:
            if name in self._names:
                raise BadInput(
                    "each head or layer must write new coordinates", name, "give the coordinate another name"
                )
        self._names = list(Space((*self._names, *names)))


def _no_words(names: tuple[str, ...]) -> tuple[str, ...]:
    """The names of new coordinates; BadInput for a word of statements."""
    for name in names:
        if name in WORDS_OF_STATEMENTS:
            raise BadInput(
                "a coordinate must not have a name that means something else in statements", name, f"{name}_ is free"
            )
    return names


def _names(given: str | Iterable[str]) -> tuple[str, ...]:
    """One name, or several, as a tuple."""
    return (given,) if isinstance(given, str) else tuple(given)


RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge
}  # fmt: skip
"""The relations of two indices by their sign."""


def _selected(queries: Sequence[str], keys: Sequence[str], relation: Relates) -> list[tuple[str, str]]:
    """The pairs of a query and a key coordinate whose indices (in `queries` and in `keys`) are in the relation."""
    if isinstance(relation, type) or not callable(relation):
        known: Any = relation
        require_known("relation", known, tuple(RELATIONS))
        relation = RELATIONS[known]
    return [(q, k) for place, q in enumerate(queries) for key_place, k in enumerate(keys) if relation(place, key_place)]


def _values(writes: Sequence[str], reads: Sequence[str]) -> dict[str, str]:
    """{written coordinate: coordinate that it copies}; BadInput unless there are equally many of both."""
    if len(reads) != len(writes):
        raise BadInput(
            "the numbers of coordinates that are written and read must be equal",
            f"{len(writes)} written and {len(reads)} read",
            "name as many coordinates in writes as in reads",
        )
    return dict(zip(writes, reads, strict=True))


def _check_inline(model: Transformer, writes: Sequence[str]) -> None:
    """BadInput where a model cannot be inlined: it must take inputs, show values, and leave its inputs alone."""
    if model.embedding.inputs is None:
        raise BadInput(
            "a recipe that is used inside of a model must take numeric inputs, not strings",
            model.name,
            "choose another recipe",
        )
    if model.normed:
        raise BadInput(
            "a recipe that is used inside of a model must have no layer norm", model.name, "choose another recipe"
        )
    model.readout.require(f"a recipe that is inlined, as {model.name}, must have a readout of values", ("value",))
    changed = written(model) | {*model.embedding.positions, *model.readout.reads}
    touched = sorted(changed & set(model.embedding.inputs))
    if touched:
        raise BadInput(
            "a recipe that is used inside of a model must write new coordinates",
            f"{model.name} writes {touched[0]}",
            "rename the coordinate in your model",
        )
    if len(writes) != len(model.readout.reads):
        outputs = ", ".join(model.readout.reads)
        raise BadInput(
            f"there must be a name for each output of {model.name}: {outputs}",
            f"{len(writes)} names",
            "name as many coordinates in writes",
        )


def _alone(step: Head | FeedForward) -> Layer:
    """A step as a layer of its own."""
    return Layer(SelfAttention((step,))) if isinstance(step, Head) else Layer(None, step)


def _packed(steps: Sequence[Head | FeedForward]) -> tuple[Layer, ...]:
    """The steps packed into as few layers as their order allows, with the same values as one after the other. Only
    steps with different activations may need more.

    A step comes after every earlier step that writes what it reads, and not before an earlier step that reads what it
    writes. Place 2 l is the attention of layer l, place 2 l + 1 its feed-forward sublayer.
    """
    written_at: dict[str, int] = {}  # coordinate -> the last place that writes it
    read_at: dict[str, int] = {}  # coordinate -> the last place that reads it
    places: dict[int, list[Any]] = {}
    for step in steps:
        # The earliest place that the order allows: an even place for a head, an odd one for a feed-forward step.
        before = [written_at[name] + 1 for name in step.reads if name in written_at]
        before += [read_at[name] for name in step.writes if name in read_at]
        place = max(before, default=0)
        place += (place + isinstance(step, FeedForward)) % 2
        # A feed-forward sublayer has one activation: go on to the next place that has the same or is empty.
        while isinstance(step, FeedForward) and places.get(place, [step])[0].activation != step.activation:
            place += 2
        places.setdefault(place, []).append(step)
        for name in step.reads:
            read_at[name] = max(place, read_at.get(name, 0))
        for name in step.writes:
            written_at[name] = max(place, written_at.get(name, 0))
    return tuple(
        level(places.get(place, []), places.get(place + 1, [])) for place in range(0, max(places, default=-1) + 1, 2)
    )
