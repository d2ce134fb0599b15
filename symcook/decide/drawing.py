"""An automaton as a table in plain text, and as an SVG picture."""

from __future__ import annotations

from html import escape
from math import isqrt

from symcook.decide.automata import Automaton
from symcook.errors import BadInput

MOST = 40
"""The greatest number of states of a picture; a larger one would be unreadable."""
RADIUS, ACROSS, DOWN, EDGE = 22, 150, 100, 60
"""In pixels: the radius of a state, the distance of two columns, the distance of two rows, and the margin."""
STYLE = """
text { font: 13px ui-monospace, monospace; fill: #1f2328; text-anchor: middle; dominant-baseline: central }
.letters { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; fill: #0550ae }
path { fill: none; stroke: #59636e; stroke-width: 1.2 }
circle { fill: #ffffff; stroke: #1f2328; stroke-width: 1.4 }
.accept { stroke: #1a7f37; fill: #dafbe1 }
.inner { fill: none; stroke: #1a7f37 }
.note { text-anchor: start; fill: #59636e }
.none { stroke-dasharray: 3 3 }
"""
"""The style sheet of a picture."""


def rows(automaton: Automaton) -> list[list[str]]:
    """A header and a row for each state: its name, its answer, and the name of the next state by each symbol."""
    answer_words = {True: "accept", False: "reject", None: "no answer"}
    table = [["state", "answer", *automaton.alphabet]]
    for name, answer, moves in zip(automaton.names, automaton.answers, automaton.moves, strict=True):
        table.append([name, answer_words.get(answer, str(answer)), *(automaton.names[to] for to in moves)])
    return table


def text(automaton: Automaton) -> str:
    """The table of an automaton as text. The initial state is the first row."""
    table = rows(automaton)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() + "\n" for row in table
    )


def svg(automaton: Automaton) -> str:
    """The picture of an automaton.

    A state is in the column of the length of the shortest string that leads to it. Accepting states have a double ring,
    states without an answer are dashed, and a label stands after the state's name. Rejecting states from which every
    symbol leads back to the state itself are left out, with the arrows to them, but the initial state is always drawn.
    BadInput where there are more than `MOST` states, including those left out.
    """
    if len(automaton) > MOST:
        do = "write it to a file that ends in .json or .txt"
        raise BadInput(f"a drawn automaton must have at most {MOST} states", len(automaton), do)
    # Rejecting states that no symbol leaves are not drawn.
    lost = {
        state for state, row in enumerate(automaton.moves) if automaton.answers[state] is False and {*row} == {state}
    }
    lost -= {automaton.initial}
    columns = _columns(automaton, lost)
    order = [state for column in columns.values() for state in column]
    # Positions; each column is centred.
    tall = max(map(len, columns.values()))
    position_of = {}
    for at, column in columns.items():
        for k, state in enumerate(column):
            middle = (tall - len(column)) * DOWN // 2
            position_of[state] = (EDGE + 20 + at * ACROSS, EDGE + 30 + middle + k * DOWN)
    # The frame, and an arrow into the initial state.
    width, height = max(440, 2 * EDGE + 40 + (len(columns) - 1) * ACROSS), 2 * EDGE + 60 + (tall - 1) * DOWN
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerUnits="userSpaceOnUse" '
        'markerWidth="10" markerHeight="10" orient="auto">'
        '<path d="M0 0 L10 5 L0 10 z" style="fill: #59636e; stroke: none"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
    ]
    x, y = position_of[automaton.initial]
    drawn.append(f'<path d="M{x - 55} {y} L{x - RADIUS - 2} {y}" marker-end="url(#tip)"/>')
    # One arrow for all symbols that lead from one state to the same next one. Labels are drawn last, over the arrows.
    labels = []
    edges: dict[tuple[int, int], list[str]] = {}
    for state in order:
        for letter, to in zip(automaton.alphabet, automaton.moves[state], strict=True):
            if to not in lost:
                edges.setdefault((state, to), []).append(letter)
    for (state, to), letters in edges.items():
        path, (lx, ly) = (
            _loop(*position_of[state])
            if state == to
            else _curve(position_of[state], position_of[to], (to, state) in edges)
        )
        drawn.append(f'<path d="{path}" marker-end="url(#tip)" data-edge="{state} {to}"/>')
        edge_text = ", ".join(letters) if len(letters) < max(3, len(automaton.alphabet)) else "any symbol"
        labels.append(f'<text class="letters" x="{lx}" y="{ly}">{escape(edge_text)}</text>')
    # The states.
    for state in order:
        x, y = position_of[state]
        answer = automaton.answers[state]
        kind = ' class="accept"' if answer is True else ' class="none"' if answer is None else ""
        drawn.append(f'<circle cx="{x}" cy="{y}" r="{RADIUS}"{kind} data-state="{state}"/>')
        if answer is True:
            drawn.append(f'<circle cx="{x}" cy="{y}" r="{RADIUS - 4}" class="inner"/>')
        name = automaton.names[state]
        if isinstance(answer, str):
            name = f"{name}: {answer}"
        drawn.append(f'<text x="{x}" y="{y}">{escape(name)}</text>')
    if lost:
        lost_names = " and ".join(automaton.names[state] for state in sorted(lost))
        note = f"what is not drawn leads to {lost_names}, which reject{'s' * (len(lost) == 1)} for good"
        labels.append(f'<text class="note" x="20" y="{height - 20}">{escape(note)}</text>')
    return "\n".join([*drawn, *labels, "</svg>", ""])


def _columns(automaton: Automaton, left_out: set[int]) -> dict[int, list[int]]:
    """{length: the states of its column}: a state is in the column of the length of the shortest string that leads to
    it. States in `left_out`, and those that no string reaches, are in no column.

    Columns are in ascending order, their states in the order in which a breadth-first search finds them.
    """
    depth = {automaton.initial: 0}
    for state in (order := [automaton.initial]):
        for to in automaton.moves[state]:
            if to not in depth and to not in left_out:
                depth[to] = depth[state] + 1
                order.append(to)
    columns: dict[int, list[int]] = {}
    for state in order:
        columns.setdefault(depth[state], []).append(state)
    return columns


DrawnPoint = tuple[int, int]
"""A point (x, y) of the picture, in pixels."""


def _loop(x: int, y: int) -> tuple[str, DrawnPoint]:
    """The path of an arrow from a state to itself, drawn above it, and the point of its label."""
    path = (
        f"M{x - 12} {y - RADIUS + 3} C{x - 30} {y - RADIUS - 34} {x + 30} {y - RADIUS - 34} {x + 12} {y - RADIUS + 1}"
    )
    return path, (x, y - RADIUS - 26)


def _curve(start: DrawnPoint, end: DrawnPoint, both: bool) -> tuple[str, DrawnPoint]:
    """The path of an arrow between two states, and the point of its label.

    `both` says whether there is an arrow the other way. The arrow is bent then, and where a state may be between the
    two.
    """
    (x, y), (u, v) = start, end
    across, down = u - x, v - y
    length = max(1, isqrt(across * across + down * down))
    far = abs(across) > ACROSS or (across == 0 and abs(down) > DOWN)
    bend = 34 + length // 8 if far else 26 if both else 0
    cx, cy = (x + u) // 2 + down * bend // length, (y + v) // 2 - across * bend // length
    # The ends are on the rings, in the direction of the control point (cx, cy) of the curve.
    sx, sy = _towards((x, y), (cx, cy))
    ex, ey = _towards((u, v), (cx, cy))
    return f"M{sx} {sy} Q{cx} {cy} {ex} {ey}", ((sx + 2 * cx + ex) // 4, (sy + 2 * cy + ey) // 4)


def _towards(centre: DrawnPoint, point: DrawnPoint) -> DrawnPoint:
    """The point on the ring around a centre in the direction of another point."""
    across, down = point[0] - centre[0], point[1] - centre[1]
    length = max(1, isqrt(across * across + down * down))
    return centre[0] + across * (RADIUS + 2) // length, centre[1] + down * (RADIUS + 2) // length
