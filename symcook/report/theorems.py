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
    """What a statement says of a run: the quantified names with sorts, hypotheses and conclusion, as text."""

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
            place = next((k for k, earlier in enumerate(merged) if _same(earlier.says) == _same(theorem.says)), None)
            # A lemma is no entry of its own: it counts only where it needs fewer hypotheses than a claim.
            if place is None:
                if statement.claim:
                    merged.append(theorem)
                continue
            earlier = merged[place]
            # The same conclusion: the entry with fewer hypotheses remains, and the ids of the other are noted with it.
            hypotheses, hypotheses_before = ({*map(_same, (*x.given, *x.further))} for x in (theorem, earlier))
            if hypotheses == hypotheses_before and statement.claim:
                merged[place] = earlier._replace(ids=tuple(dict.fromkeys((*earlier.ids, statement.id))))
            elif hypotheses < hypotheses_before:
                merged[place] = theorem._replace(also=tuple(dict.fromkeys((*earlier.ids, *earlier.also))))
            elif hypotheses_before < hypotheses and statement.claim:
                merged[place] = earlier._replace(also=tuple(dict.fromkeys((*earlier.also, statement.id))))
            elif statement.claim:  # neither set of hypotheses contains the other
                merged.append(theorem)
    return merged


def _told(name: str, clause: _Clause, family: Family) -> Theorem:
    """A clause with its conclusion's own hypotheses before it, and those of other parts of the statement apart."""
    hypotheses, says = _peeled([*clause.given, clause.says])
    # What the definition of the family requires of its sizes and tables is on the page already.
    tables = (condition for table in family.tables.values() for condition in table.where)
    premises = {show(conjunct) for condition in (*family.sizes.values(), *tables) for conjunct in conjuncts(condition)}
    hypotheses = [text for text in hypotheses if text not in premises]
    # The statement's own names, not the family's. With g_ before it the family's name is told from an equal one of
    # the statement.
    mine = {*family.sizes, *family.tables, *family.space, "n", "w"}
    own = [x for x in clause.over if x not in mine or f"g_{x}" in {*_words(says), *_words(" ".join(hypotheses))}]
    values = {*family.tables, *family.space} - {*own}
    theirs = [text for text in hypotheses if RUN.search(text) or values.intersection(_words(text))]
    # Hypotheses about the run or about names of the conclusion are pertinent, then those about names of these, and so
    # on until no more come in; the others are `further`.
    needed = {x for text in (*theirs, says) for x in own if x in _words(text)}
    pertinent, further = list[str](), list(hypotheses)
    while True:
        apart = [text for text in further if text not in theirs and not _pertinent(text, own, needed)]
        moved = [text for text in further if text not in apart]
        if not moved:
            break
        pertinent, further = [text for text in hypotheses if text in pertinent or text in moved], apart
        needed |= {x for text in moved for x in own if x in _words(text)}
    # Names as the page of the family has them, without g_. An own name that is also one of the family gets a digit.
    used = {*_words(" ".join([*pertinent, says]))}
    pertinent, says, same_tables = _unprefixed(pertinent, says)
    over = [(x, sort) for x, sort in clause.over.items() if x in used and x in own and x not in same_tables]
    new_names = _apart([x for x, _ in over if x in _of(family)], [*pertinent, says, *further])
    pertinent, further = ([_renamed(text, new_names) for text in texts] for texts in (pertinent, further))
    over = tuple((new_names.get(x, x), sort) for x, sort in over)
    return Theorem((name,), over, tuple(pertinent), _renamed(says, new_names), (), tuple(further))


def _of(family: Family) -> set[str]:
    """The names that a family's definition has."""
    return {*family.sizes, *family.tables, *family.space}


def _apart(names: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """The first new name ``name0``, ``name1``, .. for each of these names, which a theorem shares with the family."""
    names_taken = {*_words(" ".join(texts))}
    return {
        name: next(fresh for k in range(len(names_taken) + 1) if (fresh := f"{name}{k}") not in names_taken)
        for name in names
    }


def _renamed(text: str, new_names: Mapping[str, str]) -> str:
    """A text with other names for these, and the family's without the g_ that told them apart."""
    renamed_text = re.sub(r"\b[A-Za-z]\w*", lambda word: new_names.get(word[0], word[0]), text)
    return re.sub(rf"\bg_({'|'.join(new_names) or '(?!)'})\b", r"\1", renamed_text)


def _pertinent(given: str, own_names: Sequence[str], needed: set[str]) -> bool:
    """Whether a hypothesis is about names of the conclusion; one that says what another name is, is not."""
    names_in_it = {x for x in own_names if x in _words(given)}
    defined_names = {m[1] for m in re.finditer(r"\b(\w+)(?:\([\w\s,+*-]*\))? = ", given)} & {*own_names}
    return not names_in_it or bool(names_in_it & needed and (not defined_names or defined_names & needed))


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
    """What is said after each run of the family with these choices, with all hypotheses but the run itself and n >= 1.

    A statement is read as text: ``all names. hypotheses -> run(family; choices) -> conclusion``, which may stand in
    brackets after hypotheses of its own.
    """
    usual = {key: options[0] for key, options in family.choices.items()}

    def chosen(call: re.Match[str]) -> dict[str, str]:
        return usual | dict(re.findall(r"(\w+) = (\w+)", call[3]))

    def word(call: re.Match[str]) -> str:
        place = call[3].rpartition(";")[2].strip() if call[1] == "answer" else "w" if call[1] == "accept" else ""
        return f"{call[1]}({place})" if place else call[1]

    for call in CALL.finditer(statement):
        if call[1] != "run" or call[2] != family.name or chosen(call) != family.chosen:
            continue
        # The clause begins at `start`, its hypotheses before the run end at `place`, and the run ends at `end`.
        start, end, given = _clause(statement, call.start(), -1), call.end(), list[str]()
        if statement[end : end + 1] == ")" and EQUAL.match(" ".join(statement[start : call.start()].split()) + " "):
            given, end = _parts(statement[start : call.start()]), end + 1
            place, start = start - 1, _clause(statement, start - 1, -1)
        else:
            place = call.start()
        arrow = re.match(r"\s*->\s*", statement[end:])
        if arrow is None:
            continue
        end += arrow.end()
        # Hypotheses around the bracket, before the run, and within the bracket of the run.
        parts = [*_above(statement, start), *_parts(statement[start:place]), *given]
        if any((next_call := CALL.fullmatch(condition)) and next_call[1] == "run" for condition in parts):
            continue  # what compares two runs is told of the first
        says = " ".join(statement[end : _clause(statement, end, 1)].split())
        # Another run follows: its values have a prefix, which becomes a hypothesis in words.
        while (
            (next_call := CALL.match(says))
            and next_call[1] == "run"
            and (then := re.match(r"\s*->\s*", says[next_call.end() :]))
        ):
            prefix = next_call[3].rpartition(";")[2].strip()
            choices_text = ", ".join(f"{key} = {value}" for key, value in chosen(next_call).items())
            parts.append(f"{prefix}x is x in a run with {choices_text}")
            says = says[next_call.end() + then.end() :]
        conditions = [
            condition
            for condition in parts
            if condition and condition != "1 <= n" and CALL.fullmatch(condition) is None
        ]
        if any(map(CUT.search, conditions)):
            continue  # a statement with runs inside of it, as of all inputs, is no theorem about one
        yield _Clause(
            _over(statement[: call.start()], start),
            [CALL.sub(word, condition) for condition in conditions],
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
    # A hypothesis ``all i in 1..n. g_c(i) = c(i)``, perhaps of several tables, says no more than that.
    conditions, same_tables = list[str](), set[str]()
    for condition in given:
        parts = _parted(
            re.sub(r"^(?:all \w+ in [^.]*\.\.[^.]*\. )*", "", condition.removeprefix("(").removesuffix(")"))
        )
        equal = [re.fullmatch(r"g_(\w+)(\([\w, ]*\))? = \1(?(2)\2)", part.strip()) for part in parts]
        if all(equal):
            same_tables |= {match[1] for match in equal if match}
        else:
            conditions.append(condition)
    # g_c may be written c only where no other c is in the text.
    text = " ".join([*conditions, says])
    twice = {*re.findall(r"\b(?!g_)[A-Za-z]\w*", text)} - same_tables
    free = [name for name in {*re.findall(r"\bg_(\w+)", text)} if name not in twice]
    named = re.compile(rf"\bg_({'|'.join(free) or '(?!)'})\b")
    return [named.sub(r"\1", condition) for condition in conditions], named.sub(r"\1", says), same_tables


def _same(text: str) -> str:
    """A formula with its bound variables by number, so that other names for them make no other theorem."""
    try:
        return show(_numbered(parse_formula(re.sub(r"\bg_(?=\w)", "", text)), {}, 0))
    except BadInput:
        return text


def _numbered(tree: Tree, bound_names: Mapping[str, str], depth: int) -> Tree:
    """The tree with bound variables by number; `put` are the new names of those around it."""
    tag = tree[0]
    if tag == "name":
        return ("name", bound_names.get(tree[1], tree[1]))
    # A binder gives its names new ones, b0_, b1_, .., by the number of binders around it.
    bound = tree[1] if tag == "lambda" else (tree[1],) if tag in ("all", "ex", "all in", "ex in", "sum", "prod") else ()
    fresh = {name: f"b{depth + k}_" for k, name in enumerate(bound)}
    names_inside, depth = {**bound_names, **fresh}, depth + len(bound)
    head = (tag, tuple(fresh.values()) if tag == "lambda" else fresh[tree[1]]) if bound else (tag,)
    parts = list(tree[len(head) :])
    for place, part in enumerate(parts):
        # A subtree; the ends of a range are outside of the scope of its index. A sort ("fun", ..) has no names.
        if isinstance(part, tuple) and part and isinstance(part[0], str) and part[0] != "fun":
            ends = tag in ("all in", "ex in", "sum", "prod") and place < 2
            parts[place] = _numbered(part, bound_names if ends else names_inside, depth)
        elif isinstance(part, tuple) and part and isinstance(part[0], tuple):  # the arguments of a call
            parts[place] = tuple(_numbered(operand, names_inside, depth) for operand in part)
    return (*head, *parts)
