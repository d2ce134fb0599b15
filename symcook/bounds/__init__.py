"""Bounds: a paper's claim, the sharp value, and whether the claim holds, all rigorous to the requested digits.

The functions are named in `symcook.bounds.kinds`, and imported when they are first used.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

from symcook.bounds.kinds import KINDS, kind
from symcook.door import door, fits, inexact
from symcook.errors import BadInput, unknown
from symcook.model.rationals import number_of

if TYPE_CHECKING:
    from symcook.bounds.arguments import Bound
    from symcook.bounds.error import error_propagation
    from symcook.bounds.falling import table_lookup, tie_break, ziggurat
    from symcook.bounds.flips import sensitivity
    from symcook.bounds.formulas import SymbolicBound
    from symcook.bounds.gelu import gelu_multiply, gelu_relu
    from symcook.bounds.layer import layer_norm, lipschitz
    from symcook.bounds.scores import softmax_of_scores
    from symcook.bounds.softmax import quadratic_lookup, softmax_hardmax, temperature
    from symcook.bounds.sums import layernorm_hash
    from symcook.bounds.sweeps import Sweep
    from symcook.papers.chiang2022.entropy import cross_entropy

__all__ = [
    "KINDS",
    "bound",
    "cross_entropy",
    "error_propagation",
    "gelu_multiply",
    "gelu_relu",
    "kind",
    "layer_norm",
    "layernorm_hash",
    "lipschitz",
    "quadratic_lookup",
    "sensitivity",
    "softmax_hardmax",
    "softmax_of_scores",
    "table_lookup",
    "temperature",
    "tie_break",
    "ziggurat",
]


@door()
def bound(
    name: str, *arguments: object, over: str | None = None, **parameters: object
) -> Bound | SymbolicBound | Sweep:
    """A bound that a paper claims, and the tight value: the exact size of what the paper bounds.

    An argument may be a symbol or an expression with symbols, as text or as a sympy expression. Then the claimed and
    the tight value are sympy expressions; this works for the kinds in `symcook.bounds.formulas.FORMULAS`. One argument
    may be a range, a list or an array of numbers.

    Arguments:
        name: str. The kind: softmax-hardmax (n, gamma, ties), softmax (scores, gamma, n), lookup (gamma, n, q),
            ziggurat and table-lookup (gamma, n), tie-break (variant, gamma, n), layernorm-hash (n, tie_break, search),
            temperature (n, gamma, error, bits), layer-norm (d, epsilon, gain), gelu-multiply (form), gelu-relu (c,
            form); of a model: lipschitz (model, norm), error (model, delta, n), sensitivity (model, n), cross-entropy
            (model, n).
        arguments: exact numbers or text. Arguments of the kind by position.
        over: str or None (None). NAME=FROM:TO[:STEPS], the values of one argument.
        parameters: exact numbers or text. Arguments of the kind by name, and `digits`.

    Returns: Bound with `.claimed`, `.value`, `.holds`; SymbolicBound if an argument has symbols; Sweep, whose `columns`
    have one entry for each value, where one argument has several values.

    Raises: BadInput: an unknown kind or argument; the message has the nearest one.

    Example:

    >>> bound("softmax-hardmax", n=64, gamma=5, digits=4).holds
    True
    >>> bound("softmax-hardmax", n="n", gamma="g").claimed
    2*n*exp(-g)
    >>> bound("layernorm-hash", n=range(2, 5)).array("claimed").round(5).tolist()
    [0.03125, 0.00617, 0.00195]
    """
    chosen = kind(name)
    names = (*chosen.names, "digits")
    for parameter in parameters:
        if parameter not in names:
            raise unknown(f"argument of {name}", parameter, names)
    # Numbers of numpy and of sympy are numbers of Python.
    parameters = {name: plain_number(value) for name, value in parameters.items()}
    arguments = tuple(map(plain_number, arguments))
    for one, value in (*zip(chosen.names, arguments, strict=False), *parameters.items()):
        if isinstance(value, float) and one != "digits":
            raise BadInput(f"{one} must be exact", repr(value), inexact(value))
    given: dict[str, Any] = dict(zip(chosen.names, arguments, strict=False)) | parameters
    if over is not None or any(not isinstance(value, (str, int, bool)) for value in given.values()):
        from symcook.bounds.sweeps import at_values, runs_over, sweep

        several = runs_over(name, given)
        if over is not None and several is not None:
            raise BadInput(
                "only one argument of a bound may have several values",
                f"{several}, and over {over}",
                "give one of them a single value",
            )
        if over is not None:
            return sweep(name, over, **given)
        if several is not None:
            return at_values(name, several, given.pop(several), **given)
    if any(map(may_have_names, given.values())):
        from symcook.bounds.formulas import settled, symbolic

        if len(arguments) <= len(chosen.names) and (with_values := settled(name, given)) != given:
            given = {name: plain_number(value) for name, value in with_values.items()}
            arguments, parameters = (), given
        if (formula := symbolic(name, given)) is not None:
            return formula
    function = chosen.load()
    fits(function, name, arguments, parameters)
    return function(*arguments, **parameters)


def plain_number(value: Any) -> Any:
    """A rational number of any library as Python's, a float of numpy or mpmath as Python's, and another number of sympy
    as text; anything else as it is."""
    number = number_of(value)
    if number is None:
        if getattr(value, "is_number", None) is True and getattr(value, "is_finite", False) is True:
            from symcook.model.symbols import from_sympy

            return float(value) if value.is_Float else from_sympy(value)
        if type(value).__name__ == "mpf":
            return float(value)
        return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value
    return int(number) if number.denominator == 1 else number


def may_have_names(value: object) -> bool:
    """Whether a value is text with a letter, or an expression of sympy: `symcook.bounds.formulas` tells whether there
    are names in it."""
    return hasattr(value, "free_symbols") or (isinstance(value, str) and any(map(str.isalpha, value)))


def __getattr__(name: str) -> Any:
    """The function of a kind by its own name, such as `softmax_hardmax`, imported on first use."""
    for question in KINDS.values():
        if question.home.endswith(f":{name}"):
            return question.load()
    raise AttributeError(f"module 'symcook.bounds' has no attribute '{name}'")


class _BoundsModule(ModuleType):
    """This module, which says so where it is called in place of `symcook.bound`."""

    def __call__(self, *given: object, **named: object) -> Any:
        must = "the function that is called must be symcook.bound"
        raise BadInput(must, "symcook.bounds, a module", "write bound(..)")


sys.modules[__name__].__class__ = _BoundsModule
