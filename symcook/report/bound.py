"""A bound: the claimed value beside the sharp one, whether it holds, and the proofs for all parameters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from symcook.model.answers import brief
from symcook.report.markup import Display, page, paragraph, table, words
from symcook.report.values import value_latex

if TYPE_CHECKING:
    from symcook.bounds.result import Bound
    from symcook.numbers.balls import Ball

PAD = r"\phantom{:}"
HOLDS = {True: "yes", False: "no", None: "undecided"}


def line(bound: Bound) -> str:
    """Both values and the verdict in a line: the repr."""
    holds = {True: "holds", False: "does not hold", None: "undecided"}[bound.holds]
    if bound.claimed is None:
        return brief(f"<Bound {brief(_title(bound), 50)}: {brief(bound.value.mid, 12)}>")
    value, claimed = (brief(ball.mid, 12) for ball in (bound.value, bound.claimed))
    return brief(f"<Bound {brief(_title(bound), 50)}: {value} against {claimed}, {holds}>")


def _title(bound: Bound) -> str:
    shown = {name: str(v).lower() if isinstance(v, bool) else v for name, v in bound.parameters.items()}
    given = ", ".join(f"{name} = {v}" for name, v in shown.items())
    return f"{bound.kind}: {given}" if given else bound.kind


def _rows(bound: Bound) -> list[tuple[str, str]]:
    """What there is to say, by name; a proof behind the first has no name."""
    checked = (f"{name}: {status}" for name, status in bound.verdicts().items())
    rows = [
        (bound.labels[0], str(bound.value)),
        (bound.labels[1], "" if bound.claimed is None else str(bound.claimed)),
        ("holds", "" if bound.claimed is None else HOLDS[bound.holds]),
        ("attained", f"{'yes' if bound.attained else 'no'}{f', {bound.where}' if bound.where else ''}"),
        *((name, str(value)) for name, value in bound.extra.items()),
        ("source", bound.source),
        *(("proof" if k == 0 else "", line) for k, line in enumerate(checked)),
    ]
    return [(name, text) for name, text in rows if text]


def text(bound: Bound) -> str:
    """Lines for a reader: parameters, both balls, the verdict, where the supremum is reached, and the proofs."""
    rows = [("bound", _title(bound)), *_rows(bound)]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)


def html(bound: Bound) -> str:
    """The same as a table."""
    return page(paragraph(_title(bound), bold=True), table([], _rows(bound), words=True))


def displays(bound: Bound) -> list[Display]:
    """The same, with the balls as numbers."""
    shown = (ball for ball in (bound.value, bound.claimed, *_extra(bound)) if ball is not None)
    balls = {str(ball): value_latex(ball.to_json()) for ball in shown}
    drawn = [(words(name), ":" if name else PAD, balls.get(text) or words(text)) for name, text in _rows(bound)]
    return [Display(_title(bound), tuple(rf"{name} &{colon}\quad {text}" for name, colon, text in drawn))]


def _extra(bound: Bound) -> Iterator[Ball]:
    return (value for value in bound.extra.values() if not isinstance(value, str))
