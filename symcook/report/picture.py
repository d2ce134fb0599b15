"""A traced run as one SVG picture: what each part wrote, position by position, and where each head looked.

Numbers and words stand in it as text, those of the trace; only colours are floats, rounded to two digits, so that the
same run gives the same bytes everywhere.
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
"""For each part its name and the rows that it changed."""
HeatMaps = Sequence[tuple[str, Sequence[Sequence[object]]]]
"""For each head a caption, and for each position that asks a row of weights."""
MOST = {"positions": 24, "rows": 100, "heads": 16}
"""What a picture holds; of more nothing could be read."""

_EDGE, _GAP = 16, 36
_WIDE, _NARROW = 8, 7
"""The width of a letter in the table and in a heat map."""
_HIGH, _SIDE = 26, 20
"""The heights of their squares."""
_LETTERS, _FEW = 9, 5
"""The letters that a square of them shows."""
_HEAD, _CAPTION, _SMALL = 15, 11, 11
_TALL = 370
"""Heat maps may reach so far down even where the stream is shorter."""


class Colours(NamedTuple):
    page: str
    text: str
    quiet: str
    rule: str
    above: str
    below: str
    accept: str
    reject: str


LIGHT = Colours("#ffffff", "#1f2328", "#59636e", "#d1d9e0", "#1f77b4", "#d9730d", "#1a7f37", "#b42318")
DARK = Colours("#0d1117", "#e6edf3", "#9198a1", "#3d444d", "#58a6ff", "#f0883e", "#1f7a37", "#c93c37")


def svg(answer: Run, dark: bool = False) -> str:
    """The picture of a run that kept its trace.

    On the left the residual stream, each row under the part that changed it; what is not repeated stayed. A square is
    shaded by its share of the greatest value of its row, blue above zero and orange below, and framed where the readout
    looks. On the right the attention of each head, a row for each position that asks. Raises BadInput where the run
    kept no trace, or has more positions, rows or heads than `MOST`.
    """
    return _Canvas(DARK if dark else LIGHT).drawn(answer, *parts(answer))


def parts(answer: Run) -> tuple[ChangedRows, HeatMaps]:
    """What a picture shows of a run: rows by the part that changed them, and heads; BadInput as `svg` says."""
    steps = answer.trace
    if not steps:
        raise BadInput("a picture must be of a run with its trace", "none", "run it with trace=True")
    groups, maps = list(_groups(steps)), list(_maps(steps))
    sizes = {"positions": len(answer.result.everywhere), "rows": sum(len(g) for _, g in groups), "heads": len(maps)}
    for what, count in sizes.items():
        if count > MOST[what]:
            raise BadInput(
                f"a picture must have at most {MOST[what]} {what}", count, "run a shorter input, or a smaller model"
            )
    return groups, maps


def positions(answer: Run, most: int) -> list[str]:
    """The token at each position, in at most so many characters; its number where there are none."""
    result = answer.result
    if result.model.embedding.inputs is None:
        return [brief(str(word), most) for word in result.sequence]
    return [str(result.model.embedding.start + k) for k in result.everywhere]


def shares(values: Sequence[object]) -> list[float]:
    """Each value as a share of the greatest of its row, from -1 to 1."""
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
        raise BadInput("the folder for a picture must exist", path.parent, "make it first")
    vacant(path, force)
    return path


def _part(step: dict[str, Any]) -> str:
    return f"layer {step['layer']}, {step['part']}" if step["layer"] else step["part"]


def _groups(steps: Sequence[dict[str, Any]]) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """For each part its name and the rows that it changed."""
    before: dict[str, list[Any]] = {}
    for step in steps:
        now = step["coordinates"]
        rows = {name: values for name, values in now.items() if before.get(name) != values}
        rows |= {name: ["0"] * len(values) for name, values in before.items() if name not in now}  # they became zero
        yield _part(step), rows
        before = now


def _maps(steps: Sequence[dict[str, Any]]) -> Iterator[tuple[str, list[list[Any]]]]:
    """A caption for each head that writes something, and its weights."""
    for step in steps:
        heads = step.get("attention", ())
        for number, weights in enumerate(heads, 1):
            if weights:
                which = f"head {number} of {len(heads)}" if len(heads) > 1 else "where the head looks"
                yield f"{_part(step)}: {which}", weights


class _Canvas:
    """Shapes as they come, and how far they reach."""

    def __init__(self, colours: Colours) -> None:
        self.colours = colours
        self.shapes: list[str] = []
        self.right = self.bottom = 0  # kept by every shape and text

    def drawn(self, answer: Run, groups: ChangedRows, maps: HeatMaps) -> str:
        """The picture as SVG: the residual stream, the answer, and the attention of heads on the right."""
        title = f"{answer.result.model.name} on {answer.given or EMPTY_STRING}"
        # Where the table is wider than the title, maps of heads begin at the top, beside the title.
        self.text(_EDGE, _EDGE + 12, brief(title, 70), bold=True, size=_HEAD)
        titled, self.right = self.right, 0
        top = _EDGE + 30
        words = positions(answer, _LETTERS)
        bottom = max(self.stream(top, answer, groups, words), _TALL)
        start = _EDGE if titled <= self.right else top
        x, y = self.right + _GAP, start
        for caption, weights in maps:  # one under the other, and a new column where the stream ends
            if y > start and y + 36 + _SIDE * len(weights) > bottom:
                x, y = self.right + _GAP, start
            y = self.heat(x, y, caption, weights, words) + 12
        self.right = max(self.right, titled)
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

    def stream(self, top: int, answer: Run, groups: ChangedRows, words: list[str]) -> int:
        """The table of the stream and the answer under it; where it ends."""
        # Columns are as wide as the longest value or token.
        result = answer.result
        names = {name: brief(name, 24) for _, rows in groups for name in rows}
        cell_texts = [cell(value, _LETTERS).text for _, rows in groups for values in rows.values() for value in values]
        width = max([5, *map(len, cell_texts), *map(len, words)]) * _WIDE + 12
        edge = _EDGE + max([8, *map(len, names.values())]) * _WIDE + 12
        for k, word in enumerate(words):
            middle = edge + k * width + width // 2
            self.text(middle, top + 8, str(result.model.embedding.start + k), "middle", self.colours.quiet, _SMALL)
            if result.model.embedding.inputs is None:
                self.text(middle, top + 28, word, "middle", bold=True, size=_HEAD, mono=True)
        # A caption for each sublayer, and under it a row of squares for each coordinate that it changed.
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
        looked = readout.places(len(words))
        for x, name in ((edge + k * width, name) for name in readout.reads if name in last for k in looked):
            self.box(x, last[name], width, _HIGH, f'fill="none" stroke="{self.colours.text}" stroke-width="2"')
        return self.answer(edge, y + 8, answer, edge + width * len(words))

    def answer(self, left: int, y: int, answer: Run, right: int) -> int:
        """What the model answers, and by which rule, broken at about `right`; where it ends."""
        x = left
        if answer.result.model.decides:
            colour = {True: self.colours.accept, False: self.colours.reject, None: self.colours.quiet}[answer.accept]
            width = len(VERDICTS[answer.accept]) * _WIDE + 20
            self.box(left, y, width, _HIGH, f'rx="5" fill="{colour}"')
            self.text(left + width // 2, y + 18, VERDICTS[answer.accept], "middle", "#ffffff", bold=True)
            x += width + 12
        else:
            values = answer.outputs if answer.outputs is not None else answer.output.values()
            answer_text = brief(", ".join(value_text(value) for value in values), 60)
            self.text(left, y + 18, answer_text, bold=True, mono=True)
            x += (len(answer_text) + 1) * _WIDE
        if right - x < 24 * _NARROW:  # below it, since there is no room beside it
            x, y = left, y + _HIGH + 4
        rule = wrap(brief(readout_text(answer.result.model.readout), 200), max(24, (right - x) // 6))
        for k, line in enumerate(rule):
            self.text(x, y + 12 + 15 * k + 6 * (len(rule) == 1), line, colour=self.colours.quiet, size=12)
        return y + max(_HIGH, 15 * len(rule))

    def heat(self, x: int, y: int, caption: str, weights: Sequence[Sequence[object]], words: list[str]) -> int:
        """The attention of a head: from the token on the left to those above; where it ends."""
        self.text(x, y + 10, caption, "start", self.colours.quiet, _CAPTION)
        y, x = y + 34, x + max(map(len, words)) * _NARROW + 8
        rows = [[cell(value, _FEW, shaded=True) for value in row] for row in weights]
        width = max([_SIDE, *(len(shaded.text) * _NARROW + 8 for row in rows for shaded in row)])
        width = max([width, *(len(word) * _NARROW + 4 for word in words)])
        for k, word in enumerate(words):
            self.text(x + k * width + width // 2, y - 5, word, "middle", size=_SMALL, mono=True)
        for word, row in zip(words, rows, strict=True):
            self.text(x - 6, y + 14, word, "end", size=_SMALL, mono=True)
            for k, shaded in enumerate(row):
                self.square(
                    x + k * width, y, width, _SIDE, shaded if shaded.shade else TableCell(""), shaded.shade or 0, _SMALL
                )
            y += _SIDE
        return y

    def square(self, x: int, y: int, width: int, height: int, one: TableCell, share: float, size: int = 13) -> None:
        """A cell with its text in the middle; `share` from -1 to 1 is its colour."""
        covered = round(DARKEST * min(abs(share), 1) ** 0.5, 2)  # a root, so that small values are seen
        colour = self.colours.above if share > 0 else self.colours.below
        fill = f'fill="{colour}" fill-opacity="{covered:g}"' if covered else 'fill="none"'
        self.box(x, y, width, height, f'{fill} stroke="{self.colours.rule}"', one.whole)
        if one.text:
            self.text(x + width // 2, y + height // 2 + size * 2 // 5, one.text, "middle", size=size, mono=True)

    def box(self, x: int, y: int, width: int, height: int, inside: str, title: str = "") -> None:
        """A rectangle, with a title that appears under the pointer."""
        self.right, self.bottom = max(self.right, x + width), max(self.bottom, y + height)
        shape = f'<rect x="{x}" y="{y}" width="{width}" height="{height}" {inside}'
        self.shapes.append(f"{shape}><title>{escape(title)}</title></rect>" if title else f"{shape}/>")

    def text(
        self, x: int, y: int, text: str, anchor: str = "start", colour: str = "", size: int = 13, *,
        bold: bool = False, mono: bool = False,
    ) -> None:  # fmt: skip
        """A text on one line; its width is estimated by the number of its characters."""
        width = len(text) * (_WIDE if mono or bold else _NARROW) * size // 13
        self.right = max(self.right, x + {"start": width, "middle": width // 2, "end": 0}[anchor])
        self.bottom = max(self.bottom, y + 6)
        style = ' class="m"' * mono + ' font-weight="600"' * bold
        style += f' text-anchor="{anchor}"' if anchor != "start" else ""
        escaped = escape(text)
        self.shapes.append(
            f'<text x="{x}" y="{y}" fill="{colour or self.colours.text}" font-size="{size}"{style}>{escaped}</text>'
        )
