"""Sums, products and case distinctions of the grammar as sympy nodes, with the meaning that the grammar gives them.

sympy's own Sum and Product merge nested ranges and run backwards where the upper end is below the lower one by more
than 1, and its Piecewise rewrites conditions about case distinctions each time it is built. These nodes do neither:
what they mean is said in `symcook.model.meaning`, and sympy leaves them alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import sympy

from symcook.model.symbols import from_sympy, to_sympy, tree_from_sympy

if TYPE_CHECKING:
    from sympy.printing.printer import Printer


class Ranged(sympy.Expr):
    """The sum or product of the body over low <= variable <= high: written out as soon as both ends are numbers."""

    tag: ClassVar[str]
    is_commutative = True
    is_extended_real = True

    def __new__(cls, body: sympy.Expr, variable: sympy.Symbol, low: sympy.Expr, high: sympy.Expr) -> Any:
        node = cls.unevaluated(body, variable, low, high)
        if not (node.low.is_number and node.high.is_number):
            return node
        return to_sympy(tree_from_sympy(node), {s.name: s for s in node.free_symbols})

    @classmethod
    def unevaluated(cls, body: sympy.Basic, variable: sympy.Basic, low: sympy.Basic, high: sympy.Basic) -> Any:
        """The node as it stands."""
        return super().__new__(cls, sympy.sympify(body), variable, sympy.sympify(low), sympy.sympify(high))

    body: Any = property(lambda self: self.args[0])
    variable: Any = property(lambda self: self.args[1])
    low: Any = property(lambda self: self.args[2])
    high: Any = property(lambda self: self.args[3])

    @property
    def free_symbols(self) -> set[Any]:
        return (self.body.free_symbols - {self.variable}) | self.low.free_symbols | self.high.free_symbols

    def _sympystr(self, printer: Printer) -> str:
        return from_sympy(self)

    def _latex(self, printer: Printer) -> str:
        low, high, body = (printer.doprint(part) for part in (self.low, self.high, self.body))
        return rf"\{self.tag}_{{{self.variable.name}={low}}}^{{{high}}} \left({body}\right)"


class RangeSum(Ranged):
    tag: ClassVar[str] = "sum"


class RangeProduct(Ranged):
    tag: ClassVar[str] = "prod"


class Choice(sympy.Expr):
    """`yes` where the condition holds, else `no`; one of them as soon as that is known."""

    is_commutative = True
    is_extended_real = True

    def __new__(cls, condition: sympy.Basic, yes: sympy.Expr, no: sympy.Expr) -> Any:
        if condition in (sympy.true, sympy.false):
            return yes if condition == sympy.true else no
        return super().__new__(cls, condition, sympy.sympify(yes), sympy.sympify(no))

    condition: Any = property(lambda self: self.args[0])
    yes: Any = property(lambda self: self.args[1])
    no: Any = property(lambda self: self.args[2])

    def _sympystr(self, printer: Printer) -> str:
        return from_sympy(self)

    def _latex(self, printer: Printer) -> str:
        return printer.doprint(sympy.Piecewise((self.yes, self.condition), (self.no, True)))
