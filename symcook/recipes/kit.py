"""What recipes are made of, each imported when it is first used: a list of recipes builds nothing, and costs next to
nothing. This is the one place of the recipes that is lazy; theirs are plain imports."""

# ruff: noqa: F401

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import replace
    from fractions import Fraction
    from inspect import cleandoc
    from random import Random

    from sympy import Expr

    from symcook.compose import Builder, confident, paired, rename
    from symcook.model.checks import Space
    from symcook.model.ends import Embedding, Readout
    from symcook.model.expr import parse_formula, parse_term
    from symcook.model.family import load, shipped
    from symcook.model.instance import instance
    from symcook.model.layers import Layer, SelfAttention
    from symcook.model.parts import FeedForward, Head, LayerNorm
    from symcook.model.rationals import plain, rational, truth
    from symcook.model.symbols import Exact, exact, fraction, from_sympy, symbol
    from symcook.model.transformer import Parameter, Transformer
    from symcook.model.weights import feedforward, head
    from symcook.recipes.words import evaluable
    from symcook.spec.fold import Fold

_HOMES = {
    "dataclasses": ("replace",),
    "fractions": ("Fraction",),
    "inspect": ("cleandoc",),
    "random": ("Random",),
    "sympy": ("Expr",),
    "symcook.compose": ("Builder", "confident", "paired", "rename"),
    "symcook.model.ends": ("Embedding", "Readout"),
    "symcook.model.expr": ("parse_formula", "parse_term"),
    "symcook.model.family": ("load", "shipped"),
    "symcook.model.instance": ("instance",),
    "symcook.model.layers": ("Layer", "SelfAttention"),
    "symcook.model.parts": ("FeedForward", "Head", "LayerNorm"),
    "symcook.model.rationals": ("plain", "rational", "truth"),
    "symcook.model.checks": ("Space",),
    "symcook.model.symbols": ("Exact", "exact", "fraction", "from_sympy", "symbol"),
    "symcook.model.transformer": ("Parameter", "Transformer"),
    "symcook.model.weights": ("feedforward", "head"),
    "symcook.recipes.words": ("evaluable",),
    "symcook.spec.fold": ("Fold",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    value = globals()[name] = getattr(import_module(_HOME[name]), name)
    return value
