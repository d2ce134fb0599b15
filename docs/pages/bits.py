"""The picture of the tutorial *How many bits does a transformer need?*: bits against length."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import log2
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from docutils.parsers.rst import Directive

PAGE = Path(__file__).resolve().parent.parent / "tutorials" / "bits.md"
WIDTH, HEIGHT = 760, 492
LEFT, RIGHT, TOP, BOTTOM = 56, 700, 16, 420
MOST_LOG, MOST_BITS = 32, 64
"""The greatest length is 2^32."""
FORMATS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}
_ROW = re.compile(r"^ +(\d+) +([\d,]+) +([\d,]+) +([\d,]+) +([\d,]+)$", re.MULTILINE)
_DYCK = re.compile(r"^(\d+) bits: wrong at length (\d+)$", re.MULTILINE)


class Curve(NamedTuple):
    """A construction: by the logarithm of the length the bits that are proved to be enough, those at which it is proved
    to fail (factor and summand, None if there is no theorem), and what was measured: (bits, length)."""

    name: str
    shade: str
    enough: tuple[float, float]
    fails: tuple[float, float] | None
    measured: list[tuple[int, int]]


def curves(page: str) -> list[Curve]:
    """The constructions, with the numbers that the page shows."""
    rows = [[int(number.replace(",", "")) for number in row] for row in _ROW.findall(page)]
    return [
        Curve("hashes", "c", (4, 10), None, [(bits, wrong) for bits, _, _, _, wrong in rows]),
        Curve("2qj - j²", "a", (2, log2(96)), (2, log2(3)), [(bits, wrong) for bits, _, wrong, _, _ in rows]),
        Curve("dyck-1", "b", (1, 2), None, [(int(bits), int(n)) for bits, n in _DYCK.findall(page)]),
    ]


def across(log: float) -> float:
    """The place of a length, given as its logarithm."""
    return LEFT + (RIGHT - LEFT) * log / MOST_LOG


def up(bits: float) -> float:
    """The place of a number of bits."""
    return BOTTOM - (BOTTOM - TOP) * bits / MOST_BITS


def svg(page: str) -> str:
    """The picture."""
    return "\n".join([_HEAD, *_axes(), *(line for curve in curves(page) for line in _drawn(curve)), *_key(), "</svg>"])


_HEAD = f"""<svg class="bits" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="bits-title" \
xmlns="http://www.w3.org/2000/svg">
<title id="bits-title">Bits against length: proved to be enough, proved to fail, and the first wrong answer that was \
measured, for two lookups and dyck-1</title>"""


def _axes() -> Iterator[str]:
    """Axes with numbers, and a line for each float format."""
    yield f'<path d="M {LEFT} {TOP} V {BOTTOM} H {RIGHT}" class="axis"/>'
    for log in range(0, MOST_LOG + 1, 4):
        power = f'2<tspan dy="-5" class="small">{log}</tspan>'
        yield f'<text x="{across(log):.0f}" y="{BOTTOM + 18}" class="middle">{power}</text>'
    for bits in range(0, MOST_BITS + 1, 8):
        yield f'<text x="{LEFT - 8}" y="{up(bits) + 4:.0f}" class="end">{bits}</text>'
    for name, bits in FORMATS.items():
        yield f'<path d="M {LEFT} {up(bits):.1f} H {RIGHT}" class="format"/>'
        yield f'<text x="{RIGHT}" y="{up(bits) - 4:.0f}" class="end muted">{name}</text>'
    yield f'<text x="{(LEFT + RIGHT) / 2:.0f}" y="{BOTTOM + 38}" class="middle">length n</text>'
    middle = (TOP + BOTTOM) / 2
    yield f'<text transform="translate(16 {middle:.0f}) rotate(-90)" class="middle">significant bits p</text>'


def _drawn(curve: Curve) -> Iterator[str]:
    """The lines and points of a construction."""
    for kind, line in (("proved", curve.enough), ("fails", curve.fails)):
        if line is not None:
            factor, summand = line
            last = min(MOST_LOG, (MOST_BITS - summand) / factor)
            start, end = f"{across(0):.1f} {up(summand):.1f}", f"{across(last):.1f} {up(factor * last + summand):.1f}"
            yield f'<path d="M {start} L {end}" class="{kind} {curve.shade}"/>'
    for bits, length in curve.measured:
        yield f'<circle cx="{across(log2(length)):.1f}" cy="{up(bits):.1f}" r="4" class="{curve.shade}"/>'
    factor, summand = curve.enough
    log = {"hashes": 9, "2qj - j²": 20.5, "dyck-1": 25}[curve.name]
    yield (
        f'<text x="{across(log) - 8:.0f}" y="{up(factor * log + summand) - 6:.0f}" class="end {curve.shade}">'
        f"{curve.name}</text>"
    )


def _key() -> Iterator[str]:
    """What lines and points mean."""
    y = HEIGHT - 12
    line = f'<path d="M {{}} {y - 4} h 34" class="{{}}"/>'
    marks = (
        (56, line.format(56, "proved"), "proved: enough for every string"),
        (318, line.format(318, "fails"), "proved: some arithmetic fails"),
        (560, f'<circle cx="590" cy="{y - 4}" r="4"/>', "measured: first wrong"),
    )
    for x, mark, words in marks:
        yield f'{mark}<text x="{x + 42}" y="{y}">{words}</text>'


class Bits(Directive):
    """The picture."""

    def run(self) -> list[nodes.Node]:
        self.state.document.settings.env.note_dependency(str(PAGE))
        return [nodes.raw("", svg(PAGE.read_text(encoding="utf-8")), format="html")]
