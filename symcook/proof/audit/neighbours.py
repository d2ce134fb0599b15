"""Mutated statements, made by rule, each tried with the proof of the statement itself.

A change is made at one place: a number is lowered or raised, a comparison made strict, a hypothesis loosened or
dropped, the end of a range shifted, a sign inverted, or min exchanged with max. `falsify` then looks for an instance at
which the changed statement is false. If it finds one, the checker must reject the stored proof as a proof of the
changed statement; otherwise the checker has a defect. If it finds none, the answer is only whether the stored proof
also proves the changed statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symcook.errors import Rejected, SymcookError
from symcook.locks import PRECISION
from symcook.model.expr import Tree
from symcook.proof.audit.folded import statement_tree, text_of

if TYPE_CHECKING:
    from symcook.proof.replay import Statement

MOST = 40  # changed statements that are tried
MOST_SHOWN = 90  # a comparison of at most so many characters is shown whole
SECONDS = 10.0  # the checker's time limit for one statement


@dataclass(frozen=True)
class Change:
    """One change: its kind, the text of the changed place before and after, and the whole changed statement.

    `stronger`: the changed statement implies the stored one, whatever the other parts of the statement are.
    """

    kind: str
    before: str
    after: str
    tree: Tree
    stronger: bool = False


@dataclass(frozen=True)
class Neighbour:
    """A change with the checker's answer. `reason` says why it was rejected; `instance` names values at which the
    changed statement is false, if some were found."""

    change: Change
    accepted: bool
    reason: str = ""
    instance: str = ""


def changes(tree: Tree) -> list[Change]:
    """All changes of a statement, each result once, in the order of the text."""
    by_tree: dict[Tree, Change] = {}
    for kind, old, new, changed, stronger in _changed(tree, 1):
        if changed != tree and changed not in by_tree:
            by_tree[changed] = Change(kind, old, new, changed, stronger)
    return list(by_tree.values())


_RawChange = tuple[str, str, str, Tree, bool]
"""The fields of a `Change`, for the tree in hand."""


def _changed(tree: Tree, sign: int) -> Iterator[_RawChange]:
    """The changes of a tree: (kind, place before, place after, whole tree, stronger). `sign` is 1 if the tree is
    asserted, -1 if it is assumed, 0 if neither.

    A change inside a short comparison is shown with the whole comparison, a change of a range with the whole range.
    """
    for kind, old, new, changed, stronger in _changes_below(tree, sign):
        if tree[0] in ("=", "<=", "<") and len(text_of(tree)) <= MOST_SHOWN:
            old, new = text_of(tree), text_of(changed)
        elif tree[0] in ("sum", "prod", "all in", "ex in") and changed[2:4] != tree[2:4]:
            old, new = _without_body(tree), _without_body(changed)
        yield kind, old, new, changed, stronger


def _without_body(tree: Tree) -> str:
    """A sum or a ranged quantifier without its body."""
    low, high = map(text_of, tree[2:4])
    if tree[0] in ("sum", "prod"):
        return f"{tree[0]}({tree[1]}, {low}, {high}, ...)"
    return f"{tree[0][:-3]} {tree[1]} in {low}..{high}. ..."


def _changes_below(tree: Tree, sign: int) -> Iterator[_RawChange]:
    """The changes at the root of a tree and below."""
    tag = tree[0]
    for kind, old, new, stronger in _changes_at_root(tree, sign):
        before, after = text_of(old), "dropped" if kind == "hypothesis dropped" else text_of(new)
        yield kind, before, after, new, stronger
    # Then the changes in each part. A premise and a negation invert the sign; parts of terms have the sign 0.
    for place in range(1, len(tree)):
        part = tree[place]
        below = sign if tag in ("all", "ex", "all in", "ex in", "&", "|") else 0
        if tag == "->":
            below = -sign if place == 1 else sign
        elif tag == "~":
            below = -sign
        if not isinstance(part, tuple) or tag in ("num", "name", "model", "lambda") or not part:
            continue
        if tag in ("all", "ex") and place == 2:  # the sort
            continue
        if tag == "call":
            for k, argument in enumerate(part):
                if argument[0] == "lambda":
                    continue
                for kind, old, new, changed, stronger in _changed(argument, 0):
                    yield kind, old, new, (tag, tree[1], (*part[:k], changed, *part[k + 1 :])), stronger
        elif isinstance(part[0], str):
            for kind, old, new, changed, stronger in _changed(part, below):
                yield kind, old, new, (*tree[:place], changed, *tree[place + 1 :]), stronger


def _changes_at_root(tree: Tree, sign: int) -> Iterator[tuple[str, Tree, Tree, bool]]:
    """Changes at the root of a tree: (kind, old, new, stronger)."""
    # `stronger` is True only for changes that imply the old statement whatever its other parts are.
    tag = tree[0]
    if tag == "num":
        value = Fraction(*tree[1:])
        step = Fraction(1, value.denominator)
        if value:
            yield "number lowered", tree, _number(value - step), False
        yield "number raised", tree, _number(value + step), False
    elif tag == "<=" and sign == 1:
        yield "made strict", tree, ("<", *tree[1:]), True
    elif tag == "<" and sign == -1:
        yield "hypothesis loosened", tree, ("<=", *tree[1:]), True
    elif tag == "<=" and sign == -1:
        yield "hypothesis loosened", tree, ("<=", tree[1], ("+", tree[2], ("num", 1, 1))), True
    elif tag == "->" and sign == 1:
        parts = _parts(tree[1])
        for k, part in enumerate(parts):
            if part[:2] == ("call", "run"):
                continue  # without it the statement would not be about the model
            # "true" replaces the hypothesis, so that the labels of the proof still fit.
            remaining_hypotheses = _joined([*parts[:k], ("true",), *parts[k + 1 :]])
            yield "hypothesis dropped", part, ("->", remaining_hypotheses, tree[2]), True
    elif tag in ("+", "-"):
        yield "sign turned", tree, ("-" if tag == "+" else "+", *tree[1:]), False
    elif tag == "neg":
        yield "sign turned", tree, tree[1], False
    elif tag == "call" and tree[1] in ("min", "max"):
        yield f"{tree[1]} turned", tree, ("call", "max" if tree[1] == "min" else "min", tree[2]), False
    elif tag in ("sum", "all in", "ex in"):
        shorter = ("-", tree[3], ("num", 1, 1))
        longer = ("+", tree[3], ("num", 1, 1))
        stronger = tag == "all in" and sign == 1
        yield "range longer", tree, (*tree[:3], longer, tree[4]), stronger
        if not stronger:
            yield "range shorter", tree, (*tree[:3], shorter, tree[4]), tag == "all in" and sign == -1


def _number(value: Fraction) -> Tree:
    """A number as a tree."""
    return ("num", value.numerator, value.denominator)


def _parts(tree: Tree) -> list[Tree]:
    """The parts of a conjunction."""
    return [*_parts(tree[1]), *_parts(tree[2])] if tree[0] == "&" else [tree]


def _joined(parts: list[Tree]) -> Tree:
    """The conjunction of parts, nested to the right."""
    out = parts[-1]
    for part in reversed(parts[:-1]):
        out = ("&", part, out)
    return out


def broken(statement: Statement, certificate: Mapping[str, Any], most: int = MOST) -> Iterator[Neighbour]:
    """At most `most` changed statements, spread over the kinds of changes, each tried with the statement's certificate.

    A change is left out if the statement stays the same by computation, or if its text is no statement any more.
    SymcookError where a changed statement is accepted although it is false at an instance.
    """
    from symcook.proof import normal
    from symcook.proof.audit.falsify import falsify
    from symcook.proof.replay import judge, statements

    lemmas = {name: statements()[name] for name in certificate["lemmas"]}
    wanted = normal.fkey(statement.formula)
    head = {key: certificate[key] for key in certificate if key not in ("defined", "inhabited")}
    for change in _spread(changes(statement_tree(statement.text)), most):
        changed = replace(statement, written=text_of(change.tree), claim=False)  # only its proof is asked for
        try:
            if normal.fkey(changed.formula) == wanted:
                continue
            offered = {**head, "statement": changed.digest}
        except SymcookError:
            continue
        instance = falsify(changed)
        # If it is accepted, the changed statement must not be false at an instance.
        try:
            with PRECISION:
                judge(changed, offered, lemmas, SECONDS)
        except Rejected as error:
            yield Neighbour(change, False, str(error).removeprefix("proof: "), instance)
        else:
            if instance:
                raise SymcookError(f"a defect of the checker: '{changed.text}' is proved, and false at {instance}")
            yield Neighbour(change, True)


def _spread(all_changes: list[Change], most: int) -> list[Change]:
    """At most `most` of the changes, some of each kind, in the order of the text."""
    if len(all_changes) <= most:
        return all_changes
    # The kinds take turns. Of each kind, changes at equal distances come first, so that they spread over the text.
    kinds: dict[str, list[int]] = {}
    for place, change in enumerate(all_changes):
        kinds.setdefault(change.kind, []).append(place)
    chosen: set[int] = set()
    rounds = 0
    while len(chosen) < most:
        for places in kinds.values():
            if rounds < len(places) and len(chosen) < most:
                step = max(1, len(places) * len(kinds) // most)
                order = [*places[::step], *places]
                chosen.add(list(dict.fromkeys(order))[rounds])
        rounds += 1
    return [all_changes[place] for place in sorted(chosen)]
