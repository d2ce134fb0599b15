"""What stored theorems state about a run of a family: the conclusion, its hypotheses, and the hypotheses of other parts
of the theorem. All of this is read from the text of the statement.

A statement calls a value x of a run "x", or "g_x" where it also has another "x". The results here use the family's name
x wherever this is not ambiguous.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from symcook.errors import BadInput
from symcook.model.expr import Tree, parse_formula, show
from symcook.model.meaning import conjuncts
from symcook.proof.records import FAMILY_CALL

if TYPE_CHECKING:
    from symcook.model.family import Family
    from symcook.proof.grammar import Definition
    from symcook.proof.replay import Statement

RUN = re.compile(r"\b[a-z]_\w")
"""A name of a run with a prefix, such as g_x."""
CUT = re.compile(r"\b(?:all|ex) [^.]*$")
"""A quantifier without its body. A text that ends like this is not a hypothesis about a run: the run is within the
quantifier."""
EQUAL = re.compile(r"^all n:Int\. n = [^&|<>]* -> $")
"""The text "for all n equal to a term": the run after it is a single run, of this length."""


class Theorem(NamedTuple):
    """A theorem about a run of a family."""

    ids: tuple[str, ...]
    """The statements with this conclusion and these hypotheses."""
    over: tuple[tuple[str, str], ...]
    """The universally quantified names of the statement that are not the family's: (name, sort)."""
    given: tuple[str, ...]
    """The hypotheses of the conclusion."""
    says: str
    """The conclusion."""
    also: tuple[str, ...] = ()
    """Statements with the same conclusion under more hypotheses."""
    further: tuple[str, ...] = ()
    """Hypotheses of other parts of the statement, about names that the conclusion does not have."""
    known: Mapping[str, Definition] = {}
    """The definitions that the statement may use."""


class _Clause(NamedTuple):
    """One conclusion of a statement about a run: {quantified name: sort}, hypotheses and conclusion, as text."""

    over: Mapping[str, str]
    given: list[str]
    says: str


def conclusions(statement: str, family: Family) -> list[str]:
    """The conclusions of a statement about a run of the family, without their hypotheses."""
    return [clause.says for clause in _clauses(statement, family)]


def theorems(family: Family, statements: Iterable[Statement]) -> list[Theorem]:
    """The theorems in `statements` about a run of the family: each conclusion with the fewest hypotheses, and several
    times only where neither of two sets of hypotheses contains the other."""
    merged = list[Theorem]()
    for statement in statements:
        for clause in _clauses(statement.written, family):
            theorem = _theorem(statement.id, clause, family)._replace(known=statement.known)
            place = next(
                (k for k, earlier in enumerate(merged) if _normal_form(earlier.says) == _normal_form(theorem.says)),
                None,
            )
            # A lemma gets no new entry. It counts only if it needs fewer hypotheses than a claim with its conclusion.
            if place is None:
                if statement.claim:
                    merged.append(theorem)
                continue
            earlier = merged[place]
            # The same conclusion: the entry with fewer hypotheses remains, and its `also` gets the ids of the other.
            hypotheses, hypotheses_before = ({*map(_normal_form, (*x.given, *x.further))} for x in (theorem, earlier))
            if hypotheses == hypotheses_before and statement.claim:
                merged[place] = earlier._replace(ids=tuple(dict.fromkeys((*earlier.ids, statement.id))))
            elif hypotheses < hypotheses_before:
                merged[place] = theorem._replace(also=tuple(dict.fromkeys((*earlier.ids, *earlier.also))))
            elif hypotheses_before < hypotheses and statement.claim:
                merged[place] = earlier._replace(also=tuple(dict.fromkeys((*earlier.also, statement.id))))
            elif statement.claim:  # neither set of hypotheses contains the other
                merged.append(theorem)
    return merged


def _theorem(name: str, clause: _Clause, family: Family) -> Theorem:
    """The theorem of a clause: hypotheses that its conclusion needs are `given`, all others `further`."""
    hypotheses, says = _hypotheses_and_conclusion([*clause.given, clause.says])
    # The conditions of the family's sizes and tables are on the page of the family already: they are left out.
    tables = (condition for table in family.tables.values() for condition in table.where)
    premises = {show(conjunct) for condition in (*family.sizes.values(), *tables) for conjunct in conjuncts(condition)}
    hypotheses = [text for text in hypotheses if text not in premises]
    # The statement's own names, which are not the family's. A name x of both is the statement's if the text also has
    # g_x, which is then the family's.
    family_names = {*family.sizes, *family.tables, *family.space, "n", "w"}
    own_names = [
        x for x in clause.over if x not in family_names or f"g_{x}" in {*_words(says), *_words(" ".join(hypotheses))}
    ]
    values = {*family.tables, *family.space} - {*own_names}
    about_run = [text for text in hypotheses if RUN.search(text) or values.intersection(_words(text))]
    # Pertinent are the hypotheses about the run, those about names of the conclusion (`needed`), then those about names
    # of pertinent hypotheses, and so on until none is added. All others are `further`.
    needed = {x for text in (*about_run, says) for x in own_names if x in _words(text)}
    pertinent, further = list[str](), list(hypotheses)
    while True:
        remaining = [text for text in further if text not in about_run and not _pertinent(text, own_names, needed)]
        moved = [text for text in further if text not in remaining]
        if not moved:
            break
        pertinent, further = [text for text in hypotheses if text in pertinent or text in moved], remaining
        needed |= {x for text in moved for x in own_names if x in _words(text)}
    # The family's names without g_, as on the page of the family. An own name that the family has too gets a digit.
    used = {*_words(" ".join([*pertinent, says]))}
    pertinent, says, same_tables = _unprefixed(pertinent, says)
    over = [(x, sort) for x, sort in clause.over.items() if x in used and x in own_names and x not in same_tables]
    new_names = _fresh_names([x for x, _ in over if x in _family_names(family)], [*pertinent, says, *further])
    pertinent, further = ([_renamed(text, new_names) for text in texts] for texts in (pertinent, further))
    over = tuple((new_names.get(x, x), sort) for x, sort in over)
    return Theorem((name,), over, tuple(pertinent), _renamed(says, new_names), (), tuple(further))


def _family_names(family: Family) -> set[str]:
    """The names of sizes, tables and coordinates of a family."""
    return {*family.sizes, *family.tables, *family.space}


def _fresh_names(names: Sequence[str], texts: Sequence[str]) -> dict[str, str]:
    """{name: the first of ``name0``, ``name1``, .. that is not in the texts}, for names that the family has too."""
    names_taken = {*_words(" ".join(texts))}
    return {
        name: next(fresh for k in range(len(names_taken) + 1) if (fresh := f"{name}{k}") not in names_taken)
        for name in names
    }


def _renamed(text: str, new_names: Mapping[str, str]) -> str:
    """A text with its own names renamed, and then the family's names of the same text without the g_ before them."""
    renamed_text = re.sub(r"\b[A-Za-z]\w*", lambda word: new_names.get(word[0], word[0]), text)
    return re.sub(rf"\bg_({'|'.join(new_names) or '(?!)'})\b", r"\1", renamed_text)


def _pertinent(hypothesis: str, own_names: Sequence[str], needed: set[str]) -> bool:
    """Whether a hypothesis is about the names `needed`. A definition "NAME = .." of another own name is not."""
    names_in_it = {x for x in own_names if x in _words(hypothesis)}
    defined_names = {m[1] for m in re.finditer(r"\b(\w+)(?:\([\w\s,+*-]*\))? = ", hypothesis)} & {*own_names}
    return not names_in_it or bool(names_in_it & needed and (not defined_names or defined_names & needed))


def _words(text: str) -> list[str]:
    """All names in a text."""
    return re.findall(r"[A-Za-z]\w*", text)


def _hypotheses_and_conclusion(texts: Sequence[str]) -> tuple[list[str], str]:
    """The hypotheses and the conclusion of `texts` (hypotheses, then a formula whose premises become hypotheses)."""
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
    """A clause for each run of the family with its choices: the conclusion after the run, and the hypotheses before it.

    Of the hypotheses, the run itself and n >= 1 are left out. The statement is read as text of the form
    ``all names. hypotheses -> run(family; choices) -> conclusion``, which may be in brackets after other hypotheses.
    """
    # The first option of a choice is the default: a call names only the others.
    defaults = {key: options[0] for key, options in family.choices.items()}

    def chosen(call: re.Match[str]) -> dict[str, str]:
        """The options of a call of the run."""
        return defaults | dict(re.findall(r"(\w+) = (\w+)", call[3]))

    def without_family(call: re.Match[str]) -> str:
        """A call as the page prints it: without the family, so answer(y, i), accept(w), or the bare name."""
        place = call[3].rpartition(";")[2].strip() if call[1] == "answer" else "w" if call[1] == "accept" else ""
        return f"{call[1]}({place})" if place else call[1]

    for call in FAMILY_CALL.finditer(statement):
        if call[1] != "run" or call[2] != family.name or chosen(call) != family.chosen:
            continue
        # The clause begins at `start`, its hypotheses before the run end at `place`, and the run ends at `end`.
        start, end, given = _bracket_end(statement, call.start(), -1), call.end(), list[str]()
        if statement[end : end + 1] == ")" and EQUAL.match(" ".join(statement[start : call.start()].split()) + " "):
            given, end = _parts(statement[start : call.start()]), end + 1
            place, start = start - 1, _bracket_end(statement, start - 1, -1)
        else:
            place = call.start()
        arrow = re.match(r"\s*->\s*", statement[end:])
        if arrow is None:
            continue
        end += arrow.end()
        # Hypotheses around the bracket, before the run, and within the bracket of the run.
        parts = [*_premises_around(statement, start), *_parts(statement[start:place]), *given]
        if any((next_call := FAMILY_CALL.fullmatch(condition)) and next_call[1] == "run" for condition in parts):
            continue  # a statement that compares two runs is listed with its first run
        says = " ".join(statement[end : _bracket_end(statement, end, 1)].split())
        # A second run of the family follows: its values have a prefix, which a hypothesis in words explains.
        while (
            (next_call := FAMILY_CALL.match(says))
            and next_call[1] == "run"
            and (arrow_after := re.match(r"\s*->\s*", says[next_call.end() :]))
        ):
            prefix = next_call[3].rpartition(";")[2].strip()
            choices_text = ", ".join(f"{key} = {value}" for key, value in chosen(next_call).items())
            parts.append(f"{prefix}x is x in a run with {choices_text}")
            says = says[next_call.end() + arrow_after.end() :]
        conditions = [
            condition
            for condition in parts
            if condition and condition != "1 <= n" and FAMILY_CALL.fullmatch(condition) is None
        ]
        if any(map(CUT.search, conditions)):
            continue  # the runs are within a quantifier, such as one over all inputs: this is no theorem about one run
        yield _Clause(
            _quantified(statement[: call.start()], start),
            [FAMILY_CALL.sub(without_family, condition) for condition in conditions],
            FAMILY_CALL.sub(without_family, says),
        )


def _quantified(text: str, start: int) -> dict[str, str]:
    """{name: sort} of the names that are universally quantified around the place `start`, the outermost first."""
    sorts = dict[str, str]()
    while True:
        match = re.match(r"\s*all ([^.]*)\.\s", FAMILY_CALL.sub("", text[start:]))
        pairs = [declared.split(":") for declared in match[1].split(",") if declared.count(":") == 1] if match else []
        sorts = {name.strip(): sort.strip() for name, sort in pairs} | sorts
        if start <= 0:
            return sorts
        start = _bracket_end(text, start - 1, -1)


def _parts(text: str) -> list[str]:
    """The conjuncts and premises of a text after its first quantifier, each on one line."""
    return [" ".join(part.split()) for part in _parted(_body(text))]


def _body(text: str) -> str:
    """A text without the universal quantifier with which it begins."""
    return re.sub(r"^\s*all [^.]*\.\s", "", text)


def _premises_around(text: str, start: int) -> list[str]:
    """The premises of the arrows around the bracket that begins at `start`, the outermost first."""
    hypotheses = list[str]()
    while start > 0:
        outer = _bracket_end(text, start - 1, -1)
        *premises, _ = _parted(_body(text[outer : start - 1]), ("->",))
        hypotheses = [*(part for premise in premises for part in _parts(premise)), *hypotheses]
        start = outer
    return hypotheses


def _bracket_end(text: str, at: int, step: int) -> int:
    """The place after the opening (step -1) or at the closing (step 1) sign of the bracket around the place `at`.

    Without such a bracket it is the start or the end of the text.
    """
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
    """The parts of a text between those of the `signs` that are not in brackets."""
    depth = start = 0
    for sign in re.finditer(r"[(\[)\]]|&|->", text):
        depth += (sign[0] in "([") - (sign[0] in ")]")
        if depth == 0 and sign[0] in signs:
            yield text[start : sign.start()]
            start = sign.end()
    yield text[start:]


def _unprefixed(hypotheses: Sequence[str], says: str) -> tuple[list[str], str, set[str]]:
    """Hypotheses, conclusion, and names of tables that are the family's; names x in place of g_x.

    A hypothesis that only equates tables of the statement with the family's is left out; these tables are returned. A
    name that would then mean two things keeps its g_.
    """
    # A hypothesis that only equates tables is ``all i in 1..n. g_c(i) = c(i)``, perhaps of several tables.
    conditions, same_tables = list[str](), set[str]()
    for condition in hypotheses:
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
    taken = {*re.findall(r"\b(?!g_)[A-Za-z]\w*", text)} - same_tables
    free = [name for name in {*re.findall(r"\bg_(\w+)", text)} if name not in taken]
    prefixed = re.compile(rf"\bg_({'|'.join(free) or '(?!)'})\b")
    return [prefixed.sub(r"\1", condition) for condition in conditions], prefixed.sub(r"\1", says), same_tables


def _normal_form(text: str) -> str:
    """A normal form of a formula, without prefixes g_: bound variables are numbered, so that their names make no
    difference. A text that the grammar does not have is its own normal form."""
    try:
        return show(_numbered(parse_formula(re.sub(r"\bg_(?=\w)", "", text)), {}, 0))
    except BadInput:
        return text


def _numbered(tree: Tree, bound_names: Mapping[str, str], depth: int) -> Tree:
    """The tree with numbered bound variables; `bound_names` has the new names of the variables bound around it, and
    `depth` is their number."""
    tag = tree[0]
    if tag == "name":
        return ("name", bound_names.get(tree[1], tree[1]))
    # A binder renames its variables to b0_, b1_, .., counted from the number of variables bound around it.
    bound = tree[1] if tag == "lambda" else (tree[1],) if tag in ("all", "ex", "all in", "ex in", "sum", "prod") else ()
    new_names = {name: f"b{depth + k}_" for k, name in enumerate(bound)}
    names_inside, depth = {**bound_names, **new_names}, depth + len(bound)
    head = (tag, tuple(new_names.values()) if tag == "lambda" else new_names[tree[1]]) if bound else (tag,)
    parts = list(tree[len(head) :])
    for place, part in enumerate(parts):
        # A subtree; the ends of a range are outside of the scope of its index. A sort ("fun", ..) has no names.
        if isinstance(part, tuple) and part and isinstance(part[0], str) and part[0] != "fun":
            ends = tag in ("all in", "ex in", "sum", "prod") and place < 2
            parts[place] = _numbered(part, bound_names if ends else names_inside, depth)
        elif isinstance(part, tuple) and part and isinstance(part[0], tuple):  # the arguments of a call
            parts[place] = tuple(_numbered(operand, names_inside, depth) for operand in part)
    return (*head, *parts)
