"""The picture of the page *Concepts*: boxes and arrows from data, each box as wide as its measured text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from symcook import claims

TITLE, LINE = 15, 13
"""The sizes of the two kinds of text, in pixels; docs/pages/static/site.css has them too."""
PAD, STEP, GAP = 14, 17, 42
"""The space beside the text of a box, from line to line, and between two columns."""
BOLD = 1.12
"""How much wider bold text is, at most."""
NARROW, WIDE = "fijlrtI.,:;'|()[] -", "mwMW@%"
"""Characters that are clearly narrower and wider than the others of a sans-serif font."""


class ConceptBox(NamedTuple):
    """A box: its title, its lines, and whether it is the one that all others are about."""

    title: str
    lines: tuple[str, ...]
    strong: bool = False

    @property
    def width(self) -> float:
        """The width that its text needs."""
        return 2 * PAD + max(BOLD * measured(self.title, TITLE), *(measured(line, LINE) for line in self.lines))

    @property
    def height(self) -> int:
        """The height that its text needs."""
        return 42 + STEP * len(self.lines) - 4


def measured(text: str, size: int) -> float:
    """An upper estimate of the width of a text in a sans-serif font of this size."""
    return size * sum(0.36 if c in NARROW else 0.95 if c in WIDE else 0.72 if c.isupper() else 0.62 for c in text)


SOURCES = ConceptBox(
    "Sources",
    ("by hand: Builder", "a recipe or family", "a formula", "a RASP program", "an automaton", "a Turing machine",
     "a torch state dict"),
)  # fmt: skip
MODEL = ConceptBox("Model file", ("named coordinates", "exact weights", "output layer", "alphabet, sha256"), True)
QUESTIONS = (
    ConceptBox("Run", ("run, trace, arrays", "exact, rigorous interval, float")),
    ConceptBox("Change", ("without, patched, with_weights", "an ablation is a model too")),
    ConceptBox("All lengths", ("derive, decide; check up to N", "closed form, automaton, counterexample")),
    ConceptBox("Prove", ("prove --statement", "certificate: kernel, 2nd checker, Coq")),
    ConceptBox("Bound and export", ("bound, margin, hardsoft, export", "rigorous interval, guaranteed length")),
)
PROVE = 3
"""The question that the ledger is about."""


def ledger_box() -> ConceptBox:
    """The box of the ledger, with the number of statements that it has today."""
    count = sum(row.kind != "definition" and row.same is None for row in claims.ledger())
    return ConceptBox("Ledger of four papers", (f"{count} statements,", "each with its status"))


def svg() -> str:
    """The picture: sources, the model file above the ledger, and the questions, in three columns."""
    ledger = ledger_box()
    widths = [SOURCES.width, max(MODEL.width, ledger.width), max(box.width for box in QUESTIONS)]
    lefts = [10.0, 10 + widths[0] + GAP, 10 + widths[0] + widths[1] + 2 * GAP]
    tops = [10 + sum(box.height + 16 for box in QUESTIONS[:k]) for k in range(len(QUESTIONS))]
    bottom = tops[-1] + QUESTIONS[-1].height
    middle = (10 + bottom) / 2 - 40
    placed = [(SOURCES, lefts[0], middle - SOURCES.height / 2, widths[0])]
    placed.append((MODEL, lefts[1], middle - MODEL.height / 2, widths[1]))
    placed += [(box, lefts[2], float(top), widths[2]) for box, top in zip(QUESTIONS, tops, strict=True)]
    placed.append((ledger, lefts[1], bottom - ledger.height, widths[1]))
    ends = [tops[k] + box.height / 2 for k, box in enumerate(QUESTIONS)]
    right, from_model = lefts[1] + widths[1], middle - MODEL.height / 4
    arrows = [_arrow(lefts[0] + widths[0], middle, lefts[1], middle)]
    arrows += [_arrow(right, from_model + k * MODEL.height / 8, lefts[2], end) for k, end in enumerate(ends)]
    arrows.append(_arrow(right, bottom - ledger.height / 2, lefts[2], ends[PROVE] + 12, " dashed"))
    size = f"{lefts[2] + widths[2] + 10:.0f} {bottom + 10:.0f}"
    return "\n".join([_HEAD.format(size), *(_drawn(*one) for one in placed), *arrows, "</svg>"])


_HEAD = """<svg class="concepts" viewBox="0 0 {}" role="img" aria-labelledby="concepts-title" \
xmlns="http://www.w3.org/2000/svg">
<title id="concepts-title">Sources become a model file; five kinds of questions about it have answers</title>
<defs><marker id="concepts-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">\
<path d="M 0 0 L 8 4 L 0 8 z" class="tip"/></marker></defs>"""


def _drawn(box: ConceptBox, left: float, top: float, width: float) -> str:
    """A box with its texts."""
    kind, centre = "strong" if box.strong else "box", left + width / 2
    lines: Sequence[str] = [
        f'<rect x="{left:.0f}" y="{top:.0f}" width="{width:.0f}" height="{box.height}" rx="8" class="{kind}"/>',
        f'<text x="{centre:.0f}" y="{top + 22:.0f}" class="title">{box.title}</text>',
        *(
            f'<text x="{centre:.0f}" y="{top + 42 + STEP * k:.0f}" class="line">{line}</text>'
            for k, line in enumerate(box.lines)
        ),
    ]
    return "\n".join(lines)


def _arrow(x: float, y: float, to_x: float, to_y: float, more: str = "") -> str:
    """An arrow from one box to another."""
    path = f"M {x:.0f} {y:.0f} L {to_x - 2:.0f} {to_y:.0f}"
    return f'<path d="{path}" class="arrow{more}" marker-end="url(#concepts-head)"/>'
