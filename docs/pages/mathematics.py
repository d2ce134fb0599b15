"""LaTeX as MathML, which browsers draw without a script and without a network.

latex2mathml translates; `compact` then says the same in fewer characters and in the part of MathML that browsers know
(MathML Core has no italic or double-struck variants, and no alignment of columns, which the style sheet gives).
"""

from __future__ import annotations

import re
from functools import cache
from html import escape, unescape

from latex2mathml.converter import convert

_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
_ITALIC = re.compile(r'(?:<mi mathvariant="italic">[^<]*</mi>)+')
_ALONE = re.compile(r"<mrow>(<(m[ino]|mtext)\b[^<>]*>[^<>]*</\2>)</mrow>")


@cache
def mathml(tex: str, display: bool = False) -> str:
    """One formula of LaTeX's math mode.

    >>> print(mathml(r"x_{1} \\le \\mathit{token}"))
    <math><mrow><msub><mi>x</mi><mn>1</mn></msub><mo>≤</mo><mi class="word">token</mi></mrow></math>
    """
    upright = tex.replace(r"\mathrm{e}", r"\operatorname{e}")  # else latex2mathml makes it the name of a variable
    return compact(convert(upright, display="block" if display else "inline"))


def compact(math: str) -> str:
    """The same formula in fewer characters, by what browsers assume anyway."""
    out = re.sub(r"&#x[0-9A-F]+;", lambda found: escape(unescape(found[0]), quote=False), math)
    out = out.replace(_NAMESPACE, "").replace(' display="inline"', "")
    out = re.sub(r'<mo stretchy="false">([^<]*)</mo>', r"<mi>\1</mi>", out)  # brackets as tall as a letter, in short
    out = out.replace(' stretchy="true" fence="true"', "").replace(' columnalign="left"', "")
    out = _ITALIC.sub(lambda found: f'<mi class="word">{re.sub("<[^>]*>", "", found[0])}</mi>', out)
    out = out.replace("<mo>e</mo>", '<mi mathvariant="normal">e</mi>')
    out = re.sub(r"<mo>([A-Za-z][\w-]+)</mo>", r"<mi>\1</mi>", out)  # names of functions are no operators
    out = out.replace('<mn mathvariant="double-struck">1</mn>', "<mn>𝟙</mn>")
    while (less := _ALONE.sub(r"\1", out)) != out:
        out = less
    return out


def row(tex: str) -> tuple[int, str]:
    """A row of a display: by how many steps it is set in, and its MathML."""
    depth = 0
    while tex.startswith(r"\quad"):
        depth, tex = depth + 1, tex.removeprefix(r"\quad").lstrip()
    return depth, mathml(tex)
