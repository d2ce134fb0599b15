"""A check: how many inputs were compared, and the smallest one on which model and reference differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from symcook.model.answers import EMPTY_STRING, brief, grouped
from symcook.report.document import Document, PlainLines, value_text

if TYPE_CHECKING:
    from symcook.model.transformer import Transformer
    from symcook.verify.findings import Check

_LANGUAGE = re.compile(
    r"all n:Int, w:Int->Int, names\((.+)\)\. 1 <= n -> word\(\1\) -> run\(\1\) -> "
    r"\(accept\(\1\) <-> ([^()]*(\([^()]*\)[^()]*)*)\)"
)
"""A statement of what a stored model accepts, for every n and every word, and nothing else."""
WholeCommand = Callable[[Sequence[str]], str]
"""From options of ``symcook run`` to the whole command."""


def line(found: Check) -> str:
    """The outcome in a line: the repr."""
    return brief(f"<Check {_outcome(found, brief(found.recipe, 40))}>")


def document(
    found: Check, name: str | None = None, command: WholeCommand | None = None, known: Mapping[str, str] | None = None
) -> Document:
    """The outcome in words, with the smallest counterexample; with `command` also how to replay it, and with `known`
    what `proved` gives."""
    first, *lines = _lines(found, name or found.recipe, command)
    for formula in dict.fromkeys((known or {}).values()):
        claims = ", ".join(claim for claim, accepted in (known or {}).items() if accepted == formula)
        lines.append(f"proved for strings of every length: accept <-> {formula} ({claims})")
    return Document(first, [PlainLines(lines)])


def proved(model: Transformer, names: Sequence[str]) -> dict[str, str]:
    """Out of these claims those that are PROVED and say, of this very model and for words of every length, what it
    accepts: {id: the formula}."""
    from symcook.claims import ledger
    from symcook.model.modelfile import load, model_hash
    from symcook.proof.replay import library

    formulas: dict[str, str] = {}
    for name in names:
        statement = library().statements.get(name)
        match = statement and _LANGUAGE.fullmatch(" ".join(statement.written.split()))
        if match:
            file = library().root / "models" / f"{match[1]}.json"
            if file.is_file() and model_hash(load(file)) == model_hash(model):
                formulas[name] = match[2]
    sure = {row.id for row in ledger(names=list(formulas)) if row.words == "PROVED"} if formulas else set()
    return {name: formula for name, formula in formulas.items() if name in sure}


def _outcome(found: Check, name: str) -> str:
    """The first line: on how many inputs the two agree or differ."""
    strings, plural = number_text(found.strings), "input" if found.strings == 1 else "inputs"
    if found.holds and not found.strings and found.empty_word == "agrees":
        return f"{name} agrees with {found.against} on the empty string, its only input"
    if found.holds:
        return f"{name} agrees with {found.against} on {strings} {plural} of {strings}"
    if found.differs:
        plural = "input" if found.mismatches == 1 else "inputs"
        return f"{name} differs from {found.against} on {number_text(found.mismatches)} {plural} of {strings}"
    return f"{name} differs from {found.against} on no input whose answer is decided"


def number_text(count: int) -> str:
    """A number of inputs; of many digits the first few, cut off, which JSON has all.

    >>> number_text(2**40), number_text(2**1001 - 2)
    ('1,099,511,627,776', '2.143*10^301')
    """
    if count < 10**24:
        return grouped(count)
    digits = (count.bit_length() - 1) * 30103 // 100000  # one too few at most, for numbers that are not too long
    while 10 ** (digits + 1) <= count:
        digits += 1
    while 10**digits > count:
        digits -= 1
    first = count // 10 ** (digits - 3)
    return f"{first // 1000}.{first % 1000:03}*10^{digits}"


def _lines(found: Check, name: str, command: WholeCommand | None) -> list[str]:
    """The outcome, what was not compared, the method, and the counterexample."""
    # The outcome, and the inputs that do not count in it: undecided, or with a specification that allows any answer.
    lines = [_outcome(found, name)]
    if found.empty_word is not None:
        lines.append(f"the empty string: {found.empty_word}")
    if found.open:
        plural = "input" if found.open == 1 else "inputs"
        lines.append(f"undecided: {number_text(found.open)} {plural} of {number_text(found.strings)}")
    if found.first_open is not None:
        lines.append(f"smallest undecided input: {found.first_open or EMPTY_STRING}")
    if found.free:
        positions = None if found.inputs is None else found.inputs.positions
        left_out = "" if positions in (None, "last") else "no answer counts, or "
        lines.append(f"{left_out}any answer will do: {number_text(found.free)} of them")
    # How it was found; of a recipe its formulas are evaluated on the same inputs too.
    lines.append(f"method: {found.method}")
    if "decided" in found.method:
        lines.append("DECIDED; symcook decide --certificate FILE.json writes its certificate")
    if found.stated:
        to = "" if found.stated_to is None else f" up to length {found.stated_to}"
        lines.append(
            f"its formula, and what it says the weights compute, agree on {grouped(found.stated)} inputs{to} too"
        )
    elif found.stated_to is not None:
        lines.append(f"its formula is about no string up to length {found.stated_to}, and was not evaluated")
    # The counterexample; random inputs are not tried in order, so that it need not be the smallest.
    first = found.counterexample
    if first is not None:
        lines.append(f"{'' if found.way == 'random' else 'smallest '}counterexample: {first.input or EMPTY_STRING}")
        lines.append(f"the answer must be {_wanted(first.expected)}; the model gives {_answer(first.got)}")
        if command is not None:
            lines.append(f"replay: {command(first.replay)}")
    return lines


def _wanted(value: object) -> str:
    """What the specification answers, where None is any answer."""
    several = isinstance(value, list)
    return "[" + "; ".join(map(_wanted, value)) + "]" if several else "any" if value is None else _answer(value)


def _answer(value: object) -> str:
    """The answer of a model: values by name, a list of answers, or one value."""
    if isinstance(value, dict):
        return ", ".join(f"{name} = {value_text(item)}" for name, item in value.items())
    return "[" + "; ".join(map(_answer, value)) + "]" if isinstance(value, list) else value_text(value)
