"""A traced run as matplotlib figures: the pictures of `symcook.report.picture`, which can be changed for a paper.

Each value is text in its cell, exact if it is short; only colours are floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from symcook.errors import BadInput
from symcook.model.answers import EMPTY_STRING, brief
from symcook.report.document import VERDICTS, cell, value_text
from symcook.report.figure import sheet
from symcook.report.markup import DARKEST, TableCell
from symcook.report.picture import LIGHT, parts, positions, shares

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from symcook.run import Run

_LETTERS = 9
"""The greatest number of characters in a cell; of a longer value it shows the first digits."""
_HIGH, _LETTER = 0.3, 0.085
"""The height of a cell, and the width of a character, in inches."""
_ACROSS = 3
"""The greatest number of heads side by side."""


def plot(answer: Run) -> Figure:
    """The residual stream: a column for each position, and under each sublayer a row for each coordinate it changed."""
    groups, _ = parts(answer)
    tokens, model = positions(answer, _LETTERS), answer.result.model
    # The size of the figure: a line for each coordinate and each caption, and three for title and tokens.
    cells = [[cell(value, _LETTERS) for value in row] for _, rows in groups for row in rows.values()]
    names = [brief(name, 24) for _, rows in groups for name in rows]
    width = _cell_width(tokens, cells)
    height = (sum(len(rows) + 1 for _, rows in groups) + 3) * _HIGH
    figure = sheet((max(3, width * len(tokens) + _LETTER * max(8, *map(len, names)) + 0.5), height))
    axes = figure.subplots()
    # The caption of each sublayer, and under it the coordinates that it changed; `last` has the row of a coordinate
    # where it was drawn last.
    ticks, y = [], 0
    read_positions = model.readout.places(len(tokens))
    last: dict[str, int] = {}
    for part, rows in groups:
        caption = part if rows else f"{part}: changes nothing"
        axes.text(-0.5, y, caption, va="center", color=LIGHT.quiet, fontsize=9, parse_math=False)
        for name, values in rows.items():
            y += 1
            for k, (value, share) in enumerate(zip(values, shares(values), strict=True)):
                _draw_cell(axes, k, y, cell(value, _LETTERS), share)
            ticks.append(y)
            last[name] = y
        y += 1
    # A frame around the values that the output layer reads.
    for name in model.readout.reads:
        for k in read_positions if name in last else ():
            _draw_frame(axes, k, last[name], fill=False, edgecolor=LIGHT.text, linewidth=1.8, zorder=3)
    _label_axes(axes, len(tokens), (-0.5, y - 0.5), tokens, (ticks, names))
    values = answer.outputs_shown if answer.outputs_shown is not None else answer.output.values()
    answer_text = VERDICTS[answer.accept] if model.decides else brief(", ".join(map(value_text, values)), 60)
    title = f"{model.name} on {answer.given or EMPTY_STRING}: {answer_text}"
    figure.suptitle(brief(title, 70), fontsize=11, parse_math=False)
    return figure


def attention(answer: Run) -> Figure:
    """The attention weights of each head that writes something, from the tokens on the left to those above."""
    _, maps = parts(answer)
    if not maps:
        raise BadInput(
            "a picture of attention must be of a model with a head that writes something",
            answer.result.model.name,
            "call plot(), which draws the residual stream",
        )
    tokens = positions(answer, _LETTERS)
    captioned_cells = [(caption, [[cell(weight, _LETTERS, shaded=True) for weight in row] for row in rows])
             for caption, rows in maps]  # fmt: skip
    side = _cell_width(tokens, [row for _, rows in captioned_cells for row in rows]) * len(tokens) + 0.7
    across = min(_ACROSS, len(maps))
    down = -(-len(maps) // across)
    # A grid of plots, one for each head; what is left of the last row is empty.
    figure = sheet((max(side, 3) * across, (_HIGH * (len(tokens) + 1) + 0.7) * down))
    for index, axes in enumerate(figure.subplots(down, across, squeeze=False).flat):
        if index >= len(maps):
            axes.set_axis_off()
            continue
        caption, rows = captioned_cells[index]
        for y, row in enumerate(rows):
            for k, shaded in enumerate(row):
                _draw_cell(axes, k, y, shaded if shaded.shade else TableCell(""), shaded.shade or 0)
        _label_axes(axes, len(tokens), (-0.5, len(tokens) - 0.5), tokens, (range(len(tokens)), tokens))
        axes.set_title(caption, fontsize=10, parse_math=False)
    return figure


def _cell_width(tokens: Sequence[str], rows: Sequence[Sequence[TableCell]]) -> float:
    """The width, in inches, of a cell that has room for each of the texts."""
    longest = max([3, *map(len, tokens), *(len(shaded.text) for row in rows for shaded in row)])
    return _LETTER * (longest + 1.5)


def _label_axes(
    axes: Axes, count: int, ends: tuple[float, float], tokens: Sequence[str], rows: tuple[Sequence[int], Sequence[str]]
) -> None:
    """Puts tokens above and names of rows on the left, and removes all lines except the borders of cells.

    `ends` are the upper and lower end of the rows; `rows` are their heights and names.
    """
    axes.set(xlim=(-0.53, count - 0.47), ylim=(ends[1] + 0.05, ends[0] - 0.05))
    axes.xaxis.tick_top()
    axes.set_xticks(range(count), tokens, parse_math=False)
    axes.set_yticks(*rows, parse_math=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)


def _draw_cell(axes: Axes, x: int, y: int, table_cell: TableCell, share: float) -> None:
    """Draws a value in its cell; `share`, from -1 to 1, gives its colour."""
    colour = LIGHT.above if share > 0 else LIGHT.below
    shade = round(DARKEST * min(abs(share), 1) ** 0.5, 2)  # a root, so that small values are seen
    _draw_frame(axes, x, y, facecolor=(colour, shade), edgecolor=LIGHT.rule, linewidth=0.8)
    axes.text(x, y, table_cell.text, ha="center", va="center", fontsize=8.5, parse_math=False)


def _draw_frame(axes: Axes, x: int, y: int, **style: Any) -> None:
    """Draws the outline of a cell."""
    from matplotlib.patches import Rectangle

    axes.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, **style))
