"""Line breaks in the text of a proposition: first after quantifiers, then at the weakest connectives, then inside
brackets."""

from __future__ import annotations

import re

WIDTH = 110
"""The maximum number of characters in a line."""
CONNECTIVES = (" -> ", " <-> ", r" \/ ", r" /\ ", " = ", " <= ", " < ", " + ")
"""The signs at which a text is broken, the weakest first."""
QUANTIFIER = re.compile(r"(forall|exists|fun)\b")
"""A word that binds variables."""
BRACKET = re.compile("[()]")


def laid_out(text: str, indent: int = 0) -> str:
    """`text` broken into lines. All lines but the first begin with `indent` spaces."""
    return ("\n" + " " * indent).join(lines(text, WIDTH - indent))


def lines(text: str, width: int) -> list[str]:
    """The lines of `text`, of at most `width` characters if it can be broken so."""
    if len(text) <= width:
        return [text]
    places = outside(text)
    # A quantifier: a line with its binders, then the lines of its body, indented.
    if QUANTIFIER.match(text):
        sign = "=>" if text.startswith("fun") else ","
        place = next((p for p in places if text.startswith(sign, p)), None)
        if place is not None:
            end = place + len(sign)
            return [text[:end], *indented(lines(text[end:].lstrip(), width - 2), 2)]
    # A connective: each part begins a new line, which starts with the sign. A quantifier extends to the end of the
    # text, so only the connectives before it (before `last`) count.
    last = next((p for p in places if p and text[p - 1] == " " and QUANTIFIER.match(text, p)), len(text))
    for sign in CONNECTIVES:
        cuts = [p for p in places if p < last and text.startswith(sign, p)]
        if cuts:
            starts = [0, *[p + 1 for p in cuts], len(text) + 1]
            parts = [text[a : b - 1] for a, b in zip(starts, starts[1:], strict=False)]
            out, hang = lines(parts[0], width), len(sign) - 1
            for part in parts[1:]:
                first, *following = lines(part[hang:], width - hang)
                out += [sign.lstrip() + first, *indented(following, hang)]
            return out
    # Brackets around the whole text: break the text inside.
    if text[0] == "(" and closing(text) == len(text) - 1:
        inner = lines(text[1:-1], width - 2)
        inner[-1] += ")"
        return [f"({inner[0]}", *indented(inner[1:], 1)]
    return [text]


def indented(block: list[str], by: int) -> list[str]:
    """The lines, each with `by` more spaces before it."""
    return [" " * by + line for line in block]


def outside(text: str) -> list[int]:
    """The indices of `text` that are outside all brackets. The closing brackets of outermost pairs count as outside."""
    depth, start, places = 0, 0, []
    for bracket in BRACKET.finditer(text):
        place, opens = bracket.start(), bracket.group() == "("
        if depth == 0:
            places.extend(range(start, place))
        depth += 1 if opens else -1
        start = place if depth == 0 else place + 1
    if depth == 0:
        places.extend(range(start, len(text)))
    return places


def closing(text: str) -> int:
    """The index of the bracket that closes the one at the beginning of the text; -1 if it is not closed."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return place
    return -1
