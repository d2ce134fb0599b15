"""Words of the library as Markdown: what Markdown would read as a sign is escaped here, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

_SIGNS = re.compile(r"([\\*_\[\]<>#$~|{}^])")


def plain(text: str) -> str:
    """Plain words; what stands in `code` stays as it is.

    >>> print(plain("a_1 * `b_2`"))
    a\\_1 \\* `b_2`
    >>> print(plain("``{a}``"))
    `{a}`
    """
    parts = text.replace("``", "`").split("`")
    if len(parts) % 2 == 0:  # a lone backtick is no code
        return _SIGNS.sub(r"\\\1", text).replace("`", r"\`")
    parts[::2] = [_SIGNS.sub(r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def cell(text: str) -> str:
    """The same for a cell of a table."""
    return plain(text).replace("\n", " ")


def code(text: str, language: str) -> str:
    """A block of code."""
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table whose cells are Markdown; without a header the first row stands in its place."""
    every = [list(header), *map(list, rows)] if header else [["", ""], *map(list, rows)]
    wide = len(every[0])
    out = ["| " + " | ".join(re.sub(r"(?<!\\)\|", r"\\|", one) for one in row) + " |" for row in every]
    return [out[0], "|" + " --- |" * wide, *out[1:]]
