"""A traced run as one SVG picture: the coordinates that each sublayer changed, by position, and the attention weights
of each head.

Numbers and tokens are texts of the trace. Only colours are computed with floats, rounded to two digits, so that a run
gives the same bytes everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from symcook.errors import BadInput
from symcook.files import vacant
from symcook.model.answers import EMPTY_STRING, brief
from symcook.report.document import VERDICTS, cell, near, value_text
from symcook.report.markup import DARKEST, TableCell
from symcook.report.model import readout_text

if TYPE_CHECKING:
    from symcook.run import Run

ChangedRows = Sequence[tuple[str, Mapping[str, Sequence[object]]]]
"""For each sublayer its name and {coordinate: values by position} of the coordinates that it changed."""
HeatMaps = Sequence[tuple[str, Sequence[Sequence[object]]]]
"""For each head a caption and its weights: a row for each query position."""
MOST = {"positions": 24, "rows": 100, "heads": 16}
"""The greatest picture that is drawn: a larger one could not be read."""

# Lengths are in pixels.
_EDGE, _GAP = 16, 36
"""The margin of the picture, and the space between the table and the heat maps."""
_WIDE, _NARROW = 8, 7
"""The width of a character in the table and in a heat map."""
_HIGH, _SIDE = 26, 20
"""The height of a cell of the table and of a heat map."""
_LETTERS, _FEW = 9, 5
"""The greatest number of characters in a cell of the table and of a heat map."""
_HEAD, _CAPTION, _SMALL = 15, 11, 11
"""Font sizes: of the title, of captions, and in heat maps."""
_TALL = 370
"""Heat maps may extend down to here, even if the table is shorter."""


class Colours(NamedTuple):
    """The colours of a picture, as #rrggbb."""

    page: str
    text: str
    quiet: str
    """Text of captions."""
    rule: str
    """Borders of cells."""
    above: str
    """The shade of positive values."""
    below: str
    """The shade of negative values."""
    accept: str
    reject: str


LIGHT = Colours("#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#1f77b4", "#d9730d", "#1a7f37", "#b42318")
DARK = Colours("#0d1117", "#e6edf3", "#9198a1", "#3d444d", "#58a6ff", "#f0883e", "#1f7a37", "#c93c37")


def svg(answer: Run, dark: bool = False) -> str:
    """The picture of a run that kept its trace.

    On the left is the residual stream: under each sublayer the rows of coordinates that it changed. A cell is shaded
    by its share of the largest absolute value of its row, blue for positive and orange for negative values. A frame
    marks the cells that the readout reads. On the right are the attention weights of each head, with a row for each
    query position. Raises BadInput if the run has no trace, or more positions, rows or heads than `MOST`.
    """
    return _Canvas(DARK if dark else LIGHT).drawn(answer, *parts(answer))


def parts(answer: Run) -> tuple[ChangedRows, HeatMaps]:
    """The content of the picture of a run: rows by the sublayer that changed them, and heads. Raises as `svg` does."""
    steps = answer.trace
    if not steps:
        raise BadInput("only a run with its trace can be drawn", "none", "run it with trace=True")
    groups, maps = list(_changed_rows(steps)), list(_heat_maps(steps))
    sizes = {"positions": len(answer.result.everywhere), "rows": sum(len(g) for _, g in groups), "heads": len(maps)}
    for what, count in sizes.items():
        if count > MOST[what]:
            raise BadInput(
                f"a picture must have at most {MOST[what]} {what}", count, "run a shorter input, or a smaller model"
            )
    return groups, maps


def positions(answer: Run, most: int) -> list[str]:
    """The token at each position, cut to `most` characters; the number of the position if the inputs are real."""
    result = answer.result
    if result.model.embedding.inputs is None:
        return [brief(str(word), most) for word in result.sequence]
    return [str(result.model.embedding.start + k) for k in result.everywhere]


def shares(values: Sequence[object]) -> list[float]:
    """Each value of a row divided by the largest absolute value of the row: from -1 to 1."""
    sizes = [near(value) or 0.0 for value in values]
    most = max(map(abs, sizes)) or 1.0
    return [size / most for size in sizes]


def target(place: str, force: bool) -> Path:
    """The file that a picture is written to; BadInput for a name without .svg, and where it cannot be written."""
    path = Path(place)
    if path.suffix != ".svg":
        raise BadInput(
            "a picture must be written to a name that ends in .svg", place, "give for example --svg trace.svg"
        )
    if not path.parent.is_dir():
        raise BadInput("the folder for a picture must exist", path.parent, "make this folder first")
    vacant(path, force)
    return path


def _part(step: dict[str, Any]) -> str:
    """The name of the sublayer of a step of the trace, with its layer."""
    return f"layer {step['layer']}, {step['part']}" if step["layer"] else step["part"]


def _changed_rows(steps: Sequence[dict[str, Any]]) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """For each step of the trace the name of its sublayer and the rows that it changed."""
    before: dict[str, list[Any]] = {}
    for step in steps:
        now = step["coordinates"]
        rows = {name: values for name, values in now.items() if before.get(name) != values}
        # A trace leaves out coordinates that are zero: a coordinate that is gone has become zero.
        rows |= {name: ["0"] * len(values) for name, values in before.items() if name not in now}
        yield _part(step), rows
        before = now


def _heat_maps(steps: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[list[Any]]]]:
    """A caption for each head that writes something, and its weights."""
    for step in steps:
        heads = step.get("attention", ())
        for number, weights in enumerate(heads, 1):
            if weights:
                which = f"head {number} of {len(heads)}" if len(heads) > 1 else "where the head looks"
                yield f"{_part(step)}: {which}", weights


class _Canvas:
    """The shapes of a picture in the order of drawing, and the extent of the picture so far."""

    def __init__(self, colours: Colours) -> None:
        self.colours = colours
        self.shapes: list[str] = []
        self.right = self.bottom = 0  # every shape and text updates these

    def drawn(self, answer: Run, groups: ChangedRows, maps: HeatMaps) -> str:
        """The picture as SVG: the residual stream, the answer, and the attention of heads on the right."""
        title = f"{answer.result.model.name} on {answer.given or EMPTY_STRING}"
        # If the table is wider than the title, heat maps begin at the top, next to the title.
        self.text(_EDGE, _EDGE + 12, brief(title, 70), bold=True, size=_HEAD)
        title_end, self.right = self.right, 0
        top = _EDGE + 30
        tokens = positions(answer, _LETTERS)
        bottom = max(self.stream(top, answer, groups, tokens), _TALL)
        start = _EDGE if title_end <= self.right else top
        x, y = self.right + _GAP, start
        for caption, weights in maps:  # one under the other; a new column where one would extend below the table
            if y > start and y + 36 + _SIDE * len(weights) > bottom:
                x, y = self.right + _GAP, start
            y = self.heat(x, y, caption, weights, tokens) + 12
        self.right = max(self.right, title_end)
        width, height = self.right + _EDGE, self.bottom + _EDGE
        mono = "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace"
        frame = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img"'
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" {frame} font-family="system-ui,Helvetica,Arial,sans-serif">',
                f"<title>{escape(title)}</title>",
                f"<style>.m{{{mono}}}</style>",
                f'<rect width="{width}" height="{height}" rx="6" fill="{self.colours.page}"/>',
                *self.shapes,
                "</svg>\n",
            ]
        )

    def stream(self, top: int, answer: Run, groups: ChangedRows, tokens: list[str]) -> int:
        """Draw the table of the residual stream and the answer under it; return the lower end of both."""
        # Columns are as wide as the longest value or token.
        result = answer.result
        names = {name: brief(name, 24) for _, rows in groups for name in rows}
        cell_texts = [cell(value, _LETTERS).text for _, rows in groups for values in rows.values() for value in values]
        width = max([5, *map(len, cell_texts), *map(len, tokens)]) * _WIDE + 12
        edge = _EDGE + max([8, *map(len, names.values())]) * _WIDE + 12
        for k, token in enumerate(tokens):
            middle = edge + k * width + width // 2
            self.text(middle, top + 8, str(result.model.embedding.start + k), "middle", self.colours.quiet, _SMALL)
            if result.model.embedding.inputs is None:
                self.text(middle, top + 28, token, "middle", bold=True, size=_HEAD, mono=True)
        # A caption for each sublayer, and under it a row of cells for each coordinate that it changed. `last` has the
        # height at which a coordinate was drawn last.
        y, last = top + 36, {}
        for part, rows in groups:
            caption = part if rows else f"{part}: changes nothing"
            self.text(edge, y + 12, caption, "start", self.colours.quiet, _CAPTION)
            y += 18
            for name, values in rows.items():
                self.text(edge - 12, y + 18, names[name], "end", mono=True)
                for k, (value, share) in enumerate(zip(values, shares(values), strict=True)):
                    self.square(edge + k * width, y, width, _HIGH, cell(value, _LETTERS), share)
                last[name] = y
                y += _HIGH
            y += 6
        # A frame around the values that the output layer reads, where the coordinate was drawn last.
        readout = result.model.readout
        read_positions = readout.places(len(tokens))
        for x, name in ((edge + k * width, name) for name in readout.reads if name in last for k in read_positions):
            self.box(x, last[name], width, _HIGH, f'fill="none" stroke="{self.colours.text}" stroke-width="2"')
        return self.answer(edge, y + 8, answer, edge + width * len(tokens))

    def answer(self, left: int, y: int, answer: Run, right: int) -> int:
        """Draw the answer of the model and its rule, wrapped at about `right`; return the lower end."""
        x = left
        if answer.result.model.decides:
            colour = {True: self.colours.accept, False: self.colours.reject, None: self.colours.quiet}[answer.accept]
            width = len(VERDICTS[answer.accept]) * _WIDE + 20
            self.box(left, y, width, _HIGH, f'rx="5" fill="{colour}"')
            self.text(left + width // 2, y + 18, VERDICTS[answer.accept], "middle", "#ffffff", bold=True)
            x += width + 12
        else:
            values = answer.outputs_shown if answer.outputs_shown is not None else answer.output.values()
            answer_text = brief(", ".join(value_text(value) for value in values), 60)
            self.text(left, y + 18, answer_text, bold=True, mono=True)
            x += (len(answer_text) + 1) * _WIDE
        if right - x < 24 * _NARROW:  # not enough space next to the answer: the rule goes under it
            x, y = left, y + _HIGH + 4
        rule = wrap(brief(readout_text(answer.result.model.readout), 200), max(24, (right - x) // 6))
        for k, line in enumerate(rule):
            self.text(x, y + 12 + 15 * k + 6 * (len(rule) == 1), line, colour=self.colours.quiet, size=12)
        return y + max(_HIGH, 15 * len(rule))

    def heat(self, x: int, y: int, caption: str, weights: Sequence[Sequence[object]], tokens: list[str]) -> int:
        """Draw the attention weights of a head, from the tokens on the left to those above; return the lower end."""
        self.text(x, y + 10, caption, "start", self.colours.quiet, _CAPTION)
        y, x = y + 34, x + max(map(len, tokens)) * _NARROW + 8
        rows = [[cell(value, _FEW, shaded=True) for value in row] for row in weights]
        width = max([_SIDE, *(len(shaded.text) * _NARROW + 8 for row in rows for shaded in row)])
        width = max([width, *(len(token) * _NARROW + 4 for token in tokens)])
        for k, token in enumerate(tokens):
            self.text(x + k * width + width // 2, y - 5, token, "middle", size=_SMALL, mono=True)
        for token, row in zip(tokens, rows, strict=True):
            self.text(x - 6, y + 14, token, "end", size=_SMALL, mono=True)
            for k, shaded in enumerate(row):
                self.square(
                    x + k * width, y, width, _SIDE, shaded if shaded.shade else TableCell(""), shaded.shade or 0, _SMALL
                )
            y += _SIDE
        return y

    def square(
        self, x: int, y: int, width: int, height: int, table_cell: TableCell, share: float, size: int = 13
    ) -> None:
        """Draw a cell with its text in the middle; `share`, from -1 to 1, gives its colour."""
        opacity = round(DARKEST * min(abs(share), 1) ** 0.5, 2)  # a root, so that small values are seen
        colour = self.colours.above if share > 0 else self.colours.below
        fill = f'fill="{colour}" fill-opacity="{opacity:g}"' if opacity else 'fill="none"'
        self.box(x, y, width, height, f'{fill} stroke="{self.colours.rule}"', table_cell.whole)
        if table_cell.text:
            self.text(x + width // 2, y + height // 2 + size * 2 // 5, table_cell.text, "middle", size=size, mono=True)

    def box(self, x: int, y: int, width: int, height: int, inside: str, title: str = "") -> None:
        """Draw a rectangle; the pointer shows its title."""
        self.right, self.bottom = max(self.right, x + width), max(self.bottom, y + height)
        shape = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" {inside}'
        self.shapes.append(f"{shape}><title>{escape(title)}</title></rect>" if title else f"{shape}/>")

    def text(
        self, x: int, y: int, text: str, anchor: str = "start", colour: str = "", size: int = 13, *,
        bold: bool = False, mono: bool = False,
    ) -> None:  # fmt: skip
        """Draw a text on one line; its width is estimated by the number of its characters."""
        width = len(text) * (_WIDE if mono or bold else _NARROW) * size // 13
        self.right = max(self.right, x + {"start": width, "middle": width // 2, "end": 0}[anchor])
        self.bottom = max(self.bottom, y + 6)
        style = ' class="m"' * mono + ' font-weight="600"' * bold
        style += f' text-anchor="{anchor}"' if anchor != "start" else ""
        escaped = escape(text)
        self.shapes.append(
            f'<text x="{x}" y="{y}" fill="{colour or self.colours.text}" font-size="{size}"{style}>{escaped}</text>'
        )
