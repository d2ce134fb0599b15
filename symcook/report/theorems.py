"""What stored theorems say of a run of a family, read off their texts: the hypotheses under which they say it, those of
their other parts, and the conclusion; with the family's names in place of a statement's g_..."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from symcook.errors import BadInput
from symcook.model.expr import Tree, parse_formula, show
from symcook.model.meaning import conjuncts
from symcook.proof.familyrel import CALL

if TYPE_CHECKING:
    from symcook.model.family import Family
    from symcook.proof.grammar import Definition
    from symcook.proof.replay import Statement

RUN = re.compile(r"\b[a-z]_\w")
"""What names of a run with a prefix look like."""
CUT = re.compile(r"\b(?:all|ex) [^.]*$")
"""A quantifier without what it is about: the run stands inside of it, so that this is no hypothesis of a run."""
EQUAL = re.compile(r"^all n:Int\. n = [^&|<>]* -> $")
"""What makes "for all such n the run" one run, of this length."""


class Theorem(NamedTuple):
    """What a statement says of a run: its ids, the names of its own with their sorts, hypotheses, conclusion; ids of
    the same conclusion under more hypotheses; hypotheses about other names than those of the conclusion; and the
    definitions that it may use."""

    ids: tuple[str, ...]
    over: tuple[tuple[str, str], ...]
    given: tuple[str, ...]
    says: str
    also: tuple[str, ...] = ()
    further: tuple[str, ...] = ()
    known: Mapping[str, Definition] = {}


class _Clause(NamedTuple):
    over: Mapping[str, str]
    given: list[str]
    says: str


def conclusions(statement: str, family: Family) -> list[str]:
    """What a statement says of a run of this very family, behind its hypotheses."""
    return [clause.says for clause in _clauses(statement, family)]


def theorems(family: Family, statements: Iterable[Statement]) -> list[Theorem]:
    """What these statements say of a run of the family, each thing once, under the fewest hypotheses."""
    merged = list[Theorem]()
    for statement in statements:
        for clause in _clauses(statement.written, family):
            theorem = _told(statement.id, clause, family)._replace(known=statement.known)
            same = next((k for k, old in enumerate(merged) if _same(old.says) == _same(theorem.says)), None)
            if same is None:
                if statement.claim:
                    merged.append(theorem)
                continue
            old = merged[same]
            less, more = ({*map(_same, (*x.given, *x.further))} for x in (theorem, old))
            if less == more and statement.claim:
                merged[same] = old._replace(ids=tuple(dict.fromkeys((*old.ids, statement.id))))
            elif less < more:
                merged[same] = theorem._replace(also=tuple(dict.fromkeys((*old.ids, *old.also))))
            elif more < less and statement.claim:
                merged[same] = old._replace(also=tuple(dict.fromkeys((*old.also, statement.id))))
            elif statement.claim:
                merged.append(theorem)
    return merged


def _told(name: str, clause: _Clause, family: Family) -> Theorem:
    """A clause with its conclusion's own hypotheses before it, and those of other parts of the statement apart."""
    hypotheses, says = _peeled([*clause.given, clause.says])
    tables = (one for table in family.tables.values() for one in table.where)
    premises = {show(conjunct) for condition in (*family.sizes.values(), *tables) for conjunct in conjuncts(condition)}
    hypotheses = [one for one in hypotheses if one not in premises]
    mine = {*family.sizes, *family.tables, *family.space, "n", "w"}
    own = [x for x in clause.over if x not in mine or f"g_{x}" in {*_words(says), *_words(" ".join(hypotheses))}]
    values = {*family.tables, *family.space} - {*own}
    theirs = [one for one in hypotheses if RUN.search(one) or values.intersection(_words(one))]
    needed = {x for one in (*theirs, says) for x in own if x in _words(one)}
    near, far = list[str](), list(hypotheses)
    while True:
        apart = [one for one in far if one not in theirs and not _pertinent(one, own, needed)]
        moved = [one for one in far if one not in apart]
        if not moved:
            break
        near, far = [one for one in hypotheses if one in near or one in moved], apart
        needed |= {x for one in moved for x in own if x in _words(one)}
    used = {*_words(" ".join([*near, says]))}
    near, says, same = _unprefixed(near, says)
    over = [(x, sort) for x, sort in clause.over.items() if x in used and x in own and x not in same]
    other = _apart([x for x, _ in over if x in _of(family)], [*near, says, *far])
    near, far = ([_renamed(one, other) for one in many] for many in (near, far))
    over = tuple((other.get(x, x), sort) for x, sort in over)
    return Theorem((name,), over, tuple(near), _renamed(says, other), (), tuple(far))


def _of(family: Family) -> set[str]:
    """The names that a family's definition has."""
    return {*family.sizes, *family.tables, *family.space}


def _apart(names: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """Names with a digit behind them, for those of a theorem that are the family's, which have a g_ in its text."""
    names_taken = {*_words(" ".join(texts))}
    return {
        name: next(one for k in range(len(names_taken) + 1) if (one := f"{name}{k}") not in names_taken)
        for name in names
    }


def _renamed(text: str, names: Mapping[str, str]) -> str:
    """A text with other names for these, and the family's without the g_ that told them apart."""
    renamed_text = re.sub(r"\b[A-Za-z]\w*", lambda word: names.get(word[0], word[0]), text)
    return re.sub(rf"\bg_({'|'.join(names) or '(?!)'})\b", r"\1", renamed_text)


def _pertinent(given: str, own: Sequence[str], needed: set[str]) -> bool:
    """Whether a hypothesis is about names of the conclusion; one that says what another name is, is not."""
    here = {x for x in own if x in _words(given)}
    defined_names = {m[1] for m in re.finditer(r"\b(\w+)(?:\([\w\s,+*-]*\))? = ", given)} & {*own}
    return not here or bool(here & needed and (not defined_names or defined_names & needed))


def _words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z]\w*", text)


def _peeled(texts: Sequence[str]) -> tuple[list[str], str]:
    """Hypotheses and a conclusion, of which the hypotheses that it begins with are taken off."""
    *hypotheses, says = texts
    while True:
        try:
            tree = parse_formula(says)
        except BadInput:
            return hypotheses, says
        if tree[0] != "->":
            return hypotheses, says
        hypotheses, says = [*hypotheses, *map(show, conjuncts(tree[1]))], show(tree[2])


def _clauses(statement: str, family: Family) -> Iterator[_Clause]:
    """What stands behind each run of the family with these choices, with all hypotheses but the word and the family's
    premises."""
    usual = {key: many[0] for key, many in family.choices.items()}

    def chosen(call: re.Match[str]) -> dict[str, str]:
        return usual | dict(re.findall(r"(\w+) = (\w+)", call[3]))

    def word(call: re.Match[str]) -> str:
        place = call[3].rpartition(";")[2].strip() if call[1] == "answer" else "w" if call[1] == "accept" else ""
        return f"{call[1]}({place})" if place else call[1]

    for call in CALL.finditer(statement):
        if call[1] != "run" or call[2] != family.name or chosen(call) != family.chosen:
            continue
        start, end, given = _clause(statement, call.start(), -1), call.end(), list[str]()
        if statement[end : end + 1] == ")" and EQUAL.match(" ".join(statement[start : call.start()].split()) + " "):
            given, end = _parts(statement[start : call.start()]), end + 1
            place, start = start - 1, _clause(statement, start - 1, -1)
        else:
            place = call.start()
        behind = re.match(r"\s*->\s*", statement[end:])
        if behind is None:
            continue
        end += behind.end()
        parts = [*_above(statement, start), *_parts(statement[start:place]), *given]
        if any((other := CALL.fullmatch(condition)) and other[1] == "run" for condition in parts):
            continue  # what compares two runs is told of the first
        says = " ".join(statement[end : _clause(statement, end, 1)].split())
        while (
            (other := CALL.match(says)) and other[1] == "run" and (more := re.match(r"\s*->\s*", says[other.end() :]))
        ):
            prefix = other[3].rpartition(";")[2].strip()
            how = ", ".join(f"{key} = {value}" for key, value in chosen(other).items())
            parts.append(f"{prefix}x is x in a run with {how}")
            says = says[other.end() + more.end() :]
        own = [
            condition
            for condition in parts
            if condition and condition != "1 <= n" and CALL.fullmatch(condition) is None
        ]
        if any(map(CUT.search, own)):
            continue  # a statement with runs inside of it, as of all inputs, is no theorem about one
        yield _Clause(
            _over(statement[: call.start()], start),
            [CALL.sub(word, condition) for condition in own],
            CALL.sub(word, says),
        )


def _over(text: str, start: int) -> dict[str, str]:
    """The names with sorts that are quantified around a place, from the outermost on."""
    sorts = dict[str, str]()
    while True:
        match = re.match(r"\s*all ([^.]*)\.\s", CALL.sub("", text[start:]))
        pairs = [declared.split(":") for declared in match[1].split(",") if declared.count(":") == 1] if match else []
        sorts = {name.strip(): sort.strip() for name, sort in pairs} | sorts
        if start <= 0:
            return sorts
        start = _clause(text, start - 1, -1)


def _parts(text: str) -> list[str]:
    """The parts of a text behind its first quantifier, each in one line."""
    return [" ".join(part.split()) for part in _parted(_body(text))]


def _body(text: str) -> str:
    """What stands behind the quantifier with which a text begins."""
    return re.sub(r"^\s*all [^.]*\.\s", "", text)


def _above(text: str, start: int) -> list[str]:
    """The hypotheses under which what stands in a bracket is said: what is before an arrow, outside of it."""
    hypotheses = list[str]()
    while start > 0:
        outer = _clause(text, start - 1, -1)
        *premises, _ = _parted(_body(text[outer : start - 1]), ("->",))
        hypotheses = [*(part for premise in premises for part in _parts(premise)), *hypotheses]
        start = outer
    return hypotheses


def _clause(text: str, at: int, step: int) -> int:
    """Where the bracket around a place begins (step -1) or ends (1)."""
    depth, opening = 0, ")]" if step < 0 else "(["
    closing = "([" if step < 0 else ")]"
    at -= step < 0
    while 0 <= at < len(text):
        depth += (text[at] in opening) - (text[at] in closing)
        if depth < 0:
            return at + (step < 0)
        at += step
    return max(at + (step < 0), 0)


def _parted(text: str, signs: Sequence[str] = ("&", "->")) -> Iterator[str]:
    """The parts of a text between signs that stand in no bracket."""
    depth = start = 0
    for sign in re.finditer(r"[(\[)\]]|&|->", text):
        depth += (sign[0] in "([") - (sign[0] in ")]")
        if depth == 0 and sign[0] in signs:
            yield text[start : sign.start()]
            start = sign.end()
    yield text[start:]


def _unprefixed(given: Sequence[str], says: str) -> tuple[list[str], str, set[str]]:
    """Hypotheses and conclusion with the family's names for g_..: where a hypothesis only says that a table of the
    statement is the family's, it is left out, and the table is among the names returned. A name that would then mean
    two things keeps its g_."""
    conditions, same = list[str](), set[str]()
    for condition in given:
        parts = _parted(
            re.sub(r"^(?:all \w+ in [^.]*\.\.[^.]*\. )*", "", condition.removeprefix("(").removesuffix(")"))
        )
        equal = [re.fullmatch(r"g_(\w+)(\([\w, ]*\))? = \1(?(2)\2)", part.strip()) for part in parts]
        if all(equal):
            same |= {match[1] for match in equal if match}
        else:
            conditions.append(condition)
    text = " ".join([*conditions, says])
    twice = {*re.findall(r"\b(?!g_)[A-Za-z]\w*", text)} - same
    free = [name for name in {*re.findall(r"\bg_(\w+)", text)} if name not in twice]
    named = re.compile(rf"\bg_({'|'.join(free) or '(?!)'})\b")
    return [named.sub(r"\1", condition) for condition in conditions], named.sub(r"\1", says), same


def _same(text: str) -> str:
    """A formula with its bound variables by number, so that other names for them make no other theorem."""
    try:
        return show(_numbered(parse_formula(re.sub(r"\bg_(?=\w)", "", text)), {}, 0))
    except BadInput:
        return text


def _numbered(tree: Tree, put: Mapping[str, str], depth: int) -> Tree:
    tag = tree[0]
    if tag == "name":
        return ("name", put.get(tree[1], tree[1]))
    bound = tree[1] if tag == "lambda" else (tree[1],) if tag in ("all", "ex", "all in", "ex in", "sum", "prod") else ()
    fresh = {name: f"b{depth + k}_" for k, name in enumerate(bound)}
    inner, depth = {**put, **fresh}, depth + len(bound)
    head = (tag, tuple(fresh.values()) if tag == "lambda" else fresh[tree[1]]) if bound else (tag,)
    parts = list(tree[len(head) :])
    for place, part in enumerate(parts):
        if isinstance(part, tuple) and part and isinstance(part[0], str) and part[0] != "fun":
            ends = tag in ("all in", "ex in", "sum", "prod") and place < 2
            parts[place] = _numbered(part, put if ends else inner, depth)
        elif isinstance(part, tuple) and part and isinstance(part[0], tuple):
            parts[place] = tuple(_numbered(operand, inner, depth) for operand in part)
    return (*head, *parts)
