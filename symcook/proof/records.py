"""The words of a statement that take the name of a stored model or of a family, in one table with the patterns that
find them; and runs by name, which are replaced by text before the statement is read.

Calls such as ``run(dyck-1)``, ``names(family-max)`` or ``run(rounded-first; u)`` are text that is written out before a
statement is read (`runrel`, `familyrel`, `roundings`). Every reader of statements takes its pattern from here.

``names(NAME)`` in a quantifier is the list of all that the equations of run(NAME) speak of, in their order::

    all n:Int, w:Int->Int, names(dyck-1). F        all n:Int, w:Int->Int, token:Int->Real, balance:Int->Real, .... F

A record is a run with a name of its own, so that a statement may have two runs of one model. It is over the word that
is named behind the model (over w where none is), and reaches to the bracket that closes around it::

    all R:run(dyck-1, v). F        all R_token:Int->Real, R_balance:Int->Real, .... (its equations) -> (F)
    ex R:run(dyck-1, v). F         ex R_token:Int->Real, R_balance:Int->Real, .... (its equations) & (F)

In F, ``R.total(i)`` is the last value of the coordinate total; what the equations call otherwise, as ``R.z1_total``,
has that name. ``accept(R)`` is the readout's condition, ``word(R)`` states that the word is one of the model's. A
record has no other use, so that no text here has two meanings. Standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from symcook.errors import BadInput, unknown
from symcook.model.expr import valid_name

if TYPE_CHECKING:
    from symcook.proof.runrel import Relation

OF_MODELS = ("run", "word", "accept")
"""The words of a stored model that stand in a statement as a formula."""
OF_FAMILIES = (*OF_MODELS, "premises", "answer", "names")
"""The words of a family."""
OF_ROUNDED_RUNS = ("run", "accept", "names")
"""The words of a run that rounds."""
ARITHMETICS = ("rounded", "floats")
"""What the name of a run that rounds begins with, before a hyphen."""

_MODEL = r"[A-Za-z0-9][A-Za-z0-9-]*"
_FAMILY = r"[A-Za-z0-9][\w-]*"
_ARGUMENTS = r"((?:;[^;()]*)*)"


def _one_of(words: tuple[str, ...]) -> str:
    return f"(?:{'|'.join(words)})"


MODEL_CALL = re.compile(rf"\b({_one_of(OF_MODELS)})\(\s*({_MODEL})\s*\)")
"""A word about a stored model: the word, and the name."""
NAMES_CALL = re.compile(rf"\bnames\(\s*(?!family-)({_MODEL})\s*\)")
"""The list of the names of a stored model's run: the name of the model."""
FAMILY_CALL = re.compile(rf"\b({_one_of(OF_FAMILIES)})\(\s*family-({_FAMILY})\s*{_ARGUMENTS}\)", re.ASCII)
"""A word about a family: the word, the name, and the text of the arguments with the semicolons before them."""
ROUNDED_CALL = re.compile(
    rf"\b({_one_of(OF_ROUNDED_RUNS)})\(\s*({_one_of(ARITHMETICS)})-((?:family-)?{_FAMILY})\s*{_ARGUMENTS}\)", re.ASCII
)
"""A word about a run that rounds: the word, the arithmetic, the name of the model or family, and the arguments."""
RECORD = re.compile(rf"\b(all|ex)\s+(\w+)\s*:\s*run\(\s*({_MODEL})\s*(?:,\s*(\w+)\s*)?\)\s*\.")
"""A quantifier over a run with a name: the quantifier, the name, the model, and the string."""
LIST = re.compile(rf"\bnames\(\s*{_FAMILY}\s*{_ARGUMENTS}\)", re.ASCII)
"""Any list of names."""
UNREAD = re.compile(r"\bnames\((?!\s*family-)|:\s*run\(")
"""What is left where a list of names or a named run could not be read."""
NAME = re.compile(
    rf"(?:\b{_one_of(OF_FAMILIES)}\(\s*|\(\s*(?=family-|{_one_of(ARITHMETICS)}-))(?:{_one_of(ARITHMETICS)}-)?((?:family-)?{_MODEL})"
)
"""The name of a model or a family in a call of any of the words."""
WORD = re.compile(rf"\b{_one_of(OF_FAMILIES)}\(")
"""Where a call may begin."""
REWRITTEN = re.compile(rf"\bnames\(|:\s*run\(|\(\s*(?:family|{'|'.join(ARITHMETICS)})-")
"""What is written out even where run(NAME) of a stored model stays, as for readers: lists of names, named runs, words
about families and about runs that round."""


def words_about(text: str, name: str) -> set[str]:
    """The words about the stored model `name` in a text: run, word, accept."""
    return {call[1] for call in MODEL_CALL.finditer(text) if call[2] == name}


_TAKEN = frozenset({"i", "j", "k", "n", "w"})  # names that the equations themselves use


def expand(text: str, relation: Callable[[str], Relation]) -> str:
    """`text` with names and records written out; `relation` gives the run relation of a model by its name.

    Raises BadInput for a list of names outside a quantifier, and a record that is used in another way than by its
    fields, that shares its name, or of which a field is none of the model's.
    """
    while (match := RECORD.search(text)) is not None:
        text = _written(text, match, relation(match[3]))
    for match in NAMES_CALL.finditer(text):
        _listed(text, match)
    text = NAMES_CALL.sub(lambda one: _quantified(relation(one[1]).sorts()), text)
    if (unmatched := UNREAD.search(text)) is not None:
        must = "a run must be named as in all R:run(NAME, w). F, its names as in all names(NAME). F"
        raise BadInput(must, text[unmatched.start() : unmatched.start() + 40])
    return text


def _quantified(sorts: dict[str, str]) -> str:
    return ", ".join(f"{name}:{sort}" for name, sort in sorts.items())


def _listed(text: str, found: re.Match[str]) -> None:
    """BadInput where names(NAME) stands elsewhere than among the names of a quantifier."""
    before = re.search(r"(?:\b(?:all|ex)\s|[\w)],)\s*$", text[: found.start()])
    if before is None or re.match(r"\s*[,.]", text[found.end() :]) is None:
        raise BadInput("names(NAME) must stand in a quantifier, as in all names(NAME). F", found[0])


def _written(text: str, found: re.Match[str], relation: Relation) -> str:
    """`text` with the record of one quantifier written out."""
    kind, record, model, letter = found.groups()
    end = _end(text, found.end())
    before, body, after = text[: found.start()], text[found.end() : end], text[end:]
    sorts: dict[str, str] = relation.sorts()
    # Every name of the equations gets the record's prefix; a field is the last value of a coordinate.
    own = {name: f"{record}_{name}" for name in sorts}
    fields = {**{name: own[name] for name in sorts if name not in relation.model["space"]},
              **{name: own[function] for name, function in relation.held.items()}}  # fmt: skip
    if not valid_name(record) or record in _TAKEN:
        raise BadInput("a run must have a name other than i, j, k, n, w and the words of the language", record)
    if taken := _words(text) & set(own.values()):
        raise BadInput(f"no name may be that of a field of the run {record}", min(taken))
    if letter is not None and relation.embedding["words"] is None:
        raise BadInput("a run over a word must be that of a model with an alphabet", f"run({model}, {letter})")
    renamed = {**own, **({} if letter is None else {"w": letter})}

    def field(one: re.Match[str]) -> str:
        if one[1] not in fields:
            raise unknown("field", f"{record}.{one[1]}", [f"{record}.{name}" for name in fields])
        return fields[one[1]]

    # R.x, accept(R) and word(R) in the formula; then R must occur nowhere else.
    body = re.sub(rf"\b{record}\.(\w+)", field, body)
    for word in ("accept", "word"):
        pattern = re.compile(rf"\b{word}\(\s*{record}\s*\)")
        if pattern.search(body):
            body = pattern.sub(f"({_renamed(getattr(relation, word)(), renamed)})", body)
    if record in _words(before) | _words(body) | _words(after) | {letter}:
        used = f"as {record}.NAME or accept({record})"
        must = f"the run {record} must be used in its quantifier, {used}, and nothing else may have its name"
        raise BadInput(must, found[0])
    # The names, the equations as a premise (all) or a part (ex), and the formula.
    head = f"{kind} {_quantified({own[name]: sort for name, sort in sorts.items()})}"
    joined = "->" if kind == "all" else "&"
    return f"{before}{head}. ({_renamed(relation.run(), renamed)}) {joined} ({body.strip()}){after}"


def _end(text: str, at: int) -> int:
    """Where the formula of a quantifier ends: at the bracket that closes around it, or with the text."""
    depth = 0
    for k in range(at, len(text)):
        depth += (text[k] in "([") - (text[k] in ")]")
        if depth < 0:
            return k
    return len(text)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


def _renamed(text: str, names: dict[str, str]) -> str:
    return re.sub(r"\b[A-Za-z_]\w*", lambda one: names.get(one[0], one[0]), text)
