"""Weights by name: heads and feed-forward layers from formulas over named coordinates, so that nobody counts columns.

`feedforward(out="3*relu(mean - 1/3) - 3*relu(mean - 2/3)")` and `head(score={("query", "index"): 2}, value={"found":
"value"})` give the frozen parts that matrices typed by hand would. Source: Cookbook, Definitions 2.3 and 2.5.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from symcook.door import door
from symcook.errors import BadInput, NotExact
from symcook.model.choices import MaskWord, WeightingWord
from symcook.model.entries import kept_number
from symcook.model.expr import Tree, children, names, parse_term, show
from symcook.model.parts import FeedForward, Head
from symcook.model.rationals import plain, rational
from symcook.model.symbols import Exact, symbol, to_sympy
from symcook.model.transformer import Parameter

if TYPE_CHECKING:
    import sympy

ACTIVATION_CALLS = {
    "relu": "relu", "gelu": "gelu", "gelu_tanh": "gelu-tanh", "gelu_sigmoid": "gelu-sigmoid", "step": "step"
}  # fmt: skip
"""How each activation of `FeedForward` is called in a formula."""

Symbols = Iterable[str | Parameter]
"""The declared symbols that formulas may use, by name or as declarations."""


@door()
def feedforward(
    outputs: Mapping[str, str] | None = None, /, *, reads: Sequence[str] = (), symbols: Symbols = (), **by_name: str
) -> FeedForward:
    """The feed-forward layer that adds to each named coordinate what its formula says.

    A formula is a sum of numbers times activations of affine expressions, plus a number: relu, gelu, gelu_tanh,
    gelu_sigmoid or step, one kind in a layer. Hidden units have the order in which the formulas name them; equal ones
    are one unit.

    Arguments:
        outputs: {coordinate: formula} (None). The formulas by coordinate, for names that cannot be keywords, such as
            "a-b", reads or symbols.
        reads: list of str (()). The coordinates that are read, in their order; by default the order in the formulas.
        symbols: list of names or Parameters (()). Names in formulas that are parameters of the model; every other
            name is a coordinate.
        by_name: str. A formula by the name of its coordinate: out="relu(x)".

    Returns: FeedForward with W1 of shape h x r and W2 of shape m x h, for h different activations, r coordinates
    read and m written.

    Raises: BadInput: a formula of another form.

    Example:

    >>> block = feedforward(out="(relu(x) - relu(x - eps))/eps", symbols=["eps"])
    >>> block.reads, block.W1.tolist(), list(block.b1), block.W2.tolist()
    (('x',), [[1], [1]], [0, -eps], [[1/eps, -1/eps]])
    """
    formulas = dict(outputs or {}) | by_name
    if not formulas:
        raise BadInput("a feed-forward layer must write a coordinate", "none", 'give out="relu(x) - relu(-x)"')
    reader = _Formulas(symbols)
    units: dict[tuple[str, tuple[Any, ...]], int] = {}
    rows: list[dict[int, Any]] = []
    # A row of W2 and an entry of b2 for each formula; equal activations share a unit.
    biases = []
    for name, text in formulas.items():
        row: dict[int, Any] = {}
        bias: Any = 0
        for coefficient, atom in reader.terms(parse_term(plain(text))):
            if atom is None:
                bias += coefficient
            elif atom[0] == "name":
                # A coordinate outside an activation would have to skip the layer.
                must = f"{name} must be a sum of activations, without {atom[1]} outside an activation"
                raise BadInput(must, text, f"write relu({atom[1]}) - relu(-{atom[1]}) for {atom[1]}")
            else:
                inside = tuple(sorted(reader.affine(atom[2][0]).items()))
                unit = units.setdefault((ACTIVATION_CALLS[atom[1]], inside), len(units))
                row[unit] = row.get(unit, 0) + coefficient
        rows.append(row)
        biases.append(bias)
    # The layer has one activation for all its units.
    kinds = sorted({kind for kind, _ in units})
    if len(kinds) > 1:
        raise BadInput("a feed-forward layer must have one activation", ", ".join(kinds), "make two layers")
    columns = _order(reads, (c for _, inside in units for c, _ in inside if c))
    return FeedForward(
        columns,
        tuple(formulas),
        W1=[[dict(inside).get(c, 0) for c in columns] for _, inside in units],
        b1=[dict(inside).get("", 0) for _, inside in units],
        W2=[[row.get(unit, 0) for unit in range(len(units))] for row in rows],
        b2=biases,
        activation=kinds[0] if kinds else "relu",
    )


@door()
def head(
    score: Mapping[tuple[str, str], Exact] | None = None,
    value: Mapping[str, str] | None = None,
    *,
    symbols: Symbols = (),
    mask: MaskWord = "none",
    weighting: WeightingWord = "average",
    temperature: Exact = 1,
    scale: Exact = 1,
) -> Head:
    """The attention head with given scores and values.

    The score of position j in row i is the sum of coefficient * query_i * key_j. Without `score` all scores are zero:
    then "average" and "softmax" give the mean over the positions that row i sees, "leftmost" and "rightmost" the first
    or last of them. There is one key dimension for each query coordinate in `score`, in their order.

    Arguments:
        score: {(query coordinate, key coordinate): exact coefficient} (None).
        value: {coordinate written: linear expression in those read} (None), such as "vote" or "2*a - c*b".
        symbols: list of names or Parameters (()). Names in expressions that are parameters of the model.
        mask: str ("none"). Which positions j a row i sees: as in `Head`.
        weighting: str ("average"). "average", "leftmost", "rightmost" or "softmax".
        temperature: exact (1). A number, or an expression in i and n.
        scale: exact (1). A positive number, or "1/sqrt(d_key)".

    Returns: Head with Q and K of shape d x r, V of shape m x r.

    Raises: BadInput: a value has a constant term; write a coordinate that is always 1 in its place.

    Example:

    >>> found = head({("query", "index"): 2, ("one", "square"): -1}, {"found": "value"})
    >>> found.reads
    ('query', 'one', 'index', 'square', 'value')
    >>> found.Q.tolist(), found.K.tolist()
    ([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0]], [[0, 0, 2, 0, 0], [0, 0, 0, -1, 0]])
    """
    if not value:
        raise BadInput("a head must write a coordinate", "none", 'give for example value={"mean": "vote"}')
    # V: a linear form for each coordinate that is written.
    reader = _Formulas(symbols)
    values = {}
    for name, text in value.items():
        values[name] = form = reader.affine(parse_term(plain(text)))
        if "" in form:
            raise BadInput(f"the value of {name} must have no constant", text, "read a coordinate that is 1 everywhere")
    # Q and K: one key dimension for each query coordinate, with the key form that it is multiplied by.
    keys: dict[str, dict[str, Any]] = {}
    for pair, coefficient in (score or {}).items():
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(c, str) for c in pair):
            raise BadInput(
                "a score must map pairs (query coordinate, key coordinate) to numbers",
                repr(pair),
                'write for example {("one", "key"): 1}',
            )
        keys.setdefault(pair[0], {})[pair[1]] = kept_number(coefficient)
    # The head reads, in this order, queries, keys and values.
    columns = _order((), (*keys, *(c for row in keys.values() for c in row), *(c for f in values.values() for c in f)))
    return Head(
        columns,
        tuple(values),
        Q=[[int(c == query) for c in columns] for query in keys] or [[0] * len(columns)],
        K=[[row.get(c, 0) for c in columns] for row in keys.values()] or [[0] * len(columns)],
        V=[[form.get(c, 0) for c in columns] for form in values.values()],
        mask=mask,
        weighting=weighting,
        temperature=temperature,
        scale=scale,
    )


def _order(first: Sequence[str], names: Iterable[str]) -> tuple[str, ...]:
    """The names of `first` and then the other `names`, each once."""
    return tuple(dict.fromkeys((*first, *names)))


def _activated(tree: Tree) -> bool:
    """Whether an activation is called in a formula."""
    return (tree[0] == "call" and tree[1] in ACTIVATION_CALLS) or any(map(_activated, children(tree)))


class _Formulas:
    """Takes formulas apart. A name is a coordinate unless it is one of the declared `symbols`."""

    def __init__(self, symbols: Symbols) -> None:
        own = (s.symbol if isinstance(s, Parameter) else symbol(s) for s in symbols)
        self.symbols = {declared.name: declared for declared in own}

    def constant(self, tree: Tree) -> bool:
        """Whether a tree has no coordinate and no activation."""
        return names(tree) - {"pi"} <= self.symbols.keys() and not _activated(tree)

    def terms(self, tree: Tree, factor: sympy.Expr | int = 1) -> Iterator[tuple[Any, Tree | None]]:
        """The terms of a formula as (coefficient, atom): the atom is a coordinate, a call of an activation, or None for
        a constant. All terms are multiplied by `factor`."""
        # By the form of the tree: a number, a sum or difference, a sign, a product or quotient with a number, an atom.
        tag = tree[0]
        if self.constant(tree):
            yield factor * self.value(tree), None
        elif tag in ("+", "-"):
            yield from self.terms(tree[1], factor)
            yield from self.terms(tree[2], factor if tag == "+" else -factor)
        elif tag == "neg":
            yield from self.terms(tree[1], -factor)
        elif tag == "*" and self.constant(tree[1]):
            yield from self.terms(tree[2], factor * self.value(tree[1]))
        elif tag == "*" and self.constant(tree[2]):
            yield from self.terms(tree[1], factor * self.value(tree[2]))
        elif tag == "/" and self.constant(tree[2]):
            yield from self.terms(tree[1], factor * self.value(("/", ("num", 1, 1), tree[2])))
        elif tag == "name" or (tag == "call" and tree[1] in ACTIVATION_CALLS and len(tree[2]) == 1):
            yield factor, tree
        else:
            must = "a formula of weights must be a sum of numbers times coordinates or activations"
            instead = {"max": "write a + relu(b - a) for max(a, b)", "min": "write a - relu(a - b) for min(a, b)"}
            if tag == "call" and tree[1] in instead:
                raise BadInput(must, show(tree), instead[tree[1]])
            do = "name parameters in symbols=[...]"
            if tag == "*" and not names(tree) <= self.symbols.keys():
                do += "; the recipe multiply-gelu approximates a product of two coordinates"
            raise BadInput(must, show(tree), do)

    def affine(self, tree: Tree) -> dict[str, Any]:
        """{coordinate: coefficient} of a linear formula, with the constant under ""; zeros are left out."""
        form: dict[str, Any] = {}
        for coefficient, atom in self.terms(tree):
            if atom is not None and atom[0] == "call":
                raise BadInput(
                    "the argument of an activation, and a value, must be linear in the coordinates",
                    show(tree),
                    "use sums of coordinates with numbers as factors",
                )
            name = "" if atom is None else atom[1]
            form[name] = form.get(name, 0) + coefficient
        return {name: kept_number(value) for name, value in form.items() if value != 0}

    def value(self, tree: Tree) -> Any:
        """The value of a constant: a Fraction where it is rational, else a sympy expression."""
        with suppress(BadInput, NotExact):
            return rational(tree)
        return to_sympy(tree, self.symbols)
