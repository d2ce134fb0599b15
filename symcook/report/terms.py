"""Terms of a family as one would write them: without factors 1 and terms 0, at the one index that is written, by cases;
and how many entries ranges have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce

from symcook.model.expr import Tree, names, show
from symcook.model.family import renamed
from symcook.model.meaning import conjuncts
from symcook.model.plainfamily import ONE, ZERO, Range

TRUE: Tree = ("true",)


def tidy(tree: Tree) -> Tree:
    """The same value, without factors 1, terms 0, brackets and signs that meet.

    >>> show(tidy(("+", ("*", ONE, ("name", "x")), ("neg", ("name", "y")))))
    'x - y'
    """
    tag, *kids = (tidy(child) if isinstance(child, tuple) and child else child for child in tree)
    # 0*a, 1*a, a/1, 0 + a and a - 0.
    if tag == "*" and ZERO in kids:
        return ZERO
    if (tag == "*" and ONE in kids) or (tag == "/" and kids[1] == ONE):
        return kids[1] if kids[0] == ONE and tag == "*" else kids[0]
    if tag == "+" and ZERO in kids:
        return kids[1] if kids[0] == ZERO else kids[0]
    if tag == "-" and kids[1] == ZERO:
        return kids[0]
    # a + -b is a - b, and a - -b is a + b.
    if tag in ("+", "-") and kids[1][0] == "neg":
        return tidy(("-" if tag == "+" else "+", kids[0], kids[1][1]))
    # a + (b + c), a*(b*c) and a + (b - c) without the brackets.
    if tag in ("+", "*") and kids[1][0] == tag:
        return tidy((tag, (tag, kids[0], kids[1][1]), kids[1][2]))
    if tag == "+" and kids[1][0] == "-":
        return tidy(("-", ("+", kids[0], kids[1][1]), kids[1][2]))
    # a + 2 - 3 is a - 1: two numbers that follow each other are put together.
    if tag in ("+", "-") and kids[0][0] in ("+", "-") and kids[1][0] == kids[0][2][0] == "num":
        low, high = (Fraction(*operand[1:]) for operand in (kids[0][2], kids[1]))
        both = (low if kids[0][0] == "+" else -low) + (high if tag == "+" else -high)
        return tidy(("+" if both > 0 else "-", kids[0][1], ("num", abs(both.numerator), both.denominator)))
    if tag == "neg" and kids[0][0] == "neg":
        return kids[0][1]
    if tag == "call" and kids[0] == "pow":
        return ("^", *kids[1])
    return (tag, *kids)


def prose(tree: Tree) -> str:
    """A formula as text: a <= b <= c where both hold, and != for what is not equal.

    >>> from symcook.model.expr import parse_formula
    >>> prose(parse_formula("0 <= x & x <= 1 -> x != 2"))
    '0 <= x <= 1 -> x != 2'
    """
    tag = tree[0]
    if tag in ("<->", "->", "|"):
        first, second = tree[1:]
        return f"{_bracketed(first, tag)} {tag} {_bracketed(second, tag, True)}"
    if tag == "~" and tree[1][0] == "=":
        return f"{show(tree[1][1])} != {show(tree[1][2])}"
    if tag in ("all in", "ex in"):
        return f"{tag[:-3]} {tree[1]} in {show(tree[2])}..{show(tree[3])}. {prose(tree[4])}"
    if tag in ("all", "ex"):
        return f"{show((*tree[:3], TRUE)).removesuffix('true')}{prose(tree[3])}"
    if tag != "&":
        return show(tree)
    # Conjuncts a <= b and b <= c become a chain; `end` is what the next one must begin with.
    out, end = list[str](), None
    for part in conjuncts(tree):
        if part[0] in ("=", "<=", "<") and part[1] == end:
            out[-1] += f" {part[0]} {show(part[2])}"
        else:
            out.append(_bracketed(part, "&"))
        end = part[2] if part[0] in ("=", "<=", "<") else None
    return " & ".join(out)


def _bracketed(tree: Tree, around: str, last: bool = False) -> str:
    """A part of a formula; what is `last` needs no brackets around a quantifier or a sign that goes on to the right."""
    weak = {"&": ("|", "->", "<->"), "|": ("->", "<->") if last else ("|", "->", "<->"),
            "->": ("<->",) if last else ("->", "<->"), "<->": ("->", "<->")}[around]  # fmt: skip
    bound = tree[0] in ("all", "ex", "all in", "ex in") and not (last and around in ("->", "<->"))
    return f"({prose(tree)})" if tree[0] in weak or bound else prose(tree)


def body(tree: Tree, over: Sequence[Range]) -> Tree | None:
    """F of a condition ``all i in low..high. F`` with just these ranges; None for a condition of another form."""
    for index in over:
        if tree[0] != "all in" or tree[1:4] != tuple(index):
            return None
        tree = tree[4]
    return tree


def at_round(tree: Tree, index: str, other: str) -> Tree | None:
    """What a form is at `index` = `other` where it is zero at all other indices, by a factor I[index = other]; else
    None.

    >>> from symcook.model.expr import parse_term
    >>> show(at_round(parse_term("I[f = t & 0 < c(f)]*x(f)"), "f", "t"))
    'I[0 < c(t)]*x(t)'
    """
    without_index = _alone(tree, {("=", ("name", index), ("name", other)), ("=", ("name", other), ("name", index))})
    return None if without_index is None else tidy(renamed(without_index, {index: ("name", other)}))


def _alone(tree: Tree, wanted: set[Tree]) -> Tree | None:
    """The tree without the wanted equation as a factor I[..], where it is such a multiple; else None."""
    tag = tree[0]
    # I[wanted & F] becomes I[F].
    if tag == "ind":
        parts = conjuncts(tree[1])
        remaining = [conjunct for conjunct in parts if conjunct not in wanted]
        if len(remaining) == len(parts):
            return None
        return ("ind", reduce(lambda a, b: ("&", a, b), remaining)) if remaining else ONE
    # One factor is enough: the product is zero where it is.
    if tag == "*":
        for place in (1, 2):
            if (inner := _alone(tree[place], wanted)) is not None:
                return (tag, inner, tree[2]) if place == 1 else (tag, tree[1], inner)
    if tag in ("neg", "/"):
        inner = _alone(tree[1], wanted)
        return None if inner is None else (tag, inner, *tree[2:])
    # Of a sum both terms must have it.
    if tag in ("+", "-"):
        both = [_alone(operand, wanted) for operand in tree[1:]]
        return None if None in both else (tag, *both)
    return None


def by_cases(tree: Tree) -> list[tuple[Tree, Tree]]:
    """A sum of terms I[x = 1]*a, I[x = 2]*b as its cases: conditions of which no two hold, each with its value; else
    nothing."""
    cases = []
    for sign, term in _terms(tidy(tree), 1):
        case = _case(term)
        if case is None:
            return []
        cases.append((case[0], tidy(("neg", case[1])) if sign < 0 else tidy(case[1])))
    # Cases exclude each other where each has an equation of the same term with another number: x = 1, x = 2, ..
    equations = [
        next((conjunct for conjunct in conjuncts(c) if conjunct[0] == "=" and conjunct[2][0] == "num"), None)
        for c, _ in cases
    ]
    apart = {condition[2] for condition in equations if condition is not None}
    same = {condition[1] for condition in equations if condition is not None}
    return cases if len(cases) > 1 and len(apart) == len(cases) and len(same) == 1 else []


def _terms(tree: Tree, sign: int) -> list[tuple[int, Tree]]:
    """The terms of a sum, each with its sign."""
    if tree[0] in ("+", "-"):
        return [*_terms(tree[1], sign), *_terms(tree[2], sign if tree[0] == "+" else -sign)]
    return [(sign, tree)]


def _case(tree: Tree) -> tuple[Tree, Tree] | None:
    """The condition of a factor I[..] of a term, and the rest of the term."""
    if tree[0] == "ind":
        return tree[1], ONE
    if tree[0] in ("*", "/"):
        for place in (1, 2)[: 2 if tree[0] == "*" else 1]:
            if (inner := _case(tree[place])) is not None:
                kids = [inner[1] if k == place else kid for k, kid in enumerate(tree[1:], 1)]
                return inner[0], (tree[0], *kids)
    return None


def erased(tree: Tree, value: Tree) -> bool:
    """Whether a feed-forward part takes a coordinate off itself: relu(-x) - relu(x) is -x."""
    tree = tidy(tree)
    return tree == ("-", ("call", "relu", (("neg", value),)), ("call", "relu", (value,)))


# --- how many ---

ShownPoly = dict[tuple[str, ...], Fraction]
"""A polynomial: the coefficient of each monomial, which is the sorted names of its factors; () is the constant one."""


def entries(over: Iterable[Sequence[Range]]) -> str:
    """How many entries there are at all indices of these ranges together, as text.

    >>> from symcook.model.plainfamily import Range
    >>> entries([(), (Range("c", ONE, ("name", "N")),), (Range("c", ZERO, ("name", "N")),)])
    '2*N + 2'
    """
    sizes = (reduce(_times, (_size(range_) for range_ in ranges), {(): Fraction(1)}) for ranges in over)
    polynomial = reduce(_plus, sizes, ShownPoly())
    ordered = sorted(polynomial.items(), key=lambda monomial: (-len(monomial[0]), monomial[0]))
    text = ""
    for names_of, number in ordered:
        if number:
            powers = [name if k == 1 else f"{name}^{k}" for name, k in Counter(names_of).items()]
            size = "*".join([*([str(abs(number))] if abs(number) != 1 or not names_of else []), *powers])
            text += (" - " if number < 0 else " + ") + size if text else ("-" if number < 0 else "") + size
    return text or "0"


def _size(index: Range) -> ShownPoly:
    """How many integers a range has: high - low + 1."""
    return _plus(_plus(_poly(index.high), _poly(("neg", index.low))), {(): Fraction(1)})


def _poly(tree: Tree) -> ShownPoly:
    """A term as a polynomial; what is neither a number, a sum nor a product counts as one indeterminate."""
    tag = tree[0]
    if tag == "num":
        return {(): Fraction(tree[1], tree[2])}
    if tag == "neg":
        return _times({(): Fraction(-1)}, _poly(tree[1]))
    if tag in ("+", "-"):
        return _plus(_poly(tree[1]), _poly(tree[2] if tag == "+" else ("neg", tree[2])))
    if tag == "*":
        return _times(_poly(tree[1]), _poly(tree[2]))
    return {(show(tree),): Fraction(1)}


def _plus(a: ShownPoly, b: ShownPoly) -> ShownPoly:
    return {key: a.get(key, Fraction(0)) + b.get(key, Fraction(0)) for key in {**a, **b}}


def _times(a: ShownPoly, b: ShownPoly) -> ShownPoly:
    product = ShownPoly()
    for x, p in a.items():
        for y, q in b.items():
            product = _plus(product, {tuple(sorted((*x, *y))): p * q})
    return product


def depends(tree: Tree, given: Iterable[str]) -> bool:
    """Whether one of these names is in a term."""
    return not names(tree).isdisjoint(given)
