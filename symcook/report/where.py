"""What the words in theorems about a family mean: values of a run between its layers, answers, and definitions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.model.expr import Tree, parse_formula
from symcook.model.rationals import Rationals
from symcook.proof.audit.folded import called as words_of
from symcook.proof.audit.folded import used_definitions
from symcook.proof.familyrel import FamilyRelation, before_first
from symcook.proof.files import proofs_directory
from symcook.report.saying import DefinitionRow, Said, called, mark
from symcook.report.terms import body
from symcook.report.unfold import long_calls, met, unfolded

if TYPE_CHECKING:
    from symcook.model.family import Family
    from symcook.model.plainfamily import Range
    from symcook.report.theorems import Theorem

WORDS = {"answer": (("y", "i"), "the readout answers y at i"), "accept": (("w",), "the readout accepts the string")}

MOST = 20
"""Entries of tables are tried from the negative of this on, up to this."""
FEW = 5
"""Of how many definitions at most a comment before them speaks."""


def where(family: Family, proved: Sequence[Theorem]) -> list[DefinitionRow]:
    """A line for each word of these theorems that the construction does not say."""
    trees = list(_trees(proved))
    used = {word for tree in trees for word in words_of(tree)}
    plain = {re.sub(r"^[a-z]_", "", word) for word in used}
    rows = list(_values(family, plain))
    for word, (parameters, word_meaning) in WORDS.items():
        rows += (
            [DefinitionRow(called(word, [("name", parameter) for parameter in parameters]), (word_meaning,))]
            if word in used
            else []
        )
    for bound in [function for tree in trees for function in _lambdas(tree)][:1]:
        rows.append(
            DefinitionRow(("lambda", bound, ("name", "x")), (f"the function with value x at {', '.join(bound)}",))
        )
    known = {name: definition for theorem in proved for name, definition in theorem.known.items()}
    plainly = {
        name: called(name, [("name", param) for param in definition.params]) for name, definition in known.items()
    }
    long = list(dict.fromkeys(call for tree in trees for call in long_calls(tree, known)))
    unfolded_calls = [(call, met(unfolded(call, known), _entries(family))) for call in long if call != plainly[call[1]]]
    rows += [DefinitionRow("", (call, mark(":="), says), -1) for call, says in unfolded_calls]
    shown_trees = [(met(unfolded(tree, known), _entries(family))) if unfolded_calls else tree for tree in trees]
    shown_trees += [says for _, says in unfolded_calls]
    words, told_words = _comments(), set[str]()
    plain_names = [call[1] for call in long if call == plainly[call[1]]]
    for name in dict.fromkeys([*reversed(used_definitions(shown_trees, known)), *plain_names]):
        if (name in plain_names or not unfolded_calls) and name in words and words[name] not in told_words:
            told_words.add(words[name])
            rows.append(DefinitionRow("", (words[name],), -1))
        rows.append(DefinitionRow("", (plainly[name], mark(":="), known[name].tree), -1))
    return rows


def _entries(family: Family) -> dict[str, list[int]]:
    """The numbers that the entries of a table may be, of tables with one index whose condition gives a few."""
    numbers_of = dict[str, list[int]]()
    for name, table in family.tables.items():
        for condition in table.where if len(table.over) == 1 and table.sort == "Int" else ():
            condition_on_entry = body(condition, table.over)
            entry: Tree = ("call", name, (("name", table.over[0].name),))
            numbers = [] if condition_on_entry is None else _numbers(condition_on_entry, entry)
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
    """The values of coordinates that theorems call otherwise than the construction: behind a round or a layer."""
    relation = FamilyRelation(family)
    for name, sort in relation.functions.items():
        layer = re.fullmatch(r"([yz])(\d+)_(\w+)", name)
        x = layer[3] if layer else name
        if name not in used or x not in family.space:
            continue
        over = family.space[x]
        many = sort.count("Int") - (sort == "Int") - len(over) - (not family.pointwise)
        turns = _turns(family, x, int(layer[2]) if layer else None) if many else None
        place = [] if family.pointwise else [("name", "i")]
        plain = called(x, [*(("name", index_range.name) for index_range in over), *place])
        first: list[Tree] = [("name", turns.name)] if turns else []
        label = called(name, [*first, *(plain[2] if plain[0] == "call" else ())])
        if turns is None:
            later = relation.held.get(x, (name, ()))[0] != name
            if layer or later:
                parts: list[Said] = (
                    [plain, f" after layer {layer[2]}"] if layer else ["its first value, before all layers"]
                )
                yield DefinitionRow(label, tuple(parts))
            continue
        index: Tree = ("name", turns.name)
        parts: list[Said] = [plain, " after round ", index, mark("="), turns.low, mark(".."), turns.high]
        if relation.held.get(x, ("", ()))[0] == name:
            yield DefinitionRow(
                label, (*parts, "; at ", index, mark("="), before_first(turns.low), " before the rounds")
            )
        else:
            yield DefinitionRow(label, (plain, f" after layer {layer[2] if layer else ''}, in round ", index))


def _turns(family: Family, x: str, layer: int | None) -> Range | None:
    """The index of the rounds in which a coordinate is written; with `layer` of those that have this one."""
    number = 0
    for part in family.layers:
        number += len(part.layers)
        if part.over and x in part.written and (layer is None or layer <= number):
            return part.over[0]
    return None
