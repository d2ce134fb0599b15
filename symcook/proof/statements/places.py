"""Linear arithmetic of positions in a statement: what the ranges and premises around a part of it imply, and terms at
positions that no string has.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from symcook.model.expr import Tree, children, parse_formula, parse_term, show
from symcook.model.meaning import subtrees
from symcook.proof.inequalities.simplex import LinearRow, Number, solve
from symcook.proof.statements.secondrun import parted
from symcook.proof.statements.trees import replaced

if TYPE_CHECKING:
    from symcook.proof.statements.secondrun import OtherModel
    from symcook.proof.statements.vocabulary import ModelMeaning

ONE: Tree = ("num", 1, 1)
AtMost = tuple[Tree, Tree]
"""Two terms, of which the first is at most the second."""


def facts_about(meaning: ModelMeaning) -> list[AtMost]:
    """What holds of the length and of the named positions of a second run, by the premises of the statement."""
    facts: list[AtMost] = [(ONE, ("name", "n"))]
    longest = meaning.document["max_length"]
    facts += [] if longest is None else [(("name", "n"), ("num", longest, 1))]
    for second in meaning.others.values():
        facts += _facts_of(second, meaning)
    return facts


def _facts_of(second: OtherModel, meaning: ModelMeaning) -> list[AtMost]:
    """What the premises of one second run say of its length and of the positions in its prefix."""
    by_name = {new: name for name, new in meaning.places.items()}
    ends = (parse_formula(premise)[1:] for premise in second.least)
    return [(ONE, second.length), *((_named(low, by_name), _named(high, by_name)) for low, high in ends)]


def _named(tree: Tree, names: Mapping[str, str]) -> Tree:
    """A term with names of the statement in place of those of the formula."""
    return replaced(tree, {new: ("name", old) for new, old in names.items()}, {})


def around(whole: Tree, call: Tree, meaning: ModelMeaning) -> list[AtMost]:
    """What the premises of a statement, and the ranges and premises around a `call` in it, imply for integers."""
    facts = facts_about(meaning)
    names = {"n", *meaning.places, *integers(whole)}
    found = next(_paths(whole, call), [])
    return [*facts, *(fact for fact in found if all(integer(side, names) for side in fact))]


def _paths(tree: Tree, part: Tree) -> Iterator[list[AtMost]]:
    """What the ranges and premises around the `part` of a tree imply, once for each place of the part."""
    if tree is part:
        yield []
        return
    for child in children(tree):
        for inner in _paths(child, part):
            yield [*known(tree, child), *inner]


def known(tree: Tree, child: Tree) -> list[AtMost]:
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


def integers(tree: Tree) -> set[str]:
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


def integer(tree: Tree, integers: set[str]) -> bool:
    """Whether a term is a sum of whole multiples of integers."""
    if tree[0] == "num":
        return tree[2] == 1
    if tree[0] == "name":
        return tree[1] in integers
    return tree[0] in ("+", "-", "neg", "*") and all(integer(part, integers) for part in children(tree))


def implied(facts: Sequence[AtMost], low: Tree, high: Tree) -> bool:
    """Whether the facts imply low <= high for integers, by linear arithmetic."""
    rows: list[tuple[LinearRow, Number]] = []
    names: set[Hashable] = set()
    denied = (("+", high, ("num", 1, 1)), low)
    for k, (a, b) in enumerate([*facts, denied]):
        sides = [_linear(side) for side in (a, b)]
        if None in sides:
            if (a, b) == denied:
                return False
            continue
        left, right = (side or {} for side in sides)
        row: dict[Hashable, Number] = {
            name: right.get(name, Fraction(0)) - left.get(name, Fraction(0)) for name in {*left, *right} - {""}
        }
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


def _positions(call: Tree, meaning: ModelMeaning) -> list[Tree]:
    """The arguments of a call that must be positions of a string. A prefix up to a position (``matches``) may be empty,
    and ``decoded`` may begin after the string."""
    _, name, arguments = call
    kind, base = parted(name)[1], parted(name)[1].partition("@")[0].strip("\"'")
    if base in meaning.space and len(arguments) == 1:
        return [*arguments]
    if name == "w" or kind == "accept":
        return [*arguments]
    if kind in ("at", "answer", "probability", "holds"):
        return [*arguments[1:]]
    return [*arguments[2:]] if kind in ("weight", "score") else []


def _unmet(whole: Tree, meaning: ModelMeaning) -> tuple[Tree, str] | None:
    """The first call in a statement whose prefix has premises that no string meets, such as that of a position of a
    typed symbol, and the error about it; None where the fault is no prefix's."""
    for tree in subtrees(whole):
        prefix = parted(tree[1])[0] if tree[0] in ("call", "name") else ""
        second = meaning.others.get(prefix)
        if second is not None and implied([(ONE, ("name", "n")), *_facts_of(second, meaning)], ONE, ("num", 0, 1)):
            less = 1 - int(meaning.relation.low) + (meaning.document["embedding"]["after"] is not None)
            typed = f"positions of symbols are {meaning.typed_places[0]} to n{f' - {less}' if less else ''}"
            return tree, f"no string has the positions that {prefix}NAME is about; {typed}"
    return None


def absent(whole: Tree, meaning: ModelMeaning) -> tuple[Tree, str] | None:
    """The first call in a statement at a position that no string has, and the error about it; None without one."""
    facts, names = facts_about(meaning), {"n", *meaning.places, *integers(whole)}
    # Under premises that no string meets every position is absent: then a prefix is what is wrong.
    if (unmet := _unmet(whole, meaning)) is not None:
        return unmet
    outside: dict[object, bool] = {}  # the same position under the same facts is decided once
    todo: list[tuple[Tree, list[AtMost], bool]] = [(whole, facts, False)]
    while todo:
        tree, held, summed = todo.pop()
        summed = summed or tree[0] in ("sum", "ind")
        if tree[0] == "call":
            second = meaning.others.get(parted(tree[1])[0])
            relation = meaning.relation if second is None else second.meaning.relation
            length: Tree = ("name", "n") if second is None else second.length
            low, high = (replaced(parse_term(end), {"n": length}, {}) for end in (relation.low, relation.high))
            for place in _positions(tree, meaning if second is None else second.meaning):
                if not integer(place, names):
                    continue
                key = place, low, high, tuple(held), summed
                if key not in outside:
                    below, above = (("+", place, ONE), low), (("+", high, ONE), place)
                    # In a sum or an indicator, what is never there adds nothing: closed forms have such parts.
                    never = summed and implied(held, ONE, ("num", 0, 1))
                    outside[key] = not never and (implied(held, *below) or implied(held, *above))
                if outside[key]:
                    last = f"; the last is {show(high)}" if show(place) == "n" else ""
                    what = f"no string has the position {show(place)}"
                    return tree, f"{what}; positions are {show(low)} to {show(high)}{last}"
        for child in reversed([*children(tree)]):
            found = [fact for fact in known(tree, child) if all(integer(side, names) for side in fact)]
            todo.append((child, [*held, *found] if found else held, summed))
    return None
