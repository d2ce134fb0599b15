"""Hard attention replaced by softmax: the heads, the score gap, the constants, and the temperatures by length."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from symcook.bounds.arguments import written
from symcook.model.answers import brief
from symcook.model.extent import Extent
from symcook.present import present
from symcook.report.document import Document, PlainLines, Table

if TYPE_CHECKING:
    from symcook.bounds.hardsoft import Decided, HardSoft, SoftLength


def line(answer: HardSoft) -> str:
    """The gap gamma(n) and the status in one line: the repr."""
    return brief(f"<HardSoft {answer.name}: gamma(n) = {answer.gamma or 'none'}, {answer.status}>")


def document(answer: HardSoft) -> Document:
    """The answer in tables; if the scores of a head are closer than gamma, the string on which they are."""
    heads = [[head.head, head.word or "none", head.untied or "as they are"] for head in answer.heads]
    parts: list[PlainLines | Table] = [Table(heads, ["head", "first tie at", "scores"])]
    title = f"{answer.name} with softmax in place of hard attention: {_status(answer)}{answer.extent.at_values}"
    # No answer: the scores of a head are closer than gamma at some string.
    if answer.fails is not None:
        failure = answer.fails
        gap = f"the gap {written(failure.least)} of {failure.head} at the string {failure.word}"
        why = f"gamma = {answer.gamma} is more than {gap}"
        return Document(title, [*parts, PlainLines([f"{why}, n = {failure.n}"])])
    gamma, x_max, *h_max = (size or "none" for size in (answer.gamma, answer.x_max, *answer.h_max))
    parts.append(PlainLines([f"gamma(n) = {gamma}, x_max(n) = {x_max}, h_max by layer: {', '.join(h_max)}"]))
    parts.append(Table([[name, value] for name, value in answer.constants.items()], ["constant", "value"]))
    # For each length: gamma, the temperature of Theorem 26, the temperature by the constants of the layers, the largest
    # temperature that works, and the error with the string where it is largest.
    rows = [
        [str(row.n), *map(_shown, (row.gamma, row.tau_theorem, row.tau_layers)),
         _needed(row), row.error.mid, row.word]
        for row in answer.rows
    ]  # fmt: skip
    header = ["n", "gamma", "tau, Theorem 26", "tau by layer", "tau needed", "error at tau by layer", "string"]
    parts.append(Table(rows, header))
    if answer.decides is not None:
        parts.append(PlainLines([_decided_text(answer.decides)]))
    return Document(title, parts)


def _status(answer: HardSoft) -> str:
    """The status in words, with the strings of a language that were run."""
    status, checked = answer.status, answer.status.removeprefix("CHECKED ")
    restricted = answer.inputs is not None and answer.inputs.restricted
    if checked == status:
        return status + f", on {present(answer.inputs).says}" * restricted
    strings = present(answer.inputs).says if restricted else Extent(shortest=1, longest=int(checked)).strings
    return f"checked on {strings} ({status})"


def write(answer: HardSoft, targets: Sequence[Path], force: bool) -> Sequence[Path]:
    """Write the softmax model, if there is one, to each target; return the files written."""
    from symcook.model.modelfile import save

    return [] if answer.soft is None else [save(answer.soft, target, force=force) for target in targets]


def _decided_text(decided: Decided) -> str:
    """The logits of the hard model, and whether the softmax model decides all strings alike."""
    rejected, accepted = (None if x is None else _shown(x) for x in (decided.rejected, decided.accepted))
    if accepted is None:
        logits = f"the hard model rejects all these strings, with logits up to {rejected}"
    elif rejected is None:
        logits = f"the hard model accepts all these strings, with logits from {accepted}"
    else:
        logits = f"the hard model rejects with logits up to {rejected} and accepts from {accepted}"
    if decided.alike:
        return f"{logits}; the soft one, with its threshold at {_shown(decided.threshold)}, decides all of them alike"
    return f"{logits}; the error may be larger than their distance, so the decisions may differ: give a smaller --error"


def _needed(row: SoftLength) -> str:
    """The needed temperature; "any" only where it is proved that every temperature is low enough."""
    if row.tau_needed is not None:
        return row.tau_needed.mid
    return "any" if row.tau_layers is None else "no limit found"


def _shown(value: Fraction | None) -> str:
    """A number, in decimals if its denominator is long; "any" for None."""
    return "any" if value is None else written(value) if value.denominator < 10**4 else f"{float(value):.4g}"
