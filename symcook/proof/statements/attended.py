"""``weight(L, H, i, j)`` and ``score(L, H, i, j)`` in a statement, as trees of the formula (see
`symcook.proof.attention`).

A masked position has no score. So a score is read only where the ranges and premises around it imply that the query
sees the key: ``all i in 1..n. all j in 1..i. score(1, 1, i, j) <= 0`` for a causal head.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from symcook.errors import Rejected
from symcook.model.expr import Tree, children, parse_term
from symcook.proof.inequalities.simplex import LinearRow, solve
from symcook.proof.statements.trees import apart, mentioned, replaced

if TYPE_CHECKING:
    from symcook.proof.attention import AttendedHead
    from symcook.proof.statements.secondrun import OtherModel
    from symcook.proof.statements.vocabulary import ModelMeaning

AtMost = tuple[Tree, Tree]
"""Two terms, of which the first is at most the second."""


def made(
    whole: Tree, call: Tree, kind: str, places: Sequence[Tree], meaning: ModelMeaning, second: OtherModel | None
) -> Tree:
    """The tree of a `call` of weight or score (`kind`) in the statement `whole`. `places` are its arguments in the
    names of the formula. Rejected for a head that the model does not have, and for a score that may be masked."""
    head = _head(call, meaning)
    query, key = call[2][2:]
    if kind == "score":
        _require_visible(whole, call, head, meaning, second)
        text = head.score
    else:
        unused = next(f"j{k}" for k in itertools.count(1) if f"j{k}" not in {*meaning.taken, *mentioned((query, key))})
        text = head.weight(unused)
    tree = parse_term(text)
    if second is not None:
        tree = second.renamed(tree)
    put: dict[str, Tree] = {"i": places[2], ("j" if kind == "score" else unused): places[3]}
    return replaced(apart(tree, frozenset(mentioned(tuple(places)))), put, {})


def _head(call: Tree, meaning: ModelMeaning) -> AttendedHead:
    """The head that the first two arguments name."""
    layer, number = (argument[1] if argument[0] == "num" and argument[2] == 1 else None for argument in call[2][:2])
    if layer is None or number is None:
        raise Rejected("a layer and a head are numbers, from 1")
    by_layer = meaning.relation.heads
    if not by_layer:
        raise Rejected("this model has no heads")
    if layer not in by_layer:
        layers = ", ".join(map(str, by_layer))
        raise Rejected(f"layer {layer} has no heads; the layers with heads are {layers}")
    if not 1 <= number <= len(by_layer[layer]):
        raise Rejected(f"layer {layer} has {len(by_layer[layer])} heads, counted from 1")
    head = by_layer[layer][number - 1]
    if head is None:
        raise Rejected("this head writes nothing")
    return head


def _require_visible(
    whole: Tree, call: Tree, head: AttendedHead, meaning: ModelMeaning, second: OtherModel | None
) -> None:
    """Rejected unless the query is a position of the string, and sees the key, by the ranges and premises around the
    call."""
    query, key = call[2][2:]
    length = ("name", "n") if second is None else second.length
    shown = {"i": query, "n": length}
    ends = [replaced(parse_term(text), shown, {}) for text in (head.seen.low, head.seen.high)]
    string = [replaced(parse_term(text), shown, {}) for text in (meaning.relation.low, meaning.relation.high)]
    facts: list[AtMost] = [(("num", 1, 1), length), (("num", 1, 1), ("name", "n"))]
    integers = {"n", *meaning.places, *_integers(whole)}
    around = next(_around(whole, call), [])
    facts += [fact for fact in around if all(_integer(side, integers) for side in fact)]
    wanted: list[AtMost] = [(string[0], query), (query, string[1]), (ends[0], key), (key, ends[1])]
    if not all(_implied(facts, low, high) for low, high in wanted):
        window = f"the positions {head.seen.low} to {head.seen.high}"
        ranges = (
            f"all i in {meaning.relation.low}..{meaning.relation.high}. all j in {head.seen.low}..{head.seen.high}."
        )
        raise Rejected(f"a masked position has no score; position i sees {window}; write it in {ranges}")


def _around(tree: Tree, part: Tree) -> Iterator[list[AtMost]]:
    """What the ranges and premises around the `part` of a tree imply, once for each place of the part."""
    if tree is part:
        yield []
        return
    for child in children(tree):
        for inner in _around(child, part):
            yield [*_known(tree, child), *inner]


def _known(tree: Tree, child: Tree) -> list[AtMost]:
    """What holds of the last child of a range, a sum, an implication or a conjunction."""
    if tree[0] in ("all in", "ex in", "sum", "prod") and child is tree[4]:
        return [(tree[2], ("name", tree[1])), (("name", tree[1]), tree[3])]
    if tree[0] in ("->", "&") and child is tree[2]:
        return list(_comparisons(tree[1]))
    return []


def _comparisons(tree: Tree) -> Iterator[AtMost]:
    """The comparisons that a formula implies; a < b as a + 1 <= b, since only those of integers are used."""
    if tree[0] == "&":
        yield from itertools.chain(_comparisons(tree[1]), _comparisons(tree[2]))
    elif tree[0] == "=":
        yield from ((tree[1], tree[2]), (tree[2], tree[1]))
    elif tree[0] in ("<=", "<"):
        yield tree[1] if tree[0] == "<=" else ("+", tree[1], ("num", 1, 1)), tree[2]


def _integers(tree: Tree) -> set[str]:
    """The names that a statement binds to integers, and to nothing else."""
    todo, bound, reals = [tree], set[str](), set[str]()
    while todo:
        part = todo.pop()
        todo += children(part)
        if part[0] in ("all in", "ex in", "sum", "prod") or (part[0] in ("all", "ex") and part[2] == "Int"):
            bound.add(part[1])
        elif part[0] in ("all", "ex"):
            reals.add(part[1])
        elif part[0] == "lambda":
            reals |= {*part[1]}
    return bound - reals


def _integer(tree: Tree, integers: set[str]) -> bool:
    """Whether a term is a sum of whole multiples of integers."""
    if tree[0] == "num":
        return tree[2] == 1
    if tree[0] == "name":
        return tree[1] in integers
    return tree[0] in ("+", "-", "neg", "*") and all(_integer(part, integers) for part in children(tree))


def _implied(facts: Sequence[AtMost], low: Tree, high: Tree) -> bool:
    """Whether the facts imply low <= high for integers, by linear arithmetic."""
    rows: list[tuple[LinearRow, Fraction]] = []
    names: set[str] = set()
    denied = (("+", high, ("num", 1, 1)), low)
    for k, (a, b) in enumerate([*facts, denied]):
        sides = [_linear(side) for side in (a, b)]
        if None in sides:
            if (a, b) == denied:
                return False
            continue
        left, right = (side or {} for side in sides)
        row = {name: right.get(name, Fraction(0)) - left.get(name, Fraction(0)) for name in {*left, *right} - {""}}
        names |= row.keys()
        rows.append((row | {f"slack {k}": Fraction(-1)}, left.get("", Fraction(0)) - right.get("", Fraction(0))))
    return solve(rows, names) is None


def _linear(tree: Tree) -> dict[str, Fraction] | None:
    """The coefficients of a linear term by name, "" for the constant; None for any other term."""
    match tree:
        case ("num", int(), int()):
            return {"": Fraction(tree[1], tree[2])}
        case ("name", str()):
            return {tree[1]: Fraction(1)}
        case ("neg", part):
            return _linear(("-", ("num", 0, 1), part))
        case ("+" | "-", left, right):
            sides = _linear(left), _linear(right)
            if sides[0] is None or sides[1] is None:
                return None
            sign = 1 if tree[0] == "+" else -1
            names = sides[0].keys() | sides[1].keys()
            return {name: sides[0].get(name, Fraction(0)) + sign * sides[1].get(name, Fraction(0)) for name in names}
        case ("*", ("num", p, q), right):
            side = _linear(right)
            return None if side is None else {name: Fraction(p, q) * value for name, value in side.items()}
        case _:
            return None
