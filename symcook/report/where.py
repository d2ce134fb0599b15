"""The meaning of names in theorems about a family: values of a run between its layers, answers, and definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, inf
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.model.expr import Tree, parse_formula
from symcook.model.rationals import Rationals
from symcook.proof.audit.folded import called as words_of
from symcook.proof.audit.folded import used_definitions
from symcook.proof.familyrel import FamilyRelation, before_first
from symcook.proof.files import proofs_directory
from symcook.report.saying import DefinitionRow, Said, called, index_names, mark, span
from symcook.report.terms import body
from symcook.report.unfold import long_calls, met, unfolded

if TYPE_CHECKING:
    from symcook.model.family import Family
    from symcook.model.plainfamily import Range
    from symcook.proof.grammar import Definition
    from symcook.report.theorems import Theorem

WORDS = {"answer": (("y", "i"), "the readout answers y at i"), "accept": (("w",), "the readout accepts the string")}
"""The predicates of a run: {name: (parameters, meaning)}."""

MOST = 20
"""The possible entries of a table are listed if they lie from -MOST to MOST."""
FEW = 5
"""A comment above more definitions than this is the heading of a section of the file, and is left out."""


def where(family: Family, proved: Sequence[Theorem]) -> list[DefinitionRow]:
    """A row for each name in the theorems that the construction of the family does not explain."""
    trees = list(_trees(proved))
    known = {name: definition for theorem in proved for name, definition in theorem.known.items()}
    return [*_words(family, trees), *_definitions(family, trees, known)]


def _words(family: Family, trees: Sequence[Tree]) -> Iterator[DefinitionRow]:
    """The meaning of the names of values, of answers and verdicts, and of lambdas, as far as the theorems use them."""
    used = {word for tree in trees for word in words_of(tree)}
    yield from _values(family, used)
    for word, (parameters, word_meaning) in WORDS.items():
        if word in used:
            yield DefinitionRow(called(word, [("name", parameter) for parameter in parameters]), (word_meaning,))
    # The first lambda is the example for all.
    for bound in [function for tree in trees for function in _lambdas(tree)][:1]:
        yield DefinitionRow(("lambda", bound, ("name", "x")), (f"the function with value x at {', '.join(bound)}",))


def _definitions(family: Family, trees: Sequence[Tree], known: Mapping[str, Definition]) -> Iterator[DefinitionRow]:
    """The definitions that the theorems use. A call with many arguments has its own row, with the arguments put in."""
    heads = {name: called(name, [("name", p) for p in definition.params]) for name, definition in known.items()}
    long = list(dict.fromkeys(call for tree in trees for call in long_calls(tree, known)))
    # A call whose arguments are the parameters themselves is explained by the definition as it is.
    plain_names = [call[1] for call in long if call == heads[call[1]]]
    entries = _entries(family)
    unfolded_calls = [(call, met(unfolded(call, known), entries)) for call in long if call != heads[call[1]]]
    for call, meaning in unfolded_calls:
        yield DefinitionRow("", (call, mark(":="), meaning), -1)
    # Then the definitions that are still called in the theorems and in these rows.
    visible_trees = [met(unfolded(tree, known), entries) for tree in trees] if unfolded_calls else list(trees)
    visible_trees += [meaning for _, meaning in unfolded_calls]
    comments, printed_comments = _comments(), set[str]()
    for name in dict.fromkeys([*reversed(used_definitions(visible_trees, known)), *plain_names]):
        # A comment may be about several definitions and is printed once. It describes the general form, and would
        # mislead next to rows with particular arguments.
        described = name in comments and (name in plain_names or not unfolded_calls)
        if described and comments[name] not in printed_comments:
            printed_comments.add(comments[name])
            yield DefinitionRow("", (comments[name],), -1)
        yield DefinitionRow("", (heads[name], mark(":="), known[name].tree), -1)


def _entries(family: Family) -> dict[str, list[int]]:
    """{table: the integers that its entries may be}, for tables with one index whose conditions together bound an
    entry by numbers from -MOST to MOST."""
    numbers_of = dict[str, list[int]]()
    for name, table in family.tables.items():
        if len(table.over) != 1 or table.sort != "Int":
            continue
        entry: Tree = ("call", name, (("name", table.over[0].name),))
        conditions = [tree for condition in table.where if (tree := body(condition, table.over)) is not None]
        # All conditions hold. One that has other names too, or no bounds that are seen, excludes nothing.
        bounds = [_bounds(tree, entry) for tree in conditions]
        low, high = max([low for low, _ in bounds], default=-inf), min([high for _, high in bounds], default=inf)
        if low >= -MOST and high <= MOST:
            numbers = range(ceil(low), floor(high) + 1)
            numbers_of[name] = [k for k in numbers if all(_allows(tree, entry, k) for tree in conditions)]
    return numbers_of


def _bounds(condition: Tree, entry: Tree) -> tuple[float | Fraction, float | Fraction]:
    """Numbers between which an entry lies if the condition holds. They are read from comparisons of the entry with a
    number, from `&` and from `|`; any other condition has none."""
    tag, *kids = condition
    if tag in ("&", "|"):
        (low, high), (second_low, second_high) = (_bounds(kid, entry) for kid in kids)
        outer, inner = (max, min) if tag == "&" else (min, max)
        return outer(low, second_low), inner(high, second_high)
    if tag in ("=", "<=", "<") and entry in kids:
        try:
            number = Fraction(Rationals({}).term(kids[kids[0] == entry]))
        except BadInput:  # it has names
            return -inf, inf
        return number if tag == "=" or kids[1] == entry else -inf, number if tag == "=" or kids[0] == entry else inf
    return -inf, inf


def _allows(condition: Tree, entry: Tree, number: int) -> bool:
    """Whether an entry may be this number by the condition; True where other names in it decide that."""
    try:
        return Rationals({}).formula(_substituted(condition, entry, number))
    except BadInput:
        return True


def _substituted(tree: Any, entry: Tree, value: int) -> Any:
    """A condition with the number `value` in place of `entry`."""
    if tree == entry:
        return ("num", value, 1) if value >= 0 else ("neg", ("num", -value, 1))
    return tuple([_substituted(child, entry, value) for child in tree]) if isinstance(tree, tuple) else tree


def _comments() -> dict[str, str]:
    """{definition: comment before it in the file of definitions}, for comments about at most FEW definitions."""
    text = (proofs_directory() / "statements" / "definitions.txt").read_text(encoding="utf-8")
    comments = dict[str, str]()
    for comment, group in re.findall(r"((?:^#.*\n)+)((?:^[^#\n].*\n)+)", text, re.MULTILINE):
        names = re.findall(r"^(\w+)\(", group, re.MULTILINE)
        if len(names) <= FEW:
            comments |= dict.fromkeys(names, " ".join(line.removeprefix("#").strip() for line in comment.splitlines()))
    return comments


def _trees(proved: Sequence[Theorem]) -> Iterator[Tree]:
    """The formulas of the theorems; hypotheses in words are left out."""
    for theorem in proved:
        for text in (*theorem.given, theorem.says, *theorem.further):
            try:
                yield parse_formula(text)
            except BadInput:  # words
                continue


def _lambdas(tree: object) -> Iterator[tuple[str, ...]]:
    """The parameters of each lambda in a tree."""
    if isinstance(tree, tuple):
        if tree[:1] == ("lambda",):
            yield tree[1]
        for part in tree:
            yield from _lambdas(part)


def _values(family: Family, used: set[str]) -> Iterator[DefinitionRow]:
    """The meaning of names for values of coordinates after a round or a layer, which the construction does not have.

    `used` are the names in the theorems. In the equations of a family, x is the first value of the coordinate x; in
    rounds, x is the value that one round passes to the next. y2_x is what a norm of layer 2 gives for x, and z2_x is
    the value of x after a sublayer of layer 2; the rows call both "x after layer 2".
    """
    relation = FamilyRelation(family)
    # The prefix of a name, such as h_, says which of several runs it is about; the meaning is the same for each run.
    # A name that is itself that of a value has no prefix.
    used = {word if word in relation.functions else re.sub(r"^[a-z]_", "", word) for word in used}
    for name, sort in relation.functions.items():
        layer = re.fullmatch(r"([yz])(\d+)_(\w+)", name)
        x = layer[3] if layer else name
        if name not in used or x not in family.space:
            continue
        over = family.space[x]
        # Besides the indices of the coordinate and the position, a function may have the number of the round.
        has_round = sort.count("Int") - (sort == "Int") - len(over) - (not family.pointwise)
        rounds = _rounds_of(family, x, int(layer[2]) if layer else None) if has_round else None
        position = [] if family.pointwise else [("name", "i")]
        arguments = [*index_names(over), *position]
        coordinate = called(x, arguments)
        last_name = relation.held[x][0] if x in relation.held else None
        if rounds is None:
            label = called(name, arguments)
            if layer:
                yield DefinitionRow(label, (coordinate, f" after layer {layer[2]}"))
            elif last_name not in (name, None):  # a layer writes x later, so that the name x is its first value
                yield DefinitionRow(label, ("its first value, before all layers",))
            continue
        index: Tree = ("name", rounds.name)
        label = called(name, [index, *arguments])
        if last_name == name:  # the value that one round leaves to the next
            after_round: list[Said] = [coordinate, " after round ", index, mark("="), *span(rounds.low, rounds.high)]
            at_start: list[Said] = ["; at ", index, mark("="), before_first(rounds.low), " before the rounds"]
            yield DefinitionRow(label, (*after_round, *at_start))
        else:
            yield DefinitionRow(label, (coordinate, f" after layer {layer[2] if layer else ''}, in round ", index))


def _rounds_of(family: Family, x: str, layer: int | None) -> Range | None:
    """The index of the rounds in which the coordinate x is written (with `layer`, of the rounds with this layer)."""
    number = 0
    for part in family.layers:
        number += len(part.layers)
        if part.over and x in part.written and (layer is None or layer <= number):
            return part.over[0]
    return None
