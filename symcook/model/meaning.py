"""The meaning of an expression tree: one fold over the tree. A number system is a subclass that defines the operations.

Every number system uses this fold, so that the following rules are set here and nowhere else. The proof checker has the
same rules.

- ``sum(j, lo, hi, body)`` runs over the integers j with lo <= j <= hi. Where there is no such j, as in sum(j, 2, 0, j),
  a sum is 0 and a product is 1; a range never runs backwards. The body is evaluated for these j alone.
- lo and hi must be integers. An end that is not, as n/2 at n = 3, is rejected and never rounded: the checker accepts
  only ends of sort Int, and n/2 may be meant as either neighbouring integer. The same holds for ``all j in lo..hi``.
- ``if`` and ``I`` evaluate only the branch that is taken; a comparison or connective evaluates both its sides.

Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Generic, NoReturn, TypeVar

from symcook.errors import BadInput
from symcook.model.expr import Tree, children, show

MAX_RANGE = 10_000
"""The greatest number of integers in the range of one sum, product or quantifier."""
MAX_STEPS = 1_000_000
"""The greatest number of terms visited in one evaluation, a term counted each time."""

Value = TypeVar("Value")
"""A number of the system."""
Truth = TypeVar("Truth")
"""The result of a comparison in the number system, such as bool."""

ROUNDED = {"floor": 1, "mod": 2, "sign": 1}
"""Functions that expressions may call and statements may not, with their numbers of arguments. mod(a, b) is
a - b floor(a/b); sign gives -1, 0 or 1. Coordinates and definitions may have the same names."""

ZERO: Tree = ("num", 0, 1)
ONE: Tree = ("num", 1, 1)


def subtrees(tree: Tree) -> Iterator[Tree]:
    """A tree and all of its subtrees."""
    yield tree
    for part in children(tree):
        yield from subtrees(part)


def called(tree: Tree) -> set[str]:
    """The names of the functions that a tree calls."""
    return {part[1] for part in subtrees(tree) if part[0] == "call"}


def conjuncts(tree: Tree) -> list[Tree]:
    """The parts of a conjunction."""
    return [*conjuncts(tree[1]), *conjuncts(tree[2])] if tree[0] == "&" else [tree]


class Meaning(Generic[Value, Truth]):
    """The fold over a tree, with `values` for the free names. Values add, subtract, multiply and negate by Python's
    operators.

    `steps` is a list of one number: how many terms may still be visited in this evaluation. The folds for bound
    variables share it. Formulas do not count, but the terms in them do.
    """

    def __init__(self, values: Mapping[str, object], steps: list[int] | None = None) -> None:
        self.values: Mapping[str, Any] = values
        self.steps = [MAX_STEPS] if steps is None else steps

    # The operations that a number system defines.

    def number(self, p: int, q: int) -> Value:
        """p/q."""
        raise NotImplementedError

    def name(self, name: str) -> Value:
        """The value of a name: of a free or bound variable, or of pi."""
        raise NotImplementedError

    def divide(self, a: Value, b: Value, tree: Tree) -> Value:
        """a/b; BadInput, which shows `tree`, where b is zero."""
        raise NotImplementedError

    def power(self, a: Value, b: Value, tree: Tree) -> Value:
        """a^b."""
        raise NotImplementedError

    def call(self, name: str, arguments: list[Value], tree: Tree) -> Value:
        """A function of the grammar or of `ROUNDED`, other than pow. `_term` has checked the number of arguments only
        of those of `ROUNDED`."""
        raise NotImplementedError

    def compare(self, tag: str, a: Value, b: Value, tree: Tree) -> Truth:
        """a = b, a <= b or a < b."""
        raise NotImplementedError

    def truth(self, known: bool) -> Truth:
        """True or false."""
        raise NotImplementedError

    def negation(self, a: Truth) -> Truth:
        """Not a."""
        raise NotImplementedError

    def both(self, a: Truth, b: Truth) -> Truth:
        """a and b."""
        raise NotImplementedError

    def choose(self, truth: Truth, yes: Tree, no: Tree) -> Value:
        """The term `yes` where `truth` holds, else `no`."""
        raise NotImplementedError

    def end(self, tree: Tree, whole: Tree) -> int:
        """The integer value of `tree`, an end of the range of `whole`; `not_whole` raises where it is not an
        integer."""
        raise NotImplementedError

    def kept(self, value: Value) -> Value:
        """`value`. A hook: a number system may refuse or shorten each value that the fold computes."""
        return value

    def under(self, name: str, j: int) -> Meaning[Value, Truth]:
        """The fold in which the bound variable `name` is j."""
        return type(self)({**self.values, name: self.number(j, 1)}, self.steps)

    # The fold, the same in every number system.

    def term(self, tree: Tree) -> Value:
        """The value of a term. Raises BadInput where the evaluation takes too many steps."""
        self.steps[0] -= 1
        if self.steps[0] < 0:
            raise BadInput("the sums of an expression must be short enough to evaluate", show(tree), "use shorter sums")
        return self.kept(self._term(tree))

    def _term(self, tree: Tree) -> Value:
        """The value of a term, by the tag of its tree."""
        tag = tree[0]
        if tag == "num":
            return self.number(tree[1], tree[2])
        if tag == "name":
            return self.name(tree[1])
        if tag == "neg":
            return -self.term(tree[1])  # pyright: ignore[reportOperatorIssue]
        if tag in ("+", "-", "*", "/", "^"):
            a: Any = self.term(tree[1])
            b: Any = self.term(tree[2])
            if tag == "/":
                return self.divide(a, b, tree)
            if tag == "^":
                return self.power(a, b, tree)
            return a + b if tag == "+" else a - b if tag == "-" else a * b
        # Only the branch that is taken is evaluated, by `choose`.
        if tag == "if":
            return self.choose(self.formula(tree[1]), tree[2], tree[3])
        if tag == "ind":
            return self.choose(self.formula(tree[1]), ONE, ZERO)
        if tag in ("sum", "prod"):
            return self.fold(tree)
        # A function of terms. A lambda as argument occurs only in statements, and is an error here.
        if tag == "call" and all(a[0] != "lambda" for a in tree[2]):
            arguments = [self.term(a) for a in tree[2]]
            if tree[1] == "pow" and len(arguments) == 2:
                return self.power(arguments[0], arguments[1], tree)
            if len(arguments) != ROUNDED.get(tree[1], len(arguments)):
                raise BadInput(
                    f"{tree[1]} must have {ROUNDED[tree[1]]} arguments",
                    show(tree),
                    f"write {ROUNDED[tree[1]]} arguments",
                )
            return self.call(tree[1], arguments, tree)
        raise BadInput(
            "an expression must be built from numbers, names, operations and known functions",
            show(tree),
            "use the functions of `symcook explain grammar`",
        )

    def fold(self, tree: Tree) -> Value:
        """A sum or product over a range of integers."""
        total: Any = self.number(0 if tree[0] == "sum" else 1, 1)
        for j in self.range(tree[2], tree[3], tree):
            value: Any = self.under(tree[1], j).term(tree[4])
            total = self.kept(total + value if tree[0] == "sum" else total * value)
        return total

    def range(self, low: Tree, high: Tree, whole: Tree) -> range:
        """The integers from `low` to `high`; BadInput where there are too many."""
        return counted(self.end(low, whole), self.end(high, whole), whole)

    def formula(self, tree: Tree) -> Truth:
        """The truth of a formula, by the tag of its tree."""
        tag = tree[0]
        if tag in ("true", "false"):
            return self.truth(tag == "true")
        if tag in ("=", "<=", "<"):
            return self.compare(tag, self.term(tree[1]), self.term(tree[2]), tree)
        if tag == "~":
            return self.negation(self.formula(tree[1]))
        # Connectives. Implication and equivalence are expressed by "not", "or" and "and".
        if tag in ("&", "|", "->", "<->"):
            a, b = self.formula(tree[1]), self.formula(tree[2])
            if tag == "&":
                return self.both(a, b)
            if tag == "|":
                return self.either(a, b)
            forward = self.either(self.negation(a), b)
            return forward if tag == "->" else self.both(forward, self.either(a, self.negation(b)))
        # Quantifiers over ranges: the conjunction or disjunction of the bodies at all integers of the range.
        if tag in ("all in", "ex in"):
            join = self.both if tag == "all in" else self.either
            result = self.truth(tag == "all in")
            for j in self.range(tree[2], tree[3], tree):
                result = join(result, self.under(tree[1], j).formula(tree[4]))
            return result
        raise BadInput(
            "a condition must be decidable by trying all values of its quantified variables",
            show(tree),
            "quantify over finite ranges only",
        )

    def either(self, a: Truth, b: Truth) -> Truth:
        """a or b."""
        return self.negation(self.both(self.negation(a), self.negation(b)))


def counted(first: int, last: int, tree: Tree) -> range:
    """The integers from `first` to `last`, none where last < first; BadInput where there are more than MAX_RANGE."""
    if last - first >= MAX_RANGE:
        must = "a sum" if tree[0] == "sum" else "a product" if tree[0] == "prod" else "a range"
        raise BadInput(f"{must} must run over at most {MAX_RANGE:,} integers", show(tree), "use a smaller range")
    return range(first, last + 1)


def not_whole(tree: Tree, whole: Tree, value: object = None) -> NoReturn:
    """Raises the BadInput for `tree`, an end of the range of `whole` that is not an integer; `value` is its value,
    where it has one."""
    of = {"sum": "a sum", "prod": "a product"}.get(whole[0], "a range")
    text = show(tree) if value is None or str(value) == show(tree) else f"{show(tree)} = {value} in {show(whole)}"
    raise BadInput(f"the ends of {of} must be integers", text, "use ends that are always integers")
