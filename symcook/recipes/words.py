"""The words that the formulas of recipes use beside those of the grammar, and what they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symcook.model.expr import names
from symcook.model.meaning import called

if TYPE_CHECKING:
    from symcook.recipes import Recipe

WORDS = {
    "w": ("i", "", "the number of the letter at position i, from 0 in the order of the alphabet"),
    "C": ("i", "sum(j, 1, i, I[w(j) = 0])", "how often the first letter of the alphabet stands among the first i"),
    "ones": ("i", "sum(j, 1, i, I[w(j) = 1])", "how many of the first i letters are 1"),
    "opens": ("i", "sum(j, 1, i, I[w(j) = 0])", "how many of the first i brackets open"),
    "closes": ("i", "sum(j, 1, i, I[w(j) = 1])", "how many of the first i brackets close"),
    "gelu": ("x", "x*(1 + erf(x/sqrt(2)))/2", "x times the normal distribution function at x"),
    "bracket": ("i", "if(mod(w(i), 2) = 0, w(i)/2 + 1, -(w(i) + 1)/2)", "t for the t-th kind that opens, -t closes"),
}
"""The words of formulas beside those of the grammar: their argument, what they abbreviate, and what they mean."""
SHOWN = "the number of the output that the text gives, from 0"
"""What k means."""


def meanings(recipe: Recipe, formula: bool) -> dict[str, str]:
    """What the words mean that the texts of a recipe use, which are formulas or else terms.

    >>> from symcook.recipes import info
    >>> meanings(info("count"), formula=False)
    {'C(i)': 'how often the first letter of the alphabet stands among the first i'}
    """
    trees = [recipe.text(kind, formula) for kind in ("formula", "computes")]
    found = set().union(*map(called, trees))
    said = {f"{name}({argument})": means for name, (argument, _, means) in recipe.vocabulary.items() if name in found}
    return said | ({"k": SHOWN} if any("k" in names(tree) for tree in trees) else {})
