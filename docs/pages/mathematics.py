"""LaTeX as MathML, which browsers draw without a script and without a network.

latex2mathml translates; `compact` then says the same in fewer characters and in the part of MathML that browsers know
(MathML Core has no italic or double-struck variants, and no alignment of columns, which the style sheet gives).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import escape, unescape

from latex2mathml.converter import convert

_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
_ITALIC = re.compile(r'(?:<m[ino] mathvariant="italic">[^<]*</m[ino]>)+')
_ALONE = re.compile(r"<mrow>(<(m[ino]|mtext)\b[^<>]*>[^<>]*</\2>)</mrow>")
_PART = re.compile(r"<(/?)(\w+)[^<>]*?(/?)>")
_TALL_OR_BRACKET = re.compile(
    r'(<mo form="(?:prefix|postfix)">[^<]*</mo>|<(?:mfrac|msqrt|mroot|munder|mover|munderover|mtable)\b)'
)
BREAKS = frozenset("∧∨⇒⇔→↔=≤<≥>≠+−-,.;⟹⟺⟶")
"""The operators behind which a long formula may be broken."""
WIDE, LEAST, PAPER = 60, 20, 70
"""The characters of a formula that may be wider than paper, those of a piece of it at least, and those that fit."""


@cache
def mathml(tex: str, display: bool = False) -> str:
    """One formula of LaTeX's math mode.

    >>> print(mathml(r"x_{1} \\le \\mathit{token}"))
    <math><msub><mi>x</mi><mn>1</mn></msub><mo>≤</mo><mi class="word">token</mi></math>
    """
    upright = tex.replace(r"\mathrm{e}", r"\operatorname{e}")  # else latex2mathml makes it the name of a variable
    return compact(convert(upright, display="block" if display else "inline"))


def compact(math: str) -> str:
    """The same formula in fewer characters, by what browsers assume anyway."""
    out = re.sub(r"&#x[0-9A-F]+;", lambda found: escape(unescape(found[0]), quote=False), math)
    out = out.replace(_NAMESPACE, "").replace(' display="inline"', "")
    out = out.replace(' width="0.167em" />', ' width=".167em"/>')
    out = re.sub(r'<mo stretchy="false">([^<]*)</mo>', r"<mi>\1</mi>", out)  # brackets as tall as a letter, in short
    out = out.replace(' stretchy="true" fence="true"', "").replace(' columnalign="left"', "")
    out = _ITALIC.sub(_word, out)
    out = out.replace("<mo>e</mo>", '<mi mathvariant="normal">e</mi>')
    out = re.sub(r"<mo>([A-Za-z][\w-]+)</mo>", r"<mi>\1</mi>", out)  # names of functions are no operators
    out = out.replace('<mn mathvariant="double-struck">1</mn>', "<mn>𝟙</mn>")
    while (less := _ALONE.sub(r"\1", out)) != out:
        out = less
    return re.sub(r"^<math([^>]*)><mrow>(.*)</mrow></math>$", r"<math\1>\2</math>", _low(out))


def _low(math: str) -> str:
    """The same with brackets as tall as a letter around what is no taller: browsers stretch those that stand around
    brackets and indices too.

    >>> print(mathml(r"\\left(i\\right)"), mathml(r"\\left(\\frac{1}{i}\\right)"), sep="\\n")
    <math><mrow><mi>(</mi><mi>i</mi><mi>)</mi></mrow></math>
    <math><mrow><mo form="prefix">(</mo><mfrac><mn>1</mn><mi>i</mi></mfrac><mo form="postfix">)</mo></mrow></math>
    """
    out, open_ = list[str](), list[tuple[int, bool]]()
    for part in _TALL_OR_BRACKET.split(math):
        left, right = part.startswith('<mo form="prefix'), part.startswith('<mo form="postfix')
        if part.startswith("<m") and not left and not right and _TALL_OR_BRACKET.fullmatch(part):
            open_ = [(at, True) for at, _ in open_]
        elif left:
            open_.append((len(out), False))
        elif right and open_:
            at, tall = open_.pop()
            if not tall:
                out[at], part = _letter(out[at]), _letter(part)
        out.append(part)
    return "".join(out).replace("<mi>(</mi><mo>−</mo>", '<mi>(</mi><mo form="prefix">−</mo>')  # no difference


def _letter(bracket: str) -> str:
    return re.sub(r"<mo [^>]*>(.*)</mo>", r"<mi>\1</mi>", bracket)


def _word(found: re.Match[str]) -> str:
    """A name of several letters, in one; one of a single letter is drawn in italics anyway."""
    text = re.sub("<[^>]*>", "", found[0])
    return f'<mi class="word">{text}</mi>' if len(unescape(text)) > 1 else f"<mi>{text}</mi>"


def pieces(math: str) -> str:
    """A formula that may be wider than paper as several, one behind the other, between which a line may end.

    >>> print(pieces(mathml("x = 1")))
    <math><mi>x</mi><mo>=</mo><mn>1</mn></math>
    >>> pieces(mathml(" + ".join(["length"] * 20))).count("<math>")
    7
    """
    if _size(math) <= WIDE:
        return math
    out, now = [], ""
    for part in _flat(math.removeprefix("<math>").removesuffix("</math>")):
        operator = re.fullmatch(r"<m[io][^<>]*>([^<>]*)</m[io]>", part)
        ends = operator is not None and unescape(operator[1]) in BREAKS and _size(now) >= LEAST
        now += part.replace("<mo", '<mo form="infix"', 1) if ends else part
        if ends:
            out.append(now)
            now = ""
    return "".join(f"<math{_fit(one)}>{one}</math>" for one in [*out, now] if one)


def _fit(piece: str) -> str:
    """How much smaller a piece must be on paper, where it is too wide as it is, as a root over a sum may be."""
    return f' style="--fit:{PAPER / _size(piece):.2f}"' if _size(piece) > PAPER else ""


def _size(math: str) -> int:
    return len(unescape(re.sub("<[^>]*>", "", math)))


def _flat(inside: str) -> Iterator[str]:
    """The elements of a formula in turn; those of a long row one by one."""
    depth, begun = 0, 0
    for tag in _PART.finditer(inside):
        if tag[3]:
            if depth == 0:
                yield tag[0]
            continue
        if not tag[1] and depth == 0:
            begun = tag.start()
        depth += -1 if tag[1] else 1
        if depth == 0:
            part = inside[begun : tag.end()]
            if part.startswith("<mrow>") and _size(part) > WIDE:
                yield from _flat(part.removeprefix("<mrow>").removesuffix("</mrow>"))
            else:
                yield part


def row(tex: str) -> tuple[int, str]:
    """A row of a display: by how many steps it is set in, and its MathML."""
    depth = 0
    while tex.startswith(r"\quad"):
        depth, tex = depth + 1, tex.removeprefix(r"\quad").lstrip()
    return depth, pieces(mathml(tex))
