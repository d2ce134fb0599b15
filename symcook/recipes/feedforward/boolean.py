"""Boolean functions, by truth table, by formula and by counting: Cookbook, Section 4.8."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from symcook.errors import BadInput
from symcook.recipes import Argument, Recipe, kit
from symcook.recipes.arguments import bits, one_of
from symcook.recipes.feedforward import Adapted, RecipeOutputs, pointwise, recipe, two_valued

MAX_BITS = 12
"""The maximum number of inputs of a truth table."""


def _bit_count(table: tuple[int, ...]) -> int:
    """The number m of inputs of a truth table, which has 2^m entries."""
    return len(table).bit_length() - 1


def _bit_names(table: tuple[int, ...]) -> tuple[str, ...]:
    """The inputs p1, ..., pm of a truth table."""
    return tuple(f"p{c}" for c in range(1, _bit_count(table) + 1))


def _all_bits(table: tuple[int, ...]) -> str:
    """The region in which all inputs are 0 or 1."""
    return two_valued(_bit_names(table))


@recipe(
    summary="any Boolean function of m bits, from its truth table",
    source="Cookbook, Section 4.8, Eq. (35)",
    formula="I[p1 + p2 = 1]",
    computes="relu(p2 - p1) + relu(p1 - p2)",
    region="(p1 = 0 | p1 = 1) & (p2 = 0 | p2 = 1)",
    largest=False,
    uniformity="No weight depends on the length. The hidden width is 2^m for m bits.",
    claims="t1.boolean s4.8.boolean_ffn s4.8.hidden_indicator s4.8.boolean_size",
    arguments=(
        Argument(
            "table",
            "0110",
            "2^m bits, one for each assignment k = 0 ... 2^m - 1; p1 is the first bit of k",
            bits(MAX_BITS),
        ),
    ),
    region_of=_all_bits,
)
def boolean(this: Recipe, table: tuple[int, ...]) -> kit.Transformer:
    """One hidden unit for each assignment, 1 where the input is that one; the output adds those that are true.

    out = sum_k table_k relu((2 xi_k - 1) . p - 1 . xi_k + 1) = the entry of `table` at the assignment p.

    table: 2^m bits, m from 1 to 12, for the assignments xi_0 to xi_(2^m - 1) in order. Inputs p1 to pm; p1 is the most
    significant bit of k, as the displayed rows (-1 ... -1 1) for k = 1 have it. So 0110 is exclusive or, and 0100 is
    "p2 and not p1". Elsewhere than at bits the table says nothing, so that no larger region is looked for.
    """
    m = _bit_count(table)
    assignments = [[k >> (m - 1 - c) & 1 for c in range(m)] for k in range(len(table))]
    weights = {
        "W1": [[2 * bit - 1 for bit in xi] for xi in assignments],
        "b1": [1 - sum(xi) for xi in assignments],
        "W2": [list(table)],
        "b2": [0],
    }
    return pointwise(this, _bit_names(table), weights=weights)


MOST_VARIABLES = 8
"""The maximum number of variables of a formula."""


class Proposition(NamedTuple):
    """The variables of a formula, and its truth table. The first variable is the most significant bit of an index."""

    names: tuple[str, ...]
    table: tuple[int, ...]


def _proposition(given: object, name: str) -> Proposition:
    """The reader of a formula such as ``p & (q | ~r)``, with variables, true, false and & | ~ -> <->."""
    must = f"{name} must be a formula of names with & | ~ -> <->, true and false"
    do = f"give text such as {name}=p & (q | ~r)"
    if not isinstance(given, str) or not given.strip():
        raise BadInput(must, given or "nothing", do)
    if re.sub(r"[A-Za-z_][A-Za-z_0-9]*|<->|->|[&|~()\s]", "", given):
        raise BadInput(must, given, do)
    variables = tuple(dict.fromkeys(re.findall(r"[A-Za-z_][A-Za-z_0-9]*", given)))
    variables = tuple(variable for variable in variables if variable not in ("true", "false"))
    if not 1 <= len(variables) <= MOST_VARIABLES:
        raise BadInput(f"{name} must have 1 to {MOST_VARIABLES} variables", len(variables), do)
    kit.Space((*variables, "out"))
    # In the grammar variables are numbers, so p is written as (p = 1).
    text = re.sub(r"[A-Za-z_][A-Za-z_0-9]*", lambda m: m[0] if m[0] in ("true", "false") else f"({m[0]} = 1)", given)
    try:
        tree = kit.parse_formula(text)
    except BadInput:  # its message is about the rewritten text; raise one about the given text
        raise BadInput(must, given, do) from None
    # Assignment k gives the variables the bits of k, most significant first.
    m = len(variables)
    rows = (
        {variable: kit.Fraction(k >> (m - 1 - c) & 1) for c, variable in enumerate(variables)} for k in range(1 << m)
    )
    return Proposition(variables, tuple(int(kit.truth(tree, row)) for row in rows))


def _proposed(function: Callable[..., RecipeOutputs], known: Mapping[str, Any]) -> Adapted:
    """The reference with the names, the truth table and the form of bits as its arguments."""
    names, table = known["formula"]
    return lambda given: function(given, names=names, table=table, signed=known["bits"] == "signs")


def _given(formula: Proposition, bits: str) -> str:
    """The region in which the formula is computed: every variable is 0 or 1, or with signs -1 or 1."""
    return two_valued(formula.names, -1 if bits == "signs" else 0)


@recipe(
    summary="any Boolean function, from a formula, with fewer hidden units; bits 0/1 or -1/+1",
    source="Cookbook, Section 4.8, with fewer hidden units than Eq. (35)",
    formula="min(p, max(q, 1 - r))",
    computes="relu(p + q - 1) + relu(p - q - r)",
    region="(p = 0 | p = 1) & (q = 0 | q = 1) & (r = 0 | r = 1)",
    largest=False,
    uniformity="No weight depends on the length. The hidden width is m at most for symmetric functions, as parity, "
    "and at most 2^(m - 1) for any function of m bits.",
    claims="t1.boolean s4.8.connectives s4.8.pm_dot",
    reference="symcook.spec.feedforward:proposition",
    arguments=(
        Argument("formula", "p & (q | ~r)", "a formula with at most 8 variables, which are the inputs", _proposition),
        Argument("bits", "numbers", "numbers, 0 and 1; or signs, -1 and 1", one_of("numbers", "signs")),
    ),
    adapt=_proposed,
    region_of=_given,
)
def boolean_formula(this: Recipe, formula: Proposition, bits: str) -> kit.Transformer:
    """One hidden unit for each of a few cases that exclude each other, 1 where the case holds; or, where only the
    number of true variables matters, one for each bend as that number grows.

    out = the formula's value, by the fewest hidden units that one of three ways gives.

    formula: names, true, false, & | ~ -> <-> and brackets; the names are the inputs. First way: the assignments that
    make it true are cut into cases, each a conjunction of literals, that exclude each other (a decision tree of the
    fewest such leaves); a case of l literals is relu(sum of literals - l + 1). Second: the same for those that make it
    false, and out = 1 - their sum. Third, where the value depends on the number of true variables alone: the piecewise
    linear function of that number. bits signs: -1 is false and 1 true, for inputs and output: (x + 1)/2 goes in, 2 out
    - 1 comes out.
    """
    # Two networks, and a third one for a symmetric function: the one with the fewest hidden units is used.
    names, table = formula
    m = len(names)
    networks = [_cases(table, m), _cases(tuple(1 - bit for bit in table), m, flipped=True)]
    if symmetric := _symmetric(table, m):
        networks.append(symmetric)
    rows, biases, output, constant = min(networks, key=lambda network: len(network[0]))
    # Signs: substitute (x + 1)/2 for each input, and 2 out - 1 for the output.
    if bits == "signs":
        biases = [b + _half(sum(row)) for row, b in zip(rows, biases, strict=True)]
        rows = [[_half(entry) for entry in row] for row in rows]
        output, constant = [2 * w for w in output], 2 * constant - 1
    # A constant function needs no unit, but a layer must have one.
    rows, biases, output = rows or [[0] * m], biases or [0], output or [0]
    return pointwise(this, names, weights={"W1": rows, "b1": biases, "W2": [output], "b2": [constant]})


NetworkWeights = tuple[list[list[Any]], list[Any], list[Any], Any]
"""W1, b1, the row of W2, and b2."""


def _half(value: int | kit.Fraction) -> Any:
    """Half of a number, exactly."""
    return kit.Fraction(value, 2)


def _cases(table: tuple[int, ...], m: int, flipped: bool = False) -> NetworkWeights:
    """The network with a unit for each true leaf of a decision tree with as few true leaves as possible.

    A partial assignment `fixed` has a bit for each variable that is assigned and None for the others. With `flipped`
    the table is that of the negation, and the output is 1 minus the sum of the units.
    """

    def halves(fixed: tuple[int | None, ...], c: int) -> list[tuple[int | None, ...]]:
        """The two partial assignments that in addition assign variable c."""
        return [(*fixed[:c], bit, *fixed[c + 1 :]) for bit in (0, 1)]

    @cache
    def values(fixed: tuple[int | None, ...]) -> frozenset[int]:
        """The values of the function under a partial assignment."""
        if None in fixed:
            low, high = map(values, halves(fixed, fixed.index(None)))
            return low | high
        return frozenset((table[sum(bit << (m - 1 - c) for c, bit in enumerate(fixed) if bit)],))

    @cache
    def leaves(fixed: tuple[int | None, ...]) -> tuple[tuple[int | None, ...], ...]:
        """The true leaves below a partial assignment: the fewest over all choices of the next variable."""
        leaf_values = values(fixed)
        if leaf_values == {0}:
            return ()
        if leaf_values == {1}:
            return (fixed,)
        splits = (map(leaves, halves(fixed, c)) for c in range(m) if fixed[c] is None)
        return min((low + high for low, high in splits), key=len)

    # A conjunction of l literals is relu(sum of literals - l + 1); a negated variable x is the literal 1 - x.
    rows, biases = [], []
    for case in leaves((None,) * m):
        rows.append([0 if bit is None else 2 * bit - 1 for bit in case])
        biases.append(1 - sum(bit or 0 for bit in case))
    sign = -1 if flipped else 1
    return rows, biases, [sign] * len(rows), int(flipped)


def _symmetric(table: tuple[int, ...], m: int) -> NetworkWeights | None:
    """The network that depends only on the number of true variables; None if the function depends on more than that."""
    # The value for each number of true variables.
    values: list[int | None] = [None] * (m + 1)
    for k, bit in enumerate(table):
        if values[k.bit_count()] not in (None, bit):
            return None
        values[k.bit_count()] = bit
    # A piecewise linear function of the count: a unit relu(count - bend) for each bend, with the change of the slope.
    by_count = [bit or 0 for bit in values]
    slopes = [0, *(b - a for a, b in zip(by_count, by_count[1:], strict=False))]
    bends = [(count, b - a) for count, (a, b) in enumerate(zip(slopes, slopes[1:], strict=False)) if b != a]
    return [[1] * m for _ in bends], [-count for count, _ in bends], [change for _, change in bends], by_count[0]
