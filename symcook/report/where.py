"""What the words in theorems about a family mean: values of a run between its layers, answers, and definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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

MOST = 20
"""Which numbers the entries of a table may be is tried from -MOST to MOST."""
FEW = 5
"""A comment before more definitions than these is about a part of the file, not about the definitions."""


def where(family: Family, proved: Sequence[Theorem]) -> list[DefinitionRow]:
    """A line for each word of these theorems that the construction does not say."""
    trees = list(_trees(proved))
    known = {name: definition for theorem in proved for name, definition in theorem.known.items()}
    return [*_words(family, trees), *_definitions(family, trees, known)]


def _words(family: Family, trees: Sequence[Tree]) -> Iterator[DefinitionRow]:
    """What the names of values, the verdicts and the notation for functions mean, as far as the theorems use them."""
    used = {word for tree in trees for word in words_of(tree)}
    # With a prefix such as h_ a word is about one run of several; what it means is the same for each.
    yield from _values(family, {re.sub(r"^[a-z]_", "", word) for word in used})
    for word, (parameters, word_meaning) in WORDS.items():
        if word in used:
            yield DefinitionRow(called(word, [("name", parameter) for parameter in parameters]), (word_meaning,))
    # The first function that is written out serves as the example for all.
    for bound in [function for tree in trees for function in _lambdas(tree)][:1]:
        yield DefinitionRow(("lambda", bound, ("name", "x")), (f"the function with value x at {', '.join(bound)}",))


def _definitions(family: Family, trees: Sequence[Tree], known: Mapping[str, Definition]) -> Iterator[DefinitionRow]:
    """The definitions that the theorems use; those of many parameters are written out at their arguments."""
    heads = {name: called(name, [("name", p) for p in definition.params]) for name, definition in known.items()}
    long = list(dict.fromkeys(call for tree in trees for call in long_calls(tree, known)))
    # A call with the very names of the parameters is the definition as it stands: it need not be written out.
    plain_names = [call[1] for call in long if call == heads[call[1]]]
    entries = _entries(family)
    unfolded_calls = [(call, met(unfolded(call, known), entries)) for call in long if call != heads[call[1]]]
    for call, meaning in unfolded_calls:
        yield DefinitionRow("", (call, mark(":="), meaning), -1)
    # Then the definitions that are still named in what a reader sees, after unfolding.
    visible_trees = [met(unfolded(tree, known), entries) for tree in trees] if unfolded_calls else list(trees)
    visible_trees += [meaning for _, meaning in unfolded_calls]
    comments, printed_comments = _comments(), set[str]()
    for name in dict.fromkeys([*reversed(used_definitions(visible_trees, known)), *plain_names]):
        # A comment may speak of several definitions and is printed once. It describes the general form, so that it
        # would mislead beside definitions at particular arguments.
        described = name in comments and (name in plain_names or not unfolded_calls)
        if described and comments[name] not in printed_comments:
            printed_comments.add(comments[name])
            yield DefinitionRow("", (comments[name],), -1)
        yield DefinitionRow("", (heads[name], mark(":="), known[name].tree), -1)


def _entries(family: Family) -> dict[str, list[int]]:
    """The numbers that the entries of a table may be, of tables with one index whose condition gives a few."""
    numbers_of = dict[str, list[int]]()
    for name, table in family.tables.items():
        for condition in table.where if len(table.over) == 1 and table.sort == "Int" else ():
            condition_on_entry = body(condition, table.over)
            entry: Tree = ("call", name, (("name", table.over[0].name),))
            numbers = [] if condition_on_entry is None else _numbers(condition_on_entry, entry)
            # A number at an end of what was tried would mean that there may be more of them beyond.
            if numbers and numbers[0] > -MOST and numbers[-1] < MOST:
                numbers_of[name] = numbers
    return numbers_of


def _numbers(condition: Tree, entry: Tree) -> list[int]:
    """The numbers near 0 at which a condition holds of an entry; none where it is about other things too."""
    try:
        return [k for k in range(-MOST, MOST + 1) if Rationals({}).formula(_with(condition, entry, k))]
    except BadInput:
        return []


def _with(tree: Any, entry: Tree, value: int) -> Any:
    """A condition with a number in the place of an entry."""
    if tree == entry:
        return ("num", value, 1) if value >= 0 else ("neg", ("num", -value, 1))
    return tuple([_with(child, entry, value) for child in tree]) if isinstance(tree, tuple) else tree


def _comments() -> dict[str, str]:
    """What the file of definitions says in words before a few of them, which are not those of the whole file."""
    text = (proofs_directory() / "statements" / "definitions.txt").read_text(encoding="utf-8")
    comments = dict[str, str]()
    for comment, group in re.findall(r"((?:^#.*\n)+)((?:^[^#\n].*\n)+)", text, re.MULTILINE):
        names = re.findall(r"^(\w+)\(", group, re.MULTILINE)
        if len(names) <= FEW:
            comments |= dict.fromkeys(names, " ".join(line.removeprefix("#").strip() for line in comment.splitlines()))
    return comments


def _trees(proved: Sequence[Theorem]) -> Iterator[Tree]:
    for theorem in proved:
        for text in (*theorem.given, theorem.says, *theorem.further):
            try:
                yield parse_formula(text)
            except BadInput:  # words
                continue


def _lambdas(tree: object) -> Iterator[tuple[str, ...]]:
    """The names of each function that is written out."""
    if isinstance(tree, tuple):
        if tree[:1] == ("lambda",):
            yield tree[1]
        for part in tree:
            yield from _lambdas(part)


def _values(family: Family, used: set[str]) -> Iterator[DefinitionRow]:
    """The values of coordinates that theorems call otherwise than the construction: after a round or a layer.

    `used` are the words of the theorems. The run of a family calls the first value of a coordinate x by its name, or in
    rounds the value that is carried from one to the next; y2_x and z2_x are values of x within layer 2.
    """
    relation = FamilyRelation(family)
    for name, sort in relation.functions.items():
        layer = re.fullmatch(r"([yz])(\d+)_(\w+)", name)
        x = layer[3] if layer else name
        if name not in used or x not in family.space:
            continue
        over = family.space[x]
        # Besides the indices of the coordinate and the position, a function may have the number of the round.
        has_round = sort.count("Int") - (sort == "Int") - len(over) - (not family.pointwise)
        rounds = _turns(family, x, int(layer[2]) if layer else None) if has_round else None
        position = [] if family.pointwise else [("name", "i")]
        arguments = [*index_names(over), *position]
        coordinate = called(x, arguments)
        last_name = relation.held[x][0] if x in relation.held else None
        if rounds is None:
            label = called(name, arguments)
            if layer:
                yield DefinitionRow(label, (coordinate, f" after layer {layer[2]}"))
            elif last_name not in (name, None):  # x is written later, so that its own name is that of the first value
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


def _turns(family: Family, x: str, layer: int | None) -> Range | None:
    """The index of the rounds in which a coordinate is written; with `layer` of those that have this one."""
    number = 0
    for part in family.layers:
        number += len(part.layers)
        if part.over and x in part.written and (layer is None or layer <= number):
            return part.over[0]
    return None
