"""Sums and products over integers as sympy nodes, with the meaning that the grammar gives them.

sympy's own Sum and Product merge nested ranges and run backwards where the upper end is below the lower one by more
than 1. These nodes know neither: what they mean is said in `symcook.meaning`, and sympy leaves them alone.
"""

from __future__ import annotations

from typing import Any, ClassVar

import sympy

from symcook.symbols import from_sympy, to_sympy, tree_from_sympy


class Ranged(sympy.Expr):
    """body(low) + ... + body(high), or the product: written out as soon as both ends are numbers.

    The arguments are a Lambda, so that sympy knows what is bound, and the two ends.
    """

    tag: ClassVar[str]
    sign: ClassVar[str]

    def __new__(cls, body: Any, low: Any, high: Any) -> Any:
        node = cls.unevaluated(body, low, high)
        if not (node.low.is_number and node.high.is_number):
            return node
        return to_sympy(tree_from_sympy(node), {s.name: s for s in node.free_symbols})

    @classmethod
    def unevaluated(cls, body: Any, low: Any, high: Any) -> Any:
        """The node as it stands."""
        return super().__new__(cls, body, sympy.sympify(low), sympy.sympify(high))

    @property
    def bound(self) -> tuple[Any, Any]:
        """The variable and what stands under it."""
        body: Any = self.args[0]
        return body.variables[0], body.expr

    @property
    def low(self) -> Any:
        return self.args[1]

    @property
    def high(self) -> Any:
        return self.args[2]

    def _sympystr(self, printer: Any) -> str:
        return from_sympy(self)

    def _latex(self, printer: Any) -> str:
        variable, body = self.bound
        over = f"_{{{variable.name}={printer.doprint(self.low)}}}^{{{printer.doprint(self.high)}}}"
        return rf"\{self.sign}{over} \left({printer.doprint(body)}\right)"


class RangeSum(Ranged):
    tag: ClassVar[str] = "sum"
    sign: ClassVar[str] = "sum"


class RangeProduct(Ranged):
    tag: ClassVar[str] = "prod"
    sign: ClassVar[str] = "prod"
