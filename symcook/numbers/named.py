"""The sympy symbol of a model's parameter, of n and of i: it is replaced by its name, whatever its assumptions.

Two symbols of sympy with one name and other assumptions are different, so `subs(Symbol("eps"), 1)` would leave an
expression in a positive eps as it is, without a word. Here a substitution asks for the name alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import sympy as sp


class ModelSymbol(sp.Symbol):
    """A symbol of sympy that `subs` and `xreplace` find by its name.

    It equals no symbol of sympy, whatever its assumptions: sympy keeps what it has computed by equality, and would give
    an expression of the user's in place of the model's. Its class has sympy's name for symbols, by which sympy orders
    and prints expressions.

    >>> eps = ModelSymbol("eps", positive=True)
    >>> (1 / eps).subs("eps", 2), (1 / eps).subs(sp.Symbol("eps"), 2), sp.sqrt(eps**2)
    (1/2, 1/2, eps)
    >>> eps == sp.Symbol("eps", positive=True)
    False
    """

    __slots__ = ()

    def _eval_subs(self, old: Any, new: Any) -> Any:
        """What `old` is replaced by, where `old` is a symbol of this name; sympy asks this of each part."""
        return new if _names(old, self.name) else super()._eval_subs(old, new)

    def _xreplace(self, rule: Mapping[Any, Any]) -> tuple[Any, bool]:
        """What `rule` has for this symbol, else for one symbol of this name; and whether there is one."""
        if self in rule:
            return rule[self], True
        for old, new in rule.items() if isinstance(rule, Mapping) else ():  # sympy has other rules of its own
            if _names(old, self.name):
                return new, True
        return self, False

    def xreplace(self, rule: Mapping[Any, Any], hack2: bool = False) -> Any:
        """`_xreplace`, for a symbol that is a whole expression: sympy does not ask `_xreplace` of it."""
        return self._xreplace(rule)[0]


class TermSymbol(ModelSymbol):
    """The sympy symbol of a number for which statements have a word: its name is the term of a statement, such as
    ``count(a)`` or ``x(i - 1)``."""

    __slots__ = ()


class BoundVariable(sp.Symbol):
    """The variable of a sum or product: no substitution of a name means it, and it is never put for such a name."""

    __slots__ = ()


# sympy orders expressions by the names of classes.
ModelSymbol.__name__ = TermSymbol.__name__ = BoundVariable.__name__ = "Symbol"


class SympySum(sp.Sum):
    """A sum of sympy whose free symbols are substituted by their names; sympy's own looks for the very symbol.

    >>> k, n = BoundVariable("k", integer=True), ModelSymbol("n", integer=True, positive=True)
    >>> SympySum(k, (k, 1, n)).subs("n", 4).doit()
    10
    """

    __slots__ = ()

    def _eval_subs(self, old: Any, new: Any) -> Any:
        """This sum with `new` for the free symbol that `old` names."""
        return super()._eval_subs(next((s for s in self.free_symbols if _names(old, s.name)), old), new)

    def _eval_evalf(self, prec: int) -> Any:
        """The value of the sum as sympy's own, which sympy evaluates by its class."""
        return sp.Sum(*self.args)._evalf(prec)


SympySum.__name__ = "Sum"


def _names(old: object, name: str) -> bool:
    """Whether `old` is a symbol called `name`. A Dummy or a bound variable is a symbol of its own, whatever it is
    called."""
    return isinstance(old, sp.Symbol) and not isinstance(old, (sp.Dummy, BoundVariable)) and old.name == name


@lru_cache(maxsize=4096)
def named(name: str, sign: str) -> ModelSymbol:
    """The symbol `name`: real, with the assumption `sign` ("" for none, or "positive", "nonnegative", "negative",
    "nonpositive"); i and n are integers."""
    if name in ("i", "n"):
        return ModelSymbol(name, integer=True, **{"nonnegative" if name == "i" else "positive": True})
    return ModelSymbol(name, **({sign: True} if sign else {}), real=True)


def spoken(term: str) -> TermSymbol:
    """The symbol of a number for which statements have the word `term`."""
    return TermSymbol(term, real=True)


def standard(expression: Any, signs: Mapping[str, str] | None = None) -> Any:
    """`expression` with each free symbol as `named` gives it: with the sign that `signs` has for it. Without `signs`, a
    symbol of this module keeps its own sign."""
    kept = TermSymbol if signs is not None else ModelSymbol
    free = [s for s in expression.free_symbols if isinstance(s, sp.Symbol) and not isinstance(s, kept)]
    table = {s: named(s.name, (signs or {}).get(s.name, "")) for s in free}
    table = {s: own for s, own in table.items() if s is not own}
    return expression.xreplace(table) if table else expression
