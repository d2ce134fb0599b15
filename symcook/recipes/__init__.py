"""Recipes: hand-built transformers by name, one file a section. Listing them imports neither sympy nor blocks."""

from symcook.recipes.registry import (
    Argument,
    Recipe,
    Symbol,
    build,
    error,
    exists,
    info,
    inside,
    names,
    of_claim,
    reference,
    region,
)

__all__ = [
    "Argument",
    "Recipe",
    "Symbol",
    "build",
    "error",
    "exists",
    "info",
    "inside",
    "names",
    "of_claim",
    "reference",
    "region",
]
