"""What an attention head and a layer norm say of one position, as text: shared by the run relations of a stored model
(`runrel`) and of a family (`familyrel`). An equation is for ``@``; it is given the old value, None where that is zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from symcook.errors import BadInput

Right = Callable[[str | None], str]


class Window(NamedTuple):
    """What row i sees: the first and last position, how many they are, and the row that sees nothing."""

    low: str
    high: str
    size: str
    empty: str | None


def window(mask: str, start: int) -> Window:
    """The window of a mask where positions are numbered from `start`, 0 or 1."""
    low, high, one = str(start), "n" if start else "n - 1", bool(start)
    windows = {
        "none": (low, high, "n", None),
        "future": (low, "i", "i" if one else "(i + 1)", None),
        "strict-future": (low, "i - 1", "(i - 1)" if one else "i", low),
        "past": ("i", high, "(n - i + 1)" if one else "(n - i)", None),
        "strict-past": ("i + 1", high, "(n - i)" if one else "(n - 1 - i)", high),
    }
    if mask not in windows:
        raise BadInput(f"a run relation knows the masks {', '.join(windows)}", mask)
    return Window(*windows[mask])


def attended(seen: Window, weighting: str, score: Callable[[str], str | None], soft: str, value: str) -> Right:
    """The equation of what a head adds. `score` is the score of row i at a position (None: zero everywhere), `soft` the
    exponent of softmax at j, `value` the value at j."""
    here = score("j")
    nearer = {"leftmost": "k < j", "rightmost": "j < k"}.get(weighting)
    if weighting not in ("average", "softmax") and nearer is None:
        raise BadInput("a head must have a weighting that a run relation knows", weighting)
    if here is None:
        weight = f"I[j = {seen.low if weighting == 'leftmost' else seen.high}]*" if nearer else ""
    elif weighting == "softmax":
        weight = f"exp({soft})*"
    else:
        other = score("k")
        best = f"all k in {seen.low}..{seen.high}. {other} <= {here}"
        weight = f"I[{best} & ({nearer} -> {other} < {here})]*" if nearer else f"I[{best}]*"
    span = f"{seen.low}, {seen.high}"
    total = f"sum(j, {span}, {weight[:-1]})" if weight else seen.size
    values = f"sum(j, {span}, {f'{weight}({value})' if weight else value})"
    if nearer:  # one position has weight 1, none where the window is empty
        return plus([values])
    if seen.empty is None and (here is None or weighting == "softmax"):
        return plus([f"{values}/{total}"])

    def right(old: str | None) -> str:
        text = f"{f'(@ - {old})' if old else '@'}*{total} = {values}"
        return text if seen.empty is None else f"{text} & (i = {seen.empty} -> @ = {old or '0'})"

    return right


def plus(terms: list[str]) -> Right:
    """The old value and the terms."""
    return lambda old: f"@ = {joined([old, *terms] if old else terms)}"


def joined(terms: Iterable[str]) -> str:
    """Terms joined by plus signs; a long sum is bracketed in halves, which keeps its tree shallow."""
    parts = list(terms)
    if not parts:
        return "0"
    if len(parts) <= 16:
        return " + ".join(parts)
    half = len(parts) // 2
    return f"({joined(parts[:half])}) + ({joined(parts[half:])})"


def conjunction(parts: list[str]) -> str:
    """Parts joined by "and"; more than 128 are bracketed in halves, as the quantifiers over them nest deep already."""
    if len(parts) <= 128:
        return " & ".join(parts)
    half = len(parts) // 2
    return f"({conjunction(parts[:half])}) & ({conjunction(parts[half:])})"


def normed(centred: str, deviation: str, gain: str, bias: list[str], zero: bool) -> str:
    """What a norm makes of an entry less the mean: gain*(entry - mean)/deviation + bias; with `zero` the bias alone
    where the deviation is zero. `gain` has ``#`` in the place of what it multiplies."""
    text = f"({' - '.join(['@', *bias])})*{deviation} = {gain.replace('#', f'({centred})')}"
    return f"{text} & ({deviation} = 0 -> @ = {joined(bias)})" if zero else text
