"""Terms and formulas as MathML, which browsers draw without a script.

A notebook that is not trusted drops the tags. The formula can still be read then: a fraction has a slash, an exponent a
circumflex and brackets, as text that is normally hidden.
"""

from __future__ import annotations

import re
from html import escape

from symcook.model.expr import Tree, show
from symcook.model.meaning import conjuncts
from symcook.report.latex import CAPITALS, LETTERS, STRENGTH, negated

_DRAWN = dict(zip(LETTERS, "αβγδεζηθικλμνξπρστφχψω", strict=True)) | {"eps": "ε"}
_DRAWN |= dict(zip(CAPITALS, "ΓΔΘΛΞΠΣΥΦΨΩ", strict=True))
_SIGNS = {"+": "+", "-": "−", "=": "=", "<=": "≤", "<": "<", "&": "∧", "|": "∨", "->": "⇒", "<->": "⇔"}
_NAMES = {"relu": "ReLU", "log": "ln"}
_QUANTIFIERS = {"all in": "∀", "ex in": "∃"}
_WEAK = {"all in": 0, "ex in": 0, "all": 0, "ex": 0, "if": 9}
"""The strength of constructs that extend as far as possible to the right: next to an operator they need brackets.

These replace the numbers of `STRENGTH`."""
_TALL = re.compile("<(mfrac|munderover|msqrt|mtable)")
"""Elements that need tall brackets. Around others brackets are not stretched: browsers would draw them too tall."""
_BRACKETS = {"abs": "||", "floor": "⌊⌋"}
"""Functions that are written as a pair of brackets."""


def math(tree: Tree) -> str:
    """A term or formula as one element `math`.

    >>> print(math(("/", ("num", 1, 1), ("name", "n"))).replace(' style="display:none"', ""))
    <math displaystyle="true"><mfrac><mrow><mn>1</mn><mtext>/</mtext></mrow><mi>n</mi></mfrac></math>
    """
    return f'<math displaystyle="true">{_drawn(tree)}</math>'


def lines(tree: Tree) -> str:
    """A formula with one ``math`` element for each outermost conjunct: a browser may break the line between them."""
    *before, last = conjuncts(tree)
    formulas = [f'<math displaystyle="true">{_row(_inside(conjunct, 6), "<mo>∧</mo>")}</math> ' for conjunct in before]
    return "".join([*formulas, f'<math displaystyle="true">{_inside(last, 6) if before else _drawn(last)}</math>'])


def _drawn(tree: Tree) -> str:
    """A term or formula as MathML, without the element `math` around it."""
    tag = tree[0]
    # Numbers, names and arithmetic. A number in the calls of `_inside` is the strength of the place, as in `STRENGTH`.
    if tag == "num":
        if tree[1] < 0:
            return _row("<mo>−</mo>", _drawn(("num", -tree[1], tree[2])))
        return f"<mn>{tree[1]}</mn>" if tree[2] == 1 else _fraction(("num", tree[1], 1), ("num", tree[2], 1))
    if tag == "name":
        return _name(tree[1])
    if tag == "neg":
        return _row("<mo>−</mo>", _inside(tree[1], 12))
    if tag == "/":
        return _fraction(tree[1], tree[2])
    if tag == "+" and (without_minus := negated(tree[2])) is not None:
        return _row(_inside(tree[1], 10), "<mo>−</mo>", _inside(without_minus, 11))
    if tag in ("+", "-"):
        return _row(_inside(tree[1], 10), f"<mo>{_SIGNS[tag]}</mo>", _inside(tree[2], 11))
    if tag == "*":
        return _row(_inside(tree[1], 12), "<mo>·</mo>", _inside(tree[2], 13))
    if tag == "^":
        return _power(tree[1], tree[2])
    if tag == "~" and tree[1][0] == "=":
        return _row(_inside(tree[1][1], 9), "<mo>≠</mo>", _inside(tree[1][2], 9))
    # Relations and connectives; a chain of & or | needs no brackets on its right side.
    if tag in _SIGNS:
        own_strength = STRENGTH[tag]
        sign = f"<mo>{escape(_SIGNS[tag])}</mo>"
        return _row(
            _inside(tree[1], own_strength + 1),
            sign,
            _inside(tree[2], own_strength if tag in ("&", "|") else own_strength + 1),
        )
    if tag == "call":
        return _call(tree[1], tree[2])
    if tag == "~":
        return _row("<mo>¬</mo>", _inside(tree[1], 9))
    # Binders over a range of integers: quantifiers, sums and products.
    if tag in ("all in", "ex in"):
        _, name, low, high, body = tree
        among = _row(_drawn(low), "<mo>..</mo>", _drawn(high))
        return _row(f"<mo>{_QUANTIFIERS[tag]}</mo>", _name(name), "<mo>∈</mo>", among, "<mo>.</mo>", _drawn(body))
    if tag in ("sum", "prod"):
        _, name, low, high, body = tree
        under = _row(_unseen("("), _name(name), "<mo>=</mo>", _drawn(low), _unseen(".."))
        over = _row(_drawn(high), _unseen(")"))
        sign = "∑" if tag == "sum" else "∏"
        return _row(f"<munderover><mo>{sign}</mo>{under}{over}</munderover>", _inside(body, 12))
    # Indicators and cases.
    if tag == "ind":
        return _row("<mo>[</mo>", _drawn(tree[1]), "<mo>]</mo>")
    if tag == "if":
        condition = _row("<mtext> if </mtext>", _drawn(tree[1]), _unseen("; "))
        yes = f"<mtr><mtd>{_drawn(tree[2])}</mtd><mtd>{condition}</mtd></mtr>"
        no = f"<mtr><mtd>{_drawn(tree[3])}</mtd><mtd><mtext> otherwise</mtext></mtd></mtr>"
        return _row("<mo>{</mo>", f'<mtable columnalign="left">{yes}{no}</mtable>')
    return f"<mtext>{escape(show(tree))}</mtext>"  # quantifiers over sorts and lambdas: no closed form has them


def _row(*parts: str) -> str:
    """Pieces one after another, as one element."""
    return f"<mrow>{''.join(parts)}</mrow>"


def _unseen(text: str) -> str:
    """Hidden text, which is visible only where tags are dropped."""
    return f'<mtext style="display:none">{text}</mtext>'


def _bracketed(tree: Tree, seen: bool) -> str:
    """The tree in brackets. With `seen` false the brackets are hidden text, and left out around a name or integer."""
    if not seen and (tree[0] == "name" or (tree[0] == "num" and tree[1] >= 0 and tree[2] == 1)):
        return _drawn(tree)
    inside = _drawn(tree)
    not_stretched = "" if _TALL.search(inside) else ' stretchy="false"'
    left, right = (f"<mo{not_stretched}>(</mo>", f"<mo{not_stretched}>)</mo>") if seen else (_unseen("("), _unseen(")"))
    return _row(left, inside, right)


def _inside(tree: Tree, strength: int) -> str:
    """A subterm, in brackets if it binds more weakly than `strength`."""
    own_strength = 10 if tree[0] == "num" and tree[1] < 0 else _WEAK.get(tree[0], STRENGTH.get(tree[0], 100))
    return _bracketed(tree, True) if own_strength < strength else _drawn(tree)


def _fraction(above: Tree, below: Tree) -> str:
    """A fraction, with slash and brackets as hidden text."""
    return f"<mfrac>{_row(_bracketed(above, False), _unseen('/'))}{_bracketed(below, False)}</mfrac>"


def _power(base: Tree, exponent: Tree) -> str:
    """A power, with the circumflex and the brackets of the exponent as hidden text."""
    plain = base[0] == "name" or (base[0] == "num" and base[1] >= 0 and base[2] == 1)
    drawn = _drawn(base) if plain else _bracketed(base, True)
    return f"<msup>{drawn}{_row(_unseen('^'), _bracketed(exponent, False))}</msup>"


def _name(name: str) -> str:
    """A name: the name of a Greek letter as that letter; a final number, or a letter after _, as a subscript."""
    match = re.fullmatch(r"([A-Za-z]+?)([0-9]+)|([A-Za-z])_([a-z])", name)
    word = (match[1] or match[3]) if match else name
    drawn = f"<mi>{escape(_DRAWN.get(word, word))}</mi>"
    if match is None:
        return drawn
    return f"<msub>{drawn}{f'<mn>{match[2]}</mn>' if match[2] else _row(_unseen('_'), f'<mi>{match[4]}</mi>')}</msub>"


def _call(name: str, operands: tuple[Tree, ...]) -> str:
    """A function in its usual notation."""
    if name == "exp":
        exponent = _row(_unseen("^("), _drawn(operands[0]), _unseen(")"))
        return f'<msup><mi mathvariant="normal">e</mi>{exponent}</msup>'
    if name == "pow" and len(operands) == 2:
        return _power(*operands)
    if name == "sqrt":
        return f"<msqrt>{_unseen('√(')}{_drawn(operands[0])}{_unseen(')')}</msqrt>"
    if name in _BRACKETS and len(operands) == 1:
        left, right = _BRACKETS[name]
        return _row(f"<mo>{left}</mo>", _drawn(operands[0]), f"<mo>{right}</mo>")
    arguments = "<mo>,</mo>".join(map(_drawn, operands))
    not_stretched = "" if _TALL.search(arguments) else ' stretchy="false"'
    return _row(
        f"<mi>{escape(_NAMES.get(name, name))}</mi>",
        f"<mo{not_stretched}>(</mo>",
        arguments,
        f"<mo{not_stretched}>)</mo>",
    )
