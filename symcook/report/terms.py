"""Terms of a family in a form for readers: without factors 1 and terms 0, for the one index that is written, and by
cases; also the number of entries of index ranges."""

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
    """A term with the same value, without factors 1, terms 0, unnecessary brackets and adjacent signs.

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
    # a + 2 - 3 is a - 1: adjacent numbers are added.
    if tag in ("+", "-") and kids[0][0] in ("+", "-") and kids[1][0] == kids[0][2][0] == "num":
        first, second = (Fraction(*operand[1:]) for operand in (kids[0][2], kids[1]))
        total = (first if kids[0][0] == "+" else -first) + (second if tag == "+" else -second)
        return tidy(("+" if total > 0 else "-", kids[0][1], ("num", abs(total.numerator), total.denominator)))
    # - -a is a, and pow(a, b) is a^b.
    if tag == "neg" and kids[0][0] == "neg":
        return kids[0][1]
    if tag == "call" and kids[0] == "pow":
        return ("^", *kids[1])
    return (tag, *kids)


def prose(tree: Tree) -> str:
    """A formula as text, with chains a <= b <= c for conjunctions, and != for ~(a = b).

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
    # Conjuncts a <= b and b <= c become a chain. `end` is the right side of the conjunct before, if it is a relation.
    out, end = list[str](), None
    for part in conjuncts(tree):
        if part[0] in ("=", "<=", "<") and part[1] == end:
            out[-1] += f" {part[0]} {show(part[2])}"
        else:
            out.append(_bracketed(part, "&"))
        end = part[2] if part[0] in ("=", "<=", "<") else None
    return " & ".join(out)


def _bracketed(tree: Tree, around: str, last: bool = False) -> str:
    """A subformula of the connective `around`, in brackets if it needs them.

    The `last` operand of an arrow needs none around a quantifier, and that of a right-associative sign none around the
    same sign.
    """
    # By connective around it: the connectives that need brackets.
    weak = {"&": ("|", "->", "<->"), "|": ("->", "<->") if last else ("|", "->", "<->"),
            "->": ("<->",) if last else ("->", "<->"), "<->": ("->", "<->")}[around]  # fmt: skip
    bound = tree[0] in ("all", "ex", "all in", "ex in") and not (last and around in ("->", "<->"))
    return f"({prose(tree)})" if tree[0] in weak or bound else prose(tree)


def body(tree: Tree, over: Sequence[Range]) -> Tree | None:
    """F of a condition ``all i in low..high. F`` with exactly the ranges `over`; None for any other condition."""
    for index in over:
        if tree[0] != "all in" or tree[1:4] != tuple(index):
            return None
        tree = tree[4]
    return tree


def at_round(tree: Tree, index: str, other: str) -> Tree | None:
    """A form with a factor I[index = other], for `index` = `other`; None for a form without such a factor.

    The factor makes the form zero for all other values of the index.

    >>> from symcook.model.expr import parse_term
    >>> show(at_round(parse_term("I[f = t & 0 < c(f)]*x(f)"), "f", "t"))
    'I[0 < c(t)]*x(t)'
    """
    without_index = _without_factor(
        tree, {("=", ("name", index), ("name", other)), ("=", ("name", other), ("name", index))}
    )
    return None if without_index is None else tidy(renamed(without_index, {index: ("name", other)}))


def _without_factor(tree: Tree, wanted: set[Tree]) -> Tree | None:
    """The tree without its factor I[equation], for an equation in `wanted`; None if it does not have this factor."""
    tag = tree[0]
    # I[wanted & F] becomes I[F].
    if tag == "ind":
        parts = conjuncts(tree[1])
        remaining = [conjunct for conjunct in parts if conjunct not in wanted]
        if len(remaining) == len(parts):
            return None
        return ("ind", reduce(lambda a, b: ("&", a, b), remaining)) if remaining else ONE
    # A product has the factor if one of its operands has it.
    if tag == "*":
        for place in (1, 2):
            if (inner := _without_factor(tree[place], wanted)) is not None:
                return (tag, inner, tree[2]) if place == 1 else (tag, tree[1], inner)
    if tag in ("neg", "/"):
        inner = _without_factor(tree[1], wanted)
        return None if inner is None else (tag, inner, *tree[2:])
    # A sum has the factor only if both terms have it.
    if tag in ("+", "-"):
        terms_without = [_without_factor(operand, wanted) for operand in tree[1:]]
        return None if None in terms_without else (tag, *terms_without)
    return None


def by_cases(tree: Tree) -> list[tuple[Tree, Tree]]:
    """A sum of terms I[x = 1]*a, I[x = 2]*b as (condition, value) of each term; [] for a term of another form.

    At most one of the conditions holds.
    """
    cases = []
    for sign, term in _terms(tidy(tree), 1):
        case = _indicator_factor(term)
        if case is None:
            return []
        cases.append((case[0], tidy(("neg", case[1])) if sign < 0 else tidy(case[1])))
    # Cases exclude each other if each equates the same term with a different number: x = 1, x = 2, ..
    equations = [
        next((conjunct for conjunct in conjuncts(c) if conjunct[0] == "=" and conjunct[2][0] == "num"), None)
        for c, _ in cases
    ]
    numbers = {condition[2] for condition in equations if condition is not None}
    equated_terms = {condition[1] for condition in equations if condition is not None}
    return cases if len(cases) > 1 and len(numbers) == len(cases) and len(equated_terms) == 1 else []


def _terms(tree: Tree, sign: int) -> list[tuple[int, Tree]]:
    """The terms of a sum, each with its sign."""
    if tree[0] in ("+", "-"):
        return [*_terms(tree[1], sign), *_terms(tree[2], sign if tree[0] == "+" else -sign)]
    return [(sign, tree)]


def _indicator_factor(tree: Tree) -> tuple[Tree, Tree] | None:
    """The condition of a factor I[..] of a term, and the term without this factor; None without such a factor."""
    if tree[0] == "ind":
        return tree[1], ONE
    if tree[0] in ("*", "/"):
        for place in (1, 2)[: 2 if tree[0] == "*" else 1]:
            if (inner := _indicator_factor(tree[place])) is not None:
                kids = [inner[1] if k == place else kid for k, kid in enumerate(tree[1:], 1)]
                return inner[0], (tree[0], *kids)
    return None


def erased(tree: Tree, value: Tree) -> bool:
    """Whether the feed-forward output `tree` erases the coordinate `value` = x: relu(-x) - relu(x) is -x."""
    tree = tidy(tree)
    return tree == ("-", ("call", "relu", (("neg", value),)), ("call", "relu", (value,)))


# --- numbers of entries ---

ShownPoly = dict[tuple[str, ...], Fraction]
"""A polynomial: {monomial: coefficient}. A monomial is the sorted names of its factors; () is the constant monomial."""


def entries(over: Iterable[Sequence[Range]]) -> str:
    """The total number of entries, as text: for each element of `over` the product of the sizes of its ranges.

    >>> from symcook.model.plainfamily import Range
    >>> entries([(), (Range("c", ONE, ("name", "N")),), (Range("c", ZERO, ("name", "N")),)])
    '2*N + 2'
    """
    # The sum of these products, printed from the highest degree on.
    sizes = (reduce(_times, (_size(range_) for range_ in ranges), {(): Fraction(1)}) for ranges in over)
    polynomial = reduce(_plus, sizes, ShownPoly())
    ordered = sorted(polynomial.items(), key=lambda monomial: (-len(monomial[0]), monomial[0]))
    text = ""
    for factors, number in ordered:
        if number:
            powers = [name if k == 1 else f"{name}^{k}" for name, k in Counter(factors).items()]
            size = "*".join([*([str(abs(number))] if abs(number) != 1 or not factors else []), *powers])
            text += (" - " if number < 0 else " + ") + size if text else ("-" if number < 0 else "") + size
    return text or "0"


def _size(index: Range) -> ShownPoly:
    """The number of integers in a range: high - low + 1."""
    return _plus(_plus(_poly(index.high), _poly(("neg", index.low))), {(): Fraction(1)})


def _poly(tree: Tree) -> ShownPoly:
    """A term as a polynomial; a subterm that is not a number, a sum or a product is an indeterminate."""
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


def depends(tree: Tree, wanted_names: Iterable[str]) -> bool:
    """Whether a term contains one of the `wanted_names`."""
    return not names(tree).isdisjoint(wanted_names)
