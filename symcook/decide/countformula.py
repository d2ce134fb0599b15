"""What a model that counts accepts, as a formula of the counts of symbols at the end of a string.

In goes a counter machine; out comes text such as "count(a) > count(b)". The formula is a disjunction of the cases in
which the machine accepts, each a conjunction of comparisons. Left out are cases that are proved impossible, repeated
cases, and conditions that follow from the others of their case.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symcook.decide.counting import Conditions, Counting
from symcook.decide.following import Linear
from symcook.decide.invariants import Programmed, refuted
from symcook.programs.formula import quoted

MOST = 12
"""The greatest number of cases of a formula; a machine with more cases gets no formula."""
CountCase = tuple[tuple[str, Linear], ...]
"""A conjunction of conditions, each ">", ">=" or "=" with a linear form in the counts, which is compared with 0."""


def formula(machine: Counting | Programmed) -> str | None:
    """The formula of the strings that `machine` accepts.

    None where the machine has flags (an answer may then depend on the order of symbols), where an answer is a label or
    is given at each position, or where the formula would have more than `MOST` cases. For a compiled program it is the
    text of the program, None where that is too long.
    """
    if isinstance(machine, Programmed):
        return machine.text
    if machine.raised or not machine.model.decides or machine.model.readout.each:
        return None
    by_last = {last: _accepted(machine, last) for last in machine.cases}
    if sum(map(len, by_last.values())) > MOST:
        return None
    # The same cases for each last symbol: the last symbol does not matter.
    cases_by_letter = list(by_last.values())
    if all(set(cases) == set(cases_by_letter[0]) for cases in cases_by_letter):
        return _either(cases_by_letter[0])
    parts = [f"at({_named(last)}, n) & {_either(cases, True)}" for last, cases in by_last.items() if cases]
    return " | ".join(parts) or "false"


def _accepted(machine: Counting, last: str) -> list[CountCase]:
    """The cases in which a string with this last symbol is accepted, without cases that are proved to be satisfied
    by no counts. `last` is "" where the last symbol does not matter."""
    # Counts are at least 0, and the count of the last symbol is at least 1.
    bounds = [Linear(((token, 1),), -int(token == last)) for token in machine.alphabet]
    accepting = []
    for when, answer in machine.cases[last]:
        case = _case(machine, when)
        if answer is True and refuted([*bounds, *(part for condition in case for part in _holds(*condition))]) is None:
            accepting.append(_shorter(bounds, case))
    return list(dict.fromkeys(accepting))


def _case(machine: Counting, when: Conditions) -> CountCase:
    """Conditions on the machine's forms as conditions on the counts of typed symbols. The tokens that the model adds
    before each input have known counts, which go into the constant."""
    ends = machine.embedding.ends[0]
    case = []
    for kind, number, sign in when:
        form = dict(zip(machine.tokens, machine.forms[number], strict=True))
        parts = tuple(sorted((token, sign * form[token]) for token in machine.alphabet if form[token]))
        case.append((kind, Linear(parts, sign * sum(form[token] for token in ends))))
    return tuple(dict.fromkeys(case))


def _holds(kind: str, value: Linear) -> list[Linear]:
    """A condition on integers as linear forms that must all be at least 0."""
    if kind == "=":
        return [value, value.over(-1)]
    return [value.plus(Linear((), -1)) if kind == ">" else value]


def _shorter(bounds: Sequence[Linear], case: CountCase) -> CountCase:
    """The case without conditions that follow from the others."""
    conditions = list(case)
    for condition in case:
        # A condition follows from the remaining ones where each way to violate it is refuted.
        others = [part for remaining in conditions if remaining != condition for part in _holds(*remaining)]
        negations = [part.over(-1).plus(Linear((), -1)) for part in _holds(*condition)]
        if all(refuted([*bounds, *others, part]) is not None for part in negations):
            conditions.remove(condition)
    return tuple(conditions)


def _either(cases: Sequence[CountCase], inside: bool = False) -> str:
    """A disjunction of cases as text, in brackets if it stands `inside` a conjunction."""
    if not cases:
        return "false"
    texts = [" & ".join(_compared(*condition) for condition in case) or "true" for case in cases]
    text = " | ".join(
        f"({text_of_case})" if len(texts) > 1 and " & " in text_of_case else text_of_case for text_of_case in texts
    )
    return f"({text})" if inside and len(texts) > 1 else text


def _compared(kind: str, value: Linear) -> str:
    """A condition as text: terms with positive coefficients on the left, those with negative ones on the right."""

    def side(sign: int) -> str:
        """The sum of the terms with this sign."""
        terms: list[Any] = [(f"count({_named(str(name))})", sign * weight) for name, weight in value.parts]
        texts = [text if weight == 1 else f"{weight}*{text}" for text, weight in terms if weight > 0]
        if sign * value.constant > 0:
            texts.append(str(sign * value.constant))
        return " + ".join(texts) or "0"

    return f"{side(1)} {kind} {side(-1)}"


def _named(symbol: str) -> str:
    """A symbol as an argument of the formula."""
    return symbol if symbol.isascii() and symbol.isidentifier() else quoted(symbol)
