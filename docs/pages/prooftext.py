"""A proof text as nested lines of HTML: what stands below a line can be folded away."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from html import escape

from symcook.proof.search.prooftext import PARTS, WORDS, TextLine, line_text, read

_SIGNS = {"&lt;-&gt;": "↔", "-&gt;": "→", "&lt;=": "≤", "!=": "≠"}
OPEN = 12
"""Proofs of so many lines are shown unfolded."""


def idea(text: str) -> str:
    """What the comment below the heading says; empty where there is none."""
    lines = text.split("\n")[1:]
    found = []
    for line in lines:
        if not line.lstrip().startswith("#"):
            break
        found.append(line.lstrip(" #"))
    return " ".join(found)


def html(text: str) -> str:
    """The parts of a proof text, each with its lines."""
    proof = read(text)
    first = "Refutation" if proof.refutes else "Proof"
    titles = dict(zip(PARTS, (first, "Nothing in it is undefined", "Its premises can be met"), strict=True))
    out = []
    for part in PARTS:
        if lines := proof.parts.get(part):
            shown = "".join(_lines(lines, sum(map(_size, lines)) <= OPEN))
            out.append(f"<h3>{titles[part]}</h3>")
            out.append(f'<div class="steps" role="group" aria-label="{titles[part]}">{shown}</div>')
    return "".join(out)


def _size(line: TextLine) -> int:
    return 1 + sum(_size(one) for block in line.blocks for one in block)


def _lines(lines: Iterable[TextLine], unfolded: bool) -> Iterator[str]:
    """Each line; with the lines below it as a part that opens."""
    for line in lines:
        blocks = [block or (TextLine("qed"),) for block in line.blocks]
        if not blocks:
            yield f"<p>{_marked(line_text(line))}</p>"
            continue
        below = "".join(
            "".join(_lines(block, unfolded))
            if line.kind in ("fact", "calc")
            else f'<div class="block">{"".join(_lines(block, unfolded))}</div>'
            for block in blocks
        )
        head = "show each part" if line.kind == "split" else line_text(line)
        count = _size(line) - 1
        more = "" if unfolded else f' <span class="count">{count} line{"s" * (count != 1)}</span>'
        yield f"<details{' open' * unfolded}><summary>{_marked(head)}{more}</summary>{below}</details>"


def _marked(text: str) -> str:
    """A line with its words of the language set off, and signs as they are printed."""
    out = escape(text, quote=False)
    for sign, drawn in _SIGNS.items():
        out = out.replace(sign, drawn)
    word = out.partition(" ")[0]
    if word in WORDS:
        out = f"<b>{word}</b>{out[len(word) :]}"
    return re.sub(r" (by|from) ", r" <b>\1</b> ", out)
