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
"""A ledger statement that says only which strings a stored model accepts, for every length n >= 1.

Group 1 is the name of the model, group 2 the formula that is equivalent to acceptance."""
WholeCommand = Callable[[Sequence[str]], str]
"""Turns options of ``symcook run`` into the whole command."""


def line(check: Check) -> str:
    """The outcome in one line: the repr."""
    return brief(f"<Check {_outcome(check, brief(check.recipe, 40))}>")


def document(
    check: Check, name: str | None = None, command: WholeCommand | None = None, known: Mapping[str, str] | None = None
) -> Document:
    """The outcome in words, with the counterexample: the smallest, unless inputs were random.

    `command` writes the command that replays the counterexample. `known` is what `proved` returned: the theorems in it
    are added.
    """
    first, *lines = _lines(check, name or check.recipe, command)
    for formula in dict.fromkeys((known or {}).values()):
        claims = ", ".join(claim for claim, accepted in (known or {}).items() if accepted == formula)
        lines.append(f"proved for strings of every length: accept <-> {formula} ({claims})")
    return Document(first, [PlainLines(lines)])


def proved(model: Transformer, names: Sequence[str]) -> dict[str, str]:
    """{claim id: formula} for those of the claims `names` that are PROVED and say that `model` accepts a nonempty
    string of any length iff the formula holds."""
    from symcook.claims import ledger
    from symcook.model.modelfile import load, numbered_hash, to_document
    from symcook.proof.replay import library

    formulas: dict[str, str] = {}
    for name in names:
        statement = library().statements.get(name)
        match = statement and _LANGUAGE.fullmatch(" ".join(statement.written.split()))
        if match:
            # The statement must be about this model, with these numbers of tokens: the hashes of both are compared.
            file = library().root / "models" / f"{match[1]}.json"
            if file.is_file() and numbered_hash(to_document(load(file))) == numbered_hash(to_document(model)):
                formulas[name] = match[2]
    proved_ids = {row.id for row in ledger(names=list(formulas)) if row.words == "PROVED"} if formulas else set()
    return {name: formula for name, formula in formulas.items() if name in proved_ids}


def _outcome(check: Check, name: str) -> str:
    """The first line: on how many inputs the two agree or differ."""
    at = check.extent.at_values
    strings, plural = number_text(check.strings), "input" if check.strings == 1 else "inputs"
    if check.holds and not check.strings and check.empty_word == "agrees":
        return f"{name} agrees with {check.against} on the empty string, its only input{at}"
    if check.holds:
        return f"{name} agrees with {check.against} on {strings} {plural} of {strings}{at}"
    if check.differs and not check.mismatches:
        return f"{name} differs from {check.against} on the empty string, and on none of {strings} {plural}{at}"
    if check.differs:
        plural = "input" if check.mismatches == 1 else "inputs"
        return f"{name} differs from {check.against} on {number_text(check.mismatches)} {plural} of {strings}{at}"
    return f"{name} differs from {check.against} on no input whose answer is decided{at}"


def number_text(count: int) -> str:
    """A number of inputs with commas; from 10^24 on its first four digits times a power of ten, without rounding.

    JSON output has all digits.

    >>> number_text(2**40), number_text(2**1001 - 2)
    ('1,099,511,627,776', '2.143*10^301')
    """
    if count < 10**24:
        return grouped(count)
    # The exponent: log10(2) is about 0.30103, so this estimate may be off by a little; the loops correct it.
    digits = (count.bit_length() - 1) * 30103 // 100000
    while 10 ** (digits + 1) <= count:
        digits += 1
    while 10**digits > count:
        digits -= 1
    first = count // 10 ** (digits - 3)
    return f"{first // 1000}.{first % 1000:03}*10^{digits}"


def _lines(check: Check, name: str, command: WholeCommand | None) -> list[str]:
    """The outcome, what was not compared, the method, and the counterexample."""
    # The outcome, and the inputs that do not count in it: undecided, or with a specification that allows any answer.
    lines = [_outcome(check, name)]
    if check.empty_word is not None:
        lines.append(f"the empty string: {check.empty_word}")
    if check.open:
        plural = "input" if check.open == 1 else "inputs"
        lines.append(f"undecided: {number_text(check.open)} {plural} of {number_text(check.strings)}")
    if check.first_open is not None:
        lines.append(f"smallest undecided input: {check.first_open or EMPTY_STRING}")
    if check.free:
        positions = None if check.inputs is None else check.inputs.positions
        left_out = "" if positions in (None, "last") else "no answer counts, or "
        counted = "" if check.empty_word is None else ", the empty string included"
        total = number_text(check.strings + (check.empty_word is not None))
        lines.append(f"{left_out}any answer is right: {number_text(check.free)} inputs of {total}{counted}")
    if check.right_to and check.max_length is not None and not check.holds:
        lines.append(f"right on {check.extent.strings}")
    if check.stopped is not None:
        lines.append(f"hulls stop: {check.stopped}")
    # The method. For a recipe, its stated formulas were evaluated on the same inputs too (`stated`).
    lines.append(f"method: {check.method}")
    if "decided" in check.method:
        lines.append("DECIDED; symcook decide --certificate FILE.json writes its certificate")
    if check.stated:
        to = "" if check.stated_to is None else f" up to length {check.stated_to}"
        agree = "the recipe's two formulas (of the paper, of the weights) agree with the model"
        lines.append(f"{agree} on {grouped(check.stated)} inputs{to} too")
    elif check.stated_to is not None:
        lines.append(f"the recipe's formula covers no string up to length {check.stated_to}, so it was not evaluated")
    # The counterexample. Random inputs are not tried in order of size, so it need not be the smallest.
    first = check.first
    if first is not None:
        lines.append(f"{'' if check.way == 'random' else 'smallest '}counterexample: {first.input or EMPTY_STRING}")
        lines.append(f"the answer must be {_wanted(first.expected)}; the model gives {_answer(first.got)}")
        if command is not None:
            lines.append(f"replay: {command(first.replay)}")
    return lines


def _wanted(value: object) -> str:
    """What the specification answers; None stands for any answer."""
    if isinstance(value, list):
        return "[" + "; ".join(map(_wanted, value)) + "]"
    return "any" if value is None else _answer(value)


def _answer(value: object) -> str:
    """The answer of a model: values by name, a list of answers, or one value."""
    if isinstance(value, dict):
        return ", ".join(f"{name} = {value_text(item)}" for name, item in value.items())
    return "[" + "; ".join(map(_answer, value)) + "]" if isinstance(value, list) else value_text(value)
